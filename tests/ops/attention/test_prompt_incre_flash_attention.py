"""The inference attentions against loops over batches, heads, queries and keys, in float64."""

import math
import struct

import numpy
import pytest
from kit import close, close_sums
from kit.gradients import check_gradients

import mindspore_compat as ms
from mindspore_compat import Tensor, ops
from mindspore_compat.ops import auto_generate
from mindspore_compat.ops._attention import inference

TO = {
    "BNSD": lambda x: x,
    "BSND": lambda x: x.transpose(0, 2, 1, 3),
    "BSH": lambda x: x.transpose(0, 2, 1, 3).reshape(x.shape[0], x.shape[2], -1),
}
TRIANGLE = numpy.triu(numpy.ones((2048, 2048), numpy.uint8), 1)
MODES = {  # mode: whether query i of q attends to key j of k, with pre_tokens=2 and next_tokens=1
    2: lambda i, j, q, k: j <= i,
    3: lambda i, j, q, k: j <= i + k - q,
    4: lambda i, j, q, k: -2 <= j - i - (k - q) <= 1,
}


def random(*shape, seed=0, dtype="float16"):
    return numpy.random.default_rng(seed + sum(shape)).standard_normal(shape).astype(dtype)


def inputs(batch=2, heads=4, groups=2, queries=5, keys=7, features=16, dtype="float16"):
    """Queries, keys and values as (batch, heads, steps, features)."""
    shapes = [(batch, heads, queries, features), *[(batch, groups, keys, features)] * 2]
    return [random(*shape, seed=i, dtype=dtype) for i, shape in enumerate(shapes)]


def counts(values):
    return Tensor(numpy.asarray(values, numpy.int64))


def naive(query, key, value, scale=1.0, shift=None, sees=lambda b, i, j: True, weight_scale=None):
    """Attention by loops, and the logarithms of the sums of exponentials."""
    query, key, value = (x.astype("float64") for x in (query, key, value))
    out = numpy.zeros((*query.shape[:3], value.shape[-1]))
    sums = numpy.full((*query.shape[:3], 1), -math.inf)
    for b, h, i in numpy.ndindex(*query.shape[:3]):
        g = h * key.shape[1] // query.shape[1]
        seen = [j for j in range(key.shape[2]) if sees(b, i, j)]
        if not seen:
            continue
        moved = [0 if shift is None else float(shift[b % len(shift), h, i, j]) for j in seen]
        scores = [scale * query[b, h, i] @ key[b, g, j] + m for j, m in zip(seen, moved)]
        sums[b, h, i] = math.log(sum(map(math.exp, scores)))
        for score, j in zip(scores, seen):
            weight = math.exp(score - sums[b, h, i, 0])
            if weight_scale is not None:
                weight = numpy.clip(numpy.rint(weight * weight_scale), -128, 127)
            out[b, h, i] += weight * value[b, g, j]
    return out, sums


def prompt(arrays, *args, layout="BNSD", **given):
    given = {"num_heads": arrays[0].shape[1], "num_key_value_heads": arrays[1].shape[1], **given}
    laid = [Tensor(TO[layout](x)) for x in arrays]
    return ops.prompt_flash_attention(*laid, *args, input_layout=layout, **given)


def step(arrays, layout="BNSD", **given):
    given = {"num_heads": arrays[0].shape[1], "num_key_value_heads": arrays[1].shape[1], **given}
    query, key, value = (Tensor(TO[layout](x)) for x in arrays)
    return ops.incre_flash_attention(query, [key], (value,), input_layout=layout, **given)


def fused(arrays, layout="BNSD", **given):
    given = {"num_heads": arrays[0].shape[1], "num_key_value_heads": arrays[1].shape[1], **given}
    laid = [Tensor(TO[layout.partition("_")[0]](x)) for x in arrays]
    return ops.fused_infer_attention_score(*laid, input_layout=layout, **given)


# Many queries -------------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", ["BNSD", "BSH"])
@pytest.mark.parametrize("groups", [1, 2, 4])
def test_layouts_and_shared_heads(layout, groups):
    arrays = inputs(groups=groups)
    wanted = TO[layout](naive(*arrays, scale=0.25)[0])
    found = prompt(arrays, layout=layout, scale_value=0.25)
    close_sums(found, wanted)
    assert found.dtype == ms.float16
    close_sums(fused(arrays, layout, scale=0.25)[0], wanted)
    primitive = auto_generate.PromptFlashAttention(
        4, 0.25, input_layout=layout, num_key_value_heads=groups
    )
    assert (primitive(*(Tensor(TO[layout](x)) for x in arrays)) == found).all()


def test_as_many_heads_of_keys_where_none_are_given():
    arrays = inputs(groups=4)
    close_sums(prompt(arrays, num_key_value_heads=0), naive(*arrays)[0])


def test_further_layouts_of_both_in_one():
    arrays = inputs()
    wanted = naive(*arrays)[0]
    close_sums(fused(arrays, "BSND")[0], TO["BSND"](wanted))
    close_sums(fused(arrays, "BNSD_BSND")[0], TO["BSND"](wanted))


MASK = numpy.random.default_rng(1).random((2, 1, 5, 7)) < 0.4


@pytest.mark.parametrize("mask", [MASK[0, 0], MASK[:, 0], MASK[:1, 0], MASK, MASK[:1]])
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "float16"])
def test_masks_leave_keys_out(mask, dtype):
    arrays, whole = inputs(), numpy.broadcast_to(mask.reshape(-1, 5, 7), (2, 5, 7))
    given = Tensor(mask.astype(dtype))
    wanted = naive(*arrays, sees=lambda b, i, j: not whole[b, i, j])[0]
    close_sums(prompt(arrays, attn_mask=given, sparse_mode=1), wanted)
    close_sums(prompt(arrays, attn_mask=given, next_tokens=9), wanted)
    # with a mask, the default is causal
    close_sums(
        prompt(arrays, attn_mask=given),
        naive(*arrays, sees=lambda b, i, j: not whole[b, i, j] and j <= i)[0],
    )
    if dtype != "float16":
        close_sums(fused(arrays, atten_mask=given)[0], wanted)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("lead", [(), (1,), (1, 1), (2, 1)])
def test_modes_with_lengths(mode, lead):
    arrays, queries, keys = inputs(), (5, 3), (7, 4)
    mask = Tensor(numpy.broadcast_to(TRIANGLE, (*lead, 2048, 2048)))

    def sees(b, i, j):
        inside = i < queries[b] and j < keys[b]
        return inside and MODES[mode](i, j, queries[b], keys[b])

    wanted = naive(*arrays, sees=sees)[0]
    given = {"sparse_mode": mode, "pre_tokens": 2, "next_tokens": 1}
    found = prompt(
        arrays,
        attn_mask=mask,
        actual_seq_lengths=queries,
        actual_seq_lengths_kv=counts(keys),
        **given,
    )
    close_sums(found, wanted)
    assert not found[1, :, 3:].asnumpy().any()
    found = fused(
        arrays,
        atten_mask=mask,
        actual_seq_lengths=list(queries),
        actual_seq_lengths_kv=keys,
        **given,
    )[0]
    close_sums(found, wanted)


@pytest.mark.parametrize("batch", [1, 2])
def test_shift_may_be_longer_than_needed(batch):
    arrays, shift = inputs(), random(batch, 4, 6, 9)
    wanted = naive(*arrays, scale=0.25, shift=shift)[0]
    close_sums(prompt(arrays, pse_shift=Tensor(shift), scale_value=0.25), wanted)
    close_sums(fused(arrays, pse_shift=Tensor(shift), scale=0.25)[0], wanted)


@pytest.mark.parametrize("mode", [0, 3])
def test_sequences_behind_padding(mode):
    arrays, queries, keys = inputs(), (4, 2), (6, 3)  # followed by 1 and by no empty slot

    def sees(b, i, j):
        row, column = i - (5 - 1 - queries[b]), j - (7 - keys[b])
        inside = 0 <= row < queries[b] and 0 <= column < keys[b]
        return inside and (mode == 0 or column <= row + keys[b] - queries[b])

    mask = TRIANGLE if mode else numpy.zeros((5, 7), numpy.uint8)
    found, sums = fused(
        arrays,
        atten_mask=Tensor(mask),
        sparse_mode=mode,
        next_tokens=0,
        actual_seq_lengths=queries,
        actual_seq_lengths_kv=keys,
        query_padding_size=counts(1),
        kv_padding_size=counts([0]),
        softmax_lse_flag=True,
    )
    wanted = naive(*arrays, sees=sees)
    close_sums(found, wanted[0])
    close_sums(sums, wanted[1])
    padded = fused(arrays, actual_seq_lengths_kv=keys, kv_padding_size=counts([-3]))[0]
    close_sums(padded, naive(*arrays, sees=lambda b, i, j: j >= 7 - keys[b])[0])
    close_sums(fused(arrays, kv_padding_size=counts([3]))[0], naive(*arrays)[0])


def test_a_band_of_one():
    arrays = inputs(queries=7)
    given = {"sparse_mode": 4, "attn_mask": Tensor(TRIANGLE), "pre_tokens": 0, "next_tokens": 0}
    close(prompt(arrays, **given), naive(*arrays, sees=lambda b, i, j: i == j)[0])


def test_sums_of_exponentials():
    arrays = inputs()
    out, sums = fused(arrays, scale=0.5, softmax_lse_flag=True)
    wanted = naive(*arrays, scale=0.5)
    close(sums, wanted[1])
    assert sums.dtype == ms.float32 and sums.shape == (2, 4, 5, 1)
    none = fused(arrays, scale=0.5)[1]
    assert none.shape == (1,) and none.dtype == ms.float32 and float(none[0]) == 0


# Bytes --------------------------------------------------------------------------------------------


def byte_inputs(**sizes):
    return [(x * 40).clip(-127, 127).astype("int8") for x in inputs(dtype="float32", **sizes)]


def one(value, dtype="float32"):
    return Tensor(numpy.array([value], dtype))


def coded(value):
    """A float32 as the lower half of a uint64."""
    return Tensor(
        numpy.array([struct.unpack("<I", struct.pack("<f", value))[0] | 1 << 40], "uint64")
    )


@pytest.mark.parametrize("made", [one, coded])
@pytest.mark.parametrize("shifted", [False, True])
def test_queries_of_bytes(made, shifted):
    arrays = byte_inputs()
    shift = random(2, 4, 5, 7) if shifted else None
    wanted = naive(*arrays, scale=0.5 * 0.001, shift=shift, weight_scale=127.0)[0] * 2.0**-9
    scales = made(0.001), one(127.0), made(2.0**-9)
    wrapped = None if shift is None else Tensor(shift)
    found = prompt(arrays, None, None, None, wrapped, *scales, scale_value=0.5, next_tokens=9)
    close_sums(found, wanted)
    assert found.dtype == ms.float16
    names = "dequant_scale1", "quant_scale1", "dequant_scale2"
    again, sums = fused(
        arrays, pse_shift=wrapped, scale=0.5, softmax_lse_flag=True, **dict(zip(names, scales))
    )
    assert (again == found).all()
    close(sums, naive(*arrays, scale=0.5 * 0.001, shift=shift)[1])
    out = prompt(arrays, None, None, None, wrapped, *scales, one(20.0), one(3.0), scale_value=0.5)
    assert out.dtype == ms.int8
    assert numpy.abs(out.asnumpy() - numpy.rint(wanted * 20 + 3).clip(-128, 127)).max() <= 1


@pytest.mark.parametrize("channels", [False, True])
@pytest.mark.parametrize("offset", [False, True])
@pytest.mark.parametrize("layout", ["BNSD", "BSH"])
def test_results_of_bytes(channels, offset, layout):
    arrays = inputs(features=32)
    scale = numpy.abs(random(4, 32, dtype="float32")) * 60 + 1 if channels else numpy.full(1, 50.0)
    moved = numpy.rint(random(*scale.shape, seed=3, dtype="float32") * 9) if offset else 0
    laid = scale.reshape(4, 1, 32) if channels else scale
    added = moved.reshape(4, 1, 32) if channels and offset else moved
    wanted = (naive(*arrays, scale=0.2)[0] * laid + added).clip(-128, 127)
    shape = (4, 32) if channels and layout == "BNSD" else (-1,)
    given = {"quant_scale2": Tensor(scale.reshape(shape).astype("float32"))}
    if offset:
        given["quant_offset2"] = Tensor(moved.reshape(shape).astype("float32"))
    for found in (
        prompt(arrays, layout=layout, scale_value=0.2, **given),
        fused(arrays, layout, scale=0.2, **given)[0],
    ):
        assert found.dtype == ms.int8
        assert numpy.abs(found.asnumpy() - TO[layout](wanted)).max() <= 0.51


def key_scales(kind, batch=2, groups=2, keys=7, features=16):
    """Scales and offsets of keys and values: as arguments, and in the shape in which they
    multiply."""
    shape = {"all": (2,), "channel": (2, groups, 1, features), "token": (2, batch, keys)}[kind]
    scale = numpy.abs(random(*shape, dtype="float32")) * 0.02 + 0.01
    offset = numpy.rint(random(*shape, seed=1, dtype="float32") * 5)
    dtype = "float32" if kind == "token" else "float16"
    scale, offset = scale.astype(dtype), offset.astype(dtype)
    to = {
        "all": lambda x: x.reshape(2, 1, 1, 1, 1),
        "channel": lambda x: x.reshape(2, 1, groups, 1, features),
        "token": lambda x: x.reshape(2, batch, 1, keys, 1),
    }[kind]
    return scale, offset, to(scale.astype("float64")), to(offset.astype("float64"))


@pytest.mark.parametrize(
    "kind, queries", [("all", 1), ("all", 5), ("channel", 1), ("channel", 5), ("token", 1)]
)
@pytest.mark.parametrize("offset", [False, True])
def test_keys_of_bytes(kind, queries, offset):
    query = inputs(queries=queries)[0]
    _, key, value = byte_inputs(queries=queries)
    scale, moved, by, plus = key_scales(kind)
    wide = [
        ((x + (plus[i] if offset else 0)) * by[i]).astype("float16")
        for i, x in enumerate((key, value))
    ]
    wanted = naive(query, *wide, scale=0.25)[0]
    given = {"antiquant_scale": Tensor(scale), "antiquant_mode": int(kind == "token")}
    if offset:
        given["antiquant_offset"] = Tensor(moved)
    close_sums(fused((query, key, value), scale=0.25, **given)[0], wanted)
    if queries == 1:
        mode = given.pop("antiquant_mode")
        names = {"key_antiquant_scale": scale[0], "value_antiquant_scale": scale[1]}
        if offset:
            names |= {"key_antiquant_offset": moved[0], "value_antiquant_offset": moved[1]}
        apart = {name: Tensor(numpy.atleast_1d(x)) for name, x in names.items()}
        modes = {"key_antiquant_mode": mode, "value_antiquant_mode": mode}
        close_sums(fused((query, key, value), scale=0.25, **apart, **modes)[0], wanted)
    if queries == 1 and kind != "token":
        close_sums(step((query, key, value), scale_value=0.25, **given), wanted)


# One query ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", ["BNSD", "BSH"])
@pytest.mark.parametrize("lead", [(), (1,), (1, 1)])
def test_one_query_with_a_mask(layout, lead):
    arrays = inputs(queries=1)
    mask = numpy.random.default_rng(2).random((2, 7)) < 0.4
    given = Tensor(mask.reshape(2, *lead, 7))
    wanted = TO[layout](naive(*arrays, scale=0.25, sees=lambda b, i, j: not mask[b, j])[0])
    found = step(arrays, layout, attn_mask=given, scale_value=0.25)
    close_sums(found, wanted)
    again = fused(
        arrays,
        layout,
        atten_mask=given,
        scale=0.25,
        sparse_mode=4,
        pre_tokens=0,
        actual_seq_lengths=[9, 9],
    )[0]
    assert (again == found).all()
    query, key, value = (Tensor(TO[layout](x)) for x in arrays)
    primitive = auto_generate.IncreFlashAttention(4, layout, 0.25, 2)
    assert (primitive(query, [key], [value], given) == found).all()
    primitive = auto_generate.FusedInferAttentionScore(
        4, 0.25, input_layout=layout, num_key_value_heads=2, softmax_lse_flag=True
    )
    out, sums = primitive(query, [key], [value], None, given)
    assert (out == found).all() and sums.shape == (2, 4, 1, 1)


@pytest.mark.parametrize("lengths", [(6, 0), [3], counts([7, 2])])
def test_one_query_with_lengths_and_a_shift(lengths):
    arrays, shift = inputs(queries=1), random(1, 4, 1, 7)
    counted = [int(n) for n in (lengths.asnumpy() if isinstance(lengths, Tensor) else lengths)]
    counted = counted * 2 if len(counted) == 1 else counted
    found = step(arrays, actual_seq_lengths=lengths, pse_shift=Tensor(shift))
    close_sums(found, naive(*arrays, shift=shift, sees=lambda b, i, j: j < counted[b])[0])


def test_keys_behind_padding():
    arrays = inputs(queries=1)
    found = step(arrays, actual_seq_lengths=(4, 6), kv_padding_size=counts([2]))
    wanted = naive(*arrays, sees=lambda b, i, j: b == 0 and 1 <= j < 5)[0]
    close_sums(found, wanted)  # the second leaves no room
    close_sums(step(arrays, kv_padding_size=counts(2)), naive(*arrays)[0])


def test_keys_of_each_batch_for_itself():
    query, key, value = inputs(queries=1)
    given = {"num_heads": 4, "num_key_value_heads": 2, "input_layout": "BNSD"}
    parts = [[Tensor(x[:1]), Tensor(x[1:, :, :4])] for x in (key, value)]
    found = ops.fused_infer_attention_score(Tensor(query), *parts, **given)[0]
    close_sums(found, naive(query, key, value, sees=lambda b, i, j: b == 0 or j < 4)[0])
    found = ops.fused_infer_attention_score(
        Tensor(query), *parts, actual_seq_lengths_kv=(5, 3), **given
    )[0]
    close_sums(found, naive(query, key, value, sees=lambda b, i, j: j < (5, 3)[b])[0])
    with pytest.raises(ValueError, match="'actual_seq_lengths_kv'"):
        ops.fused_infer_attention_score(
            Tensor(query), *parts, actual_seq_lengths_kv=(5, 5), **given
        )


@pytest.mark.parametrize("rank", [3, 4])
@pytest.mark.parametrize("asked", ["incre", "fused"])
def test_keys_in_pages(rank, asked):
    query, key, value = inputs(queries=1, keys=12)
    lengths, size = (9, 12), 4
    table = numpy.array([[5, 0, 3, -1], [1, 6, 2, -9]], numpy.int32)
    pages = []
    for x in (key, value):
        whole = random(7, size, 2, 16, seed=8)
        for b, p in numpy.ndindex(2, 3):
            whole[table[b, p]] = x[b, :, p * size : (p + 1) * size].transpose(1, 0, 2)
        pages.append(whole.reshape(7, size, 32) if rank == 3 else whole.transpose(0, 2, 1, 3))
    mask = numpy.zeros((2, 1, 20), bool)
    mask[:, :, 2] = True
    shift = random(1, 4, 1, 18)
    wanted = naive(query, key, value, 0.5, shift, lambda b, i, j: j < lengths[b] and j != 2)[0]
    given = {
        "pse_shift": Tensor(shift),
        "num_heads": 4,
        "num_key_value_heads": 2,
        "block_table": Tensor(table),
        "block_size": size,
    }
    if asked == "incre":
        found = ops.incre_flash_attention(
            Tensor(TO["BSH"](query)),
            [Tensor(pages[0])],
            [Tensor(pages[1])],
            Tensor(mask),
            lengths,
            scale_value=0.5,
            **given,
        )
    else:
        found = ops.fused_infer_attention_score(
            Tensor(TO["BSH"](query)),
            *map(Tensor, pages),
            atten_mask=Tensor(mask),
            actual_seq_lengths_kv=lengths,
            scale=0.5,
            **given,
        )[0]
    close_sums(found, TO["BSH"](wanted))


def test_one_query_of_bytes_out():
    arrays = inputs(queries=1)
    found = step(arrays, quant_scale2=one(40.0), quant_offset2=one(-3.0), scale_value=0.2)
    wanted = (naive(*arrays, scale=0.2)[0] * 40 - 3).clip(-128, 127)
    assert found.dtype == ms.int8 and numpy.abs(found.asnumpy() - wanted).max() <= 0.51


# Gradients ----------------------------------------------------------------------------------------


def test_gradients_reach_queries_keys_and_values():
    for run, queries in ((prompt, 5), (step, 1)):
        arrays = inputs(queries=queries)
        wide = [Tensor(x.astype("float64").reshape(2, 2, -1, *x.shape[2:])) for x in arrays]
        attend = inference.attend.run
        wanted = ms.grad(
            lambda q, k, v, attend=attend: attend(q, k, v, None, None, None, 0.25).sum(), (0, 1, 2)
        )(*wide)

        def fn(query, key, value, run=run):
            given = {
                "num_heads": 4,
                "num_key_value_heads": 2,
                "input_layout": "BNSD",
                "scale_value": 0.25,
            }
            if run is step:
                key, value = [key], [value]
                return (
                    ops.incre_flash_attention(query, key, value, **given).astype(ms.float32).sum()
                )
            return ops.prompt_flash_attention(query, key, value, **given).astype(ms.float32).sum()

        found = ms.grad(fn, (0, 1, 2))(*map(Tensor, arrays))
        for f, w, x in zip(found, wanted, arrays):
            close_sums(f, w.asnumpy().reshape(x.shape))


def test_gradients_of_the_scales_of_keys():
    x = Tensor(numpy.random.default_rng(0).integers(-9, 9, (2, 3)).astype("int8"))
    check_gradients(
        lambda scale, offset: inference.from_bytes.run(x, scale, offset, "float64"),
        random(3, dtype="float64"),
        random(3, dtype="float64"),
        order=1,
    )
