"""Diagonal bands: matrices built from bands, extraction and replacement of bands.

A band consists of the diagonals k[0] to k[1]. They are stored one per row, the highest first; short
ones are padded. `align` tells the side to which they are aligned ("RIGHT_LEFT": diagonals above the
main one to the right, those below to the left). Plain diagonals are in _shape/diagonal.py.
"""

import numpy

from ..._core.declare.inputs import Promote
from ..._core.declare.op import op
from ..._core.declare.public_api import public
from ..._core.rules.base import show
from ..._core.rules.vocabulary import (
    Any,
    AsValue,
    Bool,
    Number,
    OneDtype,
    OneOf,
    TensorOf,
    any_dtype,
    checked,
)
from ..._core.tensor.tensor import Tensor
from .._rules import Anything, RealsOrBools
from ..primitive import Primitive

_Index = TensorOf("int32", "int64")

Filling = AsValue(RealsOrBools, Number | Bool)
Align = OneOf("RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT")


class _Band:
    """The positions of the elements of a band: in the matrix, and in the rows of diagonals."""

    def __init__(self, low, high, rows, columns, align):
        self.width = min(rows + min(high, 0), columns - max(low, 0))
        above, below = align.split("_")
        offsets = numpy.arange(high, low - 1, -1)[:, None]
        up, right = numpy.minimum(offsets, 0), numpy.maximum(offsets, 0)
        lengths = numpy.minimum(rows + up, columns - right)
        is_left = numpy.where(offsets >= 0, above == "LEFT", below == "LEFT")
        starts = numpy.where(is_left, 0, self.width - lengths)
        step = numpy.arange(self.width)[None] - starts
        self.filled = (step >= 0) & (step < lengths)
        step = numpy.where(self.filled, step, 0)
        self.rows, self.columns = step - up, step + right
        r, c = numpy.ogrid[:rows, :columns]
        self.inside = (c - r >= low) & (c - r <= high)
        self.diagonal = numpy.where(self.inside, high - (c - r), 0)
        position = numpy.minimum(r, c) + starts[self.diagonal, 0]
        self.position = numpy.where(self.inside, position, 0)


@op(compute="native")
def band_of(xp, x: Anything, padding: Anything, band: Any):
    """Returns the band of each matrix, one diagonal per row."""
    rows, columns = xp.asarray(band.rows), xp.asarray(band.columns)
    elements = xp.getitem(x, (Ellipsis, rows, columns))
    return xp.where(xp.asarray(band.filled), elements, xp.cast(padding, x.dtype))


@op(types=Promote("x diagonals"), compute="native")
def with_band(xp, x: Anything, diagonals: Anything, band: Any):
    """Returns matrices with a band replaced; `x` broadcasts."""
    index = (Ellipsis, xp.asarray(band.diagonal), xp.asarray(band.position))
    elements = xp.getitem(diagonals, index)
    return xp.where(xp.asarray(band.inside), elements, x)


def _ends(api, k):
    """Returns the lowest and the highest diagonal, given one or both."""
    if isinstance(k, Tensor):
        if k._array.dtype != "int32":
            raise TypeError(f"For '{api}', 'k' must be of dtype int32, but got {k.dtype}.")
        if k.ndim > 1:
            raise ValueError(f"For '{api}', 'k' must have at most one axis, but got {k.shape}.")
    ends = k.asnumpy().reshape(-1).tolist() if isinstance(k, Tensor) else [k]
    if len(ends) not in (1, 2) or not all(type(end) is int for end in ends):
        raise TypeError(
            f"For '{api}', 'k' must be an int or a Tensor of one or two, but got {show(k)}."
        )
    if ends[0] > ends[-1]:
        raise ValueError(f"For '{api}', 'k' must rise, but got {ends[0]} and {ends[-1]}.")
    return ends[0], ends[-1]


def _count(api, name, value):
    """Returns a number of rows or columns that is passed as an int or as a one-element Tensor."""
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
    """Builds matrices with a band of diagonals and `padding_value` elsewhere; differentiable.

    Args:
        x (Tensor): a diagonal over the last axis; a band over the last two.
        k (Union[int, Tensor]): the diagonal, or the lowest and the highest.
        num_rows (Union[int, Tensor]): the number of rows; -1 for the smallest that fits.
        num_cols (Union[int, Tensor]): the number of columns; -1 for the smallest that fits; square
            if both are -1.
        padding_value (Union[number, Tensor]): the value outside the band.
        align (str): two words, such as "RIGHT_LEFT": the sides to which short diagonals are
            aligned, first above and then below the main diagonal.

    Raises:
        TypeError: if an argument has the wrong type.
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
        _count("matrix_diag", *number)
        for number in (("num_rows", num_rows), ("num_cols", num_cols))
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
    """Returns the padding value as a 0-D Tensor; a number gets the dtype of `x`."""
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
    """Extracts the diagonals k[0] to k[1] of matrices, the highest first; differentiable.

    Args:
        x (Tensor): matrices over the last two axes.
        k (Union[int, Tensor]): the diagonal, or the lowest and the highest.
        padding_value (Union[number, Tensor]): the value that fills short diagonals; a Tensor has
            the dtype of `x`.
        align (str): two words, such as "RIGHT_LEFT": the sides to which short diagonals are
            aligned, first above and then below the main diagonal.

    Raises:
        TypeError: if an argument has the wrong type.
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
    """Replaces the diagonals k[0] to k[1] of matrices, in a copy; differentiable.

    Args:
        x (Tensor): matrices over the last two axes.
        diagonal (Tensor): the diagonals, as returned by `ops.matrix_diag_part`.
        k (Union[int, Tensor]): the diagonal, or the lowest and the highest.
        align (str): two words, such as "RIGHT_LEFT": the sides to which short diagonals are
            aligned, first above and then below the main diagonal.

    Raises:
        TypeError: if an argument has the wrong type.
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
    expected_shape = (*x.shape[:-2], *([high - low + 1] if low < high else []), band.width)
    if diagonal.shape != expected_shape:
        raise ValueError(
            f"For 'matrix_set_diag', 'diagonal' must have the shape {expected_shape}, but got "
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

    Args:
        align (str): how diagonals shorter than the longest are padded: "LEFT_RIGHT", "RIGHT_LEFT",
            "LEFT_LEFT" or "RIGHT_RIGHT", for those above the main one, then those below. Default:
            "RIGHT_LEFT".

    Example:
        >>> import mindspore_compat as ms
        >>> zero, minus = ms.Tensor(0, ms.int32), ms.Tensor(-1, ms.int32)
        >>> print(ms.ops.MatrixDiagV3()(ms.Tensor([1.0, 2.0]), zero, minus, minus, ms.Tensor(0.0)))
        [[1. 0.]
         [0. 2.]]
    """

    @checked
    def __call__(self, x, k: _Index, num_rows: _Index, num_cols: _Index, padding_value: Anything):
        return matrix_diag(x, k, num_rows, num_cols, padding_value, self.align)


@public("ops.MatrixDiagPartV3")
class MatrixDiagPartV3(_Aligned):
    """The class form of `ops.matrix_diag_part`.

    Args:
        align (str): how diagonals shorter than the longest are aligned: "LEFT_RIGHT", "RIGHT_LEFT",
            "LEFT_LEFT" or "RIGHT_RIGHT", for those above the main one, then those below. Default:
            "RIGHT_LEFT".

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.MatrixDiagPartV3()(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]),
        ...                                 ms.Tensor(0, ms.int32), ms.Tensor(0.0)))
        [1. 4.]
    """

    @checked
    def __call__(self, x, k: _Index, padding_value: Anything):
        return matrix_diag_part(x, k, padding_value, self.align)


@public("ops.MatrixSetDiagV3")
class MatrixSetDiagV3(_Aligned):
    """The class form of `ops.matrix_set_diag`.

    Args:
        align (str): how diagonals shorter than the longest are aligned: "LEFT_RIGHT", "RIGHT_LEFT",
            "LEFT_LEFT" or "RIGHT_RIGHT", for those above the main one, then those below. Default:
            "RIGHT_LEFT".

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
