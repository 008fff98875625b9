"""The inputs and weights for which a gradient is computed, and the form of the result."""

import pytest

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, nn, ops


def product(x, y):
    return x * y


def cubic(x, y):
    return x * x * y


def listed(value):
    """Tensors as nested tuples of Python numbers."""
    if isinstance(value, tuple):
        return tuple(map(listed, value))
    return value.asnumpy().tolist()


X = Tensor([1.0, 2.0])
THREE = Tensor(3.0)


@pytest.mark.parametrize(
    "positions, inputs, expected",
    [
        ((0, 1), (X, 3.0), [3, 3]),
        ((0,), (X, 3.0), [3, 3]),
        (1, (X, 3.0), ()),
        ((0, 1), (3.0, X), [3, 3]),
        ((0, 1), (3.0, 2.0), ()),
        ((0, 1), (X, X + 1), ([2, 3], [1, 2])),
    ],
)
def test_python_numbers_are_left_out_and_a_lone_gradient_stands_by_itself(
    positions, inputs, expected
):
    assert listed(ms.grad(product, positions)(*inputs)) == expected
    assert listed(ms.value_and_grad(product, positions)(*inputs)[1]) == expected


def test_grad_operation_keeps_the_tuple():
    assert listed(ops.GradOperation(get_all=True)(product)(X, 3.0)) == ([3, 3],)


@pytest.mark.parametrize("positions", [(0, 1), (1, 0), (1,), (0, 0)])
def test_tensors_alone_have_the_gradients_of_tensors_beside_others(positions):
    def nested(x, y, *rest):
        return x * y, [x + y, {"square": x * x}], 3

    def beside(x, y):
        return nested(x, y, "other")

    inputs = X, X + 1
    expected = listed(ms.grad(nested, positions)(*inputs, "other"))
    assert listed(ms.grad(nested, positions)(*inputs)) == expected
    assert listed(ms.value_and_grad(beside, positions)(*inputs)[1]) == expected
    assert listed(ops.GradOperation(get_all=True)(nested)(*inputs)) == ([5, 8], [2, 3])


def test_positions_count_keyword_arguments():
    assert listed(ms.grad(product, (0, 1))(X, y=X + 1)) == ([2, 3], [1, 2])
    assert listed(ms.grad(product, 1)(X, y=X + 1)) == [1, 2]
    with pytest.raises(RuntimeError):
        ms.grad(product, 2)(X, y=X)


@pytest.mark.parametrize(
    "take",
    [
        lambda t: ms.grad(cubic, (0, 1))(t, t),
        lambda t: ms.vjp(cubic, t, t)[1](Tensor(1.0)),
        lambda t: ops.GradOperation(get_all=True)(cubic)(t, t),
        lambda t: (ms.grad(cubic, 0)(t, t), ms.grad(cubic, 1)(t, y=t)),
    ],
    ids=["grad", "vjp", "operation", "alone"],
)
def test_a_tensor_given_twice_is_one_input(take):
    assert listed(take(THREE)) == (27, 27)
    assert listed(ms.grad(cubic, (0, 1))(Tensor(3.0), THREE)) == (18, 9)


def test_hooks_of_an_input_see_its_gradient():
    x = Tensor([1.0, 2.0])
    first = x.register_hook(lambda g: g * 2)
    x.register_hook(lambda g: g + 1)
    assert listed(ms.grad(lambda x: x * x)(x)) == [5, 9]
    first.remove()
    assert listed(ops.GradOperation(get_all=True)(cubic)(x, X)) == ([3, 9], [1, 4])
    assert listed(ms.grad(lambda y: x * y)(X)) == [1, 2]


class Net(nn.Cell):
    """The sum of the inputs times a frozen and a trained weight."""

    def __init__(self):
        super().__init__()
        self.frozen = Parameter(Tensor([1.0, 2.0]), requires_grad=False)
        self.trained = Parameter(Tensor([1.0, 2.0]))

    def construct(self, x):
        return (self.frozen * x * self.trained).sum()


def test_a_weight_that_requires_no_gradient_gets_zeros():
    net = Net()
    pair = (net.frozen, net.trained)
    assert listed(ms.grad(net, None, pair)(X)) == ([0, 0], [1, 4])
    assert listed(ms.grad(net, None, net.frozen)(X)) == [0, 0]
    assert listed(ops.GradOperation(get_by_list=True)(net, pair)(X)) == ([0, 0], [1, 4])
    net.frozen.requires_grad = True
    assert listed(ms.grad(net, None, net.frozen)(X)) == [1, 4]


def test_without_inputs_get_all_gives_an_empty_part():
    weight = Parameter(Tensor([1.0, 2.0]), name="w")
    both = ops.GradOperation(get_all=True, get_by_list=True)
    assert listed(both(lambda: (weight * 2).sum(), [weight])()) == ((), ([2, 2],))
    assert listed(both(lambda: (weight * 2).sum(), weight)()) == ((), [2, 2])


@pytest.mark.device
class TestInputsOnTwoDevices:
    """A computation on a host Tensor is recorded on the host until a GPU Tensor joins it."""

    @pytest.fixture
    def pair(self, space):
        x = Tensor([1.0, 2.0])
        return x, Tensor([3.0, 4.0]).to("CPU")

    @staticmethod
    def formula(x, y):
        return (x * (y * y) + y * x).sum()

    def test_gradients(self, pair):
        assert listed(ms.grad(self.formula, (0, 1))(*pair)) == ([12, 20], [7, 18])
        reversed_inputs = ms.grad(lambda y, x: self.formula(x, y), (0, 1))(*pair[::-1])
        assert listed(reversed_inputs) == ([7, 18], [12, 20])

    def test_gradients_of_gradients(self, pair):
        slopes = ms.grad(lambda x, y: ms.grad(self.formula, 1)(x, y).sum(), (0, 1))
        assert listed(slopes(*pair)) == ([7, 9], [2, 4])

    def test_jacobians(self, pair):
        function = lambda x, y: x * y + 2 * y  # noqa: E731
        for jacobian in (ms.jacfwd, ms.jacrev):
            found = jacobian(function, (0, 1))(*pair)
            assert listed(found) == ([[3, 0], [0, 4]], [[3, 0], [0, 4]])

    def test_slices(self, pair):
        mapped = ops.vmap(lambda x, y: x * y + y * y)
        assert listed(mapped(*pair)) == [12, 24]
        assert listed(mapped(*pair[::-1])) == [4, 12]

    @pytest.mark.parametrize("move", [lambda x: x.to("CPU"), lambda x: ops.move_to(x, "CPU")])
    def test_a_gradient_passes_a_move(self, pair, move):
        assert listed(ms.grad(lambda x: (move(x * 2) * pair[1]).sum())(pair[0])) == [6, 8]


@pytest.mark.parametrize("jacobian", [ms.jacfwd, ms.jacrev])
def test_jacobians_are_nested_by_output_first(jacobian):
    def pair(x, y):
        return x * y, x + 2 * y

    two = Tensor(2.0)
    assert listed(jacobian(pair, (0, 1))(two, THREE)) == ((3, 2), (1, 2))
    assert listed(jacobian(pair, 0)(two, THREE)) == (3, 1)
    assert listed(jacobian(pair, (1,))(two, THREE)) == (2, 2)
    assert listed(jacobian(product, (0, 1))(two, THREE)) == (3, 2)
    assert listed(jacobian(pair, (0, 1), has_aux=True)(two, THREE)) == ((3, 2), 8)


@pytest.mark.parametrize("jacobian", [ms.jacfwd, ms.jacrev])
@pytest.mark.parametrize("positions", [2, -1, (0, 2), (0, 0), ()])
def test_jacobians_refuse_positions_of_no_input(jacobian, positions):
    with pytest.raises(ValueError, match="grad_position"):
        jacobian(product, positions)(X, X)
