"""What stands for the values of a Tensor made with `init` until they are drawn."""

import math

import numpy


class Undrawn:
    """The shape and dtype of an array; whatever would read its elements is refused.

    Args:
        shape (tuple[int]): the lengths of the axes.
        dtype (numpy.dtype): of the elements.
    """

    def __init__(self, shape, dtype):
        self.shape, self.dtype = shape, dtype
        self.ndim, self.size, self.itemsize = len(shape), math.prod(shape), dtype.itemsize
        self.nbytes = self.size * dtype.itemsize

    @property
    def strides(self):
        """The bytes to step along each axis, as of a contiguous array."""
        return tuple(math.prod(self.shape[axis + 1 :]) * self.itemsize for axis in range(self.ndim))

    def copy(self):
        """Itself, which nothing changes."""
        return self

    def astype(self, dtype, copy=True):
        """The same shape for another dtype."""
        return Undrawn(self.shape, numpy.dtype(dtype))

    def __bool__(self):
        return self._refuse()

    def __getattr__(self, name):
        if name.startswith("__"):  # of protocols that it has no part in
            raise AttributeError(f"'Undrawn' object has no attribute {name!r}")
        return self._refuse()

    def _refuse(self):
        raise RuntimeError(
            f"A Tensor of shape {self.shape} made with 'init' has no values yet: call its "
            "'init_data' before it is used, or make a Parameter of it."
        )
