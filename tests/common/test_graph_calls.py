"""Inputs and outputs of a graph, under `jit` and for Cells in graph mode.

The results are those of MindSpore 2.10 on a CPU.
"""

import copy
import pickle

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, nn, ops


class Calls(nn.Cell):
    """A Cell that calls a function."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def construct(self, *inputs):
        return self.function(*inputs)


@pytest.fixture(params=["jit", "Cell"])
def graph(request):
    """What makes a graph of a function."""
    if request.param == "jit":
        yield ms.jit
        return
    ms.set_context(mode=ms.GRAPH_MODE)
    yield Calls
    ms.set_context(mode=ms.PYNATIVE_MODE)


def whole(x):
    x[0] = 5.0
    return x


def view(x):
    row = x[0]
    row[:] = 5.0
    return row


def reshaped(x):
    flat = x.reshape(-1)
    flat[0] += 5.0
    return flat


def masked(x):
    x[x > 2] = 0.0
    return x


def within(x):
    return Calls(whole)(x * 1)


@pytest.mark.parametrize("function", [whole, view, reshaped, masked, within])
def test_a_write_at_an_index_stays_within(graph, function):
    x = Tensor(np.arange(6.0, dtype=np.float32).reshape(2, 3))
    expected = function(Tensor(x.asnumpy().copy())).asnumpy()
    net = graph(function)
    for _ in range(2):
        np.testing.assert_array_equal(net(x).asnumpy(), expected)
        np.testing.assert_array_equal(x.asnumpy().ravel(), np.arange(6.0))


def by_number(x):
    x[0][1] = -1.0
    return x


def in_a_loop(x):
    at = x.argmax(axis=1)
    for row in range(x.shape[0]):
        x[row][at[row]] = -1.0
    return x


def augmented(x):
    x[1][0:2] += 4.0
    return x


def over_lines(x):
    x[-1][2] = -1.0
    return x


def of_a_list(x):
    items = [x + 0, x]
    items[0][1][2] = -1.0
    return items[0]


def of_a_choice(x):
    x[[0, 1]][1] = -1.0
    return x


def of_a_slice(x):
    x[0:2][1] = -1.0
    return x


def of_a_name(x):
    row = x[0]
    row[1] = -1.0
    return x


ITEMS = [
    (by_number, [0, -1, 2, 3, 4, 5]),
    (in_a_loop, [0, 1, -1, 3, 4, -1]),
    (augmented, [0, 1, 2, 7, 8, 5]),
    (over_lines, [0, 1, 2, 3, 4, -1]),
    (of_a_list, [0, 1, 2, 3, 4, -1]),
    (of_a_choice, [0, 1, 2, -1, -1, -1]),
    (of_a_slice, [0, 1, 2, 3, 4, 5]),
    (of_a_name, [0, 1, 2, 3, 4, 5]),
]


@pytest.mark.parametrize("function, expected", ITEMS, ids=lambda x: getattr(x, "__name__", ""))
def test_an_item_of_an_item_is_assigned_to(graph, function, expected):
    x = Tensor(np.arange(6.0, dtype=np.float32).reshape(2, 3))
    assert graph(function)(x).asnumpy().ravel().tolist() == expected
    assert x.asnumpy().ravel().tolist() == [0, 1, 2, 3, 4, 5]


def test_a_parameters_item_of_an_item_is_assigned_to(graph):
    weight = ms.Parameter(Tensor(np.zeros((2, 2, 2), np.float32)), name="weight")

    def write(x):
        weight[0][1][0] = x
        return x

    graph(write)(3.0)
    assert weight.asnumpy().ravel().tolist() == [0, 0, 3, 0, 0, 0, 0, 0]


def test_gradient_of_an_item_of_an_item(graph):
    def write(x):
        y = x * 2.0
        y[0][1] = x[1][2] * 3.0
        return y.sum()

    x = Tensor(np.arange(6.0, dtype=np.float32).reshape(2, 3))
    assert ms.grad(graph(write))(x).asnumpy().tolist() == [[2.0, 0.0, 2.0], [2.0, 2.0, 5.0]]


def test_items_of_a_graph_can_be_copied_and_pickled():
    item = ms.jit(lambda x: x[0])(Tensor([[1.0, 2.0]]))
    for found in (copy.deepcopy(item), pickle.loads(pickle.dumps(item))):
        assert found.asnumpy().tolist() == [1.0, 2.0]


def test_a_parameter_is_written_to(graph):
    weight = ms.Parameter(Tensor([1.0, 2.0]), name="weight")

    def write(x):
        weight[0] = 7.0
        return x

    graph(write)(Tensor([1.0]))
    assert weight.asnumpy().tolist() == [7.0, 2.0]


def test_operators_in_place_write_to_the_input(graph):
    x = Tensor([1.0, 2.0])
    graph(lambda x: x.add_(5.0))(x)
    assert x.asnumpy().tolist() == [6.0, 7.0]


def test_the_gradient_passes_through(graph):
    def square_but_first(x):
        x = x * x
        x[0] = 1.0
        return x

    x = Tensor([3.0, 4.0])
    assert ms.grad(graph(square_but_first))(x).asnumpy().tolist() == [0.0, 8.0]
    assert ms.grad(graph(whole))(x).asnumpy().tolist() == [0.0, 1.0]
    assert x.asnumpy().tolist() == [3.0, 4.0]


def test_a_tensor_that_is_given_twice_stays_one():
    x = Tensor([1.0, 2.0])
    assert ms.jit(lambda x, items: x in items)(x, [x, Tensor([3.0, 4.0])])


def test_a_list_is_the_graphs_own():
    def appended(items):
        items.append(3)
        return items

    given = [1, 2]
    assert ms.jit(appended)(given) == [1, 2, 3]
    assert given == [1, 2]


RESULTS = {
    "range": (lambda: range(2), (0, 1)),
    "zip": (lambda: zip((1, 2), (3, 4)), ((1, 3), (2, 4))),
    "enumerate": (lambda: enumerate((5, 6)), ((0, 5), (1, 6))),
    "map": (lambda: map(lambda a: a + 1, (1, 2)), (2, 3)),
    "filter": (lambda: filter(lambda a: a > 1, (1, 2)), [2]),
    "generator": (lambda: (a for a in (1, 2)), [1, 2]),
    "keys": (lambda: {"a": 1}.keys(), ("a",)),
    "items": (lambda: ({"a": 1}.items(), {"a": 1}.values()), ([("a", 1)], (1,))),
    "variable": (lambda: ms.mutable(2) + 1, 3),
}


@pytest.mark.parametrize("function, expected", RESULTS.values(), ids=RESULTS)
def test_what_a_graph_returns(function, expected):
    found = ms.jit(function)()
    assert (type(found), found) == (type(expected), expected)


_LISTS = [[1, "a"], [Tensor([1.0])], [[1], 2]]


@pytest.mark.parametrize("own", _LISTS, ids=str)
def test_a_list_that_is_returned_unchanged_is_the_callers(graph, own):
    assert graph(lambda x: own)(Tensor([1.0])) is own
    assert graph(lambda given: given)(own) is own
    inner = graph(lambda x: (own, x))(Tensor([1.0]))[0]
    assert inner is own


def test_a_list_with_other_items_is_another(graph):
    given, held = [1, 2], [range(2)]

    def append(values):
        values.append(3)
        return values

    assert graph(append)(given) == [1, 2, 3]
    assert given == [1, 2]
    assert graph(lambda x: held)(Tensor([1.0])) == [(0, 1)]
    assert held == [range(2)]


def test_a_map_of_arrays_stays_one():
    found = ms.jit(lambda: map(abs, np.array([1, -2])))()
    assert isinstance(found, map)
    assert list(found) == [1, 2]


def test_outside_a_graph_writes_go_to_the_tensor():
    x = Tensor([1.0, 2.0])
    ms.jit(lambda x: x)(x)
    view = ops.reshape(x, (1, 2))
    view[0, 0] = 9.0
    assert whole(x) is x
    assert x.asnumpy().tolist() == [5.0, 2.0]


@pytest.mark.parametrize(
    "returned",
    [whole, lambda: [whole, 1], ops.relu, ops.Add(), nn.ReLU(), len, Tensor([1.0]).abs],
    ids=["function", "nested", "ops", "Primitive", "Cell", "builtin", "method"],
)
def test_a_graph_returns_no_functions(graph, returned):
    returned = returned() if getattr(returned, "__name__", "") == "<lambda>" else returned
    with pytest.raises(RuntimeError, match="Function in output is not supported"):
        graph(lambda x: returned)(Tensor([1.0]))


class OwnGradient(nn.Cell):
    def __init__(self, kind):
        super().__init__()
        self.kind = kind

    def construct(self, x, y):
        return x * y

    def bprop(self, x, y, out, dout):
        return self.kind((dout * 3, dout * 7))


def test_bprop_within_a_graph_returns_a_tuple(graph):
    x = Tensor([2.0])

    def gradients(kind):
        return graph(lambda x: ms.grad(OwnGradient(kind), (0, 1))(x, x + 1))(x)

    assert gradients(tuple) == (Tensor([3.0]), Tensor([7.0]))
    with pytest.raises(TypeError, match="output should be a tuple"):
        gradients(list)


def test_bprop_outside_of_a_graph_may_return_a_list():
    found = ms.grad(OwnGradient(list), (0, 1))(Tensor([2.0]), Tensor([2.0]))
    assert found == (Tensor([3.0]), Tensor([7.0]))


class Counts(nn.Cell):
    """A Cell that adds to its Parameter and returns it, alone or with others."""

    def __init__(self, form):
        super().__init__()
        self.total = ms.Parameter(Tensor([0.0]), name="total")
        self.form = form

    def construct(self, x):
        ops.assign_add(self.total, x)
        return self.form(self.total)


FORMS = [lambda p: p, lambda p: (p,), lambda p: [p], lambda p: {"a": p}, lambda p: ((1, p),)]


def inner(result):
    """The Tensor in a result of `Counts`."""
    while not isinstance(result, Tensor):
        result = list(result.values() if isinstance(result, dict) else result)[-1]
    return result


@pytest.mark.parametrize("form", FORMS)
def test_a_returned_parameter_is_its_value_at_that_call(form):
    ms.set_context(mode=ms.GRAPH_MODE)
    net = Counts(form)
    results = [inner(net(Tensor([1.0]))) for _ in range(5)]  # ordinary, recorded and replayed calls
    assert [type(result) for result in results] == [Tensor] * 5
    assert [float(result[0]) for result in results] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("form", FORMS)
def test_outside_a_graph_a_returned_parameter_is_itself(form):
    ms.set_context(mode=ms.PYNATIVE_MODE)
    net = Counts(form)
    assert inner(net(Tensor([1.0]))) is net.total
