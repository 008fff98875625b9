"""How much of what people really wrote would run: the API surfaces of 1,179 public projects.

`data/projects.json.gz` lists, per project, the public names it uses. A project counts as present
when the target has all of them, as passing when no case of any of them fails.
"""

import gzip
import json
from pathlib import Path

DATA = Path(__file__).parent / "data" / "projects.json.gz"


def load():
    """(names without the leading "mindspore.", {project: [indexes of its names]})."""
    with gzip.open(DATA, "rt", encoding="utf-8") as file:
        held = json.load(file)
    return [name.removeprefix("mindspore.") for name in held["apis"]], held["projects"]


def cases(entries):
    """Cases "the name exists" for used names that the documentation does not list: old spellings,
    constants, methods."""
    from .cases import area_of

    return [
        {
            "id": f"{name}::exists",
            "kind": "exists",
            "name": name,
            "area": area_of(name),
            "platforms": [],
            "used": True,
        }
        for name in load()[0]
        if name not in entries
    ]


def coverage(records):
    """{"projects", "present", "passing", "missing": [[name, projects it stops]], "apis",
    "apis_present"} of result records."""
    names, projects = load()
    exists, failed = {}, set()
    for record in records:
        if record["kind"] == "exists":
            exists[record["name"]] = record["status"] == "pass"
        elif record["status"] in ("fail", "crash", "hang"):
            failed.add(record["name"])
    asked = [i for i, name in enumerate(names) if name in exists]
    if len(asked) < len(names):
        return None  # only part of the API was run: no figure can be given
    have = [exists[name] for name in names]
    sound = [have[i] and name not in failed for i, name in enumerate(names)]
    present = sum(all(have[i] for i in used) for used in projects.values())
    passing = sum(all(sound[i] for i in used) for used in projects.values())
    stopped = {}
    for used in projects.values():
        for i in used:
            if not have[i]:
                stopped[names[i]] = stopped.get(names[i], 0) + 1
    return {
        "projects": len(projects),
        "present": present,
        "passing": passing,
        "apis": len(names),
        "apis_present": sum(have),
        "missing": sorted(map(list, stopped.items()), key=lambda item: (-item[1], item[0]))[:40],
    }
