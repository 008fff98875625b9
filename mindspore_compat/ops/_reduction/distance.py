"""Norms of vectors and distances between them."""

import math

import numpy

from ..._backend.space import implements
from ..._core.autograd.vjp_rules import derive
from ..._core.declare.inputs import Promote, Quirks, SameDtype
from ..._core.declare.op import op
from ..._core.rules.vocabulary import (
    Any,
    AsValue,
    Float,
    Int,
    Number,
    ScalarOf,
    Str,
    TensorOf,
    integer,
)
from ..._core.tensor.promotion import adds_up_as_int64, promoted
from .._rules import Anything, Float16Or32, Float16To64, InexactOfNumPy
from .._shape.axes import axis_of
from . import norm
from .norm import _vector_norm

NEAR = 1e-6  # of the largest squares of rows: smaller squares of distances are computed again
KEPT_ROWS = 1 << 10  # a GPU keeps the pairs of at most this many rows: 8 MiB of indices


@op("ops.cdist(x1, x2, p=2.0)", "ops.Cdist(p=2.0)(x1, x2)", types=SameDtype("x1 x2"))
def cdist(xp, x1: Float16To64, x2: Float16To64, p: ScalarOf(Float(ge=0), TypeError) = 2.0):
    """Computes the pairwise p-norm distances between the rows of two matrices, or of two batches of
    them.

    Shapes:
        `x1` is (..., P, M), `x2` (..., R, M), of one floating dtype. The result is (..., P, R), of
        the same dtype.

    Example:
        >>> print(ms.ops.cdist(ms.Tensor([[0.0, 0.0]]), ms.Tensor([[3.0, 4.0], [1.0, 0.0]])))
        [[5. 1.]]
    """
    if x1.ndim not in (2, 3) or x2.ndim not in (2, 3) or x1.shape[-1] != x2.shape[-1]:
        raise ValueError(
            f"For 'cdist', the inputs must be matrices (or stacks) with rows of one "
            f"length, but got {x1.shape} and {x2.shape}."
        )
    if p == 2 and x1.dtype == "float32":
        return xp.euclidean(x1, x2)
    return _all_distances(xp, x1, x2, p)


def _all_distances(xp, x1, x2, p):
    """Returns the distances of all rows, computed in parts from their differences."""
    x1, x2 = xp.expand_dims(x1, -2), xp.expand_dims(x2, -3)
    step = max(xp.at_once() // max(x1[..., :1, :, :].size * x2.shape[-2], 1), 1)
    parts = [
        norm._vector_norm(xp, x1[..., i : i + step, :, :] - x2, p, -1, False)
        for i in range(0, x1.shape[-3] or 1, step)
    ]
    return xp.concatenate(parts, -2) if len(parts) > 1 else parts[0]


@implements
def euclidean(xp, x1, x2):
    """Returns the Euclidean distances of all rows of float32 matrices.

    On the host they come from products in float64, sqrt(a a + b b - 2 a b), for rows of matrices
    whose mean is 0. Distances that would lose digits are computed from differences.
    """
    are_host = type(x1) is type(x2) is numpy.ndarray
    if not are_host or x1.ndim + x2.ndim != 4 or not x1.size or not x2.size:
        return _all_distances(xp, x1, x2, 2)
    with numpy.errstate(invalid="ignore"):  # infinite rows
        mean = xp.mean(x2, 0, dtype="float64")
        a, b = x1 - mean, x2 - mean
        sizes = xp.sum(a * a, 1, keepdims=True), xp.sum(b * b, 1)
        squares = xp.matmul(-2 * a, b.T)
        squares += sizes[0]
        squares += sizes[1]
        least = NEAR * sum(size.max(initial=0) for size in sizes)
        near = numpy.nonzero(~(squares > least))
        if near[0].size * x1.shape[1] > x1.size + x2.size + squares.size:
            return _all_distances(xp, x1, x2, 2)
        out = xp.cast(xp.sqrt(squares), "float32")
    out[near] = _vector_norm(xp, x1[near[0]] - x2[near[1]], 2, -1, False)
    return out


def _euclidean_vjp(xp, g, x1, x2, out):
    """Returns the gradient of `x1`: the sum of g (x1 - x2) / out over the rows of `x2`."""
    share = xp.where(out == 0, 0, g / xp.where(out == 0, 1, out))
    share, x1, x2 = (xp.cast(x, "float64") for x in (share, x1, x2))
    total = xp.sum(share, -1, keepdims=True)
    return xp.cast(x1 * total - xp.matmul(share, x2), "float32")


derive(
    "euclidean(x1, x2)",
    arrays="x1 x2",
    x1=_euclidean_vjp,
    x2=lambda xp, g, x1, x2, out: _euclidean_vjp(
        xp, xp.swapaxes(g, -1, -2), x2, x1, xp.swapaxes(out, -1, -2)
    ),
)


@op("ops.auto_generate.CdistGrad(p=2.0)(grad, x, y, dist)", types=SameDtype("grad x y dist"))
def cdist_grad(
    xp,
    grad: Float16To64,
    x: Float16To64,
    y: Float16To64,
    dist: Float16To64,
    p: ScalarOf(Float(ge=0), TypeError) = 2.0,
):
    """Computes the gradient of `cdist` with respect to its first input, given the distances.

    Shapes:
        `x` is (..., P, M), `y` is (..., R, M), `grad` and `dist` are (..., P, R), of one dtype. The
        result has the shape and dtype of `x`.

    Example:
        >>> x, y = ms.Tensor([[0.0, 0.0]]), ms.Tensor([[3.0, 4.0]])
        >>> print(ms.ops.auto_generate.CdistGrad()(ms.Tensor([[1.0]]), x, y, ms.Tensor([[5.0]])))
        [[-0.6 -0.8]]
    """
    difference = xp.expand_dims(x, -2) - xp.expand_dims(y, -3)
    size, dist = xp.abs(difference), xp.expand_dims(dist, -1)
    if p == math.inf:
        share = xp.where(size == dist, 1, 0)
    elif p == 0:
        share = xp.zeros_like(size)
    else:
        share = xp.where(dist == 0, float(p == 1), (size / xp.where(dist == 0, 1, dist)) ** (p - 1))
    return xp.sum(xp.expand_dims(grad, -1) * xp.sign(difference) * share, -2)


@op("mint.nn.functional.cosine_similarity(x1, x2, dim=1, eps=1e-08)", types=Promote("x1 x2"))
def cosine_similarity(xp, x1: Anything, x2: Anything, dim: Int = 1, eps: Number = 1e-8):
    """Computes the cosine similarity of vectors along an axis: their dot product divided by the
    product of their norms, which is at least `eps`.

    Shapes:
        The shapes of `x1` and `x2` are broadcast. The result is the broadcast shape without axis
        `dim`.

    Example:
        >>> print(ms.mint.nn.functional.cosine_similarity(ms.Tensor([[1.0, 0.0]]),
        ...         ms.Tensor([[1.0, 1.0]])))
        [0.70710677]
    """
    product = xp.sum(x1 * x2, dim)
    norm1, norm2 = (norm._vector_norm(xp, array, 2, dim, False) for array in (x1, x2))
    return product / xp.maximum(norm1 * norm2, eps)


@op(
    "ops.renorm(input, p, axis, maxnorm)",
    "ops.Renorm(p, dim: axis, maxnorm)(input)",
    "Tensor.renorm(p, axis, maxnorm)",
)
def renorm(xp, input: InexactOfNumPy, p: AsValue(Number(ge=1), Str), axis: Int, maxnorm: Float):
    """Scales each slice along an axis whose p-norm exceeds `maxnorm` down to that norm; other
    slices are unchanged.

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.renorm(ms.Tensor([[3.0, 4.0], [0.3, 0.4]]), 2, 0, 1.0))
        [[0.6 0.8]
         [0.3 0.4]]
    """
    others = tuple(i for i in range(input.ndim) if i != axis_of(axis, input))
    size = norm._vector_norm(xp, input, p, others, True)
    return input * xp.where(size > maxnorm, maxnorm / (size + 1e-7), xp.ones_like(size))


@op("ops.vecdot(x, y, *, axis=-1)")
def vecdot(xp, x: Anything, y: Anything, axis: Int = -1):
    """Computes the dot products of vectors along an axis. If the first vector is complex, it is
    conjugated.

    Shapes:
        The shapes of `x` and `y` are broadcast. The result is the broadcast shape without that
        axis; integers are summed in int64.

    Example:
        >>> print(ms.ops.vecdot(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]),
        ...                     ms.Tensor([[1.0, 1.0], [2.0, 2.0]])))
        [ 3. 14.]
    """
    x, y = promoted(xp, x, y)
    terms = (xp.conj(x) if x.dtype.kind == "c" else x) * y
    return xp.sum(xp.cast(terms, "int64") if adds_up_as_int64(terms.dtype) else terms, axis)


@op(
    "mint.cdist(x1, x2, p=2.0, compute_mode='use_mm_for_euclid_dist_if_necessary')",
    types=SameDtype("x1 x2"),
    quirks=Quirks(shapes_first=True),
)
def mint_cdist(
    xp,
    x1: TensorOf("float16", "float32", "float64"),
    x2: TensorOf("float16", "float32", "float64"),
    p: ScalarOf(Float(ge=0), TypeError) = 2.0,
    compute_mode: Any = "use_mm_for_euclid_dist_if_necessary",
):
    """Computes the pairwise p-norm distances between the rows of two matrices, or of two batches of
    them.

    Shapes:
        `x1` is (..., P, M), `x2` (..., R, M), of one floating dtype. The result is (..., P, R), of
        the same dtype.

    Example:
        >>> print(ms.ops.cdist(ms.Tensor([[0.0, 0.0]]), ms.Tensor([[3.0, 4.0], [1.0, 0.0]])))
        [[5. 1.]]
    """
    if x1.ndim != x2.ndim or x1.shape[-1] != x2.shape[-1]:
        raise ValueError(
            f"For 'cdist', the inputs must be matrices (or stacks) with rows of one length, but "
            f"got {x1.shape} and {x2.shape}."
        )
    return cdist.body(xp, x1, x2, p)


@op(
    "ops.dist(input, other, p=2)",
    types=Promote("input other"),
    compute="native",
    quirks=Quirks(shapes_first=True),
)
def dist(
    xp,
    input: TensorOf(integer | Float16Or32.dtypes, "bool", "bfloat16"),
    other: TensorOf(integer | Float16Or32.dtypes, "bool", "bfloat16"),
    p: Int = 2,
):
    """Computes the p-norm distance of two Tensors; a `p` of 0 counts the elements that differ.

    At least one of the Tensors is floating. A negative `p` raises a TypeError.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result is ().

    Example:
        >>> print(ms.ops.dist(ms.Tensor([1.0, 2.0]), ms.Tensor([4.0, 6.0])))
        5.0
    """
    if p < 0:
        raise TypeError(f"For 'dist', 'p' must be an int >= 0, but got {p}.")
    if input.dtype.kind != "f":  # both already have their promoted dtype
        raise TypeError(
            f"For 'dist', 'input' or 'other' must hold float16 or float32, but got {input.dtype}."
        )
    upcast = "float32" if input.dtype.itemsize == 2 else input.dtype
    apart = xp.ravel(xp.cast(input, upcast) - xp.cast(other, upcast))
    return xp.cast(_vector_norm(xp, apart, p, 0, False), input.dtype)


def _pairs_of_rows(count):
    """Returns the indices of each row and of each row after it, (2, pairs)."""
    return numpy.stack(numpy.triu_indices(count, 1))


@op("ops.pdist(input, p=2.0)", "ops.Pdist(p=2.0)(x: input)")
def pdist(xp, input: Float16To64, p: Float(ge=0.0) = 2.0):
    """Computes the pairwise p-norm distances between each row and the rows after it.

    Shapes:
        `input` is (N, M). The result is (N (N - 1) / 2,), of the same dtype.

    Example:
        >>> print(ms.ops.pdist(ms.Tensor([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]])))
        [5.        1.        4.2426405]
    """
    if input.ndim != 2:
        raise ValueError(f"For 'pdist', 'input' must be matrices, but got {input.shape}.")
    rows = input.shape[-2]
    is_kept = rows <= KEPT_ROWS
    pairs = xp.table(_pairs_of_rows, rows) if is_kept else xp.asarray(_pairs_of_rows(rows))
    if p == 2 and input.dtype == "float32":
        return xp.take(xp.ravel(xp.euclidean(input, input)), pairs[0] * rows + pairs[1], 0)
    a, b = xp.take(input, pairs[0], -2), xp.take(input, pairs[1], -2)
    return _vector_norm(xp, a - b, p, -1, False)
