"""Functions of `xp` for large arrays of the host that are slow in NumPy."""
