"""Makes the same calls on two implementations, and lists differing results, dtypes, shapes and
exception types, with the known reasons.

The reference runs first (or its stored answers are used), then the target. A crash or a hang on
either side costs one case.
"""

from ..kinds.cases import LOST, ODD, UNCHANGED
from ..reading import specs
from ..running import answers, runner

SAME = ("accepts", "raises", "promises", "gradient", "example", ODD)
DOCUMENTED = ("TypeError", "ValueError")  # documented exceptions for invalid arguments


def differences(cases, reference, target):
    """Yield (case, reference result, target result, difference) for the cases in which the two
    sides differ.
    """
    for case in cases:
        left, right = reference.get(case["id"]), target.get(case["id"])
        if left is None or right is None or case["kind"] not in SAME:
            continue
        what = part(case, left, right)
        if what:
            yield case, left, right, what


def part(case, left, right):
    """Returns the difference between two results of one case, or None."""
    lost = [side for side in (left, right) if side["status"] in LOST]
    if lost:
        return (
            None
            if left["status"] == right["status"]
            else f"{left['status']} against {right['status']}"
        )
    if case["kind"] == "accepts":
        if left["status"] != right["status"]:
            return f"{_outcome(left)} against {_outcome(right)}"
        return (
            answers.differ(left.get("observed"), right.get("observed"))
            if left["status"] == "pass"
            else None
        )
    if case["kind"] in ("raises", ODD):
        sides = [answers.bare(side.get("observed")) for side in (left, right)]
        return None if sides[0] == sides[1] else f"{sides[0]} against {sides[1]}"
    return (
        None if left["status"] == right["status"] else f"{left['status']} against {right['status']}"
    )


def sound(cases, reference):
    """Returns the cases that can be compared: odd calls only if the reference accepts the unchanged
    call.
    """
    return [
        case
        for case in cases
        if case["kind"] != ODD
        or reference.get(f"{case['name']}::{ODD}::{UNCHANGED}", {}).get("observed") == "accepted"
    ]


def settle(entries, cases, parted):
    """Write the reasons why the two sides differ for odd calls into the entries, `apart`: {reason:
    [labels]}. Labels of other kinds of case, "accepts::example", stay unchanged.

    A hand-written reason stays as long as the sides differ. Returns the differences without a
    reason.
    """
    unexplained = []
    for name in {case["name"] for case in cases if case["kind"] == ODD}:
        recorded = {
            why: [label for label in labels if "::" in label]
            for why, labels in entries[name].pop("apart", {}).items()
        }
        if any(recorded.values()):
            entries[name]["apart"] = {why: labels for why, labels in recorded.items() if labels}
    for case, left, right, what in parted:
        if case["kind"] != ODD:
            continue
        entry, label = entries[case["name"]], case["id"].split("::", 2)[2]
        why = _reason(entry, label, left, right) or case.get("apart")
        if why is None:
            unexplained.append((case, what))
        else:
            entry.setdefault("apart", {}).setdefault(why, []).append(label)
    return unexplained


def _reason(entry, label, left, right):
    """Returns why two sides may differ for an odd call; None if only a person can decide."""
    there, here = left["observed"], right.get("observed")
    if left["status"] in LOST:
        return "MindSpore does not survive it"
    if there.endswith("(no kernel)") and here == "accepted":
        return "no kernel of MindSpore for this on a CPU"
    argument, there = label.split("=")[0], answers.bare(there)
    if "accepted" in (there, here) or here not in (*DOCUMENTED, "IndexError", "RuntimeError"):
        return None
    if (argument, here) in _documented(entry):
        return "the documented exception"
    if there in DOCUMENTED:
        return "refused by both; no sentence says with which exception"
    return "refused by both; MindSpore fails inside, with another exception"


def _documented(entry):
    """Returns {(argument, exception)} of the entry's sentences about an argument itself, except its
    dtype or shape.
    """
    rules = (specs.rule_of(item) for item in entry.get("raises", ()))
    return {
        (subject.name, rule.error)
        for rule in rules
        if rule.verdict != "observed only"
        for clause in rule.clauses
        for subject in clause.subjects
        if not subject.facets
    }


def _outcome(result):
    return "accepted" if result["status"] == "pass" else result.get("got", "").split(":")[0]


def from_recorded(recorded, cases):
    """Returns results made from the stored answers, in the form of a run on the reference."""
    results = {}
    for case in cases:
        answer = answers.answer_to(case, recorded)
        if answer:
            results[case["id"]] = {
                "id": case["id"],
                "status": answer[1],
                "observed": answer[2],
                "got": str(answer[2]),
            }
    return results


def run_side(cases, target, python, store, jobs=1, restart=False):
    """Returns {case id: result} of a whole run."""
    progress = runner.Progress(len(cases))
    results = runner.run(cases, target, python, store, progress, jobs=jobs, restart=restart)
    return {case["id"]: result for case, result in results}
