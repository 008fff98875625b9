"""Operations that select and order rows and columns: shuffle, repeat, take, skip, filter, ...

Operations that change the contents of rows are in `mapping` and `batching`; operations that combine
datasets are in `combining`. A class is one node of a pipeline; `method` makes it a method of
Dataset.
"""

import inspect
import itertools

from ..._core.rules.checked import Forbid, checked
from ..._core.rules.vocabulary import Callable, InstanceOf, Int
from .._rules import INT32_MAX, Columns, Workers, natural
from . import config
from .pipeline import Dataset, UnionBaseDataset
from .rows import FAILURES, Flow, Rounds, own, shuffled
from .twister import Twister64

__all__ = [
    "FilterDataset",
    "ProjectDataset",
    "RenameDataset",
    "RepeatDataset",
    "ShuffleDataset",
    "SkipDataset",
    "TakeDataset",
]


def method(name):
    """Makes a node class a method of Dataset, with the arguments of the class after the first."""

    def attach(cls):
        def call(self, *args, **kwargs):
            return cls(self, *args, **kwargs)

        parameters = list(inspect.signature(cls).parameters.values())[1:]
        myself = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        call.__signature__ = inspect.Signature([myself, *parameters])
        call.__name__, call.__qualname__, call.__doc__ = name, f"Dataset.{name}", cls.__doc__
        call.__wrapped__ = cls.__init__  # has the rules of the arguments
        setattr(Dataset, name, call)
        return cls

    return attach


def as_list(names):
    """Returns one name, or a list of them, as a list."""
    return [names] if isinstance(names, str) else list(names)


def column_indices(api, columns, names):
    """Returns the indices of `names` in `columns`.

    Raises:
        RuntimeError: if a column does not exist.
    """
    for name in names:
        if name not in columns:
            raise RuntimeError(
                f"For '{api}', there is no column {name!r}; the columns are {list(columns)}."
            )
    return [list(columns).index(name) for name in names]


def distinct(api, parameter, names):
    """Raises ValueError for an empty or a duplicate name.

    Raises:
        ValueError: if a name is empty or occurs twice.
    """
    if "" in names or len(set(names)) < len(names):
        raise ValueError(
            f"For '{api}', '{parameter}' must hold different names that are not "
            f"empty, but got {names}."
        )


@method("shuffle")
class ShuffleDataset(UnionBaseDataset):
    """Shuffles the rows with a buffer: each returned row is drawn at random from the buffer.

    Args:
        buffer_size (int): the number of rows in the buffer, at least 2; with the size of the
            dataset, all orders are possible.

    Returns:
        Dataset. With a seed, the orders are MindSpore's, a different one in each epoch.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.NumpySlicesDataset([1, 2, 3]).shuffle(3).get_dataset_size())
        3
    """

    reshuffle_each_epoch = True
    _is_order = True

    @checked
    def __init__(self, input_dataset, buffer_size: Int(ge=2, le=INT32_MAX)):
        super().__init__(input_dataset)
        self.buffer_size = buffer_size

    def _refusal_below_cache(self, is_whole):
        return None

    def is_shuffled(self):
        """Returns True."""
        return True

    def _open(self):
        flow, seed = super()._open(), config.next_seed()
        twister = Twister64(seed)

        def rows():
            nonlocal twister
            if not self.reshuffle_each_epoch:
                twister = Twister64(seed)
            yield from shuffled(flow.rows(), self.buffer_size, twister)

        return Flow(rows)


@method("repeat")
class RepeatDataset(UnionBaseDataset):
    """Repeats the rows several times in one epoch.

    Args:
        count (int, optional): the number of repetitions; None or -1 means forever.

    Returns:
        Dataset. Sources and shuffles start a new epoch with each repetition.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.NumpySlicesDataset([1, 2]).repeat(3).get_dataset_size())
        6
    """

    @checked(
        Forbid(
            "count is not None and count < 1 and count != -1",
            ValueError,
            "'count' must be -1 or positive",
        )
    )
    def __init__(self, input_dataset, count: Int(ge=-1, le=INT32_MAX) = None):
        super().__init__(input_dataset)
        self.count = -1 if count is None else count

    def _refusal_below_cache(self, is_whole):
        if not is_whole:
            return "the source is read by number"
        return "it never ends" if self.count == -1 else None

    def get_repeat_count(self):
        """Returns the number of repetitions."""
        return self.count

    def _size(self):
        size = super()._size()
        return None if size is None else size * max(1, self.count)

    def get_dataset_size(self):
        """Returns the number of rows of an epoch; an endless repeat counts as one."""
        return self.children[0].get_dataset_size() * max(1, self.count)

    def _open(self):
        with Rounds(self.count) as rounds:
            flow = super()._open()

        def repeated(begin):
            numbers = itertools.count() if self.count == -1 else range(self.count)
            for rounds.round in numbers:
                empty = True
                for item in begin():
                    empty = False
                    yield item
                if empty:
                    return

        blocks = flow.blocks and (lambda: repeated(flow.blocks))
        return Flow(lambda: repeated(flow.rows), blocks)


@method("take")
class TakeDataset(UnionBaseDataset):
    """Takes the first rows of each epoch.

    Args:
        count (int, optional): the number of rows; -1 for all.

    Returns:
        Dataset.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.NumpySlicesDataset([1, 2, 3]).take(2).get_dataset_size())
        2
    """

    @checked(Forbid("count == 0", ValueError, "'count' must be -1 or positive"))
    def __init__(self, input_dataset, count: Int(ge=-1, le=INT32_MAX) = -1):
        super().__init__(input_dataset)
        self.count = count

    def _size(self):
        size = super()._size()
        return size if size is None or self.count == -1 else min(size, self.count)

    def _open(self):
        flow = super()._open()
        if self.count == -1:
            return flow
        return Flow(lambda: itertools.islice(flow.rows(), self.count))


@method("skip")
class SkipDataset(UnionBaseDataset):
    """Skips the first rows of each epoch.

    Args:
        count (int): the number of rows.

    Returns:
        Dataset.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.NumpySlicesDataset([1, 2, 3]).skip(1).get_dataset_size())
        2
    """

    @checked
    def __init__(self, input_dataset, count: natural):
        super().__init__(input_dataset)
        self.count = count

    def _size(self):
        size = super()._size()
        return None if size is None else max(0, size - self.count)

    def _open(self):
        flow = super()._open()
        return Flow(lambda: itertools.islice(flow.rows(), self.count, None))


@method("filter")
class FilterDataset(UnionBaseDataset):
    """Filters rows: keeps those for which a function returns a true value.

    Args:
        predicate (Callable): takes the arrays of the input columns.
        input_columns (Union[str, list[str]], optional): the columns that it takes; by default all.
        num_parallel_workers (int, optional): is checked; a filter runs in the reader's thread.

    Returns:
        Dataset.

    Example:
        >>> import mindspore_compat as ms
        >>> print([int(x) for x, in ms.dataset.NumpySlicesDataset([1, 2, 3], "x",
        ...         shuffle=False).filter(lambda x: x > 1, "x").create_tuple_iterator()])
        [2, 3]
    """

    @checked
    def __init__(
        self,
        input_dataset,
        predicate: Callable,
        input_columns: Columns = None,
        num_parallel_workers: Workers = None,
    ):
        super().__init__(input_dataset, num_parallel_workers)
        self.predicate = predicate
        self.input_columns = None if input_columns is None else as_list(input_columns)
        distinct("filter", "input_columns", self.input_columns or [])

    def _size(self):
        return None

    def _open(self):
        flow, columns = super()._open(), self._columns()
        inputs = columns if self.input_columns is None else self.input_columns
        indices = column_indices("filter", columns, inputs)

        def rows():
            for row in flow.rows():
                try:
                    is_match = bool(self.predicate(*[own(row[index]) for index in indices]))
                except FAILURES as error:
                    raise RuntimeError(
                        f"For 'filter', 'predicate' raised {type(error).__name__}: {error}"
                    ) from error
                if is_match:
                    yield row

        return Flow(rows)


@method("project")
class ProjectDataset(UnionBaseDataset):
    """Projects rows to some columns, in the given order.

    Args:
        columns (Union[str, list[str]]): the names of the columns to keep.

    Returns:
        Dataset.

    Raises:
        RuntimeError: if a column does not exist; raised when the dataset is used.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.NumpySlicesDataset(([1], [2]),
        ...                                     ["a", "b"]).project("b").get_col_names())
        ['b']
    """

    @checked
    def __init__(self, input_dataset, columns: Columns):
        super().__init__(input_dataset)
        self.columns = as_list(columns)
        distinct("project", "columns", self.columns)

    def _refusal_below_cache(self, is_whole):
        return None

    def _columns(self):
        column_indices("project", super()._columns(), self.columns)
        return self.columns

    def _open(self):
        flow = super()._open()
        indices = column_indices("project", super()._columns(), self.columns)

        def chosen(begin):
            return lambda: ([row[index] for index in indices] for row in begin())

        return Flow(chosen(flow.rows), flow.blocks and chosen(flow.blocks))


@method("rename")
class RenameDataset(UnionBaseDataset):
    """Renames columns.

    Args:
        input_columns (Union[str, list[str]]): the old names.
        output_columns (Union[str, list[str]]): the new names; equally many.

    Returns:
        Dataset.

    Raises:
        ValueError: if the two differ in number.
        RuntimeError: if a column does not exist, or a new name exists already; raised when it is
            used.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.NumpySlicesDataset([1], ["a"]).rename("a", "b").get_col_names())
        ['b']
    """

    @checked
    def __init__(self, input_dataset, input_columns: Columns, output_columns: Columns):
        super().__init__(input_dataset)
        self.input_columns, self.output_columns = as_list(input_columns), as_list(output_columns)
        distinct("rename", "input_columns", self.input_columns)
        distinct("rename", "output_columns", self.output_columns)
        if len(self.input_columns) != len(self.output_columns):
            raise ValueError(
                f"For 'rename', 'input_columns' and 'output_columns' must be as many, "
                f"but got {self.input_columns} and {self.output_columns}."
            )

    def _refusal_below_cache(self, is_whole):
        return None

    def _columns(self):
        columns = list(super()._columns())
        indices = column_indices("rename", columns, self.input_columns)
        for index, name in zip(indices, self.output_columns, strict=True):
            columns[index] = name
        if len(set(columns)) < len(columns):
            raise RuntimeError(f"For 'rename', two columns would have the same name: {columns}.")
        return columns


@method("flat_map")
class FlatMapDataset(UnionBaseDataset):
    """Maps each row to a dataset and returns the rows of all these datasets.

    Args:
        func (Callable): takes the arrays of a row and returns a dataset.

    Returns:
        Dataset.

    Raises:
        TypeError: if `func` is not callable, or returns something else.
    """

    def __init__(self, input_dataset, func):
        if not callable(func):
            raise TypeError(f"For 'flat_map', 'func' must be a function, but got {func!r}.")
        super().__init__(input_dataset)
        self.func = func

    def _make_dataset(self, row):
        dataset = self.func(*[own(value) for value in row])
        InstanceOf(Dataset).called("a dataset").refuse_part(
            "flat_map", "'func'", dataset, verb="return"
        )
        return dataset

    def _columns(self):
        return self._make_dataset(self.children[0]._first_row())._columns()

    def _size(self):
        return None

    def _open(self):
        flow = super()._open()

        def rows():
            for row in flow.rows():
                yield from self._make_dataset(row)._open().rows()

        return Flow(rows)
