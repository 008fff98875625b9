"""Selection of elements by a mask or a bound (where, clip), as compiled loops for the host.

The results are bitwise those of host/select.py, which needs several passes.
"""

import numpy

from ..compiled import jit
from ..compiled.door import serves
from ..threads import parallel_loops
from ..threads.parallel_loops import FLOAT, blocks, number, part

WORD, BOOL = numpy.dtype(numpy.int32), numpy.dtype(bool)


@jit.made_once
def _where(has_x, has_y):
    """Returns the loop of `where`; the flags say whether `x` and `y` are arrays or numbers."""
    choice = f"{'x[i]' if has_x else 'x'} if mask[i] else {'y[i]' if has_y else 'y'}"
    x, y = (part(WORD, 0) if is_array else number(WORD) for is_array in (has_x, has_y))
    return _loop(choice, {"mask": part(BOOL, 0), "x": x, "y": y}, WORD)


@serves(
    "where",
    least="WHERE_LOOP",
    takes=lambda mask, x, y: x.itemsize == WORD.itemsize and mask.size > 1,
    loops=lambda mask, x, y: [_where(x.size > 1, y.size > 1)],
)
def where(mask, x, y):
    """Returns the elements of `x` where `mask` holds, else those of `y`.

    Args:
        mask: bool array of several elements.
        x, y: int32 arrays of the shape of `mask`, or of one element.
    """
    return _elements(_where(x.size > 1, y.size > 1), mask.shape, WORD, mask, x, y)


@jit.made_once
def _bounded(sign):
    """Returns the loop of `bounded` for a comparison, "<" or ">"."""
    kinds = {"x": part(FLOAT, 0), "bound": number(FLOAT)}
    return _loop(f"bound if x[i] {sign} bound else x[i]", kinds, FLOAT)


@serves(
    "clip_one_side",
    least="WHERE_LOOP",
    takes=lambda x, sign, bound: x.dtype == FLOAT and x.size > 1 and not numpy.isnan(bound),
    loops=lambda x, sign, bound: [_bounded(sign)],
)
def bounded(x, sign, bound):
    """Limits `x` on one side: returns `bound` where `x < bound` (or `x > bound`), else `x`. A NaN
    in `x` stays NaN.

    Args:
        x: float32 array of several elements.
        sign (str): "<" or ">".
        bound: a number.
    """
    return _elements(_bounded(sign), x.shape, FLOAT, x, FLOAT.type(bound))


def _loop(choice, kinds, dtype):
    """Returns a loop that writes an expression for each element i.

    Args:
        choice (str): the expression.
        kinds (dict): name of a parameter -> its parallel_loops.Parameter.
        dtype: the dtype of the result.
    """
    lines = [
        f"def {{}}({', '.join([*kinds, 'out'])}):",
        "    for i in range(out.size):",
        f"        out[i] = {choice}",
    ]
    parameters = [*kinds.values(), part(dtype, 0)]
    return parallel_loops.ParallelLoop("\n".join(lines).format, parameters, False, "choice")


def _elements(loop, shape, dtype, *choices):
    """Runs a loop of `_loop` on the arguments `choices`, and returns its result: an array of this
    shape and dtype."""
    out = numpy.empty(shape, dtype)
    choices = [jit.flat(choice) if choice.size > 1 else choice.reshape(-1)[0] for choice in choices]
    loop.run(blocks(out.size, jit.BLOCK), *choices, out.reshape(-1))
    return out
