"""Stacks tuples and lists of Tensors with gradients, for operators that accept them as a Tensor."""

from ..rules.vocabulary import ListOf, TensorOf, TupleOf, any_dtype
from ..tensor.tensor import Tensor, as_array
from .op import Op, op


@op(compute="native")
def stacked(xp, parts: TupleOf(TensorOf(any_dtype)) | ListOf(TensorOf(any_dtype))):
    """Stacks Tensors along a new first axis, and returns one Tensor."""
    return xp.stack(list(parts), 0)


def carries_gradient(value):
    """Returns whether nested tuples and lists contain a recorded Tensor."""
    if isinstance(value, (tuple, list)):
        return any(map(carries_gradient, value))
    return isinstance(value, Tensor) and value._node is not None


def as_tensor(value):
    """Converts nested tuples, lists, numbers and Tensors to one Tensor; gradients pass through."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, (tuple, list)):
        return stacked.run(tuple(map(as_tensor, value)))
    return Tensor._wrap(as_array(value))


def _with_gradient(value):
    """Converts a tuple or list to a Tensor if a Tensor in it carries a gradient."""
    return as_tensor(value) if carries_gradient(value) else value


Op._with_gradient = staticmethod(_with_gradient)
