"""ConfusionMatrix, which counts labels against predictions; ConfusionMatrixMetric: their ratios."""

import numpy as np

from ..._core.rules.checked import checked
from ..._core.rules.vocabulary import Bool, Float, Int, OneOf, Str
from .metric import Metric, rearrange_inputs

__all__ = ["ConfusionMatrix", "ConfusionMatrixMetric"]

_NORMS = ("no_norm", "target", "prediction", "all")


class ConfusionMatrix(Metric):
    """Confusion matrix: counts how often each class (row) is predicted as each class (column).

    Args:
        num_classes (int): the number of classes.
        normalize (str): "no_norm" for counts, or shares of the "target" (row), of the "prediction"
            (column) or of "all".
        threshold (float): a prediction of the labels' shape counts as class 1 from this value on.

    Raises:
        TypeError: if `num_classes` is not an int or `threshold` not a float.
        ValueError: if `normalize` is unknown or `num_classes` negative.

    Examples:
        >>> import numpy as np
        >>> from mindspore_compat.train import ConfusionMatrix
        >>> metric = ConfusionMatrix(2)
        >>> metric.update(np.array([1, 0, 1, 0]), np.array([1, 0, 0, 0]))
        >>> metric.eval().tolist()
        [[2.0, 1.0], [0.0, 1.0]]

    Source: mindspore.train.ConfusionMatrix of MindSpore 2.10.
    """

    @checked
    def __init__(self, num_classes: Int(ge=0), normalize="no_norm", threshold: Float = 0.5):
        super().__init__()
        if normalize not in _NORMS:
            raise ValueError(
                f"For 'ConfusionMatrix', 'normalize' must be one of 'no_norm', "
                f"'target', 'prediction', 'all', but got {normalize!r}."
            )
        self.num_classes = num_classes
        self.normalize = normalize
        self.threshold = threshold
        self.clear()

    def clear(self):
        """Resets the counts."""
        self._is_update = False
        self.confusion_matrix = np.zeros([self.num_classes] * 2)

    @rearrange_inputs
    def update(self, *inputs):
        """Updates the counts with predictions and labels.

        Args:
            *inputs: predictions and labels (N, ...). Predictions are scores (N, C, ...), of which
                the largest gives the class; or, in the labels' shape, class indices or floats that
                are compared with `threshold`.

        Raises:
            ValueError: if there are not two inputs, or shapes or classes do not fit.
        """
        y_pred, y = self._convert_all(inputs, 2, "predictions and labels")
        if y_pred.ndim == y.ndim + 1:
            y_pred = y_pred.argmax(axis=1)
        elif y_pred.ndim == y.ndim and y_pred.dtype.kind == "f":
            y_pred = (y_pred >= self.threshold).astype(np.int64)
        if y_pred.shape != y.shape:
            raise ValueError(
                f"For 'ConfusionMatrix.update', predictions must have the shape of "
                f"the labels, or classes as axis 1, but got {inputs[0].shape} and "
                f"{y.shape}."
            )
        rows, columns = y.astype(np.int64).ravel(), y_pred.astype(np.int64).ravel()
        for kind, values in (("predictions", columns), ("labels", rows)):
            if values.size and not 0 <= values.min() <= values.max() < self.num_classes:
                raise ValueError(
                    f"For 'ConfusionMatrix.update', {kind} must be in [0, "
                    f"{self.num_classes}), but got {values.min()} to "
                    f"{values.max()}."
                )
        np.add.at(self.confusion_matrix, (rows, columns), 1)
        self._is_update = True

    def eval(self):
        """Returns the matrix as an array of floats.

        Raises:
            RuntimeError: if nothing has been measured.
        """
        self._need_updates(self._is_update)
        counts = self.confusion_matrix.copy()
        if self.normalize == "no_norm":
            return counts
        total = {
            "target": lambda: counts.sum(axis=1, keepdims=True),
            "all": counts.sum,
            "prediction": lambda: counts.sum(axis=0, keepdims=True),
        }[self.normalize]()
        return np.divide(
            counts,
            total,
            out=np.zeros_like(counts),
            where=np.broadcast_to(total != 0, counts.shape),
        )


def _ratio(above, below):
    """Returns above / below, and NaN if `below` is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(below != 0, np.divide(above, below), np.nan)


def _threat(tp, fp, tn, fn):
    tpr, fpr = _ratio(tp, tp + fn), _ratio(fp, fp + tn)
    return _ratio(np.sqrt(tpr * fpr) - fpr, tpr - fpr)


def _matthews(tp, fp, tn, fn):
    return _ratio(tp * tn - fp * fn, np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)))


# name -> (its other names, the ratio); "_" and " " are equivalent, and case is ignored.
_RATIOS = {
    "sensitivity": (
        "recall, hit rate, true positive rate, tpr",
        lambda tp, fp, tn, fn: _ratio(tp, tp + fn),
    ),
    "specificity": (
        "selectivity, true negative rate, tnr",
        lambda tp, fp, tn, fn: _ratio(tn, tn + fp),
    ),
    "precision": ("positive predictive value, ppv", lambda tp, fp, tn, fn: _ratio(tp, tp + fp)),
    "negative predictive value": ("npv", lambda tp, fp, tn, fn: _ratio(tn, tn + fn)),
    "miss rate": ("false negative rate, fnr", lambda tp, fp, tn, fn: _ratio(fn, fn + tp)),
    "fall out": ("false positive rate, fpr", lambda tp, fp, tn, fn: _ratio(fp, fp + tn)),
    "false discovery rate": ("fdr", lambda tp, fp, tn, fn: _ratio(fp, fp + tp)),
    "false omission rate": ("for", lambda tp, fp, tn, fn: _ratio(fn, fn + tn)),
    "prevalence threshold": ("pt", _threat),
    "threat score": (
        "critical success index, ts, csi",
        lambda tp, fp, tn, fn: _ratio(tp, tp + fn + fp),
    ),
    "accuracy": ("acc", lambda tp, fp, tn, fn: _ratio(tp + tn, tp + fp + tn + fn)),
    "balanced accuracy": (
        "ba",
        lambda tp, fp, tn, fn: (_ratio(tp, tp + fn) + _ratio(tn, tn + fp)) / 2,
    ),
    "f1 score": ("f1", lambda tp, fp, tn, fn: _ratio(2 * tp, 2 * tp + fn + fp)),
    "matthews correlation coefficient": ("mcc", _matthews),
    "fowlkes mallows index": (
        "fm",
        lambda tp, fp, tn, fn: np.sqrt(_ratio(tp, tp + fp) * _ratio(tp, tp + fn)),
    ),
    "informedness": (
        "bookmaker informedness, bm",
        lambda tp, fp, tn, fn: _ratio(tp, tp + fn) + _ratio(tn, tn + fp) - 1,
    ),
    "markedness": (
        "deltap, mk",
        lambda tp, fp, tn, fn: _ratio(tp, tp + fp) + _ratio(tn, tn + fn) - 1,
    ),
}
_RATIO_OF = {
    alias: ratio
    for name, (others, ratio) in _RATIOS.items()
    for alias in (name, *others.split(", "))
}
_DECREASES = ("none", "mean", "sum", "mean_batch", "sum_batch", "mean_channel", "sum_channel")


class ConfusionMatrixMetric(Metric):
    """Ratio of true and false positives and negatives of a confusion matrix.

    Args:
        skip_channel (bool): if False, the first channel is left out. (MindSpore documents the
            opposite, but behaves like this.)
        metric_name (str): the ratio, such as "sensitivity" (or "recall", "tpr"), "specificity",
            "precision", "accuracy", "f1 score".
        calculation_method (bool): whether to compute the ratio for each sample and then reduce the
            ratios, instead of adding up all counts first.
        decrease (str): how ratios are reduced: "none", "mean", "sum", or along one axis,
            "mean_batch", "sum_batch", "mean_channel", "sum_channel".

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if `metric_name` or `decrease` is unknown.

    Examples:
        >>> import numpy as np
        >>> from mindspore_compat.train import ConfusionMatrixMetric
        >>> metric = ConfusionMatrixMetric(metric_name="tpr")
        >>> metric.update(np.array([[[0], [1]], [[1], [0]]]), np.array([[[0], [1]], [[0], [1]]]))
        >>> metric.eval().tolist()
        [0.5]

    Source: mindspore.train.ConfusionMatrixMetric of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        skip_channel: Bool = True,
        metric_name: Str = "sensitivity",
        calculation_method: Bool = False,
        decrease: OneOf(*_DECREASES) = "mean",
    ):
        super().__init__()
        if metric_name.lower().replace("_", " ") not in _RATIO_OF:
            raise ValueError(
                f"For 'ConfusionMatrixMetric', 'metric_name' must be one of "
                f"{', '.join(_RATIOS)}, or an abbreviation, but got {metric_name!r}."
            )
        self.skip_channel = skip_channel
        self.metric_name = metric_name
        self.calculation_method = calculation_method
        self.decrease = decrease
        self._ratio = _RATIO_OF[metric_name.lower().replace("_", " ")]
        self.clear()

    def clear(self):
        """Resets the counts."""
        self._total_tp = self._total_fp = self._total_tn = self._total_fn = 0.0
        self._total_num = 0.0
        self._class_num = 0.0

    @rearrange_inputs
    def update(self, *inputs):
        """Updates the counts with one-hot predictions and labels of one shape (N, C, ...).

        Raises:
            ValueError: if there are not two inputs, their shapes differ, or there is no axis for
                channels.
        """
        y_pred, y = self._convert_all(inputs, 2, "predictions and labels")
        if y_pred.shape != y.shape or y.ndim < 2:
            raise ValueError(
                f"For 'ConfusionMatrixMetric.update', predictions and labels must "
                f"have the same shape (N, C, ...), but got {y_pred.shape} and "
                f"{y.shape}."
            )
        counts = self._of_samples(y_pred, y)
        if not self.calculation_method:
            tp, fp, tn, fn = counts.reshape(4, -1).sum(axis=1)
            self._total_tp, self._total_fp = self._total_tp + tp, self._total_fp + fp
            self._total_tn, self._total_fn = self._total_tn + tn, self._total_fn + fn
            return
        score, weight = _decrease(self._ratio(*counts), self.decrease)
        self._total_num = self._total_num + score * weight
        self._class_num = self._class_num + weight

    def _of_samples(self, y_pred, y):
        """Returns (4, N, C): true positives, false positives, true and false negatives."""
        if not self.skip_channel and y.shape[1] > 1:
            y_pred, y = y_pred[:, 1:], y[:, 1:]
        y_pred, y = (x.reshape(*x.shape[:2], -1).astype(np.float64) for x in (y_pred, y))
        hit = (y_pred + y == 2).sum(axis=2)
        none = (y_pred + y == 0).sum(axis=2)
        labelled = y.sum(axis=2)
        misses = labelled - hit
        return np.stack([hit, y.shape[2] - labelled - none, none, misses]).astype(np.float64)

    def eval(self):
        """Returns an array with the ratio, or with `calculation_method` the ratios reduced by
        `decrease`.

        Raises:
            RuntimeError: with `calculation_method`, if nothing has been measured.
        """
        if not self.calculation_method:
            counts = self._total_tp, self._total_fp, self._total_tn, self._total_fn
            return np.atleast_1d(self._ratio(*map(np.float64, counts)))
        self._need_updates(np.any(self._class_num))
        result = _ratio(self._total_num, self._class_num)
        return result.item() if result.ndim == 0 else result


def _decrease(ratios, how):
    """Returns the ratios (N, C) reduced, and the number of them; NaNs are ignored."""
    is_number = ~np.isnan(ratios)
    if how == "none":
        return np.where(is_number, ratios, 0.0), is_number.astype(np.float64)
    if how == "mean":
        ratios, is_number = _along(ratios, is_number, 1, mean=True)
        return _along(ratios, is_number > 0, 0, mean=True)
    kind, _, axis = how.partition("_")
    axis = {"": None, "batch": 0, "channel": 1}[axis]
    return _along(ratios, is_number, axis, mean=kind == "mean")


def _along(ratios, is_number, axis, mean):
    """Returns the sum or mean of the known ratios along an axis, and their number."""
    count = is_number.sum(axis=axis).astype(np.float64)
    total = np.where(is_number, ratios, 0.0).sum(axis=axis)
    return (np.nan_to_num(_ratio(total, count)) if mean else total), count
