"""Protobuf messages with named fields, like the classes of MindSpore's generated modules.

    class Point(Message):
        FIELDS = (Field(1, "x", "int32", REQUIRED), Field(2, "near", "int32", REPEATED))

    point = Point(x=3)
    point.near.extend([1, 2])
    assert Point.FromString(point.SerializeToString()) == point

The package itself reads and writes with protobuf.py only, which does not copy data.
"""

import struct
from typing import NamedTuple

from .protobuf import (
    BYTES,
    bytes_field,
    double_field,
    fields,
    float_field,
    floats,
    int_field,
    ints,
    unpack_double,
)

REQUIRED, OPTIONAL, REPEATED, MAP = "required", "optional", "repeated", "map"
_RANGES = {
    "int32": (-(2**31), 2**31 - 1),
    "uint32": (0, 2**32 - 1),
    "int64": (-(2**63), 2**63 - 1),
    "uint64": (0, 2**64 - 1),
}
_EMPTY = {
    "string": "",
    "bytes": b"",
    "bool": False,
    "float": 0.0,
    "double": 0.0,
    **dict.fromkeys(_RANGES, 0),
}
_WRITERS = {
    "float": float_field,
    "double": double_field,
    "bool": int_field,
    **dict.fromkeys(_RANGES, int_field),
}


class DecodeError(ValueError):
    """The bytes are not a valid message."""


class EncodeError(ValueError):
    """A message lacks a required field."""


class Field(NamedTuple):
    """A field: its number, name, kind (a name, or a message class), label (required or repeated),
    and oneof group. A map is a repeated message with the texts `key` and `value`; reading it gives
    a dict."""

    number: int
    name: str
    kind: object
    label: str = OPTIONAL
    group: str = ""


class _Repeated(list):
    """The values of a repeated field; `add` adds messages."""

    def __init__(self, field, owner):
        super().__init__()
        self._field, self._owner = field, owner

    def add(self, **values):
        """Appends a new message and returns it."""
        if isinstance(self._field.kind, str):
            raise AttributeError(f"'{self._field.name}' holds no messages")
        self.append(self._field.kind(**values))
        return self[-1]

    def append(self, value):
        """Appends a value."""
        super().append(_check(self._field, value, self._owner))

    def extend(self, values):
        """Appends several values."""
        super().extend([_check(self._field, value, self._owner) for value in values])


class _Map(dict):
    """The texts of a map field."""

    def __init__(self, field, owner):
        super().__init__()
        self._field, self._owner = field, owner

    def __setitem__(self, key, value):
        for text in (key, value):
            _check(self._field._replace(kind="string"), text, self._owner)
        super().__setitem__(key, value)

    def update(self, *given, **named):
        """Sets the texts of another dict, or of pairs."""
        for key, value in dict(*given, **named).items():
            self[key] = value


def _check(field, value, owner):
    """Checks a value for a field and returns it."""
    if field.kind in ("float", "double") and isinstance(value, int):
        value = float(value)
    type_ = field.kind
    if isinstance(type_, str):
        type_ = {"string": str, "bytes": bytes, "float": float, "double": float}.get(type_, int)
    if not isinstance(value, type_):
        raise TypeError(
            f"For '{owner}', '{field.name}' must be of type {type_.__name__}, but got "
            f"{value!r} of type {type(value).__name__}."
        )
    if field.kind == "float":
        return struct.unpack("<f", struct.pack("<f", value))[0]
    if field.kind == "bool":
        return bool(value)
    if type_ is int:
        least, most = _RANGES[field.kind]
        if not least <= value <= most:
            raise ValueError(
                f"For '{owner}', '{field.name}' must be in [{least}, {most}], but got {value}."
            )
    return value


class Message:
    """Base class of messages: a subclass defines FIELDS."""

    FIELDS = ()

    def __init__(self, **values):
        vars(self).update(_set={}, _parent=None)
        for name, value in values.items():
            field = self._field(name)
            if field.label == REPEATED:
                getattr(self, name).extend(value)
            elif field.label == MAP:
                getattr(self, name).update(value)
            else:
                setattr(self, name, value)

    @classmethod
    def _field(cls, name):
        for field in cls.FIELDS:
            if field.name == name:
                return field
        raise AttributeError(f"'{cls.__name__}' has no field '{name}'")

    def __getattr__(self, name):
        field, values = self._field(name), self._set
        if name in values:
            return values[name]
        if field.label in _MANY:
            return values.setdefault(name, _MANY[field.label](field, type(self).__name__))
        if isinstance(field.kind, str):
            return _EMPTY[field.kind]
        inner = field.kind()  # set as soon as one of its fields is set
        vars(inner)["_parent"] = (self, field)
        return vars(self).setdefault("_asked", {}).setdefault(name, inner)

    def __setattr__(self, name, value):
        field = self._field(name)
        if field.label in _MANY or not isinstance(field.kind, str):
            raise AttributeError(
                f"'{name}' of '{type(self).__name__}' is not assigned to: change what is in it"
            )
        self._put(field, _check(field, value, type(self).__name__))

    def _put(self, field, value):
        for other in self.FIELDS:
            if field.group and other.group == field.group and other.name != field.name:
                self.ClearField(other.name)
        self._set[field.name] = value
        self._appear()

    def _appear(self):
        """Attaches a message that was read as a field to its parent."""
        if self._parent is not None:
            (outer, field), vars(self)["_parent"] = self._parent, None
            vars(outer)["_asked"].pop(field.name, None)
            outer._put(field, self)

    def _settle(self):
        """Attaches inner messages whose lists have grown since they were read."""
        for inner in list(vars(self).get("_asked", {}).values()):
            inner._settle()
            if any(inner._set.values()):
                inner._appear()

    def _present(self):
        """Yields (field, value) of the set fields, in order."""
        self._settle()
        values = self._set
        return [
            (field, values[field.name])
            for field in self.FIELDS
            if field.name in values and (field.label not in _MANY or values[field.name])
        ]

    @staticmethod
    def _members(field, value):
        """Returns the values to write for a set field."""
        if field.label == MAP:
            return [field.kind(key=key, value=text) for key, text in value.items()]
        return value if field.label == REPEATED else [value]

    def HasField(self, name):  # noqa: N802 - MindSpore's name
        """Returns whether a field that is not repeated is set.

        Raises:
            ValueError: if there is no such field.
        """
        self._settle()
        if all(field.name != name or field.label in _MANY for field in self.FIELDS):
            raise ValueError(f"'{type(self).__name__}' has no single field '{name}'")
        return name in self._set

    def ClearField(self, name):  # noqa: N802
        """Resets a field."""
        self._field(name)
        self._set.pop(name, None)
        vars(self).get("_asked", {}).pop(name, None)

    def Clear(self):  # noqa: N802
        """Resets all fields."""
        for field in self.FIELDS:
            self.ClearField(field.name)

    def CopyFrom(self, other):  # noqa: N802
        """Copies another message."""
        if type(other) is not type(self):
            raise TypeError(f"'other' must be a {type(self).__name__}, but got {other!r}.")
        if other is not self:
            self._read(other._serialize())

    def IsInitialized(self):  # noqa: N802
        """Returns whether all required fields are set."""
        return not self._lacking()

    def _lacking(self):
        values = dict((field.name, value) for field, value in self._present())
        names = [
            field.name
            for field in self.FIELDS
            if field.label == REQUIRED and field.name not in values
        ]
        for name, value in values.items():
            for i, item in enumerate(value if isinstance(value, list) else [value]):
                if isinstance(item, Message):
                    at = f"{name}[{i}]" if isinstance(value, list) else name
                    names.extend(f"{at}.{path}" for path in item._lacking())
        return names

    def ByteSize(self):  # noqa: N802
        """Returns the length of the serialized message."""
        return len(self._serialize())

    def SerializeToString(self):  # noqa: N802
        """Serializes the message to bytes.

        Raises:
            EncodeError: if a required field is missing.
        """
        lacking = self._lacking()
        if lacking:
            raise EncodeError(f"'{type(self).__name__}' lacks {', '.join(lacking)}")
        return self._serialize()

    def _serialize(self):
        parts = []
        for field, value in self._present():
            writer = _WRITERS.get(field.kind, bytes_field)
            for member in self._members(field, value):
                member = member._serialize() if isinstance(member, Message) else member
                parts.append(writer(field.number, member))
        return b"".join(parts)

    @classmethod
    def _of(cls, data):
        """Parses an inner message, without checking that its required fields are present."""
        message = cls()
        message._read(data)
        return message

    @classmethod
    def FromString(cls, data):  # noqa: N802
        """Parses a message from bytes."""
        message = cls()
        message.ParseFromString(data)
        return message

    def ParseFromString(self, data):  # noqa: N802
        """Replaces the message by one parsed from bytes; returns the number of bytes.

        Raises:
            DecodeError: if they are not such a message.
        """
        data = bytes(data)
        try:
            self._read(data)
        except (ValueError, TypeError) as error:
            raise DecodeError(f"the bytes are no {type(self).__name__}: {error}") from None
        lacking = self._lacking()
        if lacking:
            raise DecodeError(f"the bytes lack {', '.join(lacking)}")
        return len(data)

    def _read(self, data):
        self.Clear()
        fields_by_number = {field.number: field for field in self.FIELDS}
        for number, kind, value in fields(memoryview(data)):
            field = fields_by_number.get(number)
            if field is None:
                continue
            values = _values(field, kind, value)
            if field.label == REPEATED:
                getattr(self, field.name).extend(values)
            elif field.label == MAP:
                getattr(self, field.name).update((entry.key, entry.value) for entry in values)
            else:
                self._put(field, _check(field, values[-1], type(self).__name__))

    def __eq__(self, other):
        return type(other) is type(self) and self._serialize() == other._serialize()

    __hash__ = None

    def __str__(self):
        return "".join(f"{line}\n" for line in self._lines())

    __repr__ = __str__

    def _lines(self):
        for field, value in self._present():
            for member in self._members(field, value):
                if isinstance(member, Message):
                    yield f"{field.name} {{"
                    yield from (f"  {line}" for line in member._lines())
                    yield "}"
                elif isinstance(member, bool):
                    yield f"{field.name}: {str(member).lower()}"
                elif isinstance(member, (int, float)):
                    yield (
                        f"{field.name}: {member:.9g}"
                        if field.kind == "float"
                        else f"{field.name}: {member}"
                    )
                else:
                    text = member.encode() if isinstance(member, str) else member
                    yield f'{field.name}: "{_escape(text)}"'


def _values(field, kind, value):
    """Returns the values of one serialized field."""
    if field.kind == "float":
        return floats(kind, value)
    if field.kind == "double":
        return unpack_double(value)
    if field.kind == "bool":
        return [bool(n) for n in ints(kind, value)]
    if field.kind in _RANGES:
        return [n & 0xFFFFFFFF if field.kind == "uint32" else n for n in ints(kind, value)]
    if kind != BYTES:
        raise ValueError(f"'{field.name}' is of kind {kind}, not {BYTES}")
    if field.kind == "string":
        return [bytes(value).decode()]
    return [bytes(value) if field.kind == "bytes" else field.kind._of(value)]


_MANY = {REPEATED: _Repeated, MAP: _Map}


def _escape(text):
    """Escapes bytes as protobuf prints them."""
    plain = {10: "\\n", 13: "\\r", 9: "\\t", 34: '\\"', 39: "\\'", 92: "\\\\"}
    return "".join(plain.get(n) or (chr(n) if 32 <= n < 127 else f"\\{n:03o}") for n in text)
