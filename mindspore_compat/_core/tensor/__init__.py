"""Tensor, dtypes, type promotion, printing and dynamic shapes."""
