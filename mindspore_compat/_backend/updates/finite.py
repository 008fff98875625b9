"""Checks that all numbers are finite, in one pass over memory and without large temporaries.

On a GPU one kernel checks all arrays, whatever their dtypes, and the result stays on the GPU.
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
    together = []
    for x in device:
        if x.dtype.kind in "fcV" and x.size:
            x = x.ravel().view(x.real.dtype) if x.dtype.kind == "c" else x
            if xp.kernels is not None and supported([x.dtype]):
                together.append(xp.ascontiguousarray(x))
            else:
                flag |= ~xp.all(xp.isfinite(x))
    _look_at(xp, together, flag)
    return flag


ROWS = 150  # arrays that one launch checks


def _look_at(xp, checked, flag):
    """Launches kernels on a GPU that set `flag` if one of the arrays holds a number that is not
    finite."""
    checked = sorted(checked, key=lambda x: x.dtype.name)
    for start in range(0, len(checked), ROWS):
        part = checked[start : start + ROWS]
        dtypes = tuple(dict.fromkeys(x.dtype for x in part))
        ends = [numpy.int32(sum(x.dtype.name <= dtype.name for x in part)) for dtype in dtypes[:-1]]
        table, blocks = filled_table([(x,) for x in part], ROWS)
        _kernel(xp.module, dtypes)((blocks,), (THREADS,), (table, None, flag, *ends))


@functools.cache
def _kernel(module, dtypes):
    """Returns the kernel for a table with all rows of the first dtype, then those of the second,
    and so on. Its last arguments are the end rows (exclusive) of all dtypes but the last."""
    parameters, body = ", bool* found", ["bool finite;"]
    for number, dtype in enumerate(dtypes):
        real = "double" if dtype == numpy.float64 else "float"
        value = load(dtype, f"(({TYPES[dtype]}*)table.at[0][row])[at]")
        test = f"{{ const {real} value = {value}; finite = value - value == 0; }}"
        if number < len(dtypes) - 1:
            parameters += f", int end{number}"
            test = f"if (row < end{number}) {test} else"
        body.append(test)
    body.append("if (!finite) *found = true;")
    name = "look_for_overflow"
    return module.RawKernel(
        preamble(dtypes) + row_source(name, 1, ROWS, parameters, [], body), name
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
