"""NAdam: Adam with Nesterov momentum, over parameter groups."""

import math

from ..._backend.updates.fuse import fuse
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import checked
from ...ops._optimizer.formulas import nadam_update, unscaled
from ._documented import documented, documented_implementation
from ._rules import Above, AtLeast, Decay, FloatBetas, LrAbove
from .optimizer import GroupedOptimizer

__all__ = ["NAdam"]


@public("experimental.optim.NAdam")
@documented
class NAdam(GroupedOptimizer):
    """NAdam: Adam with Nesterov momentum.

    The momentum of step t is mu = beta1 (1 - 0.96 ** (t momentum_decay) / 2). The average m of
    gradients is weighted with the mu of the next step, and the gradient with 1 - mu.

    Args:
        momentum_decay (float): how fast the momentum grows towards `beta1`.

    Example:
        >>> import mindspore_compat as ms
        >>> weight = ms.Parameter(ms.Tensor([1.0]), name="weight")
        >>> optimizer = ms.experimental.optim.NAdam([weight], lr=0.1)
        >>> _ = optimizer((ms.Tensor([0.5]),))
        >>> print(weight.value())
        [0.8943548]

    Source: mindspore.experimental.optim.NAdam of MindSpore 2.10.
    """

    states = (("exp_avg", "zeros"), ("exp_avg_sq", "zeros"))
    update = fuse(nadam_update, link=unscaled)
    counter = "step_t"
    counter_first = True

    @checked
    def __init__(
        self,
        params,
        lr: LrAbove = 2e-3,
        betas: FloatBetas = (0.9, 0.999),
        eps: Above = 1e-8,
        weight_decay: Decay = 0.0,
        momentum_decay: AtLeast = 4e-3,
    ):
        super().__init__(
            params,
            {
                "lr": lr,
                "betas": betas,
                "eps": eps,
                "weight_decay": weight_decay,
                "momentum_decay": momentum_decay,
            },
        )

    def scalars(self, group, lr, step):
        """Returns the scalars of `nadam_update`."""
        beta1, beta2 = group["betas"]

        def momentum(t):
            return beta1 * (1 - 0.5 * 0.96 ** (t * group["momentum_decay"]))

        product = math.prod(momentum(t) for t in range(1, step + 1))
        mu, ahead = momentum(step), momentum(step + 1)
        return {
            "g_rate": lr * (1 - mu) / (1 - product),
            "m_rate": lr * ahead / (1 - product * ahead),
            "beta1": beta1,
            "beta2": beta2,
            "eps": group["eps"],
            "root": 1 / math.sqrt(1 - beta2**step),
        }

    @documented_implementation
    def implementation(
        self, lr, beta1, beta2, weight_decay, momentum_decay, eps, start_id, end_id, gradients
    ):
        """Repeats the last counted step for some parameters, with these settings.

        Args:
            momentum_decay (float): how fast the momentum grows.
        """
        return self._update_range(
            start_id,
            end_id,
            gradients,
            lr=lr,
            betas=(beta1, beta2),
            weight_decay=weight_decay,
            momentum_decay=momentum_decay,
            eps=eps,
        )
