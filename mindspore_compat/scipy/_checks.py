"""The checks that the functions of this package share: Tensors, dtypes, matrices, switches."""

from .._core.rules.vocabulary import Bool, InstanceOf
from .._core.tensor import dtype as dtypes
from .._core.tensor.tensor import Tensor
from ..ops import cast

_ATensor = InstanceOf(Tensor)

FLOATS = (dtypes.float32, dtypes.float64)
REALS = (dtypes.int32, dtypes.int64, *FLOATS)


def tensor(api, name, value, kinds=REALS):
    """The Tensor, of float64 where it holds ints.

    Raises:
        TypeError: if it is not a Tensor, or of another dtype.
    """
    _ATensor.refuse(api, name, value)
    if value.dtype not in kinds:
        raise TypeError(
            f"For '{api}', '{name}' must have one of the dtypes "
            f"{', '.join(map(str, kinds))}, but got {value.dtype}."
        )
    return cast(value, dtypes.float64) if value.dtype in REALS[:2] else value


def matrix(api, name, value, kinds=REALS, square=True):
    """The Tensor, a matrix.

    Raises:
        TypeError: if it is not a Tensor, or of another dtype.
        ValueError: if it has another number of axes than 2, or must be square and is not.
    """
    value = tensor(api, name, value, kinds)
    if value.ndim != 2 or square and value.shape[0] != value.shape[1]:
        raise ValueError(
            f"For '{api}', '{name}' must be a {'square ' * square}matrix, but got "
            f"shape {value.shape}."
        )
    return value


def switches(api, **values):
    """Refuses a value that is not a bool.

    Raises:
        TypeError: for the first such value.
    """
    for name, value in values.items():
        Bool.refuse(api, name, value)
