"""`mindspore.device_context.cpu.op_tuning`: how many threads compute on the CPU."""

from ..._backend.threads import scheduler
from ..._core.rules.checked import checked
from ..._core.rules.vocabulary import Int

__all__ = ["threads_num"]

_done = []


@checked
def threads_num(num: Int(ge=1)):
    """Sets how many threads large work is shared among on the CPU; by default as many as the
    process may use. Small work runs in the thread that calls. Results are the same with any number.

    Args:
        num (int): how many, also more than there are cores.

    Raises:
        TypeError: `num` is no int.
        ValueError: it is below 1.
        RuntimeError: it has been set before.

    Source: mindspore.device_context.cpu.op_tuning.threads_num of MindSpore 2.10.
    """
    if _done:
        raise RuntimeError("For 'threads_num', a second call is refused: it can be set once.")
    _done.append(num)
    scheduler.limit(num)
