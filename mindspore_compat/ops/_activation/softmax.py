"""Softmax, log-softmax and softmin.

A large array is processed in chunks if the axis is the last one. On a GPU each function is one
kernel. Losses that contain a softmax are in _loss/cross_entropy.py.
"""

import math

from ..._backend.bodies.gpu import bodies_of
from ..._backend.space import implements
from ..._core.autograd.vjp_rules import derive
from ..._core.autograd.vjp_rules_products import merges_axes
from ..._core.declare.inputs import Quirks
from ..._core.declare.op import op
from ..._core.declare.public_api import public
from ..._core.declare.values import upcast
from ..._core.rules.vocabulary import Any, DType, Int, ScalarOf, TupleOf, checked
from .._rules import Anything, Floats, Numbers
from .._shape.axes import as_tuple


def _checked_axis(api, x, axis):
    """Rejects an axis that the input does not have."""
    for item in axis if isinstance(axis, tuple) else (axis,):
        if not -x.ndim <= item < x.ndim:
            raise ValueError(
                f"For '{api}', 'axis' must be in [{-x.ndim}, {x.ndim}), but got {item}."
            )
    return axis


def _in_rows(xp, function, axis, *arrays):
    """Runs `function(xp, *arrays, axis)`: as one kernel, or in float32, in chunks if the axis is
    the last one of a large array."""
    first = arrays[0]
    has_axis = isinstance(axis, int) and first.ndim
    least = "BODY_ROW" if axis in (-1, first.ndim - 1) else "BODY"
    if has_axis and first.size and (bodies := bodies_of(xp, *arrays, least=least)):
        if (result := bodies.along(function, axis, *arrays)) is not None:
            return result
    arrays = [upcast(xp, array) for array in arrays]
    return xp.cast(_in_chunks(xp, function, axis, arrays), first.dtype)


def _in_chunks(xp, function, axis, arrays):
    first = arrays[0]
    if axis not in (-1, first.ndim - 1) or first.ndim < 2 or not merges_axes(xp):
        return function(xp, *arrays, axis)
    if first.ndim > 2:
        rows = math.prod(first.shape[:-1])
        arrays = [xp.reshape(array, (rows, first.shape[-1])) for array in arrays]
    out = xp.by_rows(lambda xp, *parts: function(xp, *parts, 1), *arrays)
    return xp.reshape(out, first.shape) if first.ndim > 2 else out


def softmax_along(xp, x, axis):
    """Returns softmax along one axis or several."""
    return _in_rows(xp, _softmax_whole, axis, x) if x.size else x


def _softmax_whole(xp, x, axis):
    e = xp.exp(x - xp.max(x, axis, keepdims=True))
    return e / xp.sum(e, axis, keepdims=True)


def softmax_along_vjp(xp, g, out, axis):
    """Returns the gradient of `softmax_along` with respect to its input."""
    return _in_rows(xp, _softmax_vjp_whole, axis, g, out)


def _softmax_vjp_whole(xp, g, out, axis):
    weighted = g * out
    return weighted - out * xp.sum(weighted, axis, keepdims=True)


@op(
    "ops.softmax(input, axis=-1, *, dtype=None)",
    "Tensor.softmax(axis, dtype=None)",
    compute="kernels",
    quirks=Quirks(shapes_first=True),
)
def softmax(xp, input: Numbers, axis: Int = -1):
    """Computes the softmax along `axis`: exp(x) / sum(exp(x)). If `dtype` is given, the input is
    cast to it first.

    Shapes:
        `input` has at least one axis. The result has the same shape, and the dtype of `input` or
        `dtype`.

    Example:
        >>> print(ms.ops.softmax(ms.Tensor([[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]]), axis=-1))
        [[0.09003057 0.24472846 0.66524094]
         [0.33333334 0.33333334 0.33333334]]
    """
    if input.dtype.kind in "iuc":
        raise TypeError(
            f"For 'softmax', 'input' must be of a floating dtype, but got {input.dtype}."
        )
    return softmax_along(xp, input, _checked_axis("softmax", input, axis))


softmax.vjp(input=lambda xp, g, out, axis: softmax_along_vjp(xp, g, out, axis))


@op(
    "ops.Softmax(axis=-1)(input)",
    "nn.Softmax(axis=-1)(input)",
    compute="kernels",
    quirks=Quirks(stored={"ops.Softmax": {"axis": as_tuple}}, checked_at_once=("nn.Softmax",)),
)
def softmax_primitive(xp, input: Floats, axis: Int | TupleOf(Int, min_length=1) = -1):
    """Computes the softmax along `axis`, or over several axes together: exp(x) / sum(exp(x)).

    Shapes:
        `input` has at least one axis. The result has the same shape and dtype.

    Example:
        >>> print(ms.nn.Softmax(axis=0)(ms.Tensor([1.0, 2.0, 3.0])))
        [0.09003057 0.24472846 0.66524094]
    """
    if isinstance(axis, tuple) and len(axis) == 1:
        axis = axis[0]
    return softmax_along(xp, input, _checked_axis("Softmax", input, axis))


softmax_primitive.vjp(input=lambda xp, g, out, axis: softmax_along_vjp(xp, g, out, axis))


def _softmin_whole(xp, x, axis):
    return _softmax_whole(xp, -x, axis)


def _softmin_vjp_whole(xp, g, out, axis):
    return -_softmax_vjp_whole(xp, g, out, axis)


@op(
    "ops.softmin(x, axis=-1, *, dtype=None)",
    "nn.Softmin(axis=-1)(x)",
    compute="kernels",
    quirks=Quirks(shapes_first=True),
)
def softmin(xp, x: Floats, axis: Int | TupleOf(Int, min_length=1) = -1):
    """Computes the softmin along `axis`, or over several axes together: exp(-x) / sum(exp(-x)).

    Shapes:
        `x` has at least one axis. The result has the same shape, and the dtype of `x` or `dtype`.

    Example:
        >>> print(ms.ops.softmin(ms.Tensor([1.0, 2.0, 3.0])))
        [0.66524094 0.24472846 0.09003057]
    """
    axis = _checked_axis("softmin", x, axis)
    return _in_rows(xp, _softmin_whole, axis, x) if x.size else x


softmin.vjp(x=lambda xp, g, out, axis: _in_rows(xp, _softmin_vjp_whole, axis, g, out))


@op("nn.Softmax2d()(x)", compute="kernels", quirks=Quirks(shapes_first=True))
def softmax2d(xp, x: Floats):
    """Computes the softmax over the channels at each pixel of images.

    Shapes:
        `x` is (N, C, H, W) or (C, H, W). The result has the same shape and dtype.

    Example:
        >>> print(ms.nn.Softmax2d()(ms.Tensor([[[1.0]], [[2.0]]])))
        [[[0.2689414]]
        <BLANKLINE>
         [[0.7310586]]]
    """
    if x.ndim not in (3, 4):
        raise ValueError(f"For 'Softmax2d', 'x' must have 3 or 4 dimensions, but got {x.ndim}.")
    return softmax_along(xp, x, -3)


softmax2d.vjp(x=lambda xp, g, out: softmax_along_vjp(xp, g, out, -3))


@implements
def log_soft(xp, x, axis):
    """Returns the logarithm of the softmax along `axis`."""
    return _in_rows(xp, _log_softmax_whole, axis, x) if x.size else x


def _log_softmax_whole(xp, x, axis):
    x = x - xp.max(x, axis, keepdims=True)
    return x - xp.log(xp.sum(xp.exp(x), axis, keepdims=True))


def _log_softmax_vjp(xp, g, out, axis):
    return _in_rows(xp, _log_softmax_vjp_whole, axis, g, out)


def _log_softmax_vjp_whole(xp, g, out, axis):
    return g - xp.exp(out) * xp.sum(g, axis, keepdims=True)


derive("log_soft(x, axis)", x=_log_softmax_vjp, upcast="low_precision_kernels")


@op(
    "ops.log_softmax(logits, axis=-1)",
    "ops.LogSoftmax(axis=-1)(logits)",
    "nn.LogSoftmax(axis=-1)(logits)",
    compute="kernels",
)
def log_softmax(xp, logits: Floats, axis: ScalarOf(Int, TypeError) = -1):
    """Computes the logarithm of the softmax along `axis`, x - log(sum(exp(x))), without overflow.
    For a Tensor without axes the result is 0.

    Shapes:
        `logits` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.log_softmax(ms.Tensor([1.0, 2.0, 3.0])))
        [-2.4076061 -1.407606  -0.407606 ]
    """
    if not logits.ndim and axis == 0:
        return xp.zeros_like(logits)
    return xp.log_soft(logits, _checked_axis("log_softmax", logits, axis))


log_softmax.vjp(logits=lambda xp, g, out, axis: _log_softmax_vjp(xp, g, out, axis))


def _default_axis(ndim, dim):
    """Returns `dim`, or, if it is None, the default: axis 0 for 0, 1 or 3 axes, else axis 1."""
    return dim if dim is not None else 0 if ndim in (0, 1, 3) else 1


@op(
    "mint.nn.functional.softmax(input, dim=None, dtype=None)",
    "mint.softmax(input, dim, *, dtype=None)",
    "mint.nn.Softmax(dim=None)(input)",
    "mint.softmax_ext(input, dim=None, dtype=None)",
    compute="kernels",
)
def softmax_ext(xp, input: Floats, dim: Int = None):
    """Computes the softmax along `dim`. None means axis 0 of an input with 0, 1 or 3 axes, else
    axis 1.

    Shapes:
        `input` may have any shape. The result has the same shape, and the dtype of `input` or
        `dtype`.

    Example:
        >>> print(ms.mint.nn.functional.softmax(ms.Tensor([1.0, 2.0, 3.0]), dim=0))
        [0.09003057 0.24472846 0.66524094]
    """
    if not input.ndim and dim in (None, 0, -1):
        x = upcast(xp, input)
        return xp.cast(xp.exp(x - x), input.dtype)
    return softmax_along(xp, input, _checked_axis("softmax", input, _default_axis(input.ndim, dim)))


softmax_ext.vjp(
    input=lambda xp, g, out, dim: softmax_along_vjp(xp, g, out, _default_axis(out.ndim, dim))
)


@op(
    "mint.nn.functional.log_softmax(input, dim=None, *, dtype=None)",
    "mint.nn.LogSoftmax(dim=None)(input)",
    compute="kernels",
)
def log_softmax_ext(xp, input: Floats, dim: Int = None):
    """Computes the logarithm of the softmax along `dim`. None means axis 0 of an input with 0, 1 or
    3 axes, else axis 1.

    Shapes:
        `input` may have any shape. The result has the same shape, and the dtype of `input` or
        `dtype`.

    Example:
        >>> print(ms.mint.nn.functional.log_softmax(ms.Tensor([1.0, 2.0, 3.0]), dim=0))
        [-2.4076061 -1.407606  -0.407606 ]
    """
    return xp.log_soft(input, _checked_axis("log_softmax", input, _default_axis(input.ndim, dim)))


log_softmax_ext.vjp(
    input=lambda xp, g, out, dim: _log_softmax_vjp(xp, g, out, _default_axis(out.ndim, dim))
)


@op("ops.LogSoftmaxExt()(input, dim=None, dtype=None)", compute="kernels")
def log_softmax_as(xp, input: Floats, dim: Int = None, dtype: DType = None):
    """Computes the logarithm of the softmax along `dim`, of the input cast to `dtype`.

    Shapes:
        `input` may have any shape. The result has the same shape, and the dtype of `input` or
        `dtype`.

    Example:
        >>> print(ms.ops.LogSoftmaxExt()(ms.Tensor([1.0, 2.0, 3.0]), 0))
        [-2.4076061 -1.407606  -0.407606 ]
    """
    return log_softmax_ext.body(xp, input if dtype is None else xp.cast(input, dtype), dim)


@public("mint.special.log_softmax")
@checked
def special_log_softmax(input: Anything, dim: Int = None, *, dtype: Any = None):
    """Computes the log-softmax, log(softmax(input)), along an axis; without one, along axis 0 of an
    input with 0, 1 or 3 axes, else axis 1.

    Args:
        input (Tensor): floats.
        dim (int): the axis.
        dtype (mindspore.dtype): a dtype that `input` is cast to first.

    Returns:
        Tensor of the shape of `input`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.mint.special.log_softmax(ms.Tensor([1.0, 2.0]), dim=0))
        [-1.3132616  -0.31326166]
    """
    if dim is None:
        dim = 0 if input.ndim in (0, 1, 3) else 1
    return log_softmax.run(input if dtype is None else input.astype(dtype), dim)
