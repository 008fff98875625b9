"""Tensors filled with random numbers, in place or in the shape of another Tensor."""

from ..._core.declare.op import space_for
from ..._core.declare.public_api import public
from ..._core.declare.writing import own
from ..._core.rules.vocabulary import Float, Int, Number, TensorOf, checked, floating
from ..._core.tensor.tensor import Tensor
from .._random.generators import _stream
from .._rules import Anything

_Bound = Number.called("a number or a Tensor")


def _fill(self, numbers):
    """Overwrites the values with random numbers and drops the gradient history."""
    xp = space_for(self._array)
    own(self)[...] = xp.asarray(numbers).astype(self._array.dtype)
    self._node = None
    return self


@public("Tensor.normal_", "ops.normal_")
@checked
def normal_(input: Anything, mean: Number = 0, std: Number(ge=0) = 1, *, generator=None):
    """Fills the Tensor with normally distributed numbers, and returns it.

    Args:
        input (Tensor): what is changed.
        mean (Union[int, float]): the mean. Default: 0.
        std (Union[int, float]): the standard deviation. Default: 1.
        generator (mindspore.Generator): the source of the numbers; None for the default generator.

    Returns:
        `input`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.normal_(ms.Tensor([5.0, 6.0])).shape)
        (2,)
    """
    draw = _stream(generator, space_for(input._array))
    return _fill(input, mean + std * draw.standard_normal(input.shape))


@public("Tensor.uniform_", "ops.uniform_")
def uniform_(input, from_=0, to=1, *, generator=None):
    """Fills the Tensor with uniformly distributed numbers in [from_, to), and returns it.

    Args:
        input (Tensor): what is changed.
        from_ (Number): the lower bound. Default: 0.
        to (Number): the upper bound. Default: 1.
        generator (mindspore.Generator): the source of the numbers; None for the default generator.

    Returns:
        `input`.

    Raises:
        TypeError: if `input` is not a Tensor.
        RuntimeError: if `from_` is larger than `to`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.uniform_(ms.Tensor([5.0, 6.0])).shape)
        (2,)
    """
    return _fill(input, _uniform("uniform_", input, from_, to, generator, RuntimeError))


@public("Tensor.uniform")
def uniform(self, from_=0.0, to=1.0, generator=None):
    """Returns uniformly distributed numbers in [from_, to), in the Tensor's shape and dtype."""
    result = _uniform("uniform", self, from_, to, generator, TypeError)
    return Tensor._wrap(result.astype(self._array.dtype))


def _bound(api, name, value):
    """Returns a bound as a number, given a number or a Tensor of one element."""
    if isinstance(value, Tensor):
        if value.size != 1:
            raise ValueError(f"For '{api}', '{name}' must have one element, but got {value.size}.")
        return value.item()
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        _Bound.refuse(api, name, value)
    return value


def _uniform(api, input, low, high, generator, error):
    low, high = _bound(api, "from_", low), _bound(api, "to", high)
    if low > high:
        raise error(f"For '{api}', 'from_' must be at most 'to', but got {low} and {high}.")
    draw = _stream(generator, space_for(input._array))
    return low + (high - low) * draw.random(input.shape)


@public("Tensor.random_", "ops.random_")
@checked
def random_(input: Anything, from_: Int = 0, to: Int = None, *, generator=None):
    """Fills the Tensor with random integers in [from_, to), and returns it.

    Without `to`, the upper limit is the largest integer that the dtype holds exactly.

    Args:
        input (Tensor): what is changed.
        from_ (int): the least integer. Default: 0.
        to (int): the end of the range, which is never drawn. Default: None.
        generator (mindspore.Generator): the source of the numbers; None for the default generator.

    Returns:
        `input`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.random_(ms.Tensor([5.0, 6.0]), 0, 10).shape)
        (2,)
    """
    xp = space_for(input._array)
    if to is None:
        dtype = input._array.dtype
        to = 2 ** xp.finfo(dtype).nmant + 1 if dtype.kind == "f" else xp.iinfo(dtype).max
    if from_ >= to:
        raise RuntimeError(f"For 'random_', 'from_' must be below 'to', but got {from_} and {to}.")
    draw = _stream(generator or None, xp)
    return _fill(input, draw.integers(int(from_), int(to), input.shape))


@public("Tensor.exponential_", "ops.exponential_")
@checked
def exponential_(input: TensorOf(floating), lambd: Number(gt=0) = 1, *, generator=None):
    """Fills the Tensor with exponentially distributed numbers of rate `lambd`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.exponential_(ms.Tensor([5.0, 6.0])).shape)
        (2,)
    """
    xp = space_for(input._array)
    return _fill(input, -xp.log1p(-_stream(generator, xp).random(input.shape)) / lambd)


@public("Tensor.bernoulli_", "ops.bernoulli_")
@checked
def bernoulli_(input: Anything, p: Number(ge=0, le=1) | Anything = 0.5, *, generator=None):
    """Fills the Tensor with Bernoulli samples: ones with probability `p`, else zeros.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.bernoulli_(ms.Tensor([5.0, 6.0]), p=1.0))
        [1. 1.]
    """
    draw = _stream(generator, space_for(input._array))
    share = p._array if isinstance(p, Tensor) else p
    return _fill(input, draw.random(input.shape) < share)


@public("Tensor.cauchy")
@checked
def cauchy(input: Anything, median: Float = 0.0, sigma: Float = 1.0):
    """Fills the Tensor with Cauchy-distributed numbers, and returns it."""
    if not input.ndim or 0 in input.shape:
        raise ValueError(
            f"For 'Tensor.cauchy', the Tensor must have an axis and elements, but got "
            f"shape {input.shape}."
        )
    xp = space_for(input._array)
    half = _stream(None, xp).random(input.shape) - 0.5
    return _fill(input, median + sigma * xp.tan(xp.pi * half))


@public("Tensor.log_normal")
@checked
def log_normal(
    input: TensorOf("float16", "float32", "float64"), mean: Float = 1.0, std: Float = 2.0
):
    """Fills the Tensor with log-normally distributed numbers, and returns it."""
    xp = space_for(input._array)
    normal = _stream(None, xp).standard_normal(input.shape)
    return _fill(input, xp.exp(mean + std * normal))
