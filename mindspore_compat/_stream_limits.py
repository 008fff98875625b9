"""Limits of the cores of an Ascend for a stream or a device: settings of `mindspore.runtime`.

An Ascend has cores for matrices ("cube") and for vectors. A CPU has neither, and a GPU distributes
its processors itself, so limits are stored and returned but have no effect. -1 means that no limit
is set.
"""

from ._core.rules.checked import checked
from ._core.rules.vocabulary import InstanceOf, Int
from ._core.without_effect import without_effect
from .hal import Stream, StreamCtx

_UNSET = (-1, -1)
_of_devices, _of_streams = {}, {}


def _limits_dict(limits):
    return dict(zip(("cube_core_num", "vector_core_num"), limits, strict=True))


def _merge(before, cube_num, vector_num):
    """Returns the limits after a call; -1 leaves a limit unchanged."""
    numbers = (cube_num, vector_num)
    return tuple(old if new == -1 else new for old, new in zip(before, numbers, strict=True))


def _checked_stream(api, stream):
    InstanceOf(Stream).refuse(api, "stream", stream)
    return stream


@without_effect("runtime.set_device_limit", "there is no Ascend")
@checked
def set_device_limit(device: Int, cube_num: Int = -1, vector_num: Int = -1):
    """Sets the number of cores of an Ascend that a device may use.

    Args:
        device (int): the number of the device.
        cube_num (int, optional): the number of cores for matrices; -1 keeps the setting.
        vector_num (int, optional): the number of cores for vectors; -1 keeps the setting.

    Raises:
        TypeError: if an argument is not an int.

    Examples:
        >>> import mindspore_compat as ms
        >>> ms.runtime.set_device_limit(0, 8, 8)

    Source: mindspore.runtime.set_device_limit of MindSpore 2.10.
    """
    before = _of_devices.get(device, _UNSET)
    _of_devices[device] = _merge(before, cube_num, vector_num)


@checked
def get_device_limit(device: Int):
    """Returns the number of cores of an Ascend that a device may use, as set.

    Args:
        device (int): the number of the device.

    Returns:
        dict[str, int], "cube_core_num" and "vector_core_num"; -1 if no limit is set.

    Raises:
        TypeError: if `device` is not an int.

    Examples:
        >>> import mindspore_compat as ms
        >>> ms.runtime.set_device_limit(1, 8, 16)
        >>> ms.runtime.get_device_limit(1)
        {'cube_core_num': 8, 'vector_core_num': 16}

    Source: mindspore.runtime.get_device_limit of MindSpore 2.10.
    """
    return _limits_dict(_of_devices.get(device, _UNSET))


@without_effect("runtime.set_stream_limit", "there is no Ascend")
@checked
def set_stream_limit(stream, cube_num: Int = -1, vector_num: Int = -1):
    """Sets the number of cores of an Ascend that a stream may use.

    Args:
        stream (Stream): the stream.
        cube_num (int, optional): the number of cores for matrices; -1 keeps the setting.
        vector_num (int, optional): the number of cores for vectors; -1 keeps the setting.

    Raises:
        TypeError: if `stream` is not a Stream, or a number is not an int.

    Examples:
        >>> import mindspore_compat as ms
        >>> stream = ms.runtime.Stream()
        >>> ms.runtime.set_stream_limit(stream, 8, 8)
        >>> ms.runtime.reset_stream_limit(stream)

    Source: mindspore.runtime.set_stream_limit of MindSpore 2.10.
    """
    before = _of_streams.get(_checked_stream("set_stream_limit", stream), _UNSET)
    _of_streams[stream] = _merge(before, cube_num, vector_num)


def get_stream_limit(stream):
    """Returns the number of cores of an Ascend that a stream may use, as set.

    Args:
        stream (Stream): the stream.

    Returns:
        dict[str, int], "cube_core_num" and "vector_core_num"; -1 if no limit is set.

    Raises:
        TypeError: if `stream` is not a Stream.

    Examples:
        >>> import mindspore_compat as ms
        >>> ms.runtime.get_stream_limit(ms.runtime.default_stream())
        {'cube_core_num': -1, 'vector_core_num': -1}

    Source: mindspore.runtime.get_stream_limit of MindSpore 2.10.
    """
    return _limits_dict(_of_streams.get(_checked_stream("get_stream_limit", stream), _UNSET))


def reset_stream_limit(stream):
    """Resets the number of cores of an Ascend that a stream may use.

    Args:
        stream (Stream): the stream.

    Raises:
        TypeError: if `stream` is not a Stream.

    Examples:
        >>> import mindspore_compat as ms
        >>> ms.runtime.reset_stream_limit(ms.runtime.Stream())

    Source: mindspore.runtime.reset_stream_limit of MindSpore 2.10.
    """
    _of_streams.pop(_checked_stream("reset_stream_limit", stream), None)


class StreamLimitCtx:
    """Submits the work of a block to a stream with a limit on the cores of an Ascend.

    Afterwards the previous stream and limits are restored.

    Args:
        stream (Stream): the stream.
        cube_num (int, optional): the number of cores for matrices; -1 keeps the setting.
        vector_num (int, optional): the number of cores for vectors; -1 keeps the setting.

    Raises:
        TypeError: if `stream` is not a Stream, or a number is not an int.

    Examples:
        >>> import mindspore_compat as ms
        >>> stream = ms.runtime.Stream()
        >>> with ms.runtime.StreamLimitCtx(stream, 8, 8):
        ...     print(ms.runtime.get_stream_limit(stream))
        {'cube_core_num': 8, 'vector_core_num': 8}

    Source: mindspore.runtime.StreamLimitCtx of MindSpore 2.10.
    """

    @checked
    def __init__(self, stream, cube_num=-1, vector_num=-1):
        self.stream = _checked_stream("StreamLimitCtx", stream)
        self.cube_num, self.vector_num = cube_num, vector_num
        self._work = StreamCtx(stream)
        self._before = None

    def __enter__(self):
        self._before = _of_streams.get(self.stream)
        set_stream_limit(self.stream, self.cube_num, self.vector_num)
        self._work.__enter__()

    def __exit__(self, *error):
        self._work.__exit__(*error)
        reset_stream_limit(self.stream)
        if self._before is not None:
            _of_streams[self.stream] = self._before
