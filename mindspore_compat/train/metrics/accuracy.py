"""Accuracy: the share of correct predictions."""

from .metric import EvaluationBase, rearrange_inputs

__all__ = ["Accuracy"]


class Accuracy(EvaluationBase):
    """Accuracy: the share of samples that are predicted correctly.

    Args:
        eval_type (str): "classification": the class with the largest prediction must be the label;
            or "multilabel": all labels of a sample must be right.

    Raises:
        TypeError: if `eval_type` is neither.

    Examples:
        >>> import numpy as np
        >>> from mindspore_compat import Tensor
        >>> from mindspore_compat.train import Accuracy
        >>> metric = Accuracy()
        >>> metric.update(Tensor(np.array([[0.2, 0.5], [0.3, 0.1]])), Tensor(np.array([1, 1])))
        >>> float(metric.eval())
        0.5

    Source: mindspore.train.Accuracy of MindSpore 2.10.
    """

    def __init__(self, eval_type="classification"):
        super().__init__(eval_type)
        self.clear()

    def clear(self):
        """Resets the counts."""
        self._correct_num = self._total_num = self._class_num = 0

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
        if self._type == "classification":
            right = y_pred.argmax(axis=1) == self._class_numbers(y_pred, y)
        else:
            right = (self._by_sample(y_pred) == self._by_sample(y)).all(axis=1)
        self._correct_num += right.sum()
        self._total_num += right.size

    def eval(self):
        """Returns the share as a float.

        Raises:
            RuntimeError: if there were no samples.
        """
        self._need_updates(self._total_num)
        return self._correct_num / self._total_num
