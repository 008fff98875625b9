"""THOR with a loss scale on a GPU gives the same states as on the CPU, without synchronisation."""

import numpy as np
import pytest
from fakecupy import counting, rawkernels
from kit import close

from mindspore_compat import Tensor, nn
from mindspore_compat._backend import arrays, block_inverse
from tests.nn.optim import test_thor

pytestmark = [
    pytest.mark.device,
    pytest.mark.skipif(rawkernels.compiler() is None, reason="no C++ compiler"),
]
SPOILT = (0, 3)


class WithLoss(nn.Cell):
    """The network of the other tests of THOR, with its loss."""

    def __init__(self):
        super().__init__()
        self.net = test_thor.Net()

    def construct(self, x, ids, more):
        return (self.net(x, ids, more) ** 2).mean()


def training():
    """A training step with a loss scale, and its optimizer."""
    network = WithLoss()
    optimizer = nn.thor(
        network,
        Tensor(np.float32([0.1, 0.05, 0.02, 0.01, 0.01, 0.01, 0.01])),
        Tensor(np.float32([0.3, 0.2, 0.1])),
        0.9,
        weight_decay=0.01,
        batch_size=test_thor.BATCH,
        enable_clip_grad=True,
    )
    scale = nn.DynamicLossScaleUpdateCell(2.0**8, 2, 2)
    return nn.TrainOneStepWithLossScaleCell(network, optimizer, scale_sense=scale), optimizer


def second_order(step, optimizer, value):
    """Sets whether the next steps are of the second order."""
    for cell in (optimizer, *(cell for _, cell in step.network.cells_and_names())):
        if hasattr(cell, "thor"):
            cell.thor = value


def course():
    """The state after each of six steps, some of which overflow and some of which are of the first
    order."""
    step, optimizer = training()
    found = []
    for number in range(6):
        second_order(step, optimizer, number not in (2, 5))
        x, ids, more = test_thor.batch(number)
        values = x.asnumpy().copy()
        values[0, 0, 0, 0] = np.inf if number in SPOILT else values[0, 0, 0, 0]
        _, overflow, _ = step(Tensor(values), ids, more)
        assert bool(overflow) == (number in SPOILT)
        tensors = [*step.get_parameters(), *optimizer.matrix_a, *optimizer.matrix_g]
        tensors += [optimizer.global_step, optimizer.cov_step]
        found.append(
            {f"{at} {each.name}": each.asnumpy().copy() for at, each in enumerate(tensors)}
        )
    return found


def test_the_course_is_that_of_the_host(space):
    device = course()
    arrays.set_target("CPU")
    for number, (have, want) in enumerate(zip(device, course(), strict=True)):
        assert have.keys() == want.keys()
        for key, value in want.items():
            size = np.abs(np.where(np.isfinite(value), value, 0)).max(initial=0)
            np.testing.assert_allclose(
                have[key], value, rtol=2e-4, atol=2e-5 * max(size, 1e-3), err_msg=f"{number} {key}"
            )


@pytest.mark.parametrize("space", ["fakecupy"], indirect=True)
@pytest.mark.parametrize("order", ["first", "second"])
def test_a_step_waits_for_nothing(space, order):
    step, optimizer = training()
    for seed in range(2):
        step(*test_thor.batch(seed))
    second_order(step, optimizer, order == "second")
    batch = test_thor.batch(2)
    with counting.counted() as counts:
        step(*batch)
    assert not counts.names["synchronisations"], counts.names["synchronisations"]
    assert not counts.names["transfers"], counts.names["transfers"]
    assert counts.names["launches"]["many_momentum_update"] == 1


@pytest.mark.parametrize("size", [1, 5, 128, 130, 300])
@pytest.mark.parametrize("shift", [0.05, 0.0])
def test_inverses_that_are_not_waited_for(space, size, shift):
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((max(2, size // 2), size)).astype(np.float32)  # of half the rank
    matrix = space.array(rows.T @ rows / len(rows))
    wanted, _ = block_inverse.inverse_blocks(matrix, shift)
    with counting.counted() as counts:
        (found,) = block_inverse.inverse_blocks_together(
            [(matrix, space.array(np.float64(shift**2)), 1.0)]
        )
    assert counts.transfers == counts.synchronisations == 0
    close(arrays.to_host(found), arrays.to_host(wanted), rtol=1e-5, atol=1e-6)


def test_a_block_that_is_not_finite_spoils_itself_only(space):
    matrix = np.eye(200, dtype=np.float32)
    matrix[150, 150] = np.inf
    (found,) = block_inverse.inverse_blocks_together([(space.array(matrix), 0.01, 1.0)])
    finite = np.isfinite(arrays.to_host(found))
    assert finite[0].all() and not finite[1].any()
