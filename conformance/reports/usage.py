"""Counts how many public projects would run, from the names that 1,179 of them use.

`data/projects.json.gz` lists the names per project. A project counts as present if the target has
all of them, and as passing if no case of any of them fails. Many projects use names of other
releases. The figures are therefore shown with their upper bound: the projects for which real
MindSpore 2.10 has every name.
"""

import gzip
import json
from pathlib import Path

from ..kinds.cases import LOST, area_of
from ..running import answers

DATA = Path(__file__).parents[1] / "data" / "projects.json.gz"


def load():
    """Returns (names without the leading "mindspore.", {project: [indexes of its names]})."""
    with gzip.open(DATA, "rt", encoding="utf-8") as file:
        content = json.load(file)
    return [name.removeprefix("mindspore.") for name in content["apis"]], content["projects"]


def cases(entries):
    """Returns cases "the name exists" for used names that the documentation does not list: old
    spellings, constants, methods."""
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
    """Returns {"projects", "present", "passing", "ceiling", "missing": [[name, projects affected]],
    "apart": number of used names that 2.10 lacks, "apis", "apis_present"} of result records.

    Names that real MindSpore 2.10 lacks too are not listed as missing.
    """
    names, projects = load()
    exists, failed = {}, set()
    for record in records:
        if record["kind"] == "exists":
            exists[record["name"]] = record["status"] == "pass"
        elif record["status"] in ("fail", *LOST):
            failed.add(record["name"])
    available = [i for i, name in enumerate(names) if name in exists]
    if len(available) < len(names):
        return None  # only part of the API was run, so there are no figures
    have = [exists[name] for name in names]
    sound = [have[i] and name not in failed for i, name in enumerate(names)]
    present = sum(all(have[i] for i in used) for used in projects.values())
    passing = sum(all(sound[i] for i in used) for used in projects.values())
    recorded = answers.load()
    real = [recorded.get(f"{name}::exists", ("", "pass"))[1] == "pass" for name in names]
    stopped = {}
    for used in projects.values():
        for i in used:
            if real[i] and not have[i]:
                stopped[names[i]] = stopped.get(names[i], 0) + 1
    return {
        "projects": len(projects),
        "present": present,
        "passing": passing,
        "ceiling": sum(all(real[i] for i in used) for used in projects.values()),
        "apart": real.count(False),
        "apis": len(names),
        "apis_present": sum(have),
        "missing": sorted(map(list, stopped.items()), key=lambda item: (-item[1], item[0]))[:40],
    }
