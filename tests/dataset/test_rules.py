"""Arguments of transforms are taken and refused as in MindSpore 2.10."""

import numpy as np
import pytest

from mindspore_compat.dataset import audio, text, vision


@pytest.mark.parametrize(
    "make",
    [
        lambda: vision.RandomAffine(3, fill_value=None),
        lambda: vision.RandomAffine(3, shear=np.int64(2)),
        lambda: vision.Affine(3, (0, 0), 1.0, np.int64(2)),
        lambda: vision.RandomColorAdjust(np.int64(1), np.int64(1), np.int64(1)),
        lambda: vision.GaussianBlur(3, np.int64(2)),
    ],
)
def test_none_is_the_default_and_some_numbers_are_those_of_numpy(make):
    assert make()(np.full((4, 4, 3), 9, np.uint8)).ndim == 3


@pytest.mark.parametrize(
    "make",
    [
        lambda: vision.AdjustBrightness(10**12),
        lambda: vision.AdjustGamma(1, gain=10**12),
        lambda: vision.MixUpBatch(10**12),
        lambda: vision.RandAugment(num_magnitude_bins=10**12),
        lambda: vision.RandomAffine(10**12),
        lambda: vision.RandomRotation(10**12),
        lambda: vision.Rescale(1.0, 10**12),
        lambda: vision.Rotate(-(10**12)),
        lambda: text.Ngram(2, (1, 2)),
    ],
)
def test_numbers_beyond_those_of_the_original_are_value_errors(make):
    with pytest.raises(ValueError, match="For '"):
        make()


@pytest.mark.parametrize("arguments", [((3,),), (3, (1.0,))])
def test_sizes_of_a_blur_are_one_number_or_two(arguments):
    with pytest.raises(TypeError, match="GaussianBlur"):
        vision.GaussianBlur(*arguments)


def test_other_windows_ignore_the_parameter_of_the_kaiser_window():
    assert audio.Resample(beta="a")(np.ones((1, 4), np.float32)).shape == (1, 4)
    with pytest.raises(TypeError, match="beta"):
        audio.Resample(resample_method=audio.ResampleMethod.KAISER_WINDOW, beta="a")
    assert audio.Vad(16000, measure_freq=10.0, measure_duration=[]).measure_duration == 0.2
