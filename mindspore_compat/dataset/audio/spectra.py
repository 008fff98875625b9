"""Audio transforms from sound to spectra and back, and between scales of frequencies.

float64 stays float64; other numbers become float32.
"""

import numpy as np

from ..._core.rules.checked import Forbid, checked
from ..._core.rules.vocabulary import Bool, Float
from .._rules import AnInstance, natural, positive
from ._spectra import cut, istft, padded, stft, window
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
    """The spectrogram of a sound: magnitudes to a power, by frequency and time.

    Takes numbers of shape (..., time) and gives float32, or float64, of shape (..., freq, frames);
    with power 0 the complex numbers themselves, (..., freq, frames, 2).

    Args:
        n_fft (int, optional): how many samples are transformed at once; gives `n_fft // 2 + 1`
            frequencies.
        win_length (int, optional): how long the window is, `n_fft` at most; None is `n_fft`.
        hop_length (int, optional): from one window to the next; None is `win_length // 2`.
        pad (int, optional): how many zeros are put on both sides first.
        window (WindowType, optional): the window.
        power (float, optional): the power, not negative.
        normalized (bool, optional): whether magnitudes are divided by the length of the window as a
            vector.
        center (bool, optional): whether the first frame's middle is the first sample.
        pad_mode (BorderType, optional): what the sound is padded with for that.
        onesided (bool, optional): whether frequencies above half the sample rate are left out.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: one is out of range.
        RuntimeError: the input has no axes, or is too short for a frame; raised when it is used.

    Source: mindspore.dataset.audio.Spectrogram of MindSpore 2.10.

    Examples:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import audio
        >>> audio.Spectrogram(n_fft=16)(np.ones(64, np.float32)).shape
        (9, 9)
    """

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

    def _made(self, x):
        weights = window(self.window, self.win_length, self.n_fft)
        if self.pad:
            x = padded(x, self.pad, BorderType.CONSTANT)
        spectra = stft(x, weights, self.hop_length, self.center, self.pad_mode, self.onesided)
        if self.normalized:
            spectra = spectra / x.dtype.type(np.sqrt((weights * weights).sum()))
        if self.power == 0:
            return pairs_of(spectra, x.dtype)
        return magnitudes(spectra, self.power, x.dtype)


def magnitudes(spectra, power, dtype):
    """Magnitudes to a power."""
    if power == 1:
        return np.abs(spectra).astype(dtype)
    square = spectra.real * spectra.real + spectra.imag * spectra.imag
    return (square if power == 2 else square ** (power / 2)).astype(dtype)


class InverseSpectrogram(AudioOperation):
    """The sound of a complex spectrogram.

    Takes numbers of shape (..., freq, frames, 2) and gives float32, or float64, of shape
    (..., time). As in the original, a sound that had been padded is float32.

    Args:
        length (int, optional): how many samples are wanted; None, or 0, for what the frames cover.
        n_fft (int, optional): how many samples were transformed at once.
        win_length (int, optional): how long the window was, `n_fft` at most; None is `n_fft`.
        hop_length (int, optional): from one window to the next; None is `win_length // 2`.
        pad (int, optional): how many samples had been put on both sides; needs a `length`.
        window (WindowType, optional): the window.
        normalized (bool, optional): whether magnitudes had been divided by the window's length.
        center (bool, optional): whether the first frame's middle is the first sample.
        pad_mode (BorderType, optional): what the sound had been padded with; the result does not
            depend on it.
        onesided (bool, optional): whether frequencies above half the sample rate are left out.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: one is out of range.
        RuntimeError: the input is not of that shape, `n_fft` is odd, or there is a `pad` without a
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
        wanted = self.n_fft // 2 + 1 if self.onesided else self.n_fft
        check_frequencies("InverseSpectrogram", x[..., 0], wanted)
        check_even("InverseSpectrogram", self.n_fft)
        if self.pad and not self.length:
            raise RuntimeError("For 'InverseSpectrogram', 'pad' needs a 'length'.")

    def _made(self, x):
        weights = window(self.window, self.win_length, self.n_fft)
        spectra = complex_of(x)[..., : self.n_fft // 2 + 1, :]
        if self.normalized:
            spectra = spectra * x.dtype.type(np.sqrt((weights * weights).sum()))
        length = self.length + 2 * self.pad if self.length else None
        made = istft(spectra, weights, self.hop_length, length, self.center)
        if self.pad:
            return made[..., self.pad : self.pad + self.length].astype(np.float32)
        return made.astype(x.dtype)


class MelScale(SpectrogramOperation):
    """Sums the frequencies of a spectrogram to those of the mel scale.

    Takes numbers of shape (..., freq, time) and gives float32, or float64, of shape
    (..., n_mels, time).

    Args:
        n_mels (int, optional): how many filters.
        sample_rate (int, optional): samples a second.
        f_min (float, optional): the lowest frequency in Hz.
        f_max (float, optional): the highest; None is `sample_rate // 2`.
        n_stft (int, optional): how many frequencies the input has.
        norm (NormType, optional): SLANEY makes the filters equal in area.
        mel_type (MelType, optional): the formula of the scale.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: one is out of range, or `f_min` is not below `f_max`.
        RuntimeError: the input is not of that shape; raised when it is used.

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

    def _made(self, x):
        bank = mel_bank(
            self.n_stft,
            self.f_min,
            self.f_max,
            self.n_mels,
            self.sample_rate,
            self.norm,
            self.mel_type,
        )
        return summed(x, bank)


def check_frequencies(api, x, wanted):
    """Refuses a spectrogram of another number of frequencies.

    Raises:
        RuntimeError: it has another.
    """
    if x.shape[-2] != wanted:
        raise RuntimeError(
            f"For '{api}', there must be {wanted} frequencies, but got shape {x.shape}."
        )


def check_even(api, n_fft):
    """Refuses to undo a transform of an odd number of samples, as the original does.

    Raises:
        RuntimeError: it is odd.
    """
    if n_fft % 2:
        raise RuntimeError(f"For '{api}', 'n_fft' must be even, but got {n_fft}.")


def summed(x, bank):
    """A spectrogram under a bank of filters."""
    return bank.T.astype(x.dtype) @ x


class MelSpectrogram(AudioOperation):
    """The spectrogram of a sound on the mel scale.

    Takes numbers of shape (..., time) and gives float32, or float64, of shape
    (..., n_mels, frames).

    Args:
        sample_rate (int, optional): samples a second.
        n_fft (int, optional): how many samples are transformed at once.
        win_length (int, optional): how long the window is, `n_fft` at most; None is `n_fft`.
        hop_length (int, optional): from one window to the next; None is `win_length // 2`.
        f_min (float, optional): the lowest frequency in Hz.
        f_max (float, optional): the highest; None is `sample_rate // 2`.
        pad (int, optional): how many zeros are put on both sides first.
        n_mels (int, optional): how many filters.
        window (WindowType, optional): the window.
        power (float, optional): the power of the magnitudes, positive.
        normalized (bool, optional): whether they are divided by the window's length.
        center (bool, optional): whether the first frame's middle is the first sample.
        pad_mode (BorderType, optional): what the sound is padded with for that.
        onesided (bool, optional): must be True for a result: the filters are of
            `n_fft // 2 + 1` frequencies.
        norm (NormType, optional): SLANEY makes the filters equal in area.
        mel_scale (MelType, optional): the formula of the scale.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: one is out of range.
        RuntimeError: the input is too short, or the spectrogram is not onesided; raised when it is
            used.

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

    def _made(self, x):
        n_stft = self.spectrogram.n_fft // 2 + 1
        bank = mel_bank(
            n_stft, self.f_min, self.f_max, self.n_mels, self.sample_rate, self.norm, self.mel_scale
        )
        return summed(self.spectrogram._made(x), bank)


def check_half(api, x, spectrogram, lead):
    """Refuses what the original has no mel spectrogram of.

    Raises:
        RuntimeError: half a frame is as long as the input, or a spectrogram is not onesided.
    """
    if spectrogram.center and spectrogram.n_fft // 2 >= x.shape[-1]:
        raise RuntimeError(
            f"For '{api}', 'n_fft' ({spectrogram.n_fft}) must be less than twice "
            f"the samples, but got shape {x.shape[lead:]}."
        )
    if not spectrogram.onesided and spectrogram.n_fft > 2:
        raise RuntimeError(f"For '{api}', the spectrogram must be onesided.")


class SpectralCentroid(AudioOperation):
    """The mean frequency of a sound, weighted by magnitude, frame by frame.

    Takes numbers of shape (..., time) and gives float32, or float64, of shape (..., 1, frames).

    Args:
        sample_rate (int): samples a second.
        n_fft (int, optional): how many samples are transformed at once.
        win_length (int, optional): how long the window is, `n_fft` at most; None is `n_fft`.
        hop_length (int, optional): from one window to the next; None is `win_length // 2`.
        pad (int, optional): how many zeros are put on both sides first.
        window (WindowType, optional): the window.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: one is out of range.
        RuntimeError: the input has no axes; raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.audio.SpectralCentroid(8000,
        ...                                         n_fft=64)(np.ones((1, 256), np.float32)).shape)
        (1, 1, 9)

    Source: mindspore.dataset.audio.SpectralCentroid of MindSpore 2.10.
    """

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

    def _made(self, x):
        sizes = self.spectrogram._made(x)
        frequencies = np.linspace(0, self.sample_rate // 2, sizes.shape[-2])[:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            found = (sizes * frequencies).sum(-2, keepdims=True) / sizes.sum(-2, keepdims=True)
        return found.astype(x.dtype)


class GriffinLim(SpectrogramOperation):
    """A sound whose spectrogram has given magnitudes, by the fast algorithm of Griffin and Lim.

    Takes numbers of shape (..., freq, frames) and gives float32, or float64, of shape (..., time).

    Args:
        n_fft (int, optional): how many samples were transformed at once.
        n_iter (int, optional): how often phases are improved.
        win_length (int, optional): how long the window was, `n_fft` at most; None, or 0, is
            `n_fft`.
        hop_length (int, optional): from one window to the next; None, or 0, is `win_length // 2`.
        window_type (WindowType, optional): the window.
        power (float, optional): the power that the magnitudes are to, positive.
        momentum (float, optional): how far phases go on as they went, not negative.
        length (int, optional): how many samples are wanted; None, or 0, for what the frames cover.
        rand_init (bool, optional): whether the first phases are drawn at random; otherwise 0.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: one is out of range.
        RuntimeError: `win_length` is above `n_fft`. When it is used: the input is not of that
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

    def _made(self, x):
        weights = window(self.window_type, self.win_length, self.n_fft)
        with np.errstate(invalid="ignore"):
            sizes = x.astype(np.float64) ** (1 / self.power)
        phases, before = self._phases(x.shape), 0.0
        # The original puts the momentum m to m / (1 + m), and does it twice.
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
        """The first phases, as complex numbers."""
        if not self.rand_init:
            return np.ones(shape, np.complex128)
        count = int(np.prod(shape))
        drawn = np.array([self._random.unit() for _ in range(2 * count)])
        by_time = drawn.reshape(*shape[:-2], shape[-1], shape[-2], 2)  # the imaginary part first
        return np.swapaxes(by_time[..., 1] + 1j * by_time[..., 0], -1, -2)
