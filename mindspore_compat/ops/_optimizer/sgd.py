"""Primitives of gradient descent: plain, proximal, with momentum, by sign; and LARS."""

from ..._core.declare.op import space_for
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Bool, Float, Number, checked
from ..._core.tensor.tensor import Tensor
from .._rules import Float16Or32, Floats, NumberOrBool, Numbers, NumbersOrBools
from . import formulas
from .inferred_metadata import InfersMomentum
from .update import (
    ADD_SIGN,
    KERAS_MOMENTUM,
    MOMENTUM,
    PLAIN,
    PLAIN_DECAYED,
    POWER_SIGN,
    PROXIMAL,
    SGD_STEP,
    Gradient,
    Loose,
    Nesterov,
    Rate,
    Scalar,
    Update,
    without_axes,
)


@public("ops.ApplyGradientDescent")
class ApplyGradientDescent(Update):
    """Updates a parameter with gradient descent, `var - alpha * delta`, in place.

    Raises:
        TypeError: if an input has the wrong type.
        ValueError: if shapes differ.

    Example:
        >>> import mindspore_compat as ms
        >>> x = ms.Parameter(ms.Tensor([1.0, 2.0]))
        >>> out = ms.ops.ApplyGradientDescent()(x, ms.Tensor(0.5), ms.Tensor([1.0, 1.0]))
        >>> print(x.asnumpy())
        [0.5 1.5]

    Source: mindspore.ops.ApplyGradientDescent of MindSpore 2.10; likewise the other classes here.
    """

    @checked
    def __init__(self):
        Update.__init__(self)

    @checked
    def __call__(self, var: Floats | NumberOrBool, alpha: Rate, delta: Gradient):
        return self.run(PLAIN, (var,), delta, lr=alpha)[0]


@public("ops.ApplyProximalGradientDescent")
class ApplyProximalGradientDescent(ApplyGradientDescent):
    """Updates a parameter with gradient descent, then applies the proximal step of an l1 and l2
    penalty, in place.

    Example:
        >>> import mindspore_compat as ms
        >>> x = ms.Parameter(ms.Tensor([1.0, 2.0]))
        >>> out = ms.ops.ApplyProximalGradientDescent()(x, ms.Tensor(0.5), ms.Tensor(0.0),
        ...         ms.Tensor(0.0), ms.Tensor([1.0, 1.0]))
        >>> print(x.asnumpy())
        [0.5 1.5]
    """

    @checked(*without_axes("alpha l1 l2"))
    def __call__(
        self, var: Floats | NumberOrBool, alpha: Rate, l1: Rate, l2: Rate, delta: Gradient
    ):
        return self.run(PROXIMAL, (var,), delta, lr=alpha, l1=l1, l2=l2)[0]


@public("ops.ApplyMomentum")
class ApplyMomentum(Update):
    """Updates a parameter with gradient descent with momentum, in place; returns the parameter.

    Args:
        use_nesterov (bool): whether Nesterov's momentum is used.
        use_locking (bool): accepted, without effect; an update is always atomic.
        gradient_scale (float): a factor for the gradient.

    Example:
        >>> weight, moment = ms.Parameter(ms.Tensor([1.0])), ms.Parameter(ms.Tensor([0.0]))
        >>> _ = ms.ops.ApplyMomentum()(weight, moment, 0.1, ms.Tensor([2.0]), 0.9)
        >>> print(weight.value(), moment.value())
        [0.8] [2.]
    """

    @checked
    def __init__(
        self, use_nesterov: Bool = False, use_locking: Bool = False, gradient_scale: Float = 1.0
    ):
        Update.__init__(self, use_locking)
        self.use_nesterov, self.gradient_scale = use_nesterov, gradient_scale

    @checked
    def __call__(
        self,
        variable: Numbers | NumberOrBool,
        accumulation: Numbers | NumberOrBool,
        learning_rate: Number | Numbers,
        gradient: NumbersOrBools | NumberOrBool,
        momentum: Number | Numbers,
    ):
        return self.run(
            MOMENTUM,
            (variable, accumulation),
            gradient,
            lr=learning_rate,
            momentum=momentum,
            nesterov=self.use_nesterov,
            decay=None,
            unscale=None if self.gradient_scale == 1.0 else self.gradient_scale,
        )[0]


@public("ops.FusedWeightScaleApplyMomentum")
class FusedWeightScaleApplyMomentum(InfersMomentum, Update):
    """Updates a parameter with momentum, in place; the gradient is loss_scale * (gradient +
    weight_decay * variable).

    `loss_scale` is the reciprocal of the factor by which the loss was multiplied.

    Example:
        >>> weight, moment = ms.Parameter(ms.Tensor([1.0])), ms.Parameter(ms.Tensor([0.0]))
        >>> step = ms.ops.FusedWeightScaleApplyMomentum()
        >>> decay, scale, lr, momentum = (ms.Tensor(x) for x in (0.0, 1.0, 0.1, 0.9))
        >>> _ = step(decay, scale, weight, moment, lr, ms.Tensor([2.0]), momentum)
        >>> print(weight.value(), moment.value())
        [0.8] [2.]
    """

    @checked
    def __init__(self):
        Update.__init__(self)

    @checked
    def __call__(
        self,
        weight_decay: Scalar,
        loss_scale: Scalar,
        variable: Floats,
        accumulation: Floats,
        learning_rate: Scalar,
        gradient: Floats,
        momentum: Scalar,
    ):
        scale = self._number("loss_scale", loss_scale)
        return self.run(
            MOMENTUM,
            (variable, accumulation),
            gradient,
            lr=learning_rate,
            momentum=momentum,
            unscale=scale,
            decay=scale * self._number("weight_decay", weight_decay),
        )[0]


@public("ops.ApplyKerasMomentum")
class ApplyKerasMomentum(Nesterov):
    """Updates a parameter with momentum in Keras's form, whose buffer accumulates steps, in place;
    returns the parameter and the buffer.

    Args:
        use_locking (bool): has no effect. Default: False.
        use_nesterov (bool): whether Nesterov's momentum is used. Default: False.

    Inputs:
        - **var**, **accum** (Union[Parameter, Tensor]): the parameter and its buffer, of one shape.
        - **lr** (Union[float, Tensor]): the learning rate.
        - **grad** (Tensor): the gradient, of the shape of `var`.
        - **momentum** (Union[float, Tensor]): the momentum.

    Outputs:
        A tuple of two Tensors: `var` and `accum` after the step.

    Example:
        >>> weight, moment = ms.Parameter(ms.Tensor([1.0])), ms.Parameter(ms.Tensor([0.0]))
        >>> _ = ms.ops.ApplyKerasMomentum()(weight, moment, 0.1, ms.Tensor([2.0]), 0.9)
        >>> print(weight.value(), moment.value())
        [0.8] [-0.2]
    """

    @checked
    def __call__(self, var: Floats, accum: Floats, lr: Scalar, grad: Floats, momentum: Scalar):
        for name, number in (("lr", lr), ("momentum", momentum)):
            if isinstance(number, Tensor) and number.ndim:
                raise ValueError(
                    f"For 'ApplyKerasMomentum', '{name}' must have no axes, but got "
                    f"shape {number.shape}."
                )
        return self.run(
            KERAS_MOMENTUM, (var, accum), grad, lr=lr, momentum=momentum, nesterov=self.use_nesterov
        )


@public("ops.SGD")
class SGD(Update):
    """Updates a parameter with stochastic gradient descent (SGD) with momentum, in place; `stat` is
    above 0 until the first step.

    Without momentum, `accum` and `stat` do not change.

    Args:
        dampening (float): the fraction of the gradient that is not accumulated.
        weight_decay (float): the factor of the parameter that is added to its gradient.
        nesterov (bool): whether Nesterov's momentum is used; then `dampening` must be 0.

    Example:
        >>> import mindspore_compat as ms
        >>> x = ms.Parameter(ms.Tensor([1.0, 2.0]))
        >>> out = ms.ops.SGD()(x, ms.Tensor([0.1, 0.1]), ms.Tensor(1.0), ms.Tensor([0.0, 0.0]),
        ...                    ms.Tensor(0.9), ms.Tensor([0.0, 0.0]))
        >>> print(x.asnumpy())
        [0.9 1.9]
    """

    @checked
    def __init__(self, dampening: Float = 0.0, weight_decay: Float = 0.0, nesterov: Bool = False):
        Update.__init__(self)
        if nesterov and dampening != 0.0:
            raise ValueError(
                f"For 'SGD', 'dampening' must be 0.0 if 'nesterov' is True, but got {dampening}."
            )
        self.dampening, self.weight_decay, self.nesterov = dampening, weight_decay, nesterov

    @checked
    def __call__(
        self,
        parameters: Float16Or32,
        gradient: Float16Or32,
        learning_rate: Float16Or32,
        accum: Float16Or32,
        momentum: Float16Or32,
        stat: Float16Or32,
    ):
        momentum = self._number("momentum", momentum)
        if not momentum:
            return self.run(
                PLAIN_DECAYED,
                (parameters,),
                gradient,
                lr=learning_rate,
                unscale=None,
                decay=self.weight_decay,
            )[0]
        return self.run(
            SGD_STEP,
            (parameters, accum, stat),
            gradient,
            lr=learning_rate,
            momentum=momentum,
            dampening=self.dampening,
            nesterov=self.nesterov,
            unscale=None,
            decay=self.weight_decay,
        )[0]


@public("ops.ApplyAddSign")
class ApplyAddSign(ApplyGradientDescent):
    """Updates a parameter with AddSign, in place: the gradient is multiplied by `alpha` plus the
    agreement of signs.

    Example:
        >>> weight, m = (ms.Parameter(ms.Tensor([x])) for x in (1.0, 0.0))
        >>> _ = ms.ops.ApplyAddSign()(weight, m, 0.1, 1.0, 1.0, 0.9, ms.Tensor([2.0]))
        >>> print(weight.value())
        [0.6]
    """

    @checked
    def __call__(
        self,
        var: Floats | NumberOrBool,
        m: Floats | NumberOrBool,
        lr: Rate,
        alpha: Rate,
        sign_decay: Loose,
        beta: Loose,
        grad: Gradient,
    ):
        return self.run(
            ADD_SIGN, (var, m), grad, lr=lr, beta=beta, sign_decay=sign_decay, alpha=alpha
        )


@public("ops.ApplyPowerSign")
class ApplyPowerSign(ApplyGradientDescent):
    """Updates a parameter with PowerSign, in place: the gradient is multiplied by a power of e,
    whose exponent is the agreement of signs.

    Example:
        >>> weight, m = (ms.Parameter(ms.Tensor([x])) for x in (1.0, 0.0))
        >>> _ = ms.ops.ApplyPowerSign()(weight, m, 0.1, 2.0, 1.0, 0.9, ms.Tensor([2.0]))
        >>> print(weight.value())
        [-0.47781122]
    """

    @checked
    def __call__(
        self,
        var: Floats | NumberOrBool,
        m: Floats | NumberOrBool,
        lr: Loose,
        logbase: Loose,
        sign_decay: Loose,
        beta: Loose,
        grad: Gradient,
    ):
        return self.run(
            POWER_SIGN, (var, m), grad, lr=lr, beta=beta, sign_decay=sign_decay, logbase=logbase
        )


@public("ops.LARSUpdate")
class LARSUpdate(Update):
    """Scales the gradient by LARS's trust ratio; returns the scaled gradient.

    Args:
        epsilon (float): added to the divisor.
        hyperpara (float): the trust coefficient.
        use_clip (bool): whether the ratio over the learning rate is limited to 1.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.LARSUpdate()(ms.Tensor([1.0]), ms.Tensor([2.0]), ms.Tensor([1.0]),
        ...                           ms.Tensor([4.0]), ms.Tensor(0.0), ms.Tensor(0.1)))
        [0.001]
    """

    @checked
    def __init__(self, epsilon: Float = 1e-5, hyperpara: Float = 0.001, use_clip: Bool = False):
        Update.__init__(self)
        self.epsilon, self.hyperpara, self.use_clip = epsilon, hyperpara, use_clip

    @checked
    def __call__(
        self,
        weight: Floats,
        gradient: Floats,
        norm_weight: Floats,
        norm_gradient: Floats,
        weight_decay: Scalar,
        learning_rate: Scalar,
    ):
        xp = space_for(weight._array)
        g = self.gradient_array((weight,), gradient)
        decay = self._number("weight_decay", weight_decay)
        rate = self._number("learning_rate", learning_rate) if self.use_clip else None
        ratio = formulas.trust_ratio(
            xp,
            xp.sqrt(norm_weight._array),
            xp.sqrt(norm_gradient._array),
            rate=rate,
            coefficient=self.hyperpara,
            decay=decay,
            eps=self.epsilon,
        )
        return Tensor._wrap(xp.asarray(ratio * (g + decay * weight._array)))
