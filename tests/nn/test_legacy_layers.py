"""Layers of MindSpore 1 that 2.10 no longer has: ResizeBilinear, and its primitive."""

import numpy as np
import pytest

from mindspore_compat import Tensor, float16, grad, nn, ops

X = np.arange(24, dtype=np.float32).reshape(1, 2, 3, 4) ** 2


@pytest.mark.parametrize("half_pixel, align", [(False, False), (False, True), (True, False)])
def test_it_is_the_primitive_of_today(half_pixel, align):
    today = ops.ResizeBilinearV2(align, half_pixel)(Tensor(X), (6, 8)).asnumpy()
    layer = nn.ResizeBilinear(half_pixel_centers=half_pixel)
    for found in (
        layer(Tensor(X), size=(6, 8), align_corners=align),
        layer(Tensor(X), None, 2, align),
        ops.ResizeBilinear((6, 8), align, half_pixel)(Tensor(X)),
    ):
        np.testing.assert_array_equal(found.asnumpy(), today)


def test_values_dtype_and_gradient():
    x = Tensor(np.array([[[[1, 2], [3, 4]]]], np.float16))
    found = ops.ResizeBilinear([2, 4])(x)
    assert found.dtype == float16
    np.testing.assert_array_equal(found.asnumpy(), [[[[1, 1.5, 2, 2], [3, 3.5, 4, 4]]]])
    layer = nn.ResizeBilinear()
    gradient = grad(lambda x: layer(x, size=(2, 4)).sum())(Tensor(X[:, :, :2, :2]))
    np.testing.assert_array_equal(gradient.asnumpy()[0, 0], [[1.5, 2.5], [1.5, 2.5]])


@pytest.mark.parametrize(
    "arguments, error",
    [
        ({}, ValueError),
        ({"size": (2, 2), "scale_factor": 2}, ValueError),
        ({"size": (2,)}, ValueError),
        ({"size": (0, 2)}, ValueError),
        ({"size": 2}, TypeError),
        ({"scale_factor": 2.0}, TypeError),
        ({"size": (2, 2), "align_corners": 1}, TypeError),
        ({"scale_factor": 0}, ValueError),
    ],
)
def test_wrong_sizes_are_refused(arguments, error):
    with pytest.raises(error, match="For 'ResizeBilinear'"):
        nn.ResizeBilinear()(Tensor(X), **arguments)


@pytest.mark.parametrize(
    "arguments, error",
    [
        (((2,),), ValueError),
        ((2,), TypeError),
        (((2, 0),), ValueError),
        (((2, 2), 1), TypeError),
        (((2, 2), True, True), ValueError),
    ],
)
def test_wrong_settings_of_the_primitive_are_refused(arguments, error):
    with pytest.raises(error, match="For 'ResizeBilinear'"):
        ops.ResizeBilinear(*arguments)


def test_other_shapes_and_settings_are_refused():
    with pytest.raises(ValueError, match="4 axes"):
        nn.ResizeBilinear()(Tensor(X[0]), size=(2, 2))
    with pytest.raises(ValueError, match="both"):
        nn.ResizeBilinear(True)(Tensor(X), size=(2, 2), align_corners=True)


def test_a_script_may_ask_for_the_names_of_today_alone(monkeypatch):
    monkeypatch.setenv("MINDSPORE_COMPAT_LEGACY", "0")
    assert "ResizeBilinear" not in dir(nn)
    monkeypatch.delenv("MINDSPORE_COMPAT_LEGACY")
    assert "ResizeBilinear" in dir(nn)
