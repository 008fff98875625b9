"""The catalogue of `xp` agrees with the package: with the functions that bodies and rules call, and
with the functions of each array type. The sources are parsed, so this holds for code that no test
runs."""

import ast
import functools
import inspect
from importlib import import_module
from pathlib import Path

import numpy
import pytest
from kit.sources import parse

import mindspore_compat
from mindspore_compat import ops  # noqa: F401 - higher packages hand their functions down
from mindspore_compat._backend import array_types, arrays, catalogue, space
from mindspore_compat._backend.axis_arguments import axis_of_call
from mindspore_compat._backend.bodies.row_plan import RowSpace
from mindspore_compat._core.autograd import operators, vjp_rules
from mindspore_compat._core.autograd.traced import traced_space
from mindspore_compat._core.sharding import array as sharding
from mindspore_compat._core.vmap import batch
from mindspore_compat.train.mind_ir import tracing

PACKAGE = Path(mindspore_compat.__file__).parent
SPACES = ("xp", "HOST", "LARGE")
GIVERS = ("space_of", "current_space")  # functions that return a space
BATCHES = {"wrap_batch", "count", "broadcast"}  # methods of a BatchSpace that only batch rules call
FUNCTIONS = catalogue.FUNCTIONS


def calls(tree):
    """Returns the names that a file uses of a space: `xp.exp`, `current_space().zeros`,
    `getattr(xp, "sum")`, `unary("sin", ...)`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            base = node.value
            function = base.func if isinstance(base, ast.Call) else None
            giver = getattr(function, "attr", getattr(function, "id", None))
            named = getattr(base, "attr", getattr(base, "id", None))
            if giver in GIVERS or named in SPACES:
                yield node.attr, node.lineno
        elif isinstance(node, ast.Call) and len(node.args) > 1:
            function, first, *rest = node.func, *node.args
            name = getattr(function, "attr", getattr(function, "id", None))
            if name == "unary" and isinstance(first, ast.Constant):
                yield first.value, node.lineno
            elif name == "getattr" and getattr(first, "id", None) in SPACES:
                chosen = rest[0]
                given = (chosen.body, chosen.orelse) if isinstance(chosen, ast.IfExp) else (chosen,)
                yield from (
                    (one.value, node.lineno) for one in given if isinstance(one, ast.Constant)
                )


@functools.cache
def all_calls():
    """Returns {name: where it is called} for all files of the package."""
    named = {}
    for file in sorted(PACKAGE.rglob("*.py")):
        if "_startup" not in file.parts:
            for name, line in calls(parse(file)):
                named.setdefault(name, f"{file.relative_to(PACKAGE)}, line {line}")
    return named


def operator_names():
    """The functions that Python's operators become."""
    tables = (operators._BINARY, operators._COMPARISONS, operators._UNARY)
    return {name for table in tables for name in table.values()}


def test_every_call_is_listed():
    listed = FUNCTIONS.keys() | catalogue.ATTRIBUTES.keys() | BATCHES
    assert {name: place for name, place in all_calls().items() if name not in listed} == {}
    assert operator_names() <= FUNCTIONS.keys()


def test_every_listed_function_is_called():
    called = all_calls().keys() | operator_names()
    of_rows = {name for name, function in FUNCTIONS.items() if function.rows}
    assert FUNCTIONS.keys() - called - of_rows == set()
    assert of_rows <= vars(RowSpace).keys()


@pytest.mark.parametrize(
    "text", ["xp.insert(x)", "space_of(x).insert(y)", "arrays.HOST.insert(x)", "unary('insert', 1)"]
)
def test_a_call_of_another_name_is_seen(text):
    assert [name for name, _ in calls(ast.parse(text)) if name not in FUNCTIONS] == ["insert"]


def own():
    """The functions that a module of the package has."""
    return {
        name: function
        for name, function in FUNCTIONS.items()
        if function.home not in catalogue.LIBRARY and not function.rows
    }


@pytest.mark.parametrize("name", own())
def test_signature_and_home(name):
    function = space.implementation(name)
    listed = FUNCTIONS[name]
    first, *parameters = inspect.signature(function).parameters.values()
    shown = str(inspect.Signature(parameters))
    folder = "" if listed.provided else "_backend."
    module = inspect.unwrap(function).__module__
    assert (first.name, shown, module) == (
        "xp",
        listed.signature,
        f"mindspore_compat.{folder}{listed.home}",
    )
    assert listed.summary.endswith((".", ". ")) and len(listed.summary) > 3


def test_a_function_is_handed_down_only_where_it_is_listed():
    def exp(xp, x):
        return x

    with pytest.raises(ValueError, match="in the backend"):
        space.implements(exp)
    exp.__name__ = "no_such_function"
    with pytest.raises(KeyError):
        space.implements(exp)


def test_numpy_has_every_function():
    for name, function in FUNCTIONS.items():
        assert function.rows or getattr(arrays.HOST, name) is not None
        assert function.rows or getattr(arrays.LARGE, name) is not None
    with pytest.raises(AttributeError, match="not in the catalogue"):
        _ = arrays.HOST.insert


def test_traced_has_every_function_that_has_a_gradient():
    xp = traced_space(arrays.HOST)
    for name, function in FUNCTIONS.items():
        assert hasattr(xp, name) == (function.gradient != "refused"), name
    ruled = {name for name, function in FUNCTIONS.items() if function.gradient == "rule"}
    assert ruled == vjp_rules.TABLE.keys()
    parts = {name for name, function in FUNCTIONS.items() if function.gradient == "parts"}
    assert vjp_rules.COMPOSED.keys() <= parts


def test_batch_has_every_function():
    xp = batch.BatchSpace(arrays.HOST, 2)
    for name, function in FUNCTIONS.items():
        assert hasattr(xp, name) == (not function.rows), name
    assert batch.RULES.keys() <= FUNCTIONS.keys()
    with_rule = {f.name for f in FUNCTIONS.values() if f.family in ("stack", "samples")}
    assert with_rule <= batch.RULES.keys()


def test_rules_of_divided_arrays_have_names_of_functions():
    """A rule with a wrong name would never be called. The function would gather its arguments
    instead, and nothing else would fail."""
    assert sharding.RULES and sharding.RULES.keys() <= FUNCTIONS.keys()
    assert sharding.FAMILIES.keys() <= set(catalogue.FAMILIES)


INSIDE = (  # the images of regions, and points in them
    numpy.array([1, 0, 1]),
    numpy.array([[0.5], [3.0], [2.25]]),
    numpy.array([[4.0], [0.0], [1.5]]),
)
PARTS = {  # functions without their own gradient rule -> their inputs: shapes, or values
    "diff": ((3, 4),),
    "einsum": ("ij,jk->ik", (2, 3), (3, 4)),
    "split": ((4, 3), 2),
    "tensordot": ((2, 3), (3, 4), 1),
    "matmul_add": ((2, 3), (3, 4), (4,)),
    "matmul_float32": ((2, 3), (3, 4), 0.5),
    "top_k": ((3, 5), 2),
    "extremes": ((3, 5), 1),
    "extremes_so_far": ((3, 5), 1),
    "linalg_svd_values": ((3, 3),),
    "stop": ((2, 3),),
    "blockwise": (lambda xp, x, y: x * y, (2, 3), (2, 3)),
    "pointwise": (lambda xp, x, y: x * y, (2, 3), (2, 3)),
    "by_rows": (lambda xp, x: x * 2, (2, 3)),
    "sum_by_rows": (lambda xp, x: xp.sum(x, 0), (2, 3)),
    "over_queries": (
        lambda xp, first, queries, others: ([queries[0] * 2 + first], [xp.sum(others[0])]),
        [(2, 3)],
        [(4, 3)],
    ),
    "over_keys": (
        lambda xp, first, begin, rows, keys, state: ([rows[0] * 2], [xp.sum(keys[0])]),
        [(2, 3)],
        [(4, 3)],
    ),
    "pick_column": ((2, 3), numpy.array([1, 0])),
    "add_at_column": ((2, 3), numpy.array([1, 0]), (2,)),
    "products_of_others": ((3, 5),),
    "spread_inside": ((3, 1, 3), *INSIDE, [2, 3, 4, 5]),
    "slope_inside": ((3, 1, 3), (2, 3, 4, 5), *INSIDE),
    "spread_points": ((2, 3, 4, 5), (2, 4, 5, 2), [2, 3, 6, 7], "bilinear", "zeros", False),
    "slope_points": ((2, 3, 4), (2, 3, 6, 7), (2, 4, 1, 2), "bilinear", "reflection", True),
    "ctc_occupation": (
        (4, 2, 3),
        numpy.array([[1], [2]]),
        numpy.array([4, 3]),
        numpy.array([1, 1]),
    ),
    "rnnt_occupation": (
        (2, 3, 2, 3),
        numpy.array([[1], [2]]),
        numpy.array([3, 2]),
        numpy.array([1, 1]),
    ),
}


@pytest.mark.parametrize("name", PARTS)
def test_functions_of_parts_mean_the_same_on_values_of_other_types(name):
    random = numpy.random.default_rng(0)

    def each(make, value):
        return [make(x) for x in value] if isinstance(value, list) else make(value)

    given = [
        each(lambda x: random.normal(size=x) if type(x) is tuple else x, v) for v in PARTS[name]
    ]

    def call(xp, wrap):
        def wrapped(x):
            return wrap(x) if hasattr(x, "dtype") and x.dtype.kind == "f" else x

        result = getattr(xp, name)(*[each(wrapped, value) for value in given])
        result = result if isinstance(result, (tuple, list)) else [result]
        return [x for part in result for x in (part if isinstance(part, list) else [part])]

    wanted = call(arrays.HOST, numpy.copy)
    traced, batches = traced_space(arrays.HOST), batch.BatchSpace(arrays.HOST, 2)
    found = {
        "Traced": [x.array for x in call(traced, lambda x: traced.wrap(x, None))],
        "Batch": [x.array[1] for x in call(batches, batches.broadcast)],
    }
    for kind, values in found.items():
        for value, want in zip(values, wanted, strict=True):
            numpy.testing.assert_allclose(value, want, rtol=1e-9, err_msg=kind)


def test_every_function_of_parts_is_tried():
    assert PARTS.keys() == {f.name for f in FUNCTIONS.values() if f.gradient == "parts"}


def test_recorded_has_every_function():
    recorded = arrays.SPACES[next(kind for kind in arrays.SPACES if kind.__name__ == "Recorded")]
    for name, function in FUNCTIONS.items():
        assert hasattr(recorded, name) == (not function.rows), name


def test_sketch_notes_functions_that_are_listed():
    assert tracing.EMIT.keys() <= FUNCTIONS.keys()
    xp = tracing.SketchSpace(arrays.HOST, None)
    sketch = object.__new__(tracing.Sketch)
    sketch.array, sketch.value, sketch.space = numpy.ones((2, 2)), None, xp
    for name, function in FUNCTIONS.items():
        if function.opaque and name not in tracing.EMIT:
            with pytest.raises(RuntimeError, match="cannot be part of a graph"):
                getattr(xp, name)(sketch)


def test_facts_are_of_the_vocabulary():
    for function in FUNCTIONS.values():
        assert function.family in catalogue.FAMILIES, function
        assert function.gradient in catalogue.GRADIENTS, function


def test_array_types_are_those_of_the_package_and_the_page():
    page = " ".join((PACKAGE.parent / "docs" / "architecture.rst").read_text("utf-8").split())
    for kind in array_types.ARRAY_TYPES:
        module = import_module(f"mindspore_compat.{kind.home}")
        assert inspect.isclass(getattr(module, kind.name)), kind
        assert inspect.isclass(getattr(module, kind.space)), kind
        path = f"`{kind.home.replace('.', '/')}.py`"
        row = f"* - {kind.name} - {kind.purpose} - {kind.maker} - {kind.limits} - {path}"
        assert row in page


def test_every_space_belongs_to_an_array_type():
    spaces = {kind.space for kind in array_types.ARRAY_TYPES}
    files = [
        file for name in ("_backend", "_core", "train") for file in (PACKAGE / name).rglob("*.py")
    ]
    classes = {
        node.name
        for file in files
        for node in parse(file).body
        if isinstance(node, ast.ClassDef) and node.name.endswith("Space")
    }
    kinds_of_symbols = {"RowSpace", "_HostSpace", "_PointSpace", "ChunkSpace"}
    kinds_of_symbols |= {"ElementSpace", "FloatSpace"}
    libraries = {"Space", "DeviceSpace"}
    assert classes - kinds_of_symbols == spaces | libraries


@pytest.mark.parametrize(
    "name, args, kwargs, expected",
    [
        ("top_k", (3, 0, False), {}, (0, (3,), (False,), {})),
        ("top_k", (3,), {"largest": False}, (-1, (3,), (), {"largest": False})),
        ("top_k", (3,), {"axis": 1}, (1, (3,), (), {})),
        ("cumsum", (), {}, (None, (), (), {})),
        ("flip", (), {}, (None, (), (), {})),
        ("sort", (), {"kind": "stable"}, (-1, (), (), {"kind": "stable"})),
        ("linear_recurrence", ("terms",), {"axis": 2}, (2, ("terms",), (), {})),
    ],
)
def test_the_axis_of_a_call_is_found(name, args, kwargs, expected):
    given = dict(kwargs)
    assert axis_of_call(name, args, kwargs) == expected
    assert kwargs == given


def test_defaults_of_axes_are_those_of_the_functions():
    for name, entry in catalogue.FUNCTIONS.items():
        if entry.family == "along" and entry.home == "numpy":
            default = inspect.signature(getattr(numpy, name)).parameters["axis"].default
            assert axis_of_call(name, (), {})[0] == default, name
