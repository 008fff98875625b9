"""Batch: an array with a hidden leading axis, which makes any operator body its own `vmap`.

    xp = BatchSpace(HOST, 3)
    x = xp.enter(numpy.ones((3, 4)))      # looks like shape (4,)
    y = xp.sum(x * 2, 0)                  # looks like shape (); holds three sums

Names of `xp` have a batch rule by family (pointwise, reduction, shape, matmul); any other name
loops over the slices and stacks the results. An array that is not a Batch is the same in every
slice. A Batch is an array type like any other, so the tape works on it. It may hold Batches (nested
vmap).
"""

import functools
import threading

from ..._backend.arrays import SPACES, to_space
from ..._backend.axis_arguments import axis_of_call
from ..._backend.catalogue import FUNCTIONS
from ..._backend.space import implements
from ..autograd import vjp_rules
from ..autograd.operators import with_operators
from ..autograd.tape import record
from ..autograd.vjp_rule import VjpRule

_new = object.__new__


class NoSingleAnswer(ValueError):
    """Raised if a body reads a value of a Batch, because each slice has its own value."""


@with_operators
class Batch:
    """An array whose leading axis, one element per slice of a vmap, is hidden. Python's operators
    compute on the whole array. `BatchSpace.wrap_batch` makes it."""

    __slots__ = ("array", "space")
    __array_ufunc__ = None
    __hash__ = None

    shape = property(lambda self: self.array.shape[1:])
    ndim = property(lambda self: self.array.ndim - 1)
    dtype = property(lambda self: self.array.dtype)
    itemsize = property(lambda self: self.array.itemsize)
    T = property(lambda self: self.space.transpose(self))

    @property
    def size(self):
        total = 1
        for n in self.shape:
            total *= n
        return total

    def __len__(self):
        return self.shape[0]

    def astype(self, dtype):
        return self.space.wrap_batch(self.array.astype(dtype))

    def copy(self):
        return self.space.wrap_batch(self.array.copy())

    def reshape(self, *shape):
        return self.space.reshape(self, shape[0] if len(shape) == 1 else shape)

    def __getitem__(self, index):
        return self.space.getitem(self, index)

    def _refuse(self, *args, **kwargs):
        raise NoSingleAnswer(
            "For 'vmap', a condition on the values of a batched Tensor has no "
            "single answer; use ops.where or ops.select."
        )

    __bool__ = __int__ = __float__ = __index__ = __array__ = tolist = item = get = _refuse

    def __repr__(self):
        return f"Batch({self.array!r})"


class _Running(threading.local):
    """The spaces of this thread's running vmaps, outermost first, and a count of all its vmaps."""

    def __init__(self):
        self.spaces = []
        self.started = 0


running = _Running()


class BatchSpace:
    """NumPy's functions on Batches of `count` slices over the space `base`."""

    bodies = None
    hides_axis = True
    run_apart = None  # ../declare/by_slices.py sets it

    def __init__(self, base, count):
        self.base = base
        self.count = count
        self.low_precision = base.low_precision
        self.low_precision_products = base.low_precision_products
        self.low_precision_kernels = base.low_precision_kernels
        self.level = base.level + 1

    @property
    def module(self):
        return self.base.module

    def wrap_batch(self, array):
        """Returns a Batch around `array`, whose leading axis becomes hidden."""
        batch = _new(Batch)
        batch.array = array
        batch.space = self
        return batch

    def is_batch(self, value):
        """Returns True if `value` is a Batch of this space."""
        return type(value) is Batch and value.space is self

    def to_device(self, array):
        """Returns a plain array, which all slices share, on the device of the slices; any other
        value is returned unchanged."""
        if hasattr(self.base, "to_device"):
            return self.base.to_device(array)
        return to_space(self.base, array) if type(array) in SPACES else array

    def broadcast(self, array):
        """Returns `array` as a Batch of equal slices; it is not copied if it is on their device."""
        if self.is_batch(array):
            return array
        array = self.base.asarray(self.to_device(array))
        return self.wrap_batch(self.base.broadcast_to(array, (self.count, *array.shape)))

    def draws(self, make):
        """Returns a generator for all slices; all generators that `make` returns draw equal
        numbers."""
        return _Draws(self, make)

    def asarray(self, value, dtype=None):
        """Returns `value` itself if it is a Batch, else an array of the base space."""
        if self.is_batch(value):
            return value if dtype is None or value.dtype == dtype else value.astype(dtype)
        return self.base.asarray(value) if dtype is None else self.base.asarray(value, dtype)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        entry = FUNCTIONS.get(name)
        if name in RULES:
            function = functools.partial(RULES[name], self)
        elif entry is None or entry.gradient == "plain":
            function = getattr(self.base, name)  # an AttributeError for an unknown name
        elif entry.family == "pointwise":
            function = functools.partial(_pointwise, self, getattr(self.base, name))
        elif entry.family == "reduction":
            function = functools.partial(_reduction, self, name)
        elif entry.family == "along":
            function = functools.partial(_along, self, name)
        elif entry.family == "like":
            function = functools.partial(_like, self, getattr(self.base, name))
        elif entry.gradient == "parts":
            function = vjp_rules.parts_of(name).__get__(self)
        else:
            getattr(self.base, name)
            function = functools.partial(loop, self, name)
        setattr(self, name, function)
        return function


class _Draws:
    """A random generator that accepts Batches as parameters. Each slice then has its own generator.
    All start in the same state, so equal parameters give equal numbers."""

    def __init__(self, space, make):
        self.space = space
        self.make = make
        self.single = make()
        self.each = None

    def __getattr__(self, name):
        def draw(*args, **kwargs):
            space = self.space
            if not _batches(space, [*_flat(args), *_flat(kwargs.values())]):
                return getattr(self.single, name)(*args, **kwargs)
            if self.each is None:
                below = getattr(space.base, "draws", None) or (lambda make: make())
                self.each = [below(self.make) for _ in range(space.count)]
            return _stack_slices(
                space,
                [
                    getattr(generator, name)(
                        *_slice(space, args, i),
                        **{k: _slice(space, v, i) for k, v in kwargs.items()},
                    )
                    for i, generator in enumerate(self.each)
                ],
            )

        return draw


def _batches(space, values):
    return [v for v in values if space.is_batch(v)]


def _inner_rank(value):
    return value.ndim if hasattr(value, "ndim") else 0


def _pointwise(space, function, *args, **kwargs):
    """Batch rule of elementwise functions. Aligns the visible axes of the operands by axes of
    length 1 after the hidden axis, and calls the function on the underlying arrays."""
    if not _batches(space, args):
        return function(*args, **kwargs)
    rank = max(_inner_rank(a) for a in args)
    operands = []
    for a in args:
        if space.is_batch(a):
            lead = rank - a.ndim
            a = a.array
            if lead:
                a = space.base.reshape(a, (a.shape[0], *(1,) * lead, *a.shape[1:]))
        operands.append(a)
    return space.wrap_batch(function(*operands, **kwargs))


def _to_inner_axis(axis, rank):
    """Converts an axis of the visible shape to an axis of the underlying array."""
    if isinstance(axis, (tuple, list)):
        return tuple(_to_inner_axis(a, rank) for a in axis)
    return axis + 1 if axis >= 0 else axis


def _reduction(space, name, x, axis=None, **kwargs):
    function = getattr(space.base, name)
    if not space.is_batch(x):
        return function(x, axis, **kwargs)
    if axis is None:
        if name in ("argmax", "argmin"):
            flat = space.base.reshape(x.array, (space.count, -1))
            return space.wrap_batch(function(flat, 1))
        axis = tuple(range(1, x.array.ndim))
    else:
        axis = _to_inner_axis(axis, x.ndim)
    return space.wrap_batch(function(x.array, axis, **kwargs))


def _along(space, name, x, *args, **kwargs):
    """Batch rule of functions along one axis, which is passed by position or by name; they return
    an array or a tuple."""
    function = getattr(space.base, name)
    values = [x, *args]
    if not _batches(space, values):
        return function(x, *args, **kwargs)
    if name in ("take_along_axis", "linear_recurrence"):
        other, axis = args if len(args) == 2 else (args[0], kwargs["axis"])
        x, other = space.broadcast(x), space.broadcast(other)
        return space.wrap_batch(function(x.array, other.array, _to_inner_axis(axis, x.ndim)))
    axis, before, after, kwargs = axis_of_call(name, args, kwargs)
    array = x.array
    if axis is None and name == "flip":
        axis = tuple(range(x.ndim))
    elif axis is None:
        array, axis = space.base.reshape(array, (space.count, -1)), 0
    out = function(array, *before, _to_inner_axis(axis, x.ndim), *after, **kwargs)
    return tuple(map(space.wrap_batch, out)) if type(out) is tuple else space.wrap_batch(out)


def _like(space, function, x, *args, **kwargs):
    if not space.is_batch(x):
        return function(x, *args, **kwargs)
    return space.wrap_batch(function(x.array, *args, **kwargs))


def loop(space, name, *args, **kwargs):
    """Calls the function once for each slice and stacks the results."""
    function = getattr(space.base, name)
    values = [*_flat(args), *_flat(kwargs.values())]
    if not _batches(space, values):
        return function(*args, **kwargs)
    outs = []
    for i in range(space.count):
        outs.append(
            function(*_slice(space, args, i), **{k: _slice(space, v, i) for k, v in kwargs.items()})
        )
    if isinstance(outs[0], (tuple, list)):
        return tuple(_stack_slices(space, column) for column in zip(*outs))
    return _stack_slices(space, outs)


def _stack_slices(space, parts):
    """Returns the results of all slices as a Batch."""
    parts = [space.base.asarray(part) for part in parts]
    one_shape([part.shape for part in parts])
    return space.wrap_batch(space.base.stack(parts))


def one_shape(shapes):
    """Raises an error if the results of the slices differ in shape."""
    if len(set(shapes)) > 1:
        raise ValueError(
            f"For 'vmap', all slices must give results of one shape, but got {sorted(set(shapes))}."
        )


def _flat(values):
    for v in values:
        if isinstance(v, (tuple, list)):
            yield from _flat(v)
        else:
            yield v


def _slice(space, value, i):
    if space.is_batch(value):
        return value.array[i]
    if isinstance(value, (tuple, list)):
        return type(value)(_slice(space, v, i) for v in value)
    return value


RULES = {}


def _rule(function):
    """Declares the batch rule of one name; called only as `rule(space, *args)`."""
    RULES[function.__name__.strip("_")] = function
    return function


@_rule
def cast(space, x, dtype):
    return x if x.dtype == dtype else x.astype(dtype)


@_rule
def array(space, x):
    return x.copy()


@_rule
def reshape(space, x, shape):
    if not space.is_batch(x):
        return space.base.reshape(x, shape)
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    return space.wrap_batch(space.base.reshape(x.array, (space.count, *shape)))


@_rule
def ravel(space, x):
    return reshape(space, x, (-1,))


@_rule
def broadcast_to(space, x, shape):
    if not space.is_batch(x):
        return space.base.broadcast_to(x, shape)
    lead = (1,) * (len(shape) - x.ndim)
    expanded = space.base.reshape(x.array, (space.count, *lead, *x.shape))
    return space.wrap_batch(space.base.broadcast_to(expanded, (space.count, *shape)))


@_rule
def transpose(space, x, axes=None):
    if not space.is_batch(x):
        return space.base.transpose(x, axes)
    axes = tuple(reversed(range(x.ndim))) if axes is None else tuple(a % x.ndim for a in axes)
    return space.wrap_batch(space.base.transpose(x.array, (0, *(a + 1 for a in axes))))


@_rule
def swapaxes(space, x, one, two):
    if not space.is_batch(x):
        return space.base.swapaxes(x, one, two)
    return space.wrap_batch(
        space.base.swapaxes(x.array, _to_inner_axis(one, x.ndim), _to_inner_axis(two, x.ndim))
    )


@_rule
def moveaxis(space, x, source, target):
    if not space.is_batch(x):
        return space.base.moveaxis(x, source, target)
    return space.wrap_batch(
        space.base.moveaxis(x.array, _to_inner_axis(source, x.ndim), _to_inner_axis(target, x.ndim))
    )


@_rule
def expand_dims(space, x, axis):
    if not space.is_batch(x):
        return space.base.expand_dims(x, axis)
    return space.wrap_batch(space.base.expand_dims(x.array, _to_inner_axis(axis, x.ndim)))


@_rule
def squeeze(space, x, axis=None):
    if not space.is_batch(x):
        return space.base.squeeze(x, axis)
    if axis is None:
        axis = tuple(i for i, n in enumerate(x.shape) if n == 1)
    return space.wrap_batch(space.base.squeeze(x.array, _to_inner_axis(axis, x.ndim)))


@_rule
def concatenate(space, arrays, axis=0):
    if not _batches(space, arrays):
        return space.base.concatenate(arrays, axis)
    parts = [space.broadcast(a).array for a in arrays]
    return space.wrap_batch(space.base.concatenate(parts, _to_inner_axis(axis, parts[0].ndim)))


@_rule
def pad_by_index(space, x, widths, mode):
    if not space.is_batch(x):
        return space.base.pad_by_index(x, widths, mode)
    return space.wrap_batch(space.base.pad_by_index(x.array, ((0, 0), *widths), mode))


@_rule
def add_padding_back(space, g, shape, widths, mode):
    if not space.is_batch(g):
        return space.base.add_padding_back(g, shape, widths, mode)
    shape, widths = (space.count, *shape), ((0, 0), *widths)
    return space.wrap_batch(space.base.add_padding_back(g.array, shape, widths, mode))


@_rule
def scatter_along_axis(space, x, index, values, axis, add=False):
    if not _batches(space, (x, index, values)):
        return space.base.scatter_along_axis(x, index, values, axis, add)
    x, index = space.broadcast(x), space.broadcast(index)
    if space.is_batch(values):
        values = broadcast_to(space, values, index.shape).array
    return space.wrap_batch(
        space.base.scatter_along_axis(
            x.array, index.array, values, _to_inner_axis(axis, x.ndim), add
        )
    )


@_rule
def stack(space, arrays, axis=0):
    if not _batches(space, arrays):
        return space.base.stack(arrays, axis)
    parts = [space.broadcast(a).array for a in arrays]
    return space.wrap_batch(space.base.stack(parts, _to_inner_axis(axis, parts[0].ndim)))


@_rule
def matmul(space, x, y):
    """Computes the matrix product. Vectors become rows and columns first, so the hidden axis stays
    in front."""
    if not _batches(space, (x, y)):
        return space.base.matmul(x, y)
    row, column = x.ndim == 1, y.ndim == 1
    x = expand_dims(space, x, 0) if row else x
    y = expand_dims(space, y, 1) if column else y
    rank = max(x.ndim, y.ndim)
    parts = []
    for operand in (x, y):
        lead = (1,) * (rank - operand.ndim)
        if space.is_batch(operand):
            parts.append(space.base.reshape(operand.array, (space.count, *lead, *operand.shape)))
        else:
            parts.append(operand)
    out = space.wrap_batch(space.base.matmul(*parts))
    out = squeeze(space, out, -1) if column else out
    return squeeze(space, out, -1 if column else -2) if row else out


@_rule
def vecdot(space, x, y):
    return space.sum(space.multiply(x, y), -1)


@_rule
def getitem(space, x, index):
    parts = index if isinstance(index, tuple) else (index,)
    plain = all(
        p is None or p is Ellipsis or isinstance(p, (int, slice)) and not isinstance(p, bool)
        for p in parts
    )
    if plain and space.is_batch(x):
        return space.wrap_batch(x.array[(slice(None), *parts)])
    if not _batches(space, (x, *parts)):
        return x[index]
    return _over_slices(space, lambda x, *parts: x[parts], x, *parts)


def _over_slices(space, function, *args):
    return _stack_slices(space, [function(*_slice(space, args, i)) for i in range(space.count)])


# Into and out of a vmap, also under a gradient ----------------------------------------------------


@implements
def sum_slices(xp, x):
    """Sums a Batch over its slices. This gives the gradient of an array that all slices share.
    Other values are returned unchanged."""
    return xp.base.sum(x.array, 0) if type(x) is Batch and x.space is xp else x


BROADCAST = VjpRule("vmap", ["x"], {"x": lambda xp, g: xp.sum_slices(g)}, upcast=False)


def broadcast_nodes(space, arrays, nodes):
    """Returns `nodes`, with a broadcast node added for each live array that all slices share."""
    return [
        n if n is None or space.is_batch(a) else record(BROADCAST, (n,), (), ((a.shape, a.dtype),))
        for a, n in zip(arrays, nodes)
    ]


def everywhere(condition):
    """Returns True if a condition, a bool array, holds for all elements; for a Batch, for all
    elements of all slices.
    """
    while type(condition) is Batch:
        condition = condition.array
    return bool(condition.all())


def space_among(arrays):
    """Returns the array namespace of the innermost vmap among arrays, or None."""
    space = None
    for a in arrays:
        if type(a) is Batch and (space is None or a.space.level > space.level):
            space = a.space
    return space


@implements
def enter_batch(xp, x, space, axis):
    """Returns `x` as a Batch of the vmap `space`, which hides the axis `axis`."""
    return space.wrap_batch(space.base.moveaxis(x, axis, 0))


@implements
def leave_batch(xp, x, space, axis):
    """Returns the array behind `x`, with the hidden axis moved to `axis`."""
    return space.base.moveaxis(space.broadcast(x).array, 0, axis)


vjp_rules.derive(
    "enter_batch(x, space, axis)",
    general=True,
    x=lambda xp, g, space, axis: xp.leave_batch(g, space, axis),
)
vjp_rules.derive(
    "leave_batch(x, space, axis)",
    general=True,
    x=lambda xp, g, space, axis: xp.enter_batch(g, space, axis),
)
vjp_rules.derive("sum_slices(x)", general=True, x=lambda xp, g, x_shape: g)
RULES.update(enter_batch=enter_batch, leave_batch=leave_batch, sum_slices=sum_slices)
