"""The pages of mindspore.numpy state errors; generated ones have all sections and true examples."""

import doctest
import inspect

import pytest
from kit.examples import NearNumbers

from mindspore_compat import numpy as mnp
from mindspore_compat.numpy import _pointwise

PATHS = [*_pointwise.UNARY, *_pointwise.TESTS, *_pointwise.BINARY, *_pointwise.COMPARISONS]


@pytest.mark.parametrize("path", PATHS)
def test_a_page_has_its_sections_and_a_true_example(path):
    page = inspect.getdoc(getattr(mnp, path.removeprefix("numpy.")))
    for section in ("Args:", "Returns:", "Raises:", "Example:"):
        assert section in page
    example = doctest.DocTestParser().get_doctest(page, {}, path, path, 0)
    result = doctest.DocTestRunner(NearNumbers()).run(example)
    assert result.attempted and not result.failed


@pytest.mark.parametrize(
    "name, arguments, error",
    [
        ("histogram", ([1.0, 2.0], 2, None, [[1.0]]), ValueError),
        ("histogram2d", ([1.0, 2.0], [1.0]), ValueError),
        ("identity", ("2",), TypeError),
        ("in1d", ("1", [1]), TypeError),
        ("isneginf", (1.0,), TypeError),
        ("isposinf", (1.0,), TypeError),
        ("nanstd", ([1.0], 1), ValueError),
        ("ones", (-1,), ValueError),
        ("polymul", ([[1.0]], [1.0]), ValueError),
        ("polysub", ([[1.0]], [1.0]), ValueError),
        ("randn", ("2",), TypeError),
        ("zeros", ("2",), TypeError),
    ],
)
def test_a_page_states_an_error_that_the_function_raises(name, arguments, error):
    function = getattr(mnp, name)
    with pytest.raises(error, match="For '"):
        function(*arguments)
    assert f"{error.__name__}: " in inspect.getdoc(function).partition("Raises:")[2]
