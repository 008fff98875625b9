"""The table of elementwise primitives against NumPy and the catalogue."""

import math
import string

import numpy
import pytest

from mindspore_compat._backend import arrays
from mindspore_compat._backend.bodies.symbols import SymbolSpace
from mindspore_compat._backend.catalogue import FUNCTIONS
from mindspore_compat._backend.compiled import vector_math
from mindspore_compat._backend.elementwise import PRIMITIVES
from mindspore_compat._backend.steps.elementwise_calls import ElementSpace
from mindspore_compat._core.autograd import operators

SINGLE = numpy.float32
NUMBERS = numpy.array([0, -0.0, 1, -1, 0.75, 2.5, -3.5, math.inf, -math.inf, math.nan], SINGLE)
SCOPE = {
    **vars(vector_math),
    "sqrt": numpy.sqrt,
    "fabs": numpy.fabs,
    "single": SINGLE,
    "math": math,
}
BOUNDS = ("at_least", "at_most")  # not compared for a bound of NaN, which never occurs
POSITIVE = ("sqrt", "log", "log1p", "power")  # compared only where NumPy's result is a number


def computed(text, operands):
    """Evaluates the text of a loop's expression for numbers."""
    names = {f"v{index}": value for index, value in enumerate(operands)}
    return eval(text.format(*names), {**SCOPE, **names})


def operand_rows(primitive):
    """Returns the operands to test: all pairs of NUMBERS, and both values of masks."""
    text = primitive.loop or primitive.single
    count = text.count("{}") or sum(f"{{{place}}}" in text for place in range(3))
    first = (numpy.True_, numpy.False_) if primitive.masks else NUMBERS
    second = first if primitive.masks > 1 else NUMBERS
    if count == 1:
        return [(x,) for x in first]
    if count == 2:
        return [(x, y) for x in first for y in second]
    return [(x, y, z) for x in first for y in NUMBERS for z in NUMBERS[:3]]


@pytest.mark.parametrize("name", [name for name, one in PRIMITIVES.items() if name != "copy"])
def test_loops_compute_what_numpy_does(name):
    primitive = PRIMITIVES[name]
    function = getattr(arrays.HOST, name)
    for text in filter(None, {primitive.loop, primitive.single}):
        for operands in operand_rows(primitive):
            with numpy.errstate(all="ignore"):
                wanted = function(*map(numpy.asarray, operands))
            if name in POSITIVE and numpy.isnan(wanted):
                continue
            if name in BOUNDS and numpy.isnan(operands[1]):
                continue
            with numpy.errstate(all="ignore"):
                found = computed(text, operands)
            tolerance = 0 if primitive.exact else 1e-6
            numpy.testing.assert_allclose(
                found, wanted, rtol=tolerance, atol=tolerance, err_msg=text
            )
            assert not primitive.is_bool or found in (True, False)


@pytest.mark.parametrize("name", [name for name, one in PRIMITIVES.items() if one.number])
def test_numbers_alone_are_computed_as_arrays(name):
    text = PRIMITIVES[name].number
    function = getattr(arrays.HOST, name)
    fields = [field for _, field, *_ in string.Formatter().parse(text) if field is not None]
    count = len(fields) if "" in fields else len(set(fields))
    operands = (0.75, 2.5)[:count]
    found = eval(text.format(*operands), {"math": math})
    numpy.testing.assert_allclose(found, function(*map(numpy.asarray, operands)), rtol=1e-15)


def test_every_primitive_has_its_gradient_in_the_catalogue():
    for name in PRIMITIVES.keys() - {"copy", "stop"}:  # no functions with a gradient
        assert FUNCTIONS[name].gradient in ("rule", "constant")
        assert FUNCTIONS[name].family == "pointwise"
    assert set(operators._COMPARISONS.values()) <= PRIMITIVES.keys()


def test_functions_of_numpy_are_those_of_its_name():
    for name, primitive in PRIMITIVES.items():
        for ufunc in primitive.ufuncs.split():
            numpy.testing.assert_array_equal(
                getattr(numpy, ufunc)(*[numpy.ones(2)] * getattr(numpy, ufunc).nin),
                getattr(arrays.HOST, name)(*[numpy.ones(2)] * getattr(numpy, ufunc).nin),
            )


def test_symbols_have_functions_that_are_listed():
    own = {name for name in vars(SymbolSpace) if not name.startswith("_")}
    own |= {name for name in vars(ElementSpace) if not name.startswith("_")}
    assert own <= FUNCTIONS.keys() | {"trace"}
    with pytest.raises(AttributeError, match="cannot be fused"):
        _ = SymbolSpace(None).i0
