"""Reductions and sorts of Tensor that have several signatures, such as `sum(dim, keepdim)` and
`sum(axis, dtype, keepdims, initial)`. The ops are in `_reduction` and `_elementwise.comparison`.
"""

from ..._core.declare.overloads import form
from ..._core.declare.public_api import build, public
from ..._core.rules.base import Rule
from ..._core.rules.value_rules import TensorOrNothing
from ..._core.rules.vocabulary import Bool, DType, Int, InTensor, ListOf, TensorOf, TupleOf
from ..._core.tensor import dtype as dtypes
from ..._core.tensor.tensor import Tensor
from ...common._graph_mode.call import graphs
from .._elementwise import arithmetic, cast, maximum
from .._indexing import masks
from .._reduction import cumulative, min_max, quantile, reduce, sort, statistics
from .._reduction import unique as unique_ops
from .._rules import WIDE_UNSIGNED, NumberOrBool, RealsOrBools
from .._shape import reshape
from .._shape.axes import along_one, axes_along

Axis = Int | TupleOf(Int) | ListOf(Int) | None
AxisOrTensor = InTensor(Axis)
Mask = Bool | TensorOf("bool")


def _need_order(api, self, odd="c", apart=()):
    """Rejects complex numbers, which have no order, the dtype kinds in `odd`, and the dtypes in
    `apart`."""
    if self._array.dtype.kind in odd or self._array.dtype.name in apart:
        raise TypeError(f"For '{api}', the Tensor must hold real numbers, but got {self.dtype}.")


def _axes(api, name, axis, self):
    """Returns axes of which none may occur twice (a RuntimeError there)."""
    return axes_along(api, name, axis, self, twice=RuntimeError)


def _numpy(dtype):
    return None if dtype is None else dtypes.to_numpy(dtype)


# Sums and means -----------------------------------------------------------------------------------


@form("Tensor.sum")
def sum_along_dim(self, dim: AxisOrTensor = None, keepdim: Bool = False, *, dtype: DType = None):
    """Sums the elements over the given axes. Integers and bools are summed in int64, unless a dtype
    is given.

    Source: mindspore.Tensor.sum of MindSpore 2.10.
    """
    return reduce.sum.run(self, _axes("Tensor.sum", "dim", dim, self), keepdim, _numpy(dtype))


@form("Tensor.sum")
def sum_along_axis(
    self,
    axis: AxisOrTensor = None,
    dtype: DType = None,
    keepdims: Bool = False,
    initial: NumberOrBool = None,
):
    """Sums the elements over `axis`; `initial` is added to the sum."""
    axis = _axes("Tensor.sum", "axis", axis, self)
    out = reduce.sum.run(self, axis, keepdims, _numpy(dtype))
    if initial is None:
        return out
    out = arithmetic.add.run(out, initial)
    return out.astype(dtype) if dtype is dtypes.bool_ else out


@form("Tensor.nansum")
def nansum_along_dim(self, dim: AxisOrTensor = None, keepdim: Bool = False, *, dtype: DType = None):
    """Sums the elements that are not NaN, in the Tensor's dtype unless one is given; bools in
    int64.

    Source: mindspore.Tensor.nansum of MindSpore 2.10.
    """
    return _nansum("dim", self, dim, keepdim, dtype)


@form("Tensor.nansum")
def nansum_along_axis(
    self, axis: AxisOrTensor = None, keepdims: Bool = False, *, dtype: DType = None
):
    """Sums the elements over `axis` that are not NaN."""
    return _nansum("axis", self, axis, keepdims, dtype)


def _nansum(name, self, axis, keepdims, dtype):
    _need_order("Tensor.nansum", self)
    target = _numpy(dtype)
    if target is not None and target.kind == "c":
        raise TypeError(f"For 'Tensor.nansum', 'dtype' must be a real dtype, but got {dtype}.")
    axis = _axes("Tensor.nansum", name, axis, self)
    return statistics.nansum.run(self, axis, keepdims, target)


@form("Tensor.mean")
def mean_along_dim(self, dim: AxisOrTensor = None, keepdim: Bool = False, *, dtype: DType = None):
    """Computes the mean over the given axes, in the Tensor's dtype (integers are truncated) or the
    given one.

    Source: mindspore.Tensor.mean of MindSpore 2.10.
    """
    self = self if dtype is None else cast.cast.run(self, _numpy(dtype))
    return reduce.mean_as.run(self, _axes("Tensor.mean", "dim", dim, self), keepdim)


@form("Tensor.mean")
def mean_along_axis(self, axis: AxisOrTensor = None, keep_dims: Bool = False):
    """Computes the mean over `axis`."""
    return reduce.mean_as.run(self, _axes("Tensor.mean", "axis", axis, self), keep_dims)


@form("Tensor.prod")
def prod_along_dim(self, dim: Int = None, keepdim: Bool = False, dtype: DType = None):
    """Computes the product of all elements, or of those along an axis. The product of integers is
    int64 unless `dtype` is given.

    Source: mindspore.Tensor.prod of MindSpore 2.10.
    """
    axis = axes_along("Tensor.prod", "dim", dim, self)
    return reduce.prod.run(self, axis, keepdim, _numpy(dtype))


@form("Tensor.prod")
def prod_along_axis(self, axis: Axis = None, keep_dims: Bool = False, dtype: DType = None):
    """Computes the product of the elements over `axis`, which may be several axes."""
    axis = axes_along("Tensor.prod", "axis", axis, self)
    return reduce.prod.run(self, axis, keep_dims, _numpy(dtype))


def _of_bools(api, op, words):
    """Declares the forms of `Tensor.all` or `Tensor.any`."""

    def along_axis(self, axis: AxisOrTensor = None, keep_dims: Bool = False):
        return op.run(self, _axes(api, "axis", axis, self), keep_dims)

    def along_dim(self, dim: AxisOrTensor = None, keepdim: Bool = False):
        """Tests the elements over the axes `dim`."""
        return op.run(self, _axes(api, "dim", dim, self), keepdim)

    along_axis.__doc__ = (
        f"{words} is true, over the axes given.\n\nSource: mindspore.{api} of MindSpore 2.10.\n"
    )
    form(api)(along_axis)
    form(api)(along_dim)


_of_bools("Tensor.all", reduce.all, "True where every element")
_of_bools("Tensor.any", reduce.any, "True where some element")


def _nothing(self):
    """Returns NaN, the result of `std` and `var` without elements, for any axes."""
    return Tensor(float("nan"), self.dtype if self._array.dtype.kind in "fVc" else dtypes.float32)


def _deviation(api, op, words):
    """Declares the forms of `Tensor.std` or `Tensor.var`."""

    def along_axis(self, axis: Axis = None, ddof: Int | Bool = 0, keepdims: Bool = False):
        _need_order(api, self, "b")
        if not self.size:
            return _nothing(self)
        return op.run(self, axes_along(api, "axis", axis, self), ddof, keepdims)

    def along_dim(self, dim: Axis = None, *, correction: Int = 1, keepdim: Bool = False):
        """Computes the spread over `dim`; the divisor is the element count minus `correction`."""
        _need_order(api, self, "b")
        if not self.size:
            return _nothing(self)
        return op.run(self, axes_along(api, "dim", dim, self), correction, keepdim)

    along_axis.__doc__ = (
        f"{words} over the axes given, divided by the count less `ddof`; NaN for no elements.\n\n"
        f"Source: mindspore.{api} of MindSpore 2.10.\n"
    )
    form(api)(along_axis)
    form(api)(along_dim)


_deviation("Tensor.std", reduce.std, "The standard deviation")
_deviation("Tensor.var", reduce.var, "The variance")


# Extremes -----------------------------------------------------------------------------------------


class _AxisOfGraph(Rule):
    """An int, within a graph."""

    def kind(self, name):
        return f"graphs.running and type({name}) is int"

    def scope(self):
        return {"graphs": graphs}

    def noun(self):
        return "an int within a graph"

    def samples(self):
        return [0, "a"]

    def annotation(self):
        return "int"


def _extreme(api, word, over_all, along, between):
    """Declares the forms of `Tensor.max` or `Tensor.min`."""

    def of_all(self):
        _need_order(api, self)
        return over_all.run(self, None, False)

    def in_graph(self, axis: _AxisOfGraph(), keepdims: Bool = False, /):
        """Returns the values along an axis that is given by position."""
        _need_order(api, self)
        return over_all.run(self, axes_along(api, "axis", axis, self), keepdims)

    def with_indices(self, dim: Int, keepdim: Bool = False):
        """Returns (values, int64 indices) along an axis. Within `jit` and in graph mode, an axis by
        position gives the values alone."""
        _need_order(api, self)
        axis = axes_along(api, "dim", dim, self)
        return _along(along, over_all, self, axis, keepdim)

    def over_axes(
        self,
        axis: Axis = None,
        keepdims: Bool = False,
        *,
        initial: NumberOrBool = None,
        where: Mask = True,
        return_indices: Bool = False,
    ):
        """Returns the values over the given axes; with `return_indices`, their indices along one
        axis, too.

        Args:
            axis (Union[None, int, tuple[int], list[int]]): the axes.
            keepdims (bool): True to keep the axes with length 1.
            initial (number): a bound of the result, which `where` requires.
            where (Union[bool, Tensor[bool]]): a mask of the elements that count.
            return_indices (bool): True to return (values, indices); requires a single axis.
        """
        _need_order(api, self)
        axis = axes_along(api, "axis", axis, self)
        if where is not True and initial is None:
            raise ValueError(f"For '{api}', 'initial' must be given with 'where', but got None.")
        if initial is not None:
            initial = Tensor(initial, self.dtype)
        if where is not True:
            self = masks.where.run(
                where if isinstance(where, Tensor) else Tensor(where), self, initial
            )
        if return_indices and axis is not None:
            return _along(along, over_all, self, axis, keepdims)
        values = over_all.run(self, axis, keepdims)
        return values if initial is None else between.run(values, initial)

    of_all.__doc__ = f"The {word} element.\n\nSource: mindspore.{api} of MindSpore 2.10.\n"
    for overload in (of_all, with_indices, over_axes):
        form(api)(overload)
    form(api, listed=False)(in_graph)


def _along(along, over_all, self, axis, keepdims):
    if axis is None:
        return over_all.run(self, None, False), Tensor(0, dtypes.int64)
    return along.run(self, axis if isinstance(axis, int) else axis[0], keepdims)


_extreme("Tensor.max", "largest", min_max.amax, min_max.max_along, maximum.maximum)
_extreme("Tensor.min", "smallest", min_max.amin, min_max.min_along, maximum.minimum)


def _arg_extreme(api, word, op_of_axis, op_of_dim):
    """Declares the forms of `Tensor.argmax` or `Tensor.argmin`."""

    def along_axis(self, axis: Int = None, keepdims: Bool = False):
        return op_of_axis.run(self, axes_along(api, "axis", axis, self), keepdims)

    def along_dim(self, dim: Int = None, keepdim: Bool = False):
        """Finds the index along the axis `dim`."""
        return op_of_dim.run(self, axes_along(api, "dim", dim, self), keepdim)

    along_axis.__doc__ = (
        f"The index of the {word} element along an axis, or in the flattened "
        f"Tensor.\n\nSource: mindspore.{api} of MindSpore 2.10.\n"
    )
    form(api)(along_axis)
    form(api)(along_dim)


_arg_extreme("Tensor.argmax", "largest", min_max.argmax, min_max.argmax)
_arg_extreme("Tensor.argmin", "smallest", min_max.argmin_int32, min_max.argmin_int32)


def _with_index(api, word, along, over_all):
    """Declares `Tensor.argmax_with_value` or `Tensor.argmin_with_value`."""

    def with_index(self, axis: Int | None = 0, keep_dims: Bool = False):
        RealsOrBools.refuse(api, "self", self)
        if axis is not None:
            axis = axes_along(api, "axis", axis, self)
        return _along(along, over_all, self, axis, keep_dims)

    with_index.__doc__ = f"""(the {word} values along an axis, their int64 indices).

    Args:
        axis (Union[int, None]): the axis; None for the {word} element of all, with the index 0.
        keep_dims (bool): True to keep the axis with length 1.

    Source: mindspore.{api} of MindSpore 2.10.
    """
    form(api)(with_index)


_with_index("Tensor.argmax_with_value", "largest", min_max.max_along, min_max.amax)
_with_index("Tensor.argmin_with_value", "smallest", min_max.min_along, min_max.amin)


@form("Tensor.median")
def median_along_axis(self, axis: Int = -1, keepdims: Bool = False):
    """Computes the lower medians along an axis, and their int64 indices.

    Source: mindspore.Tensor.median of MindSpore 2.10.
    """
    quantile.Ranked.refuse("Tensor.median", "self", self)
    axis = axes_along("Tensor.median", "axis", axis, self)
    return quantile.median.run(self, -1 if axis is None else axis, keepdims)


@form("Tensor.median")
def median_along_dim(self, dim: Int = -1, keepdim: Bool = False):
    """Computes the lower medians along the axis `dim`, and their int64 indices."""
    quantile.Ranked.refuse("Tensor.median", "self", self)
    axis = axes_along("Tensor.median", "dim", dim, self)
    return quantile.median.run(self, -1 if axis is None else axis, keepdim)


# Counting and running sums ------------------------------------------------------------------------


@form("Tensor.count_nonzero")
def count_along_axis(
    self, axis: Int | TupleOf(Int) | ListOf(Int) = (), keep_dims: Bool = False, dtype: DType = None
):
    """Counts the nonzero elements over the given axes, as int32 unless a dtype is given.

    Source: mindspore.Tensor.count_nonzero of MindSpore 2.10.
    """
    axis = _axes("Tensor.count_nonzero", "axis", axis, self)
    target = _numpy(dtypes.int32 if dtype is None else dtype)
    return statistics.count_nonzero.run(self, axis, keep_dims, target)


@form("Tensor.count_nonzero")
def count_along_dim(self, dim: Axis = None):
    """Counts the nonzero elements over `dim`, as int64."""
    axis = _axes("Tensor.count_nonzero", "dim", dim, self)
    return statistics.count_nonzero.run(self, axis, False, None)


@form("Tensor.cumsum")
def cumsum_along_axis(self, axis: Int = None, dtype: DType = None):
    """Computes the cumulative sums along an axis, or of the flattened Tensor without one. The
    result has the Tensor's dtype unless one is given; integers of fewer than 32 bits are summed in
    int32.

    Source: mindspore.Tensor.cumsum of MindSpore 2.10.
    """
    axis = axes_along("Tensor.cumsum", "axis", axis, self)
    return cumulative.cumsum_as_is.run(self, axis, _sum_dtype(self, dtype))


@form("Tensor.cumsum")
def cumsum_along_dim(self, dim: Int, *, dtype: DType = None):
    """Computes the cumulative sums along the axis `dim`."""
    axis = axes_along("Tensor.cumsum", "dim", dim, self)
    return cumulative.cumsum_as_is.run(self, axis, _sum_dtype(self, dtype))


def _sum_dtype(self, dtype):
    """Returns the NumPy dtype of cumulative sums: `dtype` if it is given, else int32 for bools and
    integers of 8 or 16 bits. None means the dtype of the Tensor."""
    if dtype is None and self._array.dtype in ("bool", "int8", "uint8", "int16"):
        return dtypes.to_numpy(dtypes.int32)
    return _numpy(dtype)


# Orderings ----------------------------------------------------------------------------------------


@form("Tensor.sort")
def sort_along_axis(self, axis: Int = -1, descending: Bool = False):
    """Sorts the values along an axis, and returns them with their int32 indices.

    Source: mindspore.Tensor.sort of MindSpore 2.10.
    """
    _need_order("Tensor.sort", self, "bc", WIDE_UNSIGNED)
    return sort.sort.run(self, axis, descending)


@form("Tensor.sort")
def sort_along_dim(self, dim: Int = -1, descending: Bool = False, stable: Bool = False):
    """Sorts the values along the axis `dim`. The sort is always stable; `stable` has no effect."""
    _need_order("Tensor.sort", self, "bc", WIDE_UNSIGNED)
    return sort.sort.run(self, dim, descending)


@form("Tensor.argsort")
def argsort_along_axis(self, axis: Int = -1, descending: Bool = False):
    """Computes the int32 indices that sort the Tensor along an axis.

    Source: mindspore.Tensor.argsort of MindSpore 2.10.
    """
    _need_order("Tensor.argsort", self, apart=WIDE_UNSIGNED)
    axis = along_one("Tensor.argsort", "axis", axis, self)
    return sort.argsort.run(self, axis, descending)


@form("Tensor.argsort")
def argsort_along_dim(self, dim: Int = -1, descending: Bool = False, stable: Bool = False):
    """Computes the indices that sort along the axis `dim`. The sort is always stable; `stable` has
    no effect."""
    _need_order("Tensor.argsort", self, apart=WIDE_UNSIGNED)
    axis = along_one("Tensor.argsort", "dim", dim, self)
    return sort.argsort.run(self, axis, descending)


@form("Tensor.topk")
def topk(self, k: Int, dim: Int = None, largest: Bool = True, sorted: Bool = True):
    """Finds the `k` largest or smallest values along an axis, in order, and their int32 indices.

    Source: mindspore.Tensor.topk of MindSpore 2.10.
    """
    _need_order("Tensor.topk", self)
    axis = axes_along("Tensor.topk", "dim", dim, self)
    return sort.topk.run(self, k, axis, largest, sorted)


@form("Tensor.unique")
def unique(
    self,
    sorted: Bool = True,
    return_inverse: Bool = False,
    return_counts: Bool = False,
    dim: Int = None,
):
    """Finds the unique values; if requested, also the index of each element among them and their
    counts.

    Source: mindspore.Tensor.unique of MindSpore 2.10.
    """
    if dim is not None:
        dim = axes_along("Tensor.unique", "dim", dim, self)
    return unique_ops.mint_unique(self, sorted, return_inverse, return_counts, dim)


def _declare_method(api, word):
    """Declares the forms of `Tensor.amax` or `Tensor.amin`."""

    def over_axes(
        self,
        axis: AxisOrTensor = None,
        keepdims: Bool = False,
        *,
        initial: NumberOrBool = None,
        where: TensorOrNothing = None,
    ):
        axis = _axes(api, "axis", axis, self)
        function = build("ops", api.removeprefix("Tensor."))
        return function(self, axis, keepdims, initial=initial, where=where)

    over_axes.__doc__ = f"""The {word} element over the axes given.

    Args:
        axis (Union[None, int, tuple[int], list[int]]): the axes.
        keepdims (bool): True to keep them with length 1.
        initial (number): a value that takes part everywhere, which `where` needs.
        where (Union[bool, Tensor[bool]]): which elements take part.

    Source: mindspore.{api} of MindSpore 2.10.
    """
    form(api)(over_axes)


_declare_method("Tensor.amax", "largest")
_declare_method("Tensor.amin", "smallest")


@public("Tensor.sum_to_size")
def sum_to_size(self, *size):
    """Sums over the axes along which `size` would broadcast to this Tensor's shape.

    Raises:
        ValueError: if `size` does not broadcast to the shape.

    Source: mindspore.Tensor.sum_to_size of MindSpore 2.10.
    """
    try:
        size = reshape.shape_of("sum_to_size", size)
    except TypeError as error:  # which MindSpore looks at with the values
        raise ValueError(*error.args) from error
    lead = self.ndim - len(size)
    if lead < 0 or any(n not in (1, m) for n, m in zip(size, self.shape[lead:], strict=False)):
        raise ValueError(
            f"For 'sum_to_size', 'size' must broadcast to {self.shape}, but got {size}."
        )
    axes = [i for i in range(self.ndim) if i < lead or size[i - lead] != self.shape[i]]
    return self.sum(tuple(axes), keepdims=True).reshape(size) if axes else self
