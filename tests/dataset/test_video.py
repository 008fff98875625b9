"""Videos: what MindSpore 2.10 printed for the same files."""

import sys
from fractions import Fraction

import numpy as np
import pytest

from mindspore_compat.dataset import GeneratorDataset, vision

av = pytest.importorskip("av")
pytestmark = pytest.mark.video

FRAMES = 25
LEFT, RIGHT = np.arange(16000) % 3001 - 1500, np.arange(16000) % 1009


def colors(index):
    """The planes of a frame of 4 x 2 pixels: brightness of each pixel, two colours of each four."""
    bright = (np.arange(8) * 29 + index * 7) % 220 + 16
    return np.concatenate([bright, [90 + index, 200], [160, 40 + index]]).astype(np.uint8)


def write(path, rate=10, with_sound=True):
    """A video of FRAMES frames and, in two channels, two seconds of sound."""
    with av.open(str(path), "w") as file:
        video = file.add_stream("rawvideo", rate=rate)
        video.width, video.height, video.pix_fmt = 4, 2, "yuv420p"
        sound = file.add_stream("pcm_s16le", rate=8000) if with_sound else None
        if with_sound:
            sound.layout = "stereo"
        for index in range(FRAMES):
            frame = av.VideoFrame.from_ndarray(colors(index).reshape(3, 4), format="yuv420p")
            file.mux(video.encode(frame))
        file.mux(video.encode())
        if with_sound:
            samples = np.stack([LEFT, RIGHT], 1).astype(np.int16).reshape(1, -1)
            frame = av.AudioFrame.from_ndarray(samples, format="s16", layout="stereo")
            frame.sample_rate = 8000
            file.mux(sound.encode(frame))
            file.mux(sound.encode())
    return str(path)


@pytest.fixture(scope="module")
def clip(tmp_path_factory):
    return write(tmp_path_factory.mktemp("video") / "clip.avi")


@pytest.fixture(scope="module")
def film(tmp_path_factory):
    path = tmp_path_factory.mktemp("video") / "film.avi"
    return write(path, Fraction(30000, 1001), with_sound=False)


FIRST = [49, 0, 0, 83, 22, 0, 0, 110, 211, 0, 144, 245]
FIRST += [185, 123, 56, 218, 157, 90, 60, 245, 255, 94, 255, 255]
LAST = [245, 174, 166, 255, 208, 200, 0, 30, 151, 0, 63, 185]
LAST += [124, 53, 45, 158, 87, 79, 38, 165, 255, 72, 198, 255]


def test_frames_sound_and_rates_are_read(clip):
    frames, sound, rates = vision.read_video(clip)
    assert (frames.shape, frames.dtype) == ((FRAMES, 2, 4, 3), np.uint8)
    assert frames[0].ravel().tolist() == FIRST
    assert frames[-1].ravel().tolist() == LAST
    assert (sound.shape, sound.dtype) == ((2, 16000), np.int16)
    assert (sound == [LEFT, RIGHT]).all()
    assert rates == {"video_fps": 10.0, "audio_fps": 8000}


def test_a_video_may_have_no_sound(film):
    frames, sound, rates = vision.read_video(film)
    assert len(frames) == FRAMES
    assert (sound.shape, sound.dtype) == ((1, 0), np.float32)
    assert rates == {"video_fps": 29.97003}


@pytest.mark.parametrize(
    "arguments, first, count",
    [
        ((0.5, 1.2, "sec"), 5, 8),
        ((0, 1, "sec"), 0, 11),
        ((0.55, 0.9, "sec"), 6, 4),
        ((2.3, None, "sec"), 23, 2),
        ((5, 9, "sec"), 0, 0),
        ((Fraction(1, 2), Fraction(7, 10), "sec"), 5, 3),
        ((5, 12), 5, 8),
        ((3, 3), 3, 1),
        ((0.3, 7.5), 0, 9),
        ((24,), 24, 1),
        ((True,), 1, 24),
        ((0, 10**9), 0, 25),
    ],
)
def test_a_part_is_read_with_its_share_of_the_sound(clip, arguments, first, count):
    whole, all_sound, _ = vision.read_video(clip)
    frames, sound, _ = vision.read_video(clip, *arguments)
    np.testing.assert_array_equal(frames, whole[first : first + count])
    np.testing.assert_array_equal(sound, all_sound[:, 640 * first : 640 * (first + count)])


def test_timestamps_are_ticks_or_seconds(clip, film):
    assert vision.read_video_timestamps(clip) == (list(range(FRAMES)), 10.0)
    seconds, rate = vision.read_video_timestamps(clip, "sec")
    assert seconds[:4] == [0.0, 0.10000000149011612, 0.20000000298023224, 0.30000000447034836]
    seconds, rate = vision.read_video_timestamps(film, "sec")
    assert (seconds[1], rate) == (0.03336666524410248, 29.970029830932617)


def test_the_content_of_a_file_is_decoded_in_a_pipeline(clip):
    rows = GeneratorDataset([np.fromfile(clip, np.uint8)], ["data"])
    rows = rows.map(vision.DecodeVideo(), ["data"], ["video", "audio"])
    (row,) = rows.create_dict_iterator(num_epochs=1, output_numpy=True)
    frames, sound, _ = vision.read_video(clip)
    assert (row["video"] == frames).all() and (row["audio"] == sound).all()


def test_a_decoder_tells_what_a_video_is_and_gives_frames_by_number(clip, film):
    video = vision.VideoDecoder(clip)
    assert video.metadata == {
        "width": 4,
        "height": 2,
        "duration_seconds": 2.5,
        "num_frames": 25,
        "average_fps": 10.0,
    }
    assert vision.VideoDecoder(film).metadata["average_fps"] == 29.97002997002997
    frames, _, _ = vision.read_video(clip)
    assert (video.get_frames_at([7, 0, 7]) == frames[[7, 0, 7]]).all()
    assert video.get_frames_at([]).shape == (0, 2, 4, 3)
    for wrong, kind in ((1, TypeError), (["a"], TypeError), ([25], ValueError), ([-1], ValueError)):
        with pytest.raises(kind, match="'indices'"):
            video.get_frames_at(wrong)


@pytest.mark.parametrize(
    "arguments, kind",
    [
        ((-1,), ValueError),
        ((5, 3), ValueError),
        ((float("nan"),), ValueError),
        (("a",), TypeError),
        ((None,), TypeError),
        ((0, "a"), TypeError),
        ((0, None, "x"), ValueError),
        ((0, None, 1), TypeError),
    ],
)
def test_a_wrong_part_is_refused(clip, arguments, kind):
    with pytest.raises(kind, match="^For 'read_video'"):
        vision.read_video(clip, *arguments)


def test_what_is_no_video_is_refused(clip, tmp_path):
    garbage = tmp_path / "garbage.mp4"
    garbage.write_bytes(b"garbage" * 99)
    for read in (vision.read_video, vision.read_video_timestamps):
        for path in (str(garbage), "nofile", str(tmp_path)):
            with pytest.raises(RuntimeError, match=f"^For '{read.__name__}'"):
                read(path)
        with pytest.raises(TypeError):
            read(1)
    with pytest.raises(RuntimeError):
        vision.read_video_timestamps(clip, "x")
    for source, kind in ((1, TypeError), ("nofile", ValueError), (str(tmp_path), ValueError)):
        with pytest.raises(kind, match="^For 'VideoDecoder'"):
            vision.VideoDecoder(source)
    decode = vision.DecodeVideo()
    wrong = [np.zeros(0, np.uint8), np.zeros((2, 2), np.uint8), np.zeros(9, np.int32)]
    for content in (*wrong, np.fromfile(garbage, np.uint8)):
        with pytest.raises(RuntimeError, match="^For 'DecodeVideo'"):
            decode(content)
    with pytest.raises(TypeError):
        decode([1, 2])


def test_an_absent_library_is_named_with_the_extra_that_brings_it(clip, monkeypatch):
    monkeypatch.setitem(sys.modules, "av", None)
    with pytest.raises(ImportError, match=r"mindspore-compat\[video\]"):
        vision.read_video(clip)
