"""BleuScore: how similar translations are to references."""

from collections import Counter

import numpy as np

from ..._core.rules.checked import checked
from ..._core.rules.vocabulary import Bool, Int
from .metric import Metric, rearrange_inputs

__all__ = ["BleuScore"]


class BleuScore(Metric):
    """BLEU score of translations: precision over n-grams, with a penalty for short translations.

    Args:
        n_gram (int): the length of the longest n-gram, 1 to 4.
        smooth (bool): whether to add one to each count.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if `n_gram` is out of range.

    Examples:
        >>> from mindspore_compat.train import BleuScore
        >>> metric = BleuScore(n_gram=2)
        >>> metric.update([["the", "cat", "sat"]], [[["the", "cat", "sat", "down"]]])
        >>> round(float(metric.eval()), 4)
        0.7165

    Source: mindspore.train.BleuScore of MindSpore 2.10.
    """

    @checked
    def __init__(self, n_gram: Int(ge=1, le=4) = 4, smooth: Bool = False):
        super().__init__()
        self.n_gram = n_gram
        self.smooth = smooth
        self.clear()

    def clear(self):
        """Resets the counts."""
        self._numerator, self._denominator = np.zeros((2, self.n_gram))
        self._c = self._r = 0.0
        self._is_update = False

    @rearrange_inputs
    def update(self, *inputs):
        """Updates the counts with translations.

        Args:
            *inputs: a list of translations and a list of references. A translation is a list of
                words. The references of a translation are a list of such lists.

        Raises:
            ValueError: if there are not two inputs, or their lengths differ.
        """
        self._check_count(inputs, 2, "translations and references")
        candidates, references = inputs
        if len(candidates) != len(references):
            raise ValueError(
                f"For 'BleuScore.update', there must be references for each "
                f"translation, but got {len(candidates)} and {len(references)}."
            )
        for words, sentences in zip(candidates, references, strict=True):
            self._c += len(words)
            self._r += min(
                (len(reference) for reference in sentences),
                key=lambda length: abs(length - len(words)),
            )
            counts = _runs(words, self.n_gram)
            max_counts = Counter()
            for reference in sentences:
                max_counts |= _runs(reference, self.n_gram)
            for run in counts:
                self._denominator[len(run) - 1] += counts[run]
                self._numerator[len(run) - 1] += min(counts[run], max_counts[run])
        self._is_update = True

    def eval(self):
        """Returns the score as a float.

        Raises:
            RuntimeError: if nothing has been measured.
        """
        self._need_updates(self._is_update)
        if self._numerator.min() == 0:  # MindSpore returns 0 here, before smoothing
            return np.array(0.0)
        offset = 1 if self.smooth else 0
        precision = (self._numerator + offset) / (self._denominator + offset)
        mean = np.exp(np.log(precision).mean())
        if self._c > self._r:
            return mean
        return mean * np.exp(1 - self._r / self._c)


def _runs(words, longest):
    """Counts the occurrences of each n-gram of up to `longest` words."""
    return Counter(
        tuple(words[start : start + length])
        for length in range(1, longest + 1)
        for start in range(len(words) - length + 1)
    )
