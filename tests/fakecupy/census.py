"""Reads the names, methods and keywords of an installed CuPy.

The stand-in next to this file allows a name, a method or a keyword only if the census lists it. A
mistake such as `cupy.insert` or `cupy.sum(where=)` therefore fails on a machine without a GPU.
releases.py writes census.json, what all releases have in common; contract.py records whole calls.
The other files here implement the names.
"""

import ast
import importlib
import inspect
import json
import pathlib
import types

MODULES = (
    "cupy",
    "cupy.linalg",
    "cupy.fft",
    "cupy.random",
    "cupy.cuda",
    "cupy.cuda.runtime",
    "cupyx",
    "cupyx.scipy.special",
    "cupyx.scipy.linalg",
    "cupyx.scipy.ndimage",
    "cupyx.scipy.signal",
    "cupyx.scipy.fft",
    "cupy.lib",
    "cupy.lib.stride_tricks",
)
CLASSES = (
    "cupy.ndarray",
    "cupy.ufunc",
    "cupy.ElementwiseKernel",
    "cupy.ReductionKernel",
    "cupy.RawKernel",
    "cupy.RawModule",
    "cupy.random.Generator",
    "cupy.random.RandomState",
    "cupy.cuda.Device",
    "cupy.cuda.Stream",
    "cupy.cuda.Event",
    "cupy.cuda.MemoryPool",
)
OF_THE_COMPILER = {
    "__pyx_vtable__",
    "__doc__",
    "__module__",
    "__dict__",
    "__weakref__",
    "__getstate__",
    "__setstate__",
}
FILE = pathlib.Path(__file__).with_name("census.json")


def parameters(signature):
    """Returns the parameters of a signature as source text. A default that is not a literal becomes
    `...`."""
    words, marks = [], set()
    for p in signature.parameters.values():
        if p.kind is p.KEYWORD_ONLY and not marks & {"*", p.VAR_POSITIONAL}:
            words.append("*")
            marks.add("*")
        marks.add(p.kind)
        word = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "") + p.name
        if p.default is not p.empty:
            word += f"={literal(p.default)}"
        words.append(word)
    return ", ".join(words)


def literal(value):
    """Returns `value` as source text, or `...` if it is not a literal."""
    text = repr(value)
    try:
        ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return "..."
    return text


def embedded(function):
    """Returns the parameters from the first line of a docstring, where CuPy's compiled modules
    write them, or None.
    """
    line = (getattr(function, "__doc__", None) or "").split("\n")[0].split(" -> ")[0]
    if not line.endswith(")") or "(" not in line:
        return None
    try:
        call = ast.parse(f"def f({untyped(line[line.index('(') + 1 : -1])}): 0").body[0].args
    except SyntaxError:
        return None
    for group in (call.posonlyargs, call.args):
        if group and group[0].arg == "self":
            del group[0]
    return ast.unparse(call)


def untyped(text):
    """Returns the parameter list `text` without Cython's types: `int axis=0, ndarray out=None` to
    `axis=0, out=None`.
    """
    words = []
    for word in text.split(", "):
        name, equals, default = word.partition("=")
        words.append(name.strip().split(" ")[-1].split(":")[0] + equals + default.strip())
    return ", ".join(words)


def describe(value):
    """Returns one census line: what kind of thing `value` is, with its parameters or types if
    any."""
    if type(value).__name__ == "ufunc":
        return f"ufunc {value.nin} {value.nout} {' '.join(value.types)}"
    if inspect.isclass(value):
        return "class"
    if isinstance(value, types.ModuleType):
        return "module"
    if not callable(value):
        return "value"
    try:
        found = parameters(inspect.signature(value))
    except (TypeError, ValueError):
        found = embedded(value)
    return "function" if found is None else f"function ({found})"


def members(path):
    """Returns the public members of a class, and its operators except those that every object
    has."""
    module, _, name = path.rpartition(".")
    cls = getattr(importlib.import_module(module), name)
    found = {}
    for key in dir(cls):
        value = inspect.getattr_static(cls, key)
        if key.startswith("__"):
            if value is not getattr(object, key, None) and key not in OF_THE_COMPILER:
                found[key] = "operator"
        elif callable(value) or isinstance(value, (staticmethod, classmethod)):
            listed = embedded(value)
            listed = plain(value) if listed is None else listed
            found[key] = "method" if listed is None else f"method ({listed})"
        else:
            found[key] = "property"
    return {
        key: line for key, line in found.items() if key.startswith("__") or not key.startswith("_")
    }


def plain(method):
    """Returns the parameters of a method written in Python, without `self`; None if unknown."""
    try:
        text = parameters(inspect.signature(getattr(method, "__func__", method)))
    except (TypeError, ValueError):
        return None
    return text.partition(", ")[2] if text.split(",")[0] in ("self", "cls") else text


def take():
    """Returns the whole census of the CuPy that is installed."""
    found = {"versions": {}, "modules": {}, "classes": {}}
    for package in ("cupy", "numpy", "scipy"):
        found["versions"][package] = importlib.import_module(package).__version__
    for path in MODULES:
        module = importlib.import_module(path)
        found["modules"][path] = {
            name: describe(getattr(module, name))
            for name in sorted(dir(module))
            if not name.startswith("_") and name != "annotations"
        }
    for path in CLASSES:
        found["classes"][path] = members(path)
        module, _, name = path.rpartition(".")
        found["modules"][module].setdefault(name, "class")  # cupy.random.Generator loads late
    return found


def write(found):
    """Writes the census with one name a line, so that a new release shows as a short difference."""
    FILE.write_text(json.dumps(found, indent=0, sort_keys=True) + "\n", encoding="utf-8")
