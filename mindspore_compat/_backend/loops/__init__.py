"""Compiled loops of array functions: products, sums, gathers, extremes, choices."""
