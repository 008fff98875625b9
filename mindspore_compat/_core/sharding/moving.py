"""Redistribution: changes the placement of a divided array by the cheapest exchanges between ranks.
`ShardedSpace.place` calls `move`.

A placement has for each axis of the array the mesh axes that divide it (`dims`, the coarsest first)
and the mesh axes along which the blocks are still to be summed (`sums`). Step by step

    whole -> divided            a slice, without an exchange
    to be summed -> divided     reduce-scatter
    divided -> divided          all-to-all, if another axis of the array becomes divided; of several
                                mesh axes at once, if they divide both axes in one order
    divided -> whole            all-gather
    to be summed -> whole       all-reduce

The exchanges that make blocks smaller come first. `traffic` of the mesh counts what a rank receives
by the usual ring algorithms: with n ranks (n - 1) / n of the whole for a gather, a reduce-scatter
or an all-to-all, twice that for an all-reduce.
"""


def move(xp, mesh, block, source, target):
    """Exchanges blocks between ranks, and returns this rank's block in another placement.

    Args:
        xp: the space of the blocks.
        mesh (Mesh): the mesh of both placements.
        block: the block of this rank.
        source (tuple): the present placement, (dims, sums).
        target (tuple): the new placement; its `sums` must be a subset of the sums of the source.
    """
    dims, sums = [list(axes) for axes in source[0]], set(source[1])
    target_dims, target_sums = [list(axes) for axes in target[0]], set(target[1])
    while True:
        step = _next_step(dims, sums, target_dims, target_sums)
        if step is None:
            break
        kind, axis, mesh_axes, other = step
        block = _STEPS[kind](xp, mesh, block, axis, mesh_axes, other)
        if kind in ("slice", "reduce_scatter", "all_to_all"):
            dims[axis] += mesh_axes
        if kind == "all_to_all":
            dims[other] = dims[other][: -len(mesh_axes)]
        if kind == "all_gather":
            dims[axis] = dims[axis][: len(dims[axis]) - len(mesh_axes)]
        if kind in ("reduce_scatter", "all_reduce"):
            sums -= set(mesh_axes)
    return block


def _next_step(dims, sums, wanted, left):
    """Returns the next exchange between two placements, as (kind, axis of the array, mesh axes,
    other axis of the array). Returns None if none is left.

    Args:
        dims, sums: the placement so far.
        wanted, left: the `dims` and `sums` of the target.
    """
    used_axes = {mesh_axis for axes in dims for mesh_axis in axes}
    missing = {}  # axis of the array -> the next mesh axis that must divide it
    for axis, (own, goal) in enumerate(zip(dims, wanted)):
        if len(own) < len(goal) and goal[: len(own)] == own:
            missing[axis] = goal[len(own)]
    for axis, mesh_axis in missing.items():
        if mesh_axis not in used_axes and mesh_axis not in sums:
            return "slice", axis, [mesh_axis], None
    for axis, mesh_axis in missing.items():
        if mesh_axis in sums:
            return "reduce_scatter", axis, [mesh_axis], None
    for axis in missing:
        run = wanted[axis][len(dims[axis]) :]
        for other, own in enumerate(dims):
            for count in range(min(len(run), len(own)), 0, -1):
                if other != axis and own[-count:] == run[:count]:
                    return "all_to_all", axis, run[:count], other
    for axis, (own, goal) in enumerate(zip(dims, wanted)):
        common = next((i for i, (a, b) in enumerate(zip(own, goal)) if a != b), len(goal))
        if len(own) > common:
            return "all_gather", axis, own[common:], None
    rest = sorted(sums - left)
    return ("all_reduce", None, rest, None) if rest else None


def cut(xp, mesh, array, axis, mesh_axes):
    """Returns this rank's part of an array whose axis `axis` is divided along some mesh axes."""
    length = array.shape[axis] // mesh.count(mesh_axes)
    start = mesh.index(mesh_axes) * length
    return array[(slice(None),) * axis + (slice(start, start + length),)]


def _slice(xp, mesh, block, axis, mesh_axes, other):
    return cut(xp, mesh, block, axis, mesh_axes)


def _all_gather(xp, mesh, block, axis, mesh_axes, other):
    group = mesh.group(mesh_axes)
    _count(mesh, "all_gather", (group.size - 1) * block.nbytes)
    front = xp.ascontiguousarray(xp.moveaxis(block, axis, 0))
    return xp.moveaxis(group.all_gather(front).wait(), 0, axis)


def start_gather(xp, mesh, block, axis, mesh_axes):
    """Starts to gather an axis of an array along some mesh axes, and returns a function that waits
    for the result. On a GPU the gather has a separate stream."""
    group = mesh.group(mesh_axes)
    _count(mesh, "all_gather", (group.size - 1) * block.nbytes)
    front = xp.ascontiguousarray(xp.moveaxis(block, axis, 0))
    with group.aside(front):
        pending = group.all_gather(front)

    def finish():
        gathered = pending.wait()
        group.join(front)
        return xp.moveaxis(gathered, 0, axis)

    return finish


def _reduce_scatter(xp, mesh, block, axis, mesh_axes, other):
    group = mesh.group(mesh_axes)
    _count(mesh, "reduce_scatter", (group.size - 1) * block.nbytes // group.size)
    front = xp.ascontiguousarray(xp.moveaxis(block, axis, 0))
    return xp.moveaxis(group.reduce_scatter(front).wait(), 0, axis)


def _all_to_all(xp, mesh, block, axis, mesh_axes, other):
    """Exchanges blocks so that the mesh axes divide `axis` of the array instead of `other`; returns
    the new block."""
    group = mesh.group(mesh_axes)
    _count(mesh, "all_to_all", (group.size - 1) * block.nbytes // group.size)
    count, shape = group.size, block.shape
    parts = xp.reshape(block, (*shape[:axis], count, shape[axis] // count, *shape[axis + 1 :]))
    parts = xp.ascontiguousarray(xp.moveaxis(parts, axis, 0))
    blocks = group.all_to_all(parts, [1] * count, [1] * count).wait()
    blocks = xp.moveaxis(blocks, 0, other)  # the members' parts before the axis that they divided
    shape = blocks.shape
    return xp.reshape(blocks, (*shape[:other], count * shape[other + 1], *shape[other + 2 :]))


def _all_reduce(xp, mesh, block, axis, mesh_axes, other):
    return all_reduced(mesh, block, mesh_axes)


def all_reduced(mesh, block, mesh_axes, operation="sum"):
    """Combines the blocks of all ranks along some mesh axes element by element, and returns the
    result, which is the same on these ranks."""
    group = mesh.group(mesh_axes)
    _count(mesh, "all_reduce", 2 * (group.size - 1) * block.nbytes // group.size)
    return group.all_reduce(block, operation).wait()


def split_flat(xp, flat, arrays):
    """Splits a flat array into consecutive parts in the shapes of `arrays`."""
    parts, start = [], 0
    for array in arrays:
        parts.append(xp.reshape(flat[start : start + array.size], array.shape))
        start += array.size
    return parts


def _count(mesh, kind, amount):
    mesh.traffic[kind] += amount


_STEPS = {
    "slice": _slice,
    "all_gather": _all_gather,
    "reduce_scatter": _reduce_scatter,
    "all_to_all": _all_to_all,
    "all_reduce": _all_reduce,
}
