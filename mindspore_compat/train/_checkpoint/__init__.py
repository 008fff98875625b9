"""Checkpoints: saving, loading, and resharding, which changes how ranks share parameters."""
