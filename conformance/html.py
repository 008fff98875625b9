"""The report as one HTML page: no network, drawings inline, dark and light, search and filters.

The page holds its data as JSON and builds its rows when asked, so that twenty thousand cases stay
quick to look through.
"""

import json
from html import escape
from pathlib import Path

from .report import BAD

TEMPLATE = Path(__file__).parent / "data" / "report.html"
COLOURS = {
    "pass": "var(--good)",
    "fail": "var(--bad)",
    "crash": "var(--worse)",
    "hang": "var(--slow)",
    "absent": "var(--none)",
    "skip": "var(--paper)",
}


def page(records, summed):
    """The page's text."""
    names = {}
    for item in records:
        row = names.setdefault(
            item["name"], {"n": item["name"], "a": item["area"], "p": item["platforms"], "c": {}}
        )
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
        "WHEN": escape(about.get("when", "")),
        "RING": ring(summed),
        "BARS": bars(summed),
        "FACTS": facts(summed),
        "MISSING": missing(summed),
        "DATA": json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/"),
    }
    for key, value in parts.items():
        text = text.replace(f"@{key}@", value)
    return text


def _total(summed):
    total = {}
    for row in summed["kinds"].values():
        for status, number in row.items():
            total[status] = total.get(status, 0) + number
    return total


def ring(summed):
    """A ring of all statuses with the share kept in its middle."""
    total = _total(summed)
    asked = sum(n for s, n in total.items() if s in ("pass", "fail", "crash", "hang")) or 1
    round_length, at, parts = 2 * 3.14159265 * 52, 0.0, []
    for status in ("pass", "fail", "crash", "hang"):
        length = round_length * total.get(status, 0) / asked
        if length:
            parts.append(
                f'<circle r="52" cx="70" cy="70" fill="none" stroke="{COLOURS[status]}" '
                f'stroke-width="20" stroke-dasharray="{length:.2f} {round_length - length:.2f}" '
                f'stroke-dashoffset="{-at:.2f}" transform="rotate(-90 70 70)"><title>{status}: '
                f"{total[status]}</title></circle>"
            )
        at += length
    share = 100 * total.get("pass", 0) / asked
    return (
        f'<svg viewBox="0 0 140 140" role="img" aria-label="{share:.1f} percent of the cases '
        f'pass">{"".join(parts)}'
        f'<text x="70" y="70" text-anchor="middle" class="big">{share:.1f}%</text><text x="70" '
        f'y="88" text-anchor="middle" class="small">of {asked} cases</text></svg>'
    )


def bars(summed):
    """One bar per area, as wide as its cases, in the order of their number."""
    rows = sorted(summed["areas"].items(), key=lambda item: -sum(item[1].values()))[:24]
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
    """The lines beside the ring."""
    lines = [f"<b>{summed['names_whole']}</b> of {summed['names']} names have no failing case"]
    for kind, row in summed["kinds"].items():
        asked = sum(row[s] for s in ("pass", "fail", "crash", "hang"))
        lines.append(
            f"{kind}: <b>{row['pass']}</b> of {asked}"
            + (f", {row['absent']} of absent names" if row["absent"] else "")
            + (f", {row['skip']} not asked" if row["skip"] else "")
        )
    if summed["layout"][1]:
        lines.append(
            f"examples that print the documented layout to the character: "
            f"<b>{summed['layout'][0]}</b> of {summed['layout'][1]}"
        )
    used = summed["usage"]
    if used:
        lines.append(
            f"real projects that find every name they use: <b>{used['present']}</b> of "
            f"{used['projects']}; without a failing case: <b>{used['passing']}</b>"
        )
    for name, what, said in summed["about"].get("disagreements", ()):
        lines.append(
            f"pages disagree on {escape(name)} <code>{escape(what)}</code>: "
            + "; ".join(f"{escape(Path(s).name)} says {escape(e)}" for s, e in said.items())
        )
    return "".join(f"<li>{line}</li>" for line in lines)


def missing(summed):
    """Names that stop most projects."""
    used = summed["usage"]
    if not used or not used["missing"]:
        return ""
    rows = "".join(
        f"<li><code>{escape(name)}</code> <small>{count} projects</small></li>"
        for name, count in used["missing"][:24]
    )
    title = "<h2>Missing names, by the projects they stop</h2>"
    return f"<section class='card'>{title}<ol class='columns'>{rows}</ol></section>"
