"""Image patches as channels, and depthwise convolution.

Sliding windows as columns (`unfold`, `Im2Col`) are in unfold.py, other convolutions in conv.py.
"""

from ..._core.declare.inputs import SameDtype
from ..._core.declare.op import op
from ..._core.rules.vocabulary import Any, ListOf, OneOf, Str, TupleOf
from .._rules import Floats, Natural, Numbers, Positive, several
from .sizes import height_and_width, need_kernel_fits, need_rank, padding_of, per_dimension, sided

Sizes = TupleOf(Positive, length=(2, 4)) | ListOf(Positive, length=(2, 4))
Mode = OneOf("same", "valid", "pad")


# Patches ------------------------------------------------------------------------------------------


@op(compute="native")
def patches(xp, x: Numbers, kernel: Any, stride: Any, rate: Any, padding: Str):
    """Returns image patches with their elements on axis 1; there the channel varies fastest."""
    pads, counts = [], []
    for n, k, s, r in zip(x.shape[2:], kernel, stride, rate):
        reach = (k - 1) * r + 1
        count = -(-n // s) if padding == "same" else (n - reach) // s + 1
        missing = max((count - 1) * s + reach - n, 0) if padding == "same" else 0
        pads.append((missing // 2, missing - missing // 2))
        counts.append(count)
    columns = xp.im2col(x, kernel, stride, tuple(pads), rate)
    columns = xp.swapaxes(columns, 1, 2)
    return xp.reshape(columns, (x.shape[0], x.shape[1] * kernel[0] * kernel[1], *counts))


@op(
    "ops.ExtractImagePatches(ksizes, strides, rates, padding='VALID')(input_x)",
    "ops.auto_generate.extract_image_patches(input_x, ksizes, strides, rates, padding='VALID')",
    compute="native",
)
def extract_image_patches(
    xp,
    input_x: Numbers,
    ksizes: Sizes,
    strides: Sizes,
    rates: Sizes,
    padding: OneOf("VALID", "SAME", "valid", "same") = "VALID",
):
    """Extracts patches of images (N, C, H, W), with the elements of each patch along the channels.

    `ksizes` is the size of a patch, `strides` the distance of successive patches, `rates` the
    dilation within a patch; each is [rows, columns] or [1, 1, rows, columns]. With `padding`
    "SAME", patches extend beyond the edges, where the image is padded with zeros.

    Shapes:
        `input_x` is (N, C, H, W). The result is (N, rows * columns * C, H', W'), of the same dtype.

    Returns:
        Tensor (N, rows * columns * C, patches down, patches across); on axis 1 the channel varies
        fastest.

    Example:
        >>> x = ms.Tensor([[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]]])
        >>> print(ms.ops.ExtractImagePatches([1, 1, 2, 2], [1, 1, 1, 1], [1, 1, 1, 1])(x).shape)
        (1, 4, 1, 2)
    """
    need_rank("ExtractImagePatches", "input_x", input_x, 4)
    sizes = [tuple(size[-2:]) for size in (ksizes, strides, rates)]
    if padding.lower() == "valid":
        size = tuple(input_x.shape[2:])
        need_kernel_fits("ExtractImagePatches", size, sizes[0], ((0, 0), (0, 0)), sizes[2])
    return patches.body(xp, input_x, *sizes, padding.lower())


# Depthwise convolution ----------------------------------------------------------------------------


def _step(api, name, value):
    """Returns a step, which must be equal for rows and columns; of four numbers only the last two
    count."""
    value = height_and_width(value)
    if value[0] != value[1]:
        raise ValueError(
            f"For '{api}', '{name}' must be the same for rows and columns, but got {value}."
        )
    return value


def _geometry(api, size, kernel, settings, pad_list=()):
    """Returns stride, padding and dilation, from the settings of the public names.

    `pad_list` replaces the padding unless it is empty or all zeros.
    """
    pad_mode, pad, stride, dilation = settings
    stride, dilation = _step(api, "stride", stride), _step(api, "dilation", dilation)
    pads = padding_of(api, pad_mode, pad, size, kernel, stride, dilation)
    pads = sided(pad_list, 2) if any(pad_list) else pads
    need_kernel_fits(api, size, kernel, pads, dilation)
    return stride, pads, dilation


def _need_filters(api, shape, channels, multiplier, kernel):
    expected_shape = (multiplier, channels, *kernel)
    if tuple(shape) != expected_shape:
        raise ValueError(
            f"For '{api}', the weight must have the shape {expected_shape}, but got {tuple(shape)}."
        )


def _group_filters(xp, w):
    """Reshapes depthwise filters (multiplier, C, rows, columns) to filters of C groups."""
    return xp.reshape(xp.swapaxes(w, 0, 1), (w.shape[0] * w.shape[1], 1, *w.shape[2:]))


@op(
    "ops.DepthwiseConv2dNative(channel_multiplier, kernel_size, mode=3, pad_mode='valid', pad=0, "
    "stride=1, dilation=1, group=1)(x, weight)",
    types=SameDtype("x weight"),
    compute="products",
)
def depthwise(
    xp,
    x: Floats,
    weight: Floats,
    channel_multiplier: Positive,
    kernel_size: several(Positive, 2),
    mode: OneOf(3) = 3,
    pad_mode: Mode = "valid",
    pad: several(Natural, 4) = 0,
    stride: several(Positive, 2, 4) = 1,
    dilation: several(Positive, 2, 4) = 1,
    group: Positive = 1,
):
    """Computes a 2-D depthwise convolution: each channel has `channel_multiplier` filters of its
    own.

    The results of one channel are adjacent. `mode` must be 3. Every channel is a group of its own;
    `group` has no effect.

    Shapes:
        `x` is (N, C, H, W), `weight` is (channel_multiplier, C, k_h, k_w), of one dtype. The result
        is (N, C * channel_multiplier, H', W'), of the same dtype.

    Example:
        >>> convolve = ms.ops.DepthwiseConv2dNative(channel_multiplier=1, kernel_size=2)
        >>> print(convolve(ms.ops.ones((1, 2, 2, 2)), ms.ops.ones((1, 2, 2, 2))).shape)
        (1, 2, 1, 1)
    """
    api, kernel = "DepthwiseConv2dNative", per_dimension(kernel_size, 2)
    need_rank(api, "x", x, 4)
    _need_filters(api, weight.shape, x.shape[1], channel_multiplier, kernel)
    settings = (pad_mode, pad, stride, dilation)
    geometry = _geometry(api, tuple(x.shape[2:]), kernel, settings)
    return xp.convolve_nd(x, _group_filters(xp, weight), *geometry, x.shape[1])


@op(
    "ops.operations._grad_ops.DepthwiseConv2dNativeBackpropInput(channel_multiplier, kernel_size, "
    "pad_mode='valid', pad=0, pad_list=(0, 0, 0, 0), mode=3, stride=1, dilation=1, group=1)"
    "(x_size, w, dout)",
    types=SameDtype("w dout"),
    compute="products",
)
def depthwise_input(
    xp,
    w: Floats,
    dout: Floats,
    x_size: TupleOf(Positive, length=4) | ListOf(Positive, length=4),
    channel_multiplier: Positive,
    kernel_size: several(Positive, 2),
    pad_mode: Mode = "valid",
    pad: several(Natural, 4) = 0,
    pad_list: TupleOf(Natural, length=4) = (0, 0, 0, 0),
    mode: OneOf(3) = 3,
    stride: several(Positive, 2, 4) = 1,
    dilation: several(Positive, 2, 4) = 1,
    group: Positive = 1,
):
    """Computes the gradient of `ops.DepthwiseConv2dNative` with respect to images of shape
    `x_size`.

    `pad_list` is the padding above, below, left and right; if it is all 0, `pad_mode` and `pad`
    apply.

    Shapes:
        `dout` is (N, C * channel_multiplier, H', W'), `w` is (channel_multiplier, C, k_h, k_w). The
        result is of shape `x_size`.

    Example:
        >>> from mindspore_compat.ops.operations import _grad_ops
        >>> back = _grad_ops.DepthwiseConv2dNativeBackpropInput(1, 2)
        >>> print(back((1, 1, 2, 2), ms.Tensor([[[[1.0, 2.0], [3.0, 4.0]]]]),
        ...            ms.Tensor([[[[10.0]]]])))
        [[[[10. 20.]
           [30. 40.]]]]
    """
    api, kernel = "DepthwiseConv2dNativeBackpropInput", per_dimension(kernel_size, 2)
    need_rank(api, "dout", dout, 4)
    _need_filters(api, w.shape, x_size[1], channel_multiplier, kernel)
    settings = (pad_mode, pad, stride, dilation)
    geometry = _geometry(api, tuple(x_size[2:]), kernel, settings, pad_list)
    return xp.convolve_input(dout, _group_filters(xp, w), tuple(x_size), *geometry, x_size[1])


@op(
    "ops.operations._grad_ops.DepthwiseConv2dNativeBackpropFilter(channel_multiplier, kernel_size, "
    "pad_mode='valid', pad=0, pad_list=(0, 0, 0, 0), mode=3, stride=1, dilation=1, group=1)"
    "(x, w_size, dout)",
    types=SameDtype("x dout"),
    compute="products",
)
def depthwise_filter(
    xp,
    x: Floats,
    dout: Floats,
    w_size: TupleOf(Positive, length=4) | ListOf(Positive, length=4),
    channel_multiplier: Positive,
    kernel_size: several(Positive, 2),
    pad_mode: Mode = "valid",
    pad: several(Natural, 4) = 0,
    pad_list: TupleOf(Natural, length=4) = (0, 0, 0, 0),
    mode: OneOf(3) = 3,
    stride: several(Positive, 2, 4) = 1,
    dilation: several(Positive, 2, 4) = 1,
    group: Positive = 1,
):
    """Computes the gradient of `ops.DepthwiseConv2dNative` with respect to a weight of shape
    `w_size`.

    `pad_list` is the padding above, below, left and right; if it is all 0, `pad_mode` and `pad`
    apply.

    Shapes:
        `dout` is (N, C * channel_multiplier, H', W'), `x` is (N, C, H, W). The result is of shape
        `w_size`.

    Example:
        >>> from mindspore_compat.ops.operations import _grad_ops
        >>> back = _grad_ops.DepthwiseConv2dNativeBackpropFilter(1, 2)
        >>> print(back(ms.Tensor([[[[1.0, 2.0], [3.0, 4.0]]]]), (1, 1, 2, 2),
        ...            ms.Tensor([[[[10.0]]]])))
        [[[[10. 20.]
           [30. 40.]]]]
    """
    api, kernel = "DepthwiseConv2dNativeBackpropFilter", per_dimension(kernel_size, 2)
    need_rank(api, "x", x, 4)
    _need_filters(api, w_size, x.shape[1], channel_multiplier, kernel)
    settings = (pad_mode, pad, stride, dilation)
    geometry = _geometry(api, tuple(x.shape[2:]), kernel, settings, pad_list)
    shape = (w_size[0] * w_size[1], 1, *kernel)
    result = xp.convolve_weight(dout, x, shape, *geometry, x.shape[1])
    return xp.swapaxes(xp.reshape(result, (w_size[1], w_size[0], *kernel)), 0, 1)
