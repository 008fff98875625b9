"""Average pooling: the mean of each window.

Adaptive pooling is in _pooling/adaptive.py, the arithmetic in _backend/conv/pooling.py.
"""

from ..._core.declare.inputs import Quirks
from ..._core.declare.op import op
from ..._core.rules.vocabulary import AsValue, Bool, Int, OneOf
from .._conv.sizes import height_and_width, need_rank, padding_of, per_dimension, sided
from .._rules import (
    Float16To64,
    Floats,
    Natural,
    Positive,
    length_first,
    listed,
    listed_sizes,
    several,
    sizes,
)
from .windows import Mode, PadMode, kernel_of_means, need_fit, window_sizes


def average_windows(xp, api, x, kernel, stride, pads, ceil_mode, include, divisor):
    """Computes the mean of each window, after a check of the sizes; ignores a divisor of 0 or
    None."""
    kernel = kernel_of_means(api, x.shape, kernel, stride, pads, ceil_mode)
    return xp.average_pool(x, kernel, stride, pads, ceil_mode, include, divisor or None)


@op(
    "ops.avg_pool1d(input_x, kernel_size=1, stride=1, padding=0, ceil_mode=False, "
    "count_include_pad=True)",
    compute="kernels",
    inline=True,
)
def avg_pool1d(
    xp,
    input_x: Float16To64,
    kernel_size: Positive = 1,
    stride: Positive = 1,
    padding: length_first(Natural, 1, lists=False) = 0,
    ceil_mode: Bool = False,
    count_include_pad: Bool = True,
):
    """Applies 1-D average pooling: the mean of each window of a sequence.

    Shapes:
        `input_x` is (N, C, L). The result is (N, C, L'), of the same dtype.

    Example:
        >>> print(ms.ops.avg_pool1d(ms.Tensor([[[1.0, 2.0, 3.0, 4.0]]]), kernel_size=2, stride=2))
        [[[1.5 3.5]]]
    """
    need_rank("avg_pool1d", "input_x", input_x, 3)
    return average_windows(
        xp,
        "avg_pool1d",
        input_x,
        (kernel_size,),
        (stride,),
        sided(padding, 1),
        ceil_mode,
        count_include_pad,
        None,
    )


@op(
    "ops.avg_pool2d(input_x, kernel_size=1, stride=1, padding=0, ceil_mode=False, "
    "count_include_pad=True, divisor_override=0)",
    compute="kernels",
    inline=True,
)
def avg_pool2d(
    xp,
    input_x: Float16To64,
    kernel_size: length_first(Positive, 2, lists=False) = 1,
    stride: length_first(Positive, 2, lists=False) = 1,
    padding: sizes(Natural, 4) = 0,
    ceil_mode: Bool = False,
    count_include_pad: Bool = True,
    divisor_override: Natural = 0,
):
    """Applies 2-D average pooling: the mean of each window of images. `padding` is one number, or
    four (two for each axis).

    The divisor is the number of elements of the window, including its padding only with
    `count_include_pad`. A `divisor_override` other than 0 replaces it.

    Shapes:
        `input_x` is (N, C, H, W). The result is (N, C, H', W'), of the same dtype.

    Example:
        >>> print(ms.ops.avg_pool2d(ms.Tensor([[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]]]),
        ...                         kernel_size=2))
        [[[[3. 4.]]]]
    """
    need_rank("avg_pool2d", "input_x", input_x, 4)
    return average_windows(
        xp,
        "avg_pool2d",
        input_x,
        per_dimension(kernel_size, 2),
        per_dimension(stride, 2),
        sided(padding, 2),
        ceil_mode,
        count_include_pad,
        divisor_override,
    )


@op(
    "ops.avg_pool3d(input_x, kernel_size=1, stride=1, padding=0, ceil_mode=False, "
    "count_include_pad=True, divisor_override=0)",
    compute="kernels",
    inline=True,
)
def avg_pool3d(
    xp,
    input_x: Float16To64,
    kernel_size: sizes(Positive, 3) = 1,
    stride: sizes(Positive, 3) = 1,
    padding: sizes(Natural, 6) = 0,
    ceil_mode: Bool = False,
    count_include_pad: Bool = True,
    divisor_override: Natural = 0,
):
    """Applies 3-D average pooling: the mean of each window of volumes. `padding` is one number, or
    six (two for each axis).

    The divisor is the number of elements of the window, including its padding only with
    `count_include_pad`. A `divisor_override` other than 0 replaces it.

    Shapes:
        `input_x` is (N, C, D, H, W). The result is (N, C, D', H', W'), of the same dtype.

    Example:
        >>> print(ms.ops.avg_pool3d(ms.ops.ones((1, 1, 2, 2, 3)), kernel_size=2))
        [[[[[1. 1.]]]]]
    """
    need_rank("avg_pool3d", "input_x", input_x, 5)
    return average_windows(
        xp,
        "avg_pool3d",
        input_x,
        per_dimension(kernel_size, 3),
        per_dimension(stride, 3),
        sided(padding, 3),
        ceil_mode,
        count_include_pad,
        divisor_override,
    )


def _average_ext(xp, api, x, kernel, stride, padding, ceil_mode, include, divisor, count):
    """Runs the mint forms: the stride defaults to the kernel size, and the batch axis is
    optional."""
    need_rank(api, "input", x, count + 1, count + 2)
    kernel, stride, pads, _ = window_sizes(
        api, x.shape, kernel, stride, padding, 1, count, ceil_mode
    )
    return average_windows(xp, api, x, kernel, stride, pads, ceil_mode, include, divisor)


@op(
    "mint.nn.functional.avg_pool1d(input, kernel_size, stride=None, padding=0, ceil_mode=False, "
    "count_include_pad=True)",
    compute="kernels",
    inline=True,
)
def avg_pool1d_ext(
    xp,
    input: Floats,
    kernel_size: several(Positive, 1),
    stride: several(Positive, 1) = None,
    padding: AsValue(listed(Natural, 1)) = 0,
    ceil_mode: Bool = False,
    count_include_pad: Bool = True,
):
    """Applies 1-D average pooling: the mean of each window of a sequence. The stride defaults to
    the length of the window.

    Shapes:
        `input` is (N, C, L) or (C, L). The result is (N, C, L') or (C, L'), of the same dtype.

    Example:
        >>> print(ms.mint.nn.functional.avg_pool1d(ms.Tensor([[[1.0, 2.0, 3.0, 4.0]]]), 2))
        [[[1.5 3.5]]]
    """
    return _average_ext(
        xp, "avg_pool1d", input, kernel_size, stride, padding, ceil_mode, count_include_pad, None, 1
    )


@op(
    "mint.nn.functional.avg_pool2d(input, kernel_size, stride=None, padding=0, ceil_mode=False, "
    "count_include_pad=True, divisor_override=None)",
    compute="kernels",
    inline=True,
    quirks=Quirks(shapes_first=True),
)
def avg_pool2d_ext(
    xp,
    input: Floats,
    kernel_size: listed(Positive, 1, 2),
    stride: listed(Positive, 1, 2) = None,
    padding: listed(Natural, 1, 2) = 0,
    ceil_mode: Bool = False,
    count_include_pad: Bool = True,
    divisor_override: Int = None,
):
    """Applies 2-D average pooling: the mean of each window of images. The stride defaults to the
    size of the window.

    Shapes:
        `input` is (N, C, H, W) or (C, H, W). The result is (N, C, H', W') or (C, H', W'), of the
        same dtype.

    Example:
        >>> print(ms.mint.nn.functional.avg_pool2d(ms.Tensor([[[[1.0, 2.0], [3.0, 4.0]]]]), 2))
        [[[[2.5]]]]
    """
    return _average_ext(
        xp,
        "avg_pool2d",
        input,
        kernel_size,
        stride,
        padding,
        ceil_mode,
        count_include_pad,
        divisor_override,
        2,
    )


@op(
    "mint.nn.functional.avg_pool3d(input, kernel_size, stride=None, padding=0, ceil_mode=False, "
    "count_include_pad=True, divisor_override=None)",
    compute="kernels",
    inline=True,
    quirks=Quirks(shapes_first=True),
)
def avg_pool3d_ext(
    xp,
    input: Floats,
    kernel_size: listed(Positive, 1, 3),
    stride: listed(Positive, 1, 3) = None,
    padding: listed(Natural, 1, 3) = 0,
    ceil_mode: Bool = False,
    count_include_pad: Bool = True,
    divisor_override: Int = None,
):
    """Applies 3-D average pooling: the mean of each window of volumes. The stride defaults to the
    size of the window.

    Shapes:
        `input` is (N, C, D, H, W) or (C, D, H, W). The result is (N, C, D', H', W') or (C, D', H',
        W'), of the same dtype.

    Example:
        >>> print(ms.mint.nn.functional.avg_pool3d(ms.ops.ones((1, 1, 2, 2, 4)), 2))
        [[[[[1. 1.]]]]]
    """
    return _average_ext(
        xp,
        "avg_pool3d",
        input,
        kernel_size,
        stride,
        padding,
        ceil_mode,
        count_include_pad,
        divisor_override,
        3,
    )


@op(
    "ops.AvgPool(kernel_size=1, strides=1, pad_mode='VALID', data_format='NCHW')(x)",
    compute="kernels",
    inline=True,
)
def avg_pool_primitive(
    xp,
    x: Floats,
    kernel_size: several(Positive, 2, 4) = 1,
    strides: several(Positive, 2, 4) = 1,
    pad_mode: Mode = "VALID",
    data_format: OneOf("NCHW", "NHWC") = "NCHW",
):
    """Applies 2-D average pooling to images; the padding of mode "same" is not counted in the
    means.

    Shapes:
        `x` is (N, C, H, W). The result is (N, C, H', W'), of the same dtype.

    Example:
        >>> print(ms.ops.AvgPool(kernel_size=2)(ms.Tensor([[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]]])))
        [[[[3. 4.]]]]
    """
    need_rank("AvgPool", "x", x, 4)
    x = xp.moveaxis(x, -1, 1) if data_format == "NHWC" else x
    kernel, stride = height_and_width(kernel_size), height_and_width(strides)
    pads = padding_of("AvgPool", pad_mode, 0, tuple(x.shape[2:]), kernel, stride, (1, 1))
    need_fit("AvgPool", x, kernel, pads, (1, 1))
    out = xp.average_pool(x, kernel, stride, pads, False, False, None)
    return xp.moveaxis(out, 1, -1) if data_format == "NHWC" else out


@op(
    "ops.AvgPool3D(kernel_size=1, strides=1, pad_mode='valid', pad=0, ceil_mode=False, "
    "count_include_pad=True, divisor_override=0, data_format='NCDHW')(x)",
    compute="kernels",
    inline=True,
)
def avg_pool3d_primitive(
    xp,
    x: Float16To64,
    kernel_size: sizes(Positive, 3) = 1,
    strides: sizes(Positive, 3) = 1,
    pad_mode: PadMode = "valid",
    pad: listed_sizes(Natural, 6) = 0,
    ceil_mode: Bool = False,
    count_include_pad: Bool = True,
    divisor_override: Natural = 0,
    data_format: AsValue(OneOf("NCDHW")) = "NCDHW",
):
    """Applies 3-D average pooling to volumes; `pad` is used only with `pad_mode` "pad".

    Shapes:
        `x` is (N, C, D, H, W). The result is (N, C, D', H', W'), of the same dtype.

    Example:
        >>> print(ms.ops.AvgPool3D(kernel_size=2)(ms.ops.ones((1, 1, 2, 2, 3))))
        [[[[[1. 1.]]]]]
    """
    need_rank("AvgPool3D", "x", x, 5)
    kernel, stride = per_dimension(kernel_size, 3), per_dimension(strides, 3)
    pads = padding_of("AvgPool3D", pad_mode, pad, tuple(x.shape[2:]), kernel, stride, (1, 1, 1))
    return average_windows(
        xp, "AvgPool3D", x, kernel, stride, pads, ceil_mode, count_include_pad, divisor_override
    )
