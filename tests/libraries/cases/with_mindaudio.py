"""mindaudio: write and read a file, spectra and features of a sound."""

import json
import sys

import mindaudio.data.features as features
import mindaudio.data.io as io
import mindaudio.data.spectrum as spectrum
import mindspore as ms
import numpy as np

ms.set_context(mode=int(sys.argv[1]))
noise = np.random.RandomState(0).randn(4000) * 0.05
sound = (np.sin(np.arange(4000) / 20) * 0.3 + noise).astype(np.float32)
io.write("sound.wav", sound, 8000)
read, rate = io.read("sound.wav")


def summed(array):
    return [*np.shape(array), float(np.abs(np.asarray(array, np.float64)).sum())]


result = {
    "rate": int(rate),
    "same": bool(np.abs(read - sound).max() < 1e-3),
    "stft": summed(spectrum.stft(sound, n_fft=256)),
    "mel": summed(spectrum.melspectrogram(sound, n_fft=256, sample_rate=8000)),
    "fbank": summed(features.fbank(sound, sample_rate=8000, n_fft=256)),
}
print("RESULT", json.dumps(result))
