"""Sweeps the operators and layers: `python -m tests.edges [NAME...] [--ways WAY...]`.

NAME is a regular expression of public names ("mint.*", "ops.softmax"); without one, all are swept.
Each way is compared with "pynative"; `reference` needs the environment variable MINDSPORE_ORACLE,
which names an interpreter with real MindSpore. With `--keep FOLDER` the results stay there, and
ways whose results are there are only compared.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from . import calls, compare, worker

SECONDS = 60  # a worker that reports nothing for this long is ended


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.edges", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument(
        "--ways", nargs="+", choices=worker.WAYS[1:], default=list(worker.WAYS[1:5])
    )
    parser.add_argument("--keep", type=Path, help="the folder of the results")
    parser.add_argument("--all", action="store_true", help="show each difference, not one a name")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = options.keep or Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        cases = calls.cases(options.names)
        (folder / "cases.json").write_text(json.dumps(cases))
        found = {way: results(folder, way) for way in ("pynative", *options.ways)}
    differences = 0
    for way in options.ways:
        differences += compare.report(cases, found["pynative"], found[way], way, options.all)
    return 1 if differences else 0


def results(folder, way):
    """Returns {(number of the case, label): outcome} of one way."""
    path = folder / f"{way}.pickle"
    if not path.exists():
        unfinished = path.with_suffix(".part")
        unfinished.unlink(missing_ok=True)
        run(folder / "cases.json", unfinished, way)
        unfinished.rename(path)
    return dict(compare.load(path))


def run(cases, path, way):
    """Runs workers until all cases are done; records calls that end or block a worker."""
    python = os.environ["MINDSPORE_ORACLE"] if way == "reference" else sys.executable
    environment = {**os.environ, "GLOG_v": "4", "DNNL_MAX_CPU_ISA": "AVX2"}
    environment["MINDSPORE_COMPAT_COMPILE"] = "wait" if way == "loops" else "off"
    first, count = 0, len(json.loads(cases.read_text()))
    while True:
        command = [python, worker.__file__, str(cases), str(path), way, str(first)]
        with tempfile.TemporaryDirectory() as home:
            child = subprocess.Popen(
                command,
                env=environment,
                cwd=home,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
            )
            said = _watched(child, path)
        if child.returncode == 0:
            return
        number, labels = compare.last(path)
        if number is None:
            raise RuntimeError(f"The worker of '{way}' ended with {child.returncode}: {said}")
        compare.note(path, number, labels, f"the process ended with {child.returncode}")
        first = number + 1  # the remaining variants of this case are skipped
        if first >= count:
            return


def _watched(child, path):
    """Waits for a worker, and ends one that says nothing for too long."""
    size = -1
    while True:
        try:
            return child.communicate(timeout=SECONDS)[1].decode(errors="replace")[-500:]
        except subprocess.TimeoutExpired:
            now = path.stat().st_size if path.exists() else 0
            if now == size:
                child.kill()
            size = now


if __name__ == "__main__":
    sys.exit(main())
