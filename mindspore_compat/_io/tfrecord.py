"""TFRecord files: records with checksums, and the Examples in them.

A record consists of a length of 8 bytes, its masked CRC-32C, the data, and their masked CRC-32C.
The data of a dataset are Example messages: lists of byte strings, float32 or int64 by name. Event
files have the same records (train/summary).

Source: https://www.tensorflow.org/tutorials/load_data/tfrecord#tfrecords_format_details and
tensorflow/core/example/feature.proto.
"""

import os
import struct
import zlib

import numpy as np

from .compressed import Inflated
from .crc import masked_crc
from .protobuf import BYTES, FIXED32, VARINT, bytes_field, fields, varint
from .reading import reading


class TFRecordError(ValueError, RuntimeError):
    """A file that is damaged or not a TFRecord file. MindSpore raises a RuntimeError."""


_HEAD = struct.Struct("<QI")
_TAIL = struct.Struct("<I")
COMPRESSIONS = ("", "GZIP", "ZLIB")


def frame(data):
    """Frames a record with its length and checksums."""
    length = len(data).to_bytes(8, "little")
    return b"".join([length, _TAIL.pack(masked_crc(length)), data, _TAIL.pack(masked_crc(data))])


def _open_file(path, compression):
    return Inflated(path, compression) if compression else open(path, "rb")


def records(path, compression=""):
    """Yields the records of a file as bytes.

    Args:
        path (str): the file.
        compression (str): "", "GZIP" or "ZLIB".

    Raises:
        TFRecordError: if it is not such a file, is truncated, a checksum is wrong, or a compressed
            record is larger than `most_bytes` of `reading` allows.
    """
    number = 0
    try:
        with _open_file(path, compression) as file:
            size = None if compression else os.path.getsize(path)
            while True:
                head = file.read(_HEAD.size)
                if not head:
                    return
                data = _record(file, head, size)
                number += 1
                yield data
    except (OSError, EOFError, zlib.error, ValueError) as error:
        raise TFRecordError(
            f"{path!r} is not a TFRecord file that can be read, or is damaged at "
            f"record {number}: {error}"
        ) from error


def _record(file, head, size):
    if len(head) < _HEAD.size:
        raise ValueError("it is cut short")
    length, check = _HEAD.unpack(head)
    if masked_crc(head[:8]) != check:
        raise ValueError("the check sum of a length is wrong")
    if size is not None and length > size:
        raise ValueError(f"a record of {length} bytes is longer than the file")
    data, tail = file.read(length), file.read(_TAIL.size)
    if len(data) < length or len(tail) < _TAIL.size:
        raise ValueError("it is cut short")
    if _TAIL.unpack(tail)[0] != masked_crc(data):
        raise ValueError("a check sum is wrong")
    return data


def count_records(path, compression=""):
    """Counts the records of a file. Without compression, only their lengths are read.

    Raises:
        TFRecordError: if it is not such a file.
    """
    if compression:
        return sum(1 for _ in records(path, compression))
    count = 0
    problem = "is not a TFRecord file that can be read"
    with reading(path, TFRecordError, problem), open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        while file.tell() < size:
            head = file.read(_HEAD.size)
            length, check = _HEAD.unpack(head) if len(head) == _HEAD.size else (size + 1, 0)
            if length > size or masked_crc(head[:8]) != check:
                raise TFRecordError(f"{path!r} {problem}, or is damaged at record {count}.")
            file.seek(length + _TAIL.size, os.SEEK_CUR)
            count += 1
    return count


def parse_example(data):
    """Parses the features of an Example by name: a list of bytes, or an array of float32 or int64.

    A feature without a kind is None.

    Raises:
        ValueError: if the bytes are not an Example.
    """
    named_features = {}
    for _, kind, features in _messages(data, 1):
        for _, _, entry in _messages(features, 1):
            name, value = "", None
            for number, kind, part in fields(entry):
                if kind != BYTES:
                    raise ValueError("a feature is no message")
                if number == 1:
                    name = str(part, "utf-8")
                elif number == 2:
                    value = _feature(part)
            named_features[name] = value
    return named_features


def _messages(data, field_number):
    for number, kind, part in fields(memoryview(data)):
        if number == field_number:
            if kind != BYTES:
                raise ValueError("a field is no message")
            yield number, kind, part


def _feature(data):
    value = None
    for number, kind, part in fields(data):
        if kind != BYTES or number not in (1, 2, 3):
            raise ValueError("a feature has an unknown field")
        value = (_byte_strings, _floats, _ints)[number - 1](part)
    return value


def _byte_strings(data):
    return [bytes(part) for _, _, part in _messages(data, 1)]


def _floats(data):
    parts = []
    for _, kind, part in fields(data):
        if kind not in (BYTES, FIXED32) or len(part) % 4:
            raise ValueError("a list of floats is cut short")
        parts.append(bytes(part))
    return np.frombuffer(b"".join(parts), "<f4")


def _ints(data):
    parts = []
    for _, kind, part in fields(data):
        if kind == VARINT:
            parts.append(np.array([part], np.uint64).view(np.int64))
        elif kind == BYTES:
            parts.append(varints(part))
        else:
            raise ValueError("a list of ints is of another kind")
    return np.concatenate(parts) if parts else np.zeros(0, np.int64)


def varints(data):
    """Decodes consecutive varints to an int64 array.

    Raises:
        ValueError: if the last one is truncated, or one has more than 10 bytes.
    """
    data_bytes = np.frombuffer(data, np.uint8)
    if not len(data_bytes):
        return np.zeros(0, np.int64)
    ends = np.flatnonzero(data_bytes < 128)
    if not len(ends) or ends[-1] != len(data_bytes) - 1:
        raise ValueError("a number is cut short")
    starts = np.concatenate([[0], ends[:-1] + 1])
    if (ends - starts).max() > 9:
        raise ValueError("a number has more than 64 bits")
    positions = np.arange(len(data_bytes)) - np.repeat(starts, ends - starts + 1)
    parts = (data_bytes & 127).astype(np.uint64) << (7 * positions).astype(np.uint64)
    return np.bitwise_or.reduceat(parts, starts).view(np.int64)


def example(features):
    """Encodes an Example of features: lists of bytes, or arrays of floats or ints, by name."""
    entries = []
    for name, values in features.items():
        if isinstance(values, (list, tuple)) and all(isinstance(v, bytes) for v in values):
            body = bytes_field(1, b"".join(bytes_field(1, value) for value in values))
        else:
            array = np.asarray(values).reshape(-1)
            if array.dtype.kind == "f":
                body = bytes_field(2, bytes_field(1, array.astype("<f4").tobytes()))
            else:
                body = bytes_field(3, bytes_field(1, _as_varints(array)))
        entries.append(bytes_field(1, bytes_field(1, name) + bytes_field(2, body)))
    return bytes_field(1, b"".join(entries))


def _as_varints(array):
    return b"".join(varint(value) for value in array.tolist())
