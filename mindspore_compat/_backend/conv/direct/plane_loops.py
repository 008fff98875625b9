"""Copies of padded planes for compiled loops, which flat.py and gather.py read.

Planes are copied into `padded`, `step` elements apart. For each channel there are its phases, and
for each phase rows of `row` elements. The planes of samples that follow one another form one plane.
`phases` has six numbers for each phase: zeros above, rows, the first of these in the image, zeros
to the left, columns, the first of these in the image.
"""

from typing import NamedTuple

from ...compiled.tiles import LANES, clear_vector, copy_vector

TERMS = 256  # products of a partial sum
SLACK = 64  # elements that a tile may read behind the planes


class Filters(NamedTuple):
    """The layout of a group's filters in the weights of a convolution."""

    filters: int  # filters of a group
    group_step: int  # the step to the next group
    row_step: int  # to the next filter
    depth: int  # channels of a filter
    depth_step: int  # the step to the next


class Copies(NamedTuple):
    """The layout of the planes into which channels of an image are copied."""

    channels: int
    height: int  # of the image
    width: int
    stride_y: int
    stride_x: int
    step: int  # from a plane to the next
    length: int  # elements of a plane that are written
    row: int  # elements of a row of a plane


class Block(NamedTuple):
    """The part of a correlation that a piece computes: images `first` to `last`, rows `top` to
    `bottom` of the result, and filters `low` to `high` of a group."""

    first: int
    last: int
    top: int
    bottom: int
    low: int
    high: int


class Run(NamedTuple):
    """The part of a weight gradient that a piece computes: the sums of chunks number `first` to
    `last`, for channels `low` to `high` of a group."""

    first: int
    last: int
    at: int  # the start of the sums
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
