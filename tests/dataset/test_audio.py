"""Audio transforms give the results observed in MindSpore 2.10.

The calls, and how results are recorded, are in tests/recorded/audio_calls.py.
"""

import json

import numpy as np
import pytest
from kit import close
from recorded import audio_calls

from mindspore_compat import dataset as ds

CASES = [json.loads(line) for line in audio_calls.FILE.read_text().splitlines()]
KNOWN = audio_calls.names("mindspore_compat")

# Tolerances relative to the largest value. MindSpore computes one sample after the other in the
# dtype of the input, so its errors add up.
NEAR = {"float16": 2e-2, "float32": 2e-5, "float64": 2e-5}

# MindSpore adds up large phases in float32, this package in float64.
PHASES = {"PitchShift": 2e-4}


@pytest.mark.parametrize("call, wanted", CASES, ids=[case[0] for case in CASES])
def test_a_call_gives_what_the_original_gives(call, wanted):
    ds.config.set_seed(audio_calls.SEED)
    check(audio_calls.outcome(call, KNOWN), wanted, PHASES.get(call.partition("(")[0]))


def check(found, wanted, near=None):
    """Compares two recorded outcomes."""
    if isinstance(wanted, str) or isinstance(found, str):
        assert found == wanted
        return
    if isinstance(wanted, list):
        assert len(found) == len(wanted)
        for each, other in zip(found, wanted, strict=True):
            check(each, other, near)
        return
    assert (found["dtype"], found["shape"]) == (wanted["dtype"], wanted["shape"])
    values = np.array(wanted["values"])
    largest = np.abs(values[np.isfinite(values)]).max(initial=0.0)
    near = near or NEAR.get(wanted["dtype"], 0.0)
    close(found["values"], values, rtol=near, atol=near * largest)
    close(found["mass"], wanted["mass"], rtol=10 * near, atol=0)


def test_a_filter_in_a_pipeline_filters_each_row():
    rows = audio_calls.waves()["batch"]
    low = ds.audio.LowpassBiquad(8000, 300.0)
    found = [
        row
        for (row,) in ds.NumpySlicesDataset(rows, ["wave"], shuffle=False)
        .map(low, "wave")
        .create_tuple_iterator(output_numpy=True, num_epochs=1)
    ]
    np.testing.assert_array_equal(found, [low(row) for row in rows])


def test_vad_cuts_what_is_in_front_of_a_voice():
    time = np.arange(24000) / 8000
    vowel = sum(np.sin(2 * np.pi * 200 * k * time) / k for k in range(1, 12))
    sound = np.where(time > 1.5, vowel, 0.0) + 1e-3 * np.random.default_rng(0).normal(size=24000)
    voiced = ds.audio.Vad(8000)(sound)
    assert 12000 < voiced.size < 14000  # the voice and at most a quarter of a second before it
    np.testing.assert_array_equal(voiced, sound[-voiced.size :])
    both = ds.audio.Vad(8000)(np.stack([sound - sound, sound]))
    assert both.shape == (2, voiced.size)


@pytest.mark.parametrize("length, left", [(100, 100), (400, 260), (600, 60), (1000, 660)])
def test_without_a_voice_the_last_samples_are_left(length, left):
    sound = np.random.RandomState(0).randn(length).astype(np.float32)
    assert np.array_equal(ds.audio.Vad(600)(sound), sound[length - left :])


def test_dither_at_random_differs_from_call_to_call_and_a_seed_repeats_it():
    wave = audio_calls.waves()["mono"]
    found = []
    for _ in range(2):
        ds.config.set_seed(3)
        dither = ds.audio.Dither(ds.audio.DensityFunction.RPDF)
        found.append([dither(wave), dither(wave)])
    np.testing.assert_array_equal(found[0], found[1])
    assert (found[0][0] != found[0][1]).any()
    assert np.abs(found[0][0] - wave).max() < 1e-4


@pytest.mark.parametrize("axis, most", [(1, 5), (2, 8)])
def test_masks_at_random_have_all_widths_and_offsets(axis, most):
    mask = ds.audio.MaskAlongAxisIID(most, 1.0, axis)
    seen = set()
    for _ in range(600):
        band = mask(np.zeros((2, 5, 9)))[0].max(axis=2 - axis)
        seen.add((int(band.sum()), int(band.argmax())))
    assert {width for width, _ in seen} == set(range(most + 1))
    assert {start for width, start in seen if width == 2} == set(range((5, 9)[axis - 1] - 1))


def test_griffin_lim_finds_a_sound_of_the_magnitudes():
    wave = audio_calls.waves()["doubles"]
    wanted = ds.audio.Spectrogram(64, hop_length=16)(wave)
    sound = ds.audio.GriffinLim(64, 60, hop_length=16, length=400)(wanted)
    assert sound.shape == wave.shape
    off = ds.audio.Spectrogram(64, hop_length=16)(sound) ** 0.5 - wanted**0.5
    assert np.linalg.norm(off) < 0.2 * np.linalg.norm(wanted**0.5)


def test_inverse_mel_scale_finds_a_spectrogram_of_the_sums():
    to_mel = ds.audio.MelScale(5, 8000, n_stft=40)
    sums = to_mel(1 + np.random.default_rng(0).random((2, 40, 6)))
    found = ds.audio.InverseMelScale(40, 5, 8000, max_iter=3000)(sums)
    assert found.min() >= 0
    assert np.linalg.norm(to_mel(found) - sums) < 0.01 * np.linalg.norm(sums)


@pytest.mark.parametrize("value", [[1.0, 2.0], 1.0, "text", None])
def test_what_is_no_array_is_refused(value):
    with pytest.raises(TypeError, match="For 'Gain', the input must be a NumPy array"):
        ds.audio.Gain()(value)


@pytest.mark.parametrize(("shape", "wanted"), [((1, 4), (4,)), ((4, 1), (4, 1)), ((1, 1, 4),) * 2])
def test_one_frame_comes_back_without_its_axis_of_time(shape, wanted):
    assert ds.audio.SlidingWindowCmn()(np.ones(shape, np.float32)).shape == wanted


@pytest.mark.parametrize("name", ["DetectPitchFrequency", "Flanger", "Phaser"])
def test_a_sample_rate_below_0_is_refused_when_a_wave_is_transformed(name):
    transform = getattr(ds.audio, name)(-1)
    with pytest.raises(RuntimeError, match="sample_rate.*-1"):
        transform(np.ones((1, 420), np.float32))
