"""Sums of hinges over all pairs of a target class and another class, for the multi-label margin
loss.

The target classes of a row are the entries of `target` before the first negative one. The pairs are
processed in parts, so memory does not grow with the square of the classes. On the host, time grows
with the largest number of targets in a row.
"""

import math

import numpy

from ..._backend.space import implements
from ..._core.autograd.vjp_rules import derive


@implements
def label_hinges(xp, x, target):
    """Computes for each row of `x` and `target`, (..., C), the sum of max(x[i] - x[t] + 1, 0) over
    its target classes t and all other classes i."""
    sums = []
    for rows, labels in _parts(xp, x, target):
        labels, is_label = _labels(xp, labels)
        total = xp.zeros(rows.shape[:1], x.dtype)
        for _, gaps, pairs in _gaps(xp, rows, labels, is_label):
            total += xp.sum(xp.keep(pairs, xp.at_least(gaps, 0)), (1, 2))
        sums.append(total)
    return xp.reshape(_joined(xp, sums), xp.broadcast_shapes(x.shape, target.shape)[:-1])


@implements
def label_slopes(xp, x, target):
    """Computes the derivatives of `label_hinges` for `x`. The derivative of a hinge at 0 is 1/2,
    and that of NaN is 1."""
    slopes = []
    for rows, labels in _parts(xp, x, target):
        labels, is_label = _labels(xp, labels)
        total, falls = xp.zeros(rows.shape, x.dtype), xp.zeros(labels.shape, x.dtype)
        for columns, gaps, pairs in _gaps(xp, rows, labels, is_label):
            twice = xp.cast(pairs & xp.logical_not(gaps < 0), x.dtype)
            twice += pairs & xp.logical_not(gaps <= 0)
            total += xp.sum(twice, 1)
            falls[:, columns] = -xp.sum(twice, 2)
        slopes.append(xp.scatter_along_axis(total, labels, falls, 1, add=True) * 0.5)
    return xp.reshape(_joined(xp, slopes), xp.broadcast_shapes(x.shape, target.shape))


@implements
def label_marks(xp, target):
    """Returns True for the target classes of each row of `target`, (..., C)."""
    (rows,) = next(_parts(xp, target, step=max(target.size, 1)))
    return xp.reshape(_marks(xp, *_labels(xp, rows), rows.shape[1]), target.shape)


def _parts(xp, *arrays, step=None):
    """Yields rows of the arrays, as matrices, of which the pairs with one target fit a cache."""
    shape = xp.broadcast_shapes(*(array.shape for array in arrays))
    lead = math.prod(shape[:-1])
    arrays = [xp.reshape(xp.broadcast_to(array, shape), (lead, shape[-1])) for array in arrays]
    step = step or max(xp.at_once() // 4 // max(shape[-1], 1), 1)
    for first in range(0, max(lead, 1), step):
        yield [array[first : first + step] for array in arrays]


def _labels(xp, target):
    """Returns the target classes, or 0 where a row has no more of them, and which there are. On
    the host, columns without target classes are cut off."""
    classes, negative = target.shape[1], target < 0
    if not target.size:
        return target, negative
    counts = xp.where(xp.any(negative, 1), xp.argmax(negative, 1), classes)
    most = int(counts.max()) if type(counts) is numpy.ndarray else classes
    is_label = xp.arange(most) < xp.expand_dims(counts, 1)
    return xp.where(is_label, target[:, :most], 0), is_label


def _marks(xp, labels, is_label, classes):
    counts = xp.zeros((labels.shape[0], classes), "float32")
    return xp.scatter_along_axis(counts, labels, xp.cast(is_label, "float32"), 1, add=True) > 0


def _gaps(xp, x, labels, is_label):
    """Yields (slice of targets, x[i] - x[t] + 1 for these t and all i, which pairs count)."""
    others = xp.expand_dims(xp.logical_not(_marks(xp, labels, is_label, x.shape[1])), 1)
    scores = xp.expand_dims(xp.take_along_axis(x, labels, 1), 2)
    width = max(xp.at_once() // 4 // max(x.size, 1), 1)
    for first in range(0, labels.shape[1], width):
        columns = slice(first, first + width)
        gaps = xp.expand_dims(x, 1) - scores[:, columns]
        gaps += 1
        yield columns, gaps, xp.expand_dims(is_label[:, columns], 2) & others


def _joined(xp, parts):
    return parts[0] if len(parts) == 1 else xp.concatenate(parts, 0)


derive(
    "label_hinges(x, target)",
    arrays="x target",
    x=lambda xp, g, x, target: xp.expand_dims(g, -1) * xp.label_slopes(x, target),
)
