"""Divided networks on GPUs exchange over NCCL. Every rank makes the same calls in the same order on
its computing stream, and the results are those of one process.

The ranks are threads. `Wire` plays NCCL's communicator; it reads and writes the arrays by address,
which the stand-in for CuPy and the simulated CUDA allow.
"""

import ctypes
import types

import numpy as np
import pytest
from fakecupy import rawkernels
from kit.simulated_ranks import Done, World, on_ranks

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, nn, ops
from mindspore_compat._backend.arrays import current_space, on_device
from mindspore_compat._backend.ranks import nccl
from mindspore_compat._core.context import config
from mindspore_compat._core.sharding import network, updates
from mindspore_compat._core.sharding.mesh import Mesh
from mindspore_compat.ops._attention.ring import attended
from mindspore_compat.parallel import Layout
from tests.gpu import counters

pytestmark = [
    pytest.mark.parametrize("space", counters.DEVICES, indirect=True),
    pytest.mark.skipif(rawkernels.compiler() is None, reason="no C++ compiler"),
]
RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(8, 4)).astype(np.float32), RNG.integers(0, 4, 8).astype(np.int32)
WEIGHTS = {name: RNG.normal(size=(4, 4)).astype(np.float32) for name in ("up", "down")}
DTYPES = {0: np.int8, 2: np.int32, 4: np.int64, 7: np.float32}
REDUCTIONS = {0: np.add, 2: np.maximum}


def at(address, count, code):
    """The array of `count` numbers at an address."""
    size = count * np.dtype(DTYPES[code]).itemsize
    memory = (ctypes.c_char * size).from_address(address) if size else b""
    return np.frombuffer(memory, DTYPES[code])


class Wire:
    """The NCCL library and communicator of one rank in a group of threads.

    Attributes:
        calls: the calls so far: their name, their arguments without addresses, their stream.
    """

    def __init__(self, world, calls):
        self.NCCL_INT8, self.NCCL_INT32, self.NCCL_INT64, self.NCCL_FLOAT32 = 0, 2, 4, 7
        self.NCCL_SUM, self.NCCL_MAX = 0, 2
        self.world, self.calls, self.group = world, calls, None

    def rank_id(self):
        return self.world.rank

    def size(self):
        return self.world.size

    def _met(self, name, arguments, stream, given):
        """Records a call, which must be the same on all ranks; returns the arrays that the ranks
        pass."""
        self.calls.append(((name, self.world.ranks, *arguments), stream))
        met = self.world._all(((name, *arguments), given))
        assert len({call for call, _ in met}) == 1, "the ranks call NCCL differently"
        return [array for _, array in met]

    def allReduce(self, given, out, count, dtype, operation, stream):
        parts = self._met(
            "allReduce", (count, dtype, operation), stream, at(given, count, dtype).copy()
        )
        at(out, count, dtype)[...] = REDUCTIONS[operation].reduce(parts)

    def allGather(self, given, out, count, dtype, stream):
        parts = self._met("allGather", (count, dtype), stream, at(given, count, dtype).copy())
        at(out, count * self.size(), dtype)[...] = np.concatenate(parts)

    def reduceScatter(self, given, out, count, dtype, operation, stream):
        whole = at(given, count * self.size(), dtype).copy()
        parts = self._met("reduceScatter", (count, dtype, operation), stream, whole)
        total = REDUCTIONS[operation].reduce(parts)
        at(out, count, dtype)[...] = np.split(total, self.size())[self.rank_id()]

    def broadcast(self, given, out, count, dtype, root, stream):
        parts = self._met("broadcast", (count, dtype, root), stream, at(given, count, dtype).copy())
        at(out, count, dtype)[...] = parts[root]

    def groupStart(self):
        assert self.group is None
        self.group = {"sent": {}, "received": {}}

    def send(self, given, count, dtype, peer, stream):
        self.group["sent"].setdefault(peer, []).append(at(given, count, dtype).copy())
        self.calls.append((("send", self.world.ranks, count, peer), stream))

    def recv(self, out, count, dtype, peer, stream):
        self.group["received"].setdefault(peer, []).append(at(out, count, dtype))
        self.calls.append((("recv", self.world.ranks, count, peer), stream))

    def groupEnd(self):
        group, self.group = self.group, None
        sent = self.world._all(types.SimpleNamespace(arrays=group["sent"]))
        for peer, outs in group["received"].items():
            for out, array in zip(outs, sent[peer].arrays[self.rank_id()], strict=True):
                out[...] = array


class OverNccl(World):
    """A group of simulated ranks that exchanges GPU arrays over NCCL. Exchanges of host arrays are
    recorded as calls, too."""

    def __init__(self, ranks, own, shared, calls):
        super().__init__(ranks, own, shared)
        self.calls, wire = calls, Wire(self, calls)
        self.nccl = nccl.Nccl(current_space().module, wire, wire)

    def subgroup(self, ranks):
        return OverNccl(ranks, self.own, self.shared, self.calls)

    def _on_gpu(self, array):
        if not on_device(array):
            self.calls.append((("over the host",), None))
        return on_device(array)

    def all_reduce(self, array, operation="sum"):
        if not self._on_gpu(array):
            return super().all_reduce(array, operation)
        return Done(self.nccl.all_reduce(array, operation))

    def all_gather(self, array):
        if not self._on_gpu(array):
            return super().all_gather(array)
        return Done(self.nccl.all_gather(array))

    def reduce_scatter(self, array, operation="sum"):
        if not self._on_gpu(array):
            return super().reduce_scatter(array, operation)
        return Done(self.nccl.reduce_scatter(array, operation))

    def broadcast(self, array, root):
        if not self._on_gpu(array):
            return super().broadcast(array, root)
        return Done(self.nccl.broadcast(array, root))

    def all_to_all(self, array, sent_rows, got_rows):
        if not self._on_gpu(array):
            return super().all_to_all(array, sent_rows, got_rows)
        shape = (sum(got_rows), *array.shape[1:])
        return Done(self.nccl.all_to_all(array, sent_rows, got_rows, shape))

    def send(self, array, to, tag=0):
        if not self._on_gpu(array):
            return super().send(array, to, tag)
        return Done(self.nccl.send(array, to))

    def receive(self, array, source, tag=0):
        if not self._on_gpu(array):
            return super().receive(array, source, tag)
        return Done(self.nccl.receive(array, source))

    def aside(self, array):
        return self.nccl.aside()

    def together(self, array):
        return self.nccl.together()

    def join(self, array):
        self.nccl.join()


def on_gpus(count, function, aside=()):
    """Returns the result of `function(world)` and the NCCL calls of each of `count` ranks. Calls
    use the computing stream of the rank; some of those named in `aside` use another stream."""
    module = current_space().module

    def run(world):
        calls, stream = [], module.cuda.Stream(non_blocking=True)
        with stream:
            out = function(OverNccl(world.ranks, world.own, world.shared, calls))
        assert {used for call, used in calls if call[0] not in aside} <= {stream.ptr, None}
        if stream.ptr != module.cuda.Stream(non_blocking=True).ptr:  # the stand-in has one
            used_aside = {used for call, used in calls if call[0] in aside}
            assert not aside or used_aside - {stream.ptr}
        return out, [call for call, _ in calls]

    return zip(*on_ranks(count, run), strict=True)


class Perceptron(nn.Cell):
    def __init__(self, dp=1, mp=1):
        super().__init__()
        self.up = Parameter(Tensor(WEIGHTS["up"].copy()), name="up")
        self.down = Parameter(Tensor(WEIGHTS["down"].copy()), name="down")
        self.first, self.second = ops.MatMul(), ops.MatMul()
        if dp * mp > 1:
            self.first.shard(((dp, 1), (1, mp)))
            self.second.shard(((dp, mp), (mp, 1)))

    def construct(self, x):
        return self.second(ops.gelu(self.first(x, self.up)), self.down)


def trained(net, around=lambda step, *args: step(*args)):
    """The losses of three steps, and the weights after them."""
    loss = nn.WithLossCell(net, nn.CrossEntropyLoss())
    step = nn.TrainOneStepCell(loss, nn.Momentum(net.trainable_params(), 0.1, 0.9)).set_train()
    losses = [float(around(step, Tensor(X), Tensor(Y)).asnumpy()) for _ in range(3)]
    return losses, [parameter.asnumpy() for parameter in net.get_parameters()]


@pytest.mark.parametrize("dp,mp", [(2, 1), (1, 2), (2, 2)])
def test_ranks_call_nccl_alike_and_train_as_one(space, dp, mp):
    losses, weights = trained(Perceptron())

    def run(world):
        mesh = Mesh(world)
        return trained(
            Perceptron(dp, mp),
            lambda step, *args: network.run_on(mesh, "full_batch", step, args, {}),
        )

    found, calls = on_gpus(dp * mp, run)
    for own_losses, own_weights in found:
        np.testing.assert_allclose(own_losses, losses, rtol=1e-5)
        for own, weight in zip(own_weights, weights, strict=True):
            np.testing.assert_allclose(own, weight, rtol=1e-5, atol=1e-6)
    names = [[call[0] for call in own] for own in calls]
    assert names[0] and all(own == names[0] for own in names)


@pytest.mark.parametrize("level", ["level1", "level2", "level3"])
def test_zero_exchanges_over_nccl_alone(space, monkeypatch, level):
    """Gradients are reduce-scattered and updated weights gathered; nothing is copied through the
    host."""
    losses, weights = trained(Perceptron())
    for name, value in (
        ("enable_parallel_optimizer", True),
        ("parallel_optimizer_threshold", 0),
        ("optimizer_level", level),
    ):
        monkeypatch.setattr(config.config.parallel, name, value)

    def run(world):
        mesh, net = Mesh(world), Perceptron()

        def around(step, *args):
            shares = tuple(Tensor(np.split(arg.asnumpy(), 2)[world.rank]) for arg in args)
            return network.run_on(mesh, "data_parallel", step, shares, {})

        found = trained(net, around)
        return *found, [parameter._array.block.size for parameter in net.get_parameters()]

    found, calls = on_gpus(2, run, aside=("allGather",))
    for own_losses, own_weights, sizes in found:
        np.testing.assert_allclose(own_losses, losses, rtol=1e-5)
        for own, weight in zip(own_weights, weights, strict=True):
            np.testing.assert_allclose(own, weight, rtol=1e-5, atol=1e-6)
        assert sizes == [weight.size // 2 for weight in weights]
    names = [[call[0] for call in own] for own in calls]
    assert names[0] == names[1] and "over the host" not in names[0]
    assert {"reduceScatter", "allGather"} <= set(names[0])


def test_parameters_that_one_rank_updates_reach_the_others_over_nccl(space):
    """The mode is "data_parallel", in which ranks divide the states of the optimizer."""

    def run(world):
        parameters = [
            Parameter(Tensor(np.full(size, world.rank, np.float32)), name=str(size))
            for size in (6, 4, 3)
        ]
        owners = updates.Owners(world, parameters)
        owners.spread(parameters)
        return owners.ranks, [parameter.asnumpy() for parameter in parameters]

    found, calls = on_gpus(2, run)
    for ranks, values in found:
        assert ranks == (0, 1, 1)
        for rank, value in zip(ranks, values, strict=True):
            np.testing.assert_array_equal(value, np.full_like(value, rank))
    for own in calls:
        assert [call[0] for call in own] == ["broadcast"] * 2


def test_axes_change_places_in_one_group_of_sends(space):
    layout = Layout((2,), ("a",))

    def run(world):
        def moved(x):
            x = ops.reshard(x, layout("a", "None"))
            x = ops.reshard(x * 2, layout("None", "a"))
            return x * 1, x._array.block.shape

        out, shape = network.run_on(Mesh(world), "full_batch", moved, (Tensor(X),), {})
        return shape, out.asnumpy()

    found, calls = on_gpus(2, run)
    for shape, values in found:
        assert shape == (8, 2)
        np.testing.assert_array_equal(values, 2 * X)
    for own in calls:
        exchange = [call for call in own if call[0] in ("send", "recv")]
        assert [call[0] for call in exchange] == ["send", "recv"] * 2
        assert sorted(call[3] for call in exchange) == [0, 0, 1, 1]


def test_keys_go_round_a_ring_on_a_stream_of_their_own(space):
    """Forward and backward, so that they overlap with the arithmetic."""
    given = RNG.normal(size=(1, 2, 8, 4)).astype(np.float32)

    def gradients(divide):
        def loss(*inputs):
            return ops.square(attended(*map(divide, inputs), band=(0, 8, 0))[0]).sum()

        return ms.grad(loss, (0, 1, 2))(*(Tensor(given) for _ in range(3)))

    wanted = [g.asnumpy() for g in gradients(lambda x: x)]

    def run(world):
        mesh = Mesh(world)
        call = lambda: gradients(lambda x: network.placed(x, ((), (), mesh.axes, ())))  # noqa: E731
        found = network.run_on(mesh, "full_batch", call, (), {})
        return [g.asnumpy() for g in found]

    found, calls = on_gpus(2, run, aside=("send", "recv"))
    for own in found:
        for g, other in zip(own, wanted, strict=True):
            np.testing.assert_allclose(g, other, rtol=1e-5, atol=1e-5)
    for own in calls:
        exchange = [call[0] for call in own if call[0] in ("send", "recv")]
        assert exchange == ["send", "send", "recv", "recv"] * 3  # keys twice, their gradients


def test_other_calls_on_another_rank_are_seen(space):
    def run(world):
        world.all_reduce(current_space().zeros(2 + world.rank, np.float32))

    with pytest.raises(AssertionError, match="differently"):
        on_gpus(2, run)
