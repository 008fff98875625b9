"""LARS against a float64 reference, and its effect on the wrapped optimizer."""

import math

import numpy as np
import pytest
from kit import close
from kit import optimizers as reference

from mindspore_compat import Tensor, nn
from mindspore_compat.common.parameter import Parameter

pytestmark = pytest.mark.quick

STEPS = 20
RELATIVE = 1e-5
SHAPES = {
    "dense.weight": (3, 4),
    "conv.weight": (2, 3, 2, 2),
    "dense.bias": (5,),
    "bn.gamma": (4,),
    "fresh.weight": (2, 3),
}


def accepts(name):
    return "LayerNorm" not in name and "bias" not in name


def start():
    rng = np.random.default_rng(1)
    made = {name: rng.standard_normal(shape).astype(np.float32) for name, shape in SHAPES.items()}
    made["fresh.weight"][...] = 0
    return made


def gradients(count=STEPS):
    rng = np.random.default_rng(2)
    return [
        {name: rng.standard_normal(shape).astype(np.float32) for name, shape in SHAPES.items()}
        for _ in range(count)
    ]


def lars(p, g, decay, epsilon, coefficient, rate=None):
    """The gradient that LARS passes to the inner optimizer."""
    sizes = np.linalg.norm(p.ravel()), np.linalg.norm(g.ravel())
    ratio = 1.0
    if sizes[0] > 0 and sizes[1] > 0:
        ratio = coefficient * sizes[0] / (sizes[1] + decay * sizes[0] + epsilon)
        if rate is not None:
            ratio = min(ratio / rate, 1.0)
    return ratio * (g + decay * p)


class Inside:
    """A reference rule behind LARS."""

    decoupled = True

    def __init__(self, rule, flags, clip=False, epsilon=1e-5, coefficient=0.001):
        self.rule, self.flags, self.clip = rule, flags, clip
        self.epsilon, self.coefficient = epsilon, coefficient

    def first(self, shape):
        return self.rule.first(shape)

    def step(self, p, g, s, lr, t, decay=0.0):
        name = next(n for n, shape in SHAPES.items() if shape == p.shape)
        if self.flags(name):
            g = lars(p, g, decay, self.epsilon, self.coefficient, lr if self.clip else None)
        return self.rule.step(p, g, s, lr, t)


def run(optimizer, given, scale=1.0):
    for each in given:
        optimizer(tuple(Tensor(each[p.name] * np.float32(scale)) for p in optimizer.parameters))


def compare(optimizer, values):
    for parameter in optimizer.parameters:
        value = values[parameter.name]
        np.testing.assert_allclose(
            parameter.asnumpy(),
            value,
            rtol=RELATIVE,
            atol=RELATIVE * np.abs(value).max(),
            err_msg=parameter.name,
        )


@pytest.mark.parametrize("clip", [False, True])
@pytest.mark.parametrize(
    "inner, rule",
    [
        (lambda p, lr, **k: nn.Momentum(p, lr, 0.9, **k), reference.Momentum(0.9)),
        (lambda p, lr, **k: nn.SGD(p, lr, 0.9, 0.3, **k), reference.SGD(0.9, 0.3)),
        (nn.Adam, reference.Adam()),
        (nn.AdamOffload, reference.Adam()),
    ],
)
def test_twenty_steps(space, inner, rule, clip):
    parameters = [Parameter(Tensor(value), name=name) for name, value in start().items()]
    rates = np.float32(np.linspace(0.5, 0.1, STEPS))
    optimizer = nn.LARS(
        inner(parameters, rates.tolist(), weight_decay=0.1, loss_scale=8.0),
        coefficient=0.4,
        use_clip=clip,
    )
    run(optimizer, gradients(), 8.0)
    expected, _ = reference.train(
        Inside(rule, accepts, clip, coefficient=0.4),
        start(),
        gradients(),
        lambda name, t: float(rates[t]),
        lambda name, t: 0.0 if "gamma" in name else 0.1,
    )
    compare(optimizer, expected)


def test_groups_keep_their_order_and_settings():
    parameters = {n: Parameter(Tensor(v), name=n) for n, v in start().items()}
    first = ["conv.weight", "bn.gamma"]
    groups = [
        {"params": [parameters[n] for n in first], "lr": 0.3, "weight_decay": 0.2},
        {"params": [p for n, p in parameters.items() if n not in first]},
        {"order_params": [parameters[n] for n in sorted(parameters)]},
    ]
    optimizer = nn.LARS(
        nn.Momentum(groups, 0.1, 0.9, weight_decay=0.05),
        use_clip=True,
        lars_filter=lambda p: "conv" in p.name,
    )
    assert [p.name for p in optimizer.parameters] == sorted(SHAPES)
    run(optimizer, gradients())
    expected, _ = reference.train(
        Inside(reference.Momentum(0.9), lambda n: "conv" in n, True),
        start(),
        gradients(),
        lambda n, t: 0.3 if n in first else 0.1,
        lambda n, t: 0.2 if n in first else 0.05,
    )
    compare(optimizer, expected)


def test_the_example_of_the_documentation():
    weight = np.float32([[0.5, 0.8, 0.2], [0.6, 0.4, 0.2]])
    parameter = Parameter(Tensor(weight), name="w")
    optimizer = nn.LARS(nn.SGD([parameter], 1.0), epsilon=1e-5, coefficient=0.001)
    optimizer((Tensor(np.float32([[0.4, 0.4, 0.5], [0.2, 0.4, 0.3]])),))
    close(
        weight - parameter.asnumpy(),
        [[0.0005265, 0.0005265, 0.00065813], [0.00026325, 0.0005265, 0.00039488]],
        rtol=1e-7,
        atol=5e-8,
    )


def test_the_inner_optimizer_decays_and_unscales_no_more():
    inner = nn.Momentum(
        [Parameter(Tensor([1.0, 2.0]), name="w")], [0.1, 0.2], 0.9, weight_decay=0.1, loss_scale=4.0
    )
    optimizer = nn.LARS(inner)
    assert not inner.exec_weight_decay and not inner.need_scale and inner.loss_scale == 1.0
    assert optimizer.loss_scale == 4.0 and optimizer.exec_weight_decay
    assert optimizer.global_step is inner.global_step
    optimizer((Tensor([0.1, 0.1]),))
    assert inner.global_step.asnumpy() == [1] and float(optimizer.get_lr()) == np.float32(0.2)
    names = [p.name for p in optimizer.get_parameters()]
    assert names == [
        "global_step",
        "fake_lr",
        "fake_param",
        "w",
        "momentum",
        "moments.w",
        "learning_rate",
    ]


@pytest.mark.parametrize(
    "options, error",
    [
        ({"epsilon": 1}, TypeError),
        ({"epsilon": "a"}, TypeError),
        ({"epsilon": math.nan}, ValueError),
        ({"coefficient": 1}, TypeError),
        ({"coefficient": None}, TypeError),
        ({"use_clip": 1}, TypeError),
        ({"lars_filter": 1}, TypeError),
        ({"lars_filter": None}, TypeError),
        ({"lars_filter": lambda p: 1 / 0}, ZeroDivisionError),
    ],
)
def test_refusals_leave_the_inner_optimizer_alone(options, error):
    inner = nn.Momentum(
        [Parameter(Tensor([1.0]), name="w")], 0.1, 0.9, weight_decay=0.1, loss_scale=4.0
    )
    with pytest.raises(error):
        nn.LARS(inner, **options)
    assert inner.exec_weight_decay and inner.need_scale and inner.loss_scale == 4.0


@pytest.mark.parametrize("value", [1, None, [], nn.ReLU()], ids=str)
def test_only_optimizers_are_wrapped(value):
    with pytest.raises(TypeError, match="For 'LARS', 'optimizer'"):
        nn.LARS(value)


def test_clipping_needs_one_learning_rate_or_fixed_ones():
    def inner(rate, groups=True):
        made = [Parameter(Tensor([1.0]), name=name) for name in "ab"]
        grouped = [{"params": made[:1], "lr": rate}, {"params": made[1:]}]
        return nn.Momentum(grouped if groups else made, rate, 0.9)

    with pytest.raises(ValueError, match="use_clip"):
        nn.LARS(inner([0.1, 0.2]), use_clip=True)
    nn.LARS(inner([0.1, 0.2], groups=False), use_clip=True)
    nn.LARS(inner(0.1), use_clip=True)


def test_gradients_refused_change_nothing():
    parameter = Parameter(Tensor([1.0, 2.0]), name="w")
    optimizer = nn.LARS(nn.Momentum([parameter], 0.1, 0.9))
    for bad in ((), (Tensor([1.0]),), Tensor([1.0, 2.0])):
        with pytest.raises((TypeError, ValueError)):
            optimizer(bad)
    np.testing.assert_array_equal(parameter.asnumpy(), [1.0, 2.0])
