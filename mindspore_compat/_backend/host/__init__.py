"""Functions of `xp` for large arrays on the host that are slow in NumPy."""
