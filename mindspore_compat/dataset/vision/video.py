"""Video files: reads and decodes them, wholly or in part, with FFmpeg.

FFmpeg is part of the library PyAV, `pip install mindspore-compat[video]`, which is imported on the
first read of a video. The conversion of pixels to RGB is MindSpore's.
"""

import io
import math
import os
from fractions import Fraction

import numpy as np

from ..._core.rules.checked import checked
from ..._core.rules.vocabulary import Int as Index
from ..._core.rules.vocabulary import ListOf, OneOf, Str
from ..._io.reading import reading
from .._extra import pyav
from ..transforms.base import TensorOperation

__all__ = ["DecodeVideo", "VideoDecoder", "read_video", "read_video_timestamps"]

_POINT_ACCURATE = 16 | 262144  # flags of swscale: accurate chroma and exact rounding
_TOLERANCE = 1e-6  # in ticks: seconds are floats, but frames lie on ticks
_Unit = OneOf("pts", "sec")


@checked
def read_video(filename: Str, start_pts=0, end_pts=None, pts_unit: _Unit = "pts"):
    """Reads the video frames, the audio and the frame rates of a video file.

    For audio with interleaved channels, as in WAV files, MindSpore 2.10 leaves the samples
    interleaved; here each channel has its own row.

    Args:
        filename: the path of the file.
        start_pts (Union[float, Fraction, int], optional): the minimum timestamp of the frames.
        end_pts (Union[float, Fraction, int], optional): the maximum timestamp of the frames; None
            reads until the end.
        pts_unit: the unit of timestamps: "sec" for seconds, or "pts" for ticks of the video stream.

    Returns:
        tuple of the frames (numpy.ndarray, uint8 of shape (frames, height, width, 3), RGB), the
        audio (numpy.ndarray of shape (channels, samples) in the dtype of the file, for the same
        period; of shape (1, 0) if there is no audio) and a dict with "video_fps" (float) and, if
        there is audio, "audio_fps" (int).

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if `start_pts` is negative, `end_pts` is less than `start_pts`, or `pts_unit` is
            invalid.
        RuntimeError: if the file cannot be read, or is not a video.
        ImportError: if PyAV is not installed.

    Example:
        >>> from mindspore_compat.dataset import vision
        >>> frames, sound, rates = vision.read_video("clip.mp4", 1, 2.5, "sec")  # doctest: +SKIP

    Source: mindspore.dataset.vision.read_video of MindSpore 2.10.
    """
    _check_times(start_pts, end_pts)
    _check_file("read_video", filename)
    with reading(filename, problem="is no video", api="read_video"):
        return _part("read_video", filename, start_pts, end_pts, pts_unit)


@checked
def read_video_timestamps(filename: Str, pts_unit: Str = "pts"):
    """Reads the timestamps of the video frames, and the frame rate.

    Args:
        filename: the path of the file.
        pts_unit: the unit of timestamps: "sec" for seconds, or "pts" for ticks of the video stream.

    Returns:
        tuple of the timestamps (list of ints for "pts", of floats for "sec") and the frame rate in
        frames per second (float).

    Raises:
        TypeError: if an argument is of the wrong type.
        RuntimeError: if the file cannot be read or is not a video, or `pts_unit` is invalid.
        ImportError: if PyAV is not installed.

    Example:
        >>> from mindspore_compat.dataset import vision
        >>> vision.read_video_timestamps("clip.mp4")  # doctest: +SKIP
        ([0, 1024, 2048, 3072], 10.0)

    Source: mindspore.dataset.vision.read_video_timestamps of MindSpore 2.10.
    """
    if pts_unit not in ("pts", "sec"):
        raise RuntimeError(
            f"For 'read_video_timestamps', 'pts_unit' must be 'pts' or 'sec', but got {pts_unit!r}."
        )
    _check_file("read_video_timestamps", filename)
    with reading(filename, problem="is no video", api="read_video_timestamps"):
        video = _Video("read_video_timestamps", filename, with_sound=False)
    if pts_unit == "sec":
        return [pts * float(np.float32(video.tick)) for pts in video.times], video.rate
    return video.times, video.rate


class DecodeVideo(TensorOperation):
    """Decodes the bytes of a video file to video frames and audio.

    The result is the first two results of `read_video`.

    Raises:
        TypeError: if the input is not an array; raised when it is used.
        RuntimeError: if the input is not the bytes of a video; raised when it is used.
        ImportError: if PyAV is not installed; raised when it is used.

    Example:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import vision
        >>> content = np.fromfile("clip.mp4", np.uint8)  # doctest: +SKIP
        >>> frames, sound = vision.DecodeVideo()(content)  # doctest: +SKIP

    Source: mindspore.dataset.vision.DecodeVideo of MindSpore 2.10.
    """

    def _as_input(self, value):
        if not isinstance(value, np.ndarray):
            raise TypeError(f"For 'DecodeVideo', the input must be an array, but got {value!r}.")
        return value

    def _array(self, x, lead):
        if x.dtype != np.uint8 or x.ndim != 1 or not x.size:
            raise RuntimeError(
                f"For 'DecodeVideo', the input must be the bytes of a video, one axis of uint8, "
                f"but got shape {x.shape} and dtype {x.dtype}."
            )
        with reading(problem="is no video", api="DecodeVideo"):
            return _part("DecodeVideo", io.BytesIO(x.tobytes()), 0, None, "pts")[:2]


class VideoDecoder:
    """Reads the metadata and single frames of a video.

    MindSpore 2.10 reads frames on an Ascend only; here the host decodes them, regardless of
    `config.set_video_backend`.

    Args:
        source (str): the path of the file.

    Raises:
        TypeError: if `source` is not a str.
        ValueError: if there is no such file, or it cannot be read.
        RuntimeError: if `source` is not a video; raised when it is used.
        ImportError: if PyAV is not installed; raised when it is used.

    Example:
        >>> from mindspore_compat.dataset import vision
        >>> video = vision.VideoDecoder("clip.mp4")  # doctest: +SKIP
        >>> video.get_frames_at([0, 2]).shape  # doctest: +SKIP
        (2, 32, 48, 3)

    Source: mindspore.dataset.vision.VideoDecoder of MindSpore 2.10.
    """

    @checked
    def __init__(self, source: Str):
        if not os.path.isfile(source) or not os.access(source, os.R_OK):
            raise ValueError(
                f"For 'VideoDecoder', 'source' must be a file that can be read, but got {source!r}."
            )
        self.source = source
        self._metadata = None

    @property
    def metadata(self):
        """The width, height, duration in seconds, number of frames and frame rate, as a dict."""
        if self._metadata is None:
            video = self._video(_select_none)
            self._metadata = {
                "width": video.shape[1],
                "height": video.shape[0],
                "duration_seconds": round(video.seconds, 6),
                "num_frames": len(video.times),
                "average_fps": float(video.exact_rate),
            }
        return dict(self._metadata)

    def get_frames_at(self, indices):
        """Returns frames by their indices.

        Args:
            indices (list[int]): the indices of the frames, counted from 0.

        Returns:
            numpy.ndarray, uint8 of shape (frames, height, width, 3), RGB.

        Raises:
            TypeError: if `indices` is not a list of ints.
            ValueError: if an index is out of range.
            RuntimeError: if the file is not a video.
        """
        ListOf(Index).refuse("get_frames_at", "indices", indices)
        count = self.metadata["num_frames"]
        ListOf(Index(ge=0, lt=count)).refuse("get_frames_at", "indices", indices)
        index_set = set(indices)
        return self._video(lambda tick: lambda index, pts: index in index_set).pixels(indices)

    def _video(self, selection):
        with reading(self.source, problem="is no video", api="VideoDecoder"):
            return _Video("VideoDecoder", self.source, selection, with_sound=False)


def _select_none(tick):
    """Returns a selection that keeps no frame."""
    return lambda index, pts: False


class _Video:
    """The timestamps of all frames of a video, the selected frames, and the audio.

    Args:
        api (str): the public name, for errors.
        source (Union[str, file]): the file, or its path.
        wanted (Callable): takes the duration of a tick in seconds and returns a function that
            decides, from the index and the timestamp of a frame, whether to keep the frame.
        with_sound (bool): whether to decode the audio.
    """

    def __init__(self, api, source, selection=_select_none, with_sound=True):
        with pyav(api).open(source) as file:
            if not file.streams.video:
                raise ValueError("it has no pictures")
            stream = file.streams.video[0]
            self.tick, self.exact_rate = stream.time_base, stream.guessed_rate
            self.shape = stream.height, stream.width, 3
            self._decode(file.decode(stream), selection(self.tick))
            ticks = stream.duration
            self.seconds = float(
                len(self.times) / self.exact_rate if ticks is None else ticks * self.tick
            )
            self.sound, self.sound_rate = np.zeros((1, 0), np.float32), None
            if with_sound and file.streams.audio:
                self.sound_rate = file.streams.audio[0].rate
                file.seek(0)
                self.sound = _sound(file.decode(file.streams.audio[0]))

    def _decode(self, frames, is_selected):
        self.times, self.frames = [], {}
        for index, frame in enumerate(frames):
            self.times.append(self._time(index, frame))
            if is_selected(index, self.times[-1]):
                rgb = frame.reformat(format="rgb24", interpolation=_POINT_ACCURATE)
                self.frames[index] = rgb.to_ndarray()
        if not self.times:
            raise ValueError("it has no frames")

    @property
    def rate(self):
        """The frame rate, in frames per second, as a C++ float."""
        return float(np.float32(self.exact_rate))

    def pixels(self, indices):
        """Returns the frames at some indices, as uint8 (frames, height, width, 3)."""
        frames = [self.frames[index] for index in indices]
        return np.array(frames, np.uint8).reshape(-1, *self.shape)

    def _time(self, index, frame):
        """Returns the timestamp of a frame; computed from its index if the file has none."""
        return round(index / (self.exact_rate * self.tick)) if frame.pts is None else frame.pts


def _part(api, source, start, end, unit):
    """Returns (frames, audio, rates) of a video between two timestamps."""

    def select(tick):
        first, last = _range(start, math.inf if end is None else end, unit, tick)
        return lambda index, pts: first <= pts <= last

    video = _Video(api, source, select)
    share = video.sound.shape[1] / len(video.times)  # samples per frame
    begin = round(min(video.frames, default=0) * share)
    sound = video.sound[:, begin : begin + round(len(video.frames) * share)]
    rates = {} if video.sound_rate is None else {"audio_fps": video.sound_rate}
    rates["video_fps"] = float(str(np.float32(video.exact_rate)))
    return video.pixels(video.frames), sound, rates


def _range(start, end, unit, tick):
    """Returns the first and the last timestamp to read, in ticks."""
    if unit == "pts":
        return math.floor(start), end if end == math.inf else math.ceil(end)
    return float(start / tick) - _TOLERANCE, float(end / tick) + _TOLERANCE


def _sound(frames):
    """Returns the samples of all audio frames, as (channels, samples)."""
    chunks = []
    for frame in frames:
        samples = frame.to_ndarray()
        if not frame.format.is_planar:
            samples = samples.reshape(-1, frame.layout.nb_channels).T
        chunks.append(samples)
    return np.concatenate(chunks, 1) if chunks else np.zeros((1, 0), np.float32)


def _check_times(start, end):
    """Refuses timestamps that are not numbers, are negative, or are in the wrong order."""
    for name, value in (("start_pts", start), ("end_pts", end)):
        if not isinstance(value, (int, float, Fraction)) and (name, value) != ("end_pts", None):
            raise TypeError(
                f"For 'read_video', '{name}' must be an int, a float or a Fraction, but got "
                f"{value!r}."
            )
    if not start >= 0 or end is not None and not end >= start:
        raise ValueError(
            f"For 'read_video', 'start_pts' must be >= 0 and 'end_pts' >= 'start_pts', but got "
            f"{start!r} and {end!r}."
        )


def _check_file(api, filename):
    if not os.path.isfile(filename):
        raise RuntimeError(f"For '{api}', 'filename' must be that of a file, but got {filename!r}.")
