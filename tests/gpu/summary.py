"""The report as text: the libraries, then failures, counts and timings."""

TESTS = ("short", "kernels", "suites")  # the parts that run pytest


def failures(report):
    """Returns the failures as lines, one for each kind of failure of each suite."""
    found = []
    for part in TESTS:
        for name, suite in report.get(part, {}).items():
            found += [
                f"{name}: {kind} ({one['count']} times), first in {one['first']}"
                for kind, one in suite["kinds"].items()
            ]
    job = report.get("main job")
    if job is not None and job["ended"] != "status 0":
        found.append(f"main job: {job['ended']}")
    return found


def text(report):
    """Returns the report, readable."""
    lines = [f"{key}: {value}" for key, value in report["device"].items()]
    if "libraries" in report:
        lines += ["", "Libraries"]
        lines += [
            f"  {name:8} {one.get('version') or 'missing: ' + one['missing']}"
            for name, one in report["libraries"].items()
        ]
    for part in TESTS:
        lines += ["", part.capitalize()] if part in report else []
        for name, one in report.get(part, {}).items():
            lines.append(
                f"  {name:12} {one['passed']} passed, {one['failed']} failed, "
                f"{one['skipped']} skipped"
            )
    if "main job" in report:
        lines += ["", "Main job", f"  {report['main job']['accuracy']}"]
    lines += _counted(report)
    if "memory" in report:
        lines += [
            "",
            "Peak memory of a training step for one image, besides weights and states",
            *(f"  {name:22} {size / 2**20:8.1f} MiB" for name, size in report["memory"].items()),
        ]
    lines += _timed(report)
    wrong = failures(report)
    lines += (
        ["", "First failure of each kind", *(f"  {line}" for line in wrong)]
        if wrong
        else ["", "Nothing failed."]
    )
    return "\n".join(lines) + "\n"


def _counted(report):
    if "counts" not in report:
        return []
    lines = [
        "",
        f"One training step, counted on {report['counts']['device']}",
        f"  {'network':18} {'layers':>6} {'forward':>8} {'backward':>8} {'update':>6} "
        f"{'launches':>8} {'transfers':>9} {'waits':>5} {'captured':>8}   "
        "(forward, backward: for each layer; captured: launches of a captured step)",
    ]
    for name, one in report["counts"]["networks"].items():
        step = one["step"]
        lines.append(
            f"  {name:18} {one['layers']:6} {one['forward launches of a layer']:8.2f} "
            f"{one['backward launches of a layer']:8.2f} {one['update']['launches']:6} "
            f"{step['launches']:8} {step['transfers']:9} {step['synchronisations']:5} "
            f"{one['captured']['launches']:8}"
        )
    return lines


def _timed(report):
    if not report.get("times"):
        return []
    return [
        "",
        "Milliseconds of one training step",
        *(
            f"  {name:18} GPU {one['GPU']:10.3f}   CPU {one['CPU']:10.3f}"
            for name, one in report["times"].items()
        ),
    ]
