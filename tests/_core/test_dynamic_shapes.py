"""Tensors with unknown lengths, Symbols, and `set_inputs` of a Cell."""

import copy
import pickle

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Symbol, Tensor, nn

KNOWN = Symbol(divisor=8, remainder=1)
SAME = Symbol(max=32, unique=True)
RANGE = Symbol(min=4, max=6)
IMAGES = (None, KNOWN, KNOWN, SAME, SAME)


@pytest.fixture
def graph():
    ms.set_context(mode=ms.GRAPH_MODE)
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


@pytest.mark.parametrize(
    "shape, shown",
    [
        ((None, 3), (-1, 3)),
        ([None], (-1,)),
        (None, (-2,)),
        ((-1, 3), (-1, 3)),
        ((-2,), (-2,)),
        (IMAGES, (-1,) * 5),
    ],
)
def test_a_tensor_of_unknown_lengths(shape, shown):
    tensor = Tensor(shape=shape, dtype=ms.float16)
    assert isinstance(tensor, Tensor) and tensor.shape == shown and tensor.ndim == len(shown)
    assert (tensor.dtype, tensor.size, tensor.nbytes, tensor.itemsize) == (ms.float16, 0, 0, 2)
    assert repr(tensor) == f"Tensor(shape={list(shown)}, dtype=Float16, value= )"


def test_symbols_are_shown():
    assert Tensor(shape=(None, 3), dtype=ms.float32).symbolic_shape is None
    assert Tensor(shape=(None, KNOWN), dtype=ms.float32).symbolic_shape == [
        None,
        {"divisor": 8, "remainder": 1},
    ]


@pytest.mark.parametrize(
    "use",
    [
        lambda t: t.asnumpy(),
        lambda t: t + 1,
        ms.ops.relu,
        lambda t: t[0],
        lambda t: Tensor(t),
        lambda t: t.copy(),
    ],
)
def test_it_has_no_values(use):
    with pytest.raises(ValueError, match="not known"):
        use(Tensor(shape=(None, 3), dtype=ms.float32))


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))]
)
def test_it_is_copied_without_values(copied):
    made = copied(Tensor(shape=(None, 3), dtype=ms.float16))
    assert made.shape == (-1, 3) and made.dtype == ms.float16


def test_a_cell_is_copied_with_its_inputs(graph):
    net = nn.Dense(3, 1)
    net.set_inputs(Tensor(shape=(None, SAME), dtype=ms.float32))
    made = copy.deepcopy(net)
    assert made.get_inputs()[0].symbolic_shape == [None, SAME.to_dict()]
    assert made(Tensor(np.ones((2, 3), np.float32))).shape == (2, 1)


def test_refused_shapes():
    with pytest.raises(ValueError, match="dtype"):
        Tensor(shape=(None, 3))
    with pytest.raises(ValueError, match="init"):
        Tensor(shape=(None, 3), dtype=ms.float32, init=ms.common.initializer.One())
    with pytest.raises(TypeError, match="shape"):
        Tensor(shape=(None, "a"), dtype=ms.float32)


@pytest.mark.parametrize(
    "arguments, shown",
    [
        ({}, {}),
        ({"max": 3, "min": 5}, {"min": 5}),
        ({"divisor": 8}, {"divisor": 8}),
        (
            {"max": 9, "min": 2, "divisor": 4, "remainder": 3},
            {"max": 9, "divisor": 4, "remainder": 3},
        ),
        ({"max": -3}, {}),
    ],
)
def test_what_a_symbol_tells(arguments, shown):
    assert Symbol(**arguments).to_dict() == shown and str(Symbol(**arguments)) == str(shown)


def test_symbols_of_one_length_are_distinguished():
    first, second = Symbol(unique=True), Symbol(unique=True)
    assert first.to_dict()["id"] != second.to_dict()["id"]


@pytest.mark.parametrize(
    "arguments, error",
    [
        ({"max": "a"}, TypeError),
        ({"min": 1.5}, TypeError),
        ({"divisor": None}, TypeError),
        ({"remainder": "1"}, TypeError),
        ({"unique": 1}, TypeError),
        ({"min": 0}, ValueError),
        ({"min": False}, ValueError),
        ({"divisor": 0}, ValueError),
        ({"remainder": 1}, ValueError),
        ({"divisor": 8, "remainder": 8}, ValueError),
        ({"remainder": -1}, ValueError),
    ],
)
def test_refused_symbols(arguments, error):
    with pytest.raises(error, match="Symbol"):
        Symbol(**arguments)


def run(given, shape, dtype=np.float32):
    net = nn.ReLU()
    net.set_inputs(given)
    return net(Tensor(np.ones(shape, dtype))).shape


def floats(*shape):
    return Tensor(shape=shape, dtype=ms.float32)


@pytest.mark.parametrize(
    "given, shape",
    [
        (floats(None, 3), (2, 3)),
        (floats(*IMAGES), (1, 9, 17, 32, 32)),
        (floats(*IMAGES), (8, 25, 9, 30, 30)),
        (floats(RANGE, 3), (4, 3)),
        (floats(RANGE, 3), (6, 3)),
        (floats(-2), (7, 3)),
        (Tensor(np.ones((2, 3), np.float32)), (2, 3)),
    ],
)
def test_inputs_that_fit(graph, given, shape):
    assert run(given, shape) == shape


REFUSED = [
    (floats(None, 3), (2, 4), np.float32, ValueError),
    (floats(None, 3), (2, 3, 1), np.float32, ValueError),
    (floats(None, 3), (2, 3), np.int32, TypeError),
    (Tensor(np.ones((2, 3), np.float32)), (3, 3), np.float32, ValueError),
    (floats(*IMAGES), (1, 9, 16, 32, 32), np.float32, ValueError),
    (floats(*IMAGES), (1, 1, 17, 32, 32), np.float32, ValueError),
    (floats(*IMAGES), (1, 9, 17, 33, 33), np.float32, ValueError),
    (floats(*IMAGES), (1, 9, 17, 30, 31), np.float32, ValueError),
    (floats(RANGE, 3), (7, 3), np.float32, ValueError),
    (floats(RANGE, 3), (3, 3), np.float32, ValueError),
]


@pytest.mark.parametrize("given, shape, dtype, error", REFUSED)
def test_inputs_that_do_not_fit(graph, given, shape, dtype, error):
    with pytest.raises(error, match="set_inputs"):
        run(given, shape, dtype)


@pytest.mark.parametrize("given, shape, dtype, error", REFUSED)
def test_without_a_graph_every_input_is_taken(given, shape, dtype, error):
    assert run(given, shape, dtype) == shape


class Pair(nn.Cell):
    """Adds two inputs, the second of them a tuple's."""

    def construct(self, x, others=None):
        return x + others[0]


def test_inputs_by_name_and_in_tuples(graph):
    net = Pair()
    net.set_inputs(others=(floats(None),))
    x = Tensor(np.ones((3,), np.float32))
    assert net(x, (x,)).shape == (3,) and net(x, others=[x]).shape == (3,)
    with pytest.raises(ValueError, match="others"):
        net(x, (x.reshape(3, 1),))
    with pytest.raises(ValueError, match="elements"):
        net(x, others=(x, x))
    net.set_inputs()
    assert net(x, (x.reshape(3, 1),)).shape == (3, 3)
