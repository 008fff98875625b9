"""1-D, 2-D and 3-D convolution.

Transposed convolutions are in conv_transpose.py, the arithmetic in _backend/conv/convolution.py.
Every operator here is composed of `xp.convolve_nd` and related functions, whose gradients are in
_core/autograd/vjp_rules_conv.py. Low-precision dtypes are computed in float32.
"""

from dataclasses import dataclass

from ..._core.declare.inputs import Quirks, SameDtype
from ..._core.declare.op import op
from ..._core.rules.value_rules import AnyCase
from ..._core.rules.vocabulary import AsValue, ListOf, OneOf, Rule, TensorOf, TupleOf
from .._rules import Floats, Natural, Positive, listed, listed_sizes, several, sizes
from .sizes import (
    height_and_width,
    need_kernel_fits,
    need_one_dtype,
    need_rank,
    padding_of,
    per_dimension,
)

Mode = OneOf("same", "valid", "pad")


@dataclass(frozen=True, repr=False)
class _UnlikeSteps(Rule):
    """A list that does not consist of `count` positive ints."""

    count: int

    def kind(self, name):
        steps = ListOf(Positive, length=self.count).guard(name)
        return f"isinstance({name}, list) and not ({steps})"

    def noun(self):
        return "another list"

    def samples(self):
        return [[], [0]]


def _steps(count):
    """Accepts a positive int, or a tuple of `count` positive ints. A list of `count` positive ints
    is a TypeError, since only the primitive refuses it; any other tuple or list is a ValueError.
    """
    return AsValue(several(Positive, count), TupleOf() | _UnlikeSteps(count))


def _convolve(xp, api, x, w, bias, stride, mode, padding, dilation, groups):
    """Computes the convolution of all public forms; `x` and `w` have channels on the second
    axis."""
    count = w.ndim - 2
    need_one_dtype(api, input=x, weight=w)
    need_rank(api, "input", x, w.ndim)
    stride, dilation = per_dimension(stride, count), per_dimension(dilation, count)
    kernel, size = tuple(w.shape[2:]), tuple(x.shape[2:])
    if x.shape[1] % groups or w.shape[0] % groups or x.shape[1] != w.shape[1] * groups:
        raise ValueError(
            f"For '{api}', the channels of 'input' must be those of 'weight' times the groups and "
            f"both divisible by them, but got shapes {tuple(x.shape)}, {tuple(w.shape)} and "
            f"{groups} groups.{_layout_hint(x, w, groups)}"
        )
    pads = padding_of(api, mode, padding, size, kernel, stride, dilation)
    need_kernel_fits(api, size, kernel, pads, dilation)
    return add_bias(xp, api, xp.convolve_nd(x, w, stride, pads, dilation, groups), bias)


def _layout_hint(x, w, groups):
    """Returns a sentence for the message if the channels of the input are on its last axis."""
    if x.shape[-1] != w.shape[1] * groups:
        return ""
    first, *sizes = range(x.ndim)
    order = ", ".join(map(str, (first, sizes[-1], *sizes[:-1])))
    return (
        f" The last axis of 'input' has {x.shape[-1]} elements: if it holds the channels, "
        f"pass input.transpose({order}), or use dataset.vision.HWC2CHW."
    )


def add_bias(xp, api, out, bias):
    if bias is None:
        return out
    need_one_dtype(api, input=out, bias=bias)
    if bias.ndim != 1 or bias.shape[0] != out.shape[1]:
        raise ValueError(
            f"For '{api}', 'bias' must have shape ({out.shape[1]},), but got {tuple(bias.shape)}."
        )
    return out + xp.reshape(bias, (-1,) + (1,) * (out.ndim - 2))


@op(
    "ops.conv1d(input, weight, bias=None, stride=1, pad_mode='valid', padding=0, dilation=1, "
    "groups=1)",
    compute="products",
    inline=True,
    quirks=Quirks(shapes_first=True),
)
def conv1d(
    xp,
    input: Floats,
    weight: Floats,
    bias: TensorOf() = None,
    stride: AsValue(listed(Positive, 1), TupleOf() | ListOf()) = 1,
    pad_mode: Mode = "valid",
    padding: AsValue(listed(Natural, 1), TupleOf() | ListOf()) = 0,
    dilation: AsValue(listed(Positive, 1), TupleOf() | ListOf()) = 1,
    groups: Positive = 1,
):
    """Computes a 1-D convolution of a sequence (N, C, L) with kernels (C_out, C / groups, k).

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
    if bias is not None and bias.ndim != 1:
        need_rank("conv1d", "bias", bias, 1)
    return _convolve(xp, "conv1d", input, weight, bias, stride, pad_mode, padding, dilation, groups)


@op(
    "ops.conv2d(input, weight, bias=None, stride=1, pad_mode='valid', padding=0, dilation=1, "
    "groups=1)",
    compute="products",
    inline=True,
)
def conv2d(
    xp,
    input: Floats,
    weight: Floats,
    bias: TensorOf() = None,
    stride: _steps(2) = 1,
    pad_mode: Mode = "valid",
    padding: listed_sizes(Natural, 2) = 0,
    dilation: _steps(2) = 1,
    groups: Positive = 1,
):
    """Computes a 2-D convolution of images (N, C, H, W) with kernels (C_out, C / groups, k_h, k_w).

    `pad_mode` "same" gives ceil(size / stride) outputs, "valid" uses no padding, "pad" puts
    `padding` zeros on both sides. If `padding` has two numbers, the first applies above and below,
    the second left and right.

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
    "groups=1)",
    compute="products",
    inline=True,
)
def conv3d(
    xp,
    input: Floats,
    weight: Floats,
    bias: TensorOf() = None,
    stride: _steps(3) = 1,
    pad_mode: AnyCase(Mode) = "valid",
    padding: listed_sizes(Natural, 3) = 0,
    dilation: _steps(3) = 1,
    groups: Positive = 1,
):
    """Computes a 3-D convolution of volumes (N, C, D, H, W) with kernels (C_out, C / groups, k_d,
    k_h, k_w).

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


# The functions of mint: padding may be "valid" or "same", and the batch axis may be missing.

Words = OneOf("same", "valid")


def _conv_unbatched(xp, api, input, weight, bias, stride, padding, dilation, groups, count):
    need_rank(api, "weight", weight, count + 2)
    need_rank(api, "input", input, count + 1, count + 2)
    mode = "pad"
    if isinstance(padding, str):
        mode, padding = padding, 0
        if mode == "same" and set(per_dimension(stride, count)) != {1}:
            raise ValueError(
                f"For '{api}', 'stride' must be 1 where 'padding' is 'same', but got {stride!r}."
            )
    alone = input.ndim == count + 1
    x = xp.expand_dims(input, 0) if alone else input
    out = _convolve(xp, api, x, weight, bias, stride, mode, padding, dilation, groups)
    return xp.squeeze(out, 0) if alone else out


@op(
    "mint.nn.functional.conv1d(input, weight, bias=None, stride=1, padding=0, dilation=1, "
    "groups=1)",
    compute="products",
    inline=True,
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
    """Computes a 1-D convolution of a sequence with kernels.

    `padding` is the number of zeros at both ends, or "valid" for no padding, or "same" for an
    output of the length of the input.

    Shapes:
        `input` is (N, C, L) or (C, L), `weight` is (C_out, C / groups, k), `bias` is (C_out,). The
        result is (N, C_out, L') or (C_out, L'), of the same dtype.

    Example:
        >>> x, w = ms.Tensor([[[1.0, 2.0, 3.0, 4.0]]]), ms.Tensor([[[1.0, 1.0]]])
        >>> print(ms.mint.nn.functional.conv1d(x, w, padding=1))
        [[[1. 3. 5. 7. 4.]]]
    """
    return _conv_unbatched(xp, "conv1d", input, weight, bias, stride, padding, dilation, groups, 1)


@op(
    "mint.nn.functional.conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, "
    "groups=1)",
    "mint.conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1)",
    compute="products",
    inline=True,
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
    """Computes a 2-D convolution of images with kernels.

    `padding` is the number of zeros on each side, or "valid" for no padding, or "same" for an
    output of the size of the input.

    Shapes:
        `input` is (N, C, H, W) or (C, H, W), `weight` is (C_out, C / groups, k_h, k_w), `bias` is
        (C_out,). The result is (N, C_out, H', W'), or (C_out, H', W') without N, of the same dtype.

    Example:
        >>> x = ms.Tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
        >>> print(ms.mint.nn.functional.conv2d(x, ms.ops.ones((1, 1, 2, 2)), padding=1))
        [[[[ 1.  3.  2.]
           [ 4. 10.  6.]
           [ 3.  7.  4.]]]]
    """
    return _conv_unbatched(xp, "conv2d", input, weight, bias, stride, padding, dilation, groups, 2)


@op(
    "mint.nn.functional.conv3d(input, weight, bias=None, stride=1, padding=0, dilation=1, "
    "groups=1)",
    compute="products",
    inline=True,
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
    """Computes a 3-D convolution of volumes with kernels.

    `padding` is the number of zeros on each side, or "valid" for no padding, or "same" for an
    output of the size of the input.

    Shapes:
        `input` is (N, C, D, H, W) or (C, D, H, W), `weight` is (C_out, C / groups, k_d, k_h, k_w),
        `bias` is (C_out,). The result is (N, C_out, D', H', W'), or (C_out, D', H', W') without N,
        of the same dtype.

    Example:
        >>> x = ms.ops.ones((1, 1, 3, 3, 3))
        >>> print(ms.mint.nn.functional.conv3d(x, ms.ops.ones((1, 1, 2, 2, 2)), stride=2).shape)
        (1, 1, 1, 1, 1)
    """
    return _conv_unbatched(xp, "conv3d", input, weight, bias, stride, padding, dilation, groups, 3)


# Primitives: the sizes of the weights are set at construction; the weights are checked against
# them.


def need_weight(api, w, filters, kernel):
    """Rejects weights that do not match the settings of the primitive."""
    kernel = per_dimension(kernel, w.ndim - 2)
    if w.shape[0] != filters or tuple(w.shape[2:]) != kernel:
        raise RuntimeError(
            f"For '{api}', 'weight' must have {filters} filters of size {kernel}, but got shape "
            f"{tuple(w.shape)}."
        )


def _four(step):
    """Returns a step as four numbers, which are 1 for samples and channels."""
    return (1, 1, *height_and_width(step))


def channels_second(xp, x):
    """Moves the channels from the last axis to the second."""
    return xp.moveaxis(x, -1, 1)


@op(
    "ops.Conv2D(out_channel, kernel_size, mode=1, pad_mode='valid', pad=0, stride=1, dilation=1, "
    "group=1, data_format='NCHW')(x, weight)",
    compute="products",
    inline=True,
    quirks=Quirks(
        stored={
            "ops.Conv2D": {
                "kernel_size": lambda size: per_dimension(size, 2),
                "pad": lambda pad: per_dimension(pad, 4),
                "stride": _four,
                "dilation": _four,
            }
        }
    ),
)
def conv2d_primitive(
    xp,
    x: Floats,
    weight: Floats,
    out_channel: Positive,
    kernel_size: sizes(Positive, 2),
    mode: OneOf(1) = 1,
    pad_mode: Mode = "valid",
    pad: sizes(Natural, 4) = 0,
    stride: sizes(Positive, 2, 4) = 1,
    dilation: sizes(Positive, 2, 4) = 1,
    group: Positive = 1,
    data_format: AsValue(OneOf("NCHW", "NHWC")) = "NCHW",
):
    """Computes a 2-D convolution of images with kernels whose size is set at construction.

    With `pad_mode` "pad", `pad` is one number, or four: above, below, left and right. With
    `data_format` "NHWC", images and kernels have their channels on the last axis.

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
        x, weight = channels_second(xp, x), channels_second(xp, weight)
    need_rank("Conv2D", "weight", weight, 4)
    need_weight("Conv2D", weight, out_channel, kernel_size)
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
    compute="products",
    inline=True,
)
def conv3d_primitive(
    xp,
    x: Floats,
    weight: Floats,
    out_channel: Positive,
    kernel_size: sizes(Positive, 3),
    mode: OneOf(1) = 1,
    pad_mode: AnyCase(Mode) = "valid",
    pad: sizes(Natural, 6) = 0,
    stride: sizes(Positive, 3, 5) = 1,
    dilation: sizes(Positive, 3, 5) = 1,
    group: Positive = 1,
    data_format: AsValue(OneOf("NCDHW")) = "NCDHW",
):
    """Computes a 3-D convolution of volumes with kernels whose size is set at construction.

    With `pad_mode` "pad", `pad` is one number, or six: two for the ends of each axis.

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
    need_weight("Conv3D", weight, out_channel, kernel_size)
    return _convolve(
        xp,
        "Conv3D",
        x,
        weight,
        None,
        per_dimension(stride, 3)[-3:],
        pad_mode,
        pad,
        per_dimension(dilation, 3)[-3:],
        group,
    )


@op("mint.conv_tbc(input, weight, bias, pad=0)", compute="products")
def conv_tbc(xp, input: Floats, weight: Floats, bias: Floats, pad: Natural = 0):
    """Computes a 1-D convolution of sequences (T, N, C), whose first axis is time.

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
