"""SliceSum: the gradient of an array whose slices were used one by one, stored as a list of slices.

    x[0] and x[1] of an x of shape (1000, 4) give SliceSum([g0, g1], [0, 1], (1000, 4))

Each use of `x[i]` in a loop contributes one slice. If each wrote its own array of zeros, a loop
over n rows would write n * n rows. So the tape collects the slices, and adds all of them to one
array of zeros when the gradient is needed. In a gradient that is itself recorded, this addition is
one node.

The slices that `take` gathers along an axis, as an embedding called once a time step does, are
collected as well. Their index is a Gathered. They are joined, and added like those of one call.
"""

import collections
import math

import numpy

from ..._backend import arrays
from ..._backend.host.scatter import is_basic
from ..._backend.steps.recorded_array import Recorded
from .overwritten import Overwritten

Gathered = collections.namedtuple("Gathered", "axis indices")


def gradient_of_slice(xp, g, x_shape, index):
    """Returns the gradient of an array of this shape, given the gradient of its part at `index`.

    The result is a SliceSum if the index has only integers and slices, or if it is an array of
    integers on the device of `g` and the selected slices are smaller than the whole array. It is an
    array for other indices, and if `g` is a Batch or divided over ranks.
    """
    if _are_plain(xp, g):
        if is_basic(index):
            return SliceSum([_without_rest(g)], [index], x_shape)
        indices = index[0] if type(index) is tuple and len(index) == 1 else index
        is_smaller = g.size < math.prod(x_shape)
        if is_smaller and _are_plain(xp, g, indices) and indices.dtype.kind in "iu":
            return SliceSum([_without_rest(g)], [Gathered(0, indices)], x_shape)
    return _added(xp, g, x_shape, index)


def gradient_of_take(xp, g, x_shape, indices, axis):
    """Returns the gradient of an array of this shape, given that of `take(x, indices, axis)`.

    It is a SliceSum if `g` is smaller than the array, on the device of the indices, and neither a
    Batch nor divided over ranks; else an array.
    """
    if axis is not None:
        axis %= len(x_shape)
        if g.size < math.prod(x_shape) and _are_plain(xp, g, indices):
            return SliceSum([_without_rest(g)], [Gathered(axis, indices)], x_shape)
    return _scattered(xp, g, x_shape, indices, axis)


COLLECTING = {gradient_of_slice, gradient_of_take}


def expanded_zeros(xp, shape, dtype):
    """Returns broadcast zeros that take no memory; additions to them make a copy."""
    return xp.broadcast_to(xp.zeros((), dtype), shape)


def _are_plain(xp, *values):
    """Returns True if the values are arrays of one device, neither Batches nor divided over
    ranks."""
    if type(values[0]) is type(values[-1]) is numpy.ndarray:  # the same, faster
        return not xp.level
    kinds = {type(getattr(value, "array", value)) for value in values}
    return len(kinds) == 1 and kinds <= arrays.SPACES.keys() and not xp.level


def _scattered(xp, g, x_shape, indices, axis):
    """Returns zeros of this shape with `g` added at indices of an axis, or of the flat array if the
    axis is None."""
    if axis is None:
        return xp.reshape(_added(xp, g, (math.prod(x_shape),), (indices,)), x_shape)
    if axis == 0:
        return xp.segment_sum(indices, g, x_shape[0])
    return _added(xp, g, x_shape, (slice(None),) * axis + (indices,))


def _added(xp, g, x_shape, index):
    """Returns zeros of this shape with `g` added at an index. Dtypes that the namespace lists as
    low precision are added in float32, unless no index repeats."""
    if g.dtype in xp.low_precision and not is_basic(index):
        return xp.cast(_added(xp, xp.cast(g, "float32"), x_shape, index), g.dtype)
    return xp.scatter_add(expanded_zeros(xp, x_shape, g.dtype), index, g)


def _without_rest(g):
    """Returns `g`; a copy if it is the smaller part of an array that would stay in memory."""
    if type(g) in arrays.SPACES:
        array = g.value if type(g) is Recorded else g
        if getattr(array.base, "nbytes", 0) > array.nbytes:
            return g.copy()
    return g


def _kind(g):
    """Returns the types that decide whether two gradients can be added by one call."""
    return type(g), type(getattr(g, "array", None))


class SliceSum:
    """A sum of slices, each in an array of zeros.

    Attributes:
        slices (list): their values.
        indices (list): their indices: basic ones, or Gathered.
        shape (tuple): the shape of the whole array.
    """

    __slots__ = ("slices", "indices", "shape", "_size")
    __array_ufunc__ = None  # an array plus this is `__radd__`

    def __init__(self, slices, indices, shape):
        self.slices = slices
        self.indices = indices
        self.shape = shape
        self._size = 0

    dtype = property(lambda self: self.slices[0].dtype)
    ndim = property(lambda self: len(self.shape))

    def changed(self, change):
        """Returns a SliceSum of the slices that the function `change` returns for these."""
        return SliceSum([change(part) for part in self.slices], self.indices, self.shape)

    def whole(self):
        """Returns the whole array."""
        slices, indices = self.slices, self.indices
        xp = arrays.space_of(slices[0])
        if len(indices) == 1:
            if type(indices[0]) is Gathered:
                axis, places = indices[0]
                return _scattered(xp, slices[0], self.shape, places, axis)
            if indices[0] is ...:
                return slices[0]
        axes = sorted({index.axis for index in indices if type(index) is Gathered})
        if axes:
            parts = list(zip(slices, indices))
            rest = [part for part in parts if type(part[1]) is not Gathered]
            joined = [self._sum_of_gathered(xp, parts, axis) for axis in axes]
            if not rest and len(joined) == 1:
                return joined[0]
            slices, indices = zip(*[(g, ...) for g in joined], *rest)
        return xp.add_slices(list(slices), list(indices), self.shape)

    def _sum_of_gathered(self, xp, parts, axis):
        """Returns the sum, as a whole array, of those parts that were gathered along an axis."""
        gathered = [(g, at.indices) for g, at in parts if type(at) is Gathered and at.axis == axis]
        before, after = self.shape[:axis], self.shape[axis + 1 :]
        g = xp.concatenate([xp.reshape(g, (*before, -1, *after)) for g, _ in gathered], axis)
        indices = xp.concatenate([xp.reshape(indices, (-1,)) for _, indices in gathered], 0)
        return _scattered(xp, g, self.shape, indices, axis)

    def after(self, previous):
        """Returns `previous`, a gradient of the same array, plus this one.

        Slices are kept until they have as many elements as the array. This bounds the memory, and
        adding whole arrays costs no more than adding the slices.
        """
        if type(previous) is Overwritten:
            if Gathered in map(type, self.indices):
                return previous + self.whole()
            previous.add_slices(self.slices, self.indices)
            return previous
        is_sum = type(previous) is SliceSum
        if _kind(previous.slices[0] if is_sum else previous) != _kind(self.slices[0]):
            return previous.whole() + self.whole() if is_sum else previous + self.whole()
        if not is_sum:
            return SliceSum([previous, *self.slices], [..., *self.indices], self.shape)
        previous.slices += self.slices
        previous.indices += self.indices
        previous._size += sum([part.size for part in self.slices])
        if previous._size > math.prod(self.shape):
            return SliceSum([previous.whole()], [...], self.shape)
        return previous

    def __add__(self, other):
        return other.after(self) if type(other) is SliceSum else self.whole() + other

    __radd__ = after
