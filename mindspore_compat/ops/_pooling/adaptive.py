"""Adaptive pooling: the output's size is given, and parts of the input of nearly one length each.

Pooling over windows of one size is in _pooling/pool.py, the arithmetic in _backend/pool.py.
"""

from ..._core.declare.inputs import Quirks
from ..._core.declare.op import op
from ..._core.rules.vocabulary import (
    Any,
    AsValue,
    Bool,
    Int,
    InTensor,
    ListOf,
    Number,
    OneOf,
    TensorOf,
    TupleOf,
    floating,
    integer,
)
from .._conv.conv import listed, several
from .._conv.im2col import need_rank, sizes_of

Positive, Natural = Int(ge=1), Int(ge=0)
Floats = TensorOf("float16", "float32", "float64", "bfloat16")
Plain = TensorOf(integer | floating)
Half = TensorOf("float16", "float32")
Volume = InTensor(AsValue(several(Positive | OneOf(True), 3), Number | TensorOf()))


def _goal(api, x, output_size, count):
    """The output size: a number for all dimensions, or one each; None and -1 mean "as it is"."""
    need_rank(api, "input", x, count + 1, count + 2)
    wanted = output_size if isinstance(output_size, (tuple, list)) else (output_size,) * count
    if len(wanted) != count:
        raise ValueError(
            f"For '{api}', 'output_size' must have {count} elements, but got {output_size!r}.")
    size = x.shape[x.ndim - count:]
    return tuple(n if w in (None, -1) else int(w) for n, w in zip(size, wanted))


def _divides(api, x, output_size):
    """The output size of the 1-d forms, which must divide the length."""
    need_rank(api, "input", x, 3)
    if x.shape[-1] % output_size:
        raise ValueError(
            f"For '{api}', the last dimension of 'input' must be divisible by 'output_size', but "
            f"got {x.shape[-1]} and {output_size}.")
    return (output_size,)


Goal = Natural | TupleOf(Natural | None)
Parts = Positive | OneOf(-1) | TupleOf(Positive | OneOf(-1) | None)


@op("ops.adaptive_avg_pool1d(input, output_size)")
def adaptive_avg_pool1d(xp, input: Half, output_size: Positive):
    """Means over `output_size` equal parts of a sequence (N, C, L)."""
    return xp.adaptive_average(input, _divides("adaptive_avg_pool1d", input, output_size))


@op("mint.nn.functional.adaptive_avg_pool1d(input, output_size)")
def adaptive_avg_pool1d_ext(xp, input: Floats, output_size: AsValue(listed(Natural, 1))):
    """Means over `output_size` parts of a sequence (N, C, L) or (C, L)."""
    goal = output_size if isinstance(output_size, int) else tuple(output_size)
    return xp.adaptive_average(input, _goal("adaptive_avg_pool1d", input, goal, 1))


@op("ops.adaptive_avg_pool2d(input, output_size)",
    "ops.AdaptiveAvgPool2D(output_size)(input_x: input)",
    "mint.nn.functional.adaptive_avg_pool2d(input, output_size)",
    "ops.adaptive_avg_pool2d_ext(input, output_size)")
def adaptive_avg_pool2d(xp, input: Floats, output_size: Goal):
    """Means over parts of images (N, C, H, W) or (C, H, W), as many as `output_size` says.

    Part i of o runs from floor(i n / o) to ceil((i + 1) n / o); None keeps a dimension.
    """
    return xp.adaptive_average(input, _goal("adaptive_avg_pool2d", input, output_size, 2))


@op(
    "ops.adaptive_avg_pool3d(input, output_size)",
    "ops.AdaptiveAvgPool3D(output_size)(x: input)",
    "mint.nn.functional.adaptive_avg_pool3d(input, output_size)",
    quirks=Quirks(rules={"mint.nn.functional.adaptive_avg_pool3d": {
        "output_size": Positive | TupleOf(Positive | None)}}),
)
def adaptive_avg_pool3d(xp, input: Plain, output_size: Natural | TupleOf(Natural | None)):
    """Means over parts of volumes (N, C, D, H, W) or (C, D, H, W); as `adaptive_avg_pool2d`."""
    goal = _goal("adaptive_avg_pool3d", input, output_size, 3)
    if input.dtype.kind in "iu":
        return xp.cast(xp.adaptive_average(xp.cast(input, "float64"), goal), input.dtype)
    return xp.adaptive_average(input, goal)


def _adaptive_largest(xp, x, goal, index=None):
    places = xp.adaptive_max_index(x, goal)
    top = xp.take_places(x, places, len(goal))
    return top if index is None else (top, xp.cast(places, index))


@op("ops.adaptive_max_pool1d(input, output_size)")
def adaptive_max_pool1d(xp, input: Half, output_size: Positive):
    """The largest value of each of `output_size` equal parts of a sequence (N, C, L)."""
    return _adaptive_largest(xp, input, _divides("adaptive_max_pool1d", input, output_size))


@op("mint.nn.functional.adaptive_max_pool1d(input, output_size, return_indices=False)")
def adaptive_max_pool1d_ext(xp, input: Floats, output_size: several(Positive, 1),
                            return_indices: Bool = False):
    """The largest value of each of `output_size` parts of a sequence (N, C, L) or (C, L)."""
    goal = _goal("adaptive_max_pool1d", input, output_size, 1)
    return _adaptive_largest(xp, input, goal, "int64" if return_indices else None)


@op("ops.adaptive_max_pool2d(input, output_size, return_indices=False)",
    "mint.nn.functional.adaptive_max_pool2d(input, output_size, return_indices=False)")
def adaptive_max_pool2d(xp, input: Floats, output_size: Parts, return_indices: Bool = False):
    """The largest value of each part of images (N, C, H, W) or (C, H, W).

    Parts are those of `adaptive_avg_pool2d`. With `return_indices` also int64 positions in H * W.
    """
    goal = _goal("adaptive_max_pool2d", input, output_size, 2)
    return _adaptive_largest(xp, input, goal, "int64" if return_indices else None)


@op("ops.AdaptiveMaxPool2D(output_size)(input)")
def adaptive_max_pool2d_primitive(xp, input: Floats,
                                  output_size: TupleOf(Positive | None) | ListOf(Positive | None)):
    """The largest value of each part of images, and its int64 position in H * W."""
    return _adaptive_largest(xp, input, _goal("AdaptiveMaxPool2D", input, output_size, 2), "int64")


@op("ops.adaptive_max_pool3d(input, output_size, return_indices=False)")
def adaptive_max_pool3d(xp, input: Plain, output_size: Volume, return_indices: Any = False):
    """The largest value of each part of volumes (N, C, D, H, W) or (C, D, H, W).

    With `return_indices` also int32 positions in D * H * W.
    """
    goal = _goal("adaptive_max_pool3d", input, output_size, 3)
    return _adaptive_largest(xp, input, goal, "int32" if return_indices else None)


@op("ops.AdaptiveMaxPool3D()(x, output_size)")
def adaptive_max_pool3d_primitive(xp, x: Plain, output_size: Any):
    """The largest value of each part of volumes, and its int32 position in D * H * W.

    `output_size` is one number, three, or an integer Tensor of three.
    """
    goal = _goal("AdaptiveMaxPool3D", x, sizes_of("AdaptiveMaxPool3D", "output_size", output_size,
                                                  1, 3), 3)
    return _adaptive_largest(xp, x, goal, "int32")
