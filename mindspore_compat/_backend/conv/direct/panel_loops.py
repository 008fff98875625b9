"""The loops of panels.py, compiled by Numba; they also run as plain Python.

Windows are numbered by sample, row and column of the result, and the elements of a window by
channel and kernel position. A panel has rows of WIDTH elements: in `panels`, a row holds one
element of several windows; in `columns`, several elements of one window. Arrays, phases and offsets
of padded planes are those of plane_loops.py.
"""

from typing import NamedTuple

from ...compiled.library import Library
from ...compiled.tiles import (
    LANES,
    ROWS,
    VECTORS,
    clear_vector,
    copy_vector,
    gather_tile,
    transpose_square,
)
from ...threads.parallel_loops import (
    FLOAT,
    INDEX,
    OFFSET,
    array,
    memory,
    number,
    piece,
    record,
    sizes,
)
from .plane_loops import clear, copy_row

WIDTH = 48  # length of a panel's row, a multiple of the tile width of every processor
TERMS = 192  # number of products in a partial sum, small enough for panels to stay in the cache


class Images(NamedTuple):
    """The sizes of images whose windows are copied into panels."""

    channels: int
    area: int  # number of elements in a channel
    stride: int  # distance between neighbouring columns of windows
    out_width: int  # number of windows in a row of the result
    windows: int  # number of windows in all rows; the end of the last panel may be undefined
    pitch: int  # distance between neighbouring elements of a window, in the memory for windows


class Products(NamedTuple):
    """One task of a matrix product: filters `low` to `high`, panels `first` to `last`."""

    low: int
    high: int
    first: int
    last: int


def copy_rows(x, x_at, step, sources, targets, counts, padded):
    """Copies rows of images into zeros.

    Args:
        x, x_at, step: the images, their start, and the step from one column to the next.
        sources, targets, counts: for each row its start (from `x_at` on), its target (in ascending
            order), and its number of elements.
        padded: zeros, except for what an earlier call has copied to the same targets.
    """
    for i in range(sources.size):
        copy_row(x, x_at + sources[i], step, padded, targets[i], counts[i])
        clear_vector(padded, targets[i] + counts[i])  # whole vectors overwrote these


def copy_lines(padded, source, lines, out_width, out, at):
    """Copies the elements that windows read at one kernel position, for all lines of windows, to
    `out` from `at` on."""
    if out_width <= LANES:
        for line in lines:
            copy_vector(padded, source + line, out, at)
            at += out_width
    else:
        for line in lines:
            for j in range(0, out_width, LANES):
                copy_vector(padded, source + line + j, out, at + j)
            at += out_width


def fill_panels(
    x: array(FLOAT),
    panels: array(FLOAT),
    padded: memory(FLOAT),
    flows: memory(FLOAT),
    sources: array(INDEX),
    targets: array(INDEX),
    counts: array(INDEX),
    offsets: array(OFFSET),
    lines: array(OFFSET),
    first: piece(0),
    last: piece(1),
    sizes: sizes(Images),
):
    """Copies the windows of channels `first` to `last` into panels with one element per row.

    Args:
        x: the images.
        panels: panels of `windows` windows, a multiple of WIDTH.
        padded, sources, targets, counts: as for `copy_rows`; `padded` is cleared first.
        flows: memory for the windows of one element. It is cleared too, because arithmetic on
            leftover values in place of the last windows can be slow.
        offsets, lines: the offsets of kernel positions in the padded planes, and of the first
            windows of lines of these.
    """
    clear(padded, 0, padded.size)
    clear(flows, 0, flows.size)
    for channel in range(first, last):
        copy_rows(x, channel * sizes.area, sizes.stride, sources, targets, counts, padded)
        for position in range(offsets.size):
            copy_lines(padded, offsets[position], lines, sizes.out_width, flows, 0)
            to = (channel * offsets.size + position) * WIDTH
            for window in range(0, sizes.windows, WIDTH):
                for i in range(0, WIDTH, LANES):
                    copy_vector(flows, window + i, panels, to + i)
                to += sizes.channels * offsets.size * WIDTH


def panel_correlate(
    w: array(FLOAT),
    panels: array(FLOAT),
    out: array(FLOAT),
    sums: memory(FLOAT),
    starts: array(OFFSET),
    offsets: array(OFFSET),
    targets: array(INDEX),
    part: record(Products),
    windows: number(),
    area: number(),
):
    """Multiplies some filters by some panels.

    Args:
        w, starts, offsets: the weights, the start of each filter's weights, and the offsets of a
            filter's elements from that start.
        panels, windows: the result of `fill_panels`, and the number of defined windows.
        out, targets, area: the result, the place of each window for the first filter, and the
            elements from one filter to the next.
        sums: the products, (panels, filters, WIDTH).
    """
    low, high, first, last = part
    count, height = offsets.size, high - low
    for k in range(0, max(count, 1), TERMS):
        for panel in range(first, last):
            columns, to = min(WIDTH, windows - panel * WIDTH), (panel - first) * height * WIDTH
            for v in range(0, columns, VECTORS * LANES):
                vectors = min(VECTORS, (columns - v + LANES - 1) // LANES)
                for f in range(0, height, ROWS):
                    gather_tile(
                        min(ROWS, height - f),
                        vectors,
                        w,
                        0,
                        starts,
                        low + f,
                        offsets,
                        k,
                        panels,
                        (panel * count + k) * WIDTH + v,
                        WIDTH,
                        min(count - k, TERMS),
                        k,
                        sums,
                        to + f * WIDTH + v,
                        WIDTH,
                    )
    for window in range(first * WIDTH, min(last * WIDTH, windows), LANES):
        lanes = min(LANES, windows - window)
        one_run = lanes == LANES and targets[window + lanes - 1] - targets[window] == LANES - 1
        panel = window // WIDTH - first
        for f in range(height):
            at, to = (panel * height + f) * WIDTH + window % WIDTH, (low + f) * area
            if one_run:
                copy_vector(sums, at, out, targets[window] + to)
            else:
                for i in range(lanes):
                    out[targets[window + i] + to] = sums[at + i]


def fill_columns(
    x: array(FLOAT),
    panels: array(FLOAT),
    padded: memory(FLOAT),
    flows: memory(FLOAT),
    sources: array(INDEX),
    targets: array(INDEX),
    counts: array(INDEX),
    offsets: array(OFFSET),
    lines: array(OFFSET),
    first: piece(0),
    last: piece(1),
    sizes: sizes(Images),
):
    """Copies the windows of channels `first` to `last` into panels with one window per row.

    `windows`, a multiple of LANES, are stored, and WIDTH elements of each in a panel. `flows` takes
    LANES rows of `pitch` elements. The arguments are those of `fill_panels`.
    """
    clear(padded, 0, padded.size)
    clear(flows, 0, flows.size)
    begin, filled, end = first * offsets.size, 0, last * offsets.size
    for channel in range(first, last):
        copy_rows(x, channel * sizes.area, sizes.stride, sources, targets, counts, padded)
        for position in range(offsets.size):
            copy_lines(
                padded, offsets[position], lines, sizes.out_width, flows, filled * sizes.pitch
            )
            filled += 1
            if filled == LANES or begin + filled == end:
                to = begin // WIDTH * sizes.windows * WIDTH + begin % WIDTH
                for window in range(0, sizes.windows, LANES):
                    transpose_square(flows, window, sizes.pitch, panels, to + window * WIDTH, WIDTH)
                begin, filled = begin + filled, 0


def column_sums(
    g: array(FLOAT),
    panels: array(FLOAT),
    grad: array(FLOAT),
    sums: memory(FLOAT),
    starts: array(OFFSET),
    offsets: array(OFFSET),
    first: piece(0),
    last: piece(1),
    filters: number(),
    depth: number(),
    windows: number(),
    length: number(),
):
    """Computes the gradients of the filters' elements in panels `first` to `last`.

    Args:
        g, starts, offsets: the output gradient, the start of each filter's part, and the offsets of
            the windows from that start.
        panels, windows: the result of `fill_columns`.
        grad: (filters, depth).
        sums: (filters, WIDTH).
        length: the number of defined windows.
    """
    for panel in range(first, last):
        count = min(WIDTH, depth - panel * WIDTH)
        for k in range(0, length, TERMS):
            for v in range(0, count, VECTORS * LANES):
                vectors = min(VECTORS, (count - v + LANES - 1) // LANES)
                for f in range(0, filters, ROWS):
                    gather_tile(
                        min(ROWS, filters - f),
                        vectors,
                        g,
                        0,
                        starts,
                        f,
                        offsets,
                        k,
                        panels,
                        (panel * windows + k) * WIDTH + v,
                        WIDTH,
                        min(length - k, TERMS),
                        k,
                        sums,
                        f * WIDTH + v,
                        WIDTH,
                    )
        for f in range(filters):
            at, to = f * WIDTH, f * depth + panel * WIDTH
            for j in range(0, count, LANES):
                if j + LANES <= count:
                    copy_vector(sums, at + j, grad, to + j)
                else:
                    for i in range(j, count):
                        grad[to + i] = sums[at + i]


LIBRARY = Library(clear, copy_row, copy_rows, copy_lines, WIDTH=WIDTH, TERMS=TERMS)
