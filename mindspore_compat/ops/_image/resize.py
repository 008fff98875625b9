"""Primitives that resize images and sequences, each with one kind of interpolation.

The interpolation is in _image/resize_matrices.py. `interpolate` and upsampling, which take a mode
or factors, are in _image/interpolate.py.
"""

from ..._core.declare.op import op
from ..._core.rules.vocabulary import Any, Bool, ListOf, OneOf, TensorOf, TupleOf
from .._conv.sizes import need_rank, sizes_of
from .._rules import Floats, Numbers, Positive, Reals
from .resize_matrices import area, line, resized


def _rule_of(api, align_corners, half_pixel_centers, error=ValueError):
    if align_corners and half_pixel_centers:
        raise error(f"For '{api}', 'align_corners' and 'half_pixel_centers' must not both be True.")
    return "corner" if align_corners else "half" if half_pixel_centers else "edge"


@op("ops.ResizeBilinearV2(align_corners=False, half_pixel_centers=False)(x, size)")
def resize_bilinear(
    xp, x: Floats, size: Any, align_corners: Bool = False, half_pixel_centers: Bool = False
):
    """Resizes images with bilinear interpolation. `size` is a sequence of two numbers or an int
    Tensor.

    Shapes:
        `x` is (N, C, H, W). The result is (N, C, *size).

    Example:
        >>> print(ms.ops.ResizeBilinearV2()(ms.Tensor([[[[1.0, 2.0], [3.0, 4.0]]]]), (2, 4)))
        [[[[1.  1.5 2.  2. ]
           [3.  3.5 4.  4. ]]]]
    """
    need_rank("ResizeBilinearV2", "x", x, 4)
    goal = sizes_of("ResizeBilinearV2", "size", size, 2)
    rule = _rule_of("ResizeBilinearV2", align_corners, half_pixel_centers, TypeError)
    return resized(xp, x, goal, "linear", rule)


@op(
    "ops.ResizeNearestNeighbor(size, align_corners=False, half_pixel_centers=False)(input_x)",
    compute="native",
)
def resize_nearest(
    xp,
    input_x: Reals,
    size: TupleOf(Positive, length=2) | ListOf(Positive, length=2),
    align_corners: Bool = False,
    half_pixel_centers: Bool = False,
):
    """Resizes images with nearest-neighbour interpolation.

    Shapes:
        `input_x` is (N, C, H, W). The result is (N, C, *size), of the same dtype.

    Example:
        >>> print(ms.ops.ResizeNearestNeighbor((2, 4))(ms.Tensor([[[[1.0, 2.0], [3.0, 4.0]]]])))
        [[[[1. 1. 2. 2.]
           [3. 3. 4. 4.]]]]
    """
    need_rank("ResizeNearestNeighbor", "input_x", input_x, 4)
    rule = _rule_of("ResizeNearestNeighbor", align_corners, half_pixel_centers)
    return resized(xp, input_x, tuple(size), "nearest", rule)


@op(
    "ops.ResizeNearestNeighborV2(align_corners=False, half_pixel_centers=False)(x, size)",
    compute="native",
)
def resize_nearest_v2(
    xp, x: Numbers, size: Any, align_corners: Bool = False, half_pixel_centers: Bool = False
):
    """Resizes images with nearest-neighbour interpolation. `size` is an int Tensor of two numbers.

    Shapes:
        `x` is (N, C, H, W). The result is (N, C, *size), of the same dtype.

    Example:
        >>> print(ms.ops.ResizeNearestNeighborV2()(ms.Tensor([[[[1.0, 2.0]]]]),
        ...                                        ms.Tensor([1, 4], ms.int32)))
        [[[[1. 1. 2. 2.]]]]
    """
    need_rank("ResizeNearestNeighborV2", "x", x, 4)
    goal = sizes_of("ResizeNearestNeighborV2", "size", size, 2)
    rule = _rule_of("ResizeNearestNeighborV2", align_corners, half_pixel_centers)
    return resized(xp, x, goal, "nearest", rule)


@op("ops.ResizeBicubic(align_corners=False, half_pixel_centers=False)(images, size)")
def resize_bicubic(
    xp,
    images: TensorOf("float16", "float32", "float64"),
    size: Any,
    align_corners: Bool = False,
    half_pixel_centers: Bool = False,
):
    """Resizes images with bicubic interpolation. `size` is a sequence of two positive ints or an
    int Tensor.

    Shapes:
        `images` is (N, C, H, W). The result is (N, C, *size).

    Example:
        >>> print(ms.ops.ResizeBicubic()(ms.Tensor([[[[1.0, 2.0], [3.0, 4.0]]]]),
        ...                              ms.Tensor([1, 4], ms.int32)))
        [[[[1.      1.5     2.      2.09375]]]]
    """
    need_rank("ResizeBicubic", "images", images, 4)
    goal = sizes_of("ResizeBicubic", "size", size, 2)
    return resized(
        xp, images, goal, "cubic", _rule_of("ResizeBicubic", align_corners, half_pixel_centers)
    )


@op("ops.ResizeLinear1D(coordinate_transformation_mode='align_corners')(x, size)")
def resize_linear1d(
    xp,
    x: TensorOf("float16", "float32", "float64"),
    size: Any,
    coordinate_transformation_mode: OneOf("align_corners", "half_pixel") = "align_corners",
):
    """Resizes sequences with linear interpolation.

    Shapes:
        `x` is (N, C, L). The result is (N, C, *size), of the same dtype.

    Example:
        >>> print(ms.ops.ResizeLinear1D()(ms.Tensor([[[1.0, 2.0]]]), ms.Tensor([3], ms.int32)))
        [[[1.  1.5 2. ]]]
    """
    need_rank("ResizeLinear1D", "x", x, 3)
    if isinstance(size, int):
        raise TypeError(
            f"For 'ResizeLinear1D', 'size' must be a tuple, a list or a Tensor, but got {size!r}."
        )
    (goal,) = sizes_of("ResizeLinear1D", "size", size, 1)
    return line(xp, x, goal, coordinate_transformation_mode == "align_corners")


@op("ops.ResizeArea(align_corners=False)(images, size)", compute="native")
def resize_area(
    xp,
    images: Reals.but("bfloat16", "uint32", "uint64"),
    size: TensorOf("int32"),
    align_corners: Bool = False,
):
    """Resizes images with area interpolation: the mean of the pixels that each output covers.

    Shapes:
        `images` is (N, H, W, C), `size` is (2,) of int32. The result is (N, *size, C), of float32.

    Example:
        >>> print(ms.ops.ResizeArea()(ms.Tensor([[[[1.0], [2.0]], [[3.0], [4.0]]]]),
        ...                           ms.Tensor([1, 1], ms.int32)))
        [[[[2.5]]]]
    """
    need_rank("ResizeArea", "images", images, 4)
    need_rank("ResizeArea", "size", size, 1)
    height, width = sizes_of("ResizeArea", "size", tuple(size.tolist()), 2)
    x = xp.moveaxis(xp.cast(images, "float32"), -1, 1)
    matrices = (area(x.shape[2], height, align_corners), area(x.shape[3], width, align_corners))
    return xp.moveaxis(xp.apply_axes(x, matrices), 1, -1)
