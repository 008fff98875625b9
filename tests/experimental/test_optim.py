"""Optimizers over parameter groups: ten steps as observed in MindSpore, groups, rejected calls,
and AMSGrad, which MindSpore ignores on a CPU.
"""

import json
from pathlib import Path

import numpy as np
import pytest
from kit import close

from mindspore_compat import Parameter, Tensor, float32, ops
from mindspore_compat.experimental import optim
from mindspore_compat.experimental.optim import optimizer as room

OBSERVED = json.loads((Path(__file__).parent / "observed.json").read_text())["optimizers"]
WATCHED = {0: 0, 5: 1, 9: 2}


def drawn():
    """Two weights, and ten gradients for them."""
    rng = np.random.default_rng(3)
    weights = [rng.normal(size=size).astype(np.float32) for size in ((3, 4), (5,))]
    steps = [
        [rng.normal(size=size).astype(np.float32) for size in ((3, 4), (5,))] for _ in range(10)
    ]
    return weights, steps


def one(name="a", values=(1.0, 2.0)):
    return Parameter(Tensor(np.array(values, np.float32)), name=name)


def step(optimizer, *gradients):
    return optimizer(tuple(Tensor(np.array(each, np.float32)) for each in gradients))


@pytest.mark.parametrize("case", OBSERVED, ids=lambda case: f"{case['name']}-{case['arguments']}")
def test_ten_steps_are_those_of_the_original(case):
    weights, steps = drawn()
    trained = [Parameter(Tensor(weight), name=name) for weight, name in zip(weights, "ab")]
    arguments = {
        key: tuple(value) if isinstance(value, list) else value
        for key, value in case["arguments"].items()
    }
    optimizer = getattr(optim, case["name"])(trained, **arguments)
    for number, gradients in enumerate(steps):
        if number == 6:
            ops.assign(optimizer.param_groups[0]["lr"], Tensor(0.02, float32))
        assert step(optimizer, *gradients) is True
        if number in WATCHED:
            found = [*trained[0].asnumpy()[0], *trained[1].asnumpy()]
            # MindSpore's float32 numbers after many steps.
            np.testing.assert_allclose(found, case["steps"][WATCHED[number]], rtol=2e-5, atol=4e-6)
    saved = {each.name: each.asnumpy().reshape(-1)[:3] for each in optimizer.get_parameters()}
    assert list(saved) == list(case["states"])
    for name, values in case["states"].items():
        np.testing.assert_allclose(saved[name], values, rtol=2e-5, atol=4e-6, err_msg=name)


@pytest.mark.parametrize("name", ["Adam", "AdamW"])
def test_amsgrad_divides_by_the_largest_average_so_far(name):
    trained = one(values=(1.0,))
    optimizer = getattr(optim, name)([trained], 0.1, (0.5, 0.6), 1e-2, 0.0, True)
    m = v = top = 0.0
    p = 1.0
    for t, g in enumerate([2.0, 0.1, -0.1, 0.05], 1):
        step(optimizer, [g])
        m, v = 0.5 * m + 0.5 * g, 0.6 * v + 0.4 * g * g
        top = max(top, v)
        root = np.sqrt(1 - 0.6**t)
        eps = 1e-2 if name == "Adam" else 1e-2 * root
        p -= 0.1 * root / (1 - 0.5**t) * m / (np.sqrt(top) + eps)
        close(trained, [p])


def test_groups_have_settings_of_their_own():
    first, second = one("a"), one("b")
    optimizer = optim.SGD(
        [{"params": [first], "lr": 0.5, "maximize": True}, {"params": second}],
        lr=0.1,
        weight_decay=0.1,
    )
    step(optimizer, [1.0, 1.0], [1.0, 1.0])
    close(first, [1.45, 2.4], atol=0)
    close(second, [0.89, 1.88], atol=0)
    assert optimizer.group_start_id == [0, 1, 2]
    assert [group["lr"].name for group in optimizer.param_groups] == [
        "learning_rate_group_0",
        "learning_rate_group_1",
    ]


def test_a_group_may_come_later_and_a_setting_may_change():
    first, second = one("a"), one("b")
    optimizer = optim.Adam([first], lr=0.1)
    step(optimizer, [1.0, 1.0])
    optimizer.add_param_group({"params": second, "lr": 1.0})
    optimizer.param_groups[0]["lr"] = 0.0
    before = first.asnumpy().copy()
    step(optimizer, [1.0, 1.0], [1.0, 1.0])
    np.testing.assert_array_equal(first.asnumpy(), before)
    assert (second.asnumpy() < [1.0, 2.0]).all()
    assert [each.name for each in optimizer.exp_avg] == ["exp_avg.a", "exp_avg.b"]


def test_it_is_shown_by_its_groups():
    shown = repr(optim.RAdam([one()], lr=0.5))
    assert shown.split("\n") == [
        "RAdam (",
        "Parameter Group 0",
        "    betas: (0.9, 0.999)",
        "    eps: 1e-08",
        "    lr: 0.5",
        "    weight_decay: 0.0",
        ")",
    ]


def test_rates_are_shown_in_float32_and_groups_apart():
    first, second = one("a"), one("b")
    shown = repr(optim.Adadelta([{"params": first, "lr": 0.02}, {"params": second}], lr=0.3))
    assert [line for line in shown.split("\n") if "lr" in line or "G" in line or not line] == [
        "Parameter Group 0",
        "    lr: 0.02",
        "",
        "Parameter Group 1",
        "    lr: 0.3",
    ]


def test_an_optimizer_of_a_user_reads_its_groups():
    class Descent(optim.Optimizer):
        def __init__(self, params, lr):
            super().__init__(params, {"lr": lr})

        def construct(self, gradients):
            for start, group in zip(self.group_start_id, self.param_groups):
                for number, parameter in enumerate(group["params"], start):
                    ops.assign_sub(parameter, gradients[number] * group["lr"])
            return True

    trained = one()
    step(Descent([trained], 0.5), [1.0, 1.0])
    np.testing.assert_array_equal(trained.asnumpy(), [0.5, 1.5])


@pytest.mark.parametrize(
    "name, options, error",
    [
        ("SGD", {"lr": -1.0}, ValueError),
        ("Adadelta", {"lr": Tensor(0.0)}, ValueError),
        ("Adagrad", {"lr": Tensor(0)}, ValueError),
        ("Rprop", {"lr": Tensor(-0.1)}, ValueError),
        ("SGD", {"lr": "x"}, ValueError),
        ("SGD", {"lr": True}, ValueError),
        ("SGD", {"lr": Tensor([0.1, 0.2])}, ValueError),
        ("SGD", {"lr": float("nan")}, ValueError),
        ("SGD", {"lr": 0.1, "maximize": 1}, ValueError),
        ("SGD", {"lr": 0.1, "dampening": True}, ValueError),
        ("SGD", {"lr": 0.1, "weight_decay": [1]}, ValueError),
        ("Adam", {"lr": "x"}, ValueError),
        ("Adam", {"lr": None}, ValueError),
        ("Adamax", {"lr": 0.0}, ValueError),
        ("Adamax", {"betas": (1, 0.9)}, ValueError),
        ("NAdam", {"betas": (-1, 0.9)}, ValueError),
        ("RAdam", {"betas": (0.9, 1)}, ValueError),
        ("RAdam", {"betas": ("x", 0.9)}, TypeError),
        ("SGD", {"lr": 0.1, "momentum": -1}, ValueError),
        ("SGD", {"lr": 0.1, "momentum": "x"}, ValueError),
        ("SGD", {"lr": 0.1, "nesterov": True}, ValueError),
        ("SGD", {"lr": 0.1, "nesterov": 1}, ValueError),
        ("SGD", {"lr": 0.1, "weight_decay": -1.0}, ValueError),
        ("Adam", {"betas": (1.0, 0.9)}, ValueError),
        ("Adam", {"betas": 0.9}, TypeError),
        ("Adam", {"eps": -1.0}, ValueError),
        ("AdamW", {"weight_decay": -0.1}, ValueError),
        ("Adamax", {"betas": (0, 0.9)}, TypeError),
        ("Adamax", {"eps": 0.0}, ValueError),
        ("NAdam", {"momentum_decay": -1.0}, ValueError),
        ("RAdam", {"betas": (0.9, 1.0)}, ValueError),
        ("Adagrad", {"lr_decay": -0.1}, ValueError),
        ("RMSprop", {"alpha": -1.0}, ValueError),
        ("RMSprop", {"momentum": "x"}, TypeError),
        ("Adadelta", {"rho": 2.0}, ValueError),
        ("Adadelta", {"rho": 1}, TypeError),
        ("ASGD", {"t0": 1}, TypeError),
        ("Rprop", {"etas": (1.0, 1.2)}, ValueError),
        ("Rprop", {"etas": (0.5, 1.0)}, ValueError),
        ("Rprop", {"etas": (0, 1.2)}, TypeError),
    ],
)
def test_wrong_settings_are_refused(name, options, error):
    with pytest.raises(error, match=f"For '{name}'"):
        getattr(optim, name)([one()], **options)


@pytest.mark.parametrize(
    "name, options, lr, decay",
    [
        ("Adam", {"lr": True}, 1.0, 0.0),
        ("Adamax", {"lr": True, "eps": np.float32(0.5)}, 1.0, 0.0),
        ("SGD", {"lr": 0.5, "weight_decay": True}, 0.5, 1.0),
        ("Adam", {"lr": Tensor(0.5)}, 0.5, 0.0),
        ("AdamW", {"weight_decay": False, "eps": True}, 0.001, 0.0),
    ],
)
def test_bools_and_numpy_numbers_count_as_numbers(name, options, lr, decay):
    optimizer = getattr(optim, name)([one()], **options)
    group = optimizer.param_groups[0]
    assert (group["lr"].asnumpy(), group["weight_decay"]) == (np.float32(lr), decay)
    step(optimizer, [1.0, 1.0])
    assert optimizer.parameters[0].dtype == float32


def test_a_rate_of_a_group_may_be_a_bool_and_must_be_a_number():
    groups = [{"params": [one("a")], "lr": True}]
    assert optim.SGD(groups, 0.1).param_groups[0]["lr"].asnumpy() == 1
    with pytest.raises(TypeError, match="'lr'"):
        optim.SGD([{"params": [one("a")], "lr": "x"}], 0.1)


@pytest.mark.parametrize(
    "params, error",
    [
        ([], ValueError),
        (one(), TypeError),
        ([1], TypeError),
        ([{"x": 1}], KeyError),
        ([{"params": {one()}}], TypeError),
        ([{"params": [one()]}, one("b")], TypeError),
        ([{"params": [trained := one()]}, {"params": [trained]}], ValueError),
        ([trained, trained], ValueError),
    ],
    ids=str,
)
def test_wrong_parameters_are_refused(params, error):
    with pytest.raises(error):
        optim.SGD(params, 0.1)


def test_a_refused_step_changes_nothing():
    trained = [one("a"), one("b")]
    optimizer = optim.Adam(trained, 0.1)
    with pytest.raises(ValueError, match="shape"):
        step(optimizer, [1.0, 1.0], [1.0, 1.0, 1.0])
    np.testing.assert_array_equal(trained[0].asnumpy(), [1.0, 2.0])
    assert optimizer.state_step == 0


def test_the_rooms_name_the_same_classes():
    assert room.Optimizer is optim.Optimizer
    assert {
        name for name in optim.__all__ if not issubclass(getattr(optim, name), room.Optimizer)
    } == set()
