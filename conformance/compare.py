"""The same calls on two implementations: results, dtypes, shapes, exception types.

The reference is run (or its kept answers are used), then the target; a crash or a hang of either
side costs one case.
"""

from . import answers, runner

SAME = ("accepts", "raises", "promises", "gradient", "example")


def differences(cases, reference, target):
    """Yield (case, reference result, target result, what differs) for the cases on which the two
    sides part.
    """
    for case in cases:
        left, right = reference.get(case["id"]), target.get(case["id"])
        if left is None or right is None or case["kind"] not in SAME:
            continue
        what = part(case, left, right)
        if what:
            yield case, left, right, what


def part(case, left, right):
    """What differs between two results of one case, or None."""
    lost = [side for side in (left, right) if side["status"] in ("crash", "hang")]
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
    if case["kind"] == "raises":
        return (
            None
            if left.get("observed") == right.get("observed")
            else f"{left.get('observed')} against {right.get('observed')}"
        )
    return (
        None if left["status"] == right["status"] else f"{left['status']} against {right['status']}"
    )


def _outcome(result):
    return "accepted" if result["status"] == "pass" else result.get("got", "").split(":")[0]


def from_kept(kept, cases):
    """Results as a run on the reference would have given them, from the kept answers."""
    found = {}
    for case in cases:
        answer = answers.answer_to(case, kept)
        if answer:
            found[case["id"]] = {
                "id": case["id"],
                "status": answer[1],
                "observed": answer[2],
                "got": str(answer[2]),
            }
    return found


def run_side(cases, target, python, store, progress):
    """{case id: result} of a whole run."""
    return {
        case["id"]: result for case, result in runner.run(cases, target, python, store, progress)
    }
