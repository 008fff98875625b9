"""MsDispatchMode: a method of the script intercepts operations."""

import threading

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, nn, ops
from mindspore_compat._backend import arrays
from mindspore_compat._backend.steps.recording import StepRecorder

X, Y = Tensor([1.0, 2.0, 3.0]), Tensor([4.0, 5.0, 6.0])


class Logged(ms.MsDispatchMode):
    """Notes the names of operations."""

    def __init__(self):
        self.names = []

    def __ms_dispatch__(self, func, args, kwargs=None):
        self.names.append(func.name)
        return func(*args)


def test_operations_reach_the_innermost_mode():
    outer, inner = Logged(), Logged()
    with outer as entered:
        total = X + Y
        with inner:
            product = X * 2
        difference = X - Y
    after = X * Y
    assert entered is outer
    assert outer.names == ["Add", "Mul", "Sub"]  # what the inner mode computes goes to the outer
    assert inner.names == ["Mul"]
    assert [t.asnumpy().tolist() for t in (total, product, difference, after)] == [
        [5, 7, 9],
        [2, 4, 6],
        [-3, -3, -3],
        [4, 10, 18],
    ]


def test_a_mode_decorates_a_function():
    mode = Logged()

    @mode
    def product(a, b):
        return ops.matmul(a, b)

    assert product(X, Y).item() == 32
    assert mode.names == ["MatMul"]


def test_operations_in_a_mode_have_gradients_and_low_precision():
    net = nn.Dense(3, 2)
    mode = Logged()
    with mode:
        gradient = ms.grad(lambda x: (ops.sigmoid(x) * x).sum())(X)
        out = net(Tensor(np.ones((2, 3), np.float32)))
        half = ops.relu(X.astype(ms.float16))
    expected = ms.grad(lambda x: (ops.sigmoid(x) * x).sum())(X)
    assert np.array_equal(gradient.asnumpy(), expected.asnumpy())
    assert out.shape == (2, 2)
    assert half.dtype == ms.float16
    assert {"Sigmoid", "Dense", "ReLU"} <= set(mode.names)


def test_a_mode_replaces_results_and_its_own_operations_are_not_given_to_it():
    class Product(ms.MsDispatchMode):
        def __ms_dispatch__(self, func, args, kwargs=None):
            return X * Y if func.name == "Add" else func(*args)

    with Product():
        assert (X + Y).asnumpy().tolist() == [4, 10, 18]


def test_errors_leave_the_mode():
    class Failing(ms.MsDispatchMode):
        def __ms_dispatch__(self, func, args, kwargs=None):
            raise KeyError(func.name)

    class Narrow(ms.MsDispatchMode):
        def __ms_dispatch__(self, func):
            return func()

    with pytest.raises(KeyError, match="Add"), Failing():
        X + Y
    with pytest.raises(TypeError), Narrow():
        X + Y
    assert (X + Y).asnumpy().tolist() == [5, 7, 9]


def test_a_mode_is_in_force_in_its_thread_alone():
    mode, found = Logged(), []
    with mode:
        thread = threading.Thread(target=lambda: found.append((X + Y).asnumpy().tolist()))
        thread.start()
        thread.join()
    assert found == [[5, 7, 9]]
    assert mode.names == []


def test_only_arrays_of_a_library_take_the_straight_line_path_afterwards():
    with StepRecorder():
        assert not arrays.DIRECT
        with Logged():
            assert not arrays.DIRECT
        assert not arrays.DIRECT
    assert all(kind is space.module.ndarray for kind, space in arrays.DIRECT.items())
    assert np.ndarray in arrays.DIRECT
