"""SummaryRecord: what and when it writes, read by hand and by MindSpore's protobuf; rejected
calls.
"""

import io
import json
import os
import struct

import numpy as np
import pytest
from kit import close

import mindspore_compat as ms
from mindspore_compat import Tensor, ops
from mindspore_compat._io import tfrecord
from mindspore_compat._io.protobuf import BYTES, FIXED32, FIXED64, fields, floats
from mindspore_compat.train.summary import SummaryRecord, _events
from mindspore_compat.train.summary.summary_record import _get_summary_tensor_data

RANDOM = np.random.RandomState(0)


def message(data):
    """A message as a dict from field numbers to lists of values."""
    found = {}
    for number, kind, value in fields(memoryview(data)):
        if kind in (FIXED64, FIXED32):
            (value,) = struct.unpack("<d" if kind == FIXED64 else "<f", value)
        found.setdefault(number, []).append(bytes(value) if kind == BYTES else value)
    return found


def events(path):
    return [message(data) for data in tfrecord.records(str(path))]


def values_of(event):
    """Kind field, message or number, by tag."""
    found = {}
    for value in message(event[5][0]).get(1, []):
        parts = message(value)
        found[parts.pop(1)[0].decode()] = parts
    return found


@pytest.fixture
def recorder(tmp_path):
    made = []

    def make(**arguments):
        made.append(SummaryRecord(str(tmp_path / "log"), **arguments))
        return made[-1]

    yield make
    for record in made:
        record.close()


def recorded(record, *values, step=3):
    for value in values:
        record.add_value(*value)
    assert record.record(step) is True
    record.flush()
    return values_of(events(record.log_dir)[-1])


def test_a_file_begins_with_its_version(recorder):
    record = recorder()
    assert not os.path.exists(record.log_dir)
    recorded(record, ("scalar", "loss", Tensor(0.5)), step=7)
    first, second = events(record.log_dir)
    assert first[3] == [b"MindSpore.Event:1"] and second[2] == [7]
    assert 0 <= second[1][0] - first[1][0] < 60


def test_scalars(recorder):
    found = recorded(recorder(), ("scalar", "a", Tensor(0.5)), ("scalar", "b", Tensor([[3]])))
    assert found == {"a": {3: [0.5]}, "b": {3: [3.0]}}


@pytest.mark.parametrize(
    "dtype, number", [(np.float32, 11), (np.float16, 10), (np.int64, 5), (np.bool_, 1)]
)
def test_tensors(recorder, dtype, number):
    array = np.arange(6).reshape(2, 3).astype(dtype)
    parts = message(recorded(recorder(), ("tensor", "t", Tensor(array)))["t"][8][0])
    assert parts[1] == [2, 3] and parts[2] == [number]
    assert floats(BYTES, parts[3][0]) == array.astype(float).reshape(-1).tolist()


def test_distributions(recorder):
    array = np.array([*range(50), np.nan, np.inf, np.inf, -np.inf], np.float32)
    parts = message(recorded(recorder(), ("histogram", "h", Tensor(array)))["h"][9][0])
    buckets = [message(each) for each in parts[1]]
    assert [each[3][0] for each in buckets] == [9, 8, 8, 8, 8, 9]
    close([each[1][0] for each in buckets], np.arange(6) * 49 / 6, atol=0)
    close([each[2][0] for each in buckets], 49 / 6, atol=0)
    assert [parts[number][0] for number in range(2, 9)] == [1, 2, 1, 49.0, 0.0, 1225.0, 54]


def test_distributions_of_one_value_and_of_none(recorder):
    found = recorded(
        recorder(),
        ("histogram", "same", Tensor(np.full(4, 2, np.float32))),
        ("histogram", "none", Tensor(np.full(2, np.nan, np.float32))),
    )
    same, none = message(found["same"][9][0]), message(found["none"][9][0])
    assert [message(each)[3][0] for each in same[1]] == [0, 4]
    assert message(same[1][0])[1] == [1.5] and 1 not in none and none[2] == [2]


@pytest.mark.parametrize(
    "count, buckets", [(1, 2), (5, 2), (6, 3), (10, 3), (11, 2), (880, 89), (5000, 90)]
)
def test_the_number_of_buckets(count, buckets):
    assert _events.buckets_for(count) == buckets


@pytest.mark.parametrize(
    "images, expected",
    [
        (np.arange(48, dtype=np.uint8).reshape(1, 3, 4, 4), lambda x: x),
        (RANDOM.rand(1, 3, 4, 4).astype(np.float32), lambda x: (x * 255).astype(np.uint8)),
        (
            RANDOM.randn(1, 1, 4, 4).astype(np.float32),
            lambda x: ((x - x.min()) * (255 / (x.max() - x.min() + 1))).astype(np.uint8),
        ),
    ],
)
def test_images(recorder, images, expected):
    parts = message(recorded(recorder(), ("image", "i", Tensor(images)))["i"][4][0])
    assert [parts[1], parts[2], parts[3]] == [[4], [4], [3]]
    image = pytest.importorskip("PIL.Image")
    found = np.asarray(image.open(io.BytesIO(parts[4][0])))
    wanted = np.broadcast_to(expected(images)[0], (3, 4, 4)).transpose(1, 2, 0)
    assert np.abs(found.astype(int) - wanted).max() <= 1


def test_many_images_stand_eight_a_row():
    images = np.arange(10, dtype=np.uint8).reshape(10, 1, 1, 1) * np.ones((10, 1, 2, 3), np.uint8)
    canvas = _events.on_canvas(images)
    assert canvas.shape == (4, 24, 3)
    assert canvas[0, ::3, 0].tolist() == list(range(8))
    assert canvas[2, ::3, 2].tolist() == [8, 9, 0, 0, 0, 0, 0, 0]


def test_summary_ops_are_recorded_while_training(recorder):
    record = recorder()
    ops.ScalarSummary()("loss", Tensor(1.0))
    ops.ScalarSummary()("loss", Tensor(2.0))
    ops.TensorSummary()("t", Tensor([1.0]))
    assert recorded(record)["loss"] == {3: [2.0]}
    record.set_mode("eval")
    ops.ScalarSummary()("loss", Tensor(3.0))
    record.record(4)
    record.set_mode("train")
    found = recorded(record, ("scalar", "other", Tensor(1)), step=5)
    assert list(found) == ["other"] and len(events(record.log_dir)) == 3
    record.close()
    ops.ScalarSummary()("loss", Tensor(1.0))


def test_a_graph_refuses_a_summary_of_something_other_than_a_tensor():
    """PyNative mode ignores the value, as MindSpore 2.10 does."""
    for kind in ("Scalar", "Tensor", "Image", "Histogram"):
        summary = getattr(ops, f"{kind}Summary")()
        assert summary("loss", 1.0) is None
        with pytest.raises(TypeError, match=f"For '{kind}Summary', 'value' must be a Tensor"):
            ms.jit(lambda x, record=summary: record("loss", 1.0) or x)(Tensor(1.0))


def test_kinds_are_filtered(recorder):
    record = recorder()
    record.add_value("scalar", "a", Tensor(1))
    record.add_value("tensor", "b", Tensor([1]))
    record.record(1, plugin_filter=lambda kind: kind == "tensor")
    record.flush()
    assert list(values_of(events(record.log_dir)[-1])) == ["b"]


def test_of_two_values_the_newest_is_written(recorder):
    assert recorded(recorder(), ("scalar", "a", Tensor(1)), ("scalar", "a", Tensor(2))) == {
        "a": {3: [2.0]}
    }


class Message:
    def SerializeToString(self):  # noqa: N802 - protobuf's name
        return b"\x0a\x02hi"


def test_messages_are_kept(recorder):
    record = recorder()
    record.add_value("train_lineage", "x", Message())
    record.add_value("graph", "x", b"\x22\x03abc\x08\x01")
    record.record(1)
    record.flush()
    (lineage,) = events(record.log_dir.replace("_MS", "_lineage"))
    assert lineage[6] == [b"\x0a\x02hi"]
    assert events(record.log_dir)[-1][4] == [b"abc"]


def test_tensors_are_exported(recorder):
    record = recorder(export_options={"tensor_format": "npy"})
    array = RANDOM.rand(2, 2)
    recorded(record, ("tensor", "a/b", Tensor(array)), ("scalar", "c", Tensor(1)))
    (folder,) = [each for each in os.listdir(record.base_log_dir) if each.startswith("export_")]
    path = os.path.join(record.base_log_dir, folder, "tensor")
    assert os.listdir(path) == ["a%2Fb_3.npy"]
    np.testing.assert_array_equal(np.load(os.path.join(path, "a%2Fb_3.npy")), array)


def test_full_files_take_no_more(recorder):
    record = recorder(max_file_size=200)
    for step in range(20):
        record.add_value("scalar", "loss", Tensor(1.0))
        assert record.record(step)
    record.flush()
    assert os.path.getsize(record.log_dir) <= 200 and len(events(record.log_dir)) == 4
    record.close()
    record = recorder(max_file_size=10, raise_exception=True)
    record.add_value("scalar", "loss", Tensor(1.0))
    with pytest.raises(RuntimeError, match="10 more bytes"):
        record.record(1)


def test_names_and_closing(recorder, tmp_path):
    with recorder(file_prefix="pre", file_suffix="_suf") as record:
        assert os.path.basename(record.log_dir).startswith("pre.out.events.summary.")
        assert record.log_dir.endswith("_suf") and os.path.dirname(record.log_dir) == str(
            (tmp_path / "log").resolve()
        )
        with pytest.raises(RuntimeError, match="another"):
            SummaryRecord(str(tmp_path))
    assert record.record(1) is False
    with pytest.raises(ValueError, match="closed"), record:
        pass


@pytest.mark.parametrize(
    "arguments, error",
    [
        ({"file_prefix": 5}, TypeError),
        ({"file_suffix": "/x"}, ValueError),
        ({"max_file_size": "1"}, TypeError),
        ({"raise_exception": 1}, TypeError),
        ({"network": 5}, TypeError),
        ({"export_options": 5}, TypeError),
        ({"export_options": {"tensor_format": "txt"}}, ValueError),
        ({"export_options": {"scalar_format": "npy"}}, ValueError),
    ],
)
def test_arguments_are_refused(tmp_path, arguments, error):
    with pytest.raises(error):
        SummaryRecord(str(tmp_path), **arguments)
    assert SummaryRecord.count == 0


@pytest.mark.parametrize(
    "value, error",
    [
        (("sound", "a", Tensor(1)), ValueError),
        (("scalar", "", Tensor(1)), ValueError),
        (("scalar", 5, Tensor(1)), ValueError),
        (("scalar", "a", 1.0), TypeError),
        (("scalar", "a", Tensor([1, 2])), ValueError),
        (("tensor", "a", Tensor(1)), ValueError),
        (("image", "a", Tensor([[1]])), ValueError),
        (("train_lineage", "a", 5), TypeError),
    ],
)
def test_values_are_refused(recorder, value, error):
    with pytest.raises(error):
        recorder().add_value(*value)


def test_calls_are_refused(recorder):
    record = recorder()
    with pytest.raises(ValueError, match="mode"):
        record.set_mode("test")
    with pytest.raises(TypeError, match="step"):
        record.record(1.5)
    with pytest.raises(TypeError, match="train_network"):
        record.record(1, 5)


def test_it_is_found_at_the_top():
    assert ms.SummaryRecord is SummaryRecord


def test_the_originals_messages_hold_the_same(oracle, recorder):
    record = recorder()
    recorded(
        record,
        ("scalar", "s", Tensor(0.5)),
        ("tensor", "t", Tensor([[1.0, 2.0]])),
        ("histogram", "h", Tensor(np.arange(50, dtype=np.float32))),
        ("image", "i", Tensor(RANDOM.rand(2, 3, 4, 4).astype(np.float32))),
    )
    printed = oracle(
        """
import sys, json
from mindspore.train import summary_pb2
data, at, found = open(sys.argv[1], "rb").read(), 0, {}
while at < len(data):
    length = int.from_bytes(data[at:at + 8], "little")
    event = summary_pb2.Event.FromString(data[at + 12:at + 12 + length])
    at += 16 + length
    for value in event.summary.value:
        kind, = [field.name for field, _ in value.ListFields() if field.name != "tag"]
        found[value.tag] = [kind, event.step]
    found["version"] = found.get("version") or event.version
found["h"].append(sum(bucket.count for bucket in [
    b for value in event.summary.value for b in value.histogram.buckets]))
print(json.dumps(found))
""",
        record.log_dir,
    )
    assert json.loads(printed.splitlines()[-1]) == {
        "s": ["scalar_value", 3],
        "t": ["tensor", 3],
        "h": ["histogram", 3, 50],
        "i": ["image", 3],
        "version": "MindSpore.Event:1",
    }


@pytest.mark.parametrize("kind", ["Scalar", "Image", "Tensor", "Histogram"])
def test_summary_ops_refuse_an_empty_tag(kind):
    with pytest.raises(ValueError, match="'name' must not be empty"):
        getattr(ops, f"{kind}Summary")()("", Tensor(np.ones((1, 1, 2, 2), np.float32)))


@pytest.mark.parametrize("kind", ["Image", "Tensor", "Histogram"])
def test_summary_ops_refuse_a_number(kind):
    with pytest.raises(ValueError, match="'value' must have a rank in"):
        getattr(ops, f"{kind}Summary")()("tag", Tensor(1.0))


def test_a_blank_folder_is_refused():
    with pytest.raises(ValueError, match="log_dir"):
        ms.SummaryRecord(" ")


def test_tools_read_what_the_ops_of_a_network_show(recorder):
    """The newest value of each tag, once; MindSpore 2.10 returns the same in graph mode."""

    class Net(ms.nn.Cell):
        def construct(self, x):
            ops.TensorSummary()("layer", x)
            ops.ScalarSummary()("sum", x.sum())
            return x * 2

    _get_summary_tensor_data()
    net = Net()
    net(Tensor([1.0, 2.0]))
    net(Tensor([1.0, 4.0]))
    shown = _get_summary_tensor_data()
    assert list(shown) == ["layer[:Tensor]", "sum[:Scalar]"]
    assert shown["layer[:Tensor]"].asnumpy().tolist() == [1, 4]
    assert shown["sum[:Scalar]"].asnumpy() == 5
    assert _get_summary_tensor_data() == {}
    record = recorder()
    net(Tensor([1.0, 2.0]))
    record.record(1)
    assert _get_summary_tensor_data() == {}
