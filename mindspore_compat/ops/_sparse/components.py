"""Sparse tensors given by their component arrays: construction, concatenation, slices, sums with
dense Tensors.

Conversions are in _sparse/conversion.py, products in _sparse/coo_csr.py. The primitives here take a
sparse tensor as three Tensors: indices, values and shape.
"""

from ..._backend.arrays import extremes
from ..._core.declare.inputs import SameDtype
from ..._core.declare.op import op, space_for
from ..._core.declare.public_api import public
from ..._core.declare.shapes_first import shapes_first
from ..._core.rules.vocabulary import (
    Any,
    InstanceOf,
    Int,
    ListOf,
    OneDtype,
    TensorOf,
    TupleOf,
    checked,
)
from ..._core.tensor.tensor import Tensor
from ...common.sparse_tensor import COOTensor, CSRTensor
from .._indexing.scatter import check_range, scatter_by
from .._rules import Anything, Index
from .._shape.join_split import cat
from ..primitive import Primitive

# Components


_PRINTED = {  # the output of the examples
    ("indices", COOTensor): "[[0 1]]",
    ("values", COOTensor): "[5.]",
    ("dense_shape", COOTensor): "(2, 2)",
    ("indptr", CSRTensor): "[0 1 1]",
    ("indices", CSRTensor): "[1]",
    ("values", CSRTensor): "[5.]",
    ("dense_shape", CSRTensor): "(2, 2)",
}


def _part(path, kind, attribute):
    name = path.removeprefix("ops.")

    def part(sparse):
        if not isinstance(sparse, kind):
            InstanceOf(kind).refuse_part(name, "the input", sparse)
        return getattr(sparse, attribute)

    part.__name__ = part.__qualname__ = name
    parts = "[[0, 1]]" if kind is COOTensor else "[0, 1, 1]), ms.Tensor([1]"
    example = _PRINTED[name.rpartition("get_")[2], kind]
    part.__doc__ = f"""Returns the {attribute} of a {kind.__name__}.

    Args:
        sparse ({kind.__name__}): the input.

    Returns:
        {"tuple[int]" if attribute == "shape" else "Tensor"}.

    Raises:
        TypeError: if `sparse` is not a {kind.__name__}.

    Example:
        >>> import mindspore_compat as ms
        >>> x = ms.{kind.__name__}(ms.Tensor({parts}), ms.Tensor([5.0]), (2, 2))
        >>> print(ms.{path}(x))
        {example}
    """
    public(path)(part)


_part("ops.coo_tensor_get_indices", COOTensor, "indices")
_part("ops.coo_tensor_get_values", COOTensor, "values")
_part("ops.coo_tensor_get_dense_shape", COOTensor, "shape")
_part("ops.csr_tensor_get_indptr", CSRTensor, "indptr")
_part("ops.csr_tensor_get_indices", CSRTensor, "indices")
_part("ops.csr_tensor_get_values", CSRTensor, "values")
_part("ops.csr_tensor_get_dense_shape", CSRTensor, "shape")


@public("ops.make_coo_tensor", "ops.make_sparse_tensor")
def make_coo_tensor(indices, values, dense_shape):
    """Builds a COOTensor from indices, values and a shape.

    Args:
        indices (Tensor): integers of shape (n, axes).
        values (Tensor): the values, of shape (n,).
        dense_shape (tuple[int]): the shape.

    Returns:
        COOTensor.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.make_coo_tensor(ms.Tensor([[0, 1]]), ms.Tensor([5.0]), (2, 2)).to_dense())
        [[0. 5.]
         [0. 0.]]
    """
    return COOTensor(indices, values, dense_shape)


@public("ops.make_csr_tensor")
def make_csr_tensor(indptr, indices, values, shape):
    """Builds a CSRTensor from row pointers, column indices, values and a shape.

    Args:
        indptr (Tensor): the row pointers.
        indices (Tensor): the column of each value.
        values (Tensor): the values.
        shape (tuple[int]): the shape.

    Returns:
        CSRTensor.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.make_csr_tensor(ms.Tensor([0, 1, 1]), ms.Tensor([1]), ms.Tensor([5.0]),
        ...                              (2, 2)).to_dense())
        [[0. 5.]
         [0. 0.]]
    """
    return CSRTensor(indptr, indices, values, shape)


@public("ops.csr_gather")
@checked
def csr_gather(indptr: Index, indices: Index, dense: Anything, sparse_shape: TupleOf(Int)):
    """Gathers the elements of a dense Tensor at the indices of a CSR matrix; differentiable.

    Args:
        indptr (Tensor): the row pointers.
        indices (Tensor): the column of each element.
        dense (Tensor): the dense Tensor, which broadcasts to the shape.
        sparse_shape (tuple[int]): the shape of the matrix.

    Raises:
        TypeError: if an argument has the wrong type.

    Example:
        >>> pointers, columns = ms.Tensor([0, 1, 2]), ms.Tensor([0, 1])
        >>> dense = ms.Tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> print(ms.ops.csr_gather(pointers, columns, dense, (2, 2)))
        [1. 4.]

    Source: mindspore.ops.csr_gather of MindSpore 2.10.
    """
    xp = space_for(indptr._array)
    counts = (indptr._array[1:] - indptr._array[:-1]).tolist()
    rows = Tensor._wrap(xp.repeat(xp.arange(len(counts)), counts))
    whole = dense if dense.shape == sparse_shape else dense.broadcast_to(sparse_shape)
    return whole[rows, indices]


@public("ops.coo_concat")
@checked
def coo_concat(sp_input: TupleOf(Any) | ListOf(Any), concat_dim: Int = 0):
    """Concatenates COOTensors with two axes along an axis; gradients reach their values.

    Args:
        sp_input (tuple[COOTensor]): two or more.
        concat_dim (int): the axis.

    Raises:
        TypeError: if an input is not a COOTensor.
        ValueError: if there is only one COOTensor, or the shapes do not fit.

    Example:
        >>> import mindspore_compat as ms
        >>> x = ms.COOTensor(ms.Tensor([[0, 1]]), ms.Tensor([5.0]), (2, 2))
        >>> print(ms.ops.coo_concat((x, x), 0).shape)
        (4, 2)

    Source: mindspore.ops.coo_concat of MindSpore 2.10.
    """
    for tensor in sp_input:
        InstanceOf(COOTensor).called("COOTensors").refuse_part(
            "coo_concat", "'sp_input'", tensor, verb="hold"
        )
    shapes = [tensor.shape for tensor in sp_input]
    if len(shapes) < 2 or any(len(shape) != 2 for shape in shapes) or not -2 <= concat_dim < 2:
        raise ValueError(
            f"For 'coo_concat', at least two COOTensors of two axes are needed and 'concat_dim' "
            f"in [-2, 2), but got shapes {shapes} and {concat_dim}."
        )
    axis = concat_dim % 2
    if len({shape[1 - axis] for shape in shapes}) > 1:
        raise ValueError(f"For 'coo_concat', the shapes must agree off the axis, but got {shapes}.")
    xp = space_for(sp_input[0].indices._array)
    positions, start = [], 0
    for tensor in sp_input:
        indices = xp.array(tensor.indices._array)
        indices[:, axis] += start
        positions.append(indices)
        start += tensor.shape[axis]
    positions = xp.concatenate(positions)
    whole = [start, start]
    whole[1 - axis] = shapes[0][1 - axis]
    order = xp.argsort(positions[:, 0].astype("int64") * whole[1] + positions[:, 1], kind="stable")
    values = cat.run([tensor.values for tensor in sp_input], 0)[Tensor._wrap(order)]
    return COOTensor(Tensor._wrap(positions[order]), values, tuple(whole))


# Primitives on the three components


@public("ops.Coalesce")
class Coalesce(Primitive):
    """Sorts the indices of a sparse tensor and sums the values at equal indices; returns (indices,
    values, shape).

    Inputs:
        - **x_indices** (Tensor): int64, one column per value.
        - **x_values** (Tensor): the values.
        - **x_shape** (Tensor): int64, the shape.

    Raises:
        TypeError: if an input has the wrong dtype.
        ValueError: if the shapes do not fit or an index is out of range.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.Coalesce()(ms.Tensor([[0, 0], [1, 1]]), ms.Tensor([1.0, 2.0]),
        ...                         ms.Tensor([2, 2]))[1])
        [3.]

    Source: mindspore.ops.Coalesce of MindSpore 2.10.
    """

    def __init__(self):
        super().__init__("Coalesce")

    @checked
    def __call__(
        self,
        x_indices: TensorOf("int64"),
        x_values: TensorOf("float16", "float32", "float64"),
        x_shape: TensorOf("int64"),
    ):
        return _coalesce("Coalesce", x_indices, x_values, x_shape)


@public("ops.coalesce")
@checked
def coalesce(
    x_indices: TensorOf("int64"),
    x_values: TensorOf("float16", "float32", "float64"),
    x_shape: TensorOf("int64"),
):
    """Sorts indices and sums the values at equal indices; the function form of `ops.Coalesce`.

    Args:
        x_indices (Tensor): int64 of shape (axes, n).
        x_values (Tensor): the values, of shape (n,).
        x_shape (Tensor): int64: the shape of the dense Tensor.

    Returns:
        A tuple of three Tensors: indices, values and shape.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.coalesce(ms.Tensor([[0, 0], [1, 1]]), ms.Tensor([1.0, 2.0]),
        ...                       ms.Tensor([2, 2]))[1])
        [3.]
    """
    return _coalesce("coalesce", x_indices, x_values, x_shape)


def _coalesce(api, indices, values, shape):
    if (
        indices.ndim != 2
        or values.ndim != 1
        or shape.ndim != 1
        or (indices.shape != (shape.shape[0], values.shape[0]))
    ):
        raise ValueError(
            f"For '{api}', the indices must have one row for each axis and one column for each "
            f"value, but got shapes {indices.shape}, {values.shape} and {shape.shape}."
        )
    xp = space_for(indices._array)
    sizes = shape.asnumpy().tolist()
    at = indices._array
    ends = zip(*extremes(at, 1), strict=True) if at.size else ()
    for axis, (low, high) in enumerate(ends):
        if low < 0 or high >= sizes[axis]:
            raise ValueError(
                f"For '{api}', the indices of axis {axis} must be in [0, {sizes[axis]})."
            )
    flat = xp.ravel_multi_index(tuple(at), tuple(sizes))
    unique, owner = xp.unique(flat, return_inverse=True)
    start = Tensor._wrap(xp.zeros(unique.shape, values._array.dtype))
    sums = scatter_by.run(start, values, (owner.reshape(-1),), "add")
    positions = xp.stack(xp.unravel_index(unique, tuple(sizes))).astype("int64")
    return Tensor._wrap(positions), sums, shape


@public("ops.SparseSlice")
class SparseSlice(Primitive):
    """Extracts the slice of a sparse tensor that starts at `start` and has at most the lengths
    `size`; returns (indices, values, shape).

    Inputs: indices (int64, one row per value), values, shape, start and size (int64).

    Raises:
        TypeError: if an input has the wrong dtype.
        ValueError: if the shapes do not fit.

    Example:
        >>> import mindspore_compat as ms
        >>> indices, values = ms.Tensor([[0, 1], [1, 0]]), ms.Tensor([5.0, 6.0])
        >>> print(ms.ops.SparseSlice()(indices, values, ms.Tensor([2, 2]), ms.Tensor([0, 0]),
        ...                            ms.Tensor([1, 2]))[1])
        [5.]

    Source: mindspore.ops.SparseSlice of MindSpore 2.10.
    """

    def __init__(self):
        super().__init__("SparseSlice")

    @shapes_first
    @checked
    def __call__(
        self,
        indices: TensorOf("int64"),
        values: Anything,
        shape: TensorOf("int64"),
        start: TensorOf("int64"),
        size: TensorOf("int64"),
    ):
        rank = shape.size
        shapes = [t.shape for t in (indices, values, shape, start, size)]
        if shapes != [(values.size, rank), (values.size,), (rank,), (rank,), (rank,)]:
            raise ValueError(
                f"For 'SparseSlice', 'indices' must have a row of {rank} numbers for each value, "
                f"and 'start' and 'size' {rank} numbers, but got {indices.shape}, {start.shape} "
                f"and {size.shape}."
            )
        xp = space_for(indices._array)
        first = start._array
        length = xp.maximum(xp.minimum(size._array, shape._array - first), 0)
        offsets = indices._array - first
        in_range = xp.nonzero(((offsets >= 0) & (offsets < length)).all(1))[0]
        return (
            Tensor._wrap(offsets[in_range]),
            values[Tensor._wrap(in_range)],
            Tensor._wrap(length),
        )


@public("ops.SparseTensorDenseAdd")
class SparseTensorDenseAdd(Primitive):
    """Adds a sparse tensor to a dense Tensor; differentiable.

    Inputs: x1_indices (one row per value), x1_values, x1_shape, and the dense x2.

    Raises:
        TypeError: if an input has the wrong dtype.
        ValueError: if the shapes differ.
        IndexError: if an index is out of range.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.SparseTensorDenseAdd()(ms.Tensor([[0, 1]]), ms.Tensor([5.0]),
        ...                                     ms.Tensor([1, 2]), ms.ops.ones((1, 2))))
        [[1. 6.]]

    Source: mindspore.ops.SparseTensorDenseAdd of MindSpore 2.10.
    """

    def __init__(self):
        super().__init__("SparseTensorDenseAdd")

    @checked(OneDtype("x1_indices x1_shape"), OneDtype("x1_values x2"))
    def __call__(self, x1_indices: Index, x1_values: Anything, x1_shape: Index, x2: Anything):
        if tuple(x1_shape.asnumpy().tolist()) != x2.shape or x1_indices.shape != (
            x1_values.size,
            x2.ndim,
        ):
            raise ValueError(
                f"For 'SparseTensorDenseAdd', the shapes must agree, but got "
                f"{x1_shape.asnumpy().tolist()} and {x2.shape}."
            )
        check_range(self.name, x1_indices._array, x2.shape)
        positions = tuple(x1_indices._array[:, i] for i in range(x2.ndim))
        return scatter_by.run(x2, x1_values, positions, "add")


@op("ops.sparse_segment_mean(x, indices, segment_ids)", types=SameDtype("indices segment_ids"))
def sparse_segment_mean(
    xp, x: TensorOf("float16", "float32", "float64"), indices: Index, segment_ids: Index
):
    """Computes the mean over each segment of the slices at `indices`.

    Shapes:
        `x` has at least one axis; `indices` and `segment_ids` are (K,) of one integer dtype, and
        `segment_ids` rises from 0. The result is (segments, *x.shape[1:]), of the dtype of `x`.

    Example:
        >>> print(ms.ops.sparse_segment_mean(ms.Tensor([[1.0], [3.0], [5.0]]), ms.Tensor([0, 1, 2]),
        ...                                  ms.Tensor([0, 0, 1])))
        [[2.]
         [5.]]
    """
    if not x.size:
        raise ValueError("For 'sparse_segment_mean', 'x' must have elements.")
    if indices.ndim != 1 or indices.shape != segment_ids.shape or x.ndim < 1:
        raise ValueError(
            f"For 'sparse_segment_mean', 'indices' and 'segment_ids' must be vectors of one "
            f"length, but got {indices.shape} and {segment_ids.shape}."
        )
    falls = xp.any(segment_ids[1:] < segment_ids[:-1])
    read = falls, segment_ids[0], segment_ids[-1], xp.min(indices), xp.max(indices)
    falls, first, last, low, high = xp.stack([xp.cast(part, "int64") for part in read]).tolist()
    if falls or first < 0:
        raise RuntimeError("For 'sparse_segment_mean', 'segment_ids' must rise from 0 or more.")
    if low < 0 or high >= x.shape[0]:
        raise RuntimeError(f"For 'sparse_segment_mean', 'indices' must be in [0, {x.shape[0]}).")
    count = last + 1
    rows = xp.take(x, indices, 0)
    shape = (count, *x.shape[1:])
    total = xp.scatter_add(xp.zeros(shape, x.dtype), (segment_ids,), rows)
    counts = xp.maximum(xp.occurrences(segment_ids, count), 1)
    return total / xp.cast(xp.reshape(counts, (count,) + (1,) * (x.ndim - 1)), x.dtype)
