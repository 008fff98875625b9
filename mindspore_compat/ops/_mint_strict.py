"""Names of `mindspore.mint` that refuse what their namesakes in `mindspore.ops` take, or take more.

The arithmetic is that of the namesakes.
"""

from .._backend.arrays import HOST, current_space, space_of
from .._core.declare.library_errors import LIBRARY_ERRORS, explain
from .._core.declare.op import op
from .._core.declare.public_api import public
from .._core.rules.vocabulary import (
    Bool,
    DType,
    Float,
    Forbid,
    Int,
    InTensor,
    ListOf,
    Number,
    TensorOf,
    TupleOf,
    any_dtype,
    checked,
    floating,
    real,
)
from .._core.tensor import dtype as dtypes
from .._core.tensor.dtype import promote
from .._core.tensor.tensor import Tensor
from ._elementwise import special
from ._indexing import scatter as scatter_ops
from ._linalg import decomposition, products
from ._linalg import inverse as inverse_ops
from ._shape import create, repeat, reshape
from ._shape.axes import axis_of

Anything = TensorOf(any_dtype)
Index = TensorOf("int32", "int64")
Reals = TensorOf(real)
Fractions = TensorOf(floating | {"complex64", "complex128"})


# New Tensors --------------------------------------------------------------------------------------


def _place(api, device, pin_memory, own):
    """The functions of the arrays on a device given by name; `own` where none is given."""
    if not isinstance(device, (str, type(None))):
        raise TypeError(
            f"For '{api}', 'device' must be a str or None, but got {device!r} of type "
            f"{type(device).__name__}."
        )
    host = device in ("CPU", "cpu")
    if pin_memory and not host:
        raise RuntimeError(f"For '{api}', 'pin_memory' needs 'device' 'CPU', but got {device!r}.")
    if device is not None and not host and device not in ("Ascend", "npu", "meta"):
        raise ValueError(
            f"For '{api}', 'device' must be 'Ascend', 'npu', 'CPU', 'cpu' or 'meta', "
            f"but got {device!r}."
        )
    return HOST if host else own if device is None else current_space()


@public("mint.empty")
@checked
def empty(*size, dtype: DType = None, device=None, pin_memory: Bool = False):
    """A Tensor of a shape whose values are whatever the memory holds.

    Args:
        *size (Union[tuple[int], list[int], int]): the shape.
        dtype (mindspore.dtype): the dtype. Default: float32.
        device (str): "CPU" or "cpu" for host memory; "Ascend" or "npu" for the accelerator;
            "meta" where the values will not be looked at; the device target without.
        pin_memory (bool): for host memory, whether it may be read by a device.

    Raises:
        TypeError: if `size` is no shape, or an argument of another type.
        ValueError: if the device is another.
        RuntimeError: if `pin_memory` is set for a device other than the CPU.

    Source: mindspore.mint.empty of MindSpore 2.10.
    """
    space = _place("empty", device, pin_memory, current_space())
    wanted = "float32" if dtype is None else dtypes.to_numpy(dtype)
    return Tensor._wrap(space.empty(reshape.shape_of("empty", size), wanted))


@public("mint.empty_like")
@checked
def empty_like(input: Anything, *, dtype: DType = None, device=None, pin_memory: Bool = False):
    """A Tensor of the shape of another, and its dtype unless one is given, with values not set.

    `device` and `pin_memory` are those of `mint.empty`.

    Raises:
        TypeError: if `input` is not a Tensor, or an argument of another type.
        ValueError: if the device is another.
        RuntimeError: if `pin_memory` is set for a device other than the CPU.

    Source: mindspore.mint.empty_like of MindSpore 2.10.
    """
    space = _place("empty_like", device, pin_memory, space_of(input._array))
    wanted = input._array.dtype if dtype is None else dtypes.to_numpy(dtype)
    return Tensor._wrap(space.empty(input.shape, wanted))


@public("mint.arange")
@checked
def arange(start: Number = 0, end: Number = None, step: Number = 1, *, dtype: DType = None):
    """Numbers from `start` to below `end`, `step` apart; int64 for ints, else float32.

    Args:
        start (Union[float, int]): the first number; the end, if `end` is None. Default: 0.
        end (Union[float, int]): where the numbers stop.
        step (Union[float, int]): the distance, not 0. Default: 1.
        dtype (mindspore.dtype): the dtype wanted.

    Raises:
        TypeError: if an argument is no number.
        ValueError: if `step` is 0 or leads away from `end`, or if `start` is `end`.

    Source: mindspore.mint.arange of MindSpore 2.10.
    """
    if end is None:
        start, end = 0, start
    if start == end:
        raise ValueError(
            f"For 'arange', 'start' must differ from 'end', but got {start} and {end}."
        )
    return create.arange(start, end, step, dtype=dtype)


# Arithmetic ---------------------------------------------------------------------------------------


@op("mint.bitwise_not(input)", "Tensor.bitwise_not()", compute="native")
def bitwise_not(xp, input: Anything):
    """Every bit of whole numbers flipped; the other bool. A RuntimeError for other dtypes."""
    if input.dtype.kind not in "iub":
        raise RuntimeError(
            f"For 'bitwise_not', 'input' must be a Tensor of ints or bools, but got "
            f"dtype {input.dtype}."
        )
    return xp.invert(input)


@op("mint.inverse(input)", "mint.linalg.inv(input)")
def inverse(xp, input: Anything):
    """The inverse of each matrix of at most four leading axes; a ValueError if one is singular."""
    if input.ndim > 6:
        raise ValueError(f"For 'inverse', 'input' must have at most 6 axes, but got {input.ndim}.")
    return inverse_ops.inverse.body(xp, input)


@op("mint.mv(input, vec)")
def mv(xp, input: Fractions, vec: Fractions):
    """The product of a matrix and a vector, which may differ in dtype."""
    decomposition.need_axes("mv", 1, vec=vec)
    return products.mv.body(xp, input, vec)


@public("mint.lerp")
@checked
def lerp(input: Fractions, end: Fractions, weight: Fractions | Number):
    """input + weight * (end - input).

    Args:
        input (Tensor): the values at weight 0.
        end (Tensor): the values at weight 1, of the same dtype.
        weight (Union[float, Tensor]): where between them.

    Raises:
        TypeError: if an argument is of another type, or the dtypes of `input` and `end` differ.
        ValueError: if the shapes do not broadcast.

    Source: mindspore.mint.lerp of MindSpore 2.10.
    """
    if input.dtype != end.dtype:
        raise TypeError(
            f"For 'lerp', 'input' and 'end' must be of one dtype, but got {input.dtype} and "
            f"{end.dtype}."
        )
    return _told("lerp", special.lerp.run, input, end, weight)


def _told(api, run, *given):
    """What `run` returns; errors of the array library tell the API."""
    try:
        return run(*given)
    except LIBRARY_ERRORS as error:
        explained = explain(api, error)
        if explained is error:
            raise
        raise explained from error


@public("mint.linalg.qr")
def qr(A, mode="reduced"):
    """The factors q (orthonormal columns) and r (upper triangle) of each matrix; see `ops.qr`.

    Args:
        A (Tensor): matrices over the last two axes.
        mode (str): "reduced" for the smaller factors, "complete" for a square q. Default:
            "reduced".

    Source: mindspore.mint.linalg.qr of MindSpore 2.10.
    """
    return decomposition.qr(A, mode)


# Places and shapes --------------------------------------------------------------------------------


@op("mint.t(input)", compute="native")
def t(xp, input: Anything):
    """The first two axes swapped; scalars and vectors as they are."""
    return xp.swapaxes(input, 0, 1) if input.ndim > 1 else input


@public("mint.permute")
@checked(Forbid("dims is None", ValueError, "'dims' must be a tuple of ints"))
def permute(input: Anything, dims: TupleOf(Int) | ListOf(Int) | None):
    """The axes in another order: axis i of the result is axis dims[i] of the input.

    Args:
        input (Tensor): any shape.
        dims (tuple(int)): each axis once.

    Raises:
        TypeError: if `input` is not a Tensor, or `dims` neither a tuple nor a list of ints.
        ValueError: if `dims` is None, or does not name each axis once.

    Source: mindspore.mint.permute of MindSpore 2.10.
    """
    rank = input.ndim
    if len(dims) != rank or sorted(d + rank if d < 0 else d for d in dims) != list(range(rank)):
        raise ValueError(
            f"For 'permute', 'dims' must name each of {rank} axes once, but got {dims!r}."
        )
    return reshape.transpose.run(input, tuple(dims))


@public("mint.index_select")
@checked
def index_select(input: Anything, dim: Int, index: Index):
    """The slices of the input at places along an axis.

    Args:
        input (Tensor): any shape.
        dim (int): the axis.
        index (Tensor): int32 or int64 places, along one axis.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if the input has no such axis, `index` has not one axis, or a place is out of
            range.

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
    return _told("index_select", taken.run, input, index, dim)


@op(compute="native")
def taken(xp, input: Anything, index: Index, dim: Int):
    """The slices of the input at places along an axis."""
    return xp.take(input, index, dim)


@public("mint.index_add")
@checked
def index_add(
    input: Reals, dim: Int, index: Index, source: TensorOf(real, "bool"), *, alpha: Number = 1
):
    """A copy with alpha times the slices of `source` added at places along an axis.

    Args:
        input (Tensor): any shape.
        dim (int): the axis.
        index (Tensor): int32 or int64 places, along one axis.
        source (Tensor): the slices, one for each place, of the dtype of `input` or a narrower one.
        alpha (number.Number): the factor.

    Raises:
        TypeError: if an argument is of another type, or `source` of a wider dtype than `input`.
        ValueError: if the input has no such axis, the shapes do not fit, or, on a CPU, a place is
            out of range.

    Source: mindspore.mint.index_add of MindSpore 2.10.
    """
    if promote(input.dtype, source.dtype) != input.dtype:
        raise TypeError(
            f"For 'index_add', 'source' must not be wider than {input.dtype}, but got "
            f"{source.dtype}."
        )
    if not -input.ndim <= dim < input.ndim:
        raise ValueError(
            f"For 'index_add', 'dim' must be in [{-input.ndim}, {input.ndim}), but got {dim}."
        )
    fits = list(input.shape)
    fits[dim] = index.size
    if index.ndim != 1 or source.shape != tuple(fits):
        raise ValueError(
            f"For 'index_add', 'index' must have one axis and 'source' a slice for each place, but "
            f"got shapes {index.shape} and {source.shape} for an input of {input.shape}."
        )
    scaled = source if alpha == 1 else source * alpha
    return _told("index_add", scatter_ops.added_along.run, input, index, scaled, dim)


@public("mint.scatter")
@checked
def scatter(
    input: Anything,
    dim: InTensor(Int),
    index: TensorOf("int16", "int32", "int64"),
    src: Anything | Float | Int,
):
    """A copy with the values of `src` written at places along an axis, element by element.

    Args:
        input (Tensor): at least one axis.
        dim (int): the axis.
        index (Tensor): int32 or int64 places, with as many axes as `input`.
        src (Union[Tensor, float]): the values, of the dtype of `input`; one for each place.

    Raises:
        TypeError: if an argument is of another type, or the dtypes differ.
        ValueError: if the numbers of axes differ, the input has no such axis, or a place is out of
            range.
        RuntimeError: if `src` is smaller than `index`.

    Source: mindspore.mint.scatter of MindSpore 2.10.
    """
    given = [input, index] + ([src] if isinstance(src, Tensor) else [])
    if len({each.ndim for each in given}) > 1 or not input.ndim:
        raise ValueError(
            f"For 'scatter', the Tensors must have as many axes, at least one, but "
            f"got shapes {', '.join(str(each.shape) for each in given)}."
        )
    if isinstance(src, Tensor):
        if src.dtype != input.dtype:
            raise TypeError(
                f"For 'scatter', 'src' must be of dtype {input.dtype}, but got {src.dtype}."
            )
        if any(n > m for n, m in zip(index.shape, src.shape)):
            raise RuntimeError(
                f"For 'scatter', 'src' must be as large as 'index', but got shapes "
                f"{src.shape} and {index.shape}."
            )
    return _told("scatter", scatter_ops.scatter.run, input, dim, index, src)


@public("mint.repeat_interleave")
@checked
def repeat_interleave(input: Anything, repeats, dim: Int = None, *, output_size: Int(ge=0) = None):
    """Every element along an axis (of all elements in order, for None) repeated.

    Args:
        input (Tensor): any shape.
        repeats (Union[int, tuple, list, Tensor]): how often, all alike or each.
        dim (int): the axis.
        output_size (int): how many there must be in the end.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if `repeats` is negative or does not fit the axis, or `output_size` is not what
            comes out.

    Source: mindspore.mint.repeat_interleave of MindSpore 2.10.
    """
    out = repeat.repeat_interleave(input, repeats, dim)
    length = out.shape[0 if dim is None else axis_of(dim, out)]
    if output_size not in (None, length):
        raise ValueError(
            f"For 'repeat_interleave', 'output_size' must be {length}, but got {output_size}."
        )
    return out
