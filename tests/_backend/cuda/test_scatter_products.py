"""Scatters that multiply or divide run on the GPU without copies to the host, and give the host's
results."""

import ml_dtypes
import numpy as np
import pytest
from fakecupy import rawkernels

import mindspore_compat as ms
from mindspore_compat import Tensor, ops
from mindspore_compat._backend import arrays
from mindspore_compat._backend.cuda import scatter_products as module
from tests.gpu import counters

pytestmark = [
    pytest.mark.parametrize("space", counters.DEVICES, indirect=True),
    pytest.mark.skipif(rawkernels.compiler() is None, reason="no C++ compiler"),
]
FLOATS = ["float32", "float64", "float16", ml_dtypes.bfloat16]
INTEGERS = ["int8", "int16", "uint8", "int32", "int64", "uint32", "uint64"]
CASES = [*(("mul", x) for x in FLOATS + INTEGERS), *(("div", x) for x in FLOATS)]
INDICES = {  # the axes that they choose, with repeated and negative positions
    "rows": (np.array([2, 0, -1, 2], np.int32),),
    "matrix of rows": (np.array([[2, 0], [3, 2]]),),
    "elements": (np.array([[0], [3], [0]]), np.array([[1, -4, 1]], np.int32)),
    "none": (np.zeros((0,), np.int64),),
}


def given(name, dtype, shape=(4, 5, 3)):
    rng, index = np.random.default_rng(0), INDICES[name]
    positions = np.broadcast_shapes(*(one.shape for one in index))
    values = rng.integers(1, 4, (*positions, *shape[len(index) :])).astype(dtype)
    return rng.integers(1, 9, shape).astype(dtype), index, values


@pytest.mark.parametrize(("how", "dtype"), CASES, ids=str)
@pytest.mark.parametrize("name", INDICES)
def test_numbers_are_those_of_the_host(space, how, name, dtype):
    x, index, values = given(name, dtype)
    wanted = arrays.HOST.scatter_reduce(x, index, values, how)
    on_gpu = space.asarray(x), tuple(map(space.asarray, index)), space.asarray(values)
    found = space.scatter_reduce(*on_gpu, how)
    assert found.dtype == wanted.dtype
    np.testing.assert_array_equal(arrays.to_host(on_gpu[0]).astype("float64"), x.astype("float64"))
    rounding = 2e-2 if x.itemsize == 2 and how == "div" else 1e-6
    found, wanted = (array.astype("float64") for array in (arrays.to_host(found), wanted))
    np.testing.assert_allclose(found, wanted, rtol=rounding)


def test_threads_go_on_with_further_elements(space, monkeypatch):
    monkeypatch.setattr(module, "THREADS", 2)
    monkeypatch.setattr(module, "MOST_BLOCKS", 2)
    x, index, values = given("rows", "float64")
    wanted = arrays.HOST.scatter_reduce(x, index, values, "mul")
    on_gpu = space.asarray(x), tuple(map(space.asarray, index)), space.asarray(values)
    found = space.scatter_reduce(*on_gpu, "mul")
    np.testing.assert_array_equal(arrays.to_host(found), wanted)


def test_arrays_that_are_not_contiguous(space):
    x, index, values = given("rows", "float32")
    wanted = arrays.HOST.scatter_reduce(x, index, values, "mul")
    turned = [space.asarray(np.ascontiguousarray(a.T)).T for a in (x, values)]
    found = space.scatter_reduce(turned[0], (space.asarray(index[0]),), turned[1], "mul")
    np.testing.assert_array_equal(arrays.to_host(found), wanted)


def test_only_a_check_of_the_indices_is_read(space):
    x, rows = Tensor(np.ones((4, 3), np.float32)), Tensor(np.array([[1], [2]], np.int32))
    factors = Tensor(np.full((2, 3), 2, np.float32))
    for function, changed in ((ops.tensor_scatter_mul, 2), (ops.tensor_scatter_div, 0.5)):
        function(x, rows, factors)
        with counters.counted() as counts:
            out = function(x, rows, factors)
        assert counts.transfers <= 2 and counts.launches <= 15
        assert out.asnumpy()[1:3].tolist() == [[changed] * 3] * 2


def test_gradients_are_those_of_the_host(space):
    rows = np.array([[1], [2], [1]], np.int32)
    x, values = (np.random.default_rng(1).uniform(1, 2, n).astype(np.float32) for n in ((4,), (3,)))

    def gradients():
        total = lambda x, v: (ops.tensor_scatter_mul(x, Tensor(rows), v) ** 2).sum()  # noqa: E731
        return [g.asnumpy() for g in ms.grad(total, (0, 1))(Tensor(x), Tensor(values))]

    found = gradients()
    arrays.set_target("CPU")
    for one, right in zip(found, gradients(), strict=True):
        np.testing.assert_allclose(one, right, rtol=1e-5)


def test_positions_of_the_host_are_copied_only_for_a_kernel(space):
    x, index, values = given("rows", "float32")
    x, values = space.asarray(x), space.asarray(values)
    for how, array, copies in (("max", x, 0), ("div", x.astype("int32"), 0), ("mul", x, 1)):
        with counters.counted() as counts:
            out = module.scattered(space, array, index, values, how)
        assert counts.transfers == copies
        assert (out is None) == (not copies)
