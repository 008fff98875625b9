"""A call as argument texts: what the documentation's example passes to a name.

One argument can be replaced by another, and arguments can be read as NumPy arrays.
"""

import functools
from dataclasses import dataclass, field, replace

from .values import Values

_ARRAYS = Values()


@functools.lru_cache(maxsize=64)  # the cases of one name ask for the same few texts
def _array_of(text):
    """The NumPy or plain value that an argument text spells; None where it spells no such thing."""
    try:
        return _ARRAYS.build(text)
    except Exception:  # noqa: BLE001  (any text that is no plain value)
        return None


@dataclass
class Call:
    """A call by argument texts: `init` makes the object of a class, `call` uses it, `owner` is a
    method's object.
    """

    init: dict = None  # name → text, in signature order; None for functions
    call: dict = None
    owner: str = None
    types: dict = field(default_factory=dict)
    defaults: dict = field(default_factory=dict)
    init_names: tuple = ()
    call_names: tuple = ()

    def get(self, name):
        for part in (self.call, self.init):
            if part and name in part:
                return part[name]
        if name == "self" or (name in ("input", "x") and self.owner):
            return self.owner
        return self.defaults.get(name)

    def put(self, name, text):
        """The same call with one argument changed; None where it has no such parameter."""
        new = replace(self, init=_copied(self.init), call=_copied(self.call))
        for part, names in ((new.call, self.call_names), (new.init, self.init_names)):
            if part is not None and (name in part or name in names):
                part[name] = text
                return new
        if name in ("self", "input") and self.owner:
            new.owner = text
            return new
        return None

    def value(self, name):
        """The argument as NumPy and plain values, not to be written; None where it is none."""
        text = self.get(name)
        return None if text is None else _array_of(text)

    def number_kind(self, name):
        """Which literals suit the parameter: "float" or "int"."""
        types = self.types.get(name, [])
        value = self.value(name)
        if isinstance(value, (tuple, list)) and value:
            return "float" if all(isinstance(v, float) for v in value) else "int"
        if isinstance(value, float) or ("float" in types and "int" not in types):
            return "float"
        return "int"


def _copied(arguments):
    return None if arguments is None else dict(arguments)
