"""Elements and slices by index: take, select, index_select, choose."""

from ..._backend.arrays import extremes
from ..._core.declare.op import op, space_for
from ..._core.declare.public_api import public
from ..._core.declare.shapes_first import shapes_first
from ..._core.rules.checked import one_dtype, refuse_unlike
from ..._core.rules.vocabulary import (
    Bool,
    InstanceOf,
    Int,
    ListOf,
    OneOf,
    TensorOf,
    checked,
    integer,
)
from ..._core.tensor.tensor import Tensor
from .._rules import Anything, Index
from ..primitive import Primitive

_Choice = InstanceOf(Tensor, int, float, tuple, list).called("Tensors, numbers or lists of them")

_Choices = InstanceOf(tuple, list, Tensor)


@public("mint.select", "ops.select_view")
@checked
def slice_at(input: Anything, dim: Int, index: Int | Index):
    """Selects one slice along an axis, and removes that axis.

    Args:
        input (Tensor): at least one axis.
        dim (int): the axis.
        index (int): the position along it.

    Returns:
        Tensor of the same dtype, without the axis.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if `dim` or `index` is out of range.

    Example:
        >>> print(ms.ops.select_view(ms.Tensor([[1, 2], [3, 4]]), 1, 0))
        [1 3]

    Source: mindspore.mint.select of MindSpore 2.10.
    """
    rank, index = input.ndim, int(index)
    if not -rank <= dim < rank:
        raise ValueError(f"For 'select', 'dim' must be in [{-rank}, {rank}), but got {dim}.")
    length = input.shape[dim]
    if not -length <= index < length:
        raise ValueError(
            f"For 'select', 'index' must be in [{-length}, {length}), but got {index}."
        )
    return input[(slice(None),) * (dim % rank) + (index,)]


@public("ops.SelectView")
class SelectView(Primitive):
    """The Primitive form of `mint.select`: `ops.SelectView()(input, index, dim)`.

    Example:
        >>> print(ms.ops.SelectView()(ms.Tensor([[1, 2], [3, 4]]), 1, 0))
        [3 4]
    """

    def __init__(self):
        super().__init__("SelectView")

    def __call__(self, input, index, dim):
        return slice_at(input, dim, index)


@op("mint.take(input, index)", "ops.take(input, index)", compute="native")
def take(xp, input: Anything, index: Index):
    """Takes the elements at flat indices in row-major order.

    Shapes:
        `input` may have any shape, `index` any shape of integers. The result has the shape of
        `index` and the dtype of `input`.

    Example:
        >>> print(ms.ops.take(ms.Tensor([[1, 2], [3, 4]]), ms.Tensor([0, 3])))
        [1 4]
    """
    flat = xp.ravel(input)
    if index.size:
        low, high = extremes(index)
        if low < -flat.size or high >= flat.size:
            raise IndexError(f"For 'take', 'index' must be in [{-flat.size}, {flat.size}).")
    return xp.take(flat, index)


@op(compute="native")
def taken(xp, input: Anything, indices: Anything, axis: Int | None, mode: OneOf("clip", "wrap")):
    """Takes slices at indices along an axis, or elements of the flattened input if there is no
    axis; `mode` brings indices into range."""
    if axis is None:
        input, axis = xp.ravel(input), 0
    length = input.shape[axis]
    if not length and indices.size:
        raise RuntimeError(
            f"For 'take', the Tensor must have elements to take, but got shape "
            f"{tuple(input.shape)}."
        )
    if mode == "wrap":
        at = xp.mod(indices, length)
    elif indices.dtype.kind == "i" and indices.dtype.itemsize == 8:
        at = xp.clip(indices, -length, length - 1)  # `take` counts negative ones from the end
    else:
        at = xp.clip(xp.where(indices < -length, -length, indices), -length, length - 1)
        at = xp.where(at < 0, at + length, at)
    return xp.take(input, at, axis)


@public("Tensor.choose")
def choose(self, choices, mode="clip"):
    """Builds a Tensor by choosing elements: an element i of this Tensor selects the element at its
    own position in `choices[i]`.

    Fractions and imaginary parts of indices and choices are truncated, because MindSpore computes
    in int32. The result has the dtype of the choices, int64 if they are not Tensors.

    Args:
        choices (Union[tuple, list, Tensor]): Tensors of one dtype, or numbers and lists of numbers;
            they broadcast.
        mode (str): "wrap" wraps indices out of range, "raise" rejects them; any other value acts as
            the default, "clip".

    Raises:
        TypeError: if `choices` has the wrong type, or holds elements of the wrong type, or Tensors
            of several dtypes.
        ValueError: if this Tensor or `choices` has no axes or entries, or an index is out of range
            with "raise".

    Source: mindspore.Tensor.choose of MindSpore 2.10.
    """
    tables = _choices(choices)
    if not self.ndim:
        raise ValueError("For 'choose', the Tensor of indices must have an axis, but got shape ().")
    xp = space_for(self._array)
    indices = xp.cast(xp.real(self._array), "int64")
    if (
        mode == "raise"
        and indices.size
        and not (0 <= indices.min() and indices.max() < len(tables))
    ):
        raise ValueError(
            f"For 'choose', the indices must be in [0, {len(tables)}), but they reach from "
            f"{int(indices.min())} to {int(indices.max())}."
        )
    return chosen.run(Tensor._wrap(indices), tables, mode == "wrap")


def _choices(choices):
    """Converts the choices to Tensors of one dtype."""
    if not isinstance(choices, (tuple, list, Tensor)):
        _Choices.refuse("choose", "choices", choices)
    if isinstance(choices, Tensor) and not choices.ndim or not len(choices):
        raise ValueError("For 'choose', 'choices' must have one entry or more, but got none.")
    for array in choices:
        if not isinstance(array, (Tensor, int, float, tuple, list)):
            _Choice.refuse_part("choose", "'choices'", array, verb="hold")
    tables = [
        array if isinstance(array, Tensor) else Tensor(array).astype("int64") for array in choices
    ]
    if not one_dtype(*tables):
        refuse_unlike("choose", {f"choices[{i}]": table for i, table in enumerate(tables)})
    return tables


@op(compute="native")
def chosen(xp, indices: TensorOf(integer), tables: ListOf(Anything), wrap: Bool):
    """Selects for each index the element of the table that it names; computes in int32 and returns
    the tables' dtype. Indices and tables broadcast.
    """
    whole = xp.broadcast_shapes(indices.shape, *(table.shape for table in tables))
    count, dtype = len(tables), tables[0].dtype
    parts = [xp.real(table) if dtype.kind == "c" else table for table in tables]
    rows = xp.stack([xp.broadcast_to(xp.cast(table, "int32"), whole) for table in parts])
    inside = indices % count if wrap else xp.clip(indices, 0, count - 1)
    inside = xp.cast(xp.broadcast_to(inside, whole), "int64")
    return xp.cast(xp.take_along_axis(rows, xp.expand_dims(inside, 0), 0)[0], dtype)


@public("mint.index_select")
@shapes_first
@checked
def mint_index_select(input: Anything, dim: Int, index: Index):
    """Selects the slices of the input at indices along an axis.

    Args:
        input (Tensor): any shape.
        dim (int): the axis.
        index (Tensor): int32 or int64 indices, along one axis.

    Returns:
        Tensor of the dtype of `input`, with one slice along `dim` for each index.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if the input has no such axis, `index` does not have one axis, or an index is
            out of range.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.mint.index_select(ms.Tensor([[1, 2], [3, 4]]), 1, ms.Tensor([1])))
        [[2]
         [4]]

    Source: mindspore.mint.index_select of MindSpore 2.10.
    """
    if index.ndim != 1:
        raise ValueError(
            f"For 'index_select', 'index' must have one axis, but got shape {index.shape}."
        )
    if not -input.ndim <= dim < input.ndim:
        raise ValueError(
            f"For 'index_select', 'dim' must be in [{-input.ndim}, {input.ndim}), but got {dim}."
        )
    return slices_at.run(input, index, dim)


@op(compute="native")
def slices_at(xp, input: Anything, index: Index, dim: Int):
    """Selects the slices of the input at indices along an axis."""
    return xp.take(input, index, dim)
