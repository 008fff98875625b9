"""Image transforms: the range of random ones, rejected calls, required libraries.

test_observed.py checks that deterministic and seeded random ones give MindSpore's pixels.
"""

import pickle
import sys

import numpy as np
import pytest
from kit import close

import mindspore_compat.dataset as ds
from mindspore_compat.dataset import transforms, vision
from mindspore_compat.dataset.engine.twister import Twister
from mindspore_compat.dataset.transforms.base import is_random
from mindspore_compat.dataset.vision import _pixels, c_transforms, py_transforms
from mindspore_compat.dataset.vision.utils import Border, ImageBatchFormat, Inter

IMAGE = np.random.default_rng(0).integers(0, 256, (12, 16, 3), dtype=np.uint8)


@pytest.fixture(autouse=True)
def seeded():
    ds.config.set_seed(1)


# Random transforms --------------------------------------------------------------------------------


def test_a_crop_is_a_part_of_the_image():
    coordinates = np.dstack([*np.indices((12, 16)), np.zeros((12, 16))]).astype(np.uint8)
    crop = vision.RandomCrop((5, 7))
    seen = set()
    for _ in range(200):
        part = crop(coordinates)
        top, left = part[0, 0, :2].tolist()
        np.testing.assert_array_equal(part, coordinates[top : top + 5, left : left + 7])
        seen.add((top, left))
    assert len(seen) > 40 and {y for y, _ in seen} == set(range(8))


def test_a_flip_comes_as_often_as_asked():
    flip = vision.RandomHorizontalFlip(0.25)
    flips = sum(np.array_equal(flip(IMAGE), IMAGE[:, ::-1]) for _ in range(400))
    assert 60 < flips < 140
    assert np.array_equal(vision.RandomVerticalFlip(0.0)(IMAGE), IMAGE)


def test_resized_crops_keep_to_scale_and_ratio():
    crop = vision.RandomResizedCrop(4, scale=(0.2, 0.5), ratio=(0.5, 2.0))
    for _ in range(200):
        _, _, height, width = crop._region(100, 120)
        assert 0.18 < height * width / 12000 < 0.52 and 0.48 < width / height < 2.05
    assert vision.RandomResizedCrop(4, scale=(4, 5))._region(10, 40) == (0, 14, 10, 13)


def test_cutout_blackens_squares():
    out = vision.CutOut(4, 3)(np.full_like(IMAGE, 9))
    assert set(np.unique(out)) == {0, 9} and (out == 0).sum() <= 3 * 4 * 4 * 3
    planes = vision.CutOut(4, 1, is_hwc=False)(np.full((3, 12, 16), 9, np.uint8))
    assert np.array_equal(planes[0], planes[2])


def test_erasing_fills_a_rectangle_of_channels_first():
    image = np.full((3, 20, 30), 9, np.float32)
    out = vision.RandomErasing(1.0, value=(1, 2, 3))(image)
    erased = out[0] != 9
    rows, columns = np.flatnonzero(erased.any(1)), np.flatnonzero(erased.any(0))
    assert erased[np.ix_(rows, columns)].all() and 12 <= erased.sum() <= 200
    assert [float(out[channel][erased].max()) for channel in range(3)] == [1, 2, 3]
    assert (image == 9).all()
    noise = vision.RandomErasing(1.0, value="random")(image)
    assert len(np.unique(noise)) > 20


def test_posterize_and_solarize_stay_in_their_range():
    assert set(np.unique(vision.RandomPosterize((2, 2))(IMAGE))) <= {0, 64, 128, 192}
    assert np.array_equal(vision.RandomSolarize((0, 0))(IMAGE), 255 - IMAGE)


def test_mixed_batches_keep_the_sum_of_their_labels():
    images = np.stack([np.full((6, 6, 3), 40 * n, np.uint8) for n in range(4)])
    hot = np.eye(4, dtype=np.float32)
    for transform in (
        vision.MixUpBatch(0.9),
        vision.CutMixBatch(ImageBatchFormat.NHWC),
        vision.MixUp(4, 0.9),
    ):
        mixed, mixed_labels = transform(images, hot)
        assert mixed.shape == images.shape
        close(mixed_labels.sum(1), 1, rtol=1e-6, atol=0)
    mixed, mixed_labels = vision.MixUp(4, 1.0)(images, hot)
    close(mixed[:, 0, 0, 0], mixed_labels @ [0, 40, 80, 120], atol=0)


def test_cutmix_mixes_labels_by_area_in_both_layouts():
    images = np.stack([np.full((10, 10, 1), 50 * n, np.uint8) for n in range(3)])
    for layout, batch in (
        (ImageBatchFormat.NHWC, images),
        (ImageBatchFormat.NCHW, images.transpose(0, 3, 1, 2)),
    ):
        mixed, labels = vision.CutMixBatch(layout)(batch, np.eye(3))
        for channel in range(3):
            shares = [(mixed[channel] == 50 * n).mean() for n in range(3)]
            close(labels[channel], shares, rtol=1e-7, atol=1e-6)


@pytest.mark.parametrize(
    "transform",
    [
        vision.RandomLighting(0.1),
        vision.RandomColorAdjust(0.4, 0.4, 0.4, 0.1),
        vision.RandomAffine(20, (-0.1, 0.1), (0.9, 1.1), 5),
        vision.RandomRotation(30, expand=True),
        vision.UniformAugment([vision.HorizontalFlip(), vision.Invert()], 1),
        transforms.RandomOrder([vision.HorizontalFlip(), vision.VerticalFlip()]),
    ],
    ids=lambda t: type(t).__name__,
)
def test_a_seed_repeats_a_pipelines_augmentations(transform):
    data = ds.NumpySlicesDataset(np.stack([IMAGE] * 6), ["i"], shuffle=False).map(transform)

    def run():
        return [row[0] for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]

    first, second = run(), run()
    assert all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))
    ds.config.set_seed(2)
    assert not all(np.array_equal(a, b) for a, b in zip(first, run(), strict=True)) or isinstance(
        transform, transforms.RandomOrder
    )


def test_the_gamma_and_normal_draws_have_their_moments():
    twister = Twister(3)
    for shape in (0.4, 1.0, 3.0):
        drawn = np.array([twister.gamma(shape) for _ in range(4000)])
        assert abs(drawn.mean() - shape) < 0.12 and abs(drawn.var() - shape) < 0.35
    normal = np.array([twister.normal() for _ in range(4000)])
    assert abs(normal.mean()) < 0.06 and abs(normal.std() - 1) < 0.05


# Arguments ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "make, error",
    [
        (lambda: vision.Resize("3"), TypeError),
        (lambda: vision.Resize(0), ValueError),
        (lambda: vision.Resize((3, 4, 5)), TypeError),
        (lambda: vision.Resize(3, 2), TypeError),
        (lambda: vision.Rescale("a", 0.0), TypeError),
        (lambda: vision.Rescale(1.0, None), TypeError),
        (lambda: vision.Normalize([0.5], [0.0]), ValueError),
        (lambda: vision.Normalize([256.0], [1.0]), ValueError),
        (lambda: vision.Normalize([0.5, 0.5], [1.0]), ValueError),
        (lambda: vision.Normalize(0.5, [1.0]), TypeError),
        (lambda: vision.Normalize([0.5], [1.0], 1), TypeError),
        (lambda: vision.NormalizePad([0.5], [1.0], "int8"), ValueError),
        (lambda: vision.ToTensor("no dtype"), TypeError),
        (lambda: vision.Pad(-1), ValueError),
        (lambda: vision.Pad(1, 256), ValueError),
        (lambda: vision.Pad(1, (1, 2)), TypeError),
        (lambda: vision.Pad(1, 0, "constant"), TypeError),
        (lambda: vision.RandomCrop(3, (1, 2, 3)), ValueError),
        (lambda: vision.RandomCrop(3, padding_mode=1), TypeError),
        (lambda: vision.RandomHorizontalFlip(1.5), ValueError),
        (lambda: vision.RandomHorizontalFlip("a"), TypeError),
        (lambda: vision.RandomResizedCrop(3, (0.9, 0.1)), ValueError),
        (lambda: vision.RandomResizedCrop(3, max_attempts=0), ValueError),
        (lambda: vision.RandomColorAdjust(hue=0.6), ValueError),
        (lambda: vision.RandomColorAdjust(brightness=(1.2, 0.8)), ValueError),
        (lambda: vision.RandomRotation((30, 10)), ValueError),
        (lambda: vision.RandomRotation("a"), TypeError),
        (lambda: vision.RandomPosterize((0, 8)), ValueError),
        (lambda: vision.RandomErasing(value="noise"), ValueError),
        (lambda: vision.CutOut(0), ValueError),
        (lambda: vision.CutOut(1.0), TypeError),
        (lambda: vision.GaussianBlur(2), ValueError),
        (lambda: vision.AutoContrast(50.0), ValueError),
        (lambda: vision.AdjustHue(0.6), ValueError),
        (lambda: vision.Grayscale(2), ValueError),
        (lambda: vision.Erase(0, 0, 0, 1), ValueError),
        (lambda: vision.Crop((-1, 0), 2), ValueError),
        (lambda: vision.MixUpBatch(0.0), ValueError),
        (lambda: vision.CutMixBatch("NHWC"), TypeError),
        (lambda: vision.LinearTransformation(np.eye(3), np.ones(2)), ValueError),
        (lambda: vision.RandomSelectSubpolicy([[(3, 0.5)]]), TypeError),
        (lambda: vision.UniformAugment([vision.Invert()], 2), ValueError),
        (lambda: vision.Resize(3).device("GPU"), ValueError),
        (lambda: transforms.Compose([]), ValueError),
        (lambda: transforms.Compose(3), TypeError),
        (lambda: transforms.TypeCast(None), TypeError),
        (lambda: transforms.OneHot(0), ValueError),
        (lambda: transforms.OneHot(3, 1.5), ValueError),
        (lambda: transforms.Fill([1]), TypeError),
        (lambda: transforms.Slice("a"), TypeError),
        (lambda: transforms.Mask("EQ", 1), TypeError),
        (lambda: transforms.PadEnd([0]), ValueError),
        (lambda: transforms.PadEnd((3,)), TypeError),
        (lambda: transforms.Concatenate(1), ValueError),
        (lambda: transforms.RandomApply([vision.Invert()], 2), ValueError),
    ],
)
def test_wrong_arguments_are_refused(make, error):
    with pytest.raises(error):
        make()


@pytest.mark.parametrize(
    "transform, image, words",
    [
        (vision.HWC2CHW(), np.zeros((2, 2, 2, 2)), "2 or 3 axes"),
        (vision.Normalize([0.5] * 3, [1.0] * 3), IMAGE[..., :1], "one per channel, 1"),
        (vision.RandomCrop(40), IMAGE, "must not exceed"),
        (vision.Crop((10, 0), 5), IMAGE, "reaches"),
        (vision.Resize(3), np.zeros((2, 2, 1), np.int32), "int32"),
        (vision.Equalize(), IMAGE.astype(np.float32), "uint8"),
        (vision.Decode(), IMAGE, "bytes of an image file"),
        (transforms.OneHot(3), np.array([3]), r"\[0, 3\)"),
    ],
)
def test_images_that_do_not_fit_are_refused(transform, image, words):
    with pytest.raises(RuntimeError, match=words):
        transform(image)
    with pytest.raises(TypeError, match="NumPy array or a PIL"):
        vision.HWC2CHW()([[1]])


# Libraries, paths, pickles ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "library, call",
    [
        ("cv2", lambda: vision.Resize(5, Inter.AREA)(IMAGE)),
        ("cv2", lambda: vision.GaussianBlur(3)(IMAGE)),
        ("cv2", lambda: vision.Decode()(np.zeros(9, np.uint8))),
        ("PIL.Image", lambda: vision.ToPIL()(IMAGE)),
        ("PIL.Image", lambda: vision.Decode(True)(np.zeros(9, np.uint8))),
    ],
)
def test_a_missing_library_is_named_with_its_extra(monkeypatch, library, call):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ImportError, match=r"mindspore-compat\[vision\]"):
        call()


@pytest.mark.parametrize(
    "call",
    [
        lambda: vision.Resize((20, 9))(IMAGE),
        lambda: vision.Rotate(30, Inter.LINEAR)(IMAGE),
        lambda: vision.AdjustHue(0.2)(IMAGE),
        lambda: vision.RandomAffine(10)(IMAGE),
        lambda: vision.RandomColorAdjust(0.4, 0.4, 0.4, 0.2)(IMAGE),
        lambda: vision.Equalize()(IMAGE),
        lambda: vision.Pad(2, padding_mode=Border.REFLECT)(IMAGE),
    ],
)
def test_what_scripts_use_most_needs_no_library(monkeypatch, call):
    for library in ("cv2", "PIL", "PIL.Image", "PIL.ImageOps"):
        monkeypatch.setitem(sys.modules, library, None)
    _without_opencv(monkeypatch)
    call()


def _without_opencv(monkeypatch):
    for found in ("_import_opencv", "_resizer"):
        monkeypatch.setattr(_pixels, found, lambda: None)


@pytest.mark.parametrize("dtype", [np.uint8, np.float32, np.int16])
@pytest.mark.parametrize("shape", [(7, 9), (7, 9, 1), (8, 6, 2), (7, 9, 3), (8, 6, 4), (5, 4, 6)])
def test_pixels_do_not_depend_on_opencv(monkeypatch, shape, dtype):
    whole = np.random.default_rng(0).integers(0, 256, (shape[0] + 2, *shape[1:])).astype(dtype)
    image = whole[1:-1]
    image.flags.writeable = False
    calls = [
        vision.HWC2CHW(),
        vision.ToTensor(),
        vision.HorizontalFlip(),
        vision.VerticalFlip(),
        vision.Normalize([3.3], [7.1]),
    ]
    calls += [vision.Resize(size) for size in ((4, 3), (12, 5), (14, 18), (7, 9))]
    found = [call(image) for call in calls]
    _without_opencv(monkeypatch)
    for one, call in zip(found, calls, strict=True):
        other = call(image)
        assert one.dtype == other.dtype and one.flags.c_contiguous
        np.testing.assert_array_equal(one, other)


def test_transforms_that_draw_in_comprehensions_are_random_too():
    assert is_random(vision.RandomLighting()) and is_random([vision.RandomSolarize()])
    assert not is_random([vision.Resize(3), vision.Normalize([1.0], [1.0])])


def test_streams_are_the_same_however_their_numbers_are_read():
    source = np.random.MT19937()
    source._legacy_seeding(7)
    wanted = source.random_raw(700).tolist()
    one, other = Twister(7), Twister(7)
    assert [one.draw() for _ in range(700)] == wanted
    numbers = [other.normal() for _ in range(40)]
    for first in (0, 3, 30):
        stream = Twister(7)
        drawn = [stream.normal() for _ in range(first)]
        assert [*drawn, *stream.normals(40 - first)] == numbers


def test_decoding_gives_the_pixels():
    image = pytest.importorskip("PIL.Image")
    pytest.importorskip("cv2")
    import io

    file = io.BytesIO()
    image.fromarray(IMAGE).save(file, "PNG")
    content = np.frombuffer(file.getvalue(), np.uint8)
    np.testing.assert_array_equal(vision.Decode()(content), IMAGE)
    np.testing.assert_array_equal(np.asarray(vision.Decode(True)(content)), IMAGE)
    crop = vision.RandomCropDecodeResize(6, (1.0, 1.0), (16 / 12, 16 / 12))
    np.testing.assert_array_equal(crop(content), vision.Resize((6, 6))(IMAGE))
    with pytest.raises(RuntimeError, match="image file"):
        vision.Decode()(content[:20])


def test_the_transforms_of_mindspore_1():
    pytest.importorskip("PIL")
    chain = transforms.Compose(
        [
            py_transforms.ToPIL(),
            py_transforms.ToTensor(),
            py_transforms.Normalize((0.1, 0.2, 0.3), (0.5, 0.5, 0.5)),
        ]
    )
    wanted = (IMAGE.transpose(2, 0, 1) / 255 - np.reshape((0.1, 0.2, 0.3), (3, 1, 1))) / 0.5
    (image,) = chain(IMAGE)
    close(image, wanted, rtol=1e-5, atol=1e-6)
    assert c_transforms.Resize is vision.Resize
    assert c_transforms.Decode(rgb=True).to_pil is False and py_transforms.Decode().to_pil is True
    with pytest.raises(ValueError):
        c_transforms.Normalize([1.0], [0.0])


def test_transforms_are_pickled_without_their_streams():
    crop = vision.RandomCrop(4)
    crop(IMAGE)
    copy = pickle.loads(pickle.dumps(crop))
    assert copy.size == (4, 4) and "_stream" not in vars(copy)


# Policies and files -------------------------------------------------------------------------------


@pytest.mark.parametrize("policy", list(vision.AutoAugmentPolicy))
def test_a_policy_has_25_pairs_and_every_operation_works(policy):
    augment = vision.AutoAugment(policy)
    assert len(augment.pairs) == 25 and all(len(pair) == 2 for pair in augment.pairs)
    for name, prob, level in (entry for pair in augment.pairs for entry in pair):
        assert 0 <= prob <= 1 and 0 <= level <= 9
        if name != "Sharpness":
            amount = augment._amount(name, level, 10, {"other": 0.9, "Posterize": 4}, bool)
            assert augment._apply_operation(IMAGE, name, amount).shape == IMAGE.shape


def test_drawn_augmentations_stay_images():
    pytest.importorskip("cv2")
    for augment in (vision.RandAugment(), vision.TrivialAugmentWide(), vision.AutoAugment()):
        outs = [augment(IMAGE) for _ in range(60)]
        assert all(out.shape == IMAGE.shape and out.dtype == np.uint8 for out in outs)
        assert len({out.tobytes() for out in outs}) > 15
    with pytest.raises(ValueError):
        vision.RandAugment(magnitude=31)
    with pytest.raises(RuntimeError):
        vision.AutoAugment()(IMAGE[..., 0])


def test_image_files_are_written_and_read(tmp_path):
    pytest.importorskip("cv2")
    path = str(tmp_path / "a.png")
    vision.write_png(path, IMAGE)
    np.testing.assert_array_equal(vision.read_image(path), IMAGE)
    assert vision.read_image(path, vision.ImageReadMode.GRAYSCALE).shape == (12, 16, 1)
    content = vision.read_file(path)
    assert content.dtype == np.uint8 and content[1:4].tobytes() == b"PNG"
    smooth = np.repeat(np.linspace(0, 255, 16, dtype=np.uint8)[:, None], 16, 1)
    found = vision.Decode()(vision.encode_jpeg(smooth, 95))[..., 0]
    assert np.abs(found.astype(int) - smooth).max() < 8
    for wrong in (
        lambda: vision.read_image(str(tmp_path)),
        lambda: vision.encode_jpeg(IMAGE, 0),
        lambda: vision.encode_png(IMAGE.astype(float)),
        lambda: vision.write_file(path, IMAGE),
        lambda: vision.read_file("nowhere"),
    ):
        with pytest.raises(RuntimeError):
            wrong()


def test_the_function_that_cannot_write_is_named(tmp_path):
    pytest.importorskip("cv2")
    path, data = str(tmp_path / "missing" / "a"), np.zeros(4, np.uint8)
    for name, values in (("write_png", IMAGE), ("write_jpeg", IMAGE), ("write_file", data)):
        with pytest.raises(RuntimeError, match=f"^For '{name}', '{path}' cannot be written"):
            getattr(vision, name)(path, values)


def test_the_size_of_an_image():
    assert vision.get_image_size(IMAGE) == [12, 16] and vision.get_image_num_channels(IMAGE) == 3
    assert vision.get_image_num_channels(IMAGE[..., 0]) == 1
    with pytest.raises(TypeError):
        vision.get_image_size([1])
    with pytest.raises(RuntimeError):
        vision.get_image_size(np.zeros(3))


@pytest.mark.parametrize(
    "odd, plain",
    [
        (vision.Resize(True), vision.Resize(1)),
        (vision.GaussianBlur(3, True), vision.GaussianBlur(3, 1.0)),
        (vision.GaussianBlur(3, 0.0), vision.GaussianBlur(3)),
        (
            vision.RandomColorAdjust(False, False, False, False),
            vision.RandomColorAdjust(0, 0, 0, 0),
        ),
        (vision.Affine(0, (0, 0), 1.0, True), vision.Affine(0, (0, 0), 1.0, 1.0)),
    ],
)
def test_bools_and_zeros_that_count_as_numbers(odd, plain):
    pytest.importorskip("cv2")
    assert np.array_equal(odd(IMAGE), plain(IMAGE))


def test_bytes_of_an_encoder_asked_with_a_bool():
    pytest.importorskip("cv2")
    assert np.array_equal(vision.encode_png(IMAGE, True), vision.encode_png(IMAGE, 1))
    assert np.array_equal(vision.encode_jpeg(IMAGE, True), vision.encode_jpeg(IMAGE, 1))
    with pytest.raises(RuntimeError, match="quality"):
        vision.encode_jpeg(IMAGE, False)


@pytest.mark.parametrize(
    "make",
    [
        lambda: vision.RandomColorAdjust(hue=True),
        lambda: vision.RandomAffine(0, shear=False),
        lambda: vision.Resize(False),
    ],
)
def test_bools_out_of_range_are_value_errors(make):
    with pytest.raises(ValueError, match="^For '"):
        make()


@pytest.fixture
def eleven():
    before = dict(vars(ds.config._values))
    ds.config.set_seed(11)
    yield
    vars(ds.config._values).update(before)


def rows_of(columns, transform, names):
    data = ds.NumpySlicesDataset(columns, ["x", "y"][: len(columns)], shuffle=False)
    if len(columns) == 2:
        data = data.map(transforms.OneHot(8), "y").batch(8)
    return list(data.map(transform, names).create_tuple_iterator(num_epochs=1, output_numpy=True))


def test_lighting_is_drawn_as_c_floats_two_for_two_draws(eleven):
    """Observed with MindSpore 2.10; the second number of a pair is used by the next image."""
    images = [np.full((1, 1, 3), 100, np.uint8)] * 4
    found = [
        row[0].reshape(3).tolist() for row in rows_of((images,), vision.RandomLighting(0.5), ["x"])
    ]
    assert found == [[122, 122, 123], [96, 97, 99], [124, 124, 125], [103, 100, 100]]


@pytest.mark.parametrize(
    "alpha, share, partners",
    [
        (1.0, 0.0898, [5, 0, 7, 1, 2, 4, 6, 3]),
        (0.5, 0.89539, [1, 0, 5, 2, 3, 6, 7, 4]),
        (2.0, 0.22895, [5, 0, 7, 1, 2, 4, 6, 3]),
    ],
)
def test_mixed_batches_are_those_of_the_original(eleven, alpha, share, partners):
    """Observed with MindSpore 2.10: the proportion is drawn first, then the partners."""
    images = [np.full((2, 2, 3), 10 * i, np.uint8) for i in range(8)]
    ((_, labels),) = rows_of((images, np.arange(8)), vision.MixUpBatch(alpha), ["x", "y"])
    expected = np.eye(8) * share + np.eye(8)[partners] * (1 - share)
    close(labels.reshape(8, 8), expected, rtol=1e-7, atol=2e-5)


@pytest.mark.parametrize(
    "shape, alpha, prob, expected",
    [
        (
            (40, 30),
            1.0,
            1.0,
            [
                (5, 17, 0, 39, 14),
                (0, 19, 14, 39, 29),
                (1, 16, 0, 39, 15),
                (2, 30, 0, 39, 10),
                (6, 34, 2, 36, 4),
                (7, 8, 10, 30, 26),
                (3, 0, 4, 20, 29),
                (4, 12, 19, 39, 29),
            ],
        ),
        (
            (40, 30),
            0.5,
            0.7,
            [
                None,
                None,
                None,
                None,
                (6, 0, 0, 27, 23),
                None,
                (3, 25, 14, 39, 29),
                (4, 8, 16, 39, 29),
            ],
        ),
    ],
)
def test_cut_patches_are_those_of_the_original(eleven, shape, alpha, prob, expected):
    """Observed with MindSpore 2.10: partner, upper, left, lower and right edge."""
    images = [np.full((*shape, 3), 10 * i, np.uint8) for i in range(8)]
    cut = vision.CutMixBatch(ImageBatchFormat.NHWC, alpha, prob)
    ((mixed, labels),) = rows_of((images, np.arange(8)), cut, ["x", "y"])
    for channel, (image, label) in enumerate(zip(mixed[..., 0], labels.reshape(8, 8), strict=True)):
        ys, xs = np.nonzero(image != 10 * channel)
        if not len(ys):
            assert expected[channel] is None and label[channel] == 1
            continue
        found = ys.min(), xs.min(), ys.max() + 1, xs.max() + 1
        assert (image[ys[0], xs[0]] // 10, *found) == expected[channel]
        assert label[channel] == pytest.approx(1 - len(ys) / image.size, abs=1e-6)


def test_a_patch_has_a_pixel_at_least(eleven):
    images = [np.full((2, 2, 3), 10 * i, np.uint8) for i in range(8)]
    cut = vision.CutMixBatch(ImageBatchFormat.NHWC, 1.0, 1.0)
    ((mixed, _),) = rows_of((images, np.arange(8)), cut, ["x", "y"])
    for channel, image in enumerate(mixed[..., 0]):
        assert (image != 10 * channel).sum() == 1


@pytest.mark.parametrize(
    "count, expected", [(1, "H - I - I I"), (2, "H H IV V I V"), (3, "HV IV HV H H I")]
)
def test_uniform_augmentation_chooses_as_the_original(eleven, count, expected):
    """Observed with MindSpore 2.10: which of three changes each of six images gets."""
    image = np.random.RandomState(0).randint(0, 256, (5, 4, 3)).astype(np.uint8)
    changes = {"H": lambda x: x[:, ::-1], "I": lambda x: 255 - x, "V": lambda x: x[::-1]}
    augment = vision.UniformAugment(
        [vision.HorizontalFlip(), vision.Invert(), vision.VerticalFlip()], count
    )
    found = [row[0] for row in rows_of(([image] * 6,), augment, ["x"])]
    for names, made in zip(expected.split(), found, strict=True):
        wanted = image
        for name in names.strip("-"):
            wanted = changes[name](wanted)
        assert (made == wanted).all()


def test_automatic_augmentation_draws_as_the_original(eleven):
    """Observed with MindSpore 2.10: which of sixty images are left alone, and sums of some."""
    image = np.random.RandomState(0).randint(0, 256, (12, 12, 3)).astype(np.uint8)
    made = [row[0] for row in rows_of(([image] * 60,), vision.AutoAugment(), ["x"])]
    same = [channel for channel, each in enumerate(made) if (each == image).all()]
    assert same == [1, 26, 28, 34, 37, 39, 48, 55]
    assert [int(made[channel].sum()) for channel in (2, 5, 6, 12, 14, 16, 17, 21)] == [
        55148,
        55148,
        44144,
        43103,
        53019,
        51040,
        46111,
        30789,
    ]


def test_center_crop_puts_the_odd_row_of_padding_first():
    column = np.array([[[1]], [[2]]], np.uint8)
    assert vision.CenterCrop((3, 1))(column)[:, 0, 0].tolist() == [0, 1, 2]
    assert vision.CenterCrop((5, 1))(column)[:, 0, 0].tolist() == [0, 0, 1, 2, 0]
    assert vision.CenterCrop((1, 4))(column[:1])[0, :, 0].tolist() == [0, 0, 1, 0]
