"""Recurrent Primitives whose weights are one flat vector: LSTM, CudnnGRU, LSTMV2 and GRUV2.

They run stacked layers with the functions of _recurrent/sequence.py. Layers with separate weights
are in `nn`; Primitives that return the gates of every step are in _recurrent/steps.py.
"""

from math import prod

from ..._backend.recurrent.formulas import lstm_update
from ..._core.declare.op import op, space_for
from ..._core.declare.public_api import public
from ..._core.declare.shapes_first import shapes_first
from ..._core.rules.vocabulary import (
    AsValue,
    Bool,
    Float,
    Forbid,
    Int,
    OneDtype,
    Plain,
    TensorOf,
    checked,
)
from ..._core.tensor.tensor import Tensor
from .._linalg.matmul import dense
from .._random.dropout import dropout
from .._rules import Floats, Positive
from .._shape.join_split import cat, stack
from .._shape.ranges import arange
from .._shape.reshape import reshape
from ..primitive import Primitive
from .sequence import gru, lstm, lstm_gates, stacked, steps
from .steps import need_rank, need_shapes

State = AsValue(Floats, Plain)
Share = Float(ge=0.0, le=1.0)
Lengths = TensorOf("int32")


class _Pieces:
    """Splits a vector into consecutive pieces of given shapes."""

    def __init__(self, vector):
        self.vector, self.start = vector, 0

    def take(self, *shape):
        start, self.start = self.start, self.start + prod(shape)
        return reshape(self.vector[start : self.start], shape)


class _Stacked(Primitive):
    """The base class of stacked recurrent layers with one weight vector, laid out as `LSTM`
    describes."""

    gates = 1
    is_train = True

    def _widths(self):
        """Yields the layer and direction of each cell, with the number of its input features."""
        directions = 1 + self.bidirectional
        width = directions * self._output_size()
        return [
            self.input_size if layer == 0 else width
            for layer in range(self.num_layers)
            for _ in range(directions)
        ]

    def _output_size(self):
        return self.hidden_size

    def _rows(self):
        return self.gates * self.hidden_size

    def _weights(self, w):
        """Returns (input weight, state weight, projection, biases) for each cell."""
        widths, rows, output_size = self._widths(), self._rows(), self._output_size()
        projected = output_size != self.hidden_size
        plain = sum(rows * (width + output_size) for width in widths)
        plain += len(widths) * output_size * self.hidden_size * projected
        counts = (2, 1) if self.has_bias else (0,)
        sizes = [plain + count * rows * len(widths) for count in counts]
        if w.size not in sizes:
            raise ValueError(
                f"For '{self.name}', 'w' must have {' or '.join(map(str, sizes))} "
                f"elements, but got the shape {w.shape}."
            )
        count = (w.size - plain) // (rows * len(widths))
        pieces = _Pieces(reshape(w, (-1,)))
        if self.num_layers == 1 and count < 2:
            inputs = [pieces.take(rows, width) for width in widths]
            turning = [pieces.take(rows, output_size) for _ in widths]
        else:
            pairs = [(pieces.take(rows, width), pieces.take(rows, output_size)) for width in widths]
            inputs, turning = zip(*pairs)
        projection = [
            pieces.take(output_size, self.hidden_size) if projected else None for _ in widths
        ]
        biases = [tuple(pieces.take(rows) for _ in range(count)) for _ in widths]
        return list(zip(inputs, turning, projection, biases))

    def _run(self, x, states, w, mask=None):
        """Returns the outputs of the last layer and the last states of all layers."""
        weights, directions, lasts = self._weights(w), 1 + self.bidirectional, []
        firsts = list(zip(*states))
        for layer in range(self.num_layers):
            outputs = []
            for way in range(directions):
                at = layer * directions + way
                out, *last = self._sweep(x, firsts[at], weights[at], way == 1, mask)
                outputs.append(out)
                lasts.append(last)
            x = outputs[0] if directions == 1 else cat.run(outputs, -1)
            if self.dropout and self.is_train and layer < self.num_layers - 1:
                x = dropout.run(x, self.dropout, True)
        return (x, *(stack.run(list(column), 0) for column in zip(*lasts)))

    def _need(self, input, **states):
        need_rank(self.name, input=(input, 3))
        if input.shape[2] != self.input_size:
            raise ValueError(
                f"For '{self.name}', the last axis of 'input' must have length "
                f"{self.input_size}, but got {input.shape}."
            )
        cells = self.num_layers * (1 + self.bidirectional)
        need_shapes(
            self.name,
            **{
                name: (state, (cells, input.shape[1], width))
                for name, (state, width) in states.items()
            },
        )

    def _mask(self, input, seq_lengths):
        """Returns a mask (T, N, 1): one inside a sequence, zero beyond its end."""
        need_shapes(self.name, seq_lengths=(seq_lengths, (input.shape[1],)))
        steps_of = arange(input.shape[0]).expand_dims(1)
        return (steps_of < seq_lengths.expand_dims(0)).expand_dims(2).astype(input.dtype)

    def _spaces(self, input):
        """Returns two placeholders for the reserve space and the random state that cuDNN would
        return."""
        xp = space_for(input._array)
        return tuple(Tensor._wrap(xp.zeros((1, 1), input._array.dtype)) for _ in range(2))


@op()
def lstm_projected(
    xp,
    gates: Floats,
    h0: Floats,
    c0: Floats,
    weight: Floats,
    projection: Floats,
    reverse: Bool = False,
):
    """Runs `lstm_sequence`, and multiplies the state by `projection` (R, H) after each step.

    Returns:
        The outputs (T, N, R), the last state (N, R) and the last cell (N, H).
    """
    weight_t, projection_t = xp.swapaxes(weight, 0, 1), xp.swapaxes(projection, 0, 1)
    h, c, outputs = h0, c0, {}
    for t in steps(gates.shape[0], reverse):
        out, c = lstm_update(xp, *lstm_gates(xp, gates[t] + xp.matmul(h, weight_t)), c)
        h = outputs[t] = xp.matmul(out, projection_t)
    return stacked(xp, outputs), h, c


@public("ops.LSTM")
class LSTM(_Stacked):
    """Applies LSTM layers to a sequence, with all weights in one vector; `nn.LSTM` has separate
    weights.

    The vector `w` has MindSpore's layout for a GPU or that for a CPU. For a GPU, it holds the input
    weights (4H, I) and the state weights (4H, H) of each layer and direction, followed by the two
    biases (4H) of each. The layout for a CPU is used for a single layer without biases or with one
    bias per direction; it holds the input weights, the state weights, the projection (R, H), and
    the biases, in this order. The order of the gates is input, forget, candidate, output.

    Args:
        input_size (int): the number of input features, I.
        hidden_size (int): the number of hidden units, H.
        num_layers (int): the number of layers.
        has_bias (bool): whether there are biases.
        bidirectional (bool): whether each layer also runs backwards.
        dropout (float): the dropout probability between layers, in [0, 1].
        proj_size (int): the size R that states are projected to, in [0, H); 0 for no projection.

    Inputs:
        `input` (T, N, I); `h` (cells, N, R or H) and `c` (cells, N, H), with num_layers times the
        directions cells; `w`, of any shape. All have one floating dtype.

    Returns:
        The outputs (T, N, directions times R or H), the last h and c, and two placeholders (1, 1)
        for the workspaces of other libraries.

    Raises:
        TypeError: if a setting or an input has the wrong type, or dtypes differ.
        ValueError: if a setting is out of range, or shapes do not fit.

    Example:
        >>> import mindspore_compat as ms
        >>> lstm = ms.ops.LSTM(2, 3, 1, False, False, 0.0)
        >>> state = ms.ops.zeros((1, 1, 3))
        >>> print(lstm(ms.ops.ones((4, 1, 2)), state, state, ms.ops.ones((60, 1, 1)))[0].shape)
        (4, 1, 3)

    Source: mindspore.ops.LSTM of MindSpore 2.10.
    """

    gates = 4

    @checked(Forbid("proj_size >= hidden_size", reason="'proj_size' must be below 'hidden_size'"))
    def __init__(
        self,
        input_size: Positive,
        hidden_size: Positive,
        num_layers: Positive,
        has_bias: Bool,
        bidirectional: Bool,
        dropout: Share,
        proj_size: Int(ge=0) = 0,
    ):
        super().__init__("LSTM")
        self.input_size, self.hidden_size, self.num_layers = input_size, hidden_size, num_layers
        self.has_bias, self.bidirectional = has_bias, bidirectional
        self.dropout, self.proj_size = dropout, proj_size

    def _output_size(self):
        return self.proj_size or self.hidden_size

    def _sweep(self, x, states, weights, reverse, mask):
        input_weights, turning, projection, biases = weights
        gates = dense.run(x, input_weights, sum(biases[1:], biases[0]) if biases else None)
        if projection is None:
            return lstm(gates, *states, turning, mask, reverse)
        return lstm_projected.run(gates, *states, turning, projection, reverse)

    @shapes_first
    @checked(OneDtype("input h c w"))
    def __call__(self, input: Floats, h: State, c: State, w: Floats):
        self._need(input, h=(h, self._output_size()), c=(c, self.hidden_size))
        return (*self._run(input, (h, c), w), *self._spaces(input))


@public("ops.operations._rl_inner_ops.CudnnGRU")
class CudnnGRU(_Stacked):
    """Applies GRU layers to a sequence, with all weights in one vector; `nn.GRU` has separate
    weights.

    The vector is laid out as that of `ops.LSTM` with two biases; the gates are reset, update, new.

    Args:
        input_size (int): the number of input features, I.
        hidden_size (int): the number of hidden units, H.
        num_layers (int): the number of layers.
        has_bias (bool): whether there are biases.
        bidirectional (bool): whether each layer also runs backwards.
        dropout (float): the dropout probability between layers, in [0, 1].

    Inputs:
        `input` (T, N, I), `h` (num_layers times the directions, N, H), `w` of any shape; all have
        one floating dtype.

    Returns:
        The outputs (T, N, directions times H), the last h, and two placeholders (1, 1) for the
        workspaces of other libraries.

    Raises:
        TypeError: if a setting or an input has the wrong type, or dtypes differ.
        ValueError: if a setting is out of range, or shapes do not fit.

    Source: mindspore.ops.operations._rl_inner_ops.CudnnGRU of MindSpore 2.10.
    """

    gates = 3

    @checked
    def __init__(
        self,
        input_size: Positive,
        hidden_size: Positive,
        num_layers: Positive,
        has_bias: Bool,
        bidirectional: Bool,
        dropout: Share,
    ):
        super().__init__("CudnnGRU")
        self.input_size, self.hidden_size, self.num_layers = input_size, hidden_size, num_layers
        self.has_bias, self.bidirectional, self.dropout = has_bias, bidirectional, dropout

    def _sweep(self, x, states, weights, reverse, mask):
        input_weights, turning, _, biases = weights
        first, second = biases if len(biases) == 2 else (*biases, None, None)[:2]
        return gru(dense.run(x, input_weights, first), *states, turning, second, mask, reverse)

    @checked(OneDtype("input h w"))
    def __call__(self, input: Floats, h: Floats, w: Floats):
        self._need(input, h=(h, self.hidden_size))
        return (*self._run(input, (h,), w), *self._spaces(input))


@public("ops.operations._rl_inner_ops.LSTMV2")
class LSTMV2(LSTM):
    """Applies LSTM layers to sequences of different lengths; outputs beyond a sequence's end are
    zero.

    Args:
        input_size (int): the number of input features, I.
        hidden_size (int): the number of hidden units, H.
        num_layers (int): the number of layers.
        has_bias (bool): whether there are biases.
        bidirectional (bool): whether each layer also runs backwards, from each sequence's own end.
        dropout (float): the dropout probability between layers, in [0, 1].
        is_train (bool): whether dropout is applied.

    Inputs:
        The inputs of `ops.LSTM`, and `seq_lengths` (N,) int32.

    Returns:
        The outputs, the states and cells at the ends, and two placeholders, as from `ops.LSTM`.

    Raises:
        TypeError: if a setting or an input has the wrong type, or dtypes differ.
        ValueError: if a setting is out of range, or shapes do not fit.

    Source: mindspore.ops.operations._rl_inner_ops.LSTMV2 of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        input_size: Positive,
        hidden_size: Positive,
        num_layers: Positive,
        has_bias: Bool,
        bidirectional: Bool,
        dropout: Share,
        is_train: Bool = True,
    ):
        LSTM.__init__(self, input_size, hidden_size, num_layers, has_bias, bidirectional, dropout)
        self.name, self.is_train = "LSTMV2", is_train

    @checked(OneDtype("input h c w"))
    def __call__(self, input: Floats, h: Floats, c: Floats, w: Floats, seq_lengths: Lengths):
        self._need(input, h=(h, self.hidden_size), c=(c, self.hidden_size))
        mask = self._mask(input, seq_lengths)
        return (*self._run(input, (h, c), w, mask), *self._spaces(input))


@public("ops.operations._rl_inner_ops.GRUV2")
class GRUV2(CudnnGRU):
    """Applies GRU layers to sequences of different lengths; outputs beyond a sequence's end are
    zero.

    Args:
        input_size (int): the number of input features, I.
        hidden_size (int): the number of hidden units, H.
        num_layers (int): the number of layers.
        has_bias (bool): whether there are biases.
        bidirectional (bool): whether each layer also runs backwards, from each sequence's own end.
        dropout (float): the dropout probability between layers, in [0, 1].
        is_train (bool): whether dropout is applied.

    Inputs:
        The inputs of `CudnnGRU`, and `seq_lengths` (N,) int32.

    Returns:
        The outputs, the states at the ends, and two placeholders, as from `CudnnGRU`.

    Raises:
        TypeError: if a setting or an input has the wrong type, or dtypes differ.
        ValueError: if a setting is out of range, or shapes do not fit.

    Source: mindspore.ops.operations._rl_inner_ops.GRUV2 of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        input_size: Positive,
        hidden_size: Positive,
        num_layers: Positive,
        has_bias: Bool,
        bidirectional: Bool,
        dropout: Share,
        is_train: Bool = True,
    ):
        CudnnGRU.__init__(
            self, input_size, hidden_size, num_layers, has_bias, bidirectional, dropout
        )
        self.name, self.is_train = "GRUV2", is_train

    @checked(OneDtype("input h w"))
    def __call__(self, input: Floats, h: Floats, w: Floats, seq_lengths: Lengths):
        self._need(input, h=(h, self.hidden_size))
        mask = self._mask(input, seq_lengths)
        return (*self._run(input, (h,), w, mask), *self._spaces(input))
