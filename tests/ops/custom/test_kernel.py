"""Functions in the kernel language, run as Python and inside ops.Custom."""

import numpy as np
import pytest
from kit import close, same

from mindspore_compat import Tensor, ops

OFFSET = 10.0


@ops.kernel
def outer_product(a, b):
    c = output_tensor((a.shape[0], b.shape[1]), a.dtype)  # noqa: F821
    with block_realize(c):  # noqa: F821
        for i, j in grid(c.shape):  # noqa: F821
            c[i, j] = OFFSET
            for k in reduce(a.shape[1]):  # noqa: F821
                c[i, j] = c[i, j] + a[i, k] * b[k, j]
    return c


@ops.ms_kernel(reg_info={"op_name": "wave"}, compile_attrs={"level": 1})
def wave(a, *, scale=2.0):
    c = allocate(a.shape, float32, "local")  # noqa: F821
    for i in vectorize(a.shape[0]):  # noqa: F821
        c[i] = scale * rsqrt(a[i]) + erf(0.0) + ceil_div(7, 2) + power(a[i], 2.0)  # noqa: F821
    return c


def test_a_product():
    a, b = (np.random.default_rng(i).standard_normal((3, 3)).astype(np.float32) for i in (0, 1))
    out = outer_product(a, b)
    assert out.dtype == np.float32
    close(out, a @ b + 10)


def test_settings_and_words():
    given = np.array([1.0, 4.0])
    same(wave(given), [7, 21])
    same(wave(given, scale=4.0), [9, 22])
    assert wave.compile_attrs == '{"level": 1}' and wave.reg_info == {"op_name": "wave"}
    assert wave.__name__ == "wave" and not hasattr(outer_product, "reg_info")


def test_words_are_not_left_behind():
    wave(np.ones(1))
    assert "rsqrt" not in globals()


@pytest.mark.parametrize("kind", ["pyfunc", "hybrid"])
def test_in_a_custom_operator(kind):
    made = ops.Custom(wave, lambda x: x, lambda x: x, kind)
    same(made(Tensor(np.array([1.0, 4.0], np.float32))), [7, 21])


def test_refusals():
    with pytest.raises(TypeError):
        ops.kernel(3)
    with pytest.raises(TypeError, match="kernel"):
        ops.Custom(np.flip, None, None, "hybrid")
