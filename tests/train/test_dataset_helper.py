"""DatasetHelper, networks that fetch their data, and data_sink."""

import importlib

import pytest
from train.runs import batches

import mindspore_compat as ms
from mindspore_compat import nn, train
from mindspore_compat.train import DatasetHelper, connect_network_with_dataset, data_sink


class Mean(nn.Cell):
    def construct(self, x, y):
        return x.mean()


@pytest.fixture(params=[ms.GRAPH_MODE, ms.PYNATIVE_MODE], ids=["graph", "pynative"])
def mode(request):
    ms.set_context(mode=request.param)
    yield request.param
    ms.set_context(mode=ms.PYNATIVE_MODE)


def test_the_file_of_data_sink_does_not_hide_the_function():
    assert importlib.import_module("mindspore_compat.train.data_sink").data_sink is data_sink
    assert train.data_sink is data_sink


def test_batches_come_epoch_by_epoch():
    helper = DatasetHelper(batches(3), dataset_sink_mode=False, epoch_num=2)
    for _ in range(2):
        assert [float(x.mean()) for x, _ in helper] == [1.0, 2.0, 3.0]
    assert helper.sink_size() == 3


def test_a_connected_network_fetches_its_data(mode):
    helper = DatasetHelper(batches(3), True, sink_size=2)
    net = connect_network_with_dataset(Mean(), helper)
    seen = [[float(net(*inputs)) for inputs in helper] for _ in range(3)]
    assert seen == (
        [[2.0], [1.0], [3.0]] if mode == ms.GRAPH_MODE else [[1.0, 2.0], [3.0, 1.0], [2.0, 3.0]]
    )


def test_the_types_and_shapes_are_the_datasets():
    types, shapes = DatasetHelper(batches(1)).types_shapes()
    assert types == [ms.float32, ms.float32]
    assert shapes == [[2, 3], [2, 3]]


@pytest.mark.parametrize(
    "arguments, error",
    [
        ((1,), AttributeError),
        ((batches(1), 1), TypeError),
        ((batches(1), True, 0), ValueError),
        ((batches(1), True, "1"), TypeError),
        ((batches(1), False, -1, 0), ValueError),
        ((batches(1), False, -1, "a"), TypeError),
    ],
)
def test_what_a_helper_refuses(arguments, error):
    with pytest.raises(error, match="For 'DatasetHelper'"):
        DatasetHelper(*arguments)


def test_what_cannot_be_connected():
    with pytest.raises(RuntimeError, match="dataset_sink_mode"):
        connect_network_with_dataset(Mean(), DatasetHelper(batches(1), False))
    with pytest.raises(TypeError, match="'dataset_helper'"):
        connect_network_with_dataset(Mean(), 1)
    with pytest.raises(TypeError, match="'network'"):
        connect_network_with_dataset(1, DatasetHelper(batches(1)))


@pytest.mark.parametrize("size, results", [(1, [1.0, 2.0, 3.0, 1.0]), (2, [2.0, 1.0, 3.0, 2.0])])
def test_a_sunk_function_goes_through_the_data_without_end(size, results):
    mean = data_sink(lambda x, y: float(x.mean()), batches(3), size)
    assert [mean() for _ in results] == results


@pytest.mark.parametrize(
    "arguments, error",
    [
        ((1, batches(1)), TypeError),
        ((len, 1), TypeError),
        ((len, batches(1), 0), ValueError),
        ((len, batches(1), 1.0), TypeError),
    ],
)
def test_what_data_sink_refuses(arguments, error):
    with pytest.raises(error, match="For 'data_sink'"):
        data_sink(*arguments)


def test_an_empty_dataset_cannot_be_sunk():
    with pytest.raises(ValueError, match="at least one batch"):
        data_sink(len, batches(0))()
