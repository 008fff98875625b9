"""An update whose states and arithmetic stay on the host while the parameters stay on a GPU.

For each parameter one gradient goes down and one step comes up; nothing of the optimizer lies in
the GPU's memory. The copies run on streams of their own, through page-locked memory: while the host
works out one step, the next gradients are already coming and the last step is going up.
"""

import numpy

from . import arrays


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
        down.wait_event(module.cuda.get_current_stream().record())
        arrived = [(row, *self._fetch(module, number, row[1], down))
                   for number, row in enumerate(rows)]
        for (parameter, _, *states), host, event in arrived:
            event.synchronize()
            self.steps(host, *states, **scalars)
            with up:
                step = module.empty(host.shape, host.dtype)
                step.set(host, stream=up)
                module.subtract(parameter, step, out=parameter, casting="unsafe")
        module.cuda.get_current_stream().wait_event(up.record())
        up.synchronize()  # the next sweep writes into the same page-locked memory

    def _pair(self, module):
        device = module.cuda.get_device_id()
        if device not in self._streams:
            self._streams[device] = (module.cuda.Stream(non_blocking=True),
                                     module.cuda.Stream(non_blocking=True))
        return self._streams[device]

    def _fetch(self, module, number, gradient, stream):
        """Starts a copy to the host; returns where it goes and the event of its end."""
        key = (number, gradient.shape, gradient.dtype)
        host = self._locked.get(key)
        if host is None:
            memory = module.cuda.alloc_pinned_memory(max(gradient.nbytes, 1))
            host = numpy.frombuffer(memory, gradient.dtype, gradient.size)
            host = self._locked[key] = host.reshape(gradient.shape)
        gradient.get(stream=stream, out=host, blocking=False)
        return host, stream.record()
