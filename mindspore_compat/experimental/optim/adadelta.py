"""Adadelta over parameter groups."""

from ..._backend.updates.fuse import fuse
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import checked
from ...ops._optimizer.formulas import adadelta_update, unscaled
from ._documented import documented, documented_implementation
from ._rules import Above, Decay, Flag, FloatShare, LrAbove
from .optimizer import GroupedOptimizer

__all__ = ["Adadelta"]


@public("experimental.optim.Adadelta")
@documented
class Adadelta(GroupedOptimizer):
    """Adadelta: scales the gradient by the ratio of running averages of updates and gradients.

    v = rho v + (1 - rho) g g;  d = sqrt(u + eps) / sqrt(v + eps) g;
    u = rho u + (1 - rho) d d;  p = p - lr d

    Args:
        rho (float): how slowly the averages change.
        eps (float): added to both averages.

    Example:
        >>> import mindspore_compat as ms
        >>> weight = ms.Parameter(ms.Tensor([1.0]), name="weight")
        >>> optimizer = ms.experimental.optim.Adadelta([weight], lr=0.1)
        >>> _ = optimizer((ms.Tensor([0.5]),))
        >>> print(weight.value())
        [0.9996838]

    Source: mindspore.experimental.optim.Adadelta of MindSpore 2.10.
    """

    states = (("accum", "zeros"), ("accum_update", "zeros"))
    update = fuse(adadelta_update, link=unscaled)

    @checked
    def __init__(
        self,
        params,
        lr: LrAbove = 1.0,
        rho: FloatShare = 0.9,
        eps: Above = 1e-6,
        weight_decay: Decay = 0.0,
        *,
        maximize: Flag = False,
    ):
        super().__init__(
            params,
            {"lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay, "maximize": maximize},
        )

    def scalars(self, group, lr, step):
        """Returns the scalars of `adadelta_update`."""
        return {"lr": lr, "rho": group["rho"], "eps": group["eps"]}

    @documented_implementation
    def implementation(self, lr, rho, eps, maximize, weight_decay, start_id, end_id, gradients):
        """Repeats the last counted step for some parameters, with these settings.

        Args:
            rho (float): how slowly the averages change.
        """
        return self._update_range(
            start_id,
            end_id,
            gradients,
            lr=lr,
            rho=rho,
            eps=eps,
            maximize=maximize,
            weight_decay=weight_decay,
        )
