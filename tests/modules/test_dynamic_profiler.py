"""EnvProfiler and DynamicProfilerMonitor: profiles requested by a variable or a file."""

import csv
import itertools
import json

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import dataset as ds
from mindspore_compat import nn, ops
from mindspore_compat.profiler import DynamicProfilerMonitor, EnvProfiler, dynamic_profiler


def train(*callbacks, steps=6):
    def batches():
        for _ in range(steps):
            yield np.ones((2, 3), np.float32), np.zeros(2, np.int32)

    net = nn.Dense(3, 2)
    optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True)
    data = ds.GeneratorDataset(batches, ["data", "label"])
    ms.Model(net, loss, optimizer).train(
        1, data, callbacks=list(callbacks), dataset_sink_mode=False
    )


def counts(folder):
    """Returns how often each Cell ran in the one recording of a folder."""
    (path,) = folder.glob("*_ms/op_statistic.csv")
    with open(path, encoding="utf-8") as file:
        return {r["name"]: int(r["count"]) for r in csv.DictReader(file) if r["kind"] == "cell"}


def request(folder, **config):
    folder.mkdir(exist_ok=True)
    (folder / "profiler_config.json").write_text(json.dumps(config))
    return str(folder)


def test_the_steps_of_the_file_are_recorded(tmp_path):
    config = request(tmp_path / "config", start_step=2, stop_step=4)
    train(DynamicProfilerMonitor(config, str(tmp_path / "out")))
    assert counts(tmp_path / "out" / "rank0_start2_stop4")["Dense"] == 3


def test_the_file_is_read_again(tmp_path, monkeypatch):
    moments = itertools.count(step=10)
    monkeypatch.setattr(dynamic_profiler.time, "monotonic", lambda: next(moments))
    config = request(tmp_path / "config", start_step=1, stop_step=1)
    monitor = DynamicProfilerMonitor(config, str(tmp_path / "out"), poll_interval=1)

    class Change(ms.Callback):
        def on_train_step_end(self, run_context):
            step = run_context.original_args().cur_step_num
            if step == 2:
                request(tmp_path / "config", start_step=1, stop_step=5)  # has been
            if step == 3:
                request(tmp_path / "config", start_step=5, stop_step=5)

    train(monitor, Change())
    folders = {path.name for path in (tmp_path / "out").iterdir()}
    assert folders == {"rank0_start1_stop1", "rank0_start5_stop5"}


def test_a_range_ends_with_the_training_and_prof_path_counts(tmp_path):
    config = request(
        tmp_path / "config", start_step=5, stop_step=99, prof_path=str(tmp_path / "other")
    )
    train(DynamicProfilerMonitor(config, str(tmp_path / "out")))
    assert counts(tmp_path / "other" / "rank0_start5_stop99")["Dense"] == 2
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("text", ["no JSON", "[1]", '{"start_step": 3, "stop_step": 2}', "{}"])
def test_a_wrong_file_records_nothing(tmp_path, text):
    (tmp_path / "profiler_config.json").write_text(text)
    train(DynamicProfilerMonitor(str(tmp_path), str(tmp_path / "out")), steps=3)
    assert not (tmp_path / "out").exists()


def test_arguments_of_the_monitor(tmp_path):
    with pytest.raises(TypeError, match="'cfg_path'"):
        DynamicProfilerMonitor()
    DynamicProfilerMonitor(str(tmp_path / "new"), output_path=5, poll_interval=0)
    found = json.loads((tmp_path / "new" / "profiler_config.json").read_text())
    assert (found["start_step"], found["stop_step"]) == (-1, -1)


@pytest.mark.parametrize("value", [None, '{"start": false}', "no JSON"])
def test_no_recording_is_requested(monkeypatch, tmp_path, value):
    monkeypatch.chdir(tmp_path)
    if value is not None:
        monkeypatch.setenv("MS_PROFILER_OPTIONS", value)
    recording = EnvProfiler()
    recording.init_profiler()
    recording.analyse()
    assert recording.profiler is None
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("activities", [["CPU"], ["unknown"]])
def test_the_variable_requests_a_recording(monkeypatch, tmp_path, activities):
    options = {"start": True, "output_path": str(tmp_path / "out"), "activities": activities}
    monkeypatch.setenv("MS_PROFILER_OPTIONS", json.dumps(options))
    recording = EnvProfiler()
    recording.init_profiler()
    nn.ReLU()(ms.Tensor([1.0]))
    recording.analyse()
    ops.relu(ms.Tensor([1.0]))
    assert counts(tmp_path / "out") == {"ReLU": 1}


def test_options_that_are_no_object(monkeypatch):
    monkeypatch.setenv("MS_PROFILER_OPTIONS", "[1]")
    with pytest.raises(AttributeError):
        EnvProfiler().init_profiler()
