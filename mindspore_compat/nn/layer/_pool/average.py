"""Average pooling layers.

The arithmetic is in `ops/_pooling/average_pool.py`; this file computes the padding of each mode.
"""

from ...._core.declare.op import op
from ...._core.declare.public_api import public
from ...._core.rules.value_rules import Truth
from ...._core.rules.vocabulary import Any, Bool, Int, Number, Str
from ....ops._conv.sizes import need_rank, padding_of, per_dimension
from ....ops._pooling.average_pool import average_windows
from ..._parts import need_floats
from .base import Real, _need_nchw, _Pool

Divisor = Int(ge=1)
_Positive = Number(gt=0)


@op(compute="kernels", inline=True)
def pool_means(
    xp,
    x: Real,
    kernel: Any,
    stride: Any,
    mode: Str,
    padding: Any,
    ceil_mode: Bool,
    include: Bool,
    divisor: Any,
):
    """Computes the mean of each window of `x`; the batch axis may be missing."""
    count = len(kernel)
    need_rank(f"AvgPool{count}d", "x", x, count + 1, count + 2)
    planes = xp.expand_dims(x, 0) if x.ndim == count + 1 else x
    pads = padding_of(
        f"AvgPool{count}d", mode, padding, planes.shape[2:], kernel, stride, (1,) * count
    )
    out = average_windows(
        xp, f"AvgPool{count}d", planes, kernel, stride, pads, ceil_mode, include, divisor
    )
    return out if x.ndim == count + 2 else xp.squeeze(out, 0)


class _AvgPool(_Pool):
    """Base class of the average pooling layers."""

    def _set_up_means(
        self, kernel_size, stride, pad_mode, padding, ceil_mode, count_include_pad, divisor_override
    ):
        self._set_up(kernel_size, stride, pad_mode, padding)
        name = type(self).__name__
        if divisor_override is not None:
            if isinstance(divisor_override, float) and divisor_override <= 0:
                _Positive.refuse(name, "divisor_override", divisor_override)
            Divisor.refuse(name, "divisor_override", divisor_override)
        if self._count < 3:
            Truth.refuse(name, "ceil_mode", ceil_mode)
            Truth.refuse(name, "count_include_pad", count_include_pad)
            if divisor_override is None and count_include_pad and not ceil_mode:
                ceil_mode, count_include_pad = False, True  # MindSpore reads no more of them
        Bool.refuse(name, "ceil_mode", ceil_mode)
        Bool.refuse(name, "count_include_pad", count_include_pad)
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override

    def _counts_padding(self):
        """Returns True if the divisor counts the padding. In mode "same" with the default
        `ceil_mode`, `count_include_pad` and `divisor_override`, it never does."""
        plain = not self.ceil_mode and self.count_include_pad and self.divisor_override is None
        return False if self.pad_mode == "SAME" and plain else self.count_include_pad

    def construct(self, x):
        """Returns the mean of each window of `x`."""
        need_floats(type(self).__name__, "x", x)
        return pool_means.run(
            x,
            self._kernel,
            self._stride,
            self.pad_mode,
            self._padding,
            self.ceil_mode,
            self._counts_padding(),
            self.divisor_override,
        )


@public("nn.AvgPool1d")
class AvgPool1d(_AvgPool):
    """1-D average pooling of a sequence (N, C, L) or (C, L).

    Args:
        kernel_size (int): the length of a window.
        stride (int): the step from window to window.
        pad_mode (str): "valid" for no padding, "same" for ceil(length / stride) windows, "pad" for
            `padding`; upper or lower case.
        padding (Union[int, tuple[int], list[int]]): zeros at either end.
        ceil_mode (bool): whether to keep an incomplete last window.
        count_include_pad (bool): whether the divisor counts padding.

    Inputs:
        - **x** (Tensor): floats of shape (N, C, L) or (C, L).

    Outputs:
        Tensor of shape (N, C, L') or (C, L'), with the dtype of `x`: the means.

    Raises:
        TypeError: if a size is not an int, or a flag not a bool.
        ValueError: if a size is out of range, or `padding` is given with another mode than "pad".

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.AvgPool1d(2, 2)(ms.Tensor([[[1.0, 2.0, 3.0, 4.0]]])))
        [[[1.5 3.5]]]
    """

    _count = 1

    def __init__(
        self,
        kernel_size=1,
        stride=1,
        pad_mode="valid",
        padding=0,
        ceil_mode=False,
        count_include_pad=True,
    ):
        super().__init__()
        self._set_up_means(
            kernel_size, stride, pad_mode, padding, ceil_mode, count_include_pad, None
        )

    def _attribute_value(self, name, value):
        if name == "padding":
            return value
        sizes = per_dimension(value, 1)
        return sizes[0] if self.pad_mode == "PAD" else (1, *sizes)


@public("nn.AvgPool2d")
class AvgPool2d(_AvgPool):
    """2-D average pooling of images (N, C, H, W) or (C, H, W).

    Args:
        kernel_size (Union[int, tuple[int]]): height and width of a window.
        stride (Union[int, tuple[int]]): the step from window to window.
        pad_mode (str): "valid" for no padding, "same" for ceil(size / stride) windows, "pad" for
            `padding`; upper or lower case.
        padding (Union[int, tuple[int], list[int]]): zeros at the edges.
        ceil_mode (bool): whether to keep incomplete last windows.
        count_include_pad (bool): whether the divisor counts padding.
        divisor_override (int): the divisor, in place of the window's size.
        data_format (str): "NCHW", or on a GPU "NHWC".

    Inputs:
        - **x** (Tensor): floats of shape (N, C, H, W) or (C, H, W).

    Outputs:
        Tensor of shape (N, C, H', W') or (C, H', W'), with the dtype of `x`: the means.

    Raises:
        TypeError: if a size is neither an int nor a tuple of ints, or a flag not a bool.
        ValueError: if a size is out of range, or `padding` is given with another mode than "pad".

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.AvgPool2d(2)(ms.Tensor([[[[1.0, 2.0], [3.0, 4.0]]]])))
        [[[[2.5]]]]
    """

    _count = 2

    def __init__(
        self,
        kernel_size=1,
        stride=1,
        pad_mode="valid",
        padding=0,
        ceil_mode=False,
        count_include_pad=True,
        divisor_override=None,
        data_format="NCHW",
    ):
        super().__init__()
        self._set_up_means(
            kernel_size, stride, pad_mode, padding, ceil_mode, count_include_pad, divisor_override
        )
        _need_nchw("AvgPool2d", data_format)
        self.format = data_format

    def construct(self, x):
        """Returns the mean of each window of `x`."""
        if self.format == "NCHW":
            return super().construct(x)
        return super().construct(x.moveaxis(-1, 1)).moveaxis(1, -1)


@public("nn.AvgPool3d")
class AvgPool3d(_AvgPool):
    """3-D average pooling of volumes (N, C, D, H, W) or (C, D, H, W).

    It takes the arguments of AvgPool2d, with three numbers per size and without `data_format`.

    Inputs:
        - **x** (Tensor): floats of shape (N, C, D, H, W) or (C, D, H, W).

    Outputs:
        Tensor of shape (N, C, D', H', W') or (C, D', H', W'), with the dtype of `x`: the means.

    Raises:
        TypeError: if a size is neither an int nor a tuple of ints, or a flag not a bool.
        ValueError: if a size is out of range, or `padding` is given with another mode than "pad".

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.AvgPool3d(2)(ms.ops.ones((1, 1, 2, 2, 2))).shape)
        (1, 1, 1, 1, 1)
    """

    _count = 3

    def __init__(
        self,
        kernel_size=1,
        stride=1,
        pad_mode="valid",
        padding=0,
        ceil_mode=False,
        count_include_pad=True,
        divisor_override=None,
    ):
        super().__init__()
        self._set_up_means(
            kernel_size, stride, pad_mode, padding, ceil_mode, count_include_pad, divisor_override
        )

    def _counts_padding(self):
        return self.count_include_pad
