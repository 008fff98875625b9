"""Random permutations and samples: shuffle, bernoulli, multinomial, categorical."""

import numpy

from ..._backend.arrays import current_space
from ..._backend.random import streams
from ..._backend.random.kernels import OfMinimal, of_bernoulli
from ..._core.declare.op import op, space_for
from ..._core.declare.public_api import public
from ..._core.rules.value_rules import ElementOf
from ..._core.rules.vocabulary import (
    Any,
    Bool,
    DType,
    Float,
    Int,
    InTensor,
    TensorOf,
    checked,
    real,
)
from ..._core.tensor import dtype as dtypes
from ..._core.tensor.tensor import Tensor
from .._reduction.statistics import bin_indices
from .._rules import Anything, Float16To64
from .generators import Seed, _Draw, _first, _generator, _make, _number, _Seeded, _stream

_Mask = TensorOf("bool").called("a bool Tensor")


@op(compute="native")
def permuted(xp, x: Anything, order: TensorOf("int64")):
    """Returns the slices of the input in the given order."""
    return xp.take(x, order, 0)


@public("ops.shuffle")
@checked
def shuffle(x: Anything, seed: Seed = None):
    """Shuffles the slices along the first axis; differentiable.

    Args:
        x (Tensor): the input.
        seed (int): a seed for this call alone; None draws from the global seed.

    Returns:
        Tensor of the same shape and dtype.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.shuffle(ms.Tensor([1, 2, 3])).sum())
        6

    Source: mindspore.ops.shuffle of MindSpore 2.10.
    """
    return _shuffle(streams.stream(seed), x)


def _shuffle(stream, x):
    if x.ndim == 0:
        return x
    xp = space_for(x._array)
    return permuted.run(x, _permutation(xp, x.shape[0], _Draw(lambda: stream, xp)))


def _permutation(xp, count, draw):
    """Draws a random permutation of `count` indices: the sort order of `count` random numbers."""
    return Tensor._wrap(xp.argsort(draw.random((count,))))


@public("ops.randperm")
@checked
def randperm(
    n: InTensor(Int(ge=1)),
    seed: ElementOf(Int) = 0,
    offset: ElementOf(Int(ge=0)) = 0,
    dtype: DType = dtypes.int64,
):
    """Draws a random permutation of the integers below n; int64 by default.

    Args:
        n (Union[int, Tensor]): how many integers.
        seed (int): a seed for this call alone; 0 draws from the global seed.
        offset (int): a second seed.
        dtype (mindspore.dtype): the dtype of the result.

    Returns:
        Tensor of shape (n,).

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.randperm(4).shape)
        (4,)

    Source: mindspore.ops.randperm of MindSpore 2.10.
    """
    xp = current_space()
    return _make(_permutation(xp, n, _first(xp, seed, offset))._array, dtype, "int64")


@public("mint.randperm")
def mint_randperm(n, *, generator=None, dtype=None):
    """Draws a random permutation of the integers below n; int64 by default.

    Args:
        n (int): how many integers.
        generator (mindspore.Generator): the source of the numbers; None for the default generator.
        dtype (mindspore.dtype): the dtype of the result; None for int64.

    Returns:
        Tensor of shape (n,).

    Raises:
        TypeError: if `n` is not an int.
        ValueError: if `n` is negative.

    Example:
        >>> print(sorted(ms.mint.randperm(4).tolist()))
        [0, 1, 2, 3]
    """
    xp = current_space()
    return _make(_permutation(xp, n, _stream(generator or None, xp))._array, dtype, "int64")


@public("ops.bernoulli")
@checked
def bernoulli(
    input: TensorOf(real, "bool"),
    p: TensorOf("float32", "float64") | Float(ge=0.0, le=1.0) = 0.5,
    seed: Int(ge=-1) = None,
):
    """Draws Bernoulli samples, 1 with probability p, else 0, in the input's shape and dtype.

    Args:
        input (Tensor): gives shape and dtype of the result; its values are not used.
        p (Union[Tensor, float]): the probability of a 1, which broadcasts to `input`.
        seed (int): a seed for this call alone; None draws from the global seed.

    Returns:
        Tensor of the shape and dtype of `input`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.bernoulli(ms.Tensor([5.0, 6.0]), p=1.0))
        [1. 1.]

    Source: mindspore.ops.bernoulli of MindSpore 2.10.
    """
    xp = space_for(input._array)
    draw = bernoulli_draw(xp, -1 if seed is None else seed)
    return _make(draw.random(input.shape) < _number(p), None, input._array.dtype)


def bernoulli_draw(xp, seed, offset=0):
    """Returns the generator of a seed, which draws the same numbers at each call: on the host
    those of MindSpore. If the seed is negative, it is the default generator."""
    if seed >= 0 and xp.module is numpy:
        return of_bernoulli(seed).next(xp)
    return _first(xp, seed if seed > 0 else None, offset)


def _draw_categories(xp, draw, weights, count, replacement):
    """Draws category indices with probabilities proportional to `weights`, row by row.

    Without replacement, these are the indices of the largest values of log(weight) + Gumbel noise,
    which have the same distribution.
    """
    if replacement:
        edges = xp.cumsum(weights, -1)
        points = draw.random((*weights.shape[:-1], count)) * edges[..., -1:]
        # Weights without a positive, finite sum yield the last class, as in MindSpore.
        return xp.minimum(bin_indices.body(xp, edges, points, True), weights.shape[-1] - 1)
    noise = -xp.log(-xp.log(draw.random(weights.shape)))
    with_noise = xp.where(
        weights > 0, xp.log(xp.where(weights > 0, weights, 1)) + noise, float("-inf")
    )
    return xp.top_k(with_noise, count, -1)[1]


@public("ops.multinomial")
@checked
def multinomial(
    input: TensorOf(real, "bool"),
    num_samples: InTensor(Int(ge=1)),
    replacement: Any = True,
    seed: Seed = None,
):
    """Draws category indices with probabilities proportional to the weights in each row; int32.

    Args:
        input (Tensor): weights of shape (C,) or (N, C); a row need not sum to 1.
        num_samples (int): how many indices are drawn in each row.
        replacement (bool): whether an index may be drawn more than once.
        seed (int): a seed for this call alone; None draws from the global seed.

    Returns:
        Tensor of shape (num_samples,) or (N, num_samples), in int32.

    Raises:
        ValueError: if more indices are requested than a row has weights, without replacement.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.multinomial(ms.Tensor([0.0, 1.0]), 3))
        [1 1 1]

    Source: mindspore.ops.multinomial of MindSpore 2.10.
    """
    kind = OfMinimal if replacement else None
    draw = _generator(space_for(input._array), seed, "multinomial", kind)
    return _multinomial(input, num_samples, replacement, draw, "int32")


def _multinomial(input, num_samples, replacement, draw, dtype, api="multinomial"):
    weights = input._array.astype("float64")
    if num_samples < 1:
        raise RuntimeError(f"For '{api}', 'num_samples' must be positive, but got {num_samples}.")
    if weights.ndim == 2 and not weights.shape[0] and weights.shape[1]:
        return _make(weights[:, :1].repeat(num_samples, 1), None, dtype)
    if not weights.size:
        raise ValueError(
            f"For '{api}', the input must hold weights, but got shape {tuple(weights.shape)}."
        )
    if not replacement and num_samples > weights.shape[-1]:
        raise ValueError(
            f"For '{api}', 'num_samples' must be at most {weights.shape[-1]} "
            f"without replacement, "
            f"but got {num_samples}."
        )
    xp = space_for(weights)
    return _make(_draw_categories(xp, draw, weights, num_samples, replacement), None, dtype)


@public("Tensor.multinomial")
def tensor_multinomial(input, num_samples, replacement=True, seed=None, *, generator=None):
    """Draws category indices with probabilities proportional to the weights in each row; int64 if a
    generator is given, else int32.
    """
    xp = space_for(input._array)
    draw = _stream(generator, xp, seed, "multinomial", OfMinimal if replacement else None)
    dtype = "int32" if generator is None else "int64"
    return _multinomial(input, num_samples, replacement, draw, dtype)


Seeds = Int | Bool | TensorOf("int64")  # a Tensor of one element


@public("ops.multinomial_with_replacement")
@checked
def multinomial_with_replacement(
    x: Float16To64, seed: Seeds, offset: Seeds, numsamples: Int(ge=1), replacement: Bool = False
):
    """Draws category indices with probabilities proportional to the weights in each row; int64.
    With `replacement`, an index may be drawn more than once.

    Args:
        x (Tensor): weights of shape (classes,) or (batch, classes).
        seed (int): a seed for this call alone; if `offset` is 0, too, the global seed is used.
        offset (int): a second seed.
        numsamples (int): the number of indices drawn for each row.
        replacement (bool): whether an index may be drawn more than once. Default: False.

    Returns:
        Tensor of shape (numsamples,) or (batch, numsamples).

    Raises:
        ValueError: if more indices are requested than a row has weights, without replacement.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.multinomial_with_replacement(ms.Tensor([[0.0, 1.0]]), 0, 0, 3, True))
        [[1 1 1]]

    Source: mindspore.ops.multinomial_with_replacement of MindSpore 2.10.
    """
    if x.ndim not in (1, 2):
        raise ValueError(
            f"For 'multinomial_with_replacement', 'x' must have one or two axes, but got {x.shape}."
        )
    seed, offset = (s.asnumpy().item() if isinstance(s, Tensor) else s for s in (seed, offset))
    draw = _first(space_for(x._array), seed, offset)
    return _multinomial(x, numsamples, replacement, draw, "int64", "multinomial_with_replacement")


@public("ops.random_categorical", "Tensor.random_categorical")
@checked
def random_categorical(
    logits: Float16To64, num_sample: Int(ge=1), seed: Int = 0, dtype: DType = dtypes.int64
):
    """Draws category indices with the probabilities given by the logits of each row; int64 by
    default.

    Args:
        logits (Tensor): shape (batch, classes).
        num_sample (int): the number of indices drawn for each row.
        seed (int): a seed for this call alone. Default: 0, which draws from the global seed.
        dtype (mindspore.dtype): int16, int32 or int64. Default: int64.

    Returns:
        Tensor of shape (batch, num_sample).

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.random_categorical(ms.Tensor([[0.0, 99.0]]), 3))
        [[1 1 1]]

    Source: mindspore.ops.random_categorical of MindSpore 2.10.
    """
    if logits.ndim != 2:
        raise ValueError(
            f"For 'random_categorical', 'logits' must have two axes, but got {logits.shape}."
        )
    xp = space_for(logits._array)
    scores = logits._array.astype("float64")
    weights = xp.exp(scores - xp.max(scores, -1, keepdims=True))
    return _make(_draw_categories(xp, _first(xp, seed), weights, num_sample, True), dtype, "int64")


@public("ops.RandomChoiceWithMask")
class RandomChoiceWithMask(_Seeded):
    """Draws positions of true elements: `ops.RandomChoiceWithMask(count)(mask)`.

    Returns rows of int32 positions, and a bool for each row, which is False if there are too few
    true elements.

    Args:
        count (int): how many positions are drawn, at least 1. Default: 256.
        seed (int): a seed for this Primitive alone, at least 0; if both seeds are 0, the global
            seed is used. Default: 0.
        seed2 (int): a second seed, at least 0. Default: 0.

    Inputs:
        - **input_x** (Tensor[bool]): the mask.

    Outputs:
        A tuple of two Tensors: int32 positions of shape (count, axes of `input_x`), and bools of
        shape (count,).

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.RandomChoiceWithMask(2)(ms.Tensor([[True, False]]))[0].shape)
        (2, 2)

    Source: mindspore.ops.RandomChoiceWithMask of MindSpore 2.10.
    """

    @checked
    def __init__(self, count: Int(ge=1) = 256, seed: Int = 0, seed2: Int = 0):
        self._set(seed, seed2)
        self.count = count

    def __call__(self, input_x):
        _Mask.refuse("RandomChoiceWithMask", "input_x", input_x)
        if not 1 <= input_x.ndim <= 5:
            raise ValueError(
                f"For 'RandomChoiceWithMask', 'input_x' must have 1 to 5 axes, but "
                f"got {input_x.ndim}."
            )
        xp = space_for(input_x._array)
        rows = xp.stack(xp.nonzero(input_x._array), -1)
        order = xp.argsort(self._draw(xp).random((rows.shape[0],)))
        positions = rows[order][: self.count]
        result = xp.zeros((self.count, input_x.ndim), "int32")
        result[: positions.shape[0]] = positions
        return Tensor._wrap(result), Tensor._wrap(xp.arange(self.count) < positions.shape[0])
