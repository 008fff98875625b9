"""Jvp and Vjp: the transforms of the same names as Cells."""

from ..._core.autograd.transforms import jvp, vjp
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Callable, checked
from ..cell import Cell

__all__ = ["Jvp", "Vjp"]


@public("nn.Jvp")
class Jvp(Cell):
    """A function's results and their slopes along a direction; see `mindspore.jvp`.

    Args:
        fn (Union[Cell, Callable]): the function.

    Inputs:
        The inputs of the function, and the direction: a Tensor, or a tuple of one for each input.
    """

    @checked
    def __init__(self, fn: Callable):
        super().__init__()
        self.fn = fn

    def construct(self, *args):
        """The results and their slopes."""
        inputs, v = args[:-1], args[-1]
        return jvp(self.fn, inputs, v if isinstance(v, tuple) else (v,))


@public("nn.Vjp")
class Vjp(Cell):
    """A function's results and the gradient of their weighted sum; see `mindspore.vjp`.

    Args:
        fn (Union[Cell, Callable]): the function.

    Inputs:
        The inputs of the function, and the weights: a Tensor, or a tuple of one for each result.
    """

    @checked
    def __init__(self, fn: Callable):
        super().__init__()
        self.fn = fn

    def construct(self, *args):
        """The results and the gradients, one for each input."""
        inputs, weights = args[:-1], args[-1]
        out, pull = vjp(self.fn, *inputs)
        found = pull(*(weights if isinstance(weights, tuple) else (weights,)))
        return out, found
