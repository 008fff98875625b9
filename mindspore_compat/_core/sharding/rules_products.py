"""Rules of divided arrays: products, convolution and pooling.

Before a product, meeting.py gives both arrays the placements that fit together. Where that needs
collectives (all-gather, all-to-all, reduce-scatter), moving.py chooses and calls them.
"""

from ..autograd.vjp_rules_products import product
from .array import family, is_divided, on_every_rank, rule
from .meeting import meet

_ONE_OF_TWO = ((0,), (1,))


@rule
def _matmul(space, x, y, out=None):
    """Rule of `matmul`: rows, columns and leading axes may be divided. If mesh axes divide the
    inner axis, the result is still to be summed along these."""
    if not is_divided((x, y)):
        return space.base.matmul(x, y) if out is None else space.base.matmul(x, y, out)
    batch = max(x.ndim, y.ndim) - 2
    left_letters = stack_letters(x) + (["row"] if x.ndim > 1 else []) + ["inner"]
    right = stack_letters(y) + ["inner"] + (["column"] if y.ndim > 1 else [])
    meeting = meet(space, [(x, left_letters), (y, right)], linear=_ONE_OF_TWO)
    block = space.base.asarray(product(space.base, *meeting.blocks))
    letters = [*range(-batch, 0)] if batch > 0 else []
    letters += [letter for letter in ("row", "column") if letter in (*left_letters, *right)]
    return space.wrap(block, *meeting.placement(letters, ("inner",)))


def stack_letters(x):
    """Returns the letters of the leading axes of an operand, for meeting.py: -1 for the last
    leading axis, ...; None for an axis of length 1."""
    lead = max(x.ndim - 2, 0)
    return [None if x.shape[i] == 1 else i - lead for i in range(lead)]


@rule
def _matmul_float32(space, x, y, factor=1.0):
    """Rule of `matmul_float32`: the same as the rule of `matmul`."""
    if not is_divided((x, y)):
        return space.base.matmul_float32(x, y, factor)
    x, y = (space.cast(a, "float32") if a.dtype.itemsize < 4 else a for a in (x, y))
    product = _matmul(space, x, y)
    return product if factor == 1.0 else product * factor


@rule
def _vecdot(space, x, y):
    """Rule of `vecdot`: applies the rules of a product and of a sum."""
    return space.sum(space.multiply(x, y), -1)


@rule
def _over_queries(space, function, queries, others):
    """Rule of `over_queries`: leading axes and rows of the queries may be divided. Other arrays are
    gathered along their rows. Sums over divided rows stay partial."""
    arrays = [*queries, *others]
    if not is_divided(arrays):
        return function(space.base, 0, queries, others)
    present = [x for x in arrays if x is not None]
    rows, count = queries[0].shape[-2], max(x.ndim for x in present) - 2
    pairs = [
        (x, [*stack_letters(x), "row" if x.shape[-2] == rows else None, "features"])
        for x in queries
        if x is not None
    ]
    pairs += [(x, [*stack_letters(x), "key", "features"]) for x in others if x is not None]
    meeting = meet(space, pairs, whole=("key", "features"))
    blocks = iter(meeting.blocks)
    local = [[None if x is None else next(blocks) for x in group] for group in (queries, others)]
    by_row, sums = function(space.base, first_row(space, meeting, rows), *local)
    lead = range(-count, 0)
    return (
        [wrapped(space, x, *meeting.placement([*lead, "row", "features"])) for x in by_row],
        [wrapped(space, x, *meeting.placement([*lead, "key", "features"], ("row",))) for x in sums],
    )


def first_row(space, meeting, rows):
    axes = meeting.dims.get("row", ())
    return space.mesh.index(axes) * (rows // space.mesh.count(axes))


def wrapped(space, block, dims, sums):
    return None if block is None else space.wrap(space.base.asarray(block), dims, sums)


@rule
def _einsum_list(space, operands, equation):
    if not is_divided(operands):
        return space.base.einsum_list(operands, equation)
    sources, arrow, target = equation.replace(" ", "").partition("->")
    sources = sources.split(",")
    plain = arrow and "." not in equation and all(len(set(s)) == len(s) for s in sources)
    if not plain:
        return on_every_rank(space, "einsum_list", list(operands), equation)
    pairs = [
        (x, [None if n == 1 else c for n, c in zip(x.shape, source)])
        for x, source in zip(operands, sources, strict=True)
    ]
    singles = tuple((i,) for i in range(len(pairs)))
    meeting = meet(space, pairs, linear=singles)
    block = space.base.asarray(space.base.einsum_list(meeting.blocks, equation))
    summed_letters = set("".join(sources)) - set(target)
    return space.wrap(block, *meeting.placement(target, summed_letters))


# Convolution --------------------------------------------------------------------------------------


def _image(channels, rank):
    return ["batch", channels, *range(rank - 2)]


def _filters(rank):
    return ["out", "in", *(f"kernel {i}" for i in range(rank - 2))]


def _whole_letters(rank, groups):
    """Returns the letters that must not be divided in a convolution: spatial axes and kernel axes;
    channels too if there are several groups."""
    spatial = [*range(rank - 2), *(f"kernel {i}" for i in range(rank - 2))]
    return [*spatial, *(("in", "out") if groups != 1 else ())]


def _local(meeting, space, shape, letters):
    return space.local_shape(shape, [meeting.dims.get(letter, ()) for letter in letters])


@rule
def _convolve_nd(space, x, w, stride, pads, dilation, groups):
    if not is_divided((x, w)):
        return space.base.convolve_nd(x, w, stride, pads, dilation, groups)
    rank = x.ndim
    pairs = [(x, _image("in", rank)), (w, _filters(rank))]
    meeting = meet(space, pairs, _whole_letters(rank, groups), _ONE_OF_TWO)
    block = space.base.convolve_nd(*meeting.blocks, stride, pads, dilation, groups)
    return space.wrap(block, *meeting.placement(_image("out", rank), ("in",)))


@rule
def _convolve_input(space, g, w, x_shape, stride, pads, dilation, groups):
    if not is_divided((g, w)):
        return space.base.convolve_input(g, w, x_shape, stride, pads, dilation, groups)
    rank = g.ndim
    pairs = [(g, _image("out", rank)), (w, _filters(rank))]
    meeting = meet(space, pairs, _whole_letters(rank, groups), _ONE_OF_TWO)
    local = _local(meeting, space, x_shape, _image("in", rank))
    block = space.base.convolve_input(*meeting.blocks, local, stride, pads, dilation, groups)
    return space.wrap(block, *meeting.placement(_image("in", rank), ("out",)))


@rule
def _convolve_weight(space, g, x, w_shape, stride, pads, dilation, groups):
    if not is_divided((g, x)):
        return space.base.convolve_weight(g, x, w_shape, stride, pads, dilation, groups)
    rank = g.ndim
    pairs = [(g, _image("out", rank)), (x, _image("in", rank))]
    pairs[0][1][2:] = [f"result {i}" for i in range(rank - 2)]
    whole = [*_whole_letters(rank, groups), *pairs[0][1][2:]]
    meeting = meet(space, pairs, whole, _ONE_OF_TWO)
    local = _local(meeting, space, w_shape, _filters(rank))
    block = space.base.convolve_weight(*meeting.blocks, local, stride, pads, dilation, groups)
    return space.wrap(block, *meeting.placement(_filters(rank), ("batch",)))


@family("samples")
def samples(space, name, x, *args, **kwargs):
    """Rule of functions of each plane of (batch, channels, spatial...): makes the spatial axes
    undivided, and calls the function on the blocks."""
    function = getattr(space.base, name)
    if not is_divided((x, *args)):
        return function(x, *args, **kwargs)
    arrays = [x, *(a for a in args if hasattr(a, "ndim"))]
    if x.ndim < 3 or any(a.ndim < 3 for a in arrays):
        return on_every_rank(space, name, x, *args, **kwargs)
    pairs = [(a, ["batch", "channel", *(f"{i}" for i in range(a.ndim - 2))]) for a in arrays]
    whole = [letter for _, letters in pairs for letter in letters[2:]]
    meeting = meet(space, pairs, whole)
    blocks = iter(meeting.blocks)
    first, *rest = [next(blocks) if hasattr(a, "ndim") else a for a in (x, *args)]
    if name == "average_pool_gradient":
        shape, *rest = rest
        rest = [_local(meeting, space, shape, ["batch", "channel", *shape[2:]]), *rest]
    out = function(first, *rest, **kwargs)
    several = isinstance(out, (tuple, list))
    results = [
        space.wrap(array, *meeting.placement(["batch", "channel", *((None,) * (array.ndim - 2))]))
        for array in (out if several else (out,))
    ]
    return tuple(results) if several else results[0]
