"""ClassCounts: base of precision, recall and F scores, which counts right and wrong predictions."""

import sys

import numpy as np

from ..._core.rules.checked import checked
from ..._core.rules.vocabulary import Bool
from .metric import EvaluationBase, rearrange_inputs


class ClassCounts(EvaluationBase):
    """Counts of true positives, predicted samples and labelled samples of each class.

    For multilabel data each sample counts as a class, as in MindSpore.
    """

    def __init__(self, eval_type):
        super().__init__(eval_type)
        self.eps = sys.float_info.min  # a class that never occurs counts as 0 instead of NaN
        self.clear()

    def clear(self):
        """Resets the counts."""
        self._class_num = 0
        self._true_positives, self._positives, self._actual_positives = np.zeros((3, 0))

    @rearrange_inputs
    def update(self, *inputs):
        """Updates the counts with predictions (N, C, ...) and labels.

        Args:
            *inputs: predictions, and labels: class indices (N, ...) or one-hot (N, C, ...). With
                several labels, both are (N, C, ...) with values 0 and 1.

        Raises:
            ValueError: if there are not two inputs, or shapes, values or the number of classes do
                not fit.
        """
        y_pred, y = self._convert_classes(inputs)
        if self._type == "multilabel":
            counts = _of_samples(self._by_sample(y_pred), self._by_sample(y))
            self._true_positives, self._positives, self._actual_positives = (
                np.append(old, new) for old, new in zip(self._counts(), counts, strict=True)
            )
            return
        counts = self._of_classes(y_pred.argmax(axis=1), self._class_numbers(y_pred, y))
        self._true_positives, self._positives, self._actual_positives = (
            old + new if old.size else new for old, new in zip(self._counts(), counts, strict=True)
        )

    def _counts(self):
        return self._true_positives, self._positives, self._actual_positives

    def _of_classes(self, predicted, labels):
        """Returns the counts by class."""
        labels = labels.astype(np.int64)
        classes = self._class_num
        if labels.size and not 0 <= labels.min() <= labels.max() < classes:
            raise ValueError(
                f"For '{type(self).__name__}.update', labels must be in [0, "
                f"{classes}), but got {labels.min()} to {labels.max()}."
            )
        hit = predicted.ravel()[predicted.ravel() == labels.ravel()]
        return [
            np.bincount(counts.ravel(), minlength=classes).astype(np.float64)
            for counts in (hit, predicted, labels)
        ]

    @checked
    def eval(self, average: Bool = False):
        """Returns the result for each class, or their mean.

        Args:
            average (bool): whether to return the mean.

        Returns:
            numpy.ndarray, or a float with `average`.

        Raises:
            TypeError: if `average` is not a bool.
            RuntimeError: if there were no samples.
        """
        self._need_updates(self._class_num)
        result = self._result()
        return result.mean() if average else result

    def _of(self, total):
        """Returns the true positives divided by a count."""
        return self._true_positives / (total + self.eps)


def _of_samples(y_pred, y):
    """Returns the counts by sample."""
    return [counts.sum(axis=1).astype(np.float64) for counts in (y_pred * y, y_pred, y)]
