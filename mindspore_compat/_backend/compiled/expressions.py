"""The Python text of compiled loops over float32: one step of a trace as a line."""

import numpy

from ..elementwise import texts

FLOAT = numpy.dtype(numpy.float32)
EXPRESSIONS = {**texts(lambda primitive: primitive.single or primitive.loop), "constant": "{}"}
# computed by vector_math.py, many instructions each
FUNCTIONS = texts(lambda primitive: not primitive.exact and primitive.loop).keys()


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
