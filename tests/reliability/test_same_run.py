"""The same seed gives the same run, bit by bit: with any number of threads, after a training is
resumed from a checkpoint, and on ranks. With and without compiled loops, runs agree up to rounding.
"""

import sys
from pathlib import Path

import numpy as np
import pytest
from kit.loops import every_size, fresh_loops, needs_numba, on_threads
from kit.ranks import assert_every_rank_passes, mpiexec

import mindspore_compat as ms
from mindspore_compat import Tensor, nn, ops
from mindspore_compat import dataset as ds
from mindspore_compat._backend.compiled import jit

sys.path.insert(0, str(Path(__file__).parent))

from same_run import STEPS, assert_resumes, whole_run  # noqa: E402  (found through the line above)

RANKS = Path(__file__).parent / "ranks_same_run.py"


@pytest.fixture(params=[ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["PyNative", "graph"])
def mode(request, monkeypatch):
    """Sets the mode and later restores the seeds. Compiled loops do not become ready during a
    run."""
    monkeypatch.setattr(jit, "available", lambda: False)
    before, seed = ms.get_context("mode"), ds.config.get_seed()
    ms.set_context(mode=request.param)
    yield request.param
    ms.set_context(mode=before)
    ds.config.set_seed(seed)


@pytest.mark.parametrize("done", [2, 3])
def test_a_resumed_training_is_the_same_to_the_bit(mode, done, tmp_path):
    losses, state = whole_run()
    assert len(set(losses)) == STEPS
    assert_resumes(str(tmp_path / "resume.ckpt"), done, losses, state)


@pytest.mark.skipif(mpiexec() is None, reason="there is no mpiexec")
def test_ranks_give_the_same_bits_again_and_after_a_training_is_resumed(tmp_path, monkeypatch):
    monkeypatch.setenv("FOLDER", str(tmp_path))
    assert_every_rank_passes(2, RANKS, "trainings")


def test_any_number_of_threads_gives_the_same_bits(mode, monkeypatch):
    every_size(monkeypatch)
    runs = []
    for threads in (1, 2, 3):
        with on_threads(threads):
            runs.append(whole_run())
    assert runs[0] == runs[1] == runs[2]


@pytest.mark.nightly  # it compiles some thirty loops
@needs_numba
def test_with_loops_too(mode, monkeypatch):
    _, state = whole_run()
    runs = []
    with fresh_loops(monkeypatch):
        for threads in (1, 2, 3):
            with on_threads(threads):
                runs.append(whole_run())
    assert runs[0] == runs[1] == runs[2]
    for name, found in runs[0][1].items():
        dtype = np.int32 if "iterator_step" in name or "global_step" in name else np.float32
        values, wanted = np.frombuffer(found, dtype), np.frombuffer(state[name], dtype)
        np.testing.assert_allclose(values, wanted, rtol=1e-3, atol=1e-5, err_msg=name)


@needs_numba
@pytest.mark.parametrize("axis", [1, None])
def test_replays_add_by_the_same_loops(mode, axis, monkeypatch):
    """The resumed training computes ordinary steps where the other one replays."""

    class Sum(nn.Cell):
        def construct(self, x):
            return ops.sum(x, axis)

    net, x = Sum(), Tensor(np.random.default_rng(0).standard_normal((300, 300)), ms.float32)
    with fresh_loops(monkeypatch):
        sums = [net(x).asnumpy().tobytes() for _ in range(6)]
    assert len(set(sums)) == 1
