"""TedliumDataset: the talks of TED-LIUM, sentences of SPH files as listed in STM files.

A line of an STM file holds the talk, a channel, the speaker, the start and end of the sentence in
seconds, an identifier and the transcript. An SPH file consists of a text header and the samples,
which must be uncompressed 16-bit numbers.
"""

import os

import numpy as np

from ...._core.rules.checked import checked
from ...._core.rules.vocabulary import Bool, OneOf, Str
from ...._io.reading import content as content_of
from ...._io.reading import set_position
from ..._rules import Samples, Workers
from ..pipeline import AudioBaseDataset
from ._documented import documented
from .generator import Shard, Shards
from .listed_rows import Listed, has_ending, lines_of, names_in
from .mnist_cifar import exclusive, folder

__all__ = ["TedliumDataset"]

_FIELDS = 6  # before the transcript
_PARTS = ("train", "test", "dev")
_ORDERS = {"01": "<i2", "10": ">i2"}


@documented
class TedliumDataset(Listed, AudioBaseDataset):
    """Reads the sentences of TED-LIUM into the columns "waveform", "sample_rate" (int32),
    "transcript", "talk_id", "speaker_id" and "identifier".

    A waveform is float32 (32767 is 1.0) of shape (1, number of samples). MindSpore 2.10 returns
    zeros instead.

    Args:
        dataset_dir (str): the folder of train, test and dev, or of data; each contains the folders
            sph and stm.
        release (str): "release1", "release2" or "release3".
        usage (str, optional): "train", "test", "dev" or "all"; for release3 only "all". By default
            "all".
        extensions (str, optional): the extension of SPH files, which must be ".sph".

    Source: mindspore.dataset.TedliumDataset of 2.10.
    """

    @checked(*exclusive)
    def __init__(
        self,
        dataset_dir: Str,
        release: OneOf("release1", "release2", "release3"),
        usage: OneOf(*_PARTS, "all") = None,
        extensions=None,
        num_samples: Samples = None,
        num_parallel_workers: Workers = None,
        shuffle: Bool = None,
        sampler=None,
        num_shards: Shards = None,
        shard_id: Shard = None,
        cache=None,
    ):
        if release == "release3" and usage not in (None, "all"):
            raise ValueError(
                f"For 'TedliumDataset', 'usage' must be 'all' with 'release3', but got {usage!r}."
            )
        super().__init__(
            num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        )
        self.dataset_dir = folder("TedliumDataset", dataset_dir)
        self.release, self.usage = release, usage or "all"
        by_default = extensions is None or isinstance(extensions, str) and not extensions
        self.extensions = ".sph" if by_default else extensions

    def _columns(self):
        return ["waveform", "sample_rate", "transcript", "talk_id", "speaker_id", "identifier"]

    def _records(self):
        if not isinstance(self.extensions, str):  # MindSpore accepts it until it reads
            raise TypeError(
                f"For 'TedliumDataset', 'extensions' must be a str, but got {self.extensions!r}."
            )
        return super()._records()

    def _list(self):
        return [record for _, record in self._sorted()]

    def _origin(self, index):
        (number, name, part), _ = self._sorted()[index]
        return os.path.join(self.dataset_dir, part, "stm", name), int(number) + 1

    def _sorted(self):
        if self.extensions != ".sph":
            raise RuntimeError(
                f"For 'TedliumDataset', 'extensions' must be '.sph', but got {self.extensions!r}."
            )
        parts = ("data",) if self.release == "release3" else _PARTS
        if self.usage != "all":
            parts = (self.usage,)
        return sorted(record for part in parts for record in self._part_of(part))

    def _part_of(self, part):
        """Yields ((line number as text, file name, part), record) for all lines of a part."""
        root = os.path.join(self.dataset_dir, part)
        for name in names_in(os.path.join(root, "stm"), has_ending(".stm")):
            path = os.path.join(root, "stm", name)
            for number, line in enumerate(lines_of(path)):
                if not line.strip():
                    continue
                fields = line.split(" ", _FIELDS)
                if len(fields) <= _FIELDS:
                    raise RuntimeError(
                        f"Line {number + 1} of {path!r} must have seven fields, but is {line!r}."
                    )
                talk, _, speaker, start, end, identifier, transcript = fields
                sound = os.path.join(root, "sph", talk + self.extensions)
                record = sound, float(start), float(end), transcript, talk, speaker, identifier
                yield (str(number), name, part), record

    def _make_row(self, path, start, end, *labels):
        samples, rate, channels = read_sph(path)
        first, last = int(start * rate), int(end * rate)
        if not 0 <= first <= last <= len(samples) // channels:
            raise RuntimeError(
                f"{path!r} has {len(samples) // channels} samples, but a sentence is said to be at "
                f"{first} to {last}."
            )
        part = samples[first * channels : last * channels].astype(np.float32)
        return [(part / np.float32(32767))[None], np.int32(rate), *map(np.array, labels)]


def read_sph(path):
    """Reads an SPH file and returns the samples, the sample rate and the number of channels.

    Raises:
        RuntimeError: if it cannot be read, or is not an SPH file of 16-bit samples.
    """
    content = content_of(path)
    set_position(path)
    if content[:7] != b"NIST_1A":
        raise RuntimeError(f"{path!r} is not an SPH file.")
    size = int(content[8:16])
    header = dict(_entries(content[16:size].decode("ascii")))
    width, coding = header.get("sample_n_bytes", "2"), header.get("sample_coding", "pcm")
    if (width, coding) != ("2", "pcm"):
        raise RuntimeError(
            f"{path!r} must be of 16-bit numbers as pcm, but is of {width} bytes as {coding}."
        )
    order = _ORDERS[header.get("sample_byte_format", "01")]
    samples = np.frombuffer(content, order, (len(content) - size) // 2, size)
    return samples, int(header["sample_rate"]), int(header.get("channel_count", "1"))


def _entries(header):
    """Yields (name, value) of the header's lines, such as "sample_rate -i 16000"."""
    for line in header.splitlines():
        if line.strip() == "end_head":
            return
        name, _, value = line.split(" ", 2)
        yield name, value.strip()
