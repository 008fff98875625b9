"""Triangles of matrices; the indices of their elements are in _indexing/triangle_indices.py."""

from ..._core.declare.op import op
from ..._core.rules.vocabulary import Int, InTensor, TensorOf, real


def _need_matrices(api, x):
    """Rejects a Tensor of fewer than two axes."""
    if x.ndim < 2:
        raise ValueError(
            f"For '{api}', 'input' must have at least two axes, but got shape {tuple(x.shape)}."
        )


@op(
    "ops.tril(input, diagonal=0)",
    "Tensor.tril(diagonal=0)",
    "mint.tril(input, diagonal=0)",
    "ops.Tril(diagonal=0)(x: input)",
    compute="native",
)
def tril(xp, input: TensorOf(real, "bool"), diagonal: Int = 0):
    """Returns the lower triangle of each matrix, up to a diagonal, with zeros elsewhere.

    `diagonal` 0 is the main diagonal; positive numbers are above it, negative ones below.

    Shapes:
        `input` is (..., M, N). The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.tril(ms.Tensor([[1, 2, 3], [4, 5, 6]])))
        [[1 0 0]
         [4 5 0]]
    """
    _need_matrices("tril", input)
    return xp.tril(input, diagonal)


@op(
    "ops.triu(input, diagonal=0)",
    "Tensor.triu(diagonal=0)",
    "mint.triu(input, diagonal=0)",
    "ops.Triu(diagonal=0)(input)",
    compute="native",
)
def triu(xp, input: TensorOf(real, "bool"), diagonal: InTensor(Int) = 0):
    """Returns the upper triangle of each matrix, from a diagonal on, with zeros elsewhere.

    `diagonal` 0 is the main diagonal; positive numbers are above it, negative ones below.

    Shapes:
        `input` is (..., M, N). The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.triu(ms.Tensor([[1, 2, 3], [4, 5, 6]])))
        [[1 2 3]
         [0 5 6]]
    """
    _need_matrices("triu", input)
    return xp.triu(input, diagonal)
