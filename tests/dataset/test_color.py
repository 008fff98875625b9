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
