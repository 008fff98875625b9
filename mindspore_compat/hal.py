"""`mindspore.hal`: which devices there are, their memory, streams and events.

On the CPU every computation is done when its call returns: there is one stream, its work is always
done, and events return the time they were recorded. Memory is counted on a GPU only; what is
reported of it is written in `_memory`.
"""

import time
from typing import NamedTuple

from . import _memory
from ._backend import arrays, device
from ._backend.steps import current
from ._core.context.config import config
from ._core.rules.checked import checked
from ._core.rules.vocabulary import Bool, InstanceOf, Int, Str

_Target = (Str | None).called("a str")

__all__ = [
    "Event",
    "Stream",
    "StreamCtx",
    "communication_stream",
    "current_stream",
    "default_stream",
    "device_count",
    "empty_cache",
    "get_arch_list",
    "get_device_capability",
    "get_device_name",
    "get_device_properties",
    "is_available",
    "is_initialized",
    "max_memory_allocated",
    "max_memory_reserved",
    "memory_allocated",
    "memory_reserved",
    "memory_stats",
    "memory_summary",
    "reset_max_memory_allocated",
    "reset_max_memory_reserved",
    "reset_peak_memory_stats",
    "set_cur_stream",
    "synchronize",
]

_TARGETS = ("CPU", "GPU", "Ascend")


class DeviceProperties(NamedTuple):
    """What a GPU is: its name, compute capability, whether it shares a board or the host's memory,
    its multiprocessors, bytes of memory and threads of a warp."""

    name: str
    major: int
    minor: int
    is_multi_gpu_board: int
    is_integrated: int
    multi_processor_count: int
    total_memory: int
    warp_size: int


def _checked_target(api, target):
    """The target, by default the one that computes.

    Raises:
        ValueError: it is none of the three.
    """
    if target is None:
        return device.in_force()
    if target not in _TARGETS:
        raise ValueError(
            f"For 'hal.{api}', 'device_target' must be one of {list(_TARGETS)}, but got {target!r}."
        )
    return target


def is_available(device_target):
    """Returns whether a device of a target computes here: "CPU" does, "Ascend" does not.

    Args:
        device_target (str): "CPU", "GPU" or "Ascend".

    Raises:
        ValueError: it is something else.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.hal.is_available("CPU"))
        True
    """
    target = _checked_target("is_available", device_target)
    return target == "CPU" or target == "GPU" and arrays.gpu_available()


def is_initialized(device_target):
    """Returns whether a target is the one that computes.

    Args:
        device_target (str): "CPU", "GPU" or "Ascend".

    Raises:
        ValueError: it is something else.

    Example:
        >>> import mindspore_compat as ms
        >>> print(type(ms.hal.is_initialized("CPU")).__name__)
        bool
    """
    return _checked_target("is_initialized", device_target) == device.in_force()


def device_count(device_target=None):
    """Returns how many devices of a target there are.

    Args:
        device_target (str, optional): "CPU" or "GPU"; by default the one that computes.

    Raises:
        ValueError: it is something else, or not available.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.hal.device_count("CPU"))
        1
    """
    return 1 if _present("device_count", device_target) == "CPU" else device.count()


def _present(api, target):
    _Target.refuse(f"hal.{api}", "device_target", target)
    target = _checked_target(api, target)
    if not is_available(target):
        raise ValueError(
            f"For 'hal.{api}', 'device_target' must be available, but got {target!r}; "
            f"see 'hal.is_available'."
        )
    return target


def _numbered(api, device_id, target):
    """The target, for a device that is there.

    Raises:
        TypeError: the number is no int.
        ValueError: there is no such target or device.
    """
    if type(device_id) is not int:
        raise TypeError(f"For 'hal.{api}', 'device_id' must be an int, but got {device_id!r}.")
    target = _present(api, target)
    number = device_count(target)
    if not 0 <= device_id < number:
        raise ValueError(
            f"For 'hal.{api}', 'device_id' must be in [0, {number}), but got {device_id}."
        )
    return target


def get_device_name(device_id, device_target=None):
    """Returns the name of a device, "CPU" for the host.

    Args:
        device_id (int): which one.
        device_target (str, optional): "CPU" or "GPU"; by default the one that computes.

    Raises:
        TypeError: `device_id` is no int.
        ValueError: there is no such device.

    Example:
        >>> import mindspore_compat as ms
        >>> print(type(ms.hal.get_device_name(0, "CPU")).__name__)
        str
    """
    target = _numbered("get_device_name", device_id, device_target)
    return "CPU" if target == "CPU" else device.properties(device_id)["name"]


def get_device_properties(device_id, device_target=None):
    """Returns what a GPU is, with names; None for the host. Arguments and errors as for
    `get_device_name`.
    """
    if _numbered("get_device_properties", device_id, device_target) == "CPU":
        return None
    found = device.properties(device_id)
    return DeviceProperties(
        found["name"],
        found["major"],
        found["minor"],
        found.get("isMultiGpuBoard", 0),
        found.get("integrated", 0),
        found.get("multiProcessorCount", 0),
        found["totalGlobalMem"],
        found.get("warpSize", 32),
    )


def get_device_capability(device_id, device_target=None):
    """Returns the compute capability of a GPU, as two ints; None for the host. Arguments and errors
    as for `get_device_name`.
    """
    if _numbered("get_device_capability", device_id, device_target) == "CPU":
        return None
    found = device.properties(device_id)
    return found["major"], found["minor"]


def get_arch_list(device_target=None):
    """Returns for which GPUs there is code, such as ["sm_90"]: it is compiled for those that are
    here. None for the host.

    Args:
        device_target (str, optional): "CPU" or "GPU"; by default the one that computes.

    Raises:
        ValueError: it is something else, or not available.
    """
    if _present("get_arch_list", device_target) == "CPU":
        return None
    found = [device.properties(number) for number in range(device.count())]
    return sorted({f"sm_{each['major']}{each['minor']}" for each in found})


def memory_allocated(device_target=None):
    """Returns how many bytes of the GPU's memory hold arrays; 0 for the host, which is not counted.

    Args:
        device_target (str, optional): "CPU" or "GPU"; by default the one that computes.

    Raises:
        ValueError: it is something else, or not available.

    Example:
        >>> import mindspore_compat as ms
        >>> ms.hal.memory_allocated() >= 0
        True
    """
    return device.memory()[0] if _present("memory_allocated", device_target) == "GPU" else 0


def memory_reserved(device_target=None):
    """Returns how many bytes the memory pool has from the GPU; 0 for the host. Arguments and errors
    as for `memory_allocated`.
    """
    return device.memory()[1] if _present("memory_reserved", device_target) == "GPU" else 0


def max_memory_allocated(device_target=None):
    """Returns the most bytes of the GPU's memory that arrays have held since the device was first
    used or the figure was reset; 0 for the host. Arguments and errors as for `memory_allocated`.

    Example:
        >>> import mindspore_compat as ms
        >>> ms.hal.max_memory_allocated() >= 0
        True
    """
    on_gpu = _present("max_memory_allocated", device_target) == "GPU"
    return device.peak_memory()[0] if on_gpu else 0


def max_memory_reserved(device_target=None):
    """Returns the most bytes the memory pool has had from the GPU since the device was first used
    or the figure was reset; 0 for the host. Arguments and errors as for `memory_allocated`.
    """
    on_gpu = _present("max_memory_reserved", device_target) == "GPU"
    return device.peak_memory()[1] if on_gpu else 0


def memory_stats(device_target=None):
    """Returns the figures of the memory pool as a dict, as `runtime.memory_stats` does; an empty
    one for the host. Arguments and errors as for `memory_allocated`.

    Example:
        >>> import mindspore_compat as ms
        >>> ms.hal.memory_stats("CPU")
        {}
    """
    return _memory.stats() if _present("memory_stats", device_target) == "GPU" else {}


def memory_summary(device_target=None):
    """Returns the figures of the memory pool as a table in text; zeros for the host. Arguments and
    errors as for `memory_allocated`.
    """
    return _memory.summary(_present("memory_summary", device_target))


def reset_max_memory_allocated(device_target=None):
    """Resets the value of `max_memory_allocated` to 0 until the next allocation. Arguments and
    errors as for `memory_allocated`.
    """
    if _present("reset_max_memory_allocated", device_target) == "GPU":
        device.reset_peak_memory(total=False)


def reset_max_memory_reserved(device_target=None):
    """Resets the value of `max_memory_reserved` to 0 until the next allocation. Arguments and
    errors as for `memory_allocated`.
    """
    if _present("reset_max_memory_reserved", device_target) == "GPU":
        device.reset_peak_memory(used=False)


def reset_peak_memory_stats(device_target=None):
    """Sets both peaks to 0 until the next allocation. Arguments and errors as for
    `memory_allocated`.
    """
    if _present("reset_peak_memory_stats", device_target) == "GPU":
        device.reset_peak_memory()


def empty_cache():
    """Gives the unused memory of the pool back to the GPU.

    Example:
        >>> import mindspore_compat as ms
        >>> ms.hal.empty_cache()
    """
    arrays.release_memory()


def synchronize():
    """Waits until everything that was given to the device is done.

    Example:
        >>> import mindspore_compat as ms
        >>> ms.hal.synchronize()
    """
    if device.in_force() == "GPU":
        device.cuda().runtime.deviceSynchronize()


class Stream:
    """A queue of work on a GPU, parallel to others; on the CPU the one there is.

    Args:
        priority (int, optional): lower numbers come first.
        **kwargs: `stream` may be a stream of CUDA, to use that one.

    Raises:
        TypeError: `priority` is no int.

    Example:
        >>> import mindspore_compat as ms
        >>> print(type(ms.runtime.Stream()).__name__)
        Stream
    """

    @checked
    def __init__(self, priority: Int = 0, **kwargs):
        self.device_name, self.device_id = device.in_force(), int(config.device_id)
        self.priority = priority
        given = kwargs.get("stream")
        if given is None and self.device_name == "GPU":
            given = device.cuda().Stream(non_blocking=True, priority=priority)
        self._stream = given

    def synchronize(self):
        """Waits until its work is done."""
        if self._stream is not None:
            self._stream.synchronize()

    def query(self):
        """Returns whether its work is done."""
        return self._stream is None or bool(self._stream.done)

    def stream_id(self):
        """Returns what CUDA knows it by; 0 for the default one and on the CPU."""
        return 0 if self._stream is None else int(self._stream.ptr)

    def record_event(self, event=None):
        """Marks the work given so far.

        Args:
            event (Event, optional): the mark; by default a new one.

        Returns:
            Event.

        Raises:
            TypeError: it is no Event.
        """
        event = Event() if event is None else _checked_event("Stream.record_event", event)
        event.record(self)
        return event

    def wait_event(self, event):
        """Makes work given from now on wait for an event.

        Args:
            event (Event): the mark.

        Raises:
            TypeError: it is no Event.
        """
        _checked_event("Stream.wait_event", event).wait(self)

    def wait_stream(self, stream):
        """Makes work given from now on wait for what another stream has been given.

        Args:
            stream (Stream): the other one.

        Raises:
            TypeError: it is no Stream.
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
    """A mark in a stream.

    Args:
        enable_timing (bool, optional): whether it keeps the time, for `elapsed_time`.
        blocking (bool, optional): whether waiting for it lets other threads run.

    Raises:
        TypeError: an argument is no bool.

    Example:
        >>> import mindspore_compat as ms
        >>> print(type(ms.runtime.Event()).__name__)
        Event
    """

    @checked
    def __init__(self, enable_timing: Bool = False, blocking: Bool = False):
        self.enable_timing, self.blocking = enable_timing, blocking
        self._event = self._time = None

    def record(self, stream=None):
        """Marks the work given so far.

        Args:
            stream (Stream, optional): to which stream; by default the current one.

        Raises:
            TypeError: it is no Stream.
        """
        stream = current_stream() if stream is None else _checked_stream("Event.record", stream)
        self._time = time.perf_counter()
        if stream._stream is not None:
            self._event = self._event or device.cuda().Event(self.blocking, not self.enable_timing)
            self._event.record(stream._stream)

    def wait(self, stream=None):
        """Makes work given to a stream from now on wait for the mark.

        Args:
            stream (Stream, optional): the stream; by default the current one.

        Raises:
            TypeError: it is no Stream.
        """
        stream = current_stream() if stream is None else _checked_stream("Event.wait", stream)
        if stream._stream is not None and self._event is not None:
            stream._stream.wait_event(self._event)

    def synchronize(self):
        """Waits until the marked work is done."""
        if self._event is not None:
            self._event.synchronize()

    def query(self):
        """Returns whether the marked work is done; True before it was recorded."""
        return self._event is None or bool(self._event.done)

    def elapsed_time(self, end_event):
        """Returns the milliseconds between this event and a later one.

        Args:
            end_event (Event): the later one.

        Raises:
            TypeError: it is no Event.
            RuntimeError: one does not keep the time, or was not recorded.
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
    """Gives the work of a block to a stream: `with StreamCtx(stream): ...`.

    Args:
        ctx_stream (Stream): the stream; None changes nothing.

    Raises:
        TypeError: it is neither.

    Example:
        >>> import mindspore_compat as ms
        >>> with ms.hal.StreamCtx(ms.hal.default_stream()):
        ...     y = ms.Tensor([1.0]) + 1
        >>> print(y)
        [2.]
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
    """Gives the work from now on to a stream.

    Args:
        stream (Stream): the stream; None changes nothing.

    Raises:
        TypeError: it is neither.

    Example:
        >>> import mindspore_compat as ms
        >>> ms.hal.set_cur_stream(ms.hal.default_stream())
    """
    if stream is not None and _checked_stream("set_cur_stream", stream)._stream is not None:
        if current.running() is not None:
            current.running().refuse("a stream of the script's own")
        stream._stream.use()


def current_stream():
    """Returns the stream that gets the work.

    Example:
        >>> import mindspore_compat as ms
        >>> print(type(ms.runtime.current_stream()).__name__)
        Stream
    """
    on_gpu = device.in_force() == "GPU"
    return Stream(stream=device.cuda().get_current_stream() if on_gpu else None)


def default_stream():
    """Returns the stream that gets the work where none is set.

    Example:
        >>> import mindspore_compat as ms
        >>> print(type(ms.runtime.default_stream()).__name__)
        Stream
    """
    return Stream(stream=device.cuda().Stream.null if device.in_force() == "GPU" else None)


def communication_stream():
    """Returns the stream that gets the work of collectives: the current one.

    Example:
        >>> import mindspore_compat as ms
        >>> stream = ms.hal.communication_stream()
        >>> stream.query()
        True
    """
    return current_stream()
