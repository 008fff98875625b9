"""Fbeta and F1: precision and recall in one number."""

from ..._core.rules.checked import checked
from ..._core.rules.vocabulary import Bool, Number
from ._counts import ClassCounts

__all__ = ["F1", "Fbeta"]


class Fbeta(ClassCounts):
    """F-beta score: the weighted harmonic mean of precision and recall, for each class.

    (1 + beta²) tp / ((1 + beta²) tp + beta² fn + fp)

    Args:
        beta (Union[float, int]): the weight of recall relative to precision.

    Raises:
        TypeError: if `beta` is not a number.
        ValueError: if `beta` is not positive.

    Examples:
        >>> import numpy as np
        >>> from mindspore_compat.train import Fbeta
        >>> metric = Fbeta(2)
        >>> metric.update(np.array([[0.2, 0.5], [0.3, 0.1], [0.9, 0.6]]), np.array([1, 0, 1]))
        >>> metric.eval().round(3).tolist()
        [0.833, 0.556]

    Source: mindspore.train.Fbeta of MindSpore 2.10.
    """

    @checked
    def __init__(self, beta: Number(gt=0) | Bool):
        self.beta = float(beta)
        super().__init__("classification")

    def _result(self):
        square = self.beta**2
        marked = square * self._actual_positives + self._positives
        return (1 + square) * self._true_positives / (marked + self.eps)


class F1(Fbeta):
    """F1 score: the harmonic mean of precision and recall, for each class; Fbeta with beta 1.

    Examples:
        >>> import numpy as np
        >>> from mindspore_compat.train import F1
        >>> metric = F1()
        >>> metric.update(np.array([[0.2, 0.5], [0.3, 0.1], [0.9, 0.6]]), np.array([1, 0, 1]))
        >>> metric.eval().round(3).tolist()
        [0.667, 0.667]

    Source: mindspore.train.F1 of MindSpore 2.10.
    """

    def __init__(self):
        super().__init__(1.0)
