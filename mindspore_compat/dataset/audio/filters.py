"""Audio transforms that are linear filters of finite order: biquads, LFilter, Filtfilt.

Biquads use the formulas of R. Bristow-Johnson's "Cookbook formulae for audio equalizer biquad
filter coefficients"; biquads that the cookbook lacks follow SoX. Filters run in float64, and
results are clamped to [-1, 1], as in MindSpore.
"""

from math import cos, exp, pi, sin, sqrt

import numpy as np

from ..._core.declare.templates import template
from ..._core.rules.checked import Forbid, checked
from ..._core.rules.vocabulary import Bool, Number, OneOf
from .._rules import sequence
from ._wave import LIMIT, AudioOperation, NonZero, Quality, Real

__all__ = [
    "AllpassBiquad",
    "BandBiquad",
    "BandpassBiquad",
    "BandrejectBiquad",
    "BassBiquad",
    "Biquad",
    "DeemphBiquad",
    "EqualizerBiquad",
    "Filtfilt",
    "HighpassBiquad",
    "LFilter",
    "LowpassBiquad",
    "RiaaBiquad",
    "TrebleBiquad",
]

_Coefficients = sequence(Real)

_documented = template(
    """
    sample_rate (int): the sample rate in Hz, not 0.
    gain (float): the gain in dB.
    central_freq (float): the centre in Hz.
    Q (float, optional): the quality factor, in (0, 1].
    """,
    Raises="""
    TypeError: if an argument is of the wrong type.
    ValueError: if an argument is out of range.
    RuntimeError: if the input is not of floats; raised when it is used.
    """,
)


class _Filter(AudioOperation):
    """Base class of filters. `b` and `a` are the coefficients of the input and of the output."""

    blockwise = True
    clamp = True

    def _check(self, x, lead):
        super()._check(x, lead)
        if x.dtype.kind != "f":
            raise RuntimeError(
                f"For '{type(self).__name__}', the input must hold floats, but got {x.dtype}."
            )
        if self.a[0] == 0:
            raise RuntimeError(
                f"For '{type(self).__name__}', the first of 'a_coeffs' must not be 0."
            )

    def _cast(self, x):
        return x

    def _compute(self, x):
        return _clamp(apply_filter(x, self.b, self.a), self.clamp, x.dtype)


def apply_filter(x, b, a):
    """Applies a filter in float64, with zero state before the first sample."""
    from scipy.signal import lfilter  # imported here because it loads slowly

    with np.errstate(over="ignore", invalid="ignore"):
        return lfilter(_round_to_float32(b), _round_to_float32(a), x.astype(np.float64))


def _round_to_float32(coefficients):
    """Rounds coefficients to float32, as MindSpore stores them."""
    return np.array(coefficients, np.float32).astype(np.float64)


def _clamp(x, clamp, dtype):
    """Clamps a result if requested and casts it."""
    with np.errstate(over="ignore"):
        return (np.clip(x, -1.0, 1.0) if clamp else x).astype(dtype)


class Biquad(_Filter):
    """Applies a second-order (biquad) filter.

    Its equation is `a0 y[n] = b0 x[n] + b1 x[n-1] + b2 x[n-2] - a1 y[n-1] - a2 y[n-2]`.

    Takes floats of shape (..., time) and keeps shape and dtype.

    Args:
        b0 (float): the weight of the input.
        b1 (float): the weight of the input one sample earlier.
        b2 (float): the weight of the input two samples earlier.
        a0 (float): the weight of the output; not 0.
        a1 (float): the weight of the output one sample earlier.
        a2 (float): the weight of the output two samples earlier.

    Raises:
        TypeError: if an argument is not a number.
        ValueError: if `a0` is 0.
        RuntimeError: if the input is not of floats; raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.audio.Biquad(1.0, 0.0, 0.0, 1.0, 0.0,
        ...                               0.0)(np.array([[0.5, 0.25]], np.float32)))
        [[0.5  0.25]]

    Source: mindspore.dataset.audio.Biquad of MindSpore 2.10.
    """

    takes_numbers = True

    @checked
    def __init__(
        self,
        b0: Real,
        b1: Real,
        b2: Real,
        a0: Number(ge=-LIMIT, lt=0.0) | Number(gt=0.0, le=LIMIT),
        a1: Real,
        a2: Real,
    ):
        self.b, self.a = (b0, b1, b2), (a0, a1, a2)


def _turn(sample_rate, frequency, quality):
    """Returns cos w, sin w and alpha = sin w / (2 quality), for the angle per sample w = 2 pi
    frequency / sample_rate."""
    angle = 2.0 * pi * frequency / sample_rate
    return cos(angle), sin(angle), sin(angle) / 2.0 / quality


@_documented
class AllpassBiquad(_Filter):
    """Two-pole all-pass filter: changes phases around a frequency, but not magnitudes.

    Takes floats of shape (..., time) and keeps shape and dtype.

    Args:
        central_freq (float): the frequency in Hz.

    Source: mindspore.dataset.audio.AllpassBiquad of MindSpore 2.10.

    Examples:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import audio
        >>> audio.AllpassBiquad(44100, 200.0)(np.ones((2, 4), np.float32)).shape
        (2, 4)
    """

    @checked
    def __init__(self, sample_rate: NonZero, central_freq: Real, Q: Quality = 0.707):
        c, _, alpha = _turn(sample_rate, central_freq, Q)
        self.b, self.a = (1 - alpha, -2 * c, 1 + alpha), (1 + alpha, -2 * c, 1 - alpha)


@_documented
class BandBiquad(_Filter):
    """Two-pole band-pass filter whose response falls off logarithmically from its centre.

    Takes floats of shape (..., time) and keeps shape and dtype.

    Args:
        Q (float, optional): the quality factor, in (0, 1]: the centre divided by the bandwidth.
        noise (bool, optional): whether to use the gain for sound without pitch, such as drums.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.audio.BandBiquad(44100, 200.0)(np.ones((1, 4), np.float32)).shape)
        (1, 4)

    Source: mindspore.dataset.audio.BandBiquad of MindSpore 2.10; the effect "band" of SoX.
    """

    @checked
    def __init__(
        self, sample_rate: NonZero, central_freq: Real, Q: Quality = 0.707, noise: Bool = False
    ):
        c, _, _ = _turn(sample_rate, central_freq, Q)
        a2 = exp(-2.0 * pi * (central_freq / Q) / sample_rate)
        a1 = -4.0 * a2 / (1.0 + a2) * c
        gain = sqrt(1.0 - a1 * a1 / (4.0 * a2)) * (1.0 - a2)
        if noise:
            gain *= sqrt(((1.0 + a2) ** 2 - a1 * a1) * (1.0 - a2) / (1.0 + a2)) / gain
        self.b, self.a = (gain, 0.0, 0.0), (1.0, a1, a2)


@_documented
class BandpassBiquad(_Filter):
    """Two-pole Butterworth band-pass filter.

    Takes floats of shape (..., time) and keeps shape and dtype.

    Args:
        const_skirt_gain (bool, optional): whether the skirt gain is constant, so that the peak gain
            is `Q`; otherwise the peak gain is 0 dB.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.audio.BandpassBiquad(44100, 200.0)(np.ones((1, 4), np.float32)).shape)
        (1, 4)

    Source: mindspore.dataset.audio.BandpassBiquad of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        sample_rate: NonZero,
        central_freq: Real,
        Q: Quality = 0.707,
        const_skirt_gain: Bool = False,
    ):
        c, s, alpha = _turn(sample_rate, central_freq, Q)
        peak = s / 2.0 if const_skirt_gain else alpha
        self.b, self.a = (peak, 0.0, -peak), (1 + alpha, -2 * c, 1 - alpha)


@_documented
class BandrejectBiquad(_Filter):
    """Two-pole Butterworth band-reject (notch) filter.

    Takes floats of shape (..., time) and keeps shape and dtype.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.audio.BandrejectBiquad(44100,
        ...                                         200.0)(np.ones((1, 4), np.float32)).shape)
        (1, 4)

    Source: mindspore.dataset.audio.BandrejectBiquad of MindSpore 2.10.
    """

    @checked
    def __init__(self, sample_rate: NonZero, central_freq: Real, Q: Quality = 0.707):
        c, _, alpha = _turn(sample_rate, central_freq, Q)
        self.b, self.a = (1.0, -2 * c, 1.0), (1 + alpha, -2 * c, 1 - alpha)


@_documented
class BassBiquad(_Filter):
    """Bass control: a two-pole low-shelf filter that boosts or cuts low frequencies.

    Takes floats of shape (..., time) and keeps shape and dtype.

    Args:
        central_freq (float, optional): the frequency in Hz.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.audio.BassBiquad(44100, 1.0)(np.ones((1, 4), np.float32)).shape)
        (1, 4)

    Source: mindspore.dataset.audio.BassBiquad of MindSpore 2.10.
    """

    @checked
    def __init__(
        self, sample_rate: NonZero, gain: Real, central_freq: Real = 100.0, Q: Quality = 0.707
    ):
        c, _, alpha = _turn(sample_rate, central_freq, Q)
        self.b, self.a = _shelf(10.0 ** (gain / 40.0), c, alpha, 1)


@_documented
class TrebleBiquad(_Filter):
    """Treble control: a two-pole high-shelf filter that boosts or cuts high frequencies.

    Takes floats of shape (..., time) and keeps shape and dtype.

    Args:
        central_freq (float, optional): the frequency in Hz.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.audio.TrebleBiquad(44100, 1.0)(np.ones((1, 4), np.float32)).shape)
        (1, 4)

    Source: mindspore.dataset.audio.TrebleBiquad of MindSpore 2.10.
    """

    @checked
    def __init__(
        self, sample_rate: NonZero, gain: Real, central_freq: Real = 3000, Q: Quality = 0.707
    ):
        c, _, alpha = _turn(sample_rate, central_freq, Q)
        self.b, self.a = _shelf(10.0 ** (gain / 40.0), c, alpha, -1)


def _shelf(height, c, alpha, side):
    """Returns the coefficients of a shelving filter: low shelf for side 1, high shelf for -1."""
    sum_term, difference_term = (
        (height + 1) + side * (height - 1) * c,
        (height + 1) - side * (height - 1) * c,
    )
    slope, middle = 2 * sqrt(height) * alpha, (height - 1) * side
    b = (
        height * (difference_term + slope),
        2 * height * (middle - (height + 1) * c),
        height * (difference_term - slope),
    )
    return b, (sum_term + slope, -2 * (middle + (height + 1) * c), sum_term - slope)


@_documented
class EqualizerBiquad(_Filter):
    """Two-pole peaking equalizer: boosts or cuts a band around a frequency.

    Takes floats of shape (..., time) and keeps shape and dtype.

    Args:
        center_freq (float): the frequency in Hz.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.audio.EqualizerBiquad(44100, 1500.0,
        ...                                        5.5)(np.ones((1, 4), np.float32)).shape)
        (1, 4)

    Source: mindspore.dataset.audio.EqualizerBiquad of MindSpore 2.10.
    """

    @checked
    def __init__(self, sample_rate: NonZero, center_freq: Real, gain: Real, Q: Quality = 0.707):
        c, _, alpha = _turn(sample_rate, center_freq, Q)
        height = 10.0 ** (gain / 40.0)
        self.b = (1 + alpha * height, -2 * c, 1 - alpha * height)
        self.a = (1 + alpha / height, -2 * c, 1 - alpha / height)


@_documented
class HighpassBiquad(_Filter):
    """Two-pole high-pass filter.

    Takes floats of shape (..., time) and keeps shape and dtype.

    Args:
        cutoff_freq (float): the cutoff frequency in Hz.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.audio.HighpassBiquad(44100, 1500.0)(np.ones((1, 4), np.float32)).shape)
        (1, 4)

    Source: mindspore.dataset.audio.HighpassBiquad of MindSpore 2.10.
    """

    @checked
    def __init__(self, sample_rate: NonZero, cutoff_freq: Real, Q: Quality = 0.707):
        c, _, alpha = _turn(sample_rate, cutoff_freq, Q)
        self.b, self.a = ((1 + c) / 2, -1 - c, (1 + c) / 2), (1 + alpha, -2 * c, 1 - alpha)


@_documented
class LowpassBiquad(_Filter):
    """Two-pole low-pass filter.

    Takes floats of shape (..., time) and keeps shape and dtype.

    Args:
        cutoff_freq (float): the cutoff frequency in Hz.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.audio.LowpassBiquad(44100, 1500.0)(np.ones((1, 4), np.float32)).shape)
        (1, 4)

    Source: mindspore.dataset.audio.LowpassBiquad of MindSpore 2.10.
    """

    @checked
    def __init__(self, sample_rate: NonZero, cutoff_freq: Real, Q: Quality = 0.707):
        c, _, alpha = _turn(sample_rate, cutoff_freq, Q)
        self.b, self.a = ((1 - c) / 2, 1 - c, (1 - c) / 2), (1 + alpha, -2 * c, 1 - alpha)


# Centre in Hz, slope and gain in dB of the shelf that approximates IEC 60908 (SoX).
_deemphasis = {44100: (5283.0, 0.4845, -9.477), 48000: (5356.0, 0.479, -9.62)}


class DeemphBiquad(_Filter):
    """De-emphasis filter for compact discs (IEC 60908): a high shelf that undoes the pre-emphasis.

    Takes floats of shape (..., time) and keeps shape and dtype.

    Args:
        sample_rate (int): the sample rate in Hz: 44100 or 48000.

    Raises:
        TypeError: if `sample_rate` is not an int.
        ValueError: if `sample_rate` is neither 44100 nor 48000.
        RuntimeError: if the input is not of floats; raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.audio.DeemphBiquad(44100)(np.ones((1, 4), np.float32)).shape)
        (1, 4)

    Source: mindspore.dataset.audio.DeemphBiquad of MindSpore 2.10; the effect "deemph" of SoX.
    """

    @checked
    def __init__(self, sample_rate: OneOf(44100, 48000)):
        center, slope, gain = _deemphasis[sample_rate]
        c, s, _ = _turn(sample_rate, center, 1.0)
        height = 10.0 ** (gain / 40.0)
        alpha = s / 2.0 * sqrt((height + 1 / height) * (1 / slope - 1) + 2)
        self.b, self.a = _shelf(height, c, alpha, -1)


_riaa = {  # sample rate -> zeros and poles (SoX)
    44100: ((-0.2014898, 0.9233820), (0.7083149, 0.9924091)),
    48000: ((-0.1766069, 0.9321590), (0.7396325, 0.9931330)),
    88200: ((-0.1168735, 0.9648312), (0.8590646, 0.9964002)),
    96000: ((-0.1141486, 0.9676817), (0.8699137, 0.9966946)),
}


class RiaaBiquad(_Filter):
    """RIAA filter: undoes the equalization of vinyl records; the gain at 1000 Hz is 1.

    Takes floats of shape (..., time) and keeps shape and dtype.

    Args:
        sample_rate (int): the sample rate in Hz: 44100, 48000, 88200 or 96000.

    Raises:
        TypeError: if `sample_rate` is not an int.
        ValueError: if `sample_rate` is not one of these rates.
        RuntimeError: if the input is not of floats; raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.audio.RiaaBiquad(44100)(np.ones((1, 4), np.float32)).shape)
        (1, 4)

    Source: mindspore.dataset.audio.RiaaBiquad of MindSpore 2.10; the effect "riaa" of SoX.
    """

    @checked
    def __init__(self, sample_rate: OneOf(44100, 48000, 88200, 96000)):
        b, a = (
            np.array([1, -sum(roots), np.prod(roots)], np.float32)
            for roots in np.array(_riaa[sample_rate], np.float32)
        )
        steps = np.exp(-2j * pi * 1000 / sample_rate * np.arange(3))
        self.b, self.a = tuple(b * abs((a * steps).sum() / (b * steps).sum())), tuple(a)


class LFilter(_Filter):
    """Applies an IIR filter given by a difference equation: `sum(a[k] y[n-k]) = sum(b[k] x[n-k])`.

    Takes floats of shape (..., time) and keeps shape and dtype.

    Args:
        a_coeffs (Sequence[float]): the weights of the output, latest sample first.
        b_coeffs (Sequence[float]): the weights of the input; equally many.
        clamp (bool, optional): whether to clamp the result to [-1, 1].

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if the numbers of coefficients differ.
        RuntimeError: if the input is not of floats, or `a_coeffs[0]` is 0; raised when it is used.

    Source: mindspore.dataset.audio.LFilter of MindSpore 2.10.

    Examples:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import audio
        >>> audio.LFilter([1.0, -0.5], [0.5, 0.0])(np.array([1.0, 0.0, 0.0]))
        array([0.5  , 0.25 , 0.125])
    """

    @checked(Forbid("len(a_coeffs) != len(b_coeffs)"))
    def __init__(self, a_coeffs: _Coefficients, b_coeffs: _Coefficients, clamp: Bool = True):
        self.a, self.b, self.clamp = tuple(a_coeffs), tuple(b_coeffs), clamp


class Filtfilt(_Filter):
    """Applies an IIR filter forward and then backward, so that phases do not change.

    Takes floats of shape (..., time) and keeps shape and dtype.

    Args:
        a_coeffs (Sequence[float]): the weights of the output, latest sample first.
        b_coeffs (Sequence[float]): the weights of the input; equally many.
        clamp (bool, optional): whether to clamp the result to [-1, 1].

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if the numbers of coefficients differ.
        RuntimeError: if the input is not of floats, or `a_coeffs[0]` is 0; raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.audio.Filtfilt([1.0, 0.0],
        ...                                 [1.0, 0.0])(np.array([[0.5, 0.25]], np.float32)).shape)
        (1, 2)

    Source: mindspore.dataset.audio.Filtfilt of MindSpore 2.10.
    """

    @checked(Forbid("len(a_coeffs) != len(b_coeffs)"))
    def __init__(self, a_coeffs: _Coefficients, b_coeffs: _Coefficients, clamp: Bool = True):
        self.a, self.b, self.clamp = tuple(a_coeffs), tuple(b_coeffs), clamp

    def _compute(self, x):
        forward = apply_filter(x, self.b, self.a)[..., ::-1]
        out = apply_filter(forward, self.b, self.a)[..., ::-1]
        return _clamp(out, self.clamp, x.dtype)
