"""Checks shared by the pools with windows of one size."""

from ..._core.rules.vocabulary import OneOf

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
    size = x.shape[x.ndim - len(kernel) :]
    if any(n + sum(p) < d * (k - 1) + 1 for n, p, k, d in zip(size, pads, kernel, dilation)):
        raise ValueError(
            f"For '{api}', the window {kernel} must fit into the padded input, but got shape "
            f"{tuple(x.shape)} and padding {pads}."
        )
