"""Token sequences: edit distance, and prevention of repeated n-grams."""

import numpy

from ..._core.declare.by_slices import in_each_slice
from ..._core.declare.op import space_for
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Bool, Int, OneDtype, TensorOf, checked
from ..._core.tensor.tensor import Tensor
from .._rules import Anything, Integers
from ..primitive import Primitive


@public("ops.NoRepeatNGram")
class NoRepeatNGram(Primitive):
    """Sets the scores of next tokens that would repeat an n-gram to the lowest float; returns a
    copy.

    Args:
        ngram_size (int): n, the length of the n-grams that must not repeat.

    Inputs:
        - **state_seq** (Tensor): the tokens so far, (batch, beams, length).
        - **log_probs** (Tensor): the scores of the next token, (batch, beams, tokens).

    Raises:
        TypeError: if an input has the wrong type.
        ValueError: if `ngram_size` is not in (0, length] or the shapes do not fit.

    Example:
        >>> import mindspore_compat as ms
        >>> sequences, scores = ms.Tensor([[[1, 2, 1]]], ms.int32), ms.ops.ones((1, 1, 3))
        >>> print(ms.ops.NoRepeatNGram(2)(sequences, scores))
        [[[ 1.0000000e+00  1.0000000e+00 -3.4028235e+38]]]

    Source: mindspore.ops.NoRepeatNGram of MindSpore 2.10.
    """

    @checked
    def __init__(self, ngram_size: Int(ge=1) = 1):
        super().__init__("NoRepeatNGram")
        self.ngram_size = ngram_size

    @in_each_slice
    @checked
    def __call__(self, state_seq: Integers, log_probs: TensorOf("float16", "float32", "float64")):
        if state_seq.ndim != 3 or log_probs.ndim != 3 or state_seq.shape[:2] != log_probs.shape[:2]:
            raise ValueError(
                f"For 'NoRepeatNGram', the inputs must be (batch, beams, ...), but got "
                f"{state_seq.shape} and {log_probs.shape}."
            )
        length, size = state_seq.shape[-1], self.ngram_size
        if size > length:
            raise ValueError(
                f"For 'NoRepeatNGram', 'ngram_size' must be at most {length}, but got {size}."
            )
        words = state_seq.asnumpy().reshape(-1, length)
        scores = log_probs.asnumpy().copy()
        rows = scores.reshape(-1, scores.shape[-1])
        for row, tokens in zip(rows, words, strict=True):
            head = tokens[length - size + 1 :]
            for start in range(length - size + 1):
                if (tokens[start : start + size - 1] == head).all():
                    row[tokens[start + size - 1]] = numpy.finfo(scores.dtype).min
        return Tensor._wrap(space_for(log_probs._array).asarray(scores))


@public("ops.EditDistance")
class EditDistance(Primitive):
    """Computes the edit distance (Levenshtein): the number of insertions, deletions and
    replacements that turn one sequence into another.

    Args:
        normalize (bool): whether the distance is divided by the length of the truth.

    Inputs: the indices (int64), values and shape (int64) of two sparse tensors, which hold
    sequences along the last axis: hypothesis_indices, hypothesis_values, hypothesis_shape,
    truth_indices, truth_values, truth_shape.

    Raises:
        TypeError: if an argument has the wrong type, or the values have different dtypes.
        ValueError: if indices do not have two axes or a shape does not have one axis.

    Example:
        >>> import mindspore_compat as ms
        >>> hypothesis, truth = ms.Tensor([[0, 0, 0]]), ms.Tensor([[0, 0, 0]])
        >>> distance, shape = ms.ops.EditDistance(), ms.Tensor([1, 1, 1])
        >>> print(distance(hypothesis, ms.Tensor([5]), shape, truth, ms.Tensor([5]), shape))
        [[0.]]

    Source: mindspore.ops.EditDistance of MindSpore 2.10.
    """

    @checked
    def __init__(self, normalize: Bool = True):
        super().__init__("EditDistance")
        self.normalize = normalize

    @checked(OneDtype("hypothesis_values truth_values"))
    def __call__(
        self,
        hypothesis_indices: TensorOf("int64"),
        hypothesis_values: Anything,
        hypothesis_shape: TensorOf("int64"),
        truth_indices: TensorOf("int64"),
        truth_values: Anything,
        truth_shape: TensorOf("int64"),
    ):
        for name, tensor, axes in (
            ("hypothesis_indices", hypothesis_indices, 2),
            ("hypothesis_shape", hypothesis_shape, 1),
            ("truth_indices", truth_indices, 2),
            ("truth_shape", truth_shape, 1),
        ):
            if tensor.ndim != axes:
                raise ValueError(
                    f"For 'EditDistance', '{name}' must have {axes} axes, but got "
                    f"shape {tensor.shape}."
                )
        for name, indices, values in (
            ("hypothesis", hypothesis_indices, hypothesis_values),
            ("truth", truth_indices, truth_values),
        ):
            if len(indices) != values.size:
                raise ValueError(
                    f"For 'EditDistance', '{name}_values' must have an element for each row of "
                    f"'{name}_indices', but got shapes {values.shape} and {indices.shape}."
                )
        hypotheses = _sequences(hypothesis_indices, hypothesis_values)
        truths = _sequences(truth_indices, truth_values)
        sizes = numpy.maximum(hypothesis_shape.asnumpy(), truth_shape.asnumpy())[:-1]
        distances = numpy.zeros(tuple(sizes), numpy.float32)
        for index in numpy.ndindex(*distances.shape):
            distances[index] = self._distance(hypotheses.get(index, []), truths.get(index, []))
        return Tensor._wrap(space_for(truth_values._array).asarray(distances))

    def _distance(self, hypothesis, truth):
        count = _edits(hypothesis, truth)
        if not self.normalize:
            return count
        return count / len(truth) if truth else (numpy.inf if hypothesis else 0.0)


def _sequences(indices, values):
    """Returns the sequences of a sparse tensor, by their index."""
    sequences = {}
    for index, value in zip(indices.asnumpy().tolist(), values.asnumpy().tolist(), strict=True):
        sequences.setdefault(tuple(index[:-1]), []).append(value)
    return sequences


def _edits(hypothesis, truth):
    """Returns the Levenshtein distance, one row of the table at a time."""
    row = list(range(len(truth) + 1))
    for i, token in enumerate(hypothesis, 1):
        before, row[0] = row[0], i
        for j, truth_token in enumerate(truth, 1):
            cost = min(row[j] + 1, row[j - 1] + 1, before + (token != truth_token))
            before, row[j] = row[j], cost
    return row[-1]
