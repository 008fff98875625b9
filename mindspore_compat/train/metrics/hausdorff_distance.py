"""HausdorffDistance: the largest distance between the surfaces of two regions."""

import numpy as np

from ..._core.rules.checked import checked
from ..._core.rules.vocabulary import Bool, Float
from ._surface import SurfaceMetric

__all__ = ["HausdorffDistance"]


class HausdorffDistance(SurfaceMetric):
    """Hausdorff distance: the largest distance from a point of one surface to the other surface.

    Args:
        distance_metric (str): "euclidean", "chessboard" or "taxicab".
        percentile (float): the percentile of the distances to return instead of the largest, from 0
            to 100.
        directed (bool): whether to use only distances from the predicted surface.
        crop (bool): whether MindSpore crops the images to the regions first; this changes no
            result.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if `distance_metric` is unknown.

    Examples:
        >>> import numpy as np
        >>> from mindspore_compat.train import HausdorffDistance
        >>> metric = HausdorffDistance()
        >>> x = np.array([[1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 0, 0]])
        >>> y = np.array([[0, 1, 1, 1], [0, 1, 1, 0], [0, 0, 0, 0]])
        >>> metric.update(x, y, 1)
        >>> float(metric.eval())
        2.0

    Source: mindspore.train.HausdorffDistance of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        distance_metric="euclidean",
        percentile: Float | None = None,
        directed: Bool = False,
        crop: Bool = True,
    ):
        super().__init__(distance_metric)
        self.percentile = percentile
        self.directed = directed
        self.crop = crop

    def eval(self):
        """Returns the distance as a float.

        Raises:
            RuntimeError: if nothing has been measured.
            ValueError: if `percentile` is not from 0 to 100.
        """
        both_directions = self._distances_of_directions(not self.directed)
        if self.percentile is None:
            return max(distances.max() for distances in both_directions)
        if not 0 <= self.percentile <= 100:
            raise ValueError(
                f"For 'HausdorffDistance', 'percentile' must be a float in [0, 100], "
                f"but got {self.percentile}."
            )
        return max(np.percentile(distances, self.percentile) for distances in both_directions)
