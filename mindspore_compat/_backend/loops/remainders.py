"""Remainders and hypotenuses of float32 arrays as compiled loops for the host. They compute in
float64, and round once."""

import numpy

from ..compiled import jit
from ..compiled.door import serves
from ..threads.parallel_loops import FLOAT, ParallelLoop, blocks, part

_MOST = 1 << 29  # of quotients; the product of a smaller one and a divisor is exact

_REMAINDER = """def {{}}(x, y, out):
    fits = True
    for i in range(out.size):
        a, b = numpy.float64(x[i]), numpy.float64(y[i])
        quotient = a / b
        fits &= (abs(quotient) < {most}) & (abs(b) < math.inf)
        rest = a - numpy.{rounded}(quotient) * b
        sign = {sign}
        out[i] = rest + math.copysign(b, sign) if rest * sign < 0 else rest
    return fits
"""

_HYPOT = """def {}(x, y, out):
    for i in range(out.size):
        a, b = abs(numpy.float64(x[i])), abs(numpy.float64(y[i]))
        size = math.sqrt(a * a + b * b)
        out[i] = math.inf if (a == math.inf) | (b == math.inf) else size
"""


@jit.made_once
def _loop(name):
    """Returns the loop of "remainder", "fmod" or "hypot"."""
    parts = [part(FLOAT, 0)] * 3
    if name == "hypot":
        return ParallelLoop(_HYPOT.format, parts, False, name)
    rounded, sign = ("floor", "b") if name == "remainder" else ("trunc", "a")
    text = _REMAINDER.format(most=_MOST, rounded=rounded, sign=sign)
    return ParallelLoop(text.format, parts, False, name, checks=True)


@serves(
    "float32_pairs",
    least="REMAINDER",
    size=lambda name, x, y: x.size,
    takes=lambda name, x, y: True,
    loops=lambda name, x, y: [_loop(name)],
)
def of_pairs(name, x, y):
    """Computes "remainder", "fmod" or "hypot" of contiguous float32 arrays.

    Returns None if a quotient is too large, or if a divisor is zero, infinite or NaN.

    Args:
        name (str): the function.
        x, y: two arrays of one shape; `y` may also be a 0-d array.
    """
    out = numpy.empty(x.shape, FLOAT)
    y = y if y.ndim else numpy.full(x.shape, y)
    arrays = jit.flat(x), jit.flat(y), out.reshape(-1)
    return out if _loop(name).run(blocks(x.size, jit.BLOCK), *arrays) else None
