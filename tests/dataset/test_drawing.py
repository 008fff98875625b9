"""Boxes drawn on an image, as MindSpore 2.10 draws them with the same OpenCV."""

import numpy as np
import pytest

from mindspore_compat.dataset.utils import imshow_det_bbox

cv2 = pytest.importorskip("cv2")
pytestmark = pytest.mark.quick

IMAGE = (np.arange(60 * 200 * 3) % 251).astype(np.uint8).reshape(60, 200, 3)
BOXES = np.array([[5, 6, 30, 20], [40.6, 10.4, 20.5, 30.2], [60, 2, 20, 20]], np.float32)
SCORED = np.column_stack([BOXES, [0.9, 0.3, 0.8]]).astype(np.float32)
LABELS = np.array([[0], [1], [7]])
MASKS = np.zeros((3, 60, 200), np.uint8)
MASKS[0, 5:20, 5:50] = MASKS[1, 20:40, 30:70] = 1
MASKS[2, :, 50:80] = 7
CORNERS = [((5, 6), (35, 26)), ((40, 10), (61, 40)), ((60, 2), (80, 22))]
GREEN, PINK, PURPLE = (0, 255, 0), (203, 192, 255), (128, 0, 128)


def expected(which, titles, masks=None, thickness=2, size=0.8, colors=(GREEN, PINK)):
    """What OpenCV draws for some boxes."""
    drawn = cv2.cvtColor(IMAGE, cv2.COLOR_RGB2BGR)
    for index, title in zip(which, titles, strict=True):
        low, high = CORNERS[index]
        cv2.rectangle(drawn, low, high, colors[0], thickness)
        cv2.putText(drawn, title, (low[0], high[1]), 0, size, colors[1], thickness)
        if masks is not None:
            drawn[masks[index] > 0] = drawn[masks[index] > 0] * 0.5 + np.array(PURPLE) * 0.5
    return drawn


@pytest.mark.parametrize("names", [["cat", "dog"], ("cat", "dog"), {0: "cat", 1: "dog"}])
def test_boxes_are_drawn_with_the_names_of_their_classes(names):
    before = IMAGE.copy()
    for image in (IMAGE, IMAGE.transpose(2, 0, 1)):
        found = imshow_det_bbox(image, BOXES, LABELS, class_names=names, show=False)
        np.testing.assert_array_equal(found, expected(range(3), ["cat", "dog", "class 7"]))
    assert (IMAGE == before).all()
    found = imshow_det_bbox(IMAGE, BOXES, LABELS, show=False)
    np.testing.assert_array_equal(found, expected(range(3), ["class 0", "class 1", "class 7"]))


@pytest.mark.parametrize(
    "threshold, which", [(0, (0, 1, 2)), (0.3, (0, 1, 2)), (0.8, (0, 2)), (0.9, ())]
)
def test_boxes_with_lower_scores_are_left_out(threshold, which):
    titles = ["cat|0.90", "cat|0.30", "cat|0.80"]
    found = imshow_det_bbox(
        IMAGE, SCORED, LABELS * 0, MASKS, ["cat"], score_threshold=threshold, show=False
    )
    wanted = expected(which, [titles[index] for index in which], MASKS)
    np.testing.assert_array_equal(found, wanted)


def test_the_style_and_the_file_are_as_asked_for(tmp_path):
    path = tmp_path / "drawn.png"
    colors = (1, 2, 3), (9, 8, 7)
    found = imshow_det_bbox(
        IMAGE,
        BOXES,
        LABELS,
        class_names=["cat", "dog"],
        bbox_color=colors[0],
        text_color=colors[1],
        thickness=1,
        font_size=0.5,
        show=False,
        out_file=str(path),
    )
    wanted = expected(range(3), ["cat", "dog", "class 7"], None, 1, 0.5, colors)
    np.testing.assert_array_equal(found, wanted)
    np.testing.assert_array_equal(cv2.imread(str(path)), wanted)
    with pytest.raises(OSError):
        imshow_det_bbox(IMAGE, BOXES, LABELS, show=False, out_file=str(tmp_path / "no" / "x.png"))


@pytest.mark.parametrize("key, closes", [(27, True), (13, False)])
def test_a_window_shows_the_image_until_a_key_is_pressed(monkeypatch, key, closes):
    calls = []
    monkeypatch.setattr(cv2, "imshow", lambda name, image: calls.append((name, image.shape)))
    monkeypatch.setattr(cv2, "waitKey", lambda time: calls.append(time) or key)
    monkeypatch.setattr(cv2, "destroyAllWindows", lambda: calls.append("closed"))
    imshow_det_bbox(IMAGE, BOXES, LABELS, win_name="boxes", wait_time=5)
    assert calls == [("boxes", IMAGE.shape), 5, *(["closed"] if closes else [])]


@pytest.mark.parametrize(
    "wrong",
    [
        {"image": IMAGE[..., :1]},
        {"image": IMAGE[..., 0]},
        {"image": IMAGE.tolist()},
        {"image": IMAGE.astype(np.float32)},
        {"bboxes": BOXES[:, :3]},
        {"bboxes": BOXES[0]},
        {"bboxes": BOXES.tolist()},
        {"labels": LABELS[:, 0]},
        {"labels": LABELS[:1]},
        {"segm": MASKS[0]},
        {"segm": MASKS[:, :50]},
        {"segm": MASKS[:2]},
        {"class_names": "cat"},
        {"class_names": {"cat"}},
        {"bbox_color": [1, 2, 3]},
        {"text_color": (1, 2)},
        {"mask_color": None},
        {"score_threshold": 0.5},
        {"thickness": 1.5},
        {"thickness": -1},
        {"font_size": "a"},
        {"font_size": -1},
        {"show": 1},
        {"win_name": 1},
        {"wait_time": -1},
        {"out_file": 1},
        {"out_file": "drawn.foo"},
    ],
    ids=lambda wrong: next(iter(wrong)),
)
def test_wrong_arguments_are_refused(wrong):
    arguments = {"image": IMAGE, "bboxes": BOXES, "labels": LABELS, "show": False} | wrong
    with pytest.raises(AssertionError, match="^For 'imshow_det_bbox', '"):
        imshow_det_bbox(**arguments)
