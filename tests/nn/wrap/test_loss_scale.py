"""Training with a loss scale: the scale after each step, overflows, and subclassed steps."""

import numpy as np
import pytest
from kit import close
from kit import optimizers as reference

import mindspore_compat as ms
from mindspore_compat import Tensor, nn, ops
from mindspore_compat._backend.steps import current
from mindspore_compat.common.parameter import Parameter, ParameterTuple

pytestmark = pytest.mark.quick


@pytest.fixture
def python_of_each_step(monkeypatch):
    """Makes the Python code of each step run, including in graph mode on a GPU, so that calls can
    be counted."""
    monkeypatch.setattr(current, "_permitted", False)


class Net(nn.Cell):
    """A linear map with its squared error; counts its calls."""

    def __init__(self):
        super().__init__()
        rng = np.random.default_rng(0)
        self.weight = Parameter(Tensor(rng.standard_normal((3, 2)).astype(np.float32)), "weight")
        self.bias = Parameter(Tensor(np.zeros(2, np.float32)), "bias")
        self.calls = 0

    def construct(self, x, y):
        self.calls += 1
        return ((ops.matmul(x, self.weight) + self.bias - y) ** 2).mean()


def batch(seed, spoilt=False):
    rng = np.random.default_rng(seed)
    x, y = rng.standard_normal((4, 3)), rng.standard_normal((4, 2))
    if spoilt:
        x[0, 0] = np.inf
    return Tensor(x.astype(np.float32)), Tensor(y.astype(np.float32))


def gradients_by_hand(values, x, y):
    x, y = (each.asnumpy().astype(np.float64) for each in (x, y))
    error_gradient = 2 * (x @ values["weight"] + values["bias"] - y) / y.size
    return {"weight": x.T @ error_gradient, "bias": error_gradient.sum(0)}


def course(overflows, scale, factor, window):
    """The loss scale after each step, by the rule of the documentation."""
    step, last = 1, 0
    for overflow in overflows:
        increase = window <= step - last
        if overflow:
            scale = max(scale / factor, 1.0)
        elif increase:
            scale = scale * factor
        if overflow or increase:
            last = step
        step += 1
        yield scale, step, last


@pytest.mark.parametrize("as_tensor", [False, True])
@pytest.mark.parametrize("scale, factor, window", [(16.0, 2, 2), (2**16, 4, 1), (3.0, 3, 5)])
def test_the_course_of_a_dynamic_scale(space, as_tensor, scale, factor, window):
    rng = np.random.default_rng(int(scale))
    update = nn.DynamicLossScaleUpdateCell(scale, factor, window)
    scale_param = Parameter(Tensor(np.float32(scale)), name="scale")
    overflows = (rng.random(40) < 0.3).tolist() + [True] * 40
    for overflow, (expected, step, last) in zip(
        overflows, course(overflows, scale, factor, window), strict=True
    ):
        given = Tensor(overflow) if as_tensor else overflow
        assert update(scale_param, given) is given
        assert float(scale_param) == np.float32(expected)
        assert int(update.cur_iter) == step and int(update.last_overflow_iter) == last
    assert float(scale_param) == 1.0


def test_the_state_of_a_dynamic_scale():
    update = nn.DynamicLossScaleUpdateCell(
        loss_scale_value=2**12, scale_factor=2, scale_window=1000
    )
    assert [(p.name, str(p.dtype), p.shape, int(p)) for p in update.get_parameters()] == [
        ("current_iterator_step", "Int32", (), 1),
        ("last_overflow_iterator_step", "Int32", (), 0),
    ]
    assert update.get_loss_scale() == 4096
    plain = Tensor(np.float32(8))
    assert update(plain, True) is True and float(plain) == 4


def test_a_fixed_scale():
    update = nn.FixedLossScaleUpdateCell(loss_scale_value=64)
    assert update.get_loss_scale() == 64 and list(update.get_parameters()) == []
    assert update(Tensor(64.0), True) is True


@pytest.mark.parametrize(
    "options, error",
    [
        ({"scale_factor": "a", "scale_window": 2}, TypeError),
        ({"scale_factor": 2, "scale_window": None}, TypeError),
    ],
)
def test_arguments_of_a_dynamic_scale_refused(options, error):
    with pytest.raises(error, match="DynamicLossScaleUpdateCell"):
        nn.DynamicLossScaleUpdateCell(16, **options)


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_twenty_steps_with_overflows_in_the_middle(space, mode, python_of_each_step):
    ms.set_context(mode=mode)
    spoilt = {6, 7, 13}
    net = Net()
    rule = reference.Momentum(0.9)
    values = {p.name: p.asnumpy().astype(np.float64) for p in net.get_parameters()}
    states = {name: rule.first(value.shape) for name, value in values.items()}
    optimizer = nn.Momentum(net.trainable_params(), 0.05, 0.9)
    manager = nn.DynamicLossScaleUpdateCell(2**10, 2, 3)
    step = nn.TrainOneStepWithLossScaleCell(net, optimizer, manager).set_train()
    scales = list(course([t in spoilt for t in range(20)], 1024.0, 2, 3))
    before = 1024.0
    for t in range(20):
        loss, overflow, scale = step(*batch(t, t in spoilt))
        assert bool(overflow) == (t in spoilt) and overflow.shape == ()
        assert float(scale) == before
        before = scales[t][0]
        assert float(step.scale_sense) == before
        if t not in spoilt:
            for name, g in gradients_by_hand(values, *batch(t)).items():
                count = int(optimizer.global_step.asnumpy()[0])
                values[name] = rule.step(values[name], g, states[name], 0.05, count)
    for parameter in net.get_parameters():
        close(parameter, values[parameter.name], rtol=1e-5, atol=1e-6)
    assert optimizer.global_step.asnumpy() == [17]
    assert net.calls == 20


@pytest.mark.parametrize("shape", [(), (1,)])
def test_a_scale_given_as_a_tensor(shape):
    net = Net()
    optimizer = nn.SGD(net.trainable_params(), 0.1)
    step = nn.TrainOneStepWithLossScaleCell(
        net, optimizer, Tensor(np.full(shape, 1024.0, np.float32))
    )
    before = net.weight.asnumpy().copy()
    step(*batch(0))
    moved = before - net.weight.asnumpy()
    step.set_sense_scale(Tensor(np.full(shape, 8.0, np.float32)))
    assert float(step(*batch(1))[2].asnumpy().reshape(())) == 8.0
    expected = gradients_by_hand({"weight": before.astype(float), "bias": np.zeros(2)}, *batch(0))
    close(moved, 0.1 * expected["weight"])


@pytest.mark.parametrize(
    "value, error",
    [
        (1.0, TypeError),
        (None, TypeError),
        ("a", TypeError),
        (Tensor([1.0, 2.0]), ValueError),
        (Tensor([[1.0]]), ValueError),
    ],
    ids=str,
)
def test_scales_refused(value, error):
    net = Net()
    with pytest.raises(error, match="scale_sense"):
        nn.TrainOneStepWithLossScaleCell(net, nn.SGD(net.trainable_params()), value)


def test_set_sense_scale_refuses():
    net = Net()
    step = nn.TrainOneStepWithLossScaleCell(net, nn.SGD(net.trainable_params()), Tensor(1.0))
    for value, error in ((1.0, TypeError), (Tensor([1.0]), ValueError), (Tensor(1), ValueError)):
        with pytest.raises(error, match="set_sense_scale"):
            step.set_sense_scale(value)


def test_the_status_is_that_of_the_gradients():
    net = Net()
    step = nn.TrainOneStepWithLossScaleCell(net, nn.SGD(net.trainable_params()), Tensor(1.0))
    status, given = step.start_overflow_check(1, "input")
    assert given == "input"
    good, bad = Tensor([1.0, -2.0]), Tensor([1.0, np.nan])
    assert not step.get_overflow_status(status, (good, good))
    assert step.get_overflow_status(status, (good, (good, bad)))
    assert step.get_overflow_status(status, Tensor(np.float16([np.inf])))
    assert not step.get_overflow_status(status, Tensor(np.full(4, 3e38, np.float32)))
    assert step.process_loss_scale(True) is True


# As scripts subclass the step ---------------------------------------------------------------------

unscale = ops.MultitypeFuncGraph("unscale")


@unscale.register("Tensor", "Tensor")
def unscale_tensor(scale, grad):
    return ops.div(grad, scale.astype(grad.dtype))


class StepWithOwnScale(nn.TrainOneStepWithLossScaleCell):
    """A step with a scale Parameter and a scale manager of its own; an explicit scale replaces
    them."""

    def __init__(self, network, optimizer, manager):
        super().__init__(network, optimizer, manager)
        first = Tensor(manager.get_loss_scale(), ms.float32)
        self.loss_scale = Parameter(first, name="loss_scale")
        self.loss_scaling_manager = manager

    def construct(self, x, y, sens=None):
        loss = self.network(x, y)
        status, scale = self.start_overflow_check(loss, self.loss_scale if sens is None else sens)
        gradients = self.grad(self.network, self.weights)(x, y, ops.cast(scale, ms.float32))
        gradients = self.hyper_map(ops.partial(unscale, scale), self.grad_reducer(gradients))
        spoilt = self.get_overflow_status(status, gradients)
        skips = spoilt if sens is not None else self.loss_scaling_manager(self.loss_scale, spoilt)
        if not skips:
            self.optimizer(gradients)
        return loss, spoilt, scale


class StepWithFilledScale(nn.TrainOneStepWithLossScaleCell):
    """A step with the inherited scale, filled to the shape of the loss; the loss depends on it."""

    def construct(self, *inputs):
        loss = self.network(*inputs)
        status, scale = self.start_overflow_check(loss, self.scale_sense)
        filled = ops.fill(loss.dtype, loss.shape, float(scale))
        gradients = self.grad(self.network, self.weights)(*inputs, filled)
        gradients = self.grad_reducer(self.hyper_map(ops.partial(unscale, scale), gradients))
        spoilt = self.get_overflow_status(status, gradients)
        if self.process_loss_scale(spoilt):
            return loss, spoilt, scale
        return ops.depend(loss, self.optimizer(gradients)), spoilt, scale


class StepOnCell(nn.Cell):
    """A training step in the style of scripts before release 1.3: an nn.Cell that reads the float
    status register."""

    def __init__(self, network, optimizer, manager):
        super().__init__(auto_prefix=False)
        network.set_grad()
        self.network, self.optimizer, self.manager = network, optimizer, manager
        self.loss_scale = Parameter(
            Tensor(manager.get_loss_scale(), dtype=ms.float32), name="loss_scale"
        )
        self.params = ParameterTuple(network.trainable_params())
        self.gradient = ops.GradOperation(sens_param=True, get_by_list=True)
        self.register = (
            ops.NPUAllocFloatStatus(),
            ops.NPUClearFloatStatus(),
            ops.NPUGetFloatStatus(),
        )

    def construct(self, x, y):
        alloc, clear, read = self.register
        loss = self.network(x, y)
        status = alloc()
        clear(status)
        sens = ops.cast(self.loss_scale, ms.float32)
        gradients = self.gradient(self.network, self.params)(x, y, sens)
        gradients = ops.HyperMap()(ops.partial(unscale, self.loss_scale), gradients)
        read(status)
        spoilt = ops.LessEqual()(Tensor(1, ms.float32), ops.ReduceSum()(status, (0,)))
        if not self.manager(self.loss_scale, spoilt):
            self.optimizer(gradients)
        return loss, spoilt, self.loss_scale


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
@pytest.mark.parametrize("make", [StepWithOwnScale, StepWithFilledScale, StepOnCell])
def test_steps_of_scripts(space, make, mode, python_of_each_step):
    ms.set_context(mode=mode)
    spoilt = {3, 4}
    ours, theirs = Net(), Net()
    one = nn.TrainOneStepWithLossScaleCell(
        ours, nn.Adam(ours.trainable_params(), 0.05), nn.DynamicLossScaleUpdateCell(2**8, 2, 2)
    )
    two = make(
        theirs,
        nn.Adam(theirs.trainable_params(), 0.05),
        nn.DynamicLossScaleUpdateCell(loss_scale_value=2**8, scale_factor=2, scale_window=2),
    )
    for t in range(10):
        expected, found = one(*batch(t, t in spoilt)), two(*batch(t, t in spoilt))
        assert bool(found[1]) == (t in spoilt)
        close(found[0], expected[0])
    close(theirs.weight, ours.weight, rtol=1e-5, atol=0)
    scale = two.scale_sense if make is StepWithFilledScale else two.loss_scale
    assert float(scale) == float(one.scale_sense)
    assert theirs.calls == 10


def test_a_loss_of_one_element_with_a_scalar_sensitivity():
    class Flat(Net):
        def construct(self, x, y):
            return super().construct(x, y).reshape(1)

    net = Flat()
    manager = nn.DynamicLossScaleUpdateCell(8, 2, 100)
    step = StepWithOwnScale(net, nn.SGD(net.trainable_params()), manager)
    loss, overflow, _ = step(*batch(0))
    assert loss.shape == (1,) and not overflow
