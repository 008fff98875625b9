"""The Optimizer base: what it refuses, what it keeps, and what users' own optimizers rely on."""

import math

import numpy as np
import pytest
from kit import close

from mindspore_compat import Tensor, nn, ops
from mindspore_compat._backend import arrays
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.nn.learning_rate_schedule import LearningRateSchedule
from mindspore_compat.nn.optim.optimizer import opt_init_args_register

pytestmark = pytest.mark.quick

SHAPES = {"a.weight": (3, 4), "b.bias": (5,), "conv.weight": (2, 3, 2, 2), "bn.gamma": (4,)}


def make_parameters():
    rng = np.random.default_rng(0)
    return [
        Parameter(Tensor(rng.standard_normal(shape).astype(np.float32)), name=name)
        for name, shape in SHAPES.items()
    ]


def make_gradients(seed=1):
    rng = np.random.default_rng(seed)
    return tuple(Tensor(rng.standard_normal(shape).astype(np.float32)) for shape in SHAPES.values())


@pytest.fixture
def parameters():
    return make_parameters()


class Decay(nn.Cell):
    """A weight decay that grows with the step."""

    def construct(self, step):
        return 0.01 * (step + 1).astype("float32")


def momentum(params, lr=0.1, **options):
    return nn.Momentum(params, lr, 0.9, **options)


# Refusals -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "make",
    [
        momentum,
        nn.Adam,
        nn.AdamOffload,
        nn.ASGD,
        nn.RMSProp,
        lambda params: nn.Lamb(params, 0.1),
        lambda params: nn.LARS(momentum(params)),
        lambda params: nn.AdaFactor(params, learning_rate=0.1, relative_step=False),
    ],
)
def test_a_complex_gradient_of_a_real_parameter_is_refused(make):
    weight = Parameter(Tensor(np.ones(3, np.float32)), name="w")
    optimizer = make([weight])
    with pytest.raises(TypeError, match="the gradient of 'w' must be real"):
        optimizer((Tensor(np.full(3, 1 + 2j, np.complex64)),))
    assert weight.asnumpy().tolist() == [1, 1, 1]


nan, inf = math.nan, math.inf
RATES = [
    (-1, ValueError),
    (-0.1, ValueError),
    (nan, ValueError),
    (inf, ValueError),
    (None, TypeError),
    ("a", TypeError),
    (1 + 0j, TypeError),
    (np.float32(0.1), TypeError),
    (np.array(0.1), TypeError),
    (["a"], TypeError),
    ([[0.1]], TypeError),
    ([], ValueError),
    (Tensor([[0.1]]), ValueError),
    (nn.ReLU(), TypeError),
    (abs, TypeError),
    ([0.1, nan], ValueError),
    (Tensor([0.1, nan]), ValueError),
    (Tensor(nan), ValueError),
]
DECAYS = [
    (-1, ValueError),
    (-0.1, ValueError),
    (nan, ValueError),
    (inf, ValueError),
    (None, TypeError),
    ("a", TypeError),
    ([0.1], TypeError),
    (Tensor(0.1), TypeError),
]
SCALES = [
    (0, ValueError),
    (0.0, ValueError),
    (-1.0, ValueError),
    (nan, ValueError),
    (inf, ValueError),
    (None, TypeError),
    ("a", TypeError),
    (Tensor(2.0), TypeError),
    (False, ValueError),
]


@pytest.mark.parametrize("value, error", RATES, ids=str)
def test_learning_rates_refused(parameters, value, error):
    with pytest.raises(error, match="Momentum"):
        momentum(parameters, value)
    with pytest.raises(error, match="Momentum"):
        momentum([{"params": parameters[:2], "lr": value}, {"params": parameters[2:]}])


@pytest.mark.parametrize("value, error", DECAYS, ids=str)
def test_weight_decays_refused(parameters, value, error):
    with pytest.raises(error, match="Momentum.*weight_decay"):
        momentum(parameters, weight_decay=value)
    with pytest.raises(error, match="Momentum.*weight_decay"):
        momentum([{"params": parameters[:2], "weight_decay": value}, {"params": parameters[2:]}])


@pytest.mark.parametrize("value, error", SCALES, ids=str)
@pytest.mark.parametrize("make", [momentum, nn.AdamOffload, nn.RMSProp, nn.Adadelta])
def test_loss_scales_refused(parameters, make, value, error):
    with pytest.raises(error, match="loss_scale"):
        make(parameters, loss_scale=value)


@pytest.mark.parametrize(
    "value",
    [
        0,
        0.0,
        1,
        True,
        0.5,
        [0.1, 0.2],
        (1,),
        Tensor(0.1),
        Tensor([0.1, 0.2]),
        Tensor(1),
        Tensor(-0.1),
        np.array([0.1]),
        np.float64(0.1),
        {0.1: 1},
        [Tensor(0.1)],
        [True],
        nn.WarmUpLR(0.1, 4),
    ],
    ids=str,
)
def test_learning_rates_accepted(parameters, value):
    optimizer = momentum(parameters, value)
    optimizer(make_gradients())
    assert np.isfinite(parameters[0].asnumpy()).all()


@pytest.mark.parametrize("value", [0, 1, True, 0.1, np.float64(0.2), Decay()], ids=str)
def test_weight_decays_accepted(parameters, value):
    momentum(parameters, weight_decay=value)(make_gradients())
    assert np.isfinite(parameters[0].asnumpy()).all()


@pytest.mark.parametrize(
    "given, error",
    [
        (lambda p: None, ValueError),
        (lambda p: [], ValueError),
        (lambda p: (), ValueError),
        (lambda p: iter(()), ValueError),
        (lambda p: 5, TypeError),
        (lambda p: p[0], TypeError),
        (lambda p: "abc", TypeError),
        (lambda p: [1, 2], TypeError),
        (lambda p: {"params": p}, TypeError),
        (lambda p: [p[0], {"params": [p[1]]}], TypeError),
        (lambda p: [{"params": [p[1]]}, p[0]], TypeError),
        (lambda p: [p[0], p[0]], RuntimeError),
        (lambda p: [p[0], Parameter(Tensor(1.0), name=p[0].name)], ValueError),
        (lambda p: [{"params": p[0]}], TypeError),
        (lambda p: [{"params": [1]}], TypeError),
        (lambda p: [{"params": 1}], TypeError),
        (lambda p: [{"params": []}, {"params": p}], ValueError),
        (lambda p: [{"lr": 0.1}, {"params": p}], KeyError),
        (lambda p: [{"params": p, "foo": 1}], KeyError),
        (lambda p: [{"params": p[:2]}, {"params": p[1:]}], RuntimeError),
        (lambda p: [{"params": p}, {"order_params": p[:2]}], ValueError),
        (lambda p: [{"params": p[:2]}, {"order_params": p[1:3]}], ValueError),
        (lambda p: [{"params": p[:2]}, {"order_params": [p[0], p[0]]}], ValueError),
        (lambda p: [{"params": p[:2]}, {"order_params": [p[0], 1]}], TypeError),
        (lambda p: [{"params": p[:2]}, {"order_params": p[:2], "lr": 0.1}], ValueError),
        (lambda p: [{"order_params": p[:2]}], ValueError),
        (lambda p: [{"params": p, "grad_centralization": 1}], TypeError),
        (lambda p: [{"params": p, "grad_centralization": "yes"}], TypeError),
    ],
)
def test_parameters_refused(parameters, given, error):
    with pytest.raises(error, match="Momentum"):
        momentum(given(parameters))


@pytest.mark.parametrize(
    "given",
    [
        tuple,
        iter,
        lambda p: filter(lambda q: True, p),
        lambda p: [{"params": iter(p)}],
        lambda p: [{"params": tuple(p)}],
        lambda p: [{"params": p}, {"order_params": p}, {"order_params": p[::-1]}],
    ],
)
def test_parameters_accepted(parameters, given):
    assert {id(p) for p in momentum(given(parameters)).parameters} == {id(p) for p in parameters}


ADAM_REFUSALS = [
    *[
        ("beta1", value, error)
        for value, error in [
            (1, TypeError),
            (0, TypeError),
            (True, TypeError),
            (None, TypeError),
            ("a", TypeError),
            (Tensor(0.9), TypeError),
            (np.float32(0.9), TypeError),
            (1.0, ValueError),
            (0.0, ValueError),
            (-1.0, ValueError),
            (nan, ValueError),
        ]
    ],
    ("beta2", 1, TypeError),
    ("beta2", 1.0, ValueError),
    ("beta2", nan, ValueError),
    ("eps", 0, TypeError),
    ("eps", 1, TypeError),
    ("eps", 0.0, ValueError),
    ("eps", -1.0, ValueError),
    ("eps", nan, ValueError),
    ("eps", inf, ValueError),
    ("use_locking", 1, TypeError),
    ("use_nesterov", 1, TypeError),
    ("use_nesterov", None, TypeError),
]


@pytest.mark.parametrize("make", [nn.Adam, nn.AdamOffload, nn.LazyAdam])
@pytest.mark.parametrize("name, value, error", ADAM_REFUSALS, ids=str)
def test_arguments_of_adam_refused(parameters, make, name, value, error):
    with pytest.raises(error, match=f"For '{make.__name__}', '{name}'"):
        make(parameters, **{name: value})


@pytest.mark.parametrize(
    "options, error",
    [
        ({"foo": 1}, KeyError),
        ({"use_lazy": 1}, TypeError),
        ({"use_offload": None}, TypeError),
        ({"use_amsgrad": 0}, TypeError),
        ({"use_lazy": True, "use_offload": True}, ValueError),
        ({"use_amsgrad": True, "use_lazy": True}, ValueError),
        ({"use_amsgrad": True, "use_offload": True}, ValueError),
    ],
    ids=str,
)
def test_kinds_of_adam_refused(parameters, options, error):
    with pytest.raises(error, match="For 'Adam'"):
        nn.Adam(parameters, **options)


OTHER_REFUSALS = [
    ("Momentum", {"learning_rate": 0.1, "momentum": 1}, TypeError),
    ("Momentum", {"learning_rate": 0.1, "momentum": -0.1}, ValueError),
    ("Momentum", {"learning_rate": 0.1, "momentum": nan}, ValueError),
    ("Momentum", {"learning_rate": 0.1, "momentum": 0.9, "use_nesterov": 1}, TypeError),
    ("SGD", {"momentum": -0.1}, ValueError),
    ("SGD", {"momentum": "a"}, TypeError),
    ("SGD", {"dampening": -0.1}, ValueError),
    ("SGD", {"nesterov": True}, ValueError),
    ("SGD", {"nesterov": True, "momentum": 0.9, "dampening": 0.1}, ValueError),
    ("SGD", {"weight_decay": Decay()}, TypeError),
    ("SGD", {"nesterov": 1}, TypeError),
    ("RMSProp", {"decay": 1}, TypeError),
    ("RMSProp", {"decay": -0.1}, ValueError),
    ("RMSProp", {"epsilon": 0.0}, ValueError),
    ("RMSProp", {"centered": 1}, TypeError),
    ("Adagrad", {"accum": 1}, TypeError),
    ("Adagrad", {"accum": -0.1}, ValueError),
    ("Adagrad", {"update_slots": 1}, TypeError),
    ("FTRL", {"learning_rate": 1}, TypeError),
    ("FTRL", {"learning_rate": [0.1]}, TypeError),
    ("FTRL", {"learning_rate": 0.0}, ValueError),
    ("FTRL", {"lr_power": 1.0}, ValueError),
    ("FTRL", {"lr_power": -1}, TypeError),
    ("FTRL", {"l1": -0.1}, ValueError),
    ("ProximalAdagrad", {"l1": 1}, TypeError),
    ("ProximalAdagrad", {"l2": -0.1}, ValueError),
    ("AdaMax", {"beta1": 1.0}, ValueError),
    ("AdaMax", {"eps": 1}, TypeError),
    ("Adadelta", {"rho": 1.1}, ValueError),
    ("Adadelta", {"rho": 1}, TypeError),
    ("Adadelta", {"epsilon": -1.0}, ValueError),
    ("ASGD", {"lambd": 1}, TypeError),
    ("ASGD", {"t0": 1}, TypeError),
    ("Rprop", {"etas": [0.5, 1.2]}, TypeError),
    ("Rprop", {"etas": (0.5,)}, ValueError),
    ("Rprop", {"etas": (1, 1.2)}, TypeError),
    ("Rprop", {"etas": (1.0, 1.2)}, ValueError),
    ("Rprop", {"etas": (0.5, 1.0)}, ValueError),
    ("Rprop", {"step_sizes": (1.0, 0.5)}, ValueError),
    ("Lamb", {"learning_rate": 0.1, "eps": 0.0}, ValueError),
    ("Lamb", {}, TypeError),
    ("AdamWeightDecay", {"beta1": 1}, TypeError),
    ("AdamWeightDecay", {"eps": 0.0}, ValueError),
    ("AdaFactor", {"learning_rate": 0.1}, ValueError),
    ("AdaFactor", {"relative_step": False}, ValueError),
    ("AdaFactor", {"eps": (1e-30,)}, ValueError),
    ("AdaFactor", {"eps": (1, 1e-3)}, TypeError),
    ("AdaFactor", {"decay_rate": 1.0}, ValueError),
    ("AdaFactor", {"weight_decay": 1}, TypeError),
    ("AdaFactor", {"compression": 1}, TypeError),
]


@pytest.mark.parametrize("name, options, error", OTHER_REFUSALS, ids=str)
def test_arguments_of_others_refused(parameters, name, options, error):
    with pytest.raises(error):
        getattr(nn, name)(parameters, **options)


def test_learning_rates_of_groups_are_refused_by_ftrl(parameters):
    with pytest.raises(ValueError, match="FTRL"):
        nn.FTRL([{"params": parameters, "lr": 0.1}])


@pytest.mark.parametrize("make", [momentum, nn.Adam, nn.SGD, nn.Lamb, nn.AdaFactor])
@pytest.mark.parametrize(
    "spoil",
    [
        lambda g: g[:2],
        lambda g: g + g,
        lambda g: (g[1], *g[1:]),
        lambda g: (1, *g[1:]),
        lambda g: g[0],
        lambda g: None,
        lambda g: (*g[:3], Tensor(np.ones((4, 1), np.float32))),
    ],
    ids=["few", "many", "shape", "number", "tensor", "none", "last"],
)
def test_gradients_refused_change_nothing(parameters, make, spoil):
    optimizer = make(parameters, 0.1) if make is not nn.AdaFactor else make(parameters)
    before = {p.name: p.asnumpy().copy() for p in optimizer.get_parameters()}
    with pytest.raises((TypeError, ValueError)):
        optimizer(spoil(make_gradients()))
    for p in optimizer.get_parameters():
        np.testing.assert_array_equal(p.asnumpy(), before[p.name])


def test_a_state_of_another_shape_is_refused_before_anything_is_written(parameters):
    optimizer = nn.Adam(parameters)
    optimizer.moment2[3].set_data(Tensor(np.zeros(2, np.float32)))
    before = [p.asnumpy().copy() for p in parameters]
    with pytest.raises(ValueError, match="moment2.bn.gamma"):
        optimizer(make_gradients())
    for p, value in zip(parameters, before, strict=True):
        np.testing.assert_array_equal(p.asnumpy(), value)


# What is kept -------------------------------------------------------------------------------------


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
    monkeypatch.setattr(log, "warning", lambda text, *args: said.append(text))
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
    """As after loading a checkpoint: the states get arrays of their own, then training goes on."""
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
    """As the documentation has users write one."""

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
    """A gradient of a few rows, as embeddings give it."""

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
