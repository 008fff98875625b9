"""Connectionist temporal classification (CTC): losses of unaligned label sequences. Greedy decoding
is in ctc_decoder.py.

The loss sums the probabilities of all alignments by a recursion over time, in logarithms. Its
gradient is the probability that each label is emitted at each time, which the same recursion, run
from both ends, computes. Graves et al., "Connectionist Temporal Classification" (2006).
"""

import numpy

from ..._backend.arrays import integers_to_host
from ..._backend.compiled import door
from ..._backend.space import implements
from ..._core.autograd.through_parts import through_parts
from ..._core.autograd.vjp_rules import derive
from ..._core.declare.op import op
from ..._core.rules.value_rules import AnyCase
from ..._core.rules.vocabulary import Any, AsValue, Bool, Float, Int, OneOf, TensorOf
from ..._core.tensor.tensor import Tensor
from .._precision import at_least_float32
from .._rules import Float32Or64, Index
from .reduction import Reduction

Logs = AsValue(Float32Or64, Float)
NONE = -1e30  # the logarithm of an impossible event; finite, so that a difference of two is not NaN


class _Lattice:
    """The states of a CTC recursion: the labels, with a blank between neighbours and at both ends.

    Attributes:
        labels: the label of each state, (N, S).
        stay, skip: whether a state may repeat, and whether it may follow the state two before it,
            (N, S).
        last: the number of states in use, (N,).
        steps: the number of time steps in use, (N,).
    """

    def __init__(self, xp, targets, steps, lengths, blank, merge=True):
        count, longest = targets.shape
        between = xp.full((count, longest, 1), blank, "int64")
        pairs = xp.concatenate([between, xp.expand_dims(targets, 2)], 2)
        self.labels = xp.concatenate(
            [
                xp.reshape(pairs, (count, 2 * longest)),
                between[:, :1, 0] if longest else xp.full((count, 1), blank, "int64"),
            ],
            1,
        )
        before = xp.concatenate(
            [self.labels[:, :1] * 0 - 1, self.labels[:, :1] * 0 - 1, self.labels], 1
        )[:, : self.labels.shape[1]]
        empty = self.labels == blank
        index = xp.arange(self.labels.shape[1])
        other = self.labels != before if merge else xp.ones(self.labels.shape, bool)
        self.skip = xp.where(xp.logical_not(empty) & other & (index > 1), 0.0, NONE)
        self.stay = xp.where(empty | merge, 0.0, NONE)
        self.last = 2 * lengths + 1
        self.steps = steps

    def emitted(self, xp, logs):
        """Returns the log probability of each state's label, (T, N, S); `logs` is (T, N, C)."""
        index = xp.broadcast_to(xp.expand_dims(self.labels, 0), (logs.shape[0], *self.labels.shape))
        return xp.take_along_axis(logs, index, 2)

    def forward(self, xp, emit):
        """Returns alpha, the log probability of reaching each state at each time, including its
        emission, (T, N, S)."""
        stay, skip, gap = self._costs(xp, emit)
        now = xp.where(xp.arange(self.labels.shape[1]) < 2, emit[0], NONE)
        steps = [now]
        for t in range(1, emit.shape[0]):
            wide = xp.concatenate([gap, now], 1)
            now = xp.logaddexp(now + stay, wide[:, 1:-1])
            now = xp.logaddexp(now, wide[:, :-2] + skip) + emit[t]
            steps.append(now)
        return xp.stack(steps, 0)

    def backward(self, xp, emit):
        """Returns beta, the log probability of finishing from each state at each time, excluding
        its emission."""
        stay, skip, gap = self._costs(xp, emit)
        index = xp.arange(self.labels.shape[1])
        last = xp.expand_dims(self.last, 1)
        ends = xp.where((index == last - 1) | (index == last - 2), 0.0, NONE)
        now = ends = xp.cast(ends, emit.dtype)
        steps = [now]
        for t in range(emit.shape[0] - 2, -1, -1):
            onward = now + emit[t + 1]
            wide = xp.concatenate([onward + skip, gap], 1)[:, 2:]
            now = xp.logaddexp(onward + stay, xp.concatenate([onward[:, 1:], gap[:, :1]], 1))
            now = xp.where(xp.expand_dims(self.steps - 1 <= t, 1), ends, xp.logaddexp(now, wide))
            steps.append(now)
        return xp.stack(steps[::-1], 0)

    def _costs(self, xp, emit):
        """Returns `stay`, `skip` and two impossible states, in the dtype of `emit`."""
        gap = xp.full((emit.shape[1], 2), NONE, emit.dtype)
        return xp.cast(self.stay, emit.dtype), xp.cast(self.skip, emit.dtype), gap

    def total(self, xp, alpha):
        """Returns the log probability of each target, (N,)."""
        at = xp.expand_dims(xp.expand_dims(self.steps - 1, 0), 2)
        final = xp.squeeze(
            xp.take_along_axis(alpha, xp.broadcast_to(at, (1, *alpha.shape[1:])), 0), 0
        )
        index = xp.arange(alpha.shape[2])
        last = xp.expand_dims(self.last, 1)
        ends = (index == last - 1) | (index == last - 2) & (index >= 0)
        ending = xp.where(ends, final, NONE)
        top = xp.max(ending, 1, keepdims=True)
        total = xp.squeeze(top, 1) + xp.log(xp.sum(xp.exp(ending - top), 1))
        without_steps = xp.cast(xp.where(self.last == 1, 0.0, NONE), alpha.dtype)
        return xp.where(self.steps == 0, without_steps, total)


@implements
def ctc_nll(xp, logs, targets, steps, lengths, blank=0, merge=True):
    """Computes minus the log probability of `targets` (N, S), given log probabilities (T, N, C)."""
    return _losses(xp, logs, targets, steps, lengths, blank, merge)[0]


def _losses(xp, logs, targets, steps, lengths, blank, merge=True):
    """Returns `ctc_nll` and the forward variables, (N, T, 2 S + 1)."""
    results = door.call("ctc_losses", logs, targets, steps, lengths, NONE, blank, merge)
    if results is not None:
        return results
    lattice = _Lattice(xp, targets, steps, lengths, blank, merge)
    alpha = lattice.forward(xp, lattice.emitted(xp, logs))
    loss = -lattice.total(xp, alpha)
    in_length = xp.reshape(xp.arange(logs.shape[0]), (-1, 1, 1)) < xp.reshape(steps, (1, -1, 1))
    in_length = in_length & (xp.arange(alpha.shape[2]) < xp.reshape(lattice.last, (1, -1, 1)))
    alpha = xp.where(in_length & (alpha > 0.1 * NONE), alpha, -xp.inf)
    return xp.where(loss > -0.1 * NONE, xp.inf, loss), xp.moveaxis(alpha, 0, 1)


@implements
def ctc_nll_and_alpha(xp, logs, targets, steps, lengths, blank=0):
    """Computes `ctc_nll` and the forward variables by one recursion."""
    return _losses(xp, logs, targets, steps, lengths, blank)


@implements
def ctc_occupation(xp, logs, targets, steps, lengths, blank=0, merge=True):
    """Returns the probability that each label is emitted at each time, given the target: (T, N,
    C)."""
    given = logs, targets, steps, lengths, NONE, blank, merge
    if (occupation := door.call("ctc_occupation", *given)) is not None:
        return occupation
    lattice = _Lattice(xp, targets, steps, lengths, blank, merge)
    emit = lattice.emitted(xp, logs)
    alpha, beta = lattice.forward(xp, emit), lattice.backward(xp, emit)
    total = xp.reshape(lattice.total(xp, alpha), (1, -1, 1))
    possible = total > 0.1 * NONE
    share = xp.exp(xp.minimum(alpha + beta - xp.where(possible, total, 0), 0))
    in_length = xp.reshape(xp.arange(logs.shape[0]), (-1, 1, 1)) < xp.reshape(steps, (1, -1, 1))
    share = xp.where(in_length & possible, share, 0)
    index = xp.broadcast_to(xp.expand_dims(lattice.labels, 0), share.shape)
    return xp.scatter_along_axis(xp.zeros(logs.shape, logs.dtype), index, share, 2, add=True)


def _ctc_vjp(xp, g, logs, targets, steps, lengths, blank, merge):
    occupation = xp.ctc_occupation(logs, targets, steps, lengths, blank, merge)
    return -xp.reshape(g, (1, -1, 1)) * occupation


derive(
    "ctc_nll(logs, targets, steps, lengths, blank=0, merge=True)",
    arrays="logs targets steps lengths",
    logs=_ctc_vjp,
)


def _ctc_nll_and_alpha_vjp(xp, g, logs, targets, steps, lengths, blank):
    """Returns the gradient for the log probabilities; the forward variables have none."""
    slope = None
    if g[0] is not None:
        slope = _ctc_vjp(xp, g[0], logs, targets, steps, lengths, blank, True)
    return slope, None, None, None


_ctc_nll_and_alpha_vjp.fills = False  # the forward variables are seldom used
derive(
    "ctc_nll_and_alpha(logs, targets, steps, lengths, blank=0)",
    arrays="logs targets steps lengths",
    joint=_ctc_nll_and_alpha_vjp,
    several=True,
)


def _need_lengths(api, name, value):
    """Rejects lengths that are neither ints nor a Tensor of integers."""
    if isinstance(value, Tensor):
        if value._array.dtype.kind not in "iu":
            raise TypeError(
                f"For '{api}', '{name}' must be of an integer dtype, but got {value.dtype}."
            )
    elif not isinstance(value, (tuple, list)) or not all(type(n) is int for n in value):
        raise TypeError(
            f"For '{api}', '{name}' must be ints or an integer Tensor, but got {value!r}."
        )


def _need_range(api, name, value, count, limit):
    """Rejects lengths unless they are `count` numbers, each at most the number of the list `limit`;
    None means no lengths.
    """
    if value is None or len(value) != count:
        raise ValueError(f"For '{api}', '{name}' must have shape ({count},).")
    if any(not 0 <= n <= most for n, most in zip(value, limit)):
        raise RuntimeError(f"For '{api}', '{name}' must be in [0, {max(limit)}], but got {value}.")


def _ctc(xp, api, logs, targets, input_lengths, target_lengths, blank):
    """Returns targets and lengths as int64 arrays, after checks."""
    if logs.ndim != 3 or targets.ndim != 2 or targets.shape[0] != logs.shape[1]:
        raise ValueError(
            f"For '{api}', 'log_probs' must have shape (T, N, C) and 'targets' (N, S), but got "
            f"{tuple(logs.shape)} and {tuple(targets.shape)}."
        )
    if not 0 <= blank < logs.shape[2]:
        raise ValueError(f"For '{api}', 'blank' must be in [0, {logs.shape[2]}), but got {blank}.")
    _need_lengths(api, "input_lengths", input_lengths)
    _need_lengths(api, "target_lengths", target_lengths)
    steps, lengths = _values(input_lengths, target_lengths)
    count, longest = logs.shape[1], targets.shape[1]
    _need_range(api, "input_lengths", steps, count, [logs.shape[0]] * count)
    _need_range(api, "target_lengths", lengths, count, [min(n, longest) for n in steps])
    return (
        xp.cast(targets, "int64"),
        _array(xp, input_lengths, steps),
        _array(xp, target_lengths, lengths),
    )


def _values(*lengths):
    """Returns lengths as lists of ints; None for a Tensor that is not 1-D."""
    tensors = [value for value in lengths if isinstance(value, Tensor) and value.ndim == 1]
    lists = iter(integers_to_host([value._array for value in tensors]) if tensors else ())
    return [
        value
        if not isinstance(value, Tensor)
        else next(lists).tolist()
        if value.ndim == 1
        else None
        for value in lengths
    ]


def _array(xp, given, values):
    """Returns lengths as an int64 array, of the Tensor that was given if there is one."""
    if isinstance(given, Tensor):
        return xp.cast(given._array, "int64")
    return xp.asarray(values, "int64")


@op(
    "ops.ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=0, reduction='mean', "
    "zero_infinity=False)"
)
def ctc_loss(
    xp,
    log_probs: Logs,
    targets: Index,
    input_lengths: Any,
    target_lengths: Any,
    blank: Int = 0,
    reduction: Reduction = "mean",
    zero_infinity: Bool = False,
):
    """Computes the CTC loss: minus the log probability of label sequences whose alignment with the
    log probabilities is unknown.

    With `reduction` "mean", each loss is first divided by the length of its target. `zero_infinity`
    replaces the loss by 0 if no alignment exists.

    Shapes:
        `log_probs` is (T, N, C), `targets` is (N, S), the lengths are tuples or Tensors of N
        numbers. The loss is (), or (N,) for `reduction` "none".

    Returns:
        The loss, and the forward variables (N, T, 2 S + 1).

    Example:
        >>> probabilities = ms.ops.log_softmax(ms.ops.zeros((3, 1, 2)))
        >>> loss, _ = ms.ops.ctc_loss(probabilities, ms.Tensor([[1]], ms.int32), (3,), (1,))
        >>> print(loss)
        0.28768206
    """
    losses = _ctc(xp, "ctc_loss", log_probs, targets, input_lengths, target_lengths, blank)
    loss, alpha = xp.ctc_nll_and_alpha(log_probs, *losses, blank)
    if zero_infinity:
        loss = xp.where(xp.isinf(loss), 0, loss)
    if reduction == "sum":
        loss = xp.sum(loss)
    if reduction == "mean":
        loss = xp.mean(loss / xp.cast(xp.maximum(losses[2], 1), log_probs.dtype))
    return loss, alpha


@op(
    "ops.CTCLossV2(blank=0, reduction='none', zero_infinity=False)(log_probs, targets, "
    "input_lengths, target_lengths)"
)
def ctc_loss_v2(
    xp,
    log_probs: Logs,
    targets: Index,
    input_lengths: Any,
    target_lengths: Any,
    blank: Int = 0,
    reduction: AnyCase(OneOf("none")) = "none",
    zero_infinity: Bool = False,
):
    """Computes the CTC loss of each sequence: minus the log probability of labels whose alignment
    with the log probabilities is unknown.

    Shapes:
        `log_probs` is (T, N, C), `targets` is (N, S), the lengths are (N,). The losses are (N,).

    Returns:
        The losses, and the forward variables (N, T, 2 S + 1).

    Example:
        >>> probabilities = ms.ops.log_softmax(ms.ops.zeros((3, 1, 2)))
        >>> times, labels = ms.Tensor([3], ms.int32), ms.Tensor([1], ms.int32)
        >>> print(ms.ops.CTCLossV2()(probabilities, ms.Tensor([[1]], ms.int32), times, labels)[0])
        [0.28768206]
    """
    losses = _ctc(xp, "CTCLossV2", log_probs, targets, input_lengths, target_lengths, blank)
    loss, alpha = xp.ctc_nll_and_alpha(log_probs, *losses, blank)
    if zero_infinity:
        loss = xp.where(xp.isinf(loss), 0, loss)
    return loss, alpha


# CTC of logits, with labels as a sparse matrix ----------------------------------------------------


def _dense_labels(indices, values, count, collapse, blank):
    """Returns rows of labels, given their indices (batch, position) and values; a blank ends a
    row."""
    rows, finished = [[] for _ in range(count)], set()
    for i, ((batch, _), label) in enumerate(zip(indices, values)):
        if not 0 <= label <= blank or batch in finished and label < blank:
            raise RuntimeError(
                f"For 'CTCLoss', 'labels_values[{i}]' must be in [0, {blank}), with no label after "
                f"a blank, but got {label}."
            )
        if label == blank:
            finished.add(batch)
        elif not (collapse and rows[batch] and rows[batch][-1] == label):
            rows[batch].append(label)
    longest = max(map(len, rows), default=0)
    return [row + [0] * (longest - len(row)) for row in rows], [len(row) for row in rows]


@op(
    "ops.CTCLoss(preprocess_collapse_repeated=False, ctc_merge_repeated=True, "
    "ignore_longer_outputs_than_inputs=False)(x, labels_indices, labels_values, sequence_length)"
)
def ctc_loss_sparse(
    xp,
    x: TensorOf("float16", "float32", "float64"),
    labels_indices: Any,
    labels_values: Any,
    sequence_length: Any,
    preprocess_collapse_repeated: Bool = False,
    ctc_merge_repeated: Bool = True,
    ignore_longer_outputs_than_inputs: Bool = False,
):
    """Computes the CTC loss of logits whose last class is the blank, with labels given as a sparse
    tensor.

    Labels are `labels_values` at `labels_indices`, rows of (batch, position).
    `preprocess_collapse_repeated` merges repeated labels beforehand; without `ctc_merge_repeated`,
    equal neighbours in an alignment are separate labels. A blank among the labels ends its row. To
    the probability of an empty row, MindSpore adds the probability of the blanks before the last
    time step, as its documented example shows. This function does the same.

    Shapes:
        `x` is (T, N, C), `labels_indices` is (L, 2) of int64, `labels_values` is (L,) and
        `sequence_length` is (N,) of int32.

    Returns:
        The losses, (N,), and their gradient with respect to the logits, (T, N, C).

    Example:
        >>> indices, values = ms.Tensor([[0, 0]]), ms.Tensor([0], ms.int32)
        >>> print(ms.ops.CTCLoss()(ms.ops.zeros((3, 1, 2)), indices, values,
        ...                        ms.Tensor([3], ms.int32))[0])
        [0.28768206]
    """
    steps, labels, lengths = _sparse_inputs(
        x, labels_indices, labels_values, sequence_length, preprocess_collapse_repeated
    )
    long = [length > step for length, step in zip(lengths, steps)]
    if any(long) and not ignore_longer_outputs_than_inputs:
        raise RuntimeError("For 'CTCLoss', a label sequence is longer than its input.")
    flags = numpy.logical_not(long)
    rows = numpy.array([*map(list, zip(*labels)), steps, lengths, flags], "int64")  # one copy
    return xp.ctc_with_slope(x, xp.asarray(rows), ctc_merge_repeated, 0 in lengths)


@implements
def ctc_with_slope(xp, x, rows, merge=True, has_empty=True):
    """Computes the losses of `CTCLoss`, and the gradient that it returns.

    Args:
        x: the logits, (T, N, C).
        rows: (S + 3, N): the labels, the numbers of steps and of labels, and a 1 for each sequence
            that counts.
        merge: whether equal neighbours in an alignment are one label.
        has_empty: whether a sequence has no labels.
    """
    time, label, blank = _place(xp, x)
    steps, lengths, counts = rows[-3], rows[-2], rows[-1]
    logs = xp.log_soft(at_least_float32(xp, x), 2)
    targets = xp.ascontiguousarray(xp.transpose(rows[:-3]))
    settings = targets, steps, lengths, blank, merge
    loss, occupation = xp.ctc_nll(logs, *settings), xp.ctc_occupation(logs, *settings)
    final = _final(xp, logs, time, steps)
    columns = _columns(xp, final, steps, lengths, counts, loss)
    slope = xp.blockwise(_slope, logs, occupation, time, label, *columns, blank=blank)
    loss = xp.blockwise(_without_last_blank, loss, final, lengths, counts)
    return xp.cast(loss, x.dtype), xp.cast(slope, x.dtype)


def _ctc_with_slope_vjp(xp, g, out, x, rows, merge, has_empty):
    """Returns the gradient of the logits. For an empty sequence it differs from the second
    result.
    """
    slope = out[1]
    if has_empty and g[0] is not None:
        time, steps, logs = _place(xp, x)[0], rows[-3], xp.log_soft(at_least_float32(xp, x), 2)
        columns = _columns(xp, _final(xp, logs, time, steps), steps, *rows[-2:])
        slope = xp.blockwise(_derivative, at_least_float32(xp, slope), logs, time, *columns)
    others = rows, merge, has_empty
    return gradient_of_loss(xp, g, slope, (1, -1, 1), ctc_with_slope, x, *others), None


_ctc_with_slope_vjp.fills = False  # the second result is seldom used
derive(
    "ctc_with_slope(x, rows, merge=True, has_empty=True)",
    arrays="x rows",
    joint=_ctc_with_slope_vjp,
    several=True,
)


def gradient_of_loss(xp, g, slope, shape, body, x, *others):
    """Returns the gradient for `x` of a function that returns losses and their gradient.

    Args:
        g: the gradients of the two results, or None.
        slope: the derivative of the losses.
        shape: the shape in which the losses go with `x`.
        body: the function of `x` and the other arguments.
    """
    of_loss, of_slope = g
    total = None if of_loss is None else xp.reshape(of_loss, shape) * slope
    if of_slope is None:
        return total
    other = through_parts(xp, (None, of_slope), body, x, *others)
    return other if total is None or other is None else total + other


def _place(xp, x):
    """Returns the index of each time and of each class, and the class of the blank."""
    times, _, classes = x.shape
    time, label = xp.table(numpy.arange, times), xp.table(numpy.arange, classes)
    return xp.reshape(time, (-1, 1, 1)), label, classes - 1


def _columns(xp, *arrays):
    """Returns arrays of a value for each sequence in the shape (N, 1)."""
    return [xp.expand_dims(array, 1) for array in arrays]


def _final(xp, logs, time, steps):
    """Returns the log probability of a blank at the last step of each sequence."""
    blanks = logs[:, :, logs.shape[2] - 1]
    return xp.sum(xp.blockwise(_at_last_step, blanks, xp.squeeze(time, 2), steps), 0)


def _at_last_step(xp, blanks, time, steps):
    return xp.where(time == steps - 1, blanks, 0)


def _without_last_blank(xp, loss, final, lengths, counts):
    loss = xp.where(lengths == 0, loss - xp.softplus(-final), loss)
    return xp.where(counts == 0, 0, loss)


def _slope(xp, logs, occupation, time, label, final, steps, lengths, counts, loss, *, blank):
    """Returns the gradient for the logits that `CTCLoss` returns: 0 where no alignment exists."""
    ends = (time == steps - 1) & (lengths == 0) & (label == blank)
    occupation = xp.where(ends, xp.sigmoid(final), occupation)
    inside = (time < steps) & (counts != 0) & xp.logical_not(xp.isinf(loss))
    return xp.where(inside, xp.exp(logs) - occupation, 0)


def _derivative(xp, slope, logs, time, final, steps, lengths, counts):
    """Returns the derivative of the loss for the logits, given the result of `_slope`."""
    ends = (time == steps - 1) & (lengths == 0) & (counts != 0)
    return xp.where(ends, slope - xp.exp(logs) * (1 - xp.sigmoid(final)), slope)


def _sparse_inputs(x, indices, values, sequence_length, collapse):
    """Returns steps, labels and lengths as host lists, after a check of their types."""
    for name, value, kinds, rank in (
        ("labels_indices", indices, "int64", 2),
        ("labels_values", values, "int32", 1),
        ("sequence_length", sequence_length, "int32", 1),
    ):
        if not isinstance(value, Tensor) or value._array.dtype != kinds:
            raise TypeError(
                f"For 'CTCLoss', '{name}' must be a Tensor of {kinds}, but got {value!r}."
            )
        if value.ndim != rank:
            raise ValueError(
                f"For 'CTCLoss', '{name}' must have {rank} dimensions, but got {value.ndim}."
            )
    given = (indices, values, sequence_length)
    indices, values, steps = (a.tolist() for a in integers_to_host([t._array for t in given]))
    if x.ndim != 3 or len(steps) != x.shape[1] or any(n > x.shape[0] for n in steps):
        raise ValueError(
            f"For 'CTCLoss', 'x' must have shape (T, N, C) and 'sequence_length' N numbers up to "
            f"T, but got {tuple(x.shape)} and {steps}."
        )
    if any(n < 1 for n in steps):
        raise RuntimeError(
            f"For 'CTCLoss', 'sequence_length' must be numbers in [1, {x.shape[0]}], but got "
            f"{steps}."
        )
    labels, lengths = _dense_labels(indices, values, x.shape[1], collapse, x.shape[2] - 1)
    return steps, labels, lengths
