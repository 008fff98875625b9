"""Primitives without a function of their own: layouts, checks, small algebra, older spellings."""

from .._core.autograd.transforms import stop_gradient
from .._core.declare.inputs import Promote, SameDtype
from .._core.declare.op import op, space_for
from .._core.declare.public_api import public
from .._core.rules.vocabulary import (
    Alike,
    Any,
    AsValue,
    Bool,
    DType,
    Float,
    Int,
    ListOf,
    OneOf,
    Plain,
    ScalarOf,
    TensorOf,
    TupleOf,
    any_dtype,
    checked,
    floating,
    number,
)
from .._core.tensor import dtype as dtypes
from .._core.tensor.tensor import Tensor
from ._indexing.inplace import index_put
from ._indexing.scatter import check_range, scatter_by
from ._reduction import cumulative
from ._reduction import quantile as quantile_ops
from ._shape import join_split, pad, slice_stack
from ._shape.create import NoShape
from ._shape.reshape import shape_of
from .primitive import Primitive

Anything = TensorOf(any_dtype)
Numbers = TensorOf(number)
Floats = TensorOf(floating)
Fractions = TensorOf(floating | {"complex64", "complex128"})
Index = TensorOf("int32", "int64")
Layout = OneOf("NHWC", "NCHW")
Format = AsValue(Layout)


# Layout -------------------------------------------------------------------------------------------


def _order(src_format, dst_format):
    return [src_format.index(letter) for letter in dst_format]


@op("ops.DataFormatDimMap(src_format='NHWC', dst_format='NCHW')(input_x)", compute="native")
def data_format_dim_map(xp, input_x: TensorOf("int32", "int64"), src_format: Layout = "NHWC",
                        dst_format: Layout = "NCHW"):
    """The number of an axis in one layout of images as its number in another."""
    places = xp.asarray(_order(src_format, dst_format), "int32")
    return xp.cast(xp.take(places, xp.mod(input_x, 4)), input_x.dtype)


@op("ops.DataFormatVecPermute(src_format='NHWC', dst_format='NCHW')(input_x)", compute="native")
def data_format_vec_permute(xp, input_x: Index, src_format: Format = "NHWC",
                            dst_format: Format = "NCHW"):
    """Four numbers (or rows of two), one for each axis, in the order of another layout."""
    if input_x.shape not in ((4,), (4, 2)):
        raise ValueError(
            f"For 'DataFormatVecPermute', 'input_x' must have the shape (4,) or (4, 2), but got "
            f"{input_x.shape}."
        )
    return xp.take(input_x, xp.asarray(_order(src_format, dst_format)), 0)


@op("ops.ConjugateTranspose()(x, perm)", compute="native")
def conjugate_transpose(xp, x: Anything, perm: TupleOf(Int) | ListOf(Int)):
    """The conjugates with the axes in another order."""
    if sorted(perm) != list(range(x.ndim)):
        raise ValueError(
            f"For 'ConjugateTranspose', 'perm' must order {x.ndim} axes, but got {perm}."
        )
    turned = xp.transpose(x, tuple(perm))
    return xp.conj(turned) if x.dtype.kind == "c" else turned


@op("ops.TransposeView()(input, input_perm)", compute="native")
def transpose_view(xp, input: Anything, input_perm: TupleOf(Int) | ListOf(Int)):
    """The axes in another order."""
    return xp.transpose(input, tuple(input_perm))


@op("ops.TransposeExtView()(input, dim0, dim1)", compute="native")
def transpose_ext_view(xp, input: Anything, dim0: Int, dim1: Int):
    """Two axes swapped."""
    return xp.swapaxes(input, dim0, dim1)


@op("ops.Padding(pad_dim_size=8)(x)", "ops.padding(x, pad_dim_size=8)", compute="native")
def padding(xp, x: AsValue(Anything, Plain), pad_dim_size: Int(ge=1) = 8):
    """The last axis, of length 1, filled up with zeros."""
    if x.ndim < 2 or x.shape[-1] != 1:
        raise ValueError(
            f"For 'Padding', 'x' must have at least two axes and the last one length 1, but got "
            f"{x.shape}."
        )
    return xp.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, pad_dim_size - 1)])


@public("ops.SplitV")
class SplitV(Primitive):
    """Pieces of given lengths along an axis; -1 takes what is left.

    Args:
        size_splits (Union[tuple[int], list[int]]): the lengths.
        split_dim (int): the axis.
        num_split (int): how many pieces.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if the lengths do not fit, when called.

    Source: mindspore.ops.SplitV of MindSpore 2.10.
    """

    @checked
    def __init__(self, size_splits: TupleOf(Int) | ListOf(Int), split_dim: Int,
                 num_split: Int(ge=1)):
        super().__init__("SplitV")
        self.size_splits, self.split_dim = list(size_splits), split_dim
        self.num_split = num_split

    @checked
    def __call__(self, input_x: Anything):
        if len(self.size_splits) != self.num_split:
            raise ValueError(
                f"For 'SplitV', 'size_splits' must hold 'num_split' lengths, but got "
                f"{self.size_splits} and {self.num_split}."
            )
        rank = input_x.ndim
        if not -rank <= self.split_dim < rank:
            raise ValueError(
                f"For 'SplitV', 'split_dim' must be in [{-rank}, {rank}), but got {self.split_dim}."
            )
        sizes, length = list(self.size_splits), input_x.shape[self.split_dim]
        if sizes.count(-1) == 1:
            sizes[sizes.index(-1)] = length - sum(sizes) - 1
        if sum(sizes) != length or min(sizes) < 0:
            raise ValueError(
                f"For 'SplitV', 'size_splits' must add up to {length}, but got {self.size_splits}."
            )
        edges = [sum(sizes[: i + 1]) for i in range(len(sizes) - 1)]
        return join_split.split_at.run(input_x, edges, self.split_dim)


@public("ops.BatchToSpaceNDV2")
class BatchToSpaceNDV2(Primitive):
    """`ops.batch_to_space_nd` whose block is a Tensor: `()(input_x, block_shape, crops)`."""

    def __init__(self):
        super().__init__("BatchToSpaceNDV2")

    @checked
    def __call__(self, input_x: Anything, block_shape: Index, crops: Any):
        crops = crops.asnumpy().tolist() if isinstance(crops, Tensor) else crops
        block = tuple(block_shape.asnumpy().tolist())
        return pad.batch_to_space_nd.run(input_x, block, crops)


# New values ---------------------------------------------------------------------------------------


@op(compute="native")
def fill_v2(xp, value: TensorOf(any_dtype), shape: TupleOf(Int)):
    """A Tensor of a shape with one value everywhere; gradients pass to the value."""
    if value.size != 1:
        raise ValueError(f"For 'FillV2', 'value' must be one number, but got shape {value.shape}.")
    return xp.broadcast_to(xp.reshape(value, ()), shape)


@public("ops.FillV2")
class FillV2(Primitive):
    """A Tensor of a shape with one value everywhere: `ops.FillV2()(shape, value)`.

    A number or text in the place of the shape is that of a Tensor without axes.

    Raises:
        TypeError: if `shape` is None, or not of ints, or `value` no Tensor.
        ValueError: if a length is negative, or `value` not one number.

    Source: mindspore.ops.FillV2 of MindSpore 2.10.
    """

    def __init__(self):
        super().__init__("FillV2")

    @checked
    def __call__(self, shape: TupleOf(Int(ge=0)) | Index | NoShape, value: Anything):
        sizes = shape_of("FillV2", (shape,)) if isinstance(shape, (tuple, Tensor)) else ()
        return fill_v2.run(value, sizes)

    def infer_value(self, dims, x):
        """The result, if the lengths and the value are known; None if they are found in running."""
        unknown = dims is None or x is None or isinstance(dims, Tensor) or None in dims
        return None if unknown else self(tuple(dims), x)


@op("ops.fills(x, value)", "ops.Fills()(x, value)", "Tensor.fills(value)", compute="native")
def fills(xp, x: Anything, value: TensorOf(any_dtype, scalars=True)):
    """One value everywhere, in the shape and dtype of a Tensor."""
    if value.ndim:
        raise ValueError(f"For 'fills', 'value' must be one number, but got shape {value.shape}.")
    return xp.broadcast_to(xp.cast(value, x.dtype), x.shape)


@public("Tensor.fill")
def tensor_fill(self, value):
    """One value everywhere, in this Tensor's shape and dtype; None gives zeros."""
    return fills.run(self, 0 if value is None else value)


@op("ops.expand(input_x, size)", "ops.Expand()(x: input_x, shape: size)", compute="native")
def expand(xp, input_x: Anything, size: Index | TupleOf(Int)):
    """The input broadcast to a size, where -1 keeps an axis."""
    wanted = [int(n) for n in size]
    more = len(wanted) - input_x.ndim
    sizes = [input_x.shape[i - more] if n == -1 else n for i, n in enumerate(wanted)]
    return xp.broadcast_to(input_x, tuple(sizes))


@op(
    "ops.LogSpace(steps=10, base=10, dtype=float32)(start, end)",
    types=SameDtype("start end"),
    compute="native",
)
def log_space(xp, start: Floats, end: Floats, steps: Int(ge=0) = 10, base: Int = 10,
              dtype: DType = "float32"):
    """`base` to the power of numbers evenly between two ends; float32 by default."""
    if start.ndim or end.ndim:
        raise ValueError(f"For 'LogSpace', 'start' and 'end' must have no axes, but got shapes "
                         f"{start.shape} and {end.shape}.")
    if base < 0:
        raise ValueError(f"For 'LogSpace', 'base' must be at least 0, but got {base}.")
    along = xp.arange(steps) / max(steps - 1, 1)
    numbers = xp.cast(start, "float64") * (1 - along) + xp.cast(end, "float64") * along
    return xp.cast(xp.power(float(base), numbers), dtype)


@public("ops.logspace")
@checked
def logspace(start: Float | Floats, end: Float | Floats, steps: ScalarOf(Int(ge=0), TypeError),
             base: ScalarOf(Int, TypeError) = 10, *,
             dtype: DType = dtypes.float32):
    """`base` to the power of `steps` numbers evenly between two ends.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if `steps` or `base` is below 0.

    Source: mindspore.ops.logspace of MindSpore 2.10.
    """
    ends = [each if isinstance(each, Tensor) else Tensor(float(each), dtypes.float32)
            for each in (start, end)]
    return log_space.run(*ends, steps, base, dtypes.to_numpy(dtype))


class _Indices(Primitive):
    @checked
    def __init__(self, row: Int(ge=0), col: Int(ge=0), offset: Int = 0,
                 dtype: DType("int32", "int64") = dtypes.int32):
        super().__init__(type(self).__name__)
        self.sizes, self.dtype = (row, col, offset), dtype


@public("ops.TrilIndices")
class TrilIndices(_Indices):
    """The class form of `ops.tril_indices`: `ops.TrilIndices(row, col, offset, dtype)()`."""

    def __call__(self):
        return slice_stack.tril_indices(*self.sizes, dtype=self.dtype)


@public("ops.TriuIndices")
class TriuIndices(_Indices):
    """The class form of `ops.triu_indices`: `ops.TriuIndices(row, col, offset, dtype)()`."""

    def __call__(self):
        return slice_stack.triu_indices(*self.sizes, dtype=self.dtype)


# Looking up and scattering ------------------------------------------------------------------------


@public("ops.IndexPut")
class IndexPut(Primitive):
    """`Tensor.index_put` as a Primitive: `ops.IndexPut(accumulate)(x1, x2, indices)`."""

    @checked
    def __init__(self, accumulate: Int = 0):
        super().__init__("IndexPut")
        if accumulate not in (0, 1):
            raise ValueError(f"For 'IndexPut', 'accumulate' must be 0 or 1, but got {accumulate}.")
        self.accumulate = accumulate

    @checked(Alike("x1 x2"))
    def __call__(self, x1: Anything, x2: Anything, indices: TupleOf(Index) | ListOf(Index)):
        return index_put(x1, tuple(indices), x2, bool(self.accumulate))


@op("ops.ScatterAddWithAxis(axis=0)(input_x, indices, updates)", compute="native")
def scatter_add_with_axis(xp, input_x: Anything, indices: Index, updates: Anything, axis: Int = 0):
    """A copy with updates added at places along an axis, element by element."""
    if indices.shape != updates.shape or indices.ndim != input_x.ndim:
        raise ValueError(
            f"For 'ScatterAddWithAxis', 'indices' and 'updates' must have one shape and the rank "
            f"of 'input_x', but got {indices.shape}, {updates.shape} and {input_x.shape}."
        )
    check_range("ScatterAddWithAxis", xp.reshape(indices, (-1, 1)), (input_x.shape[axis],))
    return xp.scatter_along_axis(input_x, indices, xp.cast(updates, input_x.dtype), axis, add=True)


@public("ops.ScatterNonAliasingAdd")
class ScatterNonAliasingAdd(Primitive):
    """`input_x` with updates added at positions given as rows; `input_x` itself stays."""

    def __init__(self):
        super().__init__("ScatterNonAliasingAdd")

    @checked
    def __call__(self, input_x: Anything, indices: Index, updates: Anything):
        depth = indices.shape[-1]
        check_range(self.name, indices._array, input_x.shape[:depth])
        places = tuple(indices._array[..., i] for i in range(depth))
        return scatter_by.run(input_x, updates, places, "add")


# Small algebra ------------------------------------------------------------------------------------


@op("ops.ComplexAbs()(x)")
def complex_abs(xp, x: TensorOf("complex64", "complex128")):
    """The absolute values of complex numbers."""
    return xp.abs(x)


@op("ops.MulNoNan()(x, y)", types=Promote("x y"))
def mul_no_nan(xp, x: TensorOf(any_dtype, scalars=True), y: TensorOf(any_dtype, scalars=True)):
    """x * y, and 0 where y is 0, whatever x is."""
    product = x * xp.where(y == 0, xp.ones_like(y), y)
    return xp.where(y == 0, xp.zeros_like(product), product)


mul_no_nan.vjp(x=lambda xp, g, y: g * y, y=lambda xp, g, x: xp.where(g == 0, 0, g * x))


@op("ops.SquareSumAll()(x, y)", types=SameDtype("x y"))
def square_sum_all(xp, x: Floats, y: Floats):
    """(the sum of the squares of x, the sum of the squares of y)."""
    if x.shape != y.shape:
        raise ValueError(f"For 'SquareSumAll', the shapes must agree: {x.shape}, {y.shape}.")
    return xp.sum(xp.square(x)), xp.sum(xp.square(y))


@op("ops.LerpScalar()(input, end, weight)", types=Promote("input end"))
def lerp_scalar(xp, input: Floats, end: Floats, weight: Float | Int):
    """input + weight * (end - input)."""
    return input + weight * (end - input)


@op(
    "ops.TridiagonalMatMul()(superdiag, maindiag, subdiag, rhs)",
    types=SameDtype("superdiag maindiag subdiag rhs"),
)
def tridiagonal_matmul(xp, superdiag: Fractions, maindiag: Fractions, subdiag: Fractions,
                       rhs: Fractions):
    """The product of matrices of three diagonals, each (..., 1, M), with matrices (..., M, N)."""
    alike = superdiag.shape == maindiag.shape == subdiag.shape
    if not alike or not 2 <= rhs.ndim == superdiag.ndim:
        raise ValueError(
            f"For 'TridiagonalMatMul', the diagonals must have one shape (..., 1, M) with as many "
            f"axes as 'rhs', but got {superdiag.shape}, {maindiag.shape}, {subdiag.shape} and "
            f"{rhs.shape}."
        )
    above, middle, below = (xp.swapaxes(each, -1, -2) for each in (superdiag, maindiag, subdiag))
    zero = xp.zeros_like(rhs[..., :1, :])
    later = xp.concatenate([rhs[..., 1:, :], zero], -2)
    earlier = xp.concatenate([zero, rhs[..., :-1, :]], -2)
    return middle * rhs + above * later + below * earlier


@op("ops.Betainc()(a, b, x)", types=SameDtype("a b x"))
def betainc(xp, a: TensorOf("float32", "float64"), b: TensorOf("float32", "float64"),
            x: TensorOf("float32", "float64")):
    """The regularised incomplete beta function."""
    if not a.shape == b.shape == x.shape:
        raise ValueError(f"For 'Betainc', 'a', 'b' and 'x' must have one shape, but got {a.shape}, "
                         f"{b.shape} and {x.shape}.")
    return xp.betainc(a, b, x)


@op("ops.CumulativeLogsumexp(exclusive=False, reverse=False)(x, axis)")
def cumulative_logsumexp(xp, x: Floats, axis: TensorOf("int16", "int32", "int64"),
                         exclusive: Bool = False, reverse: Bool = False):
    """The logarithm of the running sum of exponentials, from either end, before or after each."""
    axis = int(axis)
    if not x.ndim:
        raise ValueError("For 'CumulativeLogsumexp', 'x' must have one axis or more, but got ().")
    if not -x.ndim <= axis < x.ndim:
        raise RuntimeError(f"For 'CumulativeLogsumexp', 'axis' must be in [{-x.ndim}, {x.ndim}), "
                           f"but got {axis}.")
    lowest = float(xp.finfo(x.dtype).min)
    x = xp.flip(x, axis) if reverse else x
    if exclusive:
        empty = xp.full_like(xp.take(x, xp.arange(1), axis), lowest)
        x = xp.concatenate([empty, xp.take(x, xp.arange(x.shape[axis] - 1), axis)], axis)
    out = cumulative.logcumsumexp.body(xp, x, axis)
    return xp.flip(out, axis) if reverse else out


@op("ops.Quantile(dim=None, keep_dims=False, ignore_nan=False)(input, q)")
def quantile(xp, input: TensorOf("float32", "float64"),
             q: TensorOf("float32", "float64", scalars=True), dim: Int | None = None,
             keep_dims: Bool = False, ignore_nan: Bool = False):
    """The values below which fractions q of the elements lie, along an axis or over all."""
    return quantile_ops._quantiles(xp, input, q, dim, keep_dims, ignore_nan)


# Checks and plain passing -------------------------------------------------------------------------


@public("ops.CheckNumerics")
class CheckNumerics(Primitive):
    """The input itself; a RuntimeError if it holds NaN or infinity.

    Source: mindspore.ops.CheckNumerics of MindSpore 2.10.
    """

    def __init__(self):
        super().__init__("CheckNumerics")

    @checked
    def __call__(self, x: Floats):
        xp = space_for(x._array)
        for word, found in (("NaN", xp.isnan), ("infinite", xp.isinf)):
            if bool(found(x._array).any()):
                raise RuntimeError(
                    f"For 'CheckNumerics', 'x' must be finite, but it has {word} values."
                )
        return x


@public("ops.Assert")
class Assert(Primitive):
    """Raises a RuntimeError and prints its data where a condition is false.

    Args:
        summarize (int): how many elements of each Tensor are printed.

    Source: mindspore.ops.Assert of MindSpore 2.10.
    """

    @checked
    def __init__(self, summarize: Int = 3):
        super().__init__("Assert")
        self.summarize = summarize

    @checked
    def __call__(self, condition: Bool | TensorOf("bool"), input_data: TupleOf(Any) | ListOf(Any)):
        if bool(condition):
            return Tensor(1, dtypes.int32).reshape(1)
        for each in input_data:
            flat = each.asnumpy().reshape(-1) if isinstance(each, Tensor) else [each]
            print("input data:", flat[: self.summarize])
        raise RuntimeError("For 'Assert', the condition is false.")


class _Passing(Primitive):
    def __init__(self):
        super().__init__(type(self).__name__)


@public("ops.IdentityN")
class IdentityN(_Passing):
    """A tuple of Tensors as it is, in memory of its own."""

    @checked
    def __call__(self, x: TupleOf(Anything) | ListOf(Anything)):
        return tuple(each.copy() for each in x)


@public("ops.Reusing")
class Reusing(_Passing):
    """The input itself."""

    def __call__(self, x):
        return x


@public("ops.StopGradient")
class StopGradient(_Passing):
    """The class form of `ops.stop_gradient`."""

    def __call__(self, value):
        return stop_gradient(value)


@public("ops.TensorToTuple")
class TensorToTuple(_Passing):
    """The elements of a Tensor of one axis as a tuple of numbers."""

    @checked
    def __call__(self, x: Anything):
        return tuple(x.asnumpy().tolist())


@public("ops.TensorShape", "ops.DynamicShape")
class TensorShape(Primitive):
    """The shape as an int64 Tensor: `ops.TensorShape()(input_x)`."""

    def __init__(self, dtype=9):
        super().__init__("TensorShape")

    @checked
    def __call__(self, input_x: Anything):
        return Tensor._wrap(space_for(input_x._array).asarray(input_x.shape, dtype="int64"))


@public("ops.ParallelConcat")
class ParallelConcat(_Passing):
    """Tensors whose first axis has length 1, joined along it.

    Raises:
        TypeError: if the input is no tuple or list of Tensors.
        ValueError: if a first axis has another length or the shapes differ.

    Source: mindspore.ops.ParallelConcat of MindSpore 2.10.
    """

    @checked
    def __call__(self, values: TupleOf(Anything, min_length=1) | ListOf(Anything, min_length=1)):
        shapes = {each.shape for each in values}
        if len(shapes) > 1 or any(shape[:1] != (1,) for shape in shapes):
            raise ValueError(
                f"For 'ParallelConcat', 'values' must have one shape that begins with 1, but got "
                f"{sorted(shapes)}."
            )
        return join_split.cat.run(list(values), 0)
