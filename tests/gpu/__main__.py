"""Runs all checks that need a GPU, in one command.

    python -m tests.gpu                      # on the GPU of this machine
    python -m tests.gpu --stand-in           # on the stand-in for CuPy; no timings
    python -m tests.gpu --only libraries counts

writes `gpu.json` and `gpu.txt` to the folder named by --output (default: gpu_report). The exit
status is 1 if anything failed. docs/gpu.rst describes the parts.
"""

import argparse
import json
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from tests.gpu import libraries, measured, suites, summary  # noqa: E402

PARTS = {
    "libraries": lambda asked: libraries.found(asked.stand_in),
    "kernels": lambda asked: suites.run({"kernels": suites.KERNELS}, asked),
    "suites": lambda asked: suites.run(suites.SUITES, asked),
    "main job": lambda asked: suites.main_job(asked),
    "counts": lambda asked: measured.counts(),
    "memory": lambda asked: measured.peaks(),
    "times": lambda asked: measured.times(asked.stand_in),
}


def main(arguments=None):
    """Runs the parts asked for and writes both reports; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.gpu", description=__doc__.split("\n")[0])
    parser.add_argument("--stand-in", action="store_true", help="use the stand-in for CuPy")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--select", default="", help="an expression for pytest's -k")
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path("gpu_report"))
    asked = parser.parse_args(arguments)
    report = {"device": libraries.device(asked.stand_in)}
    if report["device"] is None:
        print("No GPU answers, or CuPy is not installed. --stand-in runs what needs neither.")
        return 1
    for name in asked.only:
        print(f"{name} ...", flush=True)
        report[name] = PARTS[name](asked)
        write(asked.output, report)
    text = summary.text(report)
    print(text)
    return int(bool(summary.failures(report)))


def write(folder, report):
    """Writes both reports; a part that is interrupted leaves those of the parts before."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in (
        ("gpu.json", json.dumps(report, indent=1) + "\n"),
        ("gpu.txt", summary.text(report)),
    ):
        whole = folder / f"{name}.new"
        whole.write_text(text, encoding="utf-8")
        os.replace(whole, folder / name)


if __name__ == "__main__":
    sys.exit(main())
