"""Safetensors files (`.safetensors`) in MindSpore's form: sorted names and a format mark.

The package `safetensors` reads the bytes. MindSpore adds the metadata "format": "ms",
on request "crc_num" (a checksum over every name and its bytes, in the order of the names) and
"remove_redundancy". These files cannot store texts.
"""

import io
import json
import os
import zlib

import ml_dtypes  # noqa: F401  (the package knows bfloat16 only when this is imported)
import numpy

from .checkpoint import NAMES, TYPES, raw, type_name
from .crc import crc32_of_zeros
from .files import READ_ONLY, atomic_write, memory_for, write_long

SUFFIX = ".safetensors"
CODES = {  # the type names of the format
    "BOOL": "Bool",
    "I8": "Int8",
    "U8": "UInt8",
    "I16": "Int16",
    "U16": "UInt16",
    "I32": "Int32",
    "U32": "UInt32",
    "I64": "Int64",
    "U64": "UInt64",
    "F16": "Float16",
    "F32": "Float32",
    "F64": "Float64",
    "BF16": "BFloat16",
    "C64": "Complex64",
}
CODES = {code: TYPES[name] for code, name in CODES.items()}
_CODES_OF = {numpy.dtype(dtype): code for code, dtype in CODES.items()}
# The values of a file are sorted by type, the last of these first, and then by name.
_ORDER = "BOOL U8 I8 I16 U16 F16 BF16 I32 U32 F32 C64 F64 I64 U64".split()


def write(path, values, *, crc=False, metadata=None):
    """Writes a safetensors file, which replaces a file of that name.

    Args:
        path: Where to write; ".safetensors" is appended when it is missing.
        values: The `(tag, array)` pairs; they are stored in the order that the format prescribes.
        crc: Whether the metadata has a checksum.
        metadata: Further metadata, texts by name.

    Returns:
        The path written.

    Raises:
        TypeError: If a value is a text, or of a type that files cannot store.
        ImportError: If the package `safetensors` is not installed.
    """
    package()
    path = os.fspath(path)
    path += "" if path.endswith(SUFFIX) else SUFFIX
    arrays = {}
    for tag, value in values:
        if isinstance(value, str):
            raise TypeError(f"a safetensors file holds no texts, but {tag!r} is one")
        type_name(value)
        arrays[tag] = numpy.asarray(value, order="C")
    about = {"format": "ms", **(metadata or {})}
    if crc:
        about["crc_num"] = str(checksum(arrays))
    with memory_for(path), atomic_write(path, READ_ONLY) as file:
        write_long(file, pieces(arrays, about))
    return path


def pieces(arrays, about):
    """Yields the bytes of a file: the length of the header, the header, the values.

    The package would copy all values at once, and would end the process if memory runs out.

    Args:
        arrays: A dict from tags to arrays.
        about: The metadata.
    """
    codes = {tag: _CODES_OF[array.dtype.newbyteorder("=")] for tag, array in arrays.items()}
    order = sorted(arrays, key=lambda tag: (-_ORDER.index(codes[tag]), tag))
    entries, end = {"__metadata__": about}, 0
    for tag in order:
        start, end = end, end + arrays[tag].nbytes
        shape = list(arrays[tag].shape)
        entries[tag] = {"dtype": codes[tag], "shape": shape, "data_offsets": [start, end]}
    text = json.dumps(entries, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    yield len(text).to_bytes(8, "little") + text
    for tag in order:
        yield raw(arrays[tag])


def read(source, *, crc=False, accepts=None):
    """Reads the values of a safetensors file, sorted by name, and its metadata.

    Args:
        source: The file's path, or a BytesIO with its content.
        crc: Whether to check the checksum, which requires reading all values. A file without a
            checksum passes.
        accepts: A function of a tag that decides whether to read the value.

    Returns:
        A list of `(tag, array, type)`, and a dictionary of texts.

    Raises:
        ValueError: If the file is not a safetensors file, or is damaged. The message names it.
        ImportError: If the package `safetensors` is not installed.
    """
    library = package()
    name = "given as BytesIO" if isinstance(source, io.BytesIO) else os.fspath(source)
    with memory_for(name):
        return _read(library, source, name, crc, accepts)


def _read(library, source, name, crc, accepts):
    """Reads a file as `read` does; a lack of memory is not reworded."""
    try:
        if isinstance(source, io.BytesIO):
            content = memoryview(source.getvalue())
            arrays = {tag: array_of(part) for tag, part in library.deserialize(bytes(content))}
            about = header(content).get("__metadata__", {})
        else:
            arrays, about = load(library, source, None if crc else accepts)
    except (library.SafetensorError, ValueError, KeyError, TypeError) as error:
        raise ValueError(f"The file {name} cannot be read as safetensors: {error}.") from error
    if crc and "crc_num" in about and about["crc_num"] != str(checksum(arrays)):
        raise ValueError(
            f"The file {name} cannot be read as safetensors: its checksum does not "
            "agree with its content."
        )
    values = [(tag, arrays[tag]) for tag in sorted(arrays) if accepts is None or accepts(tag)]
    for tag, array in values:
        if array.dtype not in NAMES:
            raise ValueError(
                f"The file {name} has values {tag!r} of type {array.dtype}, "
                "which is not known here."
            )
    return [(tag, array, NAMES[array.dtype]) for tag, array in values], about


def package():
    """Returns the package `safetensors`."""
    try:
        import safetensors
        import safetensors.numpy
    except ImportError as error:
        raise ImportError(
            "The format 'safetensors' needs the package safetensors: "
            "pip install mindspore-compat[safetensors]"
        ) from error
    return safetensors


def load(library, path, accepts):
    """Returns a dict of the arrays of a file by tag, and the metadata of the file. `accepts(tag)`
    tells which arrays are loaded; None loads all.

    The file is opened once, because another process may replace it meanwhile.
    """
    with library.safe_open(path, framework="numpy") as file:
        tags = [tag for tag in file.keys() if accepts is None or accepts(tag)]
        return {tag: file.get_tensor(tag) for tag in tags}, file.metadata() or {}


def array_of(part):
    """Returns the array of one entry of a file in memory."""
    return numpy.frombuffer(bytearray(part["data"]), CODES[part["dtype"]]).reshape(part["shape"])


def header(content):
    """Returns the JSON header of a file."""
    length = int.from_bytes(content[:8], "little")
    return json.loads(content[8 : 8 + length].tobytes())


def checksum(arrays):
    """Returns the checksum over names and values, as MindSpore computes it (see
    `count_of_zeros`)."""
    crc = 0
    for tag in sorted(arrays):
        crc = zlib.crc32(tag.encode(), crc)
        zeros = count_of_zeros(arrays[tag])
        if zeros is None:
            crc = zlib.crc32(raw(arrays[tag]), crc)
        else:
            crc = crc32_of_zeros(zeros, crc)
    return crc


def count_of_zeros(array):
    """Returns the number of zeros that replace a value in the checksum; None for the value's own
    bytes.

    MindSpore uses `bytes(array)`, which for a 0-d integer is that number of zeros. Here, an
    integer that is negative, or so large that MindSpore runs out of memory, is replaced by its
    own bytes.
    """
    if array.ndim == 0 and array.dtype.kind in "iu" and 0 <= (count := int(array)) <= MOST_ZEROS:
        return count
    return None


MOST_ZEROS = 1 << 34
