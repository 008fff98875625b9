"""The one table of elementwise primitives: what the steps of a formula become in each program.

A formula that is run on symbols (bodies/symbols.py) leaves steps by name. Here stands what each is
in CUDA C, in the loops that Numba compiles, and in Python where a step takes numbers alone. As a
function of `xp` each has its gradient by the catalogue and the table of vjp rules.

Worked example: `xp.maximum(x, 0.0)` is the step `2 = maximum(0, s0)`; a kernel computes
`v0 > s0 || v0 != v0 ? v0 : s0` and a loop `(v0 if (v0 > s0) | (v0 != v0) else s0)`.
"""

from typing import NamedTuple


class Elementwise(NamedTuple):
    """An elementwise primitive.

    Attributes:
        name: of the step; a function of `xp` has the same name unless `ufuncs` says otherwise.
        c: the C expression, over "{}"s; empty where kernels have none.
        loop: the Python text of loops; empty where they have none.
        single: the text of loops over float32, where it is another one: Numba computes some
            expressions of float32 in float64.
        exact: whether IEEE 754 rounds it correctly, so that loops have NumPy's bits. Loops take
            other functions from compiled/vector_math.py.
        number: the Python text for numbers alone; empty where a formula needs none.
        c_number: the C text for numbers alone, where it is another one.
        ufuncs: the names of NumPy's functions that it computes on floats.
        masks: how many of its operands, the first ones, are masks.
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
    """Arithmetic with an operator that C and Python write alike."""
    text = f"{{}} {sign} {{}}"
    return Elementwise(name, text, text, number=f"({text})", ufuncs=ufuncs)


def _comparison(name, sign):
    text = f"{{}} {sign} {{}}"
    return Elementwise(name, text, text, ufuncs=name, is_bool=True)


def _function(name, number=""):
    """A function that no standard rounds."""
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
    """name -> text, for the primitives that `choose(primitive)` gives one for."""
    found = ((name, choose(primitive)) for name, primitive in PRIMITIVES.items())
    return {name: text for name, text in found if text}
