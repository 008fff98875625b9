"""Results as a table for the terminal, JSON, JUnit, and (through `html.py`) one page to look at.

A record is a case together with its judged result: {"id", "name", "area", "kind", "platforms",
"status", "expected", "got", "call"}.
"""

import json
import time
from collections import Counter
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from . import usage
from .errors import BadInput, text_of

BAD = ("fail", "crash", "hang")
ABSENT = ("absent", "skip")  # of a name that is not there; not asked
STATUSES = ("pass", "fail", "crash", "hang") + ABSENT


def record(case, result, verdict=None):
    """The record of a case and its result."""
    made = {key: case[key] for key in ("id", "name", "area", "kind", "platforms")}
    made.update(status=result["status"], seconds=result.get("seconds", 0))
    if case["kind"] == "example":
        made["call"] = f"the example at {case.get('where', '')}, line {result.get('line', '?')}"
        made["layout"] = result.get("layout")
    else:
        made["call"] = call_text(case)
    for key in ("expected", "got", "difference", "blocked"):
        if result.get(key):
            made[key] = str(result[key])[:1500]
    if case.get("rule"):
        made["rule"] = case["rule"]
    if verdict:
        made["verdict"] = verdict
    return made


def call_text(case):
    """The call of a case as one would write it; the object of a class is called by position."""
    init, call = case.get("init"), case.get("call") or {}
    if case["kind"] in ("exists", "signature"):
        return case["name"]
    if case.get("owner"):
        return f"{case['owner']}.{case['name'].rsplit('.', 1)[-1]}({_named(call)})"
    if init is None:
        return f"{case['name']}({_named(call)})"
    made = f"{case['name']}({_named(init)})"
    return made if case.get("call") is None else f"{made}({', '.join(call.values())})"


def _named(given):
    return ", ".join(v if k.startswith("*") else f"{k}={v}" for k, v in given.items())


def summary(records, about):
    """Counts by area and kind, examples, layout and usage, with what the run was about."""
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
        "names_whole": sum(not any(s in BAD for s in held) for held in names.values()),
        "layout": [sum(bool(r.get("layout")) for r in shown), len(shown)],
        "blocked": _blocked(records),
        "usage": usage.coverage(records),
    }


def _blocked(records):
    """{missing name: how many cases of other names fail for it}, the most first."""
    held = [r["blocked"] for r in records if r.get("blocked") and r["status"] in BAD]
    return dict(Counter(held).most_common())


def table(summed):
    """The terminal table."""
    columns = (
        ("pass", 8),
        ("fail", 8),
        ("crash", 7),
        ("hang", 6),
        ("absent", 8),
        ("skip", 7),
        ("kept", 8),
    )
    head = f"{'area':34}" + "".join(f"{word:>{width}}" for word, width in columns)
    lines = [
        f"{summed['about'].get('target')} {summed['about'].get('release', '')}: "
        f"{summed['cases']} cases of {summed['names']} names",
        "",
        head,
        "-" * len(head),
    ]
    for group in ("areas", "kinds"):
        for key, row in summed[group].items():
            asked = sum(row[s] for s in STATUSES if s not in ABSENT)
            share = f"{100 * row['pass'] / asked:7.1f}%" if asked else "       -"
            lines.append(
                f"{key[:33]:34}{row['pass']:8}{row['fail']:8}{row['crash']:7}{row['hang']:6}{row['absent']:8}{row['skip']:7}{share}"
            )
        lines.append("-" * len(head))
    lines.append(f"names without a failing case: {summed['names_whole']} of {summed['names']}")
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
            f"of {used['projects']} real projects, {used['present']} find every name they use "
            f"and {used['passing']} no failing case of it"
        )
    for name, what, said in summed["about"].get("disagreements", ()):
        lines.append(
            f"pages disagree: {name} {what} - "
            + "; ".join(f"{Path(s).name}: {e}" for s, e in said.items())
        )
    return "\n".join(lines)


def junit(records, about):
    """The records as a JUnit file's text."""
    bad = sum(r["status"] in ("fail",) for r in records)
    broken = sum(r["status"] in ("crash", "hang") for r in records)
    skipped = sum(r["status"] in ABSENT for r in records)
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
        told = escape(
            _xml(
                f"call: {item['call']}\nexpected: {item.get('expected', '')}\ngot: "
                f"{item.get('got', '')}"
            )
        )
        tag = {
            "fail": "failure",
            "crash": "error",
            "hang": "error",
            "skip": "skipped",
            "absent": "skipped",
        }.get(item["status"])
        if tag:
            rows.append(f"<{tag} message={quoteattr(_xml(item.get('got', '')))}>{told}</{tag}>")
        rows.append("</testcase>")
    return "\n".join(rows) + "\n</testsuite>\n"


def _xml(text):
    return "".join(c if c >= " " or c in "\n\t" else "?" for c in text)


def save(path, records, about):
    """Write the results file that `report` reads."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    about = dict(about, when=time.strftime("%Y-%m-%d %H:%M"))
    Path(path).write_text(
        json.dumps({"about": about, "records": records}, ensure_ascii=False), encoding="utf-8"
    )


def load(path):
    """(records, about) of a results file; BadInput where it is none."""
    try:
        held = json.loads(text_of(path))
        return held["records"], held["about"]
    except FileNotFoundError:
        raise BadInput(
            path, "no such results file: run `python -m conformance run` first"
        ) from None
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise BadInput(
            path, f"is no results file: {error}", getattr(error, "lineno", None)
        ) from None
