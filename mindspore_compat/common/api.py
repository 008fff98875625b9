"""The public window `mindspore.common.api`: the marks of graph mode, and running without
recording."""

from .._core.transforms import unrecorded
from .jit import JitConfig, jit, jit_class, ms_class, ms_function, ms_memory_recycle

__all__ = ["JitConfig", "jit", "jit_class", "ms_class", "ms_function", "ms_memory_recycle"]

_no_grad = unrecorded  # the private name that many projects import
