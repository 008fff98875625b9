"""The documentation's example calls give the same results on the stand-in for CuPy and on the CPU.

A call that works on the CPU and fails on the device mixes device arrays with NumPy's, converts them
implicitly, or uses a function that CuPy lacks. The calls come from the conformance specs, so new
operators are covered at once.
"""

import contextlib
import io
import math
import re
import sys
import warnings
from pathlib import Path

import pytest
from kit import agree

import mindspore_compat
from mindspore_compat._backend import arrays

sys.path.insert(0, str(Path(__file__).parents[2]))
from conformance.kinds import cases
from conformance.reading import specs
from conformance.worker import worker
from conformance.worker.worker import Worker

AREAS = ("ops", "mint", "nn", "numpy")
# Excluded names: on the device, random numbers come from another stream.
DIFFERENT = re.compile(
    "(?i)rand|normal|dropout|laplace|uniform|multinomial|rrelu|shuffle|poisson|"
    "gamma |bernoulli|init|sample|gumbel|empty"
)
# large shapes in examples -> the smaller shapes that replace them here
SMALLER = {
    "(1, 120, 1024, 640)": "(1, 120, 10, 12)",
    "(32, 16, 10, 32, 32)": "(2, 16, 3, 4, 4)",
    "(10, 32, 512)": "(10, 2, 512)",
    "(20, 32, 512)": "(20, 2, 512)",
    "(4, 8192, ": "(4, 64, ",
    "(1, 8192, ": "(1, 64, ",
    "(4, 1, 1, 2048), 0, 8191": "(4, 1, 1, 16), 0, 63",
    "(16, 3, 10, 32, 32)": "(2, 3, 6, 8, 8)",
    "(1, 120, 10, 23, 34)": "(1, 120, 6, 7, 9)",
    "(12, 1, 60, 50, 8)": "(2, 1, 8, 9, 8)",
    "(2, 3, 4, 512, 256)": "(2, 3, 4, 16, 12)",
    "(1, 8, 1024, 128)": "(1, 8, 64, 128)",
    "(10000, 100)": "(100, 100)",
    "(240000, 4)": "(2400, 4)",
    "20000": "200",  # rows of an embedding
}
STORES = "ops.TCPStore"  # excluded: it has no arrays, opens a port and waits for other processes


@pytest.fixture(scope="module")
def examples():
    """The example calls, by area."""
    found = {area: [] for area in AREAS}
    for name, entry in sorted(specs.load(check=False).items()):
        area = name.split(".")[0]
        if area in found and not name.startswith(STORES):
            made = cases.of_entry(name, {**entry, "raises": ()}, kinds=("accepts",))
            found[area] += [smaller(case) for case in made if case["id"].endswith("::example")]
    return found


def smaller(case):
    """Returns the case with smaller operands, so that all cases together take seconds and little
    memory."""

    def shortened(text):
        for long, short in SMALLER.items():
            text = text.replace(long, short)
        return text

    texts = {key: case[key] for key in ("init", "call") if case[key]}
    return {
        **case,
        **{
            key: {name: shortened(text) for name, text in given.items()}
            for key, given in texts.items()
        },
    }


def outcomes(chosen):
    """Returns {id of a case: its observed outcome}."""
    runner = Worker(mindspore_compat)
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {case["id"]: runner.run(case) for case in chosen}


def comparable(case, observed):
    """Returns False if the outcome of a case depends on random numbers or on half precision."""
    return not DIFFERENT.search(f"{case['name']} {case['call']}") and "Float16" not in str(observed)


@pytest.mark.parametrize("area", AREAS)
@pytest.mark.parametrize("space", ["fakecupy"], indirect=True)
def test_examples_compute_alike(space, area, examples, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(worker, "PATIENCE", math.inf)  # also repeats slow calls, to detect draws
    arrays.set_target("CPU")
    host = outcomes(examples[area])
    works = [case for case in examples[area] if host[case["id"]]["status"] == "pass"]
    arrays.set_target("GPU")
    device = outcomes(works)
    wrong = []
    for case in works:
        before, after = host[case["id"]]["observed"], device[case["id"]]
        if after["status"] != "pass":
            wrong.append(f"{case['id']}: {after['got']}")
        elif comparable(case, before) and not agree(before, after["observed"], 1e-5, 1e-5):
            wrong.append(f"{case['id']}: {before} on the host, {after['observed']} on the device")
    if not works:
        pytest.skip(f"nothing of {area} works on the host")
    assert not wrong, "\n".join(wrong)
