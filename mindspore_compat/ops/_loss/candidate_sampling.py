"""Candidate samplers, which draw the classes for a sampled loss.

The samples are drawn on the host and returned with the expected count of each class.
"""

import numpy as np

from ..._backend.arrays import HOST
from ..._backend.random import streams
from ..._core.declare.by_slices import in_each_slice
from ..._core.declare.op import space_for
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Bool, Int, TensorOf, checked
from ..._core.tensor.tensor import Tensor
from .._rules import Index, Positive
from ..primitive import Primitive


def _uniform(numbers, limit):
    return (numbers * limit).astype(np.int64)


def _log_uniform(numbers, limit):
    """Draws classes k with probability log((k + 2) / (k + 1)) / log(limit + 1)."""
    return np.minimum(np.exp(numbers * np.log1p(limit)).astype(np.int64) - 1, limit - 1)


def _draw(stream, sampled, count, limit, unique, without):
    """Returns the classes, and the number of draws that were needed."""
    classes, tries = {}, 0
    while len(classes) < count:
        numbers = stream.next(HOST).random(max(count, 64))
        if not unique:
            return sampled(numbers, limit)[:count], count
        for sample in sampled(numbers, limit).tolist():
            tries += 1
            if sample not in without:
                classes[sample] = True
            if len(classes) == count:
                break
    return np.array(list(classes)), tries


def _expected_count(share, count, tries):
    """Returns the expected number of occurrences of a class with probability `share` in the
    sample."""
    if tries == count:
        return share * count
    return -np.expm1(tries * np.log1p(-share))


class _Sampler(Primitive):
    """The base class of both samplers: holds the random generator and the sizes."""

    def _set(self, num_true, num_sampled, unique, range_max, seed):
        super().__init__(type(self).__name__)
        if unique and num_sampled > range_max:
            raise ValueError(
                f"For '{self.name}', 'num_sampled' must be at most 'range_max', but "
                f"got {num_sampled} and {range_max}."
            )
        self.num_true, self.num_sampled, self.unique = num_true, num_sampled, unique
        self.range_max, self.seed = range_max, seed
        self._stream = streams.Stream(seed) if seed else streams.default

    @in_each_slice
    @checked
    def __call__(self, true_classes: Index):
        """Returns the sampled classes, and the expected counts of the true classes and of the
        sampled ones."""
        if true_classes.ndim != 2 or true_classes.shape[1] != self.num_true:
            raise ValueError(
                f"For '{self.name}', 'true_classes' must have shape (N, "
                f"{self.num_true}), but got {true_classes.shape}."
            )
        true_labels = true_classes.asnumpy()
        sampled, tries = _draw(
            self._stream,
            self._sampled,
            self.num_sampled,
            self.range_max,
            self.unique,
            self._without(true_labels),
        )
        counts = [
            _expected_count(self._share(classes), self.num_sampled, tries)
            for classes in (true_labels, sampled)
        ]
        xp = space_for(true_classes._array)
        result = [
            xp.asarray(sampled.astype(true_labels.dtype)),
            *(xp.asarray(c.astype(np.float32)) for c in counts),
        ]
        return tuple(map(Tensor._wrap, result))

    def _without(self, true_labels):
        return ()


@public("ops.UniformCandidateSampler")
class UniformCandidateSampler(_Sampler):
    """Samples classes uniformly from [0, range_max).

    Args:
        num_true (int): the number of true classes per row.
        num_sampled (int): the number of classes to draw.
        unique (bool): whether a class is drawn at most once.
        range_max (int): the number of classes.
        seed (int): the seed of the draws; 0 uses the global generator.
        remove_accidental_hits (bool): whether true classes are excluded, if enough others remain.

    Inputs:
        - **true_classes** (Tensor): int32 or int64, shape (N, num_true).

    Outputs:
        The classes (num_sampled,), and the expected counts of the true classes and of these.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if a size is less than 1, or more unique classes are requested than exist.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.UniformCandidateSampler(1, 2, True, 4)(ms.Tensor([[1]]))[0].shape)
        (2,)

    Source: mindspore.ops.UniformCandidateSampler of MindSpore 2.10.
    """

    _sampled = staticmethod(_uniform)

    @checked
    def __init__(
        self,
        num_true: Positive,
        num_sampled: Positive,
        unique: Bool,
        range_max: Positive,
        seed: Int(ge=0) = 0,
        remove_accidental_hits: Bool = False,
    ):
        self._set(num_true, num_sampled, unique, range_max, seed)
        self.remove_accidental_hits = remove_accidental_hits

    def _share(self, classes):
        return np.full(classes.shape, 1 / self.range_max)

    def _without(self, true_labels):
        if not (self.unique and self.remove_accidental_hits):
            return ()
        labels = set(true_labels.ravel().tolist())
        return labels if self.num_sampled <= self.range_max - len(labels) else ()


@public("ops.LogUniformCandidateSampler")
class LogUniformCandidateSampler(_Sampler):
    """Samples classes from [0, range_max) with a log-uniform distribution: class k has the
    probability log((k + 2) / (k + 1)) / log(range_max + 1).

    Args:
        num_true (int): the number of true classes per row.
        num_sampled (int): the number of classes to draw.
        unique (bool): whether a class is drawn at most once.
        range_max (int): the number of classes.
        seed (int): the seed of the draws; 0 uses the global generator.

    Inputs:
        - **true_classes** (Tensor): int64, shape (N, num_true).

    Outputs:
        The classes (num_sampled,), and the expected counts of the true classes and of these.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if a size is less than 1, or more unique classes are requested than exist.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.LogUniformCandidateSampler(1, 2, True, 4)(ms.Tensor([[1]]))[0].shape)
        (2,)

    Source: mindspore.ops.LogUniformCandidateSampler of MindSpore 2.10.
    """

    _sampled = staticmethod(_log_uniform)

    @checked
    def __init__(
        self,
        num_true: Positive = 1,
        num_sampled: Positive = 5,
        unique: Bool = True,
        range_max: Positive = 5,
        seed: Int(ge=0) = 0,
    ):
        self._set(num_true, num_sampled, unique, range_max, seed)

    @checked
    def __call__(self, true_classes: TensorOf("int64")):
        return super().__call__(true_classes)

    def _share(self, classes):
        return np.log((classes + 2.0) / (classes + 1.0)) / np.log1p(self.range_max)


@public("ops.uniform_candidate_sampler")
def uniform_candidate_sampler(
    true_classes, num_true, num_sampled, unique, range_max, seed=0, remove_accidental_hits=False
):
    """Samples classes uniformly, as `ops.UniformCandidateSampler` does.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.uniform_candidate_sampler(ms.Tensor([[1]]), 1, 2, True, 4)[0].shape)
        (2,)
    """
    sampler = UniformCandidateSampler(
        num_true, num_sampled, unique, range_max, seed, remove_accidental_hits
    )
    return sampler(true_classes)


@public("ops.log_uniform_candidate_sampler")
def log_uniform_candidate_sampler(
    true_classes, num_true=1, num_sampled=5, unique=True, range_max=5, seed=0
):
    """Samples classes with a log-uniform distribution, as `ops.LogUniformCandidateSampler` does.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.log_uniform_candidate_sampler(ms.Tensor([[1]]), 1, 2, True, 4)[0].shape)
        (2,)
    """
    return LogUniformCandidateSampler(num_true, num_sampled, unique, range_max, seed)(true_classes)


@public("ops.ComputeAccidentalHits")
class ComputeAccidentalHits(Primitive):
    """Finds the sampled classes that are true classes; returns their rows, their indices in the
    sample, and weights of the lowest float32.

    Args:
        num_true (int): the number of true classes per row.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if the shapes do not fit.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.ComputeAccidentalHits()(ms.Tensor([[1], [2]]), ms.Tensor([2, 3]))[0])
        [1]

    Source: mindspore.ops.ComputeAccidentalHits of MindSpore 2.10.
    """

    @checked
    def __init__(self, num_true: Int(ge=1) = 1):
        super().__init__("ComputeAccidentalHits")
        self.num_true = num_true

    @checked
    def __call__(self, true_classes: Index, sampled_candidates: Index):
        rows, sampled = true_classes._array, sampled_candidates._array
        if rows.ndim != 2 or rows.shape[1] != self.num_true or sampled.ndim != 1:
            raise ValueError(
                f"For 'ComputeAccidentalHits', 'true_classes' must have shape (N, "
                f"{self.num_true}) and 'sampled_candidates' one axis, but got {rows.shape} and "
                f"{sampled.shape}."
            )
        xp = space_for(rows)
        row, _, index = xp.nonzero(rows[:, :, None] == sampled[None, None])
        lowest = xp.full(row.shape, xp.finfo("float32").min, "float32")
        return (
            Tensor._wrap(row.astype("int32")),
            Tensor._wrap(index.astype(rows.dtype)),
            Tensor._wrap(lowest),
        )
