"""What a body that works on rows does, in the order in which a loop does it: one note for the
kernels of a GPU (gpu.py) and the compiled loops of the host (host.py).

The body is run once on symbols. Sums and maxima over a row that wait for no other are found in one
loop over the row (level 0), those that wait for them in a second, and so on; the results are
written in a last one. A value is one for each row, or one for each element; the latter are found
again in each loop that needs them.
"""

from typing import NamedTuple

from .c_code import compute_dtype
from .symbols import Symbol, SymbolSpace, Trace

# What an array has a value for, or a result.
ELEMENT = "element"  # each of the data
ROW = "row"  # each row
COLUMN = "column"  # each position within a row; a result is a sum over rows
CHANNEL = "channel"  # each channel, where rows are groups of channels; a result is such a sum
SUMMED = frozenset((COLUMN, CHANNEL))  # the results that are sums over rows

MOMENTS = ("row_mean", "row_rest", "row_variance")  # the parts of `row_moments`
REDUCTIONS = {  # how they join two values
    "row_sum": "sum",
    "row_max": "max",
    "row_pick": "sum",  # all others are 0
    **dict.fromkeys(MOMENTS, "sum"),
}


def split(scalars):
    """The flags and the numbers among the scalars of a call."""
    if not scalars:
        return {}, {}
    flags = {
        key: value
        for key, value in scalars.items()
        if value is None or isinstance(value, (bool, str))
    }
    return flags, {key: value for key, value in scalars.items() if key not in flags}


class Operands(NamedTuple):
    """The arrays of a body over rows, in its order; one that is not there is None."""

    elements: tuple
    columns: tuple = ()
    channels: tuple = ()
    rows: tuple = ()

    def arrays(self):
        """All arrays."""
        return (*self.elements, *self.columns, *self.channels, *self.rows)

    def counts(self):
        """How many arrays each kind has."""
        return len(self.elements), len(self.columns), len(self.channels), len(self.rows)

    def kinds(self):
        """The kind of each array."""
        kinds = ()
        for kind, count in zip((ELEMENT, COLUMN, CHANNEL, ROW), self.counts(), strict=True):
            kinds += (kind,) * count
        return kinds


class Parts(NamedTuple):
    """Several values that lie side by side along the last axis of an array."""

    whole: object  # the array
    count: int

    def views(self):
        """The values as arrays, which are not contiguous."""
        width = self.whole.shape[-1] // self.count
        return [self.whole[..., k * width : (k + 1) * width] for k in range(self.count)]


def separate(arrays):
    """Arrays, with each Parts among them as its values."""
    found = []
    for array in arrays:
        found += array.views() if type(array) is Parts else (array,)
    return found


class RowSpace(SymbolSpace):
    """The `xp` of a body that works on rows, which may also be written as for a matrix."""

    def sum(self, x, axis, keepdims=False):
        """The sum of each row, whatever the axis is called."""
        return self.row_sum(x)

    def max(self, x, axis, keepdims=False):
        """The largest value of each row, whatever the axis is called."""
        return self.row_max(x)

    def expand_dims(self, x, axis):
        """A value of each row, as it is."""
        return x

    def pick_column(self, x, column):
        """The element of each row in the row's `column`."""
        return self.trace.add("row_pick", x, column)

    def add_at_column(self, x, column, values):
        """`x` with each row's value added in the row's `column`."""
        return self.where(self.at_column(column), x + values, x)

    def row_sum(self, x):
        """The sum of each row."""
        return self.trace.add("row_sum", x)

    def row_max(self, x):
        """The largest value of each row; NaN if there is one."""
        return self.trace.add("row_max", x)

    def whole_norm(self, x):
        """The Euclidean norm of each row."""
        return self.sqrt(self.row_sum(x * x))

    def row_moments(self, x):
        """The mean of each row, what rounding left of it (of large numbers), and the variance."""
        mean = self.row_sum(x) / self.row_size()
        part = x - mean
        rest = self.row_sum(part) / self.row_size()
        var = self.row_sum(part * part) / self.row_size() - rest * rest
        return mean, rest, self.maximum(var, 0)  # of equal elements what is left is rounding

    def row_size(self):
        """How many elements a row has."""
        return self.trace.add("row_size")

    def at_column(self, column):
        """True where the position within the row is the row's `column`; negative ones from its
        end."""
        return self.trace.add("at_column", column)


class ChunkSpace(RowSpace):
    """The `xp` of a body whose rows are divided into chunks: the moments of a row are made of those
    of its chunks, so that they need only one loop."""

    def row_moments(self, x):
        """As in RowSpace."""
        mean, rest, var = (self.trace.add(name, x) for name in MOMENTS)
        return mean, rest, self.maximum(var, 0)


class BodyTrace(Trace):
    """What a body does to its arrays: `results` are the numbers of the values it returns."""

    space_type = RowSpace

    def __init__(self, body, names, present, flags, numbers):
        self.name = body.__name__ if body.__name__.isidentifier() else "body"
        self.names = names
        self.steps = []
        self._texts = {}
        found = self._noted(body, present, flags, numbers)
        self.single = type(found) is not tuple
        self.results = [self._number(value) for value in ((found,) if self.single else found)]
        self._prepare = self._preparation(numbers)

    def _number(self, value):
        return value.number if isinstance(value, Symbol) else self.add("constant", value).number


class ChunkTrace(BodyTrace):
    """A BodyTrace for rows in chunks."""

    space_type = ChunkSpace


class RowPlan:
    """The note of a body over rows.

    Args:
        body: `body(xp, *arrays, **scalars)`, without a closure.
        kinds: ELEMENT, COLUMN, CHANNEL or ROW for each array.
        result_kinds: one of them for each result; None for one that is left out.
        dtypes: the dtypes of the arrays; None for one that is not there.
        flags: the scalars that choose what the body does.
        numbers: the names of the others.

    Attributes:
        dtype: what is computed in.
        there: the indices of the arrays that are there.
        levels: how many loops find sums.
        single: whether the body returns one value, not a tuple.
    """

    trace_type = BodyTrace

    def __init__(self, body, kinds, result_kinds, dtypes, flags, numbers):
        self.kinds, self.result_kinds, self.dtypes = kinds, result_kinds, dtypes
        names = [f"x{index}" for index in range(len(dtypes))]
        self.trace = self.trace_type(
            body, names, [one is not None for one in dtypes], flags, numbers
        )
        self.there = [index for index, one in enumerate(dtypes) if one is not None]
        self.dtype = compute_dtype([dtypes[i] for i in self.there if dtypes[i].kind not in "biu"])
        self.single = self.trace.single
        self._steps = {step.result: step for step in self.trace.steps}
        self._level, self._of_row = {}, {}
        for value in [*self.there, *self._steps]:
            self._define(value)
        self.levels = max(self._level.values()) + 1

    def _define(self, value):
        """Finds after how many loops a value is known, and whether it is one for each row."""
        step = self._steps.get(value)
        if step is None:
            self._level[value], self._of_row[value] = 0, self.kinds[value] == ROW
            return
        level = max((self._level[one] for one in step.values()), default=0)
        reduces = step.name in REDUCTIONS
        self._level[value] = level + reduces
        self._of_row[value] = (
            reduces or step.name != "at_column" and all(self._of_row[one] for one in step.values())
        )

    def level(self, value):
        """After how many loops a value is known."""
        return self._level[value]

    def is_of_row(self, value):
        """Whether a value is one for each row."""
        return self._of_row[value]

    def reductions(self, level):
        """The sums and maxima that the loop before a level finds."""
        return [
            step
            for step in self.trace.steps
            if step.name in REDUCTIONS and self._level[step.result] == level
        ]

    def of_row(self, level):
        """The other steps of a level that give one value for each row."""
        return [
            step
            for step in self.trace.steps
            if self._of_row[step.result]
            and step.name not in REDUCTIONS
            and self._level[step.result] == level
        ]

    def elements(self, wanted, known=()):
        """What a loop must find for each element to have these values: arrays and steps.

        Args:
            wanted: the numbers of the values.
            known: those of values that need nothing else.
        """
        needed, stack = set(), [value for value in wanted if not self._of_row[value]]
        while stack:
            value = stack.pop()
            if value not in needed:
                needed.add(value)
                step = None if value in known else self._steps.get(value)
                stack += [one for one in (step.values() if step else ()) if not self._of_row[one]]
        arrays = [index for index in self.there if index in needed]
        return arrays, [step for step in self.trace.steps if step.result in needed]


class ChunkPlan(RowPlan):
    """The note of a body whose rows are divided into chunks."""

    trace_type = ChunkTrace
