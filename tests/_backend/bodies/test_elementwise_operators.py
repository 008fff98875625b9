"""An elementwise operator in float32 is one kernel on a GPU, and so is its gradient."""

import numpy as np
import pytest
from fakecupy import rawkernels

import mindspore_compat as ms
from mindspore_compat import Tensor, ops
from mindspore_compat._backend import arrays
from mindspore_compat.ops.operations import _grad_ops
from tests.gpu import counters

pytestmark = [
    pytest.mark.parametrize("space", counters.DEVICES, indirect=True),
    pytest.mark.skipif(rawkernels.compiler() is None, reason="no C++ compiler"),
]
RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(2, 5, 7)).astype(np.float32)
SIGNS, POSITIVE = np.sign(Y), abs(Y) + 0.5
CALLS = {  # a function, its arguments, and the number of arguments with a gradient
    "gaussian_nll_loss": (ops.gaussian_nll_loss, (X, Y, POSITIVE), 3),
    "huber_loss": (ops.huber_loss, (X, Y), 2),
    "mse_loss": (ops.mse_loss, (X, Y), 2),
    "soft_margin_loss": (ops.soft_margin_loss, (X, SIGNS), 1),
    "hinge_embedding_loss": (ops.hinge_embedding_loss, (X, SIGNS), 1),
    "margin_ranking_loss": (ops.margin_ranking_loss, (X, Y, SIGNS), 2),
    "lerp": (ops.lerp, (X, Y, POSITIVE), 3),
    "relu6": (ops.relu6, (3 * X,), 1),
    "smooth_l1_loss": (ops.smooth_l1_loss, (X, Y), 2),
    "asinh_grad": (_grad_ops.AsinhGrad(), (X, Y), 2),  # one of its inputs is named `out`
}


@pytest.mark.parametrize("name", CALLS)
def test_an_elementwise_operator_is_one_kernel_each_way(space, name):
    function, given, inputs = CALLS[name]
    tensors = [Tensor(x) for x in given]
    function(*tensors)
    with counters.counted() as counts:
        found = [function(*tensors)]
    assert counts.launches == 1 and counts.synchronisations == counts.transfers == 0

    def total(*x):
        out = function(*x)
        return out if out.ndim == 0 else out.sum()

    gradient = ms.grad(total, tuple(range(inputs)))
    gradient(*tensors)
    with counters.counted() as counts:
        found += as_tuple(gradient(*tensors))
    if name != "asinh_grad":  # this one has a gradient kernel for each function
        assert counts.launches <= 4  # including `total` and its gradient
    assert counts.synchronisations == counts.transfers == 0
    twice = ms.grad(lambda *x: sum(g.square().sum() for g in as_tuple(gradient(*x))))
    found = [x.asnumpy() for x in (*found, twice(*tensors))]
    arrays.set_target("CPU")
    given = [Tensor(x) for x in given]
    wanted = function(*given), *as_tuple(gradient(*given)), twice(*given)
    for one, right in zip(found, wanted, strict=True):
        right = right.asnumpy()
        assert one.dtype == right.dtype
        np.testing.assert_allclose(one, right, rtol=2e-5, atol=2e-5 * abs(right).max())


def as_tuple(gradients):
    return gradients if isinstance(gradients, tuple) else (gradients,)


def test_gradients_of_broadcast_inputs_are_summed(space):
    given = X, Y[:1], Y[:, :1]
    gradient = ms.grad(lambda x, y, z: (ops.lerp(x, y, z) * x).sum(), (0, 1, 2))
    found = [g.asnumpy() for g in gradient(*map(Tensor, given))]
    arrays.set_target("CPU")
    for one, x, right in zip(found, given, gradient(*map(Tensor, given)), strict=True):
        assert one.shape == x.shape
        np.testing.assert_allclose(one, right.asnumpy(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("dtype", [ms.float32, ms.float16, ms.bfloat16])
def test_bounds_that_cross_or_are_nan(space, dtype):
    x = np.array([0.0, 4.0, 9.0, np.nan, -np.inf], np.float32)
    for low, high in [(5.0, 3.0), (3.0, 5.0), (np.nan, 3.0), (3.0, np.nan)]:
        bounds = (Tensor(np.float32(bound)).astype(dtype) for bound in (low, high))
        found = ops.clamp(Tensor(x).astype(dtype), *bounds).astype(ms.float32).asnumpy()
        np.testing.assert_array_equal(found, np.minimum(np.maximum(x, low), high))


def test_an_operator_that_reduces_an_axis_is_traced_once(space, monkeypatch):
    x = Tensor(X)
    ops.log_softmax(x)
    ops.cosine_similarity(x, x)
    kernels = space.upcast_kernels
    monkeypatch.setattr(kernels, "run", lambda *a, **k: pytest.fail("asked again"))
    ops.cosine_similarity(x, x)


def test_shapes_that_do_not_fit_together_leave_the_function_to_others(space):
    def product(xp, x, y):
        return x * y

    run = space.upcast_kernels.run
    x, y = space.ones(3, np.float16), space.full(4, 2, np.float16)
    assert run(product, (x, y), np.dtype(np.float16)) is None
    assert run(product, (x, y[:3]), np.dtype(np.float16)).tolist() == [2, 2, 2]


def test_zeros_of_both_signs_are_two_numbers(space):
    def quotient(xp, x, zero):
        return 1 / (x * zero)

    x = space.ones(1, np.float16)
    for kind in (float, np.float32, np.float64):
        for zero, result in ((0.0, np.inf), (-0.0, -np.inf)):
            out = space.upcast_kernels.run(quotient, (x, kind(zero)), np.dtype(np.float16))
            assert out.tolist() == [result]


def test_results_have_the_shapes_of_the_arrays_on_which_they_depend(space):
    def parts(xp, x, y):
        return x * 2, y * x

    def first(xp, x, y):
        return x * 2

    run, dtype = space.upcast_kernels.run, np.dtype(np.float16)
    x, y = space.ones((3, 1), np.float16), space.ones((1, 4), np.float16)
    for function in (parts, first):
        assert run(function, (x, y), dtype) is None
        assert run(function, (x, x), dtype) is not None
        assert run(function, (space.ones((3, 4), np.float16), y), dtype) is not None


def test_totals_are_those_of_their_own_terms(space):
    def total(xp, x, y):
        return xp.sum(x * 2)

    def quotient(xp, x, y):
        return xp.sum(x * y) / y

    run, dtype = space.upcast_kernels.run, np.dtype(np.float32)
    x, y = space.ones(4, np.float32), space.ones((3, 1), np.float32)
    out = run(total, (x, y), dtype)
    assert out is None or float(out) == 8
    assert float(run(total, (x, x), dtype)) == 8
    assert run(quotient, (x, x), dtype) is None
