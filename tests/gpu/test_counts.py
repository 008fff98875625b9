"""Launches, transfers and synchronisations of one training step stay below the limits that keep a
GPU busy.
"""

import numpy as np
import pytest
from fakecupy import rawkernels

import mindspore_compat as ms
from mindspore_compat import nn
from mindspore_compat._backend import arrays

from . import counters, networks, steps

pytestmark = [
    pytest.mark.parametrize("space", counters.DEVICES, indirect=True),
    pytest.mark.skipif(rawkernels.compiler() is None, reason="no C++ compiler"),
]

FORWARD, BACKWARD, UPDATE = 3.0, 6.0, 4  # launches: of each layer, of all optimizer updates
OF_HALVES = {  # launches in addition to those in float32
    "float16": 3,  # the loss, the loss scale and the gradient of the loss are rounded
    "bfloat16": 7,  # a mean is computed in float32, too
}
REPLAYED = 1 + 2 + 3  # launches: the graph, copies of two inputs and three results


@pytest.mark.parametrize("name", networks.NAMES)
def test_a_step_is_few_launches_and_waits_for_nothing(space, name):
    found = steps.counts_of(name)
    forward, backward = steps.per_layer(found)
    assert 1 <= forward <= FORWARD and 1 <= backward <= BACKWARD
    assert 1 <= found["update"].launches <= UPDATE
    for kind in ("transfers", "synchronisations"):
        assert not found["step"].names[kind], found["step"].names[kind]
    assert found["step"].launches >= found["forward and backward"].launches


@pytest.mark.parametrize("name", ["ResNet-18", "LSTM"])
def test_a_captured_step_is_one_launch_and_copies_of_inputs_and_results(space, name):
    found = steps.replayed(name)
    assert found.launches == REPLAYED, found.names["launches"]
    assert found.transfers == found.synchronisations == 0


@pytest.mark.parametrize("half", ["float16", "bfloat16"])
def test_layers_of_halves_are_as_many_launches_as_layers_of_float32(space, half):
    """No layer casts its operands (cuDNN convolves halves directly), so 69 layers add no
    launches."""
    if arrays.current_space().convolutions.library is None:
        pytest.skip("without cuDNN, convolutions cast halves to float32")
    usual, found = (
        steps.counts_of("ResNet-18", dtype=dtype) for dtype in (ms.float32, getattr(ms, half))
    )
    for part in ("forward", "forward and backward", "update", "step"):
        assert found[part].launches <= usual[part].launches + OF_HALVES[half], part
    assert found["step"].transfers == found["step"].synchronisations == 0


def test_batch_norm_goes_back_in_one_launch(space):
    """This also holds if no gradient reaches the statistics: no zeros are allocated for them."""
    norm = nn.BatchNorm2d(4).set_train()
    x = ms.Tensor(np.linspace(-1, 1, 2 * 4 * 36, dtype=np.float32).reshape(2, 4, 6, 6))
    out, pull = ms.vjp(norm, x, weights=norm.trainable_params())
    pull(out)
    with counters.counted() as found:
        pull(out)
    assert found.launches == 1, found.names


@pytest.mark.parametrize("optimizer", ["LARS", "Lamb", "AdaFactor"])
def test_norms_of_all_parameters_are_taken_together(space, optimizer):
    found = steps.updated("LeNet-5", optimizer)
    assert 1 <= found.launches <= (UPDATE if optimizer == "LARS" else 2)
    assert found.transfers == found.synchronisations == 0


@pytest.mark.parametrize(
    "optimizer", ["ASGD", "AdaFactor", "AdaMax", "LARS", "Lamb", "Rprop", "SGD"]
)
def test_every_optimizer_leaves_a_step_out_on_the_device(space, optimizer):
    found = steps.counts_of("LeNet-5", optimizer)
    for kind in ("transfers", "synchronisations"):
        assert not found["step"].names[kind], found["step"].names[kind]
    own = int(optimizer in ("LARS", "AdaFactor"))  # sums that the update waits for
    assert 1 <= found["update"].launches <= UPDATE + own


@pytest.mark.parametrize("optimizer", ["Adam", "Adam, decaying"])
def test_counts_of_steps_and_learning_rates_are_on_the_device(space, optimizer):
    found = steps.counts_of("LSTM", optimizer)
    assert found["step"].transfers == found["step"].synchronisations == 0
    assert found["update"].launches <= UPDATE + 4 * (optimizer != "Adam")  # the schedule's own
