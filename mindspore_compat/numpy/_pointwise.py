"""mindspore.numpy: elementwise functions of one or two inputs, generated from tables; public
through `math_ops` and `logic_ops`.

A row of a table lists the op of `mindspore.ops` that computes, the dtype in which inputs of each
dtype are computed, as observed in MindSpore 2.10 ("-" means rejected), and the accepted inputs
other than Tensors.
"""

import math
import re

import numpy

from .._core.declare.public_api import build
from .._core.rules.checked import checked
from .._core.rules.vocabulary import DType
from .._core.tensor.promotion import promote_np
from ..ops._elementwise import arithmetic, comparison, division, elementary
from ..ops._elementwise.cast import cast
from ..ops._indexing import masks
from ._convert import as_tensor, floats, need_tensor, with_dtype
from ._pointwise_pages import PAGES

_ORDER = "? i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 c8 c16".split()

# the dtype in which an input of each dtype above is computed
_LAYOUTS = {
    name: dict(zip(map(numpy.dtype, _ORDER), text.split(), strict=True))
    for name, text in {
        "as it is": "?  i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 c8 c16",
        "wave": "f2 f2 f4 f4 f4 f2 f4 f4 f4 f2 f4 f8 -  -",
        "cube root": "f4 f4 f4 f4 f4 f4 f4 f4 f4 f4 f4 f8 -  -",
        "root": "f4 f4 f4 f4 f4 f4 f4 f4 f4 f2 f4 f8 c8 c16",
        "angle": "f4 f4 f4 f4 f4 f4 -  -  -  f2 f4 f8 c8 c16",
        "single": "f4 f4 f4 f4 f4 f4 f4 f4 f4 f4 f4 f4 f4 f4",
        "single, half": "f4 f4 f4 f4 f4 f4 f4 f4 f4 f2 f4 f4 f4 f4",
        "float": "-  -  -  -  -  -  -  -  -  f2 f4 f8 c8 c16",
        "real float": "-  -  -  -  -  -  -  -  -  f2 f4 f8 -  -",
        "integer": "-  i1 i2 i4 i8 u1 u2 u4 u8 -  -  -  -  -",
        "number": "-  i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 c8 c16",
        "power": "i8 i1 i2 i4 i8 u1 -  -  -  f2 f4 f8 c8 c16",
        "sign": "-  f4 f4 f4 f4 f4 -  -  -  f2 f4 f8 c8 c16",
        "real": "?  i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 -  -",
        "truth": "?  i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 ?  ?",
        "small real": "?  i1 i2 i4 i8 u1 -  -  -  f2 f4 f8 -  -",
    }.items()
}

# public path: (op, layout, accepted inputs, parameter name)
UNARY = {
    "numpy.arccos": ("acos", "wave", "Tensor", "input"),
    "numpy.arccosh": ("acosh", "wave", "Tensor", "x"),
    "numpy.arcsin": ("asin", "wave", "Tensor", "x"),
    "numpy.arcsinh": ("asinh", "wave", "Tensor", "x"),
    "numpy.arctan": ("atan", "wave", "Tensor", "x"),
    "numpy.arctanh": ("atanh", "wave", "Tensor", "x"),
    "numpy.cos": ("cos", "wave", "Tensor", "x"),
    "numpy.cosh": ("cosh", "wave", "Tensor", "x"),
    "numpy.sin": ("sin", "wave", "Tensor", "x"),
    "numpy.sinh": ("sinh", "wave", "Tensor", "x"),
    "numpy.tan": ("tan", "wave", "Tensor", "x"),
    "numpy.tanh": ("tanh", "wave", "Tensor", "x"),
    "numpy.absolute": ("abs", "as it is", "Tensor", "x"),
    "numpy.fabs": ("abs", "as it is", "Tensor", "x"),
    "numpy.cbrt": ("cbrt", "cube root", "array", "x"),
    "numpy.sqrt": ("sqrt", "root", "array", "x"),
    "numpy.ceil": ("ceil", "single", "array", "x"),
    "numpy.trunc": ("trunc", "single, half", "array", "x"),
    "numpy.floor": ("floor", "real float", "array", "x"),
    "numpy.rint": ("rint", "real float", "array", "x"),
    "numpy.deg2rad": ("deg2rad", "angle", "Tensor", "x"),
    "numpy.radians": ("deg2rad", "angle", "Tensor", "x"),
    "numpy.rad2deg": ("rad2deg", "angle", "Tensor", "x"),
    "numpy.exp": ("exp", "float", "array", "x"),
    "numpy.expm1": ("expm1", "float", "array", "x"),
    "numpy.exp2": ("exp2", "power", "array", "x"),
    "numpy.reciprocal": ("reciprocal", "power", "array", "x"),
    "numpy.log": ("log", "float", "array", "x"),
    "numpy.log1p": ("log1p", "float", "array", "x"),
    "numpy.log2": ("log2", "float", "Tensor", "x"),
    "numpy.log10": ("log10", "float", "Tensor", "x"),
    "numpy.invert": ("invert", "integer", "array", "x"),
    "numpy.sign": ("sign", "sign", "array", "x"),
    "numpy.negative": ("neg", "number", "array", "a"),
    "numpy.positive": ("deepcopy", "number", "Tensor", "a"),
    "numpy.square": ("square", "number", "array", "x"),
}
TESTS = {
    "numpy.isfinite": ("isfinite", "real", "array", "x"),
    "numpy.isinf": ("isinf", "real", "array", "x"),
    "numpy.isnan": ("isnan", "real", "array", "x"),
    "numpy.logical_not": ("logical_not", "truth", "array", "a"),
}

# public path: (op, accepted kinds of dtypes, preparation, accepted inputs)
BINARY = {
    "numpy.add": ("add", "biufc", None, "array"),
    "numpy.subtract": ("sub", "biufc", None, "array"),
    "numpy.multiply": ("mul", "biufc", None, "Tensor"),
    "numpy.divide": ("div", "biufc", "quotient", "array"),
    "numpy.power": ("pow", "biufc", None, "array"),
    "numpy.floor_divide": ("floor_divide", "biufc", None, "array"),
    "numpy.fmod": ("fmod", "biuf", "own", "array"),
    "numpy.remainder": ("floor_mod", "biuf", None, "array"),
    "numpy.float_power": ("pow", "biufc", "single", "Tensor"),
    "numpy.arctan2": ("atan2", "biuf", "wave", "Tensor"),
    "numpy.hypot": ("hypot", "iufc", "floats", "array"),
    "numpy.logaddexp": ("logaddexp", "fc", None, "array"),
    "numpy.logaddexp2": ("logaddexp2", "biufc", "some float", "Tensor"),
    "numpy.heaviside": ("heaviside", "biuf", "result", "array"),
    "numpy.gcd": ("gcd", "biuf", "numbers", "array"),
    "numpy.lcm": ("lcm", "biuf", "numbers", "array"),
    "numpy.maximum": ("maximum", "biuf", "scalar", "array"),
    "numpy.minimum": ("minimum", "biuf", "scalar", "array"),
    "numpy.bitwise_and": ("bitwise_and", "biu", None, "array"),
    "numpy.bitwise_or": ("bitwise_or", "biu", None, "array"),
    "numpy.bitwise_xor": ("bitwise_xor", "biu", None, "array"),
}
COMPARISONS = {
    "numpy.equal": ("equal", "biufc", None, "array"),
    "numpy.not_equal": ("not_equal", "biufc", None, "Tensor"),
    "numpy.less": ("less", "biuf", None, "array"),
    "numpy.less_equal": ("less_equal", "biuf", None, "Tensor"),
    "numpy.greater": ("greater", "biuf", None, "array"),
    "numpy.greater_equal": ("greater_equal", "biuf", None, "array"),
    "numpy.logical_and": ("logical_and", "biufc", "truth", "array"),
    "numpy.logical_or": ("logical_or", "biufc", "truth", "array"),
    "numpy.logical_xor": ("logical_xor", "biufc", "truth", "Tensor"),
}

ALIASES = {
    "numpy.abs": "numpy.absolute",
    "numpy.bitwise_not": "numpy.invert",
    "numpy.mod": "numpy.remainder",
    "numpy.true_divide": "numpy.divide",
}


def functions(unary_table, binary_table, aliases=()):
    """Returns the functions of two tables, and their aliases, by name."""
    by_path = {
        **{path: unary(path) for path in unary_table},
        **{path: binary(path) for path in binary_table},
    }
    by_path |= {path: by_path[target] for path, target in dict(aliases).items()}
    return {path.removeprefix("numpy."): function for path, function in by_path.items()}


def _refuse(api, tensor):
    raise TypeError(f"For '{api}', the input must not have dtype {tensor.dtype}.")


def laid_out(tensor, layout, api):
    """Casts `tensor` to the dtype in which it is computed.

    Raises:
        TypeError: if the layout rejects its dtype.
    """
    kind = tensor._array.dtype
    dtype = _LAYOUTS[layout].get(kind)
    if dtype is None:  # bfloat16, which is treated as float16
        return tensor if _LAYOUTS[layout][numpy.dtype("f2")] != "-" else _refuse(api, tensor)
    if dtype == "-":
        _refuse(api, tensor)
    return tensor if kind == dtype else cast.run(tensor, dtype)


def _cube_root(x):
    return arithmetic.sign.run(x) * arithmetic.pow.run(arithmetic.abs.run(x), 1 / 3)


def _sign(x):
    signs = arithmetic.sign.run(x)
    if x._array.dtype.kind != "f":
        return signs
    return masks.where.run(comparison.not_equal.run(x, x), x, signs)  # NaN stays, unlike in `ops`


def _compute(op_name):
    """Returns the function of one Tensor that `op_name` names."""
    if op_name == "cbrt":
        return _cube_root
    if op_name == "sign":
        return _sign
    if op_name == "invert":
        return lambda x: -x - 1
    op = build("ops", op_name)
    if op_name == "exp2":  # real numbers for ints, too, which are cut to ints again
        return lambda x: cast.run(op(x), x._array.dtype) if x._array.dtype.kind in "iu" else op(x)
    if op_name == "reciprocal":
        whole = build("ops", "inv")
        return lambda x: whole(x) if x._array.dtype.kind in "iu" else op(x)
    if op_name == "abs":
        return lambda x: cast.run(op(x), x._array.dtype)
    if op_name in _TURNS:  # the ops reject complex numbers
        return lambda x: x * _TURNS[op_name] if x._array.dtype.kind == "c" else op(x)
    return op


_TURNS = {"deg2rad": math.pi / 180, "rad2deg": 180 / math.pi}


def _reader(takes):
    return need_tensor if takes == "Tensor" else as_tensor


def unary(path):
    """Returns the function of that path in `UNARY` or `TESTS`."""
    op_name, layout, takes, parameter = (UNARY | TESTS)[path]
    name, reader = path.removeprefix("numpy."), _reader(takes)

    def run(value, dtype):
        result = _compute(op_name)(laid_out(reader(value, name), layout, name))
        return with_dtype(result, dtype, name)

    signatures = {
        "x": lambda x, dtype=None: run(x, dtype),
        "a": lambda a, dtype=None: run(a, dtype),
        "input": lambda input, dtype=None: run(input, dtype),
    }
    default = "bool" if path in TESTS else _RESULTS.get(layout, "the dtype of the input")
    return _set_name(
        signatures[parameter], name, _page(name, parameter, takes, _ACCEPTED[layout], default)
    )


_ACCEPTED = {
    "as it is": "of any dtype",
    "wave": "real numbers or bools",
    "cube root": "real numbers or bools",
    "root": "numbers or bools",
    "angle": "numbers or bools, except uint16, uint32 and uint64",
    "single": "numbers or bools",
    "single, half": "numbers or bools",
    "float": "floats or complex numbers",
    "real float": "floats",
    "integer": "ints",
    "number": "numbers",
    "power": "numbers or bools, except uint16, uint32 and uint64",
    "sign": "numbers, except uint16, uint32 and uint64",
    "real": "real numbers or bools",
    "truth": "numbers or bools",
}
_RESULTS = {  # dtypes of results; other layouts keep the dtype of the input
    "wave": "the dtype of the input, or a float dtype for ints",
    "cube root": "float64 for float64, otherwise float32",
    "root": "the dtype of the input, or a float dtype for ints",
    "angle": "the dtype of the input, or float32 for ints",
    "single": "float32",
    "single, half": "float16 for float16, otherwise float32",
    "power": "the dtype of the input, or int64 for bools",
    "sign": "the dtype of the input, or float32 for ints",
}
_KINDS = {
    "biufc": "numbers or bools",
    "biuf": "real numbers or bools",
    "iufc": "numbers",
    "fc": "floats or complex numbers",
    "biu": "ints or bools",
}


def _page(name, parameters, takes, accepted, default):
    """Returns the docstring of a function."""
    words, operands, result = PAGES[name]
    kind = "Tensor" if takes == "Tensor" else "Union[Tensor, number, list, tuple]"
    call = ", ".join(f"ms.Tensor({values})" for values in re.findall(r"\[.*?\]", operands))
    several = "," in parameters
    shape = "the broadcast shape" if several else f"the shape of `{parameters}`"
    broadcast = " on inputs that are broadcast" if several else ""
    misfit = "\n        ValueError: if the shapes do not broadcast." if several else ""
    return f"""{words}.

    The function works element by element{broadcast}.

    Args:
        {parameters} ({kind}): {accepted}.
        dtype (mindspore.dtype): the dtype of the result. Default: None, which means
            {default}.

    Returns:
        Tensor of {shape}.

    Raises:
        TypeError: if an argument has the wrong type, or an input has another dtype.{misfit}

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.{name}({call}))
        {result}
"""


def _set_name(function, name, words):
    function.__name__ = function.__qualname__ = name
    function.__doc__ = words
    function.__annotations__ = {"dtype": DType}
    function.__module__ = __name__
    return checked(function)


def _with_axes(first, second):
    """Returns two Tensors; a 0-D one gets an axis of length 1, because in mindspore.numpy it
    promotes a product or quotient as any other Tensor does."""
    if bool(first.ndim) == bool(second.ndim):
        return first, second
    return [tensor if tensor.ndim else tensor.reshape((1,)) for tensor in (first, second)]


def _upcast_pair(first, second, common):
    """Returns two Tensors in their promoted dtype; `heaviside` and similar functions get ints as
    floats."""
    upcast = "float32" if common.kind in "biu" and common.itemsize < 8 else common
    upcast = "float64" if common.kind in "iu" and common.itemsize == 8 else upcast
    return [cast.run(tensor, upcast) for tensor in (first, second)]


def _gcd(first, second):
    """Computes the greatest common divisor: of ints by `ops.gcd`, of floats by Euclid's
    algorithm."""
    if "f" not in (first._array.dtype.kind, second._array.dtype.kind):
        return build("ops", "gcd")(cast.run(first, "int64"), cast.run(second, "int64"))
    where = build("ops", "where")
    first, second = (arithmetic.abs.run(floats(tensor)) for tensor in (first, second))
    for _ in range(_STEPS):
        rest = division.floor_mod.run(first, where(second == 0, 1.0, second))
        first, second = where(second == 0, first, second), where(second == 0, 0.0, rest)
    return first


def _lcm(first, second):
    """Computes the least common multiple; 0 if one number is 0."""
    shared = _gcd(first, second)
    factors = (cast.run(t, shared._array.dtype) for t in (first, second))
    product = arithmetic.abs.run(arithmetic.mul.run(*factors))
    whole = build("ops", "where")(shared == 0, 1, shared)
    result = (
        division.div.run(product, whole)
        if shared._array.dtype.kind == "f"
        else (division.floor_divide.run(product, whole))
    )
    return result


def _log_of_sum(first, second, base):
    """Computes the logarithm of the sum of powers of complex numbers."""
    powers = [elementary.exp.run(arithmetic.mul.run(tensor, base)) for tensor in (first, second)]
    return elementary.log.run(arithmetic.add.run(*powers)) / base


def _root_of_sum(first, second):
    """Computes the square root of the sum of squares of complex numbers."""
    return elementary.sqrt.run(arithmetic.add.run(first * first, second * second))


_COMPLEX = {  # functions whose ops reject complex numbers
    "logaddexp": lambda one, two: _log_of_sum(one, two, 1.0),
    "logaddexp2": lambda one, two: _log_of_sum(one, two, math.log(2)),
    "hypot": _root_of_sum,
}
_STEPS = 96  # enough for any two 64-bit numbers
_OF_NUMBERS = {"gcd": _gcd, "lcm": _lcm}


def _prepare(name, first, second, preparation):
    """Returns two Tensors in the dtypes in which the op of `name` computes."""
    kinds = first._array.dtype, second._array.dtype
    if preparation == "truth":
        first, second = (laid_out(t, "truth", name) for t in (first, second))
    if preparation == "wave":
        first, second = (laid_out(t, "wave", name) for t in (first, second))
    if preparation == "single":
        first, second = (cast.run(t, "float32") for t in (first, second))
    if preparation == "quotient" and all(k.kind in "biuf" and k not in ("f2", "f4") for k in kinds):
        first, second = (cast.run(t, "float32") for t in (first, second))
    if preparation == "floats":
        promote_np(*kinds)
        first, second = floats(first), floats(second)
        low_precision = [t._array.dtype for t, k in zip((first, second), kinds) if k.kind in "fc"]
        if len(low_precision) == 1:  # the int gets the dtype of the float
            first, second = (
                t if t._array.dtype == low_precision[0] else cast.run(t, low_precision[0])
                for t in (first, second)
            )
    if preparation == "some float":
        if not any(k.kind in "fc" for k in kinds):
            _refuse(name, first)
        common = promote_np(*kinds)
        first, second = cast.run(first, common), cast.run(second, common)
    return first, second


def _pair(name, x1, x2, kinds, preparation, reader):
    """Returns the two inputs as Tensors, after checks.

    Raises:
        TypeError: if an input is not an accepted value, or has a rejected dtype.
    """
    first, second = reader(x1, name), reader(x2, name)
    for tensor in (first, second):
        kind = tensor._array.dtype.kind
        if kind not in kinds and not (kind == "V" and "f" in kinds):
            _refuse(name, tensor)
    return (
        weak_scalars(first, second)
        if preparation == "scalar"
        else _prepare(name, first, second, preparation)
    )


def weak_scalars(first, second):
    """Returns two Tensors; a 0-D one gets the dtype of the other."""
    if first.ndim and not second.ndim:
        return first, cast.run(second, first._array.dtype)
    if second.ndim and not first.ndim:
        return cast.run(first, second._array.dtype), second
    return first, second


def binary(path):
    """Returns the function of that path in `BINARY` or `COMPARISONS`."""
    op_name, kinds, preparation, takes = (BINARY | COMPARISONS)[path]
    name, reader = path.removeprefix("numpy."), _reader(takes)

    def function(x1, x2, dtype=None):
        first, second = _pair(name, x1, x2, kinds, preparation, reader)
        if preparation in ("result", "numbers", "own"):
            common = promote_np(first._array.dtype, second._array.dtype)
            op = _OF_NUMBERS.get(op_name) or build("ops", op_name)
            pair = (
                _upcast_pair(first, second, common) if preparation == "result" else (first, second)
            )
            result = cast.run(op(*pair), common)
        elif op_name in _COMPLEX and "c" in (first._array.dtype.kind, second._array.dtype.kind):
            result = _COMPLEX[op_name](first, second)
        else:
            result = build("ops", op_name)(*_with_axes(first, second))
        return with_dtype(result, dtype, name)

    default = "bool" if path in COMPARISONS else "the promoted dtype of the inputs"
    return _set_name(function, name, _page(name, "x1, x2", takes, _KINDS[kinds], default))
