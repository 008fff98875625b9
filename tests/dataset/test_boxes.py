"""Transforms of images with boxes: the results that MindSpore 2.10 printed with the same seeds."""

import numpy as np
import pytest

from mindspore_compat import dataset as ds
from mindspore_compat.dataset import transforms, vision

pytestmark = pytest.mark.quick

IMAGE = np.arange(48, dtype=np.uint8).reshape(6, 8, 1)
BOXES = np.array([[1, 0, 3, 2], [4, 2, 4, 4], [0, 3, 2, 2.5]], np.float32)
CASES = [
    (
        "RandomHorizontalFlipWithBBox(0.5)",
        1,
        [
            [0, 1, 2, 3, 4, 5, 6, 7],
            [8, 9, 10, 11, 12, 13, 14, 15],
            [16, 17, 18, 19, 20, 21, 22, 23],
            [24, 25, 26, 27, 28, 29, 30, 31],
            [32, 33, 34, 35, 36, 37, 38, 39],
            [40, 41, 42, 43, 44, 45, 46, 47],
        ],
        [[1.0, 0.0, 3.0, 2.0], [4.0, 2.0, 4.0, 4.0], [0.0, 3.0, 2.0, 2.5]],
    ),
    (
        "RandomHorizontalFlipWithBBox(0.5)",
        4,
        [
            [0, 1, 2, 3, 4, 5, 6, 7],
            [8, 9, 10, 11, 12, 13, 14, 15],
            [16, 17, 18, 19, 20, 21, 22, 23],
            [24, 25, 26, 27, 28, 29, 30, 31],
            [32, 33, 34, 35, 36, 37, 38, 39],
            [40, 41, 42, 43, 44, 45, 46, 47],
        ],
        [[1.0, 0.0, 3.0, 2.0], [4.0, 2.0, 4.0, 4.0], [0.0, 3.0, 2.0, 2.5]],
    ),
    (
        "RandomVerticalFlipWithBBox(0.5)",
        1,
        [
            [0, 1, 2, 3, 4, 5, 6, 7],
            [8, 9, 10, 11, 12, 13, 14, 15],
            [16, 17, 18, 19, 20, 21, 22, 23],
            [24, 25, 26, 27, 28, 29, 30, 31],
            [32, 33, 34, 35, 36, 37, 38, 39],
            [40, 41, 42, 43, 44, 45, 46, 47],
        ],
        [[1.0, 0.0, 3.0, 2.0], [4.0, 2.0, 4.0, 4.0], [0.0, 3.0, 2.0, 2.5]],
    ),
    (
        "RandomVerticalFlipWithBBox(0.5)",
        4,
        [
            [0, 1, 2, 3, 4, 5, 6, 7],
            [8, 9, 10, 11, 12, 13, 14, 15],
            [16, 17, 18, 19, 20, 21, 22, 23],
            [24, 25, 26, 27, 28, 29, 30, 31],
            [32, 33, 34, 35, 36, 37, 38, 39],
            [40, 41, 42, 43, 44, 45, 46, 47],
        ],
        [[1.0, 0.0, 3.0, 2.0], [4.0, 2.0, 4.0, 4.0], [0.0, 3.0, 2.0, 2.5]],
    ),
    (
        "ResizeWithBBox((3, 4))",
        1,
        [[5, 7, 9, 11], [21, 23, 25, 27], [37, 39, 41, 43]],
        [[0.5, 0.0, 1.5, 1.0], [2.0, 1.0, 2.0, 2.0], [0.0, 1.5, 1.0, 1.25]],
    ),
    (
        "ResizeWithBBox((3, 4))",
        4,
        [[5, 7, 9, 11], [21, 23, 25, 27], [37, 39, 41, 43]],
        [[0.5, 0.0, 1.5, 1.0], [2.0, 1.0, 2.0, 2.0], [0.0, 1.5, 1.0, 1.25]],
    ),
    (
        "ResizeWithBBox(4, vision.Inter.NEAREST)",
        1,
        [[0, 1, 3, 4, 6], [8, 9, 11, 12, 14], [24, 25, 27, 28, 30], [32, 33, 35, 36, 38]],
        [
            [0.625, 0.0, 1.875, 1.3333333730697632],
            [2.5, 1.3333333730697632, 2.5, 2.6666667461395264],
            [0.0, 2.0, 1.25, 1.6666667461395264],
        ],
    ),
    (
        "ResizeWithBBox(4, vision.Inter.NEAREST)",
        4,
        [[0, 1, 3, 4, 6], [8, 9, 11, 12, 14], [24, 25, 27, 28, 30], [32, 33, 35, 36, 38]],
        [
            [0.625, 0.0, 1.875, 1.3333333730697632],
            [2.5, 1.3333333730697632, 2.5, 2.6666667461395264],
            [0.0, 2.0, 1.25, 1.6666667461395264],
        ],
    ),
    (
        "RandomResizeWithBBox((3, 2))",
        1,
        [[0, 4], [16, 20], [32, 36]],
        [[0.25, 0.0, 0.75, 1.0], [1.0, 1.0, 1.0, 2.0], [0.0, 1.5, 0.5, 1.25]],
    ),
    (
        "RandomResizeWithBBox((3, 2))",
        4,
        [[6, 10], [22, 26], [38, 42]],
        [[0.25, 0.0, 0.75, 1.0], [1.0, 1.0, 1.0, 2.0], [0.0, 1.5, 0.5, 1.25]],
    ),
    (
        "RandomCropWithBBox((3, 4))",
        1,
        [[26, 27, 28, 29], [34, 35, 36, 37], [42, 43, 44, 45]],
        [[2.0, 0.0, 2.0, 3.0], [0.0, 0.0, 0.0, 2.5]],
    ),
    (
        "RandomCropWithBBox((3, 4))",
        4,
        [[28, 29, 30, 31], [36, 37, 38, 39], [44, 45, 46, 47]],
        [[0.0, 0.0, 4.0, 3.0]],
    ),
    (
        "RandomCropWithBBox((2, 3), [1, 2, 0, 1], fill_value=9)",
        1,
        [[41, 42, 43], [9, 9, 9]],
        [[3.0, 0.0, 0.0, 1.0], [0.0, 0.0, 1.0, 0.5]],
    ),
    (
        "RandomCropWithBBox((2, 3), [1, 2, 0, 1], fill_value=9)",
        4,
        [[45, 46, 47], [9, 9, 9]],
        [[0.0, 0.0, 3.0, 1.0]],
    ),
    (
        "RandomCropWithBBox(2, 1, padding_mode=vision.Border.EDGE)",
        1,
        [[42, 43], [42, 43]],
        [[2.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 0.5]],
    ),
    (
        "RandomCropWithBBox(2, 1, padding_mode=vision.Border.EDGE)",
        4,
        [[47, 47], [47, 47]],
        [[0.0, 0.0, 1.0, 1.0]],
    ),
    (
        "RandomResizedCropWithBBox((2, 3))",
        1,
        [[22, 24, 26], [38, 40, 42]],
        [
            [0.0, 0.0, 1.2000000476837158, 0.0],
            [1.2000000476837158, 0.0, 1.8000000715255737, 2.0],
            [0.0, 0.5, 0.0, 1.25],
        ],
    ),
    (
        "RandomResizedCropWithBBox((2, 3))",
        4,
        [[9, 12, 14], [33, 36, 38]],
        [
            [0.375, 0.0, 1.125, 0.6666666865348816],
            [1.5, 0.6666666865348816, 1.5, 1.3333333730697632],
            [0.0, 1.0, 0.75, 0.8333333730697632],
        ],
    ),
    (
        "RandomResizedCropWithBBox((2, 2), (0.5, 0.5), (0.5, 0.5))",
        1,
        [[12, 14], [36, 38]],
        [[0.0, 0.0, 0.0, 0.6666666865348816], [0.0, 0.6666666865348816, 2.0, 1.3333333730697632]],
    ),
    (
        "RandomResizedCropWithBBox((2, 2), (0.5, 0.5), (0.5, 0.5))",
        4,
        [[11, 13], [35, 37]],
        [
            [0.0, 0.0, 0.6666666865348816, 0.6666666865348816],
            [0.6666666865348816, 0.6666666865348816, 1.3333333730697632, 1.3333333730697632],
        ],
    ),
    (
        "BoundingBoxAugment(vision.HorizontalFlip(), 0.5)",
        1,
        [
            [0, 3, 2, 1, 4, 5, 6, 7],
            [8, 11, 10, 9, 12, 13, 14, 15],
            [16, 17, 18, 19, 20, 21, 22, 23],
            [24, 25, 26, 27, 28, 29, 30, 31],
            [32, 33, 34, 35, 36, 37, 38, 39],
            [40, 41, 42, 43, 44, 45, 46, 47],
        ],
        [[1.0, 0.0, 3.0, 2.0], [4.0, 2.0, 4.0, 4.0], [0.0, 3.0, 2.0, 2.5]],
    ),
    (
        "BoundingBoxAugment(vision.HorizontalFlip(), 0.5)",
        4,
        [
            [0, 1, 2, 3, 4, 5, 6, 7],
            [8, 9, 10, 11, 12, 13, 14, 15],
            [16, 17, 18, 19, 20, 21, 22, 23],
            [24, 25, 26, 27, 28, 29, 30, 31],
            [32, 33, 34, 35, 36, 37, 38, 39],
            [40, 41, 42, 43, 44, 45, 46, 47],
        ],
        [[1.0, 0.0, 3.0, 2.0], [4.0, 2.0, 4.0, 4.0], [0.0, 3.0, 2.0, 2.5]],
    ),
    (
        "BoundingBoxAugment(vision.Resize((1, 1)), 0.7)",
        1,
        [
            [0, 6, 6, 6, 4, 5, 6, 7],
            [8, 6, 6, 6, 12, 13, 14, 15],
            [16, 17, 18, 19, 20, 21, 22, 23],
            [24, 25, 26, 27, 28, 29, 30, 31],
            [32, 33, 34, 35, 36, 37, 38, 39],
            [40, 41, 42, 43, 44, 45, 46, 47],
        ],
        [[1.0, 0.0, 3.0, 2.0], [4.0, 2.0, 4.0, 4.0], [0.0, 3.0, 2.0, 2.5]],
    ),
    (
        "BoundingBoxAugment(vision.Resize((1, 1)), 0.7)",
        4,
        [
            [0, 1, 2, 3, 4, 5, 6, 7],
            [8, 9, 10, 11, 12, 13, 14, 15],
            [16, 17, 18, 19, 20, 21, 22, 23],
            [29, 29, 26, 27, 28, 29, 30, 31],
            [29, 29, 34, 35, 36, 37, 38, 39],
            [40, 41, 42, 43, 44, 45, 46, 47],
        ],
        [[1.0, 0.0, 3.0, 2.0], [4.0, 2.0, 4.0, 4.0], [0.0, 3.0, 2.0, 2.5]],
    ),
]
ALL = [
    vision.RandomHorizontalFlipWithBBox(),
    vision.RandomVerticalFlipWithBBox(),
    vision.ResizeWithBBox(4),
    vision.RandomResizeWithBBox((5, 6)),
    vision.RandomCropWithBBox(4),
    vision.RandomResizedCropWithBBox(4),
    vision.BoundingBoxAugment(vision.HorizontalFlip()),
]


def named(operation):
    return type(operation).__name__


@pytest.fixture(autouse=True)
def seed():
    before = ds.config.get_seed()
    yield
    ds.config.set_seed(before)


@pytest.mark.parametrize("call, seed, image, boxes", CASES)
def test_a_seed_gives_the_image_and_the_boxes_of_the_original(call, seed, image, boxes):
    ds.config.set_seed(seed)
    given = IMAGE.copy(), BOXES.copy()
    found = eval(call, {"vision": vision}, vars(vision))(*given)
    assert found[0][..., 0].tolist() == image
    assert found[1].tolist() == np.array(boxes, np.float32).tolist()
    assert found[1].dtype == np.float32
    assert (given[0] == IMAGE).all() and (given[1] == BOXES).all()


def test_boxes_go_through_a_pipeline_with_the_image_and_keep_further_columns():
    boxes = np.column_stack([BOXES, [7, 8, 9]]).astype(np.float32)
    rows = ds.GeneratorDataset([(IMAGE, boxes)] * 3, ["image", "boxes"], shuffle=False)
    rows = rows.map(vision.RandomVerticalFlipWithBBox(1.0), ["image", "boxes"])
    for image, found in rows.create_tuple_iterator(num_epochs=1, output_numpy=True):
        assert (image == IMAGE[::-1]).all()
        assert found.tolist() == [[1, 4, 3, 2, 7], [4, 0, 4, 4, 8], [0, 0.5, 2, 2.5, 9]]


def test_boxes_follow_the_borders_that_a_small_image_needs():
    crop = vision.RandomCropWithBBox((9, 12), pad_if_needed=True)
    for _ in range(9):
        image, boxes = crop(IMAGE + 1, np.array([[2, 1, 1, 1]], np.float32))
        (top, left), *_ = np.argwhere(image[..., 0] == IMAGE[1, 2, 0] + 1)
        assert boxes.tolist() == [[left, top, 1, 1]]


def test_a_region_without_boxes_gives_none():
    ds.config.set_seed(1)
    crop = vision.RandomCropWithBBox((6, 2), [90, 0, 0, 0])
    assert crop(IMAGE, BOXES)[1].shape == (0, 4)


@pytest.mark.parametrize("operation", ALL, ids=named)
@pytest.mark.parametrize(
    "image, boxes",
    [
        (IMAGE, BOXES[0]),
        (IMAGE, BOXES[:, :3]),
        (IMAGE, BOXES[:0]),
        (IMAGE, BOXES.astype(np.float64)),
        (IMAGE, np.array([[-1, 0, 2, 2]], np.float32)),
        (IMAGE, np.array([[6, 0, 3, 2]], np.float32)),
        (IMAGE, np.array([[0, 5, 3, 1.5]], np.float32)),
        (IMAGE.ravel(), BOXES),
        (IMAGE[None], BOXES),
    ],
)
def test_what_are_no_boxes_in_an_image_is_refused(operation, image, boxes):
    with pytest.raises(RuntimeError, match=f"^For '{named(operation)}'"):
        operation(image, boxes)


@pytest.mark.parametrize("operation", ALL, ids=named)
def test_an_image_without_boxes_is_refused(operation):
    with pytest.raises(RuntimeError, match="two inputs"):
        operation(IMAGE)
    with pytest.raises(TypeError):
        operation(IMAGE.tolist(), BOXES.tolist())


@pytest.mark.parametrize(
    "make, kind",
    [
        (lambda: vision.RandomHorizontalFlipWithBBox("a"), TypeError),
        (lambda: vision.RandomVerticalFlipWithBBox(1.5), ValueError),
        (lambda: vision.ResizeWithBBox(0), ValueError),
        (lambda: vision.ResizeWithBBox(5, 1), TypeError),
        (lambda: vision.RandomResizeWithBBox("a"), TypeError),
        (lambda: vision.RandomCropWithBBox(4, -1), ValueError),
        (lambda: vision.RandomCropWithBBox(4, None, 1), TypeError),
        (lambda: vision.RandomResizedCropWithBBox(5, (1, 0.5)), ValueError),
        (lambda: vision.RandomResizedCropWithBBox(5, max_attempts=0), ValueError),
        (lambda: vision.BoundingBoxAugment(1), TypeError),
        (lambda: vision.BoundingBoxAugment(lambda x: x), TypeError),
        (lambda: vision.BoundingBoxAugment(vision.ToPIL()), TypeError),
        (lambda: vision.BoundingBoxAugment(vision.Invert(), "a"), TypeError),
        (lambda: vision.BoundingBoxAugment(vision.Invert(), True), TypeError),
        (lambda: vision.BoundingBoxAugment(transforms.Fill(3), 1.5), ValueError),
    ],
)
def test_wrong_arguments_are_refused(make, kind):
    with pytest.raises(kind):
        make()
