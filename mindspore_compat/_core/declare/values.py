"""Converts inputs and results of operator bodies: array spaces, weak scalars, result Tensors."""

import numpy

from ..._backend.arrays import SPACES
from ..autograd.tape import FLOAT32
from ..autograd.traced import bare
from ..tensor import promotion
from ..tensor.tensor import Tensor

# Types whose instances count as Python's numbers, but would promote results -> the type of Python's
# number. common/mutable.py adds its own types.
ODD_NUMBERS = {numpy.float64: float}


def weak_scalar_tensor(tensor, number, exact):
    """Returns a Python number as a weak scalar: a 0-d Tensor whose dtype follows from `tensor`."""
    scalar = object.__new__(Tensor)
    scalar._array = weak_scalar(tensor._array, number, exact)
    return scalar


def weak_scalar(array, number, exact):
    """Returns a Python number as a weak scalar: a 0-d array whose dtype follows from `array`.

    Raises:
        promotion.IntTooLarge: if it is an int that int64 cannot hold.
    """
    if type(number) is int and not -promotion.WORD <= number < promotion.WORD:
        raise promotion.IntTooLarge.of(number)
    space = space_for(array)
    dtype = promotion.scalar_np(array.dtype, type(number))
    try:
        return space.number(number, dtype)
    except OverflowError:
        if not exact:
            return space.asarray(number % 2**64).astype(dtype)
        mixes = dtype.kind == "i" or dtype.itemsize == 1  # else with floats, if at all
        return space.asarray(number) if mixes else space.asarray(float(number), "float32")


def space_for(array):
    """Returns the array namespace of an array or of a batch."""
    space = SPACES.get(type(array))
    return space if space is not None else array.space


def result_array(xp, value):
    """Returns the result of a body as an array: scalars become arrays of `xp`, other values are
    unchanged."""
    return value if type(value) in SPACES or hasattr(value, "space") else xp.asarray(value)


def untraced(value, xp):
    """Returns the result of a body, a Traced value or a plain array, as a Tensor with its node."""
    node = getattr(value, "node", None)
    result = Tensor._wrap(result_array(xp, bare(value)))
    result._node = node
    return result


def upcast(xp, a):
    """Casts a low-precision array to float32; other arrays and None pass unchanged."""
    return xp.cast(a, FLOAT32) if a is not None and a.dtype in xp.low_precision else a


def each_of(out, function):
    """Applies `function` to a result, or to each of several results."""
    if isinstance(out, (tuple, list)):
        return tuple(function(o) for o in out)
    return function(out)


def write_into_whole(part):
    """Writes a Tensor that was changed in place into the Tensor of which it is a view. This is
    needed while a gradient is recorded, because the two then share no memory. Returns whether it
    wrote."""
    if "_view_of" not in part.__dict__:
        return False
    source, index = part._view_of
    whole = source()
    if whole is None or part._node is None and whole._node is None:
        return False
    whole[index] = part
    return True
