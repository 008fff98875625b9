"""Adagrad over parameter groups."""

from ..._backend.updates.fuse import fuse
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import checked
from ...ops._optimizer.formulas import adagrad_eps_update, unscaled
from ._documented import documented, documented_implementation
from ._rules import Above, AtLeast, Decay, Flag, LrAbove
from .optimizer import GroupedOptimizer

__all__ = ["Adagrad"]


@public("experimental.optim.Adagrad")
@documented
class Adagrad(GroupedOptimizer):
    """Adagrad: divides the gradient by the root of the sum of all its squares.

    sum = sum + g g;  p = p - lr / (1 + (t - 1) lr_decay) g / (sqrt(sum) + eps)

    Args:
        lr_decay (float): how fast the learning rate falls.
        initial_accumulator_value (float): the sum before the first step.

    Example:
        >>> import mindspore_compat as ms
        >>> weight = ms.Parameter(ms.Tensor([1.0]), name="weight")
        >>> optimizer = ms.experimental.optim.Adagrad([weight], lr=0.1)
        >>> _ = optimizer((ms.Tensor([0.5]),))
        >>> print(weight.value())
        [0.9]

    Source: mindspore.experimental.optim.Adagrad of MindSpore 2.10.
    """

    states = (("accum", "initial_accumulator_value"),)
    update = fuse(adagrad_eps_update, link=unscaled)
    counter = "step_t"

    @checked
    def __init__(
        self,
        params,
        lr: LrAbove = 1e-2,
        lr_decay: AtLeast = 0.0,
        weight_decay: Decay = 0.0,
        initial_accumulator_value: AtLeast = 0.0,
        eps: Above = 1e-10,
        *,
        maximize: Flag = False,
    ):
        super().__init__(
            params,
            {
                "lr": lr,
                "lr_decay": lr_decay,
                "eps": eps,
                "weight_decay": weight_decay,
                "initial_accumulator_value": initial_accumulator_value,
                "maximize": maximize,
            },
        )

    def scalars(self, group, lr, step):
        """Returns the scalars of `adagrad_eps_update`."""
        return {"lr": lr / (1 + (step - 1) * group["lr_decay"]), "eps": group["eps"]}

    @documented_implementation
    def implementation(
        self, eps, lr, lr_decay, maximize, weight_decay, start_id, end_id, gradients
    ):
        """Repeats the last counted step for some parameters, with these settings.

        Args:
            lr_decay (float): how fast the learning rate falls.
        """
        return self._update_range(
            start_id,
            end_id,
            gradients,
            eps=eps,
            lr=lr,
            lr_decay=lr_decay,
            maximize=maximize,
            weight_decay=weight_decay,
        )
