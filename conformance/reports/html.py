"""The report as one HTML page with inline drawings, dark and light mode, search and filters. It
works offline.

The page contains its data as JSON and builds rows on demand, so that twenty thousand cases stay
fast to browse.
"""

import json
from html import escape
from pathlib import Path

from . import links
from .report import ABSENT, BAD, heading, practice, share, total

TEMPLATE = Path(__file__).parents[1] / "data" / "report.html"
COLOURS = {
    "pass": "var(--good)",
    "fail": "var(--bad)",
    "crash": "var(--worse)",
    "hang": "var(--slow)",
    "killed": "var(--slow)",
    "xfail": "var(--none)",
    "xpass": "var(--good)",
    "absent": "var(--none)",
    "skip": "var(--paper)",
    "no kernel": "var(--paper)",
}


def page(records, summed):
    """Returns the text of the page."""
    names = {}
    for item in records:
        row = names.setdefault(
            item["name"], {"n": item["name"], "a": item["area"], "p": item["platforms"], "c": {}}
        )
        if not item.get("undocumented"):
            row["u"] = links.address(item["name"])
        row["c"][item["status"]] = row["c"].get(item["status"], 0) + 1
    failing = [
        [
            r["id"],
            r["name"],
            r["area"],
            r["kind"],
            r["status"],
            r["call"],
            r.get("expected", ""),
            r.get("got", ""),
            r.get("rule", ""),
            r.get("verdict", ""),
            r["platforms"],
        ]
        for r in records
        if r["status"] in BAD
    ]
    data = {"names": list(names.values()), "failing": failing}
    about = summed["about"]
    text = TEMPLATE.read_text(encoding="utf-8")
    parts = {
        "TITLE": escape(f"{about.get('target')} {about.get('release', '')}"),
        "WHERE": escape(heading(summed)[1]),
        "RING": ring(summed),
        "BARS": bars(summed),
        "FACTS": facts(summed) + covered(summed),
        "MISSING": missing(summed),
        "DATA": json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/"),
    }
    for key, value in parts.items():
        text = text.replace(f"@{key}@", value)
    return text


def ring(summed):
    """Returns a ring of all statuses, with the share of passing cases in the middle."""
    counts = total(summed)
    shown = [status for status in COLOURS if status not in ABSENT]
    judged = sum(counts[status] for status in shown) or 1
    round_length, at, parts = 2 * 3.14159265 * 52, 0.0, []
    for status in shown:
        length = round_length * counts[status] / judged
        if length:
            parts.append(
                f'<circle r="52" cx="70" cy="70" fill="none" stroke="{COLOURS[status]}" '
                f'stroke-width="20" stroke-dasharray="{length:.2f} {round_length - length:.2f}" '
                f'stroke-dashoffset="{-at:.2f}" transform="rotate(-90 70 70)"><title>{status}: '
                f"{counts[status]}</title></circle>"
            )
        at += length
    passed = share(counts) or 0.0
    return (
        f'<svg viewBox="0 0 140 140" role="img" aria-label="{passed:.1f} percent of the cases '
        f'pass">{"".join(parts)}'
        f'<text x="70" y="70" text-anchor="middle" class="big">{passed:.1f}%</text><text x="70" '
        f'y="88" text-anchor="middle" class="small">of {judged} cases</text></svg>'
    )


def bars(summed):
    """Returns one bar for each area, the lowest share first."""
    rows = sorted(summed["areas"].items(), key=lambda item: (share(item[1]) or 0.0, item[0]))
    drawn = []
    for area, row in rows:
        total = sum(row.values()) or 1
        x, parts = 0.0, []
        for status in COLOURS:
            width = 100 * row[status] / total
            if width:
                parts.append(
                    f'<rect x="{x:.2f}" y="0" width="{width:.2f}" height="10" '
                    f'fill="{COLOURS[status]}"><title>{status}: {row[status]}</title></rect>'
                )
            x += width
        drawn.append(
            f'<button class="bar" data-area="{escape(area)}"><span>{escape(area)}</span><svg '
            f'viewBox="0 0 100 10" preserveAspectRatio="none">{"".join(parts)}</svg>'
            f"<b>{row['pass']}</b><i>{sum(row[s] for s in BAD) or ''}</i></button>"
        )
    return "".join(drawn)


def facts(summed):
    """Returns the lines next to the ring."""
    lines = [escape(line) for line in practice(summed)]
    for kind, row in summed["kinds"].items():
        judged = sum(row[s] for s in COLOURS if s not in ABSENT)
        lines.append(
            f"{kind}: <b>{row['pass']}</b> of {judged}"
            + (f", {row['absent']} of absent names" if row["absent"] else "")
            + (f", {row['skip']} not run" if row["skip"] else "")
        )
    for name, what, errors in summed["about"].get("disagreements", ()):
        lines.append(
            f"pages disagree on {escape(name)} <code>{escape(what)}</code>: "
            + "; ".join(f"{escape(Path(s).name)} says {escape(e)}" for s, e in errors.items())
        )
    return "".join(f"<li>{line}</li>" for line in lines)


def covered(summed):
    """Returns the parts of the API by their share of compared answers, the lowest first."""
    lines = [
        f"{escape(group)}: compared answers of {row['names'][0]} of {row['names'][1]} names, "
        f"{row['arguments'][0]} of {row['arguments'][1]} arguments, "
        f"all documented values of {row['documented'][0]}, "
        f"{row['dtypes'][0]} of {row['dtypes'][1]} dtypes"
        for group, row in summed["about"].get("coverage", {}).items()
    ]
    return "".join(f"<li>{line}</li>" for line in lines)


def missing(summed):
    """Returns the missing names that affect most projects."""
    used = summed["usage"]
    if not used or not used["missing"]:
        return ""
    rows = "".join(
        f"<li><code>{escape(name)}</code> <small>{count} projects</small></li>"
        for name, count in used["missing"][:24]
    )
    title = "<h2>Missing names, by the projects they stop</h2>"
    return f"<section class='card'>{title}<ol class='columns'>{rows}</ol></section>"
