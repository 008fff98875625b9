"""Ops on Python numbers, sequences, dicts and strings, and on properties of Tensors."""

import math
import operator

from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import InstanceOf, checked
from ..._core.tensor import dtype as dtypes
from ..._core.tensor import python_types
from ...common.jit import building
from ...common.mutable import is_variable
from .._rules import Anything

_BoolOrIntOrFloat = InstanceOf(bool, int, float).called("a number")


_DIVISIONS = ("div", "floordiv", "mod")


def _of_scalars(path, function):
    name = path.removeprefix("ops.")

    def scalar(x, y):
        for label, value in (("x", x), ("y", y)):
            if not isinstance(value, (bool, int, float)):
                _BoolOrIntOrFloat.refuse(name, label, value)
        return function(x, y)

    scalar.__name__ = scalar.__qualname__ = name
    op_name = name.removeprefix("scalar_")
    errors = "\n        ValueError: if `y` is 0." if op_name in _DIVISIONS else ""
    scalar.__doc__ = f"""Computes Python's `{function.__name__}` of two numbers.

    Args:
        x (Union[int, float, bool]): a number.
        y (Union[int, float, bool]): a number.

    Returns:
        {"bool" if isinstance(function(6, 3), bool) else "The number that Python computes"}.

    Raises:
        TypeError: if `x` or `y` is not a number.{errors}

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.{name}(6, 3))
        {function(6, 3)}
    """
    public(path)(scalar)


_of_scalars("ops.scalar_add", operator.add)
_of_scalars("ops.scalar_sub", operator.sub)
_of_scalars("ops.scalar_mul", operator.mul)
_of_scalars("ops.scalar_div", operator.truediv)
_of_scalars("ops.scalar_floordiv", operator.floordiv)
_of_scalars("ops.scalar_mod", operator.mod)
_of_scalars("ops.scalar_pow", operator.pow)
_of_scalars("ops.scalar_eq", operator.eq)
_of_scalars("ops.scalar_ne", operator.ne)
_of_scalars("ops.scalar_lt", operator.lt)
_of_scalars("ops.scalar_le", operator.le)
_of_scalars("ops.scalar_gt", operator.gt)
_of_scalars("ops.scalar_ge", operator.ge)
_of_scalars("ops.scalar_max", max)
_of_scalars("ops.scalar_min", min)


@public("ops.scalar_log")
def scalar_log(x):
    """Computes the natural logarithm of a number.

    Args:
        x (Union[int, float]): the number.

    Returns:
        float.

    Raises:
        ValueError: if `x` is not positive.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.scalar_log(1.0))
        0.0
    """
    return math.log(x)


@public("ops.scalar_uadd")
def scalar_uadd(x):
    """Computes +x.

    Args:
        x (Union[int, float]): the number.

    Returns:
        The number, in the type of `x`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.scalar_uadd(2))
        2
    """
    return +x


@public("ops.scalar_usub")
def scalar_usub(x):
    """Computes -x.

    Args:
        x (Union[int, float]): the number.

    Returns:
        The number, in the type of `x`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.scalar_usub(2))
        -2
    """
    return -x


@public("ops.shape_")
def shape_(x):
    """Returns the shape of a Tensor as a tuple.

    Args:
        x (Tensor): the input.

    Returns:
        tuple[int].

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.shape_(ms.Tensor([[1, 2]])))
        (1, 2)
    """
    return x.shape


@public("ops.numel")
@checked
def numel(input: Anything):
    """Returns the number of elements of a Tensor.

    Args:
        input (Tensor): the input.

    Returns:
        int.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.numel(ms.Tensor([[1, 2]])))
        2
    """
    return input.size


@public("ops.isconstant")
def isconstant(x):
    """Returns whether a value is known when a graph is built: False for a variable within `jit`.

    Args:
        x (Any): any value.

    Returns:
        bool.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.isconstant(1))
        True
    """
    return not (building.depth and is_variable(x))


@public("ops.typeof")
def typeof(x):
    """Returns the MindSpore type of a Tensor or of a Python value.

    The type of a Tensor has the dtype of its elements, and the type of a list or tuple has the
    types of its items. A Python float is a Float32.

    Args:
        x (Any): a Tensor or a Python value.

    Returns:
        A MindSpore type.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.typeof(ms.Tensor([1.0])), ms.ops.typeof((1, 2.5)))
        Tensor[Float32] Tuple[Int64,Float32]
    """
    if isinstance(x, list | tuple):
        group = dtypes.List if isinstance(x, list) else dtypes.Tuple
        return group(map(typeof, x))
    return dtypes.float32 if type(x) is float else python_types.get_py_obj_dtype(x)


@public("ops.make_tuple")
def make_tuple(*items):
    """Returns the arguments as a tuple.

    Args:
        *items (Any): the items.

    Returns:
        The sequence.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.make_tuple(1, 2))
        (1, 2)
    """
    return items


@public("ops.make_list")
def make_list(*items):
    """Returns the arguments as a list.

    Args:
        *items (Any): the items.

    Returns:
        The sequence.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.make_list(1, 2))
        [1, 2]
    """
    return list(items)


@public("ops.tuple_getitem", "ops.list_getitem", "ops.dict_getitem")
def item_of(x, index):
    """Returns x[index].

    Args:
        x (Union[tuple, list, dict]): the container.
        index (Any): the index or key.

    Returns:
        The item.

    Raises:
        ValueError: if a sequence has no such index.
        KeyError: if a dict has no such key.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.dict_getitem({"a": 1}, "a"))
        1
    """
    return x[index]


@public("ops.tuple_reversed")
def tuple_reversed(x):
    """Returns a tuple in reverse order.

    Args:
        x (tuple): the tuple.

    Returns:
        tuple.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.tuple_reversed((1, 2)))
        (2, 1)
    """
    return tuple(reversed(x))


@public("ops.list_len")
def list_len(x):
    """Returns the length of a list.

    Args:
        x (Union[tuple, list]): the sequence.

    Returns:
        int.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.list_len([1, 2]))
        2
    """
    return len(x)


@public("ops.make_slice")
def make_slice(start, stop, step=None):
    """Returns slice(start, stop, step).

    Args:
        start (int): the first index.
        stop (int): the end.
        step (int): the distance. Default: None.

    Returns:
        slice.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.make_slice(0, 4, 2))
        slice(0, 4, 2)
    """
    return slice(start, stop, step)


@public("ops.bool_not")
def bool_not(x):
    """Computes not x.

    Args:
        x (Any): any value.

    Returns:
        bool.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.bool_not(True))
        False
    """
    return not x


@public("ops.bool_and")
def bool_and(x, y):
    """Returns whether both are true.

    Args:
        x (Any): the first value.
        y (Any): the second value.

    Returns:
        bool.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.bool_and(True, False))
        False
    """
    return bool(x) and bool(y)


@public("ops.bool_or")
def bool_or(x, y):
    """Returns whether at least one is true.

    Args:
        x (Any): the first value.
        y (Any): the second value.

    Returns:
        bool.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.bool_or(True, False))
        True
    """
    return bool(x) or bool(y)


@public("ops.bool_eq", "ops.string_eq", "ops.tuple_equal", "ops.list_equal")
def is_equal(x, y):
    """Returns whether x == y.

    Args:
        x (Any): the first value.
        y (Any): the second value.

    Returns:
        bool.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.bool_eq(True, True))
        True
    """
    return x == y


@public("ops.string_concat")
def string_concat(x, y):
    """Concatenates two strings.

    Args:
        x (str): the first string.
        y (str): the second string.

    Returns:
        str.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.string_concat("a", "b"))
        ab
    """
    return x + y


@public("ops.is_")
def is_same(x, y):
    """Returns whether x is y.

    Args:
        x (Any): the first value.
        y (Any): the second value.

    Returns:
        bool.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.is_(None, None))
        True
    """
    return x is y


@public("ops.is_not")
def is_not_same(x, y):
    """Returns whether x is not y.

    Args:
        x (Any): the first value.
        y (Any): the second value.

    Returns:
        bool.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.is_not(None, 1))
        True
    """
    return x is not y


@public("ops.in_dict")
def in_dict(key, x):
    """Returns whether a dict has a key.

    Args:
        key (Any): the key.
        x (dict): the dict.

    Returns:
        bool.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.in_dict("a", {"a": 1}))
        True
    """
    return key in x


@public("ops.not_in_dict")
def not_in_dict(key, x):
    """Returns whether a dict lacks a key.

    Args:
        key (Any): the key.
        x (dict): the dict.

    Returns:
        bool.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.not_in_dict("a", {"a": 1}))
        False
    """
    return key not in x
