"""Invert: the inverse of another bijector."""

from ...._core.declare.public_api import public
from ...._core.rules.vocabulary import CellOf, Str, checked
from .bijector import Bijector

__all__ = ["Invert"]


@public("nn.probability.bijector.Invert")
class Invert(Bijector):
    """Inverts a bijector: `forward` is the `inverse` of the other, and vice versa.

    Args:
        bijector (Bijector): the bijector to invert.
        name (str): the name; "" for "Invert" and the name of `bijector`.

    Raises:
        TypeError: if `bijector` is not a Bijector, or `name` not a str.

    Examples:
        >>> from mindspore_compat import Tensor
        >>> from mindspore_compat.nn.probability.bijector import Invert, ScalarAffine
        >>> print(Invert(ScalarAffine(2.0, 1.0)).forward(Tensor([2.0, 3.0, 4.0, 5.0])))
        [0.5 1.  1.5 2. ]

    Source: mindspore.nn.probability.bijector.Invert of MindSpore 2.10.
    """

    @checked
    def __init__(self, bijector: CellOf("Bijector"), name: Str = ""):
        super().__init__(
            bijector.is_constant_jacobian,
            bijector.is_injective,
            name or f"Invert{bijector.name or ''}",
            bijector.dtype,
            dict(bijector=bijector, name=name),
        )
        self._bijector = bijector

    bijector = property(lambda self: self._bijector, doc="What is inverted.")
    batch_shape = property(
        lambda self: self._bijector.batch_shape,
        doc="The shape that the arguments are broadcast to.",
    )
    is_scalar_batch = property(
        lambda self: self._bijector.is_scalar_batch, doc="Whether all arguments are plain numbers."
    )

    def forward(self, x):
        """Returns the inverse of `bijector` at `x`, a Tensor of floats."""
        return self._bijector.inverse(x)

    def inverse(self, y):
        """Returns the value of `bijector` at `y`, a Tensor of floats."""
        return self._bijector.forward(y)

    def forward_log_jacobian(self, x):
        """Returns the logarithm of the derivative of the inverse of `bijector` at `x`."""
        return self._bijector.inverse_log_jacobian(x)

    def inverse_log_jacobian(self, y):
        """Returns the logarithm of the derivative of `bijector` at `y`."""
        return self._bijector.forward_log_jacobian(y)
