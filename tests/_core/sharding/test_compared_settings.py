"""What ranks compare in every step stays short, however large the network is."""

import types
import zlib

import pytest
from kit.simulated_ranks import World, on_ranks

from mindspore_compat import Tensor, nn
from mindspore_compat._backend.ranks import headers
from mindspore_compat._core.sharding import network, stages
from mindspore_compat._core.sharding.mesh import Mesh
from mindspore_compat._core.sharding.stages import Stages


class Layers(nn.Cell):
    """Layers with strategies, on the stages of a pipeline; the second half of the layers is called
    after the first."""

    def __init__(self, count, staged):
        super().__init__()
        self.layers = nn.CellList([nn.Dense(2, 2, bias_init="zeros") for _ in range(count)])
        for number, layer in enumerate(self.layers):
            layer.matmul.shard(((1, 1), (1, 1)))
            if staged:
                layer.pipeline_stage = number * 2 // count

    def construct(self, x):
        return self.layers[-1](self.layers[0](x))


class Listening(World):
    """Simulated ranks that record the lengths of the texts that they compare."""

    def __init__(self, world, lengths):
        super().__init__(world.ranks, world.own, world.shared)
        self.lengths = lengths

    def note(self, pairs, is_due=True, text=None):
        self.lengths.append(len(text or repr(pairs)))
        super().note(pairs, is_due, text)


def on_one_mesh(count, lengths):
    net = Layers(count, False)

    def run(world):
        mesh = Mesh(Listening(world, lengths))
        network.run_on(mesh, "full_batch", net, (Tensor([[1.0, 2.0]]),), {}, net)

    on_ranks(2, run)


def on_two_stages(count, lengths):
    def crc32(data):
        lengths.append(len(data))
        return zlib.crc32(data)

    def run(world):
        parts = Stages(world, 2)
        net = Layers(count, True)
        world.objects(None)  # no rank starts while the other still labels Cells
        mesh = Mesh(world, parts.ranks, parts)
        network.run_on(mesh, "full_batch", net, (Tensor([[1.0, 2.0]]),), {}, net)

    stages.zlib.crc32 = crc32
    on_ranks(2, run)


@pytest.mark.parametrize("run", [on_one_mesh, on_two_stages])
def test_what_is_compared_does_not_grow_with_the_network(run, monkeypatch):
    monkeypatch.setattr(stages, "zlib", types.SimpleNamespace(crc32=None))
    few, many = [], []
    run(4, few)
    run(400, many)
    assert few and sorted(few) == sorted(many)


def test_a_header_has_one_size():
    assert {len(headers.packed("x" * count)) for count in (1, 100, 10_000)} == {headers.SIZE}
