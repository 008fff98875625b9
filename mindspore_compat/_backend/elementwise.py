"""The one table of elementwise primitives: the code of each step of a formula, by language.

A formula that runs on symbols (bodies/symbols.py) leaves named steps. This table has the text of
each step in CUDA C, in loops that Numba compiles, and in Python for steps of numbers alone. The
gradient of a step is the gradient of the function of `xp`, from the catalogue and the table of vjp
rules.

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
        passes: about how many passes over an array NumPy makes for it.
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
    passes: int = 1
    is_bool: bool = False


def _binary(name, sign, ufuncs):
    """Returns the Elementwise of a binary operator whose `sign` is the same in C and in Python."""
    text = f"{{}} {sign} {{}}"
    return Elementwise(name, text, text, number=f"({text})", ufuncs=ufuncs)


def _comparison(name, sign):
    text = f"{{}} {sign} {{}}"
    return Elementwise(name, text, text, ufuncs=name, is_bool=True)


def _function(name, number=""):
    """Returns the Elementwise of a function whose rounding no standard prescribes. Unless `number`
    is empty, steps of numbers compute it by the function of this name in Python's `math`."""
    call = f"{name}({{}})"
    number = number and f"math.{call}"
    return Elementwise(name, call, call, exact=False, number=number, c_number=call, passes=2)


def _cuda(name, c, **facts):
    """Returns the Elementwise of a function that only CUDA kernels compute, not loops."""
    return Elementwise(name, c, "", exact=False, **facts)


def _composed(name, c, passes):
    """Returns the Elementwise of a function that NumPy computes in many passes. Only formulas over
    single elements have it as one step; in others SymbolSpace composes it."""
    return Elementwise(name, c, f"{name}({{}})", exact=False, passes=passes)


_SAME_IN_C = "sin cos tan sinh cosh ceil floor rint erfc erfinv"  # functions of one x
_TESTS = "isnan isinf isfinite signbit"
_FMOD = "fmod({0}, {1}) + ({1} - {1})"  # NaN if the divisor is infinite, and never -0
_REMAINDER = (  # likewise, with the sign of the divisor
    "fmod({0}, {1}) + ({1} - {1}) + "
    "(fmod({0}, {1}) != 0 && (fmod({0}, {1}) < 0) != ({1} < 0) ? {1} : 0)"
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
            number="({0} if {0} > {1} or {0} != {0} else {1})",
            c_number="({0} > {1} || {0} != {0} ? {0} : {1})",
            ufuncs="maximum",
        ),
        Elementwise(
            "minimum",
            "{0} < {1} || {0} != {0} ? {0} : {1}",
            "({0} if ({0} < {1}) | ({0} != {0}) else {1})",
            number="({0} if {0} < {1} or {0} != {0} else {1})",
            c_number="({0} < {1} || {0} != {0} ? {0} : {1})",
            ufuncs="minimum",
        ),
        # Loops compute them as host/select.py does for large arrays, with a bound that is not NaN;
        # where both are zeros, the result has the sign of the first.
        Elementwise(
            "at_least", "{0} < {1} || {1} != {1} ? {1} : {0}", "({1} if {0} < {1} else {0})"
        ),
        Elementwise(
            "at_most", "{0} > {1} || {1} != {1} ? {1} : {0}", "({1} if {0} > {1} else {0})"
        ),
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
        Elementwise("trunc", "trunc({})", "", single="numpy.trunc({})"),
        Elementwise(
            "power", "pow({}, {})", "", exact=False, number="({} ** {})", c_number="pow({}, {})"
        ),
        _function("exp", "math.exp({})"),
        _function("log", "math.log({})"),
        _function("expm1"),
        _function("log1p"),
        _function("tanh"),
        _function("erf"),
        _function("exp2"),
        _function("log2"),
        _function("log10"),
        # Of kernels alone:
        *(_cuda(name, f"{name}({{}})") for name in _SAME_IN_C.split()),
        *(_cuda(f"arc{name}", f"a{name}({{}})") for name in "sin cos tan sinh cosh tanh".split()),
        _cuda("arctan2", "atan2({}, {})"),
        *(_cuda(name, f"{name}({{}}, {{}})") for name in "copysign hypot fmax fmin".split()),
        *(_cuda(name, f"{name}({{}})", is_bool=True) for name in _TESTS.split()),
        _cuda("logical_xor", "!{} != !{}", is_bool=True, masks=2),
        _cuda("square", "{0} * {0}"),
        _cuda("reciprocal", "1 / {}"),
        _cuda("rsqrt", "1 / sqrt({})"),
        _composed("sigmoid", "1 / (1 + exp(-{}))", 5),
        _cuda("softplus", "({0} > 0 ? {0} : 0) + log1p(exp(-fabs({0})))"),
        _composed("quick_ndtr", "0.5f * erfc(-0.70710678f * {})", 24),
        _cuda(
            "logaddexp",
            "{0} == {1} ? {0} + 0.69314718f : fmax({0}, {1}) + log1p(exp(-fabs({0} - {1})))",
        ),
        _cuda("xlogy", "{0} == 0 && {1} == {1} ? 0 : {0} * log({1})"),
        _cuda("sinc", "{0} == 0 ? 1 : sin(3.14159265f * {0}) / (3.14159265f * {0})"),
        _cuda(
            "clip",
            "{0} != {0} ? {0} : {1} != {1} ? {1} : "
            "{2} != {2} || {0} > {2} || {1} > {2} ? {2} : {0} < {1} ? {1} : {0}",
        ),
        _cuda("fmod", _FMOD),
        _cuda("remainder", _REMAINDER),
        _cuda("mod", _REMAINDER),
        _cuda("gammaln", "lgamma({})"),
        _cuda("stop", "{}"),
    )
}


def texts(choose):
    """Returns a dict: name of a primitive -> the text `choose(primitive)`. Primitives for which the
    text is empty are left out."""
    rows = ((name, choose(primitive)) for name, primitive in PRIMITIVES.items())
    return {name: text for name, text in rows if text}
