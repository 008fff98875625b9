"""Arithmetic, comparison, special functions and casts, element by element."""
