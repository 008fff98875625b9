"""Parses the index of `Tensor[...]` into the array library's form.

`index_of` rejects the indices that MindSpore rejects and converts the others to ints, slices, None,
'...' and arrays; `values_of` does the same for the values to write. Reading and writing are in
getitem.py.
"""

import numpy

from ..._backend.arrays import SPACES, to_space
from ..._core.declare.op import space_for
from ..._core.tensor.tensor import Tensor, as_array
from ...common._graph_mode.call import in_graph

_WORDS = "ints, slices, '...', None, bools, Tensors, lists and tuples"


def basic(array, index):
    """Returns an index of ints and slices in range in the array library's form; None for any other
    index.

    If the index would select a single number, '...' is added, so that the result is a view instead
    of a copy.
    """
    kind, shape = type(index), array.shape
    if kind is int:
        if not shape or not -shape[0] <= index < shape[0]:
            return None
        return index if len(shape) > 1 else (index, Ellipsis)
    if kind is slice:
        return index if shape and is_plain(index) else None
    if kind is not tuple or len(index) > len(shape):
        return None
    for part, length in zip(index, shape, strict=False):
        kind = type(part)
        if kind is int:
            if not -length <= part < length:
                return None
        elif kind is not slice or not is_plain(part):
            return None
    return (*index, Ellipsis)


def index_of(array, index, api):
    """Returns an index in the array library's form, on the device of `array`; `located` checks the
    positions.

    Raises:
        IndexError: if a part has a type that cannot index, or False is used to read.
        TypeError: if a part is a float, an array, or a list that holds anything but numbers.
    """
    if in_graph():
        index = _constants(index)
    kind = type(index)
    if kind is int:
        return index
    if kind is list and _all_numbers(index):
        result = _sequence(index, api)
        _need_length(array, 0, result, api)
        return on_device_of(array, result)
    if kind is not tuple and kind is not list:  # a list of mixed parts counts as a tuple
        return on_device_of(array, _part(index, api))
    count = sum(not (part is None or part is Ellipsis or isinstance(part, bool)) for part in index)
    _need_axes(array, count, api)
    parts, axis = [], 0
    for part in index:
        mask = part._array if isinstance(part, Tensor) else None
        if mask is None and isinstance(part, (list, tuple)):
            mask = _sequence(part, api)
            _need_length(array, axis, mask, api)
        axis += (
            array.ndim - count if part is Ellipsis else _axes_used(part if mask is None else mask)
        )
        if type(mask) in SPACES and mask.dtype == bool:
            parts += (mask if mask.ndim else mask.reshape(1)).nonzero()
        else:
            parts.append(
                _part(part, api, within=True) if mask is None else _tensor(mask, api, True)
            )
    return on_device_of(array, tuple(parts))


def _constants(index):
    """Converts NumPy's ints and bools in an index to Python's, as the compiler of a graph does."""
    if isinstance(index, numpy.integer | numpy.bool):
        return index.item()
    if isinstance(index, slice):
        return slice(*map(_constants, (index.start, index.stop, index.step)))
    if type(index) in (list, tuple):
        return type(index)([_constants(part) for part in index])
    return index


def _need_length(array, axis, mask, api):
    """Rejects a list of bools whose length differs from the length of the axis that it indexes."""
    if mask.dtype == bool and mask.ndim == 1 and axis < array.ndim:
        if len(mask) != array.shape[axis]:
            raise IndexError(
                f"For '{api}', a list of bools in an index must have the length of "
                f"the axis, {array.shape[axis]}, but got {len(mask)}."
            )


def _writes(api):
    return api.endswith("__setitem__")


_PLAIN = frozenset((int, type(None)))


def is_plain(part):
    """Returns True for a slice of ints and None with a step."""
    step = part.step
    return (
        type(part.start) in _PLAIN
        and type(part.stop) in _PLAIN
        and (step is None or type(step) is int and step != 0)
    )


def _all_numbers(index):
    """Returns True for a list of ints and bools, which indexes one axis."""
    return all(isinstance(part, int) for part in index)


def _part(part, api, within=False):
    """Converts one part of an index; floats and arrays `within` a tuple raise a different error."""
    if isinstance(part, Tensor):
        return _tensor(part._array, api, within)
    if isinstance(part, bool):
        if part or _writes(api):  # to write at False does nothing
            return None if part and not within else part
        raise IndexError(f"For '{api}', a bool in an index must be True, but got False.")
    if part is None or part is Ellipsis or isinstance(part, int):
        return part
    if isinstance(part, slice):
        return (
            part
            if is_plain(part)
            else slice(*(_bound(v, api) for v in (part.start, part.stop, part.step)))
        )
    if isinstance(part, (list, tuple)):
        return _sequence(part, api)
    error = TypeError if within and isinstance(part, (float, numpy.ndarray)) else IndexError
    raise error(
        f"For '{api}', an index must be made of {_WORDS}, but got {part!r} of type "
        f"{type(part).__name__}."
    )


def _tensor(array, api, within):
    if array.dtype.kind not in "ib":
        floats = _writes(api) and not within and array.dtype.kind != "u"
        raise (TypeError if floats else IndexError)(
            f"For '{api}', a Tensor in an index must hold ints or bools, but got {array.dtype}."
        )
    return (
        int(array)
        if array.ndim == 0 and array.dtype.kind == "i" and (type(array) in SPACES)
        else array
    )


def _sequence(part, api):
    """Converts a list or tuple of numbers to an array of ints or bools."""
    try:
        result = as_array(list(part))
    except TypeError as error:
        raise (IndexError if _has_text(part) else RuntimeError)(
            f"For '{api}', a list within an index must hold ints or bools in equal rows, but got "
            f"{part!r}."
        ) from error
    if result.dtype.kind in "ib" and result.size:
        return result
    if result.size and _writes(api):
        raise TypeError(
            f"For '{api}', a list within an index must hold ints or bools, but got {part!r}."
        )
    return result.astype("int64")


def _has_text(part):
    return any(
        _has_text(item) if isinstance(item, (list, tuple)) else isinstance(item, str)
        for item in part
    )


def _bound(value, api):
    """Converts a bound or step of a slice."""
    if value is None or isinstance(value, int):
        return None if value is None else int(value)
    if not isinstance(value, Tensor):
        raise RuntimeError(
            f"For '{api}', a slice must be made of ints, Tensors and None, but got "
            f"{value!r} of type {type(value).__name__}."
        )
    if value._array.ndim or value._array.dtype.kind != "i":
        raise TypeError(
            f"For '{api}', a Tensor in a slice must hold one int and have no axis, but "
            f"got shape {value.shape} and dtype {value.dtype}."
        )
    return int(value._array)


def on_device_of(array, index):
    """Moves the arrays of an index to the device of `array`."""
    if isinstance(index, tuple):
        return tuple([on_device_of(array, part) for part in index])
    if type(index) not in SPACES or type(index) is type(array):
        return index
    space = space_for(array)
    while hasattr(space, "base"):  # the space of a Batch
        space = space.base
    return to_space(space, index)


def located(array, index, api):
    """Rejects an index with too many parts, or an int out of range, on the host as on a GPU."""
    parts = index if type(index) is tuple else (index,)
    axes_used = [_axes_used(part) for part in parts]
    if array.ndim == 0 and type(index) is not tuple and axes_used[0]:
        error = TypeError if type(index) is int or _writes(api) else ValueError
        raise error(f"For '{api}', a 0-d Tensor has no axis to index, but got {index!r}.")
    _need_axes(array, sum(axes_used), api)
    gap = array.ndim - sum(axes_used)
    dots = sum(part is Ellipsis for part in parts)
    if dots > 1:
        raise IndexError(f"For '{api}', an index must have at most one '...', but got {dots}.")
    axis = 0
    for part, count in zip(parts, axes_used, strict=True):
        if type(part) in SPACES and part.dtype == bool and part.shape != array.shape[:count]:
            raise ValueError(
                f"For '{api}', a bool index must have the shape of the axes it "
                f"chooses from, {array.shape[:count]}, but got {part.shape}."
            )
        if type(part) is int and not -array.shape[axis] <= part < array.shape[axis]:
            raise IndexError(
                f"For '{api}', index {part} is out of bounds for dimension {axis} "
                f"with size {array.shape[axis]}."
            )
        axis += gap if part is Ellipsis else count
    if any(type(part) is slice and part.step == 0 for part in parts):
        raise ValueError(f"For '{api}', the step of a slice must not be 0.")


def _need_axes(array, count, api):
    if count > array.ndim:
        raise IndexError(
            f"For '{api}', an index of a Tensor of {array.ndim} dimensions must name "
            f"no more, but got {count}."
        )


def _axes_used(part):
    """Returns the number of axes that one part of an index consumes."""
    if part is None or part is Ellipsis or type(part) is bool:
        return 0
    if type(part) in SPACES and part.dtype == bool:
        return part.ndim
    return 1


def values_of(value, api):
    """Returns the values to write as an array: the array of a Tensor, or a new array of the given
    numbers.

    Raises:
        TypeError: if `value` is a NumPy array.
        IndexError: if `value` is neither a Tensor, a number, a list nor a tuple.
        ValueError: if the rows of a list have different lengths.
    """
    if isinstance(value, Tensor):
        return value._array
    if isinstance(value, numpy.generic) and in_graph():  # a constant of the graph
        value = value.item()
    if not isinstance(value, (bool, int, float, list, tuple)):
        error = TypeError if value is None or isinstance(value, numpy.ndarray) else IndexError
        raise error(
            f"For '{api}', 'value' must be a number, Tensor, list or tuple, but got "
            f"{value!r} of type {type(value).__name__}."
        )
    try:
        return as_array(value)
    except TypeError as error:
        if "equal length" not in str(error):
            raise
        raise ValueError(
            f"For '{api}', 'value' must have rows of equal length, but got {value!r}."
        ) from None
