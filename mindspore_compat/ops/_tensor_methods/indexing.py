"""Methods of Tensor that read and write at indices or combine elements and have several signatures,
such as `gather(dim, index)` and `gather(input_indices, axis)`. The ops are in `_indexing` and
`_elementwise`.
"""

from ..._backend.arrays import SPACES
from ..._core.declare.inputs import Quirks
from ..._core.declare.op import op
from ..._core.declare.overloads import form
from ..._core.declare.public_api import build, overwrite
from ..._core.rules.vocabulary import Bool, Int, InTensor, OneOf, TensorOf, any_dtype
from ..._core.tensor import dtype as dtypes
from ..._core.tensor.tensor import Tensor
from .._elementwise import arithmetic, comparison, division, logical
from .._indexing import gather, inplace, masks, scatter_along_axis, take
from .._linalg import matmul as matmul_ops
from .._rules import Anything, Index, NumberOrBool
from .._shape.axes import axes_along

IndexTensor = TensorOf("int16", "int32", "int64")
Value = TensorOf(any_dtype) | NumberOrBool


def _need_one_dtype(name, keyword, self, other):
    """Rejects a Tensor of another dtype."""
    if other._array.dtype != self._array.dtype:
        raise TypeError(
            f"For 'Tensor.{name}', '{keyword}' must have the dtype {self.dtype}, but "
            f"got {other.dtype}."
        )


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
    low, high = int(indices.min()), int(indices.max())
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
        _need_one_dtype(name, "src", self, src)
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
    _need_one_dtype("scatter_add", "src", self, src)
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


# Arithmetic ---------------------------------------------------------------------------------------


@form("Tensor.sub")
def sub(self, other: Value, *, alpha: NumberOrBool = 1):
    """Computes self - alpha * other, element by element; the shapes broadcast.

    Source: mindspore.Tensor.sub of MindSpore 2.10.
    """
    if type(alpha) is bool and self._array.dtype.kind != "b":
        raise TypeError(
            f"For 'Tensor.sub', 'alpha' must be a number with {self.dtype}, but got {alpha}."
        )
    return arithmetic.sub_scaled.run(self, other, alpha)


@form("Tensor.sub")
def sub_y(self, y):
    """Computes self - y."""
    return arithmetic.sub_scaled.run(self, y, 1)


@form("Tensor.remainder")
def remainder(self, other: Value):
    """Computes the remainder of floor division by `other`, element by element; it has the divisor's
    sign.

    Source: mindspore.Tensor.remainder of MindSpore 2.10.
    """
    return division.remainder.run(self, other)


@form("Tensor.remainder")
def remainder_divisor(self, divisor: Value):
    """Computes the remainder of floor division by `divisor`."""
    return division.remainder.run(self, divisor)


@form("Tensor.matmul")
def matmul(self, tensor2: Anything):
    """Computes the matrix product over the last two axes; a vector is treated as a matrix.

    Source: mindspore.Tensor.matmul of MindSpore 2.10.
    """
    _need_one_dtype("matmul", "tensor2", self, tensor2)
    return matmul_ops.matrix_product.run(self, tensor2)


@form("Tensor.matmul")
def matmul_other(self, other: Anything):
    """Computes the matrix product with `other`."""
    _need_one_dtype("matmul", "other", self, other)
    return matmul_ops.matrix_product.run(self, other)


@op("Tensor.mm(mat2)", quirks=Quirks(errors={"Tensor.mm": RuntimeError}))
def mm(xp, input: Anything, mat2: Anything):
    """Multiplies two matrices.

    Shapes:
        `input` is (M, K) and `mat2` is (K, N), of one dtype. The result is (M, N), of the same
        dtype.

    Raises:
        TypeError: if `mat2` is not a Tensor, or both are floating and the dtypes differ.
        RuntimeError: if the shapes do not fit, or the dtypes differ otherwise.

    Example:
        >>> print(ms.Tensor([[1.0, 2.0]]).mm(ms.Tensor([[3.0], [4.0]])))
        [[11.]]

    Source: mindspore.Tensor.mm of MindSpore 2.10.
    """
    if input.dtype is not mat2.dtype and input.dtype != mat2.dtype:
        floats = input.dtype.kind in "fV" and mat2.dtype.kind in "fV"
        raise (TypeError if floats else RuntimeError)(
            f"For 'mm', 'self' and 'mat2' must have one dtype, but got {input.dtype} and "
            f"{mat2.dtype}."
        )
    return matmul_ops.mm.body(xp, input, mat2)


@form("Tensor.isclose")
def isclose(
    self,
    other: Anything,
    rtol: NumberOrBool = 1e-05,
    atol: NumberOrBool = 1e-08,
    equal_nan: Bool = False,
):
    """Tests whether |self - other| <= atol + rtol |other|.

    Source: mindspore.Tensor.isclose of MindSpore 2.10.
    """
    _need_one_dtype("isclose", "other", self, other)
    return comparison.isclose.run(self, other, rtol, atol, equal_nan)


@form("Tensor.isclose")
def isclose_x2(
    self,
    x2: Anything,
    rtol: NumberOrBool = 1e-05,
    atol: NumberOrBool = 1e-08,
    equal_nan: Bool = False,
):
    """Tests whether |self - x2| <= atol + rtol |x2|."""
    _need_one_dtype("isclose", "x2", self, x2)
    return comparison.isclose.run(self, x2, rtol, atol, equal_nan)


def _logical(path, op, words):
    def with_other(self, other: TensorOf(any_dtype) | Bool):
        return op.run(self, other)

    def with_y(self, y: TensorOf(any_dtype) | Bool):
        """Applies the logical operator to this Tensor and `y`."""
        return op.run(self, y)

    with_other.__doc__ = f"{words}.\n\nSource: mindspore.{path} of MindSpore 2.10.\n"
    form(path)(with_other)
    form(path)(with_y)


_logical("Tensor.logical_and", logical.logical_and, "True where both elements are true")
_logical("Tensor.logical_or", logical.logical_or, "True where either element is true")


@form("Tensor.logical_xor")
def logical_xor(self, other: TensorOf(any_dtype) | Bool):
    """Computes the logical XOR: True where one element is true and the other is not.

    Source: mindspore.Tensor.logical_xor of MindSpore 2.10.
    """
    return logical.logical_xor.run(self, other)


@form("Tensor.index_fill_")
def index_fill_(self, dim: Int, index: Index, value: Value):
    """Fills slices at indices along an axis with one number, in place, and returns the Tensor.

    Raises:
        TypeError: if an argument has the wrong type.
        RuntimeError: if `dim` is out of range, `index` has several axes, or `value` has any.

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
