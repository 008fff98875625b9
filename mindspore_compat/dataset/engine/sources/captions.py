"""Image caption datasets: FlickrDataset and SBUDataset."""

import os

import numpy as np

from ...._core.rules.checked import checked
from ...._core.rules.vocabulary import Bool, Str
from ..._rules import Samples, Workers
from ..pipeline import VisionBaseDataset
from ._documented import documented
from .generator import Shard, Shards
from .listed_rows import Listed, find_file, lines_of
from .mnist_cifar import exclusive, folder

__all__ = ["FlickrDataset", "SBUDataset"]


@documented
class FlickrDataset(Listed, VisionBaseDataset):
    """Reads the images of Flickr8k or Flickr30k with captions.

    The columns are "image", the bytes of the file or its pixels, and "annotation", the sentences.

    Args:
        dataset_dir (str): the folder of the images.
        annotation_file (str): the file of lines such as "1.jpg#0<tab>A dog .".

    Source: mindspore.dataset.FlickrDataset of 2.10.
    """

    @checked(*exclusive)
    def __init__(
        self,
        dataset_dir: Str,
        annotation_file: Str,
        num_samples: Samples = None,
        num_parallel_workers: Workers = None,
        shuffle: Bool = None,
        decode: Bool = None,
        sampler=None,
        num_shards: Shards = None,
        shard_id: Shard = None,
        cache=None,
    ):
        super().__init__(
            num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        )
        self.dataset_dir = folder("FlickrDataset", dataset_dir)
        self.annotation_file = find_file("FlickrDataset", "annotation_file", annotation_file)
        self._listing = annotation_file
        self.decode = bool(decode)

    def _columns(self):
        return ["image", "annotation"]

    def _list(self):
        captions = {}
        for number, line in enumerate(lines_of(self.annotation_file), 1):
            if not line.strip():
                continue
            name, tab, sentence = line.partition("\t")
            if not tab:
                raise RuntimeError(
                    f"Line {number} of {self.annotation_file!r} must have a tab, but is {line!r}."
                )
            captions.setdefault(name.partition("#")[0], []).append(sentence)
        return sorted(captions.items())

    def _make_row(self, name, sentences):
        return [self._image(os.path.join(self.dataset_dir, name)), np.array(sentences)]


_URLS, _CAPTIONS, _FOLDER = (
    "SBU_captioned_photo_dataset_urls.txt",
    "SBU_captioned_photo_dataset_captions.txt",
    "sbu_images",
)


@documented
class SBUDataset(Listed, VisionBaseDataset):
    """Reads the photographs of SBU into the columns "image", the bytes of the file or its pixels,
    and "caption", text.

    Images that were not downloaded are skipped.

    Args:
        dataset_dir (str): the folder of SBU_captioned_photo_dataset_urls.txt,
            SBU_captioned_photo_dataset_captions.txt and sbu_images.

    Source: mindspore.dataset.SBUDataset of 2.10.
    """

    @checked(*exclusive)
    def __init__(
        self,
        dataset_dir: Str,
        num_samples: Samples = None,
        num_parallel_workers: Workers = None,
        shuffle: Bool = None,
        decode: Bool | None = False,
        sampler=None,
        num_shards: Shards = None,
        shard_id: Shard = None,
        cache=None,
    ):
        super().__init__(
            num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        )
        self.dataset_dir = folder("SBUDataset", dataset_dir)
        for name in (_URLS, _CAPTIONS):
            find_file("SBUDataset", "dataset_dir", os.path.join(dataset_dir, name))
        self._listing = os.path.join(dataset_dir, _URLS)
        folder("SBUDataset", os.path.join(dataset_dir, _FOLDER))
        self.decode = decode

    def _columns(self):
        return ["image", "caption"]

    def _list(self):
        urls, captions = (
            list(lines_of(os.path.join(self.dataset_dir, name))) for name in (_URLS, _CAPTIONS)
        )
        if len(urls) != len(captions):
            raise RuntimeError(
                f"For 'SBUDataset', {_CAPTIONS!r} must have as many captions as "
                f"{self._listing!r} has URLs, {len(urls)}, but there are {len(captions)}."
            )
        for url, caption in zip(urls, captions, strict=True):
            # http://static.flickr.com/3326/3596303505.jpg was saved as m_3326_3596303505.jpg
            name = "m" + url.strip()[24:].replace("/", "_")
            path = os.path.join(self.dataset_dir, _FOLDER, name)
            if os.path.isfile(path):
                yield path, caption.rstrip()

    def _make_row(self, path, caption):
        return [self._image(path), np.array(caption)]
