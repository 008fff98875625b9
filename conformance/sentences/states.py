"""Conditions that no argument expresses: files, devices, communication, order of calls
(`data/states.txt`).

Each condition has a label. Cases are made only for conditions that the runner can create.
"""

import re
from functools import cache

from .tables import sections

SURE = {
    "communication not ready",
    "no data files",
    "too many threads",
    "bad values among arguments",
}


def state_of(text, sure):
    """Returns the label of a condition outside the arguments, or None.

    With `sure`, returns only conditions that the clause grammar would misread; the reader tries
    these first."""
    for label, patterns in _states():
        if sure == (label in SURE) and any(pattern.match(text) for pattern in patterns):
            return label
    return None


@cache
def _states():
    return [
        (label, [re.compile(line, re.I) for line in lines])
        for label, lines in sections("states.txt")
    ]
