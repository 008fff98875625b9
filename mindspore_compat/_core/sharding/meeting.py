"""The placements under which several arrays meet in one function.

Every axis of an operand has a letter; axes of one letter have one length and one division, as in an
einsum. The largest array decides first. What then does not fit is moved: arrays that are the same
on every rank are cut, others are gathered or exchanged.
"""

from typing import NamedTuple

from .array import Sharded


class Meeting(NamedTuple):
    """Operands that have met.

    Attributes:
        blocks (list): this rank's part of each operand.
        dims (dict): letter -> the mesh axes that divide axes of this letter.
        sums (tuple): the mesh axes along which the result is still to be summed.
    """

    blocks: list
    dims: dict
    sums: tuple

    def placement(self, letters, contracted=()):
        """Returns the placement (dims, sums) of a result with an axis for each of `letters`;
        letters in `contracted` have been summed over."""
        dims = tuple(self.dims.get(letter, ()) for letter in letters)
        gone = [axis for letter in contracted for axis in self.dims.get(letter, ())]
        return dims, tuple(sorted({*self.sums, *gone}))


def meet(space, operands, whole=(), linear=()):
    """Brings operands together.

    Args:
        operands (Sequence[tuple]): arrays, each with a letter for every axis; None for an axis that
            has length 1 because it is repeated. Numbers have none.
        whole (Container): the letters that must not be divided.
        linear (Sequence[Sequence[int]]): sets of operands in which the function is linear, if the
            others are fixed. Sums that are left to take in all operands of such a set may be taken
            of the result instead.
    """
    operands = [(space.used(x), letters) for x, letters in operands]
    sums = _sums_that_stay([x for x, _ in operands], linear)
    order = sorted(
        (pair for pair in operands if type(pair[0]) is Sharded), key=lambda pair: -pair[0].size
    )
    dims, taken = {}, set(sums)
    for x, letters in order:
        for letter, mesh_axes in zip(letters, x.dims, strict=True):
            if mesh_axes and letter is not None and letter not in dims and letter not in whole:
                free = next((i for i, axis in enumerate(mesh_axes) if axis in taken), None)
                dims[letter] = mesh_axes[:free]
                taken.update(dims[letter])
    blocks = [_block(space, x, letters, dims, sums) for x, letters in operands]
    return Meeting(blocks, dims, sums)


def _block(space, x, letters, dims, sums):
    if not hasattr(x, "ndim"):
        return x
    wanted = tuple(() if letter is None else dims.get(letter, ()) for letter in letters)
    if type(x) is Sharded:
        return space.place(x, wanted, [axis for axis in x.sums if axis in sums]).block
    return space.cut(x, wanted)


def _sums_that_stay(arrays, linear):
    """Returns the mesh axes along which the sum may be taken after the function."""
    given = [set(x.sums) if type(x) is Sharded else set() for x in arrays]
    for positions in linear if any(given) else ():
        terms = [given[i] for i in positions if not _is_zero(arrays[i])]
        others = [i for i in range(len(arrays)) if i not in positions]
        if not terms or any(each != terms[0] for each in terms) or any(given[i] for i in others):
            continue
        divided = {  # a factor that is divided along them would meet one term alone
            axis
            for i in others
            if type(arrays[i]) is Sharded
            for axes in arrays[i].dims
            for axis in axes
        }
        return tuple(sorted(terms[0] - divided))
    return ()


def _is_zero(x):
    """Returns True for the number 0, and for an array that repeats it."""
    if type(x) is Sharded:
        return False
    if not hasattr(x, "ndim"):
        return isinstance(x, (int, float)) and x == 0
    return bool(x.size) and not any(x.strides) and not x[(0,) * x.ndim]
