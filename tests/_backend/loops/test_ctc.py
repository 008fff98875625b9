"""The compiled recursions of CTC match those of array functions."""

import numpy as np
import pytest
from kit import close_sums
from kit.loops import by_python, fresh_loops, needs_numba, on_threads

from mindspore_compat._backend import arrays
from mindspore_compat._backend.compiled import jit
from mindspore_compat._backend.loops import ctc as loops  # noqa: F401 - registers the loops
from mindspore_compat.ops._loss import ctc

pytestmark = pytest.mark.host

HOST = arrays.HOST


def recursions(impossible):
    """Returns alpha and beta of sequences of several lengths, one with an impossible time."""
    rng = np.random.default_rng(0)
    logs = np.log(rng.dirichlet(np.ones(5), (12, 3))).astype(np.float32)
    if impossible:
        logs[4, 1] = -np.inf
    targets = np.array([[1, 2, 2, 3], [4, 4, 0, 0], [3, 1, 2, 0]])
    lattice = ctc._Lattice(HOST, targets, np.array([12, 5, 9]), np.array([4, 2, 3]), 0)
    emit = lattice.emitted(HOST, logs)
    return lattice.forward(HOST, emit), lattice.backward(HOST, emit)


def check():
    for impossible in (False, True):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(jit, "available", lambda: False)
            expected = recursions(impossible)
        with np.errstate(all="ignore"):
            for found, other in zip(recursions(impossible), expected, strict=True):
                assert found.dtype == np.float32
                np.testing.assert_array_equal(found < -1e29, other < -1e29)
                possible = other > -1e29
                close_sums(found[possible], other[possible])


def test_the_loops_mean_what_array_functions_do(monkeypatch):
    with fresh_loops(monkeypatch):
        by_python(monkeypatch)
        check()


@needs_numba
@pytest.mark.parametrize("threads", [1, 2])
def test_compiled_loops_do_so_with_any_number_of_threads(threads, monkeypatch):
    with fresh_loops(monkeypatch), on_threads(threads):
        check()
