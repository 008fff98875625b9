"""Tests of the simulated CUDA itself; each compares CuPy with NumPy, SciPy or a GPU's errors."""
