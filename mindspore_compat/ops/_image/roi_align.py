"""ROIAlign: regions of images resampled to one size."""

import numpy as np

from ..._core.declare.op import op
from ..._core.rules.vocabulary import Float, Int, OneOf
from .._conv.sizes import need_rank
from .._rules import Float16Or32
from .bilinear import grid


def _sample(xp, x, batch, ys, xs):
    """Samples (N, C, H, W) at points in the images at the indices `batch`; returns (R, P, C).

    Up to one pixel outside the image, the edge is repeated; beyond that the value is 0.
    """
    height, width = map(float, x.shape[2:])
    ys, xs, inside = xp.blockwise(_near, ys, xs, height=height, width=width)
    result = xp.inside_points(x, batch, ys, xs)
    return xp.where(xp.expand_dims(inside, -1), result, 0)


def _near(xp, ys, xs, *, height, width):
    """Returns the coordinates of points, moved into the image, and which of them count."""
    inside = (ys >= -1.0) & (ys <= height) & (xs >= -1.0) & (xs <= width)
    ys = xp.minimum(xp.where(ys > 0, ys, 0.0), height - 1)  # a NaN counts as outside, too
    xs = xp.minimum(xp.where(xs > 0, xs, 0.0), width - 1)
    return ys, xs, inside


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
    """Aligns regions of interest (RoIAlign): resamples regions of images to one size by the mean of
    sampled points in each cell.

    A row of `rois` is (image, x0, y0, x1, y1), multiplied by `spatial_scale`. Each cell samples
    `sample_num` squared points; if `sample_num` is 0 or less, one per pixel of the cell. With
    `roi_end_mode` 1, a region includes its last pixel.

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
        result = _align(
            xp,
            features,
            rois[:, 0],
            starts,
            sides,
            (pooled_height, pooled_width),
            (sample_num, sample_num),
        )
        return xp.cast(result, features.dtype)
    parts = []
    for i in range(rois.shape[0]):  # the number of points differs from region to region
        counts = (
            max(int(float(sides[i, 1]) / pooled_height), 1),
            max(int(float(sides[i, 0]) / pooled_width), 1),
        )
        parts.append(
            _align(
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


def _steps(count, dtype):
    """Returns the middles of `count` parts of [0, 1]."""
    return ((np.arange(count) + 0.5) / count).astype(dtype)


def _align(xp, x, batch, starts, sides, pooled, counts):
    points = []
    for axis, cells, count in zip((1, 0), pooled, counts):
        steps = xp.table(_steps, cells * count, x.dtype)
        points.append(starts[:, axis : axis + 1] + sides[:, axis : axis + 1] * steps)
    result = xp.moveaxis(_sample(xp, x, batch, *grid(xp, *points)), 2, 1)
    cells = xp.reshape(
        result, (starts.shape[0], x.shape[1], pooled[0], counts[0], pooled[1], counts[1])
    )
    return xp.mean(cells, (3, 5))
