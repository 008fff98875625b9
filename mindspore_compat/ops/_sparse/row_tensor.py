"""RowTensors: construction, components, and sums."""

from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import InstanceOf
from ...common.sparse_tensor import RowTensor
from .._shape.join_split import cat

_RowTensor = InstanceOf(RowTensor)


@public("ops.make_row_tensor", "ops.make_row_tensor_inner")
def make_row_tensor(indices, values, dense_shape):
    """Builds a `RowTensor` from slices `values` at `indices` of the first axis; it raises the same
    errors as RowTensor.

    Args:
        indices (Tensor): the position of each slice.
        values (Tensor): the slices.
        dense_shape (tuple[int]): the shape.

    Returns:
        RowTensor.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.make_row_tensor(ms.Tensor([0]), ms.Tensor([[5.0]]), (2, 1)).values)
        [[5.]]

    Source: mindspore.ops.make_row_tensor of MindSpore 2.10.
    """
    return RowTensor(indices, values, dense_shape)


def _need_rows(api, x):
    if not isinstance(x, RowTensor):
        _RowTensor.refuse(api, "x", x)
    return x


@public("ops.row_tensor_get_indices")
def row_tensor_get_indices(x):
    """Returns the indices of the slices of a RowTensor; raises a TypeError for anything else.

    Args:
        x (RowTensor): the input.

    Returns:
        Tensor.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.row_tensor_get_indices(ms.RowTensor(ms.Tensor([0]), ms.Tensor([[5.0]]),
        ...         (2, 1))))
        [0]
    """
    return _need_rows("row_tensor_get_indices", x).indices


@public("ops.row_tensor_get_values")
def row_tensor_get_values(x):
    """Returns the slices of a RowTensor; raises a TypeError for anything else.

    Args:
        x (RowTensor): the input.

    Returns:
        Tensor.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.row_tensor_get_values(ms.RowTensor(ms.Tensor([0]), ms.Tensor([[5.0]]),
        ...         (2, 1))))
        [[5.]]
    """
    return _need_rows("row_tensor_get_values", x).values


@public("ops.row_tensor_get_dense_shape")
def row_tensor_get_dense_shape(x):
    """Returns the dense shape of a RowTensor; raises a TypeError for anything else.

    Args:
        x (RowTensor): the input.

    Returns:
        tuple[int].

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.row_tensor_get_dense_shape(ms.RowTensor(ms.Tensor([0]), ms.Tensor([[5.0]]),
        ...         (2, 1))))
        (2, 1)
    """
    return _need_rows("row_tensor_get_dense_shape", x).dense_shape


@public("ops.row_tensor_add")
def row_tensor_add(x, y):
    """Adds two RowTensors of one shape; the result has the slices of both.

    Args:
        x (RowTensor): the first summand.
        y (RowTensor): the second summand.

    Returns:
        RowTensor.

    Raises:
        TypeError: if an input is not a RowTensor.
        ValueError: if the dense shapes differ.

    Example:
        >>> make = lambda row, value: ms.RowTensor(ms.Tensor([row]), ms.Tensor([[value]]), (3, 1))
        >>> both = ms.ops.row_tensor_add(make(0, 1.0), make(2, 5.0))
        >>> print(both.indices, both.values.flatten())
        [0 2] [1. 5.]
    """
    _need_rows("row_tensor_add", x)
    _need_rows("row_tensor_add", y)
    if tuple(x.dense_shape) != tuple(y.dense_shape):
        raise ValueError(
            f"For 'row_tensor_add', 'x' and 'y' must have one dense shape, but got "
            f"{x.dense_shape} and {y.dense_shape}."
        )
    return RowTensor(
        cat.run([x.indices, y.indices], 0), cat.run([x.values, y.values], 0), x.dense_shape
    )
