"""Checkpoint files (`.ckpt`): named arrays and texts, in MindSpore's format.

A file is a sequence of protobuf messages, each with one value: a tag, the dimensions, the name of a
type and the raw bytes in C order. Values over 512 MiB are split into consecutive messages with the
same tag. The file may be encrypted (encryption.py). Values are `(tag, array, type)` and `(tag,
text, "str")`; this module does not decide which of them belong to a network.

There are two checksums, both CRC-32. The trailing checksum, 17 bytes after the messages, is
MindSpore's. The leading checksum is a field of 9 bytes before them with the highest field number of
protobuf, so every protobuf reader skips it, including MindSpore's. It also detects a file that
was truncated between two messages, and is encrypted with them.
"""

import itertools
import math
import os
import zlib
from concurrent.futures import Future

import ml_dtypes
import numpy

from .._backend.starting import Thread
from . import encryption
from .files import READ_ONLY, atomic_write, map_file, memory_for, write_long
from .protobuf import BYTES, FIXED32, bytes_field, bytes_head, fields, ints, varint

SUFFIX = ".ckpt"
SLICE = 512 << 20  # a longer value is split into pieces of this many bytes
TEXT = "str"
TYPES = {
    "Bool": numpy.bool_,
    "Int8": numpy.int8,
    "UInt8": numpy.uint8,
    "Int16": numpy.int16,
    "UInt16": numpy.uint16,
    "Int32": numpy.int32,
    "UInt32": numpy.uint32,
    "Int64": numpy.int64,
    "UInt64": numpy.uint64,
    "Float16": numpy.float16,
    "Float32": numpy.float32,
    "Float64": numpy.float64,
    "BFloat16": ml_dtypes.bfloat16,
    "Complex64": numpy.complex64,
    "Complex128": numpy.complex128,
}
TYPES = {name: numpy.dtype(dtype) for name, dtype in TYPES.items()}
NAMES = {dtype: name for name, dtype in TYPES.items()}
CRC_MARK = b"crc_num"
CRC_LENGTH = len(CRC_MARK) + 10
CRC_NUMBER = (1 << 29) - 1
CRC_HEAD = varint(CRC_NUMBER << 3 | FIXED32)


def type_name(array):
    """Returns the name of an array's type in the file, such as "Float32"."""
    name = NAMES.get(array.dtype.newbyteorder("="))
    if name is None:
        raise TypeError(f"a checkpoint holds no values of type {array.dtype}")
    return name


def write(path, values, *, crc=False, leading_crc=False, key=None, mode="AES-GCM"):
    """Writes a checkpoint file, readable by its owner only; it replaces a file of that name.

    The bytes are written to a temporary file in the same folder that is renamed at the end, so a
    reader never sees a partial file, and a failure keeps the old one. Values without elements are
    skipped, as in MindSpore.

    Args:
        path: Where to write; ".ckpt" is appended when it is missing.
        values: The `(tag, array)` and `(tag, text)` pairs, in the order of the file.
        crc: Whether a checksum ends the file.
        leading_crc: Whether a checksum begins the file.
        key: The key to encrypt with (16, 24 or 32 bytes; 16 for SM4), or None.
        mode: "AES-GCM", "AES-CBC" or "SM4-CBC".

    Returns:
        The path written.

    Raises:
        TypeError: If a value is of a type that files cannot store. Then no file is written.
        ValueError: If key or mode is wrong.
        ImportError: If a key is given and the package `cryptography` is not installed.
    """
    path = os.fspath(path)
    path += "" if path.endswith(SUFFIX) else SUFFIX
    values = [(tag, value) for tag, value in values]
    for _, value in values:
        if not isinstance(value, str):
            type_name(value)
    pieces, late = encode(values), None
    if leading_crc:
        checksum = run_in_thread(lambda: leading_checksum(encode(values)))
        late = checksum if key is None and not crc else None  # no later byte depends on it
        pieces = itertools.chain([CRC_HEAD, bytes(4) if late else checksum()], pieces)
    if key is not None:
        pieces = encryption.encrypt(pieces, key, mode)
    if crc:
        pieces = with_checksum(pieces)
    with memory_for(path), atomic_write(path, READ_ONLY) as file:
        write_long(file, pieces)
        if late:
            file.seek(len(CRC_HEAD))
            file.write(late())
    return path


def read(path, *, crc=True, key=None, mode="AES-GCM", accepts=None):
    """Reads the values of a checkpoint file, in their order.

    Args:
        path: The file.
        crc: Whether to check the checksum that ends the file. A file without a checksum passes. The
            original writes a wrong checksum after encrypted values.
        key: The key of the encryption, or None.
        mode: The mode of the encryption.
        accepts: A function of a tag that decides whether to read the value; others are skipped.

    Returns:
        A list of `(tag, array, type)` and `(tag, text, "str")`; the arrays are copies.

    Raises:
        ValueError: If the file is not a checkpoint, is damaged or cut short, or the key does not
            fit. The message names the file and the reason.
        ImportError: If a key is given and the package `cryptography` is not installed.
    """
    with memory_for(path):
        return _read(path, crc, key, mode, accepts)


def _read(path, crc, key, mode, accepts):
    """Reads a file as `read` does; a lack of memory is not reworded."""
    try:
        view, checksum = split_checksum(map_file(path))
        if crc and checksum is not None and checksum != zlib.crc32(view):
            raise ValueError("its checksum does not agree with its content")
        if key is not None:
            view = memoryview(encryption.decrypt(view, key, mode))
        elif encryption.looks_encrypted(view):
            raise ValueError("it is encrypted, and no key is given")
        if not view:
            raise ValueError("it is empty")
        return decode(view, accepts)
    except (OSError, ValueError) as error:
        raise ValueError(
            f"The file {os.fspath(path)} cannot be read as a checkpoint: {error}."
        ) from error


def has_checksum(path):
    """Returns True if a checksum begins or ends the file.

    Raises:
        ValueError: If the file is not there any more.
    """
    try:
        view = map_file(path)
    except OSError as error:
        raise ValueError(f"The file {os.fspath(path)} cannot be read: {error}.") from error
    return view[: len(CRC_HEAD)] == CRC_HEAD or split_checksum(view)[1] is not None


# -- values to bytes


def encode(values):
    """Encodes values; yields pieces of bytes that need not be joined."""
    for tag, value in values:
        if isinstance(value, str):
            content = memoryview(numpy.array(value, "<U").tobytes())
            yield from message(tag, (0,), TEXT, content)
            continue
        content = raw(value)
        for start in range(0, len(content), SLICE):
            yield from message(tag, value.shape, type_name(value), content[start : start + SLICE])


def raw(array):
    """Returns the elements of an array, little-endian in C order, as bytes."""
    array = numpy.ascontiguousarray(array).reshape(-1)
    if array.dtype.byteorder == ">":
        array = array.astype(array.dtype.newbyteorder("<"))
    return memoryview(array.view(numpy.uint8))


def message(tag, shape, name, content):
    """Encodes one value as a Checkpoint message; yields the bytes before the content, then the
    content.
    """
    tensor = b"".join(varint(1 << 3) + varint(n) for n in shape)
    tensor += bytes_field(2, name) + bytes_head(3, len(content))
    value = bytes_field(1, tag) + bytes_head(2, len(tensor) + len(content)) + tensor
    yield bytes_head(1, len(value) + len(content)) + value
    yield content


def with_checksum(pieces):
    """Yields `pieces`, then the checksum over all of them."""
    checksum = 0
    for piece in pieces:
        checksum = zlib.crc32(piece, checksum)
        yield piece
    yield CRC_MARK + checksum.to_bytes(10, "big")


def run_in_thread(function):
    """Calls a function in a new thread, or here if no thread begins, for lack of memory.

    Returns:
        A function that waits for the thread and returns its result, or raises its error.
    """
    future = Future()

    def call():
        try:
            future.set_result(function())
        except BaseException as error:
            future.set_exception(error)

    thread = Thread(target=call, name="checksum")
    try:
        thread.start()
    except (RuntimeError, MemoryError):
        return function

    def result():
        thread.join()
        return future.result() if future.done() else function()  # the thread may have died

    return result


def leading_checksum(pieces):
    """Returns the checksum over all of `pieces`, in the form of the leading field."""
    checksum = 0
    for piece in pieces:
        checksum = zlib.crc32(piece, checksum)
    return checksum.to_bytes(4, "little")


# -- bytes to values


def split_checksum(view):
    """Returns the bytes before the checksum, and the checksum or None."""
    if len(view) < CRC_LENGTH or view[-CRC_LENGTH:-10] != CRC_MARK:
        return view, None
    return view[:-CRC_LENGTH], int.from_bytes(view[-10:], "big")


def decode(view, accepts=None):
    """Decodes the values of a checkpoint; see read()."""
    values, part = [], None
    check_leading(view)
    for number, kind, content in fields(view):
        if number == CRC_NUMBER and kind == FIXED32:
            continue  # another program moved it and may have changed the values
        if number != 1 or kind != BYTES:
            raise ValueError(f"it has a field {number}, which no checkpoint has")
        tag, tensor = parse_value(content)
        if part is not None and part.tag == tag and not part.complete():
            part.add(tensor)
        else:
            if part is not None:
                values.append(part.value())
            part = None
            if accepts is None or accepts(tag):
                part = Part(tag, tensor)
            else:
                Part(tag, tensor)  # the value is skipped, but must be valid
    if part is not None:
        values.append(part.value())
    return values


def check_leading(view):
    """Rejects a checkpoint that begins with a checksum, if it does not match the bytes."""
    start = len(CRC_HEAD) + 4
    if view[: len(CRC_HEAD)] == CRC_HEAD and view[len(CRC_HEAD) : start] != leading_checksum(
        [view[start:]]
    ):
        raise ValueError("its checksum does not agree with its content")


def parse_value(view):
    """Returns the tag of one value, and its `(dims, type, content)`."""
    tag = tensor = None
    for number, kind, content in fields(view):
        if kind != BYTES or number not in (1, 2, 3):
            raise ValueError(f"a value has a field {number}, which no value has")
        if number == 1:
            tag = str(content, "utf-8")
        elif number == 3:
            raise ValueError(f"the value {tag!r} is a hash table (MapParameter)")
        else:
            tensor = parse_tensor(content)
    if tag is None or tensor is None:
        raise ValueError("a value lacks its name or its content")
    return tag, tensor


def parse_tensor(view):
    """Returns the `(dims, type, content)` of one TensorProto."""
    dims, name, content = [], None, None
    for number, kind, part in fields(view):
        if number == 1:
            dims += ints(kind, part)
        elif number == 2 and kind == BYTES:
            name = str(part, "utf-8")
        elif number == 3 and kind == BYTES:
            content = part
        else:
            raise ValueError(f"a tensor has a field {number}, which no tensor has")
    if name is None or content is None:
        raise ValueError("a tensor lacks its type or its content")
    if name != TEXT and name not in TYPES:
        raise ValueError(f"a tensor is of type {name!r}, which is not known here")
    if any(n < 0 for n in dims):
        raise ValueError(f"a tensor has the dimensions {dims}")
    return tuple(dims), name, content


class Part:
    """A value of the file whose pieces are being collected."""

    def __init__(self, tag, tensor):
        self.tag = tag
        self.shape, self.type, content = tensor
        self.length = len(content)
        if self.type != TEXT:
            size = TYPES[self.type].itemsize
            if self.shape == (0,) and len(content) == size:
                self.shape = ()  # the form of a 0-d value in old files
            self.length = math.prod(self.shape) * size
        self.pieces, self.have = [], 0
        self.add(tensor)

    def add(self, tensor):
        """Adds the next piece of the value's bytes."""
        shape, name, content = tensor
        if name != self.type or self.pieces and shape != self.shape:
            raise ValueError(f"the pieces of {self.tag!r} differ in type or shape")
        self.pieces.append(content)
        self.have += len(content)
        if self.have > self.length:
            raise ValueError(
                f"{self.tag!r} has {self.have} bytes, but its shape {self.shape} and "
                f"type {self.type} need {self.length}"
            )

    def complete(self):
        """Returns True if all bytes have been read."""
        return self.have == self.length

    def value(self):
        """Returns the value as `(tag, array or text, type)`."""
        if not self.complete():
            raise ValueError(
                f"{self.tag!r} has {self.have} bytes, but its shape {self.shape} and "
                f"type {self.type} need {self.length}"
            )
        if self.type == TEXT:
            return self.tag, text(self.pieces[0]), TEXT
        array = numpy.empty(self.shape, TYPES[self.type])
        target, at = array.reshape(-1).view(numpy.uint8), 0
        for piece in self.pieces:
            target[at : at + len(piece)] = numpy.frombuffer(piece, numpy.uint8)
            at += len(piece)
        return self.tag, array, self.type


def text(content):
    """Decodes a text from UTF-32 bytes; an empty text is stored as one zero."""
    try:
        return str(content, "utf-32-le").rstrip("\0")
    except UnicodeDecodeError as error:
        raise ValueError(f"a text is not UTF-32: {error}") from error
