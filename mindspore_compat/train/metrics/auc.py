"""auc: the area under a curve of points."""

import numpy as np

from ..._core.rules.checked import checked
from ..._core.rules.value_rules import Truth
from ..._core.rules.vocabulary import InstanceOf

__all__ = ["auc"]


@checked
def auc(x, y, reorder: Truth = False):
    """Computes the area under a curve (AUC) by the trapezoidal rule.

    Args:
        x (Union[numpy.ndarray, list]): the x coordinates of the points, such as a ROC's false
            positive rates, of shape (N,) or (N, 1).
        y (Union[numpy.ndarray, list]): the y coordinates, such as its true positive rates.
        reorder (bool): whether to sort the points by `x`; otherwise `x` must be monotonic.

    Returns:
        float.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if the shapes do not fit, there are fewer than two points, or `x` neither rises
            nor falls.

    Examples:
        >>> import numpy as np
        >>> from mindspore_compat.train import auc
        >>> float(auc(np.array([0.0, 0.5, 1.0]), np.array([0.0, 0.5, 1.0])))
        0.5

    Source: mindspore.train.auc of MindSpore 2.10.
    """
    x, y = _points("x", x), _points("y", y)
    if x.shape != y.shape or x.size < 2:
        raise ValueError(
            f"For 'auc', 'x' and 'y' must be as many points, two at least, but got "
            f"{x.size} and {y.size}."
        )
    if reorder:
        order = np.lexsort((y, x))
        x, y = x[order], y[order]
    steps = np.diff(x)
    if (steps < 0).any() and (steps > 0).any():
        raise ValueError(
            "For 'auc', 'x' must rise or fall where 'reorder' is False, but it does neither."
        )
    sign = -1 if (steps < 0).any() else 1
    return np.float64(sign * np.trapezoid(y, x))


def _points(name, values):
    """Converts a list or array to an array with one axis."""
    InstanceOf(np.ndarray, list).called("a numpy.ndarray or a list").refuse("auc", name, values)
    points = np.asarray(values)
    if points.ndim == 2 and points.shape[1] == 1:
        points = points.ravel()
    if points.ndim != 1:
        raise ValueError(
            f"For 'auc', '{name}' must have the shape (N,) or (N, 1), but got {points.shape}."
        )
    return points
