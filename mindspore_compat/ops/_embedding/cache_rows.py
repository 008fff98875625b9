"""Primitives for caches of rows: write and swap rows, assign, pad and shift.

The lookup in a hash map of keys is `MapCacheIdx`, in `cache_map`.
"""

from ..._core.autograd.devices import in_space
from ..._core.declare.op import space_for
from ..._core.declare.public_api import public
from ..._core.declare.writing import own, plain
from ..._core.rules.vocabulary import Int, TensorOf, checked
from ..._core.tensor.tensor import Tensor
from .._indexing.assign import assign
from .._rules import Anything, Index
from ..primitive import Primitive


def _in_range(primitive, table, indices, limit):
    """Returns the positions of the indices that lie in [0, `limit`), and these indices.

    Raises:
        ValueError: if one of these indices is not a row of the table.
    """
    flat = in_space(space_for(table._array), indices)._array.reshape(-1)
    positions = space_for(flat).nonzero((flat >= 0) & (flat < limit))[0]
    rows = flat[positions]
    if rows.size and int(rows.max()) >= table.shape[0]:
        raise ValueError(
            f"For '{primitive.name}', the indices must be rows of the table of shape "
            f"{table.shape}, but got {int(rows.max())}."
        )
    return positions, rows


def _rows(primitive, table, values, count):
    """Reshapes the values to `count` rows of the table and casts them to its dtype."""
    if values.size != count * (table.size // table.shape[0]):
        raise ValueError(
            f"For '{primitive.name}', there must be a row of shape {table.shape[1:]} for each of "
            f"{count} indices, but got the shape {values.shape}."
        )
    rows = in_space(space_for(table._array), values)._array
    return rows.reshape(count, *table.shape[1:]).astype(table._array.dtype)


@public("ops.UpdateCache")
class UpdateCache(Primitive):
    """Writes rows into a table in place; an index that is negative or at least `max_num` is
    skipped.

    Inputs: the table (of at least one axis), the indices of rows (int32 or int64), one row per
    index, and `max_num` (int). If an index occurs twice, its last row is kept. The result is an
    empty Tensor of the table's dtype.

    Raises:
        ValueError: if there is not one row per index, or an index is not a row of the table.

    Example:
        >>> import mindspore_compat as ms
        >>> table = ms.Parameter(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]))
        >>> out = ms.ops.UpdateCache()(table, ms.Tensor([-1, 1]), ms.ops.zeros((2, 2)), 2)
        >>> print(table.value())
        [[1. 2.]
         [0. 0.]]

    Source: mindspore.ops.operations.UpdateCache of MindSpore 2.10.
    """

    def __init__(self):
        super().__init__("UpdateCache")

    @checked
    def __call__(self, input_x: Anything, indices: Index, updates: Anything, max_num: Int):
        rows = _rows(self, input_x, updates, indices.size)
        positions, cached_rows = _in_range(self, input_x, indices, max_num)
        own(input_x)[cached_rows] = rows[positions]
        return Tensor._wrap(space_for(rows).zeros((1,), rows.dtype))


@public("ops.CacheSwapTable")
class CacheSwapTable(Primitive):
    """Swaps rows of a table in place, and returns the previous rows.

    Inputs: the table, the indices of rows, and one row per index. An index of -1 is skipped, and
    its previous row is zeros.

    Raises:
        ValueError: if there is not one row per index, or an index is not a row of the table.

    Example:
        >>> import mindspore_compat as ms
        >>> table = ms.Parameter(ms.Tensor([[1.0], [3.0]]))
        >>> print(ms.ops.CacheSwapTable()(table, ms.Tensor([1]), ms.Tensor([[5.0]])))
        [[3.]]

    Source: mindspore.ops.operations.CacheSwapTable of MindSpore 2.10.
    """

    def __init__(self):
        super().__init__("CacheSwapTable")

    @checked
    def __call__(self, cache_table: Anything, swap_cache_idx: Index, miss_value: Anything):
        rows = _rows(self, cache_table, miss_value, swap_cache_idx.size)
        positions, cached_rows = _in_range(self, cache_table, swap_cache_idx, float("inf"))
        old = space_for(rows).zeros(rows.shape, rows.dtype)
        old[positions] = cache_table._array[cached_rows]
        own(cache_table)[cached_rows] = rows[positions]
        return Tensor._wrap(old)


@public("ops.DynamicAssign")
class DynamicAssign(Primitive):
    """Assigns a value whose shape is known only at run time: `DynamicAssign()(variable, value)`.

    Raises:
        ValueError: if the shapes differ.

    Example:
        >>> import mindspore_compat as ms
        >>> weight = ms.Parameter(ms.Tensor([1.0, 2.0]))
        >>> print(ms.ops.DynamicAssign()(weight, ms.Tensor([3.0, 4.0])))
        [3. 4.]

    Source: mindspore.ops.operations.DynamicAssign of MindSpore 2.10.
    """

    def __init__(self):
        super().__init__("DynamicAssign")

    @checked
    def __call__(self, variable: Anything, value: Anything):
        return plain(assign(variable, value))


@public("ops.PadAndShift")
class PadAndShift(Primitive):
    """Returns a vector of -1 in which a range is filled with the first numbers of the input.

    Inputs: `input_x` (int32 or int64); `cum_sum_arr`, whose last number is the length of the
    result; and `shift_idx`, an int i. The range is from cum_sum_arr[i] to cum_sum_arr[i + 1].

    Raises:
        ValueError: if `shift_idx` is not an index before the last of `cum_sum_arr`, the numbers of
            `cum_sum_arr` do not rise from 0, or `input_x` is too short.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.PadAndShift()(ms.Tensor([9, 13, -1]), ms.Tensor([0, 3, 5]), 1))
        [-1 -1 -1  9 13]

    Source: mindspore.ops.operations.PadAndShift of MindSpore 2.10.
    """

    def __init__(self):
        super().__init__("PadAndShift")

    @checked
    def __call__(self, input_x: TensorOf("int32", "int64"), cum_sum_arr: Index, shift_idx: Int):
        ends = cum_sum_arr.asnumpy().reshape(-1).tolist()
        if not 0 <= shift_idx < len(ends) - 1:
            raise ValueError(
                f"For 'PadAndShift', 'shift_idx' must be an int in [0, {len(ends) - 1}), but got "
                f"{shift_idx}."
            )
        start, end = ends[shift_idx : shift_idx + 2]
        if not 0 <= start <= end <= ends[-1] or input_x.size < end - start:
            raise ValueError(
                f"For 'PadAndShift', 'cum_sum_arr' must rise from 0 on by no more than the length "
                f"of 'input_x', but got {ends} and the length {input_x.size}."
            )
        array = input_x._array.reshape(-1)
        out = space_for(array).full((ends[-1],), -1, array.dtype)
        out[start:end] = array[: end - start]
        return Tensor._wrap(out)
