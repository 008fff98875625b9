"""mindspore.mint.optim: the optimizers SGD, Adam and AdamW as in PyTorch, over parameter groups.

MindSpore runs them only on Ascend. Formulas and groups are as in `experimental.optim`. This
module adds stricter settings, the names of states, and Adam with `eps` added to the corrected root.
"""

import math

import numpy as np

from .._backend.arrays import space_of, to_space
from .._backend.updates.fuse import fuse
from .._core.declare.public_api import public
from .._core.rules.vocabulary import (
    AsValue,
    Bool,
    Float,
    Forbid,
    ListOf,
    Number,
    TensorOf,
    TupleOf,
    checked,
    inf,
)
from .._core.tensor.tensor import Tensor
from ..common.parameter import Parameter, ParameterTuple
from ..experimental.optim._documented import documented
from ..experimental.optim._rules import FloatBeta
from ..experimental.optim.optimizer import GroupedOptimizer
from ..nn.optim._step import Plan, Rows
from ..ops._optimizer.formulas import (
    adamw_update,
    adamw_without_top_update,
    momentum_or_plain_update,
    unscaled,
)

__all__ = ["AdamW", "Adam", "SGD", "FusedAdamW"]

Betas = TupleOf(FloatBeta, length=2)
AtLeast = Float(ge=0.0)
Flag = AsValue(Bool)
Loose = AsValue(Number(ge=0.0, lt=inf) | Bool)


class _Lr(type(Float)):
    """The rule of a learning rate: a finite float of at least 0. An int or a Tensor raises a
    TypeError, anything else a ValueError.

    MindSpore's documentation also lists ints and Tensors, but MindSpore rejects them.
    """

    _python_only = "not (type({0}) is int or isinstance({0}, Tensor))"

    def value(self, name):
        return f"isinstance({name}, float) and {super().value(name)}"

    def scope(self):
        return {**super().scope(), "Tensor": Tensor}

    def raises(self):
        """Returns the errors and their conditions, for the documentation."""
        return [("TypeError", "is an int or a Tensor"), ("ValueError", f"is not {self.noun()}")]


Lr = _Lr(ge=0.0, lt=inf)


class _Adam(GroupedOptimizer):
    """The base class of Adam and AdamW: states, settings, and both bias corrections.

    A group with `amsgrad` stores the largest second moments of its parameters in `max_exp_avg_sq`.
    """

    states = (("exp_avg", "zeros"), ("exp_avg_sq", "zeros"))
    update = fuse(adamw_without_top_update, link=unscaled)
    update_with_top = fuse(adamw_update, link=unscaled)
    counter = "state_step"
    counter_start = np.array([-1.0], np.float32)

    def __init__(self, params, lr, betas, eps, weight_decay, amsgrad, maximize):
        super().__init__(
            params,
            {
                "lr": lr,
                "betas": betas,
                "eps": eps,
                "weight_decay": weight_decay,
                "amsgrad": amsgrad,
                "maximize": maximize,
            },
        )

    def add_param_group(self, param_group):
        """Adds a group of parameters, with its own states."""
        super().add_param_group(param_group)
        self._add_tops(self.param_groups[-1])

    def _add_tops(self, group):
        """Adds the largest second moments, zeros at first, to the parameters of a group with
        `amsgrad`."""
        if group["amsgrad"]:
            tops = ParameterTuple(group["params"]).clone("max_exp_avg_sq", "zeros")
            group["max_exp_avg_sq"] = tops

    def scalars(self, group, lr, step):
        """Returns the scalars of `adamw_update`."""
        beta1, beta2 = group["betas"]
        decay = group["weight_decay"] if self.own_decay else 0
        own_scalars = {
            "lr": lr / (1 - beta1**step),
            "beta1": beta1,
            "beta2": beta2,
            "eps": group["eps"],
            "root": 1 / math.sqrt(1 - beta2**step),
            "shrink": 1 - lr * decay if decay else None,
        }
        return {**own_scalars, "amsgrad": True} if group["amsgrad"] else own_scalars

    def _units(self, api, gradients, scalars):
        if self._plan is None:
            self._plan = [part for part in map(self._part, (False, True)) if part[0]]
        units = []
        for indexes, plan, update in self._plan:
            units += plan.units(api, update, [gradients[index] for index in indexes], scalars)
        return units

    def _part(self, with_top):
        """Returns the parameters with or without largest second moments: their indices, Plan and
        update."""
        numbers = self._group_numbers()
        indexes = [
            index
            for index, number in enumerate(numbers)
            if bool(self.param_groups[number]["amsgrad"]) is with_top
        ]
        kinds = [[kind[index] for index in indexes] for kind in (self.exp_avg, self.exp_avg_sq)]
        if with_top:
            kinds.append(
                [
                    top
                    for group in self.param_groups
                    if group["amsgrad"]
                    for top in group["max_exp_avg_sq"]
                ]
            )
        plan = Plan(
            [self.parameters[index] for index in indexes],
            kinds,
            [numbers[index] for index in indexes],
        )
        return indexes, plan, self.update_with_top if with_top else self.update


@public("mint.optim.Adam")
@documented
class Adam(_Adam):
    """Adam optimizer: each step is the mean gradient divided by the root of the mean squared
    gradient.

    m = beta1 m + (1 - beta1) g;  v = beta2 v + (1 - beta2) g g;
    p = p - lr m / (1 - beta1 ** t) / (sqrt(v / (1 - beta2 ** t)) + eps)

    Args:
        params (Union[list[Parameter], list[dict]]): the parameters to train, or groups of them.
        lr (float): the learning rate.
        weight_decay (float): the factor of the parameter that is added to its gradient.

    Example:
        >>> import mindspore_compat as ms
        >>> print(len(ms.mint.optim.Adam(ms.nn.Dense(2, 1).trainable_params(), 0.1).param_groups))
        1

    Source: mindspore.mint.optim.Adam of MindSpore 2.10.
    """

    counter_start = np.zeros(1, np.float32)

    @checked
    def __init__(
        self,
        params,
        lr: Lr = 1e-3,
        betas: Betas = (0.9, 0.999),
        eps: AtLeast = 1e-8,
        weight_decay: AtLeast = 0.0,
        amsgrad: Bool = False,
        *,
        maximize: Bool = False,
    ):
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, maximize)


@public("mint.optim.AdamW")
@documented
class AdamW(_Adam):
    """AdamW optimizer: Adam with decoupled weight decay, which acts directly on the parameter.

    p = p - lr weight_decay p;  m = beta1 m + (1 - beta1) g;  v = beta2 v + (1 - beta2) g g;
    p = p - lr m / (1 - beta1 ** t) / (sqrt(v / (1 - beta2 ** t)) + eps)

    Args:
        params (Union[list[Parameter], list[dict]]): the parameters to train, or groups of them.
        lr (float): the learning rate.
        weight_decay (float): the weight decay.

    Example:
        >>> import mindspore_compat as ms
        >>> print(len(ms.mint.optim.AdamW(ms.nn.Dense(2, 1).trainable_params(), 0.1).param_groups))
        1

    Source: mindspore.mint.optim.AdamW of MindSpore 2.10.
    """

    own_decay = True

    @checked
    def __init__(
        self,
        params,
        lr: Lr = 1e-3,
        betas: Betas = (0.9, 0.999),
        eps: AtLeast = 1e-8,
        weight_decay: AtLeast = 1e-2,
        amsgrad: Bool = False,
        *,
        maximize: Bool = False,
    ):
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, maximize)


@public("mint.optim.FusedAdamW")
@documented
class FusedAdamW(_Adam):
    """AdamW optimizer over contiguous memory. The parameters of a group, and each kind of their
    states, are stored in one block, which is updated in one pass.

    Args:
        params (Union[list[Parameter], list[dict]]): the parameters to train, or groups of them.
        lr (float): the learning rate.
        weight_decay (float): the weight decay.
        amsgrad (bool): whether the largest second moment so far is used; the same in all groups.
        maximize (bool): whether the objective is maximized.

    Attributes:
        continuous_parameters (list[Parameter]): the blocks of the parameters, one per group and
            dtype; `continuous_exp_avg`, `continuous_exp_avg_sq` and `continuous_max_exp_avg_sq` are
            the blocks of the states.

    Raises:
        ValueError: if `amsgrad` differs between groups, a beta is not in [0, 1), or `weight_decay`
            is below 0.

    Example:
        >>> import mindspore_compat as ms
        >>> weight = ms.Parameter(ms.Tensor([1.0]), name="weight")
        >>> optimizer = ms.mint.optim.FusedAdamW([weight], lr=0.1)
        >>> _ = optimizer((ms.Tensor([0.5]),))
        >>> print(weight.value())
        [0.899]

    Source: mindspore.mint.optim.FusedAdamW of MindSpore 2.10.
    """

    own_decay = True

    @checked
    def __init__(
        self,
        params,
        lr: Lr = 1e-3,
        betas: Betas | ListOf(FloatBeta, length=2) = (0.9, 0.999),
        eps: AtLeast = 1e-8,
        weight_decay: AtLeast = 1e-2,
        amsgrad: Bool = False,
        *,
        maximize: Bool = False,
    ):
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, maximize)
        self.max_exp_avg_sq = None
        self.global_amsgrad = bool(amsgrad or self.param_groups[0]["amsgrad"])
        self.inject_group_amsgrad_states()
        self.set_contiguous_params()

    def add_param_group(self, param_group):
        """Adds a group of parameters, with its own states and blocks.

        Args:
            param_group (dict): the key `params`, a Parameter or a list of them, and settings.

        Raises:
            TypeError: if `param_group` is not a dict, or a value has the wrong type.
            ValueError: if a parameter is already trained, or `amsgrad` differs from that of the
                other groups.
        """
        is_ready = hasattr(self, "global_amsgrad")
        if is_ready and isinstance(param_group, dict):
            param_group = {"amsgrad": self.global_amsgrad, **param_group}
            self._need_same_amsgrad(len(self.param_groups), param_group)
        super().add_param_group(param_group)
        if is_ready:
            self.contiguous_params(*self.group_start_id[-2:], self.param_groups[-1])

    def _add_tops(self, group):
        if not hasattr(self, "global_amsgrad"):
            return  # the blocks of the first groups are made together
        super()._add_tops(group)
        if self.global_amsgrad:
            self.max_exp_avg_sq = ParameterTuple([*self.max_exp_avg_sq, *group["max_exp_avg_sq"]])

    def _need_same_amsgrad(self, number, group):
        if bool(group["amsgrad"]) is not self.global_amsgrad:
            raise ValueError(
                f"For 'FusedAdamW', 'amsgrad' must be the same in all groups, but got "
                f"{group['amsgrad']!r} for group {number}."
            )

    def inject_group_amsgrad_states(self):
        """Adds the largest second moments to each group if `amsgrad` is set.

        Raises:
            ValueError: if `amsgrad` differs between groups.
        """
        for number, group in enumerate(self.param_groups):
            self._need_same_amsgrad(number, group)
        if self.global_amsgrad and self.max_exp_avg_sq is None:
            self.max_exp_avg_sq = ParameterTuple(self.parameters).clone("max_exp_avg_sq", "zeros")
        for number, group in enumerate(self.param_groups):
            group["amsgrad"] = self.global_amsgrad
            group.pop("max_exp_avg_sq", None)
            if self.global_amsgrad:
                start, end = self.group_start_id[number : number + 2]
                group["max_exp_avg_sq"] = ParameterTuple(self.max_exp_avg_sq[start:end])

    def set_contiguous_params(self):
        """Moves the parameters and states of every group into blocks of memory."""
        self._blocks = []
        self.continuous_parameters = []
        self.continuous_exp_avg = []
        self.continuous_exp_avg_sq = []
        self.continuous_max_exp_avg_sq = []
        for number, group in enumerate(self.param_groups):
            self.contiguous_params(*self.group_start_id[number : number + 2], group)

    def contiguous_params(self, start_id, end_id, param_group):
        """Moves the parameters and each kind of state of a group into one block of memory.

        Args:
            start_id (int): the index of the group's first parameter in `parameters`.
            end_id (int): the index after its last parameter.
            param_group (dict): the group, one of `param_groups`.
        """
        number = next(n for n, group in enumerate(self.param_groups) if group is param_group)
        kinds = [kind[start_id:end_id] for kind in (self.parameters, self.exp_avg, self.exp_avg_sq)]
        if self.global_amsgrad:
            kinds.append(param_group["max_exp_avg_sq"])
        for dtype in dict.fromkeys(parameter._array.dtype for parameter in kinds[0]):
            indices = [n for n, parameter in enumerate(kinds[0]) if parameter._array.dtype == dtype]
            rows = [[kind[n] for n in indices] for kind in kinds]
            block = _Block(number, [start_id + n for n in indices], rows)
            self._blocks.append(block)
            tops = block.flats[3:] or [None]
            for gathered, flat in zip(
                (
                    self.continuous_parameters,
                    self.continuous_exp_avg,
                    self.continuous_exp_avg_sq,
                    self.continuous_max_exp_avg_sq,
                ),
                [*block.flats[:3], *tops],
                strict=True,
            ):
                gathered.append(flat)

    def _units(self, api, gradients, scalars):
        if not all([block.settle() for block in self._blocks]):
            self.set_contiguous_params()
        update = self.update_with_top if self.global_amsgrad else self.update
        units = []
        for block in self._blocks:
            flow = [gradients[index] for index in block.indexes]
            flow = [gradient.whole() if type(gradient) is Rows else gradient for gradient in flow]
            weights, *states = [flat._array for flat in block.flats]
            joined = space_of(weights).concatenate([gradient.reshape(-1) for gradient in flow])
            units += update.units([(weights, joined, *states)], **scalars[block.group])
        return units


class _Block:
    """Parameters of one dtype, and each kind of their states, in contiguous memory.

    Args:
        group: the index of their group.
        indexes: the indices of the parameters among all.
        rows: the parameters, then the Parameters of each kind of state.
    """

    def __init__(self, group, indexes, rows):
        self.group = group
        self.indexes = indexes
        self.rows = rows
        for kind in rows[1:]:
            for parameter, state in zip(rows[0], kind, strict=True):
                if state.shape != parameter.shape:
                    raise ValueError(
                        f"For 'FusedAdamW', the state '{state.name}' must have the "
                        f"shape {parameter.shape} of its parameter, but got "
                        f"{state.shape}."
                    )
        space = space_of(rows[0][0]._array)
        self.flats = [self._flatten(space, row) for row in rows]

    def _flatten(self, space, row):
        """Returns one array with the values of `row`, whose Tensors become views of it."""
        flat = space.concatenate([to_space(space, tensor._array).reshape(-1) for tensor in row])
        start = 0
        for tensor in row:
            tensor._array = flat[start : start + tensor._array.size].reshape(tensor._array.shape)
            start += tensor._array.size
        return Parameter(Tensor._wrap(flat))

    def settle(self):
        """Copies values that were assigned from outside back into the block; returns False if they
        do not fit."""
        for flat, row in zip(self.flats, self.rows, strict=True):
            start = 0
            for tensor in row:
                array, end = tensor._array, start + tensor._array.size
                if array.base is not flat._array:
                    if type(array) is not type(flat._array) or array.dtype != flat._array.dtype:
                        return False
                    view = flat._array[start:end]
                    if view.size != array.size:
                        return False
                    view[...] = array.reshape(-1)
                    tensor._array = view.reshape(array.shape)
                start = end
            if start != flat.size:
                return False
        return True


@public("mint.optim.SGD")
@documented
class SGD(GroupedOptimizer):
    """Stochastic gradient descent (SGD) optimizer, with momentum, dampening or Nesterov's momentum.

    v = momentum v + (1 - dampening) g, but v = g in the first step; p = p - lr v, or with
    `nesterov` p = p - lr (g + momentum v)

    Args:
        params (Union[list[Parameter], list[dict]]): the parameters to train, or groups of them.
        lr (Union[int, float, bool, Tensor]): the learning rate.
        momentum (Union[int, float, bool]): the momentum.
        dampening (Union[int, float, bool]): the fraction of the gradient that is not accumulated.
        weight_decay (Union[int, float, bool]): the factor of the parameter that is added to its
            gradient.
        nesterov (bool): whether Nesterov's momentum is used.

    Raises:
        ValueError: if a setting has the wrong type or is out of range, or if `nesterov` is set
            without momentum or with dampening.

    Example:
        >>> import mindspore_compat as ms
        >>> print(len(ms.mint.optim.SGD(ms.nn.Dense(2, 1).trainable_params(), 0.1).param_groups))
        1

    Source: mindspore.mint.optim.SGD of MindSpore 2.10.
    """

    states = (("momentum_buf", "zeros"),)
    update = fuse(momentum_or_plain_update, link=unscaled)
    counter = "step_t"

    @checked(
        Forbid(
            "nesterov and (not momentum > 0 or dampening != 0)",
            reason="'nesterov' needs 'momentum' above 0 and 'dampening' 0",
        )
    )
    def __init__(
        self,
        params,
        lr: AsValue(Number(ge=0.0, lt=inf) | Bool | TensorOf()),
        momentum: Loose = 0,
        dampening: AsValue(Number(gt=-inf, lt=inf) | Bool) = 0,
        weight_decay: Loose = 0,
        nesterov: Flag = False,
        *,
        maximize: Flag = False,
    ):
        super().__init__(
            params,
            {
                "lr": lr,
                "momentum": momentum,
                "dampening": dampening,
                "weight_decay": float(weight_decay),
                "nesterov": nesterov,
                "maximize": maximize,
            },
        )

    def scalars(self, group, lr, step):
        """Returns the scalars of `momentum_or_plain_update`; the first step is not dampened."""
        momentum = float(group["momentum"]) or None
        return {
            "lr": lr,
            "momentum": momentum,
            "nesterov": bool(group["nesterov"]),
            "share": 1.0 if step == 1 else 1.0 - group["dampening"],
        }
