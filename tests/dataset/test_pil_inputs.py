"""PIL images as inputs of data transforms, and what image transforms return for them."""

import sys
import types

import numpy as np
import pytest

from mindspore_compat import float32
from mindspore_compat.dataset import transforms, vision

Image = pytest.importorskip("PIL.Image")
PIXELS = np.random.default_rng(0).integers(0, 256, (4, 5, 3)).astype(np.uint8)
PICTURE = Image.fromarray(PIXELS)


@pytest.mark.parametrize(
    "transform",
    [
        transforms.TypeCast(float32),
        transforms.Fill(3),
        transforms.Mask(transforms.Relational.GT, 100),
        transforms.PadEnd([5, 6, 3], 7),
        transforms.Slice(slice(1, 3)),
        transforms.Duplicate(),
        transforms.Unique(),
    ],
    ids=lambda transform: type(transform).__name__,
)
def test_a_picture_is_the_array_of_its_pixels(transform):
    found, expected = transform(PICTURE), transform(PIXELS)
    for one, other in zip(*(x if isinstance(x, tuple) else (x,) for x in (found, expected))):
        assert isinstance(one, np.ndarray) and one.dtype == other.dtype
        assert np.array_equal(one, other)


def test_arrays_are_taken_while_another_thread_imports_pillow(monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL.Image", types.ModuleType("PIL.Image"))
    assert np.array_equal(vision.HWC2CHW()(PIXELS), PIXELS.transpose(2, 0, 1))


@pytest.mark.parametrize("mode", ["RGB", "L", "RGBA"])
def test_lighting_gives_a_picture(mode):
    found = vision.RandomLighting(0.0)(PICTURE.convert(mode))
    assert found.mode == "RGB"
    assert np.array_equal(np.asarray(found), np.asarray(PICTURE.convert(mode).convert("RGB")))


def test_colours_of_a_picture_go_through_hsv():
    found = vision.RandomColorAdjust()(PICTURE)
    expected = PICTURE.convert("HSV").convert("RGB")
    assert np.array_equal(np.asarray(found), np.asarray(expected))
    assert np.array_equal(vision.RandomColorAdjust()(PIXELS), PIXELS)
