"""`mindspore.device_context.cpu.op_tuning`: the number of threads of the CPU."""

from ..._backend.threads import scheduler
from ..._core.rules.checked import checked
from ..._core.rules.vocabulary import Int

__all__ = ["threads_num"]

_done = []


@checked
def threads_num(num: Int(ge=1)):
    """Sets the number of threads for large operations on the CPU; by default as many as the process
    may use. Small operations run in the calling thread. Results do not depend on the number.

    Args:
        num (int): the number of threads, also more than the number of cores.

    Raises:
        TypeError: if `num` is not an int.
        ValueError: if `num` is below 1.
        RuntimeError: if an earlier call has set it.

    Source: mindspore.device_context.cpu.op_tuning.threads_num of MindSpore 2.10.
    """
    if _done:
        raise RuntimeError("For 'threads_num', a second call is refused: it can be set once.")
    _done.append(num)
    scheduler.limit(num)
