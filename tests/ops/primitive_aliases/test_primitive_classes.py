"""The base classes of user-defined primitives, and the path `ops.primitive`."""

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, ops
from mindspore_compat.ops import primitive


@pytest.mark.parametrize(
    "name",
    [
        "constexpr",
        "prim_arg_register",
        "prim_attr_register",
        "Primitive",
        "PrimitiveWithCheck",
        "PrimitiveWithInfer",
    ],
)
def test_the_path_has_the_names_of_ops(name):
    assert getattr(primitive, name) is getattr(ops, name)


def test_an_unknown_name_is_none_of_the_path():
    with pytest.raises(AttributeError, match="no_such_name"):
        primitive.no_such_name


def test_scripts_import_tensor_from_ops():
    from mindspore_compat.ops import Tensor as same

    assert same is ms.Tensor
    assert "Tensor" not in ops.__all__


class Doubled(ops.PrimitiveWithInfer):
    """A Primitive as users write them."""

    @ops.prim_attr_register
    def __init__(self, times=2):
        pass

    def infer_shape(self, x):
        return x

    def __call__(self, x):
        return x * self.times


def test_a_users_primitive_overrides_what_the_base_tells():
    made = Doubled(3)
    assert isinstance(made, ops.Primitive)
    assert made.infer_shape((1, 2)) == (1, 2)
    assert made.infer_dtype(ms.float32) is None
    assert made.infer_value(1) is None
    np.testing.assert_array_equal(made(Tensor([1, 2])).asnumpy(), [3, 6])


def test_a_primitive_with_check_accepts_all():
    made = ops.PrimitiveWithCheck("Flat")
    assert made.name == "Flat"
    assert made.check_shape((1,)) is made.check_dtype(ms.int8) is None
    assert not isinstance(made, ops.PrimitiveWithInfer)


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("STFT", (64, 16, 32, True, False, True)),
        ("TrilIndices", (4, 3, -1, ms.int64)),
        ("TriuIndices", (4, 3, 1, ms.int32)),
        ("IndexAdd", (1, False, False)),
        ("ApplyAdagradV2", (1e-6, False)),
        ("SparseApplyAdagradV2", (0.1, 1e-6, True, False)),
    ],
)
def test_a_primitive_keeps_every_argument_of_its_constructor(name, given):
    made = getattr(ops, name)(*given)
    assert tuple(made.init_attrs.values()) == given
    assert made._clone().init_attrs == made.init_attrs
