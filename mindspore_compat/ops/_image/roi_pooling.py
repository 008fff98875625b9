"""Position-sensitive region pooling: `PSROIPooling`, and `PsROIPooling` of older releases, which
rounds differently. `ROIAlign` is in _image/roi_align.py."""

from ..._core.declare.inputs import SameDtype
from ..._core.declare.op import op
from ..._core.rules.vocabulary import Float, Int
from .._conv.sizes import need_rank
from .._rules import Float16To64, Positive


@op(
    "ops.operations._inner_ops.PsROIPooling(pooled_height, pooled_width, num_rois, spatial_scale, "
    "out_dim, group_size)(features, rois)",
    types=SameDtype("features rois"),
)
def ps_roi_pooling(
    xp,
    features: Float16To64,
    rois: Float16To64,
    pooled_height: Positive,
    pooled_width: Positive,
    num_rois: Positive,
    spatial_scale: Float(gt=0.0),
    out_dim: Positive,
    group_size: Positive,
):
    """Applies position-sensitive RoI pooling: averages each bin of a region in a channel of its own
    (Dai et al., 2016).

    A row of `rois` is (image, left, top, right, bottom); the coordinates are rounded and multiplied
    by `spatial_scale`. A region has `group_size` x `group_size` bins; `pooled_height` and
    `pooled_width` must equal `group_size`. An empty bin gives 0.

    Shapes:
        `features` is (N, out_dim * group_size^2, H, W), `rois` is (num_rois, 5). The means are
        (num_rois, out_dim, pooled_height, pooled_width).

    Returns:
        The means (num_rois, out_dim, pooled_height, pooled_width), and the int32 channel of each.

    Example:
        >>> from mindspore_compat.ops.operations import _inner_ops
        >>> pool = _inner_ops.PsROIPooling(1, 1, 1, 1.0, 1, 1)
        >>> print(pool(ms.Tensor([[[[1.0, 2.0], [3.0, 4.0]]]]),
        ...            ms.Tensor([[0.0, 0.0, 0.0, 1.0, 1.0]]))[0])
        [[[[2.5]]]]
    """
    api = "PsROIPooling"
    need_rank(api, "features", features, 4)
    if tuple(rois.shape) != (num_rois, 5):
        raise ValueError(
            f"For '{api}', 'rois' must have the shape {(num_rois, 5)}, but got {tuple(rois.shape)}."
        )
    if not pooled_height == pooled_width == group_size:
        raise ValueError(
            f"For '{api}', 'pooled_height' and 'pooled_width' must be 'group_size', but got "
            f"{pooled_height}, {pooled_width} and {group_size}."
        )
    if features.shape[1] != out_dim * group_size**2:
        raise ValueError(
            f"For '{api}', 'features' must have {out_dim * group_size**2} channels, but got "
            f"{features.shape[1]}."
        )
    regions = xp.stop(rois)
    corners = _round(xp, regions[:, 1:])
    starts, ends = corners[:, :2] * spatial_scale, (corners[:, 2:] + 1) * spatial_scale
    sizes = features.shape[2:]
    bins = [
        _bins(xp, starts[:, side], ends[:, side], size, group_size)
        for side, size in ((1, sizes[0]), (0, sizes[1]))
    ]
    means = _means(xp, features, regions[:, 0], *bins)
    channels = xp.reshape(xp.arange(out_dim * group_size**2), (1, *means.shape[1:]))
    return means, xp.cast(xp.broadcast_to(channels, means.shape), "int32")


@op(
    "ops.PSROIPooling(spatial_scale, group_size, output_dim)(features, rois)",
    types=SameDtype("features rois"),
)
def position_sensitive_pooling(
    xp,
    features: Float16To64,
    rois: Float16To64,
    spatial_scale: Float(gt=0.0),
    group_size: Int(ge=1, le=127),
    output_dim: Positive,
):
    """Applies position-sensitive RoI pooling: averages each bin of a region in a channel of its own
    (Dai et al., 2016).

    A region is a column (image, left, top, right, bottom) of `rois`. The coordinates are multiplied
    by `spatial_scale` and rounded. A region has `group_size` x `group_size` bins; the last row and
    the last column of an image are in no bin. An empty bin gives 0.

    Shapes:
        `features` is (N, output_dim * group_size^2, H, W), `rois` is (N, 5, R). The means are
        (N * R, output_dim, group_size, group_size).

    Example:
        >>> pool = ms.ops.PSROIPooling(spatial_scale=1.0, group_size=1, output_dim=1)
        >>> image = ms.Tensor([[[[1.0, 2.0, 0.0], [3.0, 4.0, 0.0], [0.0, 0.0, 0.0]]]])
        >>> print(pool(image, ms.Tensor([[[0.0], [0.0], [0.0], [2.0], [2.0]]])))
        [[[[2.5]]]]

    Source: mindspore.ops.operations.nn_ops.PSROIPooling of MindSpore 2.10.
    """
    api = "PSROIPooling"
    need_rank(api, "features", features, 4)
    need_rank(api, "rois", rois, 3)
    if tuple(rois.shape[:2]) != (features.shape[0], 5):
        raise ValueError(
            f"For '{api}', 'rois' must have the shape ({features.shape[0]}, 5, R), but got "
            f"{tuple(rois.shape)}."
        )
    if features.shape[1] != output_dim * group_size**2:
        raise ValueError(
            f"For '{api}', 'features' must have {output_dim * group_size**2} channels, but got "
            f"{features.shape[1]}."
        )
    regions = xp.reshape(xp.moveaxis(xp.stop(rois), 1, 2), (-1, 5))
    corners = _round(xp, regions[:, 1:] * spatial_scale)
    bins = []
    for side, size in ((1, features.shape[2]), (0, features.shape[3])):
        bin_of = _bins(xp, corners[:, side], corners[:, side + 2], size, group_size)
        bins.append(bin_of & (xp.arange(size) < size - 1))
    return _means(xp, features, regions[:, 0], *bins)


def _round(xp, x):
    """Rounds to integers, ties away from zero."""
    return xp.sign(x) * xp.floor(xp.abs(x) + 0.5)


def _bins(xp, start, end, length, count):
    """Returns whether each pixel is in each bin of a region along one side: (regions, bins,
    pixels)."""
    size = xp.expand_dims(xp.maximum(end - start, 0.1) / count, 1)
    at, start = xp.arange(count), xp.expand_dims(start, 1)
    first, last = xp.floor(at * size + start), xp.ceil((at + 1) * size + start)
    pixel = xp.arange(length)
    return (pixel >= xp.expand_dims(first, 2)) & (pixel < xp.expand_dims(last, 2))


def _means(xp, features, images, rows, columns):
    """Returns the means of the bins of regions: (regions, channels of the result, bins, bins).

    Args:
        features: (N, C * bins * bins, H, W).
        images: the image of each region.
        rows, columns: which pixels are in which bin, as `_bins` returns them.
    """
    planes = xp.take(features, xp.cast(images, "int64"), 0)
    count = rows.shape[1]
    shape = (planes.shape[0], -1, count, count, *features.shape[2:])
    rows, columns = xp.cast(rows, features.dtype), xp.cast(columns, features.dtype)
    total = xp.einsum("rcijhw,rih,rjw->rcij", xp.reshape(planes, shape), rows, columns)
    area = xp.expand_dims(xp.sum(rows, 2), 2) * xp.expand_dims(xp.sum(columns, 2), 1)
    return total / xp.expand_dims(xp.maximum(area, 1), 1)
