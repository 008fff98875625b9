"""Checks shared by the pools with windows of one size."""

from ..._core.rules.vocabulary import OneOf
from .._conv.sizes import cached, per_dimension, sided

Mode = OneOf("valid", "same", "VALID", "SAME", "Valid", "Same")
PadMode = OneOf("valid", "same", "pad", "VALID", "SAME", "PAD", "Valid", "Same", "Pad")


def need_small(api, pads, kernel):
    """Rejects padding whose two sides together exceed the kernel."""
    if any(before + after > k for (before, after), k in zip(pads, kernel)):
        raise ValueError(
            f"For '{api}', the padding of a dimension must not exceed the kernel, but got {pads} "
            f"and {kernel}."
        )


def need_half(api, padding, kernel):
    """Rejects padding of more than half a window."""
    if any(2 * p > k for p, k in zip(padding, kernel)):
        raise ValueError(
            f"For '{api}', 'padding' must be at most half of 'kernel_size', but got {padding} and "
            f"{kernel}."
        )


def need_fit(api, x, kernel, pads, dilation):
    """Rejects a window larger than the padded input."""
    _need_fit(api, x.shape, kernel, pads, dilation)


@cached
def _need_fit(api, shape, kernel, pads, dilation):
    size = shape[len(shape) - len(kernel) :]
    if any(n + sum(p) < d * (k - 1) + 1 for n, p, k, d in zip(size, pads, kernel, dilation)):
        raise ValueError(
            f"For '{api}', the window {kernel} must fit into the padded input, but got shape "
            f"{tuple(shape)} and padding {pads}."
        )


@cached
def need_means(api, shape, kernel, pads):
    """Rejects padding that exceeds the kernel, and a window larger than the padded input."""
    need_small(api, pads, kernel)
    _need_fit(api, shape, kernel, pads, (1,) * len(kernel))


@cached
def window_sizes(api, shape, kernel, stride, padding, dilation, count):
    """Returns kernel, stride, (before, after) padding and dilation for each of `count` dimensions,
    given numbers or sequences; the stride may be None. Rejects padding of more than half a window,
    and a window larger than the padded input."""
    kernel, padding = per_dimension(kernel, count), per_dimension(padding, count)
    dilation = per_dimension(dilation, count)
    stride = kernel if stride is None else per_dimension(stride, count)
    need_half(api, padding, kernel)
    pads = sided(padding, count)
    _need_fit(api, shape, kernel, pads, dilation)
    return kernel, stride, pads, dilation
