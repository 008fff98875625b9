"""Batching rules of convolution, pooling, grid sampling and masks: the hidden axis is merged with
the first visible one.

These functions treat all elements along their first axis alike, so one call handles all slices.
Only a convolution whose weights differ between slices runs slice by slice. The functions are those
of the family "samples" (_backend/catalogue/).
"""

from ..._core.vmap.batch import RULES, loop

# function of xp -> the number of leading array arguments, and the position of an argument that is
# the shape of one of them, whose first axis must grow, too; None without one
_FOLDED = {
    "convolve_nd": (1, None),
    "convolve_input": (1, 2),
    "im2col": (1, None),
    "col2im": (1, None),
    "max_pool": (1, None),
    "max_pool_index": (2, None),
    "max_pool_gradient": (3, None),
    "max_pick": (3, None),
    "average_pool": (1, None),
    "average_pool_gradient": (1, 1),
    "adaptive_average": (1, None),
    "adaptive_pool_gradient": (1, None),
    "adaptive_max_index": (1, None),
    "take_spatial": (2, None),
    "add_spatial": (2, None),
    "put_spatial": (2, None),
    "sample_points": (2, None),
    "spread_points": (2, 2),
    "slope_points": (3, None),
}
_WEIGHTS = ("convolve_nd", "convolve_input")  # their second argument is shared by all slices


def _declare(name, arrays, shape_at):
    def rule(space, *args, **kwargs):
        batches = [space.is_batch(a) for a in args]
        if not any(batches):
            return getattr(space.base, name)(*args, **kwargs)
        if name in _WEIGHTS and batches[1]:
            return loop(space, name, *args, **kwargs)
        samples = [_fold(space, a) for a in args[:arrays]]
        rest = list(args[arrays:])
        if shape_at is not None:
            first, *others = rest[shape_at - arrays]
            rest[shape_at - arrays] = (space.count * first, *others)
        out = getattr(space.base, name)(*samples, *rest, **kwargs)
        return space.wrap_batch(out.reshape((space.count, -1, *out.shape[1:])))

    RULES[name] = rule


def _fold(space, array):
    """Returns the array behind a Batch, with its two leading axes merged."""
    flat = space.broadcast(array).array
    return flat.reshape((-1, *flat.shape[2:]))


for _name, (_arrays, _shape_at) in _FOLDED.items():
    _declare(_name, _arrays, _shape_at)


def _keep(space, mask, x):
    """Runs `keep` for all slices at once; a mask that is not a Batch broadcasts against them."""
    if not (space.is_batch(mask) or space.is_batch(x)):
        return space.base.keep(mask, x)
    batched_mask = mask.array if space.is_batch(mask) else space.base.expand_dims(mask, 0)
    return space.wrap_batch(space.base.keep(batched_mask, space.broadcast(x).array))


RULES["keep"] = _keep
