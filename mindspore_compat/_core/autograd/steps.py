"""Derives a gradient rule for an elementwise body that has none, so that the gradient can run as
one kernel. `Op` (declare/op.py) uses it, and so does `xp.pointwise` on Traced values on a GPU.

Such a body is usually differentiated through Traced values, function by function. If the body runs
as one kernel (_backend/bodies/upcast.py), its gradient should, too. The rule of `rule_of` therefore
runs the body on symbols, and goes back over its steps: each step is a function of `xp` and has a
vjp rule. On Traced values the rule records the body as usual, which gives derivatives of higher
order.
"""

import functools
import inspect

from ..._backend.bodies.upcast import FloatSpace, Total
from .tape import FLOAT32, backward, leaf, record, record_many
from .traced import Traced, TracedSpace, traced_space
from .vjp_rule import VjpRule, fit
from .vjp_rules import TABLE, compose


def rule_of(name, body, parameters, inputs):
    """Returns the VjpRule of an elementwise body.

    Args:
        name (str): the operation.
        body (Callable): `body(xp, *parameters)`.
        parameters (list[str]): the names of its parameters.
        inputs (list[str]): the names of the parameters that are arrays.
    """

    def joint(xp, g, *values):
        gradients = _by_steps if isinstance(xp, FloatSpace) else _by_tape
        arrays = [value for name, value in zip(parameters, values) if name in inputs]
        return gradients(xp, g, body, values, arrays)

    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    joint.__signature__ = inspect.Signature(
        [inspect.Parameter(parameter_name, kind) for parameter_name in ("xp", "g", *parameters)]
    )
    return VjpRule(name, inputs, joint=joint)


def _by_steps(symbols, g, body, values, arrays):
    """Returns the gradients of `arrays`, symbols, by the vjp rule of each step of the body; the
    gradients are symbols of the same trace."""
    trace = symbols.trace
    start = len(trace.steps)
    result = body(symbols, *values)
    if isinstance(result, Total):
        result, g = result.terms, g / result.divisor
    gradients = {}
    for value, part in zip(result, g) if type(result) is tuple else ((result, g),):
        if part is not None:
            _add(gradients, value.number, part)
    index = len(trace.steps)
    while index > start:
        index -= 1
        step = trace.steps[index]
        name, operands = step.name, map(trace.operand, step.operands)
        if step.result in trace.calls:
            index, name, operands = trace.calls[step.result]
        g = gradients.pop(step.result, None)
        if g is None or name not in TABLE:
            continue
        entry = TABLE[name]
        operands = inspect.signature(entry.signature).bind(*operands)
        operands.apply_defaults()
        operands = operands.arguments
        saved = {**operands, "out": trace.operand(step.result)}
        numbers = [_number(operands[name]) for name in entry.rule.inputs]
        needs_grad = [number is not None for number in numbers]
        gradients_of_inputs = entry.rule.pull(
            symbols, g, tuple(saved[name] for name in entry.rule.saves), needs_grad
        )
        for number, gradient in zip(numbers, gradients_of_inputs):
            if number is not None and gradient is not None:
                _add(gradients, number, gradient)
    return tuple(None if x is None else gradients.get(x.number) for x in arrays)


def _add(gradients, number, gradient):
    """Adds `gradient` to the gradient that a dict holds for the value `number`."""
    gradients[number] = gradients[number] + gradient if number in gradients else gradient


def _number(value):
    """Returns the number of a symbol that has a gradient; None for a mask or a number."""
    return value.number if getattr(value, "dtype", None) == "float32" else None


def _by_tape(xp, g, body, values, arrays):
    """Returns the gradients of `arrays` by a backward pass. The backward pass of Traced values is
    itself recorded.
    """
    higher = isinstance(xp, TracedSpace)
    space = xp if higher else traced_space(xp)
    ends = {
        id(x): leaf(x.node if higher else None, x.shape, x.dtype)
        for x in arrays
        if x is not None and (type(x) is Traced) is higher
    }
    fresh = [
        space.wrap(x.array if higher else x, ends[id(x)]) if id(x) in ends else x for x in values
    ]
    result = body(space, *fresh)
    results, parts = (result, g) if type(result) is tuple else ((result,), (g,))
    pairs = [(value.node, part) for value, part in zip(results, parts) if part is not None]
    gradients = dict(zip(ends, backward(*zip(*pairs), list(ends.values()), higher), strict=True))
    return tuple([gradients.get(id(x)) for x in arrays])


# xp.pointwise and xp.blockwise --------------------------------------------------------------------


@compose
def pointwise(xp, function, *arrays, **scalars):
    """Evaluates an elementwise function of Traced values. On a GPU it is one node of the tape whose
    gradients are one kernel; elsewhere its parts are recorded."""
    if not _fit_one_kernel(xp.base, arrays):
        return function(xp, *arrays, **scalars)
    parents = tuple([x.node if type(x) is Traced else None for x in arrays])
    plain = [x.array if type(x) is Traced else x for x in arrays]
    out = xp.base.pointwise(function, *plain, **scalars)
    if all([parent is None for parent in parents]):
        return (
            xp.wrap(out, None)
            if type(out) is not tuple
            else tuple([xp.wrap(part, None) for part in out])
        )
    rule, saved = _rule_of_function(function), (plain, tuple(scalars.items()))
    metas = [(x.shape, x.dtype) for x in plain]
    if type(out) is not tuple:
        return xp.wrap(out, record(rule, parents, saved, metas))
    nodes = record_many(rule, parents, saved, metas, out)
    return tuple([xp.wrap(part, node) for part, node in zip(out, nodes)])


@compose
def blockwise(xp, function, *arrays, **scalars):
    """Evaluates an elementwise function as `pointwise` does."""
    return pointwise(xp, function, *arrays, **scalars)


def _fit_one_kernel(space, arrays):
    """Returns True if the arguments are arrays on a GPU, Traced or not, of one dtype, float32 or
    lower."""
    kernels = getattr(space, "upcast_kernels", None)
    dtype = getattr(arrays[0], "dtype", None)
    if kernels is None or dtype != FLOAT32 and dtype not in kernels.dtypes:
        return False
    kind = kernels.module.ndarray
    arrays = [x.array if type(x) is Traced else x for x in arrays]
    return all([type(x) is kind and x.dtype == dtype for x in arrays])


def vjp_of(xp, function, g, arrays, scalars=(), needs_grad=None):
    """Returns the gradients of an elementwise function for its arrays, in their shapes; on a GPU by
    one kernel, and sums over axes that were broadcast.

    Args:
        xp: the space of the arrays.
        function: `function(xp, *arrays, **scalars)`, without a closure.
        g: the gradient of its result, or a tuple of the gradients of its results; None for a result
            without a gradient.
        arrays (list): the arrays, of one dtype.
        scalars: pairs of names and numbers or flags.
        needs_grad: for each array, whether a gradient is needed; None for all.
    """
    needs_grad = needs_grad or [True] * len(arrays)
    first = next(part for part in (g if type(g) is tuple else (g,)) if part is not None)
    if type(first) is not Traced and _fit_one_kernel(xp, arrays):
        dtypes = tuple(
            None if not wanted else x.dtype if x.shape == first.shape else FLOAT32
            for x, wanted in zip(arrays, needs_grad)
        )
        values = g, list(arrays), scalars
        gradients = xp.upcast_kernels.run(_steps_of(function), values, dtypes, whole=True)
        if gradients is not None:
            return [
                part if part is None else fit(xp, part, x.shape, x.dtype)
                for x, part in zip(arrays, gradients)
            ]
    return _by_tape(xp, g, _with(function, scalars), arrays, arrays)


@functools.cache
def _steps_of(function):
    """Returns the function that computes `vjp_of` on symbols, one object for each function."""

    def steps(symbols, g, arrays, scalars):
        return _by_steps(symbols, g, _with(function, scalars), arrays, arrays)

    steps.__name__ = f"{function.__name__}_vjp"
    return steps


@functools.cache
def _rule_of_function(function):
    """Returns the VjpRule of `xp.pointwise` for an elementwise function."""

    def joint(xp, g, arrays, scalars, needs_grad):
        return (list(vjp_of(xp, function, g, arrays, scalars, needs_grad)),)

    joint.fills = False
    return VjpRule(function.__name__, ["arrays"], joint=joint, upcast=False, many=True)


def _with(function, scalars):
    return lambda xp, *arrays: function(xp, *arrays, **dict(scalars))
