"""Audio features: MFCC, LFCC, deltas, and cepstral mean normalization over a sliding window."""

import numpy as np

from ..._core.rules.checked import Forbid, checked
from ..._core.rules.vocabulary import AsValue, Bool, Int, OneOf
from .._rules import INT32_MAX, AnInstance, natural, positive
from ._spectra import pad_ends
from ._wave import AudioOperation, NotNegative, SpectrogramOperation
from .levels import decibels
from .spectra import MelSpectrogram, Spectrogram, apply_bank
from .utils import BorderType, NormMode, ScaleType, dct_matrix, linear_bank

__all__ = ["ComputeDeltas", "LFCC", "MFCC", "SlidingWindowCmn"]


def _merge(api, arguments, names):
    """Checks the names of a spectrogram's arguments and returns a copy.

    Raises:
        ValueError: if one is unknown.
    """
    unknown = sorted(set(arguments or {}) - set(names), key=str)
    if unknown:
        raise ValueError(
            f"For '{api}', the spectrogram has no argument {unknown[0]!r}; it has "
            f"{', '.join(names)}."
        )
    return dict(arguments or {})


_spectral = (
    "n_fft",
    "win_length",
    "hop_length",
    "pad",
    "window",
    "power",
    "normalized",
    "center",
    "pad_mode",
    "onesided",
)
_mel = (*_spectral, "f_min", "f_max", "n_mels", "norm", "mel_scale")


class MFCC(AudioOperation):
    """MFCC, mel frequency cepstral coefficients: the cosine transform of a mel spectrogram in
    decibels.

    Takes numbers of shape (..., time) and returns float32 of shape (..., n_mfcc, frames).

    Args:
        sample_rate (int, optional): the sample rate in Hz.
        n_mfcc (int, optional): the number of coefficients that are returned.
        dct_type (int, optional): the type of the cosine transform, 2.
        norm (NormMode, optional): whether the basis of the transform is orthonormal.
        log_mels (bool, optional): whether to use logarithms instead of decibels.
        melkwargs (dict, optional): arguments of `MelSpectrogram`, by name; omitted arguments have
            its defaults.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if an argument is out of range, or `n_mfcc` is above the number of filters.
        RuntimeError: if the input is too short; raised when it is used.

    Source: mindspore.dataset.audio.MFCC of MindSpore 2.10.

    Examples:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import audio
        >>> audio.MFCC(8000, 4, melkwargs={"n_fft": 32, "n_mels": 6})(np.ones(64)).shape
        (4, 5)
    """

    @checked
    def __init__(
        self,
        sample_rate: natural = 16000,
        n_mfcc: natural = 40,
        dct_type: OneOf(2) = 2,
        norm: AnInstance(NormMode) = NormMode.ORTHO,
        log_mels: Bool = False,
        melkwargs: AnInstance(dict) | None = None,
    ):
        arguments = {"f_max": sample_rate // 2, **_merge("MFCC", melkwargs, _mel)}
        self.mel = MelSpectrogram(sample_rate, **arguments)
        if n_mfcc > self.mel.n_mels:
            raise ValueError(
                f"For 'MFCC', 'n_mfcc' must not be above the number of filters, "
                f"{self.mel.n_mels}, but got {n_mfcc}."
            )
        self.sample_rate, self.n_mfcc, self.dct_type = sample_rate, n_mfcc, dct_type
        self.norm, self.log_mels = norm, log_mels

    def _check(self, x, lead):
        super()._check(x, lead)
        self.mel._check(x, lead)

    def _compute(self, x):
        self._need_positive_rate(zero=False)
        mels = self.mel._compute(x.astype(np.float32))
        return _cepstrum(mels, self.log_mels, self.n_mfcc, self.norm)


def _cepstrum(sums, logarithm, count, norm):
    """Returns the cosine transform of a spectrogram in logarithms or decibels."""
    if logarithm:
        coefficients = np.log(sums + np.float32(1e-6))
    else:
        coefficients = decibels(sums, ScaleType.POWER, 1.0, 1e-10, 80.0)
    return apply_bank(coefficients, dct_matrix(count, sums.shape[-2], norm)).astype(np.float32)


class LFCC(AudioOperation):
    """Computes LFCC, linear frequency cepstral coefficients, of a signal: like MFCC, but with
    evenly spaced filters.

    Takes numbers of shape (..., time) and returns float32 of shape (..., n_lfcc, frames).

    Args:
        sample_rate (int, optional): the sample rate in Hz.
        n_filter (int, optional): the number of filters.
        n_lfcc (int, optional): the number of coefficients that are returned.
        f_min (float, optional): the lowest frequency in Hz.
        f_max (float, optional): the highest frequency in Hz; None is `sample_rate // 2`.
        dct_type (int, optional): the type of the cosine transform, 2.
        norm (NormMode, optional): whether the basis of the transform is orthonormal.
        log_lf (bool, optional): whether to use logarithms instead of decibels.
        speckwargs (dict, optional): arguments of `Spectrogram`, by name; omitted arguments have its
            defaults.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if an argument is out of range.
        RuntimeError: if the input has no axes; raised when it is used.

    Example:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import audio
        >>> settings = {"n_fft": 8, "hop_length": 4, "win_length": 8}
        >>> lfcc = audio.LFCC(8000, n_filter=4, n_lfcc=3, speckwargs=settings)
        >>> lfcc(np.ones(16, np.float32)).shape
        (3, 5)

    Source: mindspore.dataset.audio.LFCC of MindSpore 2.10.
    """

    @checked(
        Forbid("f_max is None and f_min >= sample_rate // 2"),
        Forbid("f_max is not None and f_min > f_max"),
    )
    def __init__(
        self,
        sample_rate: positive = 16000,
        n_filter: positive = 128,
        n_lfcc: positive = 40,
        f_min: NotNegative = 0.0,
        f_max: NotNegative | None = None,
        dct_type: AsValue(OneOf(2)) = 2,
        norm: AnInstance(NormMode) = NormMode.ORTHO,
        log_lf: Bool = False,
        speckwargs: AnInstance(dict) | None = None,
    ):
        self.spectrogram = Spectrogram(**_merge("LFCC", speckwargs, _spectral))
        self.sample_rate, self.n_filter, self.n_lfcc = sample_rate, n_filter, n_lfcc
        self.f_min, self.f_max = f_min, sample_rate // 2 if f_max is None else f_max
        self.dct_type, self.norm, self.log_lf = dct_type, norm, log_lf

    def _check(self, x, lead):
        super()._check(x, lead)
        self.spectrogram._check(x, lead)
        if not self.spectrogram.onesided or self.spectrogram.power == 0:
            raise RuntimeError(
                "For 'LFCC', the spectrogram must be onesided and of a power above 0."
            )

    def _compute(self, x):
        sizes = self.spectrogram._compute(x.astype(np.float32))
        bank = linear_bank(sizes.shape[-2], self.f_min, self.f_max, self.n_filter, self.sample_rate)
        return _cepstrum(apply_bank(sizes, bank), self.log_lf, self.n_lfcc, self.norm)


class ComputeDeltas(SpectrogramOperation):
    """Computes delta coefficients: the derivative of each frequency over time.

    With `n = (win_length - 1) // 2` it is `sum(k * x[t + k]) / sum(k * k)` for k from -n to n.
    Takes numbers of shape (..., freq, time) and returns float32 or float64 of the same shape.

    Args:
        win_length (int, optional): the number of frames that a derivative is computed from, at
            least 3.
        pad_mode (BorderType, optional): the padding mode along time.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if `win_length` is below 3.
        RuntimeError: if the input is not of that shape; raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.audio.ComputeDeltas()(np.ones((1, 2, 8), np.float32)).shape)
        (1, 2, 8)

    Source: mindspore.dataset.audio.ComputeDeltas of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        win_length: Int(ge=3, le=INT32_MAX) = 5,
        pad_mode: AnInstance(BorderType) = BorderType.EDGE,
    ):
        self.win_length, self.pad_mode = win_length, pad_mode

    def _compute(self, x):
        reach = (self.win_length - 1) // 2
        frames = np.lib.stride_tricks.sliding_window_view(
            pad_ends(x, reach, self.pad_mode), 2 * reach + 1, -1
        )
        indices = np.arange(-reach, reach + 1)
        return (frames @ (indices / (indices * indices).sum()).astype(x.dtype)).astype(x.dtype)


class SlidingWindowCmn(SpectrogramOperation):
    """Applies cepstral mean (and variance) normalization over a sliding window.

    Takes numbers of shape (..., time, freq) and returns float32 or float64 of the same shape; a
    single frame of shape (1, freq) is returned as (freq,).

    Args:
        cmn_window (int, optional): the number of frames of the window.
        min_cmn_window (int, optional): the minimum number of frames at the beginning, unless the
            window is centered.
        center (bool, optional): whether the window is centered on the frame; otherwise it ends with
            the frame.
        norm_vars (bool, optional): whether to normalize the variance to 1.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if a window is negative.
        RuntimeError: if the input is not of that shape; raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.audio.SlidingWindowCmn()(np.ones((2, 3, 4), np.float32)).shape)
        (2, 3, 4)

    Source: mindspore.dataset.audio.SlidingWindowCmn of MindSpore 2.10.
    """

    axes = "<..., time, freq>"

    @checked
    def __init__(
        self,
        cmn_window: natural = 600,
        min_cmn_window: natural = 100,
        center: Bool = False,
        norm_vars: Bool = False,
    ):
        self.cmn_window, self.min_cmn_window = cmn_window, min_cmn_window
        self.center, self.norm_vars = center, norm_vars

    def _compute(self, x):
        starts, ends = self._windows(x.shape[-2])
        count = (ends - starts)[:, None]
        in_float64 = x.astype(np.float64)
        mean = _window_sums(in_float64, starts, ends) / count
        out = in_float64 - mean
        if self.norm_vars:
            variance = _window_sums(in_float64 * in_float64, starts, ends) / count - mean * mean
            with np.errstate(divide="ignore", invalid="ignore"):
                out = np.where(count == 1, 0.0, out * variance**-0.5)
        out = out.astype(x.dtype)
        return out.squeeze() if x.ndim == 2 and len(x) == 1 else out

    def _windows(self, frames):
        """Returns the first frame of each window, and the end of each window."""
        index = np.arange(frames)
        if self.center:
            start = index - self.cmn_window // 2
            end = start + self.cmn_window
        else:
            start, end = index - self.cmn_window, index + 1
        end = np.where(start < 0, end - start, end)
        start = np.maximum(start, 0)
        if not self.center:
            end = np.where(end > index, np.maximum(index + 1, self.min_cmn_window), end)
        beyond = np.maximum(end - frames, 0)
        return np.maximum(start - beyond, 0), end - beyond


def _window_sums(x, starts, ends):
    """Sums over windows of the last axis but one."""
    sums = np.concatenate([np.zeros_like(x[..., :1, :]), np.cumsum(x, -2)], -2)
    return sums[..., ends, :] - sums[..., starts, :]
