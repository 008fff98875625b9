"""Learning rates as Cells: values printed by MindSpore 2.10, rejected calls, optimizers."""

import math

import numpy as np
import pytest
from kit import close

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, nn

pytestmark = pytest.mark.quick

STEPS = (0, 1, 3, 4, 6, 9)
VALUES = [
    (
        "ExponentialDecayLR",
        (0.1, 0.9, 4),
        [0.1, 0.09740037, 0.09240211, 0.09, 0.0853815, 0.0788943],
    ),
    ("ExponentialDecayLR", (0.1, 0.9, 4, True), [0.1, 0.1, 0.1, 0.09, 0.09, 0.08099999]),
    (
        "NaturalExpDecayLR",
        (0.1, 0.9, 4),
        [0.1, 0.04065697, 0.006720554, 0.002732373, 0.0004516584, 3.035394e-05],
    ),
    (
        "NaturalExpDecayLR",
        (0.1, 0.9, 4, True),
        [0.1, 0.1, 0.1, 0.002732373, 0.002732373, 7.465862e-05],
    ),
    (
        "InverseDecayLR",
        (0.1, 0.9, 4),
        [0.1, 0.08163265, 0.0597015, 0.05263158, 0.04255319, 0.03305785],
    ),
    ("InverseDecayLR", (0.1, 0.9, 4, True), [0.1, 0.1, 0.1, 0.05263158, 0.05263158, 0.03571429]),
    ("CosineDecayLR", (0.01, 0.1, 4), [0.1, 0.08681981, 0.02318019, 0.01, 0.01, 0.01]),
    ("PolynomialDecayLR", (0.1, 0.01, 4, 0.5), [0.1, 0.08794229, 0.055, 0.01, 0.01, 0.01]),
    ("PolynomialDecayLR", (0.1, 0.01, 4, 0.5, True), [0.1, 0.08794229, 0.055, 0.01, 0.055, 0.055]),
    (
        "PolynomialDecayLR",
        (0.01, 0.1, 4, 2.0, True),
        [0.009999998, 0.049375, 0.094375, 0.1, 0.094375, 0.094375],
    ),
    ("WarmUpLR", (0.2, 4), [0.0, 0.05, 0.15, 0.2, 0.2, 0.2]),
    ("WarmUpLR", (0.0, 4), [0.0] * 6),
]
DECAYS = ["ExponentialDecayLR", "NaturalExpDecayLR", "InverseDecayLR"]
DECAY_REFUSALS = [
    (0, 1, TypeError),
    (0, 0.0, ValueError),
    (0, -0.1, ValueError),
    (0, math.nan, ValueError),
    (1, 1, TypeError),
    (1, 0.0, ValueError),
    (2, 4.0, TypeError),
    (2, 0, ValueError),
    (2, True, TypeError),
    (3, 1, TypeError),
    (3, None, TypeError),
]
REFUSALS = [
    *[(name, (0.1, 0.9, 4, False), *rest) for name in DECAYS for rest in DECAY_REFUSALS],
    ("CosineDecayLR", (0.01, 0.1, 4), 0, 1, TypeError),
    ("CosineDecayLR", (0.01, 0.1, 4), 0, -0.1, ValueError),
    ("CosineDecayLR", (0.01, 0.1, 4), 0, 0.1, ValueError),
    ("CosineDecayLR", (0.01, 0.1, 4), 1, 0.0, ValueError),
    ("CosineDecayLR", (0.01, 0.1, 4), 2, 0, ValueError),
    ("PolynomialDecayLR", (0.1, 0.01, 4, 0.5), 0, 0.0, ValueError),
    ("PolynomialDecayLR", (0.1, 0.01, 4, 0.5), 1, -0.1, ValueError),
    ("PolynomialDecayLR", (0.1, 0.01, 4, 0.5), 2, "4", TypeError),
    ("PolynomialDecayLR", (0.1, 0.01, 4, 0.5), 3, 1, TypeError),
    ("PolynomialDecayLR", (0.1, 0.01, 4, 0.5), 3, 0.0, ValueError),
    ("PolynomialDecayLR", (0.1, 0.01, 4, 0.5, False), 4, 1, TypeError),
    ("WarmUpLR", (0.2, 4), 0, 1, TypeError),
    ("WarmUpLR", (0.2, 4), 0, -0.1, ValueError),
    ("WarmUpLR", (0.2, 4), 1, 0, ValueError),
    ("WarmUpLR", (0.2, 4), 1, 4.0, TypeError),
]


@pytest.mark.parametrize("name, arguments, expected", VALUES, ids=str)
def test_values(space, name, arguments, expected):
    schedule = getattr(nn, name)(*arguments)
    for step, value in zip(STEPS, expected, strict=True):
        found = schedule(Tensor(step, ms.int32))
        assert found.shape == () and found.dtype == ms.float32
        close(found, value, rtol=2e-6, atol=1e-9)
    several = schedule(Tensor(np.array(STEPS), ms.int32))
    close(several, expected, rtol=2e-6, atol=1e-9)
    assert several.dtype == ms.float32


@pytest.mark.parametrize("name, arguments, index, bad, error", REFUSALS, ids=str)
def test_refusals(name, arguments, index, bad, error):
    with pytest.raises(error, match=f"For '{name}'"):
        getattr(nn, name)(*arguments[:index], bad, *arguments[index + 1 :])


def test_the_base_wants_a_construct():
    schedule = nn.learning_rate_schedule.LearningRateSchedule()
    with pytest.raises(NotImplementedError, match="construct"):
        schedule(Tensor(0))


class Halving(nn.learning_rate_schedule.LearningRateSchedule):
    """A schedule as scripts write them: a warm-up, then halving."""

    def __init__(self, rate, steps):
        super().__init__()
        self.warm_up = nn.WarmUpLR(rate, steps)
        self.decay = nn.ExponentialDecayLR(rate, 0.5, 1)
        self.steps = Tensor(np.array([steps]).astype(np.float32))
        self.greater = ms.ops.Greater()

    def construct(self, global_step):
        warm = ms.ops.cast(self.greater(self.steps, global_step), ms.float32)
        later = self.decay(global_step - self.steps)
        return warm * self.warm_up(global_step) + (1 - warm) * later


def test_an_optimizer_follows_a_schedule():
    weight = Parameter(Tensor([0.0]), name="w")
    optimizer = nn.SGD([weight], Halving(0.4, 4))
    walked, found = 0.0, []
    for _ in range(8):
        optimizer((Tensor([1.0]),))
        found.append(walked - weight.asnumpy().item())
        walked = weight.asnumpy().item()
    expected = [0.0, 0.1, 0.2, 0.3, 0.4, 0.2, 0.1, 0.05]
    close(found, expected, atol=1e-7)
