"""Launches, transfers and synchronisations of one training step stay below the limits that keep a
GPU busy.
"""

import pytest
from fakecupy import rawkernels

from . import counters, networks, steps

pytestmark = [
    pytest.mark.parametrize("space", counters.DEVICES, indirect=True),
    pytest.mark.skipif(rawkernels.compiler() is None, reason="no C++ compiler"),
]

FORWARD, BACKWARD, UPDATE = 3.0, 6.0, 4  # launches: of each layer, of all optimizer updates
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


@pytest.mark.parametrize("optimizer", ["LARS", "Lamb"])
def test_norms_of_all_parameters_are_taken_together(space, optimizer):
    found = steps.updated("LeNet-5", optimizer)
    assert 1 <= found.launches <= UPDATE
    assert found.transfers == found.synchronisations == 0


@pytest.mark.parametrize(
    "optimizer", ["ASGD", "AdaFactor", "AdaMax", "LARS", "Lamb", "Rprop", "SGD"]
)
def test_every_optimizer_leaves_a_step_out_on_the_device(space, optimizer):
    found = steps.counts_of("LeNet-5", optimizer)
    for kind in ("transfers", "synchronisations"):
        assert not found["step"].names[kind], found["step"].names[kind]
    own = {"LARS": 1, "AdaFactor": 3}.get(optimizer, 0)  # sums that the update waits for
    assert 1 <= found["update"].launches <= UPDATE + own


@pytest.mark.parametrize("optimizer", ["Adam", "Adam, decaying"])
def test_counts_of_steps_and_learning_rates_are_on_the_device(space, optimizer):
    found = steps.counts_of("LSTM", optimizer)
    assert found["step"].transfers == found["step"].synchronisations == 0
    assert found["update"].launches <= UPDATE + 4 * (optimizer != "Adam")  # the schedule's own
