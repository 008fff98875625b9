"""Makes operators that apply one function of `xp` to floats."""

from ..._core.declare.op import op
from .._rules import Anything


def as_floating(xp, x):
    """Casts integers and bools to float32, the dtype that most functions compute them in."""
    return xp.cast(x, "float32") if x.dtype.kind in "iub" else x


def unary(name, doc, example, printed, *lines, only=Anything, below_zero=None):
    """Declares an operator that applies the function `name` of `xp`; integers are cast to float32.

    The documented example calls the first signature with a Tensor of `example`, and prints
    `printed`. `below_zero`, if given, is the result for negative numbers.
    """

    def body(xp, input: only):
        x = as_floating(xp, input)
        out = getattr(xp, name)(x)
        return out if below_zero is None else xp.where(x < 0, below_zero, out)

    body.__name__, body.__doc__ = (
        name,
        f"""{doc}

    Shapes:
        `input` may have any shape. The result has the same shape; floats keep their dtype and
        integers give float32.

    Example:
        >>> print(ms.{lines[0].partition("(")[0]}(ms.Tensor({example})))
        {printed}
    """,
    )
    return op(*lines)(body)
