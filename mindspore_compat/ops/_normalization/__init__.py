"""Batch, layer, group, instance and root-mean-square normalization."""
