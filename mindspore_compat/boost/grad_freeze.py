"""Gradient freezing: training that skips the gradients of early layers in some steps."""

import math

import numpy as np

from .. import ops
from .._core.rules.checked import checked
from .._core.rules.comparisons import Instead
from .._core.rules.vocabulary import CellOf, InstanceOf, Int, Number
from ..nn.cell import Cell
from ..nn.layer.basic import Identity
from ..nn.optim.optimizer import Optimizer
from ..nn.wrap.grad_reducer import DistributedGradReducer
from .base import OptimizerProcess, ParameterProcess
from .grad_accumulation import GradientAccumulation

__all__ = ["FreezeOpt", "GradientFreeze", "freeze_cell"]

_RANDOM, _CYCLIC = 1, 0


class FreezeOpt(Cell):
    """A set of optimizers, one per group of parameters, with the class and settings of another
    optimizer.

    Args:
        opt (Optimizer): the other optimizer.
        train_parameter_groups (Union[tuple, list], optional): the groups, each a list of
            Parameters; by default one of all that `opt` has.
        train_strategy (Union[tuple[int], list[int], Tensor], optional): the group to train in each
            step.

    Raises:
        TypeError: if `opt` is not an Optimizer, or `train_parameter_groups` no tuple or list.
        ValueError: if `train_strategy` holds something else than ints, or comes without groups.

    Examples:
        >>> from mindspore_compat import boost, nn
        >>> optimizer = nn.Momentum(nn.Dense(2, 3).trainable_params(), 0.1, 0.9)
        >>> frozen = boost.FreezeOpt(optimizer, [optimizer.parameters, optimizer.parameters[1:]])
        >>> print([len(each.parameters) for each in frozen.opts])
        [2, 1]

    Source: mindspore.boost.FreezeOpt of MindSpore 2.10.
    """

    @checked
    def __init__(
        self, opt: InstanceOf(Optimizer), train_parameter_groups=None, train_strategy=None
    ):
        super().__init__(auto_prefix=False)
        groups = [opt.parameters] if train_parameter_groups is None else train_parameter_groups
        InstanceOf(tuple, list).called("a tuple or list").refuse(
            "FreezeOpt", "train_parameter_groups", groups
        )
        self.train_strategy = _check_strategy(train_parameter_groups, train_strategy)
        process = OptimizerProcess(opt)
        self.is_lars, self.opt_class = process.is_lars, process.opt_class
        self.opt_init_args = process.opt_init_args
        self.parameters, self.learning_rate = opt.parameters, opt.learning_rate
        self.dynamic_lr = opt.dynamic_lr
        self.opts = tuple(_of_group(opt, group) for group in groups)
        self.groups_num = len(self.opts)

    def construct(self, gradients):
        """Applies the optimizer of the first group, which has all parameters.

        Args:
            gradients (tuple[Tensor]): their gradients.
        """
        return self.opts[0](gradients)


def _check_strategy(groups, strategy):
    if strategy is None:
        return None
    if groups is None:
        raise ValueError(
            "For 'FreezeOpt', 'train_parameter_groups' must be given where 'train_strategy' is."
        )
    numbers = np.asarray(strategy.asnumpy() if hasattr(strategy, "asnumpy") else strategy)
    if numbers.ndim != 1 or numbers.dtype.kind not in "iu":
        raise ValueError(f"For 'FreezeOpt', 'train_strategy' must hold ints, but got {strategy!r}.")
    return numbers.tolist()


def _of_group(opt, parameters):
    """Creates an optimizer with the type and settings of `opt` for some of its parameters."""
    process = OptimizerProcess(opt)
    if process.origin_params and isinstance(process.origin_params[0], dict):
        process.origin_params = ParameterProcess.generate_group_params(
            parameters, process.origin_params
        )
    else:
        process.origin_params = list(parameters)
    return process.generate_new_optimizer()


class GradientFreeze:
    """Freezes early layers in some steps: skips their gradients.

    Args:
        param_groups (int): the number of groups of parameters. The first has all parameters; each
            further group has only the parameters of later layers.
        freeze_type (int): 0 trains the groups in turns, 1 draws them at random; later groups are
            drawn less often.
        freeze_p (float): the fraction of steps that train all parameters.
        total_steps (int): the number of steps.

    Examples:
        >>> from mindspore_compat import boost, nn
        >>> network = nn.WithLossCell(nn.Dense(2, 3), nn.MSELoss())
        >>> optimizer = nn.Momentum(network.trainable_params(), 0.1, 0.9)
        >>> freeze = boost.GradientFreeze(2, 1, 0.5, 100)
        >>> network, optimizer = freeze.freeze_generate(network, optimizer)
        >>> print(type(optimizer).__name__, optimizer.groups_num)
        FreezeOpt 2

    Source: mindspore.boost.GradientFreeze of MindSpore 2.10.
    """

    def __init__(self, param_groups, freeze_type, freeze_p, total_steps):
        self._param_groups = param_groups
        self._freeze_type = freeze_type
        self._freeze_p = freeze_p
        self._total_steps = total_steps

    @checked
    def split_parameters_groups(self, net: CellOf, freeze_para_groups_number: Int(ge=1)):
        """Divides the parameters of a network.

        Group i begins with the layer that has i of n parts of the layers before it. With fewer
        layers than groups, each group has all parameters. In MindSpore, the groups begin at other
        parameters nearby.

        Args:
            net (Cell): the network.
            freeze_para_groups_number (int): the number of groups.

        Returns:
            list[list[Parameter]].

        Raises:
            TypeError: if an argument is of the wrong type.
            ValueError: if there is not a group.
        """
        parameters = net.trainable_params()
        layers = [cell.get_parameters(expand=False) for _, cell in net.cells_and_names()]
        first_ids = {id(next(iter(item))) for item in map(list, layers) if item}
        starts = [index for index, item in enumerate(parameters) if id(item) in first_ids]
        step = len(starts) // freeze_para_groups_number
        groups = [parameters]
        for number in range(1, freeze_para_groups_number):
            groups.append(parameters[starts[number * step] :] if step else parameters)
        return groups

    @checked
    def generate_freeze_index_sequence(
        self,
        parameter_groups_number: Int(ge=1),
        freeze_strategy: Int,
        freeze_p: Number(ge=0.0, lt=1.0),
        total_steps: Int(ge=1),
    ):
        """Returns the group to train in each step, for 1 % more steps than requested.

        Args:
            parameter_groups_number (int): the number of groups.
            freeze_strategy (int): 0 for turns, 1 for random draws.
            freeze_p (float): the fraction of steps that train all parameters.
            total_steps (int): the number of steps.

        Returns:
            list[int]: one group per step. If groups take turns, the last turn is completed.

        Raises:
            TypeError: if an argument is of the wrong type.
            ValueError: if `freeze_strategy` is not 0 or 1, or another argument is out of range.
        """
        last, count = parameter_groups_number, int(total_steps * 1.01)
        if freeze_strategy == _CYCLIC:
            whole = int((last - 1) * freeze_p / (1 - freeze_p))
            turn = [0] * (whole if last > 1 else 1) + list(range(1, last))
            return turn * math.ceil(count / len(turn))
        if freeze_strategy == _RANDOM:
            return self._draw(last, freeze_p, count)
        raise ValueError(
            f"For 'GradientFreeze', 'freeze_strategy' must be 0 or 1, but got {freeze_strategy}."
        )

    @staticmethod
    def _draw(groups, share, count):
        weights = np.arange(groups - 1, 0, -1)
        indices, whole = [], 0
        for step in range(count):
            if groups == 1 or step == 0 or whole < share * step - 1e-9:
                indices.append(0)
                whole += 1
            else:
                indices.append(int(np.random.choice(len(weights), p=weights / weights.sum())) + 1)
        return indices

    def freeze_generate(self, network, optimizer):
        """Divides the parameters of a network into groups, and draws how many are frozen in each
        step.

        Args:
            network (Cell): the network with its loss.
            optimizer (Optimizer): the optimizer.

        Returns:
            tuple[Cell, FreezeOpt], the network as it was given, and an optimizer of the groups.

        Raises:
            TypeError: if a setting or argument is of the wrong type.
            ValueError: if a setting is out of its range.
        """
        groups = self.split_parameters_groups(network, self._param_groups)
        sequence = self.generate_freeze_index_sequence(
            self._param_groups, self._freeze_type, self._freeze_p, self._total_steps
        )
        return network, FreezeOpt(optimizer, groups, sequence)


class _TrainFreezeCell(Cell):
    """A step that trains the parameters of one optimizer.

    Args:
        network (Cell): the network with its loss.
        sens (float): the factor of the gradients.
        grad (GradOperation): computes gradients with respect to a list of weights, with a
            sensitivity.
        grad_reducer (Cell): combines the gradients of several processes.
        optimizer (Optimizer): the optimizer.
        accumulation (Cell): adds up gradients of several steps, or None.
    """

    def __init__(self, network, sens, grad, grad_reducer, optimizer, accumulation):
        super().__init__(auto_prefix=False)
        self.network, self.optimizer, self.parameters = network, optimizer, optimizer.parameters
        self.sens, self.grad, self.grad_reducer = sens, grad, grad_reducer
        self.accumulation = accumulation

    def construct(self, *inputs):
        loss = self.network(*inputs)
        sens = ops.ones_like(loss) * self.sens
        grads = self.grad(self.network, self.parameters)(*inputs, sens)
        grads = self.grad_reducer(grads)
        if self.accumulation is not None:
            return self.accumulation(loss, grads)
        self.optimizer(grads)
        return loss


def freeze_cell(
    reducer_flag,
    network,
    optimizer,
    sens,
    grad,
    use_grad_accumulation,
    mean=None,
    degree=None,
    max_accumulation_step=1,
):
    """Creates a training step for each optimizer of a FreezeOpt.

    Args:
        reducer_flag (bool): whether to combine gradients over processes.
        network (Cell): the network with its loss.
        optimizer (FreezeOpt): the optimizers.
        sens (numbers.Number): the factor of the gradients.
        grad (GradOperation): computes gradients with respect to a list of weights, with a
            sensitivity.
        use_grad_accumulation (bool): whether to accumulate gradients of several steps.
        mean (bool, optional): whether to average combined gradients.
        degree (int, optional): the divisor of the combined gradients.
        max_accumulation_step (int, optional): the number of steps to accumulate.

    Returns:
        tuple[Cell], one for each group.

    Raises:
        AttributeError: if `optimizer` is not a FreezeOpt.

    Examples:
        >>> from mindspore_compat import boost, nn, ops
        >>> network = nn.WithLossCell(nn.Dense(2, 3), nn.MSELoss())
        >>> optimizer = boost.FreezeOpt(nn.Momentum(network.trainable_params(), 0.1, 0.9))
        >>> grad = ops.GradOperation(get_by_list=True, sens_param=True)
        >>> print(len(boost.freeze_cell(False, network, optimizer, 1.0, grad, False)))
        1

    Source: mindspore.boost.freeze_cell of MindSpore 2.10.
    """
    Instead(InstanceOf(FreezeOpt), AttributeError).refuse("freeze_cell", "optimizer", optimizer)
    cells = []
    for member in optimizer.opts:
        reducer = Identity()
        if reducer_flag:
            reducer = DistributedGradReducer(member.parameters, mean, degree)
        accumulation = None
        if use_grad_accumulation:
            accumulation = GradientAccumulation(max_accumulation_step, member)
        cells.append(_TrainFreezeCell(network, sens, grad, reducer, member, accumulation))
    return tuple(cells)
