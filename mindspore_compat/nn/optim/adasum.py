"""The adaptive sum of the gradients of several processes.

Two gradients are added so that their common component counts once: AdaSum(a, b) = (1 - a.b / (2
a.a)) a + (1 - a.b / (2 b.b)) b. For equal gradients this is the gradient itself, for orthogonal
ones the sum. More than two are combined in pairs. Source: Maleki et al., "Scaling Distributed
Training with Adaptive Summation", https://arxiv.org/abs/2006.02924.
"""

from ... import ops
from ..._core.context import config
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import InstanceOf, checked
from ..._core.tensor.dtype import float32
from ..._core.tensor.tensor import Tensor
from ...communication.comm_func import all_gather_into_tensor
from ...communication.groups import get_group_size
from ..cell import Cell
from .optimizer import Optimizer

__all__ = ["AdaSumByDeltaWeightWrapCell", "AdaSumByGradWrapCell"]

FEWEST = 16


class _Wrapped(Cell):
    """Base class: wraps an optimizer whose steps several processes combine."""

    @checked
    def __init__(self, optimizer: InstanceOf(Optimizer)):
        reason = refusal()
        if reason is not None:
            raise RuntimeError(f"For '{type(self).__name__}', {reason}.")
        super().__init__(auto_prefix=False)
        self.optimizer = optimizer
        self.parameters = optimizer.parameters


@public("nn.AdaSumByGradWrapCell")
class AdaSumByGradWrapCell(_Wrapped):
    """Passes the adaptive sum (AdaSum) of the gradients of all processes to an optimizer.

    Args:
        optimizer (Optimizer): the optimizer.

    Inputs:
        - **grads** (tuple[Tensor]) - the gradients of this process.

    Outputs:
        The result of the optimizer.

    Raises:
        TypeError: if `optimizer` is not an Optimizer.
        RuntimeError: if the mode is "stand_alone", the optimizer's part or stages of a pipeline are
            divided, or the number of processes is not a power of 2 from 16 on.

    Examples:
        >>> from mindspore_compat import nn
        >>> try:
        ...     nn.AdaSumByGradWrapCell(nn.SGD(nn.Dense(1, 1).trainable_params(), 0.1))
        ... except RuntimeError as error:
        ...     print(error)
        For 'AdaSumByGradWrapCell', 'parallel_mode' must not be 'stand_alone'.

    Source: mindspore.nn.AdaSumByGradWrapCell of MindSpore 2.10.
    """

    def construct(self, grads):
        """Runs the optimizer on the adaptive sums of the gradients."""
        return self.optimizer(over_processes(grads))


@public("nn.AdaSumByDeltaWeightWrapCell")
class AdaSumByDeltaWeightWrapCell(_Wrapped):
    """Replaces an optimizer's update by the adaptive sum (AdaSum) of the updates of all processes.

    Args:
        optimizer (Optimizer): the optimizer.

    Inputs:
        - **grads** (tuple[Tensor]) - the gradients of this process.

    Outputs:
        The result of the optimizer.

    Raises:
        TypeError: if `optimizer` is not an Optimizer.
        RuntimeError: if the mode is "stand_alone", the optimizer's part or stages of a pipeline are
            divided, or the number of processes is not a power of 2 from 16 on.

    Examples:
        >>> from mindspore_compat import nn
        >>> try:
        ...     nn.AdaSumByDeltaWeightWrapCell(nn.SGD(nn.Dense(1, 1).trainable_params(), 0.1))
        ... except RuntimeError as error:
        ...     print(error)
        For 'AdaSumByDeltaWeightWrapCell', 'parallel_mode' must not be 'stand_alone'.

    Source: mindspore.nn.AdaSumByDeltaWeightWrapCell of MindSpore 2.10.
    """

    def construct(self, grads):
        """Updates the parameters, then replaces the update by the adaptive sum over all
        processes."""
        before = copies(self.parameters)
        result = self.optimizer(grads)
        combine_steps(self.parameters, before)
        return result


def adaptive_sum(gradients):
    """Returns the adaptive sum of Tensors of one shape, computed in float32. Their number must be a
    power of 2."""
    while len(gradients) > 1:
        pairs = zip(gradients[::2], gradients[1::2], strict=True)
        gradients = [_of_two(*pair) for pair in pairs]
    return gradients[0]


def _of_two(a, b):
    x, y = ops.cast(a, float32).reshape(-1), ops.cast(b, float32).reshape(-1)
    product, a_square, b_square = (x * y).sum(), (x * x).sum(), (y * y).sum()
    scaled_a = a * _factor(product, a_square).astype(a.dtype)
    return scaled_a + b * _factor(product, b_square).astype(b.dtype)


def _factor(shared, square):
    """Returns 1 - shared / (2 square), or 1 for a gradient of zeros."""
    return 1 - shared / (2 * ops.select(square > 0, square, ops.ones_like(square)))


def over_processes(gradients):
    """Returns the adaptive sums of gradients over all processes.

    Args:
        gradients (tuple[Tensor]): the gradients of this process.

    Returns:
        tuple[Tensor].
    """
    totals = []
    for gradient in gradients:
        gathered = all_gather_into_tensor(gradient.reshape(1, -1))
        rows = gathered[0] if isinstance(gathered, tuple) else gathered
        total = adaptive_sum([rows[number] for number in range(rows.shape[0])])
        totals.append(total.reshape(gradient.shape))
    return tuple(totals)


def refusal():
    """Returns why the processes cannot combine their gradients this way, or None if they can."""
    mode = config.get_auto_parallel_context("parallel_mode")
    if mode == "stand_alone":
        return "'parallel_mode' must not be 'stand_alone'"
    if config.get_auto_parallel_context("enable_parallel_optimizer"):
        return "'enable_parallel_optimizer' must be False"
    if config.get_auto_parallel_context("pipeline_stages") > 1:
        return "'pipeline_stages' must be 1"
    count = get_group_size()
    if count < FEWEST or count & (count - 1):
        return f"the number of processes must be a power of 2 from {FEWEST} on, but it is {count}"
    return None


def copies(parameters):
    """Copies the values of parameters before an optimizer updates them."""
    return [Tensor._wrap(parameter._array.copy()) for parameter in parameters]


def combine_steps(parameters, before):
    """Replaces the update of each process by the adaptive sum of the updates of all.

    Args:
        parameters (Sequence[Parameter]): the parameters after the update of this process.
        before (Sequence[Tensor]): their values before it.
    """
    steps = [new - old for new, old in zip(parameters, before, strict=True)]
    for parameter, old, step in zip(parameters, before, over_processes(steps), strict=True):
        ops.assign(parameter, old + step)
