"""Norms of vectors and matrices over axes."""

import numpy as np

from ..._core.declare.inputs import Quirks
from ..._core.declare.op import op
from ..._core.rules.value_rules import Truth
from ..._core.rules.vocabulary import (
    AsValue,
    Bool,
    CellOf,
    Float,
    Int,
    ListOf,
    Number,
    Str,
    TensorOf,
    TupleOf,
    any_dtype,
)
from ..._core.tensor.tensor import Tensor
from .._elementwise.unary import as_floating
from .._rules import Anything, Float16Or32, IntOrInts
from .._shape.axes import as_list
from .reduce import Axis, axes_of


def _vector_norm(xp, x, order, axis, keepdims):
    size = x if order == 2 and x.dtype.kind == "f" else xp.abs(x)
    if order == float("inf"):
        return xp.max(size, axis, keepdims=keepdims)
    if order == float("-inf"):
        return xp.min(size, axis, keepdims=keepdims)
    if order == 0:
        return xp.cast(xp.sum(x != 0, axis, keepdims=keepdims), size.dtype)
    if order == 1:
        return xp.sum(size, axis, keepdims=keepdims)
    if order == 2:
        return xp.safe_sqrt(xp.sum_of_squares(size, axis, keepdims=keepdims))
    return rooted(xp, xp.sum(xp.power(size, order), axis, keepdims=keepdims), order)


def rooted(xp, total, order):
    """Computes total^(1 / order), with a derivative of 0 at 0."""
    zero = total == 0
    root = xp.power(xp.where(zero, xp.ones_like(total), total), 1 / order)
    return xp.where(zero, 0 * total, root)


def _matrix_norm(xp, x, order, axes, keepdims):
    rows, columns = (a % x.ndim for a in axes)
    if order == "nuc" or order in (2, -2):
        values = xp.linalg_svd_values(xp.moveaxis(x, (rows, columns), (-2, -1)))
        result = {"nuc": xp.sum, 2: xp.max, -2: xp.min}[order](values, -1)
        return xp.expand_dims(result, (rows, columns)) if keepdims else result
    if order not in (1, -1, float("inf"), float("-inf")):
        raise ValueError(
            f"For 'norm', the order of a norm of matrices must be 1, -1, 2, -2, inf, "
            f"-inf, 'fro' or 'nuc', but got {order!r}."
        )
    total = xp.sum(xp.abs(x), columns if abs_order(order) else rows, keepdims=True)
    pick = xp.max if order > 0 else xp.min
    result = pick(total, (rows, columns), keepdims=True)
    return result if keepdims else xp.squeeze(result, (rows, columns))


def abs_order(order):
    """Returns True for the norms of row sums (inf), False for the norms of column sums (1)."""
    return order in (float("inf"), float("-inf"))


@op(
    "ops.norm(A, ord=None, dim=None, keepdim=False, *, dtype=None)",
    "Tensor.norm(ord=None, dim=None, keepdim=False, *, dtype=None)",
    "mint.linalg.norm(A, ord=None, dim=None, keepdim=False, *, dtype=None)",
    quirks=Quirks(
        rules={
            path: {
                "dim": Int | TupleOf(Int),
                "keepdim": Truth,
                "ord": Number | Str | CellOf("Tensor") | also,
            }
            for path, also in (("ops.norm", Bool | None), ("Tensor.norm", None))
            + (("mint.linalg.norm", None),)
        }
    ),
)
def norm(
    xp,
    A: TensorOf(any_dtype),
    ord: Number | Str | None = None,
    dim: Axis = None,
    keepdim: Bool = False,
):
    """Computes the norm of vectors or matrices.

    Without `ord`, it is the square root of the sum of squares, over all elements or over `dim`.
    With `ord`, one axis in `dim` means norms of vectors, two axes mean norms of matrices.

    If `ord` is a Tensor, vectors use the number in it, and matrices the Frobenius norm. Norms of
    complex vectors, and complex Frobenius norms, have a complex dtype.

    Shapes:
        `A` may have any shape. The result lacks the axes in `dim`, or has length 1 along them with
        `keepdim`; floats keep their dtype.

    Example:
        >>> print(ms.ops.norm(ms.Tensor([[3.0, 4.0], [6.0, 8.0]]), dim=1))
        [ 5. 10.]
        >>> print(ms.ops.norm(ms.Tensor([[3.0, 4.0], [6.0, 8.0]]), ord=1, dim=(0, 1)))
        12.0
    """
    axis = axes_of(dim)
    if isinstance(ord, Tensor):
        matrices = A.ndim == 2 if axis is None else isinstance(axis, tuple) and len(axis) == 2
        ord = "fro" if matrices else ord.asnumpy().item()
    if isinstance(ord, (bool, np.bool_)) and ord is not True:
        ord = int(ord)
    A = as_floating(xp, A)
    if ord is None or ord == "fro" and not isinstance(axis, int):
        return xp.cast(_vector_norm(xp, A, 2, axis, keepdim), A.dtype)
    if axis is None:
        axis = (0, 1) if A.ndim == 2 else 0
    if isinstance(axis, tuple) and len(axis) == 1:
        axis = axis[0]
    if isinstance(axis, int):
        if isinstance(ord, str) or ord is True:  # as in MindSpore; False counts as 0
            raise TypeError(f"For 'norm', 'ord' must be a number for vectors, but got {ord!r}.")
        return xp.cast(_vector_norm(xp, A, ord, axis, keepdim), A.dtype)
    return _matrix_norm(xp, A, ord, axis, keepdim)


@op(
    "ops.LpNorm(axis, p=2, keep_dims=False, epsilon=1e-12)(input)",
    quirks=Quirks(stored={"ops.LpNorm": {"axis": as_list}}),
)
def lp_norm(
    xp,
    input: Float16Or32,
    axis: Int | TupleOf(Int) | ListOf(Int),
    p: Int(ge=0) = 2,
    keep_dims: Bool = False,
    epsilon: Float = 1e-12,
):
    """Computes the p-norm over the given axes: the sum of |x|^p to the power of 1 / p, at least
    `epsilon`.

    Shapes:
        `input` may have any shape. The result lacks the reduced axes, or has length 1 along them
        with `keep_dims`; the dtype is kept.

    Example:
        >>> print(ms.ops.LpNorm(axis=[0, 1])(ms.Tensor([[3.0, 0.0], [0.0, 4.0]])))
        5.0
    """
    return xp.maximum(_vector_norm(xp, input, p, axes_of(axis), keep_dims), epsilon)


@op("ops.EuclideanNorm(keep_dims=False)(x, axes)")
def euclidean_norm(xp, x: Anything, axes: Axis, keep_dims: Bool = False):
    """Computes the Euclidean norm over the given axes, the square root of the sum of squares.

    Shapes:
        `x` may have any shape. The result lacks the reduced axes, or has length 1 along them with
        `keep_dims`; the dtype is kept.

    Example:
        >>> print(ms.ops.EuclideanNorm()(ms.Tensor([[3.0, 4.0], [6.0, 8.0]]), ms.Tensor([1])))
        [ 5. 10.]
    """
    return _vector_norm(xp, x, 2, axes_of(axes), keep_dims)


@op(
    "ops.vector_norm(x, ord=2, axis=None, keepdims=False, *, dtype=None)",
    "mint.linalg.vector_norm(x, ord=2, dim: axis=None, keepdim: keepdims=False, *, dtype=None)",
    quirks=Quirks(rules={"ops.vector_norm": {"ord": AsValue(Number | Bool)}}),
)
def vector_norm(xp, x: Anything, ord: Number = 2, axis: Axis = None, keepdims: Bool = False):
    """Computes the vector norm of order `ord` over the given axes, by default over all.

    Order inf is the largest magnitude, -inf the smallest, and 0 the number of nonzero elements.

    Shapes:
        `x` may have any shape. The result lacks the reduced axes, or has length 1 along them with
        `keepdims`. Integers give float32, complex dtypes are kept.

    Example:
        >>> print(ms.ops.vector_norm(ms.Tensor([3.0, 4.0])))
        5.0
        >>> print(ms.ops.vector_norm(ms.Tensor([3.0, -4.0]), ord=float("inf")))
        4.0
    """
    result = _vector_norm(xp, as_floating(xp, x), ord, axes_of(axis), keepdims)
    return xp.cast(result, x.dtype) if x.dtype.kind == "c" else result


@op(
    "mint.norm(input, p='fro', dim=None, keepdim=False, *, dtype=None)",
    "mint.nn.functional.norm_ext(input, p='fro', dim=None, keepdim=False, *, dtype=None)",
)
def mint_norm(
    xp,
    input: Anything,
    p: AsValue(Number | Str) = "fro",
    dim: IntOrInts | None = None,
    keepdim: Bool = False,
):
    """Computes the p-norm of all elements or along axes; "fro" and "nuc" are the Frobenius and the
    nuclear norm of matrices.

    Shapes:
        `input` may have any shape. The result lacks the axes in `dim`, or has length 1 along them
        with `keepdim`.

    Example:
        >>> print(ms.mint.norm(ms.Tensor([[3.0, 4.0], [6.0, 8.0]]), p=2, dim=1))
        [ 5. 10.]
    """
    axis = axes_of(dim)
    if p == "fro":
        return _vector_norm(xp, input, 2, axis, keepdim)
    if isinstance(p, str):
        if p != "nuc":
            raise ValueError(f"For 'norm', 'p' must be a number, 'fro' or 'nuc', but got {p!r}.")
        axis = (0, 1) if axis is None else axis
        return _matrix_norm(xp, input, p, axis, keepdim)
    return _vector_norm(xp, input, p, axis, keepdim)
