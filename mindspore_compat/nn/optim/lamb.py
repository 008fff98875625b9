"""Lamb: Adam with a trust ratio for each parameter."""

from ..._backend import arrays
from ..._backend.updates.complete import Several
from ..._backend.updates.fuse import compute_dtype, fuse
from ..._backend.updates.whole_tensors import whole
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import checked
from ...ops._optimizer.formulas import lamb_direction, lamb_update, plain_update, trust_ratio
from ._documented import documented
from ._fused import FusedOptimizer
from ._groups import Decay, Params, Rate
from .adam import Above, Beta

__all__ = ["Lamb"]


def corrected_lamb_update(xp, p, g, m, v, *, lr, beta1, beta2, eps, steps, decay):
    """Computes the LAMB update with bias correction after `steps` steps."""
    correct1, correct2 = _corrections(beta1, beta2, steps)
    return lamb_update(
        xp,
        p,
        g,
        m,
        v,
        lr=lr,
        beta1=beta1,
        beta2=beta2,
        eps=eps,
        correct1=correct1,
        correct2=correct2,
        decay=decay,
    )


def _corrections(beta1, beta2, steps):
    """Returns the bias corrections, factors of the averages, for the step after `steps` steps."""
    step = steps + 1
    return 1 / (1 - beta1**step), 1 / (1 - beta2**step)


DIRECTION = fuse(lamb_direction, reads=("p", "g"))
STEP = fuse(plain_update)


def _units_of_one(parameter, gradient, m, v, *, lr, beta1, beta2, eps, steps, decay):
    """Returns the units that update one parameter and its averages: a fused pass that computes the
    direction, the norms, and a fused pass that makes the step."""
    correct1, correct2 = _corrections(beta1, beta2, steps)
    xp = arrays.space_of(parameter)
    step = xp.empty(parameter.shape, compute_dtype([parameter.dtype]))
    direction = DIRECTION.units(
        [(step, parameter, gradient, m, v)],
        beta1=beta1,
        beta2=beta2,
        eps=eps,
        correct1=correct1,
        correct2=correct2,
        decay=decay,
    )

    def scaled():
        norms = xp.whole_norm(parameter), xp.whole_norm(step)
        ratio = trust_ratio(xp, *norms, coefficient=1.0, decay=0.0, eps=0.0)
        return STEP.units([(parameter, xp.cast(step * ratio, step.dtype))], lr=lr)

    return [*direction, Several(scaled)]


LAMB = whole(corrected_lamb_update, units_of_row=_units_of_one)


@public("nn.Lamb")
@documented
class Lamb(FusedOptimizer):
    """LAMB optimizer: Adam with a layer-wise trust ratio, for training with large batches.

    r = m / (1 - beta1 ** t) / (sqrt(v / (1 - beta2 ** t)) + eps) + weight_decay p;
    p = p - lr norm(p) / norm(r) r, and p - lr r where one of the norms is 0.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.Lamb(ms.nn.Dense(2, 1).trainable_params(), 0.1).get_lr())
        Parameter (name=learning_rate, shape=(), dtype=Float32, requires_grad=True)

    Source: mindspore.nn.Lamb of MindSpore 2.10.
    """

    states = (("moments1", "lamb_m", "zeros"), ("moments2", "lamb_v", "zeros"))
    links = False
    skips = True

    @checked
    def __init__(
        self,
        params: Params,
        learning_rate: Rate,
        beta1: Beta = 0.9,
        beta2: Beta = 0.999,
        eps: Above = 1e-6,
        weight_decay: Decay = 0.0,
    ):
        super().__init__(learning_rate, params, weight_decay)
        self.beta1, self.beta2, self.eps = beta1, beta2, eps
        self._make_states()
        self._plan.whole = LAMB

    def scalars(self, lr):
        """Returns the scalars of the update of one parameter."""
        return {
            "lr": lr,
            "beta1": self.beta1,
            "beta2": self.beta2,
            "eps": self.eps,
            "steps": self._step_count(),
        }

    def can_skip(self, gradients):
        """Returns True if one kernel updates all parameters, so that it can check a flag first."""
        kinds = (self.parameters, gradients, self.moments1, self.moments2)
        return super().can_skip(gradients) and LAMB.can_skip(
            [[tensor._array for tensor in row] for row in zip(*kinds, strict=True)]
        )
