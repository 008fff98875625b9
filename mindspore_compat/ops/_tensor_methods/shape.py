"""Methods of Tensor that change its shape and have several signatures, such as `transpose(dim0,
dim1)` and `transpose(*axes)`. The ops are in `_shape`.

`reshape`, `view` and similar methods accept ints, one tuple, or the shape as a keyword. Because
they are called often, they check their arguments themselves instead of resolving overloads.
"""

import math

from ..._core.declare.op import space_for
from ..._core.declare.overloads import form
from ..._core.declare.public_api import public
from ..._core.rules.comparisons import Instead
from ..._core.rules.vocabulary import DType, Int, InTensor, Str, TensorOf
from ..._core.tensor import dtype as dtypes
from ..._core.tensor.tensor import Tensor
from .._elementwise import cast
from .._rules import Anything, Ints
from .._shape import diagonal as diagonal_ops
from .._shape import flip_roll, join_split, slice_stack
from .._shape import repeat as repeat_ops
from .._shape import reshape as reshape_ops
from .._shape import transpose as transpose_ops
from .._shape.axes import along_one, axes_along

# Shapes -------------------------------------------------------------------------------------------


def _from_keyword(api, keyword, values, keywords):
    """Returns the shape, given as a keyword: `x.reshape(shape=(4, 3))`."""
    if values or keywords.keys() != {keyword}:
        raise TypeError(
            f"For '{api}', the shape must be given as ints, a tuple or '{keyword}', "
            f"but got {values} and {keywords}."
        )
    return (keywords[keyword],)


@public("Tensor.reshape")
def reshape(self, *shape, **named):
    """Reshapes the Tensor; the new shape is given as ints or as one tuple.

    Args:
        *shape (Union[int, tuple[int], list[int], Tensor]): the new shape; one length may be -1.
        **named: `shape` (Union[int, tuple[int], list[int], Tensor]), the shape by keyword.

    Raises:
        TypeError: if a length is not an int, or if `named` has another key.
        ValueError: if the number of elements does not fit the shape.

    Source: mindspore.Tensor.reshape of MindSpore 2.10.
    """
    if named:
        shape = _from_keyword("Tensor.reshape", "shape", shape, named)
    return reshape_ops.reshaped("Tensor.reshape", self, shape)


@public("Tensor.view")
def view(self, *shape, **named):
    """Returns a view of the same memory: with another shape, `view(*shape)`, or another dtype,
    `view(dtype)`.

    Args:
        *shape (Union[int, tuple[int], list[int], Tensor, mindspore.dtype]): the shape or dtype.
        **named: `shape` (Union[int, tuple[int], list[int], Tensor]) or `dtype` (mindspore.dtype),
            the same by keyword.

    Raises:
        TypeError: if the arguments are neither a shape nor a dtype, or if `named` has another key.
        ValueError: if the number of elements does not fit the shape; or, for a dtype of another
            size, if the Tensor has no axis, its last axis is not contiguous, or its bytes are not a
            whole number of elements.

    Source: mindspore.Tensor.view of MindSpore 2.10.
    """
    if not shape and "dtype" in named and len(named) == 1:
        shape = (named["dtype"],)
    elif named or not shape:
        shape = _from_keyword("Tensor.view", "shape", shape, named)
    if len(shape) == 1 and isinstance(shape[0], dtypes.Type):
        return _as_dtype(self, dtypes.to_numpy(shape[0]))
    return reshape_ops.reshaped("Tensor.view", self, shape)


def _as_dtype(self, dtype):
    """Returns the bytes of a Tensor as elements of another dtype."""
    array = self._array
    old, new = array.dtype.itemsize, dtype.itemsize
    if old != new and (not array.ndim or array.strides[-1] != old or array.shape[-1] * old % new):
        raise ValueError(
            f"For 'Tensor.view', 'dtype' must have elements of {old} bytes, or the "
            f"last axis must be contiguous and hold a whole number of them, but got "
            f"{dtype} for shape {self.shape} and steps of {array.strides} bytes."
        )
    return Tensor._wrap(array.view(dtype))


@public("Tensor.reshape_as")
def reshape_as(self, other):
    """Reshapes the Tensor to the shape of `other`.

    Raises:
        AttributeError: if `other` is not a Tensor.
        ValueError: if `other` has a different number of elements.
    """
    if not isinstance(other, Tensor):
        Instead(Anything, AttributeError).refuse("Tensor.reshape_as", "other", other)
    return reshape_ops.reshaped("Tensor.reshape_as", self, (other.shape,))


@public("Tensor.view_as")
def view_as(self, other):
    """Reshapes the Tensor to the shape of `other`.

    Raises:
        TypeError: if `other` is not a Tensor.
        ValueError: if `other` has a different number of elements.
    """
    Anything.refuse("Tensor.view_as", "other", other)
    return reshape_ops.reshaped("Tensor.view_as", self, (other.shape,))


@public("Tensor.broadcast_to")
def broadcast_to(self, *shape, **named):
    """Broadcasts the Tensor to a shape, given as ints or as one tuple; -1 keeps the length of an
    axis.

    Args:
        *shape (Union[int, tuple[int], list[int], Tensor]): the new shape.
        **named: `shape` (Union[int, tuple[int], list[int], Tensor]), the shape by keyword.

    Raises:
        TypeError: if a length is not an int, or if `named` has another key.
        ValueError: if the Tensor cannot be broadcast to the shape.

    Source: mindspore.Tensor.broadcast_to of MindSpore 2.10.
    """
    if named:
        shape = _from_keyword("Tensor.broadcast_to", "shape", shape, named)
    return repeat_ops.broadcast_to.run(self, reshape_ops.shape_of("Tensor.broadcast_to", shape))


@public("Tensor.expand")
def expand(self, *size, **named):
    """Broadcasts the Tensor to a size; see `Tensor.broadcast_to`.

    Args:
        *size (Union[int, tuple[int], list[int], Tensor]): the new shape.
        **named: `size` (Union[int, tuple[int], list[int], Tensor]), the size by keyword.

    Raises:
        TypeError: if a length is not an int, or if `named` has another key.
        ValueError: if the Tensor cannot be broadcast to the size.
    """
    if named:
        size = _from_keyword("Tensor.expand", "size", size, named)
    return repeat_ops.broadcast_to.run(self, reshape_ops.shape_of("Tensor.expand", size))


@form("Tensor.expand_as")
def expand_as(self, other: Anything):
    """Broadcasts the Tensor to the shape of another Tensor.

    Source: mindspore.Tensor.expand_as of MindSpore 2.10.
    """
    return repeat_ops.broadcast_to.run(self, other.shape)


@form("Tensor.expand_as")
def expand_as_x(self, x: Anything):
    """Broadcasts the Tensor to the shape of `x`."""
    return repeat_ops.broadcast_to.run(self, x.shape)


@public("Tensor.tile")
def tile(self, *reps, **named):
    """Tiles the Tensor: repeats it along each axis; the numbers of repeats are ints or one tuple.

    Args:
        *reps (Union[int, tuple[int], Tensor]): the numbers of repeats.
        **named: `reps` (Union[tuple[int], Tensor]) or `dims` (Union[tuple[int], Tensor]), the
            numbers by keyword.

    Raises:
        TypeError: if a number is not an int, or if `named` has another key.
        ValueError: if a number is negative.

    Source: mindspore.Tensor.tile of MindSpore 2.10.
    """
    if named:
        reps = _from_keyword("Tensor.tile", "dims" if "dims" in named else "reps", reps, named)
        if isinstance(reps[0], int):
            raise TypeError(
                f"For 'Tensor.tile', the counts must be a tuple where they are named, "
                f"but got {reps[0]}."
            )
    if not reps or isinstance(reps[0], list):
        raise TypeError(
            "For 'Tensor.tile', the counts must be ints or one tuple, but got "
            f"{reps[0] if reps else 'none'}."
        )
    return repeat_ops.tile.run(self, _counts("Tensor.tile", reps))


@public("Tensor.repeat")
def repeat(self, *repeats, **named):
    """Repeats the Tensor along each axis, as `Tensor.tile`.

    With the keyword `axis`, as in releases before 2.5, it repeats elements, as
    `Tensor.repeat_interleave`.

    Args:
        *repeats (Union[int, tuple[int], list[int], Tensor]): the numbers of repeats.
        **named: `repeats` (Union[int, tuple[int], list[int], Tensor]), the numbers by keyword, and
            `axis` (Union[int, None]).

    Raises:
        TypeError: if a number is not an int, or if `named` has another key.
        ValueError: if a number is negative.
    """
    if "axis" in named:
        return _repeat_along(self, repeats, **named)
    if named:
        repeats = _from_keyword("Tensor.repeat", "repeats", repeats, named)
    return repeat_ops.tile.run(self, _counts("Tensor.repeat", repeats))


def _repeat_along(self, counts, axis, **keywords):
    if keywords:
        counts = _from_keyword("Tensor.repeat", "repeats", counts, keywords)
    if len(counts) != 1:
        raise TypeError(
            f"For 'Tensor.repeat' with 'axis', 'repeats' must be one argument, but got {counts}."
        )
    axis = None if axis is None else axes_along("Tensor.repeat", "axis", axis, self)
    return repeat_ops._repeat("Tensor.repeat", self, counts[0], axis)


def _counts(api, repeats):
    counts = reshape_ops.shape_of(api, repeats)
    if min(counts, default=0) < 0:
        raise ValueError(f"For '{api}', the counts must not be negative, but got {counts}.")
    return counts


@form("Tensor.repeat_interleave")
def repeat_interleave(
    self,
    repeats: Int | Ints | TensorOf("int32", "int64"),
    dim: Int = None,
    *,
    output_size: Int = None,
):
    """Repeats every element along an axis; without an axis, every element of the flattened Tensor.

    Args:
        repeats (Union[int, tuple[int], list[int], Tensor]): the number of repeats, one for all
            elements or one per element.
        dim (int): the axis.
        output_size (int): the expected length of the result along the axis.

    Raises:
        ValueError: if a number is negative, or `output_size` differs from the actual length.

    Source: mindspore.Tensor.repeat_interleave of MindSpore 2.10.
    """
    axis = None if dim is None else axes_along("Tensor.repeat_interleave", "dim", dim, self)
    out = repeat_ops._repeat("Tensor.repeat_interleave", self, repeats, axis)
    if output_size is not None and out.shape[axis or 0] != output_size:
        raise ValueError(
            f"For 'Tensor.repeat_interleave', 'output_size' must be "
            f"{out.shape[axis or 0]}, but got {output_size}."
        )
    return out


@form("Tensor.flatten")
def flatten(self, start_dim: Int = 0, end_dim: Int = -1):
    """Flattens the axes from `start_dim` to `end_dim` into one; all of them by default.

    Source: mindspore.Tensor.flatten of MindSpore 2.10.
    """
    return reshape_ops.flatten(self, start_dim=start_dim, end_dim=end_dim)


@form("Tensor.flatten")
def flatten_in_order(self, order: Str = "C", *, start_dim: Int = 0, end_dim: Int = -1):
    """Flattens the axes; `order` "F" reads columns first."""
    return reshape_ops.flatten(self, order, start_dim=start_dim, end_dim=end_dim)


@form("Tensor.unsqueeze")
def unsqueeze(self, dim: InTensor(Int)):
    """Adds a new axis of length 1.

    Source: mindspore.Tensor.unsqueeze of MindSpore 2.10.
    """
    return reshape_ops.expand_dims.run(self, dim)


@form("Tensor.unsqueeze")
def unsqueeze_axis(self, axis: InTensor(Int)):
    """Adds a new axis of length 1 at `axis`."""
    return reshape_ops.expand_dims.run(self, axis)


# Parts --------------------------------------------------------------------------------------------


@form("Tensor.split")
def split(self, split_size: Int | Ints, dim: Int = 0):
    """Splits the Tensor along an axis into parts of one length, or of the given lengths.

    Source: mindspore.Tensor.split of MindSpore 2.10.
    """
    return join_split._split("Tensor.split", self, split_size, dim)


@form("Tensor.split")
def split_sections(self, split_size_or_sections: Int | Ints, axis: Int = 0):
    """Splits the Tensor along `axis` into parts of one length, or of the given lengths."""
    return join_split._split("Tensor.split", self, split_size_or_sections, axis)


@form("Tensor.chunk")
def chunk(self, chunks: Int, dim: Int = 0):
    """Splits the Tensor into at most `chunks` parts of equal length along an axis; the last may be
    shorter.

    Source: mindspore.Tensor.chunk of MindSpore 2.10.
    """
    return _chunk("dim", self, chunks, dim)


@form("Tensor.chunk")
def chunk_axis(self, chunks: Int, axis: Int = 0):
    """Splits the Tensor along `axis` into at most `chunks` parts of equal length."""
    return _chunk("axis", self, chunks, axis)


def _chunk(name, self, chunks, axis):
    if chunks < 1:
        raise ValueError(f"For 'Tensor.chunk', 'chunks' must be an int >= 1, but got {chunks}.")
    return join_split.chunk.run(self, chunks, along_one("Tensor.chunk", name, axis, self))


@form("Tensor.narrow")
def narrow(self, dim: Int, start: Int, length: Int):
    """Narrows an axis to `length` elements from `start` on; the result shares memory.

    Source: mindspore.Tensor.narrow of MindSpore 2.10.
    """
    return _slice_of_axis("dim", self, dim, start, length)


@form("Tensor.narrow")
def narrow_axis(self, axis: Int, start: Int, length: Int):
    """Narrows the axis `axis` to `length` elements from `start` on; the result shares memory."""
    return _slice_of_axis("axis", self, axis, start, length)


def _slice_of_axis(name, self, axis, start, length):
    axis = axes_along("Tensor.narrow", name, axis, self) or 0
    size = self.shape[axis] if self.ndim else 1
    if not -size <= start <= size:
        raise ValueError(
            f"For 'Tensor.narrow', 'start' must be in [{-size}, {size}], but got {start}."
        )
    start = start + size if start < 0 else start
    if not 1 <= length <= size - start:
        raise ValueError(
            f"For 'Tensor.narrow', 'length' must be in [1, {size - start}], but got {length}."
        )
    return slice_stack.narrow.run(self, axis, start, length)


# Order of axes and elements -----------------------------------------------------------------------


@public("Tensor.transpose")
def transpose(self, *axes, **named):
    """Swaps two axes, `transpose(dim0, dim1)`, or permutes all axes, `transpose(*axes)`, given as
    ints or one tuple. Without axes, their order is reversed.

    Args:
        *axes (Union[int, tuple[int], list[int], Tensor]): two axes, or all in their new order.
        **named: `axes` (Union[tuple[int], list[int]]), the order by keyword, or `dim0` (int) and
            `dim1` (int), the two axes.

    Raises:
        TypeError: if an axis is not an int, or if `named` has another key.
        ValueError: if an axis is out of range, or the axes are not a permutation.

    Source: mindspore.Tensor.transpose of MindSpore 2.10.
    """
    if named and named.keys() == {"dim0", "dim1"} or "dim1" in named and len(axes) == 1:
        axes = (*axes, *(named[name] for name in ("dim0", "dim1")[len(axes) :]))
    elif named:
        return _permute(
            "Tensor.transpose", self, _from_keyword("Tensor.transpose", "axes", axes, named)
        )
    if len(axes) == 2:
        first, second = (
            axes_along("Tensor.transpose", name, axis, self)
            for name, axis in zip(
                ("dim0", "dim1"), reshape_ops.shape_of("Tensor.transpose", axes), strict=True
            )
        )
        return self if first is None else transpose_ops.swapaxes.run(self, first, second)
    return _permute("Tensor.transpose", self, axes)


@public("Tensor.permute")
def permute(self, *dims, **named):
    """Permutes the axes to the given order, as ints or one tuple; None reverses the order.

    Args:
        *dims (Union[int, tuple[int], list[int], Tensor, None]): the axes in their new order.
        **named: `dims` (Union[tuple[int], list[int], None]) or
            `axis` (Union[tuple[int], list[int], None]), the order by keyword.

    Raises:
        TypeError: if an axis is not an int, or if `named` has another key.
        ValueError: if an axis is out of range, or the axes are not a permutation.

    Source: mindspore.Tensor.permute of MindSpore 2.10.
    """
    if named:
        dims = _from_keyword("Tensor.permute", "axis" if "axis" in named else "dims", dims, named)
    return _permute("Tensor.permute", self, dims)


def _permute(api, self, axes):
    if not axes or len(axes) == 1 and axes[0] is None:
        axes = tuple(reversed(range(self.ndim)))
    if len(axes) == 1 and isinstance(axes[0], Tensor) and axes[0].ndim:
        raise TypeError(f"For '{api}', the axes must be ints, but got {axes[0]!r}.")
    axes = reshape_ops.shape_of(api, axes)
    if len(axes) != self.ndim:
        raise ValueError(
            f"For '{api}', the axes must name each of the {self.ndim} axes once, but got {axes}."
        )
    return transpose_ops.transpose.run(self, axes_along(api, "axes", axes, self) or ())


@form("Tensor.flip")
def flip(self, dims: Ints):
    """Reverses the order of the elements along the given axes.

    Source: mindspore.Tensor.flip of MindSpore 2.10.
    """
    return flip_roll.flip.run(self, axes_along("Tensor.flip", "dims", tuple(dims), self) or ())


@form("Tensor.reverse")
def reverse(self, axis: Ints):
    """Reverses the order of the elements along the given axes.

    Source: mindspore.Tensor.reverse of MindSpore 2.10.
    """
    return flip_roll.flip.run(self, axes_along("Tensor.reverse", "axis", tuple(axis), self) or ())


@form("Tensor.diagonal")
def diagonal(self, offset: Int = 0, axis1: Int = 0, axis2: Int = 1):
    """Extracts the diagonal over two axes, along a new last axis; the result shares memory.

    Source: mindspore.Tensor.diagonal of MindSpore 2.10.
    """
    return diagonal_ops.diagonal.run(self, offset, axis1, axis2)


@form("Tensor.trace")
def trace(self, offset: Int = 0, axis1: Int = 0, axis2: Int = 1, dtype: DType = None):
    """Computes the traces, the sums of the diagonals over two axes; integers are summed in int64,
    unless a dtype is given.

    Source: mindspore.Tensor.trace of MindSpore 2.10.
    """
    if self.ndim < 2:
        raise ValueError(
            f"For 'Tensor.trace', the Tensor must have two axes, but got shape {self.shape}."
        )
    if dtype is None and self._array.dtype.kind in "iu":
        dtype = dtypes.int64
    self = self if dtype is None else cast.cast.run(self, dtypes.to_numpy(dtype))
    return diagonal_ops.trace_along.run(self, offset, axis1, axis2)


@form("Tensor.diag")
def diag(self):
    """Writes the elements on the diagonal of an array with twice the number of axes, with zeros
    elsewhere.

    Source: mindspore.Tensor.diag of MindSpore 2.10.
    """
    return diagonal_ops.diag.run(self)


@form("Tensor.diag")
def diag_at(self, diagonal: Int):
    """Builds a matrix with a vector on a diagonal, or extracts a diagonal of a matrix."""
    if self.ndim not in (1, 2):
        raise ValueError(
            f"For 'Tensor.diag', the Tensor must have one or two axes, but got shape {self.shape}."
        )
    return diagonal_ops.vector_diag.run(self, diagonal)


@public("Tensor.resize")
def tensor_resize(self, *new_shape):
    """Resizes the Tensor: takes the elements in row-major order, and crops them or appends zeros.

    Args:
        *new_shape (Union[int, tuple[int], list[int], Tensor]): the new shape.

    Source: mindspore.Tensor.resize of MindSpore 2.10.
    """
    shape = reshape_ops.shape_of("resize", new_shape)
    flat, count = reshape_ops.reshape_array.run(self, (-1,)), math.prod(shape)
    if count > self.size:
        filler = space_for(self._array).zeros(count - self.size, self._array.dtype)
        flat = join_split.cat.run([flat, Tensor._wrap(filler)], 0)
    return reshape_ops.reshape_array.run(flat[:count], shape)
