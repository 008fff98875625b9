"""Rules of divided arrays: functions that change or join shapes."""

import math

from .array import Sharded, bare, family, is_divided, on_every_rank, rule
from .gathers import source_of
from .meeting import meet
from .rules_elementwise import undivided


@rule
def _reshape(space, x, shape):
    """Rule of `reshape`. It merges groups of axes and splits them into new axes; the division of
    the first axes of a group goes on to the first new ones. An all-to-all moves the division of a
    later axis to the first axis of the group; the array is gathered if that axis cannot be
    divided."""
    if type(x) is not Sharded:
        return space.base.reshape(x, shape)
    x = space.used(x)
    shape = _full_shape(x, shape)
    before, after = _carry_over(space, x.shape, x.dims, shape)
    x = space.place(x, before, x.sums)
    block = space.base.reshape(x.block, space.local_shape(shape, after))
    return space.wrap(block, after, x.sums)


def _full_shape(x, shape):
    shape = (shape,) if isinstance(shape, int) or not hasattr(shape, "__len__") else tuple(shape)
    shape = [int(n) for n in shape]
    if -1 in shape:
        at = shape.index(-1)
        rest = math.prod(n for i, n in enumerate(shape) if i != at)
        if rest == 0 or x.size % rest:
            raise ValueError(f"cannot reshape array of size {x.size} into shape {tuple(shape)}")
        shape[at] = x.size // rest
    if math.prod(shape) != x.size:
        raise ValueError(f"cannot reshape array of size {x.size} into shape {tuple(shape)}")
    return tuple(shape)


def _carry_over(space, old, dims, new):
    """Returns the division that `reshape` carries over: the part of `dims` that can stay before it,
    and the division of the result."""
    before, after = [()] * len(old), [()] * len(new)
    if 0 in old:
        return before, after
    for own, other in _groups(old, new):
        sources = [dims, _moved_to_front(old, dims, own)]
        carried = [_carry(space.mesh, old, source, new, own, other) for source in sources]
        first = max(carried, key=lambda pair: sum(map(len, pair[0])))
        for axis, mesh_axes in zip(own, first[0], strict=True):
            before[axis] = mesh_axes
        for axis, mesh_axes in zip(other, first[1], strict=True):
            after[axis] = mesh_axes
    return before, after


def _moved_to_front(old, dims, own):
    """Returns `dims` with all mesh axes that divide a group of axes on the first of these that is
    longer than 1."""
    moved = list(dims)
    front = next((axis for axis in own if old[axis] != 1), None)
    for axis in own:
        moved[axis] = ()
    if front is not None:
        moved[front] = tuple(mesh_axis for axis in own for mesh_axis in dims[axis])
    return moved


def _groups(old, new):
    """Divides the axes of two shapes of equal size into groups: returns pairs (axes of `old`, axes
    of `new`) in which both sides have the same number of elements."""
    i = j = 0
    while i < len(old) or j < len(new):
        own, other, one, two = [], [], 1, 1
        while one != two or not own and not other:
            if one <= two and i < len(old) or j >= len(new):
                own.append(i)
                one *= old[i]
                i += 1
            else:
                other.append(j)
                two *= new[j]
                j += 1
        yield own, other


def _carry(mesh, old, dims, new, own, other):
    """Assigns the mesh axes that divide one group of old axes to the new axes, as long as blocks
    remain contiguous runs of elements. Returns two lists of divisions: those that the old axes of
    the group keep, and those of the new axes.
    """
    before, after = [()] * len(own), [()] * len(other)
    position, left = 0, None
    for number, axis in enumerate(own):
        remaining = old[axis]
        for mesh_axis in dims[axis] if old[axis] != 1 else ():
            length = mesh.shape[mesh_axis]
            while position < len(other) and (left or new[other[position]]) == 1:
                position, left = position + 1, None
            if position == len(other):
                return before, after
            left = left or new[other[position]]
            if left % length or remaining % length:
                return before, after
            before[number] += (mesh_axis,)
            after[position] += (mesh_axis,)
            left, remaining = left // length, remaining // length
        if remaining != 1:
            break
    return before, after


@rule
def _ravel(space, x):
    return _reshape(space, x, (-1,)) if type(x) is Sharded else space.base.ravel(x)


def _view(space, x, block, dims, *call):
    """Returns a Sharded with the elements of `x`, but other axes: `block` is this rank's part,
    divided by `dims`. A parked array stays parked. `call` is the name of the function that made the
    view, and its arguments after `x`."""
    view = space.wrap(block, dims, x.sums, x.parked)
    view.kept = False if x.kept is False else None
    view.source = source_of(x, *call)
    return view


@rule
def _expand_dims(space, x, axis):
    if type(x) is not Sharded:
        return space.base.expand_dims(x, axis)
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    rank = x.ndim + len(axes)
    axes = {a % rank for a in axes}
    x = space.seen(x)
    dims = iter(x.dims)
    dims = tuple(() if i in axes else next(dims) for i in range(rank))
    call = "expand_dims", tuple(sorted(axes))
    return _view(space, x, space.base.expand_dims(x.block, axis), dims, *call)


@rule
def _squeeze(space, x, axis=None):
    if type(x) is not Sharded:
        return space.base.squeeze(x, axis)
    if axis is None:
        squeezed = {i for i, n in enumerate(x.shape) if n == 1}
    else:
        squeezed = {a % x.ndim for a in (axis if isinstance(axis, (tuple, list)) else (axis,))}
    if any(x.shape[i] != 1 for i in squeezed):
        raise ValueError("cannot select an axis to squeeze out which has size not equal to one")
    x = space.seen(x)
    dims = tuple(axes_of for i, axes_of in enumerate(x.dims) if i not in squeezed)
    axes = tuple(sorted(squeezed))
    return _view(space, x, space.base.squeeze(x.block, axes), dims, "squeeze", axes)


@rule
def _transpose(space, x, axes=None):
    if type(x) is not Sharded:
        return space.base.transpose(x, axes)
    axes = tuple(reversed(range(x.ndim))) if axes is None else tuple(a % x.ndim for a in axes)
    x = space.seen(x)
    dims = tuple(x.dims[a] for a in axes)
    return _view(space, x, space.base.transpose(x.block, axes), dims, "transpose", axes)


@rule
def _swapaxes(space, x, one, two):
    if type(x) is not Sharded:
        return space.base.swapaxes(x, one, two)
    order = list(range(x.ndim))
    order[one], order[two] = order[two], order[one]
    return _transpose(space, x, order)


@rule
def _moveaxis(space, x, source, target):
    if type(x) is not Sharded:
        return space.base.moveaxis(x, source, target)
    source, target = (
        [a % x.ndim for a in (axes if isinstance(axes, (tuple, list)) else (axes,))]
        for axes in (source, target)
    )
    order = [i for i in range(x.ndim) if i not in source]
    for to, axis in sorted(zip(target, source)):
        order.insert(to, axis)
    return _transpose(space, x, order)


@rule
def _broadcast_to(space, x, shape):
    if type(x) is not Sharded:
        return space.base.broadcast_to(x, shape)
    x = space.used(x)
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    dims = ((),) * (len(shape) - x.ndim) + x.dims
    block = space.base.broadcast_to(x.block, space.local_shape(shape, dims))
    return space.wrap(block, dims, x.sums)


@rule
def _ascontiguousarray(space, x):
    if type(x) is not Sharded:
        return space.base.ascontiguousarray(x)
    x = space.seen(x)
    return _view(space, x, space.base.ascontiguousarray(x.block), x.dims, "ascontiguousarray")


def _join(space, name, arrays, axis):
    arrays = list(arrays)
    function = getattr(space.base, name)
    if not is_divided(arrays):
        return function(arrays, axis)
    rank = arrays[0].ndim
    letters = list(range(rank))
    if name == "concatenate":
        axis = axis % rank
        whole, out = (axis,), letters
    else:
        axis = axis % (rank + 1)
        whole, out = (), [*letters[:axis], "new", *letters[axis:]]
    meeting = meet(
        space, [(x, letters) for x in arrays], whole, linear=(tuple(range(len(arrays))),)
    )
    block = function(meeting.blocks, axis)
    return space.wrap(block, *meeting.placement(out))


@rule
def _concatenate(space, arrays, axis=0):
    return _join(space, "concatenate", arrays, axis)


@rule
def _stack(space, arrays, axis=0):
    return _join(space, "stack", arrays, axis)


def _changing(space, name, x, axes, *args, **kwargs):
    """Calls the function `name` on the blocks of `x`, after making the axes that it changes
    undivided."""
    x = undivided(space, x, axes)
    return space.wrap(getattr(space.base, name)(x.block, *args, **kwargs), x.dims)


@rule
def _pad(space, x, pad_width, mode="constant", constant_values=0):
    if type(x) is not Sharded:
        return space.base.pad(x, pad_width, mode=mode, constant_values=constant_values)
    widths = pad_width
    if isinstance(widths, int) or not isinstance(widths[0], (tuple, list)):
        return on_every_rank(space, "pad", x, pad_width, mode=mode, constant_values=constant_values)
    axes = [i for i, pair in enumerate(widths) if tuple(pair) != (0, 0)]
    return _changing(space, "pad", x, axes, pad_width, mode=mode, constant_values=constant_values)


@rule
def _pad_by_index(space, x, widths, mode):
    if type(x) is not Sharded:
        return space.base.pad_by_index(x, widths, mode)
    axes = [i for i, pair in enumerate(widths) if tuple(pair) != (0, 0)]
    return _changing(space, "pad_by_index", x, axes, widths, mode)


@rule
def _add_padding_back(space, g, shape, widths, mode):
    if type(g) is not Sharded:
        return space.base.add_padding_back(g, shape, widths, mode)
    axes = [i for i, pair in enumerate(widths) if tuple(pair) != (0, 0)]
    g = undivided(space, g, axes)
    local = space.local_shape(shape, g.dims)
    return space.wrap(space.base.add_padding_back(g.block, local, widths, mode), g.dims)


@rule
def _roll(space, x, shift, axis=None):
    if type(x) is not Sharded or axis is None:
        return on_every_rank(space, "roll", x, shift, axis)
    axes = [a % x.ndim for a in (axis if isinstance(axis, (tuple, list)) else (axis,))]
    return _changing(space, "roll", x, axes, shift, axis)


@rule
def _repeat(space, x, repeats, axis=None):
    if type(x) is not Sharded or axis is None:
        return on_every_rank(space, "repeat", x, repeats, axis)
    return _changing(space, "repeat", x, [axis % x.ndim], bare(space, repeats), axis)


@rule
def _tile(space, x, reps):
    reps = (reps,) if isinstance(reps, int) else tuple(reps)
    if type(x) is not Sharded:
        return space.base.tile(x, reps)
    rank = max(len(reps), x.ndim)
    reps = (1,) * (rank - len(reps)) + reps
    lead = rank - x.ndim
    x = undivided(space, x, [i - lead for i, n in enumerate(reps) if n != 1 and i >= lead])
    return space.wrap(space.base.tile(x.block, reps), ((),) * lead + x.dims)


@family("stack")
def stack_of_matrices(space, name, x, *args, **kwargs):
    """Rule of functions of the last axes (two, or one for each entry of a list): makes these axes
    undivided, and calls the function on the blocks."""
    function = getattr(space.base, name)
    if not is_divided((x, *args)):
        return function(x, *args, **kwargs)
    if type(x) is not Sharded or is_divided(args):
        return on_every_rank(space, name, x, *args, **kwargs)
    last = len(args[0]) if args and isinstance(args[0], (tuple, list)) else 2
    x = undivided(space, x, range(x.ndim - last, x.ndim))
    out = function(x.block, *args, **kwargs)
    several = isinstance(out, (tuple, list))
    results = [
        space.wrap(array, (*x.dims[:-last], *((),) * (array.ndim - x.ndim + last)))
        for array in (out if several else (out,))
    ]
    return tuple(results) if several else results[0]
