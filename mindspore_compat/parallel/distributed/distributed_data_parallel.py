"""DistributedDataParallel: a network whose gradients are averaged over the ranks.

Every trainable parameter has a hook, which adds its gradient to its position in a bucket. A bucket
is sent as one message when the gradients of all its parameters are there. The caller receives
slices of the buckets as gradients, so all of them are complete by then.
"""

import contextlib
import math

from ..._backend import arrays
from ..._core.declare.writing import own
from ..._core.rules.vocabulary import Bool, CellOf, Int, OneOf, Str, checked
from ..._core.tensor.tensor import Tensor
from ..._core.without_effect import without_effect
from ...communication.groups import partners
from ...nn.cell import Cell

MEGABYTES = 25  # of a bucket, where no size is given
MEGABYTE = 1 << 20


@without_effect("parallel.distributed.DistributedDataParallel(reducer_mode)")
class DistributedDataParallel(Cell):
    """Data-parallel network: several ranks train it together, each with its own data.

    Gradients of its parameters are averaged over the ranks, and accumulate from one backward pass
    to the next until `zero_grad`: `mindspore.grad` returns the sum so far, in memory that the next
    pass writes to. All ranks must compute gradients of the same parameters in the same order. A
    process without a launcher is the only rank and need not be connected.

    Args:
        module (Cell): the network.
        init_sync (bool): whether all ranks start with the parameters of the group's first one.
            Default: ``True``.
        process_group (str): the name of the group of ranks. Default: ``None``, the world.
        bucket_cap_mb (int): about how many megabytes travel as one message. Default: ``None``, 25.
        find_unused_parameters (bool): whether some of the parameters may have no gradient; each
            gradient then travels by itself. Default: ``False``.
        average_in_collective (bool): True to divide the sum over the ranks, False to divide what is
            summed. Default: ``False``.
        static_graph (bool): whether gradients are always computed for the same parameters in the
            same order: the first walk back finds them, and buckets are made of them in that order.
            Default: ``False``.
        reducer_mode (str): "CppReducer" or "PythonReducer"; they are the same here.
            Default: ``"CppReducer"``.

    Inputs:
        - **inputs** (tuple) - the network's.
        - **inputs_dict** (dict) - the network's, by name.

    Outputs:
        The network's.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if `bucket_cap_mb` is not positive, or `reducer_mode` is another one.
        RuntimeError: if the processes are not connected, or there is no such group. In a call: the
            last walk back left out parameters, and `find_unused_parameters` is not set.

    Source: mindspore.parallel.distributed.DistributedDataParallel of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        module: CellOf,
        init_sync: Bool = True,
        process_group: Str = None,
        bucket_cap_mb: Int(ge=1) = None,
        find_unused_parameters: Bool = False,
        average_in_collective: Bool = False,
        static_graph: Bool = False,
        reducer_mode: OneOf("CppReducer", "PythonReducer") = "CppReducer",
    ):
        group = partners(process_group)
        super().__init__()
        self.module = module
        self.process_group = process_group
        self.bucket_cap_mb = MEGABYTES if bucket_cap_mb is None else bucket_cap_mb
        self.find_unused_parameters = find_unused_parameters
        self.average_in_collective = average_in_collective
        self.static_graph = static_graph
        self.reducer_mode = reducer_mode
        self._scale = 1 / group.size
        self._syncs = True
        self._order = []  # parameters in the order of a static graph's first backward pass
        self._buckets = self._new_buckets(self.module.trainable_params())
        self._bucket_positions = self._positions_in_buckets()
        if init_sync:
            self.broadcast_coalesced()
        for parameter in self.module.trainable_params():
            parameter.register_hook(_Arrival(self, parameter))

    def construct(self, *inputs, **inputs_dict):
        """Runs the network."""
        self._before()
        return self.module(*inputs, **inputs_dict)

    def allocate_buffers_for_parameters(self, input_params, group, gradient_scaling_factor):
        """Returns buckets for the gradients of parameters, each of one dtype.

        Args:
            input_params (Iterable[Parameter]): in the order in which the buckets hold them.
            group (str): the group whose ranks combine the gradients; None is the world.
            gradient_scaling_factor (float): the factor that gradients are multiplied by.
        """
        by_dtype = {}
        for parameter in input_params:
            by_dtype.setdefault(parameter.dtype, []).append(parameter)
        limit = self.bucket_cap_mb * MEGABYTE
        return [
            _Bucket(run, partners(group), gradient_scaling_factor, self.average_in_collective)
            for parameters in by_dtype.values()
            for run in _runs(parameters, limit)
        ]

    def broadcast_coalesced(self):
        """Broadcasts the parameters of the group's first rank, many in one message."""
        group = partners(self.process_group)
        for bucket in self._new_buckets(self.module.get_parameters()):
            space = arrays.space_of(bucket.parameters[0]._array)
            flat = space.module.concatenate(
                [parameter._array.reshape(-1) for parameter in bucket.parameters]
            )
            whole = group.broadcast(flat, 0).wait()
            start = 0
            for parameter in bucket.parameters:
                part = whole[start : start + parameter.size]
                own(parameter)[...] = part.reshape(parameter.shape)
                start += parameter.size

    @contextlib.contextmanager
    def no_sync(self):
        """A context in which each rank accumulates gradients without communication.

        The next backward pass outside it, or `final_grad_reduce`, averages the accumulated sums.
        """
        before, self._syncs = self._syncs, False
        try:
            yield
        finally:
            self._syncs = before

    def final_grad_reduce(self):
        """Averages over the ranks the sums accumulated since the last averaging."""
        for bucket in self._buckets:
            bucket.finish()
        self._rebuild()

    def zero_grad(self):
        """Sets the sums of gradients to zero."""
        for bucket in self._buckets:
            bucket.clear()
        self._rebuild()

    def _add_gradient(self, parameter, gradient):
        """Adds a gradient to its sum and returns the sum. Sends the bucket if it is full."""
        bucket = self._bucket_positions.get(id(parameter))
        if bucket is None:
            raise RuntimeError(
                "For 'DistributedDataParallel', with 'static_graph' gradients must always be taken "
                f"by the same parameters, but '{parameter.name}' was not among the first ones."
            )
        total = bucket.add(parameter, gradient, self._syncs)
        if self.static_graph and self._order is not None:
            self._order.append(parameter)
        if self._syncs:
            if self._one_by_one():
                bucket.reduce_one(parameter)
            elif bucket.is_full():
                bucket.reduce()
        return total

    def _one_by_one(self):
        """Returns whether each gradient is sent separately, because some may be missing."""
        return self._order is not None if self.static_graph else self.find_unused_parameters

    def _before(self):
        """Raises an error if a bucket still lacks gradients."""
        missing = [name for bucket in self._buckets for name in bucket.missing()]
        if missing and not self._one_by_one():
            raise RuntimeError(
                "For 'DistributedDataParallel', the last gradients were not taken by all "
                f"parameters, but by none of {missing}; set 'find_unused_parameters', or call "
                "'final_grad_reduce'."
            )

    def _rebuild(self):
        """Rebuilds the buckets of a static graph from the gradients of the first backward pass."""
        if self._order and all(bucket.is_clear() for bucket in self._buckets):
            order = list({id(parameter): parameter for parameter in self._order}.values())
            self._order = None
            self._buckets = self._new_buckets(order)
            self._bucket_positions = self._positions_in_buckets()

    def _new_buckets(self, parameters):
        return self.allocate_buffers_for_parameters(parameters, self.process_group, self._scale)

    def _positions_in_buckets(self):
        return {
            id(parameter): bucket for bucket in self._buckets for parameter in bucket.parameters
        }


class _Arrival:
    """Returns the hook of one parameter."""

    def __init__(self, network, parameter):
        self.network = network
        self.parameter = parameter

    def __call__(self, gradient):
        return self.network._add_gradient(self.parameter, gradient)


class _Bucket:
    """The gradients of some parameters of one dtype, consecutive in memory.

    Args:
        parameters (list[Parameter]): the parameters of the gradients.
        group (collective.Group): the ranks that combine them.
        scale (float): the factor of the gradients.
        after (bool): whether to scale after the sum over the ranks, or before.
    """

    def __init__(self, parameters, group, scale, after):
        self.parameters = parameters
        self.group = group
        self.scale = scale
        self.after = after
        self.flat = None
        self.parts = {}
        self.waiting = set()  # the ids of parameters whose sum is not averaged yet
        self.arrived = set()  # ids of parameters that received a gradient in this backward pass

    def add(self, parameter, gradient, syncs):
        """Adds a gradient to its sum, and returns the Tensor of the sum."""
        if self.flat is None:
            self._allocate(gradient)
        part = self.parts[id(parameter)]
        part += gradient._array
        self.waiting.add(id(parameter))
        if syncs:
            self.arrived.add(id(parameter))
        return Tensor._wrap(part)

    def _allocate(self, gradient):
        space = arrays.space_of(gradient._array)
        size = sum(parameter.size for parameter in self.parameters)
        self.flat = space.module.zeros(size, gradient._array.dtype)
        start = 0
        for parameter in self.parameters:
            part = self.flat[start : start + parameter.size]
            self.parts[id(parameter)] = part.reshape(parameter.shape)
            start += parameter.size

    def is_full(self):
        """Returns whether the bucket has the gradients of all its parameters."""
        return len(self.arrived) == len(self.parameters)

    def is_clear(self):
        """Returns whether the bucket holds no sums."""
        return self.flat is None

    def missing(self):
        """Returns the names of the parameters without a gradient."""
        if not self.arrived:
            return []
        return [
            parameter.name for parameter in self.parameters if id(parameter) not in self.arrived
        ]

    def reduce(self):
        """Averages all sums over the ranks."""
        self.flat[...] = self._average(self.flat)
        self.waiting.clear()
        self.arrived.clear()

    def reduce_one(self, parameter):
        """Averages one sum over the ranks."""
        part = self.parts[id(parameter)]
        part[...] = self._average(part)
        self.waiting.discard(id(parameter))
        self.arrived.discard(id(parameter))

    def _average(self, array):
        scaled = array if self.after else array * array.dtype.type(self.scale)
        total = self.group.all_reduce(scaled).wait()
        return total * array.dtype.type(self.scale) if self.after else total

    def finish(self):
        """Averages the pending sums, all in one message or each separately."""
        if len(self.waiting) == len(self.parameters):
            self.reduce()
        for parameter in self.parameters:
            if id(parameter) in self.waiting:
                self.reduce_one(parameter)

    def clear(self):
        """Drops the sums. Sums that were already returned do not change."""
        self.flat = None
        self.parts = {}
        self.waiting.clear()
        self.arrived.clear()


def _runs(parameters, limit):
    """Yields the parameters in runs of about `limit` bytes."""
    run, size = [], 0
    for parameter in parameters:
        run.append(parameter)
        size += math.prod(parameter.shape) * parameter.itemsize
        if size >= limit:
            yield run
            run, size = [], 0
    if run:
        yield run
