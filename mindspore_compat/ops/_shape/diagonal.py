"""Diagonals and traces of matrices, and matrices built from diagonals.

Bands of several diagonals are in _shape/band.py.
"""

from ..._core.declare.inputs import Promote, Quirks
from ..._core.declare.op import op
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Bool, Float, Int, Number, ScalarOf, TensorOf, number, real
from .._rules import Anything, Index, Several

Scalar = ScalarOf(Int)
RealsOfNumPy = TensorOf(real - {"bfloat16"})
Diagonals = TensorOf("int8", "int16", "int32", "int64", "uint8", "float16", "float32", "float64")

NumbersOfNumPy = TensorOf(number - {"bfloat16"})


@op("ops.trace(input)", "ops.Trace()(input)", compute="native")
def trace(xp, input: NumbersOfNumPy):
    """Computes the trace of a matrix, the sum of its diagonal. Raises a RuntimeError if the input
    is not a matrix.

    Shapes:
        `input` is (M, N). The result is ().

    Example:
        >>> print(ms.ops.trace(ms.Tensor([[1.0, 2.0], [3.0, 4.0]])))
        5.0
    """
    return _trace(xp, input, RuntimeError)


@op("mint.trace(input)", compute="native")
def trace_strict(xp, input: Anything):
    """Computes the trace of a matrix, the sum of its diagonal. Raises a ValueError if the input is
    not a matrix.

    Shapes:
        `input` is (M, N). The result is ().

    Example:
        >>> print(ms.mint.trace(ms.Tensor([[1.0, 2.0], [3.0, 4.0]])))
        5.0
    """
    return _trace(xp, input, ValueError)


def _trace(xp, input, refusal):
    if input.ndim != 2:
        raise refusal(f"For 'trace', 'input' must be a matrix, but got shape {tuple(input.shape)}.")
    return xp.cast(xp.sum(xp.diagonal(input), -1), input.dtype)


@op(compute="native")
def trace_along(xp, input: Anything, offset: Int, axis1: Int, axis2: Int):
    """Returns the sum of each diagonal over two axes."""
    return xp.cast(xp.sum(xp.diagonal(input, offset, axis1, axis2), -1), input.dtype)


@op(
    "ops.diagonal(input, offset=0, dim1=0, dim2=1)",
    "mint.diagonal(input, offset=0, dim1=0, dim2=1)",
    compute="native",
)
def diagonal(xp, input: Anything, offset: Scalar = 0, dim1: Scalar = 0, dim2: Scalar = 1):
    """Extracts a diagonal over two axes. `offset` 0 is the main diagonal; positive offsets are
    above it, negative ones below.

    Shapes:
        `input` has at least two axes. The result lacks `dim1` and `dim2` and has the diagonal as a
        new last axis, of the same dtype.

    Example:
        >>> print(ms.ops.diagonal(ms.Tensor([[1, 2], [3, 4]])))
        [1 4]
    """
    return xp.diagonal(input, offset, dim1, dim2)


@op("ops.diag_embed(input, offset=0, dim1=-2, dim2=-1)", compute="native")
def diag_embed(xp, input: RealsOfNumPy, offset: Int = 0, dim1: Int = -2, dim2: Int = -1):
    """Writes the last axis of the input on the diagonal of two new axes, with zeros elsewhere.

    Shapes:
        `input` is (..., M). The result has two axes of length M + |offset|, at `dim1` and `dim2`,
        in place of the last axis, and the same dtype.

    Example:
        >>> print(ms.ops.diag_embed(ms.Tensor([1, 2])))
        [[1 0]
         [0 2]]
    """
    count = input.shape[-1] + (offset if offset >= 0 else -offset)
    if not count:
        raise ValueError("For 'diag_embed', 'input' must have elements along its last axis.")
    rank = input.ndim + 1
    first, second = dim1 % rank, dim2 % rank
    if first == second:
        raise ValueError(
            f"For 'diag_embed', 'dim1' and 'dim2' must differ, but got {dim1} and {dim2}."
        )
    result = xp.scatter_diagonal(input, (*input.shape[:-1], count, count), offset, -2, -1)
    return xp.moveaxis(result, (-2, -1), (first, second))


@op("ops.diag(input)", "ops.Diag()(input)", compute="native")
def diag(xp, input: Anything):
    """Writes the elements on the diagonal of an array with twice the number of axes, with zeros
    elsewhere.

    Shapes:
        `input` is of shape s with at least one axis. The result is of shape s + s, of the same
        dtype.

    Example:
        >>> print(ms.ops.diag(ms.Tensor([1, 2])))
        [[1 0]
         [0 2]]
    """
    if input.ndim < 1:
        raise ValueError(
            f"For 'diag', 'input' must have at least one axis, but got shape {input.shape}."
        )
    size = input.size
    flat = xp.scatter_diagonal(xp.reshape(input, (size,)), (size, size))
    return xp.reshape(flat, (*input.shape, *input.shape))


@op("mint.diag(input, diagonal=0)", compute="native")
def vector_diag(xp, input: Anything, diagonal: Int = 0):
    """Builds a matrix with a vector on its diagonal, or extracts the diagonal of a matrix.

    Shapes:
        `input` is (M,) or (M, N). The result is a square matrix of length M + |diagonal|, or a
        vector, of the same dtype.

    Example:
        >>> print(ms.mint.diag(ms.Tensor([1, 2])))
        [[1 0]
         [0 2]]
    """
    if input.ndim == 2:
        return xp.diagonal(input, diagonal)
    count = input.shape[0] + (diagonal if diagonal >= 0 else -diagonal)
    return xp.scatter_diagonal(input, (count, count), diagonal)


@op("ops.diagflat(input, offset=0)", "Tensor.diagflat(offset=0)", compute="native")
def diagflat(xp, input: Anything, offset: Int | Bool = 0):
    """Builds a matrix with all elements of the input on its diagonal.

    Shapes:
        `input` may have any shape, of M elements. The result is square, of length M + |offset|, of
        the same dtype.

    Example:
        >>> print(ms.ops.diagflat(ms.Tensor([[1], [2]])))
        [[1 0]
         [0 2]]
    """
    flat = xp.ravel(input)
    count = flat.shape[0] + (offset if offset >= 0 else -offset)
    return xp.scatter_diagonal(flat, (count, count), offset)


@op("ops.DiagPart()(input_x)", compute="native")
def diag_part(
    xp,
    input_x: TensorOf("int32", "int64", "float16", "float32", "float64", "complex64", "complex128"),
):
    """Extracts the diagonal of a Tensor of shape s + s: element i of the result is `input_x[i, i]`
    for each index i of s. The inverse of `ops.diag`.

    Shapes:
        `input_x` is of shape s + s. The result is of shape s, of the same dtype.

    Example:
        >>> print(ms.ops.DiagPart()(ms.Tensor([[1, 2], [3, 4]])))
        [1 4]
    """
    half = input_x.shape[: input_x.ndim // 2]
    size = 1
    for n in half:
        size *= n
    return xp.reshape(xp.diagonal(xp.reshape(input_x, (size, size))), half)


@op(
    "ops.matrix_band_part(x, lower, upper)",
    "ops.MatrixBandPart()(x, lower, upper)",
    compute="native",
)
def matrix_band_part(xp, x: Anything, lower: Int | Index, upper: Int | Index):
    """Keeps a central band of each matrix, `lower` diagonals below and `upper` above the main one,
    and sets the rest to zero. A negative number keeps all diagonals on its side.

    Shapes:
        `x` is (..., M, N). The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.matrix_band_part(ms.Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), 0, 1))
        [[1. 2. 0.]
         [0. 5. 6.]]
    """
    rows = xp.expand_dims(xp.arange(x.shape[-2]), 1)
    columns = xp.expand_dims(xp.arange(x.shape[-1]), 0)
    keep = ((lower < 0) | (rows - columns <= lower)) & ((upper < 0) | (columns - rows <= upper))
    return xp.where(keep, x, xp.zeros_like(x))


@op(
    "ops.diagonal_scatter(input, src, offset=0, dim1=0, dim2=1)",
    "Tensor.diagonal_scatter(src, offset=0, dim1=0, dim2=1)",
    types=Promote("input src"),
    compute="native",
)
def diagonal_scatter(
    xp, input: Anything, src: Anything, offset: Scalar = 0, dim1: Scalar = 0, dim2: Scalar = 1
):
    """Replaces a diagonal over two axes, in a copy of the input.

    Shapes:
        `src` has the shape of that diagonal. The result has the shape and dtype of `input`.

    Example:
        >>> print(ms.ops.diagonal_scatter(ms.Tensor([[1, 2], [3, 4]]), ms.Tensor([9, 8])))
        [[9 2]
         [3 8]]
    """
    expected_shape = xp.diagonal(input, offset, dim1, dim2).shape
    if tuple(src.shape) != tuple(expected_shape):
        raise ValueError(
            f"For 'diagonal_scatter', 'src' must have shape {tuple(expected_shape)}, but got "
            f"{tuple(src.shape)}."
        )
    mask = xp.scatter_diagonal(xp.ones(src.shape, "bool"), input.shape, offset, dim1, dim2)
    return xp.where(mask, xp.scatter_diagonal(src, input.shape, offset, dim1, dim2), input)


@op(
    "Tensor.fill_diagonal(fill_value, wrap=False)",
    "Tensor.fill_diagonal_(fill_value, wrap=False)",
    "ops.FillDiagonal(fill_value, wrap=False)(input_x: input)",
    compute="native",
    quirks=Quirks(
        rules={
            "Tensor.fill_diagonal": {"input": Diagonals, "fill_value": Float},
            "ops.FillDiagonal": {"input": Diagonals, "fill_value": Float},
        }
    ),
)
def fill_diagonal(xp, input: Anything, fill_value: Number, wrap: Bool = False):
    """Writes one number on the main diagonal, in a copy of the input. With `wrap`, the diagonal of
    a tall matrix starts again after each square block.

    Shapes:
        `input` has at least two axes, of one length if there are more than two. The result has the
        same shape and dtype.

    Example:
        >>> print(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]).fill_diagonal(9.0))
        [[9. 2.]
         [3. 9.]]
    """
    if input.ndim < 2 or input.ndim > 2 and len(set(input.shape)) > 1:
        raise ValueError(
            f"For 'fill_diagonal', 'input' must have two axes, or more of one length, "
            f"but got {input.shape}."
        )
    columns = input.shape[-1]
    step = sum(columns**k for k in range(input.ndim))
    flat = xp.arange(input.size)
    hit = flat % step == 0
    if input.ndim == 2 and not wrap:
        hit = hit & (flat < columns * columns)
    return xp.where(
        xp.reshape(hit, input.shape), xp.cast(xp.asarray(fill_value), input.dtype), input
    )


@op(compute="native")
def blocks_on_diagonal(xp, inputs: Several):
    """Builds a block diagonal matrix of the given matrices, with zeros elsewhere."""
    blocks = [xp.reshape(b, (1,) * (2 - b.ndim) + tuple(b.shape)) for b in inputs]
    width = sum(b.shape[1] for b in blocks)
    rows, start = [], 0
    for block in blocks:
        after = width - start - block.shape[1]
        rows.append(xp.pad(block, ((0, 0), (start, after))))
        start += block.shape[1]
    return xp.concatenate(rows, 0)


@public("ops.block_diag", "mint.block_diag")
def block_diag(*inputs):
    """Builds a block diagonal matrix, with the given matrices along the diagonal and zeros
    elsewhere. A vector is a matrix of one row.

    Args:
        *inputs (Tensor): the matrices; a Tensor may have at most two axes.

    Returns:
        Tensor with two axes.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.block_diag(ms.Tensor([[1.0]]), ms.Tensor([[2.0, 3.0]])))
        [[1. 0. 0.]
         [0. 2. 3.]]
    """
    return blocks_on_diagonal.run(inputs)
