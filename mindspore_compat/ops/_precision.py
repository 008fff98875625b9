"""The precision that operators compute in."""


def at_least_float32(xp, *arrays):
    """Casts arrays with elements of fewer than four bytes to float32, even where the library could
    compute with them; returns other arrays and None unchanged."""
    result = [a if a is None or a.dtype.itemsize >= 4 else xp.cast(a, "float32") for a in arrays]
    return result[0] if len(result) == 1 else result
