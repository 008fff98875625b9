"""Rprop: steps by the sign of the gradient, over parameter groups."""

from ..._backend.updates.fuse import fuse
from ..._core.declare.public_api import public
from ..._core.rules.comparisons import Items
from ..._core.rules.vocabulary import Any, Float, checked, inf
from ...ops._optimizer.formulas import rprop_update, unscaled
from ._documented import documented, documented_implementation
from ._rules import Flag, LrAbove
from .optimizer import GroupedOptimizer

__all__ = ["Rprop"]

Factors = Items(Float(gt=0.0, lt=1.0), Float(gt=1.0, lt=inf))


@public("experimental.optim.Rprop")
@documented
class Rprop(GroupedOptimizer):
    """Rprop: a step whose length depends on whether the gradient has kept its sign.

    If it has, the step grows by the factor `etas[1]`; if the sign has changed, the step shrinks by
    `etas[0]` and is not taken.

    Args:
        etas (tuple[float, float]): the factors of a shrinking and of a growing step.
        step_sizes (tuple[float, float]): the least and the largest length of a step.

    Example:
        >>> import mindspore_compat as ms
        >>> weight = ms.Parameter(ms.Tensor([1.0]), name="weight")
        >>> optimizer = ms.experimental.optim.Rprop([weight], lr=0.1)
        >>> _ = optimizer((ms.Tensor([0.5]),))
        >>> print(weight.value())
        [0.9]

    Source: mindspore.experimental.optim.Rprop of MindSpore 2.10.
    """

    states = (("prev", "zeros"), ("step_size", "zeros"))
    update = fuse(rprop_update, link=unscaled)
    counter = "step_t"
    own_decay = True  # as in MindSpore, weight decay has no effect

    @checked
    def __init__(
        self,
        params,
        lr: LrAbove = 1e-2,
        etas: Factors = (0.5, 1.2),
        step_sizes: Any = (1e-6, 50),
        *,
        maximize: Flag = False,
    ):
        super().__init__(
            params, {"lr": lr, "etas": etas, "step_sizes": step_sizes, "maximize": maximize}
        )

    def scalars(self, group, lr, step):
        """Returns the scalars of `rprop_update`."""
        (shrink, grow), (smallest, largest) = group["etas"], group["step_sizes"]
        return {
            "lr": lr,
            "first": step == 1,
            "shrink": shrink,
            "grow": grow,
            "smallest": smallest,
            "largest": largest,
        }

    @documented_implementation
    def implementation(
        self, etaminus, etaplus, group_id, lr, gradients, maximize, step_size_min, step_size_max
    ):
        """Repeats the last counted step for one group, with these settings.

        Args:
            etaminus (float): what shortens a step.
            etaplus (float): what lengthens a step.
            step_size_min (float): the shortest step.
            step_size_max (float): the longest step.
        """
        return self._update_group(
            group_id,
            gradients,
            etas=(etaminus, etaplus),
            lr=lr,
            maximize=maximize,
            step_sizes=(step_size_min, step_size_max),
        )
