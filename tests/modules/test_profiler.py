"""mindspore.profiler: what is recorded, when, and which files are written."""

import csv
import json
import sys

import numpy
import pytest

import mindspore_compat as ms
from mindspore_compat import nn, ops, profiler


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    before = sys.getprofile()
    yield
    assert sys.getprofile() is before


def work(times=1):
    net = nn.SequentialCell(nn.Dense(3, 4), nn.ReLU())
    x = ms.Tensor(numpy.ones((2, 3), numpy.float32))
    for _ in range(times):
        net(x)
    return net, x


def table(path):
    with open(path, encoding="utf-8") as file:
        return {(row["kind"], row["name"]): row for row in csv.DictReader(file)}


def test_profiler_counts_operators_and_cells(tmp_path):
    recording = ms.Profiler(output_path=str(tmp_path / "out"))
    work(3)
    recording.analyse()
    ops.relu(ms.Tensor([1.0]))
    rows = table(tmp_path / "out" / "op_statistic.csv")
    assert rows["op", "relu"]["count"] == "3"
    assert rows["cell", "Dense"]["count"] == "3"
    assert float(rows["op", "relu"]["total_us"]) > 0
    assert ("gradient", "relu") not in rows
    events = json.loads((tmp_path / "out" / "trace_view.json").read_text())
    assert sum(event["name"] == "relu" for event in events) == 3
    cell = next(event for event in events if event["name"] == "SequentialCell")
    inner = next(event for event in events if event["name"] == "relu")
    assert cell["ts"] <= inner["ts"] and inner["ts"] + inner["dur"] <= cell["ts"] + cell["dur"]


def test_gradients_are_distinguished(tmp_path):
    with profiler.profile() as recording:
        net, x = work()
        ms.grad(lambda t: net(t).sum())(x)
    kinds = {(event.kind, event.name) for event in recording.events}
    assert ("gradient", "relu") in kinds and ("op", "relu") in kinds
    assert (tmp_path / "data" / "op_statistic.csv").exists()


def test_start_and_stop():
    recording = ms.Profiler(start_profile=False, output_path="out")
    ops.relu(ms.Tensor([1.0]))
    recording.start()
    ops.tanh(ms.Tensor([1.0]))
    recording.stop()
    ops.relu(ms.Tensor([1.0]))
    assert {event.name for event in recording.events} == {"tanh"}


def test_op_analyse():
    recording = ms.Profiler(output_path="out")
    ops.relu(ms.Tensor([1.0]))
    found = json.loads(recording.op_analyse(["ReLU", "Conv2D"]))
    assert found["ReLU"]["count"] == 1 and found["Conv2D"] is None
    for wrong in ((1,), ("ReLU", "0")):
        with pytest.raises(TypeError):
            recording.op_analyse(*wrong)
    recording.analyse()


def test_an_operator_inside_another_is_part_of_it():
    with profiler.profile() as recording:
        ops.softmax(ms.Tensor([1.0, 2.0]))
    assert [event.name for event in recording.events if event.kind == "op"] == ["softmax"]


@pytest.mark.parametrize(
    "arguments, actions",
    [
        (dict(wait=1, active=2, warmup=1, repeat=1, skip_first=1), "NNWRSNNN"),
        (dict(wait=0, active=1), "SSSSSSSS"),
        (dict(wait=1, active=1, repeat=2), "NSNSNNNN"),
        (dict(wait=-1, active=0), "SSSSSSSS"),
    ],
)
def test_schedule(arguments, actions):
    letters = {
        profiler.ProfilerAction.NONE: "N",
        profiler.ProfilerAction.WARM_UP: "W",
        profiler.ProfilerAction.RECORD: "R",
        profiler.ProfilerAction.RECORD_AND_SAVE: "S",
    }
    plan = profiler.schedule(**arguments)
    assert "".join(letters[plan(step)] for step in range(8)) == actions


def test_schedule_and_handler(tmp_path):
    ready = []
    with profiler.profile(
        schedule=profiler.schedule(wait=1, active=2, repeat=1),
        on_trace_ready=lambda each: ready.append(list(each.events)),
    ) as recording:
        for _ in range(5):
            ops.relu(ms.Tensor([1.0]))
            recording.step()
    (events,) = ready
    assert [event.step for event in events if event.name == "relu"] == [1, 2]


def test_trace_handler_writes_a_folder_for_each_recording(tmp_path):
    handler = profiler.tensorboard_trace_handler(str(tmp_path / "tb"), "me")
    with profiler.profile(on_trace_ready=handler) as recording:
        ops.relu(ms.Tensor([1.0]))
        recording.add_metadata("note", "text")
        recording.add_metadata_json("numbers", "[1, 2]")
        recording.add_metadata_json("broken", "{")
    (folder,) = (tmp_path / "tb").iterdir()
    assert folder.name.startswith("me_") and folder.name.endswith("_ms")
    assert json.loads((folder / "profiler_metadata.json").read_text()) == {
        "note": "text",
        "numbers": [1, 2],
    }


def test_marks():
    assert profiler.mstx.range_start("outside") == 0
    with profiler.profile() as recording:
        number = profiler.mstx.range_start("range")
        profiler.mstx.mark("moment")
        profiler.mstx.range_end(number)
        profiler.mstx.range_end(number)
    marks = [event for event in recording.events if event.kind == "mark"]
    assert [event.name for event in marks] == ["moment", "range"]
    assert marks[0].start == marks[0].end and marks[1].start <= marks[0].start <= marks[1].end


@pytest.mark.parametrize(
    "arguments",
    [
        dict(output_path=1),
        dict(start_profile="yes"),
        dict(activities=1),
        dict(is_detail=True),
        dict(profiler_level=profiler.ProfilerLevel.Level1, profile_memory=True),
    ],
)
def test_no_argument_stops_a_training(arguments):
    recording = ms.Profiler(**arguments)
    recording.start()
    recording.analyse()
    recording.stop()
    recording.step()
