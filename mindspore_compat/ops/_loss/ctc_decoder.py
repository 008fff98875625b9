"""Greedy decoding of connectionist temporal classification (CTC); its losses are in ctc.py."""

import numpy

from ..._backend.arrays import to_host
from ..._core.autograd.traced import bare
from ..._core.declare.op import op
from ..._core.rules.vocabulary import Bool, TensorOf
from .._rules import Float32Or64


@op(
    "ops.ctc_greedy_decoder(inputs, sequence_length, merge_repeated=True)",
    "ops.CTCGreedyDecoder(merge_repeated=True)(inputs, sequence_length)",
)
def ctc_greedy_decoder(
    xp, inputs: Float32Or64, sequence_length: TensorOf("int32"), merge_repeated: Bool = True
):
    """Decodes CTC greedily: selects the likeliest class at each step and removes blanks, the last
    class.

    Shapes:
        `inputs` is (T, N, C), `sequence_length` is (N,) of int32.

    Returns:
        The indices of the decoded classes as rows (batch, position); the decoded classes; the shape
        (N, longest), all int64; and the negated sum of the largest inputs, (N, 1).

    Example:
        >>> scores = ms.Tensor([[[9.0, 0.0, 0.0]], [[0.0, 0.0, 9.0]], [[0.0, 9.0, 0.0]]])
        >>> print(ms.ops.ctc_greedy_decoder(scores, ms.Tensor([3], ms.int32))[1])
        [0 1]
    """
    if inputs.ndim != 3 or sequence_length.ndim != 1:
        raise ValueError(
            f"For 'ctc_greedy_decoder', 'inputs' must have 3 dimensions and 'sequence_length' 1, "
            f"but got {inputs.ndim} and {sequence_length.ndim}."
        )
    steps = to_host(bare(sequence_length)).tolist()
    if len(steps) != inputs.shape[1] or any(n > inputs.shape[0] for n in steps):
        raise ValueError(
            f"For 'ctc_greedy_decoder', 'sequence_length' must hold {inputs.shape[1]} numbers up "
            f"to {inputs.shape[0]}, but got {steps}."
        )
    best = xp.argmax(inputs, 2)
    in_length = xp.reshape(xp.table(numpy.arange, inputs.shape[0]), (-1, 1)) < sequence_length
    score = -xp.sum(xp.where(in_length, xp.max(inputs, 2), 0), 0)
    none = xp.full((1, inputs.shape[1]), -1, best.dtype)
    before = xp.concatenate([none, best[:-1]], 0)[: len(best)] if merge_repeated else none
    keep = xp.blockwise(_is_emitted, best, before, in_length, blank=inputs.shape[2] - 1)
    keep, rows = xp.swapaxes(keep, 0, 1), xp.swapaxes(best, 0, 1)
    position = xp.cumsum(xp.cast(keep, "int64"), 1) - 1
    batch, time = xp.nonzero(keep)
    indices = xp.stack([batch, position[batch, time]], 1)
    longest = xp.max(xp.sum(xp.cast(keep, "int64"), 1)) if steps else xp.zeros((), "int64")
    shape = xp.stack([xp.full((), len(steps), "int64"), longest])
    return (
        xp.cast(indices, "int64"),
        xp.cast(rows[batch, time], "int64"),
        shape,
        xp.reshape(score, (-1, 1)),
    )


def _is_emitted(xp, best, before, in_length, *, blank):
    return in_length & (best != blank) & (best != before)
