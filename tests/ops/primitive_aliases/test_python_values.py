"""Functions of MindSpore's Python layer that take and return Python values.

The numbers are those of MindSpore 2.10 on a CPU.
"""

import numpy as np
import pytest
from mindspore_compat.ops.composite.multitype_ops import add_impl

import mindspore_compat as ms
from mindspore_compat import Tensor
from mindspore_compat.ops import auto_generate as gen
from mindspore_compat.ops import signature as sig
from mindspore_compat.ops.composite import multitype_ops

pytestmark = pytest.mark.quick


@pytest.mark.parametrize(
    "name, arguments, expected",
    [
        ("ScalarAdd", ("a", "b"), "ab"),
        ("ScalarDiv", (7, 2), 3.5),
        ("ScalarFloorDiv", (7, 2), 3),
        ("ScalarMod", (-7, 3), 2),
        ("ScalarMax", (3, 4.5), 4.5),
        ("ScalarUsub", (3,), -3),
        ("ScalarBool", (0,), False),
        ("ScalarLog", (1,), 0.0),
        ("ScalarLe", (2, 2), True),
    ],
)
def test_primitives_of_numbers(name, arguments, expected):
    result = getattr(gen, name)()(*arguments)
    assert result == expected
    assert type(result) is type(expected)


@pytest.mark.parametrize("name", ["ScalarDiv", "ScalarFloorDiv", "ScalarMod"])
def test_a_divisor_of_zero(name):
    with pytest.raises(ValueError, match="divisor"):
        getattr(gen, name)()(7, 0)


@pytest.mark.parametrize(
    "name, value, expected",
    [
        ("to_pair", 2.5, (2.5, 2.5)),
        ("to_kernel_size", (1, 2, 3, 4), (3, 4)),
        ("to_strides", 2, (2, 2)),
        ("to_2d_paddings", [1, 2], [1, 2]),
        ("str_to_enum", "mean", 1),
        ("str_to_enum", "VALID", 2),
        ("str_to_enum", None, None),
        ("dtype_to_type_id", ms.float32, 43),
        ("dtype_to_type_id", ms.bfloat16, 45),
    ],
)
def test_arguments_of_kernels(name, value, expected):
    assert getattr(gen, name)("Op", "arg", value) == expected


def test_arguments_that_kernels_refuse():
    with pytest.raises(ValueError, match="arg"):
        gen.to_pair("Op", "arg", "a")
    with pytest.raises(TypeError, match="arg"):
        gen.str_to_enum("Op", "arg", 3)
    with pytest.raises(TypeError, match="arg"):
        gen.dtype_to_type_id("Op", "arg", None)
    kind = gen.OpDtype
    with pytest.raises(TypeError, match="int, float"):
        gen.type_it("Op", "arg", "a", kind.DT_INT, kind.DT_FLOAT)


def test_casts_between_kinds_of_arguments():
    kind = gen.OpDtype
    cast = gen.type_it("Op", "arg", 3, kind.DT_INT, kind.DT_FLOAT)
    assert type(cast) is float
    tensor = gen.type_it("Op", "arg", (3, 4), kind.DT_TUPLE_INT, kind.DT_TENSOR)
    assert tensor.asnumpy().tolist() == [3, 4]
    assert gen.type_it("Op", "arg", Tensor([1, 2]), kind.DT_TENSOR, kind.DT_LIST_INT) == [1, 2]
    assert gen.is_instance_of(True, kind.DT_INT)
    assert gen.get_support_dtype_list((kind.DT_INT, kind.DT_TENSOR), kind.DT_LIST_INT) == (
        "int, Tensor, list of int"
    )


@pytest.mark.parametrize(
    "name, arguments, expected",
    [
        ("Cast", (Tensor([1.5, -2.5]), 34), [1, -2]),
        ("Tile", (Tensor([1, 2]), (2,)), [1, 2, 1, 2]),
        ("ReduceSum", (Tensor([[1, 2], [3, 4]]), (0,), False, False), [4, 6]),
        ("DivMod", (Tensor([7, -7]), Tensor([2, 2]), 2), [3, -4]),
        ("Arange", (1, 5, 1), [1, 2, 3, 4]),
        ("Concat", ((Tensor([1]), Tensor([2])), 0), [1, 2]),
        ("MeanExt", (Tensor([1.0, 2.0]), None, False, None), 1.5),
    ],
)
def test_results_for_constants(name, arguments, expected):
    infer = getattr(gen, f"infer_value_for_{name}")
    assert infer(*arguments).asnumpy().tolist() == expected
    assert infer(None, *arguments[1:]) is None


def test_a_kernel_takes_all_in_a_list():
    x = Tensor(np.arange(4, dtype=np.float32).reshape(2, 2))
    result = gen.MatMulPrim_()([x, x, False, True])
    assert np.array_equal(result.asnumpy(), gen.matmul_impl(x, x, False, True).asnumpy())
    with pytest.raises(TypeError, match="list"):
        gen.MatMulPrim_()(x)


@pytest.mark.parametrize(
    "name, arguments",
    [
        ("add", (1, 2)),
        ("add", ("a", "b")),
        ("add", ([1], [2])),
        ("mod", ("%d", 3)),
        ("getitem", ({"a": 1}, "a")),
        ("in_", (1, (1, 2))),
        ("not_in_", (1, (1, 2))),
        ("logical_and", (1, 0)),
        ("logical_not", ((1,),)),
        ("less", ((1, 2), (1, 3))),
        ("invert", (3,)),
        ("pow_", (2, 3)),
        ("floordiv", (-7, 2)),
        ("mul", ((1, 2), 2)),
    ],
)
def test_operators_do_what_python_does(name, arguments):
    expected = {
        "add": lambda x, y: x + y,
        "mod": lambda x, y: x % y,
        "getitem": lambda x, y: x[y],
        "in_": lambda x, y: x in y,
        "not_in_": lambda x, y: x not in y,
        "logical_and": lambda x, y: x and y,
        "logical_not": lambda x: not x,
        "less": lambda x, y: x < y,
        "invert": lambda x: ~x,
        "pow_": lambda x, y: x**y,
        "floordiv": lambda x, y: x // y,
        "mul": lambda x, y: x * y,
    }[name](*arguments)
    assert getattr(multitype_ops, name)(*arguments) == expected


def test_operators_of_tensors_and_structures():
    x = Tensor([1.0, 2.0])
    assert multitype_ops.add(x, 1).asnumpy().tolist() == [2, 3]
    assert add_impl.add is multitype_ops.add
    assert add_impl.default_add(1, 2) == 3
    assert multitype_ops.setitem([1, 2], 0, 5) == [5, 2]
    ones, one = multitype_ops.ones_like((x, 3))
    assert ones.asnumpy().tolist() == [1, 1]
    assert (one, multitype_ops.zeros_like(3.5)) == (1, 0.0)
    with pytest.raises(TypeError):
        multitype_ops.add(None, 1)


def test_signatures_of_inputs():
    made = sig.make_sig("var", sig.sig_rw.RW_WRITE, dtype=sig.sig_dtype.T)
    assert (made.name, made.rw, made.dtype) == ("var", sig.sig_rw.RW_WRITE, sig.sig_dtype.T)
    assert sig.make_sig().default == sig.sig_kind.KIND_EMPTY_DEFAULT_VALUE


@pytest.mark.parametrize(
    "name, arguments, expected",
    [
        ("tuple_setitem", ((1, 2), 0, 5), (5, 2)),
        ("list_setitem", ([1], 0, 2), [2]),
        ("dict_setitem", ({"a": 1}, "a", 2), {"a": 2}),
        ("make_dict", (("a",), (1,)), {"a": 1}),
        ("tuple_div", ((6, 4), (3, 2)), (2, 2)),
        ("reduced_shape", ((2, 3), (1,)), (2, 1)),
        ("broadcast_gradient_args", ((2, 3), (3,)), ((), (0,))),
        ("broadcast_gradient_args", ((2, 1), (3,)), ((1,), (0,))),
        ("switch", (Tensor(False), 1, 2), 2),
        ("switch_layer", (1, (3, 4)), 4),
    ],
)
def test_functions_of_tuples_and_shapes(name, arguments, expected):
    assert getattr(ms.ops.functional, name)(*arguments) == expected


def test_functions_of_methods_that_tell_types():
    x = Tensor([3.0, 7.0])
    method = ms.ops.tensor_method
    assert method.tensor_clamp_scalar(x, 4, 5).asnumpy().tolist() == [4, 5]
    assert method.deprecated_tensor_mod(x, 2).asnumpy().tolist() == [1, 1]
    method.tensor_inplace_mul(x, 2)
    assert x.asnumpy().tolist() == [6, 14]
    with pytest.raises(TypeError, match="Tensor"):
        method.tensor_clamp_scalar(3, 4, 5)


def test_functions_by_name():
    registry = ms.ops.functional.tensor_operator_registry
    assert registry.get("tile")(Tensor([1]), (2,)).asnumpy().tolist() == [1, 1]
    registry.register("twice", lambda x: 2 * x)
    assert registry.get("twice")(3) == 6
    with pytest.raises(ValueError, match="obj_str"):
        registry.get("no_such_function")
    with pytest.raises(TypeError, match="obj_str"):
        registry.register(3, None)
    numbers = ms.ops.tensor_range(Tensor(0, ms.int32), Tensor(6, ms.int32), Tensor(2, ms.int32))
    assert numbers.asnumpy().tolist() == [0, 2, 4]
