"""Primitives that MindSpore runs only on an Ascend, against their formulas in NumPy."""

import numpy as np
import pytest
from kit import close, close_sums

import mindspore_compat as ms
from mindspore_compat import Tensor, mint, ops
from mindspore_compat.ops import auto_generate as gen

rng = np.random.default_rng(3)


def normal(*shape):
    """Random numbers, float32."""
    return rng.normal(size=shape).astype(np.float32)


def test_adam_w():
    var, m, v, g = normal(4), normal(4), np.abs(normal(4)), normal(4)
    given = [Tensor(each) for each in (var, m, v)]
    gen.AdamW()(*given, Tensor(v), Tensor(g), Tensor(3.0), 0.1, 0.9, 0.99, 0.01, 1e-8)
    m2, v2 = 0.9 * m + 0.1 * g, 0.99 * v + 0.01 * g * g
    stepped = var * (1 - 0.001) - 0.1 * (m2 / (1 - 0.9**3)) / (np.sqrt(v2 / (1 - 0.99**3)) + 1e-8)
    for found, expected in zip(given, (stepped, m2, v2), strict=True):
        close_sums(found, expected)
    again = [Tensor(each) for each in (var, m, v)]
    gen.ApplyAdamW()(*again, 0.9**2, 0.99**2, 0.1, 0.01, 0.9, 0.99, 1e-8, Tensor(g))
    close_sums(again[0], stepped)


def test_as_strided():
    x = normal(3, 4)
    expected = np.lib.stride_tricks.as_strided(x.reshape(-1)[1:], (2, 3), (16, 8))
    close_sums(gen.as_strided(Tensor(x), (2, 3), (4, 2), 1), expected)


def test_tensor_copy_slices():
    x = normal(4, 3)
    found = gen.TensorCopySlices()(Tensor(x), Tensor(normal(2, 3) * 0), (0, 0), (4, 3), (2, 1))
    assert not found.asnumpy()[::2].any()
    close_sums(found[1], x[1])


def test_batch_norm_ext_and_its_gradients():
    x, w, b, dout = normal(5, 3, 4), normal(3), normal(3), normal(5, 3, 4)
    out, mean, rstd = gen.BatchNormExt()(Tensor(x), Tensor(w), Tensor(b), None, None, True)
    close_sums(mean, x.mean((0, 2)))
    close_sums(rstd, 1 / np.sqrt(x.var((0, 2)) + 1e-5))

    def forward(x, w, b):
        return mint.nn.functional.batch_norm(x, None, None, w, b, True)

    close_sums(out, forward(Tensor(x), Tensor(w), Tensor(b)).asnumpy())
    expected = ops.vjp(forward, Tensor(x), Tensor(w), Tensor(b))[1](Tensor(dout))
    found = gen.BatchNormGradExt(True)(Tensor(dout), Tensor(x), Tensor(w), None, None, mean, rstd)
    for one, other in zip(found, expected, strict=True):
        close_sums(one, other.asnumpy())


def test_convolution_and_its_gradients():
    x, w, dout = Tensor(normal(2, 4, 6)), Tensor(normal(6, 2, 3)), Tensor(normal(2, 6, 4))
    out = gen.Convolution()(x, w, groups=2)
    close_sums(out, mint.nn.functional.conv1d(x, w, groups=2).asnumpy())
    expected = ops.vjp(lambda x, w: mint.nn.functional.conv1d(x, w, groups=2), x, w)[1](dout)
    found = gen.ConvolutionGrad()(dout, x, w, None, 1, 0, 1, False, 0, 2)
    close_sums(found[0], expected[0].asnumpy())
    close_sums(found[1], expected[1].asnumpy())
    close_sums(found[2], dout.asnumpy().sum((0, 2)))


def test_cross_entropy_loss_and_its_gradient():
    x, target = Tensor(normal(4, 5)), Tensor(np.array([0, 2, 4, 1]), ms.int64)
    loss, log_prob, zloss, total = gen.CrossEntropyLoss()(
        x, target, lse_square_scale_for_zloss=0.5, return_zloss=True
    )
    close_sums(log_prob, (x - total.reshape(-1, 1)).asnumpy())
    close_sums(zloss, 0.5 * total.asnumpy() ** 2)
    close_sums(loss, mint.nn.functional.cross_entropy(x, target).asnumpy().reshape(1))
    plain = gen.CrossEntropyLoss()(x, target)
    assert [each.shape for each in plain] == [(1,), (4, 5), (0,), (0,)]
    one = Tensor(1.0, ms.float32)
    expected = ops.vjp(mint.nn.functional.cross_entropy, x, target)[1](one)
    close_sums(
        gen.CrossEntropyLossGrad()(one, log_prob, target),
        (expected[0] if isinstance(expected, tuple) else expected).asnumpy(),
    )


def test_gradient_of_the_loss_of_logsumexp():
    x, target, flow = Tensor(normal(4, 5)), Tensor(np.array([0, 2, 4, 1])), Tensor(normal(4))
    _, log_prob, _, total = gen.CrossEntropyLoss()(x, target, lse_square_scale_for_zloss=0.5)
    found = gen.CrossEntropyLossGrad()(
        Tensor([0.0], ms.float32),
        log_prob,
        target,
        grad_zloss=flow,
        lse_for_zloss=total,
        lse_square_scale_for_zloss=0.5,
    )
    expected = ops.vjp(lambda x: 0.5 * ops.logsumexp(x, 1) ** 2, x)[1](flow)
    close_sums(found, (expected[0] if isinstance(expected, tuple) else expected).asnumpy())


def test_gradients_that_a_mask_leaves_out_are_none():
    x, w = Tensor(normal(1, 2, 4)), Tensor(normal(2, 2, 3))
    settings = (None, 1, 0, 1, False, 0, 1)
    dout = ops.ones((1, 2, 2), ms.float32)
    whole = gen.ConvolutionGrad()(dout, x, w, *settings)
    some = gen.ConvolutionGrad()(dout, x, w, *settings, (1, 0, 1))
    assert some[1] is None
    close_sums(some[0], whole[0].asnumpy())
    close_sums(some[2], whole[2].asnumpy())
    padded = gen.ConvolutionStrGrad()(dout, x, w, None, 1, "valid", 1, False, 0, 1, (0, 1, 0))
    assert padded[0] is None and padded[2] is None
    close_sums(padded[1], whole[1].asnumpy())
    rows, ones, mean = Tensor(normal(2, 3)), ops.ones((3,), ms.float32), ops.zeros((2, 1))
    layer = gen.LayerNormGradExt()(rows, rows, (3,), mean, mean, ones, ones, (0, 1, 1))
    assert layer[0] is None and layer[1].shape == layer[2].shape == (3,)
    channels = ops.ones((2,), ms.float32)
    batch = gen.BatchNormGradExt(True)(
        x, x, channels, None, None, channels, channels, output_mask=(1, 0, 0)
    )
    assert batch[0].shape == x.shape and batch[1:] == (None, None)
    sums = gen.BatchNormReduceGrad()(x, x, channels, channels, channels, False, True, False)
    assert sums[:2] == (None, None) and sums[2].shape == (2,) and sums[3] is None


@pytest.mark.parametrize(
    "call",
    [
        lambda x: gen.KVCacheScatterUpdate()(x, x, x, -1, "add"),
        lambda x: gen.MatmulAllReduceAddRmsNorm()(x, x, None, x, x, 1e-5, "", "sum", 1, 1),
        lambda x: gen.MatmulAllReduceAddRmsNorm()(x, x, None, x, x, 1e-5, "", "sum", 0, 0),
        lambda x: gen.FusedAddTopKDiv()(x, x, 1, 1, 1, 1, 1),
        lambda x: gen.LstsqV2()(x, x, "other"),
        lambda x: gen.ffn_ext(x, x, x, inner_precise=2),
    ],
    ids=["reduce", "comm_turn", "stream_mode", "activate_type", "driver", "inner_precise"],
)
def test_settings_that_no_kernel_knows_are_refused(call):
    with pytest.raises(ValueError, match="must be .*, but got"):
        call(Tensor(np.eye(2, dtype=np.float32)))


def test_a_mask_is_drawn_with_the_probability_in_its_dtype():
    def mask(p, dtype):
        return gen.DropoutGenMaskExt()((100, 2000), p, 7, 0, dtype).asnumpy()

    half = mask(0.3, ms.float16)
    assert (half == mask(float(np.float16(0.3)), ms.float32)).all()
    assert (half != mask(0.3, ms.float32)).any()


def test_norms_are_no_smaller_than_epsilon():
    x = Tensor([[3.0, 4.0], [0.0, 0.0]], ms.float32)
    close_sums(gen.LpNormV2()(x, 2, 1, False, 0.5), [5.0, 0.5])


def test_dropout_by_a_mask():
    x = np.ones((40, 50), np.float32)
    out, mask = gen.DropoutExt()(Tensor(x), 0.25, 7, 0)
    remaining = out.asnumpy() != 0
    assert 0.7 < remaining.mean() < 0.8
    close_sums(out, remaining / np.float32(0.75))
    assert mask.dtype == ms.uint8
    close_sums(gen.DropoutGradExt()(Tensor(2 * x), mask, 0.25), 2 * out.asnumpy())
    assert np.array_equal(gen.DropoutExt()(Tensor(x), 0.25, 7, 0)[0].asnumpy(), out.asnumpy())
    channels = gen.Dropout2dExt()(Tensor(np.ones((3, 4, 5, 5))), 0.5, True, False, 1, 0).asnumpy()
    assert all(len(set(each.reshape(-1))) == 1 for each in channels.reshape(12, 5, 5))


@pytest.mark.parametrize("kind", [0, 1])
def test_products_of_groups_of_rows(kind):
    x, w = normal(6, 3), normal(2, 3, 4)
    parts = Tensor([2, 6] if kind == 0 else [2, 4], ms.int64)
    expected = np.concatenate([x[:2] @ w[0], x[2:] @ w[1]])
    arguments = ([Tensor(w)], None, parts, 0, kind)
    close_sums(gen.Gmm()([Tensor(x)], *arguments)[0], expected)
    grad = np.ones_like(expected)
    of_x, of_w = gen.GmmBackward()([Tensor(grad)], [Tensor(x)], [Tensor(w)], parts, kind)
    close_sums(of_x, np.concatenate([grad[:2] @ w[0].T, grad[2:] @ w[1].T]))
    close_sums(of_w, np.stack([x[:2].T @ grad[:2], x[2:].T @ grad[2:]]))
    close_sums(gen.GmmBackwardFusion()([Tensor(grad)], [Tensor(w)], parts, kind)[0], of_x.asnumpy())


def test_products_added_in_place():
    x, w, c = normal(5, 3), normal(5, 4), normal(3, 4)
    total = Tensor(c)
    gen.matmul_add_(Tensor(x), Tensor(w), total)
    close_sums(total, c + x.T @ w)
    parts = Tensor(np.zeros((2, 3, 4), np.float32))
    gen.grouped_matmul_add_(Tensor(x), Tensor(w), Tensor([2, 5]), parts)
    close_sums(parts, np.stack([x[:2].T @ w[:2], x[2:].T @ w[2:]]))


def test_products_of_quantized_matrices():
    a, b = rng.integers(-9, 9, (2, 3)).astype(np.int8), rng.integers(-9, 9, (3, 4)).astype(np.int8)
    scale = np.array([0.5, 1, 2, 4], np.float32)
    found = gen.quant_batch_matmul(Tensor(a), Tensor(b), Tensor(scale), dtype=ms.float32)
    close_sums(found, (a.astype(np.float32) @ b) * scale)
    x, offset = normal(2, 3), normal(4)
    found = gen.WeightQuantBatchMatmul()(Tensor(x), Tensor(b), Tensor(scale), Tensor(offset))
    close_sums(found, x @ ((b + offset) * scale))


def test_gating_and_routing_of_experts():
    x = Tensor([[0.1, 0.2, 0.1, 0.1], [0.2, 0.2, 0.4, 0.2]], ms.float32)
    weights, experts, rows = gen.MoeGatingTopKSoftmax()(x, None, 2)
    chance = np.exp(x.asnumpy()) / np.exp(x.asnumpy()).sum(-1, keepdims=True)
    close_sums(weights, -np.sort(-chance, -1)[:, :2])
    assert experts.asnumpy().tolist() == [[1, 0], [2, 0]]
    assert rows.asnumpy().tolist() == [[0, 2], [1, 3]]
    tokens = normal(2, 3)
    moved, went, kinds = gen.moe_init_routing(Tensor(tokens), rows, experts, 2)
    assert kinds.asnumpy().tolist() == [0, 0, 1, 2]
    close_sums(moved, tokens[[0, 1, 0, 1]])
    assert went.asnumpy().tolist() == [2, 3, 0, 1]


def test_experts_of_the_best_groups():
    x = np.array([[2.0, 1.0, 0.0, 0.5, -1.0, 3.0]], np.float32)
    bias = np.zeros(6, np.float32)
    weights, experts = gen.fused_add_topk_div(Tensor(x), Tensor(bias), 3, 2, 1, 2)
    assert experts.asnumpy().tolist() == [[5, 0]]
    chosen = 1 / (1 + np.exp(-x[0, [5, 0]]))
    close_sums(weights, 2.5 * chosen[None] / chosen.sum())


@pytest.mark.parametrize("repeats", [2, [1, 2, 3]])
def test_the_gradient_of_repeats(repeats):
    x = Tensor(normal(3, 2))
    given = repeats if isinstance(repeats, int) else Tensor(repeats)
    out = mint.repeat_interleave(x, given, 0)
    lengths = [repeats] * 3 if isinstance(repeats, int) else repeats
    found = gen.RepeatInterleaveGrad()(ops.ones_like(out), given, 0)
    close_sums(found, np.repeat(lengths, 2).reshape(3, 2))


def test_unique_values_of_all_kinds():
    x = Tensor([3, 1, 3, 2])
    found, indices, counts = gen.Unique2()(x, True, True, True)
    assert (found.asnumpy().tolist(), counts.asnumpy().tolist()) == ([1, 2, 3], [1, 1, 2])
    assert indices.asnumpy().tolist() == [2, 0, 2, 1]
    rows = gen.UniqueDim()(Tensor([[1, 2], [1, 2], [0, 1]]), True, True, 0)
    assert rows[0].asnumpy().tolist() == [[0, 1], [1, 2]]
    assert [each.asnumpy().tolist() for each in rows[1:]] == [[1, 1, 0], [1, 2]]
    asked = gen.Unique2()(x), gen.UniqueDim()(x, True, False, 0), gen.InnerUnique()(x)
    assert [[each.size for each in one] for one in asked] == [[3, 0, 0], [3, 0, 3], [3, 0]]
    assert gen.InnerUnique()(x, True, True)[1].asnumpy().tolist() == [2, 0, 2, 1]


def test_functions_in_place():
    x = Tensor([1.0, 2.0])
    gen.div_scalar_(x, 2)
    gen.sub_tensor_(x, Tensor([0.5, 0.5]), 2)
    gen.masked_fill_tensor_(x, Tensor([True, False]), Tensor(7.0))
    assert x.asnumpy().tolist() == [7, 0]
    assert gen.type_as_op(Tensor([1.5]), Tensor([1])).dtype == ms.int64
    cache = Tensor(np.zeros((2, 1, 4, 3), np.float32))
    gen.kv_cache_scatter_update(cache, Tensor([1, 3]), Tensor(np.ones((2, 1, 1, 3))), -2)
    assert cache.asnumpy()[:, 0, :, 0].tolist() == [[0, 1, 0, 0], [0, 0, 0, 1]]


def test_boosted_names_take_a_list():
    x = Tensor([1.5])
    assert gen.pyboost_type_as(None, [x, Tensor([1])]).dtype == ms.int64


def test_rotations_of_heads():
    q, cos, sin = normal(2, 3, 8), normal(3, 4), normal(3, 4)
    turned, _ = gen.ApplyRotaryPosEmb()(
        Tensor(q), Tensor(q), Tensor(cos), Tensor(sin), Tensor([0, 1])
    )
    heads = q.reshape(2, 3, 2, 4)
    half = np.concatenate([-heads[..., 2:], heads[..., :2]], -1)
    close_sums(turned, (heads * cos[:, None] + half * sin[:, None]).reshape(2, 3, 8))
    decoded = gen.apply_rotary_pos_emb_(
        Tensor(q[:, :1]), Tensor(q[:, :1]), Tensor(cos), Tensor(sin), Tensor([0, 2])
    )[0]
    rows = [0, 2]
    close_sums(
        decoded,
        (heads[:, :1] * cos[rows][:, None, None] + half[:, :1] * sin[rows][:, None, None]).reshape(
            2, 1, 8
        ),
    )


def test_feed_forward_of_experts():
    x, w1, w2 = normal(5, 3), normal(2, 3, 4), normal(2, 4, 3)
    b1 = normal(2, 4)
    found = gen.ffn_ext(Tensor(x), Tensor(w1), Tensor(w2), [2, 3], Tensor(b1), activation="relu")
    parts = [
        np.maximum(x[a:b] @ w1[e] + b1[e], 0) @ w2[e] for e, (a, b) in enumerate([(0, 2), (2, 5)])
    ]
    close_sums(found, np.concatenate(parts))
    whole = rng.integers(-9, 9, (3, 4)).astype(np.int8)
    scale = np.abs(normal(4))
    found = gen.FFNExt("tanh")(
        Tensor(x), Tensor(whole), Tensor(w2[0]), antiquant_scale1=Tensor(scale)
    )
    close_sums(found, np.tanh(x @ (whole * scale)) @ w2[0])


def test_gradients_of_attention():
    q, k, v, dy = (Tensor(normal(1, 16, 32), ms.float16) for _ in range(4))
    attention = ops.FlashAttentionScore(2)
    expected = ops.vjp(lambda q, k, v: attention(q, k, v)[3], q, k, v)[1](dy)
    found = gen.FlashAttentionScoreGrad(2)(q, k, v, dy)
    for one, other in zip(found, expected, strict=False):
        close(one, other.asnumpy(), 1e-5)
    assert found[3] is None


def test_pooling_by_a_mask():
    x = Tensor(normal(1, 2, 4, 4))
    out, mask = gen.MaxPoolWithMask(2)(x)
    grad = gen.MaxPoolGradWithMask(2)(x, ops.ones_like(out), mask)
    expected = ops.vjp(lambda x: ops.max_pool2d(x, 2, 2), x)[1](ops.ones_like(out))
    close_sums(grad, (expected[0] if isinstance(expected, tuple) else expected).asnumpy())


def test_deformable_attention():
    value = normal(1, 6, 2, 3)
    shape, offset = Tensor([[2, 2], [1, 2]]), Tensor([0, 4])
    indices = np.zeros((1, 1, 2, 2, 1, 2), np.float32)
    indices[..., 0, :, :], indices[..., 1, :, :] = (0.25, 0.75), (0.75, 0.5)
    weight = np.array([0.3, 0.7], np.float32).reshape(1, 1, 1, 2, 1) * np.ones((1, 1, 2, 2, 1))
    found = gen.MultiScaleDeformableAttn()(
        Tensor(value), shape, offset, Tensor(indices), Tensor(weight.astype(np.float32))
    )
    close_sums(found, (0.3 * value[0, 2] + 0.7 * value[0, 5]).reshape(1, 1, 6))


def test_least_squares_and_gradients_of_sums():
    a, b = normal(5, 3), normal(5, 2)
    found = gen.LstsqV2()(Tensor(a), Tensor(b), "gelsd")
    expected = np.linalg.lstsq(a, b, rcond=None)
    close_sums(found[0], expected[0])
    close_sums(found[1], expected[1])
    assert int(found[2]) == 3
    close_sums(found[3], expected[3])
    # The sizes of each driver's further results, as in MindSpore 2.10 on a CPU.
    sizes = {None: [0, 1, 0], "gels": [2, 0, 0], "gelsy": [0, 1, 0], "gelss": [2, 1, 3]}
    for driver, wanted in sizes.items():
        solution, *others = gen.LstsqV2()(Tensor(a), Tensor(b), driver)
        close_sums(solution, expected[0])
        assert [each.size for each in others] == wanted
    x1, x2, gamma, dy = normal(2, 4), normal(2, 4), normal(4), normal(2, 4)
    total = x1 + x2
    mean = total.mean(-1, keepdims=True)
    rstd = 1 / np.sqrt(total.var(-1, keepdims=True) + 1e-5)
    grads = gen.AddLayerNormGrad()(*map(Tensor, (dy, x1, x2, rstd, mean, gamma)), None)

    def forward(x, gamma, beta):
        return mint.nn.functional.layer_norm(x, (4,), gamma, beta)

    wanted = ops.vjp(forward, Tensor(total), Tensor(gamma), Tensor(0 * gamma))[1](Tensor(dy))
    for one, other in zip(grads, wanted, strict=True):
        close_sums(one, other.asnumpy())
