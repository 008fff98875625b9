"""Mesh: ranks arranged along axes, and the groups of ranks along some of these axes.

    mesh = Mesh(world)           # 8 ranks: axes of lengths (2, 2, 2), the last one varies fastest
    mesh.group((1, 2))           # the 4 ranks that share this rank's place on axis 0

Axes are as fine as possible, their lengths are primes. A strategy such as (4, 2) then takes axes 0
and 1 for its first number and axis 2 for its second one. All Tensors of a network share one mesh.
"""

import collections
import contextlib
import itertools
import math

from .strategies import text_of


class Mesh:
    """The ranks of a network, arranged along axes; network.py makes one for all divided Tensors.

    Args:
        world: a group of ranks (_backend/ranks/collective.py) with all ranks of the mesh.
        ranks (Sequence[int]): the ranks of the mesh; by default all of `world`.
        stages (Stages): the pipeline (stages.py) of which these ranks are a stage; None for none.

    Attributes:
        shape (tuple[int]): the lengths of the axes.
        place (tuple[int]): this rank's place on each axis.
        traffic (Counter): the bytes that this rank received, by kind of exchange.
    """

    def __init__(self, world, ranks=None, stages=None):
        self.world = world
        self.stages = stages
        self.ranks = tuple(world.ranks if ranks is None else ranks)
        self.shape = prime_factors(len(self.ranks))
        self.place = self._places()[self.ranks.index(world.ranks[world.rank])]
        self.traffic = collections.Counter()
        self._groups = {}

    @property
    def axes(self):
        """The numbers of all axes."""
        return tuple(range(len(self.shape)))

    @property
    def size(self):
        """The number of ranks."""
        return len(self.ranks)

    def _places(self):
        return list(itertools.product(*map(range, self.shape)))

    def count(self, axes):
        """Returns the number of ranks along some axes."""
        return math.prod(self.shape[axis] for axis in axes)

    def index(self, axes):
        """Returns this rank's number along some axes; the last axis varies fastest."""
        number = 0
        for axis in axes:
            number = number * self.shape[axis] + self.place[axis]
        return number

    def group(self, axes):
        """Returns the group of ranks along some axes, in the order of `index`. All ranks of the
        mesh must ask for the same groups in the same order.

        Before an exchange of some ranks, all ranks compare what `agree` was given: if their
        strategies differ, they might wait for ranks that wait for others.
        """
        axes = tuple(axes)
        if axes != self.axes:
            self.compare()
        if axes not in self._groups:
            rank_at = dict(zip(self._places(), self.ranks))
            members = []
            for position in itertools.product(*(range(self.shape[axis]) for axis in axes)):
                place = list(self.place)
                for axis, number in zip(axes, position):
                    place[axis] = number
                members.append(rank_at[tuple(place)])
            self._groups[axes] = group_of(self.world, members)
        return self._groups[axes]

    def agree(self, api, *strategies, is_declared=False):
        """Makes the ranks compare strategies: the next exchange of all ranks does so, and before an
        exchange of some ranks, an error or the end of the network, all ranks do so at once. If two
        ranks differ, that is a RuntimeError on each rank.

        Args:
            api (str): what is divided.
            *strategies: None, names, Layouts, ints, or sequences or dicts of these.
            is_declared (bool): whether `note` was given them as those of the network that runs.
                Then only the next exchange of all ranks compares them.
        """
        if self.size > 1:
            self.note(((api, text_of(strategies)),), not is_declared)

    def note(self, pairs, is_due=True, text=None):
        """Stores pairs (name, text) that must be the same on all ranks of the mesh. The ranks
        compare them at their next exchange. The arguments are those of `Group.note`.
        """
        if self.size > 1:
            self.group(self.axes).note(pairs, is_due, text)

    def compare(self):
        """Compares what `agree` was given since the last exchange of all ranks."""
        if self.axes in self._groups:  # which `agree` has made
            self._groups[self.axes].compare()

    @contextlib.contextmanager
    def run(self):
        """Returns a context for a network. At its end the ranks compare the values passed to
        `note`, even after an error. The error may come from settings that differ between ranks, and
        without the comparison the others would wait."""
        try:
            yield
            self.compare()
        except Exception as error:
            difference = self._difference()
            if difference is not None:
                raise difference from error
            raise

    def _difference(self):
        """Returns the error of ranks that were given different things; None for others."""
        try:
            self.compare()
        except RuntimeError as error:
            return error if getattr(error, "is_of_notes", False) else None
        return None

    def axes_for(self, parts, taken=()):
        """Returns mesh axes that together divide something into `parts` parts, or None if there are
        none. Axes in `taken` are not used; of the others, the first possible ones are chosen."""
        axes = []
        for axis, length in enumerate(self.shape):
            if parts > 1 and axis not in taken and parts % length == 0:
                axes.append(axis)
                parts //= length
        return tuple(axes) if parts == 1 else None


def group_of(world, ranks):
    """Returns the group of some ranks of `world`, which is `world` for all of them in its order."""
    return world if tuple(ranks) == tuple(world.ranks) else world.subgroup(ranks)


def prime_factors(number):
    """Returns the prime factors of a number, in ascending order."""
    factors, factor = [], 2
    while number > 1:
        while number % factor == 0:
            factors.append(factor)
            number //= factor
        factor += 1
    return tuple(factors)
