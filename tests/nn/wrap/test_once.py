"""Tests hand-written training steps on nn.Cell. The forward pass runs once if the loss and the
gradient use the same network, inputs and weights, and twice otherwise."""

import threading

import numpy as np
import pytest
from kit import close, close_sums

import mindspore_compat as ms
from mindspore_compat import Parameter, ParameterTuple, Tensor, nn, ops


class Net(nn.Cell):
    """A loss that counts its calls."""

    def __init__(self):
        super().__init__()
        weight = Tensor(np.random.RandomState(5).randn(4, 3).astype(np.float32))
        self.dense = nn.Dense(3, 4, weight, "zeros")
        self.norm = nn.BatchNorm1d(4, momentum=0.5)
        self.calls = 0

    def construct(self, x):
        self.calls += 1
        return (self.norm(self.dense(x)) ** 3).sum()


class Step(nn.Cell):
    """A step that computes loss, gradient and update; `between` is called between loss and
    gradient."""

    def __init__(self, network, marked=True, weights=None, between=None):
        super().__init__(auto_prefix=False)
        self.network = network
        if marked:
            network.set_grad()
        self.train = ParameterTuple(weights or network.trainable_params())
        self.grad = ops.GradOperation(get_by_list=True, sens_param=True)
        self.optimizer = nn.SGD(self.train, 1e-3)
        self.between = between
        self.found = None

    def construct(self, x):
        loss = self.network(x)
        if self.between is not None:
            self.between(x)
        self.found = self.grad(self.network, self.train)(x, ops.full_like(loss, 2.0))
        self.optimizer(self.found)
        return loss


def batch(seed=0):
    return Tensor(np.random.RandomState(seed).randn(6, 3).astype(np.float32))


@pytest.fixture
def mode():
    yield lambda value: ms.set_context(mode=value)
    ms.set_context(mode=ms.PYNATIVE_MODE)


def load_copies(target, source):
    """Loads the values of another network. Its own Parameters would share their memory."""
    values = {
        name: Parameter(parameter.asnumpy().copy(), name)
        for name, parameter in source.parameters_dict().items()
    }
    ms.load_param_into_net(target, values)


@pytest.mark.parametrize(
    "value, marked, calls",
    [
        (ms.GRAPH_MODE, True, 1),
        (ms.GRAPH_MODE, False, 1),
        (ms.PYNATIVE_MODE, True, 1),
        (ms.PYNATIVE_MODE, False, 2),
    ],
)
def test_a_step_of_ones_own_runs_its_network_as_often_as_the_original(mode, value, marked, calls):
    mode(value)
    net, other = Net().set_train(), Net().set_train()
    load_copies(other, net)
    step = Step(net, marked)
    for count in range(1, 4):
        expected = ops.grad(other, None, other.trainable_params())(batch(count))
        step(batch(count))
        assert net.calls == count * calls
        for found, wanted in zip(step.found, expected, strict=True):
            close(found, 2 * wanted.asnumpy())
        for own, theirs in zip(net.trainable_params(), other.trainable_params(), strict=True):
            theirs.set_data(own)
    if calls == 1:
        close(net.norm.moving_mean, other.norm.moving_mean)


def test_some_of_the_weights_in_another_order():
    net, x = Net().set_train(), batch()
    chosen = [net.norm.beta, net.dense.weight]
    expected = ops.grad(net, None, chosen)(x)
    net.calls = 0
    step = Step(net, weights=chosen)
    step(x)
    assert net.calls == 1 and net.dense.bias._node is None
    for found, wanted in zip(step.found, expected, strict=True):
        close(found, 2 * wanted.asnumpy())


WRITES = {
    "optimizer": lambda net: (
        lambda x, update=nn.SGD(net.trainable_params(), 0.1): update(
            tuple(ops.ones_like(each) for each in net.trainable_params())
        )
    ),
    "assign": lambda net: lambda x: ops.assign(net.dense.weight, net.dense.weight * 2),
    "primitive": lambda net: (
        lambda x: ops.ApplyGradientDescent()(
            net.dense.weight, Tensor(0.5), ops.ones_like(net.dense.weight)
        )
    ),
    "set_data": lambda net: lambda x: net.dense.weight.set_data(net.dense.weight * 2),
    "item": lambda net: lambda x: net.dense.weight.__setitem__(0, 3.0),
    "scatter": lambda net: (
        lambda x: ops.scatter_update(net.dense.weight, Tensor([1], ms.int32), Tensor([[5.0, 5, 5]]))
    ),
    "input": lambda net: lambda x: ops.assign(x, x * 2),
}


@pytest.mark.parametrize("write", WRITES)
def test_what_is_written_in_between_is_seen_by_the_gradient(write):
    net, other = Net().set_train(), Net().set_train()
    load_copies(other, net)
    step = Step(net, between=WRITES[write](net))
    x, y = Parameter(batch()), Parameter(batch())
    step.construct(x)  # the optimizer's states, and the writes, come first
    WRITES[write](other)(y)
    expected = ops.grad(other, None, other.trainable_params())(y)
    for found, wanted in zip(step.found, expected, strict=True):
        close(found, 2 * wanted.asnumpy())
    load_copies(other, net)
    y.set_data(x)
    net.calls = 0
    step(x)
    assert net.calls == 2
    WRITES[write](other)(y)
    expected = ops.grad(other, None, other.trainable_params())(y)
    for found, wanted in zip(step.found, expected, strict=True):
        close(found, 2 * wanted.asnumpy(), 1e-4)


def test_counting_in_between_changes_nothing():
    net = Net().set_train()
    count = Parameter(Tensor(0, ms.int32), name="count")
    step = Step(net, between=lambda x: ops.assign_add(count, Tensor(1, ms.int32)))
    step(batch())
    assert net.calls == 1 and count == 1


class Both(nn.Cell):
    """A step with two networks that train each other, as GANs do."""

    def __init__(self, first, second):
        super().__init__(auto_prefix=False)
        self.first, self.second = first.set_grad(), second.set_grad()
        self.grad = ops.GradOperation(get_by_list=True)
        self.one = nn.SGD(first.trainable_params(), 0.1)
        self.two = nn.SGD(second.trainable_params(), 0.1)

    def construct(self, x):
        losses = self.first(x), self.second(x)
        self.one(self.grad(self.first, self.one.parameters)(x))
        self.two(self.grad(self.second, self.two.parameters)(x))
        return losses


def test_a_step_of_two_networks():
    first, second = Net().set_train(), Net().set_train()
    first.update_parameters_name("first.")
    step = Both(first, second)
    before = second.dense.weight.asnumpy().copy()
    expected = ops.grad(second, None, [second.dense.weight])(batch())[0].asnumpy()
    second.calls = 0
    step(batch())
    assert first.calls == second.calls == 1
    close_sums(before - second.dense.weight.asnumpy(), 0.1 * expected)


def test_steps_within_a_step_are_left_to_themselves():
    class Outer(nn.Cell):
        def __init__(self, inner):
            super().__init__(auto_prefix=False)
            self.inner = inner
            self.grad = ops.GradOperation(get_by_list=True)

        def construct(self, x):
            return self.inner(x)

    net = Net().set_train()
    outer = Outer(nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.1)))
    before = net.dense.weight.asnumpy().copy()
    outer(batch())
    assert net.calls == 1 and (net.dense.weight.asnumpy() != before).any()
    assert net.dense.weight._node is None and not net.__dict__.get("_cell_around")


@pytest.mark.parametrize(
    "make", [lambda net: nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 1e-3)), Step]
)
def test_blocks_that_are_recomputed_train_too(make):
    """The backward pass looks up their weights again, after the tape is closed."""
    net, other = Net().set_train(), Net().set_train()
    load_copies(other, net)
    net.dense.recompute()
    step, plain = make(net), make(other)
    for seed in range(2):
        step(batch(seed))
        plain(batch(seed))
    assert net.dense.weight._node is None
    for found, wanted in zip(net.trainable_params(), other.trainable_params(), strict=True):
        close(found, wanted)


def test_other_threads_may_use_the_network_meanwhile():
    net = Net().set_train()
    x, found = batch(), []

    def elsewhere(_):
        thread = threading.Thread(target=lambda: found.append(float(net(x))))
        thread.start()
        thread.join()

    step = Step(net, between=elsewhere)
    loss = step(x)
    assert found == [pytest.approx(float(loss), rel=1e-5)] and net.calls == 2
    assert step.found[0] is not None


def test_a_network_with_a_call_of_its_own_is_called_once():
    class Own(Net):
        entered = 0

        def __call__(self, *args):
            self.entered += 1
            return super().__call__(*args)

    net = Own().set_train()
    Step(net)(batch())
    assert net.entered == net.calls == 1
