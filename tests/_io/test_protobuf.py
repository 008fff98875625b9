"""The wire format: a round trip, agreement with the protobuf package, and truncated messages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindspore_compat._io import protobuf


@given(st.integers(-(2**63), 2**63 - 1))
def test_whole_numbers_come_back(value):
    ((number, kind, found),) = protobuf.fields(memoryview(protobuf.int_field(7, value)))
    assert (number, kind, protobuf.to_signed(found)) == (7, protobuf.VARINT, value)


@given(st.lists(st.tuples(st.integers(1, 5000), st.binary(max_size=300))))
def test_fields_come_back_in_order(pairs):
    written = b"".join(protobuf.bytes_field(number, data) for number, data in pairs)
    assert [(n, bytes(v)) for n, _, v in protobuf.fields(memoryview(written))] == pairs


@given(st.integers(-(2**63), 2**63 - 1), st.text(max_size=40), st.floats(width=32, allow_nan=False))
def test_the_protobuf_package_writes_the_same(number, text, real):
    descriptor = pytest.importorskip("google.protobuf.struct_pb2")
    value = descriptor.Value(number_value=real)
    assert value.SerializeToString() == protobuf.double_field(2, real)
    assert descriptor.Value(string_value=text).SerializeToString() == protobuf.bytes_field(3, text)
    wrapped = pytest.importorskip("google.protobuf.wrappers_pb2")
    if number:
        assert wrapped.Int64Value(value=number).SerializeToString() == protobuf.int_field(1, number)
    if real:
        assert wrapped.FloatValue(value=real).SerializeToString() == protobuf.float_field(1, real)


def test_lists_packed_or_alone():
    packed = b"".join(map(protobuf.varint, [1, 300, -2]))
    assert protobuf.ints(protobuf.BYTES, memoryview(packed)) == [1, 300, -2]
    assert protobuf.ints(protobuf.VARINT, 5) == [5]
    assert protobuf.floats(protobuf.BYTES, b"\0\0\x80?\0\0\0\xc0") == [1.0, -2.0]


@pytest.mark.parametrize(
    "broken",
    [
        b"\x80",
        b"\x0a\x05abc",
        b"\x09abc",
        b"\x0d",
        b"\x0b",
        b"\x00\x01",
        b"\x08" + b"\xff" * 10,
        b"\x08" + b"\xff" * 9 + b"\x7f",
    ],
)
def test_what_is_no_message_is_refused(broken):
    with pytest.raises(ValueError):
        list(protobuf.fields(memoryview(broken)))
