"""Pooling over windows: maximum, average, adaptive, fractional, and its inverse."""
