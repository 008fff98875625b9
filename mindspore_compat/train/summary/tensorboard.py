"""Converts summaries for TensorBoard: copies the values of event files to a folder that it reads.

    python -m mindspore_compat.train.summary.tensorboard summary_dir log_dir
    tensorboard --logdir log_dir

converts the files of SummaryRecord and SummaryCollector, written here or by MindSpore. Both formats
have the same records with different messages. The package tensorboardX writes the new ones: `pip
install mindspore-compat[tensorboard]`.
"""

import argparse
import collections
import pathlib
import struct

from ..._io.protobuf import fields
from ..._io.tfrecord import records

_SUMMARY = 5  # field numbers of an Event, and of a Value
_TAG, _SCALAR, _IMAGE, _HISTOGRAM = 1, 3, 4, 9
_OTHERS = {8: "tensor", 10: "landscape"}


def convert(summary_dir, log_dir):
    """Copies scalars, images and histograms to an event file of TensorBoard.

    Args:
        summary_dir (str): a folder with files of SummaryRecord or SummaryCollector.
        log_dir (str): the folder of the new file.

    Returns:
        tuple of two Counters by kind: the values that were copied, and those omitted because
            TensorBoard does not show them ("tensor", "landscape").

    Raises:
        ValueError: if `summary_dir` has no event file, or one is damaged.
        ImportError: if tensorboardX is not installed.

    Example:
        >>> import tempfile
        >>> from mindspore_compat import SummaryRecord, Tensor
        >>> from mindspore_compat.train.summary import tensorboard
        >>> folder = tempfile.mkdtemp()
        >>> with SummaryRecord(folder) as record:
        ...     record.add_value("scalar", "loss", Tensor(0.5))
        ...     _ = record.record(1)
        >>> tensorboard.convert(folder, folder + "/tensorboard")  # doctest: +SKIP
        (Counter({'scalar': 1}), Counter())
    """
    paths = sorted(pathlib.Path(summary_dir).glob("*.out.events.summary.*"))
    paths = [path for path in paths if not path.name.endswith("_lineage")]
    if not paths:
        raise ValueError(
            f"For 'convert', 'summary_dir' must be a folder with event files, but got "
            f"{str(summary_dir)!r}, which has none."
        )
    library = _library()
    copied, left_out = collections.Counter(), collections.Counter()
    events = [event for path in paths for event in _events(library, path, copied, left_out)]
    writer = library.FileWriter(str(log_dir))
    for event in events:
        writer.add_event(event, event.step, event.wall_time)
    writer.close()
    return copied, left_out


def _library():
    """Returns the package `tensorboardX` and the messages of TensorBoard."""
    try:
        import tensorboardX
        import tensorboardX.proto.event_pb2
        import tensorboardX.proto.summary_pb2
    except ImportError as error:
        raise ImportError(
            "TensorBoard's files need the package tensorboardX: "
            "pip install mindspore-compat[tensorboard]"
        ) from error
    return tensorboardX


def _events(library, path, copied, left_out):
    """Yields the steps of a file as TensorBoard events."""
    for record in records(str(path)):
        event = library.proto.event_pb2.Event()
        for number, _, part in fields(memoryview(record)):
            if number == 1:
                (event.wall_time,) = struct.unpack("<d", part)
            elif number == 2:
                event.step = part
            elif number == _SUMMARY:
                for _, _, value in fields(part):
                    _add(library.proto.summary_pb2, event.summary, value, copied, left_out)
        if event.summary.value:
            yield event


def _add(messages, summary, value, copied, left_out):
    """Adds a tagged value to a summary."""
    tag = ""
    for number, _, part in fields(value):
        if number == _TAG:
            tag = str(part, "utf-8")
        elif number == _SCALAR:
            (number,) = struct.unpack("<f", part)
            summary.value.add(tag=tag, simple_value=number)
            copied["scalar"] += 1
        elif number == _IMAGE:  # the same message
            summary.value.add(tag=tag, image=messages.Summary.Image.FromString(bytes(part)))
            copied["image"] += 1
        elif number == _HISTOGRAM:
            summary.value.add(tag=tag, histo=_histogram(messages, part))
            copied["histogram"] += 1
        elif number in _OTHERS:
            left_out[_OTHERS[number]] += 1


def _histogram(messages, part):
    """Converts a histogram; the sum of squares is computed from the centres of its buckets."""
    histogram = messages.HistogramProto()
    for number, _, value in fields(part):
        if number == 1:
            sizes = {key: data for key, _, data in fields(value)}
            left, width = (struct.unpack("<d", sizes[key])[0] for key in (1, 2))
            histogram.bucket_limit.append(left + width)
            histogram.bucket.append(sizes.get(3, 0))
            histogram.num += sizes.get(3, 0)
            histogram.sum_squares += sizes.get(3, 0) * (left + width / 2) ** 2
        elif number in (5, 6, 7):
            setattr(
                histogram, {5: "max", 6: "min", 7: "sum"}[number], struct.unpack("<d", value)[0]
            )
    return histogram


def main():
    """Runs the command."""
    parser = argparse.ArgumentParser(
        prog="python -m mindspore_compat.train.summary.tensorboard",
        description="Copies summaries to files that TensorBoard reads.",
    )
    parser.add_argument("summary_dir", help="a folder with files of SummaryRecord")
    parser.add_argument("log_dir", help="where TensorBoard's file goes")
    arguments = parser.parse_args()
    try:
        copied, left_out = convert(arguments.summary_dir, arguments.log_dir)
    except (ValueError, ImportError) as error:
        parser.error(str(error))
    for counts, verb in ((copied, "copied"), (left_out, "left out")):
        for kind, count in sorted(counts.items()):
            print(f"{kind}: {count} {verb}")


if __name__ == "__main__":
    main()
