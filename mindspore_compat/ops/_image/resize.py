"""Resizing of images: nearest, linear, cubic and area interpolation in one to three dimensions.

Interpolation is separable: along each dimension the result is a matrix times the input, and the
gradient the transposed matrix times the slope. Nearest neighbours are picked, not multiplied, so
that infinities stay where they are. Sampling at given points is in _image/grid_sample.py,
rearrangement and colours in _image/pixel_shuffle.py, boxes in _image/boxes.py.
"""

from functools import lru_cache
from math import prod

import numpy as np

from ..._backend.space import extra
from ..._core.autograd.vjp_rules import derive
from ..._core.declare.op import op
from ..._core.rules.value_rules import Falsy
from ..._core.rules.vocabulary import (
    Any,
    AsValue,
    Bool,
    Float,
    InTensor,
    ListOf,
    OneOf,
    Str,
    TensorOf,
    TupleOf,
    floating,
)
from .._conv.im2col import need_rank, sizes_of
from .._rules import Floats, Numbers, Positive, Reals

# Functions of xp ----------------------------------------------------------------------------------


@extra
def apply_axes(xp, x, matrices):
    """The last dimensions of `x`, each multiplied by its (out, in) host matrix; None leaves one."""
    for i, matrix in enumerate(matrices):
        if matrix is None:
            continue
        axis = x.ndim - len(matrices) + i
        before, after = x.shape[:axis], x.shape[axis + 1 :]
        matrix = xp.asarray(np.ascontiguousarray(matrix), x.dtype)
        if axis == x.ndim - 1:
            x = xp.matmul(xp.reshape(x, (prod(before), x.shape[axis])), matrix.T)
        else:
            x = xp.matmul(matrix, xp.reshape(x, (prod(before), x.shape[axis], prod(after))))
        x = xp.reshape(x, (*before, matrix.shape[0], *after))
    return x


@extra
def pick_axes(xp, x, indices):
    """The last dimensions of `x`, each at its host indices."""
    for i, index in enumerate(indices):
        if len(index) != x.shape[x.ndim - len(indices) + i] or list(index) != list(
            range(len(index))
        ):
            x = xp.take(x, xp.asarray(index), x.ndim - len(indices) + i)
    return x


@extra
def unpick_axes(xp, y, indices, size):
    """The gradient of `pick_axes`: what was picked several times receives the sum."""
    return xp.apply_axes(y, tuple(_one_hot(index, n).T for index, n in zip(indices, size)))


def _one_hot(index, count):
    return np.eye(count)[np.asarray(index)]


derive(
    "apply_axes(x, matrices)",
    x=lambda xp, g, matrices: xp.apply_axes(g, tuple(None if m is None else m.T for m in matrices)),
)
derive(
    "pick_axes(x, indices)",
    x=lambda xp, g, x_shape, indices: xp.unpick_axes(g, indices, tuple(x_shape[-len(indices) :])),
)
derive("unpick_axes(y, indices, size)", y=lambda xp, g, indices: xp.pick_axes(g, indices))


# Where each output lies in the input --------------------------------------------------------------


def _source(n, o, rule, scale=None):
    """Positions of `o` outputs among `n` inputs, float32 as the original computes them.

    Args:
        rule: "corner" maps ends to ends, "half" centres of pixels to centres, "edge" edges to
        edges. scale: inputs per output, where it is not n / o.
    """
    i = np.arange(o, dtype=np.float32)
    if rule == "corner":
        return i * np.float32((n - 1) / (o - 1) if o > 1 else 0)
    scale = np.float32(n / o if scale is None else scale)
    return (i + np.float32(0.5)) * scale - np.float32(0.5) if rule == "half" else i * scale


@lru_cache(maxsize=512)
def _nearest(n, o, rule, scale=None):
    """The input that each output copies."""
    if rule == "half":
        where = np.floor(_source(n, o, "half", scale) + np.float32(0.5))
    else:
        where = _source(n, o, rule, scale)
        where = np.floor(where + np.float32(0.5)) if rule == "corner" else np.floor(where)
    return tuple(np.clip(where, 0, n - 1).astype(int).tolist())


@lru_cache(maxsize=512)
def _linear(n, o, rule, scale=None):
    """The (o, n) matrix of linear interpolation, or None where it changes nothing."""
    where = np.maximum(_source(n, o, rule, scale), 0)
    low = np.minimum(np.floor(where).astype(int), n - 1)
    weight = np.clip(where - low, 0, 1).astype(np.float64)
    matrix = np.zeros((o, n))
    np.add.at(matrix, (np.arange(o), low), 1 - weight)
    np.add.at(matrix, (np.arange(o), np.minimum(low + 1, n - 1)), weight)
    return None if n == o and (matrix == np.eye(n)).all() else matrix


def _cubic_weights(t, a):
    """Keys' cubic convolution kernel with parameter `a`, for distances `t` up to 2."""
    near = ((a + 2) * t - (a + 3)) * t * t + 1
    far = ((a * t - 5 * a) * t + 8 * a) * t - 4 * a
    return np.where(t <= 1, near, far)


@lru_cache(maxsize=512)
def _cubic(n, o, rule, scale=None):
    """The (o, n) matrix of cubic convolution, as the primitive has it.

    The kernel is read from a table of 1024 steps. Where centres map to centres its parameter is
    -1/2 and taps beyond the edge are left out; otherwise it is -3/4 and the edge is repeated.
    """
    half = rule == "half"
    where = _source(n, o, rule, scale)
    base = np.floor(where)
    delta = np.rint((where - base) * 1024) / 1024
    matrix = np.zeros((o, n))
    for tap in range(-1, 3):
        place = base + tap
        weight = _cubic_weights(np.abs(delta - tap).astype(np.float64), -0.5 if half else -0.75)
        inside = (place >= 0) & (place < n)
        weight = np.where(inside, weight, 0) if half else weight
        np.add.at(matrix, (np.arange(o), np.clip(place, 0, n - 1).astype(int)), weight)
    return matrix / matrix.sum(1, keepdims=True)


@lru_cache(maxsize=512)
def _smooth(n, o, rule, scale=None):
    """The (o, n) matrix of cubic convolution with parameter -3/4, the edge repeated."""
    where = _source(n, o, rule, scale).astype(np.float64)
    base = np.floor(where)
    matrix = np.zeros((o, n))
    for tap in range(-1, 3):
        place = np.clip(base + tap, 0, n - 1).astype(int)
        np.add.at(matrix, (np.arange(o), place), _cubic_weights(np.abs(where - base - tap), -0.75))
    return matrix


@lru_cache(maxsize=512)
def _area(n, o, corner):
    """The (o, n) matrix whose rows average the input that an output pixel covers."""
    scale = (n - 1) / (o - 1) if corner and o > 1 else n / o
    matrix = np.zeros((o, n))
    for i in range(o):
        first, last = i * scale, (i + 1) * scale
        for j in range(int(np.floor(first)), int(np.ceil(last))):
            matrix[i, min(j, n - 1)] += (min(j + 1, last) - max(j, first)) / scale
    return matrix


def _resized(xp, x, goal, kind, rule, scales=None):
    """`x` with its spatial dimensions resized to `goal`."""
    size = tuple(x.shape[x.ndim - len(goal) :])
    scales = scales or (None,) * len(goal)
    steps = list(zip(size, goal, scales))
    if kind == "nearest":
        return xp.pick_axes(x, tuple(_nearest(n, o, rule, s) for n, o, s in steps))
    make = {"linear": _linear, "cubic": _cubic, "smooth": _smooth}[kind]
    return xp.apply_axes(x, tuple(make(n, o, rule, s) for n, o, s in steps))


# Primitives ---------------------------------------------------------------------------------------


def _rule_of(api, align_corners, half_pixel_centers, error=ValueError):
    if align_corners and half_pixel_centers:
        raise error(f"For '{api}', 'align_corners' and 'half_pixel_centers' must not both be True.")
    return "corner" if align_corners else "half" if half_pixel_centers else "edge"


@op("ops.ResizeBilinearV2(align_corners=False, half_pixel_centers=False)(x, size)")
def resize_bilinear(
    xp, x: Floats, size: Any, align_corners: Bool = False, half_pixel_centers: Bool = False
):
    """Resizes images by linear interpolation. `size` is a sequence of two numbers or an int Tensor.

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
    return _resized(xp, x, goal, "linear", rule)


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
    """Resizes images by copying the nearest pixel.

    Shapes:
        `input_x` is (N, C, H, W). The result is (N, C, *size), of the same dtype.

    Example:
        >>> print(ms.ops.ResizeNearestNeighbor((2, 4))(ms.Tensor([[[[1.0, 2.0], [3.0, 4.0]]]])))
        [[[[1. 1. 2. 2.]
           [3. 3. 4. 4.]]]]
    """
    need_rank("ResizeNearestNeighbor", "input_x", input_x, 4)
    rule = _rule_of("ResizeNearestNeighbor", align_corners, half_pixel_centers)
    return _resized(xp, input_x, tuple(size), "nearest", rule)


@op(
    "ops.ResizeNearestNeighborV2(align_corners=False, half_pixel_centers=False)(x, size)",
    compute="native",
)
def resize_nearest_v2(
    xp, x: Numbers, size: Any, align_corners: Bool = False, half_pixel_centers: Bool = False
):
    """Resizes images by copying the nearest pixel. `size` is an int Tensor of two numbers.

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
    return _resized(xp, x, goal, "nearest", rule)


@op("ops.ResizeBicubic(align_corners=False, half_pixel_centers=False)(images, size)")
def resize_bicubic(
    xp,
    images: TensorOf("float16", "float32", "float64"),
    size: Any,
    align_corners: Bool = False,
    half_pixel_centers: Bool = False,
):
    """Resizes images by cubic convolution. `size` is a sequence of two numbers or an int Tensor.

    Shapes:
        `images` is (N, C, H, W). The result is (N, C, *size).

    Example:
        >>> print(ms.ops.ResizeBicubic()(ms.Tensor([[[[1.0, 2.0], [3.0, 4.0]]]]),
        ...                              ms.Tensor([1, 4], ms.int32)))
        [[[[1.      1.5     2.      2.09375]]]]
    """
    need_rank("ResizeBicubic", "images", images, 4)
    goal = sizes_of("ResizeBicubic", "size", size, 2)
    return _resized(
        xp, images, goal, "cubic", _rule_of("ResizeBicubic", align_corners, half_pixel_centers)
    )


@op("ops.ResizeLinear1D(coordinate_transformation_mode='align_corners')(x, size)")
def resize_linear1d(
    xp,
    x: TensorOf("float16", "float32", "float64"),
    size: Any,
    coordinate_transformation_mode: OneOf("align_corners", "half_pixel") = "align_corners",
):
    """Resizes sequences by linear interpolation.

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
    return _line(xp, x, goal, coordinate_transformation_mode == "align_corners")


def _line(xp, x, goal, corner):
    """Linear interpolation of sequences; a single output copies the first input."""
    rule = "corner" if corner or goal == 1 else "half"
    return _resized(xp, x, (goal,), "linear", rule)


@op("ops.ResizeArea(align_corners=False)(images, size)", compute="native")
def resize_area(xp, images: Reals, size: TensorOf("int32", "int64"), align_corners: Bool = False):
    """Resizes images by the mean of what each new pixel covers.

    Shapes:
        `images` is (N, H, W, C), `size` is (2,) of int32. The result is (N, *size, C), of float32.

    Example:
        >>> print(ms.ops.ResizeArea()(ms.Tensor([[[[1.0], [2.0]], [[3.0], [4.0]]]]),
        ...                           ms.Tensor([1, 1], ms.int32)))
        [[[[2.5]]]]
    """
    need_rank("ResizeArea", "images", images, 4)
    need_rank("ResizeArea", "size", size, 1)
    high, wide = sizes_of("ResizeArea", "size", tuple(int(n) for n in size), 2)
    x = xp.moveaxis(xp.cast(images, "float32"), -1, 1)
    matrices = (_area(x.shape[2], high, align_corners), _area(x.shape[3], wide, align_corners))
    return xp.moveaxis(xp.apply_axes(x, matrices), 1, -1)


def _volume(api, x, output_size, scales):
    """The goal and the inputs per output of the 3-d primitives."""
    need_rank(api, "x", x, 5)
    if (output_size is None) == (scales is None):
        raise ValueError(
            f"For '{api}', either 'output_size' or 'scales' must be given, but got "
            f"{output_size!r} and {scales!r}."
        )
    if scales is None:
        return tuple(output_size), None
    return tuple(int(n * s) for n, s in zip(x.shape[2:], scales)), tuple(1 / s for s in scales)


Pixels = TensorOf(floating, "uint8")  # uint8 for the nearest element
Three = TupleOf(Positive, length=3) | ListOf(Positive, length=3)
Factors = TupleOf(Float(gt=0.0), length=3) | ListOf(Float(gt=0.0), length=3)


@op("ops.UpsampleNearest3D()(x, output_size=None, scales=None)")
def upsample_nearest3d(xp, x: Pixels, output_size: Three = None, scales: Factors = None):
    """Resizes volumes by copying the nearest element, to `output_size` or by the factors `scales`.

    Shapes:
        `x` is (N, C, D, H, W). The result is (N, C, *output_size), of the same dtype.

    Example:
        >>> print(ms.ops.UpsampleNearest3D()(ms.ops.ones((1, 1, 1, 1, 2)), [1, 2, 4]).shape)
        (1, 1, 1, 2, 4)
    """
    goal, steps = _volume("UpsampleNearest3D", x, output_size, scales)
    return _resized(xp, x, goal, "nearest", "edge", steps)


@op("ops.UpsampleTrilinear3D(align_corners=False)(x, output_size=None, scales=None)")
def upsample_trilinear3d(
    xp, x: Floats, output_size: Three = None, scales: Factors = None, align_corners: Bool = False
):
    """Resizes volumes by linear interpolation, to `output_size` or by the factors `scales`.

    Shapes:
        `x` is (N, C, D, H, W). The result is (N, C, *output_size), of the same dtype.

    Example:
        >>> print(ms.ops.UpsampleTrilinear3D()(ms.Tensor([[[[[1.0, 2.0]]]]]), [1, 1, 4]))
        [[[[[1.   1.25 1.75 2.  ]]]]]
    """
    goal, steps = _volume("UpsampleTrilinear3D", x, output_size, scales)
    return _resized(xp, x, goal, "linear", "corner" if align_corners else "half", steps)


# interpolate --------------------------------------------------------------------------------------

RANKS = {
    "nearest": (3, 4, 5),
    "linear": (3,),
    "bilinear": (4,),
    "trilinear": (5,),
    "bicubic": (4,),
    "area": (3, 4, 5),
    "nearest-exact": (3, 4),
}
CORNERS = {"linear", "bilinear", "bicubic", "trilinear"}
SCALED = {("nearest", 5), ("trilinear", 5), ("area", 3), ("area", 4), ("area", 5)}

Size = Positive | TupleOf(Positive) | ListOf(Positive)
Factor = Float(gt=0.0) | TupleOf(Float(gt=0.0)) | ListOf(Float(gt=0.0))


def _spatial(api, name, value, count):
    """One number per spatial dimension, as given or repeated."""
    given = value if isinstance(value, (tuple, list)) else (value,) * count
    if len(given) != count:
        raise ValueError(
            f"For '{api}', '{name}' must have one number for each of {count} dimensions, but got "
            f"{value!r}."
        )
    return tuple(given)


def _arguments(api, x, size, factor, mode, corners, recompute, scaled):
    """The goal, and the inputs per output where a factor counts as it is."""
    if (size is None) == (factor is None):
        raise ValueError(
            f"For '{api}', either 'size' or 'scale_factor' must be given, but got {size!r} and "
            f"{factor!r}."
        )
    if mode not in RANKS:
        raise ValueError(
            f"For '{api}', 'mode' must be one of {', '.join(RANKS)}, but got {mode!r}."
        )
    if x.ndim not in RANKS[mode]:
        raise ValueError(
            f"For '{api}', mode '{mode}' needs {' or '.join(map(str, RANKS[mode]))} dimensions, "
            f"but got {x.ndim}."
        )
    if corners is not None and mode not in CORNERS:
        raise ValueError(
            f"For '{api}', 'align_corners' must be None for mode '{mode}', but got {corners}."
        )
    count = x.ndim - 2
    if size is not None:
        if recompute:
            raise ValueError(
                f"For '{api}', 'recompute_scale_factor' must not be True where 'size' is given."
            )
        return _spatial(api, "size", size, count), None
    factor = _spatial(api, "scale_factor", factor, count)
    goal = tuple(int(n * f) for n, f in zip(x.shape[2:], factor))
    if recompute:
        return goal, None
    if (mode, x.ndim) not in scaled:
        raise ValueError(
            f"For '{api}', 'scale_factor' must come with 'recompute_scale_factor' for mode "
            f"'{mode}' and {x.ndim} dimensions."
        )
    return goal, tuple(1 / f for f in factor)


def _interpolated(xp, x, goal, steps, mode, corners, cubic="cubic"):
    if x.dtype.kind == "u" and mode not in ("nearest", "nearest-exact"):
        raise TypeError(
            f"For 'interpolate', 'input' must hold floats for mode '{mode}', but got uint8."
        )
    rule = "corner" if corners else "half"
    if mode == "area":
        return xp.adaptive_average(x, goal)
    if mode == "linear":
        return (
            _line(xp, x, goal[0], corners)
            if steps is None
            else _resized(xp, x, goal, "linear", rule, steps)
        )
    if mode == "nearest":
        return _resized(xp, x, goal, "nearest", "edge", steps)
    if mode == "nearest-exact":
        return _resized(xp, x, goal, "nearest", "half", steps)
    return _resized(xp, x, goal, cubic if mode == "bicubic" else "linear", rule, steps)


@op(
    "ops.interpolate(input, size=None, scale_factor=None, mode='nearest', align_corners=None, "
    "recompute_scale_factor=None)",
    "ops.upsample(input, size=None, scale_factor=None, mode='nearest', align_corners=None, "
    "recompute_scale_factor=None)",
)
def interpolate(
    xp,
    input: Pixels,
    size: Size = None,
    scale_factor: Any = None,
    mode: AsValue(Str) = "nearest",
    align_corners: Bool = None,
    recompute_scale_factor: Bool | Falsy = None,
):
    """Resizes the axes after the first two to `size`, or by `scale_factor`.

    Modes are "nearest" and "nearest-exact" (3 to 5 axes), "linear" (3), "bilinear" and "bicubic"
    (4), "trilinear" (5) and "area". Without `align_corners` centres of pixels map to centres. A
    factor without `recompute_scale_factor` is for "area", and for 5 axes.

    Shapes:
        `input` is (N, C, ...), with one to three axes after the channels. The result is (N, C,
        *size), of the same dtype.

    Raises:
        TypeError: if `input` is not a Tensor of a floating dtype, or of uint8 for the nearest
            element, or an argument is of a wrong type.
        ValueError: if not exactly one of `size` and `scale_factor` is given, their lengths do not
            fit the input, or the mode does not know the number of dimensions, `align_corners` or
            a factor.

    Example:
        >>> print(ms.ops.interpolate(ms.Tensor([[[1.0, 2.0]]]), size=4, mode="linear"))
        [[[1.   1.25 1.75 2.  ]]]
    """
    if size is None and scale_factor is not None:
        Factor.refuse("interpolate", "scale_factor", scale_factor)
    goal, steps = _arguments(
        "interpolate",
        input,
        size,
        scale_factor,
        mode,
        align_corners,
        recompute_scale_factor,
        SCALED,
    )
    return _interpolated(xp, input, goal, steps, mode, bool(align_corners))


Loose = Float(gt=0.0) | Positive
LooseFactor = Loose | TupleOf(Loose) | ListOf(Loose)
ALL_SCALED = {(mode, rank) for mode, ranks in RANKS.items() for rank in ranks}


@op(
    "mint.nn.functional.interpolate(input, size=None, scale_factor=None, mode='nearest', "
    "align_corners=None, recompute_scale_factor=None)",
    "mint.nn.functional.upsample(input, size=None, scale_factor=None, mode='nearest', "
    "align_corners=None)",
    "mint.nn.Upsample(size=None, scale_factor=None, mode='nearest', align_corners=None, "
    "recompute_scale_factor=None)(input)",
)
def interpolate_ext(
    xp,
    input: Pixels,
    size: InTensor(Size) = None,
    scale_factor: AsValue(LooseFactor) = None,
    mode: AsValue(Str) = "nearest",
    align_corners: AsValue(Bool) = None,
    recompute_scale_factor: AsValue(Bool) | Falsy = None,
):
    """Resizes the axes after the first two to `size`, or by `scale_factor`, in any mode.

    Shapes:
        `input` is (N, C, ...), with one to three axes after the channels. The result is (N, C,
        *size), of the same dtype.

    Raises:
        TypeError: if `input` is not a Tensor of a floating dtype, or an argument is of a wrong
            type.
        ValueError: if not exactly one of `size` and `scale_factor` is given, their lengths do not
            fit the input, or the mode does not know the number of dimensions or `align_corners`.

    Example:
        >>> print(ms.mint.nn.functional.interpolate(ms.Tensor([[[1.0, 2.0]]]), scale_factor=2.0))
        [[[1. 1. 2. 2.]]]
    """
    goal, steps = _arguments(
        "interpolate",
        input,
        size,
        scale_factor,
        mode,
        align_corners,
        recompute_scale_factor,
        ALL_SCALED,
    )
    return _interpolated(xp, input, goal, steps, mode, bool(align_corners), "smooth")


Two = TupleOf(Positive, length=2) | ListOf(Positive, length=2)
Factors = TupleOf(Float(gt=0.0), length=2) | ListOf(Float(gt=0.0), length=2)


@op("mint.nn.UpsamplingNearest2d(size=None, scale_factor=None)(input)", compute="native")
def upsampling_nearest2d(
    xp,
    input: TensorOf("uint8", "float16", "float32", "float64"),
    size: Two = None,
    scale_factor: Factors = None,
):
    """Resizes images by copying, for each place, the nearest element before it.

    Shapes:
        `input` is (N, C, H, W). The result is (N, C, *size), of the same dtype.

    Example:
        >>> print(ms.mint.nn.UpsamplingNearest2d(size=(1, 4))(ms.Tensor([[[[1.0, 2.0]]]])))
        [[[[1. 1. 2. 2.]]]]
    """
    need_rank("UpsamplingNearest2d", "input", input, 4)
    goal, steps = _arguments(
        "UpsamplingNearest2d", input, size, scale_factor, "nearest", None, None, ALL_SCALED
    )
    return _interpolated(xp, input, goal, steps, "nearest", False)


@op("mint.nn.UpsamplingBilinear2d(size=None, scale_factor=None)(input)")
def upsampling_bilinear2d(
    xp,
    input: TensorOf("float16", "float32", "float64"),
    size: Two = None,
    scale_factor: Factors = None,
):
    """Resizes images by lines between their elements; the corners stay.

    Shapes:
        `input` is (N, C, H, W). The result is (N, C, *size), of the same dtype.

    Example:
        >>> print(ms.mint.nn.UpsamplingBilinear2d(size=(1, 3))(ms.Tensor([[[[1.0, 2.0]]]])))
        [[[[1.  1.5 2. ]]]]
    """
    need_rank("UpsamplingBilinear2d", "input", input, 4)
    goal, steps = _arguments(
        "UpsamplingBilinear2d", input, size, scale_factor, "bilinear", True, None, ALL_SCALED
    )
    return _interpolated(xp, input, goal, steps, "bilinear", True)
