"""The one table of elementwise primitives: the code of each step of a formula, by language.

A formula that runs on symbols (bodies/symbols.py) leaves named steps. This table has the text of
each step in CUDA C, in loops that Numba compiles, and in Python for steps of numbers alone. The
gradient of a step is that of the function of `xp`, from the catalogue and the table of vjp rules.

Worked example: `xp.maximum(x, 0.0)` is the step `2 = maximum(0, s0)`; a kernel computes
`v0 > s0 || v0 != v0 ? v0 : s0` and a loop `(v0 if (v0 > s0) | (v0 != v0) else s0)`.
"""

from typing import NamedTuple


class Elementwise(NamedTuple):
    """An elementwise primitive.

    Attributes:
        name: the name of the step; the function of `xp` has the same name unless `ufuncs` differs.
        c: the C expression, with "{}" for operands; empty if kernels do not support it.
        loop: the Python text for loops; empty if they do not support it.
        single: the text for loops over float32, if it differs: Numba computes some expressions of
            float32 in float64.
        exact: whether IEEE 754 rounds it correctly, so that loops are bitwise equal to NumPy. Loops
            take other functions from compiled/vector_math.py.
        number: the Python text for numbers alone; empty if no formula needs it.
        c_number: the C text for numbers alone, if it differs.
        ufuncs: the names of the NumPy functions that it computes on floats.
        masks: the number of leading operands that are masks.
        is_bool: whether its result is a mask.
    """

    name: str
    c: str
    loop: str
    single: str = ""
    exact: bool = True
    number: str = ""
    c_number: str = ""
    ufuncs: str = ""
    masks: int = 0
    is_bool: bool = False


def _binary(name, sign, ufuncs):
    """A binary operator with the same syntax in C and Python."""
    text = f"{{}} {sign} {{}}"
    return Elementwise(name, text, text, number=f"({text})", ufuncs=ufuncs)


def _comparison(name, sign):
    text = f"{{}} {sign} {{}}"
    return Elementwise(name, text, text, ufuncs=name, is_bool=True)


def _function(name, number=""):
    """A function whose rounding no standard prescribes."""
    call = f"{name}({{}})"
    return Elementwise(
        name, call, call, exact=False, number=number and f"math.{call}", c_number=call
    )


PRIMITIVES = {
    primitive.name: primitive
    for primitive in (
        _binary("add", "+", "add"),
        _binary("subtract", "-", "subtract"),
        _binary("multiply", "*", "multiply"),
        _binary("divide", "/", "divide true_divide"),
        Elementwise("negative", "-{}", "-{}", number="(-{})", ufuncs="negative"),
        Elementwise(
            "abs",
            "fabs({})",
            "fabs({})",
            single="abs({})",
            number="abs({})",
            c_number="fabs({})",
            ufuncs="abs absolute fabs",
        ),
        Elementwise(
            "sqrt",
            "sqrt({})",
            "sqrt({})",
            single="single(sqrt({}))",
            number="math.sqrt({})",
            c_number="sqrt({})",
            ufuncs="sqrt",
        ),
        Elementwise(
            "maximum",
            "{0} > {1} || {0} != {0} ? {0} : {1}",
            "({0} if ({0} > {1}) | ({0} != {0}) else {1})",
            number="max({}, {})",
            c_number="fmax({}, {})",
            ufuncs="maximum",
        ),
        Elementwise(
            "minimum",
            "{0} < {1} || {0} != {0} ? {0} : {1}",
            "({0} if ({0} < {1}) | ({0} != {0}) else {1})",
            number="min({}, {})",
            c_number="fmin({}, {})",
            ufuncs="minimum",
        ),
        # As host/select.py computes them for large arrays, with a bound that is not NaN; where both
        # are zeros the sign is that of the first.
        Elementwise("at_least", "", "({1} if {0} < {1} else {0})"),
        Elementwise("at_most", "", "({1} if {0} > {1} else {0})"),
        Elementwise("copy", "", "{}"),
        _comparison("greater", ">"),
        _comparison("greater_equal", ">="),
        _comparison("less", "<"),
        _comparison("less_equal", "<="),
        _comparison("equal", "=="),
        _comparison("not_equal", "!="),
        Elementwise("logical_and", "{} && {}", "{} & {}", masks=2, is_bool=True),
        Elementwise("logical_or", "{} || {}", "{} | {}", masks=2, is_bool=True),
        Elementwise("logical_not", "!{}", "not {}", masks=1, is_bool=True),
        Elementwise(
            "where", "{} ? {} : {}", "({1} if {0} else {2})", "single({1} if {0} else {2})", masks=1
        ),
        Elementwise(
            "sign",
            "{0} > 0 ? 1 : ({0} < 0 ? -1 : {0})",
            "",
            single="(single(1) if {0} > 0 else single(-1) if {0} < 0 else {0})",
        ),
        Elementwise(
            "power", "pow({}, {})", "", exact=False, number="({} ** {})", c_number="pow({}, {})"
        ),
        _function("exp", "math.exp({})"),
        _function("log", "math.log({})"),
        _function("expm1"),
        _function("log1p"),
        _function("tanh"),
        _function("erf"),
    )
}


def texts(choose):
    """name -> `choose(primitive)`, for the primitives with a text that is not empty."""
    rows = ((name, choose(primitive)) for name, primitive in PRIMITIVES.items())
    return {name: text for name, text in rows if text}
