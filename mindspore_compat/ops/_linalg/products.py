"""Products of vectors and tensors: outer, inner, Kronecker, cross, contractions."""

import math

from ..._core.declare.inputs import Promote, Quirks, SameDtype
from ..._core.declare.op import op
from ..._core.rules.vocabulary import (
    AsValue,
    Bool,
    Int,
    ListOf,
    Number,
    ScalarOf,
    Str,
    TensorOf,
    TupleOf,
)
from ..._core.tensor import promotion
from ..._core.tensor.promotion import promoted
from .._rules import Anything, Inexact
from . import decomposition
from .decomposition import _same_rank, need_axes


@op(
    "ops.mv(mat, vec)",
    "Tensor.mv(vec)",
    types=SameDtype("mat vec"),
    compute="products",
    quirks=Quirks(shapes_first=True),
)
def mv(xp, mat: Anything, vec: Anything):
    """Computes a matrix-vector product.

    Shapes:
        `mat` is (M, K), `vec` is (K,). The result is (M,), of the same dtype.

    Example:
        >>> print(ms.ops.mv(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), ms.Tensor([1.0, 1.0])))
        [3. 7.]
    """
    return _by_vector(xp, "mv", mat, vec)


def _by_vector(xp, api, mat, vec):
    """Returns mat @ vec; a vector with more axes is flattened."""
    if mat.ndim != 2 or not vec.ndim or vec.size != mat.shape[1]:
        raise ValueError(
            f"For '{api}', 'mat' must be a matrix and 'vec' hold a number for each of "
            f"its columns, but got {mat.shape} and {vec.shape}."
        )
    return xp.matmul(mat, vec if vec.ndim == 1 else xp.ravel(vec))


@op(
    "ops.ger(input, vec2)",
    "ops.Ger()(x1: input, x2: vec2)",
    "Tensor.ger(vec2)",
    types=SameDtype("input vec2"),
)
def ger(xp, input: Anything, vec2: Anything):
    """Computes the outer product of two vectors.

    Shapes:
        `input` is (M,), `vec2` is (N,), of one dtype. The result is (M, N), of the same dtype.

    Example:
        >>> print(ms.ops.ger(ms.Tensor([1.0, 2.0]), ms.Tensor([3.0, 4.0])))
        [[3. 4.]
         [6. 8.]]
    """
    need_axes("ger", 1, input=input, vec2=vec2)
    return xp.expand_dims(input, 1) * xp.expand_dims(vec2, 0)


@op(
    "ops.inner(input, other)",
    "Tensor.inner(other)",
    "mint.inner(input, other)",
    quirks=Quirks(shapes_first=True),
)
def inner(xp, input: Anything, other: Anything):
    """Computes the inner product over the last axes; a 0-D Tensor multiplies every element.

    Shapes:
        `input` is (..., K), `other` is (..., K). The result has the other axes of `input`, then the
        other axes of `other`.

    Example:
        >>> print(ms.ops.inner(ms.Tensor([1.0, 2.0]), ms.Tensor([[3.0, 4.0], [5.0, 6.0]])))
        [11. 17.]
    """
    if input.ndim == 0 or other.ndim == 0:
        a, b = promoted(xp, input, other)
        return a * b
    if input.shape[-1] != other.shape[-1]:
        raise ValueError(
            f"For 'inner', the last axes of 'input' and 'other' must have one length, but got "
            f"shapes {tuple(input.shape)} and {tuple(other.shape)}."
        )
    if input.dtype != other.dtype:
        raise TypeError(
            f"For 'inner', 'input' and 'other' must have one dtype, but got "
            f"{input.dtype} and {other.dtype}."
        )
    return xp.tensordot(input, other, ((input.ndim - 1,), (other.ndim - 1,)))


@op("ops.kron(input, other)", "Tensor.kron(other)", types=Promote("input other"))
def kron(xp, input: Anything, other: Anything):
    """Computes the Kronecker product: a block of `other` scaled by each element of the input.

    Shapes:
        Missing leading axes count as 1. Each length of the result is the product of the two
        lengths; the dtype is that to which both are promoted.

    Example:
        >>> print(ms.ops.kron(ms.Tensor([[1, 2]]), ms.Tensor([[1, 1], [0, 1]])))
        [[1 1 2 2]
         [0 1 0 2]]
    """
    rank = max(input.ndim, other.ndim)
    shape1 = (1,) * (rank - input.ndim) + tuple(input.shape)
    shape2 = (1,) * (rank - other.ndim) + tuple(other.shape)
    left = xp.reshape(input, tuple(n for pair in zip(shape1, (1,) * rank) for n in pair))
    right = xp.reshape(other, tuple(n for pair in zip((1,) * rank, shape2) for n in pair))
    return xp.reshape(left * right, tuple(a * b for a, b in zip(shape1, shape2)))


@op(
    "ops.cross(input, other, dim=None)",
    "Tensor.cross(other, dim=None)",
    "mint.cross(input, other, dim=None)",
)
def cross(xp, input: Anything, other: Anything, dim: ScalarOf(Int, TypeError) = None):
    """Computes the cross product of vectors of length 3 along an axis, by default the first such
    axis.

    Shapes:
        `input` and `other` are broadcast; the length along `dim` is 3. The result has the broadcast
        shape and the dtype of `input`, or that to which both are promoted if one holds integers.

    Example:
        >>> print(ms.ops.cross(ms.Tensor([1, 0, 0]), ms.Tensor([0, 1, 0])))
        [0 0 1]
    """
    if dim is None or dim == -65530:
        dim = next((i for i, n in enumerate(input.shape) if n == 3), None)
    at = 0 if dim is None else dim - input.ndim if dim >= 0 else dim  # relative to the last axis
    if not -input.ndim <= at < 0 or {input.shape[at], *other.shape[at:][:1]} != {3}:
        raise ValueError(
            f"For 'cross', 'dim' must be an axis of length 3, but got {input.shape} "
            f"and {other.shape}."
        )
    whole = xp.broadcast_shapes(input.shape, other.shape)
    a, b = (
        xp.moveaxis(xp.broadcast_to(vectors, whole), at, 0)
        for vectors in promoted(xp, input, other)
    )
    parts = [a[i - 2] * b[i - 1] - a[i - 1] * b[i - 2] for i in range(3)]
    out = xp.moveaxis(xp.stack(parts, 0), 0, at)
    return xp.cast(out, promotion.promote_weak_0d_np(input.dtype, out.dtype))


@op("ops.Cross(dim=-65530)(x1: input, x2: other)")
def cross_of_one_rank(xp, input: Anything, other: Anything, dim: ScalarOf(Int) = -65530):
    """Computes the cross product of vectors of length 3 along an axis, by default the first such
    axis.

    Shapes:
        `input` and `other` have one shape and dtype. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.Cross(dim=0)(ms.Tensor([1, 0, 0]), ms.Tensor([0, 1, 0])))
        [0 0 1]
    """
    _same_rank("Cross", input, other)
    return cross.body(xp, input, other, dim)


_Axes = TupleOf(Int) | ListOf(Int)
_PairOfAxes = TupleOf(Int | _Axes) | ListOf(Int | _Axes)


@op(
    "ops.tensor_dot(x1, x2, axes)",
    types=SameDtype("x1 x2"),
    compute="products",
    quirks=Quirks(shapes_first=True),
)
def tensor_dot(xp, x1: Anything, x2: Anything, axes: Int(ge=0) | _PairOfAxes):
    """Contracts two Tensors over axes (tensor dot product). If `axes` is a number n, the axes are
    the last n of `x1` and the first n of `x2`; otherwise it is a pair of axes, or of tuples or
    lists of axes.

    Shapes:
        The lengths along paired axes are equal. The result has the other axes of `x1`, then the
        other axes of `x2`.

    Example:
        >>> print(ms.ops.tensor_dot(ms.Tensor([[1.0, 2.0]]), ms.Tensor([[3.0], [4.0]]), axes=1))
        [[11.]]
    """
    if isinstance(axes, int):
        axes = (tuple(range(x1.ndim - axes, x1.ndim)), tuple(range(axes)))
    return xp.tensordot(x1, x2, axes)


@op("ops.batch_dot(x1, x2, axes=None)", types=Promote("x1 x2"), compute="products")
def batch_dot(
    xp,
    x1: TensorOf("float32"),
    x2: TensorOf("float32"),
    axes: AsValue(Int | Bool | TupleOf(Int) | ListOf(Int), Number | Str | Anything) = None,
):
    """Computes dot products over one axis of each input, separately for each element of the first
    axis, the batch.

    Shapes:
        `x1` is (B, ...), `x2` is (B, ...), with equal lengths along the contracted axes. The result
        has the axis B, then the other axes of `x1`, then the other axes of `x2`.

    Example:
        >>> print(ms.ops.batch_dot(ms.ops.ones((2, 3)), ms.ops.ones((2, 3)), axes=1))
        [[3.]
         [3.]]
    """
    if axes is None:
        axes = (x1.ndim - 1, x2.ndim - 2 if x2.ndim > 2 else 1)
    first, second = (axes, axes) if isinstance(axes, int) else axes
    if axes is True:
        raise TypeError("For 'batch_dot', 'axes' must be an int, a tuple or a list, but got True.")
    if first == 0 or second == 0:
        raise ValueError(f"For 'batch_dot', 'axes' must not be 0, the batch, but got {axes!r}.")
    left = xp.moveaxis(x1, first, -1)
    right = xp.moveaxis(x2, second, 1)
    rows = xp.reshape(left, (left.shape[0], math.prod(left.shape[1:-1]), left.shape[-1]))
    columns = xp.reshape(right, (*right.shape[:2], math.prod(right.shape[2:])))
    shape = (*left.shape[:-1], *right.shape[2:])
    out = xp.reshape(xp.matmul(rows, columns), shape)
    return xp.expand_dims(out, 1) if out.ndim == 1 else out


@op("mint.vdot(input, other)", types=Promote("input other"))
def vdot(xp, input: Anything, other: Anything):
    """Computes the dot product of two vectors, the first of which is conjugated.

    Shapes:
        `input` and `other` are (K,). The result is ().

    Example:
        >>> print(ms.mint.vdot(ms.Tensor([1.0, 2.0]), ms.Tensor([3.0, 4.0])))
        11.0
    """
    if input.ndim != 1 or input.shape != other.shape:
        raise ValueError(
            f"For 'vdot', the inputs must be vectors of one length, but got {input.shape} and "
            f"{other.shape}."
        )
    return xp.sum(xp.conj(input) * other)


@op("mint.mv(input, vec)")
def mint_mv(xp, input: Inexact, vec: Inexact):
    """Computes a matrix-vector product; the dtypes may differ.

    Shapes:
        `input` is (M, K), `vec` is (K,). The result is (M,).

    Example:
        >>> print(ms.mint.mv(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), ms.Tensor([1.0, 1.0])))
        [3. 7.]
    """
    decomposition.need_axes("mv", 1, vec=vec)
    return mv.body(xp, input, vec)
