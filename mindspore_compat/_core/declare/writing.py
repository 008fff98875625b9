"""Writes results into Tensors, for the operators that work in place."""

from ..._backend.arrays import SPACES, on_device_of
from ..._backend.steps.journal import journal
from ..autograd.tape import depth, note_in_place_write
from ..tensor import dtype as dtypes
from ..tensor.tensor import Tensor
from .op import DECLARED
from .values import write_into_whole

__all__ = ["fill", "overwrite", "own", "plain", "write_back"]


def write_back(target, result):
    """Writes `result` into `target`: into its memory, or as a new array while it is recorded."""
    if result._node is not None or target._node is not None:
        target._array, target._node = result._array, result._node
    else:
        fill(target, result._array)
    return plain(target)


def fill(target, array):
    """Copies `array` into the memory of `target`, which stays on its device."""
    written = own(target)
    written[...] = on_device_of(written, array)


def own(tensor):
    """Returns the array of `tensor`, ready to be written. An array that repeats elements, such as a
    broadcast, is copied first."""
    if depth.keepers or journal.saved is not None:
        note_in_place_write((tensor,))
    array = tensor._array
    if type(array) in SPACES and (_repeats(array) or not getattr(array.flags, "writeable", True)):
        array = tensor._array = array.copy()
    return array


def _repeats(array):
    """Returns True if one element of memory has several indices; an axis of length 1 may step by
    0."""
    return 0 in array.strides and any(
        step == 0 and length > 1 for step, length in zip(array.strides, array.shape)
    )


def plain(tensor):
    """Returns the result of an in-place op: the Tensor, or a Tensor on the memory of a
    Parameter."""
    if type(tensor) is Tensor:
        return tensor
    detached = Tensor._wrap(tensor._array)
    detached._node = tensor._node
    return detached


def overwrite(api, target, result):
    """Returns `write_back` for any result: another dtype is cast, another shape is refused."""
    if result.shape != target.shape:
        raise ValueError(
            f"For '{api}', the result must have the shape of the Tensor that is written to, "
            f"{target.shape}, but got {result.shape}."
        )
    if result._array.dtype != target._array.dtype:
        cast = DECLARED["ops"]["cast"][0]
        result = cast.run(result, dtypes.to_numpy(target.dtype))
    target_result = write_back(target, result)
    write_into_whole(target)
    return target_result
