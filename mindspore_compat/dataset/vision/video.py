"""Videos: files read and decoded, wholly or in part, by FFmpeg.

FFmpeg comes with the library PyAV, `pip install mindspore-compat[video]`, which is imported when a
video is first read. Pixels are converted to RGB as the original converts them.
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

_POINT_ACCURATE = 16 | 262144  # of swscale: the nearest colour difference, and exact rounding
_TOLERANCE = 1e-6  # of a tick: seconds are floats, and frames lie on ticks
_Unit = OneOf("pts", "sec")


@checked
def read_video(filename: Str, start_pts=0, end_pts=None, pts_unit: _Unit = "pts"):
    """Reads the frames of a video, its sound and their rates.

    Of sound whose channels alternate in the file, as in WAV's, MindSpore 2.10 leaves the samples in
    that order; here each channel has its own.

    Args:
        filename: the file.
        start_pts (Union[float, Fraction, int], optional): the first frame's timestamp, at least.
        end_pts (Union[float, Fraction, int], optional): the last frame's timestamp, at most; None
            reads until the end.
        pts_unit: what timestamps count: "sec" or, "pts", the ticks of the video stream.

    Returns:
        tuple of the frames (numpy.ndarray, uint8 of shape (frames, height, width, 3), RGB), the
        sound (numpy.ndarray of shape (channels, samples) in the dtype of the file, the same part of
        it as of the frames; of shape (1, 0) where there is none) and a dict with "video_fps"
        (float) and, where there is sound, "audio_fps" (int).

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: `start_pts` is negative, `end_pts` less than it, or `pts_unit` another one.
        RuntimeError: the file cannot be read, or is no video.
        ImportError: PyAV is not installed.

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
    """Reads the timestamps of the frames of a video, and their rate.

    Args:
        filename: the file.
        pts_unit: what timestamps count: "sec" or, "pts", the ticks of the video stream.

    Returns:
        tuple of the timestamps (list of ints for "pts", of floats for "sec") and how many frames
        there are a second (float).

    Raises:
        TypeError: an argument is of the wrong type.
        RuntimeError: the file cannot be read or is no video, or `pts_unit` is another one.
        ImportError: PyAV is not installed.

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
    """Decodes the content of a video file into its frames and its sound.

    The result is what `read_video` gives first and second.

    Raises:
        TypeError: the input is no array; raised when it is used.
        RuntimeError: the input is not the bytes of a video; raised when it is used.
        ImportError: PyAV is not installed; raised when it is used.

    Example:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import vision
        >>> content = np.fromfile("clip.mp4", np.uint8)  # doctest: +SKIP
        >>> frames, sound = vision.DecodeVideo()(content)  # doctest: +SKIP

    Source: mindspore.dataset.vision.DecodeVideo of MindSpore 2.10.
    """

    def _taken(self, value):
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
    """Tells what a video is, and gives single frames of it.

    MindSpore 2.10 gives frames on an Ascend only; here the host decodes them, whatever
    `config.set_video_backend` says.

    Args:
        source (str): the file.

    Raises:
        TypeError: it is no str.
        ValueError: there is no such file, or it cannot be read.
        RuntimeError: it is no video; raised when it is used.
        ImportError: PyAV is not installed; raised when it is used.

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
        """The width, height, duration in seconds, number and rate of frames, as a dict."""
        if self._metadata is None:
            video = self._video(_no_frame)
            self._metadata = {
                "width": video.shape[1],
                "height": video.shape[0],
                "duration_seconds": round(video.seconds, 6),
                "num_frames": len(video.times),
                "average_fps": float(video.exact_rate),
            }
        return dict(self._metadata)

    def get_frames_at(self, indices):
        """Returns some frames.

        Args:
            indices (list[int]): their numbers, from 0 on.

        Returns:
            numpy.ndarray, uint8 of shape (frames, height, width, 3), RGB.

        Raises:
            TypeError: `indices` is no list of ints.
            ValueError: there is no frame of a number.
            RuntimeError: the file is no video.
        """
        ListOf(Index).refuse("get_frames_at", "indices", indices)
        count = self.metadata["num_frames"]
        ListOf(Index(ge=0, lt=count)).refuse("get_frames_at", "indices", indices)
        wanted = set(indices)
        return self._video(lambda tick: lambda index, pts: index in wanted).pixels(indices)

    def _video(self, wanted):
        with reading(self.source, problem="is no video", api="VideoDecoder"):
            return _Video("VideoDecoder", self.source, wanted, with_sound=False)


def _no_frame(tick):
    """Of a video, no frame is kept."""
    return lambda index, pts: False


class _Video:
    """The timestamps of all frames of a video, the wanted frames, and the sound.

    Args:
        api (str): the public name, for errors.
        source (Union[str, file]): the file, or its path.
        wanted (Callable): takes the seconds of a tick, and gives a function that says of the number
            and the timestamp of a frame whether it is kept.
        with_sound (bool): whether the sound is decoded.
    """

    def __init__(self, api, source, wanted=_no_frame, with_sound=True):
        with pyav(api).open(source) as file:
            if not file.streams.video:
                raise ValueError("it has no pictures")
            stream = file.streams.video[0]
            self.tick, self.exact_rate = stream.time_base, stream.guessed_rate
            self.shape = stream.height, stream.width, 3
            self._decode(file.decode(stream), wanted(self.tick))
            ticks = stream.duration
            self.seconds = float(
                len(self.times) / self.exact_rate if ticks is None else ticks * self.tick
            )
            self.sound, self.sound_rate = np.zeros((1, 0), np.float32), None
            if with_sound and file.streams.audio:
                self.sound_rate = file.streams.audio[0].rate
                file.seek(0)
                self.sound = _sound(file.decode(file.streams.audio[0]))

    def _decode(self, frames, is_wanted):
        self.times, self.frames = [], {}
        for index, frame in enumerate(frames):
            self.times.append(self._time(index, frame))
            if is_wanted(index, self.times[-1]):
                rgb = frame.reformat(format="rgb24", interpolation=_POINT_ACCURATE)
                self.frames[index] = rgb.to_ndarray()
        if not self.times:
            raise ValueError("it has no frames")

    @property
    def rate(self):
        """How many frames there are a second, as a C++ float."""
        return float(np.float32(self.exact_rate))

    def pixels(self, indices):
        """Some of the frames as uint8 (frames, height, width, 3)."""
        found = [self.frames[index] for index in indices]
        return np.array(found, np.uint8).reshape(-1, *self.shape)

    def _time(self, index, frame):
        """The timestamp of a frame, by its number where the file has none."""
        return round(index / (self.exact_rate * self.tick)) if frame.pts is None else frame.pts


def _part(api, source, start, end, unit):
    """(frames, sound, rates) of a video from one timestamp to another."""

    def wanted(tick):
        first, last = _range(start, math.inf if end is None else end, unit, tick)
        return lambda index, pts: first <= pts <= last

    video = _Video(api, source, wanted)
    share = video.sound.shape[1] / len(video.times)  # samples to a frame
    begin = round(min(video.frames, default=0) * share)
    sound = video.sound[:, begin : begin + round(len(video.frames) * share)]
    rates = {} if video.sound_rate is None else {"audio_fps": video.sound_rate}
    rates["video_fps"] = float(str(np.float32(video.exact_rate)))
    return video.pixels(video.frames), sound, rates


def _range(start, end, unit, tick):
    """The first and the last timestamp wanted, in ticks."""
    if unit == "pts":
        return math.floor(start), end if end == math.inf else math.ceil(end)
    return float(start / tick) - _TOLERANCE, float(end / tick) + _TOLERANCE


def _sound(frames):
    """The samples of all frames of sound, as (channels, samples)."""
    found = []
    for frame in frames:
        samples = frame.to_ndarray()
        if not frame.format.is_planar:
            samples = samples.reshape(-1, frame.layout.nb_channels).T
        found.append(samples)
    return np.concatenate(found, 1) if found else np.zeros((1, 0), np.float32)


def _check_times(start, end):
    """Refuses timestamps that are no numbers, negative, or in the wrong order."""
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
