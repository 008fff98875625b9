"""An update whose states and arithmetic stay on the host while the parameters stay on a GPU.

For each parameter one gradient goes down and one step comes up; nothing of the optimizer lies in
the GPU's memory. A large one goes in chunks. The copies run on streams of their own, through
page-locked memory: while the host works out one chunk, the next are already coming and the last is
going up. The host waits for what comes down, for nothing else.
"""

import numpy

from .. import arrays

CHUNK = 1 << 20  # elements that are copied and worked on at a time


class Offload:
    """Runs `steps`, which writes the step over the gradient, on the host.

    Args:
        steps: an update made by `fuse` whose first array is the gradient on entry and the step on
            return; the others are states.
    """

    def __init__(self, steps):
        self.steps = steps
        self._streams = {}
        self._locked = {}

    def sweep(self, rows, **scalars):
        """Subtracts a step from each parameter.

        Args:
            rows: (parameter, gradient, *states): the first two on a GPU, the states on the host.
            scalars: what `steps` takes.
        """
        rows = list(rows)
        module = arrays.space_of(rows[0][0]).module
        down, up = self._pair(module)
        before = module.cuda.get_current_stream().record()
        down.wait_event(before)
        up.wait_event(before)
        arrived = [
            (piece, self._fetch(module, (number, at), piece[1], down))
            for number, row in enumerate(rows)
            for at, piece in enumerate(_pieces(row))
        ]
        for (parameter, _, *states), buffer in arrived:
            buffer.arrived.synchronize()
            host = buffer.host.reshape(parameter.shape)
            self.steps(host, *states, **scalars)
            with up:
                step = module.empty(host.shape, host.dtype)
                step.set(host, stream=up)
                buffer.sent = up.record()
                module.subtract(parameter, step, out=parameter, casting="unsafe")
        module.cuda.get_current_stream().wait_event(up.record())

    def _pair(self, module):
        device = module.cuda.get_device_id()
        if device not in self._streams:
            self._streams[device] = (
                module.cuda.Stream(non_blocking=True),
                module.cuda.Stream(non_blocking=True),
            )
        return self._streams[device]

    def _fetch(self, module, argument_index, gradient, stream):
        """The buffer of a piece, to which its gradient has begun to come."""
        key = (argument_index, gradient.size, gradient.dtype)
        buffer = self._locked.get(key)
        if buffer is None:
            buffer = self._locked[key] = _Buffer(module, gradient)
        if buffer.sent is not None:
            stream.wait_event(buffer.sent)  # what is in it has to have gone up
        with stream:
            flat = gradient.reshape(-1)
            flat.get(stream=stream, out=buffer.host, blocking=False)
        buffer.arrived = stream.record()
        return buffer


class _Buffer:
    """Page-locked memory through which one piece goes down and comes up, step after step.

    Attributes:
        host: the memory as an array of one axis.
        arrived, sent: the events of the last copy down and of the last one up.
    """

    def __init__(self, module, gradient):
        memory = module.cuda.alloc_pinned_memory(max(gradient.nbytes, 1))
        self.host = numpy.frombuffer(memory, gradient.dtype, gradient.size)
        self.arrived = self.sent = None


def _pieces(row):
    """A row in chunks, which are views; as it is where it is small or not contiguous."""
    size = row[0].size
    if size <= CHUNK or not all(array.flags.c_contiguous for array in row):
        return [row]
    flat = [array.reshape(-1) for array in row]
    return [[array[start : start + CHUNK] for array in flat] for start in range(0, size, CHUNK)]
