"""mindspore.numpy against NumPy: the same values, MindSpore's dtypes, rejected calls."""

import numpy
import pytest
from kit import close

import mindspore_compat as ms
import mindspore_compat.numpy as mnp
from mindspore_compat import Tensor

WHOLE = numpy.arange(6, dtype=numpy.int32).reshape(2, 3)
REAL = numpy.array([[0.5, -1.5, 2.0], [3.0, 0.25, -0.75]], numpy.float32)
ROW = numpy.array([1.0, 2.0, 4.0, 3.0], numpy.float32)
SQUARE = numpy.array([[2.0, 1.0], [0.5, 3.0]], numpy.float32)
MISSING = numpy.array([[1.0, numpy.nan, 3.0], [4.0, 5.0, numpy.nan]], numpy.float32)

CALLS = [
    ("array", ([1, 2],), {}),
    ("full", ((2,), 3.5), {}),
    ("full_like", (WHOLE, 7), {}),
    ("arange", (2, 9, 3), {}),
    ("linspace", (0, 1, 5), {}),
    ("linspace", (0, 1, 5), {"endpoint": False}),
    ("logspace", (0, 2, 3), {}),
    ("geomspace", (1, 100, 3), {}),
    ("eye", (2, 3, 1), {}),
    ("identity", (2,), {}),
    ("tri", (3, 4, 1), {}),
    ("tril", (WHOLE, -1), {}),
    ("triu", (WHOLE, 1), {}),
    ("tril_indices", (3, 1), {}),
    ("triu_indices", (3, -1, 4), {}),
    ("diag", (ROW, 1), {}),
    ("diag", (WHOLE,), {}),
    ("diagflat", (ROW, -1), {}),
    ("diagonal", (WHOLE, 1), {}),
    ("trace", (WHOLE,), {}),
    ("vander", (ROW, 3), {}),
    ("vander", (ROW,), {"increasing": True}),
    ("meshgrid", (ROW, ROW[:2]), {}),
    ("meshgrid", (ROW, ROW[:2]), {"sparse": True, "indexing": "ij"}),
    ("ix_", (WHOLE[0], WHOLE[1]), {}),
    ("bartlett", (5,), {}),
    ("blackman", (5,), {}),
    ("hamming", (5,), {}),
    ("hanning", (5,), {}),
    ("histogram", (ROW, 3), {}),
    ("histogram", (ROW,), {"bins": [0.0, 2.0, 5.0]}),
    ("histogram2d", (ROW, ROW, 2), {}),
    ("histogram_bin_edges", (ROW, 4), {}),
    ("histogram", (ROW, 3), {"density": True}),
    ("pad", (WHOLE, 2), {}),
    ("pad", (WHOLE, ((0, 1), (2, 1))), {"mode": "edge"}),
    ("pad", (WHOLE, 1), {"mode": "wrap"}),
    ("pad", (REAL, 1), {"mode": "reflect"}),
    ("pad", (REAL, ((1, 1), (2, 2))), {"mode": "symmetric"}),
    ("pad", (REAL, 2), {"mode": "linear_ramp", "end_values": 5}),
    ("pad", (REAL, 1), {"mode": "mean"}),
    ("pad", (REAL, 1), {"mode": "maximum", "stat_length": 2}),
    ("pad", (REAL, 1), {"mode": "median"}),
    ("pad", (REAL, 1), {"mode": "reflect", "reflect_type": "odd"}),
    ("pad", (REAL, 1), {"constant_values": ((1, 2), (3, 4))}),
    ("reshape", (WHOLE, (3, 2)), {}),
    ("ravel", (WHOLE,), {}),
    ("transpose", (WHOLE,), {}),
    ("swapaxes", (WHOLE, 0, 1), {}),
    ("moveaxis", (WHOLE[None], 0, 2), {}),
    ("rollaxis", (WHOLE[None], 2), {}),
    ("rollaxis", (WHOLE[None], 0, 3), {}),
    ("expand_dims", (WHOLE, (0, 2)), {}),
    ("squeeze", (WHOLE[None],), {}),
    ("broadcast_to", (ROW, (2, 4)), {}),
    ("broadcast_arrays", (ROW, WHOLE[:, :1]), {}),
    ("concatenate", ((WHOLE, WHOLE), 1), {}),
    ("append", (WHOLE, WHOLE), {}),
    ("append", (WHOLE, WHOLE, 0), {}),
    ("stack", ((ROW, ROW), 1), {}),
    ("vstack", ((ROW, ROW),), {}),
    ("hstack", ((ROW, ROW),), {}),
    ("dstack", ((ROW, ROW),), {}),
    ("column_stack", ((ROW, ROW),), {}),
    ("split", (ROW, 2), {}),
    ("split", (ROW, [1, 3]), {}),
    ("array_split", (ROW, 3), {}),
    ("hsplit", (WHOLE, 3), {}),
    ("vsplit", (WHOLE, 2), {}),
    ("tile", (WHOLE, (2, 1, 2)), {}),
    ("repeat", (WHOLE, 2), {}),
    ("repeat", (WHOLE, [1, 2], 0), {}),
    ("flip", (WHOLE,), {}),
    ("fliplr", (WHOLE,), {}),
    ("flipud", (WHOLE,), {}),
    ("roll", (WHOLE, 2), {}),
    ("roll", (WHOLE, (1, 1), (0, 1)), {}),
    ("rot90", (WHOLE, 3), {}),
    ("where", (WHOLE > 2, WHOLE, 0), {}),
    ("select", ([WHOLE < 2, WHOLE > 4], [WHOLE, WHOLE * 10], 7), {}),
    ("choose", (numpy.array([0, 1, 1], numpy.int32), [WHOLE[0], WHOLE[1]]), {}),
    ("take", (WHOLE, numpy.array([0, 2]), 1), {}),
    ("take", (WHOLE, numpy.array([0, 5])), {}),
    ("take_along_axis", (WHOLE, numpy.array([[2], [0]]), 1), {}),
    ("argwhere", (WHOLE,), {}),
    ("argmax", (REAL,), {}),
    ("argmax", (REAL, 1), {}),
    ("argmin", (REAL, 0), {}),
    ("isin", (WHOLE, [1, 4]), {}),
    ("isin", (WHOLE, [1, 4]), {"invert": True}),
    ("intersect1d", (WHOLE, [4, 1, 9]), {}),
    ("setdiff1d", (WHOLE, [1, 2]), {}),
    ("searchsorted", (numpy.sort(ROW), [2.0, 9.0], "right"), {}),
    ("digitize", (ROW, numpy.array([1.0, 3.0])), {}),
    ("digitize", (ROW, numpy.array([3.0, 1.0])), {"right": True}),
    ("bincount", (numpy.array([1, 1, 3]),), {}),
    ("bincount", (numpy.array([1, 1, 3]), numpy.array([0.5, 1.0, 2.0], numpy.float32), 6), {}),
    ("unravel_index", (numpy.array([3, 5]), (2, 3)), {}),
    ("unravel_index", (numpy.array([3, 5]), (2, 3), "F"), {}),
    ("ravel_multi_index", (numpy.array([[1, 0], [2, 1]]), (2, 3)), {}),
    ("size", (WHOLE, 1), {}),
    ("sum", (WHOLE, 1), {"keepdims": True}),
    ("sum", (REAL,), {"initial": 5}),
    ("mean", (REAL, 0), {}),
    ("std", (REAL, 1, None), {}),
    ("var", (REAL,), {"ddof": 1}),
    ("amax", (REAL, 0), {}),
    ("min", (REAL,), {}),
    ("max", (REAL, 1), {"initial": 1.0}),
    ("ptp", (REAL, 1), {}),
    ("average", (REAL, 1, numpy.abs(REAL)), {}),
    ("average", (REAL, 0), {"returned": True}),
    ("cumsum", (WHOLE,), {}),
    ("cumprod", (REAL, 1), {}),
    ("diff", (WHOLE, 2), {}),
    ("diff", (WHOLE,), {"prepend": 9}),
    ("ediff1d", (WHOLE,), {"to_end": [9], "to_begin": [7, 8]}),
    ("trapz", (ROW,), {"dx": 0.5}),
    ("gradient", (ROW, 2.0), {}),
    ("gradient", (REAL,), {}),
    ("count_nonzero", (WHOLE, 0), {}),
    ("nansum", (MISSING, 0), {}),
    ("nanmean", (MISSING, 1), {}),
    ("nanmax", (MISSING,), {}),
    ("nanmin", (MISSING, 1), {}),
    ("nanvar", (MISSING, 1), {"ddof": 1}),
    ("nanstd", (MISSING,), {}),
    ("nancumsum", (MISSING, 1), {}),
    ("cov", (REAL,), {}),
    ("cov", (ROW,), {}),
    ("cov", (REAL,), {"rowvar": False, "bias": True}),
    ("corrcoef", (REAL,), {}),
    ("dot", (REAL, REAL.T), {}),
    ("matmul", (REAL, REAL.T), {}),
    ("inner", (REAL, REAL), {}),
    ("outer", (ROW, ROW), {}),
    ("tensordot", (REAL, REAL.T, 1), {}),
    ("kron", (SQUARE, REAL), {}),
    ("cross", (REAL, REAL[::-1].copy()), {}),
    ("cross", (SQUARE, SQUARE[::-1].copy()), {}),
    ("convolve", (ROW, ROW[:2], "same"), {}),
    ("convolve", (ROW, ROW[:2]), {}),
    ("correlate", (ROW, ROW[:3], "full"), {}),
    ("correlate", (ROW[:2], ROW), {}),
    ("polyadd", ([1, 2], [3]), {}),
    ("polysub", ([1, 2], [3]), {}),
    ("polymul", ([1, 2], [3, 4]), {}),
    ("polyval", (ROW, ROW), {}),
    ("polyder", (ROW, 2), {}),
    ("polyint", (ROW, 2, [1, 2]), {}),
    ("unwrap", (numpy.array([0, 7, -7], numpy.float32),), {}),
    (
        "interp",
        (ROW, numpy.array([1.5, 3.5], numpy.float32), numpy.array([0.0, 10.0], numpy.float32)),
        {},
    ),
    ("clip", (WHOLE, 1, 4), {}),
    ("cbrt", (REAL,), {}),
    ("fix", (REAL,), {}),
    ("invert", (WHOLE,), {}),
    ("divmod", (WHOLE, 2), {}),
    ("float_power", (ROW, ROW), {}),
    ("heaviside", (REAL, 0.5), {}),
    ("hypot", (REAL, 2.0), {}),
    ("gcd", (WHOLE, 4), {}),
    ("logaddexp", (REAL, REAL), {}),
    ("array_equal", (WHOLE, WHOLE), {}),
    ("array_equal", (MISSING, MISSING), {"equal_nan": True}),
    ("array_equiv", (ROW, [ROW.tolist()] * 2), {}),
    ("isclose", (REAL, REAL + 1e-9), {}),
    ("signbit", (REAL,), {}),
    ("logical_xor", (WHOLE > 1, WHOLE < 4), {}),
    ("isneginf", (REAL,), {}),
]
UNARY = [
    "abs",
    "ceil",
    "cos",
    "exp",
    "exp2",
    "expm1",
    "floor",
    "negative",
    "rad2deg",
    "reciprocal",
    "rint",
    "sign",
    "sin",
    "sinh",
    "square",
    "tan",
    "tanh",
    "trunc",
    "arctan",
    "arcsinh",
]
BINARY = [
    "add",
    "subtract",
    "multiply",
    "divide",
    "maximum",
    "minimum",
    "arctan2",
    "copysign",
    "fmod",
    "remainder",
    "less",
    "equal",
]
CALLS += [(name, (REAL,), {}) for name in UNARY] + [
    (name, (REAL, REAL[::-1].copy()), {}) for name in BINARY
]


def entered(value):
    """Converts NumPy arrays to Tensors, including in lists and tuples."""
    if isinstance(value, numpy.ndarray):
        return Tensor(value)
    return type(value)(map(entered, value)) if isinstance(value, (list, tuple)) else value


def reference(name, args, kwargs):
    """Returns NumPy's result. `trapz` has another name in NumPy 2; all other names are the same."""
    function = getattr(numpy, {"trapz": "trapezoid"}.get(name, name))
    if name == "take":
        kwargs = {**kwargs, "mode": "clip"}
    if name == "std" and len(args) == 3:
        args = args[:2]
    return function(*args, **kwargs)


def flat(value):
    """Nested results as a flat list of arrays."""
    if isinstance(value, (tuple, list)) and not all(isinstance(v, (int, float)) for v in value):
        return [one for v in value for one in flat(v)]
    return [value.asnumpy() if isinstance(value, Tensor) else numpy.asarray(value)]


@pytest.mark.parametrize(
    "name, args, kwargs", CALLS, ids=[f"{i}-{c[0]}" for i, c in enumerate(CALLS)]
)
def test_values(name, args, kwargs):
    given = args[:2] if name == "std" else args
    found = flat(
        getattr(mnp, name)(*map(entered, given), **{k: entered(v) for k, v in kwargs.items()})
    )
    wanted = flat(reference(name, args, kwargs))
    assert len(found) == len(wanted)
    for one, two in zip(found, wanted):
        assert one.shape == two.shape
        close(one, two, atol=2e-6)


@pytest.mark.parametrize(
    "text, dtype",
    [
        ("array([1, 2])", ms.int32),
        ("array(2.5)", ms.float32),
        ("arange(3)", ms.int32),
        ("arange(3.0)", ms.float32),
        ("zeros(2)", ms.float32),
        ("full((2,), 3)", ms.int32),
        ("add(1, 2)", ms.int32),
        ("divide(array([1]), 2)", ms.float32),
        ("sum(array([1]))", ms.int64),
        ("argmin(array([1, 2]))", ms.int32),
        ("count_nonzero(array([1]))", ms.int32),
        ("sin(array([1.0]), dtype=ms.float16)", ms.float16),
        ("promote_types(ms.int32, ms.float16)", ms.float16),
        ("result_type(array([1]), 1.0)", ms.float32),
        ("bincount(array([1]))", ms.float32),
    ],
)
def test_dtypes(text, dtype):
    found = eval(text, {**vars(mnp), "ms": ms, **{n: getattr(mnp, n) for n in mnp.__all__}})
    assert (found.dtype if isinstance(found, Tensor) else found) == dtype


def test_grids():
    assert mnp.mgrid[0:2, 0:3].tolist() == numpy.mgrid[0:2, 0:3].tolist()
    assert [g.shape for g in mnp.ogrid[0:2, 0:3]] == [(2, 1), (1, 3)]
    close(mnp.mgrid[0:1:5j], numpy.mgrid[0:1:5j], rtol=1e-7, atol=0)
    assert [g.tolist() for g in mnp.indices((2, 2))] == numpy.indices((2, 2)).tolist()


def test_functions_of_functions():
    rows = mnp.apply_along_axis(lambda v: v * 2, 0, Tensor(REAL))
    close(rows, REAL * 2, rtol=1e-7, atol=0)
    assert mnp.apply_over_axes(mnp.sum, Tensor(REAL), [0]).shape == (1, 3)
    halves = mnp.piecewise(Tensor(REAL), [Tensor(REAL) < 0], [lambda v: -v, lambda v: v * 10])
    close(halves, numpy.where(REAL < 0, -REAL, REAL * 10), rtol=1e-7, atol=0)
    assert mnp.multi_dot([Tensor(REAL), Tensor(REAL.T), Tensor(REAL)]).shape == (2, 3)


def test_gradients_pass():
    gradient = ms.grad(lambda x: mnp.sum(mnp.convolve(x, mnp.array([1.0, 2.0]))))(Tensor(ROW))
    close(gradient, 3.0, rtol=1e-7, atol=0)


@pytest.mark.parametrize(
    "call, error",
    [
        (lambda: mnp.sin("a"), TypeError),
        (lambda: mnp.add("a", 1), TypeError),
        (lambda: mnp.asarray(ROW), TypeError),
        (lambda: mnp.zeros(-1), ValueError),
        (lambda: mnp.eye(2.5), TypeError),
        (lambda: mnp.arange("a"), TypeError),
        (lambda: mnp.concatenate(1), TypeError),
        (lambda: mnp.concatenate([]), ValueError),
        (lambda: mnp.split(Tensor(ROW), 3), ValueError),
        (lambda: mnp.clip(Tensor(ROW), None, None), ValueError),
        (lambda: mnp.pad(Tensor(ROW), 1, "odd"), ValueError),
        (lambda: mnp.pad(Tensor(ROW), -1, "edge"), ValueError),
        (lambda: mnp.linspace(0, 1, 1.5), TypeError),
        (lambda: mnp.expand_dims(Tensor(ROW), 3), ValueError),
        (lambda: mnp.where(Tensor(ROW) > 1), TypeError),
        (lambda: mnp.select([Tensor(ROW) > 1], []), ValueError),
    ],
)
def test_refusals(call, error):
    with pytest.raises(error):
        call()
