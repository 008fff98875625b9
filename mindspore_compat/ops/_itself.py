"""Calls whose result is their input: the same object, as in the original's PyNative mode."""

from .._core.tensor.tensor import Tensor
from ..common._graph_mode.call import in_graph


def itself(is_unchanged):
    """Returns a condition for `Quirks(itself=...)`, given a function of the arguments of an op.

    Within a graph the condition is false: a graph's results are Tensors of their own, so a write to
    one of them does not change an input.
    """

    def condition(first, *others):
        if in_graph():
            return False
        if not isinstance(first, Tensor) and not _is_one_tensor(first):
            return False
        return is_unchanged(first, *others)

    return condition


def _is_one_tensor(value):
    return isinstance(value, (list, tuple)) and len(value) == 1 and isinstance(value[0], Tensor)
