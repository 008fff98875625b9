"""Simulated time: streams, copies and waits of the stand-in on a simulated clock.

    with timeline.drawn() as line:
        offload.sweep(rows)
    line.now, line.spans

A copy takes one unit of time per byte and a launch one unit, on the stream that it is submitted to.
Each stream runs its work in order, concurrently with other streams and with the host. A test sets
the time of host work (`line.work`). Events and waits block the same parties as on a device. Nothing
else of a device's speed is simulated.
"""

import contextlib
from typing import NamedTuple


class Span(NamedTuple):
    """Work on one lane ("host" or a stream), with its start and end time."""

    lane: object
    name: str
    start: float
    end: float


class Timeline:
    """The host's clock, and the time at which each stream finishes its work."""

    def __init__(self):
        self.now = 0.0
        self.spans = []
        self._done = {}

    def done(self, stream):
        """Returns when a stream finishes the work submitted so far."""
        return self._done.get(stream, 0.0)

    def give(self, stream, name, length):
        """Submits work to a stream."""
        start = max(self.now, self.done(stream))
        self._done[stream] = start + length
        self.spans.append(Span(stream, name, start, start + length))

    def hold(self, stream, time):
        """Makes a stream wait until a time."""
        self._done[stream] = max(self.done(stream), time)

    def work(self, name, length):
        """Adds work of the host itself."""
        self.spans.append(Span("host", name, self.now, self.now + length))
        self.now += length

    def wait(self, time):
        """Makes the host wait until a time."""
        self.now = max(self.now, time)

    def overlap(self, one, other):
        """Returns for how long two kinds of work, given by name, overlap."""
        pairs = [(x, y) for x in self.spans for y in self.spans if (x.name, y.name) == (one, other)]
        return sum(max(0.0, min(x.end, y.end) - max(x.start, y.start)) for x, y in pairs)


_open = []


@contextlib.contextmanager
def drawn():
    """Yields a Timeline that records the work of the block."""
    line = Timeline()
    _open.append(line)
    try:
        yield line
    finally:
        _open.remove(line)


def each():
    """Returns the timelines that are recording."""
    return tuple(_open)
