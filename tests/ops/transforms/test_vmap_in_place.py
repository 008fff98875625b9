"""Operators that write to their input or read values run slice by slice within vmap."""

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, ops


def parameter(values):
    return Parameter(Tensor(np.array(values, np.float32)), name="p")


def test_an_update_writes_each_slice_of_its_parameter():
    update = ops.ApplyGradientDescent()
    param = parameter([[1, 2], [3, 4]])
    step = Tensor(np.ones((2, 2), np.float32))
    made = ops.vmap(lambda var, delta: update(var, 0.5, delta), (1, 0), 0)(param, step)
    np.testing.assert_array_equal(param.asnumpy(), [[0.5, 1.5], [2.5, 3.5]])
    np.testing.assert_array_equal(made.asnumpy(), param.asnumpy().T)


def test_an_update_of_numbers_writes_them():
    update = ops.ApplyGradientDescent()
    param = parameter([1, 2, 3])
    ops.vmap(lambda var, delta: update(var, 0.5, delta), (0, 0), 0)(param, param.copy())
    np.testing.assert_array_equal(param.asnumpy(), [0.5, 1, 1.5])


@pytest.mark.parametrize("name", ["ScatterNdAdd", "ScatterNdSub", "ScatterNdMul"])
def test_a_scatter_writes_each_slice(name):
    param = parameter(np.full((2, 3), 2))
    rows = Tensor([[[0]], [[2]]])
    given = Tensor(np.array([[3], [5]], np.float32))
    ops.vmap(getattr(ops, name)(), (0, 0, 0), 0)(param, rows, given)
    whole = parameter(np.full((2, 3), 2))
    getattr(ops, name)()(whole, Tensor([[0, 0], [1, 2]]), Tensor(np.array([3, 5], np.float32)))
    np.testing.assert_array_equal(param.asnumpy(), whole.asnumpy())


def test_index_add_writes_each_slice():
    param = parameter(np.zeros((2, 3)))
    ops.vmap(ops.IndexAdd(0), (0, None, 0), 0)(
        param, Tensor([1], ms.int32), Tensor(np.array([[3], [5]], np.float32))
    )
    np.testing.assert_array_equal(param.asnumpy(), [[0, 3, 0], [0, 5, 0]])


def test_what_works_on_the_host_runs_in_nested_slices():
    x = Tensor(np.array([[[1, 2, 1], [3, 3, 3]]], np.int32))
    values, indices = ops.vmap(ops.vmap(lambda row: ops.unique_with_pad(row, -1)))(x)
    np.testing.assert_array_equal(values.asnumpy(), [[[1, 2, -1], [3, -1, -1]]])
    np.testing.assert_array_equal(indices.asnumpy(), [[[0, 1, 0], [0, 0, 0]]])
    ends = Tensor(np.array([2, 4], np.float32))
    lines = ops.vmap(lambda stop: ops.LinSpace()(Tensor(0.0), stop, 3))(ends)
    np.testing.assert_array_equal(lines.asnumpy(), [[0, 1, 2], [0, 2, 4]])


def test_a_gradient_within_nested_slices():
    x = Tensor(np.array([[[1, 3], [2, 5]]], np.float32))
    gradient = ms.grad(lambda row: row.max() ** 2)
    found = ops.vmap(ops.vmap(gradient))(x)
    np.testing.assert_array_equal(found.asnumpy(), [[[0, 6], [0, 10]]])
    shared = ops.vmap(lambda a: ops.vmap(lambda b: ms.grad(lambda w: w * a * b)(x[0, 0, 1]))(a))
    np.testing.assert_array_equal(shared(x[0]).asnumpy(), [[4, 12], [14, 35]])
