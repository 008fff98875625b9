"""In-place writes at indices and along an axis.

An op whose plain form exists declares its in-place form there (`Tensor.add_`). While a gradient is
recorded, the Tensor gets a new array instead of being written to.
"""

from ..._backend.arrays import SPACES, extremes
from ..._core.declare.library_errors import LIBRARY_ERRORS
from ..._core.declare.op import op, space_for
from ..._core.declare.public_api import public
from ..._core.declare.writing import overwrite
from ..._core.rules.checked import one_dtype
from ..._core.rules.vocabulary import (
    Any,
    Bool,
    Int,
    ListOf,
    Number,
    OneDtype,
    OneOf,
    TensorOf,
    TupleOf,
    checked,
    integer,
)
from ..._core.tensor.tensor import Tensor
from .._rules import Anything, Index, Operand
from .._shape.axes import axis_of
from ..primitive import Primitive
from .index_parse import on_device_of
from .scatter import check_range, scatter_by
from .scatter_along_axis import added_along, scatter, tensor_scatter_elements
from .write_cast import cast_for_write

_Bound = Number.called("a number or a Tensor")

IndexOrMask = TensorOf(integer, "bool")
Stood = Number | Bool | Anything  # a number stands for a 0-D Tensor
Numbers = Int | TupleOf(Int)


# At indices ---------------------------------------------------------------------------------------


@public("Tensor.scatter_")
@checked
def scatter_(
    input: Anything,
    dim: Int,
    index: Index,
    src: Operand = None,
    *,
    value: Number = None,
    reduce: OneOf("add", "multiply") = None,
):
    """Writes `src` (or one number) at indices along an axis, and returns the Tensor.

    Args:
        dim (int): the axis.
        index (Tensor): one index per written element.
        src (Union[Tensor, number]): the values to write; a single number may also be passed as
            `value`.
        reduce (str): "add" or "multiply" to combine the values with the present elements.

    Raises:
        TypeError: if an argument has the wrong type, or both or neither of `src` and `value` are
            given.
        RuntimeError: if `dim` is out of range, or the dtypes, ranks or lengths do not fit.
        IndexError: if an index is out of range.

    Source: mindspore.Tensor.scatter_ of MindSpore 2.10.
    """
    if (src is None) == (value is None):
        raise TypeError("For 'scatter_', one of 'src' and 'value' must be given.")
    src = value if src is None else src
    _scatter_fits(input, dim, index, src)
    check_range("scatter_", index._array.reshape(-1, 1), (input.shape[dim],))
    if reduce is None:
        return overwrite("scatter_", input, scatter.run(input, dim, index, src))
    if not isinstance(src, Tensor):
        xp = space_for(input._array)
        src = Tensor._wrap(xp.full(index.shape, src, input._array.dtype))
    how = "add" if reduce == "add" else "mul"
    result = tensor_scatter_elements.run(input, index, src, dim, how)
    return overwrite("scatter_", input, result)


def _scatter_fits(input, dim, index, src):
    """Rejects an axis, a dtype, ranks and lengths that do not fit."""
    if not -input.ndim <= dim < input.ndim:
        raise RuntimeError(
            f"For 'scatter_', 'dim' must be in [{-input.ndim}, {input.ndim}), but got {dim}."
        )
    ranks = {input.ndim, index.ndim} | ({src.ndim} if isinstance(src, Tensor) else set())
    if len(ranks) > 1 and index.size:
        raise RuntimeError(
            f"For 'scatter_', the Tensor, 'index' and 'src' must have one number of "
            f"axes, but got {sorted(ranks)}."
        )
    long = [
        d
        for d in range(index.ndim)
        if index.size
        and (
            d != dim % input.ndim
            and index.shape[d] > input.shape[d]
            or isinstance(src, Tensor)
            and index.shape[d] > src.shape[d]
        )
    ]
    if long:
        raise RuntimeError(
            f"For 'scatter_', 'index' must not be longer than the Tensor or 'src', "
            f"but got {index.shape} at axis {long[0]}."
        )
    if isinstance(src, Tensor) and src.dtype != input.dtype:
        raise RuntimeError(
            f"For 'scatter_', 'src' must have the dtype {input.dtype}, but got {src.dtype}."
        )


@public("Tensor.index_add_")
@checked
def index_add_(input: Anything, dim: Int, index: Index, source: Anything, *, alpha: Number = 1):
    """Adds alpha times slices of `source` at indices along an axis, and returns the Tensor."""
    _fits("index_add_", input, dim, index, source)
    source = source if alpha == 1 else source * alpha
    return overwrite("index_add_", input, added_along.run(input, index, source, dim))


@op(compute="native")
def copied_along(xp, input: Anything, index: Index, source: Anything, axis: Int):
    """Returns a copy with slices of `source` written at indices along an axis."""
    return xp.scatter_set(
        input, (slice(None),) * (axis_of(axis, input)) + (index,), xp.cast(source, input.dtype)
    )


@public("Tensor.index_copy_")
@checked
def index_copy_(input: Anything, dim: Int, index: Index, tensor: Anything):
    """Writes slices of `tensor` at indices along an axis, and returns the Tensor."""
    _fits("index_copy_", input, dim, index, tensor)
    return overwrite("index_copy_", input, copied_along.run(input, index, tensor, dim))


def _fits(api, self, dim, index, source):
    """Rejects an axis, indices or slices that do not fit."""
    if not -self.ndim <= dim < self.ndim:
        raise ValueError(
            f"For '{api}', 'dim' must be in [{-self.ndim}, {self.ndim}), but got {dim}."
        )
    sizes = list(self.shape)
    sizes[dim] = index.size
    if index.ndim != 1 or list(source.shape) != sizes:
        raise ValueError(
            f"For '{api}', 'index' must have one axis and the slices the shape {tuple(sizes)}, "
            f"but got {index.shape} and {source.shape}."
        )
    check_range(api, index._array.reshape(-1, 1), (self.shape[dim],))


@public("ops.index_put")
@checked(OneDtype("input values"))
def index_put(
    input: Anything,
    indices: TupleOf(Index) | ListOf(Index),
    values: Anything,
    accumulate: Bool = False,
):
    """Returns a differentiable copy with `values` written, or added, at indices.

    Args:
        indices (tuple[Tensor]): positions along each of the first axes; all int32 or all int64.
        values (Tensor): values of one axis, which broadcast to the positions.
        accumulate (bool): whether to add; a position that occurs twice gets the sum.

    Raises:
        TypeError: if an argument has the wrong type, or dtypes differ.
        ValueError: if there are more indices than axes, or one of them or `values` does not have
            one axis.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.index_put(ms.Tensor([1, 2, 3]), (ms.Tensor([0, 2]),), ms.Tensor([9, 8])))
        [9 2 8]

    Source: mindspore.Tensor.index_put of MindSpore 2.10.
    """
    if not one_dtype(*indices):
        dtypes = ", ".join(str(tensor.dtype) for tensor in indices)
        raise TypeError(f"For 'index_put', 'indices' must have one dtype, but got {dtypes}.")
    shapes = [tensor.shape for tensor in (*indices, values)]
    if any(len(shape) != 1 for shape in shapes):
        raise ValueError(
            f"For 'index_put', 'indices' and 'values' must have one axis, but got {shapes}."
        )
    return _put("index_put", input, indices, values, accumulate)


@public("Tensor.index_put")
def tensor_index_put(self, indices, values, accumulate=False):
    """Calls `ops.index_put` with this Tensor as `input`."""
    return index_put(self, indices, values, accumulate)


def _put(api, input, indices, values, accumulate):
    """Returns a copy with `values`, which broadcast, written or added at indices or where masks are
    true."""
    if len(indices) > input.ndim:
        raise ValueError(
            f"For '{api}', 'indices' must hold at most {input.ndim} Tensors, but got "
            f"{len(indices)}."
        )
    positions = on_device_of(input._array, tuple(tensor._array for tensor in indices))
    for index, length in zip(positions, input.shape, strict=False):
        if _out_of_range(index, length):
            raise ValueError(f"For '{api}', 'indices' must be in [{-length}, {length}).")
    try:
        part_shape = space_for(input._array).empty_like(input._array)[positions].shape
        values = values.broadcast_to(part_shape) if values.shape != part_shape else values
    except LIBRARY_ERRORS as error:
        raise ValueError(f"For '{api}', the indices and values do not fit: {error}") from error
    return scatter_by.run(input, values, positions, "add" if accumulate else "update")


def _out_of_range(index, length):
    """Returns True if positions are out of range; the values of a Batch cannot be read."""
    is_readable = type(index) in SPACES and index.dtype.kind in "iu" and index.size
    return bool(is_readable) and any(not -length <= end < length for end in extremes(index))


@checked(OneDtype("input values"))
def index_put_(
    input: Anything,
    indices: TupleOf(IndexOrMask) | ListOf(IndexOrMask),
    values: Anything,
    accumulate: Bool = False,
):
    """Writes (or adds) values at indices or where masks are true, into the Tensor itself."""
    result = _put("index_put_", input, indices, values, accumulate)
    return overwrite("index_put_", input, result)


@public("Tensor.index_put_")
def tensor_index_put_(self, indices, values, accumulate=False):
    """Writes the result of `index_put` into this Tensor; masks are accepted as indices, too."""
    return index_put_(self, indices, values, accumulate)


@public("Tensor.put_", "ops.put_")
@checked
def put_(input: Anything, index: Index, source: Anything, accumulate: Bool = False):
    """Writes (or adds) elements of `source` at flat indices in row-major order.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.put_(ms.Tensor([1, 2, 3]), ms.Tensor([0]), ms.Tensor([9])))
        [9 2 3]
    """
    if index.size != source.size:
        raise ValueError(
            f"For 'put_', 'source' must have one element for each index, {index.size}, but got "
            f"{source.size}."
        )
    if source.dtype != input.dtype:
        raise TypeError(
            f"For 'put_', 'source' must have the dtype {input.dtype}, but got {source.dtype}."
        )
    check_range("put_", index._array.reshape(-1, 1), (input.size,))
    result = scatter_by.run(
        input.reshape(-1),
        source.reshape(-1),
        (index._array.reshape(-1),),
        "add" if accumulate else "update",
    )
    return overwrite("put_", input, result.reshape(input.shape))


# Slices by index along the first axis -------------------------------------------------------------


def _as_indices(api, x, v, indices):
    """Returns the indices as a tuple; rejects those that do not fit."""
    if isinstance(indices, Tensor):
        indices = indices.asnumpy().reshape(-1).tolist()
    indices = (indices,) if isinstance(indices, int) else tuple(indices)
    if x.dtype != v.dtype:
        raise TypeError(f"For '{api}', the dtypes must agree, but got {x.dtype} and {v.dtype}.")
    if v.ndim != x.ndim or v.shape[1:] != x.shape[1:] or v.shape[0] != len(indices):
        raise ValueError(
            f"For '{api}', 'v' must have the shape {(len(indices), *x.shape[1:])}, but got "
            f"{v.shape}."
        )
    if any(not 0 <= i < x.shape[0] for i in indices):
        raise ValueError(f"For '{api}', 'indices' must be in [0, {x.shape[0]}), but got {indices}.")
    return indices


@op(compute="native")
def slices_by(xp, x: Anything, v: Anything, indices: Any, how: Any):
    """Returns `x` with `v` written, added or subtracted at slices along the first axis."""
    index = (xp.asarray(indices, "int64"),)
    if how == "update":
        return xp.scatter_set(x, index, v)
    return xp.scatter_add(x, index, v if how == "add" else -v)


def _slices_family(path, title, words, last, index_rule=Numbers):
    """Declares `inplace_add`, `InplaceAdd(indices)` and so on; `last` ends the example's output."""
    api = path.removeprefix("ops.")
    how = api.removeprefix("inplace_")

    @checked
    def inplace(x: Anything, v: Anything, indices: index_rule):
        return slices_by.run(x, v, _as_indices(api, x, v, indices), how)

    inplace.__name__ = inplace.__qualname__ = api
    inplace.__doc__ = f"""{words} slices along the first axis of a copy.

    Args:
        x (Tensor): the slices.
        v (Tensor): as many slices as `indices` names.
        indices (Union[int, tuple[int]]): which slices.

    Returns:
        Tensor of the shape and dtype of `x`.

    Raises:
        TypeError: if the dtypes differ or an argument is of the wrong type.
        ValueError: if the shapes do not fit or a slice does not exist.

    Example:
        >>> import mindspore_compat as ms
        >>> x = ms.Tensor([[1, 2], [3, 4]], ms.float32)
        >>> print(ms.{path}(x, ms.ops.ones((1, 2)), indices=1))
        [[1. 2.]
         [{last}]]

    Source: mindspore.{path} of MindSpore 2.10.
    """

    class Inplace(Primitive):
        @checked
        def __init__(self, indices: Numbers):
            super().__init__(type(self).__name__)
            self.indices = indices

        def __call__(self, x, input_v):
            return inplace(x, input_v, self.indices)

    Inplace.__name__ = Inplace.__qualname__ = title.removeprefix("ops.")
    Inplace.__doc__ = f"""The class form of `{path}`: `{title}(indices)(x, v)`.

    Args:
        indices (Union[int, tuple[int]]): which slices.

    Inputs:
        - **x** (Tensor): the slices.
        - **input_v** (Tensor): as many slices as `indices` names, in the dtype of `x`.

    Outputs:
        Tensor of the shape and dtype of `x`.

    Example:
        >>> import mindspore_compat as ms
        >>> x = ms.Tensor([[1, 2], [3, 4]], ms.float32)
        >>> print(ms.{title}(1)(x, ms.ops.ones((1, 2))))
        [[1. 2.]
         [{last}]]
    """
    public(path)(inplace)
    public(title)(Inplace)
    return inplace


_slices_family("ops.inplace_add", "ops.InplaceAdd", "Adds to", last="4. 5.")
_slices_family("ops.inplace_sub", "ops.InplaceSub", "Subtracts from", last="2. 3.")
inplace_update = _slices_family(
    "ops.inplace_update", "ops.InplaceUpdate", "Replaces", last="1. 1.", index_rule=Numbers | Index
)


@public("Tensor.inplace_update")
def tensor_inplace_update(self, v, indices):
    """Calls `ops.inplace_update` with this Tensor as `x`."""
    return inplace_update(self, v, indices)


@public("ops.InplaceUpdateV2")
class InplaceUpdateV2(Primitive):
    """The Primitive form of `ops.inplace_update`: `ops.InplaceUpdateV2()(x, indices, v)`.

    Example:
        >>> x = ms.Tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> print(ms.ops.InplaceUpdateV2()(x, (0,), ms.Tensor([[9.0, 9.0]])))
        [[9. 9.]
         [3. 4.]]
    """

    def __init__(self):
        super().__init__("InplaceUpdateV2")

    def __call__(self, x, indices, v):
        return inplace_update(x, v, indices)


@public("ops.inplace_index_add")
@checked
def inplace_index_add(var: Stood, indices: TensorOf("int32"), updates: Stood, axis: Int):
    """Adds slices of `updates` to `var` at indices along an axis, in place, and returns it.

    Args:
        var (Parameter): what is changed.
        indices (Tensor): int32 of shape (n,): the positions along `axis`.
        updates (Tensor): the slices: n along `axis`, otherwise of the shape of `var`.
        axis (int): the axis.

    Returns:
        `var`.

    Raises:
        TypeError: if an argument has the wrong type, or `updates` has a wider dtype than `var`.
        ValueError: if `axis` is out of range or the shapes do not fit.
        IndexError: if an index is out of range.

    Example:
        >>> x = ms.Parameter(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]))
        >>> rows = ms.Tensor([1], ms.int32)
        >>> print(ms.ops.inplace_index_add(x, rows, ms.Tensor([[10.0, 10.0]]), axis=0))
        [[ 1.  2.]
         [13. 14.]]

    Source: mindspore.ops.inplace_index_add of MindSpore 2.10.
    """
    var, updates = cast_for_write("inplace_index_add", var, updates)
    _fits("inplace_index_add", var, axis, indices, updates)
    return overwrite("inplace_index_add", var, added_along.run(var, indices, updates, axis))


@public("ops.InplaceIndexAdd")
class InplaceIndexAdd(Primitive):
    """The class form of `ops.inplace_index_add`.

    Args:
        axis (int): the axis.

    Inputs:
        - **var** (Parameter): what is changed.
        - **indices** (Tensor): int32 of shape (n,): the positions along `axis`.
        - **updates** (Tensor): the slices: n along `axis`, otherwise of the shape of `var`.

    Outputs:
        `var`.

    Example:
        >>> x = ms.Parameter(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]))
        >>> step = ms.ops.InplaceIndexAdd(axis=0)
        >>> print(step(x, ms.Tensor([1], ms.int32), ms.Tensor([[10.0, 10.0]])))
        [[ 1.  2.]
         [13. 14.]]
    """

    @checked
    def __init__(self, axis: Int):
        super().__init__("InplaceIndexAdd")
        self.axis = axis

    def __call__(self, var, indices, updates):
        return inplace_index_add(var, indices, updates, self.axis)


@public("ops.IndexPut")
class IndexPut(Primitive):
    """The Primitive form of `Tensor.index_put`: `ops.IndexPut(accumulate)(x1, x2, indices)`.

    Args:
        accumulate (int): 1 if values are added, 0 if they replace. Default: 0.

    Inputs:
        - **x1** (Tensor): the input.
        - **x2** (Tensor): the values, which broadcast to the shape of the indices.
        - **indices** (Union[tuple[Tensor], list[Tensor]]): integers, one Tensor for each of the
          first axes.

    Outputs:
        Tensor of the shape and dtype of `x1`.

    Example:
        >>> x, values = ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), ms.Tensor([9.0])
        >>> print(ms.ops.IndexPut()(x, values, [ms.Tensor([0]), ms.Tensor([1])]))
        [[1. 9.]
         [3. 4.]]
    """

    @checked
    def __init__(self, accumulate: Int = 0):
        super().__init__("IndexPut")
        if accumulate not in (0, 1):
            raise ValueError(f"For 'IndexPut', 'accumulate' must be 0 or 1, but got {accumulate}.")
        self.accumulate = accumulate

    @checked(OneDtype("x1 x2"))
    def __call__(self, x1: Anything, x2: Anything, indices: TupleOf(Index) | ListOf(Index)):
        return index_put(x1, tuple(indices), x2, bool(self.accumulate))
