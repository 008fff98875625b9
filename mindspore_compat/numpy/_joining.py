"""mindspore.numpy: joining, splitting and repetition; public through `array_ops`."""

from .._core.declare.templates import template
from .._core.rules.checked import checked
from .._core.rules.vocabulary import AsValue, Bool, InstanceOf, Int
from .._core.tensor.tensor import Tensor
from ..ops._shape import join_split, stacks
from ..ops._shape import repeat as repeat_ops
from ._convert import as_tensor, axis_of, is_int, need_tensor, own_axis, promoted, whole_numbers

_TupleOrList = InstanceOf(tuple, list).called("a tuple, list or Tensor")

_MOST_AXES = 32  # of an array of older NumPy; a larger axis counts as None
_Arrays = AsValue(InstanceOf(Tensor, tuple, list).called("a tuple, list or Tensor"))

__all__ = [
    "append",
    "array_split",
    "column_stack",
    "concatenate",
    "dsplit",
    "dstack",
    "hsplit",
    "hstack",
    "repeat",
    "split",
    "stack",
    "tile",
    "vsplit",
    "vstack",
]


def _arrays(arrays, api):
    """Returns a list of Tensors.

    Raises:
        TypeError: if `arrays` has the wrong type.
        ValueError: if it is empty.
    """
    if isinstance(arrays, Tensor):
        arrays = [arrays[i] for i in range(arrays.shape[0])] if arrays.ndim else ()
    _TupleOrList.refuse_part(api, "the arrays", arrays)
    if not arrays:
        raise ValueError(f"For '{api}', there must be at least one array.")
    return [need_tensor(a, api) for a in arrays]


@checked
def concatenate(arrays, axis: Int | None = 0):
    """Concatenates Tensors along an axis; if `axis` is None or at least 32, all their elements.

    Args:
        arrays (Union[Tensor, tuple[Tensor], list[Tensor]]): the parts; a Tensor counts as its
            slices along the first axis. Lengths may differ along `axis` only.
        axis (int): the axis to join. Default: 0.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if the axis is out of range, or the shapes do not fit.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.concatenate([ms.Tensor([1, 2]), ms.Tensor([3])]))
        [1 2 3]

    Source: mindspore.numpy.concatenate of MindSpore 2.10.
    """
    arrays = _arrays(arrays, "concatenate")
    if axis is None or axis >= _MOST_AXES:
        arrays, axis = [a.reshape(-1) for a in arrays], 0
    return _join(arrays, own_axis(axis, arrays[0], "concatenate"), "concatenate")


def _join(arrays, axis, api):
    """Joins Tensors along an axis, in their promoted dtype."""
    shape = [n for index, n in enumerate(arrays[0].shape) if index != axis]
    for array in arrays[1:]:
        if [n for index, n in enumerate(array.shape) if index != axis] != shape or (
            array.ndim != arrays[0].ndim
        ):
            raise ValueError(
                f"For '{api}', the shapes must agree but for axis {axis}, but got "
                f"{[a.shape for a in arrays]}."
            )
    return join_split.cat.run(promoted(*arrays), axis)


@checked
def append(arr, values, axis: Int = None):
    """Appends a Tensor to another along an axis; if `axis` is None, all elements in order.

    Args:
        arr, values (Tensor): the first and the second part.
        axis (int): the axis to join. Default: None, which flattens both.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if the axis is out of range, or the shapes do not fit.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.append(ms.Tensor([1, 2]), ms.Tensor([3])))
        [1 2 3]

    Source: mindspore.numpy.append of MindSpore 2.10.
    """
    return concatenate([need_tensor(arr, "append"), need_tensor(values, "append")], axis)


@checked
def stack(arrays: _Arrays, axis: Int | Bool = 0):
    """Stacks Tensors of one shape along a new axis; a single Tensor is split along its first axis.

    Args:
        arrays (Union[Tensor, tuple[Tensor], list[Tensor]]): Tensors of one shape.
        axis (int): the position of the new axis. Default: 0.

    Raises:
        TypeError: if an item is not a Tensor, or `axis` is not an int.
        ValueError: if `arrays` has the wrong type or is empty, or the shapes differ.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.stack([ms.Tensor([1, 2]), ms.Tensor([3, 4])], axis=1))
        [[1 3]
         [2 4]]

    Source: mindspore.numpy.stack of MindSpore 2.10.
    """
    arrays = (
        _arrays(arrays, "stack")
        if not isinstance(arrays, Tensor) or arrays.size
        else [arrays.reshape(-1)]
    )
    if len({a.shape for a in arrays}) > 1:
        raise ValueError(
            f"For 'stack', the shapes must agree, but got {[a.shape for a in arrays]}."
        )
    if len(arrays) == 1 and not arrays[0].size:
        return arrays[0]
    return join_split.stack.run(promoted(*arrays), axis % (arrays[0].ndim + 1))


_documented_stack = template(
    """
    tup (Union[Tensor, tuple[Tensor], list[Tensor]]): the Tensors; a single Tensor is returned as it
        is.
    """,
    Returns="Tensor, in the dtype to which all are promoted.",
    Raises="""
    TypeError: if `tup` is not a tuple, list or Tensor, or an item is not a Tensor.
    ValueError: if it is empty, or the shapes do not fit.
    """,
)


def _stacked(tup, join):
    if isinstance(tup, Tensor):
        return tup
    name = join.__name__
    arrays = promoted(*_arrays(tup, name))
    try:
        return join(arrays)
    except ValueError:
        raise ValueError(
            f"For '{name}', the shapes must agree but for the axis that is "
            f"joined, but got {[a.shape for a in arrays]}."
        ) from None


@_documented_stack
def vstack(tup):
    """Joins Tensors along the first axis, vectors as rows.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.vstack((ms.Tensor([1, 2]), ms.Tensor([3, 4]))))
        [[1 2]
         [3 4]]

    Source: mindspore.numpy.vstack of MindSpore 2.10.
    """
    return _stacked(tup, stacks.vstack)


@_documented_stack
def hstack(tup):
    """Joins Tensors along the second axis, vectors along their only one.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.hstack((ms.Tensor([1, 2]), ms.Tensor([3, 4]))))
        [1 2 3 4]

    Source: mindspore.numpy.hstack of MindSpore 2.10.
    """
    return _stacked(tup, stacks.hstack)


@_documented_stack
def dstack(tup):
    """Joins Tensors along the third axis.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.dstack((ms.Tensor([1, 2]), ms.Tensor([3, 4]))))
        [[[1 3]
          [2 4]]]

    Source: mindspore.numpy.dstack of MindSpore 2.10.
    """
    return _stacked(tup, stacks.dstack)


@_documented_stack
def column_stack(tup):
    """Joins Tensors along the second axis, vectors as columns.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.column_stack((ms.Tensor([1, 2]), ms.Tensor([3, 4]))))
        [[1 3]
         [2 4]]

    Source: mindspore.numpy.column_stack of MindSpore 2.10.
    """
    return _stacked(tup, stacks.column_stack)


def _parts(x, sections, axis, api, even):
    """Returns the parts of a Tensor: a tuple if given their number, a list if given the indices
    between them.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if a part would be empty, or, with `even`, the parts not equal.
    """
    x = need_tensor(x, api)
    if not x.ndim:
        raise ValueError(f"For '{api}', the input must have an axis.")
    axis = axis_of(axis, x.ndim, api)
    length = x.shape[axis]
    if is_int(sections):
        if not 0 < sections <= length or (even and length % sections):
            raise ValueError(
                f"For '{api}', 'indices_or_sections' must divide the length {length}, "
                f"but got {sections}."
            )
        return tuple(join_split.tensor_split(x, sections, axis))
    if not isinstance(sections, (tuple, list)) or not all(map(is_int, sections)):
        raise TypeError(
            f"For '{api}', 'indices_or_sections' must be an int, or a tuple or list of "
            f"ints, but got {sections!r}."
        )
    ends = [0, *(s + length if s < 0 else s for s in sections), length]
    if any(end >= two for end, two in zip(ends, ends[1:])):
        raise ValueError(
            f"For '{api}', no part must be empty, but got {sections} for the length {length}."
        )
    front = (slice(None),) * axis
    return [x[front + (slice(end, two),)] for end, two in zip(ends, ends[1:])]


_documented_split = template(
    """
    x (Tensor): the Tensor to split.
    indices_or_sections (Union[int, tuple[int], list[int]]): the number of parts, or the indices
        at which later parts begin.
    axis (int): the axis to split. Default: 0.
    """,
    Returns="A tuple of Tensors if given their number, a list if given indices.",
    Raises="""
    TypeError: if an argument has the wrong type.
    ValueError: if the axis is out of range, or the Tensor cannot be split in this way.
    """,
)


@_documented_split
def split(x, indices_or_sections, axis=0):
    """Splits a Tensor along an axis into equal parts, or at indices.

    Example:
        >>> import mindspore_compat as ms
        >>> print([part.shape for part in ms.numpy.split(ms.numpy.arange(4), 2)])
        [(2,), (2,)]

    Source: mindspore.numpy.split of MindSpore 2.10.
    """
    return _parts(x, indices_or_sections, axis, "split", True)


@_documented_split
def array_split(x, indices_or_sections, axis=0):
    """Splits a Tensor along an axis into nearly equal parts, or at indices.

    Example:
        >>> import mindspore_compat as ms
        >>> print([part.shape for part in ms.numpy.array_split(ms.numpy.arange(5), 2)])
        [(3,), (2,)]

    Source: mindspore.numpy.array_split of MindSpore 2.10.
    """
    return _parts(x, indices_or_sections, axis, "array_split", False)


@_documented_split
def hsplit(x, indices_or_sections):
    """Splits a Tensor along the second axis into equal parts, or at indices.

    Example:
        >>> import mindspore_compat as ms
        >>> print([part.shape for part in ms.numpy.hsplit(ms.numpy.ones((2, 4)), 2)])
        [(2, 2), (2, 2)]

    Source: mindspore.numpy.hsplit of MindSpore 2.10.
    """
    return _parts(x, indices_or_sections, 1, "hsplit", True)


@_documented_split
def vsplit(x, indices_or_sections):
    """Splits a Tensor along the first axis into equal parts, or at indices.

    Example:
        >>> import mindspore_compat as ms
        >>> print([part.shape for part in ms.numpy.vsplit(ms.numpy.ones((4, 2)), 2)])
        [(2, 2), (2, 2)]

    Source: mindspore.numpy.vsplit of MindSpore 2.10.
    """
    return _parts(x, indices_or_sections, 0, "vsplit", True)


@_documented_split
def dsplit(x, indices_or_sections):
    """Splits a Tensor along the third axis into equal parts, or at indices.

    Example:
        >>> import mindspore_compat as ms
        >>> print([part.shape for part in ms.numpy.dsplit(ms.numpy.ones((1, 1, 4)), 2)])
        [(1, 1, 2), (1, 1, 2)]

    Source: mindspore.numpy.dsplit of MindSpore 2.10.
    """
    return _parts(x, indices_or_sections, 2, "dsplit", True)


def tile(a, reps):
    """Tiles a Tensor: repeats it along each axis; `reps` is an int, or a tuple, list or Tensor of
    ints.

    Args:
        a (Tensor): the Tensor to repeat.
        reps (Union[int, tuple[int], list[int], Tensor]): the number of copies along each axis.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if a number is negative.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.tile(ms.Tensor([1, 2]), 2))
        [1 2 1 2]

    Source: mindspore.numpy.tile of MindSpore 2.10.
    """
    a = need_tensor(a, "tile")
    if isinstance(reps, Tensor) and reps.ndim and (reps._array.dtype.kind in "bi" or not reps.size):
        reps = [int(n) for n in reps.asnumpy().reshape(-1)]
    reps = whole_numbers(reps, "reps", "tile")
    if min(reps, default=0) < 0:
        raise ValueError(f"For 'tile', 'reps' must not hold negative numbers, but got {reps}.")
    return a.tile(reps) if reps else a


@checked
def repeat(a, repeats, axis: Int = None):
    """Repeats every element along an axis, or of the flattened input.

    Args:
        a (Union[Tensor, number, list, tuple]): the values; not bools.
        repeats (Union[int, tuple, list, Tensor]): the number of repeats, for all or for each
            element.
        axis (int): the axis.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if a number is negative, the length of `repeats` does not fit, or the axis is
            out of range.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.repeat(ms.Tensor([1, 2]), 2))
        [1 1 2 2]

    Source: mindspore.numpy.repeat of MindSpore 2.10.
    """
    a = as_tensor(a, "repeat")
    if a._array.dtype.kind == "b":
        raise TypeError("For 'repeat', 'a' must not hold bools.")
    if isinstance(repeats, Tensor) and repeats._array.dtype.kind in "iu":
        repeats = tuple(map(int, repeats.asnumpy().reshape(-1)))
    counts = whole_numbers(repeats, "repeats", "repeat")
    a, axis = (a.reshape(-1), 0) if axis is None else (a, own_axis(axis, a, "repeat"))
    if min(counts, default=-1) < 0 or len(counts) not in (1, a.shape[axis]):
        raise ValueError(
            f"For 'repeat', 'repeats' must be one number or {a.shape[axis]}, none of "
            f"them negative, but got {repeats}."
        )
    return repeat_ops.repeat_interleave(a, counts[0] if len(counts) == 1 else list(counts), axis)
