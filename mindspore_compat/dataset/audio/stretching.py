"""Audio transforms of time and pitch: stretching, shifting, resampling.

float64 stays float64; other numbers become float32.
"""

from math import gcd

import numpy as np

from ..._core.rules.checked import Forbid, checked
from ..._core.rules.vocabulary import Float, Int
from .._rules import INT32_MAX, AnInstance, natural, positive
from ._spectra import cut, hann, istft, kaiser, resampled, stft, stretched, window
from ._wave import (
    AnyInt,
    AudioOperation,
    NonZero,
    Positive,
    Real,
    Window,
    check_complex,
    complex_of,
    pairs_of,
)
from .utils import ResampleMethod, WindowType

__all__ = ["PhaseVocoder", "PitchShift", "Resample", "TimeStretch"]


class _Stretch(AudioOperation):
    """The base of transforms of complex spectrograms."""

    least = 3
    axes = "<..., freq, frames, complex=2>"

    def _check(self, x, lead):
        super()._check(x, lead)
        check_complex(type(self).__name__, x)

    def _stretched(self, x, rate, advance):
        if rate == 1:  # as the original, which gives three axes a fourth
            return x[None] if x.ndim == 3 else x
        return pairs_of(stretched(complex_of(x), rate, advance), x.dtype)


class TimeStretch(_Stretch):
    """Makes the spectra of a sound pass faster, or slower, at the same pitch.

    Takes numbers of shape (..., freq, frames, 2) and gives float32, or float64, with
    `ceil(frames / fixed_rate)` frames. As in the original, a rate of 1 gives three axes a fourth.

    Args:
        hop_length (int, optional): how many samples are from frame to frame; None is `n_freq - 1`.
        n_freq (int, optional): how many frequencies there are.
        fixed_rate (float, optional): how many times as fast; None is 1.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: one is not positive.
        RuntimeError: the input is not of that shape; raised when it is used.

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

    def _made(self, x):
        advance = np.linspace(0, np.pi * self.hop_length, x.shape[-3])[:, None]
        return self._stretched(x, self.fixed_rate, advance)


class PhaseVocoder(_Stretch):
    """Makes the spectra of a sound pass faster, or slower, at the same pitch.

    Takes numbers of shape (..., freq, frames, 2) and gives float32, or float64, with
    `ceil(frames / rate)` frames. As in the original, a rate of 1 gives three axes a fourth.

    Args:
        rate (float): how many times as fast.
        phase_advance (numpy.ndarray): how far the phase of each frequency goes from frame to frame,
            (freq, 1), of the input's dtype.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: `rate` is not positive.
        RuntimeError: `phase_advance` or the input is not of that shape, or they differ in dtype;
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

    def _made(self, x):
        return self._stretched(x, self.rate, self.phase_advance.astype(np.float64))


class PitchShift(AudioOperation):
    """Raises or lowers the pitch of a sound, which keeps its length.

    Takes numbers of shape (..., time) and gives float32, or float64, of the same shape.

    Args:
        sample_rate (int): samples a second.
        n_steps (int): by how many steps.
        bins_per_octave (int, optional): how many steps double the pitch, not 0.
        n_fft (int, optional): how many samples are transformed at once.
        win_length (int, optional): how long the window is, `n_fft` at most; None is `n_fft`.
        hop_length (int, optional): from one window to the next; None is `win_length // 4`.
        window (WindowType, optional): the window.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: one is out of range.
        RuntimeError: the input has no axes; raised when it is used.

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

    def _made(self, x):
        length = x.shape[-1]
        rate = 2.0 ** (-self.n_steps / self.bins_per_octave)
        weights = window(self.window, self.win_length, self.n_fft)
        spectra = stft(x, weights, self.hop_length)
        if rate != 1:
            advance = np.linspace(0, np.pi * self.hop_length, spectra.shape[-2])[:, None]
            spectra = stretched(spectra, rate, advance)
        longer = istft(spectra, weights, self.hop_length, int(np.round(length / rate)))
        old = int(self.sample_rate / rate)
        common = gcd(old, self.sample_rate)
        made = resampled(longer, old // common, self.sample_rate // common, hann, 6, 0.99)
        return cut(made, length).astype(x.dtype)


class Resample(AudioOperation):
    """A sound of one sample rate in another one.

    Takes numbers of shape (..., time) and gives float32, or float64, of shape
    (..., ceil(time * new_freq / orig_freq)). Equal rates give the input.

    Args:
        orig_freq (float, optional): the rate of the sound, 1 or more; decimals are cut off, as in
            the original.
        new_freq (float, optional): the rate wanted, likewise.
        resample_method (ResampleMethod, optional): the window of the sinc.
        lowpass_filter_width (int, optional): how many zero crossings it has on a side.
        rolloff (float, optional): where it cuts off, as a part of the lower Nyquist frequency, in
            (0, 1].
        beta (float, optional): the shape of Kaiser's window; None is 14.769656459379492.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: one is out of range.
        RuntimeError: the input has no axes, or a rate is below 1; raised when it is used.

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
        beta: Real | None = None,
    ):
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

    def _made(self, x):
        old, new = int(self.orig_freq), int(self.new_freq)
        common = gcd(old, new)
        sinc = self.resample_method is ResampleMethod.SINC_INTERPOLATION
        made = resampled(
            x,
            old // common,
            new // common,
            hann if sinc else kaiser(self.beta),
            self.lowpass_filter_width,
            self.rolloff,
        )
        return made.astype(x.dtype)
