"""`mindspore.device_context.cpu.op_tuning`: how many threads compute on the CPU."""

from ... import log
from ..._backend import threads
from ..._core.checking import checked
from ..._core.rules import Int

__all__ = ["threads_num"]

_done = []


@checked
def threads_num(num: Int(ge=1)):
    """Sets how many threads the products of matrices, and what rests on them, are shared among on
    the CPU. Everything else runs in the thread that calls.

    Args:
        num (int): how many; a library may take fewer.

    Raises:
        TypeError: `num` is no int.
        ValueError: it is below 1.
        RuntimeError: it has been set before.

    Source: mindspore.device_context.cpu.op_tuning.threads_num of MindSpore 2.10.
    """
    if _done:
        raise RuntimeError("For 'threads_num', a second call is refused: it can be set once.")
    _done.append(num)
    if not threads.limit(num):
        log.warning(
            "The library behind NumPy's products of matrices is not one whose threads can be set."
        )
