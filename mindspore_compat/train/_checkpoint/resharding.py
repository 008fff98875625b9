"""Parameters of ranks that hold slices, turned into those of ranks that hold other slices.

Worked example. Four ranks hold a weight (8, 6) by rows; two are to hold it by columns:

    source, target = Slicing(layout of [4], [0, -1]), Slicing(layout of [2], [-1, 0])
    target.region(1, (8, 6)) == ((0, 8), (3, 6))            # all rows of the last three columns
    source.holders(target, 1) == [0, 1, 2, 3]               # each has two of the rows

What a strategy file holds is read in `strategy`; files of checkpoints are in
`transform`.
"""

import math

import numpy as np

from ..._core.tensor.tensor import Tensor
from ...common.parameter import Parameter
from .strategy import build_searched_strategy


class Slicing:
    """How a parameter is cut into slices, and which rank of a stage holds which.

    Args:
        layout (ParallelLayouts): see there; None for one rank that holds the whole.

    Raises:
        ValueError: if the layout contradicts itself.
    """

    def __init__(self, layout=None):
        self.grid, self._cuts, self._further = [1], None, []
        if layout is None:
            return
        try:
            self.grid = [int(length) for length in layout.dev_matrix[0].dim]
            maps = [list(each.dim) for each in layout.tensor_map]
            size, step = layout.opt_weight_shard_size, layout.opt_weight_shard_step
        except (AttributeError, IndexError) as error:
            raise ValueError(f"a layout lacks what it must have: {error}") from None
        axes = [each for each in maps if each] if len(maps) > 1 else [[each] for each in maps[0]]
        self._cuts = [[len(self.grid) - 1 - each for each in axis if each >= 0] for axis in axes]
        if any(not 0 <= each < len(self.grid) for axis in self._cuts for each in axis):
            raise ValueError(f"a layout cuts along {maps}, but its grid is {self.grid}")
        if size and step:
            self._further = self._cut_further(size, step)

    def _cut_further(self, size, step):
        """The grid's axes, and how much of each, that cut the first axis for the optimizer."""
        used = {each for axis in self._cuts for each in axis}
        free = [each for each in range(len(self.grid)) if each not in used and self.grid[each] > 1]
        left = math.prod(self.grid[each] for each in free) if size == -1 else size
        if not free or (len(free) == 1 and math.prod(self.grid[free[0] + 1 :]) != step):
            raise ValueError(
                f"a layout cuts the optimizer's part into {size} at a distance of "
                f"{step}, which its grid {self.grid} does not allow"
            )
        found = []
        for axis in reversed(free):
            take = min(left, self.grid[axis])
            if self.grid[axis] % take or left % take:
                break
            found.insert(0, (axis, take))
            left //= take
            if left == 1:
                return found
        raise ValueError(
            f"a layout cuts the optimizer's part into {size}, but its grid is {self.grid}"
        )

    def ranks(self):
        """The number of ranks."""
        return math.prod(self.grid)

    def counts(self, axes):
        """The number of parts that each axis is cut into.

        Raises:
            ValueError: if the layout is one of other axes.
        """
        if self._cuts is None:
            return [1] * axes
        if len(self._cuts) != axes:
            raise ValueError(f"a parameter has {axes} axes, but its layout {len(self._cuts)}")
        found = [math.prod(self.grid[each] for each in axis) for axis in self._cuts]
        if self._further:
            found[0] *= math.prod(take for _, take in self._further)
        return found

    def coordinates(self, rank):
        """Where a rank stands in the grid."""
        return [int(each) for each in np.unravel_index(rank % self.ranks(), self.grid)]

    def region(self, rank, shape):
        """What a rank holds: the first index and the one after the last of each axis.

        Raises:
            ValueError: if the shape cannot be cut so.
        """
        coordinates, found = self.coordinates(rank), []
        for axis, (length, count) in enumerate(zip(shape, self.counts(len(shape)), strict=True)):
            if length % count:
                raise ValueError(
                    f"shape {tuple(shape)} is not to be cut into {count} along axis {axis}"
                )
            index = 0
            for each in self._cuts[axis] if self._cuts is not None else ():
                index = index * self.grid[each] + coordinates[each]
            for each, take in self._further if axis == 0 else ():
                index = index * take + coordinates[each] % take
            found.append((index * length // count, (index + 1) * length // count))
        return tuple(found)

    def slot(self, rank):
        """Which of all slices a rank holds: those that hold the same have the same."""
        axes = len(self._cuts or ())
        return self.region(rank, self.counts(axes))

    def holders(self, target, rank, shape=None, present=None):
        """The ranks whose slices the `rank` of another slicing needs.

        Of ranks that hold the same, the one with the nearest coordinates is chosen.

        Args:
            target (Slicing): the other slicing.
            rank (int): a rank in it.
            shape (tuple[int], optional): of the whole parameter.
            present (Iterable[int], optional): the ranks to choose among; by default all.

        Raises:
            ValueError: if the numbers of ranks do not divide, or what is needed is not present.
        """
        if max(self.ranks(), target.ranks()) % min(self.ranks(), target.ranks()):
            raise ValueError(f"{self.ranks()} ranks cannot become {target.ranks()} ranks")
        if shape is None:
            axes = len((self._cuts if self._cuts is not None else target._cuts) or ())
            shape = [a * b for a, b in zip(self.counts(axes), target.counts(axes), strict=True)]
        wanted, own, groups = target.region(rank, shape), self.coordinates(rank), {}
        for each in range(self.ranks()):
            span = self.region(each, shape)
            if all(a[0] < b[1] and b[0] < a[1] for a, b in zip(span, wanted, strict=True)):
                groups.setdefault(span, []).append(each)
        found = []
        for group in groups.values():
            known = group if present is None else [each for each in group if each in present]
            if not known:
                raise ValueError(f"the checkpoint of rank {group[0]} is missing")
            found.append(
                max(
                    known,
                    key=lambda each: sum(
                        a == b for a, b in zip(self.coordinates(each), own, strict=True)
                    ),
                )
            )
        return sorted(found)


def resliced(slices, source, target, rank):
    """A rank's slice of a parameter.

    Args:
        slices (dict): arrays by source rank.
        source (Slicing): how they are cut.
        target (Slicing): how the result is.
        rank (int): of whom the result is.

    Raises:
        ValueError: if a slice is missing or does not fit.
    """
    any_slice = next(iter(slices.values()))
    shape = [
        length * count
        for length, count in zip(any_slice.shape, source.counts(any_slice.ndim), strict=True)
    ]
    wanted = target.region(rank, shape)
    result = np.empty([stop - start for start, stop in wanted], any_slice.dtype)
    for each in source.holders(target, rank, shape, slices):
        span = source.region(each, shape)
        if slices[each].shape != any_slice.shape:
            raise ValueError(f"slices have shapes {any_slice.shape} and {slices[each].shape}")
        common = [(max(a[0], b[0]), min(a[1], b[1])) for a, b in zip(span, wanted, strict=True)]
        to = tuple(
            slice(start - w[0], stop - w[0])
            for (start, stop), w in zip(common, wanted, strict=True)
        )
        out_of = tuple(
            slice(start - h[0], stop - h[0]) for (start, stop), h in zip(common, span, strict=True)
        )
        result[to] = slices[each][out_of]
    return result


class Strategy:
    """The slicings of a strategy file.

    Attributes:
        ranks (int): how many ranks a stage has.
        stages (dict): lists of stages by the names of parameters; None without a file.
    """

    def __init__(self, file):
        self.ranks, self.stages, self._slicings = 1, None, {}
        if file is None:
            return
        self.stages = {}
        for key, layout in build_searched_strategy(file).items():
            stage, _, name = key.partition("-") if "-" in key else ("0", "-", key)
            if not stage.isdigit():
                raise ValueError(f"{file!r} has a parameter {key!r}")
            self.stages.setdefault(name, []).append(int(stage))
            self._slicings[name, int(stage)] = Slicing(layout)
        if not self.stages:
            raise ValueError(f"{file!r} describes no parameters")
        self.ranks = next(iter(self._slicings.values())).ranks()

    def stage_count(self):
        """The number of stages, which are numbered from 0.

        Raises:
            ValueError: if a stage is missing.
        """
        found = {0} if self.stages is None else {n for each in self.stages.values() for n in each}
        if found != set(range(len(found))):
            raise ValueError("a strategy file of a pipeline must describe all stages")
        return len(found)

    def has(self, name, stage=None):
        """Whether a parameter is in a stage, or in any; without a file all are."""
        return self.stages is None or (
            name in self.stages if stage is None else stage in self.stages.get(name, ())
        )

    def slicing(self, name, stage=None):
        """The slicing of a parameter, in its first stage if none is given."""
        if self.stages is None:
            return Slicing()
        chosen = stage if stage in self.stages[name] else min(self.stages[name])
        return self._slicings[name, chosen]


class Transformation:
    """The change from one strategy to another, for one target rank."""

    def __init__(self, api, source, target, rank):
        count = target.ranks * target.stage_count()
        if rank >= count:
            raise ValueError(
                f"For '{api}', 'rank_id' must be below {count}, the number of ranks, "
                f"but got {rank}."
            )
        self._api, self._source, self._target = api, source, target
        self._stage = None if target.stages is None else rank // target.ranks
        self._rank = rank % target.ranks

    def _is_wanted(self, name):
        return self._source.has(name) and self._target.has(name, self._stage)

    def needed(self):
        """The source ranks whose checkpoints are needed."""
        source, found = self._source, set()
        if source.stages is None:
            return [0]
        names = [
            name
            for name in source.stages
            if self._target.has(name, self._stage) or not self._target.has(name)
        ]
        local = {self._rank % source.ranks}
        for name in names:
            if self._target.has(name):
                local.update(
                    source.slicing(name).holders(
                        self._target.slicing(name, self._stage), self._rank
                    )
                )
        for name in names:
            found.update(
                stage * source.ranks + each for stage in source.stages[name] for each in local
            )
        return sorted(found, reverse=True)

    def run(self, loaded):
        """What the rank holds, as `save_checkpoint` takes it.

        Args:
            loaded (dict): checkpoints, Parameters by name, by source rank.

        Raises:
            ValueError: if a slice is missing or does not fit, or no parameter is in the strategies.
        """
        slices = {}
        for rank, parameters in loaded.items():
            for name, param in parameters.items():
                slices.setdefault(name, {})[rank % self._source.ranks] = param
        sliced, whole = [], []
        for name, parts in slices.items():
            if self._is_wanted(name):
                sliced.append({"name": name, "data": self._resliced(name, parts)})
            elif not self._belongs_elsewhere(name):
                whole.append({"name": name, "data": self._own(name, parts)})
        if not sliced or (self._source.stages is None and self._target.stages is None):
            raise ValueError(
                f"For '{self._api}', the strategy files must name parameters of the checkpoints."
            )
        return sliced + whole

    def _belongs_elsewhere(self, name):
        return (
            self._source.has(name)
            and self._target.has(name)
            and not self._target.has(name, self._stage)
        )

    def _own(self, name, slices):
        rank = self._rank % self._source.ranks
        if rank not in slices:
            raise ValueError(
                f"For '{self._api}', the checkpoint of rank {rank} is missing, which has {name!r}."
            )
        return slices[rank]

    def _resliced(self, name, slices):
        arrays = {rank: param.asnumpy() for rank, param in slices.items()}
        try:
            array = resliced(
                arrays,
                self._source.slicing(name),
                self._target.slicing(name, self._stage),
                self._rank,
            )
        except ValueError as error:
            raise ValueError(f"For '{self._api}', {name!r}: {error}.") from None
        like = next(iter(slices.values()))
        return Parameter(Tensor(array), name, like.requires_grad, like.layerwise_parallel)
