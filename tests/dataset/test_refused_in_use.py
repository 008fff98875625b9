"""Arguments that a constructor accepts and that MindSpore 2.10 refuses in use."""

import numpy as np
import pytest

from mindspore_compat import dataset
from mindspore_compat.dataset import audio, transforms, vision

IMAGE = np.arange(216, dtype=np.uint8).reshape(9, 8, 3)


@pytest.mark.parametrize(
    "transform, value, words",
    [
        (transforms.Concatenate(0, np.ones(1)), np.ones(0), "must have elements"),
        (vision.Rescale(-1.0, 0.0), IMAGE, "'rescale' must be >= 0"),
        (vision.RandomCrop(4, padding_mode=None), IMAGE, "'padding_mode' must be given"),
        (vision.RandomResizedCrop(4, interpolation=None), IMAGE, "'interpolation' must be given"),
        (vision.get_image_size, IMAGE.astype(np.complex64), "no complex numbers"),
        (audio.SpectralCentroid(0), np.ones((1, 60), np.float32), "'sample_rate' must be > 0"),
        (audio.MFCC(0), np.ones((1, 420), np.float32), "'sample_rate' must be > 0"),
        (transforms.PadEnd([3], "x"), np.array([b"a"]), "bytes with bytes"),
        (transforms.Unique(), np.ones((2, 2), bool), "must hold numbers"),
    ],
)
def test_a_value(transform, value, words):
    with pytest.raises(RuntimeError, match=words):
        transform(value)


@pytest.mark.parametrize(
    "transform",
    [
        vision.RandomColor(None),
        vision.RandomSharpness(None),
        vision.RandomPosterize(None),
        vision.RandomCrop(4, fill_value=None),
        vision.RandomResizedCrop(4, scale=None),
        vision.RandomResizedCrop(4, ratio=None),
        vision.RandomResizedCrop(4, max_attempts=None),
    ],
)
def test_none(transform):
    with pytest.raises(TypeError, match="must be given when an image is transformed"):
        transform(IMAGE)


def test_a_negative_beta():
    kaiser = audio.ResampleMethod.KAISER_WINDOW
    with pytest.raises(ValueError, match="'beta'"):
        audio.Resample(16000, 8000, kaiser, beta=-1.0)(np.ones((1, 64), np.float32))


def test_samplers_check_modes_and_weights_in_parse():
    sampler = dataset.RandomSampler(shuffle=dataset.Shuffle.FILES)
    assert sampler.parse_for_minddataset() is sampler
    with pytest.raises(RuntimeError, match="not supported"):
        sampler.parse()
    with pytest.raises(RuntimeError, match="'weights'"):
        dataset.WeightedRandomSampler([-1.0, 0.5]).parse()


def test_a_path_that_is_an_int():
    with pytest.raises(TypeError, match="'json_filepath'"):
        dataset.deserialize(json_filepath=1)


def test_spectra_of_any_number_of_frequencies():
    spectra = np.random.default_rng(0).random((1, 9, 5, 2), np.float32)
    two_sided = audio.InverseSpectrogram(None, 16, onesided=False)
    expected = audio.InverseSpectrogram(None, 16)(spectra)
    np.testing.assert_allclose(two_sided(spectra), expected)
    padded = np.concatenate([spectra, spectra[:, :3]], axis=1)
    np.testing.assert_allclose(two_sided(padded), expected)


def test_samplers_with_indices_count_them():
    sampler = dataset.SubsetSampler([3, 1, 2])
    assert sampler.get_num_samples() == 3
    sampler.add_child(dataset.SequentialSampler(num_samples=2))
    assert sampler.get_num_samples() == 2
    assert dataset.SubsetRandomSampler([3, 1, 2], 1).get_num_samples() == 1
