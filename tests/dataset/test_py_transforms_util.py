"""Functions of one image compared with Pillow. Drawn boxes and all pixels were compared with
MindSpore 2.10.
"""

import io
import random

import numpy
import pytest
from kit import close

Image = pytest.importorskip("PIL.Image")
from PIL import ImageEnhance, ImageOps  # noqa: E402

from mindspore_compat.dataset.vision import Inter  # noqa: E402
from mindspore_compat.dataset.vision import py_transforms_util as util  # noqa: E402

ARRAY = numpy.random.default_rng(0).integers(0, 256, (20, 30, 3), "uint8")
IMAGE = Image.fromarray(ARRAY)

CASES = {
    "adjust_brightness": ((1.3,), lambda x: ImageEnhance.Brightness(x).enhance(1.3)),
    "adjust_contrast": ((0.4,), lambda x: ImageEnhance.Contrast(x).enhance(0.4)),
    "adjust_saturation": ((1.7,), lambda x: ImageEnhance.Color(x).enhance(1.7)),
    "adjust_gamma": (
        (2.0, 1),
        lambda x: x.point([int(255.999 * (n / 255.0) ** 2) for n in range(256)] * 3),
    ),
    "auto_contrast": ((5, None), lambda x: ImageOps.autocontrast(x, 5)),
    "center_crop": (((8, 10),), lambda x: x.crop((10, 6, 20, 14))),
    "crop": ((2, 3, 5, 6), lambda x: x.crop((3, 2, 9, 7))),
    "equalize": ((), ImageOps.equalize),
    "grayscale": ((1,), lambda x: x.convert("L")),
    "horizontal_flip": ((), ImageOps.mirror),
    "vertical_flip": ((), ImageOps.flip),
    "invert_color": ((), ImageOps.invert),
    "pad": (
        ([1, 2, 3, 4], [5, 6, 7], "constant"),
        lambda x: ImageOps.expand(x, (1, 2, 3, 4), (5, 6, 7)),
    ),
    "resize": (((7, 9),), lambda x: x.resize((9, 7), Image.BILINEAR)),
    "rotate": (
        (30, Inter.NEAREST, True, None, 7),
        lambda x: x.rotate(30, expand=True, fillcolor=(7, 7, 7)),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_as_pillow_does(name):
    arguments, wanted = CASES[name]
    found = getattr(util, name)(IMAGE, *arguments)
    assert util.is_pil(found)
    assert numpy.array_equal(numpy.asarray(found), numpy.asarray(wanted(IMAGE)))
    with pytest.raises(TypeError, match="PIL image"):
        getattr(util, name)(ARRAY, *arguments)


def test_hues_turn():
    found = util.adjust_hue(IMAGE, 0.25).convert("HSV").split()[0]
    before = IMAGE.convert("HSV").split()[0]
    turned = numpy.asarray(before).astype(int) + 63 - numpy.asarray(found)
    assert numpy.median(turned % 256) in (0, 1, 255)


def test_five_and_ten_parts():
    corners = util.five_crop(IMAGE, 7)
    assert [each.size for each in corners] == [(7, 7)] * 5
    assert numpy.array_equal(numpy.asarray(corners[3]), ARRAY[-7:, -7:])
    flipped = util.ten_crop(IMAGE, 7, True)[5:]
    assert numpy.array_equal(numpy.asarray(flipped[0]), ARRAY[::-1][:7, :7])


# Draws --------------------------------------------------------------------------------------------


def test_parts_at_drawn_offsets():
    random.seed(3)
    top, left = random.randint(0, 12), random.randint(0, 21)
    random.seed(3)
    found = util.random_crop(IMAGE, (8, 9), None, False, 0, "constant")
    assert numpy.array_equal(numpy.asarray(found), ARRAY[top : top + 8, left : left + 9])
    assert util.random_crop(IMAGE, (40, 31), None, True, 0, "edge").size == (31, 40)
    with pytest.raises(ValueError, match="'size'"):
        util.random_crop(IMAGE, 40, None, False, 0, "constant")
    with pytest.raises(TypeError, match="'size'"):
        util.random_crop(IMAGE, "8", None, False, 0, "constant")


@pytest.mark.parametrize("name, axis", [("random_horizontal_flip", 1), ("random_vertical_flip", 0)])
def test_drawn_flips(name, axis):
    for seed in range(6):
        random.seed(seed)
        flips = random.random() < 0.5
        random.seed(seed)
        found = numpy.asarray(getattr(util, name)(IMAGE, 0.5))
        assert numpy.array_equal(found, numpy.flip(ARRAY, axis) if flips else ARRAY)


def test_drawn_factors():
    for name, made in (
        ("random_color", ImageEnhance.Color),
        ("random_sharpness", ImageEnhance.Sharpness),
    ):
        random.seed(5)
        factor = 0.1 + 1.8 * random.random()
        random.seed(5)
        found = getattr(util, name)(IMAGE, (0.1, 1.9))
        assert numpy.array_equal(numpy.asarray(found), numpy.asarray(made(IMAGE).enhance(factor)))
    random.seed(5)
    angle = random.uniform(-20, 20)
    random.seed(5)
    found = util.random_rotation(IMAGE, 20, Inter.NEAREST, False, None, 0)
    assert numpy.array_equal(numpy.asarray(found), numpy.asarray(IMAGE.rotate(angle % 360)))


def test_drawn_parts_have_a_size():
    for seed in range(5):
        random.seed(seed)
        assert util.random_resize_crop(IMAGE, (5, 6), (0.1, 1), (0.5, 2)).size == (6, 5)
    wide = util.random_resize_crop(IMAGE, 4, (9, 9), (1, 1))  # no crop fits: the central square
    assert numpy.array_equal(
        numpy.asarray(wide), numpy.asarray(IMAGE.crop((5, 0, 25, 20)).resize((4, 4), 2))
    )


def test_colors_are_changed_in_some_order():
    random.seed(1)
    same = util.random_color_adjust(IMAGE, 0, (1, 1), 0, 0)
    by_hues = IMAGE.convert("HSV").convert("RGB")
    assert numpy.array_equal(numpy.asarray(same), numpy.asarray(by_hues))
    random.seed(1)
    one, again = (util.random_color_adjust(IMAGE, 0.5, 0.5, 0.5, 0.1) for _ in range(2))
    assert not numpy.array_equal(numpy.asarray(one), numpy.asarray(again))
    for bad, error in ((-1, ValueError), ((2, 1), ValueError), ("1", TypeError)):
        with pytest.raises(error, match="'brightness'"):
            util.random_color_adjust(IMAGE, bad, 0, 0, 0)


# Arrays -------------------------------------------------------------------------------------------


def test_arrays():
    assert util.is_numpy(ARRAY) and not util.is_numpy(IMAGE)
    assert numpy.array_equal(util.hwc_to_chw(ARRAY), ARRAY.transpose(2, 0, 1))
    assert util.hwc_to_chw(ARRAY[..., 0]).shape == (20, 30)
    found = util.to_tensor(IMAGE, "float32")
    assert found.dtype == numpy.float32 and found.shape == (3, 20, 30)
    assert numpy.array_equal(found, (ARRAY.transpose(2, 0, 1) / 255).astype("float32"))
    assert numpy.array_equal(numpy.asarray(util.to_pil(ARRAY)), ARRAY)
    assert util.to_pil(IMAGE) is IMAGE
    assert numpy.array_equal(util.rgb_to_bgr(ARRAY, True), ARRAY[..., ::-1])
    assert numpy.array_equal(util.rgb_to_bgr(ARRAY, False), ARRAY[::-1])
    with pytest.raises(RuntimeError, match="'output_type'"):
        util.to_type(ARRAY, "x")
    for bad in (IMAGE, ARRAY[0, 0]):
        with pytest.raises(TypeError):
            util.hwc_to_chw(bad)


def test_normalized_arrays():
    x = numpy.random.default_rng(1).random((3, 4, 5)).astype("float32")
    close(util.normalize(x, [0.5], [0.25]), (x - 0.5) / 0.25, rtol=1e-6, atol=0)
    padded = util.normalize(x, [0.1, 0.2, 0.3], [0.5] * 3, True, "float16")
    assert padded.shape == (4, 4, 5) and padded.dtype == numpy.float16 and not padded[3].any()
    with pytest.raises(ValueError, match="'mean'"):
        util.normalize(x, [0.5] * 2, [0.5] * 2)
    with pytest.raises(NotImplementedError):
        util.normalize(ARRAY, [0.5], [0.5])


def test_files_of_images():
    file = io.BytesIO()
    IMAGE.save(file, "png")
    assert numpy.array_equal(numpy.asarray(util.decode(file.getvalue())), ARRAY)
    with pytest.raises(ValueError):
        util.decode(b"abc")
    with pytest.raises(TypeError):
        util.decode(IMAGE)
