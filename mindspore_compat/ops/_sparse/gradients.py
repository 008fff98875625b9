"""Gradients of sparse operations and of segment sums."""

from ..._core.declare.op import op
from ..._core.rules.vocabulary import Any, TensorOf
from .._rules import Floats, Index

_Count = TensorOf("int32", "int64").called("a Tensor of int32 or int64")


def _segments(line, scale, printed):
    """Declares the gradient of a segment sum of rows that is divided by a power of their number."""
    name = line.partition("(")[0].rpartition(".")[2]

    def back(xp, x: Floats, indices: Index, segment_ids: Index, output_dim0: Any):
        rows = _count_of(name, output_dim0)
        _need_segments(xp, name, x, indices, segment_ids, rows)
        counts = xp.scatter_add(
            xp.zeros(x.shape[:1], x.dtype), (segment_ids,), xp.ones(segment_ids.shape, x.dtype)
        )
        shape = (-1,) + (1,) * (x.ndim - 1)
        share = x / xp.reshape(xp.maximum(counts, 1) ** scale, shape) if scale else x
        result = xp.zeros((rows, *x.shape[1:]), x.dtype)
        return xp.scatter_add(result, (indices,), share[segment_ids])

    back.__doc__ = f"""Hands the gradient of each segment to the rows that `ops.{name[:-4]}` sums.

    Shapes:
        `x` is (segments, ...), `indices` and `segment_ids` are (K,), `output_dim0` is a scalar. The
        result is (output_dim0, ...), of the dtype of `x`.

    Example:
        >>> from mindspore_compat.ops.operations import _grad_ops
        >>> rows, segments = ms.Tensor([0, 2], ms.int32), ms.Tensor([0, 0], ms.int32)
        >>> print(_grad_ops.{name}()(ms.Tensor([4.0]), rows, segments, ms.Tensor(3, ms.int32)))
        {printed}
    """
    op(line)(back)


def _count_of(api, value):
    _Count.refuse(api, "output_dim0", value)
    if value.ndim:
        raise ValueError(f"For '{api}', 'output_dim0' must have no axes, but got {value.shape}.")
    return int(value.asnumpy())


def _need_segments(xp, api, x, indices, segment_ids, rows):
    if x.ndim < 1 or indices.ndim != 1 or tuple(indices.shape) != tuple(segment_ids.shape):
        raise ValueError(
            f"For '{api}', 'indices' and 'segment_ids' must have one axis and the same length, but "
            f"got {tuple(indices.shape)} and {tuple(segment_ids.shape)}."
        )
    if not indices.shape[0]:
        return
    falls = xp.any(segment_ids[1:] < segment_ids[:-1])
    ends = [(indices < 0) | (indices >= rows), (segment_ids < 0) | (segment_ids >= x.shape[0])]
    falls, *beyond = xp.stack([falls, *(xp.any(part) for part in ends)]).tolist()
    if falls:
        raise ValueError(f"For '{api}', 'segment_ids' must be sorted.")
    for name, most, refused in zip(
        ("indices", "segment_ids"), (rows, x.shape[0]), beyond, strict=True
    ):
        if refused:
            raise ValueError(f"For '{api}', '{name}' must be in [0, {most}).")


_GIVEN = "(x, indices, segment_ids, output_dim0)"


_segments("ops.operations._grad_ops.SparseSegmentMeanGrad()" + _GIVEN, 1, "[2. 0. 2.]")
_segments(
    "ops.operations._grad_ops.SparseSegmentSqrtNGrad()" + _GIVEN,
    0.5,
    "[2.828427 0.       2.828427]",
)
_segments(
    "ops.operations._grad_ops.SparseSegmentSumGrad()(grad: x, indices, segment_ids, output_dim0)",
    0,
    "[4. 0. 4.]",
)


@op(
    "ops.operations._grad_ops.SparseSliceGrad()(backprop_val_grad, indices, start, new_indices)",
    compute="native",
)
def sparse_slice_grad(
    xp,
    backprop_val_grad: TensorOf(),
    indices: TensorOf("int64"),
    start: TensorOf("int64"),
    new_indices: TensorOf("int64"),
):
    """Computes the gradient of `ops.SparseSlice` with respect to the values; it is 0 outside the
    slice.

    Args:
        backprop_val_grad: the gradient of the values in the slice, (M,).
        indices: the indices of the values of the matrix, sorted, (N, rank).
        start: the start of the slice, (rank,).
        new_indices: the indices of the values in the slice, sorted, (M, rank).

    Shapes:
        See the arguments; the result is (N,), of the dtype of `backprop_val_grad`.

    Raises:
        ValueError: if shapes do not fit.
        RuntimeError: if a value of the slice is not in the matrix.

    Example:
        >>> from mindspore_compat.ops.operations import _grad_ops
        >>> back = _grad_ops.SparseSliceGrad()
        >>> print(back(ms.Tensor([5.0]), ms.Tensor([[0, 0], [1, 1]]), ms.Tensor([1, 1]),
        ...            ms.Tensor([[0, 0]])))
        [0. 5.]
    """
    api, rank = "SparseSliceGrad", start.shape[0] if start.ndim == 1 else None
    shapes = tuple(indices.shape[1:]), tuple(new_indices.shape[1:])
    if shapes != ((rank,), (rank,)) or tuple(backprop_val_grad.shape) != new_indices.shape[:1]:
        raise ValueError(
            f"For '{api}', shapes must be (M,), (N, rank), (rank,) and (M, rank), but got "
            f"{tuple(backprop_val_grad.shape)}, {tuple(indices.shape)}, {tuple(start.shape)} and "
            f"{tuple(new_indices.shape)}."
        )
    is_match = xp.expand_dims(indices - start, 1) == xp.expand_dims(new_indices, 0)
    is_match = xp.all(is_match, 2)
    if not bool(xp.all(xp.any(is_match, 0))):
        raise RuntimeError(f"For '{api}', 'new_indices' must all be among 'indices', both sorted.")
    grads = xp.expand_dims(backprop_val_grad, 0)
    return xp.cast(
        xp.sum(xp.where(is_match, grads, xp.zeros_like(grads)), 1), backprop_val_grad.dtype
    )


@op("ops.operations._grad_ops.SparseFillEmptyRowsGrad()(reverse_index_map, grad_values)")
def fill_empty_rows_grad(xp, grad_values: Floats, reverse_index_map: Index):
    """Computes the gradients of `ops.SparseFillEmptyRows` with respect to the values and the
    default.

    Shapes:
        `grad_values` is (M,), `reverse_index_map` is (N,). The gradients are (N,) and ().

    Example:
        >>> from mindspore_compat.ops.operations import _grad_ops
        >>> values, rest = _grad_ops.SparseFillEmptyRowsGrad()(ms.Tensor([0, 2]),
        ...         ms.Tensor([1.0, 2.0, 3.0]))
        >>> print(values, rest)
        [1. 3.] 2.0
    """
    result = xp.take(grad_values, reverse_index_map, 0)
    return result, xp.sum(grad_values) - xp.sum(result)
