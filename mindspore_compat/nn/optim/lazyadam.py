"""LazyAdam: Adam that updates only the rows that a row-sparse gradient contains."""

from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Bool, CellOf, Number, checked, inf
from ._documented import documented
from ._fused import FusedOptimizer
from ._groups import Params, Rate, Scale
from ._powers import Powers
from .adam import ADAM, Above, Adam, Beta

__all__ = ["LazyAdam"]

StrictDecay = Number(ge=0.0, lt=inf) | CellOf  # without bools, which other optimizers accept


@public("nn.LazyAdam")
@documented
class LazyAdam(FusedOptimizer):
    """Lazy Adam: Adam that updates only the rows that a row-sparse gradient contains.

    m = beta1 m + (1 - beta1) g;  v = beta2 v + (1 - beta2) g g;
    p = p - lr sqrt(1 - beta2 ** t) / (1 - beta1 ** t) m / (sqrt(v) + eps)

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.LazyAdam(ms.nn.Dense(2, 1).trainable_params(), 0.1).get_lr())
        Parameter (name=learning_rate, shape=(), dtype=Float32, requires_grad=True)

    Source: mindspore.nn.LazyAdam of MindSpore 2.10.
    """

    states = (("moment1", "moment1", "zeros"), ("moment2", "moment2", "zeros"))
    update = ADAM
    rows_only = True
    skips = True
    use_amsgrad = False

    @checked
    def __init__(
        self,
        params: Params,
        learning_rate: Rate = 1e-3,
        beta1: Beta = 0.9,
        beta2: Beta = 0.999,
        eps: Above = 1e-8,
        use_locking: Bool = False,
        use_nesterov: Bool = False,
        weight_decay: StrictDecay = 0.0,
        loss_scale: Scale = 1.0,
    ):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.beta1, self.beta2, self.eps = beta1, beta2, eps
        self.use_locking = use_locking
        self.use_nesterov = use_nesterov
        self._powers = Powers(self, {"beta1": beta1, "beta2": beta2}, (1,))
        self._make_states()

    scalars = Adam.scalars
    after_step = Adam.after_step
    after_step_unless = Adam.after_step_unless
    target = Adam.target
