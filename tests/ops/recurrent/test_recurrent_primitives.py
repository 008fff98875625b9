"""Recurrent primitives against explicit recurrences in NumPy, and their gradients."""

import numpy as np
import pytest
from kit import close, close_sums
from kit.gradients import check_gradients

import mindspore_compat as ms
from mindspore_compat import Tensor, ops
from mindspore_compat.ops._recurrent import flat_weights
from mindspore_compat.ops._recurrent import steps as _recurrent_steps
from mindspore_compat.ops.operations import _rl_inner_ops


def x(*shape, seed=0):
    return np.random.default_rng(seed + sum(shape)).standard_normal(shape) * 0.5


def halves(*shape, seed=0):
    return Tensor(x(*shape, seed=seed).astype(np.float16))


def sigmoid(v):
    return 1 / (1 + np.exp(-v))


def lstm(given, h, c, turning, bias=0, narrow=None, reverse=False):
    """Outputs, last state and last cell; gates are input, forget, candidate, output."""
    outputs = {}
    for t in reversed(range(len(given))) if reverse else range(len(given)):
        i, f, n, o = np.split(given[t] + h @ turning.T + bias, 4, -1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(n)
        h = sigmoid(o) * np.tanh(c)
        h = h if narrow is None else h @ narrow.T
        outputs[t] = h
    return np.stack([outputs[t] for t in range(len(given))]), h, c


def gru(given, h, turning, bias, reverse=False):
    """Outputs and last state; gates are reset, update, new."""
    outputs = {}
    for t in reversed(range(len(given))) if reverse else range(len(given)):
        (a, b, c), (p, q, r) = np.split(given[t], 3, -1), np.split(h @ turning.T + bias, 3, -1)
        z = sigmoid(b + q)
        h = (1 - z) * np.tanh(c + sigmoid(a + p) * r) + z * h
        outputs[t] = h
    return np.stack([outputs[t] for t in range(len(given))]), h


# DynamicRNN, BasicLSTMCell, DynamicGRUV2 ----------------------------------------------------------


@pytest.mark.parametrize("kind", [np.float16, np.float32])
def test_dynamic_rnn_is_an_lstm_that_tells_its_gates(kind):
    steps, rows, wide, units = 3, 2, 4, 5
    values = [
        halves(steps, rows, wide),
        halves(wide + units, 4 * units),
        Tensor(x(4 * units).astype(kind)),
        None,
        halves(1, rows, units),
        halves(1, rows, units, seed=1),
    ]
    got = ops.DynamicRNN(forget_bias=0.5)(*values)
    a, w, b, _, h, c = (None if v is None else v.asnumpy().astype(np.float64) for v in values)
    h, c, wanted = h[0], c[0], []
    for t in range(steps):
        i, j, f, o = np.split(np.concatenate([a[t], h], -1) @ w + b, 4, -1)
        i, j, f, o = sigmoid(i), np.tanh(j), sigmoid(f + 0.5), sigmoid(o)
        c = f * c + i * j
        h = o * np.tanh(c)
        wanted.append((h, h, c, i, j, f, o, np.tanh(c)))
    kinds = [ms.float16 if at == 1 or kind is np.float16 else ms.float32 for at in range(8)]
    assert [one.dtype for one in got] == kinds
    for one, parts in zip(got, zip(*wanted), strict=True):
        close_sums(one, np.stack(parts))


def test_a_basic_cell_is_one_step_of_dynamic_rnn():
    a, h, c, w, b = halves(2, 3), halves(2, 4), halves(2, 4, seed=1), halves(7, 16), halves(16)
    cell, state, *gates = ops.BasicLSTMCell()(a, h, c, w, b)
    whole = ops.DynamicRNN(forget_bias=1.0)(
        a.expand_dims(0), w, b, None, h.expand_dims(0), c.expand_dims(0)
    )
    for one, other in zip((state, cell, *gates), whole[1:], strict=True):
        close(one, other.asnumpy()[0], 0)


@pytest.mark.parametrize("order", ["rzh", "zrh"])
@pytest.mark.parametrize("after", [True, False])
def test_dynamic_gru_tells_its_gates(order, after):
    steps, rows, wide, units = 3, 2, 4, 5
    values = [
        halves(steps, rows, wide),
        halves(wide, 3 * units),
        halves(units, 3 * units),
        halves(3 * units),
        halves(3 * units, seed=1),
        None,
        halves(rows, units),
    ]
    got = ops.DynamicGRUV2(gate_order=order, reset_after=after)(*values)
    a, w, v, b, d, _, h = (None if e is None else e.asnumpy().astype(np.float64) for e in values)
    wanted = []
    for t in range(steps):
        given, turned = np.split(a[t] @ w + b, 3, -1), np.split(h @ v + d, 3, -1)
        first, second = sigmoid(given[0] + turned[0]), sigmoid(given[1] + turned[1])
        r, z = (first, second) if order == "rzh" else (second, first)
        inner = turned[2] if after else (r * h) @ v[:, 2 * units :] + d[2 * units :]
        n = np.tanh(given[2] + (r * inner if after else inner))
        h = (1 - z) * n + z * h
        wanted.append((h, h, z, r, n, inner))
    for one, parts in zip(got, zip(*wanted), strict=True):
        assert one.dtype == ms.float16
        close_sums(one, np.stack(parts))


def test_a_gru_without_biases_has_the_dtype_of_its_state():
    state = Tensor(x(2, 3).astype(np.float32))
    out = ops.DynamicGRUV2()(halves(2, 2, 4), halves(4, 9), halves(3, 9), None, None, None, state)
    assert {one.dtype for one in out} == {ms.float32}


REFUSED = {
    "cell_depth": lambda: ops.DynamicRNN(cell_depth=2),
    "use_peephole": lambda: ops.DynamicRNN(use_peephole=True),
    "keep_prob": lambda: ops.DynamicRNN(keep_prob=0.5),
    "num_proj": lambda: ops.DynamicRNN(num_proj=3),
    "cell_clip": lambda: ops.DynamicRNN(cell_clip=1.0),
}


@pytest.mark.parametrize("name", REFUSED)
def test_settings_without_inputs_are_made_but_not_called(name):
    made = REFUSED[name]()
    with pytest.raises(ValueError, match=name):
        made(halves(1, 2, 3), halves(5, 8), halves(8), None, halves(1, 2, 2), halves(1, 2, 2))


@pytest.mark.parametrize(
    "error, call",
    [
        (ValueError, lambda: ops.DynamicRNN(cell_type="GRU")),
        (ValueError, lambda: ops.DynamicRNN(time_major=False)),
        (TypeError, lambda: ops.DynamicRNN(forget_bias=1)),
        (
            TypeError,
            lambda: ops.DynamicRNN()(
                Tensor(np.ones((1, 2, 3), np.float32)),
                halves(5, 8),
                halves(8),
                None,
                halves(1, 2, 2),
                halves(1, 2, 2),
            ),
        ),
        (
            ValueError,
            lambda: ops.DynamicRNN()(
                halves(1, 2, 3), halves(6, 8), halves(8), None, halves(1, 2, 2), halves(1, 2, 2)
            ),
        ),
        (ValueError, lambda: ops.DynamicGRUV2(gate_order="hzr")),
        (ValueError, lambda: ops.DynamicGRUV2(num_proj=-1)),
        (ValueError, lambda: ops.LSTM(3, 2, 1, True, False, 1.5)),
        (ValueError, lambda: ops.LSTM(3, 2, 1, True, False, 0.0, 2)),
        (TypeError, lambda: ops.LSTM(3, 2, 1, 1, False, 0.0)),
        (
            ValueError,
            lambda: ops.LSTM(3, 2, 1, True, False, 0.0)(
                *(Tensor(x(*s)) for s in ((1, 2, 3), (1, 2, 2), (1, 2, 2), (41,)))
            ),
        ),
        (
            TypeError,
            lambda: ops.LSTM(3, 2, 1, False, False, 0.0)(
                Tensor(x(1, 2, 3)),
                *(Tensor(x(*s).astype(np.float32)) for s in ((1, 2, 2), (1, 2, 2), (40,))),
            ),
        ),
    ],
)
def test_refusals(error, call):
    with pytest.raises(error):
        call()


# Weights in one vector ----------------------------------------------------------------------------


class Pieces:
    """Hands out consecutive pieces of a vector."""

    def __init__(self, vector):
        self.vector = vector

    def __call__(self, *shape):
        count = int(np.prod(shape))
        piece, self.vector = self.vector[:count], self.vector[count:]
        return piece.reshape(shape)


def test_one_layer_has_the_layout_of_the_original_on_a_cpu():
    """Compared with MindSpore 2.10: the input weights, the state weights, then one bias each."""
    wide, units = 3, 4
    for bidirectional, biased in ((True, True), (True, False), (False, True)):
        both = 1 + bidirectional
        size = both * (4 * units * (wide + units) + 4 * units * biased)
        values = [x(5, 2, wide), x(both, 2, units), x(both, 2, units, seed=1), x(size)]
        got = ops.LSTM(wide, units, 1, biased, bidirectional, 0.0)(*map(Tensor, values))
        take = Pieces(values[3])
        given = [take(4 * units, wide) for _ in range(both)]
        turning = [take(4 * units, units) for _ in range(both)]
        biases = [take(4 * units) if biased else 0 for _ in range(both)]
        parts = [
            lstm(
                values[0] @ given[d].T,
                values[1][d],
                values[2][d],
                turning[d],
                biases[d],
                None,
                d == 1,
            )
            for d in range(both)
        ]
        outputs, h, c = zip(*parts)
        for one, wanted in zip(got, (np.concatenate(outputs, -1), np.stack(h), np.stack(c))):
            close(one, wanted, 1e-12)
        assert got[3].shape == got[4].shape == (1, 1)


def test_a_projection_comes_before_the_bias():
    """Checked against 2.10 on a CPU."""
    wide, units, narrow = 3, 4, 2
    size = 4 * units * (wide + narrow) + narrow * units + 4 * units
    values = [x(5, 2, wide), x(1, 2, narrow), x(1, 2, units), x(size)]
    got = ops.LSTM(wide, units, 1, True, False, 0.0, narrow)(*map(Tensor, values))
    take = Pieces(values[3])
    given, turning = take(4 * units, wide), take(4 * units, narrow)
    projection, bias = take(narrow, units), take(4 * units)
    wanted = lstm(values[0] @ given.T, values[1][0], values[2][0], turning, bias, projection)
    close(got[0], wanted[0], 1e-12)
    close(got[2][0], wanted[2], 1e-12)


def test_layers_with_two_biases_have_the_layout_of_a_gpu():
    wide, units = 3, 2
    widths = [wide, wide, 2 * units, 2 * units]
    size = sum(4 * units * (w + units) + 8 * units for w in widths)
    values = [x(4, 2, wide), x(4, 2, units), x(4, 2, units, seed=1), x(size)]
    got = ops.LSTM(wide, units, 2, True, True, 0.0)(*map(Tensor, values))
    take = Pieces(values[3])
    pairs = [(take(4 * units, w), take(4 * units, units)) for w in widths]
    biases = [take(4 * units) + take(4 * units) for _ in widths]
    seen = values[0]
    for layer in range(2):
        both = [
            lstm(
                seen @ pairs[at][0].T,
                values[1][at],
                values[2][at],
                pairs[at][1],
                biases[at],
                None,
                at % 2 == 1,
            )
            for at in (2 * layer, 2 * layer + 1)
        ]
        seen = np.concatenate([both[0][0], both[1][0]], -1)
    close(got[0], seen, 1e-12)
    close(got[1][3], both[1][1], 1e-12)


def test_the_documented_numbers_of_lstm():
    ones = [Tensor(np.ones(s, np.float32)) for s in ((5, 2, 10), (1, 2, 2), (1, 2, 2), (112, 1, 1))]
    out = ops.LSTM(10, 2, 1, True, False, 0.0)(*ones)[0]
    close(out[:, 0, 0], [0.9640267, 0.9950539, 0.99932843, 0.9999084, 0.9999869], 2e-7)


def test_sequences_of_different_lengths():
    """The numbers are those that MindSpore documents."""
    ones = [Tensor(np.ones(s, np.float32)) for s in ((5, 2, 10), (1, 2, 2), (1, 2, 2), (112, 1, 1))]
    lengths = Tensor(np.array([4, 3], np.int32))
    out, h, c, *_ = _rl_inner_ops.LSTMV2(10, 2, 1, True, False, 0.0)(*ones, lengths)
    close(out[:, 0, 0], [0.9640267, 0.9950539, 0.99932843, 0.9999084, 0], 2e-7)
    close(out[:, 1, 0], [0.9640267, 0.9950539, 0.99932843, 0, 0], 2e-7)
    close(h[0, :, 0], [0.9999084, 0.99932843], 2e-7)
    values = [x(4, 2, 3), x(4, 2, 2), x(6 * (3 + 2) * 2 + 6 * (4 + 2) * 2 + 6 * 8)]
    net = _rl_inner_ops.GRUV2(3, 2, 2, True, True, 0.0)
    plain = _rl_inner_ops.CudnnGRU(3, 2, 2, True, True, 0.0)
    whole = net(*map(Tensor, values), Tensor(np.array([4, 2], np.int32)))
    short = plain(*(Tensor(v) for v in (values[0][:2, 1:], values[1][:, 1:], values[2])))
    close(whole[0][:2, 1:], short[0].asnumpy(), 1e-12)
    close(whole[1][:, 1:], short[1].asnumpy(), 1e-12)
    assert not whole[0].asnumpy()[2:, 1].any()
    with pytest.raises(ValueError):
        net(*map(Tensor, values), Tensor(np.array([4], np.int32)))


def test_dropout_is_for_training():
    net = _rl_inner_ops.LSTMV2(3, 2, 2, False, False, 1.0, False)
    inputs = [Tensor(x(*s)) for s in ((2, 1, 3), (2, 1, 2), (2, 1, 2), (8 * 5 + 8 * 4,))]
    same = ops.LSTM(3, 2, 2, False, False, 0.0)(*inputs)[0]
    close(net(*inputs, Tensor(np.array([2], np.int32)))[0], same.asnumpy(), 1e-12)


def test_gru_from_one_vector():
    wide, units = 3, 2
    values = [x(4, 2, wide), x(1, 2, units), x(3 * units * (wide + units) + 6 * units, 1, 1)]
    got = _rl_inner_ops.CudnnGRU(wide, units, 1, True, False, 0.0)(*map(Tensor, values))
    take = Pieces(values[2].ravel())
    given, turning = take(3 * units, wide), take(3 * units, units)
    first, second = take(3 * units), take(3 * units)
    wanted = gru(values[0] @ given.T + first, values[1][0], turning, second)
    close(got[0], wanted[0], 1e-12)
    close(got[1][0], wanted[1], 1e-12)


def test_dropout_lies_between_layers_only():
    ones = Tensor(np.ones((1, 50, 3)))
    state, w = Tensor(np.zeros((2, 50, 2))), Tensor(np.ones(8 * 5 + 8 * 4 + 32))
    net = ops.LSTM(3, 2, 2, True, False, 1.0)
    below = ops.LSTM(2, 2, 1, True, False, 0.0)
    zeros = below(Tensor(np.zeros((1, 50, 2))), state[:1], state[:1], Tensor(np.ones(48)))[0]
    close(net(ones, state, state, w)[0], zeros.asnumpy(), 1e-12)


GRADIENTS = {
    "lstm_steps": (_recurrent_steps.lstm_steps.run, x(3, 2, 3), x(5, 8), x(8), x(2, 2), x(2, 2)),
    "gru_steps": (
        _recurrent_steps.gru_steps.run,
        x(3, 2, 3),
        x(3, 6),
        x(2, 6),
        x(2, 2),
        x(6),
        x(6, seed=1),
    ),
    "gru_steps before": (
        lambda *t: _recurrent_steps.gru_steps.run(*t, "zrh", False),
        x(3, 2, 3),
        x(3, 6),
        x(2, 6),
        x(2, 2),
        x(6),
        x(6, seed=1),
    ),
    "lstm_projected": (
        lambda *t: flat_weights.lstm_projected.run(*t, True),
        x(3, 2, 8),
        x(2, 1),
        x(2, 2),
        x(8, 1),
        x(1, 2),
    ),
    "LSTM": (
        lambda *t: ops.LSTM(3, 2, 2, True, True, 0.0)(*t)[:3],
        x(3, 2, 3),
        x(4, 2, 2),
        x(4, 2, 2),
        x(2 * (8 * 5 + 8 * 6 + 32)),
    ),
    "CudnnGRU": (
        lambda *t: _rl_inner_ops.CudnnGRU(3, 2, 1, True, True, 0.0)(*t)[:2],
        x(3, 2, 3),
        x(2, 2, 2),
        x(2 * (6 * 5 + 12)),
    ),
}


@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients(name):
    function, *inputs = GRADIENTS[name]
    check_gradients(function, *inputs, order=1 if name in ("LSTM", "CudnnGRU") else 2)


def test_sequences_are_mapped():
    net = ops.LSTM(3, 2, 1, False, False, 0.0)
    many, h, c, w = Tensor(x(4, 3, 2, 3)), Tensor(x(1, 2, 2)), Tensor(x(1, 2, 2)), Tensor(x(40))
    got = ms.vmap(lambda one: net(one, h, c, w)[0])(many)
    for one, alone in zip(got, many):
        close(one, net(alone, h, c, w)[0].asnumpy(), 1e-12)
