"""The Adam optimizer over parameter groups, each with its own learning rate and other options."""

import math

from ..._backend.updates.fuse import fuse
from ..._core.declare.public_api import public
from ..._core.rules.value_rules import Truth
from ..._core.rules.vocabulary import checked
from ...ops._optimizer.formulas import adam_or_amsgrad_update, unscaled
from ._documented import documented, documented_implementation
from ._rules import AtLeast, Betas, Decay, Flag, Lr
from .optimizer import GroupedOptimizer

__all__ = ["Adam"]


@public("experimental.optim.Adam")
@documented
class Adam(GroupedOptimizer):
    """Adam: divides the average gradient by the root of the average squared gradient.

    m = beta1 m + (1 - beta1) g;  v = beta2 v + (1 - beta2) g g;
    p = p - lr sqrt(1 - beta2 ** t) / (1 - beta1 ** t) m / (sqrt(v) + eps)

    Example:
        >>> import mindspore_compat as ms
        >>> print(len(ms.experimental.optim.Adam(ms.nn.Dense(2, 1).trainable_params(),
        ...                                      0.1).param_groups))
        1

    Source: mindspore.experimental.optim.Adam of MindSpore 2.10.
    """

    states = (("exp_avg", "zeros"), ("exp_avg_sq", "zeros"), ("max_exp_avg_sq", "zeros"))
    update = fuse(adam_or_amsgrad_update, link=unscaled)
    counter = "state_step"

    @checked
    def __init__(
        self,
        params,
        lr: Lr = 1e-3,
        betas: Betas = (0.9, 0.999),
        eps: AtLeast = 1e-8,
        weight_decay: Decay = 0.0,
        amsgrad: Truth = False,
        *,
        maximize: Flag = False,
    ):
        super().__init__(
            params,
            {
                "lr": lr,
                "betas": betas,
                "eps": eps,
                "weight_decay": weight_decay,
                "amsgrad": amsgrad,
                "maximize": maximize,
            },
        )

    def scalars(self, group, lr, step):
        """Returns the scalars of `adam_or_amsgrad_update`; `lr` includes the bias correction of
        both averages.
        """
        beta1, beta2 = group["betas"]
        corrected = lr * math.sqrt(1 - beta2**step) / (1 - beta1**step)
        return {
            "lr": corrected,
            "beta1": beta1,
            "beta2": beta2,
            "eps": group["eps"],
            "amsgrad": bool(group["amsgrad"]),
        }

    @documented_implementation
    def implementation(
        self, beta1, beta2, eps, lr, start_id, end_id, gradients, maximize, weight_decay
    ):
        """Repeats the last counted step for some parameters, with these settings."""
        return self._update_range(
            start_id,
            end_id,
            gradients,
            betas=(beta1, beta2),
            eps=eps,
            lr=lr,
            maximize=maximize,
            weight_decay=weight_decay,
        )
