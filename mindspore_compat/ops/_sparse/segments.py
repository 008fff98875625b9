"""Primitives that reduce the rows of a Tensor, selected by `indices`, over segments."""

from ..._core.declare.op import space_for
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import TensorOf, checked
from .._rules import Index
from .parts import SparsePrimitive, picked, summed

Floating = TensorOf("float16", "float32", "float64")
Real = TensorOf(
    "int8", "int16", "int32", "int64", "uint8", "uint16", "float16", "float32", "float64"
)


class _Segments(SparsePrimitive):
    """The base class of segment sums that are divided by a power of the segments' lengths."""

    power = 0

    def reduced(self, x, indices, segment_ids, num_segments=None):
        """Computes the result; without `num_segments`, every number from 0 to the largest id must
        be a segment id."""
        ids, at, xp = segment_ids._array, indices._array, space_for(segment_ids._array)
        if x.ndim < 1 or indices.ndim != 1 or indices.shape != segment_ids.shape:
            self.refuse(
                f"'indices' and 'segment_ids' must be vectors of one length, but got the shapes "
                f"{indices.shape} and {segment_ids.shape}."
            )
        first, last, falls, skips = 0, -1, False, False
        if ids.size:
            steps = ids[1:] - ids[:-1]
            read = at.min(), at.max(), ids[0], ids[-1], (steps < 0).any(), (steps > 1).any()
            low, high, first, last, falls, skips = xp.stack(read).tolist()
            if low < 0 or high >= x.shape[0]:
                self.refuse(f"'indices' must be in [0, {x.shape[0]}).")
        if falls or first < 0:
            self.refuse("'segment_ids' must rise from 0 or more.")
        if num_segments is None and (skips or first):
            self.refuse("'segment_ids' must hold each number from 0 to the last.")
        count = last + 1 if num_segments is None else int(num_segments.asnumpy().reshape(-1)[0])
        if count <= last:
            self.refuse(f"'num_segments' must be larger than {last}, but got {count}.")
        total = summed(picked(x, at), ids, count)
        if not self.power:
            return total
        counts = xp.maximum(xp.occurrences(ids, count), 1) ** self.power
        counts = counts.astype(x._array.dtype).reshape((count,) + (1,) * (x.ndim - 1))
        return total / type(x)._wrap(counts)


@public("ops.operations.sparse_ops.SparseSegmentSum")
class SparseSegmentSum(_Segments):
    """Sums the rows selected by `indices` for each segment.

    Raises:
        ValueError: if an index is out of range, or `segment_ids` does not hold every number from 0
            to the largest in order.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.ops.operations import sparse_ops
        >>> x, indices, ids = ms.Tensor([1.0, 2.0, 3.0]), ms.Tensor([0, 1, 2]), ms.Tensor([0, 1, 1])
        >>> print(sparse_ops.SparseSegmentSum()(x, indices, ids))
        [1. 5.]

    Source: mindspore.ops.operations.sparse_ops.SparseSegmentSum of MindSpore 2.10.
    """

    @checked
    def __call__(self, x: Real, indices: Index, segment_ids: Index):
        return self.reduced(x, indices, segment_ids)


@public("ops.operations.sparse_ops.SparseSegmentSumWithNumSegments")
class SparseSegmentSumWithNumSegments(_Segments):
    """Sums the rows selected by `indices` for each of `num_segments` segments; 0 for an empty
    segment.

    Raises:
        ValueError: if an index is out of range, `segment_ids` is not sorted, or `num_segments` is
            too small.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.ops.operations import sparse_ops
        >>> x, indices, ids = ms.Tensor([1.0, 2.0, 3.0]), ms.Tensor([0, 1, 2]), ms.Tensor([0, 2, 2])
        >>> print(sparse_ops.SparseSegmentSumWithNumSegments()(x, indices, ids, ms.Tensor(4)))
        [1. 0. 5. 0.]

    Source: mindspore.ops.operations.sparse_ops.SparseSegmentSumWithNumSegments of MindSpore 2.10.
    """

    @checked
    def __call__(self, x: Real, indices: Index, segment_ids: Index, num_segments: Index):
        return self.reduced(x, indices, segment_ids, num_segments)


@public("ops.operations.sparse_ops.SparseSegmentSqrtN")
class SparseSegmentSqrtN(_Segments):
    """Sums the rows selected by `indices` for each segment, and divides by the square root of their
    number.

    Raises:
        ValueError: if an index is out of range, or `segment_ids` does not hold every number from 0
            to the largest in order.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.ops.operations import sparse_ops
        >>> x, indices = ms.Tensor([1.0, 2.0, 6.0]), ms.Tensor([0, 1, 1, 1, 1])
        >>> print(sparse_ops.SparseSegmentSqrtN()(x, indices, ms.Tensor([0, 1, 1, 1, 1])))
        [1. 4.]

    Source: mindspore.ops.operations.sparse_ops.SparseSegmentSqrtN of MindSpore 2.10.
    """

    power = 0.5

    @checked
    def __call__(self, x: Floating, indices: Index, segment_ids: Index):
        return self.reduced(x, indices, segment_ids)


@public("ops.operations.sparse_ops.SparseSegmentSqrtNWithNumSegments")
class SparseSegmentSqrtNWithNumSegments(_Segments):
    """Sums the rows selected by `indices` for each of `num_segments` segments, and divides by the
    square root of their number; 0 for an empty segment.

    Raises:
        ValueError: if an index is out of range, `segment_ids` is not sorted, or `num_segments` is
            too small.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.ops.operations import sparse_ops
        >>> x, indices, ids = ms.Tensor([1.0, 2.0]), ms.Tensor([0, 1]), ms.Tensor([0, 2])
        >>> print(sparse_ops.SparseSegmentSqrtNWithNumSegments()(x, indices, ids, ms.Tensor(3)))
        [1. 0. 2.]

    Source: mindspore.ops.operations.sparse_ops.SparseSegmentSqrtNWithNumSegments of MindSpore 2.10.
    """

    power = 0.5

    @checked
    def __call__(self, x: Floating, indices: Index, segment_ids: Index, num_segments: Index):
        return self.reduced(x, indices, segment_ids, num_segments)


@public("ops.operations.sparse_ops.SparseSegmentMeanWithNumSegments")
class SparseSegmentMeanWithNumSegments(_Segments):
    """Computes the mean of the rows selected by `indices` for each of `num_segments` segments; 0
    for an empty segment.

    Raises:
        ValueError: if an index is out of range, `segment_ids` is not sorted, or `num_segments` is
            too small.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.ops.operations import sparse_ops
        >>> x, indices, ids = ms.Tensor([1.0, 2.0, 4.0]), ms.Tensor([0, 1, 2]), ms.Tensor([0, 2, 2])
        >>> print(sparse_ops.SparseSegmentMeanWithNumSegments()(x, indices, ids, ms.Tensor(4)))
        [1. 0. 3. 0.]

    Source: mindspore.ops.operations.sparse_ops.SparseSegmentMeanWithNumSegments of MindSpore 2.10.
    """

    power = 1

    @checked
    def __call__(self, x: Floating, indices: Index, segment_ids: Index, num_segments: Index):
        return self.reduced(x, indices, segment_ids, num_segments)
