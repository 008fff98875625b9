"""Segment sums, means, products and extremes, for sorted segment ids.

Operators for unsorted ids, which take the number of segments, are in
_reduction/unsorted_segment.py.
"""

from ..._core.declare.op import op
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Any, TensorOf, checked, number, real
from .._rules import Anything, Index
from ..primitive import Primitive
from .unsorted_segment import start_of


@op(compute="native")
def by_segment(xp, input_x: Anything, segment_ids: Index, count: Any, how: Any):
    """Combines the slices of each segment; an empty segment gives 0 (1 for products)."""
    shape = (count, *input_x.shape[1:])
    if how in ("add", "mean"):
        total = xp.scatter_add(xp.zeros(shape, input_x.dtype), (segment_ids,), input_x)
        if how == "add":
            return total
        counts = xp.scatter_add(xp.zeros(count, "int64"), (segment_ids,), xp.ones_like(segment_ids))
        counts = xp.reshape(xp.maximum(counts, 1), (count,) + (1,) * (input_x.ndim - 1))
        return xp.cast(total / xp.cast(counts, total.dtype), input_x.dtype)
    if how == "mul":
        return xp.scatter_reduce(xp.ones(shape, input_x.dtype), (segment_ids,), input_x, how)
    start = xp.full(shape, start_of(input_x.dtype, how), input_x.dtype)
    out = xp.scatter_reduce(start, (segment_ids,), input_x, how)
    counts = xp.occurrences(segment_ids, count)
    is_filled = xp.reshape(counts > 0, (count,) + (1,) * (input_x.ndim - 1))
    return xp.where(is_filled, out, xp.zeros_like(out))


def _check(api, input_x, segment_ids):
    ids = segment_ids._array
    if ids.ndim != 1 or input_x.ndim == 0 or ids.shape[0] != input_x.shape[0] or not ids.size:
        raise ValueError(
            f"For '{api}', 'segment_ids' must have one number for each slice, but got shapes "
            f"{segment_ids.shape} and {input_x.shape}."
        )
    if int(ids[0]) < 0 or bool((ids[1:] < ids[:-1]).any()):
        raise ValueError(f"For '{api}', 'segment_ids' must rise from 0 or more.")


def _primitive(path, how, word, allowed=TensorOf(number)):
    class Segment(Primitive):
        def __init__(self):
            super().__init__(type(self).__name__)

        @checked
        def __call__(self, input_x: allowed, segment_ids: Index):
            _check(self.name, input_x, segment_ids)
            count = int(segment_ids._array[-1]) + 1
            return by_segment.run(input_x, segment_ids, count, how)

    Segment.__name__ = Segment.__qualname__ = path.removeprefix("ops.")
    Segment.__doc__ = f"""The {word} of the slices of each segment; `segment_ids` rises.

    Inputs:
        - **input_x** (Tensor): the slices, along the first axis.
        - **segment_ids** (Tensor): int32 or int64, the segment of each slice.

    Outputs:
        As many slices as the last number plus one; an empty segment holds
        {"ones" if how == "mul" else "zeros"}.

    Example:
        >>> import mindspore_compat as ms
        >>> x, segments = ms.Tensor([2.0, 3.0, 4.0]), ms.Tensor([0, 0, 1])
        >>> print(ms.{path}()(x, segments).shape)
        (2,)

    Raises:
        TypeError: if an input is of the wrong type.
        ValueError: if the shapes do not fit or the numbers do not rise.

    Source: mindspore.{path} of MindSpore 2.10.
    """
    public(path)(Segment)


_primitive("ops.SegmentSum", "add", "sum")
_primitive("ops.SegmentMean", "mean", "mean")
_primitive("ops.SegmentProd", "mul", "product")
_primitive("ops.SegmentMax", "max", "largest elements", TensorOf(real))
_primitive("ops.SegmentMin", "min", "smallest elements", TensorOf(real))
