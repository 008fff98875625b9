"""Ring attention: its results and gradients equal those of one process in float32. The tests also
check the bytes sent, the order of sends and arithmetic, and the number of keys that a rank holds.
"""

import tracemalloc

import numpy as np
import pytest
from kit.simulated_ranks import World, on_ranks

import mindspore_compat as ms
from mindspore_compat import Tensor, nn, ops
from mindspore_compat._core.sharding import network, ring
from mindspore_compat._core.sharding.mesh import Mesh
from mindspore_compat.ops._attention import ring as ring_attention

B, G, H, S, D, E = 2, 2, 3, 32, 8, 4  # batches, key heads, queries' heads per key head, ...
RNG = np.random.default_rng(0)


def normal(*shape):
    return RNG.normal(size=shape).astype(np.float32)


QUERY, KEY, VALUE = normal(B, G, H, S, D), normal(B, G, 1, S, D), normal(B, G, 1, S, E)
FLOW, SHIFT = normal(B, G, H, S, E), normal(B, 1, 1, S, S)
BARRED = RNG.random((B, 1, H, S, S)) < 0.4
BARRED[:, :, :, 5] = True  # a query without a key
BITS = RNG.integers(0, 256, (B, G, H, S, S // 8)).astype(np.uint8)
KINDS = {
    "plain": {},
    "barred": {"barred": Tensor(BARRED)},
    "shift": {"shift": Tensor(SHIFT), "scale": 0.5, "shift_first": True},
    "row": {"shift": Tensor(SHIFT[..., :1, :])},
    "dropout": {"bits": Tensor(BITS), "keep_prob": 0.6},
    "causal": {"band": (0, S, 0)},
    "window": {"band": (-3, 4, 2)},
}


def attended(kind):
    """Returns a function of `divide` that computes one kind of attention on divided inputs, and its
    gradients for queries, keys, values and shift."""
    settings = dict(KINDS[kind])
    shift = settings.pop("shift", None)
    given = [Tensor(x) for x in (QUERY, KEY, VALUE)] + ([] if shift is None else [shift])

    def attend(*inputs):
        out, _ = ring_attention.attended(*inputs, **settings)
        return out

    def results(divide):
        def product(*inputs):
            return (attend(*map(divide, inputs)) * Tensor(FLOW)).sum()

        positions = tuple(range(len(given)))
        return attend(*map(divide, given)), *ms.grad(product, positions)(*given)

    return results


def by_rows(axes):
    """Divides the rows of a Tensor along some mesh axes."""

    def divide(x):
        return x if x.shape[-2] == 1 else network.placed(x, ((), (), (), axes, ()))

    return divide


@pytest.mark.parametrize("ranks", [2, 4])
@pytest.mark.parametrize("kind", KINDS)
def test_results_and_gradients_of_one_process(kind, ranks):
    results = attended(kind)
    wanted = [x.asnumpy() for x in results(lambda x: x)]

    def run(world):
        mesh = Mesh(world)
        divided = by_rows(mesh.axes)
        found = network.run_on(mesh, "full_batch", lambda: results(divided), (), {})
        assert mesh.traffic["ring"] > 0
        return [x.asnumpy() for x in found]

    for found in on_ranks(ranks, run):
        for own, other in zip(found, wanted, strict=True):
            np.testing.assert_allclose(own, other, rtol=1e-5, atol=1e-5)


def test_heads_and_sequence_divided_together():
    """The gradients of keys that several heads share are summed over the ranks that divide these
    heads."""
    settings, heads = {"band": (0, S, 0)}, 2
    query = normal(B, G, heads, S, D)
    given = [Tensor(x) for x in (query, KEY, VALUE)]

    def product(*inputs):
        return ops.square(ring_attention.attended(*inputs, **settings)[0]).sum()

    wanted = [x.asnumpy() for x in ms.grad(product, (0, 1, 2))(*given)]

    def run(world):
        def divided(query, key, value):
            query = network.placed(query, ((), (), (0,), (1,), ()))
            key, value = (network.placed(x, ((), (), (), (1,), ())) for x in (key, value))
            return product(query, key, value)

        call = ms.grad(divided, (0, 1, 2))
        mesh = Mesh(world)
        found = network.run_on(mesh, "full_batch", call, tuple(given), {})
        assert mesh.traffic["ring"] > 0
        return [x.asnumpy() for x in found]

    for found in on_ranks(4, run):
        for own, other in zip(found, wanted, strict=True):
            np.testing.assert_allclose(own, other, rtol=1e-5, atol=2e-5)


@pytest.mark.parametrize("kind", ["plain", "barred"])
def test_second_gradients(kind):
    settings = KINDS[kind]
    key, value = Tensor(KEY), Tensor(VALUE)

    def second(divide):
        def first(query):
            def product(x):
                inputs = map(divide, (x, key, value))
                return ops.square(ring_attention.attended(*inputs, **settings)[0]).sum()

            return ops.square(ms.grad(product)(query)).sum()

        return ms.grad(first)(Tensor(QUERY))

    wanted = second(lambda x: x).asnumpy()

    def run(world):
        mesh = Mesh(world)
        call = lambda: second(by_rows(mesh.axes))  # noqa: E731
        return network.run_on(mesh, "full_batch", call, (), {}).asnumpy()

    for found in on_ranks(2, run):
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("ranks", [2, 4])
def test_bytes_of_a_forward_and_of_a_backward_pass(ranks):
    """A rank receives n - 1 blocks of keys and values in each pass. In the backward pass it also
    receives as many blocks of their gradients."""
    key, value = normal(B, G, H, S, D), normal(B, G, H, S, D)
    given = tuple(map(Tensor, (normal(B, G, H, S, D), key, value)))

    def run(world):
        mesh = Mesh(world)
        divided, counts = by_rows(mesh.axes), []

        def loss(*inputs):
            out, _ = ring_attention.attended(*inputs)
            counts.append(mesh.traffic["ring"])
            return out.sum()

        def step(*inputs):
            return ms.grad(loss, (0, 1, 2))(*map(divided, inputs))

        network.run_on(mesh, "full_batch", step, given, {})
        return counts[0], mesh.traffic["ring"] - counts[0]

    own = (key.nbytes + value.nbytes) // ranks
    assert on_ranks(ranks, run) == [((ranks - 1) * own, 2 * (ranks - 1) * own)] * ranks


class Traced(World):
    """Simulated ranks that list what they send and wait for."""

    events = None

    def subgroup(self, ranks):
        return self

    def send(self, array, to, tag=0):
        self.events.append("send")
        return super().send(array, to, tag)


def test_keys_leave_before_they_are_used(monkeypatch):
    """While a rank computes with a block of keys, that block and the next one are in transit."""
    events = {}
    original = ring.Passing.wait

    def run(world):
        traced = Traced(world.ranks, world.own, world.shared)
        traced.events = own = events.setdefault(world.own, [])

        def wait(passing):
            passing.group.events.append("wait")
            return original(passing)

        monkeypatch.setattr(ring.Passing, "wait", wait)
        mesh = Mesh(traced)

        def function(xp, row, key, rows, keys, state):
            own.append(f"keys {key // keys[0].shape[-2]}")
            return [rows[0]], []

        space = network.space_on(mesh)
        dims = ((), (), (), mesh.axes, ())
        x = space.shard(KEY, dims)
        space.over_keys(function, [x], [x])

    on_ranks(4, run)
    assert events[0] == ["send", "keys 0", "wait", "send", "keys 3", "wait"] + (
        ["send", "keys 2", "wait", "keys 1"]
    )


def test_the_layer_of_attention_in_a_ring():
    """`nn.MultiheadAttention` in float32, with the sequence of all its inputs divided."""
    layer = nn.MultiheadAttention(8, 2, batch_first=True).set_train(False)
    x = Tensor(normal(2, 16, 8))
    wanted = layer(x, x, x, need_weights=False)[0].asnumpy()

    def run(world):
        mesh = Mesh(world)

        def call(x):
            x = network.placed(x, ((), mesh.axes, ()))
            return layer(x, x, x, need_weights=False)[0]

        out = network.run_on(mesh, "full_batch", call, (x,), {})
        return out.asnumpy(), dict(mesh.traffic)

    for out, traffic in on_ranks(2, run):
        np.testing.assert_allclose(out, wanted, rtol=1e-5, atol=1e-6)
        assert traffic["ring"] == 2 * x.nbytes // 2


def peak_of_a_rank(ranks):
    """Returns the peak of the bytes that a forward and a backward pass allocate, for 64 rows on
    each rank."""
    whole, before = np.ones((1, 1, 1, 64 * ranks, 512), np.float32), []

    def run(world):
        mesh = Mesh(world)

        def call():
            inputs = [by_rows(mesh.axes)(Tensor(whole)) for _ in range(3)]
            world.objects(None)
            if world.rank == 0:
                tracemalloc.reset_peak()
                before.append(tracemalloc.get_traced_memory()[0])
            world.objects(None)
            ms.grad(lambda *x: ring_attention.attended(*x)[0].sum(), (0, 1, 2))(*inputs)
            world.objects(None)

        network.run_on(mesh, "full_batch", call, (), {})

    tracemalloc.start()
    try:
        on_ranks(ranks, run)
        return (tracemalloc.get_traced_memory()[1] - before[0]) / ranks
    finally:
        tracemalloc.stop()


def test_memory_follows_the_own_rows_and_not_the_length_of_the_sequence():
    block = 64 * 512 * 4
    few, many = peak_of_a_rank(4), peak_of_a_rank(16)
    assert many < 1.2 * few
    assert many < 20 * block  # with all keys, values and their gradients more than 64


def test_layers_on_a_divided_sequence_exchange_no_activations():
    """Products and normalizations of a batch and a sequence that are both divided, and their
    gradients."""
    x, w, v = normal(2, 16, 8), normal(8, 8), normal(8)

    def loss(x, w, v):
        y = ops.layer_norm(ops.gelu(ops.dense(x, w, v)), (8,), v, v)
        y = ops.LayerNorm(2, 2)(ops.matmul(y, w), v, v)[0]
        return ops.square(ops.rms_norm(y, v)[0]).sum()

    def gradients(divide):
        inputs = list(map(Tensor, (x, w, v)))
        inputs[0] = divide(inputs[0])
        return ms.grad(loss, (0, 1, 2))(*inputs)

    wanted = [g.asnumpy() for g in gradients(lambda x: x)]

    def run(world):
        mesh = Mesh(world)
        call = lambda: gradients(lambda x: network.placed(x, ((0,), (1,), ())))  # noqa: E731
        found = network.run_on(mesh, "full_batch", call, (), {})
        return [g.asnumpy() for g in found], dict(mesh.traffic)

    for found, traffic in on_ranks(4, run):
        for own, other in zip(found, wanted, strict=True):
            np.testing.assert_allclose(own, other, rtol=1e-4, atol=1e-4)
        assert traffic["all_gather"] == 3 * x.nbytes // 4  # of the result
        assert traffic["all_reduce"] == 2 * 3 * (w.nbytes + v.nbytes) // 4
