"""Splits a page into sections (`Args`, `Raises`, `Examples`, ...), whatever its format and
language.

Docstrings, reStructuredText pages and text saved from a browser or a repository viewer (line
numbers, bullets, menus around the page) give the same result: a dict from section name to numbered
lines. `docs.py` interprets the lines.
"""

import re

from .model import Line

_HEADINGS = {
    "args": "Args Arguments Parameters Parameter 参数 Parameters:",
    "keywords": "Keyword|Args Keyword|Arguments Keyword|Parameters 关键字参数",
    "inputs": "Inputs Input 输入",
    "outputs": "Outputs Output 输出",
    "returns": "Returns Return Yields 返回 返回值",
    "raises": "Raises Raise 异常 Exceptions",
    "platforms": "Supported|Platforms Supported|Platform 支持平台",
    "examples": "Examples Example 样例 示例 Example:",
    "note": "Note Notes 说明 注意 Warning Warnings 警告 References Tutorial|Examples 教程样例 "
    "Supported|Operations Symbols "
    "Class|Attributes Rules Parameters|Tuple Attributes Todo Reminder Tips",
}
HEADINGS = {
    word.replace("|", " ").lower(): section
    for section, words in _HEADINGS.items()
    for word in words.split()
}
_DECORATION = re.compile(r"^(?:。\s*)?(?:[-*•]\s+)?(?:\*\*)?(.*?)(?:\*\*)?\s*$")
_NUMBERED = re.compile(r"^\s*(\d+)\.\s?(.*)$")
_GLUED = re.compile(r"\s(?=>>>(?:\s|$))")


def lines_of(text, first=1):
    """Returns the numbered lines of a text, without the numbers that a repository viewer adds."""
    rows = text.expandtabs().split("\n")
    numbers = [_NUMBERED.match(row) for row in rows]
    matched = [m for m in numbers if m]
    steps = sum(int(b[1]) == int(a[1]) + 1 for a, b in zip(matched, matched[1:], strict=False))
    if len(matched) > 8 and steps >= 0.8 * (len(matched) - 1):
        rows = [m[2] if m else "" for m in numbers]
    return [
        Line(first + i, len(row) - len(row.lstrip()), row.strip()) for i, row in enumerate(rows)
    ]


def heading(line):
    """Returns the section that a line opens, or None."""
    text = _DECORATION.match(line.text)[1].strip().rstrip(":").strip()
    text = text[3:].strip() if text.startswith(".. ") else text.lstrip("#").strip()
    return HEADINGS.get(text.lower())


def split(lines, styled):
    """Returns the sections of a page. `styled` pages (docstrings) need the colon after a heading;
    saved pages may have lost it.
    """
    sections, current, depth = {"head": []}, "head", 0
    for line in lines:
        title = heading(line)
        if title and styled and ":" not in line.text:
            title = None
        if title and current != "head" and line.indent > depth and styled:
            title = None  # a word such as "Inputs:" in a parameter's text
        if title and line.text.startswith(">>>"):
            title = None
        if title:
            current, depth = title, line.indent
            sections.setdefault(current, [])
            continue
        if styled and line.text and line.indent < depth:
            current = "head" if current != "head" else current
            depth = 0
        sections.setdefault(current, []).append(line)
    return sections


def unglue(lines):
    """Restores the line breaks of example lines on a page that has lost them."""
    result = []
    for line in lines:
        parts = _GLUED.split(line.text) if line.text.count(">>>") > 1 else [line.text]
        for part in parts:
            pieces = re.split(r"\s(?=\.\.\.\s)", part) if len(parts) > 1 else [part]
            result += [Line(line.number, line.indent, piece.rstrip()) for piece in pieces]
    return result
