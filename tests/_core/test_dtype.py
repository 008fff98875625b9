"""MindSpore's dtype objects, their NumPy counterparts, and MindSpore 2.10's promotion."""

import copy
import pickle
import tracemalloc

import ml_dtypes
import numpy as np
import pytest
from kit.loops import without_compiler

from mindspore_compat import Parameter
from mindspore_compat import dataset as ds
from mindspore_compat._core.tensor import dtype as mstype
from mindspore_compat._core.tensor import python_types
from mindspore_compat._core.tensor.promotion import division_np, promote_np, scalar_np
from mindspore_compat._core.tensor.tensor import Tensor

pytestmark = pytest.mark.quick

# name, printed, bytes, floating, complex, signed, NumPy's name, Python's type
NUMBERS = """
    bool_ Bool 1 - - - bool bool
    int8 Int8 1 - - signed int8 int
    int16 Int16 2 - - signed int16 int
    int32 Int32 4 - - signed int32 int
    int64 Int64 8 - - signed int64 int
    uint8 UInt8 1 - - - uint8 int
    uint16 UInt16 2 - - - uint16 int
    uint32 UInt32 4 - - - uint32 int
    uint64 UInt64 8 - - - uint64 int
    float16 Float16 2 floating - signed float16 float
    bfloat16 BFloat16 2 floating - signed bfloat16 float
    float32 Float32 4 floating - signed float32 float
    float64 Float64 8 floating - signed float64 float
    complex64 Complex64 8 - complex signed complex64 complex
    complex128 Complex128 16 - complex signed complex128 complex
    qint4x2 Int4 1 - - signed - -
    float8_e4m3fn Float8E4M3FN 1 floating - signed - -
    float8_e5m2 Float8E5M2 1 floating - signed - -
    hifloat8 HiFloat8 1 floating - signed - -
    int_ Int 1 - - signed - int
    uint UInt 1 - - - - -
    float_ Float 1 floating - signed - float
    number Number 1 - - - - -
"""
OTHERS = """
    string String string_ / list_ List list_ / tuple_ Tuple tuple_ / tensor_type Tensor tensor /
    type_none None type_none / _null Null Null / type_type TypeType type_type /
    function Func function / env_type Object:EnvType env_type / coo_tensor COOTensor COOTensor /
    csr_tensor CSRTensor CSRTensor / index_slices RowTensor RowTensor /
    symbolic_key Object:SymbolicKey symbolic_key / type_refkey Object:RefKey type_refkey /
    undetermined Undetermined Undetermined
"""
ALIASES = """
    byte int8 / short int16 / intc int32 / long int64 / intp int64 / ubyte uint8 / ushort uint16 /
    uintc uint32 / uintp uint64 / half float16 / single float32 / double float64 /
    cfloat complex64 / cdouble complex128 / bool bool_ / int int32 / float float32
"""


@pytest.mark.parametrize("line", NUMBERS.strip().splitlines(), ids=lambda line: line.split()[0])
def test_numbers(line):
    name, printed, size, floating, complex_, signed, numpy_name, python = line.split()
    made = getattr(mstype, name)
    assert str(made) == printed
    assert made.itemsize == int(size)
    assert made.is_floating_point is (floating == "floating")
    assert made.is_complex is (complex_ == "complex")
    assert made.is_signed is (signed == "signed")
    assert isinstance(made, mstype.Type) and isinstance(made, mstype.Number)
    if python == "-":
        with pytest.raises(KeyError):
            python_types.dtype_to_pytype(made)
    else:
        assert python_types.dtype_to_pytype(made).__name__ == python
    if numpy_name == "-":
        with pytest.raises((KeyError, TypeError)):
            mstype.dtype_to_nptype(mstype.int_)
    else:
        assert np.dtype(mstype.dtype_to_nptype(made)).name == numpy_name
        assert mstype.to_numpy(made).name == numpy_name
        assert mstype.from_numpy(mstype.to_numpy(made)) is made


@pytest.mark.parametrize("line", OTHERS.split("/"), ids=lambda line: line.split()[0])
def test_other_types_print(line):
    name, printed, represented = line.split()
    assert str(getattr(mstype, name)) == printed
    assert repr(getattr(mstype, name)) == f"mindspore.{represented}"


def test_aliases():
    for line in ALIASES.split("/"):
        alias, name = line.split()
        assert mstype.exported[alias] is getattr(mstype, name)


def test_repr_is_the_public_path():
    assert repr(mstype.float32) == "mindspore.float32"
    assert repr(mstype.bool_) == "mindspore.bool"
    assert repr(mstype.int_) == "mindspore.int"


def test_equality_is_by_value():
    assert mstype.float32 == mstype.Float(32) and hash(mstype.float32) == hash(mstype.Float(32))
    assert mstype.float32 != mstype.float64 and mstype.int_ != mstype.int64
    assert mstype.float32 != np.float32 and mstype.float32 != "float32"
    assert mstype.float8_e4m3fn != mstype.float8_e5m2
    assert mstype.List([mstype.int8]) != mstype.list_ == mstype.List()
    assert mstype.TensorType(mstype.int8) == mstype.TensorType(mstype.int8) != mstype.tensor_type
    assert {mstype.Int(8): 1}[mstype.int8] == 1


def test_dtypes_have_no_order_and_are_not_functions():
    with pytest.raises(TypeError):
        mstype.float32 < mstype.float64  # noqa: B015
    with pytest.raises(TypeError):
        mstype.float32(1)
    with pytest.raises(TypeError):
        mstype.Type()
    with pytest.raises(ValueError, match="must be one of 16, 32, 64, but got 7"):
        mstype.Float(7)


@pytest.mark.parametrize("name", sorted(set(mstype.exported) - {"tensor_type"}))
def test_pickle_and_copy_keep_the_object(name):
    made = mstype.exported[name]
    assert pickle.loads(pickle.dumps(made)) == made
    assert copy.deepcopy(made) is made
    assert type(pickle.loads(pickle.dumps(made))) is type(made)


def test_the_originals_pickles_are_read():
    for original, state, name in (
        (mstype.Float, (32,), "float32"),
        (mstype.Int, (8,), "int8"),
        (mstype.BFloat, (16,), "bfloat16"),
        (mstype.Bool, (), "bool_"),
    ):
        made = original.__new__(original)
        made.__setstate__(state)
        assert made == getattr(mstype, name) and str(made) == str(getattr(mstype, name))


def test_composed_types_print():
    assert str(mstype.TensorType(mstype.float32)) == "Tensor[Float32]"
    assert repr(mstype.TensorType(mstype.float32)) == "mindspore.tensor[float32]"
    assert str(mstype.Tuple([mstype.int8, mstype.float32])) == "Tuple[Int8,Float32]"
    assert str(mstype.List([mstype.int8])) == "List[Int8]"
    assert repr(mstype.List([mstype.int8])) == "mindspore.list_"
    assert mstype.TensorType(mstype.float32).element_type() == mstype.float32


def test_complex_counterparts():
    assert mstype.float32.to_complex() == mstype.bfloat16.to_complex() == mstype.complex64
    assert mstype.float64.to_complex() == mstype.complex128.to_complex() == mstype.complex128
    assert mstype.complex64.to_real() == mstype.float32
    assert mstype.complex128.to_real() == mstype.float64
    assert mstype.int8.to_real() == mstype.int8 and mstype.float16.to_real() == mstype.float16
    for refused in (
        mstype.int8.to_complex,
        mstype.float16.to_complex,
        mstype.int_.to_real,
        mstype.number.to_real,
        mstype.float_.to_complex,
    ):
        with pytest.raises(TypeError, match="Cannot convert type"):
            refused()


def test_numpy_dtypes():
    assert mstype.to_numpy(mstype.bfloat16) == np.dtype(ml_dtypes.bfloat16)
    assert mstype.to_numpy(mstype.float8_e5m2) == np.dtype(ml_dtypes.float8_e5m2)
    assert mstype.from_numpy(np.dtype("U5")) is mstype.string
    assert mstype.from_numpy(np.dtype("S5")) is mstype.string
    assert mstype.from_numpy(np.dtype("longlong")) is mstype.int64
    for refused in (np.dtype(object), np.dtype("datetime64[s]"), np.dtype("longdouble")):
        with pytest.raises(TypeError, match="not supported"):
            mstype.from_numpy(refused)
    for refused in ("float32", np.float32, None, [1], mstype.string, mstype.int_, mstype.qint4x2):
        with pytest.raises(TypeError, match="must be a mindspore dtype"):
            mstype.to_numpy(refused)


@pytest.mark.parametrize(
    "given, name",
    [
        (int, "int64"),
        (float, "float64"),
        (bool, "bool_"),
        (complex, "complex128"),
        (str, "string"),
        (list, "list_"),
        (tuple, "tuple_"),
        (type(None), "type_none"),
        (np.int8, "int8"),
        (np.float16, "float16"),
        (np.bool_, "bool_"),
        (np.uint16, "uint16"),
        (mstype.int8, "int8"),
        (np.dtype("float32"), "float32"),
    ],
)
def test_pytype_to_dtype(given, name):
    assert python_types.pytype_to_dtype(given) == getattr(mstype, name)


def test_pytype_to_dtype_refuses():
    for refused in (dict, object, slice, np.complex64):
        with pytest.raises(NotImplementedError, match="must be a type that has a dtype"):
            python_types.pytype_to_dtype(refused)
    with pytest.raises(TypeError, match="'obj' must be a type"):
        python_types.pytype_to_dtype("float32")


@pytest.mark.parametrize(
    "given, name",
    [
        (1, "int64"),
        (1.5, "float64"),
        (True, "bool_"),
        ("a", "string"),
        ([1], "list_"),
        ((1,), "tuple_"),
        (None, "type_none"),
        (np.float32(1), "float32"),
        (mstype.float32, "type_type"),
        (int, "int64"),
        (lambda x: x, "function"),
    ],
)
def test_get_py_obj_dtype(given, name):
    assert python_types.get_py_obj_dtype(given) == getattr(mstype, name)


def test_get_py_obj_dtype_of_tensors_and_strangers():
    class Holder:
        dtype = mstype.float32

    assert python_types.get_py_obj_dtype(Holder()) == mstype.TensorType(mstype.float32)
    for refused in ({}, np.ones(1), slice(1)):
        with pytest.raises(NotImplementedError):
            python_types.get_py_obj_dtype(refused)


def test_issubclass():
    is_of = mstype.issubclass_
    assert is_of(mstype.float32, mstype.number) and is_of(mstype.float32, mstype.float_)
    assert is_of(mstype.bool_, mstype.number)
    assert not is_of(mstype.float32, mstype.int_) and not is_of(mstype.int_, mstype.int32)
    with pytest.raises(TypeError):
        is_of(mstype.float32, 1)


def test_sizes_in_bytes():
    sized = {mstype.float32: 4, mstype.bool_: 1, mstype.complex128: 16, mstype.bfloat16: 2}
    assert all(mstype.type_size_in_bytes(each) == size for each, size in sized.items())
    assert mstype.type_size_in_bytes(mstype.string) == 0


def test_quantised_formats():
    assert mstype.QuantDtype.INT8.value() == 7 and mstype.QuantDtype.UINT4.value() == 103
    assert str(mstype.QuantDtype.INT8) == "INT8" and len(mstype.QuantDtype) == 32


def test_groups():
    assert len(mstype.number_type) == 18 and mstype.all_types == (mstype.bool_, *mstype.number_type)
    assert len(mstype.signed_type) == 14 and len(mstype.float_type) == 7


# Measured on MindSpore 2.10: the dtype of a + b for every pair; "-" is a TypeError.
SUMS = """
    b   b   i1  i2  i4  i8  u1  u2  u4  u8  f2  bf  f4  f8  c8  c16
    i1  i1  i1  i2  i4  i8  i2  -   -   -   f2  bf  f4  f8  c8  c16
    i2  i2  i2  i2  i4  i8  i2  -   -   -   f2  bf  f4  f8  c8  c16
    i4  i4  i4  i4  i4  i8  i4  -   -   -   f2  bf  f4  f8  c8  c16
    i8  i8  i8  i8  i8  i8  i8  -   -   -   f2  bf  f4  f8  c8  c16
    u1  u1  i2  i2  i4  i8  u1  -   -   -   f2  bf  f4  f8  c8  c16
    u2  u2  -   -   -   -   -   u2  -   -   -   -   -   -   -   -
    u4  u4  -   -   -   -   -   -   u4  -   -   -   -   -   -   -
    u8  u8  -   -   -   -   -   -   -   u8  -   -   -   -   -   -
    f2  f2  f2  f2  f2  f2  f2  -   -   -   f2  f4  f4  f8  c8  c16
    bf  bf  bf  bf  bf  bf  bf  -   -   -   f4  bf  f4  f8  c8  c16
    f4  f4  f4  f4  f4  f4  f4  -   -   -   f4  f4  f4  f8  c8  c16
    f8  f8  f8  f8  f8  f8  f8  -   -   -   f8  f8  f8  f8  c16 c16
    c8  c8  c8  c8  c8  c8  c8  -   -   -   c8  c8  c8  c16 c8  c16
    c16 c16 c16 c16 c16 c16 c16 -   -   -   c16 c16 c16 c16 c16 c16
"""
# The dtype of a Tensor; the dtypes of its products with a bool, an int and a float ("*" if
# MindSpore refuses the product but accepts the quotient); the dtype of its quotient by any of them.
WITH_NUMBERS = """
    b   b   i8  f4   f4  /  i1  i1  i1  f4   f4  /  i2  i2  i2  f4  f4  /  i4  i4  i4  f4  f4
    / i8  i8  i8  f4  f4  /  u1  u1  u1  f4  f4  /  u2  u2  u2  *  f4  /  u4  u4  u4  *  f4
    / u8  u8  u8  *   f4  /  f2  f2  f2  f2  f2  /  bf  bf  bf  bf  bf /  f4  f4  f4  f4  f4
    / f8  f8  f8  f8  f8  /  c8  c8  c8  c8  c8  /  c16 c16 c16 c16 c16
"""


def numpy_of(code):
    return np.dtype(ml_dtypes.bfloat16) if code == "bf" else np.dtype(code.replace("b", "?"))


def test_promotion_of_tensors_is_the_measured_table():
    rows = [line.split() for line in SUMS.strip().splitlines()]
    codes = [row[0] for row in rows]
    for a, *results in rows:
        for b, result in zip(codes, results, strict=True):
            if result == "-":
                with pytest.raises(TypeError, match="have no common dtype"):
                    promote_np(numpy_of(a), numpy_of(b))
            else:
                assert promote_np(numpy_of(a), numpy_of(b)) is numpy_of(result), (a, b)


def test_promotion_with_numbers_is_the_measured_table():
    for row in WITH_NUMBERS.split("/"):
        code, *products, quotient = row.split()
        for kind, product in zip((bool, int, float), products, strict=True):
            found = scalar_np(numpy_of(code), kind)
            assert product == "*" or found is numpy_of(product), (code, kind)
            assert division_np(found) is numpy_of(quotient)


def test_promotion_with_complex_numbers_follows_the_rule():
    assert scalar_np(numpy_of("f4"), complex) is numpy_of("c8")
    assert scalar_np(numpy_of("f8"), complex) is numpy_of("c16")
    assert scalar_np(numpy_of("c16"), complex) is numpy_of("c16")


def test_what_is_no_number_does_not_mix():
    text, small = np.dtype("U3"), np.dtype(ml_dtypes.float8_e5m2)
    assert promote_np(text, text) == text and promote_np(small, small) == small
    for other in (text, small):
        for number in ("?", "f4", "i4"):
            with pytest.raises(TypeError, match="have no common dtype"):
                promote_np(other, np.dtype(number))
        with pytest.raises(TypeError, match="have no common dtype"):
            scalar_np(other, int)


def test_promotion_in_mindspores_dtypes():
    assert mstype.promote(mstype.int8, mstype.uint8) == mstype.int16
    assert mstype.promote(mstype.float16, mstype.bfloat16) == mstype.float32
    assert mstype.promote(mstype.int32, float) == mstype.float32
    assert division_np(numpy_of("i8")) is numpy_of("f4")
    assert division_np(numpy_of("f2")) is numpy_of("f2")


def test_an_array_is_cast_without_a_copy_of_its_own_dtype(monkeypatch):
    without_compiler(monkeypatch)
    given = np.ones((1000, 1000))
    tracemalloc.start()
    try:
        made = Tensor(given.T, mstype.float32)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert made.asnumpy().flags.c_contiguous and most < 1.5 * made.nbytes


def test_arrays_of_int64_are_printed_with_their_dtype():
    tensor = Tensor([1, 2])
    assert repr(tensor.asnumpy()) == repr(np.asarray(tensor)) == "array([1, 2], dtype=int64)"
    assert repr(Tensor(3).numpy()) == "array(3, dtype=int64)"
    assert repr(Tensor([1], mstype.int32).asnumpy()) == "array([1], dtype=int32)"
    rows = ds.NumpySlicesDataset([[1, 2]], shuffle=False).batch(1)
    (row,) = rows.create_tuple_iterator(num_epochs=1, output_numpy=True)
    assert repr(row) == "[array([[1, 2]], dtype=int64)]"


@pytest.mark.host  # `asnumpy` returns a copy of an array on a GPU
def test_a_tensor_shares_the_numpy_array_of_int64_that_it_returns():
    tensor = Tensor([1, 2])
    tensor.asnumpy()[0] = 5
    assert tensor.tolist() == [5, 2]


@pytest.mark.parametrize("convert", [Tensor, Tensor.from_numpy, Parameter])
def test_tensors_hold_int64_of_one_kind(convert):
    for array in (np.array([1, 2]), np.array([1, 2], "longlong"), Tensor([1, 2]).asnumpy()):
        held = convert(array)._array
        assert held.dtype.char == np.dtype(np.int64).char and held.tolist() == [1, 2]
