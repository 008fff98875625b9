"""Matrix norms and condition numbers."""

from ..._core.declare.op import op
from ..._core.declare.public_api import public
from ..._core.rules.value_rules import Truth
from ..._core.rules.vocabulary import (
    AsValue,
    Bool,
    CellOf,
    Int,
    ListOf,
    Number,
    OneOf,
    TensorOf,
    TupleOf,
    checked,
)
from ..._core.tensor.tensor import Tensor
from .._reduction.norm import norm
from .._rules import Anything
from .decomposition import singular_values
from .inverse import inverse

_ORDERS = (2, -2, 1, -1, float("inf"), float("-inf"), "fro", "nuc")
_SUMS = (1, -1, float("inf"), float("-inf"))  # orders that add magnitudes


def _matrix_norm(A, order, axis, keep, dtype):
    """Computes the norm of matrices over two axes; rejects an unknown `order` or an axis that does
    not exist.

    As in MindSpore, norms of singular values are float32, and sums of ints are ints.
    """
    if not isinstance(axis, (tuple, list)) or not all(type(item) is int for item in axis):
        raise TypeError(f"For 'matrix_norm', 'axis' must be a tuple of two ints, but got {axis!r}.")
    axis = tuple(axis)
    if len(axis) != 2 or any(not -A.ndim <= item < A.ndim for item in axis):
        raise ValueError(
            f"For 'matrix_norm', 'axis' must be two ints in [{-A.ndim}, {A.ndim}), but got {axis}."
        )
    if axis[0] % A.ndim == axis[1] % A.ndim:
        raise ValueError(f"For 'matrix_norm', the two of 'axis' must differ, but got {axis}.")
    if isinstance(order, Tensor) and order.size == 1:
        order = order.item()
    if order not in _ORDERS:
        raise ValueError(f"For 'matrix_norm', 'ord' must be one of {_ORDERS}, but got {order!r}.")
    A = A if dtype is None else A.astype(dtype)
    kind = A._array.dtype.kind
    if order in _SUMS:
        if kind == "c" or kind == "b" and abs(order) != 1:
            raise TypeError(f"For 'matrix_norm', 'A' must hold real numbers, but got {A.dtype}.")
        if kind in "iub":
            return _extreme_sum(A.astype("int64") if kind == "b" else A, order, axis, keep)
    elif order == "fro" and kind == "b":
        raise TypeError("For 'matrix_norm', 'A' must hold numbers, but got Bool.")
    if order in _SUMS or order == "fro":
        return norm.run(A, order, axis, keep)
    A = A.astype("float32") if A.dtype.itemsize == 2 else A
    return norm.run(A, order, axis, keep).astype("float32")


def _extreme_sum(A, order, axis, keep):
    """Returns the largest or smallest column sum (int64) or row sum (the dtype of `A`) of ints."""
    added, other = axis if abs(order) == 1 else axis[::-1]
    sums = A.abs().astype("int64").sum(added, keepdims=True)
    result = (sums.amax if order > 0 else sums.amin)(other, keepdims=True)
    result = result if keep else result.squeeze(axis)
    return result if abs(order) == 1 else result.astype(A.dtype)


@public("ops.matrix_norm")
@checked
def matrix_norm(A: Anything, ord="fro", axis=(-2, -1), keepdims: Truth = False, *, dtype=None):
    """Computes the norm of each matrix.

    Args:
        A (Tensor): matrices.
        ord (Union[int, float, str]): 2 or -2 (largest, smallest singular value), 1 or -1 (largest,
            smallest column sum), inf or -inf (largest, smallest row sum), "fro" (Frobenius) or
            "nuc" (sum of singular values); or a Tensor that holds the number.
        axis (Union[tuple[int], list[int]]): the axes of rows and columns.
        keepdims (bool): True to keep both axes with length 1.
        dtype (mindspore.dtype): the dtype to which `A` is cast first.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if `ord` is not one of these, or the axes are out of range or the same.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.matrix_norm(ms.Tensor([[3.0, 0.0], [0.0, 4.0]])))
        5.0

    Source: mindspore.ops.matrix_norm of MindSpore 2.10.
    """
    return _matrix_norm(A, ord, axis, keepdims, dtype)


@public("mint.linalg.matrix_norm")
@checked
def mint_matrix_norm(A: Anything, ord="fro", dim=(-2, -1), keepdim: Bool = False, *, dtype=None):
    """Computes the norm of each matrix, as `ops.matrix_norm` does.

    Args:
        A (Tensor): real matrices of shape (*, M, N).
        ord (Union[int, float, str]): "fro", "nuc", inf, -inf, 1, -1, 2 or -2. Default: "fro".
        dim (tuple[int]): the axes of the matrices. Default: (-2, -1).
        keepdim (bool): whether these axes remain, with length 1. Default: False.
        dtype (mindspore.dtype): a dtype that `A` is cast to first.

    Returns:
        Tensor without the axes `dim`.

    Example:
        >>> print(ms.mint.linalg.matrix_norm(ms.Tensor([[3.0, 0.0], [0.0, 4.0]])))
        5.0
    """
    return _matrix_norm(A, ord, dim, keepdim, dtype)


_TwoAxes = TupleOf(Int, length=(1, 2)) | ListOf(Int, length=2) | None


@op("ops.NuclearNorm(dim=None, keepdim=False)(x)")
def nuclear_norm(
    xp, x: TensorOf("float32", "float64"), dim: _TwoAxes = None, keepdim: Bool = False
):
    """Computes the nuclear norm, the sum of the singular values, of matrices over two axes.

    Shapes:
        `x` has at least two axes, and two if `dim` is None. The result lacks the axes in `dim`, or
        has length 1 along them with `keepdim`, and keeps the dtype.

    Example:
        >>> print(ms.ops.NuclearNorm()(ms.Tensor([[3.0, 0.0], [0.0, 4.0]])))
        7.0
    """
    if dim is None and x.ndim != 2:
        raise ValueError(f"For 'NuclearNorm', 'x' must have two axes, but got shape {x.shape}.")
    return norm.body(xp, x, "nuc", (0, 1) if dim is None else dim, keepdim)


@public("ops.cond")
@checked
def cond(
    A: Anything, p: AsValue(Number | Bool | OneOf("fro", "nuc") | CellOf("Tensor"), TupleOf) = None
):
    """Computes the condition number of each matrix: its norm times the norm of its inverse.

    Args:
        A (Tensor): matrices over the last two axes.
        p (Union[int, float, str, Tensor]): the norm, as for `ops.matrix_norm`; None means 2. A
            Tensor that holds a number selects the Frobenius norm.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if `p` is not a matrix norm.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.cond(ms.Tensor([[2.0, 0.0], [0.0, 4.0]])))
        2.0

    Source: mindspore.ops.cond of MindSpore 2.10.
    """
    if A.ndim < 2 or A._array.dtype.kind not in "fc":
        raise (ValueError if A.ndim < 2 else TypeError)(
            f"For 'cond', 'A' must be matrices of floats or complex numbers, but got shape "
            f"{A.shape} and dtype {A.dtype}."
        )
    if isinstance(p, Tensor):
        orders = p.asnumpy().reshape(-1).tolist()
        p = "fro" if len(orders) == 1 and orders[0] in _ORDERS else tuple(orders)
    if p is None or p in (2, -2):
        sizes = singular_values.run(A)
        top, bottom = sizes[..., 0], sizes[..., -1]
        return bottom / top if p == -2 else top / bottom
    return _matrix_norm(A, p, (-2, -1), False, None) * _matrix_norm(
        inverse.run(A), p, (-2, -1), False, None
    )
