"""Tensors that a loop fills under a gradient, `y[i] = v`: neither the Tensor nor its gradient is
copied once for each write, and views, saved values and other holders keep the values they had.
"""

import numpy as np
import pytest
from kit import close
from kit.gradients import check_gradients
from kit.steps import replays

import mindspore_compat as ms
from mindspore_compat import Tensor, nn, ops
from mindspore_compat._core.autograd import overwritten
from mindspore_compat.ops._indexing import getitem


def values(*shape):
    return np.random.default_rng(5).normal(size=shape)


def filled(x):
    y = ops.zeros_like(x)
    for i in range(x.shape[0]):
        y[i] = x[i] ** 2 * (i + 1)
    return (y**2).sum()


def recurrent(x):
    y = x * 1.0
    for i in range(1, x.shape[0]):
        y[i] = y[i - 1] * x[i] + y[i, 0] * 2.0
    return (y**2).sum()


def replaced(x):
    y = x**2
    for i in range(x.shape[0]):
        y[i] = 0.5
        y[0, i % 3] = x[i, 1] * y[1, 1]
        y[1:3, :2] = x[i, :2] * 2
    return (y**2).sum()


def added(x):
    y = ops.zeros_like(x)
    for i in range(x.shape[0]):
        y[i] += x[i] * 3
        y[i - 1] *= x[i]
        y[0] -= x[i] ** 2
    return (y**2).sum()


def used_between(x):
    y, out = ops.zeros_like(x), 0.0
    for i in range(x.shape[0]):
        y[i] = x[i]
        out = out + (y**2).sum() + (y * x).sum() + y[Tensor([0, 0, 1])].sum()
    return out


def held(x):
    y, parts, wholes = ops.zeros_like(x), [], []
    for i in range(x.shape[0]):
        y[i] = x[i] * 2
        parts += [y[i], y[:, 1], y[0:3], y.reshape(-1), ops.stop_gradient(y)]
        wholes.append(y.copy())
    return sum((part**2).sum() * (i + 1) for i, part in enumerate(parts + wholes))


def item_changed(x):
    y = ops.zeros_like(x)
    for i in range(x.shape[0]):
        y[i] = x[i]
        row = y[i]
        row[1] = x[i, 0] * x[i, 2]
    return (y**2).sum()


def by_arrays(x):
    y = x * 2
    for i in range(x.shape[0]):
        y[Tensor([i, 0])] = x[i] ** 2
        y[[2], Tensor([1])] = x[i, 0]
    return (y**2).sum()


def two(x):
    y, z = ops.zeros_like(x), ops.ones_like(x)
    for i in range(x.shape[0]):
        y[i] = x[i] + z[i - 1]
        z[i] = y[i] * z[i]
        y[:] = y * 2
    return (y * z).sum()


FUNCTIONS = [filled, recurrent, replaced, added, used_between, item_changed, by_arrays, two]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_gradients_agree_with_finite_differences(function):
    check_gradients(function, values(4, 3))


@pytest.mark.parametrize("function", [*FUNCTIONS, held])
def test_writes_in_place_give_the_bits_of_writes_into_copies(function, monkeypatch):
    x = Tensor(values(4, 3).astype(np.float32))
    in_place = ms.value_and_grad(function)(x)
    monkeypatch.setattr(getitem, "_owns_filled", lambda tensor: False)
    for found, wanted in zip(in_place, ms.value_and_grad(function)(x), strict=True):
        np.testing.assert_array_equal(found.asnumpy(), wanted.asnumpy())


@pytest.mark.parametrize("function", FUNCTIONS)
def test_every_array_type_gives_the_same_gradients(function, space):
    x = values(4, 3)
    tensor = Tensor._wrap(space.asarray(x))
    outer = ms.grad(lambda x: (ms.grad(function)(x) * x).sum())
    for gradient in (ms.grad(function), outer):
        close(gradient(tensor).asnumpy(), gradient(Tensor(x)).asnumpy())


@pytest.mark.parametrize("function", FUNCTIONS)
def test_jacobians_give_the_same_gradients(function):
    x = values(4, 3)
    close(ms.jacrev(function)(Tensor(x)).asnumpy(), ms.grad(function)(Tensor(x)).asnumpy())


@pytest.mark.parametrize("function", [filled, recurrent, replaced, added, used_between, two])
def test_recorded_steps_give_the_same_gradients(function):
    class Network(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = ms.Parameter(Tensor(values(4, 3).astype(np.float32)), name="w")

        def construct(self, x):
            return function(self.w * x)

    weights = []
    for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
        ms.set_context(mode=mode)
        network = Network()
        step = nn.TrainOneStepCell(network, nn.Momentum(network.trainable_params(), 1e-3, 0.9))
        for i in range(5):
            step(Tensor(values(4, 3).astype(np.float32) * i / 8))
        weights.append(network.w.asnumpy())
    assert any(replays(step))
    np.testing.assert_array_equal(*weights)


@pytest.mark.parametrize("function", [filled, recurrent, added])
def test_the_gradient_is_copied_as_often_for_many_rows_as_for_few(function, monkeypatch):
    made, create = [], overwritten.Overwritten.__init__

    def counted(self, array, is_owned=True):
        made.append(is_owned)
        create(self, array, is_owned)

    monkeypatch.setattr(overwritten.Overwritten, "__init__", counted)
    counts = []
    for rows in (4, 32):
        made.clear()
        ms.grad(function)(Tensor(values(rows, 3) / 4))
        counts.append(sum(made))
    assert counts[0] == counts[1] <= 3


def test_values_are_written_into_the_memory_of_a_tensor_that_nothing_else_holds():
    def places(x, y, each):
        found = set()
        for i in range(x.shape[0]):
            y[i] = x[i]
            found.add(y.asnumpy().ctypes.data)
            each(y)
        return (y**2).sum(), len(found)

    x, outside = Tensor(values(6, 3)), ops.zeros((6, 3), ms.float64)
    for each in (lambda y: None, lambda y: y[0] * x[0]):
        (_, found), _ = ms.value_and_grad(
            lambda x: places(x, ops.zeros_like(x), each), has_aux=True
        )(x)
        assert found == 1
    before = outside.asnumpy().copy()
    ms.grad(lambda x, y: places(x, y, lambda y: None)[0], (0, 1))(x, outside)
    np.testing.assert_array_equal(outside.asnumpy(), before)


def test_holders_keep_the_values_that_they_had():
    seen = []

    def loss(x):
        y = ops.zeros_like(x)
        for i in range(x.shape[0]):
            y[i] = x[i]
            seen.append((y.asnumpy(), y.asnumpy().copy(), y[0:3], y[0:3].asnumpy().copy()))
        return y.sum()

    ms.grad(loss)(Tensor(values(4, 3)))
    for array, copy, part, part_copy in seen:
        np.testing.assert_array_equal(array, copy)
        np.testing.assert_array_equal(part.asnumpy(), part_copy)


def test_values_of_another_shape_are_refused_in_the_second_write_too():
    def loss(x):
        y = ops.zeros_like(x)
        y[0] = x[0]
        y[1] = x[:, 0]
        return y.sum()

    with pytest.raises(ValueError, match="broadcast"):
        ms.grad(loss)(Tensor(values(4, 3)))
