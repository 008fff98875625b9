"""Type promotion: the result dtype of an operation on several dtypes, as NumPy dtypes.

MindSpore's rule: complex takes precedence over float, float over integer, and integer over bool,
independent of their widths. Within a kind, the wider dtype wins. float16 with bfloat16 gives
float32, int8 with uint8 gives int16, float64 with complex64 gives complex128. Tensors of uint16,
uint32 and uint64 mix only with bool and with their own dtype; other combinations raise a TypeError.
A Python number never promotes within its kind: a float with integers gives float32, an int with
bool gives int64. In products and quotients, a 0-d Tensor does not promote within its kind either:
float16 gradients over a float32 scale stay float16. (Operators refuse a Python complex number, as
MindSpore does; a Tensor of one follows the rule. A quotient of a float and uint16 is accepted in
both.)
"""

import functools

import ml_dtypes
import numpy as np

BOOL, INT16, INT64, UINT8 = map(np.dtype, ("bool", "int16", "int64", "uint8"))
FLOAT32, FLOAT64, COMPLEX64, COMPLEX128 = map(
    np.dtype, ("float32", "float64", "complex64", "complex128")
)
BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
WORD = 1 << 63  # ints below fit int64

_BOOLS, _INTEGERS, _FLOATS, _COMPLEXES = range(4)
_ranks = {"b": _BOOLS, "i": _INTEGERS, "u": _INTEGERS, "f": _FLOATS, "c": _COMPLEXES}


class IntTooLarge(OverflowError, RuntimeError):
    """A Python int beside a Tensor that int64 cannot hold; MindSpore fails to convert it too."""

    @classmethod
    def of(cls, number):
        """Returns the error for a number."""
        return cls(f"an int that is computed with must fit in int64, but got {number}.")


def _rank(dtype: np.dtype) -> int | None:
    """Returns the rank of a dtype in the order of kinds; None for dtypes that never mix (text,
    float8)."""
    if dtype == BFLOAT16:
        return _FLOATS
    # NumPy's own dtypes are 1, or 0 after pickling; dtypes of other libraries, such as float8, are
    # 2
    return _ranks.get(dtype.kind) if dtype.isbuiltin != 2 else None


def _stays_apart(dtype: np.dtype) -> bool:
    return _rank(dtype) is None or (dtype.kind == "u" and dtype != UINT8)


def _cached(function):
    """Caches a function that returns a dtype. The result is NumPy's own object for the dtype, even
    if an argument is an unpickled dtype, which only equals it: call paths compare by identity."""

    @functools.cache
    @functools.wraps(function)
    def call(*args):
        result = function(*args)
        own = np.dtype(result.type)
        return own if own == result else result

    return call


@_cached
def promote_np(a: np.dtype, b: np.dtype) -> np.dtype:
    """Returns the dtype of a sum (product, maximum, ...) of Tensors of dtypes `a` and `b`.

    Raises:
        TypeError: if the two do not mix.
    """
    if a == b:
        return a
    if BOOL in (a, b) and None not in (_rank(a), _rank(b)):
        return a if b == BOOL else b
    if _stays_apart(a) or _stays_apart(b):
        raise TypeError(
            f"Tensors of dtype {a.name} and {b.name} have no common dtype; cast one of them first."
        )
    lower, upper = sorted((a, b), key=lambda dtype: (_rank(dtype), dtype.itemsize))
    if _rank(lower) != _rank(upper):
        return COMPLEX128 if upper == COMPLEX64 and lower == FLOAT64 else upper
    if lower.itemsize == upper.itemsize:
        return INT16 if _rank(lower) == _INTEGERS else FLOAT32
    return upper


def one_np(a: np.dtype, b: np.dtype) -> np.dtype:
    """Returns the common dtype of Tensors that must not mix, such as factors of a matrix product.

    Raises:
        TypeError: if the dtypes differ.
    """
    if a != b:
        raise TypeError(f"the Tensors must have one dtype, but got {a.name} and {b.name}")
    return a


@_cached
def product_np(a: np.dtype, b: np.dtype) -> np.dtype:
    """Returns the dtype to which the factors of a product are promoted. It is the result of
    `promote_np`, except that Tensors of bool and of uint16, uint32 or uint64 do not mix.

    Raises:
        TypeError: if the two do not mix.
    """
    if a != b and BOOL in (a, b) and (_stays_apart(a) or _stays_apart(b)):
        raise TypeError(
            f"Tensors of dtype {a.name} and {b.name} have no product; cast one of them first."
        )
    return promote_np(a, b)


@_cached
def quotient_np(a: np.dtype, b: np.dtype) -> np.dtype:
    """Returns the dtype that dividend and divisor are promoted to: `product_np`, except that a
    float with unsigned integers keeps its dtype. MindSpore divides unsigned integers by Python
    floats (pixels by 65535.0).

    Raises:
        TypeError: if the two do not mix.
    """
    if {a.kind, b.kind} == {"u", "f"}:
        return a if a.kind == "f" else b
    return product_np(a, b)


def as_number(value):
    """Converts `value` to a plain Python number; NumPy scalars and IntEnums lose their type."""
    if type(value) in (bool, int, float, complex):
        return value
    value = value.item() if isinstance(value, np.generic) else value
    return next(kind(value) for kind in (bool, int, float, complex) if isinstance(value, kind))


@_cached
def scalar_np(dtype: np.dtype, number: type) -> np.dtype:
    """Returns the dtype of a sum of a Tensor of `dtype` and a Python bool, int, float or complex.

    Raises:
        TypeError: if the two do not mix, such as text.
    """
    least = {bool: BOOL, int: INT64, float: FLOAT32, complex: COMPLEX64}[number]
    rank = _rank(dtype)
    if rank is None:
        raise TypeError(
            f"A Tensor of dtype {dtype.name} and a {number.__name__} have no common "
            f"dtype; cast the Tensor first."
        )
    if rank >= _rank(least):
        return dtype
    return COMPLEX128 if (dtype, number) == (FLOAT64, complex) else least


@_cached
def promote_weak_0d_np(own_dtype: np.dtype, common: np.dtype) -> np.dtype:
    """Returns the dtype of a product or quotient of a Tensor of dtype `own_dtype` and a 0-d Tensor,
    which does not promote within its kind. `common` is the promoted dtype of both."""
    return own_dtype if _rank(own_dtype) == _rank(common) else common


@_cached
def promote_low_precision_np(a: np.dtype, b: np.dtype) -> np.dtype:
    """Returns the dtype of two inputs that must have one dtype, except that float16 and float32
    mix.

    Raises:
        TypeError: if the dtypes are neither equal nor these two.
    """
    if a != b and {a.name, b.name} != {"float16", "float32"}:
        raise TypeError(
            f"Tensors of dtype {a.name} and {b.name} do not go together; cast one of them first."
        )
    return promote_np(a, b)


def promoted(xp, *arrays):
    """Casts arrays to the dtype to which Tensors of their dtypes are promoted; returns a list."""
    common = functools.reduce(promote_np, [array.dtype for array in arrays])
    return [xp.cast(array, common) for array in arrays]


def scaled(xp, number, array):
    """Returns a Python number times an array, in the dtype of a Tensor times such a number."""
    return number * xp.cast(array, scalar_np(array.dtype, type(as_number(number))))


def adds_up_as_int64(dtype: np.dtype) -> bool:
    """Returns True if sums and products over elements of this dtype are int64: for bools, signed
    integers and uint8."""
    return dtype.kind in "ib" or dtype == UINT8


def division_np(common: np.dtype) -> np.dtype:
    """Returns the dtype of a true division in which both sides have been promoted to `common`."""
    return FLOAT32 if common.kind in "biu" else common
