"""Reductions, order statistics, histograms, sums over segments."""
