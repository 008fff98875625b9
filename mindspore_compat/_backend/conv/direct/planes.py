"""Layout of padded planes, and division of the work into pieces, for compiled convolution loops.

The algorithms of choose.py use it: flat correlations (flat.py), gathered windows (gather.py) and
Winograd's method (winograd.py).
"""

from itertools import product
from typing import NamedTuple

import numpy

from ...threads.parallel_loops import INDEX, OFFSET
from . import plane_loops

PIECES = 16  # pieces of a call, or more if they would not fit the cache
CACHE = 1 << 18  # elements of planes or weights that stay in a core's cache
SUMS = 1 << 22  # elements of the partial sums of all pieces of the weight gradient
VECTOR = 16  # elements of the longest vectors
WIDEST = 48  # filters of the widest tile; tile widths of other hosts divide it
SLACK = plane_loops.SLACK  # elements that a tile may read behind the planes, or `dots` offsets
FOUND = 512  # elements of the largest tile of sums


class Correlation(NamedTuple):
    """The sizes of a correlation of images with filters, as all algorithms take them. Each group of
    channels has its own filters."""

    batch: int
    groups: int
    channels: int  # of a group
    filters: int  # of a group
    size: tuple
    before: tuple  # zeros above and to the left; negative where rows or columns are left out
    stride: tuple
    taps: tuple  # the (row, column) offset of each kernel position from the first one
    out: tuple  # the size of the result
    target: tuple  # the size of the array that is written to
    start: tuple  # the row and column at which the result starts in that array
    step: tuple  # the row and column strides of the result in that array

    @property
    def depth(self):
        """The number of products of each sum."""
        return self.channels * len(self.taps)

    @property
    def writes(self):
        """The location of results, for loops: the elements of a channel, the start, and the steps
        to the next row and column."""
        start = self.start[0] * self.target[1] + self.start[1]
        area = self.target[0] * self.target[1]
        return area, start, self.step[0] * self.target[1], self.step[1]


class Weights(NamedTuple):
    """The layout of a correlation's filters in the weights of a convolution."""

    values: numpy.ndarray  # contiguous
    group: int  # the step to the next group
    filter: int  # to the next filter
    channel: int  # to the next channel
    indices: numpy.ndarray  # the index of each kernel position

    def sizes(self, plan):
        """Returns the layout in the form that loops take."""
        steps = self.group, self.filter, plan.channels, self.channel
        return plane_loops.Filters(plan.filters, *steps)


class _Axis(NamedTuple):
    """One spatial dimension of padded planes."""

    phases: tuple  # for each phase: its number, zeros before, length, the first element
    length: int  # from the first element of a plane, or row, to the first of the next
    reach: int  # the distance that windows reach beyond the result


def _axis(size, before, stride, taps, out):
    """Returns the layout of a dimension. Neighbouring rows share the zeros between them."""
    reach = max((t // stride for t in taps), default=0)
    phases, length = [], out
    for phase in sorted({t % stride for t in taps}):
        lead = max(-(-(before - phase) // stride), 0)
        start = lead * stride + phase - before
        count = max(min(-(-(size - start) // stride), out + reach - lead), 0)
        behind = max(out + reach - lead - count, 0)
        phases.append((phase, lead, count, start))
        length = max(length, count + max(lead, behind))
    return _Axis(tuple(phases), length, reach)


class Planes(NamedTuple):
    """The layout of padded planes, for windows at unit steps of each phase of the stride."""

    axes: tuple
    phases: numpy.ndarray  # six numbers for each pair of phases
    stride: tuple
    taps: tuple

    @classmethod
    def of(cls, size, before, stride, taps, out):
        """Returns the planes of images of a size, with zeros before them, for windows at `taps`."""
        axes = tuple(
            _axis(*lengths, {t[axis] for t in taps}, out[axis])
            for axis, lengths in enumerate(zip(size, before, stride, strict=True))
        )
        numbers = [(*y[1:], *x[1:]) for y, x in product(axes[0].phases, axes[1].phases)]
        return cls(axes, numpy.array(numbers, INDEX).reshape(-1), stride, taps)

    @property
    def row(self):
        """The number of elements of a row."""
        return self.axes[1].length

    @property
    def reach(self):
        """The number of rows that windows reach beyond the result."""
        return self.axes[0].reach

    @property
    def copies(self):
        """The number of planes of a channel."""
        return self.phases.size // 6

    def step(self, rows):
        """Returns the step from a plane of `rows` rows to the next."""
        return odd_lines(rows * self.row + self.axes[1].reach + VECTOR)

    def offsets(self, channels, step):
        """Returns the offset of a window's elements for each channel and kernel position."""
        y, x = ([phase[0] for phase in axis.phases] for axis in self.axes)
        offsets = [
            (y.index(a % self.stride[0]) * len(x) + x.index(b % self.stride[1])) * step
            + a // self.stride[0] * self.row
            + b // self.stride[1]
            for a, b in self.taps
        ]
        planes = numpy.arange(channels)[:, None] * (self.copies * step)
        return (planes + numpy.array(offsets, INDEX)).reshape(-1).astype(OFFSET)


def odd_lines(count):
    """Rounds up to an odd number of cache lines, so that equal rows of several planes do not share
    a cache set."""
    return (-(-count // VECTOR) | 1) * VECTOR


def cut(batch, rows, others, most, size):
    """Returns the numbers of samples and rows of the result that one piece covers.

    Args:
        batch, rows: the total numbers of samples and rows.
        others: the number of pieces of the work on each sample and row.
        most: the largest number of pieces that the work justifies.
        size: `size(rows)` is the number of elements that a sample takes for some rows.
    """
    height = rows
    while height > 1 and size(height) > CACHE:
        height = -(-height // 2)
    samples = max(CACHE // max(size(height), 1), 1) if height == rows else 1
    pieces = -(-max(min(most, PIECES), 1) // others)
    samples = max(min(samples, batch // pieces), 1)
    if pieces > batch:
        height = min(height, max(rows * batch // pieces, 1))
    return samples, height
