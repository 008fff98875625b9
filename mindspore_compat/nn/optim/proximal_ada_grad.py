"""ProximalAdagrad: Adagrad with a proximal step for L1 and L2 penalties."""

from ..._backend.updates.fuse import fuse
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Bool, Float, checked, inf
from ...ops._optimizer.formulas import proximal_adagrad_update, unscaled
from ._documented import documented
from ._fused import FusedOptimizer
from ._groups import Decay, Params, Rate, Scale
from .adam import Adam

__all__ = ["ProximalAdagrad"]

AtLeast = Float(ge=0.0, lt=inf)


@public("nn.ProximalAdagrad")
@documented
class ProximalAdagrad(FusedOptimizer):
    """Proximal Adagrad optimizer: Adagrad with a proximal step for L1 and L2 penalties.

    h = h + g g;  r = lr / sqrt(h);  w = p - r g;
    p = sign(w) max(abs(w) - r l1, 0) / (1 + r l2)

    Args:
        accum (float): the initial value of the sum of squares.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.ProximalAdagrad(ms.nn.Dense(2, 1).trainable_params(),
        ...                             learning_rate=0.1).get_lr())
        Parameter (name=learning_rate, shape=(), dtype=Float32, requires_grad=True)

    Source: mindspore.nn.ProximalAdagrad of MindSpore 2.10.
    """

    update = fuse(proximal_adagrad_update, link=unscaled)
    skips = True
    rows_only = True

    @checked
    def __init__(
        self,
        params: Params,
        accum: AtLeast = 0.1,
        learning_rate: Rate = 0.001,
        l1: AtLeast = 0.0,
        l2: AtLeast = 0.0,
        use_locking: Bool = False,
        loss_scale: Scale = 1.0,
        weight_decay: Decay = 0.0,
    ):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.l1, self.l2 = l1, l2
        self.use_locking = use_locking
        self.states = (("accum", "accum", accum),)
        self._make_states()

    def scalars(self, lr):
        """Returns the scalars of `proximal_adagrad_update`."""
        return {"lr": lr, "l1": self.l1, "l2": self.l2}

    target = Adam.target
