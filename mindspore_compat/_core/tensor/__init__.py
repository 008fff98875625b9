"""Tensor, its dtypes and their promotion, how it prints, and shapes that are not known yet."""
