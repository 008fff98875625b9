"""Max-pooling for tests: the maxima and their positions in one call."""

from mindspore_compat._backend.conv import pooling


def maximum_with_index(xp, x, *window):
    """Returns the largest value of each window, and its position.

    Args:
        xp, x: the space and an array of it.
        window: kernel, stride, pads, dilation and, optionally, ceil_mode.
    """
    largest = pooling.maximum(xp, x, *window)
    return largest, pooling.index_of_maximum(xp, x, largest, *window[:4])
