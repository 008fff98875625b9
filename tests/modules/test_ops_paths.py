"""The further paths of mindspore.ops: the same objects, and the subset for `import *`."""

import importlib

import pytest

from mindspore_compat import ops

PATHS = (
    "operations",
    "functional",
    "composite",
    "function",
    "auto_generate",
    "operations.math_ops",
    "operations._inner_ops",
    "function.nn_func",
    "auto_generate.gen_ops_prim",
)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("name", ["relu", "ReLU", "GradOperation", "AllReduce"])
def test_same_objects(path, name):
    module = importlib.import_module(f"mindspore_compat.ops.{path}")
    assert getattr(module, name) is getattr(ops, name)
    assert getattr(ops, name).__module__ != module.__name__


@pytest.mark.parametrize("path", PATHS)
def test_unknown_name(path):
    module = importlib.import_module(f"mindspore_compat.ops.{path}")
    with pytest.raises(AttributeError):
        module.no_such_operation


def test_import_star_hides_no_builtin():
    names = {}
    exec("from mindspore_compat.ops.operations import *", names)
    assert "ReLU" in names and "abs" not in names and "max" not in names
    exec("from mindspore_compat.ops.functional import *", names)
    assert names["relu"] is ops.relu
