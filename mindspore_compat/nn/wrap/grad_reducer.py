"""Gradients summed or averaged over the processes that train one network together."""

from ..._backend import arrays
from ..._core.context import config
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Any, AsValue, Bool, Int, Str, checked
from ..._core.tensor.tensor import Tensor
from ...communication.groups import GlobalComm, get_group_size, partners
from ..cell import Cell

_Degree = AsValue(Int(ge=1) | None).called("an int above 0")

__all__ = ["DistributedGradReducer"]

BUCKET = 1 << 22  # elements that travel together


@public("nn.DistributedGradReducer")
class DistributedGradReducer(Cell):
    """Sums gradients over the processes of a group, and divides them by their number if wanted.

    Gradients travel as float32, many in one message. Those of parameters marked
    `layerwise_parallel` stay as they are. A process that is alone gets its own gradients back.

    Args:
        parameters (list): the parameters whose gradients come.
        mean (bool): whether to divide by `degree`; None for the context's `gradients_mean`.
        degree (int): what to divide by; None for the size of the group.
        fusion_type (int): accepted; gradients are gathered by their size.
        group (str): the group; by default all processes.

    Inputs:
        - **grads** (tuple[Tensor]) - one gradient for each parameter.

    Outputs:
        tuple[Tensor], shaped and typed as the input.

    Raises:
        ValueError: if `degree` is not an int above 0.

    Source: mindspore.nn.DistributedGradReducer of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        parameters: Any,
        mean: Bool = None,
        degree: Any = None,
        fusion_type: Int = 1,
        group: Str = GlobalComm.WORLD_COMM_GROUP,
    ):
        _Degree.refuse("DistributedGradReducer", "degree", degree)
        super().__init__(auto_prefix=False)
        self.group = group
        self.mean = config.get_auto_parallel_context("gradients_mean") if mean is None else mean
        self.degree = get_group_size(group) if degree is None else degree
        self.allreduce_filter = tuple(not parameter.layerwise_parallel for parameter in parameters)

    def construct(self, grads):
        """The gradients, reduced over the group."""
        found = list(grads)
        chosen = [index for index, wanted in enumerate(self.allreduce_filter) if wanted]
        scale = 1.0 / self.degree if self.mean and self.degree > 1 else None
        if get_group_size(self.group) > 1:
            for indexes in _buckets(found, chosen):
                self._reduce(found, indexes)
        if scale is not None:
            for index in chosen:
                found[index] = found[index] * scale
        return tuple(found)

    def _reduce(self, grads, indexes):
        """Sums the gradients of a bucket over the group, in one message."""
        arrays_of_grads = [grads[index]._array for index in indexes]
        xp = arrays.space_of(arrays_of_grads[0])
        flat = xp.concatenate([xp.cast(array, "float32").reshape(-1) for array in arrays_of_grads])
        total = partners(self.group).all_reduce(flat, "sum").wait()
        start = 0
        for index, array in zip(indexes, arrays_of_grads, strict=True):
            part = total[start : start + array.size].reshape(array.shape)
            grads[index] = Tensor._wrap(xp.cast(part, array.dtype))
            start += array.size


def _buckets(grads, indexes):
    """The indexes in runs of about BUCKET elements, the same ones on every process."""
    bucket, size = [], 0
    for index in indexes:
        bucket.append(index)
        size += grads[index]._array.size
        if size >= BUCKET:
            yield bucket
            bucket, size = [], 0
    if bucket:
        yield bucket
