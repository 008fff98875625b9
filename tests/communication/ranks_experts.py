"""Checks of tokens that ranks send to experts and back; test_experts_ranks.py starts them through
mpiexec and reads the output. Every rank draws the data of all ranks, and computes by loops the
values that it must receive.
"""

import numpy
from kit import close
from kit.rank_checks import check, run_named_checks

import mindspore_compat as ms
from mindspore_compat import Tensor, communication, ops

communication.init()
RANK, SIZE = communication.get_rank(), communication.get_group_size()
WORLD = communication.GlobalComm.WORLD_COMM_GROUP
WIDTH, COPIES = 6, 3


def drawn(counts, experts, seed=0):
    """For each rank its tokens, their experts and their scales."""
    rng = numpy.random.default_rng(seed)
    return [
        (
            rng.standard_normal((n, WIDTH)).astype("float16"),
            numpy.stack([rng.permutation(experts)[:COPIES] for _ in range(n)]).astype("int32"),
            rng.uniform(0.1, 1, (n, COPIES)).astype("float32"),
        )
        for n in counts
    ]


def arrivals(given, rank, per_rank, holders=0):
    """Returns the rows that a rank receives, sorted by expert, source and token: (source, token,
    copy or None, expert)."""
    found = []
    if rank < holders:
        served = len(given) // holders
        for source in range(rank * served, (rank + 1) * served):
            found += [(source, t, None, 0) for t in range(len(given[source][0]))]
        return found
    for expert in range((rank - holders) * per_rank, (rank - holders + 1) * per_rank):
        for source, (_, ids, _) in enumerate(given):
            found += [
                (source, t, k, expert)
                for t, row in enumerate(ids)
                for k, chosen in enumerate(row)
                if chosen == expert
            ]
    return found


def worked(rows, rank, arrived, holders=0):
    """Returns the results of the experts for their rows: each expert adds and multiplies its own
    numbers."""
    out = numpy.array(rows, "float64")
    for i, (_, _, k, expert) in enumerate(arrived):
        out[i] = out[i] * 3 - 1 if k is None else out[i] * (expert + 1) + expert
    return out


def wanted(x, ids, scales, shared):
    found = numpy.zeros(x.shape)
    for t, row in enumerate(x.astype("float64")):
        for k, expert in enumerate(ids[t]):
            found[t] += scales[t, k] * (row * (expert + 1) + expert)
        found[t] += row * 3 - 1 if shared else 0
    return found


def there_and_back(counts, experts, holders=0, global_bs=0, travel=False, kind=0):
    given = drawn(counts, experts)
    x, ids, scales = given[RANK]
    own = experts // (SIZE - holders)
    more = dict(group_ep=WORLD, shared_expert_num=int(holders > 0), global_bs=global_bs)
    found = ops.moe_distribute_dispatch(
        Tensor(x),
        Tensor(ids),
        SIZE,
        RANK,
        experts,
        Tensor(scales),
        shared_expert_rank_num=holders,
        expert_token_nums_type=kind,
        **more,
    )
    rows, units, idx, nums, received, parts, weights = found
    arrived = arrivals(given, RANK, own, holders)
    total = global_bs or len(x) * SIZE
    room = total // holders if RANK < holders else total * min(own, COPIES)
    assert rows.shape == (room, WIDTH) and rows.dtype == ms.float16
    close(rows[: len(arrived)], [given[s][0][t] for s, t, _, _ in arrived], 0)
    assert (rows[len(arrived) :] == 0).all() and units.size == parts.size == 0
    close(
        weights[: len(arrived)],
        [1 if k is None else given[s][2][t, k] for s, t, k, _ in arrived],
        0,
    )
    assert weights.shape == (room,) and (weights[len(arrived) :] == 0).all()
    own_experts = (
        [0] if RANK < holders else range((RANK - holders) * own, (RANK - holders + 1) * own)
    )
    by_expert = [
        [sum(s == source and e == expert for s, _, _, e in arrived) for source in range(SIZE)]
        for expert in own_experts
    ]
    assert received.tolist() == [n for each in by_expert for n in each]
    sums = [sum(each) for each in by_expert]
    assert nums.tolist() == (sums if kind else numpy.cumsum(sums).tolist())
    assert nums.dtype == ms.int64 and received.dtype == idx.dtype == ms.int32
    results = Tensor(worked(rows.asnumpy(), RANK, arrived, holders).astype("float16"))
    out = ops.moe_distribute_combine(
        results,
        Tensor(ids),
        idx,
        received,
        Tensor(scales),
        SIZE,
        RANK,
        experts,
        expand_scales=weights if travel else None,
        shared_export_rank_num=holders,
        **more,
    )
    assert out.shape == x.shape and out.dtype == ms.float16
    close(out, wanted(x, ids, scales, holders > 0), 2e-2)


@check
def experts_of_all_ranks():
    there_and_back([5] * SIZE, SIZE)
    there_and_back([5] * SIZE, 2 * SIZE, kind=1)
    there_and_back([5] * SIZE, 2 * SIZE, travel=True)


@check
def different_numbers_of_tokens():
    counts = [4 + 3 * rank for rank in range(SIZE)]
    there_and_back(counts, 2 * SIZE, global_bs=sum(counts))
    try:
        there_and_back(counts, 2 * SIZE)
    except ValueError as error:
        assert "global_bs" in str(error)
    else:
        raise AssertionError("no refusal")


@check
def a_shared_expert():
    there_and_back([5] * SIZE, 3 * (SIZE - SIZE // 2), SIZE // 2)
    there_and_back([5] * SIZE, 2 * (SIZE - 1), 1, kind=1, travel=True)


@check
def rows_in_bytes():
    experts = 2 * SIZE
    given = drawn([5] * SIZE, experts)
    factors = numpy.random.default_rng(7).uniform(0.5, 2, (experts, WIDTH)).astype("float32")
    x, ids, _ = given[RANK]
    for scales in (None, factors):
        rows, units, *_ = ops.moe_distribute_dispatch(
            Tensor(x),
            Tensor(ids),
            SIZE,
            RANK,
            experts,
            quant_mode=2,
            group_ep=WORLD,
            scales=None if scales is None else Tensor(scales),
        )
        arrived = arrivals(given, RANK, 2)
        exact = [
            given[s][0][t].astype("float64") * (1 if scales is None else scales[e])
            for s, t, _, e in arrived
        ]
        assert rows.dtype == ms.int8 and units.dtype == ms.float32
        found = rows.asnumpy()[: len(arrived)] * units.asnumpy()[: len(arrived), None]
        assert (numpy.abs(found - exact) <= 0.51 * units.asnumpy()[: len(arrived), None]).all()
        assert (numpy.abs(rows.asnumpy()[: len(arrived)]).max(1) == 127).all()


@check
def gradients():
    experts = 2 * SIZE
    x, ids, scales = drawn([5] * SIZE, experts)[RANK]
    ids, base = Tensor(ids), RANK * 2 + 1

    def total(x, scales):
        rows, _, idx, nums, received, _, _ = ops.moe_distribute_dispatch(
            x, ids, SIZE, RANK, experts, group_ep=WORLD
        )
        first, second = nums.tolist()
        factors = numpy.repeat([base, base + 1, 0], [first, second - first, len(rows) - second])
        rows = rows * Tensor(factors[:, None].astype("float16"))
        out = ops.moe_distribute_combine(
            rows, ids, idx, received, scales, SIZE, RANK, experts, group_ep=WORLD
        )
        return out.astype(ms.float32).sum()

    grads = ms.grad(total, (0, 1))(Tensor(x), Tensor(scales))
    weight = ids.asnumpy() + 1.0
    close(grads[0], numpy.repeat((weight * scales).sum(1)[:, None], WIDTH, 1), 2e-2)
    close(grads[1], weight * x.astype("float64").sum(1, keepdims=True), 2e-2)


@check
def a_counts_that_does_not_fit_is_refused_by_all():
    x, ids, scales = drawn([5] * SIZE, SIZE)[RANK]
    found = ops.moe_distribute_dispatch(Tensor(x), Tensor(ids), SIZE, RANK, SIZE, group_ep=WORLD)
    counts = found[4].asnumpy().copy()
    counts[0] += RANK == SIZE - 1
    try:
        ops.moe_distribute_combine(
            found[0],
            Tensor(ids),
            found[2],
            Tensor(counts),
            Tensor(scales),
            SIZE,
            RANK,
            SIZE,
            group_ep=WORLD,
        )
    except ValueError as error:
        assert "ep_send_counts" in str(error)
    else:
        raise AssertionError("no refusal")


@check
def experts_that_two_ranks_share():
    """Ranks 0 and 1, 2 and 3, ... share an expert; the even ranks exchange among each other, and so
    do the odd ranks."""
    half = SIZE // 2
    for i in range(half):
        ranks = [2 * i, 2 * i + 1]
        if RANK in ranks:
            communication.create_group(f"tp{i}", ranks)
    for i in (0, 1):
        if RANK % 2 == i:
            communication.create_group(f"ep{i}", list(range(i, SIZE, 2)))
    experts = half
    global COPIES
    COPIES = min(COPIES, experts)
    groups = [drawn([4] * half, experts, seed) for seed in (1, 2)]
    index, part = RANK // 2, RANK % 2
    x, ids, scales = groups[part][index]
    names = dict(group_ep=f"ep{part}", group_tp=f"tp{index}", tp_world_size=2, tp_rank_id=part)
    rows, _, idx, nums, received, parts, weights = ops.moe_distribute_dispatch(
        Tensor(x), Tensor(ids), half, index, experts, Tensor(scales), **names
    )
    arrived = [arrivals(each, index, 1) for each in groups]
    exact = [groups[i][s][0][t] for i in (0, 1) for s, t, _, _ in arrived[i]]
    assert rows.shape == (2 * 4 * half * min(1, COPIES), WIDTH)
    close(rows[: len(exact)], exact, 0)
    assert parts.tolist() == [len(each) for each in arrived] and nums.tolist() == [len(exact)]
    assert received.tolist() == [
        sum(s == source for s, _, _, _ in each) for each in arrived for source in range(half)
    ]
    whole = worked(rows.asnumpy(), index, arrived[0] + arrived[1])
    # each of the two gives a part of the sum
    results = Tensor((whole * (0.25 if part else 0.75)).astype("float16"))
    for travel in (None, weights):
        out = ops.moe_distribute_combine(
            results,
            Tensor(ids),
            idx,
            received,
            Tensor(scales),
            half,
            index,
            experts,
            parts,
            expand_scales=travel,
            **names,
        )
        close(out, wanted(x, ids, scales, False), 2e-2)


run_named_checks()
