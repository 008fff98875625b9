"""The compiled loop that multiplies a matrix by blocks on both sides."""

import numpy as np
import pytest
from kit import close_sums, same
from kit.loops import by_python, fresh_loops, needs_numba, on_threads

from mindspore_compat._backend import block_inverse
from mindspore_compat._backend.compiled import door, jit, tiles
from mindspore_compat._backend.loops import between, products

pytestmark = pytest.mark.host

SMALL = [(1, 5), (4, 9), (7, 11), (9, 4)]
LARGE = [(128, 640), (64, 147), (300, 700), (10, 512), (7, 33)]


@pytest.fixture
def any_size(monkeypatch):
    """Has matrices of every size take the loop."""
    monkeypatch.setattr(products, "suits", lambda: True)
    with fresh_loops(monkeypatch):
        yield


def operands(rows, columns, width):
    """Returns blocks of a width, a matrix, blocks for its other side, and the product in
    float64."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((rows, columns), np.float32)
    sides = []
    for size in (rows, columns):
        wide = min(width, size)
        sides.append(rng.standard_normal((-(-size // wide), wide, wide), np.float32))
    wanted = [each.astype(np.float64) for each in (sides[0], x, sides[1])]
    wanted = block_inverse.times_blocks(wanted[1], wanted[2])
    wanted = block_inverse.blocks_times(sides[0].astype(np.float64), wanted)
    return (sides[0], x, sides[1]), wanted


@pytest.mark.parametrize("shape", SMALL)
def test_the_loop_means_the_product(shape, any_size, monkeypatch):
    by_python(monkeypatch)
    own = {name: getattr(tiles, name) for name in ("LANES", "ROWS", "VECTORS")}
    monkeypatch.setattr(between, "vector_sizes", lambda: own)
    given, wanted = operands(*shape, 4)
    close_sums(door.call("matmul_between_blocks", *given), wanted.astype(np.float32))


@needs_numba
@pytest.mark.parametrize("shape", [*SMALL, *LARGE])
def test_compiled_it_has_the_same_bits_with_any_number_of_threads(shape, any_size):
    given, wanted = operands(*shape, 128)
    scale = np.float32(128)  # as many products are added, twice
    found = []
    for count in (1, 2, 4):
        with on_threads(count):
            found.append(door.call("matmul_between_blocks", *given))
    close_sums(found[0] / scale, (wanted / scale).astype(np.float32))
    same(found[0], found[1])
    same(found[0], found[2])


def test_small_products_are_left_to_numpy(monkeypatch):
    monkeypatch.setattr(products, "suits", lambda: pytest.fail("asked for"))
    monkeypatch.setattr(jit, "available", lambda: True)
    given, _ = operands(8, 8, 8)
    assert door.call("matmul_between_blocks", *given) is None
