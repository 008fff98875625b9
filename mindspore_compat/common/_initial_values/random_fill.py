"""Random initial weights: normal, uniform and truncated normal, in float32, on the host.

Each draw takes its seed from NumPy's global random state (two words), so both `mindspore.set_seed`
and `numpy.random.seed` determine it. The values are those of MindSpore, up to the rounding of
logarithms and sines.
"""

import math

import numpy as np

from ..._backend.random.philox import fill

_LEAST = np.float32(1e-7)  # in place of 0, which has no logarithm


def _numpy_seed():
    """Draws a seed, two 32-bit numbers, from NumPy's global generator."""
    return int(np.random.randint(low=1, high=1 << 63, dtype=np.int64))


def _draw(shape, convert):
    """Draws float32 values: random words of 32 bits, converted by a function."""
    values = np.empty(math.prod(shape), np.float32)
    fill(_numpy_seed(), values, convert)
    return values.reshape(shape)


def _shares(words):
    """Returns numbers in [0, 1) in float64."""
    return words * 2.0**-32


def _normal(words):
    """Returns standard normal values by the method of Box and Muller, from numbers of 23 bits: the
    cosine first, then the sine."""
    pairs = (words & np.uint32((1 << 23) - 1)).astype(np.float32).reshape(-1, 2)
    pairs *= np.float32(2.0**-23)
    radius = np.sqrt(np.float32(-2) * np.log(np.maximum(pairs[:, 0], _LEAST)))
    angle = np.float32(2 * math.pi) * pairs[:, 1]
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1).reshape(-1)


def _init_random_normal(mean, sigma, shape):
    """Draws values of N(mean, sigma²) in float32."""
    if sigma < 0:
        raise ValueError(f"For 'Normal', 'sigma' must be >= 0, but got {sigma!r}.")
    values = _draw(shape, _normal)
    values *= np.float32(sigma)
    values += np.float32(mean)
    return values


def _init_random_uniform(a, b, shape):
    """Draws values of U(a, b) in float32."""
    a, b = float(np.float32(a)), float(np.float32(b))
    return _draw(shape, lambda words: _shares(words) * (b - a) + a)


def _init_truncated_normal(a, b, mean, sigma, shape):
    """Draws values of N(mean, sigma²) in float32, truncated to [a, b]: quantiles of uniform
    numbers."""
    if sigma < 0 or a > b:
        raise ValueError(
            f"For 'TruncatedNormal', 'sigma' must be >= 0 and 'a' <= 'b', "
            f"but got sigma={sigma!r}, a={a!r}, b={b!r}."
        )
    if sigma == 0:
        return np.full(shape, min(max(mean, a), b), np.float32)
    low, high = (a - mean) / sigma, (b - mean) / sigma
    values = _draw(shape, lambda words: _quantiles(low, high, _shares(words)))
    return values * np.float32(sigma) + np.float32(mean)


def _quantiles(low, high, shares):
    """Returns quantiles of the standard normal distribution truncated to [low, high], at the
    probabilities `shares`. An interval above 0 is mirrored, because its probabilities are near 1
    and would lose precision."""
    if low > 0:
        return -_quantiles(-high, -low, 1 - shares)
    from scipy import special  # here, because it takes long to load and few draws need it

    # Logarithms, because probabilities are 0 at 50 standard deviations from the mean.
    log_high = special.log_ndtr(high)
    ratio = np.exp(special.log_ndtr(low) - log_high)
    with np.errstate(divide="ignore"):  # log(0) means the lower bound
        logarithms = np.log(ratio + (1 - ratio) * shares)
    values = special.ndtri_exp(log_high + logarithms)
    return np.clip(values, low, high)


def _init_random_normal_inplace(mean, sigma, arr):
    arr[...] = _init_random_normal(mean, sigma, arr.shape)


def _init_random_uniform_inplace(a, b, arr):
    arr[...] = _init_random_uniform(a, b, arr.shape)


def _init_truncated_normal_inplace(a, b, mean, sigma, arr):
    arr[...] = _init_truncated_normal(a, b, mean, sigma, arr.shape)
