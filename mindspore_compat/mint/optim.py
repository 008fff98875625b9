"""mindspore.mint.optim: SGD, Adam and AdamW as PyTorch has them, over parameter groups.

The original runs them on Ascend alone. Formulas and groups are those of `experimental.optim`; here
are the stricter settings, the names of states, and Adam with `eps` beside the corrected root.
"""

import math

from .._backend.fuse import fuse
from .._core.rules import Bool, Float, Forbid, Number, TupleOf, checked, inf
from .._core.surface import public
from .._core.tensor import Tensor
from ..experimental.optim.optimizer import GroupedOptimizer
from ..ops._update import adamw_update, momentum_or_plain_update, unscaled

__all__ = ["AdamW", "Adam", "SGD", "FusedAdamW"]

Betas = TupleOf(Float(ge=0.0, lt=1.0), length=2)
AtLeast = Float(ge=0.0, lt=inf)
Loose = Number(ge=0.0, lt=inf) | Bool


class _Adam(GroupedOptimizer):
    """What Adam and AdamW share: states, settings, and both corrections for bias."""

    states = (("exp_avg", "zeros"), ("exp_avg_sq", "zeros"), ("max_exp_avg_sq", "zeros"))
    update = fuse(adamw_update, link=unscaled)
    counter = "state_step"

    def __init__(self, params, lr, betas, eps, weight_decay, amsgrad, maximize):
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps,
                                  "weight_decay": weight_decay, "amsgrad": amsgrad,
                                  "maximize": maximize})

    def scalars(self, group, lr, step):
        """The scalars of `adamw_update`."""
        beta1, beta2 = group["betas"]
        decay = group["weight_decay"] if self.own_decay else 0
        return {"lr": lr / (1 - beta1**step), "beta1": beta1, "beta2": beta2, "eps": group["eps"],
                "root": 1 / math.sqrt(1 - beta2**step), "shrink": 1 - lr * decay if decay else None,
                "amsgrad": bool(group["amsgrad"])}


@public("mint.optim.Adam")
class Adam(_Adam):
    """Adam: a step along the average gradient over the root of the average squared gradient.

    m = beta1 m + (1 - beta1) g;  v = beta2 v + (1 - beta2) g g;
    p = p - lr m / (1 - beta1 ** t) / (sqrt(v / (1 - beta2 ** t)) + eps)

    Args:
        params (Union[list[Parameter], list[dict]]): what to train, or groups of it.
        lr (float): the learning rate.
        betas (tuple[float, float]): how slowly the averages of gradients and of their squares
            change.
        eps (float): added to the denominator.
        weight_decay (float): what times the parameter is added to its gradient.
        amsgrad (bool): whether to divide by the largest average of squares so far.
        maximize (bool): whether to climb, not descend.

    Inputs:
        - **gradients** (tuple[Tensor]) - the gradients of `params`, in their order and shapes.

    Outputs:
        bool, True.

    Source: mindspore.mint.optim.Adam of MindSpore 2.10.
    """

    @checked
    def __init__(self, params, lr: AtLeast = 1e-3, betas: Betas = (0.9, 0.999),
                 eps: AtLeast = 1e-8, weight_decay: AtLeast = 0.0, amsgrad: Bool = False, *,
                 maximize: Bool = False):
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, maximize)


@public("mint.optim.AdamW")
class AdamW(_Adam):
    """Adam whose weight decay acts on the parameter itself.

    p = p - lr weight_decay p;  m = beta1 m + (1 - beta1) g;  v = beta2 v + (1 - beta2) g g;
    p = p - lr m / (1 - beta1 ** t) / (sqrt(v / (1 - beta2 ** t)) + eps)

    Args:
        params (Union[list[Parameter], list[dict]]): what to train, or groups of it.
        lr (float): the learning rate.
        betas (tuple[float, float]): how slowly the averages of gradients and of their squares
            change.
        eps (float): added to the denominator.
        weight_decay (float): the weight decay.
        amsgrad (bool): whether to divide by the largest average of squares so far.
        maximize (bool): whether to climb, not descend.

    Inputs:
        - **gradients** (tuple[Tensor]) - the gradients of `params`, in their order and shapes.

    Outputs:
        bool, True.

    Source: mindspore.mint.optim.AdamW of MindSpore 2.10.
    """

    own_decay = True

    @checked
    def __init__(self, params, lr: AtLeast = 1e-3, betas: Betas = (0.9, 0.999),
                 eps: AtLeast = 1e-8, weight_decay: AtLeast = 1e-2, amsgrad: Bool = False, *,
                 maximize: Bool = False):
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, maximize)


@public("mint.optim.FusedAdamW")
class FusedAdamW(AdamW):
    """AdamW in one pass over all parameters, as every optimizer here works."""


@public("mint.optim.SGD")
class SGD(GroupedOptimizer):
    """Stochastic gradient descent, with momentum, dampening or one step ahead (Nesterov).

    v = momentum v + (1 - dampening) g, in the first step g;  p = p - lr v, with `nesterov`
    p = p - lr (g + momentum v)

    Args:
        params (Union[list[Parameter], list[dict]]): what to train, or groups of it.
        lr (Union[int, float, bool, Tensor]): the learning rate.
        momentum (Union[int, float, bool]): how much of the last step goes on.
        dampening (Union[int, float, bool]): how much of the gradient is left out of the momentum.
        weight_decay (Union[int, float, bool]): what times the parameter is added to its gradient.
        nesterov (bool): whether to look one step ahead.
        maximize (bool): whether to climb, not descend.

    Inputs:
        - **gradients** (tuple[Tensor]) - the gradients of `params`, in their order and shapes.

    Outputs:
        bool, True.

    Raises:
        ValueError: if `nesterov` is set without momentum or with dampening.

    Source: mindspore.mint.optim.SGD of MindSpore 2.10.
    """

    states = (("momentum_buf", "zeros"),)
    update = fuse(momentum_or_plain_update, link=unscaled)
    counter = "step_t"

    @checked(Forbid("nesterov and (not momentum > 0 or dampening != 0)",
                    reason="'nesterov' needs 'momentum' above 0 and 'dampening' 0"))
    def __init__(self, params, lr, momentum: Loose = 0,
                 dampening: Number(gt=-inf, lt=inf) | Bool = 0, weight_decay: Loose = 0,
                 nesterov: Bool = False, *, maximize: Bool = False):
        lr = lr if isinstance(lr, Tensor) or not isinstance(lr, bool) else float(lr)
        super().__init__(params, {
            "lr": lr, "momentum": momentum, "dampening": dampening,
            "weight_decay": float(weight_decay), "nesterov": nesterov, "maximize": maximize})

    def scalars(self, group, lr, step):
        """The scalars of `momentum_or_plain_update`; the first step takes the whole gradient."""
        momentum = float(group["momentum"]) or None
        return {"lr": lr, "momentum": momentum, "nesterov": bool(group["nesterov"]),
                "share": 1.0 if step == 1 else 1.0 - group["dampening"]}
