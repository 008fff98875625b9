"""The public facade `mindspore.context`: execution mode, device, settings for several devices."""

from ._core import offload_config  # noqa: F401 - declares settings of older releases
from ._core.context.config import (
    COMPATIBLE,
    DEBUG,
    GRAPH_MODE,
    LAX,
    PYNATIVE_MODE,
    RELEASE,
    STRICT,
    get_auto_parallel_context,
    get_context,
    get_current_device,
    get_jit_config,
    get_ps_context,
    reset_auto_parallel_context,
    reset_ps_context,
    set_auto_parallel_context,
    set_context,
    set_deterministic,
    set_device,
    set_ps_context,
)
from ._core.context.parallel_config import ParallelMode
from ._core.declare.public_api import build

__all__ = [
    "GRAPH_MODE",
    "PYNATIVE_MODE",
    "STRICT",
    "COMPATIBLE",
    "LAX",
    "DEBUG",
    "RELEASE",
    "set_context",
    "get_context",
    "set_auto_parallel_context",
    "get_auto_parallel_context",
    "reset_auto_parallel_context",
    "ParallelMode",
    "set_ps_context",
    "get_ps_context",
    "reset_ps_context",
    "set_device",
    "get_current_device",
    "set_deterministic",
    "get_jit_config",
]

for _name in __all__:
    if callable(globals()[_name]):
        globals()[_name].__module__ = __name__


def _get_mode():
    """Returns the execution mode: GRAPH_MODE or PYNATIVE_MODE."""
    return get_context("mode")


def __getattr__(name):
    attribute = build("context", name)
    if attribute is None:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return attribute
