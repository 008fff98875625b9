"""A Sphinx extension: two pages written from what the conformance tool keeps.

`support` counts, area by area, the documented names, those that are here, and those that the
original computes on a CPU; `differences` lists where this package means to differ from the original
and why, as the specs state it.
"""

import collections
import importlib
from pathlib import Path

import reference

from conformance import answers, specs

PACKAGE = "mindspore_compat"
HEADS = ("area", "documented", "here", "original computes on a CPU", "original has no CPU kernel")


def setup(app):
    """Called by Sphinx."""
    app.connect("builder-inited", write_pages)
    return {"parallel_read_safe": True}


def write_pages(app):
    """Write `generated/support.rst` and `generated/differences.rst`."""
    folder = Path(app.srcdir) / "generated"
    folder.mkdir(exist_ok=True)
    entries = specs.load(check=False)
    reference.write_if_changed(folder / "support.rst", support(entries, answers.load()))
    reference.write_if_changed(folder / "differences.rst", differences(entries))


def support(entries, kept):
    """The page that counts names by area."""
    counts, absent = collections.defaultdict(collections.Counter), []
    for name in sorted(entries):
        count = counts[area_of(name)]
        count["documented"] += 1
        if exists(name):
            count["here"] += 1
        else:
            absent.append(name)
        answer = kept.get(f"{name}::accepts::example")
        if answer:
            count["runs"] += answer[1] == "pass"
            count["no kernel"] += answer[1:3] == ["fail", "no kernel"]
    rows = [
        (
            area or "mindspore",
            *(str(count[key]) for key in ("documented", "here", "runs", "no kernel")),
        )
        for area, count in sorted(counts.items())
    ]
    total = [sum(int(row[i]) for row in rows) for i in range(1, 5)]
    rows.append(("all", *map(str, total)))
    return "\n".join(
        [
            *title("Support matrix"),
            "Counted when this page was built: the names that MindSpore 2.10 documents, as the",
            "specs",
            "of the conformance tool list them; those that can be imported here; and those whose",
            "documented example the original's wheel for CPUs computes, or refuses because it has",
            "no",
            "kernel for a CPU. What is here computes on CPUs with NumPy and on NVIDIA GPUs with",
            "CuPy.",
            "Ask for the state of any name with `mindspore-conformance run NAME`.",
            "",
            *table(HEADS, rows),
            "",
            *title("Documented and not here", "-"),
            *(f"- `{name}`" for name in absent),
            *([] if absent else ["None."]),
            "",
        ]
    )


def differences(entries):
    """The page that lists deliberate differences by their reasons."""
    reasons = collections.defaultdict(list)
    for name, entry in sorted(entries.items()):
        for reason in entry.get("apart", ()):
            reasons[str(reason)].append(name)
    parts = [
        *title("Differences from MindSpore"),
        "Where this package means to differ from what the original does, and the",
        "conformance tool therefore does not ask for the original's answer: mostly the",
        "original contradicts its own page, has a fault, or fails inside with another",
        "exception. Below each reason stand the names for which it holds.",
        "",
    ]
    for reason, names in sorted(reasons.items(), key=lambda item: (-len(item[1]), item[0])):
        parts += [
            f"{reason[0].upper()}{reason[1:]}".rstrip(".").replace("*", r"\*"),
            f"   {', '.join(f'`{name}`' for name in names)}",
            "",
        ]
    return "\n".join(parts)


def area_of(name):
    """The module of a public name: what stands before a class or a function."""
    parts = name.split(".")[:-1]
    while parts and parts[-1][:1].isupper():
        parts.pop()
    return ".".join(parts)


def exists(name):
    """Whether a public name can be found in the package."""
    thing = importlib.import_module(PACKAGE)
    for part in name.split("."):
        try:
            thing = getattr(thing, part)
        except AttributeError:
            try:
                thing = importlib.import_module(f"{thing.__name__}.{part}")
            except (AttributeError, ImportError):
                return False
    return True


def title(text, line="="):
    """A heading, and the empty line behind it."""
    return [text, line * len(text), ""]


def table(heads, rows):
    """Rows as a list table."""
    lines = [".. list-table::", "   :header-rows: 1", ""]
    for row in (heads, *rows):
        lines += [f"   {'*' if i == 0 else ' '} - {cell}" for i, cell in enumerate(row)]
    return lines
