"""Adds links and differences to the pages of the reference: the same page of release 2.10, the
source, and the cases in which the name differs from MindSpore.

The build copies the source files to `source/`, as text, so that links to them work everywhere.
"""

import functools
import inspect
import re
import shutil
from pathlib import Path

import mindspore_compat
from conformance.kinds import members
from conformance.reading import specs
from conformance.reports import links
from mindspore_compat._core.declare.op import DECLARED

PACKAGE = Path(mindspore_compat.__file__).parent
ENDING = ".txt"  # of the copies, so that browsers show them
MOST = 4  # cases of a difference that are listed


@functools.cache
def entries():
    """Returns the specs of all documented names."""
    return specs.load(check=False)


@functools.cache
def original_members():
    """Returns the names that the classes of MindSpore and their instances have."""
    return members.facts()


def is_of_package(path, member):
    """Returns whether a member of a class exists for this package only."""
    known = original_members().get(path)
    return known is not None and member not in known and f"{path}.{member}" not in entries()


def line_of(module, area, name, thing):
    """Returns the line below the title of a page: its module, MindSpore's page, the source."""
    path = f"{area}.{name}".lstrip(".")
    parts = [f"In :doc:`{module}`."]
    if path in entries():
        parts.append(f"`Page of MindSpore 2.10 <{links.address(path)}>`__.")
    found = source_of(area, name, thing)
    if found:
        file, line = found
        parts.append(f"Source: `{file} <../source/{file}{ENDING}>`__, line {line}.")
    return " ".join(parts)


def source_of(area, name, thing):
    """Returns the file, relative to the package, and the line that define a public name; None if it
    is a value."""
    declared = DECLARED.get(area, {}).get(name)
    thing = declared[0].body if declared else thing
    for part in (thing, thing.__init__) if inspect.isclass(thing) else (thing,):
        try:
            part = inspect.unwrap(part)
            file = Path(inspect.getsourcefile(part)).relative_to(PACKAGE).as_posix()
            return file, inspect.getsourcelines(part)[1]
        except (TypeError, ValueError, OSError):
            continue
    return None


def differences_of(path):
    """Returns the differences of a name as (what, why) pairs, from the specs.

    The differences are the conformance cases for which MindSpore is not the reference.
    """
    pairs = []
    for why, cases in (entries().get(path, {}).get("apart") or {}).items():
        calls = list(dict.fromkeys(shown(case) for case in cases))
        more = f" and {len(calls) - MOST} more" if len(calls) > MOST else ""
        pairs.append((", ".join(calls[:MOST]) + more, sentence(why)))
    return pairs


def shown(case):
    """Returns a case of the conformance tool in words."""
    kind, _, label = case.rpartition("::")
    if label in ("", "example"):
        return {"accepts": "the documented example"}.get(kind, f"the {kind}")
    call, _, error = label.partition("→")
    if "`" in call:
        words = call
    else:
        words = " and ".join(map(argument, re.split(r",(?=[A-Za-z_]\w*=)", call)))
    return words if kind.endswith("accepts") or not error else f"{words} ({error})"


# How the tool writes what it passes for an argument: in words. All else is code.
ARGUMENTS = {
    r"(\w+)=cast-(\w+)": r"``\1`` of dtype \2",
    r"(\w+)=(\w+)-Tensor": r"a Tensor of \2 for ``\1``",
    r"(\w+)=ranked-1": r"``\1`` with one axis",
    r"(\w+)=ranked-(\d)": r"``\1`` with \2 axes",
    r"(\w+)=grown": r"a longer ``\1``",
    r"params=sample\.groups\((.*)\)": r"groups of parameters with ``\1``",
    r"(\w+)='wrong'": r"an unknown ``\1``",
}


def argument(text):
    """Returns in words what the conformance tool passes for one argument."""
    for pattern, words in ARGUMENTS.items():
        if match := re.fullmatch(pattern, text):
            return match.expand(words)
    return f"``{text}``"


def sentence(clause):
    """Returns a clause as a sentence in which characters with a meaning in reStructuredText are
    escaped."""
    text = f"{clause[0].upper()}{clause[1:]}".rstrip(".").replace("*", r"\*")
    return f"{text.replace('|', chr(92) + '|')}."


def copy_sources(app, error):
    """Copies the source files to the built pages."""
    if error or app.builder.format != "html":
        return
    for file in PACKAGE.rglob("*.py"):
        target = Path(app.outdir, "source", f"{file.relative_to(PACKAGE)}{ENDING}")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, target)
