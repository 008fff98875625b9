"""What a pipeline with a cache gives: the rows a cache keeps, in the order of its source's sampler.

A cache may stand on a source or on a `map` above one. The nodes under it are opened for those rows
alone that are not stored yet: copies of them, over a source that gives just these rows. A source
that is read from front to back is read once, whole, and its rows are then chosen by a sampler, as
the original does: a shuffled one draws rows that may come twice, in the original's order.
"""

import copy
import enum
import inspect
import itertools
import types

import numpy as np

from . import config
from .cache import fixed_row
from .rows import Flow
from .sampler import DistributedSampler, RandomSampler, SequentialSampler

_ROOM = __name__.partition(".")[0]
# What does not change a row, only which rows come, in which order and by which workers.
_ORDER = {
    "cache",
    "callbacks",
    "children",
    "num_parallel_workers",
    "num_samples",
    "num_shards",
    "python_multiprocessing",
    "sampler",
    "shard_equal_rows",
    "shard_id",
    "shuffle_level",
}


def has_cache(node):
    """Whether a node's rows come through a cache: it has one, and debug mode is off."""
    return node.cache is not None and not config.get_debug_mode()


def cached_flow(node):
    """The flow of a node that has a cache.

    Raises:
        RuntimeError: a node below cannot be below a cache, or has one; or the cache is in use.
    """
    leaf = checked_leaf(node)
    stored = _stored_rows_of(node, hasattr(leaf, "_all_rows"))
    if hasattr(leaf, "_all_rows"):
        count = _stored_whole(node, leaf, stored)
        epoch = leaf._sampler_of_stored().open(count)
        return Flow(lambda: (stored.get(number) for number in epoch().tolist()))

    def made(numbers):
        source = _Given(leaf, lambda: leaf._picked(numbers))
        return _over(node, source, False)._open().rows()

    epoch = leaf._order()
    return Flow(lambda: _completed(stored, epoch().tolist(), made, node.cache))


def cached_size(node):
    """How many rows an epoch of a node with a cache has, over a source that is stored as a
    whole."""
    leaf = checked_leaf(node)
    stored = _stored_rows_of(node, True)
    return len(leaf._sampler_of_stored().open(_stored_whole(node, leaf, stored))())


def _stored_rows_of(node, is_whole):
    """The rows that a node's cache keeps for it."""
    if node._pipeline_key is None:  # once: what an operation refers to may change while it works
        node._pipeline_key = _tree(node, is_whole)
    return node.cache.rows_of(node._pipeline_key)


def checked_leaf(node):
    """The source below a node.

    Raises:
        RuntimeError: a node below cannot be below a cache, or has one.
    """
    api, path = type(node).__name__, [node]
    while len(path[-1].children) == 1:
        path.append(path[-1].children[0])
    leaf = path[-1]
    for below in path:
        if below is not node and below.cache is not None:
            raise RuntimeError(
                f"For '{api}', there must be one cache at most, but the "
                f"{type(below).__name__} below has one too."
            )
        refusal = below._refusal_below_cache(hasattr(leaf, "_all_rows"))
        if refusal is not None:
            raise RuntimeError(
                f"For '{api}', 'cache' cannot be given over a {type(below).__name__}: {refusal}."
            )
    return leaf


class _Given:
    """The columns of a source, with rows of it that are chosen already."""

    cache = None

    def __init__(self, leaf, rows):
        self.leaf, self.rows = leaf, rows

    def _columns(self):
        return self.leaf._columns()

    def _open(self):
        return Flow(self.rows)


def _over(node, leaf, is_whole):
    """Copies of a node and those below it, with another source at the end and without a cache."""
    if not node.children:
        return leaf
    below = _over(node.children[0], leaf, is_whole)
    if node._is_order and not is_whole:
        return below
    made = copy.copy(node)
    made.cache, made.children = None, [below]
    return made


def _stored_whole(node, leaf, stored):
    """How many rows there are of a source that is read from front to back; all are stored then.

    Raises:
        RuntimeError: they are more than the cache may hold.
    """
    with stored.lock:
        if stored.count is None:
            source, number = _Given(leaf, leaf._all_rows), -1
            for number, row in enumerate(_over(node, source, True)._open().rows()):
                if not stored.put(number, fixed_row(row), node.cache):
                    raise RuntimeError(
                        f"The cache has no room for all rows of the {type(leaf).__name__}: its "
                        f"'size' is {node.cache.size} MB; choose a larger one, or 'spilling'."
                    )
            stored.count = number + 1
    return stored.count


def _completed(stored, numbers, made, cache):
    """The rows of `numbers`; those not stored yet are made, together where an error ends it all."""
    if config.get_error_samples_mode() is not config.ErrorSamplesMode.RETURN:
        yield from _one_by_one(stored, numbers, made, cache)
        return
    missing = [number for number in dict.fromkeys(numbers) if number not in stored]
    arriving, awaited = iter(made(missing)) if missing else iter(()), set(missing)
    for number in numbers:
        if number in awaited:
            awaited.remove(number)
            row = next(arriving)
        else:
            row = stored.get(number) or next(iter(made([number])))  # the cache was full
        if number not in stored:
            row = fixed_row(row)
            stored.put(number, row, cache)
        yield row


def _one_by_one(stored, numbers, made, cache):
    """As `_completed`; rows that cannot be made are left out, or good ones replace them."""
    good, owed = None, 0
    for number in numbers:
        row = stored.get(number)
        if row is None:
            try:
                row = next(iter(made([number])), None)
            except RuntimeError:
                owed += 1
            if row is None:
                continue
            row = fixed_row(row)
            stored.put(number, row, cache)
        good = good or row
        yield row
    if owed and good is None:
        raise RuntimeError("For 'map', no row of the epoch could be processed.")
    yield from itertools.repeat(good, owed)


class StoredShare(DistributedSampler):
    """The share of a process in stored rows. The original shuffles them the same way for all
    seeds."""

    def _first_seed(self):
        return 0


def sampler_of_stored(shuffled, num_samples, num_shards, shard_id):
    """The sampler that chooses among the rows of a source that is stored as a whole."""
    if num_shards is not None and num_shards > 1:
        return StoredShare(num_shards, shard_id, shuffled, num_samples)
    if shuffled:
        return RandomSampler(True, num_samples)
    return SequentialSampler(num_samples=num_samples)


# What a pipeline does, to decide whether two do the same
# -------------------------------------------


def _tree(node, is_whole):
    """What a node and those below it do to rows."""
    below = tuple(_tree(child, is_whole) for child in node.children)
    if node._is_order and not is_whole:
        return below[0]
    return (
        type(node),
        below,
        tuple(
            (name, _token(value, ()))
            for name, value in sorted(vars(node).items())
            if name not in _ORDER and not name.startswith("_")
        ),
    )


class _Same:
    """Something that is equal to itself alone."""

    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return isinstance(other, _Same) and self.value is other.value

    def __hash__(self):
        return id(self.value)


def _token(value, outer):
    """Something hashable that is equal for values that mean the same."""
    if value is None or isinstance(value, (bool, int, float, str, bytes, type, enum.Enum)):
        return type(value), value
    if any(value is each for each in outer):
        return "again"
    outer = (*outer, value)
    if isinstance(value, (list, tuple)):
        return type(value), tuple(_token(each, outer) for each in value)
    if isinstance(value, dict):
        return dict, tuple((_token(key, outer), _token(each, outer)) for key, each in value.items())
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, types.FunctionType):
        closure = inspect.getclosurevars(value).nonlocals
        return value.__code__, _token(value.__defaults__, outer), _token(closure, outer)
    if type(value).__module__.partition(".")[0] == _ROOM and hasattr(value, "__dict__"):
        return type(value), tuple(
            (name, _token(each, outer))
            for name, each in sorted(vars(value).items())
            if name != "_stream"
        )
    return _Same(value)
