"""Short-time Fourier transforms and functions based on them: time stretching and resampling.

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
    """Returns a periodic window of a length, in float64, zero-padded on both sides to a size."""
    makers = {
        WindowType.BARTLETT: np.bartlett,
        WindowType.BLACKMAN: np.blackman,
        WindowType.HAMMING: np.hamming,
        WindowType.HANN: np.hanning,
        WindowType.KAISER: lambda count: np.kaiser(count, 12.0),
    }
    values = makers[kind](length + 1)[:-1] if length > 1 else np.ones(length)
    before = (size - length) // 2
    return np.pad(values, (before, size - length - before))


def pad_ends(x, count, mode):
    """Pads a signal with `count` samples at both ends."""
    return np.pad(x, [(0, 0)] * (x.ndim - 1) + [(count, count)], mode=_padding[mode])


def stft(x, weights, hop, center=True, mode=BorderType.REFLECT, onesided=True):
    """Returns the short-time Fourier transform of a signal."""
    size = len(weights)
    if center:
        x = pad_ends(x, size // 2, mode)
    frames = np.lib.stride_tricks.sliding_window_view(x, size, -1)[..., ::hop, :]
    spectra = np.swapaxes(np.fft.rfft(frames * weights.astype(x.dtype)), -1, -2)
    if onesided:
        return spectra
    # MindSpore copies the lower half, although the upper half is its complex conjugate.
    return np.concatenate([spectra, spectra[..., 1 : (size + 1) // 2, :][..., ::-1, :]], -2)


def istft(spectra, weights, hop, length=None, center=True):
    """Returns the inverse short-time Fourier transform of one-sided spectra, by least squares.

    Without a length, the outer half frames are omitted.
    """
    size, count = len(weights), spectra.shape[-1]
    frames = np.fft.irfft(np.swapaxes(spectra, -1, -2), size) * weights.astype(spectra.real.dtype)
    signal = np.zeros((*frames.shape[:-2], size + hop * (count - 1)), frames.dtype)
    weight_sums = np.zeros(signal.shape[-1])
    for index in range(count):
        signal[..., index * hop : index * hop + size] += frames[..., index, :]
        weight_sums[index * hop : index * hop + size] += weights * weights
    signal /= np.where(weight_sums > 1e-11, weight_sums, 1.0).astype(signal.dtype)
    if length is None:
        length = signal.shape[-1] - size // 2 * 2
    return cut(signal[..., size // 2 if center else 0 :], length)


def cut(x, length):
    """Returns a signal of another length: truncated, or zero-padded at the end."""
    missing = length - x.shape[-1]
    if missing <= 0:
        return x[..., :length]
    return np.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, missing)])


def stretch(spectra, rate, advance):
    """Changes the speed of spectra by the factor `rate` with continuous phases, as a phase vocoder
    does.

    Args:
        spectra: complex, (..., freq, time).
        rate: above 1 is faster.
        advance: the phase advance of each frequency per frame, (freq, 1).
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


def resample(x, old, new, window_function, width, rolloff):
    """Resamples a signal from the rate `old` to the rate `new` with a windowed sinc.

    Args:
        x: the signal.
        old: the sample rate, divided by the common divisor of both rates.
        new: the new sample rate, divided likewise.
        window_function: the window as a function of the time in [-1, 1].
        width: the number of zero crossings of the sinc on each side.
        rolloff: the cutoff frequency, as a fraction of the lower Nyquist frequency.

    Source: J. O. Smith, "Digital Audio Resampling".
    """
    cutoff = min(old, new) * rolloff
    reach = int(np.ceil(width * old / cutoff))
    offsets = np.arange(-reach, reach + 2)
    count = -(-new * x.shape[-1] // old)
    phases = np.arange(min(new, count)) * old % new / new  # the phases of the new samples repeat
    times = np.clip((offsets - phases[:, None]) / old * cutoff, -width, width)
    kernels = (np.sinc(times) * window_function(times / width) * (cutoff / old)).astype(x.dtype)
    longer = np.pad(x, [(0, 0)] * (x.ndim - 1) + [(reach, reach + 1)])
    frames = np.lib.stride_tricks.sliding_window_view(longer, len(offsets), -1)
    indices = np.arange(count)
    return np.einsum("...tk,tk->...t", frames[..., indices * old // new, :], kernels[indices % new])


def hann(time):
    """Returns the Hann window at times in [-1, 1]."""
    return np.cos(time * (np.pi / 2)) ** 2


def kaiser(beta):
    """Returns the Kaiser window as a function of times in [-1, 1]."""
    return lambda time: np.i0(beta * np.sqrt(1 - time * time)) / np.i0(beta)
