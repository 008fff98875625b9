"""Python source text for compiled loops over float32. The generators of loops (bodies/, steps/,
recurrent/) take from here a line for each step of a trace, or the text of a formula that they run
on Terms."""

import numpy

from ..elementwise import texts

FLOAT = numpy.dtype(numpy.float32)
EXPRESSIONS = {**texts(lambda primitive: primitive.single or primitive.loop), "constant": "{}"}
# Functions of vector_math.py, which take many instructions.
FUNCTIONS = texts(lambda primitive: not primitive.exact and primitive.loop).keys()


def operand(value):
    """Returns the text of an operand: `v3` for value 3 of the trace; a scalar's text (`s0`)
    unchanged."""
    return f"v{value}" if type(value) is int else value


def line(step):
    """Returns the line of source that assigns the result of a step of a trace."""
    if step.name == "row_size":
        return f"v{step.result} = single(length)"
    if step.name == "at_column":
        return f"v{step.result} = whole(at) == d{step.result}"
    return f"v{step.result} = {EXPRESSIONS[step.name].format(*map(operand, step.operands))}"


def indented(lines, depth):
    """Returns lines of source, indented by `depth` more levels."""
    return ["    " * depth + text for text in lines]


class Term:
    """A value in the text of a loop. A formula that runs on Terms gives its own text:

        str(Term("x[j]") * (1 - Term("m")))  # "(x[j] * (single(1) - m))"

    Args:
        text (str): an expression.
    """

    __slots__ = ("_text",)

    def __init__(self, text):
        self._text = text

    def __str__(self):
        return self._text

    def __add__(self, other):
        return Term(f"({self} + {_term(other)})")

    def __sub__(self, other):
        return Term(f"({self} - {_term(other)})")

    def __rsub__(self, other):
        return Term(f"({_term(other)} - {self})")

    def __mul__(self, other):
        return Term(f"({self} * {_term(other)})")


def _term(value):
    return f"{value}" if type(value) is Term else f"single({value})"
