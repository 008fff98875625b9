"""Training that leaves out the gradients of early layers in some steps."""

import math

import numpy as np

from .. import ops
from .._core.rules.checked import checked
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
    """One optimizer for each group of parameters, of the class and settings of another.

    Args:
        opt (Optimizer): that other optimizer.
        train_parameter_groups (Union[tuple, list], optional): the groups, each a list of
            Parameters; by default one of all that `opt` has.
        train_strategy (Union[tuple[int], list[int], Tensor], optional): which group is trained in
            each step.

    Raises:
        TypeError: `opt` is no Optimizer, or `train_parameter_groups` no tuple or list.
        ValueError: `train_strategy` holds something else than ints, or comes without groups.

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
        self.train_strategy = _checked_strategy(train_parameter_groups, train_strategy)
        process = OptimizerProcess(opt)
        self.is_lars, self.opt_class = process.is_lars, process.opt_class
        self.opt_init_args = process.opt_init_args
        self.parameters, self.learning_rate = opt.parameters, opt.learning_rate
        self.dynamic_lr = opt.dynamic_lr
        self.opts = tuple(_of_group(opt, group) for group in groups)
        self.groups_num = len(self.opts)

    def construct(self, gradients):
        """Lets the optimizer of the first group act, that of all parameters.

        Args:
            gradients (tuple[Tensor]): their gradients.
        """
        return self.opts[0](gradients)


def _checked_strategy(groups, strategy):
    if strategy is None:
        return None
    if groups is None:
        raise ValueError(
            "For 'FreezeOpt', 'train_parameter_groups' must be given where 'train_strategy' is."
        )
    found = np.asarray(strategy.asnumpy() if hasattr(strategy, "asnumpy") else strategy)
    if found.ndim != 1 or found.dtype.kind not in "iu":
        raise ValueError(f"For 'FreezeOpt', 'train_strategy' must hold ints, but got {strategy!r}.")
    return found.tolist()


def _of_group(opt, parameters):
    """An optimizer like another for some parameters."""
    process = OptimizerProcess(opt)
    if process.origin_params and isinstance(process.origin_params[0], dict):
        process.origin_params = ParameterProcess.generate_group_params(
            parameters, process.origin_params
        )
    else:
        process.origin_params = list(parameters)
    return process.generate_new_optimizer()


class GradientFreeze:
    """Leaves out the gradients of early layers in some steps.

    Args:
        param_groups (int): into how many groups the parameters are divided. The first has all, each
            further one those of later layers only.
        freeze_type (int): 0 trains the groups in turns, 1 draws them; later groups are drawn less.
        freeze_p (float): the share of steps that train all parameters.
        total_steps (int): how many steps there are.

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

        Group i begins with the layer that has i of n parts of the layers before it. Where there are
        fewer layers than groups, each group has all parameters. MindSpore begins its groups at
        other parameters near there.

        Args:
            net (Cell): the network.
            freeze_para_groups_number (int): how many groups there are.

        Returns:
            list[list[Parameter]].

        Raises:
            TypeError: an argument is of another type.
            ValueError: there is no group.
        """
        parameters = net.trainable_params()
        layers = [cell.get_parameters(expand=False) for _, cell in net.cells_and_names()]
        known = {id(next(iter(each))) for each in map(list, layers) if each}
        starts = [index for index, each in enumerate(parameters) if id(each) in known]
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
        """Returns which group is trained in each step, for one step in a hundred more than asked.

        Args:
            parameter_groups_number (int): how many groups there are.
            freeze_strategy (int): 0 for turns, 1 for draws.
            freeze_p (float): the share of steps that train all parameters.
            total_steps (int): how many steps there are.

        Returns:
            list[int], whole turns or as many as the steps.

        Raises:
            TypeError: an argument is of another type.
            ValueError: `freeze_strategy` is neither, or another argument out of its range.
        """
        last, count = parameter_groups_number, int(total_steps * 1.01)
        if freeze_strategy == _CYCLIC:
            whole = int((last - 1) * freeze_p / (1 - freeze_p) + 1e-9)
            turn = [0] * (whole if last > 1 else 1) + list(range(1, last))
            return turn * math.ceil(count / len(turn))
        if freeze_strategy == _RANDOM:
            return self._drawn(last, freeze_p, count)
        raise ValueError(
            f"For 'GradientFreeze', 'freeze_strategy' must be 0 or 1, but got {freeze_strategy}."
        )

    @staticmethod
    def _drawn(groups, share, count):
        weights = np.arange(groups - 1, 0, -1)
        found, whole = [], 0
        for step in range(count):
            if groups == 1 or step == 0 or whole < share * step - 1e-9:
                found.append(0)
                whole += 1
            else:
                found.append(int(np.random.choice(len(weights), p=weights / weights.sum())) + 1)
        return found

    def freeze_generate(self, network, optimizer):
        """Returns a network and the optimizer of its groups.

        Args:
            network (Cell): the network with its loss.
            optimizer (Optimizer): the optimizer.

        Returns:
            tuple[Cell, FreezeOpt].

        Raises:
            TypeError: a setting or argument is of another type.
            ValueError: a setting is out of its range.
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
        sens (float): what the gradients are multiplied by.
        grad (GradOperation): takes the gradients, by a list of weights and with a sensitivity.
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
    """Makes a step of training for each optimizer of a FreezeOpt.

    Args:
        reducer_flag (bool): whether gradients are combined over processes.
        network (Cell): the network with its loss.
        optimizer (FreezeOpt): the optimizers.
        sens (numbers.Number): what the gradients are multiplied by.
        grad (GradOperation): takes the gradients, by a list of weights and with a sensitivity.
        use_grad_accumulation (bool): whether gradients of several steps are added up.
        mean (bool, optional): whether combined gradients are averaged.
        degree (int, optional): what they are divided by.
        max_accumulation_step (int, optional): how many steps are added up.

    Returns:
        tuple[Cell], one for each group.

    Raises:
        TypeError: `optimizer` is no FreezeOpt.

    Examples:
        >>> from mindspore_compat import boost, nn, ops
        >>> network = nn.WithLossCell(nn.Dense(2, 3), nn.MSELoss())
        >>> optimizer = boost.FreezeOpt(nn.Momentum(network.trainable_params(), 0.1, 0.9))
        >>> grad = ops.GradOperation(get_by_list=True, sens_param=True)
        >>> print(len(boost.freeze_cell(False, network, optimizer, 1.0, grad, False)))
        1

    Source: mindspore.boost.freeze_cell of MindSpore 2.10.
    """
    InstanceOf(FreezeOpt).refuse("freeze_cell", "optimizer", optimizer)
    made = []
    for each in optimizer.opts:
        reducer = Identity()
        if reducer_flag:
            reducer = DistributedGradReducer(each.parameters, mean, degree)
        accumulation = None
        if use_grad_accumulation:
            accumulation = GradientAccumulation(max_accumulation_step, each)
        made.append(_TrainFreezeCell(network, sens, grad, reducer, each, accumulation))
    return tuple(made)
