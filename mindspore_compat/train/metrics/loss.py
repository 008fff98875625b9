"""Loss: the mean loss of the batches."""

import numpy as np

from .metric import Metric, rearrange_inputs

__all__ = ["Loss"]


class Loss(Metric):
    """Mean loss of the batches. Each batch has the same weight, even if its size differs.

    Examples:
        >>> import numpy as np
        >>> from mindspore_compat import Tensor
        >>> from mindspore_compat.train import Loss
        >>> metric = Loss()
        >>> metric.update(Tensor(0.5))
        >>> metric.update(Tensor(1.0))
        >>> float(metric.eval())
        0.75

    Source: mindspore.train.Loss of MindSpore 2.10.
    """

    def __init__(self):
        super().__init__()
        self.clear()

    def clear(self):
        """Resets the sums."""
        self._sum_loss = np.float64(0)
        self._total_num = 0

    @rearrange_inputs
    def update(self, *inputs):
        """Adds the loss of a batch.

        Args:
            *inputs: the loss, with at most one axis; the mean of several numbers counts.

        Raises:
            ValueError: if there is not one input, or it has more axes.
        """
        (loss,) = self._convert_all(inputs, 1, "the loss")
        if loss.ndim > 1:
            raise ValueError(
                f"For 'Loss.update', the loss must have no or one axis, but got {loss.ndim}."
            )
        self._sum_loss += np.float64(loss.mean())
        self._total_num += 1

    def eval(self):
        """Returns the mean as a float.

        Raises:
            RuntimeError: if there were no losses.
        """
        self._need_updates(self._total_num)
        return self._sum_loss / self._total_num
