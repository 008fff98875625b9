"""Bands of diagonals: matrices from them, out of them, and with them replaced; traces.

A band is the diagonals k[0] to k[1]; they are given from the highest down, one per row, and short
ones are padded on the side that `align` names ("RIGHT_LEFT": those above the main diagonal stand to
the right, those below to the left). The plain diagonals are here as well.
"""

import numpy

from ..._core.declare.inputs import Promote, Quirks
from ..._core.declare.op import op
from ..._core.declare.public_api import public
from ..._core.rules.base import show
from ..._core.rules.vocabulary import (
    Any,
    AsValue,
    Bool,
    Float,
    Int,
    Number,
    OneDtype,
    OneOf,
    ScalarOf,
    TensorOf,
    any_dtype,
    checked,
    number,
    real,
)
from ..._core.tensor.tensor import Tensor
from .._rules import Anything, Index, RealsOrBools, Several
from ..primitive import Primitive

Scalar, Mask = ScalarOf(Int), ScalarOf(Int(ge=0))
RealsOfNumPy = TensorOf(real - {"bfloat16"})
Diagonals = TensorOf("int8", "int16", "int32", "int64", "uint8", "float16", "float32", "float64")

NumbersOfNumPy = TensorOf(number - {"bfloat16"})
Filling = AsValue(RealsOrBools, Number | Bool)
Align = OneOf("RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT")


class _Band:
    """Where the elements of a band stand: in the matrix, and in the rows of diagonals."""

    def __init__(self, low, high, rows, columns, align):
        self.width = min(rows + min(high, 0), columns - max(low, 0))
        above, below = align.split("_")
        offsets = numpy.arange(high, low - 1, -1)[:, None]
        up, right = numpy.minimum(offsets, 0), numpy.maximum(offsets, 0)
        lengths = numpy.minimum(rows + up, columns - right)
        left = numpy.where(offsets >= 0, above == "LEFT", below == "LEFT")
        starts = numpy.where(left, 0, self.width - lengths)
        step = numpy.arange(self.width)[None] - starts
        self.filled = (step >= 0) & (step < lengths)
        step = numpy.where(self.filled, step, 0)
        self.rows, self.columns = step - up, step + right
        r, c = numpy.ogrid[:rows, :columns]
        self.inside = (c - r >= low) & (c - r <= high)
        self.diagonal = numpy.where(self.inside, high - (c - r), 0)
        place = numpy.minimum(r, c) + starts[self.diagonal, 0]
        self.place = numpy.where(self.inside, place, 0)


@op(compute="native")
def band_of(xp, x: Anything, padding: Anything, band: Any):
    """The band of each matrix, one diagonal per row."""
    rows, columns = xp.asarray(band.rows), xp.asarray(band.columns)
    picked = xp.getitem(x, (Ellipsis, rows, columns))
    return xp.where(xp.asarray(band.filled), picked, xp.cast(padding, x.dtype))


@op(types=Promote("x diagonals"), compute="native")
def with_band(xp, x: Anything, diagonals: Anything, band: Any):
    """Matrices with a band replaced; `x` broadcasts."""
    index = (Ellipsis, xp.asarray(band.diagonal), xp.asarray(band.place))
    picked = xp.getitem(diagonals, index)
    return xp.where(xp.asarray(band.inside), picked, x)


def _ends(api, k):
    """The lowest and highest diagonal that `k` names."""
    if isinstance(k, Tensor):
        if k.ndim > 1:
            raise ValueError(f"For '{api}', 'k' must have at most one axis, but got {k.shape}.")
    ends = k.asnumpy().reshape(-1).tolist() if isinstance(k, Tensor) else [k]
    if len(ends) not in (1, 2) or not all(type(one) is int for one in ends):
        raise TypeError(
            f"For '{api}', 'k' must be an int or a Tensor of one or two, but got {show(k)}."
        )
    if ends[0] > ends[-1]:
        raise ValueError(f"For '{api}', 'k' must rise, but got {ends[0]} and {ends[-1]}.")
    return ends[0], ends[-1]


def _count(api, name, value):
    """A number of rows or columns, from an int or a Tensor of one."""
    if isinstance(value, Tensor) and value.ndim and value._array.dtype.kind == "i":
        raise ValueError(f"For '{api}', '{name}' must have no axes, but got shape {value.shape}.")
    if isinstance(value, Tensor) and not value.ndim:
        value = value.asnumpy().item()
    if type(value) is not int:
        raise TypeError(f"For '{api}', '{name}' must be an int, but got {show(value)}.")
    return value


def _within(api, low, high, rows, columns):
    if not -rows < low <= high < columns:
        raise ValueError(
            f"For '{api}', 'k' must be in ({-rows}, {columns}), but got {low} and {high}."
        )


@public("ops.matrix_diag")
@checked(OneDtype("x padding_value"))
def matrix_diag(
    x: Anything,
    k=0,
    num_rows=-1,
    num_cols=-1,
    padding_value: TensorOf(any_dtype) | Number = 0,
    align: Align = "RIGHT_LEFT",
):
    """Matrices of a band of diagonals and `padding_value` elsewhere; gradients pass.

    Args:
        x (Tensor): a diagonal over the last axis; a band over the last two.
        k (Union[int, Tensor]): the diagonal, or the lowest and the highest.
        num_rows (Union[int, Tensor]): -1 for as many as are needed.
        num_cols (Union[int, Tensor]): -1 for as many as are needed; square if both are -1.
        padding_value (Union[number, Tensor]): what stands outside the band.
        align (str): where short diagonals stand, above and below the main one.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if the diagonals do not fit the matrix.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.matrix_diag(ms.Tensor([1.0, 2.0])))
        [[1. 0.]
         [0. 2.]]

    Source: mindspore.ops.matrix_diag of MindSpore 2.10.
    """
    low, high = _ends("matrix_diag", k)
    rows, columns = (
        _count("matrix_diag", *each) for each in (("num_rows", num_rows), ("num_cols", num_cols))
    )
    single = low == high
    if x.ndim < 1 or not single and (x.ndim < 2 or x.shape[-2] != high - low + 1):
        raise ValueError(
            f"For 'matrix_diag', 'x' must hold {high - low + 1} diagonals, but got shape {x.shape}."
        )
    least_rows = x.shape[-1] - min(high, 0)
    least_columns = x.shape[-1] + max(low, 0)
    if rows == columns == -1:
        rows = columns = max(least_rows, least_columns)
    rows = least_rows if rows == -1 else rows
    columns = least_columns if columns == -1 else columns
    _within("matrix_diag", low, high, rows, columns)
    band = _Band(low, high, rows, columns, align)
    if band.width != x.shape[-1]:
        raise ValueError(
            f"For 'matrix_diag', the longest diagonal of {rows} rows and {columns} columns has "
            f"{band.width} elements, but 'x' has {x.shape[-1]}."
        )
    diagonals = x.expand_dims(-2) if single else x
    ground = _fill("matrix_diag", padding_value, x).broadcast_to((rows, columns))
    return with_band.run(ground, diagonals, band)


def _fill(api, value, x):
    """The padding as a Tensor of the dtype of `x`, without axes."""
    if not isinstance(value, Tensor):
        return Tensor(value, x.dtype)
    if value.ndim:
        raise ValueError(
            f"For '{api}', 'padding_value' must have no axes, but got shape {value.shape}."
        )
    return value


@public("ops.matrix_diag_part")
@checked(OneDtype("x padding_value"))
def matrix_diag_part(
    x: Anything, k, padding_value: TensorOf(any_dtype) | Number, align: Align = "RIGHT_LEFT"
):
    """The diagonals k[0] to k[1] of matrices, the highest first; gradients pass.

    Args:
        x (Tensor): matrices over the last two axes.
        k (Union[int, Tensor]): the diagonal, or the lowest and the highest.
        padding_value (Union[number, Tensor]): what fills up short diagonals; a Tensor has the
            dtype of `x`.
        align (str): where short diagonals stand, above and below the main one.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if `x` holds no matrices or has no such diagonal.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.matrix_diag_part(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), 0, ms.Tensor(0.0)))
        [1. 4.]

    Source: mindspore.ops.matrix_diag_part of MindSpore 2.10.
    """
    low, high = _ends("matrix_diag_part", k)
    band = _band_in("matrix_diag_part", x, low, high, align)
    out = band_of.run(x, _fill("matrix_diag_part", padding_value, x), band)
    return out.squeeze(-2) if low == high else out


def _band_in(api, x, low, high, align):
    if x.ndim < 2:
        raise ValueError(f"For '{api}', 'x' must have at least two axes, but got {x.shape}.")
    _within(api, low, high, *x.shape[-2:])
    return _Band(low, high, *x.shape[-2:], align)


@public("ops.matrix_set_diag")
@checked
def matrix_set_diag(x: Filling, diagonal: Filling, k=0, align: Align = "RIGHT_LEFT"):
    """Matrices with the diagonals k[0] to k[1] replaced; gradients pass.

    Args:
        x (Tensor): matrices over the last two axes.
        diagonal (Tensor): as `ops.matrix_diag_part` gives them.
        k (Union[int, Tensor]): the diagonal, or the lowest and the highest.
        align (str): where short diagonals stand, above and below the main one.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if the diagonals do not fit the matrix.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.matrix_set_diag(ms.ops.zeros((2, 2)), ms.Tensor([1.0, 2.0])))
        [[1. 0.]
         [0. 2.]]

    Source: mindspore.ops.matrix_set_diag of MindSpore 2.10.
    """
    low, high = _ends("matrix_set_diag", k)
    band = _band_in("matrix_set_diag", x, low, high, align)
    wanted = (*x.shape[:-2], *([high - low + 1] if low < high else []), band.width)
    if diagonal.shape != wanted:
        raise ValueError(
            f"For 'matrix_set_diag', 'diagonal' must have the shape {wanted}, but got "
            f"{diagonal.shape}."
        )
    return with_band.run(x, diagonal.expand_dims(-2) if low == high else diagonal, band)


class _Aligned(Primitive):
    _alignment = Align

    def __init__(self, align="RIGHT_LEFT"):
        super().__init__(type(self).__name__)
        self._alignment.refuse(self.name, "align", align)
        self.align = align


@public("ops.MatrixDiagV3")
class MatrixDiagV3(_Aligned):
    """The class form of `ops.matrix_diag`.

    Example:
        >>> import mindspore_compat as ms
        >>> zero, minus = ms.Tensor(0, ms.int32), ms.Tensor(-1, ms.int32)
        >>> print(ms.ops.MatrixDiagV3()(ms.Tensor([1.0, 2.0]), zero, minus, minus, ms.Tensor(0.0)))
        [[1. 0.]
         [0. 2.]]
    """

    def __call__(self, x, k, num_rows, num_cols, padding_value):
        return matrix_diag(x, k, num_rows, num_cols, padding_value, self.align)


@public("ops.MatrixDiagPartV3")
class MatrixDiagPartV3(_Aligned):
    """The class form of `ops.matrix_diag_part`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.MatrixDiagPartV3()(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]),
        ...                                 ms.Tensor(0, ms.int32), ms.Tensor(0.0)))
        [1. 4.]
    """

    def __call__(self, x, k, padding_value):
        return matrix_diag_part(x, k, padding_value, self.align)


@public("ops.MatrixSetDiagV3")
class MatrixSetDiagV3(_Aligned):
    """The class form of `ops.matrix_set_diag`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.MatrixSetDiagV3()(ms.ops.zeros((2, 2)), ms.Tensor([1.0, 2.0]),
        ...                                ms.Tensor(0, ms.int32)))
        [[1. 0.]
         [0. 2.]]
    """

    _alignment = AsValue(Align)

    @checked
    def __call__(self, x: RealsOrBools, diagonal: RealsOrBools, k):
        return matrix_set_diag(x, diagonal, k, self.align)


# Traces -------------------------------------------------------------------------------------------


@op("ops.trace(input)", "ops.Trace()(input)", compute="native")
def trace(xp, input: NumbersOfNumPy):
    """Adds up the diagonal of a matrix. A RuntimeError is raised for anything that is no matrix.

    Shapes:
        `input` is (M, N). The result is ().

    Example:
        >>> print(ms.ops.trace(ms.Tensor([[1.0, 2.0], [3.0, 4.0]])))
        5.0
    """
    return _trace(xp, input, RuntimeError)


@op("mint.trace(input)", compute="native")
def trace_strict(xp, input: Anything):
    """Adds up the diagonal of a matrix. A ValueError is raised for anything that is no matrix.

    Shapes:
        `input` is (M, N). The result is ().

    Example:
        >>> print(ms.mint.trace(ms.Tensor([[1.0, 2.0], [3.0, 4.0]])))
        5.0
    """
    return _trace(xp, input, ValueError)


def _trace(xp, input, refusal):
    if input.ndim != 2:
        raise refusal(f"For 'trace', 'input' must be a matrix, but got shape {tuple(input.shape)}.")
    return xp.cast(xp.sum(xp.diagonal(input), -1), input.dtype)


@op(compute="native")
def trace_along(xp, input: Anything, offset: Int, axis1: Int, axis2: Int):
    """The sum of each diagonal over two axes."""
    return xp.cast(xp.sum(xp.diagonal(input, offset, axis1, axis2), -1), input.dtype)


@op(
    "ops.diagonal(input, offset=0, dim1=0, dim2=1)",
    "mint.diagonal(input, offset=0, dim1=0, dim2=1)",
    compute="native",
)
def diagonal(xp, input: Anything, offset: Scalar = 0, dim1: Scalar = 0, dim2: Scalar = 1):
    """Takes a diagonal over two axes. `offset` is 0 for the main one, positive for one above and
    negative for one below.

    Shapes:
        `input` has at least two axes. The result lacks `dim1` and `dim2` and has the diagonal as a
        new last axis, of the same dtype.

    Example:
        >>> print(ms.ops.diagonal(ms.Tensor([[1, 2], [3, 4]])))
        [1 4]
    """
    return xp.diagonal(input, offset, dim1, dim2)


@op("ops.diag_embed(input, offset=0, dim1=-2, dim2=-1)", compute="native")
def diag_embed(xp, input: RealsOfNumPy, offset: Int = 0, dim1: Int = -2, dim2: Int = -1):
    """Writes the last axis of the input on the diagonal of two new axes, among zeros.

    Shapes:
        `input` is (..., M). The result has two axes of length M + |offset|, at `dim1` and `dim2`,
        in the place of the last one, and the same dtype.

    Example:
        >>> print(ms.ops.diag_embed(ms.Tensor([1, 2])))
        [[1 0]
         [0 2]]
    """
    count = input.shape[-1] + (offset if offset >= 0 else -offset)
    if not count:
        raise ValueError("For 'diag_embed', 'input' must have elements along its last axis.")
    rank = input.ndim + 1
    one, two = dim1 % rank, dim2 % rank
    if one == two:
        raise ValueError(
            f"For 'diag_embed', 'dim1' and 'dim2' must differ, but got {dim1} and {dim2}."
        )
    made = xp.scatter_diagonal(input, (*input.shape[:-1], count, count), offset, -2, -1)
    return xp.moveaxis(made, (-2, -1), (one, two))


@op("ops.diag(input)", "ops.Diag()(input)", compute="native")
def diag(xp, input: Anything):
    """Writes the elements on the diagonal of an array of twice as many axes, among zeros.

    Shapes:
        `input` is of shape s with at least one axis. The result is of shape s + s, of the same
        dtype.

    Example:
        >>> print(ms.ops.diag(ms.Tensor([1, 2])))
        [[1 0]
         [0 2]]
    """
    size = input.size
    flat = xp.scatter_diagonal(xp.reshape(input, (size,)), (size, size))
    return xp.reshape(flat, (*input.shape, *input.shape))


@op("mint.diag(input, diagonal=0)", compute="native")
def vector_diag(xp, input: Anything, diagonal: Int = 0):
    """Makes a matrix with a vector on its diagonal, or takes the diagonal of a matrix.

    Shapes:
        `input` is (M,) or (M, N). The result is a square matrix of length M + |diagonal|, or a
        vector, of the same dtype.

    Example:
        >>> print(ms.mint.diag(ms.Tensor([1, 2])))
        [[1 0]
         [0 2]]
    """
    if input.ndim == 2:
        return xp.diagonal(input, diagonal)
    count = input.shape[0] + (diagonal if diagonal >= 0 else -diagonal)
    return xp.scatter_diagonal(input, (count, count), diagonal)


@op("ops.diagflat(input, offset=0)", "Tensor.diagflat(offset=0)", compute="native")
def diagflat(xp, input: Anything, offset: Int | Bool = 0):
    """Makes a matrix with all elements of the input on its diagonal.

    Shapes:
        `input` may have any shape, of M elements. The result is square, of length M + |offset|, of
        the same dtype.

    Example:
        >>> print(ms.ops.diagflat(ms.Tensor([[1], [2]])))
        [[1 0]
         [0 2]]
    """
    flat = xp.ravel(input)
    count = flat.shape[0] + (offset if offset >= 0 else -offset)
    return xp.scatter_diagonal(flat, (count, count), offset)


@op("ops.DiagPart()(input_x)", compute="native")
def diag_part(
    xp,
    input_x: TensorOf("int32", "int64", "float16", "float32", "float64", "complex64", "complex128"),
):
    """Takes the elements whose position agrees in both halves of the axes: what `ops.diag` spreads
    out.

    Shapes:
        `input_x` is of shape s + s. The result is of shape s, of the same dtype.

    Example:
        >>> print(ms.ops.DiagPart()(ms.Tensor([[1, 2], [3, 4]])))
        [1 4]
    """
    half = input_x.shape[: input_x.ndim // 2]
    size = 1
    for n in half:
        size *= n
    return xp.reshape(xp.diagonal(xp.reshape(input_x, (size, size))), half)


@op(
    "ops.matrix_band_part(x, lower, upper)",
    "ops.MatrixBandPart()(x, lower, upper)",
    compute="native",
)
def matrix_band_part(xp, x: Anything, lower: Int | Index, upper: Int | Index):
    """Keeps `lower` diagonals below and `upper` above the main one of each matrix, and puts zeros
    elsewhere. A negative number keeps all.

    Shapes:
        `x` is (..., M, N). The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.matrix_band_part(ms.Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), 0, 1))
        [[1. 2. 0.]
         [0. 5. 6.]]
    """
    rows = xp.expand_dims(xp.arange(x.shape[-2]), 1)
    columns = xp.expand_dims(xp.arange(x.shape[-1]), 0)
    keep = ((lower < 0) | (rows - columns <= lower)) & ((upper < 0) | (columns - rows <= upper))
    return xp.where(keep, x, xp.zeros_like(x))


@op(
    "ops.diagonal_scatter(input, src, offset=0, dim1=0, dim2=1)",
    "Tensor.diagonal_scatter(src, offset=0, dim1=0, dim2=1)",
    types=Promote("input src"),
    compute="native",
)
def diagonal_scatter(
    xp, input: Anything, src: Anything, offset: Scalar = 0, dim1: Scalar = 0, dim2: Scalar = 1
):
    """Replaces a diagonal over two axes, in a copy of the input.

    Shapes:
        `src` has the shape of that diagonal. The result has the shape and dtype of `input`.

    Example:
        >>> print(ms.ops.diagonal_scatter(ms.Tensor([[1, 2], [3, 4]]), ms.Tensor([9, 8])))
        [[9 2]
         [3 8]]
    """
    wanted = xp.diagonal(input, offset, dim1, dim2).shape
    if tuple(src.shape) != tuple(wanted):
        raise ValueError(
            f"For 'diagonal_scatter', 'src' must have shape {tuple(wanted)}, but got "
            f"{tuple(src.shape)}."
        )
    here = xp.scatter_diagonal(xp.ones(src.shape, "bool"), input.shape, offset, dim1, dim2)
    return xp.where(here, xp.scatter_diagonal(src, input.shape, offset, dim1, dim2), input)


@op(
    "Tensor.fill_diagonal(fill_value, wrap=False)",
    "Tensor.fill_diagonal_(fill_value, wrap=False)",
    "ops.FillDiagonal(fill_value, wrap=False)(input_x: input)",
    compute="native",
    quirks=Quirks(
        rules={
            "Tensor.fill_diagonal": {"input": Diagonals, "fill_value": Float},
            "ops.FillDiagonal": {"input": Diagonals, "fill_value": Float},
        }
    ),
)
def fill_diagonal(xp, input: Anything, fill_value: Number, wrap: Bool = False):
    """Writes one number on the main diagonal, in a copy of the input. With `wrap` a tall matrix has
    it again below.

    Shapes:
        `input` has at least two axes, of one length if there are more than two. The result has the
        same shape and dtype.

    Example:
        >>> print(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]).fill_diagonal(9.0))
        [[9. 2.]
         [3. 9.]]
    """
    if input.ndim < 2 or input.ndim > 2 and len(set(input.shape)) > 1:
        raise ValueError(
            f"For 'fill_diagonal', 'input' must have two axes, or more of one length, "
            f"but got {input.shape}."
        )
    columns = input.shape[-1]
    step = sum(columns**k for k in range(input.ndim))
    flat = xp.arange(input.size)
    hit = flat % step == 0
    if input.ndim == 2 and not wrap:
        hit = hit & (flat < columns * columns)
    return xp.where(
        xp.reshape(hit, input.shape), xp.cast(xp.asarray(fill_value), input.dtype), input
    )


@op(compute="native")
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
    """The matrices along the diagonal of one, zeros elsewhere; vectors are rows.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.block_diag(ms.Tensor([[1.0]]), ms.Tensor([[2.0, 3.0]])))
        [[1. 0. 0.]
         [0. 2. 3.]]
    """
    return blocks_on_diagonal.run(inputs)
