"""The Optimizer base class: its state, and what user-defined optimizers rely on."""

import sys
from pathlib import Path

import numpy as np
import pytest
from kit import close

from mindspore_compat import Tensor, nn, ops
from mindspore_compat._backend import arrays
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.nn.learning_rate_schedule import LearningRateSchedule
from mindspore_compat.nn.optim.optimizer import opt_init_args_register

sys.path.insert(0, str(Path(__file__).parent))
from optimizer_inputs import SHAPES, Decay, make_gradients, make_parameters, momentum  # noqa: E402  (found through the line above)

pytestmark = pytest.mark.quick


@pytest.fixture
def parameters():
    return make_parameters()


# State --------------------------------------------------------------------------------------------


def test_names_of_the_saved_state(parameters):
    optimizer = nn.Adam(parameters, 0.1)
    assert [p.name for p in optimizer.get_parameters()] == [
        "global_step",
        "learning_rate",
        *SHAPES,
        "beta1_power",
        "beta2_power",
        *[f"moment1.{name}" for name in SHAPES],
        *[f"moment2.{name}" for name in SHAPES],
    ]
    offload = nn.AdamOffload(make_parameters(), [0.1, 0.2])
    assert offload.beta1_power.shape == (1,) and offload.beta1_power.asnumpy() == 1
    assert offload.parameters_dict()["learning_rate"].shape == (2,)


def test_names_of_learning_rates_by_group(parameters):
    optimizer = momentum([{"params": parameters[:2], "lr": 0.05}, {"params": parameters[2:]}], 0.3)
    assert [p.name for p in optimizer.get_parameters()][:3] == [
        "global_step",
        "learning_rate_group_0",
        "learning_rate",
    ]
    assert [float(rate) for rate in optimizer.get_lr()] == pytest.approx([0.05, 0.05, 0.3, 0.3])


def test_attributes_without_groups(parameters):
    optimizer = momentum(parameters, weight_decay=0.1, loss_scale=4)
    assert not (optimizer.is_group or optimizer.is_group_lr or optimizer.dynamic_lr)
    assert optimizer.decay_flags == (True, True, True, False)
    assert optimizer.exec_weight_decay and optimizer.need_scale and optimizer.loss_scale == 4.0
    assert float(optimizer.get_weight_decay()) == pytest.approx(0.4)
    assert float(optimizer.reciprocal_scale) == 0.25
    assert optimizer.get_lr() is optimizer.learning_rate
    assert optimizer.get_lr_parameter(parameters[0]) is optimizer.learning_rate
    assert optimizer.get_lr_parameter(parameters[:2]) == [optimizer.learning_rate] * 2


def test_attributes_with_groups(parameters):
    a, b, conv, gamma = parameters
    optimizer = momentum(
        [
            {"params": [conv], "lr": 0.05, "weight_decay": 0.1, "grad_centralization": True},
            {"params": [a, b], "lr": [0.1, 0.2]},
            {"params": [gamma], "weight_decay": Decay()},
            {"order_params": parameters[::-1]},
        ],
        0.3,
        weight_decay=0.7,
    )
    assert optimizer.is_group and optimizer.is_group_lr and optimizer.is_group_params_ordered
    assert optimizer.dynamic_lr and optimizer.dynamic_weight_decay and optimizer.exec_weight_decay
    assert list(optimizer.parameters) == parameters[::-1]
    assert optimizer.dynamic_decay_flags == (True, False, False, False)
    assert optimizer.group_grad_centralization == [False, True, False, False]
    assert [type(cell).__name__ for cell in optimizer.group_lr] == [
        "_ConvertToCell",
        "_ConvertToCell",
        "_IteratorLearningRate",
        "_IteratorLearningRate",
    ]
    assert [float(rate) for rate in optimizer.get_lr()] == pytest.approx([0.3, 0.05, 0.1, 0.1])
    assert [type(rate) for rate in optimizer.get_lr()] == [Tensor] * 4
    decays = [float(decay) for decay in optimizer.get_weight_decay()]
    assert decays == pytest.approx([0.01, 0.1, 0.7, 0.7])
    assert optimizer.get_lr_parameter(a).name == "learning_rate_group_1"
    optimizer(tuple(reversed(make_gradients())))
    assert [float(rate) for rate in optimizer.get_lr()] == pytest.approx([0.3, 0.05, 0.2, 0.2])
    assert float(optimizer.get_weight_decay()[0]) == pytest.approx(0.02)


def test_get_lr_parameter_refuses(parameters):
    optimizer = momentum(parameters[:3])
    with pytest.raises(TypeError, match="get_lr_parameter"):
        optimizer.get_lr_parameter(1)
    with pytest.raises(TypeError, match="get_lr_parameter"):
        optimizer.get_lr_parameter([1])
    with pytest.raises(ValueError, match="bn.gamma"):
        optimizer.get_lr_parameter(parameters[3])


def test_schedules_are_returned_as_they_are(parameters):
    schedule = nn.WarmUpLR(0.1, 4)
    optimizer = momentum([{"params": parameters[:2], "lr": schedule}, {"params": parameters[2:]}])
    assert optimizer.get_lr_parameter(parameters[0]) is schedule
    assert momentum(make_parameters(), schedule).learning_rate is schedule


def test_a_learning_rate_stays_at_its_last_value_and_says_so_once(parameters, monkeypatch):
    from mindspore_compat import log

    said = []
    monkeypatch.setattr(log, "warning", lambda text, *args, **keywords: said.append(text))
    optimizer = nn.SGD(parameters[:1], [0.5, 0.25])
    steps = []
    for _ in range(4):
        before = parameters[0].asnumpy().copy()
        optimizer((Tensor(np.ones((3, 4), np.float32)),))
        steps.append(float((before - parameters[0].asnumpy()).mean()))
    assert steps == pytest.approx([0.5, 0.25, 0.25, 0.25])
    assert len(said) == 1


def test_a_learning_rate_set_between_steps_takes_effect(parameters):
    optimizer = nn.SGD(parameters[:1], 0.5)
    for change in (
        lambda: optimizer.learning_rate.set_data(Tensor(0.25)),
        lambda: ops.assign(optimizer.learning_rate, Tensor(0.25)),
        lambda: setattr(optimizer, "learning_rate", Tensor(0.25)),
    ):
        optimizer.learning_rate.set_data(Tensor(0.5))
        change()
        before = parameters[0].asnumpy().copy()
        optimizer((Tensor(np.ones((3, 4), np.float32)),))
        close(before - parameters[0].asnumpy(), 0.25, rtol=1e-6, atol=0)


def test_states_set_between_steps_take_effect(space):
    """As after loading a checkpoint: each state gets an array of its own, then training
    continues."""
    whole, half = make_parameters(), make_parameters()
    one, first = nn.Adam(whole, 0.1), nn.Adam(half, 0.1)
    for seed in range(3):
        one(make_gradients(seed))
        first(make_gradients(seed))
    saved = {p.name: p.asnumpy().copy() for p in first.get_parameters()}
    again = make_parameters()
    second = nn.Adam(again, 0.1)
    for p in second.get_parameters():
        p.set_data(Tensor(saved[p.name]))
    for seed in range(3, 6):
        one(make_gradients(seed))
        second(make_gradients(seed))
    for p, q in zip(one.get_parameters(), second.get_parameters(), strict=True):
        np.testing.assert_array_equal(p.asnumpy(), q.asnumpy(), err_msg=p.name)


def test_memory_of_a_parameter_stays_its_own(parameters):
    arrays_before = [p._array for p in parameters]
    seen = parameters[0].asnumpy()
    optimizer = nn.Adam(parameters, 0.1)
    optimizer(make_gradients())
    assert all(p._array is array for p, array in zip(parameters, arrays_before, strict=True))
    if type(parameters[0]._array) is np.ndarray:  # on a GPU `asnumpy` copies
        np.testing.assert_array_equal(seen, parameters[0].asnumpy())


def test_moments_of_offload_stay_on_the_host(space):
    parameters = make_parameters()
    optimizer = nn.AdamOffload(parameters, 0.1, weight_decay=0.1)
    for _ in range(2):
        optimizer(make_gradients())
    on_gpu = space is not arrays.HOST
    for p, m, v in zip(parameters, optimizer.moment1, optimizer.moment2, strict=True):
        assert arrays.on_device(p._array) == on_gpu
        assert not arrays.on_device(m._array) and not arrays.on_device(v._array)


def test_powers_do_not_drift(parameters):
    optimizer = nn.Adam(parameters[:1], beta1=0.9, beta2=0.999)
    for _ in range(300):
        optimizer((Tensor(np.ones((3, 4), np.float32)),))
    assert optimizer.beta2_power.asnumpy() == np.float32(0.999**300)
    assert optimizer.beta1_power.asnumpy() == np.float32(0.9**300)


# Links --------------------------------------------------------------------------------------------


def test_links_for_optimizers_written_by_users(parameters):
    optimizer = momentum(parameters, weight_decay=0.1, loss_scale=4.0)
    ones = tuple(Tensor(np.ones(shape, np.float32)) for shape in SHAPES.values())
    decayed = optimizer.decay_weight(ones)
    assert isinstance(decayed, tuple)
    close(decayed[1], 1 + 0.4 * parameters[1].asnumpy(), rtol=1e-6, atol=0)
    np.testing.assert_array_equal(decayed[3].asnumpy(), 1)
    np.testing.assert_array_equal(optimizer.scale_grad(ones)[0].asnumpy(), 0.25)
    assert [g.asnumpy().max() for g in optimizer.scale_grad(ones[:1])] == [0.25]
    assert optimizer.gradients_centralization(ones) is ones
    assert optimizer.flatten_gradients(ones) is ones


def test_centralisation_is_for_convolutions(parameters):
    start = [p.asnumpy().copy() for p in parameters]
    given = make_gradients()
    optimizer = nn.SGD(
        [{"params": parameters, "grad_centralization": True, "weight_decay": 0.5}],
        1.0,
        loss_scale=2.0,
    )
    optimizer(given)
    for p, before, gradient in zip(parameters, start, given, strict=True):
        g = gradient.asnumpy() / 2 + 0.5 * before
        if g.ndim == 4:
            g = g - g.mean((1, 2, 3), keepdims=True)
        close(p, before - g, rtol=1e-5, atol=1e-6)
    centred = optimizer.gradients_centralization(given)
    assert abs(centred[2].asnumpy().mean((1, 2, 3))).max() < 1e-6
    np.testing.assert_array_equal(centred[0].asnumpy(), given[0].asnumpy())


class OwnMomentum(nn.Optimizer):
    """A user-defined optimizer, written as the documentation describes."""

    def __init__(self, params, learning_rate, momentum=0.9, **options):
        super().__init__(learning_rate, params, **options)
        self.moments = self.parameters.clone(prefix="moments", init="zeros")
        self.momentum = momentum

    def construct(self, gradients):
        lr = self.get_lr()
        gradients = self.decay_weight(gradients)
        gradients = self.gradients_centralization(gradients)
        gradients = self.scale_grad(gradients)
        self.assignadd(self.global_step, self.global_step_increase_tensor)
        self.hyper_map(
            ops.partial(own_update, self.momentum, lr), self.parameters, self.moments, gradients
        )
        return True


def own_update(momentum, lr, parameter, moment, gradient):
    ops.assign(moment, moment * momentum + gradient)
    ops.assign(parameter, parameter - moment * lr)
    return True


def test_an_optimizer_written_by_a_user(space):
    own, ours = make_parameters(), make_parameters()
    options = {"weight_decay": 0.1, "loss_scale": 4.0}
    one = OwnMomentum(own, [0.1, 0.05, 0.02], **options)
    two = nn.Momentum(ours, [0.1, 0.05, 0.02], 0.9, **options)
    for seed in range(3):
        one(make_gradients(seed))
        two(make_gradients(seed))
    for p, q in zip(own, ours, strict=True):
        close(p, q, rtol=1e-5, atol=1e-6)
    assert one.global_step.asnumpy() == [3]
    assert [p.name for p in one.get_parameters()][-5:-1] == [f"moments.{name}" for name in SHAPES]


def test_an_optimizer_written_for_earlier_releases(parameters):
    class Fused(nn.Optimizer):
        def __init__(self, params):
            super().__init__(0.1, params, 0.25, 8.0)
            self.moments = self.parameters.clone(prefix="moments", init="zeros")
            self.update = ops.FusedWeightScaleApplyMomentum()

        def construct(self, gradients):
            assert self.ps_parameters == self.cache_enable == (False,) * self.param_length
            constants = self.weight_decay_tensor, self.reciprocal_scale
            for weight, moment, gradient in zip(self.parameters, self.moments, gradients):
                self.update(*constants, weight, moment, self.get_lr(), gradient, Tensor(0.5))
            return True

    gradients = make_gradients()
    decayed = [p for p in parameters if "beta" not in p.name and "gamma" not in p.name]
    before = {p.name: p.asnumpy().copy() for p in decayed}
    Fused(parameters)(gradients)
    for p, gradient in zip(parameters, gradients):
        if p.name in before:
            expected = before[p.name] - 0.1 * (gradient.asnumpy() + 2.0 * before[p.name]) / 8
            close(p.asnumpy(), expected)


def test_weight_decay_by_group_as_tensors(parameters):
    groups = [{"params": parameters[:1], "weight_decay": 0.5}, {"params": parameters[1:2]}]
    found = nn.Momentum(groups, 0.1, 0.9, 0.25, 2.0).weight_decay_tensor_tuple
    assert [each.asnumpy() for each in found] == [1.0, 0.5]


def test_schedules_and_decays_written_by_users(parameters):
    class Half(LearningRateSchedule):
        def construct(self, global_step):
            return 0.5 / (global_step + 1).astype("float32")

    before = parameters[0].asnumpy().copy()
    optimizer = nn.SGD(parameters[:1], Half())
    for _ in range(2):
        optimizer((Tensor(np.ones((3, 4), np.float32)),))
    close(before - parameters[0].asnumpy(), 0.75, rtol=1e-6, atol=0)


def test_a_schedule_that_raises_changes_nothing(parameters):
    class Broken(LearningRateSchedule):
        def construct(self, global_step):
            raise ZeroDivisionError

    optimizer = nn.Adam([{"params": parameters[:2]}, {"params": parameters[2:], "lr": Broken()}])
    before = [p.asnumpy().copy() for p in parameters]
    with pytest.raises(ZeroDivisionError):
        optimizer(make_gradients())
    for p, value in zip(parameters, before, strict=True):
        np.testing.assert_array_equal(p.asnumpy(), value)
    assert optimizer.global_step.asnumpy() == [0]


def test_the_base_updates_nothing_itself(parameters):
    with pytest.raises(NotImplementedError):
        nn.Optimizer(0.1, parameters)(make_gradients())


def test_opt_init_args_register(parameters):
    class Own(nn.Optimizer):
        @opt_init_args_register
        def __init__(self, params, learning_rate=0.1, power=2):
            super().__init__(learning_rate, params)

    optimizer = Own(parameters, power=3)
    assert optimizer.init_params == {"params": parameters}
    assert optimizer.init_learning_rate == 0.1 and optimizer.init_args == {"power": 3}


# Row-sparse gradients and settings ----------------------------------------------------------------


class Rows:
    """Returns a row-sparse gradient, as embeddings produce it."""

    def __init__(self, indices, values):
        self.indices, self.values = Tensor(indices), Tensor(values)


@pytest.mark.parametrize(
    "make, others_move",
    [
        (lambda p: nn.Adam(p, 0.1), True),
        (lambda p: nn.Adam(p, 0.1, use_lazy=True), False),
        (lambda p: nn.LazyAdam(p, 0.1), False),
        (lambda p: nn.FTRL(p, learning_rate=0.1), False),
        (lambda p: nn.ProximalAdagrad(p, learning_rate=0.1, l1=0.5), False),
    ],
)
def test_gradients_of_few_rows(space, make, others_move):
    rng = np.random.default_rng(3)
    table = rng.standard_normal((6, 3)).astype(np.float32)
    rows = rng.standard_normal((4, 3)).astype(np.float32)
    index = np.int32([4, 1, 4, 0])
    whole = np.zeros((6, 3), np.float32)
    np.add.at(whole, index, rows)
    sparse, dense = (Parameter(Tensor(table), name="table") for _ in range(2))
    one, two = make([sparse]), make([dense])
    one((Tensor(whole),))
    two((Tensor(whole),))
    between = sparse.asnumpy().copy()
    one((Rows(index, rows),))
    two((Tensor(whole),))
    touched = [0, 1, 4]
    close(sparse.asnumpy()[touched], dense.asnumpy()[touched], rtol=1e-5, atol=0)
    moved = np.abs(sparse.asnumpy() - between)[[2, 3, 5]].max() > 0
    assert not moved or others_move


def test_target_and_unique(parameters):
    optimizer = nn.Adam(parameters)
    optimizer.target, optimizer.unique = "CPU", False
    assert optimizer.target == "CPU" and optimizer.unique is False
    for value, error in (("GPU", ValueError), ("x", ValueError), (1, TypeError)):
        with pytest.raises(error):
            optimizer.target = value
    with pytest.raises(TypeError):
        optimizer.unique = 1
    with pytest.raises(NotImplementedError):
        momentum(make_parameters()).target = "CPU"


def test_an_update_returns_a_tuple_of_true(parameters):
    assert nn.AdamOffload(parameters)(make_gradients()) == (True,) * 4
    assert nn.ASGD(make_parameters())(make_gradients()) is True


def test_a_bool_is_a_weight_decay_but_not_for_lazy_adam(parameters):
    assert nn.Adam(parameters, weight_decay=True).weight_decay == 1
    with pytest.raises(TypeError, match="For 'LazyAdam', 'weight_decay'"):
        nn.LazyAdam(parameters, weight_decay=True)
    nn.LazyAdam(parameters, weight_decay=1)
