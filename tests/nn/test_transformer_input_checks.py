"""Checks that libraries import from the older transformer layers."""

import pytest
from mindspore_compat.nn.transformer import TransformerOpParallelConfig, layers
from mindspore_compat.nn.transformer.layers import _LayerInputCheck as Shapes
from mindspore_compat.nn.transformer.op_parallel_config import _check_config

import mindspore_compat as ms
from mindspore_compat import dtype as mstype


class Layer:
    @layers._args_type_validator_check(
        width=layers._valid_type_checks([int], "Layer"),
        compute=layers._valid_value_checks([mstype.float16, mstype.float32], "Layer"),
    )
    def __init__(self, width, compute=mstype.float32, name="layer"):
        self.width, self.compute, self.name = width, compute, name


def test_arguments_of_a_function():
    assert Layer(3).width == 3 and Layer(3, compute=mstype.float16, name=5).name == 5
    with pytest.raises(TypeError, match="'width'.*Layer|Layer.*'width'"):
        Layer("3")
    with pytest.raises(TypeError, match="compute"):
        Layer(3, mstype.int32)


def test_dtypes():
    layers._check_input_dtype(mstype.float16, "x", [mstype.float16], "Layer")
    with pytest.raises(TypeError, match="x"):
        layers._check_input_dtype(mstype.int8, "x", [mstype.float16], "Layer")


@pytest.mark.parametrize(
    "use_past, is_tensor, is_default, error",
    [
        (False, False, True, None),
        (True, True, False, None),
        (True, False, True, TypeError),
        (False, True, False, TypeError),
        (False, False, False, ValueError),
    ],
)
def test_inputs_for_single_steps(use_past, is_tensor, is_default, error):
    arguments = use_past, "key_past", "Layer", None, is_tensor, is_default
    if error is None:
        assert layers._check_past_none_input_none(*arguments)
    else:
        with pytest.raises(error, match="For 'Layer', 'key_past' must be"):
            layers._check_past_none_input_none(*arguments)


@pytest.mark.parametrize(
    "check, arguments, good",
    [
        (Shapes.check_shape_length, ("x", "Layer", [2, 3]), True),
        (Shapes.check_shape_length, ("x", "Layer", 3), False),
        (Shapes.check_shape_equal, ("x", "Layer", [[4, 5], [2, 5]]), True),
        (Shapes.check_shape_equal, ("x", "Layer", [4, 5]), False),
        (Shapes.check_shape_equal_without_batch, ("x", "Layer", [9, 5]), True),
        (Shapes.check_shape_equal_without_batch, ("x", "Layer", [2, 6]), False),
    ],
)
def test_shapes(check, arguments, good):
    if good:
        assert check((2, 5), *arguments)
    else:
        with pytest.raises(ValueError, match="For 'Layer', 'x' must have"):
            check((2, 5), *arguments)


def test_one_length():
    assert Shapes.check_shape_value_on_axis((2, 5), 1, "x", "Layer", 5)
    with pytest.raises(ValueError, match="the length 6 along axis 1"):
        Shapes.check_shape_value_on_axis((2, 5), 1, "x", "Layer", 6)


def test_stages():
    config = TransformerOpParallelConfig(pipeline_stage=2, micro_batch_num=1)
    try:
        ms.set_auto_parallel_context(pipeline_stages=1)
        with pytest.raises(ValueError, match="that of the context, 1, but got 2"):
            _check_config(config)
        ms.set_auto_parallel_context(pipeline_stages=2)
        with pytest.raises(ValueError, match="'micro_batch_num'"):
            _check_config(config)
        _check_config(TransformerOpParallelConfig(pipeline_stage=2, micro_batch_num=2))
    finally:
        ms.reset_auto_parallel_context()
