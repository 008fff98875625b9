"""Pooling layers: a common base, average pooling and max pooling."""
