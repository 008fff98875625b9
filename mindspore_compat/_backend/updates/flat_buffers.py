"""Packs of small arrays, so that one pass of a fused update serves all of them.

A ufunc call costs as much as a thousand additions, and an update makes a dozen calls: for 500
parameters of 1000 elements, that is most of the time. A Pack gathers parameters and gradients into
two blocks of scratch memory, runs the update over them once, and copies the parameters back. The
states of the optimizer stay in the pack permanently, as views of one array for each kind. Packs
that are updated one after the other share the scratch memory, which therefore stays in the cache.

Packs are for the host. On a GPU, one kernel updates all parameters of a group in place.
"""

import numpy

from ..thresholds import Most
from .complete import assigned, complete
from .fuse import BLOCK


class Scratch:
    """The scratch memory that packs share to gather their parameters and gradients.

    Args:
        size (int): the largest number of elements of a pack.
    """

    def __init__(self, size):
        self._size = size
        self._blocks = {}

    def block(self, name, dtype, size):
        """Returns the first `size` elements of the block with this name and dtype."""
        buffer = self._blocks.get((name, dtype))
        if buffer is None:
            buffer = self._blocks[name, dtype] = numpy.empty(self._size, dtype)
        return buffer[:size]


class Pack:
    """The optimizer states of several small parameters, one array for each kind of state. An
    optimizer makes one for each group that `groups_of_small` returns.

    Args:
        shapes: the shapes of the parameters.
        dtypes: the dtype of the parameters, the dtype of the gradients, then a dtype for each
            state.
        scratch (Scratch): the memory for parameters and gradients; None allocates memory for this
            Pack alone.
    """

    def __init__(self, shapes, dtypes, scratch=None):
        self.shapes = [tuple(shape) for shape in shapes]
        sizes = [int(numpy.prod(shape)) for shape in self.shapes]
        self._ends = numpy.cumsum(sizes).tolist()
        total = self._ends[-1]
        scratch = scratch or Scratch(total)
        self._p = scratch.block("p", dtypes[0], total)
        self._g = scratch.block("g", dtypes[1], total)
        self._states = [numpy.empty(total, dtype) for dtype in dtypes[2:]]
        self.views = [self._cut(state) for state in self._states]
        self._row = [self._p, self._g, *self._states]
        self._back = self._cut(self._p)
        self._one_axis = all(len(shape) == 1 for shape in self.shapes)

    def _cut(self, flat):
        starts = [0, *self._ends[:-1]]
        return [
            flat[start:end].reshape(shape)
            for start, end, shape in zip(starts, self._ends, self.shapes, strict=True)
        ]

    def row(self):
        """Returns the arrays that a fused update takes: the gathered parameters, their gradients
        and the states. They have one axis."""
        return self._row

    def around(self, unit, parameters, gradients):
        """Returns a unit (complete.py) that gathers parameters and gradients, runs `unit`, and
        copies the parameters back.

        Args:
            unit: the unit that updates the row.
            parameters: the arrays to update, of the given shapes.
            gradients: their gradients.
        """

        def gather():
            self._gather(parameters, self._p)
            self._gather(gradients, self._g)

        return unit.within(gather, lambda: assigned(parameters, self._back))

    def update(self, fused, parameters, gradients, **scalars):
        """Runs one update over all parameters; the states are those in `views`.

        Args:
            fused: an update made by `fuse`, of p, g and the states in this order.
            parameters: the arrays to update, of the given shapes.
            gradients: their gradients.
            scalars: the scalars of `fused`.
        """
        (unit,) = fused.units_of_flat([self.row()], **scalars)
        complete([self.around(unit, parameters, gradients)])

    def _gather(self, arrays, out):
        if not self._one_axis:
            arrays = [array.ravel() for array in arrays]
        numpy.concatenate(arrays, out=out)


def groups_of_small(arrays, kinds):
    """Divides small host arrays into packs. Returns the packs, as lists of indices of arrays, and a
    list of the indices of all other arrays.

    Args:
        arrays: one array for each parameter.
        kinds: a hashable for each parameter; only parameters of equal kind share a pack.
    """
    packs, open_packs, rest = [], {}, []
    for index, (array, kind) in enumerate(zip(arrays, kinds, strict=True)):
        if type(array) is not numpy.ndarray or array.size > Most.UPDATE_COPIED:
            rest.append(index)
            continue
        members, size = open_packs.get(kind, ([], 0))
        if not members or size + array.size > BLOCK:
            members, size = [], 0
            packs.append(members)
        members.append(index)
        open_packs[kind] = (members, size + array.size)
    alone = [index for members in packs if len(members) == 1 for index in members]
    return [members for members in packs if len(members) > 1], sorted(rest + alone)
