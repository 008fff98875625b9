"""The calls that no example of the documentation shows: the files in `data/calls`.

Each file has some of the sections `calls`, `uses`, `same`, `synonyms` and `together`; joined, they
are one table.
"""

from functools import cache
from pathlib import Path

import yaml

FOLDER = Path(__file__).parents[1] / "data" / "calls"


@cache
def table():
    """{"calls": {name: calls}, "uses": of classes by pattern, "same": {name: other name},
    "synonyms": {last part of a name: that of another one for the operator}, "together": arguments
    that mean something only with one another}."""
    whole = {"calls": {}, "uses": [], "same": {}, "synonyms": {}, "together": []}
    for path in sorted(FOLDER.glob("*.yaml")):
        for section, part in yaml.safe_load(path.read_text(encoding="utf-8")).items():
            if section in ("uses", "together"):
                whole[section] += part
            elif section == "calls":
                for name, calls in part.items():
                    whole["calls"].setdefault(name, []).extend(calls)
            else:
                whole[section].update(part)
    return whole
