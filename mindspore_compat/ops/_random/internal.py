"""Primitives of random numbers that MindSpore exposes under internal paths only.

They draw from the generator with the given seed and offset.
"""

import numpy as np

from ..._core.tensor.dtype import bool_, float32, uint8
from ..._core.tensor.tensor import Tensor
from ...common.generator import Generator
from .._primitive_aliases.alias import alias, methods, mint, ops


def _at(seed, offset):
    """Returns a random generator with this seed at this offset."""
    generator = Generator()
    generator._stream.restore((int(seed), int(offset)))
    return generator


alias(
    "ops.auto_generate.BernoulliExt()(input, seed, offset)",
    lambda input, seed, offset: mint.bernoulli(input, generator=_at(seed, offset)),
)
alias(
    "ops.auto_generate.InplaceBernoulliScalar()(input, p, seed, offset)",
    lambda input, p, seed, offset: methods.bernoulli_(input, p, generator=_at(seed, offset)),
)
alias(
    "ops.auto_generate.InplaceBernoulliTensor()(input, p, seed, offset)",
    lambda input, p, seed, offset: methods.bernoulli_(input, p, generator=_at(seed, offset)),
)


@alias("ops.auto_generate.InplaceExponential()(input, lambd, seed, offset)")
def inplace_exponential(input, lambd, seed, offset):
    return methods.exponential_(input, lambd, generator=_at(seed, offset))


@alias("ops.auto_generate.InplaceNormal()(input, mean, std, seed, offset)")
def inplace_normal(input, mean, std, seed, offset):
    return methods.normal_(input, mean, std, generator=_at(seed, offset))


@alias("ops.auto_generate.InplaceRandom()(input, from_=0, to=None, seed=0, offset=0)")
def inplace_random(input, from_, to, seed, offset):
    return methods.random_(input, from_, to, generator=_at(seed, offset))


@alias("ops.auto_generate.InplaceUniform()(input, from_, to, seed, offset)")
def inplace_uniform(input, from_, to, seed, offset):
    return methods.uniform_(input, from_, to, generator=_at(seed, offset))


@alias("ops.auto_generate.MultinomialExt()(input, num_samples, replacement, seed, offset)")
def multinomial_ext(input, num_samples, replacement, seed, offset):
    return mint.multinomial(input, num_samples, replacement, generator=_at(seed, offset))


alias(
    "ops.auto_generate.NormalFloatFloat()(mean, std, size, seed, offset)",
    lambda mean, std, size, seed, offset: mint.normal(mean, std, size, _at(seed, offset)),
)
alias(
    "ops.auto_generate.NormalFloatTensor()(mean, std, seed, offset)",
    lambda mean, std, seed, offset: mint.normal(mean, std, generator=_at(seed, offset)),
)
alias(
    "ops.auto_generate.NormalTensorFloat()(mean, std, seed, offset)",
    lambda mean, std, seed, offset: mint.normal(mean, std, generator=_at(seed, offset)),
)
alias(
    "ops.auto_generate.NormalTensorTensor()(mean, std, seed, offset)",
    lambda mean, std, seed, offset: mint.normal(mean, std, generator=_at(seed, offset)),
)


@alias("ops.auto_generate.RandExt()(shape, seed, offset, dtype=None, device=None)")
def rand_ext(shape, seed, offset, dtype, device):
    return mint.rand(*shape, generator=_at(seed, offset), dtype=dtype, device=device)


@alias("ops.auto_generate.RandInt()(low, high, shape, seed, offset, dtype=None, device=None)")
def rand_int(low, high, shape, seed, offset, dtype, device):
    return mint.randint(low, high, shape, generator=_at(seed, offset), dtype=dtype, device=device)


@alias("ops.auto_generate.RandIntLike()(input, low, high, seed, offset, dtype=None, device=None)")
def rand_int_like(input, low, high, seed, offset, dtype, device):
    return mint.randint(
        low,
        high,
        input.shape,
        generator=_at(seed, offset),
        dtype=dtype or input.dtype,
        device=device,
    )


@alias("ops.auto_generate.RandLikeExt()(tensor, seed, offset, dtype=None, device=None)")
def rand_like_ext(tensor, seed, offset, dtype, device):
    return mint.rand(
        *tensor.shape, generator=_at(seed, offset), dtype=dtype or tensor.dtype, device=device
    )


@alias("ops.auto_generate.Randn()(shape, seed, offset, dtype=None, device=None)")
def randn(shape, seed, offset, dtype, device):
    return mint.randn(*shape, generator=_at(seed, offset), dtype=dtype, device=device)


@alias("ops.auto_generate.RandnLike()(input, seed, offset, dtype=None, device=None)")
def randn_like(input, seed, offset, dtype, device):
    return mint.randn(
        *input.shape, generator=_at(seed, offset), dtype=dtype or input.dtype, device=device
    )


alias(
    "ops.auto_generate.RandpermExt()(n, seed, offset, dtype=int64)",
    lambda n, seed, offset, dtype: mint.randperm(n, generator=_at(seed, offset), dtype=dtype),
)


@alias("ops.auto_generate.UniformExt()(tensor, a, b, seed, offset)")
def uniform_ext(tensor, a, b, seed, offset):
    return methods.uniform_(tensor.copy(), a, b, generator=_at(seed, offset))


def _uniform(shape, seed, offset):
    return mint.rand(tuple(shape), generator=_at(seed, offset))


def rounded(p, dtype):
    """Returns a probability rounded to that dtype."""
    return float(Tensor(p, dtype).astype(float32).asnumpy())


def packed_mask(shape, p, seed, offset):
    """Draws a dropout mask for a shape, one bit per element in uint8, padded to a multiple of 128
    elements.
    """
    keep_mask = (_uniform(shape, seed, offset) >= p).asnumpy().reshape(-1)
    keep_mask = np.append(keep_mask, np.zeros(-keep_mask.size % 128, bool))
    return Tensor(np.packbits(keep_mask, bitorder="little"), uint8)


@alias("ops.auto_generate.DropoutDoMaskExt()(input, mask, p)")
@alias("ops.auto_generate.DropoutGradExt()(input, mask, p)")
def drop(input, mask, p):
    """Applies a mask from `packed_mask` to the input, and divides it by 1 - p."""
    bits = np.unpackbits(mask.asnumpy(), bitorder="little")[: input.size]
    keep_mask = Tensor(bits.reshape(input.shape).astype(bool), bool_).astype(input.dtype)
    return input * keep_mask / (1 - p) if p < 1 else ops.zeros_like(input)


@alias("ops.auto_generate.DropoutExt()(input, p, seed, offset)")
def dropout(input, p, seed, offset):
    """Applies dropout; returns (result, mask)."""
    mask = packed_mask(input.shape, p, seed, offset)
    return drop(input, mask, p), mask


def _into(input, result, inplace):
    return methods.copy_(input, result) if inplace else result


@alias("ops.auto_generate.FuncDropoutExt()(input, p, training, inplace, seed, offset)")
def dropout_in_training(input, p, training, inplace, seed, offset):
    """Applies dropout in training; otherwise returns the input unchanged."""
    return _into(input, dropout(input, p, seed, offset)[0], inplace) if training else input


@alias("ops.auto_generate.Dropout2dExt()(input, p, training, inplace, seed, offset)")
def dropout_by_channel(input, p, training, inplace, seed, offset):
    """Applies channel dropout in training; otherwise returns the input unchanged."""
    if not training:
        return input
    shape = (*input.shape[:2], *(1,) * (input.ndim - 2))
    keep_mask = (_uniform(shape, seed, offset) >= p).astype(input.dtype)
    return _into(input, input * keep_mask / (1 - p) if p < 1 else ops.zeros_like(input), inplace)


alias(
    "ops.auto_generate.DropoutGenMaskExt()(shape, p, seed, offset, dtype)",
    lambda shape, p, seed, offset, dtype: packed_mask(shape, rounded(p, dtype), seed, offset),
)
