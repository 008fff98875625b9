"""Compiled optimizer loops give NumPy's bits; Numba is imported when a large array needs it."""

import subprocess
import sys

import numpy as np
import pytest
from kit.loops import needs_numba

from mindspore_compat._backend.compiled import disk_cache, jit, machine_code
from mindspore_compat._backend.compiled.compiler import Compiler
from mindspore_compat._backend.threads import scheduler
from mindspore_compat._backend.updates.fuse import BLOCK, fuse
from mindspore_compat.ops._optimizer import formulas

pytestmark = pytest.mark.host

ADAM = {"lr": 0.1, "beta1": 0.9, "beta2": 0.99, "eps": 1e-6}
CASES = {
    "momentum_update": {"lr": 0.1, "momentum": 0.9, "nesterov": True},
    "adam_update": {**ADAM, "nesterov": False},
    "adamax_update": ADAM,
    "rmsprop_update": {"lr": 0.1, "rho": 0.9, "momentum": 0.3, "eps": 1e-3},
    "amsgrad_update": ADAM,
}


def operands(fused, size, dtype):
    rng = np.random.default_rng(0)
    return [rng.random(size).astype(dtype) - (name in ("p", "g")) / 2 for name in fused.names]


def program_of(fused):
    (program,) = fused._programs.values()
    return program


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("case", CASES)
def test_the_loop_means_what_the_formula_means(case, dtype, monkeypatch):
    """Run by Python, one element at a time: needs no Numba."""
    monkeypatch.setattr(jit, "available", lambda: True)
    monkeypatch.setattr(jit, "MOST_CHECKS", 100)
    fused = fuse(getattr(formulas, case))
    updated = operands(fused, 50, dtype)
    again = [array.copy() for array in updated]
    fused(*updated, **CASES[case])
    program = program_of(fused)
    assert program.loop is not None
    scalars = [
        scalar[()]
        for scalar in program.prepare(
            {key: value for key, value in CASES[case].items() if type(value) is not bool}
        )
    ]
    program.loop.python()(*again, *scalars)
    for one, other in zip(updated, again, strict=True):
        # The loop calls the C library, whose functions may round differently from NumPy's.
        np.testing.assert_allclose(one, other, rtol=1e-6 if dtype is np.float32 else 1e-14)


@needs_numba
@pytest.mark.parametrize("case", ["adam_update", "adamax_update", "rmsprop_update"])
def test_compiled_bits_are_those_of_numpy(case):
    fused = fuse(getattr(formulas, case))
    start = operands(fused, 5 * jit.BLOCK + 3, np.float32)
    found = []
    for count in (0, 1, 2, 4):  # first by NumPy, which computes until the loop is ready
        updated = [array.copy() for array in start]
        scheduler.limit(count)
        try:
            fused(*updated, **CASES[case])
        finally:
            scheduler.limit(0)
        program_of(fused).loop.wait()
        assert program_of(fused).loop.ready is not None
        found.append(updated)
    for other in found[1:]:
        for one, two in zip(found[0], other, strict=True):
            np.testing.assert_array_equal(one, two)


@needs_numba
def test_what_the_loop_does_not_take_goes_numpys_way():
    fused = fuse(formulas.momentum_update)
    made = operands(fused, 2 * BLOCK, np.float32)
    for updated in (made, [each.copy() for each in made]):
        updated[1].flags.writeable = False
        fused(*updated, **CASES["momentum_update"])
        program_of(fused).loop.wait()
    wide = np.zeros((2 * BLOCK, 2), np.float32)[:, 0]
    fused(wide, *made[1:], **CASES["momentum_update"])
    assert wide.any()


def test_formulas_of_rounded_functions_are_not_compiled(monkeypatch):
    monkeypatch.setattr(jit, "available", lambda: True)
    fused = fuse(formulas.ftrl_update)
    updated = operands(fused, 3, np.float32)
    fused(*updated, lr=0.1, lr_power=-0.3, l1=0.1, l2=0.2)  # takes a power
    assert program_of(fused).loop is None


def test_a_compiler_that_fails_is_no_error(monkeypatch, tmp_path):
    monkeypatch.setenv(disk_cache.VARIABLE, str(tmp_path))
    monkeypatch.setattr(machine_code, "_functions", {})
    monkeypatch.setitem(sys.modules, "numba", None)
    monkeypatch.setattr(Compiler, "compile", lambda compiler, loop: False)
    monkeypatch.setattr(jit, "available", lambda: True)
    fused = fuse(formulas.momentum_update)
    updated = operands(fused, BLOCK + 1, np.float32)
    fused(*updated, **CASES["momentum_update"])
    program_of(fused).loop.wait()
    fused(*updated, **CASES["momentum_update"])
    assert program_of(fused).loop.ready is None


def test_numba_is_not_imported_for_small_work():
    text = """
import sys
import numpy as np
import mindspore_compat as ms
p = ms.Parameter(ms.Tensor(np.ones(100, np.float32)), name="p")
ms.nn.Adam([p])((ms.Tensor(np.ones(100, np.float32)),))
print("numba" in sys.modules)
"""
    found = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, timeout=120, check=True
    )
    assert found.stdout.split() == ["False"]
