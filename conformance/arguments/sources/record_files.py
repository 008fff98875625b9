"""Small TFRecord files; see `sources`."""

import gzip
import struct


def _part(number, content):
    return bytes([number << 3 | 2, len(content)]) + content


def _example(**features):
    """Returns a `tf.train.Example` message of fewer than 128 bytes, with lists of ints, floats and
    bytes."""
    entries = b""
    for name, values in features.items():
        if isinstance(values[0], bytes):
            kind, content = 1, b"".join(_part(1, value) for value in values)
        elif isinstance(values[0], float):
            kind, content = 2, _part(1, struct.pack(f"<{len(values)}f", *values))
        else:
            kind, content = 3, _part(1, bytes(values))
        entries += _part(1, _part(1, name.encode()) + _part(2, _part(kind, content)))
    return _part(1, entries)


def _checksum(data):
    """Returns the CRC-32C checksum in the form that TFRecord stores."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ 0x82F63B78 * (crc & 1)
    crc ^= 0xFFFFFFFF
    return struct.pack("<I", (crc >> 15 | crc << 17 & 0xFFFFFFFF) + 0xA282EAD8 & 0xFFFFFFFF)


def _frame(message):
    size = struct.pack("<Q", len(message))
    return size + _checksum(size) + message + _checksum(message)


def tfrecord():
    for name, start, count in (("a", 1, 3), ("b", 10, 2)):
        rows = range(start, start + count)
        messages = (_example(n=[row], x=[row / 2, 0.25], s=[b"t%d" % row]) for row in rows)
        content = b"".join(map(_frame, messages))
        yield f"{name}.tfrecord", content
        yield f"{name}.gz", gzip.compress(content, mtime=0)
