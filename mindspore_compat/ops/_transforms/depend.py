"""Ordering of side effects in a graph, and gradient stops: Depend, UpdateState, StopGradient."""

from ..._core.autograd.tape import depth, record
from ..._core.autograd.vjp_rule import VjpRule
from ..._core.declare.public_api import public
from ..._core.gradients.transforms import map_tensors, stop_gradient, tensors_in
from ..._core.rules.vocabulary import checked
from ..._core.tensor.tensor import Tensor
from .._rules import Anything
from ..primitive import Primitive, WithoutArguments

TIED = VjpRule(
    "depend",
    ["x", "others"],
    upcast=False,
    many=True,
    joint=lambda xp, g, count: (g, [xp.zeros((), g.dtype)] * count),
)


@public("ops.depend", "ops.functional.depend")
def depend(value, *expr):
    """Returns `value`, ordered after the expressions `expr`. In graph mode they are computed before
    it; here they already have been.

    The gradient passes to `value`. The Tensors in `expr` get zeros, so that the backward pass
    reaches them.

    Args:
        value (Union[Tensor, tuple, list]): what is returned.
        *expr (Any): what is computed before, such as the result of `ops.assign`.

    Returns:
        `value` itself.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.depend(ms.Tensor([1]), ms.Tensor([2])))
        [1]

    Source: mindspore.ops.depend of MindSpore 2.10.
    """
    live = [tensor for tensor in tensors_in(expr) if tensor._node is not None]
    if not live or depth.paused:
        return value
    return map_tensors(lambda tensor: _tie(tensor, live), value)


def _tie(tensor, others):
    """Returns the Tensor with a tape node from which the backward pass also continues to
    `others`."""
    alias = Tensor._wrap(tensor._array)
    together = [tensor, *others]
    alias._node = record(
        TIED,
        tuple(member._node for member in together),
        (len(others),),
        tuple((member._array.shape, member._array.dtype) for member in together),
    )
    return alias


@public("ops.Depend")
class Depend(WithoutArguments):
    """The class form of `ops.depend`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.Depend()(ms.Tensor([1]), ms.Tensor([2])))
        [1]
    """

    def __call__(self, value, *expr):
        return depend(value, *expr)


@public("ops.UpdateState")
class UpdateState(Primitive):
    """Orders side effects in a graph: returns the state after `expr` was evaluated, which is
    `value` itself.

    Example:
        >>> print(ms.ops.UpdateState()(ms.Tensor([1]), ms.ops.ones(2)))
        [1]

    Source: mindspore.ops.UpdateState of MindSpore 2.10.
    """

    def __init__(self):
        super().__init__("UpdateState")

    def __call__(self, value, expr):
        return value


@public("ops.stop_gradient_")
@checked
def stop_gradient_(input: Anything):
    """Stops gradients through a Tensor from now on, in place, and returns it.

    Values that were computed from it earlier keep their gradient.

    Args:
        input (Tensor): the Tensor.

    Raises:
        TypeError: if `input` is not a Tensor.

    Example:
        >>> def cubed(x):
        ...     square = x * x
        ...     ms.ops.stop_gradient_(square)
        ...     return square * x
        >>> print(ms.grad(cubed)(ms.Tensor(3.0)))
        9.0

    Source: mindspore.ops.stop_gradient_ of MindSpore 2.10.
    """
    input._node = None
    return input


@public("ops.StopGradient")
class StopGradient(Primitive):
    """The class form of `ops.stop_gradient`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.grad(lambda x: x * ms.ops.StopGradient()(x))(ms.Tensor(3.0)))
        3.0
    """

    def __init__(self):
        super().__init__("StopGradient")

    def __call__(self, value):
        return stop_gradient(value)


@public("ops.Load")
class Load(Primitive):
    """Returns the value of a Parameter: `ops.Load()(variable, monad)`.

    In graph mode, `monad` orders the read relative to writes. Here it has no effect.

    Example:
        >>> print(ms.ops.Load()(ms.Parameter(ms.Tensor([1.0])), ms.ops.UpdateState()))
        [1.]
    """

    def __init__(self):
        super().__init__("Load")

    def __call__(self, variable, monad=None):
        return variable.value()
