"""FusedOptimizer: the base class of this package's optimizers; a step is one fused update.

An optimizer declares its states and its update, and inherits `construct`. The links of `Optimizer`
(each takes a gradient and returns one) run in the same pass as the update.
"""

import functools

from ..._backend import arrays
from ..._backend.steps import current
from ..._backend.updates.asynchronous import is_asynchronous
from ..._backend.updates.complete import Unit, assigned, complete
from ..._backend.updates.fuse import fuse
from ..._core.autograd.row_sparse import MarkedRows
from ..._core.context.config import config
from ..._core.sharding.updates import Owners
from ..._core.tensor.tensor import Tensor
from ...communication.groups import GlobalComm, get_group_size, group_named
from ...ops._optimizer.formulas import centralised, unscaled
from ._step import Plan, Rows, gradient_arrays
from .optimizer import _LINKS, Optimizer, _is_kernel


def _next_step(xp, step):
    return (step + 1,)


NEXT_STEP = fuse(_next_step)


class FusedOptimizer(Optimizer):
    """An optimizer with declared states, one fused update, and scalars that are computed for each
    step.

    A subclass defines `states`, its kinds of state as (attribute, prefix of the names, first
    value); `update`, made by `fuse` with the link `unscaled`; and `scalars(lr)`, the scalars of the
    update. A state that a script reassigns, such as `moments1` in float32 for float16 weights, is
    used from then on. With `links = False` the update receives `decay` itself, and there is no loss
    scale. If `skips` is true, a step can be skipped by a flag on the GPU. The learning rate and the
    step count passed to `scalars` are then on the GPU, and values that change once per step are
    updated there too.
    """

    states = ()
    update = None
    links = True
    rows_only = False
    skips = False
    _takes_divided = True

    def _make_states(self):
        for attribute, prefix, first in self.states:
            setattr(self, attribute, self.parameters.clone(prefix, first))
        kinds = [getattr(self, attribute) for attribute, _, _ in self.states]
        self._plan = self._plan_of_states = self._plan_over(kinds)
        settings = config.parallel
        shares = settings.parallel_mode == "data_parallel" and settings.enable_parallel_optimizer
        if shares and kinds and GlobalComm.INITED and get_group_size() > 1:
            self._owners = Owners(group_named(None), self.parameters)
            self.param_rank = self._owners.ranks
            self.optim_filter = tuple(map(self._owners.own, self.param_rank))
            self.use_parallel = self._plan.owned = True

    def __setattr__(self, name, value):
        super().__setattr__(name, value)
        if "_plan_of_states" in self.__dict__:
            for kind, (attribute, _, _) in enumerate(self.states):
                if attribute == name:
                    self._plan_of_states.replace(kind, value)

    def _plan_over(self, kinds):
        """Returns a Plan for some kinds of state; parameters with the same setting share their
        scalars."""
        settings = zip(self._rates, self._decays, self.decay_flags, self._settings, strict=True)
        keys = [
            (id(rate), id(decay), flag, setting.centralise)
            for rate, decay, flag, setting in settings
        ]
        return Plan(self.parameters, kinds, keys, self.rows_only)

    def scalars(self, lr):
        """Returns the scalars of the update, except `unscale` and `decay`, for a learning rate."""
        raise NotImplementedError(f"'{type(self).__name__}' must define 'scalars'.")

    def after_step(self):
        """Returns pairs (array, its new value): the changes that follow the update of the
        parameters, once a step.
        """
        return []

    def construct(self, gradients):
        """Updates the parameters.

        Args:
            gradients (tuple[Tensor]): one gradient for each parameter, in the order of
                `parameters`.

        Returns:
            tuple[bool], True for each parameter.
        """
        plan, update = self._plan, self.update
        if plan.owned:
            captured = current.running()
            if captured is not None:
                captured.refuse("an optimizer whose states are divided over ranks")
            self._owners.keep(plan.states)
        grads = self._gradient_arrays(gradients)
        scalars = self._scalars_of(plan)
        if self.grad_centralization and not self._own_links:
            self._centralise(plan, grads, scalars)
        units = plan.units(type(self).__name__, update, grads, scalars, self._skip)
        complete([*units, *self._end_units()], final=True)
        if plan.owned:
            self.broadcast_params(True)
        return (True,) * len(grads)

    def broadcast_params(self, optim_result):
        """Returns the parameters after an update. If the processes divide the states of the
        optimizer, each first sends the parameters that it has updated to the others.

        Args:
            optim_result (bool): the result of the update; taking it orders the update first.

        Returns:
            tuple[Parameter].
        """
        if self.use_parallel:
            self._owners.spread(self.parameters)
        return self.parameters

    def can_skip(self, gradients):
        """Returns True if `skipping` supports these gradients: all are on a GPU, and those of
        embedding tables can be updated as dense arrays."""
        if self._works_on_host((gradients,)):
            return True
        return (
            self._skips_in_construct()
            and self._plan.offload is None
            and all(self._takes_whole(gradient) for gradient in gradients)
            and is_asynchronous(*[parameter._array for parameter in self.parameters])
        )

    def _takes_whole(self, gradient):
        """Returns True for a gradient that the update can use as one dense array, without
        waiting."""
        if type(gradient) is Tensor:
            return True
        marked = type(getattr(gradient, "_rows", None)) is MarkedRows
        return marked and not self._plan.rows_only

    def _works_on_host(self, arguments):
        """Returns True if the states are on the host, but all parameters and gradients are on a
        GPU."""
        if self._plan.offload is None or len(arguments) != 1:
            return False
        tensors = (*arguments[0], *self.parameters)
        return all(isinstance(t, Tensor) and is_asynchronous(t._array) for t in tensors)

    def _skips_in_construct(self):
        """Returns True if `skips` is set in the class that defines `construct` or in a subclass of
        it."""
        for cls in type(self).__mro__:
            if "skips" in cls.__dict__ or "construct" in cls.__dict__:
                return cls.__dict__.get("skips", False)
        return False

    def skipping(self, flag, gradients):
        """Updates the parameters unless `flag`, a 0-d bool array on a GPU, is true.

        The step count moves to the GPU and stays there, so the host waits for nothing. If the
        states are on the host, the host reads the flag.
        """
        if self._works_on_host((gradients,)):
            captured, step = current.running(), functools.partial(self._unless, flag, gradients)
            captured.on_host(self, step) if captured else step()
            return (True,) * len(self.parameters)
        self._skip = flag
        try:
            return self(gradients)
        finally:
            self._skip = None

    def _unless(self, flag, gradients):
        if not flag:
            self(gradients)

    def _gradient_arrays(self, gradients):
        if self.links and self._own_links:  # a subclass's, so not in the pass of the update
            for link in _LINKS:
                gradients = getattr(self, link)(gradients)
        name, rows_only = type(self).__name__, self._plan.rows_only
        return gradient_arrays(name, gradients, self.parameters, rows_only)

    def _end_units(self):
        """Returns the units (_backend/updates/complete.py) that end a step: they advance its count
        and write the states that change once a step."""
        if self._skip is not None:
            return self.after_step_unless(self._skip)
        step = self.global_step._array
        targets, values = [step], [step + 1]
        for array, value in self.after_step():
            targets.append(array)
            values.append(value)
        return [Unit(lambda: assigned(targets, values))]

    def after_step_unless(self, flag):
        """Returns the units (groups of writes) that update counters on the GPU, once a step. They
        write nothing if `flag` is true.
        """
        return NEXT_STEP.units([[self._on_gpu(self.global_step)]], flag)

    def _step_count(self):
        """Returns the number of steps so far: an int, or an array if the count is on the GPU
        because steps may be skipped."""
        steps = self._as_scalar(self.global_step)
        return int(steps) if isinstance(steps, float) else steps

    def _on_gpu(self, parameter):
        """Moves a Parameter's array to the GPU if it is still on the host, and returns it."""
        space = arrays.space_of(self.parameters[0]._array)
        parameter._array = arrays.to_space(space, parameter._array)
        return parameter._array

    def _scalars_of(self, plan):
        """Returns the scalars of each setting of a plan, including those of the links."""
        rates, decays = self._rate_numbers(), self._decay_numbers()
        link = {"unscale": 1.0 / self.loss_scale if self.need_scale else None} if self.links else {}
        if self.links and self._own_links:
            link, decays = {"unscale": None}, [None] * len(decays)
        return {
            setting: {**self.scalars(rates[first]), **link, "decay": decays[first]}
            for setting, first in plan.firsts.items()
        }

    def _centralise(self, plan, grads, scalars):
        """Replaces gradients in `grads` by centralised ones, after the links that come before
        centralisation."""
        copies = {}
        for index, setting in enumerate(self._settings):
            if setting.centralise and grads[index] is not None:
                key = plan.settings[index]
                setting_scalars = scalars[key]
                grads[index] = self._centralised_gradient(
                    setting.parameter._array, grads[index], setting_scalars
                )
                copies[key] = (
                    {**setting_scalars, "unscale": None, "decay": None}
                    if self.links
                    else setting_scalars
                )
        scalars.update(copies)

    def _centralised_gradient(self, weight, gradient, scalars):
        xp = arrays.space_of(weight)
        array = gradient.whole() if isinstance(gradient, Rows) else gradient
        if self.links:
            array = unscaled(xp, weight, array, unscale=scalars["unscale"], decay=scalars["decay"])
        return centralised(xp, array) if _is_kernel(array) else array
