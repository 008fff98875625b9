"""Convolution, pooling and masks within vmap: one call for all slices gives the results of a
loop."""

import numpy
import pytest
from kit import close

import mindspore_compat as ms
from mindspore_compat import Tensor, ops
from mindspore_compat._backend.arrays import HOST

RNG = numpy.random.default_rng(0)
X = Tensor(RNG.standard_normal((3, 2, 2, 6, 6)))
W = Tensor(RNG.standard_normal((3, 4, 2, 3, 3)))

CASES = {
    "convolution": lambda x: ops.conv2d(x, W[0], padding=1, pad_mode="pad"),
    "transposed": lambda x: ops.Conv2DTranspose(2, 3)(x, W[0, :2], (2, 2, 8, 8)),
    "maximum": lambda x: ops.max_pool2d(x, 2, 2),
    "average": lambda x: ops.avg_pool2d(x, 2, 2),
    "adaptive average": lambda x: ops.adaptive_avg_pool2d(x, 3),
    "adaptive maximum": lambda x: ops.adaptive_max_pool2d(x, 3),
    "unfolded": lambda x: ops.unfold(x, 2),
    "relu": ops.relu,
}


def each(function, *inputs):
    return numpy.stack([function(*(x[i] for x in inputs)).asnumpy() for i in range(3)])


@pytest.mark.parametrize("name", CASES)
def test_slices_are_as_in_a_loop(name):
    function = CASES[name]

    def gradient(x):
        return ms.grad(lambda y: (function(y) ** 2).sum())(x)

    def curvature(x):
        return ms.grad(lambda y: (gradient(y) ** 2).sum())(x)

    for one in (function, gradient, curvature):
        close(ms.vmap(one)(X), each(one, X))


@pytest.mark.parametrize("axes", [(0, 0), (None, 0), (0, None)])
def test_weights_of_each_slice(axes):
    def loss(x, w):
        return (ops.conv2d(x, w) ** 2).sum()

    inputs = [x[0] if a is None else x for x, a in zip((X, W), axes)]
    found = ms.vmap(ms.grad(loss, (0, 1)), axes)(*inputs)
    for i in range(3):
        one = [x if a is None else x[i] for x, a in zip(inputs, axes)]
        for f, wanted in zip(found, ms.grad(loss, (0, 1))(*one)):
            close(f[i], wanted.asnumpy())


def test_slices_within_slices():
    def fn(x):
        return ops.max_pool2d(ops.relu(ops.conv2d(x.expand_dims(0), W[0])), 2, 2)

    found = ms.vmap(ms.vmap(fn))(X)
    for i in range(3):
        for k in range(2):
            close(found[i, k], fn(X[i, k]).asnumpy())


def test_the_function_runs_once_for_all(monkeypatch):
    calls, own = [], HOST.convolve_nd
    monkeypatch.setattr(HOST, "convolve_nd", lambda *args: calls.append(1) or own(*args))
    ms.vmap(CASES["convolution"])(X)
    assert len(calls) == 1
