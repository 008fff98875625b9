"""Calls as argument texts: the arguments that the documentation's example passes to a name.

One argument can be replaced by another, and arguments can be evaluated as NumPy arrays.
"""

import functools
from dataclasses import dataclass, field, replace

from ..arguments.values import Values

_ARRAYS = Values()


@functools.lru_cache(maxsize=64)  # the cases of one name need the same few texts
def _array_of(text):
    """Returns the value of an argument text as a NumPy array or plain value, or None if that is
    impossible."""
    try:
        return _ARRAYS.build(text)
    except Exception:  # the text needs objects of the target
        return None


@dataclass
class Call:
    """A call as argument texts: `init` constructs an object of a class, `call` calls it, `owner` is
    the object of a method.
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
        """Returns the call with one argument changed; None if it has no such parameter."""
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
        """Returns the argument as a read-only NumPy array or plain value, or None if that is
        impossible."""
        text = self.get(name)
        return None if text is None else _array_of(text)

    def number_kind(self, name):
        """Returns the kind of literal that suits the parameter: "float" or "int"."""
        types = self.types.get(name, [])
        value = self.value(name)
        if isinstance(value, (tuple, list)) and value:
            return "float" if all(isinstance(v, float) for v in value) else "int"
        if isinstance(value, float) or ("float" in types and "int" not in types):
            return "float"
        return "int"


def _copied(arguments):
    return None if arguments is None else dict(arguments)
