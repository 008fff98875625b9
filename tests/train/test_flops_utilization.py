"""FlopsUtilizationCollector: the operations that MindSpore 2.10 counts, and the printed text."""

import re

import numpy as np
import pytest

import mindspore_compat as ms
import mindspore_compat.dataset as ds
from mindspore_compat import nn
from mindspore_compat.train import FlopsUtilizationCollector, Model


@pytest.fixture(autouse=True)
def graph_mode():
    ms.set_context(mode=ms.GRAPH_MODE)
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


def model_of(net):
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    optimizer = nn.Momentum(net.trainable_params(), 0.01, 0.9)
    return Model(net, loss, optimizer, metrics={"accuracy"})


def rows(*shape):
    columns = np.ones((8, *shape), np.float32), np.zeros(8, np.int32)
    return ds.NumpySlicesDataset(columns, ["x", "y"], shuffle=False).batch(4)


def two_layers():
    return nn.SequentialCell(nn.Dense(10, 6), nn.ReLU(), nn.Dense(6, 5))


def convolution():
    layer = nn.Conv2d(3, 4, 3, pad_mode="valid")
    return nn.SequentialCell(layer, nn.Flatten(), nn.Dense(4 * 6 * 6, 5))


@pytest.mark.parametrize(
    "net, shape, train, evaluation",
    [
        (lambda: nn.Dense(10, 5), (10,), 800.0, 400.0),
        (two_layers, (10,), 1680.0, 720.0),
        (convolution, (3, 8, 8), 79488.0, 36864.0),
    ],
    ids=["layer", "layers", "convolution"],
)
def test_counts(capsys, net, shape, train, evaluation):
    model = model_of(net())
    collector = FlopsUtilizationCollector(2, computility=10**9)
    model.train(2, rows(*shape), [collector], dataset_sink_mode=False)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == (
        f"Full model flops is {train}, Full hardware flops is {train}, "
        f"Shard model flops is {train}, Shard hardware flops is {train}."
    )
    assert len(lines) == 3
    for line in lines[1:]:
        assert re.fullmatch(
            r"Train per step time: \d+\.\d{3} ms mfu:\d+\.\d\d% hfu:\d+\.\d\d%", line
        )
    model.eval(rows(*shape), [FlopsUtilizationCollector(2)], dataset_sink_mode=False)
    lines = capsys.readouterr().out.splitlines()
    assert f"Shard model flops is {evaluation}," in lines[0] and lines[1].startswith(
        "Eval per step"
    )


def test_this_process_only(capsys):
    collector = FlopsUtilizationCollector(1, full_flops=False)
    model_of(nn.Dense(10, 5)).train(1, rows(10), [collector], dataset_sink_mode=False)
    assert capsys.readouterr().out.startswith("Shard model flops is 800.0, Shard hardware flops")


def test_weights_that_are_not_trained_have_no_gradient(capsys):
    net = two_layers()
    net[0].weight.requires_grad = net[0].bias.requires_grad = False
    collector = FlopsUtilizationCollector(1)
    model_of(net).train(1, rows(10), [collector], dataset_sink_mode=False)
    assert "Full model flops is 960.0," in capsys.readouterr().out  # 480 + 2 * 240


def test_refusals():
    for error, arguments in (
        (TypeError, [0]),
        (TypeError, [1.5]),
        (TypeError, [True]),
        (TypeError, [1, 1, 1]),
        (TypeError, [1, 1, True, 1]),
    ):
        with pytest.raises(error, match="For 'FlopsUtilizationCollector'"):
            FlopsUtilizationCollector(*arguments)
    ms.set_context(mode=ms.PYNATIVE_MODE)
    with pytest.raises(ValueError, match="must be GRAPH_MODE"):
        model_of(nn.Dense(10, 5)).train(1, rows(10), [FlopsUtilizationCollector(1)])
