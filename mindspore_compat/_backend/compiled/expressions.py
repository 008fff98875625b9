"""Python source text for compiled loops over float32: one line for each step of a trace."""

import numpy

from ..elementwise import texts

FLOAT = numpy.dtype(numpy.float32)
EXPRESSIONS = {**texts(lambda primitive: primitive.single or primitive.loop), "constant": "{}"}
# functions of vector_math.py, which take many instructions
FUNCTIONS = texts(lambda primitive: not primitive.exact and primitive.loop).keys()


def operand(value):
    """The text of an operand: the number of a value of the trace, or the text of a scalar."""
    return f"v{value}" if type(value) is int else value


def line(step):
    """The line of a step that is computed for each element or each row."""
    if step.name == "row_size":
        return f"v{step.result} = single(length)"
    if step.name == "at_column":
        return f"v{step.result} = whole(at) == d{step.result}"
    return f"v{step.result} = {EXPRESSIONS[step.name].format(*map(operand, step.operands))}"


def indented(lines, depth):
    """Lines indented by `depth` more levels."""
    return ["    " * depth + text for text in lines]
