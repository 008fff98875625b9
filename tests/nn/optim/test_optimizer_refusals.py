"""Optimizers check rates, decays, scales, parameters, settings and gradients."""

import math
import sys
from pathlib import Path

import numpy as np
import pytest

from mindspore_compat import Tensor, nn
from mindspore_compat.common.parameter import Parameter

sys.path.insert(0, str(Path(__file__).parent))
from optimizer_inputs import Decay, make_gradients, make_parameters, momentum  # noqa: E402  (found through the line above)

pytestmark = pytest.mark.quick


@pytest.fixture
def parameters():
    return make_parameters()


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


@pytest.mark.parametrize("value", [[], (), {}], ids=str)
def test_no_learning_rates_stop_at_the_first_step(parameters, value):
    optimizer = momentum(parameters, value)
    before = [parameter.asnumpy().copy() for parameter in parameters]
    with pytest.raises(RuntimeError, match="'learning_rate' holds no value"):
        optimizer(make_gradients())
    for parameter, value_before in zip(parameters, before):
        assert (parameter.asnumpy() == value_before).all()


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


class Decays(nn.Cell):
    def construct(self, step):
        return Tensor(0.1)


@pytest.mark.parametrize(
    "make, error, text",
    [
        (lambda p: nn.Adam([]), ValueError, "the argument parameters must not be empty"),
        (lambda p: nn.Adam(iter(())), ValueError, "the argument parameters must not be empty"),
        (
            lambda p: nn.Adam(p, use_lazy=True, use_offload=True),
            ValueError,
            "For 'Adam', 'use_lazy' and 'use_offload' can not both be True",
        ),
        (
            lambda p: nn.Adam(p, use_offload=True, use_amsgrad=True),
            ValueError,
            "'use_amsgrad' must be False where 'use_lazy' or 'use_offload' is True",
        ),
        (lambda p: nn.SGD(p, weight_decay=Decays()), TypeError, "dynamic weight decay"),
        (
            lambda p: nn.SGD([{"params": p, "weight_decay": Decays()}]),
            TypeError,
            "dynamic weight decay",
        ),
        (
            lambda p: nn.SGD([{"params": p[:1], "lr": [0.1, 0.2]}, {"params": p[1:]}], [0.1] * 3),
            ValueError,
            r"as many in each group as in 'learning_rate', but got \[2, 3\]",
        ),
    ],
    ids=["empty", "no more", "lazy offload", "amsgrad", "decay", "group decay", "lengths"],
)
def test_what_a_refusal_tells(parameters, make, error, text):
    with pytest.raises(error, match=text):
        make(parameters)
