"""Interpolation by sparse matrices gives what whole matrices give, in linear work."""

import numpy as np
import pytest
from kit import close_sums
from kit.loops import by_python, fresh_loops

import mindspore_compat as ms
from mindspore_compat import Tensor, ops
from mindspore_compat._backend.arrays import HOST
from mindspore_compat._backend.compiled import jit
from mindspore_compat._backend.host.taps import Taps
from mindspore_compat._backend.loops import taps as loops
from mindspore_compat._backend.thresholds import Most
from mindspore_compat.ops._image import resize_matrices

MATRICES = {
    "linear": resize_matrices._linear,
    "cubic": resize_matrices._cubic,
    "smooth": resize_matrices._smooth,
}


@pytest.fixture(params=["python", "numpy", pytest.param("numba", marks=pytest.mark.numba)])
def sparse(request, monkeypatch):
    """Applies every matrix as a sparse one, by the loop or by array functions."""
    if request.param == "numba" and not jit.available():
        pytest.skip("needs Numba")
    monkeypatch.setattr(Most, "TAPS_WHOLE", 0)
    monkeypatch.setattr(jit, "available", lambda: request.param != "numpy")
    with fresh_loops(monkeypatch, loops, PIECE=40):
        if request.param == "python":
            by_python(monkeypatch)
        yield


@pytest.mark.parametrize("size, goal", [(5, 11), (11, 5), (7, 7), (6, 1), (1, 4), (9, 30)])
@pytest.mark.parametrize("rule", ["half", "corner", "edge"])
@pytest.mark.parametrize("kind", MATRICES)
def test_transposed_matrices(kind, rule, size, goal):
    matrix = MATRICES[kind](size, goal, rule)
    if matrix is not None:
        np.testing.assert_array_equal(matrix.transposed.whole, matrix.whole.T)
        np.testing.assert_allclose(matrix.whole.sum(1), 1)


@pytest.mark.parametrize("full", [0.0, 0.3, 1.0])
def test_matrices_are_compressed(full):
    rng = np.random.default_rng(0)
    matrix = rng.standard_normal((5, 8)) * (rng.random((5, 8)) < full)
    sparse = Taps.of(matrix)
    np.testing.assert_array_equal(sparse.whole, matrix)
    assert sparse.index.shape[1] == max(1, np.count_nonzero(matrix, 1).max())


@pytest.mark.parametrize("size, goal", [(5, 11), (11, 5), (6, 1)])
def test_products(size, goal, sparse):
    x = np.random.default_rng(0).standard_normal((2, size, 4, size)).astype(np.float32)
    rows, columns = (resize_matrices._cubic(size, goal, rule) for rule in ("half", "edge"))
    out = HOST.apply_axes(x, (rows, None, columns))
    exact = np.einsum("rh,nhcw,sw->nrcs", rows.whole, x.astype(float), columns.whole)
    close_sums(out, exact.astype(np.float32))
    assert HOST.apply_axes(x.astype(float), (rows, None, columns)).dtype == float


@pytest.mark.parametrize("mode", ["nearest", "bilinear", "bicubic"])
def test_gradients(mode, sparse):
    rng = np.random.default_rng(1)
    x, weight = (rng.standard_normal((1, 2, *size)) for size in ((5, 9), (11, 4)))
    options = {} if mode == "nearest" else {"align_corners": False}

    def total(x):
        return (ops.interpolate(x, size=(11, 4), mode=mode, **options) * Tensor(weight)).sum()

    grad, step = ms.grad(total)(Tensor(x)).asnumpy(), np.zeros_like(x)
    for index in [(0, 0, 0, 0), (0, 1, 4, 8), (0, 0, 2, 5)]:
        step[index] = 1
        slope = total(Tensor(x + step)) - total(Tensor(x))  # exact: the function is linear
        np.testing.assert_allclose(grad[index], slope.asnumpy(), atol=1e-5)
        step[index] = 0


@pytest.mark.parametrize("size, goal", [(4096, 8192), (8192, 4096), (5000, 70)])
def test_matrices_have_a_few_weights_for_each_element(size, goal):
    for matrix in (
        resize_matrices._linear(size, goal, "half"),
        resize_matrices.area(size, goal, 0),
    ):
        for one in (matrix, matrix.transposed):
            assert one.index.size <= 4 * max(size, goal)
            assert "whole" not in vars(one)


@pytest.mark.parametrize("number", [np.inf, np.nan])
@pytest.mark.parametrize("count", [300, 7])
def test_numbers_that_are_not_finite_stay_where_they_are(count, number):
    x, size = np.ones((1, 1, count, count), np.float32), (2 * count,) * 2
    x[..., 4, 4] = number
    out = ops.interpolate(Tensor(x), size=size, mode="bilinear", align_corners=False).asnumpy()
    places = (~np.isfinite(out[0, 0])).nonzero()
    assert [set(place.tolist()) for place in places] == [{7, 8, 9, 10}] * 2
