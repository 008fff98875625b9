"""The parameter layouts of a Model: parameters are whole on every process, also in the modes that
may split them."""

import numpy as np
import pytest

import mindspore_compat as ms
import mindspore_compat.dataset as ds
from mindspore_compat import Tensor, nn


@pytest.fixture
def divided():
    ms.set_context(mode=ms.GRAPH_MODE)
    ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel", device_num=4)
    yield
    ms.reset_auto_parallel_context()
    ms.set_context(mode=ms.PYNATIVE_MODE)


def model():
    net = nn.Dense(3, 2)
    return ms.Model(net, nn.MSELoss(), nn.Momentum(net.trainable_params(), 0.1, 0.9))


DATA = ds.NumpySlicesDataset((np.ones((4, 3), "f4"), np.ones((4, 2), "f4")), ["x", "y"]).batch(2)


def test_whole_parameters(divided):
    layout = model().infer_predict_layout(Tensor(np.ones((2, 3), "f4")))
    assert layout == {
        "weight": [[4], [-1, -1], [2, 3], 0, True, ""],
        "bias": [[4], [-1], [2], 0, True, ""],
    }
    trained = model().infer_train_layout(DATA)
    assert {"weight", "bias", "moments.weight", "learning_rate"} <= set(trained)
    assert trained["weight"] == layout["weight"] and trained["learning_rate"][:3] == [[4], [], []]


@pytest.mark.parametrize("mode", ["stand_alone", "data_parallel"])
def test_modes_that_cut_nothing(divided, mode):
    ms.set_auto_parallel_context(parallel_mode=mode)
    with pytest.raises(RuntimeError, match="parallel mode"):
        model().infer_predict_layout(Tensor([1.0]))
    with pytest.raises(RuntimeError, match="parallel mode"):
        model().infer_train_layout(DATA)


def test_only_in_graph_mode(divided):
    ms.set_context(mode=ms.PYNATIVE_MODE)
    with pytest.raises(RuntimeError, match="graph mode"):
        model().infer_predict_layout(Tensor([1.0]))


@pytest.mark.parametrize(
    "call, error",
    [
        (lambda m: m.infer_predict_layout({1, 2}), TypeError),
        (lambda m: m.infer_predict_layout(Tensor([1.0]), skip_backend_compile=1), TypeError),
        (lambda m: m.infer_train_layout(3), TypeError),
        (lambda m: m.infer_train_layout(DATA, 1), TypeError),
        (lambda m: m.infer_train_layout(DATA, False), ValueError),
        (lambda m: m.infer_train_layout(DATA, True, 0), ValueError),
    ],
)
def test_refusals(divided, call, error):
    with pytest.raises(error):
        call(model())
