"""How much of the API has a compared answer: names, arguments with several values, documented
dtypes.

A name counts if a case passes in which an outcome is compared. An argument counts if the stored
calls give it two values, or give it and leave it out. A dtype of a page's list counts if a stored
call has it.
"""

from ..calls import stored
from ..calls.bad import DTYPE_ORDER, expand
from ..reading import signatures, specs
from ..reading.groups import group_of

COMPARED = ("values", "options", "steps", "gradient", "set_attributes", "value_gradients")
KINDS = ("class", "function", "method", "property")


def coverage(records, entries):
    """{group: {"names": [covered, all], "arguments": [...], "dtypes": [...]}}, the worst first."""
    answered = {r["name"] for r in records if r["kind"] in COMPARED and r["status"] == "pass"}
    answered |= {
        r["id"].partition("::")[0]
        for r in records
        if r["kind"] == "values" and r["status"] == "pass"
    }
    run = {r["id"].partition("::")[0] for r in records}
    rows = {}
    for name, entry in entries.items():
        if entry.get("kind") not in KINDS or name not in run:
            continue
        row = rows.setdefault(
            group_of(name, entry), {"names": [0, 0], "arguments": [0, 0], "dtypes": [0, 0]}
        )
        calls = list(stored.load().get(name, {}).values()) if name in answered else []
        _count(row["names"], [name in answered])
        _count(row["arguments"], _varied(entry, calls))
        _count(row["dtypes"], _dtypes(entry, calls))
    return dict(sorted(rows.items(), key=lambda item: _share(item[1]["names"])))


def _count(pair, flags):
    pair[0] += sum(flags)
    pair[1] += len(flags)


def _share(pair):
    return pair[0] / pair[1] if pair[1] else 1.0


def _varied(entry, calls):
    """For each documented argument whether the calls vary it."""
    signature = signatures.parse(entry.get("signature") or [])
    inner = signatures.parse(entry.get("call") or list(entry.get("inputs", {})))
    names = [a for a, kind, _ in signature + inner if kind in ("positional", "keyword")]
    given = [{**(call.get("init") or {}), **(call.get("call") or {})} for call in calls]
    return [len({texts.get(name) for texts in given}) > 1 for name in dict.fromkeys(names)]


def _dtypes(entry, calls):
    """For each dtype that the page lists for an input whether a call has it."""
    listed = set()
    for item in entry.get("raises", ()):
        for clause in specs.rule_of(item).clauses:
            if clause.test == "not" and any(s.facets == ("dtype",) for s in clause.subjects):
                listed |= expand(clause.operands) & set(DTYPE_ORDER)
    text = str(calls)
    return [f"'{dtype}'" in text or f"ms.{dtype}" in text for dtype in sorted(listed)]


def text(rows):
    """The coverage as lines of a table."""
    lines = [f"{'compared answers':26}{'names':>16}{'arguments':>16}{'dtypes':>16}"]
    for group, row in rows.items():
        cells = (f"{f'{a} of {b}':>16}" for a, b in row.values())
        lines.append(f"{group:26}" + "".join(cells))
    return "\n".join(lines)
