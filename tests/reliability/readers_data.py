"""The sources of mindspore.dataset and the decoding of images, with valid files for each.

`attack` learns which files a reader opens by reading the valid ones. Content behind a checksum or a
compression is damaged first and then wrapped again: `wraps` of `registry.Reader`.
"""

import contextlib
import gzip
import json
import re
import struct
import zlib

import numpy as np
from recorded import source_calls
from registry import READERS, Reader, reader

from conformance.arguments import sources as source_files

# Sources of mindspore.dataset ---------------------------------------------------------------------

# Further calls of a source, beside the first one in `source_calls`.
FURTHER = {
    "CLUEDataset": [
        "dataset_files=clue + '/wsc.json', task='WSC'",
        "dataset_files=clue + '/csl.json', task='CSL'",
    ],
    "Caltech101Dataset": ["dataset_dir=here + '/caltech101', target_type='all', decode=True"],
    "CelebADataset": ["dataset_dir=here + '/celeba', decode=True"],
    "CityscapesDataset": ["dataset_dir=here + '/cityscapes', task='polygon'"],
    "CocoDataset": [
        f"dataset_dir=here + '/coco/images', annotation_file=coco + '/{kind}.json', task='{task}'"
        for kind, task in (
            ("instances", "Stuff"),
            ("keypoints", "Keypoint"),
            ("panoptic", "Panoptic"),
            ("captions", "Captioning"),
        )
    ],
    "LFWDataset": ["dataset_dir=here + '/lfw', task='pairs'"],
    "PhotoTourDataset": ["dataset_dir=here + '/phototour', name='liberty', usage='test'"],
    "SBDataset": ["dataset_dir=here + '/sbd', task='Segmentation'"],
    "VOCDataset": ["dataset_dir=here + '/voc', task='Detection'"],
    "LSUNDataset": ["dataset_dir=here + '/lsun', usage='train', decode=True"],
}
MADE = ("FakeImageDataset", "RandomDataset")  # read no files


def _first_call(name):
    for line in source_calls.FILE.read_text("utf-8").splitlines():
        source, arguments, wanted = json.loads(line)
        if source == name and isinstance(wanted, list):
            return arguments
    raise LookupError(name)


def _call(arguments, folder):
    """Returns the arguments of a source, and the names of folders that they use."""
    known = {form: f"{folder}/{form}" for form in source_files.FORMS}
    return arguments, {"here": str(folder), **known}


def _source(name, arguments):
    def read(folder):
        import mindspore_compat.dataset as ds

        text, known = _call(arguments, folder)
        data = eval(f"ds.{name}({text})", {"ds": ds, **known})
        with contextlib.suppress(NotImplementedError):  # tasks without classes
            data.get_class_indexing()
        data.get_dataset_size()
        for _ in data.create_tuple_iterator(num_epochs=1, output_numpy=True):
            pass

    return read


def _matlab_wrap(path):
    """Returns the functions of a MATLAB file: the first decompresses its elements, so that the
    damage reaches them."""
    if not path.endswith(".mat"):
        return None

    def inner(content):
        at, parts = 128, [content[:128]]
        while at + 8 <= len(content):
            kind, length = struct.unpack_from("<II", content, at)
            part = content[at + 8 : at + 8 + length]
            parts.append(zlib.decompress(part) if kind == 15 else content[at : at + 8] + part)
            at += 8 + length
        return b"".join(parts)

    return inner, lambda content: content


def _picture_wrap(path):
    """Returns the functions of a PNG file: the second recomputes the checksums after the damage."""
    if not path.endswith((".png", ".jpg", ".jpeg", ".JPEG")):
        return None

    def outer(content):
        if content[:8] != b"\x89PNG\r\n\x1a\n":
            return content
        out, at = bytearray(content), 8
        while at + 12 <= len(content):
            length = int.from_bytes(content[at : at + 4], "big")
            end = at + 8 + length
            if end + 4 > len(content):
                break
            out[end : end + 4] = zlib.crc32(content[at + 4 : end]).to_bytes(4, "big")
            at = end + 4
        return bytes(out)

    return (lambda content: content), outer


def _wrapped(path):
    return _matlab_wrap(path) or _picture_wrap(path)


def _form_of(arguments):
    for form in source_files.FORMS:
        if re.search(rf"\b{form}(?=['/]| \+)", arguments):
            return form
    raise LookupError(arguments)


def _files_of(form):
    return lambda folder: source_files.write(folder, [form])


for _name in source_calls.CALLS:
    if _name not in MADE:
        for _number, _arguments in enumerate([_first_call(_name), *FURTHER.get(_name, ())]):
            READERS[_name + (f" {_number}" if _number else "")] = Reader(
                _files_of(_form_of(_arguments)), _source(_name, _arguments), wraps=_wrapped
            )


def _images(folder):
    for name in ("cat", "dog"):
        (folder / name).mkdir()
        for number in range(2):
            (folder / name / f"{number}.png").write_bytes(source_files.picture(f"{name}{number}"))


@reader(_images, wraps=_picture_wrap)
def _image_folder(folder):
    import mindspore_compat.dataset as ds

    list(ds.ImageFolderDataset(str(folder), decode=True).create_tuple_iterator(num_epochs=1))


def idx_files(folder):
    for part in ("train", "t10k"):
        pixels = bytes(index % 251 for index in range(2 * 784))
        images = struct.pack(">4I", 2051, 2, 28, 28) + pixels
        labels = struct.pack(">2I", 2049, 2) + b"\1\2"
        (folder / f"{part}-images-idx3-ubyte").write_bytes(images)
        (folder / f"{part}-labels-idx1-ubyte").write_bytes(labels)
        with contextlib.suppress(FileExistsError):
            (folder / "gz").mkdir()
        for kind, content in (("images-idx3", images), ("labels-idx1", labels)):
            (folder / "gz" / f"{part}-{kind}-ubyte.gz").write_bytes(gzip.compress(content))


@reader(idx_files)
def _mnist(folder):
    import mindspore_compat.dataset as ds

    list(ds.MnistDataset(str(folder)).create_tuple_iterator(num_epochs=1))


def _cifar(folder):
    for name in ("data_batch_1.bin", "test_batch.bin"):
        (folder / name).write_bytes(bytes(index % 10 for index in range(2 * 3073)))
    (folder / "train.bin").write_bytes(bytes(index % 10 for index in range(2 * 3074)))


@reader(_cifar)
def _cifar10(folder):
    import mindspore_compat.dataset as ds

    list(ds.Cifar10Dataset(str(folder)).create_tuple_iterator(num_epochs=1))


@reader(_cifar)
def _cifar100(folder):
    import mindspore_compat.dataset as ds

    list(ds.Cifar100Dataset(str(folder), "train").create_tuple_iterator(num_epochs=1))


def line_files(folder):
    (folder / "lines.txt").write_text("one\ntwo é\n\nthree 3\n", "utf-8")
    (folder / "table.csv").write_text('a,b,c\n1,2.5,"x ""y"""\n-3,4,z\n', "utf-8")


@reader(line_files)
def _text_file(folder):
    import mindspore_compat.dataset as ds

    list(ds.TextFileDataset(str(folder / "lines.txt")).create_tuple_iterator(num_epochs=1))


@reader(line_files)
def _csv(folder):
    import mindspore_compat.dataset as ds

    data = ds.CSVDataset(str(folder / "table.csv"), column_defaults=[1, 0.5, ""])
    list(data.create_tuple_iterator(num_epochs=1, output_numpy=True))


@reader(line_files)
def _vocab(folder):
    from mindspore_compat.dataset import text

    text.Vocab.from_file(str(folder / "lines.txt"), ",", 3, ["<unk>"]).vocab()


@reader(line_files)
def _line_reader(folder):
    from mindspore_compat.dataset.utils import LineReader

    lines = LineReader(str(folder / "lines.txt"))
    with contextlib.closing(lines):
        [lines.readline(number) for number in range(1, lines.len() + 1)]


# Images -------------------------------------------------------------------------------------------


def _pictures(folder):
    import cv2
    from PIL import Image

    pixels = np.arange(6 * 5 * 3, dtype=np.uint8).reshape(6, 5, 3)
    for kind in ("bmp", "png", "jpg", "tiff", "webp", "ppm"):
        cv2.imwrite(str(folder / f"picture.{kind}"), pixels)
    Image.fromarray(pixels).save(folder / "picture.gif")


def _each_picture(read):
    def reading(folder):
        for path in sorted(folder.iterdir()):
            if path.suffix != ".gif" or "read_image" not in read.__name__:
                read(path)

    reading.__name__ = read.__name__
    return reading


def _picture_content(path):
    return np.frombuffer(path.read_bytes(), np.uint8)


def _read_image(path):
    from mindspore_compat.dataset import vision

    vision.read_image(str(path))


def _of_content(text):
    """A reader of bytes; its errors cannot name a file."""

    def read(path):
        from mindspore_compat.dataset import vision
        from mindspore_compat.dataset.vision import py_transforms_util

        known = {"vision": vision, "util": py_transforms_util, "content": _picture_content(path)}
        try:
            eval(text, known)
        except Exception as error:
            raise type(error)(f"{path}: {error}") from error

    return read


for _name, _read in (
    ("read_image", _read_image),
    ("decode", _of_content("vision.Decode()(content)")),
    ("decode_pil", _of_content("vision.Decode(to_pil=True)(content)")),
    ("decode_old", _of_content("util.decode(content.tobytes())")),
    ("crop_decode_resize", _of_content("vision.RandomCropDecodeResize(4)(content)")),
):
    _read.__name__ = _name
    READERS[_name] = Reader(_pictures, _each_picture(_read), wraps=_picture_wrap)
