"""Builds the messages of event files from values.

A summary file is a sequence of records (see `_io.tfrecord`), each an Event: time, step and a
Summary of tagged values. A lineage file contains LineageEvents instead. The field numbers come from
MindSpore's summary.proto and lineage.proto.
"""

import struct
import zlib

import numpy as np

from ..._io.protobuf import bytes_field, double_field, fields, float_field, int_field

_TYPES = (
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "float32",
    "float64",
)
_FURTHER_TYPES = {"complex64": 43, "complex128": 44, "bfloat16": 46}
_LINEAGE_FIELDS = {
    "train_lineage": 6,
    "eval_lineage": 7,
    "dataset_graph": 9,
    "custom_lineage_data": 10,
}
VERSION = "MindSpore.Event:1"
_IMAGES_A_ROW = 8
_MOST_BUCKETS = 90


def first_event(time):
    """Returns the first event of a file, the version of its format."""
    return double_field(1, time) + bytes_field(3, VERSION)


def summary_event(time, step, values):
    """Returns an event with the values of a step.

    Args:
        time (float): seconds since 1970.
        step (int): the number of the step.
        values (list[tuple]): (kind, tag, array) of each value; for "LANDSCAPE" bytes instead of an
            array.
    """
    parts = [
        bytes_field(1, bytes_field(1, tag) + _WRITTEN[kind](value)) for kind, tag, value in values
    ]
    return double_field(1, time) + int_field(2, step) + bytes_field(5, b"".join(parts))


def graph_event(time, model):
    """Returns an event with a network's graph, which is field 4 of the message `model`."""
    graph = b"".join(bytes(part) for number, _, part in fields(memoryview(model)) if number == 4)
    return double_field(1, time) + bytes_field(4, graph)


def lineage_event(time, kind, message):
    """Returns an event with the metadata of a training, an evaluation or a dataset."""
    return double_field(1, time) + bytes_field(_LINEAGE_FIELDS[kind], message)


def _scalar(array):
    return float_field(3, array.reshape(-1)[0])


def type_number(dtype):
    """Returns the number of a NumPy dtype in these files."""
    return _TYPES.index(dtype.name) + 1 if dtype.name in _TYPES else _FURTHER_TYPES[dtype.name]


def _tensor(array):
    return bytes_field(8, tensor_message(array))


def tensor_message(array):
    """Returns a message of an array's shape and dtype, and its values as float32."""
    body = b"".join(int_field(1, length) for length in array.shape)
    body += int_field(2, type_number(array.dtype))
    return body + bytes_field(3, array.astype("<f4").tobytes())


def _landscape(message):
    return bytes_field(10, message)


def _histogram(array):
    values = array.astype(np.float64).reshape(-1)
    finite = values[np.isfinite(values)]
    counts = (np.isnan(values).sum(), np.isposinf(values).sum(), np.isneginf(values).sum())
    body = [int_field(number, int(count)) for number, count in enumerate(counts, 2)]
    low = high = total = 0.0
    if len(finite):
        low, high, total = finite.min(), finite.max(), finite.sum()
        body[:0] = _buckets(finite, low, high)
    body += [
        double_field(5, high),
        double_field(6, low),
        double_field(7, total),
        int_field(8, values.size),
    ]
    return bytes_field(9, b"".join(body))


def _buckets(values, low, high):
    if low == high:
        low, high = low - 0.5, high + 0.5
    counts, edges = np.histogram(values, buckets_for(len(values)), (low, high))
    for count, left, right in zip(counts, edges[:-1], edges[1:], strict=True):
        yield bytes_field(
            1, double_field(1, left) + double_field(2, right - left) + int_field(3, int(count))
        )


def buckets_for(count):
    """Returns the number of buckets for a histogram of `count` values: 9 to 10 values each, at most
    90."""
    if count <= 10:
        return 2 if count <= 5 else 3
    return min(count // 10 + 1, _MOST_BUCKETS)


def _image(array):
    canvas = as_bytes(on_canvas(array))
    height, width, _ = canvas.shape
    return bytes_field(
        4,
        int_field(1, height) + int_field(2, width) + int_field(3, 3) + bytes_field(4, png(canvas)),
    )


def on_canvas(images):
    """Arranges images (N, 1 or 3, H, W) side by side, eight per row, in one (rows, columns, 3)
    image."""
    count, _, height, width = images.shape
    columns = min(count, _IMAGES_A_ROW)
    rows = -(-count // columns)
    canvas = np.zeros((rows * columns, 3, height, width), images.dtype)
    canvas[:count] = images
    return (
        canvas.reshape(rows, columns, 3, height, width)
        .transpose(0, 3, 1, 4, 2)
        .reshape(rows * height, columns * width, 3)
    )


def as_bytes(image):
    """Converts an image to values of 0 to 255: uint8 unchanged, [0, 1] times 255, others scaled
    from their minimum and maximum."""
    if image.dtype == np.uint8:
        return image
    low, high = float(image.min()), float(image.max())
    if low >= 0 and high <= 1:
        low, scale = 0.0, 255.0
    else:
        scale = 255 / (high - low + 1) if high != low else 1.0
    return ((image.astype(np.float32) - low) * scale).astype(np.uint8)


def png(image):
    """Encodes a (height, width, 3) uint8 image as a PNG file."""
    height, width, _ = image.shape
    lines = np.zeros((height, 1 + width * 3), np.uint8)  # each line begins with "no filter"
    lines[:, 1:] = image.reshape(height, -1)
    chunks = (
        (b"IHDR", struct.pack(">2I5B", width, height, 8, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(lines.tobytes())),
        (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )


_WRITTEN = {
    "scalar": _scalar,
    "tensor": _tensor,
    "image": _image,
    "histogram": _histogram,
    "LANDSCAPE": _landscape,
}
KINDS = tuple(_WRITTEN)
LINEAGES = tuple(_LINEAGE_FIELDS)
