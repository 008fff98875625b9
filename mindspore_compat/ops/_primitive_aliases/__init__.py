"""Primitives that say again, under the original's internal paths, what an op says."""
