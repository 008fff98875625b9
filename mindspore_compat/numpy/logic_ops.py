"""mindspore.numpy: comparison, logic, tests of numbers, dtypes of results."""

from .._core import dtype as dtypes
from .._core.promotion import promote_np
from .._core.surface import build
from .._core.tensor import Tensor
from ..ops import _compare, _reduce
from ..ops._cast import named_dtype
from ._convert import as_tensor, need_tensor, with_dtype

__all__ = ["array_equal", "array_equiv", "isclose", "isneginf", "isposinf", "isscalar",
           "logical_not", "promote_types",
           "result_type", "signbit", "sometrue"]

_COMPARISONS = {
    "equal": "equal", "not_equal": "not_equal", "less": "less", "less_equal": "less_equal",
    "greater": "greater",
    "greater_equal": "greater_equal", "logical_and": "logical_and", "logical_or": "logical_or",
    "logical_xor": "logical_xor",
}
_TESTS = {"isfinite": "isfinite", "isinf": "isinf", "isnan": "isnan"}


def _comparison(name, op_name):
    def function(x1, x2, dtype=None):
        return with_dtype(build("ops", op_name)(as_tensor(x1, name), as_tensor(x2, name)), dtype,
                          name)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (f"`ops.{op_name}` of two array-like values; `dtype` is that of the "
                        "result, bool by default.")
    globals()[name] = function
    __all__.append(name)


def _test(name, op_name):
    def function(x, dtype=None):
        return with_dtype(build("ops", op_name)(need_tensor(x, name)), dtype, name)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (f"`ops.{op_name}` of a Tensor; `dtype` is that of the result, bool by "
                        "default.")
    globals()[name] = function
    __all__.append(name)


for _name, _op in _COMPARISONS.items():
    _comparison(_name, _op)
for _name, _op in _TESTS.items():
    _test(_name, _op)


def logical_not(a, dtype=None):
    """True where the element is false."""
    return with_dtype(_compare.logical_not.run(need_tensor(a, "logical_not")), dtype, "logical_not")


def isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """True where |a - b| <= atol + rtol |b|."""
    return _compare.isclose.run(as_tensor(a, "isclose"), as_tensor(b, "isclose"), rtol, atol,
                                equal_nan)


def isneginf(x):
    """True where the element is minus infinity."""
    return build("ops", "isneginf")(need_tensor(x, "isneginf"))


def isposinf(x):
    """True where the element is plus infinity."""
    return build("ops", "isposinf")(need_tensor(x, "isposinf"))


def signbit(x, dtype=None):
    """True for elements below zero."""
    return with_dtype(build("ops", "signbit")(need_tensor(x, "signbit")), dtype, "signbit")


def sometrue(a, axis=None, keepdims=False):
    """True where some element over the axes given is true."""
    return _reduce.any.run(as_tensor(a, "sometrue"), axis, keepdims)


def isscalar(element):
    """True for a number or a string."""
    return isinstance(element, (int, float, bool, complex, str))


def array_equal(a1, a2, equal_nan=False):
    """A bool Tensor: True if the shapes and all elements agree."""
    one, two = as_tensor(a1, "array_equal"), as_tensor(a2, "array_equal")
    if not isinstance(equal_nan, bool):
        raise TypeError(f"For 'array_equal', 'equal_nan' must be a bool, but got {equal_nan!r}.")
    if one.shape != two.shape:
        return Tensor(False)
    same = one == two
    if equal_nan:
        same = same | ((one != one) & (two != two))
    return same.all()


def array_equiv(a1, a2):
    """A bool Tensor: True if the arrays broadcast and all elements agree."""
    try:
        return (as_tensor(a1, "array_equiv") == as_tensor(a2, "array_equiv")).all()
    except ValueError:
        return Tensor(False)


def promote_types(type1, type2):
    """The dtype that two dtypes meet in."""
    one, two = (dtypes.to_numpy(named_dtype("promote_types", t)) for t in (type1, type2))
    return dtypes.from_numpy(promote_np(one, two))


def result_type(*arrays_and_dtypes):
    """The dtype that several arrays and dtypes meet in."""
    found = None
    for one in arrays_and_dtypes:
        array_like = isinstance(one, (Tensor, bool, int, float, list, tuple))
        kind = as_tensor(one, "result_type").dtype if array_like else named_dtype("result_type",
                                                                                  one)
        found = kind if found is None else promote_types(found, kind)
    return found
