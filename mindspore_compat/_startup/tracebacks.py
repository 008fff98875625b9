"""Shows uncaught errors of a script with its own frames, the path of the Cell, and a hint.

The package's frames do not help the author of a script, and an error of an operator has more of
them than of the script's own. `MINDSPORE_COMPAT_TRACEBACK=1` shows all frames.
"""

import difflib
import importlib
import inspect
import os
import re
import runpy
import sys
import traceback
from pathlib import Path

from .._core.hints import KEYWORDS, NAMES
from .._core.rules.base import registered

FOLDER = str(Path(__file__).parent.parent) + os.sep
VARIABLE = "MINDSPORE_COMPAT_TRACEBACK"
_AREAS = ("nn", "ops", "mint", "mint.nn", "mint.optim", "train", "")
_RUNNER = ("<frozen runpy>", runpy.__file__)
_NOT_IMPORTED = re.compile(r"cannot import name '(\w+)' from '([\w.]+)'")
_UNEXPECTED = re.compile(r"(\w+)(?:\.__init__)?\(\) got an unexpected keyword argument '(\w+)'")


def install():
    """Installs the hook for uncaught errors, unless the script has its own."""
    if sys.excepthook is sys.__excepthook__ and os.environ.get(VARIABLE, "0") in ("", "0"):
        sys.excepthook = show


def show(kind, error, trace):
    """Hook: writes the text of `format_error` to stderr."""
    sys.stderr.write(format_error(error))


def format_error(error):
    """Returns the text of an error: traceback without the package's frames, path of the Cell,
    hint."""
    summary = traceback.TracebackException.from_exception(error)
    hidden = _hide_package_frames(summary)
    text = "".join(summary.format())
    cell = cell_path(error)
    hint = tensor_hint(error) or keyword_hint(error) or import_hint(error) or loss_hint(error)
    if not hint and "did you mean" not in text.lower():
        hint = spelling_hint(error)
    if cell:
        text += f"  in {cell}\n"
    if hint:
        text += f"  hint: {hint}\n"
    if hidden:
        text += f"  ({hidden} frames of mindspore_compat are hidden: {VARIABLE}=1 shows them)\n"
    return text


def _hide_package_frames(summary):
    """Removes the package's frames, and causes that have no others; returns the number of removed
    ones."""
    own = [frame for frame in summary.stack if not _of_package(frame.filename)]
    started = summary.stack.index(own[0]) if own else 0  # what runs the script is not counted
    hidden = len(summary.stack) - started - len(own)
    summary.stack[:] = own
    for name in ("__cause__", "__context__"):
        earlier = getattr(summary, name)
        if earlier is not None:
            hidden += _hide_package_frames(earlier)
            if all(_library(frame.filename) for frame in earlier.stack):
                setattr(summary, name, None)
    return hidden


def _of_package(filename):
    """Returns whether a frame belongs to the package: to its files, or to source that it has
    generated."""
    generated = filename.startswith("<") and " #" in filename
    return generated or filename.startswith(FOLDER) or filename in _RUNNER


def _library(filename):
    return "site-packages" in filename or filename.startswith(os.path.dirname(os.__file__))


def cell_path(error):
    """Returns the innermost Cell whose `construct` raised the error: "layer1.0.conv2 (Conv2d)"."""
    kind, cells, trace = registered("Cell"), [], error.__traceback__
    while trace is not None:
        owner = trace.tb_frame.f_locals.get("self")
        if isinstance(owner, kind) and trace.tb_frame.f_code.co_name == "construct":
            if not cells or cells[-1] is not owner:
                cells.append(owner)
        trace = trace.tb_next
    if not cells:
        return ""
    names = [type(cells[0]).__name__]
    for outer, inner in zip(cells, cells[1:]):
        path = next((name for name, each in outer.cells_and_names() if each is inner and name), "")
        names += [path] if path else []
    return f"{'.'.join(names)} ({type(cells[-1]).__name__})" if len(names) > 1 else names[0]


def tensor_hint(error):
    """Returns the replacement for an attribute that Tensors of other libraries have, or ""."""
    if isinstance(error, AttributeError) and isinstance(error.obj, registered("Tensor")):
        return NAMES["Tensor"].get(error.name, "")
    return ""


def spelling_hint(error):
    """Returns the nearest name to a misspelt attribute or variable, or "".

    Python adds it to uncaught errors; before 3.12 it is not passed to hooks.
    """
    if (getattr(error, "name", None) or "_").startswith("_"):
        return ""
    if isinstance(error, AttributeError):
        known = dir(error.obj)
    elif isinstance(error, NameError):
        *_, (frame, _) = traceback.walk_tb(error.__traceback__)
        known = {**frame.f_builtins, **frame.f_globals, **frame.f_locals}
    else:
        return ""
    public = [name for name in known if not name.startswith("_")]
    near = difflib.get_close_matches(error.name, public, 1)
    return f"did you mean '{near[0]}'?" if near else ""


def import_hint(error):
    """Returns the package's message on a missing name that is imported from it, or ""."""
    if not isinstance(error, ImportError):
        return ""
    found = _NOT_IMPORTED.match(str(error))
    owner, name = found.group(2, 1) if found else (error.name or "").rpartition(".")[::2]
    module = sys.modules.get(owner)
    if not getattr(module, "__name__", "").startswith("mindspore_compat"):
        return ""
    try:
        getattr(module, name)
    except AttributeError as missing:
        return str(missing).partition("; ")[2]
    return ""


def keyword_hint(error):
    """Returns the name here of an unexpected keyword argument of a public name, or ""."""
    found = isinstance(error, TypeError) and _UNEXPECTED.match(str(error))
    if not found:
        return ""
    name, keyword = found.groups()
    for area in _AREAS:
        module = importlib.import_module(f"mindspore_compat.{area}".rstrip("."))
        thing = getattr(module, name, None)
        if thing is None:
            continue
        known = [*inspect.signature(thing).parameters]
        meant = [each for each in KEYWORDS.get(keyword, ()) if each in known]
        meant = meant or difflib.get_close_matches(keyword, known, 1)
        if meant:
            return f"did you mean '{meant[0]}'? The signature is {name}({', '.join(known)})"
    return ""


def loss_hint(error):
    """Returns a hint if a Model without a loss calls its network with a whole row, or ""."""
    if not isinstance(error, TypeError) or "positional argument" not in str(error):
        return ""
    trace = error.__traceback__
    while trace is not None:
        model = trace.tb_frame.f_locals.get("self")
        if type(model).__name__ == "Model" and getattr(model, "_loss_fn", model) is None:
            return (
                "this Model has no loss_fn, so its network is called with all columns of the "
                "dataset and must return the loss itself"
            )
        trace = trace.tb_next
    return ""
