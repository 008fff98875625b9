"""auto_parallel_context: the parallel settings as an object, which scripts import from here.

`get_x()` and `set_x(value)` read and set each key `x` of `set_auto_parallel_context`, with the same
checks. Settings for the fusion of gradients are stored by group, but have no effect.
"""

import functools

from .._core.context.config import config, reset_auto_parallel_context, set_auto_parallel_context
from .._core.rules.vocabulary import Bool, Int, ListOf, Str, checked
from .._core.without_effect import without_effect
from ..communication import GlobalComm


class AutoParallelContext:
    """The settings for training on several devices."""

    def __init__(self):
        self._split_indices = {}
        self._split_sizes = {}
        self._enable_all_reduce_fusion = False

    def __getattr__(self, name):
        """Returns `get_x` and `set_x` of a key x."""
        verb, _, key = name.partition("_")
        if key in vars(config.parallel) and verb == "get":
            return lambda: getattr(config.parallel, key)
        if key in vars(config.parallel) and verb == "set":
            return lambda value: set_auto_parallel_context(**{key: value})
        raise AttributeError(f"'{type(self).__name__}' has no attribute '{name}'.")

    @without_effect(
        "parallel._auto_parallel_context.AutoParallelContext.set_all_reduce_fusion_split_indices",
        "messages are cut by size alone",
    )
    @checked
    def set_all_reduce_fusion_split_indices(self, indices: ListOf(Int), group: Str = ""):
        """Sets the parameter indices after which gradients are split into messages.

        Raises:
            ValueError: if `indices` contains a number twice.
        """
        if len(set(indices)) != len(indices):
            raise ValueError(
                "For 'set_all_reduce_fusion_split_indices', 'indices' must not hold a "
                f"number twice, but got {indices}."
            )
        self._split_indices[group or GlobalComm.WORLD_COMM_GROUP] = indices

    @checked
    def get_all_reduce_fusion_split_indices(self, group: Str = ""):
        """Returns the numbers set for a group."""
        return self._split_indices.get(group or GlobalComm.WORLD_COMM_GROUP, [])

    @without_effect(
        "parallel._auto_parallel_context.AutoParallelContext.set_all_reduce_fusion_split_sizes",
        "messages are cut by size alone",
    )
    @checked
    def set_all_reduce_fusion_split_sizes(self, sizes: ListOf(Int), group: Str = ""):
        """Sets the sizes of the gradient messages in bytes."""
        self._split_sizes[group or GlobalComm.WORLD_COMM_GROUP] = sizes

    @checked
    def get_all_reduce_fusion_split_sizes(self, group: Str = ""):
        """Returns the sizes set for a group."""
        return self._split_sizes.get(group or GlobalComm.WORLD_COMM_GROUP, [])

    @without_effect(
        "parallel._auto_parallel_context.AutoParallelContext.set_enable_all_reduce_fusion",
        "messages are cut by size alone",
    )
    @checked
    def set_enable_all_reduce_fusion(self, enable_all_reduce_fusion: Bool):
        """Sets whether gradients should be fused for communication."""
        self._enable_all_reduce_fusion = enable_all_reduce_fusion

    def get_enable_all_reduce_fusion(self):
        """Returns whether gradients should be fused for communication."""
        return self._enable_all_reduce_fusion

    def reset(self):
        """Restores all defaults."""
        reset_auto_parallel_context()
        self.__init__()


@functools.cache
def auto_parallel_context():
    """Returns the only AutoParallelContext."""
    return AutoParallelContext()
