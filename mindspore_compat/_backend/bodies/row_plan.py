"""The plan of a body over rows: which loop computes which of its steps. GPU kernels (gpu.py) and
compiled host loops (host.py) are generated from the same plan.

The body is run once on symbols. The first loop over the elements of a row computes the sums and
maxima that depend on no others, the second loop those that depend on the first ones, and so on; the
last loop writes the results. The level of a value is the number of these loops that must run before
it is known. A value has one number for each row, or one for each element. Element values are
computed again in each loop that needs them.
"""

from typing import NamedTuple

from .c_code import compute_dtype
from .symbols import Symbol, SymbolSpace, Trace

# The kinds of arrays and results. An array of a kind has one value for:
ELEMENT = "element"  # each of the data
ROW = "row"  # each row
COLUMN = "column"  # each position within a row; a result is a sum over rows
CHANNEL = "channel"  # each channel, where rows are groups of channels; a result is a sum over rows
ROUNDED = "rounded"  # each row; a result that is stored in the dtype of the first array
SUMMED = frozenset((COLUMN, CHANNEL))  # the results that are sums over rows

MOMENTS = ("row_mean", "row_rest", "row_variance")  # the parts of `row_moments`
REDUCTIONS = {  # the steps that combine the elements of a row -> how two values are combined
    "row_sum": "sum",
    "row_max": "max",
    "row_pick": "sum",  # all other elements are 0
    **dict.fromkeys(MOMENTS, "sum"),
}


def split(scalars):
    """Divides the scalars of a call into two dicts: the flags (None, bool and str), which select
    what a body does, and the numbers."""
    flags, numbers = {}, {}
    for key, value in scalars.items():
        if value is None or isinstance(value, (bool, str)):
            flags[key] = value
        else:
            numbers[key] = value
    return flags, numbers


class Operands(NamedTuple):
    """The arrays of a body over rows, in the body's order; an absent one is None."""

    elements: tuple
    columns: tuple = ()
    channels: tuple = ()
    rows: tuple = ()

    def arrays(self):
        """Returns all arrays."""
        return (*self.elements, *self.columns, *self.channels, *self.rows)

    def counts(self):
        """Returns how many arrays each kind has."""
        return len(self.elements), len(self.columns), len(self.channels), len(self.rows)

    def kinds(self):
        """Returns the kind of each array."""
        kinds = ()
        for kind, count in zip((ELEMENT, COLUMN, CHANNEL, ROW), self.counts(), strict=True):
            kinds += (kind,) * count
        return kinds


class Parts(NamedTuple):
    """One array that holds several arguments of a body, next to each other along its last axis, as
    a recurrence holds its gates."""

    whole: object  # the array
    count: int

    def views(self):
        """Returns the arguments as views of the array, which are not contiguous."""
        width = self.whole.shape[-1] // self.count
        return [self.whole[..., k * width : (k + 1) * width] for k in range(self.count)]


def separate(arrays):
    """Returns a list of arrays in which the views of a Parts replace it."""
    separated = []
    for array in arrays:
        separated += array.views() if type(array) is Parts else (array,)
    return separated


class RowSpace(SymbolSpace):
    """The `xp` of a body over rows; it also accepts the functions of a body over a matrix."""

    def sum(self, x, axis, keepdims=False):
        """Returns the sum of each row; `axis` is ignored."""
        return self.row_sum(x)

    def max(self, x, axis, keepdims=False):
        """Returns the largest value of each row; `axis` is ignored."""
        return self.row_max(x)

    def expand_dims(self, x, axis):
        """Returns `x`, a row value, unchanged: here row values need no axis of length 1."""
        return x

    def pick_column(self, x, column):
        """Returns the element of each row in that row's `column`."""
        return self.trace.add("row_pick", x, column)

    def add_at_column(self, x, column, values):
        """Returns `x` with the row's value added in that row's `column`."""
        return self.where(self.at_column(column), x + values, x)

    def row_sum(self, x):
        """Returns the sum of each row."""
        return self.trace.add("row_sum", x)

    def row_max(self, x):
        """Returns the largest value of each row; NaN if the row has a NaN."""
        return self.trace.add("row_max", x)

    def whole_norm(self, x):
        """Returns the Euclidean norm of each row."""
        return self.sqrt(self.row_sum(x * x))

    def row_moments(self, x):
        """Returns the mean of each row, the rounding error of this mean (which matters for large
        numbers), and the variance."""
        mean = self.row_sum(x) / self.row_size()
        part = x - mean
        rest = self.row_sum(part) / self.row_size()
        var = self.row_sum(part * part) / self.row_size() - rest * rest
        return mean, rest, self.maximum(var, 0)  # for equal elements this is rounding error

    def row_size(self):
        """Returns the number of elements of a row."""
        return self.trace.add("row_size")

    def at_column(self, column):
        """Returns True where the position within the row equals the row's `column`; negative
        columns count from the end."""
        return self.trace.add("at_column", column)


class ChunkSpace(RowSpace):
    """The `xp` of a body whose rows are divided into chunks. The moments of a row are combined from
    the moments of its chunks, so they need only one loop.
    """

    def row_moments(self, x):
        """Returns the mean of each row, the rounding error of this mean, and the variance."""
        mean, rest, var = (self.trace.add(name, x) for name in MOMENTS)
        return mean, rest, self.maximum(var, 0)


class BodyTrace(Trace):
    """The trace of a body over rows.

    Attributes:
        results: the numbers of the values that the body returns.
        single: whether the body returns one value instead of a tuple.
    """

    space_type = RowSpace

    def __init__(self, body, names, present, flags, numbers):
        self.name = body.__name__ if body.__name__.isidentifier() else "body"
        self.names = names
        self.steps = []
        self._texts = {}
        values = self._run_formula(body, present, flags, numbers)
        self.single = type(values) is not tuple
        self.results = [self._number(value) for value in ((values,) if self.single else values)]
        self._prepare = self._preparation(numbers)

    def _number(self, value):
        return value.number if isinstance(value, Symbol) else self.add("constant", value).number


class ChunkTrace(BodyTrace):
    """A BodyTrace whose rows are divided into chunks; its `xp` is a ChunkSpace."""

    space_type = ChunkSpace


class RowPlan:
    """The plan of a body over rows.

    Args:
        body: `body(xp, *arrays, **scalars)`, without a closure.
        kinds: ELEMENT, COLUMN, CHANNEL or ROW for each array.
        result_kinds: the kind of each result; None for an omitted one.
        dtypes: the dtypes of the arrays; None for an absent one.
        flags: the scalars that select what the body does.
        numbers: the names of the other scalars.

    Attributes:
        dtype: the dtype of the arithmetic.
        there: the indices of the arrays that are present.
        levels: the number of loops that compute sums.
        single: whether the body returns one value instead of a tuple.
    """

    trace_type = BodyTrace

    def __init__(self, body, kinds, result_kinds, dtypes, flags, numbers):
        self.kinds, self.result_kinds, self.dtypes = kinds, result_kinds, dtypes
        names = [f"x{index}" for index in range(len(dtypes))]
        self.trace = self.trace_type(
            body, names, [dtype is not None for dtype in dtypes], flags, numbers
        )
        self.there = [index for index, dtype in enumerate(dtypes) if dtype is not None]
        self.dtype = compute_dtype([dtypes[i] for i in self.there if dtypes[i].kind not in "biu"])
        self.single = self.trace.single
        self._steps = {step.result: step for step in self.trace.steps}
        self._level, self._of_row = {}, {}
        for value in [*self.there, *self._steps]:
            self._define(value)
        self.levels = max(self._level.values()) + 1

    def _define(self, value):
        """Stores the level of a value, and whether it has one number for each row."""
        step = self._steps.get(value)
        if step is None:
            self._level[value], self._of_row[value] = 0, self.kinds[value] == ROW
            return
        level = max((self._level[operand] for operand in step.values()), default=0)
        reduces = step.name in REDUCTIONS
        self._level[value] = level + reduces
        self._of_row[value] = (
            reduces
            or step.name != "at_column"
            and all(self._of_row[operand] for operand in step.values())
        )

    def level(self, value):
        """Returns the level of a value: the number of loops that run before it is known."""
        return self._level[value]

    def is_of_row(self, value):
        """Returns True if the value has one number for each row."""
        return self._of_row[value]

    def reductions(self, level):
        """Returns the steps of a level that are sums or maxima: those that loop number `level`,
        counted from 1, computes."""
        return [
            step
            for step in self.trace.steps
            if step.name in REDUCTIONS and self._level[step.result] == level
        ]

    def of_row(self, level):
        """Returns the steps of a level with one number for each row that are not sums or maxima."""
        return [
            step
            for step in self.trace.steps
            if self._of_row[step.result]
            and step.name not in REDUCTIONS
            and self._level[step.result] == level
        ]

    def elements(self, values, known=()):
        """Returns the arrays and steps that a loop needs for each element to compute these values.

        Args:
            values: the numbers of the values.
            known: the numbers of the values that are already available.
        """
        needed_values, stack = set(), [value for value in values if not self._of_row[value]]
        while stack:
            value = stack.pop()
            if value not in needed_values:
                needed_values.add(value)
                step = None if value in known else self._steps.get(value)
                stack += [
                    operand
                    for operand in (step.values() if step else ())
                    if not self._of_row[operand]
                ]
        arrays = [index for index in self.there if index in needed_values]
        return arrays, [step for step in self.trace.steps if step.result in needed_values]


class ChunkPlan(RowPlan):
    """The plan of a body whose rows are divided into chunks; it is made from a ChunkTrace."""

    trace_type = ChunkTrace
