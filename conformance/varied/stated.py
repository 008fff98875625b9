"""Adds the values that a page gives an argument to the stored calls of a name, also where they
change nothing in the result: a fault may concern one value alone.
"""

import time

from ..calls import documented
from ..calls.call import Call
from ..kinds.cases import LOST, area_of, of_entry
from .additions import SETTINGS, all_bases
from .changes import in_module
from .record import SECONDS, TRIES, Session

_KINDS = ("values", "options", "steps", "set_attributes")
_BASES, _MOST = 4, 8  # calls that are tried, and values of one argument


def add_stated(name, entries, known, reference):
    """Stored calls of a name; with them, the values of arguments that no compared case passes, in
    the first call that accepts them."""
    entry, session = entries[name], Session(name, entries[name], reference)
    session.recording.calls = records = dict(known)
    given = [
        {**(case.get("init") or {}), **(case.get("call") or {})}
        for case in of_entry(name, entry, _KINDS)
        if "apart" not in case
    ]
    until, calls = time.monotonic() + SECONDS // 10, None
    for argument in documented.arguments(entry):
        default = documented.default_of(argument, entry)
        texts = {arguments.get(argument, default) for arguments in given} - {None}
        wanted = documented.values(argument, entry)
        calls = _calls(name, entries, known) if calls is None else calls
        if calls:
            value = next((v for call, _ in calls if (v := call.value(argument)) is not None), None)
            wanted += documented.alternatives(argument, value, entry)
        missing = [t for t in wanted if not any(documented.same(t, text) for text in texts)]
        for text in [in_module(t, area_of(name)) for t in missing][:_MOST]:
            session.tries, session.lost, session.until = TRIES // 2, 0, until
            for call, more in calls:
                variant = call.put(argument, text)
                seen = variant and session.ask(variant, more)
                if session.refusal in LOST or time.monotonic() > until:
                    break
                if seen and _tells(name, seen):
                    session.keep(f"{argument}={text} as stated", variant, more, seen, set())
                    break
    reference.forget()
    return records


def _calls(name, entries, known):
    """[(call, settings)]: the first calls of a name, by the names of their arguments."""
    whole = list(all_bases(name, entries))[: _BASES - 1]
    first = whole[0][1] if whole else None
    call_list = [(call, more) for _, call, more in whole]
    for record in known.values():
        if "refused" not in record["seen"] and "ranks" not in record and first is not None:
            more = {key: record[key] for key in SETTINGS if key in record and key != "state"}
            stored = Call(
                record.get("init"),
                record.get("call"),
                record.get("owner"),
                first.types,
                first.defaults,
                first.init_names,
                first.call_names,
            )
            return [(stored, more), *call_list]
    return call_list


def _tells(name, seen):
    """Whether an outcome is more than that an object was made."""
    return seen != {"result": name.rpartition(".")[2]}
