"""Audio transforms that depend on time: delays swept by a wave, and dither.

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
    """One period of a wave between two values, that starts at a phase."""
    start = int(phase / math.pi / 2 * size + 0.5)
    part = (np.arange(size) + start) % size / size
    if modulation is Modulation.SINUSOIDAL:
        wave = (np.sin(part * 2 * math.pi) + 1) / 2
    else:
        wave = 1 - np.abs((2 * part + 0.5) % 2 - 1)
    return wave * (high - low) + low


class Phaser(AudioOperation):
    """Adds an echo whose delay is swept.

    Takes numbers of shape (..., time) and gives float32, or float64, of the same shape.

    Args:
        sample_rate (int): samples a second.
        gain_in (float, optional): how loud the input is, in [0, 1].
        gain_out (float, optional): how loud the output is, in [0, 1e9].
        delay_ms (float, optional): the longest delay in milliseconds, in (0, 5].
        decay (float, optional): how loud the echo is, in [0, 0.99].
        mod_speed (float, optional): how many times a second the delay is swept, in [0.1, 2].
        sinusoidal (bool, optional): whether it is swept by a sine, or by a triangle.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: one is out of range.
        RuntimeError: the input has no axes, or the delay is less than half a sample; raised when it
            is used.

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

    def _made(self, x):
        longest = self._longest()
        size = int(self.sample_rate / self.mod_speed + 0.5)
        table = wave_table(self.modulation, size, 1.0, float(longest), math.pi / 2)
        ahead = np.floor(table + 0.5).astype(int)  # indices in a ring of `longest` samples
        time = np.arange(x.shape[-1])
        delays = (longest + 1 - ahead[time % size]).tolist()
        found = [self._row(row.tolist(), delays) for row in rows_of(x)]
        return np.clip(np.reshape(found, x.shape), -1.0, 1.0).astype(x.dtype)

    def _row(self, samples, delays):
        """One channel: each sample adds to itself what was made `delay` samples before."""
        made = []
        for index, sample in enumerate(samples):
            before = index - delays[index]
            echo = made[before] * self.decay if before >= 0 else 0.0
            made.append(sample * self.gain_in + echo)
        return np.array(made) * self.gain_out


class Flanger(AudioOperation):
    """Mixes a sound with itself, delayed by a time that is swept.

    Takes numbers of shape (..., channel, time), with four channels at most, and gives the same
    shape in float32, or float64.

    Args:
        sample_rate (int): samples a second, not 0.
        delay (float, optional): the least delay in milliseconds, in [0, 30].
        depth (float, optional): what is added to it at most, in milliseconds, in [0, 10].
        regen (float, optional): the percentage of the delayed sound that is fed back, in [-95, 95].
        width (float, optional): the percentage of it that is mixed in, in [0, 100].
        speed (float, optional): how many times a second the delay is swept, in [0.1, 10].
        phase (float, optional): by which percentage of a sweep a channel is ahead of the one before
            it, in [0, 100].
        modulation (Modulation, optional): the wave by which it is swept.
        interpolation (Interpolation, optional): how values between samples are found.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: one is out of range.
        RuntimeError: the input is not of that shape; raised when it is used.

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
        if x.shape[-2] > 4:
            raise RuntimeError(
                f"For 'Flanger', there must be four channels at most, but got "
                f"shape {x.shape[lead:]}."
            )

    def _made(self, x):
        feedback, width = self.regen / 100, self.width / 100
        dry, wet = 1 / (1 + width), width / (1 + width) * (1 - abs(feedback))
        ring = int((self.delay + self.depth) / 1000 * self.sample_rate + 0.5) + 2
        delays = self._delays(x.shape[-2], x.shape[-1], ring)
        found = np.empty(x.shape)
        for index in np.ndindex(x.shape[:-1]):
            row = x[index].astype(np.float64)
            delayed = self._delayed(row, delays[index[-1]], ring, feedback)
            found[index] = row * dry + delayed * wet
        return np.clip(found, -1.0, 1.0).astype(x.dtype)

    def _delays(self, channels, length, ring):
        """The delays in samples, by channel and time."""
        size = int(self.sample_rate / self.speed)
        least = math.floor(self.delay / 1000 * self.sample_rate + 0.5)
        table = wave_table(self.modulation, size, least, ring - 2.0, 3 * math.pi / 2)
        ahead = (np.arange(channels) * size * (self.phase / 100) + 0.5).astype(int)
        return table[(np.arange(length) + ahead[:, None]) % size]

    def _delayed(self, row, delays, ring, feedback):
        """One channel, delayed by times that need not be whole, and fed back."""
        whole = np.floor(delays).astype(int)
        weights = self._weights(delays - whole)
        indices = np.arange(len(row)) - [(whole + step) % ring for step in range(len(weights))]
        if not feedback:
            return sum(
                weight * np.where(index >= 0, row[np.maximum(index, 0)], 0.0)
                for weight, index in zip(weights, indices, strict=True)
            )
        history, last, found = [], 0.0, []
        for sample, weighed, taken in zip(
            row.tolist(), weights.T.tolist(), indices.T.tolist(), strict=True
        ):
            history.append(sample + last * feedback)
            last = sum(
                weight * history[index]
                for weight, index in zip(weighed, taken, strict=True)
                if index >= 0
            )
            found.append(last)
        return np.array(found)

    def _weights(self, part):
        """The weights of the samples from which a value between the first two is made."""
        if self.interpolation is Interpolation.LINEAR:
            return np.stack([1 - part, part])
        return np.stack([(1 - part) * (2 - part) / 2, part * (2 - part), part * (part - 1) / 2])


class Dither(AudioOperation):
    """Rounds a sound to 16 bits after noise was added, so that the error is no distortion.

    Takes numbers of shape (..., time) and gives float32, or float64, of the same shape.

    As in the original, the triangular dither is a triangle over time and not at random, and the
    others take their noise from single samples of the sound, drawn at random.

    Args:
        density_function (DensityFunction, optional): the density of the noise.
        noise_shaping (bool, optional): whether the error of a sample is added to the next.

    Raises:
        TypeError: an argument is of the wrong type.
        RuntimeError: the input has no axes; raised when it is used.

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

    def _made(self, x):
        dithered = np.floor(x * 32766.0 + self._noise(rows_of(x)) + 0.5) / 32768.0
        if self.noise_shaping:
            error = dithered - x
            dithered[..., 1:] += error[..., :-1]
        return dithered.astype(x.dtype)

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
