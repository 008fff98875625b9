"""The plain Python values that a recorded step depends on: attributes, lists, globals, closures.

A replay runs none of a step's Python code, so the values that the code read must be unchanged.
`PythonState` stores the identity of every value that the step can reach through attributes,
elements, closures and the globals that its functions name, and compares the identities before each
replay. It keeps no network alive: it holds references to plain values, so that their identities are
not reused, and weak references to all other objects. Code that does more than compute (prints,
reads a file or the time) is refused.
"""

import dis
import enum
import functools
import itertools
import random
import sys
import types
import weakref

import numpy

from ..._backend.steps.refused import Reason, Refused
from ..._core.tensor.tensor import Tensor
from .reachable import PACKAGE, PLAIN, functions_of, is_cell, is_ours, names_of

EFFECTS = ("print", "open", "input", "next", "breakpoint", "exec", "eval")  # builtins
OUTSIDE = {  # modules whose functions read or change state outside the step
    "asyncio",
    "datetime",
    "io",
    "json",
    "logging",
    "multiprocessing",
    "os",
    "pickle",
    "posix",
    "random",
    "secrets",
    "shutil",
    "socket",
    "subprocess",
    "sys",
    "threading",
    "time",
    "uuid",
}
MEMBERS = ("_params", "_cells", "_buffers")  # attributes of a Cell; members are attributes too
MOST_BYTES = 1 << 12  # of a NumPy array, which is compared as a whole
CONTAINERS = (tuple, list, dict, set, frozenset)
_MISSING = itertools.repeat(object())  # stands for names missing in a dict
VALUES = (
    *PLAIN,
    Tensor,
    enum.Enum,
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodType,
    types.CodeType,
    types.ModuleType,
    numpy.dtype,
    numpy.generic,
    numpy.ufunc,
    range,
    slice,
    type(Ellipsis),
)


class PythonState:
    """The values held by objects and functions, except the values of Tensors.

    Args:
        found: the objects that the step can reach.

    Raises:
        Refused: if one of their functions does more than compute, or an object's state cannot be
            read.
    """

    def __init__(self, objects):
        self._alive = []
        self._sources = {}  # (reader, id of an object) -> reference to the object
        self._names = {}  # id of a dict of names -> (reader, reference to its owner, names)
        self._classes = set()  # classes that are already watched; empty once all are
        self._dead = []  # references to objects that no longer exist
        self._global = _global_random()
        try:
            for value in objects:
                if isinstance(value, types.FunctionType):
                    self._watch_function(value)
                elif isinstance(value, functools.partial):
                    self._watch_partial(value)
                elif _is_watched(value):
                    self._watch_object(value)
            self._rows = [self._note(key[0], source) for key, source in self._sources.items()]
            self._named = [self._note_names(*entry) for entry in self._names.values()]
            self._classes.clear()
            self._sources.clear()
            self._names.clear()
        except (RecursionError, TypeError) as error:  # cyclic, or no weak references
            raise Refused(Reason.INCOMPARABLE.format(error)) from None

    def unchanged(self):
        """Returns True if nothing has changed."""
        if self._dead:
            return False
        for reader, reference, identities, deep in self._rows:
            values = reader(reference())
            if [*map(id, values.values())] != identities:
                return False
            for name, flat in deep:
                if _flat(values[name]) != flat:
                    return False
        for reader, reference, names, identities, deep in self._named:
            get = reader(reference()).get
            if [*map(id, map(get, names, _MISSING))] != identities:
                return False
            for name, flat in deep:
                if _flat(get(name)) != flat:
                    return False
        return True

    def drew(self):
        """Returns True if Python's or NumPy's own random numbers have been drawn since this state
        was recorded."""
        return self._global != _global_random()

    # Watched objects ------------------------------------------------------------------------------

    def _watch_object(self, value):
        cls = type(value)
        self._watch(vars, value)
        if is_ours(cls):
            return
        for kind in cls.__mro__:
            if kind.__module__ != "builtins" and not is_ours(kind):
                if vars(kind).get("__slots__"):
                    raise Refused(Reason.SLOTS.format(kind.__name__))
                self._watch(vars, kind)
                for function in functions_of(kind):
                    self._watch_function(function)
        for name, attribute in vars(value).items():
            _refuse_hidden(name, attribute)
            self._watch_class(attribute)

    def _watch_class(self, value):
        """Watches a class that is used as a record of settings, and classes in it."""
        if not isinstance(value, type) or value in self._classes or is_ours(value):
            return
        self._classes.add(value)
        for kind in value.__mro__:
            if not is_ours(kind) and not _is_foreign(kind):
                self._watch(vars, kind)
                for member in [*vars(kind).values()]:
                    self._watch_class(member)

    def _watch_function(self, function):
        if is_ours(function) or _is_foreign(function):
            return
        _refuse_effects(function, function.__code__)
        self._watch(_of_function, function)
        parts, names = _of_function(function), names_of(function.__code__)
        values = self._look_up(_globals_of, function, names)
        for name, value in values.items():
            if isinstance(value, types.ModuleType) and not value.__name__.startswith(PACKAGE):
                of_module = self._look_up(vars, value, names)
                parts |= {f"{name}.{other}": attribute for other, attribute in of_module.items()}
        for name, part in (parts | values).items():
            _refuse_hidden(name, part)
            self._watch_class(part)

    def _watch_partial(self, value):
        self._watch(_of_partial, value)
        for name, part in _of_partial(value).items():
            _refuse_hidden(name, part)

    def _watch(self, reader, value):
        """Watches the dict that `reader` returns for an object."""
        if (reader, id(value)) not in self._sources:
            self._sources[reader, id(value)] = self._weak(value)

    def _look_up(self, reader, owner, names):
        """Watches names in a dict, including missing ones; returns the values of the existing
        ones."""
        namespace = reader(owner)
        if id(namespace) not in self._names:
            self._names[id(namespace)] = reader, self._weak(owner), set()
        self._names[id(namespace)][2].update(names)
        return {name: namespace[name] for name in names if name in namespace}

    def _weak(self, value):
        return weakref.ref(value, self._dead.append)

    # Noting ---------------------------------------------------------------------------------------

    def _note(self, reader, reference):
        """Returns the identities to compare for one source: the identities of its values and of
        their elements.
        """
        values, deep = reader(reference()), []
        for name, value in values.items():
            self._keep(value)
            if not name.startswith("_cell_") and name not in MEMBERS and _is_deep(value):
                deep.append((name, _flat(value, self._keep)))
        return reader, reference, [*map(id, values.values())], deep

    def _note_names(self, reader, reference, names):
        """Returns the identities to compare for the names that functions look up in a dict."""
        namespace, names, deep = reader(reference()), sorted(names), []
        for name in names:
            if name in namespace:
                self._keep(namespace[name])
                if _is_deep(namespace[name]):
                    deep.append((name, _flat(namespace[name], self._keep)))
        return reader, reference, names, [*map(id, map(namespace.get, names, _MISSING))], deep

    def _keep(self, value):
        """Keeps the identity of an object from being reused unnoticed."""
        if _is_deep(value):
            return  # its elements are compared
        if not isinstance(value, (*PLAIN, tuple, frozenset)) and type(value).__weakrefoffset__:
            value = self._weak(value)
        self._alive.append(value)


def _is_watched(value):
    """Returns True for an object, other than a Tensor, whose attributes a step may read."""
    if isinstance(value, (Tensor, type)) or not hasattr(value, "__dict__"):
        return False
    if is_cell(value):
        return not value._cell_updates
    return _is_primitive(value) if is_ours(type(value)) else not _is_foreign(type(value))


def _is_primitive(value):
    return any(kind.__name__ == "Primitive" for kind in type(value).__mro__)


def _globals_of(function):
    return function.__globals__


def _of_function(function):
    """Returns the state of a function: its code, defaults, attributes and closure."""
    parts = {
        "code": function.__code__,
        "defaults": function.__defaults__,
        "keywords": function.__kwdefaults__,
        **{f"attribute {name}": value for name, value in vars(function).items()},
    }
    if function.__closure__:
        for name, cell in zip(function.__code__.co_freevars, function.__closure__, strict=True):
            try:
                parts[f"closure {name}"] = cell.cell_contents
            except ValueError:  # an empty closure cell
                continue
    return parts


def _of_partial(value):
    """Returns the state of a `functools.partial`."""
    return {"func": value.func, "args": value.args, "keywords": value.keywords}


def _is_deep(value):
    """Returns True for a container whose contents may change."""
    if isinstance(value, (tuple, frozenset)):
        return not all([isinstance(item, (*PLAIN, Tensor)) for item in value])
    return isinstance(value, (list, dict, set)) or type(value) is numpy.ndarray


def _flat(value, keep=None):
    """Returns the identities of the elements of a container, including those of nested
    containers."""
    if type(value) is numpy.ndarray:
        return value.tobytes()
    identities = [len(value)]
    for item in [*value.keys(), *value.values()] if isinstance(value, dict) else value:
        if keep is not None:
            keep(item)
        identities.append(_flat(item, keep) if _is_deep(item) else id(item))
    return identities


# Refusals -----------------------------------------------------------------------------------------


def _refuse_effects(function, code):
    """Refuses a function that uses a name with side effects."""
    for instruction in dis.get_instructions(code):
        name = instruction.argval
        if instruction.opname == "IMPORT_NAME" and name.partition(".")[0] in OUTSIDE:
            raise Refused(Reason.INSTRUCTION.format(name))
        if instruction.opname not in ("LOAD_GLOBAL", "LOAD_NAME"):
            continue
        value = function.__globals__.get(name)
        if value is None and name in EFFECTS or _is_outside(value):
            raise Refused(Reason.INSTRUCTION.format(name))
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            _refuse_effects(function, constant)


def _is_outside(value):
    """Returns True for a module, or an object from one, that reads or changes state outside."""
    if isinstance(value, types.ModuleType):
        return value.__name__.partition(".")[0] in OUTSIDE or value.__name__.endswith(".log")
    home = getattr(value, "__module__", None) or type(value).__module__
    return isinstance(home, str) and home.partition(".")[0] in OUTSIDE


def _refuse_hidden(name, value):
    """Refuses a value whose state cannot be compared."""
    if isinstance(value, CONTAINERS):
        for item in value.values() if isinstance(value, dict) else value:
            _refuse_hidden(name, item)
    elif type(value) is numpy.ndarray:
        if value.nbytes > MOST_BYTES or value.dtype.hasobject:
            raise Refused(Reason.NUMPY_ARRAY.format(name))
    elif hasattr(type(value), "__next__") or _is_outside(value):
        raise Refused(Reason.HIDDEN_STATE.format(name))
    elif not isinstance(value, VALUES) and not hasattr(value, "__dict__"):
        if not is_ours(type(value)):
            raise Refused(Reason.HIDDEN_STATE.format(name))


def _is_foreign(value):
    """Returns True for a function or class of a library, which cannot hide Tensors from the
    step."""
    name = value.__module__ or "builtins"
    if name.partition(".")[0] in sys.stdlib_module_names and name != "__main__":
        return True
    return "site-packages" in (getattr(sys.modules.get(name), "__file__", None) or "")


def _global_random():
    kind, keys, *rest = numpy.random.get_state()
    return hash(random.getstate()), kind, keys.tobytes(), rest
