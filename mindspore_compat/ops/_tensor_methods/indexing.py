"""Methods of Tensor that read and write at indices and have several signatures, such as
`gather(dim, index)` and `gather(input_indices, axis)`. The ops are in `ops/_indexing`."""

from ..._backend.arrays import SPACES, extremes
from ..._core.declare.overloads import form
from ..._core.declare.public_api import build
from ..._core.declare.writing import overwrite
from ..._core.rules.vocabulary import Bool, Int, InTensor, OneOf, TensorOf, any_dtype
from ..._core.tensor import dtype as dtypes
from ..._core.tensor.tensor import Tensor
from .._indexing import gather, inplace, masks, scatter_along_axis, take
from .._rules import Anything, Index, NumberOrBool
from .._shape.axes import axes_along
from ._dtypes import need_one_dtype

IndexTensor = TensorOf("int16", "int32", "int64")
Value = TensorOf(any_dtype) | NumberOrBool


def _axis(name, keyword, self, axis):
    """Returns an axis of this Tensor, counted from 0; rejects one that does not exist."""
    return axes_along(f"Tensor.{name}", keyword, axis, self) or 0


# Reading ------------------------------------------------------------------------------------------


@form("Tensor.gather")
def gather_elements(self, dim: InTensor(Int), index: Index):
    """Gathers elements along an axis. With two axes and `dim` 1, out[i][j] = self[i][index[i][j]].

    Source: mindspore.Tensor.gather of MindSpore 2.10.
    """
    return gather.gather_along.run(self, _axis("gather", "dim", self, dim), index)


@form("Tensor.gather")
def gather_slices(self, input_indices: IndexTensor, axis: Int, batch_dims: Int = 0):
    """Gathers slices at positions along an axis, as `ops.gather`."""
    axis = _axis("gather", "axis", self, axis)
    return gather.gather.run(self, input_indices, axis, batch_dims)


@form("Tensor.index_select")
def index_select_axis(self, axis: Int, index: IndexTensor):
    """Selects the slices at positions along an axis.

    Source: mindspore.Tensor.index_select of MindSpore 2.10.
    """
    return gather.index_select.run(self, _axis("index_select", "axis", self, axis), index)


@form("Tensor.index_select")
def index_select_dim(self, dim: Int, index: Index):
    """Selects the slices at positions along the axis `dim`."""
    return gather.index_select.run(self, _axis("index_select", "dim", self, dim), index)


@form("Tensor.take")
def take_along(
    self, indices: Index, axis: Int = None, mode: OneOf("clip", "wrap", "raise") = "clip"
):
    """Takes elements of the flattened Tensor, or slices along an axis, at indices.

    Args:
        indices (Tensor): the indices.
        axis (int): the axis; None for the flattened Tensor.
        mode (str): whether indices out of range are clipped ("clip"), wrapped ("wrap") or rejected
            ("raise").

    Raises:
        ValueError: if `axis` is out of range, `mode` is unknown, or, with "raise", an index is out
            of range.

    Source: mindspore.Tensor.take of MindSpore 2.10.
    """
    if axis is not None:
        axis = _axis("take", "axis", self, axis)
    if mode == "raise":
        if indices.size and type(indices._array) in SPACES:  # the values of a Batch cannot be read
            _need_indices(indices._array, self.size if axis is None else self.shape[axis])
        mode = "wrap"
    return take.taken.run(self, indices, axis, mode)


def _need_indices(indices, length):
    low, high = extremes(indices)
    if low < -length or high >= length:
        raise ValueError(
            f"For 'Tensor.take', 'indices' must be in [{-length}, {length}), but "
            f"they reach from {low} to {high}."
        )


@form("Tensor.take")
def take_elements(self, index: Index):
    """Takes elements of the flattened Tensor at indices."""
    return take.take.run(self, index)


@form("Tensor.select")
def select_slice(self, dim: Int, index: Int):
    """Selects one slice along an axis and removes that axis; given a condition instead, selects
    this Tensor where it is true and `y` elsewhere.

    Source: mindspore.Tensor.select of MindSpore 2.10.
    """
    return take.slice_at(self, dim, index)


@form("Tensor.select")
def select_by_condition(self, condition: TensorOf("bool"), y: Value):
    """Selects this Tensor where the condition is true, and `y` elsewhere: a Tensor, an int for
    int32, or a float for float32.
    """
    if not isinstance(y, Tensor):
        target = dtypes.float32 if isinstance(y, float) else dtypes.int32
        if self.dtype != target:
            raise TypeError(
                f"For 'Tensor.select', 'y' must be a Tensor, or a number beside a "
                f"Tensor of {target}, but got {y!r} with {self.dtype}."
            )
        y = Tensor(y, target)
    return masks.select.run(condition, self, y)


@form("Tensor.where")
def where(self, condition: Anything, y: Value):
    """Selects this Tensor where the condition is true, and `y` elsewhere.

    Source: mindspore.Tensor.where of MindSpore 2.10.
    """
    return masks.where.run(condition, self, y)


@form("Tensor.where")
def where_other(self, condition: Anything, other: Value):
    """Selects this Tensor where the condition is true, and `other` elsewhere."""
    return masks.where.run(condition, self, other)


# Writing into a copy ------------------------------------------------------------------------------


def _scatter(name, keyword, self, axis, index, src, reduce="none"):
    axis = _axis(name, keyword, self, axis)
    if isinstance(src, Tensor):
        need_one_dtype(name, "src", self, src)
        if not src.ndim:
            raise ValueError(
                f"For 'Tensor.{name}', 'src' must have one axis or more where it is a "
                "Tensor, but got shape ()."
            )
    if reduce == "none":
        return scatter_along_axis.scatter.run(self, axis, index, src)
    if not isinstance(src, Tensor):
        src = build("ops", "full_like")(index, src, dtype=self.dtype)
    how = "add" if reduce == "add" else "mul"
    return scatter_along_axis.tensor_scatter_elements.run(self, index, src, axis, how)


@form("Tensor.scatter")
def scatter_axis(self, axis: Int, index: IndexTensor, src: Value):
    """Scatters the values of `src`, or one number, at indices along an axis, element by element,
    into a copy.

    Source: mindspore.Tensor.scatter of MindSpore 2.10.
    """
    return _scatter("scatter", "axis", self, axis, index, src)


@form("Tensor.scatter")
def scatter_dim(
    self,
    dim: InTensor(Int),
    index: IndexTensor,
    src: Value,
    reduce: OneOf("none", "add", "multiply") = "none",
):
    """Scatters the values of `src` at indices along the axis `dim`; `reduce` combines them with the
    existing elements."""
    return _scatter("scatter", "dim", self, dim, index, src, reduce)


@form("Tensor.scatter_add")
def scatter_add_along(self, dim: Int, index: Index, src: Anything):
    """Scatter-adds the values of `src` at indices along an axis, element by element, to a copy.

    Source: mindspore.Tensor.scatter_add of MindSpore 2.10.
    """
    need_one_dtype("scatter_add", "src", self, src)
    return scatter_along_axis.scatter_add_along.run(
        self, _axis("scatter_add", "dim", self, dim), index, src
    )


@form("Tensor.scatter_add")
def scatter_add_rows(self, indices: Index, updates: Anything):
    """Scatter-adds slices at positions given as rows to a copy, as `ops.tensor_scatter_add`."""
    return build("ops", "tensor_scatter_add")(self, indices, updates)


@form("Tensor.index_add")
def index_add_dim(self, dim: Int, index: Index, source: Anything, *, alpha: NumberOrBool = 1):
    """Adds `alpha` times the slices of `source` at indices along an axis, in a copy;
    differentiable.

    Raises:
        ValueError: if the axis is out of range or the slices do not fit.
        IndexError: if an index is out of range.

    Source: mindspore.Tensor.index_add of MindSpore 2.10.
    """
    inplace._fits("Tensor.index_add", self, dim, index, source)
    source = source if alpha == 1 else source * alpha
    return scatter_along_axis.added_along.run(self, index, source, dim)


@form("Tensor.index_add")
def index_add_axis(
    self,
    indices: Index,
    y: Anything,
    axis: Int,
    use_lock: Bool = True,
    check_index_bound: Bool = True,
):
    """Adds slices of `y` at indices along an axis, in a copy. `use_lock` and `check_index_bound`
    have no effect; indices are always checked."""
    inplace._fits("Tensor.index_add", self, axis, indices, y)
    return scatter_along_axis.added_along.run(self, indices, y, axis)


@form("Tensor.index_fill_")
def index_fill_(self, dim: Int, index: Index, value: Value):
    """Fills slices at indices along an axis with one number, in place, and returns the Tensor.

    Raises:
        TypeError: if an argument has the wrong type.
        RuntimeError: if `dim` is out of range, `index` has more than one axis, or `value` is not
            0-d.

    Source: mindspore.Tensor.index_fill_ of MindSpore 2.10.
    """
    rank = max(self.ndim, 1)
    if not -rank <= dim < rank:
        raise RuntimeError(
            f"For 'Tensor.index_fill_', 'dim' must be in [{-rank}, {rank}), but got {dim}."
        )
    if index.ndim > 1 or isinstance(value, Tensor) and value.ndim:
        raise RuntimeError(
            f"For 'Tensor.index_fill_', 'index' must have at most one axis and "
            f"'value' none, but got {index.shape} and {value!r}."
        )
    return overwrite(
        "index_fill_", self, scatter_along_axis.index_fill.run(self, dim, index, value)
    )
