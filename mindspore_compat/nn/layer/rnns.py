"""Recurrent layers over sequences: RNN, LSTM, GRU; stacked, in one or both directions.

The steps and their gradients are in `ops/_recurrent/sequence.py`. Layers that compute a single step
are in rnn_cells.py.
"""

import functools
import math

import numpy

from ... import ops
from ..._core.declare.public_api import public
from ..._core.gradients.transforms import map_tensors
from ..._core.rules.vocabulary import Bool, Float, Int, LayerDType, OneOf, checked
from ..._core.tensor.dtype import float32
from ..._core.tensor.tensor import Tensor
from ...common.parameter import Parameter, ParameterTuple
from ...ops._elementwise.cast import cast
from ...ops._linalg.matmul import dense
from ...ops._recurrent.sequence import gru, lstm, rnn_sequence
from ...ops._recurrent.whole_layer import by_library
from ...ops._shape.join_split import cat, stack
from .._parts import need_floats
from ..cell import Cell, MixedPrecisionType
from .basic import Dropout
from .rnn_cells import _need_pair

__all__ = ["LSTM", "GRU", "RNN"]

Size = Int(ge=1)


class _Direction(Cell):
    """Runs one direction of one layer over a sequence; subclasses define the kind of network."""

    kind = None

    def construct(self, x, states, weights, mask, reverse):
        """Returns the outputs and the last states, as tuples of Tensors."""
        w_ih, w_hh, b_ih, b_hh = weights
        bias = None if b_ih is None else b_ih + b_hh
        return self._sweep(dense.run(x, w_ih, bias), states, w_hh, mask, reverse)


class _DynamicRNNTanh(_Direction):
    """One direction of a plain recurrent network with tanh."""

    kind = "tanh"

    def _sweep(self, gates, states, w_hh, mask, reverse):
        return rnn_sequence.run(gates, states[0], w_hh, mask, "tanh", reverse)


class _DynamicRNNRelu(_Direction):
    """One direction of a plain recurrent network with relu."""

    kind = "relu"

    def _sweep(self, gates, states, w_hh, mask, reverse):
        return rnn_sequence.run(gates, states[0], w_hh, mask, "relu", reverse)


class _DynamicLSTMCPUGPU(_Direction):
    """One direction of an LSTM."""

    kind = "lstm"

    def _sweep(self, gates, states, w_hh, mask, reverse):
        return lstm(gates, *states, w_hh, mask, reverse)


class _DynamicGRUCPUGPU(_Direction):
    """One direction of a GRU, whose two biases are not added up beforehand."""

    kind = "gru"

    def construct(self, x, states, weights, mask, reverse):
        """Returns the outputs and the last state, as a tuple of Tensors."""
        w_ih, w_hh, b_ih, b_hh = weights
        return gru(dense.run(x, w_ih, b_ih), states[0], w_hh, b_hh, mask, reverse)


_LISTS = {
    "weight_ih": "w_ih_list",
    "weight_hh": "w_hh_list",
    "bias_ih": "b_ih_list",
    "bias_hh": "b_hh_list",
}


class _RNNBase(Cell):
    """Base class of RNN, LSTM and GRU: parameters, layers and directions."""

    _gates = 1
    _states = 1

    @checked
    def __init__(
        self,
        input_size: Size,
        hidden_size: Size,
        num_layers: Size = 1,
        has_bias: Bool = True,
        batch_first: Bool = False,
        dropout: Float(ge=0.0, lt=1.0) = 0.0,
        bidirectional: Bool = False,
        dtype: LayerDType = float32,
    ):
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.has_bias = has_bias
        self.batch_first = batch_first
        self.dropout = dropout
        self.bidirectional = bidirectional
        self.rnn = self._direction()
        self.dropout_op = Dropout(p=dropout)
        self._make_parameters(dtype)

    def _make_parameters(self, dtype):
        """Creates the parameters: first all input weights, then all state weights, then the
        biases. The values are drawn by NumPy, direction after direction, as in MindSpore."""
        bound, rows = 1 / math.sqrt(self.hidden_size), self._gates * self.hidden_size
        kinds = list(_LISTS)[: 4 if self.has_bias else 2]
        values = {}
        for layer, suffix in self._layer_suffixes():
            width = (1 + self.bidirectional) * self.hidden_size if layer else self.input_size
            shapes = {"weight_ih": (rows, width), "weight_hh": (rows, self.hidden_size)}
            for kind in kinds:
                drawn = numpy.random.uniform(-bound, bound, shapes.get(kind, (rows,)))
                values[kind, layer, suffix] = Tensor(drawn, dtype)
        for kind in kinds:
            for layer, suffix in self._layer_suffixes():
                name = f"{kind}_l{layer}{suffix}"
                setattr(self, name, Parameter(values[kind, layer, suffix], name=name))

    def _all(self, kind):
        """Returns the parameters of one kind, for all layers and directions."""
        if kind.startswith("bias") and not self.has_bias:
            return ()
        return ParameterTuple(
            getattr(self, f"{kind}_l{layer}{suffix}") for layer, suffix in self._layer_suffixes()
        )

    w_ih_list = functools.cached_property(lambda self: self._all("weight_ih"))
    w_hh_list = functools.cached_property(lambda self: self._all("weight_hh"))
    b_ih_list = functools.cached_property(lambda self: self._all("bias_ih"))
    b_hh_list = functools.cached_property(lambda self: self._all("bias_hh"))

    def __setattr__(self, name, value):
        super().__setattr__(name, value)
        if name in _LISTS.values():  # an assigned list replaces the existing parameters
            self.__dict__.setdefault("_lists_given", {})[name] = value

    def _weight(self, kind, layer, suffix):
        parameters = self.__dict__.get("_lists_given", {}).get(_LISTS[kind])
        if parameters is None:
            return getattr(self, f"{kind}_l{layer}{suffix}")
        return parameters[self._layer_suffixes().index((layer, suffix))]

    def _layer_suffixes(self):
        """Returns (layer, suffix) of all layers and directions: (0, ''), (0, '_reverse'), (1, ''),
        ..."""
        suffixes = ("", "_reverse") if self.bidirectional else ("",)
        return [(layer, suffix) for layer in range(self.num_layers) for suffix in suffixes]

    def _weights(self, layer, suffix, dtype):
        """Returns the parameters of one direction, cast to the type of the input."""
        weights = []
        for kind in _LISTS:
            exists = self.has_bias or kind.startswith("weight")
            weight = self._weight(kind, layer, suffix) if exists else None
            weights.append(
                weight if weight is None or weight.dtype == dtype else weight.astype(dtype)
            )
        return weights

    def _cell_run(self, *args, **kwargs):
        """Runs in the requested float type; the result has the input's dtype, as in 2.10."""
        out = super()._cell_run(*args, **kwargs)
        if self._cell_mixed_precision is MixedPrecisionType.NOTSET:
            return out
        first = args[0] if args else kwargs.get("x")
        return map_tensors(lambda tensor: cast.run(tensor, first._array.dtype), out)

    def construct(self, x, hx=None, seq_length=None):
        """Runs the network over a batch of sequences.

        Args:
            x (Tensor): shape (length, batch, input_size), or (batch, length, input_size).
            hx: the first states; zeros by default.
            seq_length (Tensor): the length of each sequence; all steps by default.

        Returns:
            The outputs of the last layer, and the last states of all layers.
        """
        states = self._first_states(x, hx)
        if self.batch_first:
            x = x.swapaxes(0, 1)
        mask = None if seq_length is None else self._mask(x, seq_length)
        lasts = []
        for layer in range(self.num_layers):
            x = self._layer(x, layer, states, mask, lasts)
            if self.dropout and layer < self.num_layers - 1:
                x = self.dropout_op(x)
        ends = tuple(stack.run(list(state), 0) for state in zip(*lasts))
        return (x.swapaxes(0, 1) if self.batch_first else x), self._last_states(ends)

    def _layer(self, x, layer, states, mask, lasts):
        suffixes = ("", "_reverse") if self.bidirectional else ("",)
        weights = [self._weights(layer, suffix, x.dtype) for suffix in suffixes]
        start = layer * len(suffixes)
        if mask is None and (kind := getattr(self.rnn, "kind", None)):
            firsts = [state[start : start + len(suffixes)] for state in states]
            if (result := by_library(kind, x, firsts, weights)) is not None:
                x, ends = result
                lasts += zip(*ends)
                return x
        outputs = []
        for at, weights_of_one in enumerate(weights):
            first = tuple(state[start + at] for state in states)
            out, *last = self.rnn(x, first, weights_of_one, mask, at == 1)
            outputs.append(out)
            lasts.append(last)
        return outputs[0] if len(outputs) == 1 else cat.run(outputs, -1)

    def _mask(self, x, seq_length):
        """Returns a mask of shape (T, N, 1): one inside a sequence, zero after its end."""
        name = type(self).__name__
        if not isinstance(seq_length, Tensor) or seq_length._array.dtype.kind not in "iu":
            kind = seq_length.dtype if isinstance(seq_length, Tensor) else type(seq_length).__name__
            raise TypeError(
                f"For '{name}', 'seq_length' must be a Tensor of int32 or int64, but got {kind}."
            )
        if seq_length.shape != x.shape[1:2]:
            raise ValueError(
                f"For '{name}', 'seq_length' must have shape {x.shape[1:2]}, but got "
                f"{seq_length.shape}."
            )
        steps = ops.arange(x.shape[0]).expand_dims(1)
        return (steps < seq_length.expand_dims(0)).expand_dims(2).astype(x.dtype)

    def _first_states(self, x, hx):
        """Returns the first states as a tuple of Tensors (layers * directions, batch,
        hidden_size)."""
        name = type(self).__name__
        need_floats(name, "x", x)
        if x.ndim != 3 or x.shape[2] != self.input_size:
            raise ValueError(
                f"For '{name}', 'x' must have 3 axes, the last of length "
                f"{self.input_size}, but got shape {x.shape}."
            )
        batch = x.shape[0 if self.batch_first else 1]
        shape = (self.num_layers * (1 + self.bidirectional), batch, self.hidden_size)
        if hx is None:
            return (ops.zeros(shape, x.dtype),) * self._states
        states = self._as_states(name, hx)
        for state in states:
            need_floats(name, "hx", state)
            if state.dtype != x.dtype:
                raise TypeError(
                    f"For '{name}', 'hx' must have the dtype of 'x', {x.dtype}, but "
                    f"got {state.dtype}."
                )
            if state.shape != shape:
                raise ValueError(
                    f"For '{name}', 'hx' must have shape {shape}, but got {state.shape}."
                )
        return states

    def _as_states(self, name, hx):
        return (hx,)

    def _last_states(self, ends):
        return ends[0]


@public("nn.RNN")
class RNN(_RNNBase):
    """Elman recurrent network (RNN): computes h = act(x @ weight_ih.T + h @ weight_hh.T + biases).

    Args:
        input_size (int): the number of features of the input.
        hidden_size (int): the number of hidden units.
        num_layers (int): the number of stacked layers.
        has_bias (bool): whether the layer has biases.
        batch_first (bool): whether the batch is the first axis instead of the second.
        dropout (float): the probability that an output between layers is zeroed in training mode.
        bidirectional (bool): whether a second direction runs from the end of the sequence.
        dtype (mindspore.dtype): the type of the parameters.
        nonlinearity (str): 'tanh' or 'relu'.

    Inputs:
        - **x** (Tensor): shape (length, batch, input_size).
        - **hx** (Tensor): shape (layers * directions, batch, hidden_size); zeros by default.
        - **seq_length** (Tensor): the length of each sequence; all steps by default.

    Outputs:
        The outputs of the last layer, of shape (length, batch, directions * hidden_size), and the
        last states, of the shape of `hx`. With `batch_first`, the first two axes of `x` and of the
        outputs change places.

    Raises:
        TypeError: if a size is not an int, a flag not a bool, or `dropout` not a float.
        ValueError: if a size is less than 1, `dropout` not in [0, 1), or `nonlinearity` unknown.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.RNN(2, 3)(ms.ops.ones((4, 1, 2)), ms.ops.zeros((1, 1, 3)))[0].shape)
        (4, 1, 3)
    """

    @checked
    def __init__(self, *args, nonlinearity: OneOf("tanh", "relu") = "tanh", **kwargs):
        self.__dict__["nonlinearity"] = nonlinearity
        super().__init__(*args, **kwargs)

    def _direction(self):
        return _DynamicRNNTanh() if self.nonlinearity == "tanh" else _DynamicRNNRelu()


@public("nn.LSTM")
class LSTM(_RNNBase):
    """Long short-term memory (LSTM) network over a sequence.

    i = sigmoid(W_i x + U_i h + b_i); f = sigmoid(W_f x + U_f h + b_f);
    g = tanh(W_g x + U_g h + b_g); o = sigmoid(W_o x + U_o h + b_o); c' = f c + i g;
    h' = o tanh(c')

    W, U and b are the rows of a layer's `weight_ih`, `weight_hh` and the sum of its biases, in the
    order i, f, g, o.

    Args:
        input_size (int): the number of features of the input.
        hidden_size (int): the number of hidden units.
        num_layers (int): the number of stacked layers.
        has_bias (bool): whether the layer has biases.
        batch_first (bool): whether the batch is the first axis instead of the second.
        dropout (float): the probability that an output between layers is zeroed in training mode.
        bidirectional (bool): whether a second direction runs from the end of the sequence.
        dtype (mindspore.dtype): the type of the parameters.

    Inputs:
        - **x** (Tensor): shape (length, batch, input_size).
        - **hx** (tuple): states and cells, each of shape (layers * directions, batch, hidden_size);
          zeros by default.
        - **seq_length** (Tensor): the length of each sequence; all steps by default.

    Outputs:
        The outputs of the last layer, of shape (length, batch, directions * hidden_size), and the
        tuple of the last states and cells, of the shape of those in `hx`. With `batch_first`, the
        first two axes of `x` and of the outputs change places.

    Raises:
        TypeError: if a size is not an int, a flag not a bool, or `dropout` not a float.
        ValueError: if a size is less than 1, or `dropout` not in [0, 1).

    Examples:
        >>> from mindspore_compat import nn, ops
        >>> output, (h, c) = nn.LSTM(10, 16, 2, batch_first=True)(ops.ones((3, 5, 10)))
        >>> output.shape, h.shape
        ((3, 5, 16), (2, 3, 16))
    """

    _gates = 4
    _states = 2

    def _direction(self):
        return _DynamicLSTMCPUGPU()

    def _as_states(self, name, hx):
        _need_pair(name, hx)
        return hx

    def _last_states(self, ends):
        return ends


@public("nn.GRU")
class GRU(_RNNBase):
    """Gated recurrent unit (GRU) network over a sequence.

    r = sigmoid(W_r x + b_r + U_r h + c_r); z = sigmoid(W_z x + b_z + U_z h + c_z);
    n = tanh(W_n x + b_n + r (U_n h + c_n)); h' = (1 - z) n + z h

    W, U, b and c are the rows of a layer's `weight_ih`, `weight_hh`, `bias_ih` and `bias_hh`, in
    the order r, z, n.

    Args:
        input_size (int): the number of features of the input.
        hidden_size (int): the number of hidden units.
        num_layers (int): the number of stacked layers.
        has_bias (bool): whether the layer has biases.
        batch_first (bool): whether the batch is the first axis instead of the second.
        dropout (float): the probability that an output between layers is zeroed in training mode.
        bidirectional (bool): whether a second direction runs from the end of the sequence.
        dtype (mindspore.dtype): the type of the parameters.

    Inputs:
        - **x** (Tensor): shape (length, batch, input_size).
        - **hx** (Tensor): shape (layers * directions, batch, hidden_size); zeros by default.
        - **seq_length** (Tensor): the length of each sequence; all steps by default.

    Outputs:
        The outputs of the last layer, of shape (length, batch, directions * hidden_size), and the
        last states, of the shape of `hx`. With `batch_first`, the first two axes of `x` and of the
        outputs change places.

    Raises:
        TypeError: if a size is not an int, a flag not a bool, or `dropout` not a float.
        ValueError: if a size is less than 1, or `dropout` not in [0, 1).

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.GRU(2, 3)(ms.ops.ones((4, 1, 2)), ms.ops.zeros((1, 1, 3)))[0].shape)
        (4, 1, 3)
    """

    _gates = 3

    def _direction(self):
        return _DynamicGRUCPUGPU()
