"""Training steps on a GPU: warm-up runs, capture as a CUDA graph, and replay.

steps.py decides when a step is captured again; _backend/steps/cuda_graph.py captures it.
"""

import functools

from ..._backend import arrays
from ..._backend.random import streams
from ..._backend.steps import cuda_graph
from ..._backend.steps.refused import Reason, Refused
from ..._core.autograd.tape import depth
from ..._core.gradients.transforms import map_tensors, tensors_in
from ..._core.tensor.tensor import Tensor
from ..parameter import Parameter
from .reachable import (
    PLAIN,
    WARM_UP,
    alike,
    flag,
    has_array,
    inputs_of,
    is_cell,
    name_of,
    objects_from,
    refuse_hooks,
    weakly,
)
from .unreachable import Uses

MOST_ON_HOST = 1 << 16  # bytes of a Tensor on the host; its values are compared before each replay


class Graph:
    """A step for one kind of arguments: it runs to warm up, is then captured, and then replayed.

    Args:
        roots (tuple): objects from which everything that the step uses can be reached; not stored.
    """

    with_optimizer = True  # a CUDA graph includes the update
    relies_on = staticmethod(is_cell)
    changes = Reason.PARAMETERS_ASSIGNED
    surroundings = staticmethod(lambda: None)

    def __init__(self, roots):
        self.capture = cuda_graph.Capture(arrays.current_space())
        self.replays = 0
        self._rehearsals = 0
        self._roots = [weakly(root) for root in roots]
        self._inputs = None

    def __call__(self, function, args, kwargs):
        """Runs the step, and returns its results in memory of the caller."""
        if self._inputs is None and self._rehearsals < WARM_UP:
            self._rehearsals += 1
            objects = objects_from([root() for root in self._roots])
            alive = [
                value._array for value in objects if isinstance(value, Tensor) and has_array(value)
            ]
            result = self.capture.rehearse(functools.partial(function, *args, **kwargs))
            del alive  # as in a capture, replaced arrays are not freed meanwhile
            return map_tensors(_copy, result)
        if self._inputs is None:
            self._record(function, args, kwargs)
        self._put_in(args, kwargs)
        self.capture.replay()
        self.replays += 1
        return map_tensors(self._hand_over, self._made)

    def out_of_date(self):
        """Returns True if a parameter has been replaced since the capture."""
        if self._inputs is None:
            return False
        return (
            self._resets != streams.resets
            or any(tensor._array is not array for tensor, array in self._captured)
            or any(flag(tensor) is not needs_gradient for tensor, needs_gradient in self._flags)
            or any(array.tobytes() != values for array, values in self._of_host)
        )

    # Capturing ------------------------------------------------------------------------------------

    def _record(self, function, args, kwargs):
        """Captures the step with its own inputs; if that is refused, everything is restored.

        Raises:
            Refused: if it cannot be captured.
        """
        reachable = objects_from([root() for root in self._roots])
        refuse_hooks(reachable)
        tensors = [value for value in reachable if isinstance(value, Tensor)] + inputs_of(
            args, kwargs
        )[1]
        objects = objects_from(self.capture.on_host_of)
        variables = {id(value) for value in objects if _is_of_host(value)}
        tensors = [tensor for tensor in tensors if id(tensor) not in variables]
        before = _Before(tensors)
        space = arrays.current_space()
        inputs = [
            Tensor._wrap(space.empty(tensor.shape, tensor._array.dtype))
            for tensor in inputs_of(args, kwargs)[0]
        ]
        self._inputs, self._given = inputs, [tensor._array for tensor in inputs]
        self._put_in(args, kwargs)
        own_ids = {id(tensor) for tensor in tensors}
        uses = Uses(own_ids | variables)
        keeper = _Writes(inputs, self.capture)

        def step():
            remaining = iter(inputs)
            replace = lambda tensor: tensor if isinstance(tensor, Parameter) else next(remaining)  # noqa: E731
            with uses:
                result = function(*map_tensors(replace, args), **map_tensors(replace, kwargs))
            before.settle(uses.rows.values())
            _refuse_results(result, own_ids)
            return result

        try:
            with keeper:
                self._made = self.capture.capture(step)
        except BaseException:
            before.restore(uses.rows.values())
            self._inputs = None
            raise
        self._keep(before, own_ids, uses)

    def _keep(self, before, own, uses):
        """Stores the objects that the graph depends on, which keeps their memory alive."""
        captured = [(tensor, array) for tensor, array, _ in before.rows if id(tensor) in own]
        captured += uses.rows.values()
        captured = [row for row in captured if not self.capture.follows(row[0])]
        self._own = own
        self._captured = captured
        self._flags = [
            (tensor, flag(tensor)) for tensor, _ in captured if isinstance(tensor, Parameter)
        ]
        self._of_host = [(a, a.tobytes()) for _, a in captured if not arrays.on_device(a)]
        self._resets = streams.resets

    # Replaying ------------------------------------------------------------------------------------

    def _put_in(self, args, kwargs):
        """Copies the arguments into the captured inputs."""
        for array, tensor in zip(self._given, inputs_of(args, kwargs)[0], strict=True):
            if arrays.on_device(tensor._array):
                array[...] = tensor._array
            else:
                array.set(arrays.HOST.ascontiguousarray(tensor._array))

    def _hand_over(self, tensor):
        """Returns a result for the caller: the parameter itself, or a copy."""
        return tensor if id(tensor) in self._own else _copy(tensor)


class _Before:
    """Tensors and their arrays before a step was captured.

    Args:
        tensors: the Tensors that the step is known to reach.

    Attributes:
        rows: (Tensor, its array, its values if they are on the host).

    Raises:
        Refused: if a Tensor is large and on the host.
    """

    def __init__(self, tensors):
        by_identity = {id(tensor): tensor for tensor in tensors if has_array(tensor)}
        self.rows = [
            (tensor, tensor._array, _host_values(tensor)) for tensor in by_identity.values()
        ]

    def settle(self, others):
        """Makes the step write into the previous arrays instead of replacing them.

        Args:
            others: (Tensor, its array before) of the other Tensors that the step uses.

        Raises:
            Refused: if that is impossible, or an array on the host was written to.
        """
        replaced_tensors = []
        for tensor, array, values in self.rows:
            now = tensor._array
            if values is not None and (now is not array or now.tobytes() != values.tobytes()):
                raise Refused(Reason.HOST_WRITTEN.format(name_of(tensor)))
            if now is array:
                continue
            if type(now) is not type(array) or not alike(now, array):
                raise Refused(Reason.PARAMETER_CHANGES.format(name_of(tensor)))
            replaced_tensors.append((tensor, array, now))
        for tensor, array in others:
            if tensor._array is not array:
                raise Refused(Reason.PARAMETER_UNREACHABLE.format(name_of(tensor)))
        memory = {id(array) for _, array, _ in self.rows}
        replaced_tensors = [
            (tensor, array, now.copy() if id(now) in memory else now)
            for tensor, array, now in replaced_tensors
        ]
        for tensor, array, now in replaced_tensors:
            array[...] = now
            tensor._array = array

    def restore(self, others):
        """Restores everything; `others` as in `settle`."""
        for tensor, array, values in self.rows:
            tensor._array = array
            if values is not None:
                array[...] = values
        for tensor, array in others:
            tensor._array = array


class _Writes:
    """Refuses a step that writes into its arguments, because a graph works on copies of them."""

    def __init__(self, inputs, captured):
        self._inputs = {id(tensor) for tensor in inputs}
        self._capture = captured

    def __enter__(self):
        depth.keepers = (*depth.keepers, self)

    def __exit__(self, *error):
        depth.keepers = tuple(keeper for keeper in depth.keepers if keeper is not self)

    def gradients(self, network, weights, args, grad_outputs):
        """Returns None: it has no tape."""
        return None

    def note_in_place_write(self, tensors):
        """Checks Tensors that are about to be written in place."""
        if any(id(tensor) in self._inputs for tensor in tensors):
            self._capture.refuse(Reason.ARGUMENT_WRITTEN)


def _refuse_results(result, own):
    """Refuses results that a replay cannot reproduce."""
    _refuse_leaves(result)
    for tensor in tensors_in(result):
        if id(tensor) not in own and not arrays.on_device(tensor._array):
            raise Refused(Reason.RESULT_OF_HOST)


def _refuse_leaves(value):
    """Refuses results that are neither Tensors nor plain values."""
    if isinstance(value, (tuple, list)):
        for item in value:
            _refuse_leaves(item)
    elif isinstance(value, dict):
        _refuse_leaves(list(value.values()))
    elif not isinstance(value, (Tensor, *PLAIN)):
        raise Refused(Reason.RESULT_TYPE.format(type(value).__name__))


def _is_of_host(value):
    """Returns True for a Tensor whose values are on the host."""
    return isinstance(value, Tensor) and has_array(value) and not arrays.on_device(value._array)


def _host_values(tensor):
    """Returns a copy of an array on the host; None for one on a GPU."""
    array = tensor._array
    if arrays.on_device(array):
        return None
    if array.nbytes > MOST_ON_HOST:
        raise Refused(Reason.HOST_TENSOR.format(name_of(tensor)))
    return array.copy()


def _copy(tensor):
    """Returns a Tensor with a copy of the values; a Parameter is returned unchanged."""
    if isinstance(tensor, Parameter):
        return tensor
    return Tensor._wrap(tensor._array.copy())
