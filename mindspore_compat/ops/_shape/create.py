"""New Tensors: filled, counted, spread, on the device target in force."""

from ..._backend.arrays import HOST, current_space
from ..._core.declare.inputs import Quirks, SameDtype
from ..._core.declare.op import op
from ..._core.declare.public_api import public
from ..._core.rules.checked import plain_numbers
from ..._core.rules.value_rules import FirstOf
from ..._core.rules.vocabulary import (
    Alike,
    Bool,
    DType,
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
    integer,
    real,
)
from ..._core.tensor import dtype as dtypes
from ..._core.tensor.tensor import Tensor
from .reshape import shape_of

Shape = Int(ge=0) | TupleOf(Int(ge=0)) | ListOf(Int(ge=0)) | TensorOf("int32", "int64")
Lengths = TupleOf(Int(ge=0)) | ListOf(Int(ge=0))
Sizes = Lengths | TensorOf("int32", "int64")
Scalar = Number | Bool
NoShape = Scalar | Str  # in the place of a shape: that of a Tensor without axes
Device = OneOf("CPU", "GPU", "Ascend") | None


def _numpy(dtype, default="float32"):
    return default if dtype is None else dtypes.to_numpy(dtype)


@public("ops.zeros", "mint.zeros")
@checked
def zeros(size: Shape, dtype: DType = None):
    """Zeros of a shape; float32 by default.

    Source: mindspore.ops.zeros of MindSpore 2.10.
    """
    return Tensor._wrap(current_space().zeros(shape_of("zeros", (size,)), _numpy(dtype)))


@public("ops.ones", "mint.ones")
@checked
def ones(shape: Shape, dtype: DType = None):
    """Ones of a shape; float32 by default.

    Source: mindspore.ops.ones of MindSpore 2.10.
    """
    return Tensor._wrap(current_space().ones(shape_of("ones", (shape,)), _numpy(dtype)))


@public("ops.full")
@checked
def full(size: Lengths, fill_value: Scalar | TensorOf(any_dtype), *, dtype: DType = None):
    """One number everywhere; int64 unless a dtype is given, so that fractions are cut off.

    Source: mindspore.ops.full of MindSpore 2.10, whose page shows 1.2 become 1.
    """
    return _filled("full", size, fill_value, dtypes.int64 if dtype is None else dtype)


@public("mint.full")
@checked
def mint_full(size: Lengths, fill_value: Scalar | TensorOf(any_dtype), *, dtype: DType = None):
    """One number everywhere; its dtype is that of a Tensor of the number unless given.

    Source: mindspore.mint.full of MindSpore 2.10.
    """
    return _filled("full", size, fill_value, dtype)


def _filled(api, size, value, dtype):
    value = value if isinstance(value, Tensor) else Tensor(value)
    wanted = _numpy(dtype, value._array.dtype)
    if value._node is not None:  # its gradient is asked for
        ones = Tensor._wrap(current_space().ones(shape_of(api, (size,)), wanted))
        return ones * value.reshape(()).astype(ones.dtype)
    return Tensor._wrap(current_space().full(shape_of(api, (size,)), value.item(), wanted))


@public("ops.fill")
@checked
def fill(type: DType | None, shape: Sizes | NoShape, value: Scalar | TensorOf(any_dtype)):
    """One number everywhere, which may be a Tensor of one element; without a dtype, its own.

    A number or text in the place of the shape is that of a Tensor without axes.

    Source: mindspore.ops.fill of MindSpore 2.10.
    """
    sizes = shape if isinstance(shape, (tuple, list, Tensor)) else ()
    return _filled("fill", sizes, value, type)


@public("ops.empty")
@checked
def empty(*size, dtype: DType = None, device: Device = None):
    """A Tensor of a shape whose values are whatever the memory holds.

    `device` "CPU" is host memory; the others, and none, are the device target in force.

    Source: mindspore.ops.empty of MindSpore 2.10.
    """
    space = HOST if device == "CPU" else current_space()
    return Tensor._wrap(space.empty(shape_of("empty", size), _numpy(dtype)))


@op(
    "ops.zeros_like(input, *, dtype=None)",
    "ops.ZerosLike()(x: input)",
    "mint.zeros_like(input, *, dtype=None)",
    compute="native",
)
def zeros_like(xp, input: TensorOf(any_dtype), dtype: DType = None):
    """Makes zeros of the shape of the input.

    Shapes:
        `input` may have any shape. The result has the same shape, and its dtype unless `dtype` is
        given.

    Example:
        >>> print(ms.ops.zeros_like(ms.Tensor([[1.0, 2.0]])))
        [[0. 0.]]
    """
    return xp.zeros(input.shape, input.dtype if dtype is None else dtype)


@op(
    "ops.ones_like(input, *, dtype=None)",
    "ops.OnesLike()(x: input)",
    "mint.ones_like(input, *, dtype=None)",
    compute="native",
)
def ones_like(xp, input: TensorOf(any_dtype), dtype: DType = None):
    """Makes ones of the shape of the input.

    Shapes:
        `input` may have any shape. The result has the same shape, and its dtype unless `dtype` is
        given.

    Example:
        >>> print(ms.ops.ones_like(ms.Tensor([[1.0, 2.0]])))
        [[1. 1.]]
    """
    return xp.ones(input.shape, input.dtype if dtype is None else dtype)


@op(
    "ops.full_like(input, fill_value, *, dtype=None)",
    "mint.full_like(input, fill_value, *, dtype=None)",
    compute="native",
    quirks=Quirks(rules={"mint.full_like": {"fill_value": Scalar}}),
)
def full_like(xp, input: TensorOf(any_dtype), fill_value: Scalar | TensorOf(real, "bool"),
              dtype: DType = None):
    """Fills the shape of the input with one number.

    Shapes:
        `input` may have any shape. The result has the same shape, and its dtype unless `dtype` is
        given.

    Example:
        >>> print(ms.ops.full_like(ms.Tensor([[1.0, 2.0]]), 7))
        [[7. 7.]]
    """
    if fill_value.size != 1:
        raise ValueError(f"For 'full_like', 'fill_value' must be one number, but got shape "
                         f"{tuple(fill_value.shape)}.")
    value = xp.cast(xp.reshape(fill_value, ()), input.dtype if dtype is None else dtype)
    return xp.array(xp.broadcast_to(value, input.shape))


def _number(api, name, value):
    if isinstance(value, Tensor):
        if value.ndim:
            raise ValueError(f"For '{api}', '{name}' must have no axes, but got shape "
                             f"{value.shape}.")
        return value.item()
    value = plain_numbers(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"For '{api}', '{name}' must be a number, but got {value!r} of type "
                        f"{type(value).__name__}.")
    return value


@public("ops.arange")
def arange(start=0, end=None, step=1, *, dtype=None):
    """Numbers from `start` to below `end`, `step` apart; int64 for ints, else float32.

    Args:
        start (Union[int, float, Tensor]): the first number; the end, if `end` is None. Default: 0.
        end (Union[int, float, Tensor, None]): where the numbers stop.
        step (Union[int, float, Tensor]): the distance, not 0. Default: 1.
        dtype (mindspore.dtype): the dtype wanted.

    Raises:
        TypeError: if an argument is no number.
        ValueError: if `step` is 0, or leads away from `end`.

    Source: mindspore.ops.arange of MindSpore 2.10.
    """
    if end is None:
        start, end = 0, start
    start, end, step = (_number("arange", n, v) for n,
                        v in (("start", start), ("end", end), ("step", step)))
    if step == 0 or (end - start) * step < 0:
        raise ValueError(f"For 'arange', 'step' must lead from {start} to {end}, but got {step}.")
    whole = all(isinstance(v, int) for v in (start, end, step))
    made = current_space().arange(start, end, step, dtype="int64" if whole else "float64")
    return Tensor._wrap(made.astype(_numpy(dtype, "int64" if whole else "float32")))


Limit = Number | TensorOf(real)
Count = ScalarOf(Int(ge=0), TypeError)


@public("ops.range")
@checked
def range(start: Limit, end: Limit, step: Limit, maxlen: ScalarOf(Int(ge=1)) = 1000000):
    """Numbers from `start` to below `end`, `step` apart; the arguments may be Tensors.

    Raises:
        TypeError: if an argument is no number, `maxlen` no int, or some numbers are ints and some
            floats.
        ValueError: if `step` is 0 or leads away from `end`, or there are more than `maxlen`
        numbers.

    Source: mindspore.ops.range of MindSpore 2.10.
    """
    start, end, step = (v.reshape(()).item() if isinstance(v, Tensor) else v
                        for v in (start, end, step))
    if len({type(v) for v in (start, end, step)}) > 1:
        raise TypeError(f"For 'range', 'start', 'end' and 'step' must be all ints or all floats, "
                        f"but got {start!r}, {end!r}, {step!r}.")
    made = arange(start, end, step)
    if made.size > maxlen:
        raise ValueError(f"For 'range', there must be at most 'maxlen' {maxlen} numbers, but got "
                         f"{made.size}.")
    return made


@public("ops.linspace", "mint.linspace")
def linspace(start, end, steps, *, dtype=None):
    """`steps` numbers from `start` to `end`, evenly apart, both included; float32 by default.

    Raises:
        TypeError: if `start` or `end` is no number, or `steps` no int.
        ValueError: if `steps` is not positive.

    Source: mindspore.ops.linspace of MindSpore 2.10.
    """
    steps = plain_numbers(steps)
    start, end = (int(v) if isinstance(v, bool) else v for v in (start, end))
    first, last = _number("linspace", "start", start), _number("linspace", "end", end)
    if isinstance(steps, Tensor):
        steps = steps.item()
    if isinstance(steps, bool) or not isinstance(steps, int):
        raise TypeError(f"For 'linspace', 'steps' must be an int, but got {steps!r}.")
    if steps < 1:
        raise ValueError(f"For 'linspace', 'steps' must be at least 1, but got {steps}.")
    floating = isinstance(start, Tensor) and start.dtype.is_floating_point
    default = start._array.dtype if floating else "float32"
    return Tensor._wrap(current_space().linspace(first, last, steps).astype(_numpy(dtype, default)))


@public("ops.eye", "mint.eye")
@checked
def eye(n: Count, m: Int(ge=0) | None = None, dtype: DType = None):
    """Ones on the diagonal of an n x m matrix (n x n without `m`), zeros elsewhere; float32 by
    default.

    Source: mindspore.ops.eye of MindSpore 2.10.
    """
    return Tensor._wrap(current_space().eye(n, m, dtype=_numpy(dtype)))


def _primitive(name, call):
    made = type(name, (), {"__call__": staticmethod(call), "__doc__": call.__doc__})
    return public(f"ops.{name}")(made)


Plain = TensorOf("float32", "float64")

_primitive("Zeros", lambda size, dtype=None: zeros(size, dtype))
_primitive("Ones", lambda shape, dtype=None: ones(shape, dtype))
_primitive("Fill", lambda dtype, dims, x: full(dims, x, dtype=dtype))


@public("ops.Eye")
class Eye:
    """Ones on the diagonal of an n x m matrix, zeros elsewhere: `ops.Eye()(n, m, dtype)`."""

    @checked
    def __call__(self, n: Count, m: Count, dtype: DType):
        return eye(n, m, dtype)


@public("ops.LinSpace")
class LinSpace:
    """Numbers evenly between two Tensors without axes: `ops.LinSpace()(start, stop, num)`."""

    @checked(Alike("start stop"))
    def __call__(self, start: Plain, stop: Plain, num: Int(ge=1) | TensorOf("int32", "int64")):
        return linspace(start, stop, num)


@public("ops.Range")
class Range:
    """Numbers from start to below end, step apart: `ops.Range(maxlen)(start, end, step)`."""

    @checked
    def __init__(self, maxlen: Int(ge=1) = 1000000):
        self.maxlen = maxlen

    def __call__(self, start, end, step):
        return range(start, end, step, self.maxlen)


Value = TensorOf(integer | {"float16", "float32"})


@op(
    "ops.one_hot(indices, depth, on_value=1, off_value=0, axis=-1)",
    "ops.OneHot(axis=-1)(indices, depth, on_value, off_value)",
    types=SameDtype("on_value off_value"),
    compute="native",
    quirks=Quirks(rules={"ops.OneHot": {"on_value": Value, "off_value": Value}}),
)
def one_hot(xp, indices: TensorOf("int32", "int64", "uint8"), depth: InTensor(Int(ge=0)),
            on_value: FirstOf(Number) | Value = 1, off_value: FirstOf(Number) | Value = 0,
            axis: ScalarOf(Int) = -1):
    """Adds an axis on which `on_value` stands at each index and `off_value` elsewhere. Of several
    values in one of them the first counts. An index out of range gives `off_value` alone.

    Shapes:
        `indices` is of any shape of integers. The result has a new axis of length `depth` at
        `axis`, and the dtype of the values.

    Example:
        >>> print(ms.ops.one_hot(ms.Tensor([0, 2]), 3))
        [[1 0 0]
         [0 0 1]]
    """
    on_value, off_value = (xp.ravel(each)[0] if each.ndim else each
                           for each in (on_value, off_value))
    if on_value.dtype != off_value.dtype:
        raise TypeError(f"For 'one_hot', 'on_value' and 'off_value' must have one dtype, but got "
                        f"{on_value.dtype} and {off_value.dtype}.")
    axis = axis if axis >= 0 else axis + indices.ndim + 1
    view = [1] * (indices.ndim + 1)
    view[axis] = depth
    places = xp.arange(depth, dtype="int32" if indices.dtype == "uint8" else indices.dtype)
    return xp.where(xp.expand_dims(indices, axis) == xp.reshape(places, tuple(view)),
                    on_value, off_value)


@public("Tensor.new_zeros")
@checked
def new_zeros(input: TensorOf(any_dtype), size: Shape, dtype: DType = None):
    """Zeros of a size, in this Tensor's dtype unless one is given.

    Source: mindspore.Tensor.new_zeros of MindSpore 2.10.
    """
    return full(shape_of("new_zeros", (size,)), 0, dtype=input.dtype if dtype is None else dtype)


@public("Tensor.new_ones")
@checked
def new_ones(input: TensorOf(any_dtype), size: Shape, dtype: DType = None):
    """Ones of a size, in this Tensor's dtype unless one is given.

    Source: mindspore.Tensor.new_ones of MindSpore 2.10.
    """
    return full(shape_of("new_ones", (size,)), 1, dtype=input.dtype if dtype is None else dtype)


@public("Tensor.new_full")
@checked
def new_full(input: TensorOf(any_dtype), size: TupleOf(Int(ge=0)) | ListOf(Int(ge=0)),
             fill_value: Number | Bool, *, dtype: DType = None):
    """One number in a size, in this Tensor's dtype unless another is given.

    Source: mindspore.Tensor.new_full of MindSpore 2.10.
    """
    return full(size, fill_value, dtype=input.dtype if dtype is None else dtype)
