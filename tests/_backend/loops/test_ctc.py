"""The compiled recursions of CTC match those of array functions."""

import numpy as np
import pytest
from kit import close_sums
from kit.loops import by_python, fresh_loops, needs_numba, on_threads

from mindspore_compat._backend import arrays
from mindspore_compat._backend.compiled import door, jit
from mindspore_compat.ops._loss import ctc

pytestmark = pytest.mark.host

HOST = arrays.HOST
SPECIAL = "nothing", "a time", "a target", "a NaN", "no time"


def results(special, merge):
    """Returns losses, forward variables and probabilities of sequences of several lengths, one
    without labels. `special` makes a time step or a target of one sequence impossible, makes a time
    step NaN, or leaves two sequences without time steps."""
    rng = np.random.default_rng(0)
    logs = np.log(rng.dirichlet(np.ones(5), (12, 4))).astype(np.float32)
    if special in ("a time", "a NaN"):
        logs[4, 1] = -np.inf if special == "a time" else np.nan
    targets = np.array([[1, 2, 2, 3], [4, 4, 0, 0], [3, 0, 2, 0], [0, 0, 0, 0]])
    steps = np.array([4 if special == "a target" else 12, 5, 9, 6])
    if special == "no time":
        steps[2:] = 0
    given = logs, targets, steps, np.array([4, 2, 3, 0])
    both = HOST.ctc_nll_and_alpha(*given)
    return *both, HOST.ctc_nll(*given, 0, merge), HOST.ctc_occupation(*given, 0, merge)


@np.errstate(all="ignore")
def check():
    for special in SPECIAL:
        for merge in (True, False):
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(jit, "available", lambda: False)
                expected = results(special, merge)
            for found, other in zip(results(special, merge), expected, strict=True):
                assert found.dtype == np.float32
                for question in (np.isnan, np.isinf):
                    np.testing.assert_array_equal(question(found), question(other))
                finite = np.isfinite(other)
                close_sums(found[finite], other[finite])


def test_the_loops_mean_what_array_functions_do(monkeypatch):
    with fresh_loops(monkeypatch):
        by_python(monkeypatch)
        check()


@needs_numba
@pytest.mark.parametrize("threads", [1, 2])
def test_compiled_loops_do_so_with_any_number_of_threads(threads, monkeypatch):
    with fresh_loops(monkeypatch), on_threads(threads):
        check()


@pytest.mark.parametrize("label", [-1, 2, 3])
def test_labels_that_are_no_classes_are_left_to_array_functions(label, monkeypatch):
    given = np.zeros((4, 1, 3), np.float32), np.array([[label]]), np.array([4]), np.array([1])
    with fresh_loops(monkeypatch):
        by_python(monkeypatch)
        for name in ("ctc_losses", "ctc_occupation"):
            assert (door.call(name, *given, ctc.NONE, 0, True) is not None) == (label == 2)
