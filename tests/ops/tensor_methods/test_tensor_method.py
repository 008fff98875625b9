"""Methods of Tensor as functions, with the results of 2.10."""

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor
from mindspore_compat.ops import tensor_method

X = Tensor([[-1.0, 2.0], [3.0, 4.0]], ms.float32)


@pytest.mark.parametrize(
    "name, arguments, expected",
    [
        ("tensor_abs", (), [[1, 2], [3, 4]]),
        ("tensor_add_ext", (X,), [[-2, 4], [6, 8]]),
        ("tensor_sum_ext", (0, True), [[2, 6]]),
        ("tensor_max", (), 4),
        ("deprecated_tensor_max", (), 4),
        ("deprecated_tensor_sum", (), 8),
        ("deprecated_tensor_mean", (0,), [1, 3]),
    ],
)
def test_a_method_as_a_function(name, arguments, expected):
    function = getattr(tensor_method, name)
    assert function.__name__ == name
    np.testing.assert_array_equal(function(X, *arguments).asnumpy(), expected)


def test_keywords():
    found = tensor_method.tensor_add_ext(input=X, other=X, alpha=2)
    np.testing.assert_array_equal(found.asnumpy(), 3 * X.asnumpy())


def test_gradients_pass():
    gradient = ms.grad(lambda x: tensor_method.tensor_abs(x).sum())(X)
    np.testing.assert_array_equal(gradient.asnumpy(), [[-1, 1], [1, 1]])


def test_the_input_must_be_a_tensor():
    with pytest.raises(TypeError, match="'input' must be a Tensor, but got 3"):
        tensor_method.tensor_abs(3)


def test_names_of_the_operators_are_there_and_others_are_not():
    assert tensor_method.cos is ms.ops.cos
    for name in ("tensor_no_such_method", "deprecated_tensor__wrap", "tensor_"):
        with pytest.raises(AttributeError, match=name):
            getattr(tensor_method, name)


def test_requires_grad_of_tensors_and_parameters_under_one_name():
    x, weight = ms.Tensor([1.0, 2.0]), ms.Parameter(ms.Tensor([3.0]), name="weight")
    seen = []

    def loss(x):
        seen.append(x._requires_grad)
        return (x * 2).sum()

    ms.grad(loss)(x)
    assert (x._requires_grad, weight._requires_grad, seen) == (False, True, [True])
    weight._requires_grad = False
    assert not weight.requires_grad
    x._requires_grad = True
    assert x._requires_grad
    with pytest.raises(TypeError, match="_requires_grad"):
        x._requires_grad = 1
