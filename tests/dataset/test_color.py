"""Arguments of colour transforms are rounded as in MindSpore 2.10."""

import numpy as np
import pytest

from mindspore_compat.dataset import vision


def test_autocontrast_cuts_off_a_fraction_of_a_percent():
    image = np.arange(300, dtype=np.uint16).reshape(10, 10, 3).astype(np.uint8)
    whole, parts = (vision.AutoContrast(cutoff)(image) for cutoff in (7.0, 7.9))
    np.testing.assert_array_equal(whole, parts)
    assert (vision.AutoContrast(8.0)(image) != whole).any()


@pytest.mark.parametrize("factor", [1.7, 1.1, 0.9, 1.3])
def test_sharpness_factors_are_float32(factor):
    image = (np.random.RandomState(0).rand(30, 34, 3) * 255).astype(np.uint8)
    sums = {1.7: 391118, 1.1: 391872, 0.9: 391699, 1.3: 391772}  # of MindSpore 2.10
    assert vision.AdjustSharpness(factor)(image).sum() == sums[factor]


@pytest.mark.parametrize(
    ("gamma", "gain", "pixel"), [(2.0, 0.5, 0.0625), (0.5, 1.7, 0.92195445), (2.0, 1.7, 0.7225)]
)
def test_the_gain_of_a_float_image_is_raised_to_gamma_too(gamma, gain, pixel):
    image = np.full((1, 1, 3), 0.5, np.float32)
    np.testing.assert_allclose(vision.AdjustGamma(gamma, gain)(image), pixel, rtol=1e-6)


GREY, COLOURS, ALPHA = (
    (np.arange(4 * channels) * 11).astype(np.uint8).reshape(2, 2, channels)
    for channels in (1, 3, 4)
)


@pytest.mark.parametrize(
    "mode, image, pixel",
    [
        ("BGR2RGB", GREY, [11, 11, 11]),
        ("BGR2RGB", GREY[..., 0], [11, 11, 11]),
        ("RGBA2BGR", GREY, [11, 11, 11]),
        ("RGBA2BGR", COLOURS, [55, 44, 33]),
        ("BGR2BGRA", GREY, [11, 11, 11, 255]),
        ("BGR2BGRA", ALPHA, [44, 55, 66, 77]),
        ("BGR2RGBA", ALPHA, [66, 55, 44, 77]),
        ("BGRA2RGBA", COLOURS, [55, 44, 33, 255]),
    ],
)
def test_colours_are_reordered_whatever_the_number_of_channels(mode, image, pixel):
    convert = vision.ConvertColor(getattr(vision.ConvertMode, f"COLOR_{mode}"))
    assert convert(image)[0, 1].tolist() == pixel


def test_grey_is_computed_from_colours_with_or_without_alpha():
    convert = vision.ConvertColor(vision.ConvertMode.COLOR_RGBA2GRAY)
    np.testing.assert_array_equal(
        convert(COLOURS), vision.ConvertColor(vision.ConvertMode.COLOR_RGB2GRAY)(COLOURS)
    )
    with pytest.raises(RuntimeError, match="channels"):
        convert(GREY)
