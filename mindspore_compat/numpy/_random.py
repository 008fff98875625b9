"""mindspore.numpy: Tensors of random numbers; public through `array_creations`.
As in MindSpore, the global seed is also the seed of the operator."""

from .._backend.random import streams
from .._core.rules.checked import checked
from .._core.rules.vocabulary import Bool, Int
from .._core.tensor import dtype as dtypes
from .._core.tensor.dtype import float32, int32
from .._core.tensor.tensor import Tensor
from ..ops._random import distributions, uniform
from ._convert import shape_tuple

__all__ = ["rand", "randint", "randn"]


_FLOATS = {
    "float16": dtypes.float16,
    "float32": float32,
    "float": float32,
    "float64": dtypes.float64,
}
_INTS = {
    "int8": dtypes.int8,
    "int16": dtypes.int16,
    "int32": int32,
    "int64": dtypes.int64,
    "int": int32,
}


def _random_dtype(dtype, kinds, api):
    """Returns a MindSpore dtype of a kind, given the dtype or its name.

    Raises:
        ValueError: if it is not of that kind.
    """
    kind_dtype = kinds.get(dtype) if isinstance(dtype, str) else dtype
    if not isinstance(kind_dtype, dtypes.Type) or kind_dtype not in kinds.values():
        raise ValueError(
            f"For '{api}', 'dtype' must be one of {', '.join(kinds)}, but got {dtype!r}."
        )
    return kind_dtype


def _random_shape(shape, api):
    """Returns a shape from the arguments of `rand`: ints, or one int, tuple or list; (1,) without
    arguments."""
    if len(shape) == 1:
        shape = shape[0]
        if isinstance(shape, Tensor):
            raise TypeError(f"For '{api}', the shape must be an int, tuple or list of ints.")
    elif not shape:
        shape = (1,)
    return shape_tuple(shape, api)


def rand(*shape, dtype=float32):
    """Draws random numbers from the uniform distribution on [0, 1); a single number without a
    shape.

    Args:
        *shape (Union[int, tuple[int], list[int]]): the lengths, or one tuple or list of them.
        dtype (Union[mindspore.dtype, str]): float16, float32 or float64.

    Raises:
        TypeError: if the shape has the wrong type.
        ValueError: if a length is negative, or `dtype` is not one of these.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.rand(2, 3).shape)
        (2, 3)

    Source: mindspore.numpy.rand of MindSpore 2.10.
    """
    result_dtype = _random_dtype(dtype, _FLOATS, "rand")
    numbers = uniform.rand(*_random_shape(shape, "rand"), seed=streams.global_seed)
    return numbers.astype(result_dtype)


def randn(*shape, dtype=float32):
    """Draws random numbers from the standard normal distribution, with the arguments of `rand`.

    Raises:
        TypeError: if a size is not an int.
        ValueError: if a size is negative or `dtype` is not a float type.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.randn(2, 3).shape)
        (2, 3)

    Source: mindspore.numpy.randn of MindSpore 2.10.
    """
    result_dtype = _random_dtype(dtype, _FLOATS, "randn")
    numbers = distributions.randn(*_random_shape(shape, "randn"), seed=streams.global_seed)
    return numbers.astype(result_dtype)


@checked
def randint(minval: Int | Bool, maxval: Int | Bool = None, shape=None, dtype=int32):
    """Draws random integers in [minval, maxval), or in [0, minval) if `maxval` is None; one number
    by default.

    Args:
        minval (int): the smallest number.
        maxval (int): the upper bound, which is never drawn.
        shape (Union[int, tuple[int], list[int], Tensor]): the shape. Default: (1,).
        dtype (Union[mindspore.dtype, str]): int8, int16, int32 or int64.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if the range is empty, or `dtype` is not one of these.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.randint(5, shape=(2, 3)).shape)
        (2, 3)

    Source: mindspore.numpy.randint of MindSpore 2.10.
    """
    result_dtype = _random_dtype(dtype, _INTS, "randint")
    low, high = (0, minval) if maxval is None else (minval, maxval)
    if low >= high:
        raise ValueError(f"For 'randint', there must be a number in [{low}, {high}).")
    size = (1,) if shape is None else shape_tuple(shape, "randint")
    numbers = uniform.randint(int(low), int(high), size, streams.global_seed)
    return numbers.astype(result_dtype)
