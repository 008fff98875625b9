"""Adam, AdamWeightDecay (decoupled decay) and AdamOffload (moments on the host)."""

from ..._backend import arrays
from ..._backend.updates.fuse import fuse
from ..._backend.updates.offload import Offload
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Bool, Float, checked, inf
from ...ops._optimizer.formulas import (
    adam_step,
    adam_update,
    adam_weight_decay_update,
    amsgrad_update,
    unscaled,
)
from ._documented import documented
from ._fused import FusedOptimizer
from ._groups import Decay, Params, Rate, Scale
from ._powers import Powers

__all__ = ["Adam", "AdamWeightDecay", "AdamOffload"]

Beta = Float(gt=0.0, lt=1.0)
Above = Float(gt=0.0, lt=inf)


def _correct_bias(xp, lr, beta1, beta2, power1, power2):
    """Returns the learning rate with bias correction. The powers belong to the previous step."""
    return lr * xp.sqrt(1 - power2 * beta2) / (1 - power1 * beta1)


def corrected_adam_update(xp, p, g, m, v, *, lr, beta1, beta2, eps, power1, power2, nesterov):
    """Computes the Adam update with bias correction."""
    lr = _correct_bias(xp, lr, beta1, beta2, power1, power2)
    return adam_update(xp, p, g, m, v, lr=lr, beta1=beta1, beta2=beta2, eps=eps, nesterov=nesterov)


def corrected_adam_step(xp, g, m, v, *, lr, beta1, beta2, eps, power1, power2, nesterov):
    """Computes the step that Adam with bias correction subtracts from the parameter."""
    lr = _correct_bias(xp, lr, beta1, beta2, power1, power2)
    return adam_step(xp, g, m, v, lr=lr, beta1=beta1, beta2=beta2, eps=eps, nesterov=nesterov)


def corrected_amsgrad_update(xp, p, g, m, v, top, *, lr, beta1, beta2, eps, power1, power2):
    """Computes the AMSGrad update with bias correction."""
    lr = _correct_bias(xp, lr, beta1, beta2, power1, power2)
    return amsgrad_update(xp, p, g, m, v, top, lr=lr, beta1=beta1, beta2=beta2, eps=eps)


ADAM = fuse(corrected_adam_update, link=unscaled)
AMSGRAD = fuse(corrected_amsgrad_update, link=unscaled)


@public("nn.Adam")
@documented
class Adam(FusedOptimizer):
    """Adam optimizer: divides the mean gradient by the root of the mean squared gradient.

    m = beta1 m + (1 - beta1) g;  v = beta2 v + (1 - beta2) g g;
    p = p - lr sqrt(1 - beta2 ** t) / (1 - beta1 ** t) m / (sqrt(v) + eps)

    Args:
        use_amsgrad (bool): whether to divide by the largest mean square so far.
        kwargs: `use_lazy` (bool): whether a row-sparse gradient updates only its rows;
            `use_offload` (bool): whether states and arithmetic stay on the host.

    Raises:
        KeyError: if `kwargs` has another key.
        ValueError: if two of `use_lazy`, `use_offload` and `use_amsgrad` are True.

    Examples:
        >>> from mindspore_compat import nn
        >>> net = nn.Dense(2, 3)
        >>> optimizer = nn.Adam(net.trainable_params(), learning_rate=0.01)

    Source: mindspore.nn.Adam of MindSpore 2.10.
    """

    states = (("moment1", "moment1", "zeros"), ("moment2", "moment2", "zeros"))
    skips = True

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
        weight_decay: Decay = 0.0,
        loss_scale: Scale = 1.0,
        use_amsgrad: Bool = False,
        **kwargs,
    ):
        use_lazy, use_offload = _kinds(type(self).__name__, use_amsgrad, **kwargs)
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.beta1, self.beta2, self.eps = beta1, beta2, eps
        self.use_locking = use_locking
        self.use_nesterov = use_nesterov
        self.use_amsgrad = use_amsgrad
        self.use_lazy = self.rows_only = use_lazy
        self.use_offload = use_offload
        self._powers = Powers(self, {"beta1": beta1, "beta2": beta2}, ())
        self.update = ADAM
        if use_amsgrad:
            self.states = (*self.states, ("vhat", "vhat", "zeros"))
            self.update = AMSGRAD
        self._make_states()
        if use_offload:
            keep_on_host(self)

    def scalars(self, lr):
        """Returns the scalars of `corrected_adam_update`."""
        power1, power2 = self._powers.last()
        scalars = {
            "lr": lr,
            "beta1": self.beta1,
            "beta2": self.beta2,
            "eps": self.eps,
            "power1": power1,
            "power2": power2,
        }
        return scalars if self.use_amsgrad else {**scalars, "nesterov": self.use_nesterov}

    def after_step(self):
        """Returns the powers of the betas."""
        return self._powers.advanced()

    def after_step_unless(self, flag):
        """Returns the units that count the step and save the powers on the GPU, unless `flag` there
        holds."""
        return self._powers.units_unless(flag, self._on_gpu(self.global_step))

    @property
    def target(self):
        """The device of row-sparse updates; stored, but without effect."""
        return self._target

    @target.setter
    def target(self, value):
        self._set_base_target(value)


def _kinds(api, use_amsgrad, use_lazy=False, use_offload=False, **unknown):
    """Returns the two flags that Adam accepts as keywords only."""
    if unknown:
        raise KeyError(
            f"For '{api}', the keywords must be among 'use_lazy' and 'use_offload', but "
            f"got {', '.join(map(repr, unknown))}."
            f"{' The learning rate is learning_rate.' if 'lr' in unknown else ''}"
        )
    Bool.refuse(api, "use_lazy", use_lazy)
    Bool.refuse(api, "use_offload", use_offload)
    if use_lazy and use_offload:
        raise ValueError(f"For '{api}', 'use_lazy' and 'use_offload' can not both be True.")
    if use_amsgrad and (use_lazy or use_offload):
        raise ValueError(
            f"For '{api}', 'use_amsgrad' must be False where 'use_lazy' or 'use_offload' is True, "
            "but got True. For lazy Adam and Adam with offload, there is no parameter named "
            "'use_amsgrad'."
        )
    return use_lazy, use_offload


@public("nn.AdamWeightDecay")
@documented
class AdamWeightDecay(FusedOptimizer):
    """Adam with decoupled weight decay (AdamW), without bias correction.

    m = beta1 m + (1 - beta1) g;  v = beta2 v + (1 - beta2) g g;
    p = p - lr (m / (sqrt(v) + eps) + weight_decay p)

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.AdamWeightDecay(ms.nn.Dense(2, 1).trainable_params(), 0.1).get_lr())
        Parameter (name=learning_rate, shape=(), dtype=Float32, requires_grad=True)

    Source: mindspore.nn.AdamWeightDecay of MindSpore 2.10.
    """

    states = (("moments1", "adam_m", "zeros"), ("moments2", "adam_v", "zeros"))
    update = fuse(adam_weight_decay_update)
    links = False
    skips = True

    @checked
    def __init__(
        self,
        params: Params,
        learning_rate: Rate = 1e-3,
        beta1: Beta = 0.9,
        beta2: Beta = 0.999,
        eps: Above = 1e-6,
        weight_decay: Decay = 0.0,
    ):
        super().__init__(learning_rate, params, weight_decay)
        self.beta1, self.beta2, self.eps = beta1, beta2, eps
        self._make_states()

    def scalars(self, lr):
        """Returns the scalars of `adam_weight_decay_update`."""
        return {"lr": lr, "beta1": self.beta1, "beta2": self.beta2, "eps": self.eps}


@public("nn.AdamOffload")
@documented
class AdamOffload(FusedOptimizer):
    """Adam with moments and arithmetic on the host, to save GPU memory.

    m = beta1 m + (1 - beta1) g;  v = beta2 v + (1 - beta2) g g;
    p = p - lr sqrt(1 - beta2 ** t) / (1 - beta1 ** t) m / (sqrt(v) + eps)

    In each step, the gradient of each parameter is copied to the host and the update is copied
    back, while the host works on the next parameter. It works in graph mode and in PyNative mode.

    Examples:
        >>> from mindspore_compat import nn
        >>> net = nn.Dense(2, 3)
        >>> optimizer = nn.AdamOffload(net.trainable_params(), learning_rate=0.01)

    Source: mindspore.nn.AdamOffload of MindSpore 2.10.
    """

    states = (("moment1", "moment1", "zeros"), ("moment2", "moment2", "zeros"))
    update = ADAM

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
        weight_decay: Decay = 0.0,
        loss_scale: Scale = 1.0,
    ):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.beta1, self.beta2, self.eps = beta1, beta2, eps
        self.use_locking = use_locking
        self.use_nesterov = use_nesterov
        self._powers = Powers(self, {"beta1": beta1, "beta2": beta2}, (1,))
        self._make_states()
        keep_on_host(self)

    scalars = Adam.scalars
    after_step = Adam.after_step
    after_step_unless = Adam.after_step_unless
    use_amsgrad = False


def keep_on_host(optimizer):
    """Moves the states of Adam to the host; its Plan then copies gradients there and steps back."""
    for attribute, _, _ in optimizer.states:
        for state in getattr(optimizer, attribute):
            state._array = arrays.to_host(state._array)
    optimizer._plan.offload = Offload(fuse(corrected_adam_step, reads=()))
