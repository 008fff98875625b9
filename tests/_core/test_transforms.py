"""grad, value_and_grad, vjp, jvp, vmap, Jacobians, hooks, recompute: the form and the values of the
result.
"""

import copy
import gc
import pickle

import pytest
from kit import close

import mindspore_compat as ms
from mindspore_compat import Parameter, ParameterTuple, Tensor, nn, ops
from mindspore_compat._core.gradients.leaves import WEIGHTS
from mindspore_compat.common.api import _no_grad

X, Y = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])


def product(x, y):
    return x * y


def pair(x, y):
    return x * y, x + y


@pytest.fixture
def weights():
    return Parameter(Tensor([2.0, 2.0]), name="w"), Parameter(Tensor([3.0]), name="v")


def listed(value):
    """Nested Tensors as nested lists."""
    if isinstance(value, Tensor):
        return value.tolist()
    return tuple(listed(v) for v in value) if isinstance(value, tuple) else value


@pytest.mark.parametrize(
    "position, wanted",
    [(0, [3.0, 4.0]), ((0,), [3.0, 4.0]), (1, [1.0, 2.0]), ((0, 1), ([3.0, 4.0], [1.0, 2.0]))],
)
def test_form_by_position(position, wanted):
    assert listed(ms.grad(product, position)(X, Y)) == wanted
    assert listed(ms.value_and_grad(product, position)(X, Y)) == ([3.0, 8.0], wanted)


def test_form_by_weights(weights):
    w, v = weights

    def net(x):
        return (x * w).sum() * v

    assert listed(ms.grad(net, None, w)(X)) == [3.0, 6.0]
    assert listed(ms.grad(net, None, [w])(X)) == ([3.0, 6.0],)
    assert listed(ms.grad(net, 0, ParameterTuple([w, v]))(X)) == ([6.0, 6.0], ([3.0, 6.0], [6.0]))
    found = ms.grad(net, (0,), [w], return_ids=True)(X)
    assert listed(found) == ((0, [6.0, 6.0]), (("w", [3.0, 6.0]),))
    assert listed(ms.get_grad(found, 0)) == [6.0, 6.0]
    assert listed(ms.get_grad(found, w)) == [3.0, 6.0]
    assert w._node is None and v._node is None


def test_aux_outputs_are_handed_through():
    gradients, (aux,) = ms.grad(pair, has_aux=True)(X, Y)
    assert (listed(gradients), listed(aux)) == ([3.0, 4.0], [4.0, 6.0])
    assert listed(ms.grad(pair)(X, Y)) == [4.0, 5.0]


@pytest.mark.parametrize(
    "arguments, error",
    [
        ((product, -1), ValueError),
        ((product, "a"), TypeError),
        ((product, (0, "a")), TypeError),
        ((product, None, None), ValueError),
        ((product, 0.5), TypeError),
    ],
)
def test_refused_arguments(arguments, error):
    with pytest.raises(error):
        ms.grad(*arguments)


def test_positions_may_be_bools_and_weights_are_looked_at_in_use():
    assert listed(ms.grad(product, True)(X, Y)) == listed(ms.grad(product, 1)(X, Y))
    gradient = ms.value_and_grad(product, 0, weights=0.5)
    with pytest.raises(TypeError, match="'value_and_grad', 'weights'"):
        gradient(X, Y)


@pytest.mark.parametrize("weights", [0.5, "a", [0.5]])
def test_weights_of_vjp_that_are_none_are_refused(weights):
    with pytest.raises(TypeError, match="'vjp', 'weights'"):
        ms.vjp(product, X, Y, weights=weights)


def test_position_beyond_the_inputs():
    with pytest.raises(RuntimeError, match="grad_position"):
        ms.grad(product, 2)(X, Y)


def test_what_is_not_reached_has_zero_gradient():
    assert listed(ms.grad(lambda x, y: (x * x).sum(), 1)(X, Y)) == [0.0, 0.0]
    assert listed(ms.grad(lambda x: x > 1)(X)) == [0.0, 0.0]
    assert ms.grad(lambda x: x * 2)(2.0) == ()
    assert listed(ms.grad(lambda x: x[0] * x[1])(ms.mutable((X, Y)))) == ([3.0, 4.0], [1.0, 2.0])


def test_an_error_restores_the_weights(weights):
    w, _ = weights

    def broken(x):
        raise KeyError("inside")

    with pytest.raises(KeyError):
        ms.grad(broken, None, [w])(X)
    assert w._node is None
    assert (w * 2)._node is None


def test_higher_orders():
    def cube(x):
        return x * x * x

    assert listed(ms.grad(ms.grad(cube))(X)) == [6.0, 12.0]
    assert listed(ms.grad(ms.grad(ms.grad(cube)))(X)) == [6.0, 6.0]

    def nested(x):  # x d/dy (x y) = x²
        return x * ms.grad(lambda y: x * y)(x)

    assert listed(ms.grad(nested)(X)) == [2.0, 4.0]


def test_vjp_and_jvp():
    out, pull = ms.vjp(product, X, Y)
    assert (listed(out), listed(pull(X))) == ([3.0, 8.0], ([3.0, 8.0], [1.0, 4.0]))
    assert listed(ms.jvp(product, (X, Y), (X, Y))) == ([3.0, 8.0], [6.0, 16.0])
    out, pushed, aux = ms.jvp(pair, (X, Y), (X, Y), has_aux=True)
    assert (listed(pushed), listed(aux)) == ([6.0, 16.0], [4.0, 6.0])
    assert listed(ms.grad(lambda x: ms.jvp(lambda a: a * a * a, x, Tensor([1.0, 1.0]))[1])(X)) == [
        6.0,
        12.0,
    ]


def test_vjp_of_weights(weights):
    w, _ = weights
    pull = ms.vjp(lambda x: x * w, X, weights=[w])[1]
    assert listed(pull(Tensor([1.0, 1.0]))) == (([2.0, 2.0],), ([1.0, 2.0],))


def test_grad_operation(weights):
    w, v = weights

    def net(x):
        return (x * w).sum() * v

    assert listed(ops.GradOperation()(product)(X, Y)) == [3.0, 4.0]
    assert listed(ops.GradOperation(get_all=True)(product)(X, Y)) == ([3.0, 4.0], [1.0, 2.0])
    both = ops.GradOperation(get_all=True, get_by_list=True)(net, ParameterTuple([w, v]))
    assert listed(both(X)) == (([6.0, 6.0],), ([3.0, 6.0], [6.0]))
    assert listed(ops.GradOperation(get_by_list=True)(net)(X)) == ([3.0, 6.0], [6.0])
    sens = ops.GradOperation(sens_param=True)
    assert listed(sens(product)(X, Y, Tensor([10.0, 100.0]))) == [30.0, 400.0]
    # a scalar stands beside a loss of shape (1,)
    assert listed(sens(net)(X, Tensor(3.0))) == [18.0, 18.0]
    with pytest.raises(TypeError):
        ops.GradOperation(1)


def test_stop_gradient_and_no_grad():
    assert listed(ms.grad(lambda x: ops.stop_gradient(x) * x)(X)) == [1.0, 2.0]

    def partly(x):
        with _no_grad():
            constant = x * x
        return constant * x

    assert listed(ms.grad(partly)(X)) == [1.0, 4.0]


def test_hooks():
    def hooked(x):
        y = x * 3
        y.register_hook(lambda g: g * 100)
        return y * 2

    assert listed(ms.grad(hooked)(X)) == [600.0, 600.0]


def test_writing_in_place_while_recording():
    def written(x):
        y = x * 1
        y[0] = 5.0
        return y * y

    def rebound(x):
        z = x * 2
        y = z * z
        z += 1
        return y + z

    assert listed(ms.grad(written)(X)) == [0.0, 4.0]
    assert listed(ms.grad(rebound)(X)) == [10.0, 18.0]


def test_cell_bprop_is_the_gradient():
    class Tenfold(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = Parameter(Tensor([2.0]), name="w")

        def construct(self, x):
            return x * self.w

        def bprop(self, x, out, dout):
            return (dout * 10,)

    net = Tenfold()
    assert listed(ms.grad(net, 0, [net.w])(X)) == ([10.0, 10.0], ([0.0],))


def test_recompute_gives_the_same_gradients():
    class Block(nn.Cell):
        runs = 0

        def __init__(self):
            super().__init__()
            self.w = Parameter(Tensor([2.0, 5.0]), name="w")

        def construct(self, x):
            Block.runs += 1
            return ops.tanh(x * self.w)

    net = Block()
    plain = ms.grad(lambda x: net(x) * x, 0, [net.w])(X)
    before = Block.runs
    again = ms.grad(lambda x: ms.recompute(net, x) * x, 0, [net.w])(X)
    assert Block.runs == before + 2
    close(again[0], plain[0], rtol=1e-6, atol=0)
    close(again[1][0], plain[1][0], rtol=1e-6, atol=0)


def test_recompute_draws_the_same_random_numbers():
    class Noisy(nn.Cell):
        def construct(self, x):
            return x * ops.rand(2)

    def noise_and_slope():
        ms.set_seed(5)
        value, gradient = ms.value_and_grad(lambda x: ms.recompute(Noisy(), x))(Tensor([1.0, 1.0]))
        return value.tolist(), gradient.tolist()

    value, gradient = noise_and_slope()
    assert value == gradient


def test_a_pull_that_comes_later_reaches_the_weights_of_recomputed_blocks():
    net = nn.SequentialCell(nn.Dense(2, 3), nn.Tanh(), nn.Dense(3, 1))
    net[0].recompute()
    x, weights = Tensor([[0.1, 0.2]], ms.float32), net.trainable_params()
    _, pull = ms.vjp(net, x, weights=weights)
    _, expected = ms.grad(net, 0, weights)(x)
    for _ in range(2):
        _, found = pull(Tensor([[1.0]]))
        for gradient, wanted in zip(found, expected, strict=True):
            close(gradient, wanted, rtol=1e-6, atol=0)
    assert abs(found[0].asnumpy()).min() > 0 and weights[0]._node is None


def test_weights_are_found_however_they_were_made():
    first = Parameter(Tensor([1.0, 2.0]), name="first")
    made = [pickle.loads(pickle.dumps(first)), first.clone(), copy.copy(first), first]
    net = ops.GradOperation(get_by_list=True)(
        lambda x: sum((x * weight).sum() * number for number, weight in enumerate(made, 1))
    )
    assert listed(net(Tensor(2.0))) == ([2.0, 2.0], [4.0, 4.0], [6.0, 6.0], [8.0, 8.0])


class Weighted(nn.Cell):
    """A network that uses `late` before `early`. A third weight is frozen, a fourth has no effect,
    a fifth is never used."""

    def __init__(self):
        super().__init__()
        self.early = Parameter(Tensor([1.0, 2.0]), name="early")
        self.idle = Parameter(Tensor([1.0, 2.0]), name="idle")
        self.late = Parameter(Tensor([3.0]), name="late")
        self.frozen = Parameter(Tensor([5.0]), name="frozen", requires_grad=False)
        self.stopped = Parameter(Tensor([1.0]), name="stopped")

    def construct(self, x):
        y = x * self.late + ops.stop_gradient(x * self.stopped) * 0.0
        return ((y + self.early * self.early) * self.late * self.frozen).sum()


@pytest.mark.parametrize(
    "sens, factor", [((), 1.0), ((Tensor(2.0),), 2.0)], ids=["ones", "sensitivity"]
)
def test_without_a_list_weights_are_those_used_in_that_order(sens, factor):
    runs = []
    net = Weighted()
    net.register_forward_hook(lambda *given: runs.append(given))
    by_use = ops.GradOperation(get_by_list=True, sens_param=bool(sens))(net)
    expected = [115.0 * factor], [30.0 * factor, 60.0 * factor]
    assert listed(by_use(X, *sens)) == expected and len(runs) == 1
    both = ops.GradOperation(get_all=True, get_by_list=True, sens_param=bool(sens))(net)
    assert listed(both(X, *sens)) == (([45.0 * factor] * 2,), expected)


def test_joined_weights_stand_in_the_order_of_the_call():
    net = Weighted()
    joined = ops.GradOperation(get_by_list=True)(lambda x: ops.cat((net.late, net.early)).sum() * x)
    assert listed(joined(Tensor(2.0))) == ([2.0], [2.0, 2.0])


def test_without_a_list_a_graph_gives_no_gradients_of_weights():
    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        assert ops.GradOperation(get_by_list=True)(Weighted())(X) == ()
        both = ops.GradOperation(get_all=True, get_by_list=True)(Weighted())(X)
        assert listed(both) == (([45.0, 45.0],), ())
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


def test_a_weight_that_nobody_holds_is_forgotten():
    weight = Parameter(Tensor([1.0]))
    key = id(weight)
    assert WEIGHTS[key] is weight
    del weight
    gc.collect()
    assert key not in WEIGHTS
