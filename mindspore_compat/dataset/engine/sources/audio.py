"""Audio datasets: CMU Arctic, GTZAN, LibriTTS, LJ Speech, Speech Commands and YesNo.

A sound is a WAV file of 16-bit samples, returned as float32 (32767 is 1.0) of shape (1, number of
samples); several channels stay interleaved, as in MindSpore.
"""

import os
import struct

import numpy as np

from ...._core.rules.checked import checked
from ...._core.rules.vocabulary import Bool, OneOf, Str
from ...._io.reading import content as content_of
from ..._rules import Samples, Workers
from ..pipeline import AudioBaseDataset
from ._documented import documented
from .generator import Shard, Shards
from .listed_rows import Listed, has_ending, lines_of, names_in
from .mnist_cifar import exclusive, folder

__all__ = [
    "CMUArcticDataset",
    "GTZANDataset",
    "LJSpeechDataset",
    "LibriTTSDataset",
    "SpeechCommandsDataset",
    "YesNoDataset",
]


def read_wav(path):
    """Reads a WAV file and returns the samples and the sample rate.

    Raises:
        RuntimeError: if it cannot be read, or is not a WAV file of 16-bit samples.
    """
    content = content_of(path)
    form = data = None
    if content[:4] == b"RIFF" and content[8:12] == b"WAVE":
        at = 12
        while at + 8 <= len(content) and data is None:
            name, size = content[at : at + 4], int.from_bytes(content[at + 4 : at + 8], "little")
            part = content[at + 8 : at + 8 + size]
            if name == b"fmt " and len(part) >= 16:
                form = struct.unpack_from("<HHIIHH", part)
            elif name == b"data":
                data = part
            at += 8 + size + size % 2
    if form is None or data is None:
        raise RuntimeError(f"{path!r} is not a WAV file.")
    if form[5] != 16:
        raise RuntimeError(f"{path!r} must be of 16-bit numbers, but is of {form[5]} bits.")
    samples = np.frombuffer(data, "<i2", len(data) // 2)
    return (samples.astype(np.float32) / np.float32(32767))[None], form[2]


class _Sounds(Listed, AudioBaseDataset):
    """Base class: records of the path of a sound and the other values of its row."""

    _rate = np.int32

    def _make_row(self, path, *labels):
        samples, rate = read_wav(path)
        return [samples, np.array(rate, self._rate), *map(np.array, labels)]


_VOICES = (
    "aew",
    "ahw",
    "aup",
    "awb",
    "axb",
    "bdl",
    "clb",
    "eey",
    "fem",
    "gka",
    "jmk",
    "ksp",
    "ljm",
    "lnh",
    "rms",
    "rxr",
    "slp",
    "slt",
)


@documented
class CMUArcticDataset(_Sounds):
    """Reads the sentences of CMU Arctic into the columns "waveform", "sample_rate" (uint32),
    "transcript" and "utterance_id".

    Args:
        dataset_dir (str): the folder of folders such as cmu_us_aew_arctic.
        name (str, optional): the voice, such as "aew", which is the default.

    Source: mindspore.dataset.CMUArcticDataset of 2.10.
    """

    _rate = np.uint32

    @checked(*exclusive)
    def __init__(
        self,
        dataset_dir: Str,
        name: OneOf(*_VOICES) = None,
        num_samples: Samples = None,
        num_parallel_workers: Workers = None,
        shuffle: Bool = None,
        sampler=None,
        num_shards: Shards = None,
        shard_id: Shard = None,
        cache=None,
    ):
        super().__init__(
            num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        )
        self.dataset_dir, self.name = folder("CMUArcticDataset", dataset_dir), name or "aew"

    def _columns(self):
        return ["waveform", "sample_rate", "transcript", "utterance_id"]

    def _list(self):
        directory = os.path.join(self.dataset_dir, f"cmu_us_{self.name}_arctic")
        path = os.path.join(directory, "etc", "txt.done.data")
        for number, line in enumerate(lines_of(path), 1):
            if not line.strip():
                continue
            parts = line.split('"')
            if len(parts) < 3 or "arctic_" not in parts[0]:
                raise RuntimeError(
                    f"Line {number} of {path!r} must name a sentence, but is {line!r}."
                )
            name = parts[0].strip("( ")
            yield (
                os.path.join(directory, "wav", f"{name}.wav"),
                parts[1],
                name.removeprefix("arctic_"),
            )

    def _make_row(self, path, *labels):
        return _at_rate(path, super()._make_row(path, *labels), 16000)


# The recordings of each genre in each part; faulty ones and copies are omitted.
# Source: Kereliuk, Sturm and Larsen, "Deep Learning and Music Adversaries" (2015).
_GENRES = {
    "blues": ("29-49 73-97", "0-11 50-60", "12-28 61-72 98-99"),
    "classical": ("30-33 43-48 50-67 80-99", "0-10 68-76", "11-29 34-41 49 77-79"),
    "country": ("19-26 28-29 65-99", "0-7 9-18 27 41-42 45 49", "30-40 43-44 46-48 50-51 53-64"),
    "disco": (
        "5 15-20 22-37 39-45 47 49 53-54 56-57 59 61 70 73-74 89",
        "0 2-4 6-14 46 48 52 67-68 72 75 90 95",
        "1 21 58 62-66 69 76-88 91-94 96-97 99",
    ),
    "hiphop": ("2-25 28-29 31-38 41-42 55-61 77-80", "81-98", "0 26-27 30 40 43-45 51-54 62-75 99"),
    "jazz": ("0-1 11-24 41 47-72", "2-10 25-32", "73-99"),
    "metal": (
        "2-3 5 21 24 35 46-57 59-66 69 71-72 79-80 84 86 89-99",
        "0-1 6-11 16-20 36-37 68 76-77 81-82",
        "12-15 22-23 25-33 38-39 67 70 73-75 78 83 85 87-88",
    ),
    "pop": (
        "2-9 11-12 16-20 23-29 31-36 38-42 44 46 49-50 80 97-99",
        "10 53 55 58-62 81 83-86",
        "0-1 13-14 43 63-66 69-79 82 88-96",
    ),
    "reggae": (
        "0-2 4 6 9 11-12 14-32 42-45 49-51 54-60 63 69",
        "61-62 70 72 74 76-78 85 92-99",
        "34-40 46-48 52-53 64-68 71 79 82-84 87-90",
    ),
    "rock": ("0-9 16-26 57-70 91-99", "38 49-56 71-85", "10-15 27-37 39-48 86-90"),
}


def _numbers(ranges):
    """Yields the numbers in a text like "1-3 7"."""
    for part in ranges.split():
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


@documented
class GTZANDataset(_Sounds):
    """Reads the music of GTZAN into the columns "waveform", "sample_rate" (uint32) and "label", the
    genre.

    Args:
        dataset_dir (str): the folder of the folders of the genres.
        usage (str, optional): "train", "valid" or "test", the parts without faulty recordings; or
            "all" recordings, which is the default.

    Source: mindspore.dataset.GTZANDataset of 2.10.
    """

    _rate = np.uint32

    @checked(*exclusive)
    def __init__(
        self,
        dataset_dir: Str,
        usage: OneOf("train", "valid", "test", "all") = None,
        num_samples: Samples = None,
        num_parallel_workers: Workers = None,
        shuffle: Bool = None,
        sampler=None,
        num_shards: Shards = None,
        shard_id: Shard = None,
        cache=None,
    ):
        super().__init__(
            num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        )
        self.dataset_dir, self.usage = folder("GTZANDataset", dataset_dir), usage or "all"

    def _columns(self):
        return ["waveform", "sample_rate", "label"]

    def _list(self):
        for genre, parts in _GENRES.items():
            directory = os.path.join(self.dataset_dir, genre)
            names = names_in(directory, has_ending(".wav")) if os.path.isdir(directory) else []
            if self.usage != "all":
                part = parts[("train", "valid", "test").index(self.usage)]
                names_of_parts = {f"{genre}.{number:05d}.wav" for number in _numbers(part)}
                names = [name for name in names if name in names_of_parts]
            yield from ((os.path.join(directory, name), genre) for name in names)

    def _make_row(self, path, *labels):
        return _at_rate(path, super()._make_row(path, *labels), 22050)


def _at_rate(path, row, rate):
    if row[1] != rate:
        raise RuntimeError(f"{path!r} must have {rate} samples a second, but has {row[1]}.")
    return row


_PARTS = (
    "dev-clean",
    "dev-other",
    "test-clean",
    "test-other",
    "train-clean-100",
    "train-clean-360",
    "train-other-500",
)


@documented
class LibriTTSDataset(_Sounds):
    """Reads the sentences of LibriTTS into the columns "waveform", "sample_rate" (uint32),
    "original_text", "normalized_text", "speaker_id", "chapter_id" (uint32) and "utterance_id".

    Args:
        dataset_dir (str): the folder of folders such as dev-clean, of folders of speakers, of
            folders of chapters.
        usage (str, optional): one of these folders, or "all", which is the default.

    Source: mindspore.dataset.LibriTTSDataset of 2.10.
    """

    _rate = np.uint32

    @checked(*exclusive)
    def __init__(
        self,
        dataset_dir: Str,
        usage: OneOf(*_PARTS, "all") = None,
        num_samples: Samples = None,
        num_parallel_workers: Workers = None,
        shuffle: Bool = None,
        sampler=None,
        num_shards: Shards = None,
        shard_id: Shard = None,
        cache=None,
    ):
        super().__init__(
            num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        )
        self.dataset_dir, self.usage = folder("LibriTTSDataset", dataset_dir), usage or "all"

    def _columns(self):
        return [
            "waveform",
            "sample_rate",
            "original_text",
            "normalized_text",
            "speaker_id",
            "chapter_id",
            "utterance_id",
        ]

    def _list(self):
        for part in _PARTS if self.usage == "all" else (self.usage,):
            root = os.path.join(self.dataset_dir, part)
            for speaker in names_in(root, os.path.isdir) if os.path.isdir(root) else ():
                for chapter in names_in(os.path.join(root, speaker), os.path.isdir):
                    yield from self._chapter(os.path.join(root, speaker, chapter), speaker, chapter)

    def _chapter(self, directory, speaker, chapter):
        path = os.path.join(directory, f"{speaker}_{chapter}.trans.tsv")
        for number, line in enumerate(lines_of(path), 1):
            if not line.strip():
                continue
            parts = line.split("\t")
            if len(parts) != 3:
                raise RuntimeError(
                    f"Line {number} of {path!r} must have three fields, but is {line!r}."
                )
            name, original, normal_text = parts
            yield (
                os.path.join(directory, f"{name}.wav"),
                original,
                normal_text,
                np.uint32(speaker),
                np.uint32(chapter),
                name,
            )


@documented
class LJSpeechDataset(_Sounds):
    """Reads the sentences of LJ Speech into the columns "waveform", "sample_rate" (int32),
    "transcription" and "normalized_transcription".

    Args:
        dataset_dir (str): the folder of metadata.csv and wavs.

    Source: mindspore.dataset.LJSpeechDataset of 2.10.
    """

    @checked(*exclusive)
    def __init__(
        self,
        dataset_dir: Str,
        num_samples: Samples = None,
        num_parallel_workers: Workers = None,
        shuffle: Bool = None,
        sampler=None,
        num_shards: Shards = None,
        shard_id: Shard = None,
        cache=None,
    ):
        super().__init__(
            num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        )
        self.dataset_dir = folder("LJSpeechDataset", dataset_dir)

    def _columns(self):
        return ["waveform", "sample_rate", "transcription", "normalized_transcription"]

    def _list(self):
        path = os.path.join(self.dataset_dir, "metadata.csv")
        for number, line in enumerate(lines_of(path), 1):
            if not line.strip():
                continue
            parts = line.split("|")
            if len(parts) != 3:
                raise RuntimeError(
                    f"Line {number} of {path!r} must have three fields, but is {line!r}."
                )
            yield os.path.join(self.dataset_dir, "wavs", f"{parts[0]}.wav"), *parts[1:]


@documented
class SpeechCommandsDataset(_Sounds):
    """Reads the words of Speech Commands into the columns "waveform", "sample_rate" (int32),
    "label", "speaker_id" and "utterance_number" (int32).

    Args:
        dataset_dir (str): the folder of the folders of the words. The files that testing_list.txt
            and validation_list.txt name are for test and validation, all others for training.
        usage (str, optional): "train", "test", "valid" or "all"; by default all.

    Source: mindspore.dataset.SpeechCommandsDataset of 2.10.
    """

    @checked(*exclusive)
    def __init__(
        self,
        dataset_dir: Str,
        usage: OneOf("train", "test", "valid", "all") = None,
        num_samples: Samples = None,
        num_parallel_workers: Workers = None,
        shuffle: Bool = None,
        sampler=None,
        num_shards: Shards = None,
        shard_id: Shard = None,
        cache=None,
    ):
        super().__init__(
            num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        )
        self.dataset_dir, self.usage = folder("SpeechCommandsDataset", dataset_dir), usage or "all"

    def _columns(self):
        return ["waveform", "sample_rate", "label", "speaker_id", "utterance_number"]

    def _may_be_empty(self):
        return self.usage in ("test", "valid")

    def _listed_files(self, name):
        """Returns the files named in a list file. The list is optional: without it, no files are
        returned.
        """
        path = os.path.join(self.dataset_dir, f"{name}_list.txt")
        return {line.strip() for line in lines_of(path)} if os.path.exists(path) else set()

    def _list(self):
        tests, validation = (
            (self._listed_files(name) if self.usage != "all" else set())
            for name in ("testing", "validation")
        )
        for label in names_in(self.dataset_dir, os.path.isdir):
            directory = os.path.join(self.dataset_dir, label)
            for name in names_in(directory, has_ending(".wav")) if label[0] != "_" else ():
                file = f"{label}/{name}"
                part = "test" if file in tests else "valid" if file in validation else "train"
                if self.usage not in ("all", part):
                    continue
                speaker, mark, number = name.removesuffix(".wav").partition("_nohash_")
                if not mark or not number.isdigit():
                    raise RuntimeError(f"{file!r} must be named <speaker>_nohash_<number>.wav.")
                yield os.path.join(directory, name), label, speaker, np.int32(number)


@documented
class YesNoDataset(_Sounds):
    """Reads the words of YesNo into the columns "waveform", "sample_rate" (int32) and "label"
    (int32, 1 for each yes).

    Args:
        dataset_dir (str): the folder of files such as 1_0_0_0_1_1_0_0.wav.

    Source: mindspore.dataset.YesNoDataset of 2.10.
    """

    @checked(*exclusive)
    def __init__(
        self,
        dataset_dir: Str,
        num_samples: Samples = None,
        num_parallel_workers: Workers = None,
        shuffle: Bool = None,
        sampler=None,
        num_shards: Shards = None,
        shard_id: Shard = None,
        cache=None,
    ):
        super().__init__(
            num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        )
        self.dataset_dir = folder("YesNoDataset", dataset_dir)

    def _columns(self):
        return ["waveform", "sample_rate", "label"]

    def _list(self):
        for name in names_in(self.dataset_dir, has_ending(".wav")):
            words = os.path.splitext(name)[0].split("_")
            if not all(word.isdigit() for word in words):
                raise RuntimeError(f"For 'YesNoDataset', {name!r} must be named by zeros and ones.")
            yield os.path.join(self.dataset_dir, name), np.array(list(map(int, words)), np.int32)
