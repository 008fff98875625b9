"""Spectrograms: Spectrogram, MelSpectrogram, GriffinLim and others, forward and inverse.

float64 stays float64; other numbers become float32.
"""

import numpy as np

from ..._core.rules.checked import Forbid, checked
from ..._core.rules.vocabulary import Bool, Float
from .._rules import AnInstance, natural, positive
from ._spectra import cut, istft, pad_ends, stft, window
from ._wave import (
    LIMIT,
    AudioOperation,
    NotNegative,
    Positive,
    Real,
    SpectrogramOperation,
    Window,
    check_complex,
    complex_of,
    pairs_of,
)
from .utils import BorderType, MelType, NormType, WindowType, mel_bank

__all__ = [
    "GriffinLim",
    "InverseSpectrogram",
    "MelScale",
    "MelSpectrogram",
    "SpectralCentroid",
    "Spectrogram",
]

_Border = AnInstance(BorderType)
_Size = positive | None
_too_long = Forbid("(win_length or 0) > n_fft", reason="'win_length' must not be above 'n_fft'")


class Spectrogram(AudioOperation):
    """Computes the spectrogram of a sound: magnitudes, raised to a power, by frequency and time.

    Takes numbers of shape (..., time) and returns float32 or float64 of shape (..., freq, frames);
    for power 0, the complex numbers, of shape (..., freq, frames, 2).

    Args:
        n_fft (int, optional): the FFT size, in samples; gives `n_fft // 2 + 1` frequencies.
        win_length (int, optional): the length of the window, at most `n_fft`; None is `n_fft`.
        hop_length (int, optional): the distance of windows, in samples; None is `win_length // 2`.
        pad (int, optional): the number of zeros to pad both ends with first.
        window (WindowType, optional): the window function.
        power (float, optional): the exponent of the magnitudes, not negative.
        normalized (bool, optional): whether to divide magnitudes by the Euclidean norm of the
            window.
        center (bool, optional): whether frames are centered: the middle of the first frame is the
            first sample.
        pad_mode (BorderType, optional): the padding mode for centered frames.
        onesided (bool, optional): whether to omit frequencies above half the sample rate.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if an argument is out of range.
        RuntimeError: if the input has no axes, or is too short for a frame; raised when it is used.

    Source: mindspore.dataset.audio.Spectrogram of MindSpore 2.10.

    Examples:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import audio
        >>> audio.Spectrogram(n_fft=16)(np.ones(64, np.float32)).shape
        (9, 9)
    """

    takes_numbers = True

    @checked(_too_long)
    def __init__(
        self,
        n_fft: positive = 400,
        win_length: _Size = None,
        hop_length: _Size = None,
        pad: natural = 0,
        window: Window = WindowType.HANN,
        power: NotNegative = 2.0,
        normalized: Bool = False,
        center: Bool = True,
        pad_mode: _Border = BorderType.REFLECT,
        onesided: Bool = True,
    ):
        self.n_fft, self.win_length = n_fft, win_length or n_fft
        self.hop_length = hop_length or max(self.win_length // 2, 1)
        self.pad, self.window, self.power, self.normalized = pad, window, power, normalized
        self.center, self.pad_mode, self.onesided = center, pad_mode, onesided

    def _check(self, x, lead):
        super()._check(x, lead)
        if not self.center and x.shape[-1] + 2 * self.pad < self.n_fft:
            raise RuntimeError(
                f"For '{type(self).__name__}', the input must have 'n_fft' "
                f"({self.n_fft}) samples or more, but got shape {x.shape[lead:]}."
            )

    def _compute(self, x):
        weights = window(self.window, self.win_length, self.n_fft)
        if self.pad:
            x = pad_ends(x, self.pad, BorderType.CONSTANT)
        spectra = stft(x, weights, self.hop_length, self.center, self.pad_mode, self.onesided)
        if self.normalized:
            spectra = spectra / x.dtype.type(np.sqrt((weights * weights).sum()))
        if self.power == 0:
            return pairs_of(spectra, x.dtype)
        return magnitudes(spectra, self.power, x.dtype)


def magnitudes(spectra, power, dtype):
    """Returns magnitudes, raised to a power."""
    if power == 1:
        return np.abs(spectra).astype(dtype)
    square = spectra.real * spectra.real + spectra.imag * spectra.imag
    return (square if power == 2 else square ** (power / 2)).astype(dtype)


class InverseSpectrogram(AudioOperation):
    """Reconstructs a sound from a complex spectrogram.

    Takes numbers of shape (..., freq, frames, 2) and returns float32 or float64 of shape (...,
    time). As in MindSpore, the result is float32 if the sound had been padded.

    Args:
        length (int, optional): the number of samples to return; None or 0 returns all samples that
            the frames cover.
        n_fft (int, optional): the FFT size, in samples.
        win_length (int, optional): the length of the window, at most `n_fft`; None is `n_fft`.
        hop_length (int, optional): the distance of windows, in samples; None is `win_length // 2`.
        pad (int, optional): the number of samples that both ends were padded with; needs a
            `length`.
        window (WindowType, optional): the window function.
        normalized (bool, optional): whether magnitudes were divided by the Euclidean norm of the
            window.
        center (bool, optional): whether frames are centered: the middle of the first frame is the
            first sample.
        pad_mode (BorderType, optional): the padding mode of the spectrogram; the result does not
            depend on it.
        onesided (bool, optional): whether to omit frequencies above half the sample rate.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if an argument is out of range.
        RuntimeError: if the input is not of that shape, `n_fft` is odd, or `pad` is given without
            `length`; raised when it is used.

    Example:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import audio
        >>> audio.InverseSpectrogram(length=8, n_fft=8)(np.ones((5, 4, 2))).shape
        (8,)

    Source: mindspore.dataset.audio.InverseSpectrogram of MindSpore 2.10.
    """

    least = 3
    axes = "<..., freq, frames, complex=2>"

    @checked(_too_long)
    def __init__(
        self,
        length: natural | None = None,
        n_fft: positive = 400,
        win_length: _Size = None,
        hop_length: _Size = None,
        pad: natural = 0,
        window: Window = WindowType.HANN,
        normalized: Bool = False,
        center: Bool = True,
        pad_mode: _Border = BorderType.REFLECT,
        onesided: Bool = True,
    ):
        self.length, self.n_fft, self.win_length = length, n_fft, win_length or n_fft
        self.hop_length = hop_length or max(self.win_length // 2, 1)
        self.pad, self.window, self.normalized, self.center = pad, window, normalized, center
        self.pad_mode, self.onesided = pad_mode, onesided

    def _check(self, x, lead):
        super()._check(x, lead)
        check_complex("InverseSpectrogram", x)
        if self.onesided:
            check_frequencies("InverseSpectrogram", x[..., 0], self.n_fft // 2 + 1)
        check_even("InverseSpectrogram", self.n_fft)
        if self.pad and not self.length:
            raise RuntimeError("For 'InverseSpectrogram', 'pad' needs a 'length'.")

    def _compute(self, x):
        weights = window(self.window, self.win_length, self.n_fft)
        spectra = complex_of(x)[..., : self.n_fft // 2 + 1, :]
        if self.normalized:
            spectra = spectra * x.dtype.type(np.sqrt((weights * weights).sum()))
        length = self.length + 2 * self.pad if self.length else None
        signal = istft(spectra, weights, self.hop_length, length, self.center)
        if self.pad:
            return signal[..., self.pad : self.pad + self.length].astype(np.float32)
        return signal.astype(x.dtype)


class MelScale(SpectrogramOperation):
    """Converts a spectrogram to the mel scale with a bank of triangular filters.

    Takes numbers of shape (..., freq, time) and returns float32 or float64 of shape (..., n_mels,
    time).

    Args:
        n_mels (int, optional): the number of filters.
        sample_rate (int, optional): the sample rate in Hz.
        f_min (float, optional): the lowest frequency in Hz.
        f_max (float, optional): the highest frequency in Hz; None is `sample_rate // 2`.
        n_stft (int, optional): the number of frequencies of the input.
        norm (NormType, optional): SLANEY gives all filters the same area.
        mel_type (MelType, optional): the formula of the scale.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if an argument is out of range, or `f_min` is not below `f_max`.
        RuntimeError: if the input is not of that shape; raised when it is used.

    Source: mindspore.dataset.audio.MelScale of MindSpore 2.10.

    Examples:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import audio
        >>> audio.MelScale(4, 8000, n_stft=9)(np.ones((9, 2), np.float32)).shape
        (4, 2)
    """

    @checked(Forbid("(sample_rate // 2 if f_max is None else f_max) <= f_min"))
    def __init__(
        self,
        n_mels: positive = 128,
        sample_rate: positive = 16000,
        f_min: Real = 0.0,
        f_max: Positive | None = None,
        n_stft: positive = 201,
        norm: AnInstance(NormType) = NormType.NONE,
        mel_type: AnInstance(MelType) = MelType.HTK,
    ):
        self.n_mels, self.n_stft, self.sample_rate = n_mels, n_stft, sample_rate
        self.f_min, self.f_max = f_min, sample_rate // 2 if f_max is None else f_max
        self.norm, self.mel_type = norm, mel_type

    def _check(self, x, lead):
        super()._check(x, lead)
        check_frequencies("MelScale", x, self.n_stft)

    def _compute(self, x):
        bank = mel_bank(
            self.n_stft,
            self.f_min,
            self.f_max,
            self.n_mels,
            self.sample_rate,
            self.norm,
            self.mel_type,
        )
        return apply_bank(x, bank)


def check_frequencies(api, x, count):
    """Raises RuntimeError for a spectrogram with a wrong number of frequencies.

    Raises:
        RuntimeError: if it has another.
    """
    if x.shape[-2] != count:
        raise RuntimeError(
            f"For '{api}', there must be {count} frequencies, but got shape {x.shape}."
        )


def check_even(api, n_fft):
    """Raises RuntimeError for an odd FFT size for an inverse transform, as MindSpore does.

    Raises:
        RuntimeError: if it is odd.
    """
    if n_fft % 2:
        raise RuntimeError(f"For '{api}', 'n_fft' must be even, but got {n_fft}.")


def apply_bank(x, bank):
    """Applies a bank of filters to a spectrogram."""
    return bank.T.astype(x.dtype) @ x


class MelSpectrogram(AudioOperation):
    """Computes the mel spectrogram of a sound.

    Takes numbers of shape (..., time) and returns float32 or float64 of shape (..., n_mels,
    frames).

    Args:
        sample_rate (int, optional): the sample rate in Hz.
        n_fft (int, optional): the FFT size, in samples.
        win_length (int, optional): the length of the window, at most `n_fft`; None is `n_fft`.
        hop_length (int, optional): the distance of windows, in samples; None is `win_length // 2`.
        f_min (float, optional): the lowest frequency in Hz.
        f_max (float, optional): the highest frequency in Hz; None is `sample_rate // 2`.
        pad (int, optional): the number of zeros to pad both ends with first.
        n_mels (int, optional): the number of filters.
        window (WindowType, optional): the window function.
        power (float, optional): the exponent of the magnitudes, positive.
        normalized (bool, optional): whether to divide magnitudes by the Euclidean norm of the
            window.
        center (bool, optional): whether frames are centered: the middle of the first frame is the
            first sample.
        pad_mode (BorderType, optional): the padding mode for centered frames.
        onesided (bool, optional): must be True: the filters are for `n_fft // 2 + 1` frequencies.
        norm (NormType, optional): SLANEY gives all filters the same area.
        mel_scale (MelType, optional): the formula of the scale.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if an argument is out of range.
        RuntimeError: if the input is too short, or the spectrogram is not onesided; raised when it
            is used.

    Source: mindspore.dataset.audio.MelSpectrogram of MindSpore 2.10.

    Examples:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import audio
        >>> audio.MelSpectrogram(8000, 32, n_mels=4)(np.ones(64, np.float32)).shape
        (4, 5)
    """

    @checked(
        _too_long,
        Forbid("f_max is None and f_min >= sample_rate // 2"),
        Forbid("f_max is not None and f_min > f_max"),
    )
    def __init__(
        self,
        sample_rate: natural = 16000,
        n_fft: positive = 400,
        win_length: _Size = None,
        hop_length: _Size = None,
        f_min: Float(ge=-LIMIT, le=LIMIT) = 0.0,
        f_max: NotNegative | None = None,
        pad: natural = 0,
        n_mels: natural = 128,
        window: Window = WindowType.HANN,
        power: Positive = 2.0,
        normalized: Bool = False,
        center: Bool = True,
        pad_mode: _Border = BorderType.REFLECT,
        onesided: Bool = True,
        norm: AnInstance(NormType) = NormType.NONE,
        mel_scale: AnInstance(MelType) = MelType.HTK,
    ):
        self.spectrogram = Spectrogram(
            n_fft,
            win_length,
            hop_length,
            pad,
            window,
            power,
            normalized,
            center,
            pad_mode,
            onesided,
        )
        self.sample_rate, self.f_min, self.n_mels = sample_rate, f_min, n_mels
        self.f_max = sample_rate // 2 if f_max is None else f_max
        self.norm, self.mel_scale = norm, mel_scale

    def _check(self, x, lead):
        super()._check(x, lead)
        self.spectrogram._check(x, lead)
        check_half(type(self).__name__, x, self.spectrogram, lead)

    def _compute(self, x):
        n_stft = self.spectrogram.n_fft // 2 + 1
        bank = mel_bank(
            n_stft, self.f_min, self.f_max, self.n_mels, self.sample_rate, self.norm, self.mel_scale
        )
        return apply_bank(self.spectrogram._compute(x), bank)


def check_half(api, x, spectrogram, lead):
    """Raises RuntimeError for inputs for which MindSpore does not compute a mel spectrogram.

    Raises:
        RuntimeError: if half a frame is as long as the input, or a spectrogram is not onesided.
    """
    if spectrogram.center and spectrogram.n_fft // 2 >= x.shape[-1]:
        raise RuntimeError(
            f"For '{api}', 'n_fft' ({spectrogram.n_fft}) must be less than twice "
            f"the samples, but got shape {x.shape[lead:]}."
        )
    if not spectrogram.onesided and spectrogram.n_fft > 2:
        raise RuntimeError(f"For '{api}', the spectrogram must be onesided.")


class SpectralCentroid(AudioOperation):
    """Computes the spectral centroid of each frame: the mean frequency, weighted by magnitude.

    Takes numbers of shape (..., time) and returns float32 or float64 of shape (..., 1, frames).

    Args:
        sample_rate (int): the sample rate in Hz.
        n_fft (int, optional): the FFT size, in samples.
        win_length (int, optional): the length of the window, at most `n_fft`; None is `n_fft`.
        hop_length (int, optional): the distance of windows, in samples; None is `win_length // 2`.
        pad (int, optional): the number of zeros to pad both ends with first.
        window (WindowType, optional): the window function.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if an argument is out of range.
        RuntimeError: if the input has no axes; raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.audio.SpectralCentroid(8000,
        ...                                         n_fft=64)(np.ones((1, 256), np.float32)).shape)
        (1, 1, 9)

    Source: mindspore.dataset.audio.SpectralCentroid of MindSpore 2.10.
    """

    takes_numbers = True

    @checked(_too_long)
    def __init__(
        self,
        sample_rate: natural,
        n_fft: positive = 400,
        win_length: _Size = None,
        hop_length: _Size = None,
        pad: natural = 0,
        window: Window = WindowType.HANN,
    ):
        self.sample_rate = sample_rate
        self.spectrogram = Spectrogram(n_fft, win_length, hop_length, pad, window, 1.0)

    def _compute(self, x):
        self._need_positive_rate(zero=False)
        sizes = self.spectrogram._compute(x)
        frequencies = np.linspace(0, self.sample_rate // 2, sizes.shape[-2])[:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            means = (sizes * frequencies).sum(-2, keepdims=True) / sizes.sum(-2, keepdims=True)
        return means.astype(x.dtype)


class GriffinLim(SpectrogramOperation):
    """Reconstructs a sound from the magnitudes of a spectrogram by the fast Griffin-Lim algorithm.

    Takes numbers of shape (..., freq, frames) and returns float32 or float64 of shape (..., time).

    Args:
        n_fft (int, optional): the FFT size, in samples.
        n_iter (int, optional): the number of iterations.
        win_length (int, optional): the length of the window, at most `n_fft`; None, or 0, is
            `n_fft`.
        hop_length (int, optional): the distance of windows, in samples; None, or 0, is `win_length
            // 2`.
        window_type (WindowType, optional): the window function.
        power (float, optional): the exponent of the magnitudes, positive.
        momentum (float, optional): the momentum of the iteration, not negative.
        length (int, optional): the number of samples to return; None or 0 returns all samples that
            the frames cover.
        rand_init (bool, optional): whether the initial phases are random; otherwise they are 0.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if an argument is out of range.
        RuntimeError: if `win_length` is above `n_fft`. When it is used: if the input is not of that
            shape, or `n_fft` is odd or not below `length`.

    Example:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import audio
        >>> audio.GriffinLim(n_fft=8, n_iter=2)(np.ones((5, 4))).shape
        (12,)

    Source: mindspore.dataset.audio.GriffinLim of MindSpore 2.10; N. Perraudin, P. Balazs and
    P. Soendergaard, "A fast Griffin-Lim algorithm" (2013).
    """

    @checked(
        Forbid("(win_length or 0) > n_fft", RuntimeError, "'win_length' must not be above 'n_fft'")
    )
    def __init__(
        self,
        n_fft: positive = 400,
        n_iter: positive = 32,
        win_length: natural | None = None,
        hop_length: natural | None = None,
        window_type: Window = WindowType.HANN,
        power: Positive = 2.0,
        momentum: NotNegative = 0.99,
        length: natural | None = None,
        rand_init: Bool = True,
    ):
        self.n_fft, self.n_iter, self.win_length = n_fft, n_iter, win_length or n_fft
        self.hop_length = hop_length or max(self.win_length // 2, 1)
        self.window_type, self.power, self.momentum = window_type, power, momentum
        self.length, self.rand_init = length or None, rand_init

    def _check(self, x, lead):
        super()._check(x, lead)
        check_frequencies("GriffinLim", x, self.n_fft // 2 + 1)
        check_even("GriffinLim", self.n_fft)
        if self.length is not None and self.n_fft >= self.length:
            raise RuntimeError(
                f"For 'GriffinLim', 'n_fft' must be less than 'length', but got "
                f"{self.n_fft} and {self.length}."
            )

    def _compute(self, x):
        weights = window(self.window_type, self.win_length, self.n_fft)
        with np.errstate(invalid="ignore"):
            sizes = x.astype(np.float64) ** (1 / self.power)
        phases, before = self._phases(x.shape), 0.0
        # MindSpore maps the momentum m to m / (1 + m), twice.
        momentum = self.momentum / (1 + 2 * self.momentum)
        for _ in range(self.n_iter):
            sound = istft(sizes * phases, weights, self.hop_length, self.length)
            rebuilt = stft(sound, weights, self.hop_length)
            rebuilt = cut(rebuilt, x.shape[-1])
            phases = rebuilt - before * momentum
            phases /= np.abs(phases) + 1e-16
            before = rebuilt
        return istft(sizes * phases, weights, self.hop_length, self.length).astype(x.dtype)

    def _phases(self, shape):
        """Returns the initial phases, as complex numbers."""
        if not self.rand_init:
            return np.ones(shape, np.complex128)
        count = int(np.prod(shape))
        numbers = np.array([self._random.unit() for _ in range(2 * count)])
        by_time = numbers.reshape(*shape[:-2], shape[-1], shape[-2], 2)  # the imaginary part first
        return np.swapaxes(by_time[..., 1] + 1j * by_time[..., 0], -1, -2)
