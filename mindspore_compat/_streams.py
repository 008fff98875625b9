"""Streams and events of `mindspore.hal`: queues of work on a GPU, and markers in them.

On the CPU, every computation is complete when its call returns: there is one stream whose work is
always complete, and events hold the time of their recording.
"""

import time

from ._backend import device
from ._backend.steps import current
from ._core.context.config import config
from ._core.rules.checked import checked
from ._core.rules.vocabulary import Bool, InstanceOf, Int


class Stream:
    """A queue of work on a GPU that runs in parallel with others. The CPU has a single stream.

    Args:
        priority (int, optional): the priority; lower numbers come first.
        **kwargs: `stream` may be an existing CUDA stream.

    Raises:
        TypeError: if `priority` is not an int.

    Example:
        >>> import mindspore_compat as ms
        >>> print(type(ms.runtime.Stream()).__name__)
        Stream

    Source: mindspore.hal.Stream of MindSpore 2.10.
    """

    @checked
    def __init__(self, priority: Int = 0, **kwargs):
        self.device_name, self.device_id = device.in_force(), int(config.device_id)
        self.priority = priority
        queue = kwargs.get("stream")
        if queue is None and self.device_name == "GPU":
            queue = device.cuda().Stream(non_blocking=True, priority=priority)
        self._stream = queue

    def synchronize(self):
        """Waits until the stream's work is complete."""
        if self._stream is not None:
            self._stream.synchronize()

    def query(self):
        """Returns whether the stream's work is complete."""
        return self._stream is None or bool(self._stream.done)

    def stream_id(self):
        """Returns the stream's handle in CUDA; 0 for the default stream and on the CPU."""
        return 0 if self._stream is None else int(self._stream.ptr)

    def record_event(self, event=None):
        """Records an event after the work submitted so far.

        Args:
            event (Event, optional): the event; by default a new one.

        Returns:
            Event.

        Raises:
            TypeError: if `event` is not an Event.
        """
        event = Event() if event is None else _checked_event("Stream.record_event", event)
        event.record(self)
        return event

    def wait_event(self, event):
        """Makes later work wait for an event.

        Args:
            event (Event): the event.

        Raises:
            TypeError: if `event` is not an Event.
        """
        _checked_event("Stream.wait_event", event).wait(self)

    def wait_stream(self, stream):
        """Makes later work wait for the work submitted to another stream so far.

        Args:
            stream (Stream): the other stream.

        Raises:
            TypeError: if `stream` is not a Stream.
        """
        self.wait_event(_checked_stream("Stream.wait_stream", stream).record_event())

    def __eq__(self, other):
        return isinstance(other, Stream) and (self.device_name, self._stream) == (
            other.device_name,
            other._stream,
        )

    def __hash__(self):
        return hash((self.device_name, id(self._stream)))

    def __repr__(self):
        number = 0 if self._stream is None else self._stream.ptr
        return (
            f"Stream(device_name={self.device_name}, device_id:{self.device_id}, "
            f"stream id:{number})"
        )


class Event:
    """A marker in a stream.

    Args:
        enable_timing (bool, optional): whether to record the time, for `elapsed_time`.
        blocking (bool, optional): whether waiting for the event lets other threads run.

    Raises:
        TypeError: if an argument is not a bool.

    Example:
        >>> import mindspore_compat as ms
        >>> print(type(ms.runtime.Event()).__name__)
        Event

    Source: mindspore.hal.Event of MindSpore 2.10.
    """

    @checked
    def __init__(self, enable_timing: Bool = False, blocking: Bool = False):
        self.enable_timing, self.blocking = enable_timing, blocking
        self._event = self._time = None

    def record(self, stream=None):
        """Records an event after the work submitted so far.

        Args:
            stream (Stream, optional): the stream; by default the current one.

        Raises:
            TypeError: if `stream` is not a Stream.
        """
        stream = current_stream() if stream is None else _checked_stream("Event.record", stream)
        self._time = time.perf_counter()
        if stream._stream is not None:
            self._event = self._event or device.cuda().Event(self.blocking, not self.enable_timing)
            self._event.record(stream._stream)

    def wait(self, stream=None):
        """Makes later work of a stream wait for the event.

        Args:
            stream (Stream, optional): the stream; by default the current one.

        Raises:
            TypeError: if `stream` is not a Stream.
        """
        stream = current_stream() if stream is None else _checked_stream("Event.wait", stream)
        if stream._stream is not None and self._event is not None:
            stream._stream.wait_event(self._event)

    def synchronize(self):
        """Waits until the work before the event is complete."""
        if self._event is not None:
            self._event.synchronize()

    def query(self):
        """Returns whether the work before the event is complete; True before it was recorded."""
        return self._event is None or bool(self._event.done)

    def elapsed_time(self, end_event):
        """Returns the milliseconds between this event and a later one.

        Args:
            end_event (Event): the later event.

        Raises:
            TypeError: if `end_event` is not an Event.
            RuntimeError: if one of them does not record the time, or was not recorded.
        """
        end = _checked_event("Event.elapsed_time", end_event)
        if not self.enable_timing or not end.enable_timing or None in (self._time, end._time):
            raise RuntimeError(
                "For 'Event.elapsed_time', both events must have 'enable_timing' and be recorded."
            )
        if self._event is not None and end._event is not None:
            end.synchronize()
            return float(device.cuda().get_elapsed_time(self._event, end._event))
        return (end._time - self._time) * 1000


class StreamCtx:
    """Submits the work of a block to a stream: `with StreamCtx(stream): ...`.

    Args:
        ctx_stream (Stream): the stream; None changes nothing.

    Raises:
        TypeError: if `ctx_stream` is neither.

    Example:
        >>> import mindspore_compat as ms
        >>> with ms.hal.StreamCtx(ms.hal.default_stream()):
        ...     y = ms.Tensor([1.0]) + 1
        >>> print(y)
        [2.]

    Source: mindspore.hal.StreamCtx of MindSpore 2.10.
    """

    def __init__(self, ctx_stream):
        self.stream = None if ctx_stream is None else _checked_stream("StreamCtx", ctx_stream)
        self._before = None

    def __enter__(self):
        if self.stream is not None:
            self._before = current_stream()
            set_cur_stream(self.stream)

    def __exit__(self, *_):
        if self.stream is not None:
            set_cur_stream(self._before)


def _checked_stream(api, stream):
    InstanceOf(Stream).refuse(api, "stream", stream)
    return stream


def _checked_event(api, event):
    InstanceOf(Event).refuse(api, "event", event)
    return event


def set_cur_stream(stream):
    """Makes a stream the current one, which receives later work.

    Args:
        stream (Stream): the stream; None changes nothing.

    Raises:
        TypeError: if `stream` is neither a Stream nor None.

    Example:
        >>> import mindspore_compat as ms
        >>> ms.hal.set_cur_stream(ms.hal.default_stream())

    Source: mindspore.hal.set_cur_stream of MindSpore 2.10.
    """
    if stream is not None and _checked_stream("set_cur_stream", stream)._stream is not None:
        if current.running() is not None:
            current.running().refuse("a stream of the script's own")
        stream._stream.use()


def current_stream():
    """Returns the current stream.

    Example:
        >>> import mindspore_compat as ms
        >>> print(type(ms.runtime.current_stream()).__name__)
        Stream

    Source: mindspore.hal.current_stream of MindSpore 2.10.
    """
    on_gpu = device.in_force() == "GPU"
    return Stream(stream=device.cuda().get_current_stream() if on_gpu else None)


def default_stream():
    """Returns the default stream.

    Example:
        >>> import mindspore_compat as ms
        >>> print(type(ms.runtime.default_stream()).__name__)
        Stream

    Source: mindspore.hal.default_stream of MindSpore 2.10.
    """
    return Stream(stream=device.cuda().Stream.null if device.in_force() == "GPU" else None)


def communication_stream():
    """Returns the stream of collectives: the current one.

    Example:
        >>> import mindspore_compat as ms
        >>> stream = ms.hal.communication_stream()
        >>> stream.query()
        True

    Source: mindspore.hal.communication_stream of MindSpore 2.10.
    """
    return current_stream()
