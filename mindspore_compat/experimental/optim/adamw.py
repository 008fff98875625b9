"""AdamW: Adam with a weight decay that bypasses the averages, over parameter groups."""

import math

from ..._backend.updates.fuse import fuse
from ..._core.declare.public_api import public
from ..._core.rules.value_rules import Truth
from ..._core.rules.vocabulary import checked
from ...ops._optimizer.formulas import adamw_update, unscaled
from ._documented import documented, documented_implementation
from ._rules import AtLeast, Betas, Decay, Flag, Lr
from .optimizer import GroupedOptimizer

__all__ = ["AdamW"]


@public("experimental.optim.AdamW")
@documented
class AdamW(GroupedOptimizer):
    """AdamW: Adam with decoupled weight decay, which acts on the parameter directly.

    p = p - lr weight_decay p;  m = beta1 m + (1 - beta1) g;  v = beta2 v + (1 - beta2) g g;
    p = p - lr m / (1 - beta1 ** t) / (sqrt(v / (1 - beta2 ** t)) + eps)

    Args:
        weight_decay (Union[int, float]): the weight decay.

    Example:
        >>> import mindspore_compat as ms
        >>> weight = ms.Parameter(ms.Tensor([1.0]), name="weight")
        >>> optimizer = ms.experimental.optim.AdamW([weight], lr=0.1)
        >>> _ = optimizer((ms.Tensor([0.5]),))
        >>> print(weight.value())
        [0.899]

    Source: mindspore.experimental.optim.AdamW of MindSpore 2.10.
    """

    states = (("exp_avg", "zeros"), ("exp_avg_sq", "zeros"), ("max_exp_avg_sq", "zeros"))
    update = fuse(adamw_update, link=unscaled)
    counter = "state_step"
    own_decay = True

    @checked
    def __init__(
        self,
        params,
        lr: Lr = 1e-3,
        betas: Betas = (0.9, 0.999),
        eps: AtLeast = 1e-8,
        weight_decay: Decay = 1e-2,
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
        """Returns the scalars of `adamw_update`."""
        beta1, beta2 = group["betas"]
        decay = group["weight_decay"]
        return {
            "lr": lr / (1 - beta1**step),
            "beta1": beta1,
            "beta2": beta2,
            "eps": group["eps"],
            "root": 1 / math.sqrt(1 - beta2**step),
            "shrink": 1 - lr * decay if decay else None,
            "amsgrad": bool(group["amsgrad"]),
        }

    @documented_implementation
    def implementation(self, lr, weight_decay, beta1, beta2, amsgrad, eps, grads, start_id, end_id):
        """Repeats the last counted step for some parameters, with these settings.

        Args:
            amsgrad (bool): whether to divide by the largest average of squares so far.
            grads (tuple[Tensor]): one gradient for each parameter of the optimizer.
        """
        return self._update_range(
            start_id,
            end_id,
            grads,
            lr=lr,
            weight_decay=weight_decay,
            betas=(beta1, beta2),
            amsgrad=amsgrad,
            eps=eps,
        )
