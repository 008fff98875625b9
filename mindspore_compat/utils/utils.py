"""`mindspore.utils.utils`: ends training on request; settings of clusters."""

from .. import ops
from .._core.context import config
from .._core.tensor.dtype import int32
from ..communication.groups import get_group_size

__all__ = ["ExitByRequest", "TFTCommValue"]

_TFT = ["TTP:1", "UCE:1", "ARF:1", "TSP:1", "HCCE:1"]


class TFTCommValue:
    """The values of the environment variable MS_ENABLE_TFT that need services of a cluster.

    Source: mindspore.utils.TFTCommValue of MindSpore 2.10.
    """

    NEED_MINDIO = _TFT
    ENABLE_MINDX = [*_TFT, "RSC:1"]
    DISABLE_WATCHDOG = ["ARF:1", "TSP:1", "HCCE:1"]


class ExitByRequest:
    """Informs all processes that one of them was requested to end training.

    Examples:
        >>> import mindspore_compat as ms
        >>> flag = ms.Parameter(ms.Tensor([1], ms.int32), name="flag")
        >>> end = ms.Parameter(ms.Tensor([0], ms.int32), name="end")
        >>> ms.utils.ExitByRequest().exit_by_request("gradients", flag, end)
        'gradients'

    Source: mindspore.utils.ExitByRequest of MindSpore 2.10.
    """

    def __init__(self):
        mode = config.get_auto_parallel_context("parallel_mode")
        self.group_size = get_group_size() if mode != "stand_alone" else 1
        self.is_distributed = self.group_size > 1
        self.all_reduce = ops.AllReduce() if self.is_distributed else None

    def exit_by_request(self, grad, init_value, exit_value):
        """Writes to `exit_value` whether a process has set its flag; a lone process writes nothing.

        Args:
            grad (Any): the value to return.
            init_value (Parameter): the flag of this process, 1 to request the end.
            exit_value (Parameter): the Parameter to write to.

        Returns:
            Any, `grad`.
        """
        if self.is_distributed:
            is_requested = self.all_reduce(ops.cast(init_value, int32)) > 0
            ops.assign(
                exit_value, ops.cast(is_requested.reshape(exit_value.shape), exit_value.dtype)
            )
        return grad
