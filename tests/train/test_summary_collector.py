"""SummaryCollector: which values it writes at which steps, what it records of the run; rejected
calls.

The tags and steps, the lineage and the files for a landscape are those that MindSpore 2.10 writes
for the same script.
"""

import glob
import json
import os
import re

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import dataset as ds
from mindspore_compat import nn, ops
from mindspore_compat.train import Accuracy, LossMonitor, Model, ModelCheckpoint, SummaryCollector
from mindspore_compat.train import model as model_file
from mindspore_compat.train.callback._summary_collector import tensor_steps
from mindspore_compat.train.summary import _dataset_graph, _lineage
from tests.train.test_summary import events, message, values_of

NO_LANDSCAPE = {"collect_landscape": None}


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 2, 3)
        self.flatten = nn.Flatten()
        self.fc = nn.Dense(2 * 16, 3)
        self.drop = nn.Dropout(p=0.5)
        self.scalar, self.tensor = ops.ScalarSummary(), ops.TensorSummary()

    def construct(self, x):
        x = self.conv(x)
        self.scalar("mean", x.mean())
        self.tensor("activation", x)
        return self.fc(self.drop(self.flatten(x)))


def rows(count=48, shape=(1, 4, 4)):
    random = np.random.RandomState(0)
    images = random.rand(count, *shape).astype(np.float32)
    labels = random.randint(0, 3, count).astype(np.int32)
    data = ds.NumpySlicesDataset((images, labels), ["image", "label"], shuffle=False)
    return data.map(lambda image: image, ["image"]).batch(4)


def made(**arguments):
    net = Net()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    optimizer = nn.Momentum(net.trainable_params(), 0.01, 0.9)
    return Model(net, loss, optimizer, metrics={"Accuracy": Accuracy()}, **arguments)


def trained(folder, epochs=2, others=(), data=None, **arguments):
    """Trains, and returns the model."""
    model = made()
    collector = SummaryCollector(str(folder), **arguments)
    model.train(epochs, data or rows(), callbacks=[collector, *others], dataset_sink_mode=False)
    return model


def steps(folder):
    """(step, sorted tags) of each event with values."""
    (path,) = glob.glob(f"{folder}/*_MS")
    return [(event[2][0], sorted(values_of(event))) for event in events(path) if 5 in event]


def lineages(folder):
    """The messages of all lineage files by field number."""
    found = {}
    for path in sorted(glob.glob(f"{folder}/*_lineage")):
        for event in events(path):
            event.pop(1)
            found.update({number: each[0] for number, each in event.items()})
    return found


SHOWN = ["activation", "mean"]
AUTO = ["conv.weight/auto", "fc.bias/auto", "fc.weight/auto", "input_data/auto", "loss/auto"]


def test_tags_and_steps(tmp_path):
    trained(tmp_path, collect_specified_data=NO_LANDSCAPE)
    everything = sorted(SHOWN + AUTO)
    assert steps(tmp_path) == [(1, SHOWN), (1, AUTO), (10, everything), (20, everything)]
    assert not os.path.exists(tmp_path / "ckpt_dir")


def test_values(tmp_path):
    model = made()
    data = rows(4)
    losses = []

    class Losses(ms.train.Callback):
        def on_train_step_end(self, run_context):
            losses.append(float(run_context.original_args().net_outputs.asnumpy()))

    model.train(1, data, [SummaryCollector(str(tmp_path)), Losses()], dataset_sink_mode=False)
    (path,) = glob.glob(f"{tmp_path}/*_MS")
    values = values_of(events(path)[-1])
    assert values["loss/auto"][3] == [pytest.approx(losses[0], rel=1e-6)]
    weight = model.train_network.trainable_params()[0].asnumpy()
    distribution = message(values["conv.weight/auto"][9][0])
    assert distribution[8] == [weight.size] and distribution[5] == [weight.max()]
    image = message(values["input_data/auto"][4][0])
    assert image[1] == [4] and image[2] == [16]


def test_chosen_data(tmp_path):
    wanted = {"collect_metric": False, "histogram_regular": "^conv.*", "collect_input_data": False}
    trained(tmp_path, collect_specified_data=wanted, collect_freq=24, collect_tensor_freq=8)
    assert steps(tmp_path) == [
        (1, SHOWN),
        (1, ["conv.weight/auto"]),
        (8, ["activation"]),
        (16, ["activation"]),
        (24, ["activation", "conv.weight/auto", "mean"]),
    ]


def test_only_specified_data(tmp_path):
    trained(tmp_path, collect_specified_data={"collect_metric": True}, keep_default_action=False)
    assert steps(tmp_path)[1] == (1, ["loss/auto"])
    assert not lineages(tmp_path)
    trained(tmp_path / "none", keep_default_action=False)
    assert steps(tmp_path / "none") == [(1, SHOWN), (10, SHOWN), (20, SHOWN)]


def test_data_that_is_no_image_is_left_out(tmp_path):
    net = nn.Dense(3, 1)
    data = ds.NumpySlicesDataset(
        (np.ones((4, 3), np.float32), np.ones((4, 1), np.float32)), ["x", "y"], shuffle=False
    ).batch(2)
    model = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1))
    model.train(1, data, [SummaryCollector(str(tmp_path), collect_freq=1)], dataset_sink_mode=False)
    assert steps(tmp_path) == [(n, ["bias/auto", "loss/auto", "weight/auto"]) for n in (1, 2)]


@pytest.mark.parametrize(
    "total, freq, tensor_freq, expected",
    [
        (600, 10, None, range(0, 601, 31)[:20]),
        (20, 10, None, range(0, 21, 10)),
        (30, 1, None, range(21)),
        (600, 10, 7, range(0, 601, 7)),
    ],
)
def test_tensors_are_recorded_less_often(total, freq, tensor_freq, expected):
    assert tensor_steps(total, freq, tensor_freq) == expected


def test_train_lineage(tmp_path):
    others = [ModelCheckpoint("net", str(tmp_path / "saved"))]
    trained(tmp_path / "log", others=others)
    lineage = message(lineages(tmp_path / "log")[6])
    settings, data, network, saved = (message(lineage[number][0]) for number in (1, 2, 3, 4))
    assert settings == {
        1: [b"Momentum"],
        2: [np.float32(0.01)],
        3: [b"SoftmaxCrossEntropyWithLogits"],
        4: [2],
        5: [b"stand_alone"],
        6: [1],
        8: [4],
    }
    assert data == {2: [48]} and network[1] == [b"Net"] and 0 < network[2][0] < 10
    path = json.loads(saved[3][0])["ckpt"]
    assert path == os.path.realpath(others[0].latest_ckpt_file_name)
    assert saved[4] == [os.path.getsize(path)]


def test_eval_lineage(tmp_path):
    collector = SummaryCollector(str(tmp_path))
    model = made()
    model.train(1, rows(8), [collector], dataset_sink_mode=False)
    metrics = model.eval(rows(), [collector], dataset_sink_mode=False)
    lineage = lineages(tmp_path)
    assert 6 in lineage  # the training's file stays, though the next is of the same second
    lineage = message(lineage[7])
    assert json.loads(lineage[2][0]) == metrics and message(lineage[3][0]) == {2: [48]}
    assert len(glob.glob(f"{tmp_path}/*_MS")) == 1


def test_custom_lineage(tmp_path, monkeypatch):
    monkeypatch.setenv("MINDINSIGHT_HYPER_CONFIG", '{"custom_lineage_data": {"a": 0, "d": "e"}}')
    trained(tmp_path, custom_lineage_data={"a": 1, "b": 0.5, "c": "text"})
    lineage = [message(each) for each in message(lineages(tmp_path)[10])[1]]
    found = {
        message(entry[0])[1][0]: message(entry[0])[2][0]
        for each in lineage
        for entry in each.values()
    }
    assert found == {b"a": 1, b"b": 0.5, b"c": b"text", b"d": b"e"}
    assert [list(each) for each in lineage] == [[3], [4], [5], [4]]


def maps(data):
    """The maps of an OperationParameter as one dict."""
    return {
        message(each)[1][0].decode(): message(each)[2][0]
        for entries in message(data).values()
        for each in entries
    }


def test_dataset_graph(tmp_path):
    trained(tmp_path)
    batch = message(lineages(tmp_path)[9])
    mapped = message(batch[1][0])
    source = message(mapped[1][0])
    lineage = maps(batch[2][0])
    assert (lineage["op_type"], lineage["batch_size"], lineage["drop_remainder"]) == (
        b"Batch",
        4,
        0,
    )
    lineage = maps(mapped[2][0])
    assert lineage["op_type"] == b"Map" and message(lineage["output_columns"])[1] == [b'"image"']
    assert maps(message(mapped[3][0])[1][0])["tensor_op_name"] == b"<lambda>"
    assert maps(source[2][0])["op_type"] == b"GeneratorDataset"


def test_dataset_graph_of_transforms_and_samplers():
    vision, transforms = ds.vision, ds.transforms
    sampler = ds.WeightedRandomSampler([0.25, 0.75], 2)
    data = ds.NumpySlicesDataset([1, 2], sampler=sampler).map(
        [vision.Resize((4, 5)), vision.HWC2CHW(), transforms.TypeCast(ms.int32)]
    )
    lineage = message(_dataset_graph.dataset_graph(data))
    operations = [maps(message(each)[1][0]) for each in lineage[3]]
    assert [each["tensor_op_name"] for each in operations] == [b"Resize", b"HWC2CHW", b"TypeCast"]
    assert json.loads(operations[0]["tensor_op_params"])["size"] == [4, 5]
    assert operations[1]["tensor_op_params"] == b"None"
    assert json.loads(operations[2]["tensor_op_params"]) == {"data_type": "int32"}
    lineage = message(message(lineage[1][0])[4][0])
    assert lineage[3] == [0.25, 0.75] and maps(lineage[1][0])["replacement"] == 1


def test_lineage_leaves_out_what_is_not_known():
    lineage = message(_lineage.train_lineage({"network": "N", "loss": None, "model_size": 0}))
    assert message(lineage[3][0]) == {1: [b"N"]} and message(lineage[4][0]) == {4: [0]}


@pytest.fixture
def graph_mode():
    ms.set_context(mode=ms.GRAPH_MODE)
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


def graphs(folder):
    (path,) = glob.glob(f"{folder}/*_MS")
    return [message(event[4][0]) for event in events(path) if 4 in event]


def test_the_graph_of_graph_mode(tmp_path, graph_mode):
    ms.set_seed(1)
    trained(tmp_path)
    (graph,) = graphs(tmp_path)
    operations = [message(node)[3][0] for node in graph[1]]
    assert operations[0] == b"Conv2D" and b"MatMul" in operations
    assert graph[2] == [b"WithLossCell"]
    assert [message(each)[1][0] for each in graph[3]] == [
        b"x0",
        b"x1",
        b"conv.weight",
        b"fc.weight",
        b"fc.bias",
    ]
    names = {message(node)[2][0] for node in graph[1]}
    names |= {message(each)[1][0] for number in (3, 5) for each in graph[number]}
    inputs = [message(each)[1][0] for node in graph[1] for each in message(node).get(1, [])]
    assert set(inputs) <= names and message(graph[4][0])[1][0] in names
    kernel = next(
        each for each in map(message, message(graph[1][0])[5]) if each[1] == [b"kernel_size"]
    )
    assert [message(each)[3] for each in message(kernel[2][0])[18]] == [[3], [3]]


def test_the_graph_leaves_the_training_as_it_is(tmp_path, graph_mode):
    def weights(folder, wanted):
        ms.set_seed(1)
        model = trained(folder, collect_specified_data={"collect_graph": wanted})
        return [param.asnumpy() for param in model.train_network.trainable_params()]

    found = zip(weights(tmp_path / "a", True), weights(tmp_path / "b", False), strict=True)
    for with_graph, without in found:
        np.testing.assert_array_equal(with_graph, without)
    assert steps(tmp_path / "a") == steps(tmp_path / "b")
    assert len(graphs(tmp_path / "a")) == 1 and not graphs(tmp_path / "b")


def test_a_network_without_a_graph_trains_on(tmp_path, graph_mode):
    class Branch(Net):
        def construct(self, x):
            return super().construct(x) if float(x.asnumpy().max()) > 0 else x

    net = Branch()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    model = Model(net, loss, nn.SGD(net.trainable_params(), 0.1))
    model.train(1, rows(8), [SummaryCollector(str(tmp_path))], dataset_sink_mode=False)
    assert not graphs(tmp_path) and steps(tmp_path)[0] == (1, SHOWN)


def test_sunk_data_is_recorded_by_epoch(tmp_path, graph_mode, monkeypatch):
    monkeypatch.setattr(model_file, "sinks", lambda wanted: wanted)
    collector = SummaryCollector(str(tmp_path), collect_freq=2)
    made().train(4, rows(8), [collector], dataset_sink_mode=True)
    auto = [tag for tag in AUTO if tag != "input_data/auto"]
    everything = sorted(SHOWN + auto)
    assert steps(tmp_path) == [(2, SHOWN), (2, auto), (4, everything), (8, everything)]
    assert len(graphs(tmp_path)) == 1


def landscape(**more):
    return {"collect_landscape": {"intervals": [[1, 2, 3]], **more}}


def test_landscape_of_steps(tmp_path):
    trained(tmp_path, epochs=1, collect_specified_data=landscape(num_samples=8))
    folder = tmp_path / "ckpt_dir"
    assert sorted(os.listdir(folder)) == [f"Net_{n}_step.ckpt" for n in (1, 2, 3)] + [
        "train_metadata.json"
    ]
    lineage = json.loads((folder / "train_metadata.json").read_text())
    files = {str(n): os.path.realpath(folder / f"Net_{n}_step.ckpt") for n in (1, 2, 3)}
    assert lineage == {
        "epoch_group": {"0": [1, 2, 3]},
        "model_params_file_map": files,
        "step_per_epoch": 12,
        "unit": "step",
        "num_samples": 8,
        "landscape_size": 40,
        "create_landscape": {"train": True, "result": True},
    }
    first, last = (ms.load_checkpoint(files[n]) for n in "13")
    assert sorted(first) == ["conv.weight", "fc.bias", "fc.weight"]
    assert not np.array_equal(first["fc.bias"].asnumpy(), last["fc.bias"].asnumpy())


def test_landscape_of_epochs(tmp_path):
    trained(tmp_path, epochs=3, data=rows(8), collect_specified_data=landscape(unit="epoch"))
    assert sorted(os.listdir(tmp_path / "ckpt_dir"))[:3] == [
        f"Net_{n}_epoch.ckpt" for n in (1, 2, 3)
    ]


def test_tensors_are_exported(tmp_path):
    trained(tmp_path, epochs=1, export_options={"tensor_format": "npy"})
    assert sorted(
        os.path.basename(path) for path in glob.glob(f"{tmp_path}/export_*/tensor/*")
    ) == ["activation_1.npy", "activation_10.npy"]


def test_full_files_take_no_more(tmp_path):
    trained(tmp_path, max_file_size=4000)
    (path,) = glob.glob(f"{tmp_path}/*_MS")
    assert os.path.getsize(path) <= 4000


def test_one_collector_in_a_run(tmp_path):
    collector = SummaryCollector(str(tmp_path))
    with pytest.raises(RuntimeError, match="another one is open"):
        made().train(
            1, rows(8), [collector, SummaryCollector(str(tmp_path))], dataset_sink_mode=False
        )
    made().train(1, rows(8), [collector, LossMonitor()], dataset_sink_mode=False)


def test_fit_collects_the_training_only(tmp_path):
    made().fit(
        1, rows(8), rows(8), callbacks=[SummaryCollector(str(tmp_path))], dataset_sink_mode=False
    )
    assert 6 in lineages(tmp_path) and 7 not in lineages(tmp_path)


@pytest.mark.parametrize(
    "error, arguments",
    [
        (TypeError, {"summary_dir": 1}),
        (ValueError, {"summary_dir": ""}),
        (ValueError, {"collect_freq": 0}),
        (TypeError, {"collect_freq": True}),
        (TypeError, {"collect_freq": 1.0}),
        (ValueError, {"collect_tensor_freq": 0}),
        (TypeError, {"collect_tensor_freq": "a"}),
        (ValueError, {"max_file_size": 0}),
        (TypeError, {"max_file_size": 1.5}),
        (TypeError, {"keep_default_action": 1}),
        (TypeError, {"export_options": 1}),
        (ValueError, {"export_options": {"a": "npy"}}),
        (ValueError, {"export_options": {"tensor_format": "x"}}),
        (TypeError, {"custom_lineage_data": 1}),
        (TypeError, {"custom_lineage_data": {1: 2}}),
        (TypeError, {"custom_lineage_data": {"a": None}}),
        (TypeError, {"custom_lineage_data": {"a": True}}),
        (ValueError, {"custom_lineage_data": {"a": 1 << 31}}),
    ],
    ids=repr,
)
def test_refused_arguments(tmp_path, error, arguments):
    with pytest.raises(error):
        SummaryCollector(**{"summary_dir": str(tmp_path / "log"), **arguments})
    assert not os.path.exists(tmp_path / "log")


@pytest.mark.parametrize(
    "error, data",
    [
        (TypeError, 1),
        (TypeError, {1: 2}),
        (ValueError, {"x": 2}),
        (TypeError, {"histogram_regular": 1}),
        (ValueError, {"histogram_regular": "("}),
        (TypeError, {"collect_metric": 1}),
        (TypeError, {"collect_graph": None}),
        (TypeError, {"collect_landscape": True}),
        (TypeError, {"collect_landscape": {"unit": "step"}}),
        (ValueError, landscape(x=1)),
        (ValueError, landscape(landscape_size=2)),
        (ValueError, landscape(landscape_size=257)),
        (TypeError, landscape(landscape_size=True)),
        (TypeError, landscape(unit=1)),
        (ValueError, landscape(unit="s")),
        (TypeError, landscape(num_samples="a")),
        (TypeError, landscape(create_landscape=1)),
        (ValueError, landscape(create_landscape={"a": 1})),
        (TypeError, landscape(create_landscape={"train": 1})),
        (TypeError, landscape(intervals=1)),
        (TypeError, landscape(intervals=[1])),
        (ValueError, landscape(intervals=[[1, 2]])),
        (TypeError, landscape(intervals=[[1, 2, 0.5]])),
    ],
    ids=repr,
)
def test_refused_specified_data(tmp_path, error, data):
    with pytest.raises(error, match=r"^For ('SummaryCollector',|`[\w ]+`,?) "):
        SummaryCollector(str(tmp_path / "log"), collect_specified_data=data)
    assert not os.path.exists(tmp_path / "log")


@pytest.mark.parametrize(
    "arguments, text",
    [
        ({"summary_dir": 1}, "The summary_dir is invalid, the type should be string."),
        ({"summary_dir": ""}, "The summary_dir is invalid, it should be non-blank."),
        ({"collect_freq": 0.5}, "For `collect_freq` the type should be a valid type of ['int']"),
        ({"collect_freq": 0}, "the value of `collect_freq` should be greater than 0, but got `0`"),
        ({"max_file_size": -1}, "the value of `max_file_size` should be greater than 0"),
        ({"collect_specified_data": 3}, "valid type of ['dict', 'NoneType'], but got int."),
        ({"collect_specified_data": {3: 4}}, "For `3` the type should be a valid type of ['str']"),
        (
            {"collect_specified_data": {"a": 1, "collect_metric": 2}},
            "the keys {'a'} of `collect_specified_data` are unsupported",
        ),
        (
            {"collect_specified_data": {"histogram_regular": "*"}},
            "For `collect_specified_data`, the value of `histogram_regular`",
        ),
        (
            {"collect_specified_data": landscape(create_landscape={"train": None})},
            "For `train` the type should be a valid type of ['bool'], but got NoneType.",
        ),
        (
            {"collect_specified_data": landscape(a=1)},
            "the keys {'a'} of `collect_landscape` are unsupported",
        ),
        ({"custom_lineage_data": {1: "a"}}, "For `custom_lineage_data -> 1` the type should be"),
        (
            {"custom_lineage_data": {"a": None}},
            "For `the value of custom_lineage_data -> a` the type should be a valid type of "
            "['int', 'str', 'float'], but got NoneType.",
        ),
        ({"export_options": {"a": "b"}}, "the keys {'a'} of \"export_options\" are unsupported"),
        (
            {"export_options": {"tensor_format": "a"}},
            "the export_format {'a'} of \"export_options\" are unsupported for tensor_format",
        ),
        # If two arguments are wrong, the error is about the first one in this order.
        ({"keep_default_action": 3, "collect_freq": 0}, "`collect_freq`"),
        ({"max_file_size": 0, "collect_tensor_freq": 0}, "`collect_tensor_freq`"),
        ({"custom_lineage_data": 3, "collect_specified_data": 3}, "`collect_specified_data`"),
        ({"collect_specified_data": 3, "export_options": 3}, "`export_options`"),
    ],
    ids=repr,
)
def test_what_an_error_tells(tmp_path, arguments, text):
    with pytest.raises((TypeError, ValueError), match=re.escape(text)):
        SummaryCollector(**{"summary_dir": str(tmp_path / "log"), **arguments})


def test_an_output_that_is_no_loss(tmp_path):
    class Step(nn.Cell):
        def construct(self, x, y):
            return "text"

    Model(Step()).train(1, rows(4), [SummaryCollector(str(tmp_path))], dataset_sink_mode=False)
    assert steps(tmp_path) == [(1, ["input_data/auto"])]
    lineage = message(lineages(tmp_path)[6])
    assert message(lineage[3][0]) == {1: [b"Step"]} and 1 not in message(lineage[1][0])
