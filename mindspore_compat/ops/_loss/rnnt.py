"""The RNN transducer (RNN-T) loss of label sequences whose alignment with the input is unknown.

An alignment is a path over a grid of times and labels: a blank moves one step in time, a label one
step in the sequence. The loss sums the probabilities of all paths by a recursion over the
antidiagonals of the grid, in logarithms. Its gradient is the probability of each step, which the
same recursion, run from both ends, computes. Graves, "Sequence Transduction with Recurrent Neural
Networks" (2012). CTC, where each label takes one time step, is in _loss/ctc.py.
"""

from ..._backend.arrays import integers_to_host
from ..._backend.space import implements
from ..._core.autograd.vjp_rules import derive
from ..._core.declare.op import op
from ..._core.rules.vocabulary import Any, Int, TensorOf
from .._precision import at_least_float32
from .ctc import NONE, gradient_of_loss

_Int32 = TensorOf("int32").called("a Tensor of int32")


class _Grid:
    """The grid of a batch, indexed by antidiagonal t + u instead of time t.

    Attributes:
        blank, emit: log probabilities of the two steps from each point, (D, B, U); impossible if a
            step leaves the grid. The last blank of a sequence is in `end` instead.
        end: the log probability of the last blank at the last point, impossible elsewhere.
        index: the class of each label step, (B, U, 1).
    """

    def __init__(self, xp, logs, labels, steps, lengths, blank):
        batch, times, positions, _ = logs.shape
        self.time, self.position = xp.reshape(xp.arange(times), (-1, 1)), xp.arange(positions)
        steps, lengths = (xp.reshape(array, (-1, 1, 1)) for array in (steps, lengths))
        in_length = self.position < xp.squeeze(lengths, 1)
        gap = xp.zeros((batch, 1), "int64")
        self.index = xp.expand_dims(xp.where(in_length, xp.concatenate([labels, gap], 1), 0), 2)
        index = xp.broadcast_to(xp.expand_dims(self.index, 1), (batch, times, positions, 1))
        emit = xp.squeeze(xp.take_along_axis(logs, index, 3), 3)
        blanks, inside = logs[:, :, :, blank], self.time < steps
        last = (self.time == steps - 1) & (self.position == lengths)
        onward = (self.time < steps - 1) & (self.position <= lengths)
        self.blank = self.skewed(xp, xp.where(onward, blanks, NONE))
        self.emit = self.skewed(xp, xp.where(inside & (self.position < lengths), emit, NONE))
        self.end = self.skewed(xp, xp.where(last, blanks, NONE))

    def skewed(self, xp, x):
        """Rearranges (B, T, U) into antidiagonals (D, B, U)."""
        times, positions = x.shape[1:]
        at = xp.reshape(xp.arange(times + positions - 1), (-1, 1)) - self.position
        index = xp.expand_dims(xp.clip(at, 0, times - 1), 0)
        result = xp.take_along_axis(x, xp.broadcast_to(index, (x.shape[0], *at.shape)), 1)
        return xp.moveaxis(xp.where((at >= 0) & (at < times), result, NONE), 1, 0)

    def straight(self, xp, x):
        """Rearranges antidiagonals (D, B, U) into (B, T, U)."""
        x, at = xp.moveaxis(x, 0, 1), xp.expand_dims(self.time + self.position, 0)
        return xp.take_along_axis(x, xp.broadcast_to(at, (x.shape[0], *at.shape[1:])), 1)

    def forward(self, xp):
        """Returns the log probability of reaching each point, (D, B, U)."""
        shape, dtype = self.blank.shape[1:], self.blank.dtype
        now = xp.where(self.position == 0, xp.zeros(shape, dtype), xp.asarray(NONE, dtype))
        diagonals, gap = [now], xp.full((shape[0], 1), NONE, dtype)
        for d in range(1, self.blank.shape[0]):
            emitted = xp.concatenate([gap, (now + self.emit[d - 1])[:, :-1]], 1)
            now = xp.maximum(xp.logaddexp(now + self.blank[d - 1], emitted), NONE)
            diagonals.append(now)
        return xp.stack(diagonals, 0)

    def backward(self, xp):
        """Returns the log probability of finishing from each point, shape (D + 1, B, U). The last
        antidiagonal lies behind all points and holds NONE, the log of 0."""
        gap = xp.full((self.blank.shape[1], 1), NONE, self.blank.dtype)
        now = xp.full(self.blank.shape[1:], NONE, self.blank.dtype)
        diagonals = [now]
        for d in reversed(range(self.blank.shape[0])):
            emitted = self.emit[d] + xp.concatenate([now[:, 1:], gap], 1)
            now = xp.logaddexp(xp.logaddexp(self.blank[d] + now, emitted), self.end[d])
            now = xp.maximum(now, NONE)
            diagonals.append(now)
        return xp.stack(diagonals[::-1], 0)


@implements
def rnnt_nll(xp, logs, labels, steps, lengths, blank=0):
    """Computes minus the log probability of `labels` (B, U - 1), given log probabilities (B, T, U,
    V)."""
    return -_Grid(xp, logs, labels, steps, lengths, blank).backward(xp)[0, :, 0]


@implements
def rnnt_occupation(xp, logs, labels, steps, lengths, blank=0):
    """Returns the probability that each class is emitted at each point, given the labels: (B, T, U,
    V)."""
    grid = _Grid(xp, logs, labels, steps, lengths, blank)
    alpha, beta = grid.forward(xp), grid.backward(xp)
    total = xp.reshape(beta[0, :, 0], (1, -1, 1))
    gap = xp.full((*beta.shape[:2], 1), NONE, beta.dtype)
    after = xp.concatenate([beta[:, :, 1:], gap], 2)[1:]
    blanks = xp.exp(alpha + grid.blank + beta[1:] - total) + xp.exp(alpha + grid.end - total)
    shares = [
        grid.straight(xp, blanks),
        grid.straight(xp, xp.exp(alpha + grid.emit + after - total)),
    ]
    shape = (*shares[0].shape, 1)
    index = xp.concatenate(
        [xp.full(shape, blank, "int64"), xp.broadcast_to(xp.expand_dims(grid.index, 1), shape)], 3
    )
    zeros = xp.zeros(logs.shape, logs.dtype)
    return xp.scatter_along_axis(zeros, index, xp.stack(shares, 3), 3, add=True)


def _gradient(xp, g, logs, labels, steps, lengths, blank):
    return -xp.reshape(g, (-1, 1, 1, 1)) * xp.rnnt_occupation(logs, labels, steps, lengths, blank)


derive(
    "rnnt_nll(logs, labels, steps, lengths, blank=0)",
    arrays="logs labels steps lengths",
    logs=_gradient,
)


@op("ops.RNNTLoss(blank_label=0)(acts, labels, input_lengths, label_lengths)", compute="native")
def rnnt_loss(
    xp,
    acts: TensorOf("float16", "float32"),
    labels: Any,
    input_lengths: Any,
    label_lengths: Any,
    blank_label: Int = 0,
):
    """Computes the RNN transducer (RNN-T) losses, and their gradient with respect to the
    activations.

    Args:
        blank_label: the class of the blank.

    Shapes:
        `acts` is (B, T, U, V), `labels` is (B, U - 1), the lengths are (B,). The losses are (B,),
        the gradient has the shape of `acts`.

    Inputs:
        acts: the activations of a batch for T times, for the positions before each of U - 1 labels
            and after the last, and for V classes; softmax over the classes gives the probabilities.
        labels: int32 (B, U - 1).
        input_lengths: the number of valid times, int32 (B,), in [1, T].
        label_lengths: the number of valid labels, int32 (B,), in [0, U - 1].

    Returns:
        The losses and the gradients, of the dtype of `acts`; float16 is computed as float32.

    Raises:
        TypeError: if an input is not a Tensor or does not have one of these dtypes.
        ValueError: if shapes, lengths, labels or the blank do not fit.

    Example:
        >>> times, labels = ms.Tensor([2], ms.int32), ms.Tensor([1], ms.int32)
        >>> print(ms.ops.RNNTLoss()(ms.ops.zeros((1, 2, 2, 3)), ms.Tensor([[1]], ms.int32), times,
        ...                         labels)[0])
        [2.6026897]
    """
    given = labels, input_lengths, label_lengths
    _need_inputs(acts, *given, blank_label)
    given = [xp.cast(value._array, "int64") for value in given]
    logs = xp.log_soft(at_least_float32(xp, acts), 3)
    loss = xp.rnnt_nll(logs, *given, blank_label)
    steps = xp.rnnt_occupation(logs, *given, blank_label)
    gradient = xp.pointwise(_slope, logs, xp.sum(steps, 3, keepdims=True), steps)
    return xp.cast(loss, acts.dtype), xp.cast(gradient, acts.dtype)


def _slope(xp, logs, total, steps):
    return xp.exp(logs) * total - steps


@rnnt_loss.vjp_joint
def rnnt_loss_vjp(xp, g, out, acts, labels, input_lengths, label_lengths, blank_label):
    """Returns the gradient for the activations."""
    others = labels, input_lengths, label_lengths, blank_label
    return (gradient_of_loss(xp, g, out[1], (-1, 1, 1, 1), rnnt_loss.body, acts, *others),)


rnnt_loss_vjp.fills = False  # the gradient is seldom used


def _need_inputs(acts, labels, input_lengths, label_lengths, blank):
    """Rejects labels and lengths that do not fit `acts`."""
    names = ("labels", "input_lengths", "label_lengths")
    values = (labels, input_lengths, label_lengths)
    for name, value in zip(names, values):
        _Int32.refuse("RNNTLoss", name, value)
    if acts.ndim != 4 or 0 in acts.shape:
        raise ValueError(
            f"For 'RNNTLoss', 'acts' must have shape (B, T, U, V), but got {tuple(acts.shape)}."
        )
    batch, times, positions, classes = acts.shape
    for name, value, shape in zip(names, values, ((batch, positions - 1), (batch,), (batch,))):
        if tuple(value.shape) != shape:
            raise ValueError(
                f"For 'RNNTLoss', '{name}' must have shape {shape}, but got {tuple(value.shape)}."
            )
    if not 0 <= blank < classes:
        raise ValueError(
            f"For 'RNNTLoss', 'blank_label' must be in [0, {classes}), but got {blank}."
        )
    values = integers_to_host([value._array for value in values])
    rows = [row[: max(n, 0)] for row, n in zip(values[0], values[2].tolist())]
    _need_range("input_lengths", [values[1]], 1, times)
    _need_range("label_lengths", [values[2]], 0, positions - 1)
    _need_range("labels", rows, 0, classes - 1)


def _need_range(name, rows, least, most):
    for row in rows:
        if row.size and not least <= row.min() <= row.max() <= most:
            raise ValueError(
                f"For 'RNNTLoss', '{name}' must be in [{least}, {most}], but got {row.tolist()}."
            )
