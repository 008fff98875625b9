"""Gradients in several threads at once."""

import threading

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor


def test_a_gradient_in_another_thread_does_not_nest():
    """Within a gradient computation, another thread computes its own outermost gradient."""
    found = []

    def other():
        value, gradient = ms.value_and_grad(lambda x: (x * x).sum())(Tensor([3.0]))
        found.extend([value._node, gradient.asnumpy().tolist()])

    def function(x):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        return x * 2

    assert ms.grad(function)(Tensor([1.0])).asnumpy().tolist() == [2.0]
    assert found == [None, [6.0]]


def test_one_parameter_in_two_threads_is_refused():
    weight = Parameter(Tensor([2.0]), name="weight")
    refused = []

    def other():
        with pytest.raises(RuntimeError, match="weight"):
            ms.grad(lambda x: x * weight, None, [weight])(Tensor([1.0]))
        refused.append(True)

    def function(x):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        return x * weight

    gradient = ms.grad(function, None, [weight])(Tensor([5.0]))
    assert refused == [True]
    np.testing.assert_array_equal(gradient[0].asnumpy(), [5.0])
    assert weight._node is None


def test_a_weight_that_cannot_be_opened_leaves_nothing_open():
    weight = Parameter(Tensor([2.0]), name="weight")
    with pytest.raises(TypeError, match="weights"):
        ms.grad(lambda x: x * weight, None, [weight, "no Parameter"])(Tensor([1.0]))
    assert weight._node is None
    assert ms.value_and_grad(lambda x: x * x)(Tensor([3.0]))[0]._node is None


def test_an_input_written_to_keeps_its_gradient():
    def function(x):
        x[0] = 0
        return x * x

    given = Tensor([3.0, 1.0, 2.0])
    np.testing.assert_array_equal(ms.grad(function)(given).asnumpy(), [0.0, 2.0, 4.0])
    np.testing.assert_array_equal(given.asnumpy(), [3.0, 1.0, 2.0])


def in_another_thread(function):
    """What `function()` returns in a thread of its own."""
    found = []
    thread = threading.Thread(target=lambda: found.append(function()))
    thread.start()
    thread.join()
    return found[0]


def test_a_float_type_asked_for_stays_in_its_thread():
    dtypes = []

    class Net(ms.nn.Cell):
        def construct(self, x):
            dtypes.append(in_another_thread(lambda: (Tensor([1.0]) * Tensor([2.0])).dtype))
            return x * Tensor([2.0])

    assert Net().to_float(ms.float16)(Tensor([1.0])).dtype == ms.float16
    assert dtypes == [ms.float32]


def test_a_vmap_stays_in_its_thread():
    gradients = []

    def function(x):
        gradients.append(in_another_thread(lambda: ms.grad(lambda y: y * y)(Tensor([3.0]))))
        return x * 2

    assert ms.vmap(function)(Tensor([1.0, 2.0])).asnumpy().tolist() == [2.0, 4.0]
    assert gradients[0].asnumpy().tolist() == [6.0]
