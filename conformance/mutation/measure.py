"""Runs the cases of a name on a target with one fault, for one fault after another.

A fault is found if a case fails that passes without it. Each worker process has at most one fault
at a time. If a worker dies in a case, it is replaced, and the case counts as failed; one that
hangs, if it hangs twice.
"""

import queue
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache

from ..calls.table import users
from ..kinds.cases import LOST, of_entry
from ..reading.groups import group_of
from ..running import answers
from ..running.runner import Process
from .faults import planting
from .plan import key_of, reason_of

# Kinds of cases, the most likely to detect a fault first.
_ORDER = ("values", "steps", "options", "gradient", "accepts", "promises", "set_attributes")
_UNABLE = ("exists", "imports", "example")  # kinds that cannot detect any fault of the plan
_BAD = ("fail", *LOST)


@dataclass
class Outcome:
    """The outcome of one fault."""

    fault: dict
    group: str
    status: str  # found, missed, not planted, equivalent, or no fault (it changes no result)
    by: str = ""  # the case that found it, or why it was not planted or is equivalent
    reached: int = 0  # the number of calls in which a missed fault changed something

    @property
    def key(self):
        return key_of(self.fault)


class Judge:
    """One worker process, and the results of cases on its target without a fault."""

    def __init__(self, target, python, recorded):
        self.target, self.python, self.recorded = target, python, recorded
        self.process, self.sound = None, {}
        self.fault, self.called, self.reached = None, 0, 0

    def outcome(self, fault, cases, group):
        """Returns the outcome of a fault under the cases of a name."""
        self.called = self.reached = 0
        planted = self._plant(fault)
        if planted["status"] != "pass":
            return Outcome(fault, group, "not planted", planted["got"])
        for case in _by_promise(cases, fault):
            if self._fails(case) and self._passes_without(case, fault):
                self._plant(None)
                return Outcome(fault, group, "found", case["id"])
        self._plant(None)
        nothing = self.called and not self.reached and fault["place"] == "result"
        return Outcome(fault, group, "no fault" if nothing else "missed", reached=self.reached)

    def _plant(self, fault):
        """Replaces the planted fault by another, and reads the counts of the replaced one."""
        answer = self._ask(planting(fault))
        self._count(answer)
        self.fault = fault if answer["status"] == "pass" else None
        return answer

    def _count(self, answer):
        counts = answer.get("observed")  # a text if the worker was lost
        called, reached = counts if isinstance(counts, list) else (0, 0)
        self.called += called
        self.reached += reached

    def _fails(self, case):
        answer = self._ask(case)
        if answer["status"] == "hang":  # the machine may just have been busy
            answer = self._ask(case)
        return answers.judge(case, answer, self.recorded)["status"] in _BAD

    def _passes_without(self, case, fault):
        if case["id"] not in self.sound:
            self._plant(None)
            self.sound[case["id"]] = not self._fails(case)
            self._plant(fault)
        return self.sound[case["id"]]

    def _ask(self, case):
        """Returns the answer of a process that is alive and has the fault."""
        if self.process is None or not self.process.alive or self.process.full:
            if self.process is not None and self.process.alive:
                self._count(self.process.ask(planting(None)))  # which would end with the process
            self.stop()
            self.process = Process(self.target, self.python)
            if self.fault is not None and case["kind"] != "plant":
                self._plant(self.fault)
        return self.process.ask(case)

    def stop(self):
        """Ends the process."""
        if self.process is not None:
            self.process.stop()
            self.process = None


def _by_promise(cases, fault):
    """Returns the cases that may detect a fault, the most likely first."""
    first = "gradient" if fault["kind"] == "detached" else None

    def order(case):
        kind = case["kind"]
        return (kind != first, _ORDER.index(kind) if kind in _ORDER else len(_ORDER))

    return sorted((c for c in cases if c["kind"] not in _UNABLE), key=order)


class Cases:
    """The cases that a fault of a name may fail: those of the name, then those of its class."""

    def __init__(self, entries):
        self.entries, self.recorded = entries, answers.load()

    @cache  # noqa: B019  (one object lives as long as the command)
    def _own(self, name):
        entry = self.entries.get(name)
        if entry is None:
            return []
        case_list = of_entry(name, entry)
        return case_list + list(answers.refused({name: entry}, (), self.recorded))

    def __call__(self, name):
        """Returns the cases of a name; of a method or property, also those of its class."""
        owner = name.rpartition(".")[0]
        if self.entries.get(owner, {}).get("kind") != "class":
            return self._own(name)
        return [case for user in (name, *users(owner)) for case in self._own(user)]


def outcomes(faults, entries, cases_of, target, python=None, jobs=1):
    """Yield the Outcome of every fault, in their order."""
    recorded = answers.load()
    idle = queue.LifoQueue()
    for _ in range(jobs):
        idle.put(Judge(target, python, recorded))

    def judge(fault):
        name = fault["name"]
        if (reason := reason_of(fault)) is not None:
            return Outcome(fault, group_of(name, entries[name]), "equivalent", reason)
        judge = idle.get()
        try:
            return judge.outcome(fault, cases_of(name), group_of(name, entries[name]))
        finally:
            idle.put(judge)

    with ThreadPoolExecutor(jobs) as threads:
        try:
            yield from threads.map(judge, faults)
        finally:
            while not idle.empty():
                idle.get().stop()


def counts(outcomes):
    """Returns {group: Counter of statuses}."""
    table = {}
    for outcome in outcomes:
        table.setdefault(outcome.group, Counter())[outcome.status] += 1
    return table


def table_text(table):
    """Returns counts as lines, the worst group first, and the total."""

    def share(row):
        judged = row["found"] + row["missed"]
        return row["found"] / judged if judged else 1.0

    rows = sorted(table.items(), key=lambda item: (share(item[1]), item[0]))
    rows.append(("all", sum(table.values(), Counter())))
    lines = [f"{'part of the API':26}{'found':>7}{'planted':>9}{'share':>8}"]
    lines += [
        f"{group:26}{row['found']:7}{row['found'] + row['missed']:9}{100 * share(row):7.1f}%"
        for group, row in rows
    ]
    return "\n".join(lines)
