"""Register tiles give the products that their definitions in NumPy give."""

import numpy as np
import pytest
from kit import close_sums
from kit.loops import ByPython, needs_numba

from mindspore_compat._backend.compiled import jit, tiles, vector_sizes
from mindspore_compat._backend.compiled import library as tile_library
from mindspore_compat._backend.conv.direct import winograd_tiles

pytestmark = pytest.mark.host

FLOAT, INDEX = np.dtype(np.float32), np.dtype(np.int64)
TILE = """def {name}(a, b, out, offsets, rows, vectors, add):
    tile(rows, vectors, a, 5, b, 3, offsets, 2, offsets.size - 2, add, out, 1, VECTORS * LANES + 1)
"""
GATHERED = """def {name}(a, b, out, offsets, rows, vectors, add):
    gather_tile(rows, vectors, a, 5, offsets, 1, offsets, 9, b, 3, VECTORS * LANES + 2, 6, add, out,
        1, VECTORS * LANES + 1)
"""
DOTS = """def {name}(a, b, out, offsets, rows, count, step):
    dots(rows, a, 5, step, b, 3, offsets, 2, count, out, 1)
"""
TRANSPOSED = """def {name}(a, b, out, offsets, step, out_step, unused):
    transpose_square(a, 5, step, out, 3, out_step)
"""
LONGEST = 48  # elements of the widest tile
rng = np.random.default_rng(0)


def loop(kind, text, library=tile_library.LIBRARY):
    """Returns a compiled loop over three arrays, offsets and three numbers."""
    parameters = [(FLOAT, True)] * 3 + [(np.dtype(np.int32), True)] + [(INDEX, False)] * 3
    found = kind(lambda name: text.format(name=name), parameters, False, "tile", library)
    found.wait() if kind is jit.Loop else found.request()
    assert found.ready
    return found.ready


def normal(size):
    return rng.standard_normal(size, dtype=np.float32)


def check_tiles(ready, sizes):
    """Every size of tile, with and without what `out` held before."""
    a, b = normal(5 + 7 * sizes["ROWS"]), normal(3 + 40 + LONGEST)
    offsets = rng.integers(0, 40, 9).astype(np.int32)
    for rows in range(1, sizes["ROWS"] + 1):
        for vectors in range(1, sizes["VECTORS"] + 1):
            width, step = vectors * sizes["LANES"], sizes["VECTORS"] * sizes["LANES"] + 1
            left = a[5 : 5 + 7 * rows].reshape(7, rows)
            right = np.array([b[3 + at : 3 + at + width] for at in offsets[2:]])
            for add in (0, 1):
                out = normal(1 + step * sizes["ROWS"])
                wanted = out.copy()
                found = np.lib.stride_tricks.as_strided(wanted[1:], (rows, width), (4 * step, 4))
                found[...] = left.T @ right + add * found
                ready(a, b, out, offsets, rows, vectors, add)
                close_sums(out, wanted)


def check_gathered_tiles(ready, sizes):
    """Every size of tile, with and without what `out` held before."""
    widest = sizes["VECTORS"] * sizes["LANES"]
    a, b = normal(5 + 30 + 30), normal(3 + 6 * (widest + 2))
    offsets = rng.integers(0, 30, 9 + 6).astype(np.int32)
    for rows in range(1, sizes["ROWS"] + 1):
        for vectors in range(1, sizes["VECTORS"] + 1):
            width, step = vectors * sizes["LANES"], widest + 1
            left = a[5 + offsets[1 : 1 + rows, None] + offsets[9:]]
            right = b[3:].reshape(6, widest + 2)[:, :width]
            for add in (0, 1):
                out = normal(1 + step * sizes["ROWS"])
                wanted = out.copy()
                found = np.lib.stride_tricks.as_strided(wanted[1:], (rows, width), (4 * step, 4))
                found[...] = left @ right + add * found
                ready(a, b, out, offsets, rows, vectors, add)
                close_sums(out, wanted)


def check_dots(ready, sizes):
    """Every number of rows."""
    count, step, streams = 3, 3 * sizes["LANES"] + 2, sizes["STREAMS"]
    width = count * sizes["LANES"]
    a, b = normal(5 + step * sizes["DOT_ROWS"]), normal(3 + 40 + width)
    offsets = rng.integers(0, 40, 2 + streams).astype(np.int32)
    right = np.array([b[3 + at : 3 + at + width] for at in offsets[2:]])
    for rows in range(1, sizes["DOT_ROWS"] + 1):
        left = np.array([a[5 + i * step :][:width] for i in range(rows)])
        out = normal(1 + sizes["DOT_ROWS"] * streams)
        wanted = out.copy()
        wanted[1 : 1 + rows * streams] = (left @ right.T).reshape(-1)
        ready(a, b, out, offsets, rows, count, step)
        close_sums(out, wanted)


def check_transposed(ready, sizes):
    """Writes a square of a wide matrix into another matrix; the rest of the other one is
    unchanged."""
    lanes = sizes["LANES"]
    step, out_step = lanes + 3, lanes + 2
    a, out = normal(5 + lanes * step), normal(3 + lanes * out_step)
    wanted = out.copy()
    wanted[3:].reshape(lanes, out_step)[:, :lanes] = a[5:].reshape(lanes, step)[:, :lanes].T
    ready(a, a, out, np.zeros(1, np.int32), step, out_step, 0)
    np.testing.assert_array_equal(out, wanted)


@pytest.fixture
def python_sizes():
    return tile_library.LIBRARY.python


def test_definitions_are_products(python_sizes):
    check_tiles(loop(ByPython, TILE), python_sizes)
    check_gathered_tiles(loop(ByPython, GATHERED), python_sizes)
    check_dots(loop(ByPython, DOTS), python_sizes)
    check_transposed(loop(ByPython, TRANSPOSED), python_sizes)


@needs_numba
def test_tiles_in_registers_are_products():
    check_tiles(loop(jit.Loop, TILE), tiles.sizes())
    check_gathered_tiles(loop(jit.Loop, GATHERED), tiles.sizes())
    check_dots(loop(jit.Loop, DOTS), tiles.sizes())
    check_transposed(loop(jit.Loop, TRANSPOSED), tiles.sizes())


@pytest.mark.parametrize(
    ("triple", "features", "lanes"),
    [
        ("x86_64-unknown-linux-gnu", "+sse2,+avx,+fma,+avx512f", 16),
        ("x86_64-pc-windows-msvc", "+sse2,+avx,+avx2,+fma,-avx512f", 8),
        ("x86_64-unknown-linux-gnu", "+sse2", 4),
        ("aarch64-apple-darwin", "+neon", 4),
    ],
)
def test_totals_fit_the_registers_of_the_host(triple, features, lanes):
    found = vector_sizes.sizes_of(triple, features)
    registers = 32 if lanes == 16 or triple.startswith("aarch64") else 16
    assert found["LANES"] == lanes
    assert (found["ROWS"] + 1) * found["VECTORS"] + 1 <= registers
    assert found["DOT_ROWS"] * (found["STREAMS"] + 1) + 1 <= registers


TRANSFORMED = """def {name}(a, b, out, offsets, step, out_step, unused):
    TRANSFORM(a, 5, step, LANES, out, 3, out_step, LANES)
"""


def check_transforms(kind):
    for method in (winograd_tiles.F2, winograd_tiles.F4):
        for name, matrix in method.matrices().items():
            library = tile_library.Library(further=method)
            lanes = library.python["LANES"] if kind is ByPython else tiles.sizes()["LANES"]
            rows, columns = len(matrix), len(matrix[0])
            step, out_step = columns * lanes + 3, rows * lanes + 2
            x, out = normal(5 + columns * step), normal(3 + rows * out_step)
            wanted = out.copy()
            square = [x[5 + i * step :][: columns * lanes] for i in range(columns)]
            square = np.reshape(square, (columns, columns, lanes)).astype(np.float64)
            factors = np.array(matrix, np.float64)
            found = np.einsum("ia,abl,jb->ijl", factors, square, factors)
            for i in range(rows):
                wanted[3 + i * out_step :][: rows * lanes] = found[i].reshape(-1)
            text = TRANSFORMED.replace("TRANSFORM(", f"{name}(")
            ready = loop(kind, text, library)
            ready(x, x, out, np.zeros(1, np.int32), step, out_step, 0)
            close_sums(out, wanted)


def test_transforms_are_products_with_their_matrices():
    check_transforms(ByPython)


@needs_numba
def test_transforms_of_vectors_are_products_with_their_matrices():
    check_transforms(jit.Loop)
