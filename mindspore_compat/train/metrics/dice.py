"""Dice: the overlap of two regions."""

from ..._core.rules.checked import checked
from ..._core.rules.vocabulary import Float
from .metric import Metric, rearrange_inputs

__all__ = ["Dice"]


class Dice(Metric):
    """Dice coefficient of each batch, 2 |prediction ∩ label| / (|prediction|² + |label|²).

    As in MindSpore, the sum over the batches is divided by the number of samples instead of
    batches.

    Args:
        smooth (float): a term added to the denominator, above 0.

    Raises:
        TypeError: if `smooth` is not a float.
        ValueError: if `smooth` is not positive.

    Examples:
        >>> import numpy as np
        >>> from mindspore_compat.train import Dice
        >>> metric = Dice()
        >>> metric.update(np.array([[1.0, 0.0]]), np.array([[1, 1]]))
        >>> round(float(metric.eval()), 3)
        0.667

    Source: mindspore.train.Dice of MindSpore 2.10.
    """

    @checked
    def __init__(self, smooth: Float(gt=0.0) = 1e-5):
        super().__init__()
        self.smooth = smooth
        self.clear()

    def clear(self):
        """Resets the sums."""
        self._dice_coeff_sum = 0
        self._samples_num = 0

    @rearrange_inputs
    def update(self, *inputs):
        """Updates the sums with predictions and labels of one shape (N, ...).

        Raises:
            ValueError: if there are not two inputs, or their shapes differ.
        """
        y_pred, y = self._convert_all(inputs, 2, "predictions and labels")
        if y_pred.shape != y.shape:
            raise ValueError(
                f"For 'Dice.update', predictions and labels must have the same shape, "
                f"but got {y_pred.shape} and {y.shape}."
            )
        shared = (y_pred.ravel() * y.ravel()).sum()
        sizes = (y_pred.ravel() ** 2).sum() + (y.ravel() ** 2).sum()
        self._dice_coeff_sum += 2 * float(shared) / (float(sizes) + self.smooth)
        self._samples_num += y.shape[0]

    def eval(self):
        """Returns the mean as a float.

        Raises:
            RuntimeError: if there were no samples.
        """
        self._need_updates(self._samples_num)
        return self._dice_coeff_sum / self._samples_num
