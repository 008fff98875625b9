"""Primitives of Adagrad and related optimizers: Adadelta, RMSProp, FTRL, proximal Adagrad."""

from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Bool, Float, Int, OneDtype, TensorOf, checked
from .._rules import Floats, Inexact, NumberOrBool, NumbersOrBools
from .sgd import ApplyGradientDescent
from .update import (
    ADADELTA,
    ADAGRAD,
    ADAGRAD_DA,
    ADAGRAD_EPS,
    CENTERED_RMSPROP,
    FTRL,
    PROXIMAL_ADAGRAD,
    RMSPROP,
    Gradient,
    HalfRate,
    Loose,
    Rate,
    Update,
    without_axes,
)


@public("ops.ApplyAdadelta")
class ApplyAdadelta(ApplyGradientDescent):
    """Updates a parameter with Adadelta, in place; returns var, accum and accum_update.

    Example:
        >>> weight, total, updates = (ms.Parameter(ms.Tensor([x])) for x in (1.0, 0.0, 0.0))
        >>> _ = ms.ops.ApplyAdadelta()(weight, total, updates, 1.0, 0.5, 1e-6, ms.Tensor([2.0]))
        >>> print(total.value())
        [2.]
    """

    @checked(*without_axes("lr"))
    def __call__(
        self,
        var: Floats | NumberOrBool,
        accum: Floats | NumberOrBool,
        accum_update: Floats,
        lr: Rate,
        rho: Rate,
        epsilon: Rate,
        grad: Gradient | NumberOrBool,
    ):
        return self.run(ADADELTA, (var, accum, accum_update), grad, lr=lr, rho=rho, eps=epsilon)


@public("ops.ApplyAdagrad")
class ApplyAdagrad(Update):
    """Updates a parameter with Adagrad, in place; returns var and accum.

    Args:
        update_slots (bool): whether the sum of squares is updated.

    Example:
        >>> weight, total = ms.Parameter(ms.Tensor([1.0])), ms.Parameter(ms.Tensor([0.0]))
        >>> _ = ms.ops.ApplyAdagrad()(weight, total, 0.1, ms.Tensor([2.0]))
        >>> print(weight.value(), total.value())
        [0.9] [4.]
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
    """Updates a parameter with Adagrad, with a number added to the root, in place; returns var and
    accum.

    Args:
        epsilon (float): the number added to the root.
        update_slots (bool): whether the sum of squares is updated.

    Example:
        >>> weight, total = ms.Parameter(ms.Tensor([1.0])), ms.Parameter(ms.Tensor([0.0]))
        >>> _ = ms.ops.ApplyAdagradV2(epsilon=1e-6)(weight, total, 0.1, ms.Tensor([2.0]))
        >>> print(total.value())
        [4.]
    """

    @checked
    def __init__(self, epsilon: Float, update_slots: Bool = True):
        ApplyAdagrad.__init__(self, update_slots)
        self.epsilon = epsilon
        self.fused, self.more = ADAGRAD_EPS, {"eps": epsilon}


@public("ops.ApplyAdagradDA")
class ApplyAdagradDA(Update):
    """Updates a parameter with Adagrad dual averaging, in place; returns var.

    Args:
        use_locking (bool): has no effect. Default: False.

    Inputs:
        - **var** (Parameter): what is updated.
        - **gradient_accumulator**, **gradient_squared_accumulator** (Parameter): the sums of
          gradients and of their squares, of the shape of `var`.
        - **grad** (Tensor): the gradient, of the shape of `var`.
        - **lr** (Union[float, Tensor]): the learning rate.
        - **l1**, **l2** (Union[float, Tensor]): the strengths of the penalties.
        - **global_step** (Union[int, Tensor]): the number of the step.

    Outputs:
        Tensor: `var` after the step.

    Example:
        >>> weight, total, squares = (ms.Parameter(ms.Tensor([x])) for x in (1.0, 0.0, 0.0))
        >>> step, count = ms.ops.ApplyAdagradDA(), ms.Tensor(1, ms.int32)
        >>> _ = step(weight, total, squares, ms.Tensor([2.0]), 0.1, 0.0, 0.0, count)
        >>> print(weight.value())
        [-0.1]
    """

    @checked(*without_axes("lr l1 l2 global_step"))
    def __call__(
        self,
        var: Floats,
        gradient_accumulator: Floats,
        gradient_squared_accumulator: Floats,
        grad: Gradient,
        lr: HalfRate,
        l1: HalfRate,
        l2: HalfRate,
        global_step: Int | TensorOf("int32", "int64"),
    ):
        tensors = (var, gradient_accumulator, gradient_squared_accumulator)
        return self.run(ADAGRAD_DA, tensors, grad, lr=lr, l1=l1, l2=l2, step=global_step)[0]


@public("ops.ApplyRMSProp")
class ApplyRMSProp(Update):
    """Updates a parameter with RMSProp, in place; returns var.

    Args:
        use_locking (bool): has no effect. Default: False.

    Inputs:
        - **var** (Union[Parameter, Tensor]): what is updated.
        - **mean_square** (Tensor): the running mean of squared gradients, of the shape of `var`.
        - **moment** (Tensor): the momentum buffer, of the shape of `var`.
        - **learning_rate** (Union[float, Tensor]): the learning rate.
        - **grad** (Tensor): the gradient, of the shape of `var`.
        - **decay** (float): the decay rate of `mean_square`.
        - **momentum** (float): the momentum.
        - **epsilon** (float): added to the denominator.

    Outputs:
        Tensor: `var` after the step.

    Example:
        >>> weight, square, moment = (ms.Parameter(ms.Tensor([x])) for x in (1.0, 0.0, 0.0))
        >>> step = ms.ops.ApplyRMSProp()
        >>> _ = step(weight, square, moment, 0.1, ms.Tensor([2.0]), 0.0, 0.0, 1e-7)
        >>> print(weight.value())
        [0.9]
    """

    @checked(OneDtype("var mean_square moment grad"))
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
    """Updates a parameter with centered RMSProp, which divides by the root of the running variance,
    in place; returns var.

    Args:
        use_locking (bool): has no effect. Default: False.

    Inputs:
        - **var** (Parameter): what is updated.
        - **mean_gradient**, **mean_square** (Tensor): the running means of gradients and of their
          squares, of the shape of `var`.
        - **moment** (Tensor): the momentum buffer, of the shape of `var`.
        - **grad** (Tensor): the gradient, of the shape of `var`.
        - **learning_rate** (Union[float, Tensor]): the learning rate.
        - **decay** (float): the decay rate of the running means.
        - **momentum** (float): the momentum.
        - **epsilon** (float): added to the denominator.

    Outputs:
        Tensor: `var` after the step.

    Example:
        >>> weight, *states = (ms.Parameter(ms.Tensor([x])) for x in (1.0, 0.0, 0.0, 0.0))
        >>> step = ms.ops.ApplyCenteredRMSProp()
        >>> _ = step(weight, *states, ms.Tensor([2.0]), 0.1, 0.5, 0.0, 1e-7)
        >>> print(weight.value())
        [0.8]
    """

    @checked(OneDtype("var mean_gradient mean_square moment grad"))
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
        tensors = (var, mean_gradient, mean_square, moment)
        return self.run(
            CENTERED_RMSPROP,
            tensors,
            grad,
            lr=learning_rate,
            rho=decay,
            momentum=momentum,
            eps=epsilon,
        )[0]


@public("ops.ApplyFtrl")
class ApplyFtrl(Update):
    """Updates a parameter with FTRL (follow the regularized leader), in place; returns var.

    Args:
        use_locking (bool): has no effect. Default: False.

    Inputs:
        - **var**, **accum**, **linear** (Parameter): the parameter and its states, of one shape.
        - **grad** (Tensor): the gradient, of the shape of `var`.
        - **lr** (Union[float, Tensor]): the learning rate.
        - **l1**, **l2** (Union[float, Tensor]): the strengths of the penalties.
        - **lr_power** (Union[float, Tensor]): the power of the accumulated squares, at most 0.

    Outputs:
        Tensor: `var` after the step.

    Example:
        >>> weight, total, linear = (ms.Parameter(ms.Tensor([x])) for x in (1.0, 0.1, 0.0))
        >>> _ = ms.ops.ApplyFtrl()(weight, total, linear, ms.Tensor([2.0]), 0.1, 0.0, 0.0, -0.5)
        >>> print(total.value())
        [4.1]
    """

    @checked(*without_axes("lr l1 l2 lr_power"))
    def __call__(
        self,
        var: Floats | NumberOrBool,
        accum: Floats | NumberOrBool,
        linear: Floats | NumberOrBool,
        grad: Gradient,
        lr: Loose,
        l1: Loose,
        l2: Loose,
        lr_power: Loose,
    ):
        return self.run(FTRL, (var, accum, linear), grad, lr=lr, l1=l1, l2=l2, lr_power=lr_power)[0]


@public("ops.ApplyProximalAdagrad")
class ApplyProximalAdagrad(Update):
    """Updates a parameter with Adagrad, then applies the proximal step of an l1 and l2 penalty, in
    place; returns var and accum.

    Args:
        use_locking (bool): has no effect. Default: False.

    Inputs:
        - **var**, **accum** (Parameter): the parameter and the sum of squared gradients, of one
          shape.
        - **lr** (Union[float, Tensor]): the learning rate.
        - **l1**, **l2** (Union[float, Tensor]): the strengths of the penalties.
        - **grad** (Tensor): the gradient, of the shape of `var`.

    Outputs:
        A tuple of two Tensors: `var` and `accum` after the step.

    Example:
        >>> weight, total = (ms.Parameter(ms.Tensor([x])) for x in (1.0, 0.0))
        >>> _ = ms.ops.ApplyProximalAdagrad()(weight, total, 0.1, 0.0, 0.0, ms.Tensor([2.0]))
        >>> print(weight.value())
        [0.9]
    """

    @checked(*without_axes("lr l1 l2"))
    def __call__(
        self,
        var: Floats | NumberOrBool,
        accum: Floats | NumberOrBool,
        lr: Rate,
        l1: Rate,
        l2: Rate,
        grad: Gradient,
    ):
        return self.run(PROXIMAL_ADAGRAD, (var, accum), grad, lr=lr, l1=l1, l2=l2)
