"""Reductions, order statistics, histograms, and segment sums."""
