"""SGD: stochastic gradient descent with optional momentum and dampening."""

import numpy as np

from ..._backend.updates.fuse import fuse
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Bool, Forbid, Number, checked
from ...ops._optimizer.formulas import plain_update, sgd_update, unscaled
from ..cell import Cell
from ._documented import documented
from ._fused import FusedOptimizer
from ._groups import Decay, Params, Rate, Scale
from ._rates import as_number, host_parameter

__all__ = ["SGD"]

AtLeast = Number(ge=0.0) | Bool
PLAIN = fuse(plain_update, link=unscaled)
WITH_MOMENTUM = fuse(sgd_update, link=unscaled)


def _sgd_update_noted(xp, p, g, accum, stat, **scalars):
    """Computes `sgd_update`, and records in `stat` that a step has been taken."""
    p, accum, _ = sgd_update(xp, p, g, accum, stat, **scalars)
    return p, accum, stat * 0


NOTED = fuse(_sgd_update_noted, link=unscaled)


@public("nn.SGD")
@documented
class SGD(FusedOptimizer):
    """Stochastic gradient descent (SGD) with optional momentum and dampening.

    v = momentum * v + (1 - dampening) * g, and v = g at the first step;
    p = p - lr * v, or p - lr * (g + momentum * v) with `nesterov`.

    Args:
        dampening (float): the share of a gradient that does not enter the momentum.
        weight_decay (Union[float, int]): the weight decay; it cannot change with the step.
        nesterov (bool): whether to use Nesterov momentum; needs momentum and no dampening.

    Examples:
        >>> from mindspore_compat import nn
        >>> net = nn.Dense(2, 3)
        >>> optimizer = nn.SGD(net.trainable_params(), learning_rate=0.1)

    Source: mindspore.nn.SGD of MindSpore 2.10.
    """

    states = (("accum", "accum", "zeros"), ("stat", "stat", "ones"))
    update = WITH_MOMENTUM
    skips = True

    @checked(
        Forbid(
            "nesterov and (not momentum > 0 or dampening != 0)",
            reason="'nesterov' needs 'momentum' above 0 and 'dampening' 0",
        )
    )
    def __init__(
        self,
        params: Params,
        learning_rate: Rate = 0.1,
        momentum: AtLeast = 0.0,
        dampening: AtLeast = 0.0,
        weight_decay: Decay = 0.0,
        nesterov: Bool = False,
        loss_scale: Scale = 1.0,
    ):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        decays = (weight_decay, *(setting.decay for setting in self._settings))
        if any(isinstance(decay, Cell) for decay in decays):
            raise TypeError(
                "For 'SGD', dynamic weight decay is currently not supported, the argument "
                "'weight_decay' or 'weight_decay' set in grouped 'params' must be float or int "
                "type. It got a Cell."
            )
        self.momentum = host_parameter(np.float32(momentum), "momentum")
        self.dampening = float(dampening)
        self.nesterov = nesterov
        self._make_states()
        self._plans = {True: (self._plan_over([]), PLAIN), False: (self._plan, WITH_MOMENTUM)}

    def scalars(self, lr):
        """Returns the scalars of `sgd_update`, or of `plain_update` without momentum."""
        momentum = as_number(self.momentum)
        if momentum == 0:
            return {"lr": lr}
        dampening = self.dampening if self.dampening else None
        return {"lr": lr, "momentum": momentum, "dampening": dampening, "nesterov": self.nesterov}

    def construct(self, gradients):
        """Updates the parameters; without momentum the states do not change.

        Args:
            gradients (tuple[Tensor]): one gradient for each parameter, in the order of
                `parameters`.

        Returns:
            tuple[bool], True for each parameter.
        """
        self._plan, self.update = self._plans[as_number(self.momentum) == 0]
        if self.update is WITH_MOMENTUM and self._skip is not None:
            self.update = NOTED
        return super().construct(gradients)

    def after_step(self):
        """Returns the flags of parameters without a step, after the first one."""
        if self.update is WITH_MOMENTUM and not self.dampening and not self.global_step._array[0]:
            return [(stat._array, 0) for stat in self.stat]
        return []
