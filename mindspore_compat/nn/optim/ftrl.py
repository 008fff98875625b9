"""FTRL: the follow-the-regularized-leader optimizer."""

from ..._backend.updates.fuse import fuse
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Bool, Float, checked, inf
from ...ops._optimizer.formulas import ftrl_update, unscaled
from ._documented import documented
from ._fused import FusedOptimizer
from ._groups import Decay, Params, Scale
from .adam import Above, Adam

__all__ = ["FTRL"]

AtLeast = Float(ge=0.0, lt=inf)


@public("nn.FTRL")
@documented
class FTRL(FusedOptimizer):
    """FTRL optimizer (follow the regularized leader), with L1 and L2 penalties.

    m' = m + g g;  u = u + g - (m' ** -lr_power - m ** -lr_power) / lr p;
    p = (sign(u) l1 - u) / (m' ** -lr_power / lr + 2 l2) where abs(u) > l1, else 0

    Args:
        params (Union[list[Parameter], list[dict]]): the parameters to train, see `Optimizer`;
            groups cannot have their own learning rates.
        initial_accum (float): the initial value of the sum of squares.
        learning_rate (float): the learning rate; it cannot change with the step.
        lr_power (float): the exponent -lr_power of the sum of squares divides the steps.

    Raises:
        ValueError: if a group has a learning rate.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.FTRL(ms.nn.Dense(2, 1).trainable_params(), learning_rate=0.1).get_lr())
        Parameter (name=learning_rate, shape=(), dtype=Float32, requires_grad=True)

    Source: mindspore.nn.FTRL of MindSpore 2.10.
    """

    update = fuse(ftrl_update, link=unscaled)
    skips = True
    rows_only = True

    @checked
    def __init__(
        self,
        params: Params,
        initial_accum: AtLeast = 0.1,
        learning_rate: Above = 0.001,
        lr_power: Float(gt=-inf, le=0.0) = -0.5,
        l1: AtLeast = 0.0,
        l2: AtLeast = 0.0,
        use_locking: Bool = False,
        loss_scale: Scale = 1.0,
        weight_decay: Decay = 0.0,
    ):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        if self.is_group_lr:
            raise ValueError(
                f"For '{type(self).__name__}', a group cannot have a learning rate of its own."
            )
        self.lr, self.lr_power, self.l1, self.l2 = learning_rate, lr_power, l1, l2
        self.use_locking = use_locking
        self.states = (("moments", "moments", initial_accum), ("linear", "linear", "zeros"))
        self._make_states()

    def scalars(self, lr):
        """Returns the scalars of `ftrl_update`."""
        return {"lr": lr, "lr_power": self.lr_power, "l1": self.l1, "l2": self.l2}

    target = Adam.target
