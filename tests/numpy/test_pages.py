"""The generated pages of mindspore.numpy: each has all sections, and its example is true."""

import doctest
import inspect

import pytest

from mindspore_compat import numpy as mnp
from mindspore_compat.numpy import _pointwise

PATHS = [*_pointwise.UNARY, *_pointwise.TESTS, *_pointwise.BINARY, *_pointwise.COMPARISONS]


@pytest.mark.parametrize("path", PATHS)
def test_a_page_has_its_sections_and_a_true_example(path):
    page = inspect.getdoc(getattr(mnp, path.removeprefix("numpy.")))
    for section in ("Args:", "Returns:", "Raises:", "Example:"):
        assert section in page
    example = doctest.DocTestParser().get_doctest(page, {}, path, path, 0)
    result = doctest.DocTestRunner().run(example)
    assert result.attempted and not result.failed
