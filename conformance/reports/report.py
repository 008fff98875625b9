"""Results as a table for the terminal, JSON, JUnit, a badge, and (through `html.py`) one page.

A record is a case together with its judged result: {"id", "name", "area", "kind", "platforms",
"status", "expected", "got", "call"}.
"""

import json
import time
from collections import Counter
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from ..errors import BadInput, text_of
from ..kinds.cases import LOST
from ..targets import DEFAULT
from . import coverage, links, usage

BAD = ("fail", *LOST)
NO_KERNEL = "no kernel"  # the call is valid, but the device has no kernel for it
RARE = ("killed", "xfail", "xpass", NO_KERNEL)  # columns that are shown only if they are not empty
ABSENT = ("absent", "skip", NO_KERNEL)  # the name is missing, the case was not run, or no kernel
FIRST = 20  # failures that a run prints
STATUSES = ("pass", *BAD, "xfail", "xpass", *ABSENT)


def record(case, result, verdict=None):
    """Returns the record of a case and its result."""
    row = {key: case[key] for key in ("id", "name", "area", "kind", "platforms")}
    row.update(status=result["status"], seconds=result.get("seconds", 0))
    if case["kind"] == "example":
        row["call"] = f"the example at {case.get('where', '')}, line {result.get('line', '?')}"
        row["layout"] = result.get("layout")
    else:
        row["call"] = call_text(case)
    for key in ("expected", "got", "difference", "blocked"):
        if result.get(key):
            row[key] = str(result[key])[:1500]
    if case.get("rule"):
        row["rule"] = case["rule"]
    if verdict:
        row["verdict"] = verdict
    if case.get("used"):
        row["undocumented"] = True
    if result.get("tries"):
        row["tries"] = result["tries"]
    return row


def call_text(case):
    """Returns the call of a case as Python text; the constructor's arguments are positional if none
    is omitted.
    """
    init, call = case.get("init"), case.get("call") or {}
    if case["kind"] in ("exists", "signature"):
        return case["name"]
    if case.get("owner"):
        return f"{case['owner']}.{case['name'].rsplit('.', 1)[-1]}({_named(call)})"
    if init is None:
        return f"{case['name']}({_named(call)})"
    text = f"{case['name']}({_named(init)})"
    if case.get("call") is None:
        return text
    return f"{text}({_named(call) if case.get('by_name') else ', '.join(call.values())})"


def _named(given):
    """Returns arguments by name; unnamed ones, and all before them, by position."""
    last = max((i for i, k in enumerate(given) if k.startswith("*")), default=-1)
    return ", ".join(v if i <= last else f"{k}={v}" for i, (k, v) in enumerate(given.items()))


def summary(records, about):
    """Returns counts by area and kind, examples, layout and usage, with information on the run."""
    areas, kinds = {}, {}
    names = {}
    for item in records:
        for table, key in ((areas, item["area"]), (kinds, item["kind"])):
            row = table.setdefault(key, dict.fromkeys(STATUSES, 0))
            row[item["status"]] += 1
        names.setdefault(item["name"], []).append(item["status"])
    shown = [r for r in records if r["kind"] == "example" and r["status"] == "pass"]
    return {
        "about": about,
        "areas": dict(sorted(areas.items())),
        "kinds": kinds,
        "cases": len(records),
        "names": len(names),
        "names_whole": sum(not any(s in BAD for s in statuses) for statuses in names.values()),
        "layout": [sum(bool(r.get("layout")) for r in shown), len(shown)],
        "blocked": _blocked(records),
        "usage": usage.coverage(records),
    }


def _blocked(records):
    """Returns {missing name: number of cases of other names that fail for it}, largest first."""
    causes = [r["blocked"] for r in records if r.get("blocked") and r["status"] in BAD]
    return dict(Counter(causes).most_common())


def table(summed):
    """Returns the table for the terminal."""
    shown = [s for s in STATUSES if s not in RARE or any(r[s] for r in summed["areas"].values())]
    head = f"{'area':34}" + "".join(f"{status:>10}" for status in shown) + f"{'kept':>8}"
    lines = [*heading(summed), "", head, "-" * len(head)]
    for group in ("areas", "kinds"):
        for key, row in summed[group].items():
            counts = "".join(f"{row[status]:10}" for status in shown)
            lines.append(f"{key[:33]:34}{counts}{share_text(row):>8}")
        lines.append("-" * len(head))
    lines += practice(summed)
    if summed["about"].get("coverage"):
        lines += ["", coverage.text(summed["about"]["coverage"])]
    lines += [
        f"pages disagree: {name} {what} - "
        + "; ".join(f"{Path(s).name}: {e}" for s, e in errors.items())
        for name, what, errors in summed["about"].get("disagreements", ())
    ]
    return "\n".join(lines)


def failures_text(records, summed, results):
    """Returns the first failures: a call to paste into Python, the expected and the actual outcome,
    the address of the page, and the next commands."""
    bad = [r for r in records if r["status"] in BAD]
    target, lines = summed["about"].get("target", DEFAULT), []
    for item in bad[:FIRST]:
        lines += [f"{item['id']}: {item.get('difference') or item['status']}"]
        if item["kind"] not in ("example", "exists", "signature"):
            lines.append("    >>> " + pasted(item["call"]))
        for key in ("expected", "got"):
            if item.get(key):
                lines.append(f"    {key}: {item[key][:300]}")
        page = None if item.get("undocumented") else links.address(item["name"])
        if page:
            lines.append(f"    page: {page}")
    if not bad:
        return ""
    command = f"mindspore-conformance run '{bad[0]['name']}' --target {target}"
    return "\n".join(
        [
            f"first {min(FIRST, len(bad))} of {len(bad)} failures; in Python they need:",
            f"    >>> {PREPARATION.format(target=target)}",
            *lines,
            f"next: {command} --results {results}\n",
        ]
    )


# What a pasted call needs: the names that argument texts use.
PREPARATION = (
    "from mindspore_conformance.paste import prepare; globals().update(prepare({target!r}))"
)


def pasted(call):
    """Returns a call in the form that Python evaluates after `prepare` has defined the names."""
    return call if call.startswith(("T(", "cast(", "ms.", "sample.")) else f"ms.{call}"


def heading(summed):
    """Returns two lines: the target, the facts, and the system."""
    about = summed["about"]
    where = [f"specs {about['specs']}"] if about.get("specs") else []
    where += [f"Python {about['python']}"] if about.get("python") else []
    where += [about[key] for key in ("system", "when") if about.get(key)]
    title = f"{about.get('target')} {about.get('release', '')}".strip()
    return [f"{title}: {summed['cases']} cases of {summed['names']} names", ", ".join(where)]


def practice(summed):
    """Returns the lines that interpret the counts: names, examples, missing names, real
    projects."""
    lines = [f"names without a failing case: {summed['names_whole']} of {summed['names']}"]
    if summed["layout"][1]:
        lines.append(
            f"examples that also print the documented layout: {summed['layout'][0]} of "
            f"{summed['layout'][1]} passing ones"
        )
    for name, count in summed["blocked"].items():
        lines.append(f"blocked by {name}, which is missing: {count} cases of other names")
    used = summed["usage"]
    if used:
        lines.append(
            f"of {used['projects']} real projects, {used['present']} find every name they use and "
            f"{used['passing']} no failing case of it; {used['ceiling']} use names of 2.10 alone "
            f"({used['apart']} used names, of other releases, are not in real MindSpore 2.10)"
        )
    return lines


def share(row):
    """Returns the percentage of passing cases among those run; None if none was run."""
    count = judged(row)
    return 100 * (row["pass"] + row["xpass"]) / count if count else None


def judged(row):
    """Returns the number of cases that were run, for existing names."""
    return sum(row[status] for status in STATUSES if status not in ABSENT)


def share_text(row):
    percent = share(row)
    return "-" if percent is None else f"{percent:.1f}%"


def total(summed):
    """Returns the counts of all cases by status."""
    rows = summed["kinds"].values()
    return {status: sum(row[status] for row in rows) for status in STATUSES}


def badge(summed):
    """Returns the share of passing cases as a badge: JSON for shields.io's endpoint."""
    row = total(summed)
    percent = share(row) or 0.0
    colours = ((99, "brightgreen"), (95, "green"), (80, "yellow"), (50, "orange"), (0, "red"))
    return json.dumps(
        {
            "schemaVersion": 1,
            "label": "MindSpore API",
            "message": f"{percent:.1f}% of {judged(row)} cases",
            "color": next(colour for least, colour in colours if percent >= least),
        }
    )


def junit(records, about):
    """Returns the records as the text of a JUnit file."""
    bad = sum(r["status"] == "fail" for r in records)
    broken = sum(r["status"] in LOST for r in records)
    skipped = sum(r["status"] in (*ABSENT, "xfail") for r in records)
    rows = [
        '<?xml version="1.0" encoding="utf-8"?>',
        f"<testsuite name={quoteattr('conformance ' + str(about.get('target')))} "
        f'tests="{len(records)}" '
        f'failures="{bad}" errors="{broken}" skipped="{skipped}" '
        f'time="{sum(r["seconds"] for r in records):.3f}">',
    ]
    for item in records:
        rows.append(
            f"<testcase classname={quoteattr(item['area'])} name={quoteattr(_xml(item['id']))} "
            f'time="{item["seconds"]}">'
        )
        details = escape(
            _xml(
                f"call: {item['call']}\nexpected: {item.get('expected', '')}\ngot: "
                f"{item.get('got', '')}"
            )
        )
        tag = {
            "fail": "failure",
            **dict.fromkeys(LOST, "error"),
            **dict.fromkeys((*ABSENT, "xfail"), "skipped"),
        }.get(item["status"])
        if tag:
            rows.append(f"<{tag} message={quoteattr(_xml(item.get('got', '')))}>{details}</{tag}>")
        rows.append("</testcase>")
    return "\n".join(rows) + "\n</testsuite>\n"


def _xml(text):
    return "".join(c if c >= " " or c in "\n\t" else "?" for c in text)


def save(path, records, about):
    """Write the results file that `report` reads."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    about = dict(about, when=time.strftime("%Y-%m-%d %H:%M"))
    text = json.dumps({"about": about, "records": records}, ensure_ascii=False)
    unfinished = path.with_name(path.name + ".part")
    unfinished.write_text(text, encoding="utf-8")
    unfinished.replace(path)


def load(path):
    """Returns (records, about) of a results file; raises BadInput for another file."""
    try:
        saved = json.loads(text_of(path))
        return saved["records"], saved["about"]
    except FileNotFoundError:
        raise BadInput(path, "no such results file: run `run` first") from None
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise BadInput(
            path, f"is no results file: {error}", getattr(error, "lineno", None)
        ) from None
