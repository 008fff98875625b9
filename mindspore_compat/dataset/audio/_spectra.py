"""Short-time Fourier transforms and what is built on them, as functions of arrays.

Spectra are complex, (..., freq, time). Their dtype follows the signal's: complex64 for float32.
"""

import numpy as np

from .utils import BorderType, WindowType

_padding = {
    BorderType.CONSTANT: "constant",
    BorderType.EDGE: "edge",
    BorderType.REFLECT: "reflect",
    BorderType.SYMMETRIC: "symmetric",
}


def window(kind, length, size):
    """A periodic window of a length, in float64, with zeros on both sides up to a size."""
    makers = {
        WindowType.BARTLETT: np.bartlett,
        WindowType.BLACKMAN: np.blackman,
        WindowType.HAMMING: np.hamming,
        WindowType.HANN: np.hanning,
        WindowType.KAISER: lambda count: np.kaiser(count, 12.0),
    }
    made = makers[kind](length + 1)[:-1] if length > 1 else np.ones(length)
    left = (size - length) // 2
    return np.pad(made, (left, size - length - left))


def padded(x, count, mode):
    """A signal with `count` samples more on both sides."""
    return np.pad(x, [(0, 0)] * (x.ndim - 1) + [(count, count)], mode=_padding[mode])


def stft(x, weights, hop, center=True, mode=BorderType.REFLECT, onesided=True):
    """The short-time Fourier transform of a signal."""
    size = len(weights)
    if center:
        x = padded(x, size // 2, mode)
    frames = np.lib.stride_tricks.sliding_window_view(x, size, -1)[..., ::hop, :]
    made = np.swapaxes(np.fft.rfft(frames * weights.astype(x.dtype)), -1, -2)
    if onesided:
        return made
    # The original mirrors the lower half as it is, where the upper one is its conjugate.
    return np.concatenate([made, made[..., 1 : (size + 1) // 2, :][..., ::-1, :]], -2)


def istft(spectra, weights, hop, length=None, center=True):
    """The signal whose transform comes nearest to given spectra, of which half is enough.

    Without a length, what the spectra's outer half frames cover is left out.
    """
    size, count = len(weights), spectra.shape[-1]
    frames = np.fft.irfft(np.swapaxes(spectra, -1, -2), size) * weights.astype(spectra.real.dtype)
    made = np.zeros((*frames.shape[:-2], size + hop * (count - 1)), frames.dtype)
    covered = np.zeros(made.shape[-1])
    for index in range(count):
        made[..., index * hop : index * hop + size] += frames[..., index, :]
        covered[index * hop : index * hop + size] += weights * weights
    made /= np.where(covered > 1e-11, covered, 1.0).astype(made.dtype)
    if length is None:
        length = made.shape[-1] - size // 2 * 2
    return cut(made[..., size // 2 if center else 0 :], length)


def cut(x, length):
    """A signal in another length: cut, or with zeros behind."""
    missing = length - x.shape[-1]
    if missing <= 0:
        return x[..., :length]
    return np.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, missing)])


def stretched(spectra, rate, advance):
    """Spectra that pass `rate` times as fast, with phases that go on as they did.

    Args:
        spectra: complex, (..., freq, time).
        rate: above 1 is faster.
        advance: how far the phase of a frequency goes from frame to frame, (freq, 1).
    """
    steps = np.arange(0, spectra.shape[-1], rate)
    indices, part = steps.astype(int), (steps % 1.0).astype(spectra.real.dtype)
    longer = np.concatenate([spectra, np.zeros_like(spectra[..., :2])], -1)
    now, then = longer[..., indices], longer[..., indices + 1]
    turn = np.angle(then) - np.angle(now) - advance
    turn += advance - 2 * np.pi * np.round(turn / (2 * np.pi))
    turn = np.concatenate([np.angle(spectra[..., :1]), turn[..., :-1]], -1)
    size = part * np.abs(then) + (1 - part) * np.abs(now)
    return size * np.exp(1j * np.cumsum(turn, -1))


def resampled(x, old, new, window_function, width, rolloff):
    """A signal of `old` samples as one of `new`, by a windowed sinc.

    Args:
        x: the signal.
        old: samples a second, in the least whole numbers.
        new: those wanted.
        window_of: the window, of the time in [-1, 1] that it covers.
        width: how many zero crossings the sinc has on a side.
        rolloff: where it cuts off, as a part of the lower Nyquist frequency.

    Source: J. O. Smith, "Digital Audio Resampling".
    """
    cutoff = min(old, new) * rolloff
    reach = int(np.ceil(width * old / cutoff))
    offsets = np.arange(-reach, reach + 2)
    count = -(-new * x.shape[-1] // old)
    phases = np.arange(min(new, count)) * old % new / new  # those of the samples wanted repeat
    times = np.clip((offsets - phases[:, None]) / old * cutoff, -width, width)
    kernels = (np.sinc(times) * window_function(times / width) * (cutoff / old)).astype(x.dtype)
    longer = np.pad(x, [(0, 0)] * (x.ndim - 1) + [(reach, reach + 1)])
    frames = np.lib.stride_tricks.sliding_window_view(longer, len(offsets), -1)
    wanted = np.arange(count)
    return np.einsum("...tk,tk->...t", frames[..., wanted * old // new, :], kernels[wanted % new])


def hann(time):
    """Hann's window of times in [-1, 1]."""
    return np.cos(time * (np.pi / 2)) ** 2


def kaiser(beta):
    """Kaiser's window of times in [-1, 1], as a function."""
    return lambda time: np.i0(beta * np.sqrt(1 - time * time)) / np.i0(beta)
