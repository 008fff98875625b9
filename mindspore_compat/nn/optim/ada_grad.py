"""Adagrad: divides gradients by the root of the sum of all their squares."""

from ..._backend.updates.fuse import fuse
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Bool, Float, checked, inf
from ...ops._optimizer.formulas import adagrad_update, unscaled
from ._documented import documented
from ._fused import FusedOptimizer
from ._groups import Decay, Params, Rate, Scale

__all__ = ["Adagrad"]


@public("nn.Adagrad")
@documented
class Adagrad(FusedOptimizer):
    """Adagrad optimizer: divides gradients by the root of the sum of all their squares.

    h = h + g g;  p = p - lr g / sqrt(h)

    Args:
        accum (float): the initial value of the sum.
        update_slots (bool): whether to update the sum.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.Adagrad(ms.nn.Dense(2, 1).trainable_params(), learning_rate=0.1).get_lr())
        Parameter (name=learning_rate, shape=(), dtype=Float32, requires_grad=True)

    Source: mindspore.nn.Adagrad of MindSpore 2.10.
    """

    update = fuse(adagrad_update, link=unscaled)
    skips = True

    @checked
    def __init__(
        self,
        params: Params,
        accum: Float(ge=0.0, lt=inf) = 0.1,
        learning_rate: Rate = 0.001,
        update_slots: Bool = True,
        loss_scale: Scale = 1.0,
        weight_decay: Decay = 0.0,
    ):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.update_slots = update_slots
        self.states = (("accum", "accum", accum),)
        self._make_states()

    def scalars(self, lr):
        """Returns the scalars of `adagrad_update`."""
        return {"lr": lr, "update_slots": self.update_slots}
