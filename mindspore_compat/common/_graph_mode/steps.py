"""Replay of steps: decides when a step is captured or recorded, and when it is not.

Worked example. A TrainOneStepCell is called in graph mode, with batches of one shape:

* two calls run as always; on a GPU on the stream and in the memory of the capture;
* the third is captured as a CUDA graph (device_step.py), or on the host recorded as a list of calls
  (host_step.py);
* each later one replays that with its batch.

A replay runs none of the step's Python code: as in MindSpore's graph mode, side effects happen
only when the graph is built. Everything that a step depends on is compared before each replay: the
training flag of each Cell, and the values named in device_step.py and host_step.py. If something
differs, the step is captured again.

On the host, every function marked by `jit` and every outermost Cell in graph mode is such a step,
whether it trains or not. On a GPU, a function marked by `jit` is such a step only if its first call
calls an optimizer. An outermost optimizer is not such a step, because its Python code runs in each
replay anyway.

A step that cannot be captured or recorded runs operator by operator, and logs the reason once.
"""

import os
import weakref

from ... import log
from ..._backend import device
from ..._backend.steps import current
from ..._backend.steps.journal import whole_step
from ..._backend.steps.refused import Refused
from ..._core.autograd.tape import depth
from ..._core.context.config import GRAPH_MODE, config
from ..._core.declare.interception import state as interception
from ..._core.sharding.network import running
from ..._core.tensor.tensor import Tensor
from .call import as_graph
from .device_step import Graph
from .host_step import RecordedStep, warming_up
from .reachable import PLAIN, kind_of, mode, objects_from

VARIABLE = "MINDSPORE_COMPAT_RECORDED_STEPS"
MOST_GRAPHS = 4  # kinds of arguments of one step
FEW_REPLAYS = 5  # with fewer replays than this, a capture did not pay
MOST_IN_VAIN = 3

_steps = {}  # id of a Cell, object or function -> {name: CapturedStep}


def captures(building):
    """Returns True if a step that begins now may be captured.

    Args:
        building (int): the number of running functions marked by `jit`.
    """
    return (
        (config.mode == GRAPH_MODE or building > 0)
        and current.running() is None
        and running.space is None
        and not warming_up.depth
        and not interception.modes
        and not depth.open
        and (current.can_capture() or current.is_permitted() and _records())
    )


def _records():
    """Returns True if steps on the host are recorded."""
    return device.in_force() == "CPU" and os.environ.get(VARIABLE, "1") != "0"


def run_graph(cell, args, kwargs):
    """Calls a Cell as the outermost graph (call.py). The graph is a step, except for a Cell that
    captures itself and for an optimizer."""

    def step(*args, **kwargs):
        apart = cell._cell_captures_itself or cell._cell_updates
        if apart or current.can_capture() or not captures(0):
            return cell(*args, **kwargs)
        return run(cell, type(cell).__name__, cell, args, kwargs)

    return as_graph(step, args, kwargs, cell)


def run(owner, name, function, args, kwargs, trains=False):
    """Calls a function that may be a step, and captures it if possible.

    Args:
        owner: the Cell or object to which the step belongs, or the function itself; the graph
            exists as long as its owner.
        name: the name of the step in log lines.
        function: the step.
        args, kwargs: its arguments.
        trains (bool): whether it is known to train; otherwise the first call shows it on a GPU.
    """
    of_owner = _steps.get(id(owner))
    if of_owner is None:
        of_owner = _steps[id(owner)] = {}
        weakref.finalize(owner, _steps.pop, id(owner), None).atexit = False
    step = of_owner.get(name)
    if step is None:
        step = of_owner[name] = CapturedStep(name, trains)
    return whole_step(step, (owner, function, args, kwargs), {})


def can_own(value):
    """Returns True for an object that can own a graph: it supports weak references, and is not a
    value passed to a step."""
    return not isinstance(value, (Tensor, *PLAIN)) and type(value).__weakrefoffset__ != 0


class CapturedStep:
    """A step and its graphs, one for each kind of arguments.

    Args:
        name (str): the name of the step in log lines.
        trains (bool): whether it is known to train.
    """

    def __init__(self, name, trains):
        self._name = name
        self._known = trains
        self._graphs = {}
        self._in_vain = 0
        self._eager = False
        self._warned = False
        self._cells = {}

    def __call__(self, owner, function, args, kwargs):
        """Runs the step."""
        if self._eager:
            return function(*args, **kwargs)
        if not self._known:
            result, trains = current.trains(function, args, kwargs)
            self._known, self._eager = True, current.can_capture() and not trains
            return result
        try:
            graph = self._graph(owner, function, args, kwargs)
            if graph is not None:
                return graph(function, args, kwargs)
        except Refused as refused:
            self._give_up(refused)
            if refused.results is not None:
                return refused.results[0]
        return function(*args, **kwargs)

    def _graph(self, owner, function, args, kwargs):
        """Returns the graph for these arguments; None if there are too many already."""
        form = Graph if current.can_capture() else RecordedStep
        if form not in self._cells:
            objects = objects_from((owner, function), into_optimizers=form.with_optimizer)
            self._cells[form] = [weakref.ref(value) for value in objects if form.relies_on(value)]
        modes = tuple(map(mode, self._cells[form]))
        key = form, kind_of((args, kwargs), owner), modes, config.device_id, form.surroundings()
        graph = self._graphs.get(key)
        if graph is not None and graph.out_of_date():
            self._in_vain += graph.replays < FEW_REPLAYS
            if self._in_vain > MOST_IN_VAIN:
                raise Refused(form.changes)
            graph = self._graphs[key] = form((owner, function))
        if graph is None and len(self._graphs) < MOST_GRAPHS:
            graph = self._graphs[key] = form((owner, function))
        if graph is None:
            self._warn(f"more than {MOST_GRAPHS} kinds of arguments; the first ones are captured")
        return graph

    def _give_up(self, reason):
        self._eager = True
        self._graphs.clear()
        self._warn(reason)

    def _warn(self, reason):
        if not self._warned:
            self._warned = True
            on_gpu = device.in_force() == "GPU"
            form = "captured as a CUDA graph" if on_gpu else "recorded"
            (log.warning if on_gpu else log.info)(
                f"The step '{self._name}' is not {form}, and runs operator by operator, "
                f"because of {reason}."
            )
