"""Momentum: stochastic gradient descent with momentum, optionally Nesterov's."""

import numpy as np

from ..._backend.updates.fuse import fuse
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Bool, Float, checked
from ...ops._optimizer.formulas import momentum_update, unscaled
from ._documented import documented
from ._fused import FusedOptimizer
from ._groups import Decay, Params, Rate, Scale
from ._rates import as_number, host_parameter

__all__ = ["Momentum"]


@public("nn.Momentum")
@documented
class Momentum(FusedOptimizer):
    """Momentum optimizer: stochastic gradient descent with momentum, optionally Nesterov's.

    v = momentum * v + g;  p = p - lr * v, or p - lr * (g + momentum * v) with `use_nesterov`.

    Args:
        use_nesterov (bool): whether to use Nesterov momentum.

    Examples:
        >>> from mindspore_compat import nn
        >>> layer = nn.Dense(2, 3)
        >>> update = nn.Momentum(layer.trainable_params(), 0.05, momentum=0.8)

    Source: mindspore.nn.Momentum of MindSpore 2.10.
    """

    states = (("moments", "moments", "zeros"),)
    update = fuse(momentum_update, link=unscaled)
    skips = True

    @checked
    def __init__(
        self,
        params: Params,
        learning_rate: Rate,
        momentum: Float(ge=0.0),
        weight_decay: Decay = 0.0,
        loss_scale: Scale = 1.0,
        use_nesterov: Bool = False,
    ):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.momentum = host_parameter(np.float32(momentum), "momentum")
        self.use_nesterov = use_nesterov
        self._make_states()

    def scalars(self, lr):
        """Returns the scalars of `momentum_update`."""
        return {"lr": lr, "momentum": as_number(self.momentum), "nesterov": self.use_nesterov}
