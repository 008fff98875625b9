"""RMSProp: divides gradients by the root of their running mean square."""

from ..._backend.updates.fuse import fuse
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Bool, Float, checked, inf
from ..._core.without_effect import without_effect
from ...ops._optimizer.formulas import centered_rmsprop_update, rmsprop_update, unscaled
from ._documented import documented
from ._fused import FusedOptimizer
from ._groups import Decay, Params, Rate, Scale

__all__ = ["RMSProp"]

AtLeast = Float(ge=0.0, lt=inf)
Above = Float(gt=0.0, lt=inf)
PLAIN = fuse(rmsprop_update, link=unscaled)
CENTERED = fuse(centered_rmsprop_update, link=unscaled)


@public("nn.RMSProp")
@without_effect("nn.RMSProp(use_locking)")
@documented
class RMSProp(FusedOptimizer):
    """RMSProp optimizer: divides gradients by the root of their running mean square.

    s = decay s + (1 - decay) g g;  m = momentum m + lr g / sqrt(s + epsilon);  p = p - m.
    With `centered`, the square of the running mean gradient is subtracted from s.

    Args:
        decay (float): the decay rate of the averages.
        momentum (float): the factor of the previous update that is added to the new one.
        epsilon (float): added under the root.
        use_locking (bool): accepted; two threads never update one Parameter at once.
        centered (bool): whether to divide by the root of the variance instead.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.RMSProp(ms.nn.Dense(2, 1).trainable_params(), 0.1).get_lr())
        Parameter (name=learning_rate, shape=(), dtype=Float32, requires_grad=True)

    Source: mindspore.nn.RMSProp of MindSpore 2.10.
    """

    states = (("ms", "mean_square", "ones"), ("moment", "moment", "zeros"))
    update = PLAIN
    skips = True

    @checked
    def __init__(
        self,
        params: Params,
        learning_rate: Rate = 0.1,
        decay: AtLeast = 0.9,
        momentum: AtLeast = 0.0,
        epsilon: Above = 1e-10,
        use_locking: Bool = False,
        centered: Bool = False,
        loss_scale: Scale = 1.0,
        weight_decay: Decay = 0.0,
    ):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.decay, self.momentum, self.epsilon = decay, momentum, epsilon
        self.centered = centered
        if centered:
            self.states = (("mg", "mean_grad", "zeros"), *self.states)
            self.update = CENTERED
        self._make_states()

    def scalars(self, lr):
        """Returns the scalars of `rmsprop_update`."""
        return {"lr": lr, "rho": self.decay, "momentum": self.momentum, "eps": self.epsilon}
