"""Training with a scaled loss: the training step, and the Cells that update the scale.

The loss is multiplied by a scale before the backward pass and the gradients are divided by it
afterwards, so that small gradients do not underflow in float16. A step whose gradients are not
finite does not change the parameters.
"""

import functools

import numpy as np

from ... import ops
from ..._backend import arrays
from ..._backend.steps import current, recorded_array
from ..._backend.steps.journal import journal
from ..._backend.updates import loss_scaling
from ..._backend.updates.asynchronous import is_asynchronous
from ..._backend.updates.complete import Unit, assigned, complete
from ..._backend.updates.finite import overflowed
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import (
    Any,
    Bool,
    InstanceOf,
    ListOf,
    Number,
    TensorOf,
    TupleOf,
    checked,
)
from ..._core.tensor.dtype import float32
from ..._core.tensor.tensor import Tensor, map_stored, stored
from ...common.parameter import Parameter
from ...common.sparse_tensor import RowTensor
from ...communication.groups import get_group_size
from ...ops._transforms.functional import MultitypeFuncGraph
from ..cell import Cell
from .cell_wrapper import TrainOneStepCell
from .grad_reducer import Overlapped

_ATensor = InstanceOf(Tensor)
_Sense = InstanceOf(Tensor).called("a Cell or a Tensor")

__all__ = [
    "DynamicLossScaleUpdateCell",
    "FixedLossScaleUpdateCell",
    "TrainOneStepWithLossScaleCell",
]

Given = (
    Number(numpy_scalars=True)
    | Bool
    | TensorOf()
    | TupleOf(Number(numpy_scalars=True) | Bool)
    | ListOf(Number(numpy_scalars=True) | Bool)
    | InstanceOf(complex, np.ndarray)
)


def _tensor_of(value, dtype):
    """Returns a Tensor of numbers. Casts them as C does: NaN becomes the least int, and digits
    beyond the dtype are lost.
    """
    if isinstance(value, Tensor):
        value = value.asnumpy()
    with np.errstate(invalid="ignore"):
        return Tensor(np.asarray(value).real.astype(dtype))


@public("nn.DynamicLossScaleUpdateCell")
class DynamicLossScaleUpdateCell(Cell):
    """Dynamic loss scale: lowered after an overflow, raised after a number of steps without one.

    After an overflow the scale is divided by `scale_factor`, but never below 1. When `scale_window`
    steps have passed since its last change, or since the start, it is multiplied by it.

    Args:
        loss_scale_value (float): the initial loss scale.
        scale_factor (int): the factor and divisor of the scale.
        scale_window (int): the number of steps without overflow after which the scale is raised.

    Inputs:
        - **loss_scale** (Tensor) - the loss scale, changed in place.
        - **overflow** (bool) - whether the step overflowed.

    Outputs:
        bool, `overflow`.

    Examples:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat import nn
        >>> update = nn.DynamicLossScaleUpdateCell(8, scale_factor=2, scale_window=2)
        >>> scale = ms.Parameter(ms.Tensor(8.0), name="scale")
        >>> update(scale, True)
        True
        >>> scale.asnumpy().item()
        4.0

    Source: mindspore.nn.DynamicLossScaleUpdateCell of MindSpore 2.10.
    """

    @checked
    def __init__(self, loss_scale_value: Any, scale_factor: Given, scale_window: Given):
        super().__init__()
        self.scale_window = _tensor_of(scale_window, np.int32)
        self.scale_factor = _tensor_of(scale_factor, np.float32)
        self.loss_scale_value = loss_scale_value
        self.cur_iter = Parameter(Tensor(np.int32(1)), name="current_iterator_step")
        self.last_overflow_iter = Parameter(Tensor(np.int32(0)), name="last_overflow_iterator_step")
        self.minimum_loss_scale = Tensor(np.float32(1))

    def get_loss_scale(self):
        """Returns the initial loss scale."""
        return self.loss_scale_value

    def construct(self, loss_scale, overflow):
        """Changes `loss_scale` in place, and returns `overflow`.

        If all values are on a GPU, the scale is changed there and the host does not wait.
        """
        state = (loss_scale, self.cur_iter, self.last_overflow_iter)
        journal.note_written(state)
        if isinstance(loss_scale, Tensor) and isinstance(overflow, Tensor):
            settings = (self.scale_factor, self.scale_window, self.minimum_loss_scale)
            numbers = [number._array for number in settings]
            if loss_scaling.change([value._array for value in state], overflow._array, *numbers):
                return overflow
        scale, current, last = loss_scaling.changed(
            float(loss_scale),
            int(self.cur_iter),
            int(self.last_overflow_iter),
            bool(overflow),
            factor=float(self.scale_factor),
            window=int(self.scale_window),
            smallest=float(self.minimum_loss_scale),
        )
        targets = [tensor._array for tensor in state]
        complete([Unit(lambda: assigned(targets, [scale, current, last]))])
        return overflow


@public("nn.FixedLossScaleUpdateCell")
class FixedLossScaleUpdateCell(Cell):
    """Fixed loss scale: it never changes, but a step with an overflow is skipped.

    Args:
        loss_scale_value (float): the loss scale.

    Inputs:
        - **loss_scale** (Tensor) - the loss scale, which is ignored.
        - **overflow** (bool) - whether the step overflowed.

    Outputs:
        bool, `overflow`.

    Example:
        >>> import mindspore_compat as ms
        >>> scale_update = ms.nn.FixedLossScaleUpdateCell(1024.0)
        >>> print(scale_update.get_loss_scale())
        1024.0

    Source: mindspore.nn.FixedLossScaleUpdateCell of MindSpore 2.10.
    """

    def __init__(self, loss_scale_value):
        super().__init__()
        self.loss_scale_value = loss_scale_value

    def get_loss_scale(self):
        """Returns the loss scale."""
        return self.loss_scale_value

    def construct(self, _, overflow):
        """Returns `overflow`."""
        return overflow


@public("nn.TrainOneStepWithLossScaleCell")
class TrainOneStepWithLossScaleCell(TrainOneStepCell):
    """Training step with loss scaling, which skips the update if gradients overflow.

    The step differentiates scale * loss, divides the gradients by the scale, reduces them over
    processes and checks them. The optimizer runs only if they are finite on every process.

    Args:
        network (Cell): the network with its loss.
        optimizer (Cell): the optimizer that updates the parameters.
        scale_sense (Union[Tensor, Cell]): the loss scale, of shape () or (1,), or a Cell that
            updates it and whose `get_loss_scale` returns the initial one.

    Inputs:
        - **\\*inputs** (tuple[Tensor]) - the inputs of the network.

    Outputs:
        tuple of 3 Tensors: the loss, whether the step overflowed, and the loss scale of this step.

    Raises:
        TypeError: if `scale_sense` is neither a Cell nor a Tensor.
        ValueError: if its shape is neither (1,) nor ().

    Examples:
        >>> from mindspore_compat import nn
        >>> net = nn.WithLossCell(nn.Dense(2, 3), nn.MSELoss())
        >>> optimizer = nn.SGD(net.trainable_params(), 0.1)
        >>> scale = nn.DynamicLossScaleUpdateCell(2 ** 12, 2, 1000)
        >>> step = nn.TrainOneStepWithLossScaleCell(net, optimizer, scale_sense=scale)

    Source: mindspore.nn.TrainOneStepWithLossScaleCell of MindSpore 2.10.
    """

    def __init__(self, network, optimizer, scale_sense):
        _check_scale(type(self).__name__, scale_sense)
        super().__init__(network, optimizer, sens=None)
        self.loss_scaling_manager = None
        first = scale_sense
        if isinstance(scale_sense, Cell):
            self.loss_scaling_manager = scale_sense
            first = Tensor(np.float32(float(scale_sense.get_loss_scale())))
        self.scale_sense = Parameter(first, name="scale_sense")
        self.is_distributed = self.parallel_mode != "stand_alone"
        self.gpu_target = self.scale_sense.device != "CPU"
        # Not used here, but by steps of scripts that derive from this class.
        self.base, self.base0 = Tensor(np.float32(1)), Tensor(np.int32(0))
        self.equal, self.less_equal, self.logic_not = ops.Equal(), ops.LessEqual(), ops.LogicalNot()
        self.reduce_all, self.reduce_sum = ops.ReduceAll(), ops.ReduceSum()
        self.allreduce, self.hyper_map = ops.AllReduce(), ops.HyperMap()

    def construct(self, *inputs):
        """Updates the weights once; returns the loss, whether the step overflowed, and the loss
        scale."""
        loss = self.network(*inputs)
        status, scale = self.start_overflow_check(loss, self.scale_sense.value())
        sens = ops.cast(scale, loss.dtype)
        sens = sens.reshape(loss.shape) if loss.size == 1 else ops.ones_like(loss) * sens
        divide = functools.partial(_divide, scale=scale)
        with Overlapped(self.grad_reducer, self.weights, divide) as reduced:
            grads = self.grad(self.network, self.weights)(*inputs, sens)
        grads = reduced(grads)
        is_overflow = self.get_overflow_status(status, grads)
        current.apart(self._end_step, is_overflow, grads)
        return loss, is_overflow, scale

    def _end_step(self, is_overflow, grads):
        """Updates the loss scale, and the parameters unless the step overflowed."""
        overflow = self.process_loss_scale(is_overflow)
        unread = isinstance(overflow, Tensor) and is_asynchronous(overflow._array)
        if unread and getattr(self.optimizer, "can_skip", lambda _: False)(grads):
            self.optimizer.skipping(overflow._array, grads)
        elif not overflow:
            self.optimizer(grads)

    def set_sense_scale(self, sens):
        """Sets the loss scale, if it was given as a Tensor.

        Args:
            sens (Tensor): the new loss scale, of the shape and dtype of the initial one.

        Raises:
            TypeError: if `sens` is not a Tensor.
            ValueError: if its shape or dtype differs.
        """
        _ATensor.refuse("set_sense_scale", "sens", sens)
        if sens.shape != self.scale_sense.shape or sens.dtype != self.scale_sense.dtype:
            raise ValueError(
                "For 'set_sense_scale', 'sens' must have the shape "
                f"{self.scale_sense.shape} and dtype {self.scale_sense.dtype}, but "
                f"got {sens.shape} and {sens.dtype}."
            )
        self.scale_sense.set_data(sens)

    def start_overflow_check(self, pre_cond, compute_input):
        """Returns a status for `get_overflow_status`, and `compute_input`.

        An optimizer that inspects gradients inside the network (thor) receives their scale here:
        the step unscales only the gradients that it passes to the optimizer.

        Args:
            pre_cond (Tensor): a value that was computed before; it only orders the calls.
            compute_input (object): the input of the computation to check.

        Returns:
            tuple[object, object].
        """
        if hasattr(self.optimizer, "sens_scale") and isinstance(compute_input, Tensor):
            self.optimizer.sens_scale = arrays.number_of(compute_input._array)
        return Tensor._wrap(arrays.current_space().zeros(8, np.int32)), compute_input

    def get_overflow_status(self, status, compute_output):
        """Returns whether a gradient is infinite or NaN, on this or another process.

        Args:
            status (object): the result of `start_overflow_check`.
            compute_output (Union[Tensor, tuple[Tensor]]): the gradients.

        Returns:
            Tensor of bool and shape ().
        """
        arrays_of_output = [tensor._array for tensor in _tensors(compute_output)]
        overflow = Tensor._wrap(overflowed(arrays_of_output))
        if self.is_distributed and get_group_size() > 1:
            total = self.allreduce(ops.cast(overflow, float32).reshape(1))
            overflow = ops.reshape(total > 0, ())
        return overflow

    def process_loss_scale(self, overflow):
        """Lets the manager update the loss scale.

        Args:
            overflow (bool): whether the step overflowed.

        Returns:
            bool, `overflow`.
        """
        manager = self.loss_scaling_manager
        return overflow if manager is None else manager(self.scale_sense, overflow)


# Functions for custom training steps --------------------------------------------------------------

_grad_scale = MultitypeFuncGraph("grad_scale")
grad_scale = MultitypeFuncGraph("grad_scale")
shard_grad_scale = MultitypeFuncGraph("shard_grad_scale")
_grad_overflow = MultitypeFuncGraph("_grad_overflow")


@_grad_scale.register("Tensor", "Tensor")
def tensor_grad_scale(scale, grad):
    """Divides a gradient by the loss scale, in its own dtype."""
    return grad * ops.cast(ops.reciprocal(scale), grad.dtype)


@_grad_scale.register("Tensor", "RowTensor")
def tensor_grad_scale_row_tensor(scale, grad):
    """Divides the rows of a row-sparse gradient by the loss scale."""
    return RowTensor(grad.indices, tensor_grad_scale(scale, grad.values), grad.dense_shape)


@grad_scale.register("Tensor", "Tensor", "Tensor")
def tensor_grad_scale_pipeline(scale, grad, accu_grad):
    """Divides the accumulated gradient by the scale, and sets `accu_grad` to zeros."""
    result = accu_grad * ops.reciprocal(scale)
    ops.assign(accu_grad, ops.zeros_like(accu_grad))
    return result


@shard_grad_scale.register("Tensor", "Tensor", "Tensor")
def tensor_shard_grad_scale_pipeline(scale, grad, accu_grad):
    """Divides a gradient by the scale, and sets `accu_grad` to zeros."""
    result = grad * ops.reciprocal(scale)
    ops.assign(accu_grad, ops.zeros_like(accu_grad))
    return result


@_grad_overflow.register("Tensor")
def _tensor_grad_overflow(grad):
    """Returns 1.0 if a gradient has an infinite or NaN element, else 0.0; shape (1,)."""
    return ops.FloatStatus()(grad)


@_grad_overflow.register("RowTensor")
def _tensor_grad_overflow_row_tensor(grad):
    """Returns 1.0 if a row of a row-sparse gradient has an infinite or NaN element, else 0.0."""
    return ops.FloatStatus()(grad.values)


def _divide(grads, scale):
    """Divides gradients by the loss scale; a scale on a GPU is not read by the host."""
    wholes = [stored(g) for g in grads] if is_asynchronous(scale._array) else grads
    if any(type(g) is not Tensor for g in wholes):
        return _divided_by_number(grads, scale)
    operands = [g._array for g in wholes], scale._array
    quotients = loss_scaling.divide(*operands)
    if quotients is None and arrays.running_recorder() is None:
        return _divided_by_number(grads, scale)
    if quotients is None:
        quotients = recorded_array.call(_divided_arrays, operands)
    quotients = map(Tensor._wrap, quotients)
    return tuple([map_stored(lambda _, q=q: q, g) for g, q in zip(grads, quotients, strict=True)])


def _divided_by_number(grads, scale):
    factor = 1.0 / float(scale)
    return tuple(grad * factor for grad in grads)


def _divided_arrays(grads, scale):
    """Divides arrays by the loss scale, as one call of a recorded step."""
    quotients = _divided_by_number(map(Tensor._wrap, grads), Tensor._wrap(scale))
    return [quotient._array for quotient in quotients]


def _check_scale(api, scale_sense):
    if isinstance(scale_sense, Cell):
        return
    _Sense.refuse(api, "scale_sense", scale_sense)
    if scale_sense.shape not in ((), (1,)):
        raise ValueError(
            f"For '{api}', the shape of 'scale_sense' must be () or (1,), but got "
            f"{scale_sense.shape}."
        )


def _tensors(value):
    """Returns the Tensors in nested tuples and lists, and the values of row-sparse gradients."""
    if isinstance(value, Tensor):
        return [stored(value)]
    if isinstance(value, (tuple, list)):
        return [tensor for entry in value for tensor in _tensors(entry)]
    return [value.values] if hasattr(value, "values") and hasattr(value, "indices") else []
