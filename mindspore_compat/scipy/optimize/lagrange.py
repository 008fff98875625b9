"""minimize_lagrange: minimization under constraints by an augmented Lagrangian, with Adam in each
round.

In a round, Adam minimizes weight * f + s/2 sum_i (max(0, m_i / s + c_i)^2 - (m_i / s)^2), where c_i
< 0 are the constraints, m_i their multipliers and s the penalty. Between rounds, the multipliers
are updated or the penalty grows.

Source: Nocedal and Wright, "Numerical Optimization" (1999), chapter 17.
"""

from typing import NamedTuple

import numpy

from ... import log, ops
from ..._core.gradients import transforms
from ..._core.tensor.tensor import Tensor

_GROWTH = 1.1


class LagrangeResults(NamedTuple):
    """The result: whether a point met all tolerances, the best such point, and the values of the
    function and of the constraints there."""

    succeeded: bool
    best_value: object
    object_value: float
    loss_value: object


def minimize_lagrange(
    func,
    x0,
    constraints,
    save_tol=None,
    obj_weight=1.0,
    lower=None,
    upper=None,
    learning_rate=0.1,
    coincide_fun=None,
    rounds=10,
    steps=1000,
    log_sw=False,
):
    """Minimizes a function under constraints; returns the best point at which all constraints are
    below their tolerances.

    Args:
        func (Callable): the function; it takes a point, and the result of `coincide_fun` if there
            is one.
        x0 (Tensor): the starting point, before bounds are applied.
        constraints (Sequence[Callable]): functions that must be below 0, called like `func`.
        save_tol (Sequence, optional): the limit of each constraint; 1 by default.
        obj_weight (float, optional): the weight of the function.
        lower (Tensor, optional): lower bounds of the point.
        upper (Tensor, optional): upper bounds of the point.
        learning_rate (float, optional): Adam's learning rate.
        coincide_fun (Callable, optional): computes values that the functions share, given a point.
        rounds (int, optional): the number of rounds, after each of which the multipliers change.
        steps (int, optional): the number of Adam's steps per round.
        log_sw (bool, optional): whether each step is logged.

    Raises:
        TypeError: if a function is not callable.
        ValueError: if the numbers of tolerances and constraints differ.
    """
    for name, functions in (("constraints", constraints), ("coincide_fun", [coincide_fun or len])):
        if not all(callable(function) for function in functions):
            raise TypeError(f"For 'minimize', '{name}' must be callable, but got {functions!r}.")
    if save_tol is not None and len(save_tol) != len(constraints):
        raise ValueError(
            f"For 'minimize', 'tol' must have {len(constraints)} elements, but got {save_tol!r}."
        )
    bounds = [None if bound is None else Tensor(bound) for bound in (lower, upper)]
    tolerances = numpy.ones(len(constraints)) if save_tol is None else numpy.asarray(save_tol)
    problem = _Problem(func, constraints, coincide_fun, bounds, float(numpy.ravel(obj_weight)[0]))
    best, adam = _Best(x0, tolerances), _Adam(x0.asnumpy(), learning_rate)
    for turn in range(rounds):
        for step in range(steps):
            total, gradient = problem.gradient(adam.point)
            if log_sw:
                log.info(
                    "round: %d, step: %d, value: %f, constraints: %s, total: %f",
                    turn,
                    step,
                    problem.value,
                    problem.limits,
                    total,
                )
            best.compare(problem)
            adam.step(gradient)
        problem.adjust()
    return best.results()


class _Problem:
    """The augmented Lagrangian: the function to minimize, and its multipliers."""

    def __init__(self, func, constraints, shared, bounds, weight):
        self.func, self.constraints, self.shared = func, constraints, shared
        self.lower, self.upper = bounds
        self.weight, self.penalty = weight, 1.0
        self.multipliers = numpy.ones(len(constraints))
        self.tolerance = 1.0
        self.point = self.value = self.limits = None
        self._gradient = transforms.value_and_grad(self._total)

    def _to_bounds(self, x):
        if self.lower is None and self.upper is None:
            return x
        if self.lower is None:
            return self.upper - x * x
        if self.upper is None:
            return x * x + self.lower
        return (self.upper - self.lower) * ops.sigmoid(x) + self.lower

    def _total(self, x):
        x = self._to_bounds(x)
        shared = () if self.shared is None else (self.shared(x),)
        limits = [constraint(x, *shared) for constraint in self.constraints]
        value = self.func(x, *shared)
        total = self.weight * value
        for limit, multiplier in zip(limits, self.multipliers / self.penalty, strict=True):
            total = total + self.penalty / 2 * (
                ops.square(ops.relu(limit + float(multiplier))) - float(multiplier) ** 2
            )
        self._seen = x, value, limits
        return total

    def gradient(self, point):
        """Returns the augmented Lagrangian at a point, and its gradient."""
        total, gradient = self._gradient(Tensor(point))
        x, value, limits = self._seen
        self.point, self.value = x.asnumpy(), float(value)
        self.limits = numpy.array([float(limit) for limit in limits])
        return float(total), gradient.asnumpy()

    def adjust(self):
        """Updates the multipliers if the constraints are met, else increases the penalty."""
        excess = numpy.maximum(self.limits, -self.multipliers / self.penalty)
        if numpy.linalg.norm(excess) <= self.tolerance:
            self.multipliers = numpy.maximum(self.multipliers + self.penalty * self.limits, 0)
            self.tolerance /= self.penalty**0.9
        else:
            self.penalty *= _GROWTH
            self.tolerance = self.penalty**-0.1


class _Best:
    """Stores the best point so far that meets the tolerances."""

    def __init__(self, start, tolerances):
        self.tolerances, self.found = tolerances, False
        self.point, self.value, self.limits = start.asnumpy(), None, numpy.ones(len(tolerances))

    def compare(self, problem):
        """Stores the problem's last point if it is better."""
        if self.value is None:
            self.value = problem.value
        if (problem.limits < self.tolerances).all() and problem.value < self.value:
            self.found, self.value = True, problem.value
            self.point, self.limits = problem.point, problem.limits

    def results(self):
        """Returns the LagrangeResults."""
        return LagrangeResults(self.found, self.point, self.value, self.limits)


class _Adam:
    """Adam optimizer of one array."""

    def __init__(self, point, rate):
        self.point, self.rate, self.count = point, rate, 0
        self.mean, self.square = numpy.zeros_like(point), numpy.zeros_like(point)

    def step(self, gradient):
        """Makes one step against the gradient."""
        self.count += 1
        self.mean = 0.9 * self.mean + 0.1 * gradient
        self.square = 0.999 * self.square + 0.001 * gradient * gradient
        rate = self.rate * (1 - 0.999**self.count) ** 0.5 / (1 - 0.9**self.count)
        self.point = (self.point - rate * self.mean / (numpy.sqrt(self.square) + 1e-8)).astype(
            self.point.dtype
        )
