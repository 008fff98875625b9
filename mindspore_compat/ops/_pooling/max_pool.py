"""Max pooling: the maximum of each window, and its position.

Fractional pooling is in _pooling/fractional.py, adaptive pooling in _pooling/adaptive.py, the
arithmetic in _backend/conv/pooling.py.
"""

from ..._core.declare.inputs import Quirks
from ..._core.declare.op import op
from ..._core.rules.vocabulary import Any, AsValue, Bool, DType, OneOf
from ..._core.tensor.dtype import int64
from .._conv.sizes import height_and_width, need_rank, padding_of, per_dimension
from .._rules import Float16To64, Floats, Natural, Positive, Reals, RealsUpTo64, several, sizes
from .windows import Mode, PadMode, fitting_kernel, need_fit, need_small, window_sizes


@op(
    "ops.MaxPool(kernel_size=1, strides=1, pad_mode='valid', data_format='NCHW')(x)",
    compute="kernels",
    inline=True,
    quirks=Quirks(shapes_first=True),
)
def max_pool_primitive(
    xp,
    x: Floats,
    kernel_size: sizes(Positive, 2, 4) = 1,
    strides: sizes(Positive, 2, 4) = 1,
    pad_mode: Mode = "valid",
    data_format: AsValue(OneOf("NCHW", "NHWC")) = "NCHW",
):
    """Applies 2-D max pooling: the maximum of each window of images.

    Shapes:
        `x` is (N, C, H, W). The result is (N, C, H', W'), of the same dtype.

    Example:
        >>> print(ms.ops.MaxPool(kernel_size=2)(ms.Tensor([[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]]])))
        [[[[5. 6.]]]]
    """
    need_rank("MaxPool", "x", x, 4)
    x = xp.moveaxis(x, -1, 1) if data_format == "NHWC" else x
    kernel, stride = height_and_width(kernel_size), height_and_width(strides)
    pads = padding_of("MaxPool", pad_mode, 0, tuple(x.shape[2:]), kernel, stride, (1, 1))
    need_fit("MaxPool", x, kernel, pads, (1, 1))
    out = xp.max_pool(x, kernel, stride, pads, (1, 1))
    return xp.moveaxis(out, 1, -1) if data_format == "NHWC" else out


@op(
    "ops.MaxPool3D(kernel_size=1, strides=1, pad_mode='VALID', pad_list=0, ceil_mode=None, "
    "data_format='NCDHW')(x)",
    compute="kernels",
    inline=True,
)
def max_pool3d_primitive(
    xp,
    x: Float16To64,
    kernel_size: sizes(Positive, 3) = 1,
    strides: sizes(Positive, 3) = 1,
    pad_mode: PadMode = "VALID",
    pad_list: sizes(Natural, 3, 6) = 0,
    ceil_mode: Bool = None,
    data_format: AsValue(OneOf("NCDHW")) = "NCDHW",
):
    """Applies 3-D max pooling: the maximum of each window of volumes. `pad_list` is used only with
    `pad_mode` "pad".

    Three numbers of `pad_list` pad both sides of each axis equally; six give each side its own
    padding.

    Shapes:
        `x` is (N, C, D, H, W). The result is (N, C, D', H', W'), of the same dtype.

    Example:
        >>> print(ms.ops.MaxPool3D(kernel_size=2)(ms.ops.ones((1, 1, 2, 2, 3))))
        [[[[[1. 1.]]]]]
    """
    need_rank("MaxPool3D", "x", x, 5)
    if pad_mode.lower() != "pad" and ceil_mode is not None:
        raise ValueError(
            f"For 'MaxPool3D', 'ceil_mode' must be None where 'pad_mode' is '{pad_mode}', but got "
            f"{ceil_mode}."
        )
    kernel, stride, ones = per_dimension(kernel_size, 3), per_dimension(strides, 3), (1, 1, 1)
    if isinstance(pad_list, tuple) and len(pad_list) == 3:
        pad_list = tuple(side for side in pad_list for _ in range(2))
    pads = padding_of("MaxPool3D", pad_mode, pad_list, tuple(x.shape[2:]), kernel, stride, ones)
    need_small("MaxPool3D", pads, kernel)
    kernel = fitting_kernel("MaxPool3D", x.shape, kernel, stride, pads, ones, bool(ceil_mode))
    return xp.max_pool(x, kernel, stride, pads, ones, bool(ceil_mode))


def largest_windows(xp, api, x, kernel, stride, padding, dilation, ceil_mode, count, index=None):
    """Computes the maximum of each window, given one number per dimension; with a dtype for `index`
    also the positions."""
    kernel, stride, pads, dilation = window_sizes(
        api, x.shape, kernel, stride, padding, dilation, count, ceil_mode
    )
    top = xp.max_pool(x, kernel, stride, pads, dilation, ceil_mode)
    if index is None:
        return top
    indices = xp.max_pool_index(x, top, kernel, stride, pads, dilation)
    return top, xp.cast(indices, index)


@op(
    "ops.max_pool2d(x, kernel_size, stride=None, padding=0, dilation=1, return_indices=False, "
    "ceil_mode=False)",
    compute="kernels",
    inline=True,
)
def max_pool2d(
    xp,
    x: RealsUpTo64,
    kernel_size: sizes(Positive, 2),
    stride: sizes(Positive, 2) = None,
    padding: sizes(Natural, 2) = 0,
    dilation: sizes(Positive, 2) = 1,
    return_indices: Any = False,
    ceil_mode: Bool = False,
):
    """Applies 2-D max pooling: the maximum of each window of images. The stride defaults to the
    size of the window.

    With `return_indices`, a second result holds int64 positions in H * W.

    Shapes:
        `x` is (N, C, H, W). The result is (N, C, H', W'), of the same dtype.

    Example:
        >>> print(ms.ops.max_pool2d(ms.Tensor([[[[1.0, 2.0], [3.0, 4.0]]]]), kernel_size=2))
        [[[[4.]]]]
    """
    need_rank("max_pool2d", "x", x, 4)
    return largest_windows(
        xp,
        "max_pool2d",
        x,
        kernel_size,
        stride,
        padding,
        dilation,
        ceil_mode,
        2,
        "int64" if return_indices else None,
    )


@op(
    "mint.nn.functional.max_pool2d(input, kernel_size, stride=None, padding=0, dilation=1, "
    "ceil_mode=False, return_indices=False)",
    compute="kernels",
    inline=True,
)
def max_pool2d_ext(
    xp,
    input: Reals,
    kernel_size: several(Positive, 1, 2),
    stride: several(Positive, 1, 2) = None,
    padding: several(Natural, 1, 2) = 0,
    dilation: several(Positive, 1, 2) = 1,
    ceil_mode: Bool = False,
    return_indices: Bool = False,
):
    """Applies 2-D max pooling: the maximum of each window of images; with `return_indices` also its
    position in H * W. As in MindSpore, `dilation` must be 1.

    Shapes:
        `input` is (N, C, H, W) or (C, H, W). The result is (N, C, H', W') or (C, H', W'), of the
        same dtype.

    Example:
        >>> print(ms.mint.nn.functional.max_pool2d(ms.Tensor([[[[1.0, 2.0], [3.0, 4.0]]]]), 2))
        [[[[4.]]]]
    """
    need_rank("max_pool2d", "input", input, 3, 4)
    if dilation != 1 and any(n != 1 for n in per_dimension(dilation, 2)):
        raise ValueError(f"For 'max_pool2d', 'dilation' must be 1, but got {dilation!r}.")
    return largest_windows(
        xp,
        "max_pool2d",
        input,
        kernel_size,
        stride,
        padding,
        dilation,
        ceil_mode,
        2,
        "int64" if return_indices else None,
    )


@op(
    "ops.max_pool3d(x, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, "
    "return_indices=False)",
    compute="kernels",
    inline=True,
)
def max_pool3d(
    xp,
    x: RealsUpTo64,
    kernel_size: sizes(Positive, 3),
    stride: sizes(Positive, 3) = None,
    padding: sizes(Natural, 3) = 0,
    dilation: sizes(Positive, 3) = 1,
    ceil_mode: Bool = False,
    return_indices: Any = False,
):
    """Applies 3-D max pooling: the maximum of each window of volumes. The stride defaults to the
    size of the window.

    With `return_indices`, a second result holds int64 positions in D * H * W.

    Shapes:
        `x` is (N, C, D, H, W). The result is (N, C, D', H', W'), of the same dtype.

    Example:
        >>> print(ms.ops.max_pool3d(ms.ops.ones((1, 1, 2, 2, 4)), kernel_size=2))
        [[[[[1. 1.]]]]]
    """
    need_rank("max_pool3d", "x", x, 5)
    return largest_windows(
        xp,
        "max_pool3d",
        x,
        kernel_size,
        stride,
        padding,
        dilation,
        ceil_mode,
        3,
        "int64" if return_indices else None,
    )


@op(
    "ops.MaxPoolWithArgmax(kernel_size=1, strides=1, pad_mode='valid', data_format='NCHW')(x)",
    compute="kernels",
    inline=True,
)
def max_pool_with_argmax(
    xp,
    x: Floats,
    kernel_size: several(Positive, 2, 4) = 1,
    strides: several(Positive, 2, 4) = 1,
    pad_mode: Mode = "valid",
    data_format: AsValue(OneOf("NCHW", "NHWC")) = "NCHW",
):
    """Applies 2-D max pooling: the maximum of each window of images, and its position in C * H * W.

    Shapes:
        `x` is (N, C, H, W). Both results are (N, C, H', W'); the values keep the dtype, the
        positions are int32.

    Example:
        >>> v, i = ms.ops.MaxPoolWithArgmax(2)(ms.Tensor([[[[1.0, 2.0], [3.0, 4.0]]]]))
        >>> print(v, i)
        [[[[4.]]]] [[[[3]]]]
    """
    need_rank("MaxPoolWithArgmax", "x", x, 4)
    last = data_format == "NHWC"
    x = xp.moveaxis(x, -1, 1) if last else x
    kernel, stride = height_and_width(kernel_size), height_and_width(strides)
    pads = padding_of("MaxPoolWithArgmax", pad_mode, 0, tuple(x.shape[2:]), kernel, stride, (1, 1))
    need_fit("MaxPoolWithArgmax", x, kernel, pads, (1, 1))
    top = xp.max_pool(x, kernel, stride, pads, (1, 1))
    indices = xp.max_pool_index(x, top, kernel, stride, pads, (1, 1))
    channel = xp.reshape(xp.arange(x.shape[1]) * (x.shape[2] * x.shape[3]), (-1, 1, 1))
    indices = xp.cast(indices + channel, "int32")
    return (xp.moveaxis(top, 1, -1), xp.moveaxis(indices, 1, -1)) if last else (top, indices)


@op(
    "ops.MaxPoolWithArgmaxV2(kernel_size, strides=None, pads=0, dilation=(1, 1), ceil_mode=False, "
    "argmax_type=int64)(x)",
    compute="kernels",
    inline=True,
)
def max_pool_with_argmax_v2(
    xp,
    x: RealsUpTo64,
    kernel_size: sizes(Positive, 2, 4),
    strides: sizes(Positive, 2, 4) = None,
    pads: sizes(Natural, 2, 4) = 0,
    dilation: sizes(Positive, 2, 4) = (1, 1),
    ceil_mode: Bool = False,
    argmax_type: DType("int32", "int64") = int64,
):
    """Applies 2-D max pooling: the maximum of each window of images, and its position in H * W.

    Shapes:
        `x` is (N, C, H, W). Both results are (N, C, H', W'); the values keep the dtype, the
        positions are of `argmax_type`.

    Example:
        >>> v, i = ms.ops.MaxPoolWithArgmaxV2(2)(ms.Tensor([[[[1.0, 2.0], [3.0, 4.0]]]]))
        >>> print(v, i)
        [[[[4.]]]] [[[[3]]]]
    """
    need_rank("MaxPoolWithArgmaxV2", "x", x, 4)
    stride = None if strides is None else height_and_width(strides)
    return largest_windows(
        xp,
        "MaxPoolWithArgmaxV2",
        x,
        height_and_width(kernel_size),
        stride,
        height_and_width(pads),
        height_and_width(dilation),
        ceil_mode,
        2,
        argmax_type,
    )


@op(
    "ops.MaxPool3DWithArgmax(ksize, strides, pads, dilation=(1, 1, 1), ceil_mode=False, "
    "data_format='NCDHW', argmax_type=int64)(x)",
    compute="kernels",
    inline=True,
)
def max_pool3d_with_argmax(
    xp,
    x: RealsUpTo64,
    ksize: sizes(Positive, 3),
    strides: sizes(Positive, 3),
    pads: sizes(Natural, 3),
    dilation: sizes(Positive, 3) = (1, 1, 1),
    ceil_mode: Bool = False,
    data_format: OneOf("NCDHW") = "NCDHW",
    argmax_type: DType("int32", "int64") = int64,
):
    """Applies 3-D max pooling: the maximum of each window of volumes, and its position in D * H *
    W.

    Shapes:
        `x` is (N, C, D, H, W). Both results are (N, C, D', H', W'); the values keep the dtype, the
        positions are of `argmax_type`.

    Example:
        >>> v, i = ms.ops.MaxPool3DWithArgmax((1, 1, 2), 1, 0)(ms.Tensor([[[[[1.0, 2.0]]]]]))
        >>> print(v, i)
        [[[[[2.]]]]] [[[[[1]]]]]
    """
    need_rank("MaxPool3DWithArgmax", "x", x, 5)
    return largest_windows(
        xp, "MaxPool3DWithArgmax", x, ksize, strides, pads, dilation, ceil_mode, 3, argmax_type
    )
