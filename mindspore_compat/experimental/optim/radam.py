"""RAdam: rectified Adam, which uses only momentum until the variance of its rate is defined."""

import math

from ..._backend.updates.fuse import fuse
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import checked
from ...ops._optimizer.formulas import radam_update, unscaled
from ._documented import documented, documented_implementation
from ._rules import Above, Decay, FloatBetas, LrAbove
from .optimizer import GroupedOptimizer

__all__ = ["RAdam"]


@public("experimental.optim.RAdam")
@documented
class RAdam(GroupedOptimizer):
    """RAdam: rectified Adam, which uses only momentum until the variance of its rate is defined.

    Example:
        >>> import mindspore_compat as ms
        >>> weight = ms.Parameter(ms.Tensor([1.0]), name="weight")
        >>> optimizer = ms.experimental.optim.RAdam([weight], lr=0.1)
        >>> _ = optimizer((ms.Tensor([0.5]),))
        >>> print(weight.value())
        [0.95]

    Source: mindspore.experimental.optim.RAdam of MindSpore 2.10.
    """

    states = (("exp_avg", "zeros"), ("exp_avg_sq", "zeros"))
    update = fuse(radam_update, link=unscaled)
    counter = "step_t"
    counter_first = True

    @checked
    def __init__(
        self,
        params,
        lr: LrAbove = 1e-3,
        betas: FloatBetas = (0.9, 0.999),
        eps: Above = 1e-8,
        weight_decay: Decay = 0.0,
    ):
        super().__init__(
            params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}
        )

    def scalars(self, group, lr, step):
        """Returns the scalars of `radam_update`. The step is rectified only if the approximated
        length of the moving average is above 5."""
        beta1, beta2 = group["betas"]
        longest = 2 / (1 - beta2) - 1
        length = longest - 2 * step * beta2**step / (1 - beta2**step)
        rate = lr / (1 - beta1**step)
        if length > 5:
            numerator = (length - 4) * (length - 2) * longest
            whole = (longest - 4) * (longest - 2) * length
            rate *= math.sqrt(numerator / whole) * math.sqrt(1 - beta2**step)
        return {
            "lr": rate,
            "beta1": beta1,
            "beta2": beta2,
            "eps": group["eps"],
            "settled": length > 5,
        }

    @documented_implementation
    def implementation(self, lr, beta1, beta2, weight_decay, eps, start_id, end_id, gradients):
        """Repeats the last counted step for some parameters, with these settings."""
        return self._update_range(
            start_id,
            end_id,
            gradients,
            lr=lr,
            betas=(beta1, beta2),
            weight_decay=weight_decay,
            eps=eps,
        )
