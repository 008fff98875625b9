"""mindspore.parallel: what scripts for several devices ask about.

Data parallelism is what this package does: every rank holds the whole network, and gradients are
combined (`nn.DistributedGradReducer`). The settings are in `context`, the ranks in `communication`.
Public scripts import the private modules `_utils` and `_auto_parallel_context`; so they are here.
"""

from .algo_parameter_config import (
    get_algo_parameters,
    reset_algo_parameters,
    set_algo_parameters,
)
from .layout import Layout, shard
from .parameter_broadcast import parameter_broadcast

__all__ = ["Layout", "get_algo_parameters", "parameter_broadcast", "reset_algo_parameters",
           "set_algo_parameters", "shard"]
