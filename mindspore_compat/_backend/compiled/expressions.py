"""The Python text of compiled loops over float32: one step of a trace as a line."""

import numpy

from . import jit

FLOAT = numpy.dtype(numpy.float32)
FUNCTIONS = ("exp", "expm1", "log", "log1p", "tanh", "erf")
EXPRESSIONS = {
    **jit.EXPRESSIONS,
    **{name: name + "({})" for name in FUNCTIONS},
    "abs": "abs({})",
    "sqrt": "single(sqrt({}))",
    "sign": "(single(1) if {0} > 0 else single(-1) if {0} < 0 else {0})",
    "maximum": "({0} if ({0} > {1}) | ({0} != {0}) else {1})",
    "minimum": "({0} if ({0} < {1}) | ({0} != {0}) else {1})",
    "equal": "{} == {}",
    "logical_or": "{} | {}",
    "where": "single({1} if {0} else {2})",
    "constant": "{}",
}


def operand(value):
    """A value of a trace by its number, or the text of a scalar."""
    return f"v{value}" if type(value) is int else value


def line(step):
    """One step that is found for each element, or for each row."""
    if step.name == "row_size":
        return f"v{step.result} = single(length)"
    if step.name == "at_column":
        return f"v{step.result} = whole(at) == d{step.result}"
    return f"v{step.result} = {EXPRESSIONS[step.name].format(*map(operand, step.operands))}"


def indented(lines, depth):
    """Lines some levels further in."""
    return ["    " * depth + each for each in lines]
