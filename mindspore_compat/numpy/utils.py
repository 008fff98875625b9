"""mindspore.numpy.utils: private helpers of the original that scripts import."""

from ._convert import as_tensor
from .utils_const import _raise_type_error  # noqa: F401 - found here too


def _to_tensor(*args):
    """Array-like values as Tensors: one as it is, several as a tuple.

    Raises:
        TypeError: if one is not array-like.
    """
    found = tuple(as_tensor(each, "_to_tensor") for each in args)
    return found[0] if len(found) == 1 else found
