"""Calls of mindspore.dataset.audio with results of MindSpore 2.10, and how they are recorded.

Run in tests/ by an interpreter with MindSpore (CPU), `python -m recorded.audio_calls` writes
tests/data/observed_audio.jsonl; dataset/test_audio.py makes the same calls of this package. An
array is recorded as dtype, shape, up to 48 of its values, and the sum of all magnitudes.
"""

import itertools
import json
import pathlib

import numpy as np

FILE = pathlib.Path(__file__).parent.parent / "data" / "observed_audio.jsonl"
SHOWN = 48
SEED = 5


def _noise(*shape):
    """Pseudo-random numbers in [-1, 1) that are equal on all machines: a linear congruential
    generator."""
    count, state, found = int(np.prod(shape)), 12345, []
    for _ in range(count):
        state = (1103515245 * state + 12345) % 2**31
        found.append(state / 2**30 - 1.0)
    return np.array(found).reshape(shape)


def waves():
    """The inputs of the transforms, by name."""
    time = np.arange(400) / 8000
    tone = 0.6 * np.sin(2 * np.pi * 440 * time) + 0.2 * np.sin(2 * np.pi * 1250 * time + 1)
    mono = tone + 0.1 * _noise(400)
    stereo = np.stack([mono, 0.8 * mono[::-1]])
    hush = 0.001 * _noise(9000)
    return {
        "mono": mono.astype(np.float32),
        "stereo": stereo.astype(np.float32),
        "doubles": stereo,
        "batch": np.stack([stereo, -stereo]).astype(np.float32),
        "short": mono[:7].astype(np.float32),
        "half": mono.astype(np.float16),
        "ints": np.round(mono * 100).astype(np.int32),
        "bytes": np.arange(12, dtype=np.uint8),
        "text": np.array(["a", "b"]),
        "scalar": np.array(0.5, np.float32),
        "loud": (3 * stereo).astype(np.float32),
        "spec": np.abs(_noise(5, 12)).astype(np.float32),
        "specs": np.abs(_noise(2, 5, 12)).astype(np.float32),
        "specs64": np.abs(_noise(2, 5, 12)),
        "specs4": np.abs(_noise(2, 2, 5, 12)).astype(np.float32),
        "bins": np.abs(_noise(2, 9, 12)).astype(np.float32),
        "complexes": _noise(2, 9, 12, 2).astype(np.float32),
        "complexes64": _noise(9, 12, 2),
        "pairs": _noise(6, 2).astype(np.float32),
        "pairs64": _noise(2, 3, 2),
        "intpairs": np.arange(12, dtype=np.int32).reshape(6, 2) - 5,
        "hush": hush.astype(np.float32),
        "hush2": np.stack([hush, hush * 0.5]),
        "advance": np.linspace(0, np.pi * 4, 9)[:, None],
        "advance32": np.linspace(0, np.pi * 4, 9).astype(np.float32)[:, None],
    }


WAVES = "mono stereo doubles batch short half ints text scalar".split()
FEW = "mono doubles ints text scalar".split()
SPECS = "spec specs specs64 specs4 ints mono text".split()
CALLS = [
    (
        WAVES,
        """
        AllpassBiquad(8000, 200.0) | AllpassBiquad(44100, 1000, 0.3) | Gain() | Gain(-3.5)
        Fade(10, 20) | Contrast() | MuLawEncoding() | Vol(0.5) | Overdrive() | Phaser(8000)
        LFilter([1.0, 0.2, 0.3], [0.3, 0.2, 0.1]) | Dither() | DCShift(0.5, 0.02)
        Biquad(0.01, 0.02, 0.13, 1, 0.12, 0.3) | Filtfilt([1.0, 0.1, 0.2], [0.3, 0.2, 0.1])
        DBToAmplitude(1.0, 0.5) | Spectrogram(16)""",
    ),
    (
        FEW,
        """
        BandBiquad(8000, 200.0) | BandBiquad(8000, 200.0, 0.5, True) | BandpassBiquad(8000, 200.0)
        BandpassBiquad(8000, 900.0, 0.4, True) | BandrejectBiquad(8000, 200.0)
        BandrejectBiquad(8000, 200.0, 0.3) | BassBiquad(8000, 10.0)
        BassBiquad(8000, -5, 300.0, 0.4)
        TrebleBiquad(8000, 10.0) | TrebleBiquad(8000, -5, 1000.0, 0.4)
        TrebleBiquad(44100, 20, 1000, 1.0)
        HighpassBiquad(8000, 1500) | HighpassBiquad(8000, 300.5, 0.3) | LowpassBiquad(4000, 1500)
        LowpassBiquad(8000, 300.5, 0.3) | EqualizerBiquad(8000, 1500, 5.5)
        EqualizerBiquad(8000, 500.5, -5.5, 0.3) | DeemphBiquad(44100) | DeemphBiquad(48000)
        RiaaBiquad(44100) | RiaaBiquad(48000) | RiaaBiquad(88200) | RiaaBiquad(96000)
        Biquad(0.5, -0.4, 0.3, 2.0, 0.3, -0.1) | Biquad(3.0, 1.0, 1.0, 1.0, -0.9, 0.1)
        LFilter([1.1, 0.2, 0.3], [0.3, 0.2, 0.1]) | LFilter([1.0, -0.5], [2.0, 1.0], False)
        LFilter([2.0], [1.0]) | LFilter([1.0, 0.1, 0.1, 0.1, 0.1], [2.0, 1, 1, 1, 0.5])
        Filtfilt([1.1, 0.2, 0.3], [0.7, 0.2, 0.3]) | Filtfilt([1.0, -0.5], [2.0, 1.0], False)
        Filtfilt([1.0, -0.5, 0.1, 0.1], [2.0, 1.0, 0.3, 0.2])
        Contrast(0.0) | Contrast(100.0) | Contrast(30) | Vol(2.0) | Vol(3.0, GainType.POWER)
        Vol(-6.0, GainType.DB) | Vol(10, GainType.DB) | DCShift(-0.5) | DCShift(-0.5, 0.05)
        DCShift(1.5, 0.02) | DCShift(0.0) | DCShift(2.0) | DCShift(-2.0, 0.5) | DCShift(0.5)
        DCShift(0.3, 0.1) | DCShift(-0.3, 0.1)
        Overdrive(0.0, 0.0) | Overdrive(40, 70.5) | MuLawEncoding(512) | MuLawEncoding(2)
        Fade(0, 0) | Fade(50, 0) | Fade(0, 50) | Fade(30, 20, FadeShape.QUARTER_SINE)
        Fade(30, 20, FadeShape.HALF_SINE) | Fade(30, 20, FadeShape.LOGARITHMIC)
        Fade(30, 20, FadeShape.EXPONENTIAL) | Fade(400, 400) | Fade(401) | Fade(0, 401) | Fade(1, 1)
        Phaser(8000, 0.8, 0.9, 4.0, 0.7, 1.5, False) | Phaser(8000, 0.3, 2.0, 1.0, 0.2, 0.1)
        Flanger(8000)
        Dither(DensityFunction.TPDF, True) | Dither(DensityFunction.RPDF)
        Dither(DensityFunction.GPDF) | Dither(DensityFunction.RPDF, True)
        DBToAmplitude(2.0, 1) | DBToAmplitude(0.5, -0.3)
        DetectPitchFrequency(8000) | DetectPitchFrequency(6000, 0.003, 7)
        DetectPitchFrequency(8000, 0.01, 5, 100, 2000)
        DetectPitchFrequency(8000, 0.005, 3) | DetectPitchFrequency(8000, 0.02, 1, 50, 3000)
        DetectPitchFrequency(8000, 0.01, 4)
        DetectPitchFrequency(300, 0.03, 3, 80, 130) | DetectPitchFrequency(3, 1.0, 5)
        DetectPitchFrequency(8000, 0.005, 3, 3000, 3400)
        SlidingWindowCmn() | Resample(8000, 4000)""",
    ),
    (
        ["stereo", "doubles", "batch", "mono", "ints", "text"],
        """
        Flanger(8000) | Flanger(8000, 5.0, 3.0, 20.0, 50.0, 2.0, 60.0, Modulation.TRIANGULAR)
        Flanger(8000, 5.0, 3.0, -20.0, 50.0, 2.0, 60.0, Modulation.SINUSOIDAL,
            Interpolation.QUADRATIC)
        Flanger(8000, 0.0, 10.0, 95.0, 100.0, 10, 100, Modulation.TRIANGULAR,
            Interpolation.QUADRATIC)
        Flanger(8000, 30, 0, 0, 0, 0.1, 0)""",
    ),
    (
        ["loud"],
        """
        AllpassBiquad(8000, 200.0) | Overdrive() | Gain() | Vol(0.5) | Vol(5) | DCShift(0.5, 0.02)
        MuLawEncoding() | Dither() | Contrast() | Phaser(8000) | Flanger(8000) | Fade(10, 10)
        LFilter([1.0, 0.2, 0.3], [0.3, 0.2, 0.1])""",
    ),
    (
        ["bytes", "ints", "mono", "doubles", "scalar", "text"],
        "MuLawDecoding() | MuLawDecoding(16) | MuLawDecoding(2)",
    ),
    (
        SPECS,
        """
        AmplitudeToDB() | AmplitudeToDB(ScaleType.MAGNITUDE, 0.5, 1e-3, 20.0)
        AmplitudeToDB(ScaleType.POWER, 2, 1e-2, 3) | ComputeDeltas() | ComputeDeltas(7)
        ComputeDeltas(3, BorderType.CONSTANT) | ComputeDeltas(6, BorderType.REFLECT)
        ComputeDeltas(9, BorderType.SYMMETRIC) | ComputeDeltas(27, BorderType.REFLECT)
        FrequencyMasking(False, 2, 1) | FrequencyMasking(False, 3, 1, 5.0) | FrequencyMasking()
        FrequencyMasking(True, 3, 0) | FrequencyMasking(True, 3, 1, 2.5) | FrequencyMasking(True, 6)
        FrequencyMasking(False, 6) | FrequencyMasking(False, 3, 4) | TimeMasking(False, 3, 4)
        TimeMasking(False, 2, 1) | TimeMasking(False, 3, 1, 5.0) | TimeMasking()
        TimeMasking(True, 3, 0) | TimeMasking(True, 3, 1, 2.5) | TimeMasking(True, 13)
        TimeMasking(False, 13) | TimeMasking(False, 5, 10)
        MaskAlongAxis(0, 2, 0.5, 1) | MaskAlongAxis(3, 5, -0.5, 2) | MaskAlongAxis(3, 5, 0.5, 1)
        MaskAlongAxisIID(3, 0.5, 1) | MaskAlongAxisIID(8, 0.5, 2) | MaskAlongAxisIID(0, 0.5, 2)
        SlidingWindowCmn(6, 2) | SlidingWindowCmn(6, 2, True) | SlidingWindowCmn(5, 3, True, True)
        SlidingWindowCmn(5, 3, False, True) | SlidingWindowCmn(600, 100, True)
        SlidingWindowCmn(600, 100, False, True) | SlidingWindowCmn(4, 9) | SlidingWindowCmn(1, 0)
        MelScale(3, 16000, 0.0, None, 5) | MelScale(4, 8000, 10, 3000, 5, NormType.SLANEY)
        MelScale(4, 8000, 10, 3000.5, 5, NormType.SLANEY, MelType.SLANEY)
        MelScale(4, 8000, 10.5, 3000, 5, NormType.NONE, MelType.SLANEY) | MelScale(4, 8000)""",
    ),
    (
        ["pairs", "pairs64", "intpairs", "complexes", "mono", "text", "spec"],
        """
        Angle() | ComplexNorm() | ComplexNorm(2.0) | ComplexNorm(0.0) | ComplexNorm(0.7)
        Magphase()
        Magphase(2.0) | Magphase(0) | Magphase(0.5) | TimeStretch() | TimeStretch(4, 9)""",
    ),
    (
        ["complexes", "complexes64", "pairs", "mono", "text"],
        """
        TimeStretch(None, 9, 1.3) | TimeStretch(4, 9, 0.7) | TimeStretch(4, 9, 2)
        TimeStretch(4, 9, 1.0) | TimeStretch(4, 8, 1.5) | PhaseVocoder(1.3, advance32)
        PhaseVocoder(2, advance) | PhaseVocoder(0.7, advance) | PhaseVocoder(1.0, advance)
        PhaseVocoder(0.7, advance32)
        PhaseVocoder(1.3, advance[:8])""",
    ),
    (
        ["complexes", "complexes64", "pairs", "mono", "text"],
        """
        InverseSpectrogram(None, 16) | InverseSpectrogram(30, 16)
        InverseSpectrogram(None, 16, 12, 4) | InverseSpectrogram(90, 16, 16, 4, 3)
        InverseSpectrogram(None, 16, 16, 4, 3, WindowType.HAMMING, True)
        InverseSpectrogram(None, 16, 16, 4, 0, WindowType.HAMMING, False, False)
        InverseSpectrogram(None, 16, 16, 4, 0, WindowType.BLACKMAN, False, True, BorderType.EDGE)
        InverseSpectrogram(None, 9, 9, 4, 0, WindowType.HAMMING, False, True, BorderType.EDGE,
            False)
        InverseSpectrogram(None, 9, 9, 4, 0, WindowType.HAMMING, False, False,
            BorderType.EDGE, False)
        InverseSpectrogram(None, 16, 16, 4, 0, WindowType.HANN, False, False)
        InverseSpectrogram(200, 16, 16, 4)
        InverseSpectrogram(40, 16, 16, 4, 0, WindowType.HANN, True)
        InverseSpectrogram(None, 16, 16, 4, 0, WindowType.HANN, True)""",
    ),
    (
        ["mono", "doubles", "batch", "ints", "text", "short", "half"],
        """
        Spectrogram(16, 16, 8) | Spectrogram(32, 20, 5, 3) | Spectrogram(15, 15, 4)
        Spectrogram(16, 16, 8, 0, WindowType.BARTLETT)
        Spectrogram(16, 16, 8, 0, WindowType.HAMMING)
        Spectrogram(16, 16, 8, 0, WindowType.BLACKMAN)
        Spectrogram(16, 16, 8, 0, WindowType.KAISER)
        Spectrogram(16, 15, 8, 0, WindowType.KAISER)
        Spectrogram(16, 15, 8, 0, WindowType.BARTLETT)
        Spectrogram(16, 16, 8, 2, WindowType.HANN, 0.0)
        Spectrogram(16, 16, 8, 2, WindowType.HANN, 0.5)
        Spectrogram(16, 16, 8, 2, WindowType.HANN, 1.0) | Spectrogram(16, 12, 7, 2, normalized=True)
        Spectrogram(16, 12, 7, power=0.0, normalized=True) | Spectrogram(16, center=False)
        Spectrogram(16, power=0, center=False, onesided=False) | Spectrogram(15, onesided=False)
        Spectrogram(16, pad_mode=BorderType.EDGE) | Spectrogram(16, pad_mode=BorderType.CONSTANT)
        Spectrogram(16, pad_mode=BorderType.SYMMETRIC) | Spectrogram() | Spectrogram(1000)
        Spectrogram(500, center=False) | Spectrogram(700)
        SpectralCentroid(8000, 16) | SpectralCentroid(8000, 32, 20, 5, 3)
        SpectralCentroid(44100, 16, 16, 8, 1, WindowType.HAMMING) | SpectralCentroid(8000)
        PitchShift(8000, 4, 12, 64) | PitchShift(8000, -3, 12, 64, 60, 15, WindowType.HAMMING)
        PitchShift(8000, 0, 12, 64) | PitchShift(16000, 4) | PitchShift(8000, 7, 5, 64)
        PitchShift(8000, 12, 12, 64)
        Resample(8000, 16000) | Resample(3, 2) | Resample(2, 3) | Resample(48000, 16000)
        Resample(8000, 6000, ResampleMethod.KAISER_WINDOW) | Resample()
        Resample(8000, 6000, ResampleMethod.KAISER_WINDOW, 12, 0.8, 3.5)
        Resample(8000, 12000, ResampleMethod.SINC_INTERPOLATION, 3, 0.5) | Resample(2.5, 5.5)
        Resample(8000.0, 7000.0) | Resample(2.0, 1.5)""",
    ),
    (
        ["mono", "batch", "ints", "text", "short", "half"],
        """
        MelSpectrogram(8000, 64, n_mels=5) | MelSpectrogram(16000, 32, 30, 8, 100.0, 5000.0, 2, 4)
        MelSpectrogram(8000, 32, 32, 16, 5.0, 3000.0, 1, 4, WindowType.HAMMING, 1.0, True, True,
            BorderType.EDGE, True, NormType.SLANEY, MelType.SLANEY)
        MelSpectrogram(8000, 32, n_mels=4, center=False) | MelSpectrogram()
        MFCC(8000, 4, melkwargs=dict(mel, n_mels=6)) | MFCC(8000, 7, melkwargs=dict(mel, n_mels=6))
        MFCC(8000, 6, 2, NormMode.NONE, True, dict(mel, n_mels=6, hop_length=10, win_length=50))
        MFCC(8000, 6, 2, NormMode.NONE, False, dict(mel, n_mels=6, hop_length=10, power=1.0,
            norm=NormType.SLANEY, mel_scale=MelType.SLANEY, f_min=20.0, f_max=3000.0, pad=2))
        MFCC()
        LFCC(8000, 6, 4, speckwargs=spectral) | LFCC(8000, 6, 7, speckwargs=spectral)
        LFCC(8000, 6, 4, 100.0, 3000.0, 2, NormMode.NONE, True, dict(spectral, hop_length=10))
        LFCC(8000, 6, 4, 0.0, 3000.0, 2, NormMode.NONE, False, dict(spectral, pad=3)) | LFCC()""",
    ),
    (
        ["bins", "specs", "spec", "specs64", "text", "mono"],
        """
        GriffinLim(16, 5, rand_init=False) | GriffinLim(16, 5, 16, 4, rand_init=False)
        GriffinLim(16, 3, 12, 4, WindowType.HAMMING, 1.0, 0.5, None, False)
        GriffinLim(16, 8, 16, 4, momentum=0.0, rand_init=False)
        GriffinLim(8, 4, rand_init=False)
        GriffinLim(8, 4, 8, 3, power=0.7, rand_init=False) | GriffinLim(16, 3, 16, 4)
        GriffinLim(8, 3, 8, 2)""",
    ),
    (
        ["spec", "specs", "specs64", "specs4", "mono", "text"],
        """
        InverseMelScale(9, 5, 8000, max_iter=1) | InverseMelScale(9, 5, 8000, max_iter=20)
        InverseMelScale(9, 5, 8000, 10.0, 3000.0, 50, 1e-5, 1e-8,
            {'sgd_lr': 0.2, 'sgd_momentum': 0.5})
        InverseMelScale(7, 5, 8000, 10.0, 3000.0, 20, norm=NormType.SLANEY, mel_type=MelType.SLANEY,
            sgdargs={'sgd_lr': 500.0, 'sgd_momentum': 0.5})
        InverseMelScale(9, 5, 8000, max_iter=500, tolerance_loss=0.05)
        InverseMelScale(9, 5, 8000, max_iter=500, tolerance_change=1e-4)
        InverseMelScale(9, 4, 8000) | InverseMelScale(6, 5, 8000, max_iter=60)""",
    ),
    (
        ["hush", "hush2", "mono", "ints"],
        """
        Vad(8000, 40.0) | Vad(8000, 0.0) | Vad(6000, 40.0) | Vad(8000, 40.0, measure_freq=40)
        Vad(8000, 40.0, 0.1, 0.5, 0.1, 0.05, 0.2, 0.2, 0.02, 1.0, 20.0, 0.05, 0.2, 100.0, 3000.0)
        Vad(4000, 40, pre_trigger_time=0.05, measure_duration=0.04, hp_lifter_freq=200)""",
    ),
]
FUNCTIONS = """
    create_dct(3, 4) | create_dct(100, 200, NormMode.NONE) | create_dct(7, 5, NormMode.ORTHO)
    create_dct(1, 1, NormMode.ORTHO)
    linear_fbanks(9, 0.0, 4000.0, 4, 8000) | linear_fbanks(33, 100, 3000.5, 6, 16000)
    linear_fbanks(1, 0.0, 10.0, 1, 16) | linear_fbanks(0, 0.0, 10.0, 1, 16)
    linear_fbanks(9, 0.0, 2.0, 2, 5) | melscale_fbanks(9, 0.0, 2.0, 2, 5)
    melscale_fbanks(9, 0.0, 4000.0, 4, 8000) | melscale_fbanks(33, 100, 3000.5, 6, 16000)
    melscale_fbanks(33, 100.0, 3000.5, 6, 16000, NormType.SLANEY)
    melscale_fbanks(33, 100.0, 3000.5, 6, 16000, NormType.SLANEY, MelType.SLANEY)
    melscale_fbanks(33, 10.0, 900.5, 3, 16000, NormType.NONE, MelType.SLANEY)
    melscale_fbanks(1, 0.0, 10.0, 1, 16) | melscale_fbanks(257, 0, 8000, 40, 16000)
"""


def split(listed):
    """The calls of a list."""
    return [" ".join(call.split()) for line in listed.split("|") for call in _lines(line)]


def _lines(text):
    """The calls in a text: one per line, or over several lines while a bracket is open."""
    found, depth = [], 0
    for line in text.splitlines():
        if line.strip():
            if depth > 0:
                found[-1] += " " + line
            else:
                found.append(line)
            depth += sum(map(line.count, "([{")) - sum(map(line.count, ")]}"))
    return found


def calls():
    """All calls."""
    made = [
        f"{operation}({wave})"
        for inputs, listed in CALLS
        for operation, wave in itertools.product(split(listed), inputs)
    ]
    return list(dict.fromkeys(made + split(FUNCTIONS)))


def names(root):
    """What the calls refer to."""
    from importlib import import_module

    audio = import_module(root + ".dataset.audio")
    spectral = {
        "n_fft": 64,
        "win_length": 64,
        "hop_length": 32,
        "pad": 0,
        "power": 2.0,
        "window": audio.WindowType.HANN,
        "normalized": False,
        "center": True,
        "pad_mode": audio.BorderType.REFLECT,
        "onesided": True,
    }
    mel = {
        **spectral,
        "f_min": 0.0,
        "f_max": 4000.0,
        "norm": audio.NormType.NONE,
        "mel_scale": audio.MelType.HTK,
    }
    return {**vars(audio), **waves(), "np": np, "spectral": spectral, "mel": mel}


def as_json(value):
    """An array, or several, as a list that JSON can hold."""
    if isinstance(value, tuple):
        return [as_json(each) for each in value]
    value = np.asarray(value)
    flat = value.reshape(-1).astype(np.float64)
    shown = flat[indices_shown(flat.size)]
    return {
        "dtype": value.dtype.name,
        "shape": list(value.shape),
        "values": [float(f"{each:.8g}") for each in shown.tolist()],
        "mass": float(f"{np.abs(flat).sum():.8g}"),
    }


def indices_shown(size):
    """The indices of the values that are recorded."""
    return np.unique(np.linspace(0, max(size - 1, 0), SHOWN).astype(int)) if size else slice(0)


def outcome(call, known):
    """The result of a call, or the name of its error. Inputs are copied, because MindSpore
    changes some."""
    here = {
        name: value.copy() if isinstance(value, np.ndarray) else value
        for name, value in known.items()
    }
    try:
        return as_json(eval(call, here))
    except Exception as error:
        return f"error: {type(error).__name__}"


def main():
    """Writes what MindSpore gives."""
    import mindspore.dataset as ds

    known = names("mindspore")
    with FILE.open("w") as out:
        for call in calls():
            ds.config.set_seed(SEED)
            row = json.dumps([call, outcome(call, known)])
            out.write(row + "\n")
            out.flush()


if __name__ == "__main__":
    main()
