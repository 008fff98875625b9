"""Checks that the functions of this package share: Tensors, dtypes, matrices, flags."""

from .._core.rules.vocabulary import Bool, InstanceOf
from .._core.tensor import dtype as dtypes
from .._core.tensor.tensor import Tensor
from ..ops import cast

_ATensor = InstanceOf(Tensor)

FLOATS = (dtypes.float32, dtypes.float64)
REALS = (dtypes.int32, dtypes.int64, *FLOATS)


def tensor(api, name, value, kinds=REALS):
    """Returns the Tensor, converted to float64 if it holds ints.

    Raises:
        TypeError: if it is not a Tensor, or has another dtype.
    """
    _ATensor.refuse(api, name, value)
    if value.dtype not in kinds:
        raise TypeError(
            f"For '{api}', '{name}' must have one of the dtypes "
            f"{', '.join(map(str, kinds))}, but got {value.dtype}."
        )
    return cast(value, dtypes.float64) if value.dtype in REALS[:2] else value


def matrix(api, name, value, kinds=REALS, square=True, shape_first=False):
    """Returns the Tensor, after a check that it is a matrix; `shape_first` checks its shape before
    its dtype.

    Raises:
        TypeError: if it is not a Tensor, or has another dtype.
        ValueError: if it does not have 2 axes, or must be square and is not.
    """
    if shape_first:
        _ATensor.refuse(api, name, value)
    else:
        value = tensor(api, name, value, kinds)
    if value.ndim != 2 or square and value.shape[0] != value.shape[1]:
        raise ValueError(
            f"For '{api}', '{name}' must be a {'square ' * square}matrix, but got "
            f"shape {value.shape}."
        )
    return tensor(api, name, value, kinds) if shape_first else value


def switches(api, **values):
    """Rejects values that are not bools.

    Raises:
        TypeError: for the first such value.
    """
    for name, value in values.items():
        Bool.refuse(api, name, value)
