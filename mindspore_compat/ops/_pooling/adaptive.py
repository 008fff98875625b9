"""Adaptive pooling: the output size is given, and the input is divided into nearly equal parts.

Pooling with windows of one size is in average_pool.py and max_pool.py, the arithmetic in
_backend/conv/adaptive_pooling.py.
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
)
from .._conv.sizes import need_rank, sizes_of
from .._rules import Float16Or32, Floats, Reals, RealsUpTo64, listed, several

Positive, Natural = Int(ge=1), Int(ge=0)
Volume = InTensor(AsValue(listed(Positive | OneOf(True), 3), Number | TensorOf()))


def _goal(api, x, output_size, count):
    """Returns the output size: one number for all dimensions, or one per dimension; None and -1
    keep a length.
    """
    need_rank(api, "input", x, count + 1, count + 2)
    sizes = output_size if isinstance(output_size, (tuple, list)) else (output_size,) * count
    if len(sizes) != count:
        raise ValueError(
            f"For '{api}', 'output_size' must have {count} elements, but got {output_size!r}."
        )
    size = x.shape[x.ndim - count :]
    return tuple(n if w in (None, -1) else int(w) for n, w in zip(size, sizes))


def _need_elements(api, name, x):
    """Rejects volumes without elements."""
    if not x.size:
        raise RuntimeError(f"For '{api}', '{name}' must have elements, but got shape {x.shape}.")


def _dividing_size(api, x, output_size):
    """Returns the output size of the 1-D forms, which must divide the length."""
    need_rank(api, "input", x, 3)
    if x.shape[-1] % output_size:
        raise ValueError(
            f"For '{api}', the last dimension of 'input' must be divisible by 'output_size', but "
            f"got {x.shape[-1]} and {output_size}."
        )
    return (output_size,)


Goal = Natural | TupleOf(Natural | None)
Part = Positive | OneOf(-1)
Parts = Part | TupleOf(Part | None) | ListOf(Part | None)


@op(
    "ops.adaptive_avg_pool1d(input, output_size)",
    compute="kernels",
    quirks=Quirks(shapes_first=True, checked_at_once=("nn.AdaptiveAvgPool1d",)),
)
def adaptive_avg_pool1d(xp, input: Float16Or32, output_size: Positive):
    """Applies 1-D adaptive average pooling: the mean of each of `output_size` equal parts of a
    sequence.

    Shapes:
        `input` is (N, C, L) with L a multiple of `output_size`. The result is (N, C, output_size),
        of the same dtype.

    Example:
        >>> print(ms.ops.adaptive_avg_pool1d(ms.Tensor([[[1.0, 2.0, 3.0, 4.0]]]), 2))
        [[[1.5 3.5]]]
    """
    return xp.adaptive_average(input, _dividing_size("adaptive_avg_pool1d", input, output_size))


@op("mint.nn.functional.adaptive_avg_pool1d(input, output_size)", compute="kernels")
def adaptive_avg_pool1d_ext(xp, input: Floats, output_size: AsValue(listed(Natural, 1))):
    """Applies 1-D adaptive average pooling: the mean of each of `output_size` parts of a sequence.

    Shapes:
        `input` is (N, C, L) or (C, L). The result has length `output_size` along the last axis and
        the same dtype.

    Example:
        >>> print(ms.mint.nn.functional.adaptive_avg_pool1d(ms.Tensor([[[1.0, 2.0, 3.0]]]), 2))
        [[[1.5 2.5]]]
    """
    goal = output_size if isinstance(output_size, int) else tuple(output_size)
    return xp.adaptive_average(input, _goal("adaptive_avg_pool1d", input, goal, 1))


@op(
    "ops.adaptive_avg_pool2d(input, output_size)",
    "ops.AdaptiveAvgPool2D(output_size)(input_x: input)",
    "mint.nn.functional.adaptive_avg_pool2d(input, output_size)",
    "ops.adaptive_avg_pool2d_ext(input, output_size)",
    compute="kernels",
    quirks=Quirks(checked_at_once=("nn.AdaptiveAvgPool2d",)),
)
def adaptive_avg_pool2d(xp, input: Floats, output_size: Goal):
    """Applies 2-D adaptive average pooling: the mean of each part of images, where the numbers of
    parts down and across are `output_size`.

    Along an axis of length n with o parts, part i runs from floor(i n / o) to ceil((i + 1) n / o).
    None keeps the length of an axis.

    Shapes:
        `input` is (N, C, H, W) or (C, H, W). The result has the lengths `output_size` along the
        last two axes and the same dtype.

    Example:
        >>> print(ms.ops.adaptive_avg_pool2d(ms.Tensor([[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]]),
        ...                                  (1, 2)))
        [[[3. 4.]]]
    """
    return xp.adaptive_average(input, _goal("adaptive_avg_pool2d", input, output_size, 2))


@op(
    "ops.adaptive_avg_pool3d(input, output_size)",
    "ops.AdaptiveAvgPool3D(output_size)(x: input)",
    "mint.nn.functional.adaptive_avg_pool3d(input, output_size)",
    quirks=Quirks(
        shapes_first=("mint.nn.functional.adaptive_avg_pool3d",),
        rules={
            **dict.fromkeys(
                ("ops.adaptive_avg_pool3d", "ops.AdaptiveAvgPool3D", "nn.AdaptiveAvgPool3d"),
                {"input": Reals.but("bfloat16", "uint16", "uint32", "uint64")},
            ),
            "mint.nn.functional.adaptive_avg_pool3d": {
                "input": Floats,
                "output_size": Positive | TupleOf(Positive | None),
            },
        },
        checked_at_once=("nn.AdaptiveAvgPool3d",),
    ),
    compute="kernels",
)
def adaptive_avg_pool3d(xp, input: Reals, output_size: Natural | TupleOf(Natural | None)):
    """Applies 3-D adaptive average pooling: the mean of each part of volumes, where the numbers of
    parts along the axes are `output_size`.

    Along an axis of length n with o parts, part i runs from floor(i n / o) to ceil((i + 1) n / o).
    None keeps the length of an axis.

    Shapes:
        `input` is (N, C, D, H, W) or (C, D, H, W). The result has the lengths `output_size` along
        the last three axes and the same dtype.

    Example:
        >>> print(ms.ops.adaptive_avg_pool3d(ms.ops.ones((1, 1, 2, 4, 4)), (1, 2, 2)).shape)
        (1, 1, 1, 2, 2)
    """
    goal = _goal("adaptive_avg_pool3d", input, output_size, 3)
    if input.dtype.kind in "iu":
        return xp.cast(xp.adaptive_average(xp.cast(input, "float64"), goal), input.dtype)
    return xp.adaptive_average(input, goal)


def _adaptive_largest(xp, x, goal, index=None):
    indices = xp.adaptive_max_index(x, goal)
    top = xp.take_spatial(x, indices, len(goal), True)
    return top if index is None else (top, xp.cast(indices, index))


@op(
    "ops.adaptive_max_pool1d(input, output_size)",
    compute="kernels",
    quirks=Quirks(shapes_first=True, checked_at_once=("nn.AdaptiveMaxPool1d",)),
)
def adaptive_max_pool1d(xp, input: Float16Or32, output_size: Positive):
    """Applies 1-D adaptive max pooling: the maximum of each of `output_size` equal parts of a
    sequence.

    Shapes:
        `input` is (N, C, L) with L a multiple of `output_size`. The result is (N, C, output_size),
        of the same dtype.

    Example:
        >>> print(ms.ops.adaptive_max_pool1d(ms.Tensor([[[1.0, 2.0, 3.0, 4.0]]]), 2))
        [[[2. 4.]]]
    """
    return _adaptive_largest(xp, input, _dividing_size("adaptive_max_pool1d", input, output_size))


@op(
    "mint.nn.functional.adaptive_max_pool1d(input, output_size, return_indices=False)",
    compute="kernels",
)
def adaptive_max_pool1d_ext(
    xp, input: Floats, output_size: several(Positive, 1), return_indices: Bool = False
):
    """Applies 1-D adaptive max pooling: the maximum of each of `output_size` parts of a sequence;
    with `return_indices` also its position.

    Shapes:
        `input` is (N, C, L) or (C, L). The result has length `output_size` along the last axis and
        the same dtype.

    Example:
        >>> print(ms.mint.nn.functional.adaptive_max_pool1d(ms.Tensor([[[1.0, 2.0, 3.0]]]), 2))
        [[[2. 3.]]]
    """
    goal = _goal("adaptive_max_pool1d", input, output_size, 1)
    return _adaptive_largest(xp, input, goal, "int64" if return_indices else None)


@op(
    "ops.adaptive_max_pool2d(input, output_size, return_indices=False)",
    "mint.nn.functional.adaptive_max_pool2d(input, output_size, return_indices=False)",
    compute="kernels",
    quirks=Quirks(shapes_first=True),
)
def adaptive_max_pool2d(xp, input: Floats, output_size: Parts, return_indices: Bool = False):
    """Applies 2-D adaptive max pooling: the maximum of each part of images; with `return_indices`
    also its int64 position in H * W. The parts are the same as for `adaptive_avg_pool2d`.

    Shapes:
        `input` is (N, C, H, W) or (C, H, W). The result has the lengths `output_size` along the
        last two axes and the same dtype.

    Example:
        >>> print(ms.ops.adaptive_max_pool2d(ms.Tensor([[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]]),
        ...                                  (1, 2)))
        [[[5. 6.]]]
    """
    goal = _goal("adaptive_max_pool2d", input, output_size, 2)
    return _adaptive_largest(xp, input, goal, "int64" if return_indices else None)


@op("ops.AdaptiveMaxPool2D(output_size)(input)", compute="kernels")
def adaptive_max_pool2d_primitive(
    xp, input: Floats, output_size: TupleOf(Positive | None) | ListOf(Positive | None)
):
    """Applies 2-D adaptive max pooling: the maximum of each part of images, and its int64 position
    in H * W. The parts are the same as for `adaptive_avg_pool2d`.

    Shapes:
        `input` is (N, C, H, W) or (C, H, W). Both results have the lengths `output_size` along the
        last two axes.

    Example:
        >>> v, i = ms.ops.AdaptiveMaxPool2D((1, 2))(ms.Tensor([[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]]))
        >>> print(v, i)
        [[[5. 6.]]] [[[4 5]]]
    """
    return _adaptive_largest(xp, input, _goal("AdaptiveMaxPool2D", input, output_size, 2), "int64")


@op(
    "ops.adaptive_max_pool3d(input, output_size, return_indices=False)",
    compute="kernels",
    quirks=Quirks(checked_at_once=("nn.AdaptiveMaxPool3d",)),
)
def adaptive_max_pool3d(xp, input: RealsUpTo64, output_size: Volume, return_indices: Any = False):
    """Applies 3-D adaptive max pooling: the maximum of each part of volumes; with `return_indices`
    also its int32 position in D * H * W. The parts are the same as for `adaptive_avg_pool3d`.

    Shapes:
        `input` is (N, C, D, H, W) or (C, D, H, W). The result has the lengths `output_size` along
        the last three axes and the same dtype.

    Example:
        >>> print(ms.ops.adaptive_max_pool3d(ms.ops.ones((1, 1, 2, 4, 4)), (1, 2, 2)).shape)
        (1, 1, 1, 2, 2)
    """
    goal = _goal("adaptive_max_pool3d", input, output_size, 3)
    _need_elements("adaptive_max_pool3d", "input", input)
    return _adaptive_largest(xp, input, goal, "int32" if return_indices else None)


@op("ops.AdaptiveMaxPool3D()(x, output_size)", compute="kernels")
def adaptive_max_pool3d_primitive(xp, x: RealsUpTo64, output_size: Any):
    """Applies 3-D adaptive max pooling: the maximum of each part of volumes, and its int32 position
    in D * H * W. `output_size` is an integer Tensor of three elements.

    Shapes:
        `x` is (N, C, D, H, W) or (C, D, H, W). Both results have the lengths `output_size` along
        the last three axes.

    Example:
        >>> size = ms.Tensor([1, 1, 1], ms.int32)
        >>> v, i = ms.ops.AdaptiveMaxPool3D()(ms.Tensor([[[[1.0, 2.0]]]]), size)
        >>> print(v, i)
        [[[[2.]]]] [[[[1]]]]
    """
    goal = _goal(
        "AdaptiveMaxPool3D", x, sizes_of("AdaptiveMaxPool3D", "output_size", output_size, 1, 3), 3
    )
    _need_elements("AdaptiveMaxPool3D", "x", x)
    return _adaptive_largest(xp, x, goal, "int32")
