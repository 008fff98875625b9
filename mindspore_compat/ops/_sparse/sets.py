"""Set operations on the values in each row of a dense or a sparse Tensor.

A sparse result has one row per set, with its values in ascending order.
"""

from ..._core.declare.op import space_for
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Bool, Str, TensorOf, checked
from ..._core.tensor.tensor import Tensor
from .coo_pairs import Indices
from .parts import SparsePrimitive, ravel, unravel

Member = TensorOf("int8", "int16", "int32", "int64", "uint8", "uint16")
_OPERATIONS = ("a-b", "b-a", "intersection", "union")


def _distinct(xp, owner, values):
    """Returns the distinct pairs (set, value), sorted, as rows of int64."""
    pairs = xp.stack([owner, values.astype("int64")], 1)
    order = xp.lexsort(xp.stack([pairs[:, 1], pairs[:, 0]]))
    pairs = pairs[order]
    first = xp.ones(len(pairs), bool)
    first[1:] = (pairs[1:] != pairs[:-1]).any(1)
    return pairs[first]


@public("ops.operations.sparse_ops.SetSize")
class SetSize(SparsePrimitive):
    """Counts the distinct values in each row of a sparse tensor, as int32 of shape shape[:-1].

    Args:
        validate_indices (bool): whether indices must come in row-major order. Default: True.

    Raises:
        ValueError: if the shapes do not fit, or an index is out of range or out of order.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.ops.operations import sparse_ops
        >>> indices, values = ms.Tensor([[0, 0], [0, 1], [1, 2]]), ms.Tensor([4, 4, 5])
        >>> print(sparse_ops.SetSize()(indices, values, ms.Tensor([3, 4])))
        [1 1 0]

    Source: mindspore.ops.operations.sparse_ops.SetSize of MindSpore 2.10.
    """

    @checked
    def __init__(self, validate_indices: Bool = True):
        super().__init__()
        self.validate_indices = validate_indices

    @checked
    def __call__(self, set_indices: Indices, set_values: Member, set_shape: Indices):
        sizes = self.sizes("set_shape", set_shape)
        flat = self.flat("set_indices", set_indices, set_values, sizes)
        if self.validate_indices and bool((flat[1:] <= flat[:-1]).any()):
            self.refuse("'set_indices' must be in row-major order.")
        xp = space_for(flat)
        owner = ravel(xp, set_indices._array[:, :-1], sizes[:-1])
        count = 1
        for size in sizes[:-1]:
            count *= size
        pairs = _distinct(xp, owner, set_values._array)
        counts = xp.occurrences(pairs[:, 0], count)
        return Tensor._wrap(counts.astype("int32").reshape(sizes[:-1]))


class _SetOperation(SparsePrimitive):
    """Computes the difference, intersection or union of the sets in two Tensors."""

    def __init__(self, set_operation, validate_indices):
        super().__init__()
        if set_operation.lower() not in _OPERATIONS:
            self.refuse(f"'set_operation' must be one of {_OPERATIONS}, but got {set_operation!r}.")
        self.set_operation, self.validate_indices = set_operation, validate_indices

    def _result(self, first, second, lead, dtype):
        """Returns (indices, values, shape), given the pairs of both."""
        xp = space_for(first)
        both_sets = xp.concatenate([first, second])
        order = xp.lexsort(xp.stack([both_sets[:, 1], both_sets[:, 0]]))
        both_sets, of_two = both_sets[order], order >= len(first)
        again = xp.zeros(len(both_sets), bool)
        again[1:] = (both_sets[1:] == both_sets[:-1]).all(1)
        shared = again.copy()
        shared[:-1] |= again[1:]
        operation = self.set_operation.lower()
        remaining = {
            "a-b": ~of_two & ~shared,
            "b-a": of_two & ~shared,
            "intersection": again,
            "union": ~again,
        }[operation]
        owner, values = both_sets[remaining, 0], both_sets[remaining, 1]
        count = 1
        for size in lead:
            count *= size
        counts = xp.occurrences(owner, count)
        start = xp.cumsum(counts) - counts
        column = xp.arange(len(owner)) - start[owner]
        indices = xp.concatenate([unravel(xp, owner, lead), column.reshape(-1, 1)], 1)
        shape = xp.asarray((*lead, int(counts.max()) if count else 0), "int64")
        return (
            Tensor._wrap(indices.astype("int64")),
            Tensor._wrap(values.astype(dtype)),
            Tensor._wrap(shape),
        )

    def _of_dense(self, x):
        """Returns the pairs (set, value) of a dense Tensor."""
        xp = space_for(x._array)
        rows = x._array.reshape(-1, x.shape[-1])
        return _distinct(xp, xp.repeat(xp.arange(len(rows)), rows.shape[1]), rows.reshape(-1))

    def _need_rows(self, name, x):
        if x.ndim < 2:
            self.refuse(f"'{name}' must have at least two axes, but got the shape {x.shape}.")


@public("ops.operations.sparse_ops.DenseToDenseSetOperation")
class DenseToDenseSetOperation(_SetOperation):
    """Applies a set operation to the rows of two Tensors; returns (indices, values, shape).

    Args:
        set_operation (str): "a-b", "b-a", "intersection" or "union", in any case. Default: "a-b".
        validate_indices (bool): accepted, without effect, because there are no indices. Default:
            True.

    Raises:
        ValueError: if `set_operation` is unknown, or the shapes differ before the last axis.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.ops.operations import sparse_ops
        >>> one, two = ms.Tensor([[2, 2, 0], [3, 5, 1]]), ms.Tensor([[2, 1], [9, 3]])
        >>> print(sparse_ops.DenseToDenseSetOperation("a-b")(one, two)[1])
        [0 1 5]

    Source: mindspore.ops.operations.sparse_ops.DenseToDenseSetOperation of MindSpore 2.10.
    """

    @checked
    def __init__(self, set_operation: Str = "a-b", validate_indices: Bool = True):
        super().__init__(set_operation, validate_indices)

    @checked
    def __call__(self, x1: Member, x2: Member):
        self._need_rows("x1", x1)
        if x1.shape[:-1] != x2.shape[:-1]:
            self.refuse(
                f"'x1' and 'x2' must agree before the last axis, but got {x1.shape} and {x2.shape}."
            )
        return self._result(self._of_dense(x1), self._of_dense(x2), x1.shape[:-1], x1._array.dtype)


@public("ops.operations.sparse_ops.DenseToSparseSetOperation")
class DenseToSparseSetOperation(_SetOperation):
    """Applies a set operation to the rows of a dense and a sparse Tensor; returns (indices, values,
    shape).

    Args:
        set_operation (str): "a-b", "b-a", "intersection" or "union", in any case.
        validate_indices (bool): whether the indices of `x2` must come in row-major order. Default:
            True.

    Raises:
        ValueError: if `set_operation` is unknown, the shapes differ before the last axis, or an
            index is out of range or out of order.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.ops.operations import sparse_ops
        >>> dense = ms.Tensor([[2, 0], [3, 1]])
        >>> sparse = ms.Tensor([[0, 0], [1, 2]]), ms.Tensor([2, 3]), ms.Tensor([2, 3])
        >>> print(sparse_ops.DenseToSparseSetOperation("a-b")(dense, *sparse)[1])
        [0 1]

    Source: mindspore.ops.operations.sparse_ops.DenseToSparseSetOperation of MindSpore 2.10.
    """

    @checked
    def __init__(self, set_operation: Str = "", validate_indices: Bool = True):
        super().__init__(set_operation, validate_indices)

    @checked
    def __call__(self, x1: Member, x2_indices: Indices, x2_values: Member, x2_shape: Indices):
        self._need_rows("x1", x1)
        sizes = self.sizes("x2_shape", x2_shape)
        flat = self.flat("x2_indices", x2_indices, x2_values, sizes)
        if sizes[:-1] != x1.shape[:-1]:
            self.refuse(
                f"'x1' and 'x2' must agree before the last axis, but got {x1.shape} and {sizes}."
            )
        if self.validate_indices and bool((flat[1:] <= flat[:-1]).any()):
            self.refuse("'x2_indices' must be in row-major order.")
        xp = space_for(flat)
        owner = ravel(xp, x2_indices._array[:, :-1], sizes[:-1])
        two = _distinct(xp, owner, x2_values._array)
        return self._result(self._of_dense(x1), two, x1.shape[:-1], x1._array.dtype)
