"""Scatters: writing, adding, multiplying, ... updates at positions; sums and extremes over
segments.

Three families share their arithmetic: `scatter_*` changes a Parameter at slices, `scatter_nd_*` at
positions given as rows, `tensor_scatter_*` returns a new Tensor. Selection and plain indexing are
in
_indexing/getitem.py.
"""

import ml_dtypes
import numpy

from ..._backend.arrays import SPACES
from ..._core.declare.inputs import Quirks, SameDtype
from ..._core.declare.op import op
from ..._core.declare.public_api import own, plain, public
from ..._core.rules.value_rules import ElementOf
from ..._core.rules.vocabulary import (
    Alike,
    Any,
    Bool,
    Float,
    Int,
    InTensor,
    Number,
    OneOf,
    Str,
    TensorOf,
    any_dtype,
    checked,
    number,
    real,
)
from ..._core.tensor.dtype import promote
from ..._core.tensor.tensor import Tensor
from ..._core.vmap.by_slices import beside_slices, in_each_slice
from .._rules import Anything, Index, Reals
from .._shape.axes import axis_of
from ..primitive import Primitive
from .getitem import beyond
from .write_cast import fitting

Stood = Number | Bool | Anything  # a number stands for a Tensor without axes


@op(compute="native")
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
    depth = indices.shape[-1] if indices.ndim else 0
    if not 1 <= depth <= input_x.ndim:
        raise ValueError(
            f"For '{api}', the last axis of 'indices' must have length 1 to "
            f"{input_x.ndim}, but got {indices.shape}."
        )
    wanted = indices.shape[:-1] + input_x.shape[depth:]
    if updates.shape != wanted:
        raise ValueError(
            f"For '{api}', 'updates' must have the shape {wanted}, but got {updates.shape}."
        )
    if indices.size and 0 in input_x.shape[:depth]:
        raise ValueError(
            f"For '{api}', 'input_x' must have elements to be named, but got the "
            f"shape {input_x.shape}."
        )
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
        raise IndexError(
            f"For '{api}', 'indices' must be in [0, {tuple(ends.tolist())}), but "
            f"they reach from "
            f"{int(low)} to {numpy.asarray(high).tolist()}."
        )


def _check_slices(api, input_x, indices, updates):
    if not input_x.ndim:
        raise ValueError(f"For '{api}', 'input_x' must have slices, but got no axis.")
    wanted = indices.shape + input_x.shape[1:]
    if updates.shape != wanted:
        raise ValueError(
            f"For '{api}', 'updates' must have the shape {wanted}, but got {updates.shape}."
        )
    check_range(api, indices._array.reshape(-1, 1), input_x.shape[:1])


@in_each_slice
def _in_place(api, input_x, updates, index, how):
    """Writes the result of a scatter into `input_x` and returns it."""
    made = scatter_by.run(Tensor._wrap(input_x._array), updates, index, how)
    own(input_x)[...] = made._array
    return plain(input_x)


_SCATTER_DOC = """

Args:
    input_x (Tensor): what is changed.
    indices (Tensor): int32 or int64.
    updates (Tensor): one slice for each position. What is written in place is converted to the
        dtype of `input_x`, unless it is wider; in a copy the dtypes must be the same.

Raises:
    TypeError: if an argument is no Tensor, `indices` not of ints, or the dtypes do not fit.
    ValueError: if the shapes do not fit.
    IndexError: if a position is out of range.

Example:
    >>> import mindspore_compat as ms
    >>> x = {kind}(ms.Tensor([8.0, 4.0]){name})
    >>> print(ms.ops.{api}(x, ms.Tensor({indices}), ms.Tensor([2.0])).asnumpy())
    {printed}
"""
_PRINTED = {
    "update": "[2. 4.]",
    "add": "[10.  4.]",
    "sub": "[6. 4.]",
    "mul": "[16.  4.]",
    "div": "[4. 4.]",
    "max": "[8. 4.]",
    "min": "[2. 4.]",
}


def _scatter_family(how, word, functions, classes, method=None):
    """`scatter_add`, `scatter_nd_add`, `tensor_scatter_add` and their classes, for one way to
    combine, under their public paths."""

    def scatter(input_x: Stood, indices: Index, updates: Stood):
        input_x, updates = fitting(f"scatter_{how}", input_x, updates)
        if not input_x.ndim and not indices.ndim:  # a number is its own only slice
            scatter(Tensor._wrap(own(input_x).reshape(1)), indices, updates)
            return plain(input_x)
        _check_slices(f"scatter_{how}", input_x, indices, updates)
        return _in_place(f"scatter_{how}", input_x, updates, (indices._array,), how)

    def scatter_nd(input_x: Stood, indices: Index, updates: Stood, use_locking: Bool = False):
        input_x, updates = fitting(f"scatter_nd_{how}", input_x, updates)
        _check_rows(f"scatter_nd_{how}", input_x, indices, updates)
        return _in_place(f"scatter_nd_{how}", input_x, updates, _rows(indices), how)

    def tensor_scatter(input_x: Anything, indices: Index, updates: Anything):
        _check_rows(f"tensor_scatter_{how}", input_x, indices, updates)
        rows = _rows(indices)
        return scatter_by.run(beside_slices(input_x, rows), updates, rows, how)

    docs = (
        f"{word} slices of a Parameter along its first axis, in place.",
        f"{word} slices of a Parameter at positions given as rows, in place.",
        f"{word} slices of a Tensor at positions given as rows, in a copy.",
    )
    relations = ((), (), (Alike("input_x updates"),))
    for function, path, title, doc, related in zip(
        (scatter, scatter_nd, tensor_scatter), functions, classes, docs, relations, strict=True
    ):
        function.__name__ = function.__qualname__ = path.removeprefix("ops.")
        place = ("ms.Parameter", ', name="x"') if related == () else ("ms.Tensor", "")
        function.__doc__ = doc + _SCATTER_DOC.format(
            kind=place[0],
            name=place[1],
            api=function.__name__,
            printed=_PRINTED[how],
            indices="[0]" if function is scatter else "[[0]]",
        )
        made = public(path)(checked(*related)(function))
        _class(title, made)
    if method:
        _method(method, made)


def _method(path, function):
    """A scatter into a copy as a method of the Tensor that is copied."""

    def method(self, indices, updates):
        return function(self, indices, updates)

    method.__name__, method.__qualname__ = path.removeprefix("Tensor."), path
    method.__doc__ = f"`ops.{function.__name__}` of this Tensor."
    public(path)(method)


def _class(path, function):
    name = path.removeprefix("ops.")
    locked = name in ("ScatterUpdate", "ScatterNdUpdate")

    def __init__(self, use_locking=locked):
        if not isinstance(use_locking, bool):
            raise TypeError(f"For '{name}', 'use_locking' must be a bool, but got {use_locking!r}.")
        Primitive.__init__(self, name)
        self.use_locking = use_locking

    def __call__(self, input_x, indices, updates):
        return function(input_x, indices, updates)

    made = type(
        name,
        (Primitive,),
        {"__init__": __init__, "__call__": __call__, "__doc__": function.__doc__},
    )
    public(path)(made)


_scatter_family(
    "update",
    "Writes",
    ("ops.scatter_update", "ops.scatter_nd_update", "ops.tensor_scatter_update"),
    ("ops.ScatterUpdate", "ops.ScatterNdUpdate", "ops.TensorScatterUpdate"),
)
_scatter_family(
    "add",
    "Adds to",
    ("ops.scatter_add", "ops.scatter_nd_add", "ops.tensor_scatter_add"),
    ("ops.ScatterAdd", "ops.ScatterNdAdd", "ops.TensorScatterAdd"),
)
_scatter_family(
    "sub",
    "Subtracts from",
    ("ops.scatter_sub", "ops.scatter_nd_sub", "ops.tensor_scatter_sub"),
    ("ops.ScatterSub", "ops.ScatterNdSub", "ops.TensorScatterSub"),
    "Tensor.scatter_sub",
)
_scatter_family(
    "mul",
    "Multiplies",
    ("ops.scatter_mul", "ops.scatter_nd_mul", "ops.tensor_scatter_mul"),
    ("ops.ScatterMul", "ops.ScatterNdMul", "ops.TensorScatterMul"),
    "Tensor.scatter_mul",
)
_scatter_family(
    "div",
    "Divides",
    ("ops.scatter_div", "ops.scatter_nd_div", "ops.tensor_scatter_div"),
    ("ops.ScatterDiv", "ops.ScatterNdDiv", "ops.TensorScatterDiv"),
    "Tensor.scatter_div",
)
_scatter_family(
    "max",
    "Raises to the larger",
    ("ops.scatter_max", "ops.scatter_nd_max", "ops.tensor_scatter_max"),
    ("ops.ScatterMax", "ops.ScatterNdMax", "ops.TensorScatterMax"),
    "Tensor.scatter_max",
)
_scatter_family(
    "min",
    "Lowers to the smaller",
    ("ops.scatter_min", "ops.scatter_nd_min", "ops.tensor_scatter_min"),
    ("ops.ScatterMin", "ops.ScatterNdMin", "ops.TensorScatterMin"),
    "Tensor.scatter_min",
)


# Along an axis ------------------------------------------------------------------------------------


@op(
    "ops.tensor_scatter_elements(input_x, indices, updates, axis=0, reduction='none')",
    "ops.TensorScatterElements(axis=0, reduction='none')(data: input_x, indices, updates)",
    types=SameDtype("input_x updates"),
    compute="native",
    quirks=Quirks(shapes_first=True),
)
def tensor_scatter_elements(
    xp,
    input_x: Anything,
    indices: Index,
    updates: Anything,
    axis: ElementOf(Int) = 0,
    reduction: OneOf("none", "add", "mul") = "none",
):
    """Writes updates at places along an axis, element by element, in a copy of the input.

    `reduction` "add" adds and "mul" multiplies them instead. Updates for places past the end are
    left out.

    Shapes:
        `indices` and `updates` have one shape, with as many axes as `input_x`. The result has the
        shape and dtype of `input_x`.

    Example:
        >>> print(ms.ops.tensor_scatter_elements(ms.Tensor([[1, 2], [3, 4]]), ms.Tensor([[1], [0]]),
        ...                                      ms.Tensor([[9], [8]]), axis=1))
        [[1 9]
         [8 4]]
    """
    if not input_x.ndim == indices.ndim == updates.ndim:
        raise ValueError(
            f"For 'tensor_scatter_elements', the inputs must have as many axes, but "
            f"got {input_x.shape}, {indices.shape} and {updates.shape}."
        )
    length = input_x.shape[axis_of(axis, input_x)]
    if _reaches(indices, length):
        return _within(xp, input_x, indices, updates, axis_of(axis, input_x), reduction)
    updates = xp.cast(updates, input_x.dtype)
    axis = axis_of(axis, input_x)
    if reduction == "mul":
        places = [
            xp.reshape(xp.arange(n), (-1,) + (1,) * (indices.ndim - i - 1))
            for i, n in enumerate(indices.shape)
        ]
        return xp.scatter_reduce(
            input_x, (*places[:axis], indices, *places[axis + 1 :]), updates, "mul"
        )
    return xp.scatter_along_axis(input_x, indices, updates, axis, reduction == "add")


def _reaches(indices, length):
    """True if a position is past the end, where positions can be looked at."""
    held = getattr(indices, "array", indices)
    return type(held) in SPACES and held.size > 0 and int(held.max()) >= length


def _within(xp, input_x, indices, updates, axis, reduction):
    """`tensor_scatter_elements` beside one more slice, which takes what is past the end."""
    length = input_x.shape[axis]
    shape = (*input_x.shape[:axis], 1, *input_x.shape[axis + 1 :])
    longer = xp.concatenate([input_x, xp.zeros(shape, input_x.dtype)], axis)
    at = xp.where(indices < 0, indices + length, indices)
    at = xp.where(at > length, length, at)
    out = tensor_scatter_elements.body(xp, longer, at, updates, axis, reduction)
    return out[(slice(None),) * axis + (slice(0, length),)]


@op("ops.scatter(input, axis, index, src)", types=SameDtype("input src"), compute="native")
def scatter(
    xp,
    input: Anything,
    axis: InTensor(Int),
    index: TensorOf("int16", "int32", "int64"),
    src: TensorOf(any_dtype, scalars=True),
):
    """Writes the values of `src` at places along an axis, element by element, in a copy of the
    input.

    Shapes:
        `index` and `src` have as many axes as `input`, and `index` is no longer than `src`. The
        result has the shape and dtype of `input`.

    Example:
        >>> print(ms.ops.scatter(ms.Tensor([[1, 2], [3, 4]]), 1, ms.Tensor([[1], [0]]),
        ...                      ms.Tensor([[9], [8]])))
        [[1 9]
         [8 4]]
    """
    if src.ndim not in (0, index.ndim):
        raise ValueError(
            f"For 'scatter', 'src' must have as many axes as 'index', but got "
            f"{src.shape} and {index.shape}."
        )
    src = xp.cast(src, input.dtype)
    src = src[tuple(slice(0, n) for n in index.shape)] if src.ndim else src
    return xp.scatter_along_axis(input, index, src, axis_of(axis, input))


@op(
    "mint.scatter_add(input, dim, index, src)",
    "Tensor.scatter_add_(dim, index, src)",
    compute="native",
)
def scatter_add_along(xp, input: Anything, dim: Int, index: Index, src: Anything):
    """Adds the values of `src` at places along an axis, element by element, to a copy of the input.

    Shapes:
        `index` and `src` have as many axes as `input`, and `index` is no longer than `src`. The
        result has the shape and dtype of `input`.

    Example:
        >>> print(ms.mint.scatter_add(ms.Tensor([[1, 2], [3, 4]]), 1, ms.Tensor([[1], [0]]),
        ...                           ms.Tensor([[9], [8]])))
        [[ 1 11]
         [11  4]]
    """
    src = xp.cast(src[tuple(slice(0, n) for n in index.shape)], input.dtype)
    return xp.scatter_along_axis(input, index, src, axis_of(dim, input), True)


@op(compute="native")
def added_along(xp, input: Anything, index: Index, source: Anything, axis: Int):
    """A copy with slices of `source` added at places along an axis."""
    return xp.scatter_add(
        input, (slice(None),) * (axis_of(axis, input)) + (index,), xp.cast(source, input.dtype)
    )


@public("ops.index_add")
@checked
def index_add(
    x: Stood,
    indices: Index,
    y: Stood,
    axis: Int,
    use_lock: Any = True,
    check_index_bound: Any = True,
):
    """Adds slices of y to a Parameter at places along an axis, in place, and returns it.

    Raises:
        TypeError: if an argument is of another type, or y wider than x.
        ValueError: if `axis` is out of range or the shapes do not fit.
        IndexError: if a place is out of range.

    Example:
        >>> import mindspore_compat as ms
        >>> x = ms.Parameter(ms.Tensor([1.0, 2.0, 3.0]))
        >>> print(ms.ops.index_add(x, ms.Tensor([0, 2], ms.int32), ms.Tensor([10.0, 20.0]), 0))
        [11.  2. 23.]

    Source: mindspore.ops.index_add of MindSpore 2.10.
    """
    x, y = fitting("index_add", x, y)
    if not -x.ndim <= axis < x.ndim:
        raise ValueError(
            f"For 'index_add', 'axis' must be in [{-x.ndim}, {x.ndim}), but got {axis}."
        )
    if y.ndim != x.ndim or y.shape[axis] != indices.shape[0]:
        raise ValueError(
            f"For 'index_add', 'y' must have {indices.shape[0]} slices along axis "
            f"{axis}, but got {y.shape}."
        )
    check_range(
        "index_add",
        indices._array.reshape(-1, 1),
        x.shape[axis:][:1] if axis >= 0 else (x.shape[axis],),
    )
    return _added_in_place(x, indices, y, axis)


@in_each_slice
def _added_in_place(x, indices, y, axis):
    made = added_along.run(x, indices, y, axis)
    own(x)[...] = made._array
    out = plain(x)
    out._node = made._node
    return out


@public("ops.IndexAdd")
class IndexAdd(Primitive):
    """The class form of `ops.index_add`: `ops.IndexAdd(axis)(x, indices, y)`."""

    @checked
    def __init__(self, axis: Int, use_lock: Any = True, check_index_bound: Any = True):
        super().__init__("IndexAdd")
        self.axis = axis

    @checked
    def __call__(self, x: Stood, indices: Index, y: Anything):
        return index_add(x, indices, y, self.axis)


@op(
    "ops.index_fill(x, axis, index, value)",
    "ops.IndexFill()(x, dim: axis, indices: index, value)",
    "Tensor.index_fill(axis, index, value)",
    compute="native",
)
def index_fill(
    xp, x: Anything, axis: Int | Index, index: Index, value: TensorOf(any_dtype, scalars=True)
):
    """Writes one number into the slices named along an axis, in a copy of the input.

    Shapes:
        `x` has at least one axis; `index` is (K,) of int32. The result has the shape and dtype of
        `x`.

    Example:
        >>> print(ms.ops.index_fill(ms.Tensor([[1, 2], [3, 4]]), 1, ms.Tensor([0], ms.int32), 9))
        [[9 2]
         [9 4]]
    """
    if index.ndim > 1 or value.ndim:
        raise ValueError(
            f"For 'index_fill', 'index' must have at most one axis and 'value' none, "
            f"but got {index.shape} and {value.shape}."
        )
    axis = int(axis)
    if not -x.ndim <= axis < x.ndim:
        raise RuntimeError(
            f"For 'index_fill', the axis must be in [{-x.ndim}, {x.ndim}), but got {axis}."
        )
    try:
        return xp.scatter_set(
            x, (slice(None),) * (axis % x.ndim) + (index,), xp.cast(value, x.dtype)
        )
    except IndexError as error:
        raise beyond("index_fill", "index", error) from error


@op(
    "ops.masked_scatter(input, mask, source)",
    "ops.MaskedScatter()(x: input, mask, updates: source)",
    "Tensor.masked_scatter(mask, source)",
    "mint.masked_scatter(input, mask, source)",
    "Tensor.masked_scatter_(mask, source)",
    compute="native",
)
def masked_scatter(xp, input: Anything, mask: TensorOf("bool"), source: Anything):
    """Writes the elements of `source`, in order, where the mask is true, in a copy of the input.

    Shapes:
        The shapes of `input` and the bool `mask` are broadcast; `source` has at least as many
        elements as the mask has true ones. The result has the dtype of `input`.

    Example:
        >>> print(ms.ops.masked_scatter(ms.Tensor([1, 2, 3]), ms.Tensor([True, False, True]),
        ...                             ms.Tensor([9, 8])))
        [9 2 8]
    """
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
    info = numpy.iinfo(dtype) if dtype.kind in "iu" else ml_dtypes.finfo(dtype)
    return info.min if how == "max" else info.max


def need_ids(api, x, segment_ids):
    """Refuses segment numbers that do not stand for the first axes of `x`."""
    if segment_ids.shape != x.shape[: segment_ids.ndim]:
        raise ValueError(
            f"For '{api}', 'segment_ids' must have the shape of the first axes of the "
            f"input, but got {segment_ids.shape} beside {x.shape}."
        )


def _segment(lines, how, words, printed, allowed):
    name = lines[0].partition("(")[0].removeprefix("ops.")

    def body(xp, x: allowed, segment_ids: Index, num_segments: Int(ge=1)):
        need_ids(name, x, segment_ids)
        start = xp.full(
            (num_segments + 1, *x.shape[segment_ids.ndim :]), start_of(x.dtype, how), x.dtype
        )
        ids = xp.where(segment_ids < 0, num_segments, segment_ids)
        return xp.scatter_reduce(start, (ids,), x, how)[:num_segments]

    body.__name__ = name
    body.__doc__ = f"""{words} the slices that belong to the same segment.

    Slices with a number below 0 are left out.

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


@op("ops.ScatterAddWithAxis(axis=0)(input_x, indices, updates)", compute="native")
def scatter_add_with_axis(xp, input_x: Anything, indices: Index, updates: Anything, axis: Int = 0):
    """Adds updates at places along an axis, element by element, to a copy of the input.

    Shapes:
        `indices` and `updates` have one shape, with as many axes as `input_x`. The result has the
        shape and dtype of `input_x`.

    Example:
        >>> print(ms.ops.ScatterAddWithAxis(axis=1)(ms.Tensor([[1, 2], [3, 4]]),
        ...                                         ms.Tensor([[1], [0]]), ms.Tensor([[9], [8]])))
        [[ 1 11]
         [11  4]]
    """
    if indices.shape != updates.shape or indices.ndim != input_x.ndim:
        raise ValueError(
            f"For 'ScatterAddWithAxis', 'indices' and 'updates' must have one shape and the rank "
            f"of 'input_x', but got {indices.shape}, {updates.shape} and {input_x.shape}."
        )
    check_range("ScatterAddWithAxis", xp.reshape(indices, (-1, 1)), (input_x.shape[axis],))
    return xp.scatter_along_axis(input_x, indices, xp.cast(updates, input_x.dtype), axis, add=True)


@public("ops.ScatterNonAliasingAdd")
class ScatterNonAliasingAdd(Primitive):
    """`input_x` with updates added at positions given as rows; `input_x` itself stays."""

    def __init__(self):
        super().__init__("ScatterNonAliasingAdd")

    @checked
    def __call__(self, input_x: Anything, indices: Index, updates: Anything):
        depth = indices.shape[-1]
        check_range(self.name, indices._array, input_x.shape[:depth])
        places = tuple(indices._array[..., i] for i in range(depth))
        return scatter_by.run(input_x, updates, places, "add")


@public("mint.index_add")
@checked
def mint_index_add(
    input: Reals, dim: Int, index: Index, source: TensorOf(real, "bool"), *, alpha: Number = 1
):
    """A copy with alpha times the slices of `source` added at places along an axis.

    Args:
        input (Tensor): any shape.
        dim (int): the axis.
        index (Tensor): int32 or int64 places, along one axis.
        source (Tensor): the slices, one for each place, of the dtype of `input` or a narrower one.
        alpha (number.Number): the factor.

    Raises:
        TypeError: if an argument is of another type, or `source` of a wider dtype than `input`.
        ValueError: if the input has no such axis, the shapes do not fit, or, on a CPU, a place is
            out of range.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.mint.index_add(ms.Tensor([1.0, 2.0]), 0, ms.Tensor([1]), ms.Tensor([10.0])))
        [ 1. 12.]

    Source: mindspore.mint.index_add of MindSpore 2.10.
    """
    if promote(input.dtype, source.dtype) != input.dtype:
        raise TypeError(
            f"For 'index_add', 'source' must not be wider than {input.dtype}, but got "
            f"{source.dtype}."
        )
    if not -input.ndim <= dim < input.ndim:
        raise ValueError(
            f"For 'index_add', 'dim' must be in [{-input.ndim}, {input.ndim}), but got {dim}."
        )
    fits = list(input.shape)
    fits[dim] = index.size
    if index.ndim != 1 or source.shape != tuple(fits):
        raise ValueError(
            f"For 'index_add', 'index' must have one axis and 'source' a slice for each place, but "
            f"got shapes {index.shape} and {source.shape} for an input of {input.shape}."
        )
    scaled = source if alpha == 1 else source * alpha
    return added_along.run(input, index, scaled, dim)


@public("mint.scatter")
@checked
def mint_scatter(
    input: Anything,
    dim: InTensor(Int),
    index: TensorOf("int16", "int32", "int64"),
    src: Anything | Float | Int,
):
    """A copy with the values of `src` written at places along an axis, element by element.

    Args:
        input (Tensor): at least one axis.
        dim (int): the axis.
        index (Tensor): int32 or int64 places, with as many axes as `input`.
        src (Union[Tensor, float]): the values, of the dtype of `input`; one for each place.

    Raises:
        TypeError: if an argument is of another type, or the dtypes differ.
        ValueError: if the numbers of axes differ, the input has no such axis, or a place is out of
            range.
        RuntimeError: if `src` is smaller than `index`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.mint.scatter(ms.Tensor([1, 2, 3]), 0, ms.Tensor([0]), ms.Tensor([9])))
        [9 2 3]

    Source: mindspore.mint.scatter of MindSpore 2.10.
    """
    given = [input, index] + ([src] if isinstance(src, Tensor) else [])
    if len({each.ndim for each in given}) > 1 or not input.ndim:
        raise ValueError(
            f"For 'scatter', the Tensors must have as many axes, at least one, but "
            f"got shapes {', '.join(str(each.shape) for each in given)}."
        )
    if isinstance(src, Tensor):
        if src.dtype != input.dtype:
            raise TypeError(
                f"For 'scatter', 'src' must be of dtype {input.dtype}, but got {src.dtype}."
            )
        if any(n > m for n, m in zip(index.shape, src.shape)):
            raise RuntimeError(
                f"For 'scatter', 'src' must be as large as 'index', but got shapes "
                f"{src.shape} and {index.shape}."
            )
    return scatter.run(input, dim, index, src)
