"""Audio effects: phaser, flanger and dither.

Results are clamped to [-1, 1]. float64 stays float64; other numbers become float32.
"""

import math

import numpy as np

from ..._core.rules.checked import checked
from ..._core.rules.vocabulary import Bool, Number
from .._rules import AnInstance
from ._wave import AnyInt, AudioOperation, NonZero, rows_of
from .utils import DensityFunction, Interpolation, Modulation

__all__ = ["Dither", "Flanger", "Phaser"]

_Percent = Number(ge=0.0, le=100.0)


def wave_table(modulation, size, low, high, phase):
    """Returns one period of a modulating wave between two values, starting at a phase."""
    start = int(phase / math.pi / 2 * size + 0.5)
    part = (np.arange(size) + start) % size / size
    if modulation is Modulation.SINUSOIDAL:
        wave = (np.sin(part * 2 * math.pi) + 1) / 2
    else:
        wave = 1 - np.abs((2 * part + 0.5) % 2 - 1)
    return wave * (high - low) + low


class Phaser(AudioOperation):
    """Applies a phaser effect: adds an echo whose delay is modulated.

    Takes numbers of shape (..., time) and returns float32 or float64 of the same shape.

    Args:
        sample_rate (int): the sample rate in Hz.
        gain_in (float, optional): the input gain, in [0, 1].
        gain_out (float, optional): the output gain, in [0, 1e9].
        delay_ms (float, optional): the maximum delay in milliseconds, in (0, 5].
        decay (float, optional): the gain of the echo, in [0, 0.99].
        mod_speed (float, optional): the modulation frequency in Hz, in [0.1, 2].
        sinusoidal (bool, optional): whether the modulating wave is a sine; otherwise it is a
            triangle.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if an argument is out of range.
        RuntimeError: if the input has no axes, or the delay is less than half a sample; raised when
            it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.audio.Phaser(44100)(np.zeros((1, 4), np.float32)).shape)
        (1, 4)

    Source: mindspore.dataset.audio.Phaser of MindSpore 2.10; the effect "phaser" of SoX.
    """

    blockwise = True

    @checked
    def __init__(
        self,
        sample_rate: AnyInt,
        gain_in: Number(ge=0.0, le=1.0) = 0.4,
        gain_out: Number(ge=0.0, le=1e9) = 0.74,
        delay_ms: Number(ge=0.0, le=5.0) = 3.0,
        decay: Number(ge=0.0, le=0.99) = 0.4,
        mod_speed: Number(ge=0.1, le=2.0) = 0.5,
        sinusoidal: Bool = True,
    ):
        self.sample_rate, self.gain_in, self.gain_out = sample_rate, gain_in, gain_out
        self.delay_ms, self.decay, self.mod_speed = delay_ms, decay, mod_speed
        self.modulation = Modulation.SINUSOIDAL if sinusoidal else Modulation.TRIANGULAR

    def _check(self, x, lead):
        super()._check(x, lead)
        if self._longest() < 1:
            raise RuntimeError(
                f"For 'Phaser', the delay must be half a sample or more, but got "
                f"delay_ms={self.delay_ms} with sample_rate={self.sample_rate}."
            )

    def _longest(self):
        return int(self.delay_ms * 0.001 * self.sample_rate + 0.5)

    def _compute(self, x):
        longest = self._longest()
        size = int(self.sample_rate / self.mod_speed + 0.5)
        table = wave_table(self.modulation, size, 1.0, float(longest), math.pi / 2)
        ahead = np.floor(table + 0.5).astype(int)  # indices in a ring of `longest` samples
        time = np.arange(x.shape[-1])
        delays = (longest + 1 - ahead[time % size]).tolist()
        rows = [self._row(row.tolist(), delays) for row in rows_of(x)]
        return np.clip(np.reshape(rows, x.shape), -1.0, 1.0).astype(x.dtype)

    def _row(self, samples, delays):
        """Computes one channel: adds to each sample the result of `delay` samples before."""
        out = []
        for index, sample in enumerate(samples):
            before = index - delays[index]
            echo = out[before] * self.decay if before >= 0 else 0.0
            out.append(sample * self.gain_in + echo)
        return np.array(out) * self.gain_out


class Flanger(AudioOperation):
    """Applies a flanger effect: mixes a sound with a copy whose delay is modulated.

    Takes numbers of shape (..., channel, time), with at most four channels, and returns float32 or
    float64 of the same shape.

    Args:
        sample_rate (int): the sample rate in Hz, not 0.
        delay (float, optional): the minimum delay in milliseconds, in [0, 30].
        depth (float, optional): the maximum additional delay in milliseconds, in [0, 10].
        regen (float, optional): the percentage of the delayed sound that is fed back, in [-95, 95].
        width (float, optional): the percentage of the delayed sound in the mix, in [0, 100].
        speed (float, optional): the modulation frequency in Hz, in [0.1, 10].
        phase (float, optional): the phase shift between successive channels, as a percentage of a
            period, in [0, 100].
        modulation (Modulation, optional): the modulating wave.
        interpolation (Interpolation, optional): the interpolation between samples.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if an argument is out of range.
        RuntimeError: if the input is not of that shape; raised when it is used.

    Source: mindspore.dataset.audio.Flanger of MindSpore 2.10; the effect "flanger" of SoX.

    Examples:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import audio
        >>> audio.Flanger(44100)(np.ones((2, 3), np.float32)).shape
        (2, 3)
    """

    least = 2
    axes = "<..., channel, time>"

    @checked
    def __init__(
        self,
        sample_rate: NonZero,
        delay: Number(ge=0.0, le=30.0) = 0.0,
        depth: Number(ge=0.0, le=10.0) = 2.0,
        regen: Number(ge=-95.0, le=95.0) = 0.0,
        width: _Percent = 71.0,
        speed: Number(ge=0.1, le=10.0) = 0.5,
        phase: _Percent = 25.0,
        modulation: AnInstance(Modulation) = Modulation.SINUSOIDAL,
        interpolation: AnInstance(Interpolation) = Interpolation.LINEAR,
    ):
        self.sample_rate, self.delay, self.depth = sample_rate, delay, depth
        self.regen, self.width, self.speed, self.phase = regen, width, speed, phase
        self.modulation, self.interpolation = modulation, interpolation

    def _check(self, x, lead):
        super()._check(x, lead)
        self._need_positive_rate()
        if x.shape[-2] > 4:
            raise RuntimeError(
                f"For 'Flanger', there must be four channels at most, but got "
                f"shape {x.shape[lead:]}."
            )

    def _compute(self, x):
        feedback, width = self.regen / 100, self.width / 100
        dry, wet = 1 / (1 + width), width / (1 + width) * (1 - abs(feedback))
        ring = int((self.delay + self.depth) / 1000 * self.sample_rate + 0.5) + 2
        delays = self._delays(x.shape[-2], x.shape[-1], ring)
        out = np.empty(x.shape)
        for index in np.ndindex(x.shape[:-1]):
            row = x[index].astype(np.float64)
            echo = self._delay_channel(row, delays[index[-1]], ring, feedback)
            out[index] = row * dry + echo * wet
        return np.clip(out, -1.0, 1.0).astype(x.dtype)

    def _delays(self, channels, length, ring):
        """Returns the delays in samples for each channel and time."""
        size = int(self.sample_rate / self.speed)
        least = math.floor(self.delay / 1000 * self.sample_rate + 0.5)
        table = wave_table(self.modulation, size, least, ring - 2.0, 3 * math.pi / 2)
        ahead = (np.arange(channels) * size * (self.phase / 100) + 0.5).astype(int)
        return table[(np.arange(length) + ahead[:, None]) % size]

    def _delay_channel(self, row, delays, ring, feedback):
        """Computes one channel with fractional delays and feedback."""
        whole = np.floor(delays).astype(int)
        weights = self._weights(delays - whole)
        indices = np.arange(len(row)) - [(whole + step) % ring for step in range(len(weights))]
        if not feedback:
            return sum(
                weight * np.where(index >= 0, row[np.maximum(index, 0)], 0.0)
                for weight, index in zip(weights, indices, strict=True)
            )
        history, last, out = [], 0.0, []
        for sample, sample_weights, sample_indices in zip(
            row.tolist(), weights.T.tolist(), indices.T.tolist(), strict=True
        ):
            history.append(sample + last * feedback)
            last = sum(
                weight * history[index]
                for weight, index in zip(sample_weights, sample_indices, strict=True)
                if index >= 0
            )
            out.append(last)
        return np.array(out)

    def _weights(self, part):
        """Returns the interpolation weights of the samples around a fractional position."""
        if self.interpolation is Interpolation.LINEAR:
            return np.stack([1 - part, part])
        return np.stack([(1 - part) * (2 - part) / 2, part * (2 - part), part * (part - 1) / 2])


class Dither(AudioOperation):
    """Applies dither: adds noise and rounds to 16 bits, so that the rounding error is not
    distortion.

    Takes numbers of shape (..., time) and returns float32 or float64 of the same shape.

    As in MindSpore, the triangular dither is a triangle over time and not at random, and the
    others take their noise from single samples of the sound, drawn at random.

    Args:
        density_function (DensityFunction, optional): the density of the noise.
        noise_shaping (bool, optional): whether to add the error of a sample to the next sample
            (noise shaping).

    Raises:
        TypeError: if an argument is of the wrong type.
        RuntimeError: if the input has no axes; raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.audio.Dither()(np.ones((1, 4), np.float32)).shape)
        (1, 4)

    Source: mindspore.dataset.audio.Dither of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        density_function: AnInstance(DensityFunction) = DensityFunction.TPDF,
        noise_shaping: Bool = False,
    ):
        self.density_function, self.noise_shaping = density_function, noise_shaping

    def _compute(self, x):
        out = np.floor(x * 32766.0 + self._noise(rows_of(x)) + 0.5) / 32768.0
        if self.noise_shaping:
            error = out - x
            out[..., 1:] += error[..., :-1]
        return out.astype(x.dtype)

    def _noise(self, rows):
        channels, length = rows.shape
        if self.density_function is DensityFunction.TPDF:
            return 1.0 - np.abs(2.0 * np.arange(length) / length - 1.0)
        count = 1 if self.density_function is DensityFunction.RPDF else 7
        return sum(
            float(
                rows[
                    self._random.integer(0, channels - 1) if channels > 1 else 0,
                    self._random.integer(0, length - 1),
                ]
            )
            for _ in range(count)
        )
