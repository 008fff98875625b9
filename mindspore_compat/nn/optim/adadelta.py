"""Adadelta: scales gradients by the ratio of the running sizes of past updates and gradients."""

from ..._backend.updates.fuse import fuse
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Float, checked, inf
from ...ops._optimizer.formulas import adadelta_update, unscaled
from ._documented import documented
from ._fused import FusedOptimizer
from ._groups import Decay, Params, Rate, Scale

__all__ = ["Adadelta"]


@public("nn.Adadelta")
@documented
class Adadelta(FusedOptimizer):
    """Adadelta optimizer: scales gradients by the ratio of the running sizes of updates and
    gradients.

    a = rho a + (1 - rho) g g;  u = sqrt(d + epsilon) g / sqrt(a + epsilon);
    d = rho d + (1 - rho) u u;  p = p - lr u

    Args:
        rho (float): the decay rate of the running averages.
        epsilon (float): added under both roots.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.Adadelta(ms.nn.Dense(2, 1).trainable_params(), 0.1).get_lr())
        Parameter (name=learning_rate, shape=(), dtype=Float32, requires_grad=True)

    Source: mindspore.nn.Adadelta of MindSpore 2.10.
    """

    states = (("accum", "accum", "zeros"), ("accum_update", "accum_update", "zeros"))
    update = fuse(adadelta_update, link=unscaled)
    skips = True

    @checked
    def __init__(
        self,
        params: Params,
        learning_rate: Rate = 1.0,
        rho: Float(ge=0.0, le=1.0) = 0.9,
        epsilon: Float(ge=0.0, lt=inf) = 1e-6,
        loss_scale: Scale = 1.0,
        weight_decay: Decay = 0.0,
    ):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.rho, self.epsilon = rho, epsilon
        self._make_states()

    def scalars(self, lr):
        """Returns the scalars of `adadelta_update`."""
        return {"lr": lr, "rho": self.rho, "eps": self.epsilon}
