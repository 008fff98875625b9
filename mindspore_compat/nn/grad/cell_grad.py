"""Jvp and Vjp: the gradient transforms `jvp` and `vjp` as Cells."""

from ..._core.declare.public_api import public
from ..._core.gradients.transforms import jvp, tensors_in, vjp
from ..._core.rules.vocabulary import AsValue, Callable
from ..._core.tensor.tensor import Tensor
from ..cell import Cell

__all__ = ["Jvp", "Vjp"]


@public("nn.Jvp")
class Jvp(Cell):
    """Computes a function's results and their Jacobian-vector product; see `mindspore.jvp`.

    Args:
        fn (Union[Cell, Callable]): the function.

    Inputs:
        The inputs of the function, then the direction: a Tensor, or for several inputs a tuple with
            one Tensor per input.

    Outputs:
        A pair: the results of the function, and the products.

    Raises:
        TypeError: if the direction has another form.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.Jvp(ms.nn.ReLU())(ms.Tensor([1.0, -1.0]), ms.Tensor([1.0, 1.0]))[1])
        [1. 0.]
    """

    def __init__(self, fn):
        super().__init__()
        self.fn = fn

    def construct(self, *args):
        """Returns the results and their directional derivatives."""
        AsValue(Callable).refuse("Jvp", "fn", self.fn)
        inputs, v = args[:-1], args[-1]
        return jvp(self.fn, inputs, _for_each("Jvp", v, len(inputs), "input"))


@public("nn.Vjp")
class Vjp(Cell):
    """Computes a function's results and their vector-Jacobian product; see `mindspore.vjp`.

    Args:
        fn (Union[Cell, Callable]): the function.

    Inputs:
        The inputs of the function, then the weights: a Tensor, or for several results a tuple with
            one Tensor per result.

    Outputs:
        The results, and the gradient of the input; for several inputs a tuple of gradients.

    Raises:
        TypeError: if the weights have another form.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.Vjp(ms.nn.ReLU())(ms.Tensor([1.0, -1.0]), ms.Tensor([1.0, 1.0]))[1])
        [1. 0.]
    """

    def __init__(self, fn):
        super().__init__()
        self.fn = fn

    def construct(self, *args):
        """Returns the results and the gradients."""
        inputs, weights = args[:-1], args[-1]
        out, pull = vjp(self.fn, *inputs)
        grads = pull(*_for_each("Vjp", weights, len(tensors_in(out)), "result"))
        return out, grads[0] if len(inputs) == 1 else grads


def _for_each(api, value, count, noun):
    """Returns `value` as a tuple with one Tensor for each of `count` inputs or results."""
    if count == 1 and isinstance(value, Tensor):
        return (value,)
    if count == 1 or not isinstance(value, tuple) or len(value) != count:
        expected = "a Tensor" if count == 1 else f"a tuple of {count} Tensors"
        raise TypeError(
            f"For '{api}', the last argument must be {expected}, one for each {noun}, "
            f"but got {value!r} of type {type(value).__name__}."
        )
    return value
