"""Search in sorted values."""

from ..._core.declare.op import space_for
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import (
    AsValue,
    Bool,
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
from .._rules import Anything, Index
from .statistics import need_rows, places_in

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
    """Where values would stand in ordered sequences: before equal elements, or after them with
    `right`.

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
    found = places_in.run(sorted_sequence, values, right or side == "right")
    return found.astype(dtypes.int32 if out_int32 else dtypes.int64)


@public("Tensor.searchsorted")
def tensor_searchsorted(self, v, side="left", sorter=None):
    """Where the numbers v would stand in this ordered Tensor; int32.

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
    """The bucket of each element, int32: how many boundaries lie below it (or up to it with
    `right`).

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
    return places_in.run(edges, input, right).astype(dtypes.int32)
