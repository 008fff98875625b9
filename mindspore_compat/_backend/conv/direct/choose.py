"""Convolution of images and its two gradients as compiled loops of the host (compiled/jit.py).

The sums stay in vector registers (compiled/tiles.py), in one of four ways: by Winograd's method for
kernels of 3x3 with stride 1 (winograd.py), over flat planes where these are wide
(flat.py), gathered for each window where sums are deep and filters many (gather.py), or,
where windows are few, over panels into which these are copied (panels.py). The gradient for
the input is a convolution too, of the result's gradient with the kernel turned around, one for each
phase of the input; flat planes are copied once for all of them.

Loops are for float32 and one or two spatial dimensions, or three as slices (slices.py); each
function gives None for other cases, where products of matrices are faster, and while there is no
loop yet. The padded planes are at most some megabytes for each thread.
"""

import functools
import math
from itertools import product
from math import prod

import numpy

from ...compiled import jit
from . import flat as flat_planes
from . import gather, panels, slices, winograd
from .planes import CACHE, FLOAT, INDEX, VECTOR, Correlation, Weights

LEAST = 1 << 18  # multiplications below which a call costs as much as it saves
FEW_WINDOWS = 500  # for which packing weights costs as much as it saves; of large ones twice
FEWEST_WINDOWS = 4  # for which the panels are not mostly empty
LARGEST = 1 << 14  # weights for each of these windows, at most, where their gradient is taken
LARGEST_PRODUCT = 1 << 12  # the same where images are copied for one product alone
COPIED = 1 << 22  # elements of the windows that are copied, at most
COPIED_PRODUCT = 1 << 20  # the same for one product alone
DEEP = 128  # products of a sum, for which it may be written with the axes exchanged
WIDE = 28  # columns of a result from which few positions lie between its rows
LONGEST = 1 << 21  # elements of one row of all channels, of which some are copied at once
SMALL = 1 << 16  # weights of a group that are small matrices


@functools.lru_cache(maxsize=256)
def _plan(geo):
    """The convolution as a correlation."""
    return Correlation(
        geo.batch,
        geo.groups,
        geo.channels // geo.groups,
        geo.filters // geo.groups,
        geo.size,
        tuple(before for before, _ in geo.pads),
        geo.stride,
        _taps(geo),
        geo.out,
        geo.out,
        (0, 0),
        (1, 1),
    )


def _taps(geo):
    return tuple(product(*(range(0, k * d, d) for k, d in zip(geo.kernel, geo.dilation))))


def _of_images(function):
    """A function of two arrays, of images, of rows, which are images of one row, or of volumes."""

    @functools.wraps(function)
    def wrapped(x, y, geo):
        if len(geo.size) == 3 and _takes_slices(function.__name__, x, y, geo):
            return getattr(slices, function.__name__)(function, x, y, geo)
        if len(geo.size) != 1:
            return function(x, y, geo)
        names = "size", "kernel", "stride", "dilation", "out"
        image = {name: (1, *getattr(geo, name)) for name in names}
        image = geo._replace(pads=((0, 0), *geo.pads), **image)
        found = function(x[:, :, None], y[:, :, None], image)
        return None if found is None else found[:, :, 0]

    return wrapped


@_of_images
def convolve(x, w, geo):
    """The convolution described by `geo`, as `conv.convolve` computes it."""
    if not (geo.overlapping and _fits(geo, x, w)):  # else windows are copied just once
        return None
    plan, area = _plan(geo), prod(geo.kernel)
    weights = Weights(
        jit.flat(w), w.size // geo.groups, plan.depth, area, numpy.arange(area, dtype=INDEX)
    )
    out = numpy.empty((geo.batch, geo.filters, *geo.out), FLOAT)
    method = winograd.method_for(plan, "images")
    if method and winograd.correlate(method, x, weights, out, plan):
        return out
    if (way := _way(plan)) is None:
        return None
    way.correlate(x, weights, out, plan)
    return out


@_of_images
def input_gradient(g, w, geo):
    """The gradient of `convolve` for its input."""
    if not (geo.overlapping and _fits(geo, g, w)):
        return None
    area, values = prod(geo.kernel), jit.flat(w)
    phases = [
        (
            plan,
            Weights(values, w.size // geo.groups, area, geo.channels // geo.groups * area, indices),
        )
        for plan, indices in _phases(geo)
    ]
    out = numpy.empty((geo.batch, geo.channels, *geo.size), FLOAT)
    plan, weights = phases[0]
    method = winograd.method_for(plan, "inputs")
    if method and winograd.correlate(method, g, weights, out, plan):
        return out
    ways = [_way(plan, "inputs") for plan, _ in phases]
    # Zeros around `g` are multiplied by weights, which shows in the result too.
    few = w.size <= out.size
    if None in ways or (few and not _finite(w)):
        return None
    flat = []
    for (plan, weights), way in zip(phases, ways, strict=True):
        if way is flat_planes:
            flat.append((weights, plan))
        else:
            way.correlate(g, weights, out, plan)
    if flat:
        weights, plans = zip(*flat, strict=True)
        flat_planes.correlate_phases(g, weights, out, plans)
    return out if few or _finite(out) else None


@functools.lru_cache(maxsize=256)
def _phases(geo):
    """For each phase of the input the correlation that is its gradient, and the kernel positions
    that reach it."""
    channels, filters = geo.channels // geo.groups, geo.filters // geo.groups
    found = []
    for start in product(*map(range, geo.stride)):
        indices, before, taps = _turned(geo, start)
        size = tuple(-(-(n - a) // s) for n, a, s in zip(geo.size, start, geo.stride))
        plan = Correlation(
            geo.batch,
            geo.groups,
            filters,
            channels,
            geo.out,
            before,
            (1, 1),
            taps,
            size,
            geo.size,
            start,
            geo.stride,
        )
        if min(size) > 0:
            found.append((plan, indices))
    return found


def _turned(geo, start):
    """The kernel positions that reach the phase `start` of the input: their indices in the kernel,
    the zeros before the result's gradient, and its rows and columns under them."""
    axes = []
    for k, d, s, a, (before, _) in zip(geo.kernel, geo.dilation, geo.stride, start, geo.pads):
        axes.append(
            [(i, (a + before - i * d) // s) for i in range(k) if not (a + before - i * d) % s]
        )
    first = [min((at for _, at in axis), default=0) for axis in axes]
    indices = [y * geo.kernel[1] + x for (y, _), (x, _) in product(*axes)]
    taps = tuple((y - first[0], x - first[1]) for (_, y), (_, x) in product(*axes))
    return numpy.array(indices, INDEX), tuple(-each for each in first), taps


@_of_images
def weight_gradient(g, x, geo):
    """The gradient of `convolve` for its weights."""
    if not _fits(geo, x, g):
        return None
    plan = _plan(geo)
    if not (geo.overlapping or _is_small_product(plan)):
        return None
    shape = geo.filters, geo.channels // geo.groups, *geo.kernel
    method = winograd.method_for(plan, "weights")
    if method and _finite(grad := winograd.weight_gradient(method, g, x, plan)):
        return grad.reshape(shape)
    if (way := _way(plan, "weights")) is None:
        return None
    grad = way.weight_gradient(g, x, plan)
    # Flat planes multiply the zeros between rows by elements that no window has there.
    if way is flat_planes and not _finite(grad):
        return None
    return grad.reshape(shape)


def _takes_slices(name, x, other, geo):
    """True if there are loops for the slices of volumes, which are worth copying them."""
    image = slices.image_of(geo)
    if not (image.overlapping and _fits(image, x, other)):
        return False
    if name == "input_gradient":
        return None not in [_way(plan, "inputs") for plan, _ in _phases(image)]
    return _way(_plan(image), "weights" if name == "weight_gradient" else "images") is not None


def _fits(geo, x, other):
    """True if loops take these arrays."""
    return (
        jit.available()
        and type(x) is type(other) is numpy.ndarray
        and len(geo.size) == 2
        and x.dtype == other.dtype == FLOAT
        and min(map(min, geo.pads)) >= 0
        and geo.batch > 0
        and geo.batch * prod(geo.out) * _plan(geo).depth * geo.filters >= LEAST
    )


def _finite(x):
    """False if an array has an infinity or NaN; or numbers so large that their sum is infinite."""
    with numpy.errstate(invalid="ignore", over="ignore"):
        return math.isfinite(x.sum())


def _way(plan, gives="images"):
    """Which of the other ways is the fastest: a module, if it is ready; None for none.

    Args:
        plan: the correlation.
        gives: what is computed: "images", "inputs" for the gradient for these, which reads
            weights in another order than they lie in, or "weights" for the gradient for these.
    """
    way = _fastest(plan, gives)
    return way if way is not None and way.is_ready() else None


def _fastest(plan, gives):
    """The way for a correlation, or for the gradient of its filters, by what was measured."""
    windows, size = plan.batch * prod(plan.out), plan.filters * plan.depth
    if max(plan.channels, plan.filters) * (plan.size[1] + plan.out[1]) > LONGEST:
        return None
    if _panels_fit(plan, gives, windows, size) or (gives == "weights" and _is_small_product(plan)):
        return panels
    gathers = (
        min(plan.filters, plan.depth) >= VECTOR
        # Weights are packed, or sums transposed, for all windows once.
        and windows >= (FEW_WINDOWS if size <= CACHE else 2 * FEW_WINDOWS)
    )
    if gives == "weights":
        return gather if gathers and plan.depth >= DEEP // 2 else _flat(plan)
    if gathers and plan.depth >= DEEP and (plan.out[1] < WIDE or max(plan.stride) > 1):
        return gather
    return _flat(plan)


def _is_small_product(plan):
    """True if the gradient for the weights is one product of matrices, for which the images are
    copied; threads do that faster together than each for itself, if neither side is very large."""
    windows = plan.batch * prod(plan.out)
    return (
        len(plan.taps) == 1 == plan.groups
        and min(plan.filters, plan.channels) >= VECTOR
        and windows * plan.channels <= COPIED_PRODUCT
        and plan.filters * plan.channels <= windows * LARGEST_PRODUCT
    )


def _panels_fit(plan, gives, windows, size):
    """True if few windows are copied, and this costs little beside the products."""
    if plan.groups > 1 or min(plan.filters, plan.depth // 4) < VECTOR:
        return False
    if gives == "weights":
        few = FEW_WINDOWS * (2 if plan.depth >= 2 * DEEP else max(plan.stride))
        return windows < few and size <= windows * LARGEST
    if max(plan.step) > 1:
        return windows < FEW_WINDOWS and size <= SMALL
    few = FEW_WINDOWS * (2 if 2 * size > CACHE else 1)
    return FEWEST_WINDOWS <= windows < few and windows * plan.depth <= COPIED


def _flat(plan):
    """The way over flat planes, where the tiles are filled."""
    row = plan.out[1] + max((tap[1] for tap in plan.taps), default=0) // 2
    positions = (plan.out[0] - 1) * row + plan.out[1]
    used = prod(plan.out) / (-(-positions // VECTOR) * VECTOR)
    short = min(plan.depth, plan.filters * len(plan.taps)) < 8
    if short or (max(plan.stride) > 1 and min(plan.filters, plan.depth) < 8):
        return None
    if positions <= VECTOR < plan.filters:  # tiles of one vector
        return None
    return flat_planes if used >= (0.6 if plan.filters * plan.depth <= SMALL else 0.88) else None
