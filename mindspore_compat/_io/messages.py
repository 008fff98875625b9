"""Messages with fields by name, as the original's protobuf files make them for scripts.

    class Point(Message):
        FIELDS = (Field(1, "x", "int32", REQUIRED), Field(2, "near", "int32", REPEATED))

    point = Point(x=3)
    point.near.extend([1, 2])
    assert Point.FromString(point.SerializeToString()) == point

What this package reads and writes itself goes by protobuf.py alone, which copies nothing.
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
    """Bytes are no such message."""


class EncodeError(ValueError):
    """A message lacks what it must have."""


class Field(NamedTuple):
    """One field: its number, name, kind (a name, or a class of messages), whether it must be there
    or repeats, and the group of which only one can be set. A map repeats messages with a `key` and
    a `value`, both text, and reads as a dict."""

    number: int
    name: str
    kind: object
    label: str = OPTIONAL
    group: str = ""


class _Repeated(list):
    """The values of a field that repeats; messages are added by `add`."""

    def __init__(self, field, owner):
        super().__init__()
        self._field, self._owner = field, owner

    def add(self, **values):
        """A new message at the end, which is returned."""
        if isinstance(self._field.kind, str):
            raise AttributeError(f"'{self._field.name}' holds no messages")
        self.append(self._field.kind(**values))
        return self[-1]

    def append(self, value):
        """One value more."""
        super().append(_checked(self._field, value, self._owner))

    def extend(self, values):
        """Values more."""
        super().extend([_checked(self._field, value, self._owner) for value in values])


class _Map(dict):
    """The texts of a field that is a map."""

    def __init__(self, field, owner):
        super().__init__()
        self._field, self._owner = field, owner

    def __setitem__(self, key, value):
        for each in (key, value):
            _checked(self._field._replace(kind="string"), each, self._owner)
        super().__setitem__(key, value)

    def update(self, *given, **named):
        """Sets the texts of another dict, or of pairs."""
        for key, value in dict(*given, **named).items():
            self[key] = value


def _checked(field, value, owner):
    """A value that the field can hold."""
    if field.kind in ("float", "double") and isinstance(value, int):
        value = float(value)
    wanted = field.kind
    if isinstance(wanted, str):
        wanted = {"string": str, "bytes": bytes, "float": float, "double": float}.get(wanted, int)
    if not isinstance(value, wanted):
        raise TypeError(
            f"For '{owner}', '{field.name}' must be of type {wanted.__name__}, but got "
            f"{value!r} of type {type(value).__name__}."
        )
    if field.kind == "float":
        return struct.unpack("<f", struct.pack("<f", value))[0]
    if field.kind == "bool":
        return bool(value)
    if wanted is int:
        least, most = _RANGES[field.kind]
        if not least <= value <= most:
            raise ValueError(
                f"For '{owner}', '{field.name}' must be in [{least}, {most}], but got {value}."
            )
    return value


class Message:
    """The base of messages: a subclass names its FIELDS."""

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
        inner = field.kind()  # is set as soon as something in it is
        vars(inner)["_parent"] = (self, field)
        return vars(self).setdefault("_asked", {}).setdefault(name, inner)

    def __setattr__(self, name, value):
        field = self._field(name)
        if field.label in _MANY or not isinstance(field.kind, str):
            raise AttributeError(
                f"'{name}' of '{type(self).__name__}' is not assigned to: change what is in it"
            )
        self._put(field, _checked(field, value, type(self).__name__))

    def _put(self, field, value):
        for other in self.FIELDS:
            if field.group and other.group == field.group and other.name != field.name:
                self.ClearField(other.name)
        self._set[field.name] = value
        self._appear()

    def _appear(self):
        """Makes a message that was read as a field a part of the message that it belongs to."""
        if self._parent is not None:
            (outer, field), vars(self)["_parent"] = self._parent, None
            vars(outer)["_asked"].pop(field.name, None)
            outer._put(field, self)

    def _settle(self):
        """Takes in the inner messages whose lists have grown since they were first read."""
        for inner in list(vars(self).get("_asked", {}).values()):
            inner._settle()
            if any(inner._set.values()):
                inner._appear()

    def _present(self):
        """(field, value) of what is set, in order."""
        self._settle()
        values = self._set
        return [
            (field, values[field.name])
            for field in self.FIELDS
            if field.name in values and (field.label not in _MANY or values[field.name])
        ]

    @staticmethod
    def _members(field, value):
        """What a field that is set writes: values, one after another."""
        if field.label == MAP:
            return [field.kind(key=key, value=text) for key, text in value.items()]
        return value if field.label == REPEATED else [value]

    def HasField(self, name):  # noqa: N802 - the original's name
        """Whether a field that does not repeat is set.

        Raises:
            ValueError: there is no such field.
        """
        self._settle()
        if all(field.name != name or field.label in _MANY for field in self.FIELDS):
            raise ValueError(f"'{type(self).__name__}' has no single field '{name}'")
        return name in self._set

    def ClearField(self, name):  # noqa: N802
        """Makes a field as it was at first."""
        self._field(name)
        self._set.pop(name, None)
        vars(self).get("_asked", {}).pop(name, None)

    def Clear(self):  # noqa: N802
        """Makes all fields as they were at first."""
        for field in self.FIELDS:
            self.ClearField(field.name)

    def CopyFrom(self, other):  # noqa: N802
        """Makes it what another one is."""
        if type(other) is not type(self):
            raise TypeError(f"'other' must be a {type(self).__name__}, but got {other!r}.")
        if other is not self:
            self._read(other._serialized())

    def IsInitialized(self):  # noqa: N802
        """Whether it has all that it must have."""
        return not self._lacking()

    def _lacking(self):
        values = dict((field.name, value) for field, value in self._present())
        found = [
            field.name
            for field in self.FIELDS
            if field.label == REQUIRED and field.name not in values
        ]
        for name, value in values.items():
            for i, one in enumerate(value if isinstance(value, list) else [value]):
                if isinstance(one, Message):
                    at = f"{name}[{i}]" if isinstance(value, list) else name
                    found.extend(f"{at}.{each}" for each in one._lacking())
        return found

    def ByteSize(self):  # noqa: N802
        """How many bytes it is written as."""
        return len(self._serialized())

    def SerializeToString(self):  # noqa: N802
        """It as bytes.

        Raises:
            EncodeError: something is lacking that must be there.
        """
        lacking = self._lacking()
        if lacking:
            raise EncodeError(f"'{type(self).__name__}' lacks {', '.join(lacking)}")
        return self._serialized()

    def _serialized(self):
        found = []
        for field, value in self._present():
            made = _WRITERS.get(field.kind, bytes_field)
            for one in self._members(field, value):
                one = one._serialized() if isinstance(one, Message) else one
                found.append(made(field.number, one))
        return b"".join(found)

    @classmethod
    def _of(cls, data):
        """A message within another one, whose missing fields are checked later."""
        found = cls()
        found._read(data)
        return found

    @classmethod
    def FromString(cls, data):  # noqa: N802
        """A message from bytes."""
        found = cls()
        found.ParseFromString(data)
        return found

    def ParseFromString(self, data):  # noqa: N802
        """Makes it what bytes say; returns how many there were.

        Raises:
            DecodeError: they are no such message.
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
        numbered = {field.number: field for field in self.FIELDS}
        for number, kind, value in fields(memoryview(data)):
            field = numbered.get(number)
            if field is None:
                continue
            found = _values(field, kind, value)
            if field.label == REPEATED:
                getattr(self, field.name).extend(found)
            elif field.label == MAP:
                getattr(self, field.name).update((each.key, each.value) for each in found)
            else:
                self._put(field, _checked(field, found[-1], type(self).__name__))

    def __eq__(self, other):
        return type(other) is type(self) and self._serialized() == other._serialized()

    __hash__ = None

    def __str__(self):
        return "".join(f"{line}\n" for line in self._lines())

    __repr__ = __str__

    def _lines(self):
        for field, value in self._present():
            for one in self._members(field, value):
                if isinstance(one, Message):
                    yield f"{field.name} {{"
                    yield from (f"  {line}" for line in one._lines())
                    yield "}"
                elif isinstance(one, bool):
                    yield f"{field.name}: {str(one).lower()}"
                elif isinstance(one, (int, float)):
                    yield (
                        f"{field.name}: {one:.9g}"
                        if field.kind == "float"
                        else f"{field.name}: {one}"
                    )
                else:
                    text = one.encode() if isinstance(one, str) else one
                    yield f'{field.name}: "{_escaped(text)}"'


def _values(field, kind, value):
    """What one field of a file holds."""
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


def _escaped(text):
    """Bytes as protobuf prints them."""
    plain = {10: "\\n", 13: "\\r", 9: "\\t", 34: '\\"', 39: "\\'", 92: "\\\\"}
    return "".join(plain.get(n) or (chr(n) if 32 <= n < 127 else f"\\{n:03o}") for n in text)
