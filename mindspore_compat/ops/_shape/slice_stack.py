"""Diagonals, grids, slices by numbers, stacks and splits by name, reversed sequences.

The plain shape operations (reshape, transpose, concat, ...) are in _shape/reshape.py, indexing in
_indexing/getitem.py, padding in _shape/pad.py.
"""

import itertools

from ..._core.declare.op import op
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import (
    Any,
    Bool,
    DType,
    Float,
    Int,
    InTensor,
    ListOf,
    Number,
    OneOf,
    ScalarOf,
    Str,
    TensorOf,
    TupleOf,
    any_dtype,
    checked,
    number,
    real,
)
from ..._core.tensor import dtype as dtypes
from ..._core.tensor.tensor import Tensor
from .._indexing.getitem import argwhere
from . import create
from .axes import axis_of
from .reshape import Several, cat, expand_dims, reshape_array, stack

Anything = TensorOf(any_dtype)
Ints = TupleOf(Int) | ListOf(Int)
Index = TensorOf("int32", "int64")
Scalar, Mask = ScalarOf(Int), ScalarOf(Int(ge=0))
Places = InTensor(Ints)
Reals = TensorOf(real - {"bfloat16"})
Numbers = TensorOf(number - {"bfloat16"})


# Diagonals ----------------------------------------------------------------------------------------


@op("ops.diagonal(input, offset=0, dim1=0, dim2=1)",
    "mint.diagonal(input, offset=0, dim1=0, dim2=1)", widen=False)
def diagonal(xp, input: Anything, offset: Scalar = 0, dim1: Scalar = 0, dim2: Scalar = 1):
    """The diagonal over two axes, along a new last axis."""
    return xp.diagonal(input, offset, dim1, dim2)


@op("ops.diag_embed(input, offset=0, dim1=-2, dim2=-1)", widen=False)
def diag_embed(xp, input: Reals, offset: Int = 0, dim1: Int = -2, dim2: Int = -1):
    """Zeros with the last axis of the input on the diagonal of two new axes."""
    count = input.shape[-1] + (offset if offset >= 0 else -offset)
    if not count:
        raise ValueError("For 'diag_embed', 'input' must have elements along its last axis.")
    rank = input.ndim + 1
    one, two = dim1 % rank, dim2 % rank
    if one == two:
        raise ValueError(f"For 'diag_embed', 'dim1' and 'dim2' must differ, but got {dim1} and "
                         f"{dim2}.")
    made = xp.spread_diagonal(input, (*input.shape[:-1], count, count), offset, -2, -1)
    return xp.moveaxis(made, (-2, -1), (one, two))


@op("ops.diag(input)", "ops.Diag()(input)", widen=False)
def diag(xp, input: Anything):
    """Zeros of the input's shape twice over, with the input where both halves of the place
    agree."""
    size = input.size
    flat = xp.spread_diagonal(xp.reshape(input, (size,)), (size, size))
    return xp.reshape(flat, (*input.shape, *input.shape))


@op("mint.diag(input, diagonal=0)", widen=False)
def vector_diag(xp, input: Anything, diagonal: Int = 0):
    """A matrix with a vector on its diagonal, or the diagonal of a matrix."""
    if input.ndim == 2:
        return xp.diagonal(input, diagonal)
    count = input.shape[0] + (diagonal if diagonal >= 0 else -diagonal)
    return xp.spread_diagonal(input, (count, count), diagonal)


@op("ops.diagflat(input, offset=0)", "Tensor.diagflat(offset=0)", widen=False)
def diagflat(xp, input: Anything, offset: Int | Bool = 0):
    """A matrix with all elements of the input on its diagonal."""
    flat = xp.ravel(input)
    count = flat.shape[0] + (offset if offset >= 0 else -offset)
    return xp.spread_diagonal(flat, (count, count), offset)


@op("ops.DiagPart()(input_x)", widen=False)
def diag_part(xp, input_x: TensorOf("int32", "int64", "float16", "float32", "float64", "complex64",
                                      "complex128")):
    """The elements whose place agrees in both halves of the axes: what `ops.diag` spread out."""
    half = input_x.shape[:input_x.ndim // 2]
    size = 1
    for n in half:
        size *= n
    return xp.reshape(xp.diagonal(xp.reshape(input_x, (size, size))), half)


@op("ops.matrix_band_part(x, lower, upper)", "ops.MatrixBandPart()(x, lower, upper)", widen=False)
def matrix_band_part(xp, x: Anything, lower: Int | Index, upper: Int | Index):
    """Each matrix within `lower` diagonals below and `upper` above the main one; negative keeps
    all."""
    rows = xp.expand_dims(xp.arange(x.shape[-2]), 1)
    columns = xp.expand_dims(xp.arange(x.shape[-1]), 0)
    keep = ((lower < 0) | (rows - columns <= lower)) & ((upper < 0) | (columns - rows <= upper))
    return xp.where(keep, x, xp.zeros_like(x))


@op("ops.diagonal_scatter(input, src, offset=0, dim1=0, dim2=1)",
    "Tensor.diagonal_scatter(src, offset=0, dim1=0, dim2=1)", widen=False, promote="input src")
def diagonal_scatter(xp, input: Anything, src: Anything, offset: Scalar = 0, dim1: Scalar = 0,
                     dim2: Scalar = 1):
    """The input with another diagonal over two axes."""
    wanted = xp.diagonal(input, offset, dim1, dim2).shape
    if tuple(src.shape) != tuple(wanted):
        raise ValueError(f"For 'diagonal_scatter', 'src' must have shape {tuple(wanted)}, but got "
                         f"{tuple(src.shape)}.")
    here = xp.spread_diagonal(xp.ones(src.shape, "bool"), input.shape, offset, dim1, dim2)
    return xp.where(here, xp.spread_diagonal(src, input.shape, offset, dim1, dim2), input)


Diagonals = TensorOf("int8", "int16", "int32", "int64", "uint8", "float16", "float32", "float64")


@op("Tensor.fill_diagonal(fill_value, wrap=False)", "Tensor.fill_diagonal_(fill_value, wrap=False)",
    "ops.FillDiagonal(fill_value, wrap=False)(input_x: input)", widen=False,
    rules={"Tensor.fill_diagonal": {"input": Diagonals, "fill_value": Float},
           "ops.FillDiagonal": {"input": Diagonals, "fill_value": Float}})
def fill_diagonal(xp, input: Anything, fill_value: Number, wrap: Bool = False):
    """The input with one number on the diagonal; with `wrap` a tall matrix has it again below."""
    if input.ndim < 2 or input.ndim > 2 and len(set(input.shape)) > 1:
        raise ValueError(f"For 'fill_diagonal', 'input' must have two axes, or more of one length, "
                         f"but got {input.shape}.")
    columns = input.shape[-1]
    step = sum(columns ** k for k in range(input.ndim))
    flat = xp.arange(input.size)
    hit = flat % step == 0
    if input.ndim == 2 and not wrap:
        hit = hit & (flat < columns * columns)
    return xp.where(xp.reshape(hit, input.shape), xp.cast(xp.asarray(fill_value), input.dtype),
                    input)


def _indices(name, keep):
    @checked
    def make(row, col, offset=0, *, dtype: DType("int32", "int64") = dtypes.int64):
        for label, value in (("row", row), ("col", col), ("offset", offset)):
            if isinstance(value, bool) or not isinstance(value, int):
                raise TypeError(f"For '{name}', '{label}' must be an int, but got {value!r}.")
        if row < 0 or col < 0:
            raise ValueError(f"For '{name}', 'row' and 'col' must not be negative, but got {row} "
                             f"and {col}.")
        rows = reshape_array.run(create.arange(row), (row, 1))
        columns = reshape_array.run(create.arange(col), (1, col))
        mask = keep(columns - rows, offset)
        found = argwhere.run(mask).T
        return found.astype(dtype)

    make.__name__ = name
    make.__doc__ = "The positions of a triangle of a row x col matrix, as two rows of int64."
    return public(f"ops.{name}", f"mint.{name}")(make)


tril_indices = _indices("tril_indices", lambda gap, offset: gap <= offset)
triu_indices = _indices("triu_indices", lambda gap, offset: gap >= offset)


# Grids and products -------------------------------------------------------------------------------


@op(widen=False)
def grids(xp, inputs: Several, indexing: Str):
    """The coordinates of a grid spanned by vectors."""
    swap = indexing == "xy" and len(inputs) > 1
    vectors = [inputs[1], inputs[0], *inputs[2:]] if swap else list(inputs)
    shape = tuple(v.shape[0] if v.ndim else 1 for v in vectors)
    made = []
    for i, vector in enumerate(vectors):
        view = (1,) * i + (shape[i],) + (1,) * (len(shape) - i - 1)
        made.append(xp.broadcast_to(xp.reshape(vector, view), shape))
    return tuple([made[1], made[0], *made[2:]] if swap else made)


def _meshgrid(inputs, indexing):
    if not isinstance(indexing, str) or indexing not in ("xy", "ij"):
        error = ValueError if isinstance(indexing, str) else TypeError
        raise error(f"For 'meshgrid', 'indexing' must be 'xy' or 'ij', but got {indexing!r}.")
    for one in inputs:
        if not isinstance(one, Tensor):
            raise TypeError(f"For 'meshgrid', 'inputs' must be Tensors, but got "
                            f"{type(one).__name__}.")
        if one.ndim > 1:
            raise ValueError(f"For 'meshgrid', 'inputs' must have one axis, but got shape "
                             f"{one.shape}.")
    return grids.run(inputs, indexing)


@public("ops.meshgrid")
def meshgrid(*inputs, indexing="xy"):
    """The coordinates of the grid that vectors span.

    Args:
        *inputs (Tensor): vectors.
        indexing (str): "xy" (the first vector along columns) or "ij" (along rows). Default: "xy".

    Raises:
        TypeError: if `indexing` is not a str, or an input not a Tensor.
        ValueError: if `indexing` is neither, or an input has more than one axis.

    Source: mindspore.ops.meshgrid of MindSpore 2.10.
    """
    return _meshgrid(inputs, indexing)


@public("mint.meshgrid")
def mint_meshgrid(*tensors, indexing=None):
    """The coordinates of the grid that vectors span; "ij" by default."""
    return _meshgrid(tensors, "ij" if indexing is None else indexing)


@public("ops.Meshgrid")
class Meshgrid:
    """The class form of `ops.meshgrid`: `ops.Meshgrid(indexing)(vectors)`."""

    @checked
    def __init__(self, indexing: OneOf("xy", "ij") = "xy"):
        self.indexing = indexing

    @checked
    def __call__(self, inputs: Several):
        return _meshgrid(tuple(inputs), self.indexing)


@public("ops.cartesian_prod")
def cartesian_prod(*inputs):
    """All combinations of one element of each vector, one row for each."""
    if len(inputs) == 1:
        return inputs[0]
    columns = [g.reshape(-1) for g in _meshgrid(inputs, "ij")]
    return stack.run(columns, -1)


@public("ops.combinations")
@checked
def combinations(input: Anything, r: Int(ge=1) = 2, with_replacement: Any = False):
    """All choices of r elements of a vector, one row for each."""
    if input.ndim != 1:
        raise ValueError(f"For 'combinations', 'input' must have one axis, but got shape "
                         f"{input.shape}.")
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    rows = list(choose(range(input.shape[0]), r))
    return input[Tensor(rows)] if rows else create.zeros((0, r), input.dtype)


@op("ops.vander(x, N=None)", "Tensor.vander(N=None)")
def vander(xp, x: Anything, N: Int(ge=1) | Bool | None = None):
    """The powers N-1, ..., 1, 0 of each element, one row for each; of integers as int64."""
    if x.ndim != 1 or not x.shape[0]:
        raise ValueError(f"For 'vander', 'x' must be a vector with elements, but got shape "
                         f"{tuple(x.shape)}.")
    count = x.shape[0] if N is None else N
    x = xp.cast(x, "int64") if x.dtype.kind in "iub" else x
    return xp.power(xp.expand_dims(x, 1), xp.cast(xp.arange(count - 1, -1, -1), x.dtype))


@op(widen=False)
def blocks_on_diagonal(xp, inputs: Several):
    """The matrices along the diagonal of one, zeros elsewhere."""
    blocks = [xp.reshape(b, (1,) * (2 - b.ndim) + tuple(b.shape)) for b in inputs]
    width = sum(b.shape[1] for b in blocks)
    rows, start = [], 0
    for block in blocks:
        after = width - start - block.shape[1]
        rows.append(xp.pad(block, ((0, 0), (start, after))))
        start += block.shape[1]
    return xp.concatenate(rows, 0)


@public("ops.block_diag", "mint.block_diag")
def block_diag(*inputs):
    """The matrices along the diagonal of one, zeros elsewhere; vectors are rows."""
    return blocks_on_diagonal.run(inputs)


# Slices by numbers --------------------------------------------------------------------------------


@op("ops.slice(input_x, begin, size)", "ops.Slice()(input: input_x, begin, size)", widen=False)
def slice_(xp, input_x: Anything, begin: Places, size: Places):
    """The part of `size` from `begin`; a size of -1 reaches to the end."""
    if not input_x.ndim == len(begin) == len(size):
        raise ValueError(f"For 'slice', 'begin' and 'size' must have {input_x.ndim} numbers each, "
                         f"but got {begin}, {size}.")
    index = []
    for axis, (first, count) in enumerate(zip(begin, size)):
        last = input_x.shape[axis] if count == -1 else first + count
        if first < 0 or last > input_x.shape[axis]:
            raise ValueError(f"For 'slice', 'begin' and 'size' must stay within {input_x.shape}, "
                             f"but got {begin}, {size}.")
        index.append(slice(first, last))
    return input_x[tuple(index)]


@op("ops.strided_slice(input_x, begin, end, strides, begin_mask=0, end_mask=0, ellipsis_mask=0, "
    "new_axis_mask=0, "
    "shrink_axis_mask=0)",
    "ops.StridedSlice(begin_mask=0, end_mask=0, ellipsis_mask=0, new_axis_mask=0, "
    "shrink_axis_mask=0)"
    "(input_x, begin, end, strides)", widen=False)
def strided_slice(xp, input_x: Anything, begin: Places, end: Places, strides: Places,
                  begin_mask: Mask = 0, end_mask: Mask = 0, ellipsis_mask: Mask = 0,
                  new_axis_mask: Mask = 0, shrink_axis_mask: Mask = 0):
    """The part from `begin` to `end` in steps; bit i of a mask changes what entry i means."""
    if not len(begin) == len(end) == len(strides):
        raise ValueError(f"For 'strided_slice', 'begin', 'end' and 'strides' must have one length, "
                         f"but got {begin}, {end}, {strides}.")
    index = []
    for i, (first, last, step) in enumerate(zip(begin, end, strides)):
        bit = 1 << i
        if ellipsis_mask & bit:
            index.append(Ellipsis)
        elif new_axis_mask & bit:
            index.append(None)
        elif shrink_axis_mask & bit:
            index.append(first)
        elif step == 0:
            raise ValueError(f"For 'strided_slice', 'strides' must not hold 0, but got {strides}.")
        else:
            index.append(slice(None if begin_mask & bit else first,
                               None if end_mask & bit else last, step))
    return input_x[tuple(index)]


@op("ops.narrow(input, axis, start, length)", widen=False)
def narrow(xp, input: Anything, axis: Int | Bool, start: Int(ge=0), length: Int(ge=1)):
    """`length` slices along an axis, from `start`."""
    return _narrowed(input, axis_of(axis, input), start, length)


@op("mint.narrow(input, dim: axis, start, length)", widen=False)
def mint_narrow(xp, input: Anything, axis: ScalarOf(Int, TypeError), start: InTensor(Int),
                length: ScalarOf(Int(ge=0), TypeError)):
    """`length` slices along an axis, from `start`, which counts from the end if it is negative."""
    axis = axis_of(axis, input)
    return _narrowed(input, axis, start + input.shape[axis] if start < 0 else start, length)


def _narrowed(input, axis, start, length):
    if not 0 <= start <= start + length <= input.shape[axis]:
        raise ValueError(f"For 'narrow', 'start' and 'length' must lie within the axis of length "
                         f"{input.shape[axis]}, but got {start} and {length}.")
    return input[(slice(None),) * axis + (slice(start, start + length),)]


@op("ops.select_scatter(input, src, axis, index)", "Tensor.select_scatter(src, axis, index)",
    widen=False, alike="input src")
def select_scatter(xp, input: Anything, src: Anything, axis: Int,
                   index: InTensor(Int | Bool, ValueError)):
    """The input with another slice at one place along an axis."""
    front = (slice(None),) * axis_of(axis, input)
    return xp.scatter_set(input, (*front, _fitting("select_scatter", input, src, front,
                                                   int(index))), src)


@op("ops.slice_scatter(input, src, axis=0, start=None, end=None, step=1)",
    "Tensor.slice_scatter(src, axis=0, start=None, end=None, step=1)", widen=False,
    alike="input src")
def slice_scatter(xp, input: Anything, src: Anything, axis: InTensor(Int, ValueError) = 0,
                  start: InTensor(Int | Bool, ValueError) = None,
                  end: InTensor(Int | Bool, ValueError) = None,
                  step: InTensor(Int(ge=1) | Bool, ValueError) = 1):
    """The input with other slices at steps along an axis."""
    front = (slice(None),) * axis_of(axis, input)
    return xp.scatter_set(input, (*front, _fitting("slice_scatter", input, src, front,
                                                   slice(start, end, step))), src)


def _fitting(api, input, src, front, place):
    """`place`, after a look whether `src` has the shape of what is there."""
    wanted = tuple(input[(*front, place)].shape)
    if tuple(src.shape) != wanted:
        raise ValueError(f"For '{api}', 'src' must have shape {wanted}, but got "
                         f"{tuple(src.shape)}.")
    return place


# Stacks and splits by name ------------------------------------------------------------------------


def _at_least(count, one):
    """A Tensor with at least `count` axes, placed as NumPy's atleast_1d, 2d and 3d place them."""
    if one.ndim >= count:
        return one
    if one.ndim == 0:
        return reshape_array.run(one, (1,) * count)
    if count == 2:
        return expand_dims.run(one, 0)
    return reshape_array.run(one, (1, one.shape[0], 1) if one.ndim == 1 else (*one.shape, 1))


def _atleast(count):
    def make(inputs):
        if isinstance(inputs, Tensor):
            return _at_least(count, inputs)
        return tuple(_at_least(count, one) for one in inputs)

    make.__name__ = f"atleast_{count}d"
    make.__doc__ = f"Tensors with at least {count} axes; new ones have length 1."
    return public(f"ops.atleast_{count}d")(make)


for _count in (1, 2, 3):
    _atleast(_count)


Joined = TupleOf(Anything, min_length=1) | ListOf(Anything, min_length=1)


@public("ops.hstack", "mint.hstack")
@checked
def hstack(tensors: Joined):
    """Tensors joined along the second axis, vectors along their only one."""
    held = [_at_least(1, t) for t in tensors]
    return cat.run(held, 0 if held[0].ndim == 1 else 1)


@public("ops.vstack", "mint.vstack")
@checked
def vstack(inputs: Joined):
    """Tensors joined along the first axis, vectors as rows."""
    return cat.run([_at_least(2, t) for t in inputs], 0)


@public("ops.row_stack", "mint.row_stack")
@checked
def row_stack(tensors: Joined):
    """`vstack` by its other name."""
    return vstack(tensors)


@public("ops.dstack", "mint.dstack")
@checked
def dstack(tensors: Joined):
    """Tensors joined along the third axis."""
    return cat.run([_at_least(3, t) for t in tensors], 2)


@public("ops.column_stack", "mint.column_stack")
@checked
def column_stack(tensors: Joined):
    """Tensors joined along the second axis, vectors as columns."""
    return cat.run([t if t.ndim > 1 else reshape_array.run(t, (-1, 1)) for t in tensors], 1)


@op(widen=False)
def parts_at(xp, input: Anything, edges: Any, axis: Int):
    """The parts of the input between edges."""
    return tuple(xp.split(input, list(edges), axis))


def _parts(api, input, indices_or_sections, axis):
    if not isinstance(input, Tensor):
        raise TypeError(f"For '{api}', 'input' must be a Tensor, but got {type(input).__name__}.")
    if isinstance(indices_or_sections, bool) or not isinstance(indices_or_sections,
                                                               (int, tuple, list)):
        raise TypeError(f"For '{api}', 'indices_or_sections' must be an int, tuple or list of "
                        f"ints, but got "
                        f"{indices_or_sections!r}.")
    if isinstance(indices_or_sections, int):
        if indices_or_sections < 1:
            raise ValueError(f"For '{api}', 'indices_or_sections' must be positive, but got "
                             f"{indices_or_sections}.")
        whole, rest = divmod(input.shape[axis], indices_or_sections)
        sizes = [whole + 1] * rest + [whole] * (indices_or_sections - rest)
        indices_or_sections = list(itertools.accumulate(sizes))[:-1]
    return parts_at.run(input, indices_or_sections, axis)


@public("ops.tensor_split", "Tensor.tensor_split")
@checked
def tensor_split(input: Anything, indices_or_sections: Any, axis: Int = 0):
    """So many parts as equal as can be along an axis, or the parts between the indices given."""
    return _parts("tensor_split", input, indices_or_sections, axis)


@public("mint.tensor_split")
@checked
def mint_tensor_split(input: Anything, indices_or_sections: Any, dim: Int = 0):
    """The parts along `dim`; see `ops.tensor_split`."""
    return _parts("tensor_split", input, indices_or_sections, dim)


def _split_by_name(name, axis, least):
    def make(input, indices_or_sections):
        if isinstance(input, Tensor) and input.ndim < least:
            raise ValueError(f"For '{name}', 'input' must have at least {least} axes, but got "
                             f"{input.ndim}.")
        return _parts(name, input, indices_or_sections, axis)

    make.__name__ = name
    make.__doc__ = f"The parts along axis {axis}; see `ops.tensor_split`."
    return public(f"ops.{name}", f"Tensor.{name}")(make)


_split_by_name("hsplit", 1, 2)
_split_by_name("vsplit", 0, 1)
_split_by_name("dsplit", 2, 3)


# Order --------------------------------------------------------------------------------------------


@op("ops.fliplr(input)", "Tensor.fliplr()", widen=False)
def fliplr(xp, input: Anything):
    """The second axis in reverse order."""
    return xp.array(xp.flip(input, 1))


@op("ops.flipud(input)", "Tensor.flipud()", widen=False)
def flipud(xp, input: Anything):
    """The first axis in reverse order."""
    return xp.array(xp.flip(input, 0))


@op("ops.rot90(input, k, dims)", "Tensor.rot90(k, dims)", "mint.rot90(input, k=1, dims=(0, 1))",
    widen=False)
def rot90(xp, input: Anything, k: Int | Bool, dims: Ints):
    """Turned k times by 90 degrees, from the first axis named toward the second; a RuntimeError
    where both are the same."""
    if len(dims) == 2 and abs(dims[0] - dims[1]) in (0, input.ndim):
        raise RuntimeError(f"For 'rot90', 'dims' must name two axes of the input, but got "
                           f"{tuple(dims)} for shape {tuple(input.shape)}.")
    return xp.array(xp.rot90(input, int(k), tuple(dims)))


@op("ops.t(input)", "Tensor.t()", widen=False)
def t(xp, input: Anything):
    """A matrix transposed; scalars and vectors as they are."""
    if input.ndim > 2:
        raise ValueError(f"For 't', 'input' must have at most two axes, but got shape "
                         f"{input.shape}.")
    return xp.swapaxes(input, 0, 1) if input.ndim == 2 else input


@op("ops.reverse_sequence(x, seq_lengths, seq_dim, batch_dim=0)",
    "ops.ReverseSequence(seq_dim, batch_dim=0)(x, seq_lengths)",
    "Tensor.reverse_sequence(seq_lengths, seq_dim=0, batch_dim=0)", widen=False)
def reverse_sequence(xp, x: Anything, seq_lengths: Index, seq_dim: Int(ge=0),
                     batch_dim: Int(ge=0) = 0):
    """Along `seq_dim`, the first seq_lengths[i] elements of row i of `batch_dim` in reverse
    order."""
    steps = xp.arange(x.shape[seq_dim])
    if bool(xp.any(seq_lengths < 0)):
        raise RuntimeError(f"For 'reverse_sequence', 'seq_lengths' must not be negative, but got "
                           f"{seq_lengths}.")
    lengths = xp.expand_dims(seq_lengths, 1)
    order = xp.where(steps < lengths, lengths - 1 - steps, steps)  # (batch, steps)
    view = [1] * x.ndim
    view[axis_of(batch_dim, x)], view[axis_of(seq_dim, x)] = x.shape[batch_dim], x.shape[seq_dim]
    order = order if axis_of(batch_dim, x) < axis_of(seq_dim, x) else xp.swapaxes(order, 0, 1)
    order = xp.broadcast_to(xp.reshape(order, tuple(view)), x.shape)
    return xp.take_along_axis(x, order, seq_dim)


@public("ops.sequence_mask")
@checked
def sequence_mask(lengths: Index, maxlen: Int(ge=1) | None = None):
    """True for the first lengths[i] of `maxlen` places (the longest by default), along a new last
    axis.

    Source: mindspore.ops.sequence_mask of MindSpore 2.10.
    """
    count = int(lengths._array.max()) if maxlen is None else maxlen
    return create.arange(count) < expand_dims.run(lengths, -1)
