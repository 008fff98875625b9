"""line_search: finds a step length in a given direction that meets the strong Wolfe conditions.

Source: Nocedal and Wright, "Numerical Optimization" (1999), algorithms 3.2 and 3.3, with cubic,
quadratic and halving steps inside an interval.
"""

import math
from typing import NamedTuple

import numpy

from ..._core.gradients import transforms
from ..._core.tensor.tensor import Tensor

_GROWTH = 2.0
_MOST_ZOOMS = 10
_FROM_ENDS = {
    "cubic": 0.2,
    "quadratic": 0.1,
}  # the fraction of an interval that a step keeps from its ends


class LineSearchResults(NamedTuple):
    """The result of a line search.

    It holds whether the search failed; the numbers of growing steps, of function calls and of
    gradient calls; the number of the next step; the step, and the value and gradient there; and a
    status: 0 for success, 1 if no step was found inside an interval, 3 if no steps were left.
    """

    failed: bool
    nit: int
    nfev: int
    ngev: int
    k: int
    a_k: float
    f_k: float
    g_k: Tensor
    status: int


def line_search(
    f, xk, pk, jac=None, gfk=None, old_fval=None, old_old_fval=None, c1=1e-4, c2=0.9, maxiter=20
):
    """Finds a step along a direction that decreases the function and its slope enough (strong Wolfe
    conditions).

    Args:
        f (Callable): takes a Tensor of shape (n,) and returns a number.
        xk (Tensor): the starting point.
        pk (Tensor): the direction.
        jac (Callable, optional): the gradient of `f`; by default it is computed by differentiation.
        gfk (Tensor, optional): the gradient at `xk`, if known.
        old_fval (Tensor, optional): the value at `xk`, if known.
        old_old_fval (Tensor, optional): the value one step earlier, from which the first step is
            estimated.
        c1 (float, optional): the first Wolfe constant, for the decrease of the value.
        c2 (float, optional): the second Wolfe constant, for the decrease of the slope.
        maxiter (int, optional): the maximum number of steps.

    Returns:
        LineSearchResults.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.scipy.optimize import line_search
        >>> found = line_search(lambda x: (x * x).sum(), ms.Tensor([2.0]), ms.Tensor([-1.0]))
        >>> print(found.a_k)
        1.0

    Source: mindspore.scipy.optimize.line_search of MindSpore 2.10.
    """
    path = Path(f, jac or transforms.grad(f), xk, pk)
    value = float(old_fval) if old_fval is not None else path.value_at_start()
    derivative = path.derivative_at_start(gfk)
    first = 1.0
    if old_old_fval is not None and derivative:
        guess = 1.01 * 2 * (value - float(old_old_fval)) / derivative
        first = 1.0 if guess > 1 else guess
    search = _Search(path, value, derivative, c1, c2)
    point, failed, count = search.run(first, maxiter)
    status = 3 if count >= maxiter else 0
    if failed and point is not None:
        point, status = point._replace(step=1.0, gradient=path.start_gradient), 1
    elif failed:
        point = Point(0.0, value, path.start_gradient, derivative)
    return LineSearchResults(
        failed,
        count,
        path.nfev,
        path.ngev,
        count + 1,
        point.step,
        point.value,
        Tensor(point.gradient),
        status,
    )


class Path:
    """The restriction of a function to a line, and its gradient. Points are on the host."""

    def __init__(self, function, gradient, start, direction):
        self.function, self.gradient = function, gradient
        self.start, self.direction = start.asnumpy(), direction.asnumpy()
        self.nfev = self.ngev = 0

    def at(self, step):
        """Returns the point after a step."""
        where = Tensor(self.start + self.direction.dtype.type(step) * self.direction)
        self.nfev += 1
        self.ngev += 1
        gradient = self.gradient(where).asnumpy()
        return Point(step, float(self.function(where)), gradient, self.derivative(gradient))

    def derivative(self, gradient):
        """Returns the directional derivative, given the gradient."""
        return float(numpy.dot(gradient, self.direction))

    def value_at_start(self):
        """Returns the function's value at the start of the search."""
        self.nfev += 1
        return float(self.function(Tensor(self.start)))

    def derivative_at_start(self, gradient=None):
        """Returns the directional derivative at the start; the gradient there may be given."""
        if gradient is None:
            self.ngev += 1
            gradient = self.gradient(Tensor(self.start))
        self.start_gradient = gradient.asnumpy()
        return self.derivative(self.start_gradient)


class Point(NamedTuple):
    """A step, with the value, gradient and derivative at its end."""

    step: float
    value: float
    gradient: object
    derivative: float


class _Search:
    """The search: steps grow until an interval is known, which then shrinks."""

    def __init__(self, path, value, derivative, c1, c2):
        self.path, self.value, self.start_derivative, self.c1, self.c2 = (
            path,
            value,
            derivative,
            c1,
            c2,
        )

    def _too_high(self, point):
        return point.value > self.value + self.c1 * point.step * self.start_derivative

    def _flat(self, point):
        return abs(point.derivative) <= -self.c2 * self.start_derivative

    def run(self, first, maxiter):
        """Runs the search. Returns the point, or the lower end of an interval without one, or None;
        whether the search failed; and the number of steps tried."""
        before, step = Point(0.0, self.value, None, self.start_derivative), first
        for count in range(1, maxiter + 1):
            point = self.path.at(step)
            if self._too_high(point) or count > 1 and point.value >= before.value:
                return (*self._zoom(before, point), count)
            if self._flat(point):
                return point, False, count
            if point.derivative >= 0:
                return (*self._zoom(point, before), count)
            before, step = point, _GROWTH * step
        return None, True, maxiter

    def _zoom(self, low, high):
        """Searches between two steps, where `low` has the smaller value. Returns a point, and
        whether no point is good enough."""
        end, left = low, None  # left: the end that a step replaced last, as MindSpore keeps it
        for _ in range(_MOST_ZOOMS):
            point = self.path.at(_inside(low, high, left))
            if self._too_high(point) or point.value >= low.value:
                high, left = point, high
                continue
            if self._flat(point):
                return point, False
            if point.derivative * (high.step - low.step) >= 0:
                high = low
            else:
                left = low
            low = point
        return end, True


def _inside(low, high, left):
    """Returns a step between two: the minimum of the cubic through them and a third point, or of
    the parabola, if it is not near an end; else the middle. Both curves have the derivative at
    `low`. If `high` is the lesser step, MindSpore also allows steps a little outside, because
    its width is negative."""
    width = high.step - low.step
    for kind, candidate in (
        ("cubic", _cubic(low, high, left)),
        ("quadratic", _quadratic(low, high)),
    ):
        near, step = _FROM_ENDS[kind] * width, low.step + candidate
        if min(low.step, high.step) + near < step < max(low.step, high.step) - near:
            return step
    return low.step + 0.5 * width


def _quadratic(low, high):
    width = high.step - low.step
    if not width:
        return math.nan
    bend = (high.value - low.value - low.derivative * width) / (width * width)
    return -low.derivative / (2 * bend) if bend else math.nan


def _cubic(low, high, left):
    """Returns the distance from `low` to the minimum of a * t**3 + b * t**2 + low.derivative * t +
    low.value."""
    if left is None:
        return math.nan
    first, second = high.step - low.step, left.step - low.step
    if not first * second * (first - second):
        return math.nan
    first_ratio, second_ratio = (
        (pair_.value - low.value - low.derivative * t) / (t * t)
        for pair_, t in ((high, first), (left, second))
    )
    a = (first_ratio - second_ratio) / (first - second)
    b = first_ratio - a * first
    inner = b * b - 3 * a * low.derivative
    return (-b + math.sqrt(inner)) / (3 * a) if a and inner >= 0 else math.nan
