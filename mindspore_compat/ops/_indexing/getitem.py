"""Indexing: reading and writing `Tensor[...]`.

Gathers are in gather.py, masked selection in masks.py, scatters in scatter.py and
scatter_along_axis.py, assignments of a whole Tensor in assign.py. item_of_item.py handles `x[i][j]
= y` in graph mode.
"""

import sys
import weakref

import numpy

from ..._backend import arrays
from ..._backend.arrays import SPACES, to_space
from ..._backend.host.scatter import write
from ..._core.autograd.overwritten import gradients_of_write
from ..._core.autograd.tape import depth, note_in_place_write, record
from ..._core.declare.by_slices import batched_like
from ..._core.declare.op import op, space_for
from ..._core.declare.public_api import public
from ..._core.declare.values import write_into_whole
from ..._core.declare.writing import own, write_back
from ..._core.rules.vocabulary import Any
from ..._core.tensor.precision import casting
from ..._core.tensor.tensor import Tensor
from ..._core.vmap.batch import space_among
from ...common._graph_mode.call import graphs
from .._rules import Anything
from . import item_of_item
from .index_parse import basic, index_of, is_plain, located, values_of


@op(compute="native")
def getitem(xp, input: Anything, index: Any):
    """Returns the part of the input at `index`."""
    return xp.getitem(input, index)


getitem.vjp_of("getitem")


@op(compute="native")
def setitem(xp, input: Anything, values: Anything, index: Any):
    """Returns a copy of the input with `values` written at `index`."""
    return xp.scatter_set(input, index, values)


setitem.vjp_joint(gradients_of_write)


@public("Tensor.__getitem__")
def tensor_getitem(self, index):
    """Returns the part at an index of ints, slices, Tensors, lists, None and '...'.

    The result of ints and slices shares memory with this Tensor; `x[...]` is the Tensor itself. The
    result of Tensors and lists is a copy; a value that is later written into it is written into
    this Tensor too.

    Raises:
        IndexError: if a position is out of range or a part of the index has an unsupported type.
        TypeError: if a tuple holds a float or an array, or a 0-D Tensor is indexed by an
            int.

    Source: the indexing of mindspore.Tensor of MindSpore 2.10.
    """
    array = self._array
    plain = basic(array, index)
    result = None if plain is None else getitem.run(self, plain)
    if result is None or result._array.shape == array.shape:
        if _takes_all(index, array.shape) and not graphs.separate:
            return self
        result = _by_arrays(self, array, index) if plain is None else result
    if graphs.separate:
        if type(index) is not slice:
            item_of_item.linked(result, self, index, sys._getframe(1))
    elif depth.open:
        part = result._array
        if _is_filled(self) and part.base is array and 2 * part.size <= array.size:
            result._array = part.copy()  # a view would make `_owns_filled` False
        result.__dict__["_view_of"] = item_of_item.reference(self), index
    return result


def _takes_all(index, shape):
    """Returns whether an index is "..." or a tuple that takes all of every axis; the Tensor itself
    is then the result."""
    if index is Ellipsis:
        return True
    if type(index) is not tuple:
        return False
    if index and index[-1] is Ellipsis:
        index = index[:-1]
    if len(index) > len(shape):
        return False
    for part, length in zip(index, shape, strict=False):
        if type(part) is not slice:
            return False
        if part.start is part.stop is part.step is None:
            continue
        if not is_plain(part) or part.indices(length) != (0, length, 1):
            return False
    return True


def _by_arrays(self, array, index):
    index = index_of(array, index, "Tensor.__getitem__")
    located(array, index, "Tensor.__getitem__")
    if index is None or index is Ellipsis or type(index) is slice:
        return getitem.run(self, index)
    if type(index) is int:
        return getitem.run(self, (index, Ellipsis))
    if type(index) is tuple and all(type(part) in _BASIC for part in index):
        dots = any(part is Ellipsis for part in index)
        return getitem.run(self, index if dots else (*index, Ellipsis))
    return _take(self, index)


_BASIC = (int, slice, type(None), type(Ellipsis))


def _take(source, index):
    """Returns the elements of `source` at index arrays: a copy that writes changes back into
    `source`."""
    source = batched_like(source, index if type(index) is tuple else (index,))
    try:
        result = getitem.run(source, index)
    except (IndexError, ValueError) as error:
        raise _index_error("Tensor.__getitem__", error) from error
    if source._node is None and type(source._array) in SPACES:
        # Only this link keeps the owner of a view alive; a Tensor with its own memory is not kept
        # alive
        owner = source._array.base is None
        result._chosen_from = (weakref.ref(source) if owner else lambda: source, index)
    return result


@public("Tensor.__setitem__")
def tensor_setitem(self, index, value):
    """Writes a number, Tensor or list at an index, in place.

    In graph mode, under `jit` and within `vmap`, which MindSpore compiles as a graph, the Tensor
    first gets memory of its own, so that neither the caller's Tensor nor a view changes. As an
    exception, `x[i][j] = y` does write to `x`.

    Raises:
        IndexError: if a position is out of range, a part of the index has an unsupported type, or
            `value` is not one of these.
        ValueError: if `value` does not broadcast to the index.
        TypeError: if `value` is None or a NumPy array, or a tuple holds a float or an array.

    Source: the indexing of mindspore.Tensor of MindSpore 2.10.
    """
    array = self._array
    values = values_of(value, "Tensor.__setitem__")
    position = basic(array, index)
    if position is None:
        position = index_of(array, index, "Tensor.__setitem__")
        located(array, position, "Tensor.__setitem__")
    node = value._node if isinstance(value, Tensor) else None
    space = space_for(array)
    if space_for(values) is not space and type(values) in SPACES:
        values = to_space(space, values) if type(array) in SPACES else space.asarray(values)
    values = values.astype(array.dtype) if values.dtype != array.dtype else values
    parts = position if type(position) is tuple else (position,)
    if space_among([array, values, *parts]) is not None:  # within vmap: the result is a new Batch
        result = setitem.run(
            batched_like(self, [values, *parts]), _with_node(values, node), position
        )
        self._array, self._node = result._array, result._node
    elif self._node is None and node is None:
        if graphs.running and type(self) is Tensor:
            self._array = array.copy()
        _write(own(self), position, values)
    else:
        del array  # `_owns_filled` counts references
        if type(values) is numpy.ndarray and _owns_filled(self):
            _fill(self, position, values, node)
        else:
            write_back(self, setitem.run(self, _with_node(values, node), position))
    _write_on(self, sys._getframe(1))


def _write_on(part, frame):
    """Writes a changed part of a Tensor back into that Tensor, if the two do not share memory."""
    if graphs.separate:
        whole, index = item_of_item.written(part, frame)
        if whole is not None:
            tensor_setitem(whole, index, part)
            return
    elif write_into_whole(part):
        return
    if "_chosen_from" in part.__dict__ and not graphs.running:
        source, choice = part._chosen_from
        if source() is not None:
            _write(own(source()), choice, part._array)


def _is_filled(tensor):
    """Returns whether the array of a Tensor was made by a recorded `setitem` on the host."""
    node, array = tensor._node, tensor._array
    return (
        node is not None
        and node.rule is setitem.rule
        and type(array) is numpy.ndarray
        and array.base is None
    )


def _count(tensor):
    """Returns the number of references to the array of a Tensor."""
    array = tensor._array
    return sys.getrefcount(array)


_ONE_HOLDER = _count(Tensor._wrap(numpy.empty(0)))


def _owns_filled(tensor):
    """Returns whether the array of a Tensor was made by a recorded `setitem` and only the Tensor
    holds it: no view, no saved value, no other Tensor. Then the next values can be written into it.
    """
    if not _is_filled(tensor) or casting.floats or arrays.running_recorder() is not None:
        return False
    return _count(tensor) <= _ONE_HOLDER


def _fill(tensor, index, values, node):
    """Writes values, whose node is `node`, into the memory of a Tensor and records the write."""
    if depth.keepers:
        note_in_place_write((tensor,), undone=False)
    array = tensor._array
    _write(array, index, values)
    metas = (array.shape, array.dtype), (values.shape, values.dtype)
    parents = tensor._node, node
    tensor._node = None if depth.paused else record(setitem.rule, parents, (index,), metas)


def _with_node(array, node):
    """Wraps an array as a Tensor with a tape node."""
    result = Tensor._wrap(array)
    result._node = node
    return result


def _write(array, index, values):
    """Writes values at an index; an index that selects no elements accepts any values, as in
    MindSpore."""
    try:
        if values.ndim > 1 and values.shape[0] == 1 and values.ndim > array[index].ndim:
            raise ValueError("more axes than the index selects")  # else dropped silently
        write(array, index, values)
    except (ValueError, TypeError) as error:
        position = array[index]
        if position.size:
            raise ValueError(
                f"For 'Tensor.__setitem__', 'value' must broadcast to the shape "
                f"{position.shape} of what the index selects, but got {values.shape}."
            ) from error
    except IndexError as error:
        raise _index_error("Tensor.__setitem__", error) from error


def _index_error(api, error):
    """Returns the array library's IndexError with a message that names the API."""
    kind = ValueError if "broadcast" in str(error) else IndexError
    return kind(f"For '{api}', the index does not fit: {str(error).strip()}.")
