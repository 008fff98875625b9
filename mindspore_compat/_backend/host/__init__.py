"""Functions of `xp` for large arrays of the host, where NumPy's own are slow."""
