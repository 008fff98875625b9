"""Pixel operations merged into one pass give the same bits and errors as separate ones."""

import io

import numpy as np
import pytest

import mindspore_compat.dataset as ds
from mindspore_compat.dataset import transforms, vision

PIXELS = np.random.default_rng(0).integers(0, 256, (12, 16, 3), np.uint8)


CHAINS = {
    "Normalize": lambda count: [vision.Normalize([123.7, 116.3, 103.5, 99.9][:count], STD[:count])],
    "one Normalize for all": lambda _: [vision.Normalize([123.7], [58.4])],
    "Rescale": lambda _: [vision.Rescale(1 / 255, 0.0)],
    "three": lambda count: [
        vision.Rescale(1 / 255, 0.0),
        vision.Rescale(1 / 0.3081, -0.1307 / 0.3081),
        vision.Normalize([0.1, 0.2, 0.3, 0.4][:count], STD[:count]),
    ],
}
STD = [58.4, 57.1, 57.4, 1.7]


def check_alike(operations, image, wanted):
    data = ds.GeneratorDataset([(image,)], "i").map(operations, "i")
    (found,) = next(data.create_tuple_iterator(num_epochs=1, output_numpy=True))
    assert found.dtype == wanted.dtype and found.flags.c_contiguous and found.flags.writeable
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
@pytest.mark.parametrize("chain", CHAINS)
def test_transforms_by_value_before_hwc2chw_give_the_same_bits_in_one_pass(channels, dtype, chain):
    image = np.random.default_rng(0).integers(0, 256, (16, 17, channels)).astype(dtype)
    operations = [*CHAINS[chain](channels), vision.HWC2CHW()]
    wanted = transforms.base.run(operations, (image,))
    assert len(transforms.base.fuse(operations)) == 1
    check_alike(operations, image, wanted)
    check_alike([vision.HorizontalFlip(), *operations], image[:, ::-1], wanted)


def test_what_scripts_define_is_called():
    class Darker(vision.Rescale):
        def __call__(self, image):
            return super().__call__(image) / 2

    operations = [Darker(1.0, 0.0), vision.HWC2CHW()]
    assert transforms.base.fuse(operations) == operations
    check_alike(operations, PIXELS, PIXELS.transpose(2, 0, 1).astype(np.float32) / 2)


def test_an_error_of_two_joined_transforms_names_the_one():
    pair = [vision.Normalize([1.0, 2.0], [1.0, 2.0]), vision.HWC2CHW()]
    data = ds.GeneratorDataset([(np.zeros((4, 4, 3), np.uint8),)], "i").map(pair, "i")
    with pytest.raises(RuntimeError, match="Normalize raised .* 'mean' and 'std'"):
        next(data.create_tuple_iterator(num_epochs=1))


@pytest.mark.parametrize("mode", ["RGB", "L", "CMYK"])
def test_jpeg_is_decoded_to_red_green_blue(monkeypatch, mode):
    image, cv2 = pytest.importorskip("PIL.Image"), pytest.importorskip("cv2")
    file = io.BytesIO()
    image.fromarray(PIXELS).convert(mode).save(file, "JPEG")
    content = np.frombuffer(file.getvalue(), np.uint8)
    found = vision.Decode()(content)
    np.testing.assert_array_equal(found, cv2.imdecode(content, cv2.IMREAD_COLOR)[..., ::-1])
    monkeypatch.delattr(cv2, "IMREAD_COLOR_RGB", raising=False)  # OpenCV before 4.11
    np.testing.assert_array_equal(vision.Decode()(content), found)
