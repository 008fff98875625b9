"""Primitives of Adam and related optimizers: `ops.Adam()(var, m, v, ...)` updates its arguments in
place.

Updates with a sparse gradient, which covers some rows only, are in _optimizer/sparse.py.
"""

import math

from ..._core.declare.op import space_for
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Bool, Float, OneDtype, checked
from ..._core.tensor.tensor import Tensor
from .._indexing.write_cast import standing
from .._rules import Floats, NumberOrBool
from .inferred_metadata import InfersAdam
from .update import (
    ADAM,
    ADAM_DECAY,
    ADAM_DELTA,
    ADAMAX,
    AMSGRAD,
    Gradient,
    HalfRate,
    Loose,
    Nesterov,
    Rate,
    Scalar,
    Update,
    without_axes,
)


class _Corrected(Nesterov):
    """The base class of Adam Primitives that correct the learning rate for the bias of both
    moments."""

    def rate(self, lr, beta1_power, beta2_power):
        """Returns the learning rate, corrected for the bias of moments that start at zero."""
        first, second = (
            self._number(n, v)
            for n, v in (("beta1_power", beta1_power), ("beta2_power", beta2_power))
        )
        return _quotient(self._number("lr", lr) * _root(1 - second), 1 - first)


def need_below(api, power):
    """Rejects a power of beta1 of 1, for which the bias correction is infinite."""
    if power == 1:
        raise RuntimeError(f"For '{api}', 'beta1_power' must not be 1, but got {power!r}.")


def _root(value):
    """Returns the square root, NaN for a negative number."""
    return math.sqrt(value) if value >= 0 else math.nan


def _quotient(above, below):
    """Returns above / below. If `below` is 0, returns an infinity or NaN, as a division of arrays
    does, and raises no ZeroDivisionError.
    """
    if below:
        return above / below
    return math.copysign(math.inf, above) if above and not math.isnan(above) else math.nan


@public("ops.Adam")
class Adam(_Corrected):
    """Updates a parameter with Adam, in place; returns var, m and v.

    Args:
        use_locking (bool): has no effect. Default: False.
        use_nesterov (bool): whether the step looks ahead, as Nesterov's momentum. Default: False.

    Inputs:
        - **var** (Union[Parameter, Tensor]): what is updated.
        - **m**, **v** (Union[Parameter, Tensor]): the first and the second moment, of the shape of
          `var`.
        - **beta1_power**, **beta2_power** (Union[float, Tensor]): `beta1` and `beta2` to the power
          of the number of steps.
        - **lr** (Union[float, Tensor]): the learning rate.
        - **beta1**, **beta2** (Union[float, Tensor]): the decay rates of the moments.
        - **epsilon** (Union[float, Tensor]): added to the denominator.
        - **gradient** (Tensor): the gradient, of the shape of `var`.

    Outputs:
        A tuple of three Tensors: `var`, `m` and `v` after the step.

    Example:
        >>> weight, m, v = (ms.Parameter(ms.Tensor([x])) for x in (1.0, 0.0, 0.0))
        >>> _ = ms.ops.Adam()(weight, m, v, 0.9, 0.999, 0.1, 0.9, 0.999, 1e-8, ms.Tensor([2.0]))
        >>> print(weight.value())
        [0.90000004]
    """

    @checked
    def __call__(
        self,
        var: Floats,
        m: Floats,
        v: Floats,
        beta1_power: Rate,
        beta2_power: Rate,
        lr: Rate,
        beta1: Rate,
        beta2: Rate,
        epsilon: Rate,
        gradient: Gradient,
    ):
        rate = self.rate(lr, beta1_power, beta2_power)
        return self.run(
            ADAM,
            (var, m, v),
            gradient,
            lr=rate,
            beta1=beta1,
            beta2=beta2,
            eps=epsilon,
            nesterov=self.use_nesterov,
        )


@public("ops.AdamNoUpdateParam")
class AdamNoUpdateParam(_Corrected):
    """Computes the step that Adam adds to a parameter; m and v are updated in place.

    Args:
        use_locking (bool): has no effect. Default: False.
        use_nesterov (bool): whether the step looks ahead, as Nesterov's momentum. Default: False.

    Inputs:
        - **m**, **v** (Tensor): the first and the second moment, which are updated.
        - **beta1_power**, **beta2_power** (Union[float, Tensor]): `beta1` and `beta2` to the power
          of the number of steps.
        - **lr** (Union[float, Tensor]): the learning rate.
        - **beta1**, **beta2** (Union[float, Tensor]): the decay rates of the moments.
        - **epsilon** (Union[float, Tensor]): added to the denominator.
        - **gradient** (Tensor): the gradient, of the shape of `m`.

    Outputs:
        Tensor: the step, to be added to the parameter.

    Example:
        >>> m, v = (ms.Parameter(ms.Tensor([0.0])) for _ in range(2))
        >>> step = ms.ops.AdamNoUpdateParam()
        >>> numbers = [ms.Tensor(x) for x in (0.9, 0.999, 0.1, 0.9, 0.999, 1e-8)]
        >>> print(step(m, v, *numbers, ms.Tensor([2.0])))
        [-0.09999999]
    """

    @checked(OneDtype("m v beta1_power beta2_power lr beta1 beta2 epsilon gradient"))
    def __call__(
        self,
        m: Floats,
        v: Floats,
        beta1_power: Rate,
        beta2_power: Rate,
        lr: Rate,
        beta1: Rate,
        beta2: Rate,
        epsilon: Rate,
        gradient: Floats,
    ):
        rate = self.rate(lr, beta1_power, beta2_power)
        delta = Tensor._wrap(space_for(m._array).zeros(m.shape, m._array.dtype))
        return self.run(
            ADAM_DELTA,
            (delta, m, v),
            gradient,
            lr=rate,
            beta1=beta1,
            beta2=beta2,
            eps=epsilon,
            nesterov=self.use_nesterov,
        )[0]


@public("ops.AdamWeightDecay")
class AdamWeightDecay(Update):
    """Updates a parameter with Adam with decoupled weight decay and no bias correction, in place.

    The numbers have no bounds, as in MindSpore.

    Args:
        use_locking (bool): has no effect. Default: False.

    Inputs:
        - **var** (Union[Parameter, Tensor]): what is updated.
        - **m**, **v** (Union[Parameter, Tensor]): the first and the second moment, of the shape of
          `var`.
        - **lr** (Union[float, Tensor]): the learning rate.
        - **beta1**, **beta2** (Union[float, Tensor]): the decay rates of the moments.
        - **epsilon** (Union[float, Tensor]): added to the denominator.
        - **decay** (Union[float, Tensor]): the weight decay.
        - **gradient** (Tensor): the gradient, of the shape of `var`.

    Outputs:
        A tuple of three Tensors: `var`, `m` and `v` after the step.

    Example:
        >>> weight, m, v = (ms.Parameter(ms.Tensor([x])) for x in (1.0, 0.0, 0.0))
        >>> _ = ms.ops.AdamWeightDecay()(weight, m, v, 0.1, 0.9, 0.999, 1e-8, 0.0, ms.Tensor([2.0]))
        >>> print(m.value())
        [0.2]
    """

    @checked
    def __call__(
        self,
        var: Floats,
        m: Floats,
        v: Floats,
        lr: Rate,
        beta1: Float | Floats,
        beta2: Float | Floats,
        epsilon: Float | Floats,
        decay: Float | Floats,
        gradient: Gradient,
    ):
        return self.run(
            ADAM_DECAY,
            (var, m, v),
            gradient,
            lr=lr,
            beta1=beta1,
            beta2=beta2,
            eps=epsilon,
            decay=decay,
        )


@public("ops.FusedCastAdamWeightDecay")
class FusedCastAdamWeightDecay(InfersAdam, AdamWeightDecay):
    """Updates a parameter as `ops.AdamWeightDecay`, with a float16 gradient that is divided by a
    global norm; the states are float32.

    The norm may be omitted, as in MindSpore's documentation.
    """

    @checked
    def __call__(
        self,
        var: Floats | Float,
        m: Floats,
        v: Floats,
        lr: Rate,
        beta1: Rate,
        beta2: Rate,
        epsilon: Rate,
        decay: Rate,
        gradient: Floats | Float,
        global_norm: Scalar = 1.0,
    ):
        var, gradient = standing(m, var, gradient)[1:]
        norm = self._number("global_norm", global_norm)
        if norm != 1.0:
            xp = space_for(gradient._array)
            gradient = Tensor._wrap(xp.cast(gradient._array, xp.float32) / norm)
        return self.run(
            ADAM_DECAY,
            (var, m, v),
            gradient,
            lr=lr,
            beta1=beta1,
            beta2=beta2,
            eps=epsilon,
            decay=decay,
        )


@public("ops.ApplyAdaMax")
class ApplyAdaMax(Update):
    """Updates a parameter with AdaMax, Adam with the infinity norm, in place; returns var, m and v.

    Example:
        >>> weight, m, v = (ms.Parameter(ms.Tensor([x])) for x in (1.0, 0.0, 0.0))
        >>> _ = ms.ops.ApplyAdaMax()(weight, m, v, 0.9, 0.1, 0.9, 0.999, 1e-8, ms.Tensor([2.0]))
        >>> print(weight.value())
        [0.9]
    """

    @checked
    def __init__(self):
        Update.__init__(self)

    @checked
    def __call__(
        self,
        var: Floats | NumberOrBool,
        m: Floats | NumberOrBool,
        v: Floats | NumberOrBool,
        beta1_power: Rate,
        lr: Rate,
        beta1: Rate,
        beta2: Rate,
        epsilon: Rate,
        grad: Gradient,
    ):
        power = self._number("beta1_power", beta1_power)
        need_below(self.name, power)
        rate = self._number("lr", lr) / (1 - power)
        return self.run(ADAMAX, (var, m, v), grad, lr=rate, beta1=beta1, beta2=beta2, eps=epsilon)


@public("ops.ApplyAdamWithAmsgrad")
class ApplyAdamWithAmsgrad(_Corrected):
    """Updates a parameter with AMSGrad, which divides Adam's step by the largest second moment so
    far, in place; returns var, m, v and vhat.

    Args:
        beta1 (float): the decay rate of the first moment.
        beta2 (float): the decay rate of the second moment.
        epsilon (float): added to the divisor.
        use_locking (bool): accepted, without effect; an update is always atomic.

    Example:
        >>> weight, m, v, vhat = (ms.Parameter(ms.Tensor([x])) for x in (1.0, 0.0, 0.0, 0.0))
        >>> step = ms.ops.ApplyAdamWithAmsgrad()
        >>> _ = step(weight, m, v, vhat, 0.9, 0.999, 0.1, ms.Tensor([2.0]))
        >>> print(m.value(), v.value())
        [0.2] [0.004]
    """

    @checked
    def __init__(
        self,
        beta1: Float = 0.9,
        beta2: Float = 0.999,
        epsilon: Float = 1e-8,
        use_locking: Bool = False,
    ):
        Update.__init__(self, use_locking)
        self.beta1, self.beta2, self.epsilon = beta1, beta2, epsilon

    @checked(*without_axes("lr"))
    def __call__(
        self,
        var: Floats,
        m: Floats,
        v: Floats,
        vhat: Floats,
        beta1_power: HalfRate,
        beta2_power: HalfRate,
        lr: HalfRate,
        grad: Gradient,
    ):
        return self.run(
            AMSGRAD,
            (var, m, v, vhat),
            grad,
            beta1=self.beta1,
            beta2=self.beta2,
            lr=self.rate(lr, beta1_power, beta2_power),
            eps=self.epsilon,
        )


@public("ops.ApplyAdamWithAmsgradV2")
class ApplyAdamWithAmsgradV2(_Corrected):
    """Updates a parameter as `ops.ApplyAdamWithAmsgrad`, with the decay rates as inputs.

    Example:
        >>> weight, m, v, vhat = (ms.Parameter(ms.Tensor([x])) for x in (1.0, 0.0, 0.0, 0.0))
        >>> step = ms.ops.ApplyAdamWithAmsgradV2()
        >>> numbers = [ms.Tensor(x) for x in (0.9, 0.999, 0.1, 0.9, 0.999, 1e-8)]
        >>> _ = step(weight, m, v, vhat, *numbers, ms.Tensor([2.0]))
        >>> print(m.value(), v.value())
        [0.20000005] [0.00399995]
    """

    @checked
    def __init__(self, use_locking: Bool = False):
        Update.__init__(self, use_locking)

    @checked(*without_axes("lr"))
    def __call__(
        self,
        var: Floats,
        m: Floats,
        v: Floats,
        vhat: Floats,
        beta1_power: Loose,
        beta2_power: Loose,
        lr: Loose,
        beta1: Loose,
        beta2: Loose,
        epsilon: Loose,
        grad: Gradient | NumberOrBool,
    ):
        return self.run(
            AMSGRAD,
            (var, m, v, vhat),
            grad,
            beta1=beta1,
            beta2=beta2,
            lr=self.rate(lr, beta1_power, beta2_power),
            eps=epsilon,
        )
