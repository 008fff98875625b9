"""Summaries converted for TensorBoard, read back with its messages."""

import subprocess
import sys

import numpy as np
import pytest
from kit import close

from mindspore_compat import Tensor
from mindspore_compat._io import tfrecord
from mindspore_compat.train.summary import SummaryRecord, tensorboard

pytest.importorskip("tensorboardX")


@pytest.fixture
def summary(tmp_path):
    """A folder with two steps of values of all kinds."""
    folder = tmp_path / "summary"
    values = np.arange(12, dtype=np.float32)
    with SummaryRecord(str(folder)) as record:
        for step in (1, 2):
            record.add_value("scalar", "loss", Tensor(0.5 / step))
            record.add_value("histogram", "weights", Tensor(values))
            record.add_value("image", "picture", Tensor(np.ones((1, 3, 4, 5), np.float32)))
            record.add_value("tensor", "raw", Tensor(values))
            record.record(step)
    return folder


def events(folder):
    from tensorboardX.proto.event_pb2 import Event

    (path,) = folder.iterdir()
    return [Event.FromString(data) for data in tfrecord.records(str(path))]


def test_values_come_back_by_step(summary, tmp_path):
    copied, left_out = tensorboard.convert(summary, tmp_path / "log")
    assert copied == {"scalar": 2, "histogram": 2, "image": 2} and left_out == {"tensor": 2}
    first, *steps = events(tmp_path / "log")
    assert first.file_version == "brain.Event:2"
    assert [event.step for event in steps] == [1, 2]
    assert steps[0].wall_time > 1e9
    for step, event in enumerate(steps, 1):
        found = {value.tag: value for value in event.summary.value}
        assert sorted(found) == ["loss", "picture", "weights"]
        close(found["loss"].simple_value, 0.5 / step)
        assert (found["picture"].image.height, found["picture"].image.width) == (4, 5)
        assert found["picture"].image.encoded_image_string.startswith(b"\x89PNG")
        histogram = found["weights"].histo
        assert (histogram.min, histogram.max, histogram.num, histogram.sum) == (0, 11, 12, 66)
        assert sum(histogram.bucket) == 12 and histogram.bucket_limit[-1] == 11
        assert histogram.sum_squares == 6 * 2.75**2 + 6 * 8.25**2  # two buckets of six values


def test_command_prints_what_it_copied(summary, tmp_path):
    command = [sys.executable, "-m", tensorboard.__name__, str(summary), str(tmp_path / "log")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    expected = ["histogram: 2 copied", "image: 2 copied", "scalar: 2 copied", "tensor: 2 left out"]
    assert done.stdout.split("\n")[:-1] == expected


def test_folder_without_summaries_is_refused(tmp_path):
    with pytest.raises(ValueError, match="'summary_dir' must be a folder with event files"):
        tensorboard.convert(tmp_path, tmp_path / "log")
    assert not (tmp_path / "log").exists()


def test_damaged_file_leaves_no_log(summary, tmp_path):
    (path,) = summary.glob("*summary*")
    path.chmod(0o600)
    path.write_bytes(path.read_bytes()[:-3])
    with pytest.raises(ValueError, match="damaged"):
        tensorboard.convert(summary, tmp_path / "log")
    assert not (tmp_path / "log").exists()
