"""Conversion between Python types and MindSpore types."""

import functools
import inspect

import numpy as np

from .dtype import (
    TensorType,
    Type,
    bool_,
    complex128,
    complex_type,
    dtype_to_nptype,
    float64,
    float_,
    float_type,
    function,
    int64,
    int_,
    int_type,
    list_,
    string,
    tuple_,
    type_none,
    type_type,
    uint_type,
)


def dtype_to_pytype(type_):
    """Returns the Python type of a MindSpore type: `float` for `mindspore.float16`.

    Args:
        type_ (mindspore.dtype): the dtype.

    Returns:
        type: a Python type.

    Raises:
        KeyError: if there is no such Python type.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.dtype_to_pytype(ms.int32).__name__)
        int

    Source: mindspore.dtype_to_pytype of MindSpore 2.10.
    """
    return _to_python()[type_]


@functools.cache
def _to_python() -> dict:
    kinds = (
        (complex, complex_type),
        (float, (*float_type[:4], float_)),
        (int, (*int_type, *uint_type, int_)),
        (bool, (bool_,)),
    )
    singletons = {string: str, list_: list, tuple_: tuple, type_none: type(None)}
    return {member: kind for kind, members in kinds for member in members} | singletons


@functools.cache
def _from_python() -> dict:
    plain = {
        list: list_,
        tuple: tuple_,
        type(None): type_none,
        bool: bool_,
        int: int64,
        float: float64,
        complex: complex128,
        str: string,
        np.bool_: bool_,
        np.str_: string,
    }
    return plain | {
        dtype_to_nptype(dtype): dtype for dtype in int_type + uint_type + float_type[:3]
    }


def pytype_to_dtype(obj):
    """Returns the MindSpore type of a Python or NumPy type: `mindspore.int64` for `int`.

    Args:
        obj (type): a type of Python or NumPy.

    Returns:
        mindspore.dtype.

    Raises:
        TypeError: if `obj` is not a type.
        NotImplementedError: if MindSpore has no type for it.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.pytype_to_dtype(int))
        Int64

    Source: mindspore.pytype_to_dtype of MindSpore 2.10.
    """
    if isinstance(obj, np.dtype):
        obj = obj.type
    if isinstance(obj, Type):
        return obj
    if not isinstance(obj, type):
        raise TypeError(
            f"For 'pytype_to_dtype', 'obj' must be a type such as int, float or str, "
            f"but got {obj!r} of type {type(obj).__name__}."
        )
    if obj not in _from_python():
        raise NotImplementedError(
            f"For 'pytype_to_dtype', 'obj' must be a type that has a dtype, but got {obj}."
        )
    return _from_python()[obj]


def get_py_obj_dtype(obj):
    """Returns the MindSpore type of a Python object: `mindspore.int64` for 1, `tensor[float32]`
    for a float32 Tensor, `type_type` for a dtype.

    Args:
        obj (Any): a Python object or a Tensor.

    Returns:
        mindspore.dtype, or another MindSpore type.

    Raises:
        NotImplementedError: if MindSpore has no type for it.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.get_py_obj_dtype(1.5))
        Float64

    Source: mindspore.get_py_obj_dtype of MindSpore 2.10.
    """
    if isinstance(obj, Type):
        return type_type
    if isinstance(obj, type):
        return pytype_to_dtype(obj)
    if inspect.isfunction(obj):
        return function
    if isinstance(getattr(obj, "dtype", None), Type):
        return TensorType(obj.dtype)
    return pytype_to_dtype(type(obj))
