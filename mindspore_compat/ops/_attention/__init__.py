"""Attention: multi-head, flash, sparse, paged, and what inference runs on it."""
