"""Shows uncaught errors of a script with its own frames, the path of the Cell, and a hint.

The package's frames do not help the author of a script, and an error of an operator has more of
them than of the script's own. `MINDSPORE_COMPAT_TRACEBACK=1` shows all frames.
"""

import difflib
import importlib
import inspect
import re
import sys
import traceback

from .._core.declare.missing import areas_with
from .._core.frames import VARIABLE, hide_package_frames, links_of
from .._core.hints import KEYWORDS, NAMES
from .._core.rules.base import registered

_AREAS = ("nn", "ops", "mint", "mint.nn", "mint.optim", "train", "")
_NOT_IMPORTED = re.compile(r"cannot import name '(\w+)' from '([\w.]+)'")
_UNEXPECTED = re.compile(
    r"(\w+)(?:\.__init__|\.(\w+))?\(\) got an unexpected keyword argument '(\w+)'"
)
_DTYPES_DIFFER = re.compile(r"must have the (?:dtype of the weight, (\w+)|same dtype), but got ")
_NEEDS_TENSOR = re.compile(
    r"must be a Tensor\b.*but got (?:a NumPy array|array\(|\[|\()", re.DOTALL
)
_OTHER_DEVICE = re.compile(
    r"'device(?:_target)?' must be .*but got '(?:cuda|gpu|npu)(?::\d+)?'", re.I
)


def formatted(error):
    """Returns the text of an error (traceback without the package's frames, path of the Cell,
    hint), and whether it differs from Python's."""
    summary = traceback.TracebackException.from_exception(error)
    count = len(summary.stack)
    hidden = hide_package_frames(summary)
    text = "".join(summary.format())
    hint = advice(error, text)
    if hidden:
        hint += f"  (hidden frames of mindspore_compat: {hidden}; {VARIABLE}=1 shows them)\n"
    return text + hint, bool(hint) or 0 < len(summary.stack) < count


def advice(error, text=""):
    """Returns the lines that follow a traceback: the path of the Cell and a hint, if any.

    Args:
        error: the error.
        text: the lines already shown, in which Python may have suggested a name.
    """
    cell = cell_path(error)
    hint = next((hint for find in HINTS if (hint := find(error))), "")
    if not hint and "did you mean" not in (text + str(error)).lower():
        hint = spelling_hint(error)
    return (f"  in {cell}\n" if cell else "") + (f"  hint: {hint}\n" if hint else "")


def cell_path(error):
    """Returns the innermost Cell whose `construct` raised the error: "layer1.0.conv2 (Conv2d)"."""
    kind, cells = registered("Cell"), []
    for trace in links_of(error.__traceback__):
        owner = trace.tb_frame.f_locals.get("self")
        if isinstance(owner, kind) and trace.tb_frame.f_code.co_name == "construct":
            if not cells or cells[-1] is not owner:
                cells.append(owner)
    if not cells:
        return ""
    names = [type(cells[0]).__name__]
    for outer, inner in zip(cells, cells[1:]):
        path = next(
            (name for name, member in outer.cells_and_names() if member is inner and name), ""
        )
        names += [path] if path else []
    return f"{'.'.join(names)} ({type(cells[-1]).__name__})" if len(names) > 1 else names[0]


def tensor_hint(error):
    """Returns the replacement for an attribute that Tensors of other libraries have, or ""."""
    if not isinstance(error, AttributeError) or not isinstance(error.obj, registered("Tensor")):
        return ""
    hint = NAMES["Tensor"].get(error.name)
    areas = [area for area in areas_with(error.name) if area not in ("nn", "mint.nn")]
    functions = [f"mindspore.{area}.{error.name}" for area in areas]
    return hint or (f"it is a function: {' or '.join(functions)}" if functions else "")


def list_hint(error):
    """Returns a hint if an optimizer gets an empty list of parameters: which Cell at hand keeps its
    layers in a list or dict, if one does; else ""."""
    text = str(error)
    if not isinstance(error, ValueError) or "non-empty iterable of Parameter" not in text:
        return ""
    if not text.endswith("but got []."):
        return ""
    from ..nn._cell.members import hidden_layers

    kind = registered("Cell")
    for link in links_of(error.__traceback__):
        for cell in link.tb_frame.f_locals.values():
            if isinstance(cell, kind):
                for _, sentence in hidden_layers(cell, kind):
                    return sentence
    return (
        "layers are found in the attributes of a Cell and in mindspore.nn.CellList, not in a plain "
        "list or dict"
    )


def spelling_hint(error):
    """Returns the nearest name to a misspelt attribute or variable, or "".

    Python adds it to uncaught errors; before 3.12 it is not passed to hooks.
    """
    if (getattr(error, "name", None) or "_").startswith("_"):
        return ""
    if f"'{error.name}'; " in str(error):  # the message itself says what to use
        return ""
    if isinstance(error, AttributeError):
        names = dir(error.obj)
    elif isinstance(error, NameError):
        *_, (frame, _) = traceback.walk_tb(error.__traceback__)
        names = {**frame.f_builtins, **frame.f_globals, **frame.f_locals}
    else:
        return ""
    public = [name for name in names if not name.startswith("_")]
    near = difflib.get_close_matches(error.name, public, 1)
    return f"did you mean '{near[0]}'?" if near else ""


def import_hint(error):
    """Returns the package's message on a missing name that is imported from it, or ""."""
    if not isinstance(error, ImportError):
        return ""
    match = _NOT_IMPORTED.match(str(error))
    owner, name = match.group(2, 1) if match else (error.name or "").rpartition(".")[::2]
    module = sys.modules.get(owner)
    if not getattr(module, "__name__", "").startswith("mindspore_compat"):
        return ""
    try:
        getattr(module, name)
    except AttributeError as missing:
        return str(missing).partition("; ")[2]
    return ""


def keyword_hint(error):
    """Returns a hint at the parameter that an unexpected keyword argument probably means, or ""."""
    match = isinstance(error, TypeError) and _UNEXPECTED.match(str(error))
    if not match:
        return ""
    name, method, keyword = match.groups()
    for area in _AREAS:
        module = importlib.import_module(f"mindspore_compat.{area}".rstrip("."))
        thing = getattr(module, name, None)
        thing = getattr(thing, method, None) if method else thing
        if thing is None:
            continue
        parameter_names = [*inspect.signature(thing).parameters][bool(method) :]
        intended = [
            candidate for candidate in KEYWORDS.get(keyword, ()) if candidate in parameter_names
        ]
        intended = intended or difflib.get_close_matches(keyword, parameter_names, 1)
        if intended:
            path = f"{name}.{method}" if method else name
            signature = f"{path}({', '.join(parameter_names)})"
            return f"did you mean '{intended[0]}'? The signature is {signature}"
    return ""


def loss_hint(error):
    """Returns a hint if a Model without a loss calls its network with a whole row, or ""."""
    if not isinstance(error, TypeError) or "positional argument" not in str(error):
        return ""
    for trace in links_of(error.__traceback__):
        model = trace.tb_frame.f_locals.get("self")
        if type(model).__name__ == "Model" and getattr(model, "_loss_fn", model) is None:
            return (
                "this Model has no loss_fn, so its network is called with all columns of the "
                "dataset and must return the loss itself"
            )
    return ""


def value_hint(error):
    """Returns how to make the value that was needed: a Tensor, another dtype, a device; or ""."""
    if not isinstance(error, TypeError | ValueError):
        return ""
    text = str(error)
    if dtypes := _DTYPES_DIFFER.search(text):
        return f"x.astype(mindspore.{(dtypes[1] or 'float32').lower()}) casts the Tensor x"
    if _NEEDS_TENSOR.search(text):
        return "mindspore.Tensor(x) makes a Tensor of x"
    if _OTHER_DEVICE.search(text):
        return "an NVIDIA GPU is called 'GPU' here"
    if text.startswith("For 'set_context', 'mode' must be "):
        return "use mindspore.GRAPH_MODE or mindspore.PYNATIVE_MODE"
    return ""


HINTS = (tensor_hint, keyword_hint, import_hint, loss_hint, list_hint, value_hint)
