"""Fills and channels of images that are rotated or warped, as in MindSpore 2.10."""

import numpy as np
import pytest

from mindspore_compat.dataset import vision
from mindspore_compat.dataset.vision.utils import Inter


@pytest.mark.parametrize(
    "turn, fill",
    [
        (vision.Rotate(30, expand=True, fill_value=(9, 8, 7)), (7, 8, 9)),
        (vision.RandomRotation((30, 30), expand=True, fill_value=(9, 8, 7)), (7, 8, 9)),
        (vision.Affine(30, [0, 1], 1.0, 0.0, fill_value=(9, 8, 7)), (9, 8, 7)),
        (vision.Rotate(30, expand=True, fill_value=5), (5, 5, 5)),
    ],
)
@pytest.mark.parametrize("channels", [1, 3, 4, 9])
def test_channels_beyond_the_third_repeat_the_fill_and_zero(turn, fill, channels):
    image = np.full((4, 6, channels), 50, np.uint8)
    assert turn(image)[0, 0].tolist() == ([*fill, 0] * 3)[:channels]


def test_rotate_expands_single_images_and_cubic_takes_four_channels():
    with pytest.raises(RuntimeError, match="axes"):
        vision.Rotate(45, expand=True)(np.ones((2, 4, 6, 3), np.uint8))
    with pytest.raises(RuntimeError, match="channels"):
        vision.Rotate(45, Inter.BICUBIC)(np.ones((4, 6, 7), np.uint8))
