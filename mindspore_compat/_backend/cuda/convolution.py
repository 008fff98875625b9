"""Computes the convolution of GPU arrays by cuDNN, and its gradients for the input and the weights.

Worked example. A 3x3 convolution of images (32, 64, 56, 56) is one call. The first call asks cuDNN
for its algorithms for these sizes. It keeps the first algorithm that needs at most MOST_WORKSPACE
bytes and always gives the same bits, for all calls with these sizes. A call takes its workspace
from the memory pool, like a result, and can therefore be captured.

    spatial axes  one becomes two, the first of length 1
    padding       cuDNN pads both ends equally; otherwise the input is padded first
    layout        channels second, or last if the caller's images are views of NHWC arrays;
                  the results are then such views too
    half types    float16 and bfloat16 are multiplied as they are, and summed in float32

If cuDNN refuses a convolution, or is missing, the convolution is computed as matrix products
(conv/convolution.py), half types in float32.
"""

import contextlib
import math
import warnings
from functools import lru_cache
from typing import NamedTuple

from ..conv.convolution import geometry
from ..conv.padding import padded
from ..host import checksums
from ..space import implementation
from . import cublas, cudnn

MOST_WORKSPACE = 256 << 20  # bytes of workspace that an algorithm may use
MOST_PLANS = 4096  # plans that are kept at a time
LARGEST = 2**31 - 1  # elements of an array


class Task(NamedTuple):
    """One of the three convolution tasks (the convolution and its two gradients). Each computes one
    of images "x", weights "w" and their convolution "y" from the other two.

    Args:
        name (str): the part of the names of cuDNN's functions that identifies the task.
        operands (tuple): the names of the two operands, in the order of the call.
        result (str): the name of the result.
    """

    name: str
    operands: tuple
    result: str


FORWARD = Task("Forward", ("x", "w"), "y")
INPUT_GRADIENT = Task("BackwardData", ("w", "y"), "x")
WEIGHT_GRADIENT = Task("BackwardFilter", ("x", "y"), "w")


class Convolutions:
    """Convolution and its gradients for the arrays of one library.

    Args:
        space (Space): the functions of these arrays.

    Attributes:
        library (cudnn.Library): None if all convolutions are computed as matrix products.
    """

    def __init__(self, space):
        self.space = space
        self.library = cudnn.load(space.module)
        self._plans = {}  # the properties of a convolution, except addresses -> its algorithms

    def convolve(self, x, w, *sizes):
        """Computes the cross-correlation; the parameters are the same as for `convolve` in
        conv/convolution.py.
        """
        out = None
        if self._computes(x, w):
            geo, margins = _with_even_pads(geometry(x.shape, w.shape, *sizes))
            out = self._run(FORWARD, self._pad(x, margins), w, geo)
        return self._by_products("convolve_nd", x, w, *sizes) if out is None else out

    def input_gradient(self, g, w, x_shape, *sizes):
        """Returns the gradient for the input; parameters as in conv/convolution.py."""
        grad = None
        if self._computes(g, w):
            geo, margins = _with_even_pads(geometry(tuple(x_shape), w.shape, *sizes))
            grad = self._run(INPUT_GRADIENT, w, g, geo)
            if grad is not None and margins:
                negative_pads = tuple((-before, -after) for before, after in margins)
                grad = self.space.ascontiguousarray(padded(self.space, grad, negative_pads))
        if grad is None:
            return self._by_products("convolve_input", g, w, x_shape, *sizes)
        return grad

    def weight_gradient(self, g, x, w_shape, *sizes):
        """Returns the gradient for the weights; parameters as in conv/convolution.py."""
        grad = None
        if self._computes(g, x):
            geo, margins = _with_even_pads(geometry(x.shape, tuple(w_shape), *sizes))
            grad = self._run(WEIGHT_GRADIENT, self._pad(x, margins), g, geo)
        if grad is None:
            return self._by_products("convolve_weight", g, x, w_shape, *sizes)
        return grad

    def _computes(self, x, y):
        """Returns True if cuDNN can convolve arrays like these. While matrix products are checked
        (host/checksums.py) it may not, because its work cannot be checked."""
        if self.library is None or checksums.on:
            return False
        kind = self.space.module.ndarray
        same_types = type(x) is kind and type(y) is kind and x.dtype == y.dtype
        return same_types and x.dtype in cudnn.TYPES and x.ndim <= 5

    def _pad(self, x, margins):
        return padded(self.space, x, margins) if margins else x

    def _by_products(self, name, first, second, *sizes):
        """Computes a convolution or a gradient by matrix products. `name` is the function of
        conv/convolution.py; the other arguments are its arguments."""
        convolve, dtype = implementation(name), first.dtype
        if dtype not in cudnn.HALF_TYPES or second.dtype != dtype:
            return convolve(self.space, first, second, *sizes)
        first, second = first.astype(cudnn.FLOAT32), second.astype(cudnn.FLOAT32)
        return convolve(self.space, first, second, *sizes).astype(dtype)

    def _run(self, task, first, second, geo):
        """Computes a task by cuDNN and returns its result; None if cuDNN refuses the task.

        Args:
            task (Task): what to compute.
            first, second: its operands, in the order of the library's call.
            geo (Geometry): the sizes, with the same padding at both ends.
        """
        shape = _shapes(geo)[task.result]
        if 0 in first.shape or 0 in second.shape or 0 in shape:
            return self.space.zeros(shape, first.dtype)
        last = first.dtype != cudnn.FLOAT64 and (
            task.operands[0] != "w"
            and _has_channels_last(first)
            or task.operands[1] != "w"
            and _has_channels_last(second)
        )
        out = self._run_in_layout(task, first, second, geo, last)
        return self._run_in_layout(task, first, second, geo, False) if last and out is None else out

    def _run_in_layout(self, task, first, second, geo, last):
        dtype = first.dtype
        tf32 = dtype == cudnn.FLOAT32 and cublas.tf32["conv"]
        gpu, handle = self.handle()
        if handle is None:
            return None
        key = task.name, geo, dtype.num, last, tf32, gpu
        algorithms = self._plans.get(key)
        if algorithms is None:
            if len(self._plans) >= MOST_PLANS:
                self._plans.clear()
            algorithms = self._plans[key] = self._algorithms(task, geo, dtype, last, tf32)
        if not algorithms:
            return None
        module = self.space.module
        first, second = _contiguous(module, first, last), _contiguous(module, second, last)
        out, in_memory = _new_array(module, _shapes(geo)[task.result], dtype, last)
        addresses = first.data.ptr, second.data.ptr, in_memory.data.ptr
        for algorithm in tuple(algorithms):  # another thread may take one away
            run, size = algorithm
            workspace = module.cuda.alloc(size) if size else None
            status = run(handle, workspace.ptr if size else None, *addresses)
            if status == 0:
                return out
            if status not in cudnn.NOT_SUPPORTED:
                self.library.check(status, f"cudnnConvolution{task.name}")
            with contextlib.suppress(ValueError):
                algorithms.remove(algorithm)
        return None

    def handle(self):
        """Returns the GPU and its handle, which is None if the library does not start."""
        library = self.library
        if library is None:  # another thread has found that it does not start
            return None, None
        try:
            return library.handle()
        except cudnn.Refused as status:
            self.library = None
            warnings.warn(
                f"cuDNN does not start ({status}): convolutions are products of matrices, and "
                "recurrent layers run step by step.",
                stacklevel=1,
            )
            return None, None

    def _algorithms(self, task, geo, dtype, last, tf32):
        """Returns cuDNN's algorithms for a task, the fastest first; an empty list if there is
        none."""
        shapes = {name: _with_two_axes(shape) for name, shape in _shapes(geo).items()}
        if max(map(math.prod, shapes.values())) > LARGEST:
            return []
        sizes = _per_axis(geo)
        describe = {"x": self.library.images, "w": self.library.filters, "y": self.library.images}
        try:
            operands = [
                describe[name](shapes[name], dtype, last) for name in (*task.operands, task.result)
            ]
            return self.library.algorithms(task.name, operands, sizes, dtype, tf32, MOST_WORKSPACE)
        except cudnn.Refused:
            return []


@lru_cache(maxsize=1024)
def _shapes(geo):
    """Returns the shapes of images, weights and their convolution."""
    return {
        "x": (geo.batch, geo.channels, *geo.size),
        "w": (geo.filters, geo.channels // geo.groups, *geo.kernel),
        "y": (geo.batch, geo.filters, *geo.out),
    }


def _with_two_axes(shape):
    return (*shape[:2], 1, *shape[2:]) if len(shape) == 3 else shape


def _per_axis(geo):
    """Returns the pads, stride and dilation of two or three axes, and the groups."""
    pads, stride, dilation = tuple(before for before, _ in geo.pads), geo.stride, geo.dilation
    if len(stride) == 1:
        pads, stride, dilation = (0, *pads), (1, *stride), (1, *dilation)
    return pads, stride, dilation, geo.groups


@lru_cache(maxsize=1024)
def _with_even_pads(geo):
    """Splits the padding of a convolution into a part that is equal at both ends, and the rest.

    Returns:
        The geometry with equal padding at both ends of each axis, and the padding that the input
        needs beforehand (negative: elements to remove); None in its place if it needs none.
    """
    margins, pads, sizes = [], [], []
    for n, k, d, s, out, (before, after) in zip(
        *(geo.size, geo.kernel, geo.dilation, geo.stride, geo.out, geo.pads), strict=True
    ):
        pad, margin = before, (0, 0)
        if before < 0 or (n + 2 * before - d * (k - 1) - 1) // s + 1 != out:
            pad = max(min(before, after), 0)
            margin = before - pad, after - pad
        margins.append(margin)
        pads.append((pad, pad))
        sizes.append(n + sum(margin))
    even = geo._replace(size=tuple(sizes), pads=tuple(pads))
    return even, tuple(margins) if any(map(any, margins)) else None


def _has_channels_last(array):
    return not array.flags.c_contiguous and _channels_moved(array).flags.c_contiguous


def _channels_moved(array):
    """Returns a view with the channels behind the spatial axes."""
    return array.transpose(0, *range(2, array.ndim), 1)


def _contiguous(module, array, last):
    """Returns the array without gaps, in the library's layout; the array itself if it already
    is."""
    array = module.ascontiguousarray(_channels_moved(array) if last else array)
    return array if array.data.ptr % cudnn.ALIGNMENT == 0 else array.copy()


def _new_array(module, shape, dtype, last):
    """Returns a new array of a shape twice: as callers see it, and as a view in cuDNN's layout
    (channels last if `last` is true)."""
    if not last:
        array = module.ndarray(shape, dtype)
        return array, array
    array = module.ndarray((shape[0], *shape[2:], shape[1]), dtype)
    return array.transpose(0, array.ndim - 1, *range(1, array.ndim - 1)), array
