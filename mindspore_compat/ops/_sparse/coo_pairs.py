"""Elementwise Primitives on a sparse tensor, given as indices, values and shape, and another sparse
or dense one.

The result of two sparse tensors covers the indices of both, in row-major order.
"""

from ..._core.declare.op import space_for
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import TensorOf, checked
from ..._core.tensor.tensor import Tensor
from .._rules import Anything
from .parts import SparsePrimitive, picked, summed, unravel

Indices = TensorOf("int64")


class _WithDense(SparsePrimitive):
    """Combines the values of a sparse tensor with a dense tensor, broadcast to its shape, at
    its indices."""

    def dense_at(self, x1_indices, x1_values, x1_shape, x2):
        sizes = self.sizes("x1_shape", x1_shape)
        flat = self.flat("x1_indices", x1_indices, x1_values, sizes)
        tail = (1,) * (len(sizes) - x2.ndim) + x2.shape
        if len(tail) != len(sizes) or any(n not in (1, m) for n, m in zip(tail, sizes)):
            self.refuse(f"'x2' must broadcast to the shape {sizes}, but got {x2.shape}.")
        return picked(x2.broadcast_to(sizes).reshape(-1), flat)


@public("ops.operations.sparse_ops.SparseDenseCwiseAdd")
class SparseDenseCwiseAdd(_WithDense):
    """Adds a dense tensor, broadcast, to the values of a sparse tensor at its indices.

    Raises:
        ValueError: if the shapes do not fit or an index is out of range.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.ops.operations import sparse_ops
        >>> sparse = ms.Tensor([[0, 0], [2, 2]]), ms.Tensor([1.0, 2.0]), ms.Tensor([3, 3])
        >>> print(sparse_ops.SparseDenseCwiseAdd()(*sparse, ms.Tensor([1.0, 2.0, 3.0])))
        [2. 5.]

    Source: mindspore.ops.operations.sparse_ops.SparseDenseCwiseAdd of MindSpore 2.10.
    """

    @checked
    def __call__(self, x1_indices: Indices, x1_values: Anything, x1_shape: Indices, x2: Anything):
        return x1_values + self.dense_at(x1_indices, x1_values, x1_shape, x2)


@public("ops.operations.sparse_ops.SparseDenseCwiseMul")
class SparseDenseCwiseMul(_WithDense):
    """Multiplies the values of a sparse tensor by a dense tensor, broadcast, at its indices.

    Raises:
        ValueError: if the shapes do not fit or an index is out of range.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.ops.operations import sparse_ops
        >>> sparse = ms.Tensor([[0, 0], [2, 2]]), ms.Tensor([1.0, 2.0]), ms.Tensor([3, 3])
        >>> print(sparse_ops.SparseDenseCwiseMul()(*sparse, ms.Tensor([1.0, 2.0, 3.0])))
        [1. 6.]

    Source: mindspore.ops.operations.sparse_ops.SparseDenseCwiseMul of MindSpore 2.10.
    """

    @checked
    def __call__(self, x1_indices: Indices, x1_values: Anything, x1_shape: Indices, x2: Anything):
        return x1_values * self.dense_at(x1_indices, x1_values, x1_shape, x2)


@public("ops.operations.sparse_ops.SparseDenseCwiseDiv")
class SparseDenseCwiseDiv(_WithDense):
    """Divides the values of a sparse tensor by a dense tensor, broadcast, at its indices.

    Raises:
        ValueError: if the shapes do not fit or an index is out of range.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.ops.operations import sparse_ops
        >>> sparse = ms.Tensor([[0, 0], [2, 2]]), ms.Tensor([4.0, 2.0]), ms.Tensor([3, 3])
        >>> print(sparse_ops.SparseDenseCwiseDiv()(*sparse, ms.Tensor([1.0, 2.0, 4.0])))
        [4.  0.5]

    Source: mindspore.ops.operations.sparse_ops.SparseDenseCwiseDiv of MindSpore 2.10.
    """

    @checked
    def __call__(self, x1_indices: Indices, x1_values: Anything, x1_shape: Indices, x2: Anything):
        keys = x1_values / self.dense_at(x1_indices, x1_values, x1_shape, x2)
        return keys.astype(x1_values.dtype)


class _OfTwo(SparsePrimitive):
    """The base class of Primitives on two sparse tensors of one shape, over the indices of both."""

    def together(self, x1_indices, x1_values, x1_shape, x2_indices, x2_values, x2_shape):
        """Returns the sorted union of the flat indices of both tensors, their shape, and for each
        tensor the positions of its values in the union.
        """
        sizes = self.sizes("x1_shape", x1_shape)
        if self.sizes("x2_shape", x2_shape) != sizes:
            self.refuse(
                f"'x1_shape' and 'x2_shape' must agree, but got {sizes} and "
                f"{x2_shape.asnumpy().tolist()}."
            )
        first = self.flat("x1_indices", x1_indices, x1_values, sizes)
        second = self.flat("x2_indices", x2_indices, x2_values, sizes)
        xp = space_for(first)
        keys, owner = xp.unique(xp.concatenate([first, second]), return_inverse=True)
        owner = owner.reshape(-1)
        return keys, sizes, owner[: len(first)], owner[len(first) :]

    def filled(self, components):
        """Returns the sorted indices, and the values of both tensors there; 0 where a tensor has no
        value."""
        keys, sizes, first, second = self.together(*components)
        values = summed(components[1], first, len(keys)), summed(components[4], second, len(keys))
        return Tensor._wrap(unravel(space_for(keys), keys, sizes)), values


@public("ops.operations.sparse_ops.SparseSparseMaximum")
class SparseSparseMaximum(_OfTwo):
    """Computes the elementwise maximum of two sparse tensors at each index of either; returns
    (indices, values).

    Raises:
        ValueError: if the shapes do not fit or an index is out of range.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.ops.operations import sparse_ops
        >>> one = ms.Tensor([[0, 1], [1, 2]]), ms.Tensor([1.0, -2.0]), ms.Tensor([3, 3])
        >>> two = ms.Tensor([[0, 1], [1, 1]]), ms.Tensor([3.0, 4.0]), ms.Tensor([3, 3])
        >>> print(sparse_ops.SparseSparseMaximum()(*one, *two)[1])
        [3. 4. 0.]

    Source: mindspore.ops.operations.sparse_ops.SparseSparseMaximum of MindSpore 2.10.
    """

    @checked
    def __call__(
        self,
        x1_indices: Indices,
        x1_values: Anything,
        x1_shape: Indices,
        x2_indices: Indices,
        x2_values: Anything,
        x2_shape: Indices,
    ):
        components = (x1_indices, x1_values, x1_shape, x2_indices, x2_values, x2_shape)
        indices, (first, second) = self.filled(components)
        return indices, first.maximum(second)


@public("ops.operations.sparse_ops.SparseSparseMinimum")
class SparseSparseMinimum(_OfTwo):
    """Computes the elementwise minimum of two sparse tensors at each index of either; returns
    (indices, values).

    Raises:
        ValueError: if the shapes do not fit or an index is out of range.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.ops.operations import sparse_ops
        >>> one = ms.Tensor([[0, 1], [1, 2]]), ms.Tensor([1.0, -2.0]), ms.Tensor([3, 3])
        >>> two = ms.Tensor([[0, 1], [1, 1]]), ms.Tensor([3.0, 4.0]), ms.Tensor([3, 3])
        >>> print(sparse_ops.SparseSparseMinimum()(*one, *two)[1])
        [ 1.  0. -2.]

    Source: mindspore.ops.operations.sparse_ops.SparseSparseMinimum of MindSpore 2.10.
    """

    @checked
    def __call__(
        self,
        x1_indices: Indices,
        x1_values: Anything,
        x1_shape: Indices,
        x2_indices: Indices,
        x2_values: Anything,
        x2_shape: Indices,
    ):
        components = (x1_indices, x1_values, x1_shape, x2_indices, x2_values, x2_shape)
        indices, (first, second) = self.filled(components)
        return indices, first.minimum(second)


@public("ops.operations.sparse_ops.SparseAdd")
class SparseAdd(_OfTwo):
    """Adds two sparse tensors; returns (indices, values, shape).

    If both have a value at an index, their sum is dropped if it is smaller than `thresh`. A value
    that only one of them has is kept.

    Raises:
        ValueError: if the shapes do not fit or an index is out of range.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.ops.operations import sparse_ops
        >>> one = ms.Tensor([[0, 1], [1, 2]]), ms.Tensor([1.0, 2.0]), ms.Tensor([3, 3])
        >>> two = ms.Tensor([[0, 1], [1, 1]]), ms.Tensor([3.0, 4.0]), ms.Tensor([3, 3])
        >>> print(sparse_ops.SparseAdd()(*one, *two, ms.Tensor(0.0))[1])
        [4. 4. 2.]

    Source: mindspore.ops.operations.sparse_ops.SparseAdd of MindSpore 2.10.
    """

    @checked
    def __call__(
        self,
        x1_indices: Indices,
        x1_values: Anything,
        x1_shape: Indices,
        x2_indices: Indices,
        x2_values: Anything,
        x2_shape: Indices,
        thresh: Anything,
    ):
        components = (x1_indices, x1_values, x1_shape, x2_indices, x2_values, x2_shape)
        keys, sizes, first, second = self.together(*components)
        xp, count = space_for(keys), len(keys)
        values = summed(x1_values, first, count) + summed(x2_values, second, count)
        in_both = xp.occurrences(first, count) + xp.occurrences(second, count) > 1
        remaining = xp.nonzero(~in_both | (xp.abs(values._array) >= thresh._array))[0]
        indices = Tensor._wrap(unravel(xp, keys[remaining], sizes))
        return indices, picked(values, remaining), x1_shape
