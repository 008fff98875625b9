"""Settings that are one of several words, given something else: a ValueError, as 2.10 has it."""

import pytest

from mindspore_compat import nn, ops

pytestmark = pytest.mark.quick

CALLS = [
    (nn.Conv1d, (4, 4, 2), "pad_mode"),
    (nn.Conv1dTranspose, (4, 4, 2), "pad_mode"),
    (nn.Conv2d, (4, 4, 2), "data_format"),
    (nn.Conv2dTranspose, (4, 4, 2), "pad_mode"),
    (nn.Conv3d, (4, 4, 2), "data_format"),
    (nn.Conv3dTranspose, (4, 4, 2), "data_format"),
    (ops.AvgPool3D, (2,), "data_format"),
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
