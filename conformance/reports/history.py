"""Compares runs: what a change has fixed and broken, and several targets in one table."""

from .report import BAD, heading, share_text, total

_SHOWN = 20  # ids of each kind of change


def changes(old, new):
    """Returns {"fixed", "broken", "new", "gone"}: ids of cases whose status changed between two
    runs.

    New cases are failing ones that were not run before; gone cases are not run any more.
    """
    before = {record["id"]: record["status"] in BAD for record in old}
    after = {record["id"]: record["status"] in BAD for record in new}
    return {
        "fixed": [key for key, bad in after.items() if not bad and before.get(key)],
        "broken": [key for key, bad in after.items() if bad and before.get(key) is False],
        "new": [key for key, bad in after.items() if bad and key not in before],
        "gone": [key for key in before if key not in after],
    }


def changes_text(changes):
    """Returns the counts as a line, and the first ids of fixed, broken and new cases."""
    lines = [", ".join(f"{len(ids)} {what}" for what, ids in changes.items())]
    for what in ("broken", "new", "fixed"):
        lines += [f"{what}: {key}" for key in changes[what][:_SHOWN]]
        if len(changes[what]) > _SHOWN:
            lines.append(f"{what}: {len(changes[what]) - _SHOWN} more")
    return "\n".join(lines)


def side_by_side(summaries):
    """Returns a table of the shares of passing cases by area and kind, with one column per run."""
    lines = [f"({number}) {', '.join(heading(summed))}" for number, summed in _numbered(summaries)]
    head = f"{'area':34}" + "".join(f"{f'({n})':>10}" for n, _ in _numbered(summaries))
    lines += ["", head, "-" * len(head)]
    for group in ("areas", "kinds"):
        for key in dict.fromkeys(key for summed in summaries for key in summed[group]):
            rows = (summed[group].get(key) for summed in summaries)
            cells = "".join(f"{share_text(row) if row else '':>10}" for row in rows)
            lines.append(f"{key[:33]:34}{cells}")
        lines.append("-" * len(head))
    lines.append(f"{'all':34}" + "".join(f"{share_text(total(s)):>10}" for s in summaries))
    whole = (f"{s['names_whole']}/{s['names']}" for s in summaries)
    lines.append(f"{'names without a failing case':34}" + "".join(f"{text:>10}" for text in whole))
    return "\n".join(lines)


def _numbered(summaries):
    return enumerate(summaries, 1)
