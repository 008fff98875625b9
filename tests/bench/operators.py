"""Compares single operators with PyTorch's: `python -m tests.bench operators --torch PYTHON`.

Every operator of `operator_table` runs forward, and forward and backward, on inputs of 4 KB and of
4 MB, eagerly, by default on one thread: threads that wait for each other take processor time, too.
The libraries take turns. The table is sorted by the ratio of processor times; `--output` names a
file for it.
"""

import argparse
import csv
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

from operator_table import lines

HERE = Path(__file__).resolve().parent
SIZES = {"4 KB": 1 << 10, "4 MB": 1 << 20}
HEAD = ["operator", "size", "pass", "here, ms", "PyTorch, ms", "ratio"]


class Library:
    """A process of `operator_worker.py`."""

    def __init__(self, python, name, threads=None):
        environment = dict(os.environ)
        if threads:
            environment["OMP_NUM_THREADS"] = str(threads)
        if name == "mindspore_compat":
            paths = [str(HERE.parent.parent), environment.get("PYTHONPATH", "")]
            environment["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
        self.process = subprocess.Popen(
            [python, str(HERE / "operator_worker.py"), name],
            text=True,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._line("READY")

    def _line(self, head):
        for line in self.process.stdout:
            if line.startswith(head):
                return line[len(head) :]
        raise RuntimeError(f"The process ended: {self.process.args}")

    def ask(self, **request):
        """Returns the answer to a request."""
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return json.loads(self._line("ANSWER"))


def compare(libraries, name, size, backward, options):
    """Returns the milliseconds of both libraries; None if one fails."""
    times = [[], []]
    for _ in range(options.rounds):
        for found, library in zip(times, libraries):
            answer = library.ask(name=name, size=size, backward=backward, seconds=options.seconds)
            if "error" in answer:
                print(f"{name}: {answer['error']}", flush=True)
                return None
            found.append(answer["ms"])
    return [statistics.median(each) for each in times]


def main(arguments):
    parser = argparse.ArgumentParser(prog="python -m tests.bench operators", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--torch", "--against", metavar="PYTHON", required=True)
    parser.add_argument("--only", default="", metavar="TEXT", help="operators whose line has it")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0.02, help="of a turn (0.02)")
    parser.add_argument("--output", type=Path, metavar="FILE", help="a CSV file")
    options = parser.parse_args(arguments)
    pythons = {"mindspore_compat": sys.executable, "torch": options.torch}
    libraries = [Library(python, name, options.threads) for name, python in pythons.items()]
    rows = []
    for name, *_ in lines():
        if options.only in name:
            for label, size in SIZES.items():
                for backward in (False, True):
                    if times := compare(libraries, name, size, backward, options):
                        ratio = times[0] / times[1]
                        which = "both" if backward else "forward"
                        numbers = [f"{each:.4g}" for each in times]
                        rows.append([name, label, which, *numbers, f"{ratio:.2f}"])
    rows.sort(key=lambda row: -float(row[-1]))
    for row in [HEAD, *rows]:
        print(f"{row[0]:60}" + "".join(f"{cell:>13}" for cell in row[1:]))
    ratios = [float(row[-1]) for row in rows]
    print(f"median {statistics.median(ratios):.2f}, {sum(r > 1.3 for r in ratios)} above 1.3")
    if options.output:
        temporary = options.output.with_suffix(".part")
        with open(temporary, "w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows([HEAD, *rows])
        temporary.replace(options.output)
