"""The inference attentions reject wrong arguments with the right exceptions."""

import numpy
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, ops


def ones(*shape, dtype="float16"):
    return Tensor(numpy.ones(shape, dtype))


TRIANGLE = numpy.triu(numpy.ones((2048, 2048), numpy.uint8), 1)
X, KEY = ones(2, 4, 5, 16), ones(2, 2, 7, 16)
INT8 = ones(2, 4, 5, 16, dtype="int8")
ONE, LENGTH = ones(1, dtype="float32"), ones(1, dtype="int64")
TABLE = Tensor(numpy.zeros((2, 2), "int32"))


@pytest.mark.parametrize(
    "given, error",
    [
        ({"query": 1}, TypeError),
        ({"query": X.astype(ms.float32)}, TypeError),
        ({"value": KEY.astype(ms.bfloat16)}, TypeError),
        ({"attn_mask": 1}, TypeError),
        ({"attn_mask": ones(5, 7, dtype="float32")}, TypeError),
        ({"pse_shift": ones(2, 4, 5, 7, dtype="float32")}, TypeError),
        ({"pse_shift": ones(2, 4, 5, 7).astype(ms.bfloat16)}, TypeError),
        ({"scale_value": 1}, TypeError),
        ({"num_heads": 4.0}, TypeError),
        ({"sparse_mode": 1.0}, TypeError),
        ({"quant_scale1": ones(1)}, TypeError),
        ({"quant_scale2": ONE.astype(ms.bfloat16)}, TypeError),
        ({"deq_scale1": ones(1)}, TypeError),
        ({"actual_seq_lengths": ones(2, dtype="float32")}, TypeError),
        ({"input_layout": 1}, TypeError),
        ({"input_layout": "SBH"}, ValueError),
        ({"query": X[0]}, ValueError),
        ({"key": KEY[0], "value": KEY[0]}, ValueError),
        ({"actual_seq_lengths": (5,)}, ValueError),
        ({"actual_seq_lengths": (5, 6)}, ValueError),
        ({"actual_seq_lengths_kv": (-1, 6)}, ValueError),
        ({"deq_scale1": ONE}, ValueError),
        ({"quant_offset2": ONE}, ValueError),
        ({"quant_scale2": ones(3, dtype="float32")}, ValueError),
        ({"quant_scale2": ONE, "quant_offset2": ones(1, 1, dtype="float32")}, ValueError),
        ({"query": INT8, "key": INT8, "value": INT8, "num_key_value_heads": 0}, ValueError),
        ({"num_heads": 0}, RuntimeError),
        ({"num_key_value_heads": -1}, RuntimeError),
        ({"num_key_value_heads": 3}, RuntimeError),
        ({"num_key_value_heads": 1}, RuntimeError),
        ({"num_heads": 8}, RuntimeError),
        ({"query": ones(1, 257, 2, 16), "num_heads": 257}, RuntimeError),
        ({"query": ones(2, 130, 5, 16), "num_heads": 130}, RuntimeError),
        ({"value": KEY[:, :, 1:]}, RuntimeError),
        ({"key": KEY[..., :8], "value": KEY[..., :8]}, RuntimeError),
        ({"key": KEY[:1], "value": KEY[:1]}, RuntimeError),
        ({"sparse_mode": 5}, RuntimeError),
        ({"sparse_mode": 2}, RuntimeError),
        ({"sparse_mode": 3, "attn_mask": ones(5, 7, dtype="uint8")}, RuntimeError),
        ({"sparse_mode": 4, "attn_mask": Tensor(TRIANGLE), "pre_tokens": -1}, RuntimeError),
        ({"attn_mask": ones(5, 6, dtype="uint8")}, RuntimeError),
        ({"attn_mask": ones(2, 4, 5, 7, dtype="uint8")}, RuntimeError),
        ({"pse_shift": ones(2, 4, 5, 6)}, RuntimeError),
        ({"pse_shift": ones(3, 4, 5, 7)}, RuntimeError),
        ({"pse_shift": ones(4, 5, 7)}, RuntimeError),
        ({"pse_shift": ones(2, 3, 5, 7)}, RuntimeError),
        ({"quant_scale2": ones(4, 16, dtype="float32")}, RuntimeError),
    ],
)
def test_many_queries_refused(given, error):
    given = {
        "query": X,
        "key": KEY,
        "value": KEY,
        "num_heads": 4,
        "num_key_value_heads": 2,
        "input_layout": "BNSD",
        **given,
    }
    if given["num_heads"] == 257:
        given |= {"key": given["query"], "value": given["query"], "num_key_value_heads": 0}
    with pytest.raises(error, match="^For 'prompt_flash_attention'"):
        ops.prompt_flash_attention(**given)


def test_features_of_bfloat16_are_a_multiple_of_16():
    x = ones(1, 4, 5, 8).astype(ms.bfloat16)
    with pytest.raises(RuntimeError):
        ops.prompt_flash_attention(x, x, x, num_heads=4, input_layout="BNSD")


Q1 = X[:, :, :1]


@pytest.mark.parametrize(
    "given, error",
    [
        ({"query": Q1.astype(ms.float32)}, TypeError),
        ({"key": KEY}, TypeError),
        ({"key": [KEY.astype(ms.float32)]}, TypeError),
        ({"key": [KEY.astype(ms.bfloat16)], "value": [KEY.astype(ms.bfloat16)]}, TypeError),
        ({"attn_mask": ones(2, 7)}, TypeError),
        ({"pse_shift": ones(1, 4, 1, 7).astype(ms.bfloat16)}, TypeError),
        ({"kv_padding_size": ones(1)}, TypeError),
        ({"scale_value": 1}, TypeError),
        ({"quant_scale2": ones(1)}, TypeError),
        ({"input_layout": "BSND"}, ValueError),
        ({"num_key_value_heads": 3}, ValueError),
        ({"num_heads": 8}, RuntimeError),
        (
            {
                "num_heads": 3,
                "num_key_value_heads": 3,
                "input_layout": "BSH",
                "query": ones(2, 1, 64),
            },
            ValueError,
        ),
        ({"query": X}, RuntimeError),
        ({"actual_seq_lengths": (1, 2, 3)}, ValueError),
        ({"actual_seq_lengths": (1, 8)}, ValueError),
        ({"quant_scale1": ONE}, ValueError),
        ({"dequant_scale2": ONE}, ValueError),
        ({"antiquant_scale": ones(2, 2, 1, 16)}, ValueError),
        ({"block_table": TABLE}, ValueError),
        ({"inner_precise": 2}, ValueError),
        ({"num_heads": 0}, RuntimeError),
        ({"num_key_value_heads": 4}, RuntimeError),
        ({"attn_mask": ones(2, 6, dtype="bool")}, RuntimeError),
        ({"attn_mask": ones(1, 7, dtype="bool")}, RuntimeError),
        ({"key": [KEY] * 2, "value": [KEY] * 2}, RuntimeError),
        ({"key": [KEY] * 2}, RuntimeError),
        ({"block_table": TABLE, "block_size": 4}, RuntimeError),
    ],
)
def test_one_query_refused(given, error):
    given = {
        "query": Q1,
        "key": [KEY],
        "value": [KEY],
        "num_heads": 4,
        "num_key_value_heads": 2,
        "input_layout": "BNSD",
        **given,
    }
    with pytest.raises(error, match="^For 'incre_flash_attention'"):
        ops.incre_flash_attention(**given)


PAGES = ones(3, 2, 4, 16)


@pytest.mark.parametrize(
    "given, error",
    [
        ({"block_table": TABLE[0]}, ValueError),
        ({"block_table": TABLE + 3}, ValueError),
        ({"block_table": TABLE - 1}, ValueError),
        ({"actual_seq_lengths": (9, 8)}, ValueError),
        ({"kv_padding_size": LENGTH}, ValueError),
        ({"key": [PAGES] * 2}, RuntimeError),
        ({"quant_scale2": ones(4, 16, dtype="float32")}, ValueError),
        ({"block_size": 8}, RuntimeError),
        ({"value": [PAGES[:2]]}, RuntimeError),
    ],
)
def test_pages_refused(given, error):
    given = {"key": [PAGES], "value": [PAGES], "block_table": TABLE, "block_size": 4, **given}
    with pytest.raises(error, match="^For 'incre_flash_attention'"):
        ops.incre_flash_attention(
            Q1, num_heads=4, num_key_value_heads=2, input_layout="BNSD", **given
        )


BYTES = KEY.astype(ms.int8)


@pytest.mark.parametrize(
    "given, error",
    [
        ({"query": X.astype(ms.float32)}, TypeError),
        ({"key": [KEY, 1]}, TypeError),
        ({"softmax_lse_flag": 1}, TypeError),
        ({"key": BYTES}, TypeError),
        ({"query": X.astype(ms.bfloat16), "key": BYTES, "value": BYTES}, TypeError),
        ({"input_layout": "SBH"}, ValueError),
        ({"inner_precise": 4}, ValueError),
        ({"key_shared_prefix": KEY}, ValueError),
        ({"value_shared_prefix": KEY}, ValueError),
        ({"actual_shared_prefix_len": (1,)}, ValueError),
        ({"block_table": TABLE}, ValueError),
        ({"antiquant_mode": 1}, ValueError),
        ({"antiquant_mode": 2}, ValueError),
        ({"key": BYTES, "value": BYTES}, ValueError),
        ({"key": BYTES, "value": BYTES, "antiquant_scale": ones(3)}, ValueError),
        ({"key": BYTES, "value": BYTES, "antiquant_scale": ones(2, 3)}, ValueError),
        ({"key_antiquant_scale": ones(1), "value_antiquant_scale": ones(1)}, ValueError),
        ({"query": Q1, "key_antiquant_scale": ones(1)}, ValueError),
        (
            {
                "query": Q1,
                "key": BYTES,
                "value": BYTES,
                "key_antiquant_scale": ones(1),
                "value_antiquant_scale": ones(1),
                "antiquant_scale": ones(2),
            },
            ValueError,
        ),
        (
            {
                "query": Q1,
                "key": BYTES,
                "value": BYTES,
                "key_antiquant_scale": ones(1),
                "value_antiquant_scale": ones(1),
                "antiquant_offset": ones(2),
            },
            ValueError,
        ),
        ({"key": BYTES, "value": BYTES, "antiquant_offset": ones(2)}, ValueError),
        (
            {
                "query": Q1,
                "key_antiquant_scale": ones(1),
                "value_antiquant_scale": ones(1),
                "key_antiquant_mode": 1,
            },
            ValueError,
        ),
        (
            {
                "query": Q1,
                "key": BYTES,
                "value": BYTES,
                "key_antiquant_offset": ones(1),
                "value_antiquant_offset": ones(1),
            },
            ValueError,
        ),
        ({"query": Q1, "inner_precise": 2}, ValueError),
        ({"key": [KEY] * 2, "value": [KEY] * 2}, RuntimeError),
        (
            {"query": Q1, "key": PAGES, "value": PAGES, "block_table": TABLE, "block_size": 4},
            RuntimeError,
        ),
        ({"query": Q1, "input_layout": "BNSD_BSND"}, ValueError),
        ({"query": INT8[:, :, :1], "key": BYTES, "value": BYTES}, ValueError),
        ({"dequant_scale1": ONE}, ValueError),
        ({"sparse_mode": 5}, RuntimeError),
        ({"num_heads": 0}, RuntimeError),
        ({"num_key_value_heads": 3}, RuntimeError),
    ],
)
def test_both_in_one_refused(given, error):
    given = {
        "query": X,
        "key": KEY,
        "value": KEY,
        "num_heads": 4,
        "num_key_value_heads": 2,
        "input_layout": "BNSD",
        **given,
    }
    with pytest.raises(error, match="^For 'fused_infer_attention_score'"):
        ops.fused_infer_attention_score(**given)
