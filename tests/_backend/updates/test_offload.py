"""Optimizer states and updates on the host for parameters on a GPU give the same numbers."""

import numpy as np
import pytest
from fakecupy import counting, timeline
from kit import close

from mindspore_compat import Tensor, nn
from mindspore_compat._backend import arrays
from mindspore_compat._backend.updates import offload
from mindspore_compat._backend.updates.fuse import fuse
from mindspore_compat._backend.updates.offload import Offload
from mindspore_compat.ops._optimizer.formulas import adam_step, adam_update

ADAM = {"lr": 0.1, "beta1": 0.9, "beta2": 0.99, "eps": 1e-8}


def in_place_of_the_gradient(xp, g, m, v, *, lr, beta1, beta2, eps):
    return adam_step(xp, g, m, v, lr=lr, beta1=beta1, beta2=beta2, eps=eps)


@pytest.mark.parametrize("space", ["fakecupy"], indirect=True)
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_the_same_numbers_as_on_the_host(space, dtype):
    rng = np.random.default_rng(0)
    shapes = [(3, 4), (5,), (), (70000,)]
    host = [
        [rng.random(shape).astype(dtype) for _ in range(2)]
        + [np.zeros(shape, np.float32) for _ in range(2)]
        for shape in shapes
    ]
    device = [[space.asarray(row[0].copy()), None, row[2].copy(), row[3].copy()] for row in host]
    offload, update = Offload(fuse(in_place_of_the_gradient, reads=())), fuse(adam_update)
    for step in range(3):
        gradients = [(row[1] * (step + 1)).astype(dtype) for row in host]
        for row, gradient in zip(device, gradients, strict=True):
            row[1] = space.asarray(gradient)
        offload.sweep(device, **ADAM)
        for row, gradient in zip(host, gradients, strict=True):
            update(row[0], gradient, *row[2:], **ADAM)
    tolerance = 1e-6 if dtype is np.float32 else 5e-3
    for row, expected in zip(device, host, strict=True):
        assert arrays.on_device(row[0]) and type(row[2]) is np.ndarray
        close(arrays.to_host(row[0]), expected[0], tolerance)
        close(row[2], expected[2], rtol=1e-6, atol=0)
        close(row[3], expected[3], rtol=1e-6, atol=0)


@pytest.mark.parametrize("space", ["fakecupy"], indirect=True)
def test_gradients_are_left_alone(space):
    gradient = space.asarray(np.float32([0.5, 1.0]))
    row = [space.zeros(2, "float32"), gradient, np.zeros(2, np.float32), np.zeros(2, np.float32)]
    Offload(fuse(in_place_of_the_gradient, reads=())).sweep([row], **ADAM)
    np.testing.assert_array_equal(arrays.to_host(gradient), [0.5, 1.0])


class Slow:
    """Host updates that take as long as a copy of their arrays."""

    def __init__(self):
        self.steps = fuse(in_place_of_the_gradient, reads=())

    def units(self, rows, **scalars):
        for line in timeline.each():
            line.work("arithmetic", rows[0][0].nbytes)
        return self.steps.units(rows, **scalars)


@pytest.mark.parametrize("space", ["fakecupy"], indirect=True)
def test_copies_go_on_beside_the_arithmetic(space, monkeypatch):
    """For 20 chunks, copies down, arithmetic and copies up overlap: together they take little
    longer than one of the three."""
    monkeypatch.setattr(offload, "CHUNK", 100)
    rng = np.random.default_rng(0)
    values = [rng.random(2000).astype(np.float32) for _ in range(2)]
    zeros = [np.zeros(2000, np.float32) for _ in range(2)]
    row = [*map(space.asarray, values), *(each.copy() for each in zeros)]
    swept = offload.Offload(Slow())
    with timeline.drawn() as line, counting.counted() as counts:
        swept.sweep([row], **ADAM)
    alone = values[0].nbytes
    ends = max(span.end for span in line.spans)
    assert 3 * alone / 2 > ends >= alone
    for one, other in (
        ("to host", "arithmetic"),
        ("arithmetic", "to device"),
        ("to host", "to device"),
    ):
        assert line.overlap(one, other) >= 0.8 * alone
    assert counts.transfers == 40 and counts.synchronisations == 20
    fuse(adam_update)(values[0], values[1], *zeros, **ADAM)
    close(arrays.to_host(row[0]), values[0])
    for state, expected in zip(row[2:], zeros, strict=True):
        close(state, expected)


@pytest.mark.parametrize("space", ["fakecupy"], indirect=True)
def test_small_parameters_share_a_copy_of_each_direction(space):
    def row(shape, dtype):
        gradient = np.linspace(-1, 1, int(np.prod(shape)), dtype=dtype).reshape(shape)
        states = np.zeros((2, *shape), np.float32)
        return [space.ones(shape, dtype), space.asarray(gradient), *states]

    rows = [row(shape, np.float32) for shape in ((3, 4), (5,), (), (0,), (2, 2, 2))]
    alone = [[row[0].copy(), row[1], *map(np.copy, row[2:])] for row in rows]
    swept = Offload(fuse(in_place_of_the_gradient, reads=()))
    with counting.counted() as counts:
        swept.sweep(rows, **ADAM)
    assert counts.transfers == 2 and counts.synchronisations == 1
    for one in alone:
        Offload(fuse(in_place_of_the_gradient, reads=())).sweep([one], **ADAM)
    for one, other in zip(rows, alone, strict=True):
        np.testing.assert_array_equal(arrays.to_host(one[0]), arrays.to_host(other[0]))
    rows.append(row((3,), np.float16))
    with counting.counted() as counts:
        swept.sweep(rows, **ADAM)
    assert counts.transfers == 4  # two for each dtype


@pytest.mark.parametrize("space", ["fakecupy"], indirect=True)
def test_a_buffer_is_written_again_only_when_it_has_gone_up(space):
    swept = offload.Offload(Slow())
    row = [space.zeros(8, "float32"), space.ones(8, "float32"), *np.zeros((2, 8), np.float32)]
    with timeline.drawn() as line:
        for _ in range(2):
            swept.sweep([row], **ADAM)
    sent = [span for span in line.spans if span.name == "to device"]
    arrived = [span for span in line.spans if span.name == "to host"]
    assert arrived[1].start >= sent[0].end
    assert line.now < sent[1].end  # the host does not wait for what goes up


@pytest.mark.parametrize("space", ["fakecupy"], indirect=True)
def test_what_is_not_contiguous_goes_in_one_piece(space, monkeypatch):
    monkeypatch.setattr(offload, "CHUNK", 2)
    wide = space.ones((4, 6), "float32")
    row = [wide[:, ::2], space.ones((4, 3), "float32"), *np.zeros((2, 4, 3), np.float32)]
    Offload(fuse(in_place_of_the_gradient, reads=())).sweep([row], **ADAM)
    found = arrays.to_host(wide)
    assert (found[:, 1::2] == 1).all() and (found[:, ::2] < 1).all()


@pytest.mark.parametrize("space", ["fakecupy"], indirect=True)
def test_no_state_lies_on_the_device(space):
    network = nn.Dense(3, 2)
    optimizer = nn.AdamOffload(network.trainable_params(), 0.1)
    step = nn.TrainOneStepCell(nn.WithLossCell(network, nn.MSELoss()), optimizer)
    for _ in range(2):
        step(Tensor(np.ones((4, 3), np.float32)), Tensor(np.ones((4, 2), np.float32)))
    states = [*optimizer.moment1, *optimizer.moment2]
    assert [type(each._array) for each in states] == [np.ndarray] * 4
    assert all(arrays.on_device(each._array) for each in network.trainable_params())
    assert any(each._array.any() for each in states)
