"""Slices given by numbers: slices, strided slices, narrowing, slice updates; and sequence masks.

Reshaping is in reshape.py, joining and splitting in join_split.py, indexing in
_indexing/getitem.py, padding in pad.py.
"""

from ..._core.declare.inputs import SameDtype
from ..._core.declare.op import op
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Bool, Int, InTensor, ListOf, ScalarOf, TupleOf, checked
from .._rules import Anything, Index, Ints
from . import ranges
from .axes import axis_of
from .reshape import expand_dims

Scalar, Mask = ScalarOf(Int), ScalarOf(Int(ge=0))
IntsOrTensor = InTensor(Ints)


@op("ops.slice(input_x, begin, size)", "ops.Slice()(input: input_x, begin, size)", compute="native")
def slice_(xp, input_x: Anything, begin: IntsOrTensor, size: IntsOrTensor):
    """Extracts the slice of size `size` that starts at `begin`; a size of -1 extends to the end.

    Shapes:
        `begin` and `size` have one number for each axis of `input_x`. The result is of that size
        and of the same dtype.

    Example:
        >>> print(ms.ops.slice(ms.Tensor([[1, 2, 3], [4, 5, 6]]), (0, 1), (2, 2)))
        [[2 3]
         [5 6]]
    """
    if not input_x.ndim == len(begin) == len(size):
        raise ValueError(
            f"For 'slice', 'begin' and 'size' must have {input_x.ndim} numbers each, "
            f"but got {begin}, {size}."
        )
    index = []
    for axis, (first, count) in enumerate(zip(begin, size)):
        last = input_x.shape[axis] if count == -1 else first + count
        if first < 0 or last > input_x.shape[axis]:
            raise ValueError(
                f"For 'slice', 'begin' and 'size' must stay within {input_x.shape}, "
                f"but got {begin}, {size}."
            )
        index.append(slice(first, last))
    return input_x[tuple(index)]


@op(
    "ops.strided_slice(input_x, begin, end, strides, begin_mask=0, end_mask=0, ellipsis_mask=0, "
    "new_axis_mask=0, "
    "shrink_axis_mask=0)",
    "ops.StridedSlice(begin_mask=0, end_mask=0, ellipsis_mask=0, new_axis_mask=0, "
    "shrink_axis_mask=0)"
    "(input_x, begin, end, strides)",
    compute="native",
)
def strided_slice(
    xp,
    input_x: Anything,
    begin: IntsOrTensor,
    end: IntsOrTensor,
    strides: IntsOrTensor,
    begin_mask: Mask = 0,
    end_mask: Mask = 0,
    ellipsis_mask: Mask = 0,
    new_axis_mask: Mask = 0,
    shrink_axis_mask: Mask = 0,
):
    """Extracts the strided slice from `begin` to `end` in steps of `strides`.

    Bit i of a mask changes the meaning of entry i. With `begin_mask` or `end_mask`, the begin or
    end is ignored; with `ellipsis_mask`, the entry is an ellipsis; with `new_axis_mask`, a new
    axis; with `shrink_axis_mask`, a single position whose axis is removed.

    Shapes:
        `begin`, `end` and `strides` have the same length, at most the number of axes of `input_x`.
        The dtype is kept.

    Example:
        >>> print(ms.ops.strided_slice(ms.Tensor([[1, 2, 3], [4, 5, 6]]), (0, 0), (2, 3), (1, 2)))
        [[1 3]
         [4 6]]
    """
    if not len(begin) == len(end) == len(strides):
        raise ValueError(
            f"For 'strided_slice', 'begin', 'end' and 'strides' must have one length, "
            f"but got {begin}, {end}, {strides}."
        )
    index = []
    for i, (first, last, step) in enumerate(zip(begin, end, strides)):
        bit = 1 << i
        if ellipsis_mask & bit:
            index.append(Ellipsis)
        elif new_axis_mask & bit:
            index.append(None)
        elif shrink_axis_mask & bit:
            index.append(first)
        elif step == 0:
            raise ValueError(f"For 'strided_slice', 'strides' must not hold 0, but got {strides}.")
        else:
            index.append(
                slice(None if begin_mask & bit else first, None if end_mask & bit else last, step)
            )
    return input_x[tuple(index)]


@op("ops.narrow(input, axis, start, length)", compute="native")
def narrow(xp, input: Anything, axis: Int | Bool, start: Int(ge=0), length: Int(ge=1)):
    """Narrows an axis to `length` elements from `start` on.

    Shapes:
        `input` has at least one axis. The result has the length `length` along `axis` and the same
        dtype.

    Example:
        >>> print(ms.ops.narrow(ms.Tensor([[1, 2, 3], [4, 5, 6]]), 1, 1, 2))
        [[2 3]
         [5 6]]
    """
    return _slice_of_axis(input, axis_of(axis, input), start, length)


@op("mint.narrow(input, dim: axis, start, length)", compute="native")
def mint_narrow(
    xp,
    input: Anything,
    axis: ScalarOf(Int, TypeError),
    start: InTensor(Int),
    length: ScalarOf(Int(ge=0), TypeError),
):
    """Narrows an axis to `length` elements from `start` on. A negative `start` counts from the end.

    Shapes:
        `input` has at least one axis. The result has the length `length` along `axis` and the same
        dtype.

    Example:
        >>> print(ms.mint.narrow(ms.Tensor([[1, 2, 3], [4, 5, 6]]), 1, -2, 2))
        [[2 3]
         [5 6]]
    """
    axis = axis_of(axis, input)
    return _slice_of_axis(input, axis, start + input.shape[axis] if start < 0 else start, length)


def _slice_of_axis(input, axis, start, length):
    if not 0 <= start <= start + length <= input.shape[axis]:
        raise ValueError(
            f"For 'narrow', 'start' and 'length' must lie within the axis of length "
            f"{input.shape[axis]}, but got {start} and {length}."
        )
    return input[(slice(None),) * axis + (slice(start, start + length),)]


@op(
    "ops.select_scatter(input, src, axis, index)",
    "Tensor.select_scatter(src, axis, index)",
    types=SameDtype("input src"),
    compute="native",
)
def select_scatter(
    xp, input: Anything, src: Anything, axis: Int, index: InTensor(Int | Bool, ValueError)
):
    """Replaces one slice along an axis, in a copy of the input.

    Shapes:
        `src` has the shape of `input` without `axis`. The result has the shape and dtype of
        `input`.

    Example:
        >>> print(ms.ops.select_scatter(ms.Tensor([[1, 2], [3, 4]]), ms.Tensor([9, 8]), 0, 1))
        [[1 2]
         [9 8]]
    """
    front = (slice(None),) * axis_of(axis, input)
    return xp.scatter_set(
        input, (*front, _checked_source("select_scatter", input, src, front, int(index))), src
    )


@op(
    "ops.slice_scatter(input, src, axis=0, start=None, end=None, step=1)",
    "Tensor.slice_scatter(src, axis=0, start=None, end=None, step=1)",
    types=SameDtype("input src"),
    compute="native",
)
def slice_scatter(
    xp,
    input: Anything,
    src: Anything,
    axis: InTensor(Int, ValueError) = 0,
    start: InTensor(Int | Bool, ValueError) = None,
    end: InTensor(Int | Bool, ValueError) = None,
    step: InTensor(Int(ge=1) | Bool, ValueError) = 1,
):
    """Replaces the slices from `start` to `end`, in steps of `step`, along an axis, in a copy of
    the input.

    Shapes:
        `src` has the shape of the slices. The result has the shape and dtype of `input`.

    Example:
        >>> print(ms.ops.slice_scatter(ms.Tensor([1, 2, 3, 4]), ms.Tensor([9, 8]), 0, 0, 4, 2))
        [9 2 8 4]
    """
    if not -input.ndim <= axis < input.ndim:
        raise IndexError(
            f"For 'slice_scatter', 'axis' must be in [{-input.ndim}, {input.ndim}), but got {axis}."
        )
    front = (slice(None),) * axis_of(axis, input)
    return xp.scatter_set(
        input,
        (*front, _checked_source("slice_scatter", input, src, front, slice(start, end, step))),
        src,
    )


def _checked_source(api, input, src, front, index):
    """Returns `index`, after a check that `src` has the shape of the elements there."""
    expected_shape = tuple(input[(*front, index)].shape)
    if tuple(src.shape) != expected_shape:
        raise ValueError(
            f"For '{api}', 'src' must have shape {expected_shape}, but got {tuple(src.shape)}."
        )
    return index


@public("ops.sequence_mask")
@checked
def sequence_mask(lengths: Index, maxlen: Int(ge=1, le=2**31 - 1) | None = None):
    """Creates a mask along a new last axis of length `maxlen`, by default the largest length. In
    row i, the first lengths[i] elements are True.

    Args:
        lengths (Tensor): int32 or int64 of any shape.
        maxlen (int): the length of the new axis, below 2**31; None for the largest of `lengths`.

    Returns:
        bool Tensor of shape (*lengths.shape, maxlen).

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.sequence_mask(ms.Tensor([1, 2]), 3))
        [[ True False False]
         [ True  True False]]

    Source: mindspore.ops.sequence_mask of MindSpore 2.10.
    """
    count = int(lengths._array.max()) if maxlen is None else maxlen
    return ranges.arange(count) < expand_dims.run(lengths, -1)


@public("ops.tensor_slice")
@checked
def tensor_slice(
    input: Anything, begin: TupleOf(Int) | ListOf(Int), size: TupleOf(Int) | ListOf(Int)
):
    """Extracts the slice of the given size that starts at `begin`; a size of -1 extends to the end.

    Args:
        input (Tensor): the input.
        begin (Union[tuple[int], list[int]]): the first position along each axis.
        size (Union[tuple[int], list[int]]): the length along each axis.

    Returns:
        Tensor of the dtype of `input`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.tensor_slice(ms.Tensor([1, 2, 3]), (1,), (2,)))
        [2 3]
    """
    ends = [n if s == -1 else b + s for b, s, n in zip(begin, size, input.shape, strict=True)]
    return input[tuple(slice(b, e) for b, e in zip(begin, ends, strict=True))]
