"""minimize: minimization by BFGS, by L-BFGS, and under constraints by Lagrange multipliers.

The methods run on the host, on small NumPy arrays. Only the function and its gradient run on the
device of their Tensors.

Source: Nocedal and Wright, "Numerical Optimization" (1999), algorithms 6.1, 7.4 and 17.4.
"""

from typing import NamedTuple

import numpy

from ... import log
from ..._core.gradients import transforms
from ..._core.rules.vocabulary import InstanceOf
from ..._core.tensor.tensor import Tensor
from .lagrange import minimize_lagrange
from .line_search import line_search

_ATensor = InstanceOf(Tensor)
_ATuple = InstanceOf(tuple)

_STATUS = {0: "converged", 1: "too many iterations", 5: "the line search failed"}


class OptimizeResults(NamedTuple):
    """The result of `minimize`.

    It holds the point; whether it is a minimum, and the status (0, 1 for too many iterations, 5 for
    a failed line search); the value and gradient there; the inverse Hessian (with BFGS); and the
    numbers of calls and iterations.
    """

    x: Tensor
    success: bool
    status: int
    fun: float
    jac: Tensor
    hess_inv: Tensor
    nfev: int
    njev: int
    nit: int


def minimize(
    func,
    x0,
    args=(),
    method=None,
    jac=None,
    hess=None,
    hessp=None,
    bounds=None,
    constraints=(),
    tol=None,
    callback=None,
    options=None,
):
    """Minimizes a function, starting from a given point.

    Args:
        func (Callable): takes a Tensor of shape (n,), and `args`, and returns a number.
        x0 (Tensor): the starting point.
        args (tuple, optional): further arguments of `func`.
        method (str): "BFGS", "LBFGS" or "LAGRANGE"; case does not matter.
        jac (Callable, optional): the gradient, called like `func`; by default it is computed by
            differentiation.
        hess (Callable, optional): not used, as in MindSpore.
        hessp (Callable, optional): not used, as in MindSpore.
        bounds (Sequence, optional): not used.
        constraints (Sequence[Callable], optional): for "LAGRANGE", functions of a point that must
            be below 0.
        tol (Union[float, Sequence], optional): for "LAGRANGE" the limit of each constraint; for the
            others the limit of the largest magnitude in the gradient.
        callback (Callable, optional): not used.
        options (dict, optional): "maxiter", the maximum number of iterations; for "BFGS" and
            "LBFGS" "gtol", the limit of the gradient's norm, "norm", the order of that norm, and
            "line_search_maxiter"; for "LBFGS" also "history_size". For "LAGRANGE" see `lagrange`.

    Returns:
        OptimizeResults; with "LAGRANGE" LagrangeResults.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if `method` is unknown.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.scipy.optimize import minimize
        >>> found = minimize(lambda x: ((x - 3.0) ** 2).sum(), ms.Tensor([0.0]), method="BFGS")
        >>> print(found.x)
        [3.]

    Source: mindspore.scipy.optimize.minimize of MindSpore 2.10.
    """
    if not callable(func):
        raise TypeError(f"For 'minimize', 'func' must be callable, but got {func!r}.")
    _ATensor.refuse("minimize", "x0", x0)
    _ATuple.refuse("minimize", "args", args)
    kind = method.lower() if isinstance(method, str) else method
    if kind not in ("bfgs", "lbfgs", "lagrange"):
        raise ValueError(
            f"For 'minimize', 'method' must be 'BFGS', 'LBFGS' or 'LAGRANGE', but got {method!r}."
        )
    for name, value in (
        ("hess", hess),
        ("hessp", hessp),
        ("bounds", bounds),
        ("callback", callback),
    ):
        if value is not None:
            log.warning("For 'minimize', '%s' is not used.", name)
    options = dict(options or {})
    if kind == "lagrange":
        return minimize_lagrange(func, x0, constraints, tol, **options)
    if tol is not None:
        options.setdefault("gtol", tol)

    def function(x):
        return func(x, *args)

    gradient_function = transforms.grad(function) if jac is None else lambda x: jac(x, *args)
    return _descend(
        function, gradient_function, x0, _Dense if kind == "bfgs" else _Limited, **options
    )


def _descend(
    function,
    gradient_function,
    x0,
    curvature,
    maxiter=None,
    norm=numpy.inf,
    gtol=1e-5,
    line_search_maxiter=10,
    history_size=20,
):
    point = x0.asnumpy()
    if point.dtype.kind != "f":
        point = point.astype(numpy.float32)
    maxiter = point.size * 200 if maxiter is None else maxiter
    value, gradient = float(function(Tensor(point))), gradient_function(Tensor(point)).asnumpy()
    model = curvature(point, history_size)
    before = value + float(numpy.linalg.norm(gradient)) / 2  # determines the first step's length
    calls, count, status = 1, 0, 1
    while count < maxiter:
        direction = -model.times(gradient).astype(point.dtype)
        arguments = Tensor(point), Tensor(direction), gradient_function, Tensor(gradient)
        result = line_search(function, *arguments, value, before, maxiter=line_search_maxiter)
        calls += result.nfev
        if result.failed:
            count, status = count + 1, 5
            break
        step = point.dtype.type(result.a_k) * direction
        change = result.g_k.asnumpy() - gradient
        point, before, value = point + step, value, result.f_k
        gradient = gradient + change
        if numpy.linalg.norm(gradient, norm) < gtol:
            status = 0
            break
        model.learn(step, change)
        count += 1
    if status:
        log.warning("For 'minimize', no minimum is found: %s", _STATUS[status])
    return OptimizeResults(
        Tensor(point),
        status == 0,
        status,
        value,
        Tensor(gradient),
        model.inverse(),
        calls,
        calls,
        count,
    )


class _Dense:
    """The inverse Hessian as a matrix, in float64; in float32 a step much shorter than 1 would be
    lost."""

    def __init__(self, point, _):
        self.dtype, self.matrix = point.dtype, numpy.eye(point.size)

    def times(self, gradient):
        """Multiplies the matrix by a vector with plain sums instead of fused ones, so that equal
        rows give equal results."""
        return (self.matrix * gradient).sum(1)

    def learn(self, step, change):
        """Updates the matrix, given a step and the change of the gradient along it."""
        step, change = step.astype(numpy.float64), change.astype(numpy.float64)
        product = numpy.dot(step, change)
        if product <= 0:
            return
        scale = 1 / product
        projection = numpy.eye(len(step)) - scale * numpy.outer(step, change)
        self.matrix = projection @ self.matrix @ projection.T + scale * numpy.outer(step, step)

    def inverse(self):
        """Returns the matrix."""
        return Tensor(self.matrix.astype(self.dtype))


class _Limited:
    """The inverse Hessian of L-BFGS: products with it are computed from the last steps and from the
    changes of the gradient in them."""

    def __init__(self, _, size):
        self.size, self.pairs = size, []

    def times(self, gradient):
        """Returns the matrix times a vector."""
        out, weights = gradient.copy(), []
        for step, change in reversed(self.pairs):
            weight = numpy.dot(step, out) / numpy.dot(step, change)
            out = out - weight * change
            weights.append(weight)
        if self.pairs:
            step, change = self.pairs[-1]
            out = out * (numpy.dot(step, change) / numpy.dot(change, change))
        for (step, change), weight in zip(self.pairs, reversed(weights), strict=True):
            out = out + (weight - numpy.dot(change, out) / numpy.dot(step, change)) * step
        return out

    def learn(self, step, change):
        """Stores a step and the change of the gradient along it, and drops the oldest pair if there
        are too many. A step along which the gradient does not grow is not stored."""
        if numpy.dot(step, change) > 0:
            self.pairs = [*self.pairs, (step, change)][-self.size :]

    def inverse(self):
        """Returns None, because no matrix is stored."""
        return None
