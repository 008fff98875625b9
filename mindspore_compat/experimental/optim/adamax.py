"""Adamax: Adam with the infinity norm, over parameter groups."""

from ..._backend.updates.fuse import fuse
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import checked
from ...ops._optimizer.formulas import adamax_inner_eps_update, unscaled
from ._documented import documented, documented_implementation
from ._rules import Above, Decay, Flag, FloatBetas, LrAbove
from .optimizer import GroupedOptimizer

__all__ = ["Adamax"]


@public("experimental.optim.Adamax")
@documented
class Adamax(GroupedOptimizer):
    """Adamax: Adam with an infinity norm.

    m = beta1 m + (1 - beta1) g;  u = max(beta2 u, |g| + eps);  p = p - lr / (1 - beta1 ** t) m / u

    Args:
        eps (float): added to the size of the gradient.

    Example:
        >>> import mindspore_compat as ms
        >>> weight = ms.Parameter(ms.Tensor([1.0]), name="weight")
        >>> optimizer = ms.experimental.optim.Adamax([weight], lr=0.1)
        >>> _ = optimizer((ms.Tensor([0.5]),))
        >>> print(weight.value())
        [0.9]

    Source: mindspore.experimental.optim.Adamax of MindSpore 2.10.
    """

    states = (("exp_avg", "zeros"), ("exp_inf", "zeros"))
    update = fuse(adamax_inner_eps_update, link=unscaled)
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
                "maximize": maximize,
            },
        )

    def scalars(self, group, lr, step):
        """Returns the scalars of `adamax_inner_eps_update`."""
        beta1, beta2 = group["betas"]
        return {"lr": lr / (1 - beta1**step), "beta1": beta1, "beta2": beta2, "eps": group["eps"]}

    @documented_implementation
    def implementation(self, group_id, lr, gradients, maximize, weight_decay, beta1, beta2, eps):
        """Repeats the last counted step for one group, with these settings."""
        return self._update_group(
            group_id,
            gradients,
            lr=lr,
            maximize=maximize,
            weight_decay=weight_decay,
            betas=(beta1, beta2),
            eps=eps,
        )
