"""Maxima and minima with their positions: amax, max, argmax, ptp and related functions."""

import numpy as np

from ..._core.declare.inputs import Quirks
from ..._core.declare.op import op
from ..._core.declare.public_api import public
from ..._core.rules.value_rules import TensorOrNothing
from ..._core.rules.vocabulary import (
    Any,
    Bool,
    DType,
    Int,
    InTensor,
    Number,
    ScalarOf,
    TensorOf,
    TupleOf,
    any_dtype,
    checked,
    real,
)
from ..._core.tensor import dtype as dtypes
from ..._core.tensor.tensor import Tensor
from .._elementwise import maximum
from .._indexing import masks
from .._rules import Anything, Numbers, ScalarInt
from .picked import picked_vjp
from .reduce import Axes, Axis, axes_of


def _declare_extreme(line, word, limit, body, printed):
    """Declares `ops.amax` and `ops.amin`, which also take a mask and an initial value."""
    name = body.name

    def bounded(
        xp,
        input: TensorOf(any_dtype),
        axis: Axis = None,
        keepdims: Bool = False,
        initial: InTensor(Number | Bool, ValueError) = None,
        where: TensorOf(any_dtype) | TensorOrNothing = None,
    ):
        if where is not None:
            if initial is None:
                raise ValueError(f"For '{name}', 'initial' must be given with 'where'.")
            mask = xp.cast(where, "bool")
            input = xp.where(mask, input, xp.full(input.shape, initial, input.dtype))
        out = body.body(xp, input, axis, keepdims)
        if initial is None:
            return out
        return getattr(xp, limit)(out, xp.full(out.shape, initial, out.dtype))

    def by_tensor(input, axis, keepdims, initial, where):
        initial = initial.astype(input.dtype).reshape(())
        if isinstance(where, Tensor):
            input = masks.where.run(where.astype(dtypes.bool_), input, initial)
        return getattr(maximum, limit).run(body.run(input, axis, keepdims), initial)

    bounded.__name__ = name
    bounded.__doc__ = f"""Finds the {word} element over the axes given, by default over all.
    Equal ones share the gradient.

    Args:
        initial: a value that takes part everywhere.
        where: which elements take part; `initial` must be given with it. A value that is not a
            Tensor is ignored.

    Shapes:
        `input` may have any shape. The result lacks the axes given, or has length 1 there with
        `keepdims`; the dtype stays.

    Example:
        >>> print(ms.ops.{name}(ms.Tensor([[1.0, 5.0], [3.0, 4.0]]), axis=1))
        {printed}
    """
    op(line, quirks=Quirks(on_tape=by_tensor))(bounded)


@op(
    "ops.ReduceMax(keep_dims=False)(x: input, axis=())",
    "ops.reduce_max(x: input, axis=None, keep_dims=False)",
    "mint.amax(input, dim: axis=(), keepdim: keep_dims=False)",
    quirks=Quirks(
        rules={
            "mint.amax": {"input": TensorOf(real), "axis": Axes},
            "ops.ReduceMax": {"axis": Axes},
        }
    ),
)
def amax(xp, input: TensorOf(any_dtype), axis: Axis = None, keep_dims: Bool = False):
    """Computes the maximum over the given axes, by default over all. The gradient is divided among
    equal maxima.

    Shapes:
        `input` may have any shape. The result lacks the reduced axes, or has length 1 along them
        with `keep_dims`; the dtype is kept.

    Example:
        >>> print(ms.ops.ReduceMax()(ms.Tensor([[1.0, 5.0], [3.0, 4.0]]), 0))
        [3. 5.]
    """
    return xp.max(input, axes_of(axis), keepdims=keep_dims)


@op(
    "ops.ReduceMin(keep_dims=False)(x: input, axis=())",
    "ops.reduce_min(x: input, axis=None, keep_dims=False)",
    "mint.amin(input, dim: axis=(), keepdim: keep_dims=False)",
    quirks=Quirks(
        rules={
            "mint.amin": {"input": TensorOf(real), "axis": Axes},
            "ops.ReduceMin": {"axis": Axes},
        }
    ),
)
def amin(xp, input: TensorOf(any_dtype), axis: Axis = None, keep_dims: Bool = False):
    """Computes the minimum over the given axes, by default over all. The gradient is divided among
    equal minima.

    Shapes:
        `input` may have any shape. The result lacks the reduced axes, or has length 1 along them
        with `keep_dims`; the dtype is kept.

    Example:
        >>> print(ms.ops.ReduceMin()(ms.Tensor([[1.0, 5.0], [3.0, 4.0]]), 0))
        [1. 4.]
    """
    return xp.min(input, axes_of(axis), keepdims=keep_dims)


_declare_extreme(
    "ops.amax(input, axis=None, keepdims=False, *, initial=None, where=None)",
    "largest",
    "maximum",
    amax,
    "[5. 4.]",
)
_declare_extreme(
    "ops.amin(input, axis=None, keepdims=False, *, initial=None, where=None)",
    "smallest",
    "minimum",
    amin,
    "[1. 3.]",
)


def _extreme(xp, input, axis, keepdims, largest):
    if not input.ndim and axis in (0, -1):
        return input, xp.zeros((), "int64")
    values, at = xp.extremes(input, axis, largest)
    if not keepdims:
        values, at = xp.squeeze(values, axis), xp.squeeze(at, axis)
    return values, at


@op("ops.ArgMaxWithValue(axis=0, keep_dims=False)(input)", compute="native")
def arg_max_with_value(
    xp, input: TensorOf(real, "bool"), axis: ScalarInt = 0, keep_dims: Bool = False
):
    """Computes the maxima along an axis; returns their positions, then their values.

    Shapes:
        `input` may have any shape. Both results lack the axis, or have length 1 along it with
        `keep_dims`; the positions are int64 and the values keep the dtype.

    Example:
        >>> i, v = ms.ops.ArgMaxWithValue(axis=1)(ms.Tensor([[1.0, 5.0], [3.0, 4.0]]))
        >>> print(i, v)
        [1 1] [5. 4.]
    """
    values, at = _extreme(xp, input, axis, keep_dims, True)
    return xp.cast(at, "int64"), values


@op("ops.ArgMinWithValue(axis=0, keep_dims=False)(input)", compute="native")
def arg_min_with_value(
    xp, input: TensorOf(real, "bool"), axis: ScalarInt = 0, keep_dims: Bool = False
):
    """Computes the minima along an axis; returns their positions, then their values.

    Shapes:
        `input` may have any shape. Both results lack the axis, or have length 1 along it with
        `keep_dims`; the positions are int64 and the values keep the dtype.

    Example:
        >>> i, v = ms.ops.ArgMinWithValue(axis=1)(ms.Tensor([[1.0, 5.0], [3.0, 4.0]]))
        >>> print(i, v)
        [0 0] [1. 3.]
    """
    values, at = _extreme(xp, input, axis, keep_dims, False)
    return xp.cast(at, "int64"), values


@op(compute="native")
def max_along(xp, input: TensorOf(any_dtype), axis: Int, keepdims: Bool = False):
    """Returns (values, int64 positions) of the maxima along an axis."""
    values, at = _extreme(xp, input, axis, keepdims, True)
    return values, xp.cast(at, "int64")


max_along.vjp(
    input=lambda xp, g, input_shape, out, axis, keepdims: picked_vjp(
        xp, g, input_shape, out, axis, keepdims
    )
)


@op(compute="native")
def min_along(xp, input: TensorOf(any_dtype), axis: Int, keepdims: Bool = False):
    """Returns (values, int64 positions) of the minima along an axis."""
    values, at = _extreme(xp, input, axis, keepdims, False)
    return values, xp.cast(at, "int64")


min_along.vjp(
    input=lambda xp, g, input_shape, out, axis, keepdims: picked_vjp(
        xp, g, input_shape, out, axis, keepdims
    )
)


@op(
    "ops.argmax(input, dim=None, keepdim=False)",
    "mint.argmax(input, dim=None, keepdim=False)",
    compute="native",
)
def argmax(xp, input: TensorOf(any_dtype), dim: ScalarOf(Int) = None, keepdim: Bool = False):
    """Finds the position of the maximum along an axis, or in the flattened input where `dim` is
    None.

    Shapes:
        `input` may have any shape. The result is int64 and lacks the axis, or has length 1 along it
        with `keepdim`.

    Example:
        >>> print(ms.ops.argmax(ms.Tensor([[1.0, 5.0], [4.0, 3.0]]), 1))
        [1 0]
    """
    return xp.cast(xp.argmax(input, dim, keepdims=keepdim and dim is not None), "int64")


@op("ops.argmin(input, axis=None, keepdims=False)", compute="native")
def argmin_int32(xp, input: TensorOf(any_dtype), axis: ScalarOf(Int) = None, keepdims: Any = False):
    """Finds the position of the minimum along an axis, or in the flattened input where `axis` is
    None.

    Shapes:
        `input` may have any shape. The result is int32 and lacks the axis, or has length 1 along it
        with `keepdims`.

    Example:
        >>> print(ms.ops.argmin(ms.Tensor([[1.0, 5.0], [4.0, 3.0]]), 1))
        [0 1]
    """
    result = xp.argmin(input, axis, keepdims=keepdims and axis is not None)
    return xp.cast(result, "int32" if input.ndim else "int64")


@op("mint.argmin(input, dim: axis=None, keepdim: keepdims=False)", compute="native")
def argmin(xp, input: TensorOf(any_dtype), axis: Int | None = None, keepdims: Bool = False):
    """Finds the position of the minimum along an axis, or in the flattened input where no axis is
    given.

    Shapes:
        `input` may have any shape. The result is int64 and lacks the axis, or has length 1 along it
        with `keepdims`.

    Example:
        >>> print(ms.mint.argmin(ms.Tensor([[1.0, 5.0], [4.0, 3.0]]), 1))
        [0 1]
    """
    return xp.cast(xp.argmin(input, axis, keepdims=keepdims and axis is not None), "int64")


@op("ops.Argmax(axis=-1, output_type=int32)(input_x)", compute="native")
def argmax_as(
    xp,
    input_x: TensorOf(any_dtype),
    axis: ScalarOf(Int) = -1,
    output_type: DType("int32", "int64") = dtypes.int32,
):
    """Finds the position of the maximum along an axis.

    Shapes:
        `input_x` has at least one axis. The result lacks the axis and is of `output_type`, int32 or
        int64.

    Example:
        >>> print(ms.ops.Argmax()(ms.Tensor([[1.0, 5.0], [4.0, 3.0]])))
        [1 0]
    """
    _need_an_axis("Argmax", input_x)
    return xp.cast(xp.argmax(input_x, axis), output_type)


def _need_an_axis(api, x):
    if not x.ndim:
        raise ValueError(f"For '{api}', 'input_x' must have an axis, but got shape ().")


@op("ops.Argmin(axis=-1, output_type=int32)(input_x)", compute="native")
def argmin_as(
    xp,
    input_x: TensorOf(any_dtype),
    axis: ScalarInt = -1,
    output_type: DType("int32", "int64") = dtypes.int32,
):
    """Finds the position of the minimum along an axis.

    Shapes:
        `input_x` has at least one axis. The result lacks the axis and is of `output_type`, int32 or
        int64.

    Example:
        >>> print(ms.ops.Argmin()(ms.Tensor([[1.0, 5.0], [4.0, 3.0]])))
        [0 1]
    """
    _need_an_axis("Argmin", input_x)
    return xp.cast(xp.argmin(input_x, axis), output_type)


@public("ops.max")
@checked
def max(
    input: TensorOf(any_dtype),
    axis: Int | None = None,
    keepdims: Any = False,
    *,
    initial=None,
    where=None,
):
    """Computes the maxima along `axis`, or of all elements if it is None: (values, positions).

    Args:
        input (Tensor): any real dtype.
        axis (Union[int, None]): the axis. Default: None.
        keepdims (bool): True to keep the axis with length 1.
        initial (Union[scalar, None]): a lower bound of the result; ignored without an axis.
        where (Union[Tensor[bool], None]): a mask of the elements that count; needs `initial`. It is
            ignored without an axis; a number is ignored without `initial`.

    Returns:
        A tuple of two Tensors: the maxima in the dtype of `input`, and their positions along `axis`
        in int64; 0 without an axis.

    Example:
        >>> import mindspore_compat as ms
        >>> print(*ms.ops.max(ms.Tensor([[1.0, 5.0], [3.0, 4.0]]), axis=1))
        [5. 4.] [1 1]

    Source: mindspore.ops.max of MindSpore 2.10.
    """
    return _extreme_and_index(input, axis, keepdims, initial, where, amax, max_along, "maximum")


@public("ops.min")
@checked
def min(
    input: TensorOf(any_dtype),
    axis: Int | None = None,
    keepdims: Any = False,
    *,
    initial=None,
    where=None,
):
    """Computes the minima along `axis`, or of all elements if it is None: (values, positions).

    Args:
        input (Tensor): any real dtype.
        axis (Union[int, None]): the axis. Default: None.
        keepdims (bool): True to keep the axis with length 1.
        initial (Union[scalar, None]): an upper bound of the result; ignored without an axis.
        where (Union[Tensor[bool], None]): a mask of the elements that count; needs `initial`. It is
            ignored without an axis; a number is ignored without `initial`.

    Returns:
        A tuple of two Tensors: the minima in the dtype of `input`, and their positions along `axis`
        in int64; 0 without an axis.

    Example:
        >>> import mindspore_compat as ms
        >>> print(*ms.ops.min(ms.Tensor([[1.0, 5.0], [3.0, 4.0]]), axis=1))
        [1. 3.] [0 0]

    Source: mindspore.ops.min of MindSpore 2.10.
    """
    return _extreme_and_index(input, axis, keepdims, initial, where, amin, min_along, "minimum")


def _extreme_and_index(input, axis, keepdims, initial, where, over_all, along, bound):
    if not isinstance(input, Tensor):
        Anything.refuse("max", "input", input)
    if axis is None or input.ndim == 0:
        values = over_all.run(input, None, False)
        return values, Tensor(0, dtype=dtypes.int64)
    if initial is not None and not isinstance(initial, (bool, int, float)):
        raise TypeError(
            f"For '{over_all.name[1:]}', 'initial' must be a number, but got {initial!r}."
        )
    if where is not None and not (initial is None and isinstance(where, (bool, int, float))):
        if not isinstance(where, (Tensor, bool, int, float, list, tuple, np.ndarray)):
            raise TypeError(
                f"For 'max' and 'min', 'where' must be a Tensor, a bool or None, but got {where!r} "
                f"of type {type(where).__name__}."
            )
        where = where if isinstance(where, Tensor) else Tensor(where)
        if initial is None:
            raise ValueError("For 'max' and 'min', 'initial' must be given with 'where'.")
        input = masks.where.run(where, input, initial)
    if initial is not None:
        input = getattr(maximum, bound).run(input, initial)
    return along.run(input, axis, keepdims)


@op("Tensor.ptp(axis=None, keepdims=False)")
def ptp(
    xp, input: Numbers, axis: Int | Bool | TupleOf(Int | Bool) | None = None, keepdims: Bool = False
):
    """Computes the peak-to-peak range, the maximum minus the minimum, of all elements or along
    axes.

    Shapes:
        `input` may have any shape. The result lacks the reduced axes, or has length 1 along them
        with `keepdims`; the dtype is kept.

    Example:
        >>> print(ms.Tensor([[1.0, 5.0], [3.0, 4.0]]).ptp(axis=1))
        [4. 1.]
    """
    axis = tuple(map(int, axis)) if isinstance(axis, tuple) else axis if axis is None else int(axis)
    axis = None if axis == () else axis
    return xp.max(input, axis, keepdims=keepdims) - xp.min(input, axis, keepdims=keepdims)


def _mint_extreme(name, word, over_all, along, between, shown):
    """Defines `mint.max(input)`, `mint.max(input, dim, keepdim=False)` and `mint.max(input,
    other)`, or `mint.min`.

    `shown` is the output of the documented example.
    """

    def extreme(input, *args, **kwargs):
        if not args and not kwargs:
            return over_all.run(input)
        if "other" in kwargs or args and isinstance(args[0], (Tensor, float, bool)):
            return between.run(input, *args, **kwargs)
        return with_indices(input, *args, **kwargs)

    def with_indices(input: Anything, dim: Int, keepdim: Bool = False):
        return along.run(input, dim, keepdim)

    with_indices.__name__ = name  # error messages contain it
    with_indices = checked(with_indices)
    extreme.__name__ = extreme.__qualname__ = name
    extreme.__doc__ = f"""The {word} element, the {word} elements along an axis with their int64
    indices, or the {word} of two, element by element.

    Args:
        input (Tensor): any real dtype.
        dim (int): the axis, in the form that gives (values, indices).
        keepdim (bool): True to keep the axis with length 1.
        other (Union[Tensor, float, bool]): what is compared, in the form of two.

    Returns:
        Tensor without axes; with `dim` a tuple of two Tensors, the values and their int64 indices;
        with `other` a Tensor of the broadcast shape.

    Raises:
        TypeError: if the arguments fit no form.

    Example:
        >>> import mindspore_compat as ms
        >>> x = ms.Tensor([[1, 5], [7, 3]])
        >>> values, indices = ms.mint.{name}(x, 1)
        >>> print(ms.mint.{name}(x), values, indices)
        {shown}

    Source: mindspore.mint.{name} of MindSpore 2.10.
    """
    return public(f"mint.{name}")(extreme)


_mint_extreme("max", "largest", amax, max_along, maximum.maximum, "7 [5 7] [1 0]")
_mint_extreme("min", "smallest", amin, min_along, maximum.minimum, "1 [1 3] [0 1]")


@op("ops.aminmax(input, *, axis=0, keepdims=False)", "Tensor.aminmax(*, axis=0, keepdims=False)")
def aminmax(
    xp, input: TensorOf(real, "bool"), axis: ScalarOf(Int) | None = 0, keepdims: Bool = False
):
    """Computes the minimum and the maximum along an axis.

    Shapes:
        `input` may have any shape. Both results lack the axis, or have length 1 along it with
        `keepdims`; the dtype is kept.

    Example:
        >>> low, high = ms.ops.aminmax(ms.Tensor([[1.0, 5.0], [3.0, 4.0]]))
        >>> print(low, high)
        [1. 4.] [3. 5.]
    """
    if input.ndim == 0:
        return input, input
    if input.dtype.kind == "f":  # NaN is ignored
        missing = xp.isnan(input)
        least, most = (xp.where(missing, end, input) for end in (float("inf"), -float("inf")))
        return xp.min(least, axis, keepdims=keepdims), xp.max(most, axis, keepdims=keepdims)
    return xp.min(input, axis, keepdims=keepdims), xp.max(input, axis, keepdims=keepdims)
