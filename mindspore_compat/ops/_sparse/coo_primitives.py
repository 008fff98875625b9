"""Primitives on sparse tensors given as indices, values and shape: reordering, reshaping, products
with dense matrices, slices, concatenation, counts. Elementwise Primitives on two tensors are in
`coo_pairs`.
"""

from ..._backend.arrays import extremes
from ..._core.declare.op import space_for
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Any, Bool, Int, ListOf, TensorOf, TupleOf, checked
from ..._core.tensor.tensor import Tensor
from .._indexing.scatter import scatter_by
from .._rules import Anything, Index
from .._shape.join_split import cat
from .coo_pairs import Indices
from .parts import SparsePrimitive, picked, ravel, softmax_of, summed, unravel

Floating = TensorOf("float32", "float64")


@public("ops.operations.sparse_ops.SparseReorder")
class SparseReorder(SparsePrimitive):
    """Sorts a sparse tensor in row-major order; returns (indices, values).

    Raises:
        ValueError: if the shapes do not fit or an index is out of range.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.ops.operations import sparse_ops
        >>> indices, values = ms.Tensor([[2, 1], [0, 1]]), ms.Tensor([1.0, 2.0])
        >>> print(sparse_ops.SparseReorder()(indices, values, ms.Tensor([3, 3]))[1])
        [2. 1.]

    Source: mindspore.ops.operations.sparse_ops.SparseReorder of MindSpore 2.10.
    """

    @checked
    def __call__(self, indices: Indices, values: Anything, shape: Indices):
        flat = self.flat("indices", indices, values, self.sizes("shape", shape))
        order = space_for(flat).argsort(flat, kind="stable")
        return Tensor._wrap(indices._array[order]), picked(values, order)


@public("ops.operations.sparse_ops.SparseReshape")
class SparseReshape(SparsePrimitive):
    """Reshapes a sparse tensor and keeps the order of its values; returns (indices, shape).

    Raises:
        ValueError: if an index is out of range, or the numbers of elements differ. At most one
            length of `new_shape` may be -1; it is inferred from the others.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.ops.operations import sparse_ops
        >>> indices, shape = ms.Tensor([[0, 1], [1, 0]]), ms.Tensor([2, 3])
        >>> print(sparse_ops.SparseReshape()(indices, shape, ms.Tensor([3, -1]))[0])
        [[0 1]
         [1 1]]

    Source: mindspore.ops.operations.sparse_ops.SparseReshape of MindSpore 2.10.
    """

    @checked
    def __call__(self, indices: Indices, shape: Indices, new_shape: Indices):
        sizes = self.sizes("shape", shape)
        flat = self.flat("indices", indices, indices, sizes)
        lengths, total = list(self.sizes("new_shape", new_shape)), _product(sizes)
        if lengths.count(-1) == 1:
            known_product = -_product(lengths)
            lengths[lengths.index(-1)] = total // known_product if known_product else 0
        if min(lengths, default=1) < 0 or _product(lengths) != total:
            self.refuse(
                f"'new_shape' must hold as many values as {sizes}, but got "
                f"{new_shape.asnumpy().tolist()}."
            )
        xp = space_for(flat)
        return Tensor._wrap(unravel(xp, flat, lengths)), Tensor._wrap(xp.asarray(lengths, "int64"))


def _product(sizes):
    total = 1
    for size in sizes:
        total *= size
    return total


@public("ops.operations.sparse_ops.SparseToDenseV2")
class SparseToDenseV2(SparsePrimitive):
    """Builds a dense Tensor with values at the given indices and `default_value` elsewhere.

    `indices` has one row per value, or is a vector if `output_shape` has one length.

    Args:
        validate_indices (bool): without effect; indices must always be in row-major order without
            duplicates. Default: True.

    Raises:
        ValueError: if the shapes do not fit, or an index is out of range, out of order or repeated.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.ops.operations import sparse_ops
        >>> indices, shape = ms.Tensor([[0, 1], [1, 2]]), ms.Tensor([2, 3])
        >>> to_dense = sparse_ops.SparseToDenseV2()
        >>> print(to_dense(indices, shape, ms.Tensor([1.0, 2.0]), ms.Tensor(9.0)))
        [[9. 1. 9.]
         [9. 9. 2.]]

    Source: mindspore.ops.operations.sparse_ops.SparseToDenseV2 of MindSpore 2.10.
    """

    @checked
    def __init__(self, validate_indices: Bool = True):
        super().__init__()
        self.validate_indices = validate_indices

    @checked
    def __call__(
        self, indices: Index, output_shape: Index, values: Anything, default_value: Anything
    ):
        sizes = self.sizes("output_shape", output_shape)
        rows = indices if indices.ndim == 2 else indices.reshape(-1, 1)
        values = values if values.ndim else values.broadcast_to((rows.shape[0],))
        flat = self.flat("indices", rows, values, sizes)
        if bool((flat[1:] <= flat[:-1]).any()):
            self.refuse("'indices' must be in row-major order without repeats.")
        start = default_value.reshape(()).astype(values.dtype).broadcast_to((_product(sizes),))
        return scatter_by.run(start, values, (flat,), "update").reshape(sizes)


@public("ops.operations.sparse_ops.SparseSoftmax")
class SparseSoftmax(SparsePrimitive):
    """Computes the softmax along the last axis of a sparse tensor, over its stored values.

    Raises:
        ValueError: if the shapes do not fit, an index is out of range, or there is only one axis.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.ops.operations import sparse_ops
        >>> indices, values = ms.Tensor([[0, 0], [0, 3], [1, 2]]), ms.Tensor([1.0, 1.0, 3.0])
        >>> print(sparse_ops.SparseSoftmax()(indices, values, ms.Tensor([2, 4])))
        [0.5 0.5 1. ]

    Source: mindspore.ops.operations.sparse_ops.SparseSoftmax of MindSpore 2.10.
    """

    @checked
    def __call__(self, indices: Indices, values: Floating, shape: Indices):
        sizes = self.sizes("shape", shape)
        if len(sizes) < 2:
            self.refuse(f"'shape' must hold at least two lengths, but got {sizes}.")
        self.flat("indices", indices, values, sizes)
        xp = space_for(indices._array)
        owner = ravel(xp, indices._array[:, :-1], sizes[:-1])
        return softmax_of(values, owner, _product(sizes[:-1]))


def product_with(dense, rows, columns, values, height):
    """Multiplies a sparse matrix, given by the rows and columns of its values, by a dense one."""
    return summed(picked(dense, columns) * values.reshape(-1, 1), rows, height)


@public("ops.operations.sparse_ops.SparseAddmm")
class SparseAddmm(SparsePrimitive):
    """Computes alpha * (x1 @ x2) + beta * x3, where x1 is sparse.

    Raises:
        ValueError: if the shapes do not fit or an index is out of range.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.ops.operations import sparse_ops
        >>> sparse = ms.Tensor([[0, 1], [1, 0]]), ms.Tensor([1.0, 2.0]), ms.Tensor([2, 2])
        >>> x2, x3 = ms.Tensor([[1.0], [2.0]]), ms.Tensor([[1.0], [1.0]])
        >>> print(sparse_ops.SparseAddmm()(*sparse, x2, x3, ms.Tensor([1.0]), ms.Tensor([3.0])))
        [[5.]
         [5.]]

    Source: mindspore.ops.operations.sparse_ops.SparseAddmm of MindSpore 2.10.
    """

    @checked
    def __call__(
        self,
        indices: Index,
        values: Anything,
        sparse_shape: Index,
        x2_dense: Anything,
        x3_dense: Anything,
        alpha: Anything,
        beta: Anything,
    ):
        height, width = self.sizes("sparse_shape", sparse_shape, 2)
        self.flat("indices", indices, values, (height, width))
        if x2_dense.shape[:1] != (width,) or x3_dense.shape != (height, *x2_dense.shape[1:]):
            self.refuse(
                f"the shapes ({height}, {width}), {x2_dense.shape} and {x3_dense.shape} must fit."
            )
        rows, columns = indices._array[:, 0], indices._array[:, 1]
        result = product_with(x2_dense, rows, columns, values, height)
        return alpha * result + beta * x3_dense


@public("ops.operations.sparse_ops.Sspaddmm")
class Sspaddmm(SparsePrimitive):
    """Computes beta * x1 + alpha * (x2 @ x3), where x1 and x2 are sparse; returns (indices, values,
    shape).

    Indices have one column per value. The result has the indices of x1, and then all columns of
    each row in which x2 has a value. If an index occurs twice, its element is the sum of both
    values.

    Raises:
        ValueError: if the shapes do not fit or an index is out of range.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.ops.operations import sparse_ops
        >>> one = ms.Tensor([[0], [1]]), ms.Tensor([1.0]), ms.Tensor([2, 2])
        >>> two = ms.Tensor([[1], [0]]), ms.Tensor([3.0]), ms.Tensor([2, 2])
        >>> x3 = ms.Tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> print(sparse_ops.Sspaddmm()(*one, *two, x3, ms.Tensor(1.0), ms.Tensor(5.0))[1])
        [5. 3. 6.]

    Source: mindspore.ops.operations.sparse_ops.Sspaddmm of MindSpore 2.10.
    """

    @checked
    def __call__(
        self,
        x1_indices: Index,
        x1_values: Anything,
        x1_shape: Index,
        x2_indices: Index,
        x2_values: Anything,
        x2_shape: Index,
        x3_dense: Anything,
        alpha: Anything,
        beta: Anything,
    ):
        sizes = self.sizes("x1_shape", x1_shape, 2)
        height, depth = self.sizes("x2_shape", x2_shape, 2)
        if height != sizes[0] or x3_dense.shape != (depth, sizes[1]):
            self.refuse(f"the shapes {sizes}, ({height}, {depth}) and {x3_dense.shape} must fit.")
        self.flat("x1_indices", x1_indices.swapaxes(0, 1), x1_values, sizes)
        self.flat("x2_indices", x2_indices.swapaxes(0, 1), x2_values, (height, depth))
        rows, columns = x2_indices._array
        xp = space_for(rows)
        remaining = xp.unique(rows)
        result = picked(product_with(x3_dense, rows, columns, x2_values, height), remaining)
        positions = xp.stack(
            [xp.repeat(remaining, sizes[1]), xp.tile(xp.arange(sizes[1]), len(remaining))]
        )
        positions = xp.concatenate([x1_indices._array, positions], 1).astype("int64")
        values = cat.run([x1_values * beta, (result * alpha).reshape(-1)], 0)
        return Tensor._wrap(positions), values, Tensor._wrap(x1_shape._array.astype("int64"))


@public("ops.operations.sparse_ops.SparseConcat")
class SparseConcat(SparsePrimitive):
    """Concatenates sparse tensors along an axis; returns (indices, values, shape).

    Args:
        concat_dim (int): the axis. Default: 0.

    Raises:
        ValueError: if the lists differ in length, `concat_dim` does not exist, the shapes differ
            along another axis, or an index is out of range.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.ops.operations import sparse_ops
        >>> indices, values, shape = ms.Tensor([[0, 1]]), ms.Tensor([5.0]), ms.Tensor([1, 2])
        >>> print(sparse_ops.SparseConcat(1)([indices] * 2, [values] * 2, [shape] * 2)[0])
        [[0 1]
         [0 3]]

    Source: mindspore.ops.operations.sparse_ops.SparseConcat of MindSpore 2.10.
    """

    @checked
    def __init__(self, concat_dim: Int = 0):
        super().__init__()
        self.concat_dim = concat_dim

    @checked
    def __call__(
        self,
        sp_input_indices: ListOf(Any) | TupleOf(Any),
        sp_input_values: ListOf(Any) | TupleOf(Any),
        sp_input_shape: ListOf(Any) | TupleOf(Any),
    ):
        lengths = [len(x) for x in (sp_input_indices, sp_input_values, sp_input_shape)]
        if len(set(lengths)) > 1 or not lengths[0]:
            self.refuse(f"the lists must have one length above 0, but got {lengths}.")
        all_sizes = [self.sizes("sp_input_shape", shape) for shape in sp_input_shape]
        rank, axis = len(all_sizes[0]), self.concat_dim
        if not -rank <= axis < rank:
            self.refuse(f"'concat_dim' must be in [{-rank}, {rank}), but got {axis}.")
        axis %= rank
        if len({(*sizes[:axis], *sizes[axis + 1 :]) for sizes in all_sizes}) > 1:
            self.refuse(f"the shapes may differ on axis {axis} only, but got {all_sizes}.")
        xp, parts, length = space_for(sp_input_indices[0]._array), [], 0
        for indices, values, sizes in zip(sp_input_indices, sp_input_values, all_sizes):
            self.flat("sp_input_indices", indices, values, sizes)
            step = xp.zeros((rank,), "int64")
            step[axis] = length
            parts.append(indices._array + step)
            length += sizes[axis]
        sizes = (*all_sizes[0][:axis], length, *all_sizes[0][axis + 1 :])
        positions = xp.concatenate(parts)
        order = xp.argsort(ravel(xp, positions, sizes), kind="stable")
        values = picked(cat.run(list(sp_input_values), 0), order)
        return Tensor._wrap(positions[order]), values, Tensor._wrap(xp.asarray(sizes, "int64"))


@public("ops.operations.sparse_ops.SparseSplit")
class SparseSplit(SparsePrimitive):
    """Splits a sparse tensor along an axis; returns (indices, values, shapes), each a tuple.

    If the length is not divisible, the first parts are longer by one.

    Args:
        num_split (int): the number of parts. Default: 1.

    Raises:
        ValueError: if `split_dim` does not exist, the axis is shorter than the number of parts, or
            an index is out of range.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.ops.operations import sparse_ops
        >>> indices, values = ms.Tensor([[0, 1], [0, 2]]), ms.Tensor([5.0, 6.0])
        >>> split = sparse_ops.SparseSplit(2)
        >>> print(split(ms.Tensor(1), indices, values, ms.Tensor([1, 4]))[0][1])
        [[0 0]]

    Source: mindspore.ops.operations.sparse_ops.SparseSplit of MindSpore 2.10.
    """

    @checked
    def __init__(self, num_split: Int(ge=1) = 1):
        super().__init__()
        self.num_split = num_split

    @checked
    def __call__(self, split_dim: Indices, indices: Indices, values: Anything, shape: Indices):
        sizes = self.sizes("shape", shape)
        self.flat("indices", indices, values, sizes)
        axis = int(split_dim.asnumpy().reshape(-1)[0])
        if not 0 <= axis < len(sizes) or sizes[axis] < self.num_split:
            self.refuse(
                f"'split_dim' must be an axis of {sizes} with a length of at least "
                f"{self.num_split}, but got {axis}."
            )
        xp, first, parts = space_for(indices._array), 0, []
        short, longer = divmod(sizes[axis], self.num_split)
        for number in range(self.num_split):
            length = short + (number < longer)
            column = indices._array[:, axis]
            remaining = xp.nonzero((column >= first) & (column < first + length))[0]
            positions = indices._array[remaining]
            positions[:, axis] -= first
            part = xp.asarray((*sizes[:axis], length, *sizes[axis + 1 :]), "int64")
            parts.append((Tensor._wrap(positions), picked(values, remaining), Tensor._wrap(part)))
            first += length
        return tuple(zip(*parts))


@public("ops.operations.sparse_ops.SparseFillEmptyRows")
class SparseFillEmptyRows(SparsePrimitive):
    """Fills each empty row of a sparse matrix with a value in the first column.

    Returns:
        tuple, the indices and values sorted by row, a bool for each row that was empty, and the new
        position of each given value.

    Raises:
        ValueError: if the shapes do not fit or an index is out of range.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.ops.operations import sparse_ops
        >>> matrix = ms.Tensor([[0, 0], [2, 1]]), ms.Tensor([1.0, 2.0]), ms.Tensor([3, 2])
        >>> print(sparse_ops.SparseFillEmptyRows()(*matrix, ms.Tensor(9.0))[1])
        [1. 9. 2.]

    Source: mindspore.ops.operations.sparse_ops.SparseFillEmptyRows of MindSpore 2.10.
    """

    @checked
    def __call__(
        self, indices: Indices, values: Anything, dense_shape: Indices, default_value: Anything
    ):
        sizes = self.sizes("dense_shape", dense_shape, 2)
        self.flat("indices", indices, values, sizes)
        xp, count = space_for(indices._array), len(indices)
        empty = xp.occurrences(indices._array[:, 0], sizes[0]) == 0
        rows = xp.nonzero(empty)[0]
        filler_positions = xp.stack([rows, xp.zeros_like(rows)], 1)
        positions = xp.concatenate([indices._array, filler_positions]).astype("int64")
        order = xp.argsort(positions[:, 0], kind="stable")
        filler = default_value.reshape(()).astype(values.dtype).broadcast_to((len(rows),))
        came_to = xp.argsort(order, kind="stable")[:count]
        return (
            Tensor._wrap(positions[order]),
            picked(cat.run([values, filler], 0), order),
            Tensor._wrap(empty),
            Tensor._wrap(came_to.astype("int64")),
        )


@public("ops.operations.sparse_ops.SparseCountSparseOutput")
class SparseCountSparseOutput(SparsePrimitive):
    """Counts each number in each row, or sums its weights; returns (indices, sums, shape).

    Args:
        binary_output (bool): whether each number that occurs is marked with 1 instead. Default:
            False.
        minlength (int): the smallest length of the rows of the result; -1 for none. Default: -1.
        maxlength (int): the length of these rows; larger numbers are ignored. -1 uses the largest
            number plus one. Default: -1.

    Raises:
        RuntimeError: if the shapes do not fit, an index is out of range, or a number is negative.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.ops.operations import sparse_ops
        >>> indices, values = ms.Tensor([[1, 0], [1, 2], [2, 1]]), ms.Tensor([3, 3, 0])
        >>> count = sparse_ops.SparseCountSparseOutput()
        >>> print(count(indices, values, ms.Tensor([3, 3]), ms.Tensor([0.5, 2.0, 1.0]))[1])
        [2.5 1. ]

    Source: mindspore.ops.operations.sparse_ops.SparseCountSparseOutput of MindSpore 2.10.
    """

    @checked
    def __init__(self, binary_output: Bool = False, minlength: Int = -1, maxlength: Int = -1):
        super().__init__()
        self.binary_output, self.minlength = binary_output, minlength
        self.maxlength = maxlength

    def refuse(self, text):
        """Raises a RuntimeError for an invalid input."""
        raise RuntimeError(f"For '{self.name}', {text}")

    @checked
    def __call__(self, indices: Indices, values: Index, dense_shape: Indices, weights: Anything):
        sizes = self.sizes("dense_shape", dense_shape)
        self.flat("indices", indices, values, sizes)
        if weights.shape != values.shape:
            self.refuse(
                f"'weights' and 'values' must have one shape, but got {weights.shape} and "
                f"{values.shape}."
            )
        xp, numbers = space_for(indices._array), values._array.astype("int64")
        low, high = extremes(numbers) if numbers.size else (0, -1)
        if low < 0:
            self.refuse("'values' must not be negative.")
        length = self.maxlength if self.maxlength >= 0 else max(high + 1, self.minlength)
        remaining = xp.nonzero(numbers < length)[0]
        parts = [indices._array[remaining, 0]] if len(sizes) > 1 else []
        out_sizes = (*sizes[: len(parts)], length)
        flat = ravel(xp, xp.stack([*parts, numbers[remaining]], 1), out_sizes)
        result, owner = xp.unique(flat, return_inverse=True)
        sums = summed(picked(weights, remaining), owner.reshape(-1), len(result))
        if self.binary_output:
            sums = Tensor._wrap(xp.ones(result.shape, weights._array.dtype))
        shape = xp.asarray(out_sizes, "int64")
        return Tensor._wrap(unravel(xp, result, out_sizes)), sums, Tensor._wrap(shape)
