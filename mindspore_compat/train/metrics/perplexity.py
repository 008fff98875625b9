"""Perplexity: how uncertain a language model is about the right word."""

import math

import numpy as np

from ..._core.rules.checked import checked
from ..._core.rules.vocabulary import Int
from .metric import Metric, rearrange_inputs

__all__ = ["Perplexity"]


class Perplexity(Metric):
    """Perplexity: exp(mean of -log p), where p is the probability predicted for the right word.

    Args:
        ignore_label (int): a label to ignore; None for no such label.

    Raises:
        TypeError: if `ignore_label` is neither an int nor None.

    Examples:
        >>> import numpy as np
        >>> from mindspore_compat.train import Perplexity
        >>> metric = Perplexity()
        >>> metric.update(np.array([[0.25, 0.75], [0.25, 0.75]]), np.array([0, 0]))
        >>> round(float(metric.eval()), 3)
        4.0

    Source: mindspore.train.Perplexity of MindSpore 2.10.
    """

    @checked
    def __init__(self, ignore_label: Int = None):
        super().__init__()
        self.ignore_label = ignore_label
        self.clear()

    def clear(self):
        """Resets the sums."""
        self._sum_metric = 0.0
        self._num_inst = 0

    @rearrange_inputs
    def update(self, *inputs):
        """Updates the sums with probabilities (..., C) and labels (...).

        Raises:
            ValueError: if there are not two inputs, or a label is not a class.
            RuntimeError: if the shapes do not fit.
        """
        preds, labels = self._convert_all(inputs, 2, "probabilities and labels")
        if preds.shape[:-1] != labels.shape:
            raise RuntimeError(
                f"For 'Perplexity.update', labels must have the shape of the "
                f"probabilities without the last axis, but got {preds.shape} and "
                f"{labels.shape}."
            )
        labels = labels.astype(np.int64).ravel()
        preds = preds.reshape(-1, preds.shape[-1])
        if self.ignore_label is not None:
            is_counted = labels != self.ignore_label
            labels, preds = labels[is_counted], preds[is_counted]
        if labels.size and not 0 <= labels.min() <= labels.max() < preds.shape[1]:
            raise ValueError(
                f"For 'Perplexity.update', labels must be in [0, {preds.shape[1]}), "
                f"but got {labels.min()} to {labels.max()}."
            )
        right = preds[np.arange(labels.size), labels]
        self._sum_metric -= np.log(np.maximum(1e-10, right)).sum()
        self._num_inst += labels.size

    def eval(self):
        """Returns the perplexity as a float.

        Raises:
            RuntimeError: if there were no samples.
        """
        self._need_updates(self._num_inst)
        return math.exp(self._sum_metric / self._num_inst)
