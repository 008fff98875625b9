"""Random numbers: the distribution, shape and dtype of the original from streams of our own.

Without a seed an op draws from the default stream, which `mindspore.set_seed` starts; with a seed
of its own from the stream of that seed, which goes on from call to call (a primitive has one for
each instance). `bernoulli`, `randperm`, `multinomial_with_replacement` and `random_categorical`
give the same numbers at every call with the same seed. The `mint` forms, which take a generator
(mindspore.Generator), are in _random/mint.py.
"""

from ..._backend import random
from ..._backend.arrays import current_space
from ..._core.declare.op import as_held, op, space_for
from ..._core.declare.public_api import public
from ..._core.rules.value_rules import ElementOf
from ..._core.rules.vocabulary import (
    Any,
    AsValue,
    Bool,
    DType,
    Float,
    Int,
    InTensor,
    ListOf,
    Number,
    TensorOf,
    TupleOf,
    any_dtype,
    checked,
    floating,
    integer,
    real,
)
from ..._core.tensor import dtype as dtypes
from ..._core.tensor.tensor import Tensor
from .._rules import Anything, Float16To64, Index
from .._shape.reshape import shape_of
from ..primitive import Primitive

Shape = TupleOf(Int(ge=0)) | ListOf(Int(ge=0)) | TensorOf("int32", "int64")
Seed = Int(ge=0) | None
Fractional, Whole = AsValue(DType(floating)), AsValue(DType(integer))


def _generator(xp, seed=None):
    """One draw's generator: of the seed's stream if there is one, else of the default stream."""
    return _Draw(random.stream(seed), xp)


def _lengths(api, shape):
    """The shape of what is drawn, of which no length may be negative."""
    found = shape_of(api, shape)
    if any(length < 0 for length in found):
        raise ValueError(f"For '{api}', the shape must hold ints >= 0, but got {found}.")
    return found


class _Draw:
    """A generator that is taken from a stream by its first call, and given back where that call is
    refused: what is refused draws nothing.
    """

    def __init__(self, stream, xp):
        self._stream = stream
        self._xp = xp
        self._taken = None

    def __getattr__(self, name):
        def call(*args, **kwargs):
            if self._taken is not None:
                return getattr(self._taken, name)(*args, **kwargs)
            before = self._stream.state()
            self._taken = self._stream.next(self._xp)
            try:
                return getattr(self._taken, name)(*args, **kwargs)
            except BaseException:
                self._taken = None
                self._stream.restore(before)
                raise

        return call


def _first(xp, seed, offset=None):
    """The first generator of the seeds, at every call, if there are any."""
    return (random.start(seed, offset) if seed or offset else random.default).next(xp)


class _Seeded(Primitive):
    """What primitives of two seeds share: a stream for each instance, or, if both are 0, the
    default one.
    """

    @checked
    def __init__(self, seed: Int(ge=0) = 0, seed2: Int(ge=0) = 0):
        self._set(seed, seed2)

    def _set(self, seed, seed2):
        Primitive.__init__(self, type(self).__name__)
        self.seed, self.seed2 = seed, seed2
        self._own = random.start(seed, seed2) if seed or seed2 else None

    @property
    def _stream(self):
        return self._own or random.default

    def _draw(self, xp):
        """The generator of one call."""
        return _Draw(self._stream, xp)


def _made(array, dtype, default="float32"):
    if not getattr(array, "shape", ()):
        array = current_space().asarray(array)  # NumPy draws one number as a plain one
    wanted = default if dtype is None else dtypes.to_numpy(dtype)
    return Tensor._wrap(array if array.dtype == wanted else array.astype(wanted))


def moved(mean, scale, noise):
    """Numbers mean + scale * noise, float64 for a Tensor of such means; gradients reach what is a
    Tensor of the two."""
    if not any(isinstance(each, Tensor) for each in (mean, scale)):
        return _made(mean + scale * noise, None)
    xp = current_space()
    given = [
        each if isinstance(each, Tensor) else Tensor._wrap(xp.asarray(float(each)))
        for each in (mean, scale)
    ]
    wide = isinstance(mean, Tensor) and mean.dtype == dtypes.float64
    return moved_noise.run(*given, Tensor._wrap(xp.asarray(noise)), wide)


@op(compute="native")
def moved_noise(
    xp, mean: TensorOf(any_dtype), scale: TensorOf(any_dtype), noise: TensorOf(floating), wide: Bool
):
    """mean + scale * noise; float64 where it is to be `wide`, else float32."""
    return xp.cast(mean + scale * noise, "float64" if wide else "float32")


@op(compute="native")
def between(xp, low: TensorOf(any_dtype), high: TensorOf(any_dtype), drawn: TensorOf(floating)):
    """low + (high - low) * drawn, float32."""
    return xp.cast(low + (high - low) * drawn, "float32")


@op(compute="native")
def at_rate(xp, drawn: TensorOf(floating), rate: TensorOf(any_dtype)):
    """drawn / rate, float32."""
    return xp.cast(drawn / rate, "float32")


def _number(value):
    """An argument that may be a number or a Tensor, as what generators take."""
    return value._array if isinstance(value, Tensor) else value


# Uniform ------------------------------------------------------------------------------------------


@public("ops.rand")
@checked
def rand(*size, dtype: Fractional = None, seed: Seed = None, generator=None):
    """Uniform numbers in [0, 1).

    Args:
        *size (Union[int, tuple[int], list[int]]): the shape.
        dtype (mindspore.dtype): a floating dtype. Default: float32.
        seed (int): a seed of its own.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.rand(2, 3).shape)
        (2, 3)

    Source: mindspore.ops.rand of MindSpore 2.10.
    """
    xp = current_space()
    return _made(_stream(generator, xp, seed).random(_lengths("rand", size)), dtype)


def _stream(generator, xp, seed=None):
    """The generator of one draw, where a mindspore.Generator may be given."""
    if generator is None:
        return _generator(xp, seed)
    return _Draw(generator._stream, xp)


@public("ops.rand_like")
@checked
def rand_like(input: Anything, seed: Seed = None, *, dtype: Fractional = None):
    """Uniform numbers in [0, 1) in the shape of a Tensor, and its dtype unless one is given.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.rand_like(ms.Tensor([1.0, 2.0])).shape)
        (2,)
    """
    dtype = _dtype_like("rand_like", input, dtype, Fractional)
    return _made(_generator(space_for(input._array), seed).random(input.shape), dtype)


def _dtype_like(api, input, dtype, rule):
    """The dtype that was given, or that of the input, of which the same is asked."""
    dtype = input.dtype if dtype is None else dtype
    rule.refuse(api, "dtype", dtype)
    return dtype


@public("ops.uniform")
@checked
def uniform(
    shape: Shape,
    minval: TensorOf(any_dtype),
    maxval: TensorOf(any_dtype),
    seed: Seed = None,
    dtype: DType("float32", "int32") = None,
):
    """Uniform numbers in [minval, maxval): floats, or whole numbers for int32.

    The bounds are Tensors of that dtype; those of whole numbers have one element, `minval` no axes.

    Raises:
        TypeError: if an argument is of another type, or a bound of another dtype.
        ValueError: if the bounds of whole numbers are no numbers.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.uniform((2, 3), ms.Tensor(0.0), ms.Tensor(1.0)).shape)
        (2, 3)

    Source: mindspore.ops.uniform of MindSpore 2.10.
    """
    xp = current_space()
    low, high = minval._array, maxval._array
    shape = _lengths("uniform", (shape,))
    wanted = dtypes.float32 if dtype is None else dtype
    for name, bound in (("minval", minval), ("maxval", maxval)):
        if bound.dtype != wanted:
            raise TypeError(
                f"For 'uniform', '{name}' must have dtype {wanted}, but got {bound.dtype}."
            )
    draw = _generator(xp, seed)
    if dtype == dtypes.int32:
        if low.ndim or high.size != 1:
            raise ValueError(
                f"For 'uniform', whole numbers need bounds without axes, but got "
                f"shapes {low.shape} and {high.shape}."
            )
        high = high.reshape(())
        return _made(draw.integers(int(low), int(high), shape), dtype)
    drawn = xp.asarray(draw.random(xp.broadcast_shapes(shape, *_shapes(low, high))))
    return between.run(minval, maxval, Tensor._wrap(drawn))


def _shapes(*values):
    return [v.shape for v in values if hasattr(v, "shape")]


@public("ops.UniformReal")
class UniformReal(_Seeded):
    """Uniform float32 numbers in [0, 1): `ops.UniformReal(seed, seed2)(shape)`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.UniformReal()((2, 3)).shape)
        (2, 3)
    """

    @checked
    def __call__(self, shape: Shape):
        xp = current_space()
        draw = self._draw(xp)
        return _made(draw.random(_lengths("UniformReal", (shape,))), None)


@public("ops.UniformInt")
class UniformInt(_Seeded):
    """Uniform int32 numbers in [minval, maxval): `ops.UniformInt(seed, seed2)(shape, minval,
    maxval)`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.UniformInt()((2, 3), ms.Tensor(0, ms.int32), ms.Tensor(5, ms.int32)).shape)
        (2, 3)
    """

    @checked
    def __call__(
        self, shape: Shape, minval: Int | TensorOf("int32"), maxval: Int | TensorOf("int32")
    ):
        xp = current_space()
        if isinstance(minval, Tensor) and minval.ndim:
            raise ValueError(
                f"For 'UniformInt', 'minval' must have no axes, but got shape {minval.shape}."
            )
        low, high = int(minval), int(maxval)
        if low >= high:
            raise ValueError(
                f"For 'UniformInt', 'minval' must be below 'maxval', but got {low} and {high}."
            )
        draw = self._draw(xp)
        return _made(draw.integers(low, high, _lengths("UniformInt", (shape,))), dtypes.int32)


@public("ops.randint")
@checked
def randint(low: Int, high: Int, size: AsValue(Shape), seed: Seed = None, *, dtype: Whole = None):
    """Whole numbers in [low, high); int64 by default.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.randint(0, 5, (2, 3)).shape)
        (2, 3)

    Source: mindspore.ops.randint of MindSpore 2.10.
    """
    return _integers("randint", low, high, size, _generator(current_space(), seed), dtype)


def _integers(api, low, high, size, draw, dtype):
    if low >= high:
        raise RuntimeError(f"For '{api}', 'low' must be below 'high', but got {low} and {high}.")
    return _made(draw.integers(low, high, _lengths(api, (size,))), dtype, "int64")


@public("ops.randint_like")
@checked
def randint_like(input: Anything, low: Int, high: Int, seed: Seed = None, *, dtype: Whole = None):
    """Whole numbers in [low, high) in the shape of a Tensor, and its dtype unless one is given.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.randint_like(ms.Tensor([1, 2]), 0, 5).shape)
        (2,)
    """
    dtype = _dtype_like("randint_like", input, dtype, Whole)
    draw = _generator(space_for(input._array), seed)
    return _integers("randint_like", low, high, input.shape, draw, dtype)


# Normal and its kin -------------------------------------------------------------------------------


@public("ops.randn")
@checked
def randn(*size, dtype: Fractional = None, seed: Seed = None, generator=None):
    """Numbers of the standard normal distribution; float32 by default.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.randn(2, 3).shape)
        (2, 3)

    Source: mindspore.ops.randn of MindSpore 2.10.
    """
    xp = current_space()
    return _made(_stream(generator, xp, seed).standard_normal(_lengths("randn", size)), dtype)


@public("ops.randn_like")
@checked
def randn_like(input: Anything, seed: Seed = None, *, dtype: Fractional = None):
    """Numbers of the standard normal distribution in the shape of a Tensor; float32 by default.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.randn_like(ms.Tensor([1.0, 2.0])).shape)
        (2,)
    """
    return _made(_generator(space_for(input._array), seed).standard_normal(input.shape), dtype)


@public("ops.standard_normal")
@checked
def standard_normal(shape: Shape, seed: Seed = None):
    """Float32 numbers of the standard normal distribution.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.standard_normal((2, 3)).shape)
        (2, 3)

    Source: mindspore.ops.standard_normal of MindSpore 2.10.
    """
    return _made(
        _generator(current_space(), seed).standard_normal(_lengths("standard_normal", (shape,))),
        None,
    )


@public("ops.StandardNormal")
class StandardNormal(_Seeded):
    """Float32 numbers of the standard normal distribution: `ops.StandardNormal(seed,
    seed2)(shape)`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.StandardNormal()((2, 3)).shape)
        (2, 3)
    """

    @checked
    def __call__(self, shape: Shape):
        draw = self._draw(current_space())
        return _made(draw.standard_normal(_lengths("StandardNormal", (shape,))), None)


@public("ops.normal")
@checked
def normal(
    shape: Shape,
    mean: TensorOf(any_dtype, scalars=True),
    stddev: TensorOf(any_dtype, scalars=True),
    seed: Seed = None,
):
    """Numbers of the normal distribution with this mean and standard deviation; float64 for a mean
    of float64, else float32.

    The mean and deviation may be Tensors; the shapes broadcast.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.normal((2, 3), ms.Tensor([0.0]), ms.Tensor([1.0])).shape)
        (2, 3)

    Source: mindspore.ops.normal of MindSpore 2.10.
    """
    xp = current_space()
    whole = xp.broadcast_shapes(_lengths("normal", (shape,)), *_shapes(mean, stddev))
    return moved(mean, stddev, _generator(xp, seed).standard_normal(whole))


@public("ops.gamma")
@checked
def gamma(shape: Shape, alpha: TensorOf(any_dtype), beta: TensorOf(any_dtype), seed: Seed = None):
    """Float32 numbers of the gamma distribution of shape `alpha` and rate `beta`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.gamma((2, 3), ms.Tensor([1.0]), ms.Tensor([1.0])).shape)
        (2, 3, 1)

    Source: mindspore.ops.gamma of MindSpore 2.10.
    """
    return _gamma(random.stream(seed), shape, alpha, beta)


def _gamma(stream, shape, alpha, beta):
    xp = space_for(alpha._array)
    whole = _lengths("gamma", (shape,)) + xp.broadcast_shapes(alpha.shape, beta.shape)
    draw = _Draw(stream, xp).standard_gamma(xp.broadcast_to(alpha._array, whole))
    return at_rate.run(Tensor._wrap(as_held(xp, draw)), beta)


@public("ops.laplace")
@checked
def laplace(
    shape: Shape, mean: TensorOf("float32"), lambda_param: TensorOf("float32"), seed: Seed = None
):
    """Float32 numbers of the Laplace distribution.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.laplace((2, 3), ms.Tensor([0.0]), ms.Tensor([1.0])).shape)
        (2, 3)

    Source: mindspore.ops.laplace of MindSpore 2.10.
    """
    return _laplace(random.stream(seed), shape, mean, lambda_param)


def _laplace(stream, shape, mean, scale):
    xp = current_space()
    whole = xp.broadcast_shapes(_lengths("laplace", (shape,)), *_shapes(mean, scale))
    half = _Draw(stream, xp).random(whole) - 0.5
    return moved(mean, scale, -xp.sign(half) * xp.log1p(-2 * xp.abs(half)))


@public("ops.standard_laplace")
@checked
def standard_laplace(shape: Shape, seed: Seed = None):
    """Float32 numbers of the Laplace distribution of mean 0 and scale 1.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.standard_laplace((2, 3)).shape)
        (2, 3)
    """
    return _laplace(random.stream(seed), shape, 0.0, 1.0)


@public("ops.random_poisson")
@checked
def random_poisson(
    shape: Index, rate: TensorOf(real) | Number, seed: Seed = None, dtype: DType = dtypes.float32
):
    """Counts of the Poisson distribution, `shape` for each element of `rate`; float32 by default.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.random_poisson(ms.Tensor([3], ms.int32), ms.Tensor([1.0, 2.0])).shape)
        (3, 2)

    Source: mindspore.ops.random_poisson of MindSpore 2.10.
    """
    return _poisson(random.stream(seed), shape, rate, dtype)


def _poisson(stream, shape, rate, dtype):
    rate = rate if isinstance(rate, Tensor) else Tensor(float(rate), dtypes.float32)
    if 0 in rate.shape or shape.ndim != 1:
        raise ValueError(
            f"For 'random_poisson', 'shape' must have one axis and 'rate' elements, "
            f"but got shapes {shape.shape} and {rate.shape}."
        )
    xp = space_for(rate._array)
    whole = _lengths("random_poisson", (shape,)) + rate.shape
    return _made(_Draw(stream, xp).poisson(rate._array, whole), dtype)


# Choosing -----------------------------------------------------------------------------------------


@op(compute="native")
def permuted(xp, x: Anything, order: TensorOf("int64")):
    """The slices of the input in another order."""
    return xp.take(x, order, 0)


@public("ops.shuffle")
@checked
def shuffle(x: Anything, seed: Seed = None):
    """The slices along the first axis in random order; gradients pass.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.shuffle(ms.Tensor([1, 2, 3])).sum())
        6

    Source: mindspore.ops.shuffle of MindSpore 2.10.
    """
    return _shuffle(random.stream(seed), x)


def _shuffle(stream, x):
    if x.ndim == 0:
        return x
    xp = space_for(x._array)
    return permuted.run(x, _permutation(xp, x.shape[0], _Draw(stream, xp)))


def _permutation(xp, count, draw):
    """A random order of `count` places: the order of as many random numbers."""
    return Tensor._wrap(xp.argsort(draw.random((count,))))


@public("ops.randperm")
@checked
def randperm(
    n: Int(ge=1),
    seed: ElementOf(Int) = 0,
    offset: ElementOf(Int(ge=0)) = 0,
    dtype: DType = dtypes.int64,
):
    """The whole numbers below n in random order; int64 by default.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.randperm(4).shape)
        (4,)

    Source: mindspore.ops.randperm of MindSpore 2.10.
    """
    xp = current_space()
    return _made(_permutation(xp, n, _first(xp, seed, offset))._array, dtype, "int64")


@public("mint.randperm")
def mint_randperm(n, *, generator=None, dtype=None):
    """The whole numbers below n in random order; int64 by default."""
    xp = current_space()
    return _made(_permutation(xp, n, _stream(generator, xp))._array, dtype, "int64")


@public("ops.bernoulli")
@checked
def bernoulli(
    input: TensorOf(real, "bool"),
    p: TensorOf("float32", "float64") | Float(ge=0.0, le=1.0) = 0.5,
    seed: Int | None = None,
):
    """1 with probability p and 0 otherwise, in the input's shape and dtype.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.bernoulli(ms.Tensor([5.0, 6.0]), p=1.0))
        [1. 1.]

    Source: mindspore.ops.bernoulli of MindSpore 2.10.
    """
    xp = space_for(input._array)
    own = seed if seed is not None and seed >= 0 else None
    return _made(_first(xp, own).random(input.shape) < _number(p), None, input._array.dtype)


def _chosen(xp, draw, weights, count, replacement):
    """Places drawn in proportion to `weights`, row by row.

    Without replacement: the places of the largest of log(weight) + Gumbel noise, which is the same
    law.
    """
    if replacement:
        edges = xp.cumsum(weights, -1)
        points = draw.random((*weights.shape[:-1], count)) * edges[..., -1:]
        return xp.sum(points[..., :, None] >= edges[..., None, :], -1)
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
    """Places drawn in proportion to the weights in each row; int32.

    Raises:
        ValueError: if more places are asked for than a row has weights, without replacement.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.multinomial(ms.Tensor([0.0, 1.0]), 3))
        [1 1 1]

    Source: mindspore.ops.multinomial of MindSpore 2.10.
    """
    return _multinomial(
        input, num_samples, replacement, _generator(space_for(input._array), seed), "int32"
    )


def _multinomial(input, num_samples, replacement, draw, dtype):
    weights = input._array.astype("float64")
    if num_samples < 1:
        raise RuntimeError(
            f"For 'multinomial', 'num_samples' must be positive, but got {num_samples}."
        )
    if not weights.size:
        raise ValueError(
            f"For 'multinomial', the input must hold weights, but got shape {tuple(weights.shape)}."
        )
    if not replacement and num_samples > weights.shape[-1]:
        raise ValueError(
            f"For 'multinomial', 'num_samples' must be at most {weights.shape[-1]} "
            f"without replacement, "
            f"but got {num_samples}."
        )
    xp = space_for(weights)
    return _made(_chosen(xp, draw, weights, num_samples, replacement), None, dtype)


@public("Tensor.multinomial")
def tensor_multinomial(input, num_samples, replacement=True, seed=None, *, generator=None):
    """Places drawn in proportion to the weights in each row; int64."""
    xp = space_for(input._array)
    draw = _stream(generator, xp, seed)
    return _multinomial(input, num_samples, replacement, draw, "int64")


Seeds = Int | Bool | TensorOf("int64")  # a Tensor of one element


@public("ops.multinomial_with_replacement")
@checked
def multinomial_with_replacement(
    x: Float16To64, seed: Seeds, offset: Seeds, numsamples: Int(ge=1), replacement: Bool = False
):
    """Places drawn with replacement in proportion to the weights in each row; int64.

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
    return _multinomial(x, numsamples, True, _first(space_for(x._array), seed, offset), "int64")


@public("ops.random_categorical", "Tensor.random_categorical")
@checked
def random_categorical(
    logits: Float16To64, num_sample: Int(ge=1), seed: Int = 0, dtype: DType = dtypes.int64
):
    """Places drawn with the probabilities that the logits of each row give; int64 by default.

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
    return _made(_chosen(xp, _first(xp, seed), weights, num_sample, True), dtype, "int64")


@public("ops.RandomChoiceWithMask")
class RandomChoiceWithMask(_Seeded):
    """Places drawn among the true elements: `ops.RandomChoiceWithMask(count)(mask)`.

    Returns rows of int32 positions and a bool for each row, False where there were too few true
    elements.

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
        if not isinstance(input_x, Tensor) or input_x.dtype != dtypes.bool_:
            raise TypeError(
                "For 'RandomChoiceWithMask', 'input_x' must be a bool Tensor, but got "
                f"{getattr(input_x, 'dtype', type(input_x).__name__)}."
            )
        if not 1 <= input_x.ndim <= 5:
            raise ValueError(
                f"For 'RandomChoiceWithMask', 'input_x' must have 1 to 5 axes, but "
                f"got {input_x.ndim}."
            )
        xp = space_for(input_x._array)
        rows = xp.stack(xp.nonzero(input_x._array), -1)
        order = xp.argsort(self._draw(xp).random((rows.shape[0],)))
        picked = rows[order][: self.count]
        made = xp.zeros((self.count, input_x.ndim), "int32")
        made[: picked.shape[0]] = picked
        return Tensor._wrap(made), Tensor._wrap(xp.arange(self.count) < picked.shape[0])
