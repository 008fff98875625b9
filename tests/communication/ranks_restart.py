"""A divided network and a network of several stages train on some ranks, then continue on another
number of ranks from the saved slices. test_sharding_ranks.py starts this through mpiexec.
"""

import json
import os
from pathlib import Path

import numpy as np
from kit.rank_checks import check, run_named_checks

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, communication, nn, ops
from mindspore_compat.dataset import GeneratorDataset
from mindspore_compat.parallel.auto_parallel import AutoParallel

communication.init()
RANK, SIZE = communication.get_rank(), communication.get_group_size()
FOLDER = Path(os.environ["FOLDER"])
STAGES = int(os.environ.get("STAGES", "1"))
X = np.random.default_rng(0).normal(size=(16, 8)).astype(np.float32)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        rng = np.random.default_rng(1)
        for name, shape in (("w1", (8, 32)), ("w2", (32, 8))):
            value = rng.normal(size=shape).astype(np.float32) * 0.3
            setattr(self, name, Parameter(Tensor(value), name=name))
        self.up = ops.MatMul().shard(((SIZE // 2, 1), (1, 2)))
        self.down = ops.MatMul().shard(((SIZE // 2, 2), (2, 1)))

    def construct(self, x):
        return ops.square(self.down(ops.tanh(self.up(x, self.w1)), self.w2) - 1).mean()


def made():
    """A training step, and the same divided."""
    net = Net()
    step = nn.TrainOneStepCell(net, nn.Adam(net.trainable_params(), 0.01)).set_train()
    around = AutoParallel(step, "semi_auto")
    around.dataset_strategy("full_batch")
    around.hsdp(-1, 0, "level1")
    around.disable_strategy_file_only_for_trainable_params()
    around.save_param_strategy_file(str(FOLDER / f"strategy_{SIZE}_{RANK}.ckpt"))
    return step, around


def losses(around):
    return [float(around(Tensor(X)).asnumpy()) for _ in range(3)]


@check
def train_and_save():
    step, around = made()
    losses(around)
    ms.save_checkpoint(step, str(FOLDER / f"rank_{RANK}.ckpt"), integrated_save=False)
    text = json.dumps({"ranks": SIZE, "losses": losses(around)})
    if RANK == 0:
        (FOLDER / "losses.json").write_text(text)


@check
def load_and_train():
    known = json.loads((FOLDER / "losses.json").read_text())
    step, around = made()
    files = [str(FOLDER / f"rank_{rank}.ckpt") for rank in range(known["ranks"])]
    strategy = str(FOLDER / f"strategy_{known['ranks']}_0.ckpt")
    ms.load_distributed_checkpoint(step, files, None, strategy)
    np.testing.assert_allclose(losses(around), known["losses"], rtol=1e-6)


class Layers(nn.Cell):
    """Four layers, with a table that the first and the last one share. The environment sets the
    number of stages."""

    def __init__(self):
        super().__init__()
        rng = np.random.default_rng(2)
        self.layers = nn.CellList([nn.Dense(8, 8, activation="tanh") for _ in range(4)])
        for number, layer in enumerate(self.layers):
            layer.weight.set_data(Tensor(rng.normal(size=(8, 8)).astype(np.float32)))
            if STAGES > 1:
                layer.pipeline_stage = number * STAGES // 4
        self.layers[3].weight = self.layers[0].weight

    def construct(self, x):
        for layer in self.layers:
            x = layer(x)
        return ops.square(x - 1).mean()


def made_of_stages():
    pipeline = nn.PipelineCell(Layers(), 4)
    step = nn.TrainOneStepCell(pipeline, nn.Adam(pipeline.trainable_params(), 0.01)).set_train()
    around = AutoParallel(step, "semi_auto")
    around.pipeline(STAGES)
    around.dataset_strategy("full_batch")
    around.hsdp(-1, 0, "level1")
    around.disable_strategy_file_only_for_trainable_params()
    place = RANK % (SIZE // STAGES)
    folder = "strategies" if place == 0 else "others"
    around.save_param_strategy_file(str(FOLDER / folder / f"{RANK}.ckpt"))
    return step, around


@check
def train_stages_and_save():
    if RANK == 0:
        for name in ("strategies", "others"):
            (FOLDER / name).mkdir()
    communication.comm_func.barrier()
    step, around = made_of_stages()
    losses(around)
    ms.save_checkpoint(step, str(FOLDER / f"rank_{RANK}.ckpt"), integrated_save=False)
    ms.save_checkpoint(step, str(FOLDER / f"whole_{RANK}.ckpt"))
    whole = ms.load_checkpoint(str(FOLDER / f"whole_{RANK}.ckpt"))
    assert {p.name for p in step.get_parameters()} == set(whole)
    text = json.dumps({"ranks": SIZE, "losses": losses(around)})
    if RANK == 0:
        (FOLDER / "losses.json").write_text(text)
        ms.merge_pipeline_strategys(str(FOLDER / "strategies"), str(FOLDER / "merged.ckpt"))


@check
def load_stages_and_train():
    known = json.loads((FOLDER / "losses.json").read_text())
    for whole in (False, True):
        step, around = made_of_stages()
        if whole:
            losses(around)  # what other stages hold is dropped before
            ms.load_param_into_net(step, ms.load_checkpoint(str(FOLDER / "whole_0.ckpt")))
        else:
            files = [str(FOLDER / f"rank_{rank}.ckpt") for rank in range(known["ranks"])]
            ms.load_distributed_checkpoint(step, files, None, str(FOLDER / "merged.ckpt"))
        np.testing.assert_allclose(losses(around), known["losses"], rtol=1e-6)


@check
def load_into_inferred_layouts():
    """A network has the same values after loading whole values as after loading its slices."""
    known = json.loads((FOLDER / "losses.json").read_text())
    mode = ms.get_context("mode")
    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        step, around = made()
        wanted = {p.name: p.asnumpy() for p in step.get_parameters()}
        around.network = network = step.network
        optimizer = step.optimizer
        model = ms.Model(around, optimizer=optimizer)
        data = GeneratorDataset([(X,)], ["x"], shuffle=False)
        layouts = model.infer_train_layout(data)
        for name, value in wanted.items():  # nothing has changed
            found = {p.name: p for p in step.get_parameters()}[name].asnumpy()
            np.testing.assert_array_equal(found, value, err_msg=name)
        grid, axes, shape, *_ = layouts["w1"]
        assert np.prod(grid) == SIZE and shape == list(network.w1._array.block.shape) != [8, 32]
        assert model.infer_predict_layout(Tensor(X))["w1"] == layouts["w1"]
    finally:
        ms.set_context(mode=mode)
    around.network = step
    files = [str(FOLDER / f"rank_{rank}.ckpt") for rank in range(known["ranks"])]
    strategy = str(FOLDER / f"strategy_{known['ranks']}_0.ckpt")
    ms.load_distributed_checkpoint(step, files, layouts, strategy)
    assert network.w1._array.block.shape == tuple(shape)
    np.testing.assert_allclose(losses(around), known["losses"], rtol=1e-6)


run_named_checks()
