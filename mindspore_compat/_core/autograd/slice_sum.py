"""SliceSum: the gradient of an array whose slices were used one by one, stored as a list of slices.

    x[0] and x[1] of an x of shape (1000, 4) give SliceSum([g0, g1], [0, 1], (1000, 4))

Each use of `x[i]` in a loop contributes one slice. If each wrote its own array of zeros, a loop
over n rows would write n * n rows. So the tape collects the slices, and adds all of them to one
array of zeros, in the order in which they arrived, when the gradient is needed. In a gradient that
is itself recorded, this addition is one node.
"""

import math

from ..._backend import arrays
from ..._backend.host.scatter import is_basic
from ..._backend.steps.recorded_array import Recorded


def gradient_of_slice(xp, g, x_shape, index):
    """Returns the gradient of an array of this shape, given the gradient of its part at `index`.

    It is a SliceSum if the index has only integers and slices, and if `g` is neither a Batch nor
    divided over ranks; else an array.
    """
    if type(getattr(g, "array", g)) in arrays.SPACES and not xp.level and is_basic(index):
        return SliceSum([_without_rest(g)], [index], x_shape)
    return xp.scatter_add(xp.broadcast_to(xp.zeros((), g.dtype), x_shape), index, g)


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
        indices (list): their basic indices.
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
        if self.indices == [...]:
            return self.slices[0]
        xp = arrays.space_of(self.slices[0])
        return xp.add_slices(self.slices, self.indices, self.shape)

    def after(self, previous):
        """Returns `previous`, a gradient of the same array, plus this one.

        Slices are kept until they have as many elements as the array. This bounds the memory, and
        adding whole arrays costs no more than adding the slices.
        """
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
