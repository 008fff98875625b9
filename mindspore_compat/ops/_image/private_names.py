"""Arguments of `interpolate` by the private names that scripts import from
`ops.function.nn_func`."""


def _interploate_ext_make_tuple(input, value):
    """Returns a size or factor as a sequence, one number for each axis behind the channels."""
    return value if isinstance(value, (tuple, list)) else (value,) * (input.ndim - 2)


def _interpolate_ext_scale_factor_convert_size(input, scale_factor):
    """Returns the sizes that `input` has after scaling each axis behind the channels, rounded down.

    Args:
        input (Tensor): shape (N, C, ...).
        scale_factor (Union[tuple, list]): a factor for each axis behind the channels.
    """
    return tuple(int(size * factor) for size, factor in zip(input.shape[2:], scale_factor))
