"""Segment sums, products and extremes, for segment ids in any order.

The number of segments is given. Operators for sorted ids are in _reduction/segment.py.
"""

import ml_dtypes
import numpy

from ..._backend.arrays import all_below
from ..._core.declare.inputs import Quirks
from ..._core.declare.op import op
from ..._core.rules.vocabulary import Int, InTensor, TensorOf, number, real
from .._rules import Index, IndexOfAnyInt


def start_of(dtype, how):
    """Returns the value of an empty segment: the dtype's limit for extremes, 1 for products."""
    if how == "mul":
        return 1
    info = numpy.iinfo(dtype) if dtype.kind in "iu" else ml_dtypes.finfo(dtype)
    return info.min if how == "max" else info.max


def need_ids(api, x, segment_ids):
    """Rejects segment ids unless their shape equals the shape of the first axes of `x`."""
    if segment_ids.shape != x.shape[: segment_ids.ndim]:
        raise ValueError(
            f"For '{api}', 'segment_ids' must have the shape of the first axes of the "
            f"input, but got {segment_ids.shape} with {x.shape}."
        )


def _rows(xp, api, segment_ids, count):
    """Returns the segment of each slice, or `count` if the slice is left out.

    Slices with a negative id are left out. On a GPU, slices with an id of `count` or more are left
    out, too, because the host would have to wait before it could raise an error.

    Raises:
        RuntimeError: if an id on the host is `count` or more.
    """
    try:
        segment_ids = all_below(xp, segment_ids, count)
    except IndexError as error:
        raise RuntimeError(
            f"For '{api}', 'segment_ids' must be below 'num_segments' ({count}), but {error}."
        ) from None
    return xp.where(segment_ids < 0, count, segment_ids)


def _segment(lines, how, words, printed, allowed):
    name = lines[0].partition("(")[0].removeprefix("ops.")

    def body(xp, x: allowed, segment_ids: Index, num_segments: Int(ge=1)):
        need_ids(name, x, segment_ids)
        start = xp.full(
            (num_segments + 1, *x.shape[segment_ids.ndim :]), start_of(x.dtype, how), x.dtype
        )
        ids = _rows(xp, name, segment_ids, num_segments)
        return xp.scatter_reduce(start, (ids,), x, how)[:num_segments]

    body.__name__ = name
    body.__doc__ = f"""{words} the slices that belong to the same segment.

    Slices with a number below 0 are left out. On a GPU those with a number of `num_segments` or
    more are left out, too.

    Shapes:
        `segment_ids` has the shape of the first axes of `x`. The result is (num_segments, *the
        other axes), of the dtype of `x`.

    Example:
        >>> x, ids = ms.Tensor([2.0, 3.0, 4.0]), ms.Tensor([0, 1, 0])
        >>> print(ms.ops.{name}(x, ids, 2))
        {printed}
    """
    op(*lines, compute="native")(body)


_segment(
    (
        "ops.unsorted_segment_max(x, segment_ids, num_segments)",
        "ops.UnsortedSegmentMax()(x, segment_ids, num_segments)",
        "Tensor.unsorted_segment_max(segment_ids, num_segments)",
    ),
    "max",
    "Takes the largest elements of",
    "[4. 3.]",
    TensorOf(real),
)
_segment(
    (
        "ops.unsorted_segment_min(x, segment_ids, num_segments)",
        "ops.UnsortedSegmentMin()(x, segment_ids, num_segments)",
        "Tensor.unsorted_segment_min(segment_ids, num_segments)",
    ),
    "min",
    "Takes the smallest elements of",
    "[2. 3.]",
    TensorOf(real),
)
_segment(
    (
        "ops.unsorted_segment_prod(x, segment_ids, num_segments)",
        "ops.UnsortedSegmentProd()(x, segment_ids, num_segments)",
        "Tensor.unsorted_segment_prod(segment_ids, num_segments)",
    ),
    "mul",
    "Multiplies",
    "[8. 3.]",
    TensorOf(number),
)


@op(
    "ops.unsorted_segment_sum(input_x, segment_ids, num_segments)",
    "ops.UnsortedSegmentSum()(input_x, segment_ids, num_segments)",
    compute="native",
    quirks=Quirks(shapes_first=True),
)
def unsorted_segment_sum(
    xp,
    input_x: TensorOf(number),
    segment_ids: IndexOfAnyInt.but("int8", "uint8"),
    num_segments: InTensor(Int(ge=1)),
):
    """Sums the slices of each segment. Slices with a negative segment id are ignored. On a GPU
    slices with an id of `num_segments` or more are ignored, too.

    Shapes:
        `segment_ids` has the shape of the first axes of `input_x`. The result is (num_segments,
        *the other axes), of the dtype of `input_x`.

    Example:
        >>> print(ms.ops.unsorted_segment_sum(ms.Tensor([1.0, 2.0, 3.0]), ms.Tensor([0, 1, 0]), 2))
        [4. 2.]
    """
    need_ids("unsorted_segment_sum", input_x, segment_ids)
    tail = input_x.shape[segment_ids.ndim :]
    total = xp.zeros((num_segments + 1, *tail), input_x.dtype)
    ids = _rows(xp, "unsorted_segment_sum", xp.cast(segment_ids, "int64"), num_segments)
    return xp.scatter_add(total, (ids,), input_x)[:num_segments]
