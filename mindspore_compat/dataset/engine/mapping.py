"""`map`: operations on the contents of rows, and the callbacks around them.

Operations of this package that have the same effect on one row and on a block of rows are applied
to blocks where the rows below come in blocks; all others are applied row by row, by workers if the
caller reads them.
"""

import functools
import itertools
import sys

import numpy as np

from ..._core.rules.checked import checked
from ..._core.rules.vocabulary import Bool, Int, ListOf
from .._rules import INT32_MAX, AnInstance, Columns, Workers, positive
from ..transforms.base import (
    CompoundOperation,
    Joined,
    TensorOperation,
    apply_to_block,
    bind_random,
    is_python,
    is_random,
    joined,
    seeded,
    takes_blocks,
)
from . import config
from .batching import mapped_columns, mapped_order
from .cache import fixed_row
from .caching import cached_flow, checked_leaf, has_cache
from .operations import as_list, distinct, known, method
from .pipeline import UnionBaseDataset
from .rows import FAILURES, Epochs, Flow, as_column, own, read_only
from .workers import OrderedMap, calls_back, pace_of

__all__ = ["DSCallback", "MapDataset"]


class DSCallback:
    """What happens around the rows of a `map`; subclasses define the methods they need.

    Each method gets a context with `cur_epoch_num`, `cur_step_num_in_epoch` and `cur_step_num`,
    which count from 1.

    Args:
        step_size (int, optional): how many rows there are from one call for a step to the next.

    Example:
        >>> from mindspore_compat import dataset as ds
        >>> class Announce(ds.DSCallback):
        ...     def ds_begin(self, ds_run_context):
        ...         print("begins")
        >>> data = ds.NumpySlicesDataset([1, 2]).map(lambda x: x + 1, callbacks=Announce())
        >>> len([row for row in data])
        begins
        2

    Source: mindspore.dataset.DSCallback of MindSpore 2.10.
    """

    @checked
    def __init__(self, step_size: positive = 1):
        self.step_size = step_size

    def ds_begin(self, ds_run_context):
        """Is called before the first row of the first epoch."""

    def ds_epoch_begin(self, ds_run_context):
        """Is called before the first row of each epoch."""

    def ds_epoch_end(self, ds_run_context):
        """Is called after the last row of each epoch."""

    def ds_step_begin(self, ds_run_context):
        """Is called before a row."""

    def ds_step_end(self, ds_run_context):
        """Is called after a row."""

    _moments = ("ds_begin", "ds_epoch_begin", "ds_epoch_end", "ds_step_begin", "ds_step_end")

    def create_runtime_obj(self):
        """Returns what a pipeline calls: the callback itself.

        Raises:
            AttributeError: it defines no method that would be called.
        """
        base = next(each for each in type(self).__mro__ if "_moments" in vars(each))
        if all(
            getattr(getattr(self, name), "__func__", None) is getattr(base, name)
            for name in self._moments
        ):
            raise AttributeError(
                f"For '{type(self).__name__}', one of the methods "
                f"{', '.join(self._moments)} must be defined."
            )
        return self


class _RunContext:
    def __init__(self):
        self.cur_epoch_num = self.cur_step_num_in_epoch = self.cur_step_num = 0


class _Calls:
    """The callbacks of one opened map, and how far it is. A `repeat` above begins no epoch."""

    def __init__(self, callbacks):
        self.callbacks, self.context, self.epochs = callbacks, _RunContext(), Epochs()

    def around(self, rows, work):
        """What `work` makes of each row, with the callbacks called around it."""
        context = self.context
        if context.cur_epoch_num == 0:
            self._call("ds_begin")
        self.epochs.begin()
        if self.epochs.is_first:
            context.cur_epoch_num += 1
            context.cur_step_num_in_epoch = 0
            self._call("ds_epoch_begin")
        is_last = self.epochs.is_last
        for row in rows:
            context.cur_step_num += 1
            context.cur_step_num_in_epoch += 1
            self._step("ds_step_begin")
            done = work(row)
            self._step("ds_step_end")
            yield done
        if is_last:
            self._call("ds_epoch_end")

    def _call(self, name):
        for callback in self.callbacks:
            getattr(callback, name)(self.context)

    def _step(self, name):
        for callback in self.callbacks:
            if (self.context.cur_step_num_in_epoch - 1) % callback.step_size == 0:
                getattr(callback, name)(self.context)


@method("map")
class MapDataset(UnionBaseDataset):
    """Applies operations, one after another, to some columns of each row.

    Args:
        operations (Union[Callable, list[Callable]]): operations of this package, or functions that
            take an array per input column and return an array, or a tuple of them.
        input_columns (Union[str, list[str]], optional): what the first operation takes; by default
            the first column.
        output_columns (Union[str, list[str]], optional): the names of what the last one gives; by
            default those of the input columns. As many as inputs replace them; otherwise
            they come before all other columns.
        num_parallel_workers (int, optional): how many workers apply the operations; by default the
            reader's thread does.
        python_multiprocessing (bool, optional): whether workers are processes, not threads, where
            operations are a script's own.
        cache (DatasetCache, optional): keeps the rows.
        callbacks (Union[DSCallback, list[DSCallback]], optional): called around the rows.
        max_rowsize (Union[int, list[int]], optional): is checked.
        offload (bool, optional): is checked; operations run on the host.

    Returns:
        Dataset.

    Raises:
        RuntimeError: there are no operations, there is no column of a name, an operation fails, or
            gives another number of columns than `output_columns`; most is raised when it is used.

    Example:
        >>> import mindspore_compat as ms
        >>> print([int(x) for x, in ms.dataset.NumpySlicesDataset([1, 2],
        ...         shuffle=False).map(lambda x: x * 10).create_tuple_iterator()])
        [10, 20]
    """

    @checked
    def __init__(
        self,
        input_dataset,
        operations=None,
        input_columns: Columns = None,
        output_columns: Columns = None,
        num_parallel_workers: Workers = None,
        python_multiprocessing: Bool = False,
        cache=None,
        callbacks: AnInstance(DSCallback) | ListOf(AnInstance(DSCallback)) = None,
        max_rowsize: Int(ge=-1, le=INT32_MAX) | ListOf(Int(ge=-1), length=2) = None,
        offload: Bool = None,
    ):
        super().__init__(input_dataset, num_parallel_workers, cache)
        self.operations = _checked_operations(operations)
        self.input_columns = as_list(input_columns or [])
        self.output_columns = as_list(output_columns or [])
        distinct("map", "input_columns", self.input_columns)
        distinct("map", "output_columns", self.output_columns)
        self.python_multiprocessing = python_multiprocessing
        self.callbacks = [callbacks] if isinstance(callbacks, DSCallback) else callbacks or []

    def _names(self):
        """The columns below, those taken, and those given."""
        columns = list(super()._columns())
        inputs = self.input_columns or columns[:1]
        known("map", columns, inputs)
        return columns, inputs, self.output_columns or inputs

    def _columns(self):
        return mapped_columns(*self._names())

    def _refusal_below_cache(self, is_whole):
        if any(map(is_random, self.operations)):
            return "its operations draw random numbers, which would be stored"
        return None

    def _size(self):
        if has_cache(self):
            checked_leaf(self)
        if config.get_error_samples_mode() is config.ErrorSamplesMode.SKIP:
            return None
        return super()._size()

    def _open(self):
        if has_cache(self):
            return cached_flow(self)
        flow = super()._open()
        columns, inputs, outputs = self._names()
        indices = known("map", columns, inputs)
        order = mapped_order(columns, inputs, outputs)
        mapped_columns(columns, inputs, outputs)
        operations = bind_random(self.operations)
        hooks = config.debug_hooks()
        if (
            flow.blocks
            and takes_blocks(operations)
            and not self.callbacks
            and not hooks
            and len(inputs) == len(outputs) == 1
        ):
            return Flow(blocks=lambda: _through_blocks(flow.blocks(), operations, indices[0]))
        together = operations if hooks else joined(operations)
        work = _RowWork(together, indices, order, len(outputs), hooks)
        callbacks = self.callbacks if calls_back() else []
        calls = callbacks and _Calls([each.create_runtime_obj() for each in callbacks])
        raises = config.get_error_samples_mode() is config.ErrorSamplesMode.RETURN
        workers = self.num_parallel_workers or config.requested_workers()
        if workers > 1 and not calls and not config.get_debug_mode():
            processes = self.python_multiprocessing and any(map(is_python, operations))
            settled, errors = (iter, ()) if raises else (_settled, RuntimeError)
            ordered = OrderedMap("map", workers, processes, errors, pace_of(self))
            numbers, numbered = itertools.count(), _NumberedWork(work, config.next_seed())
            if not numbered.is_random:
                return Flow(lambda: settled(ordered(work, flow.rows())))
            items = functools.partial(zip, numbers, strict=False)
            return Flow(lambda: settled(ordered(numbered, items(flow.rows()))))
        if calls:
            return Flow(lambda: _settled(calls.around(flow.rows(), _Caught(work))))
        if raises:
            return Flow(lambda: map(work, flow.rows()))
        return Flow(lambda: _settled(map(_Caught(work), flow.rows())))


def _through_blocks(blocks, operations, index):
    for block in blocks:
        block = list(block)
        for operation in operations:
            block[index] = apply_to_block(operation, block[index])
        yield block


def _checked_operations(operations):
    """The operations as a list.

    Raises:
        RuntimeError: there are none.
        ValueError: one cannot be called, or is a class of this package without brackets.
    """
    if operations is None:
        operations = []
    operations = list(operations) if isinstance(operations, (list, tuple)) else [operations]
    if not operations:
        raise RuntimeError("For 'map', there must be at least one operation.")
    for operation in operations:
        if isinstance(operation, type):
            raise ValueError(
                f"For 'map', 'operations' must hold objects, but got the class "
                f"{operation.__name__}; brackets after it may be missing."
            )
        if not callable(operation):
            raise ValueError(f"For 'map', 'operations' must hold callables, but got {operation!r}.")
    return operations


class _RowWork:
    """What a map does with one row. A class, so that it can be sent to another process."""

    def __init__(self, operations, indices, order, count, hooks):
        self.operations, self.indices, self.order = operations, indices, order
        self.count, self.hooks = count, hooks

    def __call__(self, row):
        return self.by(self.operations, row)

    def by(self, operations, row):
        """What `operations`, the map's or copies of them, make of a row."""
        values = [row[index] for index in self.indices]
        for operation in operations:
            for hook in self.hooks:
                hook.compute(*values)
                hook.set_previous_op_name(type(operation).__name__)
            values = _applied(operation, values)
        values = _finished(values)
        if len(values) != self.count:
            raise RuntimeError(
                f"For 'map', the operations must give as many columns as there are "
                f"output columns, {self.count}, but got {len(values)}."
            )
        return [values[which] if is_new else row[which] for is_new, which in self.order]


def _finished(values):
    """What the last operation gave, as columns. Nobody writes to an array that others use too."""
    alone = _references_of_one_owner()
    is_shared = [count > alone for count in _references(values)]
    return [_as_finished(*each) for each in zip(values, is_shared, strict=True)]


def _as_finished(value, is_shared):
    if type(value) is np.ndarray and value.dtype.kind in "biuf" and value.itemsize <= 8:
        return read_only(value) if is_shared or not value.flags.owndata else value
    return as_column(value)


def _references(values):
    """How many references there are to each member of a list, that of the list included."""
    return [sys.getrefcount(value) for value in values]


@functools.cache
def _references_of_one_owner():
    """What `_references` counts where the list alone refers to an array."""
    return _references([np.empty(0)])[0]


def _applied(operation, values):
    """What one operation makes of the values of its columns, as a list."""
    if isinstance(operation, Joined):
        made = operation.function(*values)
        if made is not None:
            return [made]
        for part in operation.parts:
            values = _applied(part, values)
        return values
    ours = isinstance(operation, TensorOperation)
    if not isinstance(operation, TensorOperation) or isinstance(operation, CompoundOperation):
        values = [
            own(value) if isinstance(value, (np.ndarray, dict)) else value for value in values
        ]
    try:
        made = operation(*values)
    except FAILURES as error:
        name = type(operation).__name__ if ours else getattr(operation, "__name__", operation)
        raise RuntimeError(
            f"For 'map', the operation {name} raised {type(error).__name__}: {error}"
        ) from error
    if made is None:
        raise RuntimeError(f"For 'map', the operation {operation!r} returned None.")
    return list(made) if isinstance(made, tuple) else [made]


class _NumberedWork:
    """Work on rows that come with their numbers, random operations drawing by the number alone."""

    def __init__(self, work, seed):
        self.work, self.seed = work, seed
        self.random = [is_random(each) for each in work.operations]
        self.is_random = any(self.random)

    def __call__(self, item):
        number, row = item
        operations = [
            seeded(each, self.seed + number) if draws else each
            for each, draws in zip(self.work.operations, self.random, strict=True)
        ]
        return self.work.by(operations, row)


class _Caught:
    """Work whose error is returned, not raised, so that one bad row need not end the epoch."""

    def __init__(self, work):
        self.work = work

    def __call__(self, row):
        try:
            return self.work(row)
        except RuntimeError as error:
            return error


def _settled(rows):
    """Rows, where errors among them are treated as the error samples mode says."""
    mode, good, owed = config.get_error_samples_mode(), None, 0
    for row in rows:
        if not isinstance(row, RuntimeError):
            if good is None and mode is config.ErrorSamplesMode.REPLACE:
                row = good = fixed_row(row)
            yield row
        elif mode is config.ErrorSamplesMode.RETURN:
            raise row
        elif mode is config.ErrorSamplesMode.REPLACE:
            owed += 1
    if owed and good is None:
        raise RuntimeError("For 'map', no row of the epoch could be processed.")
    for _ in range(owed):
        yield good
