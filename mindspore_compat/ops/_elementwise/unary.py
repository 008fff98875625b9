"""A factory of ops that apply one function of `xp` to floats."""

from ..._core.declare.op import op
from .._rules import Anything


def as_floating(xp, x):
    """Integers and bools cast to float32, as most functions take them."""
    return xp.cast(x, "float32") if x.dtype.kind in "iub" else x


def unary(name, doc, example, printed, *lines, only=Anything):
    """An op that applies one function of `xp` to floats; integers are cast to float32.

    `printed` is what the first line, called with a Tensor of `example`, prints.
    """

    def body(xp, input: only):
        return getattr(xp, name)(as_floating(xp, input))

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
