"""Work on pixels that is done in one pass: the same bits, and the same errors, as one by one."""

import io

import numpy as np
import pytest

import mindspore_compat.dataset as ds
from mindspore_compat.dataset import vision

PIXELS = np.random.default_rng(0).integers(0, 256, (12, 16, 3), np.uint8)


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
@pytest.mark.parametrize("as_seen", ["whole", "mirrored"])
def test_normalize_before_hwc2chw_gives_the_same_bits_in_one_pass(channels, dtype, as_seen):
    image = np.random.default_rng(0).integers(0, 256, (16, 17, channels)).astype(dtype)
    image = image if as_seen == "whole" else image[:, ::-1]
    mean, std = [123.7, 116.3, 103.5, 99.9][:channels], [58.4, 57.1, 57.4, 1.7][:channels]
    pair = [vision.Normalize(mean, std), vision.HWC2CHW()]
    data = ds.GeneratorDataset([(image,)], "i").map(pair, "i")
    (found,) = next(data.create_tuple_iterator(num_epochs=1, output_numpy=True))
    wanted = pair[1](pair[0](image))
    assert found.dtype == np.float32 and found.flags.c_contiguous and found.flags.writeable
    np.testing.assert_array_equal(found, wanted)


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
