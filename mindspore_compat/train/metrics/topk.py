"""TopKCategoricalAccuracy: the share of samples whose class is among the k largest predictions."""

import numpy as np

from ..._core.rules.checked import checked
from ..._core.rules.vocabulary import Bool, Int
from .metric import Metric, rearrange_inputs

__all__ = ["Top1CategoricalAccuracy", "Top5CategoricalAccuracy", "TopKCategoricalAccuracy"]


class TopKCategoricalAccuracy(Metric):
    """Top-k accuracy: the share of samples whose class is among the k largest predictions.

    Args:
        k (int): the number of largest predictions.

    Raises:
        TypeError: if `k` is not an int.
        ValueError: if `k` is below 1.

    Examples:
        >>> import numpy as np
        >>> from mindspore_compat.train import TopKCategoricalAccuracy
        >>> metric = TopKCategoricalAccuracy(2)
        >>> metric.update(np.array([[0.2, 0.5, 0.3], [0.1, 0.3, 0.5]]), np.array([2, 0]))
        >>> float(metric.eval())
        0.5

    Source: mindspore.train.TopKCategoricalAccuracy of MindSpore 2.10.
    """

    @checked
    def __init__(self, k: Int(ge=1) | Bool):
        super().__init__()
        self.k = k
        self.clear()

    def clear(self):
        """Resets the counts."""
        self._correct_num = 0
        self._samples_num = 0

    @rearrange_inputs
    def update(self, *inputs):
        """Updates the counts with predictions (N, C) and labels.

        Args:
            *inputs: predictions, and labels: class indices (N,) or one-hot (N, any number).

        Raises:
            ValueError: if there are not two inputs, their shapes do not fit, or there are fewer
                than k classes.
        """
        y_pred, y = self._convert_all(inputs, 2, "predictions and labels")
        if y.ndim == 2 and y_pred.ndim == 2 and y.size:
            y = y.argmax(axis=1)
        if y_pred.ndim != 2 or y.shape != y_pred.shape[:1] or y_pred.shape[1] < self.k:
            raise ValueError(
                f"For '{type(self).__name__}.update', predictions must have the shape "
                f"(N, C) with at least {self.k} classes and labels (N,) or one-hot, "
                f"but got {y_pred.shape} and {y.shape}."
            )
        best = np.argsort(-y_pred, axis=1, kind="stable")[:, : self.k]
        self._correct_num += (best == y[:, None]).any(axis=1).sum()
        self._samples_num += len(y)

    def eval(self):
        """Returns the share as a float.

        Raises:
            RuntimeError: if there were no samples.
        """
        self._need_updates(self._samples_num)
        return self._correct_num / self._samples_num


class Top1CategoricalAccuracy(TopKCategoricalAccuracy):
    """Top-1 accuracy: the share of samples whose class has the largest prediction.

    Example:
        >>> import mindspore_compat as ms
        >>> metric = ms.train.Top1CategoricalAccuracy()
        >>> metric.clear()
        >>> metric.update(ms.Tensor([[0.1, 0.9], [0.8, 0.2]]), ms.Tensor([1, 1]))
        >>> float(metric.eval())
        0.5

    Source: mindspore.train.Top1CategoricalAccuracy of MindSpore 2.10.
    """

    def __init__(self):
        super().__init__(1)


class Top5CategoricalAccuracy(TopKCategoricalAccuracy):
    """Top-5 accuracy: the share of samples whose class is among the 5 largest predictions.

    Example:
        >>> import mindspore_compat as ms
        >>> metric = ms.train.Top5CategoricalAccuracy()
        >>> metric.clear()
        >>> metric.update(ms.Tensor([[6.0, 5.0, 4.0, 3.0, 2.0, 1.0]]), ms.Tensor([4]))
        >>> float(metric.eval())
        1.0

    Source: mindspore.train.Top5CategoricalAccuracy of MindSpore 2.10.
    """

    def __init__(self):
        super().__init__(5)
