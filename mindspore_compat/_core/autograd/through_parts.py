"""The gradient of a function of `xp` through its parts, recorded only when a gradient needs them.

An example is a loss that also returns its own gradient. Most networks use only the loss, and its
gradient is already available. Only if a gradient reaches the second result are the parts of the
function run again, as Traced values, and walked back.
"""

from .tape import backward, leaf
from .traced import Traced, TracedSpace, traced_space


def through_parts(xp, grads, function, x, *others):
    """Returns the vjp of `function(xp, x, *others)` for `x`. Like any vjp it computes on arrays, or
    on Traced values within another gradient.

    Args:
        grads: the gradients of the results; None for a result that none reaches.
    """
    higher = type(xp) is TracedSpace
    space = xp if higher else traced_space(xp)
    array, before = (x.array, x.node) if type(x) is Traced else (x, None)
    node = leaf(before, array.shape, array.dtype)
    results = function(space, space.wrap(array, node), *others)
    results = results if isinstance(results, tuple) else (results,)
    pairs = [
        (result.node, g)
        for result, g in zip(results, grads, strict=True)
        if g is not None and type(result) is Traced
    ]
    return backward([root for root, _ in pairs], [g for _, g in pairs], [node], higher)[0]
