"""Padding by a constant, and padding by copies of the array's own values with its gradient. This
gradient adds the gradient of each copy to the gradient of the element that was copied.

On the host the array is copied once, and strips of the padding are copied within the result; a
gather along each axis would copy the whole array for each axis.
"""

import functools
from math import prod

import numpy

from ..thresholds import Least, Most
from .ufuncs import contiguous, write_pieces


def pad(xp, x, pad_width, mode="constant", constant_values=0):
    """Computes NumPy's `pad`. Constant padding is written here, because NumPy's checks take longer
    than copying a small array; threads share the copy of a large one."""
    if mode != "constant":
        return xp.module.pad(x, pad_width, mode)
    if type(pad_width) is list and all([type(pair) in (tuple, list) for pair in pad_width]):
        pad_width = tuple(map(tuple, pad_width))
    if not _is_plain(x, pad_width) or numpy.ndim(constant_values):
        return xp.module.pad(x, pad_width, mode, constant_values=constant_values)
    shape, edges, inside = _parts(x.shape, pad_width)
    out = numpy.empty(shape, x.dtype)
    for edge in edges:
        out[edge] = constant_values
    if x.nbytes >= Least.UFUNC:
        write_pieces(_copy, [x], out[inside])
    else:
        out[inside] = x
    return out


@functools.lru_cache(maxsize=512)
def _parts(shape, pad_width):
    """Returns the shape of the padded array, a list of indices of its padding, and the index at
    which the original array lies in it."""
    edges, inside = [], ()
    for n, (before, after) in zip(shape, pad_width):
        if before:
            edges.append((*inside, slice(0, before)))
        if after:
            edges.append((*inside, slice(before + n, None)))
        inside += (slice(before, before + n),)
    return tuple(n + b + a for n, (b, a) in zip(shape, pad_width)), edges, inside


def _is_plain(x, pad_width):
    """Returns True for an array on the host and a tuple of pairs of nonnegative ints, one for each
    axis."""
    if type(x) is not numpy.ndarray or type(pad_width) is not tuple or len(pad_width) != x.ndim:
        return False
    for pair in pad_width:
        if type(pair) is not tuple or len(pair) != 2:
            return False
        before, after = pair
        if type(before) is not int or type(after) is not int or before < 0 or after < 0:
            return False
    return True


def pad_by_index(xp, x, widths, mode):
    """Returns `x` padded along each axis by its own values.

    Args:
        x: the array.
        widths: for each axis, the number of elements added before and after; negative ones cut.
        mode: "replicate", "circular", "symmetric" or "reflect".
    """
    if type(widths) is not tuple:
        widths = tuple(map(tuple, widths))
    copies = type(x) is numpy.ndarray and _copies(x.shape, widths, mode)
    if not copies:
        return _gather(xp, x, widths, mode)
    shape, inside, strips = copies
    out = numpy.empty(shape, x.dtype)
    if x.nbytes >= Least.UFUNC:
        write_pieces(_copy, [x], out[inside])
    else:
        out[inside] = x
    for at, source in strips:
        out[at] = out[source]
    return out


@functools.lru_cache(maxsize=512)
def _copies(shape, widths, mode):
    """Returns how `pad_by_index` copies an array of a shape: the padded shape, the index of the
    array in it, and pairs of indices: of a part of the padding, and of the elements that this part
    repeats. Returns None for padding that gathers handle.
    """
    if _is_special(shape, widths, mode):
        return None
    inside = tuple(slice(before, before + n) for n, (before, _) in zip(shape, widths))
    copies = []
    for axis, around in _padded_axes(widths):
        front, rest = (slice(None),) * axis, inside[axis + 1 :]
        for at, source in _strips(shape[axis], *around, mode):
            source = slice(source.start + around[0], source.stop + around[0])
            copies.append(((*front, at, *rest), (*front, source, *rest)))
    padded = tuple(n + sum(around) for n, around in zip(shape, widths, strict=True))
    return padded, inside, copies


def add_padding_back(xp, g, shape, widths, mode):
    """Returns the gradient of an array of `shape`, where `g` is the gradient of its
    `pad_by_index`."""
    if type(g) is numpy.ndarray and g.nbytes < Least.UFUNC:
        folds = _folds(tuple(shape), tuple(map(tuple, widths)), mode)
        if folds is not None:
            return _fold(g, *folds)
    if _is_special(shape, widths, mode):
        return _scatter(xp, g, shape, widths, mode)
    return _add_back(xp, g, shape, _padded_axes(widths), mode)


def _add_back(xp, g, shape, padded, mode):
    """Returns the gradient of `add_padding_back` for padding along the axes `padded`. The elements
    of an axis and the strips beside it are handled separately, so that the large part is copied
    once."""
    if not padded:
        if type(g) is numpy.ndarray and g.nbytes >= Least.UFUNC:
            return contiguous(g)
        return xp.array(g, order="C")
    (axis, around), *rest = padded
    front, n = (slice(None),) * axis, shape[axis]
    inside = g[(*front, slice(around[0], around[0] + n))]
    out = _add_back(xp, inside, shape, rest, mode)
    for at, source in _strips(n, *around, mode):
        strip = g[(*front, at)]
        if strip.shape[axis] > source.stop - source.start:  # copies of one element
            strip = xp.sum(strip, axis, keepdims=True)
        out[(*front, source)] += _add_back(xp, strip, shape, rest, mode)
    return out


def _fold(g, inside, folds):
    """Computes `_add_back` of a small array, in the same order of additions, in a copy of all."""
    g = g.copy()
    for source, at in folds:
        g[source] += g[at]
    return g[inside].copy()


@functools.lru_cache(maxsize=512)
def _folds(shape, widths, mode):
    """Returns the arguments of `_fold` for an array of a shape: its index in the padded array, and
    pairs of indices: of elements, and of the strip that copies them. Returns None if a strip
    repeats one element, and for padding that gathers handle."""
    if _is_special(shape, widths, mode):
        return None
    inside = tuple(slice(before, before + n) for n, (before, _) in zip(shape, widths))
    folds = []
    for axis, around in reversed(_padded_axes(widths)):
        front, rest, n = (slice(None),) * axis, inside[axis + 1 :], shape[axis]
        for at, source in _strips(n, *around, mode):
            if len(range(*at.indices(n + sum(around)))) > source.stop - source.start:
                return None
            source = slice(source.start + around[0], source.stop + around[0])
            folds.append(((*front, source, *rest), (*front, at, *rest)))
    return inside, folds


def _is_special(shape, widths, mode):
    """Returns True for padding that gathers handle: negative widths, empty arrays, and many
    strips."""
    if 0 in shape or min(map(min, widths), default=0) < 0:
        return True
    strips = [len(_strips(shape[axis], *around, mode)) for axis, around in _padded_axes(widths)]
    return prod([1 + count for count in strips]) > Most.PAD_BLOCKS


def _padded_axes(widths):
    """Returns a list of the padded axes, as pairs of an axis and its two widths."""
    return [(axis, around) for axis, around in enumerate(widths) if any(around)]


@functools.lru_cache(maxsize=256)
def _strips(n, before, after, mode):
    """Divides the padding of an axis into strips. Returns a pair for each strip: its slice of the
    padded axis, and the slice of elements that it copies. The slice of a mirror image runs
    backwards; a strip may also repeat a single element."""
    strips = []
    indices = _indices(numpy, n, before, after, mode).tolist()
    for start, end in ((0, before), (before + n, before + n + after)):
        while start < end:
            stop = start + 1
            step = indices[stop] - indices[start] if stop < end else 0
            while step in (-1, 0, 1) and stop < end and indices[stop] - indices[stop - 1] == step:
                stop += 1
            low, high = sorted((indices[start], indices[stop - 1]))
            at = slice(start, stop)
            if step == -1:
                at = slice(stop - 1, start - 1 if start else None, -1)
            strips.append((at, slice(low, high + 1)))
            start = stop
    return tuple(strips)


def _indices(xp, n, before, after, mode):
    """Returns, for each element of the padded axis, the index of the element that it copies."""
    indices = xp.arange(-before, n + after)
    if mode == "replicate":
        return xp.clip(indices, 0, n - 1)
    if mode == "circular":  # elements that negative widths cut off are not repeated
        first, last = max(-before, 0), n - max(-after, 0)
        return first + (indices - first) % (last - first)
    if mode == "symmetric":
        return n - 1 - xp.abs(indices % (2 * n) - n + (indices % (2 * n) < n))
    indices = xp.abs(indices)
    return n - 1 - xp.abs(n - 1 - indices)


def _gather(xp, x, widths, mode):
    """Returns `x` padded by a gather along each axis; the arguments are the same as for
    `pad_by_index`.
    """
    for axis, around in _padded_axes(widths):
        x = xp.take(x, _indices(xp, x.shape[axis], *around, mode), axis)
    return x


def _scatter(xp, g, shape, widths, mode):
    """Returns the gradient of `_gather` for an input of `shape`, by a scatter-add along each
    axis."""
    for axis, around in reversed(_padded_axes(widths)):
        index = (slice(None),) * axis + (_indices(xp, shape[axis], *around, mode),)
        out = xp.zeros((*g.shape[:axis], shape[axis], *g.shape[axis + 1 :]), g.dtype)
        g = xp.scatter_add(out, index, g)
    return g


def _copy(x, out):
    numpy.copyto(out, x)
