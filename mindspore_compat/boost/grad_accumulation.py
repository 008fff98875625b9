"""GradientAccumulation: applies an optimizer to the mean of the gradients of several steps.

Its two graph functions are public, because scripts use them.
"""

from .. import ops
from .._backend.steps.journal import whole_step
from .._core.rules.checked import checked
from .._core.rules.vocabulary import CellOf, Int
from .._core.tensor.tensor import Tensor
from ..common import dtype as mstype
from ..common.parameter import Parameter
from ..nn.cell import Cell

__all__ = ["GradientAccumulation", "gradient_accumulation_op", "gradient_clear_op"]

gradient_accumulation_op = ops.MultitypeFuncGraph("gradient_accumulation_op")
gradient_clear_op = ops.MultitypeFuncGraph("gradient_clear_op")


@gradient_accumulation_op.register("Number", "Tensor", "Tensor")
def _add_share(accumulation_step, cumulative_grad, grad):
    """Adds a step's share to the mean, in place."""
    return ops.assign_add(cumulative_grad, grad / accumulation_step)


@gradient_clear_op.register("Tensor")
def _clear(cumulative_grad):
    """Sets the mean to zero, in place."""
    return ops.assign(cumulative_grad, ops.zeros_like(cumulative_grad))


class GradientAccumulation(Cell):
    """Accumulates gradients and applies an optimizer to their mean after some steps.

    Called with (loss, gradients) it returns the loss.

    Args:
        max_accumulation_step (int): the number of steps.
        optimizer (Cell): the optimizer.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if `max_accumulation_step` is less than 1.

    Example:
        >>> import mindspore_compat as ms
        >>> net = ms.nn.Dense(2, 1)
        >>> optimizer = ms.nn.SGD(net.trainable_params())
        >>> accumulation = ms.boost.GradientAccumulation(2, optimizer)

    Source: mindspore.boost.GradientAccumulation of MindSpore 2.10.
    """

    @checked
    def __init__(self, max_accumulation_step: Int(ge=1), optimizer: CellOf):
        super().__init__()
        self.hyper_map = ops.HyperMap()
        self.optimizer, self.weights = optimizer, optimizer.parameters
        self._max_accumulation_step = max_accumulation_step
        self._grad_accumulation = self.weights.clone(prefix="grad_accumulation", init="zeros")
        self._accumulation_step = Parameter(
            Tensor(0, mstype.int32), name="accumulation_step", requires_grad=False
        )

    def construct(self, loss, grads):
        return whole_step(self._accumulated, (loss, grads), {})

    def _accumulated(self, loss, grads):
        """Adds a step's gradients and returns the loss. The update comes last: until then an
        interrupt undoes everything."""
        add = ops.partial(gradient_accumulation_op, self._max_accumulation_step)
        self.hyper_map(add, self._grad_accumulation, grads)
        step = int(self._accumulation_step) + 1
        if step < self._max_accumulation_step:
            ops.assign(self._accumulation_step, Tensor(step, mstype.int32))
            return loss
        mean = tuple(ops.clone(gradient) for gradient in self._grad_accumulation)
        self.hyper_map(gradient_clear_op, self._grad_accumulation)
        ops.assign(self._accumulation_step, Tensor(0, mstype.int32))
        self.optimizer(mean)
        return loss
