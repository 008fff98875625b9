"""Calls that no example of the documentation shows: the files in `data/calls`.

Each file has some of the sections `calls`, `holds`, `uses`, `same`, `synonyms`, `together`, `rules`
and `twins`. Joined, they form one table.
"""

from functools import cache
from pathlib import Path

from ..reading import specs

FOLDER = Path(__file__).parents[1] / "data" / "calls"


@cache
def table():
    """Returns the sections of the table:

    "calls": {name: calls}
    "holds": {name: calls after which every text of `then` is true}
    "uses": statements about the objects of classes, by pattern of their names
    "same": {name: other names whose cases use its methods}
    "synonyms": {last part of a name: last part of another name of the operator}
    "together": arguments that have a meaning only together
    "rules": rules for the calls of many names
    "twins": {name: another name that computes the same}
    """
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
    """Returns a class, and the other names whose cases use its methods."""
    return list(dict.fromkeys((owner, *table()["same"].get(owner, ()))))
