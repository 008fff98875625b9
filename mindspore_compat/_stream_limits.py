"""How many cores of an Ascend a stream or a device may use: settings of `mindspore.runtime`.

Such cores are those for matrices ("cube") and those for vectors of an Ascend. A CPU has neither and
a GPU shares its processors among streams by itself, so a limit is kept and read back, and work runs
as without it. -1 says that nothing is set.
"""

from ._core.rules.checked import checked
from ._core.rules.vocabulary import InstanceOf, Int
from ._core.without_effect import without_effect
from .hal import Stream, StreamCtx

_UNSET = (-1, -1)
_of_devices, _of_streams = {}, {}


def _shown(limits):
    return dict(zip(("cube_core_num", "vector_core_num"), limits, strict=True))


def _merged(before, cube_num, vector_num):
    """The limits after a call, where -1 leaves one as it was."""
    given = (cube_num, vector_num)
    return tuple(old if new == -1 else new for old, new in zip(before, given, strict=True))


def _checked_stream(api, stream):
    InstanceOf(Stream).refuse(api, "stream", stream)
    return stream


@without_effect("runtime.set_device_limit", "there is no Ascend")
@checked
def set_device_limit(device: Int, cube_num: Int = -1, vector_num: Int = -1):
    """Sets how many cores of an Ascend a device may use.

    Args:
        device (int): the number of the device.
        cube_num (int, optional): how many cores for matrices; -1 leaves the setting.
        vector_num (int, optional): how many cores for vectors; -1 leaves the setting.

    Raises:
        TypeError: an argument is no int.

    Examples:
        >>> import mindspore_compat as ms
        >>> ms.runtime.set_device_limit(0, 8, 8)

    Source: mindspore.runtime.set_device_limit of MindSpore 2.10.
    """
    before = _of_devices.get(device, _UNSET)
    _of_devices[device] = _merged(before, cube_num, vector_num)


@checked
def get_device_limit(device: Int):
    """Returns how many cores of an Ascend a device may use, as set.

    Args:
        device (int): the number of the device.

    Returns:
        dict[str, int], "cube_core_num" and "vector_core_num"; -1 where nothing is set.

    Raises:
        TypeError: `device` is no int.

    Examples:
        >>> import mindspore_compat as ms
        >>> ms.runtime.set_device_limit(1, 8, 16)
        >>> ms.runtime.get_device_limit(1)
        {'cube_core_num': 8, 'vector_core_num': 16}

    Source: mindspore.runtime.get_device_limit of MindSpore 2.10.
    """
    return _shown(_of_devices.get(device, _UNSET))


@without_effect("runtime.set_stream_limit", "there is no Ascend")
@checked
def set_stream_limit(stream, cube_num: Int = -1, vector_num: Int = -1):
    """Sets how many cores of an Ascend a stream may use.

    Args:
        stream (Stream): the stream.
        cube_num (int, optional): how many cores for matrices; -1 leaves the setting.
        vector_num (int, optional): how many cores for vectors; -1 leaves the setting.

    Raises:
        TypeError: `stream` is no Stream, or a number is no int.

    Examples:
        >>> import mindspore_compat as ms
        >>> stream = ms.runtime.Stream()
        >>> ms.runtime.set_stream_limit(stream, 8, 8)
        >>> ms.runtime.reset_stream_limit(stream)

    Source: mindspore.runtime.set_stream_limit of MindSpore 2.10.
    """
    before = _of_streams.get(_checked_stream("set_stream_limit", stream), _UNSET)
    _of_streams[stream] = _merged(before, cube_num, vector_num)


def get_stream_limit(stream):
    """Returns how many cores of an Ascend a stream may use, as set.

    Args:
        stream (Stream): the stream.

    Returns:
        dict[str, int], "cube_core_num" and "vector_core_num"; -1 where nothing is set.

    Raises:
        TypeError: `stream` is no Stream.

    Examples:
        >>> import mindspore_compat as ms
        >>> ms.runtime.get_stream_limit(ms.runtime.default_stream())
        {'cube_core_num': -1, 'vector_core_num': -1}

    Source: mindspore.runtime.get_stream_limit of MindSpore 2.10.
    """
    return _shown(_of_streams.get(_checked_stream("get_stream_limit", stream), _UNSET))


def reset_stream_limit(stream):
    """Forgets how many cores of an Ascend a stream may use.

    Args:
        stream (Stream): the stream.

    Raises:
        TypeError: `stream` is no Stream.

    Examples:
        >>> import mindspore_compat as ms
        >>> ms.runtime.reset_stream_limit(ms.runtime.Stream())

    Source: mindspore.runtime.reset_stream_limit of MindSpore 2.10.
    """
    _of_streams.pop(_checked_stream("reset_stream_limit", stream), None)


class StreamLimitCtx:
    """Gives the work of a block to a stream that may use so many cores of an Ascend.

    Afterwards the stream before and the limits before hold again.

    Args:
        stream (Stream): the stream.
        cube_num (int, optional): how many cores for matrices; -1 leaves the setting.
        vector_num (int, optional): how many cores for vectors; -1 leaves the setting.

    Raises:
        TypeError: `stream` is no Stream, or a number is no int.

    Examples:
        >>> import mindspore_compat as ms
        >>> stream = ms.runtime.Stream()
        >>> with ms.runtime.StreamLimitCtx(stream, 8, 8):
        ...     print(ms.runtime.get_stream_limit(stream))
        {'cube_core_num': 8, 'vector_core_num': 8}

    Source: mindspore.runtime.StreamLimitCtx of MindSpore 2.10.
    """

    @checked
    def __init__(self, stream, cube_num: Int = -1, vector_num: Int = -1):
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
