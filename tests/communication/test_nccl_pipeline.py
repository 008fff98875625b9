"""Pipeline stages on GPUs exchange over NCCL. Each direction and tag has its own stream, so that no
two messages wait for each other. The results are those of one process. The ranks are threads.
`Wire` plays the communicator of a channel; it reads and writes the arrays by address, which the
stand-in for CuPy and the simulated CUDA allow.
"""

import ctypes
import threading
import types

import numpy as np
import pytest
from fakecupy import rawkernels
from kit.simulated_ranks import World, on_ranks

from mindspore_compat import Tensor, nn, ops
from mindspore_compat._backend.arrays import current_space
from mindspore_compat._backend.ranks import nccl
from mindspore_compat._core.context import config
from mindspore_compat._core.sharding import network
from mindspore_compat._core.sharding.mesh import Mesh
from mindspore_compat._core.sharding.stages import Stages
from tests.gpu import counters

pytestmark = [
    pytest.mark.parametrize("space", counters.DEVICES, indirect=True),
    pytest.mark.skipif(rawkernels.compiler() is None, reason="no C++ compiler"),
]
STAGES, MICRO = 3, 6
X = np.random.default_rng(0).normal(size=(2 * MICRO, 4)).astype(np.float32)
own = threading.local()  # of each rank: its number, its calls of NCCL, its streams


class Wire:
    """NCCL's communicator of one end of a channel."""

    def __init__(self, shared, name, rank):
        self.shared, self.name, self.rank = shared, name, rank

    def rank_id(self):
        return self.rank

    def size(self):
        return 2

    def send(self, address, count, code, to, stream):
        assert (to, self.rank) == (1, 0)
        own.calls.append(("send", self.name, stream))
        self._messages().put((ctypes.c_char * count).from_address(address).raw)

    def recv(self, address, count, code, source, stream):
        assert (source, self.rank) == (0, 1)
        own.calls.append(("recv", self.name, stream))
        data = self._messages().get(timeout=20)
        assert len(data) == count
        ctypes.memmove(address, data, count)

    def abort(self):
        own.calls.append(("abort", self.name, None))

    def _messages(self):
        return self.shared.queue("channel", self.name)


class OnGpus(World):
    """A group of simulated ranks, each of which has a GPU."""

    def own_gpu(self):
        return self.own

    def receive(self, array, source, tag=0):
        try:
            return super().receive(array, source, tag)
        except AttributeError:
            raise RuntimeError("a notice in place of an array") from None

    def sent(self, to):
        return {}

    def discard(self, source, sent):
        for tag in (1, 2, 3):
            messages = self.shared.queue(self.ranks[source], self.own, tag)
            while not messages.empty():
                messages.get()


@pytest.fixture
def library(monkeypatch):
    """Makes `Wire` the communicator of channels."""
    made = types.ModuleType("cupy.cuda.nccl")
    made.available, made.NCCL_INT8 = True, 0
    made.get_unique_id = lambda: f"{own.rank}, channel {len(own.names)} {own.names.append(0)}"
    made.NcclCommunicator = lambda size, name, rank: Wire(own.shared, name, rank)
    monkeypatch.setattr(nccl, "_library", lambda: made)


class Net(nn.Cell):
    """Three layers; the result of the first goes around the second."""

    def __init__(self):
        super().__init__()
        rng = np.random.default_rng(1)
        self.layers = nn.CellList([nn.Dense(4, 4) for _ in range(STAGES)])
        for p in self.get_parameters():
            p.set_data(Tensor(rng.normal(size=p.shape).astype(np.float32)))

    def construct(self, x):
        first = ops.tanh(self.layers[0](x))
        second = ops.tanh(self.layers[1](first))
        return ops.square(self.layers[2](second) + first - 1.0).mean()


def step_of(net):
    """A training step of a network in micro-batches."""
    pipeline = nn.PipelineCell(net, MICRO)
    return nn.TrainOneStepCell(pipeline, nn.Momentum(net.trainable_params(), 0.1, 0.9)).set_train()


def trained(call, net):
    """The losses of four steps."""
    step = step_of(net)
    return [float(call(step, Tensor(X)).asnumpy()) for _ in range(4)]


def on_stages(function=trained):
    """Returns the result of `function(call, net)` and the NCCL calls of each rank."""
    module = current_space().module

    def run(world):
        world = OnGpus(world.ranks, world.own, world.shared)
        own.rank, own.calls, own.names, own.shared = world.own, [], [], world.shared
        stages = Stages(world, STAGES)
        mesh = Mesh(world, stages.ranks, stages)

        def call(step, x):
            return network.run_on(mesh, "full_batch", step, (x,), {}, step)

        with module.cuda.Stream(non_blocking=True) as stream:
            net = Net()
            for number, layer in enumerate(net.layers):
                layer.pipeline_stage = number
            world.objects(None)  # no rank starts while another still labels Cells
            out = function(call, net)
        streams = {name: used for _, name, used in own.calls if used is not None}
        if stream.ptr != module.cuda.Stream(non_blocking=True).ptr:  # the stand-in has one
            assert len(set(streams.values()) | {stream.ptr}) == len(streams) + 1
        assert all(streams[name] == used for _, name, used in own.calls if used is not None)
        return out, own.calls

    return zip(*on_ranks(STAGES, run), strict=True)


def completes(calls, alone=lambda name: name):
    """Returns True if all messages arrive although each call waits for the previous calls on its
    stream, for all previous receives, and for its counterpart.

    Args:
        calls: for each rank its calls.
        alone: a function from the name of a channel to the name of its stream.
    """
    waiting = [list(own_calls) for own_calls in calls]
    while any(waiting):
        ready = [set() for _ in calls]
        for rank, own_calls in enumerate(waiting):
            busy = set()
            for kind, name, _ in own_calls:
                if alone(name) not in busy:
                    ready[rank].add((kind, name))
                busy.add(alone(name))
                if kind == "recv":  # what follows computes with it
                    break
        names = {name for kinds in ready for _, name in kinds}
        done = [
            name
            for name in names
            if {kind for kinds in ready for kind, other in kinds if other == name}
            == {"send", "recv"}
        ]
        if not done:
            return False
        for own_calls in waiting:
            for name in done:
                at = next((i for i, call in enumerate(own_calls) if call[1] == name), None)
                if at is not None:
                    del own_calls[at]
    return True


@pytest.fixture
def schedule(monkeypatch):
    """Returns a function that sets the schedule."""
    parallel = config.config.parallel
    return lambda name: monkeypatch.setattr(parallel, "pipeline_scheduler", name)


@pytest.mark.parametrize("name", ["gpipe", "1f1b"])
def test_stages_train_as_one_process_and_never_wait_for_each_other(space, library, schedule, name):
    schedule(name)
    expected = trained(lambda step, x: step(x), Net())
    found, calls = on_stages()
    for losses in found:
        np.testing.assert_allclose(losses, expected, rtol=1e-5)
    # Three steps after the first: activations of three pairs of stages, and their gradients.
    kinds = [[kind for kind, _, _ in own_calls] for own_calls in calls]
    assert sum(own_kinds.count("send") for own_kinds in kinds) == 3 * MICRO * 3 * 2
    assert completes(calls)


def test_on_one_stream_messages_would_wait_for_each_other(space, library, schedule):
    schedule("1f1b")
    _, calls = on_stages()
    assert not completes(calls, alone=lambda name: None)


def test_an_error_ends_the_messages_under_way(space, library, monkeypatch):
    def run(call, net):
        step = step_of(net)
        for _ in range(2):
            call(step, Tensor(X))
        if own.rank == 2:
            monkeypatch.setattr(net.layers[2], "construct", fails)
        with pytest.raises((ValueError, RuntimeError), match="a stage fails"):
            call(step, Tensor(X))

    def fails(x):
        raise ValueError("a stage fails")

    _, calls = on_stages(run)
    for own_calls in calls:
        opened = {name for _, name, _ in own_calls}
        assert {name for kind, name, _ in own_calls if kind == "abort"} == opened
