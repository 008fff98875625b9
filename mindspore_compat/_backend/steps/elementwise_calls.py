"""Traces elementwise calls of a recorded step (recording.py), so that fused_calls.py can compile
them into one loop.

A body, a vjp, a Python operator or a NumPy function is run once on Elements, symbols with the shape
and the dtype of an array. Only arithmetic that IEEE 754 rounds correctly, in one float dtype and
with masks, is traced. Everything else raises an error and stays an ordinary call: functions such as
exp, reductions, other shapes, integers, code that asks for the type of an array.

Worked example: of `s2 = c0(HOST, s1, s0)` with the body of `add` and `s3 = c1(HOST, s2)` with that
of `relu`, `ElementwiseSteps([...], ["s1", "s0"])` has the steps `2 = add(0, 1)` and
`3 = at_least(2, s0)`, and knows that the slot s3 is value 3.
"""

import enum
import functools
import math
import operator
from typing import NamedTuple

import numpy

from ..arrays import HOST, LARGE
from ..bodies.symbols import Symbol, SymbolSpace, Trace
from ..compiled import jit
from ..elementwise import PRIMITIVES
from ..space import is_implementation
from ..thresholds import Least

FLOATS = (numpy.dtype(numpy.float32), numpy.dtype(numpy.float64))
BOOL = numpy.dtype(bool)
EXPRESSIONS = jit.EXPRESSIONS
_NAMES = {  # names of NumPy's functions -> names of steps
    ufunc: name for name in EXPRESSIONS for ufunc in PRIMITIVES[name].ufuncs.split()
}
_OF_MASKS = {name for name in EXPRESSIONS if PRIMITIVES[name].masks and PRIMITIVES[name].is_bool}
_WRITES = {getattr(operator, name) for name in dir(operator) if name.startswith("i")} - {
    operator.inv,
    operator.invert,
}
_LARGEST_INT = 1 << 24  # float32 represents every integer up to this one


class NotElementwise(Exception):
    """Raised for a call that a loop over elements cannot compute with NumPy's exact results."""


class Value(NamedTuple):
    """An array in a call, by the slot of the plan that holds it."""

    slot: str
    shape: tuple
    dtype: numpy.dtype


class Call(NamedTuple):
    """A call of the plan.

    Attributes:
        function, args, kwargs: the function and its arguments; arrays are Values, or numbers where
            the plan has a constant.
        targets: Values for the results, possibly in tuples and lists; None for a result that is
            not an array.
        shape: the shape of the results.
        dtype: the dtype of the computation.
    """

    function: object
    args: tuple
    kwargs: dict
    targets: object
    shape: tuple
    dtype: numpy.dtype

    def inputs(self):
        """Returns the Values among the arguments."""
        return list(_values((self.args, self.kwargs)))

    def outputs(self):
        """Returns the Values among the results."""
        return list(_values(self.targets))


def _values(value):
    if type(value) is Value:
        yield value
    elif type(value) in (tuple, list):
        for item in value:
            yield from _values(item)
    elif type(value) is dict:
        yield from _values(list(value.values()))


class Element(Symbol):
    """A symbol for an element of an array.

    Attributes:
        shape, dtype: the shape and dtype of the array.
        views (dict): for an array that is still to be broadcast to the results, such as one value
            per channel: the numbers of the inputs that it is computed from, and the shapes in which
            these are broadcast. None for an array with all elements.
    """

    __slots__ = ("shape", "dtype", "views")

    def __init__(self, trace, number, shape, dtype, views):
        super().__init__(trace, number)
        self.shape, self.dtype, self.views = shape, dtype, views

    __hash__ = Symbol.__hash__

    ndim = property(lambda self: len(self.shape))
    size = property(lambda self: math.prod(self.shape))

    def __or__(self, other):
        return self.trace.add("logical_or", self, other)

    def __invert__(self):
        return self.trace.add("logical_not", self)

    def __abs__(self):
        return self.trace.add("abs", self)

    def astype(self, dtype, copy=True):
        """Returns a copy with the same dtype."""
        if dtype != self.dtype:
            raise NotElementwise
        return self.trace.add("copy", self) if copy else self

    def copy(self):
        """Returns a copy."""
        return self.trace.add("copy", self)

    def reshape(self, *shape):
        """Returns a view of another shape.

        Raises:
            NotElementwise: if the array is computed from arrays that are broadcast to each other.
        """
        shape = shape[0] if isinstance(shape[0], tuple) else shape
        known = math.prod(size for size in shape if size >= 0)
        shape = tuple(size if size >= 0 else self.size // known for size in shape)
        views = self.views
        if views is not None:
            sizes = {math.prod(view) for view in views.values()}
            if not sizes <= {1, self.size}:
                raise NotElementwise
            views = {number: shape if math.prod(view) > 1 else () for number, view in views.items()}
        return Element(self.trace, self.number, shape, self.dtype, views)


class ElementSpace(SymbolSpace):
    """The `xp` of a traced call: NumPy's functions and those that every space adds."""

    def where(self, condition, *choices):
        """Adds `where(condition, yes, no)` to the trace and returns its result; `choices` are `yes`
        and `no`."""
        yes, no = choices
        return self.trace.add("where", condition, yes, no)

    def at_least(self, x, low):
        """Computes max(x, low) as host/select.py does; NumPy's `maximum` may return a zero of the
        other sign."""
        return self._add_bound("maximum", "at_least", x, low)

    def at_most(self, x, high):
        """Computes min(x, high) as host/select.py does; NumPy's `minimum` may return a zero of the
        other sign."""
        return self._add_bound("minimum", "at_most", x, high)

    def _add_bound(self, small, large, x, bound):
        if x.size < Least.WHERE or isinstance(bound, Element) and bound.ndim:
            return self.trace.add(small, x, bound)
        if isinstance(bound, Element) or math.isnan(bound):
            raise NotElementwise
        return self.trace.add(large, x, bound)

    def square(self, x):
        """Computes x * x."""
        return x * x

    def pointwise(self, function, *arrays, **scalars):
        """Traces a formula, and returns its result.

        Raises:
            NotElementwise: if the formula has products and sums. The compiled loop that computes
                the formula outside of a recorded step may round a product and a sum once.
        """
        before = len(self.trace.steps)
        result = function(self, *arrays, **scalars)
        names = {step.name for step in self.trace.steps[before:]}
        if "multiply" in names and names & {"add", "subtract"}:
            raise NotElementwise
        return result

    def reshape(self, x, shape):
        """Returns a view of another shape."""
        return x.reshape(shape)

    def by_rows(self, function, *arrays):
        """Calls the function on whole arrays."""
        return function(self, *arrays)

    def cast(self, x, dtype):
        """Returns `x` itself, if it has that dtype."""
        return x.astype(dtype, copy=False)

    def zeros(self, shape, dtype):
        """Returns a 0-d zero of the dtype of the computation."""
        if shape != ():
            raise NotElementwise
        return numpy.zeros((), dtype)

    def __getattr__(self, name):
        step = name if name in _OF_MASKS else _NAMES.get(name)
        if step is not None:
            return functools.partial(self.trace.add, step)
        raise NotElementwise(name)


class ElementwiseSteps(Trace):
    """The trace of a sequence of calls.

    Args:
        calls: Calls of one shape and dtype.

    Attributes:
        inputs: the Values that come from outside these calls.
        values: slot -> number of its value.
        broadcasts: number of an input that is broadcast -> how, as `broadcast` returns it.
        dtypes: number of a value that a step computes -> its dtype.

    Raises:
        NotElementwise: if a call is not elementwise. Code that asks a symbol for something that
            only an array has raises other errors.
    """

    space_type = ElementSpace

    def __init__(self, calls):
        self.name = "elementwise calls"
        self.shape, self.dtype = calls[0].shape, calls[0].dtype
        self.inputs = _inputs(calls)
        self.names = [f"x{number}" for number in range(len(self.inputs))]
        self.steps, self._texts, self.dtypes = [], {}, {}
        self.broadcasts, elements = {}, {}
        for number, value in enumerate(self.inputs):
            views = None if value.shape == self.shape else {number: value.shape}
            dtype = self._check_dtype(value.dtype)
            elements[value.slot] = Element(self, number, value.shape, dtype, views)
        xp = self.space_type(self)
        for call in calls:
            args, kwargs = (
                _with_elements(arguments, elements, xp) for arguments in (call.args, call.kwargs)
            )
            _assign(call.targets, _run(call.function, xp, args, kwargs), elements)
        self.values = {slot: element.number for slot, element in elements.items()}
        self._prepare = self._preparation(())

    def constants(self):
        """Returns the values of s0, s1, ..."""
        return [self.dtype.type(value) for value in self.scalars({})]

    def _check_dtype(self, dtype):
        if dtype not in (self.dtype, BOOL):
            raise NotElementwise
        return dtype

    def add(self, name, *operands):
        """Adds a step to the trace, and returns its result as an Element.

        Args:
            name (str): the name of the step.
            operands: Elements and numbers.
        """
        if name not in EXPRESSIONS:
            raise NotElementwise
        floats = operands[1:] if name == "where" else operands
        masks = operands[:1] if name == "where" else ()
        if name in _OF_MASKS:
            floats, masks = (), operands
        if name == "copy":
            floats = ()
        for operand in masks:
            if not isinstance(operand, Element) or operand.dtype != BOOL:
                raise NotElementwise
        for operand in floats:
            is_element = isinstance(operand, Element)
            if (operand.dtype if is_element else self._dtype_of(operand)) != self.dtype:
                raise NotElementwise
        if floats and not any(getattr(operand, "dtype", None) == self.dtype for operand in floats):
            raise NotElementwise
        dtype = BOOL if PRIMITIVES[name].is_bool else self.dtype
        dtype = operands[0].dtype if name == "copy" else dtype
        number = super().add(name, *operands).number
        self.dtypes[number] = dtype
        elements = [operand for operand in operands if isinstance(operand, Element)]
        shape = numpy.broadcast_shapes(*[element.shape for element in elements])
        views = self._views([element.views for element in elements], shape)
        return Element(self, number, shape, dtype, views)

    def _views(self, views, shape):
        """Returns the `views` of a result of some shape, given the `views` of its operands. If the
        result has all elements, notes how the inputs of its operands are broadcast.
        """
        merged = {}
        for number, view in [item for given in views if given for item in given.items()]:
            if merged.setdefault(number, view) != view:
                raise NotElementwise
        if None not in views and shape != self.shape:
            return merged
        for number, view in merged.items():
            how = broadcast(view, self.inputs[number].dtype, shape)
            if self.broadcasts.setdefault(number, how) != how:
                raise NotElementwise
        return None

    def _dtype_of(self, number):
        """Returns the dtype in which NumPy combines a number with an array of `self.dtype`; None if
        a loop cannot take the number."""
        if isinstance(number, (numpy.ndarray, numpy.generic)):
            return number.dtype if not number.ndim else None
        fits = type(number) is float or type(number) is int and abs(number) <= _LARGEST_INT
        return self.dtype if fits else None


class Broadcast(enum.Enum):
    """How an array is broadcast over rows of elements."""

    NONE = "it has a value for each element"
    COLUMNS = "it has a value for each column"
    ROWS = "it has a value for each row; they repeat after some rows"
    SCALAR = "it has a single value"


def broadcast(shape, dtype, whole):
    """Returns how an array is broadcast to the shape `whole`: a Broadcast, the width and the rows,
    as in fused_calls.Layout.

    Raises:
        NotElementwise: if a loop over rows cannot read the array.
    """
    if shape == whole:
        return Broadcast.NONE, None, 1
    if math.prod(shape) == 1:
        if dtype == BOOL:  # loops are given numbers
            raise NotElementwise
        return Broadcast.SCALAR, None, 1
    padded = (1,) * (len(whole) - len(shape)) + shape
    axes = [axis for axis, size in enumerate(padded) if size > 1]
    first, last = axes[0], axes[-1] + 1
    if padded[first:last] != whole[first:last]:
        raise NotElementwise
    inner = math.prod(whole[last:])
    if inner == 1:
        return Broadcast.COLUMNS, math.prod(padded), 1
    return Broadcast.ROWS, inner, math.prod(padded)


def _inputs(calls):
    inputs, outputs = {}, set()
    for call in calls:
        for value in call.inputs():
            if value.slot not in outputs:
                inputs.setdefault(value.slot, value)
        outputs.update(value.slot for value in call.outputs())
    return list(inputs.values())


def _with_elements(value, elements, xp):
    """Returns the arguments of a call with Elements in place of Values, and `xp`, the space of
    symbols, in place of HOST and LARGE."""
    kind = type(value)
    if kind is Value:
        return elements[value.slot]
    if kind is tuple or kind is list:
        return kind([_with_elements(item, elements, xp) for item in value])
    if kind is dict:
        return {key: _with_elements(item, elements, xp) for key, item in value.items()}
    return xp if value is HOST or value is LARGE else value


def _run(function, xp, args, kwargs):
    """Returns the results of a function on Elements."""
    owner = getattr(function, "__self__", None)
    if args and args[0] is xp:  # a body or a vjp
        return function(*args, **kwargs)
    if function in _WRITES:
        raise NotElementwise
    if getattr(function, "__module__", None) == "_operator":
        return function(*args, **kwargs)
    if isinstance(function, numpy.ufunc):
        return getattr(xp, function.__name__)(*args, **kwargs)
    if isinstance(owner, numpy.ufunc) and function.__name__ == "__call__":
        return getattr(xp, owner.__name__)(*args, **kwargs)
    if owner is HOST and is_implementation(getattr(function, "__func__", function)):
        return getattr(xp, function.__name__)(*args, **kwargs)
    if getattr(function, "__objclass__", None) is numpy.ndarray and args:
        return getattr(args[0], function.__name__)(*args[1:], **kwargs)
    raise NotElementwise


def _assign(targets, results, elements):
    """Stores the result of a call, Elements, in the dict `elements` under the slots of its
    targets."""
    if type(targets) is Value:
        if type(results) is not Element or (results.shape, results.dtype) != targets[1:]:
            raise NotElementwise
        elements[targets.slot] = results
    elif targets is not None:
        for target, item in zip(targets, results, strict=True):
            _assign(target, item, elements)
