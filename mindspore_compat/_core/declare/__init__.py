"""Operator declarations, and the public functions, classes and methods generated from them."""
