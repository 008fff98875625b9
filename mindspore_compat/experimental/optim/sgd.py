"""SGD: gradient descent with momentum, over parameter groups."""

from ..._backend.updates.fuse import fuse
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import AsValue, Bool, Forbid, Number, TensorOf, checked, inf
from ...ops._optimizer.formulas import sgd_or_plain_update, unscaled
from ._documented import documented, documented_implementation
from .optimizer import GroupedOptimizer

__all__ = ["SGD"]

Rate = AsValue(Number(ge=0.0, lt=inf) | TensorOf())
Share = AsValue(Number(ge=0.0, lt=inf))
Damping = AsValue(Number(gt=-inf, lt=inf))
Decay = AsValue(Number(ge=0.0, lt=inf) | Bool)
Flag = AsValue(Bool)


@public("experimental.optim.SGD")
@documented
class SGD(GroupedOptimizer):
    """Stochastic gradient descent with optional momentum, dampening and Nesterov momentum.

    v = momentum v + (1 - dampening) g, in the first step g;  p = p - lr v, with `nesterov`
    p = p - lr (g + momentum v)

    Args:
        momentum (Union[int, float]): how much of the last step goes on.
        dampening (Union[int, float]): how much of the gradient is left out of the momentum.
        nesterov (bool): whether to look one step ahead.

    Raises:
        TypeError: as `Optimizer`.
        ValueError: as `Optimizer`; if a setting is of the wrong type or below its range, or if
            `nesterov` is set without momentum or with dampening.

    Example:
        >>> import mindspore_compat as ms
        >>> print(len(ms.experimental.optim.SGD(ms.nn.Dense(2, 1).trainable_params(),
        ...                                     0.1).param_groups))
        1

    Source: mindspore.experimental.optim.SGD of MindSpore 2.10.
    """

    states = (("accum", "zeros"), ("stat", "ones"))
    update = fuse(sgd_or_plain_update, link=unscaled)

    @checked(
        Forbid(
            "nesterov and (not momentum > 0 or dampening != 0)",
            reason="'nesterov' needs 'momentum' above 0 and 'dampening' 0",
        )
    )
    def __init__(
        self,
        params,
        lr: Rate,
        momentum: Share = 0,
        dampening: Damping = 0,
        weight_decay: Decay = 0.0,
        nesterov: Flag = False,
        *,
        maximize: Flag = False,
    ):
        super().__init__(
            params,
            {
                "lr": lr,
                "momentum": float(momentum),
                "dampening": float(dampening),
                "weight_decay": weight_decay,
                "nesterov": nesterov,
                "maximize": maximize,
                "grad_centralization": False,
            },
        )

    def scalars(self, group, lr, step):
        """Returns the scalars of `sgd_or_plain_update`."""
        return {
            "lr": lr,
            "momentum": group["momentum"] or None,
            "dampening": group["dampening"],
            "nesterov": bool(group["nesterov"]),
        }

    @documented_implementation
    def implementation(
        self, momentum, lr, group_id, gradients, maximize, dampening, weight_decay, nesterov
    ):
        """Repeats the last counted step for one group, with these settings.

        Args:
            momentum (float): what times the step before is added.
            dampening (float): what share of the gradient the momentum leaves out.
            nesterov (bool): whether the momentum looks ahead.
        """
        return self._update_group(
            group_id,
            gradients,
            momentum=momentum,
            lr=lr,
            maximize=maximize,
            dampening=dampening,
            weight_decay=weight_decay,
            nesterov=nesterov,
        )
