"""`mindspore.boost`; numbers, groups and classes are those of MindSpore 2.10."""

import itertools

import numpy as np
import pytest
from kit import close

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, boost, log, nn, ops
from mindspore_compat.boost.less_batch_normalization import CommonHeadLastFN
from mindspore_compat.nn.optim import adasum

X = Tensor(np.arange(8, dtype=np.float32).reshape(2, 4) / 8)
Y = Tensor(np.ones((2, 3), np.float32))


class Net(nn.Cell):
    """The sum of two products."""

    def __init__(self):
        super().__init__()
        self.weight = Parameter(Tensor(np.ones((4, 3), np.float32)), name="weight")
        self.weight2 = Parameter(Tensor(np.full((4, 3), 0.5, np.float32)), name="weight2")

    def construct(self, x):
        return ops.matmul(x, self.weight) + ops.matmul(x, self.weight2)


class Image(nn.Cell):
    """Convolutions, batch normalisations and dense layers."""

    def __init__(self):
        super().__init__()
        for number, channels in enumerate((1, 2, 2), 1):
            setattr(self, f"conv{number}", nn.Conv2d(channels, 2, 3))
            setattr(self, f"bn{number}", nn.BatchNorm2d(2))
        self.fc1 = nn.Dense(32, 4)
        self.fc2 = nn.Dense(4, 3)

    def construct(self, x):
        for number in (1, 2, 3):
            x = ops.relu(getattr(self, f"bn{number}")(getattr(self, f"conv{number}")(x)))
        return self.fc2(ops.relu(self.fc1(ops.flatten(x))))


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    """No AutoBoost from another test."""
    monkeypatch.setattr(boost.AutoBoost, "_instance", None)


def parts():
    """A network, it with its loss, and an optimizer."""
    net = Net()
    return (net, nn.WithLossCell(net, nn.MSELoss()), nn.Momentum(net.trainable_params(), 0.1, 0.9))


def firsts(net):
    """The first element of each weight."""
    return [float(each.asnumpy()[0, 0]) for each in net.trainable_params()]


def shown(groups):
    """Groups with names for Parameters."""
    return [
        (
            [each.name for each in group.get("params", ())],
            {name: value for name, value in group.items() if name != "params"},
        )
        for group in groups
    ]


# AutoBoost ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "level, given, requested",
    [
        ("O0", "", []),
        ("O1", "", ["less_bn", "grad_freeze"]),
        ("O2", "", ["less_bn", "grad_freeze", "adasum"]),
        ("O1", {"boost": {"mode": "manual", "less_bn": False}}, ["grad_freeze"]),
        ("O0", {"boost": {"mode": "manual", "grad_accumulation": True}}, ["grad_accumulation"]),
        ("O2", {"boost": {"mode": "disable_all"}}, []),
        ("O0", {"boost": {"mode": "auto", "less_bn": True}}, []),
    ],
)
def test_what_is_requested(level, given, requested):
    found = boost.AutoBoost(level, given)
    assert [name for name, value in found.boost_config.items() if value] == requested
    assert boost.AutoBoost("O0") is found


def test_settings_are_kept():
    found = boost.AutoBoost(
        "O0",
        {
            "common": {"gradient_split_groups": [1], "device_number": 4},
            "grad_freeze": {"freeze_p": 0.5, "unknown": 1},
            "grad_accumulation": {"grad_accumulation_step": 3},
        },
    )
    assert (found.gradient_groups, found.device_number, found._freeze_p) == ([1], 4, 0.5)
    assert (found.grad_accumulation_step, found._total_steps) == (3, 65536)


@pytest.mark.parametrize(
    "arguments, error",
    [
        (("O1", {"boost": {"mode": "x"}}), ValueError),
        (("O1", {"boost": {"mode": "enable_all"}}), ValueError),
        (("O1", {"boost": {"mode": "manual", "dim_reduce": True}}), ValueError),
        (("O3",), ValueError),
        (("O1", {"boost": 3}), TypeError),
        (("O1", "text"), TypeError),
    ],
)
def test_what_cannot_be_requested(arguments, error):
    with pytest.raises(error, match="For 'AutoBoost'"):
        boost.AutoBoost(*arguments)
    assert boost.AutoBoost._instance is None


def test_a_network_and_its_optimizer_are_changed():
    found = boost.AutoBoost("O0", {"boost": {"mode": "manual", "less_bn": True}})
    net = Image()
    optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
    changed, made = found.network_auto_process_train(net, optimizer)
    assert type(changed) is boost.LessBN and type(made) is nn.Momentum
    assert type(net.fc1) is nn.Dense and type(net.fc2) is CommonHeadLastFN
    centralized, others = made.init_params["params"]
    names = [each.name.removeprefix("network.") for each in centralized["params"]]
    assert names == ["conv1.weight", "conv2.weight", "conv3.weight", "fc1.weight"]
    assert centralized["grad_centralization"] is True and len(others["params"]) == 9
    assert type(found.network_auto_process_eval(Image())) is boost.LessBN


def test_groups_are_frozen():
    found = boost.AutoBoost("O0", {"boost": {"mode": "manual", "grad_freeze": True}})
    net = Image()
    optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
    same, made = found.network_auto_process_train(net, optimizer)
    assert same is net and type(made) is boost.FreezeOpt
    assert [len(each.parameters) for each in made.opts] == [13] * 10
    assert found.network_auto_process_eval(net) is net


# Optimizers and parameters ------------------------------------------------------------------------


def test_weights_are_centralised_in_groups():
    net = nn.SequentialCell(nn.Conv2d(2, 2, 3, has_bias=True), nn.BatchNorm2d(2), nn.Dense(2, 2))
    parameters = net.trainable_params()
    groups = [
        {"params": parameters[:3], "lr": 0.2, "weight_decay": 0.1},
        {"params": parameters[3:], "grad_centralization": True},
        {"order_params": parameters},
    ]
    process = boost.OptimizerProcess(nn.Momentum(groups, 0.1, 0.9))
    process.add_grad_centralization(net)
    *divided, order = shown(process.origin_params)
    assert divided == [
        (["0.weight"], {"lr": 0.2, "weight_decay": 0.1, "grad_centralization": True}),
        (["0.bias", "1.gamma"], {"lr": 0.2, "weight_decay": 0.1}),
        (["2.weight"], {"grad_centralization": True}),
        (["1.beta", "2.bias"], {"grad_centralization": True}),
    ]
    assert len(order[1]["order_params"]) == 6
    made = process.generate_new_optimizer()
    assert type(made) is nn.Momentum and made.grad_centralization is True
    assert made.init_args == {
        "momentum": 0.9,
        "weight_decay": 0.0,
        "loss_scale": 1.0,
        "use_nesterov": False,
    }


def test_without_groups_nothing_is_centralised(monkeypatch):
    said = []
    monkeypatch.setattr(log, "warning", lambda message, *_: said.append(message))
    net, _, optimizer = parts()
    process = boost.OptimizerProcess(optimizer)
    process.add_grad_centralization(net)
    assert len(said) == 1
    assert process.generate_new_optimizer().init_params["params"] == net.trainable_params()


def test_an_optimizer_within_lars_is_made_anew():
    process = boost.OptimizerProcess(nn.LARS(parts()[2], coefficient=0.02))
    made = process.generate_new_optimizer()
    assert process.is_lars and process.opt_class is nn.Momentum
    assert type(made) is nn.LARS and made.coefficient == 0.02 and type(made.opt) is nn.Momentum


def test_parameters_are_divided():
    parameters = Image().trainable_params()
    process = boost.ParameterProcess()
    for points, sizes in ((None, [6, 7]), ([3], [3, 10]), ([2, 5], [2, 3, 8])):
        assert process.assign_parameter_group(parameters, points) is parameters
        runs = itertools.groupby(each.comm_fusion for each in parameters)
        assert [len(list(run)) for _, run in runs] == sizes
    with pytest.raises(TypeError, match="split_point"):
        process.assign_parameter_group(parameters, 3)
    (group,) = process.generate_group_params(parameters[:3], parameters)
    assert group == {"params": parameters[:3]}
    groups = [{"params": parameters[:2], "lr": 0.2}, {"params": parameters[2:]}]
    found = process.generate_group_params(parameters[1:4], groups)
    assert [len(each["params"]) for each in found] == [1, 2] and found[0]["lr"] == 0.2
    with pytest.raises(TypeError, match="Parameters or dicts"):
        process.generate_group_params([1], [2])


# Layers -------------------------------------------------------------------------------------------


def test_a_last_dense_layer_works_on_directions():
    class Two(nn.Cell):
        def __init__(self):
            super().__init__()
            self.fc = nn.Dense(3, 2)

        def construct(self, x):
            return self.fc(x)

    net = Two()
    net.fc.weight.set_data(Tensor([[1.0, 2, 3], [4, 5, 6]]))
    made = boost.LessBN(net, True)
    found = made(Tensor([[1.0, 0, 2], [-1, 1, 0.5]])).asnumpy()
    close(found, [[0.83665997, 0.81543547], [0.44543537, 0.30389488]], atol=0)
    assert [each.name for each in made.get_parameters()] == ["fc.weight", "fc.multiplier"]
    plain = Image()
    assert boost.LessBN(plain).network is plain and type(plain.fc2) is nn.Dense
    with pytest.raises(TypeError, match="For 'LessBN'"):
        boost.LessBN(1)


def test_a_direction_with_a_bias():
    layer = CommonHeadLastFN(2, 2, "ones", "ones")
    expected = [[2, 2], [1, 1]]
    found = layer(Tensor([[3.0, 3.0], [1.0, -1.0]])).asnumpy()
    np.testing.assert_allclose(found, expected, atol=1e-6)


# Frozen gradients ---------------------------------------------------------------------------------


def test_turns_and_draws_of_groups():
    freeze = boost.GradientFreeze(4, 1, 0.7, 20)
    turns = freeze.generate_freeze_index_sequence(4, 0, 0.5, 20)
    assert turns == [0, 0, 0, 1, 2, 3] * 4
    rounded = freeze.generate_freeze_index_sequence(4, 0, 0.7, 20)  # 3 * 0.7 / (1 - 0.7) < 7
    assert rounded == [0, 0, 0, 0, 0, 0, 1, 2, 3] * 3
    long = freeze.generate_freeze_index_sequence(5, 0, 0.7, 20000)
    assert len(long) == 20202 and long[:13] == [0] * 9 + [1, 2, 3, 4]
    drawn = freeze.generate_freeze_index_sequence(4, 1, 0.7, 20)
    frozen = [step for step, group in enumerate(drawn) if group]
    assert frozen == [1, 4, 7, 10, 14, 17] and len(drawn) == 20
    many = np.bincount(freeze.generate_freeze_index_sequence(5, 1, 0.7, 20000)) / 20200
    np.testing.assert_allclose(many, [0.7, 0.12, 0.09, 0.06, 0.03], atol=0.01)
    with pytest.raises(ValueError, match="'freeze_strategy' must be 0 or 1"):
        freeze.generate_freeze_index_sequence(4, 2, 0.5, 10)


def test_groups_leave_out_early_layers():
    net = Image()
    split = boost.GradientFreeze(3, 1, 0.5, 50).split_parameters_groups
    assert [len(each) for each in split(net, 1)] == [13]
    found = split(net, 2)
    assert [len(each) for each in found] == [13, 7] and found[1][0].name == "conv3.weight"
    assert [len(each) for each in split(net, 20)] == [13] * 20


def test_each_group_has_its_own_optimizer():
    net, loss, optimizer = parts()
    frozen = boost.FreezeOpt(optimizer, [optimizer.parameters, optimizer.parameters[1:]], [0, 1, 0])
    grad = ops.GradOperation(get_by_list=True, sens_param=True)
    cells = boost.freeze_cell(False, loss, frozen, 1.0, grad, False, None, None, 1)
    expected = [
        (0, 4.89062, [0.9479167, 0.4479167]),
        (1, 3.67177, [0.9479167, 0.4027517]),
        (0, 3.20715, [0.8588405, 0.3136756]),
    ]
    for index, value, weights in expected:
        np.testing.assert_allclose(cells[index](X, Y).asnumpy(), value, rtol=1e-5)
        np.testing.assert_allclose(firsts(net), weights, rtol=1e-5)


@pytest.mark.parametrize(
    "refused, error",
    [
        (lambda opt: boost.FreezeOpt(1), TypeError),
        (lambda opt: boost.FreezeOpt(opt, 1), TypeError),
        (lambda opt: boost.FreezeOpt(opt, None, [0, 1]), ValueError),
        (lambda opt: boost.FreezeOpt(opt, [opt.parameters], ["a"]), ValueError),
        (lambda opt: boost.freeze_cell(False, None, opt, 1.0, None, False), AttributeError),
    ],
)
def test_wrong_groups_are_refused(refused, error):
    with pytest.raises(error):
        refused(parts()[2])


# Steps --------------------------------------------------------------------------------------------


def test_a_step():
    net, loss, optimizer = parts()
    step = boost.BoostTrainOneStepCell(loss, optimizer)
    assert not step.check_adasum_enable() and not step.check_dim_reduce_enable()
    close(step(X, Y), 4.890625, atol=0)
    np.testing.assert_allclose(firsts(net), [0.9479167, 0.4479167], rtol=1e-6)
    step(X, Y)
    np.testing.assert_allclose(firsts(net), [0.8558767, 0.3558767], rtol=1e-6)


def test_a_step_with_a_sensitivity():
    net, loss, optimizer = parts()
    boost.BoostTrainOneStepCell(loss, optimizer, sens=2.0)(X, Y)
    np.testing.assert_allclose(firsts(net), [0.8958333, 0.3958333], rtol=1e-6)
    with pytest.raises(ValueError, match="'sens' must not be 0"):
        boost.BoostTrainOneStepCell(loss, optimizer, sens=0)


def test_steps_of_frozen_groups():
    net, loss, optimizer = parts()
    frozen = boost.FreezeOpt(optimizer, [optimizer.parameters, optimizer.parameters[1:]], [0, 1, 0])
    step = boost.BoostTrainOneStepCell(loss, frozen)
    for _ in range(3):
        step(X, Y)
    np.testing.assert_allclose(firsts(net), [0.8588405, 0.3136756], rtol=1e-5)


def test_gradients_of_several_steps_are_added_up():
    manual = {"mode": "manual", "grad_accumulation": True}
    given = {"boost": manual, "grad_accumulation": {"grad_accumulation_step": 2}}
    boost.AutoBoost("O0", given)
    net, loss, optimizer = parts()
    step = boost.BoostTrainOneStepCell(loss, optimizer)
    step(X, Y)
    assert firsts(net) == [1.0, 0.5]
    step(X, Y)
    np.testing.assert_allclose(firsts(net), [0.9479167, 0.4479167], rtol=1e-6)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # it is about overflow
def test_a_step_with_a_loss_scale():
    net, loss, optimizer = parts()
    step = boost.BoostTrainOneStepWithLossScaleCell(loss, optimizer, Tensor(4.0, ms.float32))
    value, overflow, scale = step(X, Y)
    assert not overflow and scale == 4
    close(value, 4.890625, atol=0)
    np.testing.assert_allclose(firsts(net), [0.9479167, 0.4479167], rtol=1e-6)
    step.set_sense_scale(Tensor(3e38, ms.float32))
    assert step(X * 1000, Y)[1]
    np.testing.assert_allclose(firsts(net), [0.9479167, 0.4479167], rtol=1e-6)
    with pytest.raises(TypeError):
        boost.BoostTrainOneStepWithLossScaleCell(loss, optimizer, 1)
    with pytest.raises(ValueError):
        boost.BoostTrainOneStepWithLossScaleCell(loss, optimizer, Tensor([1.0, 2.0]))


# The adaptive sum ---------------------------------------------------------------------------------


def test_the_adaptive_sum():
    a, b = Tensor([2.0, 0.0]), Tensor([0.0, 3.0])
    assert adasum.adaptive_sum([a, b]).asnumpy().tolist() == [2, 3]
    assert adasum.adaptive_sum([a, a, a, a]).asnumpy().tolist() == [2, 0]
    assert adasum.adaptive_sum([a, a * 0]).asnumpy().tolist() == [2, 0]
    found = adasum.adaptive_sum([Tensor([1.0, 1.0]), Tensor([2.0, 0.0])]).asnumpy()
    close(found, [0.5 * 1 + 0.75 * 2, 0.5], atol=0)


def test_steps_of_processes_are_combined(monkeypatch):
    boost.AutoBoost("O0", {"boost": {"mode": "manual", "adasum": True}})
    net, loss, optimizer = parts()
    step = boost.BoostTrainOneStepCell(loss, optimizer)
    assert not step.check_adasum_enable()
    with pytest.raises(RuntimeError, match="'parallel_mode' must not be 'stand_alone'"):
        step.adasum_process(Tensor(1.0), ())

    def of_two(tensor):  # another process has taken a step that is orthogonal to this one's
        turned = ops.concat([tensor[:, 6:], -tensor[:, :6]], 1)
        return ops.concat([tensor, turned]), None

    monkeypatch.setattr(adasum, "all_gather_into_tensor", of_two)
    monkeypatch.setattr(adasum, "refusal", lambda: None)
    assert step.check_adasum_enable()
    step = boost.BoostTrainOneStepCell(loss, optimizer)
    step(X, Y)
    alone, its_loss, its_optimizer = parts()
    nn.TrainOneStepCell(its_loss, its_optimizer)(X, Y)
    own = 1 - alone.weight.asnumpy().reshape(-1)
    turned = np.concatenate([own[6:], -own[:6]])
    found = 1 - net.weight.asnumpy().reshape(-1)
    close(found, own + turned)


@pytest.mark.parametrize("kind", [nn.AdaSumByGradWrapCell, nn.AdaSumByDeltaWeightWrapCell])
def test_optimizers_of_several_processes(monkeypatch, kind):
    weight = Parameter(Tensor([1.0, 1.0]), name="weight")
    optimizer = nn.SGD([weight], 0.5)
    with pytest.raises(RuntimeError, match="'parallel_mode' must not be 'stand_alone'"):
        kind(optimizer)
    with pytest.raises(TypeError, match="'optimizer'"):
        kind(1)
    monkeypatch.setattr(adasum, "refusal", lambda: None)
    both = lambda tensor: (ops.concat([tensor, -tensor[:, ::-1]]), None)  # noqa: E731
    monkeypatch.setattr(adasum, "all_gather_into_tensor", both)
    kind(optimizer)((Tensor([2.0, 0.0]),))
    assert weight.asnumpy().tolist() == [0, 2]


@pytest.mark.parametrize(
    "mode, count, why",
    [
        ("stand_alone", 16, "stand_alone"),
        ("data_parallel", 12, "power of 2"),
        ("data_parallel", 16, None),
    ],
)
def test_when_processes_can_combine_their_steps(monkeypatch, mode, count, why):
    settings = {"parallel_mode": mode, "enable_parallel_optimizer": False, "pipeline_stages": 1}
    monkeypatch.setattr(adasum.config, "get_auto_parallel_context", settings.get)
    monkeypatch.setattr(adasum, "get_group_size", lambda: count)
    found = adasum.refusal()
    assert found is None if why is None else why in found
