"""Exp: the exponential function."""

from ...._core.declare.public_api import public
from .power_transform import PowerTransform

__all__ = ["Exp"]


@public("nn.probability.bijector.Exp")
class Exp(PowerTransform):
    """Exponential bijector: g(x) = exp(x), the PowerTransform of power 0.

    Args:
        name (str): the name of the bijector.

    Raises:
        TypeError: if `name` is not a str.

    Examples:
        >>> from mindspore_compat import Tensor
        >>> from mindspore_compat.nn.probability.bijector import Exp
        >>> print(Exp().forward(Tensor([0.0])))
        [1.]

    Source: mindspore.nn.probability.bijector.Exp of MindSpore 2.10.
    """

    def __init__(self, name="Exp"):
        super().__init__(0.0, name)

    def extend_repr(self):
        """Returns the text that the printed bijector shows."""
        return "exp"
