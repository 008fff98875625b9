"""Random numbers from the normal, gamma, Laplace and Poisson distributions."""

import numpy as np

from ..._backend.arrays import current_space
from ..._backend.random import streams
from ..._backend.random.kernels import OfMinimal
from ..._core.declare.op import op, result_array, space_for
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Bool, DType, Number, TensorOf, any_dtype, checked, floating
from ..._core.tensor import dtype as dtypes
from ..._core.tensor.tensor import Tensor
from .._rules import Anything, Index
from .generators import (
    Fractional,
    Seed,
    Shape,
    _Draw,
    _generator,
    _int_lengths,
    _Kernel,
    _lengths,
    _make,
    _shapes,
    _stream,
)


def moved(mean, scale, noise):
    """Computes mean + scale * noise, in float64 if `mean` is a float64 Tensor; a mean and a scale
    that are Tensors have gradients.
    """
    if not any(isinstance(value, Tensor) for value in (mean, scale)):
        return _make(mean + scale * noise, None)
    xp = current_space()
    tensors = [
        value if isinstance(value, Tensor) else Tensor._wrap(xp.asarray(float(value)))
        for value in (mean, scale)
    ]
    in_float64 = isinstance(mean, Tensor) and mean.dtype == dtypes.float64
    return moved_noise.run(*tensors, Tensor._wrap(xp.asarray(noise)), in_float64)


@op(compute="native")
def moved_noise(
    xp,
    mean: TensorOf(any_dtype),
    scale: TensorOf(any_dtype),
    noise: TensorOf(floating),
    in_float64: Bool,
):
    """Computes mean + scale * noise, in float64 if `in_float64`, else in float32."""
    return xp.cast(mean + scale * noise, "float64" if in_float64 else "float32")


@op(compute="native")
def at_rate(xp, drawn: TensorOf(floating), rate: TensorOf(any_dtype)):
    """Computes drawn / rate, in float32."""
    return xp.cast(drawn / rate, "float32")


@public("ops.randn")
@checked
def randn(*size, dtype: Fractional = None, seed: Seed = None, generator=None):
    """Draws numbers from the standard normal distribution; float32 by default.

    Args:
        *size (Union[int, tuple[int], list[int]]): the shape of the result.
        dtype (mindspore.dtype): the dtype of the result; None for float32.
        seed (int): a seed for this call alone; None draws from the global seed.
        generator (Generator): the generator to draw from.

    Returns:
        Tensor of shape `size`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.randn(2, 3).shape)
        (2, 3)

    Source: mindspore.ops.randn of MindSpore 2.10.
    """
    xp = current_space()
    return _make(
        _stream(generator, xp, seed, "randn").standard_normal(_int_lengths("randn", size)), dtype
    )


@public("ops.randn_like")
@checked
def randn_like(input: Anything, seed: Seed = None, *, dtype: Fractional = None):
    """Draws numbers from the standard normal distribution in the shape of a Tensor; float32 by
    default.

    Args:
        input (Tensor): gives the shape.
        seed (int): a seed for this call alone; None draws from the global seed.
        dtype (mindspore.dtype): a floating dtype; None for float32.

    Returns:
        Tensor of the shape of `input`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.randn_like(ms.Tensor([1.0, 2.0])).shape)
        (2,)
    """
    return _make(
        _generator(space_for(input._array), seed, "randn_like").standard_normal(input.shape), dtype
    )


@public("ops.standard_normal")
@checked
def standard_normal(shape: Shape, seed: Seed = None):
    """Draws float32 numbers from the standard normal distribution.

    Args:
        shape (Union[tuple[int], Tensor]): the shape of the result.
        seed (int): a seed for this call alone; None draws from the global seed.

    Returns:
        Tensor of shape `shape`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.standard_normal((2, 3)).shape)
        (2, 3)

    Source: mindspore.ops.standard_normal of MindSpore 2.10.
    """
    return _make(
        _generator(current_space(), seed, "standard_normal").standard_normal(
            _lengths("standard_normal", (shape,))
        ),
        None,
    )


@public("ops.StandardNormal")
class StandardNormal(_Kernel):
    """Draws float32 numbers from the standard normal distribution: `ops.StandardNormal(seed,
    seed2)(shape)`.

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
        >>> print(ms.ops.StandardNormal()((2, 3)).shape)
        (2, 3)
    """

    @checked
    def __call__(self, shape: Shape):
        lengths = _lengths("StandardNormal", (shape,))
        return _make(self._draw(current_space(), lengths).standard_normal(lengths), None)


@public("ops.normal")
@checked
def normal(
    shape: Shape,
    mean: TensorOf(any_dtype, scalars=True),
    stddev: TensorOf(any_dtype, scalars=True),
    seed: Seed = None,
):
    """Draws numbers from the normal distribution with the given mean and standard deviation;
    float64 if the mean is float64, else float32.

    The mean and the standard deviation may be Tensors, which broadcast.

    Args:
        shape (Union[tuple[int], Tensor]): the shape of the result, if mean and deviation are
            scalars.
        mean (Union[Tensor, Number]): the mean.
        stddev (Union[Tensor, Number]): the standard deviation.
        seed (int): a seed for this call alone; None draws from the global seed.

    Returns:
        Tensor whose shape is `shape`, broadcast with the shapes of `mean` and `stddev`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.normal((2, 3), ms.Tensor([0.0]), ms.Tensor([1.0])).shape)
        (2, 3)

    Source: mindspore.ops.normal of MindSpore 2.10.
    """
    xp = current_space()
    whole = xp.broadcast_shapes(_lengths("normal", (shape,)), *_shapes(mean, stddev))
    return moved(mean, stddev, _generator(xp, seed, "normal").standard_normal(whole))


@public("ops.gamma")
@checked
def gamma(shape: Shape, alpha: TensorOf("float32"), beta: TensorOf("float32"), seed: Seed = None):
    """Draws float32 numbers from the gamma distribution with shape `alpha` and rate `beta`.

    Args:
        shape (Union[tuple[int], Tensor]): a shape with which the parameters broadcast.
        alpha (Tensor): the shape parameter.
        beta (Tensor): the rate.
        seed (int): a seed for this call alone; None draws from the global seed.

    Returns:
        float32 Tensor.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.gamma((2, 3), ms.Tensor([1.0]), ms.Tensor([1.0])).shape)
        (2, 3)

    Source: mindspore.ops.gamma of MindSpore 2.10.
    """
    return _gamma(streams.stream(seed), shape, alpha, beta)


def _gamma(stream, shape, alpha, beta):
    xp = space_for(alpha._array)
    whole = xp.broadcast_shapes(_lengths("gamma", (shape,)), alpha.shape, beta.shape)
    draw = _Draw(lambda: stream, xp).standard_gamma(xp.broadcast_to(alpha._array, whole))
    return at_rate.run(Tensor._wrap(result_array(xp, draw)), beta)


@public("ops.laplace")
@checked
def laplace(
    shape: Shape, mean: TensorOf("float32"), lambda_param: TensorOf("float32"), seed: Seed = None
):
    """Draws float32 numbers from the Laplace distribution with the given mean and scale
    `lambda_param`.

    Args:
        shape (Union[tuple[int], Tensor]): a shape with which the parameters broadcast.
        mean (Tensor): the mean.
        lambda_param (Tensor): the scale.
        seed (int): a seed for this call alone; None draws from the global seed.

    Returns:
        float32 Tensor.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.laplace((2, 3), ms.Tensor([0.0]), ms.Tensor([1.0])).shape)
        (2, 3)

    Source: mindspore.ops.laplace of MindSpore 2.10.
    """
    return _laplace("laplace", shape, seed, mean, lambda_param)


def _laplace(name, shape, seed, mean, scale):
    xp = current_space()
    whole = xp.broadcast_shapes(_lengths("laplace", (shape,)), *_shapes(mean, scale))
    return moved(mean, scale, laplace_of(xp, _generator(xp, seed, name, OfMinimal), whole))


def laplace_of(xp, draw, shape):
    """Draws numbers of the standard Laplace distribution."""
    x = draw.random(shape, dtype=np.float32) * 2 - np.float32(1 - 2.0**-24)  # in (-1, 1]
    return -xp.sign(x) * xp.log(xp.cast(1 - xp.abs(x), "float64"))


@public("ops.standard_laplace")
@checked
def standard_laplace(shape: Shape, seed: Seed = None):
    """Draws float32 numbers from the Laplace distribution with mean 0 and scale 1.

    Args:
        shape (Union[tuple[int], Tensor]): the shape of the result.
        seed (int): a seed for this call alone; None draws from the global seed.

    Returns:
        float32 Tensor of shape `shape`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.standard_laplace((2, 3)).shape)
        (2, 3)
    """
    return _laplace("standard_laplace", shape, seed, 0.0, 1.0)


_Rate = TensorOf("float16", "float32", "float64", "int32", "int64") | Number


@public("ops.random_poisson")
@checked
def random_poisson(shape: Index, rate: _Rate, seed: Seed = None, dtype: DType = dtypes.float32):
    """Draws counts from the Poisson distribution: an array of `shape` for each element of `rate`;
    float32 by default.

    Args:
        shape (Tensor): the number of draws along each new axis.
        rate (Union[Tensor, float]): the means.
        seed (int): a seed for this call alone; None draws from the global seed.
        dtype (mindspore.dtype): the dtype of the result. Default: float32.

    Returns:
        Tensor of shape (*shape, *rate.shape).

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.random_poisson(ms.Tensor([3], ms.int32), ms.Tensor([1.0, 2.0])).shape)
        (3, 2)

    Source: mindspore.ops.random_poisson of MindSpore 2.10.
    """
    return _poisson(streams.stream(seed), shape, rate, dtype)


def _poisson(stream, shape, rate, dtype):
    rate = rate if isinstance(rate, Tensor) else Tensor(float(rate), dtypes.float32)
    if 0 in rate.shape or shape.ndim != 1:
        raise ValueError(
            f"For 'random_poisson', 'shape' must have one axis and 'rate' elements, "
            f"but got shapes {shape.shape} and {rate.shape}."
        )
    xp = space_for(rate._array)
    whole = _lengths("random_poisson", (shape,)) + rate.shape
    rates = xp.where(rate._array < 0, 0, rate._array)  # nothing is counted at a negative rate
    return _make(_Draw(lambda: stream, xp).poisson(rates, whole), dtype)
