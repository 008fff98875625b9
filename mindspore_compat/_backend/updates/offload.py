"""Optimizer offload: states and arithmetic stay on the host while parameters stay on a GPU.

Gradients are copied to the host and steps are copied back, so the optimizer takes no GPU memory.
Small parameters share a chunk: a kernel gathers their gradients into one array, which is copied at
once, and another kernel subtracts all their steps. A large parameter takes several chunks. The
copies run on their own streams, through page-locked memory: while the host computes one chunk, the
gradients of the next chunks are being copied to the host, and the steps of the previous chunk to
the GPU. The host waits only for copies of gradients.
"""

from functools import partial
from typing import NamedTuple

import numpy

from .. import arrays
from .complete import Several, Unit, called, complete
from .fuse import fuse

CHUNK = 1 << 20  # elements that are copied and worked on at a time


def _copied(xp, out, g):
    return (g,)


def _stepped(xp, p, g):
    return (p - g,)


GATHER, APPLY = fuse(_copied), fuse(_stepped)


class _Piece(NamedTuple):
    """A parameter, its gradient and its states, or a part of each, and the slice of a chunk's
    buffer that it occupies."""

    parameter: object
    gradient: object
    states: list
    place: slice

    def within(self, flat):
        """Returns this piece's slice of a one-dimensional array, in the shape of the parameter."""
        return flat[self.place].reshape(self.parameter.shape)


class Offload:
    """Updates parameters on a GPU by an optimizer that runs on the host.

    Args:
        steps: an update made by `fuse` whose first array is the gradient on entry and the step on
            return; the others are states.
    """

    def __init__(self, steps):
        self.steps = steps
        self._streams = {}
        self._locked = {}

    def takes(self, parameter):
        """Returns True for a parameter on a GPU; other parameters are updated in place."""
        return arrays.on_device(parameter)

    def sweep(self, rows, **scalars):
        """Subtracts a step from each parameter; the arguments are the same as for `unit`."""
        complete([self.unit(rows, **scalars)])

    def unit(self, rows, **scalars):
        """Returns the unit (complete.py) that subtracts a step from each parameter.

        Args:
            rows: (parameter, gradient, *states): the first two on a GPU, the states on the host.
            scalars: the scalars of `steps`.
        """
        return Several(partial(self._units, list(rows), scalars))

    def _units(self, rows, scalars):
        module = arrays.space_of(rows[0][0]).module
        down, up = self._pair(module)
        before = module.cuda.get_current_stream().record()
        down.wait_event(before)
        up.wait_event(before)
        chunks = [
            (pieces, self._fetch(module, number, pieces, down))
            for number, pieces in enumerate(_chunks(rows))
        ]
        units = []
        for pieces, buffer in chunks:
            units.append(Several(partial(self._compute_chunk, pieces, buffer, scalars)))
            units.append(_OnStream(partial(_apply_chunk, module, pieces, buffer, up), up))
        stream = module.cuda.get_current_stream()
        units.append(Unit(lambda: called([partial(stream.wait_event, up.record())])))
        return units

    def _compute_chunk(self, pieces, buffer, scalars):
        """Waits for the gradients of a chunk, and returns the units that compute its steps on the
        host."""
        buffer.arrived.synchronize()
        units = []
        for piece in pieces:
            units += self.steps.units([(piece.within(buffer.host), *piece.states)], **scalars)
        return units

    def _pair(self, module):
        device = module.cuda.get_device_id()
        if device not in self._streams:
            self._streams[device] = (
                module.cuda.Stream(non_blocking=True),
                module.cuda.Stream(non_blocking=True),
            )
        return self._streams[device]

    def _fetch(self, module, number, pieces, stream):
        """Starts to copy the gradients of a chunk to the host, and returns the _Buffer that
        receives them."""
        size, dtype = pieces[-1].place.stop, pieces[0].gradient.dtype
        buffer = self._locked.get((number, size, dtype))
        if buffer is None:
            buffer = self._locked[number, size, dtype] = _Buffer(module, size, dtype)
        if buffer.sent is not None:
            stream.wait_event(buffer.sent)  # its previous contents must have been copied up
        with stream:
            if len(pieces) == 1:
                flat = pieces[0].gradient.reshape(-1)
            else:
                flat = module.empty(size, dtype)
                GATHER.sweep_same_dtypes([(piece.within(flat), piece.gradient) for piece in pieces])
            flat.get(stream=stream, out=buffer.host, blocking=False)
        buffer.arrived = stream.record()
        return buffer


class _OnStream(Several):
    """Units that run while `stream` is the GPU's current stream."""

    __slots__ = ("_stream",)

    def __init__(self, make, stream):
        super().__init__(make)
        self._stream = stream

    def run(self):
        with self._stream:
            super().run()


def _apply_chunk(module, pieces, buffer, up):
    """Starts to copy the steps of a chunk to the GPU on the stream `up`, and returns the units that
    subtract them from the parameters."""
    steps = module.empty(buffer.host.size, buffer.host.dtype)
    steps.set(buffer.host, stream=up)
    buffer.sent = up.record()
    return APPLY.units([(piece.parameter, piece.within(steps)) for piece in pieces])


class _Buffer:
    """Page-locked host memory through which one chunk is copied in both directions, step after
    step.

    Attributes:
        host: the memory, as a 1-D array.
        arrived, sent: the events after the last copy of gradients to the host, and after the last
            copy of steps to the GPU.
    """

    def __init__(self, module, size, dtype):
        memory = module.cuda.alloc_pinned_memory(max(size * dtype.itemsize, 1))
        self.host = numpy.frombuffer(memory, dtype, size)
        self.arrived = self.sent = None


def _chunks(rows):
    """Divides rows into chunks: lists of pieces that are copied together. The gradients of a chunk
    have one dtype and at most CHUNK elements, unless a single piece has more."""
    chunks, last, end = [], None, 0
    for row in rows:
        for parameter, gradient, *states in _cut(row):
            if gradient.dtype != last or end + gradient.size > CHUNK:
                chunks.append([])
                last, end = gradient.dtype, 0
            place = slice(end, end + gradient.size)
            chunks[-1].append(_Piece(parameter, gradient, states, place))
            end = place.stop
    return chunks


def _cut(row):
    """Returns a row in parts of CHUNK elements, which are views; a small or non-contiguous row
    stays whole."""
    size = row[0].size
    if size <= CHUNK or not all(array.flags.c_contiguous for array in row):
        return [row]
    flat = [array.reshape(-1) for array in row]
    return [[array[start : start + CHUNK] for array in flat] for start in range(0, size, CHUNK)]
