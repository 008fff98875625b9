"""Pooling over windows: largest values, means, p-norms; undoing a pooling.

Parts whose number is given are in _pooling/adaptive.py, windows of varying steps in
_pooling/fractional.py, convolution in _conv/conv.py, the arithmetic in _backend/pool.py. Everything
here is a composition of the functions of _conv/im2col.py.
"""

import math

from ..._core.declare.inputs import Quirks
from ..._core.declare.op import op
from ..._core.rules.vocabulary import Any, AsValue, Bool, DType, Int, Number, OneOf, TupleOf
from ..._core.tensor.dtype import int64
from .._conv.conv import listed, several
from .._conv.im2col import each, need_rank, padding_of, sided
from .._rules import Floats, Index, Reals, RealsOrBools

Positive, Natural = Int(ge=1), Int(ge=0)
Mode = OneOf("valid", "same", "VALID", "SAME", "Valid", "Same")
PadMode = OneOf("valid", "same", "pad", "VALID", "SAME", "PAD", "Valid", "Same", "Pad")


def _need_small(api, pads, kernel):
    """Refuses padding that a window could lie in altogether."""
    if any(before + after > k for (before, after), k in zip(pads, kernel)):
        raise ValueError(
            f"For '{api}', the padding of a dimension must not exceed the kernel, but got {pads} "
            f"and {kernel}."
        )


def _need_half(api, padding, kernel):
    """Refuses padding of more than half a window."""
    if any(2 * p > k for p, k in zip(padding, kernel)):
        raise ValueError(
            f"For '{api}', 'padding' must be at most half of 'kernel_size', but got {padding} and "
            f"{kernel}."
        )


def _need_fit(api, x, kernel, pads, dilation):
    """Refuses a window larger than the padded input."""
    size = x.shape[x.ndim - len(kernel) :]
    if any(n + sum(p) < d * (k - 1) + 1 for n, p, k, d in zip(size, pads, kernel, dilation)):
        raise ValueError(
            f"For '{api}', the window {kernel} must fit into the padded input, but got shape "
            f"{tuple(x.shape)} and padding {pads}."
        )


# Means --------------------------------------------------------------------------------------------


def average_windows(xp, api, x, kernel, stride, pads, ceil_mode, include, divisor):
    """The means of windows, after a look at the sizes; a divisor of 0 or None is none."""
    _need_small(api, pads, kernel)
    _need_fit(api, x, kernel, pads, (1,) * len(kernel))
    return xp.average_pool(x, kernel, stride, pads, ceil_mode, include, divisor or None)


@op(
    "ops.avg_pool1d(input_x, kernel_size=1, stride=1, padding=0, ceil_mode=False, "
    "count_include_pad=True)"
)
def avg_pool1d(
    xp,
    input_x: Floats,
    kernel_size: Positive = 1,
    stride: Positive = 1,
    padding: several(Natural, 1) = 0,
    ceil_mode: Bool = False,
    count_include_pad: Bool = True,
):
    """Computes means of windows of a sequence.

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
    "count_include_pad=True, divisor_override=0)"
)
def avg_pool2d(
    xp,
    input_x: Floats,
    kernel_size: several(Positive, 2) = 1,
    stride: several(Positive, 2) = 1,
    padding: several(Natural, 4) = 0,
    ceil_mode: Bool = False,
    count_include_pad: Bool = True,
    divisor_override: Natural = 0,
):
    """Computes means of windows of images. `padding` is one number, or four (two for each axis).

    The divisor is the size of the window, without its padding unless `count_include_pad`, or
    `divisor_override` where that is not 0.

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
        each(kernel_size, 2),
        each(stride, 2),
        sided(padding, 2),
        ceil_mode,
        count_include_pad,
        divisor_override,
    )


@op(
    "ops.avg_pool3d(input_x, kernel_size=1, stride=1, padding=0, ceil_mode=False, "
    "count_include_pad=True, divisor_override=0)"
)
def avg_pool3d(
    xp,
    input_x: Floats,
    kernel_size: several(Positive, 3) = 1,
    stride: several(Positive, 3) = 1,
    padding: several(Natural, 6) = 0,
    ceil_mode: Bool = False,
    count_include_pad: Bool = True,
    divisor_override: Natural = 0,
):
    """Computes means of windows of volumes. `padding` is one number, or six (two for each axis).

    The divisor is the size of the window, without its padding unless `count_include_pad`, or
    `divisor_override` where that is not 0.

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
        each(kernel_size, 3),
        each(stride, 3),
        sided(padding, 3),
        ceil_mode,
        count_include_pad,
        divisor_override,
    )


def _average_ext(xp, api, x, kernel, stride, padding, ceil_mode, include, divisor, count):
    """The form of mint: the stride is the kernel unless given, the batch may be missing."""
    need_rank(api, "input", x, count + 1, count + 2)
    kernel, padding = each(kernel, count), each(padding, count)
    stride = kernel if stride is None else each(stride, count)
    _need_half(api, padding, kernel)
    return average_windows(
        xp, api, x, kernel, stride, sided(padding, count), ceil_mode, include, divisor
    )


@op(
    "mint.nn.functional.avg_pool1d(input, kernel_size, stride=None, padding=0, ceil_mode=False, "
    "count_include_pad=True)"
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
    """Computes means of windows of a sequence; the stride is the length of the window unless given.

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
    "count_include_pad=True, divisor_override=None)"
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
    """Computes means of windows of images; the stride is the size of the window unless given.

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
    "count_include_pad=True, divisor_override=None)"
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
    """Computes means of windows of volumes; the stride is the size of the window unless given.

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


def _image(value):
    """Height and width of a size given as a number, two, or four of which the last two count."""
    return each(value, 2)[-2:]


@op("ops.AvgPool(kernel_size=1, strides=1, pad_mode='VALID', data_format='NCHW')(x)")
def avg_pool_primitive(
    xp,
    x: Floats,
    kernel_size: several(Positive, 2, 4) = 1,
    strides: several(Positive, 2, 4) = 1,
    pad_mode: Mode = "VALID",
    data_format: OneOf("NCHW", "NHWC") = "NCHW",
):
    """Computes means of windows of images; padding, which "same" brings, does not count.

    Shapes:
        `x` is (N, C, H, W). The result is (N, C, H', W'), of the same dtype.

    Example:
        >>> print(ms.ops.AvgPool(kernel_size=2)(ms.Tensor([[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]]])))
        [[[[3. 4.]]]]
    """
    need_rank("AvgPool", "x", x, 4)
    x = xp.moveaxis(x, -1, 1) if data_format == "NHWC" else x
    kernel, stride = _image(kernel_size), _image(strides)
    pads = padding_of("AvgPool", pad_mode, 0, tuple(x.shape[2:]), kernel, stride, (1, 1))
    _need_fit("AvgPool", x, kernel, pads, (1, 1))
    out = xp.average_pool(x, kernel, stride, pads, False, False, None)
    return xp.moveaxis(out, 1, -1) if data_format == "NHWC" else out


@op(
    "ops.AvgPool3D(kernel_size=1, strides=1, pad_mode='valid', pad=0, ceil_mode=False, "
    "count_include_pad=True, divisor_override=0, data_format='NCDHW')(x)"
)
def avg_pool3d_primitive(
    xp,
    x: Floats,
    kernel_size: several(Positive, 3) = 1,
    strides: several(Positive, 3) = 1,
    pad_mode: PadMode = "valid",
    pad: listed(Natural, 6) = 0,
    ceil_mode: Bool = False,
    count_include_pad: Bool = True,
    divisor_override: Natural = 0,
    data_format: AsValue(OneOf("NCDHW")) = "NCDHW",
):
    """Computes means of windows of volumes; `pad` counts for `pad_mode` "pad".

    Shapes:
        `x` is (N, C, D, H, W). The result is (N, C, D', H', W'), of the same dtype.

    Example:
        >>> print(ms.ops.AvgPool3D(kernel_size=2)(ms.ops.ones((1, 1, 2, 2, 3))))
        [[[[[1. 1.]]]]]
    """
    need_rank("AvgPool3D", "x", x, 5)
    kernel, stride = each(kernel_size, 3), each(strides, 3)
    pads = padding_of("AvgPool3D", pad_mode, pad, tuple(x.shape[2:]), kernel, stride, (1, 1, 1))
    return average_windows(
        xp, "AvgPool3D", x, kernel, stride, pads, ceil_mode, count_include_pad, divisor_override
    )


# Largest values -----------------------------------------------------------------------------------


@op("ops.MaxPool(kernel_size=1, strides=1, pad_mode='valid', data_format='NCHW')(x)")
def max_pool_primitive(
    xp,
    x: Floats,
    kernel_size: several(Positive, 2, 4) = 1,
    strides: several(Positive, 2, 4) = 1,
    pad_mode: Mode = "valid",
    data_format: AsValue(OneOf("NCHW", "NHWC")) = "NCHW",
):
    """Finds the largest value of each window of images.

    Shapes:
        `x` is (N, C, H, W). The result is (N, C, H', W'), of the same dtype.

    Example:
        >>> print(ms.ops.MaxPool(kernel_size=2)(ms.Tensor([[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]]])))
        [[[[5. 6.]]]]
    """
    need_rank("MaxPool", "x", x, 4)
    x = xp.moveaxis(x, -1, 1) if data_format == "NHWC" else x
    kernel, stride = _image(kernel_size), _image(strides)
    pads = padding_of("MaxPool", pad_mode, 0, tuple(x.shape[2:]), kernel, stride, (1, 1))
    _need_fit("MaxPool", x, kernel, pads, (1, 1))
    out = xp.max_pool(x, kernel, stride, pads, (1, 1))
    return xp.moveaxis(out, 1, -1) if data_format == "NHWC" else out


@op(
    "ops.MaxPool3D(kernel_size=1, strides=1, pad_mode='VALID', pad_list=0, ceil_mode=None, "
    "data_format='NCDHW')(x)"
)
def max_pool3d_primitive(
    xp,
    x: Floats,
    kernel_size: several(Positive, 3) = 1,
    strides: several(Positive, 3) = 1,
    pad_mode: PadMode = "VALID",
    pad_list: several(Natural, 3, 6) = 0,
    ceil_mode: Bool = None,
    data_format: AsValue(OneOf("NCDHW")) = "NCDHW",
):
    """Finds the largest value of each window of volumes; `pad_list` counts for "pad".

    Three numbers of `pad_list` pad both sides of an axis alike, six each side by itself.

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
    kernel, stride, ones = each(kernel_size, 3), each(strides, 3), (1, 1, 1)
    if isinstance(pad_list, tuple) and len(pad_list) == 3:
        pad_list = tuple(side for side in pad_list for _ in range(2))
    pads = padding_of("MaxPool3D", pad_mode, pad_list, tuple(x.shape[2:]), kernel, stride, ones)
    _need_small("MaxPool3D", pads, kernel)
    _need_fit("MaxPool3D", x, kernel, pads, ones)
    return xp.max_pool(x, kernel, stride, pads, ones, bool(ceil_mode))


def largest_windows(xp, api, x, kernel, stride, padding, dilation, ceil_mode, count, index=None):
    """Windows given by one number per dimension; with a dtype for `index` the positions too."""
    kernel, padding, dilation = each(kernel, count), each(padding, count), each(dilation, count)
    stride = kernel if stride is None else each(stride, count)
    _need_half(api, padding, kernel)
    pads = sided(padding, count)
    _need_fit(api, x, kernel, pads, dilation)
    top = xp.max_pool(x, kernel, stride, pads, dilation, ceil_mode)
    if index is None:
        return top
    places = xp.max_pool_index(x, top, kernel, stride, pads, dilation)
    return top, xp.cast(places, index)


@op(
    "ops.max_pool2d(x, kernel_size, stride=None, padding=0, dilation=1, return_indices=False, "
    "ceil_mode=False)"
)
def max_pool2d(
    xp,
    x: Reals,
    kernel_size: several(Positive, 2),
    stride: several(Positive, 2) = None,
    padding: several(Natural, 2) = 0,
    dilation: several(Positive, 2) = 1,
    return_indices: Any = False,
    ceil_mode: Bool = False,
):
    """Finds the largest value of each window of images; the stride is the size of the window unless
    given.

    With `return_indices` int64 positions in H * W follow.

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
    "ceil_mode=False, return_indices=False)"
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
    """Finds the largest value of each window of images, and its position in H * W with
    `return_indices`. The original knows no `dilation` but 1.

    Shapes:
        `input` is (N, C, H, W) or (C, H, W). The result is (N, C, H', W') or (C, H', W'), of the
        same dtype.

    Example:
        >>> print(ms.mint.nn.functional.max_pool2d(ms.Tensor([[[[1.0, 2.0], [3.0, 4.0]]]]), 2))
        [[[[4.]]]]
    """
    need_rank("max_pool2d", "input", input, 3, 4)
    if any(n != 1 for n in each(dilation, 2)):
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
    "return_indices=False)"
)
def max_pool3d(
    xp,
    x: Reals,
    kernel_size: several(Positive, 3),
    stride: several(Positive, 3) = None,
    padding: several(Natural, 3) = 0,
    dilation: several(Positive, 3) = 1,
    ceil_mode: Bool = False,
    return_indices: Any = False,
):
    """Finds the largest value of each window of volumes; the stride is the size of the window
    unless given.

    With `return_indices` int64 positions in D * H * W follow.

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


@op("ops.MaxPoolWithArgmax(kernel_size=1, strides=1, pad_mode='valid', data_format='NCHW')(x)")
def max_pool_with_argmax(
    xp,
    x: Floats,
    kernel_size: several(Positive, 2, 4) = 1,
    strides: several(Positive, 2, 4) = 1,
    pad_mode: Mode = "valid",
    data_format: AsValue(OneOf("NCHW", "NHWC")) = "NCHW",
):
    """Finds the largest value of each window of images, and its position in C * H * W.

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
    kernel, stride = _image(kernel_size), _image(strides)
    pads = padding_of("MaxPoolWithArgmax", pad_mode, 0, tuple(x.shape[2:]), kernel, stride, (1, 1))
    _need_fit("MaxPoolWithArgmax", x, kernel, pads, (1, 1))
    top = xp.max_pool(x, kernel, stride, pads, (1, 1))
    places = xp.max_pool_index(x, top, kernel, stride, pads, (1, 1))
    channel = xp.reshape(xp.arange(x.shape[1]) * (x.shape[2] * x.shape[3]), (-1, 1, 1))
    places = xp.cast(places + channel, "int32")
    return (xp.moveaxis(top, 1, -1), xp.moveaxis(places, 1, -1)) if last else (top, places)


@op(
    "ops.MaxPoolWithArgmaxV2(kernel_size, strides=None, pads=0, dilation=(1, 1), ceil_mode=False, "
    "argmax_type=int64)(x)"
)
def max_pool_with_argmax_v2(
    xp,
    x: Reals,
    kernel_size: several(Positive, 2, 4),
    strides: several(Positive, 2, 4) = None,
    pads: several(Natural, 2, 4) = 0,
    dilation: several(Positive, 2, 4) = (1, 1),
    ceil_mode: Bool = False,
    argmax_type: DType("int32", "int64") = int64,
):
    """Finds the largest value of each window of images, and its position in H * W.

    Shapes:
        `x` is (N, C, H, W). Both results are (N, C, H', W'); the values keep the dtype, the
        positions are of `argmax_type`.

    Example:
        >>> v, i = ms.ops.MaxPoolWithArgmaxV2(2)(ms.Tensor([[[[1.0, 2.0], [3.0, 4.0]]]]))
        >>> print(v, i)
        [[[[4.]]]] [[[[3]]]]
    """
    need_rank("MaxPoolWithArgmaxV2", "x", x, 4)
    stride = None if strides is None else _image(strides)
    return largest_windows(
        xp,
        "MaxPoolWithArgmaxV2",
        x,
        _image(kernel_size),
        stride,
        _image(pads),
        _image(dilation),
        ceil_mode,
        2,
        argmax_type,
    )


@op(
    "ops.MaxPool3DWithArgmax(ksize, strides, pads, dilation=(1, 1, 1), ceil_mode=False, "
    "data_format='NCDHW', argmax_type=int64)(x)"
)
def max_pool3d_with_argmax(
    xp,
    x: Reals,
    ksize: several(Positive, 3),
    strides: several(Positive, 3),
    pads: several(Natural, 3),
    dilation: several(Positive, 3) = (1, 1, 1),
    ceil_mode: Bool = False,
    data_format: OneOf("NCDHW") = "NCDHW",
    argmax_type: DType("int32", "int64") = int64,
):
    """Finds the largest value of each window of volumes, and its position in D * H * W.

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


# p-norms ------------------------------------------------------------------------------------------


def _norms(xp, api, x, power, kernel, stride, ceil_mode, count):
    """(sum of x^p over each window)^(1 / p); an incomplete window is scaled up to a whole one."""
    if power == 0:
        raise ValueError(f"For '{api}', 'norm_type' must not be 0, but got {power!r}.")
    x = xp.cast(x, "float32") if x.dtype.kind in "iub" else x
    kernel = each(kernel, count)
    stride = kernel if stride is None else each(stride, count)
    taps = 1
    for k in kernel:
        taps *= k
    none = ((0, 0),) * count
    means = average_windows(
        xp, api, xp.power(x, float(power)), kernel, stride, none, ceil_mode, True, None
    )
    total = means * taps
    zero = total == 0  # there the slope of the root would be infinite
    return xp.where(zero, 0 * total, xp.power(xp.where(zero, 1, total), 1.0 / power))


@op(
    "ops.lp_pool1d(x, norm_type, kernel_size, stride=None, ceil_mode=False)",
    "nn.LPPool1d(norm_type, kernel_size, stride=None, ceil_mode=False)(x)",
)
def lp_pool1d(
    xp,
    x: RealsOrBools,
    norm_type: Number | Bool,
    kernel_size: Positive,
    stride: Positive = None,
    ceil_mode: Bool = False,
):
    """Computes p-norms of windows of a sequence, p = `norm_type`.

    Shapes:
        `x` is (N, C, L) or (C, L). The result is (N, C, L') or (C, L'), of the same dtype.

    Example:
        >>> print(ms.ops.lp_pool1d(ms.Tensor([[3.0, 4.0, 0.0]]), 2, 2, stride=1))
        [[5. 4.]]
    """
    need_rank("lp_pool1d", "x", x, 2, 3)
    return _norms(xp, "lp_pool1d", x, norm_type, kernel_size, stride, ceil_mode, 1)


@op(
    "ops.lp_pool2d(x, norm_type, kernel_size, stride=None, ceil_mode=False)",
    "nn.LPPool2d(norm_type, kernel_size, stride=None, ceil_mode=False)(x)",
)
def lp_pool2d(
    xp,
    x: RealsOrBools,
    norm_type: Number | Bool,
    kernel_size: several(Positive, 2),
    stride: several(Positive, 2) = None,
    ceil_mode: Bool = False,
):
    """Computes p-norms of windows of images, p = `norm_type`.

    Shapes:
        `x` is (N, C, H, W). The result is (N, C, H', W'), of the same dtype.

    Example:
        >>> print(ms.ops.lp_pool2d(ms.Tensor([[[[3.0, 4.0]]]]), 2, (1, 2)))
        [[[[5.]]]]
    """
    need_rank("lp_pool2d", "x", x, 4)
    return _norms(xp, "lp_pool2d", x, norm_type, kernel_size, stride, ceil_mode, 2)


# Undoing a pooling --------------------------------------------------------------------------------


def _unpool(xp, api, x, places, kernel, stride, padding, output_size, count):
    """`x` at the places where pooling found it, zeros elsewhere."""
    need_rank(api, "x", x, count + 1, count + 2)
    if not isinstance(output_size, (tuple, type(None))):
        raise ValueError(f"For '{api}', 'output_size' must be a tuple, but got {output_size!r}.")
    if tuple(x.shape) != tuple(places.shape):
        raise ValueError(
            f"For '{api}', 'x' and 'indices' must have the same shape, but got "
            f"{tuple(x.shape)} and {tuple(places.shape)}."
        )
    kernel, padding, lead = each(kernel, count), each(padding, count), x.ndim - count
    stride = kernel if stride is None or not any(each(stride, count)) else each(stride, count)
    goal = tuple(
        (n - 1) * s - 2 * p + k for n, s, p, k in zip(x.shape[lead:], stride, padding, kernel)
    )
    if output_size:
        wanted = tuple(output_size)[-count:]
        if len(output_size) not in (count, count + 1, count + 2) or any(
            abs(w - g) >= s for w, g, s in zip(wanted, goal, stride)
        ):
            raise ValueError(
                f"For '{api}', 'output_size' must be within a stride of {goal}, but got "
                f"{output_size!r}."
            )
        goal = wanted
    if min(goal) < 0:
        raise ValueError(f"For '{api}', the output must have a size, but got {goal}.")
    if bool(xp.any((places < 0) | (places >= math.prod(goal)))):
        raise RuntimeError(f"For '{api}', 'indices' must lie in an output of size {goal}.")
    return xp.put_places(x, places, goal)


Shape = TupleOf(Int)


@op(
    "ops.max_unpool1d(x, indices, kernel_size, stride=None, padding=0, output_size=None)",
    compute="native",
    quirks=Quirks(shapes_first=True),
)
def max_unpool1d(
    xp,
    x: Reals,
    indices: Index,
    kernel_size: several(Positive, 1),
    stride: several(Positive, 1) = None,
    padding: several(Natural, 1) = 0,
    output_size: Any = None,
):
    """Restores the input of a max pooling of sequences as far as its output and positions tell; the
    rest is zeros.

    Shapes:
        `x` and `indices` are (N, C, L') or (C, L'). The result is (N, C, L) or (C, L), of the dtype
        of `x`.

    Example:
        >>> print(ms.ops.max_unpool1d(ms.Tensor([[2.0, 4.0]]), ms.Tensor([[1, 3]]), 2))
        [[0. 2. 0. 4.]]
    """
    return _unpool(xp, "max_unpool1d", x, indices, kernel_size, stride, padding, output_size, 1)


@op(
    "ops.max_unpool2d(x, indices, kernel_size, stride=None, padding=0, output_size=None)",
    compute="native",
)
def max_unpool2d(
    xp,
    x: Reals,
    indices: Index,
    kernel_size: several(Positive, 1, 2),
    stride: several(Natural, 1, 2) = None,
    padding: several(Natural, 1, 2) = 0,
    output_size: Any = None,
):
    """Restores the input of a max pooling of images as far as its output and positions tell; the
    rest is zeros.

    Shapes:
        `x` and `indices` are (N, C, H', W') or (C, H', W'). The result is (N, C, H, W) or (C, H,
        W), of the dtype of `x`.

    Example:
        >>> print(ms.ops.max_unpool2d(ms.Tensor([[[[4.0]]]]), ms.Tensor([[[[3]]]]), 2))
        [[[[0. 0.]
           [0. 4.]]]]
    """
    return _unpool(xp, "max_unpool2d", x, indices, kernel_size, stride, padding, output_size, 2)


@op(
    "mint.nn.functional.max_unpool2d(input, indices, kernel_size, stride=None, padding=0, "
    "output_size=None)",
    compute="native",
)
def max_unpool2d_ext(
    xp,
    input: Reals,
    indices: Index,
    kernel_size: several(Positive, 1, 2),
    stride: several(Positive, 1, 2) = None,
    padding: several(Natural, 1, 2) = 0,
    output_size: Any = None,
):
    """Restores the input of a max pooling of images as far as its output and positions tell; the
    rest is zeros.

    Shapes:
        `input` and `indices` are (N, C, H', W') or (C, H', W'). The result is (N, C, H, W) or (C,
        H, W), of the dtype of `input`.

    Example:
        >>> print(ms.mint.nn.functional.max_unpool2d(ms.Tensor([[[[4.0]]]]), ms.Tensor([[[[3]]]]),
        ...         2))
        [[[[0. 0.]
           [0. 4.]]]]
    """
    return _unpool(xp, "max_unpool2d", input, indices, kernel_size, stride, padding, output_size, 2)


@op(
    "ops.max_unpool3d(x, indices, kernel_size, stride=None, padding=0, output_size=None)",
    compute="native",
)
def max_unpool3d(
    xp,
    x: Reals,
    indices: Index,
    kernel_size: several(Positive, 3),
    stride: several(Natural, 3) = None,
    padding: several(Natural, 3) = 0,
    output_size: Any = None,
):
    """Restores the input of a max pooling of volumes as far as its output and positions tell; the
    rest is zeros.

    Shapes:
        `x` and `indices` are (N, C, D', H', W') or (C, D', H', W'). The result is (N, C, D, H, W)
        or (C, D, H, W), of the dtype of `x`.

    Example:
        >>> print(ms.ops.max_unpool3d(ms.Tensor([[[[[4.0]]]]]), ms.Tensor([[[[[3]]]]]), 2).shape)
        (1, 1, 2, 2, 2)
    """
    return _unpool(xp, "max_unpool3d", x, indices, kernel_size, stride, padding, output_size, 3)


def _channels_last(api, given, first, last):
    """Whether a data format has the channels last."""
    if given not in (first, last):
        raise ValueError(
            f"For '{api}', 'data_format' must be '{first}' or '{last}', but got {given!r}."
        )
    return given == last


@op(
    "ops.MaxUnpool2D(ksize, strides=0, pads=0, output_shape=(), data_format='NCHW')(x, argmax)",
    compute="native",
)
def max_unpool2d_primitive(
    xp,
    x: Reals,
    argmax: Index,
    ksize: several(Positive, 2, 4),
    strides: several(Natural, 2, 4) = 0,
    pads: several(Natural, 2, 4) = 0,
    output_shape: Shape = (),
    data_format: AsValue(OneOf("NCHW", "NHWC")) = "NCHW",
):
    """Restores the input of a max pooling of images as far as its output and positions tell; the
    rest is zeros.

    Shapes:
        `x` and `argmax` are (N, C, H', W'). The result is (N, C, H, W), of the dtype of `x`.

    Example:
        >>> print(ms.ops.MaxUnpool2D(2)(ms.Tensor([[[[4.0]]]]), ms.Tensor([[[[3]]]])))
        [[[[0. 0.]
           [0. 4.]]]]
    """
    last = _channels_last("MaxUnpool2D", data_format, "NCHW", "NHWC")
    if last:
        x, argmax = xp.moveaxis(x, -1, 1), xp.moveaxis(argmax, -1, 1)
        output_shape = output_shape and (output_shape[0], output_shape[3], *output_shape[1:3])
    out = _unpool(
        xp, "MaxUnpool2D", x, argmax, _image(ksize), _image(strides), _image(pads), output_shape, 2
    )
    return xp.moveaxis(out, 1, -1) if last else out


@op(
    "ops.MaxUnpool3D(ksize, strides=0, pads=0, output_shape=(), data_format='NCDHW')(x, argmax)",
    compute="native",
)
def max_unpool3d_primitive(
    xp,
    x: Reals,
    argmax: Index,
    ksize: several(Positive, 3),
    strides: several(Natural, 3) = 0,
    pads: several(Natural, 3) = 0,
    output_shape: Shape = (),
    data_format: AsValue(OneOf("NCDHW", "NDHWC")) = "NCDHW",
):
    """Restores the input of a max pooling of volumes as far as its output and positions tell; the
    rest is zeros.

    Shapes:
        `x` and `argmax` are (N, C, D', H', W'). The result is (N, C, D, H, W), of the dtype of `x`.

    Example:
        >>> print(ms.ops.MaxUnpool3D(2)(ms.Tensor([[[[[4.0]]]]]), ms.Tensor([[[[[3]]]]])).shape)
        (1, 1, 2, 2, 2)
    """
    last = _channels_last("MaxUnpool3D", data_format, "NCDHW", "NDHWC")
    if last:
        x, argmax = xp.moveaxis(x, -1, 1), xp.moveaxis(argmax, -1, 1)
        output_shape = output_shape and (output_shape[0], output_shape[4], *output_shape[1:4])
    out = _unpool(xp, "MaxUnpool3D", x, argmax, ksize, strides, pads, output_shape, 3)
    return xp.moveaxis(out, 1, -1) if last else out
