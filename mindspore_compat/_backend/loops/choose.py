"""Elements chosen by a mask or a bound, as compiled loops of the host.

They are what host/select.py does in several passes, and have the same bits.
"""

import math

import numpy

from ..compiled import jit
from ..threads.parallel_loops import FLOAT, ParallelLoop, blocks, number, part

WORD = numpy.dtype(numpy.int32)
LEAST = 1 << 16  # elements below which NumPy's passes take no longer


def chosen(mask, x, y):
    """The elements of `x` where `mask` holds, else those of `y`; None if there is no loop, or none
    yet.

    Args:
        mask: bool array of several elements.
        x, y: int32 arrays of the shape of `mask`, or of one element.
    """
    one, other = ("{}[i]" if each.size > 1 else "{}" for each in (x, y))
    choice = f"{one.format('x')} if mask[i] else {other.format('y')}"
    return _found(choice, mask.shape, WORD, mask=mask, x=x, y=y)


def bounded(x, sign, bound):
    """`bound` where `x` is less than it ("<") or greater (">"), else `x`; None as for `chosen`.

    Args:
        x: float32 array of several elements.
        sign (str): "<" or ">".
        bound: a number.
    """
    choice = f"bound if x[i] {sign} bound else x[i]"
    return _found(choice, x.shape, FLOAT, x=x, bound=FLOAT.type(bound))


def _found(choice, shape, dtype, **given):
    """An array of this shape and dtype whose element `i` is the text of a choice."""
    if math.prod(shape) < LEAST or not jit.available():
        return None
    kinds = tuple((name, each.dtype, each.size > 1) for name, each in given.items())
    loop = _loop(choice, kinds, dtype)
    if not loop.is_ready():
        return None
    out = numpy.empty(shape, dtype)
    given = [jit.flat(each) if each.size > 1 else each.reshape(-1)[0] for each in given.values()]
    loop.run(blocks(out.size, jit.BLOCK), *given, out.reshape(-1))
    return out


@jit.made_once
def _loop(choice, kinds, dtype):
    """The loop of a choice; `kinds` are names, dtypes and whether they are arrays."""
    names = [name for name, _, _ in kinds]
    lines = [
        f"def {{}}({', '.join([*names, 'out'])}):",
        "    for i in range(out.size):",
        f"        out[i] = {choice}",
    ]
    parameters = [part(each, 0) if is_array else number(each) for _, each, is_array in kinds]
    return ParallelLoop("\n".join(lines).format, [*parameters, part(dtype, 0)], False, "choice")
