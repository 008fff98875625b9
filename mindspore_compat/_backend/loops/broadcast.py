"""Sums, differences, products and quotients of a matrix and a row, a column or numbers of channels,
as compiled loops for the host, shared by threads.

NumPy starts its own loop once for each row, and a start costs as much as about a hundred elements.
The results are bitwise NumPy's. Arrays of any number of axes are viewed as matrices:

    (64, 32, 256) * (256,)       2048 rows of 256 elements, each multiplied by the same row
    (64, 32, 256) - (64, 32, 1)  each row minus one number
    (64, 32, 7, 7) + (32, 1, 1)  2048 rows of 49 elements; the numbers repeat after 32 rows
    (64, 1) * (1, 256)           a column times a row
"""

import functools
import math
from typing import NamedTuple

import numpy

from ..compiled import jit
from ..compiled.door import serves
from ..threads import parallel_loops
from ..threads.parallel_loops import FLOAT, array, blocks, number, piece
from ..thresholds import Least

SIGNS = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/"}


class Operand(NamedTuple):
    """How an operand is read.

    Attributes:
        by_row (bool): whether it has one number for each row, not one for each element.
        rows (int): the number of its rows, which repeat.
    """

    by_row: bool
    rows: int


@functools.lru_cache(maxsize=1024)
def layout(x_shape, y_shape):
    """Returns the shape of the result, the length of its rows, and the Operands; None if the two
    shapes have no such rows."""
    try:
        shape = numpy.broadcast_shapes(x_shape, y_shape)
    except ValueError:
        return None
    spans = [_span(x_shape, shape), _span(y_shape, shape)]
    partial = [span for span in spans if span is not None and span != (0, len(shape))]
    if None in spans or not partial:
        return None
    # The first axis of a row: where a row begins, or after the last axis of a column.
    starts = {first if last == len(shape) else last for first, last in partial}
    if len(starts) > 1:
        return None
    (start,) = starts
    operands = []
    for span in spans:
        by_row = span[1] == start
        first = 0 if span == (0, len(shape)) else span[0]
        operands.append(Operand(by_row, math.prod(shape[first:start])))
    if operands[0].by_row and operands[1].by_row:
        return None
    return shape, math.prod(shape[start:]), operands


def _span(shape, whole):
    """Returns the first of the axes that an operand has in common with the result, and the one
    after the last; None if it lacks one in between, or all."""
    padded = (1,) * (len(whole) - len(shape)) + shape
    axes = [axis for axis, length in enumerate(padded) if length > 1]
    if not axes:
        return None
    first, last = axes[0], axes[-1] + 1
    while first and whole[first - 1] == 1:
        first -= 1
    while last < len(whole) and whole[last] == 1:
        last += 1
    return (first, last) if padded[first:last] == whole[first:last] else None


@jit.made_once
def _loop(name, x_by_row, y_by_row):
    """Returns the loop of an operation, for such operands."""
    reads, values = [], []
    for operand, by_row in (("x", x_by_row), ("y", y_by_row)):
        at = f"row % {operand}_rows"
        if by_row:
            reads.append(f"{operand}_value = {operand}[{at}]")
        else:
            reads.append(f"{operand}_at = {at} * length")
            reads.append(f"{operand}_row = {operand}[{operand}_at : {operand}_at + length]")
        values.append(f"{operand}_value" if by_row else f"{operand}_row[i]")
    lines = [
        "def {}(x, y, out, length, x_rows, y_rows, first, last):",
        "    for row in range(first, last):",
        *[f"        {line}" for line in reads],
        "        target = out[row * length : (row + 1) * length]",
        "        for i in range(length):",
        f"            target[i] = {f' {SIGNS[name]} '.join(values)}",
    ]
    parameters = [array(FLOAT)] * 3 + [number()] * 3 + [piece(0), piece(1)]
    return parallel_loops.ParallelLoop("\n".join(lines).format, parameters, False, name)


def _takes(name, x, y):
    is_plain = type(x) is type(y) is numpy.ndarray and x.dtype == y.dtype == FLOAT
    if name not in SIGNS or not is_plain or x.shape == y.shape or 1 in (x.size, y.size):
        return False
    if not (x.flags.c_contiguous and y.flags.c_contiguous and x.size and y.size):
        return False
    sizes = layout(x.shape, y.shape)
    return sizes is not None and sizes[1] >= Least.BROADCAST_ROW


def _size(name, x, y):
    """Returns the number of elements of the result, or of the larger array without such rows."""
    sizes = layout(x.shape, y.shape)
    return max(x.size, y.size) if sizes is None else math.prod(sizes[0])


def _loops(name, x, y):
    _, _, (x_operand, y_operand) = layout(x.shape, y.shape)
    return [_loop(name, x_operand.by_row, y_operand.by_row)]


@serves("broadcast", least="BROADCAST", size=_size, takes=_takes, loops=_loops)
def broadcast(name, x, y):
    """Returns the result of NumPy's function `name` for float32 arrays.

    Args:
        name (str): a key of SIGNS.
        x, y: arrays that broadcast, of different shapes.
    """
    shape, length, operands = layout(x.shape, y.shape)
    out = numpy.empty(shape, FLOAT)
    table = blocks(out.size // length, max(jit.BLOCK // length, 1))
    sizes = [operand.rows for operand in operands]
    loop = _loop(name, *[operand.by_row for operand in operands])
    loop.run(table, jit.flat(x), jit.flat(y), out.reshape(-1), length, *sizes)
    return out
