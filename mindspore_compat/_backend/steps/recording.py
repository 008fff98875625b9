"""Records what a step computes on the host as a list of calls, and replays it without the step.

Worked example. While a StepRecorder runs, the step works on Recorded arrays: each has its values, a
NumPy array, and the name of a slot. A body, a vjp or a function of `xp` that receives one is called
with the values as usual, and the call is recorded:

    s1 = c0._array                   # a parameter
    s2 = c1(c2, x0, s1, None)        # the body of dense
    s3 = c3(c2, s2)                  # the body of relu
    s2 = None                        # freed after its last use

`plan` compiles these lines into one function, which calls the same functions in the same order, so
that it computes from other inputs bitwise what the step would. Only these calls are recorded.
Reading a value, passing it to another library, or using an outside array aborts the recording, with
a reason. The step still completes, because it has all values; it is not replayed later.

common/_graph_mode/steps.py decides which part of a training step is recorded, and when.
"""

import contextlib
import functools
import operator
import types
import weakref

import numpy

from .. import arrays
from ..arrays import HOST
from ..recurrent import layout_cache
from ..starting import lock_for_forks
from . import current
from .elementwise_calls import Call, Value
from .fused_calls import Fusions, Group, dropping
from .journal import journal
from .recorded_array import RECORDED, Recorded, bare
from .refused import Reason
from .weight_products import DEFERRING, SLOTS, Joins, Product

MOST_LINES = 20_000  # a step with more calls is not recorded
BY_VALUES = {  # functions with results whose shapes depend on values
    "argwhere",
    "compress",
    "extract",
    "flatnonzero",
    "nonzero",
    "setdiff1d",
    "trim_zeros",
    "unique",
}
_NO_NAMES = types.MappingProxyType({})


class Changed(RuntimeError):
    """Raised if a result of a replay has another shape than the recorded one."""


class Interrupted(RuntimeError):
    """Raised if a replay failed before it wrote anything; the step may be run once more."""


class Given:
    """A result that a replay returns unchanged.

    Args:
        value: the object to return.
        name (str): the name of the plan's argument to return instead; None to return `value`.
    """

    def __init__(self, value=None, name=None):
        self.value, self.name = value, name


class StepRecorder:
    """Records the calls of one step, and compiles them into a function that replays the step.

    common/_graph_mode makes one for each step that it records, and runs the step inside a `with`
    statement.

    Attributes:
        reason (str): why the step cannot be replayed; None while it can.
        reads_layout (bool): whether the step asked for strides or flags.
        written (bool): whether the step has written to objects that outlive it.
        holders (list): pairs of an object whose `_array` the plan reads, and the array that it had
            when the step was recorded.
        apart (Callable): calls a method outside the recording, given its arguments, in each replay.
    """

    space = RECORDED

    def __init__(self):
        self.reason = None
        self.reads_layout = False
        self.holders = []
        self.apart = None
        self._lines = []  # text
        self._scope = {"Changed_": Changed, "Interrupted_": Interrupted}
        self._names = {}  # id of an object in the scope -> its name
        self._joins, self._fusions = Joins(), Fusions()
        self._made = []  # weak references to Recorded arrays
        self._inputs = self._slots = self._writes = self._call_line = self._call_writes = 0
        self.written = False

    # In force -------------------------------------------------------------------------------------

    def __enter__(self):
        current.set_running(self)
        _begin(self)
        return self

    def __exit__(self, *error):
        self.leave()

    def leave(self):
        """Ends the recording. It may be called again, after an interrupt."""
        current.set_running(None)
        if self in _in_force:
            _end(self)

    def refuse(self, reason):
        """Records why the step cannot be replayed; the first reason counts."""
        if self.reason is None:
            self.reason = reason
            self._lines, self._scope, self._names = [], {}, {}

    def suspended(self, function, *args, **kwargs):
        """Calls a function with recording off, and returns its result.

        A function that uses a Recorded array of its closure aborts the recording: every replay
        would compute with the recorded values of that array.
        """
        current.set_running(None, self)
        try:
            return function(*args, **kwargs)
        finally:
            current.set_running(self)

    # Slots ----------------------------------------------------------------------------------------

    def argument(self, array):
        """Returns an input of the step as a Recorded array."""
        self._inputs += 1
        return self._new(array, f"x{self._inputs - 1}")

    def read(self, holder):
        """Returns the `_array` of `holder` as a Recorded array. Replays read the attribute just
        before they first use the array."""
        return self._new(holder._array, None, holder)

    def assign(self, holder, recorded):
        """Records the assignment `holder._array = recorded`, which each replay repeats."""
        self.note_write()
        name = self._constant(holder)
        self._note(f"{self._constant(journal.note_replaced)}(({name},))")
        self._note(f"{name}._array = {self._slot(recorded)}")

    def note_overwritten(self, recorded):
        """Records that an array is about to be written in place, so that each replay saves its
        elements. The elements of an array that the step itself has made are not needed afterwards.
        """
        is_new = recorded.holder is None and recorded.slot[0] == "s" and recorded.value.base is None
        if not is_new and self.reason is None:
            self.note_write()
            self._note(f"{self._constant(journal.note_overwritten)}({self._slot(recorded)})")

    def number(self, array):
        """Returns an array of constants, which is the same in each replay, as a Recorded array."""
        return self._new(array, self._constant(array))

    def _constant(self, value):
        """Returns the name by which the plan refers to an object; chooses one on first use."""
        name = self._names.get(id(value))
        if name is None:
            name = self._names[id(value)] = f"c{len(self._names)}"
            self._scope[name] = value
        return name

    def _slot(self, recorded):
        if recorded.slot is None:
            recorded.slot = self._new_slot()
            self.holders.append((recorded.holder, recorded.value))
            self._note(f"{recorded.slot} = {self._constant(recorded.holder)}._array")
            self._fusions.note_light(len(self._lines) - 1)
        return recorded.slot

    def _new(self, array, slot, holder=None):
        recorded = Recorded(array, slot, holder)
        self._made.append(weakref.ref(recorded))
        return recorded

    def left(self):
        """Returns True if Recorded arrays of this step are still alive."""
        return any([reference() is not None for reference in self._made])

    def _new_slot(self):
        self._slots += 1
        return f"s{self._slots}"

    # Calls ----------------------------------------------------------------------------------------

    def call(self, function, args, kwargs=_NO_NAMES, checked=False):
        """Calls a function with the values of Recorded arrays, and records the call.

        Args:
            function (Callable): a function of arrays and constants, pure apart from in-place writes
                that `note_write` announces.
            args, kwargs: its arguments; Recorded arrays may lie in tuples, lists, dicts and slices.
            checked (bool): whether a replay compares the shapes of results.
        """
        if kwargs.get("out") is not None:
            self.note_write()
        out = self.suspended(function, *bare(tuple(args)), **bare(dict(kwargs)))
        return self._note_call(function, args, kwargs, out, checked)

    def call_pull(self, pull, args):
        """Calls the vjp of an operation with plain arrays, and records the call.

        Gradients of weights are noted, so that the plan can join them (weight_products.py).

        Args:
            pull (Callable): called with a space of functions and the arguments.
            args (tuple): its arguments after the space, with Recorded arrays.

        Returns:
            The gradients, as Recorded arrays.
        """
        out = self.suspended(pull, DEFERRING, *bare(args))
        grads = [self.suspended(grad.compute) if type(grad) is Product else grad for grad in out]
        results = self._note_call(pull, (HOST, *args), {}, type(out)(grads))
        for grad, result in zip(out, results, strict=True):
            if type(grad) is Product and type(result) is Recorded:
                self._joins.note_product(result.slot, self._call_line, grad, self._writes)
        return results

    def _note_call(self, function, args, kwargs, out, checked=False):
        """Records a call and its plain result `out`; returns the result with Recorded arrays in
        place of plain ones."""
        if self.reason is not None:
            return out
        parts = [self._source(arg) for arg in args]
        parts += [f"{name}={self._source(arg)}" for name, arg in kwargs.items()]
        text = ", ".join(parts)
        if not SLOTS.search(text) and not _has_arrays(out):
            return out
        outputs = []
        pattern, result = self._targets(out, outputs)
        self._note(f"{pattern} = {self._constant(function)}({text})")
        self._call_line = len(self._lines) - 1
        if function is operator.add and all(type(arg) is Recorded for arg in args):
            self._joins.note_sum(
                pattern, self._call_line, *[arg.slot for arg in args], self._writes
            )
        for name, array in outputs:
            if type(array) is not numpy.ndarray:  # as a step would convert NumPy's scalars
                self._note(f"{name} = {self._constant(HOST.asarray)}({name})")
            elif checked:
                self._note(f"if {name}.shape != {array.shape}: raise Changed_({name}.shape)")
        if checked and self.written and _depends_on_values(function):
            self.refuse(Reason.SHAPE_OF_VALUES)
        if self.reason is None and outputs and self._writes == self._call_writes:
            call = _call_of(function, args, kwargs, result, outputs[0][1])
            self._fusions.note(self._call_line, self._lines, call)
        self._call_writes = self._writes
        return result if self.reason is None else out

    def run(self, function, arguments):
        """Records a call that writes to objects that outlive the step, such as an optimizer's.

        Args:
            function (Callable): called with the arguments.
            arguments (list): Recorded arrays, including in tuples, lists and dicts, and constants.
        """
        self.note_write()
        text = ", ".join([self._source(argument) for argument in arguments])
        self._note(f"{self._constant(function)}({text})")

    def note_write(self):
        """Records that from here on a replay writes to objects that outlive it."""
        self._writes += 1
        if not self.written:
            self.written = True
            self._note("safe_ = False")
        self._note(f"{self._constant(layout_cache.forget)}()")

    def _note(self, text):
        if self.reason is None:
            self._lines.append(text)
            if len(self._lines) > MOST_LINES:
                self.refuse(Reason.MANY_CALLS)

    def _source(self, value):
        """Returns the source text by which the plan refers to an argument."""
        kind = type(value)
        if kind is Recorded:
            return self._slot(value)
        if value is None or kind in (bool, int):
            return repr(value)
        if kind is tuple:
            return f"({''.join([self._source(item) + ', ' for item in value])})"
        if kind is list:
            return f"[{', '.join([self._source(item) for item in value])}]"
        if kind is dict:
            rows = [f"{self._constant(k)}: {self._source(item)}" for k, item in value.items()]
            return f"{{{', '.join(rows)}}}"
        if kind is slice:
            ends = (value.start, value.stop, value.step)
            return f"slice({', '.join([self._source(item) for item in ends])})"
        if isinstance(value, numpy.ndarray):
            self.refuse(Reason.HOST_DATA)
        if _refers_to_recorded(value):  # a replay would use the recorded values of these arrays
            self.refuse(Reason.OWN_FUNCTIONS)
        return self._constant(value)

    def _targets(self, out, outputs):
        """Returns the source text of the assignment targets for the results of a call, and the
        results as Recorded arrays. Appends (slot, array) to `outputs` for each array."""
        if isinstance(out, (numpy.ndarray, numpy.generic)):
            name = self._new_slot()
            outputs.append((name, out))
            return name, self._new(numpy.asarray(out), name)
        if type(out) in (tuple, list) and out:
            parts = [self._targets(item, outputs) for item in out]
            pattern = "".join([f"{part}, " for part, _ in parts])
            return f"({pattern})", type(out)(result for _, result in parts)
        if out is not None:
            self.refuse(Reason.VALUE_COMPUTED)
        return "_", out

    # The plan -------------------------------------------------------------------------------------

    def plan(self, results, wrap):
        """Compiles the function that replays the step.

        The function takes an object with an `_array` for each call of `argument`, in that order. It
        returns the results of the step.

        Args:
            results: the results of the step: Recorded arrays, constants and Given, including in
                tuples, lists and dicts.
            wrap (Callable): converts an array to the caller's type.

        Returns:
            The function; it raises Interrupted if it fails before it writes to anything. None if
            the step cannot be replayed.
        """
        self._scope["wrap_"] = wrap
        text = self._results(results)
        if self.reason is not None:
            return None
        names = [f"t{number}" for number in range(self._inputs)]
        lines = [f"def replay({', '.join(names)}):"]
        lines += [f"    x{number} = {name}._array" for number, name in enumerate(names)]
        lines += ["    safe_ = True", "    try:"]
        parts = self._joins.apply(self._lines, text, self._constant)
        parts = self._fusions.group_lines(parts, text)
        for block in _free_slots(parts, SLOTS.findall(text), self._constant):
            lines += [f"        {line}" for line in block.splitlines()]
        lines += [f"        return {text}", "    except Exception as error:"]
        lines += ["        if safe_:", "            raise Interrupted_ from error", "        raise"]
        exec(compile("\n".join(lines), "<recorded step>", "exec"), self._scope)
        return self._scope.pop("replay")

    def _results(self, value):
        kind = type(value)
        if kind is Recorded:
            slot = self._slot(value)
            return f"wrap_({slot})" if slot[0] != "c" else f"wrap_({slot}.copy())"
        if kind is Given:
            return value.name or self._constant(value.value)
        if kind is tuple:
            return f"({''.join([self._results(item) + ', ' for item in value])})"
        if kind is list:
            return f"[{', '.join([self._results(item) for item in value])}]"
        if kind is dict:
            rows = [f"{self._constant(k)}: {self._results(item)}" for k, item in value.items()]
            return f"{{{', '.join(rows)}}}"
        if value is not None and kind not in (bool, int, float, str, bytes):
            self.refuse(Reason.RESULT_TYPE.format(kind.__name__))
        return self._constant(value)


def _free_slots(parts, results, constant):
    """Yields the lines of a plan, each followed by a line that drops the slots it is the last to
    use.

    Args:
        parts (list): lines of the plan, and Groups of lines that are fused.
        results: the slots that the plan returns, which are never dropped.
        constant (Callable): gives the name of an object in the plan.
    """
    lines = [line for part in parts for line in (part.lines if type(part) is Group else [part])]
    last = {slot: number for number, line in enumerate(lines) for slot in SLOTS.findall(line)}
    ends = [[] for _ in lines]
    for slot, number in last.items():
        if slot not in results:
            ends[number].append(slot)
    number = 0
    for part in parts:
        if type(part) is Group:
            count = len(part.lines)
            yield "\n".join(part.texts(constant(part.fused), ends[number : number + count]))
        else:
            count = 1
            yield part
            yield from dropping(ends[number])
        number += count


def _call_of(function, args, kwargs, results, first):
    """Returns a call as a Call of elementwise_calls.py.

    Args:
        function, args, kwargs: the function and its arguments, with Recorded arrays.
        results: the results, as Recorded arrays.
        first: the first result array. Its shape and dtype stand for the call.
    """
    args, kwargs = _with_values(tuple(args)), _with_values(dict(kwargs))
    inputs = Call(None, args, kwargs, None, None, None).inputs()
    dtypes = [first.dtype, *(value.dtype for value in inputs)]
    dtype = next((dtype for dtype in dtypes if dtype.kind == "f"), first.dtype)
    return Call(function, args, kwargs, _with_values(results), first.shape, dtype)


def _with_values(value):
    """Returns a value in which a Value replaces each Recorded array, including in tuples, lists and
    dicts. A 0-d constant becomes its plain array."""
    kind = type(value)
    if kind is Recorded:
        if value.slot[0] == "c" and not value.ndim:
            return value.value
        return Value(value.slot, value.shape, value.dtype)
    if kind is tuple or kind is list:
        return kind([_with_values(item) for item in value])
    return {key: _with_values(item) for key, item in value.items()} if kind is dict else value


def _has_arrays(out):
    if type(out) in (tuple, list):
        return any(map(_has_arrays, out))
    return isinstance(out, (numpy.ndarray, numpy.generic))


@functools.cache
def _depends_on_values(function, inner=2):
    """Returns True if the code of a function names a function of BY_VALUES. Functions that it calls
    are searched too, down to `inner` levels."""
    code = getattr(function, "__code__", None)
    if code is None:
        return False
    if BY_VALUES.intersection(code.co_names):
        return True
    values = [function.__globals__.get(name) for name in code.co_names] if inner else []
    callees = [value for value in values if isinstance(value, types.FunctionType)]
    return any(_depends_on_values(callee, inner - 1) for callee in callees)


# The recorder in force ----------------------------------------------------------------------------

_lock = lock_for_forks()
_in_force = set()  # the recorders of all threads


def running():
    """Returns the StepRecorder of this thread; None if there is none or it has refused the step."""
    recorder = current.running()
    return recorder if type(recorder) is StepRecorder and recorder.reason is None else None


def _begin(recorder):
    """Routes every operation on the host through the general path, where a recorder sees it."""
    with _lock:
        arrays.find_recorder = running
        arrays.intercept(1)
        _in_force.add(recorder)


def _end(recorder):
    with _lock:
        _in_force.discard(recorder)
        arrays.intercept(-1)
        if not _in_force:
            arrays.find_recorder = None


def _refers_to_recorded(value, visited=()):
    """Returns True if a function refers to Recorded arrays directly, in a container or through
    another function."""
    if type(value) is Recorded:
        return True
    if id(value) in visited:
        return False
    if isinstance(value, (tuple, list)):
        parts = value
    elif isinstance(value, dict):
        parts = value.values()
    elif isinstance(value, functools.partial):
        parts = value.func, value.args, value.keywords
    else:
        parts = []
        for cell in getattr(value, "__closure__", None) or ():
            with contextlib.suppress(ValueError):  # the variable has no value yet
                parts.append(cell.cell_contents)
    return any([_refers_to_recorded(part, (*visited, id(value))) for part in parts])
