"""SummaryLandscape: the planes, their losses and the message; settings and rejected calls.

The numbers of a path and of the landscape around it are those of MindSpore 2.10 for the same
checkpoints.
"""

import glob
import json
import os

import numpy as np
import pytest
from kit import close

import mindspore_compat as ms
from mindspore_compat import dataset as ds
from mindspore_compat import nn
from mindspore_compat._io.protobuf import BYTES, floats
from mindspore_compat.train import Loss, Model, SummaryCollector, SummaryLandscape
from mindspore_compat.train.summary import _landscape
from tests.train.test_summary import events, message

SETTINGS = {
    "landscape_size": 4,
    "unit": "step",
    "num_samples": 16,
    "intervals": [[1, 2, 3, 4]],
    "create_landscape": {"train": True, "result": True},
}
RANDOM = np.random.RandomState(0)
DATA = (RANDOM.rand(32, 4).astype(np.float32), RANDOM.randint(0, 3, 32).astype(np.int32))


def network():
    return nn.SequentialCell(nn.Dense(4, 3), nn.ReLU(), nn.Dense(3, 3))


def rows():
    return ds.NumpySlicesDataset(DATA, ["x", "y"], shuffle=False).batch(4)


def loss():
    return nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")


def measuring():
    net, metrics = network(), {"Loss": Loss()}
    return Model(net, loss(), metrics=metrics), net, rows(), metrics


@pytest.fixture
def folder(tmp_path):
    ms.set_seed(1)
    net = network()
    model = Model(net, loss(), nn.Momentum(net.trainable_params(), 0.1, 0.9))
    collector = SummaryCollector(
        str(tmp_path), collect_specified_data={"collect_landscape": SETTINGS}
    )
    model.train(1, rows(), [collector], dataset_sink_mode=False)
    return tmp_path


def drawn(folder):
    """The messages of the landscapes by tag."""
    found = {}
    for path in sorted(glob.glob(f"{folder}/*_MS")):
        for event in events(path):
            for value in message(event[5][0])[1] if 5 in event else ():
                parts = message(value)
                if 10 in parts:
                    found[parts[1][0].decode()] = message(parts[10][0])
    return found


def arrays(point):
    """The x, y and z of a message."""
    found = []
    for number in (1, 2, 3):
        parts = message(message(point)[number][0])
        found.append(np.reshape(floats(BYTES, parts[3][0]), parts[1]))
    return found


def loss_of(folder, number):
    """The loss of the first 16 rows with the weights of a checkpoint."""
    net = network()
    ms.load_param_into_net(
        net, ms.load_checkpoint(f"{folder}/ckpt_dir/SequentialCell_{number}_step.ckpt")
    )
    logits = net(ms.Tensor(DATA[0][:16]))
    return float(loss()(logits, ms.Tensor(DATA[1][:16])).asnumpy())


def test_landscapes(folder, tmp_path):
    output = tmp_path / "drawn"
    SummaryLandscape(str(folder)).gen_landscapes_with_multi_process(measuring, output=str(output))
    found = drawn(output)
    assert list(found) == ["landscape_[1, 4]", "landscape_[4]"]
    training, result = found.values()
    assert message(training[3][0]) == {1: [b"PCA"], 2: [b"step"], 3: [8]}
    assert message(result[3][0]) == {1: [b"Random"], 2: [b"step"], 3: [8]} and 2 not in result
    path = message(training[2][0])
    assert path[1] == [1, 2, 3, 4]
    x, y, z = arrays(path[2][0])
    close(z, [loss_of(folder, n) for n in (1, 2, 3, 4)], rtol=1e-2, atol=0)
    assert z[-1] == pytest.approx(loss_of(folder, 4), rel=1e-6) and x[-1] == y[-1] == 0
    across, up, grid = arrays(training[1][0])
    assert grid.shape == (4, 4) and across[0] < x.min() and across[-1] > x.max()
    close(np.ptp(up), 1.4 * np.ptp(y), rtol=1e-5, atol=0)
    assert [each.item() for each in arrays(training[4][0])] == [0, 0, z[-1]]
    across, up, grid = arrays(result[1][0])
    close(across, np.linspace(-1, 1, 4), rtol=1e-6, atol=0)
    assert arrays(result[4][0])[2] == [grid[2, 2]] and len(np.unique(grid)) == 16


def test_processes_share_the_points(folder, tmp_path):
    landscape = SummaryLandscape(str(folder))
    only = {"create_landscape": {"train": True, "result": False}}
    for devices in ([0], [0, 1, 2]):
        landscape.gen_landscapes_with_multi_process(
            measuring, only, devices, str(tmp_path / f"{len(devices)}")
        )
    one, several = (drawn(tmp_path / name)["landscape_[1, 4]"] for name in "13")
    assert one[4] == several[4] and message(one[1][0]) == message(several[1][0])
    assert ms.get_context("device_id") == 0


def test_settings_are_changed_and_kept(folder):
    changes = {
        "landscape_size": 3,
        "intervals": [[2, 3, 4], [1, 2, 3]],
        "num_samples": 4,
        "create_landscape": {"train": False, "result": True},
    }
    SummaryLandscape(str(folder)).gen_landscapes_with_multi_process(measuring, changes, [0])
    found = drawn(folder)
    assert list(found) == ["landscape_[3]"]
    assert arrays(found["landscape_[3]"][1][0])[2].shape == (3, 3)
    metadata = json.loads((folder / "ckpt_dir" / "train_metadata.json").read_text())
    assert (
        metadata["epoch_group"] == {"0": [2, 3, 4], "1": [1, 2, 3]} and metadata["num_samples"] == 4
    )
    assert "intervals" not in metadata and len(metadata) == 7


def test_a_plane_holds_the_trained_weights():
    weights = {
        "fc.weight": np.ones((2, 2), np.float32),
        "moments.fc.weight": np.ones(3),
        "step": np.array(5),
    }
    first = {**weights, "fc.weight": np.zeros((2, 2), np.float32)}
    second = {**weights, "fc.weight": np.array([[1, 0], [2, 1]], np.float32)}
    plane = _landscape.plane_of_path([first, second, weights], 3)
    moved = plane.at((1.0, 0.0))
    np.testing.assert_array_equal(plane.at((0.0, 0.0))["fc.weight"], weights["fc.weight"])
    assert np.linalg.norm(moved["fc.weight"] - 1) == pytest.approx(2, rel=1e-6)
    assert moved["step"] is weights["step"] and moved["fc.weight"].dtype == np.float32
    close(plane.at(plane.path[1])["fc.weight"], second["fc.weight"])
    assert len(plane.points()) == 3 + 9


def test_a_training_that_stood_still():
    weights = {"w.weight": np.ones(4)}
    plane = _landscape.plane_of_path([weights, weights, weights], 3)
    assert np.all(plane.path == 0)
    np.testing.assert_array_equal(plane.at((1.0, 1.0))["w.weight"], 1)


def test_checkpoints_are_cleaned(folder):
    landscape = SummaryLandscape(str(folder))
    landscape.clean_ckpt()
    assert not os.path.exists(folder / "ckpt_dir")
    landscape.clean_ckpt()
    with pytest.raises(FileNotFoundError):
        landscape.gen_landscapes_with_multi_process(measuring)


@pytest.mark.parametrize(
    "error, arguments",
    [
        (TypeError, {"callback_fn": 1}),
        (TypeError, {"device_ids": 1}),
        (TypeError, {"device_ids": ["a"]}),
        (ValueError, {"device_ids": [8]}),
        (ValueError, {"device_ids": [-1]}),
        (TypeError, {"output": 1}),
        (TypeError, {"collect_landscape": 1}),
        (ValueError, {"collect_landscape": {"x": 1}}),
        (ValueError, {"collect_landscape": {"landscape_size": 2}}),
        (TypeError, {"collect_landscape": {"num_samples": "a"}}),
        (ValueError, {"collect_landscape": {"unit": "a"}}),
        (ValueError, {"collect_landscape": {"intervals": [[1, 2]]}}),
        (ValueError, {"collect_landscape": {"intervals": [[1, 2, 99]]}}),
        (ValueError, {"collect_landscape": {"create_landscape": {"train": True}}}),
        (TypeError, {"callback_fn": lambda: 1}),
        (ValueError, {"callback_fn": lambda: (*measuring()[:3], {})}),
    ],
)
def test_refusals(folder, error, arguments):
    before = (folder / "ckpt_dir" / "train_metadata.json").read_text()
    with pytest.raises(error):
        SummaryLandscape(str(folder)).gen_landscapes_with_multi_process(
            **{"callback_fn": measuring, **arguments}
        )
    assert (folder / "ckpt_dir" / "train_metadata.json").read_text() == before


@pytest.mark.parametrize("error, given", [(TypeError, 1), (ValueError, " ")])
def test_refused_folders(error, given):
    with pytest.raises(error):
        SummaryLandscape(given)
