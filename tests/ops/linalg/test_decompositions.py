"""Bands of diagonals, Householder factors, least squares, matrix norms: values and derivatives."""

import numpy as np
import pytest
import scipy.linalg
from kit import close, same
from kit.gradients import check_gradients
from scipy.spatial.distance import cdist, pdist

from mindspore_compat import Tensor, bool_, complex64, float16, float64, grad, int32, mint, nn, ops
from mindspore_compat.ops import auto_generate
from mindspore_compat.ops._reduction import statistics

pytestmark = pytest.mark.quick


def numbers(*shape, seed=0):
    return np.random.default_rng(seed + sum(shape)).standard_normal(shape)


def matrix(*rows):
    return Tensor(np.array(rows, np.float32))


BAND = matrix([1, 2, 3, 4], [5, 6, 7, 8], [9, 8, 7, 6])


# Bands (the numbers are those of MindSpore) ----------------------------------------------------


@pytest.mark.parametrize(
    "align, expected",
    [
        ("RIGHT_LEFT", [[9, 9, 4], [9, 3, 8], [2, 7, 6]]),
        ("LEFT_RIGHT", [[4, 9, 9], [3, 8, 9], [2, 7, 6]]),
        ("LEFT_LEFT", [[4, 9, 9], [3, 8, 9], [2, 7, 6]]),
        ("RIGHT_RIGHT", [[9, 9, 4], [9, 3, 8], [2, 7, 6]]),
    ],
)
def test_a_band_above_the_diagonal_stands_where_align_says(align, expected):
    out = ops.matrix_diag_part(BAND, Tensor([1, 3], int32), 9.0, align)
    np.testing.assert_array_equal(out.asnumpy(), expected)


def test_a_band_makes_a_matrix():
    x = matrix([8, 9, 0], [1, 2, 3], [0, 4, 5])
    out = ops.matrix_diag(x, Tensor([-1, 1], int32), 3, 3, Tensor(11.0), align="LEFT_RIGHT")
    np.testing.assert_array_equal(out.asnumpy(), [[1, 8, 11], [4, 2, 9], [11, 5, 3]])


def test_one_diagonal_is_a_row_and_the_matrix_is_as_small_as_can_be():
    out = ops.matrix_diag(matrix([1, 2], [3, 4]), 1)
    np.testing.assert_array_equal(out.asnumpy()[1], [[0, 3, 0], [0, 0, 4], [0, 0, 0]])
    assert ops.matrix_diag(matrix([1, 2], [3, 4]), 1, num_rows=2).shape == (2, 2, 3)


def test_diagonals_are_replaced():
    diagonal = matrix([0, 9, 1], [6, 5, 8], [1, 2, 3], [4, 5, 0])
    out = ops.matrix_set_diag(
        Tensor(np.full((3, 4), 7, np.float32)), diagonal, Tensor([-1, 2], int32)
    )
    np.testing.assert_array_equal(out.asnumpy(), [[1, 6, 9, 7], [4, 2, 5, 1], [7, 5, 3, 8]])


@pytest.mark.parametrize("align", ["RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT"])
@pytest.mark.parametrize("ends", [(-2, 1), (0, 2), (-2, -1), (1, 1), (-1, -1)])
def test_taking_a_band_out_undoes_putting_it_in(align, ends):
    x = Tensor(numbers(2, 3, 4).astype(np.float32))
    part = ops.MatrixDiagPartV3(align)(x, Tensor(ends, int32), Tensor(0.0))
    again = ops.MatrixSetDiagV3(align)(x * 0, part, Tensor(ends, int32)).asnumpy()
    band = sum(np.eye(3, 4, k) for k in range(ends[0], ends[1] + 1))
    np.testing.assert_array_equal(again, x.asnumpy() * band)
    if ends[0] < ends[1]:
        fill = Tensor(0.0)
        whole = ops.MatrixDiagV3(align)(part, Tensor(ends, int32), Tensor(3), Tensor(4), fill)
        np.testing.assert_array_equal(whole.asnumpy(), again)


@pytest.mark.parametrize(
    "call, error, part",
    [
        (lambda: ops.matrix_diag_part(BAND, "0", 0.0), TypeError, "'k'"),
        (lambda: ops.matrix_diag_part(BAND, (0, 1), 0.0), TypeError, "'k'"),
        (lambda: ops.matrix_set_diag(BAND, BAND, [0, 1]), TypeError, "'k'"),
        (lambda: ops.matrix_diag_part(BAND, Tensor([2, 1], int32), 0.0), ValueError, "'k'"),
        (lambda: ops.matrix_diag_part(BAND, 4, 0.0), ValueError, "'k'"),
        (lambda: ops.matrix_diag_part(BAND, 0, 0.0, "UP"), ValueError, "'align'"),
        (lambda: ops.matrix_diag(BAND, Tensor([0, 1], int32)), ValueError, "diagonals"),
        (lambda: ops.matrix_diag(BAND, 0, 2), ValueError, "elements"),
        (lambda: ops.matrix_set_diag(BAND, BAND), ValueError, "'diagonal'"),
        (lambda: ops.lu_unpack(BAND, Tensor([1])), ValueError, "LU_pivots"),
        (lambda: ops.matrix_norm(BAND, 3), ValueError, "'ord'"),
        (lambda: ops.matrix_norm(BAND, axis=(0, 0)), ValueError, "'axis'"),
        (lambda: ops.matrix_norm(BAND, axis=[0, 1.0]), TypeError, "'axis'"),
        (lambda: ops.matrix_norm(BAND, axis=[0]), ValueError, "'axis'"),
        (lambda: ops.matrix_norm(BAND.astype(bool_)), TypeError, "'A'"),
        (lambda: ops.matrix_norm(BAND.astype(complex64), 1), TypeError, "'A'"),
        (lambda: ops.pdist(BAND, -1.0), ValueError, "'p'"),
        (lambda: ops.dist(BAND, BAND, 1.5), TypeError, "'p'"),
        (lambda: ops.matrix_exp(BAND), ValueError, "square"),
        (lambda: ops.orgqr(BAND, Tensor([1.0])), ValueError, "rows"),
        (lambda: ops.lstsq(BAND, matrix([1.0])), ValueError, "rows"),
    ],
)
def test_what_does_not_fit_is_refused(call, error, part):
    with pytest.raises(error, match=part):
        call()


# Factors against scipy ----------------------------------------------------------------------------


def test_householder_factors_give_the_matrix_back():
    x = numbers(4, 3)
    packed, tau = ops.geqrf(Tensor(x))
    q = ops.orgqr(packed, tau).asnumpy()
    close(q @ np.triu(packed.asnumpy())[:3], x)
    other = numbers(4, 2, seed=1)
    whole = scipy.linalg.qr(x)[0]
    signs = np.sign((whole[:, :3] * q).sum(0))
    whole = whole * np.append(signs, np.sign(np.linalg.det(whole)) * np.prod(signs) * -1)
    for left, transpose, expected in (
        (True, False, whole @ other),
        (True, True, whole.T @ other),
        (False, False, other.T @ whole),
        (False, True, other.T @ whole.T),
    ):
        given = Tensor(other if left else other.T.copy())
        out = ops.ormqr(packed, tau, given, left, transpose)
        close(np.abs(out.asnumpy()), np.abs(expected))


@pytest.mark.parametrize("size", [0.01, 1, 30])
def test_the_exponential_is_scipys(size):
    x = size * numbers(2, 4, 4)
    expected = np.stack([scipy.linalg.expm(one) for one in x])
    close(ops.matrix_exp(Tensor(x)), expected)


@pytest.mark.parametrize("shape", [(5, 3), (3, 5), (4, 4)])
def test_least_squares_are_numpys(shape):
    x, y = numbers(*shape), numbers(shape[0], 2, seed=3)
    expected = np.linalg.lstsq(x, y, rcond=None)[0]
    close(ops.lstsq(Tensor(x), Tensor(y)), expected)
    out = ops.MatrixSolveLs()(Tensor(x), Tensor(y), Tensor(np.array(0.0)))
    close(out, expected)


PAIRS = [
    ((5, 3), (5, 2)),
    ((5, 3), (5,)),
    ((2, 5, 3), (2, 5)),
    ((2, 5, 3), (1, 5, 2)),
    ((3, 5), (3, 2)),
]


@pytest.mark.parametrize("shape, other", PAIRS)
@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
def test_complex_and_batched_least_squares(shape, other, dtype):
    part = 1j if dtype == np.complex128 else 0
    x = numbers(*shape) + part * numbers(*shape, seed=7)
    y = numbers(*other, seed=3) + part * numbers(*other, seed=8)
    vector = y.ndim == x.ndim - 1
    expected = np.linalg.pinv(x) @ (y[..., None] if vector else y)
    expected = expected[..., 0] if vector else expected
    solve = auto_generate.LstsqV2()
    close(solve(Tensor(x), Tensor(y))[0], expected)

    def loss(x, y):
        return (ops.abs(solve(x, y)[0]) ** 2).sum()

    found = grad(loss, (0, 1))(Tensor(x), Tensor(y))
    for number, given in enumerate((x, y)):
        for unit in (1, 1j) if part else (1,):
            step = np.zeros_like(given)
            step.ravel()[1] = 1e-6 * unit
            ends = []
            for sign in (1, -1):
                inputs = [x, y]
                inputs[number] = given + sign * step
                ends.append(loss(*map(Tensor, inputs)).asnumpy().item())
            gradient = found[number].asnumpy().ravel()[1]
            # A difference over a step of 1e-6.
            wanted = (ends[0] - ends[1]) / 2e-6
            assert (gradient.imag if unit == 1j else gradient.real) == pytest.approx(
                wanted, 1e-5, 1e-6
            )


@pytest.mark.parametrize(
    "shape, other", [((4, 3), (2, 4, 2)), ((2, 4, 4), (4,)), ((2, 4, 4), (3, 4))]
)
def test_unfit_least_squares(shape, other):
    with pytest.raises((ValueError, RuntimeError), match="LstsqV2|MatMul|matmul"):
        auto_generate.LstsqV2()(Tensor(numbers(*shape)), Tensor(numbers(*other)))


def test_unpacked_factors_multiply_to_the_matrix():
    x = numbers(4, 4)
    packed, pivots = scipy.linalg.lu_factor(x)
    parts = ops.LuUnpack()(Tensor(packed), Tensor((pivots + 1).astype(np.int32)))
    p, lower, upper = (one.asnumpy() for one in parts)
    close(p @ lower @ upper, x)
    assert ops.lu_unpack(Tensor(packed), Tensor((pivots + 1).astype(np.int32)), False)[1] is None


@pytest.mark.parametrize("order", [2, -2, 1, -1, np.inf, -np.inf, "fro", "nuc"])
def test_norms_and_condition_numbers_are_numpys(order):
    x = numbers(2, 3, 3)
    expected = np.linalg.norm(x, order, (-2, -1))
    out = ops.matrix_norm(Tensor(x), float(order) if order in (np.inf, -np.inf) else order)
    close(out, expected, atol=0)
    found = ops.cond(Tensor(x), order).asnumpy()
    close(found, np.linalg.cond(x, order))


@pytest.mark.parametrize(
    "p, name",
    [(1.0, "cityblock"), (2.0, "euclidean"), (float("inf"), "chebyshev"), (0.0, "hamming")],
)
def test_distances_of_rows_are_scipys(p, name):
    x = numbers(4, 3)
    expected = pdist(x, name) * (3 if p == 0.0 else 1)
    close(ops.pdist(Tensor(x), p), expected, atol=0)


@pytest.mark.parametrize("offset, scale", [(0, 1), (1000, 1), (0, 1e18)])
def test_euclidean_distances_are_precise_for_near_and_equal_rows(offset, scale):
    x, y = (((a + offset) * scale).astype(np.float32) for a in (numbers(60, 9), numbers(50, 9)))
    y[:3], y[3] = x[:3], x[3] * np.float32(1 + 1e-6)
    exact = cdist(x.astype(np.float64), y.astype(np.float64))
    found = ops.cdist(Tensor(x), Tensor(y)).asnumpy()
    np.testing.assert_allclose(found, exact, rtol=1e-6)
    g = numbers(60, 50)
    gradients = grad(lambda x, y: (ops.cdist(x, y) * Tensor(g)).sum(), (0, 1))
    share = np.where(exact == 0, 0, g / np.where(exact == 0, 1, exact))[..., None]
    terms = share * (x[:, None].astype(np.float64) - y)
    for found, expected in zip(gradients(Tensor(x), Tensor(y)), (terms.sum(1), -terms.sum(0))):
        np.testing.assert_allclose(found.asnumpy(), expected, atol=1e-6 * np.abs(expected).max())


def test_infinite_rows_have_infinite_distances():
    x = numbers(5, 3)
    x[2, 1] = np.inf
    found = ops.cdist(Tensor(x), Tensor(x[:2])).asnumpy()
    np.testing.assert_array_equal(
        np.isinf(found), [[False] * 2] * 2 + [[True] * 2] + [[False] * 2] * 2
    )


def test_triangular_systems_read_one_triangle():
    x, y = numbers(3, 3) + 4 * np.eye(3), numbers(3, 2)
    for lower in (True, False):
        for adjoint in (True, False):
            out = ops.MatrixTriangularSolve(lower, adjoint)(Tensor(x), Tensor(y)).asnumpy()
            expected = scipy.linalg.solve_triangular(x, y, trans=int(adjoint), lower=lower)
            close(out, expected)


# Derivatives --------------------------------------------------------------------------------------

SQUARE = numbers(3, 3) + 3 * np.eye(3)
CASES = {
    "matrix_diag": (lambda x: ops.matrix_diag(x, Tensor([-1, 0], int32), 3, 3), numbers(2, 3)),
    "matrix_diag_part": (
        lambda x: ops.matrix_diag_part(x, Tensor([-1, 1], int32), 0.5),
        numbers(3, 4),
    ),
    "matrix_set_diag": (ops.matrix_set_diag, numbers(3, 4), numbers(3)),
    "matrix_exp": (ops.matrix_exp, SQUARE / 2),
    "orgqr": (ops.orgqr, numbers(4, 2), numbers(2)),
    "ormqr": (ops.ormqr, numbers(4, 2), numbers(2), numbers(4, 3)),
    "lstsq": (ops.lstsq, numbers(5, 3), numbers(5, 2)),
    "triangles": (lambda x: ops.lu_unpack(x, Tensor(np.array([1, 2, 3], np.int32)))[1:], SQUARE),
    "cond": (ops.cond, SQUARE),
    "pdist": (ops.pdist, numbers(4, 3)),
    "ReduceStd": (lambda x: statistics.reduce_std.run(x, 1), numbers(3, 4)),
}


@pytest.mark.parametrize("name", CASES)
def test_derivatives_agree_with_differences(name):
    check_gradients(*CASES[name])


@pytest.mark.parametrize("factor", [ops.cholesky, ops.Cholesky(), Tensor.cholesky])
@pytest.mark.parametrize("low", [1.0, np.nan])
def test_what_is_not_positive_definite_has_no_triangle(factor, low, space):
    """NumPy's `cholesky` raises an error for 1 only, CuPy's for neither value: its result is
    wrong."""
    bad = np.array([[low, 2], [2, 1]], np.float32)
    with pytest.raises(RuntimeError, match="For 'cholesky', 'input_x' must"):
        factor(Tensor(np.stack([np.eye(2, dtype=np.float32), bad])))


def test_a_triangle_that_the_device_fills_with_nan_is_refused(monkeypatch):
    from mindspore_compat._backend.arrays import HOST

    monkeypatch.setattr(HOST.module.linalg, "cholesky", lambda x: x * np.nan)
    with pytest.raises(RuntimeError):
        ops.cholesky(matrix([1, 2], [2, 1]))


# Several dtypes -----------------------------------------------------------------------------------

SINGLE = matrix([1, 2], [3, 4])
ALIKE = {
    "matmul": lambda y: ops.matmul(SINGLE, y),
    "mint.matmul": lambda y: mint.matmul(y, SINGLE),
    "@": lambda y: SINGLE @ y,
    "bmm": lambda y: ops.bmm(SINGLE[None], y[None]),
    "mint.bmm": lambda y: mint.bmm(y[None], SINGLE[None]),
    "Tensor.bmm": lambda y: SINGLE[None].bmm(y[None]),
    "stack": lambda y: ops.stack([SINGLE, y]),
    "Stack": lambda y: ops.Stack()((y, SINGLE)),
    "AddN": lambda y: ops.AddN()([SINGLE, y]),
    "accumulate_n": lambda y: ops.accumulate_n((SINGLE, y)),
}


@pytest.mark.parametrize("dtype", ["float16", "float64", "int32", "bool"])
@pytest.mark.parametrize("name", ALIKE)
def test_dtypes_that_do_not_mix(name, dtype):
    ALIKE[name](SINGLE)
    with pytest.raises(TypeError, match="For '.*must have one dtype, but got"):
        ALIKE[name](SINGLE.astype(dtype))


@pytest.mark.parametrize("join", [ops.cat, ops.Concat(), ops.hstack, mint.cat, mint.stack])
def test_dtypes_that_are_joined_are_promoted(join):
    assert join([SINGLE.astype("int32"), SINGLE]).dtype == SINGLE.dtype


@pytest.mark.parametrize("name", ALIKE)
def test_a_cell_in_low_precision_brings_floats_together(name):
    class Net(nn.Cell):
        def construct(self, y):
            return ALIKE[name](y)

    result = Net().to_float(float16)(SINGLE)  # the other operand stays float32
    same(result, ALIKE[name](SINGLE), "float16")


@pytest.mark.parametrize(
    "kind, order, dtype, wanted",
    [
        ("int32", 1, "Int64", [21, 57]),
        ("int32", -np.inf, "Int32", [6, 54]),
        ("uint8", np.inf, "UInt8", [38, 86]),
        ("bool", -1, "Int64", [2, 3]),
        ("int64", "fro", "Float32", [22.494444, 61.789967]),
        ("float64", "nuc", "Float32", [24.364635, 62.495059]),
        ("float16", 2, "Float32", [22.409298, 61.785878]),
    ],
)
def test_matrix_norm_has_the_dtype_of_its_sums(kind, order, dtype, wanted):
    x = Tensor(np.arange(24).reshape(2, 3, 4).astype(kind))
    out = ops.matrix_norm(x, order, axis=[1, 2])
    assert str(out.dtype) == dtype
    np.testing.assert_allclose(out.asnumpy(), wanted, rtol=2e-6)


def test_each_limit_of_a_pseudoinverse_is_for_one_matrix():
    batch = np.stack([np.diag([4.0, 1.0]), np.diag([2.0, 5.0])]).astype(np.float32)
    limits = np.array([[0.1, 4.5], [1.0, 1.5], [3.0, 9.0]], np.float32)
    found = ops.pinv(Tensor(batch), atol=Tensor(limits)).asnumpy()
    assert found.shape == (3, 2, 2, 2)
    for row, given in zip(found, limits, strict=True):
        for inverse, matrix, limit in zip(row, batch, given, strict=True):
            expected = np.linalg.pinv(matrix, rcond=limit / matrix.max())
            np.testing.assert_allclose(inverse, expected, atol=1e-6)
    assert ops.pinv(Tensor(batch[0]), rtol=Tensor(limits[0] / 5)).shape == (2, 2, 2)


def test_a_hermitian_pseudoinverse_reads_the_lower_triangle():
    given = Tensor(np.array([[2, 5], [1, 3]], np.float32))
    expected = np.linalg.inv(np.array([[2, 1], [1, 3]], np.float32))
    close(ops.pinv(given, hermitian=True), expected)


def test_slow_least_squares_ignore_the_regularizer():
    matrix, right = numbers(2, 4, 3), numbers(2, 4, 1, seed=3)
    matrix[1, :, 2] = matrix[1, :, 0]  # of a lower rank: the shortest solution
    solve = ops.MatrixSolveLs(fast=False)
    found = solve(Tensor(matrix), Tensor(right), Tensor(0.7, float64))
    close(found, np.linalg.pinv(matrix) @ right)


@pytest.mark.parametrize("shape", [(3, 2), (2, 3)])
def test_a_singular_value_of_zero_has_a_finite_gradient(shape):
    x = np.zeros(shape)
    x[0, 0] = 2.0
    u, _, vh = np.linalg.svd(x, full_matrices=False)
    for function in (lambda x: ops.norm(x, "nuc"), lambda x: ops.svd(x, compute_uv=False).sum()):
        close(grad(function)(Tensor(x)), u @ vh)  # a subgradient


@pytest.mark.parametrize("shape", [(1, 1), (3, 3)])
def test_gradients_of_complex_phases(shape):
    x = numbers(*shape) + 1j * numbers(*shape, seed=1)
    weights = Tensor(numbers(*shape, seed=2))

    def of_qr(x):
        q, r = ops.qr(x)
        return (ops.real(q) * weights).sum() + (ops.imag(r) * weights).sum()

    def of_determinant(x):
        sign, logarithm = ops.slogdet(x)
        return ops.real(sign * Tensor(0.3 + 0.7j)) + ops.real(logarithm)

    for function in (of_qr, of_determinant):
        found = grad(function)(Tensor(x)).asnumpy()
        for place in np.ndindex(shape):
            for unit in (1.0, 1j):
                step = np.zeros(shape, complex)
                step[place] = 1e-6 * unit
                ends = [float(function(Tensor(x + sign * step)).asnumpy()) for sign in (1, -1)]
                slope = (ends[0] - ends[1]) / 2e-6
                assert abs((found[place] * np.conj(unit)).real - slope) < 1e-6
