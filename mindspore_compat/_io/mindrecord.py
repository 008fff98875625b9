"""Reads MindRecord files: the header, the index file and the rows in pages.

A file consists of a header and pages of equal size. The header is a length of 8 bytes and JSON: the
schema, the list of pages, and the list of files that belong together. A row is stored in two parts,
each preceded by a length of 8 bytes: numbers and text as MessagePack in a "raw" page, bytes and
arrays in a "blob" page. The SQLite file `<file>.db` holds the positions of rows and the indexed
fields.

Worked example. Of the schema {"data": bytes, "ids": int32 array, "label": int32} a row
(b"xy", [1, -2, 300], 5) is

    raw    0x81 0xA5 "label" 0x05
    blob   0 0 0 0 0 0 0 2 "xy"                                  length, most significant byte first
           0 0 0 0 0 0 0 9   0 0 0 3  0b00000100  1  254  44 1   ints: count, widths, the numbers

Each int is stored in the smallest of 1, 2, 4 or 8 bytes; its width is two bits (0 to 3), four ints
per byte, with the first in the highest bits. With a single blob field, the blob contains no
lengths; without blob fields, it is four zero bytes. Writing is in mindrecord_writing.py.
"""

import json
import os

import numpy as np

from .files import map_file
from .mindrecord_encryption import readable
from .mindrecord_errors import MRMOpenError, MRMUnsupportedSchemaError
from .mindrecord_index import rows_of_index
from .msgpack import pack_map, unpack_map
from .reading import reading

VERSION = "3.0"
_LIMITS = (1 << 7, 1 << 15, 1 << 31)
_SHIFTS = np.array([6, 4, 2, 0], np.uint8)
NO_BLOB = b"\0\0\0\0"
PLACES = (
    "PAGE_ID_RAW",
    "PAGE_OFFSET_RAW",
    "PAGE_OFFSET_RAW_END",
    "PAGE_ID_BLOB",
    "PAGE_OFFSET_BLOB",
    "PAGE_OFFSET_BLOB_END",
)


class Layout:
    """The layout of rows of one schema.

    Args:
        schema (dict): the fields, by name; each with "type" and, optionally, "shape".
    """

    def __init__(self, schema):
        self.schema = {name: dict(sorted(schema[name].items())) for name in sorted(schema)}
        self.blob = [
            name
            for name, field in self.schema.items()
            if field["type"] == "bytes" or "shape" in field
        ]
        self.raw = [name for name in self.schema if name not in self.blob]

    def pack(self, row):
        """Returns the raw bytes, the blob bytes, and the number of bytes saved by smaller ints."""
        raw = pack_map({name: _plain(row[name]) for name in self.raw} or {"id": 0})
        savings, parts = 0, []
        for name in self.blob:
            value = row[name]
            if isinstance(value, np.ndarray):
                part = np.ascontiguousarray(value).tobytes()
                if value.dtype.kind == "i":
                    savings += len(part)
                    part = _smallest_integers(value)
                    savings -= len(part)
            else:
                part = bytes(value)
            parts.append(part if len(self.blob) == 1 else len(part).to_bytes(8, "big") + part)
        return raw, b"".join(parts) or (b"" if self.blob else NO_BLOB), savings

    def unpack_raw(self, data):
        """Returns the numbers and text of a row, by name."""
        values = unpack_map(data)
        return {name: values[name] for name in self.raw if name in values}

    def unpack_blob(self, data, columns):
        """Returns the bytes and arrays of a row, by name; arrays are read-only views if possible.

        Raises:
            ValueError: if the bytes do not agree with the schema.
        """
        if len(self.blob) == 1:
            return {self.blob[0]: self._value(self.blob[0], data)}
        values, at = {}, 0
        for name in self.blob:
            if at + 8 > len(data):
                raise ValueError("a row is cut short")
            length = int.from_bytes(data[at : at + 8], "big")
            at += 8
            if length > len(data) - at:
                raise ValueError("a row is cut short")
            if name in columns:
                values[name] = self._value(name, data[at : at + length])
            at += length
        return values

    def _value(self, name, data):
        field = self.schema[name]
        if field["type"] == "bytes":
            return bytes(data)
        if field["type"].startswith("int"):
            array = _as_dtype(data, field["type"])
        else:
            array = np.frombuffer(data, field["type"])
        try:
            return array.reshape(field["shape"])
        except ValueError as error:
            raise MRMUnsupportedSchemaError(
                f"the field {name!r} has {array.size} numbers, which do not make the shape "
                f"{field['shape']}"
            ) from error


def _plain(value):
    return value.item() if isinstance(value, np.generic) else value


def _smallest_integers(array):
    """Encodes an array of ints, each in the smallest possible width."""
    numbers = array.reshape(-1).astype("<i8")
    widths = sum((numbers < -limit) | (numbers >= limit) for limit in _LIMITS) + np.zeros(
        numbers.shape, np.uint8
    )
    quads = np.zeros(-(-len(widths) // 4) * 4, np.uint8)
    quads[: len(widths)] = widths
    width_bytes = np.bitwise_or.reduce(quads.reshape(-1, 4) << _SHIFTS, 1)
    is_used = np.arange(8) < (1 << widths.astype(int))[:, None]
    return (
        len(numbers).to_bytes(4, "big")
        + width_bytes.astype(np.uint8).tobytes()
        + numbers.view(np.uint8).reshape(-1, 8)[is_used].tobytes()
    )


def _as_dtype(data, dtype):
    """Decodes the bytes of `_smallest_integers`."""
    count = int.from_bytes(data[:4], "big")
    begin = 4 + -(-count // 4)
    if begin > len(data):
        raise ValueError("an array of ints is cut short")
    width_bytes = np.frombuffer(data, np.uint8, begin - 4, 4)
    widths = (width_bytes[:, None] >> _SHIFTS & 3).reshape(-1)[:count]
    sizes = 1 << widths.astype(int)
    if begin + int(sizes.sum()) != len(data):
        raise ValueError("an array of ints has another length than it states")
    data_bytes = np.frombuffer(data, np.uint8, offset=begin)
    starts = np.cumsum(sizes) - sizes
    out = np.empty(count, dtype)
    for width in range(4):
        is_width = widths == width
        if is_width.any():
            positions = starts[is_width][:, None] + np.arange(1 << width)
            out[is_width] = data_bytes[positions].view(f"<i{1 << width}").reshape(-1)
    return out


def read_header(path, plain=None):
    """Returns the header of a file, as a dict.

    Args:
        path (str): the file.
        plain (str, optional): the decrypted copy to read instead.

    Raises:
        MRMOpenError: if there is no such file, or it is not a MindRecord file of this version.
    """
    with reading(path, MRMOpenError, "is not a MindRecord file that can be read"):
        with open(plain or path, "rb") as file:
            head = file.read(8)
            length = int.from_bytes(head, "little")
            if len(head) < 8 or not 0 < length <= os.fstat(file.fileno()).st_size - 8:
                raise ValueError("it does not begin with the length of a header")
            header = json.loads(file.read(length))
        _check_header(header)
    return header


def _check_header(header):
    if header["version"] != VERSION:
        raise ValueError(f"its version is {header['version']!r}, not {VERSION!r}")
    if len(header["schema"]) != 1:
        raise ValueError(f"it has {len(header['schema'])} schemas, not one")
    fields = header["schema"][0]["schema"]
    for name, field in fields.items():
        if field["type"] not in ("bytes", "string", "int32", "int64", "float32", "float64"):
            raise ValueError(f"its field {name!r} is of type {field['type']!r}")
        shape = field.get("shape", [])
        if not isinstance(shape, list) or not all(type(length) is int for length in shape):
            raise ValueError(f"its field {name!r} is of shape {shape!r}")
    sizes = [header["header_size"], header["page_size"], len(header["shard_addresses"])]
    if not all(type(size) is int and 0 < size <= 1 << 28 for size in sizes):
        raise ValueError(f"its sizes are {sizes}")
    if not all(isinstance(name, str) for name in header["shard_addresses"]):
        raise ValueError(f"the names of its files are {header['shard_addresses']}")
    unknown = [
        entry["index_field"]
        for entry in header["index_fields"] or ()
        if entry["index_field"] not in fields
    ]
    if unknown:
        raise ValueError(f"its index has the field {unknown[0]!r}, which is not in the schema")


class Shard:
    """One file and its index, opened for reading.

    Args:
        path (str): the file.

    Raises:
        MRMOpenError: if it, or its index, cannot be read or is not valid.
    """

    def __init__(self, path):
        self.path, self._file = path, readable(path)
        self.header = read_header(path, self._file)
        self.schema = self.header["schema"][0]["schema"]
        self.layout = Layout(self.schema)
        self.indexed = [entry["index_field"] for entry in self.header["index_fields"] or ()]
        with reading(path, MRMOpenError):
            self._locations = self._read_locations()
            self._view = map_file(self._file)

    def __len__(self):
        return len(self._locations)

    def _read_locations(self):
        """Returns the start and end of the raw and the blob part of each row."""
        with reading(f"{self.path}.db", MRMOpenError):
            places = np.array(rows_of_index(self._file, PLACES), np.int64).reshape(-1, 6)
        size, begin, page = (
            os.path.getsize(self._file),
            self.header["header_size"],
            self.header["page_size"],
        )
        if len(places) and not 0 <= places.min() <= places.max() <= size:
            raise MRMOpenError(
                f"{self.path!r} has {size} bytes, but its index names locations "
                f"from {places.min()} to {places.max()} in it."
            )
        raw, blob = begin + places[:, 0] * page, begin + places[:, 3] * page
        locations = np.stack(
            [raw + places[:, 1], raw + places[:, 2], blob + places[:, 4], blob + places[:, 5]], 1
        )
        if len(locations) and (locations.max() > size or locations.min() < begin):
            raise MRMOpenError(
                f"{self.path!r} is truncated: its index names rows up to byte "
                f"{locations.max()}, but it has {size} bytes."
            )
        return locations

    def row(self, number, columns):
        """Returns the requested columns of a row, by name.

        Raises:
            MRMOpenError: if there is no row.
        """
        raw, raw_end, blob, blob_end = self._locations[number].tolist()
        values = {}
        with reading(self.path, MRMOpenError, f"is damaged at row {number}"):
            if any(name in self.layout.raw for name in columns):
                values = self.layout.unpack_raw(self._part(raw, raw_end))
            if any(name in self.layout.blob for name in columns):
                values |= self.layout.unpack_blob(self._part(blob, blob_end), columns)
            return {name: values[name] for name in columns}

    def _part(self, begin, end):
        if int.from_bytes(self._view[begin : begin + 8], "little") != end - begin - 8:
            raise ValueError("its length is not the one that the index states")
        return self._view[begin + 8 : end]

    def values(self, field):
        """Returns the values of one field of numbers or text, row by row."""
        if field in self.indexed:
            with reading(f"{self.path}.db", MRMOpenError):
                return [value for (value,) in rows_of_index(self._file, [f"{field}_0"])]
        return [self.row(number, [field])[field] for number in range(len(self))]


class Records:
    """The rows of one or more files, opened for reading.

    Args:
        files (Union[str, list[str]]): one file, which includes the files written with it; or all
            files.

    Raises:
        MRMOpenError: if a file cannot be read, or the schemas differ.
    """

    def __init__(self, files):
        paths = companions(files) if isinstance(files, str) else list(files)
        self.shards = [Shard(path) for path in paths]
        self.schema = self.shards[0].schema
        for shard in self.shards:
            if shard.schema != self.schema:
                raise MRMOpenError(
                    f"{shard.path!r} has another schema than {paths[0]!r}: "
                    f"{shard.schema} and {self.schema}."
                )
        self.counts = [len(shard) for shard in self.shards]
        self._ends = np.cumsum(self.counts)

    def __len__(self):
        return int(self._ends[-1])

    def row(self, index, columns):
        """Returns the requested columns of a row, by name; rows are numbered across the files."""
        shard_index = int(np.searchsorted(self._ends, index, "right"))
        return self.shards[shard_index].row(
            index - int(self._ends[shard_index] - self.counts[shard_index]), columns
        )

    def values(self, field):
        """Returns the values of one field, row by row."""
        return [value for shard in self.shards for value in shard.values(field)]


def companions(path):
    """Returns the files that were written together with a file, in order, including itself."""
    names = read_header(path, readable(path))["shard_addresses"]
    if len(names) == 1:
        return [path]
    return [os.path.join(os.path.dirname(path), os.path.basename(name)) for name in names]
