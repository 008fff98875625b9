"""Layers of pooling: what they share, averages, largest values."""
