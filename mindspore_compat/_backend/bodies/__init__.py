"""Kernels and host loops that are generated from the Python bodies of operators."""
