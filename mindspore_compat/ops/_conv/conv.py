"""Convolutions, transposed convolutions, and windows as columns.

Pooling is in _pooling, the arithmetic in _backend/conv.py. Every operation here is a
composition of the functions of _conv/im2col.py, whose gradients make its own. A narrow dtype is
computed in float32.
"""

from ..._core.declare.inputs import Quirks, SameDtype
from ..._core.declare.op import op
from ..._core.rules.vocabulary import Any, AsValue, OneOf, TensorOf, TupleOf, real
from .._rules import Floats, Index, Natural, Numbers, Positive, listed, several
from .im2col import each, height_and_width, need_alike, need_rank, padding_of, sided, sizes_of

Mode = OneOf("same", "valid", "pad")
Columns = TensorOf("float16", "float32", "float64", "bfloat16", "complex64", "complex128")


def _convolve(xp, api, x, w, bias, stride, mode, padding, dilation, groups):
    """The convolution that all public forms share; `x` and `w` have channels second."""
    count = w.ndim - 2
    need_alike(api, input=x, weight=w)
    need_rank(api, "input", x, w.ndim)
    stride, dilation = each(stride, count), each(dilation, count)
    kernel, size = tuple(w.shape[2:]), tuple(x.shape[2:])
    if x.shape[1] % groups or w.shape[0] % groups or x.shape[1] != w.shape[1] * groups:
        raise ValueError(
            f"For '{api}', the channels of 'input' must be those of 'weight' times the groups and "
            f"both divisible by them, but got shapes {tuple(x.shape)}, {tuple(w.shape)} and "
            f"{groups} groups."
        )
    pads = padding_of(api, mode, padding, size, kernel, stride, dilation)
    _need_room(api, size, kernel, pads, dilation)
    return _biased(xp, api, xp.convolve_nd(x, w, stride, pads, dilation, groups), bias)


def _need_room(api, size, kernel, pads, dilation):
    """Refuses a kernel that does not fit into the padded input."""
    if any(n + sum(p) < d * (k - 1) + 1 for n, p, k, d in zip(size, pads, kernel, dilation)):
        raise ValueError(
            f"For '{api}', the input after padding must be at least as large as the kernel, but "
            f"got input {size}, padding {pads}, kernel {kernel} and dilation {dilation}."
        )


def _biased(xp, api, out, bias):
    if bias is None:
        return out
    need_alike(api, input=out, bias=bias)
    if bias.ndim != 1 or bias.shape[0] != out.shape[1]:
        raise ValueError(
            f"For '{api}', 'bias' must have shape ({out.shape[1]},), but got {tuple(bias.shape)}."
        )
    return out + xp.reshape(bias, (-1,) + (1,) * (out.ndim - 2))


@op(
    "ops.conv1d(input, weight, bias=None, stride=1, pad_mode='valid', padding=0, dilation=1, "
    "groups=1)"
)
def conv1d(
    xp,
    input: Floats,
    weight: Floats,
    bias: TensorOf() = None,
    stride: several(Positive, 1) = 1,
    pad_mode: Mode = "valid",
    padding: listed(Natural, 1) = 0,
    dilation: several(Positive, 1) = 1,
    groups: Positive = 1,
):
    """Cross-correlation of a sequence (N, C, L) with kernels (C_out, C / groups, k).

    `pad_mode` "same" gives ceil(L / stride) outputs, "valid" uses no padding, "pad" puts `padding`
    zeros on both sides.

    Shapes:
        `input` is (N, C, L), `weight` is (C_out, C / groups, k), `bias` is (C_out,), of one dtype.
        The result is (N, C_out, L'), of the same dtype.

    Example:
        >>> x, w = ms.Tensor([[[1.0, 2.0, 3.0, 4.0]]]), ms.Tensor([[[1.0, 1.0]]])
        >>> print(ms.ops.conv1d(x, w))
        [[[3. 5. 7.]]]
    """
    need_rank("conv1d", "weight", weight, 3)
    return _convolve(xp, "conv1d", input, weight, bias, stride, pad_mode, padding, dilation, groups)


@op(
    "ops.conv2d(input, weight, bias=None, stride=1, pad_mode='valid', padding=0, dilation=1, "
    "groups=1)"
)
def conv2d(
    xp,
    input: Floats,
    weight: Floats,
    bias: TensorOf() = None,
    stride: several(Positive, 2) = 1,
    pad_mode: Mode = "valid",
    padding: listed(Natural, 2) = 0,
    dilation: several(Positive, 2) = 1,
    groups: Positive = 1,
):
    """Cross-correlation of images (N, C, H, W) with kernels (C_out, C / groups, k_h, k_w).

    `pad_mode` "same" gives ceil(size / stride) outputs, "valid" uses no padding, "pad" puts
    `padding` zeros on both sides, or so many above and below and so many left and right.

    Shapes:
        `input` is (N, C, H, W), `weight` is (C_out, C / groups, k_h, k_w), `bias` is (C_out,), of
        one dtype. The result is (N, C_out, H', W'), of the same dtype.

    Example:
        >>> x = ms.Tensor([[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]]])
        >>> print(ms.ops.conv2d(x, ms.ops.ones((1, 1, 2, 2))))
        [[[[12. 16.]
           [24. 28.]]]]
    """
    need_rank("conv2d", "weight", weight, 4)
    return _convolve(xp, "conv2d", input, weight, bias, stride, pad_mode, padding, dilation, groups)


@op(
    "ops.conv3d(input, weight, bias=None, stride=1, pad_mode='valid', padding=0, dilation=1, "
    "groups=1)"
)
def conv3d(
    xp,
    input: Floats,
    weight: Floats,
    bias: TensorOf() = None,
    stride: several(Positive, 3) = 1,
    pad_mode: Mode = "valid",
    padding: listed(Natural, 3) = 0,
    dilation: several(Positive, 3) = 1,
    groups: Positive = 1,
):
    """Cross-correlation of volumes (N, C, D, H, W) with kernels (C_out, C / groups, k_d, k_h, k_w).

    `pad_mode` and `padding` are as in `conv2d`, with one number per dimension.

    Shapes:
        `input` is (N, C, D, H, W), `weight` is (C_out, C / groups, k_d, k_h, k_w), `bias` is
        (C_out,), of one dtype. The result is (N, C_out, D', H', W'), of the same dtype.

    Example:
        >>> x = ms.ops.ones((1, 1, 3, 3, 3))
        >>> print(ms.ops.conv3d(x, ms.ops.ones((1, 1, 2, 2, 2))).shape)
        (1, 1, 2, 2, 2)
    """
    need_rank("conv3d", "weight", weight, 5)
    return _convolve(xp, "conv3d", input, weight, bias, stride, pad_mode, padding, dilation, groups)


# The form of mint: padding may be a word, and the batch dimension may be missing.

Words = OneOf("same", "valid")


def _unbatched(xp, api, input, weight, bias, stride, padding, dilation, groups, count):
    need_rank(api, "weight", weight, count + 2)
    need_rank(api, "input", input, count + 1, count + 2)
    mode = "pad"
    if isinstance(padding, str):
        mode, padding = padding, 0
        if mode == "same" and set(each(stride, count)) != {1}:
            raise ValueError(
                f"For '{api}', 'stride' must be 1 where 'padding' is 'same', but got {stride!r}."
            )
    alone = input.ndim == count + 1
    x = xp.expand_dims(input, 0) if alone else input
    out = _convolve(xp, api, x, weight, bias, stride, mode, padding, dilation, groups)
    return xp.squeeze(out, 0) if alone else out


@op(
    "mint.nn.functional.conv1d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1)"
)
def conv1d_ext(
    xp,
    input: Floats,
    weight: Floats,
    bias: TensorOf() = None,
    stride: listed(Positive, 1) = 1,
    padding: Words | listed(Natural, 1) = 0,
    dilation: listed(Positive, 1) = 1,
    groups: Positive = 1,
):
    """Computes the cross-correlation of a sequence with kernels.

    `padding` is the number of zeros at both ends, or "valid" for none, or "same" for as many
    outputs as inputs.

    Shapes:
        `input` is (N, C, L) or (C, L), `weight` is (C_out, C / groups, k), `bias` is (C_out,). The
        result is (N, C_out, L') or (C_out, L'), of the same dtype.

    Example:
        >>> x, w = ms.Tensor([[[1.0, 2.0, 3.0, 4.0]]]), ms.Tensor([[[1.0, 1.0]]])
        >>> print(ms.mint.nn.functional.conv1d(x, w, padding=1))
        [[[1. 3. 5. 7. 4.]]]
    """
    return _unbatched(xp, "conv1d", input, weight, bias, stride, padding, dilation, groups, 1)


@op(
    "mint.nn.functional.conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, "
    "groups=1)",
    "mint.conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1)",
)
def conv2d_ext(
    xp,
    input: Floats,
    weight: Floats,
    bias: TensorOf() = None,
    stride: listed(Positive, 1, 2) = 1,
    padding: Words | listed(Natural, 1, 2) = 0,
    dilation: listed(Positive, 1, 2) = 1,
    groups: Positive = 1,
):
    """Computes the cross-correlation of images with kernels.

    `padding` is the number of zeros on each side, or "valid" for none, or "same" for as many
    outputs as inputs.

    Shapes:
        `input` is (N, C, H, W) or (C, H, W), `weight` is (C_out, C / groups, k_h, k_w), `bias` is
        (C_out,). The result is (N, C_out, H', W'), or lacks N as the input does, of the same dtype.

    Example:
        >>> x = ms.Tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
        >>> print(ms.mint.nn.functional.conv2d(x, ms.ops.ones((1, 1, 2, 2)), padding=1))
        [[[[ 1.  3.  2.]
           [ 4. 10.  6.]
           [ 3.  7.  4.]]]]
    """
    return _unbatched(xp, "conv2d", input, weight, bias, stride, padding, dilation, groups, 2)


@op(
    "mint.nn.functional.conv3d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1)"
)
def conv3d_ext(
    xp,
    input: Floats,
    weight: Floats,
    bias: TensorOf() = None,
    stride: listed(Positive, 1, 3) = 1,
    padding: Words | listed(Natural, 1, 3) = 0,
    dilation: listed(Positive, 1, 3) = 1,
    groups: Positive = 1,
):
    """Computes the cross-correlation of volumes with kernels.

    `padding` is the number of zeros on each side, or "valid" for none, or "same" for as many
    outputs as inputs.

    Shapes:
        `input` is (N, C, D, H, W) or (C, D, H, W), `weight` is (C_out, C / groups, k_d, k_h, k_w),
        `bias` is (C_out,). The result is (N, C_out, D', H', W'), or lacks N as the input does, of
        the same dtype.

    Example:
        >>> x = ms.ops.ones((1, 1, 3, 3, 3))
        >>> print(ms.mint.nn.functional.conv3d(x, ms.ops.ones((1, 1, 2, 2, 2)), stride=2).shape)
        (1, 1, 1, 1, 1)
    """
    return _unbatched(xp, "conv3d", input, weight, bias, stride, padding, dilation, groups, 3)


# Primitives: the sizes of the weights are told beforehand, and checked against them.


def _need_weight(api, w, filters, kernel):
    """Refuses weights that are not what the primitive was made for."""
    kernel = each(kernel, w.ndim - 2)
    if w.shape[0] != filters or tuple(w.shape[2:]) != kernel:
        raise RuntimeError(
            f"For '{api}', 'weight' must have {filters} filters of size {kernel}, but got shape "
            f"{tuple(w.shape)}."
        )


def _first(xp, x):
    """Channels from the last place to the second."""
    return xp.moveaxis(x, -1, 1)


@op(
    "ops.Conv2D(out_channel, kernel_size, mode=1, pad_mode='valid', pad=0, stride=1, dilation=1, "
    "group=1, data_format='NCHW')(x, weight)"
)
def conv2d_primitive(
    xp,
    x: Floats,
    weight: Floats,
    out_channel: Positive,
    kernel_size: several(Positive, 2),
    mode: OneOf(1) = 1,
    pad_mode: Mode = "valid",
    pad: several(Natural, 4) = 0,
    stride: several(Positive, 2, 4) = 1,
    dilation: several(Positive, 2, 4) = 1,
    group: Positive = 1,
    data_format: AsValue(OneOf("NCHW", "NHWC")) = "NCHW",
):
    """Computes the cross-correlation of images with kernels whose size is given beforehand.

    `pad` is one number, or those above, below, left and right, for `pad_mode` "pad". With
    `data_format` "NHWC", images and kernels have their channels last.

    Shapes:
        `x` is (N, C, H, W), `weight` is (out_channel, C / group, k_h, k_w). The result is (N,
        out_channel, H', W'), of the same dtype.

    Example:
        >>> x = ms.Tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
        >>> print(ms.ops.Conv2D(out_channel=1, kernel_size=2)(x, ms.ops.ones((1, 1, 2, 2))))
        [[[[10.]]]]
    """
    last = data_format == "NHWC"
    if last:
        x, weight = _first(xp, x), _first(xp, weight)
    need_rank("Conv2D", "weight", weight, 4)
    _need_weight("Conv2D", weight, out_channel, kernel_size)
    out = _convolve(
        xp,
        "Conv2D",
        x,
        weight,
        None,
        height_and_width(stride),
        pad_mode,
        pad,
        height_and_width(dilation),
        group,
    )
    return xp.moveaxis(out, 1, -1) if last else out


@op(
    "ops.Conv3D(out_channel, kernel_size, mode=1, pad_mode='valid', pad=0, stride=1, dilation=1, "
    "group=1, data_format='NCDHW')(x, weight)",
    types=SameDtype("x weight"),
)
def conv3d_primitive(
    xp,
    x: Floats,
    weight: Floats,
    out_channel: Positive,
    kernel_size: several(Positive, 3),
    mode: OneOf(1) = 1,
    pad_mode: Mode = "valid",
    pad: several(Natural, 6) = 0,
    stride: several(Positive, 3, 5) = 1,
    dilation: several(Positive, 3, 5) = 1,
    group: Positive = 1,
    data_format: AsValue(OneOf("NCDHW")) = "NCDHW",
):
    """Computes the cross-correlation of volumes with kernels whose size is given beforehand.

    `pad` is one number, or those at the two ends of each axis, for `pad_mode` "pad".

    Shapes:
        `x` is (N, C, D, H, W), `weight` is (out_channel, C / group, k_d, k_h, k_w). The result is
        (N, out_channel, D', H', W'), of the same dtype.

    Example:
        >>> x = ms.ops.ones((1, 1, 3, 3, 3))
        >>> print(ms.ops.Conv3D(out_channel=1, kernel_size=2)(x,
        ...         ms.ops.ones((1, 1, 2, 2, 2))).shape)
        (1, 1, 2, 2, 2)
    """
    need_rank("Conv3D", "weight", weight, 5)
    _need_weight("Conv3D", weight, out_channel, kernel_size)
    return _convolve(
        xp,
        "Conv3D",
        x,
        weight,
        None,
        each(stride, 3)[-3:],
        pad_mode,
        pad,
        each(dilation, 3)[-3:],
        group,
    )


# Transposed convolution.


def _transposed(xp, api, y, w, x_shape, stride, pads, dilation, groups):
    """The input gradient of a convolution, after a look at the sizes."""
    need_alike(api, input=y, weight=w)
    expected = tuple(
        (n + sum(p) - d * (k - 1) - 1) // s + 1
        for n, p, d, k, s in zip(x_shape[2:], pads, dilation, w.shape[2:], stride)
    )
    if (
        y.shape[1] != w.shape[0]
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
)
def conv2d_transpose_primitive(
    xp,
    dout: Floats,
    weight: Floats,
    input_size: Any,
    out_channel: Positive,
    kernel_size: several(Positive, 2),
    pad_mode: Mode = "valid",
    pad: several(Natural, 4) = 0,
    pad_list: TupleOf(Natural) = None,
    mode: OneOf(1) = 1,
    stride: several(Positive, 2, 4) = 1,
    dilation: several(Positive, 2, 4) = 1,
    group: Positive = 1,
    data_format: AsValue(OneOf("NCHW", "NHWC")) = "NCHW",
):
    """Computes the gradient of `Conv2D` for its input: `dout` spread out by the kernels over images
    of shape `input_size`.

    `weight` has the shape it has in `Conv2D`, which counts, whatever `out_channel` and
    `kernel_size` say. `pad_list`, where given, stands for `pad`; only the mode "pad" looks at it.

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
        dout, weight = _first(xp, dout), _first(xp, weight)
        x_shape = (x_shape[0], x_shape[3], x_shape[1], x_shape[2])
    need_rank("Conv2DTranspose", "dout", dout, 4, error=RuntimeError)
    need_rank("Conv2DTranspose", "weight", weight, 4, error=RuntimeError)
    stride, dilation = height_and_width(stride), height_and_width(dilation)
    padding = pad if pad_list is None or pad_mode != "pad" else pad_list
    pads = padding_of(
        "Conv2DTranspose", pad_mode, padding, x_shape[2:], tuple(weight.shape[2:]), stride, dilation
    )
    out = _transposed(xp, "Conv2DTranspose", dout, weight, x_shape, stride, pads, dilation, group)
    return xp.moveaxis(out, 1, -1) if last else out


def _grown(size, kernel, stride, pads, dilation, extra):
    """Spatial size of a transposed convolution."""
    return tuple(
        (n - 1) * s - sum(p) + d * (k - 1) + 1 + e
        for n, k, s, p, d, e in zip(size, kernel, stride, pads, dilation, extra)
    )


def _widened(xp, api, y, w, stride, pads, dilation, groups, extra):
    """A transposed convolution whose size follows from the input, plus `extra` at the end.

    What `extra` adds beyond the reach of the kernels (it may exceed the stride) is zero.
    """
    kernel, size = tuple(w.shape[2:]), tuple(y.shape[2:])
    within = tuple(e if e < s else 0 for e, s in zip(extra, stride))
    goal = _grown(size, kernel, stride, pads, dilation, within)
    if min(goal) < 1:
        raise ValueError(f"For '{api}', the output would have size {goal}.")
    out = _transposed(
        xp, api, y, w, (y.shape[0], w.shape[1] * groups, *goal), stride, pads, dilation, groups
    )
    if within == tuple(extra):
        return out
    rest = tuple((0, e - i) for e, i in zip(extra, within))
    return xp.pad(out, ((0, 0), (0, 0), *rest))


def _need_small(api, extra, stride, dilation):
    """Refuses more output padding than a step could leave open."""
    if any(e >= max(s, d) for e, s, d in zip(extra, stride, dilation)):
        raise ValueError(
            f"For '{api}', 'output_padding' must be less than stride or dilation, but got {extra}."
        )


def _transpose3d(xp, api, y, w, mode, pad, stride, dilation, groups, extra):
    need_rank(api, "input", y, 5)
    need_rank(api, "weight", w, 5)
    stride, dilation, extra = each(stride, 3)[-3:], each(dilation, 3)[-3:], each(extra, 3)
    pads = sided(pad, 3)
    if mode != "pad" and (any(map(any, pads)) or any(extra)):
        raise ValueError(
            f"For '{api}', 'pad' and 'output_padding' must be 0 where 'pad_mode' is '{mode}', but "
            f"got {pad!r} and {extra!r}."
        )
    _need_small(api, extra, stride, dilation)
    if mode != "pad":  # a stride beyond the kernel leaves a rest, which belongs to the result
        reach = [d * (k - 1) + 1 - s for d, k, s in zip(dilation, w.shape[2:], stride)]
        extra = tuple(max(-r, 0) for r in reach)
        if mode == "same":
            pads = tuple((max(r, 0) // 2, max(r, 0) - max(r, 0) // 2) for r in reach)
    return _widened(xp, api, y, w, stride, pads, dilation, groups, extra)


@op(
    "ops.Conv3DTranspose(in_channel, out_channel, kernel_size, mode=1, pad_mode='valid', pad=0, "
    "stride=1, dilation=1, group=1, output_padding=0, data_format='NCDHW')(dout, weight)"
)
def conv3d_transpose_primitive(
    xp,
    dout: Floats,
    weight: Floats,
    in_channel: Positive,
    out_channel: Positive,
    kernel_size: several(Positive, 3),
    mode: OneOf(1) = 1,
    pad_mode: Mode = "valid",
    pad: several(Natural, 6) = 0,
    stride: several(Positive, 3, 5) = 1,
    dilation: several(Positive, 3, 5) = 1,
    group: Positive = 1,
    output_padding: several(Natural, 3, 5) = 0,
    data_format: AsValue(OneOf("NCDHW")) = "NCDHW",
):
    """Computes a transposed convolution of volumes, which spreads each element out by the kernels.

    "same" gives size * stride outputs, "valid" all that the kernels reach; "pad" cuts `pad` from
    both ends of that and adds `output_padding` at the last.

    Shapes:
        `dout` is (N, C_in, D, H, W), `weight` is (C_in, C_out / group, k_d, k_h, k_w). The result
        is (N, C_out, D', H', W'), of the same dtype.

    Example:
        >>> x = ms.ops.ones((1, 1, 2, 2, 2))
        >>> print(ms.ops.Conv3DTranspose(1, 1, 2)(x, ms.ops.ones((1, 1, 2, 2, 2))).shape)
        (1, 1, 3, 3, 3)
    """
    need_alike("Conv3DTranspose", dout=dout, weight=weight)
    need_rank("Conv3DTranspose", "weight", weight, 5)
    _need_weight("Conv3DTranspose", weight, weight.shape[0], kernel_size)
    return _transpose3d(
        xp, "Conv3DTranspose", dout, weight, pad_mode, pad, stride, dilation, group, output_padding
    )


@op(
    "ops.conv3d_transpose(inputs, weight, pad_mode='valid', padding=0, stride=1, dilation=1, "
    "group=1, output_padding=0)"
)
def conv3d_transpose(
    xp,
    inputs: Floats,
    weight: Floats,
    pad_mode: Mode = "valid",
    padding: several(Natural, 6) = 0,
    stride: several(Positive, 3) = 1,
    dilation: several(Positive, 3) = 1,
    group: Positive = 1,
    output_padding: several(Natural, 3) = 0,
):
    """Computes a transposed convolution of volumes, which spreads each element out by the kernels.

    "same" gives size * stride outputs, "valid" all that the kernels reach; "pad" cuts `padding`
    from both ends of that and adds `output_padding` at the last.

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
    """Computes a transposed convolution of images, which spreads each element out by the kernels.

    `padding` is cut from both ends of what the kernels reach, `output_padding` added at the last.

    Shapes:
        `input` is (N, C, H, W) or (C, H, W), `weight` is (C, C_out / groups, k_h, k_w), `bias` is
        (C_out,). The result is (N, C_out, H', W'), or lacks N as the input does, of the same dtype.

    Example:
        >>> print(ms.ops.conv_transpose2d(ms.Tensor([[[[1.0, 2.0]]]]), ms.ops.ones((1, 1, 1, 2))))
        [[[[1. 3. 2.]]]]
    """
    need_rank("conv_transpose2d", "input", input, 3, 4)
    need_rank("conv_transpose2d", "weight", weight, 4)
    stride, dilation, extra = each(stride, 2), each(dilation, 2), each(output_padding, 2)
    _need_small("conv_transpose2d", extra, stride, dilation)
    x = xp.expand_dims(input, 0) if input.ndim == 3 else input
    out = _widened(
        xp, "conv_transpose2d", x, weight, stride, sided(padding, 2), dilation, groups, extra
    )
    out = _biased(xp, "conv_transpose2d", out, bias)
    return xp.squeeze(out, 0) if input.ndim == 3 else out


# Windows as columns.


def _unfold(xp, x, kernel, dilation, padding, stride):
    """Windows as (N, C, taps, windows)."""
    kernel, stride, dilation = each(kernel, 2), each(stride, 2), each(dilation, 2)
    pads = sided(padding, 2)
    _need_room("unfold", tuple(x.shape[2:]), kernel, pads, dilation)
    return xp.columns_of(x, kernel, stride, pads, dilation)


def _fold(xp, api, x, size, kernel, dilation, padding, stride):
    """Columns (N, C, taps, windows) added up to images of `size`."""
    size, kernel = each(size, 2), each(kernel, 2)
    stride, dilation, pads = each(stride, 2), each(dilation, 2), sided(padding, 2)
    _need_room(api, size, kernel, pads, dilation)
    count = 1
    for n, p, k, d, s in zip(size, pads, kernel, dilation, stride):
        count *= (n + sum(p) - d * (k - 1) - 1) // s + 1
    if x.shape[2] != kernel[0] * kernel[1] or x.shape[3] != count:
        raise ValueError(
            f"For '{api}', the input must hold {kernel[0] * kernel[1]} values for each of {count} "
            f"windows, but got {x.shape[2]} and {x.shape[3]}."
        )
    return xp.columns_back(x, size, kernel, stride, pads, dilation)


@op(
    "ops.unfold(input, kernel_size, dilation=1, padding=0, stride=1)",
    "mint.nn.functional.unfold(input, kernel_size, dilation=1, padding=0, stride=1)",
    compute="native",
)
def unfold(
    xp,
    input: Numbers,
    kernel_size: listed(Positive, 1, 2),
    dilation: listed(Positive, 1, 2) = 1,
    padding: listed(Natural, 1, 2) = 0,
    stride: listed(Positive, 1, 2) = 1,
):
    """Writes the windows of images as columns.

    Shapes:
        `input` is (N, C, H, W). The result is (N, C * k_h * k_w, windows), of the same dtype.

    Example:
        >>> print(ms.ops.unfold(ms.Tensor([[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]]]), 2))
        [[[1. 2.]
          [2. 3.]
          [4. 5.]
          [5. 6.]]]
    """
    need_rank("unfold", "input", input, 4)
    out = _unfold(xp, input, kernel_size, dilation, padding, stride)
    return xp.reshape(out, (out.shape[0], out.shape[1] * out.shape[2], out.shape[3]))


@op("ops.Im2Col(ksizes, strides=1, dilations=1, pads=0)(x)", compute="native")
def im2col(
    xp,
    x: Numbers,
    ksizes: listed(Positive, 1, 2),
    strides: listed(Positive, 1, 2) = 1,
    dilations: listed(Positive, 1, 2) = 1,
    pads: listed(Natural, 1, 2) = 0,
):
    """Writes the windows of images as columns, with the channels on an axis of their own.

    Shapes:
        `x` is (N, C, H, W). The result is (N, C, k_h * k_w, windows), of the same dtype.

    Example:
        >>> print(ms.ops.Im2Col(2)(ms.Tensor([[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]]])))
        [[[[1. 2.]
           [2. 3.]
           [4. 5.]
           [5. 6.]]]]
    """
    need_rank("Im2Col", "x", x, 4)
    return _unfold(xp, x, ksizes, dilations, pads, strides)


@op(
    "ops.fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1)",
    "mint.nn.functional.fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1)",
)
def fold(
    xp,
    input: Numbers,
    output_size: Any,
    kernel_size: listed(Positive, 1, 2),
    dilation: listed(Positive, 1, 2) = 1,
    padding: listed(Natural, 1, 2) = 0,
    stride: listed(Positive, 1, 2) = 1,
):
    """Adds columns up to images: what `unfold` takes apart. Places in several windows receive the
    sum.

    Shapes:
        `input` is (N, C * k_h * k_w, windows), or has two axes in the place of the second, or lacks
        N. The result is (N, C, *output_size), or lacks N, of the same dtype.

    Example:
        >>> columns = ms.ops.ones((1, 4, 2))
        >>> print(ms.ops.fold(columns, (2, 3), 2))
        [[[[1. 2. 1.]
           [1. 2. 1.]]]]
    """
    need_rank("fold", "input", input, 2, 3, 4)
    taps = each(kernel_size, 2)[0] * each(kernel_size, 2)[1]
    x = xp.expand_dims(input, 0) if input.ndim == 2 else input
    if input.ndim == 4:
        x = xp.reshape(x, (x.shape[0], x.shape[1] * x.shape[2], x.shape[3]))
    if x.shape[1] % taps:
        raise ValueError(
            f"For 'fold', the rows of 'input' must be a multiple of the {taps} places of the "
            f"kernel, but got {x.shape[1]}."
        )
    x = xp.reshape(x, (x.shape[0], x.shape[1] // taps, taps, x.shape[2]))
    size = sizes_of("fold", "output_size", output_size, 1, 2)
    out = _fold(xp, "fold", x, size, kernel_size, dilation, padding, stride)
    return xp.squeeze(out, 0) if input.ndim == 2 else out


@op(
    "ops.col2im(input_x, output_size, kernel_size, dilation, padding_value, stride)",
    "ops.Col2Im(kernel_size, dilation=1, padding: padding_value=0, stride=1)(x: input_x, "
    "output_size)",
    "Tensor.col2im(output_size, kernel_size, dilation, padding_value, stride)",
    quirks=Quirks(
        rules=dict.fromkeys(("ops.col2im", "ops.Col2Im", "Tensor.col2im"), {"output_size": Index})
    ),
)
def col2im(
    xp,
    input_x: Columns,
    output_size: Any,
    kernel_size: listed(Positive, 1, 2),
    dilation: listed(Positive, 1, 2),
    padding_value: listed(Natural, 1, 2),
    stride: listed(Positive, 1, 2),
):
    """Adds columns up to images: what `Im2Col` takes apart. Places in several windows receive the
    sum.

    Shapes:
        `input_x` is (N, C, k_h * k_w, windows), `output_size` is (2,) of int32. The result is (N,
        C, *output_size), of the dtype of `input_x`.

    Example:
        >>> columns = ms.ops.ones((1, 1, 4, 2))
        >>> print(ms.ops.Col2Im(kernel_size=2)(columns, ms.Tensor([2, 3], ms.int32)))
        [[[[1. 2. 1.]
           [1. 2. 1.]]]]
    """
    need_rank("col2im", "input_x", input_x, 4)
    size = sizes_of("col2im", "output_size", output_size, 1, 2)
    return _fold(xp, "col2im", input_x, size, kernel_size, dilation, padding_value, stride)


@op("mint.conv_tbc(input, weight, bias, pad=0)")
def conv_tbc(xp, input: Floats, weight: Floats, bias: Floats, pad: Natural = 0):
    """Computes the cross-correlation of sequences, with the time on the first axis, with kernels.

    Shapes:
        `input` is (L, N, C), `weight` is (k, C, C_out), `bias` is (C_out,). The result is (L', N,
        C_out), of the same dtype.

    Example:
        >>> x, w = ms.ops.ones((3, 1, 2)), ms.ops.ones((2, 2, 1))
        >>> print(ms.mint.conv_tbc(x, w, ms.Tensor([0.5])))
        [[[4.5]]
        <BLANKLINE>
         [[4.5]]]
    """
    need_rank("conv_tbc", "input", input, 3)
    need_rank("conv_tbc", "weight", weight, 3)
    x, w = xp.transpose(input, (1, 2, 0)), xp.transpose(weight, (2, 1, 0))
    out = _convolve(xp, "conv_tbc", x, w, bias, 1, "pad", pad, 1, 1)
    return xp.transpose(out, (2, 0, 1))


# Grayscale dilation: a convolution with sum for product and maximum for sum.

Step = several(Positive, 2, 4)


@op(
    "ops.Dilation2D(stride, dilation, pad_mode='SAME', data_format='NCHW')(x, filter)",
    types=SameDtype("x filter"),
)
def dilation2d(
    xp,
    x: TensorOf(real),
    filter: TensorOf(real),
    stride: Step,
    dilation: Step,
    pad_mode: OneOf("same", "valid", "SAME", "VALID") = "SAME",
    data_format: AsValue(OneOf("NCHW")) = "NCHW",
):
    """Computes the maximum of x + filter over each window of images.

    Shapes:
        `x` is (N, C, H, W), `filter` is (C, k_h, k_w), of one dtype. The result is (N, C, H', W'),
        of the same dtype.

    Example:
        >>> x = ms.Tensor([[[[1.0, 2.0], [4.0, 3.0]]]])
        >>> print(ms.ops.Dilation2D(1, 1, "VALID")(x, ms.ops.zeros((1, 2, 2))))
        [[[[4.]]]]
    """
    need_rank("Dilation2D", "x", x, 4)
    need_rank("Dilation2D", "filter", filter, 3)
    if x.shape[1] != filter.shape[0]:
        raise ValueError(
            f"For 'Dilation2D', 'filter' must have {x.shape[1]} channels, but got "
            f"{filter.shape[0]}."
        )
    stride, dilation = height_and_width(stride), height_and_width(dilation)
    if max(stride) > 255:
        raise ValueError(f"For 'Dilation2D', 'stride' must be in [1, 255], but got {stride}.")
    kernel, size = tuple(filter.shape[1:]), tuple(x.shape[2:])
    pads = padding_of("Dilation2D", pad_mode, 0, size, kernel, stride, dilation)
    _need_room("Dilation2D", size, kernel, pads, dilation)
    wide = xp.cast(x, "float64") if x.dtype.kind in "iu" else x
    wide = xp.pad(wide, ((0, 0), (0, 0), *pads), "constant", constant_values=-xp.inf)
    best = None
    for i in range(kernel[0]):
        for j in range(kernel[1]):
            rows, columns = (
                slice(t * d, n + sum(p) - (k - 1 - t) * d, s)
                for t, d, n, p, k, s in zip((i, j), dilation, size, pads, kernel, stride)
            )
            tap = wide[:, :, rows, columns] + xp.reshape(filter[:, i, j], (-1, 1, 1))
            best = tap if best is None else xp.maximum(best, tap)
    return xp.cast(best, x.dtype)
