"""Scatters: writing, adding, multiplying, ... updates at positions; sums and extremes over
segments.

Three families share their arithmetic: `scatter_*` changes a Parameter at slices, `scatter_nd_*` at
positions given as rows, `tensor_scatter_*` returns a new Tensor. Selection and plain indexing are
in
_index.py.
"""

import numpy

from .._backend.arrays import SPACES
from .._core.op import op
from .._core.rules import Any, Bool, Int, OneOf, Str, TensorOf, any_dtype, checked
from .._core.surface import plain, public
from .._core.tensor import Tensor
from ._axes import axis_of
from .primitive import Primitive

Anything = TensorOf(any_dtype)
Index = TensorOf("int32", "int64")


@op(widen=False)
def scatter_by(xp, input: Anything, updates: Anything, index: Any, how: Str):
    """A copy of the input with updates applied at an index, one after the other where places
    repeat."""
    updates = xp.cast(updates, input.dtype)
    if how == "update":
        return xp.scatter_set(input, index, updates)
    if how == "add":
        return xp.scatter_add(input, index, updates)
    if how == "sub":
        return xp.scatter_add(input, index, -updates)
    return xp.scatter_reduce(input, index, updates, how)


def _rows(indices):
    """Positions given as rows, as an index of arrays."""
    array = indices._array
    return tuple(array[..., i] for i in range(array.shape[-1]))


def _check_rows(api, input_x, indices, updates):
    if not isinstance(input_x, Tensor):
        raise TypeError(f"For '{api}', 'input_x' must be a Tensor, but got "
                        f"{type(input_x).__name__}.")
    for name, one in (("indices", indices), ("updates", updates)):
        if not isinstance(one, Tensor):
            raise TypeError(f"For '{api}', '{name}' must be a Tensor, but got "
                            f"{type(one).__name__}.")
    if indices._array.dtype.name not in ("int32", "int64"):
        raise TypeError(f"For '{api}', 'indices' must be int32 or int64, but got {indices.dtype}.")
    depth = indices.shape[-1] if indices.ndim else 0
    if not 1 <= depth <= input_x.ndim:
        raise ValueError(f"For '{api}', the last axis of 'indices' must have length 1 to "
                         f"{input_x.ndim}, but got {indices.shape}.")
    wanted = indices.shape[:-1] + input_x.shape[depth:]
    if updates.shape != wanted:
        raise ValueError(f"For '{api}', 'updates' must have the shape {wanted}, but got "
                         f"{updates.shape}.")
    check_range(api, indices._array, input_x.shape[:depth])


def check_range(api, indices, lengths):
    """Refuses positions below 0 or past the end, where the original reads or writes out of
    bounds."""
    if indices.size == 0 or type(indices) not in SPACES:  # a batch, or an array of a traced graph
        return
    ends = numpy.asarray(lengths)
    low = indices.min()
    high = indices.reshape(-1, indices.shape[-1]).max(0) if indices.ndim else indices
    high = high.get() if hasattr(high, "get") else high
    if int(low) < 0 or (numpy.asarray(high) >= ends).any():
        raise IndexError(f"For '{api}', 'indices' must be in [0, {tuple(ends.tolist())}), but "
                         f"they reach from "
                         f"{int(low)} to {numpy.asarray(high).tolist()}.")


def _check_slices(api, input_x, indices, updates):
    if not isinstance(input_x, Tensor):
        raise TypeError(f"For '{api}', 'input_x' must be a Parameter or Tensor, but got "
                        f"{type(input_x).__name__}.")
    for name, one in (("indices", indices), ("updates", updates)):
        if not isinstance(one, Tensor):
            raise TypeError(f"For '{api}', '{name}' must be a Tensor, but got "
                            f"{type(one).__name__}.")
    if indices._array.dtype.name not in ("int32", "int64"):
        raise TypeError(f"For '{api}', 'indices' must be int32 or int64, but got {indices.dtype}.")
    wanted = indices.shape + input_x.shape[1:]
    if updates.shape != wanted:
        raise ValueError(f"For '{api}', 'updates' must have the shape {wanted}, but got "
                         f"{updates.shape}.")
    check_range(api, indices._array.reshape(-1, 1), input_x.shape[:1])


def _in_place(api, input_x, updates, index, how):
    """Writes the result of a scatter into `input_x` and returns it."""
    made = scatter_by.run(Tensor._wrap(input_x._array), updates, index, how)
    input_x._array[...] = made._array
    return plain(input_x)


_SCATTER_DOC = """

Args:
    input_x (Tensor): what is changed.
    indices (Tensor): int32 or int64.
    updates (Tensor): one slice for each position.

Raises:
    TypeError: if an argument is no Tensor, or `indices` not of ints.
    ValueError: if the shapes do not fit.
    IndexError: if a position is out of range.
"""


def _scatter_family(how, word):
    """`scatter_add`, `scatter_nd_add`, `tensor_scatter_add` and their classes, for one way to
    combine."""

    def scatter(input_x, indices, updates):
        _check_slices(f"scatter_{how}", input_x, indices, updates)
        return _in_place(f"scatter_{how}", input_x, updates, (indices._array,), how)

    def scatter_nd(input_x, indices, updates, use_locking=False):
        _check_rows(f"scatter_nd_{how}", input_x, indices, updates)
        return _in_place(f"scatter_nd_{how}", input_x, updates, _rows(indices), how)

    def tensor_scatter(input_x, indices, updates):
        _check_rows(f"tensor_scatter_{how}", input_x, indices, updates)
        return scatter_by.run(input_x, updates, _rows(indices), how)

    title = how.capitalize()
    for function, name, doc in (
        (scatter, f"scatter_{how}",
         f"{word} slices of a Parameter along its first axis, in place."),
        (scatter_nd, f"scatter_nd_{how}",
         f"{word} slices of a Parameter at positions given as rows, in place."),
        (tensor_scatter, f"tensor_scatter_{how}",
         f"{word} slices of a Tensor at positions given as rows, in a copy."),
    ):
        function.__name__ = function.__qualname__ = name
        function.__doc__ = doc + _SCATTER_DOC
        public(f"ops.{name}")(function)
    _class(f"Scatter{title}", scatter)
    _class(f"ScatterNd{title}", scatter_nd)
    _class(f"TensorScatter{title}", tensor_scatter)
    if how in ("sub", "mul", "div", "max", "min"):
        public(f"Tensor.scatter_{how}")(tensor_scatter)


def _class(name, function):
    locked = name in ("ScatterUpdate", "ScatterNdUpdate")

    def __init__(self, use_locking=locked):
        if not isinstance(use_locking, bool):
            raise TypeError(f"For '{name}', 'use_locking' must be a bool, but got {use_locking!r}.")
        Primitive.__init__(self, name)
        self.use_locking = use_locking

    def __call__(self, input_x, indices, updates):
        return function(input_x, indices, updates)

    made = type(name, (Primitive,), {"__init__": __init__, "__call__": __call__,
                                     "__doc__": function.__doc__})
    public(f"ops.{name}")(made)


for _how, _word in {"update": "Writes", "add": "Adds to", "sub": "Subtracts from",
                    "mul": "Multiplies",
                    "div": "Divides", "max": "Raises to the larger",
                    "min": "Lowers to the smaller"}.items():
    _scatter_family(_how, _word)


# Along an axis ------------------------------------------------------------------------------------


@op("ops.tensor_scatter_elements(input_x, indices, updates, axis=0, reduction='none')",
    "ops.TensorScatterElements(axis=0, reduction='none')(data: input_x, indices, updates)",
    widen=False)
def tensor_scatter_elements(xp, input_x: Anything, indices: Index, updates: Anything, axis: Int = 0,
                            reduction: OneOf("none", "add", "mul") = "none"):
    """A copy with updates written (added, multiplied) at places along an axis, element by
    element."""
    updates = xp.cast(updates, input_x.dtype)
    axis = axis_of(axis, input_x)
    if reduction == "mul":
        places = [xp.reshape(xp.arange(n), (-1,) + (1,) * (indices.ndim - i - 1))
                  for i, n in enumerate(indices.shape)]
        return xp.scatter_reduce(input_x, (*places[:axis], indices, *places[axis + 1:]), updates,
                                 "mul")
    return xp.scatter_along_axis(input_x, indices, updates, axis, reduction == "add")


@op("ops.scatter(input, axis, index, src)", widen=False)
def scatter(xp, input: Anything, axis: Int, index: Index, src: TensorOf(any_dtype, scalars=True)):
    """A copy with the values of `src` written at places along an axis, element by element."""
    src = xp.cast(src, input.dtype)
    src = src[tuple(slice(0, n) for n in index.shape)] if src.ndim else src
    return xp.scatter_along_axis(input, index, src, axis_of(axis, input))


@op("mint.scatter_add(input, dim, index, src)",
    "Tensor.scatter_add_(dim, index, src)", widen=False)
def scatter_add_along(xp, input: Anything, dim: Int, index: Index, src: Anything):
    """A copy with the values of `src` added at places along an axis, element by element."""
    src = xp.cast(src[tuple(slice(0, n) for n in index.shape)], input.dtype)
    return xp.scatter_along_axis(input, index, src, axis_of(dim, input), True)


@op(widen=False)
def added_along(xp, input: Anything, index: Index, source: Anything, axis: Int):
    """A copy with slices of `source` added at places along an axis."""
    return xp.scatter_add(input, (slice(None),) * (axis_of(axis, input)) + (index,),
                          xp.cast(source, input.dtype))


@public("ops.index_add")
@checked
def index_add(x: Anything, indices: Index, y: Anything, axis: Int, use_lock: Bool = True,
              check_index_bound: Bool = True):
    """Adds slices of y to a Parameter at places along an axis, in place, and returns it.

    Raises:
        ValueError: if `axis` is out of range or the shapes do not fit.
        IndexError: if a place is out of range.

    Source: mindspore.ops.index_add of MindSpore 2.10.
    """
    if not -x.ndim <= axis < x.ndim:
        raise ValueError(f"For 'index_add', 'axis' must be in [{-x.ndim}, {x.ndim}), but got "
                         f"{axis}.")
    if y.ndim != x.ndim or y.shape[axis] != indices.shape[0]:
        raise ValueError(f"For 'index_add', 'y' must have {indices.shape[0]} slices along axis "
                         f"{axis}, but got {y.shape}.")
    check_range("index_add", indices._array.reshape(-1, 1),
                 x.shape[axis:][:1] if axis >= 0 else (x.shape[axis],))
    made = added_along.run(Tensor._wrap(x._array), indices, y, axis)
    x._array[...] = made._array
    return plain(x)


@public("ops.IndexAdd")
class IndexAdd(Primitive):
    """The class form of `ops.index_add`: `ops.IndexAdd(axis)(x, indices, y)`."""

    @checked
    def __init__(self, axis: Int, use_lock: Bool = True, check_index_bound: Bool = True):
        super().__init__("IndexAdd")
        self.axis = axis

    def __call__(self, x, indices, y):
        return index_add(x, indices, y, self.axis)


@public("mint.index_add")
def index_add_copy(input, dim, index, source, *, alpha=1):
    """A copy with alpha times the slices of `source` added at places along an axis; gradients
    pass."""
    return added_along.run(input, index, source if alpha == 1 else source * alpha, dim)


@op("ops.index_fill(x, axis, index, value)", "ops.IndexFill()(x, dim: axis, indices: index, value)",
    "Tensor.index_fill(axis, index, value)", "Tensor.index_fill_(dim: axis, index, value)",
    widen=False)
def index_fill(xp, x: Anything, axis: Int | Index, index: Index,
               value: TensorOf(any_dtype, scalars=True)):
    """A copy with one number in the slices named along an axis."""
    return xp.scatter_set(x, (slice(None),) * (axis_of(int(axis), x)) + (index,),
                          xp.cast(value, x.dtype))


@op("ops.masked_scatter(input, mask, source)",
    "ops.MaskedScatter()(x: input, mask, updates: source)",
    "Tensor.masked_scatter(mask, x: source)", "mint.masked_scatter(input, mask, source)",
    "Tensor.masked_scatter_(mask, source)", widen=False)
def masked_scatter(xp, input: Anything, mask: TensorOf("bool"), source: Anything):
    """A copy with the elements of `source`, in order, where the mask is true."""
    mask = xp.broadcast_to(mask, input.shape)
    flat = xp.ravel(mask)
    order = xp.cumsum(xp.cast(flat, "int64")) - 1
    picked = xp.take(xp.ravel(source), xp.where(flat, order, 0))
    return xp.where(mask, xp.reshape(picked, input.shape), input)


# Segments -----------------------------------------------------------------------------------------


def start_of(dtype, how):
    """What an empty segment holds: the dtype's ends for extremes, 1 for products."""
    if how == "mul":
        return 1
    info = numpy.finfo(dtype) if dtype.kind == "f" else numpy.iinfo(dtype)
    return info.min if how == "max" else info.max


def _segment(name, how, word):
    def body(xp, x: Anything, segment_ids: Index, num_segments: Int(ge=1)):
        start = xp.full((num_segments + 1, *x.shape[segment_ids.ndim:]), start_of(x.dtype, how),
                        x.dtype)
        ids = xp.where(segment_ids < 0, num_segments, segment_ids)
        return xp.scatter_reduce(start, (ids,), x, how)[:num_segments]

    body.__name__ = f"unsorted_segment_{name}"
    body.__doc__ = f"The {word} of the slices that share a segment; ids below 0 are left out."
    title = name.capitalize()
    return op(f"ops.unsorted_segment_{name}(x, segment_ids, num_segments)",
              f"ops.UnsortedSegment{title}()(x, segment_ids, num_segments)",
              f"Tensor.unsorted_segment_{name}(segment_ids, num_segments)", widen=False)(body)


_segment("max", "max", "largest elements")
_segment("min", "min", "smallest elements")
_segment("prod", "mul", "product")
