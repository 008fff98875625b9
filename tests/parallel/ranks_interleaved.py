"""Interleaved stages train as one process; test_interleaved.py starts this through mpiexec with two
or four ranks. Each rank first trains the whole network by itself.
"""

import numpy as np
from kit.rank_checks import check, refused, run_named_checks
from networks import (
    GPT,
    MLP,
    FeedForward,
    Loss,
    adam,
    around,
    assert_equal,
    drawn,
    losses_of,
    share,
    step_of,
    with_weights,
)

import mindspore_compat as ms
from mindspore_compat import Tensor, communication, nn

communication.init()
RANK, SIZE = communication.get_rank(), communication.get_group_size()


def interleaved(step, stages, **how):
    divided = around(step, stages, **how)
    divided.pipeline(stages, interleave=True, scheduler=how.get("scheduler", "1f1b"))
    return divided


class Layers(nn.Cell):
    """Eight layers with skips over several of them: between segments of one stage, and over whole
    segments."""

    data = drawn((16, 8)), np.arange(16).astype(np.int32) % 8

    def __init__(self, stages=1, named=False):
        super().__init__()
        self.layers = nn.CellList([FeedForward() for _ in range(8)])
        self.norm = nn.LayerNorm((8,))
        for number, layer in enumerate(self.layers if stages > 1 else ()):
            virtual = number * 2 * stages // 8
            layer.pipeline_stage = virtual % stages
            if named:
                layer.pipeline_segment = virtual // stages

    def construct(self, x):
        results = []
        for number, layer in enumerate(self.layers):
            x = layer(x)
            results.append(x)
            if number in (4, 7):
                x = x + results[number - 4] * 0.5
        return self.norm(x) + results[3] + results[0]


def compare(kind, make_net, stages, shares=1, **how):
    wanted = with_weights(kind())
    losses = losses_of(step_of(wanted, True), kind.data)
    net = with_weights(make_net())
    if shares > 1:
        how, arrays = {**how, "data": "data_parallel"}, share(kind.data, shares, stages)
    else:
        arrays = kind.data
    found = losses_of(interleaved(step_of(net, True), stages, **how), arrays)
    assert_equal(found, net, losses, wanted)


@check
def inferred_segments():
    for scheduler in ("1f1b", "gpipe"):
        compare(Layers, lambda: Layers(2), 2, SIZE // 2, scheduler=scheduler)
    if SIZE == 4:
        compare(Layers, lambda: Layers(4), 4)


@check
def named_segments():
    compare(Layers, lambda: Layers(2, True), 2, SIZE // 2)


@check
def a_network_with_a_shared_table():
    def made():
        net = GPT()
        net.table.pipeline_stage = 0
        for number, block in enumerate(net.blocks):
            block.pipeline_stage = number % 2
        return net

    compare(GPT, made, 2, SIZE // 2, level="level1" if SIZE == 4 else None)


@check
def a_stage_config():
    net, wanted = with_weights(MLP()), with_weights(MLP())
    losses = losses_of(step_of(wanted, True), MLP.data)
    names = [f"_backbone.layers.{number}" for number in range(4)]
    stages, segments = dict(zip(names, (0, 1, 0, 1))), dict(zip(names, (0, 0, 1, 1)))
    with_loss = nn.WithLossCell(net, Loss())
    pipeline = ms.parallel.nn.Pipeline(with_loss, 4, stages, segments)
    step = nn.TrainOneStepCell(pipeline, adam(net)).set_train()
    found = losses_of(interleaved(step, 2), MLP.data)
    assert_equal(found, net, losses, wanted)


@check
def the_context():
    net = with_weights(Layers(2))
    wanted = with_weights(Layers())
    losses = losses_of(step_of(wanted, True), Layers.data)
    mode = ms.get_context("mode")
    try:
        ms.set_context(mode=ms.GRAPH_MODE)
        ms.set_auto_parallel_context(
            parallel_mode="semi_auto_parallel",
            pipeline_stages=2,
            full_batch=True,
            pipeline_config={"pipeline_interleave": True, "pipeline_scheduler": "1f1b"},
        )
        found = losses_of(step_of(net, True), Layers.data)
    finally:
        ms.reset_auto_parallel_context()
        ms.set_context(mode=mode)
    assert_equal(found, net, losses, wanted)


@check
def prediction():
    x = Tensor(Layers.data[0])
    wanted = with_weights(Layers())(x).asnumpy()
    found = interleaved(with_weights(Layers(2)), 2)(x)
    np.testing.assert_allclose(found.asnumpy(), wanted, rtol=1e-5, atol=1e-6)


@check
def each_layer_runs_once():
    """This also holds if the parts of a forward pass start the network again."""
    counts = {}

    class Counted(FeedForward):
        def construct(self, x):
            counts[self] = counts.get(self, 0) + 1
            return super().construct(x)

    net = Layers(2)
    for number in range(8):
        counted = Counted()
        counted.pipeline_stage = net.layers[number].pipeline_stage
        net.layers[number] = counted
    losses_of(interleaved(step_of(with_weights(net), True), 2), Layers.data, 1)
    assert sorted(counts.values()) == [4] * 4  # once for each micro-batch


@check
def wrong_segments():
    x, y = map(Tensor, Layers.data)
    net = Layers(2, True)
    net.layers[0].pipeline_segment = 2  # after the second layer
    refused(RuntimeError, lambda: interleaved(step_of(net, True), 2)(x, y))
    refused(RuntimeError, lambda: around(step_of(Layers(2), True), 2)(x, y))  # not interleaved
    empty = Layers(2, True)
    for layer in empty.layers:
        if layer.pipeline_segment == 1 and layer.pipeline_stage == 1:
            layer.pipeline_stage = 0
    refused(RuntimeError, lambda: interleaved(step_of(empty, True), 2)(x, y))
    compare(Layers, lambda: Layers(2), 2, SIZE // 2)  # the ranks have stayed together


run_named_checks()
