"""The public module of the types, and pickles written by MindSpore."""

import importlib
import pickle

import pytest

import mindspore_compat as ms
from mindspore_compat._core.tensor import dtype as types
from mindspore_compat.common import dtype


def test_the_window_has_the_types():
    assert dtype.float32 is types.float32 is ms.float32 and dtype.float is types.float32
    assert dtype.bool is types.bool_ and dtype.int is types.int32 and dtype._null is types._null
    assert all(hasattr(dtype, name) for name in dtype.__all__)
    assert not {"bool", "int", "float"} & set(dtype.__all__)
    assert dtype.number_type is types.number_type
    assert ms.bool is types.bool_ and ms.int is types.int32 and ms.float is types.float32


def test_further_paths_are_the_same_module():
    assert importlib.import_module("mindspore_compat.dtype") is dtype


def test_a_pickle_of_the_original():
    written = (
        b"\x80\x04\x954\x00\x00\x00\x00\x00\x00\x00\x8c\x1e"
        b"mindspore._c_expression.typing\x94\x8c\x05Float\x94\x93\x94)\x81\x94K \x85\x94b."
    )
    with_us = written.replace(b"\x1emindspore.", b"%mindspore_compat.").replace(b"\x954", b"\x95;")
    assert pickle.loads(with_us) == types.float32


def test_bytes_of_an_element():
    sizes = {
        dtype.float32: 4,
        dtype.bool_: 1,
        dtype.complex128: 16,
        dtype.number: 1,
        dtype.int_: 1,
        dtype.string: 0,
    }
    assert {each: dtype.type_size_in_bytes(each) for each in sizes} == sizes
    for wrong in (None, 1, "float32", dtype.TensorType):
        with pytest.raises(TypeError, match="For 'type_size_in_bytes'"):
            dtype.type_size_in_bytes(wrong)
