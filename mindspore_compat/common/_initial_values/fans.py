"""Fan-in, fan-out and the gain of a nonlinearity, which scale the initial weights."""

import math


def _calculate_fan_in_and_fan_out(shape):
    """Returns fan-in and fan-out of a weight of this shape."""
    if len(shape) < 2:
        raise ValueError(
            f"'fan_in' and 'fan_out' need a tensor of at least 2 dimensions, but got {len(shape)}."
        )
    window = math.prod(shape[2:])
    return shape[1] * window, shape[0] * window


def _calculate_in_and_out(arr):
    """Returns fan-in and fan-out of the weight `arr`."""
    return _calculate_fan_in_and_fan_out(arr.shape)


def _calculate_correct_fan(shape, mode):
    """Returns the fan that `mode` ('fan_in' or 'fan_out', upper or lower case) selects."""
    modes = ("fan_in", "fan_out")
    if not isinstance(mode, str):
        raise TypeError(f"'mode' must be a str, but got {mode!r}.")
    if mode.lower() not in modes:
        raise ValueError(f"'mode' must be one of {modes}, but got {mode!r}.")
    return _calculate_fan_in_and_fan_out(shape)[modes.index(mode.lower())]


_GAINS = {
    "linear": 1,
    "conv1d": 1,
    "conv2d": 1,
    "conv3d": 1,
    "conv1d_transpose": 1,
    "conv2d_transpose": 1,
    "conv3d_transpose": 1,
    "sigmoid": 1,
    "tanh": 5 / 3,
    "relu": math.sqrt(2),
}


def _calculate_gain(nonlinearity, param=None):
    """Returns the recommended gain for a nonlinearity; `param` is the negative slope of
    'leaky_relu'."""
    if nonlinearity != "leaky_relu":
        if nonlinearity not in _GAINS:
            raise ValueError(
                f"'nonlinearity' must be one of {[*_GAINS, 'leaky_relu']}, "
                f"but got {nonlinearity!r}."
            )
        return _GAINS[nonlinearity]
    negative_slope = 0.01 if param is None else param
    if isinstance(negative_slope, bool) or not isinstance(negative_slope, (int, float)):
        raise ValueError(f"'negative_slope' must be an int or a float, but got {negative_slope!r}.")
    return math.sqrt(2 / (1 + negative_slope**2))
