"""Compares printed outputs: first as numbers with tolerances, then as layout.

`same_numbers` ignores rounding and spacing. `same_layout` requires the same characters, except
digits. This module needs no other package.
"""

import re

_NUMBER = re.compile(
    r"(?<![A-Za-z_])[-+]?(?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?j?(?![A-Za-z_\d])"
    r"|[-+]?\b(?:nan|inf)\b"
)
RELATIVE, ABSOLUTE = 1e-3, 1e-3  # printed values are rounded to four digits or so


def same_numbers(expected, got):
    """Returns whether two outputs contain the same words and, within tolerance, the same numbers in
    the same order.
    """
    expected = _plain(expected)
    if "..." in expected and _matches_ellipsis(expected, got):
        return True
    if _words(expected) != _words(got):
        return False
    left, right = _NUMBER.findall(expected), _NUMBER.findall(got)
    return len(left) == len(right) and all(map(_close, left, right))


def same_layout(expected, got):
    """Returns whether two outputs have the same characters and spacing; numbers may differ."""
    return _layout(_plain(expected)) == _layout(got)


def _plain(expected):
    return re.sub(r"^\s*<BLANKLINE>\s*$", "", expected, flags=re.M)


def _layout(text):
    lines = [line.rstrip() for line in text.strip().split("\n")]
    return [re.sub(r"\d+", "0", line) for line in lines]


def _words(text):
    return re.sub(r"[\s,]+", "", _NUMBER.sub("#", text)).replace("#.", "#")


def _close(left, right):
    if left.endswith("j") is not right.endswith("j"):
        return False
    a, b = float(left.rstrip("j")), float(right.rstrip("j"))
    if a != a or b != b:
        return a != a and b != b
    return a == b or abs(a - b) <= ABSOLUTE * max(1e-2, min(1.0, abs(a))) + RELATIVE * abs(a)


def _matches_ellipsis(expected, got):
    pattern = ".*".join(re.escape(part.strip()) for part in expected.split("..."))
    return re.fullmatch(pattern, got.strip(), re.S) is not None
