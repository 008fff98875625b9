"""OptimizerProcess and ParameterProcess: rebuild optimizers with other groups of parameters."""

from .. import log
from .._core.rules.checked import checked
from .._core.rules.comparisons import Instead
from .._core.rules.vocabulary import InstanceOf, Int, ListOf
from ..common.parameter import Parameter
from ..nn.layer.basic import Dense
from ..nn.layer.conv import Conv2d
from ..nn.optim.lars import LARS
from ..nn.optim.optimizer import Optimizer

__all__ = ["OptimizerProcess", "ParameterProcess"]

_CENTRALIZED = (Conv2d, Dense)
_fusions = iter(range(1, 1 << 30))  # numbers of groups whose gradients are communicated together


class OptimizerProcess:
    """Rebuilds an optimizer with gradient centralization for weights of convolution and dense
    layers.

    Args:
        opt (Optimizer): the optimizer, one of the package or derived from `nn.Optimizer`.

    Raises:
        AttributeError: if `opt` is something else.

    Examples:
        >>> from mindspore_compat import nn
        >>> from mindspore_compat.boost import OptimizerProcess
        >>> network = nn.Dense(2, 3)
        >>> groups = [{"params": network.trainable_params()}]
        >>> process = OptimizerProcess(nn.Momentum(groups, 0.1, 0.9))
        >>> process.add_grad_centralization(network)
        >>> process.generate_new_optimizer().grad_centralization
        True

    Source: mindspore.boost.OptimizerProcess of MindSpore 2.10.
    """

    @checked
    def __init__(self, opt: Instead(InstanceOf(Optimizer), AttributeError)):
        self.is_lars = isinstance(opt, LARS)
        self.single_opt = opt.opt if self.is_lars else opt
        self.opt_class = type(self.single_opt)
        self.opt_init_args = self.single_opt.init_args
        self.learning_rate = self.single_opt.init_learning_rate
        self.origin_params = self.single_opt.init_params["params"]
        self._lars_args = {**opt.init_args} if self.is_lars else None

    @staticmethod
    def build_params_dict(network):
        """Returns the Cell of each parameter, by the parameter's id.

        Args:
            network (Cell): the network.

        Returns:
            dict[int, Cell].
        """
        return {
            id(parameter): cell
            for _, cell in network.cells_and_names()
            for parameter in cell.get_parameters(expand=False)
        }

    @staticmethod
    def build_gc_params_group(params_dict, parameters):
        """Divides groups of parameters by whether their gradients are centralized.

        Args:
            params_dict (dict[int, Cell]): the result of `build_params_dict`.
            parameters (list[dict]): the groups.

        Returns:
            list[dict], new groups.
        """
        new_groups = []
        for group in parameters:
            if "order_params" in group:
                new_groups.append(group)
                continue
            weights = [
                parameter for parameter in group["params"] if _is_weight(params_dict, parameter)
            ]
            others = [
                parameter for parameter in group["params"] if not _is_weight(params_dict, parameter)
            ]
            if weights:
                new_groups.append({**group, "params": weights, "grad_centralization": True})
            if others:
                new_groups.append({**group, "params": others})
        return new_groups

    def add_grad_centralization(self, network):
        """Marks the groups of parameters whose gradients are centralized.

        Args:
            network (Cell): the network. Without groups nothing changes, and a warning says so.
        """
        if self.origin_params and not isinstance(self.origin_params[0], dict):
            log.warning("Gradients of groups of parameters only can be centralised.")
            return
        cells_by_id = self.build_params_dict(network)
        self.origin_params = self.build_gc_params_group(cells_by_id, self.origin_params)

    def generate_new_optimizer(self):
        """Returns an optimizer of the same class and settings, with the present groups.

        Returns:
            Optimizer.
        """
        optimizer = _make(
            self.opt_class, self.origin_params, self.learning_rate, self.opt_init_args
        )
        if not self.is_lars:
            return optimizer
        return LARS(**{**self._lars_args, "optimizer": optimizer})


def _is_weight(cells, parameter):
    cell = cells.get(id(parameter))
    return isinstance(cell, _CENTRALIZED) and parameter is cell.weight


def _make(cls, params, learning_rate, settings):
    """Creates an optimizer; passes collected keyword arguments singly."""
    arguments = {**settings, **settings.get("kwargs", {})}
    arguments.pop("kwargs", None)
    if learning_rate is not None:
        arguments["learning_rate"] = learning_rate
    return cls(params, **arguments)


class ParameterProcess:
    """Divides parameters into groups.

    Examples:
        >>> from mindspore_compat import nn
        >>> from mindspore_compat.boost import ParameterProcess
        >>> parameters = nn.Dense(2, 3).trainable_params()
        >>> (group,) = ParameterProcess.generate_group_params(parameters[:1], parameters)
        >>> print(group["params"][0].name)
        weight

    Source: mindspore.boost.ParameterProcess of MindSpore 2.10.
    """

    @checked
    def assign_parameter_group(
        self, parameters: ListOf(InstanceOf(Parameter)), split_point: ListOf(Int) | None = None
    ):
        """Assigns parameters to groups whose gradients are communicated together (`comm_fusion`).

        Args:
            parameters (list[Parameter]): the parameters.
            split_point (list[int], optional): the indices at which groups begin; by default the
                middle.

        Returns:
            list[Parameter], `parameters`.

        Raises:
            TypeError: if `parameters` is not a list of Parameters, or `split_point` no list of
                ints.
        """
        if not parameters:
            return parameters
        points = split_point or [len(parameters) // 2]
        number = next(_fusions)
        for index, parameter in enumerate(parameters):
            if index in points and index > 0:
                number = next(_fusions)
            parameter._param_info.comm_fusion = number
        return parameters

    @staticmethod
    def generate_group_params(parameters, origin_params):
        """Divides parameters into the groups of an optimizer.

        Args:
            parameters (list[Parameter]): the parameters to train.
            origin_params (Union[list[Parameter], list[dict]]): the parameters or groups of the
                optimizer.

        Returns:
            list[dict], the groups restricted to `parameters`; one group if the optimizer has none.

        Raises:
            TypeError: if `origin_params` is neither.
        """
        origin_params = list(origin_params)
        if all(isinstance(item, Parameter) for item in origin_params):
            return [{"params": list(parameters)}]
        if not all(isinstance(item, dict) for item in origin_params):
            raise TypeError(
                f"For 'generate_group_params', 'origin_params' must hold Parameters or dicts, but "
                f"got {origin_params!r}."
            )
        ids = {id(item) for item in parameters}
        groups = []
        for group in origin_params:
            key = "order_params" if "order_params" in group else "params"
            selection = [item for item in group[key] if id(item) in ids]
            if selection:
                groups.append({**group, key: selection})
        return groups
