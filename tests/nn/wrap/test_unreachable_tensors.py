"""Captured steps that use Tensors which no attribute, closure or global refers to."""

import collections
import gc

import numpy as np
import pytest
from fakecupy import rawkernels
from kit.steps import Dense, batches, network_of, plain_step

import mindspore_compat as ms
from mindspore_compat import ops
from mindspore_compat.common._graph_mode import steps, unreachable
from tests.gpu import counters

pytestmark = [
    pytest.mark.usefixtures("capture_allowed"),
    pytest.mark.parametrize("space", counters.DEVICES, indirect=True),
    pytest.mark.skipif(rawkernels.compiler() is None, reason="no C++ compiler"),
]


@pytest.fixture
def logged(monkeypatch):
    """The warnings about steps that are not captured."""
    texts = []

    def warning(text, *args, **options):
        if "captured" in text:
            texts.append(text)

    monkeypatch.setattr(steps.log, "warning", warning)
    return texts


class Settings:
    """Returns a class that has the Tensor as an attribute."""

    scale = None

    def get(self):
        return type(self).scale

    def put(self, tensor):
        type(self).scale = tensor


class Slots:
    """An object without a dictionary."""

    __slots__ = ("scale", "__weakref__")

    def get(self):
        return self.scale

    def put(self, tensor):
        self.scale = tensor


class Queue:
    """A queue of one Tensor."""

    def __init__(self):
        self.queue = collections.deque([None])

    def get(self):
        return self.queue[0]

    def put(self, tensor):
        self.queue[0] = tensor


def step_of(holder, use):
    """Returns a training step of a network that uses the Tensor of a holder."""
    holder.put(ms.Parameter(np.full(8, 0.5, np.float32), "scale", requires_grad=False))
    cell, _ = network_of((lambda: Dense(lambda x: use(x, holder.get())), (2, 4)))
    return plain_step(cell)


def losses(step, graph, between=lambda number: None):
    """Returns the loss of each step."""
    ms.set_context(mode=ms.GRAPH_MODE if graph else ms.PYNATIVE_MODE)
    results = []
    for number, batch in enumerate(batches((2, 4))):
        between(number)
        results.append(float(step(*batch)))
    return results


@pytest.mark.parametrize("kind", [Settings, Slots, Queue])
def test_their_memory_is_kept_as_long_as_the_graph_reads_it(space, kind, logged):
    holder = kind()
    eager = losses(step_of(holder, ops.mul), False)

    def replace(number):
        if number == 5:  # a graph has the values of its capture
            holder.put(ms.Tensor(np.full(8, np.nan, np.float32)))
            gc.collect()

    assert losses(step_of(holder, ops.mul), True, replace) == eager
    assert logged == []


@pytest.mark.parametrize("kind", [Settings, Slots, Queue])
def test_new_values_outdate_the_graph(space, kind, logged):
    holder = kind()

    def double(number):
        if number == 5:
            holder.get().set_data(holder.get() * 2)

    eager = losses(step_of(holder, ops.mul), False, double)
    assert losses(step_of(holder, ops.mul), True, double) == eager
    assert len(set(eager)) == len(eager) and logged == []


@pytest.mark.parametrize("kind", [Settings, Slots, Queue])
def test_a_step_that_writes_to_them_is_not_captured(space, kind, logged):
    def use(x, scale):
        ops.assign(scale, scale + 0.5)
        return x * scale

    holder = kind()
    eager = losses(step_of(holder, use), False)
    total = holder.get().asnumpy()
    assert losses(step_of(holder, use), True) == eager
    np.testing.assert_array_equal(holder.get().asnumpy(), total)
    assert len(logged) == 1 and "by other ways" in logged[0]


def test_tensors_that_a_step_does_not_use_are_not_kept(space):
    other, hidden = ms.Tensor([1.0]), ms.Tensor([2.0])
    with unreachable.Uses({id(other)}) as uses:
        ms.Tensor([3.0]) + hidden + other
    assert [row[0] for row in uses.rows.values()] == [hidden]
    assert "_array" not in vars(ms.Tensor)
