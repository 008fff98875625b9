"""The findings as a table on the terminal, as JSON and as an HTML page."""

import html
import json

from .._core.html import table
from .._io.files import atomic_write
from .findings import KINDS, MISSING

HEAD = ("name", "place", "remark")
_STYLE = """body { font: 15px sans-serif } td, th { text-align: left; padding: .2em 1em;
vertical-align: top } tr:nth-child(even) { background: #f3f3f3 } td { font-family: monospace }"""


class Report:
    """The findings of one run.

    Args:
        findings (list[Finding]): all findings.
        files (int): how many files were read.
        unread (dict[str, str]): the files that could not be read, and why.
        release (str): the release that the files were written for, or None.
        is_least (bool): whether they may be written for a later release, too.
    """

    def __init__(self, findings, files, unread, release, is_least=False):
        self.findings, self.files, self.unread = findings, files, unread
        self.release, self.is_least = release, is_least

    @property
    def fails(self):
        """Whether a name is missing that the project needs."""
        return any(finding.kind == MISSING and not finding.optional for finding in self.findings)

    def summary(self):
        """Returns the last line: how much was read and found."""
        counts = {kind: set() for kind in KINDS}
        for finding in self.findings:
            counts[finding.kind].add(finding.name)
        words = ", ".join(f"{kind}: {len(names)}" for kind, names in counts.items())
        unread = f"; {len(self.unread)} could not be read" if self.unread else ""
        release = ""
        if self.release:
            later = " or later; --release tells what changed since it" if self.is_least else ""
            release = f" Written for release {self.release}{later}."
        noun = "file" if self.files == 1 else "files"
        return f"{self.files} {noun}{unread}.{release} Names {words}."

    def sections(self):
        """Yields each kind with its rows: a name, its first place with the number of further ones,
        and the remark."""
        for kind in KINDS:
            places = {}
            for finding in self.findings:
                if finding.kind == kind:
                    remark = f"{finding.detail} (optional)" if finding.optional else finding.detail
                    places.setdefault((finding.name, remark), []).append(
                        f"{finding.file}:{finding.line}"
                    )
            if places:
                yield (
                    kind,
                    [(name, _place(place), remark) for (name, remark), place in places.items()],
                )

    def text(self):
        """Returns the table for the terminal."""
        lines = []
        for kind, rows in self.sections():
            widths = [max(len(row[i]) for row in [HEAD, *rows]) for i in range(2)]
            lines.append(kind)
            for row in [HEAD, *rows]:
                name, place, remark = row
                lines.append(f"  {name:{widths[0]}}  {place:{widths[1]}}  {remark}".rstrip())
            lines.append("")
        lines += [f"{file}: {why}" for file, why in self.unread.items()]
        return "\n".join([*lines, self.summary()])

    def json(self):
        """Returns all findings, each with its place."""
        document = {
            "files": self.files,
            "release": self.release,
            "unread": self.unread,
            "findings": [finding._asdict() for finding in self.findings],
        }
        return json.dumps(document, indent=1)

    def html(self):
        """Returns a page with the tables."""
        parts = [
            f"<h2>{html.escape(kind)}</h2>{table(rows, HEAD)}" for kind, rows in self.sections()
        ]
        return (
            "<!DOCTYPE html><meta charset=utf-8><title>mindspore_compat --check</title>"
            f"<style>{_STYLE}</style><h1>mindspore_compat --check</h1>"
            f"<p>{html.escape(self.summary())}</p>{''.join(parts)}"
        )


def _place(places):
    return places[0] if len(places) == 1 else f"{places[0]} and {len(places) - 1} more"


def write(path, text):
    """Writes a text file. After an error the old file, if any, is unchanged."""
    with atomic_write(path) as file:
        file.write(text.encode("utf-8", "backslashreplace"))
