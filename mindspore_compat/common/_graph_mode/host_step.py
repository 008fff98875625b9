"""Training steps on the host: two runs, recording as a plan of calls, and replay.

steps.py decides when a step is recorded again; _backend/steps/recording.py records its calls. While
a step is recorded, every Tensor that it can reach holds a Recorded array. An optimizer receives the
true arrays, and a replay calls its Python code, so that decisions such as the learning rate are
made again.
"""

import contextlib
import gc
import threading
import weakref

import numpy

from ..._backend.random import streams
from ..._backend.recurrent import layout_cache
from ..._backend.steps.journal import LOCALS
from ..._backend.steps.recorded_array import Recorded
from ..._backend.steps.recording import Given, Interrupted, StepRecorder
from ..._backend.steps.refused import Reason, Refused
from ..._backend.threads import scheduler
from ..._core.autograd.tape import depth
from ..._core.context.config import get_auto_parallel_context
from ..._core.gradients import leaves
from ..._core.gradients.transforms import Sparse, map_tensors, tensors_in
from ..._core.tensor.precision import casting, state
from ..._core.tensor.tensor import Tensor, stored
from ..parameter import Parameter
from .python_state import PythonState
from .reachable import (
    WARM_UP,
    flag,
    has_array,
    inputs_of,
    is_cell,
    objects_from,
    refuse_hooks,
    weakly,
)


class _WarmingUp(threading.local):
    """Context manager of the runs before a recording; no other step begins in it."""

    depth = 0

    def __enter__(self):
        self.depth += 1

    def __exit__(self, *error):
        self.depth -= 1


warming_up = _WarmingUp()
LOCALS.append(warming_up)


class RecordedStep:
    """A step for one kind of arguments: it runs normally, is then recorded, and then replayed.

    Args:
        roots (tuple): objects from which everything that the step uses can be reached; not stored.
    """

    with_optimizer = False  # a replay runs the optimizer's Python code
    changes = Reason.SURROUNDINGS_CHANGE

    @staticmethod
    def surroundings():
        """Returns the state of the contexts around a step."""
        return state.dtype, state.low, state.strategy, casting.active, depth.paused, depth.packing

    @staticmethod
    def relies_on(value):
        """Returns True for an object whose mode is compared before a replay."""
        return is_cell(value) and not value._cell_updates

    def __init__(self, roots):
        self.replays = 0
        self._runs = 0
        self._roots = [weakly(root) for root in roots]
        self._plan = None

    def __call__(self, function, args, kwargs):
        """Runs the step, and returns its results.

        Raises:
            Refused: if the step cannot be recorded or replayed; if it has run nevertheless, the
                exception's `results` holds its results.
        """
        if self._plan is not None:
            return self._replay(function, args, kwargs)
        if self._runs < WARM_UP:
            self._runs += 1
            with warming_up:
                return function(*args, **kwargs)
        return self._record(function, args, kwargs)

    def out_of_date(self):
        """Returns True if something that the step depends on has changed since the recording."""
        if self._plan is None:
            return False
        for holder, shape, dtype, layout in self._held:
            array = holder._array
            if type(array) is not numpy.ndarray or array.shape != shape or array.dtype != dtype:
                return True
            if layout is not None and _layout(array) != layout:
                return True
        for parameter, has_gradient, hooks in self._flags:
            if parameter._param_info.requires_grad is not has_gradient:
                return True
            if _count_hooks(parameter) != hooks:
                return True
        return not self._state.unchanged()

    # Recording ------------------------------------------------------------------------------------

    def _record(self, function, args, kwargs):
        objects = objects_from([root() for root in self._roots], into_optimizers=False)
        refuse_hooks(objects)
        _refuse_inputs(args, kwargs)
        if get_auto_parallel_context("parallel_mode") != "stand_alone":
            raise Refused(Reason.RANKS)
        if leaves.watchers:
            raise Refused(Reason.OVERFLOW_STATUS)
        python = PythonState(objects)
        tensors = [value for value in objects if isinstance(value, Tensor)] + inputs_of(
            args, kwargs
        )[1]
        recording = _RecordedStep(tensors)
        with streams.replaying() as again:
            try:
                result, results = recording.run(function, args, kwargs)
            except _Failed as failed:
                again()
                results = (function(*args, **kwargs),)  # raises its usual errors
                raise Refused(Reason.ERROR_OF_STEP.format(failed), results) from None
        recorder = recording.recorder
        if not python.unchanged() or python.drew():
            recorder.refuse(Reason.STATE_CHANGED)
        plan = recorder.plan(results, Tensor._wrap) if recorder.reason is None else None
        del results
        recording.finish(result)
        if plan is None:
            raise Refused(recorder.reason, (result,))
        self._plan, self._state = plan, python
        self._held = [
            (tensor, array.shape, array.dtype, _layout(array) if recorder.reads_layout else None)
            for tensor, array in recorder.holders
        ]
        self._flags = [
            (tensor, flag(tensor), _count_hooks(tensor))
            for tensor in tensors
            if isinstance(tensor, Parameter)
        ]
        self._draws = recording.draws
        return result

    # Replaying ------------------------------------------------------------------------------------

    def _replay(self, function, args, kwargs):
        inputs = inputs_of(args, kwargs)[0]
        random_context = streams.replaying() if self._draws else contextlib.nullcontext(None)
        with random_context as again, scheduler.step, layout_cache.cache:
            try:
                result = self._plan(*inputs)
            except Interrupted as interrupted:
                if again is not None:
                    again()
                reason = Reason.ERROR_OF_STEP.format(interrupted.__cause__)
            else:
                self.replays += 1
                return result
        raise Refused(reason, (function(*args, **kwargs),))


class _RecordedStep:
    """One run of a step on Recorded arrays.

    Args:
        tensors: the Tensors that the step can reach.
    """

    def __init__(self, tensors):
        by_identity = {id(tensor): tensor for tensor in tensors if has_array(tensor)}
        self.recorder = StepRecorder()
        self.draws = False
        self._tensors = list(by_identity.values())
        self._before = [tensor._array for tensor in self._tensors]
        if any([type(array) is not numpy.ndarray for array in self._before]):
            raise Refused(Reason.DEVICE_TENSORS)

    def run(self, function, args, kwargs):
        """Runs the step. Returns its results twice: as the step returned them, and in the form for
        the plan.

        Raises:
            _Failed: if the step raised an error and has written nothing.
        """
        recorder, inputs, pairs = self.recorder, [], []

        def put(tensor):
            if isinstance(tensor, Parameter):
                return tensor
            pairs.append((tensor, recorder.argument(tensor._array)))
            inputs.append(Tensor._wrap(pairs[-1][1]))
            return inputs[-1]

        args, kwargs = map_tensors(put, (args, kwargs))
        recorder.apart = self._apart
        depth.keepers = (*depth.keepers, self)
        try:
            with recorder:
                self._hide()
                result = function(*args, **kwargs)
                self._show()
                self._look_at_inputs(inputs, pairs)
                results = self._results(result, inputs)
        except BaseException as error:
            recorder.leave()
            recorder.refuse(Reason.ERROR)
            self._give_back()
            if recorder.written or not isinstance(error, Exception):
                raise
            raise _Failed(f"{type(error).__name__}: {error}") from error
        finally:
            depth.keepers = tuple(keeper for keeper in depth.keepers if keeper is not self)
        return result, results

    def _look_at_inputs(self, inputs, pairs):
        """Assigns to the caller's Tensors the arrays that the step assigned to its arguments."""
        for argument, (tensor, array) in zip(inputs, pairs, strict=True):
            if argument._array is not array:
                self.recorder.refuse(Reason.ARGUMENT_WRITTEN)
                _give_values([argument])
                tensor._array = argument._array

    def finish(self, result):
        """Puts true arrays into all Tensors that the step has created."""
        _give_values(tensors_in(result))
        self.recorder.apart = self._shown = None
        if self.recorder.left():
            # `isinstance` would run the property `__class__` of other libraries' proxies.
            _give_values([value for value in gc.get_objects() if issubclass(type(value), Tensor)])

    # Arrays during the step -----------------------------------------------------------------------

    def _hide(self):
        """Replaces the arrays of the Tensors by Recorded arrays."""
        self._shown = []
        for tensor in self._tensors:
            self._shown.append(self.recorder.read(tensor))
            tensor._array = self._shown[-1]

    def _show(self):
        """Restores the true arrays, including those that the step has assigned."""
        for tensor, recorded in zip(self._tensors, self._shown, strict=True):
            now = tensor._array
            if type(now) is not Recorded:
                self.recorder.refuse(Reason.HOST_DATA_ASSIGNED)
                continue
            if now is not recorded:
                self.recorder.assign(tensor, now)
            tensor._array = now.value

    def _give_back(self):
        """After an error, restores the previous arrays or, if something was written to them, the
        current true arrays."""
        if not self.recorder.written:
            for tensor, array in zip(self._tensors, self._before, strict=True):
                tensor._array = array
        _give_values(self._tensors)

    def _apart(self, method, args, kwargs):
        """Calls a method on the true arrays, and records the call."""
        recorder = self.recorder
        if any([isinstance(leaf, Sparse) for leaf in _leaves((args, kwargs))]):
            recorder.refuse(Reason.SPARSE_GRADIENTS)
        arguments = _arrays_of((args, kwargs))
        self._show()
        recorder.run(_Call(method), arguments)
        args, kwargs = map_tensors(_true, (args, kwargs))
        result = recorder.suspended(method, *args, **kwargs)
        self._hide()
        return result

    def _results(self, value, inputs):
        """Returns the results of the step in the form for the plan."""
        if isinstance(value, Tensor):
            for number, argument in enumerate(inputs):
                if value is argument:
                    return Given(name=f"t{number}")
            if any(value is tensor for tensor in self._tensors):
                return Given(value)
            if type(value) is not Tensor:
                self.recorder.refuse(Reason.RESULT_TYPE.format(type(value).__name__))
            if type(value._array) is not Recorded:
                self.recorder.refuse(Reason.RESULT_UNRELATED)
            return value._array
        if type(value) in (tuple, list):
            return type(value)([self._results(item, inputs) for item in value])
        if type(value) is dict:
            return {key: self._results(item, inputs) for key, item in value.items()}
        return value

    # Interface for the tape (_core/autograd/tape.py) ----------------------------------------------

    def gradients(self, network, weights, args, grad_outputs):
        """Returns None: it has no tape."""
        return None

    def note_in_place_write(self, tensors):
        """Records that Tensors are about to be written in place."""
        self.recorder.note_write()


class _Call:
    """A call of a method in a replay; it holds only a weak reference to the object."""

    def __init__(self, method):
        self._method = weakref.WeakMethod(method)

    def __call__(self, args, kwargs):
        self._method()(*_wrap_arrays(args), **_wrap_arrays(kwargs))


class _Failed(Exception):
    """Raised if a step fails while it is recorded and has written nothing."""


def _refuse_inputs(args, kwargs):
    for tensor in inputs_of(args, kwargs)[0]:
        if (
            type(tensor) is not Tensor
            or type(tensor._array) is not numpy.ndarray
            or getattr(tensor, "has_init", False)
        ):
            raise Refused(Reason.ARGUMENT_TYPE.format(type(tensor).__name__))


def _layout(array):
    """Returns the properties of an array, apart from its shape, dtype and values, that affect how
    code computes on it."""
    return array.strides, array.flags.writeable


def _count_hooks(parameter):
    """Returns the number of hooks of a Parameter."""
    return len(parameter.__dict__.get("_hooks", ()))


def _leaves(value):
    if isinstance(value, (tuple, list)):
        return [leaf for item in value for leaf in _leaves(item)]
    return _leaves(list(value.values())) if isinstance(value, dict) else [value]


def _true(tensor):
    """Replaces a Tensor that holds a Recorded array by a Tensor of the array's values. Returns
    Parameters and other Tensors unchanged.
    """
    if isinstance(tensor, Parameter) or type(stored(tensor)._array) is not Recorded:
        return tensor
    return Tensor._wrap(tensor._array.value)


def _arrays_of(value):
    """Replaces Tensors in arguments by arrays, for `_wrap_arrays`."""
    if isinstance(value, Tensor):
        return value if isinstance(value, Parameter) else stored(value)._array
    if type(value) in (tuple, list):
        return type(value)([_arrays_of(item) for item in value])
    if isinstance(value, dict):
        return {key: _arrays_of(item) for key, item in value.items()}
    return value


def _wrap_arrays(value):
    """Replaces arrays in arguments by Tensors."""
    kind = type(value)
    if kind is numpy.ndarray:
        return Tensor._wrap(value)
    if kind is tuple or kind is list:
        return kind([_wrap_arrays(item) for item in value])
    if kind is dict:
        return {key: _wrap_arrays(item) for key, item in value.items()}
    return value


def _give_values(tensors):
    for tensor in tensors:
        array = tensor.__dict__.get("_array")
        if type(array) is Recorded:
            tensor._array = array.value
