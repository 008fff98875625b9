"""multi_head_attention_forward gives the layer's numbers for given weights."""

import numpy
import pytest
from kit import close, close_sums, same
from mindspore_compat.ops.function.nn_func import multi_head_attention_forward

import mindspore_compat as ms
from mindspore_compat import Tensor, nn
from mindspore_compat._backend.arrays import HOST

RNG = numpy.random.default_rng(0)
STEPS, SOURCES, BATCH, WIDTH, HEADS = 3, 4, 2, 8, 2


def random(*shape):
    return RNG.standard_normal(shape).astype("float32")


QUERY, KEY, VALUE = random(STEPS, BATCH, WIDTH), *random(2, SOURCES, BATCH, WIDTH)
WEIGHT, BIAS, LAST, LAST_BIAS = random(24, 8), random(24), random(8, 8), random(8)


def naive(query, key, value, shift=0, weights=None, last_bias=LAST_BIAS):
    """Attention by loops over batches and heads: the result and the weights of each head."""
    parts = weights or numpy.split(WEIGHT, 3)
    query, key, value = (
        x @ w.T + b for x, w, b in zip((query, key, value), parts, numpy.split(BIAS, 3))
    )
    shift = numpy.broadcast_to(shift, (BATCH, HEADS, len(query), len(key)))
    out, found = numpy.zeros_like(query), numpy.zeros(shift.shape)
    for b, h in numpy.ndindex(BATCH, HEADS):
        at = slice(4 * h, 4 * h + 4)
        scores = query[:, b, at] @ key[:, b, at].T / 2 + shift[b, h]
        powers = numpy.exp(scores - scores.max(-1, keepdims=True))
        found[b, h] = powers / powers.sum(-1, keepdims=True)
        out[:, b, at] = found[b, h] @ value[:, b, at]
    return out @ LAST.T + last_bias, found


def run(
    query=QUERY, key=KEY, value=VALUE, weight=WEIGHT, extra=(None, None, False), rate=0.0, **named
):
    given = [
        x if x is None else Tensor(x) for x in (query, key, value, weight, BIAS, LAST, LAST_BIAS)
    ]
    extra = [Tensor(x) if isinstance(x, numpy.ndarray) else x for x in extra]
    return multi_head_attention_forward(
        *given[:3], WIDTH, HEADS, *given[3:5], *extra, rate, *given[5:], **named
    )


UPPER = numpy.triu(numpy.ones((STEPS, SOURCES)), 1)
ENDS = numpy.array([[0, 0, 1, 1], [0, 0, 0, 1]])


@pytest.mark.parametrize(
    "named, shift",
    [
        ({}, 0),
        (dict(attn_mask=Tensor(UPPER.astype(bool))), numpy.where(UPPER, -numpy.inf, 0)),
        (dict(attn_mask=Tensor(UPPER.astype("uint8"))), numpy.where(UPPER, -numpy.inf, 0)),
        (dict(attn_mask=Tensor(UPPER.astype("float32"))), UPPER),
        (
            dict(key_padding_mask=Tensor(ENDS.astype(bool))),
            numpy.where(ENDS, -numpy.inf, 0)[:, None, None],
        ),
        (
            dict(key_padding_mask=Tensor(ENDS.astype("float32")), attn_mask=Tensor(UPPER)),
            ENDS[:, None, None] + UPPER,
        ),
        (dict(is_causal=True), numpy.tri(STEPS, SOURCES)),
    ],
)
def test_masks_and_averages(named, shift):
    wanted = naive(QUERY, KEY, VALUE, shift)
    out, weights = run(**named)
    close_sums(out, wanted[0])
    close(weights, wanted[1].mean(1))
    close(run(average_attn_weights=False, **named)[1], wanted[1])


def test_a_mask_for_each_head():
    masks = RNG.random((BATCH * HEADS, STEPS, SOURCES)) < 0.3
    shift = numpy.where(masks, -numpy.inf, 0).reshape(BATCH, HEADS, STEPS, SOURCES)
    close_sums(run(attn_mask=Tensor(masks))[0], naive(QUERY, KEY, VALUE, shift)[0])


def test_separate_weights_and_other_features():
    key, value = random(SOURCES, BATCH, 5), random(SOURCES, BATCH, 6)
    parts = [random(8, 8), random(8, 5), random(8, 6)]
    names = ("q_proj_weight", "k_proj_weight", "v_proj_weight")
    out, _ = run(
        QUERY,
        key,
        value,
        None,
        use_separate_proj_weight=True,
        **dict(zip(names, map(Tensor, parts))),
    )
    close_sums(out, naive(QUERY, key, value, weights=parts)[0])


def test_appended_keys():
    more = random(1, 1, 8), random(1, 1, 8)
    out, weights = run(extra=(*more, True), attn_mask=Tensor(UPPER.astype(bool)))
    identity = numpy.split(WEIGHT, 3)
    key = (KEY @ identity[1].T + BIAS[8:16], VALUE @ identity[2].T + BIAS[16:])
    both = []
    for x, one in zip(key, more):
        wide = numpy.broadcast_to(one, (1, BATCH, WIDTH))
        both.append(numpy.concatenate([x, wide, numpy.zeros((1, BATCH, WIDTH))]))
    shift = numpy.concatenate([numpy.where(UPPER, -numpy.inf, 0), numpy.zeros((STEPS, 2))], 1)
    out_wanted, wanted = _attended(QUERY @ identity[0].T + BIAS[:8], *both, shift)
    close_sums(out, out_wanted)
    close(weights, wanted)


def _attended(query, key, value, shift):
    out, found = numpy.zeros_like(query), numpy.zeros((BATCH, len(query), len(key)))
    for b, h in numpy.ndindex(BATCH, HEADS):
        at = slice(4 * h, 4 * h + 4)
        powers = numpy.exp(query[:, b, at] @ key[:, b, at].T / 2 + shift)
        powers /= powers.sum(-1, keepdims=True)
        out[:, b, at] = powers @ value[:, b, at]
        found[b] += powers / HEADS
    return out @ LAST.T + LAST_BIAS, found


def test_static_keys_and_values():
    key, value = random(2, BATCH * HEADS, 5, 4)
    out, _ = run(static_k=Tensor(key), static_v=Tensor(value))
    wide = [
        x.reshape(BATCH, HEADS, 5, 4).transpose(2, 0, 1, 3).reshape(5, BATCH, WIDTH)
        for x in (key, value)
    ]
    query = QUERY @ WEIGHT[:8].T + BIAS[:8]
    close_sums(out, _attended(query, *wide, 0)[0])


def test_without_batches():
    out, weights = run(
        QUERY[:, 0], KEY[:, 0], VALUE[:, 0], key_padding_mask=Tensor(ENDS[0].astype(bool))
    )
    wanted = naive(QUERY, KEY, VALUE, numpy.where(ENDS, -numpy.inf, 0)[:, None, None])
    close_sums(out, wanted[0][:, 0])
    close(weights, wanted[1][0].mean(0))


def test_weights_are_dropped_while_training():
    ms.set_seed(1)
    out, weights = run(rate=0.5)
    assert numpy.abs(out.asnumpy() - naive(QUERY, KEY, VALUE)[0]).max() > 0.1
    close(weights, naive(QUERY, KEY, VALUE)[1].mean(1))  # they are given as before
    close_sums(run(rate=0.5, training=False)[0], naive(QUERY, KEY, VALUE)[0])


@pytest.mark.parametrize("first", [False, True])
def test_the_layer_is_this_function(first):
    layer = nn.MultiheadAttention(8, 2, batch_first=first)
    layer.in_proj_weight.set_data(Tensor(WEIGHT))
    layer.in_proj_bias.set_data(Tensor(BIAS))
    layer.out_proj.weight.set_data(Tensor(LAST))
    layer.out_proj.bias.set_data(Tensor(LAST_BIAS))
    given = [Tensor(x.swapaxes(0, 1) if first else x) for x in (QUERY, KEY, VALUE)]
    out, weights = layer(*given)
    wanted = naive(QUERY, KEY, VALUE)
    close_sums(out, wanted[0].swapaxes(0, 1) if first else wanted[0])
    close(weights, wanted[1].mean(1))
    same = layer(given[0], given[0], given[0], need_weights=False)
    assert len(same) == 1
    close_sums(
        same[0],
        naive(QUERY, QUERY, QUERY)[0].swapaxes(0, 1) if first else naive(QUERY, QUERY, QUERY)[0],
    )


@pytest.mark.parametrize(
    "change, error",
    [
        (dict(query=QUERY.astype("float16")), TypeError),
        (dict(query=KEY.astype("int32")), TypeError),
        (dict(value=VALUE[:2]), ValueError),
        (dict(key=KEY[:, :1], value=VALUE[:, :1]), ValueError),
        (dict(key=KEY[..., :4]), ValueError),
        (dict(query=QUERY[0, 0]), ValueError),
        (dict(attn_mask=Tensor(UPPER.astype("int32"))), ValueError),
        (dict(attn_mask=1), ValueError),
        (dict(attn_mask=Tensor(UPPER[:2])), ValueError),
        (dict(key_padding_mask=Tensor(ENDS[:1].astype(bool))), ValueError),
    ],
)
def test_refusals(change, error):
    with pytest.raises(error, match="^For 'MultiheadAttention'"):
        run(**change)


@pytest.mark.parametrize("rate", [0.0, 0.4])
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("sizes", [{}, {"kdim": 6, "vdim": 5}])
def test_the_layer_computes_the_same_without_weights(sizes, masked, rate):
    layer = nn.MultiheadAttention(WIDTH, HEADS, rate, **sizes).set_train()
    key, value = (random(SOURCES, BATCH, sizes.get(name, WIDTH)) for name in ("kdim", "vdim"))
    inputs = [Tensor(x) for x in (QUERY, key, value)]
    masks = dict(attn_mask=Tensor(UPPER.astype(bool)), key_padding_mask=Tensor(ENDS.astype(bool)))

    def total(need_weights, *inputs):
        ms.set_seed(3)
        out = layer(*inputs, need_weights=need_weights, **(masks if masked else {}))[0]
        return (out * out).sum()

    grads = [
        ms.value_and_grad(
            lambda *x, need=need: total(need, *x), (0, 1, 2), layer.trainable_params()
        )(*inputs)
        for need in (False, True)
    ]
    for found, expected in zip(*map(flat, grads)):
        close_sums(found, expected)


def flat(tree):
    """The Tensors of nested tuples."""
    return [x for part in tree for x in flat(part)] if isinstance(tree, tuple) else [tree]


@pytest.mark.parametrize("shape", [(3, 5, 13), (2, 700, 300)])
def test_bits_are_those_of_the_mask(shape):
    ms.set_seed(5)
    mask = HOST.random_keep(shape, 0.3)
    ms.set_seed(5)
    same(HOST.random_bits(shape, 0.3), numpy.packbits(mask, -1))
