"""MindSpore's Python API on NumPy and CuPy: the top window."""

__version__ = "2.10.0"
__compat_version__ = "0.1.0"
