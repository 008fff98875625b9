"""ROC: true positive rate against false positive rate at every threshold."""

import numpy as np

from ..._core.rules.checked import checked
from ..._core.rules.vocabulary import Int
from .metric import Metric, rearrange_inputs

__all__ = ["ROC"]


class ROC(Metric):
    """Receiver operating characteristic (ROC): false and true positive rates at each threshold.

    Args:
        class_num (int): the number of classes of predictions (N, C); each class against all others
            gives a curve.
        pos_label (int): the positive label, by default 1; not with `class_num`.

    Raises:
        TypeError: if an argument is not an int or None.

    Examples:
        >>> import numpy as np
        >>> from mindspore_compat.train import ROC
        >>> metric = ROC(pos_label=1)
        >>> metric.update(np.array([0.1, 0.4, 0.35, 0.8]), np.array([0, 0, 1, 1]))
        >>> [each.tolist() for each in metric.eval()[:2]]
        [[0.0, 0.0, 0.5, 0.5, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0]]

    Source: mindspore.train.ROC of MindSpore 2.10.
    """

    @checked
    def __init__(self, class_num: Int = None, pos_label: Int = None):
        super().__init__()
        self.class_num = class_num
        self.pos_label = pos_label
        self.clear()

    def clear(self):
        """Resets the metric."""
        self.y_pred = self.y = 0
        self.sample_weights = None
        self._is_update = False

    @rearrange_inputs
    def update(self, *inputs):
        """Sets the predictions and labels; as in MindSpore, they replace earlier ones.

        Args:
            *inputs: predictions of the labels' shape, or (N, C, ...) with labels (N, ...).

        Raises:
            ValueError: if there are not two inputs, or shapes and `class_num` do not fit.
        """
        y_pred, y = self._convert_all(inputs, 2, "predictions and labels")
        if y_pred.shape == y.shape:
            self._check(self.class_num in (None, 1), "class_num", "None or 1", self.class_num)
            self.class_num = 1
            self.pos_label = 1 if self.pos_label is None else self.pos_label
            self.y_pred = y_pred.reshape(-1, 1)
        else:
            fits = y_pred.ndim == y.ndim + 1 and (y_pred.shape[0], *y_pred.shape[2:]) == y.shape
            self._check(
                fits,
                "predictions",
                "of the labels' shape, or with classes as axis 1",
                f"{y_pred.shape} and {y.shape}",
            )
            self._check(
                self.class_num == y_pred.shape[1],
                "class_num",
                f"the number of classes, {y_pred.shape[1]}",
                self.class_num,
            )
            self._check(
                self.pos_label is None, "pos_label", "None for several classes", self.pos_label
            )
            self.y_pred = np.moveaxis(y_pred, 1, -1).reshape(-1, y_pred.shape[1])
        self.y = y.ravel()
        self._is_update = True

    @staticmethod
    def _check(condition, name, expected, value):
        if not condition:
            raise ValueError(f"For 'ROC.update', '{name}' must be {expected}, but got {value}.")

    def eval(self):
        """Returns the curves.

        Returns:
            tuple of false positive rates, true positive rates and thresholds: arrays, or for
                several classes lists with one array per class.

        Raises:
            RuntimeError: if nothing has been measured.
            ValueError: if there are no positive, or no negative, labels.
        """
        self._need_updates(self._is_update)
        preds, labels = self.y_pred, self.y
        if preds.shape[1] == 1:
            return _curve(preds[:, 0], labels == self.pos_label)
        curves = [_curve(preds[:, number], labels == number) for number in range(preds.shape[1])]
        return tuple(list(curve) for curve in zip(*curves, strict=True))


def _curve(scores, positive):
    """Returns the rates as the threshold falls, so that more and more samples count as positive."""
    order = np.argsort(scores, kind="mergesort")[::-1]
    scores, positive = scores[order], positive[order]
    last = np.append(np.nonzero(np.diff(scores))[0], scores.size - 1)  # of each score
    hits = np.cumsum(positive)[last]
    misses = 1 + last - hits
    for kind, count in (("positive", hits[-1]), ("negative", misses[-1])):
        if count <= 0:
            raise ValueError(f"For 'ROC.eval', there must be {kind} labels, but got none.")
    start = scores[last[0]] + 1  # a threshold above all scores
    return (
        np.append(0, misses) / misses[-1],
        np.append(0, hits) / hits[-1],
        np.append(start, scores[last]),
    )
