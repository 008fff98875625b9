"""mindspore.ops.composite.multitype_ops._compile_utils: `tensor[index]` as functions.

Scripts replace `Tensor.__getitem__` by functions of their own, which call these.
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
        self (Tensor): the Tensor, which is written in place.
        index (Any): any index that the brackets accept.
        value (Union[Tensor, Number, tuple, list]): what is written.

    Returns:
        Tensor, `self`.
    """
    _WRITE(self, index, value)
    return self


_tensor_getitem_origin = _tensor_getitem


def _tensor_setitem_origin(self, index, value):
    """Runs `self[index] = value`. Arguments as for `_tensor_setitem`.

    Returns:
        tuple[Tensor], `self` alone.
    """
    return (_tensor_setitem(self, index, value),)
