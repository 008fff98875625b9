"""Makes calls that break sentences about more than the value of one argument: the number of inputs,
their shapes in words, files, communication, the order of calls.

`breaches(rule, call, more)` yields (label, changed call, its settings), as `bad.offend` does for
sentences about arguments.
"""

import re
from dataclasses import replace

from ..calls import bad

_FILE = re.compile(r"(?i).*(?:file|path|dir|ckpt|source|folder)s?(?:_name)?")
_MANY_WORKERS = "100000"
_OF_NAMED = re.compile(r"\[0, ([a-z_]\w*)\)")  # bounds that another argument determines
_RANKS = range(6)


def breaches(rule, call, more):
    """Yields calls that break a rule of one clause; none if no such call is known."""
    if len(rule.clauses) != 1:
        return
    (clause,) = rule.clauses
    if clause.test == "state":
        yield from _of_state(clause.operands[0], call, more)
        return
    for subject in clause.subjects:
        for label, variant in _of_subject(subject, clause, call):
            if variant is not None:
                yield label, variant, more


def _of_state(state, call, more):
    """Yields calls under a condition that no argument expresses."""
    if state == "communication not ready":
        first = [text for text in more.get("first", ()) if "world." not in text]
        if first != more.get("first", []):
            yield "not initialized", call, {**more, "first": first}
    elif state in ("too few samples", "called out of order") and call.owner and not call.call:
        yield "of a new object", call, more
    elif state == "too many threads":
        yield from _with(call, more, "num_parallel_workers", _MANY_WORKERS)
    elif state == "no data files":
        yield from _with(call, more, "dataset_dir", "sample.files.folder('none')")
    elif state == "file cannot be used":
        for name in _names(call):
            if _FILE.fullmatch(name):
                yield from _with(call, more, name, "'none/such'")
                yield from _with(call, more, name, "sample.files.write('wrong.txt', 'wrong')")


def _with(call, more, name, text):
    variant = call.put(name, text)
    if variant is not None:
        yield f"{name}={bad.short(text)}", variant, more


def _names(call):
    return dict.fromkeys((*(call.init or {}), *(call.call or {})))


def _of_subject(subject, clause, call):
    """Yields (label, changed call) for a clause about one subject."""
    if subject.facets in (("size",), ("len",)) and clause.test == "!=":
        yield from _of_count(clause, call)
    elif subject.facets == ("shape",) and clause.test in ("!=", "not in"):
        yield from _of_shape(subject.name, clause, call)
    elif clause.test == "not subclass of" and "float" in clause.operands:
        yield f"{subject.name}=ms.int32", call.put(subject.name, "ms.int32")
    elif clause.test == "outside" and (bound := _OF_NAMED.fullmatch(clause.operands[0])):
        variant = call.put(bound[1], "2")
        for text in ("2", "-1") if variant is not None else ():
            yield f"{bound[1]}=2, {subject.name}={text}", variant.put(subject.name, text)


def _of_count(clause, call):
    """Yields calls with one input more or less than the clause asks for."""
    texts = [text for name, text in (call.call or {}).items() if name.startswith("*")]
    if not texts or len(texts) != len(call.call) or not clause.operands[0].isdecimal():
        return
    for count in (int(clause.operands[0]) - 1, int(clause.operands[0]) + 1):
        given = (texts * (count + 1))[:count]
        inputs = {f"*{index}": text for index, text in enumerate(given)}
        yield f"{count} inputs", replace(call, call=inputs, call_names=tuple(inputs))


def _of_shape(name, clause, call):
    """Yields calls whose input has another number of axes than all shapes of the clause, or another
    number of elements along the last axis."""
    name = next(iter(call.call or {}), name) if name == "*" else name
    text = call.get(name)
    shapes = [[part.strip() for part in shape.strip("<>").split(",")] for shape in clause.operands]
    if not re.match(r"(?:T|array|cast)\(", text or ""):
        return
    for rank in _RANKS:
        if not any(_fits(shape, rank) for shape in shapes):
            yield f"{name} of rank {rank}", call.put(name, f"ranked({text}, {rank})")
    if all("=" in shape[-1] for shape in shapes):
        yield f"{name} grown", call.put(name, f"grown({text})")


def _fits(shape, rank):
    """Returns whether a number of axes agrees with a shape such as `..., freq, time`."""
    known = [part for part in shape if part != "..."]
    return rank >= len(known) if len(known) < len(shape) else rank == len(known)
