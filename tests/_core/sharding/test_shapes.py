"""`reshape` of divided arrays: which divisions are kept, and how many bytes are exchanged."""

import numpy as np
import pytest
from kit.simulated_ranks import on_ranks

import mindspore_compat as ms
from mindspore_compat import Tensor, nn, ops
from mindspore_compat._core.sharding import network
from mindspore_compat._core.sharding.mesh import Mesh

B, S, C = 8, 4, 6
RNG = np.random.default_rng(0)
LOGITS = RNG.normal(size=(B, S, C)).astype(np.float32)
LABELS = RNG.integers(0, C, (B, S)).astype(np.int32)
WEIGHT = Tensor(RNG.random(C).astype(np.float32))


@pytest.mark.parametrize(
    "shape,dims,new,wanted,kinds",
    [
        ((8, 4, 6), ((0,), (1,), ()), (32, 6), ((0, 1), ()), {"all_to_all"}),
        ((8, 4, 6), ((), (1,), ()), (32, 6), ((1,), ()), {"all_to_all"}),
        ((2, 4, 6), ((0,), (1,), ()), (8, 6), ((0, 1), ()), set()),  # one row for each rank
        ((6, 4, 6), ((0,), (1,), ()), (24, 6), ((0,), ()), {"all_gather"}),  # 3 rows cannot be cut
        ((6, 8, 4), ((), (0,), (1,)), (6, 32), ((), (0, 1)), {"all_to_all"}),
        ((32, 6), ((0, 1), ()), (8, 4, 6), ((0, 1), (), ()), set()),
        ((1, 8, 4), ((), (0,), (1,)), (32,), ((0, 1),), {"all_to_all"}),
    ],
)
def test_divisions_that_stay(shape, dims, new, wanted, kinds):
    whole = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)

    def run(world):
        mesh = Mesh(world)
        space = network.space_on(mesh)
        out = space.reshape(space.shard(whole, dims), new)
        found = set(mesh.traffic)
        return out.dims, found, out.get()

    for dims_of_result, found, values in on_ranks(4, run):
        assert (dims_of_result, found) == (wanted, kinds)
        np.testing.assert_array_equal(values, whole.reshape(new))


@pytest.mark.parametrize("shape", [(8, 6), (8, 7), (36,)])  # whole words, and a part of one
def test_a_mask_of_bits_is_divided_with_its_array(shape):
    """A GPU draws the mask of dropout in 16-bit words, one bit per element."""
    mask = RNG.random(shape) < 0.7
    flat_bits = np.zeros(-(-mask.size // 16) * 16, np.uint8)
    flat_bits[: mask.size] = mask.reshape(-1)
    words = np.packbits(flat_bits, bitorder="little").view(np.uint16)
    x = RNG.normal(size=shape).astype(np.float32)
    wanted = np.where(mask, x * np.float32(1 / 0.7), x * 0)

    def run(world):
        space = network.space_on(Mesh(world))
        divided = space.shard(x, ((0, 1), *[()] * (len(shape) - 1)))
        return space.dropped(divided, space.base.asarray(words), 0.7).get()

    for found in on_ranks(4, run):
        np.testing.assert_allclose(found, wanted, rtol=1e-6)


def flat(x, y):
    return x.reshape((-1, C)), y.reshape((-1,))


LOSSES = {
    "function": lambda x, y: ops.cross_entropy(*flat(x, y)),
    "weighted": lambda x, y: ops.cross_entropy(
        *flat(x, y), weight=WEIGHT, ignore_index=1, label_smoothing=0.1
    ),
    "sum": lambda x, y: nn.CrossEntropyLoss(reduction="sum")(*flat(x, y)),
    "softmax": lambda x, y: nn.SoftmaxCrossEntropyWithLogits(True, "mean")(*flat(x, y)),
    "primitive": lambda x, y: ops.SparseSoftmaxCrossEntropyWithLogits()(*flat(x, y)),
    "channels": lambda x, y: ops.cross_entropy(x.swapaxes(1, 2), y),
    "mint": lambda x, y: ms.mint.nn.functional.cross_entropy(*flat(x, y.astype(ms.int64))),
}


@pytest.mark.parametrize("name", LOSSES)
def test_cross_entropy_of_batches_and_sequences_gathers_nothing(name):
    given = Tensor(LOGITS), Tensor(LABELS)
    gradient = ms.value_and_grad(LOSSES[name])
    wanted = [x.asnumpy() for x in gradient(*given)]

    def run(world):
        mesh = Mesh(world)

        def call(logits, labels):
            logits = network.placed(logits, ((0,), (1,), ()))
            labels = network.placed(labels, ((0,), (1,)))
            found = gradient(logits, labels)
            assert "all_gather" not in mesh.traffic, mesh.traffic
            assert found[1]._array.dims[0]
            return found

        return [x.asnumpy() for x in network.run_on(mesh, "full_batch", call, given, {})]

    for found in on_ranks(4, run):
        for own, other in zip(found, wanted, strict=True):
            np.testing.assert_allclose(own, other, rtol=1e-5, atol=1e-6)
