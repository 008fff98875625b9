"""mindspore.ops.composite.multitype_ops._compile_utils: `tensor[index]` as functions.

Scripts that replace `Tensor.__getitem__` by their own function call these.
"""

from ..._core.tensor.tensor import Tensor

_READ, _WRITE = Tensor.__getitem__, Tensor.__setitem__


def _tensor_getitem(self, index):
    """Returns `self[index]`.

    Args:
        self (Tensor): the Tensor.
        index (Any): any index that the brackets accept.

    Returns:
        Tensor.
    """
    return _READ(self, index)


def _tensor_setitem(self, index, value):
    """Runs `self[index] = value`.

    Args:
        self (Tensor): the Tensor, which is written to in place.
        index (Any): any index that the brackets accept.
        value (Union[Tensor, Number, tuple, list]): the values to write.

    Returns:
        Tensor, `self`.
    """
    _WRITE(self, index, value)
    return self


_tensor_getitem_origin = _tensor_getitem


def _tensor_setitem_origin(self, index, value):
    """Runs `self[index] = value`. The arguments are the same as for `_tensor_setitem`.

    Returns:
        tuple[Tensor], which holds only `self`.
    """
    return (_tensor_setitem(self, index, value),)
