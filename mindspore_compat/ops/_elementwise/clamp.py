"""Clipping to bounds: clamp, clip_by_value."""

from ..._core.declare.inputs import Promote, Quirks
from ..._core.declare.op import op
from ..._core.declare.public_api import build, public
from ..._core.rules.vocabulary import AsValue, Bool, Number, TensorOf, real
from ..._core.tensor.dtype import float32, float64
from ..._core.tensor.tensor import Tensor

_CLIPPED_AT_ONCE = (float32, float64)
Clipped = AsValue(TensorOf(real), TensorOf("bool"))
Bound = AsValue(TensorOf(real) | Number, TensorOf("bool") | Bool)


def _of_one_kind(run):
    """Returns `run` for bounds that are both Tensors or both numbers; a Tensor without axes counts
    as either. Others are a TypeError."""

    def clamp(input, min, max):
        if min is not None and max is not None and _has_axes(min) != _has_axes(max):
            for bound in (min, max):
                if not isinstance(bound, Tensor):
                    raise TypeError(
                        f"For 'clamp', 'min' and 'max' must both be Tensors or both be numbers, "
                        f"but got {bound!r} and a Tensor."
                    )
        return run(input, min, max)

    return clamp


def _has_axes(bound):
    return isinstance(bound, Tensor) and bound.ndim > 0


@op(
    "ops.clamp(input, min=None, max=None)",
    "Tensor.clamp(min=None, max=None)",
    "mint.clamp(input, min=None, max=None)",
    "ops.clip(input, min=None, max=None)",
    "Tensor.clip(min=None, max=None)",
    "Tensor.clamp_(min=None, max=None)",
    "ops.clamp_(input, min=None, max=None)",
    "mint.nn.functional.clamp(input, min=None, max=None)",
    "mint.clip(input, min=None, max=None)",
    types=Promote("input min max"),
    quirks=Quirks(
        rules=dict.fromkeys(
            ("mint.clamp", "mint.clip"),
            {
                "input": TensorOf(real),
                "min": TensorOf(real) | Number,
                "max": TensorOf(real) | Number,
            },
        ),
        around=_of_one_kind,
    ),
)
def clamp(xp, input: Clipped, min: Bound | None = None, max: Bound | None = None):
    """Clips each element to the interval [min, max].

    Either bound may be left out. Where `min` is larger than `max`, the result is `max`.

    Shapes:
        Bounds that are Tensors are broadcast to the shape of `input`; either both bounds are
        Tensors, or both are numbers. The result has that shape and the dtype to which all are
        promoted.

    Example:
        >>> print(ms.ops.clamp(ms.Tensor([-2.0, 0.5, 3.0]), 0.0, 1.0))
        [0.  0.5 1. ]
    """
    if min is None and max is None:
        raise ValueError("For 'clamp', 'min' and 'max' can not both be None.")
    for bound in (min, max):
        if bound is not None and not _broadcasts(bound.shape, input.shape):
            raise ValueError(
                f"For 'clamp', 'min' and 'max' must broadcast to the shape of 'input', "
                f"{tuple(input.shape)}, but got shape {tuple(bound.shape)}."
            )
    if min is None or max is None:
        return xp.at_most(input, max) if min is None else xp.at_least(input, min)
    if min.ndim or max.ndim:
        return xp.at_most(xp.at_least(input, min), max)
    return xp.clip(input, min, max)


def _broadcasts(shape, wanted):
    lead = len(wanted) - len(shape)
    return lead >= 0 and all(n in (1, m) for n, m in zip(shape, wanted[lead:]))


@public("ops.clip_by_value")
def clip_by_value(x, clip_value_min=None, clip_value_max=None):
    """Clips the elements to [clip_value_min, clip_value_max] and keeps the dtype of `x`, which may
    also be a list or tuple of Tensors. A bool counts as a number.

    Args:
        x (Union[Tensor, list[Tensor], tuple[Tensor]]): the input.
        clip_value_min (Union[Tensor, Number]): the lower bound; None for no such bound.
        clip_value_max (Union[Tensor, Number]): the upper bound; None for no such bound.

    Returns:
        Tensor of the broadcast shape of `x` and the bounds, or a list or tuple of such Tensors.

    Raises:
        TypeError: if `x` is not one of these.
        ValueError: if both bounds are None.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.clip_by_value(ms.Tensor([-2.0, 0.5, 3.0]), ms.Tensor(0.0), ms.Tensor(1.0)))
        [0.  0.5 1. ]

    Source: mindspore.ops.clip_by_value of MindSpore 2.10.
    """
    if isinstance(x, (tuple, list)):
        return tuple(clip_by_value(tensor, clip_value_min, clip_value_max) for tensor in x)
    if (
        isinstance(x, Tensor)
        and x.dtype in _CLIPPED_AT_ONCE
        and _is_moderate(clip_value_min)
        and _is_moderate(clip_value_max)
    ):
        return clip_to_numbers.run(x, clip_value_min, clip_value_max)
    low, high = (_bound(x, value) for value in (clip_value_min, clip_value_max))
    if not isinstance(x, Tensor) or low is None and high is None:
        return build("ops", "clamp")(x, low, high)  # raises the error
    out = x if low is None else build("ops", "maximum")(x, low)
    return out if high is None else build("ops", "minimum")(out, high)


def _is_moderate(bound):
    """Returns True for a number that float32 represents, possibly after rounding."""
    return type(bound) in (float, int) and -1e38 < bound < 1e38


@op(compute="native")
def clip_to_numbers(xp, x: TensorOf("float32", "float64"), low: Number, high: Number):
    """Clips the elements to [low, high] in one pass, with the gradient of `clip_by_value`."""
    return xp.clip(x, low, high)


def _clipped_vjp(xp, g, x, low, high):
    """Returns the gradient of minimum(maximum(x, low), high), which each bound halves where it is
    equal to `x`."""
    share = 0.25 if low == high else 0.5
    g = xp.where((x == low) | (x == high), share * g, g)
    return xp.where((x < low) | (x > high), 0, g)


clip_to_numbers.vjp(x=_clipped_vjp)


def _bound(x, bound):
    """Returns a bound in the dtype of the Tensor that is clipped."""
    if not isinstance(x, Tensor) or not isinstance(bound, (bool, int, float, Tensor)):
        return bound  # clamp rejects it unless it is None
    return (bound if isinstance(bound, Tensor) else Tensor(bound)).astype(x.dtype)
