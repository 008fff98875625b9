"""Audio transforms of single values: gains, decibels, companding, fades, distortion, complex parts.

Where a result is clamped, it is to [-1, 1]. float64 stays float64; other numbers become float32.
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
from .filters import filtered
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
    """Tells powers or magnitudes in decibels.

    Takes numbers of shape (..., freq, time) and gives float32, or float64, of the same shape.

    Args:
        stype (ScaleType, optional): what the input holds.
        ref_value (float, optional): the value that is 0 dB, positive.
        amin (float, optional): what smaller values are raised to, positive.
        top_db (float, optional): how far below the loudest of its recording a value may lie,
            positive. With three axes or more, the last three make a recording.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: one is not positive.
        RuntimeError: the input is not of that shape; raised when it is used.

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

    def _made(self, x):
        return decibels(x, self.stype, self.ref_value, self.amin, self.top_db)


def decibels(x, stype, ref_value, amin, top_db):
    """A spectrogram in decibels."""
    factor = 10.0 if stype is ScaleType.POWER else 20.0
    found = factor * np.log10(np.maximum(x, x.dtype.type(amin)))
    found -= factor * math.log10(max(ref_value, amin))
    axes = (-3, -2, -1) if x.ndim > 2 else (-2, -1)
    return np.maximum(found, found.max(axes, keepdims=True) - x.dtype.type(top_db))


class DBToAmplitude(AudioOperation):
    """Tells decibels as powers or amplitudes: `ref * 10 ** (0.1 * x * power)`.

    Takes numbers of any shape but () and gives float32, or float64, of the same shape.

    Args:
        ref (float): what 0 dB stand for.
        power (float): 1 for powers, 0.5 for amplitudes.

    Raises:
        TypeError: an argument is no number.
        RuntimeError: the input has no axes; raised when it is used.

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

    def _made(self, x):
        with np.errstate(over="ignore"):
            return (self.ref * 10.0 ** (0.1 * self.power * x.astype(np.float64))).astype(x.dtype)


class Angle(ComplexOperation):
    """The angle of complex numbers, in (-pi, pi].

    Takes numbers of shape (..., 2) and gives float32, or float64, of shape (...).

    Raises:
        RuntimeError: the input is not of that shape; raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.audio.Angle()(np.array([[[0.0, 1.0]]])))
        [[1.57079633]]

    Source: mindspore.dataset.audio.Angle of MindSpore 2.10.
    """

    blockwise = True

    def _made(self, x):
        return np.arctan2(x[..., 1], x[..., 0])


class ComplexNorm(ComplexOperation):
    """The magnitude of complex numbers, to a power.

    Takes numbers of shape (..., 2) and gives float32, or float64, of shape (...).

    Args:
        power (float, optional): the power, not negative.

    Raises:
        TypeError: it is no number.
        ValueError: it is negative.
        RuntimeError: the input is not of that shape; raised when it is used.

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

    def _made(self, x):
        return norm(x, self.power)


def norm(x, power):
    """The magnitude of pairs, to a power."""
    square = x[..., 0] * x[..., 0] + x[..., 1] * x[..., 1]
    return square if power == 2 else square ** x.dtype.type(power / 2)


class Magphase(ComplexOperation):
    """The magnitude of complex numbers to a power, and their angle, as two arrays.

    Takes numbers of shape (..., 2) and gives float32, or float64, of shape (...).

    Args:
        power (float, optional): the power, not negative.

    Raises:
        TypeError: it is no number.
        ValueError: it is negative.
        RuntimeError: the input is not of that shape; raised when it is used.

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

    def _made(self, x):
        return norm(x, self.power), np.arctan2(x[..., 1], x[..., 0])


class Contrast(AudioOperation):
    """Makes a sound louder, much as a compressor does.

    Takes numbers of shape (..., time) and gives float32, or float64, of the same shape.

    Args:
        enhancement_amount (float, optional): how much, in [0, 100]; 0 does something too.

    Raises:
        TypeError: it is no number.
        ValueError: it is out of range.
        RuntimeError: the input has no axes; raised when it is used.

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
        self.enhancement_amount = enhancement_amount

    def _made(self, x):
        angle = x * (math.pi / 2)
        return np.sin(angle + self.enhancement_amount / 750 * np.sin(angle * 4))


class DCShift(AudioOperation):
    """Adds a constant; peaks are squeezed instead of clipped.

    Takes numbers of any shape but () and gives float32, or float64, of the same shape.

    Args:
        shift (float): the constant, in [-2, 2].
        limiter_gain (float, optional): what the slope of the peaks' squeezing grows with; None is
            `shift`.

    Raises:
        TypeError: an argument is no number.
        ValueError: `shift` is out of range.
        RuntimeError: the input has no axes; raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.audio.DCShift(0.25)(np.array([[0.0, 0.5]], np.float32)))
        [[0.25 0.75]]

    Source: mindspore.dataset.audio.DCShift of MindSpore 2.10; the effect "dcshift" of SoX.
    """

    blockwise = True

    @checked
    def __init__(self, shift: Number(ge=-2.0, le=2.0), limiter_gain: Real | None = None):
        self.shift = shift
        self.limiter_gain = shift if limiter_gain is None else limiter_gain

    def _made(self, x):
        shifted = np.clip(x + self.shift, -1.0, 1.0)
        if self.shift in (0, self.limiter_gain):
            return shifted.astype(x.dtype)
        threshold = 1.0 - (abs(self.shift) - self.limiter_gain)
        with np.errstate(divide="ignore", invalid="ignore"):
            slope = self.limiter_gain / np.float64(1 - threshold)
            if self.shift > 0:
                squeezed = np.minimum((x - threshold) * slope + threshold + self.shift, threshold)
                return np.where(x > threshold, squeezed, shifted).astype(x.dtype)
            # The original adds the threshold here too, where SoX takes it away.
            squeezed = np.maximum((x + threshold) * slope + threshold + self.shift, -threshold)
            return np.where(x < -threshold, squeezed, shifted).astype(x.dtype)


_rising = {  # how loud a fade is after a part in [0, 1] of it
    FadeShape.LINEAR: lambda part: part,
    FadeShape.EXPONENTIAL: lambda part: 2.0 ** (part - 1) * part,
    FadeShape.LOGARITHMIC: lambda part: np.log10(0.1 + part) + 1,
    FadeShape.QUARTER_SINE: lambda part: np.sin(part * (math.pi / 2)),
    FadeShape.HALF_SINE: lambda part: np.sin(part * math.pi - math.pi / 2) / 2 + 0.5,
}


class Fade(AudioOperation):
    """Lets a sound begin and end softly.

    Takes numbers of shape (..., time) and gives float32, or float64, of the same shape; without a
    fade, the input.

    Args:
        fade_in_len (int, optional): how many samples the beginning takes.
        fade_out_len (int, optional): how many the end takes.
        fade_shape (FadeShape, optional): the curve.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: a length is negative.
        RuntimeError: one is longer than the input; raised when it is used.

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

    def _made(self, x):
        if not (self.fade_in_len or self.fade_out_len):
            return x
        loudness = np.ones(x.shape[-1])
        curve = _rising[self.fade_shape]
        loudness[: self.fade_in_len] *= curve(np.linspace(0.0, 1.0, self.fade_in_len))
        start = x.shape[-1] - self.fade_out_len
        loudness[start:] *= curve(1.0 - np.linspace(0.0, 1.0, self.fade_out_len))
        return (x * loudness).astype(x.dtype)


class Gain(AudioOperation):
    """Makes a sound louder or softer by so many decibels.

    Takes numbers of any shape but () and gives float32, or float64, of the same shape.

    Args:
        gain_db (float, optional): how many.

    Raises:
        TypeError: it is no number.
        RuntimeError: the input has no axes; raised when it is used.

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

    def _made(self, x):
        return x if self.gain_db == 0 else x * x.dtype.type(10.0 ** (self.gain_db / 20.0))


class Vol(AudioOperation):
    """Makes a sound louder or softer, and clamps it.

    Takes numbers of shape (..., time) and gives float32, or float64, of the same shape.

    Args:
        gain (float): how much.
        gain_type (GainType, optional): what it counts: a factor of the amplitude, not negative; of
            the power, positive; or decibels.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: `gain` is negative, or 0 as a factor of the power.
        RuntimeError: the input has no axes; raised when it is used.

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

    def _made(self, x):
        factor = self.gain
        if self.gain_type is GainType.POWER:
            factor = math.sqrt(self.gain)
        elif self.gain_type is GainType.DB:
            factor = 10.0 ** (self.gain / 20.0)
        return np.clip(x * x.dtype.type(factor), -1.0, 1.0)


class MuLawEncoding(AudioOperation):
    """Companding by the mu-law: a sound in [-1, 1] as whole numbers in [0, quantization_channels).

    Takes numbers of shape (..., time) and gives int32 of the same shape.

    Args:
        quantization_channels (int, optional): how many numbers there are.

    Raises:
        TypeError: it is no int.
        ValueError: it is not positive.
        RuntimeError: the input has no axes; raised when it is used.

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

    def _made(self, x):
        top = x.dtype.type(self.quantization_channels - 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            small = np.sign(x) * np.log1p(top * np.abs(x)) / np.log1p(top)
            return ((small + 1) / 2 * top + x.dtype.type(0.5)).astype(np.int32)


class MuLawDecoding(AudioOperation):
    """Undoes MuLawEncoding.

    Takes numbers of shape (..., time) and gives float32, or float64, of the same shape.

    Args:
        quantization_channels (int, optional): how many numbers there are.

    Raises:
        TypeError: it is no int.
        ValueError: it is not positive.
        RuntimeError: the input has no axes; raised when it is used.

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

    def _made(self, x):
        top = x.dtype.type(self.quantization_channels - 1)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            small = x / top * 2 - 1
            return np.sign(small) * (np.exp(np.abs(small) * np.log1p(top)) - 1) / top


class Overdrive(AudioOperation):
    """Distorts a sound as an amplifier does that is driven too far.

    Takes numbers of shape (..., time) and gives float32, or float64, of the same shape.

    Args:
        gain (float, optional): how far, in dB, in [0, 100].
        color (float, optional): how much of even harmonics, in [0, 100].

    Raises:
        TypeError: an argument is no number.
        ValueError: one is out of range.
        RuntimeError: the input has no axes; raised when it is used.

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

    def _made(self, x):
        driven = np.clip(x * 10.0 ** (self.gain / 20.0) + self.color / 200.0, -1.0, 1.0)
        bent = driven - driven**3 / 3.0
        centered = filtered(bent, (1.0, -1.0), (1.0, -0.995))  # takes the constant part away
        return np.clip(x * 0.5 + centered * 0.75, -1.0, 1.0).astype(x.dtype)
