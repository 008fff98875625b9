"""Products of vectors and matrices. Decompositions and solvers are in _linalg/decomposition.py."""

from ..._backend.arrays import for_result
from ..._backend.steps.weight_products import weight_product
from ..._core.autograd.vjp_rules import conj
from ..._core.autograd.vjp_rules_products import (
    merges_axes,
    product,
    product_over_rows,
    product_plus,
)
from ..._core.declare.inputs import Promote, Quirks, SameDtype
from ..._core.declare.op import op
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Bool, ListOf, Str, TupleOf, checked
from ..._core.tensor.promotion import adds_up_as_int64, one_np, promoted
from ..._core.tensor.tensor import Tensor
from .._rules import Anything, Float16Or32, Inexact, RealsOrBools
from ..primitive import Primitive


@op(
    "ops.matmul(input, other)",
    "mint.matmul(input, other)",
    "Tensor.__matmul__(other)",
    types=Promote("input other", promote=one_np),
    compute="products",
    quirks=Quirks(shapes_first=True),
)
def matmul(xp, input: Anything, other: Anything):
    """Computes the matrix product over the last two axes. A vector is a row on the left and a
    column on the right.

    If the shapes do not fit, it raises a RuntimeError, or a ValueError if `other` is a vector.

    Shapes:
        `input` is (..., M, K) or (K,), `other` is (..., K, N) or (K,); the leading axes are
        broadcast. The result is (..., M, N); an input that is a vector removes its axis from it.

    Example:
        >>> print(ms.ops.matmul(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), ms.Tensor([[1.0], [1.0]])))
        [[3.]
         [7.]]
    """
    try:
        return product(xp, input, other)
    except ValueError as error:
        kind = RuntimeError if input.ndim and other.ndim > 1 else ValueError
        raise kind(
            f"For 'matmul', 'input' must have rows as long as the columns of 'other' and "
            f"leading axes that broadcast, but got shapes {tuple(input.shape)} and "
            f"{tuple(other.shape)}."
        ) from error


matmul.vjp_of("matmul")


@op(types=Promote("input other"), compute="products")
def matrix_product(xp, input: Anything, other: Anything):
    """Computes `matmul` for `Tensor.matmul`, which raises a ValueError if the shapes do not fit."""
    return product(xp, input, other)


matrix_product.vjp_of("matmul")


@op(
    "ops.mm(input, mat2)",
    "mint.mm(input, mat2)",
    types=SameDtype("input mat2"),
    compute="products",
    quirks=Quirks(shapes_first=True),
)
def mm(xp, input: Anything, mat2: Anything):
    """Multiplies two matrices.

    Shapes:
        `input` is (M, K), `mat2` is (K, N), of one dtype. The result is (M, N), of the same dtype.

    Example:
        >>> print(ms.ops.mm(ms.Tensor([[1.0, 2.0]]), ms.Tensor([[3.0], [4.0]])))
        [[11.]]
    """
    if input.ndim != 2 or mat2.ndim != 2:
        raise ValueError(
            f"For 'mm', the inputs must have two axes, but got shapes {input.shape} "
            f"and {mat2.shape}."
        )
    return product(xp, input, mat2)


@op("Tensor.__rmatmul__(other)", types=Promote("input other"), compute="products")
def rmatmul(xp, input: Anything, other: Anything):
    """Computes the reflected matrix product, other @ input, where the Tensor is the right operand.

    Shapes:
        `other` is (..., M, K) or (K,), `input` is (..., K, N) or (K,). The result has the shape of
        `ops.matmul(other, input)`.

    Example:
        >>> print(ms.Tensor([[3.0], [4.0]]).__rmatmul__(ms.Tensor([[1.0, 2.0]])))
        [[11.]]
    """
    return xp.matmul(other, input)


def _product(xp, api, input, other, transpose_a, transpose_b):
    """Multiplies matrices, each transposed first if requested."""
    left = xp.swapaxes(input, -1, -2) if transpose_a else input
    right = xp.swapaxes(other, -1, -2) if transpose_b else other
    if left.shape[-1] != right.shape[-2]:
        raise ValueError(
            f"For '{api}', the inner lengths must agree, but got {input.shape} and "
            f"{other.shape} with "
            f"transpose_a={transpose_a}, transpose_b={transpose_b}."
        )
    return product(xp, left, right)


@op(
    "ops.MatMul(transpose_a=False, transpose_b=False)(input, mat2: other)",
    types=SameDtype("input other"),
    compute="products",
)
def mat_mul(
    xp, input: Anything, other: Anything, transpose_a: Bool = False, transpose_b: Bool = False
):
    """Multiplies two matrices, each transposed first if requested.

    Shapes:
        `input` is (M, K), or (K, M) with `transpose_a`; `other` is (K, N), or (N, K) with
        `transpose_b`. The result is (M, N), of the same dtype.

    Example:
        >>> print(ms.ops.MatMul(transpose_b=True)(ms.Tensor([[1.0, 2.0]]), ms.Tensor([[3.0, 4.0]])))
        [[11.]]
    """
    if input.ndim != 2 or other.ndim != 2:
        raise ValueError(
            f"For 'MatMul', the inputs must have two axes, but got shapes "
            f"{input.shape} and {other.shape}."
        )
    return _product(xp, "MatMul", input, other, transpose_a, transpose_b)


@op(
    "ops.BatchMatMul(transpose_a=False, transpose_b=False)(x: input, y: other)",
    types=SameDtype("input other"),
    compute="products",
)
def batch_mat_mul(
    xp, input: Anything, other: Anything, transpose_a: Bool = False, transpose_b: Bool = False
):
    """Multiplies batches of matrices, each transposed first if requested.

    Shapes:
        `input` is (..., M, K), `other` is (..., K, N); the leading axes are broadcast. The result
        is (..., M, N), of the same dtype.

    Example:
        >>> print(ms.ops.BatchMatMul()(ms.ops.ones((2, 1, 3)), ms.ops.ones((2, 3, 4))).shape)
        (2, 1, 4)
    """
    if input.ndim < 2 or input.ndim != other.ndim:
        raise ValueError(
            f"For 'BatchMatMul', the inputs must have two axes or more, and equally "
            f"many, but got shapes {input.shape} and {other.shape}."
        )
    return _product(xp, "BatchMatMul", input, other, transpose_a, transpose_b)


@op(
    "ops.bmm(input_x: input, mat2: other)",
    "Tensor.bmm(mat2: other)",
    "mint.bmm(input, mat2: other)",
    types=Promote("input other", promote=one_np),
    compute="products",
)
def bmm(xp, input: Anything, other: Anything):
    """Multiplies the matrices of two batches, pair by pair (batch matrix product).

    Shapes:
        `input` is (B, M, K), `other` is (B, K, N), of one dtype. The result is (B, M, N), of the
        same dtype.

    Example:
        >>> print(ms.ops.bmm(ms.Tensor([[[1.0, 2.0]]]), ms.Tensor([[[3.0], [4.0]]])))
        [[[11.]]]
    """
    if input.ndim < 3 or other.ndim < 3:
        raise ValueError(
            f"For 'bmm', the inputs must have three axes, but got {input.shape} and {other.shape}."
        )
    return xp.matmul(input, other)


@op("mint.dot(input, other)", types=SameDtype("input other"))
def mint_dot(xp, input: Anything, other: Anything):
    """Computes the dot product of two vectors.

    Shapes:
        `input` and `other` are (K,). The result has no axes.

    Example:
        >>> print(ms.mint.dot(ms.Tensor([1.0, 2.0]), ms.Tensor([3.0, 4.0])))
        11.0
    """
    if input.ndim == 1 and other.ndim == 1:
        return xp.vecdot(input, other) if input.shape == other.shape else xp.sum(input * other)
    return xp.tensordot(input, other, ((input.ndim - 1,), (max(other.ndim - 2, 0),)))


@op("ops.dot(input, other)", "Tensor.dot(other)", types=SameDtype("input other"))
def dot(xp, input: Float16Or32, other: Float16Or32):
    """Computes the dot product over the last axis of the input and the second-to-last axis of
    `other`.

    Shapes:
        `input` is (..., K), `other` is (..., K, N), float16 or float32. The result has the other
        axes of `input`, then the other axes of `other`.

    Example:
        >>> print(ms.ops.dot(ms.Tensor([[1.0, 2.0]]), ms.Tensor([[3.0], [4.0]])))
        [[11.]]
    """
    if input.ndim < 2 or other.ndim < 2:
        raise ValueError(
            f"For 'dot', the inputs must have two or more axes, but got {tuple(input.shape)} and "
            f"{tuple(other.shape)}."
        )
    return xp.tensordot(input, other, ((input.ndim - 1,), (other.ndim - 2,)))


@op("ops.outer(input, vec2: other)", "Tensor.outer(vec2: other)", types=Promote("input other"))
def outer(xp, input: Anything, other: Anything):
    """Computes the outer product of two vectors.

    Shapes:
        `input` is (M,), `other` is (N,). The result is (M, N), of the dtype to which both are
        promoted.

    Example:
        >>> print(ms.ops.outer(ms.Tensor([1, 2]), ms.Tensor([3, 4, 5])))
        [[ 3  4  5]
         [ 6  8 10]]
    """
    column, row = xp.expand_dims(xp.ravel(input), 1), xp.expand_dims(xp.ravel(other), 0)
    return for_result(xp, column, row).multiply(column, row)


_OUTER_VJPS = {
    "input": lambda xp, g, other, input_shape: xp.reshape(
        xp.matmul(g, conj(xp, xp.ravel(other))), input_shape
    ),
    "other": lambda xp, g, input, other_shape: xp.reshape(
        xp.matmul(conj(xp, xp.ravel(input)), g), other_shape
    ),
}
outer.vjp(**_OUTER_VJPS)


@op(
    "mint.outer(input, vec2: other)", types=Promote("input other"), quirks=Quirks(shapes_first=True)
)
def mint_outer(xp, input: RealsOrBools, other: RealsOrBools):
    """Computes the outer product of two vectors.

    Shapes:
        `input` is (M,), `other` is (N,). The result is (M, N), of the dtype to which both are
        promoted.

    Example:
        >>> print(ms.mint.outer(ms.Tensor([1, 2]), ms.Tensor([3, 4, 5])))
        [[ 3  4  5]
         [ 6  8 10]]
    """
    if input.ndim != 1 or other.ndim != 1:
        raise ValueError(
            f"For 'outer', both inputs must have 1 axis, but got shapes {tuple(input.shape)} and "
            f"{tuple(other.shape)}."
        )
    return outer.body(xp, input, other)


mint_outer.vjp(**_OUTER_VJPS)


@op(
    "ops.dense(input, weight, bias=None)",
    "ops.Dense()(input, weight, bias=None)",
    "mint.nn.functional.linear(input, weight, bias=None)",
    types=SameDtype("input weight bias"),
    compute="products",
)
def dense(xp, input: Anything, weight: Anything, bias: Anything | None = None):
    """Applies a fully connected layer: input @ weight.T + bias.

    Shapes:
        `input` is (..., C_in), `weight` is (C_out, C_in), `bias` is (C_out,). The result is (...,
        C_out), of the same dtype.

    Example:
        >>> print(ms.ops.dense(ms.Tensor([[1.0, 2.0]]), ms.Tensor([[1.0, 1.0], [0.0, 3.0]]),
        ...                    ms.Tensor([0.5, 0.0])))
        [[3.5 6. ]]
    """
    if weight.ndim not in (1, 2) or bias is not None and bias.ndim > 1:
        raise ValueError(
            f"For 'dense', 'weight' must have one or two axes and 'bias' at most one, "
            f"but got shapes {weight.shape} and {getattr(bias, 'shape', None)}."
        )
    columns = xp.swapaxes(weight, -1, -2) if weight.ndim > 1 else weight
    if bias is not None and bias.shape == weight.shape[:1] and weight.ndim > 1:
        return product_plus(xp, input, columns, bias)
    out = product(xp, input, columns)
    return out if bias is None else out + bias


def _dense_input(xp, g, weight):
    """Returns the gradient of the input; a weight with one axis gives scalars."""
    return xp.expand_dims(g, -1) * weight if weight.ndim == 1 else product(xp, g, weight)


def _dense_weight(xp, g, input, weight_shape):
    """Returns the gradient of the weight, computed as one product over all leading axes."""
    if len(weight_shape) == 1:
        return xp.sum(xp.expand_dims(g, -1) * input, tuple(range(g.ndim)))
    if g.ndim > 2 and not merges_axes(xp):
        return product_over_rows(xp, g, input)
    if g.ndim != 2:
        input, g = (xp.reshape(array, (-1, array.shape[-1])) for array in (input, g))
    return weight_product(xp, g, input)


dense.vjp(input=_dense_input, weight=_dense_weight, bias=lambda xp, g: g)


@op(
    "ops.bidense(input1, input2, weight, bias=None)",
    types=SameDtype("input1 weight"),
    quirks=Quirks(shapes_first=True),
)
def bidense(xp, input1: Anything, input2: Anything, weight: Anything, bias: Anything | None = None):
    """Applies a bilinear layer: input1 weight[k] input2 + bias[k] for each output k, over the last
    axes of the inputs.

    Shapes:
        `input1` is (..., C1), `input2` is (..., C2), `weight` is (C_out, C1, C2), `bias` is
        (C_out,). The result is (..., C_out), of the same dtype.

    Example:
        >>> print(ms.ops.bidense(ms.Tensor([[1.0, 2.0]]), ms.Tensor([[3.0]]),
        ...                      ms.Tensor([[[1.0], [1.0]]])))
        [[9.]]
    """
    if (
        input1.shape[:-1] != input2.shape[:-1]
        or weight.ndim != 3
        or (bias is not None and bias.shape != weight.shape[:1])
    ):
        raise ValueError(
            f"For 'bidense', the inputs must agree but for the last axis, 'weight' "
            f"have three axes and 'bias' one number for each output, but got shapes "
            f"{input1.shape}, {input2.shape}, {weight.shape} and "
            f"{getattr(bias, 'shape', None)}."
        )
    left = xp.matmul(xp.expand_dims(xp.expand_dims(input1, -2), -2), weight)
    left, right = promoted(xp, xp.squeeze(left, -2), xp.expand_dims(input2, -2))
    terms = left * right
    out = xp.sum(xp.cast(terms, "int64") if adds_up_as_int64(terms.dtype) else terms, -1)
    if bias is None:
        return out
    out, bias = promoted(xp, out, bias)
    return out + bias


@op(compute="products")
def einsum_of(xp, operands: TupleOf(Anything) | ListOf(Anything), equation: Str):
    """Computes the sum of products given by `equation`."""
    return xp.einsum_list(list(operands), equation)


@public("ops.einsum", "mint.einsum")
def einsum(equation, *operands):
    """Computes sums of products in Einstein notation, e.g. `einsum("ij,jk->ik", a, b)`; `...`
    broadcasts.

    Args:
        equation (str): the indices of each operand, and after `->` the indices of the result.
        *operands (Tensor): one Tensor per operand of the equation.

    Returns:
        Tensor whose axes are the indices of the result; without `->` those that occur once, in
        alphabetical order.

    Raises:
        TypeError: if `equation` is not a str.
        ValueError: if it does not fit the operands, or they are not Tensors.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.einsum("ij,jk->ik", ms.Tensor([[1.0, 2.0]]), ms.Tensor([[3.0], [4.0]])))
        [[11.]]

    Source: mindspore.ops.einsum of MindSpore 2.10.
    """
    if not isinstance(equation, str):
        Str.refuse("einsum", "equation", equation)
    if len(operands) == 1 and isinstance(operands[0], (tuple, list)):
        operands = tuple(operands[0])
    if not all(isinstance(operand, Tensor) for operand in operands):
        raise ValueError(f"For 'einsum', the operands must be Tensors, but got {operands!r}.")
    return einsum_of.run(operands, explicit(equation, [o.ndim for o in operands]))


def explicit(equation, ranks):
    """Returns `equation` with an explicit result, and with letters instead of each ellipsis.

    Raises:
        ValueError: if the operands do not fit.
    """
    equation = equation.replace(" ", "")
    left, arrow, right = equation.partition("->")
    sources = left.split(",")
    if len(sources) != len(ranks):
        raise ValueError(
            f"For 'einsum', 'equation' must name {len(ranks)} operands, but got '{equation}'."
        )
    free = [c for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" if c not in equation]
    widths = [rank - len(s.replace("...", "")) for s, rank in zip(sources, ranks)]
    if any(w < 0 or w and "..." not in s for s, w in zip(sources, widths)):
        raise ValueError(
            f"For 'einsum', 'equation' must name every axis of its operands, but got '{equation}'."
        )
    width = max((w for s, w in zip(sources, widths) if "..." in s), default=0)
    ellipsis_letters = "".join(free[:width])
    sources = [s.replace("...", ellipsis_letters[width - w :]) for s, w in zip(sources, widths)]
    if not arrow:
        letters = "".join(sources)
        once = {c for c in letters if letters.count(c) == 1 and c not in ellipsis_letters}
        right = "..." + "".join(sorted(once))
    right = right.replace("...", ellipsis_letters)
    if set(right) - set("".join(sources)):
        raise ValueError(
            f"For 'einsum', 'equation' must take its result's letters from the "
            f"operands, but got '{equation}'."
        )
    return ",".join(sources) + "->" + right


@public("ops.Einsum")
class Einsum(Primitive):
    """Computes sums of products in Einstein notation: `ops.Einsum(equation)(operands)`.

    Args:
        equation (str): one term per input, separated by commas, then `->` and the term of the
            result. A letter names an axis; axes whose letter is missing in the result are summed.
            `...` stands for any axes.

    Inputs:
        - **operands** (Union[tuple[Tensor], list[Tensor]]): the inputs, all of one dtype.

    Outputs:
        Tensor whose shape is that of the term after `->`, in the dtype of the inputs.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.Einsum("ij,jk->ik")((ms.Tensor([[1.0, 2.0]]), ms.Tensor([[3.0], [4.0]]))))
        [[11.]]
    """

    @checked
    def __init__(self, equation: Str):
        self.equation = equation

    def __call__(self, *operands):
        return einsum(self.equation, *operands)


@op(
    "ops.TridiagonalMatMul()(superdiag, maindiag, subdiag, rhs)",
    types=SameDtype("superdiag maindiag subdiag rhs"),
)
def tridiagonal_matmul(xp, superdiag: Inexact, maindiag: Inexact, subdiag: Inexact, rhs: Inexact):
    """Multiplies tridiagonal matrices, given by their three diagonals, by matrices.

    Shapes:
        Each diagonal is (..., 1, M), `rhs` is (..., M, N), of one dtype. The result is (..., M, N),
        of the same dtype.

    Example:
        >>> one, rhs = ms.Tensor([[1.0, 1.0]]), ms.Tensor([[1.0], [2.0]])
        >>> print(ms.ops.TridiagonalMatMul()(one, 2 * one, one, rhs))
        [[4.]
         [5.]]
    """
    one_shape = superdiag.shape == maindiag.shape == subdiag.shape
    if not one_shape or not 2 <= rhs.ndim == superdiag.ndim:
        raise ValueError(
            f"For 'TridiagonalMatMul', the diagonals must have one shape (..., 1, M) with as many "
            f"axes as 'rhs', but got {superdiag.shape}, {maindiag.shape}, {subdiag.shape} and "
            f"{rhs.shape}."
        )
    above, middle, below = (xp.swapaxes(array, -1, -2) for array in (superdiag, maindiag, subdiag))
    zero = xp.zeros_like(rhs[..., :1, :])
    later = xp.concatenate([rhs[..., 1:, :], zero], -2)
    earlier = xp.concatenate([zero, rhs[..., :-1, :]], -2)
    return middle * rhs + above * later + below * earlier
