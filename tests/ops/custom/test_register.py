"""Descriptions of custom operators: the same dicts as MindSpore makes."""

import pytest

from mindspore_compat.ops import (
    AiCPURegOp,
    CustomRegOp,
    DataType,
    TBERegOp,
    custom_info_register,
    op_info_register,
)

PAIR = ("float32", "DefaultFormat")


def test_pairs_of_dtype_and_layout():
    assert DataType.F32_Default == PAIR and DataType.F16_5HD == ("float16", "NC1HWC0")
    assert DataType.I32_Default_Tuple == ("int32", "DefaultFormat", "tuple")
    assert DataType.BOOL_None == ("bool", "")


def test_a_custom_operator():
    made = (
        CustomRegOp()
        .input(0, "x")
        .output(0, "y")
        .dtype_format(PAIR, PAIR)
        .attr("a", "required", "all")
        .target("CPU")
        .get_op_info()
    )
    assert made == {
        "op_name": "Custom",
        "inputs": [{"index": 0, "name": "x", "paramType": "required"}],
        "outputs": [{"index": 0, "name": "y", "paramType": "required"}],
        "attr": [{"name": "a", "paramType": "required", "type": "all"}],
        "fusion_type": "",
        "dtype_format": [(PAIR, PAIR)],
        "target": "CPU",
    }


def test_an_operator_of_tbe_has_its_settings():
    made = (
        TBERegOp("Square")
        .fusion_type("OPAQUE")
        .compute_cost(5)
        .partial_flag(False)
        .input(0, "x", False, "required", "all")
        .output(0, "y", False, "required", "all")
        .dtype_format(PAIR, PAIR)
        .get_op_info()
    )
    assert made["imply_type"] == "TBE" and made["compute_cost"] == 5
    assert made["partial_flag"] is False and made["real_input_index"] == []
    assert made["inputs"][0]["needCompile"] is False
    assert made["outputs"][0]["need_compile"] is False


def test_what_is_not_given_is_left_out():
    made = TBERegOp("S").op_pattern().input().input(0, "x", value_depend="required", more="yes")
    assert made.get_op_info()["op_pattern"] == ""
    assert made.inputs == [{}, {"index": 0, "name": "x", "valueDepend": "required", "more": "yes"}]
    assert CustomRegOp().output().outputs == [{"paramType": "required"}]


def test_the_target_of_a_custom_operator_is_unknown_until_it_is_set():
    made = CustomRegOp("Add")
    assert made.get_op_info()["target"] == "UnKnown"
    assert made.target("CPU").get_op_info()["target"] == "CPU"


def test_settings_before_and_after_their_methods_are_called():
    made = TBERegOp("S")
    assert made.get_op_info()["partial_flag"] is False
    assert made.partial_flag().get_op_info()["partial_flag"] is True
    made.unknown_shape_formats(["ND"]).unknown_shape_formats(["NCHW"])
    assert made.get_op_info()["unknown_shape_formats"] == [["ND"], ["NCHW"]]


def test_descriptions_share_nothing():
    TBERegOp("A").compute_cost(1).input(0, "x")
    assert TBERegOp("B").get_op_info()["inputs"] == []
    assert TBERegOp("B").get_op_info()["compute_cost"] == 10


@pytest.mark.parametrize(
    "call, error",
    [
        (lambda: AiCPURegOp(5), ValueError),
        (lambda: AiCPURegOp(""), ValueError),
        (lambda: AiCPURegOp("S").input("0", "x"), TypeError),
        (lambda: AiCPURegOp("S").fusion_type(3), TypeError),
        (lambda: AiCPURegOp("S").dtype_format(PAIR), ValueError),
        (lambda: op_info_register(3)(len), TypeError),
        (lambda: TBERegOp("S").input(0, "x", value_depend="always"), ValueError),
        (lambda: TBERegOp("S").output(0, "y", True, "required", "all", "required"), TypeError),
        (lambda: TBERegOp("S").kernel_name(), TypeError),
    ],
)
def test_what_is_no_description_is_refused(call, error):
    with pytest.raises(error):
        call()


def test_decorators_give_the_function_back():
    info = {"op_name": "S"}
    registered = custom_info_register(info)(lambda x: x + 1)
    assert registered(1) == 2 and registered.reg_info == (info,)


def test_values_of_attributes_are_of_any_type():
    op = CustomRegOp("add").attr(value=1).attr("axes", value=[1, 2])
    assert op.attr_ == [{"value": 1}, {"name": "axes", "value": [1, 2]}]
    with pytest.raises(TypeError, match="must be of type str, but got int"):
        op.attr(param_type=1)
