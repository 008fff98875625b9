"""Pipelines with a cache: they yield the cached rows in the order of the source's sampler.

A cache belongs to a source or to a `map`. For rows that are not stored yet, copies of the nodes
below the cache are opened over a source that yields only these rows. A source that is read
sequentially is read once as a whole. A sampler then selects its rows, as in MindSpore: with
shuffling, it draws rows with replacement, in MindSpore's order.
"""

import copy
import enum
import inspect
import itertools
import types

import numpy as np

from . import config
from .cache import freeze_row
from .rows import Flow
from .sampler import DistributedSampler, RandomSampler, SequentialSampler

_ROOM = __name__.partition(".")[0]
# Attributes that do not change rows, only their selection, order and workers.
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
    """Returns whether a node's rows are cached: it has a cache, and debug mode is off."""
    return node.cache is not None and not config.get_debug_mode()


def cached_flow(node):
    """Returns the flow of a node with a cache.

    Raises:
        RuntimeError: if a node below is not allowed below a cache, or has one; or the cache is in
            use.
    """
    leaf = find_leaf(node)
    cached_rows = _stored_rows_of(node, hasattr(leaf, "_all_rows"))
    if hasattr(leaf, "_all_rows"):
        count = _stored_whole(node, leaf, cached_rows)
        epoch = leaf._sampler_of_stored().open(count)
        return Flow(lambda: (cached_rows.get(number) for number in epoch().tolist()))

    def compute(numbers):
        source = _SelectedRows(leaf, lambda: leaf._pick(numbers))
        return _over(node, source, False)._open().rows()

    epoch = leaf._order()
    return Flow(lambda: _complete(cached_rows, epoch().tolist(), compute, node.cache))


def cached_size(node):
    """Returns the number of rows of an epoch of a node with a cache over a source that is stored as
    a whole."""
    leaf = find_leaf(node)
    cached_rows = _stored_rows_of(node, True)
    return len(leaf._sampler_of_stored().open(_stored_whole(node, leaf, cached_rows))())


def _stored_rows_of(node, is_whole):
    """Returns the rows that a node's cache stores for the node."""
    if node._pipeline_key is None:  # once, as objects of operations may change
        node._pipeline_key = _tree(node, is_whole)
    return node.cache.rows_of(node._pipeline_key)


def find_leaf(node):
    """Returns the source below a node.

    Raises:
        RuntimeError: if a node below is not allowed below a cache, or has one.
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


class _SelectedRows:
    """A source with the columns of another and rows that are already selected."""

    cache = None

    def __init__(self, leaf, rows):
        self.leaf, self.rows = leaf, rows

    def _synchronized(self):
        return self.leaf._synchronized()

    def _columns(self):
        return self.leaf._columns()

    def _open(self):
        return Flow(self.rows)


def _over(node, leaf, is_whole):
    """Copies a node and the nodes below it, with another source and without a cache."""
    if not node.children:
        return leaf
    below = _over(node.children[0], leaf, is_whole)
    if node._is_order and not is_whole:
        return below
    copy_ = copy.copy(node)
    copy_.cache, copy_.children = None, [below]
    return copy_


def _stored_whole(node, leaf, cached_rows):
    """Stores all rows of a source that is read sequentially and returns their number.

    Raises:
        RuntimeError: if the cache has no space for all rows.
    """
    with cached_rows.lock:
        if cached_rows.count is None:
            source, number = _SelectedRows(leaf, leaf._all_rows), -1
            for number, row in enumerate(_over(node, source, True)._open().rows()):
                if not cached_rows.put(number, freeze_row(row), node.cache):
                    raise RuntimeError(
                        f"The cache has no room for all rows of the {type(leaf).__name__}: its "
                        f"'size' is {node.cache.size} MB; choose a larger one, or 'spilling'."
                    )
            cached_rows.count = number + 1
    return cached_rows.count


def _complete(cached_rows, numbers, compute, cache):
    """Yields the rows of `numbers`; computes missing rows, all together if an error ends the
    epoch.
    """
    if config.get_error_samples_mode() is not config.ErrorSamplesMode.RETURN:
        yield from _complete_singly(cached_rows, numbers, compute, cache)
        return
    missing = [number for number in dict.fromkeys(numbers) if number not in cached_rows]
    arriving, pending = iter(compute(missing)) if missing else iter(()), set(missing)
    for number in numbers:
        if number in pending:
            pending.remove(number)
            row = next(arriving)
        else:
            row = cached_rows.get(number) or next(iter(compute([number])))  # the cache was full
        if number not in cached_rows:
            row = freeze_row(row)
            cached_rows.put(number, row, cache)
        yield row


def _complete_singly(cached_rows, numbers, compute, cache):
    """Computes rows singly, where `_complete` computes many at once: failing rows are skipped or
    replaced by good ones."""
    good, missing = None, 0
    for number in numbers:
        row = cached_rows.get(number)
        if row is None:
            try:
                row = next(iter(compute([number])), None)
            except RuntimeError:
                missing += 1
            if row is None:
                continue
            row = freeze_row(row)
            cached_rows.put(number, row, cache)
        good = good or row
        yield row
    if missing and good is None:
        raise RuntimeError("For 'map', no row of the epoch could be processed.")
    yield from itertools.repeat(good, missing)


class StoredShare(DistributedSampler):
    """The share of a process of the stored rows. MindSpore shuffles them identically for all
    seeds."""

    def _first_seed(self):
        return 0


def sampler_of_stored(shuffled, num_samples, num_shards, shard_id):
    """Returns the sampler for the rows of a source that is stored as a whole."""
    if num_shards is not None and num_shards > 1:
        return StoredShare(num_shards, shard_id, shuffled, num_samples)
    if shuffled:
        return RandomSampler(True, num_samples)
    return SequentialSampler(num_samples=num_samples)


# Keys of pipelines, to decide whether two pipelines are equal -------------------------------------


def _tree(node, is_whole):
    """Returns the key of the operations of a node and the nodes below it."""
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
    """Wraps an object, so that keys compare it by identity."""

    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return isinstance(other, _Same) and self.value is other.value

    def __hash__(self):
        return id(self.value)


def _token(value, outer):
    """Returns a hashable key that is equal for equivalent values."""
    if value is None or isinstance(value, (bool, int, float, str, bytes, type, enum.Enum)):
        return type(value), value
    if any(value is item for item in outer):
        return "again"
    outer = (*outer, value)
    if isinstance(value, (list, tuple)):
        return type(value), tuple(_token(item, outer) for item in value)
    if isinstance(value, dict):
        return dict, tuple((_token(key, outer), _token(item, outer)) for key, item in value.items())
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, types.FunctionType):
        closure = inspect.getclosurevars(value).nonlocals
        return value.__code__, _token(value.__defaults__, outer), _token(closure, outer)
    if type(value).__module__.partition(".")[0] == _ROOM and hasattr(value, "__dict__"):
        return type(value), tuple(
            (name, _token(item, outer))
            for name, item in sorted(vars(value).items())
            if name != "_stream"
        )
    return _Same(value)
