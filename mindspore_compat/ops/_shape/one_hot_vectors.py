"""One-hot vectors of indices: small ones are compared with each position, large ones written. The
operators are in create.py."""


def is_position(xp, indices, depth, axis):
    """Returns True at each index along a new axis."""
    line = [1] * (indices.ndim + 1)
    line[axis] = depth
    positions = xp.arange(depth, dtype="int32" if indices.dtype == "uint8" else indices.dtype)
    return xp.expand_dims(indices, axis) == xp.reshape(positions, tuple(line))


def written(xp, indices, depth, on_value, off_value, axis):
    """Returns `off_value` along a new axis, with `on_value` written at each index within range."""
    index = xp.expand_dims(indices, axis)
    inside = xp.logical_and(index >= 0, index < depth)
    values = xp.where(inside, on_value, off_value)
    shape = (*indices.shape[:axis], depth, *indices.shape[axis:])
    off_values = xp.broadcast_to(off_value, shape)
    return xp.scatter_along_axis(off_values, xp.where(inside, index, 0), values, axis)
