"""Unknown lengths of the inputs of an exported network: names, and lengths to trace with.

Of the inputs `Tensor(shape=(None, 3), dtype=float32)` and `Tensor(shape=(None, 8), dtype=float32)`,
the axes {0: "batch"} of both are dynamic, and the network is traced with zeros of 2 rows.
"""

import numpy as np

from ..._core.dynamic_shape import Symbol, Unfilled
from ..._core.tensor.dtype import to_numpy
from ..._core.tensor.tensor import Tensor

_LEAST = {0: 2}  # axis -> the length to trace with; a batch may be small
_OTHERWISE = 32  # the length of other axes, which windows of convolutions and pools must fit into


def with_lengths(net, inputs):
    """Returns the inputs with lengths, and the dynamic axes.

    An unknown length belongs to an input, or to the Tensor that `set_inputs` gives for it. Unknown
    lengths of one axis of several inputs are equal, except those of a unique Symbol.

    Args:
        net (Union[Cell, function]): the network.
        inputs (list): its inputs.

    Returns:
        tuple, the inputs, and a dict {axis: name of the length} for each Tensor among them.
    """
    expected = list(getattr(net, "get_inputs", tuple)() or ())
    expected += [None] * (len(inputs) - len(expected))
    symbols, axes = {}, []
    return [_filled(*pair, symbols, axes) for pair in zip(inputs, expected)], axes


def _filled(value, expected, symbols, axes):
    """Returns an input with lengths; appends its dynamic axes to `axes`."""
    if isinstance(value, (tuple, list)):
        inside = expected if isinstance(expected, (tuple, list)) else ()
        inside = [*inside, *[None] * (len(value) - len(inside))]
        return type(value)(_filled(*pair, symbols, axes) for pair in zip(value, inside))
    if not isinstance(value, Tensor):
        return value
    described = value if isinstance(value, Unfilled) else expected
    if (
        not isinstance(described, Unfilled)
        or described is not value
        and value.ndim != described.ndim
    ):
        axes.append({})
        return value
    if described.shape == (-2,):
        raise ValueError("For 'export', the rank of each of the 'inputs' must be known.")
    unknown = {axis: n for axis, n in enumerate(described._known) if described.shape[axis] == -1}
    axes.append({axis: _label(axis, n, symbols) for axis, n in unknown.items()})
    if described is not value:
        return value
    shape = [_length(axis, n) if axis in unknown else n for axis, n in enumerate(value._known)]
    return Tensor(np.zeros(shape, to_numpy(value.dtype)))


def _label(axis, length, symbols):
    """Returns the name of an unknown length."""
    if isinstance(length, Symbol) and length.unique:
        return symbols.setdefault(length, f"length_{len(symbols)}")
    return f"axis_{axis}" if axis else "batch"


def _length(axis, length):
    """Returns the length to trace an unknown length with."""
    least = _LEAST.get(axis, _OTHERWISE)
    if not isinstance(length, Symbol):
        return least
    least = max(least if length.max <= length.min else min(least, length.max), length.min)
    rest = least - length.remainder
    return max(-(-rest // length.divisor), 1) * length.divisor + length.remainder
