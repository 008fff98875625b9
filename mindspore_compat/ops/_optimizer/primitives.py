"""The optimizers' updates as primitives: `ops.Adam()(var, m, v, ...)` changes what it is given.

The formulas are those of formulas.py; the Cells of `nn.optim` run the same ones. Updates that are
given only some rows of the gradient are in _optimizer/sparse.py.
"""

import math

from ..._backend import arrays
from ..._backend.fuse import fuse
from ..._core.autograd.tape import Rule, depth, record, written
from ..._core.autograd.vjp_rules import no_gradient
from ..._core.declare.op import space_for
from ..._core.declare.public_api import plain, public
from ..._core.rules.vocabulary import (
    Alike,
    Bool,
    Float,
    Forbid,
    Int,
    Number,
    TensorOf,
    checked,
    floating,
    integer,
    real,
)
from ..._core.tensor.tensor import Tensor
from ..._core.vmap.by_slices import in_each_slice
from .._indexing.write_cast import standing, wider
from .._rules import Float16Or32, Floats, Inexact, NumberOrBool, Numbers, NumbersOrBools
from ..primitive import Primitive
from . import formulas
from .formulas import unscaled
from .inferred_metadata import TellsOfAdam, TellsOfMomentum

# What is updated keeps its dtype; a gradient is converted to it, unless it is wider. Where `Plain`
# stands beside a Tensor, a number means a Tensor without axes, and is refused for its shape.
Slope = TensorOf(floating, integer, "bool")

# Scalars: those that must be of a floating dtype take no Python int, others take any number.
Scalar = Number | TensorOf(floating)
Rate = Float | TensorOf(floating)
HalfRate = Float | Float16Or32
Loose = NumberOrBool | TensorOf(real, "bool")


def without_axes(names):
    """Relations: Tensors in the place of these scalars have no axis."""
    return [
        Forbid(f"getattr({name}, 'ndim', 0)", ValueError, f"'{name}' must have no axis")
        for name in names.split()
    ]


ADADELTA = fuse(formulas.adadelta_update)
ADAGRAD = fuse(formulas.adagrad_update)
ADAGRAD_EPS = fuse(formulas.adagrad_eps_update)
ADAGRAD_DA = fuse(formulas.adagrad_da_update)
ADAM = fuse(formulas.adam_update)
ADAM_DELTA = fuse(formulas.adam_no_parameter_update)
ADAM_DECAY = fuse(formulas.adam_weight_decay_update)
ADAMAX = fuse(formulas.adamax_update)
AMSGRAD = fuse(formulas.amsgrad_update)
CENTERED_RMSPROP = fuse(formulas.centered_rmsprop_update)
FTRL = fuse(formulas.ftrl_update)
FTRL_SHRUNK = fuse(formulas.ftrl_shrunk_update)
KERAS_MOMENTUM = fuse(formulas.keras_momentum_update)
MOMENTUM = fuse(formulas.momentum_update, link=unscaled)
PLAIN = fuse(formulas.plain_update)
PLAIN_DECAYED = fuse(formulas.plain_update, link=unscaled)
PROXIMAL = fuse(formulas.proximal_update)
PROXIMAL_ADAGRAD = fuse(formulas.proximal_adagrad_update)
RMSPROP = fuse(formulas.rmsprop_update)
SGD_STEP = fuse(formulas.sgd_update, link=unscaled)
ADD_SIGN = fuse(formulas.add_sign_update)
POWER_SIGN = fuse(formulas.power_sign_update)


class Update(Primitive):
    """What all updates share: one shape, scalars as numbers, the update in place."""

    unfit = ValueError  # what shapes of rows that do not fit are

    def __init_subclass__(cls):
        super().__init_subclass__()
        if "__call__" in cls.__dict__:
            cls.__call__ = in_each_slice(cls.__call__)

    @checked
    def __init__(self, use_locking: Bool = False):
        super().__init__(type(self).__name__)
        self.use_locking = use_locking

    def run(self, fused, held, grad, **scalars):
        """Updates `held` (the parameter first) with `grad`; returns Tensors on the same memory."""
        *held, given = standing(*held, grad)
        written(held)
        grad = self.joined(held, given)
        states = [each._array for each in held[1:]]
        scalars = self.numbers(scalars)
        if held[0]._array.dtype.kind in "iuc":
            self._run_plainly(fused.formula, [held[0]._array, *states], grad, scalars)
        else:
            fused(held[0]._array, grad, *states, **scalars)
        return self.barred(held, given)

    def barred(self, held, *inputs):
        """`held` as results. There is no gradient through the update; asking for it is refused."""
        made = tuple(map(plain, held))
        live = tuple(t._node for t in (*held, *inputs) if t._node is not None)
        if live and not depth.paused:
            slopes = {str(i): no_gradient(self.name) for i in range(len(live))}
            for each in made:
                each._node = record(Rule(self.name, slopes, slopes), live, (), None)
        return made

    def _run_plainly(self, formula, held, grad, scalars):
        """The formula as it stands, for integers and complex numbers, which are not fused."""
        new = formula(space_for(held[0]), held[0], grad.astype(held[0].dtype), *held[1:], **scalars)
        for array, value in zip(held, new, strict=True):
            array[...] = value

    def joined(self, held, grad):
        """The gradient's array where the parameter lies.

        Raises:
            TypeError: the gradient is wider than all that it updates, which are never converted.
            ValueError: shapes differ.
        """
        grad = standing(*held, grad)[-1]
        self.need_narrow(held, grad)
        for each in (*held[1:], grad):
            if each.shape != held[0].shape:
                raise ValueError(
                    f"For '{self.name}', all states and the gradient must have the shape of the "
                    f"parameter, {held[0].shape}, but got {each.shape}."
                )
        space = space_for(held[0]._array)
        array = arrays.to_space(space, grad._array)
        return array if array.dtype.kind not in "iub" else space.cast(array, held[0]._array.dtype)

    def need_narrow(self, held, grad):
        """Refuses a gradient that is wider than all that it updates."""
        dtypes = {each._array.dtype for each in held}
        if all(wider(grad._array.dtype, dtype) for dtype in dtypes):
            raise TypeError(
                f"For '{self.name}', the gradient must not be wider than what it updates, of dtype "
                f"{held[0].dtype}, but got {grad.dtype}."
            )

    def numbers(self, scalars):
        """The scalars as plain numbers; a Tensor of one element stands for its value."""
        return {name: self._number(name, value) for name, value in scalars.items()}

    def _number(self, name, value):
        if not isinstance(value, Tensor):
            return value
        if value.size != 1:
            raise ValueError(
                f"For '{self.name}', '{name}' must hold one number, but got a Tensor of shape "
                f"{value.shape}."
            )
        return value.asnumpy().item()


class Nesterov(Update):
    """An update that may look one step ahead."""

    @checked
    def __init__(self, use_locking: Bool = False, use_nesterov: Bool = False):
        Update.__init__(self, use_locking)
        self.use_nesterov = use_nesterov


@public("ops.ApplyGradientDescent")
class ApplyGradientDescent(Update):
    """`var - alpha * delta`, in place.

    Raises:
        TypeError: if an input is of another type.
        ValueError: if shapes differ.

    Example:
        >>> import mindspore_compat as ms
        >>> x = ms.Parameter(ms.Tensor([1.0, 2.0]))
        >>> out = ms.ops.ApplyGradientDescent()(x, ms.Tensor(0.5), ms.Tensor([1.0, 1.0]))
        >>> print(x.asnumpy())
        [0.5 1.5]

    Source: mindspore.ops.ApplyGradientDescent of MindSpore 2.10; so the others here.
    """

    @checked
    def __init__(self):
        Update.__init__(self)

    @checked
    def __call__(self, var: Floats | NumberOrBool, alpha: Rate, delta: Slope):
        return self.run(PLAIN, (var,), delta, lr=alpha)[0]


@public("ops.ApplyProximalGradientDescent")
class ApplyProximalGradientDescent(ApplyGradientDescent):
    """Gradient descent, then the proximal step of an l1 and l2 penalty, in place.

    Example:
        >>> import mindspore_compat as ms
        >>> x = ms.Parameter(ms.Tensor([1.0, 2.0]))
        >>> out = ms.ops.ApplyProximalGradientDescent()(x, ms.Tensor(0.5), ms.Tensor(0.0),
        ...         ms.Tensor(0.0), ms.Tensor([1.0, 1.0]))
        >>> print(x.asnumpy())
        [0.5 1.5]
    """

    @checked(*without_axes("alpha l1 l2"))
    def __call__(self, var: Floats | NumberOrBool, alpha: Rate, l1: Rate, l2: Rate, delta: Slope):
        return self.run(PROXIMAL, (var,), delta, lr=alpha, l1=l1, l2=l2)[0]


@public("ops.ApplyMomentum")
class ApplyMomentum(Update):
    """Momentum, in place; returns the parameter.

    Args:
        use_nesterov (bool): whether to look one step ahead.
        use_locking (bool): kept; an update is whole anyway.
        gradient_scale (float): a factor for the gradient.
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
class FusedWeightScaleApplyMomentum(TellsOfMomentum, Update):
    """Momentum of loss_scale (gradient + weight_decay variable), in place.

    `loss_scale` is thus one over what the loss was multiplied by.
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
    """Momentum as Keras writes it: the memory holds steps. In place; returns both."""

    @checked
    def __call__(self, var: Floats, accum: Floats, lr: Scalar, grad: Floats, momentum: Scalar):
        for name, given in (("lr", lr), ("momentum", momentum)):
            if isinstance(given, Tensor) and given.ndim:
                raise ValueError(
                    f"For 'ApplyKerasMomentum', '{name}' must have no axes, but got "
                    f"shape {given.shape}."
                )
        return self.run(
            KERAS_MOMENTUM, (var, accum), grad, lr=lr, momentum=momentum, nesterov=self.use_nesterov
        )


@public("ops.SGD")
class SGD(Update):
    """Gradient descent with momentum, in place; `stat` is above 0 until the first step.

    Without momentum `accum` and `stat` are left alone.

    Args:
        dampening (float): how much of the gradient the memory leaves out.
        weight_decay (float): the factor of the parameter that is added to its gradient.
        nesterov (bool): whether to look one step ahead; then `dampening` must be 0.

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


class _Corrected(Nesterov):
    """Adam's learning rate, corrected for the bias of both averages."""

    def rate(self, lr, beta1_power, beta2_power):
        first, second = (
            self._number(n, v)
            for n, v in (("beta1_power", beta1_power), ("beta2_power", beta2_power))
        )
        return _quotient(self._number("lr", lr) * _root(1 - second), 1 - first)


def need_below(api, power):
    """Refuses a power of beta1 by which the average's bias has no end."""
    if power == 1:
        raise RuntimeError(f"For '{api}', 'beta1_power' must not be 1, but got {power!r}.")


def _root(value):
    """The square root, NaN below 0."""
    return math.sqrt(value) if value >= 0 else math.nan


def _quotient(above, below):
    """above / below, infinite or NaN over 0, as in the formula on arrays."""
    if below:
        return above / below
    return math.copysign(math.inf, above) if above and not math.isnan(above) else math.nan


@public("ops.Adam")
class Adam(_Corrected):
    """Adam, in place; returns var, m and v."""

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
        gradient: Slope,
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
    """What Adam adds to a parameter; m and v are updated in place."""

    @checked(Alike("m v beta1_power beta2_power lr beta1 beta2 epsilon gradient"))
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
    """Adam without bias correction whose weight decay bypasses the averages, in place.

    No bound is set to the numbers: the original computes with any.
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
        gradient: Slope,
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
class FusedCastAdamWeightDecay(TellsOfAdam, AdamWeightDecay):
    """`ops.AdamWeightDecay` of a float16 gradient over a global norm; states stay float32.

    The norm may be left out, as the original's documentation has it.
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
    """Adam with the infinity norm, in place; returns var, m and v."""

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
        grad: Slope,
    ):
        power = self._number("beta1_power", beta1_power)
        need_below(self.name, power)
        rate = self._number("lr", lr) / (1 - power)
        return self.run(ADAMAX, (var, m, v), grad, lr=rate, beta1=beta1, beta2=beta2, eps=epsilon)


@public("ops.ApplyAdamWithAmsgrad")
class ApplyAdamWithAmsgrad(_Corrected):
    """Adam divided by the largest second moment so far, in place; returns var, m, v and vhat.

    Args:
        beta1 (float): the share of the old first moment that is kept.
        beta2 (float): the same of the second moment.
        epsilon (float): added to the divisor.
        use_locking (bool): kept; an update is whole anyway.
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
        grad: Slope,
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
    """`ops.ApplyAdamWithAmsgrad` with the decay rates as inputs."""

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
        grad: Slope | NumberOrBool,
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


@public("ops.ApplyAdadelta")
class ApplyAdadelta(ApplyGradientDescent):
    """Adadelta, in place; returns var, accum and accum_update."""

    @checked(*without_axes("lr"))
    def __call__(
        self,
        var: Floats | NumberOrBool,
        accum: Floats | NumberOrBool,
        accum_update: Floats,
        lr: Rate,
        rho: Rate,
        epsilon: Rate,
        grad: Slope | NumberOrBool,
    ):
        return self.run(ADADELTA, (var, accum, accum_update), grad, lr=lr, rho=rho, eps=epsilon)


@public("ops.ApplyAdagrad")
class ApplyAdagrad(Update):
    """Adagrad, in place; returns var and accum.

    Args:
        update_slots (bool): whether the sum of squares grows.
    """

    fused, more = ADAGRAD, {}

    @checked
    def __init__(self, update_slots: Bool = True):
        Update.__init__(self)
        self.update_slots = update_slots

    @checked
    def __call__(
        self,
        var: Inexact | NumberOrBool,
        accum: Inexact | NumberOrBool,
        lr: Float | Inexact,
        grad: NumbersOrBools | NumberOrBool,
    ):
        return self.run(
            self.fused, (var, accum), grad, lr=lr, update_slots=self.update_slots, **self.more
        )


@public("ops.ApplyAdagradV2")
class ApplyAdagradV2(ApplyAdagrad):
    """`ops.ApplyAdagrad` with a number added to the root.

    Args:
        epsilon (float): the number.
        update_slots (bool): whether the sum of squares grows.
    """

    @checked
    def __init__(self, epsilon: Float, update_slots: Bool = True):
        ApplyAdagrad.__init__(self, update_slots)
        self.fused, self.more = ADAGRAD_EPS, {"eps": epsilon}


@public("ops.ApplyAdagradDA")
class ApplyAdagradDA(Update):
    """Adagrad's dual averaging, in place; returns var."""

    @checked(*without_axes("lr l1 l2 global_step"))
    def __call__(
        self,
        var: Floats,
        gradient_accumulator: Floats,
        gradient_squared_accumulator: Floats,
        grad: Slope,
        lr: HalfRate,
        l1: HalfRate,
        l2: HalfRate,
        global_step: Int | TensorOf("int32", "int64"),
    ):
        held = (var, gradient_accumulator, gradient_squared_accumulator)
        return self.run(ADAGRAD_DA, held, grad, lr=lr, l1=l1, l2=l2, step=global_step)[0]


@public("ops.ApplyAddSign")
class ApplyAddSign(ApplyGradientDescent):
    """AddSign: alpha plus the agreement of signs times the gradient, in place."""

    @checked
    def __call__(
        self,
        var: Floats | NumberOrBool,
        m: Floats | NumberOrBool,
        lr: Rate,
        alpha: Rate,
        sign_decay: Loose,
        beta: Loose,
        grad: Slope,
    ):
        return self.run(
            ADD_SIGN, (var, m), grad, lr=lr, beta=beta, sign_decay=sign_decay, alpha=alpha
        )


@public("ops.ApplyPowerSign")
class ApplyPowerSign(ApplyGradientDescent):
    """PowerSign: e to the agreement of signs times the gradient, in place."""

    @checked
    def __call__(
        self,
        var: Floats | NumberOrBool,
        m: Floats | NumberOrBool,
        lr: Loose,
        logbase: Loose,
        sign_decay: Loose,
        beta: Loose,
        grad: Slope,
    ):
        return self.run(
            POWER_SIGN, (var, m), grad, lr=lr, beta=beta, sign_decay=sign_decay, logbase=logbase
        )


@public("ops.ApplyRMSProp")
class ApplyRMSProp(Update):
    """RMSProp, in place; returns var."""

    @checked(Alike("var mean_square moment grad"))
    def __call__(
        self,
        var: Floats,
        mean_square: Floats,
        moment: Floats,
        learning_rate: Rate,
        grad: Floats,
        decay: Float,
        momentum: Float,
        epsilon: Float,
    ):
        return self.run(
            RMSPROP,
            (var, mean_square, moment),
            grad,
            lr=learning_rate,
            rho=decay,
            momentum=momentum,
            eps=epsilon,
        )[0]


@public("ops.ApplyCenteredRMSProp")
class ApplyCenteredRMSProp(Update):
    """RMSProp over the running variance, in place; returns var."""

    @checked(Alike("var mean_gradient mean_square moment grad"))
    def __call__(
        self,
        var: Floats,
        mean_gradient: Floats,
        mean_square: Floats,
        moment: Floats,
        grad: Floats,
        learning_rate: Rate,
        decay: Float,
        momentum: Float,
        epsilon: Float,
    ):
        held = (var, mean_gradient, mean_square, moment)
        return self.run(
            CENTERED_RMSPROP,
            held,
            grad,
            lr=learning_rate,
            rho=decay,
            momentum=momentum,
            eps=epsilon,
        )[0]


@public("ops.ApplyFtrl")
class ApplyFtrl(Update):
    """Follow the regularised leader, in place; returns var."""

    @checked(*without_axes("lr l1 l2 lr_power"))
    def __call__(
        self,
        var: Floats | NumberOrBool,
        accum: Floats | NumberOrBool,
        linear: Floats | NumberOrBool,
        grad: Slope,
        lr: Loose,
        l1: Loose,
        l2: Loose,
        lr_power: Loose,
    ):
        return self.run(FTRL, (var, accum, linear), grad, lr=lr, l1=l1, l2=l2, lr_power=lr_power)[0]


@public("ops.ApplyProximalAdagrad")
class ApplyProximalAdagrad(Update):
    """Adagrad, then the proximal step of an l1 and l2 penalty, in place; returns var and accum."""

    @checked(*without_axes("lr l1 l2"))
    def __call__(
        self,
        var: Floats | NumberOrBool,
        accum: Floats | NumberOrBool,
        lr: Rate,
        l1: Rate,
        l2: Rate,
        grad: Slope,
    ):
        return self.run(PROXIMAL_ADAGRAD, (var, accum), grad, lr=lr, l1=l1, l2=l2)


@public("ops.LARSUpdate")
class LARSUpdate(Update):
    """The gradient scaled by LARS's trust ratio.

    Args:
        epsilon (float): added to the divisor.
        hyperpara (float): the trust coefficient.
        use_clip (bool): whether the ratio over the learning rate is at most 1.

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
        g = self.joined((weight,), gradient)
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
