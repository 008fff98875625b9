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


PIXEL_OPERATIONS = [
    vision.AdjustBrightness(2.0),
    vision.CenterCrop(5),
    vision.Crop((0, 0), 3),
    vision.Erase(0, 0, 1, 1),
    vision.HWC2CHW(),
    vision.HorizontalFlip(),
    vision.Invert(),
    vision.Pad(1),
    vision.PadToSize(20),
    vision.RandomCrop(4),
    vision.RandomHorizontalFlip(0.0),
    vision.RandomInvert(0.0),
    vision.RandomSolarize((1, 9)),
    vision.RandomVerticalFlip(1.0),
    vision.Rescale(1.0, 0.0),
    vision.SlicePatches(2, 2),
    vision.Solarize((1, 9)),
    vision.ToTensor(),
    vision.VerticalFlip(),
]


@pytest.mark.parametrize("transform", PIXEL_OPERATIONS, ids=lambda it: type(it).__name__)
def test_wide_integers_and_text(transform):
    for dtype in (np.int64, np.uint32, np.uint64, str):
        with pytest.raises(RuntimeError, match="must hold"):
            transform(IMAGE.astype(dtype))
    transform(IMAGE.astype(np.int32))


@pytest.mark.parametrize("composed", [False, True])
def test_wide_integers_in_a_pipeline(composed):
    flip = vision.HorizontalFlip()
    operation = transforms.Compose([flip, vision.VerticalFlip()]) if composed else flip
    rows = dataset.NumpySlicesDataset(IMAGE[None].astype(np.int64), ["image"])
    with pytest.raises(RuntimeError, match="must hold"):
        list(rows.map(operation, ["image"]))


@pytest.mark.parametrize("prob", [0.0, 1.0])
def test_other_dtypes_than_bytes_are_not_equalized(prob):
    for dtype in (bool, np.int8, np.float32):
        with pytest.raises(RuntimeError, match="must hold uint8"):
            vision.RandomEqualize(prob)(IMAGE.astype(dtype))


def test_text_is_no_image():
    with pytest.raises(RuntimeError, match="must hold numbers"):
        vision.CutOut(2)(IMAGE.astype(str))
    with pytest.raises(TypeError, match="must hold numbers"):
        vision.HsvToRgb(True)(IMAGE.astype(str))


def test_erase_rounds_to_even():
    values = (0.5, 1.5, 254.7)
    image = vision.Erase(0, 0, 1, 1, values)(IMAGE)
    np.testing.assert_array_equal(image[0, 0], [0, 2, 255])


def test_to_str_and_to_bytes_of_a_plain_text():
    with pytest.raises(TypeError):
        dataset.text.to_str("a")
    with pytest.raises(ValueError):
        dataset.text.to_bytes("a")


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
