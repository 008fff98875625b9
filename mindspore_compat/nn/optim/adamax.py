"""AdaMax: Adam with an infinity norm."""

from ..._backend.updates.fuse import fuse
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import checked
from ...ops._optimizer.formulas import adamax_update, unscaled
from ._documented import documented
from ._fused import FusedOptimizer
from ._groups import Decay, Params, Rate, Scale
from ._powers import Powers
from .adam import Above, Adam, Beta

__all__ = ["AdaMax"]


def corrected_adamax_update(xp, p, g, m, v, *, lr, beta1, beta2, eps, power1):
    """Computes the AdaMax update with bias correction. The power belongs to the previous step."""
    lr = lr / (1 - power1 * beta1)
    return adamax_update(xp, p, g, m, v, lr=lr, beta1=beta1, beta2=beta2, eps=eps)


@public("nn.AdaMax")
@documented
class AdaMax(FusedOptimizer):
    """AdaMax optimizer: Adam with an infinity norm instead of the root mean square.

    m = beta1 m + (1 - beta1) g;  v = max(beta2 v, abs(g));
    p = p - lr / (1 - beta1 ** t) m / (v + eps)

    Args:
        beta2 (float): the decay rate of the largest gradient.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.AdaMax(ms.nn.Dense(2, 1).trainable_params(), 0.1).get_lr())
        Parameter (name=learning_rate, shape=(), dtype=Float32, requires_grad=True)

    Source: mindspore.nn.AdaMax of MindSpore 2.10.
    """

    states = (("moment1", "moment1", "zeros"), ("moment2", "moment2", "zeros"))
    update = fuse(corrected_adamax_update, link=unscaled)
    skips = True

    @checked
    def __init__(
        self,
        params: Params,
        learning_rate: Rate = 0.001,
        beta1: Beta = 0.9,
        beta2: Beta = 0.999,
        eps: Above = 1e-8,
        weight_decay: Decay = 0.0,
        loss_scale: Scale = 1.0,
    ):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.beta1, self.beta2, self.eps = beta1, beta2, eps
        self._powers = Powers(self, {"beta1": beta1}, (1,))
        self._make_states()

    def scalars(self, lr):
        """Returns the scalars of `corrected_adamax_update`."""
        (power,) = self._powers.last()
        return {
            "lr": lr,
            "beta1": self.beta1,
            "beta2": self.beta2,
            "eps": self.eps,
            "power1": power,
        }

    def after_step(self):
        """Returns the power of beta1."""
        return self._powers.advanced()

    after_step_unless = Adam.after_step_unless
