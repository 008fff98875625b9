"""Pixel shuffles between channels, batch and space; patches; colour conversions.

Resizing is in _image/resize.py. Everything here except the colour conversions only moves values.
"""

from math import prod

from ..._core.declare.op import op
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Any, AsValue, Int, ListOf, OneOf, TensorOf, TupleOf, checked
from ..._core.tensor.tensor import Tensor
from .._conv.sizes import need_rank, padding_of, per_dimension
from .._rules import Anything, Float16To64, Index, Numbers, Reals, RealsUpTo64, listed_sizes
from ..primitive import Primitive

Block = Int(ge=2)


# Channels and space -------------------------------------------------------------------------------


@op(
    "ops.pixel_shuffle(input, upscale_factor)",
    "mint.nn.functional.pixel_shuffle(input, upscale_factor)",
    "mint.nn.PixelShuffle(upscale_factor)(input)",
    compute="native",
)
def pixel_shuffle(xp, input: Anything, upscale_factor: Int(ge=1)):
    """Rearranges groups of r^2 channels into r x r squares of pixels, with r = `upscale_factor`.

    Shapes:
        `input` is (..., C r^2, H, W). The result is (..., C, H r, W r), of the same dtype.

    Example:
        >>> print(ms.ops.pixel_shuffle(ms.Tensor([[[[1]], [[2]], [[3]], [[4]]]]), 2))
        [[[[1 2]
           [3 4]]]]
    """
    if input.ndim < 3:
        raise ValueError(
            f"For 'pixel_shuffle', 'input' must have at least 3 dimensions, but got {input.ndim}."
        )
    r = upscale_factor
    lead, (channels, height, width) = tuple(input.shape[:-3]), input.shape[-3:]
    if channels % (r * r):
        raise ValueError(
            f"For 'pixel_shuffle', the channels must be divisible by {r * r}, but got {channels}."
        )
    x = xp.reshape(input, (prod(lead), channels // (r * r), r, r, height, width))
    x = xp.transpose(x, (0, 1, 4, 2, 5, 3))
    return xp.reshape(x, (*lead, channels // (r * r), height * r, width * r))


@op(
    "ops.pixel_unshuffle(input, downscale_factor)",
    "mint.nn.PixelUnshuffle(downscale_factor)(input)",
    compute="native",
)
def pixel_unshuffle(xp, input: Anything, downscale_factor: Int(ge=1)):
    """Rearranges r x r squares of pixels into groups of r^2 channels, with r = `downscale_factor`.

    Shapes:
        `input` is (..., C, H r, W r). The result is (..., C r^2, H, W), of the same dtype.

    Example:
        >>> print(ms.ops.pixel_unshuffle(ms.Tensor([[[[1, 2], [3, 4]]]]), 2).shape)
        (1, 4, 1, 1)
    """
    if input.ndim < 3:
        raise ValueError(
            f"For 'pixel_unshuffle', 'input' must have at least 3 dimensions, but got {input.ndim}."
        )
    r = downscale_factor
    lead, (channels, height, width) = tuple(input.shape[:-3]), input.shape[-3:]
    if height % r or width % r:
        raise ValueError(
            f"For 'pixel_unshuffle', height and width must be divisible by {r}, but got {height} "
            f"and {width}."
        )
    x = xp.reshape(input, (prod(lead), channels, height // r, r, width // r, r))
    x = xp.transpose(x, (0, 1, 3, 5, 2, 4))
    return xp.reshape(x, (*lead, channels * r * r, height // r, width // r))


@op("ops.DepthToSpace(block_size)(x)", compute="native")
def depth_to_space(xp, x: Numbers, block_size: Block):
    """Rearranges groups of channels into b x b blocks of pixels, with b = `block_size`. Channel
    number p * C + c goes to position p of the block.

    Shapes:
        `x` is (N, C b^2, H, W). The result is (N, C, H b, W b), of the same dtype.

    Example:
        >>> print(ms.ops.DepthToSpace(2)(ms.Tensor([[[[1.0]], [[2.0]], [[3.0]], [[4.0]]]])))
        [[[[1. 2.]
           [3. 4.]]]]
    """
    need_rank("DepthToSpace", "x", x, 4)
    count, channels, height, width = x.shape
    b = block_size
    if channels % (b * b):
        raise ValueError(
            f"For 'DepthToSpace', the channels must be divisible by {b * b}, but got {channels}."
        )
    parts = xp.reshape(x, (count, b, b, channels // (b * b), height, width))
    parts = xp.transpose(parts, (0, 3, 4, 1, 5, 2))
    return xp.reshape(parts, (count, channels // (b * b), height * b, width * b))


@op("ops.SpaceToDepth(block_size)(x)", compute="native")
def space_to_depth(xp, x: Numbers, block_size: Block):
    """Rearranges b x b blocks of pixels into groups of channels, with b = `block_size`. Position p
    of the block goes to channel number p * C + c.

    Shapes:
        `x` is (N, C, H b, W b). The result is (N, C b^2, H, W), of the same dtype.

    Example:
        >>> print(ms.ops.SpaceToDepth(2)(ms.Tensor([[[[1.0, 2.0], [3.0, 4.0]]]])).shape)
        (1, 4, 1, 1)
    """
    need_rank("SpaceToDepth", "x", x, 4)
    count, channels, height, width = x.shape
    b = block_size
    if height % b or width % b:
        raise ValueError(
            f"For 'SpaceToDepth', height and width must be divisible by {b}, but got {height} and "
            f"{width}."
        )
    parts = xp.reshape(x, (count, channels, height // b, b, width // b, b))
    parts = xp.transpose(parts, (0, 3, 5, 1, 2, 4))
    return xp.reshape(parts, (count, channels * b * b, height // b, width // b))


@op("ops.channel_shuffle(x, groups)", "ops.ChannelShuffle(group: groups)(x)", compute="native")
def channel_shuffle(xp, x: RealsUpTo64, groups: AsValue(Int(ge=1))):
    """Shuffles channels between groups: reshapes them to (groups, C / groups) and transposes the
    two axes.

    Shapes:
        `x` is (N, C, ...). The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.channel_shuffle(ms.Tensor([[[[1]], [[2]], [[3]], [[4]]]]), 2).reshape(4))
        [1 3 2 4]
    """
    if x.ndim < 3:
        raise TypeError(
            f"For 'channel_shuffle', 'x' must have at least 3 dimensions, but got {x.ndim}."
        )
    if x.shape[1] % groups:
        raise ValueError(
            f"For 'channel_shuffle', the channels must be divisible by {groups}, but got "
            f"{x.shape[1]}."
        )
    parts = xp.reshape(x, (x.shape[0], groups, x.shape[1] // groups, prod(x.shape[2:])))
    return xp.reshape(xp.swapaxes(parts, 1, 2), x.shape)


# Batch and space ----------------------------------------------------------------------------------

Blocks = Int(ge=1) | TupleOf(Int(ge=1)) | ListOf(Int(ge=1))
Pair = TupleOf(Int(ge=0), length=2) | ListOf(Int(ge=0), length=2)
Pairs = TupleOf(Pair, length=2) | ListOf(Pair, length=2)
Cuts = TupleOf(AsValue(Pair)) | ListOf(AsValue(Pair))


def _blocks(api, x, block, pairs):
    """Returns one block size per pair of `pairs`; they apply to the last axes."""
    block = tuple(block) if isinstance(block, (tuple, list)) else (block,) * len(pairs)
    if len(block) != len(pairs) or x.ndim <= len(block):
        raise ValueError(
            f"For '{api}', there must be one pair for each of {len(block)} blocks, and more "
            f"dimensions than blocks, but got {len(pairs)} pairs and shape {tuple(x.shape)}."
        )
    return block


def _to_batch(xp, api, x, block, paddings):
    block = _blocks(api, x, block, paddings)
    count = len(block)
    x = xp.pad(x, ((0, 0),) * (x.ndim - count) + tuple(map(tuple, paddings)))
    lead, size = tuple(x.shape[:-count]), x.shape[-count:]
    if any(n % b for n, b in zip(size, block)):
        raise ValueError(f"For '{api}', padded sizes {tuple(size)} must be divisible by {block}.")
    split = sum(((n // b, b) for n, b in zip(size, block)), ())
    parts = xp.reshape(x, lead + split)
    inner = [len(lead) + 2 * i + 1 for i in range(count)]
    outer = [len(lead) + 2 * i for i in range(count)]
    parts = xp.transpose(parts, (*inner, *range(len(lead)), *outer))
    return xp.reshape(parts, (prod(block) * lead[0], *lead[1:], *split[::2]))


def _from_batch(xp, api, x, block, crops):
    block = _blocks(api, x, block, crops)
    count = len(block)
    if x.shape[0] % prod(block):
        raise ValueError(
            f"For '{api}', the batch must be divisible by {prod(block)}, but got {x.shape[0]}."
        )
    size, middle = tuple(x.shape[-count:]), tuple(x.shape[1:-count])
    parts = xp.reshape(x, (*block, x.shape[0] // prod(block), *middle, *size))
    first = count + 1 + len(middle)
    order = list(range(count, first))
    for i in range(count):
        order += [first + i, i]
    whole = tuple(n * b for n, b in zip(size, block))
    parts = xp.reshape(
        xp.transpose(parts, tuple(order)), (x.shape[0] // prod(block), *middle, *whole)
    )
    if any(a + b >= n for (a, b), n in zip(crops, whole)):
        raise ValueError(f"For '{api}', 'crops' {crops} must leave something of {whole}.")
    return parts[(..., *(slice(a, n - b) for (a, b), n in zip(crops, whole)))]


@op(
    "ops.space_to_batch_nd(input_x, block_size, paddings)",
    "ops.SpaceToBatchND(block_shape: block_size, paddings)(input_x)",
    compute="native",
)
def space_to_batch_nd(xp, input_x: RealsUpTo64, block_size: Blocks, paddings: Cuts):
    """Pads the last axes with zeros and cuts them into blocks, whose positions become part of the
    batch.

    Shapes:
        `input_x` is (N, C, ...) with lengths that, with `paddings`, are multiples of `block_size`.
        The result is (N * product of the blocks, C, ...), of the same dtype.

    Example:
        >>> print(ms.ops.space_to_batch_nd(ms.Tensor([[[[1.0, 2.0], [3.0, 4.0]]]]), [2, 2],
        ...                                [[0, 0], [0, 0]]).shape)
        (4, 1, 1, 1)
    """
    return _to_batch(xp, "space_to_batch_nd", input_x, block_size, paddings)


@op(
    "ops.batch_to_space_nd(input_x, block_shape, crops)",
    "ops.BatchToSpaceND(block_shape, crops)(input_x)",
    compute="native",
)
def batch_to_space_nd(xp, input_x: Reals, block_shape: Blocks, crops: Cuts):
    """Reassembles the blocks made by `space_to_batch_nd`, and crops both ends by `crops`.

    Shapes:
        `input_x` is (N * product of the blocks, C, ...). The result is (N, C, ...), of the same
        dtype.

    Example:
        >>> x = ms.ops.ones((4, 1, 1, 1))
        >>> print(ms.ops.batch_to_space_nd(x, [2, 2], [[0, 0], [0, 0]]).shape)
        (1, 1, 2, 2)
    """
    return _from_batch(xp, "batch_to_space_nd", input_x, block_shape, crops)


@public("ops.BatchToSpaceNDV2")
class BatchToSpaceNDV2(Primitive):
    """Reassembles blocks as `ops.batch_to_space_nd`, with the block shape as a Tensor.

    Example:
        >>> x = ms.Tensor([[[[1.0]]], [[[2.0]]], [[[3.0]]], [[[4.0]]]])
        >>> print(ms.ops.BatchToSpaceNDV2()(x, ms.Tensor([2, 2]), [[0, 0], [0, 0]]))
        [[[[1. 2.]
           [3. 4.]]]]
    """

    def __init__(self):
        super().__init__("BatchToSpaceNDV2")

    @checked
    def __call__(self, input_x: Anything, block_shape: Index, crops: Any):
        crops = crops.asnumpy().tolist() if isinstance(crops, Tensor) else crops
        block = tuple(block_shape.asnumpy().tolist())
        return batch_to_space_nd.run(input_x, block, crops)


@op("ops.SpaceToBatch(block_size, paddings)(input_x)", compute="native")
def space_to_batch(xp, input_x: Numbers, block_size: Block, paddings: AsValue(Pairs)):
    """Pads images with zeros and cuts them into square blocks, whose positions become part of the
    batch.

    Shapes:
        `input_x` is (N, C, H, W). The result is (N * block_size^2, C, H / block_size, W /
        block_size), of the same dtype.

    Example:
        >>> print(ms.ops.SpaceToBatch(2, [[0, 0], [0, 0]])(ms.ops.ones((1, 1, 2, 2))).shape)
        (4, 1, 1, 1)
    """
    need_rank("SpaceToBatch", "input_x", input_x, 4)
    return _to_batch(xp, "SpaceToBatch", input_x, (block_size,) * 2, paddings)


@op("ops.BatchToSpace(block_size, crops)(input_x)", compute="native")
def batch_to_space(xp, input_x: Numbers, block_size: Block, crops: Pairs):
    """Reassembles the blocks made by `SpaceToBatch`, and crops both ends by `crops`.

    Shapes:
        `input_x` is (N * block_size^2, C, H, W). The result is (N, C, H * block_size, W *
        block_size) less the crops, of the same dtype.

    Example:
        >>> print(ms.ops.BatchToSpace(2, [[0, 0], [0, 0]])(ms.ops.ones((4, 1, 1, 1))).shape)
        (1, 1, 2, 2)
    """
    need_rank("BatchToSpace", "input_x", input_x, 4)
    return _from_batch(xp, "BatchToSpace", input_x, (block_size,) * 2, crops)


# Patches ------------------------------------------------------------------------------------------

Sizes = listed_sizes(Int(ge=1), 3, 5)


@op("ops.ExtractVolumePatches(kernel_size, strides, padding)(input_x)", compute="native")
def extract_volume_patches(
    xp,
    input_x: Numbers,
    kernel_size: Sizes,
    strides: Sizes,
    padding: OneOf("SAME", "VALID", "same", "valid"),
):
    """Extracts the sliding windows of volumes and writes them as channels.

    Shapes:
        `input_x` is (N, C, D, H, W). The result is (N, k_d k_h k_w C, D', H', W'), of the same
        dtype.

    Example:
        >>> windows = ms.ops.ExtractVolumePatches((1, 1, 2, 2, 2), (1, 1, 1, 1, 1), "VALID")
        >>> print(windows(ms.ops.ones((1, 1, 3, 3, 3))).shape)
        (1, 8, 2, 2, 2)
    """
    need_rank("ExtractVolumePatches", "input_x", input_x, 5)
    kernel, stride = (per_dimension(v, 3)[-3:] for v in (kernel_size, strides))
    size = tuple(input_x.shape[2:])
    pads = padding_of("ExtractVolumePatches", padding, 0, size, kernel, stride, (1, 1, 1))
    out = tuple((n + sum(p) - k) // s + 1 for n, p, k, s in zip(size, pads, kernel, stride))
    if min(out) < 1:
        raise ValueError(f"For 'ExtractVolumePatches', the window {kernel} must fit into {size}.")
    result = xp.im2col(input_x, kernel, stride, pads, (1, 1, 1))
    result = xp.swapaxes(result, 1, 2)
    return xp.reshape(result, (input_x.shape[0], -1, *out))


# Colours ------------------------------------------------------------------------------------------


def _need_colours(api, x, ranks=None):
    if x.ndim < 1 or x.shape[-1] != 3 or ranks and x.ndim not in ranks:
        raise ValueError(
            f"For '{api}', the last of the dimensions must have length 3, but got {tuple(x.shape)}."
        )


def _to_hsv(xp, x):
    """Converts red, green and blue to hue, saturation and value, all in [0, 1]."""
    red, green, blue = x[..., 0], x[..., 1], x[..., 2]
    value = xp.max(x, -1)
    span = value - xp.min(x, -1)
    saturation = xp.where(value > 0, span / xp.where(value > 0, value, 1), 0)
    safe = xp.where(span > 0, 6 * span, 1)
    hue = xp.where(
        red == value,
        (green - blue) / safe,
        xp.where(green == value, (blue - red) / safe + 1 / 3, (red - green) / safe + 2 / 3),
    )
    hue = xp.where(span > 0, hue, 0)
    return xp.where(hue < 0, hue + 1, hue), saturation, value


def _from_hsv(xp, hue, saturation, value):
    """Returns red, green and blue on the last axis."""
    parts = [
        xp.minimum(xp.maximum(p, 0), 1)
        for p in (xp.abs(hue * 6 - 3) - 1, 2 - xp.abs(hue * 6 - 2), 2 - xp.abs(hue * 6 - 4))
    ]
    return xp.stack([(1 - saturation + saturation * p) * value for p in parts], -1)


@op("ops.RGBToHSV()(images)")
def rgb_to_hsv(xp, images: Float16To64):
    """Converts RGB to HSV colours, all values in [0, 1].

    Shapes:
        `images` is (..., 3). The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.RGBToHSV()(ms.Tensor([[[[1.0, 0.5, 0.5]]]])))
        [[[[0.  0.5 1. ]]]]
    """
    _need_colours("RGBToHSV", images)
    return xp.stack(list(_to_hsv(xp, images)), -1)


@op("ops.HSVToRGB()(x)")
def hsv_to_rgb(xp, x: Float16To64):
    """Converts HSV to RGB colours, all values in [0, 1].

    Shapes:
        `x` is (N, H, W, 3). The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.HSVToRGB()(ms.Tensor([[[[0.0, 0.5, 1.0]]]])))
        [[[[1.  0.5 0.5]]]]
    """
    _need_colours("HSVToRGB", x, (4,))
    return _from_hsv(xp, x[..., 0], x[..., 1], x[..., 2])


@op("ops.AdjustHue()(image, delta)")
def adjust_hue(xp, image: Float16To64, delta: TensorOf("float32")):
    """Shifts the hue of images by `delta`, where 1 is a full turn of the colour circle.

    Shapes:
        `image` is (..., 3), `delta` a float32 scalar. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.AdjustHue()(ms.Tensor([[[1.0, 0.0, 0.0]]]), ms.Tensor(0.5)))
        [[[0. 1. 1.]]]
    """
    if image.ndim < 3:
        raise ValueError(
            f"For 'AdjustHue', 'image' must have at least 3 dimensions, but got {image.ndim}."
        )
    need_rank("AdjustHue", "delta", delta, 0)
    _need_colours("AdjustHue", image)
    hue, saturation, value = _to_hsv(xp, image)
    hue = hue + delta
    return xp.cast(_from_hsv(xp, hue - xp.floor(hue), saturation, value), image.dtype)


@op("ops.AdjustSaturation()(image, scale)")
def adjust_saturation(xp, image: Float16To64, scale: TensorOf("float32")):
    """Multiplies the saturation of images by `scale`; the product is at most 1.

    Shapes:
        `image` is (..., 3), `scale` a float32 scalar. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.AdjustSaturation()(ms.Tensor([[[1.0, 0.5, 0.5]]]), ms.Tensor(0.0)))
        [[[1. 1. 1.]]]
    """
    if image.ndim < 3:
        raise ValueError(
            f"For 'AdjustSaturation', 'image' must have at least 3 dimensions, but got "
            f"{image.ndim}."
        )
    need_rank("AdjustSaturation", "scale", scale, 0)
    _need_colours("AdjustSaturation", image)
    hue, saturation, value = _to_hsv(xp, image)
    saturation = xp.minimum(xp.maximum(saturation * scale, 0), 1)
    return xp.cast(_from_hsv(xp, hue, saturation, value), image.dtype)
