"""`ops.typeof` names the types that it was observed to name in MindSpore 2.10."""

import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, ops


@pytest.mark.parametrize(
    "value, name",
    [
        (Tensor([1], ms.int8), "Tensor[Int8]"),
        (ms.Parameter(Tensor([1.0]), name="w"), "Tensor[Float32]"),
        ((1, Tensor([1])), "Tuple[Int64,Tensor[Int64]]"),
        ([True, (1.5, "a")], "List[Bool,Tuple[Float32,String]]"),
        (1.5, "Float32"),
        (None, "None"),
    ],
)
def test_a_value_has_the_type_of_its_parts(value, name):
    assert str(ops.typeof(value)) == name


def test_the_type_of_a_tensor_is_not_its_dtype():
    kind = ops.typeof(Tensor([1.0]))
    assert kind == ms.TensorType(ms.float32) != ms.float32
    assert kind.element_type() == ms.float32
