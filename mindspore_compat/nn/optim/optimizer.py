"""Optimizer: the base class of all optimizers, of this package and of users.

Defined here: the attributes that subclasses rely on, the learning rate and weight decay of a step,
and the links, each of which takes gradients and returns gradients (weight decay, centralisation,
unscaling). An optimizer of this package inherits its `construct` from `FusedOptimizer` in
_fused.py, where the links are part of the same pass. Groups are read in _groups.py, learning rates
in _rates.py; _step.py traverses the parameters.
"""

import functools
import inspect

import numpy as np

from ... import ops
from ..._backend import arrays
from ..._backend.steps import current
from ..._backend.updates.asynchronous import is_asynchronous, step_number
from ..._core.context.config import config
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Bool, InstanceOf, ListOf, Str, checked
from ..._core.sharding.array import Sharded, ShardedSpace
from ..._core.sharding.updates import on_wholes, share
from ..._core.tensor.tensor import Tensor
from ..._core.without_effect import without_effect
from ...common.parameter import Parameter, ParameterTuple
from ...ops._optimizer.formulas import centralised, unscaled
from ..cell import Cell
from ..layer.container import CellList
from ._groups import Decay, Params, Rate, Scale, read_parameters
from ._rates import (
    _ConvertToCell,
    _IteratorLearningRate,
    _WrappedWeightDecay,
    as_number,
    host_parameter,
    make_rate,
    refuse_uneven,
)

_Parameters = ListOf(InstanceOf(Parameter)).called("a Parameter or a list of Parameters")

__all__ = ["Optimizer"]

_LINKS = ("decay_weight", "gradients_centralization", "scale_grad")  # methods, in this order


def opt_init_args_register(function):
    """Decorates `__init__` of an optimizer: stores its arguments as `init_params` (the parameters),
    `init_learning_rate` and `init_args` (all others).
    """
    signature = inspect.signature(function)

    @functools.wraps(function)
    def wrapper(self, *args, **kwargs):
        function(self, *args, **kwargs)
        binding = signature.bind(self, *args, **kwargs)
        binding.apply_defaults()
        arguments = dict(list(binding.arguments.items())[1:])
        self.init_params = {"params": arguments.pop("params", None)}
        self.init_learning_rate = arguments.pop("learning_rate", None)
        self.init_args = arguments

    return wrapper


@public("nn.Optimizer")
class Optimizer(Cell):
    """Base class of optimizers: stores the parameters; subclasses define `construct(gradients)`.

    Parameters may be grouped; each group may have its own learning rate, weight decay and gradient
    centralisation. Without groups, weight decay applies to parameters whose name contains neither
    'beta' nor 'gamma'.

    Args:
        learning_rate (Union[float, int, Tensor, Iterable, LearningRateSchedule]): a number or 0-d
            Tensor for a fixed learning rate; a value per step in an iterable or 1-d Tensor; or a
            schedule, which is called with the step.
        parameters (Union[list[Parameter], list[dict]]): the parameters to train. A dict has the key
            `params` and, optionally, `lr`, `weight_decay` and `grad_centralization`; a dict with
            only `order_params` sets the order of the update.
        weight_decay (Union[float, int, Cell]): the weight decay; a Cell is called with the step.
        loss_scale (float): the factor by which gradients have been multiplied.

    Inputs:
        - **gradients** (tuple[Tensor]): one for each parameter, in their order.

    Outputs:
        What `construct` of the subclass returns; for most a bool Tensor or a tuple of them.

    Raises:
        KeyError: if a group has an unknown key.
        RuntimeError: if a parameter is given twice.
        ValueError: if `order_params` does not name the parameters of the groups.

    Examples:
        >>> from mindspore_compat import nn, ops
        >>> class Descent(nn.Optimizer):
        ...     def construct(self, gradients):
        ...         gradients = self.scale_grad(self.decay_weight(gradients))
        ...         for parameter, gradient in zip(self.parameters, gradients):
        ...             ops.assign_sub(parameter, self.get_lr() * gradient)
        ...         return True

    Source: mindspore.nn.Optimizer of MindSpore 2.10.
    """

    enable_tuple_broaden = True
    _own_lr = _own_decay = _own_links = False  # whether a subclass overrides these methods
    use_parallel = False
    param_rank = None
    skip_auto_parallel_compile = True
    _cell_updates = True
    _takes_divided = False  # whether it updates parameters that are divided over ranks
    _skip = None  # a flag on the GPU: whether this step is skipped

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        cls._own_lr = _is_overridden(cls, "get_lr")
        cls._own_decay = _is_overridden(cls, "get_weight_decay")
        cls._own_links = any(_is_overridden(cls, link) for link in _LINKS)
        if "__init__" in vars(cls):
            cls.__init__ = opt_init_args_register(cls.__init__)

    @checked
    def __init__(
        self,
        learning_rate: Rate,
        parameters: Params,
        weight_decay: Decay = 0.0,
        loss_scale: Scale = 1.0,
    ):
        settings, grouped, in_order = read_parameters(type(self).__name__, parameters)
        if not loss_scale > 0:
            raise ValueError(
                f"For '{type(self).__name__}', 'loss_scale' must be a number > 0, but "
                f"got {loss_scale}."
            )
        rates = self._make_rates(settings, learning_rate)
        super().__init__(auto_prefix=False)
        self.is_group = grouped
        self.is_group_params_ordered = in_order
        self.loss_scale = float(loss_scale)
        self.need_scale = self.loss_scale != 1.0
        self.reciprocal_scale = Tensor(1.0 / self.loss_scale)
        self.global_step = host_parameter(np.zeros(1, np.int32), "global_step")
        self.global_step_increase_tensor = Tensor(np.ones(1, np.int32))
        self._settings = settings
        self._keep_rates(rates)
        self._keep_decays(weight_decay)
        self._keep_parameters()
        self.assignadd = ops.AssignAdd()
        self._unique = True
        self._target = config.device_target

    # Functions that subclasses map over gradients; created on first use.
    hyper_map = functools.cached_property(lambda self: ops.HyperMap())
    hyper_map_reverse = functools.cached_property(lambda self: ops.HyperMap(reverse=True))
    map_ = functools.cached_property(lambda self: ops.Map())
    map_reverse = functools.cached_property(lambda self: ops.Map(reverse=True))

    # Attributes that optimizers in scripts of releases 1.x read: weight decay as Tensors, and flags
    # for parameters on a server or in a cache, which do not exist here.
    weight_decay_tensor = functools.cached_property(lambda self: self.get_weight_decay())
    weight_decay_tensor_tuple = functools.cached_property(lambda self: self.get_weight_decay())
    _parameters = property(lambda self: self.parameters)  # the name that subclasses use
    ps_parameters = functools.cached_property(lambda self: (False,) * self.param_length)
    cache_enable = functools.cached_property(lambda self: (False,) * self.param_length)

    def __call__(self, *args, **kwargs):
        """Updates the parameters. If the step count is on a GPU, or has to be there because the
        step is being captured, no number is read from the GPU."""
        if ShardedSpace.in_use:
            share(self.parameters)
            tensors = () if self._takes_divided else [*self.get_parameters()]
            if any(type(tensor._array) is Sharded for tensor in tensors):
                with on_wholes(tensors):
                    return super().__call__(*args, **kwargs)
        captured = current.running()
        current.note_training()
        if captured is not None and captured.apart is not None:
            return captured.apart(self.__call__, args, kwargs)
        if self._skip is None and (captured or is_asynchronous(self.global_step._array)):
            gradients = (*args, *kwargs.values())
            if captured and self._works_on_host(gradients):
                captured.on_host(self, functools.partial(super().__call__, *args, **kwargs))
                return (True,) * len(self.parameters)
            if len(gradients) == 1 and self._can_skip(*gradients):
                flag = captured.never() if captured else arrays.current_space().zeros((), bool)
                return self.skipping(flag, *gradients)
            if captured:
                captured.refuse(f"the optimizer '{type(self).__name__}', which asks the host")
        return super().__call__(*args, **kwargs)

    def _works_on_host(self, gradients):
        """Returns True if this step is host work between two parts of captured GPU work, and
        changes parameters in place."""
        return False

    def _can_skip(self, gradients):
        """Returns True if the optimizer has `skipping` and it can take these gradients."""
        can_skip = getattr(self, "can_skip", None)
        return can_skip is not None and can_skip(gradients)

    # Values stored by the constructor -------------------------------------------------------------

    def _make_rates(self, settings, learning_rate):
        """Returns the learning rate of each parameter; parameters with the same one share the
        object."""
        api = type(self).__name__
        by_group = {}
        for setting in settings:
            if setting.rate_key not in by_group:
                value, name = learning_rate, "learning_rate"
                if setting.has_rate:
                    value, name = setting.rate, f"learning_rate_group_{setting.group}"
                by_group[setting.rate_key] = make_rate(api, value, name)
        if any(setting.has_rate for setting in settings):
            refuse_uneven(api, [*by_group.values(), make_rate(api, learning_rate, "")])
        return [by_group[setting.rate_key] for setting in settings]

    def _keep_rates(self, rates):
        self._rates = rates
        self.is_group_lr = any(setting.has_rate for setting in self._settings)
        self.dynamic_lr = any(not isinstance(rate, Parameter) for rate in rates)
        if self.is_group:
            cells = {id(rate): rate for rate in rates}
            if self.dynamic_lr:
                cells = {
                    key: _ConvertToCell(rate) if isinstance(rate, Parameter) else rate
                    for key, rate in cells.items()
                }
            self.group_lr = [cells[id(rate)] for rate in rates]
        if not self.is_group_lr:
            self.learning_rate = rates[0]
        elif self.dynamic_lr:
            self.learning_rate = CellList(self.group_lr, auto_prefix=False)
        else:
            for rate in {id(rate): rate for rate in rates}.values():
                self.insert_param_to_cell(rate.name, rate)
            object.__setattr__(self, "learning_rate", tuple(rates))

    def _keep_decays(self, weight_decay):
        common = self._scaled_decay(weight_decay)
        by_group = {}
        for setting in self._settings:
            if setting.has_decay and setting.group not in by_group:
                by_group[setting.group] = self._scaled_decay(setting.decay)
        decays = [by_group.get(setting.group, common) for setting in self._settings]
        if self.is_group:
            self._decays = decays
            self.group_weight_decay = decays
            self.decay_flags = tuple(isinstance(decay, Cell) or decay > 0 for decay in decays)
            self.weight_decay = tuple(_as_decay(decay) for decay in decays)
            self.dynamic_decay_flags = tuple(isinstance(decay, Cell) for decay in decays)
            self.dynamic_weight_decay = any(self.dynamic_decay_flags)
            self.exec_weight_decay = any(self.decay_flags)
        else:
            names = [setting.parameter.name for setting in self._settings]
            self._decays = [common] * len(names)
            self.decay_flags = tuple("beta" not in name and "gamma" not in name for name in names)
            self.weight_decay = _as_decay(common)
            self.dynamic_weight_decay = self.dynamic_decay_flags = isinstance(common, Cell)
            self.exec_weight_decay = self.dynamic_weight_decay or common > 0
        self._assigned_decay = (self.weight_decay,)

    def _follow_decay(self):
        """Applies a `weight_decay` that was assigned after construction; it includes the loss
        scale."""
        assigned = self.weight_decay
        if self.is_group or assigned is self._assigned_decay[0]:
            return
        common = assigned if isinstance(assigned, Cell) else float(assigned)
        self._decays = [common] * self.param_length
        self.exec_weight_decay = isinstance(common, Cell) or common > 0
        self._assigned_decay = (assigned,)

    def _scaled_decay(self, decay):
        """Multiplies a decay by the loss scale, for gradients that are still multiplied by it."""
        if isinstance(decay, Cell):
            return _WrappedWeightDecay(decay, self.loss_scale)
        return float(decay) * self.loss_scale

    def _keep_parameters(self):
        parameters = [setting.parameter for setting in self._settings]
        centralise = [setting.centralise for setting in self._settings]
        if self.is_group:
            self.group_params = parameters
            self.params = parameters
            self.group_grad_centralization = centralise
        self.grad_centralization = any(centralise)
        self.parameters = ParameterTuple(parameters)
        self.param_length = len(parameters)
        self.optim_filter = (True,) * len(parameters)

    def _is_dynamic_lr_or_weight_decay(self):
        """Returns whether a learning rate or a weight decay changes with the step."""
        return self.dynamic_lr or self.dynamic_weight_decay

    # The step's learning rate and weight decay ----------------------------------------------------

    def get_lr(self):
        """Returns the learning rate of the current step.

        Returns:
            Union[Parameter, Tensor]: the Parameter `learning_rate` if it never changes; if groups
            have learning rates, a tuple with one for each parameter. Where the learning rate of any
            group changes, all are Tensors.
        """
        if not self.dynamic_lr:
            return self.learning_rate
        rates = {
            id(rate): rate.value()
            if isinstance(rate, Parameter)
            else _rate_now(rate, self.global_step)
            for rate in self._rates
        }
        if self.is_group_lr:
            return tuple(rates[id(rate)] for rate in self._rates)
        return rates[id(self._rates[0])]

    def get_weight_decay(self):
        """Returns the weight decay of the current step, multiplied by the loss scale.

        Returns:
            Tensor; with groups, a tuple with one per parameter.
        """
        if not self.is_group:
            return _decay_now(self.weight_decay, self.global_step)
        decays = {id(decay): _decay_now(decay, self.global_step) for decay in self.weight_decay}
        return tuple(decays[id(decay)] for decay in self.weight_decay)

    def get_lr_parameter(self, param):
        """Returns the learning rate of a parameter.

        Args:
            param (Union[Parameter, list[Parameter]]): one parameter or several.

        Returns:
            Parameter, or the LearningRateSchedule if the learning rate changes; a list of them for
            a list.

        Raises:
            TypeError: if `param` is neither a Parameter nor a list of them.
            ValueError: if the optimizer does not train it.
        """
        if isinstance(param, Parameter):
            return self._rate_of(param)
        _Parameters.refuse("get_lr_parameter", "param", param)
        return [self._rate_of(parameter) for parameter in param]

    def _rate_of(self, param):
        for setting, rate in zip(self._settings, self._rates, strict=True):
            if setting.parameter is param:
                return rate.learning_rate if isinstance(rate, _IteratorLearningRate) else rate
        raise ValueError(
            f"For 'get_lr_parameter', the parameter '{param.name}' is not trained by "
            "this optimizer."
        )

    def _rate_numbers(self):
        """Returns the learning rate of the step for each parameter, as floats."""
        if self._own_lr:
            return self._as_scalars(self.get_lr())
        distinct = {id(rate): rate for rate in self._rates}
        captured = current.running()
        numbers = {
            key: captured.number(rate)
            if captured and isinstance(rate, Parameter)
            else self._as_scalar(_rate_now(rate, self.global_step))
            for key, rate in distinct.items()
        }
        if len(numbers) == 1:
            return [*numbers.values()] * len(self._rates)
        return [numbers[id(rate)] for rate in self._rates]

    def _as_scalars(self, result):
        """Returns a number for each parameter, given the result of `get_lr` or `get_weight_decay`
        of a subclass.
        """
        whole = not isinstance(result, (tuple, list))
        results = [result] * self.param_length if whole else result
        return [self._as_scalar(r) if isinstance(r, Tensor) else float(r) for r in results]

    def _as_scalar(self, tensor):
        """Returns the only element of a Tensor as a float, which waits for a GPU; in a step that
        may be skipped, returns an array on the GPU unchanged."""
        if self._skip is None:
            return as_number(tensor)
        return step_number(current.running(), tensor)

    def _decay_numbers(self):
        """Returns the weight decay of each parameter without the loss scale; None for no decay."""
        self._follow_decay()
        if not self.exec_weight_decay:
            return [None] * len(self._decays)
        if self._own_decay:
            decays = self._as_scalars(self.get_weight_decay())
            pairs = zip(decays, self.decay_flags, strict=True)
            return [decay / self.loss_scale if flag else None for decay, flag in pairs]
        numbers = {}
        for decay in self._decays:
            if id(decay) not in numbers:
                value = as_number(decay(self.global_step)) if isinstance(decay, Cell) else decay
                numbers[id(decay)] = value / self.loss_scale or None
        return [
            numbers[id(decay)] if flag else None
            for decay, flag in zip(self._decays, self.decay_flags, strict=True)
        ]

    # Links: gradients in, gradients out -----------------------------------------------------------

    def decay_weight(self, gradients):
        """Adds weight decay to gradients that are still multiplied by the loss scale.

        Args:
            gradients (tuple[Tensor]): one gradient for each parameter.

        Returns:
            tuple[Tensor].
        """
        self._follow_decay()
        if not self.exec_weight_decay:
            return gradients
        decays = [
            None if decay is None else decay * self.loss_scale for decay in self._decay_numbers()
        ]
        return tuple(
            _prepared(gradient, setting.parameter, decay, None)
            for gradient, setting, decay in zip(gradients, self._settings, decays, strict=True)
        )

    def scale_grad(self, gradients):
        """Divides gradients by the loss scale.

        Args:
            gradients (tuple[Tensor]): one gradient for each parameter, or for some of them.

        Returns:
            tuple[Tensor].
        """
        if not self.need_scale:
            return gradients
        unscale = 1.0 / self.loss_scale
        return tuple(_prepared(gradient, None, None, unscale) for gradient in gradients)

    def gradients_centralization(self, gradients):
        """Centralizes the gradients of convolutions in groups that request it: subtracts their mean
        over all axes except the output channels.

        Args:
            gradients (tuple[Tensor]): one gradient for each parameter.

        Returns:
            tuple[Tensor].
        """
        if not self.grad_centralization:
            return gradients
        return tuple(
            Tensor._wrap(centralised(arrays.space_of(gradient._array), gradient._array))
            if setting.centralise and isinstance(gradient, Tensor) and _is_kernel(gradient._array)
            else gradient
            for gradient, setting in zip(gradients, self._settings, strict=True)
        )

    def flatten_gradients(self, gradients):
        """Returns the gradients unchanged: parameters are not flattened here.

        Args:
            gradients (tuple[Tensor]): one gradient for each parameter.

        Returns:
            tuple[Tensor].
        """
        return gradients

    def broadcast_params(self, optim_result):
        """Returns the parameters after an update; here every process updates all of its own.

        Args:
            optim_result (bool): the result of the update; taking it orders the update first.

        Returns:
            tuple[Parameter].
        """
        return self.parameters

    def _grad_sparse_indices_deduplicate(self, gradients):
        """Returns the gradients unchanged: the update itself sums equal rows."""
        return gradients

    # Settings of MindSpore's sparse updates ----------------------------------------------------

    @property
    def unique(self):
        """Whether row-sparse gradients may name a row twice. Equal rows are always summed here."""
        return self._unique

    @without_effect("nn.Optimizer.unique", "equal rows are always summed")
    @unique.setter
    def unique(self, value):
        Bool.refuse(type(self).__name__, "unique", value)
        self._unique = value

    @property
    def target(self):
        """The device of sparse updates, "CPU", "GPU" or "Ascend"; stored, but without effect."""
        return self._target

    @target.setter
    def target(self, value):
        raise NotImplementedError(f"'{type(self).__name__}' has no target that can be set.")

    def _set_base_target(self, value):
        api = type(self).__name__
        Str.refuse(api, "target", value)
        if value not in ("CPU", "Ascend", "GPU"):
            raise ValueError(
                f"For '{api}', 'target' must be 'CPU', 'Ascend' or 'GPU', but got {value!r}."
            )
        if self._target == "CPU" and value != "CPU":
            raise ValueError(f"For '{api}', 'target' must be 'CPU' on the CPU, but got {value!r}.")
        self._target = value

    def construct(self, gradients):
        """Updates the parameters; every optimizer defines it.

        Args:
            gradients (tuple[Tensor]): one gradient for each parameter, in the order of
                `parameters`.
        """
        raise NotImplementedError(f"'{type(self).__name__}' must define 'construct'.")


def _is_overridden(cls, method):
    """Returns whether a class outside this package defines a method."""
    owner = next(base for base in cls.__mro__ if method in vars(base))
    return owner.__module__.partition(".")[0] != __name__.partition(".")[0]


def _prepared(gradient, parameter, decay, unscale):
    """Returns a gradient with the weight decay of its Parameter, or without the loss scale."""
    if not isinstance(gradient, Tensor) or (decay is None and unscale is None):
        return gradient
    array = gradient._array
    xp = arrays.space_of(array)
    weight = None if decay is None else arrays.to_space(xp, parameter._array)
    value = unscaled(xp, weight, array, unscale=unscale, decay=decay)
    return Tensor._wrap(xp.cast(xp.asarray(value), array.dtype))


def _as_decay(decay):
    return decay if isinstance(decay, Cell) else Tensor(float(decay))


def _rate_now(rate, global_step):
    """Returns a learning rate as a 0-d Tensor, or the Parameter that stores it."""
    if isinstance(rate, Parameter):
        return rate
    value = rate(global_step)
    return Tensor._wrap(value._array.reshape(()))


def _decay_now(decay, global_step):
    return decay(global_step) if isinstance(decay, Cell) else decay


def _is_kernel(array):
    """Returns True for an array of at least 3 axes, such as the weight of a convolution."""
    return array.ndim >= 3
