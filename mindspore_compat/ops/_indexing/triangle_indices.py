"""The indices of the elements in a triangle of a matrix."""

from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import DType, Int, checked
from ..._core.tensor import dtype as dtypes
from .._shape import ranges
from .._shape.reshape import reshape_array
from ..primitive import Primitive
from .masks import argwhere


def _indices(path, second, keep):
    name = path.removeprefix("ops.")

    @checked
    def make(row, col, offset=0, *, dtype: DType("int32", "int64") = dtypes.int64):
        for label, value in (("row", row), ("col", col), ("offset", offset)):
            if isinstance(value, bool) or not isinstance(value, int):
                Int.refuse(name, label, value)
        if row < 0 or col < 0:
            raise ValueError(
                f"For '{name}', 'row' and 'col' must not be negative, but got {row} and {col}."
            )
        rows = reshape_array.run(ranges.arange(row), (row, 1))
        columns = reshape_array.run(ranges.arange(col), (1, col))
        mask = keep(columns - rows, offset)
        result = argwhere.run(mask).T
        return result.astype(dtype)

    side = "lower" if name == "tril_indices" else "upper"
    make.__name__ = name
    make.__doc__ = f"""The positions of the {side} triangle of a row x col matrix.

    Args:
        row (int): the number of rows.
        col (int): the number of columns.
        offset (int): the diagonal at which the triangle ends; 0 is the main one, positive ones lie
            above it. Default: 0.
        dtype (mindspore.dtype): int32 or int64. Default: int64.

    Returns:
        Tensor of shape (2, n): row and column of each of the n positions.

    Raises:
        TypeError: if a number is not an int, or `dtype` is another dtype.
        ValueError: if `row` or `col` is negative.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.{name}(2, 2).shape)
        (2, 3)
    """
    return public(path, second)(make)


tril_indices = _indices("ops.tril_indices", "mint.tril_indices", lambda gap, k: gap <= k)
triu_indices = _indices("ops.triu_indices", "mint.triu_indices", lambda gap, k: gap >= k)


class _Indices(Primitive):
    @checked
    def __init__(
        self,
        row: Int(ge=0),
        col: Int(ge=0),
        offset: Int = 0,
        dtype: DType("int32", "int64") = dtypes.int32,
    ):
        super().__init__(type(self).__name__)
        self.row, self.col, self.offset, self.dtype = row, col, offset, dtype


@public("ops.TrilIndices")
class TrilIndices(_Indices):
    """The class form of `ops.tril_indices`: `ops.TrilIndices(row, col, offset, dtype)()`.

    Args:
        row (int): the number of rows.
        col (int): the number of columns.
        offset (int): the diagonal at which the triangle ends; 0 is the main one, positive ones lie
            above it. Default: 0.
        dtype (mindspore.dtype): int32 or int64. Default: int32.

    Outputs:
        Tensor of shape (2, n): row and column of each of the n positions.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.TrilIndices(2, 2)())
        [[0 1 1]
         [0 0 1]]
    """

    def __call__(self):
        return tril_indices(self.row, self.col, self.offset, dtype=self.dtype)


@public("ops.TriuIndices")
class TriuIndices(_Indices):
    """The class form of `ops.triu_indices`: `ops.TriuIndices(row, col, offset, dtype)()`.

    Args:
        row (int): the number of rows.
        col (int): the number of columns.
        offset (int): the diagonal at which the triangle ends; 0 is the main one, positive ones lie
            above it. Default: 0.
        dtype (mindspore.dtype): int32 or int64. Default: int32.

    Outputs:
        Tensor of shape (2, n): row and column of each of the n positions.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.TriuIndices(2, 2)())
        [[0 0 1]
         [0 1 1]]
    """

    def __call__(self):
        return triu_indices(self.row, self.col, self.offset, dtype=self.dtype)
