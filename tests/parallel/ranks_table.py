"""Divided networks of the table train as on one process; test_table.py starts this through mpiexec
with the name of a network. Each rank first trains the whole network by itself, then one division
after the other; rank 0 prints for each what differs.

Each division trains twice. In float32, with momentum, `AutoParallel` divides the network. In
float64, with Adam, the context does: Adam magnifies rounding errors, and float64 keeps them apart
from wrong results.
"""

import contextlib
import functools
import json
import sys

import networks
import numpy as np
from networks import around, assert_equal, losses_of, share, step_of, with_weights
from table import divisions

import mindspore_compat as ms
from mindspore_compat import Tensor, communication, nn
from mindspore_compat.communication import comm_func
from mindspore_compat.mint import distributed

communication.init()
RANK, SIZE = communication.get_rank(), communication.get_group_size()
STEPS = 10
BOUNDS = {ms.float32: 1e-5, ms.float64: 1e-12}


def momentum(net):
    return nn.Momentum(net.trainable_params(), 0.01, 0.9, weight_decay=0.01)


def adam(net):
    return nn.Adam(net.trainable_params(), 0.01)


def network_of(kind, dtype, *how):
    net = with_weights(kind(*how))
    for parameter in net.get_parameters():
        parameter.set_dtype(dtype)
    return net


def step_with(net, pipelined, dtype):
    return step_of(net, pipelined, momentum if dtype == ms.float32 else adam)


def trained(step, arrays, dtype):
    arrays = [array if array.dtype == np.int32 else Tensor(array, dtype) for array in arrays]
    return losses_of(step, arrays, STEPS)


@functools.cache
def alone(kind, dtype, pipelined):
    """The losses and the network after training on one process, in the same micro-batches."""
    net = network_of(kind, dtype)
    return trained(step_with(net, pipelined, dtype), kind.data, dtype), net


@contextlib.contextmanager
def context(division):
    """Sets the global context to divide networks, and resets it at the end."""
    settings = {"parallel_mode": "semi_auto_parallel", "dataset_strategy": division.data}
    if division.level == "states":
        settings = {"parallel_mode": "data_parallel", "gradients_mean": True}
    elif division.level:
        config = {"parallel_optimizer_threshold": 0, "optimizer_level": division.level}
        settings["parallel_optimizer_config"] = config
    if division.stages > 1:
        settings["pipeline_stages"] = division.stages
        settings["pipeline_config"] = {
            "pipeline_interleave": False,
            "pipeline_scheduler": division.schedule,
        }
    ms.set_context(mode=ms.GRAPH_MODE)
    ms.set_auto_parallel_context(enable_parallel_optimizer=bool(division.level), **settings)
    try:
        yield
    finally:
        ms.reset_auto_parallel_context()
        ms.set_context(mode=ms.PYNATIVE_MODE)


def divided(kind, division, dtype):
    """The losses and the network after training divided."""
    stages, dp, mp, level, schedule, data = division
    net = network_of(kind, dtype, stages, dp, mp)
    arrays = share(kind.data, dp, stages) if data == "data_parallel" else kind.data
    by_settings = dtype == ms.float64 or level == "states"
    with context(division) if by_settings else contextlib.nullcontext():
        step = step_with(net, stages > 1, dtype)
        if not by_settings:
            step = around(step, stages, schedule, level, data)
        losses = trained(step, arrays, dtype)
    if level == "states":  # each rank has the loss of its share
        total, _ = comm_func.all_reduce(Tensor(losses, ms.float64))
        losses = total.asnumpy() / SIZE
    return losses, net


def assert_divided(net, parts):
    """Asserts that this rank holds one of `parts` parts of some of its weights."""
    arrays = [p._array for p in net.get_parameters() if p._array.nbytes]  # 0: of other stages
    held = {array.size // getattr(array, "block", array).size for array in arrays}
    assert parts in held, f"parts: {held}, but not {parts}"


def difference(kind, division):
    """Trains the divided network; returns a description of the error on this rank, or None."""
    for dtype, bound in BOUNDS.items():
        if dtype == ms.float64 and kind is networks.ResNet:
            continue  # batch normalization takes no float64
        try:
            found = divided(kind, division, dtype)
            assert_equal(*found, *alone(kind, dtype, division.stages > 1), bound)
            assert_divided(found[1], division.parts)
        except Exception as error:
            return f"{dtype} on rank {RANK}: {type(error).__name__}: {error}"
    return None


distributed.init_process_group()
for division in divisions(SIZE, sys.argv[1]):
    differences = [None] * SIZE
    distributed.all_gather_object(differences, difference(getattr(networks, sys.argv[1]), division))
    if RANK == 0:
        text = "\n".join(filter(None, differences)) or None
        print(json.dumps({"division": str(division), "difference": text}), flush=True)
