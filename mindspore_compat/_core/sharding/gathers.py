"""Gathers of parked arrays, which overlap with arithmetic.

The parallel optimizer divides weights only in storage: a function that uses one first gathers it.
The order of these gathers is the same in each step. So after one gather has been used, the next one
is started and runs while the function computes:

    step 1    gather w1, layer 1, gather w2, layer 2, ...
    step 2    gather w1, start w2, layer 1, wait for w2, start w3, layer 2, ...

A step that takes another order gathers when it needs to. All ranks start the same gathers in the
same order, since they call the same functions.
"""

import contextlib
import weakref

from .moving import start_gather


class Gathers:
    """The gathers of one space; `take` is called instead of a gather.

    Args:
        space (ShardedSpace): the space.
    """

    def __init__(self, space):
        self._space = space
        self._before, self._now = [], []  # the order of the last step, and of this one
        self._started = {}  # key -> Started
        self._roots = {}  # identity -> the parked array of a Parameter

    def take(self, x):
        """Gathers a parked array along its parked axes, and starts the next gather.

        A gather is recognized by the parked array of a Parameter, and by the calls that made `x`
        from it.
        """
        root, history = x.source or (x, ())
        key = id(root), history
        self._roots[id(root)] = weakref.ref(root)
        started = self._started.pop(key, None) or Started(self._space, x)
        gathered = started.finish()
        position = len(self._now)
        self._now.append(key)
        if self._before[position : position + 1] == [key]:
            self._start(self._before[position + 1 : position + 2])
        return gathered

    def _start(self, keys):
        for key in keys:
            reference = self._roots.get(key[0])
            root = reference and reference()
            if root is None or not root.parked or key in self._started or _is_kept(root):
                continue
            for name, args in key[1]:
                root = getattr(self._space, name)(root, *args)
            self._started[key] = Started(self._space, root)

    def settle(self, array):
        """Completes the pending gathers of a parked array before its block is written to."""
        for key in [key for key in self._started if key[0] == id(array)]:
            self._started.pop(key).finish()

    def forget(self):
        """Ends all gathers under way, at the end of a step."""
        with contextlib.suppress(RuntimeError):  # of a rank that has ended; the step has raised it
            for started in self._started.values():
                started.finish()
        self._started.clear()
        self._before, self._now = self._now, []
        self._roots = {key: root for key, root in self._roots.items() if root() is not None}


class Started:
    """A pending gather.

    Args:
        space (ShardedSpace): the space.
        x (Sharded): a parked array.
    """

    def __init__(self, space, x):
        self._space, self._x = space, x
        self._dims = [[a for a in axes if a not in x.parked] for axes in x.dims]
        divided = [axis for axis, axes in enumerate(x.dims) if len(axes) > len(self._dims[axis])]
        self._finish = None
        if len(divided) == 1 and not x.sums:
            (axis,) = divided
            mesh_axes = x.dims[axis][len(self._dims[axis]) :]
            self._finish = start_gather(space.base, space.mesh, x.block, axis, mesh_axes)

    def finish(self):
        """Returns the gathered array."""
        if self._finish is None:
            return self._space.place(self._x, self._dims, self._x.sums)
        return self._space.wrap(self._finish(), self._dims)


def source_of(x, name, *args):
    """Returns the `source` of a result that a function of `xp` computed from `x`; None if `x` is
    not parked."""
    if not x.parked:
        return None
    root, history = x.source or (x, ())
    return root, (*history, (name, args))


def _is_kept(x):
    return x.kept is not None and x.kept is not False
