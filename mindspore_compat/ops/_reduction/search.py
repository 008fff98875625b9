"""Binary search in sorted values: searchsorted, bucketize."""

from ..._core.declare.op import op, space_for
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import (
    AsValue,
    Bool,
    DType,
    Float,
    ListOf,
    Number,
    OneOf,
    TensorOf,
    TupleOf,
    checked,
    real,
)
from ..._core.tensor import dtype as dtypes
from ..._core.tensor.tensor import Tensor
from .._indexing.gather import gather_elements
from .._rules import Anything, Index, Reals
from .statistics import bin_indices, need_rows

Boundaries = ListOf(Number) | TupleOf(Number) | TensorOf(real)
NoList = Number | Bool | Anything | None


@public("ops.searchsorted", "mint.searchsorted")
@checked
def searchsorted(
    sorted_sequence: Anything,
    values: Anything,
    *,
    out_int32: Bool = False,
    right: Bool = False,
    side: AsValue(OneOf("left", "right")) = None,
    sorter: AsValue(Index, Anything) = None,
):
    """Finds the positions at which values would be inserted into sorted sequences: before equal
    elements, or after them with `right`.

    Args:
        sorted_sequence (Tensor): values in ascending order along the last axis.
        values (Tensor): what is looked up; all axes but the last as in `sorted_sequence`, unless
            that has one axis.
        out_int32 (bool): whether the result is int32 instead of int64. Default: False.
        right (bool): whether positions are after equal elements. Default: False.
        side (str): "left" or "right", another form of `right`.
        sorter (Tensor): the indices that sort `sorted_sequence`, of its shape; None if it is
            sorted.

    Returns:
        Tensor of the shape of `values`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.searchsorted(ms.Tensor([1, 3, 5]), ms.Tensor([2, 3])))
        [1 1]

    Source: mindspore.ops.searchsorted of MindSpore 2.10.
    """
    if side == "left" and right:
        raise ValueError(
            "For 'searchsorted', 'side' and 'right' must not contradict each other, "
            "but got 'left' and True."
        )
    need_rows("searchsorted", sorted_sequence, values)
    if sorter is not None:
        sorted_sequence = gather_elements.run(sorted_sequence, -1, sorter)
    result = bin_indices.run(sorted_sequence, values, right or side == "right")
    return result.astype(dtypes.int32 if out_int32 else dtypes.int64)


@public("Tensor.searchsorted")
def tensor_searchsorted(self, v, side="left", sorter=None):
    """Finds the positions at which the numbers `v` would be inserted into this sorted Tensor, as
    int32.

    Source: mindspore.Tensor.searchsorted of MindSpore 2.10.
    """
    v = v if isinstance(v, Tensor) else Tensor(v)
    return searchsorted(self, v, out_int32=True, side=side, sorter=sorter)


@public("ops.bucketize")
@checked
def bucketize(
    input: TensorOf("float16", "float32", "float64", "int16", "int32", "int64"),
    boundaries: AsValue(Boundaries, NoList),
    *,
    right: Bool = False,
):
    """Finds the bucket of each element, int32: the number of boundaries below it; with `right`, the
    number of boundaries not above it.

    Args:
        input (Tensor): numbers.
        boundaries (Union[list[float], tuple[float], Tensor]): the boundaries, in ascending order.
        right (bool): whether an element equal to a boundary is beyond it. Default: False.

    Returns:
        int32 Tensor of the shape of `input`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.bucketize(ms.Tensor([0.5, 1.5]), [1.0, 2.0]))
        [0 1]

    Source: mindspore.ops.bucketize of MindSpore 2.10.
    """
    xp = space_for(input._array)
    if isinstance(boundaries, Tensor):
        edges = boundaries.astype(dtypes.float64)
    else:
        edges = Tensor._wrap(xp.asarray(boundaries, "float64"))
    if edges.ndim != 1:
        raise ValueError(
            f"For 'bucketize', 'boundaries' must have one axis, but got shape {edges.shape}."
        )
    return bin_indices.run(edges, input, right).astype(dtypes.int32)


def _insertion_points(xp, api, edges, values, out_type, right):
    if edges.dtype != values.dtype:
        raise TypeError(f"For '{api}', the dtypes must agree: {edges.dtype}, {values.dtype}.")
    if edges.ndim != 2 or values.ndim != 2 or edges.shape[0] != values.shape[0]:
        raise ValueError(
            f"For '{api}', 'sorted_x' and 'values' must have two axes and as many rows, but got "
            f"{edges.shape} and {values.shape}."
        )
    return xp.cast(bin_indices.body(xp, edges, values, right), out_type)


@op("ops.LowerBound(out_type=int32)(sorted_x, values)", compute="native")
def lower_bound(
    xp, sorted_x: Reals, values: Reals, out_type: DType("int32", "int64") = dtypes.int32
):
    """Finds the position at which each value would be inserted into its sorted row, before equal
    elements.

    Shapes:
        `sorted_x` is (N, M) with each row in ascending order, `values` is (N, K), of one real
        dtype. The result is (N, K), of `out_type`.

    Example:
        >>> print(ms.ops.LowerBound()(ms.Tensor([[1, 3, 3, 5]]), ms.Tensor([[3, 4]])))
        [[1 3]]
    """
    return _insertion_points(xp, "LowerBound", sorted_x, values, out_type, False)


@op("ops.UpperBound(out_type=int32)(sorted_x, values)", compute="native")
def upper_bound(
    xp, sorted_x: Reals, values: Reals, out_type: DType("int32", "int64") = dtypes.int32
):
    """Finds the position at which each value would be inserted into its sorted row, after equal
    elements.

    Shapes:
        `sorted_x` is (N, M) with each row in ascending order, `values` is (N, K), of one real
        dtype. The result is (N, K), of `out_type`.

    Example:
        >>> print(ms.ops.UpperBound()(ms.Tensor([[1, 3, 3, 5]]), ms.Tensor([[3, 4]])))
        [[3 3]]
    """
    return _insertion_points(xp, "UpperBound", sorted_x, values, out_type, True)


@op(
    "ops.SearchSorted(dtype=int64, right=False)(sorted_sequence, values, sorter=None)",
    compute="native",
)
def search_sorted(
    xp,
    sorted_sequence: Reals,
    values: Reals,
    sorter: TensorOf("int64") | None = None,
    dtype: DType("int32", "int64") = dtypes.int64,
    right: Bool = False,
):
    """Finds the position at which each value would be inserted into a sorted sequence: before equal
    elements, or after them with `right`.

    `sorter`, if given, holds the indices that sort the sequence in ascending order.

    Shapes:
        `sorted_sequence` is (..., M), or (M,) for all values; `values` is (..., K). The result has
        the shape of `values` and is of `dtype`.

    Example:
        >>> print(ms.ops.SearchSorted()(ms.Tensor([1.0, 3.0, 5.0]), ms.Tensor([3.0, 4.0])))
        [1 2]
    """
    need_rows("SearchSorted", sorted_sequence, values)
    if sorter is not None:
        sorted_sequence = xp.take_along_axis(sorted_sequence, sorter, -1)
    return xp.cast(bin_indices.body(xp, sorted_sequence, values, right), dtype)


@op("ops.Bucketize(boundaries)(input)", compute="native")
def bucketize_of(
    xp,
    input: TensorOf("int16", "int32", "int64", "float16", "float32", "float64"),
    boundaries: ListOf(Float),
):
    """Finds the bucket of each element; an element that equals a boundary belongs to the bucket
    above it.

    Shapes:
        `input` may have any shape. The result has the same shape and is int32.

    Example:
        >>> print(ms.ops.Bucketize([1.0, 3.0])(ms.Tensor([0.5, 1.0, 4.0])))
        [0 1 2]
    """
    edges = xp.asarray(boundaries, "float64")
    return xp.cast(xp.searchsorted(edges, xp.cast(input, "float64"), "right"), "int32")
