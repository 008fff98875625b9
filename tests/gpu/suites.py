"""Runs test suites with the GPU as the device target, and the main job on it.

Each suite has its own pytest process, so that a lost device in one does not affect the others. The
tests compare with the CPU at their own tolerances.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
from xml.etree import ElementTree

ROOT = pathlib.Path(__file__).parents[2]
LIMIT = 3600  # seconds that a suite may take
KERNELS = [
    "tests/_backend/bodies/test_nvrtc.py",
    "tests/_backend/conv/test_cuda_kernels.py",
    "tests/_backend/bodies/test_multi_tensor.py",
    "tests/_backend/bodies/test_gpu.py",
    "tests/_backend/updates/test_factored.py",
]
SHORT = [  # takes a few minutes with kernel compilation; CI runs this part
    "tests/gpu/test_products.py",
    "tests/gpu/test_kernels.py",
    "tests/gpu/test_networks.py",
    "tests/gpu/test_regressions.py",
]
SUITES = {
    "operators": ["tests/ops", "tests/mint"],
    "array functions": ["tests/numpy", "tests/scipy"],
    "core": ["tests/_core", "tests/common"],
    "layers": ["tests/nn"],
    "training": ["tests/train", "tests/experimental", "tests/boost"],
    "ranks": ["tests/communication", "tests/parallel"],
    "modules": ["tests/modules", "tests/rewrite", "tests/releases"],
    "backend": ["tests/_backend", "tests/cuda_on_host/checks"],
    "stand-in": ["tests/fakecupy/test_contract.py"],  # compares it with CuPy
}
OF_THE_HOST = {  # folders whose tests need no device, or choose one themselves
    *("_io", "check", "conformance", "cuda_on_host", "dataset", "fakecupy", "gpu", "libraries"),
    *("mindrecord", "reliability", "scripts"),
}


def run(suites, options):
    """Runs suites.

    Args:
        suites: name -> the paths of its tests.
        options: the arguments of the command: `stand_in`, `select` and `jobs`.

    Returns:
        dict: name -> how many tests passed, failed and were skipped, and the failures by kind, each
        with how often it occurred and its first test.
    """
    return {name: _pytest(paths, options) for name, paths in suites.items()}


def _pytest(paths, options):
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder, "report.xml")
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-m",
            "",
            "-p",
            "no:cacheprovider",
            f"--junitxml={report}",
            "--fakecupy" if options.stand_in else "--gpu",
            *paths,
        ]
        command += ["-k", options.select] if options.select else []
        command += ["-n", str(options.jobs)] if options.jobs > 1 else []
        done = _done(command)
        if not report.exists():
            return {
                "passed": 0,
                "failed": 1,
                "skipped": 0,
                "kinds": {"no report": {"count": 1, "first": done}},
            }
        return read(report.read_text(encoding="utf-8"))


def _done(command):
    """Runs a command; returns the end of its output, and the reason if it did not finish."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    try:
        done = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=LIMIT
        )
    except subprocess.TimeoutExpired:
        return f"ended after {LIMIT} seconds"
    return (done.stdout + done.stderr)[-3000:] + f"\nstatus {done.returncode}"


def read(xml):
    """Returns the results in a report of pytest in JUnit's format."""
    found = {"passed": 0, "failed": 0, "skipped": 0, "kinds": {}}
    for case in ElementTree.fromstring(xml).iter("testcase"):
        wrong = case.find("failure") if case.find("failure") is not None else case.find("error")
        if wrong is not None:
            found["failed"] += 1
            kind = _kind(wrong.get("message", ""))
            first = {
                "count": 0,
                "first": f"{case.get('classname')}::{case.get('name')}",
                "message": wrong.get("message", "")[:1000],
            }
            found["kinds"].setdefault(kind, first)["count"] += 1
        elif case.find("skipped") is not None:
            found["skipped"] += 1
        else:
            found["passed"] += 1
    return found


def _kind(message):
    """Returns the key that groups failures: the text of the error without its numbers."""
    return re.sub(r"[0-9][0-9.e+-]*", "#", message.strip().split("\n")[0])[:100]


MAIN_JOB = """
import contextlib, runpy, sys
sys.path[:0] = ["tests", "docs/examples"]
import conftest
with conftest.standing_in() if {stand_in} else contextlib.nullcontext():
    sys.argv = ["lenet5_mnist.py", *{arguments!r}]
    runpy.run_path("docs/examples/lenet5_mnist.py", run_name="__main__")
"""


def main_job(options):
    """Trains LeNet-5 on digits with each optimizer; on the stand-in for one epoch with one."""
    with tempfile.TemporaryDirectory() as folder:
        arguments = ["--device_target", "GPU", "--output", folder]
        arguments += (
            ["--epochs", "1", "--optimizer", "momentum"] if options.stand_in else ["--compare"]
        )
        code = MAIN_JOB.format(stand_in=options.stand_in, arguments=arguments)
        printed = _done([sys.executable, "-m", "mindspore_compat", "-c", code])
    accuracy = dict(re.findall(r"(\w+): test accuracy (\d\.\d+)", printed))
    return {
        "accuracy": {name: float(value) for name, value in accuracy.items()},
        "ended": printed.strip().split("\n")[-1],
        "printed": "" if accuracy else printed,
    }
