"""The dtype of numbers and lists combined with a Tensor, as observed in MindSpore 2.10."""

import enum

import numpy as np
import pytest
from kit import close

from mindspore_compat import Tensor, float16, float32, grad, int8, int32, jit, ops, uint8
from mindspore_compat._core.declare.op import DECLARED
from mindspore_compat._core.tensor.precision import precision


class Code(enum.IntEnum):
    TWO = 2


@pytest.mark.parametrize(
    ("tensor", "number", "dtype", "result"),
    [
        (Tensor([1.0], float32), np.float64(1.5), float32, 2.5),
        (Tensor([1.0], float16), np.float64(1.5), float16, 2.5),
        (Tensor([1.0], float16), np.float32(1.5), float16, 2.5),
        (Tensor([1], int32), np.float64(1.5), float32, 2.5),
        (Tensor([1], int32), np.int64(1), int32, 2),
        (Tensor([1], uint8), np.int64(1), uint8, 2),
        (Tensor([1], int32), Code.TWO, int32, 3),
        (Tensor([1], int8), [1], int8, 2),
        (Tensor([1.0], float16), [1.0], float16, 2.0),
        (Tensor([1], uint8), 300, uint8, 45),
        (Tensor([1], uint8), -1, uint8, 0),
        (Tensor([1], int8), 200, int8, -55),
        (Tensor([50], int32), 2**31, int32, -2147483598),
    ],
)
def test_a_number_takes_the_dtype_of_its_tensor(tensor, number, dtype, result):
    for found in (
        tensor + number,
        ops.add(tensor, number) if np.isscalar(number) else tensor + tuple(number),
    ):
        assert found.dtype == dtype
        assert found.asnumpy().tolist() == [result]


def test_comparisons_and_quotients_take_an_int_at_its_value():
    pixel = Tensor([50], uint8)
    assert (pixel < 300).asnumpy().tolist() == [True]
    assert (pixel == 306).asnumpy().tolist() == [False]
    assert (pixel >= -1).asnumpy().tolist() == [True]
    close(pixel / 300, [50 / 300], rtol=1e-6, atol=0)
    close(300 / pixel, [6.0], rtol=1e-6, atol=0)


def test_a_list_is_no_equal_of_a_tensor():
    assert (Tensor([1, 2]) == [1, 2]) is False
    assert (Tensor([1, 2]) != (1, 2)) is True


@pytest.mark.parametrize(
    ("axis", "shape"), [(1, (1, 3, 1)), ((0, 1), (3, 1)), (-1, (1, 3)), ((), (3,)), (None, (3,))]
)
def test_squeeze_leaves_longer_axes(axis, shape):
    tensor = Tensor(np.ones((1, 3, 1), np.float32))
    assert tensor.squeeze(axis).shape == ops.squeeze(tensor, axis).shape == shape


@pytest.mark.parametrize("sequence", [(1, 2), [1.5, 2.0], (Tensor(1.0),), ()], ids=repr)
@pytest.mark.parametrize(
    "operate",
    [
        lambda x, y: x * y,
        lambda x, y: y * x,
        lambda x, y: x / y,
        lambda x, y: y / x,
        lambda x, y: x % y,
        lambda x, y: y % x,
        lambda x, y: x**y,
        lambda x, y: x < y,
        lambda x, y: y < x,
        lambda x, y: x <= y,
        lambda x, y: y <= x,
    ],
)
def test_products_quotients_powers_and_orders_take_no_sequences(operate, sequence):
    with pytest.raises(TypeError):
        operate(Tensor([1.0, 2.0]), sequence)


def test_sums_whole_quotients_and_equality_take_sequences():
    x = Tensor([1.0, 2.0])
    assert (x + (1, 2)).asnumpy().tolist() == ([1, 2] + x).asnumpy().tolist() == [2, 4]
    assert (x - [1, 1]).asnumpy().tolist() == [0, 1]
    assert ((1, 2) - x).asnumpy().tolist() == [0, 0]
    assert (x // (1, 2)).asnumpy().tolist() == ([1, 2] // x).asnumpy().tolist() == [1, 1]
    assert ((1, 2) ** x).asnumpy().tolist() == [1, 4]
    assert (x == (1, 3)) is False and (x != [1, 2]) is True


def test_a_graph_takes_sequences_in_products_and_quotients():
    def both(x):
        return x * (1, 2), (1, 2) / x

    product, quotient = jit(both)(Tensor([1.0, 2.0]))
    assert product.asnumpy().tolist() == [1, 4] and quotient.asnumpy().tolist() == [1, 1]


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("clamp", lambda: (Tensor([1.0, -3.0]), -1, 0.5)),
        ("clamp", lambda: (Tensor([1, -3], int8), None, 2)),
        ("lerp", lambda: (Tensor([1.0]), Tensor([2.0]), 0.3)),
        ("addcmul", lambda: (Tensor([1.0]), Tensor([2.0]), Tensor([3.0]), 2)),
        ("cat", lambda: ([Tensor([1.0]), Tensor([2.0])], 0)),
        ("stack", lambda: ((Tensor([1], uint8), Tensor([2], uint8)),)),
    ],
)
def test_common_calls_take_the_straight_path_with_the_same_result(monkeypatch, name, args):
    function, args = getattr(ops, name), args()
    straight = function(*args)
    op = DECLARED["ops"][name][0]

    def refuse(*args, **kwargs):
        raise AssertionError("the general path")

    general = op.run.__globals__["general_"]
    monkeypatch.setitem(op.run.__globals__, "general_", refuse)
    function(*args)
    wanted = general(*args)
    assert straight.dtype == wanted.dtype
    np.testing.assert_array_equal(straight.asnumpy(), wanted.asnumpy())


@pytest.mark.parametrize("name", ["clamp", "addcmul", "stack"])
def test_the_straight_path_records_gradients(name):
    calls = {
        "clamp": lambda x: ops.clamp(x, -0.5, 0.5),
        "addcmul": lambda x: ops.addcmul(x, x, x, value=2.0),
        "stack": lambda x: ops.stack([x, 3 * x]),
    }
    wanted = {"clamp": [0, 1, 0], "addcmul": [-3, 2, 5], "stack": [4, 4, 4]}
    found = grad(lambda x: calls[name](x).sum())(Tensor([-1.0, 0.25, 1.0]))
    np.testing.assert_array_equal(found.asnumpy(), wanted[name])


def test_operands_in_the_float_type_of_a_cell_take_the_straight_path(monkeypatch):
    op, x = DECLARED["ops"]["relu"][0], Tensor([1.0, -1.0], float16)

    def refuse(*args, **kwargs):
        raise AssertionError("the general path")

    with precision(np.dtype(np.float16)):
        assert ops.exp(Tensor([1.0], float32)).dtype == float16
        monkeypatch.setitem(op.run.__globals__, "general_", refuse)
        assert op.run(x).asnumpy().tolist() == [1, 0]
