"""Protobuf's wire format: numbers, byte strings and messages inside messages.

A message is a run of fields, each with a number and one of four kinds. Reading goes over a
memoryview and copies nothing; writing gives bytes. What the fields of a file mean is said by the
file that reads or writes it (checkpoint.py, tfrecord.py).

Source: https://protobuf.dev/programming-guides/encoding/
"""

import struct

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5


def varint(value):
    """A whole number as protobuf stores it: 7 bits a byte, the lowest first.

    A negative number is stored as 64 bits in two's complement.
    """
    value &= 0xFFFFFFFFFFFFFFFF
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def int_field(number, value):
    """A field that holds a whole number."""
    return varint(number << 3 | VARINT) + varint(value)


def float_field(number, value):
    """A field that holds a float32."""
    return varint(number << 3 | FIXED32) + struct.pack("<f", value)


def double_field(number, value):
    """A field that holds a float64."""
    return varint(number << 3 | FIXED64) + struct.pack("<d", value)


def bytes_head(number, length):
    """What stands before `length` bytes of a field, so that they need not be joined to it."""
    return varint(number << 3 | BYTES) + varint(length)


def bytes_field(number, data):
    """A field that holds bytes, a message or (as UTF-8) a text."""
    if isinstance(data, str):
        data = data.encode()
    return bytes_head(number, len(data)) + data


def fields(view):
    """The fields of a message, in order, as (number, kind, value).

    Args:
        view: The message, a memoryview of bytes.

    Yields:
        The field's number, its kind, and an int for VARINT, else a memoryview.

    Raises:
        ValueError: If the bytes are no message: cut short, or of an unknown kind.
    """
    at, end = 0, len(view)
    while at < end:
        key, at = read_varint(view, at)
        number, kind = key >> 3, key & 7
        if number == 0:
            raise ValueError("a field has the number 0")
        if kind == VARINT:
            value, at = read_varint(view, at)
            yield number, kind, value
            continue
        if kind == BYTES:
            length, at = read_varint(view, at)
        elif kind in (FIXED64, FIXED32):
            length = 8 if kind == FIXED64 else 4
        else:
            raise ValueError(f"a field is of kind {kind}, which no file here has")
        if length > end - at:
            raise ValueError(f"a field of {length} bytes has {end - at} bytes left")
        yield number, kind, view[at : at + length]
        at += length


def read_varint(view, at):
    """The whole number that begins at `at`, and where the next thing begins."""
    value = shift = 0
    while True:
        if at >= len(view):
            raise ValueError("a number is cut short")
        byte = view[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            if value >> 64:
                raise ValueError("a number has more than 64 bits")
            return value, at
        shift += 7
        if shift > 63:
            raise ValueError("a number has more than 64 bits")


def signed(value):
    """A VARINT as the signed 64-bit number it stands for."""
    return value - (1 << 64) if value >> 63 else value


def ints(kind, value):
    """The whole numbers of one repeated field, packed into bytes or standing alone."""
    if kind == VARINT:
        return [signed(value)]
    if kind != BYTES:
        raise ValueError(f"a list of whole numbers is of kind {kind}")
    found, at = [], 0
    while at < len(value):
        number, at = read_varint(value, at)
        found.append(signed(number))
    return found


def floats(kind, value):
    """The float32 numbers of one repeated field, packed or alone."""
    if kind not in (FIXED32, BYTES) or len(value) % 4:
        raise ValueError("a list of float32 numbers is cut short")
    return list(struct.unpack(f"<{len(value) // 4}f", value))


def unpack_double(value):
    """The float64 numbers of one field, packed or alone."""
    if isinstance(value, int) or len(value) % 8:
        raise ValueError("a list of float64 numbers is cut short")
    return list(struct.unpack(f"<{len(value) // 8}d", value))
