"""LARS: layer-wise adaptive rate scaling, which wraps another optimizer."""

from ..._backend import arrays
from ..._backend.updates.fuse import compute_dtype, fuse
from ..._backend.updates.whole_tensors import whole
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Any, Bool, Callable, Float, InstanceOf, checked, inf
from ..._core.tensor.tensor import Tensor
from ...common.parameter import Parameter
from ...ops._optimizer.formulas import lars_gradient
from ._fused import FusedOptimizer
from ._step import Rows, gradient_arrays
from .optimizer import Optimizer

__all__ = ["LARS"]

Finite = Float(gt=-inf, lt=inf)
SCALED = whole(lars_gradient, reads=("p", "g"))


def _unscale(xp, out, g, *, unscale):
    """Divides a gradient by the loss scale."""
    return (g * unscale,)


UNSCALED = fuse(_unscale)


def _is_scaled(x):
    """Returns whether the step of a Parameter is scaled by default. It is not a lambda, because
    optimizers are pickled."""
    return "LayerNorm" not in x.name and "bias" not in x.name


@public("nn.LARS")
class LARS(Optimizer):
    """Layer-wise adaptive rate scaling (LARS): scales gradients for another optimizer.

    For each parameter w that `lars_filter` accepts, ratio = coefficient norm(w) / (norm(g) + decay
    norm(w) + epsilon), or 1 if a norm is 0. With `use_clip` the ratio is divided by the learning
    rate and limited to 1. The gradient becomes ratio (g + decay w). Other gradients stay unchanged.
    LARS applies the weight decay and the loss scale of the inner optimizer. The inner optimizer
    then applies neither, but keeps its learning rates.

    Args:
        optimizer (Optimizer): the inner optimizer.
        epsilon (float): added to the denominator.
        coefficient (float): the trust coefficient.
        use_clip (bool): whether to limit the ratio to the inner optimizer's learning rate.
        lars_filter (function): takes a parameter and returns whether to scale its gradient.

    Inputs:
        - **gradients** (tuple[Tensor]) - the gradients of the inner optimizer's parameters, in
          their order and shapes.

    Outputs:
        The result of the inner optimizer.

    Raises:
        TypeError: if `optimizer` is not an Optimizer.
        ValueError: if `use_clip` is True and learning rates both change and differ by group.

    Examples:
        >>> from mindspore_compat import nn
        >>> net = nn.Dense(2, 3)
        >>> inner = nn.Momentum(net.trainable_params(), 0.1, 0.9)
        >>> optimizer = nn.LARS(inner, epsilon=1e-8, coefficient=0.02)

    Source: mindspore.nn.LARS of MindSpore 2.10.
    """

    _takes_divided = True

    @checked
    def __init__(
        self,
        optimizer: Any,
        epsilon: Finite = 1e-05,
        coefficient: Finite = 0.001,
        use_clip: Bool = False,
        lars_filter: Callable = _is_scaled,
    ):
        _check_inner(optimizer, use_clip)
        flags = tuple(bool(lars_filter(parameter)) for parameter in optimizer.parameters)
        super().__init__(0.0, [Parameter(Tensor(0.0), name="fake_param")])
        self.learning_rate.name = "fake_lr"
        self.opt = optimizer
        self.global_step = optimizer.global_step
        self.epsilon = epsilon
        self.coefficient = coefficient
        self.use_clip = use_clip
        self.lars_flag = flags
        self._take_over(optimizer)

    def _take_over(self, inner):
        """Takes weight decay and loss scale over from the inner optimizer."""
        self.parameters = inner.parameters
        for name in (
            "_settings",
            "_rates",
            "_decays",
            "is_group",
            "is_group_lr",
            "dynamic_lr",
            "is_group_params_ordered",
            "param_length",
            "optim_filter",
            "decay_flags",
            "dynamic_decay_flags",
            "dynamic_weight_decay",
            "exec_weight_decay",
            "weight_decay",
            "_assigned_decay",
            "loss_scale",
            "need_scale",
            "reciprocal_scale",
        ):
            object.__setattr__(self, name, getattr(inner, name))
        object.__setattr__(inner, "exec_weight_decay", False)
        object.__setattr__(inner, "need_scale", False)
        inner.loss_scale = 1.0
        inner.reciprocal_scale = Tensor(1.0)

    def get_lr(self):
        """Returns the learning rate of the inner optimizer."""
        return self.opt.get_lr()

    def construct(self, gradients):
        """Scales the gradients and lets the inner optimizer update the parameters.

        Args:
            gradients (tuple[Tensor]): one gradient for each parameter, in the order of
                `parameters`.
        """
        scaled_arrays = self._scale(
            gradient_arrays(type(self).__name__, gradients, self.parameters)
        )
        tensors = tuple(map(Tensor._wrap, scaled_arrays))
        return self.opt(tensors) if self._skip is None else self.opt.skipping(self._skip, tensors)

    def can_skip(self, gradients):
        """Returns True if the inner optimizer's `skipping` can take these gradients."""
        return getattr(self.opt, "can_skip", lambda _: False)(gradients)

    skipping = FusedOptimizer.skipping

    def _scale(self, grads):
        """Returns the gradients for the inner optimizer, in arrays of their own if they are scaled
        or unscaled."""
        rates = self._rate_numbers() if self.use_clip else [None] * len(grads)
        unscale = 1.0 / self.loss_scale if self.need_scale else None
        results, groups, plain = [], {}, []
        for index, (parameter, gradient, use_lars, decay, rate) in enumerate(
            zip(self.parameters, grads, self.lars_flag, self._decay_numbers(), rates, strict=True)
        ):
            weight = parameter._array
            if gradient is None:  # of another pipeline stage
                results.append(weight)
                continue
            gradient = gradient.whole() if type(gradient) is Rows else gradient
            xp, dtype = arrays.space_of(weight), compute_dtype([weight.dtype, gradient.dtype])
            if use_lars:
                group = groups.setdefault((decay, id(rate)), (decay, rate, {}))
                group[-1][index] = (weight, gradient)
                results.append(None)
            elif unscale is not None:
                results.append(xp.empty(weight.shape, dtype))
                plain.append((results[-1], gradient))
            else:
                results.append(xp.cast(gradient, dtype))
        for decay, rate, rows in groups.values():
            scaled = SCALED.results(
                rows.values(),
                unscale=unscale,
                decay=decay,
                coefficient=self.coefficient,
                eps=self.epsilon,
                rate=rate,
            )
            for index, result in zip(rows, scaled, strict=True):
                results[index] = result
        UNSCALED.sweep(plain, unscale=unscale)
        return results


def _check_inner(optimizer, use_clip):
    InstanceOf(Optimizer).refuse("LARS", "optimizer", optimizer)
    if use_clip and optimizer.dynamic_lr and optimizer.is_group_lr:
        raise ValueError(
            "For 'LARS', 'use_clip' must be False where learning rates both change "
            "and differ by group, but got True."
        )
