"""Indexing: Tensor[...], gathers and scatters, selection by masks, and writing in place."""

import weakref

from ..._backend import arrays
from ..._backend.arrays import SPACES, to_space
from ..._core.declare.inputs import Promote, Quirks
from ..._core.declare.op import op, space_for
from ..._core.declare.public_api import own, plain, public, write_back
from ..._core.rules.vocabulary import (
    Any,
    Bool,
    Int,
    InTensor,
    Number,
    ScalarOf,
    TensorOf,
    TupleOf,
    any_dtype,
    checked,
    integer,
    number,
)
from ..._core.tensor.tensor import Tensor
from ..._core.vmap.batch import space_among
from ..._core.vmap.by_slices import beside_slices
from .._rules import Anything
from .._shape.axes import axis_of
from .index_parse import basic, beside, index_of, located, values_of  # noqa: F401 - beside: for others
from .write_cast import fitting

IndexOfAnyInt = TensorOf("int8", "int16", "int32", "int64", "uint8")
Value = Number | Bool | Anything


@op(compute="native")
def getitem(xp, input: Anything, index: Any):
    """The part of the input that `index` names."""
    return input[index]


getitem.vjp(
    input=lambda xp, g, input_shape, index: xp.scatter_add(xp.zeros(input_shape, g.dtype), index, g)
)


@op(compute="native")
def setitem(xp, input: Anything, values: Anything, index: Any):
    """A copy of the input with `values` written at `index`."""
    return xp.scatter_set(input, index, values)


setitem.vjp(
    input=lambda xp, g, index: xp.scatter_set(g, index, 0), values=lambda xp, g, index: g[index]
)


@public("Tensor.__getitem__")
def tensor_getitem(self, index):
    """The part that an index of ints, slices, Tensors, lists, None and '...' names.

    Ints and slices share memory with this Tensor; what Tensors and lists choose is a copy, and a
    value later written into that copy is written into this Tensor too.

    Raises:
        IndexError: if a position is out of range or the index is made of something else.
        TypeError: if a tuple holds a float or an array, or a 0-d Tensor is indexed by an int.

    Source: the indexing of mindspore.Tensor of MindSpore 2.10.
    """
    array = self._array
    plain = basic(array, index)
    if plain is not None:
        return getitem.run(self, plain)
    index = index_of(array, index, "Tensor.__getitem__")
    located(array, index, "Tensor.__getitem__")
    if index is None or index is Ellipsis or type(index) is slice:
        return getitem.run(self, index)
    if type(index) is int:
        return getitem.run(self, (index, Ellipsis))
    if type(index) is tuple and all(type(part) in _BASIC for part in index):
        dots = any(part is Ellipsis for part in index)
        return getitem.run(self, index if dots else (*index, Ellipsis))
    return _chosen(self, index)


_BASIC = (int, slice, type(None), type(Ellipsis))


def _chosen(source, index):
    """What arrays choose from `source`: a copy that writes back into it."""
    source = beside_slices(source, index if type(index) is tuple else (index,))
    try:
        made = getitem.run(source, index)
    except (IndexError, ValueError) as error:
        raise _told("Tensor.__getitem__", error) from error
    if source._node is None and type(source._array) in SPACES:
        # A view has no owner but this link; a Tensor with memory of its own is not kept alive
        owner = source._array.base is None
        made._chosen_from = (weakref.ref(source) if owner else lambda: source, index)
    return made


@public("Tensor.__setitem__")
def tensor_setitem(self, index, value):
    """Writes a number, Tensor or list at an index, in place.

    Raises:
        IndexError: if a position is out of range, the index is made of something that does not
            index, or `value` is none of these.
        ValueError: if `value` does not broadcast to the place.
        TypeError: if `value` is None or a NumPy array, or a tuple holds a float or an array.

    Source: the indexing of mindspore.Tensor of MindSpore 2.10.
    """
    array = self._array
    values = values_of(value, "Tensor.__setitem__")
    place = basic(array, index)
    if place is None:
        place = index_of(array, index, "Tensor.__setitem__")
        located(array, place, "Tensor.__setitem__")
    node = value._node if isinstance(value, Tensor) else None
    space = space_for(array)
    if space_for(values) is not space and type(values) in SPACES:
        values = to_space(space, values) if type(array) in SPACES else space.asarray(values)
    values = values.astype(array.dtype) if values.dtype != array.dtype else values
    parts = place if type(place) is tuple else (place,)
    if space_among([array, values, *parts]) is not None:  # within vmap: a new Batch takes its place
        made = setitem.run(beside_slices(self, [values, *parts]), _with_node(values, node), place)
        self._array, self._node = made._array, made._node
    elif self._node is None and node is None:
        _write(own(self), place, values)
    else:
        write_back(self, setitem.run(self, _with_node(values, node), place))
    if "_chosen_from" in self.__dict__:
        source, chosen = self._chosen_from
        if source() is not None:
            _write(own(source()), chosen, self._array)


def _with_node(array, node):
    """A Tensor of an array that is part of a graph."""
    made = Tensor._wrap(array)
    made._node = node
    return made


def _write(array, index, values):
    """Writes at an index; into a place without elements goes anything, as in the original."""
    try:
        if values.ndim > 1 and values.shape[0] == 1 and values.ndim > array[index].ndim:
            raise ValueError("more axes than the place has")  # which the array library cuts off
        array[index] = values
    except (ValueError, TypeError) as error:
        place = array[index]
        if place.size:
            raise ValueError(
                f"For 'Tensor.__setitem__', 'value' must broadcast to the shape "
                f"{place.shape} of the place, but got {values.shape}."
            ) from error
    except IndexError as error:
        raise _told("Tensor.__setitem__", error) from error


def _told(api, error):
    """The array library's refusal of an index in the API's name."""
    kind = ValueError if "broadcast" in str(error) else IndexError
    return kind(f"For '{api}', the index does not fit: {str(error).strip()}.")


# Choosing -----------------------------------------------------------------------------------------


@op(
    "ops.where(condition, input, other)",
    "mint.where(condition, input, other)",
    types=Promote("input other"),
)
def where(
    xp,
    condition: Anything,
    input: TensorOf(any_dtype, scalars=True),
    other: TensorOf(any_dtype, scalars=True),
):
    """Takes `input` where the condition is true and `other` elsewhere.

    Shapes:
        The shapes of `condition`, `input` and `other` are broadcast. The result has the dtype to
        which `input` and `other` are promoted.

    Example:
        >>> print(ms.ops.where(ms.Tensor([True, False]), ms.Tensor([1.0, 2.0]), 0.0))
        [1. 0.]
    """
    return xp.where(xp.cast(condition, "bool"), input, other)


@op(
    "ops.select(condition, input, other)",
    "ops.Select()(condition, input, other)",
    types=Promote("input other"),
    compute="native",
    quirks=Quirks(shapes_first=True),
)
def select(
    xp,
    condition: TensorOf("bool"),
    input: TensorOf(any_dtype, scalars=True),
    other: TensorOf(any_dtype, scalars=True),
):
    """Takes `input` where the condition is true and `other` elsewhere.

    Shapes:
        The shapes of `condition`, `input` and `other` are broadcast. The result has the dtype of
        `input` and `other`.

    Example:
        >>> print(ms.ops.select(ms.Tensor([True, False]), ms.Tensor([1.0, 2.0]),
        ...                     ms.Tensor([3.0, 4.0])))
        [1. 4.]
    """
    return xp.where(condition, input, other)


@op(
    "ops.masked_fill(input_x, mask, value)",
    "ops.MaskedFill()(input_x, mask, value)",
    "Tensor.masked_fill(mask, value)",
    "mint.masked_fill(input: input_x, mask, value)",
    "Tensor.masked_fill_(mask, value)",
    compute="native",
    quirks=Quirks(shapes_first=True),
)
def masked_fill(
    xp, input_x: Anything, mask: TensorOf("bool"), value: TensorOf(any_dtype, scalars=True)
):
    """Puts `value` wherever the mask is true.

    Shapes:
        The shapes of `input_x` and the bool `mask` are broadcast. The result has the broadcast
        shape and the dtype of `input_x`.

    Example:
        >>> print(ms.ops.masked_fill(ms.Tensor([1.0, 2.0, 3.0]), ms.Tensor([True, False, True]),
        ...                          0.0))
        [0. 2. 0.]
    """
    if value.ndim:
        raise ValueError(f"For 'masked_fill', 'value' must have no axis, but got {value.shape}.")
    return xp.where(mask, xp.cast(value, input_x.dtype), input_x)


@op(
    "ops.masked_select(input, mask)",
    "ops.MaskedSelect()(x: input, mask)",
    "Tensor.masked_select(mask)",
    "mint.masked_select(input, mask)",
    compute="native",
    quirks=Quirks(shapes_first=True),
)
def masked_select(xp, input: Anything, mask: TensorOf("bool")):
    """Takes the elements at which the mask is true.

    Shapes:
        The shapes of `input` and the bool `mask` are broadcast. The result has one axis, with an
        element for each true one, and the dtype of `input`.

    Example:
        >>> print(ms.ops.masked_select(ms.Tensor([1.0, 2.0, 3.0]), ms.Tensor([True, False, True])))
        [1. 3.]
    """
    shape = xp.broadcast_shapes(input.shape, mask.shape)
    return xp.broadcast_to(input, shape)[xp.broadcast_to(mask, shape)]


@op(
    "ops.argwhere(input)",
    "Tensor.argwhere()",
    "mint.argwhere(input)",
    "ops.NonZero()(input)",
    compute="native",
)
def argwhere(xp, input: Anything):
    """Finds the positions of the elements that are not zero.

    Shapes:
        `input` may have any shape, of D axes. The result is (N, D), of int64: one row for each
        element found.

    Example:
        >>> print(ms.ops.argwhere(ms.Tensor([[0, 5], [7, 0]])))
        [[0 1]
         [1 0]]
    """
    return xp.cast(xp.stack(xp.nonzero(input), -1), "int64")


@public("ops.nonzero", "Tensor.nonzero", "mint.nonzero")
def nonzero(input, *, as_tuple=False):
    """The int64 positions of the elements that are not zero.

    Args:
        input (Tensor): any dtype.
        as_tuple (bool): True for a tuple of one Tensor for each axis. Default: False, rows of
            positions.

    Raises:
        TypeError: if `input` is not a Tensor or `as_tuple` not a bool.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.nonzero(ms.Tensor([0, 5, 7])))
        [[1]
         [2]]

    Source: mindspore.ops.nonzero of MindSpore 2.10.
    """
    if not isinstance(input, Tensor):
        raise TypeError(f"For 'nonzero', 'input' must be a Tensor, but got {type(input).__name__}.")
    if not isinstance(as_tuple, bool):
        raise TypeError(f"For 'nonzero', 'as_tuple' must be a bool, but got {as_tuple!r}.")
    rows = argwhere.run(input)
    return tuple(rows[:, i] for i in range(rows.shape[1])) if as_tuple else rows


# Gathering ----------------------------------------------------------------------------------------


@op(
    "ops.gather(input_params, input_indices, axis, batch_dims=0)",
    "ops.Gather(batch_dims=0)(input_params, input_indices, axis)",
    "ops.GatherV2()(input_params, input_indices, axis)",
    compute="native",
)
def gather(
    xp,
    input_params: Anything,
    input_indices: TensorOf(integer),
    axis: InTensor(Int),
    batch_dims: ScalarOf(Int) = 0,
):
    """Takes slices of the input at the positions given along an axis. The first `batch_dims` axes
    are shared by input and indices.

    Shapes:
        `input_params` may have any shape with at least one axis, `input_indices` any shape of
        integers. The axes of the indices stand in the place of `axis`; the dtype is that of
        `input_params`.

    Example:
        >>> print(ms.ops.gather(ms.Tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), ms.Tensor([2, 0]),
        ...                     0))
        [[5. 6.]
         [1. 2.]]
    """
    if batch_dims == 0:
        return _slices_at(xp, "gather", "input_indices", input_params, input_indices, axis)
    if not -input_indices.ndim <= batch_dims <= input_indices.ndim:
        raise ValueError(
            f"For 'gather', 'batch_dims' must be in [{-input_indices.ndim}, "
            f"{input_indices.ndim}], but got {batch_dims}."
        )
    lead = batch_dims + input_indices.ndim if batch_dims < 0 else batch_dims
    axis = axis_of(axis, input_params)
    places = []
    for i in range(lead):
        view = [1] * (input_indices.ndim)
        view[i] = input_params.shape[i]
        places.append(xp.reshape(xp.arange(input_params.shape[i]), tuple(view)))
    front = xp.moveaxis(input_params, axis, lead)
    picked = _at(front, (*places, input_indices), "gather", "input_indices")
    inner = input_indices.ndim - lead
    between = tuple(range(input_indices.ndim, input_indices.ndim + axis - lead))
    order = (
        *range(lead),
        *between,
        *range(lead, lead + inner),
        *range(input_indices.ndim + axis - lead, picked.ndim),
    )
    return xp.transpose(picked, order)


@op("ops.index_select(input, axis, index)", compute="native")
def index_select(xp, input: Anything, axis: Int | Bool, index: TensorOf(integer)):
    """Takes slices of the input at the positions given along an axis.

    Shapes:
        `input` has at least one axis, `index` is (K,) of integers. The result has length K along
        `axis`, and the dtype of `input`.

    Example:
        >>> print(ms.ops.index_select(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), 1, ms.Tensor([1, 1, 0])))
        [[2. 2. 1.]
         [4. 4. 3.]]
    """
    if index.ndim != 1:
        raise ValueError(f"For 'index_select', 'index' must have one axis, but got {index.shape}.")
    return _slices_at(xp, "index_select", "index", input, index, int(axis))


@op(
    "ops.gather_d(x, dim, index)",
    "ops.GatherD()(x, dim, index)",
    "ops.gather_elements(input: x, dim, index)",
    "Tensor.gather_elements(dim, index)",
    compute="native",
    quirks=Quirks(shapes_first=True),
)
def gather_elements(xp, x: Anything, dim: InTensor(Int), index: IndexOfAnyInt):
    """Takes single elements along an axis. With two axes and `dim` 1 it is out[i][j] =
    x[i][index[i][j]].

    Shapes:
        `index` has as many axes as `x` and is no longer along those other than `dim`. The result
        has its shape and the dtype of `x`.

    Example:
        >>> print(ms.ops.gather_elements(ms.Tensor([[1, 2], [3, 4]]), 1,
        ...                              ms.Tensor([[1, 1], [0, 1]])))
        [[2 2]
         [3 4]]
    """
    try:
        return gather_along.body(xp, x, dim, index)
    except IndexError as error:
        raise beyond("gather_d", "index", error) from error


@op("mint.gather(input: x, dim, index)", compute="native", quirks=Quirks(shapes_first=True))
def gather_along(xp, x: Anything, dim: InTensor(Int), index: IndexOfAnyInt):
    """Takes single elements along an axis. With two axes and `dim` 1 it is out[i][j] =
    x[i][index[i][j]]. A position out of range is a ValueError.

    Shapes:
        `index` has as many axes as `x` and is no longer along those other than `dim`. The result
        has its shape and the dtype of `x`.

    Example:
        >>> print(ms.mint.gather(ms.Tensor([[1, 2], [3, 4]]), 1, ms.Tensor([[1, 1], [0, 1]])))
        [[2 2]
         [3 4]]
    """
    if index.ndim != x.ndim:
        raise ValueError(
            f"For 'gather', 'index' must have as many axes as the input, but got "
            f"shapes {tuple(index.shape)} and {tuple(x.shape)}."
        )
    keep = tuple(
        slice(None) if i == axis_of(dim, x) else slice(0, n) for i, n in enumerate(index.shape)
    )
    return xp.take_along_axis(x[keep], index, dim)


@op(
    "ops.gather_nd(input_x, indices)",
    "ops.GatherNd()(input_x, indices)",
    "Tensor.gather_nd(indices)",
    compute="native",
)
def gather_nd(xp, input_x: Anything, indices: IndexOfAnyInt):
    """Takes the slices at the positions that the rows of `indices` name.

    Shapes:
        `input_x` is of any shape; `indices` is (..., K), with K at most the number of axes, or one
        number for one row. The result is (..., *input_x.shape[K:]), of the dtype of `input_x`.

    Example:
        >>> print(ms.ops.gather_nd(ms.Tensor([[1, 2], [3, 4]]), ms.Tensor([[0, 1], [1, 0]])))
        [2 3]
    """
    indices = indices if indices.ndim else xp.reshape(indices, (1,))
    if indices.shape[-1] > input_x.ndim:
        raise ValueError(
            f"For 'gather_nd', 'indices' must hold at most {input_x.ndim} numbers for "
            f"each place, but got shape {tuple(indices.shape)}."
        )
    if not indices.shape[-1]:
        return xp.broadcast_to(input_x, (*indices.shape[:-1], *input_x.shape))
    places = tuple(indices[..., i] for i in range(indices.shape[-1]))
    return _at(input_x, places, "gather_nd", "indices")


def _slices_at(xp, api, name, x, places, axis):
    try:
        return xp.take(x, places, axis)
    except IndexError as error:
        raise beyond(api, name, error) from error


def _at(x, places, api, name):
    try:
        return x[places]
    except IndexError as error:
        raise beyond(api, name, error) from error


def beyond(api, name, error):
    """The RuntimeError that the original's kernels raise for a place out of range, where no page
    names another; `error` itself where it is an axis."""
    if isinstance(error, ValueError):
        return error
    return RuntimeError(f"For '{api}', '{name}' must lie within the input, but {error}.")


# Scattering ---------------------------------------------------------------------------------------


@op(
    "ops.scatter_nd(indices, updates, shape)",
    "ops.ScatterNd()(indices, updates, shape)",
    compute="native",
    quirks=Quirks(shapes_first=True),
)
def scatter_nd(xp, indices: IndexOfAnyInt, updates: Anything, shape: TupleOf(Int)):
    """Adds updates to zeros of shape `shape`, at the positions that the rows of `indices` name.

    Shapes:
        `indices` is (..., K) of int32 or int64, `updates` is (..., *shape[K:]). The result has the
        shape `shape` and the dtype of `updates`.

    Example:
        >>> print(ms.ops.scatter_nd(ms.Tensor([[0], [2]]), ms.Tensor([1.0, 5.0]), (4,)))
        [1. 0. 5. 0.]
    """
    depth = indices.shape[-1] if indices.ndim > 1 else 0
    if not depth or updates.shape != indices.shape[:-1] + tuple(shape)[depth:]:
        raise ValueError(
            f"For 'scatter_nd', 'indices' must hold rows and 'updates' a slice of "
            f"the shape {shape} for each, but got {indices.shape} and "
            f"{updates.shape}."
        )
    places = tuple(indices[..., i] for i in range(indices.shape[-1]))
    return xp.scatter_add(xp.zeros(tuple(shape), updates.dtype), places, updates)


@op(
    "ops.unsorted_segment_sum(input_x, segment_ids, num_segments)",
    "ops.UnsortedSegmentSum()(input_x, segment_ids, num_segments)",
    compute="native",
    quirks=Quirks(shapes_first=True),
)
def unsorted_segment_sum(
    xp, input_x: TensorOf(number), segment_ids: IndexOfAnyInt, num_segments: InTensor(Int(ge=1))
):
    """Adds up the slices that belong to the same segment. Slices with a number below 0 are left
    out.

    Shapes:
        `segment_ids` has the shape of the first axes of `input_x`. The result is (num_segments,
        *the other axes), of the dtype of `input_x`.

    Example:
        >>> print(ms.ops.unsorted_segment_sum(ms.Tensor([1.0, 2.0, 3.0]), ms.Tensor([0, 1, 0]), 2))
        [4. 2.]
    """
    if segment_ids.shape != input_x.shape[: segment_ids.ndim]:
        raise ValueError(
            f"For 'unsorted_segment_sum', 'segment_ids' must have the shape of the "
            f"first axes of the input, but got {segment_ids.shape} beside "
            f"{input_x.shape}."
        )
    tail = input_x.shape[segment_ids.ndim :]
    total = xp.zeros((num_segments + 1, *tail), input_x.dtype)
    ids = xp.where(segment_ids < 0, num_segments, xp.cast(segment_ids, "int64"))
    return xp.scatter_add(total, (ids,), input_x)[:num_segments]


# Writing in place ---------------------------------------------------------------------------------


def _written(api, variable, value, change, loose=True):
    """`variable` after `change(old array, value array)` was written to it.

    With `loose` a value of one element fits a variable of one element, each of at most one axis.
    """
    _, value = fitting(api, variable, value)
    array, value = variable._array, value._array
    if value.shape != array.shape and not (
        loose and value.size == array.size == 1 and max(value.ndim, array.ndim) < 2
    ):
        raise ValueError(
            f"For '{api}', 'value' must have the shape {array.shape}, but got {value.shape}."
        )
    space = space_for(array)
    if space_for(value) is not space:
        value = arrays.to_space(space, value)  # such as a learning rate: it stays on the host
    value = value.astype(array.dtype) if value.dtype != array.dtype else value
    own(variable)[...] = change(array, value.reshape(array.shape))
    return plain(variable)


@public("ops.assign")
@checked
def assign(variable: Anything, value: Value):
    """Writes `value` into `variable`, in place, and returns it.

    Raises:
        TypeError: if `variable` is not a Parameter or Tensor, or `value` not a Tensor or number, or
            wider than `variable`.
        ValueError: if the shapes differ.

    Example:
        >>> import mindspore_compat as ms
        >>> x = ms.Parameter(ms.Tensor([1.0, 2.0]))
        >>> y = ms.ops.assign(x, ms.Tensor([3.0, 4.0]))
        >>> print(x.asnumpy())
        [3. 4.]

    Source: mindspore.ops.assign of MindSpore 2.10.
    """
    return _written("assign", variable, value, lambda old, new: new, loose=False)


@public("ops.assign_add")
@checked
def assign_add(variable: Anything, value: Value):
    """Adds `value` to `variable`, in place, and returns it; errors as for `assign`, except that a
    value of one element may have one axis more or less.

    Example:
        >>> import mindspore_compat as ms
        >>> x = ms.Parameter(ms.Tensor([1.0, 2.0]))
        >>> y = ms.ops.assign_add(x, ms.Tensor([3.0, 4.0]))
        >>> print(x.asnumpy())
        [4. 6.]
    """
    return _written("assign_add", variable, value, lambda old, new: old + new)


@public("ops.assign_sub")
@checked
def assign_sub(variable: Anything, value: Value):
    """Subtracts `value` from `variable`, in place, and returns it; errors as for `assign_add`.

    Example:
        >>> import mindspore_compat as ms
        >>> x = ms.Parameter(ms.Tensor([1.0, 2.0]))
        >>> y = ms.ops.assign_sub(x, ms.Tensor([3.0, 4.0]))
        >>> print(x.asnumpy())
        [-2. -2.]
    """
    return _written("assign_sub", variable, value, lambda old, new: old - new)


def _primitive(path, function):
    """The Primitive form of an assignment: `ops.Assign()(variable, value)`."""
    call = {
        "__call__": lambda self, variable, value: function(variable, value),
        "__doc__": function.__doc__,
    }
    return public(path)(type(path.removeprefix("ops."), (), call))


_primitive("ops.Assign", assign)
_primitive("ops.AssignAdd", assign_add)
_primitive("ops.AssignSub", assign_sub)
