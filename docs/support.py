"""A Sphinx extension that writes two pages from the data of the conformance tool.

`support` counts, area by area, the documented names, those that exist here, and those that
MindSpore computes on a CPU. `differences` lists by name where this package deliberately differs
from MindSpore, and why.
"""

import collections
import importlib
from pathlib import Path

import links
import reference

from conformance.running import answers

PACKAGE = "mindspore_compat"
HEADS = ("area", "documented", "here", "MindSpore computes on a CPU", "MindSpore has no CPU kernel")


def setup(app):
    """Called by Sphinx."""
    app.connect("builder-inited", write_pages)
    return {"parallel_read_safe": True}


def write_pages(app):
    """Write `generated/support.rst` and `generated/differences.rst`."""
    folder = Path(app.srcdir) / "generated"
    folder.mkdir(exist_ok=True)
    entries = links.entries()
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
            "The table counts the names that MindSpore 2.10 documents (according to the specs of",
            "the conformance tool), those that can be imported here, and those whose documented",
            "example MindSpore's CPU wheel computes or rejects for lack of a CPU kernel.",
            "Every name here computes on CPUs with NumPy and on NVIDIA GPUs with CuPy.",
            "`mindspore-conformance run NAME` tests a single name.",
            "",
            *table(HEADS, rows),
            "",
            *title("Documented names that are absent", "-"),
            *(f"- `{name}`" for name in absent),
            *([] if absent else ["None."]),
            "",
        ]
    )


def differences(entries):
    """The page that lists deliberate differences by name: what differs, and why."""
    parts = [
        *title("Differences from MindSpore"),
        "This package deliberately differs from MindSpore in the following cases, and the",
        "conformance tool does not require MindSpore's answer. In most of them MindSpore",
        "contradicts its own page, has a bug, or fails with an internal exception. The calls are",
        "those of the tool: the documented example with one argument changed.",
        "",
    ]
    areas = collections.defaultdict(list)
    for name in sorted(entries):
        pairs = links.differences_of(name)
        heads = [f":py:obj:`{name} <mindspore.{name}>`", *[""] * len(pairs)]
        areas[area_of(name)] += [(head, *pair) for head, pair in zip(heads, pairs)]
    for area, rows in sorted(areas.items()):
        if rows:
            parts += [*title(f"mindspore.{area}".rstrip("."), "-")]
            parts += [*table(("name", "what differs", "why"), rows), ""]
    return "\n".join(parts)


def area_of(name):
    """The module of a public name: the part before a class or function."""
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
    """A heading, followed by an empty line."""
    return [text, line * len(text), ""]


def table(heads, rows):
    """Rows as a list table."""
    lines = [".. list-table::", "   :header-rows: 1", ""]
    for row in (heads, *rows):
        lines += [f"   {' ' if i else '*'} - {cell}".rstrip() for i, cell in enumerate(row)]
    return lines
