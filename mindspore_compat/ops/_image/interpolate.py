"""Interpolation and upsampling to a size or by scale factors."""

from ..._core.declare.inputs import Quirks
from ..._core.declare.op import op
from ..._core.rules.value_rules import Falsy
from ..._core.rules.vocabulary import (
    Any,
    AsValue,
    Bool,
    Float,
    InTensor,
    ListOf,
    Str,
    TensorOf,
    TupleOf,
    floating,
)
from .._conv.sizes import need_rank
from .._rules import Floats, Positive
from .resize_matrices import line, resized


def _volume(api, x, output_size, scales):
    """Returns the output size of a 3-D primitive, and the ratios of input to output size."""
    need_rank(api, "x", x, 5)
    if (output_size is None) == (scales is None):
        raise ValueError(
            f"For '{api}', either 'output_size' or 'scales' must be given, but got "
            f"{output_size!r} and {scales!r}."
        )
    if scales is None:
        return tuple(output_size), None
    return tuple(int(n * s) for n, s in zip(x.shape[2:], scales)), tuple(1 / s for s in scales)


Pixels = TensorOf(floating, "uint8")  # uint8 only for nearest-neighbour interpolation
Three = TupleOf(Positive, length=3) | ListOf(Positive, length=3)
ThreeFactors = TupleOf(Float(gt=0.0), length=3) | ListOf(Float(gt=0.0), length=3)


@op("ops.UpsampleNearest3D()(x, output_size=None, scales=None)")
def upsample_nearest3d(xp, x: Pixels, output_size: Three = None, scales: ThreeFactors = None):
    """Upsamples volumes with nearest-neighbour interpolation, to `output_size` or by the factors
    `scales`.

    Shapes:
        `x` is (N, C, D, H, W). The result is (N, C, *output_size), of the same dtype.

    Example:
        >>> print(ms.ops.UpsampleNearest3D()(ms.ops.ones((1, 1, 1, 1, 2)), [1, 2, 4]).shape)
        (1, 1, 1, 2, 4)
    """
    goal, steps = _volume("UpsampleNearest3D", x, output_size, scales)
    return _nearest(xp, x, goal, steps)


@op("ops.UpsampleTrilinear3D(align_corners=False)(x, output_size=None, scales=None)")
def upsample_trilinear3d(
    xp,
    x: Floats,
    output_size: Three = None,
    scales: ThreeFactors = None,
    align_corners: Bool = False,
):
    """Upsamples volumes with trilinear interpolation, to `output_size` or by the factors `scales`.

    Shapes:
        `x` is (N, C, D, H, W). The result is (N, C, *output_size), of the same dtype.

    Example:
        >>> print(ms.ops.UpsampleTrilinear3D()(ms.Tensor([[[[[1.0, 2.0]]]]]), [1, 1, 4]))
        [[[[[1.   1.25 1.75 2.  ]]]]]
    """
    goal, steps = _volume("UpsampleTrilinear3D", x, output_size, scales)
    return resized(xp, x, goal, "linear", "corner" if align_corners else "half", steps)


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
    """Returns one number per spatial dimension; a single number is repeated."""
    numbers = value if isinstance(value, (tuple, list)) else (value,) * count
    if len(numbers) != count:
        raise ValueError(
            f"For '{api}', '{name}' must have one number for each of {count} dimensions, but got "
            f"{value!r}."
        )
    return tuple(numbers)


def _arguments(api, x, size, factor, mode, corners, recompute, scaled):
    """Returns the output size, and the ratios of input to output size if a factor is used
    directly."""
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


def _nearest(xp, x, goal, steps):
    """Selects the nearest elements by the scale factors. As in MindSpore, an axis whose length
    stays or doubles ignores its factor."""
    if steps is not None:
        lengths = zip(x.shape[2:], goal, steps)
        steps = tuple(n / g if g in (n, 2 * n) else step for n, g, step in lengths)
    return resized(xp, x, goal, "nearest", "edge", steps)


def _interpolate(xp, x, goal, steps, mode, corners, cubic="cubic"):
    if x.dtype.kind == "u" and mode not in ("nearest", "nearest-exact"):
        raise TypeError(
            f"For 'interpolate', 'input' must hold floats for mode '{mode}', but got uint8."
        )
    rule = "corner" if corners else "half"
    if mode == "area":
        return xp.adaptive_average(x, goal)
    if mode == "linear":
        return (
            line(xp, x, goal[0], corners)
            if steps is None
            else resized(xp, x, goal, "linear", rule, steps)
        )
    if mode == "nearest":
        return _nearest(xp, x, goal, steps)
    if mode == "nearest-exact":
        return resized(xp, x, goal, "nearest", "half", steps)
    return resized(xp, x, goal, cubic if mode == "bicubic" else "linear", rule, steps)


@op(
    "ops.interpolate(input, size=None, scale_factor=None, mode='nearest', align_corners=None, "
    "recompute_scale_factor=None)",
    "ops.upsample(input, size=None, scale_factor=None, mode='nearest', align_corners=None, "
    "recompute_scale_factor=None)",
    quirks=Quirks(shapes_first=True),
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
    """Resizes (interpolates) the axes after the first two to `size`, or by `scale_factor`.

    Modes are "nearest" and "nearest-exact" (for 3 to 5 axes), "linear" (3), "bilinear" and
    "bicubic" (4), "trilinear" (5) and "area". Without `align_corners`, pixel centres are aligned. A
    factor is used directly, without `recompute_scale_factor`, only by "area" and for 5 axes.

    Shapes:
        `input` is (N, C, ...), with one to three axes after the channels. The result is (N, C,
        *size), of the same dtype.

    Raises:
        TypeError: if `input` is not a Tensor of a floating dtype (or uint8 for the nearest modes),
            or an argument has the wrong type.
        ValueError: if both or neither of `size` and `scale_factor` are given, their lengths do not
            fit the input, or the mode does not support the number of axes, `align_corners` or a
            factor.

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
    return _interpolate(xp, input, goal, steps, mode, bool(align_corners))


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
    quirks=Quirks(shapes_first=True),
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
    """Resizes (interpolates) the axes after the first two to `size`, or by `scale_factor`. The
    modes are the same as for `ops.interpolate`.

    Shapes:
        `input` is (N, C, ...), with one to three axes after the channels. The result is (N, C,
        *size), of the same dtype.

    Raises:
        TypeError: if `input` is not a Tensor of a floating dtype, or an argument has the wrong
            type.
        ValueError: if both or neither of `size` and `scale_factor` are given, their lengths do not
            fit the input, or the mode does not support the number of axes or `align_corners`.

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
    return _interpolate(xp, input, goal, steps, mode, bool(align_corners), "smooth")


Two = TupleOf(Positive, length=2) | ListOf(Positive, length=2)
TwoFactors = TupleOf(Float(gt=0.0), length=2) | ListOf(Float(gt=0.0), length=2)


@op(
    "mint.nn.UpsamplingNearest2d(size=None, scale_factor=None)(input)",
    compute="native",
    quirks=Quirks(shapes_first=True),
)
def upsampling_nearest2d(
    xp,
    input: TensorOf("uint8", "float16", "float32", "float64"),
    size: Two = None,
    scale_factor: TwoFactors = None,
):
    """Upsamples images with nearest-neighbour interpolation: each output is a copy of the nearest
    input pixel at or before its position.

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
    return _interpolate(xp, input, goal, steps, "nearest", False)


@op("mint.nn.UpsamplingBilinear2d(size=None, scale_factor=None)(input)")
def upsampling_bilinear2d(
    xp,
    input: TensorOf("float16", "float32", "float64"),
    size: Two = None,
    scale_factor: TwoFactors = None,
):
    """Upsamples images with bilinear interpolation, with aligned corners.

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
    return _interpolate(xp, input, goal, steps, "bilinear", True)
