"""The primitives of _grad_ops for recurrent networks against the gradients of the forward ones."""

import numpy as np
import pytest
from kit import close

import mindspore_compat as ms
from mindspore_compat import Tensor, ops
from mindspore_compat.ops.operations import _grad_ops as g

SINGLE = np.float32


def x(*shape, seed=0):
    return np.random.default_rng(seed + sum(shape)).uniform(-0.9, 0.9, shape)


def t(values, dtype):
    return Tensor(np.asarray(values, dtype))


def test_the_gradients_of_an_lstm():
    """The inputs are in the order of MindSpore 2.10 on a CPU."""
    settings = (2, 3, 1, True, False, 0.0)
    shapes = ((2, 2, 2), (1, 2, 3), (1, 2, 3), (72, 1, 1))
    given = [t(x(*shape), SINGLE) for shape in shapes]
    y, hy, cy, reserve, _ = ops.LSTM(*settings)(*given)
    sens = [t(x(*each.shape, seed=5), SINGLE) for each in (y, hy, cy)]

    def total(*given):
        out = ops.LSTM(*settings)(*given)
        return sum((one * other).sum() for one, other in zip(out[:3], sens, strict=True))

    expected = ms.grad(total, (0, 1, 2, 3))(*given)
    found = g.LSTMGrad(*settings)(*given, y, hy, cy, *sens, reserve)
    for one, other in zip(found, expected, strict=True):
        close(one, other.asnumpy())


@pytest.mark.parametrize("order", ["rzh", "zrh"])
def test_the_gradients_of_a_gru_are_those_of_its_steps(order):
    half = np.float16
    given = [t(x(*shape), half) for shape in ((3, 2, 2), (2, 9), (3, 9))]  # x and both weights
    biases = [t(x(9, seed=seed), SINGLE) for seed in (1, 2)]
    state, dy, dh = (t(x(*shape, seed=3), SINGLE) for shape in ((2, 3), (3, 2, 3), (2, 3)))
    gru = ops.DynamicGRUV2(gate_order=order)
    y, h, update, reset, new, hidden_new = gru(*given, *biases, None, state)

    def total(x, w, v, b, c, s):
        out = gru(x, w, v, b, c, None, s)[0]
        return (out * dy).sum() + (out[-1] * dh).sum()

    to_x, to_w, to_v, to_b, to_c, to_s = ms.grad(total, tuple(range(6)))(*given, *biases, state)
    found = g.DynamicGRUV2Grad(gate_order=order)(
        *given, y, state, h, dy, dh, update, reset, new, hidden_new, None, None
    )
    for one, other in zip(found, (to_w, to_v, to_b, to_c, to_x, to_s), strict=True):
        assert one.dtype == other.dtype
        close(one, other.asnumpy())


def test_what_no_step_computes_is_refused():
    zeros = t(x(2, 2, 3), SINGLE)
    with pytest.raises(ValueError, match="For 'DynamicGRUV2Grad', 'cell_depth'"):
        g.DynamicGRUV2Grad(cell_depth=2)(*[zeros] * 12)
