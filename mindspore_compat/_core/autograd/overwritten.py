"""Overwritten: the gradient of an array in which values were replaced, in memory that it owns.

    y[0] = a; y[1] = b     The gradient of y before `y[1] = b` is that of y after it, with a zero
                           at [1]; the gradient before `y[0] = a` has another zero at [0].

Each `y[i] = v` in a loop adds one zero. If each gradient were a new array, a loop over n rows would
copy n * n rows. So the first of them is a copy, an Overwritten, and the others write into it: the
backward pass holds a gradient only until it has been used, and nothing else holds this one.
"""

import numpy

from ..._backend.host.scatter import write


class Overwritten:
    """A gradient in an array that nothing else holds.

    Attributes:
        array (numpy.ndarray): the gradient.
        is_owned (bool): False while something else may hold the array. Only the rule that is about
            to receive the gradient sees such an Overwritten.
    """

    __slots__ = ("array", "is_owned")
    __array_ufunc__ = None  # an array plus this is `__radd__`

    def __init__(self, array, is_owned=True):
        self.array = array
        self.is_owned = is_owned

    shape = property(lambda self: self.array.shape)
    dtype = property(lambda self: self.array.dtype)
    ndim = property(lambda self: self.array.ndim)

    def whole(self):
        """Returns the array."""
        return self.array

    def __add__(self, other):
        other = other.array if type(other) is Overwritten else other
        if type(other) is not numpy.ndarray:
            return NotImplemented  # `other` has the operator
        self.array += other
        return self

    __radd__ = __add__

    def add_slices(self, slices, indices):
        """Adds arrays at indices of integers and slices."""
        for index, values in zip(indices, slices, strict=True):
            self.array[index] += values


def gradients_of_write(xp, g, index, needs_grad):
    """Returns the gradients of an array in which values were written at `index`, and of the values.

    Args:
        xp: the namespace of arrays.
        g: the gradient of the result. The first result is an Overwritten if this one is, else both
            results are arrays.
        index: an index, as in `xp.scatter_set`.
        needs_grad (list[bool]): which of the two are needed; None is returned for the others.
    """
    if type(g) is not Overwritten:
        return (
            xp.scatter_set(g, index, 0) if needs_grad[0] else None,
            xp.getitem(g, index) if needs_grad[1] else None,
        )
    of_values = xp.getitem(g.array, index) if needs_grad[1] else None
    if not needs_grad[0]:
        return None, of_values
    if not g.is_owned:
        g = Overwritten(xp.array(g.array))
    elif of_values is not None:
        of_values = of_values.copy()
    write(g.array, index, 0)
    return g, of_values


gradients_of_write.overwrites = True
