"""Adds to the stored calls of a name the argument values that its page names, even if they do not
change the result: a fault may concern one value alone. An argument that has the same value in all
calls gets another one, and an axis gets a number below 0."""

import ast
import math
import re
import time

from ..calls import documented
from ..calls.call import Call
from ..kinds.cases import LOST, area_of, of_entry
from .additions import SETTINGS, all_bases, waves_of
from .changes import in_module, variations
from .record import SECONDS, TRIES, Session

_KINDS = ("values", "options", "steps", "set_attributes")
_BASES, _MOST = 4, 8  # the numbers of calls to try, and of values of one argument
_AXIS = re.compile(r"axis\d?|dim\d?|axes|dims|\w*_dim|\w*_axis")


def add_stated(name, entries, known, reference):
    """Adds the values of arguments that no compared case passes, in the first call that accepts
    them."""
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
                    texts.add(text)
                    break
        session.until = max(until, time.monotonic() + 2)
        _add_below_0(session, argument, texts, calls)
        if len(texts) == 1:
            _add_another(session, argument, calls)
    reference.forget()
    return records


def _add_below_0(session, argument, texts, calls):
    """Keeps a call with an axis that is counted from the end, unless one is stored."""
    if not _AXIS.fullmatch(argument) or any(re.search(r"-\d", text) for text in texts):
        return
    for text in ("-1", "(-1,)", "(-1, 0)", "(-1, -2)"):
        session.tries = 0
        for call, more in calls:
            value = call.value(argument)
            variant = None if isinstance(value, bool) else call.put(argument, text)
            seen = variant and session.ask(variant, more)
            if seen and _tells(session.name, seen):
                session.keep(f"{argument}={text} as stated", variant, more, seen, set())
                texts.add(text)
                return


def _add_another(session, argument, calls):
    """Keeps a call with another value of an argument. If no value changes the outcome, keeps one
    that is accepted."""
    accepted = None
    for call, more in calls:
        session.tries = session.lost = 0
        base = session.ask(call, more)
        if base is None:
            continue
        for text in _others(session, argument, call):
            variant = call.put(argument, text)
            seen = variant and session.ask(variant, more)
            if seen and _tells(session.name, seen):
                accepted = accepted or (variant, more, seen)
                if seen != base:
                    session.keep(f"another {argument}", variant, more, seen, set())
                    return
    if accepted is not None:
        session.keep(f"another {argument}", *accepted, set())


def _others(session, argument, call):
    """Returns texts of other values: of the same shape with other numbers in the Tensors of the
    present value, or of the documented types."""
    present = call.get(argument) or ""
    texts = []
    if re.search(r"\bT\(", present):
        texts.append(_with_other_numbers(present))
    elif present[:1].isalpha() and (shape := session.shape_of(present)) is not None:
        texts.append(waves_of(shape, 3))
        if isinstance(shape, list):
            texts.append(f"T('int32', np.arange({math.prod(shape)}).reshape({tuple(shape)}))")
    texts += [
        t for _, t in variations(argument, call, session.entry, area_of(session.name))[:_MOST]
    ]
    return [text for text in texts if text != present]


class _Numbers(ast.NodeTransformer):
    """Replaces the numbers of the Tensors in a text. Floats are multiplied by 0.75. If there are no
    floats, the other numbers are reversed; beside floats they are positions and stay."""

    def __init__(self, floats):
        self.floats = floats

    def visit_Call(self, node):  # noqa: N802
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "T" and len(node.args) == 2:
            dtype, data = map(ast.unparse, node.args)
            if self.floats and "float" not in dtype:
                return node
            array = f"array({dtype}, {data})"
            other = f"0.75 * {array}" if "float" in dtype else f"np.flip({array})"
            return ast.parse(f"T({dtype}, {other})", mode="eval").body
        return node


def _with_other_numbers(text):
    numbers = _Numbers("T('float" in text)
    return ast.unparse(numbers.visit(ast.parse(text, mode="eval")))


def _calls(name, entries, known):
    """Returns [(call, settings)]: the first calls of a name, with arguments by name."""
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
    """Returns True if an outcome says more than that an object was made."""
    return seen != {"result": name.rpartition(".")[2]}
