"""`_check_same_type` and `_expand`, private names that scripts import from
`ops.function.math_func`."""

from ..._core.declare.public_api import build


def _check_same_type(dtype1, dtype2):
    """Returns whether two dtypes are the same."""
    return dtype1 == dtype2


def _expand(x, ndim):
    """Returns a Tensor with axes of length 1 in front, so that it has at least `ndim` axes."""
    return build("ops", "reshape")(x, (1,) * (ndim - x.ndim) + x.shape)
