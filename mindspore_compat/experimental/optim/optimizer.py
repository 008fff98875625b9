"""Optimizer: parameter groups that can be read and written during training.

Each group of `param_groups` is a dict with its own settings; its `lr` is a Parameter, which the
schedulers of lr_scheduler.py assign. `GroupedOptimizer` below is the base of the optimizers of this
package: a subclass defines its states, its fused update, and the scalars of a step. The parameters
are traversed as in `nn.optim`.
"""

import collections.abc
import itertools
import math

import numpy as np

from ... import ops
from ..._backend.steps import current
from ..._backend.updates.complete import Unit, assigned, complete
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import InstanceOf
from ..._core.tensor.tensor import Tensor
from ...common.parameter import Parameter, ParameterTuple
from ...nn.cell import Cell
from ...nn.optim._rates import as_number, host_parameter
from ...nn.optim._step import Plan, gradient_arrays

__all__ = ["Optimizer"]


@public("experimental.optim.Optimizer")
class Optimizer(Cell):
    """Base class of optimizers with parameter groups: subclasses define `construct(gradients)`.

    Args:
        params (Union[list[Parameter], list[dict]]): the parameters; a dict has the key `params` and
            any settings that differ from `defaults`.
        defaults (dict): the settings of groups that do not give their own; `lr` is needed unless
            every group gives it.

    Attributes:
        param_groups (list[dict]): the settings of each group; `lr` is a Parameter.
        group_start_id (list[int]): where each group starts in `parameters`, and where the last
            ends.

    Raises:
        TypeError: if `params` is not an ordered collection of Parameters or of dicts; if a learning
            rate or weight decay is not a number.
        ValueError: if `params` is empty, a parameter is in two groups or twice in one, or a
            learning rate or weight decay is below 0 or not finite.
        KeyError: if a group has no `params`.

    Examples:
        >>> from mindspore_compat import nn, ops
        >>> from mindspore_compat.experimental import optim
        >>> class Descent(optim.Optimizer):
        ...     def __init__(self, params, lr):
        ...         super().__init__(params, dict(lr=lr))
        ...     def construct(self, gradients):
        ...         for start, group in zip(self.group_start_id, self.param_groups):
        ...             for i, parameter in enumerate(group["params"], start):
        ...                 ops.assign_sub(parameter, gradients[i] * group["lr"])
        ...         return True

    Source: mindspore.experimental.optim.Optimizer of MindSpore 2.10.
    """

    _cell_updates = True

    def __init__(self, params, defaults):
        groups = _as_groups(type(self).__name__, params)
        super().__init__(auto_prefix=False)
        self.defaults = defaults
        self.state = collections.defaultdict(dict)
        self.hyper_map = ops.HyperMap()
        self.param_groups = []
        self.lrs = []
        self.group_start_id = [0]
        self.parameters = ParameterTuple(())
        for group in groups:
            self.add_param_group(group)

    def __call__(self, *args, **kwargs):
        """Updates the parameters. A recorded step on the host calls it again in each replay."""
        if not current.can_capture():  # no GPU captures its updates
            current.note_training()
        return current.apart(super().__call__, *args, **kwargs)

    def add_param_group(self, param_group):
        """Adds a parameter group to the trained parameters.

        Args:
            param_group (dict): the key `params`, a Parameter or a list of them, and settings.

        Raises:
            TypeError: if `param_group` is not a dict, or a value has a wrong type.
            ValueError: if a parameter is trained already.
        """
        api = type(self).__name__
        InstanceOf(dict).refuse_part(api, "a group", param_group)
        members = _as_parameters(api, param_group["params"])
        known_ids = {id(parameter) for parameter in self.parameters}
        if any(id(parameter) in known_ids for parameter in members):
            raise ValueError(f"For '{api}', a parameter must be in one group only.")
        group = {**param_group, "params": members}
        for name, value in self.defaults.items():
            group.setdefault(name, value)
        decay = group.setdefault("weight_decay", 0.0)
        group["weight_decay"] = _not_negative(api, "weight_decay", decay)
        name = f"learning_rate_group_{len(self.param_groups)}"
        group["lr"] = host_parameter(np.float32(_rate(api, group.get("lr"))), name)
        self.parameters = ParameterTuple([*self.parameters, *members])
        self.lrs.append(group["lr"])
        self.param_groups.append(group)
        self.group_start_id.append(len(self.parameters))

    def construct(self, gradients):
        """Updates the parameters; each optimizer defines this.

        Args:
            gradients (tuple[Tensor]): one gradient for each parameter, in the order of
                `parameters`.
        """
        raise NotImplementedError(f"'{type(self).__name__}' must define 'construct'.")

    def __repr__(self):
        groups = "\n\n".join(map(_group_text, itertools.count(), self.param_groups))
        return f"{type(self).__name__} (\n{groups}\n)"


def _group_text(number, group):
    """Returns the settings of one group of parameters, line by line."""
    lines = [f"Parameter Group {number}"]
    for key in sorted(set(group) - {"params"}):
        value = group[key]
        text = str(value.asnumpy()) if isinstance(value, Tensor) else value
        lines.append(f"    {key}: {text}")
    return "\n".join(lines)


def _as_groups(api, params):
    """Returns the groups in the argument of an optimizer."""
    if params is None:
        raise ValueError(f"For '{api}', 'params' must not be None.")
    if not isinstance(params, collections.abc.Iterable):
        raise TypeError(
            f"For '{api}', 'params' must be a list of Parameters or of dicts, but got "
            f"{type(params).__name__}."
        )
    groups = list(params)
    if not groups:
        raise ValueError(f"For '{api}', 'params' must not be empty.")
    return groups if isinstance(groups[0], dict) else [{"params": groups}]


def _as_parameters(api, params):
    """Returns the Parameters of a group, in a list."""
    if isinstance(params, set):
        raise TypeError(f"For '{api}', 'params' must have an order: give a list, not a set.")
    members = [params] if isinstance(params, Parameter) else list(params)
    for member in members:
        InstanceOf(Parameter).refuse_part(api, "each of 'params'", member)
    if len({id(member) for member in members}) != len(members):
        raise ValueError(f"For '{api}', a parameter must be given once only.")
    return members


def _not_negative(api, name, value):
    InstanceOf(float, int).refuse(api, name, value)
    if not 0 <= value < math.inf:
        raise ValueError(
            f"For '{api}', '{name}' must be finite and not below 0, but got {value!r}."
        )
    return float(value)


def _rate(api, value):
    """Returns a learning rate as a float."""
    if not isinstance(value, Tensor):
        return _not_negative(api, "lr", value)
    if value.ndim:
        raise ValueError(f"For '{api}', 'lr' must have no axes, but got shape {value.shape}.")
    return _not_negative(api, "lr", as_number(value))


def _plain(value):
    """Returns a setting as a Python number; Tensors, also in a tuple, are converted."""
    if isinstance(value, tuple):
        return tuple(map(_plain, value))
    return as_number(value) if isinstance(value, Tensor) else value


class GroupedOptimizer(Optimizer):
    """An optimizer of this package: states, one fused update, and scalars for each step.

    A subclass defines `states`, its kinds of state as (attribute, first value), where the first
    value may be the name of a default; `update`, made by `fuse` with the link `unscaled`;
    `counter`, the name of the Parameter that counts steps from `counter_start` on, or None; and
    `scalars(group, lr, step)`. With `own_decay` the update applies weight decay itself.
    """

    states = ()
    update = None
    counter = None
    counter_start = np.zeros((), np.int32)
    counter_first = False  # MindSpore's order, also in saved optimizers
    own_decay = False

    def __init__(self, params, defaults):
        super().__init__(
            params,
            {
                name: value.item() if isinstance(value, np.generic) else value
                for name, value in defaults.items()
            },
        )
        if self.counter_first:
            self._make_counter()
        for attribute, first in self.states:
            states = self._new_states(attribute, first, self.parameters)
            setattr(self, attribute, ParameterTuple(states))
        if self.counter and not self.counter_first:
            self._make_counter()
        self._plan = None

    def _make_counter(self):
        setattr(self, self.counter, host_parameter(self.counter_start, self.counter))

    def add_param_group(self, param_group):
        """Adds a parameter group, with its own states."""
        super().add_param_group(param_group)
        if not hasattr(self, "_plan"):
            return  # the states of the first groups come after all groups
        for attribute, first in self.states:
            fresh = self._new_states(attribute, first, self.param_groups[-1]["params"])
            setattr(self, attribute, ParameterTuple([*getattr(self, attribute), *fresh]))
        self._plan = None

    def _new_states(self, attribute, first, parameters):
        """Returns the states of one kind, named after their parameters."""
        first = self.defaults.get(first, first) if isinstance(first, str) else first
        return ParameterTuple(parameters).clone(attribute, first)

    def scalars(self, group, lr, step):
        """Returns the scalars of the update for step `step`, counted from 1, without the scalars of
        its link."""
        raise NotImplementedError(f"'{type(self).__name__}' must define 'scalars'.")

    def construct(self, gradients):
        """Updates the parameters.

        Args:
            gradients (tuple[Tensor]): one gradient for each parameter, in the order of
                `parameters`.

        Returns:
            bool, True.
        """
        api = type(self).__name__
        arrays = gradient_arrays(api, gradients, self.parameters)
        step = self._steps_done() + 1
        scalars = {
            number: self._all_scalars(group, step) for number, group in enumerate(self.param_groups)
        }
        units = self._units(api, arrays, scalars)
        if self.counter:
            count = getattr(self, self.counter)._array
            units.append(Unit(lambda: assigned([count], [self.counter_start + step])))
        complete(units, final=True)
        return True

    def _steps_done(self):
        """Returns the value of the step counter, which starts at 0; 0 without a counter."""
        if not self.counter:
            return 0
        return int(as_number(getattr(self, self.counter)) - self.counter_start.item())

    def _all_scalars(self, group, step):
        """Returns the scalars of the update and of its link."""
        group_scalars = self.scalars(group, _plain(group["lr"]), step)
        decay = None if self.own_decay else group["weight_decay"] or None
        return {**group_scalars, "unscale": -1.0 if group.get("maximize") else None, "decay": decay}

    def _update_range(self, first, last, gradients, **settings):
        """Updates the parameters with indices `first` to `last` - 1, for `implementation`.

        It repeats the last counted step, with these settings in place of the group's.

        Args:
            first (int): the number of the first parameter.
            last (int): one more than the number of the last parameter.
            gradients (tuple[Tensor]): one gradient for each parameter of the optimizer.
            **settings: settings of a group by name; numbers or Tensors that hold one.

        Returns:
            bool, True.
        """
        api = f"{type(self).__name__}.implementation"
        arrays = gradient_arrays(api, gradients, self.parameters)[first:last]
        numbers = self._group_numbers()[first:last]
        kinds = [getattr(self, attribute)[first:last] for attribute, _ in self.states]
        plain_values = {name: _plain(value) for name, value in settings.items()}
        scalars = {
            number: self._all_scalars(
                {**self.param_groups[number], **plain_values}, self._steps_done()
            )
            for number in set(numbers)
        }
        plan = Plan(self.parameters[first:last], kinds, numbers)
        complete(plan.units(api, self.update, arrays, scalars), final=True)
        return True

    def _update_group(self, group_id, gradients, **settings):
        """Returns `_update_range` for all parameters of one group."""
        first, last = self.group_start_id[group_id : group_id + 2]
        return self._update_range(first, last, gradients, **settings)

    def _group_numbers(self):
        """Returns the number of the group of each parameter."""
        sizes = np.diff(self.group_start_id).tolist()
        return list(
            itertools.chain.from_iterable([number] * size for number, size in enumerate(sizes))
        )

    def _units(self, api, gradients, scalars):
        """Returns the units that update all parameters, given arrays of gradients and the scalars
        of each group (_backend/updates/complete.py)."""
        if self._plan is None:
            kinds = [getattr(self, attribute) for attribute, _ in self.states]
            self._plan = Plan(self.parameters, kinds, self._group_numbers())
        return self._plan.units(api, self.update, gradients, scalars)
