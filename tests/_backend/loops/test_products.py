"""Compiled matrix products match NumPy for all sizes and layouts."""

import numpy as np
import pytest
from kit import close_sums
from kit.loops import by_python, fresh_loops

from mindspore_compat._backend.compiled import door, jit, tiles
from mindspore_compat._backend.host import products
from mindspore_compat._backend.loops import products as product_loops
from mindspore_compat._backend.threads import parallel_loops, scheduler
from mindspore_compat._backend.thresholds import Least, Most

pytestmark = pytest.mark.host

# rows, products of a sum and columns of each matrix
SIZES = [(16, 1, 16), (19, 21, 50), (8, 300, 33), (65, 16, 48), (40, 40, 97)]
LARGE = [(131, 530, 1100), (257, 4200, 70), (640, 64, 2200)]
LAYOUTS = ["nn", "nt", "tn", "tt"]


def operands(rows, count, columns, layout="nn", seed=0):
    rng = np.random.default_rng(seed)
    made = []
    for shape, kind in zip(((rows, count), (count, columns)), layout, strict=True):
        each = rng.standard_normal(shape[::-1] if kind == "t" else shape, dtype=np.float32)
        made.append(each.T if kind == "t" else each)
    return made


def exact(x, y):
    return x.astype(np.float64) @ y.astype(np.float64)


@pytest.fixture(params=[0, 1000], ids=["strips", "columns"])
def few(request, monkeypatch):
    """Whether threads share strips of rows, or columns."""
    monkeypatch.setattr(Most, "PRODUCT_FEW", request.param)
    monkeypatch.setattr(Least, "PRODUCT_BROAD", 1)


@pytest.fixture(params=["python", pytest.param("numba", marks=pytest.mark.numba)])
def way(request, monkeypatch):
    """Loops for matrices of any size, run by Python or compiled."""
    if request.param == "numba" and not jit.available():
        pytest.skip("needs Numba")
    monkeypatch.setattr(product_loops, "suits", lambda: True)
    if request.param == "python":
        by_python(monkeypatch)
        names = "LANES", "ROWS", "VECTORS"
        own = {name: getattr(tiles, name) for name in names}
        monkeypatch.setattr(product_loops, "vector_sizes", lambda: own)
    with fresh_loops(monkeypatch, product_loops, product_loops._columns, SHORTEST=1):
        yield request.param


def product(x, y, out=None, addend=None):
    """The product by a loop."""
    return door.call("matmul", x, y, out, addend)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("size", SIZES)
def test_small_products(size, layout, few, way):
    x, y = operands(*size, layout)
    close_sums(product(x, y), exact(x, y))


def test_what_is_added_and_where_it_is_written(few, way):
    x, y = operands(37, 45, 50)
    addend, out = np.arange(50, dtype=np.float32), np.full((37, 50), np.nan, np.float32)
    assert product(x, y, out, addend) is out
    close_sums(out, exact(x, y) + addend)
    np.testing.assert_array_equal(out, product(x, y) + addend)


def test_special_values_stay_in_their_rows_and_columns(few, way):
    x, y = operands(20, 30, 35)
    x[3, 5], y[7, 34] = np.nan, np.inf
    found = product(x, y)
    wrong = ~np.isfinite(found)
    assert wrong[3].all() and wrong[:, 34].all() and wrong.sum() == 35 + 20 - 1


@pytest.fixture
def ready(monkeypatch):
    """Compiled loops, for matrices of the sizes that they are for."""
    if not jit.available():
        pytest.skip("needs Numba")
    if tiles.sizes()["LANES"] != product_loops.WIDEST:
        pytest.skip("for wider vectors")
    monkeypatch.setattr(product_loops, "suits", lambda: True)
    parallel_loops.loop_of.cache_clear()
    loops = {*product_loops._loops(False), *product_loops._loops(True)}
    for loop in (*loops, product_loops._loop_of_columns()):
        loop.wait()


@pytest.mark.numba
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("size", LARGE)
def test_large_products_with_any_number_of_threads(size, layout, few, ready):
    x, y = operands(*size, layout)
    found = []
    for count in (1, 2, 4):
        scheduler.limit(count)
        try:
            found.append(product(x, y))
        finally:
            scheduler.limit(0)
    errors = [np.linalg.norm(made - exact(x, y)) for made in (found[0], np.matmul(x, y))]
    assert errors[0] <= 1.1 * errors[1]
    for other in found[1:]:
        np.testing.assert_array_equal(found[0], other)


@pytest.mark.numba
def test_a_sum_has_the_same_bits_wherever_its_row_is(ready):
    x, y = operands(300, 300, 200)
    whole = products.product(x, y)
    np.testing.assert_array_equal(whole[100:230], products.product(x[100:230].copy(), y))
    turned = np.asfortranarray(x)
    np.testing.assert_array_equal(whole, products.product(turned, np.asfortranarray(y)))


def test_arrays_that_it_leaves_to_numpy(way):
    x, y = operands(20, 20, 20)
    read_only = np.zeros((20, 20), np.float32)
    read_only.flags.writeable = False
    assert product(x.astype(np.float64), y) is None
    assert product(x[:, ::2], y[::2]) is None
    assert product(x, y, np.zeros((20, 40), np.float32)[:, ::2]) is None
    assert product(x, y, np.zeros((20, 20))) is None
    assert product(x, y[:, :15].copy()) is None
    close_sums(product(read_only, y), exact(read_only, y))
