"""MAE and MSE: the mean absolute and the mean squared error."""

import numpy as np

from .metric import Metric, rearrange_inputs

__all__ = ["MAE", "MSE"]


class _Error(Metric):
    """Base class: the mean of an error over the samples; subclasses define the error, and the
    attribute of its sum."""

    def __init__(self):
        super().__init__()
        self.clear()

    def clear(self):
        """Resets the sums."""
        setattr(self, self._sum, np.float64(0))
        self._samples_num = 0

    @rearrange_inputs
    def update(self, *inputs):
        """Updates the sums with predictions and labels.

        Args:
            *inputs: predictions and labels with the same number of values, samples along the first
                axis.

        Raises:
            ValueError: if there are not two inputs, or they have no axis or not as many values.
        """
        y_pred, y = self._convert_all(inputs, 2, "predictions and labels")
        if y.size != y_pred.size or y.ndim == 0:
            raise ValueError(
                f"For '{type(self).__name__}.update', predictions and labels must "
                f"have the same shape of one axis at least, but got {y_pred.shape} "
                f"and {y.shape}."
            )
        new = self._errors(y.reshape(y_pred.shape) - y_pred).sum()
        setattr(self, self._sum, getattr(self, self._sum) + new)
        self._samples_num += y.shape[0]

    def eval(self):
        """Returns the mean as a float.

        Raises:
            RuntimeError: if there were no samples.
        """
        self._need_updates(self._samples_num)
        return getattr(self, self._sum) / self._samples_num


class MAE(_Error):
    """Mean absolute error: the sum of |prediction - label| divided by the number of samples.

    Examples:
        >>> import numpy as np
        >>> from mindspore_compat.train import MAE
        >>> metric = MAE()
        >>> metric.update(np.array([0.5, 1.0]), np.array([1.0, 1.0]))
        >>> float(metric.eval())
        0.25

    Source: mindspore.train.MAE of MindSpore 2.10.
    """

    _sum = "_abs_error_sum"

    @staticmethod
    def _errors(differences):
        return np.abs(differences)


class MSE(_Error):
    """Mean squared error: the sum of (prediction - label)² divided by the number of samples.

    Examples:
        >>> import numpy as np
        >>> from mindspore_compat.train import MSE
        >>> metric = MSE()
        >>> metric.update(np.array([0.5, 1.0]), np.array([1.0, 1.0]))
        >>> float(metric.eval())
        0.125

    Source: mindspore.train.MSE of MindSpore 2.10.
    """

    _sum = "_squared_error_sum"

    @staticmethod
    def _errors(differences):
        return np.square(differences)
