"""The parts of the report on a GPU, and their two files.

Writes `gpu.json` and `gpu.txt` to the folder named by --output (default: gpu_report). The status is
1 if anything failed. docs/gpu.rst describes the parts.
"""

import argparse
import json
import os
import pathlib

from . import libraries, measured, suites, summary

PARTS = {
    "libraries": lambda options: libraries.versions(options.stand_in),
    "short": lambda options: suites.run({"short": suites.SHORT}, options),
    "kernels": lambda options: suites.run({"kernels": suites.KERNELS}, options),
    "suites": lambda options: suites.run(suites.SUITES, options),
    "main job": lambda options: suites.main_job(options),
    "counts": lambda options: measured.counts(options.stand_in),
    "memory": lambda options: measured.peaks(),
    "times": lambda options: measured.times(options.stand_in),
}


def main(arguments):
    """Runs the parts asked for and writes both files; returns the exit status."""
    options = parser().parse_args(arguments)
    try:
        report = {"device": libraries.device(options.stand_in)}
    except libraries.NoDevice as reason:
        print(f"{reason}\n--on-host runs CuPy without a GPU, --stand-in without CuPy.")
        return 1
    for name in options.only:
        print(f"{name} ...", flush=True)
        report[name] = PARTS[name](options)
        write(options.output, report)
    print(summary.text(report))
    return int(bool(summary.failures(report)))


def parser():
    """Returns the parser of the command's arguments."""
    made = argparse.ArgumentParser(
        prog="python -m tests.gpu", description="Checks everything that a GPU is needed for."
    )
    device = made.add_mutually_exclusive_group()
    device.add_argument("--on-host", action="store_true", help="run CuPy without a GPU")
    device.add_argument("--stand-in", action="store_true", help="use the stand-in for CuPy")
    made.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    made.add_argument("--select", default="", help="an expression for pytest's -k")
    made.add_argument("--jobs", type=int, default=1, help="processes that run tests")
    made.add_argument("--output", type=pathlib.Path, default=pathlib.Path("gpu_report"))
    return made


def write(folder, report):
    """Writes both files, again after each part, so an interrupt keeps the results of the earlier
    parts."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in (
        ("gpu.json", json.dumps(report, indent=1) + "\n"),
        ("gpu.txt", summary.text(report)),
    ):
        whole = folder / f"{name}.new"
        whole.write_text(text, encoding="utf-8")
        os.replace(whole, folder / name)
