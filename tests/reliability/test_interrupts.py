"""A training step is whole: whatever is raised in between, it is finished or not begun."""

import numpy as np
import pytest
from kit.interrupts import State, half_changed, moments, stop_at

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, mint, nn
from mindspore_compat._backend.thresholds import Least
from mindspore_compat._core.sharding.array import ShardedSpace
from mindspore_compat.common.sparse_tensor import RowTensor
from mindspore_compat.experimental import optim

SHAPES = [(3, 4), (5,), (2, 3, 4), (90, 100), (300, 300)]
OPTIMIZERS = {
    "SGD": lambda params: nn.SGD(params, 0.1, momentum=0.9),
    "SGD without momentum": lambda params: nn.SGD(params, 0.1),
    "Momentum": lambda params: nn.Momentum(params, 0.1, 0.9, weight_decay=0.01),
    "Adam": lambda params: nn.Adam(params, 0.1),
    "Adam, AMSGrad": lambda params: nn.Adam(params, 0.1, use_amsgrad=True),
    "Adam, rates by group": lambda params: nn.Adam(
        [{"params": params[:2], "lr": 0.2}, {"params": params[2:]}], 0.1
    ),
    "Adam, a rate that changes": lambda params: nn.Adam(params, nn.ExponentialDecayLR(0.1, 0.9, 3)),
    "AdamWeightDecay": lambda params: nn.AdamWeightDecay(params, 0.1, weight_decay=0.01),
    "AdamOffload": lambda params: nn.AdamOffload(params, 0.1),
    "LazyAdam": lambda params: nn.LazyAdam(params, 0.1),
    "AdaMax": lambda params: nn.AdaMax(params, 0.1),
    "AdaFactor": lambda params: nn.AdaFactor(params, 0.1, relative_step=False),
    "Adagrad": lambda params: nn.Adagrad(params),
    "Adadelta": lambda params: nn.Adadelta(params),
    "ASGD": lambda params: nn.ASGD(params),
    "FTRL": lambda params: nn.FTRL(params),
    "Lamb": lambda params: nn.Lamb(params, 0.1),
    "LARS": lambda params: nn.LARS(nn.Momentum(params, 0.1, 0.9)),
    "ProximalAdagrad": lambda params: nn.ProximalAdagrad(params),
    "RMSProp": lambda params: nn.RMSProp(params, 0.1, momentum=0.5, centered=True),
    "Rprop": lambda params: nn.Rprop(params),
    **{
        f"experimental {name}": lambda params, name=name: getattr(optim, name)(params, 0.1)
        for name in (
            "Adadelta Adagrad Adam Adamax AdamW ASGD NAdam RAdam RMSprop Rprop SGD".split()
        )
    },
    "mint AdamW": lambda params: mint.optim.AdamW(params, 0.1, amsgrad=True),
    "mint SGD": lambda params: mint.optim.SGD(params, 0.1, momentum=0.9),
    "mint FusedAdamW": lambda params: mint.optim.FusedAdamW(params, 0.1),
}


def weights():
    rng = np.random.default_rng(0)
    return [
        Parameter(Tensor(rng.normal(size=shape).astype(np.float32)), name=f"w{number}")
        for number, shape in enumerate(SHAPES)
    ]


def state_of(value):
    """The Parameters of a Cell, and those in its attributes."""
    if isinstance(value, Parameter):
        return [value]
    if isinstance(value, nn.Cell):
        return [*value.get_parameters(), *state_of(list(vars(value).values()))]
    if isinstance(value, dict):
        value = list(value.values())
    return (
        [part for item in value for part in state_of(item)]
        if type(value) in (tuple, list, ms.ParameterTuple)
        else []
    )


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_an_update_is_finished_or_not_begun(name):
    params = weights()
    optimizer = OPTIMIZERS[name](params)
    rng = np.random.default_rng(1)
    gradients = tuple(Tensor(rng.normal(size=shape).astype(np.float32)) for shape in SHAPES)
    optimizer(gradients)  # compiles, and divides the parameters
    tensors = [*params, *state_of(optimizer)]
    count, wrong = half_changed(lambda: optimizer(gradients), tensors, 60)
    assert not wrong
    assert count == 60


@pytest.mark.numba
@pytest.mark.parametrize("name", ["Momentum", "Adam", "Lamb", "experimental AdamW"])
def test_an_update_by_compiled_loops_too(name, monkeypatch):
    monkeypatch.setattr(Least, "UPDATE", 0)
    monkeypatch.setenv("MINDSPORE_COMPAT_COMPILE", "wait")
    test_an_update_is_finished_or_not_begun(name)


def test_gradients_of_a_few_rows():
    params = weights()[:1]
    rows = RowTensor(Tensor([0, 2, 2], ms.int32), Tensor(np.ones((3, 4), np.float32)), (3, 4))
    for name in ("Adam", "LazyAdam", "Lamb"):
        optimizer = OPTIMIZERS[name](params)
        tensors = [*params, *state_of(optimizer)]
        assert half_changed(lambda: optimizer((rows,)), tensors, 40) == (40, [])  # noqa: B023


class Descent(nn.Optimizer):
    """An optimizer of a script, which writes one parameter after the other."""

    def __init__(self, params):
        super().__init__(0.1, params)

    def construct(self, gradients):
        for parameter, gradient in zip(self.parameters, gradients, strict=True):
            ms.ops.assign_sub(parameter, gradient * 0.1)
        ms.ops.assign_add(self.global_step, 1)
        return True


def network():
    ms.set_seed(1)
    return nn.SequentialCell(
        nn.Dense(3, 4), nn.BatchNorm1d(4), nn.ReLU(), nn.Dense(4, 2), nn.BatchNorm1d(2)
    )


def plain_step(net, make):
    return nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), make(net.trainable_params()))


def scaled_step(net, make):
    scale = nn.DynamicLossScaleUpdateCell(2.0**10, 2, 2)
    optimizer = make(net.trainable_params())
    loss = nn.WithLossCell(net, nn.MSELoss())
    return nn.TrainOneStepWithLossScaleCell(loss, optimizer, scale)


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["PyNative", "graph"])
@pytest.mark.parametrize("make_step", [plain_step, scaled_step])
@pytest.mark.parametrize("make", [OPTIMIZERS["Adam"], OPTIMIZERS["Lamb"], Descent])
def test_a_training_step_is_finished_or_not_begun(mode, make_step, make):
    ms.set_context(mode=mode)
    step = make_step(network(), make)
    step.set_train()
    rng = np.random.default_rng(1)
    x = Tensor(rng.normal(size=(8, 3)).astype(np.float32))
    y = Tensor(rng.normal(size=(8, 2)).astype(np.float32))
    for _ in range(4):  # in graph mode the next one is a replay
        step(x, y)
    assert half_changed(lambda: step(x, y), state_of(step), 60) == (60, [])


def test_a_step_after_arrays_have_been_divided(monkeypatch):
    monkeypatch.setattr(ShardedSpace, "in_use", True)
    test_a_training_step_is_finished_or_not_begun(ms.GRAPH_MODE, plain_step, Descent)


@pytest.mark.parametrize("calls", [0, 1, 2])
def test_the_first_steps_of_graph_mode_too(calls):
    ms.set_context(mode=ms.GRAPH_MODE)
    rng = np.random.default_rng(1)
    x = Tensor(rng.normal(size=(8, 3)).astype(np.float32))
    y = Tensor(rng.normal(size=(8, 2)).astype(np.float32))

    def begun():
        step = plain_step(network(), OPTIMIZERS["Adam"])
        step.set_train()
        for _ in range(calls):
            step(x, y)
        return step, State(state_of(step))

    step, state = begun()
    course = [state.values()]
    numbers = moments(lambda: step(x, y), 30)
    course.append(state.values())
    for _ in range(3):
        step(x, y)
        course.append(state.values())
    for number in numbers:
        step, state = begun()
        stop_at(number, lambda: step(x, y))  # noqa: B023
        done = not state.differences(course[1])
        assert done or not state.differences(course[0]), number
        for _ in range(3):
            step(x, y)
        assert not state.differences(course[3 + done]), number


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["PyNative", "graph"])
@pytest.mark.parametrize("kind", ["jit", "value_and_grad"])
def test_moving_statistics_are_moved_together(mode, kind):
    ms.set_context(mode=mode)
    net = network()
    net.set_train()
    x = Tensor(np.random.default_rng(1).normal(size=(8, 3)).astype(np.float32))
    call = ms.jit(lambda x: net(x))
    if kind == "value_and_grad":
        call = ms.value_and_grad(lambda x: net(x).sum(), None, net.trainable_params())
    for _ in range(4):  # in graph mode the next one is a replay
        call(x)
    assert half_changed(lambda: call(x), state_of(net), 120) == (120, [])


def test_a_step_that_fails_of_itself_leaves_all_as_it_was():
    class Fails(nn.Cell):
        def construct(self, x):
            raise RuntimeError("no")

    net = nn.SequentialCell(nn.Dense(3, 4), nn.BatchNorm1d(4), Fails())
    step = plain_step(net, OPTIMIZERS["Momentum"])
    step.set_train()
    state = State(state_of(step))
    before = state.values()
    with pytest.raises(RuntimeError, match="no"):
        step(Tensor(np.ones((8, 3), np.float32)), Tensor(np.ones((8, 4), np.float32)))
    assert not state.differences(before)


def test_loading_is_finished_or_not_begun():
    net, other = network(), network()
    new = {
        parameter.name: Parameter(Tensor(parameter.asnumpy() + 1), name=parameter.name)
        for parameter in other.get_parameters()
    }
    assert half_changed(lambda: ms.load_param_into_net(net, new), state_of(net), 100) == (100, [])
