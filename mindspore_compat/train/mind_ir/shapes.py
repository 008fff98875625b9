"""Emitters of shapes, indexing, sorting and scatters as primitives.

A function that only moves elements, independently of the inputs' values, becomes one look-up of
constant indices in the flattened array (`moved`). Running the function on the indices themselves
yields these indices. An element from outside (padding) looks up a 0 placed in front.
"""

import math

import numpy as np

from ..._backend.arrays import to_host
from .tracing import SPACES, Sketch, emits


@emits("reshape")
def reshape(b, out, x, shape):
    return b.reshape(b.operand(x), out.shape)


@emits("ravel")
def ravel(b, out, x):
    return b.reshape(b.operand(x), out.shape)


@emits("expand_dims")
def expand_dims(b, out, x, axis):
    return b.reshape(b.operand(x), out.shape)


@emits("squeeze")
def squeeze(b, out, x, axis=None):
    return b.reshape(b.operand(x), out.shape)


@emits("transpose")
def transpose(b, out, x, axes=None):
    order = range(x.ndim)[::-1] if axes is None else [a % x.ndim for a in axes]
    return b.transpose(b.operand(x), order)


@emits("swapaxes")
def swapaxes(b, out, x, one, two):
    order = list(range(x.ndim))
    order[one], order[two] = order[two], order[one]
    return b.transpose(b.operand(x), order)


@emits("moveaxis")
def moveaxis(b, out, x, source, target):
    indices = np.moveaxis(np.empty(range(2, x.ndim + 2), bool), source, target).shape
    return b.transpose(b.operand(x), [n - 2 for n in indices])


@emits("broadcast_to")
def broadcast_to(b, out, x, shape):
    return b.broadcast(x, out.shape)


@emits("concatenate")
def concatenate(b, out, x, axis=0):
    return b("Concat", tuple(b.operand(part, out.dtype) for part in x), axis % out.ndim)


@emits("stack")
def stack(b, out, x, axis=0):
    axis %= out.ndim
    shape = out.shape[:axis] + (1,) + out.shape[axis + 1 :]
    parts = [b.operand(part, out.dtype) for part in x]
    parts = [
        part.reshape(shape) if isinstance(part, np.ndarray) else b.reshape(part, shape)
        for part in parts
    ]
    return b("Concat", tuple(parts), axis)


@emits("tile")
def tile(b, out, x, reps):
    reps = (reps,) if isinstance(reps, int) else tuple(reps)
    rank = max(len(reps), x.ndim)
    value = b.operand(x)
    if x.ndim < rank:
        value = b.reshape(value, (1,) * (rank - x.ndim) + x.shape)
    return b("Tile", value, (1,) * (rank - len(reps)) + reps)


@emits("flip")
def flip(b, out, x, axis=None):
    axes = range(x.ndim) if axis is None else axis if isinstance(axis, (tuple, list)) else (axis,)
    return b("ReverseV2", b.operand(x), tuple(a % x.ndim for a in axes))


def moved(name, function):
    """Registers an emitter for a function that only moves elements."""

    @emits(name)
    def emit(b, out, x, *rest):
        indices = np.arange(1, x.size + 1).reshape(x.shape)
        return looked_up(b, out, x, function(indices, *rest))

    return emit


def looked_up(b, out, x, indices):
    """Looks up elements of `x` at flat indices counted from 1; index 0 gives zero."""
    indices = np.asarray(indices)
    flat = b.reshape(b.operand(x), (-1,))
    if (indices == 0).any():
        flat = b("Concat", (np.zeros(1, x.dtype), flat), 0)
    else:
        indices = indices - 1
    return b("Gather", flat, indices.astype(np.int32).reshape(out.shape), 0, 0)


moved("roll", lambda p, shift, axis: np.roll(p, shift, axis))
moved("rot90", lambda p, k, axes: np.rot90(p, k, axes))
moved("repeat", lambda p, repeats, axis: np.repeat(p, _constant(repeats), axis))
moved("diagonal", np.diagonal)
moved("tril", np.tril)
moved("triu", np.triu)


@emits("scatter_diagonal")
def scatter_diagonal(b, out, x, shape, offset=0, axis1=0, axis2=1):
    indices = np.arange(1, x.size + 1).reshape(x.shape)
    return looked_up(b, out, x, _host().scatter_diagonal(indices, shape, offset, axis1, axis2))


@emits("im2col")
def im2col(b, out, x, kernel, stride, pads, dilation):
    indices = np.arange(1, x.size + 1).reshape(x.shape)
    return looked_up(b, out, x, _host().im2col(indices, kernel, stride, pads, dilation))


def _host():
    return SPACES[np.ndarray]


def _constant(value):
    """Returns an array on the host that does not depend on inputs."""
    if type(value) is Sketch:
        raise RuntimeError(
            "For 'export', a shape depends on the values of a Tensor, which a graph cannot hold."
        )
    return to_host(value) if type(value) in SPACES else value


@emits("pad")
def pad(b, out, x, pad_width, mode="constant", constant_values=0):
    widths = np.broadcast_to(np.asarray(pad_width), (x.ndim, 2)).tolist()
    value, shape = b.operand(x), list(x.shape)
    for axis, (before, after) in enumerate(widths):
        if not before and not after:
            continue
        if mode == "constant":
            parts = []
            for count in (before, after):
                size = shape[:axis] + [count] + shape[axis + 1 :]
                parts.append(np.full(size, constant_values, x.dtype))
            value = b(
                "Concat",
                tuple(
                    p
                    for p in (parts[0], value, parts[1])
                    if not isinstance(p, np.ndarray) or p.size
                ),
                axis,
            )
        else:
            indices = np.pad(np.arange(shape[axis]), (before, after), mode)
            value = b("Gather", value, indices.astype(np.int32), axis, 0)
        shape[axis] += before + after
    return value


@emits("ones_like")
def ones_like(b, out, x, *_, **__):
    """Adds a node instead of a constant, because a backward pass starts from it and must run on
    Sketches."""
    return b("OnesLike", b.operand(x, out.dtype))


emits("zeros_like")(lambda b, out, x, *_, **__: np.zeros(out.shape, out.dtype))
emits("full_like")(lambda b, out, x, fill, *_: np.full(out.shape, _constant(fill), out.dtype))


# Look-ups -----------------------------------------------------------------------------------------


@emits("take")
def take(b, out, x, indices, axis=None):
    value, length, at = b.operand(x), x.size, 0
    if axis is None:
        value = b.reshape(value, (-1,))
    else:
        at = axis % x.ndim
        length = x.shape[at]
    return b("Gather", value, wrap_indices(b, indices, length), at, 0)


def wrap_indices(b, indices, length):
    """Converts negative indices to indices from the start."""
    if type(indices) is not Sketch:
        indices = np.asarray(to_host(indices) if type(indices) in SPACES else indices)
        return np.where(indices < 0, indices + length, indices).astype(np.int32)
    value = b.operand(indices, np.dtype(np.int32))
    if indices.dtype.kind == "u":
        return value
    below = b("Less", value, np.array(0, np.int32))
    return b("Select", below, b("Add", value, np.array(length, np.int32)), value)


@emits("take_along_axis")
def take_along_axis(b, out, x, indices, axis):
    axis %= x.ndim
    shape = list(out.shape)
    shape[axis] = x.shape[axis]
    index = wrap_indices(b, indices, x.shape[axis])
    if indices.shape != out.shape:
        index = (
            np.array(np.broadcast_to(index, out.shape))
            if isinstance(index, np.ndarray)
            else b("BroadcastTo", index, out.shape)
        )
    return b("GatherD", b.broadcast(x, tuple(shape)), axis, index)


@emits("take_spatial")
def take_spatial(b, out, u, index, spatial, adaptive=False):
    lead = u.shape[: u.ndim - spatial]
    count = math.prod(lead)
    flat = b.reshape(b.operand(u), (count, -1))
    index = b.operand(index, np.dtype(np.int32))
    index = (
        index.reshape(count, -1) if isinstance(index, np.ndarray) else b.reshape(index, (count, -1))
    )
    return b.reshape(b("GatherD", flat, 1, index), out.shape)


@emits("getitem")
def getitem(b, out, x, index):
    index = index if isinstance(index, tuple) else (index,)
    if not any(type(part) is Sketch for part in index):
        return _at_constant(b, out, x, index)
    return b.reshape(b("Gather", *_by_arrays(b, x, index), 0, 0), out.shape)


def _at_constant(b, out, x, index):
    """Adds x[index] for a constant index: a StridedSlice if slices can express it, else a
    Gather."""
    index = tuple(_constant(part) for part in index)
    plain = all(
        part is None
        or part is Ellipsis
        or isinstance(part, (int, slice, np.integer))
        and not isinstance(part, bool)
        for part in index
    )
    if plain and all((part.step or 1) > 0 for part in index if isinstance(part, slice)):
        begin, end, step = _bounds(x.shape, index)
        if (begin, end) == ((0,) * x.ndim, x.shape) and max(step, default=1) == 1:
            return b.reshape(b.operand(x), out.shape)
        value = b("StridedSlice", b.operand(x), begin, end, step, 0, 0, 0, 0, 0)
        return b.reshape(value, out.shape)
    indices = np.arange(1, x.size + 1).reshape(x.shape)[index]
    return looked_up(b, out, x, indices)


def _bounds(shape, index):
    """Returns begin, end and step of each axis; an int selects one element."""
    parts = [part for part in index if part is not None]
    if Ellipsis not in parts:
        parts.append(Ellipsis)
    at = parts.index(Ellipsis)
    missing = len(shape) - (len(parts) - 1)
    parts[at : at + 1] = [slice(None)] * missing
    bounds = []
    for n, part in zip(shape, parts, strict=True):
        if isinstance(part, slice):
            bounds.append(part.indices(n))
        else:
            bounds.append((int(part) % n, int(part) % n + 1, 1))
    bounds = [(begin, max(begin, end), step) for begin, end, step in bounds]
    return tuple(zip(*bounds, strict=True)) if bounds else ((), (), ())


def _by_arrays(b, x, index):
    """Returns (rows, indices): `x` with one leading axis, and the rows of it that x[index] selects.

    All arrays of the index must contain integers; the remaining axes are taken whole.
    """
    parts = list(index)
    if Ellipsis in [p for p in parts if not hasattr(p, "dtype")]:
        at = next(i for i, p in enumerate(parts) if p is Ellipsis)
        parts[at : at + 1] = [slice(None)] * (x.ndim - (len(parts) - 1))
    parts += [slice(None)] * (x.ndim - len(parts))
    arrays = [i for i, p in enumerate(parts) if not isinstance(p, slice)]
    whole = all(parts[i] == slice(None) for i in range(len(parts)) if i not in arrays)
    bools = any(parts[i].dtype.kind == "b" for i in arrays if hasattr(parts[i], "dtype"))
    leading = arrays == list(range(len(arrays)))
    if not whole or bools or not (leading or len(arrays) == 1) or any(p is None for p in parts):
        raise RuntimeError(
            "For 'export', the network indexes a Tensor in a way that cannot be part of a graph."
        )
    if not leading:  # one array, on an axis other than the first
        raise RuntimeError(
            "For 'export', the network indexes a Tensor in a way that cannot be part of "
            "a graph; use ops.gather for one axis."
        )
    count = len(arrays)
    rows = b.reshape(b.operand(x), (math.prod(x.shape[:count]), *x.shape[count:]))
    return rows, flat_indices(b, [parts[i] for i in arrays], x.shape[:count])


def flat_indices(b, indices, sizes):
    """Returns the flat index of each element, given one array of indices per axis."""
    shape = np.broadcast_shapes(*[np.shape(i.array if type(i) is Sketch else i) for i in indices])
    total, step = None, math.prod(sizes)
    for index, size in zip(indices, sizes, strict=True):
        step //= size
        term = wrap_indices(b, index, size)
        if isinstance(term, np.ndarray):
            term = np.array(np.broadcast_to(term * step, shape), np.int32)
        else:
            term = b("Mul", term, np.array(step, np.int32))
        total = term if total is None else b("Add", total, term)
    return total if not isinstance(total, np.ndarray) else np.array(total)


# Order --------------------------------------------------------------------------------------------


@emits("sort")
def sort(b, out, x, axis=-1):
    return b.part(b("Sort", b.operand(x), axis=axis % x.ndim, descending=False), 0)


@emits("argsort")
def argsort(b, out, x, axis=-1, kind=None):
    if axis is None:
        raise RuntimeError("For 'export', a sort over all axes cannot be part of a graph.")
    indices = b.part(b("Sort", b.operand(x), axis=axis % x.ndim, descending=False), 1)
    return b.cast(indices, out.dtype)


@emits("top_k")
def top_k(b, out, x, k, axis=-1, largest=True):
    axis %= x.ndim
    order = [i for i in range(x.ndim) if i != axis] + [axis]
    back = list(np.argsort(order))
    value = b.transpose(b.operand(x), order)
    node = b("TopK", value if largest else b("Neg", value), int(k), sorted=True)
    best, indices = b.transpose(b.part(node, 0), back), b.transpose(b.part(node, 1), back)
    return best if largest else b("Neg", best), b.cast(indices, out[1].dtype)


# Scatters -----------------------------------------------------------------------------------------


@emits("scatter_set")
def scatter_set(b, out, x, index, values):
    return _scatter(b, out, x, index, values, "TensorScatterUpdate")


@emits("scatter_add")
def scatter_add(b, out, x, index, values):
    return _scatter(b, out, x, index, values, "TensorScatterAdd")


@emits("segment_sum")
def segment_sum(b, out, index, values, count):
    rows = (math.prod(index.shape), *out.shape[1:])
    at = wrap_indices(b, index, count)
    at = at.reshape(-1, 1) if isinstance(at, np.ndarray) else b.reshape(at, (rows[0], 1))
    operand = b.operand(values, out.dtype)
    operand = operand.reshape(rows) if isinstance(operand, np.ndarray) else b.reshape(operand, rows)
    return b("TensorScatterAdd", np.zeros(out.shape, out.dtype), at, operand)


def _scatter(b, out, x, index, values, op):
    index = index if isinstance(index, tuple) else (index,)
    if any(type(part) is Sketch for part in index):
        if len(index) != x.ndim:
            raise RuntimeError(
                "For 'export', the network writes at rows that a Tensor names, "
                "which cannot be part of a graph."
            )
        indices = flat_indices(b, index, x.shape)
        shape = np.broadcast_shapes(*[np.shape(i.array if type(i) is Sketch else i) for i in index])
    else:
        indices = np.arange(x.size).reshape(x.shape)[tuple(_constant(part) for part in index)]
        shape, indices = indices.shape, indices.astype(np.int32)
    return _scatter_flat(b, out, x, indices, b.broadcast(values, shape, out.dtype), op)


def _scatter_flat(b, out, x, indices, values, op):
    target = b.reshape(b.operand(x, out.dtype), (-1,))
    indices, values = b.reshape(indices, (-1, 1)), b.reshape(values, (-1,))
    return b.reshape(b(op, target, indices, values), out.shape)


@emits("scatter_along_axis")
def scatter_along_axis(b, out, x, index, values, axis, add=False):
    axis %= x.ndim
    indices = [np.asarray(p) for p in np.ogrid[tuple(slice(n) for n in index.shape)]]
    indices[axis] = index
    flat = flat_indices(b, indices, x.shape)
    values = b.broadcast(values, index.shape, out.dtype)
    op = "TensorScatterAdd" if add else "TensorScatterUpdate"
    return _scatter_flat(b, out, x, flat, values, op)
