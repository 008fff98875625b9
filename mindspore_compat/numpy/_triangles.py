"""mindspore.numpy: triangles and diagonals of matrices; public through `array_creations`."""

import math

import numpy

from .._backend.arrays import current_space
from .._core.rules.checked import checked
from .._core.rules.vocabulary import Bool, DType, InstanceOf, Int, InTensor, Number, ScalarOf
from .._core.tensor import dtype as dtypes
from .._core.tensor.tensor import Tensor
from ..ops._elementwise.cast import cast, named_dtype
from ..ops._indexing import masks
from ..ops._shape import diagonal as diagonal_ops
from ..ops._shape import flip_roll, grid, triangle
from ._convert import (
    as_tensor,
    axis_of,
    broadcast,
    is_int,
    need_tensor,
    new_dtype,
    refuse_complex,
    with_dtype,
)

_ListOrTupleOrTensor = InstanceOf(list, tuple, Tensor).called("a Tensor, list or tuple")

__all__ = [
    "diag",
    "diag_indices",
    "diagflat",
    "diagonal",
    "eye",
    "identity",
    "trace",
    "tri",
    "tril",
    "tril_indices",
    "tril_indices_from",
    "triu",
    "triu_indices",
    "triu_indices_from",
    "vander",
]

Scalar = ScalarOf(Int)

float32, int32 = dtypes.float32, dtypes.int32


@checked
def eye(N: Int(ge=0), M: Int(ge=0) = None, k: Int = 0, dtype=float32):
    """Returns an N x M matrix with ones on the k-th diagonal and zeros elsewhere.

    Raises:
        TypeError: if a length or `k` is not an int.
        ValueError: if a length is negative.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.eye(2, 3))
        [[1. 0. 0.]
         [0. 1. 0.]]

    Source: mindspore.numpy.eye of MindSpore 2.10.
    """
    result_dtype = dtypes.to_numpy(new_dtype(dtype, "eye"))
    return Tensor._wrap(current_space().eye(N, N if M is None else M, k, result_dtype))


def identity(n, dtype=float32):
    """Returns the n x n identity matrix.

    Raises:
        TypeError: if `n` is not an int or `dtype` is not a dtype.
        ValueError: if `n` is negative.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.identity(2))
        [[1. 0.]
         [0. 1.]]

    Source: mindspore.numpy.identity of MindSpore 2.10.
    """
    return eye(n, dtype=dtype)


def _length(value, name, api):
    """Returns a length, given as an int or an integer Tensor or array of one element.

    Raises:
        TypeError: if it is not one of these.
        ValueError: if it is negative.
        RuntimeError: if it is 0.
    """
    if isinstance(value, (Tensor, numpy.ndarray, numpy.integer)) and value.size == 1:
        value = value.item()
    if not is_int(value):
        raise TypeError(f"For '{api}', '{name}' must be an int, but got {value!r}.")
    if value < 1:
        error = RuntimeError if value == 0 else ValueError
        raise error(f"For '{api}', '{name}' must be at least 1, but got {value}.")
    return value


@checked
def tri(N, M=None, k: Int = 0, dtype: DType | None = float32):
    """Returns an N x M matrix with ones on and below the k-th diagonal.

    Raises:
        TypeError: if a length or `k` is not an int, or `dtype` is not a MindSpore dtype.
        ValueError: if a length is negative.
        RuntimeError: if a length is 0.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.tri(2, 3))
        [[1. 0. 0.]
         [1. 1. 0.]]

    Source: mindspore.numpy.tri of MindSpore 2.10.
    """
    if dtype is None:
        raise TypeError("For 'tri', 'dtype' must be a mindspore dtype, but got None.")
    rows = _length(N, "N", "tri")
    return _lower(rows, rows if M is None else _length(M, "M", "tri"), k, dtype)


def _lower(rows, columns, k, dtype=float32):
    return with_dtype(Tensor._wrap(current_space().tri(rows, columns, k)), dtype, "tri")


@checked
def tril(m, k: Int = 0):
    """Returns the lower triangle of each matrix; a vector is broadcast to a matrix.

    Args:
        m (Union[Tensor, number, list, tuple]): real numbers of shape (..., M, N) or (N,).
        k (int): the diagonal at which the triangle ends: 0 is the main one, positive ones lie above
            it. Default: 0.

    Raises:
        TypeError: if an argument has the wrong type, or is complex.
        ValueError: if `m` is a number or empty.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.tril(ms.Tensor([[1, 2], [3, 4]])))
        [[1 0]
         [3 4]]

    Source: mindspore.numpy.tril of MindSpore 2.10.
    """
    return triangle.tril.run(_matrices(m, "tril"), k)


@checked
def triu(m, k: Int = 0):
    """Returns the upper triangle of each matrix; a vector is broadcast to a matrix. It raises the
    same errors as `tril`.

    Args:
        m (Union[Tensor, number, list, tuple]): real numbers of shape (..., M, N) or (N,).
        k (int): the diagonal at which the triangle ends: 0 is the main one, positive ones lie above
            it. Default: 0.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.triu(ms.Tensor([[1, 2], [3, 4]])))
        [[1 2]
         [0 4]]

    Source: mindspore.numpy.triu of MindSpore 2.10.
    """
    return triangle.triu.run(_matrices(m, "triu"), k)


def _matrices(m, api):
    m = as_tensor(m, api)
    refuse_complex(api, m)
    if not m.ndim or not m.size:
        raise ValueError(
            f"For '{api}', 'm' must have an axis and elements, but got shape {m.shape}."
        )
    return broadcast(m, (m.shape[0], m.shape[0]), api) if m.ndim == 1 else m


def _positions(matrix):
    """Returns the rows and columns of nonzero elements; int32, or float32 if there are none."""
    rows = masks.argwhere.run(matrix)
    rows = rows.astype(int32 if rows.size else float32)
    return rows[:, 0], rows[:, 1]


def _lengths(n, m):
    """Returns lengths, given numbers, rounded up and at least 0."""
    rows = max(math.ceil(n), 0)
    return rows, rows if m is None else max(math.ceil(m), 0)


@checked
def tril_indices(n: Number | Bool, k: Number | Bool = 0, m: Number | Bool = None):
    """Returns the row and column indices of the lower triangle of an n x m matrix; int32.

    Args:
        n (number): the number of rows.
        k (number): the diagonal at which the triangle ends: 0 is the main one, positive ones lie
            above it. Default: 0.
        m (number): the number of columns. Default: None, which means `n`.

    Raises:
        TypeError: if an argument is not a number.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.tril_indices(2)[0])
        [0 1 1]

    Source: mindspore.numpy.tril_indices of MindSpore 2.10.
    """
    return _positions(_lower(*_lengths(n, m), math.floor(k)))


@checked
def triu_indices(n: Number | Bool, k: Number | Bool = 0, m: Number | Bool = None):
    """Returns the row and column indices of the upper triangle of an n x m matrix; int32.

    Args:
        n (number): the number of rows.
        k (number): the diagonal at which the triangle ends: 0 is the main one, positive ones lie
            above it. Default: 0.
        m (number): the number of columns. Default: None, which means `n`.

    Raises:
        TypeError: if an argument is not a number.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.triu_indices(2)[1])
        [0 1 1]

    Source: mindspore.numpy.triu_indices of MindSpore 2.10.
    """
    return _positions(1 - _lower(*_lengths(n, m), math.ceil(k) - 1))


def _matrix_shape(arr, api):
    arr = as_tensor(arr, api)
    if arr.ndim != 2:
        raise ValueError(f"For '{api}', 'arr' must be a matrix, but got shape {arr.shape}.")
    return arr.shape


def tril_indices_from(arr, k=0):
    """Returns the row and column indices of the lower triangle of a matrix of this shape.

    Args:
        arr (Union[Tensor, number, list, tuple]): a matrix, of which only the shape matters.
        k (number): the diagonal at which the triangle ends: 0 is the main one, positive ones lie
            above it. Default: 0.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if `arr` is not a matrix.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.tril_indices_from(ms.numpy.ones((2, 2)))[0])
        [0 1 1]

    Source: mindspore.numpy.tril_indices_from of MindSpore 2.10.
    """
    rows, columns = _matrix_shape(arr, "tril_indices_from")
    return tril_indices(rows, k, columns)


def triu_indices_from(arr, k=0):
    """Returns the row and column indices of the upper triangle of a matrix of this shape.

    Args:
        arr (Union[Tensor, number, list, tuple]): a matrix, of which only the shape matters.
        k (number): the diagonal at which the triangle ends: 0 is the main one, positive ones lie
            above it. Default: 0.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if `arr` is not a matrix.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.triu_indices_from(ms.numpy.ones((2, 2)))[1])
        [0 1 1]

    Source: mindspore.numpy.triu_indices_from of MindSpore 2.10.
    """
    rows, columns = _matrix_shape(arr, "triu_indices_from")
    return triu_indices(rows, k, columns)


@checked
def diag(v, k: Int = 0):
    """Builds a matrix with a vector on its k-th diagonal, or extracts that diagonal of a matrix.

    Args:
        v (Tensor): a vector, or a matrix.
        k (int): the diagonal: 0 is the main one, positive ones lie above it. Default: 0.

    Raises:
        TypeError: if `v` is not a Tensor or is complex.
        ValueError: if it does not have one or two axes.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.diag(ms.Tensor([1, 2])))
        [[1 0]
         [0 2]]

    Source: mindspore.numpy.diag of MindSpore 2.10.
    """
    v = need_tensor(v, "diag")
    refuse_complex("diag", v)
    if v.ndim not in (1, 2):
        raise ValueError(f"For 'diag', 'v' must have one or two axes, but got shape {v.shape}.")
    return diagonal_ops.vector_diag.run(v, k)


@checked
def diagflat(v, k: InTensor(Int | Bool) = 0):
    """Builds a matrix with the flattened input on its k-th diagonal.

    Args:
        v (Tensor): the elements of the diagonal, of any shape.
        k (int): the diagonal: 0 is the main one, positive ones lie above it. Default: 0.

    Raises:
        TypeError: if `v` is not a Tensor or is complex, or `k` is not an int.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.diagflat(ms.Tensor([[1], [2]])))
        [[1 0]
         [0 2]]

    Source: mindspore.numpy.diagflat of MindSpore 2.10.
    """
    v = need_tensor(v, "diagflat")
    refuse_complex("diagflat", v)
    return diagonal_ops.diagflat.run(v, int(k))


@checked
def diagonal(a, offset: Scalar = 0, axis1: Scalar = 0, axis2: Scalar = 1):
    """Returns the diagonal of a Tensor over two axes, along a new last axis.

    Args:
        a (Tensor): of at least two axes.
        offset (int): the diagonal: 0 is the main one, positive ones lie above it. Default: 0.
        axis1, axis2 (int): the axes of the matrices. Default: 0 and 1.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if an axis is out of range, or both axes are the same.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.diagonal(ms.Tensor([[1, 2], [3, 4]])))
        [1 4]

    Source: mindspore.numpy.diagonal of MindSpore 2.10.
    """
    a = need_tensor(a, "diagonal")
    return diagonal_ops.diagonal.run(a, offset, *_two_axes(a, axis1, axis2, "diagonal"))


def _two_axes(a, axis1, axis2, api):
    if a.ndim < 2:
        raise ValueError(f"For '{api}', 'a' must have at least two axes, but got {a.shape}.")
    axes = axis_of(axis1, a.ndim, api), axis_of(axis2, a.ndim, api)
    if axes[0] == axes[1]:
        raise ValueError(f"For '{api}', 'axis1' and 'axis2' must differ, but got {axis1} twice.")
    return axes


@checked
def diag_indices(n: Int | Bool, ndim: Int | Bool = 2):
    """Returns the indices of the main diagonal of an array with `ndim` axes of length n; int32.

    Args:
        n (int): the length of each axis.
        ndim (int): the number of axes. Default: 2.

    Raises:
        TypeError: if an argument is not an int.
        ValueError: if `n` is less than 1.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.diag_indices(2)[0])
        [0 1]

    Source: mindspore.numpy.diag_indices of MindSpore 2.10.
    """
    if n < 1:
        raise ValueError(f"For 'diag_indices', 'n' must be at least 1, but got {n}.")
    return (Tensor._wrap(current_space().arange(int(n), dtype="int32")),) * ndim


@checked
def trace(a, offset: Scalar = 0, axis1: Scalar = 0, axis2: Scalar = 1, dtype: DType = None):
    """Computes the trace, the sum of the diagonal over two axes; int64 for ints. Floats are cast to
    an integer `dtype` before they are summed.

    Args:
        a (Tensor): of at least two axes.
        offset (int): the diagonal: 0 is the main one, positive ones lie above it. Default: 0.
        axis1, axis2 (int): the axes of the matrices. Default: 0 and 1.
        dtype (mindspore.dtype): the dtype of the result. Default: None.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if an axis is out of range, or both axes are the same.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.trace(ms.Tensor([[1, 2], [3, 4]])))
        5

    Source: mindspore.numpy.trace of MindSpore 2.10.
    """
    a = need_tensor(a, "trace")
    axes = _two_axes(a, axis1, axis2, "trace")
    a = cast.run(a, "int64") if a._array.dtype.kind in "iu" else a
    if dtype is not None and dtypes.to_numpy(named_dtype("trace", dtype)).kind in "iu":
        a = with_dtype(a, dtype, "trace")
    return with_dtype(diagonal_ops.trace_along.run(a, offset, *axes), dtype, "trace")


@checked
def vander(x, N=None, increasing: Bool = False):
    """Returns the Vandermonde matrix: the powers of each element of a vector, one row per element,
    descending unless `increasing`.

    Args:
        x (Union[list, tuple, Tensor]): the vector.
        N (int): the number of powers; None or 0 means the number of elements.
        increasing (bool): whether the powers ascend.

    Raises:
        TypeError: if an argument has the wrong type, or `x` holds bools.
        ValueError: if `x` is not a vector, `N` is negative, or there are neither elements nor `N`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.vander([1, 2, 3]))
        [[1 1 1]
         [4 2 1]
         [9 3 1]]

    Source: mindspore.numpy.vander of MindSpore 2.10.
    """
    _ListOrTupleOrTensor.refuse("vander", "x", x)
    x = as_tensor(x, "vander")
    N = None if isinstance(N, (str, bytes, tuple, list, dict)) and not N else N
    if N is not None and not is_int(N, bools=True):
        raise TypeError(f"For 'vander', 'N' must be an int, but got {N!r}.")
    if x.dtype == dtypes.bool_:
        raise TypeError("For 'vander', 'x' must not hold bools.")
    if x.ndim != 1:
        raise ValueError(f"For 'vander', 'x' must be a vector, but got {x.shape}.")
    if not x.size and not N:
        raise ValueError("For 'vander', 'N' must be positive if 'x' has no elements.")
    if N is not None and N < 0:
        raise ValueError(f"For 'vander', 'N' must not be negative, but got {N}.")
    powers = cast.run(grid.vander.run(x, int(N) if N else None), x._array.dtype)
    return flip_roll.flip.run(powers, (1,)) if increasing else powers
