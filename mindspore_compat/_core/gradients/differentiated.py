"""The variables of a transform: the positions of inputs, and weights."""

from ..rules.vocabulary import InstanceOf
from ..tensor.tensor import Tensor

_ONE_POSITION = InstanceOf(int)
_POSITION = InstanceOf(int, tuple)


def checked_positions(api, position, weights):
    """Returns `grad_position` as a tuple.

    Raises:
        ValueError: if a position is negative, or `position` and `weights` are both None.
        TypeError: if `position` is neither an int nor a tuple of ints.
    """
    if position is None:
        if weights is None:
            raise ValueError(f"For '{api}', 'grad_position' and 'weights' can not both be None.")
        return ()
    if not isinstance(position, (int, tuple)):
        _POSITION.refuse(api, "grad_position", position)
    positions = position if isinstance(position, tuple) else (position,)
    for index in positions:
        if not isinstance(index, int):
            _ONE_POSITION.refuse_part(api, "each element of 'grad_position'", index)
        if index < 0:
            raise ValueError(f"For '{api}', 'grad_position' must be at least 0, but got {index}.")
    return tuple(map(int, positions))


def listed_weights(weights):
    """Returns a list of the weights, and whether they were given as a single Tensor."""
    if weights is None:
        return [], False
    if isinstance(weights, Tensor):
        return [weights], True
    is_collection = hasattr(weights, "__iter__") and not isinstance(weights, str)
    return list(weights) if is_collection else [weights], False
