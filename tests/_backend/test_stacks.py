"""Products of stacks of matrices are those of the parts, however they are cut and laid out."""

import numpy as np
import pytest
from kit import close_sums
from kit.loops import ByPython, needs_numba

from mindspore_compat._backend import compiled, compiled_transpose, products, scheduler

# shapes of both sides; whether the last two axes of each are exchanged, and the first two
CASES = {
    "right side transposed": ((6, 4, 64, 32), (6, 4, 48, 32), (False, True), False),
    "heads between steps": ((40, 6, 4, 32), (32, 6, 4, 32), (False, True), True),
    "left side transposed": ((6, 4, 48, 64), (6, 4, 48, 32), (True, False), False),
    "broadcast": ((6, 1, 64, 32), (4, 48, 32), (False, True), False),
    "halves": ((6, 2, 128, 128), (6, 2, 128, 64), (False, False), False),
    "halves of a left side transposed": ((6, 2, 128, 130), (6, 2, 128, 64), (True, False), False),
    "odd rows": ((6, 2, 129, 128), (6, 2, 64, 128), (False, True), False),
    "few rows": ((6, 2, 3, 128), (6, 2, 64, 128), (False, True), False),
}


def operands(case):
    *shapes, turned, moved = CASES[case]
    rng = np.random.default_rng(0)
    made = []
    for shape, turns in zip(shapes, turned, strict=True):
        each = rng.standard_normal(shape, dtype=np.float32)
        each = each.transpose(1, 2, 0, 3) if moved else each
        made.append(each.swapaxes(-1, -2) if turns else each)
    return made


@pytest.fixture(params=["numpy", "python", pytest.param("numba", marks=pytest.mark.numba)])
def way(request, monkeypatch):
    """Without loops, with loops that Python runs, and with compiled ones."""
    if request.param == "numba" and not compiled.available():
        pytest.skip("needs Numba")
    monkeypatch.setattr(products, "HALVES", 1)
    monkeypatch.setattr(products, "SINGLE", 1)
    monkeypatch.setattr(compiled_transpose, "LEAST", 1)
    monkeypatch.setattr(compiled, "_setting", lambda: "wait")
    if request.param == "python":
        monkeypatch.setattr(compiled, "Loop", ByPython)
    monkeypatch.setattr(compiled, "available", lambda: request.param != "numpy")
    compiled_transpose._loop.cache_clear()
    yield request.param
    compiled_transpose._loop.cache_clear()


@pytest.mark.parametrize("case", CASES)
def test_products_of_stacks(case, way):
    x, y = operands(case)
    found = []
    for count in (1, 2, 4):
        scheduler.limit(count)
        try:
            found.append(products.product(x, y))
        finally:
            scheduler.limit(0)
    close_sums(found[0], np.matmul(x.astype(np.float64), y.astype(np.float64)))
    for other in found[1:]:
        np.testing.assert_array_equal(found[0], other)


def test_which_right_sides_are_copied(way):
    rng = np.random.default_rng(0)
    y = rng.standard_normal((5, 32, 48), dtype=np.float32)
    turned = y.swapaxes(-1, -2)
    copied = compiled_transpose.row_major(turned)
    np.testing.assert_array_equal(copied, turned)
    assert copied.flags.c_contiguous == (way != "numpy")
    read_only = y.copy()
    read_only.flags.writeable = False
    backward = y[::-1].swapaxes(-1, -2)
    for other in (
        y,
        turned.astype(np.float64),
        read_only.swapaxes(-1, -2),
        backward,
        y[:, :31].swapaxes(-1, -2),
    ):
        assert compiled_transpose.row_major(other) is other


@needs_numba
def test_a_stack_is_copied_where_it_lies():
    x = np.arange(7 * 16 * 3 * 32, dtype=np.float32).reshape(7, 16, 3, 32)
    heads = x.transpose(0, 2, 3, 1)
    compiled_transpose._loop().wait()
    np.testing.assert_array_equal(compiled_transpose.row_major(heads), heads)
