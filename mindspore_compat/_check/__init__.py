"""`python -m mindspore_compat --check PATH...`: reads a project and says what it needs here.

`reading.py` finds the names of `mindspore` that a file uses, `names.py` looks them up,
`releases.py` guesses the release that they were written for, `findings.py` says what is missing,
changed, needs an extra or has no effect, `report.py` shows it. The project's code is never
imported.
"""

import argparse
import gc
import importlib
import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from .._paths import PACKAGE
from .._version import RELEASES
from ..log import print_escaped

PROGRAM = f"python -m {PACKAGE} --check"
MANY = 200  # files from which on several processes read them
_CHUNK = 50


def main(arguments):
    """Runs the command; returns 1 if a name is missing, else 0. Wrong use ends with status 2."""
    from . import findings, releases, report

    parser = _parser()
    options = parser.parse_args(arguments)
    absent = [path for path in options.paths if not os.path.exists(path)]
    if absent:
        parser.error(f"there is no file or folder {absent[0]!r}")
    uses, assigned, unread = read_all(sources(options.paths))
    distinct = findings.distinct(uses)
    release = options.release or releases.guess(distinct)
    # Without a name of older releases, the guess is the earliest release: whether a meaning has
    # changed since the release of the project is then unknown, and no change is listed.
    is_least = not options.release and not releases.uses_older_names(distinct)
    remarks = findings.find(uses, assigned, None if is_least else release)
    result = report.Report(remarks, len(uses), unread, release, is_least)
    if options.html:
        report.write(options.html, result.html())
    print_escaped(result.json() if options.json else result.text())
    return int(result.fails)


def _parser():
    parser = argparse.ArgumentParser(
        PROGRAM, description="Says what a project needs to run on this package. Runs none of it."
    )
    parser.add_argument("paths", nargs="+", metavar="PATH", help="a file, or a folder of them")
    parser.add_argument(
        "--release",
        choices=RELEASES,
        default=os.environ.get("MINDSPORE_COMPAT_RELEASE") or None,
        help="the release that the project was written for; by default that of "
        "MINDSPORE_COMPAT_RELEASE, or guessed from its names",
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--html", metavar="FILE", help="also write a page")
    return parser


def sources(paths):
    """Returns the Python files at the paths and in the folders below them."""
    files = []
    for path in paths:
        if not os.path.isdir(path):
            files.append(path)
            continue
        for folder, folders, names in os.walk(path):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            files += [os.path.join(folder, name) for name in sorted(names) if name.endswith(".py")]
    return files


def read_all(files):
    """Returns the Uses by file, the assigned paths, and the files that could not be read with the
    reason. Several processes read many files while this one imports the package."""
    chunks = [files[i : i + _CHUNK] for i in range(0, len(files), _CHUNK)]
    if len(files) < MANY or "fork" not in multiprocessing.get_all_start_methods():
        parts = map(_read_files, chunks)
    else:
        with ProcessPoolExecutor(mp_context=multiprocessing.get_context("fork")) as pool:
            parts = pool.map(_read_files, chunks)
            for area in ("ops", "nn", "train", "dataset"):
                importlib.import_module(f"{PACKAGE}.{area}")
            parts = list(parts)
    uses, assigned, unread = {}, set(), {}
    for part in parts:
        uses.update(part[0])
        assigned |= part[1]
        unread.update(part[2])
    return uses, assigned, unread


def _read_files(files):
    from . import reading

    uses, assigned, unread = {}, set(), {}
    was_enabled = gc.isenabled()
    gc.disable()  # a syntax tree has no garbage
    try:
        for file in files:
            try:
                text = Path(file).read_bytes()
                uses[file], changed = reading.read(text) if b"mindspore" in text else ([], ())
                assigned.update(changed)
            except (OSError, SyntaxError, ValueError, RecursionError) as error:
                unread[file] = f"{type(error).__name__}: {error}"
    finally:
        if was_enabled:
            gc.enable()
    return uses, assigned, unread
