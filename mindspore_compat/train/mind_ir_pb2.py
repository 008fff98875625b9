"""`mindspore.train.mind_ir_pb2`: a MindIR file as a message, for scripts that parse one.

`load` and `export` use `_io/mindir.py`; the messages here are built from its table of fields.
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
    """A file: its graph, functions, primitives, and the user's texts by name."""


class GraphProto(Message):
    """A graph: nodes, parameters, inputs and outputs."""


class NodeProto(Message):
    """An operation of a graph, with its attributes."""


class ValueInfoProto(Message):
    """An input or output of a graph: its name, shape and dtype."""


class PrimitiveProto(Message):
    """A primitive that nodes refer to, with its attributes."""


class AttributeProto(Message):
    """A named value: a number, a text, a tensor, or several."""


class TensorProto(Message):
    """An array: its shape, the number of its dtype, and its values."""

    class ExternalDataProto(Message):
        """The location of an array's values in another file."""


class _Entry(Message):
    """A named text."""


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
