"""Checkpoints: saving, loading, and turning the slices of some ranks into those of others."""
