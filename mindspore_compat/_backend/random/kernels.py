"""The random streams of MindSpore's CPU kernels: for a seed, the same numbers.

A random operator has a pair of seeds: the global seed, and one that is made of the operator's own
seed and of the number of its earlier uses since `set_seed`. A kernel begins at the pair and
continues from run to run. Outside a graph, each call of a function (`ops.rand`) has a new pair,
and a layer (`nn.Dropout`) has one kernel for each shape and dtype. In a graph, each call in its
code has one kernel.

Without any seed, and on a GPU, numbers come from the module `streams`.
"""

import functools
import itertools
import json
import math
import threading
import weakref

import numpy

from . import engines, streams
from .twister import Twister

_INSTEAD_OF_0 = 87654321  # the global seed of kernels if 0 was set
_STEP, _MODULUS = 533697028, (1 << 31) - 1
_MOST_COUNTS = 1 << 16


class _Count:
    """Counts the uses of an operator with a seed; `streams.replaying` sets it back.

    Attributes:
        offset (int): how many uses there were.
        in_graphs (int): how many of them began kernels of graphs.
    """

    offset = in_graphs = 0


def _next_pair(name, seed):
    """Returns the pair of seeds of the next use of an operator; None without seeds."""
    if streams.global_seed is None and not seed:
        return None
    count = _since_seed().count(name, seed or 0)
    if graph.run is None:
        streams.note_use(count)
    else:  # the kernel stays, even if the run is repeated
        count.in_graphs += 1
    own = ((seed or 0) + count.offset * _STEP) % _MODULUS
    count.offset += 1
    return 0 if streams.global_seed is None else streams.global_seed or _INSTEAD_OF_0, own


class KernelStream(streams.Stream):
    """The stream of one kernel; its offset counts the words of the engine.

    Args:
        seeds (tuple): the pair of seeds; None to use the stream of the operator's seed.
        seed (int): the operator's seed.
        place (tuple): the shape and the dtype that a layer draws for; None if unknown.
        continues (bool): whether it draws more than once.
        generator (type): draws the numbers; None for _Generator.
    """

    def __init__(self, seeds, seed=None, place=None, continues=True, generator=None):
        super().__init__(seed or 0)
        self.seeds = seeds
        self.name = f"{seeds} {place}"
        self._own_seed = seed
        self._own_twister = None
        self._continues = continues
        self._generator = generator or _Generator
        self._known_to = None  # the _SinceSeed that has a reference to it

    def next(self, xp):
        """Returns a generator for one draw."""
        if self.seeds is None or xp.module is not numpy:
            return streams.stream(self._own_seed).next(xp)
        if self._continues and self._known_to is not _since_seed():
            self._known_to = _since_seed()
            self._known_to.add(self)
        streams.note_use(self)
        make = functools.partial(self._generator, self, self.offset)
        streams.refuse_in_recording()
        draws = getattr(xp, "draws", None)
        return draws(make) if draws else make()

    def twister(self):
        """Returns the twister to draw from: its own from the second draw on."""
        if not self.offset:
            return engines.shared_twister()
        if self._own_twister is None:
            self._own_twister = Twister()
        return self._own_twister


class _Generator:
    """Draws the numbers of a kernel, with NumPy's methods; the stream advances with each draw."""

    def __init__(self, stream, offset):
        self._stream, self._offset = stream, offset

    def _advance(self, words):
        self._offset = self._stream.offset = self._offset + words

    def random(self, size, dtype=None):
        """Draws float32 numbers in [0, 1)."""
        count = math.prod(size)
        twister, seeds = self._stream.twister(), self._stream.seeds
        numbers = engines.uniform(twister, seeds, self._offset, count)
        self._advance(2 * count)
        return numbers.reshape(size)

    def integers(self, low, high, size):
        """Draws int64 numbers in [low, high)."""
        count = math.prod(size)
        twister, seeds = self._stream.twister(), self._stream.seeds
        numbers, words = engines.integers(twister, seeds, self._offset, count, low, high)
        self._advance(words)
        return numbers.reshape(size)

    def standard_normal(self, size):
        """Draws float32 numbers of the standard normal distribution."""
        numbers, words = engines.standard_normal(self._stream.seeds, self._offset, math.prod(size))
        self._advance(words)
        return numbers.reshape(size)

    def below(self, size, limit):
        """Returns a mask that is true with probability `limit`."""
        count = math.prod(size)
        mask = engines.below(self._stream.seeds, self._offset, count, limit)
        self._advance(count)
        return mask.reshape(size)


class OfMinimal(_Generator):
    """Draws uniform numbers from the minimal standard generator."""

    def random(self, size, dtype=None):
        """Draws float32 numbers in [0, 1]."""
        numbers = engines.floats(self._stream.seeds, self._offset, math.prod(size))
        self._advance(numbers.size)
        return numbers.reshape(size)


class _OfChannels(_Generator):
    """Draws masks of channels."""

    def below(self, size, limit):
        """Returns a mask that is true with probability `limit`."""
        count = math.prod(size)
        mask = engines.channels_below(self._offset, count, limit)
        self._advance(2 * count)
        return mask.reshape(size)


class _OfPhilox(_Generator):
    """Draws the numbers of a seed, the same in each draw."""

    def random(self, size, dtype=None):
        """Draws float32 numbers in [0, 1)."""
        return engines.bernoulli(self._stream.seeds[0], math.prod(size)).reshape(size)


# Operators ----------------------------------------------------------------------------------------


def of_call(name, seed=None, generator=None):
    """Returns the stream of one call of an operator with its own seed or None.

    Args:
        name (str): the operator.
        seed (int): its own seed.
        generator (type): see KernelStream.
    """
    is_in_graph = graph.run is not None
    return _in_graph(
        lambda: KernelStream(_next_pair(name, seed), seed, None, is_in_graph, generator)
    )


def of_channels(api, shape, dtype, keep):
    """Returns the stream of the masks of whole channels; the default stream if `set_seed` was not
    called. As in MindSpore, its numbers do not depend on the seed; here it begins again after
    `set_seed`."""
    if streams.global_seed is None:
        return streams.default
    place = api, tuple(shape), str(dtype), keep
    if graph.run is not None:
        return _in_graph(lambda: KernelStream((), None, place, True, _OfChannels))
    kernels = _since_seed().of_channels
    if place not in kernels:
        kernels[place] = KernelStream((), None, place, True, _OfChannels)
    return kernels[place]


def of_bernoulli(seed):
    """Returns the stream of Bernoulli numbers of a seed."""
    return KernelStream((seed,), seed, None, False, _OfPhilox)


class Kernels:
    """The kernels of a layer or a primitive. Copies begin again.

    Args:
        seeds (tuple): the pair of seeds; None if there is no seed.
        generator (type): see KernelStream.
    """

    def __init__(self, seeds, generator=None):
        self._seeds = seeds
        self._generator = generator
        self._streams = {}

    @classmethod
    def of_layer(cls, name):
        """Returns the kernels of a new layer that uses an operator."""
        return cls(_next_pair(name, None))

    def stream(self, shape, dtype=None):
        """Returns the stream of a run on a shape and dtype."""
        place = tuple(shape), str(dtype)
        if graph.run is not None:
            return _in_graph(lambda: self._new(place))
        if place not in self._streams:
            self._streams[place] = self._new(place)
        return self._streams[place]

    def _new(self, place):
        return KernelStream(self._seeds, None, place, True, self._generator)

    def __deepcopy__(self, memo):
        return Kernels(self._seeds, self._generator)

    def __reduce__(self):
        return Kernels, (self._seeds, self._generator)


# Graphs -------------------------------------------------------------------------------------------


class _Graph(threading.local):
    """The graph that runs in this thread.

    Attributes:
        run (Run): None outside graphs.
    """

    run = None


graph = _Graph()


class Run:
    """One run of a graph. The calls that draw get the streams of the same calls in earlier runs.

    Args:
        streams: a function that returns the list of the graph's streams, which the run completes.
    """

    def __init__(self, streams):
        self._streams = streams
        self.offset = 0

    def next(self, make):
        """Returns the stream of the next call, which `make` makes in the first run."""
        streams.note_use(self)
        earlier = self._streams()
        if self.offset == len(earlier):
            earlier.append(make())
        self.offset += 1
        return earlier[self.offset - 1]


def _in_graph(make):
    return make() if graph.run is None else graph.run.next(make)


# The state that is saved and restored -------------------------------------------------------------


class _SinceSeed:
    """The uses of operators and kernels since the last `set_seed`.

    Attributes:
        counts (dict): (operator, its own seed) -> _Count.
        of_channels (dict): operator, shape, dtype, probability -> stream of masks of channels.
        streams (WeakValueDictionary): (name of a stream, its number among those of the name) ->
            the stream, from its first draw on.
        saved (dict): the same keys -> the offset from which the stream continues, for streams of a
            restored state that have not drawn yet.
    """

    def __init__(self):
        self.resets = streams.resets
        self.counts, self.of_channels, self.saved = {}, {}, {}
        self.streams = weakref.WeakValueDictionary()

    def count(self, name, seed):
        """Returns the _Count of an operator with a seed. The oldest of too many are forgotten."""
        count = self.counts.get((name, seed))
        if count is None:
            if len(self.counts) == _MOST_COUNTS:
                self.counts.pop(next(iter(self.counts)))
            count = self.counts[name, seed] = _Count()
        return count

    def add(self, stream):
        """Adds a stream that draws for the first time."""
        keys = ((stream.name, number) for number in itertools.count())
        key = next(key for key in keys if key not in self.streams)
        stream.offset = self.saved.pop(key, stream.offset)
        self.streams[key] = stream


_current = _SinceSeed()


def _since_seed():
    global _current
    if _current.resets != streams.resets:
        _current = _SinceSeed()
    return _current


def state():
    """Returns the state of all kernels since `set_seed`, as bytes; empty if there is none.

    Kernels of graphs that another process has compiled are not there yet when it restores a state,
    so their pairs of seeds do not count as used.
    """
    since = _since_seed()
    counts = [[*key, count.offset - count.in_graphs] for key, count in since.counts.items()]
    counts = [entry for entry in counts if entry[-1]]
    offsets = [[*key, offset] for key, offset in since.saved.items()]
    offsets += [[*key, stream.offset] for key, stream in since.streams.items() if stream.offset]
    if not counts and not offsets:
        return b""
    return json.dumps([streams.global_seed, counts, offsets]).encode()


def restore(packed):
    """Restores a state that `state` returned; raises ValueError for other bytes."""
    seed, counts, offsets = json.loads(packed) if packed else (streams.global_seed, [], [])
    since = _since_seed()
    streams.global_seed = seed
    for count in since.counts.values():
        count.offset = count.in_graphs
    for name, own_seed, uses in counts:
        since.count(name, own_seed).offset += uses
    since.saved = {(name, number): offset for name, number, offset in offsets}
    for key, stream in since.streams.items():
        stream.offset = since.saved.pop(key, 0)
