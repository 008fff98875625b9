"""Sums or averages gradients over the processes that train one network together."""

import itertools
from typing import NamedTuple

from ..._backend import arrays
from ..._backend.ranks.pending import progress
from ..._core.autograd.tape import depth
from ..._core.context import config
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Any, AsValue, Bool, Int, Str, checked
from ..._core.tensor.dtype import float32
from ..._core.tensor.tensor import Tensor
from ..._core.without_effect import without_effect
from ...common.parameter import Parameter
from ...communication.groups import GlobalComm, get_group_size, partners
from ..cell import Cell

_Degree = AsValue(Int(ge=1) | None).called("an int above 0")

__all__ = ["DistributedGradReducer"]

_norms = {}  # name -> the Parameter of `get_squared_device_local_norm_param`, for the process

BUCKET = 1 << 22  # number of elements that are sent together


@without_effect(
    "ops._grad_experimental.grad_comm_ops.get_squared_device_local_norm_param",
    "'dump_device_local_norm' accumulates nothing",
)
def get_squared_device_local_norm_param():
    """Returns the Parameter that collects the squared norms of a process's own gradients. Here
    nothing adds to it: it keeps what a script assigns.

    Returns:
        Parameter, float32 and 0-d, the same for the whole process.

    Raises:
        ValueError: if the parallel setting `dump_device_local_norm` is off.
    """
    if not config.get_auto_parallel_context("dump_device_local_norm"):
        raise ValueError(
            "For 'get_squared_device_local_norm_param', the parallel setting "
            "'dump_device_local_norm' must be True, but got False."
        )
    name = "_squared_device_local_norm"
    if name not in _norms:
        _norms[name] = Parameter(Tensor(0.0, float32), name=name, requires_grad=False)
    return _norms[name]


@public("nn.DistributedGradReducer")
@without_effect("nn.DistributedGradReducer(fusion_type)", "messages are cut by size alone")
class DistributedGradReducer(Cell):
    """Sums or averages gradients over the processes of a group (all-reduce).

    Gradients are sent as float32, several in one message. Gradients of parameters marked
    `layerwise_parallel` are not reduced. A single process gets its own gradients back.

    Args:
        parameters (list): the parameters whose gradients are reduced.
        mean (bool): whether to divide by `degree`; None for the context's `gradients_mean`.
        degree (int): the divisor; None for the size of the group.
        fusion_type (int): accepted; gradients are grouped into messages by size.
        group (str): the group; by default all processes.

    Inputs:
        - **grads** (tuple[Tensor]) - one gradient for each parameter.

    tuple[Tensor], with the shapes and dtypes of the input.

    Outputs:
        tuple[Tensor], the sums or means, of the same shapes.

    Raises:
        ValueError: if `degree` is not an int above 0.

    Source: mindspore.nn.DistributedGradReducer of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        parameters: Any,
        mean: Bool = None,
        degree: Any = None,
        fusion_type: Int = 1,
        group: Str = GlobalComm.WORLD_COMM_GROUP,
    ):
        _Degree.refuse("DistributedGradReducer", "degree", degree)
        super().__init__(auto_prefix=False)
        self.group = group
        self.mean = config.get_auto_parallel_context("gradients_mean") if mean is None else mean
        self.degree = get_group_size(group) if degree is None else degree
        self.allreduce_filter = tuple(not parameter.layerwise_parallel for parameter in parameters)

    def construct(self, grads):
        """Returns the gradients, reduced over the group."""
        results = list(grads)
        if get_group_size(self.group) > 1:
            for indexes in _buckets(results, self._reduced_indexes()):
                self._finish(results, indexes, self._start([results[i]._array for i in indexes]))
        return self._average(results)

    def _average(self, grads):
        """Returns the sums, divided by the degree if `mean` is set."""
        if self.mean and self.degree > 1:
            for index in self._reduced_indexes():
                grads[index] = grads[index] * (1.0 / self.degree)
        return tuple(grads)

    def _reduced_indexes(self):
        return [index for index, is_reduced in enumerate(self.allreduce_filter) if is_reduced]

    def _start(self, bucket):
        """Starts to sum the arrays of a bucket over the group, in one message: in float32, or in
        float64 if one of them has that dtype."""
        xp = arrays.space_of(bucket[0])
        dtype = "float64" if any(array.dtype == "float64" for array in bucket) else "float32"
        flat = xp.concatenate([xp.cast(array, dtype).reshape(-1) for array in bucket])
        return partners(self.group).all_reduce(flat, "sum")

    def _finish(self, grads, indexes, pending):
        """Replaces the gradients of a bucket by its sums."""
        total = pending.wait()
        xp = arrays.space_of(total)
        start = 0
        for index in indexes:
            array = grads[index]._array
            part = total[start : start + array.size].reshape(array.shape)
            grads[index] = Tensor._wrap(xp.cast(part, array.dtype))
            start += array.size


class Overlapped:
    """Reduces gradients during the backward pass, while later gradients are still being computed.

    Worked example.

        with Overlapped(reducer, parameters) as reduced:
            grads = gradient(network, parameters)(data)
        grads = reduced(grads)

    is equivalent to `grads = reducer(gradient(network, parameters)(data))`. A bucket is sent as
    soon as the backward pass has computed all its gradients. All processes must send the buckets in
    one order, which is the last bucket first. A reducer that is not a DistributedGradReducer, such
    as one defined by a script, is called with all gradients at the end.

    Args:
        reducer (Cell): reduces a tuple of gradients.
        parameters (Sequence[Parameter]): the parameters to differentiate with respect to.
        before (Callable): applied to a tuple of gradients first; None for nothing.
    """

    def __init__(self, reducer, parameters, before=None):
        self._reducer = reducer
        self._parameters = parameters
        self._before = before or (lambda grads: grads)
        is_distributed = type(reducer) is DistributedGradReducer
        self._overlaps = is_distributed and get_group_size(reducer.group) > 1
        self._buckets = []  # from the last one to the first
        if self._overlaps:
            self._buckets = list(_buckets(parameters, reducer._reduced_indexes()))[::-1]
        self._index_of = None  # tape leaf -> the index of its parameter
        self._gradients = {}  # index of a parameter -> its gradient
        self._messages = []  # the buckets being sent

    def __enter__(self):
        if self._overlaps:
            self._outer, depth.arrived = depth.arrived, self._arrive
        return self

    def __exit__(self, *error):
        if self._overlaps:
            depth.arrived = self._outer

    def _arrive(self, leaf, gradient):
        """Stores a gradient, and sends the next buckets if they are now complete."""
        if self._index_of is None:
            self._index_of = {parameter._node: at for at, parameter in enumerate(self._parameters)}
        progress()
        index = self._index_of.get(leaf)
        if index is None or not self._goes_on_meanwhile(gradient):
            return
        self._gradients[index] = gradient
        for indexes in self._buckets[len(self._messages) :]:
            if any(index not in self._gradients for index in indexes):
                return
            gradients = [self._gradients[index] for index in indexes]
            with partners(self._reducer.group).aside(gradient):
                self._messages.append(self._send(gradients))

    def _goes_on_meanwhile(self, gradient):
        """Returns whether a gradient can be sent during the backward pass. It cannot on a GPU
        without NCCL, since copies to the host would delay the pass, nor as a NumPy scalar, which
        becomes an array later."""
        space = arrays.SPACES.get(type(gradient))
        if space is None or space is arrays.HOST:
            return space is not None
        return partners(self._reducer.group).nccl is not None

    def _send(self, bucket):
        grads = self._before(tuple(map(Tensor._wrap, bucket)))
        return _Sent(bucket, grads, self._reducer._start([gradient._array for gradient in grads]))

    def __call__(self, grads):
        """Returns the reduced gradients: collects those already sent, and reduces all others
        now."""
        if not self._overlaps:
            return self._reducer(self._before(grads))
        if self._messages:
            partners(self._reducer.group).join(self._messages[0].arrays[0])
        results = list(grads)
        for indexes, message in itertools.zip_longest(self._buckets, self._messages):
            if message is not None and not message.holds(grads, indexes):  # changed by a hook
                message.sums.wait()
                message = None
            if message is None:
                message = self._send([grads[index]._array for index in indexes])
            for index, gradient in zip(indexes, message.given, strict=True):
                results[index] = gradient
            self._reducer._finish(results, indexes, message.sums)
        for index in set(range(len(results))) - set(self._reducer._reduced_indexes()):
            (results[index],) = self._before((results[index],))
        return self._reducer._average(results)


class _Sent(NamedTuple):
    """A bucket being sent: the arrays of its gradients, the pending operation, and the sums."""

    arrays: list
    given: tuple
    sums: object

    def holds(self, grads, indexes):
        """Returns True if these gradients are still the arrays that were sent."""
        pairs = zip(self.arrays, indexes, strict=True)
        return all(grads[index]._array is array for array, index in pairs)


def _buckets(grads, indexes):
    """Divides the indexes into runs of about BUCKET elements, the same ones on every process."""
    bucket, size = [], 0
    for index in indexes:
        bucket.append(index)
        size += grads[index]._array.size
        if size >= BUCKET:
            yield bucket
            bucket, size = [], 0
    if bucket:
        yield bucket
