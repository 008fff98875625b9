"""Mixtures of experts and rotations against loops over tokens, and their gradients against
differences, in float64.
"""

import numpy
import pytest
from kit import close, close_sums
from kit.gradients import check_gradients

import mindspore_compat as ms
import mindspore_compat.ops.auto_generate as generated
from mindspore_compat import Tensor, ops
from mindspore_compat.ops._moe.grouped_matmul import expert_product
from mindspore_compat.ops._moe.token_permute import routed

RNG = numpy.random.default_rng(0)


def random(*shape, dtype="float32"):
    return RNG.standard_normal(shape).astype(dtype)


# Permuted and back --------------------------------------------------------------------------------

CHOSEN = RNG.integers(0, 4, (6, 3))


def sorted_naive(tokens, indices):
    """The copies of tokens by index, and for each copy its position."""
    copies = [(index, t) for t, row in enumerate(indices.reshape(len(tokens), -1)) for index in row]
    order = sorted(range(len(copies)), key=lambda i: (copies[i][0], i))
    positions = {i: slot for slot, i in enumerate(order)}
    return numpy.stack([tokens[copies[i][1]] for i in order]), [
        positions[i] for i in range(len(copies))
    ]


@pytest.mark.parametrize("indices", [CHOSEN, CHOSEN[:, 0]])
@pytest.mark.parametrize("dtype", ["int32", "int64"])
@pytest.mark.parametrize("count", [None, 0, 4, 100])
def test_tokens_are_sorted(indices, dtype, count):
    tokens = random(6, 5)
    found, positions = ops.moe_token_permute(Tensor(tokens), Tensor(indices.astype(dtype)), count)
    wanted, wanted_places = sorted_naive(tokens, indices)
    close(found, wanted[: count or None])
    assert positions.tolist() == wanted_places and positions.dtype == ms.int32
    again = generated.MoeTokenPermute()(Tensor(tokens), Tensor(indices.astype(dtype)), count)
    close(again[0], found.asnumpy())


def test_back_again_with_and_without_weights():
    tokens, probs = random(6, 5), RNG.random((6, 3)).astype("float32")
    found, positions = ops.moe_token_permute(Tensor(tokens), Tensor(CHOSEN))
    back = generated.MoeTokenUnpermute()(found, positions, Tensor(probs))
    close(back, tokens * probs.sum(1, keepdims=True))
    found, positions = ops.moe_token_permute(Tensor(tokens), Tensor(CHOSEN[:, 0]))
    close(ops.moe_token_unpermute(found, positions), tokens)
    half = ops.moe_token_unpermute(found.astype(ms.bfloat16), positions)
    assert half.dtype == ms.bfloat16


def test_what_was_dropped_counts_as_zeros():
    tokens, probs = random(6, 5), RNG.random((6, 3)).astype("float32")
    found, positions = ops.moe_token_permute(Tensor(tokens), Tensor(CHOSEN), 7)
    wanted = numpy.zeros((6, 5))
    for i, slot in enumerate(positions.tolist()):
        if slot < 7:
            wanted[i // 3] += tokens[i // 3] * probs[i // 3, i % 3]
    close(ops.moe_token_unpermute(found, positions, Tensor(probs)), wanted)


def test_gradients_of_permuted_tokens():
    indices = Tensor(CHOSEN)

    def fn(tokens, probs):
        found, positions = ops.moe_token_permute(tokens, indices, 14)
        return ops.moe_token_unpermute(ops.tanh(found), positions, probs)

    check_gradients(fn, RNG.standard_normal((6, 4)), RNG.random((6, 3)))


@pytest.mark.parametrize(
    "args, error",
    [
        (([1.0], Tensor(CHOSEN)), TypeError),
        ((Tensor(random(6, 5)), Tensor(random(6))), TypeError),
        ((Tensor(random(6, 5)), Tensor(CHOSEN), 1.5), TypeError),
        ((Tensor(random(6, 5)), Tensor(CHOSEN), 1, 1), TypeError),
        ((Tensor(random(6, 5)), Tensor(CHOSEN), 1, True), ValueError),
        ((Tensor(random(6, 5)), Tensor(CHOSEN), -1), ValueError),
        ((Tensor(random(6)), Tensor(CHOSEN)), ValueError),
        ((Tensor(random(6, 5)), Tensor(CHOSEN[None])), ValueError),
        ((Tensor(random(6, 5)), Tensor(numpy.ones((6, 513), "int32"))), ValueError),
        ((Tensor(random(5, 5)), Tensor(CHOSEN)), RuntimeError),
    ],
)
def test_permute_refuses(args, error):
    with pytest.raises(error):
        ops.moe_token_permute(*args)


@pytest.mark.parametrize(
    "args, error",
    [
        ((1, Tensor([0], ms.int32)), TypeError),
        ((Tensor(random(2, 5)), Tensor([0, 1])), TypeError),
        ((Tensor(random(2, 5)), Tensor([0], ms.int32)), ValueError),
        ((Tensor(random(2, 5)), Tensor([0, 1], ms.int32), Tensor(random(3, 1))), ValueError),
        ((Tensor(random(2, 5)), Tensor([0, 1], ms.int32), None, True, (2, 5)), ValueError),
    ],
)
def test_unpermute_refuses(args, error):
    with pytest.raises(error):
        ops.moe_token_unpermute(*args)


# Routing ------------------------------------------------------------------------------------------

EXPERTS = RNG.integers(0, 5, (7, 2)).astype("int32")


@pytest.mark.parametrize("active", [0, 5, 14, 99])
@pytest.mark.parametrize("flag", [0, 1, 2])
def test_rows_are_sorted_by_expert(active, flag):
    x = random(7, 3)
    found = ops.moe_init_routing_v2(Tensor(x), Tensor(EXPERTS), active, 0, 5, 0, flag, True)
    wanted, positions = sorted_naive(x, EXPERTS)
    close(found[0], wanted[: active or None])
    assert found[1].tolist() == positions and found[1].dtype == ms.int32
    counts = numpy.bincount(EXPERTS.reshape(-1), minlength=5)
    assert len(found) == 2 + bool(flag)
    if flag:
        assert found[2].tolist() == (counts.cumsum() if flag == 1 else counts).tolist()


@pytest.mark.parametrize("capacity", [1, 2, 7])
@pytest.mark.parametrize("flag", [False, True])
def test_rows_beyond_the_capacity_are_dropped(capacity, flag):
    x = random(7, 3)
    found = generated.MoeInitRoutingV2()(Tensor(x), Tensor(EXPERTS), 0, capacity, 6, 1, 2, flag)
    wanted, positions, taken = numpy.zeros((6, capacity, 3)), [], [0] * 6
    for i, expert in enumerate(EXPERTS.reshape(-1)):
        slot = taken[expert]
        taken[expert] += 1
        if slot < capacity:
            wanted[expert, slot] = x[i // 2]
        positions.append(expert * capacity + slot if slot < capacity else -1)
    close(found[0], wanted)
    assert found[1].tolist() == positions
    assert len(found) == 2 + flag and (not flag or found[2].tolist() == taken)


@pytest.mark.parametrize("mode, active", [(0, 0), (0, 5), (1, 0)])
def test_gradients_of_routed_rows(mode, active):
    experts = Tensor(EXPERTS)
    check_gradients(
        lambda x: ops.tanh(routed.run(x, experts, active, 2, 5, mode)[0]),
        RNG.standard_normal((7, 3)),
    )


X, E = Tensor(random(7, 3)), Tensor(EXPERTS)


@pytest.mark.parametrize(
    "args, error",
    [
        ((X.astype(ms.float64), E, 0, 2, 5, 0, 0, False), TypeError),
        ((X, E.astype(ms.int64), 0, 2, 5, 0, 0, False), TypeError),
        ((X, E, 0.0, 2, 5, 0, 0, False), TypeError),
        ((X, E, 0, 2, 5, 0, 0, 0), TypeError),
        ((X, E, -1, 2, 5, 0, 0, False), ValueError),
        ((X, E, 0, 2, 5, 2, 0, False), ValueError),
        ((X, E, 0, 2, 5, 0, 3, False), ValueError),
        ((X, E, 0, 8, 5, 1, 0, False), ValueError),
        ((X, E, 0, 0, 5, 1, 0, False), ValueError),
        ((X, E, 0, 2, 0, 1, 0, False), ValueError),
        ((X, E, 0, 2, 2, 1, 0, False), ValueError),
        ((X, E, 0, 2, 2, 0, 1, False), ValueError),
        ((X[0], E, 0, 2, 5, 0, 0, False), RuntimeError),
        ((X, E[:2], 0, 2, 5, 0, 0, False), RuntimeError),
    ],
)
def test_routing_refuses(args, error):
    with pytest.raises(error, match="^For 'moe_init_routing_v2'"):
        ops.moe_init_routing_v2(*args)


def test_tokens_up_to_each_expert():
    found = generated.MoeComputeExpertTokens()(Tensor([0, 0, 1, 3, 3], ms.int32), 5)
    assert found.tolist() == [2, 3, 3, 5, 5] and found.dtype == ms.int32
    for args, error in (
        ((Tensor([0.0]), 1), TypeError),
        ((Tensor([0], ms.int32), 0), ValueError),
        ((Tensor([[0]], ms.int32), 1), ValueError),
    ):
        with pytest.raises(error):
            generated.moe_compute_expert_tokens(*args)


# Merged -------------------------------------------------------------------------------------------


def finalized(expanded, x1, x2, bias, scales, rows, experts):
    out = x1 + (0 if x2 is None else x2)
    for i, k in numpy.ndindex(*scales.shape):
        out[i] += scales[i, k] * (expanded[rows[i + k * len(x1)]] + bias[experts[i, k]])
    return out


ROWS = RNG.permutation(8).astype("int32")
OWN = RNG.integers(0, 3, (4, 2)).astype("int32")


@pytest.mark.parametrize("second", [False, True])
def test_experts_are_merged(second):
    floats = [
        random(8, 5),
        random(4, 5),
        random(4, 5) if second else None,
        random(3, 5),
        random(4, 2),
    ]
    wanted = finalized(*[x if x is None else x.copy() for x in floats], ROWS, OWN)
    given = [x if x is None else Tensor(x) for x in floats]
    close_sums(generated.MoeFinalizeRouting()(*given, Tensor(ROWS), Tensor(OWN)), wanted)
    half = [x if x is None else x.astype(ms.float16) for x in given]
    found = generated.moe_finalize_routing(*half, Tensor(ROWS), Tensor(OWN))
    assert found.dtype == ms.float16
    close(found, wanted, 1e-2)


def test_gradients_of_merged_experts():
    positions = Tensor(ROWS), Tensor(OWN)
    check_gradients(
        lambda *floats: generated.moe_finalize_routing(*floats, *positions),
        *[RNG.standard_normal(s) for s in [(8, 3), (4, 3), (4, 3), (3, 3), (4, 2)]],
    )


@pytest.mark.parametrize(
    "at, change, error",
    [
        (3, None, TypeError),
        (4, None, TypeError),
        (5, None, TypeError),
        (6, None, TypeError),
        (1, Tensor(random(4, 5)).astype(ms.float16), TypeError),
        (0, Tensor(random(7, 5)), ValueError),
        (3, Tensor(random(3, 4)), ValueError),
        (5, Tensor(ROWS[:7]), ValueError),
        (2, Tensor(random(3, 5)), ValueError),
    ],
)
def test_merging_refuses(at, change, error):
    given = [
        Tensor(x)
        for x in (random(8, 5), random(4, 5), random(4, 5), random(3, 5), random(4, 2), ROWS, OWN)
    ]
    given[at] = change
    with pytest.raises(error, match="^For 'moe_finalize_routing'"):
        generated.moe_finalize_routing(*given)


# Grouped products ---------------------------------------------------------------------------------

ENDS = Tensor([2, 2, 6], ms.int64)


@pytest.mark.parametrize("dtype, tolerance", [("float32", 1e-5), ("float16", 1e-2)])
@pytest.mark.parametrize("turn", [(False, False), (True, True)])
def test_each_expert_has_its_matrix(dtype, tolerance, turn):
    x, weight, bias = random(6, 4), random(3, 4, 5), random(3, 5)
    wanted = numpy.concatenate(
        [x[a:b] @ weight[i] + bias[i] for i, (a, b) in enumerate([(0, 2), (2, 2), (2, 6)])]
    )
    given = [
        Tensor(one.astype(dtype))
        for one in (x.T if turn[0] else x, weight.swapaxes(1, 2) if turn[1] else weight, bias)
    ]
    primitive = generated.GroupedMatmul(3, 0, *turn)
    (found,) = primitive(*[[one] for one in given], group_list=ENDS)
    close(found, wanted, tolerance)
    assert found.dtype == given[0].dtype


def test_pairs_of_matrices():
    x = [random(2, 3, 4), random(5, 2)]
    weight, bias = [random(4, 3), random(2, 6)], [random(3), random(6)]
    given = [[Tensor(one) for one in several] for several in (x, weight, bias)]
    for found, a, w, b in zip(generated.GroupedMatmul()(*given), x, weight, bias):
        close(found, a @ w + b)


def test_weights_of_a_byte():
    x, weight = random(6, 4, dtype="float16"), RNG.integers(-8, 8, (3, 4, 5)).astype("int8")
    scale, shift = random(3, 5, dtype="float16"), random(3, 5, dtype="float16")
    (found,) = generated.grouped_matmul(
        [Tensor(x)],
        [Tensor(weight)],
        antiquant_scale=[Tensor(scale)],
        antiquant_offset=[Tensor(shift)],
        group_list=ENDS,
        split_item=3,
        group_type=0,
    )
    wide = [one.astype("float64") for one in (x, weight, scale, shift)]
    wanted = numpy.concatenate(
        [
            wide[0][a:b] @ (wide[1][i] + wide[3][i]) * wide[2][i]
            for i, (a, b) in enumerate([(0, 2), (2, 2), (2, 6)])
        ]
    )
    close_sums(found, wanted)


def test_gradients_of_grouped_products():
    check_gradients(
        lambda x, w, b: generated.grouped_matmul(
            [x], [w], [b], group_list=ENDS, split_item=3, group_type=0
        )[0],
        *[RNG.standard_normal(s) for s in [(6, 3), (3, 3, 2), (3, 2)]],
    )
    check_gradients(
        lambda *given: expert_product.run(*given),
        *[RNG.standard_normal(s) for s in [(4, 3), (3, 2), (2,), (2,), (2,)]],
    )


@pytest.mark.parametrize(
    "change, error",
    [
        (dict(split_item=1), TypeError),
        (dict(group_type=-1), TypeError),
        (dict(group_list=None), TypeError),
        (dict(x=Tensor(random(6, 4))), TypeError),
        (dict(group_list=Tensor([2, 2, 6], ms.int32)), TypeError),
        (dict(transpose_a=1), TypeError),
        (dict(scale=[Tensor(random(3, 5))]), ValueError),
        (dict(offset=[Tensor(random(3, 5))]), ValueError),
        (dict(group_list=Tensor([2, 6], ms.int64)), ValueError),
        (dict(group_list=Tensor([2, 2, 5], ms.int64)), ValueError),
        (dict(group_list=Tensor([2, 1, 6], ms.int64)), ValueError),
        (dict(weight=[Tensor(random(4, 5))]), ValueError),
        (dict(weight=[Tensor(random(3, 4, 5))] * 2), ValueError),
        (dict(x=[Tensor(random(6, 3))]), ValueError),
        (dict(x=[Tensor(random(1, 6, 4))]), ValueError),
        (dict(split_item=0, group_type=-1), ValueError),
    ],
)
def test_grouped_products_refuse(change, error):
    given = dict(
        x=[Tensor(random(6, 4))],
        weight=[Tensor(random(3, 4, 5))],
        group_list=ENDS,
        split_item=3,
        group_type=0,
    )
    with pytest.raises(error, match="^For 'grouped_matmul'"):
        generated.grouped_matmul(**{**given, **change})


@pytest.mark.parametrize("kind", [0, 1])
def test_the_fourth_form_takes_ends_or_lengths_and_fewer_rows(kind):
    x, weight, bias = random(6, 4), random(3, 4, 5), random(3, 5)
    groups = Tensor([1, 1, 4] if kind == 0 else [1, 0, 3], ms.int64)
    (found,) = generated.GroupedMatmulV4()(
        [Tensor(x)],
        [Tensor(weight)],
        [Tensor(bias)],
        group_list=groups,
        split_item=3,
        group_type=0,
        group_list_type=kind,
    )
    wanted = numpy.concatenate(
        [x[:1] @ weight[0] + bias[0], x[1:4] @ weight[2] + bias[2], numpy.zeros((2, 5))]
    )
    close(found, wanted)


def test_products_of_bytes():
    x, weight = (RNG.integers(-9, 9, s).astype("int8") for s in ((6, 4), (3, 4, 5)))
    bias, scale = RNG.integers(-9, 9, (3, 5)).astype("int32"), random(3, 5)
    by_row = random(6)
    (found,) = generated.grouped_matmul_v4(
        [Tensor(x)],
        [Tensor(weight)],
        [Tensor(bias)],
        [Tensor(scale).astype(ms.bfloat16)],
        pre_token_scale=[Tensor(by_row)],
        group_list=ENDS,
        split_item=3,
        group_type=0,
    )
    wanted = numpy.concatenate(
        [
            (x[a:b].astype(int) @ weight[i].astype(int) + bias[i]) * scale[i] * by_row[a:b, None]
            for i, (a, b) in enumerate([(0, 2), (2, 2), (2, 6)])
        ]
    )
    assert found.dtype == ms.bfloat16
    # Scales and results are bfloat16.
    numpy.testing.assert_allclose(found.astype(ms.float32).asnumpy(), wanted, 2e-2, 1e-2)


@pytest.mark.parametrize(
    "change, error",
    [
        (dict(split_item=1), TypeError),
        (dict(group_list_type=2), TypeError),
        (dict(group_list=None), TypeError),
        (dict(act_type=1), ValueError),
        (dict(offset=[Tensor(random(3, 5))]), ValueError),
        (dict(scale=[Tensor(random(3, 5))]), ValueError),
        (dict(antiquant_scale=[Tensor(random(3, 5))]), ValueError),
        (dict(activation_input=[Tensor(random(3, 5))]), ValueError),
        (dict(group_list=Tensor([2, 2, 7], ms.int64)), ValueError),
    ],
)
def test_the_fourth_form_refuses(change, error):
    given = dict(
        x=[Tensor(random(6, 4))],
        weight=[Tensor(random(3, 4, 5))],
        group_list=ENDS,
        split_item=3,
        group_type=0,
    )
    with pytest.raises(error, match="^For 'grouped_matmul_v4'"):
        generated.grouped_matmul_v4(**{**given, **change})


# Rotations ----------------------------------------------------------------------------------------


def turned(x, cos, sin, mode):
    """Pair by pair."""
    out, half = numpy.zeros_like(x), x.shape[-1] // 2
    pairs = (
        [(i, i + half) for i in range(half)]
        if mode == 0
        else [(2 * i, 2 * i + 1) for i in range(half)]
    )
    for a, b in pairs:
        out[..., a] = x[..., a] * cos[..., a] - x[..., b] * sin[..., a]
        out[..., b] = x[..., b] * cos[..., b] + x[..., a] * sin[..., b]
    return out


@pytest.mark.parametrize("mode", [0, 1])
@pytest.mark.parametrize("shape", [(1, 1, 4, 6), (2, 1, 4, 6), (2, 3, 4, 6)])
def test_pairs_are_turned(mode, shape):
    x, cos, sin = random(2, 3, 4, 6), random(*shape), random(*shape)
    found = ops.rotary_position_embedding(Tensor(x), Tensor(cos), Tensor(sin), mode)
    close(found, turned(x, cos, sin, mode))
    given = [Tensor(one.astype("float16")) for one in (x, cos, sin)]
    half = generated.RotaryPositionEmbedding()(*given, mode)
    assert half.dtype == ms.float16
    close(half, turned(x, cos, sin, mode), 2e-2)


@pytest.mark.parametrize("mode", [0, 1])
def test_gradients_of_rotations(mode):
    check_gradients(
        lambda *given: ops.rotary_position_embedding(*given, mode),
        *[RNG.standard_normal(s) for s in [(2, 2, 3, 4), (1, 1, 3, 4), (1, 1, 3, 4)]],
    )


@pytest.mark.parametrize(
    "args, error",
    [
        ((1, X, X), TypeError),
        ((X, 1, X), TypeError),
        ((X, X, 1), TypeError),
        ((X, X, X, "0"), TypeError),
        ((X, X, X), ValueError),
        ((Tensor(random(1, 1, 2, 3)), X, X), ValueError),
        ((Tensor(random(1, 1, 2, 4)),) * 3 + (2,), ValueError),
    ],
)
def test_rotations_refuse(args, error):
    with pytest.raises(error):
        ops.rotary_position_embedding(*args)
