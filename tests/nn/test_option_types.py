"""A setting that is one of several strings raises ValueError for other types, as in 2.10."""

import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, dataset, mint, nn, ops
from mindspore_compat.dataset import vision
from mindspore_compat.train import ConfusionMatrix

pytestmark = pytest.mark.quick

CALLS = [
    (nn.Conv1d, (4, 4, 2), "pad_mode"),
    (nn.Conv1dTranspose, (4, 4, 2), "pad_mode"),
    (nn.Conv2d, (4, 4, 2), "data_format"),
    (nn.Conv2dTranspose, (4, 4, 2), "pad_mode"),
    (nn.Conv3d, (4, 4, 2), "data_format"),
    (nn.Conv3dTranspose, (4, 4, 2), "data_format"),
    (nn.EmbeddingLookup, (4, 3), "target"),
    (nn.MultiFieldEmbeddingLookup, (4, 3, 2), "operator"),
    (ops.AvgPool3D, (2,), "data_format"),
    (ops.Dilation2D, (2, 1), "pad_mode"),
    (ops.SpaceToBatch, (2,), "paddings"),
    (ms.JitConfig, (), "jit_level"),
    (ms.jit, (), "capture_mode"),
    (ops.MaxPool3D, (2,), "data_format"),
    (ops.MaxUnpool2D, (2,), "data_format"),
    (ops.MaxUnpool3D, (2,), "data_format"),
    (ops.BasicLSTMCell, (), "activation"),
    (ops.DynamicGRUV2, (), "direction"),
    (ops.DynamicGRUV2, (), "activation"),
    (ops.KLDivLoss, (), "reduction"),
    (ops.MirrorPad, (), "mode"),
    (ops.MultilabelMarginLoss, (), "reduction"),
    (ops.TripletMarginLoss, (), "reduction"),
]


@pytest.mark.parametrize("given", [3, True, ("same",), "bad"])
@pytest.mark.parametrize("make, arguments, name", CALLS)
def test_a_setting_of_another_type_is_a_value_error(make, arguments, name, given):
    with pytest.raises(ValueError, match=name):
        make(*arguments, **{name: given})


@pytest.mark.parametrize(
    "call, error",
    [
        (lambda: ops.LogSpace(base=-1), ValueError),
        (lambda: nn.InstanceNorm2d(3, eps=0.0), ValueError),
        (lambda: nn.InstanceNorm2d(3, eps=1.5), ValueError),
        (lambda: ConfusionMatrix(2, normalize=None), ValueError),
        (lambda: vision.PadToSize((20,)), ValueError),
        (lambda: vision.PadToSize(20, (1,)), ValueError),
        (lambda: mint.nn.Embedding(4, 3, norm_type=2), TypeError),
        (lambda: mint.cumsum(Tensor([1.0]), None), TypeError),
        (lambda: mint.unique(Tensor([1.0]), return_inverse=1), TypeError),
        (lambda: mint.nn.functional.dropout(Tensor([1.0]), inplace=1), TypeError),
        (lambda: mint.nn.functional.dropout2d(ops.ones((1, 1, 2, 2)), inplace=1), TypeError),
    ],
)
def test_values_that_the_original_refuses_too(call, error):
    with pytest.raises(error, match="For '"):
        call()


@pytest.mark.parametrize(
    "call",
    [
        lambda: nn.Dense(2, 3, dtype=None),
        lambda: nn.Conv2dTranspose(2, 3, 3, dtype=None),
        lambda: nn.LayerNorm((2,), dtype=None),
        lambda: nn.MultiheadAttention(1.5, 2),
        lambda: nn.TransformerEncoderLayer(True, 2),
        lambda: ms.get_auto_parallel_context(3),
        lambda: ms.context.get_ps_context(None),
        lambda: ms.set_context(mode=None),
        lambda: dataset.GeneratorDataset([1], ["a"], schema=3),
    ],
)
def test_other_types_that_are_value_errors(call):
    with pytest.raises(ValueError, match="^For '"):
        call()


def test_one_head_may_be_true():
    assert nn.MultiheadAttention(4, True).head_dim == 4


@pytest.mark.parametrize("weights", [[], [-1.0], [0.0, 0.0]])
def test_weights_of_a_sampler_are_checked_when_rows_are_read(weights):
    sampler = dataset.WeightedRandomSampler(weights)
    rows = dataset.NumpySlicesDataset([1, 2, 3], sampler=sampler)
    with pytest.raises(RuntimeError, match="WeightedRandomSampler"):
        next(rows.create_tuple_iterator())
