"""Primitives of linear algebra that MindSpore exposes under internal paths only."""

import numpy as np

from ..._core.declare.public_api import public
from ..._core.tensor.dtype import float16, float32, int8, int64
from .._primitive_aliases.alias import alias, methods, mint, ops, pull_back, require
from .inverse import pinv


@alias("ops.auto_generate.SolveTriangular()(a, b, trans=0, lower=False, unit_diagonal=False)")
def solve_triangular(a, b, trans, lower, unit_diagonal):
    return mint.triangular_solve(
        b, a.conj() if trans == 2 else a, not lower, trans > 0, unit_diagonal
    )[0]


alias(
    "ops.auto_generate.LstsqV2Grad()(gX, A, B)",
    lambda gX, A, B: pull_back(gX, lambda A, B: least_squares(A, B, None)[0], A, B),
)


@alias("ops.auto_generate.InplaceAddr()(input, vec1, vec2, beta=1, alpha=1)")
def inplace_addr(input, vec1, vec2, beta, alpha):
    return methods.copy_(input, input.addr(vec1, vec2, beta=beta, alpha=alpha))


def transpose(x):
    """Transposes a matrix, or a stack of matrices."""
    return ops.swapaxes(x, -1, -2)


@alias("ops.auto_generate.LstsqV2()(A, B, driver=None)")
def least_squares(A, B, driver):
    """Solves a least-squares problem; returns (solution, residuals, rank, singular values).

    Results that the LAPACK driver does not compute are empty: residuals and singular values for
    "gelsy", the default; rank and singular values for "gels".
    """
    require("LstsqV2", "driver", driver, (None, "gels", "gelsy", "gelsd", "gelss"))
    is_vector = B.ndim == A.ndim - 1
    rows_of_b = B.shape[-1:] if is_vector else B.shape[-2:-1]
    if not is_vector and B.ndim != A.ndim or rows_of_b != A.shape[-2:-1]:
        raise ValueError(
            f"For 'LstsqV2', 'B' must have as many rows as 'A' and its batch, but got the shapes "
            f"{A.shape} and {B.shape}."
        )
    B = B.expand_dims(-1) if is_vector else B
    rows, columns = A.shape[-2:]
    solution = ops.matmul(pinv.run(A, None, None, False), B)
    residuals, values = (ops.zeros((0,), ops.real(x).dtype) for x in (B, A))
    if rows > columns and driver not in (None, "gelsy"):
        residuals = ops.sum(ops.abs(ops.matmul(A, solution) - B) ** 2, -2)
    solution = solution.squeeze(-1) if is_vector else solution
    if driver == "gels":
        return solution, residuals, ops.zeros((0,), int64), values
    singular = ops.svd(A, compute_uv=False)
    smallest = float(np.finfo(np.float32).eps) * max(rows, columns) * singular[..., :1]
    rank = ops.sum((singular > smallest).astype(int64), -1)
    return solution, residuals, rank, singular if driver in ("gelsd", "gelss") else values


@public("ops.auto_generate.quant_batch_matmul")
@alias(
    "ops.auto_generate.QuantBatchMatmul(transpose_x1=False, transpose_x2=False, "
    "dtype=float16)(x1, x2, scale, offset=None, bias=None, pertokenScaleOptional=None)"
)
def quant_batch_matmul(
    x1,
    x2,
    scale,
    offset=None,
    bias=None,
    pertokenScaleOptional=None,
    transpose_x1=False,
    transpose_x2=False,
    dtype=float16,
):
    """Computes (x1 @ x2 + bias) * scale * pertokenScaleOptional + offset of int8 inputs, in another
    dtype.

    Source: mindspore.ops.auto_generate.quant_batch_matmul of MindSpore 2.10.
    """
    by_row = pertokenScaleOptional
    product = ops.BatchMatMul(transpose_x1, transpose_x2)(x1.astype(float32), x2.astype(float32))
    product = product if bias is None else product + bias
    product = product * scale
    product = product if by_row is None else product * ops.expand_dims(by_row, -1)
    return (product if offset is None else product + offset).astype(dtype)


@public("ops.auto_generate.weight_quant_batch_matmul")
@alias(
    "ops.auto_generate.WeightQuantBatchMatmul(transpose_x=False, transpose_weight=False, "
    "antiquant_group_size=0)(x, weight, antiquant_scale, antiquant_offset=None, "
    "quant_scale=None, quant_offset=None, bias=None)"
)
def weight_quant_batch_matmul(
    x,
    weight,
    antiquant_scale,
    antiquant_offset=None,
    quant_scale=None,
    quant_offset=None,
    bias=None,
    transpose_x=False,
    transpose_weight=False,
    antiquant_group_size=0,
):
    """Computes x @ ((weight + offset) * scale) + bias; quantized to int8 if `quant_scale` is given.

    With `antiquant_group_size`, each group of that many rows of the weight has its own scale.

    Source: mindspore.ops.auto_generate.weight_quant_batch_matmul of MindSpore 2.10.
    """
    rows = transpose(weight) if transpose_weight else weight
    scale, offset = antiquant_scale, antiquant_offset
    if antiquant_group_size:
        factors = [
            transpose(t) if transpose_weight and t is not None else t for t in (scale, offset)
        ]
        scale, offset = (
            None
            if t is None
            else mint.repeat_interleave(t, antiquant_group_size, 0)[: rows.shape[0]]
            for t in factors
        )
    rows = rows.astype(x.dtype)
    rows = (rows if offset is None else rows + offset) * scale
    product = ops.matmul(transpose(x) if transpose_x else x, rows)
    product = product if bias is None else product + bias
    if quant_scale is None:
        return product
    product = product * quant_scale + (0 if quant_offset is None else quant_offset)
    return ops.clamp(ops.round(product), -128, 127).astype(int8)


@public("ops.auto_generate.matmul_add_")
@alias("ops.auto_generate.InplaceMatmulAdd()(x, weight, C)")
def matmul_add_(x, weight, C):
    """Adds the product of `x`, transposed, and `weight` to `C`, in place.

    Source: mindspore.ops.auto_generate.matmul_add_ of MindSpore 2.10.
    """
    return methods.add_(C, mint.matmul(transpose(x), weight))


@alias(
    "ops.auto_generate.TransposeBatchMatmulTranspose()(input, weight, perm_in, perm_out, "
    "transpose_a=False, transpose_b=False)"
)
def transpose_batch_matmul_transpose(input, weight, perm_in, perm_out, transpose_a, transpose_b):
    return ops.transpose(
        ops.BatchMatMul(transpose_a, transpose_b)(ops.transpose(input, perm_in), weight), perm_out
    )
