"""Layout and shard: how Tensors are divided among devices."""

import functools
import math

from .._core.rules.base import register_type
from .._core.rules.vocabulary import Callable as Called
from .._core.rules.vocabulary import CellOf, InstanceOf
from .._core.sharding.network import is_wanted, run_part
from .._core.sharding.strategies import are_strategies, refuse_strategies
from ..nn.cell import Cell


class Layout:
    """A device matrix with named axes; calling it with axis names returns the layout of a Tensor.

    Args:
        device_matrix (tuple[int]): the number of devices along each axis.
        alias_name (tuple[str]): the names of the axes.
        rank_list (list[int], optional): the numbers of the devices; by default in order.

    Raises:
        TypeError: if an argument, or an element, is of the wrong type.
        ValueError: if lengths differ, or a name is empty, "None" or there twice.

    Examples:
        >>> from mindspore_compat.parallel import Layout
        >>> layout = Layout((2, 4), ("rows", "columns"))
        >>> layout("columns", "None").to_dict()["tensor_map"]
        (0, -1)
    """

    def __init__(self, device_matrix, alias_name, rank_list=None):
        _check_items("device_matrix", device_matrix, tuple, int)
        _check_items("alias_name", alias_name, tuple, str)
        if rank_list is not None:
            _check_items("rank_list", rank_list, list, int, takes_bools=True)
            if len(rank_list) != math.prod(device_matrix):
                raise ValueError(
                    f"For 'Layout', 'rank_list' must have {math.prod(device_matrix)} items, one "
                    f"for each device, but got {len(rank_list)}."
                )
        if len(device_matrix) != len(alias_name):
            raise ValueError(
                f"For 'Layout', 'device_matrix' and 'alias_name' must be as long, but "
                f"got {device_matrix} and {alias_name}."
            )
        if "" in alias_name or "None" in alias_name or len(set(alias_name)) < len(alias_name):
            raise ValueError(
                f"For 'Layout', 'alias_name' must hold different names that are not "
                f"empty or 'None', but got {alias_name}."
            )
        self._matrix, self._names = device_matrix, alias_name
        self._ranks = rank_list or list(range(math.prod(device_matrix)))
        self._map = None

    def __call__(self, *tensor_map):
        """Returns a Layout that divides a Tensor along named axes of devices.

        Args:
            tensor_map (Union[str, tuple[str]]): for each axis of the Tensor, the name or names of
                the device axes that divide it; "None" for none.

        Raises:
            ValueError: if a name is unknown or there twice.
        """
        used_axes, dims = [], []
        for names in tensor_map:
            several = isinstance(names, tuple)
            numbers = [self._number(name, used_axes) for name in (names if several else (names,))]
            dims.append(tuple(numbers) if several else numbers[0])
        layout = Layout(self._matrix, self._names, list(self._ranks))
        layout._map = tuple(dims)
        return layout

    def _number(self, name, used):
        """Returns the number of an axis, counted from the last; -1 for "None"."""
        if name == "None":
            return -1
        if name not in self._names or name in used:
            raise ValueError(
                f"For 'Layout', names must be among {self._names}, each once, but got {name!r}."
            )
        used.append(name)
        return len(self._names) - 1 - self._names.index(name)

    def to_dict(self):
        """Returns the layout as a dict.

        Raises:
            ValueError: if it was not called with the axes of a Tensor.
        """
        if self._map is None:
            raise ValueError("For 'Layout', the layout must be called with names before 'to_dict'.")
        return {
            "device_matrix": self._matrix,
            "tensor_map": self._map,
            "interleaved_parallel": "interleaved_parallel" in self._names,
            "alias_name": self._names,
            "rank_list": self._ranks,
        }


register_type("Layout", Layout)


class _DistributedTensorInfo:
    """How a Tensor is divided: the Layout, and the number of parts of each axis.

    Args:
        distributed_info (Layout): the layout.

    Raises:
        TypeError: if `distributed_info` is not a Layout.
    """

    def __init__(self, distributed_info):
        InstanceOf(Layout).refuse("_DistributedTensorInfo", "distributed_info", distributed_info)
        self.distributed_info = self.layout = distributed_info

    @property
    def sharding_strategy(self):
        """The number of parts of each axis of the Tensor, as a list."""
        parts = self.layout.to_dict()
        counts = parts["device_matrix"][::-1]

        def number(axis):
            axes = axis if isinstance(axis, tuple) else (axis,)
            return math.prod(counts[index] for index in axes if index >= 0)

        return [number(axis) for axis in parts["tensor_map"]]


def _check_items(name, value, kind, item, takes_bools=False):
    if not isinstance(value, kind) or not all(
        isinstance(entry, item) and (takes_bools or not isinstance(entry, bool)) for entry in value
    ):
        raise TypeError(
            f"For 'Layout', '{name}' must be a {kind.__name__} of {item.__name__}, but "
            f"got {value!r}."
        )


def shard(fn, in_strategy, out_strategy=None, parameter_plan=None):
    """Divides a function or Cell over processes if the parallel mode is "semi_auto_parallel" or
    "auto_parallel"; in other modes it runs undivided. Operations in it follow the placement of
    their inputs. Outside of a network that runs divided, every process gives all of the inputs.

    Args:
        fn (Union[Cell, Callable]): the function.
        in_strategy (tuple): for each input a Layout or the numbers of parts of its axes; None for
            one that stays as it is.
        out_strategy (tuple, optional): the same for its outputs.
        parameter_plan (dict, optional): the same for parameters of a Cell, by name; other names
            are ignored.

    Returns:
        Callable, which takes the arguments of `fn`. When called it raises a RuntimeError if a
        strategy does not divide an axis or the number of processes.

    Raises:
        TypeError: if the parallel mode divides networks, and `fn` is not callable, a strategy is
            not a tuple, or the plan is not a dict. In other modes `fn` is returned then.

    Example:
        >>> from mindspore_compat import nn, ops, parallel
        >>> net = nn.ReLU()
        >>> print(parallel.shard(net, in_strategy=((1, 1),))(ops.ones((1, 2))))
        [[1. 1.]]
    """
    strategies = in_strategy, out_strategy, parameter_plan
    if not (is_wanted() or callable(fn) and are_strategies(*strategies)):
        return fn  # no check, as in MindSpore
    (CellOf | Called).refuse("shard", "fn", fn)
    refuse_strategies(*strategies)

    @functools.wraps(fn)
    def run(*args, **kwargs):
        parameters = fn.parameters_dict() if isinstance(fn, Cell) else {}
        return run_part(None, functools.partial(fn, **kwargs), args, parameters, strategies)

    return run
