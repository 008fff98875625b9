"""Max unpooling: writes values back to the positions of the maxima, and zeros elsewhere."""

import math

from ..._core.declare.inputs import Quirks
from ..._core.declare.op import op
from ..._core.rules.vocabulary import Any, AsValue, InstanceOf, Int, OneOf, TupleOf
from .._conv.sizes import height_and_width, need_rank, per_dimension
from .._rules import Index, Natural, Positive, Reals, several, sizes

_OutputSize = AsValue(InstanceOf(tuple) | None).called("a tuple")


def _unpool(xp, api, x, indices, kernel, stride, padding, output_size, count):
    """Returns an array with `x` at the positions of the maxima, and zeros elsewhere."""
    need_rank(api, "x", x, count + 1, count + 2)
    _OutputSize.refuse(api, "output_size", output_size)
    if tuple(x.shape) != tuple(indices.shape):
        raise ValueError(
            f"For '{api}', 'x' and 'indices' must have the same shape, but got "
            f"{tuple(x.shape)} and {tuple(indices.shape)}."
        )
    kernel, padding, lead = (
        per_dimension(kernel, count),
        per_dimension(padding, count),
        x.ndim - count,
    )
    stride = (
        kernel
        if stride is None or not any(per_dimension(stride, count))
        else per_dimension(stride, count)
    )
    goal = tuple(
        (n - 1) * s - 2 * p + k for n, s, p, k in zip(x.shape[lead:], stride, padding, kernel)
    )
    if output_size:
        lengths = tuple(output_size)[-count:]
        if len(output_size) not in (count, count + 1, count + 2) or any(
            abs(w - g) >= s for w, g, s in zip(lengths, goal, stride)
        ):
            raise ValueError(
                f"For '{api}', 'output_size' must be within a stride of {goal}, but got "
                f"{output_size!r}."
            )
        goal = lengths
    if min(goal) < 0:
        raise ValueError(f"For '{api}', the output must have a size, but got {goal}.")
    if bool(xp.any((indices < 0) | (indices >= math.prod(goal)))):
        raise RuntimeError(f"For '{api}', 'indices' must lie in an output of size {goal}.")
    return xp.put_spatial(x, indices, goal)


Shape = TupleOf(Int)


@op(
    "ops.max_unpool1d(x, indices, kernel_size, stride=None, padding=0, output_size=None)",
    compute="native",
    quirks=Quirks(shapes_first=True),
)
def max_unpool1d(
    xp,
    x: Reals,
    indices: Index,
    kernel_size: several(Positive, 1),
    stride: several(Positive, 1) = None,
    padding: several(Natural, 1) = 0,
    output_size: Any = None,
):
    """Applies 1-D max unpooling, a partial inverse of max pooling: writes each value to the
    position of its maximum, and zeros elsewhere.

    Shapes:
        `x` and `indices` are (N, C, L') or (C, L'). The result is (N, C, L) or (C, L), of the dtype
        of `x`.

    Example:
        >>> print(ms.ops.max_unpool1d(ms.Tensor([[2.0, 4.0]]), ms.Tensor([[1, 3]]), 2))
        [[0. 2. 0. 4.]]
    """
    return _unpool(xp, "max_unpool1d", x, indices, kernel_size, stride, padding, output_size, 1)


@op(
    "ops.max_unpool2d(x, indices, kernel_size, stride=None, padding=0, output_size=None)",
    compute="native",
)
def max_unpool2d(
    xp,
    x: Reals,
    indices: Index,
    kernel_size: sizes(Positive, 2),
    stride: sizes(Natural, 2) = None,
    padding: sizes(Natural, 2) = 0,
    output_size: Any = None,
):
    """Applies 2-D max unpooling, a partial inverse of max pooling: writes each value to the
    position of its maximum, and zeros elsewhere.

    Shapes:
        `x` and `indices` are (N, C, H', W') or (C, H', W'). The result is (N, C, H, W) or (C, H,
        W), of the dtype of `x`.

    Example:
        >>> print(ms.ops.max_unpool2d(ms.Tensor([[[[4.0]]]]), ms.Tensor([[[[3]]]]), 2))
        [[[[0. 0.]
           [0. 4.]]]]
    """
    return _unpool(xp, "max_unpool2d", x, indices, kernel_size, stride, padding, output_size, 2)


@op(
    "mint.nn.functional.max_unpool2d(input, indices, kernel_size, stride=None, padding=0, "
    "output_size=None)",
    compute="native",
    quirks=Quirks(shapes_first=True),
)
def max_unpool2d_ext(
    xp,
    input: Reals,
    indices: Index,
    kernel_size: several(Positive, 1, 2),
    stride: several(Positive, 1, 2) = None,
    padding: several(Natural, 1, 2) = 0,
    output_size: InstanceOf(tuple, list) | None = None,
):
    """Applies 2-D max unpooling, a partial inverse of max pooling: writes each value to the
    position of its maximum, and zeros elsewhere.

    Shapes:
        `input` and `indices` are (N, C, H', W') or (C, H', W'). The result is (N, C, H, W) or (C,
        H, W), of the dtype of `input`.

    Example:
        >>> print(ms.mint.nn.functional.max_unpool2d(ms.Tensor([[[[4.0]]]]), ms.Tensor([[[[3]]]]),
        ...         2))
        [[[[0. 0.]
           [0. 4.]]]]
    """
    return _unpool(xp, "max_unpool2d", input, indices, kernel_size, stride, padding, output_size, 2)


@op(
    "ops.max_unpool3d(x, indices, kernel_size, stride=None, padding=0, output_size=None)",
    compute="native",
)
def max_unpool3d(
    xp,
    x: Reals,
    indices: Index,
    kernel_size: sizes(Positive, 3),
    stride: sizes(Natural, 3) = None,
    padding: sizes(Natural, 3) = 0,
    output_size: Any = None,
):
    """Applies 3-D max unpooling, a partial inverse of max pooling: writes each value to the
    position of its maximum, and zeros elsewhere.

    Shapes:
        `x` and `indices` are (N, C, D', H', W') or (C, D', H', W'). The result is (N, C, D, H, W)
        or (C, D, H, W), of the dtype of `x`.

    Example:
        >>> print(ms.ops.max_unpool3d(ms.Tensor([[[[[4.0]]]]]), ms.Tensor([[[[[3]]]]]), 2).shape)
        (1, 1, 2, 2, 2)
    """
    return _unpool(xp, "max_unpool3d", x, indices, kernel_size, stride, padding, output_size, 3)


def _channels_last(api, data_format, first, last):
    """Returns whether a data format has the channels on the last axis."""
    if data_format not in (first, last):
        raise ValueError(
            f"For '{api}', 'data_format' must be '{first}' or '{last}', but got {data_format!r}."
        )
    return data_format == last


@op(
    "ops.MaxUnpool2D(ksize, strides=0, pads=0, output_shape=(), data_format='NCHW')(x, argmax)",
    compute="native",
)
def max_unpool2d_primitive(
    xp,
    x: Reals,
    argmax: Index,
    ksize: several(Positive, 2, 4),
    strides: several(Natural, 2, 4) = 0,
    pads: several(Natural, 2, 4) = 0,
    output_shape: Shape = (),
    data_format: AsValue(OneOf("NCHW", "NHWC")) = "NCHW",
):
    """Applies 2-D max unpooling, a partial inverse of max pooling: writes each value to the
    position of its maximum, and zeros elsewhere.

    Shapes:
        `x` and `argmax` are (N, C, H', W'). The result is (N, C, H, W), of the dtype of `x`.

    Example:
        >>> print(ms.ops.MaxUnpool2D(2)(ms.Tensor([[[[4.0]]]]), ms.Tensor([[[[3]]]])))
        [[[[0. 0.]
           [0. 4.]]]]
    """
    last = _channels_last("MaxUnpool2D", data_format, "NCHW", "NHWC")
    if last:
        x, argmax = xp.moveaxis(x, -1, 1), xp.moveaxis(argmax, -1, 1)
        output_shape = output_shape and (output_shape[0], output_shape[3], *output_shape[1:3])
    out = _unpool(
        xp,
        "MaxUnpool2D",
        x,
        argmax,
        height_and_width(ksize),
        height_and_width(strides),
        height_and_width(pads),
        output_shape,
        2,
    )
    return xp.moveaxis(out, 1, -1) if last else out


@op(
    "ops.MaxUnpool3D(ksize, strides=0, pads=0, output_shape=(), data_format='NCDHW')(x, argmax)",
    compute="native",
)
def max_unpool3d_primitive(
    xp,
    x: Reals,
    argmax: Index,
    ksize: several(Positive, 3),
    strides: several(Natural, 3) = 0,
    pads: several(Natural, 3) = 0,
    output_shape: Shape = (),
    data_format: AsValue(OneOf("NCDHW", "NDHWC")) = "NCDHW",
):
    """Applies 3-D max unpooling, a partial inverse of max pooling: writes each value to the
    position of its maximum, and zeros elsewhere.

    Shapes:
        `x` and `argmax` are (N, C, D', H', W'). The result is (N, C, D, H, W), of the dtype of `x`.

    Example:
        >>> print(ms.ops.MaxUnpool3D(2)(ms.Tensor([[[[[4.0]]]]]), ms.Tensor([[[[[3]]]]])).shape)
        (1, 1, 2, 2, 2)
    """
    last = _channels_last("MaxUnpool3D", data_format, "NCDHW", "NDHWC")
    if last:
        x, argmax = xp.moveaxis(x, -1, 1), xp.moveaxis(argmax, -1, 1)
        output_shape = output_shape and (output_shape[0], output_shape[4], *output_shape[1:4])
    out = _unpool(xp, "MaxUnpool3D", x, argmax, ksize, strides, pads, output_shape, 3)
    return xp.moveaxis(out, 1, -1) if last else out
