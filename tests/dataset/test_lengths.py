"""The kind of error for a sequence of another length: that of 2.10."""

import pytest

from mindspore_compat.dataset import text, vision


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: vision.CenterCrop([]), TypeError),
        (lambda: vision.RandomResizedCrop(3, scale=(0.1, 0.5, 0.9)), TypeError),
        (lambda: vision.RandomAffine(3, translate=[]), TypeError),
        (lambda: vision.RandomColorAdjust(hue=(0.1,)), TypeError),
        (lambda: vision.GaussianBlur(3, sigma=[]), TypeError),
        (lambda: vision.Rotate(3, fill_value=(1, 2)), TypeError),
        (lambda: vision.Pad([]), ValueError),
        (lambda: vision.PadToSize([]), ValueError),
        (lambda: vision.RandomColor([]), ValueError),
        (lambda: vision.RandomErasing(value=[]), ValueError),
        (lambda: vision.Rotate(3, center=(1,)), ValueError),
        (lambda: vision.RandomRotation(3, center=(1, 2, 3)), ValueError),
    ],
)
def test_the_kind_of_error_for_another_length(call, error):
    with pytest.raises(error, match="^For '"):
        call()


@pytest.mark.parametrize(
    "call",
    [
        *(lambda n=n: text.Ngram(n) for n in (None, "a", 0.5, (1, 2), {}, object())),
        lambda: vision.Rotate(3, center="a"),
        lambda: vision.RandomRotation(3, center=[]),
    ],
)
def test_the_pages_name_a_type_error(call):
    with pytest.raises(TypeError, match="must be"):
        call()
