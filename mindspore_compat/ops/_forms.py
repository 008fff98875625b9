"""Further forms of selecting, ordering and reshaping: methods with two meanings, old names, pairs.

`Tensor.gather` and `Tensor.select` choose between two ops by their arguments, as the original does;
what they choose between is in _indexing/getitem.py.
"""

import math

from .._backend import arrays
from .._core.declare.inputs import Promote, Quirks
from .._core.declare.op import op, space_for
from .._core.declare.public_api import public
from .._core.rules.checked import one_dtype, refuse_unlike
from .._core.rules.vocabulary import (
    Alike,
    Bool,
    DType,
    Float,
    Int,
    ListOf,
    Number,
    OneOf,
    TensorOf,
    TupleOf,
    any_dtype,
    checked,
    floating,
    integer,
    number,
    real,
)
from .._core.tensor import dtype as dtypes
from .._core.tensor.tensor import Tensor
from ._elementwise.comparison import isclose
from ._shape import create, join_split, reshape
from ._shape.axes import axis_of
from .primitive import Primitive

Anything = TensorOf(any_dtype)
Numbers = TensorOf(number)
Reals = TensorOf(real | {"bool"})
RealsOrNumbers = TensorOf(real | {"bool"}, scalars=True)
Index = TensorOf("int32", "int64")


# Selecting ----------------------------------------------------------------------------------------


@public("mint.select", "ops.select_view")
@checked
def slice_at(input: Anything, dim: Int, index: Int | Index):
    """One slice along an axis, without that axis.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if `dim` or `index` is out of range.

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
    """`mint.select` as a Primitive: `ops.SelectView()(input, index, dim)`."""

    def __init__(self):
        super().__init__("SelectView")

    def __call__(self, input, index, dim):
        return slice_at(input, dim, index)


@op("mint.take(input, index)", "ops.take(input, index)", compute="native")
def take(xp, input: Anything, index: Index):
    """Elements at places counted in row order; the result has the shape of the places."""
    flat = xp.ravel(input)
    if index.size and not (int(xp.min(index)) >= -flat.size and int(xp.max(index)) < flat.size):
        raise IndexError(f"For 'take', 'index' must be in [{-flat.size}, {flat.size}).")
    return xp.take(flat, index)


@op(compute="native")
def taken(xp, input: Anything, indices: Anything, axis: Int | None, mode: OneOf("clip", "wrap")):
    """Slices (elements of the flat input without an axis) at places brought into range."""
    if axis is None:
        input, axis = xp.ravel(input), 0
    length = input.shape[axis]
    if not length and indices.size:
        raise RuntimeError(f"For 'take', the Tensor must have elements to take, but got shape "
                           f"{tuple(input.shape)}.")
    if mode == "wrap":
        at = xp.mod(indices, length)
    else:
        at = xp.clip(xp.where(indices < -length, -length, indices), -length, length - 1)
        at = xp.where(at < 0, at + length, at)
    return xp.take(input, at, axis)


@public("Tensor.choose")
def choose(self, choices, mode="clip"):
    """For each element of this Tensor of places, the element of the choice that it names.

    Fractions and imaginary parts are cut off, of places and of choices: the original chooses among
    int32 and gives back the dtype of the choices, which is int64 where they are no Tensors.

    Args:
        choices (Union[tuple, list, Tensor]): Tensors of one dtype, or numbers and lists of them,
            one for each place; they broadcast.
        mode (str): "wrap" for places out of range; "raise" refuses them. What is neither counts as
            the default, "clip".

    Raises:
        TypeError: if `choices` is or holds something else, or Tensors of several dtypes.
        ValueError: if this Tensor or `choices` has no axes or entries, or a place is out of range
            with "raise".

    Source: mindspore.Tensor.choose of MindSpore 2.10.
    """
    tables = _choices(choices)
    if not self.ndim:
        raise ValueError("For 'choose', the Tensor of places must have an axis, but got shape ().")
    xp = space_for(self._array)
    places = xp.cast(xp.real(self._array), "int64")
    if mode == "raise" and places.size and not (0 <= places.min() and places.max() < len(tables)):
        raise ValueError(
            f"For 'choose', the places must be in [0, {len(tables)}), but they reach from "
            f"{int(places.min())} to {int(places.max())}."
        )
    return chosen.run(Tensor._wrap(places), tables, mode == "wrap")


def _choices(choices):
    """The choices as Tensors of one dtype."""
    if not isinstance(choices, (tuple, list, Tensor)):
        raise TypeError(f"For 'choose', 'choices' must be a tuple, a list or a Tensor, but got "
                        f"{choices!r} of type {type(choices).__name__}.")
    if isinstance(choices, Tensor) and not choices.ndim or not len(choices):
        raise ValueError("For 'choose', 'choices' must have one entry or more, but got none.")
    for one in choices:
        if not isinstance(one, (Tensor, int, float, tuple, list)):
            raise TypeError(f"For 'choose', 'choices' must hold Tensors, numbers or lists of them, "
                            f"but got {one!r} of type {type(one).__name__}.")
    tables = [one if isinstance(one, Tensor) else Tensor(one).astype("int64") for one in choices]
    if not one_dtype(*tables):
        refuse_unlike("choose", {f"choices[{i}]": table for i, table in enumerate(tables)})
    return tables


@op(compute="native")
def chosen(xp, places: TensorOf(integer), tables: ListOf(Anything), wrap: Bool):
    """Of Tensors that broadcast, for each element that of the one which its place names, as int32
    in their dtype."""
    whole = xp.broadcast_shapes(places.shape, *(each.shape for each in tables))
    count, dtype = len(tables), tables[0].dtype
    parts = [xp.real(each) if dtype.kind == "c" else each for each in tables]
    rows = xp.stack([xp.broadcast_to(xp.cast(each, "int32"), whole) for each in parts])
    inside = places % count if wrap else xp.clip(places, 0, count - 1)
    inside = xp.cast(xp.broadcast_to(inside, whole), "int64")
    return xp.cast(xp.take_along_axis(rows, xp.expand_dims(inside, 0), 0)[0], dtype)


# Ordering -----------------------------------------------------------------------------------------


@op("ops.msort(input)", "Tensor.msort()", compute="native")
def msort(xp, input: Reals):
    """The input sorted along its first axis."""
    return xp.top_k(input, input.shape[0], 0, False)[0]


@op(
    "mint.kthvalue(input, k, dim=-1, keepdim=False)",
    "Tensor.kthvalue(k, dim=-1, keepdim=False)",
    compute="native",
)
def kthvalue(xp, input: Numbers, k: Int, dim: Int = -1, keepdim: Bool = False):
    """(the k-th smallest value along an axis, its int64 place); a RuntimeError for k out of range.
    """
    if not input.size:
        raise ValueError("For 'kthvalue', 'input' must not be empty.")
    length = input.shape[axis_of(dim, input)] if input.ndim else 1
    if not 1 <= k <= length:
        raise RuntimeError(f"For 'kthvalue', 'k' must be in [1, {length}], but got {k}.")
    if not input.ndim:
        return input, xp.zeros((), "int64")
    if input.dtype.kind == "c":
        raise TypeError(f"For 'kthvalue', 'input' must hold real numbers, but got {input.dtype}.")
    at = xp.place_of_rank(input, dim, rank=k - 1)
    values, at = xp.take_along_axis(input, at, dim), xp.cast(at, "int64")
    return (values, at) if keepdim else (xp.squeeze(values, dim), xp.squeeze(at, dim))


@op("Tensor.ptp(axis=None, keepdims=False)")
def ptp(xp, input: Numbers, axis: Int | Bool | TupleOf(Int | Bool) | None = None,
        keepdims: Bool = False):
    """The largest value less the smallest, over all elements or along axes."""
    axis = tuple(map(int, axis)) if isinstance(axis, tuple) else axis if axis is None else int(axis)
    axis = None if axis == () else axis
    return xp.max(input, axis, keepdims=keepdims) - xp.min(input, axis, keepdims=keepdims)


# Comparing ----------------------------------------------------------------------------------------


@public("Tensor.allclose", "mint.allclose", "ops.allclose")
@checked(Alike("input other"))
def allclose(input: Anything, other: Anything, rtol: Number | Bool = 1e-5,
             atol: Number | Bool = 1e-8, equal_nan: Bool = False):
    """True if all elements are close: |input - other| <= atol + rtol |other|.

    Raises:
        TypeError: if an argument is of another type, or the dtypes differ.

    Source: mindspore.mint.allclose of MindSpore 2.10.
    """
    return bool(isclose.run(input, other, rtol, atol, equal_nan)._array.all())


@op(
    "ops.approximate_equal(x, y, tolerance=1e-5)",
    "Tensor.approximate_equal(other: y, tolerance=1e-5)",
    "ops.ApproximateEqual(tolerance=1e-5)(x, y)",
    types=Promote("x y", need_tensor=True),
    quirks=Quirks(rules={"Tensor.approximate_equal": {"y": Reals}}),
)
def approximate_equal(xp, x: RealsOrNumbers, y: RealsOrNumbers, tolerance: Float = 1e-5):
    """True where |x - y| < tolerance; infinities and NaN equal nothing.

    Both have one shape, a number none; else it is a RuntimeError.
    """
    if x.shape != y.shape:
        raise RuntimeError(f"For 'approximate_equal', 'x' and 'y' must have one shape, but got "
                           f"{tuple(x.shape)} and {tuple(y.shape)}.")
    return xp.abs(x - y) < tolerance


@op(
    "ops.fmax(input, other)",
    "ops.Fmax()(x1: input, x2: other)",
    "Tensor.fmax(other)",
    types=Promote("input other"),
)
def fmax(xp, input: RealsOrNumbers, other: RealsOrNumbers):
    """The larger of two elements; of a number and NaN, the number."""
    return xp.fmax(input, other)


fmax.vjp_of("fmax")


@op(
    "ops.fmin(input, other)",
    "ops.Fmin()(x1: input, x2: other)",
    "Tensor.fmin(other)",
    types=Promote("input other"),
)
def fmin(xp, input: TensorOf(real), other: TensorOf(real)):
    """The smaller of two elements; of a number and NaN, the number."""
    return xp.fmin(input, other)


fmin.vjp_of("fmin")


# Shape and dtype ----------------------------------------------------------------------------------


@op("ops.adjoint(x)", "Tensor.adjoint()")
def adjoint(xp, x: Anything):
    """The conjugate with the last two axes swapped."""
    turned = xp.swapaxes(x, -1, -2)
    return xp.conj(turned) if x.dtype.kind == "c" else turned


def _matrices(name, self, least=2, most=None):
    """Refuses a Tensor that is no matrix, or no stack of matrices."""
    if self.ndim < least or most is not None and self.ndim > most:
        words = "two axes" if most else "at least two axes"
        raise ValueError(f"For 'Tensor.{name}', the Tensor must have {words}, but got shape "
                         f"{self.shape}.")


def _conjugate_transpose(self):
    """The conjugate transpose of a matrix; a ValueError for what is no matrix."""
    _matrices("H", self, most=2)
    return adjoint.run(self)


def _conjugate_transposes(self):
    """The conjugate transposes of matrices; a ValueError below two axes."""
    _matrices("mH", self)
    return adjoint.run(self)


def _transposes(self):
    """The last two axes swapped; a ValueError below two axes."""
    _matrices("mT", self)
    return reshape.swapaxes.run(self, -1, -2)


Tensor.H = property(_conjugate_transpose)
Tensor.mH = property(_conjugate_transposes)
Tensor.mT = property(_transposes)
Tensor.is_meta = property(lambda self: False, doc="False: a Tensor always holds values.")


@public("Tensor.sum_to_size")
def sum_to_size(self, *size):
    """The sum over the axes that broadcast `size` to this Tensor's shape.

    Raises:
        ValueError: if `size` does not broadcast to the shape.

    Source: mindspore.Tensor.sum_to_size of MindSpore 2.10.
    """
    size = reshape.shape_of("sum_to_size", size)
    more = self.ndim - len(size)
    if more < 0 or any(n not in (1, m) for n, m in zip(size, self.shape[more:], strict=False)):
        raise ValueError(
            f"For 'sum_to_size', 'size' must broadcast to {self.shape}, but got {size}."
        )
    axes = [i for i in range(self.ndim) if i < more or size[i - more] != self.shape[i]]
    return self.sum(tuple(axes), keepdims=True).reshape(size) if axes else self


@public("Tensor.resize")
def resize(self, *new_shape):
    """The elements in row order in a new shape: cut, or filled up with zeros.

    Source: mindspore.Tensor.resize of MindSpore 2.10.
    """
    shape = reshape.shape_of("resize", new_shape)
    flat, count = reshape.reshape_array.run(self, (-1,)), math.prod(shape)
    if count > self.size:
        more = space_for(self._array).zeros(count - self.size, self._array.dtype)
        flat = join_split.cat.run([flat, Tensor._wrap(more)], 0)
    return reshape.reshape_array.run(flat[:count], shape)


@public("Tensor.type")
def type_(self, dtype=None):
    """The name of the dtype, or a copy of another dtype.

    Raises:
        TypeError: if `dtype` is not a MindSpore dtype.

    Source: mindspore.Tensor.type of MindSpore 2.10.
    """
    if dtype is None:
        return str(self.dtype)
    if not isinstance(dtype, dtypes.Type):
        raise TypeError(f"For 'type', 'dtype' must be a mindspore dtype, but got {dtype!r}.")
    return self.astype(dtype)


@op("ops.eps(x)", "ops.Eps()(x)", compute="native")
def eps(xp, x: TensorOf(floating)):
    """The step from 1 to the next number of the dtype, in the input's shape."""
    one = xp.ones(x.shape, x.dtype)
    return xp.nextafter(one, one + one) - one


@public("ops.dyn_shape")
def dyn_shape(input_x):
    """The shape as an int64 Tensor."""
    return Tensor._wrap(space_for(input_x._array).asarray(input_x.shape, dtype="int64"))


@public("ops.view_as")
@checked
def view_as(input: Anything, other: Anything):
    """The input in the shape of another Tensor."""
    return reshape.reshape_array.run(input, other.shape)


@public("ops.expand_as")
@checked
def expand_as(input: Anything, other: Anything):
    """The input broadcast to the shape of another Tensor."""
    return input.broadcast_to(other.shape)


@public("ops.type_as")
@checked
def type_as(input: Anything, other: Anything):
    """The input in the dtype of another Tensor."""
    return input.astype(other.dtype)


@public("ops.is_complex")
@checked
def is_complex(input: Anything):
    """True for a Tensor of complex numbers."""
    return input._array.dtype.kind == "c"


@public("ops.tensor_slice")
@checked
def tensor_slice(input: Anything, begin: TupleOf(Int) | ListOf(Int),
                 size: TupleOf(Int) | ListOf(Int)):
    """The part of a size from `begin`; -1 takes what is left of an axis."""
    ends = [n if s == -1 else b + s for b, s, n in zip(begin, size, input.shape, strict=True)]
    return input[tuple(slice(b, e) for b, e in zip(begin, ends, strict=True))]


@public("ops.reshape_")
@checked
def reshape_(input: Anything, shape: TupleOf(Int) | ListOf(Int)):
    """Gives the Tensor itself another shape, and returns it."""
    made = reshape.reshape_array.run(input, tuple(shape))
    input._array, input._node = made._array, made._node
    return input


@public("Tensor.is_shared")
def is_shared(self):
    """False: no other process sees the memory."""
    return False


@public("Tensor.new_empty")
@checked
def new_empty(input: Anything, size: TupleOf(Int(ge=0)) | ListOf(Int(ge=0)) | Int(ge=0), *,
              dtype: DType = None, device: create.Device = None):
    """A Tensor of that size with values not set, of this Tensor's dtype unless one is given.

    `device` "CPU" is host memory, another the device target in force, none that of this Tensor.
    """
    wanted = input._array.dtype if dtype is None else dtypes.to_numpy(dtype)
    places = {None: space_for(input._array), "CPU": arrays.HOST}
    shape = reshape.shape_of("new_empty", (size,))
    return Tensor._wrap(places.get(device, arrays.current_space()).empty(shape, wanted))


@public("ops.move_to")
@checked
def move_to(input: Anything, to: OneOf("Ascend", "GPU", "CPU") = "CPU", blocking: Bool = True):
    """A copy of the Tensor on a device; "Ascend" stands for the GPU here.

    Raises:
        TypeError: if `to` is not a str.
        ValueError: if it names no device.

    Source: mindspore.ops.move_to of MindSpore 2.10.
    """
    place = arrays.to_host if to == "CPU" else arrays.to_current
    return Tensor._wrap(place(input._array))


@public("Tensor.requires_grad_")
def requires_grad_(self, requires_grad=True):
    """Returns the Tensor; gradients are asked for by `mindspore.grad` alone."""
    return self


@public("Tensor.set_const_arg")
@checked
def set_const_arg(input: Anything, const_arg: Bool = True):
    """Notes whether a network takes the Tensor as a constant, and returns it."""
    input.const_arg = const_arg
    return input
