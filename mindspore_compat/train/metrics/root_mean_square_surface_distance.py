"""RootMeanSquareDistance: the root mean square distance between the surfaces of two regions."""

import numpy as np

from ..._core.rules.checked import checked
from ..._core.rules.vocabulary import Bool
from ._surface import SurfaceMetric

__all__ = ["RootMeanSquareDistance"]


class RootMeanSquareDistance(SurfaceMetric):
    """Root mean square surface distance from the predicted surface to the labelled one.

    As in MindSpore, the root is taken only of the symmetric mean.

    Args:
        symmetric (bool): whether to include the distances in the opposite direction.
        distance_metric (str): "euclidean", "chessboard" or "taxicab".

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if `distance_metric` is unknown.

    Examples:
        >>> import numpy as np
        >>> from mindspore_compat.train import RootMeanSquareDistance
        >>> metric = RootMeanSquareDistance(symmetric=True)
        >>> x = np.array([[1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 0, 0]])
        >>> y = np.array([[0, 1, 1, 1], [0, 1, 1, 0], [0, 0, 0, 0]])
        >>> metric.update(x, y, 1)
        >>> round(float(metric.eval()), 4)
        0.922

    Source: mindspore.train.RootMeanSquareDistance of MindSpore 2.10.
    """

    @checked
    def __init__(self, symmetric: Bool = False, distance_metric="euclidean"):
        super().__init__(distance_metric)
        self.symmetric = symmetric

    def eval(self):
        """Returns the distance as a float.

        Raises:
            RuntimeError: if nothing has been measured.
        """
        mean = np.mean(
            [
                np.square(distances).mean()
                for distances in self._distances_of_directions(self.symmetric)
            ]
        )
        return np.sqrt(mean) if self.symmetric else mean
