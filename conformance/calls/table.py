"""The calls that no example of the documentation shows: the files in `data/calls`.

Each file has some of the sections `calls`, `holds`, `uses`, `same`, `synonyms`, `together`, `rules`
and `twins`; joined, they are one table.
"""

from functools import cache
from pathlib import Path

from ..reading import specs

FOLDER = Path(__file__).parents[1] / "data" / "calls"


@cache
def table():
    """{"calls": {name: calls}, "holds": {name: calls after which every text of `then` is true},
    "uses": of classes by pattern, "same": {name: others whose cases use its methods},
    "synonyms": {last part of a name: that of another one for the operator}, "together": arguments
    that mean something only with one another, "rules": of the calls of many names, "twins":
    {name: another one that computes the same}}."""
    whole = {"calls": {}, "holds": {}, "same": {}, "synonyms": {}, "twins": {}}
    whole |= {"uses": [], "together": [], "rules": []}
    for path in sorted(FOLDER.glob("*.yaml")):
        for section, part in specs.own_table(path).items():
            if section in ("uses", "together", "rules"):
                whole[section] += part
            elif section in ("calls", "holds"):
                for name, calls in part.items():
                    whole[section].setdefault(name, []).extend(calls)
            elif section == "same":
                for name, others in part.items():
                    whole["same"].setdefault(name, []).extend(others)
            else:
                whole[section].update(part)
    return whole


def users(owner):
    """A class, and others whose cases use its methods."""
    return list(dict.fromkeys((owner, *table()["same"].get(owner, ()))))
