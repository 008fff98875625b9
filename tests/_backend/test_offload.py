"""States and arithmetic on the host for parameters on a GPU: the same numbers as without."""

import numpy as np
import pytest
from kit import close

from mindspore_compat._backend import arrays
from mindspore_compat._backend.fuse import fuse
from mindspore_compat._backend.offload import Offload
from mindspore_compat.ops._optimizer.formulas import adam_step, adam_update

ADAM = {"lr": 0.1, "beta1": 0.9, "beta2": 0.99, "eps": 1e-8}


def in_place_of_the_gradient(xp, g, m, v, *, lr, beta1, beta2, eps):
    return adam_step(xp, g, m, v, lr=lr, beta1=beta1, beta2=beta2, eps=eps)


@pytest.mark.parametrize("space", ["fakecupy"], indirect=True)
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_the_same_numbers_as_on_the_host(space, dtype):
    rng = np.random.default_rng(0)
    shapes = [(3, 4), (5,), (), (70000,)]
    host = [[rng.random(shape).astype(dtype) for _ in range(2)]
            + [np.zeros(shape, np.float32) for _ in range(2)] for shape in shapes]
    device = [[space.asarray(row[0].copy()), None, row[2].copy(), row[3].copy()] for row in host]
    offload, update = Offload(fuse(in_place_of_the_gradient, reads=())), fuse(adam_update)
    for step in range(3):
        gradients = [(row[1] * (step + 1)).astype(dtype) for row in host]
        for row, gradient in zip(device, gradients, strict=True):
            row[1] = space.asarray(gradient)
        offload.sweep(device, **ADAM)
        for row, gradient in zip(host, gradients, strict=True):
            update(row[0], gradient, *row[2:], **ADAM)
    tolerance = 1e-6 if dtype is np.float32 else 5e-3
    for row, expected in zip(device, host, strict=True):
        assert arrays.on_device(row[0]) and type(row[2]) is np.ndarray
        close(arrays.to_host(row[0]), expected[0], tolerance)
        close(row[2], expected[2], rtol=1e-6, atol=0)
        close(row[3], expected[3], rtol=1e-6, atol=0)


@pytest.mark.parametrize("space", ["fakecupy"], indirect=True)
def test_gradients_are_left_alone(space):
    gradient = space.asarray(np.float32([0.5, 1.0]))
    row = [space.zeros(2, "float32"), gradient, np.zeros(2, np.float32), np.zeros(2, np.float32)]
    Offload(fuse(in_place_of_the_gradient, reads=())).sweep([row], **ADAM)
    np.testing.assert_array_equal(arrays.to_host(gradient), [0.5, 1.0])
