"""Deformable convolution and attention: sampling at positions that depend on the data."""

from math import prod

import numpy as np

from ..._core.declare.op import op
from ..._core.rules.vocabulary import AsValue, Bool, Int, OneOf, ScalarOf, TensorOf, TupleOf
from .._conv.sizes import need_rank
from .._rules import Float16Or32
from . import grid_points  # noqa: F401 - it provides xp.sample_points

PIXELS = ("bilinear", "zeros", None)  # settings of `xp.sample_points` for pixel coordinates
Two = TupleOf(Int(ge=1), length=2)
Four = TupleOf(Int(ge=1), length=4)
Pads = TupleOf(Int(ge=0), length=4)


def _sample_columns(xp, api, x, offsets, kernel, stride, pads, dilation, groups):
    """Returns the columns of a deformable convolution, (N, C, out_height k_h, out_width k_w)."""
    need_rank(api, "x", x, 4)
    need_rank(api, "offsets", offsets, 4)
    kernel_elements = kernel[0] * kernel[1]
    out = tuple(
        (n + sum(p) - d * (k - 1) - 1) // s + 1
        for n, p, d, k, s in zip(x.shape[2:], pads, dilation, kernel, stride)
    )
    expected_shape = (x.shape[0], 3 * groups * kernel_elements, *out)
    if tuple(offsets.shape) != expected_shape or x.shape[1] % groups:
        raise ValueError(
            f"For '{api}', 'offsets' must have shape {expected_shape} and "
            f"the channels be divisible by {groups}, but got {tuple(offsets.shape)} and "
            f"{x.shape[1]} channels."
        )
    shape = (x.shape[0], 3, groups, kernel[0], kernel[1], *out)
    parts = xp.reshape(offsets, shape)
    sizes = tuple(zip(kernel, dilation, out, stride, (pad[0] for pad in pads)))
    centres = xp.table(_centres, sizes, offsets.dtype)
    lead, count = x.shape[0] * groups, kernel_elements * prod(out)
    points = xp.reshape(xp.moveaxis(parts[:, :2], 1, -1) + centres, (lead, 1, count, 2))
    planes = xp.reshape(x, (lead, x.shape[1] // groups, *x.shape[2:]))
    samples = xp.sample_points(planes, points, *PIXELS)
    samples = samples * xp.reshape(parts[:, 2], (lead, 1, 1, count))
    samples = xp.reshape(samples, (x.shape[0], x.shape[1], *kernel, *out))
    samples = xp.transpose(samples, (0, 1, 4, 2, 5, 3))
    return xp.reshape(samples, (x.shape[0], x.shape[1], out[0] * kernel[0], out[1] * kernel[1]))


def _centres(sizes, dtype):
    """Returns the pixels, x first, that the positions of a kernel have without offsets, (k_h, k_w,
    out_height, out_width, 2)."""
    rows, columns = (
        np.arange(k)[:, None] * d + np.arange(o) * s - pad for k, d, o, s, pad in sizes
    )
    grid = np.broadcast_arrays(columns[None, :, None, :], rows[:, None, :, None])
    return np.stack(grid, -1).astype(dtype)


def _need_ones(api, name, value):
    if value[0] != 1 or value[1] != 1:
        raise ValueError(
            f"For '{api}', '{name}' must be 1 for batch and channels, but got {value}."
        )


@op(
    "ops.DeformableOffsets(strides, pads, ksize, dilations=(1, 1, 1, 1), data_format='NCHW', "
    "deformable_groups=1, modulated=True)(x, offsets)"
)
def deformable_offsets(
    xp,
    x: Float16Or32,
    offsets: Float16Or32,
    strides: Four,
    pads: Pads,
    ksize: Two,
    dilations: Four = (1, 1, 1, 1),
    data_format: AsValue(OneOf("NCHW")) = "NCHW",
    deformable_groups: Int(ge=1) = 1,
    modulated: OneOf(True) = True,
):
    """Samples the input of a deformable convolution at shifted positions.

    `offsets` holds x, y and a weight for each group and kernel position.

    Shapes:
        `x` is (N, C, H, W). The result is (N, C, H' * k_h, W' * k_w), of the same dtype.

    Example:
        >>> sample = ms.ops.DeformableOffsets((1, 1, 1, 1), (0, 0, 0, 0), (1, 1))
        >>> print(sample(ms.Tensor([[[[1.0, 2.0]]]]),
        ...              ms.Tensor([[[[0.0, 0.0]], [[0.0, 0.0]], [[1.0, 0.5]]]])))
        [[[[1. 1.]]]]
    """
    _need_ones("DeformableOffsets", "strides", strides)
    _need_ones("DeformableOffsets", "dilations", dilations)
    return _sample_columns(
        xp,
        "DeformableOffsets",
        x,
        offsets,
        ksize,
        strides[2:],
        (pads[:2], pads[2:]),
        dilations[2:],
        deformable_groups,
    )


@op(
    "ops.deformable_conv2d(x, weight, offsets, kernel_size, strides, padding, bias=None, "
    "dilations=(1, 1, 1, 1), groups=1, deformable_groups=1, modulated=True)"
)
def deformable_conv2d(
    xp,
    x: Float16Or32,
    weight: Float16Or32,
    offsets: Float16Or32,
    kernel_size: Two,
    strides: Four,
    padding: Pads,
    bias: Float16Or32 = None,
    dilations: Four = (1, 1, 1, 1),
    groups: Int(ge=1) = 1,
    deformable_groups: ScalarOf(Int(ge=1), TypeError) = 1,
    modulated: Bool = True,
):
    """Computes a 2-D deformable convolution: kernel positions are shifted by `offsets` and
    weighted.

    `offsets` holds all x, then all y, then all weights. `strides` and `dilations` are (1, 1,
    vertical, horizontal), `padding` is (top, bottom, left, right). Zhu et al., "Deformable ConvNets
    v2" (2018).

    Shapes:
        `x` is (N, C, H, W), `weight` is (C_out, C / groups, k_h, k_w), `offsets` is (N, 3 *
        deformable_groups * k_h * k_w, H', W'). The result is (N, C_out, H', W'), of the same dtype.

    Example:
        >>> offsets = ms.Tensor([[[[0.0, 0.0]], [[0.0, 0.0]], [[1.0, 0.5]]]])
        >>> one, none = (1, 1, 1, 1), (0, 0, 0, 0)
        >>> x, weight = ms.Tensor([[[[1.0, 2.0]]]]), ms.Tensor([[[[10.0]]]])
        >>> print(ms.ops.deformable_conv2d(x, weight, offsets, (1, 1), one, none))
        [[[[10. 10.]]]]
    """
    if not modulated:
        raise ValueError("For 'deformable_conv2d', 'modulated' must be True, but got False.")
    _need_ones("deformable_conv2d", "strides", strides)
    _need_ones("deformable_conv2d", "dilations", dilations)
    columns = _sample_columns(
        xp,
        "deformable_conv2d",
        x,
        offsets,
        kernel_size,
        strides[2:],
        (padding[:2], padding[2:]),
        dilations[2:],
        deformable_groups,
    )
    none = ((0, 0), (0, 0))
    out = xp.convolve_nd(columns, weight, kernel_size, none, (1, 1), groups)
    if bias is None:
        return out
    if tuple(bias.shape) != (out.shape[1],):
        raise ValueError(
            f"For 'deformable_conv2d', 'bias' must have shape ({out.shape[1]},), but "
            f"got {tuple(bias.shape)}."
        )
    return out + xp.reshape(bias, (-1, 1, 1))


@op("ops.multi_scale_deformable_attn_function(value, shape, offset, locations, weight)")
def multi_scale_deformable_attn(
    xp,
    value: Float16Or32,
    shape: TensorOf("int32", "int64"),
    offset: TensorOf("int32", "int64"),
    locations: Float16Or32,
    weight: Float16Or32,
):
    """Computes multi-scale deformable attention: each query attends to a few points of several
    feature maps.

    Args:
        value: The maps, (N, keys, heads, channels), joined along the keys; channels are divisible
            by 8.
        shape: The height and width of each map, (levels, 2).
        offset: The index of the first key of each map, (levels,).
        locations: Points in [0, 1], x first, (N, queries, heads, levels, points, 2).
        weight: The weight of each point, (N, queries, heads, levels, points).

    Shapes:
        See the arguments; the result is (N, queries, heads * channels), of float32.

    Returns:
        (N, queries, heads * channels).

    Example:
        >>> value, weight = ms.ops.ones((1, 4, 1, 8)), ms.ops.ones((1, 1, 1, 1, 1))
        >>> where = 0.5 * ms.ops.ones((1, 1, 1, 1, 1, 2))
        >>> attend = ms.ops.multi_scale_deformable_attn_function
        >>> print(attend(value, ms.Tensor([[2, 2]], ms.int32), ms.Tensor([0], ms.int32), where,
        ...              weight))
        [[[1. 1. 1. 1. 1. 1. 1. 1.]]]
    """
    if value.shape[3] % 8:
        raise RuntimeError(
            f"For 'multi_scale_deformable_attn_function', the channels must be divisible by 8, "
            f"but got {value.shape[3]}."
        )
    count, _, heads, channels = value.shape
    queries, points = locations.shape[1], locations.shape[4]
    total, levels = 0, shape.shape[0]
    numbers = xp.concatenate([xp.reshape(x, (-1,)) for x in (shape, offset)]).tolist()
    for level in range(levels):
        size, first = tuple(numbers[2 * level : 2 * level + 2]), numbers[2 * levels + level]
        part = value[:, first : first + size[0] * size[1]]
        part = xp.reshape(xp.transpose(part, (0, 2, 3, 1)), (count * heads, channels, *size))
        at = xp.reshape(
            xp.moveaxis(locations[:, :, :, level], 2, 1), (count * heads, queries, points, 2)
        )
        at = at * xp.table(np.array, size[::-1], at.dtype) - 0.5
        share = xp.moveaxis(weight[:, :, :, level], 2, 1)
        share = xp.reshape(share, (count * heads, 1, queries, points))
        total = total + xp.sum(xp.sample_points(part, at, *PIXELS) * share, 3)
    total = xp.reshape(total, (count, heads * channels, queries))
    return xp.moveaxis(total, 1, 2)
