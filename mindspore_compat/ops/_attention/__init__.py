"""Attention operators: multi-head, flash, sparse and paged attention, and those for inference."""
