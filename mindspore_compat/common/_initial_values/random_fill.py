"""Random initial weights: normal, uniform and truncated normal, in float32, on the host.

Each draw takes its seed from NumPy's global random state (two words, like the original), so both
`mindspore.set_seed` and `numpy.random.seed` determine it. The streams differ from the original's.
"""

import math

import numpy as np


def _numpy_seed():
    """Draws a seed, two 32-bit numbers, from NumPy's global generator."""
    return np.random.randint(low=1, high=1 << 63, dtype=np.int64)


def _stream():
    return np.random.Generator(np.random.SFC64(_numpy_seed()))


def _init_random_normal(mean, sigma, shape):
    """Draws values of N(mean, sigma²) in float32."""
    if sigma < 0:
        raise ValueError(f"For 'Normal', 'sigma' must be >= 0, but got {sigma!r}.")
    values = _stream().standard_normal(shape, np.float32)
    return values * np.float32(sigma) + np.float32(mean)


def _init_random_uniform(a, b, shape):
    """Draws values of U(a, b) in float32."""
    return _stream().random(shape, np.float32) * np.float32(b - a) + np.float32(a)


def _init_truncated_normal(a, b, mean, sigma, shape):
    """Draws values of N(mean, sigma²) in float32, truncated to [a, b]."""
    if sigma < 0 or a > b:
        raise ValueError(
            f"For 'TruncatedNormal', 'sigma' must be >= 0 and 'a' <= 'b', "
            f"but got sigma={sigma!r}, a={a!r}, b={b!r}."
        )
    if sigma == 0:
        return np.full(shape, min(max(mean, a), b), np.float32)
    low, high = (a - mean) / sigma, (b - mean) / sigma
    stream = _stream()
    if math.erf(high / math.sqrt(2)) - math.erf(low / math.sqrt(2)) > 1:  # more than half inside
        values = _redraw(stream, low, high, math.prod(shape)).reshape(shape)
    else:
        values = _by_quantile(stream, low, high, shape)
    return values * np.float32(sigma) + np.float32(mean)


def _redraw(stream, low, high, count):
    """Draws standard normal values, and redraws those outside [low, high]."""
    values = stream.standard_normal(count, np.float32)
    outside = np.flatnonzero((values < low) | (values > high))
    while outside.size:
        values[outside] = stream.standard_normal(outside.size, np.float32)
        outside = outside[(values[outside] < low) | (values[outside] > high)]
    return values


def _by_quantile(stream, low, high, shape):
    """Draws standard normal values in a small or distant interval; mirrored if the upper tail would
    lose precision."""
    if low > 0:
        return -_by_quantile(stream, -high, -low, shape)
    from scipy import special  # here, because it takes long to load and few draws need it

    # Logarithms, because probabilities are 0 at 50 standard deviations from the mean.
    log_high = special.log_ndtr(high)
    ratio = np.exp(special.log_ndtr(low) - log_high)
    with np.errstate(divide="ignore"):  # log(0) means the lower bound
        log_shares = np.log(stream.uniform(ratio, 1.0, shape))
    values = special.ndtri_exp(log_high + log_shares)
    return np.clip(values, low, high).astype(np.float32)


def _init_random_normal_inplace(mean, sigma, arr):
    arr[...] = _init_random_normal(mean, sigma, arr.shape)


def _init_random_uniform_inplace(a, b, arr):
    arr[...] = _init_random_uniform(a, b, arr.shape)


def _init_truncated_normal_inplace(a, b, mean, sigma, arr):
    arr[...] = _init_truncated_normal(a, b, mean, sigma, arr.shape)
