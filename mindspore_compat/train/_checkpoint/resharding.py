"""Reshards parameters: converts the slices of some ranks into slices that are cut differently.

Worked example. Four ranks hold a weight (8, 6) by rows; two are to hold it by columns:

    source, target = Slicing(layout of [4], [0, -1]), Slicing(layout of [2], [-1, 0])
    target.region(1, (8, 6)) == ((0, 8), (3, 6))            # all rows of the last three columns
    source.holders(target, 1) == [0, 1, 2, 3]               # each has two of the rows

`strategy` reads strategy files, and `transform` reads and writes checkpoint files.
"""

import math

import numpy as np

from ..._core.tensor.tensor import Tensor
from ..._io.reading import reading
from ...common.parameter import Parameter
from .strategy import build_searched_strategy

_MOST_RANKS = 1 << 16  # most ranks of a grid, because they are visited one by one


class Slicing:
    """How a parameter is cut into slices, and which rank of a stage holds which slice.

    Args:
        layout (ParallelLayouts): see there; None for a single rank with the whole parameter.

    Raises:
        ValueError: if the layout contradicts itself.
    """

    def __init__(self, layout=None):
        self.grid, self._cuts, self._further = [1], None, []
        if layout is None:
            return
        try:
            self.grid = [int(length) for length in layout.dev_matrix[0].dim]
            maps = [list(axis.dim) for axis in layout.tensor_map]
            size, step = layout.opt_weight_shard_size, layout.opt_weight_shard_step
        except (AttributeError, IndexError) as error:
            raise ValueError(f"a layout lacks what it must have: {error}") from None
        if any(length < 1 for length in self.grid) or self.ranks() > _MOST_RANKS:
            raise ValueError(
                f"the grid of a layout must have 1 to {_MOST_RANKS} ranks, but is {self.grid}"
            )
        axes = [axis for axis in maps if axis] if len(maps) > 1 else [[axis] for axis in maps[0]]
        self._cuts = [
            [len(self.grid) - 1 - number for number in axis if number >= 0] for axis in axes
        ]
        if any(not 0 <= number < len(self.grid) for axis in self._cuts for number in axis):
            raise ValueError(f"a layout cuts along {maps}, but its grid is {self.grid}")
        if size and step:
            self._further = self._cut_further(size, step)

    def _cut_further(self, size, step):
        """Returns the grid axes that cut the first axis further for the optimizer, and by how
        much."""
        used_axes = {number for axis in self._cuts for number in axis}
        free = [
            number
            for number in range(len(self.grid))
            if number not in used_axes and self.grid[number] > 1
        ]
        left = math.prod(self.grid[number] for number in free) if size == -1 else size
        if not self._cuts:
            raise ValueError("a layout cuts the optimizer's part of a parameter without axes")
        if not free or (len(free) == 1 and math.prod(self.grid[free[0] + 1 :]) != step):
            raise ValueError(
                f"a layout cuts the optimizer's part into {size} at a distance of "
                f"{step}, which its grid {self.grid} does not allow"
            )
        cuts = []
        for axis in reversed(free):
            take = min(left, self.grid[axis])
            if self.grid[axis] % take or left % take:
                break
            cuts.insert(0, (axis, take))
            left //= take
            if left == 1:
                return cuts
        raise ValueError(
            f"a layout cuts the optimizer's part into {size}, but its grid is {self.grid}"
        )

    def ranks(self):
        """Returns the number of ranks."""
        return math.prod(self.grid)

    def counts(self, axes):
        """Returns the number of parts of each axis.

        Raises:
            ValueError: if the layout has a different number of axes.
        """
        if self._cuts is None:
            return [1] * axes
        if len(self._cuts) != axes:
            raise ValueError(f"a parameter has {axes} axes, but its layout {len(self._cuts)}")
        counts = [math.prod(self.grid[number] for number in axis) for axis in self._cuts]
        if self._further:
            counts[0] *= math.prod(take for _, take in self._further)
        return counts

    def coordinates(self, rank):
        """Returns the coordinates of a rank in the grid."""
        return [int(coordinate) for coordinate in np.unravel_index(rank % self.ranks(), self.grid)]

    def region(self, rank, shape):
        """Returns the slice of a rank as (start, stop) of each axis.

        Raises:
            ValueError: if the shape cannot be cut in this way.
        """
        coordinates, spans = self.coordinates(rank), []
        for axis, (length, count) in enumerate(zip(shape, self.counts(len(shape)), strict=True)):
            if length % count:
                raise ValueError(
                    f"shape {tuple(shape)} is not to be cut into {count} along axis {axis}"
                )
            index = 0
            for number in self._cuts[axis] if self._cuts is not None else ():
                index = index * self.grid[number] + coordinates[number]
            for number, take in self._further if axis == 0 else ():
                index = index * take + coordinates[number] % take
            spans.append((index * length // count, (index + 1) * length // count))
        return tuple(spans)

    def slot(self, rank):
        """Identifies the slice of a rank: ranks with the same slice have the same value."""
        axes = len(self._cuts or ())
        return self.region(rank, self.counts(axes))

    def holders(self, target, rank, shape=None, present=None):
        """Returns the ranks whose slices a rank of another slicing needs.

        Among ranks with the same slice, the one with the nearest coordinates is chosen.

        Args:
            target (Slicing): the other slicing.
            rank (int): a rank in it.
            shape (tuple[int], optional): the shape of the whole parameter.
            present (Iterable[int], optional): the ranks to choose from; by default all.

        Raises:
            ValueError: if the numbers of ranks do not divide, or a required slice is missing.
        """
        if max(self.ranks(), target.ranks()) % min(self.ranks(), target.ranks()):
            raise ValueError(f"{self.ranks()} ranks cannot become {target.ranks()} ranks")
        if shape is None:
            axes = len((self._cuts if self._cuts is not None else target._cuts) or ())
            shape = [a * b for a, b in zip(self.counts(axes), target.counts(axes), strict=True)]
        region, own, groups = target.region(rank, shape), self.coordinates(rank), {}
        for other in range(self.ranks()):
            span = self.region(other, shape)
            if all(a[0] < b[1] and b[0] < a[1] for a, b in zip(span, region, strict=True)):
                groups.setdefault(span, []).append(other)
        holders = []
        for group in groups.values():
            candidates = (
                group if present is None else [member for member in group if member in present]
            )
            if not candidates:
                raise ValueError(f"the checkpoint of rank {group[0]} is missing")
            holders.append(
                max(
                    candidates,
                    key=lambda member: sum(
                        a == b for a, b in zip(self.coordinates(member), own, strict=True)
                    ),
                )
            )
        return sorted(holders)


def reslice(slices, source, target, rank):
    """Builds a rank's slice of a parameter from slices that are cut differently.

    Args:
        slices (dict): arrays by source rank.
        source (Slicing): how `slices` are cut.
        target (Slicing): how the result is cut.
        rank (int): the rank of the result.

    Raises:
        ValueError: if a slice is missing or does not fit.
    """
    any_slice = next(iter(slices.values()))
    shape = [
        length * count
        for length, count in zip(any_slice.shape, source.counts(any_slice.ndim), strict=True)
    ]
    region = target.region(rank, shape)
    result = np.empty([stop - start for start, stop in region], any_slice.dtype)
    for holder in source.holders(target, rank, shape, slices):
        span = source.region(holder, shape)
        if slices[holder].shape != any_slice.shape:
            raise ValueError(f"slices have shapes {any_slice.shape} and {slices[holder].shape}")
        common = [(max(a[0], b[0]), min(a[1], b[1])) for a, b in zip(span, region, strict=True)]
        to = tuple(
            slice(start - w[0], stop - w[0])
            for (start, stop), w in zip(common, region, strict=True)
        )
        out_of = tuple(
            slice(start - h[0], stop - h[0]) for (start, stop), h in zip(common, span, strict=True)
        )
        result[to] = slices[holder][out_of]
    return result


class Strategy:
    """The slicings of the parameters in a strategy file.

    Attributes:
        file (str): its path, or None.
        ranks (int): the number of ranks of a stage.
        stages (dict): parameter name -> its stages; None without a file.
    """

    def __init__(self, file):
        self.file, self.ranks, self.stages, self._slicings = file, 1, None, {}
        if file is None:
            return
        self.stages = {}
        for key, layout in build_searched_strategy(file).items():
            stage, _, name = key.partition("-") if "-" in key else ("0", "-", key)
            if not stage.isdigit():
                raise ValueError(f"{file!r} has a parameter {key!r}")
            self.stages.setdefault(name, []).append(int(stage))
            with reading(file, ValueError, "is no strategy file"):
                self._slicings[name, int(stage)] = Slicing(layout)
        if not self.stages:
            raise ValueError(f"{file!r} describes no parameters")
        self.ranks = next(iter(self._slicings.values())).ranks()

    def stage_count(self):
        """Returns the number of stages, which are numbered from 0.

        Raises:
            ValueError: if a stage is missing.
        """
        stages = (
            {0} if self.stages is None else {n for numbers in self.stages.values() for n in numbers}
        )
        if stages != set(range(len(stages))):
            raise ValueError("a strategy file of a pipeline must describe all stages")
        return len(stages)

    def has(self, name, stage=None):
        """Returns True if a parameter is in a stage or, with None, in any stage. Without a strategy
        file, returns True for every parameter."""
        return self.stages is None or (
            name in self.stages if stage is None else stage in self.stages.get(name, ())
        )

    def slicing(self, name, stage=None):
        """Returns the slicing of a parameter, by default in its first stage."""
        if self.stages is None:
            return Slicing()
        stage_key = stage if stage in self.stages[name] else min(self.stages[name])
        return self._slicings[name, stage_key]


class Transformation:
    """The conversion from one strategy to another, for one target rank.

    Attributes:
        files (tuple): the paths of the two strategy files, or None.
    """

    def __init__(self, api, source, target, rank):
        count = target.ranks * target.stage_count()
        if rank >= count:
            raise ValueError(
                f"For '{api}', 'rank_id' must be below {count}, the number of ranks, "
                f"but got {rank}."
            )
        self._api, self._source, self._target = api, source, target
        self.files = source.file, target.file
        self._stage = None if target.stages is None else rank // target.ranks
        self._rank = rank % target.ranks

    def _is_included(self, name):
        return self._source.has(name) and self._target.has(name, self._stage)

    def needed(self):
        """Returns the source ranks whose checkpoints are needed."""
        source, ranks = self._source, set()
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
            ranks.update(
                stage * source.ranks + number for stage in source.stages[name] for number in local
            )
        return sorted(ranks, reverse=True)

    def run(self, checkpoints):
        """Returns the values of the target rank in the form that `save_checkpoint` takes.

        Args:
            checkpoints (dict): source rank -> Parameters by name.

        Raises:
            ValueError: if a slice is missing or does not fit, or no parameter is in the strategies.
        """
        slices = {}
        for rank, parameters in checkpoints.items():
            for name, param in parameters.items():
                slices.setdefault(name, {})[rank % self._source.ranks] = param
        sliced, whole = [], []
        for name, parts in slices.items():
            if self._is_included(name):
                sliced.append({"name": name, "data": self._reslice(name, parts)})
            elif not self._belongs_elsewhere(name):
                whole.append({"name": name, "data": self._own_slice(name, parts)})
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

    def _own_slice(self, name, slices):
        rank = self._rank % self._source.ranks
        if rank not in slices:
            raise ValueError(
                f"For '{self._api}', the checkpoint of rank {rank} is missing, which has {name!r}."
            )
        return slices[rank]

    def _reslice(self, name, slices):
        arrays = {rank: param.asnumpy() for rank, param in slices.items()}
        try:
            array = reslice(
                arrays,
                self._source.slicing(name),
                self._target.slicing(name, self._stage),
                self._rank,
            )
        except ValueError as error:
            raise ValueError(f"For '{self._api}', {name!r}: {error}.") from None
        like = next(iter(slices.values()))
        return Parameter(Tensor(array), name, like.requires_grad, like.layerwise_parallel)
