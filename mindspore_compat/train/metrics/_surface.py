"""SurfaceMetric: base of the metrics over surfaces of regions: edges, and distances between
them."""

import numpy as np

from ..._core.rules.checked import checked
from ..._core.rules.vocabulary import InstanceOf, OneOf
from .metric import Metric, rearrange_inputs

_Number = InstanceOf(int, float, np.integer, np.floating).called("an int or a float")


class SurfaceMetric(Metric):
    """Base class of metrics over the surfaces of a predicted and a labelled region.

    Args:
        distance_metric (str): "euclidean", "chessboard" or "taxicab".
    """

    @checked
    def __init__(self, distance_metric: OneOf("euclidean", "chessboard", "taxicab")):
        super().__init__()
        self.distance_metric = distance_metric
        self.clear()

    def clear(self):
        """Resets the metric."""
        self._y_pred_edges = self._y_edges = None
        self._is_update = False

    @rearrange_inputs
    def update(self, *inputs):
        """Sets a prediction and its label, which replace earlier ones.

        Args:
            *inputs: the predicted image and the labelled one, of one shape, and the value that
                marks the region.

        Raises:
            ValueError: if there are not three inputs, the images' shapes differ or they are empty,
                or the number is in neither.
            TypeError: if the number is neither an int nor a float.
        """
        name = type(self).__name__
        self._check_count(inputs, 3, "prediction, label and the number of the region")
        y_pred, y = self._convert_data(inputs[0]), self._convert_data(inputs[1])
        number = inputs[2]
        _Number.refuse_part(f"{name}.update", "the number of the region", number)
        if y_pred.size == 0 or y_pred.shape != y.shape:
            raise ValueError(
                f"For '{name}.update', the images must have the same shape and not be "
                f"empty, but got {y_pred.shape} and {y.shape}."
            )
        if not (y_pred == number).any() and not (y == number).any():
            raise ValueError(
                f"For '{name}.update', the number of the region must be in one of the "
                f"images, but got {number!r}."
            )
        self._y_pred_edges, self._y_edges = _edges(y_pred == number), _edges(y == number)
        self._is_update = True

    def _distances(self, source, target):
        """Returns the distance from each point of one surface to the other; inf if one is empty."""
        from scipy import ndimage

        if not source.any() or not target.any():
            return np.array([np.inf])
        if self.distance_metric == "euclidean":
            return ndimage.distance_transform_edt(~target)[source]
        return ndimage.distance_transform_cdt(~target, metric=self.distance_metric)[source]

    def _distances_of_directions(self, symmetric):
        """Returns the distances from the predicted to the labelled surface; if `symmetric`, also
        those in the other direction."""
        self._need_updates(self._is_update)
        predicted, labelled = self._y_pred_edges, self._y_edges
        distances = self._distances(predicted, labelled)
        return [distances, self._distances(labelled, predicted)] if symmetric else [distances]


def _edges(mask):
    """Returns the points of a region that have a neighbour outside it."""
    from scipy import ndimage

    return ndimage.binary_erosion(mask) ^ mask
