"""The documentation's example calls compute on the stand-in for CuPy what they compute on the host.

A call that works on the host and fails with device arrays mixes them with NumPy's, converts them
unasked, or uses what CuPy has not. The calls are those of the conformance specs, so what the
package learns is covered at once.
"""

import contextlib
import io
import math
import re
import sys
import warnings
from pathlib import Path

import pytest

import mindspore_compat
from mindspore_compat._backend import arrays

sys.path.insert(0, str(Path(__file__).parents[2]))
from conformance import cases, specs  # noqa: E402
from conformance.worker import Worker  # noqa: E402

AREAS = ("ops", "mint", "nn", "numpy")
# Random numbers come from other streams there; halves are computed as halves.
DIFFERENT = re.compile("(?i)rand|normal|dropout|laplace|uniform|multinomial|rrelu|shuffle|poisson|"
                       "gamma |bernoulli|init|sample|gumbel|empty")
# Large networks and images; smaller ones of their kind are in test_spaces.py and test_devices.py.
HEAVY = {"nn.Conv2d", "nn.Conv2dBnAct", "nn.Conv3dTranspose", "nn.Transformer",
         "nn.TransformerDecoder", "nn.TransformerDecoderLayer", "nn.TransformerEncoder"}
STORES = "ops.TCPStore"  # hold no arrays; they take a port, and wait for what others set


@pytest.fixture(scope="module")
def examples():
    """The example calls, by area."""
    found = {area: [] for area in AREAS}
    for case in cases.all_cases(specs.load(check=False), kinds=("accepts",)):
        area = case["name"].split(".")[0]
        apart = case["name"] in HEAVY or case["name"].startswith(STORES)
        if area in found and case["id"].endswith("::example") and not apart:
            found[area].append(case)
    return found


def outcomes(chosen):
    """What each case gives, by its id."""
    worker = Worker(mindspore_compat)
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {case["id"]: worker.run(case) for case in chosen}


def close(one, other):
    """True if two observations agree, numbers to five digits."""
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(close, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-5, abs_tol=1e-5) or one != one and other != other
    return one == other or str(one) == str(other)


def comparable(case, observed):
    """False if chance or half precision decides what a case gives."""
    return not DIFFERENT.search(f"{case['name']} {case['call']}") and "Float16" not in str(observed)


@pytest.mark.parametrize("area", AREAS)
@pytest.mark.parametrize("space", ["fakecupy"], indirect=True)
def test_examples_compute_alike(space, area, examples, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
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
        elif comparable(case, before) and not close(before, after["observed"]):
            wrong.append(f"{case['id']}: {before} on the host, {after['observed']} on the device")
    if not works:
        pytest.skip(f"nothing of {area} works on the host")
    assert not wrong, "\n".join(wrong)
