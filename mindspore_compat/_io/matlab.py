"""MATLAB files (version 5), validated before SciPy reads them.

SciPy's reader trusts the lengths and kinds in a file, and wrong ones can crash the process. So the
file is validated first: every element must lie within its parent and be consumed completely,
nesting is bounded, and the indices of a sparse array must be in range. Valid files are decompressed
and passed to SciPy. Files of version 4, which are not nested, are passed unchanged. Files of
version 7.3 (HDF5), functions and objects are refused.

Worked example. The array [[1, 2]] named "a" is, after 128 bytes of header,

    14  48                      an array of 48 bytes, in these elements:
    6   8   0x06 0 0 0  0 0 0 0 flags: class 6, float64
    5   8   1 2                 the lengths of its axes
    1<<16 | 1  "a"              its name; up to 4 bytes stand in the tag itself, 1 byte here
    2<<16 | 2  1 2              the numbers, stored as uint8

Source: "MAT-File Format", The MathWorks (matfile_format.pdf).
"""

import io
import math
import struct

import numpy as np

from .compressed import inflate
from .reading import Growth, content, most_bytes

_HEADER = 128
_INT8, _INT32, _UINT32, _ARRAY, _COMPRESSED = 1, 5, 6, 14, 15
_NUMBERS = {
    1: "i1",
    2: "u1",
    3: "i2",
    4: "u2",
    5: "i4",
    6: "u4",
    7: "f4",
    9: "f8",
    12: "i8",
    13: "u8",
}
_TEXTS = {**_NUMBERS, 16: "u1", 17: "u2", 18: "u4"}
_CELL, _STRUCT, _CHAR, _SPARSE = 1, 2, 4, 5
# The bytes of an element that SciPy makes, by class; a file may store its numbers in fewer.
_SIZES = {6: 8, 7: 4, 8: 1, 9: 1, 10: 2, 11: 2, 12: 4, 13: 4, 14: 8, 15: 8, _CHAR: 4}
_NUMERIC = range(6, 16)
_AXES = 32
_COMPLEX = 0x800
_DEEPEST = 32


def load(path):
    """Loads the arrays of a MATLAB file by name.

    Raises:
        ValueError: if it is not such a file, or is damaged; SciPy may raise other errors.
    """
    import scipy.io  # imported here because it loads slowly

    data = content(path)
    if 0 not in data[:4]:  # the first number of version 4 files is small
        data = plain(data)
    return scipy.io.loadmat(io.BytesIO(data))


def plain(data):
    """Validates a version 5 file and returns its bytes without compression.

    Raises:
        ValueError: if the file is of another kind, or damaged.
    """
    order = {b"IM": "<", b"MI": ">"}.get(bytes(data[126:128]))
    if len(data) < _HEADER or order is None:
        raise ValueError("it is no file of MATLAB")
    version = struct.unpack(f"{order}H", data[124:126])[0]
    if version != 0x0100:
        raise ValueError(f"it is a file of MATLAB of version {version >> 8}, not of 1")
    view, parts, most = memoryview(data)[_HEADER:], [bytes(data[:_HEADER])], most_bytes(len(data))
    growth = Growth(len(data))
    while len(view):
        kind, length = _tag(view, order)
        if not 0 < length <= len(view) - 8:
            raise ValueError(f"an element of {length} bytes has {len(view) - 8} bytes left")
        whole, view = view[: 8 + length], view[8 + length :]
        if kind == _COMPRESSED:
            whole = memoryview(inflate(whole[8:], most))
        most -= len(whole)
        _check_element(whole, order, growth)
        parts.append(whole)
    return b"".join(parts)


def _tag(view, order):
    if len(view) < 8:
        raise ValueError("it is cut short")
    return struct.unpack_from(f"{order}II", view)


def _check_element(view, order, growth):
    kind, length = _tag(view, order)
    if kind != _ARRAY or length > len(view) - 8:
        raise ValueError(
            f"where an array must be there is an element of kind {kind} and {length} bytes"
        )
    _Array(view[8 : 8 + length], order, growth).check(0)


class _Array:
    """Reads the elements of one array in sequence."""

    def __init__(self, view, order, growth):
        self._view, self._order, self._growth = view, order, growth

    def check(self, depth):
        """Raises ValueError if the array could crash SciPy."""
        if depth > _DEEPEST:
            raise ValueError(f"arrays are nested more than {_DEEPEST} deep")
        flags = int(self._numbers({_UINT32}, 2)[0])
        shape = self._numbers({_INT32})
        self._numbers({_INT8})
        if not 2 <= len(shape) <= _AXES or min(shape) < 0:
            start = tuple(shape[:_AXES].tolist())
            raise ValueError(f"an array of {len(shape)} axes has the shape {start}")
        shape = shape.tolist()
        kind, size = flags & 0xFF, math.prod(shape)
        if kind in (_CELL, _STRUCT):
            self._check_parts(kind, size, depth)
        elif kind == _SPARSE:
            self._check_sparse(shape, flags)
        elif kind in _NUMERIC or kind == _CHAR:
            for _ in range(2 if flags & _COMPLEX else 1):
                elements, number = self._next(_TEXTS if kind == _CHAR else _NUMBERS)
                capacity = len(elements) // np.dtype(_TEXTS[number]).itemsize
                self._growth.add(capacity * _SIZES[kind])
                if capacity != size and (kind != _CHAR or capacity > 4 * size):
                    raise ValueError(f"an array of shape {tuple(shape)} has {capacity} numbers")
        else:
            raise ValueError(f"an array is of class {kind}, which is not read here")
        if len(self._view):
            raise ValueError(f"{len(self._view)} bytes follow an array")

    def _next(self, kinds):
        """Returns the content and kind of the next element."""
        kind, length = _tag(self._view, self._order)
        if kind >> 16:  # small: the length, the kind and up to four bytes in the tag
            kind, length, begin, end = kind & 0xFFFF, kind >> 16, 4, 8
        else:
            begin, end = 8, 8 + -(-length // 8) * 8
        if kind not in kinds:
            raise ValueError(f"an element is of kind {kind}, where {sorted(kinds)} may be")
        if length > min(end, len(self._view)) - begin:
            raise ValueError(f"an element of {length} bytes is longer than the space for it")
        data, self._view = self._view[begin : begin + length], self._view[end:]
        return data, kind

    def _numbers(self, kinds, count=None):
        data, kind = self._next(kinds)
        numbers = np.frombuffer(
            data, f"{self._order}{_NUMBERS[kind]}", len(data) // np.dtype(_NUMBERS[kind]).itemsize
        )
        if count is not None and len(numbers) != count:
            raise ValueError(f"an element has {len(numbers)} numbers, where {count} must be")
        return numbers

    def _check_parts(self, kind, size, depth):
        fields = 1
        if kind == _STRUCT:
            length = int(self._numbers({_INT32}, 1)[0])
            names = self._next({_INT8})[0]
            if length < 1 or len(names) % length:
                raise ValueError(
                    f"the names of fields have {len(names)} bytes, but each has {length}"
                )
            fields = len(names) // length
        if size * max(1, fields) > len(self._view) // 8 + (fields == 0):
            raise ValueError(f"{size} entries of {fields} fields have {len(self._view)} bytes")
        for _ in range(size * fields):
            number, length = _tag(self._view, self._order)
            if number != _ARRAY or length > len(self._view) - 8:
                raise ValueError(f"an entry is of kind {number} and has {length} bytes")
            if length:
                _Array(self._view[8 : 8 + length], self._order, self._growth).check(depth + 1)
            self._view = self._view[8 + length :]

    def _check_sparse(self, shape, flags):
        rows, starts = self._numbers({_INT32}), self._numbers({_INT32})
        lengths = [len(self._numbers(_NUMBERS)) for _ in range(2 if flags & _COMPLEX else 1)]
        self._growth.add(8 * sum(lengths) + 4 * (len(rows) + len(starts)))
        if (
            len(shape) != 2
            or len(starts) != shape[1] + 1
            or starts[0] != 0
            or (np.diff(starts) < 0).any()
            or starts[-1] > min(len(rows), *lengths)
        ):
            raise ValueError(
                f"a sparse array of shape {tuple(shape)} states other indices than it has"
            )
        rows = rows[: starts[-1]]
        if len(rows) and not 0 <= rows.min() <= rows.max() < shape[0]:
            raise ValueError(f"a sparse array of {shape[0]} rows has numbers in row {rows.max()}")
