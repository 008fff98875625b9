"""Compiled recurrent steps match NumPy, forward and backward."""

import numpy as np
import pytest
from kit import close_sums, normal
from kit.loops import ByPython, needs_numba

import mindspore_compat as ms
from mindspore_compat import Tensor, nn
from mindspore_compat._backend import arrays
from mindspore_compat._backend.bodies import host, host_steps
from mindspore_compat._backend.compiled import door, jit
from mindspore_compat._backend.threads import scheduler
from mindspore_compat._backend.thresholds import Least

pytestmark = pytest.mark.host

LAYERS = {
    "rnn": (nn.RNN, ("_rnn_step", "_rnn_back")),
    "lstm": (nn.LSTM, ("_lstm_step", "_lstm_cell", "_lstm_back")),
    "gru": (nn.GRU, ("_gru_step", "_gru_back")),
}


@pytest.fixture
def bodies(monkeypatch):
    """Enables loops of steps for arrays of any size, and disables loops of whole recurrences."""
    found = host.CompiledBodies()
    monkeypatch.setattr(Least, "BODY", 1)
    assert {"recurrence", "recurrence_vjp"} <= door.names()
    for name in ("recurrence", "recurrence_vjp"):
        monkeypatch.setitem(door._registered, name, [])
    monkeypatch.setitem(vars(arrays.HOST), "bodies", found)
    return found


def results(kind, lengths, rows=2):
    """Returns the outputs of a layer and the gradients of its input and weights."""
    layer = LAYERS[kind][0](3, 4, batch_first=True, bidirectional=True)
    for seed, weight in enumerate(layer.trainable_params()):
        weight.set_data(Tensor(normal(*weight.shape, seed=seed).astype(np.float32)))
    x = Tensor(normal(rows, 3, 3).astype(np.float32))

    def total(x):
        out, last = layer(x, None, lengths)
        last = last if isinstance(last, tuple) else (last,)
        return (out * out).sum() + sum(each.sum() for each in last)

    value, (by_x, by_weights) = ms.value_and_grad(total, 0, layer.trainable_params())(x)
    return [each.asnumpy() for each in (value, by_x, *by_weights)]


def names(bodies):
    """The bodies that have become loops."""
    return {made.trace.name for made in bodies._made.values() if made.loop.ready is not None}


@pytest.mark.parametrize("lengths", [None, [3, 1]], ids=["whole", "masked"])
@pytest.mark.parametrize("kind", LAYERS)
def test_steps_mean_what_the_composed_sequence_means(kind, lengths, bodies, monkeypatch):
    monkeypatch.setattr(jit, "Loop", ByPython)
    lengths = None if lengths is None else Tensor(lengths, ms.int32)
    found = results(kind, lengths)
    assert names(bodies) == set(LAYERS[kind][1])
    monkeypatch.setitem(vars(arrays.HOST), "bodies", None)
    for have, want in zip(found, results(kind, lengths), strict=True):
        close_sums(have, want)


@needs_numba
def test_compiled_steps_have_the_same_bits_with_any_number_of_threads(bodies, monkeypatch):
    monkeypatch.setattr(jit, "_setting", lambda: "wait")
    monkeypatch.setattr(host_steps, "BLOCK", 12)
    found = []
    for count in (1, 4):
        scheduler.limit(count)
        try:
            found.append(results("gru", None, rows=9))
        finally:
            scheduler.limit(0)
    assert names(bodies) == set(LAYERS["gru"][1])
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_loop_that_is_not_ready_leaves_the_sequence_to_numpy(bodies, monkeypatch):
    class Late(ByPython):
        """Ready for the first step, not for the gradient."""

        def request(self):
            return self._label != "_lstm_back" and super().request()

    monkeypatch.setattr(jit, "Loop", Late)
    found = results("lstm", None)
    assert "_lstm_back" not in names(bodies)
    monkeypatch.setitem(vars(arrays.HOST), "bodies", None)
    for have, want in zip(found, results("lstm", None), strict=True):
        close_sums(have, want)
