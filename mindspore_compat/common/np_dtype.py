"""`mindspore.common.np_dtype`: the NumPy type of bfloat16."""

import ml_dtypes
import numpy

__all__ = ["bfloat16", "np_dtype_valid"]

bfloat16 = ml_dtypes.bfloat16


def np_dtype_valid(enable, /):
    """Returns whether arrays can be of bfloat16; `enable` has no effect, since NumPy knows it
    already."""
    return numpy.dtype(bfloat16).itemsize == 2
