"""Earlier meanings of layers, losses and Cells."""

import functools

from .._paths import PACKAGE
from .earlier import instead, with_defaults

drawn_from_normal = with_defaults(weight_init="normal", bias_init="zeros")
unreduced = with_defaults(reduction="none")


@instead
def pool(today, self, kernel_size=1, stride=1, pad_mode="valid", data_format="NCHW"):
    """Takes `data_format` as the fourth argument, and no numbers for the padding."""
    today(self, kernel_size, stride, pad_mode, data_format=data_format)


pool.needs = {"padding"}  # today's name of the argument that was `data_format`


@instead
def transposed_without_output_padding(
    today,
    self,
    in_channels,
    out_channels,
    kernel_size,
    stride=1,
    pad_mode="same",
    padding=0,
    dilation=1,
    group=1,
    has_bias=False,
    weight_init="normal",
    bias_init="zeros",
):
    """Has the dilation after the padding, and the earlier initial weights."""
    sizes = (in_channels, out_channels, kernel_size, stride, pad_mode, padding)
    today(self, *sizes, 0, dilation, group, has_bias, weight_init, bias_init)


def hook_with_name(today):
    """Passes a hook the name of the Cell instead of the Cell.

    Hooks of this package, such as those of mixed precision, receive the Cell.
    """

    @functools.wraps(today)
    def register(self, hook_fn, *args, **kwargs):
        if (getattr(hook_fn, "__module__", None) or "").startswith(f"{PACKAGE}."):
            return today(self, hook_fn, *args, **kwargs)

        @functools.wraps(hook_fn)
        def hook(cell, *values, **named):
            return hook_fn(f"{type(cell).__name__}({id(cell)})", *values, **named)

        return today(self, hook, *args, **kwargs)

    return register
