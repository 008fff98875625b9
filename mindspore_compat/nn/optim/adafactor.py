"""AdaFactor: an optimizer that stores the mean squares of a matrix as one row and one column."""

import numpy as np

from ..._backend import arrays
from ..._backend.updates import factored
from ..._backend.updates.complete import assigned, complete
from ..._backend.updates.fuse import fuse
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import (
    Any,
    Bool,
    Float,
    Forbid,
    ListOf,
    Number,
    TupleOf,
    checked,
    inf,
)
from ..._core.tensor.tensor import Tensor
from ...common.parameter import Parameter, ParameterTuple
from ...ops._optimizer.formulas import (
    adafactor_direction,
    adafactor_vector_direction,
    plain_update,
    root_mean_square,
)
from ._documented import documented
from ._fused import FusedOptimizer
from ._groups import Params, Rate, Scale
from ._rates import as_number, host_parameter
from ._step import Rows
from .adam import Adam

__all__ = ["AdaFactor"]

AtLeast = Float(ge=0.0, lt=inf)
Pair = TupleOf(AtLeast, length=2) | ListOf(AtLeast, length=2)
STEP = fuse(plain_update)


def _next_steps(xp, step, factored_step):
    return step + 1, factored_step + 1


NEXT_STEPS = fuse(_next_steps)


@public("nn.AdaFactor")
@documented
class AdaFactor(FusedOptimizer):
    """Adafactor optimizer: divides gradients by the root of their factored mean squares.

    For a matrix it stores only the means of the squared gradients over rows and over columns. An
    update whose root mean square exceeds `clip_threshold` is scaled down to it. Without a learning
    rate the rate is min(0.01, 1 / sqrt(t)), multiplied by the root mean square of the parameter.

    Args:
        learning_rate (Union[float, int, Tensor, Iterable, LearningRateSchedule]): the learning
            rate; None with `relative_step`.
        eps (tuple[float, float]): a constant added to squared gradients; the lower bound of a
            parameter's scale.
        clip_threshold (float): the largest root mean square of an update before the learning rate.
        decay_rate (float): step t averages the mean squares with the weight t ** -decay_rate.
        beta1 (float): the decay rate of the average of updates; None for no average.
        weight_decay (float): the decoupled weight decay, multiplied by the learning rate.
        scale_parameter (bool): whether to multiply the rate by the root mean square of the
            parameter.
        relative_step (bool): whether to compute the learning rate from the step number.
        warmup_init (bool): whether that learning rate is at most 1e-6 t.
        compression (bool): whether mean squares of vectors are stored in float16.

    Example:
        >>> import mindspore_compat as ms
        >>> weight = ms.Parameter(ms.Tensor([1.0]), name="weight")
        >>> optimizer = ms.nn.AdaFactor([weight], learning_rate=0.1, relative_step=False)
        >>> _ = optimizer((ms.Tensor([0.5]),))
        >>> print(weight.value())
        [0.99]

    Source: mindspore.nn.AdaFactor of MindSpore 2.10.
    """

    skips = True

    @checked(
        Forbid("type(learning_rate) is bool", TypeError, "'learning_rate' must not be a bool"),
        Forbid(
            "learning_rate is not None and relative_step",
            reason="'learning_rate' must be None with 'relative_step'",
        ),
        Forbid(
            "learning_rate is None and not relative_step",
            reason="'learning_rate' must be given without 'relative_step'",
        ),
        Forbid("warmup_init and not relative_step", reason="'warmup_init' needs 'relative_step'"),
    )
    def __init__(
        self,
        params: Params,
        learning_rate: Rate = None,
        eps: Pair = (1e-30, 1e-3),
        clip_threshold: AtLeast = 1.0,
        decay_rate: Float(gt=0.0, lt=1.0) = 0.8,
        beta1: Number(ge=0.0, lt=inf) | None = 0.9,
        weight_decay: Float(ge=0.0, lt=1.0) = 0.0,
        scale_parameter: Bool = True,
        relative_step: Bool = True,
        warmup_init: Any = False,
        compression: Bool = False,
        loss_scale: Scale = 1.0,
    ):
        super().__init__(
            0.0 if learning_rate is None else learning_rate, params, weight_decay, loss_scale
        )
        self.eps, self.clip_threshold, self.decay_rate = tuple(eps), clip_threshold, decay_rate
        self.beta1 = beta1
        self.scale_parameter = scale_parameter
        self.relative_step = relative_step
        self.warmup_init = bool(warmup_init)
        self.compression = compression
        if not self.is_group:
            self.decay_flags = (True,) * self.param_length
        self.init_ada_factor_state(beta1)
        self.afactor_step = host_parameter(np.zeros(1, np.float32), "afactor_step")
        self._plan = self._plan_over([])

    @property
    def supports_memory_efficient_fp16(self):
        """Whether mean squares may be stored in float16; True."""
        return True

    @property
    def supports_flat_params(self):
        """Whether parameters may be flattened; False, because rows and columns matter."""
        return False

    def init_ada_factor_state(self, beta1):
        """Creates the states, all zeros; mean squares that a shape does not use have one element.

        Args:
            beta1 (float): None for no average of updates.
        """
        if beta1 is not None:
            self.exp_avg = self.parameters.clone("exp_avg", "zeros")
        rows, columns, squares = [], [], []
        for parameter in self.parameters:
            shape, matrix = parameter.shape, len(parameter.shape) >= 2
            dtype = np.float16 if self.compression and not matrix else parameter._array.dtype
            rows.append(
                _zeros(
                    f"exp_avg_sq_row_{parameter.name}",
                    shape[:-1] if matrix else (1,),
                    parameter._array.dtype,
                )
            )
            columns.append(
                _zeros(
                    f"exp_avg_sq_col_{parameter.name}",
                    shape[:-2] + shape[-1:] if matrix else (1,),
                    parameter._array.dtype,
                )
            )
            squares.append(_zeros(f"exp_avg_sq_{parameter.name}", (1,) if matrix else shape, dtype))
        self.exp_avg_sq_row = ParameterTuple(rows)
        self.exp_avg_sq_col = ParameterTuple(columns)
        self.exp_avg_sq = ParameterTuple(squares)

    def construct(self, gradients):
        """Updates the parameters.

        Args:
            gradients (tuple[Tensor]): one gradient for each parameter, in the order of
                `parameters`.

        Returns:
            tuple[bool], True for each parameter.
        """
        grads = self._gradient_arrays(gradients)
        rates, decays = self._rate_numbers(), self._decay_numbers()
        indices = [index for index, gradient in enumerate(grads) if gradient is not None]
        units = factored.units(
            self._rows(grads, indices),
            [rates[index] for index in indices],
            [decays[index] for index in indices],
            self._assignments,
            self._skip,
            relative=self.relative_step,
            warmup=self.warmup_init,
            scaled=self.scale_parameter,
            beta1=self.beta1,
            taken=self._as_scalar(self.afactor_step),
            decay_rate=self.decay_rate,
            eps=self.eps[0],
            least=self.eps[1],
            clip=self.clip_threshold,
            scale=self.loss_scale if self.need_scale else 1.0,
        )
        complete([*units, *self._end_units()], final=True)
        return (True,) * len(grads)

    _takes_divided = False  # mean squares of rows and columns need the whole gradient

    def after_step(self):
        """Returns the optimizer's own count of steps."""
        return [(self.afactor_step._array, self._as_scalar(self.afactor_step) + 1)]

    def can_skip(self, gradients):
        """Returns True if kernels update all parameters, so that they can check a flag first."""
        return super().can_skip(gradients) and factored.can_skip(
            self._rows([gradient._array for gradient in gradients], range(len(gradients)))
        )

    def after_step_unless(self, flag):
        """Returns the units that count the step on the GPU, in both counts, unless `flag` there
        holds."""
        counts = [self._on_gpu(self.global_step), self._on_gpu(self.afactor_step)]
        return NEXT_STEPS.units([counts], flag)

    def _gradient_arrays(self, gradients):
        grads = super()._gradient_arrays(gradients)
        return [gradient.whole() if type(gradient) is Rows else gradient for gradient in grads]

    def _rows(self, grads, indices):
        """Returns rows for the kernel: the arrays of a parameter, its gradient, and its states."""
        rows = []
        for index in indices:
            parameter, gradient = self.parameters[index], grads[index]
            states = [self.exp_avg_sq[index]._array, None]
            if gradient.ndim >= 2:
                states = [self.exp_avg_sq_row[index]._array, self.exp_avg_sq_col[index]._array]
            average = None if self.beta1 is None else self.exp_avg[index]._array
            rows.append((parameter._array, gradient, average, *states))
        return rows

    def _assignments(self, parameter, gradient, average, squares, columns, rate, decay):
        """Returns the assignments of new values to one parameter and its states; `squares` are the
        mean squares of a vector, or the mean squares over the rows of a matrix.
        """
        step = as_number(self.afactor_step) + 1
        xp = arrays.space_of(parameter)
        gradient = gradient / self.loss_scale if self.need_scale else gradient
        upcast = parameter.astype("float32") if parameter.dtype in xp.low_precision else parameter
        gradient = xp.cast(gradient, upcast.dtype)
        if self.relative_step:
            rate = min(1e-6 * step if self.warmup_init else 1e-2, step**-0.5)
        if self.scale_parameter:
            rate = rate * xp.maximum(root_mean_square(xp, upcast), self.eps[1])
        direction, targets, values = self._direction(
            xp, gradient, squares, columns, 1 - step ** -float(self.decay_rate)
        )
        size = root_mean_square(xp, direction)
        direction = direction * xp.minimum(float(self.clip_threshold) / size, 1.0) * rate
        if self.beta1 is not None:
            beta1 = float(self.beta1)
            direction = xp.cast(beta1 * average + (1 - beta1) * direction, average.dtype)
            targets, values = [*targets, average], [*values, direction]
        if decay is not None:
            direction = direction + decay * rate * upcast
        new = parameter.copy()
        STEP(new, direction, lr=1.0)
        return assigned([*targets, parameter], [*values, new])

    def _direction(self, xp, gradient, squares, columns, beta2):
        """Returns the direction of a step, the arrays of the mean squares, and their new values."""
        if gradient.ndim < 2:
            states = [squares]
            direction, *new = adafactor_vector_direction(
                xp, gradient, xp.cast(squares, gradient.dtype), beta2=beta2, eps=self.eps[0]
            )
        else:
            states = [squares, columns]
            upcast = [xp.cast(state, gradient.dtype) for state in states]
            direction, *new = adafactor_direction(
                xp, gradient, *upcast, beta2=beta2, eps=self.eps[0]
            )
        return direction, states, new

    target = Adam.target


def _zeros(name, shape, dtype):
    return Parameter(Tensor(np.zeros(shape, dtype)), name=name)
