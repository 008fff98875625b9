"""PSROIPooling and PsROIPooling against explicit sums."""

import math

import numpy as np
import pytest
from kit.gradients import check_gradients

import mindspore_compat as ms
from mindspore_compat import Tensor, ops
from mindspore_compat.ops._image import roi_pooling
from mindspore_compat.ops.operations import _inner_ops

ROIS = np.array(
    [
        [0, 1.2, 2.6, 9.4, 8.0],
        [1, -3.0, 0.0, 30.0, 5.5],
        [0, 5.0, 5.0, 5.0, 5.0],
        [1, 40.0, 40.0, 50.0, 50.0],
    ]
)


def features(*shape):
    return np.random.default_rng(0).standard_normal(shape)


def by_hand(images, rois, scale, out, group):
    result = np.zeros((len(rois), out, group, group))
    for r, (image, *corners) in enumerate(rois):
        left, top, right, bottom = (math.copysign(math.floor(abs(c) + 0.5), c) for c in corners)
        left, top, right, bottom = (
            left * scale,
            top * scale,
            (right + 1) * scale,
            (bottom + 1) * scale,
        )
        wide, tall = (max(n, 0.1) / group for n in (right - left, bottom - top))
        for c in range(out):
            for i in range(group):
                for j in range(group):
                    rows = [
                        h
                        for h in range(images.shape[2])
                        if math.floor(i * tall + top) <= h < math.ceil((i + 1) * tall + top)
                    ]
                    columns = [
                        w
                        for w in range(images.shape[3])
                        if math.floor(j * wide + left) <= w < math.ceil((j + 1) * wide + left)
                    ]
                    if rows and columns:
                        channel = (c * group + i) * group + j
                        part = images[int(image), channel][np.ix_(rows, columns)]
                        result[r, c, i, j] = part.mean()
    return result


def test_means_of_bins():
    images = features(2, 12, 6, 8)
    made = _inner_ops.PsROIPooling(2, 2, 4, 0.5, 3, 2)
    out, channels = made(Tensor(images), Tensor(ROIS))
    # Both results are means of the same float64 numbers.
    np.testing.assert_allclose(out.asnumpy(), by_hand(images, ROIS, 0.5, 3, 2), 1e-12, 1e-12)
    assert channels.dtype == ms.int32
    np.testing.assert_array_equal(channels.asnumpy()[2].ravel(), np.arange(12))
    assert (out.asnumpy()[3] == 0).all()


def test_the_gradient():
    rois = Tensor(ROIS)
    check_gradients(
        lambda x: roi_pooling.ps_roi_pooling.run(x, rois, 2, 2, 4, 0.5, 1, 2)[0],
        features(2, 4, 5, 6),
    )


@pytest.mark.parametrize(
    "arguments, shape, rois",
    [
        ((2, 3, 4, 0.5, 3, 2), (2, 12, 6, 8), ROIS),
        ((2, 2, 3, 0.5, 3, 2), (2, 12, 6, 8), ROIS),
        ((2, 2, 4, 0.5, 3, 2), (2, 11, 6, 8), ROIS),
        ((2, 2, 4, 0.5, 3, 2), (12, 6, 8), ROIS),
        ((2, 2, 4, 0.0, 3, 2), (2, 12, 6, 8), ROIS),
    ],
)
def test_refusals(arguments, shape, rois):
    with pytest.raises(ValueError):
        _inner_ops.PsROIPooling(*arguments)(Tensor(features(*shape)), Tensor(rois))


def columns_of(corners):
    """Returns the Tensor of one region for each image, given its corners."""
    return Tensor([[[float(n)], *([corner] for corner in box)] for n, box in enumerate(corners)])


# The rows (and columns) that each bin averages, recorded from MindSpore 2.10 on a CPU:
# nn_ops.PSROIPooling(scale, group, 2)(x, columns_of(BOXES)), where x is 1 in one row or column and
# 0 elsewhere.
BOXES = {
    ((0.0, 0.0, 3.0, 3.0), 1.0, 1): [[0, 1, 2]],
    ((0.0, 0.0, 3.0, 3.0), 0.7, 1): [[0, 1]],
    ((0.0, 0.0, 3.0, 3.0), 1.0, 2): [[0, 1], [1, 2]],
    ((1.4, 1.4, 3.4, 3.4), 1.0, 1): [[1, 2]],
    ((1.6, 1.6, 3.6, 3.6), 1.0, 2): [[2], [3]],
    ((2.5, 2.5, 4.5, 4.5), 1.0, 1): [[3, 4]],
    ((4.0, 4.0, 2.0, 2.0), 1.0, 2): [[4], [4]],
    ((-1.0, -1.0, 2.0, 2.0), 1.0, 1): [[0, 1]],
    ((-0.4, -0.4, 9.0, 9.0), 1.0, 2): [[0, 1, 2, 3, 4], [4, 5, 6]],
}


@pytest.mark.parametrize("box, scale, group", BOXES)
def test_the_bins_of_regions(box, scale, group):
    images = features(1, 2 * group**2, 8, 8)
    bins = BOXES[box, scale, group]
    out = ops.PSROIPooling(scale, group, 2)(Tensor(images), columns_of([box]).astype(ms.float64))
    assert out.shape == (1, 2, group, group)
    for c, i, j in np.ndindex(2, group, group):
        part = images[0, (c * group + i) * group + j][np.ix_(bins[i], bins[j])]
        # Both results are means of at most 25 float64 numbers.
        np.testing.assert_allclose(out.asnumpy()[0, c, i, j], part.mean(), 1e-12, 1e-12)


def test_regions_of_several_images_and_their_gradient():
    boxes = Tensor(np.moveaxis(np.tile(ROIS[:2], (2, 1, 1)), 1, 2))
    images = features(2, 4, 6, 8)
    out = ops.PSROIPooling(0.5, 2, 1)(Tensor(images), boxes)
    assert out.shape == (4, 1, 2, 2)
    np.testing.assert_array_equal(out.asnumpy()[:2], out.asnumpy()[2:])
    check_gradients(lambda x: ops.PSROIPooling(0.5, 2, 1)(x, boxes), images)
    back = ops.operations._grad_ops.PSROIPoolingGrad((6, 8), 0.5, 2, 1)(out, boxes)
    assert back.shape == images.shape


@pytest.mark.parametrize(
    "settings, shape, rois, error",
    [
        ((1.0, 2, 4), (1, 12, 6, 6), (1, 5, 1), ValueError),
        ((1.0, 2, 3), (1, 12, 6, 6), (1, 4, 1), ValueError),
        ((1.0, 2, 3), (1, 12, 6, 6), (2, 5, 1), ValueError),
        ((1.0, 2, 3), (1, 12, 6, 6), (1, 5), ValueError),
        ((1.0, 2, 3), (12, 6, 6), (1, 5, 1), ValueError),
        ((0.0, 2, 3), (1, 12, 6, 6), (1, 5, 1), ValueError),
        ((1.0, 0, 3), (1, 12, 6, 6), (1, 5, 1), ValueError),
        ((1, 2, 3), (1, 12, 6, 6), (1, 5, 1), TypeError),
        ((1.0, 2, 3.0), (1, 12, 6, 6), (1, 5, 1), TypeError),
    ],
)
def test_what_regions_of_images_refuse(settings, shape, rois, error):
    with pytest.raises(error):
        ops.PSROIPooling(*settings)(Tensor(features(*shape)), Tensor(np.ones(rois)))


@pytest.mark.parametrize("size", [(2, 3), (1, 1)])
def test_the_gradient_of_crops_for_their_boxes(size):
    draw = np.random.default_rng(3)
    images = Tensor(draw.random((2, 5, 4, 3)).astype(np.float32))
    boxes = np.array([[0.1, 0.2, 0.8, 0.9], [0.3, 0.25, 0.6, 0.7]], np.float32)
    given = Tensor(draw.random((2, *size, 3)).astype(np.float32))
    indices = Tensor(np.array([0, 1], np.int32))

    def weighted(corners):
        crops = ops.crop_and_resize(images, Tensor(corners), indices, size)
        return (crops.asnumpy().astype(np.float64) * given.asnumpy()).sum()

    found = ops.CropAndResizeGradBoxes()(given, images, Tensor(boxes), indices).asnumpy()
    assert found.dtype == np.float32
    for at in np.ndindex(2, 4):
        step = np.zeros((2, 4), np.float32)
        step[at] = 1e-3
        gradient = (weighted(boxes + step) - weighted(boxes - step)) / 2e-3
        # A difference of float32 numbers over a step of 1e-3.
        np.testing.assert_allclose(found[at], gradient, rtol=2e-2, atol=1e-2)
