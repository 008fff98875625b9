"""Tensor stores of older releases, for reinforcement learning: arrays and queues.

A store is identified by its handle, an int64 Tensor of one number. The Primitive that creates a
store returns the handle, and the other Primitives take it. 2.10 has none of these names; setting
the environment variable MINDSPORE_COMPAT_LEGACY to 0 hides them.
"""

import itertools
from collections import deque

from ..._core.declare.public_api import legacy
from ..._core.rules.vocabulary import Bool, DType, Int, ListOf, Str, TensorOf, TupleOf, checked
from ..._core.tensor import dtype as dtypes
from ..._core.tensor.tensor import Tensor
from .._rules import Anything, Lengths, Several
from .._shape.create import zeros
from .._shape.join_split import stack
from ..primitive import Primitive

Handle = TensorOf("int64")
StoreIndex = Int(ge=0) | TensorOf("int32", "int64")
Shapes = TupleOf(Lengths) | ListOf(Lengths)

_open = {}  # handle -> store
_numbers = itertools.count(1)


def _new_handle(store):
    """Returns a handle for a new store."""
    number = next(_numbers)
    _open[number] = store
    return Tensor(number, dtypes.int64)


def _store(api, handle, kind):
    """Returns the store behind a handle."""
    store = _open.get(int(handle))
    if not isinstance(store, kind):
        raise RuntimeError(
            f"For '{api}', 'handle' must be that of an open store, but got {int(handle)}."
        )
    return store


def _need(api, name, value, shape, dtype):
    """Rejects a Tensor whose shape or dtype differs from its store's."""
    if value.dtype != dtype:
        raise TypeError(f"For '{api}', '{name}' must be of dtype {dtype}, but got {value.dtype}.")
    if tuple(value.shape) != tuple(shape):
        raise ValueError(
            f"For '{api}', '{name}' must have the shape {tuple(shape)}, but got {value.shape}."
        )


# Arrays of Tensors --------------------------------------------------------------------------------


class _Array:
    """An array of Tensors of one shape and dtype; `limit` is its size, or None if it grows."""

    def __init__(self, dtype, shape, limit):
        self.dtype, self.shape, self.limit, self.items = dtype, shape, limit, []


class _OfArrays(Primitive):
    def __init__(self):
        super().__init__(type(self).__name__)

    def _find(self, handle):
        return _store(self.name, handle, _Array)


class _Described(_OfArrays):
    """The base class of the Primitives whose arguments describe an array."""

    @checked
    def __init__(self, dtype: DType, element_shape: Lengths):
        super().__init__()
        self.dtype, self.element_shape = dtype, tuple(element_shape)


@legacy("ops.operations._tensor_array.TensorArray")
class TensorArray(_OfArrays):
    """Creates an array of Tensors: `TensorArray(...)()` returns its handle.

    Args:
        dtype (mindspore.dtype): the dtype of the elements.
        element_shape (Union[tuple[int], list[int]]): the shape of the elements.
        dynamic_size (bool): whether the array grows.
        size (int): the number of elements, if the array does not grow.
        name (str): the name of the store.

    Source: mindspore.ops.operations._tensor_array.TensorArray of MindSpore 1.9.
    """

    @checked
    def __init__(
        self,
        dtype: DType,
        element_shape: Lengths,
        dynamic_size: Bool = True,
        size: Int(ge=0) = 0,
        name: Str = "TA",
    ):
        super().__init__()
        self.dtype, self.element_shape = dtype, tuple(element_shape)
        self.dynamic_size, self.size, self.label = dynamic_size, size, name

    def __call__(self):
        limit = None if self.dynamic_size else self.size
        return _new_handle(_Array(self.dtype, self.element_shape, limit))


@legacy("ops.operations._tensor_array.TensorArrayWrite")
class TensorArrayWrite(_OfArrays):
    """Writes a value at an index: `TensorArrayWrite()(handle, index, value)`. Skipped indices
    before it hold zeros.

    Raises:
        IndexError: if the array does not grow and has no such index.
    """

    @checked
    def __call__(self, handle: Handle, index: StoreIndex, value: Anything):
        store, position = self._find(handle), int(index)
        _need(self.name, "value", value, store.shape, store.dtype)
        if position < 0 or store.limit is not None and position >= store.limit:
            raise IndexError(
                f"For '{self.name}', 'index' must be in [0, {store.limit}), but got {position}."
            )
        while len(store.items) <= position:
            store.items.append(zeros(store.shape, store.dtype))
        store.items[position] = value.copy()


@legacy("ops.operations._tensor_array.TensorArrayRead")
class TensorArrayRead(_Described):
    """Reads the value at an index: `TensorArrayRead(dtype, element_shape)(handle, index)`.

    Raises:
        IndexError: if nothing was written at this index or after it.
    """

    @checked
    def __call__(self, handle: Handle, index: StoreIndex):
        store, position = self._find(handle), int(index)
        if not 0 <= position < len(store.items):
            raise IndexError(
                f"For '{self.name}', 'index' must be in [0, {len(store.items)}), but got "
                f"{position}."
            )
        return store.items[position].copy()


@legacy("ops.operations._tensor_array.TensorArrayGather")
class TensorArrayGather(_Described):
    """Stacks the values at some indices: `TensorArrayGather(dtype, element_shape)(handle,
    indices)`."""

    @checked
    def __call__(self, handle: Handle, indices: TensorOf("int32", "int64")):
        read = TensorArrayRead(self.dtype, self.element_shape)
        return stack.run([read(handle, int(position)) for position in indices.asnumpy()], 0)


@legacy("ops.operations._tensor_array.TensorArrayStack")
class TensorArrayStack(_Described):
    """Stacks all values: `TensorArrayStack(...)(handle)`, with the arguments of `TensorArray`.

    For an array that does not grow, values that were not written are zeros.
    """

    @checked
    def __init__(self, dtype: DType, element_shape: Lengths, dynamic_size: Bool, size: Int(ge=0)):
        super().__init__(dtype, element_shape)
        self.dynamic_size, self.size = dynamic_size, size

    @checked
    def __call__(self, handle: Handle):
        store = self._find(handle)
        missing = max((store.limit or 0) - len(store.items), 0)
        items = store.items + [zeros(store.shape, store.dtype)] * missing
        return stack.run(items, 0) if items else zeros((0, *store.shape), store.dtype)


@legacy("ops.operations._tensor_array.TensorArraySize")
class TensorArraySize(_OfArrays):
    """Returns the number of values, an int64 Tensor: `TensorArraySize()(handle)`."""

    @checked
    def __call__(self, handle: Handle):
        return Tensor(len(self._find(handle).items), dtypes.int64)


@legacy("ops.operations._tensor_array.TensorArrayClear")
class TensorArrayClear(_OfArrays):
    """Empties an array: `TensorArrayClear()(handle)`."""

    @checked
    def __call__(self, handle: Handle):
        self._find(handle).items.clear()


@legacy("ops.operations._tensor_array.TensorArrayClose")
class TensorArrayClose(_OfArrays):
    """Closes an array, whose handle becomes invalid: `TensorArrayClose()(handle)`."""

    @checked
    def __call__(self, handle: Handle):
        self._find(handle)
        del _open[int(handle)]


# Queues of Tensors --------------------------------------------------------------------------------


class _Queue:
    """A queue of tuples of Tensors; `limit` is its size, or None if it grows."""

    def __init__(self, dtype, shapes, limit):
        self.dtype, self.shapes, self.limit, self.items = dtype, shapes, limit, deque()


class _OfQueues(Primitive):
    def __init__(self):
        super().__init__(type(self).__name__)

    def _find(self, handle):
        return _store(self.name, handle, _Queue)


class _Filled(_OfQueues):
    """The base class of the Primitives whose arguments describe a queue."""

    @checked
    def __init__(self, dtype: DType, shapes: Shapes):
        super().__init__()
        self.dtype, self.shapes = dtype, tuple(map(tuple, shapes))


@legacy("ops.operations._rl_inner_ops.TensorsQueueCreate")
class TensorsQueueCreate(_Filled):
    """Creates a queue of tuples of Tensors: `TensorsQueueCreate(...)()` returns its handle.

    Args:
        dtype (mindspore.dtype): the dtype of the Tensors.
        shapes (Union[tuple, list]): the shape of each Tensor of a tuple.
        size (int): the maximum number of tuples; 0 for no limit.
        name (str): the name of the store.

    Source: mindspore.ops.operations._rl_inner_ops.TensorsQueueCreate of MindSpore 1.9.
    """

    @checked
    def __init__(self, dtype: DType, shapes: Shapes, size: Int(ge=0) = 0, name: Str = "TQ"):
        super().__init__(dtype, shapes)
        self.size, self.label = size, name

    def __call__(self):
        return _new_handle(_Queue(self.dtype, self.shapes, self.size or None))


@legacy("ops.operations._rl_inner_ops.TensorsQueuePut")
class TensorsQueuePut(_Filled):
    """Appends a tuple: `TensorsQueuePut(dtype, shapes)(handle, element)`.

    Raises:
        RuntimeError: if the queue is full.
    """

    @checked
    def __call__(self, handle: Handle, element: Several):
        store = self._find(handle)
        if len(element) != len(store.shapes):
            raise ValueError(
                f"For '{self.name}', 'element' must have {len(store.shapes)} Tensors, "
                f"but got {len(element)}."
            )
        for tensor, shape in zip(element, store.shapes):
            _need(self.name, "element", tensor, shape, store.dtype)
        if store.limit is not None and len(store.items) >= store.limit:
            raise RuntimeError(
                f"For '{self.name}', the queue is full, with {store.limit} elements."
            )
        store.items.append(tuple(tensor.copy() for tensor in element))


@legacy("ops.operations._rl_inner_ops.TensorsQueueGet")
class TensorsQueueGet(_Filled):
    """Returns the first tuple, and removes it if `pop_after_get`: `TensorsQueueGet(dtype, shapes,
    pop_after_get)(handle)`.

    Raises:
        RuntimeError: if the queue is empty.
    """

    @checked
    def __init__(self, dtype: DType, shapes: Shapes, pop_after_get: Bool = False):
        super().__init__(dtype, shapes)
        self.pop_after_get = pop_after_get

    @checked
    def __call__(self, handle: Handle):
        items = self._find(handle).items
        if not items:
            raise RuntimeError(f"For '{self.name}', the queue is empty.")
        first = items.popleft() if self.pop_after_get else items[0]
        return tuple(tensor.copy() for tensor in first)


@legacy("ops.operations._rl_inner_ops.TensorsQueueSize")
class TensorsQueueSize(_OfQueues):
    """Returns the number of tuples, an int64 Tensor: `TensorsQueueSize()(handle)`."""

    @checked
    def __call__(self, handle: Handle):
        return Tensor(len(self._find(handle).items), dtypes.int64)


@legacy("ops.operations._rl_inner_ops.TensorsQueueClear")
class TensorsQueueClear(_OfQueues):
    """Empties a queue: `TensorsQueueClear()(handle)`."""

    @checked
    def __call__(self, handle: Handle):
        self._find(handle).items.clear()


@legacy("ops.operations._rl_inner_ops.TensorsQueueClose")
class TensorsQueueClose(_OfQueues):
    """Closes a queue, whose handle becomes invalid: `TensorsQueueClose()(handle)`."""

    @checked
    def __call__(self, handle: Handle):
        self._find(handle)
        del _open[int(handle)]
