"""Pooling: maximum, average, adaptive, fractional, power-average, and max unpooling."""
