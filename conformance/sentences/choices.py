"""Reads the values that a description names: quoted words and members of enumerations."""

import re

_QUOTED = re.compile(r"""(?<!\w)["'‘“]([A-Za-z][\w\-]{0,19})["'’”](?!\w)""")
_MEMBER = re.compile(r"(?<![\w.])((?:[a-z]\w*\.)*[A-Z]\w+\.[A-Z][A-Z_0-9]+)(?!\w)")
_DTYPE = re.compile(
    r"(?<![\w.])(?:mindspore|mstype|ms)\.((?:u?int|float|bfloat|complex|bool)\d*_?)"
)
MOST = 16


def choices_of(lines, types):
    """Returns the values in the order of the page, as argument texts; [] if the page names none."""
    text = " ".join(lines)
    choices = []
    if not types or {t.split("[")[0] for t in types} & {"str", "union", "Any", "function", "Cell"}:
        choices += [repr(word) for word in _QUOTED.findall(text)]
    choices += _MEMBER.findall(text)
    choices += [f"ms.{dtype}" for dtype in _DTYPE.findall(text)]
    return list(dict.fromkeys(choices))[:MOST]
