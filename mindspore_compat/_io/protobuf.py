"""The protobuf wire format: numbers, byte strings and nested messages.

A message is a sequence of fields, each with a number and one of four kinds. Reading uses a
memoryview and copies nothing; writing returns bytes. The modules of file formats (checkpoint.py,
tfrecord.py) define the meaning of fields.

Source: https://protobuf.dev/programming-guides/encoding/
"""

import struct

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5


def varint(value):
    """Returns an integer in protobuf's encoding: 7 bits per byte, lowest bits first.

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
    """Returns a field with an integer."""
    return varint(number << 3 | VARINT) + varint(value)


def float_field(number, value):
    """Returns a field with a float32."""
    return varint(number << 3 | FIXED32) + struct.pack("<f", value)


def double_field(number, value):
    """Returns a field with a float64."""
    return varint(number << 3 | FIXED64) + struct.pack("<d", value)


def bytes_head(number, length):
    """Returns the head of a field of `length` bytes, so that the bytes need not be joined to it."""
    return varint(number << 3 | BYTES) + varint(length)


def bytes_field(number, data):
    """Returns a field with bytes, a message or (as UTF-8) a text."""
    if isinstance(data, str):
        data = data.encode()
    return bytes_head(number, len(data)) + data


def fields(view):
    """Yields the fields of a message, in order, as (number, kind, value).

    Args:
        view: The message, a memoryview of bytes.

    Yields:
        The field's number, its kind, and an int for VARINT, else a memoryview.

    Raises:
        ValueError: If the bytes are not a message: truncated, or of an unknown kind.
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
    """Reads the integer at `at`; returns it and the next position."""
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


def to_signed(value):
    """Converts a VARINT to a signed 64-bit number."""
    return value - (1 << 64) if value >> 63 else value


def ints(kind, value):
    """Returns the integers of one repeated field, packed or single."""
    if kind == VARINT:
        return [to_signed(value)]
    if kind != BYTES:
        raise ValueError(f"a list of whole numbers is of kind {kind}")
    numbers, at = [], 0
    while at < len(value):
        number, at = read_varint(value, at)
        numbers.append(to_signed(number))
    return numbers


def floats(kind, value):
    """Returns the float32 numbers of one repeated field, packed or single."""
    if kind not in (FIXED32, BYTES) or len(value) % 4:
        raise ValueError("a list of float32 numbers is cut short")
    return list(struct.unpack(f"<{len(value) // 4}f", value))


def unpack_double(value):
    """Returns the float64 numbers of one field, packed or single."""
    if isinstance(value, int) or len(value) % 8:
        raise ValueError("a list of float64 numbers is cut short")
    return list(struct.unpack(f"<{len(value) // 8}d", value))
