"""`map`: applies operations to the contents of rows, with callbacks around them.

Operations of this package that can process blocks are applied to whole blocks if the child yields
blocks. All others are applied row by row, by workers if requested.
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
    Fused,
    TensorOperation,
    apply_to_block,
    bind_random,
    copy_with_seed,
    fuse,
    in_pipeline,
    is_python,
    is_random,
    takes_blocks,
)
from . import config
from .batching import mapped_columns, mapped_order
from .cache import freeze_row
from .caching import cached_flow, find_leaf, has_cache
from .operations import as_list, column_indices, distinct, method
from .pipeline import UnionBaseDataset
from .rows import FAILURES, Epochs, Flow, as_column, own, read_only
from .workers import OrderedMap, calls_back, pace_of

__all__ = ["DSCallback", "MapDataset"]


class DSCallback:
    """Base class of callbacks of `map`; subclasses define the methods they need.

    Each method gets a context with `cur_epoch_num`, `cur_step_num_in_epoch` and `cur_step_num`, all
    counted from 1.

    Args:
        step_size (int, optional): the number of rows between two calls for a step.

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
        """Called before the first row of the first epoch."""

    def ds_epoch_begin(self, ds_run_context):
        """Called before the first row of each epoch."""

    def ds_epoch_end(self, ds_run_context):
        """Called after the last row of each epoch."""

    def ds_step_begin(self, ds_run_context):
        """Called before a row."""

    def ds_step_end(self, ds_run_context):
        """Called after a row."""

    _moments = ("ds_begin", "ds_epoch_begin", "ds_epoch_end", "ds_step_begin", "ds_step_end")

    def create_runtime_obj(self):
        """Returns the object that a pipeline calls: the callback itself.

        Raises:
            AttributeError: if it defines none of the callback methods.
        """
        base = next(class_ for class_ in type(self).__mro__ if "_moments" in vars(class_))
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
    """The callbacks of one opened map, and its progress. A `repeat` above does not start a new
    epoch.
    """

    def __init__(self, callbacks):
        self.callbacks, self.context, self.epochs = callbacks, _RunContext(), Epochs()

    def around(self, rows, work):
        """Applies `work` to each row and calls the callbacks around it."""
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
            result = work(row)
            self._step("ds_step_end")
            yield result
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
    """Applies operations, one after another, to columns of each row.

    Args:
        operations (Union[Callable, list[Callable]]): operations of this package, or functions that
            take an array per input column and return an array, or a tuple of them.
        input_columns (Union[str, list[str]], optional): the inputs of the first operation; by
            default the first column.
        output_columns (Union[str, list[str]], optional): the names of the results of the last
            operation; by default those of the input columns. Equally many outputs replace the
            inputs; otherwise they come before all other columns.
        num_parallel_workers (int, optional): the number of workers that apply the operations; by
            default the reader's thread applies them.
        python_multiprocessing (bool, optional): whether workers are processes instead of threads,
            for user-defined operations.
        cache (DatasetCache, optional): caches the rows.
        callbacks (Union[DSCallback, list[DSCallback]], optional): callbacks around the rows.
        max_rowsize (Union[int, list[int]], optional): is checked.
        offload (bool, optional): is checked; operations run on the host.

    Returns:
        Dataset.

    Raises:
        RuntimeError: if there are no operations, a column does not exist, an operation fails, or
            its number of results differs from `output_columns`; mostly raised when it is used.

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
        self.operations = _check_operations(operations)
        self.input_columns = as_list(input_columns or [])
        self.output_columns = as_list(output_columns or [])
        distinct("map", "input_columns", self.input_columns)
        distinct("map", "output_columns", self.output_columns)
        self.python_multiprocessing = python_multiprocessing
        self.callbacks = [callbacks] if isinstance(callbacks, DSCallback) else callbacks or []

    def _names(self):
        """Returns the columns of the child, the input columns and the output columns."""
        columns = list(super()._columns())
        inputs = self.input_columns or columns[:1]
        column_indices("map", columns, inputs)
        return columns, inputs, self.output_columns or inputs

    def _columns(self):
        return mapped_columns(*self._names())

    def _refusal_below_cache(self, is_whole):
        if any(map(is_random, self.operations)):
            return "its operations draw random numbers, which would be stored"
        return None

    def _size(self):
        if has_cache(self):
            find_leaf(self)
        if config.get_error_samples_mode() is config.ErrorSamplesMode.SKIP:
            return None
        return super()._size()

    def _open(self):
        if has_cache(self):
            return cached_flow(self)
        flow = super()._open()
        columns, inputs, outputs = self._names()
        indices = column_indices("map", columns, inputs)
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
        together = operations if hooks else fuse(operations)
        work = _RowWork(together, indices, order, len(outputs), hooks)
        callbacks = self.callbacks if calls_back() else []
        calls = callbacks and _Calls([callback.create_runtime_obj() for callback in callbacks])
        raises = config.get_error_samples_mode() is config.ErrorSamplesMode.RETURN
        workers = self.num_parallel_workers or config.requested_workers()
        by_reader = calls or config.get_debug_mode() or any(self._synchronized())
        if workers > 1 and not by_reader:
            processes = self.python_multiprocessing and any(map(is_python, operations))
            handle, errors = (iter, ()) if raises else (_handle_errors, RuntimeError)
            ordered_map = OrderedMap("map", workers, processes, errors, pace_of(self))
            numbers, numbered_work = itertools.count(), _NumberedWork(work, config.next_seed())
            if not numbered_work.is_random:
                return Flow(lambda: handle(ordered_map(work, flow.rows())))
            items = functools.partial(zip, numbers, strict=False)
            return Flow(lambda: handle(ordered_map(numbered_work, items(flow.rows()))))
        if calls:
            return Flow(lambda: _handle_errors(calls.around(flow.rows(), _Caught(work))))
        if raises:
            return Flow(lambda: map(work, flow.rows()))
        return Flow(lambda: _handle_errors(map(_Caught(work), flow.rows())))


def _through_blocks(blocks, operations, index):
    for block in blocks:
        block = list(block)
        for operation in operations:
            block[index] = apply_to_block(operation, block[index])
        yield block


def _check_operations(operations):
    """Checks operations and returns them as a list.

    Raises:
        RuntimeError: if there are none.
        ValueError: if an operation is not callable, or is a class of this package instead of an
            instance.
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
    """The work of a map on one row. It is a class, not a closure, so that it can be sent to another
    process.
    """

    def __init__(self, operations, indices, order, count, hooks):
        self.operations, self.indices, self.order = operations, indices, order
        self.count, self.hooks = count, hooks

    def __call__(self, row):
        return self.by(self.operations, row)

    def by(self, operations, row):
        """Applies `operations`, the map's or copies of them, to a row."""
        values = [row[index] for index in self.indices]
        for operation in operations:
            for hook in self.hooks:
                hook.compute(*values)
                hook.set_previous_op_name(type(operation).__name__)
            values = _apply(operation, values)
        values = _finish(values)
        if len(values) != self.count:
            raise RuntimeError(
                f"For 'map', the operations must give as many columns as there are "
                f"output columns, {self.count}, but got {len(values)}."
            )
        return [values[position] if is_new else row[position] for is_new, position in self.order]


def _finish(values):
    """Converts the results of the last operation to columns. Shared arrays become read-only."""
    alone = _references_of_one_owner()
    shared = [count > alone for count in _references(values)]
    return [_finish_value(*pair) for pair in zip(values, shared, strict=True)]


def _finish_value(value, is_shared):
    if type(value) is np.ndarray and value.dtype.kind in "biuf" and value.itemsize <= 8:
        return read_only(value) if is_shared or not value.flags.owndata else value
    return as_column(value)


def _references(values):
    """Returns the number of references to each member of a list, including the list's own
    reference.
    """
    return [sys.getrefcount(value) for value in values]


@functools.cache
def _references_of_one_owner():
    """Returns the count of `_references` for an array that only the list refers to."""
    return _references([np.empty(0)])[0]


def _apply(operation, values):
    """Applies one operation to the values of its columns; returns a list."""
    if isinstance(operation, Fused):
        result = operation.function(*values)
        if result is not None:
            return [result]
        for part in operation.parts:
            values = _apply(part, values)
        return values
    ours = isinstance(operation, TensorOperation)
    if not isinstance(operation, TensorOperation) or isinstance(operation, CompoundOperation):
        values = [
            own(value) if isinstance(value, (np.ndarray, dict)) else value for value in values
        ]
    try:
        result = in_pipeline(operation)(*values)
    except FAILURES as error:
        name = type(operation).__name__ if ours else getattr(operation, "__name__", operation)
        raise RuntimeError(
            f"For 'map', the operation {name} raised {type(error).__name__}: {error}"
        ) from error
    if result is None:
        raise RuntimeError(f"For 'map', the operation {operation!r} returned None.")
    return list(result) if isinstance(result, tuple) else [result]


class _NumberedWork:
    """Work on numbered rows; the random numbers of a row depend only on its number."""

    def __init__(self, work, seed):
        self.work, self.seed = work, seed
        self.random = [is_random(operation) for operation in work.operations]
        self.is_random = any(self.random)

    def __call__(self, item):
        number, row = item
        operations = [
            copy_with_seed(operation, self.seed + number) if draws else operation
            for operation, draws in zip(self.work.operations, self.random, strict=True)
        ]
        return self.work.by(operations, row)


class _Caught:
    """Work whose errors are returned instead of raised, so that a bad row does not end the
    epoch.
    """

    def __init__(self, work):
        self.work = work

    def __call__(self, row):
        try:
            return self.work(row)
        except RuntimeError as error:
            return error


def _handle_errors(rows):
    """Handles errors among rows according to the error samples mode."""
    mode, good, missing = config.get_error_samples_mode(), None, 0
    for row in rows:
        if not isinstance(row, RuntimeError):
            if good is None and mode is config.ErrorSamplesMode.REPLACE:
                row = good = freeze_row(row)
            yield row
        elif mode is config.ErrorSamplesMode.RETURN:
            raise row
        elif mode is config.ErrorSamplesMode.REPLACE:
            missing += 1
    if missing and good is None:
        raise RuntimeError("For 'map', no row of the epoch could be processed.")
    for _ in range(missing):
        yield good
