"""Initializers, which draw the initial values of parameters, and `initializer`, which creates the
Tensor.

An Initializer fills a NumPy array in place. Values are drawn on the host
(`_initial_values/random_fill.py`) and moved to the device afterwards, so that a seed gives the same
network everywhere.

`Tensor.init_data` fills a Tensor that was created with `init=`.
"""

import math
import numbers

import numpy as np

from .._core.rules.comparisons import Compared
from .._core.rules.vocabulary import InstanceOf, Int, checked, register_type
from .._core.tensor.dtype import float32
from .._core.tensor.tensor import Tensor
from ._initial_values.fans import (
    _calculate_correct_fan,
    _calculate_fan_in_and_fan_out,
    _calculate_gain,
    _calculate_in_and_out,
)
from ._initial_values.names import (
    _INITIALIZER_ALIAS,  # noqa: F401 - imported from here
    _register,  # noqa: F401 - imported from here
    declare,
    initializer_named,
)
from ._initial_values.random_fill import (  # noqa: F401 - imported from here
    _init_random_normal,
    _init_random_normal_inplace,
    _init_random_uniform,
    _init_random_uniform_inplace,
    _init_truncated_normal,
    _init_truncated_normal_inplace,
    _numpy_seed,
)

__all__ = [
    "Initializer",
    "initializer",
    "TruncatedNormal",
    "Normal",
    "Uniform",
    "HeUniform",
    "HeNormal",
    "XavierUniform",
    "XavierNormal",
    "One",
    "Zero",
    "Constant",
    "Identity",
    "Sparse",
    "Dirac",
    "Orthogonal",
    "VarianceScaling",
]

_above_zero = Compared(gt=0)


class Initializer:
    """Base class of initializers: a subclass fills an array in `_initialize`.

    Args:
        **kwargs: the constructor arguments, stored for inspection.

    Examples:
        >>> from mindspore_compat.common.initializer import Initializer, initializer
        >>> class Ramp(Initializer):
        ...     def _initialize(self, arr):
        ...         arr[...] = range(arr.size)
        >>> print(initializer(Ramp(), [3]).init_data())
        [0. 1. 2.]

    Source: mindspore.common.initializer.Initializer of MindSpore 2.10.
    """

    def __init__(self, **kwargs):
        self._kwargs = kwargs
        self._seed = None

    @property
    def seed(self):
        """The pair (global seed, op seed) of the draw, (0, 0) if no seed is set."""
        return (0, 0) if self._seed is None else self._seed

    @seed.setter
    def seed(self, value):
        self._seed = value

    def _initialize(self, arr):
        raise NotImplementedError(f"For '{type(self).__name__}', '_initialize' must be overridden.")

    def __call__(self, arr):
        """Fills `arr`, a NumPy array of the final shape and dtype."""
        return self._initialize(arr)


register_type("Initializer", Initializer)


def _assignment(arr, num):
    """Writes `num` (a number or an array of the same shape) into `arr`, and returns `arr`."""
    arr[...] = num
    return arr


# The initializers ---------------------------------------------------------------------------------


@declare("common.initializer.Zero", "zeros")
class Zero(Initializer):
    """Zero initializer, also called 'zeros': fills with zeros.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.common.initializer.initializer(ms.common.initializer.Zero(), (2,)).init_data())
        [0. 0.]
    """

    def _initialize(self, arr):
        arr[...] = 0


@declare("common.initializer.One", "ones")
class One(Initializer):
    """One initializer, also called 'ones': fills with ones.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.common.initializer.initializer(ms.common.initializer.One(), (2,)).init_data())
        [1. 1.]
    """

    def _initialize(self, arr):
        arr[...] = 1


class Constant(Initializer):
    """Constant initializer: fills with a value.

    Args:
        value (Union[int, float, numpy.ndarray]): the value, or an array of the Tensor's shape.

    Example:
        >>> from mindspore_compat.common.initializer import Constant, initializer
        >>> print(initializer(Constant(3), (2,)).init_data())
        [3. 3.]

    Source: mindspore.common.initializer.Constant of MindSpore 2.10.
    """

    def __init__(self, value):
        super().__init__(value=value)
        self.value = value

    def _initialize(self, arr):
        arr[...] = self.value


@declare("common.initializer.XavierNormal", "xavier_normal")
class XavierNormal(Initializer):
    """Xavier (Glorot) normal initializer: N(0, sigma²) with sigma = gain * sqrt(2 / (fan_in +
    fan_out)).

    Args:
        gain (float): a factor of the values.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.common.initializer.initializer(ms.common.initializer.XavierNormal(),
        ...                                         (2, 3)).shape)
        (2, 3)
    """

    def __init__(self, gain=1):
        super().__init__(gain=gain)
        self.gain = gain

    def _initialize(self, arr):
        sigma = self.gain * math.sqrt(2 / sum(_calculate_in_and_out(arr)))
        _init_random_normal_inplace(0, sigma, arr)


@declare("common.initializer.XavierUniform", "xavier_uniform")
class XavierUniform(Initializer):
    """Xavier (Glorot) uniform initializer: U(-bound, bound) with bound = gain * sqrt(6 / (fan_in +
    fan_out)).

    Args:
        gain (float): a factor of the values.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.common.initializer.initializer(ms.common.initializer.XavierUniform(),
        ...                                         (2, 3)).shape)
        (2, 3)
    """

    def __init__(self, gain=1):
        super().__init__(gain=gain)
        self.gain = gain

    def _initialize(self, arr):
        bound = self.gain * math.sqrt(6 / sum(_calculate_in_and_out(arr)))
        _init_random_uniform_inplace(-bound, bound, arr)


class _He(Initializer):
    """Base class of HeUniform and HeNormal, with the standard deviation gain / sqrt(fan)."""

    def __init__(self, negative_slope=0, mode="fan_in", nonlinearity="leaky_relu"):
        super().__init__(negative_slope=negative_slope, mode=mode, nonlinearity=nonlinearity)
        self.negative_slope, self.mode, self.nonlinearity = negative_slope, mode, nonlinearity

    def _sigma(self, arr):
        fan = _calculate_correct_fan(arr.shape, self.mode)
        return _calculate_gain(self.nonlinearity, self.negative_slope) / math.sqrt(fan)


@declare("common.initializer.HeUniform", "he_uniform")
class HeUniform(_He):
    """He (Kaiming) uniform initializer: U(-bound, bound) with bound = gain * sqrt(3 / fan).

    Args:
        negative_slope (Union[int, float]): negative slope of the leaky ReLU that follows the layer.
        mode (str): 'fan_in' preserves the variance in the forward pass, 'fan_out' in the
            backward pass.
        nonlinearity (str): the function that follows the layer; it determines the gain.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.common.initializer.initializer(ms.common.initializer.HeUniform(),
        ...                                         (2, 3)).shape)
        (2, 3)
    """

    def _initialize(self, arr):
        bound = math.sqrt(3) * self._sigma(arr)
        _init_random_uniform_inplace(-bound, bound, arr)


@declare("common.initializer.HeNormal", "he_normal")
class HeNormal(_He):
    """He (Kaiming) normal initializer: N(0, sigma²) with sigma = gain / sqrt(fan).

    Args:
        negative_slope (Union[int, float]): negative slope of the leaky ReLU that follows the layer.
        mode (str): 'fan_in' preserves the variance in the forward pass, 'fan_out' in the
            backward pass.
        nonlinearity (str): the function that follows the layer; it determines the gain.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.common.initializer.initializer(ms.common.initializer.HeNormal(), (2, 3)).shape)
        (2, 3)
    """

    def _initialize(self, arr):
        _init_random_normal_inplace(0, self._sigma(arr), arr)


def _need_matrix(initializer_, arr):
    if arr.ndim != 2:
        raise ValueError(
            f"For '{type(initializer_).__name__}', the tensor must have 2 dimensions, "
            f"but got {arr.ndim}."
        )


@declare("common.initializer.Identity")
class Identity(Initializer):
    """Identity initializer: the identity matrix, cut or padded with zeros to the shape.

    Example:
        >>> from mindspore_compat.common.initializer import Identity, initializer
        >>> print(initializer(Identity(), (2, 2)).init_data())
        [[1. 0.]
         [0. 1.]]
    """

    def _initialize(self, arr):
        _need_matrix(self, arr)
        arr[...] = np.eye(*arr.shape)


@declare("common.initializer.Sparse")
class Sparse(Initializer):
    """Sparse initializer: draws from N(0, sigma²) and sets a fraction of each column to zero.

    Args:
        sparsity (float): the fraction, rounded up to whole elements.
        sigma (float): the standard deviation of the rest.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.common.initializer.initializer(ms.common.initializer.Sparse(0.5),
        ...                                         (2, 3)).shape)
        (2, 3)
    """

    def __init__(self, sparsity, sigma=0.01):
        super().__init__()
        self.sparsity = sparsity
        self.sigma = sigma

    def _initialize(self, arr):
        _need_matrix(self, arr)
        values = _init_random_normal(0, self.sigma, arr.shape)
        empty = min(math.ceil(self.sparsity * arr.shape[0]), arr.shape[0])
        for column in range(arr.shape[1]):
            values[np.random.permutation(arr.shape[0])[:empty], column] = 0
        arr[...] = values


@declare("common.initializer.Dirac")
class Dirac(Initializer):
    """Dirac initializer: the convolution passes each input channel unchanged to the output channel
    of its index.

    Args:
        groups (int): the number of groups of the convolution, which all get the same values.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.common.initializer.initializer(ms.common.initializer.Dirac(), (2, 2, 3)).shape)
        (2, 2, 3)
    """

    def __init__(self, groups=1):
        super().__init__()
        self.groups = groups

    def _initialize(self, arr):
        if arr.ndim not in (3, 4, 5):
            raise ValueError(
                f"For 'Dirac', the tensor must have 3, 4 or 5 dimensions, but got {arr.ndim}."
            )
        groups = self.groups
        Int.refuse("Dirac", "groups", groups)
        if groups < 1 or arr.shape[0] % groups:
            raise ValueError(
                "For 'Dirac', the first dimension must be divisible by 'groups', "
                f"but got {arr.shape[0]} and {groups}."
            )
        per_group = arr.shape[0] // groups
        centre = tuple(size // 2 for size in arr.shape[2:])
        arr[...] = 0
        for channel in range(arr.shape[0]):
            within = channel % per_group
            if within < arr.shape[1]:
                arr[(channel, within, *centre)] = 1


@declare("common.initializer.Orthogonal")
class Orthogonal(Initializer):
    """Orthogonal initializer: a (semi-)orthogonal matrix; axes after the first are flattened.

    Args:
        gain (float): a factor of the values.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.common.initializer.initializer(ms.common.initializer.Orthogonal(),
        ...                                         (2, 3)).shape)
        (2, 3)
    """

    def __init__(self, gain=1.0):
        super().__init__(gain=gain)
        self.gain = gain

    def _initialize(self, arr):
        if arr.ndim < 2:
            raise ValueError(
                f"For 'Orthogonal', the tensor must have at least 2 dimensions, but got {arr.ndim}."
            )
        rows = arr.shape[0]
        values = _init_random_normal(0, 1, (rows, arr.size // rows))
        is_wide = values.shape[0] < values.shape[1]
        q, r = np.linalg.qr(values.T if is_wide else values)
        q = q * np.sign(np.diag(r))  # makes the distribution uniform over orthogonal matrices
        arr[...] = (self.gain * (q.T if is_wide else q)).reshape(arr.shape)


@declare("common.initializer.VarianceScaling")
class VarianceScaling(Initializer):
    """Variance scaling initializer: draws with variance scale / n, where n is a fan of the weight.

    Args:
        scale (float): a factor of the variance, greater than 0.
        mode (str): the fan n: 'fan_in', 'fan_out' or their mean 'fan_avg'.
        distribution (str): 'truncated_normal' (cut at two standard deviations),
            'untruncated_normal' or 'uniform'.

    Raises:
        TypeError: if `scale` is not a number.
        ValueError: if `scale` is not greater than 0, or a name is not one of the above.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.common.initializer.initializer(ms.common.initializer.VarianceScaling(),
        ...                                         (2, 3)).shape)
        (2, 3)
    """

    def __init__(self, scale=1.0, mode="fan_in", distribution="truncated_normal"):
        super().__init__(scale=scale, mode=mode, distribution=distribution)
        _above_zero.refuse("VarianceScaling", "scale", scale)
        self._need(mode, "mode", ("fan_in", "fan_out", "fan_avg"))
        self._need(
            distribution, "distribution", ("uniform", "truncated_normal", "untruncated_normal")
        )
        self.scale = _above_zero.read(scale)
        self.mode = mode
        self.distribution = distribution

    @staticmethod
    def _need(value, name, choices):
        if value not in choices:
            raise ValueError(
                f"For 'VarianceScaling', '{name}' must be one of {choices}, but got {value!r}."
            )

    def _initialize(self, arr):
        fan_in, fan_out = _calculate_fan_in_and_fan_out(arr.shape)
        fans = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2}
        sigma = math.sqrt(self.scale / max(1.0, fans[self.mode]))
        if self.distribution == "uniform":
            _init_random_uniform_inplace(-math.sqrt(3) * sigma, math.sqrt(3) * sigma, arr)
        elif self.distribution == "untruncated_normal":
            _init_random_normal_inplace(0, sigma, arr)
        else:
            sigma /= _SIGMA_OF_CUT_NORMAL
            _init_truncated_normal_inplace(-2 * sigma, 2 * sigma, 0, sigma, arr)


_SIGMA_OF_CUT_NORMAL = 0.87962566103423978  # of N(0, 1) truncated to [-2, 2]


@declare("common.initializer.Uniform")
class Uniform(Initializer):
    """Uniform initializer: draws from U(-scale, scale).

    Args:
        scale (float): the bound.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.common.initializer.initializer(ms.common.initializer.Uniform(), (2, 3)).shape)
        (2, 3)
    """

    def __init__(self, scale=0.07):
        super().__init__(scale=scale)
        self.scale = scale

    def _initialize(self, arr):
        _init_random_uniform_inplace(-self.scale, self.scale, arr)


@declare("common.initializer.Normal")
class Normal(Initializer):
    """Normal initializer: draws from N(mean, sigma²).

    Args:
        sigma (float): the standard deviation.
        mean (float): the mean.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.common.initializer.initializer(ms.common.initializer.Normal(), (2, 3)).shape)
        (2, 3)
    """

    def __init__(self, sigma=0.01, mean=0.0):
        super().__init__(sigma=sigma, mean=mean)
        self.sigma = sigma
        self.mean = mean

    def _initialize(self, arr):
        _init_random_normal_inplace(self.mean, self.sigma, arr)


@declare("common.initializer.TruncatedNormal")
class TruncatedNormal(Initializer):
    """Truncated normal initializer: draws from N(mean, sigma²), limited to [a, b].

    Args:
        sigma (float): the standard deviation.
        mean (float): the mean.
        a (float): the lower bound of the values (not in standard deviations).
        b (float): the upper bound.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.common.initializer.initializer(ms.common.initializer.TruncatedNormal(),
        ...                                         (2, 3)).shape)
        (2, 3)
    """

    def __init__(self, sigma=0.01, mean=0.0, a=-2.0, b=2.0):
        super().__init__(sigma=sigma, mean=mean, a=a, b=b)
        self.sigma, self.mean = sigma, mean
        self.a, self.b = a, b

    def _initialize(self, arr):
        _init_truncated_normal_inplace(self.a, self.b, self.mean, self.sigma, arr)


# Creating Tensors ---------------------------------------------------------------------------------


@checked
def initializer(
    init: InstanceOf(Tensor, numbers.Number, str, Initializer).called(
        "a Tensor, a number, a str or an Initializer"
    ),
    shape=None,
    dtype=float32,
):
    """Creates a Tensor whose values are drawn by an initializer.

    The values are drawn when they are first needed (or by `init_data()`).

    Args:
        init (Union[Tensor, str, Initializer, numbers.Number]): a Tensor of that shape, which is
            returned unchanged; the name of an initializer, upper or lower case; an initializer; or
            a number.
        shape (Union[tuple, list, int]): the shape; optional if `init` is a Tensor.
        dtype (mindspore.dtype): the type of the values.

    Returns:
        Tensor.

    Raises:
        TypeError: if `init` is of the wrong type.
        ValueError: if no initializer has that name, a dimension is not a positive int, or `shape`
            differs from that of the Tensor `init`.

    Examples:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.common.initializer import initializer, One
        >>> print(initializer(One(), [2, 3], ms.float32).init_data())
        [[1. 1. 1.]
         [1. 1. 1.]]

    Source: mindspore.common.initializer.initializer of MindSpore 2.10.
    """
    if isinstance(init, Tensor):
        return _same_shape(init, shape)
    shape = _checked_shape(shape)
    if isinstance(init, str):
        init = initializer_named(init)
    elif isinstance(init, numbers.Number):
        init = Constant(init)
    return Tensor(shape=shape, dtype=dtype, init=init)


def _same_shape(init, shape):
    expected = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    if init.shape != expected:
        raise ValueError(
            "For 'initializer', the Tensor 'init' must have the shape asked for, "
            f"but got {init.shape} and {shape!r}."
        )
    return init


def _has_items(value):
    try:
        return any(True for _ in value)
    except TypeError:
        return False


def _checked_shape(shape):
    if isinstance(shape, int):
        shape = (shape,)
    if not isinstance(shape, (tuple, list)) or not all(
        isinstance(size, numbers.Integral) and size > 0 for size in shape
    ):
        is_number = shape is None or isinstance(shape, numbers.Number)
        error = ValueError if is_number or _has_items(shape) else TypeError
        raise error(
            "For 'initializer', 'shape' must be an int, or a tuple or list of "
            "positive "
            f"ints, but got {shape!r}."
        )
    return tuple(int(size) for size in shape)
