"""Reads tables of patterns, stored as text in `data/`, on first use."""

from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "data"


@cache
def rows(name):
    """Returns [(pattern, replacement)] of a table whose lines are `pattern "replacement"`."""
    return tuple(
        (left, right.strip()[1:-1])
        for left, _, right in (line.partition("   ") for line in _lines(name))
    )


@cache
def sections(name):
    """Returns [(heading, lines)] of a table with [headings]."""
    section_list = []
    for line in _lines(name):
        if line.startswith("[") and line.endswith("]") and "\\" not in line:
            section_list.append((line[1:-1], []))
        else:
            section_list[-1][1].append(line)
    return tuple(section_list)


def _lines(name):
    text = (FOLDER / name).read_text(encoding="utf-8")
    return [line for line in text.split("\n") if line.strip() and not line.startswith("# ")]
