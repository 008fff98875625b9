"""`mindspore.nn.transformer` of releases 1.5 to 2.2, against the formulas of its pages."""

import numpy as np
import pytest
from kit import close
from mindspore_compat.nn.transformer import (
    AttentionMask,
    CrossEntropyLoss,
    FeedForward,
    MoEConfig,
    MultiHeadAttention,
    OpParallelConfig,
    Transformer,
    TransformerDecoderLayer,
    TransformerEncoder,
    TransformerEncoderLayer,
    TransformerOpParallelConfig,
    TransformerRecomputeConfig,
    VocabEmbedding,
)

import mindspore_compat as ms
from mindspore_compat import Tensor, nn, ops
from mindspore_compat.nn import transformer
from mindspore_compat.parallel._transformer.moe import MoE, _check_moe_config

rng = np.random.default_rng(0)
SIZES = dict(hidden_size=8, ffn_hidden_size=16, num_heads=2)
NO_DROPOUT = dict(attention_dropout_rate=0.0, hidden_dropout_rate=0.0)


def normal(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def filled(cell):
    """The Cell with weights so large that they affect the result."""
    for parameter in cell.get_parameters():
        if "past" not in parameter.name:
            parameter.set_data(Tensor(normal(*parameter.shape) / 3))
    return cell


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def values(cell):
    return {p.name: p.asnumpy() for p in cell.get_parameters()}


def attended(w, q, kv, mask, heads=2, prefix=""):
    """The reference result of a MultiHeadAttention with weights `w`."""
    batch, width = q.shape[0], q.shape[-1] // heads

    def split(x, name):
        x = x @ w[f"{prefix}{name}.weight"].T + w[f"{prefix}{name}.bias"]
        return x.reshape(batch, -1, heads, width).transpose(0, 2, 1, 3)

    query, key, value = split(q, "dense1"), split(kv, "dense2"), split(kv, "dense3")
    scores = query @ key.transpose(0, 1, 3, 2) / np.sqrt(width) + (1 - mask[:, None]) * -10000.0
    out = (softmax(scores) @ value).transpose(0, 2, 1, 3).reshape(q.shape)
    return out @ w[f"{prefix}projection.weight"] + w[f"{prefix}projection.bias"]


def normalised(w, x, name):
    centred = x - x.mean(-1, keepdims=True)
    return (
        centred / np.sqrt(x.var(-1, keepdims=True) + 1e-5) * w[f"{name}.gamma"] + w[f"{name}.beta"]
    )


def fed(w, x, prefix="output."):
    inner = x @ w[f"{prefix}mapping.weight"] + w[f"{prefix}mapping.bias"]
    inner = np.maximum(inner, 0)
    return inner @ w[f"{prefix}projection.weight"] + w[f"{prefix}projection.bias"]


@pytest.mark.parametrize("flat", [False, True])
def test_attention_of_several_heads(flat):
    layer = filled(MultiHeadAttention(2, 3, 5, 8, 2, 0.0, 0.0, compute_dtype=ms.float32))
    q, kv, mask = normal(2, 3, 8), normal(2, 5, 8), rng.integers(0, 2, (2, 3, 5)).astype(np.float32)
    given = [x.reshape(-1, 8) if flat else x for x in (q, kv, kv)]
    out, (key, value) = layer(*map(Tensor, given), Tensor(mask))
    close(out, attended(values(layer), q, kv, mask).reshape(given[0].shape))
    assert key.shape == (2, 2, 4, 5)
    assert value.shape == (2, 2, 5, 4)


def test_products_are_of_float16_by_default():
    layer = filled(MultiHeadAttention(2, 3, 3, 8, 2, 0.0, 0.0))
    x = Tensor(normal(2, 3, 8))
    out, (key, _) = layer(x, x, x, None)
    assert out.dtype == ms.float32
    w = values(layer)
    expected = x.asnumpy().astype(np.float16) @ w["dense2.weight"].T.astype(np.float16)
    found = key.asnumpy().transpose(0, 3, 1, 2).reshape(2, 3, 8)
    assert np.array_equal(found, (expected + w["dense2.bias"].astype(np.float16)))


@pytest.mark.parametrize("post", [False, True])
def test_an_encoder_layer(post):
    layer = TransformerEncoderLayer(
        None, seq_length=4, hidden_act="relu", post_layernorm_residual=post, **SIZES, **NO_DROPOUT
    )
    filled(layer)
    w, x, mask = values(layer), normal(2, 4, 8), np.tril(np.ones((2, 4, 4), np.float32))
    out, present = layer(Tensor(x), Tensor(mask))
    inner = normalised(w, x, "layernorm1")
    x = (inner if post else x) + attended(w, inner, inner, mask, prefix="attention.")
    inner = normalised(w, x, "layernorm2")
    expected = (inner if post else x) + fed(w, inner)
    assert np.abs(out.asnumpy() - expected).max() < 0.05  # products are of float16
    assert len(present) == 2


def test_a_decoder_layer():
    layer = TransformerDecoderLayer(
        batch_size=None,
        src_seq_length=5,
        tgt_seq_length=3,
        hidden_act="relu",
        **SIZES,
        **NO_DROPOUT,
    )
    filled(layer)
    w, x, encoded = values(layer), normal(2, 3, 8), normal(2, 5, 8)
    own, cross = np.tril(np.ones((2, 3, 3), np.float32)), np.ones((2, 3, 5), np.float32)
    given = x
    out, present = layer(Tensor(x), Tensor(own), Tensor(encoded), Tensor(cross))
    inner = normalised(w, x, "layernorm1")
    x = x + attended(w, inner, inner, own, prefix="attention.")
    alone = x + fed(w, normalised(w, x, "layernorm2"))
    inner = normalised(w, x, "cross_attention_layernorm")
    x = x + attended(w, inner, encoded, cross, prefix="cross_attention.")
    expected = x + fed(w, normalised(w, x, "layernorm2"))
    assert np.abs(out.asnumpy() - expected).max() < 0.05
    assert [each.shape for each in present] == [
        (2, 2, 4, 3),
        (2, 2, 3, 4),
        (2, 2, 4, 5),
        (2, 2, 5, 4),
    ]
    found, present = layer(Tensor(given), Tensor(own))
    assert np.abs(found.asnumpy() - alone).max() < 0.05
    assert len(present) == 2


def test_tokens_one_after_another_give_what_a_whole_sequence_gives():
    shared = dict(num_layers=2, seq_length=4, **SIZES, **NO_DROPOUT)
    whole = filled(TransformerEncoder(batch_size=2, **shared))
    stepwise = TransformerEncoder(batch_size=2, use_past=True, **shared)
    ms.load_param_into_net(stepwise, whole.parameters_dict())
    x, mask = Tensor(normal(2, 4, 8)), Tensor(np.tril(np.ones((2, 4, 4), np.float32)))
    expected, _ = whole(x, mask)
    lengths = [Tensor([n, n], ms.int32) for n in (2, 3, 4)]
    stepwise.add_flags_recursive(is_first_iteration=True)
    found, _ = stepwise(x, mask, Tensor([False]), lengths[0])
    assert np.abs((found - expected)[:, :2].asnumpy()).max() < 0.02
    stepwise.add_flags_recursive(is_first_iteration=False)
    for length in lengths[1:]:
        n = int(length[0])
        token, row = x[:, n - 1 : n], mask[:, n - 1 : n]
        found, _ = stepwise(token, row, Tensor([True]), length)
        assert found.shape == (2, 1, 8)
        assert np.abs((found - expected[:, n - 1 : n]).asnumpy()).max() < 0.02
    stepwise.blocks[0](x[:, :1], mask[:, :1], Tensor([False]), lengths[0])
    assert (stepwise.blocks[0].key_past.asnumpy()[..., [0, 2, 3]] == 0).all()


def test_encoder_and_decoder_together():
    model = Transformer(
        batch_size=2,
        src_seq_length=5,
        tgt_seq_length=3,
        encoder_layers=1,
        decoder_layers=2,
        **SIZES,
    )
    ones = ops.ones
    inputs = [ones(shape) for shape in [(2, 5, 8), (2, 5, 5), (2, 3, 8), (2, 3, 3), (2, 3, 5)]]
    out, encoded, decoded = model.set_train(False)(*inputs)
    assert (out.shape, len(encoded), len(decoded)) == ((2, 3, 8), 1, 2)
    states, _ = model.encoder(*inputs[:2])
    assert np.array_equal(
        out.asnumpy(), model.decoder(*inputs[2:4], states, inputs[4])[0].asnumpy()
    )
    names = {p.name for p in model.get_parameters()}
    assert {
        "encoder.blocks.0.attention.dense1.weight",
        "decoder.blocks.1.output.mapping.bias",
    } < names
    alone = Transformer(
        batch_size=2,
        src_seq_length=5,
        tgt_seq_length=3,
        encoder_layers=1,
        decoder_layers=0,
        **SIZES,
    )
    out, _, decoded = alone(*inputs[:2])
    assert decoded is None and out.shape == (2, 5, 8)


def test_layers_are_recomputed_and_given_to_the_function():
    config = TransformerOpParallelConfig(
        pipeline_stage=2, recompute=TransformerRecomputeConfig(recompute=True)
    )
    shared = dict(batch_size=2, num_layers=4, seq_length=4, **SIZES, **NO_DROPOUT)
    plain = filled(TransformerEncoder(**shared))
    encoder = TransformerEncoder(parallel_config=config, **shared)
    ms.load_param_into_net(encoder, plain.parameters_dict())
    assert [block.pipeline_stage for block in encoder.blocks] == [0, 0, 1, 1]
    x, mask = Tensor(normal(2, 4, 8)), ops.ones((2, 4, 4))
    found, expected = (ms.grad(lambda t: net(t, mask)[0].sum())(x) for net in (encoder, plain))
    assert np.array_equal(found.asnumpy(), expected.asnumpy())
    given = []
    TransformerEncoder(lambda_func=lambda network, **rest: given.append(rest), offset=3, **shared)
    assert [each["layer_id"] for each in given] == [0, 1, 2, 3]
    assert given[0]["offset"] == 3 and given[0]["layers"] == 4


def test_experts_take_the_tokens_that_the_router_gives_them():
    layer = filled(MoE(4, 6, 0.0, "relu", moe_config=MoEConfig(3, 3.0, num_experts_chosen=2)))
    x = normal(2, 5, 4)
    out, loss = layer(Tensor(x))
    w, tokens = values(layer), x.reshape(-1, 4)
    probabilities = softmax(tokens @ w["router.weight"].T)
    chosen = np.argsort(-probabilities, -1)[:, :2]
    expected = np.zeros_like(tokens)
    for token, experts in enumerate(chosen):
        for e in experts:
            part = {k: v[e] for k, v in w.items() if k.endswith("weight") and v.ndim == 3}
            part |= {k: v[0, e, 0] for k, v in w.items() if v.ndim == 4}
            expected[token] += probabilities[token, e] * fed(part, tokens[token], "ffn.")
    assert np.abs(out.asnumpy().reshape(-1, 4) - expected).max() < 0.02
    shares = np.bincount(chosen[:, 0], minlength=3) / 10
    close(loss, np.float32(0.05 * 3 * (shares * probabilities.mean(0)).sum()))


def test_experts_leave_out_tokens_above_their_capacity():
    layer = filled(MoE(4, 6, 0.0, "relu", moe_config=MoEConfig(2, 1.0)))
    x = np.tile(normal(1, 4), (4, 1))  # all tokens choose the same expert, whose capacity is two
    out = layer(Tensor(x))[0].asnumpy()
    assert (out[0] == out[1]).all() and out[0].any()
    assert not out[2:].any()


def test_an_encoder_of_experts_returns_their_loss():
    encoder = TransformerEncoder(
        batch_size=2, num_layers=2, seq_length=4, moe_config=MoEConfig(expert_num=2), **SIZES
    )
    out, past, loss = encoder(ops.ones((2, 4, 8)), ops.ones((2, 4, 4)))
    assert (out.shape, len(past), loss.shape) == ((2, 4, 8), 2, ())
    assert float(loss) > 0


def test_masks_embeddings_and_losses():
    mask = AttentionMask(4)(Tensor([[1.0, 1, 1, 0]])).asnumpy()
    assert mask.tolist() == [[[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [0, 0, 0, 0]]]
    embedding = VocabEmbedding(5, 3)
    rows, table = embedding(Tensor([[4, 0]], ms.int32))
    assert table is embedding.embedding_table
    assert np.array_equal(rows.asnumpy()[0], table.asnumpy()[[4, 0]])
    logits, labels, counted = (
        normal(4, 3),
        np.array([0, 2, 1, 1]),
        np.array([1, 1, 0, 1], np.float32),
    )
    losses = -np.log(softmax(logits))[np.arange(4), labels]
    found = CrossEntropyLoss()(Tensor(logits), Tensor(labels, ms.int32), Tensor(counted))
    close(found, np.float32((losses * counted).sum() / 3))


def test_activations_may_be_cells():
    names = FeedForward(4, 8, 0.0, "relu"), FeedForward(4, 8, 0.0, nn.ReLU())
    ms.load_param_into_net(names[1], filled(names[0]).parameters_dict())
    x = Tensor(normal(3, 4))
    assert np.array_equal(names[0](x).asnumpy(), names[1](x).asnumpy())


@pytest.mark.parametrize(
    "make, kind",
    [
        (lambda: AttentionMask(0), ValueError),
        (lambda: AttentionMask(2.0), TypeError),
        (lambda: AttentionMask(3)(ops.ones((1, 2))), ValueError),
        (lambda: VocabEmbedding(5, 3, parallel_config=OpParallelConfig()), TypeError),
        (
            lambda: VocabEmbedding(
                5, 3, transformer.EmbeddingOpParallelConfig(1, 2, vocab_emb_dp=False)
            ),
            ValueError,
        ),
        (lambda: FeedForward(4, 8, 1.0), ValueError),
        (lambda: FeedForward(4, 8, 0.1, 5), TypeError),
        (lambda: FeedForward(4, 8, 0.1, param_init_type=ms.int32), TypeError),
        (lambda: FeedForward(5, 8, 0.1, parallel_config=OpParallelConfig(1, 2)), ValueError),
        (lambda: FeedForward(4, 8, 0.1, parallel_config=2), TypeError),
        (lambda: MultiHeadAttention(1, 2, 2, 5, 2), ValueError),
        (
            lambda: MultiHeadAttention(1, 2, 2, 9, 3, parallel_config=OpParallelConfig(1, 2)),
            ValueError,
        ),
        (lambda: TransformerEncoderLayer(None, 4, 8, 2, 3, use_past=True), TypeError),
        (lambda: TransformerOpParallelConfig(recompute=1), TypeError),
        (lambda: TransformerOpParallelConfig(data_parallel=0), ValueError),
        (lambda: setattr(TransformerOpParallelConfig(), "vocab_emb_dp", 1), TypeError),
        (lambda: MoEConfig(expert_num=2, num_experts_chosen=3), ValueError),
        (lambda: MoEConfig(capacity_factor=0.5), ValueError),
        (lambda: _check_moe_config(3), TypeError),
        (
            lambda: _check_moe_config(
                MoEConfig(3), TransformerOpParallelConfig(expert_parallel=2).moe_parallel_config
            ),
            ValueError,
        ),
    ],
)
def test_wrong_arguments(make, kind):
    with pytest.raises(kind):
        make()
