"""mindspore.common.seed: the global seed, and the seeds of operations, which are pairs of numbers.

`mindspore.common` imports this file before its function `seed`, so that the name refers to it.
"""

from .._core.context.config import get_seed, on_seed, set_seed
from .._core.rules.vocabulary import Int

__all__ = ["get_seed", "set_seed"]

_LARGEST = 2**31 - 1
_STEP = 533697028  # distance between successive seeds of one operation, as observed
_OF_ZERO = 87654321  # replaces the seed 0, because zeros mean no seed
_calls = {}  # (seed, operation) -> number of requests since the seed was set

on_seed(lambda seed: _calls.clear())


def _get_graph_seed(op_seed, kernel_name):
    """Returns the two seeds of an operation: the global one, and its own, which changes with each
    call.

    Args:
        op_seed (int): the seed of the operation; None and 0 for none.
        kernel_name (str): the name of the operation. Each name has its own counter.

    Returns:
        tuple[int]: both at most 2**31 - 1; (0, 0) if neither is set.

    Raises:
        TypeError: if `op_seed` is not an int.
        ValueError: if it is negative.
    """
    seed = get_seed()
    seed = 0 if seed is None else seed or _OF_ZERO
    op_seed = 0 if op_seed is None else op_seed
    if seed == 0 and op_seed == 0:
        return 0, 0
    Int.refuse(kernel_name, "seed", op_seed)
    if op_seed < 0:
        raise ValueError(f"For '{kernel_name}', 'seed' must not be negative, but got {op_seed}.")
    count = _calls[op_seed, kernel_name] = _calls.get((op_seed, kernel_name), -1) + 1
    return seed % _LARGEST, (op_seed + count * _STEP) % _LARGEST
