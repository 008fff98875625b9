"""Recall: the share of samples of a class that are predicted."""

from ._counts import ClassCounts

__all__ = ["Recall"]


class Recall(ClassCounts):
    """Recall of each class: true positives / (true positives + false negatives).

    Args:
        eval_type (str): "classification", or "multilabel", which gives a result for each sample.

    Raises:
        TypeError: if `eval_type` is neither.

    Examples:
        >>> import numpy as np
        >>> from mindspore_compat.train import Recall
        >>> metric = Recall()
        >>> metric.update(np.array([[0.2, 0.5], [0.3, 0.1], [0.9, 0.6]]), np.array([1, 0, 1]))
        >>> metric.eval().tolist()
        [1.0, 0.5]

    Source: mindspore.train.Recall of MindSpore 2.10.
    """

    def __init__(self, eval_type="classification"):
        super().__init__(eval_type)

    def _result(self):
        return self._of(self._actual_positives)
