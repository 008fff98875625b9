"""Reads files of protocol buffers without their libraries: the inputs, outputs and constants of an
ONNX file, and the steps and tags in the event files of a summary.

The numbers of the fields are those of the public schemas `onnx.proto` and `event.proto`.
"""

import struct

_STEP, _VALUES = 2, 5
_GRAPH, _CONSTANT, _INPUT, _OUTPUT = 7, 5, 11, 12


def events(data):
    """Returns [step, tags] of each event in a file that has values."""
    position, rows = 0, []
    while position < len(data):
        (size,) = struct.unpack_from("<Q", data, position)
        event = dict(_fields(data[position + 12 : position + 12 + size]))
        values = [dict(_fields(v)) for n, v in _fields(event.get(_VALUES, b"")) if n == 1]
        tags = [value[1].decode() for value in values if isinstance(value.get(1), bytes)]
        if tags:
            rows.append([event.get(_STEP, 0), tags])
        position += size + 16
    return rows


def onnx(data):
    """Returns {"inputs": names and shapes, "outputs": ..., "constants": shapes}."""
    graph = dict(_fields(data))[_GRAPH]
    parts = {number: [] for number in (_CONSTANT, _INPUT, _OUTPUT)}
    for number, value in _fields(graph):
        if number in parts:
            parts[number].append(value)
    return {
        "inputs": [_named_shape(value) for value in parts[_INPUT]],
        "outputs": [_named_shape(value) for value in parts[_OUTPUT]],
        "constants": sorted(_axes_of(value) for value in parts[_CONSTANT]),
    }


def _named_shape(message):
    fields = dict(_fields(message))
    shape = dict(_fields(dict(_fields(fields[2]))[1]))[2]
    axes = [value for number, value in _fields(shape) if number == 1]
    return [fields[1].decode(), [_axis(axis) for axis in axes]]


def _axis(message):
    value = next((value for _, value in _fields(message)), None)
    return value.decode() if isinstance(value, bytes) else value


def _axes_of(message):
    """Returns the dimensions of a constant, written one by one or packed."""
    axes = []
    for number, value in _fields(message):
        if number == 1:
            axes += _numbers(value) if isinstance(value, bytes) else [value]
    return axes


def _numbers(data):
    position, numbers = 0, []
    while position < len(data):
        value, position = _number(data, position)
        numbers.append(value)
    return numbers


def _fields(data):
    """Yields (number, value) of a message; a value is a number or bytes."""
    position = 0
    while position < len(data):
        key, position = _number(data, position)
        if key & 7 == 0:
            value, position = _number(data, position)
        else:
            size, position = {1: (8, position), 5: (4, position)}.get(key & 7) or _number(
                data, position
            )
            value, position = data[position : position + size], position + size
        yield key >> 3, value


def _number(data, position):
    """Returns a number of variable length, and the position after it."""
    value = shift = 0
    while data[position] & 128:
        value |= (data[position] & 127) << shift
        position, shift = position + 1, shift + 7
    return value | data[position] << shift, position + 1
