"""Products of stacks of matrices match the single products, however the stack is divided and laid
out."""

import numpy as np
import pytest
from kit import close_sums
from kit.loops import by_python, fresh_loops

from mindspore_compat._backend.compiled import door, jit
from mindspore_compat._backend.host import products
from mindspore_compat._backend.threads import scheduler
from mindspore_compat._backend.thresholds import Least, Most

pytestmark = pytest.mark.host

# shapes of both sides; whether the last two axes of each are exchanged, and the first two
CASES = {
    "right side transposed": ((3, 2, 64, 32), (3, 2, 48, 32), (False, True), False),
    "heads between steps": ((40, 3, 2, 32), (32, 3, 2, 32), (False, True), True),
    "left side transposed": ((3, 2, 48, 64), (3, 2, 48, 32), (True, False), False),
    "broadcast": ((3, 1, 64, 32), (2, 48, 32), (False, True), False),
    "halves": ((2, 1, 128, 128), (2, 1, 128, 64), (False, False), False),
    "halves of a left side transposed": ((2, 1, 128, 130), (2, 1, 128, 64), (True, False), False),
    "odd rows": ((2, 1, 129, 128), (2, 1, 64, 128), (False, True), False),
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
    if request.param == "numba" and not jit.available():
        pytest.skip("needs Numba")
    if request.param == "python":
        by_python(monkeypatch)
    with fresh_loops(monkeypatch):
        monkeypatch.setattr(Least, "STACK_ROWS", 8)
        monkeypatch.setattr(Least, "STACK_HALVES", 32)
        monkeypatch.setattr(jit, "available", lambda: request.param != "numpy")
        yield request.param


@pytest.mark.parametrize("case", CASES)
def test_products_of_stacks(case, way):
    x, y = operands(case)
    found = []
    for count in (1,) if way == "python" else (1, 2, 4):
        scheduler.limit(count)
        try:
            found.append(products.product(x, y))
        finally:
            scheduler.limit(0)
    close_sums(found[0], np.matmul(x.astype(np.float64), y.astype(np.float64)))
    for other in found[1:]:
        np.testing.assert_array_equal(found[0], other)


def test_which_products_a_loop_makes(way):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((5, 24, 32), dtype=np.float32)
    y = rng.standard_normal((5, 32, 48), dtype=np.float32)
    turned = np.ascontiguousarray(y.swapaxes(1, 2)).swapaxes(1, 2)
    columns = np.ascontiguousarray(x.swapaxes(1, 2)).swapaxes(1, 2)
    for left, right in ((x, y), (x, turned), (columns, y), (x[1:2], y), (x[:, :, :8], y[:, :8])):
        made = door.call("matmul_stack", left, right, (5,))
        assert (made is None) == (way == "numpy")
        if made is not None:
            close_sums(made, left.astype(np.float64) @ right)
    read_only = y.copy()
    read_only.flags.writeable = False
    long = rng.standard_normal((5, Most.STACK_COPIED + 16, 24), dtype=np.float32)
    others = [
        (x, read_only),
        (x.astype(np.float64), y),
        (x, y[::-1]),
        (x, y[:, :, :40]),
        (x, y[:, :, ::2]),
        (x[:, :4], y),
        (x[:, :, :24], turned[:, :24]),
        (long.swapaxes(1, 2), np.ones((5, long.shape[1], 16), np.float32)),
        (np.ones((5, 8, 512), np.float32), np.ones((5, 512, 144), np.float32)),
    ]
    for left, right in others:
        assert door.call("matmul_stack", left, right, (5,)) is None


def test_long_sums_are_made_in_parts(way):
    rng = np.random.default_rng(0)
    x, y = (
        rng.integers(-2, 3, shape).astype(np.float32) for shape in ((2, 9, 1100), (2, 1100, 16))
    )
    np.testing.assert_array_equal(products.product(x, y), np.matmul(x, y))


@pytest.mark.parametrize("given", [None, np.float32])
@pytest.mark.parametrize(
    "shapes", [((4, 3), (2, 3, 90)), ((2, 4, 3), (3, 65)), ((1, 4, 3), (1, 3, 64))]
)
def test_a_stack_of_few_rows_is_multiplied_some_columns_at_a_time(shapes, given, monkeypatch):
    monkeypatch.setattr(jit, "available", lambda: False)
    monkeypatch.setattr(Most, "PRODUCT_UNPACKED", 12 * 32)
    monkeypatch.setattr(Least, "PRODUCT", 1)
    monkeypatch.setattr(Least, "PRODUCT_STRIP", 32)
    cuts = []
    run = scheduler.run
    monkeypatch.setattr(
        scheduler, "run", lambda work, count: cuts.append(count) or run(work, count)
    )
    rng = np.random.default_rng(0)
    x, y = (rng.standard_normal(shape, dtype=np.float32) for shape in shapes)
    wanted = np.matmul(x, y)
    out = None if given is None else np.empty(wanted.shape, given)
    found = products.product(x, y, out)
    assert out is None or found is out
    close_sums(found, wanted)
    assert cuts == [-(-y.shape[-1] // 32)]


def test_a_product_is_cut_only_if_parts_pay():
    assert products._unpacked_columns(8, 1 << 16, 8) == 15616
    assert products._unpacked_columns(8, 1 << 10, 8) == 0  # BLAS packs nothing
    assert products._unpacked_columns(64, 1 << 16, 8) == 0  # many rows
    assert products._unpacked_columns(8, 1 << 16, 1 << 10) == 0  # narrow parts
