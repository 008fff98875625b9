"""Mesh: ranks arranged along axes, and the groups of ranks along some of these axes.

    mesh = Mesh(world)           # 8 ranks: axes of lengths (2, 2, 2), the last one varies fastest
    mesh.group((1, 2))           # the 4 ranks that share this rank's place on axis 0

Axes are as fine as possible, their lengths are primes. A strategy such as (4, 2) then takes axes 0
and 1 for its first number and axis 2 for its second one. All Tensors of a network share one mesh.
"""

import collections
import itertools
import math


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
        self._agreed = set()  # the strategies that the ranks have compared

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
        """Returns this rank's number along some axes, the last of which varies fastest."""
        number = 0
        for axis in axes:
            number = number * self.shape[axis] + self.place[axis]
        return number

    def group(self, axes):
        """Returns the group of ranks along some axes, in the order of `index`. All ranks of the
        mesh must ask for the same groups in the same order."""
        axes = tuple(axes)
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

    def agree(self, api, *strategies):
        """Compares strategies among the ranks, when they first occur.

        Args:
            api (str): what is divided.
            strategies: None, names, Layouts, ints, or sequences or dicts of these.

        Raises:
            RuntimeError: on each rank, if the strategies of two ranks differ.
        """
        text = f"{api} by {', '.join(map(_text_of, strategies))}"
        if self.size == 1 or text in self._agreed:
            return
        ranks_by_text = {}
        for rank, passed in zip(self.ranks, self.group(self.axes).objects(text), strict=True):
            ranks_by_text.setdefault(passed, []).append(rank)
        if len(ranks_by_text) > 1:
            passed = "; ".join(f"{ranks} divide {text}" for text, ranks in ranks_by_text.items())
            raise RuntimeError(
                f"For '{api}', all ranks must pass the same strategy, but the ranks {passed}."
            )
        self._agreed.add(text)

    def axes_for(self, parts, taken=()):
        """Returns mesh axes that together divide something into `parts` parts, or None if there are
        none. Axes in `taken` are not used; of the others, the first possible ones are chosen."""
        axes = []
        for axis, length in enumerate(self.shape):
            if parts > 1 and axis not in taken and parts % length == 0:
                axes.append(axis)
                parts //= length
        return tuple(axes) if parts == 1 else None


def _text_of(strategy):
    if hasattr(strategy, "to_dict"):
        fields = strategy.to_dict()
        return f"Layout({fields['device_matrix']}, {fields['tensor_map']})"
    if isinstance(strategy, dict):
        return _text_of(list(strategy.items()))
    if isinstance(strategy, (tuple, list)):
        return f"({', '.join(map(_text_of, strategy))})"
    return str(strategy)


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
