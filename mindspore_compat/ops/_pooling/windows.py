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
    fitting_kernel(api, x.shape, kernel, kernel, pads, dilation, False)


@cached
def fitting_kernel(api, shape, kernel, stride, pads, dilation, ceil_mode):
    """Rejects a window larger than the padded input.

    With `ceil_mode` a window counts if it exceeds the input by less than a stride. It is then the
    only one, and its kernel is returned cut to the padded input, so that no space is taken for
    the rest.
    """
    sizes = [n + sum(p) for n, p in zip(shape[len(shape) - len(kernel) :], pads)]
    spans = [d * (k - 1) + 1 for k, d in zip(kernel, dilation)]
    excess = [span - size for span, size in zip(spans, sizes)]
    if any(more >= (s if ceil_mode else 1) for more, s in zip(excess, stride)):
        raise ValueError(
            f"For '{api}', the window {kernel} must fit into the padded input, but got shape "
            f"{tuple(shape)} and padding {pads}."
        )
    return tuple(min(k, size) if d == 1 else k for k, size, d in zip(kernel, sizes, dilation))


@cached
def kernel_of_means(api, shape, kernel, stride, pads, ceil_mode):
    """Rejects padding that exceeds the kernel, and returns `fitting_kernel`."""
    need_small(api, pads, kernel)
    return fitting_kernel(api, shape, kernel, stride, pads, (1,) * len(kernel), ceil_mode)


@cached
def window_sizes(api, shape, kernel, stride, padding, dilation, count, ceil_mode):
    """Returns kernel, stride, (before, after) padding and dilation for each of `count` dimensions,
    given numbers or sequences; the stride may be None. Rejects padding of more than half a window,
    and a window as `fitting_kernel` does."""
    kernel, padding = per_dimension(kernel, count), per_dimension(padding, count)
    dilation = per_dimension(dilation, count)
    stride = kernel if stride is None else per_dimension(stride, count)
    need_half(api, padding, kernel)
    pads = sided(padding, count)
    kernel = fitting_kernel(api, shape, kernel, stride, pads, dilation, ceil_mode)
    return kernel, stride, pads, dilation
