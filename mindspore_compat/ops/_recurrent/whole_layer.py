"""A recurrent layer as one call of cuDNN, if the device has it.

`by_library` decides whether to call cuDNN. For arrays that it does not support, such as traced
ones, the same operator is composed of the functions of sequence.py. So are gradients of second
order, which repeat the forward pass.
"""

from math import prod

from ..._backend.arrays import space_of
from ..._backend.steps.weight_products import weight_product
from ..._core.declare.op import op
from ..._core.rules.vocabulary import Bool, OneOf
from .._rules import Floats
from .._shape.join_split import cat
from .._shape.reshape import reshape_array
from .sequence import (
    gru_sequence,
    gru_sequence_vjp,
    lstm_sequence,
    lstm_sequence_vjp,
    rnn_sequence,
    rnn_sequence_vjp,
)

GATES = {"relu": 1, "tanh": 1, "lstm": 4, "gru": 3}


def by_library(kind, x, states, weights):
    """Runs all directions of a layer by the device's library.

    Args:
        kind (str): "relu", "tanh", "lstm" or "gru".
        x (Tensor): the input (T, N, I).
        states (tuple): the first states and, of an LSTM, cells: Tensors (directions, N, H).
        weights (list): for each direction the weights (rows, I) and (rows, H), and two biases,
            which may be None.

    Returns:
        The outputs (T, N, directions * H) and the last states; None if no library computes the
        layer.
    """
    space = space_of(x._array)
    layers = getattr(space, "recurrent_layers", None)
    by_kind = list(zip(*weights, strict=True))
    has_bias = by_kind[2][0] is not None
    parts = [
        *[weight for pair in zip(*by_kind[:2]) for weight in pair],
        *([bias for pair in zip(*by_kind[2:]) for bias in pair] if has_bias else []),
    ]
    arrays = [part._array for part in (x, *states, *parts)]
    if layers is None or not layers.take(kind, has_bias, *arrays):
        return None
    flat = cat.run([reshape_array.run(part, (-1,)) for part in parts], 0)
    saves = any(tensor._node is not None for tensor in (x, *states, flat))
    cell = states[1] if len(states) == 2 else None
    outputs, _, *lasts = recurrent_layer.run(x, states[0], flat, cell, kind, has_bias, saves)
    return outputs, lasts


@op(compute="kernels")
def recurrent_layer(
    xp,
    x: Floats,
    h0: Floats,
    weights: Floats,
    c0: Floats = None,
    kind: OneOf("relu", "tanh", "lstm", "gru") = "lstm",
    has_bias: Bool = True,
    saves: Bool = True,
):
    """Runs all directions of a recurrent layer; shapes are those of `by_library`, except that all
    weights are in one vector.

    Returns:
        The outputs, values for the gradient that only the library reads (none unless `saves`), and
        the last states.
    """
    layers = getattr(xp, "recurrent_layers", None)
    states = _states(h0, c0)
    if layers is not None and layers.take(kind, has_bias, x, *states):
        results = layers.forward(kind, has_bias, x, states, weights, saves)
        if results is not None:
            return results
    lines = [Direction(xp, x, states, weights, kind, has_bias, at) for at in range(h0.shape[0])]
    outputs, *lasts = zip(*[line.run()[: 1 + len(states)] for line in lines], strict=True)
    outputs = outputs[0] if len(outputs) == 1 else xp.concatenate(list(outputs), -1)
    return outputs, xp.zeros((0,), x.dtype), *[xp.stack(list(last), 0) for last in lasts]


def _states(h0, c0):
    return (h0,) if c0 is None else (h0, c0)


@recurrent_layer.vjp_joint
def recurrent_layer_vjp(xp, g, x, h0, weights, c0, kind, has_bias, out):
    """Returns the gradients of x, the first state, the weights, and the first cell."""
    states, (outputs, reserve, *_) = _states(h0, c0), out
    grad_out, _, *flows = g
    layers = getattr(xp, "recurrent_layers", None)
    if layers is not None and reserve.size:
        given = x, states, weights, outputs, reserve, (grad_out, *flows)
        gradients = layers.backward(kind, has_bias, *given)
        if gradients is not None:
            grad_x, grad_weights, firsts = gradients
            return grad_x, firsts[0], grad_weights, firsts[1] if c0 is not None else None
    grad_x, by_state, by_weight = 0, [], []
    for at in range(h0.shape[0]):
        direction = Direction(xp, x, states, weights, kind, has_bias, at)
        part, firsts, by_parts = direction.vjp(grad_out, flows)
        grad_x = grad_x + part
        by_state.append(firsts)
        by_weight.append(by_parts)
    matrices, biases = [parts[:2] for parts in by_weight], [parts[2:] for parts in by_weight]
    flat = [xp.reshape(part, (-1,)) for parts in (*matrices, *biases) for part in parts]
    firsts = [xp.stack(list(first), 0) for first in zip(*by_state, strict=True)]
    by_cell = firsts[1] if c0 is not None else None
    return grad_x, firsts[0], xp.concatenate(flat, 0), by_cell


recurrent_layer_vjp.fills = False  # no gradient flows to the library's saved values


class Direction:
    """A direction of a layer, composed of the functions of sequence.py.

    Args:
        xp: the array namespace.
        x, states, weights, kind, has_bias: as for `recurrent_layer`.
        at (int): 0 for the first direction, 1 for the second.
    """

    def __init__(self, xp, x, states, weights, kind, has_bias, at):
        self.xp, self.x, self.kind, self.at = xp, x, kind, at
        self.states = [state[at] for state in states]
        rows = GATES[kind] * self.states[0].shape[-1]
        shapes = [(rows, x.shape[-1]), (rows, self.states[0].shape[-1])]
        matrices = sum(map(prod, shapes))
        start = at * matrices
        self.w_ih, self.w_hh = (
            xp.reshape(weights[first : first + prod(shape)], shape)
            for first, shape in zip((start, start + prod(shapes[0])), shapes, strict=True)
        )
        self.b_ih = self.b_hh = None
        if has_bias:
            start = len(states[0]) * matrices + at * 2 * rows
            self.b_ih, self.b_hh = (
                weights[start : start + rows],
                weights[start + rows : start + 2 * rows],
            )

    def run(self):
        """Returns the outputs, the last states and the values that the gradient needs."""
        biases = [self.b_ih] if self.kind == "gru" else [self.b_ih, self.b_hh]
        self.gates = self.xp.matmul(self.x, self.xp.swapaxes(self.w_ih, 0, 1))
        for bias in biases:
            self.gates = self.gates if bias is None else self.gates + bias
        body, *options = {
            "lstm": (lstm_sequence.body, None, bool(self.at), True),
            "gru": (gru_sequence.body, self.b_hh, None, bool(self.at), True),
        }.get(self.kind, (rnn_sequence.body, None, self.kind, bool(self.at)))
        return body(self.xp, self.gates, *self.states, self.w_hh, *options)

    def vjp(self, grad_out, flows):
        """Returns the gradients of x, the first states, and the list of weights."""
        out, units = self.run(), self.states[0].shape[-1]
        at, reverse = self.at, bool(self.at)
        if grad_out is not None:
            grad_out = grad_out[..., at * units : (at + 1) * units]
        g = grad_out, *[None if flow is None else flow[at] for flow in flows]
        states, w_hh = self.states, self.w_hh
        if self.kind == "lstm":
            *grads, by_w, _ = lstm_sequence_vjp(
                self.xp, (*g, None), *states, w_hh, None, reverse, out
            )
        elif self.kind == "gru":
            *grads, by_w, by_b_hh, _ = gru_sequence_vjp(
                self.xp, (*g, None), *states, w_hh, self.b_hh, None, reverse, out
            )
        else:
            *grads, by_w, _ = rnn_sequence_vjp(
                self.xp, g, self.gates, *states, w_hh, None, self.kind, reverse, out
            )
        grads, *firsts = grads
        rows = [self.xp.reshape(array, (-1, array.shape[-1])) for array in (grads, self.x)]
        weights = [weight_product(self.xp, *rows), by_w]
        if self.b_ih is not None:
            by_b_ih = self.xp.sum(grads, (0, 1))
            weights += [by_b_ih, by_b_hh if self.kind == "gru" else by_b_ih]
        return self.xp.matmul(grads, self.w_ih), firsts, weights
