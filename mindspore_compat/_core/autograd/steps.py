"""Derives a gradient rule for an elementwise body that has none, so that the gradient can run as
one kernel. `Op` (declare/op.py) uses it.

Such a body is usually differentiated through Traced values, function by function. If the body runs
as one kernel (_backend/bodies/upcast.py), its gradient should, too. The rule of `rule_of` therefore
runs the body on symbols, and goes back over its steps: each step is a function of `xp` and has a
vjp rule. On Traced values the rule records the body as usual, which gives derivatives of higher
order.
"""

import inspect

from ..._backend.bodies.upcast import FloatSpace, Total
from .tape import backward, leaf
from .vjp_rule import VjpRule
from .vjp_rules import TABLE


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
    gradients = {result.number: g}
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
                has_gradient = number in gradients
                gradients[number] = gradients[number] + gradient if has_gradient else gradient
    return tuple(None if x is None else gradients.get(x.number) for x in arrays)


def _number(value):
    """Returns the number of a symbol that has a gradient; None for a mask or a number."""
    return value.number if getattr(value, "dtype", None) == "float32" else None


def _by_tape(xp, g, body, values, arrays):
    """Returns the gradients of `arrays`, Traced values, by a backward pass that is itself
    recorded."""
    ends = {id(x): leaf(x.node, x.shape, x.dtype) for x in arrays if x is not None}
    fresh = [xp.wrap(x.array, ends[id(x)]) if id(x) in ends else x for x in values]
    gradients = backward([body(xp, *fresh).node], [g], list(ends.values()), True)
    gradients = dict(zip(ends, gradients, strict=True))
    return tuple(None if x is None else gradients[id(x)] for x in arrays)
