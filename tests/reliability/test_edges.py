"""At extreme numbers and shapes, operators give the same results in graph mode, on views and in
unaligned memory (tests/edges).
"""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from kit.loops import needs_numba

from tests.edges import compare, variants

ROOT = Path(__file__).resolve().parents[2]


def swept(*arguments):
    command = [sys.executable, "-m", "tests.edges", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert not done.returncode, done.stdout[-8000:] + done.stderr[-2000:]
    return done.stdout


def test_some_operators_are_the_same_in_graph_mode_and_on_views():
    names = [r"ops\.softmax", r"mint\.var", r"nn\.LayerNorm", r"ops\.index_add", r"Tensor\.sort"]
    said = swept(*names, "--ways", "graph", "layouts")
    assert all(int(line.split(": ")[1].split()[0]) > 20 for line in said.splitlines())


@needs_numba
def test_some_operators_are_the_same_with_loops():
    names = [r"mint\.nn\.functional\.softmax", r"ops\.gather", r"ops\.Conv2DBackpropInput"]
    swept(*names, r"ops\.CumProd", r"ops\.Resize(Area|Bicubic)", "--ways", "loops")


@pytest.mark.nightly
@pytest.mark.parametrize("way", ["graph", "layouts"])
def test_all_operators_are_the_same(way):
    swept("--ways", way)


def test_variants_reach_the_ends_of_each_dtype():
    found = dict(variants.of([np.ones((2, 3), np.float32), np.ones(3, np.int64)]))
    assert np.isnan(found["nan in 0"][0]).sum() == 1
    assert found["int8 cycle"][0].tolist() == [[127, -128, 0], [1, 127, -128]]
    assert found["empty"][0].shape == (0, 3)
    assert found["0-d"][0].shape == ()
    assert all(values[1].dtype == np.int64 for values in found.values())


@pytest.mark.parametrize(
    "one, other, differ",
    [
        ([1.0, np.nan], [1.0, np.nan], None),
        ([1.0, np.nan], [1.0, 2.0], "nan"),
        ([1.0, np.inf], [1.0, -np.inf], "inf"),
        ([1.0, 1e-30], [1.0, 0.0], None),  # a rounding error relative to the largest number
        ([1.0, 2.0], [1.0, 2.001], "values"),
    ],
)
def test_arrays_are_compared(one, other, differ):
    found = compare.of_arrays(np.float32(one), np.float32(other), "graph")
    assert found is None if differ is None else found.startswith(differ)
