"""Sums the gradients of an AutoParallel network over the processes that train it.

A hook on each parameter sums its gradient, whether it is taken by a training step around the
network or by one inside it. For a function, the parameters are those of the Cells and Parameters
that it refers to.
"""

import contextlib
import inspect
from collections import OrderedDict

from .._backend import arrays
from .._core.gradients.transforms import Request
from .._core.tensor.tensor import Tensor
from ..common.hook import HookHandle
from ..common.parameter import Parameter
from ..communication.groups import partners
from ..communication.inplace.process_groups import new_group
from ..nn.cell import Cell
from .layout import Layout

_ROOM = __name__.partition(".")[0]


class GradientSums:
    """The hooks of one AutoParallel, made when it first runs among several processes.

    Args:
        settings (AutoParallel): whose settings say whether and how gradients are combined.
        network (Union[Cell, Callable]): whose parameters' gradients they are.
    """

    def __init__(self, settings, network):
        self.settings, self.network = settings, network
        self._hooked, self._group = set(), None

    @contextlib.contextmanager
    def on_the_way(self):
        """Creates the hooks, if needed, before the network runs."""
        if self.settings._device_num > 1 and not self.settings._full_batch:
            self._refuse_divided()
            self._group = self._group or self._stage()
            for parameter in _parameters(self.network):
                if id(parameter) not in self._hooked and not parameter.layerwise_parallel:
                    self._hooked.add(id(parameter))
                    # Not `register_hook`, which hooks the tape node too while a gradient is open.
                    HookHandle.add(vars(parameter).setdefault("_hooks", OrderedDict()), self._sum)
        yield

    def _refuse_divided(self):
        strategy = self.settings._dataset_strategy_config
        for each in () if isinstance(strategy, str) else strategy:
            if isinstance(each, Layout) or any(parts != 1 for parts in each[1:]):
                raise RuntimeError(
                    f"For 'AutoParallel', data can be divided along its first axis alone, because "
                    f"each process holds the whole network, but the dataset strategy is "
                    f"{strategy!r}."
                )

    def _stage(self):
        """Returns the group of the processes in the stage of this process."""
        size, stages = self.settings._device_num, self.settings._pipeline_stages
        if stages == 1:
            return partners(None)
        if size % stages:
            raise RuntimeError(
                f"For 'AutoParallel', the number of processes, {size}, must be a "
                f"multiple of the number of stages, {stages}."
            )
        many = size // stages
        first = self.settings._global_rank // many * many
        return partners(new_group(list(range(first, first + many))))

    def _sum(self, g):
        """Returns the gradient of a parameter, combined over all processes."""
        strategy = self.settings._dataset_strategy_config
        whole = not isinstance(strategy, str) and all(each[0] == 1 for each in strategy if each)
        if self.settings._full_batch or whole:
            return g
        xp = arrays.space_of(g._array)
        upcast = xp.cast(g._array, "float32") if g._array.dtype in xp.low_precision else g._array
        total = self._group.all_reduce(upcast, "sum").wait()
        if self.settings._gradients_mean:
            total = total / self._group.size
        return Tensor._wrap(xp.cast(total, g._array.dtype))


def _parameters(network):
    """Returns the trained parameters of a Cell, or those a function reads from around it, each
    once."""
    found, waiting, seen = {}, [network], set()
    while waiting:
        each = waiting.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        if isinstance(each, Parameter):
            found[id(each)] = each
        elif isinstance(each, Cell):
            waiting += each.trainable_params()
        elif isinstance(each, Request):  # what `grad` and `value_and_grad` return holds one
            waiting += [each.fn, *each.weights]
        elif isinstance(each, (list, tuple)):
            waiting += each
        elif inspect.ismethod(each):
            waiting += [each.__self__, each.__func__]
        elif inspect.isfunction(each):
            around = inspect.getclosurevars(inspect.unwrap(each))
            ours = each.__module__.partition(".")[0] == _ROOM
            waiting += [*around.nonlocals.values(), *([] if ours else around.globals.values())]
    return list(found.values())
