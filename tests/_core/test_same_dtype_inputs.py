"""Inputs that must have one dtype, stated once in a declaration: `SameDtype` and `OneDtype`."""

import numpy as np
import pytest

from mindspore_compat import Tensor
from mindspore_compat._core.declare.inputs import Promote, SameDtype
from mindspore_compat._core.declare.op import op
from mindspore_compat._core.declare.public_api import build
from mindspore_compat._core.rules.vocabulary import OneDtype, TensorOf, any_dtype, checked

Anything = TensorOf(any_dtype)
Value = TensorOf(any_dtype, scalars=True)
ONE, TWO = Tensor(np.ones(2, np.float32)), Tensor(np.ones(2, np.int32))


@op(
    "for_tests_alike.joined(first: x, y, factor=None)",
    "for_tests_alike.Joined(factor=2)(x, y)",
    types=(Promote("x y"), SameDtype("x y")),
)
def joined(xp, x: Value, y: Value, factor: Value = None):
    """x + y."""
    return x + y


@checked(OneDtype("x y"))
def summed(x: Anything, y: Anything | None = None):
    """x and y, added up."""
    return x if y is None else x + y


@pytest.mark.parametrize(
    "call",
    [
        lambda: build("for_tests_alike", "joined")(ONE, TWO),
        lambda: build("for_tests_alike", "Joined")().construct(ONE, TWO),
    ],
)
def test_an_op_refuses_inputs_of_different_dtypes(call):
    with pytest.raises(TypeError, match="must have one dtype, but got Float32, Int32"):
        call()


def test_an_op_takes_inputs_of_one_dtype_beside_others_and_numbers():
    made = build("for_tests_alike", "joined")
    assert made(ONE, ONE, TWO).asnumpy().tolist() == [2.0, 2.0]
    assert made(ONE, 1).asnumpy().tolist() == [2.0, 2.0]
    assert "TypeError: if `first`, `y` have different dtypes." in made.__doc__


def test_a_checked_function_refuses_inputs_of_different_dtypes():
    assert summed(ONE) is ONE
    assert summed(ONE, ONE).dtype == ONE.dtype
    with pytest.raises(TypeError, match="For 'summed', 'x', 'y' must have one dtype, but got "):
        summed(ONE, TWO)
    with pytest.raises(TypeError, match="For 'summed', 'x' must be a Tensor"):
        summed(1, TWO)


def test_none_is_no_tensor_where_nothing_says_so():
    made = build("for_tests_alike", "joined")
    assert made(ONE, ONE, None).dtype == ONE.dtype
    with pytest.raises(TypeError, match="'y' must be a Tensor or a number, but got None"):
        made(ONE, None)
