"""Gives the operands of one function placements that fit together, so that each rank can call the
function on its blocks. The rules of functions (rules_*.py) call `meet`.

Every axis of an operand has a letter, as in an einsum: axes with the same letter have the same
length, and must be divided in the same way. The largest operand keeps its placement first. Operands
that do not fit are moved: those that are the same on every rank are cut, others are gathered or
exchanged.
"""

from typing import NamedTuple

from .array import Sharded


class Meeting(NamedTuple):
    """The operands of a function with placements that fit together; `meet` makes it.

    Attributes:
        blocks (list): this rank's part of each operand.
        dims (dict): letter -> the mesh axes that divide axes of this letter.
        sums (tuple): the mesh axes along which the result is still to be summed.
    """

    blocks: list
    dims: dict
    sums: tuple

    def placement(self, letters, contracted=()):
        """Returns the placement (dims, sums) of a result of the function.

        Args:
            letters: the letter of each axis of the result.
            contracted: the letters of axes that the function has summed over. If mesh axes divide
                them, the result is still to be summed along these.
        """
        dims = tuple(self.dims.get(letter, ()) for letter in letters)
        summed_axes = [axis for letter in contracted for axis in self.dims.get(letter, ())]
        return dims, tuple(sorted({*self.sums, *summed_axes}))


def meet(space, operands, whole=(), linear=()):
    """Moves the operands of a function to placements that fit together, and returns a Meeting.

    Args:
        space (ShardedSpace): the space of the operands.
        operands (Sequence[tuple]): pairs of an array and the letters of its axes; None in place of
            a letter stands for an axis of length 1 that is broadcast. Numbers have no letters.
        whole (Container): the letters that must not be divided.
        linear (Sequence[Sequence[int]]): sets of operands (by index) in which the function is
            linear, if the other operands are fixed. If all operands of such a set are still to be
            summed, the result may be summed in their place.
    """
    operands = [(space.used(x), letters) for x, letters in operands]
    sums = _sums_that_stay([x for x, _ in operands], linear)
    order = sorted(
        (pair for pair in operands if type(pair[0]) is Sharded), key=lambda pair: -pair[0].size
    )
    dims, sum_axes = {}, set(sums)
    for x, letters in order:
        for letter, mesh_axes in zip(letters, x.dims, strict=True):
            if mesh_axes and letter is not None and letter not in dims and letter not in whole:
                free = next((i for i, axis in enumerate(mesh_axes) if axis in sum_axes), None)
                dims[letter] = mesh_axes[:free]
                sum_axes.update(dims[letter])
    blocks = [_block(space, x, letters, dims, sums) for x, letters in operands]
    return Meeting(blocks, dims, sums)


def _block(space, x, letters, dims, sums):
    if not hasattr(x, "ndim"):
        return x
    target_dims = tuple(() if letter is None else dims.get(letter, ()) for letter in letters)
    if type(x) is Sharded:
        return space.place(x, target_dims, [axis for axis in x.sums if axis in sums]).block
    return space.cut(x, target_dims)


def _sums_that_stay(arrays, linear):
    """Returns the mesh axes along which operands need not be summed before the function, because
    its result can be summed instead; `linear` is as for `meet`."""
    sums_of = [set(x.sums) if type(x) is Sharded else set() for x in arrays]
    for positions in linear if any(sums_of) else ():
        terms = [sums_of[i] for i in positions if not _is_zero(arrays[i])]
        others = [i for i in range(len(arrays)) if i not in positions]
        if not terms or any(term != terms[0] for term in terms) or any(sums_of[i] for i in others):
            continue
        dividing = {  # a factor that they divide would be multiplied by only one of the terms
            axis
            for i in others
            if type(arrays[i]) is Sharded
            for axes in arrays[i].dims
            for axis in axes
        }
        return tuple(sorted(terms[0] - dividing))
    return ()


def _is_zero(x):
    """Returns True for the number 0, and for an array whose elements all repeat one 0."""
    if type(x) is Sharded:
        return False
    if not hasattr(x, "ndim"):
        return isinstance(x, (int, float)) and x == 0
    return bool(x.size) and not any(x.strides) and not x[(0,) * x.ndim]
