"""Sharded: an array that is divided over the ranks of a mesh. The body of any operator accepts it.

    xp = ShardedSpace(mesh, HOST)
    x = xp.shard(numpy.ones((8, 4)), ((0,), ()))    # axis 0 divided along mesh axis 0
    y = xp.sum(x * 2, 0)                             # this rank's sums, to be added along axis 0
    numpy.asarray(y)                                 # adds them: every rank gets the whole

A Sharded looks like the whole array. Each rank holds one block of the array. `dims` tells for each
axis of the array which mesh axes divide it. Blocks may also be terms of a sum that is still to be
computed along some mesh axes: `sums` names these. `dims` and `sums` together are the *placement*.
An array that is not a Sharded has the same values on every rank.

The functions of `xp` have rules by family (pointwise, reduction, ...) and by name (rules_*.py). A
function without a rule gathers its arrays, so that every rank computes the whole; the log of the
process names such a function once. All ranks of the mesh must call the same functions in the same
order.
"""

import functools
import math

from ... import log
from ..._backend.arrays import SPACES, to_host, to_space
from ..._backend.catalogue import FUNCTIONS
from ..autograd import vjp_rules
from ..autograd.operators import with_operators
from .gathers import Gathers
from .moving import all_reduced, cut, move, split_flat

_new = object.__new__
RULES = {}  # name of a function of `xp` -> its rule, called as rule(space, *args, **kwargs)
FAMILIES = {}  # family of the catalogue -> the rule of its functions: rule(space, name, *args, ...)
_gathered = set()  # the names that the log has mentioned


class ConversionsMixin:
    """The part of an array class that reads values: conversions to NumPy and to Python numbers,
    which call `get`. Instances have a `shape`."""

    __slots__ = ()
    __array_ufunc__ = None
    __hash__ = None
    of_host = True  # only its space moves it to a GPU

    ndim = property(lambda self: len(self.shape))
    size = property(lambda self: math.prod(self.shape))
    itemsize = property(lambda self: self.dtype.itemsize)

    def __len__(self):
        return self.shape[0]

    def __array__(self, dtype=None, copy=None):
        array = self.get()
        return array if dtype is None else array.astype(dtype)

    def item(self):
        """Returns the only element as a Python number."""
        return self.get().item()

    def __bool__(self):
        return bool(self.get())

    def __int__(self):
        return int(self.get())

    def __float__(self):
        return float(self.get())

    def __index__(self):
        return self.get().__index__()


@with_operators
class Sharded(ConversionsMixin):
    """An array that is divided over the ranks of a mesh; `ShardedSpace.wrap` makes it.

    Attributes:
        block: this rank's part of the array.
        shape (tuple[int]): the shape of the whole array.
        dims (tuple[tuple[int]]): for each axis the mesh axes that divide it, the coarsest first.
        sums (tuple[int]): the mesh axes along which the blocks are still to be summed.
        parked (tuple[int]): the mesh axes among `dims` that divide the array only in storage.
            A function that uses the array first gathers it along these.
        space (ShardedSpace): the space of the array.
        kept (Sharded): for a parked array, the copy that was gathered for its first use, until the
            step ends; None before, and False if the array is gathered for each use instead.
        source (tuple): for an array that was made from a parked one by functions that leave it
            parked: the first array, and the calls, pairs of a name and arguments; else None.
        of_weight (bool): whether this is the gradient of a weight, complete and with the placement
            of the weight.
    """

    __slots__ = ("block", "shape", "dims", "sums", "parked", "space", "of_weight", "kept")
    __slots__ += ("source", "__weakref__")

    dtype = property(lambda self: self.block.dtype)
    nbytes = property(lambda self: self.size * self.itemsize)
    T = property(lambda self: self.space.transpose(self))
    placement = property(lambda self: (self.dims, self.parked))

    def astype(self, dtype, copy=True):
        return self.space.cast(self, dtype)

    def copy(self):
        return self.space.like(self, self.block.copy())

    def reshape(self, *shape):
        return self.space.reshape(self, shape[0] if len(shape) == 1 else shape)

    def __getitem__(self, index):
        return self.space.getitem(self, index)

    def __setitem__(self, index, value):
        """Writes `value` into the blocks. For an index that selects only a part, every rank writes
        to the gathered array, and then keeps its own block."""
        space = self.space
        space.gathers.settle(self)
        if index is not Ellipsis and index != slice(None):
            whole = space.base.array(space.gather(self))
            whole[bare(space, index)] = bare(space, value)
            value = whole
        value = space.asarray(value)
        if value.shape != self.shape:
            value = space.broadcast_to(value, self.shape)
        self.block[...] = space.place(space.used(value), self.dims).block

    def get(self):
        """Returns the whole array as a NumPy array, on every rank."""
        return to_host(self.space.gather(self))

    def __repr__(self):
        return f"Sharded(shape={self.shape}, dims={self.dims}, sums={self.sums}, {self.block!r})"


class ShardedSpace:
    """The functions of `xp` on arrays that are divided over the ranks of `mesh`; the blocks are
    arrays of the space `base`."""

    level = 1 << 19  # an op that mixes Sharded with other arrays computes in this space
    bodies = kernels = None
    hides_axis = False
    merges_axes = False  # reshape may have to gather an array, to merge its axes
    run_apart = None  # network.py sets it
    choose = None  # in the mode auto_parallel the function of choosing.py
    averages = False  # whether the gradients of weights are divided by the number of ranks

    in_use = False  # whether arrays have been divided in this process

    def __init__(self, mesh, base):
        ShardedSpace.in_use = True
        self.mesh = mesh
        self.base = base
        self.gathered = []
        self.gathers = Gathers(self)
        self.low_precision = base.low_precision
        self.low_precision_products = base.low_precision_products
        self.low_precision_kernels = base.low_precision_kernels

    @property
    def module(self):
        return self.base.module

    # Making and reading ---------------------------------------------------------------------------

    def wrap(self, block, dims, sums=(), parked=()):
        """Returns a Sharded with `block` as this rank's part; `dims`, `sums` and `parked` are its
        attributes.
        """
        array = _new(Sharded)
        array.block = block = block if type(block) in SPACES else self.base.asarray(block)
        counts = [self.mesh.count(axes) for axes in dims]
        array.shape = tuple([n * count for n, count in zip(block.shape, counts, strict=True)])
        array.dims, array.sums, array.parked = tuple(map(tuple, dims)), tuple(sums), tuple(parked)
        array.space, array.of_weight, array.kept, array.source = self, False, None, None
        return array

    def like(self, x, block):
        """Returns a Sharded with the placement of `x`; `block` is this rank's part."""
        array = self.wrap(block, x.dims, x.sums, x.parked)
        array.kept = False if x.kept is False else None
        return array

    def shard(self, array, dims, parked=()):
        """Shards an array that every rank holds whole: each rank keeps only its own part."""
        return self.wrap(self.base.array(self.cut(array, dims)), dims, (), parked)

    def cut(self, array, dims):
        """Returns this rank's part of an array that all ranks hold whole, if possible as a view."""
        for axis, mesh_axes in enumerate(dims):
            if mesh_axes:
                array = cut(self.base, self.mesh, array, axis, mesh_axes)
        return array

    def whole(self, array):
        """Returns a Sharded that no mesh axis divides, from an array that is the same on every
        rank."""
        return self.wrap(array, ((),) * array.ndim)

    def asarray(self, value, dtype=None):
        """Returns `value` itself if it is a Sharded, else as a Sharded that no mesh axis
        divides."""
        if type(value) is Sharded:
            return value if dtype is None or value.dtype == dtype else self.cast(value, dtype)
        array = self.base.asarray(value) if dtype is None else self.base.asarray(value, dtype)
        return self.whole(array)

    def array(self, value):
        """Returns a copy of `value`, as a Sharded."""
        return value.copy() if type(value) is Sharded else self.whole(self.base.array(value))

    def to_device(self, array):
        """Returns `array` on the device of the blocks."""
        return to_space(self.base, array) if type(array) in SPACES else array

    def is_batch(self, value):
        """Returns True for every value, because an array that is not divided can be used together
        with divided arrays, unchanged and without a node on the tape.
        """
        return True

    def place(self, x, dims, sums=()):
        """Returns `x` with another placement, by the exchanges of moving.py.

        Args:
            x: a Sharded, or an array that is the same on every rank.
            dims: the new `dims`.
            sums: the new `sums`, a subset of the `sums` of `x`. The other sums are computed.
        """
        dims = tuple(map(tuple, dims))
        if type(x) is not Sharded:
            x = self.base.asarray(x)
            return self.wrap(self.cut(x, dims), dims)
        if (x.dims, set(x.sums)) == (dims, set(sums)):
            return x if not x.parked else self.wrap(x.block, dims, sums)
        block = move(self.base, self.mesh, x.block, (x.dims, x.sums), (dims, sums))
        placed = self.wrap(block, dims, sums)
        if x.sums and not sums:  # so that the sum is computed once and later reads find it
            x.block, x.dims, x.sums = placed.block, dims, ()
        return placed

    def used(self, x):
        """Returns `x` in the form that functions compute with: a parked array is gathered along its
        parked mesh axes. Other values are returned unchanged."""
        if type(x) is not Sharded or not x.parked:
            return x
        if type(x.kept) is Sharded:
            return x.kept
        array = self.gathers.take(x)
        if x.kept is None:
            x.kept = array
            self.gathered.append(x)
        return array

    def seen(self, x):
        """Returns `x` for functions that only move or cast elements. A parked array is gathered
        only if the gathered copy is kept until the step ends."""
        return self.used(x) if x.parked and x.kept is not False else x

    def forget(self):
        """Drops the gathered copies of parked arrays; called at the end of a step."""
        for x in self.gathered:
            x.kept = None
        self.gathered.clear()
        self.gathers.forget()

    def gather(self, x):
        """Returns the whole array, on every rank."""
        if type(x) is not Sharded:
            return x
        return self.place(x, ((),) * x.ndim).block

    def summed(self, x):
        """Computes all sums over ranks that are still missing in `x` (its `sums`), and returns the
        result.
        """
        return self.place(x, x.dims) if type(x) is Sharded and x.sums else x

    def reduced(self, x, mesh_axes, operation):
        """Combines the blocks of `x` along some mesh axes element by element, by "max", "min" or
        "prod". Returns a Sharded, the same on all ranks along these axes."""
        if not self.mesh.count(mesh_axes) > 1:
            return x
        return self.like(x, all_reduced(self.mesh, x.block, sorted(mesh_axes), operation))

    def anywhere(self, flag):
        """Returns a 0-d bool array, the same on every rank: whether `flag` is True on any rank."""
        return all_reduced(self.mesh, self.base.asarray(flag), self.mesh.axes, "max")

    def local_shape(self, shape, dims):
        """Returns the shape of a block, for an array of this shape that `dims` divides."""
        return tuple(n // self.mesh.count(axes) for n, axes in zip(shape, dims, strict=True))

    def gradients(self, grads):
        """Converts the gradients that a vjp returned to Sharded arrays, including within lists."""
        return [
            [self.asarray(gradient) for gradient in g]
            if isinstance(g, (list, tuple))
            else g
            if g is None or type(g) is Sharded
            else self.asarray(g)
            for g in grads
        ]

    def settled(self, grads, ends):
        """Completes the gradients of a backward pass: returns each with the placement of the Tensor
        that it belongs to.

        The sums of gradients for Tensors that are the same on every rank are computed together, in
        a few messages.

        Args:
            grads (Sequence): the gradients; values that are not Sharded are returned unchanged.
            ends (Sequence[tuple]): for each gradient, the placement of its Tensor (None for a
                Tensor that is not divided), and whether the Tensor is a weight.
        """
        results, waiting = list(grads), {}
        for index, (g, (placement, is_weight)) in enumerate(zip(grads, ends, strict=True)):
            if type(g) is not Sharded:
                continue
            if is_weight and self.averages and g.sums:
                g = g / self.mesh.count(g.sums)
            if placement is not None:
                results[index] = placed = self.place(g, placement[0])
                placed.of_weight = is_weight
            elif g.sums and not any(g.dims):
                waiting.setdefault((g.dtype, g.sums), []).append((index, g.block))
            else:
                results[index] = self.gather(g)
        for (_, sums), blocks in waiting.items():
            totals = self._sums_together([block for _, block in blocks], sums)
            for (index, _), total in zip(blocks, totals, strict=True):
                results[index] = total
        return results

    def _sums_together(self, blocks, mesh_axes):
        """Sums several blocks over the ranks along some mesh axes, as one message; returns the sums
        in the shapes of the blocks."""
        flat = self.base.concatenate([self.base.reshape(block, (-1,)) for block in blocks])
        return split_flat(self.base, all_reduced(self.mesh, flat, mesh_axes), blocks)

    # Functions ------------------------------------------------------------------------------------

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        entry = FUNCTIONS.get(name)
        if name in RULES:
            rule = functools.partial(RULES[name], self)
        elif entry is None or entry.gradient == "plain" or entry.family == "create":
            rule = getattr(self.base, name)  # an AttributeError for a name that is nowhere
        elif entry.family in FAMILIES:
            rule = functools.partial(FAMILIES[entry.family], self, name)
        elif name in vjp_rules.COMPOSED:
            rule = vjp_rules.COMPOSED[name].__get__(self)
        else:
            getattr(self.base, name)
            rule = functools.partial(on_every_rank, self, name)
        setattr(self, name, rule)
        return rule


def rule(function):
    """Registers a rule for a function of `xp`. The rule `_matmul` is for `xp.matmul`. Used as a
    decorator."""
    RULES[function.__name__[1:]] = function
    return function


def family(name):
    """Returns a decorator that registers the rule for a family of functions of the catalogue."""

    def declare(function):
        FAMILIES[name] = function
        return function

    return declare


def is_divided(values):
    """Returns True if one of the values is a Sharded, including within tuples and lists."""
    for value in values:
        if type(value) is Sharded:
            return True
        if isinstance(value, (tuple, list)) and is_divided(value):
            return True
    return False


def bare(space, value):
    """Returns a value in which the gathered array replaces each Sharded, including within tuples
    and lists."""
    if type(value) is Sharded:
        return space.gather(value)
    if isinstance(value, (tuple, list)):
        return type(value)(bare(space, item) for item in value)
    if isinstance(value, slice):
        return slice(*(bare(space, item) for item in (value.start, value.stop, value.step)))
    return value


def on_every_rank(space, name, *args, **kwargs):
    """Gathers the arguments and calls the function `name` of `xp` on every rank: the fallback for
    functions without a rule. Its first use for a name is logged."""
    function = getattr(space.base, name)
    if not is_divided([args, tuple(kwargs.values())]):
        return function(*args, **kwargs)
    if name not in _gathered and _is_spread([args, tuple(kwargs.values())]):
        _gathered.add(name)
        log.info(
            "There is no rule for '%s' of divided arrays: every rank gathers them and computes "
            "the whole.",
            name,
        )
    out = function(*bare(space, args), **{key: bare(space, value) for key, value in kwargs.items()})
    if isinstance(out, (tuple, list)):
        return tuple(space.asarray(array) for array in out)
    return space.asarray(out)


def _is_spread(values):
    """Returns True if one of the values differs between ranks."""
    return any(
        bool(value.sums) or any(value.dims)
        if type(value) is Sharded
        else isinstance(value, (tuple, list)) and _is_spread(value)
        for value in values
    )
