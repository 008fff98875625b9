"""`mindspore.train.mind_ir_pb2`: a MindIR file as a message, for scripts that take it apart.

`load` and `export` go by `_io/mindir.py`, whose table of fields the messages here are made from.
"""

from .._io.messages import MAP, OPTIONAL, REPEATED, Field, Message
from .._io.mindir import SCHEMA

__all__ = [
    "AttributeProto",
    "GraphProto",
    "ModelProto",
    "NodeProto",
    "PrimitiveProto",
    "TensorProto",
    "ValueInfoProto",
]

_KINDS = {"str": "string", "int": "int64"}


class ModelProto(Message):
    """A file: its graph, functions, primitives, and texts of the user by name."""


class GraphProto(Message):
    """A graph: nodes, parameters, inputs and outputs."""


class NodeProto(Message):
    """An operation of a graph, with its attributes."""


class ValueInfoProto(Message):
    """An input or output of a graph: its name, shape and dtype."""


class PrimitiveProto(Message):
    """A primitive that nodes name, with its attributes."""


class AttributeProto(Message):
    """A value by name: a number, a text, a tensor, or several."""


class TensorProto(Message):
    """An array: its lengths, the number of its dtype, and its values."""

    class ExternalDataProto(Message):
        """Where the values of an array are in another file."""


class _Entry(Message):
    """A text by name."""


_MESSAGES = {
    "Model": ModelProto,
    "Graph": GraphProto,
    "Node": NodeProto,
    "ValueInfo": ValueInfoProto,
    "Primitive": PrimitiveProto,
    "Attribute": AttributeProto,
    "Tensor": TensorProto,
    "External": TensorProto.ExternalDataProto,
    "Pair": _Entry,
}
for _name, _message in _MESSAGES.items():
    _message.FIELDS = tuple(
        Field(
            number,
            name,
            _MESSAGES.get(kind, _KINDS.get(kind, kind)),
            MAP if kind == "Pair" else REPEATED if many else OPTIONAL,
        )
        for number, (name, kind, many) in SCHEMA[_name].items()
    )
