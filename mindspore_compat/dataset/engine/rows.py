"""Rows and blocks of a pipeline, and the flows that yield them.

A row is a list with one array (or dict of arrays) per column. A block is a list of columns whose
first axis counts rows: many rows for operations that process whole blocks. An opened node is a
`Flow`. Calling `rows` begins an epoch, and so does `blocks`, if the flow has blocks. Below a
`repeat`, a node begins several rounds in one epoch; `Epochs` counts them.

Arrays that belong to a source are read-only. Before a row is passed to code that may write to it,
`own` copies them. So nothing is copied on the way, and no code can change a source.
"""

import contextvars
import itertools

import numpy as np

from ..._core.tensor.tensor import Tensor

# Exceptions of code on rows that become a RuntimeError; `sys.exit` is reserved for the script.
FAILURES = (Exception, SystemExit)

_BLOCK_ROWS = 1024
_BLOCK_BYTES = 1 << 22


class Flow:
    """The rows of a node, epoch by epoch.

    Args:
        rows (Callable, optional): begins an epoch and returns an iterator over its rows; by default
            it splits blocks.
        blocks (Callable, optional): the same for blocks.
    """

    def __init__(self, rows=None, blocks=None):
        self.rows = rows or self._split
        self.blocks = blocks

    def _split(self):
        for block in self.blocks():
            for row in zip(*block, strict=True):
                yield [
                    value if isinstance(value, np.ndarray) else np.asarray(value) for value in row
                ]


_repeats = contextvars.ContextVar("repeats", default=())  # the repeats above the node being opened


class Rounds:
    """The progress of a `repeat` in its epoch. Nodes opened within `with` are below it.

    Args:
        count (int): the number of rounds of an epoch; -1 means no end.
    """

    def __init__(self, count):
        self.count, self.round = count, 0

    def __enter__(self):
        self._before = _repeats.set((*_repeats.get(), self))
        return self

    def __exit__(self, *error):
        _repeats.reset(self._before)


class Epochs:
    """Counts the epochs of the node that is being opened.

    Attributes:
        number (int): the epoch, from 0; -1 before the first.
        is_first (bool): whether the current round is the first of the epoch.
        is_last (bool): whether the current round is the last of the epoch.
    """

    def __init__(self):
        self._repeats = _repeats.get()
        self.number, self.is_first, self.is_last = -1, False, False

    def begin(self):
        """Begins a new round."""
        self.is_first = all(repeat.round == 0 for repeat in self._repeats)
        self.is_last = all(repeat.round == repeat.count - 1 for repeat in self._repeats)
        self.number += self.is_first


def block_rows(row_bytes):
    """Returns the number of rows of a block, for rows of this size."""
    return max(1, min(_BLOCK_ROWS, _BLOCK_BYTES // max(1, row_bytes)))


def read_only(array):
    """Returns a read-only view."""
    view = array.view()
    view.flags.writeable = False
    return view


def own(value):
    """Returns an array, or a dict or list of arrays, that may be written to: a read-only array is
    copied, because it belongs to a source."""
    if isinstance(value, dict):
        return {key: own(item) for key, item in value.items()}
    if isinstance(value, list):
        return [own(item) for item in value]
    return value if value.flags.writeable else value.copy()


def shuffled(rows, size, twister):
    """Yields rows in a random order: each is drawn by `twister` from a buffer of `size` rows."""
    arriving = iter(rows)
    buffer = list(itertools.islice(arriving, size))
    while buffer:
        index = twister.draw() % len(buffer)
        row, buffer[index] = buffer[index], buffer[-1]
        buffer.pop()
        buffer.extend(itertools.islice(arriving, 1))
        yield row


def as_column(value):
    """Converts a value from Python code to a column of a row: an array, or a dict of arrays.

    Raises:
        RuntimeError: if it does not consist of numbers, bools, text, bytes, or nested lists or
            arrays of these.
    """
    if isinstance(value, dict):
        return {key: _in_dict(item) for key, item in value.items()}
    if isinstance(value, Tensor):
        return np.array(value.asnumpy())
    try:
        array = np.array(value)
    except ValueError as error:
        raise RuntimeError(f"A column must be an array, but got {value!r}: {error}") from error
    kind = array.dtype.kind
    if kind not in "biufSU" or not array.dtype.isnative or kind == "f" and array.itemsize > 8:
        raise RuntimeError(
            f"A column must hold numbers, bools or text, but got {value!r} of type "
            f"{type(value).__name__} and dtype {array.dtype}."
        )
    return array


def _in_dict(value):
    if isinstance(value, (list, tuple)):
        return [_in_dict(item) for item in value]
    return as_column(value)


def stack(values, index=0):
    """Stacks the values of one column of several rows along a new first axis.

    Raises:
        RuntimeError: if shapes or dtypes differ; text may differ in length.
    """
    first = values[0]
    if isinstance(first, dict):
        return {key: _stack_in_dict([value[key] for value in values], index) for key in first}
    kind = first.dtype.kind
    for value in values:
        if value.shape != first.shape:
            raise RuntimeError(
                f"Rows of one batch must have equal shapes, but in column {index} "
                f"there are {first.shape} and {value.shape}."
            )
        if value.dtype != first.dtype and (kind not in "SU" or value.dtype.kind != kind):
            raise RuntimeError(
                f"Rows of one batch must have equal dtypes, but in column {index} "
                f"there are {first.dtype} and {value.dtype}."
            )
    if kind in "SU":
        return np.stack(values)
    out = np.empty((len(values), *first.shape), first.dtype)
    for row, value in enumerate(values):
        out[row] = value
    return out


def _stack_in_dict(values, index):
    if isinstance(values[0], list):
        return [_stack_in_dict(list(items), index) for items in zip(*values, strict=True)]
    return stack(values, index)
