"""RMSprop over parameter groups."""

from ..._backend.updates.fuse import fuse
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import checked
from ...ops._optimizer.formulas import rmsprop_outer_eps_update, unscaled
from ._documented import documented, documented_implementation
from ._rules import Above, AtLeast, Decay, Flag, LrAbove
from .optimizer import GroupedOptimizer

__all__ = ["RMSprop"]


@public("experimental.optim.RMSprop")
@documented
class RMSprop(GroupedOptimizer):
    """RMSprop: divides the gradient by the root of its running mean square or running variance.

    s = alpha s + (1 - alpha) g g;  m = momentum m + g / (sqrt(s) + eps);  p = p - lr m

    Args:
        alpha (float): how slowly the averages change.
        momentum (float): how much of the last step goes on.
        centered (bool): whether to use the variance instead of the mean square.

    Example:
        >>> import mindspore_compat as ms
        >>> weight = ms.Parameter(ms.Tensor([1.0]), name="weight")
        >>> optimizer = ms.experimental.optim.RMSprop([weight], lr=0.01)
        >>> _ = optimizer((ms.Tensor([0.5]),))
        >>> print(weight.value())
        [0.90000004]

    Source: mindspore.experimental.optim.RMSprop of MindSpore 2.10.
    """

    states = (("mean_grad", "zeros"), ("mean_square", "zeros"), ("moment", "zeros"))
    update = fuse(rmsprop_outer_eps_update, link=unscaled)

    @checked
    def __init__(
        self,
        params,
        lr: LrAbove = 1e-2,
        alpha: AtLeast = 0.99,
        eps: Above = 1e-8,
        weight_decay: Decay = 0.0,
        momentum: AtLeast = 0.0,
        centered: Flag = False,
        maximize: Flag = False,
    ):
        super().__init__(
            params,
            {
                "lr": lr,
                "momentum": momentum,
                "alpha": alpha,
                "eps": eps,
                "centered": centered,
                "weight_decay": weight_decay,
                "maximize": maximize,
            },
        )

    def scalars(self, group, lr, step):
        """Returns the scalars of `rmsprop_outer_eps_update`."""
        return {
            "lr": lr,
            "rho": group["alpha"],
            "momentum": group["momentum"] or None,
            "eps": group["eps"],
            "centered": bool(group["centered"]),
        }

    @documented_implementation
    def implementation(
        self, group_id, lr, gradients, maximize, weight_decay, centered, alpha, eps, momentum
    ):
        """Repeats the last counted step for one group, with these settings.

        Args:
            centered (bool): whether squares are taken about the average gradient.
            alpha (float): the power of the decay of steps, or of the average of squares.
            momentum (float): what times the step before is added.
        """
        return self._update_group(
            group_id,
            gradients,
            lr=lr,
            maximize=maximize,
            weight_decay=weight_decay,
            centered=centered,
            alpha=alpha,
            eps=eps,
            momentum=momentum,
        )
