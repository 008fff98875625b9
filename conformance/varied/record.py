"""Asks a reference about variations of each name's call and keeps the informative ones: for each
argument a few values that change the outcome, each in another way.

A value that changes nothing alone is combined with values of other arguments (`align_corners` has
an effect only with `mode='bilinear'`). A name that the reference cannot run is listed with the
reason.
"""

import json
import re
import time
from collections import Counter
from dataclasses import dataclass, field

from ..calls.table import table
from ..kinds.cases import DIFFERENTIABLE, LOST, area_of, errors_of
from ..running.runner import Process
from ..targets import DEFAULT, REFERENCE
from .bases import bases
from .changes import arguments, larger, variations

MOST = {"tensor": 6, "plain": 5}  # recorded values of one argument
PAIRS = 30  # attempts to combine the values of two arguments, for each name
TRIES = 150  # calls for each name
DELIBERATE = ("TypeError", "ValueError", "KeyError")  # other exceptions are accidents
UNLIKELY = ("'no such'", "-7", "1.5", "object()", "None")  # values that most arguments refuse
SECONDS = 300  # for the variations of one base call, however busy the machine is
UNINITIALIZED = re.compile(r"(?:Tensor|mint)\.(?:new_)?empty(?:_like)?")  # arbitrary numbers
MODES = ("nn.", "mint.nn.")  # layers, which may behave differently in training


@dataclass
class Recording:
    """The recorded calls of one name, and the reasons why others are not recorded."""

    name: str
    calls: dict = field(default_factory=dict)  # label → {"init", "call", ..., "seen"}
    reason: str = ""  # why no call is recorded
    arguments: Counter = field(default_factory=Counter)  # argument -> number of recorded values

    def answered_by(self, target):
        """Notes which target answered in place of real MindSpore."""
        for record in self.calls.values():
            record["by"] = word_of(target)


def word_of(target):
    """Returns the word under which the answers of a target other than real MindSpore are stored."""
    return target.rpartition(".")[2]


class Reference:
    """A process that answers calls. It is replaced if a call kills it."""

    def __init__(self, target, python):
        self.target, self.python, self.process = target, python, None
        self.memory = {}

    @property
    def own_word(self):
        """Returns the word under which its answers are stored; None for real MindSpore."""
        return None if self.target in (REFERENCE, DEFAULT) else word_of(self.target)

    def ask(self, case):
        """Returns the facts of a call, or {"refused": ...}."""
        key = json.dumps(case, sort_keys=True)
        if key not in self.memory:
            if self.process is not None and "alone" in case and self.process.served:
                self.process.full = True
            if self.process is None or not self.process.alive or self.process.full:
                self.stop()
                self.process = Process(self.target, self.python)
            result = self.process.ask(case)
            refused = {"refused": result["status"]}
            seen = result["observed"] if result["status"] == "pass" else refused
            self.memory[key] = (
                without_numbers(seen) if UNINITIALIZED.fullmatch(case["name"]) else seen
            )
        return self.memory[key]

    def forget(self):
        """Discards the cached facts of one name."""
        self.memory.clear()

    def stop(self):
        """Ends the process."""
        if self.process is not None:
            self.process.stop()
            self.process = None


class Session:
    """The calls about one name."""

    def __init__(self, name, entry, reference):
        self.name, self.entry, self.reference = name, entry, reference
        self.recording, self.tries, self.lost = Recording(name), 0, 0
        self.until = time.monotonic() + SECONDS
        self.seen = {}  # cache: outcomes -> the facts that do not vary from run to run
        self.refusal = ""  # the exception of the last refused call
        self.deliberate = {*DELIBERATE, *errors_of(entry)}
        if name.startswith("dataset."):
            self.deliberate.add("RuntimeError")  # pipelines refuse their input with it

    def ask(self, call, more):
        """Returns the facts of a call without what varies from run to run; None if it is
        refused."""
        if self.tries >= TRIES or self.lost > 1 or time.monotonic() > self.until:
            return None
        self.tries += 1
        case = self._case(call, more)
        seen = self.reference.ask(case)
        if "refused" in seen:
            self.refusal = seen["refused"]
            self.recording.reason = self.recording.reason or f"refused: {self.refusal}"
            self.lost += seen["refused"] in LOST
            return None
        if json.dumps(seen, sort_keys=True) in self.seen:  # nothing new, so nothing to keep
            return self.seen[json.dumps(seen, sort_keys=True)]
        agreed = seen if "alone" in case else self.reference.ask({**case, "probe": True})
        answer = None if "refused" in agreed else cleaned(agreed, self.deliberate)
        self.seen[json.dumps(seen, sort_keys=True)] = answer
        return answer

    def ask_once(self, call, more, errors=()):
        """Returns the facts of a call without exceptions other than `errors`; None if it is
        refused. Unlike `ask`, it does not compare two runs, and there is no limit of calls."""
        seen = self.reference.ask(self._case(call, more))
        return None if "refused" in seen else cleaned(seen, errors)

    def _case(self, call, more):
        parts = {"name": self.name, "init": call.init, "call": call.call, "owner": call.owner}
        return {"id": f"{self.name}::values", "kind": "values", **parts, **more}

    def shape_of(self, text):
        """Returns the shape of the numeric Tensor that a text evaluates to, {index: shape} for a
        sequence of Tensors, and None for other values."""
        asked = {"id": f"{self.name}::values", "kind": "values", "name": "ops.stack", "init": None}
        seen = self.reference.ask({**asked, "call": None, "owner": None, "then": [text]})
        return _shape_in(seen.get("then 1"))

    def with_gradient(self, call, more, seen):
        """Returns the call with its gradients, if any gradient has an element that is not 0."""
        if call.call is None or "then" in more or not self.name.startswith(DIFFERENTIABLE):
            return dict(more), seen
        wanted = {**more, "gradient": True}
        answer = self.ask(call, wanted)
        if answer is None or not any(is_moving(k, part) for k, part in answer.items()):
            return dict(more), seen
        return wanted, answer

    def keep_refusal(self, label, call, more):
        """Keeps a call of the table if the reference refuses it with an exception that
        pages name."""
        if self.refusal in {*DELIBERATE, *errors_of(self.entry)}:
            self.keep(label, call, more, {"refused": self.refusal}, set())
            self.refusal = ""

    def keep(self, label, call, more, seen, outcomes):
        """Keeps the call unless another value of the same argument has the same outcome. Returns
        True if it was kept."""
        text = json.dumps(seen, sort_keys=True)
        only_made = seen == {"result": self.name.rpartition(".")[2]}
        if text in outcomes or only_made:
            return False
        outcomes.add(text)
        parts = {"init": call.init, "call": call.call, "owner": call.owner, **more}
        facts = {key: part for key, part in parts.items() if part is not None}
        if {**facts, "seen": seen} in self.recording.calls.values():
            return True
        while label in self.recording.calls:
            label += "'"
        self.recording.calls[label] = {**facts, "seen": seen}
        return True


def of_name(name, entries, reference):
    """Returns the Recording of one name."""
    session = Session(name, entries[name], reference)
    started, outcomes = 0, set()
    for label, call, more in bases(name, entries):
        if label.startswith("call"):
            session.tries = 0
        session.until = time.monotonic() + SECONDS
        seen = session.ask(call, more)
        if seen is None:
            if label.startswith("call"):
                session.keep_refusal(label, call, more)
            continue
        more, seen = session.with_gradient(call, more, seen)
        own = set() if label.startswith("call") else outcomes
        is_new = session.keep(label, call, more, seen, own)
        more.pop("gradient", None)
        started += is_new
        first = started <= (1 if label.startswith(("example", "as ")) else 2)
        if is_new and first:
            _vary(session, call, more, label, seen)
    reference.forget()
    if session.recording.calls:
        session.recording.reason = ""
    elif not session.recording.reason:
        session.recording.reason = "no call is known"
    return session.recording


def _vary(session, call, more, label, base):
    """Records variations of one argument, of two, and of all together."""
    effective, idle = {}, {}
    base = {key: part for key, part in base.items() if not key.startswith("gradient of ")}
    unchanged = json.dumps(base, sort_keys=True)
    if session.name.startswith(MODES) and call.init is not None and call.call is not None:
        seen = session.ask(call, {**more, "train": True})
        if seen is not None:
            session.keep(f"{label}, training", call, {**more, "train": True}, seen, {unchanged})
    if "moments" not in base and not _has_numbers(base):
        variant = larger(call)
        seen = variant and session.ask(variant, more)
        if seen:
            call = variant
            session.keep(f"{label}, larger", variant, more, seen, {unchanged})
            unchanged = json.dumps(seen, sort_keys=True)
    for argument in arguments(call):
        options = variations(argument, call, session.entry, area_of(session.name))
        outcomes = {unchanged}
        pairs, wanted = [], MOST["tensor" if _is_tensor(argument, call) else "plain"]
        for name, text in options:
            variant = call.put(argument, text)
            seen = variant and session.ask(variant, more)
            if not seen:
                continue
            if session.keep(
                f"{argument} {name}" if " " in name or "=" not in name else name,
                variant,
                more,
                seen,
                outcomes,
            ):
                pairs.append((name, text))
                session.recording.arguments[argument] += 1
            if len(pairs) >= wanted:
                break
        (effective if pairs else idle)[argument] = pairs or options
    _pair(session, call, more, effective, idle)
    _combine(session, call, more, effective)
    _accompany(session, call, more)
    refuse(session, call, more, idle)


def _pair(session, call, more, effective, idle):
    """Combines values that have no effect alone with values of other arguments."""
    attempts = 0
    words = [
        (a, text)
        for a in (*effective, *idle)
        for _, text in (effective.get(a) or idle[a])[:6]
        if text[:1] in "'TF(0123456789"
    ]
    for argument, options in idle.items():
        if _is_tensor(argument, call):
            continue
        for other, text in words:
            if other == argument or attempts >= PAIRS:
                continue
            variant = call.put(other, text)
            alone = variant and session.ask(variant, more)
            done = False
            for name, value in options[:4]:
                both = variant and variant.put(argument, value)
                attempts += 1
                seen = both and session.ask(both, more)
                if (
                    seen
                    and seen != alone
                    and session.keep(f"{name}, {other}={text}", both, more, seen, set())
                ):
                    if alone:
                        session.keep(f"{other}={text}", variant, more, alone, set())
                    session.recording.arguments[argument] += 1
                    done = True
            if done:
                break


def _accompany(session, call, more):
    """Records arguments that the table passes together. Arguments without a value are left out."""
    outcomes = set()
    for given in table()["together"]:
        variant, added = call, {key: text for key, text in given.items() if text is not None}
        for argument, text in added.items():
            variant = variant and variant.put(argument, text)
        if variant is None:
            continue
        for part in filter(None, (variant.init, variant.call)):
            for argument in given.keys() - added.keys():
                part.pop(argument, None)
        session.tries = 0
        seen = session.ask(variant, more)
        if seen:
            label = ", ".join(f"{key}={text}" for key, text in added.items())
            session.keep(label, variant, more, seen, outcomes)
            session.recording.arguments.update(list(added))


def refuse(session, call, more, idle):
    """Records a value that the reference refuses, for each argument without an effect. The refusal
    shows that the argument is read. Returns True if there is such a value for any of them."""
    session.tries, is_refused = 0, False
    for argument, options in idle.items():
        if _is_tensor(argument, call) or session.recording.arguments[argument]:
            continue
        others = [(f"{argument}={text}", text) for text in UNLIKELY]
        for label, text in (*options[:6], *others):
            variant, session.refusal = call.put(argument, text), ""
            if variant and session.ask(variant, more) is None and session.refusal in DELIBERATE:
                session.keep_refusal(label, variant, more)
                is_refused = True
                break
    return is_refused


def _combine(session, call, more, effective):
    """Records one call that changes many arguments. They are added one by one as long as the
    reference accepts the call."""
    together, labels, outcomes = call, [], set()
    for turn in (0, -1):
        for argument, candidates in effective.items():
            name, text = candidates[turn]
            if text.startswith("cast("):
                continue
            variant = together.put(argument, text)
            seen = variant and session.ask(variant, more)
            if seen:
                together = variant
                labels.append(name)
                if len(labels) > 1:
                    session.keep(f"together {len(labels)}, {turn}", variant, more, seen, outcomes)


def _shape_in(seen):
    if isinstance(seen, list) and len(seen) > 1 and re.match(r"(?:Int|UInt|Float)\d", str(seen[0])):
        return seen[1]
    if isinstance(seen, dict) and "count" in seen:
        parts = {key: _shape_in(part) for key, part in seen.items() if key != "count"}
        return parts if parts and None not in parts.values() else None
    return None


def is_moving(key, seen):
    """Returns whether a fact is a gradient with an element that is not 0."""
    return key.startswith("gradient of ") and len(seen) == 3 and any(map(_is_not_zero, seen[2]))


def _is_not_zero(number):
    return number not in (0, "nan", "inf", "-inf")


def _is_tensor(argument, call):
    text = call.get(argument) or ""
    return text.startswith(("T(", "cast("))


def _has_numbers(seen):
    """Returns True if an outcome contains numbers to compare."""
    if isinstance(seen, dict):
        return any(map(_has_numbers, seen.values()))
    return not isinstance(seen, list) or len(seen) == 3 or seen[1:] == [[0]]


def without_numbers(seen):
    """Returns the facts of a call with the dtype and shape of its result alone."""
    if not isinstance(seen.get("result"), list):
        return seen
    facts = {key: part for key, part in seen.items() if key != "moments"}
    return {**facts, "result": seen["result"][:2]}


def cleaned(seen, errors=DELIBERATE):
    """Returns facts without numbers that vary from run to run, and without exceptions other than
    `errors`. Moments are kept only for random numbers."""

    def clean(part):
        if isinstance(part, dict):
            parts = {k: clean(v) for k, v in part.items()}
            return {k: v for k, v in parts.items() if v != "varies" and not _is_refused(v, errors)}
        return part

    facts = clean(seen)
    result = facts.get("result")
    if isinstance(result, list) and len(result) == 3:
        facts.pop("moments", None)
    for key in [k for k in facts if k.startswith("moments of then")]:
        if len(facts.get(key.removeprefix("moments of "), ())) != 2:  # they are not drawn
            del facts[key]
    for filled in (result, result.get("kernel")) if isinstance(result, dict) else ():
        if isinstance(filled, dict) and len(filled.get("filled", ())) == 3:
            filled.pop("moments", None)
    return facts


def _is_refused(seen, errors):
    """Returns True if an operation on a result failed with an exception that no page would name."""
    return isinstance(seen, str) and seen.startswith("raised ") and seen[7:] not in errors


def all_names(names, entries, target, python, jobs, done):
    """Records names, several processes at a time, and calls `done(found)` for each."""
    import queue
    from concurrent.futures import ThreadPoolExecutor

    idle = queue.LifoQueue()
    for _ in range(jobs):
        idle.put(Reference(target, python))

    def one(name):
        reference = idle.get()
        try:
            return of_name(name, entries, reference)
        finally:
            idle.put(reference)

    with ThreadPoolExecutor(jobs) as threads:
        try:
            for record in threads.map(one, names):
                done(record)
        finally:
            while not idle.empty():
                idle.get().stop()
