"""Evenly spaced numbers: arange, range, linspace, logspace."""

import numpy

from ..._backend.arrays import current_space
from ..._core.declare.by_slices import in_each_slice
from ..._core.declare.inputs import SameDtype
from ..._core.declare.op import op, space_for
from ..._core.declare.public_api import public
from ..._core.declare.shapes_first import shapes_first
from ..._core.rules.number_forms import plain_numbers
from ..._core.rules.vocabulary import (
    DType,
    Float,
    Int,
    InTensor,
    Number,
    OneDtype,
    ScalarOf,
    TensorOf,
    checked,
    real,
)
from ..._core.tensor import dtype as dtypes
from ..._core.tensor.tensor import Tensor
from .._rules import Float32Or64, Floats, Reals
from ..primitive import Primitive, WithoutArguments
from .create import _numpy

Limit = Number | TensorOf(real)


def _number(api, name, value):
    if isinstance(value, Tensor):
        if value.ndim:
            raise ValueError(
                f"For '{api}', '{name}' must have no axes, but got shape {value.shape}."
            )
        return value.item()
    value = plain_numbers(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        Number.refuse(api, name, value)
    return value


@public("ops.arange")
def arange(start=0, end=None, step=1, *, dtype=None):
    """Creates evenly spaced numbers from `start` up to, but not including, `end`, `step` apart;
    int64 for ints, else float32.

    Args:
        start (Union[int, float, Tensor]): the first number; the end, if `end` is None. Default: 0.
        end (Union[int, float, Tensor, None]): the limit, which is not included.
        step (Union[int, float, Tensor]): the distance, not 0. Default: 1.
        dtype (mindspore.dtype): the dtype of the result.

    Returns:
        Tensor with one axis.

    Raises:
        TypeError: if an argument is not a number.
        ValueError: if `step` is 0, or leads away from `end`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.arange(1, 4))
        [1 2 3]

    Source: mindspore.ops.arange of MindSpore 2.10.
    """
    if end is None:
        start, end = 0, start
    start, end, step = (
        _number("arange", n, v) for n, v in (("start", start), ("end", end), ("step", step))
    )
    if step == 0 or (end - start) * step < 0:
        raise ValueError(f"For 'arange', 'step' must lead from {start} to {end}, but got {step}.")
    if all(isinstance(v, int) for v in (start, end, step)):
        result = current_space().arange(start, end, step, dtype="int64")
        return Tensor._wrap(result.astype(_numpy(dtype, "int64")))
    count = _count(start, end, step)
    return Tensor._wrap(current_space().progression(start, step, count, _numpy(dtype, "float32")))


def _count(start, end, step):
    """Returns the length of a range of floats, computed in float32, so that 0 to 1 by 0.01 has 100
    numbers.
    """
    start, end, step = (numpy.float32(v) for v in (start, end, step))
    return int(numpy.ceil((end - start) / step))


@public("ops.range")
@checked
def range(start: Limit, end: Limit, step: Limit, maxlen: ScalarOf(Int(ge=1)) = 1000000):
    """Creates evenly spaced numbers from `start` up to, but not including, `end`, `step` apart; the
    arguments may be Tensors.

    Args:
        start (Union[int, float, Tensor]): the first number.
        end (Union[int, float, Tensor]): the end, which is not part of the result.
        step (Union[int, float, Tensor]): the distance of neighbours; may be negative.
        maxlen (int): how many numbers are allowed.

    Returns:
        Tensor with one axis.

    Raises:
        TypeError: if an argument is not a number, `maxlen` is not an int, or ints and floats are
            mixed.
        ValueError: if `step` is 0 or leads away from `end`, or there are more than `maxlen`
            numbers.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.range(0, 4, 1))
        [0 1 2 3]

    Source: mindspore.ops.range of MindSpore 2.10.
    """
    start, end, step = (
        v.reshape(()).item() if isinstance(v, Tensor) else v for v in (start, end, step)
    )
    if len({type(v) for v in (start, end, step)}) > 1:
        raise TypeError(
            f"For 'range', 'start', 'end' and 'step' must be all ints or all floats, "
            f"but got {start!r}, {end!r}, {step!r}."
        )
    result = arange(start, end, step)
    if result.size > maxlen:
        raise ValueError(
            f"For 'range', there must be at most 'maxlen' {maxlen} numbers, but got {result.size}."
        )
    return result


@public("ops.linspace", "mint.linspace")
def linspace(start, end, steps, *, dtype=None):
    """Creates `steps` evenly spaced numbers from `start` to `end`, both included; float32 by
    default.

    Args:
        start (Union[int, float, Tensor]): the first number; a Tensor has no axes.
        end (Union[int, float, Tensor]): the last number.
        steps (int): how many numbers.
        dtype (mindspore.dtype): the dtype of the result; None for float32.

    Returns:
        Tensor of shape (steps,).

    Raises:
        TypeError: if `start` or `end` is not a number, or `steps` not an int.
        ValueError: if `steps` is not positive.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.linspace(0, 1, 3))
        [0.  0.5 1. ]

    Source: mindspore.ops.linspace of MindSpore 2.10.
    """
    steps = plain_numbers(steps)
    start, end = (Tensor(v) if isinstance(v, numpy.ndarray) else v for v in (start, end))
    start, end = (int(v) if isinstance(v, (bool, numpy.bool_)) else v for v in (start, end))
    first, last = _number("linspace", "start", start), _number("linspace", "end", end)
    if isinstance(steps, Tensor):
        steps = steps.item()
    if isinstance(steps, bool) or not isinstance(steps, int):
        Int.refuse("linspace", "steps", steps)
    if steps < 1:
        raise ValueError(f"For 'linspace', 'steps' must be at least 1, but got {steps}.")
    floating = isinstance(start, Tensor) and start.dtype.is_floating_point
    dtype = _numpy(dtype, start._array.dtype if floating else "float32")
    return Tensor._wrap(_evenly_spaced(current_space(), first, last, steps, dtype))


def _evenly_spaced(xp, first, last, count, dtype):
    """Computes NumPy's `linspace` in float64, converted to `dtype`."""
    is_real = all([type(number) in (int, float) for number in (first, last)])
    step = (float(last) - float(first)) / (count - 1) if is_real and count > 1 else 0.0
    if not step:
        return xp.linspace(first, last, count).astype(dtype)
    return xp.progression(float(first), step, count, dtype, float(last))


@public("ops.LinSpace")
class LinSpace(WithoutArguments):
    """Creates evenly spaced numbers between two 0-D Tensors: `ops.LinSpace()(start, stop, num)`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.LinSpace()(ms.Tensor(0.0), ms.Tensor(1.0), 3))
        [0.  0.5 1. ]
    """

    @in_each_slice
    @shapes_first
    @checked(OneDtype("start stop"))
    def __call__(self, start: Float32Or64, stop: Float32Or64, num: InTensor(Int(ge=1))):
        return linspace(start, stop, num)


@public("ops.Range")
class Range(Primitive):
    """Creates evenly spaced numbers from start up to, but not including, end:
    `ops.Range(maxlen)(start, end, step)`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.Range()(ms.Tensor(0), ms.Tensor(4), ms.Tensor(1)))
        [0 1 2 3]
    """

    @checked
    def __init__(self, maxlen: Int(ge=1) = 1000000):
        self.maxlen = maxlen

    def __call__(self, start, end, step):
        return range(start, end, step, self.maxlen)


@op(
    "ops.LogSpace(steps=10, base=10, dtype=float32)(start, end)",
    types=SameDtype("start end"),
    compute="native",
)
def log_space(
    xp,
    start: Floats,
    end: Floats,
    steps: Int(ge=0) = 10,
    base: Int(ge=0) = 10,
    dtype: DType = "float32",
):
    """Creates logarithmically spaced numbers: `base` to the power of each of `steps` evenly spaced
    numbers from `start` to `end`.

    Shapes:
        `start` and `end` are scalars. The result is (steps,), of `dtype`.

    Example:
        >>> print(ms.ops.LogSpace(steps=3)(ms.Tensor(0.0), ms.Tensor(2.0)))
        [  1.  10. 100.]
    """
    if start.ndim or end.ndim:
        raise ValueError(
            f"For 'LogSpace', 'start' and 'end' must have no axes, but got shapes "
            f"{start.shape} and {end.shape}."
        )
    if base < 0:
        raise ValueError(f"For 'LogSpace', 'base' must be at least 0, but got {base}.")
    along = xp.arange(steps) / max(steps - 1, 1)
    numbers = xp.cast(start, "float64") * (1 - along) + xp.cast(end, "float64") * along
    return xp.cast(xp.power(float(base), numbers), dtype)


@public("ops.logspace")
@checked
def logspace(
    start: Float | Floats,
    end: Float | Floats,
    steps: ScalarOf(Int(ge=0), TypeError),
    base: ScalarOf(Int, TypeError) = 10,
    *,
    dtype: DType = dtypes.float32,
):
    """Creates logarithmically spaced numbers: `base` to the power of each of `steps` evenly spaced
    numbers from `start` to `end`.

    Args:
        start (Union[float, Tensor]): the first exponent.
        end (Union[float, Tensor]): the last exponent.
        steps (int): how many numbers.
        base (int): the base. Default: 10.
        dtype (mindspore.dtype): the dtype of the result. Default: float32.

    Returns:
        Tensor of shape (steps,).

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if `steps` or `base` is below 0.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.logspace(0.0, 2.0, 3))
        [  1.  10. 100.]

    Source: mindspore.ops.logspace of MindSpore 2.10.
    """
    ends = [
        end_point if isinstance(end_point, Tensor) else Tensor(float(end_point), dtypes.float32)
        for end_point in (start, end)
    ]
    return log_space.run(*ends, steps, base, dtypes.to_numpy(dtype))


@public("mint.arange")
@checked
def mint_arange(start: Number = 0, end: Number = None, step: Number = 1, *, dtype: DType = None):
    """Creates evenly spaced numbers from `start` up to, but not including, `end`, `step` apart;
    int64 for ints, else float32.

    Args:
        start (Union[float, int]): the first number; the end, if `end` is None. Default: 0.
        end (Union[float, int]): the limit, which is not included.
        step (Union[float, int]): the distance, not 0. Default: 1.
        dtype (mindspore.dtype): the dtype of the result.

    Returns:
        Tensor with one axis: int64 if all numbers are ints, else float32, unless `dtype` is given.

    Raises:
        TypeError: if an argument is not a number.
        ValueError: if `step` is 0 or leads away from `end`, or if `start` is `end`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.mint.arange(1, 4))
        [1 2 3]

    Source: mindspore.mint.arange of MindSpore 2.10.
    """
    if end is None:
        start, end = 0, start
    if start == end:
        raise ValueError(
            f"For 'arange', 'start' must differ from 'end', but got {start} and {end}."
        )
    return arange(start, end, step, dtype=dtype)


@public("ops.RaggedRange")
class RaggedRange(Primitive):
    """Concatenates several ranges; returns (the offset of each range, the numbers).

    Args:
        Tsplits (mindspore.dtype): int32 or int64, the dtype of the offsets.

    Inputs: starts, limits and deltas, Tensors of one dtype with at most one axis, which broadcast.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if a delta is 0, or an input has two axes or more.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.RaggedRange(ms.int64)(ms.Tensor([0]), ms.Tensor([3]), ms.Tensor([1]))[1])
        [0 1 2]

    Source: mindspore.ops.RaggedRange of MindSpore 2.10.
    """

    @checked
    def __init__(self, Tsplits: DType("int32", "int64")):
        super().__init__("RaggedRange")
        self.Tsplits = Tsplits

    @checked(OneDtype("starts limits deltas"))
    def __call__(self, starts: Reals, limits: Reals, deltas: Reals):
        bounds = [bound.asnumpy() for bound in (starts, limits, deltas)]
        if any(bound.ndim > 1 for bound in bounds):
            raise ValueError(
                "For 'RaggedRange', the inputs must have at most one axis, but got "
                f"shapes {', '.join(str(bound.shape) for bound in bounds)}."
            )
        if any(bound.ndim for bound in bounds) and len({b.size for b in bounds} - {1}) > 1:
            raise ValueError(
                "For 'RaggedRange', the inputs must have equal lengths or length 1, but got "
                f"shapes {', '.join(str(bound.shape) for bound in bounds)}."
            )
        rows = numpy.stack(
            numpy.broadcast_arrays(*(numpy.atleast_1d(bound) for bound in bounds)), -1
        )
        if (rows[:, 2] == 0).any():
            raise ValueError("For 'RaggedRange', 'deltas' must not hold 0.")
        parts = [numpy.arange(*row).astype(bounds[0].dtype) for row in rows.tolist()]
        parts = parts or [numpy.zeros(0, bounds[0].dtype)]
        ends = numpy.cumsum([0, *map(len, parts[: len(rows)])]).astype(
            dtypes.to_numpy(self.Tsplits)
        )
        asarray = space_for(starts._array).asarray
        return Tensor._wrap(asarray(ends)), Tensor._wrap(asarray(numpy.concatenate(parts)))
