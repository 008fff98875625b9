"""Reinforcement learning of older releases: ring buffers, discounted returns, copies of weights.

A buffer is a tuple of Parameters whose first axis is its capacity. Two more Parameters hold the
number of entries and the index of the oldest. Stores that are identified by a handle are in
_legacy/tensor_stores.py. 2.10 has none of these names; setting the environment variable
MINDSPORE_COMPAT_LEGACY to 0 hides them.
"""

from ..._backend.arrays import HOST
from ..._backend.random import streams
from ..._core.declare.op import op
from ..._core.declare.public_api import legacy
from ..._core.declare.writing import overwrite
from ..._core.rules.vocabulary import Bool, DType, Float, Int, ListOf, TensorOf, TupleOf, checked
from ..._core.tensor.tensor import Tensor
from .._rules import Anything, Floats, Lengths, Several
from ..primitive import Primitive

StoreIndex = Int | TensorOf("int32", "int64")
Shapes = TupleOf(Lengths) | ListOf(Lengths)
Kinds = TupleOf(DType) | ListOf(DType)
Count = TensorOf("int32")


class _Buffer(Primitive):
    """The base class of the Primitives whose arguments describe a buffer."""

    @checked
    def __init__(self, capacity: Int(ge=1), buffer_shape: Shapes, buffer_dtype: Kinds):
        super().__init__(type(self).__name__)
        self.capacity, self.buffer_shape = capacity, tuple(map(tuple, buffer_shape))
        self.buffer_dtype = tuple(buffer_dtype)
        if len(self.buffer_shape) != len(self.buffer_dtype):
            raise ValueError(
                f"For '{self.name}', 'buffer_shape' and 'buffer_dtype' must be of one "
                f"length, but got {buffer_shape} and {buffer_dtype}."
            )

    def _need(self, name, values, first=()):
        """Rejects Tensors of another dtype or shape. `first` has the lengths of the axes that
        precede the declared shapes.
        """
        expected = list(zip(self.buffer_shape, self.buffer_dtype))
        description = [(tuple(tensor.shape), tensor.dtype) for tensor in values]
        if [kind for _, kind in description] != [kind for _, kind in expected]:
            raise TypeError(
                f"For '{self.name}', '{name}' must be of dtypes {self.buffer_dtype}, "
                f"but got {[kind for _, kind in description]}."
            )
        if [shape for shape, _ in description] != [(*first, *shape) for shape, _ in expected]:
            raise ValueError(
                f"For '{self.name}', '{name}' must be of shapes {self.buffer_shape}, "
                f"after {first}, but got {[shape for shape, _ in description]}."
            )


@legacy("ops.BufferAppend")
class BufferAppend(_Buffer):
    """Appends an entry to a buffer, and overwrites the oldest if the buffer is full.

    Args:
        capacity (int): the maximum number of entries.
        buffer_shape (tuple): the shapes of an entry's Tensors.
        buffer_dtype (tuple): the dtypes of an entry's Tensors.

    Inputs:
        `data`, the buffer; `exp`, the entry's Tensors; `count` and `head`, int32 Parameters of one
        number: the number of entries, and the index of the oldest.

    Example:
        >>> kinds = 3, ((2,),), (ms.float32,)
        >>> data = [ms.Parameter(ms.ops.zeros((3, 2)), name="data")]
        >>> count, head = (ms.Parameter(ms.Tensor(0, ms.int32), name=n) for n in ("count", "head"))
        >>> _ = ms.ops.BufferAppend(*kinds)(data, [ms.Tensor([1.0, 2.0])], count, head)
        >>> print(data[0].value(), count.value())
        [[1. 2.]
         [0. 0.]
         [0. 0.]] 1

    Source: mindspore.ops.BufferAppend of MindSpore 1.9.
    """

    @checked
    def __call__(self, data: Several, exp: Several, count: Count, head: Count):
        self._need("data", data, (self.capacity,))
        self._need("exp", exp)
        length, first = int(count), int(head)
        position = (first + length) % self.capacity
        for buffer, value in zip(data, exp):
            buffer[position] = value
        full = length == self.capacity
        overwrite(self.name, count, Tensor._wrap(count._array * 0 + min(length + 1, self.capacity)))
        overwrite(
            self.name,
            head,
            Tensor._wrap(head._array * 0 + ((first + 1) % self.capacity if full else first)),
        )


@legacy("ops.BufferGetItem")
class BufferGetItem(_Buffer):
    """Returns the entry at an index. Index 0 is the oldest entry, -1 the newest.

    The arguments are the same as for `ops.BufferAppend`; the inputs are `data`, `count`, `head` and
    `index`.

    Raises:
        IndexError: if there is no such entry.

    Example:
        >>> data = [ms.Parameter(ms.Tensor([[1.0], [2.0], [0.0]]), name="data")]
        >>> count, head = (ms.Parameter(ms.Tensor(n, ms.int32), name=f"{n}") for n in (2, 0))
        >>> print(ms.ops.BufferGetItem(3, ((1,),), (ms.float32,))(data, count, head, -1)[0])
        [2.]

    Source: mindspore.ops.BufferGetItem of MindSpore 1.9.
    """

    @checked
    def __call__(self, data: Several, count: Count, head: Count, index: StoreIndex):
        self._need("data", data, (self.capacity,))
        length, position = int(count), int(index)
        if not -length <= position < length:
            raise IndexError(
                f"For '{self.name}', 'index' must be in [-{length}, {length}), but got {position}."
            )
        position = (int(head) + position % length) % self.capacity
        return tuple(buffer[position].copy() for buffer in data)


@legacy("ops.BufferSample")
class BufferSample(_Buffer):
    """Draws entries at random, all with equal probability.

    Args:
        capacity (int): the maximum number of entries.
        batch_size (int): the number of entries to draw.
        buffer_shape (tuple): the shapes of an entry's Tensors.
        buffer_dtype (tuple): the dtypes of an entry's Tensors.
        seed (int): the seed of the draw; 0 for the global generator.
        unique (bool): whether an entry is drawn at most once.

    Raises:
        ValueError: if the buffer holds fewer entries than are to be drawn.

    Example:
        >>> data = [ms.Parameter(ms.Tensor([[1.0], [2.0], [0.0]]), name="data")]
        >>> count, head = (ms.Parameter(ms.Tensor(n, ms.int32), name=f"{n}") for n in (2, 0))
        >>> sample = ms.ops.BufferSample(3, 2, ((1,),), (ms.float32,), unique=True)
        >>> print(sorted(sample(data, count, head)[0].asnumpy().ravel().tolist()))
        [1.0, 2.0]

    Source: mindspore.ops.BufferSample of MindSpore 1.9.
    """

    @checked
    def __init__(
        self,
        capacity: Int(ge=1),
        batch_size: Int(ge=1),
        buffer_shape: Shapes,
        buffer_dtype: Kinds,
        seed: Int = 0,
        unique: Bool = False,
    ):
        super().__init__(capacity, buffer_shape, buffer_dtype)
        self.batch_size, self.seed, self.unique = batch_size, seed, unique

    @checked
    def __call__(self, data: Several, count: Count, head: Count):
        self._need("data", data, (self.capacity,))
        length = int(count)
        if length < self.batch_size:
            raise ValueError(
                f"For '{self.name}', the buffer must have at least {self.batch_size} "
                f"entries, but it has {length}."
            )
        numbers = streams.stream(self.seed).next(HOST)
        indices = (
            numbers.permutation(length)[: self.batch_size]
            if self.unique
            else numbers.integers(0, length, self.batch_size)
        )
        index = Tensor((indices + int(head)) % self.capacity)
        return tuple(buffer[index] for buffer in data)


@legacy("ops.operations._rl_inner_ops.BatchAssign")
class BatchAssign(Primitive):
    """Writes one Tensor into each of several Parameters: `BatchAssign()(dst_params,
    source_params)`.

    Args:
        lock (bool): accepted, without effect; the copies are made one after the other.

    Raises:
        ValueError: if there are not equally many of both, or shapes differ.

    Source: mindspore.ops.operations._rl_inner_ops.BatchAssign of MindSpore 1.9.
    """

    @checked
    def __init__(self, lock: Bool = True):
        super().__init__("BatchAssign")
        self.lock = lock

    @checked
    def __call__(self, dst_params: Several, source_params: Several):
        shapes = [[tuple(tensor.shape) for tensor in side] for side in (dst_params, source_params)]
        if shapes[0] != shapes[1]:
            raise ValueError(
                f"For 'BatchAssign', both sides must have the same shapes, but got "
                f"{shapes[0]} and {shapes[1]}."
            )
        for target, source in zip(dst_params, source_params):
            overwrite(self.name, target, source)


@op()
def discounted(xp, reward: Floats, done: Anything, last_value: Floats, gamma: Float = 0.99):
    """Computes out[t] = reward[t] + gamma * out[t + 1], from the last step on; a `done` step ends
    the sum.
    """
    going = xp.cast(xp.logical_not(xp.cast(done, "bool")), reward.dtype)
    following, returns = last_value, []
    for t in range(reward.shape[0] - 1, -1, -1):
        following = reward[t] + gamma * going[t] * following
        returns.append(following)
    return xp.stack(returns[::-1], 0)


@legacy("ops.operations._rl_inner_ops.DiscountedReturn")
class DiscountedReturn(Primitive):
    """Computes the discounted sum of rewards from each step on.

    Args:
        gamma (float): the discount, in [0, 1].

    Inputs:
        `reward` (T, ...) of a floating dtype; `done` (T, ...), whether a step is the last of its
        episode; `last_value` (...), the value after the last step.

    Raises:
        ValueError: if the shapes do not fit.

    Source: mindspore.ops.operations._rl_inner_ops.DiscountedReturn of MindSpore 1.9.
    """

    @checked
    def __init__(self, gamma: Float(ge=0.0, le=1.0)):
        super().__init__("DiscountedReturn")
        self.gamma = gamma

    @checked
    def __call__(self, reward: Floats, done: Anything, last_value: Floats):
        if reward.shape != done.shape or reward.shape[1:] != last_value.shape or not reward.size:
            raise ValueError(
                f"For 'DiscountedReturn', 'done' must have the shape of 'reward' and "
                f"'last_value' that of a step, but got {reward.shape}, {done.shape} "
                f"and {last_value.shape}."
            )
        return discounted.run(reward, done, last_value, self.gamma)
