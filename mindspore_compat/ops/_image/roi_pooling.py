"""Position-sensitive region pooling: `PsROIPooling`. `ROIAlign` is in _image/roi_align.py."""

from ..._core.declare.inputs import SameDtype
from ..._core.declare.op import op
from ..._core.rules.vocabulary import Float
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
    planes = xp.take(features, xp.cast(regions[:, 0], "int64"), 0)
    shape = (num_rois, out_dim, group_size, group_size, *features.shape[2:])
    rows, columns = (
        xp.cast(_bins(xp, regions, side, length, spatial_scale, group_size), features.dtype)
        for side, length in ((1, shape[4]), (0, shape[5]))
    )
    total = xp.einsum("rcijhw,rih,rjw->rcij", xp.reshape(planes, shape), rows, columns)
    area = xp.expand_dims(xp.sum(rows, 2), 2) * xp.expand_dims(xp.sum(columns, 2), 1)
    area = xp.expand_dims(xp.maximum(area, 1), 1)
    channels = xp.reshape(xp.arange(shape[1] * group_size**2), (1, *shape[1:4]))
    return total / area, xp.cast(xp.broadcast_to(channels, shape[:4]), "int32")


def _bins(xp, rois, side, length, scale, count):
    """Returns whether each pixel is in each bin of a region along one side: (regions, bins,
    pixels)."""
    edges = xp.sign(rois) * xp.floor(xp.abs(rois) + 0.5)  # ties are rounded away from zero
    low, high = edges[:, 1 + side], edges[:, 3 + side]
    start, end = low * scale, (high + 1) * scale
    size = xp.expand_dims(xp.maximum(end - start, 0.1) / count, 1)
    at, start = xp.arange(count), xp.expand_dims(start, 1)
    first, last = xp.floor(at * size + start), xp.ceil((at + 1) * size + start)
    pixel = xp.arange(length)
    return (pixel >= xp.expand_dims(first, 2)) & (pixel < xp.expand_dims(last, 2))
