"""Functions have their public names, in help, tracebacks and pickles."""

import importlib
import inspect
import pickle

import pytest

from mindspore_compat import Tensor, mint, ops

AREAS = [
    "",
    "ops",
    "mint",
    "mint.nn.functional",
    "numpy",
    "nn",
    "train",
    "dataset",
    "communication",
]


@pytest.mark.parametrize("area", AREAS)
def test_functions_are_pickled_by_name(area):
    module = importlib.import_module(f"mindspore_compat.{area}".rstrip("."))
    things = [getattr(module, name) for name in dir(module) if name[0] != "_"]
    functions = [thing for thing in things if inspect.isfunction(thing)]
    assert functions
    for function in functions:
        assert pickle.loads(pickle.dumps(function)) is function


def test_methods_are_pickled_by_name():
    for name in dir(Tensor):
        method = getattr(Tensor, name)
        if inspect.isfunction(method) and not name.startswith("_"):
            assert pickle.loads(pickle.dumps(method)) is method


@pytest.mark.parametrize("function", [Tensor.fill, Tensor.bool, Tensor.abs, Tensor.max])
def test_a_method_shows_its_class(function):
    assert function.__qualname__ == f"Tensor.{function.__name__}"
    assert f"bound method {function.__qualname__} of" in repr(function.__get__(Tensor([1.0])))


@pytest.mark.parametrize("function, name", [(mint.flatten, "flatten"), (ops.is_, "is_")])
def test_a_function_shows_its_public_name(function, name):
    assert function.__name__ == function.__qualname__ == name
