"""Speech transforms: pitch detection and voice activity detection (Vad)."""

import math

import numpy as np

from ..._core.rules.checked import Forbid, checked
from ..._core.rules.value_rules import Falsy
from .._rules import positive
from ._wave import AudioOperation, NonZero, NotNegative, Positive, Real, rows_of

__all__ = ["DetectPitchFrequency", "Vad"]


class DetectPitchFrequency(AudioOperation):
    """Detects the pitch of a sound in each frame.

    The pitch is the lag with the greatest normalized cross-correlation of a frame and the samples
    after it, smoothed by a median. Takes floats of shape (..., time) and returns float32 of shape
    (..., frames).

    Args:
        sample_rate (int): the sample rate in Hz, not 0.
        frame_time (float, optional): the length of a frame in seconds.
        win_length (int, optional): the number of frames of the median.
        freq_low (int, optional): the lowest pitch in Hz.
        freq_high (int, optional): the highest pitch in Hz.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if one is not positive, or `sample_rate` is 0.
        RuntimeError: if the input is not of floats, or too short for a median; raised when it is
            used.

    Source: mindspore.dataset.audio.DetectPitchFrequency of MindSpore 2.10.

    Examples:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import audio
        >>> wave = np.sin(np.arange(800) * (2 * np.pi * 200 / 8000))
        >>> audio.DetectPitchFrequency(8000, win_length=3)(wave)[1:4]
        array([200., 200., 200.], dtype=float32)
    """

    @checked
    def __init__(
        self,
        sample_rate: NonZero,
        frame_time: Positive = 0.01,
        win_length: positive = 30,
        freq_low: Positive = 85,
        freq_high: Positive = 3400,
    ):
        self.sample_rate, self.frame_time, self.win_length = sample_rate, frame_time, win_length
        self.freq_low, self.freq_high = freq_low, freq_high

    def _sizes(self, length):
        """Returns the samples per frame, and the number of frames."""
        size = math.ceil(self.sample_rate * self.frame_time)
        return size, -(-length // size)

    def _check(self, x, lead):
        super()._check(x, lead)
        self._need_positive_rate()
        if x.dtype.kind != "f":
            raise RuntimeError(
                f"For 'DetectPitchFrequency', the input must hold floats, but got {x.dtype}."
            )
        frames = self._sizes(x.shape[-1])[1]
        if frames + (self.win_length - 1) // 2 < self.win_length:
            raise RuntimeError(
                f"For 'DetectPitchFrequency', there must be frames for a median of "
                f"{self.win_length}, but got {frames}."
            )

    def _compute(self, x):
        matches = self._matches(x)
        least = math.ceil(self.sample_rate / self.freq_high)
        lags = _first_best(matches, least) + 1
        reach = (self.win_length - 1) // 2
        longer = np.concatenate([np.repeat(lags[..., :1], reach, -1), lags], -1)
        windows = np.lib.stride_tricks.sliding_window_view(longer, self.win_length, -1)
        median = np.sort(windows, -1)[..., (self.win_length - 1) // 2]
        return (self.sample_rate / (1e-9 + median)).astype(np.float32)

    def _matches(self, x):
        """Returns the correlation of each frame with the samples a lag later: (..., frames, lags
        from 1).
        """
        lags = math.ceil(self.sample_rate / self.freq_low)
        size, count = self._sizes(x.shape[-1])
        padding = lags + count * size - x.shape[-1]
        longer = np.pad(x.astype(np.float64), [(0, 0)] * (x.ndim - 1) + [(0, padding)])
        correlations = []
        frames = longer[..., : count * size].reshape(*x.shape[:-1], count, size)
        for lag in range(1, lags + 1):
            shifted = longer[..., lag : lag + count * size].reshape(frames.shape)
            sizes = (1e-9 + np.linalg.norm(frames, axis=-1)) * (
                1e-9 + np.linalg.norm(shifted, axis=-1)
            )
            correlations.append((frames * shifted).sum(-1) / sizes**2)
        return np.stack(correlations, -1)


def _first_best(matches, least):
    """Returns the index, at least `least`, of the best match, or of the best match in the first
    half if it is nearly as good. If no match has such an index, returns `least`.
    """
    lags = matches.shape[-1]
    if least >= lags:
        return np.full(matches.shape[:-1], least)
    best = least + matches[..., least:].argmax(-1)
    half = max(lags // 2, least + 1)
    first = least + matches[..., least:half].argmax(-1)

    def at(indices):
        return np.take_along_axis(matches, indices[..., None], -1)[..., 0]

    return np.where(at(first) > 0.99 * at(best), first, best)


class Vad(AudioOperation):
    """Voice activity detection: trims silence and soft noise from the beginning of a speech
    recording.

    A voice begins where the power of the cepstrum rises above an estimate of the noise. If it does
    not rise, the end of the recording is returned, as long as the search time. (MindSpore 2.10 was
    observed to return only this, at any level above 0; here voices are detected.)

    Takes numbers of shape (..., time) and returns float32 or float64 with less time; all channels
    are cut at the same index.

    Args:
        sample_rate (int): the sample rate in Hz, positive.
        trigger_level (float, optional): the measurement that triggers the detection of a voice.
        trigger_time (float, optional): the time constant, in seconds, over which measurements are
            averaged for the trigger.
        search_time (float, optional): the time in seconds before the trigger that is searched for
            softer sounds to keep.
        allowed_gap (float, optional): the maximum gap between these sounds, in seconds.
        pre_trigger_time (float, optional): the time in seconds to keep before these sounds.
        boot_time (float, optional): the time in seconds of the first noise estimate.
        noise_up_time (float, optional): the time constant of the noise estimate when it rises.
        noise_down_time (float, optional): the time constant of the noise estimate when it falls;
            not above `noise_up_time`.
        noise_reduction_amount (float, optional): the fraction of the noise estimate to subtract.
        measure_freq (float, optional): the number of measurements per second.
        measure_duration (float, optional): the duration of a measurement in seconds; None is twice
            the distance of measurements.
        measure_smooth_time (float, optional): the time constant of the smoothing of spectra.
        hp_filter_freq (float, optional): the lowest frequency that is measured, in Hz.
        lp_filter_freq (float, optional): the highest frequency that is measured, in Hz.
        hp_lifter_freq (float, optional): the lowest frequency of the cepstrum that is measured, in
            Hz.
        lp_lifter_freq (float, optional): the highest frequency of the cepstrum that is measured, in
            Hz.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if an argument is out of range.
        RuntimeError: if the input has no axes; raised when it is used.

    Example:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import audio
        >>> audio.Vad(sample_rate=8000)(np.zeros((1, 800), np.float32)).shape
        (1, 800)

    Source: mindspore.dataset.audio.Vad of MindSpore 2.10; the effect "vad" of SoX.
    """

    @checked(Forbid("noise_up_time < noise_down_time"))
    def __init__(
        self,
        sample_rate: positive,
        trigger_level: Real = 7.0,
        trigger_time: NotNegative = 0.25,
        search_time: NotNegative = 1.0,
        allowed_gap: NotNegative = 0.25,
        pre_trigger_time: NotNegative = 0.0,
        boot_time: NotNegative = 0.35,
        noise_up_time: NotNegative = 0.1,
        noise_down_time: NotNegative = 0.01,
        noise_reduction_amount: NotNegative = 1.35,
        measure_freq: Positive = 20.0,
        measure_duration: NotNegative | Falsy = None,
        measure_smooth_time: NotNegative = 0.4,
        hp_filter_freq: Positive = 50.0,
        lp_filter_freq: Positive = 6000.0,
        hp_lifter_freq: Positive = 150.0,
        lp_lifter_freq: Positive = 2000.0,
    ):
        self.sample_rate, self.trigger_level, self.trigger_time = (
            sample_rate,
            trigger_level,
            trigger_time,
        )
        self.search_time, self.allowed_gap = search_time, allowed_gap
        self.pre_trigger_time, self.boot_time = pre_trigger_time, boot_time
        self.noise_up_time, self.noise_down_time = noise_up_time, noise_down_time
        self.noise_reduction_amount, self.measure_freq = noise_reduction_amount, measure_freq
        self.measure_duration = measure_duration if measure_duration else 2.0 / measure_freq
        self.measure_smooth_time = measure_smooth_time
        self.hp_filter_freq, self.lp_filter_freq = hp_filter_freq, lp_filter_freq
        self.hp_lifter_freq, self.lp_lifter_freq = hp_lifter_freq, lp_lifter_freq

    def _compute(self, x):
        rows = rows_of(x).astype(np.float64)
        length, period = _round(self.sample_rate * self.measure_duration), self._period()
        count = max(math.ceil(self.search_time * self.measure_freq), 1)
        meter = _Meter(self, len(rows), length)
        recent, index = np.zeros((len(rows), count)), 0
        mean, decay = np.zeros(len(rows)), _decay(self.trigger_time, self.measure_freq)
        end, periods = rows.shape[-1], count  # if no voice is detected
        for stop in range(length, rows.shape[-1] + 1, period):
            recent[:, index] = meter.measure(rows[:, stop - length : stop])
            mean = mean * decay + recent[:, index] * (1 - decay)
            if (mean >= self.trigger_level).any():
                first = int((mean >= self.trigger_level).argmax())
                periods = max(
                    self._voiced_length(np.roll(row[::-1], index + 1)) for row in recent[first:]
                )
                end = stop
                break
            index = (index + 1) % count
        before = _round(self.pre_trigger_time * self.sample_rate) + length + periods * period
        start = end - before
        if periods < count:  # a voice was detected
            start = max(start, 0)
        return x[..., start:]  # without a voice, the last samples: a negative start is from the end

    def _period(self):
        return _round(self.sample_rate / self.measure_freq)

    def _voiced_length(self, measures):
        """Returns the number of measurements of one channel to keep; `measures` has the latest
        first."""
        gap = _round(self.allowed_gap * self.measure_freq)
        last = silent = len(measures)
        for index, measure in enumerate(measures):
            if measure >= self.trigger_level and index <= last + gap:
                silent = last = index
            elif measure == 0 and last >= silent:
                silent = index
        return min(len(measures) - 1, silent)


class _Meter:
    """Measures the power of a voice, one block of samples after another."""

    def __init__(self, vad, channels, length):
        rate = vad.sample_rate
        self.size = max(16, 1 << (length - 1).bit_length())
        self.low = max(_round(vad.hp_filter_freq / rate * self.size), 1)
        self.high = min(_round(vad.lp_filter_freq / rate * self.size), self.size // 2)
        self.window = 2.0 / math.sqrt(length) * np.hanning(length + 1)[:-1]
        width = self.high - self.low
        self.lifter = 2.0 / math.sqrt(width) * np.hanning(width + 1)[:-1]
        self.first = math.ceil(rate * 0.5 / vad.lp_lifter_freq)
        self.last = min(math.floor(rate * 0.5 / vad.hp_lifter_freq), self.size // 4)
        self.up, self.down, self.smooth = (
            _decay(time, vad.measure_freq)
            for time in (vad.noise_up_time, vad.noise_down_time, vad.measure_smooth_time)
        )
        self.reduction = vad.noise_reduction_amount
        self.boots, self.booted = int(vad.boot_time * vad.measure_freq - 0.5), 0
        self.spectrum, self.noise = np.zeros((2, channels, width))

    def measure(self, samples):
        """Returns the measurements of one block of each channel."""
        booting = self.booted >= 0
        smooth = self.booted / (1.0 + self.booted) if booting else self.smooth
        sizes = np.abs(np.fft.rfft(samples * self.window, self.size))[:, self.low : self.high]
        self.spectrum = self.spectrum * smooth + sizes * (1 - smooth)
        power = self.spectrum**2
        slow = 0.0 if booting else np.where(power > self.noise, self.up, self.down)
        self.noise = self.noise * slow + power * (1 - slow)
        clear = np.sqrt(np.maximum(0.0, power - self.reduction * self.noise)) * self.lifter
        padded = np.zeros((len(samples), self.size // 2))
        padded[:, self.low : self.high] = clear
        cepstrum = np.abs(np.fft.rfft(padded))[:, self.first : self.last] ** 2
        if booting:
            self.booted = -1 if self.booted == self.boots else self.booted + 1
        with np.errstate(divide="ignore", invalid="ignore"):
            levels = np.log(cepstrum.sum(-1) / (self.last - self.first))
        return np.maximum(0.0, 21 + np.nan_to_num(levels, nan=-np.inf, neginf=-np.inf))


def _round(number):
    return int(number + 0.5)


def _decay(time, frequency):
    """Returns the fraction of a value that remains after one step, for a time constant."""
    return math.exp(-1.0 / (time * frequency)) if time else 0.0
