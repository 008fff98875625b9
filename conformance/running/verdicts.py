"""Verdicts: whether real MindSpore follows a documented rule. They are written into the spec
entries after a run on MindSpore.

agreed           every invalid call that was tried raised the documented exception
documented only  some did not; the reason says which, and what happened instead
observed only    real MindSpore rejects a call that no sentence of the page forbids
"""

from pathlib import Path

from ..kinds.cases import LOST
from ..reading import specs

SHOWN = 3  # number of invalid calls that a reason names


def apply(entries, results):
    """Set the verdicts of all rules from (case, result) pairs of the reference; returns the number
    of each verdict.
    """
    by_rule, refused, count = {}, {}, {}
    broken = {
        case["name"]
        for case, result in results
        if case["id"].endswith("::accepts::example") and result["status"] != "pass"
    }
    for case, result in results:
        if case["kind"] == "raises" and (case["name"] not in broken or result["status"] == "pass"):
            by_rule.setdefault((case["name"], case["rule"]), []).append((case, result))
        elif (
            case["kind"] == "accepts"
            and "rule" in case
            and result["status"] == "fail"
            and case["name"] not in broken
        ):
            refused.setdefault(case["name"], []).append((case, result))
    names = {case["name"] for case, _ in results if case["kind"] in ("raises", "accepts")}
    for name, entry in entries.items():
        if name not in names:
            continue
        entry["raises"] = [
            item for item in entry.get("raises", ()) if item.get("verdict") != "observed only"
        ]
        for item in entry["raises"]:
            for key in ("verdict", "reason"):
                item.pop(key, None)
            tried = by_rule.get((name, str(specs.rule_of(item))))
            if not tried:
                continue
            item.update(_verdict(tried))
            count[item["verdict"]] = count.get(item["verdict"], 0) + 1
        seen = _observed(refused.get(name, ()))
        entry["raises"] += seen
        count["observed only"] = count.get("observed only", 0) + len(seen)
        if not entry["raises"]:
            del entry["raises"]
    return {key: number for key, number in count.items() if number}


def _observed(refused):
    """Returns rules for values that no sentence forbids and real MindSpore rejects."""
    rows = []
    for case, result in refused:
        name, _, text = _label(case).partition("=")
        error = result.get("observed", "")
        if (
            not name.isidentifier()
            or not error.isidentifier()
            or "(" in text
            or "-" in text[1:]
            or not text
        ):
            continue
        rows.append(
            {
                error: {name: f"== {text}"},
                "verdict": "observed only",
                "reason": "refused beside the example's other arguments",
            }
        )
    return rows


def _verdict(tried):
    wrong = [(case, result) for case, result in tried if result["status"] != "pass"]
    if not wrong:
        return {"verdict": "agreed"}
    outcomes = [f"{_label(case)}: {_happened(result)}" for case, result in wrong[:SHOWN]]
    more = f" and {len(wrong) - SHOWN} more" if len(wrong) > SHOWN else ""
    return {"verdict": "documented only", "reason": "; ".join(outcomes) + more}


def _label(case):
    return case["id"].split("::", 2)[2].rsplit("→", 1)[0]


def _happened(result):
    if result["status"] in LOST:
        return result["status"]
    return str(result.get("observed", result.get("got", "")))[:40]


def carry(entries, folder):
    """Copies the verdicts in a folder's spec files to newly read entries, rule by rule, and also
    the calls if the signature is unchanged: calls may be hand-written, and answers of real
    MindSpore refer to them.
    """
    if not any(Path(folder).glob("*.yaml")):
        return
    stored = specs.load(folder)
    for name, entry in entries.items():
        given = [item for item in stored.get(name, {}).get("raises", ()) if "verdict" in item]
        for item in entry.get("raises", ()):
            for other in given:
                if {**other, "verdict": 0, "reason": 0} == {**item, "verdict": 0, "reason": 0}:
                    item.update({key: other[key] for key in ("verdict", "reason") if key in other})
        seen = [item for item in given if item["verdict"] == "observed only"]
        if seen:
            entry.setdefault("raises", []).extend(seen)
        if "apart" in stored.get(name, {}):
            entry["apart"] = stored[name]["apart"]
        if "use" in stored.get(name, {}) and stored[name].get("signature") == entry.get(
            "signature"
        ):
            entry["use"] = stored[name]["use"]


def disagreements(pages):
    """Returns differences between pages about one name: [(name, what, {source: statement})]."""
    from ..sentences.phrases import read_sentence

    by_name, differences = {}, []
    for page in pages:
        by_name.setdefault(page.name, []).append(page)
    for name, several in by_name.items():
        if len(several) < 2:
            continue
        errors = {}
        for page in several:
            for sentence in page.raises:
                for rule in (
                    read_sentence(sentence.error, sentence.text, specs.names_of(page)) or ()
                ):
                    for clause in rule.clauses:
                        for subject in clause.subjects:
                            errors.setdefault((str(subject), clause.right()), {}).setdefault(
                                page.source, set()
                            ).add(rule.error)
        for (subject, right), sources in errors.items():
            if len(sources) > 1 and len({frozenset(e) for e in sources.values()}) > 1:
                differences.append(
                    (
                        name,
                        f"{subject}: {right}",
                        {s: ", ".join(sorted(e)) for s, e in sources.items()},
                    )
                )
        differences += _signatures_differ(name, several)
    return differences


def _signatures_differ(name, several):
    shown = {
        page.source: ", ".join(specs.argument_texts(page.signature))
        for page in several
        if page.signature is not None
    }
    plain = {_without_bodies(text) for text in shown.values()}
    return [(name, "signature", shown)] if len(plain) > 1 else []


def _without_bodies(text):
    import re

    return re.sub(r"lambda x: [^,]*(?:, |$)", "lambda, ", text).replace(" ", "")
