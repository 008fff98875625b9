"""Functions of tuples, lists, dicts and shapes that older scripts call as `F.tuple_setitem`."""

import math

from ..._core.declare.public_api import build, public
from ..._core.tensor.dtype import bool_
from ..._core.tensor.tensor import Tensor


@public("ops.tuple_setitem")
def tuple_setitem(data, index, value):
    """Returns a tuple with one item replaced.

    Args:
        data (tuple): the tuple.
        index (int): the position.
        value (Any): the new item.

    Returns:
        tuple.

    Example:
        >>> ms.ops.tuple_setitem((1, 2, 3), 1, 9)
        (1, 9, 3)

    Source: mindspore.ops.functional.tuple_setitem of MindSpore 2.10.
    """
    items = list(data)
    items[index] = value
    return tuple(items)


@public("ops.list_setitem")
def list_setitem(data, index, value):
    """Returns a list with one item replaced; `data` itself is unchanged.

    Args:
        data (list): the list.
        index (int): the position.
        value (Any): the new item.

    Returns:
        list.

    Example:
        >>> ms.ops.list_setitem([1, 2, 3], 1, 9)
        [1, 9, 3]

    Source: mindspore.ops.functional.list_setitem of MindSpore 2.10.
    """
    return list(tuple_setitem(data, index, value))


@public("ops.dict_setitem")
def dict_setitem(data, key, value):
    """Returns a dict with one item added or replaced; `data` itself is unchanged.

    Args:
        data (dict): the dict.
        key (Any): the key.
        value (Any): the new value.

    Returns:
        dict.

    Example:
        >>> ms.ops.dict_setitem({"a": 1}, "b", 2)
        {'a': 1, 'b': 2}

    Source: mindspore.ops.functional.dict_setitem of MindSpore 2.10.
    """
    return {**data, key: value}


@public("ops.make_dict")
def make_dict(keys, values):
    """Makes a dict of a tuple of keys and a tuple of values.

    Args:
        keys (tuple): the keys.
        values (tuple): as many values.

    Returns:
        dict.

    Example:
        >>> ms.ops.make_dict(("a", "b"), (1, 2))
        {'a': 1, 'b': 2}

    Source: mindspore.ops.functional.make_dict of MindSpore 2.10.
    """
    return dict(zip(keys, values, strict=True))


@public("ops.tuple_div")
def tuple_div(x, y):
    """Divides two tuples of integers, item by item.

    Args:
        x (tuple[int]): the dividends.
        y (tuple[int]): as many divisors.

    Returns:
        tuple[int].

    Raises:
        ValueError: if a division has a remainder, or the tuples have different lengths.

    Example:
        >>> ms.ops.tuple_div((6, 8), (2, 4))
        (3, 2)

    Source: mindspore.ops.functional.tuple_div of MindSpore 2.10.
    """
    if len(x) != len(y) or any(a % b for a, b in zip(x, y)):
        raise ValueError(
            f"For 'tuple_div', 'x' must be a multiple of 'y', item by item, but got {x} and {y}."
        )
    return tuple(a // b for a, b in zip(x, y))


@public("ops.reduced_shape")
def reduced_shape(shape, axis):
    """Returns a shape with length 1 along the given axes; along all axes if none is given.

    Args:
        shape (tuple[int]): a shape.
        axis (Union[int, tuple[int]]): the axes.

    Returns:
        tuple[int].

    Example:
        >>> ms.ops.reduced_shape((2, 3, 4), (1,))
        (2, 1, 4)

    Source: mindspore.ops.functional.reduced_shape of MindSpore 2.10.
    """
    axes = (axis,) if isinstance(axis, int) else tuple(axis) or range(len(shape))
    kept_axes = {number % len(shape) for number in axes}
    return tuple(1 if index in kept_axes else length for index, length in enumerate(shape))


@public("ops.broadcast_gradient_args")
def broadcast_gradient_args(x_shape, y_shape):
    """Returns the axes along which each of two shapes is broadcast to the other.

    Example:
        >>> ms.ops.broadcast_gradient_args((2, 3), (1, 3))
        ((), (0,))

    Source: mindspore.ops.functional.broadcast_gradient_args of MindSpore 2.10.
    """
    rank = max(len(x_shape), len(y_shape))
    x, y = ((1,) * (rank - len(shape)) + tuple(shape) for shape in (x_shape, y_shape))
    missing = rank - len(x_shape), rank - len(y_shape)

    def axes(sizes, other_sizes, lacking):
        return tuple(
            index
            for index in range(rank)
            if index < lacking or sizes[index] == 1 != other_sizes[index]
        )

    return axes(x, y, missing[0]), axes(y, x, missing[1])


@public("ops.switch")
def switch(cond, true_branch, false_branch):
    """Selects one of two values by a bool or a bool Tensor of one element.

    Args:
        cond (Union[bool, Tensor]): the condition.
        true_branch (Any): the value if it is true.
        false_branch (Any): the value if it is false.

    Returns:
        One of the values.

    Example:
        >>> ms.ops.switch(True, 1, 2)
        1

    Source: mindspore.ops.functional.switch of MindSpore 2.10.
    """
    return true_branch if bool(cond) else false_branch


@public("ops.switch_layer")
def switch_layer(index, layers):
    """Selects a layer from a tuple by an int or a Tensor of one int.

    Args:
        index (Union[int, Tensor]): the position.
        layers (tuple): the layers.

    Returns:
        One of the layers.

    Example:
        >>> branch = ms.ops.switch_layer(1, (ms.ops.relu, ms.ops.neg))
        >>> print(branch(ms.Tensor([1.0])))
        [-1.]

    Source: mindspore.ops.functional.switch_layer of MindSpore 2.10.
    """
    return layers[int(index)]


@public("ops.is_tensor_bool_cond")
def is_tensor_bool_cond(cond):
    """Returns whether a value is a bool Tensor of one element.

    Args:
        cond (Any): any object.

    Returns:
        bool.

    Example:
        >>> ms.ops.is_tensor_bool_cond(ms.Tensor(True))
        True

    Source: mindspore.ops.functional.is_tensor_bool_cond of MindSpore 2.10.
    """
    return isinstance(cond, Tensor) and cond.dtype == bool_ and math.prod(cond.shape) == 1


@public("ops.tensor_range")
def tensor_range(start, limit, delta):
    """Returns the numbers from `start` to before `limit` in steps of `delta`, all Tensors of one
    number.

    Example:
        >>> print(ms.ops.tensor_range(ms.Tensor(0), ms.Tensor(6), ms.Tensor(2)))
        [0 2 4]

    Source: mindspore.ops.functional.tensor_range of MindSpore 2.10.
    """
    return build("ops", "range")(start, limit, delta)
