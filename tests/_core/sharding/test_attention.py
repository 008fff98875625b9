"""Attention over divided batches, heads and sequences: the results and gradients of one process,
and no more bytes than the keys and values of a divided sequence.
"""

import numpy as np
import pytest
from kit.simulated_ranks import on_ranks

import mindspore_compat as ms
from mindspore_compat import Tensor, ops
from mindspore_compat._core.sharding import network
from mindspore_compat._core.sharding.mesh import Mesh

RNG = np.random.default_rng(0)
B, N, S, D = 2, 4, 16, 8
QUERY, KEY, VALUE, FLOW = (RNG.normal(size=(B, N, S, D)).astype(np.float16) for _ in range(4))
MASK = np.triu(np.ones((S, S), np.uint8), 1)
DIVISIONS = [(2, 1, 1), (1, 2, 1), (2, 2, 1), (1, 1, 2), (1, 1, 4), (2, 1, 2), (1, 2, 2), (2, 2, 2)]


def plain(q, k, v):
    return ops.flash_attention_score(q, k, v, N, input_layout="BNSD", scalar_value=0.3)


def masked(q, k, v):
    mask = Tensor(MASK)
    return ops.flash_attention_score(
        q, k, v, N, attn_mask=mask, input_layout="BNSD", scalar_value=0.3
    )


def banded(q, k, v):
    """The band skips keys by the positions of the queries in the whole sequence."""
    mask = Tensor(np.tril(np.ones((2048, 2048), np.uint8)))
    return ops.flash_attention_score(
        q, k, v, N, attn_mask=mask, sparse_mode=2, input_layout="BNSD", scalar_value=0.3
    )


def shifted(q, k, v):
    shift = Tensor(RNG.normal(size=(B, N, S, S)).astype(np.float16) * 0 + MASK.astype(np.float16))
    return ops.flash_attention_score(
        q, k, v, N, real_shift=shift, input_layout="BNSD", scalar_value=0.3
    )


def dropped(q, k, v):
    bits = Tensor(np.random.default_rng(3).integers(0, 256, (B, N, S, S // 8)).astype(np.uint8))
    return ops.flash_attention_score(
        q, k, v, N, drop_mask=bits, keep_prob=0.5, input_layout="BNSD", scalar_value=0.3
    )


def results(attend, *inputs):
    """The attention, and its gradients with respect to the queries, keys and values."""
    flow = Tensor(FLOW)
    gradients = ms.grad(lambda *inputs: (attend(*inputs) * flow).sum(), (0, 1, 2))
    return attend(*inputs), *gradients(*inputs)


@pytest.mark.parametrize("kind", [plain, masked, banded, shifted, dropped])
@pytest.mark.parametrize("batch,heads,steps", DIVISIONS)
def test_divided_attention(kind, batch, heads, steps):
    inputs = tuple(map(Tensor, (QUERY, KEY, VALUE)))
    wanted = [x.asnumpy() for x in results(kind, *inputs)]
    divided = ms.parallel.shard(kind, ((batch, heads, steps, 1),) * 3)

    def run(world):
        found = network.run_on(
            Mesh(world), "full_batch", lambda *inputs: results(divided, *inputs), inputs, {}
        )
        return [x.asnumpy() for x in found]

    for found in on_ranks(batch * heads * steps, run):
        for own, other in zip(found, wanted, strict=True):
            np.testing.assert_allclose(own, other, rtol=2e-3, atol=2e-3)


@pytest.mark.parametrize("batch,heads,steps", DIVISIONS)
def test_exchanged_bytes(batch, heads, steps):
    """Divided batches and heads exchange nothing. With a divided sequence, each rank receives the
    keys and values of the other parts."""
    ranks = batch * heads * steps
    strategy = ((batch, heads, steps, 1),)
    divided = ms.parallel.shard(banded, strategy * 3, strategy)

    def run(world):
        mesh = Mesh(world)
        share = {}

        def attend(*inputs):
            out = divided(*inputs)
            share.update(mesh.traffic)
            return out

        network.run_on(mesh, "full_batch", attend, tuple(map(Tensor, (QUERY, KEY, VALUE))), {})
        return share

    own = 2 * KEY.nbytes // (batch * heads)  # keys and values
    for share in on_ranks(ranks, run):
        assert sum(share.values()) == own * (steps - 1) // steps


@pytest.mark.parametrize("layout", ["BNSD", "BSH", "BSND", "SBH"])
@pytest.mark.parametrize("whole_keys", [False, True])
def test_the_primitive_has_a_strategy(layout, whole_keys):
    """This includes its masks; the sequence of the keys may stay whole."""
    order = {"BNSD": (0, 1, 2, 3), "BSH": (0, 2, 1, 3), "BSND": (0, 2, 1, 3), "SBH": (2, 0, 1, 3)}
    parts = {"B": 2, "N": 1, "S": 2, "D": 1, "H": 1}

    def laid_out(x):
        x = np.ascontiguousarray(x.transpose(order[layout]))
        return Tensor(x.reshape((*x.shape[:2], -1)) if "H" in layout else x)

    inputs = tuple(map(laid_out, (QUERY, KEY, VALUE)))
    query = tuple(parts[letter] for letter in layout)
    key = tuple(1 if letter == "S" and whole_keys else parts[letter] for letter in layout)
    mask = Tensor(np.broadcast_to(MASK, (B, 1, S, S)).copy())

    def attend(attention):
        return lambda *inputs: attention(*inputs, None, None, None, mask)[::3]

    wanted = [x.asnumpy() for x in attend(ops.FlashAttentionScore(N, input_layout=layout))(*inputs)]

    def run(world):
        attention = ops.FlashAttentionScore(N, input_layout=layout)
        attention.shard((query, key, key, (2, 1, 2, 1)))
        found = network.run_on(Mesh(world), "full_batch", attend(attention), inputs, {})
        return [x.asnumpy() for x in found]

    for found in on_ranks(4, run):
        for own, other in zip(found, wanted, strict=True):
            np.testing.assert_allclose(own, other, rtol=2e-3, atol=2e-3)


ENDS = (5, 6, 16, 32)  # of the joined sequences
TRIANGLE = Tensor(np.tril(np.ones((2048, 2048), np.uint8)))
JOINED = {
    "plain": {},
    "triangle": {"attn_mask": TRIANGLE, "sparse_mode": 2},
    "band": {"attn_mask": TRIANGLE, "sparse_mode": 4, "pre_tokens": 3, "next_tokens": 1},
}


def joined(kind, layout, query_heads, key_heads):
    """Attention of joined sequences, and its inputs."""
    steps, rng = ENDS[-1], np.random.default_rng(query_heads)
    inputs = [rng.normal(size=(steps, n, D)) for n in (query_heads, key_heads, key_heads)]
    if layout == "TH":
        inputs = [x.reshape((steps, -1)) for x in inputs]
    mode = dict(JOINED[kind])
    mask = mode.pop("attn_mask", None)
    attention = ops.FlashAttentionScore(query_heads, scale_value=0.3, input_layout=layout, **mode)

    def attend(*inputs):
        return attention(*inputs, None, None, None, mask, None, ENDS, ENDS)

    return attention, attend, [Tensor(x.astype(np.float16)) for x in inputs]


@pytest.mark.parametrize("kind", JOINED)
@pytest.mark.parametrize(
    "layout,strategy,key_heads",
    [
        ("TND", (4, 1, 1), 4),
        ("TND", (2, 2, 1), 4),
        ("TND", (4, 1, 1), 2),  # two of four ranks have the same heads
        ("TND", (4, 1, 1), 1),  # no heads to divide
        ("TH", (4, 1), 4),
    ],
)
def test_joined_sequences(kind, layout, strategy, key_heads):
    """Ranks that divide the steps exchange arrays so that they divide the heads, then exchange
    back."""
    attention, attend, inputs = joined(kind, layout, 4, key_heads)

    def results(*inputs):
        def total(*inputs):
            return (attend(*inputs)[3].astype(ms.float32) ** 2).sum()

        top, sums, _, out = attend(*inputs)
        return top, sums, out, *ms.grad(total, (0, 1, 2))(*inputs)

    wanted = [x.asnumpy() for x in results(*inputs)]
    attention.shard((strategy,) * 3)

    def run(world):
        found = network.run_on(Mesh(world), "full_batch", results, tuple(inputs), {})
        return [x.asnumpy() for x in found]

    for found in on_ranks(4, run):
        for own, other in zip(found, wanted, strict=True):
            np.testing.assert_allclose(own, other, rtol=2e-3, atol=2e-3)


@pytest.mark.parametrize("ranks", [2, 4])
def test_exchanged_bytes_of_joined_sequences(ranks):
    """An all-to-all exchanges the share of a rank except its own part, for three inputs and the
    output."""
    attention, attend, inputs = joined("triangle", "TND", 4, 4)
    attention.shard(((ranks, 1, 1),) * 3)

    def run(world):
        mesh, out = Mesh(world), {}

        def call(*inputs):
            result = attend(*inputs)[3]
            out.update(mesh.traffic, dims=result._array.dims)
            return result

        network.run_on(mesh, "full_batch", call, tuple(inputs), {})
        return out

    share = inputs[0].nbytes // ranks
    for found in on_ranks(ranks, run):
        assert found.pop("dims")[0] and found == {"all_to_all": 4 * share * (ranks - 1) // ranks}
