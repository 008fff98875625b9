"""Primitives that draw random numbers from distributions; those that draw samples are in
sampling_primitives.py."""

from ..._backend.arrays import current_space
from ..._backend.random.kernels import OfMinimal
from ..._core.declare.op import space_for
from ..._core.declare.public_api import public
from ..._core.rules.base import NoneRule
from ..._core.rules.vocabulary import (
    AsValue,
    DType,
    Float,
    Int,
    ListOf,
    Number,
    OneDtype,
    TensorOf,
    TupleOf,
    checked,
)
from ..._core.tensor import dtype as dtypes
from ..._core.tensor.tensor import Tensor
from .._rules import Float16To64, Index
from .._shape.reshape import shape_of
from ..primitive import Primitive
from .distributions import _gamma, _poisson, laplace_of
from .generators import _generator, _Kernel, _make, _Seeded

_Rates = TensorOf("float16", "float32", "float64", "int32", "int64")

Shape = TupleOf(Int(ge=0)) | TensorOf("int32", "int64")


@public("ops.Gamma")
class Gamma(_Seeded):
    """Draws float32 numbers from the gamma distribution: `ops.Gamma(seed, seed2)(shape, alpha,
    beta)`.

    Args:
        seed (int): a seed for this Primitive alone, at least 0; if both seeds are 0, the global
            seed is used. Default: 0.
        seed2 (int): a second seed, at least 0. Default: 0.

    Inputs:
        - **shape** (Union[tuple[int], Tensor]): a shape with which the parameters broadcast.
        - **alpha** (Tensor): the shape parameter.
        - **beta** (Tensor): the rate.

    Outputs:
        float32 Tensor.

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

    Args:
        seed (int): a seed for this Primitive alone, at least 0; if both seeds are 0, the global
            seed is used. Default: 0.
        seed2 (int): a second seed, at least 0. Default: 0.

    Inputs:
        - **shape** (Tensor): the number of draws along each new axis.
        - **alpha** (Tensor): the shape parameter.

    Outputs:
        Tensor of shape (*shape, *alpha.shape), in the dtype of `alpha`.

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

    Args:
        seed (int): a seed for this Primitive alone, at least 0; if both seeds are 0, the global
            seed is used. Default: 0.
        seed2 (int): a second seed, at least 0. Default: 0.

    Inputs:
        - **shape** (Union[tuple[int], Tensor]): a shape to which `mean` broadcasts.
        - **mean** (Tensor): the means.

    Outputs:
        int32 Tensor.

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

    Args:
        shape (Tensor): the number of draws along each new axis.
        alpha (Tensor): the shape parameter.
        seed (int): a seed for this call alone; None draws from the global seed.

    Returns:
        Tensor of shape (*shape, *alpha.shape), in the dtype of `alpha`.

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

    Args:
        shape (Union[tuple[int], Tensor]): a shape to which `mean` broadcasts.
        mean (Tensor): the means.
        seed (int): a seed for this call alone; None draws from the global seed.

    Returns:
        int32 Tensor.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.poisson((2, 3), ms.Tensor([1.0])).shape)
        (2, 3)
    """
    return Poisson(seed or 0)(shape, mean)


@public("ops.RandomPoisson")
class RandomPoisson(Gamma):
    """Draws counts from the Poisson distribution: an array of `shape` for each element of `rate`.

    Args:
        seed (int): a seed for this Primitive alone, at least 0; if both seeds are 0, the global
            seed is used. Default: 0.
        seed2 (int): a second seed, at least 0. Default: 0.
        dtype (mindspore.dtype): the dtype of the result. Default: int64.

    Inputs:
        - **shape** (Tensor): the number of draws along each new axis.
        - **rate** (Union[Tensor, float]): the means.

    Outputs:
        Tensor of shape (*shape, *rate.shape).

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
    def __call__(self, shape: Index, rate: _Rates | Number):
        _shape(self.name, shape, 0)
        return _poisson(self._stream, shape, rate, self.dtype)


@public("ops.StandardLaplace")
class StandardLaplace(_Kernel):
    """Draws float32 numbers from the Laplace distribution with mean 0 and scale 1.

    Args:
        seed (int): a seed for this Primitive alone, at least 0; if both seeds are 0, the global
            seed is used. Default: 0.
        seed2 (int): a second seed, at least 0. Default: 0.

    Inputs:
        - **shape** (Union[tuple[int], Tensor]): the shape of the result.

    Outputs:
        float32 Tensor of shape `shape`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.StandardLaplace()((2, 3)).shape)
        (2, 3)
    """

    _kind = OfMinimal

    @checked
    def __call__(self, shape: Shape):
        xp, lengths = current_space(), _shape(self.name, shape, 0)
        return _make(laplace_of(xp, self._draw(xp, lengths), lengths), None)


def _shape(api, shape, least=1):
    """Returns a shape from ints or a 1-D Tensor; rejects numbers below `least`."""
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

    Args:
        dtype (mindspore.dtype): float16, float32 or float64. Default: float32.
        seed (int): a seed for this Primitive alone, at least 0; if both seeds are 0, the global
            seed is used. Default: 0.
        seed2 (int): a second seed, at least 0. Default: 0.

    Inputs:
        - **shape** (Tensor): the shape of the result.

    Outputs:
        Tensor of shape `shape`.

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

    Args:
        seed (int): a seed for this Primitive alone, at least 0; if both seeds are 0, the global
            seed is used. Default: 0.
        seed2 (int): a second seed, at least 0. Default: 0.

    Inputs:
        - **shape** (Tensor): the shape of the result, (N, ...).
        - **mean**, **stdevs**, **min**, **max** (Tensor): mean, standard deviation and bounds, of
          shape () or (N,).

    Outputs:
        Tensor of shape `shape`, in the dtype of the parameters.

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

    Args:
        dtype (mindspore.dtype): int32 or int64. Default: int64.

    Inputs:
        - **shape** (Tensor): the shape of the result.

    Outputs:
        Tensor of shape `shape`.

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

    Args:
        mean (float): the mean of the logarithms. Default: 1.0.
        std (float): their standard deviation. Default: 2.0.

    Inputs:
        - **input** (Tensor): gives shape and dtype of the result; its values are not used.

    Outputs:
        Tensor of the shape and dtype of `input`.

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

    Args:
        size (list[int]): the shape of the result.
        median (float): the location. Default: 0.0.
        sigma (float): the scale. Default: 1.0.

    Outputs:
        float32 Tensor of shape `size`.

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
