"""Gradients of several processes: sums that overlap with the backward pass.

NCCL is simulated by a rank that is its own partner: each sum is twice what this process sent. The
tests with ranks over MPI are in tests/communication.
"""

import ctypes
import types

import numpy as np
import pytest
from fakecupy import arrays as fake
from fakecupy import counting, rawkernels, timeline
from kit import close

import mindspore_compat as ms
from mindspore_compat import nn, ops
from mindspore_compat._backend.arrays import current_space, on_device, to_host, to_space
from mindspore_compat._backend.ranks import collective, endings, nccl
from mindspore_compat._backend.ranks.pending import Pending
from mindspore_compat.common._graph_mode import steps as graph_steps
from mindspore_compat.nn.wrap import grad_reducer

pytestmark = pytest.mark.skipif(rawkernels.compiler() is None, reason="no C++ compiler")
FLOAT = ctypes.POINTER(ctypes.c_float)


def twice(given, out, count):
    """Writes twice the numbers at one address to another address."""
    read, written = (np.ctypeslib.as_array(ctypes.cast(at, FLOAT), (count,)) for at in (given, out))
    written[...] = 2 * read


class Partner:
    """A communicator of NCCL for two ranks that send the same data."""

    def __init__(self):
        self.sent = []

    def rank_id(self):
        return 0

    def size(self):
        return 2

    def allReduce(self, given, out, count, dtype, operation, stream):
        self.sent.append(count)
        fake.FUNCTIONS["streams"]["copy"](None, "NCCL", 4 * count, False)
        note = counting.graphs.begin(twice, (given, out, count), {})
        twice(given, out, count)
        note(None, [])


class Group(collective.Group):
    """A group of two ranks that always agree.

    Attributes:
        compared (list[str]): the exchanges of which they have compared headers.
    """

    def __init__(self, space):
        super().__init__((0, 1), types.SimpleNamespace(rank=0, size=2))
        self.compared = []
        codes = types.SimpleNamespace(NCCL_FLOAT32=7, NCCL_SUM=0)
        if space.module is not np:
            self.nccl = nccl.Nccl(space.module, codes, Partner())

    def _agree(self, what):
        self.compared.append(what)
        return Pending(None)

    def all_reduce(self, array, operation="sum"):
        if self._on_gpu(array):
            return super().all_reduce(array, operation)
        space = current_space()
        return Pending(to_space(space, 2 * to_host(array)))


@pytest.fixture
def group(space, monkeypatch):
    """Two processes that train with the same data; buckets of 40 elements."""
    made = Group(space)
    monkeypatch.setattr(grad_reducer, "partners", lambda name: made)
    monkeypatch.setattr(grad_reducer, "get_group_size", lambda name: 2)
    monkeypatch.setattr(grad_reducer, "BUCKET", 40)
    monkeypatch.setattr(endings, "look", lambda: None)
    return made


class Deep(nn.Cell):
    """Four dense layers with their loss."""

    def __init__(self):
        super().__init__()
        rng = np.random.default_rng(0)
        layers = [nn.Dense(6, 6, bias_init="zeros") for _ in range(4)]
        for layer in layers:
            values = 0.3 * rng.standard_normal((6, 6))
            layer.weight.set_data(ms.Tensor(values.astype(np.float32)))
        self.layers = nn.SequentialCell(*layers)

    def construct(self, x):
        return (self.layers(x) ** 2).mean()


def data():
    return ms.Tensor(np.arange(12, dtype=np.float32).reshape(2, 6) / 10)


def step_of(kind, mean=False):
    """A step that reduces its gradients."""
    network = Deep()
    optimizer = nn.SGD(network.trainable_params(), 0.01)
    if kind == "scaled":
        scale = nn.FixedLossScaleUpdateCell(3.0)
        step = nn.TrainOneStepWithLossScaleCell(network, optimizer, scale_sense=scale)
    else:
        step = nn.TrainOneStepCell(network, optimizer)
    step.grad_reducer = nn.DistributedGradReducer(optimizer.parameters, mean, 2)
    return step


def weights_after(step, steps=1):
    for _ in range(steps):
        step(data())
    return [each.asnumpy() for each in step.weights]


@pytest.mark.parametrize("kind", ["plain", "scaled"])
@pytest.mark.parametrize("space", ["numpy", "fakecupy"], indirect=True)
def test_sums_are_those_of_gradients_reduced_at_the_end(group, kind, monkeypatch):
    found = weights_after(step_of(kind, mean=True), 3)
    monkeypatch.setattr(grad_reducer.Overlapped, "_arrive", lambda self, leaf, gradient: None)
    expected = weights_after(step_of(kind, mean=True), 3)
    assert all(map(np.array_equal, found, expected))
    alone = step_of(kind)
    alone.grad_reducer = nn.Identity()
    for one, two in zip(found, weights_after(alone, 3), strict=True):
        close(one, two, atol=0)  # a mean of two that are the same


@pytest.mark.parametrize("space", ["fakecupy"], indirect=True)
def test_buckets_travel_while_the_walk_back_goes_on(group):
    step, batch = step_of("plain"), data()
    step(batch)
    with timeline.drawn() as line, counting.counted() as counts:
        step(batch)
    assert counts.synchronisations == counts.transfers == 0
    travel = [span for span in line.spans if span.name == "NCCL"]
    assert len(travel) == 4 and {span.lane for span in travel} == {group.nccl.stream}
    work = [span for span in line.spans if span.lane is not group.nccl.stream]
    beside = [
        span for span in work if any(t.start < span.end and span.start < t.end for t in travel)
    ]
    assert len(beside) > 4, "nothing was computed meanwhile"
    update = max(work, key=lambda span: span.start)
    assert update.start >= max(span.end for span in travel)


@pytest.mark.parametrize("space", ["fakecupy"], indirect=True)
def test_ranks_compare_a_bucket_once_and_the_host_waits_for_none_later(group):
    step = step_of("plain")
    for _ in range(3):
        step(data())
    shapes = {f"float32 ({count},)" for count in group.nccl.communicator.sent}
    assert len(group.nccl.communicator.sent) == 3 * 4
    assert len(group.compared) == len(set(group.compared)) == len(shapes)


@pytest.mark.parametrize("space", ["fakecupy"], indirect=True)
def test_a_rank_that_has_ended_is_missed_in_an_exchange_that_was_compared_before(
    group, monkeypatch
):
    array = current_space().zeros(3, np.float32)
    collective.Group.all_reduce(group, array)
    monkeypatch.setitem(endings.left, 1, {group.key: 0})
    with pytest.raises(RuntimeError, match="Rank 1 has ended"):
        collective.Group.all_reduce(group, array)


@pytest.mark.parametrize("space", ["fakecupy"], indirect=True)
def test_a_hook_changes_what_is_summed(group):
    def halved(gradient):
        return gradient / 2

    plain, hooked = step_of("plain"), step_of("plain")
    hooked.weights[0].register_hook(halved)
    before = plain.weights[0].asnumpy()
    step, half = weights_after(plain)[0] - before, weights_after(hooked)[0] - before
    close(half, step / 2)


@pytest.mark.parametrize("space", ["numpy"], indirect=True)
def test_a_parameter_without_a_gradient_and_one_that_is_not_reduced(group):
    step = step_of("plain")
    step.weights[1].layerwise_parallel = True
    unused = ms.Parameter(ms.Tensor(np.ones(3, np.float32)), name="unused")
    weights = [*step.weights, unused]
    reducer = nn.DistributedGradReducer(weights, False, 2)
    gradient = ops.GradOperation(get_by_list=True)(step.network, ms.ParameterTuple(weights))
    with grad_reducer.Overlapped(reducer, weights) as reduced:
        grads = gradient(data())
    for number, (one, two) in enumerate(zip(reduced(grads), grads, strict=True)):
        np.testing.assert_array_equal(one.asnumpy(), (1 if number == 1 else 2) * two.asnumpy())


@pytest.mark.parametrize("space", ["fakecupy"], indirect=True)
def test_collectives_of_nccl_are_captured(group, monkeypatch):
    logged = []
    monkeypatch.setattr(graph_steps.log, "warning", logged.append)
    found = []
    for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
        ms.set_context(mode=mode)
        with counting.counted() as counts:
            found.append(weights_after(step_of("plain"), 5))
    assert logged == [] and counts.names["launches"]["graph"] == 3
    assert all(map(np.array_equal, *found))
    assert on_device(current_space().zeros(1))


@pytest.mark.parametrize("space", ["fakecupy"], indirect=True)
def test_collectives_of_mpi_are_not_captured(group, monkeypatch):
    logged = []
    monkeypatch.setattr(graph_steps.log, "warning", logged.append)
    monkeypatch.setattr(group, "nccl", None)
    found = []
    for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
        ms.set_context(mode=mode)
        found.append(weights_after(step_of("plain"), 5))
    assert len(logged) == 1 and "a value read from it" in logged[0]
    assert all(map(np.array_equal, *found))


def test_the_collected_norm_needs_its_setting():
    """As in MindSpore 2.10: without `dump_device_local_norm` there is no such Parameter."""
    norm_parameter = grad_reducer.get_squared_device_local_norm_param
    with pytest.raises(ValueError, match="'dump_device_local_norm' must be True"):
        norm_parameter()
    ms.context.set_auto_parallel_context(dump_device_local_norm=True)
    try:
        norm = norm_parameter()
        assert (norm.shape, norm.dtype, norm.requires_grad) == ((), ms.float32, False)
        assert norm_parameter() is norm
    finally:
        ms.context.reset_auto_parallel_context()
