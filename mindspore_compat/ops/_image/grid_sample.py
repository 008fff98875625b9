"""Grid sampling of images and volumes, and the sampling grids of affine transformations.

The arithmetic is in _image/grid_points.py. Pooling over regions of interest is in roi_align.py and
roi_pooling.py, cropping in crop.py, deformable convolution in deformable.py.
"""

import numpy as np

from ..._core.declare.inputs import Quirks, SameDtype
from ..._core.declare.op import op
from ..._core.rules.value_rules import AnyCase
from ..._core.rules.vocabulary import Bool, Int, InTensor, OneOf, TupleOf
from .._conv.sizes import need_rank
from .._rules import Float16Or32, Floats
from . import grid_points  # noqa: F401 - it provides xp.sample_points


def _grid_sample(xp, api, x, grid, mode, padding, corners):
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
    return xp.sample_points(x, grid, mode, padding, corners)


Mode = AnyCase(OneOf("bilinear", "nearest"))
Padding = AnyCase(OneOf("zeros", "border", "reflection"))


@op(
    "ops.grid_sample(input, grid, mode='bilinear', padding_mode='zeros', align_corners=None)",
    "mint.nn.functional.grid_sample(input, grid, mode='bilinear', padding_mode='zeros', "
    "align_corners=None)",
    types=SameDtype("input grid"),
    quirks=Quirks(shapes_first=True),
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

    Points outside the input are 0, the nearest edge, or a mirror image, as `padding_mode` says.
    With `align_corners`, -1 and 1 are the centres of the outermost pixels, otherwise their outer
    edges.

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


def _base_grid(size, corners, dtype):
    """Returns the homogeneous coordinates of all pixels, (pixels, dimensions + 1), x first; a host
    array."""
    axes = []
    for n in size:
        if corners:
            axes.append(np.linspace(-1, 1, n) if n > 1 else np.zeros(1))
        else:
            axes.append((2 * np.arange(n) + 1) / n - 1)
    mesh = np.meshgrid(*axes, indexing="ij")
    columns = [m.reshape(-1) for m in reversed(mesh)] + [np.ones(mesh[0].size)]
    return np.stack(columns, 1).astype(dtype)


def _affine_grid(xp, theta, size, corners):
    count = len(size) - 2
    if len(size) not in (4, 5) or tuple(theta.shape[1:]) != (count, count + 1):
        raise ValueError(
            "For 'affine_grid', 'theta' must have shape (N, 2, 3) for a size of 4 numbers and "
            f"(N, 3, 4) for 5, but got {tuple(theta.shape)} and {size}."
        )
    if theta.shape[0] != size[0]:
        raise ValueError(
            f"For 'affine_grid', 'size' must begin with the batch of 'theta', {theta.shape[0]}, "
            f"but got {size[0]}."
        )
    base = xp.table(_base_grid, tuple(size[2:]), corners, theta.dtype)
    points = xp.matmul(base, xp.swapaxes(theta, 1, 2))
    return xp.reshape(points, (size[0], *size[2:], count))


@op(
    "ops.affine_grid(theta, size, align_corners=False)",
    "ops.AffineGrid(align_corners=False)(theta, output_size: size)",
)
def affine_grid(
    xp, theta: Float16Or32, size: InTensor(TupleOf(Int(ge=1))), align_corners: Bool = False
):
    """Computes the sampling grids of affine transformations, for `grid_sample`, in an image of
    shape `size`.

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
    return _affine_grid(xp, theta, size, align_corners)
