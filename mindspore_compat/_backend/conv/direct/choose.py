"""Convolution and its two gradients as compiled host loops (compiled/jit.py): the choice of
algorithm.

This module decides for a CPU. `_winograd_method` decides whether Winograd's method is used,
`_algorithm` chooses among the others. On a GPU, cuDNN proposes algorithms, and cuda/convolution.py
takes one of them.

The loops keep sums in vector registers (compiled/tiles.py) and use one of four algorithms:

* Winograd's method for 3x3 kernels with stride 1 (winograd.py). The environment variable
  MINDSPORE_COMPAT_WINOGRAD selects F(2, 3) by "2", the default, F(4, 3) by "4", neither by "off";
* flat planes where these are wide (flat.py);
* gathered windows where sums are long and filters many (gather.py);
* panels of copied windows where windows are few (panels.py).

The input gradient is also a convolution: the output gradient is convolved with the flipped kernel,
once for each phase of the input. Flat planes are copied once for all phases.

The loops support float32 and one or two spatial dimensions; three are handled as slices
(slices.py). All loops share one entry in compiled/door.py. Each function returns None if matrix
products are faster or a loop is not ready. The padded planes take at most a few megabytes per
thread.
"""

import functools
import math
import os
from itertools import product
from math import prod

import numpy

from ...compiled import jit
from ...compiled.door import serves
from ...threads.parallel_loops import FLOAT, INDEX
from ...thresholds import Least, Most
from . import flat as flat_planes
from . import gather, panels, slices, winograd
from .planes import CACHE, VECTOR, Correlation, Weights
from .winograd_tiles import F2, F4

WINOGRAD_VARIABLE = "MINDSPORE_COMPAT_WINOGRAD"
WINOGRAD_METHODS = {"2": F2, "4": F4, "off": None}
TAPS_OF_3X3 = set(product(range(3), range(3)))


@functools.lru_cache(maxsize=256)
def _plan(geo):
    """Returns the Correlation that describes a convolution of images."""
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


def _multiplications(x, other, geo):
    depth = geo.channels // geo.groups * prod(geo.kernel)
    return geo.batch * prod(geo.out) * depth * geo.filters


def _are_taken(x, other, geo):
    """Returns True for float32, up to three spatial dimensions, and padding that removes
    nothing."""
    return (
        type(x) is type(other) is numpy.ndarray
        and 1 <= len(geo.size) <= 3
        and x.dtype == other.dtype == FLOAT
        and min(map(min, geo.pads[-2:])) >= 0
        and geo.batch > 0
    )


_serves = functools.partial(
    serves, least="CONVOLVE", size=_multiplications, takes=_are_taken, loops=lambda *_: []
)


def _of_images(of_slices, gives):
    """Returns a decorator that extends a function of images to 1-D data (as images of one row) and
    to volumes.

    Args:
        of_slices: the function of slices.py for volumes.
        gives (str): as for `_algorithm`.
    """

    def decorate(function):
        @functools.wraps(function)
        def wrapped(x, y, geo):
            if len(geo.size) == 2:
                return function(x, y, geo)
            if len(geo.size) == 3:
                return of_slices(function, x, y, geo) if _takes_slices(gives, geo) else None
            names = "size", "kernel", "stride", "dilation", "out"
            image = {name: (1, *getattr(geo, name)) for name in names}
            image = geo._replace(pads=((0, 0), *geo.pads), **image)
            result = function(x[:, :, None], y[:, :, None], image)
            return None if result is None else result[:, :, 0]

        return wrapped

    return decorate


@_serves("convolve")
@_of_images(slices.convolve, "images")
def convolve(x, w, geo):
    """Returns the convolution described by `geo`, as `convolution.convolve` computes it."""
    if not geo.overlapping:  # each element is copied once
        return None
    plan, area = _plan(geo), prod(geo.kernel)
    weights = Weights(
        jit.flat(w), w.size // geo.groups, plan.depth, area, numpy.arange(area, dtype=INDEX)
    )
    out = numpy.empty((geo.batch, geo.filters, *geo.out), FLOAT)
    method = _winograd_method(plan, "images")
    if method and winograd.correlate(method, x, weights, out, plan):
        return out
    if (algorithm := _algorithm(plan)) is None:
        return None
    algorithm.correlate(x, weights, out, plan)
    return out


@_serves("convolve_input_gradient")
@_of_images(slices.input_gradient, "inputs")
def input_gradient(g, w, geo):
    """Returns the gradient of `convolve` for its input."""
    if not geo.overlapping:
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
    method = _winograd_method(plan, "inputs")
    if method and winograd.correlate(method, g, weights, out, plan):
        return out
    algorithms = [_algorithm(plan, "inputs") for plan, _ in phases]
    # Zeros around `g` are multiplied by weights, and 0 times infinity or NaN is NaN.
    few_weights = w.size <= out.size
    if None in algorithms or (few_weights and not _finite(w)):
        return None
    flat = []
    for (plan, weights), algorithm in zip(phases, algorithms, strict=True):
        if algorithm is flat_planes:
            flat.append((weights, plan))
        else:
            algorithm.correlate(g, weights, out, plan)
    if flat:
        weights, plans = zip(*flat, strict=True)
        flat_planes.correlate_phases(g, weights, out, plans)
    return out if few_weights or _finite(out) else None


@functools.lru_cache(maxsize=256)
def _phases(geo):
    """Returns the correlations that compute the input gradient, one for each phase of the input.

    Each is a pair of a Correlation of the output gradient, and the indices of the kernel positions
    that it uses.
    """
    channels, filters = geo.channels // geo.groups, geo.filters // geo.groups
    phases = []
    for start in product(*map(range, geo.stride)):
        indices, before, taps = _flip(geo, start)
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
            phases.append((plan, indices))
    return phases


def _flip(geo, start):
    """Returns how the output gradient is correlated to give the input phase `start`.

    Returns:
        The indices of the kernel positions that reach the phase, the zeros before the output
        gradient, and for each of these positions its row and column in the padded output gradient.
    """
    axes = []
    for k, d, s, a, (before, _) in zip(geo.kernel, geo.dilation, geo.stride, start, geo.pads):
        axes.append(
            [(i, (a + before - i * d) // s) for i in range(k) if not (a + before - i * d) % s]
        )
    first = [min((at for _, at in axis), default=0) for axis in axes]
    indices = [y * geo.kernel[1] + x for (y, _), (x, _) in product(*axes)]
    taps = tuple((y - first[0], x - first[1]) for (_, y), (_, x) in product(*axes))
    return numpy.array(indices, INDEX), tuple(-offset for offset in first), taps


@_serves("convolve_weight_gradient")
@_of_images(slices.weight_gradient, "weights")
def weight_gradient(g, x, geo):
    """Returns the gradient of `convolve` for its weights."""
    plan = _plan(geo)
    if not (geo.overlapping or _is_small_product(plan)):
        return None
    shape = geo.filters, geo.channels // geo.groups, *geo.kernel
    method = _winograd_method(plan, "weights")
    if method and _finite(grad := winograd.weight_gradient(method, g, x, plan)):
        return grad.reshape(shape)
    if (algorithm := _algorithm(plan, "weights")) is None:
        return None
    grad = algorithm.weight_gradient(g, x, plan)
    # Flat planes multiply the zeros between rows by elements outside the windows of that row.
    if algorithm is flat_planes and not _finite(grad):
        return None
    return grad.reshape(shape)


def _takes_slices(gives, geo):
    """Returns True if loops are available for the slices of volumes and justify copying them."""
    image = slices.image_of(geo)
    if not image.overlapping:
        return False
    plans = [plan for plan, _ in _phases(image)] if gives == "inputs" else [_plan(image)]
    return None not in [_algorithm(plan, gives) for plan in plans]


def _finite(x):
    """Returns True if all elements, and their sum, are finite."""
    with numpy.errstate(invalid="ignore", over="ignore"):
        return math.isfinite(x.sum())


def _winograd_method(plan, gives):
    """Returns F(2, 3) or F(4, 3) if Winograd's method is the fastest for a correlation or for its
    filter gradient; None if it is not, if the environment variable switches it off, or if its loops
    are not ready.

    Args:
        plan, gives: as for `_algorithm`.
    """
    if not (_winograd_applies(plan) and _winograd_pays(plan, gives)):
        return None
    setting = os.environ.get(WINOGRAD_VARIABLE) or "2"
    if setting not in WINOGRAD_METHODS:  # it has changed since the import, which checks it
        allowed = " or ".join(map(repr, WINOGRAD_METHODS))
        raise ValueError(f"{WINOGRAD_VARIABLE} must be {allowed}, but is {setting!r}.")
    method = WINOGRAD_METHODS[setting]
    if method is F4 and min(plan.out) < F4.step:
        method = F2
    return method if method is not None and winograd.is_ready(method, gives) else None


def _winograd_applies(plan):
    """Returns True for a correlation with 3x3 kernels and stride 1, whose rows fit the cache."""
    row = plan.channels * plan.size[1] + plan.filters * plan.out[1]
    unit = max(plan.stride) == max(plan.step) == 1
    is_3x3 = len(plan.taps) == 9 and set(plan.taps) == TAPS_OF_3X3
    return unit and is_3x3 and row <= Most.WINOGRAD_ROW


def _winograd_pays(plan, gives):
    """Returns True if F(2, 3) is the fastest for a supported correlation. This depends on the
    multiplications that it saves for each channel and filter, since transforms take time."""
    tiles = plan.batch * prod(-(-n // 2) for n in plan.out)
    saved = 9 * plan.batch * prod(plan.out) - 16 * tiles
    size = plan.channels * plan.filters * (2 if gives == "weights" else 1)
    return min(plan.channels, plan.filters) >= VECTOR and saved * Most.WINOGRAD_SAVED >= size


def _algorithm(plan, gives="images"):
    """Returns the module of the fastest algorithm other than Winograd's. Returns None if matrix
    products are faster, or its loops are not ready.

    Args:
        plan: the correlation.
        gives: what is computed: "images" for the convolution itself, "inputs" for the input
            gradient, which reads weights in another order than that of memory, or "weights" for
            the weight gradient.
    """
    algorithm = _fastest(plan, gives)
    return algorithm if algorithm is not None and algorithm.is_ready() else None


def _fastest(plan, gives):
    """Returns the fastest algorithm for a correlation or for its filter gradient, from
    measurements."""
    windows, size = plan.batch * prod(plan.out), plan.filters * plan.depth
    if max(plan.channels, plan.filters) * (plan.size[1] + plan.out[1]) > Most.CONVOLVE_ROW:
        return None
    if _panels_fit(plan, gives, windows, size) or (gives == "weights" and _is_small_product(plan)):
        return panels
    gathers = (
        min(plan.filters, plan.depth) >= VECTOR
        # Weights are packed, or sums transposed, once for all windows.
        and windows >= Most.CONVOLVE_FEW_WINDOWS * (1 if size <= CACHE else 2)
    )
    if gives == "weights":
        return gather if gathers and plan.depth >= Least.CONVOLVE_DEEP // 2 else _flat(plan)
    if gathers and plan.depth >= Least.CONVOLVE_DEEP:
        if plan.out[1] <= Most.CONVOLVE_NARROW or max(plan.stride) > 1:
            return gather
    return _flat(plan)


def _is_small_product(plan):
    """Returns True if the weight gradient is best computed as one matrix product of copied images.
    The threads share that product, which is faster unless one side is very large."""
    windows = plan.batch * prod(plan.out)
    return (
        len(plan.taps) == 1 == plan.groups
        and min(plan.filters, plan.channels) >= VECTOR
        and windows * plan.channels <= Most.CONVOLVE_COPIED_FOR_PRODUCT
        and plan.filters * plan.channels <= windows * Most.CONVOLVE_WEIGHTS_OF_PRODUCT
    )


def _panels_fit(plan, gives, windows, size):
    """Returns True if panels of copied windows are the fastest: windows are few, and copying them
    is cheap compared with the products."""
    if plan.groups > 1 or min(plan.filters, plan.depth // 4) < VECTOR:
        return False
    if gives == "weights":
        times = 2 if plan.depth >= 2 * Least.CONVOLVE_DEEP else max(plan.stride)
        limit = Most.CONVOLVE_FEW_WINDOWS * times
        return windows < limit and size <= windows * Most.CONVOLVE_WEIGHTS
    if max(plan.step) > 1:
        return windows < Most.CONVOLVE_FEW_WINDOWS and size <= Most.CONVOLVE_SMALL
    limit = Most.CONVOLVE_FEW_WINDOWS * (2 if 2 * size > CACHE else 1)
    copied = windows * plan.depth <= Most.CONVOLVE_COPIED
    return Least.CONVOLVE_PANEL_WINDOWS <= windows < limit and copied


def _flat(plan):
    """Returns the module flat.py if most positions of its tiles are results; else None."""
    row = plan.out[1] + max((tap[1] for tap in plan.taps), default=0) // 2
    positions = (plan.out[0] - 1) * row + plan.out[1]
    fraction = prod(plan.out) / (-(-positions // VECTOR) * VECTOR)
    short = min(plan.depth, plan.filters * len(plan.taps)) < 8
    if short or (max(plan.stride) > 1 and min(plan.filters, plan.depth) < 8):
        return None
    if positions <= VECTOR < plan.filters:  # tiles of one vector
        return None
    least = 0.6 if plan.filters * plan.depth <= Most.CONVOLVE_SMALL else 0.88
    return flat_planes if fraction >= least else None
