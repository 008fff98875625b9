"""The powers of Adam's betas, beta ** t after t steps: stored in float32, computed in float64."""

import math

import numpy as np

from ..._backend import arrays
from ..._backend.updates.fuse import fuse
from ._rates import as_number, host_parameter


def _after(xp, power, exact, beta):
    """Returns a power after a step. A stored power that a script changed is used as it is."""
    return beta * xp.where(xp.abs(power - exact) <= 1e-6 * exact, exact, power)


def _next_power(xp, step, power, exact, *, beta1):
    """Returns the values after a step: the step count, the power to store in float32, and the exact
    power."""
    exact = _after(xp, power, exact, beta1)
    return step + 1, exact, exact


def _next_powers(xp, step, saved1, saved2, exact1, exact2, *, beta1, beta2):
    """Returns the values after a step: the step count, the two powers to store in float32, and the
    two exact powers."""
    exact1, exact2 = _after(xp, saved1, exact1, beta1), _after(xp, saved2, exact2, beta2)
    return step + 1, exact1, exact2, exact1, exact2


NEXT_POWERS = {1: fuse(_next_power), 2: fuse(_next_powers)}


class Powers:
    """beta1 ** t and beta2 ** t of an optimizer, stored as float32 Parameters.

    In float32, 1 - 0.999 ** t has only three correct digits at the first step. The step t is exact,
    so the power is recomputed from it in float64. A run that resumes from a checkpoint therefore
    uses exactly the numbers of an uninterrupted run.
    """

    def __init__(self, optimizer, betas, shape):
        self.optimizer = optimizer
        self.betas = betas
        self._exact = {}  # name -> (the saved power's array on a GPU, the exact one)
        for name in betas:
            first = np.ones(shape, np.float32)
            setattr(optimizer, f"{name}_power", host_parameter(first, f"{name}_power"))

    def last(self):
        """Returns the powers of the last step, one for each beta, on the GPU if they are stored
        there."""
        powers = []
        for name, beta in self.betas.items():
            parameter = self.saved(name)
            cached = self._exact.get(name, (None, None))
            if cached[0] is parameter._array:
                powers.append(cached[1])
            else:
                powers.append(exact_power(as_number(parameter), beta))
        return powers

    def saved(self, name):
        """Returns the Parameter that stores a beta's power."""
        return getattr(self.optimizer, f"{name}_power")

    def next(self):
        """Returns the powers of the next step, one for each beta."""
        return [power * beta for power, beta in zip(self.last(), self.betas.values(), strict=True)]

    def advanced(self):
        """Returns the arrays of the saved powers, each with its value after the step to come."""
        powers = self.next()
        self._exact.clear()
        saved = [self.saved(name)._array for name in self.betas]
        return list(zip(saved, powers, strict=True))

    def units_unless(self, flag, step):
        """Returns the units that count a step, in the array `step` on a GPU, and save the powers
        there, unless `flag` there holds."""
        self._move(arrays.space_of(step))
        powers = [self.saved(name)._array for name in self.betas]
        exact = [self._exact[name][1] for name in self.betas]
        row = [value.reshape(()) for value in (step, *powers, *exact)]
        return NEXT_POWERS[len(powers)].units([row], flag, **self.betas)

    def _move(self, space):
        """Moves the powers to the GPU, both as stored and in float64; the host copy is dropped."""
        for name, power in zip(self.betas, self.last(), strict=True):
            parameter = self.saved(name)
            if isinstance(power, float):
                parameter._array = arrays.to_space(space, parameter._array)
                self._exact[name] = (parameter._array, space.asarray(power, "float64"))


def exact_power(saved, beta):
    """Returns the power of `beta` nearest to `saved` if it agrees in float32 precision, else
    `saved`."""
    if not 1e-30 < saved <= 1.0:
        return saved
    power = beta ** round(math.log(saved) / math.log(beta))
    return power if abs(power - saved) <= 1e-6 * power else saved
