"""After an overflow the GPU skips the step; the states equal those on the CPU."""

import numpy as np
import pytest
from kit import close

from mindspore_compat import Tensor, nn
from mindspore_compat._backend import arrays

pytestmark = pytest.mark.device
OPTIMIZERS = {
    "momentum": lambda given: nn.Momentum(given, [0.1, 0.05, 0.02], 0.9, weight_decay=0.01),
    "adam": lambda given: nn.Adam(given, nn.ExponentialDecayLR(0.1, 0.5, 2), use_nesterov=True),
    "lazy adam": lambda given: nn.LazyAdam(given, 0.1),
    "amsgrad": lambda given: nn.Adam(given, 0.1, use_amsgrad=True, loss_scale=2.0),
    "adam, decay beside": lambda given: nn.AdamWeightDecay(given, 0.1, weight_decay=0.1),
    "ftrl": lambda given: nn.FTRL(given, learning_rate=0.1),
    "rmsprop": lambda given: nn.RMSProp(given, 0.1, momentum=0.5),
    "adafactor": lambda given: nn.AdaFactor(given, weight_decay=0.1, loss_scale=2.0),
    "adafactor, warming up": lambda given: nn.AdaFactor(given, beta1=None, warmup_init=True),
    "asgd": lambda given: nn.ASGD(given, [0.1, 0.2, 0.3], lambd=0.1, t0=1.0, weight_decay=0.1),
    "adamax": lambda given: nn.AdaMax(given, nn.ExponentialDecayLR(0.1, 0.5, 2)),
    "sgd": lambda given: nn.SGD(given, 0.1, weight_decay=0.01),
    "sgd, dampened": lambda given: nn.SGD(given, 0.1, momentum=0.9, dampening=0.5),
    "sgd, ahead": lambda given: nn.SGD(given, 0.1, momentum=0.9, nesterov=True),
    "rprop": lambda given: nn.Rprop(given, [0.1, 0.2, 0.3]),
    "lamb": lambda given: nn.Lamb(given, [0.1, 0.05, 0.02], weight_decay=0.1),
    "lars": lambda given: nn.LARS(nn.Momentum(given, 0.1, 0.9, 0.01, loss_scale=2.0)),
    "lars, clipped": lambda given: nn.LARS(nn.SGD(given, [0.1, 0.05, 0.02]), use_clip=True),
}
SPOILT = (0, 3, 4)


def course(make):
    """The state after each of seven steps, some of which overflow."""
    rng = np.random.default_rng(0)
    network = nn.Dense(3, 2, Tensor(rng.standard_normal((2, 3)).astype(np.float32)), "zeros")
    optimizer = make(network.trainable_params())
    scale = nn.DynamicLossScaleUpdateCell(2.0**8, 2, 2)
    step = nn.TrainOneStepWithLossScaleCell(
        nn.WithLossCell(network, nn.MSELoss()), optimizer, scale_sense=scale
    )
    found = []
    for number in range(7):
        x = rng.standard_normal((4, 3)).astype(np.float32)
        x[0, 0] = np.inf if number in SPOILT else x[0, 0]
        y = rng.standard_normal((4, 2)).astype(np.float32)
        _, overflow, used = step(Tensor(x), Tensor(y))
        assert bool(overflow) == (number in SPOILT)
        tensors = [*step.get_parameters(), *optimizer.get_parameters(), *scale.get_parameters()]
        found.append({each.name: each.asnumpy().copy() for each in tensors} | {"used": float(used)})
    return found


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_the_course_is_that_of_the_host(space, name):
    device = course(OPTIMIZERS[name])
    arrays.set_target("CPU")
    host = course(OPTIMIZERS[name])
    for have, want in zip(device, host, strict=True):
        assert have.keys() == want.keys()
        for key, value in want.items():
            # A device fuses products and sums (FMA); the differences add up over several steps.
            np.testing.assert_allclose(have[key], value, rtol=2e-5, atol=1e-6, err_msg=key)


def test_an_update_of_ones_own_is_not_asked_to_skip(space):
    called = []

    class Own(nn.Momentum):
        def construct(self, gradients):
            called.append(len(gradients))
            return super().construct(gradients)

    course(lambda given: Own(given, 0.1, 0.9))
    assert len(called) == 7 - len(SPOILT)


def test_training_goes_on_without_the_scale(space):
    """The step count has moved to the GPU, and a step without loss scale reads it there."""
    network = nn.Dense(3, 2)
    optimizer = nn.Adam(network.trainable_params(), nn.ExponentialDecayLR(0.1, 0.5, 2))
    loss = nn.WithLossCell(network, nn.MSELoss())
    batch = Tensor(np.ones((4, 3), np.float32)), Tensor(np.ones((4, 2), np.float32))
    scaled = nn.TrainOneStepWithLossScaleCell(loss, optimizer, Tensor(np.float32(4.0)))
    for step in (scaled, nn.TrainOneStepCell(loss, optimizer), scaled):
        step(*batch)
    assert int(optimizer.global_step) == 3
    close(optimizer.beta1_power, 0.9**3, atol=0)
    optimizer.beta1_power.set_data(Tensor(np.float32(0.9**5)))  # as loading a checkpoint does
    scaled(*batch)
    close(optimizer.beta1_power, 0.9**6, atol=0)
