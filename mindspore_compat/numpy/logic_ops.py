"""mindspore.numpy: comparison, logic, tests of numbers, promotion of dtypes."""

import numpy

from .._core.declare.public_api import build
from .._core.rules.checked import checked
from .._core.rules.vocabulary import Bool, DType, Int, Number
from .._core.tensor import dtype as dtypes
from .._core.tensor.promotion import promote_np
from .._core.tensor.tensor import Tensor
from ..ops._elementwise import comparison
from ..ops._reduction import reduce
from . import _pointwise
from ._choosing import common_shape
from ._convert import as_tensor, axes_of, need_tensor, new_dtype
from ._pointwise import laid_out

__all__ = [
    "array_equal",
    "array_equiv",
    "isclose",
    "isneginf",
    "isposinf",
    "isscalar",
    "promote_types",
    "result_type",
    "signbit",
    "sometrue",
]
_functions = _pointwise.functions(_pointwise.TESTS, _pointwise.COMPARISONS)
__all__ += _functions
globals().update(_functions)


@checked
def isclose(
    a, b, rtol: Number | Bool = 1e-05, atol: Number | Bool = 1e-08, equal_nan: Bool = False
):
    """Tests whether elements are close: |a - b| <= atol + rtol |b|.

    Args:
        a, b (Union[Tensor, number, list, tuple]): values of one dtype.
        rtol, atol (number): the relative and the absolute tolerance.
        equal_nan (bool): whether NaN is close to NaN.

    Raises:
        TypeError: if an argument has the wrong type, or the dtypes differ.
        ValueError: if the shapes do not fit.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.isclose(ms.Tensor([1.0, 2.0]), ms.Tensor([1.0, 2.1])))
        [ True False]

    Source: mindspore.numpy.isclose of MindSpore 2.10.
    """
    first, second = as_tensor(a, "isclose"), as_tensor(b, "isclose")
    common_shape([first.shape, second.shape], "isclose")
    if first.dtype != second.dtype:
        raise TypeError(
            f"For 'isclose', the inputs must have one dtype, but got {first.dtype} and "
            f"{second.dtype}."
        )
    return comparison.isclose.run(first, second, float(rtol), float(atol), equal_nan)


def isneginf(x):
    """Tests the elements of a Tensor for negative infinity.

    Args:
        x (Tensor): real numbers or bools.

    Raises:
        TypeError: if `x` is not a Tensor.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.isneginf(ms.Tensor([1.0, -np.inf])))
        [False  True]

    Source: mindspore.numpy.isneginf of MindSpore 2.10.
    """
    return build("ops", "isneginf")(laid_out(need_tensor(x, "isneginf"), "small real", "isneginf"))


def isposinf(x):
    """Tests the elements of a Tensor for positive infinity.

    Args:
        x (Tensor): real numbers or bools.

    Raises:
        TypeError: if `x` is not a Tensor.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.isposinf(ms.Tensor([1.0, np.inf])))
        [False  True]

    Source: mindspore.numpy.isposinf of MindSpore 2.10.
    """
    return build("ops", "isposinf")(laid_out(need_tensor(x, "isposinf"), "small real", "isposinf"))


@checked
def signbit(x, dtype: DType("bool") = None):
    """Tests whether elements are negative (False for -0.0).

    Args:
        x (Union[Tensor, number, list, tuple]): real numbers or bools.
        dtype (mindspore.dtype): None or bool, the dtype of the result.

    Raises:
        TypeError: if `x` is not array-like and real, or `dtype` is not bool.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.signbit(ms.Tensor([-1.0, 1.0])))
        [ True False]

    Source: mindspore.numpy.signbit of MindSpore 2.10.
    """
    return laid_out(as_tensor(x, "signbit"), "small real", "signbit") < 0


@checked
def sometrue(a, axis=None, keepdims: Int | Bool = False):
    """Tests whether any element over the given axes is true.

    Args:
        a (Union[Tensor, number, list, tuple]): the values; all except 0 are true.
        axis (Union[int, tuple[int]]): the axes to reduce. Default: None, all of them.
        keepdims (bool): whether reduced axes stay with length 1. Default: False.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if an axis is out of range.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.sometrue(ms.Tensor([False, True])))
        True

    Source: mindspore.numpy.sometrue of MindSpore 2.10.
    """
    a = as_tensor(a, "sometrue")
    if isinstance(axis, list):
        raise TypeError(
            f"For 'sometrue', 'axis' must be an int or a tuple of ints, but got {axis}."
        )
    axes = axes_of(axis, a.ndim, "sometrue")
    if axis is not None and not axes:
        raise ValueError(f"For 'sometrue', 'axis' must name an axis of the input, but got {axis}.")
    return reduce.any.run(a, axes or None, bool(keepdims))


def isscalar(element):
    """Returns True for a real number or a string, of Python or NumPy.

    Args:
        element (Any): the value to test.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.isscalar(1.5))
        True

    Source: mindspore.numpy.isscalar of MindSpore 2.10.
    """
    return isinstance(element, (int, float, str, numpy.number, numpy.bool_))


def _operand(value, api):
    """Converts a value to be compared; returns None for nested lists that do not consist of
    numbers."""
    try:
        return as_tensor(value, api)
    except TypeError:
        if not isinstance(value, (list, tuple)):
            raise
        return None


@checked
def array_equal(a1, a2, equal_nan: Bool = False):
    """Tests whether the shapes and all elements of two arrays are equal; returns a bool Tensor.

    Args:
        a1, a2 (Union[Tensor, number, list, tuple]): the arrays.
        equal_nan (bool): whether NaN equals NaN. Default: False.

    Raises:
        TypeError: if an argument has the wrong type.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.array_equal(ms.Tensor([1, 2]), ms.Tensor([1, 2])))
        True

    Source: mindspore.numpy.array_equal of MindSpore 2.10.
    """
    first, second = _operand(a1, "array_equal"), _operand(a2, "array_equal")
    if first is None or second is None or first.shape != second.shape:
        return Tensor(False)
    is_equal = first == second
    if equal_nan:
        is_equal = is_equal | ((first != first) & (second != second))
    return is_equal.all()


def array_equiv(a1, a2):
    """Tests whether two arrays broadcast and all elements are equal; returns a bool Tensor.

    Args:
        a1, a2 (Union[Tensor, number, list, tuple]): the arrays.

    Raises:
        TypeError: if an argument has the wrong type.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.array_equiv(ms.Tensor([1, 1]), ms.Tensor([1])))
        True

    Source: mindspore.numpy.array_equiv of MindSpore 2.10.
    """
    first, second = _operand(a1, "array_equiv"), _operand(a2, "array_equiv")
    if first is None or second is None:
        return Tensor(False)
    try:
        return (first == second).all()
    except ValueError:
        return Tensor(False)


def _promote(first, second):
    """Returns the promoted dtype of two dtypes: for ints, NumPy's; for a float with an int, the
    dtype of the float.
    """
    kinds = numpy.dtype(dtypes.to_numpy(first)), numpy.dtype(dtypes.to_numpy(second))
    if all(kind.kind in "biu" for kind in kinds):
        return dtypes.from_numpy(numpy.result_type(*kinds))
    if "f" in (kinds[0].kind, kinds[1].kind) and any(kind.kind in "biu" for kind in kinds):
        return first if kinds[0].kind not in "biu" else second
    if kinds[0] != kinds[1] and "c" in (kinds[0].kind, kinds[1].kind):
        raise TypeError(
            f"For 'result_type', a complex dtype is promoted with itself only, but got {first} and "
            f"{second}."
        )
    return dtypes.from_numpy(promote_np(*kinds))


def promote_types(type1, type2):
    """Returns the promoted dtype of two dtypes.

    Args:
        type1, type2 (Union[mindspore.dtype, type, str]): dtypes of real numbers, or their names.

    Raises:
        TypeError: if an argument is not one of these.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.promote_types(ms.int32, ms.float32))
        Float32

    Source: mindspore.numpy.promote_types of MindSpore 2.10.
    """
    return _promote(new_dtype(type1, "promote_types"), new_dtype(type2, "promote_types"))


def result_type(*arrays_and_dtypes):
    """Returns the dtype to which Tensors, numbers, dtypes and names of dtypes are promoted.

    Args:
        *arrays_and_dtypes (Union[Tensor, number, mindspore.dtype, str]): the operands.

    Raises:
        TypeError: if an argument is not one of these.
        ValueError: if there are no arguments.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.result_type(ms.Tensor([1, 2], ms.int32), ms.float32))
        Float32

    Source: mindspore.numpy.result_type of MindSpore 2.10.
    """
    if not arrays_and_dtypes:
        raise ValueError("For 'result_type', there must be at least one argument.")
    result = None
    for argument in arrays_and_dtypes:
        kind = _dtype_of(argument)
        result = kind if result is None else _promote(result, kind)
    return result


def _dtype_of(value):
    if isinstance(value, Tensor):
        return value.dtype
    if isinstance(value, (bool, int, float)):
        return as_tensor(value, "result_type").dtype
    if isinstance(value, dtypes.Type):
        return value
    if isinstance(value, str):
        try:
            return dtypes.from_numpy(numpy.dtype(value.lower()))
        except TypeError:
            pass
    raise TypeError(
        f"For 'result_type', an argument must be a Tensor, number, dtype or the name "
        f"of one, but got {value!r} of type {type(value).__name__}."
    )
