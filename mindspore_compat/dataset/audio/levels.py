"""Audio transforms of single values: gain, decibels, companding, fades, distortion, magnitudes.

Clamped results are in [-1, 1]. float64 stays float64; other numbers become float32.
"""

import math

import numpy as np

from ..._core.rules.checked import Forbid, checked
from ..._core.rules.vocabulary import Number
from .._rules import AnInstance, natural, positive
from ._wave import (
    AudioOperation,
    ComplexOperation,
    NotNegative,
    Positive,
    Real,
    SpectrogramOperation,
)
from .filters import apply_filter
from .utils import FadeShape, GainType, ScaleType

__all__ = [
    "AmplitudeToDB",
    "Angle",
    "ComplexNorm",
    "Contrast",
    "DBToAmplitude",
    "DCShift",
    "Fade",
    "Gain",
    "Magphase",
    "MuLawDecoding",
    "MuLawEncoding",
    "Overdrive",
    "Vol",
]

_Hundred = Number(ge=0.0, le=100.0)


class AmplitudeToDB(SpectrogramOperation):
    """Converts a spectrogram of powers or magnitudes to decibels.

    Takes numbers of shape (..., freq, time) and returns float32 or float64 of the same shape.

    Args:
        stype (ScaleType, optional): whether the input holds powers or magnitudes.
        ref_value (float, optional): the reference value that corresponds to 0 dB, positive.
        amin (float, optional): the minimum to which smaller values are raised, positive.
        top_db (float, optional): the maximum distance of a value below the loudest value of its
            recording, positive. With three axes or more, the last three are one recording.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if one is not positive.
        RuntimeError: if the input is not of that shape; raised when it is used.

    Source: mindspore.dataset.audio.AmplitudeToDB of MindSpore 2.10.

    Examples:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import audio
        >>> audio.AmplitudeToDB()(np.array([[1.0, 10.0]]))
        array([[ 0., 10.]])
    """

    @checked
    def __init__(
        self,
        stype: AnInstance(ScaleType) = ScaleType.POWER,
        ref_value: Positive = 1.0,
        amin: Positive = 1e-10,
        top_db: Positive = 80.0,
    ):
        self.stype, self.ref_value, self.amin, self.top_db = stype, ref_value, amin, top_db

    def _compute(self, x):
        return decibels(x, self.stype, self.ref_value, self.amin, self.top_db)


def decibels(x, stype, ref_value, amin, top_db):
    """Converts a spectrogram to decibels."""
    factor = 10.0 if stype is ScaleType.POWER else 20.0
    out = factor * np.log10(np.maximum(x, x.dtype.type(amin)))
    out -= factor * math.log10(max(ref_value, amin))
    axes = (-3, -2, -1) if x.ndim > 2 else (-2, -1)
    return np.maximum(out, out.max(axes, keepdims=True) - x.dtype.type(top_db))


class DBToAmplitude(AudioOperation):
    """Converts decibels to powers or amplitudes: `ref * 10 ** (0.1 * x * power)`.

    Takes numbers of any shape but () and returns float32 or float64 of the same shape.

    Args:
        ref (float): the value that corresponds to 0 dB.
        power (float): 1 for powers, 0.5 for amplitudes.

    Raises:
        TypeError: if an argument is not a number.
        RuntimeError: if the input has no axes; raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.audio.DBToAmplitude(1.0, 1.0)(np.array([[0.0, 10.0]], np.float32)))
        [[ 1. 10.]]

    Source: mindspore.dataset.audio.DBToAmplitude of MindSpore 2.10.
    """

    blockwise = True

    @checked
    def __init__(self, ref: Real, power: Real):
        self.ref, self.power = ref, power

    def _compute(self, x):
        with np.errstate(over="ignore"):
            return (self.ref * 10.0 ** (0.1 * self.power * x.astype(np.float64))).astype(x.dtype)


class Angle(ComplexOperation):
    """Computes the angle of complex numbers, in (-pi, pi].

    Takes numbers of shape (..., 2) and returns float32 or float64 of shape (...).

    Raises:
        RuntimeError: if the input is not of that shape; raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.audio.Angle()(np.array([[[0.0, 1.0]]])))
        [[1.57079633]]

    Source: mindspore.dataset.audio.Angle of MindSpore 2.10.
    """

    blockwise = True

    def _compute(self, x):
        return np.arctan2(x[..., 1], x[..., 0])


class ComplexNorm(ComplexOperation):
    """Computes the magnitude of complex numbers, raised to a power.

    Takes numbers of shape (..., 2) and returns float32 or float64 of shape (...).

    Args:
        power (float, optional): the power, not negative.

    Raises:
        TypeError: if `power` is not a number.
        ValueError: if `power` is negative.
        RuntimeError: if the input is not of that shape; raised when it is used.

    Source: mindspore.dataset.audio.ComplexNorm of MindSpore 2.10.

    Examples:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import audio
        >>> audio.ComplexNorm()(np.array([[3.0, 4.0]]))
        array([5.])
    """

    blockwise = True

    @checked
    def __init__(self, power: NotNegative = 1.0):
        self.power = power

    def _compute(self, x):
        return norm(x, self.power)


def norm(x, power):
    """Returns the magnitude of complex pairs, raised to a power."""
    square = x[..., 0] * x[..., 0] + x[..., 1] * x[..., 1]
    return square if power == 2 else square ** x.dtype.type(power / 2)


class Magphase(ComplexOperation):
    """Separates complex numbers into magnitude, raised to a power, and angle: two arrays.

    Takes numbers of shape (..., 2) and returns float32 or float64 of shape (...).

    Args:
        power (float, optional): the power, not negative.

    Raises:
        TypeError: if `power` is not a number.
        ValueError: if `power` is negative.
        RuntimeError: if the input is not of that shape; raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print([each.shape for each in ms.dataset.audio.Magphase()(np.ones((2, 4, 2),
        ...         np.float32))])
        [(2, 4), (2, 4)]

    Source: mindspore.dataset.audio.Magphase of MindSpore 2.10.
    """

    @checked
    def __init__(self, power: NotNegative = 1.0):
        self.power = power

    def _compute(self, x):
        return norm(x, self.power), np.arctan2(x[..., 1], x[..., 0])


class Contrast(AudioOperation):
    """Applies a contrast effect: makes a sound louder, similar to a compressor.

    Takes numbers of shape (..., time) and returns float32 or float64 of the same shape.

    Args:
        enhancement_amount (float, optional): the amount of the effect, in [0, 100]; 0 has an
            effect, too.

    Raises:
        TypeError: if `enhancement_amount` is not a number.
        ValueError: if `enhancement_amount` is out of range.
        RuntimeError: if the input has no axes; raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.audio.Contrast()(np.array([[0.0, 0.5]], np.float32)).shape)
        (1, 2)

    Source: mindspore.dataset.audio.Contrast of MindSpore 2.10; the effect "contrast" of SoX.
    """

    blockwise = True

    @checked
    def __init__(self, enhancement_amount: _Hundred = 75.0):
        self.enhancement_amount = float(enhancement_amount)

    def _compute(self, x):
        angle = x * (math.pi / 2)
        return np.sin(angle + self.enhancement_amount / 750 * np.sin(angle * 4))


class DCShift(AudioOperation):
    """Applies a DC shift: adds a constant; peaks are limited instead of clipped.

    Takes numbers of any shape but () and returns float32 or float64 of the same shape.

    Args:
        shift (float): the constant, in [-2, 2].
        limiter_gain (float, optional): the gain of the limiter: the slope at peaks grows with it;
            None is `shift`.

    Raises:
        TypeError: if an argument is not a number.
        ValueError: if `shift` is out of range.
        RuntimeError: if the input has no axes; raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.audio.DCShift(0.25)(np.array([[0.0, 0.5]], np.float32)))
        [[0.25 0.75]]

    Source: mindspore.dataset.audio.DCShift of MindSpore 2.10; the effect "dcshift" of SoX.
    """

    blockwise = True

    @checked
    def __init__(self, shift: Number(ge=-2.0, le=2.0), limiter_gain: Number | None = None):
        self.shift = shift
        self.limiter_gain = shift if limiter_gain is None else limiter_gain

    def _compute(self, x):
        sum_ = np.clip(x + self.shift, -1.0, 1.0)
        if self.shift in (0, self.limiter_gain):
            return sum_.astype(x.dtype)
        threshold = 1.0 - (abs(self.shift) - self.limiter_gain)
        with np.errstate(divide="ignore", invalid="ignore"):
            slope = self.limiter_gain / np.float64(1 - threshold)
            if self.shift > 0:
                limited = np.minimum((x - threshold) * slope + threshold + self.shift, threshold)
                return np.where(x > threshold, limited, sum_).astype(x.dtype)
            # MindSpore adds the threshold here, too, whereas SoX subtracts it.
            limited = np.maximum((x + threshold) * slope + threshold + self.shift, -threshold)
            return np.where(x < -threshold, limited, sum_).astype(x.dtype)


_rising = {  # the gain of a fade at a position in [0, 1]
    FadeShape.LINEAR: lambda part: part,
    FadeShape.EXPONENTIAL: lambda part: 2.0 ** (part - 1) * part,
    FadeShape.LOGARITHMIC: lambda part: np.log10(0.1 + part) + 1,
    FadeShape.QUARTER_SINE: lambda part: np.sin(part * (math.pi / 2)),
    FadeShape.HALF_SINE: lambda part: np.sin(part * math.pi - math.pi / 2) / 2 + 0.5,
}


class Fade(AudioOperation):
    """Fades a sound in and out.

    Takes numbers of shape (..., time) and returns float32 or float64 of the same shape; without
    fades, the input is returned.

    Args:
        fade_in_len (int, optional): the number of samples of the fade-in.
        fade_out_len (int, optional): the number of samples of the fade-out.
        fade_shape (FadeShape, optional): the curve of the fades.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if a length is negative.
        RuntimeError: if a fade is longer than the input; raised when it is used.

    Source: mindspore.dataset.audio.Fade of MindSpore 2.10.

    Examples:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import audio
        >>> audio.Fade(3, 2)(np.ones(5))
        array([0. , 0.5, 1. , 1. , 0. ])
    """

    blockwise = True

    @checked
    def __init__(
        self,
        fade_in_len: natural = 0,
        fade_out_len: natural = 0,
        fade_shape: AnInstance(FadeShape) = FadeShape.LINEAR,
    ):
        self.fade_in_len, self.fade_out_len = fade_in_len, fade_out_len
        self.fade_shape = fade_shape

    def _check(self, x, lead):
        super()._check(x, lead)
        if max(self.fade_in_len, self.fade_out_len) > x.shape[-1]:
            raise RuntimeError(
                f"For 'Fade', a fade must not be longer than the input, but got "
                f"fade_in_len={self.fade_in_len}, fade_out_len={self.fade_out_len} "
                f"and shape {x.shape[lead:]}."
            )

    def _cast(self, x):
        return super()._cast(x) if self.fade_in_len or self.fade_out_len else x

    def _compute(self, x):
        if not (self.fade_in_len or self.fade_out_len):
            return x
        loudness = np.ones(x.shape[-1])
        curve = _rising[self.fade_shape]
        loudness[: self.fade_in_len] *= curve(np.linspace(0.0, 1.0, self.fade_in_len))
        start = x.shape[-1] - self.fade_out_len
        loudness[start:] *= curve(1.0 - np.linspace(0.0, 1.0, self.fade_out_len))
        return (x * loudness).astype(x.dtype)


class Gain(AudioOperation):
    """Applies a gain in decibels: amplifies or attenuates a sound.

    Takes numbers of any shape but () and returns float32 or float64 of the same shape.

    Args:
        gain_db (float, optional): the gain in dB.

    Raises:
        TypeError: if `gain_db` is not a number.
        RuntimeError: if the input has no axes; raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.audio.Gain(20.0)(np.array([[0.01, 0.02]], np.float32)))
        [[0.09999999 0.19999999]]

    Source: mindspore.dataset.audio.Gain of MindSpore 2.10.
    """

    blockwise = True

    @checked
    def __init__(self, gain_db: Real = 1.0):
        self.gain_db = gain_db

    def _compute(self, x):
        return x if self.gain_db == 0 else x * x.dtype.type(10.0 ** (self.gain_db / 20.0))


class Vol(AudioOperation):
    """Adjusts the volume of a sound and clamps the result.

    Takes numbers of shape (..., time) and returns float32 or float64 of the same shape.

    Args:
        gain (float): the gain.
        gain_type (GainType, optional): the unit of the gain: a factor of the amplitude, not
            negative; a factor of the power, positive; or decibels.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if `gain` is negative, or 0 as a factor of the power.
        RuntimeError: if the input has no axes; raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.audio.Vol(0.5)(np.array([[0.5, 1.0]], np.float32)))
        [[0.25 0.5 ]]

    Source: mindspore.dataset.audio.Vol of MindSpore 2.10.
    """

    blockwise = True

    @checked(
        Forbid("gain_type == 'amplitude' and gain < 0"),
        Forbid("gain_type == 'power' and gain <= 0"),
    )
    def __init__(self, gain: Real, gain_type: AnInstance(GainType) = GainType.AMPLITUDE):
        self.gain, self.gain_type = gain, gain_type

    def _compute(self, x):
        factor = self.gain
        if self.gain_type is GainType.POWER:
            factor = math.sqrt(self.gain)
        elif self.gain_type is GainType.DB:
            factor = 10.0 ** (self.gain / 20.0)
        return np.clip(x * x.dtype.type(factor), -1.0, 1.0)


class MuLawEncoding(AudioOperation):
    """Encodes a sound by mu-law companding: from [-1, 1] to integers in [0, quantization_channels).

    Takes numbers of shape (..., time) and returns int32 of the same shape.

    Args:
        quantization_channels (int, optional): the number of quantization levels.

    Raises:
        TypeError: if `quantization_channels` is not an int.
        ValueError: if `quantization_channels` is not positive.
        RuntimeError: if the input has no axes; raised when it is used.

    Source: mindspore.dataset.audio.MuLawEncoding of MindSpore 2.10; ITU-T G.711.

    Examples:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import audio
        >>> audio.MuLawEncoding()(np.array([-1.0, 0.0, 0.1, 1.0]))
        array([  0, 128, 203, 255], dtype=int32)
    """

    blockwise = True

    @checked
    def __init__(self, quantization_channels: positive = 256):
        self.quantization_channels = quantization_channels

    def _compute(self, x):
        top = x.dtype.type(self.quantization_channels - 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            small = np.sign(x) * np.log1p(top * np.abs(x)) / np.log1p(top)
            return ((small + 1) / 2 * top + x.dtype.type(0.5)).astype(np.int32)


class MuLawDecoding(AudioOperation):
    """Decodes mu-law companding, the inverse of MuLawEncoding.

    Takes numbers of shape (..., time) and returns float32 or float64 of the same shape.

    Args:
        quantization_channels (int, optional): the number of quantization levels.

    Raises:
        TypeError: if `quantization_channels` is not an int.
        ValueError: if `quantization_channels` is not positive.
        RuntimeError: if the input has no axes; raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.audio.MuLawDecoding()(np.array([[0, 255]], np.int32)))
        [[-1.  1.]]

    Source: mindspore.dataset.audio.MuLawDecoding of MindSpore 2.10; ITU-T G.711.
    """

    blockwise = True

    @checked
    def __init__(self, quantization_channels: positive = 256):
        self.quantization_channels = quantization_channels

    def _compute(self, x):
        top = x.dtype.type(self.quantization_channels - 1)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            small = x / top * 2 - 1
            return np.sign(small) * (np.exp(np.abs(small) * np.log1p(top)) - 1) / top


class Overdrive(AudioOperation):
    """Applies an overdrive effect: nonlinear distortion like that of an overdriven amplifier.

    Takes numbers of shape (..., time) and returns float32 or float64 of the same shape.

    Args:
        gain (float, optional): the gain in dB, in [0, 100].
        color (float, optional): the amount of even harmonics, in [0, 100].

    Raises:
        TypeError: if an argument is not a number.
        ValueError: if an argument is out of range.
        RuntimeError: if the input has no axes; raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.audio.Overdrive()(np.ones((1, 4), np.float32)).shape)
        (1, 4)

    Source: mindspore.dataset.audio.Overdrive of MindSpore 2.10; the effect "overdrive" of SoX.
    """

    blockwise = True

    @checked
    def __init__(self, gain: _Hundred = 20.0, color: _Hundred = 20.0):
        self.gain, self.color = gain, color

    def _compute(self, x):
        driven = np.clip(x * 10.0 ** (self.gain / 20.0) + self.color / 200.0, -1.0, 1.0)
        bent = driven - driven**3 / 3.0
        without_dc = apply_filter(bent, (1.0, -1.0), (1.0, -0.995))  # removes the constant part
        return np.clip(x * 0.5 + without_dc * 0.75, -1.0, 1.0).astype(x.dtype)
