"""Triangles and diagonals of matrices, as layers."""

from .... import ops
from ...._core.declare.op import op
from ...._core.declare.public_api import public
from ...._core.rules.comparisons import Instead
from ...._core.rules.vocabulary import Int, TensorOf, checked, number
from ...cell import Cell

_Input = Instead(TensorOf(), AttributeError)  # MindSpore reads its shape first


@public("nn.Tril")
class Tril(Cell):
    """Returns the lower triangle of the last two axes, and zero elsewhere; see `ops.tril`.

    Inputs:
        - **x** (Tensor): shape (..., M, N).
        - **k** (int): the last diagonal that is kept; 0, the default, is the main diagonal.

    Outputs:
        Tensor of the same shape and dtype.

    Raises:
        AttributeError: if `x` is not a Tensor.
        TypeError: if `k` is not an int.
        ValueError: if `x` has fewer than two axes.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.Tril()(ms.Tensor([[1, 2], [3, 4]])))
        [[1 0]
         [3 4]]
    """

    def __init__(self):
        super().__init__()

    def construct(self, x, k=0):
        """Returns the triangle below and on diagonal `k` of `x`."""
        if type(k) is not int:
            Int.refuse("Tril", "k", k)
        _Input.refuse("Tril", "x", x)
        return ops.tril(x, k)


@public("nn.Triu")
class Triu(Cell):
    """Returns the upper triangle of the last two axes, and zero elsewhere; see `ops.triu`.

    Inputs:
        - **x** (Tensor): shape (..., M, N).
        - **k** (int): the first diagonal that is kept; 0, the default, is the main diagonal.

    Outputs:
        Tensor of the same shape and dtype.

    Raises:
        AttributeError: if `x` is not a Tensor.
        TypeError: if `k` is not an int.
        ValueError: if `x` has fewer than two axes.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.Triu()(ms.Tensor([[1, 2], [3, 4]])))
        [[1 2]
         [0 4]]
    """

    def __init__(self):
        super().__init__()

    def construct(self, x, k=0):
        """Returns the triangle above and on diagonal `k` of `x`."""
        if type(k) is not int:
            Int.refuse("Triu", "k", k)
        _Input.refuse("Triu", "x", x)
        return ops.triu(x, k)


@public("nn.MatrixDiag")
class MatrixDiag(Cell):
    """Creates diagonal matrices: the last axis of the input becomes their diagonals.

    Inputs:
        - **input_x** (Tensor): numbers of shape (..., N).

    Outputs:
        Tensor of shape (..., N, N) and the same dtype.

    Raises:
        TypeError: if the input is not a Tensor of numbers.
        ValueError: if it has no axis.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.MatrixDiag()(ms.Tensor([1.0, 2.0])))
        [[1. 0.]
         [0. 2.]]
    """

    def __init__(self):
        super().__init__()

    @checked
    def construct(self, input_x: TensorOf(number)):
        """Returns the matrices of `input_x`, with one axis more."""
        if input_x.ndim < 1:
            raise ValueError("For 'MatrixDiag', the input must have at least 1 axis, but got 0.")
        return on_diagonal.run(input_x)


@public("nn.MatrixDiagPart")
class MatrixDiagPart(Cell):
    """Extracts the diagonals of the matrices in the last two axes.

    Inputs:
        - **input_x** (Tensor): numbers of shape (..., M, N).

    Outputs:
        Tensor of shape (..., min(M, N)).

    Raises:
        TypeError: if the input is not a Tensor of numbers.
        ValueError: if it has fewer than two axes.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.MatrixDiagPart()(ms.Tensor([[1.0, 2.0], [3.0, 4.0]])))
        [1. 4.]
    """

    def __init__(self):
        super().__init__()

    @checked
    def construct(self, input_x: TensorOf(number)):
        """Returns the diagonals of `input_x`, with one axis less."""
        if input_x.ndim < 2:
            raise ValueError(
                f"For 'MatrixDiagPart', the input must have at least 2 axes, but got "
                f"{input_x.ndim}."
            )
        return diagonal_of.run(input_x)


@public("nn.MatrixSetDiag")
class MatrixSetDiag(Cell):
    """Replaces the diagonals of matrices.

    Inputs:
        - **input_x** (Tensor): shape (..., M, N).
        - **diagonal** (Tensor): shape (..., min(M, N)), of the same dtype.

    Outputs:
        Tensor of the shape and dtype of `input_x`.

    Raises:
        TypeError: if the inputs are not of one dtype of float32, float16, int32, int8 or uint8.
        ValueError: if the shapes do not fit.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.MatrixSetDiag()(ms.ops.zeros((2, 2)), ms.Tensor([1.0, 2.0])))
        [[1. 0.]
         [0. 2.]]
    """

    def __init__(self):
        super().__init__()

    @checked
    def construct(
        self,
        input_x: TensorOf("float16", "float32", "int8", "int32", "uint8"),
        diagonal: TensorOf("float16", "float32", "int8", "int32", "uint8"),
    ):
        """Returns `input_x` with `diagonal` on its diagonals."""
        if input_x.dtype != diagonal.dtype:
            raise TypeError(
                "For 'MatrixSetDiag', the inputs must have the same dtype, but got "
                f"{input_x.dtype} and {diagonal.dtype}."
            )
        if input_x.ndim < 2 or diagonal.shape != (*input_x.shape[:-2], min(input_x.shape[-2:])):
            raise ValueError(
                f"For 'MatrixSetDiag', 'diagonal' must have the shape of the "
                f"diagonals, but got shapes {input_x.shape} and {diagonal.shape}."
            )
        return scatter_diagonal.run(input_x, diagonal)


@op(compute="native")
def on_diagonal(xp, x: TensorOf(number)):
    """Returns square matrices with the last axis of `x` on their diagonals."""
    return xp.expand_dims(x, -1) * xp.cast(xp.eye(x.shape[-1]), x.dtype)


@op(compute="native")
def diagonal_of(xp, x: TensorOf(number)):
    """Returns the diagonals of the last two axes."""
    rows, columns = x.shape[-2:]
    least = min(rows, columns)
    square = x[..., :least, :least]
    return xp.sum(square * xp.cast(xp.eye(least), x.dtype), -1)


@op(compute="native")
def scatter_diagonal(xp, x: TensorOf(number), diagonal: TensorOf(number)):
    """Returns `x` with `diagonal` on the diagonals of its last two axes."""
    rows, columns = x.shape[-2:]
    mask = xp.eye(rows, columns) > 0
    diagonals = xp.expand_dims(diagonal, -1) * xp.cast(xp.eye(diagonal.shape[-1]), x.dtype)
    below, right = rows - diagonals.shape[-2], columns - diagonals.shape[-1]
    diagonals = xp.pad(diagonals, ((0, 0),) * (x.ndim - 2) + ((0, below), (0, right)))
    return xp.where(mask, diagonals, x)
