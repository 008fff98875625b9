"""Sampling of images at given points: grids, regions of interest, crops, deformable convolution.

All are built on one function: values of an image at fractional coordinates, a weighted mean of the
2, 4 or 8 pixels around each. It is a composition, so that image and coordinates both have
gradients.
"""

from itertools import product
from math import prod

import numpy as np

from ..._core.declare.inputs import Quirks, SameDtype
from ..._core.declare.op import op
from ..._core.rules.vocabulary import (
    AsValue,
    Bool,
    Float,
    Int,
    InTensor,
    OneOf,
    ScalarOf,
    TensorOf,
    TupleOf,
)
from .._conv.im2col import need_rank
from .._rules import Float16Or32, Floats


def _pixels(xp, x, places, inside=None):
    """The pixels of (N, C, ...) at flat positions (N, P), as (N, P, C); 0 where not `inside`."""
    count, channels, area = x.shape[0], x.shape[1], prod(x.shape[2:])
    rows = xp.reshape(xp.moveaxis(xp.reshape(x, (count, channels, area)), 1, 2), (-1, channels))
    flat = xp.reshape(places + xp.reshape(xp.arange(count) * area, (-1, 1)), (-1,))
    found = xp.reshape(xp.take(rows, flat, 0), (*places.shape, channels))
    return found if inside is None else xp.where(xp.expand_dims(inside, -1), found, 0)


def _flat(xp, points, size):
    """Integer points per dimension as flat positions, and whether they lie inside."""
    inside, flat = None, 0
    for at, n in zip(points, size):
        good = (at >= 0) & (at < n)
        inside = good if inside is None else inside & good
        flat = flat * n + xp.minimum(xp.maximum(at, 0), n - 1)
    return xp.cast(flat, "int64"), inside


def _between(xp, x, points):
    """Values of (N, C, ...) at fractional points, one (N, P) array per dimension: (N, P, C).

    Pixels outside the image count as 0.
    """
    size = tuple(x.shape[2:])
    lows = [xp.floor(at) for at in points]
    total = 0
    for corner in product((0, 1), repeat=len(size)):
        at = [low + c for low, c in zip(lows, corner)]
        weight = 1
        for value, low, c in zip(points, lows, corner):
            share = value - low
            weight = weight * (share if c else 1 - share)
        total = total + _pixels(xp, x, *_flat(xp, at, size)) * xp.expand_dims(weight, -1)
    return total


def _nearest(xp, x, points):
    """Values of the pixels nearest to fractional points, 0 outside the image."""
    return _pixels(xp, x, *_flat(xp, [xp.rint(at) for at in points], tuple(x.shape[2:])))


# Grids --------------------------------------------------------------------------------------------


def _reflected(xp, at, low, high):
    """Coordinates folded back into [low, high]."""
    if high <= low:
        return at * 0
    span = high - low
    away = xp.abs(at - low)
    extra = xp.fmod(away, span)
    even = xp.fmod(xp.floor(away / span), 2) == 0
    return xp.where(even, extra + low, span - extra + low)


def _positions(xp, api, x, grid, padding, corners):
    """Pixel coordinates of a grid in [-1, 1], slowest dimension first."""
    count = x.ndim - 2
    if x.ndim not in (4, 5) or grid.ndim != x.ndim:
        raise ValueError(
            f"For '{api}', 'input' and 'grid' must both have 4 or 5 dimensions, but got shapes "
            f"{tuple(x.shape)} and {tuple(grid.shape)}."
        )
    if grid.shape[0] != x.shape[0] or grid.shape[-1] != count:
        raise ValueError(
            f"For '{api}', 'grid' must have shape ({x.shape[0]}, ..., {count}), but got "
            f"{tuple(grid.shape)}."
        )
    flat = xp.reshape(grid, (grid.shape[0], prod(grid.shape[1:-1]), count))
    points = []
    for i, n in enumerate(x.shape[2:]):
        at = flat[:, :, count - 1 - i]
        at = (at + 1) * ((n - 1) / 2) if corners else ((at + 1) * n - 1) / 2
        if padding == "reflection":
            at = _reflected(xp, at, 0, n - 1) if corners else _reflected(xp, at, -0.5, n - 0.5)
        low, high = (-2, n + 1) if padding == "zeros" else (0, n - 1)  # NaN lies below
        at = xp.where(
            (at > low) & (at < high), at, xp.stop(xp.minimum(xp.where(at > low, at, low), high))
        )
        points.append(at)
    return points


def _grid_sample(xp, api, x, grid, mode, padding, corners):
    points = _positions(xp, api, x, grid, padding, corners)
    found = (_between if mode == "bilinear" else _nearest)(xp, x, points)
    return xp.reshape(xp.moveaxis(found, 2, 1), (x.shape[0], x.shape[1], *grid.shape[1:-1]))


Mode = OneOf("bilinear", "nearest")
Padding = OneOf("zeros", "border", "reflection")


@op(
    "ops.grid_sample(input, grid, mode='bilinear', padding_mode='zeros', align_corners=None)",
    "mint.nn.functional.grid_sample(input, grid, mode='bilinear', padding_mode='zeros', "
    "align_corners=None)",
    types=SameDtype("input grid"),
)
def grid_sample(
    xp,
    input: Floats,
    grid: Floats,
    mode: Mode = "bilinear",
    padding_mode: Padding = "zeros",
    align_corners: Bool = None,
):
    """Samples images or volumes at the points of a grid, whose coordinates lie in [-1, 1], x first.

    Outside lies 0, the nearest edge, or a mirror image, after `padding_mode`. With `align_corners`
    -1 and 1 are the centres of the outermost pixels, otherwise their outer edges.

    Shapes:
        `input` is (N, C, H, W) and `grid` is (N, H', W', 2), or (N, C, D, H, W) and (N, D', H', W',
        3). The result is (N, C, H', W') or (N, C, D', H', W'), of the same dtype.

    Example:
        >>> x = ms.Tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
        >>> grid = ms.Tensor([[[[0.0, 0.0], [1.0, 1.0]]]])
        >>> print(ms.ops.grid_sample(x, grid, align_corners=True))
        [[[[2.5 4. ]]]]
    """
    return _grid_sample(xp, "grid_sample", input, grid, mode, padding_mode, bool(align_corners))


@op(
    "ops.GridSampler2D(interpolation_mode='bilinear', padding_mode='zeros', align_corners=False)"
    "(input_x, grid)",
    types=SameDtype("input_x grid"),
)
def grid_sampler2d(
    xp,
    input_x: Floats,
    grid: Floats,
    interpolation_mode: Mode = "bilinear",
    padding_mode: Padding = "zeros",
    align_corners: Bool = False,
):
    """Samples images at the points of a grid, whose coordinates lie in [-1, 1], x first; see
    `ops.grid_sample`.

    Shapes:
        `input_x` is (N, C, H, W), `grid` is (N, H', W', 2). The result is (N, C, H', W'), of the
        same dtype.

    Example:
        >>> x, grid = ms.Tensor([[[[1.0, 2.0], [3.0, 4.0]]]]), ms.Tensor([[[[0.0, 0.0]]]])
        >>> print(ms.ops.GridSampler2D()(x, grid))
        [[[[2.5]]]]
    """
    need_rank("GridSampler2D", "input_x", input_x, 4)
    return _grid_sample(
        xp, "GridSampler2D", input_x, grid, interpolation_mode, padding_mode, align_corners
    )


@op(
    "ops.GridSampler3D(interpolation_mode='bilinear', padding_mode='zeros', align_corners=False)"
    "(input_x, grid)",
    types=SameDtype("input_x grid"),
)
def grid_sampler3d(
    xp,
    input_x: Floats,
    grid: Floats,
    interpolation_mode: Mode = "bilinear",
    padding_mode: Padding = "zeros",
    align_corners: Bool = False,
):
    """Samples volumes at the points of a grid, whose coordinates lie in [-1, 1], x first; see
    `ops.grid_sample`.

    Shapes:
        `input_x` is (N, C, D, H, W), `grid` is (N, D', H', W', 3). The result is (N, C, D', H',
        W'), of the same dtype.

    Example:
        >>> grid = ms.ops.zeros((1, 1, 1, 1, 3))
        >>> print(ms.ops.GridSampler3D()(ms.ops.ones((1, 1, 2, 2, 2)), grid))
        [[[[[1.]]]]]
    """
    need_rank("GridSampler3D", "input_x", input_x, 5)
    return _grid_sample(
        xp, "GridSampler3D", input_x, grid, interpolation_mode, padding_mode, align_corners
    )


def _base_grid(size, corners):
    """Homogeneous coordinates of all pixels, (pixels, dimensions + 1), x first; a host array."""
    axes = []
    for n in size:
        if corners:
            axes.append(np.linspace(-1, 1, n) if n > 1 else np.zeros(1))
        else:
            axes.append((2 * np.arange(n) + 1) / n - 1)
    mesh = np.meshgrid(*axes, indexing="ij")
    return np.stack([m.reshape(-1) for m in reversed(mesh)] + [np.ones(mesh[0].size)], 1)


def _affine_grid(xp, api, theta, size, corners):
    count = len(size) - 2
    if len(size) not in (4, 5) or tuple(theta.shape[1:]) != (count, count + 1):
        raise ValueError(
            f"For '{api}', 'theta' must have shape (N, 2, 3) for a size of 4 numbers and (N, 3, "
            f"4) for 5, but got {tuple(theta.shape)} and {size}."
        )
    if theta.shape[0] != size[0]:
        raise ValueError(
            f"For '{api}', 'size' must begin with the batch of 'theta', {theta.shape[0]}, but got "
            f"{size[0]}."
        )
    base = xp.asarray(_base_grid(size[2:], corners), theta.dtype)
    points = xp.matmul(base, xp.swapaxes(theta, 1, 2))
    return xp.reshape(points, (size[0], *size[2:], count))


@op(
    "ops.affine_grid(theta, size, align_corners=False)",
    "ops.AffineGrid(align_corners=False)(theta, output_size: size)",
)
def affine_grid(
    xp, theta: Float16Or32, size: InTensor(TupleOf(Int(ge=1))), align_corners: Bool = False
):
    """Computes the grid of points, for `grid_sample`, that affine maps give for an image of shape
    `size`.

    Shapes:
        `theta` is (N, 2, 3) for a `size` of (N, C, H, W), or (N, 3, 4) for (N, C, D, H, W). The
        result is (N, H, W, 2) or (N, D, H, W, 3), of the same dtype.

    Example:
        >>> theta = ms.Tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])
        >>> print(ms.ops.affine_grid(theta, (1, 1, 1, 2), align_corners=True))
        [[[[-1.  0.]
           [ 1.  0.]]]]
    """
    if theta.ndim != 3:
        raise ValueError(
            f"For 'affine_grid', 'theta' must have 3 dimensions, but got {theta.ndim}."
        )
    return _affine_grid(xp, "affine_grid", theta, size, align_corners)


# Regions ------------------------------------------------------------------------------------------


def _clamped(xp, x, batch, ys, xs):
    """Values of (N, C, H, W) at points of which `batch` says the image, (R, P, C).

    Within a pixel of the image the edge is repeated; beyond lies 0.
    """
    high, wide = x.shape[2], x.shape[3]
    known = (ys >= -1) & (ys <= high) & (xs >= -1) & (xs <= wide)
    ys = xp.minimum(xp.where(ys > 0, ys, 0), high - 1)  # NaN lies outside too
    xs = xp.minimum(xp.where(xs > 0, xs, 0), wide - 1)
    found = _from_images(xp, x, batch, ys, xs)
    return xp.where(xp.expand_dims(known, -1), found, 0)


def _from_images(xp, x, batch, ys, xs):
    """Linear interpolation at points (R, P) inside the image that `batch` (R,) names."""
    channels, area, wide = x.shape[1], x.shape[2] * x.shape[3], x.shape[3]
    rows = xp.reshape(xp.moveaxis(x, 1, -1), (-1, channels))
    start = xp.reshape(xp.cast(batch, "int64") * area, (-1, 1))
    y0, x0 = xp.floor(ys), xp.floor(xs)
    total = 0
    for down, right in product((0, 1), repeat=2):
        at_y = xp.minimum(y0 + down, x.shape[2] - 1)
        at_x = xp.minimum(x0 + right, wide - 1)
        places = start + xp.cast(at_y, "int64") * wide + xp.cast(at_x, "int64")
        share_y, share_x = ys - y0, xs - x0
        weight = (share_y if down else 1 - share_y) * (share_x if right else 1 - share_x)
        found = xp.reshape(xp.take(rows, xp.reshape(places, (-1,)), 0), (*places.shape, channels))
        total = total + found * xp.expand_dims(weight, -1)
    return total


@op(
    "ops.ROIAlign(pooled_height, pooled_width, spatial_scale, sample_num=2, roi_end_mode=1)"
    "(features, rois)"
)
def roi_align(
    xp,
    features: Float16Or32,
    rois: Float16Or32,
    pooled_height: Int,
    pooled_width: Int,
    spatial_scale: Float,
    sample_num: Int = 2,
    roi_end_mode: OneOf(0, 1) = 1,
):
    """Brings regions of images to one size, by the mean of sampled points in each cell.

    Rows of `rois` are (image, x0, y0, x1, y1), multiplied by `spatial_scale`. Each cell takes
    `sample_num` squared points; with 0 or less as many as it has pixels. With `roi_end_mode` 1 a
    region includes its last pixel.

    Shapes:
        `features` is (N, C, H, W), `rois` is (R, 5), of one dtype. The result is (R, C,
        pooled_height, pooled_width), of the same dtype.

    Example:
        >>> align = ms.ops.ROIAlign(1, 1, 1.0, 2)
        >>> print(align(ms.Tensor([[[[1.0, 2.0], [3.0, 4.0]]]]),
        ...             ms.Tensor([[0.0, 0.0, 0.0, 1.0, 1.0]])))
        [[[[3.25]]]]
    """
    need_rank("ROIAlign", "features", features, 4)
    need_rank("ROIAlign", "rois", rois, 2)
    if rois.shape[1] != 5:
        raise ValueError(
            f"For 'ROIAlign', 'rois' must have shape (R, 5), but got {tuple(rois.shape)}."
        )
    if pooled_height < 1 or pooled_width < 1:
        raise RuntimeError(
            f"For 'ROIAlign', 'pooled_height' and 'pooled_width' must be positive, "
            f"but got {pooled_height} and {pooled_width}."
        )
    ends = rois[:, 3:5] + roi_end_mode
    starts = rois[:, 1:3] * spatial_scale
    sides = ends * spatial_scale - starts
    if roi_end_mode == 0:
        sides = xp.maximum(sides, 1)
    if sample_num > 0:
        found = _aligned(
            xp,
            features,
            rois[:, 0],
            starts,
            sides,
            (pooled_height, pooled_width),
            (sample_num, sample_num),
        )
        return xp.cast(found, features.dtype)
    parts = []
    for i in range(rois.shape[0]):  # each region has its own number of points
        counts = (
            max(int(float(sides[i, 1]) / pooled_height), 1),
            max(int(float(sides[i, 0]) / pooled_width), 1),
        )
        parts.append(
            _aligned(
                xp,
                features,
                rois[i : i + 1, 0],
                starts[i : i + 1],
                sides[i : i + 1],
                (pooled_height, pooled_width),
                counts,
            )
        )
    return xp.cast(xp.concatenate(parts, 0), features.dtype)


def _aligned(xp, x, batch, starts, sides, pooled, counts):
    points = []
    for axis, cells, count in zip((1, 0), pooled, counts):
        steps = (np.arange(cells * count) + 0.5) / (cells * count)
        points.append(
            starts[:, axis : axis + 1] + sides[:, axis : axis + 1] * xp.asarray(steps, x.dtype)
        )
    rows, columns = points
    shape = (rows.shape[0], rows.shape[1], columns.shape[1])
    flat = (shape[0], shape[1] * shape[2])
    ys = xp.reshape(xp.broadcast_to(xp.expand_dims(rows, 2), shape), flat)
    xs = xp.reshape(xp.broadcast_to(xp.expand_dims(columns, 1), shape), flat)
    found = xp.moveaxis(_clamped(xp, x, batch, ys, xs), 2, 1)
    cells = xp.reshape(found, (shape[0], x.shape[1], pooled[0], counts[0], pooled[1], counts[1]))
    return xp.mean(cells, (3, 5))


def _crop_points(xp, low, high, size, count, half):
    """Coordinates of a crop's pixels along one dimension, (boxes, count)."""
    low, high = xp.expand_dims(low, 1), xp.expand_dims(high, 1)
    i = xp.asarray(np.arange(count), "float32")
    if half:  # from pixel to pixel, both included, without leaving the box
        low, high = xp.trunc(low * size), xp.trunc(high * size)
        at = low + (i + 0.5) * ((high - low + 1) / count) - 0.5
        return xp.maximum(xp.minimum(at, high), low)
    if count == 1:
        return 0.5 * (low + high) * (size - 1)
    return low * (size - 1) + i * ((high - low) * (size - 1) / (count - 1))


def _crop(xp, api, image, boxes, index, crop_size, method, outside):
    """Crops of images (N, H, W, C), (boxes, height, width, C), float32."""
    need_rank(api, "image", image, 4)
    need_rank(api, "boxes", boxes, 2)
    need_rank(api, "box_indices", index, 1)
    if boxes.shape[1] != 4 or index.shape[0] != boxes.shape[0]:
        raise ValueError(
            f"For '{api}', 'boxes' must have shape (B, 4) and the indices (B,), but got "
            f"{tuple(boxes.shape)} and {tuple(index.shape)}."
        )
    if bool(xp.any((index < 0) | (index >= image.shape[0]))):
        raise ValueError(f"For '{api}', the indices must be in [0, {image.shape[0]}).")
    x = xp.moveaxis(xp.cast(image, "float32"), -1, 1)
    boxes = xp.cast(boxes, "float32")
    high, wide = x.shape[2], x.shape[3]
    half = method == "bilinear_v2"
    rows = _crop_points(xp, boxes[:, 0], boxes[:, 2], high, crop_size[0], half)
    columns = _crop_points(xp, boxes[:, 1], boxes[:, 3], wide, crop_size[1], half)
    shape = (boxes.shape[0], *crop_size)
    flat = (shape[0], shape[1] * shape[2])
    ys = xp.reshape(xp.broadcast_to(xp.expand_dims(rows, 2), shape), flat)
    xs = xp.reshape(xp.broadcast_to(xp.expand_dims(columns, 1), shape), flat)
    known = (ys >= 0) & (ys <= high - 1) & (xs >= 0) & (xs <= wide - 1)
    if half:
        known = xp.ones(ys.shape, bool)
    near_y = xp.minimum(xp.maximum(ys, 0), high - 1)
    near_x = xp.minimum(xp.maximum(xs, 0), wide - 1)
    if method == "nearest":
        near_y, near_x = xp.floor(near_y + 0.5), xp.floor(near_x + 0.5)
    found = _from_images(xp, x, index, near_y, near_x)
    found = xp.where(xp.expand_dims(known, -1), found, outside)
    return xp.reshape(found, (*shape, x.shape[1]))


Method = OneOf("bilinear", "nearest", "bilinear_v2")
Images = TensorOf(
    "int8", "int16", "int32", "int64", "float16", "float32", "float64", "uint8", "uint16"
)
Two = TupleOf(Int(ge=1), length=2)


@op(
    "ops.crop_and_resize(image, boxes, box_indices, crop_size, method='bilinear', "
    "extrapolation_value=0.0)",
    "ops.CropAndResize(method='bilinear', extrapolation_value=0.0)(x: image, boxes, "
    "box_index: box_indices, crop_size)",
    compute="native",
    quirks=Quirks(rules={"ops.CropAndResize": {"crop_size": InTensor(Two)}}),
)
def crop_and_resize(
    xp,
    image: Images,
    boxes: TensorOf("float32"),
    box_indices: TensorOf("int32"),
    crop_size: Two,
    method: Method = "bilinear",
    extrapolation_value: Float = 0.0,
):
    """Cuts boxes out of images and resizes them to `crop_size`.

    Rows of `boxes` are (y0, x0, y1, x1) in [0, 1], of the image that `box_indices` names. Points
    outside are `extrapolation_value`, except for "bilinear_v2", which repeats the edge.

    Shapes:
        `image` is (N, H, W, C), `boxes` is (B, 4), `box_indices` is (B,) of int32. The result is
        (B, *crop_size, C), of float32.

    Example:
        >>> image = ms.Tensor([[[[1.0], [2.0]], [[3.0], [4.0]]]])
        >>> crops = ms.ops.crop_and_resize(image, ms.Tensor([[0.0, 0.0, 1.0, 1.0]]),
        ...                                ms.Tensor([0], ms.int32), (1, 1))
        >>> print(crops)
        [[[[2.5]]]]
    """
    return _crop(
        xp, "crop_and_resize", image, boxes, box_indices, crop_size, method, extrapolation_value
    )


# Deformable convolution ---------------------------------------------------------------------------


def _deformed(xp, api, x, offsets, kernel, stride, pads, dilation, groups):
    """Columns of a deformable convolution: (N, C, out height * k_h, out width * k_w)."""
    need_rank(api, "x", x, 4)
    need_rank(api, "offsets", offsets, 4)
    taps = kernel[0] * kernel[1]
    out = tuple(
        (n + sum(p) - d * (k - 1) - 1) // s + 1
        for n, p, d, k, s in zip(x.shape[2:], pads, dilation, kernel, stride)
    )
    if tuple(offsets.shape) != (x.shape[0], 3 * groups * taps, *out) or x.shape[1] % groups:
        raise ValueError(
            f"For '{api}', 'offsets' must have shape {(x.shape[0], 3 * groups * taps, *out)} and "
            f"the channels be divisible by {groups}, but got {tuple(offsets.shape)} and "
            f"{x.shape[1]} channels."
        )
    shape = (x.shape[0], 3, groups, kernel[0], kernel[1], *out)
    parts = xp.reshape(offsets, shape)
    rows, columns = (
        np.arange(k)[:, None] * d + np.arange(o) * s - p[0]
        for k, d, o, s, p in zip(kernel, dilation, out, stride, pads)
    )
    base_y = xp.asarray(rows[:, None, :, None], x.dtype)
    base_x = xp.asarray(columns[None, :, None, :], x.dtype)
    lead, count = x.shape[0] * groups, taps * prod(out)
    ys = xp.reshape(parts[:, 1] + base_y, (lead, count))
    xs = xp.reshape(parts[:, 0] + base_x, (lead, count))
    planes = xp.reshape(x, (lead, x.shape[1] // groups, *x.shape[2:]))
    found = _between(xp, planes, [ys, xs]) * xp.reshape(parts[:, 2], (lead, count, 1))
    found = xp.reshape(xp.moveaxis(found, 2, 1), (x.shape[0], x.shape[1], *kernel, *out))
    found = xp.transpose(found, (0, 1, 4, 2, 5, 3))
    return xp.reshape(found, (x.shape[0], x.shape[1], out[0] * kernel[0], out[1] * kernel[1]))


Four = TupleOf(Int(ge=1), length=4)
Pads = TupleOf(Int(ge=0), length=4)


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
    """Samples the input of a deformable convolution at moved positions.

    `offsets` holds, for each group and kernel position, x, y and a factor.

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
    return _deformed(
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
    """Convolves images with kernels whose positions are moved by `offsets` and weighted, place by
    place.

    `offsets` holds all x, then all y, then all factors. `strides` and `dilations` are (1, 1,
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
    columns = _deformed(
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
    """Attention to a few points of feature maps of several sizes.

    Args:
        value: The maps, (N, keys, heads, channels), one after the other; channels divisible by 8.
        shape: Height and width of each map, (levels, 2).
        offset: Where each map begins among the keys, (levels,).
        locations: Points in [0, 1], x first, (N, queries, heads, levels, points, 2).
        weight: Of each point, (N, queries, heads, levels, points).

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
    total = 0
    for level in range(shape.shape[0]):
        size, first = (int(shape[level, 0]), int(shape[level, 1])), int(offset[level])
        part = value[:, first : first + size[0] * size[1]]
        part = xp.reshape(xp.transpose(part, (0, 2, 3, 1)), (count * heads, channels, *size))
        at = xp.reshape(xp.moveaxis(locations[:, :, :, level], 2, 1), (count * heads, -1, 2))
        found = _between(xp, part, [at[:, :, 1] * size[0] - 0.5, at[:, :, 0] * size[1] - 0.5])
        share = xp.reshape(xp.moveaxis(weight[:, :, :, level], 2, 1), (count * heads, -1, 1))
        total = total + xp.sum(
            xp.reshape(found * share, (count, heads, queries, points, channels)), 3
        )
    return xp.reshape(xp.moveaxis(total, 1, 2), (count, queries, heads * channels))
