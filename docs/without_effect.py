"""A Sphinx extension: the page that lists what is accepted for compatibility and has no effect.

It is written from the marks of `mindspore_compat/_core/without_effect.py`.
"""

import importlib
from pathlib import Path

import reference
import support

import mindspore_compat
from mindspore_compat._core.without_effect import MARKS

FOLDER = Path(mindspore_compat.__file__).parent
INTRO = """Calls of these functions, values of these attributes and arguments, and keys of these
functions are checked, stored where there is something to read them back, and change nothing: most
belong to MindSpore's compiler or to its other devices. The first use in a process logs one
warning, of arguments and keys the first value that is not the default.""".splitlines()


def setup(app):
    """Called by Sphinx."""
    app.connect("builder-inited", write_page)
    return {"parallel_read_safe": True}


def write_page(app):
    """Write `generated/without_effect.rst`."""
    folder = Path(app.srcdir) / "generated"
    folder.mkdir(exist_ok=True)
    reference.write_if_changed(folder / "without_effect.rst", page(all_marks()))


def all_marks():
    """The marks by path, after the modules that make marks have been imported."""
    for file in sorted(FOLDER.rglob("*.py")):
        if "without_effect(" in file.read_text("utf-8") and "_startup" not in file.parts:
            parts = file.relative_to(FOLDER.parent).with_suffix("").parts
            importlib.import_module(".".join(parts).removesuffix(".__init__"))
    return dict(sorted(MARKS.items()))


def page(marks):
    """The page: functions and attributes first, then arguments and keys."""
    whole = [mark for mark in marks.values() if not mark.arguments]
    named = [mark for mark in marks.values() if mark.arguments]
    return "\n".join(
        [
            *support.title("Settings without effect"),
            *INTRO,
            "",
            *support.title("Functions and attributes", "-"),
            *support.table(("name", "why"), [(f"`{m.path}`", reason_of(m)) for m in whole]),
            "",
            *support.title("Arguments and keys", "-"),
            *support.table(
                ("function", "arguments", "why"),
                [(f"`{m.path}`", listed(m.arguments), reason_of(m)) for m in named],
            ),
            "",
        ]
    )


def reason_of(mark):
    """The clause of a mark as a sentence; a dash where there is none."""
    return f"{mark.because[0].upper()}{mark.because[1:]}." if mark.because else "–"


def listed(names):
    """Names in backquotes."""
    return ", ".join(f"`{name}`" for name in names)
