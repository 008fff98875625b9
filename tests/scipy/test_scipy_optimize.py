"""mindspore.scipy.optimize: minima, line searches, assignments."""

import subprocess
import sys

import numpy as np
import pytest
import scipy.optimize
from kit import close

from mindspore_compat import Tensor, float32, float64, ops
from mindspore_compat import numpy as mnp
from mindspore_compat.scipy import optimize

METHODS = ("BFGS", "LBFGS")
RANDOM = np.random.RandomState(0)


def valley(x):
    return 100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2


def hills(x):
    return mnp.sum(x * x - 3 * mnp.cos(x))


def bowl(x):
    return mnp.sum((x - 1) ** 2)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "function, start, minimum",
    [
        (valley, [-1.2, 1.0], [1, 1]),
        (bowl, [0.0, 3.0], [1, 1]),
        (hills, [1.0, -2.0, 0.3], [0, 0, 0]),
    ],
)
def test_minima_are_found(method, function, start, minimum):
    found = optimize.minimize(function, Tensor(np.array(start)), method=method)
    assert found.success and found.status == 0 and found.nit > 0
    close(found.x, minimum, atol=1e-4)
    assert np.abs(found.jac.asnumpy()).max() < 1e-5
    close(found.fun, float(function(found.x)))
    assert found.nfev >= found.nit and found.njev >= found.nit


def test_the_inverse_of_the_second_derivatives_is_approached():
    found = optimize.minimize(valley, Tensor(np.array([-1.2, 1.0])), method="bfgs")
    exact = np.linalg.inv([[802, -400], [-400, 200]])
    close(found.hess_inv, exact, rtol=0.1, atol=0)
    assert optimize.minimize(bowl, Tensor([0.0, 3.0]), method="lbfgs").hess_inv is None


def test_the_step_that_converges_teaches_the_inverse_nothing():
    found = optimize.minimize(bowl, Tensor([0.0, 3.0]), method="bfgs", options={"gtol": 1e9})
    close(found.hess_inv, np.eye(2))


@pytest.mark.parametrize("method", METHODS)
def test_iterations_are_limited(method):
    found = optimize.minimize(
        valley, Tensor(np.array([-1.2, 1.0])), method=method, options={"maxiter": 3}
    )
    assert not found.success and found.status == 1 and found.nit == 3


def test_further_arguments_and_a_given_gradient():
    calls = []

    def gradient(x, where):
        calls.append(1)
        return 2 * (x - where)

    found = optimize.minimize(
        lambda x, where: mnp.sum((x - where) ** 2),
        Tensor([0.0, 3.0]),
        (2.0,),
        method="BFGS",
        jac=gradient,
    )
    close(found.x, [2, 2])
    assert len(calls) == found.njev


def test_a_tolerance_ends_it_early():
    start = Tensor(np.array([-1.2, 1.0]))
    rough = optimize.minimize(valley, start, method="BFGS", tol=1.0)
    assert rough.nit < optimize.minimize(valley, start, method="BFGS").nit
    assert 1e-5 < np.abs(rough.jac.asnumpy()).max() < 1.0


def test_constraints_are_kept():
    found = optimize.minimize(
        bowl,
        Tensor(np.array([0.0, 3.0], np.float32)),
        method="LAGRANGE",
        tol=[1e-3],
        constraints=[lambda x: x[0] - x[1] + 1],
        options={"rounds": 30, "steps": 100, "learning_rate": 0.05},
    )
    assert found.succeeded and found.loss_value[0] < 1e-3
    close(found.best_value, [0.5, 1.5], rtol=1e-7, atol=0.05)
    close(found.object_value, 0.5, atol=0.05)


@pytest.mark.parametrize(
    "lower, upper, minimum",
    [
        (None, [0.5, 5.0], [0.5, 1]),
        ([2.0, 0.0], None, [2, 1]),
        ([1.5, 0.0], [2.0, 0.5], [1.5, 0.5]),
    ],
)
def test_places_stay_between_bounds(lower, upper, minimum):
    bounds = {
        name: Tensor(np.array(value, np.float32))
        for name, value in (("lower", lower), ("upper", upper))
        if value is not None
    }
    found = optimize.minimize(
        lambda x, shared: shared,
        Tensor(np.array([0.7, 0.7], np.float32)),
        method="LAGRANGE",
        constraints=[lambda x, shared: -1 - shared],
        options={"rounds": 2, "steps": 300, "coincide_fun": bowl, **bounds},
    )
    close(found.best_value, minimum, rtol=1e-7, atol=0.1)


@pytest.mark.parametrize(
    "arguments, error",
    [
        ((5, Tensor([1.0]), (), "BFGS"), TypeError),
        ((bowl, [1.0], (), "BFGS"), TypeError),
        ((bowl, Tensor([1.0]), 3, "BFGS"), TypeError),
        ((bowl, Tensor([1.0])), ValueError),
        ((bowl, Tensor([1.0]), (), "newton"), ValueError),
    ],
)
def test_arguments_are_refused(arguments, error):
    with pytest.raises(error, match="minimize"):
        optimize.minimize(*arguments)


def test_constraints_are_checked():
    for arguments, error in (
        ({"constraints": [5]}, TypeError),
        ({"constraints": [bowl], "tol": [1, 2]}, ValueError),
    ):
        with pytest.raises(error):
            optimize.minimize(bowl, Tensor([1.0]), method="LAGRANGE", **arguments)


@pytest.mark.parametrize(
    "function, start, way",
    [
        (bowl, [0.0, 3.0], [1.0, -1.0]),
        (valley, [-1.2, 1.0], [215.6, 88.0]),
        (hills, [2.0, 1.0], [-0.01, -0.02]),
    ],
)
def test_line_searches_keep_the_conditions(function, start, way):
    start, way = np.array(start), np.array(way)
    found = optimize.line_search(function, Tensor(start), Tensor(way))
    assert not found.failed and found.status == 0
    there = start + found.a_k * way
    gradient = scipy.optimize.approx_fprime(start, lambda x: float(function(Tensor(x))), 1e-7) @ way
    close(found.f_k, float(function(Tensor(there))), atol=0)
    assert found.f_k <= float(function(Tensor(start))) + 1e-4 * found.a_k * gradient
    assert abs(found.g_k.asnumpy() @ way) <= 0.9 * abs(gradient)


def test_a_line_search_upwards_fails():
    assert optimize.line_search(bowl, Tensor([0.0]), Tensor([-1.0]), maxiter=5).failed


@pytest.mark.parametrize(
    "function, start, way, wanted",  # printed by MindSpore 2.10, for 3 steps
    [
        (lambda x: -ops.sin(10 * x), 0.0, 1.0, (False, 1, 4, 4, 2, 0.15401, -0.99953, -0.30713, 0)),
        (ops.cos, 0.5, 1.0, (False, 3, 5, 5, 4, 2.6697, -0.99961, 0.0281, 3)),
        (ops.cos, 0.0, 1.0, (True, 3, 14, 14, 4, 1.0, -0.65364, 0.0, 1)),
        (lambda x: -x, 1.0, -1.0, (True, 1, 12, 12, 2, 1.0, -1.0, -1.0, 1)),
        (lambda x: -x, 0.0, 1.0, (True, 3, 4, 4, 4, 0.0, 0.0, -1.0, 3)),
    ],
)
def test_what_a_line_search_reports(function, start, way, wanted):
    found = optimize.line_search(function, Tensor(start), Tensor(way), maxiter=3)
    numbers = [n.asnumpy() if isinstance(n, Tensor) else n for n in found]
    close(np.array(numbers, float), np.array(wanted, float), atol=1e-4)


@pytest.mark.parametrize("shape", [(3, 3), (2, 4), (4, 2)])
@pytest.mark.parametrize("maximize", [False, True])
def test_assignments(shape, maximize):
    costs = RANDOM.rand(*shape)
    for found, expected in zip(
        optimize.linear_sum_assignment(Tensor(costs), maximize),
        scipy.optimize.linear_sum_assignment(costs, maximize),
        strict=True,
    ):
        assert found.asnumpy().tolist() == expected.tolist()


def test_columns_of_an_assignment_are_limited():
    costs = Tensor(np.array([[4.0, 1, 3], [2, 0, 5], [3, 2, 2]]))
    rows, columns = optimize.linear_sum_assignment(costs, False, Tensor(2))
    assert rows.asnumpy().tolist() == [0, 1, -1] and columns.asnumpy().tolist() == [1, 0, -1]


@pytest.mark.parametrize(
    "arguments, error",
    [
        ((5, False), TypeError),
        ((Tensor([1j]), False), TypeError),
        ((Tensor([[1.0]]), 1), TypeError),
        ((Tensor([[1.0]]), False, Tensor(2.0)), TypeError),
        ((Tensor([1.0]), False), ValueError),
    ],
)
def test_assignments_are_checked(arguments, error):
    with pytest.raises(error):
        optimize.linear_sum_assignment(*arguments)


def test_the_module_of_assignments_shows_the_function():
    """As documented: `import mindspore.scipy.optimize.linear_sum_assignment as lsap`."""
    script = (
        "import mindspore.scipy.optimize.linear_sum_assignment as lsap\n"
        "from mindspore.scipy.optimize.linear_sum_assignment import linear_sum_assignment\n"
        "import mindspore\n"
        "assert lsap is linear_sum_assignment is mindspore.scipy.optimize.linear_sum_assignment\n"
        "print(lsap(mindspore.Tensor([[2, 1], [1, 3]], mindspore.float64), False)[1])"
    )
    done = subprocess.run(
        [sys.executable, "-m", "mindspore_compat", "-c", script], capture_output=True, text=True
    )
    assert done.stdout.split() == ["[1", "0]"], done.stderr


@pytest.mark.parametrize("dtype", [float32, float64])
@pytest.mark.parametrize("method", METHODS)
def test_steep_functions_are_minimized(dtype, method):
    def steep(x):
        return ((2e4 * x) ** 2).sum() / 3

    found = optimize.minimize(
        steep, Tensor([1.0, 1.0], dtype), method=method, options={"gtol": 1e-6}
    )
    assert found.success and found.x.dtype == dtype
    np.testing.assert_allclose(found.x.asnumpy(), [0, 0], atol=1e-6)


@pytest.mark.parametrize("method, calls, iterations", [("BFGS", 64, 40), ("LBFGS", 29, 24)])
def test_steps_are_counted_as_the_original_counts_them(method, calls, iterations):
    def quartic(x):
        return 1e3 * (x * x * x * x).sum() + x.sum()

    start = Tensor([-2.0, 5.0, 0.5], float64)
    found = optimize.minimize(quartic, start, method=method, options={"gtol": 1e-6})
    assert (found.nfev, found.nit) == (calls, iterations)
    flat = optimize.minimize(lambda x: (x * x).sum(), Tensor([0.0]), method=method)
    assert flat.success and (flat.nfev, flat.nit) == (2, 0)


@pytest.mark.parametrize(
    "given, step, calls",
    [  # of real MindSpore 2.10
        ({}, 0.346596, 4),
        ({"c2": 1.15}, 0.404251, 3),
        ({"c2": 0.3}, 0.322945, 5),
        ({"c2": 0.01}, 0.307057, 7),
        ({"c1": -0.5}, 0.399008, 3),
        ({"old_old_fval": Tensor(1.0, float32)}, 1.0, 11),
    ],
)
def test_a_line_search_tries_the_steps_of_the_original(given, step, calls):
    start, way = Tensor([1.75197, 1.50395], float32), Tensor([-0.84671, 0.60526], float32)
    known = {"gfk": Tensor([-0.29079, -0.78684], float32), "old_fval": Tensor(1.21962, float32)}
    known["old_old_fval"] = Tensor(3.23463, float32)
    found = optimize.line_search(bowl, start, way, lambda x: 2 * (x - 1), **{**known, **given})
    assert abs(float(found.a_k) - step) < 1e-4 * step
    assert found.nfev == calls


@pytest.mark.parametrize("c2", [0.9, -0.5])
def test_a_line_search_ends_where_an_interval_has_no_width(c2):
    found = optimize.line_search(bowl, Tensor([0.3, 2.0]), Tensor([0.7, -1.0]), c2=c2)
    assert found.failed == (c2 < 0)
