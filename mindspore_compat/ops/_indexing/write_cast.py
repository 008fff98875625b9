"""Casts for ops that write: numbers become 0-D Tensors, values get the dtype of the
target.

MindSpore casts the written values to the dtype of the target and rejects values of a wider dtype;
it never casts the target. These rules serve _indexing/scatter.py, _indexing/assign.py,
_indexing/inplace.py and _optimizer/update.py.
"""

from ..._core.declare.op import space_for
from ..._core.declare.values import ODD_NUMBERS
from ..._core.tensor.promotion import promote_np, scalar_np
from ..._core.tensor.tensor import Tensor


def _plain(number):
    """Returns a number without the types that NumPy derives from Python's."""
    return ODD_NUMBERS.get(type(number), lambda same: same)(number)


def promotes_beyond(dtype, like):
    """Returns True if an array of `dtype` cannot be converted to `like` without loss of range or
    kind."""
    try:
        return promote_np(dtype, like) != like
    except TypeError:  # the two have no common dtype
        return True


def standing(*values):
    """Returns the values, with each number converted to a 0-D Tensor of the dtype of the first
    Tensor."""
    if all(isinstance(value, Tensor) for value in values):
        return values
    like = next((value for value in values if isinstance(value, Tensor)), Tensor(0.0))._array
    return tuple(
        value
        if isinstance(value, Tensor)
        else Tensor._wrap(space_for(like).asarray(value, like.dtype))
        for value in values
    )


def cast_for_write(api, target, value, name="variable"):
    """Returns the target and the values as Tensors; `name` is the target's name in error messages.

    Raises:
        TypeError: if the value has a wider dtype than the target.
    """
    dtype = target._array.dtype if isinstance(target, Tensor) else None
    if dtype is not None and (
        promotes_beyond(value._array.dtype, dtype)
        if isinstance(value, Tensor)
        else scalar_np(dtype, type(_plain(value))) != dtype
    ):
        came = str(value.dtype) if isinstance(value, Tensor) else repr(value)
        primitive = "".join(word.title() for word in api.split("_"))
        raise TypeError(
            f"For '{api}', what is written must not be wider than what it is written to. Data type "
            "conversion is not supported for a 'Parameter', nor for the input tensor of an "
            f"in-place operator, the argument[{name}]'s data type of primitive[{primitive}] is "
            f"{target.dtype}, which cannot be converted to data type {came} automatically."
        )
    return standing(target, value)
