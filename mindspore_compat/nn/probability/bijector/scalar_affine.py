"""ScalarAffine: a scale and a shift."""

from .... import ops
from ...._core.declare.public_api import public
from .bijector import Bijector

__all__ = ["ScalarAffine"]


@public("nn.probability.bijector.ScalarAffine")
class ScalarAffine(Bijector):
    """Affine bijector: g(x) = scale x + shift.

    Args:
        scale (Union[float, list, numpy.ndarray, Tensor]): the scale, floats.
        shift (Union[float, list, numpy.ndarray, Tensor]): the shift, floats of the same type.
        name (str): the name of the bijector.

    The log derivatives are log |scale|. They always have the shape of `scale`, even if the value
    has another shape.

    Raises:
        TypeError: if `scale` or `shift` is not of floats, or they have two types.

    Examples:
        >>> from mindspore_compat import Tensor
        >>> from mindspore_compat.nn.probability.bijector import ScalarAffine
        >>> print(ScalarAffine(1.0, 2.0).forward(Tensor([1.0, 2.0, 3.0])))
        [3. 4. 5.]

    Source: mindspore.nn.probability.bijector.ScalarAffine of MindSpore 2.10.
    """

    def __init__(self, scale=1.0, shift=0.0, name="ScalarAffine"):
        super().__init__(
            is_constant_jacobian=True, name=name, param=dict(scale=scale, shift=shift, name=name)
        )
        self._add_parameter(scale, "scale")
        self._add_parameter(shift, "shift")

    scale = property(lambda self: self._own["scale"], doc="The scale, a Tensor.")
    shift = property(lambda self: self._own["shift"], doc="The shift, a Tensor.")

    def extend_repr(self):
        """Returns the text that the printed bijector shows."""
        if self.is_scalar_batch:
            return f"scale = {self.scale}, shift = {self.shift}"
        return f"batch_shape = {self.batch_shape}"

    def _forward(self, x):
        x, scale, shift = self._with(x)
        return scale * x + shift

    def _inverse(self, y):
        y, scale, shift = self._with(y)
        return (y - shift) / scale

    def _forward_log_jacobian(self, x):
        return ops.log(ops.abs(self._with(x)[1]))

    def _inverse_log_jacobian(self, y):
        return -self._forward_log_jacobian(y)
