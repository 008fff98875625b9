"""mindspore.scipy.linalg against SciPy, its gradients against differences, rejected calls."""

import numpy as np
import pytest
import scipy.linalg
from kit import close, close_sums

import mindspore_compat as ms
from mindspore_compat import Tensor, ops
from mindspore_compat.scipy import linalg

pytestmark = pytest.mark.quick

RANDOM = np.random.RandomState(0)
GENERAL = RANDOM.randn(4, 4)
POSITIVE = GENERAL @ GENERAL.T + 4 * np.eye(4)
SYMMETRIC = GENERAL + GENERAL.T
VECTOR = RANDOM.randn(4)
COLUMNS = RANDOM.randn(4, 2)
TOLERANCE = {np.float32: 2e-4, np.float64: 1e-10}


@pytest.fixture(params=[np.float32, np.float64])
def dtype(request):
    return request.param


def test_inverse_and_determinant(dtype):
    a = Tensor(GENERAL.astype(dtype))
    close(linalg.inv(a), scipy.linalg.inv(GENERAL), TOLERANCE[dtype])
    close(linalg.det(a), scipy.linalg.det(GENERAL))


@pytest.mark.parametrize("lower", [False, True])
def test_positive_definite_matrices(dtype, lower):
    a = Tensor(POSITIVE.astype(dtype))
    close(linalg.cholesky(a, lower), scipy.linalg.cholesky(POSITIVE, lower))
    factor = linalg.cho_factor(a, lower)
    assert factor[1] is lower
    for b in (VECTOR, COLUMNS):
        close(linalg.cho_solve(factor, Tensor(b.astype(dtype))), np.linalg.solve(POSITIVE, b))


@pytest.mark.parametrize("lower", [False, True])
def test_eigenvalues(dtype, lower):
    a = (np.tril if lower else np.triu)(SYMMETRIC).astype(dtype)
    values, vectors = linalg.eigh(Tensor(a), lower=lower)
    close(values, scipy.linalg.eigh(SYMMETRIC, eigvals_only=True))
    close(SYMMETRIC @ vectors.asnumpy(), vectors.asnumpy() * values.asnumpy(), TOLERANCE[dtype])
    close(linalg.eigh(Tensor(a), lower=lower, eigvals_only=True), values.asnumpy())


def test_eigenvalues_of_a_complex_matrix():
    a = np.array([[1, 2j], [-2j, 1]])
    values, vectors = linalg.eigh(Tensor(a))
    assert values.dtype == ms.complex128
    close(values, [-1, 3])
    close(a @ vectors.asnumpy(), vectors.asnumpy() * values.asnumpy())


def test_packed_factors_and_their_solutions(dtype):
    packed, pivots = linalg.lu_factor(Tensor(GENERAL.astype(dtype)))
    expected, order = scipy.linalg.lu_factor(GENERAL)
    close(packed, expected)
    assert pivots.dtype == ms.int32 and pivots.asnumpy().tolist() == order.tolist()
    for b in (VECTOR, COLUMNS):
        for trans in (0, 1, 2):
            close(
                linalg.lu_solve((packed, pivots), Tensor(b.astype(dtype)), trans),
                np.linalg.solve(GENERAL.T if trans else GENERAL, b),
                TOLERANCE[dtype],
            )


@pytest.mark.parametrize("shape", [(4, 4), (5, 3), (3, 5), (1, 1)])
def test_factors_of_any_shape(dtype, shape):
    a = RANDOM.randn(*shape).astype(dtype)
    found = linalg.lu(Tensor(a))
    for one, other in zip(found, scipy.linalg.lu(a), strict=True):
        close(one, other, TOLERANCE[dtype])
    assert found[0].dtype == ms.int32
    for one, other in zip(linalg.lu(Tensor(a), True), scipy.linalg.lu(a, True), strict=True):
        close(one, other)


@pytest.mark.parametrize("trans", [0, 1, 2, "N", "T", "C"])
@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("unit", [False, True])
def test_triangles_are_solved(trans, lower, unit):
    for b in (VECTOR, COLUMNS):
        found = linalg.solve_triangular(Tensor(GENERAL), Tensor(b), trans, lower, unit)
        close(found, scipy.linalg.solve_triangular(GENERAL, b, trans, lower, unit))


def test_stacks_of_triangles_are_solved():
    a, b = RANDOM.rand(3, 2, 2) + 1, RANDOM.rand(3, 2)
    found = linalg.solve_triangular(Tensor(a), Tensor(b))
    close(found, [scipy.linalg.solve_triangular(*each) for each in zip(a, b, strict=True)])


@pytest.mark.parametrize(
    "driver, there",
    [(None, "k"), ("gels", "r"), ("gelsy", "k"), ("gelss", "rks"), ("gelsd", "rks")],
)
def test_least_squares(driver, there):
    a, b = RANDOM.randn(5, 3), RANDOM.randn(5, 2)
    a[:, 2] = a[:, 0] if driver != "gels" else a[:, 2]
    solution, residual, rank, values = linalg.lstsq(Tensor(a), Tensor(b), driver=driver)
    expected = np.linalg.lstsq(a, b, None)
    close(solution, expected[0])
    assert [residual.size > 0, rank.shape == (), values.size > 0] == [
        letter in there for letter in "rks"
    ]
    if "r" in there:
        close(residual, ((a @ expected[0] - b) ** 2).sum(0))
    if "k" in there:
        assert int(rank) == expected[2]
    if "s" in there:
        close(values, expected[3])


def test_least_squares_of_a_vector():
    a, b = RANDOM.randn(5, 3), RANDOM.randn(5)
    solution, residual, _, _ = linalg.lstsq(Tensor(a), Tensor(b), driver="gels")
    expected = np.linalg.lstsq(a, b, None)[0]
    close(solution, expected)
    close(residual, [((a @ expected - b) ** 2).sum()])


def test_least_squares_of_stacks():
    a, b = RANDOM.randn(4, 5, 3), RANDOM.randn(5, 2)
    solution, residual, rank, values = linalg.lstsq(Tensor(a), Tensor(b), driver="gelsd")
    close(solution, [np.linalg.lstsq(each, b, None)[0] for each in a])
    assert residual.shape == (4, 2) and rank.asnumpy().tolist() == [3] * 4
    assert values.shape == (4, 3)


def test_blocks():
    blocks = [
        np.float32(5),
        np.array([1, 2], np.float32),
        np.eye(2, 3, dtype=np.float32),
        np.zeros((1, 0), np.float32),
        np.zeros((0, 2), np.float32),
    ]
    found = linalg.block_diag(*map(Tensor, blocks))
    close(found, scipy.linalg.block_diag(*blocks), 1e-10)
    assert linalg.block_diag().shape == (1, 0)
    assert linalg.block_diag(Tensor([1]), Tensor([[2.0]])).dtype == ms.float32


def test_ints_become_float64():
    a = Tensor(np.array([[4, 1], [1, 3]]))
    for function in (linalg.inv, linalg.cholesky, linalg.det):
        assert function(a).dtype == ms.float64
    assert linalg.lu_factor(a)[0].dtype == ms.float64


def weighted(function, shape):
    """Returns the sum of a function's results, with a different weight for each element."""
    weights = Tensor(np.cos(np.arange(np.prod(shape))).reshape(shape))
    return lambda a: ops.sum(function(a) * weights)


FUNCTIONS = {
    "inv": (lambda a: linalg.inv(a), GENERAL, (4, 4)),
    "det": (lambda a: linalg.det(a), GENERAL, ()),
    "cholesky": (lambda a: linalg.cholesky(a + ops.swapaxes(a, 0, 1)), POSITIVE, (4, 4)),
    "eigh": (lambda a: linalg.eigh(a)[0], SYMMETRIC, (4,)),
    "lu_factor": (lambda a: linalg.lu_factor(a)[0], GENERAL, (4, 4)),
    "lu tall": (lambda a: linalg.lu(a)[1], RANDOM.randn(4, 3), (4, 3)),
    "lu wide": (lambda a: linalg.lu(a)[2], RANDOM.randn(3, 4), (3, 4)),
    "solve": (lambda a: linalg.lu_solve(linalg.lu_factor(a), Tensor(VECTOR)), GENERAL, (4,)),
    "triangle": (lambda a: linalg.solve_triangular(a, Tensor(COLUMNS), "T"), POSITIVE, (4, 2)),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradients_agree_with_differences(name):
    function, matrix, shape = FUNCTIONS[name]
    total, step = weighted(function, shape), 1e-6
    gradient = ms.grad(total)(Tensor(matrix)).asnumpy()
    for _ in range(3):
        way = RANDOM.randn(*matrix.shape)
        ahead, behind = (float(total(Tensor(matrix + sign * step * way))) for sign in (1, -1))
        # A difference over a step of 1e-6.
        np.testing.assert_allclose(
            (gradient * way).sum(), (ahead - behind) / (2 * step), 1e-5, 1e-6
        )


def test_second_derivatives_of_factors_agree_with_differences():
    total, step = weighted(FUNCTIONS["lu_factor"][0], (4, 4)), 1e-6
    first = ms.grad(total)
    way, other = RANDOM.randn(4, 4), RANDOM.randn(4, 4)
    gradient = ms.grad(lambda a: ops.sum(first(a) * Tensor(way)))(Tensor(GENERAL)).asnumpy()
    ahead, behind = (
        (first(Tensor(GENERAL + sign * step * other)).asnumpy() * way).sum() for sign in (1, -1)
    )
    close_sums((gradient * other).sum(), (ahead - behind) / (2 * step))


SQUARE = (linalg.inv, linalg.det, linalg.cholesky, linalg.cho_factor, linalg.eigh, linalg.lu_factor)


@pytest.mark.parametrize("function", SQUARE)
def test_matrices_are_checked(function):
    for wrong, error in (
        (5, TypeError),
        (np.eye(2), TypeError),
        (Tensor(np.eye(2, dtype=np.float16)), TypeError),
        (Tensor(np.ones((2, 3))), ValueError),
        (Tensor(np.ones(2)), ValueError),
    ):
        with pytest.raises(error, match=f"'{function.__name__}', 'a'"):
            function(wrong)
    with pytest.raises(TypeError, match="bool"):
        function(Tensor(np.eye(2)), check_finite=1)


@pytest.mark.parametrize(
    "call, error",
    [
        (lambda a: linalg.eigh(a, a), ValueError),
        (lambda a: linalg.eigh(a, eigvals=(0, 1)), ValueError),
        (lambda a: linalg.eigh(a, lower=1), TypeError),
        (lambda a: linalg.cholesky(a, 1), TypeError),
        (lambda a: linalg.cholesky(-a), RuntimeError),
        (lambda a: linalg.inv(a * 0), ValueError),
        (lambda a: linalg.lu(a[0]), ValueError),
        (lambda a: linalg.lu(a, 1), TypeError),
        (lambda a: linalg.lu_solve(linalg.lu_factor(a), a, 3), ValueError),
        (lambda a: linalg.lu_solve(linalg.lu_factor(a), a[:1]), ValueError),
        (lambda a: linalg.cho_solve((a, True), a[:1]), ValueError),
        (lambda a: linalg.solve_triangular(a, a, 3), ValueError),
        (lambda a: linalg.solve_triangular(a[:1], a), ValueError),
        (lambda a: linalg.solve_triangular(a, a[:1]), ValueError),
        (lambda a: linalg.solve_triangular(a, a.astype(ms.float32)), TypeError),
        (lambda a: linalg.solve_triangular(a, 5), TypeError),
        (lambda a: linalg.lstsq(a, a, driver="x"), ValueError),
        (lambda a: linalg.lstsq(a, a, driver=1), TypeError),
        (lambda a: linalg.eigh(a, type=True), TypeError),
        (lambda a: linalg.solve_triangular(a, a, 0.5), TypeError),
        (lambda a: linalg.solve_triangular(a, a, "X"), ValueError),
        (lambda a: linalg.solve_triangular(a.reshape(1, *a.shape), a[0]), ValueError),
        (lambda a: linalg.lstsq(a, a[:1]), ValueError),
        (lambda a: linalg.lstsq(a, a[0, :2]), ValueError),
        (lambda a: linalg.lstsq(a[0], a), ValueError),
        (lambda a: linalg.lstsq(a, a.astype(ms.float32)), TypeError),
        (lambda a: linalg.block_diag(a, 5), AttributeError),
        (lambda a: linalg.block_diag(Tensor(np.ones((1, 1, 1)))), ValueError),
    ],
)
def test_arguments_are_refused(call, error):
    with pytest.raises(error):
        call(Tensor(POSITIVE))
