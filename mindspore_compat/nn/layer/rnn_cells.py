"""Layers that compute one step of a recurrent network: RNNCell, LSTMCell, GRUCell.

Layers over sequences are in rnns.py; the arithmetic of a step is in `ops/_recurrent/sequence.py`.
"""

import math

import numpy

from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import (
    Bool,
    Forbid,
    InstanceOf,
    Int,
    LayerDType,
    OneOf,
    TensorOf,
    checked,
)
from ..._core.tensor.dtype import float32
from ...common.initializer import Uniform
from ...ops._linalg.matmul import dense
from ...ops._recurrent.sequence import gru, lstm, rnn_sequence
from ...ops._rules import Float16Or32
from ...ops._shape.repeat import broadcast_to
from .._parts import parameter
from ..cell import Cell
from ._rnn_documented import documented

_TwoTensors = InstanceOf(tuple).called("a tuple of two Tensors")

__all__ = ["LSTMCell", "GRUCell", "RNNCell"]

Half = TensorOf("float16", "float32")
Size = Int(ge=1)


def _one_step(x, w_ih, bias):
    """Returns the input's contribution to the gates, as a sequence of one step."""
    return dense.run(x, w_ih, bias).expand_dims(0)


def _with_rows(x, rows):
    return x if x.shape[0] == rows else broadcast_to.run(x, (rows, x.shape[1]))


def _sum(b_ih, b_hh):
    return None if b_ih is None else b_ih + b_hh


def _rnn_tanh_cell(inputs, hidden, w_ih, w_hh, b_ih, b_hh):
    """Computes tanh(x @ w_ih.T + b_ih + h @ w_hh.T + b_hh)."""
    return rnn_sequence.run(_one_step(inputs, w_ih, _sum(b_ih, b_hh)), hidden, w_hh)[1]


def _rnn_relu_cell(inputs, hidden, w_ih, w_hh, b_ih, b_hh):
    """Computes relu(x @ w_ih.T + b_ih + h @ w_hh.T + b_hh)."""
    gates = _one_step(inputs, w_ih, _sum(b_ih, b_hh))
    return rnn_sequence.run(gates, hidden, w_hh, None, "relu")[1]


def _lstm_cell(inputs, hidden, cell, w_ih, w_hh, b_ih, b_hh):
    """Returns the next state and cell of an LSTM, given the previous ones."""
    gates = _one_step(inputs, w_ih, _sum(b_ih, b_hh))
    return lstm(gates, hidden, cell, w_hh)[1:]


def _gru_cell(inputs, hidden, w_ih, w_hh, b_ih, b_hh):
    """Returns the next state of a GRU."""
    return gru(_one_step(inputs, w_ih, b_ih), hidden, w_hh, b_hh)[1]


@documented
class RNNCellBase(Cell):
    """Base class of the three cells: their parameters.

    Args:
        num_chunks (int): the number of gates.
    """

    @checked
    def __init__(
        self,
        input_size: Size,
        hidden_size: Size,
        has_bias: Bool,
        num_chunks: Size,
        dtype: LayerDType = float32,
    ):
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.has_bias = has_bias
        start, rows = Uniform(1 / math.sqrt(hidden_size)), num_chunks * hidden_size
        shapes = {"weight_ih": (rows, input_size), "weight_hh": (rows, hidden_size)}
        if has_bias:
            shapes |= {"bias_ih": (rows,), "bias_hh": (rows,)}
        for shape in shapes.values():
            numpy.random.randn(*shape)  # not used: MindSpore draws them, so later draws agree
        self.bias_ih = self.bias_hh = None
        for name, shape in shapes.items():
            setattr(self, name, parameter(start, shape, dtype))

    def _step(self, step, x, *states):
        """Checks the inputs and runs one step. A single row is broadcast to the rows of the other
        inputs.
        """
        name = type(self).__name__
        Float16Or32.refuse(name, "x", x)
        if x.ndim != 2 or x.shape[1] != self.input_size:
            raise ValueError(
                f"For '{name}', 'x' must have shape (batch, {self.input_size}), but got {x.shape}."
            )
        rows = x.shape[0]
        for state in states:
            Float16Or32.refuse(name, "hx", state)
            if rows == 1 and state.ndim:
                rows = state.shape[0]
            if state.shape not in ((rows, self.hidden_size), (1, self.hidden_size)):
                raise ValueError(
                    f"For '{name}', 'hx' must have shape ({rows}, {self.hidden_size}), but got "
                    f"{state.shape}."
                )
        x, *states = [_with_rows(tensor, rows) for tensor in (x, *states)]
        weights = self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh
        return step(x, *states, *weights)


def _need_pair(api, hx):
    if not isinstance(hx, tuple):
        _TwoTensors.refuse(api, "hx", hx)
    if len(hx) != 2:
        raise ValueError(f"For '{api}', 'hx' must hold two Tensors, but got {len(hx)}.")


@public("nn.RNNCell")
@documented
class RNNCell(RNNCellBase):
    """Elman RNN cell, one step: act(x @ weight_ih.T + h @ weight_hh.T + biases).

    Args:
        nonlinearity (str): 'tanh' or 'relu'.

    Inputs:
        - **x** (Tensor): shape (batch, input_size).
        - **hx** (Tensor): shape (batch, hidden_size); here and in `x`, one row is broadcast.

    Outputs:
        The next state, of shape (batch, hidden_size).

    Raises:
        TypeError: if a size is not an int or less than 1, `has_bias` not a bool, or an input not a
            Tensor of floats.
        ValueError: if `nonlinearity` is unknown.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.RNNCell(2, 3)(ms.ops.ones((1, 2)), ms.ops.zeros((1, 3))).shape)
        (1, 3)
    """

    @checked(
        Forbid(
            "input_size < 1 or hidden_size < 1",
            TypeError,
            "'input_size' and 'hidden_size' must be at least 1",
        )
    )
    def __init__(
        self,
        input_size: Int,
        hidden_size: Int,
        has_bias: Bool = True,
        nonlinearity: OneOf("tanh", "relu") = "tanh",
        dtype: LayerDType = float32,
    ):
        super().__init__(input_size, hidden_size, has_bias, 1, dtype)
        self.nonlinearity = nonlinearity

    def construct(self, x, hx):
        """Returns the next state."""
        step = _rnn_tanh_cell if self.nonlinearity == "tanh" else _rnn_relu_cell
        return self._step(step, x, hx)


@public("nn.LSTMCell")
@documented
class LSTMCell(RNNCellBase):
    """Long short-term memory (LSTM) cell: one step of an LSTM.

    i = sigmoid(W_i x + U_i h + b_i); f = sigmoid(W_f x + U_f h + b_f);
    g = tanh(W_g x + U_g h + b_g); o = sigmoid(W_o x + U_o h + b_o); c' = f c + i g;
    h' = o tanh(c')

    W, U and b are the rows of `weight_ih`, `weight_hh` and the sum of the biases, in the order
    i, f, g, o.

    Inputs:
        - **x** (Tensor): shape (batch, input_size).
        - **hx** (tuple): the state and the cell, each of shape (batch, hidden_size); in
          them and in `x`, one row is broadcast.

    Outputs:
        The next state and cell, each of shape (batch, hidden_size).

    Raises:
        TypeError: if a size is not an int, `has_bias` not a bool, or `hx` not a tuple.
        ValueError: if a size is less than 1.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.LSTMCell(2, 3)(ms.ops.ones((1, 2)),
        ...                            (ms.ops.zeros((1, 3)), ms.ops.zeros((1, 3))))[0].shape)
        (1, 3)
    """

    @checked
    def __init__(
        self,
        input_size: Size,
        hidden_size: Size,
        has_bias: Bool = True,
        dtype: LayerDType = float32,
    ):
        super().__init__(input_size, hidden_size, has_bias, 4, dtype)

    def construct(self, x, hx):
        """Returns the next state and cell."""
        _need_pair("LSTMCell", hx)
        return self._step(_lstm_cell, x, *hx)


@public("nn.GRUCell")
@documented
class GRUCell(RNNCellBase):
    """Gated recurrent unit (GRU) cell: one step of a GRU.

    r = sigmoid(W_r x + b_r + U_r h + c_r); z = sigmoid(W_z x + b_z + U_z h + c_z);
    n = tanh(W_n x + b_n + r (U_n h + c_n)); h' = (1 - z) n + z h

    W, U, b and c are the rows of `weight_ih`, `weight_hh`, `bias_ih` and `bias_hh`, in the order
    r, z, n.

    Inputs:
        - **x** (Tensor): shape (batch, input_size).
        - **hx** (Tensor): shape (batch, hidden_size); here and in `x`, one row is broadcast.

    Outputs:
        The next state, of shape (batch, hidden_size).

    Raises:
        TypeError: if a size is not an int, `has_bias` not a bool, or an input not a Tensor of
            floats.
        ValueError: if a size is less than 1.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.GRUCell(2, 3)(ms.ops.ones((1, 2)), ms.ops.zeros((1, 3))).shape)
        (1, 3)
    """

    @checked
    def __init__(
        self,
        input_size: Size,
        hidden_size: Size,
        has_bias: Bool = True,
        dtype: LayerDType = float32,
    ):
        super().__init__(input_size, hidden_size, has_bias, 3, dtype)

    def construct(self, x, hx):
        """Returns the next state."""
        return self._step(_gru_cell, x, hx)
