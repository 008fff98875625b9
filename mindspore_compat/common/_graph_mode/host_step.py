"""Training steps on the host: run twice, recorded as a plan of calls, and replayed.

When a step is recorded again is decided in steps.py; how its calls are noted is in
_backend/steps/recording.py. For the step that is recorded every Tensor that it can reach holds a
Recorded array. An optimizer is given the true arrays, and is called in each replay: what its Python
decides, such as a learning rate, is decided again.
"""

import contextlib
import gc
import threading
import weakref

import numpy

from ..._backend import random
from ..._backend.recurrent import layout_cache
from ..._backend.steps import current
from ..._backend.steps.recorded_array import Recorded
from ..._backend.steps.recording import Given, Interrupted, StepRecorder
from ..._backend.threads import scheduler
from ..._core.autograd import leaves
from ..._core.autograd.tape import depth
from ..._core.autograd.transforms import Sparse, map_tensors, tensors_in
from ..._core.context.config import get_auto_parallel_context
from ..._core.tensor.precision import casting, state
from ..._core.tensor.tensor import Tensor
from ..parameter import Parameter
from .python_state import PythonState
from .reachable import WARM_UP, flag, has_array, inputs_of, is_cell, reached, refuse_hooks, weakly


class _WarmingUp(threading.local):
    """A context within which no step begins: the one that runs is going to be recorded."""

    depth = 0

    def __enter__(self):
        self.depth += 1

    def __exit__(self, *error):
        self.depth -= 1


warming_up = _WarmingUp()


class RecordedStep:
    """A step for one kind of arguments: run as always, then recorded, then replayed.

    Args:
        roots (tuple): from where everything that the step uses is reached; it is not kept.
    """

    with_optimizer = False  # its Python runs in each replay
    changes = "what it relies on, which changes between its steps"

    @staticmethod
    def surroundings():
        """What contexts around a step decide."""
        return state.dtype, state.low, casting.active, depth.paused, depth.packing

    @staticmethod
    def relies_on(value):
        """True for an object whose mode is compared."""
        return is_cell(value) and not value._cell_updates

    def __init__(self, roots):
        self.replays = 0
        self._runs = 0
        self._roots = [weakly(each) for each in roots]
        self._plan = None

    def __call__(self, function, args, kwargs):
        """Runs the step, and returns what it returns.

        Raises:
            Refused: it cannot be replayed; `results` has what it returned, if it has run.
        """
        if self._plan is not None:
            return self._replay(function, args, kwargs)
        if self._runs < WARM_UP:
            self._runs += 1
            with warming_up:
                return function(*args, **kwargs)
        return self._record(function, args, kwargs)

    def out_of_date(self):
        """True if what the step relies on is not as it was when it was recorded."""
        return self._plan is not None and not (
            all([_layout(holder._array, full) == was for holder, was, full in self._held])
            and all([_role(parameter) == was for parameter, was in self._flags])
            and self._state.unchanged()
        )

    # Recording ------------------------------------------------------------------------------------

    def _record(self, function, args, kwargs):
        found = reached([root() for root in self._roots], into_optimizers=False)
        refuse_hooks(found)
        _refuse_inputs(args, kwargs)
        if get_auto_parallel_context("parallel_mode") != "stand_alone":
            raise current.Refused("the exchange between processes")
        if leaves.watchers:
            raise current.Refused("a status of overflows that is read")
        python = PythonState(found)
        tensors = [each for each in found if isinstance(each, Tensor)] + inputs_of(args, kwargs)[1]
        recording = _RecordedStep(tensors)
        with random.replaying() as again:
            try:
                made, results = recording.run(function, args, kwargs)
            except _Failed as failed:
                again()
                results = (function(*args, **kwargs),)  # which raises what it has to, as always
                raise _refused(f"an error ({failed})", results) from None
        recorder = recording.recorder
        if not python.unchanged() or python.drew():
            recorder.refuse("attributes, lists or random numbers of Python that it changes")
        plan = recorder.plan(results, Tensor._wrap) if recorder.reason is None else None
        del results
        recording.finish(made)
        if plan is None:
            raise _refused(recorder.reason, (made,))
        self._plan, self._state = plan, python
        self._held = [
            (each, _layout(array, recorder.reads_layout), recorder.reads_layout)
            for each, array in recorder.holders
        ]
        self._flags = [(each, _role(each)) for each in tensors if isinstance(each, Parameter)]
        self._draws = recording.draws
        return made

    # Replaying ------------------------------------------------------------------------------------

    def _replay(self, function, args, kwargs):
        inputs = inputs_of(args, kwargs)[0]
        drawn = random.replaying() if self._draws else contextlib.nullcontext(None)
        with drawn as again, scheduler.step, layout_cache.cache:
            try:
                made = self._plan(*inputs)
            except Interrupted as interrupted:
                if again is not None:
                    again()
                reason = f"an error ({interrupted.__cause__})"
            else:
                self.replays += 1
                return made
        raise _refused(reason, (function(*args, **kwargs),))


class _RecordedStep:
    """One run of a step on Recorded arrays.

    Args:
        tensors: the Tensors that it can reach.
    """

    def __init__(self, tensors):
        found = {id(each): each for each in tensors if has_array(each)}
        self.recorder = StepRecorder()
        self.draws = False
        self._tensors = list(found.values())
        self._before = [each._array for each in self._tensors]
        if any([type(array) is not numpy.ndarray for array in self._before]):
            raise current.Refused("Tensors that do not lie on the host")

    def run(self, function, args, kwargs):
        """Runs the step: (what it returns, the same as the plan is to return it).

        Raises:
            _Failed: it raised an error, and has written to nothing.
        """
        recorder, inputs, given = self.recorder, [], []

        def put(tensor):
            if isinstance(tensor, Parameter):
                return tensor
            given.append((tensor, recorder.argument(tensor._array)))
            inputs.append(Tensor._wrap(given[-1][1]))
            return inputs[-1]

        args, kwargs = map_tensors(put, (args, kwargs))
        recorder.apart = self._apart
        depth.keepers = (*depth.keepers, self)
        try:
            with recorder:
                self._hide()
                made = function(*args, **kwargs)
                self._show()
                self._look_at_inputs(inputs, given)
                results = self._results(made, inputs)
        except BaseException as error:
            recorder.refuse("an error")
            self._give_back()
            if recorder.written or not isinstance(error, Exception):
                raise
            raise _Failed(f"{type(error).__name__}: {error}") from error
        finally:
            depth.keepers = tuple(each for each in depth.keepers if each is not self)
        return made, results

    def _look_at_inputs(self, inputs, given):
        """Gives arguments the arrays that the step has put in place of theirs."""
        for each, (tensor, array) in zip(inputs, given, strict=True):
            if each._array is not array:
                self.recorder.refuse("an argument that the step writes into")
                _give_values([each])
                tensor._array = each._array

    def finish(self, made):
        """Has all Tensors that the step has made hold true arrays."""
        _give_values(tensors_in(made))
        self.recorder.apart = self._shown = None
        if self.recorder.left():
            _give_values([each for each in gc.get_objects() if isinstance(each, Tensor)])

    # What the step sees ---------------------------------------------------------------------------

    def _hide(self):
        """Puts Recorded arrays into the Tensors."""
        self._shown = []
        for tensor in self._tensors:
            self._shown.append(self.recorder.read(tensor))
            tensor._array = self._shown[-1]

    def _show(self):
        """Puts the true arrays back, those that the step has assigned too."""
        for tensor, shown in zip(self._tensors, self._shown, strict=True):
            now = tensor._array
            if type(now) is not Recorded:
                self.recorder.refuse("data of the host that it assigns")
                continue
            if now is not shown:
                self.recorder.assign(tensor, now)
            tensor._array = now.value

    def _give_back(self):
        """Puts the arrays of before back after an error, or, where they have been written to, the
        true ones."""
        if not self.recorder.written:
            for tensor, array in zip(self._tensors, self._before, strict=True):
                tensor._array = array
        _give_values(self._tensors)

    def _apart(self, method, args, kwargs):
        """Calls a method on the true arrays, and notes the call."""
        recorder = self.recorder
        if any([isinstance(each, Sparse) for each in _leaves((args, kwargs))]):
            recorder.refuse("gradients that are sparse")
        given = _arrays_of((args, kwargs))
        self._show()
        recorder.run(_Call(method), given)
        args, kwargs = map_tensors(_true, (args, kwargs))
        made = recorder.suspended(method, *args, **kwargs)
        self._hide()
        return made

    def _results(self, value, inputs):
        """What the step returned, as the plan returns it."""
        if isinstance(value, Tensor):
            for number, each in enumerate(inputs):
                if value is each:
                    return Given(name=f"t{number}")
            if any(value is each for each in self._tensors):
                return Given(value)
            if type(value) is not Tensor:
                self.recorder.refuse(f"a result of type '{type(value).__name__}'")
            if type(value._array) is not Recorded:
                self.recorder.refuse("a result that does not follow from its inputs")
            return value._array
        if type(value) in (tuple, list):
            return type(value)([self._results(each, inputs) for each in value])
        if type(value) is dict:
            return {key: self._results(each, inputs) for key, each in value.items()}
        return value

    # As those who keep a tape (_core/autograd/tape.py) --------------------------------------------

    def gradients(self, network, weights, args, grad_outputs):
        """None: it keeps no tape."""
        return None

    def note_in_place_write(self, tensors):
        """Notes that Tensors are about to be written in place."""
        self.recorder.note_write()


class _Call:
    """A call of a method in a replay; it does not keep the object."""

    def __init__(self, method):
        self._method = weakref.WeakMethod(method)

    def __call__(self, args, kwargs):
        self._method()(*_wrapped(args), **_wrapped(kwargs))


class _Failed(Exception):
    """A step raised an error while it was recorded, and had written to nothing."""


def _refused(reason, results):
    made = current.Refused(reason)
    made.results = results
    return made


def _refuse_inputs(args, kwargs):
    for each in inputs_of(args, kwargs)[0]:
        if (
            type(each) is not Tensor
            or type(each._array) is not numpy.ndarray
            or getattr(each, "has_init", False)
        ):
            raise current.Refused(f"an argument of type '{type(each).__name__}'")


def _layout(array, full):
    """What decides how code computes on an array, apart from its values."""
    if full:
        return type(array), array.shape, array.dtype, array.strides, array.flags.writeable
    return type(array), array.shape, array.dtype


def _role(parameter):
    """Whether a Parameter has a gradient, and how many hooks see it."""
    return flag(parameter), len(vars(parameter).get("_hooks", ()))


def _leaves(value):
    if isinstance(value, (tuple, list)):
        return [leaf for each in value for leaf in _leaves(each)]
    return _leaves(list(value.values())) if isinstance(value, dict) else [value]


def _true(tensor):
    """A Tensor over the true array of one; a Parameter as it is."""
    if isinstance(tensor, Parameter) or type(tensor._array) is not Recorded:
        return tensor
    return Tensor._wrap(tensor._array.value)


def _arrays_of(value):
    """Arguments with arrays in place of Tensors, for `_wrapped`."""
    if isinstance(value, Tensor):
        return value if isinstance(value, Parameter) else value._array
    if type(value) in (tuple, list):
        return type(value)([_arrays_of(each) for each in value])
    if isinstance(value, dict):
        return {key: _arrays_of(each) for key, each in value.items()}
    return value


def _wrapped(value):
    """Arguments with Tensors in place of arrays."""
    kind = type(value)
    if kind is numpy.ndarray:
        return Tensor._wrap(value)
    if kind is tuple or kind is list:
        return kind([_wrapped(each) for each in value])
    if kind is dict:
        return {key: _wrapped(each) for key, each in value.items()}
    return value


def _give_values(tensors):
    for each in tensors:
        array = each.__dict__.get("_array")
        if type(array) is Recorded:
            each._array = array.value
