"""Dropout, and the activations that draw random numbers.

Masks are drawn from the generator that `mindspore.set_seed` seeds; an op with its own seeds has its
own generator. Gradients treat masks as constants.
"""

import numpy as np

from ..._backend.bodies.gpu import bodies_of
from ..._backend.cuda import bit_masks
from ..._backend.random.kernels import Kernels, of_call, of_channels
from ..._backend.space import implements
from ..._core.autograd.vjp_rules import derive
from ..._core.declare.inputs import Quirks
from ..._core.declare.op import op
from ..._core.declare.values import upcast
from ..._core.rules.vocabulary import (
    Bool,
    Float,
    Int,
    ListOf,
    Number,
    ScalarOf,
    TensorOf,
    TupleOf,
    floating,
)
from ...common._graph_mode.call import in_graph
from .._rules import WIDE_UNSIGNED, Floats, Reals

Chance = Float(ge=0.0, le=1.0)


def _drop(xp, x, mask, keep):
    """Returns `x` where the mask is true, scaled to keep its expectation, and 0 elsewhere."""
    return xp.zeros_like(x) if keep == 0 else xp.dropped(x, mask, keep)


@implements
def dropped(xp, x, mask, keep):
    """Computes `x` / `keep` where the mask is true, and `x` * 0 elsewhere. The scale is a float32
    number. On a GPU it is one kernel, and the mask may be that of `dropout_mask`."""
    dtype = x.dtype
    if mask.dtype == np.uint16:
        return bit_masks.scaled(xp.module, x, mask, np.float32(1 / keep))
    if dtype.kind in "fV" and mask.shape == x.shape and (bodies := bodies_of(xp, x, mask)):
        scale = float(np.float32(1 / keep))
        if (result := bodies.pointwise(_scale_kept, x, mask, scale=scale)) is not None:
            return result
    x, scale = upcast(xp, x), xp.cast(mask, "float32") * (1 / keep)
    return xp.cast(x * xp.cast(scale, x.dtype if x.dtype.kind == "f" else "float32"), dtype)


def _scale_kept(xp, x, mask, *, scale):
    return xp.where(mask, x * scale, x * 0.0)


derive(
    "dropped(x, mask, keep)",
    arrays="x mask",
    x=lambda xp, g, mask, keep: xp.dropped(g, mask, keep),
    upcast="low_precision_kernels",
)


Droppable = Reals.but("uint8", *WIDE_UNSIGNED)
Signed = Reals.but("int8", "int16", "uint8", *WIDE_UNSIGNED)


def _in_training(run):
    def dropped_or_itself(input, p, training, seed):
        return input if not training and not in_graph() else run(input, p, training, seed)

    return dropped_or_itself


@op(
    "ops.dropout(input, p=0.5, training=True, seed=None)",
    compute="kernels",
    quirks=Quirks(around=_in_training),
)
def dropout(
    xp,
    input: Floats,
    p: ScalarOf(Chance, TypeError) = 0.5,
    training: Bool = True,
    seed: Int(ge=0) = None,
):
    """Applies dropout: sets each element to zero with probability `p` and divides the others by 1 -
    p.

    Without `training` it returns the input itself. A `seed` determines the masks of successive
    calls.

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(sorted(set(ms.ops.dropout(ms.ops.ones((100,)), p=0.5).asnumpy().tolist())))
        [0.0, 2.0]
    """
    if not training:
        return input
    if isinstance(seed, Kernels):  # of a layer
        source = seed.stream(input.shape, input.dtype)
    else:
        source = of_call("Dropout", seed)  # which counts this call even if it keeps all elements
    if p == 0:
        return xp.array(input)
    mask = xp.dropout_mask(input.shape, input.dtype, 1 - p, source=source)
    return _drop(xp, input, mask, 1 - p)


@op(
    "mint.nn.functional.dropout(input, p=0.5, training=True, inplace=False)",
    "mint.nn.Dropout(p=0.5, inplace=False)(input)",
    quirks=Quirks(rules={"mint.nn.functional.dropout": {"inplace": Bool}}),
    compute="kernels",
)
def dropout_ext(xp, input: Floats, p: Number(ge=0, le=1) = 0.5, training: Bool = True):
    """Applies dropout: sets each element to zero with probability `p` and divides the others by 1 -
    p. Without `training` it returns the input itself.

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.mint.nn.functional.dropout(ms.ops.ones((4,)), p=0.5, training=False))
        [1. 1. 1. 1.]
    """
    if not training or p == 0:
        return input
    return _drop(xp, input, xp.dropout_mask(input.shape, input.dtype, 1 - p), 1 - p)


@op("ops.Dropout(keep_prob=0.5, Seed0=0, Seed1=0)(x)", compute="kernels")
def dropout_primitive(
    xp,
    x: Floats,
    keep_prob: ScalarOf(Float(gt=0.0, le=1.0)) = 0.5,
    Seed0: ScalarOf(Int) = 0,
    Seed1: ScalarOf(Int) = 0,
):
    """Applies dropout: keeps each element with probability `keep_prob` and divides it by that; the
    others become zero.

    Shapes:
        `x` may have any shape. The result has the same shape and dtype.

    Returns:
        The result, and the mask of ones and zeros in the input's dtype.

    Example:
        >>> out, mask = ms.ops.Dropout(keep_prob=0.5)(ms.ops.ones((100,)))
        >>> print(bool((out == 2 * mask).all()))
        True
    """
    mask = xp.dropout_mask(x.shape, x.dtype, keep_prob, Seed0, Seed1)
    return _drop(xp, x, mask, keep_prob), xp.kept_ones(mask, x.shape, x.dtype)


# Whole channels -----------------------------------------------------------------------------------


def _channels(xp, api, x, keep, ranks, kernel=None):
    """Drops whole channels of the input; returns the result, and the mask, which broadcasts. The
    mask is MindSpore's if the `kernel` that draws it there is given."""
    if x.ndim not in ranks:
        counts = " or ".join(map(str, ranks))
        raise ValueError(
            f"For '{api}', the input must have {counts} dimensions, but got shape {tuple(x.shape)}."
        )
    lead = 2 if x.ndim == ranks[-1] else 1
    source = of_channels(kernel, x.shape, x.dtype, keep) if kernel else None
    shape = tuple(x.shape[:lead]) + (1,) * (x.ndim - lead)
    mask = xp.random_keep(shape, keep, source=source)
    return _drop(xp, x, mask, keep), mask


@op("ops.dropout1d(input, p=0.5, training=True)", quirks=Quirks(shapes_first=True))
def dropout1d(xp, input: Droppable, p: Chance = 0.5, training: Bool = True):
    """Applies channel dropout to sequences: sets whole channels to zero with probability `p` and
    divides the others by 1 - p.

    Shapes:
        `input` is (N, C, L) or (C, L). The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.dropout1d(ms.ops.ones((2, 3, 4)), p=0.0).shape)
        (2, 3, 4)
    """
    out, _ = _channels(xp, "dropout1d", input, 1 - p, (2, 3), "1D")
    return out if training else input


@op("ops.dropout2d(input, p=0.5, training=True)")
def dropout2d(xp, input: Droppable, p: Number(ge=0, le=1) | Bool = 0.5, training: Bool = True):
    """Applies channel dropout to images: sets whole channels to zero with probability `p` and
    divides the others by 1 - p.

    Shapes:
        `input` is (N, C, H, W). The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.dropout2d(ms.ops.ones((2, 3, 4, 5)), p=0.0).shape)
        (2, 3, 4, 5)
    """
    out, _ = _channels(xp, "dropout2d", input, 1 - p, (4,), "2D")
    return out if training else input


@op(
    "mint.nn.functional.dropout2d(input, p=0.5, training=True, inplace=False)",
    "mint.nn.Dropout2d(p=0.5, inplace=False)(input)",
    quirks=Quirks(rules={"mint.nn.functional.dropout2d": {"inplace": Bool}}),
)
def dropout2d_ext(xp, input: Reals, p: Number(ge=0, le=1) = 0.5, training: Bool = True):
    """Applies channel dropout to images: sets whole channels to zero with probability `p` and
    divides the others by 1 - p.

    Shapes:
        `input` is (N, C, H, W) or (C, H, W). The result has the same shape and dtype.

    Example:
        >>> print(ms.mint.nn.functional.dropout2d(ms.ops.ones((2, 3, 4, 5)), p=0.0).shape)
        (2, 3, 4, 5)
    """
    out, _ = _channels(xp, "dropout2d", input, 1 - p, (3, 4))
    return out if training else input


@op("ops.dropout3d(input, p=0.5, training=True)")
def dropout3d(xp, input: Droppable, p: Number(ge=0, le=1) | Bool = 0.5, training: Bool = True):
    """Applies channel dropout to volumes: sets whole channels to zero with probability `p` and
    divides the others by 1 - p.

    Shapes:
        `input` is (N, C, D, H, W). The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.dropout3d(ms.ops.ones((2, 3, 4, 5, 6)), p=0.0).shape)
        (2, 3, 4, 5, 6)
    """
    out, _ = _channels(xp, "dropout3d", input, 1 - p, (5,), "3D")
    return out if training else input


def _with_mask(xp, api, x, keep, rank):
    out, mask = _channels(xp, api, x, keep, (rank,), f"{rank - 2}D")
    return out, xp.broadcast_to(mask, x.shape)


@op("ops.Dropout2D(keep_prob=0.5)(x)")
def dropout2d_primitive(xp, x: Droppable, keep_prob: Chance = 0.5):
    """Applies channel dropout to images: keeps whole channels with probability `keep_prob` and
    divides them by that; the others become zero.

    Shapes:
        `x` is (N, C, H, W). The result has the same shape and dtype.

    Returns:
        The result, and the bool mask of the input's shape.

    Example:
        >>> out, mask = ms.ops.Dropout2D(keep_prob=1.0)(ms.ops.ones((1, 1, 1, 2)))
        >>> print(out, mask)
        [[[[1. 1.]]]] [[[[ True  True]]]]
    """
    return _with_mask(xp, "Dropout2D", x, keep_prob, 4)


@op("ops.Dropout3D(keep_prob=0.5)(x)")
def dropout3d_primitive(xp, x: Droppable, keep_prob: Chance = 0.5):
    """Applies channel dropout to volumes: keeps whole channels with probability `keep_prob` and
    divides them by that; the others become zero.

    Shapes:
        `x` is (N, C, D, H, W). The result has the same shape and dtype.

    Returns:
        The result, and the bool mask of the input's shape.

    Example:
        >>> out, mask = ms.ops.Dropout3D(keep_prob=1.0)(ms.ops.ones((1, 1, 1, 1, 2)))
        >>> print(out, mask)
        [[[[[1. 1.]]]]] [[[[[ True  True]]]]]
    """
    return _with_mask(xp, "Dropout3D", x, keep_prob, 5)


# A mask is drawn first and used later: one bit per element, padded to a multiple of 128.


@op("ops.DropoutGenMask(Seed0=0, Seed1=0)(shape, keep_prob)")
def dropout_gen_mask(
    xp,
    keep_prob: TensorOf(floating, scalars=True),
    shape: TupleOf(Int(ge=0)) | ListOf(Int(ge=0)),
    Seed0: Int = 0,
    Seed1: Int = 0,
):
    """Draws a dropout mask for `DropoutDoMask`: one bit per element, which is 1 with probability
    `keep_prob`.

    Shapes:
        `shape` is a tuple with n elements in total. The result is (ceil(n / 128) * 16,), of uint8.

    Example:
        >>> print(ms.ops.DropoutGenMask()((4, 5), ms.Tensor(0.5)).shape)
        (16,)
    """
    count = 1
    for n in shape:
        count *= n
    keep = float(keep_prob)
    bits = xp.random_keep((-(-count // 128) * 128,), keep, Seed0, Seed1)
    return xp.packbits(bits)


@op("ops.DropoutDoMask()(x, mask, keep_prob)")
def dropout_do_mask(
    xp, x: Floats, mask: TensorOf("uint8"), keep_prob: TensorOf(floating, scalars=True)
):
    """Applies a dropout mask: keeps the elements of `x` whose bit in `mask` is 1 and divides them
    by `keep_prob`; the others become zero.

    Shapes:
        `x` may have any shape of n elements; `mask` is (ceil(n / 128) * 16,), of uint8. The result
        has the shape and dtype of `x`.

    Example:
        >>> mask = ms.ops.DropoutGenMask()((4,), ms.Tensor(1.0))
        >>> print(ms.ops.DropoutDoMask()(ms.ops.ones((4,)), mask, ms.Tensor(1.0)))
        [1. 1. 1. 1.]
    """
    bits = xp.unpackbits(mask)
    if bits.size < x.size:
        raise ValueError(
            f"For 'DropoutDoMask', 'mask' must have a bit for each of {x.size} elements, but got "
            f"{bits.size}."
        )
    return _drop(xp, x, xp.reshape(bits[: x.size], x.shape), float(keep_prob))


# Random activations -------------------------------------------------------------------------------


def _random_leaky(xp, x, drawn, *, lower, upper):
    return xp.where(x >= 0, x, x * (drawn * (upper - lower) + lower))


def _random_leaky_vjp(xp, g, x, drawn, *, lower, upper):
    return xp.where(x >= 0, g, g * (drawn * (upper - lower) + lower))


@implements
def random_leaky(xp, x, drawn, lower, upper):
    """Returns `x` where it is not negative, else `x` times a slope in [lower, upper) that `drawn`,
    a random number in [0, 1), selects.
    """
    return xp.pointwise(_random_leaky, x, drawn, lower=lower, upper=upper)


derive(
    "random_leaky(x, drawn, lower, upper)",
    arrays="x drawn",
    x=lambda xp, g, x, drawn, lower, upper: xp.pointwise(
        _random_leaky_vjp, g, x, drawn, lower=lower, upper=upper
    ),
)


@op("ops.rrelu(input, lower=0.125, upper=0.3333333333333333)")
def rrelu(xp, input: Signed, lower: Number | Bool = 0.125, upper: Number | Bool = 1 / 3):
    """Applies the randomized leaky ReLU: multiplies negative elements by random slopes in [lower,
    upper).

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.rrelu(ms.Tensor([-1.0, 2.0]), lower=0.25, upper=0.25))
        [-0.25  2.  ]
    """
    if lower > upper:
        raise ValueError(
            f"For 'rrelu', 'lower' must be at most 'upper', but got {lower!r} and {upper!r}."
        )
    if input.dtype == np.float32:
        noise = xp.random_uniform(input.shape, source=of_call("uniform"))
        return xp.random_leaky(input, noise, float(lower), float(upper))
    negative_slope = xp.random_uniform(input.shape, float(lower), float(upper), of_call("uniform"))
    negative_slope = (
        xp.cast(negative_slope, input.dtype) if input.dtype.kind == "f" else negative_slope
    )
    return xp.cast(xp.where(input >= 0, input, input * negative_slope), input.dtype)


@op("ops.gumbel_softmax(logits, tau=1.0, hard=False, dim=-1)", quirks=Quirks(shapes_first=True))
def gumbel_softmax(
    xp,
    logits: TensorOf("float16", "float32"),
    tau: Float(gt=0.0) = 1.0,
    hard: Bool = False,
    dim: Int = -1,
):
    """Computes the Gumbel softmax, the softmax of (logits + Gumbel noise) / tau along `dim`.

    With `hard`, the result is one-hot at the largest entries, and its gradient is the gradient of
    the softmax.

    Shapes:
        `logits` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.gumbel_softmax(ms.Tensor([[0.0, 0.0, 90.0]]), hard=True))
        [[0. 0. 1.]]
    """
    if not -logits.ndim <= dim < logits.ndim:
        raise ValueError(
            f"For 'gumbel_softmax', 'dim' must be in [{-logits.ndim}, {logits.ndim}), but got "
            f"{dim}."
        )
    uniform_numbers = xp.random_uniform(logits.shape, 1e-30, 1.0, of_call("uniform"))
    noise = -xp.log(-xp.log(xp.maximum(uniform_numbers, 1e-30)))
    scaled = (logits + xp.cast(noise, logits.dtype)) / tau
    e = xp.exp(scaled - xp.max(scaled, dim, keepdims=True))
    soft = e / xp.sum(e, dim, keepdims=True)
    if not hard:
        return soft
    best = xp.expand_dims(xp.argmax(soft, dim), dim)
    indices = xp.arange(logits.shape[dim])
    indices = xp.reshape(indices, (-1,) + (1,) * (logits.ndim - 1 - dim % logits.ndim))
    one_hot = xp.cast(indices == best, logits.dtype)
    return one_hot + (soft - xp.stop(soft))
