"""Results that are not views in MindSpore 2.10: writing to them does not change their input."""

import numpy as np
import pytest

from mindspore_compat import Tensor, grad, mint, ops, vmap

CALLS = {
    "flip": lambda x: ops.flip(x, (0,)),
    "ReverseV2": lambda x: ops.ReverseV2([0, 1])(x),
    "mint.flip": lambda x: mint.flip(x, (1,)),
    "Tensor.flip": lambda x: x.flip([0]),
    "fliplr": ops.fliplr,
    "flipud": ops.flipud,
    "rot90": lambda x: ops.rot90(x, 1, [0, 1]),
    "Identity": ops.Identity(),
    "Tensor.to": lambda x: x.to(x.dtype, copy=True),
    "real": ops.real,
    "imag": ops.imag,
}


@pytest.mark.parametrize("dtype", ["float32", "complex64"])
@pytest.mark.parametrize("name", CALLS)
def test_written_to(name, dtype):
    x = Tensor(np.arange(6).reshape(2, 3).astype(dtype))
    before = x.asnumpy().copy()
    found = CALLS[name](x)
    found[0, 0] = 99
    np.testing.assert_array_equal(x.asnumpy(), before)


@pytest.mark.parametrize("name", ["flip", "fliplr", "flipud", "real"])
def test_recorded_and_mapped(name):
    x = Tensor(np.arange(12, dtype=np.float32).reshape(2, 2, 3))
    weights = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
    gradient = grad(lambda one: (CALLS[name](one) * weights).sum())(x[0])
    wanted = CALLS[name](weights).asnumpy()
    np.testing.assert_array_equal(gradient.asnumpy(), wanted)
    mapped = vmap(CALLS[name])(x).asnumpy()
    np.testing.assert_array_equal(mapped, [CALLS[name](one).asnumpy() for one in x])
