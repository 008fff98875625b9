"""Arguments that a constructor accepts and that MindSpore 2.10 refuses in use."""

import numpy as np
import pytest

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
