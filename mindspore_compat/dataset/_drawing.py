"""`dataset.utils.imshow_det_bbox`: draws boxes, masks and labels on an image with OpenCV."""

import os

import numpy as np

from .._io.files import atomic_write
from ._extra import opencv

_API = "imshow_det_bbox"
_ESCAPE = 27


def imshow_det_bbox(
    image,
    bboxes,
    labels,
    segm=None,
    class_names=None,
    score_threshold=0,
    bbox_color=(0, 255, 0),
    text_color=(203, 192, 255),
    mask_color=(128, 0, 128),
    thickness=2,
    font_size=0.8,
    show=True,
    win_name="win",
    wait_time=2000,
    out_file=None,
):
    """Draws bounding boxes, masks and labels on an image, shows the image and saves it to a file.

    Colours are (blue, green, red). The input image stays unchanged. Contrary to its documentation,
    MindSpore 2.10 refuses a call without `class_names`, or without both a window and a file.

    Args:
        image (numpy.ndarray): uint8 of shape (height, width, 3) or (3, height, width), RGB.
        bboxes (numpy.ndarray): one box per row: x and y of the upper left corner, width, height
            and, optionally, the score.
        labels (numpy.ndarray): the class index of each box, of shape (boxes, 1).
        segm (numpy.ndarray, optional): a mask for each box, of shape (masks, height, width); where
            it is not 0, the image is blended with `mask_color`, half of each.
        class_names (Union[list[str], tuple[str], dict], optional): class names by index; a class
            without a name is shown as "class 7", for example.
        score_threshold (float, optional): boxes with lower scores are not drawn.
        bbox_color (tuple[int], optional): the colour of boxes.
        text_color (tuple[int], optional): the colour of text.
        mask_color (tuple[int], optional): the colour of masks.
        thickness (int, optional): the line width in pixels.
        font_size (Union[int, float], optional): the size of text.
        show (bool, optional): whether to show the image; OpenCV must be able to open windows.
        win_name (str, optional): the name of the window.
        wait_time (int, optional): the maximum time in milliseconds that the window waits; any key
            ends the wait, and Esc closes the window.
        out_file (str, optional): the file; its extension gives the format.

    Returns:
        numpy.ndarray, the annotated image: uint8 of shape (height, width, 3), BGR.

    Raises:
        AssertionError: if an argument is not as described.
        OSError: if the file cannot be written.
        ImportError: if OpenCV is not installed.

    Example:
        >>> import numpy as np
        >>> from mindspore_compat.dataset.utils import imshow_det_bbox
        >>> image, boxes = np.zeros((20, 30, 3), np.uint8), np.array([[2, 3, 20, 10]])
        >>> drawn = imshow_det_bbox(image, boxes, np.array([[0]]), class_names=["cat"], show=False)
        >>> drawn[3, 2]
        array([  0, 255,   0], dtype=uint8)

    Source: mindspore.dataset.utils.imshow_det_bbox of MindSpore 2.10.
    """
    _check_data(image, bboxes, labels, segm)
    _check_style(class_names, bbox_color, text_color, mask_color, thickness, font_size)
    _check_output(show, win_name, wait_time, out_file)
    if score_threshold > 0:
        _require(
            bboxes.shape[1] == 5,
            "bboxes",
            "boxes with scores, where 'score_threshold' is set",
            bboxes,
        )
    cv2 = opencv(_API)
    canvas = cv2.cvtColor(_channels_last(image), cv2.COLOR_RGB2BGR)
    for index, (x, y, width, height, *score) in enumerate(bboxes):
        if score and float(score[0]) < score_threshold:
            continue
        low, high = (int(x), int(y)), (int(x + width), int(y + height))
        cv2.rectangle(canvas, low, high, bbox_color, thickness)
        title = "|".join([_name(class_names, int(labels[index, 0])), *map("{:.2f}".format, score)])
        font = cv2.FONT_HERSHEY_SIMPLEX
        cv2.putText(canvas, title, (low[0], high[1]), font, font_size, text_color, thickness)
        if segm is not None:
            inside = segm[index].astype(bool)
            canvas[inside] = canvas[inside] * 0.5 + np.array(mask_color) * 0.5
    if show:
        _show(cv2, canvas, win_name, wait_time)
    if out_file is not None:
        _write(cv2, canvas, out_file)
    return canvas


def _name(class_names, label):
    """Returns the label text of a class."""
    if isinstance(class_names, dict):
        is_named = label in class_names
    else:
        is_named = class_names is not None and 0 <= label < len(class_names)
    return class_names[label] if is_named else f"class {label}"


def _show(cv2, image, name, wait_time):
    cv2.imshow(name, image)
    if cv2.waitKey(wait_time) == _ESCAPE:
        cv2.destroyAllWindows()


def _write(cv2, image, path):
    content = cv2.imencode(os.path.splitext(path)[1], image)[1]
    with atomic_write(path) as file:
        file.write(content.tobytes())


# Checks -------------------------------------------------------------------------------------------


def _require(condition, name, requirement, got):
    if not condition:
        description = f"shape {got.shape} and dtype {got.dtype}" if _is_array(got) else repr(got)
        raise AssertionError(
            f"For '{_API}', '{name}' must be {requirement}, but got {description}."
        )


def _is_array(value):
    return isinstance(value, np.ndarray)


def _channels_last(image):
    """Returns the image as a contiguous array (height, width, channels)."""
    return np.ascontiguousarray(image.transpose(1, 2, 0) if image.shape[0] == 3 else image)


def _check_data(image, bboxes, labels, segm):
    has_channels = _is_array(image) and image.ndim == 3 and 3 in (image.shape[0], image.shape[2])
    _require(
        has_channels and image.dtype == np.uint8,
        "image",
        "uint8 of shape (height, width, 3) or (3, height, width)",
        image,
    )
    _require(
        _is_array(bboxes) and bboxes.ndim == 2 and bboxes.shape[1] in (4, 5),
        "bboxes",
        "an array of shape (boxes, 4) or (boxes, 5)",
        bboxes,
    )
    _require(
        _is_array(labels) and labels.shape == (len(bboxes), 1),
        "labels",
        f"an array of shape ({len(bboxes)}, 1)",
        labels,
    )
    if segm is not None:
        size = _channels_last(image).shape[:2]
        _require(
            _is_array(segm)
            and segm.ndim == 3
            and segm.shape[1:] == size
            and len(segm) >= len(bboxes),
            "segm",
            f"an array of at least {len(bboxes)} masks of shape {size}",
            segm,
        )


def _check_style(class_names, bbox_color, text_color, mask_color, thickness, font_size):
    _require(
        class_names is None or isinstance(class_names, (list, tuple, dict)),
        "class_names",
        "a list, a tuple or a dict",
        class_names,
    )
    for name, color in (
        ("bbox_color", bbox_color),
        ("text_color", text_color),
        ("mask_color", mask_color),
    ):
        _require(
            isinstance(color, tuple) and len(color) == 3, name, "a tuple of three numbers", color
        )
    _require(type(thickness) is int and thickness >= 0, "thickness", "an int >= 0", thickness)
    _require(
        type(font_size) in (int, float) and font_size >= 0, "font_size", "a number >= 0", font_size
    )


def _check_output(show, win_name, wait_time, out_file):
    _require(type(show) is bool, "show", "a bool", show)
    _require(isinstance(win_name, str), "win_name", "a str", win_name)
    _require(type(wait_time) is int and wait_time >= 0, "wait_time", "an int >= 0", wait_time)
    _require(
        out_file is None or isinstance(out_file, str) and opencv(_API).haveImageWriter(out_file),
        "out_file",
        "a file with an ending that OpenCV can write",
        out_file,
    )
