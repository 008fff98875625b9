"""Tensors treated as one contiguous block: `hal.contiguous_tensors_handle`."""

import numpy as np

from .._core.rules.checked import checked
from .._core.rules.vocabulary import Bool, InstanceOf, Int
from .._core.tensor.tensor import Tensor

__all__ = ["ContiguousTensorsHandle", "combine_tensor_list", "combine_tensor_list_contiguous"]


def combine_tensor_list(tensor_list, enable_mem_align=True):
    """Returns two lists of the sizes of Tensors in bytes: without and with alignment, which are
    equal here."""
    sizes = [tensor.nbytes for tensor in tensor_list]
    return sizes, list(sizes)


def combine_tensor_list_contiguous(tensor_list, enable_mem_align=True):
    """Combines Tensors into a handle that treats them as one contiguous block.

    Args:
        tensor_list (Union[list[Tensor], tuple[Tensor]]): the Tensors.
        enable_mem_align (bool): accepted, but without effect. Default: ``True``.

    Returns:
        ContiguousTensorsHandle.

    Source: mindspore.hal.contiguous_tensors_handle.combine_tensor_list_contiguous of MindSpore
    2.10.
    """
    return ContiguousTensorsHandle(tensor_list, enable_mem_align)


class ContiguousTensorsHandle:
    """Handle of Tensors treated as one contiguous block, sliced by index or by Tensor.

    Args:
        tensor_list (Union[list[Tensor], tuple[Tensor]]): the Tensors.
        enable_mem_align (bool): accepted, but without effect. Default: ``True``.

    Raises:
        TypeError: if there are no Tensors, or `enable_mem_align` is not a bool.
        ValueError: if an index is out of range.

    Example:
        >>> from mindspore_compat.hal.contiguous_tensors_handle import ContiguousTensorsHandle
        >>> handle = ContiguousTensorsHandle([ms.Tensor([1.0, 2.0]), ms.Tensor([3.0])])
        >>> print(handle[1:3])
        [2. 3.]

    Source: mindspore.hal.contiguous_tensors_handle.ContiguousTensorsHandle of MindSpore 2.10.
    """

    @checked
    def __init__(self, tensor_list, enable_mem_align: Bool = True):
        is_list = isinstance(tensor_list, (list, tuple)) and len(tensor_list)
        if not is_list or not all(isinstance(tensor, Tensor) for tensor in tensor_list):
            raise TypeError(
                "For 'ContiguousTensorsHandle', 'tensor_list' must be a list of "
                f"Tensors, but got {tensor_list!r}."
            )
        self.tensor_list, self.enable_mem_align = tuple(tensor_list), enable_mem_align
        self.before_padding_sizes, self.after_padding_sizes = combine_tensor_list(tensor_list)
        self.total_padding_size = sum(self.after_padding_sizes)

    def _run(self, tensors):
        return Tensor(np.concatenate([tensor.asnumpy().reshape(-1) for tensor in tensors]))

    def __getitem__(self, item):
        whole = self._run(self.tensor_list)
        (Int | InstanceOf(slice)).refuse_part("ContiguousTensorsHandle", "an index", item)
        start = item if isinstance(item, int) else item.start or 0
        stop = item + 1 if isinstance(item, int) else item.stop
        stop = whole.size if stop is None else stop
        if not 0 <= start < stop <= whole.size:
            raise ValueError(
                "For 'ContiguousTensorsHandle', an index must be in [0, "
                f"{whole.size}), but got {item}."
            )
        return whole[start:stop]

    @checked
    def slice_by_tensor_index(self, start: Int(ge=0) = None, end: Int(ge=1) = None):
        """Returns the elements of the Tensors with indices from `start` up to but excluding
        `end`."""
        tensors = self.tensor_list[start:end]
        if not tensors:
            raise ValueError(
                "For 'slice_by_tensor_index', 'start' must be less than 'end', but "
                f"got {start} and {end}."
            )
        return self._run(tensors)

    def __str__(self):
        lines = [
            f"Tensor[{position}]: {tensor.asnumpy()}"
            for position, tensor in enumerate(self.tensor_list)
        ]
        return "\n".join([f"Handle total size: {self.total_padding_size}", *lines, ""])
