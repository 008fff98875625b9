"""Transposed convolution.

Each is the input gradient of a convolution, `xp.convolve_input`.
"""

from ..._core.declare.inputs import Quirks
from ..._core.declare.op import op
from ..._core.rules.value_rules import AnyCase
from ..._core.rules.vocabulary import Any, AsValue, ListOf, OneOf, TensorOf, TupleOf
from .._rules import Floats, Natural, Positive, listed, several, sizes
from .conv import add_bias, channels_second, need_weight
from .sizes import (
    height_and_width,
    need_one_dtype,
    need_rank,
    padding_of,
    per_dimension,
    sided,
    sizes_of,
)

Mode = OneOf("same", "valid", "pad")
ModeIn3d = AnyCase(Mode)


def _transpose(xp, api, y, w, x_shape, stride, pads, dilation, groups):
    """Computes the input gradient of a convolution, after checks of the sizes."""
    need_one_dtype(api, input=y, weight=w)
    expected = tuple(
        (n + sum(p) - d * (k - 1) - 1) // s + 1
        for n, p, d, k, s in zip(x_shape[2:], pads, dilation, w.shape[2:], stride)
    )
    if (
        y.shape[0] != x_shape[0]
        or y.shape[1] != w.shape[0]
        or x_shape[1] != w.shape[1] * groups
        or w.shape[0] % groups
        or tuple(y.shape[2:]) != expected
    ):
        raise ValueError(
            f"For '{api}', an input of shape {tuple(y.shape)} and weights of shape "
            f"{tuple(w.shape)} in {groups} groups do not make an output of shape {tuple(x_shape)}."
        )
    return xp.convolve_input(y, w, tuple(x_shape), stride, pads, dilation, groups)


@op(
    "ops.Conv2DTranspose(out_channel, kernel_size, pad_mode='valid', pad=0, pad_list=None, "
    "mode=1, stride=1, dilation=1, group=1, data_format='NCHW')(dout, weight, input_size)",
    "ops.Conv2DBackpropInput(out_channel, kernel_size, pad_mode='valid', pad=0, pad_list=None, "
    "mode=1, stride=1, dilation=1, group=1, data_format='NCHW')(dout, weight, input_size)",
    compute="products",
)
def conv2d_transpose_primitive(
    xp,
    dout: Floats,
    weight: Floats,
    input_size: Any,
    out_channel: Positive,
    kernel_size: sizes(Positive, 2),
    pad_mode: AnyCase(Mode) = "valid",
    pad: sizes(Natural, 4) = 0,
    pad_list: TupleOf(Natural) | ListOf(Natural) = None,
    mode: OneOf(1) = 1,
    stride: sizes(Positive, 2, 4) = 1,
    dilation: sizes(Positive, 2, 4) = 1,
    group: Positive = 1,
    data_format: AsValue(OneOf("NCHW", "NHWC")) = "NCHW",
):
    """Computes a 2-D transposed convolution, the gradient of `Conv2D` with respect to its input.
    The kernels spread each element of `dout` over images of shape `input_size`.

    The sizes of `weight`, which are those of `Conv2D`, take precedence over `out_channel` and
    `kernel_size`. `pad_list` replaces `pad` if given. Both are used only if `pad_mode` is "pad".

    Shapes:
        `dout` is (N, C_out, H', W'), `weight` is (C_out, C / group, k_h, k_w). The result is of
        shape `input_size`, (N, C, H, W), and of the dtype of `dout`.

    Example:
        >>> spread = ms.ops.Conv2DTranspose(out_channel=1, kernel_size=2)
        >>> print(spread(ms.Tensor([[[[1.0]]]]), ms.Tensor([[[[1.0, 2.0], [3.0, 4.0]]]]),
        ...              (1, 1, 2, 2)))
        [[[[1. 2.]
           [3. 4.]]]]
    """
    x_shape = sizes_of(
        "Conv2DTranspose", "input_size", input_size, 4, count_error=RuntimeError, batch=True
    )
    last = data_format == "NHWC"
    if last:
        dout, weight = channels_second(xp, dout), channels_second(xp, weight)
        x_shape = (x_shape[0], x_shape[3], x_shape[1], x_shape[2])
    need_rank("Conv2DTranspose", "dout", dout, 4, error=RuntimeError)
    need_rank("Conv2DTranspose", "weight", weight, 4, error=RuntimeError)
    stride, dilation = height_and_width(stride), height_and_width(dilation)
    padding = pad if pad_list is None or pad_mode != "pad" else pad_list
    pads = padding_of(
        "Conv2DTranspose", pad_mode, padding, x_shape[2:], tuple(weight.shape[2:]), stride, dilation
    )
    out = _transpose(xp, "Conv2DTranspose", dout, weight, x_shape, stride, pads, dilation, group)
    return xp.moveaxis(out, 1, -1) if last else out


def _output_size(size, kernel, stride, pads, dilation, extra):
    """Returns the spatial size of a transposed convolution's result."""
    return tuple(
        (n - 1) * s - sum(p) + d * (k - 1) + 1 + e
        for n, k, s, p, d, e in zip(size, kernel, stride, pads, dilation, extra)
    )


def _extend(xp, api, y, w, stride, pads, dilation, groups, extra):
    """Computes a transposed convolution whose size follows from the input, plus `extra` at the end.

    `extra` may exceed the stride; positions beyond the reach of the kernels are zero.
    """
    kernel, size = tuple(w.shape[2:]), tuple(y.shape[2:])
    within = tuple(e if e < s else 0 for e, s in zip(extra, stride))
    goal = _output_size(size, kernel, stride, pads, dilation, within)
    if min(goal) < 1:
        raise ValueError(f"For '{api}', the output would have size {goal}.")
    out = _transpose(
        xp, api, y, w, (y.shape[0], w.shape[1] * groups, *goal), stride, pads, dilation, groups
    )
    if within == tuple(extra):
        return out
    rest = tuple((0, e - i) for e, i in zip(extra, within))
    return xp.pad(out, ((0, 0), (0, 0), *rest))


def _need_small(api, extra, stride, dilation):
    """Rejects output padding that is not below the larger of stride and dilation."""
    if any(e >= max(s, d) for e, s, d in zip(extra, stride, dilation)):
        raise ValueError(
            f"For '{api}', 'output_padding' must be less than stride or dilation, but got {extra}."
        )


def _transpose3d(xp, api, y, w, mode, pad, stride, dilation, groups, extra):
    need_rank(api, "input", y, 5)
    need_rank(api, "weight", w, 5)
    stride, dilation, extra = (
        per_dimension(stride, 3)[-3:],
        per_dimension(dilation, 3)[-3:],
        per_dimension(extra, 3),
    )
    pads = sided(pad, 3)
    if mode != "pad" and (any(map(any, pads)) or any(extra)):
        raise ValueError(
            f"For '{api}', 'pad' and 'output_padding' must be 0 where 'pad_mode' is '{mode}', but "
            f"got {pad!r} and {extra!r}."
        )
    _need_small(api, extra, stride, dilation)
    if mode != "pad":  # if the stride exceeds the kernel, the result includes the gap after it
        reach = [d * (k - 1) + 1 - s for d, k, s in zip(dilation, w.shape[2:], stride)]
        extra = tuple(max(-r, 0) for r in reach)
        if mode == "same":
            pads = tuple((max(r, 0) // 2, max(r, 0) - max(r, 0) // 2) for r in reach)
    return _extend(xp, api, y, w, stride, pads, dilation, groups, extra)


@op(
    "ops.Conv3DTranspose(in_channel, out_channel, kernel_size, mode=1, pad_mode='valid', pad=0, "
    "stride=1, dilation=1, group=1, output_padding=0, data_format='NCDHW')(dout, weight)",
    compute="products",
)
def conv3d_transpose_primitive(
    xp,
    dout: Floats,
    weight: Floats,
    in_channel: Positive,
    out_channel: Positive,
    kernel_size: sizes(Positive, 3),
    mode: OneOf(1) = 1,
    pad_mode: ModeIn3d = "valid",
    pad: sizes(Natural, 6) = 0,
    stride: sizes(Positive, 3, 5) = 1,
    dilation: sizes(Positive, 3, 5) = 1,
    group: Positive = 1,
    output_padding: sizes(Natural, 3, 5) = 0,
    data_format: AsValue(OneOf("NCDHW")) = "NCDHW",
):
    """Computes a 3-D transposed convolution, which spreads each element of volumes by the kernels.

    "same" gives size * stride outputs, "valid" gives all positions that the kernels reach. "pad"
    removes `pad` from both ends of these and adds `output_padding` at the far end.

    Shapes:
        `dout` is (N, C_in, D, H, W), `weight` is (C_in, C_out / group, k_d, k_h, k_w). The result
        is (N, C_out, D', H', W'), of the same dtype.

    Example:
        >>> x = ms.ops.ones((1, 1, 2, 2, 2))
        >>> print(ms.ops.Conv3DTranspose(1, 1, 2)(x, ms.ops.ones((1, 1, 2, 2, 2))).shape)
        (1, 1, 3, 3, 3)
    """
    need_one_dtype("Conv3DTranspose", dout=dout, weight=weight)
    need_rank("Conv3DTranspose", "weight", weight, 5)
    need_weight("Conv3DTranspose", weight, weight.shape[0], kernel_size)
    return _transpose3d(
        xp, "Conv3DTranspose", dout, weight, pad_mode, pad, stride, dilation, group, output_padding
    )


@op(
    "ops.conv3d_transpose(inputs, weight, pad_mode='valid', padding=0, stride=1, dilation=1, "
    "group=1, output_padding=0)",
    compute="products",
    quirks=Quirks(shapes_first=True),
)
def conv3d_transpose(
    xp,
    inputs: Floats,
    weight: Floats,
    pad_mode: ModeIn3d = "valid",
    padding: several(Natural, 6) = 0,
    stride: several(Positive, 3) = 1,
    dilation: several(Positive, 3) = 1,
    group: Positive = 1,
    output_padding: several(Natural, 3) = 0,
):
    """Computes a 3-D transposed convolution, which spreads each element of volumes by the kernels.

    "same" gives size * stride outputs, "valid" gives all positions that the kernels reach. "pad"
    removes `padding` from both ends of these and adds `output_padding` at the far end.

    Shapes:
        `inputs` is (N, C_in, D, H, W), `weight` is (C_in, C_out / group, k_d, k_h, k_w). The result
        is (N, C_out, D', H', W'), of the same dtype.

    Example:
        >>> x = ms.ops.ones((1, 1, 2, 2, 2))
        >>> print(ms.ops.conv3d_transpose(x, ms.ops.ones((1, 1, 2, 2, 2))).shape)
        (1, 1, 3, 3, 3)
    """
    return _transpose3d(
        xp,
        "conv3d_transpose",
        inputs,
        weight,
        pad_mode,
        padding,
        stride,
        dilation,
        group,
        output_padding,
    )


@op(
    "ops.conv_transpose2d(input, weight, bias=None, stride=1, padding=0, output_padding=0, "
    "groups=1, dilation=1)",
    "mint.nn.functional.conv_transpose2d(input, weight, bias=None, stride=1, padding=0, "
    "output_padding=0, groups=1, dilation=1)",
    compute="products",
)
def conv_transpose2d(
    xp,
    input: Floats,
    weight: Floats,
    bias: TensorOf() = None,
    stride: listed(Positive, 1, 2) = 1,
    padding: listed(Natural, 1, 2) = 0,
    output_padding: listed(Natural, 1, 2) = 0,
    groups: Positive = 1,
    dilation: listed(Positive, 1, 2) = 1,
):
    """Computes a 2-D transposed convolution, which spreads each element of images by the kernels.

    The result covers all positions that the kernels reach, less `padding` at both ends, plus
    `output_padding` at the far end.

    Shapes:
        `input` is (N, C, H, W) or (C, H, W), `weight` is (C, C_out / groups, k_h, k_w), `bias` is
        (C_out,). The result is (N, C_out, H', W'), or (C_out, H', W') without N, of the same dtype.

    Example:
        >>> print(ms.ops.conv_transpose2d(ms.Tensor([[[[1.0, 2.0]]]]), ms.ops.ones((1, 1, 1, 2))))
        [[[[1. 3. 2.]]]]
    """
    need_rank("conv_transpose2d", "input", input, 3, 4)
    need_rank("conv_transpose2d", "weight", weight, 4)
    stride, dilation, extra = (
        per_dimension(stride, 2),
        per_dimension(dilation, 2),
        per_dimension(output_padding, 2),
    )
    _need_small("conv_transpose2d", extra, stride, dilation)
    x = xp.expand_dims(input, 0) if input.ndim == 3 else input
    out = _extend(
        xp, "conv_transpose2d", x, weight, stride, sided(padding, 2), dilation, groups, extra
    )
    out = add_bias(xp, "conv_transpose2d", out, bias)
    return xp.squeeze(out, 0) if input.ndim == 3 else out
