"""Schedulers of parameter groups: MindSpore's observed learning rates, user-defined schedulers,
resuming, rejected calls.
"""

import json
from pathlib import Path

import numpy as np
import pytest
from kit import close

from mindspore_compat import Parameter, Tensor, nn
from mindspore_compat.experimental import optim
from mindspore_compat.experimental.optim import lr_scheduler as schedules

OBSERVED = json.loads((Path(__file__).parent / "observed.json").read_text())["schedules"]


def falling(epoch):
    return 0.9**epoch if epoch < 5 else 0.4


BY_GROUP = [lambda epoch: 1 / (epoch + 1), lambda epoch: 0.5]
CYCLE = {"scale_fn": lambda x: 1 / (x + 1), "scale_mode": "iterations"}
PLATEAU = [3.0, 2.0, 2.5, 2.4, 2.1, 1.0, 1.0, 1.2, 1.3, 0.9, 0.95, 0.2]
JUMPS = [3, None, None, 1, 7, 0, 5]


def plain(name, *arguments, **options):
    return lambda optimizer: (getattr(schedules, name)(optimizer, *arguments, **options), [()] * 12)


def jumping(name, *arguments, epochs=JUMPS):
    return lambda optimizer: (
        getattr(schedules, name)(optimizer, *arguments),
        [() if epoch is None else (epoch,) for epoch in epochs],
    )


def plateau(**options):
    return lambda optimizer: (
        schedules.ReduceLROnPlateau(optimizer, **options),
        [(Tensor(value),) for value in PLATEAU],
    )


def in_turn(count, milestones, *kinds):
    def make(optimizer):
        made = [getattr(schedules, name)(optimizer, *arguments) for name, *arguments in kinds]
        return schedules.SequentialLR(optimizer, made, milestones), [()] * count

    return make


CASES = [
    plain("StepLR", 2),
    plain("StepLR", 3, 0.5),
    plain("LinearLR"),
    plain("LinearLR", 0.5, 0.8, 4),
    plain("ExponentialLR", 0.7),
    plain("PolynomialLR"),
    plain("PolynomialLR", 6, 2.0),
    plain("MultiStepLR", [2, 2, 5], 0.5),
    plain("MultiStepLR", [5, 3]),
    plain("ConstantLR"),
    plain("ConstantLR", 0.5, 3),
    plain("LambdaLR", falling),
    plain("LambdaLR", BY_GROUP),
    plain("MultiplicativeLR", falling),
    plain("CosineAnnealingLR", 4),
    plain("CosineAnnealingLR", 5, 0.01),
    plain("CosineAnnealingWarmRestarts", 3),
    plain("CosineAnnealingWarmRestarts", 2, 2, 0.01),
    plain("CyclicLR", 0.01, 0.2, 3),
    plain("CyclicLR", [0.01, 0.02], [0.2, 0.4], 3, 2, "triangular2"),
    plain("CyclicLR", 0.01, 0.2, 3, None, "exp_range", 0.9),
    plain("CyclicLR", 0.01, 0.2, 2, **CYCLE),
    in_turn(8, [3], ("ConstantLR", 0.1, 2), ("ExponentialLR", 0.9)),
    in_turn(12, [3, 7], ("LinearLR", 0.1, 1.0, 3), ("StepLR", 2), ("CosineAnnealingLR", 4)),
    plateau(patience=1),
    plateau(mode="max", patience=0, factor=0.5, cooldown=2),
    plateau(threshold_mode="abs", threshold=0.5, patience=0, min_lr=[0.02, 0.1]),
    plateau(patience=0, min_lr=0.04, mode="max", threshold_mode="abs"),
    jumping("CosineAnnealingWarmRestarts", 3, epochs=[0, 0.5, 1, 2.5, 3, 4, 8.5, 9, 10]),
    None,  # two schedulers at once, below
    jumping("StepLR", 2),
    jumping("LinearLR"),
    jumping("ExponentialLR", 0.7),
    jumping("PolynomialLR"),
    jumping("ConstantLR"),
    jumping("CosineAnnealingLR", 4),
    jumping("LambdaLR", falling),
    jumping("MultiplicativeLR", falling),
]


def two_groups():
    groups = [
        {"params": [Parameter(Tensor([1.0]), name=name)], "lr": lr}
        for name, lr in (("a", 0.1), ("b", 0.5))
    ]
    return optim.SGD(groups, lr=0.3)


def rates(optimizer):
    return [float(group["lr"].asnumpy()) for group in optimizer.param_groups]


@pytest.mark.parametrize(
    "number", [n for n, case in enumerate(CASES) if case], ids=lambda n: f"{n}-{OBSERVED[n][0]}"
)
def test_rates_are_those_of_the_original(number):
    optimizer = two_groups()
    scheduler, steps = CASES[number](optimizer)
    found = [rates(optimizer)]
    for arguments in steps:
        scheduler.step(*arguments)
        found.append(rates(optimizer))
    # The observed rates were computed in float32, each from the previous one.
    np.testing.assert_allclose(found, OBSERVED[number][1], rtol=2e-6, atol=2e-8)
    last = [float(rate.asnumpy()) for rate in scheduler.get_last_lr()]
    assert last == found[-1]


def test_there_is_a_case_for_every_observation():
    assert len(CASES) == len(OBSERVED)


def test_two_schedulers_act_on_one_optimizer():
    optimizer = two_groups()
    both = schedules.ConstantLR(optimizer, 0.1, 2), schedules.ExponentialLR(optimizer, 0.9)
    found = [rates(optimizer)]
    for _ in range(5):
        for scheduler in both:
            scheduler.step()
        found.append(rates(optimizer))
    expected = next(rows for name, rows in OBSERVED if name == "both")
    # As there.
    np.testing.assert_allclose(found, expected, rtol=2e-6)


def test_milestones_hold_where_an_epoch_is_given():
    optimizer = two_groups()
    scheduler = schedules.MultiStepLR(optimizer, [2, 5], 0.5)
    scheduler.step(5)
    close(np.float32(rates(optimizer)), [0.025, 0.125], atol=0)


def test_restarts_lie_where_an_epoch_is_given():
    stepped, given = two_groups(), two_groups()
    one = schedules.CosineAnnealingWarmRestarts(stepped, 2, 2)
    other = schedules.CosineAnnealingWarmRestarts(given, 2, 2)
    for epoch in range(1, 9):
        assert one.step() is None  # as in the original, unlike other schedulers
        other.step(epoch)
        assert rates(stepped) == pytest.approx(rates(given), rel=1e-6)


def test_a_scheduler_of_a_user():
    class Inverse(schedules.LRScheduler):
        def get_lr(self):
            return [rate / (self.last_epoch + 1) for rate in self.base_lrs]

    optimizer = two_groups()
    scheduler = Inverse(optimizer)
    assert scheduler.step() is True
    close(np.float32(rates(optimizer)), [0.05, 0.25], atol=0)


def test_training_goes_on_where_it_was():
    optimizer = two_groups()
    schedules.StepLR(optimizer, 2)
    scheduler = schedules.StepLR(optimizer, 2, 0.5, last_epoch=3)
    assert scheduler.last_epoch == 4
    close(np.float32(rates(optimizer)), [0.05, 0.25], atol=0)


@pytest.mark.parametrize(
    "name, arguments, options, error",
    [
        ("StepLR", (1.5,), {}, TypeError),
        ("StepLR", (2, 1), {}, TypeError),
        ("StepLR", (2,), {"last_epoch": "x"}, TypeError),
        ("StepLR", (2,), {"last_epoch": -2}, ValueError),
        ("StepLR", (2,), {"last_epoch": 3}, KeyError),
        ("ExponentialLR", (1,), {}, TypeError),
        ("LinearLR", (0.0,), {}, ValueError),
        ("LinearLR", (0.5, 1.1), {}, ValueError),
        ("LinearLR", (0.5, 1.0, 2.5), {}, TypeError),
        ("PolynomialLR", (2.5,), {}, TypeError),
        ("PolynomialLR", (3, 2), {}, TypeError),
        ("PolynomialLR", (3, -1.0), {}, ValueError),
        ("MultiStepLR", ((1, 2),), {}, TypeError),
        ("MultiStepLR", ([1.0],), {}, TypeError),
        ("ConstantLR", (1.1,), {}, ValueError),
        ("ConstantLR", ("x",), {}, TypeError),
        ("LambdaLR", ([],), {}, ValueError),
        ("LambdaLR", (3,), {}, TypeError),
        ("CosineAnnealingLR", (2.5,), {}, TypeError),
        ("CosineAnnealingWarmRestarts", (0,), {}, ValueError),
        ("CosineAnnealingWarmRestarts", (4, 0), {}, ValueError),
        ("CosineAnnealingWarmRestarts", (4, 1, "x"), {}, ValueError),
        ("CosineAnnealingWarmRestarts", (4.0,), {}, ValueError),
        ("CyclicLR", (0.1, 0.2), {"mode": "x"}, ValueError),
        ("CyclicLR", ([0.1], 0.2), {}, ValueError),
        ("CyclicLR", ("x", 0.2), {}, TypeError),
        ("ReduceLROnPlateau", (), {"factor": 1.0}, ValueError),
        ("ReduceLROnPlateau", (), {"mode": "q"}, ValueError),
        ("ReduceLROnPlateau", (), {"min_lr": [0.1]}, ValueError),
        ("ReduceLROnPlateau", (), {"factor": "x"}, TypeError),
    ],
)
def test_wrong_settings_are_refused(name, arguments, options, error):
    with pytest.raises(error, match=f"For '{name}'"):
        getattr(schedules, name)(two_groups(), *arguments, **options)


def test_only_optimizers_with_groups_are_scheduled():
    params = [Parameter(Tensor([1.0]), name="a")]
    with pytest.raises(TypeError, match="SGD"):
        schedules.StepLR(nn.SGD(params), 2)
    with pytest.raises(ValueError, match="another"):
        optimizer = two_groups()
        made = [schedules.ConstantLR(optimizer), schedules.ConstantLR(two_groups())]
        schedules.SequentialLR(optimizer, made, [2])


def test_in_cooldown_is_asked_by_a_call():
    weight = Parameter(Tensor(np.float32([1.0])), name="w")
    schedule = schedules.ReduceLROnPlateau(optim.SGD([weight], lr=0.1), patience=0, cooldown=2)
    assert not schedule.in_cooldown()
    for loss in (1.0, 2.0):
        schedule.step(Tensor(np.float32(loss)))
    assert schedule.in_cooldown()
