"""Tells in the worker whether the Tensors of a result share memory with the arguments of a call or
with a state: it writes to them, and observes everything else.

A case asks for it by `sample.shares()`, or for a method by `sample.shares(lambda: it.eval())`.
"""

import numpy as np

from .again import NoKernel

SHARES = "sample.shares"


class Sharing:
    """Writes to the results of one case.

    `again` makes the call. `held` returns what may share memory with its result, as (name, Tensor,
    its values), and `written` facts "NAME after" of those whose values have changed. `observe`
    reduces a result to facts.
    """

    def __init__(self, ms, again, held, written, observe):
        self.ms, self.again = ms, again
        self.held, self.written, self.observe = held, written, observe

    def __call__(self, make=None):
        """Returns the arguments and Parameters to which a write to the result also writes, whether
        a result stays the same in a later call, and whether a later call gives the same result
        after a write. If results differ without a write, the last says nothing, and is True."""
        make = make or self.again
        first = make()
        facts = self.observe(first)
        second = make()
        kept, steady = self.observe(first) == facts, self.observe(second) == facts
        before, facts = self.held(), self.observe(second)
        parts = list(_arrays(second))
        if not parts:
            raise NoKernel("no Tensor to write to")
        for part in parts:
            self._overwrite(part)
        shared = sorted(fact.removesuffix(" after") for fact in self.written(before))
        return {
            **{f"shares memory with {name}": True for name in shared},
            "kept": kept,
            "same after a write": not steady or self.observe(make()) == facts,
        }

    def _overwrite(self, part):
        """Writes other values to a Tensor or an array in place."""
        if isinstance(part, np.ndarray):
            part[...] = _others(part)
            return
        values = self.ms.Tensor(np.ascontiguousarray(_others(part.asnumpy())), part.dtype)
        part.copy_(values.reshape(part.shape))


def _arrays(value):
    """Yields the Tensors and arrays of a result."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (tuple, list)):
        for part in value:
            yield from _arrays(part)
    elif isinstance(value, np.ndarray) or (hasattr(value, "asnumpy") and hasattr(value, "copy_")):
        yield value


def _others(values):
    """Returns other values of the same shape and dtype; raises NoKernel for texts and for none."""
    if not values.size or values.dtype.kind not in "biufc":
        raise NoKernel("no numbers to change")
    return ~values if values.dtype.kind == "b" else (values + 1).astype(values.dtype)
