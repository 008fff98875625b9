"""Rules of divided arrays: elementwise functions, reductions, and functions along an axis."""

import math

import numpy

from ..._backend.axis_arguments import axis_of_call
from ..._backend.cuda.bit_masks import unpacked
from ..._backend.space import implementation
from .array import RULES, Sharded, family, is_divided, on_every_rank, rule
from .gathers import source_of
from .meeting import meet

_LINEAR = {
    **dict.fromkeys(("negative", "positive", "real", "imag", "conj"), ((0,),)),
    "add": ((0, 1),),
    "subtract": ((0, 1),),
    "multiply": ((0,), (1,)),
    "divide": ((0,),),
    "where": ((1, 2),),
}
_COMBINED = {"max": "max", "min": "min", "prod": "prod", "any": "max", "all": "min"}


def letters_of(x):
    """Returns the letters of the axes of an operand that broadcasts, for meeting.py: -1 for the
    last axis, -2 for the one before, ...; None for an axis of length 1."""
    if not hasattr(x, "ndim"):
        return ()
    return tuple(None if n == 1 else i - x.ndim for i, n in enumerate(x.shape))


@family("pointwise")
def pointwise(space, name, *args, **kwargs):
    """Rule of elementwise functions: calls the function on the blocks of operands that
    broadcast."""
    function = getattr(space.base, name)
    if not is_divided(args):
        return function(*args, **kwargs)
    if name == "where" and len(args) == 1 or "out" in kwargs:
        return on_every_rank(space, name, *args, **kwargs)
    rank = max(a.ndim for a in args if hasattr(a, "ndim"))
    meeting = meet(space, [(a, letters_of(a)) for a in args], linear=_LINEAR.get(name, ()))
    block = space.base.asarray(function(*meeting.blocks, **kwargs))
    return space.wrap(block, *meeting.placement(range(-rank, 0)))


@rule
def _stop(space, x):
    return x


@rule
def _keep(space, mask, x):
    """Rule of `keep`, which is linear in `x`."""
    if not is_divided((mask, x)):
        return space.base.keep(mask, x)
    meeting = meet(space, [(mask, letters_of(mask)), (x, letters_of(x))], linear=((1,),))
    block = space.base.keep(*meeting.blocks)
    return space.wrap(block, *meeting.placement(range(-x.ndim, 0)))


@rule
def _dropped(space, x, mask, keep):
    if not is_divided((x, mask)):
        return space.base.dropped(x, mask, keep)
    if mask.dtype == numpy.uint16:
        mask = unpacked(space.base, mask, x.shape)
    meeting = meet(space, [(x, letters_of(x)), (mask, letters_of(mask))], linear=((0,),))
    block = space.base.dropped(*meeting.blocks, keep)
    return space.wrap(block, *meeting.placement(range(-x.ndim, 0)))


@rule
def _cast(space, x, dtype):
    if type(x) is not Sharded:
        return space.base.cast(x, dtype)
    if x.dtype == dtype:
        return x
    x, target = space.seen(x), numpy.dtype(dtype)
    if target.kind not in "fc" or target.itemsize < x.itemsize:  # rounding is not linear
        x = space.summed(x)
    out = space.like(x, space.base.cast(x.block, dtype))
    out.source = source_of(x, "cast", dtype)
    return out


@family("like")
def like(space, name, x, *args, **kwargs):
    """Rule of functions such as `zeros_like`, whose result has the shape of the first argument: the
    result is placed like it."""
    function = getattr(space.base, name)
    if type(x) is not Sharded:
        return function(x, *args, **kwargs)
    x = space.used(x)
    return space.wrap(function(x.block, *args, **kwargs), x.dims)


# Reductions ---------------------------------------------------------------------------------------


@family("reduction")
def reduction(space, name, x, axis=None, **kwargs):
    """Rule of reductions: reduces each block. If mesh axes divide a reduced axis, a sum stays
    partial (`sums`), and a maximum, minimum or product is combined at once. For argmax, argmin and
    products of integers, the reduced axes become undivided first."""
    function = getattr(space.base, name)
    if type(x) is not Sharded:
        return function(x, axis, **kwargs)
    x = space.used(x)
    axes = _axes(axis, x.ndim)
    keepdims = bool(kwargs.get("keepdims", False))
    if name in ("var", "std"):
        return _deviation(space, name, x, axis, keepdims, kwargs.get("ddof", 0))
    if name in ("argmax", "argmin") or name == "prod" and x.dtype.kind in "biu":
        whole = [() if i in axes else axes_of for i, axes_of in enumerate(x.dims)]
        x = space.place(x, whole)
        block = space.base.asarray(function(x.block, axis, **kwargs))
        return space.wrap(block, _reduced_dims(x.dims, axes, keepdims))
    mesh_axes = [mesh_axis for i in axes for mesh_axis in x.dims[i]]
    dims = _reduced_dims(x.dims, axes, keepdims)
    if name in _COMBINED:
        x = space.summed(x)
        block = space.base.asarray(function(x.block, axis, **kwargs))
        return space.reduced(space.wrap(block, dims), mesh_axes, _COMBINED[name])
    x = space.summed(x) if name == "sum_of_squares" else x
    block = function(x.block, axis, **kwargs)
    if name == "mean" and mesh_axes:
        block = block / space.mesh.count(mesh_axes)
        block = block if "dtype" in kwargs or x.dtype.kind not in "f" else block.astype(x.dtype)
    return space.wrap(space.base.asarray(block), dims, tuple(sorted({*x.sums, *mesh_axes})))


def _axes(axis, rank):
    if axis is None:
        return tuple(range(rank))
    return tuple(a % rank for a in (axis if isinstance(axis, (tuple, list)) else (axis,)))


def _reduced_dims(dims, axes, keepdims):
    if keepdims:
        return tuple(() if i in axes else axes_of for i, axes_of in enumerate(dims))
    return tuple(axes_of for i, axes_of in enumerate(dims) if i not in axes)


def _deviation(space, name, x, axis, keepdims, ddof):
    """Computes the variance or standard deviation of a divided array, from the mean over all its
    blocks."""
    x = space.summed(x)
    count = math.prod(x.shape[a] for a in _axes(axis, x.ndim))
    centred = x - space.mean(x, axis, keepdims=True)
    squares = (
        space.real(centred * space.conj(centred)) if x.dtype.kind == "c" else centred * centred
    )
    variance = space.sum(squares, axis, keepdims=keepdims) / (count - ddof)
    return space.sqrt(variance) if name == "std" else variance


# Along an axis ------------------------------------------------------------------------------------


def undivided(space, x, axes):
    """Returns `x` with the axes in `axes` undivided, and all its sums computed."""
    x = space.used(x)
    return space.place(x, [() if i in axes else axes_of for i, axes_of in enumerate(x.dims)])


@family("along")
def along(space, name, x, *args, **kwargs):
    """Rule of functions along one axis: makes this axis undivided, and calls the function on the
    blocks."""
    function = getattr(space.base, name)
    if not is_divided((x, *args)):
        return function(x, *args, **kwargs)
    if any(type(a) is Sharded for a in args):
        return on_every_rank(space, name, x, *args, **kwargs)
    axis, *_ = axis_of_call(name, args, kwargs)
    if axis is None:
        axes = range(x.ndim)
    else:
        axes = _axes(axis, x.ndim)
    x = undivided(space, x, axes)
    if axis is None and name != "flip":
        return space.whole(function(x.block, *args, **kwargs))
    out = function(x.block, *args, **kwargs)
    if isinstance(out, (tuple, list)):
        return tuple(space.wrap(array, x.dims) for array in out)
    return space.wrap(out, x.dims)


@rule
def _log_soft(space, x, axis):
    """Rule of `log_soft`: composes it of maximum, exp and sum, whose rules allow a divided axis."""
    if type(x) is not Sharded:
        return space.base.log_soft(x, axis)
    x = space.summed(space.used(x))
    axes = _axes(axis, x.ndim)
    if not any(x.dims[a] for a in axes):
        return space.wrap(space.base.log_soft(x.block, axis), x.dims)
    x = x - space.max(x, axis, keepdims=True)
    return x - space.log(space.sum(space.exp(x), axis, keepdims=True))


def _composite_rule(name):
    """Returns the rule of a function whose implementation accepts every array type: it runs on
    divided arrays unchanged."""

    def call(space, *args, **kwargs):
        if not is_divided((*args, *kwargs.values())):
            return getattr(space.base, name)(*args, **kwargs)
        return implementation(name)(space, *args, **kwargs)

    return call


for _name in (
    "row_normal",
    "class_nll",
    "smooth_nll",
    "share_nll",
    "pick_class",
    "place_class",
    "whole_norm",
):
    RULES[_name] = _composite_rule(_name)
