"""A Sphinx extension: the page "What changed when", from the table of changes."""

from pathlib import Path

import reference
import support

from mindspore_compat._releases.changes import CHANGES
from mindspore_compat._version import RELEASES

INTRO = f"""Some names mean something else in {RELEASES[-1]} than in the release that a script was
written for. `MINDSPORE_COMPAT_RELEASE=1.8`, or the option `--release 1.8` of `python -m
mindspore_compat`, gives all names on this page the meaning that they had in that release,
and makes `__version__` "1.8.0". Set the variable before the package is imported. Releases:
{", ".join(RELEASES)}.

A call that the earlier signature does not accept keeps today's meaning. Renamed keywords are
accepted in every release. `--check --release 1.8` lists the calls of a project whose meaning has
changed since that release.""".splitlines()


def setup(app):
    """Called by Sphinx."""
    app.connect("builder-inited", write_page)
    return {"parallel_read_safe": True}


def write_page(app):
    """Write `generated/releases.rst`."""
    folder = Path(app.srcdir) / "generated"
    folder.mkdir(exist_ok=True)
    reference.write_if_changed(folder / "releases.rst", page())


def page():
    """The page: a section for each release with changes, the newest first."""
    lines = [*support.title("What changed when"), *INTRO, ""]
    for release in reversed(RELEASES):
        changes = [each for each in CHANGES if each.release == release]
        if changes:
            rows = [(f"`{each.name} <{each.source}>`__", each.before, each.now) for each in changes]
            lines += support.title(f"Release {release}", "-")
            lines += [*support.table(("name", f"before {release}", f"from {release} on"), rows), ""]
    return "\n".join(lines)
