"""Padded copies of images, from which the loops of flat.py and gather.py compute convolutions.

With a stride, the loops read every second (third, ...) row and column. So an image is split into
phases: a phase holds the pixels whose row and column have the same remainders by the strides, and
is stored as one padded plane in which neighbours in a window are neighbours in memory.

The planes lie in `padded`, `step` elements apart, ordered by channel and then by phase; a plane has
rows of `row` elements. Consecutive samples follow one another in the same plane. `phases` has six
numbers for each phase: zero rows above, rows copied, the first image row copied, zero columns to
the left, columns copied, the first image column copied.
"""

from typing import NamedTuple

from ...compiled.tiles import LANES, clear_vector, copy_vector

TERMS = 256  # number of products in a partial sum
SLACK = 64  # number of elements past the last plane that a tile may read


class Filters(NamedTuple):
    """The layout of a group's filters in the weights of a convolution."""

    filters: int  # number of filters in a group
    group_step: int  # distance between neighbouring groups, in elements
    row_step: int  # distance between neighbouring filters
    depth: int  # number of channels in a filter
    depth_step: int  # distance between neighbouring channels


class Copies(NamedTuple):
    """The layout of the planes into which channels of an image are copied."""

    channels: int
    height: int  # of the image
    width: int
    stride_y: int
    stride_x: int
    step: int  # distance between neighbouring planes, in elements
    length: int  # number of elements of a plane that are written
    row: int  # length of a row of a plane


class Block(NamedTuple):
    """One task of a correlation: images `first` to `last`, rows `top` to `bottom` of the result,
    and filters `low` to `high` of a group."""

    first: int
    last: int
    top: int
    bottom: int
    low: int
    high: int


class Run(NamedTuple):
    """One task of a weight gradient: the sums over chunks `first` to `last`, for channels `low` to
    `high` of a group."""

    first: int
    last: int
    at: int  # where the task's sums begin in the array of sums
    group: int
    low: int
    high: int


def clear(padded, start, stop):
    """Writes zeros to a part of an array."""
    for i in range(start, stop):
        padded[i] = 0


def copy_row(x, x_at, step, out, out_at, count):
    """Copies `count` elements, `step` apart; elements behind them in `out` are overwritten."""
    if step == 1:
        for i in range(0, count, LANES):
            if x_at + i + LANES <= x.size:
                copy_vector(x, x_at + i, out, out_at + i)
            else:
                for j in range(i, count):
                    out[out_at + j] = x[x_at + j]
                break
    else:
        for j in range(count):
            out[out_at + j] = x[x_at + j * step]


def copy_planes(x, x_at, phases, padded, at, copies, first, rows):
    """Copies rows `first` to `first + rows` of all phases of an image's channels, with zeros around
    them."""
    row = copies.row
    for channel in range(copies.channels):
        image = x_at + channel * copies.height * copies.width
        for p in range(0, phases.size, 6):
            above, count_y, start_y = phases[p], phases[p + 1], phases[p + 2]
            left, count_x, start_x = phases[p + 3], phases[p + 4], phases[p + 5]
            for y in range(first, first + rows):
                to = at + (y - first) * row
                data = above <= y < above + count_y
                end = to + left if data else to + row
                for i in range(to, end, LANES):  # elements behind are written later
                    clear_vector(padded, i)
                if data:
                    image_row = start_y + (y - above) * copies.stride_y
                    source = image + image_row * copies.width + start_x
                    copy_row(x, source, copies.stride_x, padded, to + left, count_x)
                    for i in range(to + left + count_x, to + row, LANES):
                        clear_vector(padded, i)
            clear(padded, at + rows * row, at + copies.length)
            at += copies.step
