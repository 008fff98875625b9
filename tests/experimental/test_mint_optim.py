"""mint.optim: its formulas against the same steps taken by NumPy in float64, and its refusals."""

import numpy as np
import pytest

from mindspore_compat import Parameter, Tensor, mint
from mindspore_compat.mint import optim

STEPS = np.random.default_rng(5).normal(size=(6, 3))
FIRST = np.array([1.0, -2.0, 0.5])


def adam(decoupled, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0, amsgrad=False,
         maximize=False):
    """The parameter after all steps."""
    p, m, v, top = FIRST.copy(), 0.0, 0.0, 0.0
    for t, g in enumerate(-STEPS if maximize else STEPS, 1):
        if decoupled:
            p = p * (1 - lr * weight_decay)
        else:
            g = g + weight_decay * p
        m = betas[0] * m + (1 - betas[0]) * g
        v = betas[1] * v + (1 - betas[1]) * g * g
        top = np.maximum(top, v)
        second = (top if amsgrad else v) / (1 - betas[1] ** t)
        p = p - lr * m / (1 - betas[0] ** t) / (np.sqrt(second) + eps)
    return p


def sgd(lr, momentum=0.0, dampening=0.0, weight_decay=0.0, nesterov=False, maximize=False):
    """The parameter after all steps."""
    p, kept = FIRST.copy(), None
    for g in -STEPS if maximize else STEPS:
        g = g + weight_decay * p
        if momentum:
            kept = g if kept is None else momentum * kept + (1 - dampening) * g
            g = g + momentum * kept if nesterov else kept
        p = p - lr * g
    return p


def trained(make, options):
    held = Parameter(Tensor(FIRST.astype(np.float32)), name="a")
    optimizer = make([held], **options)
    for g in STEPS:
        assert optimizer((Tensor(g.astype(np.float32)),)) is True
    return held.asnumpy()


@pytest.mark.parametrize("options", [
    {}, {"lr": 0.1, "eps": 0.1, "weight_decay": 0.1},
    {"lr": 0.1, "betas": (0.5, 0.6), "eps": 0.1, "amsgrad": True, "maximize": True},
], ids=str)
@pytest.mark.parametrize("name", ["Adam", "AdamW", "FusedAdamW"])
def test_adam_steps(name, options):
    decoupled = name != "Adam"
    expected = adam(decoupled, **{"weight_decay": 0.01 if decoupled else 0.0, **options})
    np.testing.assert_allclose(trained(getattr(optim, name), options), expected, rtol=2e-5)


@pytest.mark.parametrize("options", [
    {"lr": 0.1}, {"lr": 0.1, "dampening": 0.3}, {"lr": 1, "momentum": 0.9, "weight_decay": 0.1},
    {"lr": 0.1, "momentum": 0.9, "dampening": 0.3, "maximize": True},
    {"lr": 0.1, "momentum": 0.9, "nesterov": True},
], ids=str)
def test_sgd_steps(options):
    np.testing.assert_allclose(trained(optim.SGD, options), sgd(**options), rtol=2e-5, atol=1e-6)


def test_it_is_reached_through_mint():
    assert mint.optim is optim
    assert optim.Adam.__name__ == "Adam"


@pytest.mark.parametrize("name, options, error", [
    ("Adam", {"lr": 1}, TypeError), ("Adam", {"lr": -1.0}, ValueError),
    ("Adam", {"betas": [0.9, 0.9]}, TypeError), ("AdamW", {"betas": (1.0, 0.9)}, ValueError),
    ("AdamW", {"eps": -1.0}, ValueError), ("Adam", {"amsgrad": 1}, TypeError),
    ("AdamW", {"weight_decay": 1}, TypeError), ("SGD", {"lr": "x"}, TypeError),
    ("SGD", {"lr": -1.0}, ValueError), ("SGD", {"lr": 0.1, "momentum": -1}, ValueError),
    ("SGD", {"lr": 0.1, "nesterov": True}, ValueError),
    ("SGD", {"lr": 0.1, "maximize": 1}, TypeError),
])
def test_wrong_settings_are_refused(name, options, error):
    with pytest.raises(error, match=f"For '{name}'"):
        getattr(optim, name)([Parameter(Tensor([1.0]), name="a")], **options)
