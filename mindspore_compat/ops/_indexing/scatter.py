"""Scatters: set, add, multiply and other updates at positions given as slices or as rows.

Three families share their arithmetic: `scatter_*` updates slices of a Parameter, `scatter_nd_*`
updates a Parameter at positions given as rows, `tensor_scatter_*` returns a new Tensor. Scatters
along one axis are in scatter_along_axis.py, segment sums in _reduction/unsorted_segment.py.
"""

import numpy

from ..._backend.arrays import SPACES, extremes
from ..._core.autograd.devices import on_one_device
from ..._core.declare.by_slices import batched_like, in_each_slice
from ..._core.declare.inputs import Quirks
from ..._core.declare.op import op
from ..._core.declare.public_api import public
from ..._core.declare.shapes_first import shapes_first
from ..._core.declare.writing import fill, own, plain
from ..._core.rules.stored_arguments import is_generated
from ..._core.rules.vocabulary import Any, Bool, Int, OneDtype, Str, TupleOf, checked
from ..._core.tensor.tensor import Tensor
from .._rules import Anything, Index, IndexOfAnyInt, TensorOrNumber
from ..primitive import Primitive
from .index_parse import on_device_of
from .write_cast import cast_for_write


@op(compute="native")
def scatter_by(xp, input: Anything, updates: Anything, index: Any, how: Str):
    """Returns a copy of the input with updates applied at an index; repeated indices are applied in
    order.
    """
    updates = xp.cast(updates, input.dtype)
    if how == "update":
        return xp.scatter_set(input, index, updates)
    if how == "add":
        return xp.scatter_add(input, index, updates)
    if how == "sub":
        return xp.scatter_add(input, index, -updates)
    return xp.scatter_reduce(input, index, updates, how)


def _rows(indices):
    """Converts positions given as rows to an index of arrays, one per axis."""
    array = indices._array
    return tuple(array[..., i] for i in range(array.shape[-1]))


def _check_rows(api, input_x, indices, updates):
    if indices.ndim < 2:
        raise ValueError(
            f"For '{api}', the dimension of 'indices' must be greater than or equal to 2, but got "
            f"{indices.ndim}."
        )
    depth = indices.shape[-1]
    if not 1 <= depth <= input_x.ndim:
        raise ValueError(
            f"For '{api}', the last axis of 'indices' must have length 1 to "
            f"{input_x.ndim}, but got {indices.shape}."
        )
    expected_shape = indices.shape[:-1] + input_x.shape[depth:]
    if updates.shape != expected_shape:
        raise ValueError(
            f"For '{api}', 'updates' must have the shape {expected_shape}, but got {updates.shape}."
        )
    if indices.size and 0 in input_x.shape[:depth]:
        raise ValueError(
            f"For '{api}', 'input_x' must have elements to be named, but got the "
            f"shape {input_x.shape}."
        )
    check_range(api, indices._array, input_x.shape[:depth], _beyond(api))


def _beyond(api):
    """Returns the exception of the scatter operators for a position out of range."""
    return ValueError if api == "scatter_nd_update" else RuntimeError


def check_range(api, indices, lengths, error=IndexError, waits=True):
    """Rejects positions out of range, for which MindSpore reads or writes out of bounds. Positions
    on a GPU are checked only if the host `waits` for them."""
    if indices.size == 0 or type(indices) not in SPACES:  # a Batch, or an array of a traced graph
        return
    if not waits and type(indices) is not numpy.ndarray:
        return
    if type(indices) is numpy.ndarray and len(lengths) == 1:
        low, high = numpy.minimum.reduce(indices, None), numpy.maximum.reduce(indices, None)
        if low >= 0 and high < lengths[0]:
            return
    if indices.ndim:
        lows, high = extremes(indices.reshape(-1, indices.shape[-1]), 0)
        low, beyond = min(lows), any(n >= end for n, end in zip(high, lengths, strict=True))
    else:
        low, high = extremes(indices)
        beyond = any(high >= end for end in lengths)
    if low < 0 or beyond:
        length = min(lengths) if len(lengths) == 1 or not indices.ndim else None
        span = f"[0, {length})" if length is not None else f"the shape {tuple(lengths)}"
        raise error(
            f"For '{api}', 'indices' must be within {span}, but they reach from {low} to "
            f"{max(high) if indices.ndim else high}."
        )


def _check_slices(api, input_x, indices, updates):
    if not input_x.ndim:
        raise ValueError(f"For '{api}', 'input_x' must have slices, but got no axis.")
    expected_shape = indices.shape + input_x.shape[1:]
    if updates.shape != expected_shape:
        raise ValueError(
            f"For '{api}', 'updates' must have the shape {expected_shape}, but got {updates.shape}."
        )
    check_range(api, indices._array.reshape(-1, 1), input_x.shape[:1], _beyond(api))


@in_each_slice
def _scatter_in_place(api, input_x, updates, index, how):
    """Writes the result of a scatter into `input_x` and returns it."""
    index = on_device_of(input_x._array, index)
    result = scatter_by.run(Tensor._wrap(input_x._array), updates, index, how)
    fill(input_x, result._array)
    return plain(input_x)


_SCATTER_DOC = """

Args:
    input_x (Tensor): what is changed.
    indices (Tensor): int32 or int64.
    updates (Tensor): one slice for each position. What is written in place is converted to the
        dtype of `input_x`, unless it is wider; in a copy the dtypes must be the same.

Raises:
    TypeError: if an argument is not a Tensor, `indices` not of ints, or the dtypes do not fit.
    ValueError: if the shapes do not fit.
    {beyond}: if a position is out of range.

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
    """Declares `scatter_add`, `scatter_nd_add`, `tensor_scatter_add` and their classes, for one way
    to combine values, under their public paths."""

    def scatter(input_x: TensorOrNumber, indices: Index, updates: TensorOrNumber):
        input_x, updates = cast_for_write(f"scatter_{how}", input_x, updates, "x")
        if not input_x.ndim and not indices.ndim:  # a 0-D Tensor is its own only slice
            scatter(Tensor._wrap(own(input_x).reshape(1)), indices, updates)
            return plain(input_x)
        _check_slices(f"scatter_{how}", input_x, indices, updates)
        return _scatter_in_place(f"scatter_{how}", input_x, updates, (indices._array,), how)

    def scatter_nd(
        input_x: TensorOrNumber, indices: Index, updates: TensorOrNumber, use_locking: Bool = False
    ):
        input_x, updates = cast_for_write(f"scatter_nd_{how}", input_x, updates, "x")
        _check_rows(f"scatter_nd_{how}", input_x, indices, updates)
        return _scatter_in_place(f"scatter_nd_{how}", input_x, updates, _rows(indices), how)

    def tensor_scatter(input_x: Anything, indices: Index, updates: Anything):
        _check_rows(f"tensor_scatter_{how}", input_x, indices, updates)
        input_x, indices, updates = on_one_device((input_x, indices, updates))
        rows = _rows(indices)
        return scatter_by.run(batched_like(input_x, rows), updates, rows, how)

    docs = (
        f"{word} slices of a Parameter along its first axis, in place.",
        f"{word} slices of a Parameter at positions given as rows, in place.",
        f"{word} slices of a Tensor at positions given as rows, in a copy.",
    )
    relations = ((), (), (OneDtype("input_x updates"),))
    for function, path, title, doc, alias in zip(
        (scatter, scatter_nd, tensor_scatter), functions, classes, docs, relations, strict=True
    ):
        function.__name__ = function.__qualname__ = path.removeprefix("ops.")
        target = ("ms.Parameter", ', name="x"') if alias == () else ("ms.Tensor", "")
        function.__doc__ = doc + _SCATTER_DOC.format(
            kind=target[0],
            name=target[1],
            api=function.__name__,
            printed=_PRINTED[how],
            beyond=_beyond(function.__name__).__name__,
            indices="[0]" if function is scatter else "[[0]]",
        )
        verified = checked(*alias)(function)
        if is_generated(title):
            verified = shapes_first(verified)
        result = public(path)(verified)
        _class(title, result)
    if method:
        _method(method, result)


def _method(path, function):
    """Declares a scatter into a copy as a method of Tensor."""

    def method(self, indices, updates):
        return function(self, indices, updates)

    method.__name__, method.__qualname__ = path.removeprefix("Tensor."), path
    method.__doc__ = f"`ops.{function.__name__}` of this Tensor."
    public(path)(method)


def _class(path, function):
    name = path.removeprefix("ops.")
    locked = name in ("ScatterUpdate", "ScatterNdUpdate")

    def __init__(self, use_locking=locked):
        Bool.refuse(name, "use_locking", use_locking)
        Primitive.__init__(self, name)
        self.use_locking = use_locking

    def __call__(self, input_x, indices, updates):
        return function(input_x, indices, updates)

    cls = type(
        name,
        (Primitive,),
        {"__init__": __init__, "__call__": __call__, "__doc__": function.__doc__},
    )
    public(path)(cls)


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


@public("ops.ScatterNonAliasingAdd")
class ScatterNonAliasingAdd(Primitive):
    """Returns `input_x` with updates added at positions given as rows; `input_x` itself is
    unchanged.

    Example:
        >>> x = ms.Parameter(ms.Tensor([1.0, 2.0, 3.0]))
        >>> print(ms.ops.ScatterNonAliasingAdd()(x, ms.Tensor([[1]]), ms.Tensor([10.0])))
        [ 1. 12.  3.]
    """

    def __init__(self):
        super().__init__("ScatterNonAliasingAdd")

    @checked
    def __call__(self, input_x: Anything, indices: Index, updates: Anything):
        depth = indices.shape[-1]
        check_range(self.name, indices._array, input_x.shape[:depth])
        positions = tuple(indices._array[..., i] for i in range(depth))
        return scatter_by.run(input_x, updates, positions, "add")


@op(
    "ops.scatter_nd(indices, updates, shape)",
    "ops.ScatterNd()(indices, updates, shape)",
    compute="native",
    quirks=Quirks(shapes_first=True),
)
def scatter_nd(xp, indices: IndexOfAnyInt, updates: Anything, shape: TupleOf(Int)):
    """Scatters updates into zeros of shape `shape`, adding them at the positions given by the rows
    of `indices`.

    Shapes:
        `indices` is (..., K) of int32 or int64, `updates` is (..., *shape[K:]). The result has the
        shape `shape` and the dtype of `updates`.

    Example:
        >>> print(ms.ops.scatter_nd(ms.Tensor([[0], [2]]), ms.Tensor([1.0, 5.0]), (4,)))
        [1. 0. 5. 0.]
    """
    depth = indices.shape[-1] if indices.ndim > 1 else 0
    if not depth or updates.shape != indices.shape[:-1] + tuple(shape)[depth:]:
        raise ValueError(
            f"For 'scatter_nd', 'indices' must hold rows and 'updates' a slice of "
            f"the shape {shape} for each, but got {indices.shape} and "
            f"{updates.shape}."
        )
    check_range("scatter_nd", indices, tuple(shape)[:depth], RuntimeError, waits=False)
    positions = tuple(indices[..., i] for i in range(depth))
    return xp.scatter_add(xp.zeros(tuple(shape), updates.dtype), positions, updates)
