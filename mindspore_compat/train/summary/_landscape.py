"""Loss landscapes: the plane in which one is drawn, and the message that stores it.

The plane contains the trained weights and is spanned by two directions. Nothing is trained or run
here. The field numbers come from MindSpore's summary.proto.

Source: Li et al., Visualizing the Loss Landscape of Neural Nets, 2018, and
mindspore.SummaryLandscape of MindSpore 2.10.
"""

import numpy as np

from ..._io.protobuf import bytes_field, int_field
from ._events import tensor_message
from ._lineage import Packed

_MARGIN = 0.2  # of the width of the path, left free around it
_EXTENT = 1.0  # of a landscape around the result alone


class Plane:
    """A plane in the space of weights.

    Attributes:
        weights (dict): the trained weights by name.
        directions (tuple[dict]): two directions by name; 0 except for weights and biases.
        x, y (numpy.ndarray): the coordinates at which the landscape is measured.
        path (numpy.ndarray): the coordinates of the checkpoints, shape (number, 2); None without.
    """

    def __init__(self, weights, directions, x, y, path=None):
        self.weights, self.directions = weights, directions
        self.x, self.y, self.path = x, y, path

    def points(self):
        """Returns all points to measure: the points of the path, then the landscape row by row."""
        path = [] if self.path is None else [tuple(point) for point in self.path.tolist()]
        return path + [(x, y) for y in self.y.tolist() for x in self.x.tolist()]

    def at(self, point):
        """Returns the weights at a point."""
        result = {}
        for name, value in self.weights.items():
            first, second = (direction.get(name) for direction in self.directions)
            result[name] = (
                value
                if first is None
                else (value + point[0] * first + point[1] * second).astype(value.dtype)
            )
        return result


def is_drawn(name):
    """Returns whether a parameter is a weight or bias, not the state of an optimizer."""
    return ("weight" in name or "bias" in name) and "moment" not in name


def plane_of_path(checkpoints, size):
    """Returns the plane in which the checkpoints of a training differ most.

    Args:
        checkpoints (list[dict]): arrays by name, the trained weights last.
        size (int): the number of points on an axis.
    """
    last = checkpoints[-1]
    flat = np.stack([_flat(checkpoint) for checkpoint in checkpoints])
    offsets = flat - flat[-1]
    directions = tuple(
        _scale(_reshape(component, last), last) for component in _components(offsets[:-1].T)
    )
    basis = np.stack([_flat(direction) for direction in directions], axis=1)
    path = np.linalg.lstsq(basis, offsets.T, rcond=None)[0].T
    low, high = path.min(0), path.max(0)
    margin = _MARGIN * (high - low)
    axes = [np.linspace(low[i] - margin[i], high[i] + margin[i], size) for i in (0, 1)]
    return Plane(last, directions, *axes, path)


def plane_of_result(weights, size):
    """Returns a plane with two random directions through the trained weights."""
    directions = tuple(
        _scale(
            {
                name: np.random.normal(size=value.shape)
                for name, value in weights.items()
                if is_drawn(name)
            },
            weights,
        )
        for _ in range(2)
    )
    axis = np.linspace(-_EXTENT, _EXTENT, size)
    return Plane(weights, directions, axis, axis)


def _flat(weights):
    return np.concatenate(
        [np.ravel(value) for name, value in weights.items() if is_drawn(name)]
    ).astype(np.float64)


def _reshape(flat, weights):
    result, at = {}, 0
    for name, value in weights.items():
        if is_drawn(name):
            result[name] = flat[at : at + value.size].reshape(value.shape)
            at += value.size
    return result


def _scale(direction, weights):
    """Scales a direction, parameter by parameter, to the norms of the weights."""
    result = {}
    for name, change in direction.items():
        length = np.linalg.norm(change)
        result[name] = change * (np.linalg.norm(weights[name]) / length) if length else change
    return result


def _components(columns):
    """Returns the first two principal components; the largest number of each is positive."""
    centred = columns - columns.mean(0)
    vectors, lengths, _ = np.linalg.svd(centred, full_matrices=False)
    for number in (0, 1):
        component = vectors[:, number]
        yield component * lengths[number] * np.sign(component[np.abs(component).argmax()])


def landscape_message(plane, losses, epochs, unit, steps_per_epoch):
    """Builds the message of a landscape.

    Args:
        plane (Plane): the plane in which it was measured.
        losses (list[float]): the losses at its points.
        epochs (list[int]): the numbers of the checkpoints of its path.
        unit (str): "step" or "epoch".
        steps_per_epoch (int): the steps of an epoch.
    """
    count = len(losses) - len(plane.x) * len(plane.y)
    grid = np.reshape(losses[count:], (len(plane.y), len(plane.x)))
    if count:
        centre = [np.zeros(1), np.zeros(1), np.array(losses[count - 1 : count])]
    else:
        middle = len(plane.x) // 2
        centre = [plane.x[[middle]], plane.y[[middle]], grid[middle, [middle]]]
    parts = [bytes_field(1, _points(plane.x, plane.y, grid))]
    if count:
        parts.append(
            bytes_field(
                2,
                b"".join(int_field(1, epoch) for epoch in epochs)
                + bytes_field(2, _points(*plane.path.T, np.array(losses[:count]))),
            )
        )
    description = (
        bytes_field(1, "PCA" if count else "Random")
        + bytes_field(2, unit)
        + int_field(3, steps_per_epoch)
    )
    return Packed(b"".join(parts) + bytes_field(3, description) + bytes_field(4, _points(*centre)))


def _points(x, y, z):
    return b"".join(
        bytes_field(number, tensor_message(axis)) for number, axis in enumerate((x, y, z), 1)
    )
