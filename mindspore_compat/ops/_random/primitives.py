"""Primitives of random numbers, most of which call the functions of the other files."""

from ..._backend.arrays import current_space
from ..._core.declare.op import space_for
from ..._core.declare.public_api import public
from ..._core.rules.base import NoneRule
from ..._core.rules.vocabulary import (
    Any,
    AsValue,
    Bool,
    DType,
    Float,
    Int,
    ListOf,
    Number,
    OneDtype,
    TensorOf,
    TupleOf,
    checked,
    real,
)
from ..._core.tensor import dtype as dtypes
from ..._core.tensor.tensor import Tensor
from .._rules import Anything, Float16To64, Index
from .._shape.reshape import shape_of
from ..primitive import Primitive
from .distributions import _gamma, _laplace, _poisson
from .generators import _first, _generator, _make, _Seeded
from .sampling import RandomChoiceWithMask, _multinomial, _permutation, _shuffle, random_categorical

Shape = TupleOf(Int(ge=0)) | TensorOf("int32", "int64")


@public("ops.Gamma")
class Gamma(_Seeded):
    """Draws float32 numbers from the gamma distribution: `ops.Gamma(seed, seed2)(shape, alpha,
    beta)`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.Gamma()((2, 3), ms.Tensor([1.0]), ms.Tensor([1.0])).shape)
        (2, 3)

    Source: mindspore.ops.Gamma of MindSpore 2.10; likewise the other classes here.
    """

    @checked
    def __call__(self, shape: Shape, alpha: TensorOf("float32"), beta: TensorOf("float32")):
        return _gamma(self._stream, shape, alpha, beta)


@public("ops.RandomGamma")
class RandomGamma(Gamma):
    """Draws numbers from the gamma distribution with rate 1: an array of `shape` for each element
    of `alpha`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.RandomGamma()(ms.Tensor([2]), ms.Tensor([1.0, 2.0])).shape)
        (2, 2)
    """

    @checked
    def __call__(self, shape: Index, alpha: Float16To64):
        if shape.ndim != 1:
            raise ValueError(
                f"For 'RandomGamma', 'shape' must have one axis, but got {shape.shape}."
            )
        xp = space_for(alpha._array)
        whole = shape_of("RandomGamma", (shape,), ValueError) + alpha.shape
        numbers = self._draw(xp).standard_gamma(xp.broadcast_to(alpha._array, whole))
        return _make(numbers, None, alpha._array.dtype)


@public("ops.Poisson")
class Poisson(_Seeded):
    """Draws int32 counts from the Poisson distribution; `mean` broadcasts to `shape`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.Poisson()((2, 3), ms.Tensor([1.0])).shape)
        (2, 3)
    """

    @checked
    def __call__(self, shape: Shape, mean: TensorOf("float32")):
        xp = space_for(mean._array)
        whole = xp.broadcast_shapes(shape_of("Poisson", (shape,), ValueError), mean.shape)
        return _make(self._draw(xp).poisson(xp.broadcast_to(mean._array, whole)), dtypes.int32)


@public("ops.random_gamma")
@checked
def random_gamma(shape: Index, alpha: Float16To64, seed: Int(ge=0) = None):
    """Draws numbers from the gamma distribution with rate 1: an array of `shape` for each element
    of `alpha`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.random_gamma(ms.Tensor([2]), ms.Tensor([1.0, 2.0])).shape)
        (2, 2)
    """
    return RandomGamma(seed or 0)(shape, alpha)


@public("ops.poisson")
@checked
def poisson(shape: Shape, mean: TensorOf("float32"), seed: Int(ge=0) = None):
    """Draws int32 counts from the Poisson distribution; `mean` broadcasts to `shape`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.poisson((2, 3), ms.Tensor([1.0])).shape)
        (2, 3)
    """
    return Poisson(seed or 0)(shape, mean)


@public("ops.choice_with_mask")
@checked
def choice_with_mask(input_x: TensorOf("bool"), count: Int(ge=1) = 256, seed: Int(ge=0) = None):
    """Draws positions of true elements, as `ops.RandomChoiceWithMask` does.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.choice_with_mask(ms.Tensor([[True, False]]), 2)[0].shape)
        (2, 2)
    """
    return RandomChoiceWithMask(count, seed or 0)(input_x)


@public("ops.RandomPoisson")
class RandomPoisson(Gamma):
    """Draws counts from the Poisson distribution: an array of `shape` for each element of `rate`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.RandomPoisson()(ms.Tensor([2], ms.int32), ms.Tensor([1.0, 2.0])).shape)
        (2, 2)
    """

    @checked
    def __init__(self, seed: Int = 0, seed2: Int = 0, dtype: DType = dtypes.int64):
        self._set(seed, seed2)
        self.dtype = dtype

    @checked
    def __call__(self, shape: Index, rate: TensorOf(real) | Number):
        _shape(self.name, shape, 0)
        return _poisson(self._stream, shape, rate, self.dtype)


@public("ops.StandardLaplace")
class StandardLaplace(Gamma):
    """Draws float32 numbers from the Laplace distribution with mean 0 and scale 1.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.StandardLaplace()((2, 3)).shape)
        (2, 3)
    """

    @checked
    def __call__(self, shape: Shape):
        return _laplace(self._stream, _shape(self.name, shape, 0), 0.0, 1.0)


@public("ops.Multinomial")
class Multinomial(_Seeded):
    """Draws category indices with replacement, with probabilities proportional to the weights in
    each row.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.Multinomial()(ms.Tensor([[0.0, 1.0]]), 3))
        [[1 1 1]]
    """

    @checked
    def __init__(
        self,
        seed: Int(ge=0) = 0,
        seed2: Int(ge=0) = 0,
        dtype: DType("int32", "int64") = dtypes.int32,
    ):
        self._set(seed, seed2)
        self.dtype = dtype

    @checked
    def __call__(self, x: TensorOf(real), num_samples: Int(ge=0)):
        if x.ndim not in (1, 2):
            raise ValueError(
                f"For 'Multinomial', 'x' must have one or two axes, but got {x.shape}."
            )
        xp, dtype = space_for(x._array), dtypes.to_numpy(self.dtype)
        if not num_samples:
            return Tensor._wrap(xp.zeros((*x.shape[:-1], 0), dtype))
        return _multinomial(x, num_samples, True, self._draw(xp), dtype)


@public("ops.MultinomialWithReplacement")
class MultinomialWithReplacement(Primitive):
    """The Primitive form of `ops.multinomial_with_replacement`: `(numsamples)(x, seed, offset)`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.MultinomialWithReplacement(3, True)(ms.Tensor([[0.0, 1.0]]), ms.Tensor(0),
        ...         ms.Tensor(0)))
        [[1 1 1]]
    """

    @checked
    def __init__(self, numsamples: Int(ge=1), replacement: Bool = False):
        super().__init__("MultinomialWithReplacement")
        self.numsamples, self.replacement = numsamples, replacement

    @checked
    def __call__(
        self, x: Float16To64, seed: Int | TensorOf("int64"), offset: Int | TensorOf("int64")
    ):
        if x.ndim not in (1, 2):
            raise ValueError(
                f"For 'MultinomialWithReplacement', 'x' must have one or two axes, "
                f"but got {x.shape}."
            )
        draw = _first(space_for(x._array), int(seed), int(offset))
        return _multinomial(x, self.numsamples, self.replacement, draw, "int64", self.name)


@public("ops.RandomCategorical")
class RandomCategorical(Primitive):
    """The Primitive form of `ops.random_categorical`: `(dtype)(logits, num_sample, seed)`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.RandomCategorical()(ms.Tensor([[0.0, 99.0]]), 3, 0))
        [[1 1 1]]
    """

    @checked
    def __init__(self, dtype: DType("int16", "int32", "int64") = dtypes.int64):
        super().__init__("RandomCategorical")
        self.dtype = dtype

    def __call__(self, logits, num_sample, seed=0):
        return random_categorical(logits, num_sample, seed, self.dtype)


@public("ops.RandomShuffle")
class RandomShuffle(Gamma):
    """Shuffles the slices along the first axis; differentiable.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.RandomShuffle()(ms.Tensor([1, 2, 3])).sum())
        6
    """

    @checked
    def __call__(self, x: Anything):
        return _shuffle(self._stream, x)


@public("ops.Randperm")
class Randperm(Primitive):
    """Draws a random permutation of the integers below n, padded to `max_length` with `pad`.

    Args:
        max_length (int): the length of the result.
        pad (int): the number that fills the rest.
        dtype (mindspore.dtype): an integer dtype.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if n is below 0 or above `max_length`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.Randperm(4)(ms.Tensor([4], ms.int32)).shape)
        (4,)
    """

    @checked
    def __init__(self, max_length: Int(ge=1) = 1, pad: Int = -1, dtype: DType = dtypes.int32):
        super().__init__("Randperm")
        self.max_length, self.pad, self.dtype = max_length, pad, dtype

    @checked
    def __call__(self, n: TensorOf("int32", "int64")):
        count = int(n.asnumpy().reshape(-1)[0]) if n.size == 1 else -1
        if not 0 <= count <= self.max_length:
            raise ValueError(
                f"For 'Randperm', 'n' must be one number in [0, {self.max_length}], but got "
                f"{n.asnumpy().tolist()}."
            )
        xp = space_for(n._array)
        result = xp.full(self.max_length, self.pad, dtypes.to_numpy(self.dtype))
        result[:count] = _permutation(xp, count, _generator(xp))._array
        return Tensor._wrap(result)


@public("ops.RandpermV2")
class RandpermV2(Primitive):
    """Draws a random permutation of the integers below n: `ops.RandpermV2(seed, offset, dtype)(n)`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.RandpermV2()(ms.Tensor([4])).shape)
        (4,)
    """

    @checked
    def __init__(self, seed: Int(ge=-1) = 0, offset: Int(ge=0) = 0, dtype: DType = dtypes.int64):
        super().__init__("RandpermV2")
        self.seed, self.offset, self.dtype = seed, offset, dtype

    @checked
    def __call__(self, n: Int(ge=1) | TensorOf("int32", "int64")):
        xp = current_space()
        draw = _first(xp, self.seed, self.offset)
        return _make(_permutation(xp, int(n), draw)._array, self.dtype)


def _shape(api, shape, least=1):
    """Returns a shape from ints or a Tensor of one axis; rejects numbers below `least`."""
    if isinstance(shape, Tensor) and shape.ndim != 1:
        raise ValueError(f"For '{api}', 'shape' must have one axis, but got {shape.shape}.")
    whole = shape_of(api, (shape,), ValueError)
    if any(n < least for n in whole):
        words = "positive" if least else "of lengths >= 0"
        raise ValueError(f"For '{api}', 'shape' must be {words}, but got {whole}.")
    return whole


def _truncated_normal(xp, draw, shape, low, high):
    """Draws standard normal numbers truncated to [low, high], by the inverse distribution
    function."""
    below, above = xp.ndtr(low), xp.ndtr(high)
    return xp.ndtri(below + (above - below) * draw.random(shape))


@public("ops.TruncatedNormal")
class TruncatedNormal(_Seeded):
    """Draws standard normal numbers truncated at two standard deviations: `(dtype, seed,
    seed2)(shape)`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.TruncatedNormal()(ms.Tensor([2, 3])).shape)
        (2, 3)
    """

    @checked
    def __init__(
        self,
        dtype: DType("float16", "float32", "float64") = dtypes.float32,
        seed: Int = 0,
        seed2: Int = 0,
    ):
        self._set(seed, seed2)
        self.dtype = dtype

    @checked
    def __call__(self, shape: Index):
        xp = current_space()
        whole = _shape("TruncatedNormal", shape)
        low, high = xp.asarray(-2.0), xp.asarray(2.0)
        return _make(_truncated_normal(xp, self._draw(xp), whole, low, high), self.dtype)


@public("ops.ParameterizedTruncatedNormal")
class ParameterizedTruncatedNormal(_Seeded):
    """Draws normal numbers truncated to [min, max], with separate parameters for each row of the
    first axis.

    Example:
        >>> shape, numbers = ms.Tensor([2, 3]), [ms.Tensor([x]) for x in (0.0, 1.0, -1.0, 1.0)]
        >>> print(ms.ops.ParameterizedTruncatedNormal()(shape, *numbers).shape)
        (2, 3)
    """

    @checked
    def __init__(self, seed: Int = 0, seed2: Int = 0):
        self._set(seed, seed2)

    @checked(OneDtype("mean stdevs min max"))
    def __call__(
        self,
        shape: Index,
        mean: Float16To64,
        stdevs: Float16To64,
        min: Float16To64,
        max: Float16To64,
    ):
        for name, parameter in (("mean", mean), ("stdevs", stdevs), ("min", min), ("max", max)):
            if parameter.ndim > 1:
                raise ValueError(
                    f"For 'ParameterizedTruncatedNormal', '{name}' must have at most "
                    f"one axis, but got {parameter.shape}."
                )
        xp = space_for(mean._array)
        whole = _shape("ParameterizedTruncatedNormal", shape, 0)
        sides = [
            parameter._array.reshape((-1,) + (1,) * (len(whole) - 1))
            for parameter in (mean, stdevs, min, max)
        ]
        middle, std, low, high = (parameter.astype("float64") for parameter in sides)
        if bool((std <= 0).any()) or bool((low >= high).any()):
            raise ValueError(
                "For 'ParameterizedTruncatedNormal', 'stdevs' must be above 0 and 'min' below "
                "'max'."
            )
        low, high = (low - middle) / std, (high - middle) / std
        numbers = _truncated_normal(xp, self._draw(xp), whole, low, high)
        return _make(middle + std * numbers, None, mean._array.dtype)


@public("ops.NonDeterministicInts")
class NonDeterministicInts(Primitive):
    """Draws random integers over the whole range of a dtype:
    `ops.NonDeterministicInts(dtype)(shape)`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.NonDeterministicInts()(ms.Tensor([2, 3])).shape)
        (2, 3)
    """

    @checked
    def __init__(self, dtype: DType("int32", "int64", "uint32", "uint64") = dtypes.int64):
        super().__init__("NonDeterministicInts")
        self.dtype = dtype

    @checked
    def __call__(self, shape: Index):
        xp = current_space()
        kind = dtypes.to_numpy(self.dtype)
        words = _generator(xp).integers(0, 2**32, (2, *_shape(self.name, shape)), "int64")
        high, low = words[:1].astype("uint64"), words[1:].astype("uint64")
        bits = (high << xp.asarray(32, "uint64") | low).reshape(words.shape[1:])
        return Tensor._wrap(bits.astype(kind))


@public("ops.LogNormalReverse")
class LogNormalReverse(Primitive):
    """Draws log-normally distributed numbers in the input's shape: `(mean, std)(input)`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.LogNormalReverse()(ms.Tensor([1.0, 2.0])).shape)
        (2,)
    """

    @checked
    def __init__(self, mean: Float = 1.0, std: Float = 2.0):
        super().__init__("LogNormalReverse")
        self.mean, self.std = mean, std

    @checked
    def __call__(self, input: AsValue(Float16To64, NoneRule())):
        xp = space_for(input._array)
        normal = _generator(xp).standard_normal(input.shape)
        return _make(xp.exp(self.mean + self.std * normal), None, input._array.dtype)


@public("ops.Cauchy")
class Cauchy(Primitive):
    """Draws float32 numbers from the Cauchy distribution: `ops.Cauchy(size, median, sigma)()`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.Cauchy([2, 3])().shape)
        (2, 3)
    """

    @checked
    def __init__(self, size: ListOf(Int(ge=1)), median: Float = 0.0, sigma: Float = 1.0):
        super().__init__("Cauchy")
        if not size:
            raise ValueError("For 'Cauchy', 'size' must not be empty.")
        self.size, self.median, self.sigma = size, median, sigma

    def __call__(self):
        xp = current_space()
        half = _generator(xp).random(tuple(self.size)) - 0.5
        return _make(self.median + self.sigma * xp.tan(xp.pi * half), None)


@public("ops.Bernoulli")
class Bernoulli(Primitive):
    """Draws Bernoulli samples, 1 with probability p, else 0: `ops.Bernoulli(seed, offset)(x, p)`.

    An offset that is not an int counts as 0.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.Bernoulli()(ms.Tensor([5.0, 6.0]), ms.Tensor([1.0, 0.0])))
        [1. 0.]
    """

    @checked
    def __init__(self, seed: Int = -1, offset: Any = 0):
        super().__init__("Bernoulli")
        self.seed, self.offset = seed, offset

    @checked
    def __call__(self, x: TensorOf(real, "bool"), p: TensorOf("float32", "float64") | Float):
        xp = space_for(x._array)
        share = p._array if isinstance(p, Tensor) else xp.asarray(p)
        if isinstance(p, Tensor) and p.shape not in (x.shape, (), (1,)):
            raise ValueError(
                f"For 'Bernoulli', 'p' must have the shape {x.shape} of 'x', but got {share.shape}."
            )
        if bool((share < 0).any()) or bool((share > 1).any()):
            raise ValueError("For 'Bernoulli', 'p' must be in [0, 1].")
        offset = self.offset if isinstance(self.offset, int) else 0
        draw = _first(xp, self.seed if self.seed > 0 else None, offset)
        return _make(draw.random(x.shape) < share, None, x._array.dtype)
