"""A training step asks its network for the loss and then for the gradient; it runs once even so.

Worked example. In

    loss = self.network(x, y)
    grads = self.grad(self.network, self.weights)(x, y, sens)

the first line runs the network with a tape on the weights, and keeps the tape. The second line is
given the same network, weights and inputs, so it walks that tape back and runs nothing. The
original gets there by compiling both lines into one graph. It matters beyond speed: run twice,
BatchNorm would count its batch twice, and Dropout would take gradients of another loss than is
returned.

Where anything differs (other inputs, a gradient that is already open, keywords) nothing is kept and
both lines run as they stand.
"""

import functools

from ..._core.tape import depth
from ..._core.transforms import _hooked, _Opened, _sensitivities, map_tensors, outside, tensors_in
from ...ops._transform import GradOperation


class Once:
    """Keeps the tape of a network's first call, for as long as a step runs.

    Args:
        network (Cell): the network of the step.
        weights (ParameterTuple): what its gradient is taken by.
    """

    def __init__(self, network, weights):
        self.network = network
        self.weights = weights
        self._kept = None

    def __enter__(self):
        self._set(self._record)
        return self

    def __exit__(self, *error):
        self._set(None)
        self._kept = None

    def _set(self, around):
        self.network.__dict__["_cell_around"] = around
        self.network._cell_choose_path()

    def _record(self, args, kwargs):
        """Runs the network, recorded if this is the call to keep."""
        self._set(None)
        try:
            if depth.open or kwargs or self._kept is not None:
                return self.network(*args, **kwargs)
            with _Opened(self.weights) as opened:
                out = self.network(*args)
            self._kept = (args, out, opened)
            return map_tensors(outside, out)
        finally:
            self._set(self._record)

    def gradients(self, network, weights, args, sens):
        """The gradients of the weights from the kept tape, or None if that was another call.

        Args:
            network: the Cell that is to be differentiated.
            weights: the Parameters wanted.
            args: its inputs.
            sens: the gradient at the output; None for ones.
        """
        if self._kept is None or network is not self.network or depth.open:
            return None
        held, out, opened = self._kept
        if not _same(args, held) or not _same(weights, self.weights):
            return None
        self._kept = None
        heads = tensors_in(out)
        slopes = opened.slopes(heads, _sensitivities(heads, sens))
        return tuple(_hooked(weight, g) for weight, g in zip(self.weights, slopes, strict=True))


def _same(given, kept):
    """True if two sequences hold the same objects."""
    return len(given) == len(kept) and all(a is b for a, b in zip(given, kept, strict=True))


class StepGradient(GradOperation):
    """The GradOperation of a training step: it looks at the kept tape first."""

    once = None

    def __call__(self, fn, weights=None):
        plain = super().__call__(fn, weights)
        if self.once is None or weights is None:
            return plain
        return functools.partial(self._from_tape, plain, fn, tuple(weights))

    def _from_tape(self, plain, fn, weights, *args, **kwargs):
        inputs, sens = (args[:-1], args[-1]) if self.sens_param else (args, None)
        found = None if kwargs else self.once.gradients(fn, weights, inputs, sens)
        return plain(*args, **kwargs) if found is None else found
