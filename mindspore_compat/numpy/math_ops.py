"""mindspore.numpy: elementwise mathematics, products, sums and statistics.

Functions of one or two inputs come from the table in `_pointwise`, functions over axes from
`_statistics` and `_differences`; the other functions are defined here.
"""

from .._core.declare.public_api import build
from .._core.rules.checked import checked
from .._core.rules.vocabulary import Bool, DType, InstanceOf, Int
from .._core.tensor import dtype as dtypes
from .._core.tensor.promotion import promote_np
from .._core.tensor.tensor import Tensor
from ..ops._elementwise import arithmetic, division, rounding
from ..ops._elementwise import maximum as maximum_ops
from ..ops._elementwise.cast import cast
from . import _differences, _pointwise, _statistics
from ._choosing import common_shape
from ._convert import as_tensor, need_tensor, refuse_complex, with_dtype
from ._differences import *  # noqa: F403
from ._statistics import *  # noqa: F403

_Operand = InstanceOf(Tensor, int, float).called("Tensors or numbers")

__all__ = ["around", "clip", "copysign", "divmod", "fix", "round"]
__all__ += _statistics.__all__
__all__ += _differences.__all__
_functions = _pointwise.functions(_pointwise.UNARY, _pointwise.BINARY, _pointwise.ALIASES)
__all__ += _functions
globals().update(_functions)


def fix(x):
    """Rounds the elements of a Tensor toward zero: float32, or float16 for float16.

    Raises:
        TypeError: if `x` is not a Tensor.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.fix(ms.Tensor([1.7, -1.7])))
        [ 1. -1.]

    Source: mindspore.numpy.fix of MindSpore 2.10.
    """
    x = _pointwise.laid_out(need_tensor(x, "fix"), "single, half", "fix")
    return rounding.trunc.run(x)


@checked
def around(a, decimals: Int(ge=0) | Bool = 0):
    """Rounds to a number of decimal places, with ties to even, in the input's dtype.

    Args:
        a (Union[Tensor, int, float, list, tuple]): the values, floating, int32 or int64.
        decimals (int): the number of decimal places; not negative, as in MindSpore.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if `decimals` is negative.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.around(ms.Tensor([1.25, 2.75]), 1))
        [1.2 2.8]

    Source: mindspore.numpy.around of MindSpore 2.10.
    """
    a = as_tensor(a, "around")
    kind = a._array.dtype
    if kind.kind not in "fV" and kind not in ("int32", "int64"):
        raise TypeError(f"For 'around', 'a' must hold floats, int32 or int64, but got {a.dtype}.")
    return a if kind.kind == "i" else build("ops", "round")(a, decimals=int(decimals))


round = around


@checked
def copysign(x1, x2, dtype: DType = None):
    """Returns the magnitude of `x1` with the sign of `x2`, in the dtype of `x1`.

    Raises:
        TypeError: if an input is neither a Tensor, number, list nor tuple, or holds bools, or if
            `x2` is complex.
        ValueError: if the shapes do not fit.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.copysign(ms.Tensor([1.0, 2.0]), ms.Tensor([-1.0, 1.0])))
        [-1.  2.]

    Source: mindspore.numpy.copysign of MindSpore 2.10.
    """
    first, second = as_tensor(x1, "copysign"), as_tensor(x2, "copysign")
    refuse_complex("copysign", second)
    common_shape([first.shape, second.shape], "copysign")
    for tensor in (first, second):
        if tensor.dtype == dtypes.bool_:
            raise TypeError("For 'copysign', the inputs must not hold bools.")
    size = arithmetic.abs.run(first)
    result = build("ops", "where")(second < 0, -size, size)
    return with_dtype(cast.run(result, first._array.dtype), dtype, "copysign")


def divmod(x1, x2, dtype=None):
    """Computes (quotient rounded down, remainder) of Tensors or numbers.

    Next to a Tensor, a number keeps its dtype in the quotient; in the remainder it is an int32 or
    float32.

    Raises:
        TypeError: if an input is neither a Tensor nor a number, or complex.
        ValueError: if the shapes do not fit.

    Example:
        >>> import mindspore_compat as ms
        >>> print(*ms.numpy.divmod(ms.Tensor([7, 8]), ms.Tensor([2, 3])))
        [3 2] [1 2]

    Source: mindspore.numpy.divmod of MindSpore 2.10.
    """
    for value in (x1, x2):
        _Operand.refuse_part("divmod", "the inputs", value)
    dividend, divisor = as_tensor(x1, "divmod"), as_tensor(x2, "divmod")
    refuse_complex("divmod", dividend, divisor)
    common = promote_np(dividend._array.dtype, divisor._array.dtype)
    left = x1 if isinstance(x1, Tensor) or isinstance(x2, Tensor) else Tensor(x1)
    parts = left // x2, cast.run(division.floor_mod.run(dividend, divisor), common)
    return tuple(with_dtype(part, dtype, "divmod") for part in parts)


def clip(x, xmin, xmax, dtype=None):
    """Clips the elements to [xmin, xmax]; one bound may be None.

    Args:
        x (Union[Tensor, number, list, tuple]): the values.
        xmin (Union[Tensor, number, list, tuple, None]): the lower bound.
        xmax (Union[Tensor, number, list, tuple, None]): the upper bound.
        dtype (mindspore.dtype): without effect, as in MindSpore. The result has the dtype to which
            the inputs are promoted, ignoring a bound without axes.

    Raises:
        TypeError: if an argument is not one of these, or complex.
        ValueError: if both bounds are None.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.clip(ms.Tensor([1, 5, 9]), 2, 6))
        [2 5 6]

    Source: mindspore.numpy.clip of MindSpore 2.10.
    """
    if xmin is None and xmax is None:
        raise ValueError("For 'clip', 'xmin' and 'xmax' can not both be None.")
    result = as_tensor(x, "clip")
    refuse_complex("clip", result)
    for limit, op in ((xmin, maximum_ops.maximum), (xmax, maximum_ops.minimum)):
        if limit is not None:
            limit = as_tensor(limit, "clip")
            refuse_complex("clip", limit)
            result = op.run(*_pointwise.weak_scalars(result, limit))
    return result
