"""Glimpses, scaled images, randomly drawn boxes, patches and depthwise convolution."""

import numpy as np
import pytest
from kit import close, close_sums
from kit.gradients import check_gradients

import mindspore_compat as ms
from mindspore_compat import Tensor, ops
from mindspore_compat.ops import auto_generate
from mindspore_compat.ops._conv import patches
from mindspore_compat.ops._image import glimpse


def x(*shape, seed=0):
    return np.random.default_rng(seed + sum(shape)).standard_normal(shape)


def single(values):
    return Tensor(np.asarray(values, np.float32))


def whole(*values):
    return Tensor(np.array(values, np.int32))


# Glimpses -----------------------------------------------------------------------------------------


def window(image, size, centre, centered, normalized):
    """One window, 0 outside of the image. The corner is computed in float32, like MindSpore."""
    out = np.zeros((*size, image.shape[2]), np.float32)
    corner = []
    for n, length, at in zip(image.shape[:2], size, np.float32(centre)):
        at = at * n if normalized else at
        at = at / 2 + n / 2 if centered else at
        corner.append(int(at - length / 2))
    for row in range(size[0]):
        for column in range(size[1]):
            index = corner[0] + row, corner[1] + column
            if 0 <= index[0] < image.shape[0] and 0 <= index[1] < image.shape[1]:
                out[row, column] = image[index]
    return out


@pytest.mark.parametrize("centered", [True, False])
@pytest.mark.parametrize("normalized", [True, False])
def test_glimpses(centered, normalized):
    rng = np.random.default_rng(3)
    for _ in range(20):
        height, width = rng.integers(2, 7, 2)
        size = tuple(int(n) for n in rng.integers(1, 7, 2))
        images = x(2, height, width, 3).astype(np.float32)
        reach = (-1.2, 1.2) if normalized else (-4, 8)
        offsets = rng.uniform(*reach, (2, 2)).astype(np.float32)
        made = ops.ExtractGlimpse(centered, normalized, False, "zero")
        got = made(Tensor(images), whole(*size), Tensor(offsets)).asnumpy()
        wanted = [window(i, size, o, centered, normalized) for i, o in zip(images, offsets)]
        np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("noise, mean, deviation", [("uniform", 0, 3**-0.5), ("gaussian", 10, 0.5)])
def test_noise_beyond_the_edges(noise, mean, deviation):
    ms.set_seed(1)
    made = ops.ExtractGlimpse(False, False, False, noise)
    drawn = made(single(np.ones((1, 2, 2, 1))), whole(90, 90), single([[200, 200]])).asnumpy()
    assert abs(drawn.mean() - mean) < 0.05
    assert abs(drawn.std() - deviation) < 0.02
    assert noise != "uniform" or -1 <= drawn.min() < drawn.max() < 1


def test_the_gradient_of_a_glimpse_is_the_window():
    centre = single([[1.0, 1.0], [3.0, 0.0]])

    def crop(images):
        return glimpse.glimpse.run(images, centre, (2, 3), False, False, "zero")

    check_gradients(crop, x(2, 3, 4, 2))


# Scaled and moved ---------------------------------------------------------------------------------

KERNELS = {
    "lanczos1": (lambda v: np.sinc(v) * np.sinc(v), 1),
    "lanczos3": (lambda v: np.sinc(v) * np.sinc(v / 3), 3),
    "lanczos5": (lambda v: np.sinc(v) * np.sinc(v / 5), 5),
    "gaussian": (lambda v: np.exp(-v * v / 0.5), 1.5),
    "box": (lambda v: 1.0, 0.5),
    "triangle": (lambda v: 1 - v, 1),
    "keyscubic": (
        lambda v: 1.5 * v**3 - 2.5 * v**2 + 1 if v < 1 else -0.5 * v**3 + 2.5 * v**2 - 4 * v + 2,
        2,
    ),
    "mitchellcubic": (
        lambda v: (
            7 / 6 * v**3 - 2 * v**2 + 8 / 9
            if v < 1
            else -7 / 18 * v**3 + 2 * v**2 - 10 / 3 * v + 16 / 9
        ),
        2,
    ),
}


def sampled(line, count, scale, move, kind, antialias):
    """Resamples one row at `count` points."""
    kernel, reach = KERNELS[kind]
    wide = max(1 / scale, 1) if antialias else 1
    out = np.zeros(count)
    for index in range(count):
        at = (index + 0.5) / scale - move / scale
        if not 0 <= at <= len(line):
            continue
        weights = []
        for i in range(len(line)):
            distance = abs(i + 0.5 - at) / wide
            weights.append(kernel(distance) if distance < reach else 0.0)
        if abs(sum(weights)) > 1e-30:
            out[index] = np.dot(weights, line) / sum(weights)
    return out


@pytest.mark.parametrize("kind", KERNELS)
@pytest.mark.parametrize("antialias", [True, False])
def test_scale_and_translate(kind, antialias):
    """The reference above agrees with MindSpore 2.10 to 2e-6."""
    rng = np.random.default_rng(5)
    for _ in range(8):
        size = [int(n) for n in rng.integers(1, 8, 2)]
        scale, move = (np.float32(rng.uniform(*r, 2)) for r in ((0.3, 2.5), (-3, 3)))
        images = x(1, *rng.integers(1, 8, 2), 2).astype(np.float32)
        made = ops.ScaleAndTranslate(kind, antialias)
        got = made(Tensor(images), whole(*size), Tensor(scale), Tensor(move)).asnumpy()
        wanted = images.astype(np.float64)
        for axis in (1, 2):
            at = axis - 1
            wanted = np.apply_along_axis(
                sampled, axis, wanted, size[at], float(scale[at]), float(move[at]), kind, antialias
            )
        close_sums(got, wanted)


def test_integers_are_scaled_as_float32():
    images = Tensor(np.arange(12, dtype=np.int16).reshape(1, 3, 4, 1))
    one, none = single([1, 1]), single([0, 0])
    out = ops.ScaleAndTranslate("triangle")(images, whole(3, 4), one, none)
    assert out.dtype == ms.float32
    close(out, images.asnumpy(), atol=0)


def test_the_gradient_of_scaling():
    size, one, move = whole(2, 5), single([0.7, 1.3]), single([0.2, -0.4])
    gradient = ms.grad(lambda t: (ops.ScaleAndTranslate()(t, size, one, move) ** 2).sum())
    given = x(1, 3, 4, 1).astype(np.float32)
    direction = x(1, 3, 4, 1, seed=1).astype(np.float32)
    ends = [
        float(
            (ops.ScaleAndTranslate()(single(given + step * direction), size, one, move) ** 2).sum()
        )
        for step in (-0.01, 0.01)
    ]
    along = float((gradient(single(given)).asnumpy() * direction).sum())
    assert abs((ends[1] - ends[0]) / 0.02 - along) < 1e-2 * max(1, abs(along))


# Boxes drawn at random ----------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(1, 30))
def test_parts_keep_to_their_ranges(seed):
    made = ops.SampleDistortedBoundingBoxV2(seed, 0, (0.8, 1.5), [0.2, 0.6])
    box = np.array([0.38, 0.17, 0.95, 0.40], np.float32)
    begin, size, part = made(whole(64, 48, 3), Tensor(box.reshape(1, 1, 4)), single([0.5]))
    (top, left, zero), (tall, wide, last) = begin.asnumpy().tolist(), size.asnumpy().tolist()
    assert (zero, last) == (0, -1)
    assert 0 <= top <= top + tall <= 64 and 0 <= left <= left + wide <= 48
    assert 0.2 <= tall * wide / (64 * 48) <= 0.6
    assert 0.8 <= (wide + 0.5) / tall and (wide - 0.5) / tall <= 1.5
    corners = np.array([top / 64, left / 48, (top + tall) / 64, (left + wide) / 48])
    close(part, corners.reshape(1, 1, 4), atol=0)
    inner = np.minimum(corners[2:], box[2:]) - np.maximum(corners[:2], box[:2])
    assert np.maximum(inner, 0).prod() >= 0.5 * (box[2:] - box[:2]).prod() - 1e-6


def test_after_all_attempts_it_is_the_whole_image():
    made = ops.SampleDistortedBoundingBoxV2(1, 1, area_range=(0.05, 0.06), max_attempts=5)
    box = single([[[0.0, 0.0, 1.0, 1.0]]])
    begin, size, part = made(Tensor(np.array([64, 48, 3], np.uint8)), box, single([1.0]))
    assert begin.asnumpy().tolist() == [0, 0, 0] and size.asnumpy().tolist() == [64, 48, 255]
    assert begin.dtype == size.dtype == ms.uint8
    assert part.asnumpy().ravel().tolist() == [0, 0, 1, 1]


def test_no_box_is_the_image_where_that_is_wanted():
    empty = single(np.zeros((0, 1, 4)))
    made = ops.SampleDistortedBoundingBoxV2(3, use_image_if_no_bounding_boxes=True)
    assert made(whole(8, 8, 3), empty, single([0.1]))[1].shape == (3,)
    with pytest.raises(ValueError, match="bounding_boxes"):
        ops.SampleDistortedBoundingBoxV2(3)(whole(8, 8, 3), empty, single([0.1]))


# Patches and depthwise ----------------------------------------------------------------------------


@pytest.mark.parametrize("padding", ["VALID", "SAME"])
def test_patches(padding):
    images, rows, columns = x(2, 3, 6, 7), 2, 3
    got = auto_generate.extract_image_patches(
        Tensor(images), [1, 1, rows, columns], [1, 1, 2, 1], [1, 1, 1, 2], padding
    ).asnumpy()
    if padding == "SAME":  # reaches 2 and 5, steps 2 and 1
        images = np.pad(images, ((0, 0), (0, 0), (0, 0), (2, 2)))
    down, across = got.shape[2:]
    assert (down, across) == (3, 7 if padding == "SAME" else 3)
    for i in range(down):
        for j in range(across):
            patch = images[:, :, 2 * i : 2 * i + rows, j : j + 5 : 2]
            np.testing.assert_array_equal(
                got[:, :, i, j], patch.transpose(0, 2, 3, 1).reshape(2, -1)
            )


def test_patches_are_those_of_unfold():
    given = Tensor(x(1, 2, 5, 5).astype(np.float32))
    made = ops.ExtractImagePatches([2, 2], [1, 1], [1, 1])
    layer = ms.nn.Unfold([1, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1])
    np.testing.assert_array_equal(made(given).asnumpy(), layer(given).asnumpy())


def depthwise_by_hand(images, weight, stride, pad):
    many, channels, rows, columns = weight.shape
    images = np.pad(images, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    down, across = ((n - k) // stride + 1 for n, k in zip(images.shape[2:], (rows, columns)))
    out = np.zeros((len(images), channels * many, down, across))
    for c in range(channels):
        for m in range(many):
            for i in range(down):
                for j in range(across):
                    part = images[
                        :, c, i * stride : i * stride + rows, j * stride : j * stride + columns
                    ]
                    out[:, c * many + m, i, j] = (part * weight[m, c]).sum((1, 2))
    return out


def test_depthwise_convolution():
    images, weight = x(2, 3, 6, 5), x(2, 3, 3, 2)
    made = ops.DepthwiseConv2dNative(2, (3, 2), pad_mode="pad", pad=1, stride=2)
    got = made(Tensor(images), Tensor(weight)).asnumpy()
    close(got, depthwise_by_hand(images, weight, 2, 1))


def test_depthwise_gradients():
    from mindspore_compat.ops._primitive_aliases import grad_ops

    settings = {"channel_multiplier": 2, "kernel_size": 3, "stride": 2}
    images, weight = Tensor(x(2, 3, 7, 7)), Tensor(x(2, 3, 3, 3))
    made = ops.DepthwiseConv2dNative(**settings)
    out, pull = (
        ms.vjp(made, images, weight) if hasattr(ms, "vjp") else ops.vjp(made, images, weight)
    )
    sens = Tensor(x(*out.shape, seed=2))
    to_images, to_weight = pull(sens)
    back = grad_ops.DepthwiseConv2dNativeBackpropInput(**settings)
    close(back((2, 3, 7, 7), weight, sens), to_images.asnumpy())
    back = grad_ops.DepthwiseConv2dNativeBackpropFilter(**settings, pad_list=(0, 0, 0, 0))
    close(back(images, (2, 3, 3, 3), sens), to_weight.asnumpy())
    run = patches.depthwise.run
    check_gradients(lambda *t: run(*t, 2, 3, stride=2), x(1, 2, 5, 5), x(2, 2, 3, 3))


def test_the_padding_worked_out_before_counts():
    from mindspore_compat.ops._primitive_aliases import grad_ops

    weight, sens = Tensor(x(1, 2, 3, 3)), Tensor(x(1, 2, 4, 5))
    plain = grad_ops.DepthwiseConv2dNativeBackpropInput(1, 3, "pad", 1)
    listed = grad_ops.DepthwiseConv2dNativeBackpropInput(1, 3, "pad", 0, (1, 1, 1, 1))
    np.testing.assert_array_equal(
        plain((1, 2, 4, 5), weight, sens).asnumpy(), listed((1, 2, 4, 5), weight, sens).asnumpy()
    )


# Refusals -----------------------------------------------------------------------------------------

IMAGE = np.ones((1, 3, 3, 1), np.float32)
BOX = [[[0.1, 0.1, 0.5, 0.5]]]
SAMPLE = ops.SampleDistortedBoundingBoxV2
REFUSED = [
    (ValueError, lambda: ops.ExtractGlimpse(noise="zero")),
    (ValueError, lambda: ops.ExtractGlimpse(uniform_noise=False, noise="pink")),
    (TypeError, lambda: ops.ExtractGlimpse(centered=1)),
    (ValueError, lambda: ops.ExtractGlimpse()(single(IMAGE), whole(0, 1), single([[0, 0]]))),
    (ValueError, lambda: ops.ExtractGlimpse()(single(IMAGE), whole(1, 1), single([[0, 0, 0]]))),
    (TypeError, lambda: ops.ExtractGlimpse()(single(IMAGE), (1, 1), single([[0, 0]]))),
    (ValueError, lambda: ops.ScaleAndTranslate("cubic")),
    (TypeError, lambda: ops.ScaleAndTranslate(1)),
    (
        ValueError,
        lambda: ops.ScaleAndTranslate()(
            single(IMAGE[0]), whole(1, 1), single([1, 1]), single([1, 1])
        ),
    ),
    (
        ValueError,
        lambda: ops.ScaleAndTranslate()(single(IMAGE), whole(1, 1), single([0, 1]), single([1, 1])),
    ),
    (
        TypeError,
        lambda: ops.ScaleAndTranslate()(
            single(IMAGE), single([1, 1]), single([1, 1]), single([1, 1])
        ),
    ),
    (ValueError, lambda: SAMPLE(area_range=(0.5, 0.4))),
    (ValueError, lambda: SAMPLE(aspect_ratio_range=(0.0, 1.0))),
    (TypeError, lambda: SAMPLE(aspect_ratio_range=(1, 2))),
    (ValueError, lambda: SAMPLE(max_attempts=0)),
    (RuntimeError, lambda: SAMPLE()(whole(0, 3, 3), single(BOX), single([0.5]))),
    (
        RuntimeError,
        lambda: SAMPLE()(whole(3, 3, 3), single([[[0.5, 0.1, 0.4, 0.5]]]), single([0.5])),
    ),
    (RuntimeError, lambda: SAMPLE()(whole(3, 3, 3), single(BOX), single([1.5]))),
    (ValueError, lambda: SAMPLE()(whole(3, 3), single(BOX), single([0.5]))),
    (ValueError, lambda: ops.DepthwiseConv2dNative(1, 3, mode=1)),
    (
        ValueError,
        lambda: ops.DepthwiseConv2dNative(1, 3, stride=(1, 2))(
            Tensor(x(1, 2, 5, 5)), Tensor(x(1, 2, 3, 3))
        ),
    ),
    (
        ValueError,
        lambda: ops.DepthwiseConv2dNative(2, 3)(Tensor(x(1, 2, 5, 5)), Tensor(x(1, 2, 3, 3))),
    ),
    (ValueError, lambda: ops.ExtractImagePatches([3, 3], [1, 1], [1, 1])(Tensor(x(1, 1, 2, 2)))),
    (TypeError, lambda: ops.ExtractImagePatches(3, [1, 1], [1, 1])),
]


@pytest.mark.parametrize("error, call", REFUSED)
def test_refusals(error, call):
    with pytest.raises(error):
        call()
