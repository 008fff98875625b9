"""How much of the API has a compared answer: names, arguments with several values, arguments with
all documented values, documented dtypes.

A name counts if a case passes in which an outcome is compared. An argument counts if passing cases
use two values, or one value and the default. Its documented values count if the cases use all of
them: the choices of a list, both Booleans, the default. Texts that use an object also call its
    methods. A dtype of a page's list counts if a case has it.
"""

import ast
from functools import cache

from ..calls import documented
from ..calls.bad import DTYPE_ORDER, expand
from ..kinds.cases import of_entry
from ..reading import specs
from ..reading.groups import group_of

COMPARED = ("values", "options", "steps", "gradient", "set_attributes", "value_gradients")
_PARTS = ("names", "arguments", "documented", "dtypes")
KINDS = ("class", "function", "method", "property")


def coverage(records, entries):
    """Returns {group: {"names": [covered, all], "arguments": [...], "documented": [...], "dtypes":
    [...]}}, the lowest coverage first."""
    passed = {r["id"] for r in records if r["kind"] in COMPARED and r["status"] == "pass"}
    answered = {case_id.partition("::")[0] for case_id in passed}
    run = {r["id"].partition("::")[0] for r in records}
    rows = {}
    for name, entry in entries.items():
        if entry.get("kind") not in KINDS or name not in run:
            continue
        empty = {part: [0, 0] for part in _PARTS}
        row = rows.setdefault(group_of(name, entry), empty)
        case_list = of_entry(name, entry, COMPARED) if name in answered else []
        compared = [case for case in case_list if case["id"] in passed]
        calls = [given for case in compared for given in _calls(case, name, entry)]
        arguments = documented.arguments(entry)
        _count(row["names"], [name in answered])
        _count(row["arguments"], [len({c.get(a) for c in calls}) > 1 for a in arguments])
        _count(row["documented"], [documented.are_compared(a, entry, calls) for a in arguments])
        _count(row["dtypes"], _dtypes(entry, calls))
    return dict(sorted(rows.items(), key=lambda item: _share(item[1]["names"])))


def _count(pair, flags):
    pair[0] += sum(flags)
    pair[1] += len(flags)


def _share(pair):
    return pair[0] / pair[1] if pair[1] else 1.0


def _arguments(case):
    """Returns the arguments of a case by name, with the object of a method."""
    owner = {"self": case["owner"]} if case.get("owner") else {}
    return {**owner, **(case.get("init") or {}), **(case.get("call") or {})}


def _calls(case, name, entry):
    """Returns the arguments of the case's call. For a method, also those of its calls in the texts
    that use an object."""
    calls = [_arguments(case)]
    if entry["kind"] == "method":
        last, names = name.rpartition(".")[2], documented.arguments(entry)
        for text in case.get("then", ()):
            calls += [_given(call, names) for call in _method_calls(str(text), last)]
    return calls


@cache
def _method_calls(text, method):
    """Returns the parsed calls of a method in a text; none in a text that is not an expression."""
    try:
        nodes = list(ast.walk(ast.parse(text, mode="eval"))) if f".{method}(" in text else ()
    except SyntaxError:
        return []
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    return [c for c in calls if isinstance(c.func, ast.Attribute) and c.func.attr == method]


def _given(call, names):
    """Returns {argument: text} of a parsed call."""
    given = {name: ast.unparse(value) for name, value in zip(names, call.args, strict=False)}
    return {**given, **{word.arg: ast.unparse(word.value) for word in call.keywords if word.arg}}


def _dtypes(entry, calls):
    """Returns, for each dtype that the page lists for an input, whether a call has it."""
    listed = set()
    for item in entry.get("raises", ()):
        for clause in specs.rule_of(item).clauses:
            if clause.test == "not" and any(s.facets == ("dtype",) for s in clause.subjects):
                listed |= expand(clause.operands) & set(DTYPE_ORDER)
    text = str(calls)
    return [f"'{dtype}'" in text or f"ms.{dtype}" in text for dtype in sorted(listed)]


def _sums(rows):
    return {part: [sum(row[part][i] for row in rows) for i in (0, 1)] for part in _PARTS}


def text(rows):
    """Returns the coverage as lines of a table."""
    lines = [f"{'compared answers':26}" + "".join(f"{part:>16}" for part in _PARTS)]
    for group, row in [*rows.items(), ("all", _sums(rows.values()))]:
        cells = (f"{f'{a} of {b}':>16}" for a, b in row.values())
        lines.append(f"{group:26}" + "".join(cells))
    return "\n".join(lines)
