"""MindIR files: graphs of primitives with weights, the format of exported models.

A file is one protobuf message. `SCHEMA` lists its fields; a `Message` has the fields as attributes,
repeated ones as lists. `attribute` converts Python values to attributes and constants, and
`value_of` converts them back. This module does not know the semantics of primitives.
"""

import math

import ml_dtypes
import numpy

from .protobuf import (
    BYTES,
    VARINT,
    bytes_field,
    bytes_head,
    double_field,
    fields,
    float_field,
    floats,
    int_field,
    ints,
    to_signed,
    unpack_double,
)

# message -> field number -> (name, kind, repeated). A kind in capitals is another message.
SCHEMA = {
    "Model": {
        1: ("ir_version", "str", 0),
        2: ("producer_name", "str", 0),
        3: ("producer_version", "str", 0),
        4: ("domain", "str", 0),
        5: ("model_version", "str", 0),
        6: ("doc_string", "str", 0),
        7: ("graph", "Graph", 0),
        8: ("functions", "Graph", 1),
        9: ("preprocessor", "bytes", 0),
        10: ("little_endian", "bool", 0),
        11: ("parallel", "bytes", 0),
        12: ("primitives", "Primitive", 1),
        13: ("mind_ir_version", "int", 0),
        14: ("user_info", "Pair", 1),
    },
    "Pair": {1: ("key", "str", 0), 2: ("value", "str", 0)},
    "Graph": {
        1: ("node", "Node", 1),
        2: ("name", "str", 0),
        3: ("parameter", "Tensor", 1),
        4: ("doc_string", "str", 0),
        5: ("input", "ValueInfo", 1),
        6: ("output", "ValueInfo", 1),
        7: ("bprop_hash", "str", 0),
        8: ("attribute", "Attribute", 1),
        9: ("bprop_filepath", "str", 0),
        10: ("map_parameter", "bytes", 1),
    },
    "Node": {
        1: ("input", "str", 1),
        2: ("output", "str", 1),
        3: ("name", "str", 0),
        4: ("op_type", "str", 0),
        5: ("attribute", "Attribute", 1),
        6: ("doc_string", "str", 0),
        7: ("domain", "str", 0),
        8: ("node_attr", "Attribute", 1),
        9: ("primal_attr", "Attribute", 1),
    },
    "ValueInfo": {
        1: ("name", "str", 0),
        2: ("tensor", "Tensor", 1),
        3: ("doc_string", "str", 0),
        4: ("denotation", "str", 0),
        5: ("attr_info", "Attribute", 0),
    },
    "Primitive": {
        1: ("name", "str", 0),
        2: ("op_type", "str", 0),
        3: ("attribute", "Attribute", 1),
        4: ("instance_name", "str", 0),
        5: ("prim_type", "int", 0),
    },
    "Attribute": {
        1: ("name", "str", 0),
        2: ("f", "float", 0),
        3: ("i", "int", 0),
        4: ("d", "double", 0),
        5: ("s", "bytes", 0),
        6: ("t", "Tensor", 0),
        7: ("g", "Graph", 0),
        8: ("floats", "float", 1),
        9: ("doubles", "double", 1),
        10: ("ints", "int", 1),
        11: ("strings", "bytes", 1),
        12: ("tensors", "Tensor", 1),
        13: ("graphs", "Graph", 1),
        14: ("doc_string", "str", 0),
        15: ("ref_attr_name", "str", 0),
        16: ("type", "int", 0),
        17: ("values", "Attribute", 1),
        18: ("seq_info", "bytes", 0),
        19: ("functor", "bytes", 0),
        20: ("graph_holder", "bytes", 0),
    },
    "Tensor": {
        1: ("dims", "int", 1),
        2: ("data_type", "int", 0),
        3: ("float_data", "float", 1),
        4: ("int32_data", "int", 1),
        5: ("string_data", "bytes", 1),
        6: ("int64_data", "int", 1),
        7: ("name", "str", 0),
        8: ("doc_string", "str", 0),
        9: ("raw_data", "bytes", 0),
        10: ("double_data", "double", 1),
        11: ("uint64_data", "int", 1),
        12: ("external_data", "External", 0),
        13: ("ref_key", "str", 0),
        14: ("min_dims", "int", 1),
        15: ("max_dims", "int", 1),
        16: ("compression_type", "int", 0),
        17: ("quant_params", "bytes", 1),
    },
    "External": {1: ("location", "str", 0), 2: ("offset", "int", 0), 3: ("length", "int", 0)},
}
NAMES = {
    kind: {name: (number, form, many) for number, (name, form, many) in table.items()}
    for kind, table in SCHEMA.items()
}

# The numbers of the types of tensors and attributes.
TYPES = {
    1: "float32",
    2: "uint8",
    3: "int8",
    4: "uint16",
    5: "int16",
    6: "int32",
    7: "int64",
    9: "bool",
    10: "float16",
    11: "float64",
    12: "uint32",
    13: "uint64",
    14: "complex64",
    15: "complex128",
    17: "float64",
}
TYPES = {number: numpy.dtype(name) for number, name in TYPES.items()}
TYPES[16] = numpy.dtype(ml_dtypes.bfloat16)
CODES = {dtype: number for number, dtype in reversed(TYPES.items())}
(FLOAT, INT64, STRING, BOOL, DOUBLE, TENSOR, TENSORS, TUPLE, LIST, DICT, UMONAD, IOMONAD, NONE) = (
    1,
    7,
    8,
    9,
    11,
    17,
    19,
    20,
    21,
    22,
    23,
    24,
    25,
)
WHOLE_NUMBERS = {2, 3, 4, 5, 6, 7, 12, 13}

PRIMITIVE, PRIMITIVE_FUNCTION = 1, 2


class Message:
    """One message of the file; missing fields are None or empty lists."""

    def __init__(self, kind, **values):
        self.kind = kind
        for name, (_, _, is_repeated) in NAMES[kind].items():
            setattr(self, name, [] if is_repeated else None)
        for name, value in values.items():
            if name not in NAMES[kind]:
                raise AttributeError(f"a {kind} has no field {name}")
            setattr(self, name, value)

    def __repr__(self):
        fields_set = {k: v for k, v in self.__dict__.items() if v not in (None, []) and k != "kind"}
        return f"{self.kind}({fields_set})"


def pieces(message):
    """Yields the bytes of a message in pieces that need not be joined; large bytes are not
    copied.
    """
    for name, (number, form, is_repeated) in NAMES[message.kind].items():
        value_or_list = getattr(message, name)
        for value in (
            value_or_list if is_repeated else () if value_or_list is None else (value_or_list,)
        ):
            if form in SCHEMA:
                inner = list(pieces(value))
                yield bytes_head(number, sum(map(len, inner)))
                yield from inner
            elif form == "bytes" and len(value) > 1 << 12:
                yield bytes_head(number, len(value))
                yield value
            else:
                yield _simple(number, form, value)


def _simple(number, form, value):
    if form in ("int", "bool"):
        return int_field(number, int(value))
    if form == "float":
        return float_field(number, value)
    return double_field(number, value) if form == "double" else bytes_field(number, value)


def parse(view, kind="Model"):
    """Parses `view` as a message of the type `kind`, a key of SCHEMA, and returns the Message.

    Raises:
        ValueError: If the bytes are not a valid message of this type.
    """
    message = Message(kind)
    table = SCHEMA[kind]
    for number, wire, content in fields(view):
        if number not in table:
            raise ValueError(f"a {kind} has a field {number}, which is not known")
        name, form, is_repeated = table[number]
        value = _read(form, is_repeated, wire, content)
        if is_repeated:
            getattr(message, name).extend(value if isinstance(value, list) else [value])
        else:
            setattr(message, name, value)
    return message


def _read(form, is_repeated, wire, content):
    """Returns the value of one field; a list for packed repeated numbers."""
    if form in ("int", "bool"):
        if is_repeated:
            return ints(wire, content)
        if wire != VARINT:
            raise ValueError("a whole number is of another kind")
        return bool(content) if form == "bool" else to_signed(content)
    if form == "float":
        numbers = floats(wire, content)
        return numbers if is_repeated else numbers[0]
    if form == "double":
        numbers = unpack_double(content)
        return numbers if is_repeated else numbers[0]
    if wire != BYTES:
        raise ValueError("a text or a message is of another kind")
    if form == "str":
        return str(content, "utf-8")
    return content if form == "bytes" else parse(content, form)


# Python values ------------------------------------------------------------------------------------


def tensor(array, name=None, **more):
    """Returns an array as a Tensor message."""
    array = numpy.asarray(array)
    if array.dtype not in CODES:
        raise TypeError(f"a MindIR file holds no values of type {array.dtype}")
    flat = numpy.ascontiguousarray(array).reshape(-1)
    return Message(
        "Tensor",
        dims=list(array.shape),
        data_type=CODES[array.dtype],
        name=name,
        raw_data=memoryview(flat.view(numpy.uint8)),
        **more,
    )


def array_of(message, folder=None):
    """Returns the array that a Tensor message holds; `folder` is the folder of external data."""
    dtype = TYPES.get(message.data_type)
    if dtype is None:
        raise ValueError(f"a tensor is of type number {message.data_type}, which is not known here")
    raw = message.raw_data
    if message.external_data is not None:
        raw = folder(message.external_data)
    count = math.prod(message.dims)
    if raw is None or len(raw) != count * dtype.itemsize:
        raise ValueError(
            f"the tensor {message.name!r} has {len(raw or b'')} bytes, but its shape "
            f"{tuple(message.dims)} and type {dtype} need {count * dtype.itemsize}"
        )
    return numpy.frombuffer(bytearray(raw), dtype).reshape(message.dims)


def attribute(name, value):
    """Returns a Python value as an Attribute message."""
    message = Message("Attribute", name=name)
    if isinstance(value, numpy.ndarray):
        message.type, message.tensors = TENSORS, [tensor(value)]
    elif value is None:
        message.type = NONE
    elif isinstance(value, bool):
        message.type, message.i = BOOL, value
    elif isinstance(value, int):
        message.type, message.i = INT64, value
    elif isinstance(value, float):
        message.type, message.f = FLOAT, value
    elif isinstance(value, str):
        message.type, message.s = STRING, value.encode()
    elif isinstance(value, (tuple, list)):
        message.type = TUPLE if isinstance(value, tuple) else LIST
        message.values = [_element(v) for v in value]
    else:
        raise TypeError(f"a MindIR file cannot store {value!r} of type {type(value).__name__}")
    return message


def _element(value):
    """Returns a value inside a sequence, where numbers and texts are in the repeated fields."""
    message = attribute(None, value)
    if message.type == INT64:
        message.ints, message.i = [value], None
    elif message.type == FLOAT:
        message.floats, message.f = [value], None
    elif message.type == STRING:
        message.strings, message.s = [message.s], None
    return message


class Monad:
    """A constant that orders effects and has no value."""

    def __repr__(self):
        return "Monad()"


def value_of(message, folder=None):
    """Returns the Python value of an Attribute message: a number, text, array, sequence, None or
    Monad.

    Raises:
        ValueError: If its kind has no Python value (a graph, a sparse tensor).
    """
    kind = message.type
    if kind in (TENSOR, TENSORS):
        return array_of(message.t if message.t is not None else message.tensors[0], folder)
    if kind in (UMONAD, IOMONAD):
        return Monad()
    if kind == NONE:
        return None
    if kind in (TUPLE, LIST):
        return (tuple if kind == TUPLE else list)(value_of(v, folder) for v in message.values)
    if kind == DICT:
        return {v.name: value_of(v.values[0], folder) for v in message.values}
    for single, plural, kinds in (
        ("i", "ints", {*WHOLE_NUMBERS, BOOL}),
        ("f", "floats", {FLOAT, 10, 16}),
        ("d", "doubles", {DOUBLE}),
        ("s", "strings", {STRING}),
    ):
        if kind in kinds:
            number = getattr(message, single)
            numbers = getattr(message, plural)
            number = numbers[0] if number is None and numbers else number
            if kind == STRING:
                return str(number or b"", "utf-8")
            return bool(number) if kind == BOOL else number or 0
    raise ValueError(f"the attribute {message.name!r} is of kind {kind}, which is not known here")
