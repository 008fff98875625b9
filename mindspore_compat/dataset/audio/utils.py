"""Enumerations for the arguments of audio transforms; matrices of filter banks and of the DCT.

Enumerations are strings, so they can be written as JSON. The matrices are float32, as in
MindSpore, but computed in float64.
"""

from enum import Enum, IntEnum
from functools import lru_cache

import numpy as np

from ..._core.rules.checked import Forbid, checked
from ..._core.rules.vocabulary import Int, Number, OneOf
from .._rules import INT32_MAX, AnInstance, natural, positive

__all__ = [
    "BorderType",
    "DensityFunction",
    "FadeShape",
    "GainType",
    "Interpolation",
    "MelType",
    "Modulation",
    "NormMode",
    "NormType",
    "ResampleMethod",
    "ScaleType",
    "WindowType",
    "create_dct",
    "linear_fbanks",
    "melscale_fbanks",
]


class BorderType(str, Enum):
    """The padding modes of a signal: zeros, the last value, or the mirror image.

    REFLECT mirrors the signal without the last value, SYMMETRIC with it.

    Example:
        >>> from mindspore_compat.dataset import audio
        >>> [border.name for border in audio.BorderType]
        ['CONSTANT', 'EDGE', 'REFLECT', 'SYMMETRIC']

    Source: mindspore.dataset.audio.BorderType of MindSpore 2.10.
    """

    CONSTANT = "constant"
    EDGE = "edge"
    REFLECT = "reflect"
    SYMMETRIC = "symmetric"


class DensityFunction(str, Enum):
    """The probability density of dither noise: triangular, rectangular or Gaussian.

    Example:
        >>> from mindspore_compat.dataset import audio
        >>> [function.name for function in audio.DensityFunction]
        ['TPDF', 'RPDF', 'GPDF']

    Source: mindspore.dataset.audio.DensityFunction of MindSpore 2.10.
    """

    TPDF = "TPDF"
    RPDF = "RPDF"
    GPDF = "GPDF"


class FadeShape(str, Enum):
    """The curves of a fade.

    Example:
        >>> from mindspore_compat.dataset import audio
        >>> [shape.name for shape in audio.FadeShape]
        ['QUARTER_SINE', 'HALF_SINE', 'LINEAR', 'LOGARITHMIC', 'EXPONENTIAL']

    Source: mindspore.dataset.audio.FadeShape of MindSpore 2.10.
    """

    QUARTER_SINE = "quarter_sine"
    HALF_SINE = "half_sine"
    LINEAR = "linear"
    LOGARITHMIC = "logarithmic"
    EXPONENTIAL = "exponential"


class GainType(str, Enum):
    """The units of a gain: amplitude, power or decibels.

    Example:
        >>> from mindspore_compat.dataset import audio
        >>> [unit.name for unit in audio.GainType]
        ['AMPLITUDE', 'POWER', 'DB']

    Source: mindspore.dataset.audio.GainType of MindSpore 2.10.
    """

    AMPLITUDE = "amplitude"
    POWER = "power"
    DB = "db"


class Interpolation(str, Enum):
    """The interpolation between samples: linear or quadratic.

    Example:
        >>> from mindspore_compat.dataset import audio
        >>> [way.name for way in audio.Interpolation]
        ['LINEAR', 'QUADRATIC']

    Source: mindspore.dataset.audio.Interpolation of MindSpore 2.10.
    """

    LINEAR = "linear"
    QUADRATIC = "quadratic"


class MelType(str, Enum):
    """The formula of the mel scale: from the Hidden Markov Toolkit, or Slaney's.

    Example:
        >>> from mindspore_compat.dataset import audio
        >>> [scale.name for scale in audio.MelType]
        ['HTK', 'SLANEY']

    Source: mindspore.dataset.audio.MelType of MindSpore 2.10.
    """

    HTK = "htk"
    SLANEY = "slaney"


class Modulation(str, Enum):
    """The modulating wave of an effect.

    Example:
        >>> from mindspore_compat.dataset import audio
        >>> [shape.name for shape in audio.Modulation]
        ['SINUSOIDAL', 'TRIANGULAR']

    Source: mindspore.dataset.audio.Modulation of MindSpore 2.10.
    """

    SINUSOIDAL = "sinusoidal"
    TRIANGULAR = "triangular"


class NormMode(str, Enum):
    """The normalization of a cosine transform: orthonormal or none.

    Example:
        >>> from mindspore_compat.dataset import audio
        >>> [mode.name for mode in audio.NormMode]
        ['ORTHO', 'NONE']

    Source: mindspore.dataset.audio.NormMode of MindSpore 2.10.
    """

    ORTHO = "ortho"
    NONE = "none"


class NormType(str, Enum):
    """The normalization of a mel filter bank: equal areas, as in Slaney's toolbox, or none.

    Example:
        >>> from mindspore_compat.dataset import audio
        >>> [norm.name for norm in audio.NormType]
        ['SLANEY', 'NONE']

    Source: mindspore.dataset.audio.NormType of MindSpore 2.10.
    """

    SLANEY = "slaney"
    NONE = "none"


class ResampleMethod(str, Enum):
    """The window of the sinc filter for resampling: Hann or Kaiser.

    Example:
        >>> from mindspore_compat.dataset import audio
        >>> [method.name for method in audio.ResampleMethod]
        ['SINC_INTERPOLATION', 'KAISER_WINDOW']

    Source: mindspore.dataset.audio.ResampleMethod of MindSpore 2.10.
    """

    SINC_INTERPOLATION = "sinc_interpolation"
    KAISER_WINDOW = "kaiser_window"


class ScaleType(str, Enum):
    """The content of a spectrogram: powers or magnitudes.

    Example:
        >>> from mindspore_compat.dataset import audio
        >>> [scale.name for scale in audio.ScaleType]
        ['POWER', 'MAGNITUDE']

    Source: mindspore.dataset.audio.ScaleType of MindSpore 2.10.
    """

    POWER = "power"
    MAGNITUDE = "magnitude"


class WindowType(str, Enum):
    """The window functions of a short-time Fourier transform.

    Example:
        >>> from mindspore_compat.dataset import audio
        >>> [window.name for window in audio.WindowType]
        ['BARTLETT', 'BLACKMAN', 'HAMMING', 'HANN', 'KAISER']

    Source: mindspore.dataset.audio.WindowType of MindSpore 2.10.
    """

    BARTLETT = "bartlett"
    BLACKMAN = "blackman"
    HAMMING = "hamming"
    HANN = "hann"
    KAISER = "kaiser"


class _MelNumber(IntEnum):
    DE_MEL_TYPE_HTK = 0
    DE_MEL_TYPE_SLANEY = 1


class _ModeNumber(IntEnum):
    DE_NORM_MODE_NONE = 0
    DE_NORM_MODE_ORTHO = 1


class _NormNumber(IntEnum):
    DE_NORM_TYPE_NONE = 0
    DE_NORM_TYPE_SLANEY = 1


# The numbers of these members in MindSpore's runtime.
DE_C_MEL_TYPE = {
    MelType.HTK: _MelNumber.DE_MEL_TYPE_HTK,
    MelType.SLANEY: _MelNumber.DE_MEL_TYPE_SLANEY,
}
DE_C_NORM_MODE = {
    NormMode.ORTHO: _ModeNumber.DE_NORM_MODE_ORTHO,
    NormMode.NONE: _ModeNumber.DE_NORM_MODE_NONE,
}
DE_C_NORM_TYPE = {
    NormType.SLANEY: _NormNumber.DE_NORM_TYPE_SLANEY,
    NormType.NONE: _NormNumber.DE_NORM_TYPE_NONE,
}

_Count = positive | OneOf(True)  # MindSpore accepts True as 1
Frequency = Number(ge=0.0, le=16777216.0)
Above = Number(gt=0.0, le=16777216.0)


@checked
def create_dct(n_mfcc: _Count, n_mels: _Count, norm: AnInstance(NormMode) = NormMode.NONE):
    """Creates the matrix of the discrete cosine transform (DCT) of type 2.

    Multiply rows by it: `x @ matrix`. Its element (m, k) is `2 * cos(pi / n_mels * (m + 0.5) * k)`;
    if orthonormal, each column is divided by its norm for `n_mfcc` equal to `n_mels`.

    Args:
        n_mfcc (int): the number of coefficients.
        n_mels (int): the number of filters.
        norm (NormMode, optional): NONE or ORTHO.

    Returns:
        numpy.ndarray of float32, (n_mels, n_mfcc).

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if `n_mfcc` or `n_mels` is not positive.

    Source: mindspore.dataset.audio.create_dct of MindSpore 2.10.

    Examples:
        >>> from mindspore_compat.dataset import audio
        >>> audio.create_dct(2, 3).shape
        (3, 2)
    """
    return dct_matrix(n_mfcc, n_mels, norm).astype(np.float32)


@lru_cache(maxsize=8)
def dct_matrix(n_mfcc, n_mels, norm):
    """Returns the matrix of `create_dct` in float64."""
    angles = np.pi / n_mels * (np.arange(n_mels)[:, None] + 0.5) * np.arange(n_mfcc)
    if norm is NormMode.NONE:
        return 2.0 * np.cos(angles)
    matrix = np.cos(angles) * np.sqrt(2.0 / n_mels)
    matrix[:, 0] /= np.sqrt(2.0)
    return matrix


@checked(Forbid("f_min > f_max"))
def linear_fbanks(
    n_freqs: natural, f_min: Frequency, f_max: Above, n_filter: positive, sample_rate: positive
):
    """Creates a bank of triangular filters whose centres are evenly spaced.

    Args:
        n_freqs (int): the number of frequencies, from 0 to half the sample rate.
        f_min (float): the lowest frequency in Hz.
        f_max (float): the highest frequency in Hz.
        n_filter (int): the number of filters.
        sample_rate (int): the sample rate in Hz.

    Returns:
        numpy.ndarray of float32, (n_freqs, n_filter).

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if an argument is out of range, or `f_min` is above `f_max`.

    Source: mindspore.dataset.audio.linear_fbanks of MindSpore 2.10.

    Examples:
        >>> from mindspore_compat.dataset import audio
        >>> audio.linear_fbanks(9, 0.0, 4000.0, 4, 8000).shape
        (9, 4)
    """
    return linear_bank(n_freqs, f_min, f_max, n_filter, sample_rate).astype(np.float32)


@lru_cache(maxsize=8)
def linear_bank(n_freqs, f_min, f_max, n_filter, sample_rate):
    """Returns the matrix of `linear_fbanks` in float64."""
    return _triangles(n_freqs, sample_rate, np.linspace(f_min, f_max, n_filter + 2))


@checked(Forbid("f_min > f_max"))
def melscale_fbanks(
    n_freqs: natural,
    f_min: Frequency,
    f_max: Above,
    n_mels: positive,
    sample_rate: Int(ge=1, le=INT32_MAX),
    norm: AnInstance(NormType) = NormType.NONE,
    mel_type: AnInstance(MelType) = MelType.HTK,
):
    """Creates a bank of triangular filters whose centres are evenly spaced on the mel scale.

    Args:
        n_freqs (int): the number of frequencies, from 0 to half the sample rate.
        f_min (float): the lowest frequency in Hz.
        f_max (float): the highest frequency in Hz.
        n_mels (int): the number of filters.
        sample_rate (int): the sample rate in Hz.
        norm (NormType, optional): SLANEY gives all triangles the same area.
        mel_type (MelType, optional): the formula of the scale.

    Returns:
        numpy.ndarray of float32, (n_freqs, n_mels).

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if an argument is out of range, or `f_min` is above `f_max`.

    Source: mindspore.dataset.audio.melscale_fbanks of MindSpore 2.10; M. Slaney, "Auditory
    Toolbox" (1998).

    Examples:
        >>> from mindspore_compat.dataset import audio
        >>> audio.melscale_fbanks(9, 0.0, 4000.0, 4, 8000).shape
        (9, 4)
    """
    bank = mel_bank(n_freqs, f_min, f_max, n_mels, sample_rate, norm, mel_type)
    return bank.astype(np.float32)


@lru_cache(maxsize=8)
def mel_bank(n_freqs, f_min, f_max, n_mels, sample_rate, norm, mel_type):
    """Returns the matrix of `melscale_fbanks` in float64."""
    to_mel, to_hertz = _scales[mel_type]
    points = to_hertz(np.linspace(to_mel(f_min), to_mel(f_max), n_mels + 2))
    bank = _triangles(n_freqs, sample_rate, points)
    if norm is NormType.SLANEY:
        bank *= 2.0 / (points[2:] - points[:-2])
    return bank


def _triangles(n_freqs, sample_rate, points):
    """Returns triangular filters; each rises from one point to the next and falls to the third."""
    frequencies = np.linspace(0.0, sample_rate / 2, n_freqs)
    gaps = np.diff(points)
    away = points - frequencies[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        falling, rising = away[:, 2:] / gaps[1:], -away[:, :-2] / gaps[:-1]
    return np.fmax(0.0, np.fmin(falling, rising))


def _htk_mel(hertz):
    return 2595.0 * np.log10(1.0 + hertz / 700.0)


def _htk_hertz(mel):
    return 700.0 * (10.0 ** (mel / 2595.0) - 1.0)


# Slaney's scale is linear up to 1000 Hz, 15 mels, and logarithmic above, 27 mels per factor of 6.4.
_STEP, _BEND, _GROWTH = 200.0 / 3, 1000.0, np.log(6.4) / 27.0


def _slaney_mel(hertz):
    if hertz < _BEND:
        return hertz / _STEP
    return _BEND / _STEP + np.log(hertz / _BEND) / _GROWTH


def _slaney_hertz(mel):
    above = _BEND * np.exp(_GROWTH * (mel - _BEND / _STEP))
    return np.where(mel < _BEND / _STEP, mel * _STEP, above)


_scales = {MelType.HTK: (_htk_mel, _htk_hertz), MelType.SLANEY: (_slaney_mel, _slaney_hertz)}
