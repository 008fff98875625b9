"""Audio transforms of time and pitch: TimeStretch, PhaseVocoder, PitchShift, Resample.

float64 stays float64; other numbers become float32.
"""

from math import gcd

import numpy as np

from ..._core.rules.checked import Forbid, checked
from ..._core.rules.vocabulary import Float, Int
from .._rules import INT32_MAX, AnInstance, natural, positive
from ._spectra import cut, hann, istft, kaiser, resample, stft, stretch, window
from ._wave import (
    AnyInt,
    AudioOperation,
    ComplexOperation,
    NonZero,
    Positive,
    Real,
    Window,
    complex_of,
    pairs_of,
)
from .utils import ResampleMethod, WindowType

__all__ = ["PhaseVocoder", "PitchShift", "Resample", "TimeStretch"]


class _Stretch(ComplexOperation):
    """Base class of transforms that stretch complex spectrograms."""

    least = 3
    axes = "<..., freq, frames, complex=2>"

    def _stretch(self, x, rate, advance):
        if rate == 1:  # as in MindSpore, where an input with three axes gets a fourth
            return x[None] if x.ndim == 3 else x
        return pairs_of(stretch(complex_of(x), rate, advance), x.dtype)


class TimeStretch(_Stretch):
    """Stretches a complex spectrogram in time without changing the pitch.

    Takes numbers of shape (..., freq, frames, 2) and returns float32 or float64 with `ceil(frames /
    fixed_rate)` frames. As in MindSpore, at a rate of 1 an input with three axes gets a fourth.

    Args:
        hop_length (int, optional): the distance of frames, in samples; None is
            `n_freq - 1`.
        n_freq (int, optional): the number of frequencies.
        fixed_rate (float, optional): the factor of the speed; None is 1.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if one is not positive.
        RuntimeError: if the input is not of that shape; raised when it is used.

    Source: mindspore.dataset.audio.TimeStretch of MindSpore 2.10; J. Flanagan and R. Golden, "Phase
    vocoder" (1966).

    Examples:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import audio
        >>> audio.TimeStretch(n_freq=5, fixed_rate=2.0)(np.ones((1, 5, 8, 2))).shape
        (1, 5, 4, 2)
    """

    @checked
    def __init__(
        self,
        hop_length: positive | None = None,
        n_freq: positive = 201,
        fixed_rate: Positive | None = None,
    ):
        self.n_freq, self.fixed_rate = n_freq, 1 if fixed_rate is None else fixed_rate
        self.hop_length = n_freq - 1 if hop_length is None else hop_length

    def _compute(self, x):
        advance = np.linspace(0, np.pi * self.hop_length, x.shape[-3])[:, None]
        return self._stretch(x, self.fixed_rate, advance)


class PhaseVocoder(_Stretch):
    """Stretches a complex spectrogram in time without changing the pitch.

    Takes numbers of shape (..., freq, frames, 2) and returns float32 or float64 with `ceil(frames /
    rate)` frames. As in MindSpore, at a rate of 1 an input with three axes gets a fourth.

    Args:
        rate (float): the factor of the speed.
        phase_advance (numpy.ndarray): the phase advance of each frequency per frame, (freq, 1), in
            the dtype of the input.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if `rate` is not positive.
        RuntimeError: if `phase_advance` or the input is not of that shape, or they differ in dtype;
            raised when it is used.

    Example:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import audio
        >>> stretch = audio.PhaseVocoder(rate=2.0, phase_advance=np.zeros((3, 1)))
        >>> stretch(np.ones((3, 4, 2))).shape
        (3, 2, 2)

    Source: mindspore.dataset.audio.PhaseVocoder of MindSpore 2.10; J. Flanagan and R. Golden,
    "Phase vocoder" (1966).
    """

    @checked
    def __init__(self, rate: Positive, phase_advance: AnInstance(np.ndarray)):
        self.rate, self.phase_advance = rate, phase_advance

    def _check(self, x, lead):
        super()._check(x, lead)
        advance = self.phase_advance
        if advance.shape != (x.shape[-3], 1):
            raise RuntimeError(
                f"For 'PhaseVocoder', 'phase_advance' must be of shape "
                f"{(x.shape[-3], 1)}, but got {advance.shape}."
            )
        if advance.dtype.kind != "f" or self._cast(advance).dtype != self._cast(x).dtype:
            raise RuntimeError(
                f"For 'PhaseVocoder', 'phase_advance' must be of the input's dtype, "
                f"{x.dtype}, but got {advance.dtype}."
            )

    def _compute(self, x):
        return self._stretch(x, self.rate, self.phase_advance.astype(np.float64))


class PitchShift(AudioOperation):
    """Shifts the pitch of a sound without changing its length.

    Takes numbers of shape (..., time) and returns float32 or float64 of the same shape.

    Args:
        sample_rate (int): the sample rate in Hz.
        n_steps (int): the number of steps to shift by.
        bins_per_octave (int, optional): the number of steps per octave, not 0.
        n_fft (int, optional): the FFT size, in samples.
        win_length (int, optional): the length of the window, at most `n_fft`; None is `n_fft`.
        hop_length (int, optional): the distance of windows, in samples; None is `win_length // 4`.
        window (WindowType, optional): the window function.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if an argument is out of range.
        RuntimeError: if the input has no axes; raised when it is used.

    Example:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import audio
        >>> audio.PitchShift(sample_rate=8000, n_steps=4)(np.ones(1024, np.float32)).shape
        (1024,)

    Source: mindspore.dataset.audio.PitchShift of MindSpore 2.10.
    """

    @checked(Forbid("(win_length or 0) > n_fft", reason="'win_length' must not be above 'n_fft'"))
    def __init__(
        self,
        sample_rate: natural,
        n_steps: AnyInt,
        bins_per_octave: NonZero = 12,
        n_fft: positive = 512,
        win_length: positive | None = None,
        hop_length: positive | None = None,
        window: Window = WindowType.HANN,
    ):
        self.sample_rate, self.n_steps = sample_rate, n_steps
        self.bins_per_octave, self.n_fft = bins_per_octave, n_fft
        self.win_length, self.window = win_length or n_fft, window
        self.hop_length = hop_length or max(self.win_length // 4, 1)

    def _compute(self, x):
        length = x.shape[-1]
        rate = 2.0 ** (-self.n_steps / self.bins_per_octave)
        weights = window(self.window, self.win_length, self.n_fft)
        spectra = stft(x, weights, self.hop_length)
        if rate != 1:
            advance = np.linspace(0, np.pi * self.hop_length, spectra.shape[-2])[:, None]
            spectra = stretch(spectra, rate, advance)
        longer = istft(spectra, weights, self.hop_length, int(np.round(length / rate)))
        old = int(self.sample_rate / rate)
        common = gcd(old, self.sample_rate)
        out = resample(longer, old // common, self.sample_rate // common, hann, 6, 0.99)
        return cut(out, length).astype(x.dtype)


class Resample(AudioOperation):
    """Resamples a sound from one sample rate to another.

    Takes numbers of shape (..., time) and returns float32 or float64 of shape (..., ceil(time *
    new_freq / orig_freq)). For equal rates, the input is returned.

    Args:
        orig_freq (float, optional): the sample rate of the input, at least 1; decimals are
            truncated, as in MindSpore.
        new_freq (float, optional): the new sample rate, likewise.
        resample_method (ResampleMethod, optional): the window of the sinc filter.
        lowpass_filter_width (int, optional): the number of zero crossings of the sinc on each side.
        rolloff (float, optional): the cutoff frequency, as a fraction of the lower Nyquist
            frequency, in (0, 1].
        beta (float, optional): the shape parameter of the Kaiser window; None is
            14.769656459379492. Other windows ignore it.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if an argument is out of range; for `beta`, raised when it is used.
        RuntimeError: if the input has no axes, or a rate is below 1; raised when it is used.

    Source: mindspore.dataset.audio.Resample of MindSpore 2.10; J. O. Smith, "Digital Audio
    Resampling".

    Examples:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import audio
        >>> audio.Resample(48000, 16000)(np.ones((2, 9), np.float32)).shape
        (2, 3)
    """

    @checked
    def __init__(
        self,
        orig_freq: Positive = 16000,
        new_freq: Positive = 16000,
        resample_method: AnInstance(ResampleMethod) = ResampleMethod.SINC_INTERPOLATION,
        lowpass_filter_width: Int(ge=1, le=INT32_MAX) = 6,
        rolloff: Float(gt=0.0, le=1.0) = 0.99,
        beta=None,
    ):
        if resample_method is ResampleMethod.KAISER_WINDOW:
            (Real | None).refuse("Resample", "beta", beta)
        self.orig_freq, self.new_freq, self.resample_method = orig_freq, new_freq, resample_method
        self.lowpass_filter_width, self.rolloff = lowpass_filter_width, rolloff
        self.beta = 14.769656459379492 if beta is None else beta

    def _array(self, x, lead):
        return x if self.orig_freq == self.new_freq else super()._array(x, lead)

    def _check(self, x, lead):
        super()._check(x, lead)
        if min(self.orig_freq, self.new_freq) < 1:
            raise RuntimeError(
                f"For 'Resample', rates must be 1 or more, but got orig_freq="
                f"{self.orig_freq}, new_freq={self.new_freq}."
            )
        if self.resample_method is ResampleMethod.KAISER_WINDOW and self.beta < 0:
            raise ValueError(f"For 'Resample', 'beta' must not be negative, but got {self.beta}.")

    def _compute(self, x):
        old, new = int(self.orig_freq), int(self.new_freq)
        common = gcd(old, new)
        sinc = self.resample_method is ResampleMethod.SINC_INTERPOLATION
        out = resample(
            x,
            old // common,
            new // common,
            hann if sinc else kaiser(self.beta),
            self.lowpass_filter_width,
            self.rolloff,
        )
        return out.astype(x.dtype)
