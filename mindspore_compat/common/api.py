"""The public window `mindspore.common.api`: the marks of graph mode, and running without
recording."""

from .._backend import device
from .._core.autograd.tape import depth
from .._core.autograd.transforms import unrecorded
from .jit import JitConfig, jit, jit_class, ms_class, ms_function, ms_memory_recycle

__all__ = ["JitConfig", "jit", "jit_class", "ms_class", "ms_function", "ms_memory_recycle"]

_no_grad = unrecorded  # the private name that many projects import
cells_compile_cache = {}  # the graphs of Cells, by Cell: nothing is compiled here


class _PyNativeExecutor:
    """What scripts ask of the original's eager executor; there is one, `_pynative_executor`."""

    @staticmethod
    def sync():
        """Waits until everything that was given to the device is done."""
        if device.in_force() == "GPU":
            device.cuda().runtime.deviceSynchronize()

    @staticmethod
    def enable_grad():
        """Whether gradients may be recorded: not within `_no_grad`."""
        return not depth.paused

    @staticmethod
    def grad_flag():
        """Whether a gradient is being recorded."""
        return depth.open > 0 and not depth.paused

    requires_grad = grad_flag


_pynative_executor = _PyNativeExecutor()
