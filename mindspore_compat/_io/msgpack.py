"""The part of MessagePack that rows of MindRecord files need: a map from names to plain values.

Values are ints, floats, bools, text and None. Lists, nested maps and extension types do not occur
in such rows.

Source: https://github.com/msgpack/msgpack/blob/master/spec.md
"""

import struct

_INTS = {
    0xCC: "B",
    0xCD: "H",
    0xCE: "I",
    0xCF: "Q",
    0xD0: "b",
    0xD1: "h",
    0xD2: "i",
    0xD3: "q",
    0xCA: "f",
    0xCB: "d",
}
_NUMBERS = {head: struct.Struct(f">{code}") for head, code in _INTS.items()}
_PLAIN = {0xC0: None, 0xC2: False, 0xC3: True}
_TEXT_SIZES = {0xD9: 1, 0xDA: 2, 0xDB: 4}
_MAP_SIZES = {0xDE: 2, 0xDF: 4}


def pack_map(values):
    """Packs a map from text to plain values into bytes.

    Args:
        values (dict): ints of 64 bits, floats, bools, text or None, by name. A float that is exact
            in float32 takes four bytes.

    Raises:
        TypeError: if a value is of another kind.
    """
    parts = [_head(len(values), 0x80, 15, _MAP_SIZES)]
    for name, value in values.items():
        parts += [_pack(name), _pack(value)]
    return b"".join(parts)


def _head(length, short, most, sizes):
    """Returns the head before `length` items or bytes: one byte up to `most`, otherwise a byte and
    the length.
    """
    if length <= most:
        return bytes([short | length])
    for head, size in sizes.items():
        if length < 1 << 8 * size:
            return bytes([head]) + length.to_bytes(size, "big")
    raise ValueError(f"{length} items are more than a map or text can have")


def _pack(value):
    if value is None or isinstance(value, bool):
        return bytes([{None: 0xC0, False: 0xC2, True: 0xC3}[value]])
    if isinstance(value, int):
        return _pack_int(value)
    if isinstance(value, float):
        return _pack_float(value)
    if isinstance(value, str):
        data = value.encode()
        return _head(len(data), 0xA0, 31, _TEXT_SIZES) + data
    raise TypeError(f"a value of type {type(value).__name__} cannot be packed")


def _pack_int(value):
    if -32 <= value < 128:
        return struct.pack(">b", value)
    for head in (0xCC, 0xCD, 0xCE, 0xCF) if value >= 0 else (0xD0, 0xD1, 0xD2, 0xD3):
        try:
            return bytes([head]) + _NUMBERS[head].pack(value)
        except struct.error:
            continue
    raise TypeError(f"{value} has more than 64 bits")


def _pack_float(value):
    try:
        short = _NUMBERS[0xCA].pack(value)
    except OverflowError:
        short = None
    if short is not None and _NUMBERS[0xCA].unpack(short)[0] == value:
        return b"\xca" + short
    return b"\xcb" + _NUMBERS[0xCB].pack(value)


def unpack_map(data):
    """Unpacks a map from bytes to a dict.

    Raises:
        ValueError: if they are not a map of plain values, or are truncated.
    """
    try:
        count, at = _length(data, 0, 0x80, 15, _MAP_SIZES)
        values = {}
        for _ in range(count):
            name, at = _unpack(data, at)
            values[name], at = _unpack(data, at)
    except (IndexError, struct.error) as error:
        raise ValueError("a row is cut short") from error
    return values


def _length(data, at, short, most, sizes):
    head = data[at]
    if head & ~most == short:
        return head & most, at + 1
    if head not in sizes:
        raise ValueError(f"a row has the byte {head:#x} where a map or text must begin")
    end = at + 1 + sizes[head]
    if end > len(data):
        raise ValueError("a row is cut short")
    return int.from_bytes(data[at + 1 : end], "big"), end


def _unpack(data, at):
    head = data[at]
    if head < 0x80 or head >= 0xE0:
        return head - (256 if head >= 0xE0 else 0), at + 1
    if head in _NUMBERS:
        number = _NUMBERS[head]
        return number.unpack_from(data, at + 1)[0], at + 1 + number.size
    if head in _PLAIN:
        return _PLAIN[head], at + 1
    length, at = _length(data, at, 0xA0, 31, _TEXT_SIZES)
    if at + length > len(data):
        raise ValueError("a row is cut short")
    return str(data[at : at + length], "utf-8"), at + length
