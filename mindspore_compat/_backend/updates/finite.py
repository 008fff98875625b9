"""Checks that all numbers are finite, in one pass over memory and without large temporaries.

On a GPU one kernel for each dtype checks all arrays, and the result stays on the GPU.
"""

import functools

import ml_dtypes
import numpy

from .. import arrays
from ..bodies.c_code import TYPES, load, preamble, supported
from ..bodies.multi_tensor import THREADS, filled_table, row_source
from ..steps import recorded_array

_EXPONENTS = {  # low-precision floats are finite unless all exponent bits are set
    numpy.dtype(numpy.float16): 0x7C00,
    numpy.dtype(ml_dtypes.bfloat16): 0x7F80,
}


def all_finite(checked):
    """Returns whether all elements of all arrays are finite, as a 0-d bool array on the arrays'
    device.

    Integers and bools are finite.
    """
    flag = ~overflowed(checked)
    return numpy.array(flag) if type(flag) is numpy.bool_ else flag


def overflowed(checked):
    """Returns whether any element is infinite or NaN, as a 0-d bool array on the arrays' device."""
    stages = next((x.stages for x in checked if hasattr(x, "stages")), None)
    if stages is not None:  # of gradients that lie on pipeline stages
        blocks = [getattr(x, "array", x) for x in checked]
        return stages.anywhere(overflowed([x for x in blocks if x is not None]))
    space = next((x.space for x in checked if hasattr(x, "placement")), None)
    if space is not None:  # every rank looks at its blocks
        return space.anywhere(overflowed([getattr(x, "block", x) for x in checked]))
    if arrays.running_recorder() is not None:
        return recorded_array.call(overflowed, (list(checked),))
    host = not all(_on_host(x) for x in checked if type(x) is numpy.ndarray)
    device = [x for x in checked if arrays.on_device(x)]
    if not device:
        return numpy.array(host)
    xp = arrays.space_of(device[0])
    flag = xp.full((), host, bool)
    kinds = {}
    for x in device:
        if x.dtype.kind in "fcV" and x.size:
            x = x.ravel().view(x.real.dtype) if x.dtype.kind == "c" else x
            kinds.setdefault(x.dtype, []).append(x)
    for dtype, same_dtype in kinds.items():
        if xp.kernels is not None and supported([dtype]):
            _look_at(xp, dtype, [xp.ascontiguousarray(x) for x in same_dtype], flag)
        else:
            for x in same_dtype:
                flag |= ~xp.all(xp.isfinite(x))
    return flag


ROWS = 150  # arrays that one launch checks


def _look_at(xp, dtype, same_dtype, flag):
    """Launches kernels on a GPU that set `flag` if one of the arrays, all of this dtype, holds a
    number that is not finite."""
    kernel = _kernel(xp.module, dtype)
    for start in range(0, len(same_dtype), ROWS):
        table, blocks = filled_table([(x,) for x in same_dtype[start : start + ROWS]], ROWS)
        kernel((blocks,), (THREADS,), (table, None, flag))


@functools.cache
def _kernel(module, dtype):
    real = "double" if dtype == numpy.float64 else "float"
    element = f"(({TYPES[dtype]}*)table.at[0][row])[at]"
    body = [
        f"const {real} value = {load(dtype, element)};",
        "if (!(value - value == 0)) *found = true;",
    ]
    name = "look_for_overflow"
    return module.RawKernel(
        preamble([dtype]) + row_source(name, 1, ROWS, ", bool* found", [], body), name
    )


def _on_host(x):
    exponent = _EXPONENTS.get(x.dtype)
    if exponent is not None:
        return numpy.array(not ((x.view(numpy.uint16) & exponent) == exponent).any())
    if x.dtype.kind not in "fc":
        return numpy.array(True)
    with numpy.errstate(all="ignore"):
        total = x.sum()
    # A finite sum has finite terms. An infinite sum may also come from overflow.
    return numpy.array(numpy.isfinite(total) or numpy.isfinite(x).all())
