"""Mixed precision by operation, under the names of MindSpore's compiled module.

`push_amp_strategy` starts to cast the inputs of operations by name, `pop_amp_strategy` ends it.
`mindspore.amp.auto_mixed_precision` does the same for a network.
"""

import enum

from .._core.rules.vocabulary import InstanceOf
from .._core.tensor import dtype as dtypes
from ..ops._autocast import WIDEST, Strategy, autocast, cast_everywhere

__all__ = [
    "AmpLevel",
    "AmpStrategy",
    "create_amp_strategy",
    "get_curr_amp_strategy",
    "pop_amp_strategy",
    "push_amp_strategy",
]


class AmpLevel(enum.IntEnum):
    """The levels of mixed precision: how much of a network computes in low precision."""

    AmpO0 = 0
    AmpO1 = 1
    AmpO2 = 2
    AmpO3 = 3
    AmpAuto = 4


AutoPromoteList = [(name, []) for name in WIDEST.split()]
SetDtypeList = []
SetDtypeOptList = []


class AmpStrategy:
    """A level, a dtype, and the Primitives that are listed; see `create_amp_strategy`."""

    def __init__(self, level, dtype, white_list, black_list):
        self._level = level
        self._dtype = dtype
        self._white_list = white_list
        self._black_list = black_list

    def get_amp_level(self):
        """Returns the AmpLevel."""
        return self._level

    def get_amp_dtype(self):
        """Returns the mindspore.dtype of low precision."""
        return self._dtype

    def get_white_list(self):
        """Returns the Primitives that compute in low precision, as a new list of pairs."""
        return list(self._white_list)

    def get_black_list(self):
        """Returns the Primitives that compute in float32, as a new list of pairs."""
        return list(self._black_list)


def create_amp_strategy(amp_level, amp_dtype, white_list, black_list):
    """Creates a strategy of mixed precision.

    Args:
        amp_level (AmpLevel): `AmpO1` casts the inputs of the white list to `amp_dtype`; `AmpAuto`
            also casts those of the black list to float32, and some others to the widest dtype
            among their inputs; `AmpO2` casts the black list to float32 and all others to
            `amp_dtype`; `AmpO3` casts all to `amp_dtype`; `AmpO0` casts none.
        amp_dtype (mindspore.dtype): float16, bfloat16, or another float type.
        white_list (list[tuple[str, list[int]]]): names of Primitives, each with the positions of
            the inputs that are cast; an empty list of positions means all inputs.
        black_list (list[tuple[str, list[int]]]): the same.

    Returns:
        AmpStrategy.

    Raises:
        TypeError: if an argument is of the wrong type.
    """
    InstanceOf(AmpLevel).refuse("create_amp_strategy", "amp_level", amp_level)
    InstanceOf(dtypes.Type).refuse("create_amp_strategy", "amp_dtype", amp_dtype)
    for name, pairs in (("white_list", white_list), ("black_list", black_list)):
        InstanceOf(list).refuse("create_amp_strategy", name, pairs)
        for pair in pairs:
            if not _is_pair(pair):
                raise TypeError(
                    f"For 'create_amp_strategy', '{name}' must hold pairs of a str and a list of "
                    f"int, but got {pair!r}."
                )
    return AmpStrategy(amp_level, amp_dtype, white_list, black_list)


def _is_pair(pair):
    """Returns whether a value is a name with a list of positions."""
    return (
        isinstance(pair, (tuple, list))
        and len(pair) == 2
        and isinstance(pair[0], str)
        and isinstance(pair[1], (tuple, list))
        and all(isinstance(position, int) for position in pair[1])
    )


_pushed = []  # (AmpStrategy, the context that activates it), the innermost last


def push_amp_strategy(amp_level, amp_dtype, white_list, black_list):
    """Activates a new strategy until `pop_amp_strategy`.

    Args:
        amp_level (AmpLevel): see `create_amp_strategy`, as for the other arguments.
        amp_dtype (mindspore.dtype): the dtype of low precision.
        white_list (list[tuple[str, list[int]]]): what computes in low precision.
        black_list (list[tuple[str, list[int]]]): what computes in float32.

    Raises:
        TypeError: if an argument is of the wrong type.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat._c_expression import amp
        >>> x = ms.ops.ones((2, 2))
        >>> amp.push_amp_strategy(amp.AmpLevel.AmpO3, ms.float16, [], [])
        >>> print((x + x).dtype)
        Float16
        >>> amp.pop_amp_strategy()
        >>> print((x + x).dtype)
        Float32
    """
    strategy = create_amp_strategy(amp_level, amp_dtype, white_list, black_list)
    level = amp_level.name.removeprefix("Amp").replace("Auto", "auto")
    if level in ("O2", "O3"):
        cast_everywhere()
    dtype = dtypes.to_numpy(amp_dtype)
    context = autocast(dtype, Strategy(level, dtype, white_list, black_list))
    context.__enter__()
    _pushed.append((strategy, context))


def pop_amp_strategy():
    """Ends the strategy that was pushed last; does nothing without one."""
    if _pushed:
        _pushed.pop()[1].__exit__(None, None, None)


def get_curr_amp_strategy():
    """Returns the active AmpStrategy, or None."""
    return _pushed[-1][0] if _pushed else None
