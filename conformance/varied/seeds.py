"""Adds calls that draw random numbers, made with several seeds: whether one seed gives the same
numbers twice, and another seed others.

The numbers themselves are no reference. A name whose numbers no seed decides gets no call.
"""

import re

from ..arguments.drawn import DATASET_SEED, GLOBAL_SEED
from . import repeats
from .record import Session

_SETTINGS = ("first", "then", "train")
_SEEDED = re.compile(r"(?i)seed\d?$|generator$")
_DECIDES = {"the same": "True", "another": "True"}
MOST = 3  # calls of a name that are asked about; the first whose numbers a seed decides is kept


def add_seeds(name, entries, known, reference):
    """Adds one call of a name that draws numbers, for the seed that decides them."""
    records = dict(known)
    if any("seed" in record for record in known.values()):
        return records
    session = Session(name, entries[name], reference)
    session.recording.calls = records
    seeds = (DATASET_SEED, GLOBAL_SEED) if name.startswith("dataset.") else (GLOBAL_SEED,)
    for call, more in list(_drawing(name, known, reference))[:MOST]:
        for seed in seeds:
            seen = session.ask_once(call, {**more, "seed": seed})
            if seen == _DECIDES:
                session.keep(f"seeds of {seed}", call, {**more, "seed": seed}, seen, set())
                reference.forget()
                return records
    reference.forget()
    return records


def _drawing(name, known, reference):
    """Yields (call, settings) of the stored calls whose outcome varies, and which pass no seed."""
    for call, record in repeats.accepted(name, known, reference):
        given = {**(call.init or {}), **(call.call or {})}
        if _is_drawn(record["seen"]) and not any(map(_SEEDED.search, given)):
            yield call, {key: record[key] for key in _SETTINGS if key in record}


def _is_drawn(part):
    """Returns True if facts lack numbers, or have only their moments."""
    if isinstance(part, dict):
        return any(key.startswith("moments") or _is_drawn(inner) for key, inner in part.items())
    return isinstance(part, list) and len(part) == 2 and isinstance(part[1], list)
