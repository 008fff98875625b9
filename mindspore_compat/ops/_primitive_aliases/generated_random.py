"""Primitives of `ops.auto_generate` that draw random numbers.

They draw from the generator that has the seed and the offset given.
"""

from ...common.generator import Generator
from .alias import Tensor, alias, mint


def _at(seed, offset):
    """A generator of random numbers that has this seed and has been used so often."""
    made = Generator()
    made._stream.restore((int(seed), int(offset)))
    return made


alias(
    "ops.auto_generate.BernoulliExt()(input, seed, offset)",
    lambda input, seed, offset: mint.bernoulli(input, generator=_at(seed, offset)),
)
alias(
    "ops.auto_generate.InplaceBernoulliScalar()(input, p, seed, offset)",
    lambda input, p, seed, offset: Tensor.bernoulli_(input, p, generator=_at(seed, offset)),
)
alias(
    "ops.auto_generate.InplaceBernoulliTensor()(input, p, seed, offset)",
    lambda input, p, seed, offset: Tensor.bernoulli_(input, p, generator=_at(seed, offset)),
)


@alias("ops.auto_generate.InplaceExponential()(input, lambd, seed, offset)")
def inplace_exponential(input, lambd, seed, offset):
    return Tensor.exponential_(input, lambd, generator=_at(seed, offset))


@alias("ops.auto_generate.InplaceNormal()(input, mean, std, seed, offset)")
def inplace_normal(input, mean, std, seed, offset):
    return Tensor.normal_(input, mean, std, generator=_at(seed, offset))


@alias("ops.auto_generate.InplaceRandom()(input, from_=0, to=None, seed=0, offset=0)")
def inplace_random(input, from_, to, seed, offset):
    return Tensor.random_(input, from_, to, generator=_at(seed, offset))


@alias("ops.auto_generate.InplaceUniform()(input, from_, to, seed, offset)")
def inplace_uniform(input, from_, to, seed, offset):
    return Tensor.uniform_(input, from_, to, generator=_at(seed, offset))


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
    return Tensor.uniform_(tensor.copy(), a, b, generator=_at(seed, offset))
