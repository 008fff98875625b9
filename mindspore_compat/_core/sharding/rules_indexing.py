"""Rules of divided arrays: indexing, and tables whose rows are divided."""

from .array import Sharded, bare, is_divided, on_every_rank, rule
from .meeting import meet
from .rules_elementwise import undivided


def _parts(index, rank):
    """Returns a basic index of an array with `rank` axes as a list: one entry for each axis, and
    None for each new axis. Returns None if the index contains arrays."""
    parts = list(index) if isinstance(index, tuple) else [index]
    basic = all(
        p is None
        or p is Ellipsis
        or isinstance(p, slice)
        or isinstance(p, int)
        and not isinstance(p, bool)
        or _is_number(p)
        for p in parts
    )
    if not basic:
        return None
    axis_count = sum(p is not None and p is not Ellipsis for p in parts)
    rest = [slice(None)] * (rank - axis_count)
    if Ellipsis in parts:
        at = parts.index(Ellipsis)
        return parts[:at] + rest + parts[at + 1 :]
    return parts + rest


def _is_number(p):
    return type(p).__module__ == "numpy" and getattr(p, "ndim", 1) == 0 and p.dtype.kind in "iu"


def _is_all(part, length):
    return isinstance(part, slice) and part.indices(length) == (0, length, 1)


def _placements(parts, shape):
    """Returns two lists for a basic index: the axes of the array that it shortens or removes, and
    the axis of the array from which each axis of the result comes (None for a new axis)."""
    changed, out, axis = [], [], 0
    for part in parts:
        if part is None:
            out.append(None)
            continue
        if not _is_all(part, shape[axis]):
            changed.append(axis)
        if isinstance(part, slice):
            out.append(axis)
        axis += 1
    return changed, out


@rule
def _getitem(space, x, index):
    """Rule of `getitem`: axes that the index takes entirely stay divided, others become
    undivided."""
    if not is_divided((x, *index) if isinstance(index, tuple) else (x, index)):
        return x[index]
    if type(x) is not Sharded:
        return space.asarray(x[bare(space, index)])
    parts = _parts(index, x.ndim)
    if parts is None:
        return on_every_rank(space, "getitem", x, index)
    x = space.used(x)
    changed_axes, out = _placements(parts, x.shape)
    dims = [() if i in changed_axes else axes_of for i, axes_of in enumerate(x.dims)]
    x = space.place(x, dims, x.sums)
    local = _local_index(parts, changed_axes)
    block = space.base.asarray(x.block[local])
    return space.wrap(block, [() if a is None else x.dims[a] for a in out], x.sums)


def _local_index(parts, changed):
    """Returns the index of a block that corresponds to a basic index of the whole array. An axis
    that is taken entirely is taken entirely from the block, which is shorter."""
    new_parts, axis = [], 0
    for part in parts:
        if part is None:
            new_parts.append(None)
            continue
        new_parts.append(part if axis in changed else slice(None))
        axis += 1
    return tuple(new_parts)


def _scatter_rule(space, name, x, index, values):
    parts = None if is_divided((index,)) else _parts(index, x.ndim)
    if not is_divided((x, values)):
        return getattr(space.base, name)(x, index, values)
    if parts is None:
        return on_every_rank(space, name, x, index, values)
    changed_axes, out = _placements(parts, x.shape)
    letters = list(range(x.ndim))
    dims = []
    if hasattr(values, "ndim"):
        dims = out[len(out) - values.ndim :] if values.ndim else []
        dims = [None if n == 1 else a for a, n in zip(dims, values.shape)]
    linear = ((0, 1),) if name == "scatter_add" else ()
    meeting = meet(space, [(x, letters), (values, dims)], changed_axes, linear)
    local = _local_index(parts, changed_axes)
    block = getattr(space.base, name)(meeting.blocks[0], local, meeting.blocks[1])
    return space.wrap(block, *meeting.placement(letters))


@rule
def _scatter_add(space, x, index, values):
    return _scatter_rule(space, "scatter_add", x, index, values)


@rule
def _scatter_set(space, x, index, values):
    return _scatter_rule(space, "scatter_set", x, index, values)


# Tables -------------------------------------------------------------------------------------------


def _in_part(space, index, length, mesh_axes):
    """Converts indices of a divided axis to indices of this rank's part of the axis.

    Returns:
        The converted indices (0 for those outside of the part), and a mask of those inside.

    Args:
        index: a block of ints in [-length, length).
        length (int): the length of the whole axis.
        mesh_axes (tuple): the mesh axes that divide the axis.
    """
    base, part = space.base, length // space.mesh.count(mesh_axes)
    index = base.where(index < 0, index + length, index) - space.mesh.index(mesh_axes) * part
    inside = (index >= 0) & (index < part)
    return base.where(inside, index, 0), inside


@rule
def _take(space, x, indices, axis=None):
    """Rule of `take`. If the rows of a table are divided, each rank takes the rows that it has, and
    zeros for the others; the results are still to be summed."""
    if not is_divided((x, indices)):
        return space.base.take(x, indices, axis)
    if axis is None:
        return on_every_rank(space, "take", x, indices, axis)
    axis = axis % x.ndim
    if not hasattr(indices, "ndim"):
        indices = space.base.asarray(indices)
    table = [f"table {i}" for i in range(x.ndim)]
    rows = [f"index {i}" for i in range(indices.ndim)]
    meeting = meet(space, [(x, table), (indices, rows)], linear=((0,),))
    values_block, index = meeting.blocks
    out = [*table[:axis], *rows, *table[axis + 1 :]]
    split = meeting.dims.get(table[axis], ())
    if not split:
        return space.wrap(space.base.take(values_block, index, axis), *meeting.placement(out))
    index, inside = _in_part(space, index, x.shape[axis], split)
    inside = space.base.reshape(inside, (*inside.shape, *(1,) * (x.ndim - axis - 1)))
    block = space.base.where(inside, space.base.take(values_block, index, axis), 0).astype(x.dtype)
    return space.wrap(block, *meeting.placement(out, (table[axis],)))


@rule
def _segment_sum(space, index, values, count):
    """Rule of `segment_sum`: each rank sums the rows for its part of the index. The result is a
    partial sum along the mesh axes that divide the index."""
    if not is_divided((index, values)):
        return space.base.segment_sum(index, values, count)
    rows = [f"index {i}" for i in range(index.ndim)]
    rest = [f"row {i}" for i in range(values.ndim - index.ndim)]
    meeting = meet(space, [(index, rows), (values, [*rows, *rest])], linear=((1,),))
    block = space.base.segment_sum(*meeting.blocks, count)
    return space.wrap(block, *meeting.placement(["new", *rest], rows))


@rule
def _take_along_axis(space, x, indices, axis):
    """Rule of `take_along_axis`. If the axis is divided, each rank takes the elements that it has,
    and zeros for the others; the results are still to be summed."""
    if not is_divided((x, indices)):
        return space.base.take_along_axis(x, indices, axis)
    if x.ndim != indices.ndim:
        return on_every_rank(space, "take_along_axis", x, indices, axis)
    axis = axis % x.ndim
    same_rest = (
        x.shape[:axis] + x.shape[axis + 1 :] == indices.shape[:axis] + indices.shape[axis + 1 :]
    )
    if not same_rest:
        return on_every_rank(space, "take_along_axis", x, indices, axis)
    letters = list(range(x.ndim))
    rows = [*letters[:axis], "index", *letters[axis + 1 :]]
    meeting = meet(space, [(x, letters), (indices, rows)], ("index",), linear=((0,),))
    values_block, index = meeting.blocks
    split = meeting.dims.get(axis, ())
    if not split:
        block = space.base.take_along_axis(values_block, index, axis)
        return space.wrap(block, *meeting.placement(rows))
    index, inside = _in_part(space, index, x.shape[axis], split)
    values = space.base.take_along_axis(values_block, index, axis)
    block = space.base.where(inside, values, 0).astype(x.dtype)
    return space.wrap(block, *meeting.placement(rows, (axis,)))


@rule
def _scatter_along_axis(space, x, index, values, axis, add=False):
    """Rule of `scatter_along_axis`: makes the axis undivided. If values are added, missing sums
    over ranks of `x` and `values` may be computed on the result instead.
    """
    if not is_divided((x, index, values)):
        return space.base.scatter_along_axis(x, index, values, axis, add)
    axis = axis % x.ndim
    rest = x.shape[:axis] + x.shape[axis + 1 :]
    if index.ndim != x.ndim or rest != index.shape[:axis] + index.shape[axis + 1 :]:
        return on_every_rank(space, "scatter_along_axis", x, index, values, axis, add)
    letters = list(range(x.ndim))
    rows = [*letters[:axis], "index", *letters[axis + 1 :]]
    pairs = [(x, letters), (index, rows), (values, rows if hasattr(values, "ndim") else [])]
    if hasattr(values, "ndim") and values.shape != index.shape:
        return on_every_rank(space, "scatter_along_axis", x, index, values, axis, add)
    meeting = meet(space, pairs, ("index", axis), linear=((0, 2),) if add else ())
    target_block, at, new_block = meeting.blocks
    block = space.base.scatter_along_axis(target_block, at, new_block, axis, add)
    return space.wrap(block, *meeting.placement(letters))


@rule
def _pick_column(space, x, column):
    """Rule of `pick_column`, by `take_along_axis`; the columns may be divided."""
    if not is_divided((x, column)):
        return space.base.pick_column(x, column)
    values = _take_along_axis(space, x, space.expand_dims(column, 1), 1)
    return space.squeeze(values, 1)


@rule
def _add_at_column(space, x, column, values):
    """Rule of `add_at_column`: each rank adds the values that belong to its columns."""
    if not is_divided((x, column, values)):
        return space.base.add_at_column(x, column, values)
    x, values = space.summed(x), space.summed(values) if type(values) is Sharded else values
    meeting = meet(space, [(x, ("row", "column")), (column, ("row",)), (values, ("row",))])
    target_block, at, new_block = meeting.blocks
    split = meeting.dims.get("column", ())
    if split:
        at, inside = _in_part(space, at, x.shape[1], split)
        new_block = space.base.where(inside, new_block, 0).astype(target_block.dtype)
    block = space.base.add_at_column(space.base.array(target_block), at, new_block)
    return space.wrap(block, *meeting.placement(("row", "column")))


@rule
def _diagonal(space, x, offset=0, axis1=0, axis2=1):
    if type(x) is not Sharded:
        return space.base.diagonal(x, offset, axis1, axis2)
    x = undivided(space, x, (axis1 % x.ndim, axis2 % x.ndim))
    block = space.base.diagonal(x.block, offset, axis1, axis2)
    rest = [
        axes_of for i, axes_of in enumerate(x.dims) if i not in (axis1 % x.ndim, axis2 % x.ndim)
    ]
    return space.wrap(block, [*rest, ()])
