"""ASGD: averaged stochastic gradient descent."""

import numpy as np

from ..._backend.updates.asynchronous import is_asynchronous
from ..._backend.updates.complete import Unit, assigned, complete
from ..._backend.updates.fuse import fuse
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Float, checked, inf
from ...common.parameter import ParameterTuple
from ...ops._optimizer.formulas import asgd_update, unscaled
from ._documented import documented
from ._fused import FusedOptimizer
from ._groups import Decay, Params, Rate
from ._rates import as_number, host_parameter
from ._step import Plan

__all__ = ["ASGD"]

NotNan = Float(ge=-inf, le=inf)


def gathered_asgd_update(xp, p, g, average, eta, mu, *, lambd, lr, steps):
    """Computes `asgd_update` on a GPU, after `steps` earlier steps. `eta` and `mu` are the saved
    values of each parameter."""
    first = xp.maximum(1 - steps, 0.0)
    return asgd_update(xp, p, g, average, lambd=lambd, eta=eta * (1 - first) + lr * first, mu=mu)


def _next_sizes(xp, eta, mu, *, lambd, lr, steps, alpha, t0):
    """Returns the length of the next step and its weight in the average."""
    step = steps + 1
    return lr / (1 + lambd * lr * step) ** alpha, 1 / xp.maximum(1.0, step - t0)


GATHERED = fuse(gathered_asgd_update, link=unscaled, singles=("eta", "mu"))
NEXT_SIZES = fuse(_next_sizes)


@public("nn.ASGD")
@documented
class ASGD(FusedOptimizer):
    """Averaged stochastic gradient descent (ASGD); `ax` holds the averaged parameters.

    p = (1 - lambd eta) p - eta g;  ax = ax + mu (p - ax); after step t,
    eta = lr / (1 + lambd lr t) ** alpha and mu = 1 / max(1, t - t0).

    Args:
        lambd (float): the weight decay, which also shrinks the steps.
        alpha (float): the exponent with which the steps shrink.
        t0 (float): the step from which on parameters are averaged.

    Outputs:
        bool, True.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.ASGD(ms.nn.Dense(2, 1).trainable_params(), 0.1).get_lr())
        Parameter (name=learning_rate, shape=(), dtype=Float32, requires_grad=True)

    Source: mindspore.nn.ASGD of MindSpore 2.10.
    """

    states = (("ax", "ax_", "zeros"),)
    update = fuse(asgd_update, link=unscaled)
    skips = True
    _gathered = None

    @checked
    def __init__(
        self,
        params: Params,
        learning_rate: Rate = 0.1,
        lambd: NotNan = 1e-4,
        alpha: NotNan = 0.75,
        t0: NotNan = 1e6,
        weight_decay: Decay = 0.0,
    ):
        super().__init__(learning_rate, params, weight_decay)
        self.lambd, self.alpha, self.t0 = lambd, alpha, t0
        names = [parameter.name for parameter in self.parameters]
        self.mu = ParameterTuple(host_parameter(np.float32(1), f"mu_{name}") for name in names)
        self.eta = ParameterTuple(host_parameter(np.float32(0), f"eta_{name}") for name in names)
        self._make_states()

    def _plan_over(self, kinds):
        """Makes every parameter a separate setting, because each stores its own `eta` and `mu`."""
        return Plan(self.parameters, kinds, list(range(self.param_length)))

    def _scalars_of(self, plan):
        first = self.global_step._array[0] == 0
        scalars = {}
        for index, (rate, decay) in enumerate(
            zip(self._rate_numbers(), self._decay_numbers(), strict=True)
        ):
            eta = rate if first else as_number(self.eta[index])
            scalars[index] = {
                "lambd": self.lambd,
                "eta": eta,
                "mu": as_number(self.mu[index]),
                "unscale": None,
                "decay": decay,
            }
        return scalars

    def after_step(self):
        """Returns the length of the next step, and its weight in the average."""
        step = int(self.global_step._array[0]) + 1
        pairs = []
        for rate, eta, mu in zip(self._rate_numbers(), self.eta, self.mu, strict=True):
            pairs.append((eta._array, rate / (1 + self.lambd * rate * step) ** self.alpha))
            pairs.append((mu._array, 1 / max(1.0, step - self.t0)))
        return pairs

    def construct(self, gradients):
        """Updates the parameters and returns True.

        Args:
            gradients (tuple[Tensor]): one gradient for each parameter, in the order of
                `parameters`.
        """
        grads = self._gradient_arrays(gradients)
        if is_asynchronous(*grads):
            self._update_on_gpu(grads)
        else:
            super().construct(gradients)
        return True

    def scalars(self, lr):
        """Returns the scalars of `gathered_asgd_update`."""
        return {"lambd": self.lambd, "lr": lr, "steps": self._step_count()}

    def _update_on_gpu(self, grads):
        """Updates all parameters that share a learning rate and a decay in one kernel."""
        plan = self._gathered
        if plan is None or plan.states[0] is not self.ax:
            plan = self._gathered = super()._plan_over([self.ax])
            plan.singles = [self.eta, self.mu]
        for parameter in (*self.eta, *self.mu):
            self._on_gpu(parameter)
        scalars = super()._scalars_of(plan)
        device_scalars = {
            setting: self._scalars_on_device(values) for setting, values in scalars.items()
        }
        if self.grad_centralization:
            self._centralise(plan, grads, scalars)
        units = plan.units(type(self).__name__, GATHERED, grads, scalars, self._skip)
        for setting, values in device_scalars.items():
            rows = [
                [eta._array, mu._array]
                for eta, mu, own_setting in zip(self.eta, self.mu, plan.settings, strict=True)
                if own_setting == setting
            ]
            units += NEXT_SIZES.units(rows, self._skip, **values)
        if self._skip is None:
            step = self.global_step._array
            units.append(Unit(lambda: assigned([step], [step + 1])))
        else:
            units += self.after_step_unless(self._skip)
        complete(units, final=True)

    def _scalars_on_device(self, scalars):
        """Returns the scalars of `_next_sizes`: three scalars of an update, and `alpha` and
        `t0`."""
        shared = {name: scalars[name] for name in ("lambd", "lr", "steps")}
        return {**shared, "alpha": self.alpha, "t0": self.t0}
