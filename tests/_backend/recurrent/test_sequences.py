"""Compiled recurrences match NumPy, forward and backward, for any number of rows."""

import numpy as np
import pytest
from kit import close_sums, normal
from kit.loops import ParallelByPython, fresh_loops, needs_numba

import mindspore_compat as ms
from mindspore_compat import Tensor, nn
from mindspore_compat._backend import arrays
from mindspore_compat._backend.bodies import host
from mindspore_compat._backend.compiled import door, jit
from mindspore_compat._backend.loops import products
from mindspore_compat._backend.recurrent import sequences
from mindspore_compat._backend.threads import parallel_loops, scheduler
from mindspore_compat._backend.thresholds import Most

pytestmark = pytest.mark.host

LAYERS = {
    "tanh": nn.RNN,
    "relu": lambda *sizes, **options: nn.RNN(*sizes, nonlinearity="relu", **options),
    "lstm": nn.LSTM,
    "gru": nn.GRU,
}


@pytest.fixture
def loops(monkeypatch):
    """The calls of the loops, which take sequences of any size."""
    found = []
    run = sequences._Sequence.run

    def noted(self, *arguments):
        found.append(self)
        return run(self, *arguments)

    monkeypatch.setattr(sequences._Sequence, "run", noted)
    monkeypatch.setitem(vars(arrays.HOST), "bodies", host.CompiledBodies())
    with fresh_loops(monkeypatch, sequences, sequences._sequence, PIECE=1):
        yield found


def results(kind, lengths, rows=2, units=4, steps=3, has_bias=True):
    """Returns the outputs of a layer and the gradients of its input and weights."""
    options = {"has_bias": has_bias, "batch_first": True, "bidirectional": True}
    layer = LAYERS[kind](3, units, **options)
    for seed, weight in enumerate(layer.trainable_params()):
        weight.set_data(Tensor(normal(*weight.shape, seed=seed).astype(np.float32) / 2))
    x = Tensor(normal(rows, steps, 3).astype(np.float32))

    def total(x):
        out, last = layer(x, None, lengths)
        last = last if isinstance(last, tuple) else (last,)
        return (out * out).mean() + sum(each.mean() for each in last)

    value, (by_x, by_weights) = ms.value_and_grad(total, 0, layer.trainable_params())(x)
    return [each.asnumpy() for each in (value, by_x, *by_weights)]


def check_alike(monkeypatch, loops, kind, lengths, **sizes):
    lengths = None if lengths is None else Tensor(lengths, ms.int32)
    found = results(kind, lengths, **sizes)
    assert len(loops) == 4, "two directions, forward and backward"
    monkeypatch.setitem(vars(arrays.HOST), "bodies", None)
    for have, want in zip(found, results(kind, lengths, **sizes), strict=True):
        close_sums(have, want)
    assert len(loops) == 4


@pytest.mark.parametrize("lengths", [None, [3, 1]], ids=["whole", "masked"])
@pytest.mark.parametrize("kind", LAYERS)
def test_loops_mean_what_the_composed_sequence_means(kind, lengths, loops, monkeypatch):
    monkeypatch.setattr(parallel_loops, "ParallelLoop", ParallelByPython)
    monkeypatch.setattr(products, "suits", lambda: False)  # which asks Numba
    check_alike(monkeypatch, loops, kind, lengths)


LENGTHS = [5, 1, 4, *[3] * 16]


@needs_numba
@pytest.mark.parametrize("kind, lengths", [("relu", None), ("lstm", LENGTHS), ("gru", None)])
def test_compiled_loops_serve_parts_of_tiles_too(kind, lengths, loops, monkeypatch):
    monkeypatch.setattr(jit, "_setting", lambda: "wait")
    check_alike(monkeypatch, loops, kind, lengths, rows=19, units=21, steps=5)


@needs_numba
def test_a_gru_without_bias(loops, monkeypatch):
    monkeypatch.setattr(jit, "_setting", lambda: "wait")
    check_alike(monkeypatch, loops, "gru", None, has_bias=False)


@needs_numba
def test_the_bits_are_the_same_with_any_number_of_threads(loops, monkeypatch):
    monkeypatch.setattr(jit, "_setting", lambda: "wait")
    found = []
    for count in (1, 2, 4):
        scheduler.limit(count)
        try:
            found.append(results("gru", None, rows=37, units=18))
        finally:
            scheduler.limit(0)
    assert len(loops) == 12
    for other in found[1:]:
        for one, two in zip(found[0], other, strict=True):
            np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("change", ["late", "large", "float64"])
def test_what_loops_do_not_serve_is_left_to_the_steps(change, loops, monkeypatch):
    class Late(ParallelByPython):
        """A loop that is being compiled."""

        def request(self):
            return False

    found = Late if change == "late" else ParallelByPython
    monkeypatch.setattr(parallel_loops, "ParallelLoop", found)
    if change == "large":
        monkeypatch.setattr(Most, "RECURRENCE_WEIGHT", 15)
    gates, state = normal(3, 2, 4), normal(2, 4)
    if change != "float64":
        gates, state = (each.astype(np.float32) for each in (gates, state))
    weight = normal(4, 4).astype(gates.dtype)
    given = gates, weight, None, (state,), None, None
    found = door.call("recurrence", "tanh", range(3), *given)
    assert found is None and not loops


def test_nothing_is_saved_of_masked_steps(loops, monkeypatch):
    monkeypatch.setattr(parallel_loops, "ParallelLoop", ParallelByPython)
    gates, h, weight = (normal(*n).astype(np.float32) for n in ((3, 2, 12), (2, 4), (12, 4)))
    mask = np.array([[1, 1], [1, 0], [1, 0]], np.float32)[..., None]
    saved = np.full((3, 2, 16), np.nan, np.float32)
    assert door.call("recurrence", "gru", range(3), gates, weight, mask, (h,), None, saved)
    np.testing.assert_array_equal((saved != 0).any(-1), mask[..., 0] != 0)
