"""ASGD: gradient descent that also averages its parameters, over parameter groups."""

from ..._backend.updates.fuse import fuse
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Any, Float, checked
from ...ops._optimizer.formulas import asgd_update, unscaled
from ._documented import documented, documented_implementation
from ._rules import Decay, Flag, LrAbove
from .optimizer import GroupedOptimizer

__all__ = ["ASGD"]


@public("experimental.optim.ASGD")
@documented
class ASGD(GroupedOptimizer):
    """Averaged stochastic gradient descent: `ax` holds the average of the parameters.

    p = (1 - lambd eta) p - eta g;  ax = ax + mu (p - ax); after step t,
    eta = lr / (1 + lambd lr t) ** alpha and mu = 1 / max(1, t - t0).

    Args:
        lambd (float): how fast steps shrink and parameters decay.
        alpha (float): the power that steps shrink with.
        t0 (float): the step from which on the average runs.

    Example:
        >>> import mindspore_compat as ms
        >>> weight = ms.Parameter(ms.Tensor([1.0]), name="weight")
        >>> optimizer = ms.experimental.optim.ASGD([weight], lr=0.1)
        >>> _ = optimizer((ms.Tensor([0.5]),))
        >>> print(weight.value())
        [0.94999]

    Source: mindspore.experimental.optim.ASGD of MindSpore 2.10.
    """

    states = (("ax", "zeros"),)
    update = fuse(asgd_update, link=unscaled)
    counter = "step_t"

    @checked
    def __init__(
        self,
        params,
        lr: LrAbove = 1e-2,
        lambd: Float = 1e-4,
        alpha: Any = 0.75,
        t0: Float = 1e6,
        weight_decay: Decay = 0.0,
        maximize: Flag = False,
    ):
        super().__init__(
            params,
            {
                "lr": lr,
                "lambd": lambd,
                "alpha": alpha,
                "t0": t0,
                "weight_decay": weight_decay,
                "maximize": maximize,
            },
        )
        self._ahead = {}

    def scalars(self, group, lr, step):
        """Returns the scalars of `asgd_update`. The length of a step follows from the learning rate
        of the previous step.
        """
        lambd, alpha, steps_done = group["lambd"], group["alpha"], step - 1
        next_eta, eta = self._ahead.get(id(group["lr"]), (None, None))
        if next_eta != step:
            eta = lr / (1 + lambd * lr * steps_done) ** alpha
        self._ahead[id(group["lr"])] = (step + 1, lr / (1 + lambd * lr * step) ** alpha)
        return {"lambd": lambd, "eta": eta, "mu": 1 / max(1.0, steps_done - group["t0"])}

    @documented_implementation
    def implementation(self, lambd, alpha, t0, lr, group_id, maximize, gradients, weight_decay):
        """Repeats the last counted step for one group, with these settings.

        Args:
            lambd (float): how fast parameters shrink.
            alpha (float): the power of the decay of steps, or of the average of squares.
            t0 (float): the step from which on parameters are averaged.
        """
        return self._update_group(
            group_id,
            gradients,
            lambd=lambd,
            alpha=alpha,
            t0=t0,
            lr=lr,
            maximize=maximize,
            weight_decay=weight_decay,
        )
