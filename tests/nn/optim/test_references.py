"""Every optimizer against its float64 reference: 20 steps, fixed and changing settings, groups."""

import numpy as np
import pytest
from kit import close
from kit import optimizers as reference

from mindspore_compat import Tensor, nn
from mindspore_compat.common.parameter import Parameter

STEPS = 20
RELATIVE = 1e-5  # tolerance of float32 arithmetic against the float64 reference
SHAPES = {
    "dense.weight": (3, 4),
    "conv.weight": (2, 3, 2, 2),
    "dense.bias": (5,),
    "norm.gamma": (4,),
    "scalar": (),
    "large": (70, 130),
}

OPTIMIZERS = {
    "Momentum": (lambda p, lr, **k: nn.Momentum(p, lr, 0.9, **k), reference.Momentum(0.9)),
    "Momentum, nesterov": (
        lambda p, lr, **k: nn.Momentum(p, lr, 0.9, use_nesterov=True, **k),
        reference.Momentum(0.9, True),
    ),
    "SGD": (nn.SGD, reference.SGD()),
    "SGD, dampened": (lambda p, lr, **k: nn.SGD(p, lr, 0.9, 0.3, **k), reference.SGD(0.9, 0.3)),
    "SGD, nesterov": (
        lambda p, lr, **k: nn.SGD(p, lr, 0.9, nesterov=True, **k),
        reference.SGD(0.9, nesterov=True),
    ),
    "Adam": (nn.Adam, reference.Adam()),
    "Adam, nesterov": (
        lambda p, lr, **k: nn.Adam(p, lr, use_nesterov=True, **k),
        reference.Adam(nesterov=True),
    ),
    "Adam, amsgrad": (
        lambda p, lr, **k: nn.Adam(p, lr, 0.5, 0.6, use_amsgrad=True, **k),
        reference.Adam(0.5, 0.6, amsgrad=True),
    ),
    "Adam, lazy": (lambda p, lr, **k: nn.Adam(p, lr, use_lazy=True, **k), reference.Adam()),
    "Adam, offload": (lambda p, lr, **k: nn.Adam(p, lr, use_offload=True, **k), reference.Adam()),
    "AdamOffload": (nn.AdamOffload, reference.Adam()),
    "AdamOffload, nesterov": (
        lambda p, lr, **k: nn.AdamOffload(p, lr, 0.8, 0.99, 1e-4, use_nesterov=True, **k),
        reference.Adam(0.8, 0.99, 1e-4, True),
    ),
    "LazyAdam": (nn.LazyAdam, reference.Adam()),
    "AdamWeightDecay": (nn.AdamWeightDecay, reference.AdamWeightDecay()),
    "Lamb": (nn.Lamb, reference.Lamb()),
    "AdaMax": (nn.AdaMax, reference.AdaMax()),
    "RMSProp": (
        lambda p, lr, **k: nn.RMSProp(p, lr, momentum=0.5, epsilon=1e-3, **k),
        reference.RMSProp(0.9, 0.5, 1e-3),
    ),
    "RMSProp, centered": (
        lambda p, lr, **k: nn.RMSProp(p, lr, centered=True, epsilon=1e-2, **k),
        reference.RMSProp(centered=True, eps=1e-2),
    ),
    "Adagrad": (lambda p, lr, **k: nn.Adagrad(p, learning_rate=lr, **k), reference.Adagrad()),
    "Adagrad, fixed": (
        lambda p, lr, **k: nn.Adagrad(p, accum=0.5, learning_rate=lr, update_slots=False, **k),
        reference.Adagrad(0.5, False),
    ),
    "Adadelta": (nn.Adadelta, reference.Adadelta()),
    "ProximalAdagrad": (
        lambda p, lr, **k: nn.ProximalAdagrad(p, learning_rate=lr, l1=0.05, l2=0.1, **k),
        reference.ProximalAdagrad(0.1, 0.05, 0.1),
    ),
    "ASGD": (
        lambda p, lr, **k: nn.ASGD(p, lr, 0.01, 0.6, 5.0, **k),
        reference.ASGD(0.01, 0.6, 5.0),
    ),
    "Rprop": (nn.Rprop, reference.Rprop()),
    "AdaFactor": (
        lambda p, lr, **k: nn.AdaFactor(p, lr, relative_step=False, scale_parameter=False, **k),
        reference.AdaFactor(False, False),
    ),
}
each_optimizer = pytest.mark.parametrize("name", OPTIMIZERS)
UNSCALED = ("AdamWeightDecay", "Lamb", "ASGD", "Rprop")  # take no loss scale


@pytest.fixture
def start():
    rng = np.random.default_rng(7)
    return {name: rng.standard_normal(shape).astype(np.float32) for name, shape in SHAPES.items()}


@pytest.fixture
def gradients():
    rng = np.random.default_rng(8)
    return [
        {name: rng.standard_normal(shape).astype(np.float32) for name, shape in SHAPES.items()}
        for _ in range(STEPS)
    ]


def parameters_of(start):
    return [Parameter(Tensor(value), name=name) for name, value in start.items()]


def run(optimizer, gradients, scale=1.0):
    for given in gradients:
        optimizer(
            tuple(
                Tensor(given[parameter.name] * np.float32(scale))
                for parameter in optimizer.parameters
            )
        )


def compare(optimizer, values, states, relative=RELATIVE):
    found = optimizer.parameters_dict()
    for name, value in values.items():
        size = max(np.abs(value).max(), 1e-3)
        np.testing.assert_allclose(
            found[name].asnumpy(), value, rtol=relative, atol=relative * size, err_msg=name
        )
        for kind, state in states[name].items():
            for key in (f"{kind}.{name}", f"{kind}_{name}"):
                if key in found:
                    size = max(np.abs(state).max(), 1e-3)
                    np.testing.assert_allclose(
                        found[key].asnumpy(),
                        state,
                        rtol=5 * relative,
                        atol=relative * size,
                        err_msg=key,
                    )


@each_optimizer
def test_fixed_settings(space, name, start, gradients):
    make, rule = OPTIMIZERS[name]
    optimizer = make(parameters_of(start), 0.02)
    run(optimizer, gradients)
    compare(optimizer, *reference.train(rule, start, gradients, lambda name, t: 0.02))
    assert optimizer.global_step.asnumpy() == [STEPS]


@each_optimizer
def test_changing_learning_rate_decay_and_loss_scale(name, start, gradients):
    make, rule = OPTIMIZERS[name]
    rates = np.float32(np.linspace(0.05, 0.01, STEPS))
    scaled = {} if name in UNSCALED else {"loss_scale": 16.0}
    optimizer = make(parameters_of(start), rates.tolist(), weight_decay=0.1, **scaled)
    run(optimizer, gradients, scaled.get("loss_scale", 1.0))

    def decay(parameter, t):
        everywhere = name == "AdaFactor"
        return 0.1 if everywhere or "gamma" not in parameter else 0.0

    values = reference.train(rule, start, gradients, lambda _, t: float(rates[t]), decay)
    compare(optimizer, *values, relative=2 * RELATIVE)


@each_optimizer
def test_groups_in_an_order_of_their_own(name, start, gradients):
    make, rule = OPTIMIZERS[name]
    parameters = {parameter.name: parameter for parameter in parameters_of(start)}
    rates = np.float32(np.linspace(0.04, 0.02, STEPS))
    own = ["dense.weight", "conv.weight", "scalar"]
    other = [key for key in parameters if key not in own]
    groups = [
        {"params": [parameters[key] for key in own], "lr": rates.tolist(), "weight_decay": 0.2},
        {"params": [parameters[key] for key in other]},
        {"order_params": [parameters[key] for key in sorted(parameters)]},
    ]
    extra = {} if name.startswith("AdaFactor") else {"weight_decay": 0.05}
    optimizer = make(groups, 0.03, **extra)
    assert [each.name for each in optimizer.parameters] == sorted(parameters)
    run(optimizer, gradients)
    values = reference.train(
        rule,
        start,
        gradients,
        lambda key, t: float(rates[t]) if key in own else 0.03,
        lambda key, t: 0.2 if key in own else extra.get("weight_decay", 0.0),
    )
    compare(optimizer, *values, relative=2 * RELATIVE)


@pytest.mark.parametrize("power", [-0.5, -0.3, 0.0])
def test_ftrl(start, gradients, power):
    optimizer = nn.FTRL(parameters_of(start), learning_rate=0.1, lr_power=power, l1=0.05, l2=0.1)
    run(optimizer, gradients)
    rule = reference.FTRL(0.1, power, 0.05, 0.1)
    compare(optimizer, *reference.train(rule, start, gradients, lambda name, t: 0.1), 5 * RELATIVE)


@pytest.mark.parametrize(
    "options", [{}, {"warmup_init": True}, {"scale_parameter": False}], ids=str
)
def test_adafactor_with_steps_of_its_own(start, gradients, options):
    optimizer = nn.AdaFactor(parameters_of(start), **options)
    run(optimizer, gradients)
    rule = reference.AdaFactor(
        scaled=options.get("scale_parameter", True), warmup="warmup_init" in options
    )
    compare(optimizer, *reference.train(rule, start, gradients, lambda name, t: None))


@pytest.mark.parametrize("name", ["Momentum", "SGD", "Adam", "AdamWeightDecay", "AdamOffload"])
def test_half_parameters_with_half_gradients(space, name, start, gradients):
    make, rule = OPTIMIZERS[name]
    start = {key: value.astype(np.float16) for key, value in start.items()}
    gradients = [
        {key: value.astype(np.float16) for key, value in given.items()} for given in gradients[:3]
    ]
    optimizer = make(parameters_of(start), 0.02)
    run(optimizer, gradients)
    values, _ = reference.train(rule, start, gradients, lambda key, t: 0.02)
    for parameter in optimizer.parameters:
        assert parameter.asnumpy().dtype == np.float16
        close(parameter, values[parameter.name], rtol=3e-3, atol=6e-3)


def test_half_gradients_of_float32_parameters(space, start, gradients):
    optimizer = nn.Adam(parameters_of(start), 0.02)
    halves = [
        {key: value.astype(np.float16) for key, value in given.items()} for given in gradients
    ]
    run(optimizer, halves)
    compare(optimizer, *reference.train(reference.Adam(), start, halves, lambda name, t: 0.02))
