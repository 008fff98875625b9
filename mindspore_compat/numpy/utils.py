"""mindspore.numpy.utils: MindSpore's private helpers that scripts import."""

from ._convert import as_tensor
from .utils_const import _raise_type_error  # noqa: F401 - found here too


def _to_tensor(*args):
    """Converts array-like values to Tensors: one Tensor, or a tuple of several.

    Raises:
        TypeError: if an argument is not array-like.
    """
    tensors = tuple(as_tensor(arg, "_to_tensor") for arg in args)
    return tensors[0] if len(tensors) == 1 else tensors
