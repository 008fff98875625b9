"""Each layer that is one kernel on a GPU: few launches in both passes, and the CPU's numbers."""

import numpy as np
import pytest
from fakecupy import counting, rawkernels
from kit import close

import mindspore_compat as ms
from mindspore_compat import mint, nn, ops
from mindspore_compat._backend import arrays

from . import counters

pytestmark = [
    pytest.mark.parametrize("space", counters.DEVICES, indirect=True),
    pytest.mark.skipif(rawkernels.compiler() is None, reason="no C++ compiler"),
]
FORWARD, BACKWARD = 3, 6  # launches of a layer, and of each step of a recurrent one
STEPS = 6


class OverSteps(nn.Cell):
    """A recurrent layer without its last state as a result; sequences may differ in length."""

    def __init__(self, layer, lengths=None):
        super().__init__()
        self.layer = layer
        self.lengths = None if lengths is None else ms.Tensor(np.array(lengths, np.int32))

    def construct(self, x):
        return self.layer(x, None, self.lengths)[0]


class StateAfter(nn.Cell):
    """A recurrent cell that starts from one state."""

    def __init__(self, cell):
        super().__init__()
        self.cell = cell
        self.state = ms.Tensor(np.linspace(-1, 1, 32, dtype=np.float32).reshape(4, 8))

    def construct(self, x):
        return self.cell(x, self.state)


LAYERS = {
    **{name: getattr(nn, name) for name in ("ReLU", "ReLU6", "LeakyReLU", "ELU", "CELU", "SeLU")},
    **{name: getattr(nn, name) for name in ("GELU", "FastGelu", "SiLU", "Mish", "Sigmoid", "Tanh")},
    **{name: getattr(nn, name) for name in ("HSwish", "HSigmoid", "LogSigmoid", "SoftShrink")},
    **{name: getattr(nn, name) for name in ("HShrink", "Softsign", "Hardtanh", "Tanhshrink")},
    **{name: getattr(nn, name) for name in ("GLU", "Softmin", "Softmax", "LogSoftmax", "PReLU")},
    "steep leaky relu": lambda: nn.LeakyReLU(1.5),
    "leaky relu of mint": lambda: lambda x: mint.nn.functional.leaky_relu(x, 0.1),
    "elu of mint": lambda: lambda x: mint.nn.functional.elu(x, 0.5),
    "softplus": lambda: lambda x: ops.softplus(x, 2, 1.0),
    "swiglu": lambda: lambda x: ops.swiglu(x, 0),
    "LayerNorm": lambda: nn.LayerNorm((6,)),
    "GroupNorm": lambda: nn.GroupNorm(2, 4, gamma_init="uniform", beta_init="uniform"),
    "GroupNorm, not scaled": lambda: nn.GroupNorm(2, 4, affine=False),
    "InstanceNorm2d": lambda: nn.InstanceNorm2d(4),
    "BatchNorm2d": lambda: nn.BatchNorm2d(4),
    "RNNCell": lambda: StateAfter(nn.RNNCell(6, 8)),
    "RNN": lambda: OverSteps(nn.RNN(6, 8)),
    "RNN, relu": lambda: OverSteps(nn.RNN(6, 8, nonlinearity="relu")),
}
MASKED = {
    "RNN": lambda: OverSteps(nn.RNN(6, 8), [6, 2, 4]),
    "RNN, relu, backward too": lambda: OverSteps(
        nn.RNN(6, 8, nonlinearity="relu", bidirectional=True), [6, 2, 4]
    ),
}
SHAPES = {"Norm": (3, 4, 5, 6), "RNN": (STEPS, 3, 6)}
FLAT = ("LayerNorm", "RNNCell")  # these take a matrix


def counted(name, make):
    """Returns a layer's result and gradients as host arrays, and the counts of both passes."""
    ms.set_seed(1)
    layer = make()
    weights = list(layer.trainable_params()) if isinstance(layer, nn.Cell) else []
    kind = next((kind for kind in SHAPES if kind in name and name not in FLAT), None)
    rng = np.random.default_rng(0)
    x = ms.Tensor(rng.standard_normal(SHAPES.get(kind, (4, 6))).astype(np.float32))
    if isinstance(layer, nn.Cell):
        layer.set_train()
    out, pull = ms.vjp(layer, x, weights=weights or None)
    sens = ms.Tensor(rng.standard_normal(out.shape).astype(np.float32))
    pull(sens)
    with counters.counted() as forward:
        out, pull = ms.vjp(layer, x, weights=weights or None)
    with counters.counted() as backward:
        gradients = pull(sens)
    return [each.asnumpy() for each in (out, *_flat(gradients))], forward, backward


def _flat(gradients):
    if isinstance(gradients, (tuple, list)):
        return tuple(one for each in gradients for one in _flat(each))
    return (gradients,)


@pytest.mark.parametrize("name", LAYERS)
def test_a_layer_is_few_launches_and_computes_what_the_host_does(space, name):
    found, forward, backward = counted(name, LAYERS[name])
    times = STEPS if "RNN" in name and name not in FLAT else 1
    forward_limit = FORWARD + 2 * (name == "RNNCell")  # two products and two sums
    assert 1 <= forward.launches <= forward_limit * times, forward.names["launches"]
    assert 1 <= backward.launches <= BACKWARD * times, backward.names["launches"]
    for counts in (forward, backward):
        assert counts.transfers == counts.synchronisations == 0
    alike_on_the_host(found, name, LAYERS[name])


def alike_on_the_host(found, name, make):
    arrays.set_target("CPU")
    wanted, _, _ = counted(name, make)
    for have, want in zip(found, wanted, strict=True):
        close(have, want, rtol=1e-4, atol=1e-5)


def test_random_slopes_are_two_launches(space):
    layer = nn.RReLU(0.2, 0.4)
    x = ms.Tensor(np.linspace(-1, 1, 50, dtype=np.float32))
    layer(x)
    with counters.counted() as forward:
        out, pull = ms.vjp(layer, x)
    ones = ms.ops.ones_like(x)
    with counters.counted() as backward:
        gradients = pull(ones)
    gradient = _flat(gradients)[0].asnumpy()
    assert forward.launches == 2 and backward.launches == 1
    if counting.counts(space):
        assert forward.names["launches"]["uniform_numbers"] == 1
        assert dict(backward.names["launches"]) == {"_random_leaky_vjp": 1}
    slopes = out.asnumpy() / x.asnumpy()
    close(gradient, slopes, rtol=1e-6, atol=0)
    below, above = slopes[x.asnumpy() < 0], slopes[x.asnumpy() > 0]
    assert (above == 1).all() and len(set(below)) == 25
    assert 0.2 <= below.min() < 0.25 and 0.35 < below.max() < 0.4


@pytest.mark.parametrize("name", MASKED)
def test_sequences_that_end_early(space, name):
    found, forward, _ = counted(name, MASKED[name])
    assert forward.launches >= STEPS
    assert forward.names["launches"]["_rnn_step"] >= STEPS or not counting.counts(space)
    alike_on_the_host(found, name, MASKED[name])


def test_a_norm_of_rows_stores_statistics_only_for_a_gradient(space):
    norm, x = nn.LayerNorm((6,)), ms.Tensor(np.ones((4, 6), np.float32))
    norm(x)
    with counters.counted() as alone:
        norm(x)
    with counters.counted() as recorded:
        ms.vjp(norm, x)
    assert alone.launches == recorded.launches == 1
    if counting.counts(space):
        assert (alone.allocations, recorded.allocations) == (1, 3)
