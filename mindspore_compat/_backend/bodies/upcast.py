"""Elementwise functions of float32 and low-precision arrays as single kernels that compute in
float32.

Without them a function of several steps is a kernel for each step, and an operator on bfloat16
casts its inputs to float32, computes function by function, and casts the result: four kernels for a
product. Worked example: of

    def squared(xp, x):
        return xp.square(x)

`kernels.run(squared, (x,), bfloat16)` runs the body once on symbols and launches one kernel. It
reads bfloat16, computes the square in float32 and writes bfloat16. The vjp of an operator is
treated in the same way. Numbers are arguments of the kernel, so those that change between calls
need no new kernel.

A function fits if it only applies steps of the table in elementwise.py to floats and masks. It may
end with the sum or mean of all elements, as losses do: that is a kernel over one row. One that
reduces over an axis or calls anything else raises an error on symbols; `run` returns None and the
caller casts. A function that asks for a shape is traced once for each set of shapes.
"""

import math

import numpy

from ..catalogue import FUNCTIONS
from ..elementwise import PRIMITIVES
from ..space import implementation
from .c_code import step_line
from .gpu import RowBody
from .multi_tensor import letter
from .row_plan import ELEMENT, ROUNDED, ROW
from .symbols import Scalar, Symbol, SymbolSpace, Trace

FLOAT32, BOOL = numpy.dtype(numpy.float32), numpy.dtype(bool)
MOST = 4096  # calls that are remembered; with more of them, their constants probably keep changing


class Unfit(Exception):
    """Raised for a function that one kernel cannot compute: it does more than elementwise steps on
    floats and masks."""


class Shapes:
    """The shapes of the arrays of a call.

    Attributes:
        of_arrays: the shapes.
        are_read: whether a function has asked for one.
    """

    def __init__(self, arrays):
        self.of_arrays = _shapes(arrays)
        self.are_read = False


def _shapes(arrays):
    return tuple([array.shape for array in arrays])


class Float(Symbol):
    """A symbol with a dtype: float32, or bool for a mask. It knows the shape of its values."""

    __slots__ = ("dtype", "extent")

    def __init__(self, trace, number, dtype, extent):
        super().__init__(trace, number)
        self.dtype = dtype
        self.extent = extent

    __hash__ = Symbol.__hash__

    @property
    def shape(self):
        self.trace.shapes.are_read = True
        return self.extent

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def size(self):
        return math.prod(self.shape)

    def __invert__(self):
        return self.trace.add("logical_not", self)

    def __abs__(self):
        return self.trace.add("abs", self)

    def __mod__(self, other):
        return self.trace.add("remainder", self, other)

    def astype(self, dtype, copy=True):
        """Returns the symbol itself for its own dtype; a mask cast to float32 becomes 0 and 1."""
        if numpy.dtype(dtype) == self.dtype:
            return self
        if self.dtype != BOOL or numpy.dtype(dtype) != FLOAT32:
            raise Unfit(f"a cast to {dtype}")
        return self.trace.as_float(self)


class Total:
    """A placeholder for an array without axes: the sum of all elements of a Float, divided by a
    number."""

    dtype = FLOAT32
    shape, ndim, size = (), 0, 1

    def __init__(self, terms, divisor=1):
        self.terms = terms
        self.divisor = divisor

    def __truediv__(self, number):
        if not isinstance(number, int | float | numpy.generic):
            raise Unfit("a quotient of arrays")
        return Total(self.terms, self.divisor * number)

    def astype(self, dtype, copy=True):
        """Returns the Total itself, which is float32; raises Unfit for another dtype."""
        if numpy.dtype(dtype) != FLOAT32:
            raise Unfit(f"a cast to {dtype}")
        return self


class FloatSpace(SymbolSpace):
    """The `xp` of a function that runs on Floats."""

    bodies = None
    level = 0
    low_precision = low_precision_products = low_precision_kernels = frozenset()

    def cast(self, x, dtype):
        """Returns `x` with another dtype; a Python number unchanged."""
        return x.astype(dtype) if isinstance(x, Symbol | Total) else x

    def sum(self, x, axis=None, dtype=None, keepdims=False):
        """Returns the Total of all elements; raises Unfit for a sum over some axes."""
        if axis is not None or keepdims or not isinstance(x, Float):
            raise Unfit("a sum over axes")
        return Total(x).astype(dtype or FLOAT32)

    def mean(self, x, axis=None, dtype=None, keepdims=False):
        """Returns the mean of all elements, a Total; raises Unfit for a mean over some axes."""
        return self.sum(x, axis, dtype, keepdims) / x.size

    def sum_of_squares(self, x, axis=None, keepdims=False):
        """Returns the Total of the squares of all elements."""
        return self.sum(self.square(x), axis, keepdims=keepdims)

    def where(self, condition, *choices):
        """Returns `yes` where the condition holds, else `no`."""
        if not isinstance(condition, Float):
            raise Unfit("a condition that is a number")
        yes, no = choices
        return self.trace.add("where", condition, yes, no)

    def blockwise(self, function, *arrays, **scalars):
        """Traces `function(xp, *arrays, **scalars)` as part of the kernel, and returns its
        result."""
        before, launches = len(self.trace.steps), self.trace.saved_launches
        result = function(self, *arrays, **scalars)
        self.trace.saved_launches = launches + max(len(self.trace.steps) - before - 1, 0)
        return result

    pointwise = blockwise

    def round(self, x, decimals=0):
        """Rounds to whole numbers, halves to even, as NumPy's `round` does; raises Unfit for other
        `decimals`."""
        if decimals:
            raise Unfit("decimals")
        return self.rint(x)

    def clip(self, x, low, high):
        """Limits `x` to the range from `low` to `high`."""
        return self.trace.add("clip", x, low, high)

    def stop(self, x):
        """Returns `x` without its gradient."""
        return self.trace.add("stop", x)

    def positive(self, x):
        """Returns `x` itself."""
        return x

    conj = real = positive

    def ones_like(self, x):
        """Returns 1.0, which arithmetic broadcasts."""
        return 1.0

    def zeros_like(self, x):
        """Returns 0.0, which arithmetic broadcasts."""
        return 0.0

    def asarray(self, x, dtype=None):
        """Returns a float for a number `x`; raises Unfit for an array, or a dtype other than
        float32."""
        if isinstance(x, Symbol) or dtype is not None and numpy.dtype(dtype) != FLOAT32:
            raise Unfit("an array of another dtype")
        return float(x)

    def finfo(self, dtype):
        """Returns NumPy's `finfo`."""
        return numpy.finfo(dtype)

    def __getattr__(self, name):
        if name in ("pi", "inf", "nan"):
            return getattr(numpy, name)
        if name in FUNCTIONS and FUNCTIONS[name].provided:
            return lambda *arguments: self._trace_composite(name, arguments)
        return super().__getattr__(name)

    def _trace_composite(self, name, arguments):
        """Traces a function of `xp` that an operator implements, and notes its steps. The gradient
        rule of the function is used, not the rules of the steps."""
        first = len(self.trace.steps)
        out = implementation(name)(self, *arguments)
        if isinstance(out, Float) and len(self.trace.steps) > first:
            self.trace.calls[out.number] = first, name, arguments
        return out


def _step(name):
    """Returns the method of FloatSpace that records `name` as a single step. SymbolSpace composes
    the same function of several steps."""

    def function(self, *operands):
        return self.trace.add(name, *operands)

    return function


for _name in ("square", "sigmoid", "softplus", "quick_ndtr", "at_least", "at_most"):
    setattr(FloatSpace, _name, _step(_name))


class FloatTrace(Trace):
    """The steps of `function(xp, *values)`.

    Args:
        function: the function.
        values: its arguments, with a Slot for each array.
        dtypes: the dtypes of the arrays.
        shapes: their Shapes.

    Attributes:
        found: the value that the function returned, with Floats for arrays.
        saved_launches (int): how many launches fewer than steps the function makes on arrays,
            because it calls `xp.pointwise`.
        calls (dict): number of a value -> the composed function of `xp` that returned it: the index
            of its first step, its name and its arguments.

    Raises:
        Exception: any error, if one kernel cannot compute the function.
    """

    space_type = FloatSpace

    def __init__(self, function, values, dtypes, shapes):
        self.shapes, self.calls, self.saved_launches = shapes, {}, 0
        self.name = f"upcast_{function.__name__.strip('<>')}"  # of a lambda, too
        self.names = [f"x{index}" for index in range(len(dtypes))]
        self.steps, self._texts, self._extents = [], {}, {}
        self._given = [
            Float(self, index, BOOL if dtype == BOOL else FLOAT32, shape)
            for index, (dtype, shape) in enumerate(zip(dtypes, shapes.of_arrays, strict=True))
        ]
        values = _map_values(values, Slot, lambda slot: self._given[slot.index])
        self.found = function(FloatSpace(self), *values)
        self._prepare = self._preparation(())

    def add(self, name, *operands):
        """Records a step; its result is a mask or a float."""
        if not all(map(_is_operand, operands)):
            raise Unfit(f"an operand of {name}")
        is_bool = PRIMITIVES[name].is_bool
        values = operands[1:] if name == "where" else operands
        dtypes = {item.dtype for item in values if isinstance(item, Float)}
        if not is_bool and FLOAT32 not in dtypes or name == "where" and BOOL in dtypes:
            raise Unfit(f"masks as operands of {name}")
        extents = [item.extent for item in operands if isinstance(item, Float)]
        extent = extents[0] if len(extents) == 1 else self._broadcast(extents)
        number = super().add(name, *operands).number
        self._extents[number] = extent
        return Float(self, number, BOOL if is_bool else FLOAT32, extent)

    def _broadcast(self, extents):
        try:
            return numpy.broadcast_shapes(*extents)
        except ValueError:  # other shapes may fit
            self.shapes.are_read = True
            raise

    def inputs(self):
        """Returns for each value the indices of the arrays on which it depends."""
        inputs = [{index} for index in range(len(self._given))]
        for step in self.steps:
            inputs.append(set().union(*[inputs[x] for x in step.operands if type(x) is int]))
        return inputs

    def as_float(self, mask):
        """Records the conversion of a mask to the floats 0 and 1, and returns the result."""
        number = super().add("where", mask, 1.0, 0.0).number
        self._extents[number] = mask.extent
        return Float(self, number, FLOAT32, mask.extent)

    def operand(self, value):
        """Returns an operand of a step as a Float or a number.

        Args:
            value: the number of a value, or the text (`s0`, ...) of a scalar.
        """
        if type(value) is not int:
            return float(self._preparation(())()[int(value[1:])])
        if value < len(self._given):
            return self._given[value]
        step = self.steps[value - len(self._given)]
        return Float(self, value, BOOL if step.is_bool else FLOAT32, self._extents[value])


class TotalOf:
    """The body of a kernel over one row (gpu.RowBody) that sums a value of a FloatTrace.

    Args:
        trace: the trace.
        total: the Total of one of its values.
    """

    def __init__(self, trace, total):
        self.steps, self.number = list(trace.steps), total.terms.number
        self.__name__ = f"total_of_{trace.name}"

    def __call__(self, symbols, *arrays, divisor, **scalars):
        values = dict(enumerate(arrays))
        for step in self.steps:
            operands = [values[x] if type(x) is int else scalars[x] for x in step.operands]
            values[step.result] = symbols.trace.add(step.name, *operands)
        return symbols.row_sum(values[self.number]) / divisor


def _is_operand(value):
    if isinstance(value, (Symbol, Scalar)) or type(value) in (int, float, bool):
        return True
    return isinstance(value, (numpy.generic, numpy.ndarray)) and not value.ndim


class Slot:
    """A placeholder for array number `index` among the arguments of a call."""

    __slots__ = ("index",)

    def __init__(self, index):
        self.index = index


def _map_values(value, kind, function):
    """Returns a value in which `function(x)` replaces each object x of type `kind`, including
    within tuples and lists."""
    if isinstance(value, kind):
        return function(value)
    if type(value) in (tuple, list):
        return type(value)([_map_values(item, kind, function) for item in value])
    return value


def _have_one_shape(arrays, choices):
    """Returns True if a kernel over all arrays gives each result the shape that it has by itself.

    Args:
        arrays: the arrays.
        choices: for each result, the indices of the arrays on which it depends.
    """
    shapes = _shapes(arrays)
    if shapes.count(shapes[0]) == len(shapes):
        return True
    whole = numpy.broadcast_shapes(*shapes)
    return all(
        any(shapes[index] == whole for index in choice)
        or numpy.broadcast_shapes(*[shapes[index] for index in choice]) == whole
        for choice in choices
    )


class UpcastKernels:
    """Compiles and runs functions as single kernels, for one CuPy. Each kernel is compiled at its
    first use. The space of the GPU has one as `upcast_kernels`.

    Args:
        module: CuPy, or its stand-in.
        dtypes (frozenset): the dtypes of low precision that the kernels read and write.
    """

    def __init__(self, module, dtypes):
        self.module = module
        self.dtypes = dtypes
        self._supported = {*dtypes, FLOAT32, BOOL}
        self._calls, self._kernels = {}, {}

    def run(self, function, values, dtypes, alias=False, whole=False):
        """Evaluates `function(xp, *values)` element by element.

        Args:
            function: the function; later calls with the same object reuse its kernel.
            values: its arguments: arrays, and values that can be hashed, possibly in tuples and
                lists.
            dtypes: the dtype of floats in the result; a tuple of dtypes for a function that returns
                a tuple, None for a result that is not needed.
            alias (bool): whether a result may be an argument itself, not a copy.
            whole (bool): whether all results get the shape of all arrays together, as gradients
                have before they are summed to the shapes of their arrays.

        Returns:
            The result of the function, or None if one kernel cannot compute it, or if it is one
            kernel in float32 anyway.
        """
        arrays = []
        key = function, dtypes, alias, whole, self._key(values, arrays)
        try:
            call = self._calls.get(key)
        except TypeError:  # a value that cannot be hashed
            return None
        if type(call) is dict:
            call = call.get(_shapes(arrays))
        if call is None:
            call = self._cached_call(key, function, values, arrays, dtypes, alias, whole)
        return call(arrays) if call else None

    def _cached_call(self, key, function, values, arrays, dtypes, *options):
        """Returns `_call` for these arguments, and stores it: under its key, or under the key and
        the shapes if the function has asked for one."""
        shapes = Shapes(arrays)
        call = self._call(function, values, arrays, shapes, dtypes, *options)
        if len(self._calls) >= MOST:
            self._calls.clear()
        if not shapes.are_read:
            self._calls[key] = call
            return call
        calls = self._calls.setdefault(key, {})
        if len(calls) >= MOST:
            calls.clear()
        calls[shapes.of_arrays] = call
        return call

    def _key(self, value, arrays):
        """Returns a key that identifies the kernel for an argument: the dtype of an array, the type
        and value of another object. Appends arrays to the list `arrays`."""
        kind = type(value)
        if kind is self.module.ndarray:
            arrays.append(value)
            return value.dtype
        if kind is tuple or kind is list:
            return (kind, *[self._key(item, arrays) for item in value])
        return kind, repr(value) if issubclass(kind, float | numpy.floating) else value

    def _call(self, function, values, arrays, shapes, dtypes, alias, whole):
        """Returns a function that takes the list of arrays and returns the call's result; False if
        one kernel cannot compute it."""
        input_dtypes = [array.dtype for array in arrays]
        if not self._supported.issuperset(input_dtypes):
            return False
        places = iter(range(len(arrays)))
        slots = _map_values(values, self.module.ndarray, lambda array: Slot(next(places)))
        try:
            trace = FloatTrace(function, slots, input_dtypes, shapes)
            if isinstance(trace.found, Total):
                return self._total(trace, input_dtypes, dtypes)
            launches = len(trace.steps) - trace.saved_launches
            if launches < 2 and self.dtypes.isdisjoint(input_dtypes):
                raise Unfit("a function that is one kernel in float32 anyway")
            return self._launch(trace, input_dtypes, dtypes, alias, whole)
        except Exception:  # code written for arrays may raise anything for symbols
            return False

    def _launch(self, trace, operands, dtypes, alias, whole):
        several = type(trace.found) in (tuple, list)
        traced_outputs = trace.found if several else (trace.found,)
        dtypes = dtypes if type(dtypes) is tuple else (dtypes,) * len(traced_outputs)
        if any(not isinstance(value, Float | None) for value in traced_outputs):
            raise Unfit("a result that is a number")
        # The outputs of the kernel; for each result, whether it is an input, and its index.
        outputs, sources = [], []
        for value, dtype in zip(traced_outputs, dtypes, strict=True):
            if value is None or dtype is None:
                sources.append(None)
            elif alias and value.number < len(operands):
                sources.append((True, value.number))
            else:
                sources.append((False, len(outputs)))
                outputs.append((value.number, BOOL if value.dtype == BOOL else dtype))
        kernel, numbers = self._kernel(trace, operands, outputs) if outputs else (None, ())
        inputs, count = trace.inputs(), len(operands)
        partial = [inputs[value] for value, _ in outputs if len(inputs[value]) < count]
        partial = [] if whole else partial

        if sources == [(False, 0)] and not partial:
            only = (lambda out: (out,)) if several else (lambda out: out)
            return lambda arrays: only(kernel(*arrays, *numbers))

        def launch(arrays):
            if partial and not _have_one_shape(arrays, partial):
                return None
            outputs = kernel(*arrays, *numbers) if kernel is not None else ()
            outputs = outputs if type(outputs) is tuple else (outputs,)
            results = [
                None if source is None else (arrays if source[0] else outputs)[source[1]]
                for source in sources
            ]
            return tuple(results) if several else results[0]

        return launch

    def _total(self, trace, input_dtypes, dtype):
        """Returns a function from the list of input arrays to the sum that `trace.found` describes,
        an array of the given dtype."""
        total, extents = trace.found, set(trace.shapes.of_arrays)
        size = total.terms.size
        if not size:
            raise Unfit("arrays without elements")
        if extents != {total.terms.shape}:
            if numpy.broadcast_shapes(*extents) != total.terms.shape:
                raise Unfit("terms that are fewer than the elements of an array")
            return self._total_of_broadcast(trace, input_dtypes, dtype)
        values = enumerate(trace.scalars({}))
        numbers = {"divisor": total.divisor, **{f"s{index}": value for index, value in values}}
        kind = ROUNDED if input_dtypes[0] == dtype else ROW
        body = TotalOf(trace, total)
        key = tuple(body.steps), body.number, tuple(input_dtypes), kind
        kernel = self._kernels.get(key)
        if kernel is None:
            kinds = (ELEMENT,) * len(input_dtypes)
            kernel = RowBody(
                self.module, body, kinds, (kind,), tuple(input_dtypes), {}, tuple(numbers)
            )
            self._kernels[key] = kernel

        def launch(arrays):
            arrays = [self.module.ascontiguousarray(array) for array in arrays]
            (result,) = kernel.run((1, 1, size), arrays, numbers)
            return result.reshape(()).astype(dtype, copy=False)

        return launch

    def _total_of_broadcast(self, trace, input_dtypes, dtype):
        """Does the same as `_total` for inputs of different shapes: one kernel broadcasts them and
        stores the terms in float32, and a second one adds the terms."""
        outputs = [(trace.found.terms.number, FLOAT32)]
        kernel, numbers = self._kernel(trace, input_dtypes, outputs)
        divisor = numpy.float32(trace.found.divisor)

        def launch(arrays):
            total = self.module.sum(kernel(*arrays, *numbers))
            return (total if divisor == 1 else total / divisor).astype(dtype, copy=False)

        return launch

    def _kernel(self, trace, operands, outputs):
        """Returns the kernel that computes `outputs` (pairs of a value's number and a dtype), and
        the numbers that it takes after the arrays."""
        numbers = tuple(map(float, trace.scalars({})))
        kinds = {FLOAT32: "float32", BOOL: "bool"}
        kinds |= {
            dtype: letter(index) for index, dtype in enumerate(operands) if dtype not in kinds
        }
        casts = {**kinds, FLOAT32: "float"}
        lines = [
            *(f"const float s{index} = n{index};" for index in range(len(numbers))),
            *(
                f"const {'bool' if dtype == BOOL else 'float'} v{index} = x{index};"
                for index, dtype in enumerate(operands)
            ),
            *(step_line(step, "float") for step in trace.steps),
            *(
                f"o{index} = ({casts[dtype]})v{value};"
                for index, (value, dtype) in enumerate(outputs)
            ),
        ]
        inputs = [f"{letter(index)} x{index}" for index in range(len(operands))]
        inputs += [f"float32 n{index}" for index in range(len(numbers))]
        results = [f"{kinds[dtype]} o{index}" for index, (_, dtype) in enumerate(outputs)]
        text = ", ".join(inputs), ", ".join(results), "\n".join(lines), trace.name
        kernel = self._kernels.get((text, tuple(operands)))
        if kernel is None:
            kernel = self._kernels[text, tuple(operands)] = self.module.ElementwiseKernel(*text)
        return kernel, numbers
