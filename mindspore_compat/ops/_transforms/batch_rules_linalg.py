"""Batching rules of functions that array libraries run over stacks: the hidden axis becomes one
more leading axis of the stack. They cover matrices, Fourier transforms, takes, padding, diagonals
and resizing.

Convolution, pooling and masks are in _transforms/batch_rules_conv.py, everything else in
_core/vmap/batch.py.
"""

from ..._backend.catalogue import FUNCTIONS
from ..._core.vmap.batch import RULES, _to_inner_axis, loop

# functions with axis arguments: the positions of these among the arguments after the array
_NAMED = {
    "fft_c2c": [0],
    "diagonal": [1, 2],
    "rot90": [1],
    "roll": [1],
    "repeat": [1],
    "log_soft": [0],
}
_DEFAULTS = {"diagonal": (0, 0, 1), "rot90": (1, (0, 1))}


def _wrap(space, out):
    return tuple(map(space.wrap_batch, out)) if isinstance(out, tuple) else space.wrap_batch(out)


def _declare_last(name):
    def rule(space, x, *args, **kwargs):
        function = getattr(space.base, name)
        if not space.is_batch(x):
            return function(x, *args, **kwargs)
        return _wrap(space, function(x.array, *args, **kwargs))

    RULES[name] = rule


def _declare_named(name, indices):
    def rule(space, x, *args, **kwargs):
        arguments = [*args, *_DEFAULTS.get(name, ())[len(args) :]]
        axes = [arguments[index] for index in indices if index < len(arguments)]
        if kwargs or not space.is_batch(x) or len(axes) < len(indices) or None in axes:
            return loop(space, name, x, *args, **kwargs)
        for index in indices:
            arguments[index] = _to_inner_axis(arguments[index], x.ndim)
        return _wrap(space, getattr(space.base, name)(x.array, *arguments))

    RULES[name] = rule


for _name, _function in FUNCTIONS.items():
    if _function.family == "stack":
        _declare_last(_name)
for _name, _names_of_axes in _NAMED.items():
    _declare_named(_name, _names_of_axes)


def _solve(space, a, b):
    """Batch rule of `solve`: inserts axes after the hidden one, so that both operands have the same
    number of axes."""
    rank, array = max(a.ndim, b.ndim), []
    for tensor in (a, b):
        if space.is_batch(tensor):
            tensor = tensor.array.reshape(
                (space.count, *(1,) * (rank - tensor.ndim), *tensor.shape)
            )
        array.append(tensor)
    out = space.base.linalg_solve(*array)
    return space.wrap_batch(out) if space.is_batch(a) or space.is_batch(b) else out


def _take(space, x, indices, axis=None):
    """Takes elements; either the indices or the table may be the same in every slice."""
    if space.is_batch(indices) and space.is_batch(x):
        return loop(space, "take", x, indices, axis)
    if space.is_batch(x):
        array = x.array.reshape((space.count, -1)) if axis is None else x.array
        axis = 1 if axis is None else _to_inner_axis(axis, x.ndim)
        return space.wrap_batch(space.base.take(array, indices, axis))
    if not space.is_batch(indices):
        return space.base.take(x, indices, axis)
    out = space.base.take(x, indices.array, axis)
    return space.wrap_batch(space.base.moveaxis(out, 0 if axis is None else axis % x.ndim, 0))


def _pad(space, x, pad_width, *args, **kwargs):
    if not space.is_batch(x):
        return space.base.pad(x, pad_width, *args, **kwargs)
    widths = ((0, 0), *map(tuple, pad_width))
    return space.wrap_batch(space.base.pad(x.array, widths, *args, **kwargs))


def _scatter_diagonal(space, values, shape, offset=0, axis1=0, axis2=1):
    if not space.is_batch(values):
        return space.base.scatter_diagonal(values, shape, offset, axis1, axis2)
    axes = _to_inner_axis((axis1, axis2), len(shape))
    whole = (space.count, *shape)
    return space.wrap_batch(space.base.scatter_diagonal(values.array, whole, offset, *axes))


RULES.update(linalg_solve=_solve, take=_take, pad=_pad, scatter_diagonal=_scatter_diagonal)
